/* SPDX-License-Identifier: Apache-2.0
 * Directional derivatives of a unit (T67); see unit.h.  They are those of the rates and outputs that the importer sees,
 * at states with open loops, too: central differences of sixth order over three lengths, each unknown by the one with
 * the least estimated error.  Inputs act linearly, so their differences are exact to rounding. */
#include "base/memory.h"
#include "fmu/unit.h"
#include "simulation/exchange.h"
#include <math.h>
#include <string.h>

enum { LENGTHS = 3, POINTS = 6 };

typedef struct direction {
    unit *u;
    const unsigned *unknown;
    size_t nunknown;
    double *state;  /* (nstate) along the seed                                  */
    double *input;  /* (table.n) the same of inputs, by variable                */
    double time;    /* the same of the time                                     */
    double now;     /* s, time of the simulation                                */
    double size;    /* of all that, in parts of nominal values                  */
    double *y0, *y; /* (nstate) the state; work                                 */
    double *rate;   /* (nstate) work                                            */
    double *sample; /* (POINTS x nunknown)                                      */
    double *error;  /* (nunknown) least estimated error so far                  */
    double *block;
} direction;

/* ---------------------------------------------------------------- what is asked for */

static unit_status take_unknowns(const direction *d, const char *function)
{
    for (size_t i = 0; i < d->nunknown; i++) {
        if (d->unknown[i] >= (unsigned)d->u->table.n)
            return unit_fail(d->u, "%s: there is no variable with value reference %u", function, d->unknown[i]);
        const clv_fmu_variable *v = &d->u->table.variable[d->unknown[i]];
        if (v->kind != CLV_FMU_OUTPUT && (v->kind != CLV_FMU_RATE || !d->u->exchange))
            return unit_fail(d->u, "%s: '%.100s' is neither an output nor the derivative of a state", function,
                             v->name);
    }
    return UNIT_OK;
}

static unit_status take_known(direction *d, unsigned reference, double seed, const char *function)
{
    unit *u = d->u;
    if (reference >= (unsigned)u->table.n)
        return unit_fail(u, "%s: there is no variable with value reference %u", function, reference);
    const clv_fmu_variable *v = &u->table.variable[reference];
    if (!isfinite(seed))
        return unit_fail(u, "%s: the seed of '%.100s' is not finite", function, v->name);
    if (v->kind == CLV_FMU_STATE && u->exchange) {
        d->state[v->index] += seed;
        d->size = fmax(d->size, fabs(seed) / v->nominal);
    } else if (v->kind == CLV_FMU_INPUT) {
        d->input[reference] += seed;
        d->size = fmax(d->size, fabs(seed) / fmax(1, fabs(u->value[reference])));
    } else if (v->kind == CLV_FMU_TIME && u->exchange) {
        d->time += seed;
        d->size = fmax(d->size, fabs(seed));
    } else {
        return unit_fail(u, "%s: '%.100s' is neither an input nor a state", function, v->name);
    }
    return UNIT_OK;
}

static unit_status open_direction(direction *d)
{
    const unit *u = d->u;
    const size_t n = (size_t)u->nstate, all = (size_t)u->table.n, rows = d->nunknown;
    d->block = clv_alloc(4 * n + all + (POINTS + 1) * rows + 1, sizeof(double));
    if (!d->block)
        return unit_fail(u, "out of memory");
    d->state = d->block, d->y0 = d->state + n, d->y = d->y0 + n, d->rate = d->y + n, d->input = d->rate + n;
    d->sample = d->input + all, d->error = d->sample + POINTS * rows;
    return UNIT_OK;
}

/* ---------------------------------------------------------------- samples */

static void put_inputs(const direction *d, double h)
{
    const unit *u = d->u;
    for (int i = 0; i < u->table.n; i++)
        if (u->table.variable[i].kind == CLV_FMU_INPUT)
            clv_exchange_put_input(u->sim, u->table.variable[i].index, u->value[i] + h * d->input[i]);
}

/* state, time and inputs of the unit, h along the direction */
static void place(const direction *d, double h)
{
    unit *u = d->u;
    for (int i = 0; i < u->nstate; i++)
        d->y[i] = d->y0[i] + h * d->state[i];
    clv_exchange_put(u->sim, d->now + h * d->time, u->exchange ? d->y : NULL);
    put_inputs(d, h);
    u->fresh = u->rated = u->shown = false;
}

static bool wants(const direction *d, clv_fmu_kind kind)
{
    for (size_t i = 0; i < d->nunknown; i++)
        if (d->u->table.variable[d->unknown[i]].kind == kind)
            return true;
    return false;
}

