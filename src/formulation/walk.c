/* SPDX-License-Identifier: Apache-2.0
 * Rate evaluations in lanes (T43): what hdca and dca do with groups of strands on the way up and on the way down.
 *
 *   hdca  turn | scan | pose, factor, solve with p | nodes | velocities, sums | scan | rates of momenta     T9, T10
 *   dca   turn | scan | pose, velocity terms, factor, solve | nodes | accelerations                         T12 */
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
        w->kernels->turn(w, g, moving);
    clv_rows_scan(w, &s->kin, y, moving ? y + s->plan->nq : NULL);
}

/* drives (nu) of all joints into the right-hand side */
static void drive(clv_system *s, const double *tau)
{
    clv_rows_take_free(&s->rows, tau, s->engine.tau);
    clv_rows_drive(&s->rows, &s->kin, tau);
}

/* right-hand sides of the joints between strands: D^T c */
static void edge_rows(clv_system *s, const double *c)
{
    const clv_plan *p = s->plan;
    clv_engine *e = &s->engine;
    for (int k = 0; k < p->nedge; k++)
        for (int j = 0; j < p->edge[k].m; j++)
            e->a[p->edge[k].row + j] =
                c ? clv_dot6(e->block + p->edge[k].block[0] + 6 * j, c + 6 * (size_t)p->edge[k].tree_body) : 0.0;
}

/* factor and solve; the right-hand sides are in the rows */
static bool solve(clv_system *s, const double *c)
{
    const clv_plan *p = s->plan;
    clv_engine *e = &s->engine;
    clv_factor_begin(e);
    e->stalled = e->loose = false, e->loose_body = -1;
    for (int g = 0; g < p->ngroup; g++) {
        s->rows.kernels->pose(&s->rows, g);
        if (c)
            s->rows.kernels->velocity_terms(&s->rows, g, s->model->gravity);
        s->rows.kernels->up(&s->rows, g, c != NULL);
        if (!clv_rows_finish(&s->rows, g))
            return false;
    }
    edge_rows(s, c);
    for (int k = 0; k < p->npart; k++) {
        if (!clv_factor_part(e, k))
            return false;
        clv_solve_part_up(e, k);
    }
    s->truncated = e->truncated, e->partial = true;
    for (int k = p->npart - 1; k >= 0; k--)
        clv_solve_part_down(e, k);
    clv_rows_close(&s->rows, &s->kin, c);
    for (int g = p->ngroup - 1; g >= 0; g--) {
        for (int l = 0; l < p->group[g].nstrand; l++)
            if (p->strand[p->group[g].strand[l]].base == CLV_BASE_FOLD)
                clv_solve_start(e, p->group[g].strand[l]);
        s->rows.kernels->down(&s->rows, g, c != NULL);
    }
    return true;
}

/* loads that act on few bodies, at the velocities of the border and the rates u (nu): into rows and tau */
static bool loads(clv_system *s, const double *y, const double *u)
{
    const clv_plan *p = s->plan;
    s->power = 0, s->opaque = false;
    memset(s->tau, 0, (size_t)p->nu * sizeof(double));
    if (!clv_system_joint_loads(s))
        return true;
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

/* qdot (nq) of the rates u (nu) */
static void coordinate_rates(const clv_system *s, const double *q, const double *u, double *qdot)
{
    const clv_plan *p = s->plan;
    for (int i = 0; i < p->nrow * CLV_GROUP; i++)
        if (s->rows.coordinate[i] >= 0)
            qdot[s->rows.coordinate[i]] = u[s->rows.rate[i]];
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
    const clv_plan *p = s->plan;
    clv_engine *e = &s->engine;
    start(s, t, y, false);
    clv_rows_clear(&s->rows);
    drive(s, y + p->nq);
    if (!solve(s, NULL))
        return false;
    clv_rows_give_free(&s->rows, e->u, s->u);
    clv_rows_outer(&s->rows, &s->kin, NULL, s->kin.V, s->u);
    memcpy(s->sigma, e->sigma, (size_t)p->nsigma * sizeof(double));
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
    for (int g = 0; g < p->ngroup; g++)
        w->kernels->sum(w, g);
    outer_rates(s, s->u);
    clv_rows_clear(w);
    if (!loads(s, y, s->u))
        return false;
    clv_rows_collect(w, &s->kin, s->model->gravity);
    for (int g = 0; g < p->ngroup; g++)
        w->kernels->momentum(w, g, s->model->gravity);
    coordinate_rates(s, y, s->u, ydot);
    clv_rows_give(w, w->rate, w->pdot, pdot);
    outer_momenta(s, pdot);
    for (int i = 0; i < p->nu; i++)
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
    drive(s, s->tau);
    if (!solve(s, s->c))
        return false;
    clv_rows_give_free(w, s->engine.u, s->ud);
    clv_rows_outer(w, &s->kin, s->c, s->x, s->ud);
    memcpy(s->lambda, s->engine.sigma, (size_t)p->nsigma * sizeof(double));
    memcpy(s->u, u, (size_t)p->nu * sizeof(double));
    coordinate_rates(s, y, u, ydot);
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
    view_motion(s, y);
    clv_kinematics_rates(&s->kin);
    clv_system_loads(s);
    for (int b = 0; b < p->nbody; b++)
        for (int i = 0; i < 6; i++)
            s->x[6 * b + i] = s->engine.x[(p->slot[b] / CLV_GROUP * 6 + i) * CLV_GROUP + p->slot[b] % CLV_GROUP];
}
