/* SPDX-License-Identifier: Apache-2.0
 * The list of parameters; see parameter.h. */
#include "model/parameter.h"
#include "base/memory.h"

bool clv_model_note_parameter(clv_model *m, const clv_parameter *p)
{
    clv_parameter *list = clv_resize(m->parameter, (size_t)m->nparameter + 1, sizeof *list);
    if (!list)
        return false;
    m->parameter = list;
    clv_parameter *to = &list[m->nparameter];
    *to = *p;
    to->name = clv_copy_text(p->name);
    to->unit = clv_copy_text(p->unit);
    m->nparameter++;
    return to->name && to->unit;
}

void clv_model_free_parameters(clv_model *m)
{
    for (int i = 0; i < m->nparameter; ++i) {
        clv_free((char *)m->parameter[i].name);
        clv_free((char *)m->parameter[i].unit);
    }
    clv_free(m->parameter);
}

int clv_model_parameter_count(const clv_model *model)
{
    return model ? model->nparameter : 0;
}

const clv_parameter *clv_model_parameter(const clv_model *model, int i)
{
    return model && i >= 0 && i < model->nparameter ? &model->parameter[i] : NULL;
}
