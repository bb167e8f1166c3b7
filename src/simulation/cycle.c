/* SPDX-License-Identifier: Apache-2.0
 * One step of a cycle of the branch method alone, for timing (T28): what the JSC paper's tables I and III tell of. */
#include "base/error.h"
#include "kinematics/deform.h"
#include "simulation/cycle.h"
#include "simulation/sim.h"
#include <math.h>
#include <string.h>

/* parts below this number belong to branches, the others close connections */
static int first_joining(const clv_plan *p)
{
    int n = 0;
    for (int k = 0; k < p->nsection; k++)
        n = p->section[k].part >= n ? p->section[k].part + 1 : n;
    return n;
}

/* branch of a part: that of a body in it */
static int branch_of(const clv_plan *p, int part)
{
    const clv_part *q = &p->part[part];
    while (clv_part_is_node(q))
        q = &p->part[q->child[0]];
    return p->section_of[q->strand >= 0 ? p->bodies[p->strand[q->strand].first] : p->star[q->star].frame];
}

static bool group_in(const clv_plan *p, int g, int branch)
{
    return p->section_of[p->bodies[p->strand[p->group[g].strand[0]].first]] == branch;
}
static bool star_in(const clv_plan *p, int k, int branch)
{
    return p->section_of[p->star[k].frame] == branch;
}

static bool factor_branch(clv_system *s, int branch, int parts)
{
    const clv_plan *p = s->plan;
    clv_engine *e = &s->engine;
    bool ok = true;
    for (int b = 0; b < p->nbody; b++) {
        if (p->section_of[b] != branch)
            continue;
        const clv_edge *edge = p->tree[b].edge < 0 ? NULL : &p->edge[p->tree[b].edge];
        for (int h = 0; edge && h < edge->nhandle; h++) /* fill adds to them */
            memset(e->block + edge->block[h], 0, 6 * (size_t)edge->m * sizeof(double));
        clv_kinematics_fill_body(&s->kin, b);
    }
    for (int k = 0; k < p->nstar; k++)
        if (star_in(p, k, branch))
            clv_deform_fill(&s->kin, k);
    for (int g = 0; ok && g < p->ngroup; g++)
        ok = !group_in(p, g, branch) || clv_factor_group(e, g);
    for (int k = 0; ok && k < p->nstar; k++)
        ok = !star_in(p, k, branch) || clv_star_factor(e, k);
    for (int k = 0; ok && k < parts; k++)
        ok = branch_of(p, k) != branch || clv_factor_part(e, k);
    return ok;
}

static void sweep_branch(clv_system *s, int branch, int parts)
{
    const clv_plan *p = s->plan;
    clv_engine *e = &s->engine;
    for (int g = 0; g < p->ngroup; g++)
        if (group_in(p, g, branch))
            clv_solve_group_up(e, g);
    for (int k = 0; k < p->nstar; k++)
        if (star_in(p, k, branch))
            clv_star_up(e, k, s->force, s->c);
    for (int k = 0; k < parts; k++)
        if (branch_of(p, k) == branch)
            clv_solve_part_up(e, k);
    for (int k = parts - 1; k >= 0; k--)
        if (branch_of(p, k) == branch)
            clv_solve_part_down(e, k);
    for (int k = 0; k < p->nstar; k++)
        if (star_in(p, k, branch))
            clv_star_down(e, k, s->c, s->x, s->ud);
    for (int g = p->ngroup - 1; g >= 0; g--)
        if (group_in(p, g, branch))
            clv_solve_group_down(e, g);
}

static clv_status cycle(clv_sim *s, clv_cycle_step step, int branch)
{
    const clv_plan *p = s->plan;
    clv_engine *e = &s->system.engine;
    bool ok = true;
    if (!p->nsection || !s->apart)
        return clv_fail(&s->error, CLV_ERR_USAGE, "steps of a cycle need formulation connection, created apart");
    if (step == CLV_CYCLE_BRANCH && (branch < 0 || branch >= p->nsection))
        return clv_fail(&s->error, CLV_ERR_USAGE, "there is no branch %d; the model has %d", branch, p->nsection);
    const int parts = first_joining(p);
    s->seen_t = NAN;
    if (step == CLV_CYCLE_BRANCH) {
        ok = factor_branch(&s->system, branch, parts);
        if (ok)
            sweep_branch(&s->system, branch, parts);
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
    st = s->formulation->rates(&s->system, s->integrator.t, s->integrator.y, s->ydot);
    s->system.lean = false;
    return clv_sim_leave(s, st);
}
