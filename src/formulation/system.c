/* SPDX-License-Identifier: Apache-2.0
 * What all formulations share: memory, poses and the factor. */
#include "formulation/system.h"
#include <math.h>
#include <string.h>
#include "base/error.h"
#include "formulation/direct_loads.h"
#include "model/sweep.h"

/* what loads look at in joints, and what they give there */
static void layout_joint_loads(clv_system *s, clv_arena *a)
{
    const int n = s->model->njoint;
    CLV_TAKE(a, s->joint_q, 7 * n), CLV_TAKE(a, s->joint_u, 6 * n), CLV_TAKE(a, s->joint_tau, 6 * n);
}

static void layout_sweeps(clv_system *s, clv_arena *a)
{
    CLV_TAKE(a, s->sweep, clv_touch_group_count(s->model));
    for (int i = 0, k = 0; i < s->model->nforce; i++) {
        clv_sweep one = {.pairs = 0};
        if (s->model->force[i].kind != CLV_FORCE_CONTACTS)
            continue;
        clv_sweep_layout(&one, s->model->force[i].group, a);
        if (s->sweep)
            s->sweep[k++] = one;
    }
}

bool clv_system_open_joint_loads(clv_system *s)
{
    clv_arena a = {0};
    if (s->joint_q)
        return true;
    layout_joint_loads(s, &a);
    if (!clv_arena_open(&a))
        return false;
    layout_joint_loads(s, &a);
    s->joint_block = a;
    return true;
}

void clv_system_end(clv_system *s)
{
    clv_arena_close(&s->joint_block);
    clv_rows_end(&s->rows);
    if (s->trials)
        clv_rows_end(&s->trials->rows);
    clv_engine_end(&s->engine);
}

void clv_system_layout(clv_system *s, const clv_model *m, const clv_plan *p, clv_arena *a)
{
    int n = p->nbody;
    s->model = m, s->plan = p;
    clv_engine_layout(&s->engine, p, a);
    clv_kinematics_layout(&s->kin, p, &s->engine, a);
    clv_rows_layout(&s->rows, p, &s->engine, a);
    CLV_TAKE(a, s->com_V, 6 * n), CLV_TAKE(a, s->Q, 6 * n);
    if (m->nforce > 0 || m->ninput > 0 || m->nmotion > 0 || p->nstar > 0)
        layout_joint_loads(s, a), clv_direct_loads_layout(s, a);
    layout_sweeps(s, a);
    CLV_TAKE(a, s->force, p->nu), CLV_TAKE(a, s->modal, p->nmode);
    CLV_TAKE(a, s->tau, p->nu), CLV_TAKE(a, s->u, p->nu), CLV_TAKE(a, s->ud, p->nu);
    CLV_TAKE(a, s->damping, clv_rows_lags(p->model) ? p->nu : 0);
    CLV_TAKE(a, s->x, 6 * n), CLV_TAKE(a, s->T, 6 * n), CLV_TAKE(a, s->W, 6 * n);
    s->wrench = s->b = s->T, s->c = s->W; /* see system.h */
    CLV_TAKE(a, s->a, p->nclosing_row), CLV_TAKE(a, s->lambda, p->nsigma), CLV_TAKE(a, s->sigma, p->nsigma);
    CLV_TAKE(a, s->missed, p->nu), CLV_TAKE(a, s->posed_q, p->nq);
    s->posed = -1;
    CLV_TAKE(a, s->gain[0], p->nclosing_row), CLV_TAKE(a, s->gain[1], p->nclosing_row);
    clv_across_layout(s, p, a);
    clv_bearing_layout(s, a);
}

