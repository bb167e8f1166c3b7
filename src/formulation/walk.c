/* SPDX-License-Identifier: Apache-2.0
 * Rate evaluations in lanes (T43): what hdca and dca do with groups of strands on the way up and on the way down.
 *
 *   hdca  pose | scan | up: factor, solve with p | fold, unfold | down: velocities | collect | momentum      T9, T10
 *   dca   pose | scan | velocity terms, up | fold, unfold | down: accelerations                               T12 */
#include <string.h>
#include "engine/base_block.h"
#include "formulation/momentum_axes.h"
#include "formulation/walk.h"
#include "kinematics/row_kernels.h"
#include "math/rotation.h"
#include "math/spatial.h"

static bool fits(const clv_system *s)
{
    return s->rows.fit && !s->summed && !(s->controls && s->controls->njoint + s->controls->nbody > 0);
}

/* does the state hold momenta along other directions than those of the joints (T9.4)? */
static bool turned(const clv_system *s)
{
    const clv_momentum_axes *x = s->private_state;
    return x && x->count > 0 && !s->joint_momenta;
}

/* bases that hang on no joint of their strand, k-th strand; -1: it has none */
static int floating_base(const clv_plan *p, int strand)
{
    return p->strand[strand].base == CLV_BASE_FREE ? p->bodies[p->strand[strand].first] : -1;
}

static void start(clv_system *s, double t, const double *y, bool moving)
{
    clv_rows *w = &s->rows;
    s->kin.time = t;
    clv_rows_take(w, w->coordinate, y, w->q);
    if (moving)
        clv_rows_take(w, w->rate, y + s->plan->nq, w->u);
    for (int g = 0; g < s->plan->ngroup; g++)
        w->kernels->pose(w, g, moving);
    clv_rows_scan(w, &s->kin, y, moving ? y + s->plan->nq : NULL, s->model->gravity);
}

/* Factor and solve with drives tau (nu) and, unless c is NULL, velocity terms and the biases c of joints between
 * strands; loads are in the rows.  The unknowns go to u (nu), motions of the border to x (nbody x 6). */
static bool solve(clv_system *s, const double *tau, const double *c, double *u, double *x)
{
    const clv_plan *p = s->plan;
    clv_rows *w = &s->rows;
    clv_engine *e = &s->engine;
    clv_factor_begin(e);
    e->stalled = e->loose = false, e->loose_body = -1;
    s->truncated = 0, e->partial = true;
    clv_rows_take(w, w->rate, tau, w->tau);
    clv_rows_drive(w, &s->kin, tau);
    for (int g = 0; g < p->ngroup; g++) {
        if (c)
            w->kernels->velocity_terms(w, g);
        w->kernels->up(w, g, c != NULL);
        if (!clv_rows_finish(w, g))
            return false;
    }
    if (!clv_rows_fold(w, &s->kin, tau, c))
        return false;
    clv_rows_unfold(w, c != NULL, u);
    for (int g = p->ngroup - 1; g >= 0; g--) {
        clv_rows_start_folded(w, g);
        w->kernels->down(w, g, c != NULL);
    }
    clv_rows_outer(w, &s->kin, c, x, u);
    return true;
}

/* loads that act on few bodies, at the velocities of the border and the rates u (nu): into rows and tau */
static bool loads(clv_system *s, const double *y, const double *u)
{
    const clv_plan *p = s->plan;
    s->power = 0, s->opaque = false;
    if (!clv_system_joint_loads(s))
        return true;
    memset(s->tau, 0, (size_t)p->nu * sizeof(double));
    for (int b = 0; b < p->nbody; b++) {
        const clv_tree_joint *t = &p->tree[b];
        if (t->joint >= 0) {
            memcpy(s->joint_q + 7 * (size_t)t->joint, y + t->iq, (size_t)t->nq * sizeof(double));
            memcpy(s->joint_u + 6 * (size_t)t->joint, u + t->iu, (size_t)t->nu * sizeof(double));
        }
        if (s->rows.mark[b] & CLV_ROWS_LOADED) {
            double l[3];
            clv_sub3(l, s->kin.com + 3 * (size_t)b, s->kin.ref + 3 * (size_t)b);
            clv_motion_shift(s->com_V + 6 * (size_t)b, l, s->kin.V + 6 * (size_t)b);
            memset(s->wrench + 6 * (size_t)b, 0, 6 * sizeof(double));
        }
    }
    clv_system_load_frame(s);
    clv_loads_given(&s->loads);
    if (s->loads.failed >= 0)
        return false;
    s->power = s->loads.power;
    for (int b = 0; b < p->nbody; b++) {
        const clv_tree_joint *t = &p->tree[b];
        for (int c = 0; t->joint >= 0 && c < t->f; c++)
            s->tau[t->iu + c] = s->joint_tau[6 * (size_t)t->joint + (size_t)c];
        if (s->rows.mark[b] & CLV_ROWS_LOADED) {
            double l[3], W[6];
            clv_sub3(l, s->kin.com + 3 * (size_t)b, s->kin.ref + 3 * (size_t)b);
            clv_wrench_shift(W, l, s->wrench + 6 * (size_t)b);
            clv_rows_attach(&s->rows, s->rows.Q, b, W);
        }
    }
    return true;
}

