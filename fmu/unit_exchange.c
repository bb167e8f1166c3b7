/* SPDX-License-Identifier: Apache-2.0
 * Model exchange (T67): the importer integrates the state of the simulation; see unit.h.  Loops are closed and momenta
 * re-gauged at events, which follow steps after which that is due.  Breaks of motions and tables are events at known
 * times.  Events of the model are found by event indicators, or by their time (T139). */
#include "fmu/unit.h"
#include "base/memory.h"
#include "simulation/exchange.h"
#include <math.h>
#include <string.h>

static unit_status check_count(const unit *u, const double *x, size_t n)
{
    if (n == (size_t)u->nstate && (x || n == 0))
        return UNIT_OK;
    return unit_fail(u, "there are %d states, not %zu, or their pointer is NULL", u->nstate, n);
}

/* The state has changed. */
static void forget(unit *u) { u->fresh = u->rated = u->shown = false; }

unit_status unit_set_time(unit *u, double time)
{
    if (!isfinite(time))
        return unit_fail(u, "the time %g s is not finite", time);
    if (time != u->time)
        forget(u);
    u->time = time;
    clv_exchange_put(u->sim, time, NULL);
    return UNIT_OK;
}

unit_status unit_set_states(unit *u, const double *x, size_t n)
{
    if (check_count(u, x, n) != UNIT_OK)
        return UNIT_ERROR;
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return unit_fail(u, "state number %zu was set to %g; it must be finite", i + 1, x[i]);
    forget(u);
    u->due = false;
    clv_exchange_put(u->sim, u->time, x);
    return UNIT_OK;
}

unit_status unit_get_states(unit *u, double *x, size_t n)
{
    if (check_count(u, x, n) != UNIT_OK)
        return UNIT_ERROR;
    memcpy(x, clv_exchange_get(u->sim), n * sizeof *x);
    return UNIT_OK;
}

unit_status unit_get_nominals(unit *u, double *x, size_t n)
{
    if (check_count(u, x, n) != UNIT_OK || unit_make(u) != UNIT_OK)
        return UNIT_ERROR;
    clv_exchange_state *state = clv_alloc(n + 1, sizeof *state);
    if (!state)
        return unit_fail(u, "out of memory");
    clv_exchange_describe(u->sim, state);
    for (size_t i = 0; i < n; i++)
        x[i] = state[i].nominal;
    clv_free(state);
    return UNIT_OK;
}

/* ---------------------------------------------------------------- what follows from the state */

/* The importer may try a smaller step. */
static unit_status discard(const unit *u)
{
    u->tell(u, UNIT_DISCARD, "logStatusDiscard", clv_sim_error(u->sim)->message);
    return UNIT_DISCARD;
}

unit_status unit_show(unit *u)
{
    if (u->shown || !u->exchange)
        return UNIT_OK;
    if (clv_exchange_show(u->sim) != CLV_OK)
        return discard(u);
    u->shown = true;
    return UNIT_OK;
}

unit_status unit_rate(unit *u)
{
    const unit_status status = u->rated ? UNIT_OK : unit_make(u);
    if (status != UNIT_OK || u->rated)
        return status;
    if (clv_exchange_rates(u->sim, u->rate) != CLV_OK)
        return discard(u);
    u->rated = true, u->shown = false;
    return UNIT_OK;
}

unit_status unit_get_rates(unit *u, double *x, size_t n)
{
    const unit_status status = check_count(u, x, n) == UNIT_OK ? unit_rate(u) : UNIT_ERROR;
    if (status == UNIT_OK)
        memcpy(x, u->rate, n * sizeof *x);
    return status;
}

unit_status unit_get_indicators(unit *u, double *x, size_t n)
{
    if (n != (size_t)u->nindicator || (!x && n > 0))
        return unit_fail(u, "there are %d event indicators, not %zu, or their pointer is NULL", u->nindicator, n);
    const unit_status status = unit_make(u);
    if (status != UNIT_OK || n == 0)
        return status;
    if (clv_exchange_indicate(u->sim, x) != CLV_OK)
        return discard(u);
    u->rated = u->shown = false;
    return UNIT_OK;
}

/* ---------------------------------------------------------------- events */

unit_status unit_complete(unit *u, bool *event)
{
    u->rated = u->shown = false;
    if (clv_exchange_complete(u->sim, u->closed, &u->due) != CLV_OK)
        return unit_fail_with(u, clv_sim_error(u->sim));
    *event = u->due;
    return UNIT_OK;
}

unit_status unit_update(unit *u, unit_event *event)
{
    clv_exchange_result result;
    *event = (unit_event){0};
    if (clv_exchange_cross(u->sim, u->due ? u->closed : NULL, &result) != CLV_OK)
        return unit_fail_with(u, clv_sim_error(u->sim));
    u->due = false;
    forget(u);
    event->values = result.changed, event->nominals = result.rebuilt, event->stopped = result.stopped;
    event->next = clv_exchange_break(u->sim), event->has_next = isfinite(event->next);
    return UNIT_OK;
}