clv_status clv_system_coordinates(clv_system *s, double t, const double *q)
{
    const clv_plan *p = s->plan;
    for (int i = 0; i < p->nq; i++)
        if (!isfinite(q[i])) {
            s->kin.time = t;
            int b = 0;
            while (b < p->nbody - 1 && !(p->tree[b].iq >= 0 && i >= p->tree[b].iq && i < p->tree[b].iq + p->tree[b].nq))
                b++;
            for (int k = 0; k < p->nstar; k++)
                if (i >= p->star[k].iq && i < p->star[k].iq + p->star[k].nmode)
                    b = p->star[k].frame;
            return clv_system_fail(s, CLV_ERR_NOT_FINITE, b, p->tree[b].joint, "a coordinate is not finite");
        }
    return CLV_OK;
}

void clv_system_pose_all(clv_system *s, double t, const double *q)
{
    clv_kinematics_poses(&s->kin, t, q);
    clv_kinematics_fill(&s->kin);
    s->posed = s->kin.posed;
    memcpy(s->posed_q, q, (size_t)s->plan->nq * sizeof(double));
}

clv_status clv_system_pose(clv_system *s, double t, const double *q)
{
    const clv_status st = clv_system_coordinates(s, t, q);
    if (st == CLV_OK)
        clv_system_pose_all(s, t, q);
    return st;
}

bool clv_system_restore(clv_system *s, double t, const double *q)
{
    const clv_rows *w = &s->rows;
    if (!w->fit || s->posed != s->kin.posed || s->plan->nstar > 0 || s->model->nmotion > 0 ||
        memcmp(s->posed_q, q, (size_t)s->plan->nq * sizeof(double)) != 0)
        return false;
    s->kin.time = t, s->posed = ++s->kin.posed;
    for (int i = 0; i < w->nborder; i++)
        clv_kinematics_body_pose(&s->kin, w->border[i], q);
    clv_kinematics_closing_poses(&s->kin);
    for (int i = 0; i < w->nborder; i++)
        clv_kinematics_fill_body(&s->kin, w->border[i]);
    clv_kinematics_fill_edges(&s->kin); /* an edge may hold a body of the border and another one */
    return true;
}

void clv_system_show(clv_system *s, double t, const double *q)
{
    if (clv_rows_closed(&s->rows) || !clv_system_restore(s, t, q))
        clv_system_pose_all(s, t, q);
}

clv_status clv_system_place(clv_system *s, double t, const double *q)
{
    clv_status st = clv_system_pose(s, t, q);
    return st == CLV_OK ? clv_system_factor(s) : st;
}

clv_status clv_system_open(clv_system *s)
{
    if (s->engine.open)
        return CLV_OK;
    if (!clv_engine_open(&s->engine))
        return clv_fail(s->error, CLV_ERR_MEMORY, "out of memory for a solution in model order");
    clv_kinematics_opened(&s->kin);
    return CLV_OK;
}

clv_status clv_system_factor(clv_system *s)
{
    clv_status st = clv_system_open(s);
    if (st != CLV_OK)
        return st;
    st = clv_engine_factor(&s->engine);
    s->truncated = s->engine.truncated;
    if (st == CLV_OK)
        return st;
    return st == CLV_ERR_SINGULAR ? clv_system_unfactored(s) : st;
}

clv_status clv_system_unfactored(clv_system *s)
{
    const int body = s->engine.failed_body, edge = s->engine.failed_edge;
    return clv_system_singular(s, body,
                               body >= 0 ? s->plan->tree[body].joint : edge >= 0 ? s->plan->edge[edge].joint : -1);
}

double clv_system_row_size(const clv_system *s, int edge, int r, double size)
{
    const clv_plan *p = s->plan;
    const clv_edge *e = &p->edge[edge];
    const double *D = s->kin.D + 36 * (size_t)edge + 6 * (size_t)r;
    if (e->coupling >= 0)
        return s->model->joint[s->model->coupling[e->coupling].term[0].joint].kind == CLV_JOINT_PRISMATIC ? size : 1;
    if (e->motion >= 0 && r == e->m - 1)
        return s->model->joint[e->joint].kind == CLV_JOINT_PRISMATIC ? size : 1;
    return D[0] != 0 || D[1] != 0 || D[2] != 0 ? size : 1;
}
