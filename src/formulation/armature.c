/* SPDX-License-Identifier: Apache-2.0
 * Rotors of joints (T113): inertia R along a rate of a joint, with kinetic energy R u^2 / 2 and nothing else.  It is
 * part of the pivot of the joint in factors (row_climb.c, row_fold.c, strand.c), or a row of its edge that yields
 * (fill.c).  Here is what it adds to momenta, energies and forces of drives. */
#include "formulation/armature.h"

void clv_armature_momenta(const clv_system *s, const double *u, double *p)
{
    const clv_plan *plan = s->plan;
    for (int i = 0; i < plan->narmed; i++) {
        const int b = plan->armed[i];
        for (int c = 0; c < plan->tree[b].f; c++)
            p[plan->tree[b].iu + c] += clv_armature_of(plan, b, c) * u[plan->tree[b].iu + c];
    }
}

double clv_armature_of_motion(const clv_system *s, int body)
{
    const clv_tree_joint *t = &s->plan->tree[body];
    return t->motion >= 0 && t->joint >= 0 ? s->model->joint[t->joint].more->armature[0] : 0.0;
}

/* adds to T that of the inboard joint of a body */
static void add_kinetic(const clv_system *s, int body, const double *u, double *T)
{
    const clv_tree_joint *t = &s->plan->tree[body];
    double q, v, a;
    for (int c = 0; c < t->f; c++)
        *T += 0.5 * clv_armature_of(s->plan, body, c) * u[t->iu + c] * u[t->iu + c];
    if (t->motion < 0)
        return;
    clv_kinematics_motion(&s->kin, t->motion, &q, &v, &a);
    *T += 0.5 * clv_armature_of_motion(s, body) * v * v;
}

double clv_armature_kinetic(const clv_system *s, const double *u)
{
    double T = 0;
    for (int i = 0; i < s->plan->narmed; i++)
        add_kinetic(s, s->plan->armed[i], u, &T);
    return T;
}

void clv_armature_segments(const clv_system *s, const double *u, int stride, double *each)
{
    const clv_plan *p = s->plan;
    for (int i = 0; i < p->narmed; i++)
        add_kinetic(s, p->armed[i], u, &each[stride * p->segment_of[p->armed[i]]]);
}

double clv_armature_power(const clv_system *s)
{
    const clv_plan *p = s->plan;
    double power = 0;
    for (int i = 0; i < p->narmed; i++) {
        const int b = p->armed[i];
        double q, u, ud;
        if (p->tree[b].motion < 0)
            continue;
        clv_kinematics_motion(&s->kin, p->tree[b].motion, &q, &u, &ud);
        power += clv_armature_of_motion(s, b) * ud * u;
    }
    return power;
}
