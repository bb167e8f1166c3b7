/* SPDX-License-Identifier: Apache-2.0
 * aldca in rows; see aldca_rows.h.  The iterates are those of aldca.c and aldca_closing.c: an elimination in another
 * order (T24.1).  An iteration repeats the ways of the vectors alone. */
#include "formulation/aldca_rows.h"
#include "formulation/walk_steps.h"
#include "math/rotation.h"
#include <math.h>
#include <string.h>

enum { IN_ROWS = -1 }; /* number of a factor that the engine of the absolute plan does not have */

static clv_multiplier *penalties_of(clv_system *s) { return &((clv_aldca *)s->private_state)->m; }

void clv_aldca_rows_options(clv_system *s)
{
    const clv_multiplier *m = penalties_of(s);
    clv_row_bodies_options(s->bodies, m->alpha, m->absolute, s->gain);
}

clv_status clv_aldca_rows_place(clv_system *s, double t, const double *q)
{
    clv_multiplier *m = penalties_of(s);
    clv_row_bodies *r = s->bodies;
    const size_t bytes = (size_t)s->plan->nq * sizeof(double);
    clv_engine *made = &r->c.engine;
    const bool there = m->t == t && m->factor == IN_ROWS && memcmp(m->q, q, bytes) == 0;
    s->truncated = 0, s->kin.time = t;
    if (there && r->posed == s->kin.posed)
        return CLV_OK;
    for (int i = 0; i < s->plan->nq; i++)
        if (!isfinite(q[i]))
            return clv_system_pose(s, t, q); /* names the coordinate */
    if (there) {
        clv_row_bodies_refresh(r, t);
        r->posed = s->kin.posed;
        return CLV_OK;
    }
    m->t = NAN;
    made->redundant = s->engine.redundant, made->strong = s->engine.strong; /* contradicting rows (T40.8) */
    clv_row_bodies_pose(r, t, q);
    const clv_status st = clv_row_bodies_factor(r, m->alpha);
    s->engine.factors++, s->engine.partial = true;
    s->engine.min_pivot = made->min_pivot, s->engine.weakest = made->weakest, s->engine.max_dropped = made->max_dropped;
    if (st != CLV_OK)
        return st;
    m->t = t, m->factor = IN_ROWS, r->posed = s->kin.posed;
    memcpy(m->q, q, bytes);
    return CLV_OK;
}

double clv_aldca_rows_largest(const clv_row_bodies *r)
{
    const double shift = clv_row_bodies_most(r, CLV_SHOWN_SHIFT), turn = clv_row_bodies_most(r, CLV_SHOWN_TURN);
    return shift > turn || isnan(shift) ? shift : turn;
}

void clv_aldca_rows_conjugate(clv_system *s, bool velocities, clv_stage *stage, double tolerance, int limit)
{
    const double lost = clv_multiplier_lost(s, penalties_of(s));
    if (velocities)
        clv_row_bodies_slip(s->bodies);
    else
        clv_row_bodies_miss(s->bodies);
    const clv_row_ending e = clv_row_bodies_conjugate(s->bodies, velocities, lost, tolerance, limit);
    stage->iterations += e.iterations, stage->change = e.change;
    stage->limited = e.limited, stage->stalled = e.stalled;
}

/* ------------------------------------------------------------------ accelerations */

static clv_status iterate(clv_system *s)
{
    const clv_aldca *d = s->private_state;
    clv_row_bodies *r = s->bodies;
    clv_stage *stage = &s->stage[CLV_STAGE_ACCELERATION];
    const double eps = d->eps[CLV_STAGE_ACCELERATION];
    *stage = (clv_stage){0};
    clv_row_bodies_start(r);
    clv_compliant_pass(&r->c, true);
    clv_row_bodies_add(r, false);
    double size = clv_row_bodies_most(r, CLV_SHOWN_SIZE), change = size, before = INFINITY;
    while (s->plan->nclosing_row > 0 && clv_multiplier_goes_on(stage, change, eps * fmax(1, size), d->limit)) {
        if (clv_aldca_insists(s) && clv_multiplier_slow(stage, before, change)) {
            clv_aldca_rows_conjugate(s, false, stage, eps * fmax(1, size), d->limit);
            break;
        }
        clv_row_bodies_miss(r);
        clv_compliant_pass(&r->c, false);
        clv_row_bodies_add(r, false);
        size = clv_row_bodies_most(r, CLV_SHOWN_SIZE), before = change;
        change = clv_aldca_rows_largest(r);
    }
    return CLV_OK;
}

