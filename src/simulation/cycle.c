/* SPDX-License-Identifier: Apache-2.0
 * One step of a cycle of the branch method alone, for timing (T28): what the JSC paper's tables I and III contain. */
#include "base/error.h"
#include "kinematics/row_branch.h"
#include "simulation/cycle.h"
#include "simulation/sim.h"
#include <math.h>

/* parts below this number belong to branches, the others close connections */
static int first_joining(const clv_plan *p)
{
    int n = 0;
    for (int k = 0; k < p->nsection; k++)
        n = p->section[k].part >= n ? p->section[k].part + 1 : n;
    return n;
}

static clv_status cycle(clv_sim *s, clv_cycle_step step, int branch)
{
    const clv_plan *p = s->plan;
    clv_engine *e = &s->system.engine;
    clv_rows *w = &s->system.rows;
    bool ok = true;
    if (!p->nsection || !s->apart)
        return clv_fail(&s->error, CLV_ERR_USAGE, "steps of a cycle need formulation connection, created apart");
    if (step == CLV_CYCLE_BRANCH && (branch < 0 || branch >= p->nsection))
        return clv_fail(&s->error, CLV_ERR_USAGE, "there is no branch %d; the model has %d", branch, p->nsection);
    const int parts = first_joining(p);
    s->seen_t = NAN;
    if (step == CLV_CYCLE_BRANCH) {
        ok = clv_rows_factor_branch(w, branch, parts);
        if (ok)
            clv_rows_sweep_branch(w, branch, parts, s->system.force, s->system.c, s->system.ud);
    } else if (step == CLV_CYCLE_MATRIX) {
        if (p->connect)
            clv_connection_form(e);
    } else {
        for (int k = parts; ok && k < p->npart; k++)
            ok = clv_factor_part(e, k);
        for (int k = parts; ok && k < p->npart; k++)
            clv_solve_part_up(e, k);
        for (int k = p->npart - 1; ok && k >= parts; k--)
            clv_solve_part_down(e, k);
    }
    return ok ? CLV_OK : clv_fail(&s->error, CLV_ERR_SINGULAR, "a part of the mechanism is singular");
}

clv_status clv_sim_cycle_once(clv_sim *s, clv_cycle_step step, int branch)
{
    clv_status st = clv_sim_enter(s, __func__);
    return st == CLV_OK ? clv_sim_leave(s, cycle(s, step, branch)) : st;
}

clv_status clv_sim_rates_once(clv_sim *s)
{
    clv_status st = clv_sim_enter(s, __func__);
    if (st != CLV_OK)
        return st;
    s->seen_t = NAN;
    s->system.lean = true;
    st = clv_system_rates(&s->system, s->formulation, s->integrator.t, s->integrator.y, s->ydot);
    s->system.lean = false;
    return clv_sim_leave(s, st);
}
