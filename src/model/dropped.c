/* SPDX-License-Identifier: Apache-2.0
 * What a file of another program says and the model does not carry: harmful entries first, else in the order found. */
#include "base/memory.h"
#include "model/model.h"
#include <string.h>

bool clv_model_note_dropped(clv_model *m, const char *file, int line, int column, bool harmful, const char *kind,
                            const char *text)
{
    if (m->ndropped == m->dropped_capacity) {
        const int capacity = 2 * m->dropped_capacity + 16;
        clv_dropped *list = clv_resize(m->dropped, (size_t)capacity, sizeof *list);
        if (!list)
            return false;
        m->dropped = list;
        m->dropped_capacity = capacity;
    }
    char *f = clv_copy_text(file), *k = clv_copy_text(kind), *t = clv_copy_text(text);
    if (!f || !k || !t) {
        clv_free(f), clv_free(k), clv_free(t);
        return false;
    }
    m->dropped[m->ndropped++] = (clv_dropped){f, line, column, harmful, k, t};
    return true;
}

void clv_model_order_dropped(clv_model *m)
{
    clv_dropped *list = m->ndropped > 0 ? clv_alloc((size_t)m->ndropped, sizeof *list) : NULL;
    int n = 0;
    for (int harmful = 1; list && harmful >= 0; harmful--)
        for (int i = 0; i < m->ndropped; i++)
            if (m->dropped[i].harmful == (harmful == 1))
                list[n++] = m->dropped[i];
    if (list)
        memcpy(m->dropped, list, (size_t)n * sizeof *list);
    clv_free(list);
}

void clv_model_free_dropped(clv_model *m)
{
    for (int i = 0; i < m->ndropped; i++) {
        char *owned[3];
        memcpy(owned, (const char *[]){m->dropped[i].file, m->dropped[i].kind, m->dropped[i].text}, sizeof owned);
        for (int k = 0; k < 3; k++)
            clv_free(owned[k]);
    }
    clv_free(m->dropped);
}

int clv_model_dropped_count(const clv_model *model)
{
    return model ? model->ndropped : 0;
}

const clv_dropped *clv_model_dropped_at(const clv_model *model, int i)
{
    return i >= 0 && i < clv_model_dropped_count(model) ? &model->dropped[i] : NULL;
}
