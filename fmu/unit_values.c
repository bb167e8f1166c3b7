/* SPDX-License-Identifier: Apache-2.0
 * Reading and setting variables; see unit.h.  Outputs are computed when they are first read at a state. */
#include "fmu/unit.h"
#include "simulation/exchange.h"
#include <math.h>

void unit_start_values(unit *u)
{
    for (int i = 0; i < u->table.n; i++)
        u->value[i] = u->origin[i] = u->table.variable[i].start, u->given[i] = false;
}

/* ---------------------------------------------------------------- reading */

static unit_status find_outputs(unit *u)
{
    const unit_status status = u->sim ? UNIT_OK : unit_make(u);
    if (status != UNIT_OK || u->fresh)
        return status;
    if (unit_show(u) != UNIT_OK)
        return UNIT_ERROR;
    clv_columns_fill(u->table.columns.column, u->table.columns.n, u->sim, u->frame);
    u->fresh = true;
    return UNIT_OK;
}

static unit_status get_one(unit *u, const clv_fmu_variable *v, double *to)
{
    unit_status status = UNIT_OK;
    switch (v->kind) {
    case CLV_FMU_TIME:
        *to = u->time;
        return UNIT_OK;
    case CLV_FMU_INPUT:
    case CLV_FMU_PARAMETER:
        *to = u->value[v - u->table.variable];
        return UNIT_OK;
    case CLV_FMU_DERIVED:
        status = u->mode == UNIT_NEW ? UNIT_OK : u->sim ? UNIT_OK : unit_make(u);
        *to = u->value[v - u->table.variable];
        return status;
    case CLV_FMU_OUTPUT:
        status = find_outputs(u);
        *to = u->frame[v->index];
        if (status == UNIT_OK && !isfinite(*to) && !v->comes)
            return unit_fail(u, "output '%.100s' cannot be computed at %.9g s", v->name, u->time);
        return status;
    case CLV_FMU_STATE:
        status = unit_make(u);
        if (status == UNIT_OK)
            *to = clv_exchange_get(u->sim)[v->index];
        return status;
    case CLV_FMU_RATE:
        status = unit_rate(u);
        *to = u->rate[v->index];
        return status;
    case CLV_FMU_INDICATOR:
        status = unit_get_indicators(u, u->indicator, (size_t)u->nindicator);
        *to = u->indicator[v->index];
        return status;
    }
    return UNIT_ERROR;
}

static bool is_computed(const clv_fmu_variable *v)
{
    return v->kind == CLV_FMU_OUTPUT || v->kind == CLV_FMU_STATE || v->kind == CLV_FMU_RATE ||
           v->kind == CLV_FMU_INDICATOR;
}

unit_status unit_get(unit *u, const unsigned *reference, size_t n, double *value, const char *function)
{
    unit_status status = unit_expect(u, UNIT_ANY, function);
    if (n > 0 && (!reference || !value))
        return unit_fail(u, "%s: a pointer is NULL", function);
    for (size_t i = 0; i < n && status == UNIT_OK; i++) {
        if (reference[i] >= (unsigned)u->table.n)
            return unit_fail(u, "%s: there is no variable with value reference %u", function, reference[i]);
        const clv_fmu_variable *v = &u->table.variable[reference[i]];
        if (is_computed(v) && u->mode == UNIT_NEW)
            return unit_fail(u, "%s: '%.100s' has no value before the initialization", function, v->name);
        status = get_one(u, v, &value[i]);
    }
    return status;
}

/* ---------------------------------------------------------------- setting */

static unit_status set_input(unit *u, int i, double x)
{
    const clv_fmu_variable *v = &u->table.variable[i];
    x = fmin(fmax(x, v->least), v->most); /* as clv_sim_set_input does */
    if (u->mode & (UNIT_NEW | UNIT_INITIALIZING)) {
        if (x != u->value[i])
            unit_unmake(u);
        u->origin[i] = x;
    } else if (clv_sim_set_input(u->sim, v->index, x) != CLV_OK)
        return unit_fail_with(u, clv_sim_error(u->sim));
    if (x != u->value[i])
        u->fresh = u->rated = false;
    u->value[i] = x, u->given[i] = true;
    return UNIT_OK;
}

static unit_status set_parameter(unit *u, int i, double x)
{
    const clv_fmu_variable *v = &u->table.variable[i];
    if (!(u->mode & (UNIT_NEW | UNIT_INITIALIZING)))
        return unit_fail(u, "parameter '%.100s' is fixed after the initialization", v->name);
    if (!(x >= v->least && x <= v->most))
        return unit_fail(u, "parameter '%.100s': %.9g is outside its range, %.9g to %.9g", v->name, x, v->least,
                         v->most);
    if (x != u->value[i]) {
        unit_unmake(u);
        u->value[i] = x, u->given[i] = true;
    }
    return UNIT_OK;
}

static unit_status set_one(unit *u, int i, double x, const char *function)
{
    const clv_fmu_variable *v = &u->table.variable[i];
    if (!isfinite(x))
        return unit_fail(u, "%s: '%.100s' was set to %g; it must be finite", function, v->name, x);
    if (v->kind == CLV_FMU_INPUT)
        return set_input(u, i, x);
    if (v->kind == CLV_FMU_PARAMETER)
        return set_parameter(u, i, x);
    return unit_fail(u, "%s: '%.100s' is %s and cannot be set", function, v->name,
                     v->kind == CLV_FMU_TIME      ? "the time"
                     : v->kind == CLV_FMU_DERIVED ? "computed from other parameters"
                     : v->kind == CLV_FMU_OUTPUT  ? "an output"
                     : v->kind == CLV_FMU_INDICATOR ? "an event indicator"
                                                    : "a state or derivative");
}

unit_status unit_set(unit *u, const unsigned *reference, size_t n, const double *value, const char *function)
{
    unit_status status = unit_expect(u, UNIT_NEW | UNIT_INITIALIZING | UNIT_STEPPING | UNIT_EVENT | UNIT_CONTINUOUS,
                                     function);
    if (status == UNIT_OK && n > 0 && (!reference || !value))
        return unit_fail(u, "%s: a pointer is NULL", function);
    for (size_t i = 0; i < n && status == UNIT_OK; i++) {
        if (reference[i] >= (unsigned)u->table.n)
            return unit_fail(u, "%s: there is no variable with value reference %u", function, reference[i]);
        status = set_one(u, (int)reference[i], value[i], function);
    }
    return status;
}
