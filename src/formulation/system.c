/* SPDX-License-Identifier: Apache-2.0
 * What all formulations share: memory, poses and the factor. */
#include "formulation/system.h"
#include <math.h>
#include <string.h>
#include "base/error.h"

void clv_system_layout(clv_system *s, const clv_model *m, const clv_plan *p, clv_arena *a)
{
    int n = p->nbody;
    s->model = m, s->plan = p;
    clv_engine_layout(&s->engine, p, a);
    clv_kinematics_layout(&s->kin, p, &s->engine, a);
    clv_rows_layout(&s->rows, p, &s->engine, a);
    CLV_TAKE(a, s->com_V, 6 * n), CLV_TAKE(a, s->wrench, 6 * n), CLV_TAKE(a, s->Q, 6 * n);
    CLV_TAKE(a, s->joint_q, 7 * m->njoint), CLV_TAKE(a, s->joint_u, 6 * m->njoint);
    CLV_TAKE(a, s->joint_tau, 6 * m->njoint);
    CLV_TAKE(a, s->force, p->nu), CLV_TAKE(a, s->modal, p->nmode);
    CLV_TAKE(a, s->tau, p->nu), CLV_TAKE(a, s->u, p->nu), CLV_TAKE(a, s->ud, p->nu);
    CLV_TAKE(a, s->x, 6 * n), CLV_TAKE(a, s->b, 6 * n), CLV_TAKE(a, s->c, 6 * n);
    CLV_TAKE(a, s->T, 6 * n), CLV_TAKE(a, s->W, 6 * n);
    CLV_TAKE(a, s->a, p->nclosing_row), CLV_TAKE(a, s->lambda, p->nsigma), CLV_TAKE(a, s->sigma, p->nsigma);
    CLV_TAKE(a, s->missed, p->nu);
    CLV_TAKE(a, s->gain[0], p->nclosing_row), CLV_TAKE(a, s->gain[1], p->nclosing_row);
}

clv_status clv_system_pose(clv_system *s, double t, const double *q)
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
    clv_kinematics_poses(&s->kin, t, q);
    clv_kinematics_fill(&s->kin);
    return CLV_OK;
}

clv_status clv_system_place(clv_system *s, double t, const double *q)
{
    clv_status st = clv_system_pose(s, t, q);
    return st == CLV_OK ? clv_system_factor(s) : st;
}

clv_status clv_system_factor(clv_system *s)
{
    const clv_plan *p = s->plan;
    clv_status st = clv_engine_factor(&s->engine);
    s->truncated = s->engine.truncated;
    if (st == CLV_OK)
        return st;
    int body = s->engine.failed_body;
    if (st == CLV_ERR_SINGULAR)
        return clv_system_singular(s, body, body >= 0 ? p->tree[body].joint : p->edge[s->engine.failed_edge].joint);
    return st;
}
