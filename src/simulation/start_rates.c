/* SPDX-License-Identifier: Apache-2.0
 * The rates of the start (T14): of every joint, parents first, the given one, or the part of the given body velocities
 * the joint can do.  Then rates that follow by couplings.  Then, where bodies cannot have the velocities given, the
 * motion nearest to them in kinetic energy, of the whole system:
 *
 *   minimise  1/2 sum (V - V*)^T M (V - V*)  over the velocities V that joints, loops and motions allow
 *
 * With V = V0 + x, V0 the rates so far and d = V* - V0 what they miss, x solves the engine's problem with M d for
 * loads. V* of a body without a given velocity is that of its parent, moved on by its joint's rate. */
#include <math.h>
#include <string.h>
#include "base/error.h"
#include "kinematics/deform.h"
#include "math/rotation.h"
#include "model/coupling.h"
#include "simulation/sim.h"

void clv_start_velocity(const clv_sim *s, int b, double V[6])
{
    const clv_body *body = &s->model->body[b];
    static const double rest[6];
    double x[3], l[3];
    clv_mat3_times(x, s->system.kin.R + 9 * (size_t)b, body->com);
    for (int i = 0; i < 3; i++) /* body frame origin to reference point */
        l[i] = s->system.kin.ref[3 * (size_t)b + (size_t)i] - (s->system.kin.com[3 * (size_t)b + (size_t)i] - x[i]);
    memcpy(V, body->moving ? body->moving : rest, sizeof rest);
    clv_motion_shift(V, l, V);
}

/* u of every joint, parents first: given, or the part of the given body velocities the joint can do */
static void joint_rates(clv_sim *s, double *u)
{
    const clv_plan *p = s->plan;
    clv_kinematics *k = &s->system.kin;
    for (int i = 0; i < p->nstar; i++)
        memcpy(u + p->star[i].iu, s->model->flex[i].etad, (size_t)p->star[i].nmode * sizeof(double));
    clv_kinematics_modal_rates(k, u);
    for (int i = 0; i < p->nbody; i++) {
        int b = p->order[i];
        const clv_tree_joint *t = &p->tree[b];
        double A[6] = {0}, V[6], *own = k->V + 6 * (size_t)b;
        if (t->parent >= 0)
            clv_motion_shift(A, k->arm + 3 * (size_t)b, k->V + 6 * (size_t)t->parent);
        clv_deform_add_velocity(k, b, A);
        memcpy(own, A, sizeof A);
        clv_start_velocity(s, b, V);
        for (int r = 0; r < 6; r++)
            V[r] -= A[r];
        for (int c = 0; c < t->nu; c++) {
            const double *G = k->G + clv_columns(p, (size_t)b) + 6 * (size_t)c;
            double rate = t->motion >= 0                                     ? clv_kinematics_u(k, (size_t)b)[c]
                          : t->joint >= 0 && s->model->joint[t->joint].has_u ? s->model->joint[t->joint].u[c]
                          : t->joint >= 0 && s->follows[t->joint]            ? u[t->iu]
                          : s->model->body[b].moving                         ? clv_dot6(G, V)
                                                                             : 0.0;
            if (t->iu >= 0)
                u[t->iu + c] = rate;
            for (int r = 0; r < 6; r++)
                own[r] += k->H[clv_columns(p, (size_t)b) + 6 * (size_t)c + (size_t)r] * rate;
        }
    }
}

/* largest difference of the rates of a joint from those the start gives for it; 0 if it gives none */
static double joint_missed(const clv_sim *s, int joint)
{
    const clv_plan *p = s->plan;
    const clv_joint *j = &s->model->joint[joint];
    const int b = p->child_of_joint[joint], e = p->edge_of_joint[joint];
    double q[7], u[6], worst = 0;
    if (!j->has_u || (b < 0 && (e < 0 || !clv_edge_closes(&p->edge[e]))) || (b >= 0 && p->tree[b].motion >= 0))
        return 0;
    if (b >= 0)
        memcpy(u, clv_kinematics_u(&s->system.kin, (size_t)b), (size_t)p->tree[b].nu * sizeof *u);
    else
        clv_kinematics_closing_state(&s->system.kin, e, q, u);
    for (int c = 0; c < clv_joint_table[j->kind].nu; c++)
        worst = fmax(worst, fabs(u[c] - j->u[c]));
    return worst;
}

