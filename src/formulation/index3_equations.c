/* SPDX-License-Identifier: Apache-2.0
 * The equations of a step of index3 and of its projections (T25), see index3.h. */
#include "formulation/index3.h"
#include "kinematics/tangent.h"
#include "math/spatial.h"
#include <math.h>
#include <string.h>

void clv_index3_penalty(clv_system *s, double scale)
{
    const clv_index3 *d = s->private_state;
    for (int i = 0; i < s->plan->nclosing_row; i++)
        s->engine.eps[i] = d->alpha[i] > 0 ? 1 / (d->alpha[i] * scale) : 0;
}

static clv_status factor(clv_system *s, const clv_rule *rule)
{
    s->kin.load_q = s->joint_q, s->kin.load_u = s->joint_u, s->kin.load_V = s->com_V;
    s->kin.load_bearing = s->bearing;
    clv_tangent_fill(&s->kin, rule->damp, rule->scale);
    clv_index3_penalty(s, rule->scale);
    return clv_system_factor(s);
}

/* b and force = scale (Q - velocity terms - M x'' + D lambda), of bodies and modes; Mf is that of the body alone */
static void residual(clv_system *s, double scale)
{
    const clv_plan *p = s->plan;
    clv_index3 *d = s->private_state;
    clv_system_right_side(s);
    for (size_t b = 0; b < (size_t)p->nbody; b++) {
        double P[6];
        clv_inertia_times(P, s->engine.mass + 21 * b, d->at.A + 6 * b);
        for (size_t i = 0; i < 6; i++)
            s->b[6 * b + i] -= P[i];
    }
    for (int k = 0; k < p->nstar; k++) {
        double W[6], *force = s->force + p->star[k].iu, *modal = s->modal + p->star[k].mode;
        clv_star_inertia(&s->engine, k, d->at.A, d->at.ud, W, modal);
        for (size_t i = 0; i < 6; i++)
            s->b[6 * (size_t)p->star[k].frame + i] -= W[i];
        for (int m = 0; m < p->star[k].nmode; m++)
            force[m] -= modal[m];
    }
    clv_engine_closing_wrenches(&s->engine, s->b, d->lambda, 1.0);
    for (size_t i = 0; i < 6 * (size_t)p->nbody; i++)
        s->b[i] *= scale;
    for (int i = 0; i < p->nu; i++)
        d->force[i] = scale * s->force[i];
}

clv_status clv_index3_iterate(clv_system *s, double t, const clv_rule *rule, double *moved, int *worst)
{
    const clv_plan *p = s->plan;
    clv_index3 *d = s->private_state;
    clv_status st = clv_trials_place(&d->at, s, t);
    clv_bearing_press(s, d->lambda);
    if (st == CLV_OK)
        st = clv_system_loads(s);
    if (st != CLV_OK)
        return st;
    clv_tangent_clear(&s->kin);
    residual(s, rule->scale); /* before the tangent rows are filled: they carry no multiplier */
    st = factor(s, rule);
    if (st != CLV_OK)
        return st;
    clv_kinematics_violation(&s->kin, d->row);
    for (int i = 0; i < p->nclosing_row; i++)
        d->row[i] = -d->row[i];
    clv_engine_solve(&s->engine, s->x, s->ud, s->b, d->force, NULL, d->row);
    for (int i = 0; i < p->nclosing_row; i++)
        d->lambda[i] += s->engine.sigma[i] / rule->scale;
    *moved = clv_trials_displace(&d->at, s, rule, s->x, s->ud, worst);
    return CLV_OK;
}

/* row := what the accelerations A miss (nclosing_row), s->a at hand; returns the largest */
static double acceleration_missed(const clv_system *s, const double *A, double *row)
{
    const clv_plan *p = s->plan;
    double most = 0;
    for (int k = 0; k < p->nedge; k++) {
        const clv_edge *e = &p->edge[k];
        for (int r = 0; clv_edge_closes(e) && r < e->m; r++) {
            double x = s->a[e->row + r];
            for (int h = 0; h < e->nhandle; h++)
                x -= clv_dot6(s->engine.block + e->block[h] + 6 * r, A + 6 * (size_t)e->body[h]);
            row[e->row + r] = x;
            most = fmax(most, fabs(x));
        }
    }
    return most;
}

clv_status clv_index3_project(clv_system *s, double t, const clv_rule *rule)
{
    const clv_plan *p = s->plan;
    clv_index3 *d = s->private_state;
    clv_status st = clv_trials_place(&d->at, s, t);
    if (st == CLV_OK)
        st = factor(s, rule);
    if (st != CLV_OK)
        return st;
    const size_t n = 6 * (size_t)p->nbody;
    memset(s->b, 0, n * sizeof(double));
    for (int k = 0; k < s->step.projections; k++) {
        clv_kinematics_velocity_violation(&s->kin, d->row);
        for (int i = 0; i < p->nclosing_row; i++)
            d->row[i] = -d->row[i];
        clv_engine_solve(&s->engine, s->x, s->ud, s->b, NULL, NULL, d->row);
        for (int i = 0; i < p->nu; i++)
            d->at.u[i] += s->ud[i];
        clv_kinematics_velocities(&s->kin, d->at.u);
    }
    clv_kinematics_rates(&s->kin);
    clv_kinematics_acceleration_bias(&s->kin, s->c, s->a);
    memcpy(s->lambda, d->lambda, (size_t)p->nsigma * sizeof(double));
    clv_trials_nodes(&d->at, s, s->c);
    for (int k = 0; k < s->step.projections; k++) {
        acceleration_missed(s, d->at.A, d->row);
        clv_engine_solve(&s->engine, s->x, s->ud, s->b, NULL, NULL, d->row);
        for (int i = 0; i < p->nclosing_row; i++)
            s->lambda[i] += s->engine.sigma[i];
        for (size_t i = 0; i < n; i++)
            d->at.A[i] += s->x[i];
        for (int i = 0; i < p->nu; i++)
            d->at.ud[i] += s->ud[i];
    }
    s->counts.acceleration = acceleration_missed(s, d->at.A, d->row);
    return clv_system_loads(s);
}
