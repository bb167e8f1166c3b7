/* SPDX-License-Identifier: Apache-2.0
 * Ensembles: many simulations of one model on threads (cleave.h).  This file has the handle; one instance is
 * ensemble_instance.c, and what a thread does ensemble_lanes.c.  Called by programs, `cleave sweep` and the Python
 * package.
 *
 * A thread takes up to eight instances at a time: whoever has room takes the next one.  Its results go to its own row,
 * so nothing depends on who computed it, or when. */
#include "base/error.h"
#include "base/memory.h"
#include "io/ensemble_handle.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COOKIE = 0x63766e73 };

clv_ensemble_desc clv_ensemble_desc_default(void)
{
    return (clv_ensemble_desc){.cookie = COOKIE, .options = clv_sim_options_default()};
}

/* ---------------------------------------------------------------- outputs */

static char *joined(const char *a, const char *b, const char *c)
{
    const size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
    char *text = clv_alloc(size, 1);
    if (text)
        snprintf(text, size, "%s%s%s", a, b, c);
    return text;
}

/* Names of component k of a column: its value, .min, .max, .rms. */
static bool name_component(clv_ensemble_output_name_unit *to, const clv_column *c, int k)
{
    static const char *const statistic[CLV_ENSEMBLE_EACH] = {"", ".min", ".max", ".rms"};
    const char axis[3] = {'.', c->count > 1 ? c->axes[2 * k] : '\0', '\0'};
    bool good = true;
    for (int i = 0; i < CLV_ENSEMBLE_EACH; ++i) {
        to[i].name = joined(c->name, c->count > 1 ? axis : "", statistic[i]);
        to[i].unit = c->unit;
        good = good && to[i].name;
    }
    return good;
}

static bool name_outputs(clv_ensemble *e)
{
    static const clv_ensemble_output_name_unit reported[] = {
#define X(field, unit_) {#field, unit_}, // NOLINT(bugprone-macro-parentheses)
        CLV_ENSEMBLE_REPORT(X)
#undef X
    };
    bool good = true;
    int n = 0;
    for (; n < CLV_ENSEMBLE_REPORTED; ++n) {
        e->output[n].name = clv_copy_text(reported[n].name);
        e->output[n].unit = reported[n].unit;
        good = good && e->output[n].name;
    }
    for (int i = 1; i < e->columns.n; ++i) /* 0 is the time */
        for (int k = 0; k < e->columns.column[i].count; ++k, n += CLV_ENSEMBLE_EACH)
            good = name_component(&e->output[n], &e->columns.column[i], k) && good;
    return good;
}

static clv_status find_outputs(clv_ensemble *e)
{
    const clv_model *model = NULL;
    bool own;
    clv_status status = clv_ensemble_model(e, -1, &model, &own, &e->error);
    if (status != CLV_OK)
        return status;
    status = clv_columns_create(&e->columns, model, e->desc.columns, false, &e->error);
    e->noutput = CLV_ENSEMBLE_REPORTED + CLV_ENSEMBLE_EACH * (e->columns.width - 1);
    if (status == CLV_OK)
        for (int i = 0; i < e->columns.n; ++i)
            e->columns.column[i].get = NULL; /* the model they look at goes */
    if (own)
        clv_model_destroy((clv_model *)model);
    return status;
}

/* ---------------------------------------------------------------- the handle */

static clv_status wrong(clv_ensemble *e, const char *text)
{
    return clv_fail(&e->error, CLV_ERR_USAGE, "ensemble: %s", text);
}

static clv_status check(clv_ensemble *e)
{
    const clv_ensemble_desc *d = &e->desc;
    if (d->cookie != COOKIE)
        return wrong(e, "start the description from clv_ensemble_desc_default()");
    if (d->instances < 1)
        return wrong(e, "there must be at least one instance");
    if ((d->model != NULL) + (d->text != NULL) + (d->make != NULL) != 1)
        return wrong(e, "the model comes from one of model, text and make");
    if (!(d->time > 0) || !isfinite(d->time))
        return wrong(e, "time must be positive");
    if (!(d->every >= 0) || !isfinite(d->every) || (d->every > 0 && d->time / d->every > 1e9))
        return wrong(e, "every must be positive, or 0, with at most 1e9 samples");
    if (d->max_steps < 0 || d->threads < 0 || d->threads > CLV_TEAM_MOST)
        return wrong(e, "max_steps and threads must not be negative, threads at most 4096");
    if (d->nvalue < 0 || d->nparam < 0 || ((d->nvalue > 0 || d->nparam > 0) && !d->text))
        return wrong(e, "values of parameters need a text");
    if (d->nvalue > 0 && (!d->name || !d->value))
        return wrong(e, "names and values are missing");
    for (int k = 0; k < d->nvalue; ++k)
        if (!d->name[k] || !*d->name[k])
            return wrong(e, "a name of a parameter is missing");
    return d->nparam == 0 || d->params ? CLV_OK : wrong(e, "params are missing");
}