/* qdot (nq) of the joints between strands, rates u (nu) */
static void outer_coordinates(const clv_system *s, const double *q, const double *u, double *qdot)
{
    const clv_plan *p = s->plan;
    for (int k = 0; k < p->nstrand; k++) {
        const int b = floating_base(p, k);
        if (b >= 0)
            clv_joint_qdot(p->tree[b].kind, q + p->tree[b].iq, u + p->tree[b].iu, qdot + p->tree[b].iq);
    }
}

/* derivatives of the directions of joints between strands; V of the border and their rates u (nu) are there */
static void outer_rates(clv_system *s, const double *u)
{
    for (int k = 0; k < s->plan->nstrand; k++) {
        const int b = floating_base(s->plan, k);
        if (b < 0)
            continue;
        memcpy(s->kin.u + 6 * (size_t)b, u + s->plan->tree[b].iu, (size_t)s->plan->tree[b].nu * sizeof(double));
        clv_kinematics_body_rates(&s->kin, b);
    }
}

/* ------------------------------------------------------------------ hdca */

static bool velocities(clv_system *s, double t, const double *y)
{
    start(s, t, y, false);
    clv_rows_clear(&s->rows);
    if (!solve(s, y + s->plan->nq, NULL, s->u, s->kin.V))
        return false;
    s->rates_due = s->lean && !clv_system_joint_loads(s);
    if (!s->rates_due)
        clv_rows_give(&s->rows, s->rows.rate, s->rows.rates, s->u);
    return true;
}

/* rates of the momenta of joints between strands (T10) */
static void outer_momenta(const clv_system *s, double *pdot)
{
    const clv_plan *p = s->plan;
    for (int k = 0; k < p->nstrand; k++) {
        const int b = floating_base(p, k);
        double P[6], Q[6];
        if (b < 0)
            continue;
        clv_rows_base_sums(&s->rows, k, P, Q);
        for (int c = 0; c < p->tree[b].f; c++) {
            const size_t at = clv_columns(p, (size_t)b) + 6 * (size_t)c;
            pdot[p->tree[b].iu + c] =
                clv_momentum_rate(s->kin.H + at, s->kin.Hd + at, s->kin.V + 6 * (size_t)b, Q, P);
        }
    }
}

bool clv_walk_hdca(clv_system *s, double t, const double *y, double *ydot)
{
    const clv_plan *p = s->plan;
    clv_rows *w = &s->rows;
    double *pdot = ydot + p->nq;
    if (!fits(s) || turned(s) || !velocities(s, t, y))
        return false;
    outer_rates(s, s->u);
    clv_rows_clear(w);
    if (!loads(s, y, s->u))
        return false;
    clv_rows_collect(w, &s->kin);
    for (int g = 0; g < p->ngroup; g++)
        w->kernels->momentum(w, g);
    clv_rows_give(w, w->coordinate, w->rates, ydot);
    outer_coordinates(s, y, s->u, ydot);
    clv_rows_give(w, w->rate, w->pdot, pdot);
    outer_momenta(s, pdot);
    for (int i = 0; clv_system_joint_loads(s) && i < p->nu; i++)
        pdot[i] += s->tau[i];
    ydot[p->nq + p->nu] = s->power;
    return true;
}

/* ------------------------------------------------------------------ dca */

bool clv_walk_dca(clv_system *s, double t, const double *y, double *ydot)
{
    const clv_plan *p = s->plan;
    clv_rows *w = &s->rows;
    const double *u = y + p->nq;
    if (!fits(s))
        return false;
    start(s, t, y, true);
    outer_rates(s, u);
    clv_rows_clear(w);
    if (!loads(s, y, u))
        return false;
    for (int k = 0; k < p->nstrand; k++)
        if (floating_base(p, k) >= 0)
            clv_kinematics_body_bias(&s->kin, floating_base(p, k), s->c + 6 * (size_t)floating_base(p, k));
    if (!solve(s, s->tau, s->c, s->ud, s->x))
        return false;
    clv_rows_give(w, w->rate, w->rates, s->ud);
    memcpy(s->u, u, (size_t)p->nu * sizeof(double));
    s->rates_due = false;
    clv_rows_give(w, w->coordinate, w->u, ydot);
    outer_coordinates(s, y, u, ydot);
    memcpy(ydot + p->nq, s->ud, (size_t)p->nu * sizeof(double));
    ydot[p->nq + p->nu] = s->power;
    return true;
}

/* ------------------------------------------------------------------ model order */

static void view_motion(clv_system *s, const double *y)
{
    s->kin.apart = true;
    clv_kinematics_poses(&s->kin, s->kin.time, y);
    clv_kinematics_fill(&s->kin);
    s->kin.apart = false;
    clv_kinematics_velocities(&s->kin, s->u);
}

bool clv_walk_velocities(clv_system *s, double t, const double *y)
{
    if (!fits(s) || turned(s) || !velocities(s, t, y))
        return false;
    view_motion(s, y);
    return true;
}

void clv_walk_view(clv_system *s, const double *y)
{
    const clv_plan *p = s->plan;
    if (s->rates_due)
        clv_rows_give(&s->rows, s->rows.rate, s->rows.rates, s->u);
    s->rates_due = false;
    view_motion(s, y);
    clv_kinematics_rates(&s->kin);
    clv_system_loads(s);
    for (int b = 0; b < p->nbody; b++)
        clv_rows_motion(&s->rows, b, s->x + 6 * (size_t)b);
}
