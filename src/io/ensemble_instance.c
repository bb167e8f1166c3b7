/* SPDX-License-Identifier: Apache-2.0
 * One instance of an ensemble: its simulation, and the samples from which its outputs are made.  Runs on a thread of
 * the ensemble; writes nothing but the row of its instance. */
#include "base/error.h"
#include "base/memory.h"
#include "io/ensemble_handle.h"
#include "io/error_print.h"
#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- samples */

/* The columns of this model are those of the ensemble. */
static bool same_columns(const clv_columns *a, const clv_columns *b)
{
    bool same = a->n == b->n && a->width == b->width;
    for (int i = 0; same && i < a->n; ++i)
        same = strcmp(a->column[i].name, b->column[i].name) == 0 && a->column[i].count == b->column[i].count;
    return same;
}

/* Takes a sample into least, largest and mean square of number k; *before: its value at the sample before. */
static void take_number(clv_instance *in, int k, double x, double before, double dt)
{
    double *r = in->row + CLV_ENSEMBLE_REPORTED + CLV_ENSEMBLE_EACH * (k - 1);
    const bool first = dt < 0;
    r[0] = x;
    r[1] = first || x < r[1] || isnan(x) ? x : r[1]; /* what was NaN once stays NaN */
    r[2] = first || x > r[2] || isnan(x) ? x : r[2];
    in->square[k] = first ? 0 : in->square[k] + 0.5 * dt * (x * x + before * before);
}

static void sample(clv_instance *in, double time)
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

clv_status clv_instance_failed(clv_instance *in, clv_status status)
{
    in->error = *clv_sim_error(in->sim);
    if (in->error.code == CLV_OK)
        clv_fail(&in->error, status, "%s", clv_status_text(status));
    return status;
}

clv_status clv_instance_count(clv_instance *in)
{
    const long most = in->ensemble->desc.max_steps;
    clv_sim_report report;
    if (most <= 0 || ++in->steps < most / CLV_INSTANCE_TRIES) /* there cannot be so many yet */
        return CLV_OK;
    clv_sim_summary(in->sim, &report);
    if (report.steps + report.rejected_steps <= most)
        return CLV_OK;
    clv_fail(&in->error, CLV_ERR_STEP_SIZE, "more than %ld steps at t = %.9g s", most, report.time);
    in->error.time = report.time;
    return CLV_ERR_STEP_SIZE;
}

/* To a time, with a look at the number of steps. */
static clv_status advance(clv_instance *in, double to)
{
    clv_sim_report report;
    clv_status status = CLV_OK;
    clv_sim_summary(in->sim, &report);
    while (in->ensemble->desc.max_steps > 0 && report.time < to && status == CLV_OK) {
        status = clv_sim_step(in->sim, to);
        if (status != CLV_OK)
            break;
        if ((status = clv_instance_count(in)) != CLV_OK)
            return status;
        clv_sim_summary(in->sim, &report);
    }
    if (status == CLV_OK)
        status = clv_sim_advance(in->sim, to);
    return status == CLV_OK || status == CLV_STOPPED ? status : clv_instance_failed(in, status);
}

/* To the time of the next sample; s. */
static double time_of(const clv_instance *in, double number)
{
    const clv_ensemble_desc *d = &in->ensemble->desc;
    const double every = d->every > 0 ? d->every : d->time / 100, time = number * every;
    return time > d->time - 1e-9 * every ? d->time : time;
}

bool clv_instance_sample(clv_instance *in)
{
    sample(in, in->until);
    const bool more = in->until < in->ensemble->desc.time;
    in->until = more ? time_of(in, ++in->samples) : in->until;
    return more;
}

clv_status clv_instance_finish(clv_instance *in)
{
    clv_status status;
    do
        status = advance(in, in->until);
    while (status == CLV_OK && clv_instance_sample(in));
    if (status == CLV_STOPPED && clv_sim_time(in->sim) > in->at)
        sample(in, clv_sim_time(in->sim));
    return status == CLV_STOPPED ? CLV_OK : status;
}

/* s, where it has ended without a failure */
static double end_of(const clv_instance *in)
{
    return clv_sim_stopped(in->sim) < 0 ? in->ensemble->desc.time : clv_sim_time(in->sim);
}

/* ---------------------------------------------------------------- one instance */

static void report(clv_instance *in, clv_status status)
{
    clv_sim_report r;
    clv_sim_summary(in->sim, &r);
    if (status == CLV_OK)
        r.time = end_of(in); /* the last step ends behind it */
#define X(field, unit) in->row[CLV_ENSEMBLE_##field] = (double)r.field;
    CLV_ENSEMBLE_REPORT(X)
#undef X
    for (int k = 1; k < in->columns.width; ++k)
        in->row[CLV_ENSEMBLE_REPORTED + CLV_ENSEMBLE_EACH * (k - 1) + 3] =
            sqrt(in->square[k] / end_of(in));
}

static clv_status start(clv_instance *in, const clv_model *model, int i)
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
            clv_instance_failed(in, status), clv_error_place(&in->error, model);
        else
            clv_fail(&in->error, status, "out of memory");
        return status;
    }
    if (d->prepare && (status = d->prepare(d->user, i, in->sim)) != CLV_OK)
        clv_instance_failed(in, status);
    return status;
}

static void to_nan(double *row, int from, int to)
{
    for (int k = from; k < to; ++k)
        row[k] = NAN;
}

clv_status clv_instance_open(clv_instance *in, clv_ensemble *e, int i)
{
    *in = (clv_instance){.ensemble = e, .number = i, .row = e->result + (size_t)i * (size_t)e->noutput, .at = -1};
    clv_error_clear(&in->error);
    to_nan(in->row, 0, e->noutput);
    clv_status status = clv_ensemble_model(e, i, &in->model, &in->own, &in->error);
    in->own = in->own && status == CLV_OK; /* else it is gone already */
    if (status == CLV_OK)
        status = start(in, in->model, i);
    in->started = status == CLV_OK;
    if (in->started)
        clv_instance_sample(in);
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

void clv_instance_close(clv_instance *in, clv_status status)
{
    clv_ensemble *e = in->ensemble;
    const int i = in->number;
    if (in->started)
        report(in, status);
    if (status != CLV_OK)
        to_nan(in->row, in->started ? CLV_ENSEMBLE_REPORTED : 0, e->noutput);
    clv_sim_destroy(in->sim);
    clv_columns_release(&in->columns);
    clv_free(in->frame);
    if (in->own)
        clv_model_destroy((clv_model *)in->model);
    e->status[i] = status;
    if (status != CLV_OK && (e->failure[i] = clv_alloc(1, sizeof in->error)) != NULL)
        *e->failure[i] = in->error;
    *in = (clv_instance){0};
    clv_team_alone(e->team, i, finish, e);
}