/* the same of the velocity of a body */
static double body_missed(const clv_sim *s, int b)
{
    double worst = 0, V[6];
    if (!s->model->body[b].moving)
        return 0;
    clv_start_velocity(s, b, V);
    for (int i = 0; i < 6; i++)
        worst = fmax(worst, fabs(V[i] - s->system.kin.V[6 * (size_t)b + (size_t)i]));
    return worst;
}

double clv_rates_missed(const clv_sim *s)
{
    double worst = 0;
    for (int j = 0; j < s->model->njoint; j++)
        worst = fmax(worst, joint_missed(s, j));
    for (int b = 0; b < s->plan->nbody; b++)
        worst = fmax(worst, body_missed(s, b));
    return worst;
}


/* ------------------------------------------------------------------ couplings */

/* rate of a tree joint with one degree of freedom */
static double rate_of(const clv_sim *s, int joint)
{
    return *clv_kinematics_u(&s->system.kin, (size_t)s->plan->child_of_joint[joint]);
}

/* Does the start give the rate of a tree joint, itself or by the velocity of its body, or a motion, or a coupling? */
static bool is_settled(const clv_sim *s, int joint)
{
    const clv_tree_joint *t = &s->plan->tree[s->plan->child_of_joint[joint]];
    return t->motion >= 0 || s->model->joint[joint].has_u || s->follows[joint] ||
           s->model->body[s->plan->child_of_joint[joint]].moving;
}

/* the rate of one joint of a coupling from those of the others, if it alone is not settled */
static bool follow(clv_sim *s, const clv_coupling *c, double *u)
{
    int to = -1;
    double left = 0, f[3], slope = 0;
    for (int i = 0; i < c->nterm; i++) {
        const int joint = c->term[i].joint;
        clv_coupling_term_at(c, i, *clv_kinematics_q(&s->system.kin, (size_t)s->plan->child_of_joint[joint]), f);
        if (is_settled(s, joint))
            left -= f[1] * rate_of(s, joint);
        else if (to >= 0)
            return false;
        else
            to = joint, slope = f[1];
    }
    if (to < 0 || slope == 0)
        return false;
    const int b = s->plan->child_of_joint[to];
    s->follows[to] = true;
    *clv_kinematics_u(&s->system.kin, (size_t)b) = u[s->plan->tree[b].iu] = left / slope;
    return true;
}

/* along chains of couplings, in both orders; false if nothing follows */
static bool follow_all(clv_sim *s, double *u)
{
    const clv_model *m = s->model;
    bool any = false;
    for (bool more = m->ncoupling > 0; more;) {
        more = false;
        for (int i = 0; i < m->ncoupling; i++)
            more |= follow(s, &m->coupling[i], u);
        for (int i = m->ncoupling - 1; i >= 0; i--)
            more |= follow(s, &m->coupling[i], u);
        any |= more;
    }
    return any;
}

/* ------------------------------------------------------------------ velocities that joints do not allow */

/* V* of body b (`want`: those of all bodies, parents first) */
static void wanted_velocity(const clv_sim *s, int b, const double *want, double V[6])
{
    const clv_kinematics *k = &s->system.kin;
    const clv_tree_joint *t = &s->plan->tree[b];
    const bool moving = s->model->body[b].moving;
    double A[6] = {0}, d[6];
    if (t->parent >= 0)
        clv_motion_shift(A, k->arm + 3 * (size_t)b, want + 6 * (size_t)t->parent);
    clv_deform_add_velocity(k, b, A);
    if (moving)
        clv_start_velocity(s, b, V);
    else
        memcpy(V, A, sizeof A);
    if (moving && (t->joint < 0 || !(s->model->joint[t->joint].has_u || s->follows[t->joint] || t->motion >= 0)))
        return;
    for (int i = 0; i < 6; i++) /* the joint's rate is settled: it takes the place of that part */
        d[i] = V[i] - A[i];
    for (int c = 0; c < t->nu; c++) {
        size_t at = clv_columns(s->plan, (size_t)b) + 6 * (size_t)c;
        double rate = clv_kinematics_u(k, (size_t)b)[c] - clv_dot6(k->G + at, d);
        for (int i = 0; i < 6; i++)
            V[i] += k->H[at + (size_t)i] * rate;
    }
}

