/* SPDX-License-Identifier: Apache-2.0
 * The model of an instance of an ensemble: the caller's, made by it, or read from a text with the instance's values. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/ensemble_handle.h"
#include <locale.h>
#include <stdio.h>
#include <string.h>

/* "name=value unit" of value k, for clv_model_read_with; NULL: out of memory.  The value has the fewest digits that
 * read back to it: units scale digits, so others could give another number. */
static char *assignment(const clv_ensemble_desc *d, int instance, int k)
{
    const char *unit = d->unit && d->unit[k] ? d->unit[k] : "";
    const double x = d->value[(size_t)instance * (size_t)d->nvalue + (size_t)k];
    const size_t size = strlen(d->name[k]) + strlen(unit) + 40;
    char *text = clv_alloc(size, 1), number[32] = "";
    const char *end;
    for (int digits = 15; digits <= 17 && (!*number || clv_text_number(number, &end) != x); ++digits)
        snprintf(number, sizeof number, "%.*g", digits, x);
    if (text)
        snprintf(text, size, "%s=%s%s%s", d->name[k], number, *unit ? " " : "", unit);
    return text;
}

static void free_texts(char **text, int n)
{
    for (int k = 0; text && k < n; ++k)
        clv_free(text[k]);
    clv_free((void *)text);
}

/* All values of an instance (-1: none), with a decimal point whatever the caller's locale; NULL: out of memory. */
static char **assignments(const clv_ensemble_desc *d, int instance, int *n)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = plain ? uselocale(plain) : (locale_t)0;
    const int values = instance < 0 ? 0 : d->nvalue;
    bool good = true;
    *n = d->nparam + values;
    char **text = clv_alloc((size_t)*n + 1, sizeof *text);
    for (int k = 0; text && k < *n; ++k) {
        text[k] = k < d->nparam ? clv_copy_text(d->params[k]) : assignment(d, instance, k - d->nparam);
        good = good && text[k];
    }
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    if (good)
        return text;
    free_texts(text, *n);
    return NULL;
}

static clv_status read_text(const clv_ensemble_desc *d, int instance, clv_model **model)
{
    int n;
    char **text = assignments(d, instance, &n);
    if (!text)
        return CLV_ERR_MEMORY;
    const clv_status status =
        clv_model_read_text_with(model, d->text, d->size, d->file_name, (const char *const *)text, n);
    free_texts(text, n);
    return status;
}

clv_status clv_ensemble_model(clv_ensemble *ensemble, int instance, const clv_model **model, bool *own, clv_error *e)
{
    const clv_ensemble_desc *d = &ensemble->desc;
    clv_model *made = NULL;
    *own = !d->model;
    if (d->model) {
        *model = d->model;
        return CLV_OK;
    }
    clv_status status = d->make ? d->make(d->user, instance < 0 ? 0 : instance, &made) : read_text(d, instance, &made);
    if (status == CLV_OK && !made)
        return clv_fail(e, CLV_ERR_USAGE, "no model was made");
    *model = made;
    if (status == CLV_OK)
        return CLV_OK;
    const clv_error *why = clv_model_error_count(made) > 0 ? clv_model_error_at(made, 0) : clv_model_error(made);
    if (made && why->code != CLV_OK)
        *e = *why;
    else
        clv_fail(e, status, "the model could not be made: %s", clv_status_text(status));
    clv_model_destroy(made);
    return status;
}
