/* SPDX-License-Identifier: Apache-2.0
 * One instance of an ensemble: its model, its simulation, and the samples from which its outputs are made.  Runs on a
 * thread of the ensemble; writes nothing but the row of its instance. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/ensemble_handle.h"
#include "io/error_print.h"
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- the model */

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

/* ---------------------------------------------------------------- samples */

typedef struct instance {
    clv_ensemble *ensemble;
    clv_sim *sim;
    clv_columns columns;
    double *frame, *row;   /* a sample; the results */
    double *square;        /* (columns.width) integral of the square */
    double at;             /* s, of the sample before */
    clv_error error;
} instance;

/* The columns of this model are those of the ensemble. */
static bool same_columns(const clv_columns *a, const clv_columns *b)
{
    bool same = a->n == b->n && a->width == b->width;
    for (int i = 0; same && i < a->n; ++i)
        same = strcmp(a->column[i].name, b->column[i].name) == 0 && a->column[i].count == b->column[i].count;
    return same;
}

/* Takes a sample into least, largest and mean square of number k; *before: its value at the sample before. */
static void take_number(instance *in, int k, double x, double before, double dt)
{
    double *r = in->row + CLV_ENSEMBLE_REPORTED + CLV_ENSEMBLE_EACH * (k - 1);
    const bool first = dt < 0;
    r[0] = x;
    r[1] = first || x < r[1] || isnan(x) ? x : r[1]; /* what was NaN once stays NaN */
    r[2] = first || x > r[2] || isnan(x) ? x : r[2];
    in->square[k] = first ? 0 : in->square[k] + 0.5 * dt * (x * x + before * before);
}

static void sample(instance *in, double time)
{
    const int width = in->columns.width;
    const double dt = time - in->at;
    double *before = in->frame + width;
    memcpy(before, in->frame, (size_t)width * sizeof *before);
    clv_columns_fill(in->columns.column, in->columns.n, in->sim, in->frame);
    for (int k = 1; k < width; ++k)
        take_number(in, k, in->frame[k], before[k], in->at < 0 ? -1 : dt);
    in->at = time;
}

static clv_status failed(instance *in, clv_status status)
{
    in->error = *clv_sim_error(in->sim);
    if (in->error.code == CLV_OK)
        clv_fail(&in->error, status, "%s", clv_status_text(status));
    return status;
}

/* To a time, with a look at the number of steps. */
static clv_status advance(instance *in, double to)
{
    const long most = in->ensemble->desc.max_steps;
    clv_sim_report report;
    clv_status status = CLV_OK;
    clv_sim_summary(in->sim, &report);
    while (most > 0 && report.time < to && status == CLV_OK) {
        status = clv_sim_step(in->sim, to);
        clv_sim_summary(in->sim, &report);
        if (status == CLV_OK && report.steps + report.rejected_steps > most) {
            clv_fail(&in->error, CLV_ERR_STEP_SIZE, "more than %ld steps at t = %.9g s", most, report.time);
            in->error.time = report.time;
            return CLV_ERR_STEP_SIZE;
        }
    }
    if (status == CLV_OK)
        status = clv_sim_advance(in->sim, to);
    return status == CLV_OK ? status : failed(in, status);
}

static clv_status simulate(instance *in)
{
    const clv_ensemble_desc *d = &in->ensemble->desc;
    const double every = d->every > 0 ? d->every : d->time / 100;
    clv_status status = CLV_OK;
    in->at = -1;
    sample(in, 0);
    for (double i = 1, time = 0; time < d->time && status == CLV_OK; ++i) {
        time = i * every > d->time - 1e-9 * every ? d->time : i * every;
        status = advance(in, time);
        if (status == CLV_OK)
            sample(in, time);
    }
    return status;
}

/* ---------------------------------------------------------------- one instance */

static void report(instance *in, clv_status status)
{
    clv_sim_report r;
    clv_sim_summary(in->sim, &r);
    if (status == CLV_OK)
        r.time = in->ensemble->desc.time; /* the last step ends behind it */
#define X(field, unit) in->row[CLV_ENSEMBLE_##field] = (double)r.field;
    CLV_ENSEMBLE_REPORT(X)
#undef X
    for (int k = 1; k < in->columns.width; ++k)
        in->row[CLV_ENSEMBLE_REPORTED + CLV_ENSEMBLE_EACH * (k - 1) + 3] =
            sqrt(in->square[k] / in->ensemble->desc.time);
}

static clv_status start(instance *in, const clv_model *model, int i)
{
    const clv_ensemble_desc *d = &in->ensemble->desc;
    clv_sim_options options = d->options;
    options.threads = 1;
    clv_status status = clv_columns_create(&in->columns, model, d->columns, false, &in->error);
    if (status == CLV_OK && !same_columns(&in->columns, &in->ensemble->columns))
        return clv_fail(&in->error, CLV_ERR_UNSUPPORTED,
                        "this instance has other bodies or joints, so its columns are not those of the ensemble");
    const size_t width = (size_t)in->columns.width;
    if (status == CLV_OK) {
        in->frame = clv_alloc(3 * width + 1, sizeof(double));
        in->square = in->frame ? in->frame + 2 * width : NULL;
    }
    if (status == CLV_OK && !in->frame)
        return clv_fail(&in->error, CLV_ERR_MEMORY, "out of memory");
    if (status != CLV_OK)
        return status;
    status = clv_sim_create(&in->sim, model, &options);
    if (status != CLV_OK) {
        if (in->sim)
            failed(in, status), clv_error_place(&in->error, model);
        else
            clv_fail(&in->error, status, "out of memory");
        return status;
    }
    if (d->prepare && (status = d->prepare(d->user, i, in->sim)) != CLV_OK)
        failed(in, status);
    return status;
}

static void to_nan(double *row, int from, int to)
{
    for (int k = from; k < to; ++k)
        row[k] = NAN;
}

static clv_status run(instance *in, int i)
{
    const clv_model *model = NULL;
    bool own;
    clv_status status = clv_ensemble_model(in->ensemble, i, &model, &own, &in->error);
    if (status != CLV_OK)
        return status;
    status = start(in, model, i);
    const bool started = status == CLV_OK;
    if (started) {
        status = simulate(in);
        report(in, status);
    }
    if (status != CLV_OK)
        to_nan(in->row, started ? CLV_ENSEMBLE_REPORTED : 0, in->ensemble->noutput);
    clv_sim_destroy(in->sim);
    clv_columns_release(&in->columns);
    clv_free(in->frame);
    if (own)
        clv_model_destroy((clv_model *)model);
    return status;
}

/* Its results may be read; one instance at a time. */
static void finish(void *of, int i)
{
    clv_ensemble *e = of;
    e->ran[i] = true;
    if (e->desc.done && !e->desc.done(e->desc.user, i))
        atomic_store(&e->over, true);
}

void clv_ensemble_instance(void *of, int i)
{
    clv_ensemble *e = of;
    if (e->ran[i] || atomic_load(&e->over) || (e->desc.skip && e->desc.skip[i]))
        return;
    instance in = {.ensemble = e, .row = e->result + (size_t)i * (size_t)e->noutput};
    clv_error_clear(&in.error);
    to_nan(in.row, 0, e->noutput);
    e->status[i] = run(&in, i);
    if (e->status[i] != CLV_OK && (e->failure[i] = clv_alloc(1, sizeof in.error)) != NULL)
        *e->failure[i] = in.error;
    clv_team_alone(e->team, i, finish, e);
}