static unit_status sample(const direction *d, double h, double *to)
{
    unit *u = d->u;
    place(d, h);
    if (wants(d, CLV_FMU_RATE) && clv_exchange_rates(u->sim, d->rate) != CLV_OK)
        return unit_fail_with(u, clv_sim_error(u->sim));
    if (wants(d, CLV_FMU_OUTPUT)) {
        if (u->exchange && clv_exchange_show(u->sim) != CLV_OK)
            return unit_fail_with(u, clv_sim_error(u->sim));
        clv_columns_fill(u->table.columns.column, u->table.columns.n, u->sim, u->frame);
    }
    for (size_t i = 0; i < d->nunknown; i++) {
        const clv_fmu_variable *v = &u->table.variable[d->unknown[i]];
        to[i] = v->kind == CLV_FMU_RATE ? d->rate[v->index] : u->frame[v->index];
    }
    return UNIT_OK;
}

/* the state as it was */
static void restore(const direction *d)
{
    unit *u = d->u;
    clv_exchange_put(u->sim, d->now, u->exchange ? d->y0 : NULL);
    put_inputs(d, 0);
    u->fresh = u->rated = u->shown = false;
}

/* ---------------------------------------------------------------- derivatives */

/* differences over h into `to`, where their estimated error is the least so far */
static void take_differences(const direction *d, double h, double *to)
{
    const size_t n = d->nunknown;
    for (size_t i = 0; i < n; i++) {
        const double *p = d->sample + i;
        const double one = p[0] - p[n], two = p[2 * n] - p[3 * n], three = p[4 * n] - p[5 * n];
        const double sixth = (45 * one - 9 * two + three) / (60 * h), fourth = (8 * one - two) / (12 * h);
        const double error = fabs(sixth - fourth) + 4 * 2.2e-16 * (fabs(p[0]) + fabs(p[n])) / h;
        if (error < d->error[i])
            d->error[i] = error, to[i] = sixth;
    }
}

static unit_status differentiate(direction *d, double *to)
{
    static const double length[LENGTHS] = {3e-2, 3e-3, 1e-4};
    unit_status status = UNIT_OK;
    d->now = clv_sim_time(d->u->sim);
    if (d->u->exchange)
        memcpy(d->y0, clv_exchange_get(d->u->sim), (size_t)d->u->nstate * sizeof(double));
    for (size_t i = 0; i < d->nunknown; i++)
        to[i] = 0, d->error[i] = INFINITY;
    for (int k = 0; k < LENGTHS && status == UNIT_OK && d->size > 0; k++) {
        const double h = length[k] / d->size;
        for (int i = 0; i < POINTS && status == UNIT_OK; i++)
            status = sample(d, h * (1 + i / 2) * (i % 2 ? -1 : 1), d->sample + (size_t)i * d->nunknown);
        if (status == UNIT_OK)
            take_differences(d, h, to);
    }
    restore(d);
    for (size_t i = 0; i < d->nunknown && status == UNIT_OK; i++)
        if (!isfinite(to[i]))
            status = unit_fail(d->u, "the derivative of '%.100s' cannot be computed at %.9g s",
                               d->u->table.variable[d->unknown[i]].name, d->u->time);
    return status;
}

unit_status unit_directional(unit *u, const unsigned *unknown, size_t nunknown, const unsigned *known, size_t nknown,
                             const double *seed, double *to, const char *function)
{
    direction d = {.u = u, .unknown = unknown, .nunknown = nunknown};
    if ((nunknown > 0 && (!unknown || !to)) || (nknown > 0 && (!known || !seed)))
        return unit_fail(u, "%s: a pointer is NULL", function);
    unit_status status = take_unknowns(&d, function);
    if (status == UNIT_OK)
        status = unit_make(u);
    if (status == UNIT_OK)
        status = open_direction(&d);
    for (size_t i = 0; i < nknown && status == UNIT_OK; i++)
        status = take_known(&d, known[i], seed[i], function);
    if (status == UNIT_OK && nunknown > 0)
        status = differentiate(&d, to);
    clv_free(d.block);
    return status;
}

unit_status unit_adjoint(unit *u, const unsigned *unknown, size_t nunknown, const unsigned *known, size_t nknown,
                         const double *seed, double *to, const char *function)
{
    static const double one = 1;
    if ((nunknown > 0 && (!unknown || !seed)) || (nknown > 0 && (!known || !to)))
        return unit_fail(u, "%s: a pointer is NULL", function);
    double *column = clv_alloc(nunknown + 1, sizeof *column);
    unit_status status = column ? UNIT_OK : unit_fail(u, "out of memory");
    for (size_t k = 0; k < nknown && status == UNIT_OK; k++) {
        status = unit_directional(u, unknown, nunknown, &known[k], 1, &one, column, function);
        to[k] = 0;
        for (size_t i = 0; i < nunknown && status == UNIT_OK; i++)
            to[k] += seed[i] * column[i];
    }
    clv_free(column);
    return status;
}