/* P := V* - V of every body; true if they differ by more than the last digits of a file */
static bool missed_velocities(clv_sim *s)
{
    const clv_plan *p = s->plan;
    const double *V = s->system.kin.V;
    for (int i = 0; i < p->nbody; i++)
        wanted_velocity(s, p->order[i], s->P, s->P + 6 * (size_t)p->order[i]);
    const double size = clv_motion_part(s, s->P);
    for (size_t i = 0; i < 6 * (size_t)p->nbody; i++)
        s->P[i] -= V[i];
    return clv_motion_part(s, s->P) > 1e-6 * size;
}

/* u := the rates nearest in kinetic energy */
static void nearest_rates(clv_sim *s, double *u)
{
    clv_system *y = &s->system;
    const clv_plan *p = s->plan;
    for (size_t b = 0; b < (size_t)p->nbody; b++)
        clv_inertia_times(y->b + 6 * b, y->engine.mass + 21 * b, s->P + 6 * b);
    memset(s->dq, 0, (size_t)p->nu * sizeof(double));
    memset(s->trial, 0, (size_t)p->nu * sizeof(double));
    for (int k = 0; k < p->nstar; k++) {
        double unused[6];
        clv_star_inertia(&y->engine, k, s->P, s->trial, unused, s->dq + p->star[k].iu);
    }
    clv_kinematics_velocity_violation(&y->kin, s->row);
    for (int i = 0; i < p->nclosing_row; i++)
        s->row[i] = -s->row[i];
    clv_make_consistent(s, s->row);
    clv_engine_solve(&y->engine, y->x, s->trial, y->b, s->dq, NULL, s->row);
    for (int i = 0; i < p->nu; i++)
        u[i] += s->trial[i];
}

clv_status clv_start_tree_rates(clv_sim *s, double *u)
{
    memset(s->follows, 0, (size_t)s->model->njoint * sizeof(bool));
    joint_rates(s, u);
    clv_kinematics_velocities(&s->system.kin, u);
    if (!missed_velocities(s))
        return CLV_OK;
    clv_fail(&s->error, CLV_ERR_INCONSISTENT,
             "start velocities of bodies are not those that their joints and loops allow");
    clv_error_hint(&s->error, "give rates and velocities that fit; without mpirun the program finds the nearest ones");
    return s->error.code;
}

clv_status clv_start_rates(clv_sim *s, double *u, double *given, double *moved)
{
    memset(s->follows, 0, (size_t)s->model->njoint * sizeof(bool));
    joint_rates(s, u);
    clv_kinematics_velocities(&s->system.kin, u);
    if (follow_all(s, u))
        joint_rates(s, u), clv_kinematics_velocities(&s->system.kin, u);
    memcpy(s->udot, u, (size_t)s->plan->nu * sizeof(double));
    *given = clv_motion_part(s, s->system.kin.V);
    if (missed_velocities(s)) {
        const clv_status open = clv_system_open(&s->system);
        if (open != CLV_OK)
            return open;
        nearest_rates(s, u);
    }
    clv_project_velocity(s, u, moved);
    bool met;
    clv_status st = clv_start_given(s, s->udot, u, &met);
    for (int j = 0; j < s->model->njoint; j++)
        s->joint_rate_moved[j] = joint_missed(s, j);
    for (int b = 0; b < s->plan->nbody; b++)
        s->body_rate_moved[b] = body_missed(s, b);
    *moved = clv_rates_missed(s);
    for (int i = 0; !met && i < s->plan->nu; i++)
        *moved = fmax(*moved, fabs(u[i] - s->udot[i]));
    return st;
}