/* motions at u, with the loads; with gains or without */
static clv_status move(clv_system *s, double t, const double *q, const double *u, bool damped)
{
    const bool loaded = clv_walk_loaded(s);
    s->power = 0, s->opaque = false;
    if (loaded) {
        clv_status st = clv_system_pose(s, t, q);
        if (st != CLV_OK)
            return st;
        clv_kinematics_velocities(&s->kin, u);
        st = clv_system_loads(s);
        if (st != CLV_OK)
            return st;
        s->bodies->posed = s->kin.posed; /* the same poses */
    }
    clv_row_bodies_move(s->bodies, u, loaded ? s->Q : NULL,
                        damped && s->bodies->damped ? (const double *const *)s->gain : NULL);
    return CLV_OK;
}

/* solution in model order */
static void give(clv_system *s)
{
    const clv_plan *p = s->plan;
    clv_row_bodies *r = s->bodies;
    for (int b = 0; b < p->nbody; b++) {
        const double *x = clv_row_bodies_slot(r, r->x, 6, b), *R = clv_row_bodies_slot(r, r->R, 9, b);
        double *ud = s->ud + p->tree[b].iu, axes[9];
        clv_row_get(x, 6, s->x + 6 * (size_t)b), clv_row_get(R, 9, axes);
        clv_copy3(ud, s->x + 6 * (size_t)b);
        clv_mat3_transpose_times(ud + 3, axes, s->x + 6 * (size_t)b + 3);
    }
    clv_row_bodies_multipliers(r, s->lambda);
}

clv_status clv_aldca_rows_rates(clv_system *s, double t, const double *y, double *ydot)
{
    const clv_plan *p = s->plan;
    clv_status st = clv_aldca_rows_place(s, t, y);
    if (st == CLV_OK)
        st = move(s, t, y, y + p->nq, true);
    if (st == CLV_OK)
        st = iterate(s);
    if (st != CLV_OK)
        return st;
    if (s->model->nmotion > 0) {
        clv_row_bodies_multipliers(s->bodies, s->lambda);
        clv_system_motion_power(s);
    }
    clv_row_bodies_give(s->bodies, NULL, NULL, ydot);
    ydot[p->nq + p->nu] = s->power;
    memcpy(s->u, y + p->nq, (size_t)p->nu * sizeof(double));
    s->walked = s->lean;
    if (!s->lean)
        clv_aldca_rows_view(s, y);
    return CLV_OK;
}

clv_status clv_aldca_rows_accelerate(clv_system *s)
{
    const double power = s->power;
    const clv_multiplier *m = penalties_of(s); /* rates have left their place there */
    if (m->factor != IN_ROWS || isnan(m->t))
        return CLV_ERR_SINGULAR;
    clv_status st = move(s, m->t, m->q, s->u, false);
    if (st == CLV_OK)
        st = iterate(s);
    if (st == CLV_OK)
        give(s);
    s->power = power;
    return st;
}

void clv_aldca_rows_view(clv_system *s, const double *y)
{
    const double power = s->power;
    clv_kinematics_poses(&s->kin, s->kin.time, y);
    clv_kinematics_fill(&s->kin);
    clv_kinematics_velocities(&s->kin, y + s->plan->nq);
    clv_kinematics_rates(&s->kin);
    (void)clv_system_loads(s); /* it could be evaluated */
    s->power = power;
    s->bodies->posed = s->kin.posed;
    give(s);
}

bool clv_aldca_rows_energies(const clv_system *s, clv_energies *e)
{
    if (!s->walked || clv_walk_loaded(s))
        return false;
    *e = (clv_energies){clv_row_bodies_sum(s->bodies, CLV_SHOWN_KINETIC),
                        clv_row_bodies_sum(s->bodies, CLV_SHOWN_POTENTIAL),
                        clv_row_bodies_sum(s->bodies, CLV_SHOWN_SQUARES)};
    return true;
}
