/* SPDX-License-Identifier: Apache-2.0
 * Accelerations, reactions, power of drives and energies in model order (T12, T13, T15). */
#include "formulation/armature.h"
#include <string.h>
#include "math/rotation.h"
#include "math/spatial.h"

void clv_system_gains(clv_system *s, const double baumgarte[2])
{
    for (int k = 0; k < s->plan->nedge; k++) {
        const clv_edge *e = &s->plan->edge[k];
        const clv_joint *own = clv_system_joint(s, e);
        for (int r = 0; clv_edge_closes(e) && r < e->m; r++)
            for (int g = 0; g < 2; g++)
                s->gain[g][e->row + r] = own ? clv_given(own->more->baumgarte[g], baumgarte[g]) : baumgarte[g];
    }
}

void clv_system_stabilize(clv_system *s)
{
    const clv_plan *p = s->plan;
    int n = p->nclosing_row;
    bool any = false;
    for (int i = 0; i < n; i++)
        any |= s->gain[0][i] != 0 || s->gain[1][i] != 0;
    if (!any)
        return;
    clv_kinematics_violation(&s->kin, s->lambda);
    for (int i = 0; i < n; i++)
        s->a[i] -= s->gain[0][i] * s->lambda[i];
    clv_kinematics_velocity_violation(&s->kin, s->lambda);
    for (int i = 0; i < n; i++)
        s->a[i] -= s->gain[1][i] * s->lambda[i];
}

void clv_system_right_side(clv_system *s)
{
    size_t n = 6 * (size_t)s->plan->nbody;
    clv_kinematics_gyroscopic(&s->kin, s->b);
    for (size_t i = 0; i < n; i++)
        s->b[i] = s->Q[i] - s->b[i];
    memcpy(s->force, s->tau, (size_t)s->plan->nu * sizeof(double));
    clv_flexible_forces(s, s->force);
}

void clv_system_accelerate(clv_system *s)
{
    clv_system_right_side(s);
    clv_kinematics_acceleration_bias(&s->kin, s->c, s->a);
    clv_engine_solve(&s->engine, s->x, s->ud, s->b, s->force, s->c, s->a);
    memcpy(s->lambda, s->engine.sigma, (size_t)s->plan->nsigma * sizeof(double));
}

void clv_system_needed(const clv_system *s, double *T)
{
    clv_kinematics_gyroscopic(&s->kin, T);
    for (size_t b = 0; b < (size_t)s->plan->nbody; b++) {
        double Ix[6], I[21];
        clv_inertia_times(Ix, clv_kinematics_inertia(&s->kin, b, I), s->x + 6 * b);
        for (size_t i = 0; i < 6; i++)
            T[6 * b + i] += Ix[i] - s->Q[6 * b + i];
    }
}

void clv_system_reactions(clv_system *s)
{
    clv_system_needed(s, s->T);
    for (int k = 0; k < s->plan->nstar; k++) {
        double F[6];
        clv_star_inertia(&s->engine, k, NULL, s->ud, F, NULL);
        clv_add6(s->T + 6 * (size_t)s->plan->star[k].frame, F);
    }
    clv_engine_closing_wrenches(&s->engine, s->T, s->lambda, -1.0);
    clv_engine_accumulate(&s->engine, s->T);
}

void clv_system_motion_power(clv_system *s)
{
    const clv_plan *p = s->plan;
    s->power += clv_armature_power(s);
    for (size_t b = 0; b < (size_t)p->nbody; b++) {
        const clv_tree_joint *t = &p->tree[b];
        if (t->motion < 0)
            continue;
        double own = t->joint >= 0 ? s->joint_tau[6 * (size_t)t->joint] : 0.0; /* springs, dampers count elsewhere */
        s->power += (clv_dot6(s->T + 6 * b, s->kin.H + clv_columns(p, b)) - own) * *clv_kinematics_u(&s->kin, b);
    }
    for (int e = 0; e < p->nedge; e++) {
        const clv_edge *edge = &p->edge[e];
        double q, u, ud;
        if (edge->motion < 0)
            continue;
        clv_kinematics_motion(&s->kin, edge->motion, &q, &u, &ud);
        s->power += s->lambda[edge->row + edge->m - 1] * u;
    }
}

void clv_system_qdot(const clv_system *s, double *qdot)
{
    const clv_plan *p = s->plan;
    for (size_t b = 0; b < (size_t)p->nbody; b++)
        if (p->tree[b].iq >= 0)
            clv_joint_qdot(p->tree[b].kind, clv_kinematics_q(&s->kin, b), clv_kinematics_u(&s->kin, b),
                           qdot + p->tree[b].iq);
    for (int k = 0; k < p->nstar; k++)
        memcpy(qdot + p->star[k].iq, s->kin.etad + p->star[k].mode, (size_t)p->star[k].nmode * sizeof(double));
}

/* of rotors, by the rates in the kinematics */
static double rotors(const clv_system *s)
{
    const clv_plan *p = s->plan;
    double T = 0;
    for (int i = 0; i < p->narmed; i++) {
        const clv_tree_joint *t = &p->tree[p->armed[i]];
        const double *u = clv_kinematics_u(&s->kin, (size_t)p->armed[i]), *R = s->model->joint[t->joint].more->armature;
        for (int c = 0; c < t->nu && c < 3; c++)
            T += 0.5 * R[c] * u[c] * u[c];
    }
    return T;
}

double clv_system_kinetic_of(const clv_system *s, const double *P)
{
    double T = rotors(s);
    for (size_t b = 0; b < (size_t)s->plan->nbody; b++)
        T += 0.5 * clv_dot6(P + 6 * b, s->kin.V + 6 * b);
    return T;
}

double clv_system_kinetic(const clv_system *s)
{
    double T = rotors(s), P[6], I[21];
    for (size_t b = 0; b < (size_t)s->plan->nbody; b++) {
        clv_inertia_times(P, clv_kinematics_inertia(&s->kin, b, I), s->kin.V + 6 * b);
        T += 0.5 * clv_dot6(P, s->kin.V + 6 * b);
    }
    if (s->plan->nstar > 0)
        T += clv_flexible_kinetic(s);
    return T;
}

double clv_system_potential(const clv_system *s)
{
    return s->plan->nstar > 0 ? clv_potential(&s->loads) + clv_flexible_potential(s) : clv_potential(&s->loads);
}
