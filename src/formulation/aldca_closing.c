/* SPDX-License-Identifier: Apache-2.0
 * The mass-orthogonal projections of aldca (T23): iterations of the same kind as for accelerations, see aldca.h. */
#include "formulation/aldca_rows.h"
#include "model/joint.h"
#include <math.h>

bool clv_aldca_insists(const clv_system *s)
{
    return s->model->nmotion > 0;
}

/* largest displacement of a body: translation over the size of the model, or turn */
static double displacement(const clv_system *s, const double *dx)
{
    double most = 0;
    for (int b = 0; b < s->plan->nbody; b++)
        most = fmax(most, fmax(clv_multiplier_largest(dx + 6 * b, 3) / s->size,
                               clv_multiplier_largest(dx + 6 * b + 3, 3)));
    return most;
}

static void displace(const clv_plan *p, double *q, const double *du)
{
    for (int b = 0; b < p->nbody; b++)
        if (p->tree[b].link < 0)
            clv_joint_displace(p->tree[b].kind, q + p->tree[b].iq, du + p->tree[b].iu);
    for (int k = 0; k < p->nstar; k++)
        for (int m = 0; m < p->star[k].nmode; m++)
            q[p->star[k].iq + m] += du[p->star[k].iu + m];
}

clv_status clv_aldca_close_position(clv_system *s, double t, double *q, double *moved)
{
    clv_status st = s->bodies ? clv_aldca_rows_close_position(s, t, q, moved) : CLV_ERR_SINGULAR;
    if (st != CLV_ERR_SINGULAR)
        return st;
    s->border_only = false;
    clv_aldca *d = s->private_state;
    const clv_plan *p = s->plan;
    clv_stage *stage = &s->stage[CLV_STAGE_POSITION];
    *stage = (clv_stage){0};
    *moved = 0;
    st = clv_multiplier_place(s, &d->m, t, q);
    if (st != CLV_OK)
        return st;
    double change;
    do {
        clv_kinematics_violation(&s->kin, d->m.r);
        for (int i = 0; i < p->nclosing_row; i++)
            d->m.r[i] = -d->m.r[i];
        clv_multiplier_correct(s, &d->m);
        displace(p, q, d->m.du);
        clv_kinematics_poses(&s->kin, t, q);
        change = displacement(s, d->m.dx);
        *moved += clv_multiplier_largest(d->m.du, p->nu);
    } while (clv_multiplier_goes_on(stage, change, d->eps[CLV_STAGE_POSITION], d->limit));
    return CLV_OK;
}

static void missed_velocities(clv_system *s)
{
    double *r = ((clv_aldca *)s->private_state)->m.r;
    clv_kinematics_velocity_violation(&s->kin, r);
    for (int i = 0; i < s->plan->nclosing_row; i++)
        r[i] = -r[i];
}

clv_status clv_aldca_close_velocity(clv_system *s, double t, const double *q, double *u)
{
    clv_status st = s->bodies ? clv_aldca_rows_close_velocity(s, t, q, u) : CLV_ERR_SINGULAR;
    if (st != CLV_ERR_SINGULAR)
        return st;
    s->border_only = false;
    clv_aldca *d = s->private_state;
    const clv_plan *p = s->plan;
    clv_stage *stage = &s->stage[CLV_STAGE_VELOCITY];
    *stage = (clv_stage){0};
    st = clv_multiplier_place(s, &d->m, t, q);
    if (st != CLV_OK)
        return st;
    clv_kinematics_velocities(&s->kin, u);
    double change = INFINITY, before, tolerance;
    do {
        missed_velocities(s);
        clv_multiplier_correct(s, &d->m);
        for (int i = 0; i < p->nu; i++)
            u[i] += d->m.du[i];
        clv_kinematics_velocities(&s->kin, u);
        before = change, change = clv_multiplier_largest(d->m.dx, 6 * p->nbody);
        tolerance = d->eps[CLV_STAGE_VELOCITY] * fmax(1, clv_multiplier_largest(s->kin.V, 6 * p->nbody));
        if (!clv_multiplier_goes_on(stage, change, tolerance, d->limit))
            return CLV_OK;
    } while (!clv_aldca_insists(s) || !clv_multiplier_slow(stage, before, change));
    const double lost = clv_multiplier_lost(s, &d->m);
    missed_velocities(s);
    clv_multiplier_conjugate(s, &d->m, NULL, u, NULL, stage, lost, tolerance, d->limit);
    clv_kinematics_velocities(&s->kin, u);
    return CLV_OK;
}