static clv_status allocate(clv_ensemble *e)
{
    const size_t n = (size_t)e->desc.instances;
    e->output = clv_alloc((size_t)e->noutput, sizeof *e->output);
    e->result = clv_alloc(n * (size_t)e->noutput, sizeof *e->result);
    e->status = clv_alloc(n, sizeof *e->status);
    e->ran = clv_alloc(n, sizeof *e->ran);
    e->failure = clv_alloc(n, sizeof(clv_error *)); /* NOLINT(bugprone-sizeof-expression): pointers */
    e->alone = clv_alloc(n, sizeof(const char *));  /* NOLINT(bugprone-sizeof-expression): pointers */
    if (!e->output || !e->result || !e->status || !e->ran || !e->failure || !e->alone || !name_outputs(e))
        return clv_fail(&e->error, CLV_ERR_MEMORY, "out of memory");
    return CLV_OK;
}

clv_status clv_ensemble_create(clv_ensemble **ensemble, const clv_ensemble_desc *desc)
{
    if (!ensemble)
        return CLV_ERR_USAGE;
    clv_ensemble *e = *ensemble = clv_alloc(1, sizeof *e);
    if (!e)
        return CLV_ERR_MEMORY;
    clv_error_clear(&e->error);
    atomic_flag_clear(&e->busy);
    atomic_init(&e->over, false);
    e->desc = desc ? *desc : (clv_ensemble_desc){0};
    clv_status status = desc ? check(e) : wrong(e, "the pointer to the description is NULL");
    if (status != CLV_OK)
        e->desc.instances = 0;
    if (status == CLV_OK)
        status = find_outputs(e);
    if (status == CLV_OK)
        status = allocate(e);
    e->good = status == CLV_OK;
    return status;
}

void clv_ensemble_destroy(clv_ensemble *e)
{
    if (!e)
        return;
    for (int i = 0; e->output && i < e->noutput; ++i)
        clv_free(e->output[i].name);
    for (int i = 0; e->failure && i < e->desc.instances; ++i)
        clv_free(e->failure[i]);
    clv_columns_release(&e->columns);
    clv_free(e->output), clv_free(e->result), clv_free(e->status), clv_free(e->ran), clv_free((void *)e->failure);
    clv_free((void *)e->alone);
    clv_free(e);
}

/* instances that have not run and are not skipped */
static int to_run(const clv_ensemble *e)
{
    int n = 0;
    for (int i = 0; i < e->desc.instances; ++i)
        n += !e->ran[i] && !(e->desc.skip && e->desc.skip[i]);
    return n;
}

clv_status clv_ensemble_run(clv_ensemble *e)
{
    if (!e || !e->good)
        return CLV_ERR_USAGE;
    if (atomic_flag_test_and_set(&e->busy))
        return CLV_ERR_USAGE;
    const int cores = e->desc.threads > 0 ? e->desc.threads : clv_team_cores();
    const int n = to_run(e), threads = cores < n ? cores : n > 0 ? n : 1;
    clv_error_clear(&e->error);
    atomic_store(&e->over, false), atomic_store(&e->next, 0);
    e->lanes = (n + threads - 1) / threads < CLV_ENSEMBLE_LANES ? (n + threads - 1) / threads : CLV_ENSEMBLE_LANES;
    clv_status status = CLV_OK;
    e->team = threads > 1 ? clv_team_create(threads) : NULL;
    if (threads > 1 && !e->team)
        status = clv_fail(&e->error, CLV_ERR_MEMORY, "%d threads could not be started", threads);
    else
        clv_team_run(e->team, threads, clv_ensemble_work, e);
    clv_team_destroy(e->team);
    e->team = NULL;
    atomic_flag_clear(&e->busy);
    return status;
}

/* ---------------------------------------------------------------- results */

static bool has_run(const clv_ensemble *e, int instance)
{
    return e && e->good && instance >= 0 && instance < e->desc.instances && e->ran[instance];
}

const clv_error *clv_ensemble_error(const clv_ensemble *e) { return e ? &e->error : clv_error_of_null(); }

int clv_ensemble_output_count(const clv_ensemble *e) { return e && e->good ? e->noutput : 0; }

const char *clv_ensemble_output_name(const clv_ensemble *e, int i)
{
    return i >= 0 && i < clv_ensemble_output_count(e) ? e->output[i].name : NULL;
}

const char *clv_ensemble_output_unit(const clv_ensemble *e, int i)
{
    return i >= 0 && i < clv_ensemble_output_count(e) ? e->output[i].unit : NULL;
}

bool clv_ensemble_ran(const clv_ensemble *e, int instance) { return has_run(e, instance); }

clv_status clv_ensemble_status(const clv_ensemble *e, int instance)
{
    return has_run(e, instance) ? e->status[instance] : CLV_ERR_USAGE;
}

const clv_error *clv_ensemble_instance_error(const clv_ensemble *e, int instance)
{
    static const clv_error none = {.time = NAN, .value = NAN},
                           memory = {.code = CLV_ERR_MEMORY, .time = NAN, .value = NAN, .message = "out of memory"};
    if (!e)
        return clv_error_of_null();
    if (!has_run(e, instance) || e->status[instance] == CLV_OK)
        return &none;
    return e->failure[instance] ? e->failure[instance] : &memory;
}

const char *clv_ensemble_alone(const clv_ensemble *e, int instance)
{
    return has_run(e, instance) ? e->alone[instance] : NULL;
}

const double *clv_ensemble_output(const clv_ensemble *e, int instance)
{
    return has_run(e, instance) ? e->result + (size_t)instance * (size_t)e->noutput : NULL;
}
