/* SPDX-License-Identifier: Apache-2.0
 * Accelerations and reactions at the output state (T13, T43.12); then momenta, their rates, and which components of
 * reactions are unique, which only clv_sim_evaluate and clv_sim_joint show. */
#include <math.h>
#include <string.h>
#include "base/error.h"
#include "kinematics/loose.h"
#include "math/rotation.h"
#include "formulation/index3_rows.h"
#include "formulation/walk.h"
#include "simulation/react.h"
#include "simulation/sim.h"

/* wrench T of a tree joint on its child, at the child's point, as wrench on the joint's b at b's point */
void clv_wrench_on_b(const clv_sim *s, int child, const double T[6], double w[6])
{
    const clv_tree_joint *t = &s->plan->tree[child];
    memcpy(w, T, 6 * sizeof(double));
    if (!t->reversed)
        return;
    double x[3];
    clv_cross(x, s->system.kin.place[child].d, T);
    for (int i = 0; i < 3; i++)
        w[i] = -T[i], w[3 + i] = -(T[3 + i] - x[i]);
}

/* part of T along the joint's own free directions: G H^T T */
static void drive_part(const clv_sim *s, int child, const double T[6], double w[6])
{
    memset(w, 0, 6 * sizeof(double));
    for (int c = 0; c < s->plan->tree[child].nu; c++) {
        const double *H = s->system.kin.H + clv_columns(s->plan, (size_t)child) + 6 * (size_t)c,
                     *G = s->system.kin.G + clv_columns(s->plan, (size_t)child) + 6 * (size_t)c;
        double tau = clv_dot6(H, T);
        for (int i = 0; i < 6; i++)
            w[i] += G[i] * tau;
    }
}

static void body_accelerations(clv_sim *s)
{
    const clv_kinematics *k = &s->system.kin;
    for (size_t b = 0; b < (size_t)s->plan->nbody; b++) {
        const double *x = s->system.x + 6 * b, *w = k->V + 6 * b + 3;
        double l[3], y[3], *A = s->frame_A + 6 * b;
        clv_sub3(l, k->com + 3 * b, k->ref + 3 * b);
        clv_motion_shift(A, l, x);
        clv_cross(y, w, l), clv_cross(y, w, y);
        for (int i = 0; i < 3; i++)
            A[i] += y[i];
    }
}

/* Rates, accelerations and multipliers at the output state, in rows: those of the view, or of one more walk. */
clv_status clv_accelerate_in_rows(clv_sim *s)
{
    clv_system *k = &s->system;
    /* friction by reactions (T99) is that of the last rates, which may belong to another state */
    if (!(s->shown > 0 && s->shown == k->held && clv_walk_holds(k)) || k->nbearing + k->npress > 0) {
        k->lean = true;
        const clv_status st = clv_system_rates(k, s->formulation, s->out_time, s->out_y, s->ydot);
        k->lean = false;
        if (st != CLV_OK)
            return st;
        clv_walk_show(k, s->out_y);
    }
    k->walked = false;
    return clv_walk_outputs(k, s->out_y);
}

/* Must forces of redundant rows be of least norm over all connections (T28.6)?  Those that the tree carries are so
 * front by front (T170). */
static bool spreads(const clv_sim *s)
{
    return s->plan->connect && s->system.rows.carried && s->system.truncated > 0;
}

/* the same body by body */
static clv_status solve(clv_sim *s)
{
    clv_system *k = &s->system;
    clv_status st = clv_system_rates(k, s->formulation, s->out_time, s->out_y, s->ydot);
    if (st == CLV_OK && clv_index3_rows_open(k))
        return clv_index3_rows_reactions(k);
    if (st == CLV_OK && (k->trials || spreads(s)))
        st = clv_system_place(k, s->out_time, s->out_y); /* multipliers of all joints come from the nodes */
    if (st == CLV_OK && s->formulation->accelerate)
        st = s->formulation->accelerate(k);
    else if (st == CLV_OK)
        clv_system_accelerate(k);
    return st;
}

clv_status clv_evaluate_output(clv_sim *s)
{
    clv_system *k = &s->system;
    const clv_plan *p = s->plan;
    s->seen_t = NAN;
    clv_touching_press(s, true);
    clv_status st = s->formulation->accelerate || p->absolute ? solve(s) : clv_accelerate_in_rows(s);
    if (st == CLV_OK && spreads(s))
        st = solve(s);
    clv_touching_press(s, false);
    if (st != CLV_OK)
        return st;
    memcpy(s->u, k->u, (size_t)p->nu * sizeof(double));
    memcpy(s->q, s->out_y, (size_t)p->nq * sizeof(double));
    clv_system_reactions(k);
    memcpy(s->udot, k->ud, (size_t)p->nu * sizeof(double));
    for (int i = 0; i < p->nstar; i++)
        memcpy(s->out_modes + 2 * p->nmode + p->star[i].mode, s->udot + p->star[i].iu,
               (size_t)p->star[i].nmode * sizeof(double));
    memcpy(s->P, k->T, 6 * (size_t)p->nbody * sizeof(double));
    body_accelerations(s);
    clv_momentum_accelerations(s);
    clv_marker_accelerations(s);
    s->evaluated = true, s->detailed = false;
    return CLV_OK;
}

/* momenta and their rates, and what is unique */
static clv_status find_details(clv_sim *s)
{
    clv_system *k = &s->system;
    if (s->detailed)
        return CLV_OK;
    clv_kinematics_rates(&k->kin);
    clv_hdca_momenta(k, s->p, s->pdot);
    memcpy(k->T, s->P, 6 * (size_t)s->plan->nbody * sizeof(double));
    if (s->formulation->accelerate) { /* the null directions are those of nodes */
        const clv_status st = clv_walk_fits(k) ? clv_walk_place(k, s->out_time, s->q)
                                               : clv_system_place(k, s->out_time, s->q);
        if (st != CLV_OK)
            return st;
    }
    clv_find_unique(s);
    s->detailed = true;
    return CLV_OK;
}

static clv_status evaluate_all(clv_sim *s)
{
    const clv_status st = s->evaluated ? CLV_OK : clv_evaluate_output(s);
    return st == CLV_OK ? find_details(s) : st;
}

clv_status clv_sim_evaluate(clv_sim *s)
{
    clv_status st = clv_sim_enter(s, __func__);
    return st == CLV_OK ? clv_sim_leave(s, evaluate_all(s)) : st;
}

clv_status clv_sim_react_inside(clv_sim *s) { return s->evaluated ? CLV_OK : clv_evaluate_output(s); }

clv_status clv_sim_react(clv_sim *s)
{
    clv_status st = clv_sim_enter(s, __func__);
    return st == CLV_OK ? clv_sim_leave(s, clv_sim_react_inside(s)) : st;
}

static void tree_result(clv_sim *s, int child, clv_joint_result *r)
{
    const clv_tree_joint *t = &s->plan->tree[child];
    const clv_kinematics *k = &s->system.kin;
    double drive[6], all[6], part[6];
    r->tree = true, r->nq = t->nq, r->nu = t->nu;
    memcpy(r->q, clv_kinematics_q(k, (size_t)child), (size_t)t->nq * sizeof(double));
    for (int c = 0; c < t->nu; c++) {
        r->u[c] = clv_kinematics_u(k, (size_t)child)[c];
        r->udot[c] = t->iu >= 0 ? s->udot[t->iu + c] : k->ud[6 * (size_t)child + (size_t)c];
        r->p[c] = t->iu >= 0 ? s->p[t->iu + c] : NAN;
        r->pdot[c] = t->iu >= 0 ? s->pdot[t->iu + c] : NAN;
    }
    drive_part(s, child, s->P + 6 * (size_t)child, part);
    for (int c = 0; c < t->nu; c++) {
        const double rotor = c < 3 && t->joint >= 0 ? s->model->joint[t->joint].more->armature[c] : 0.0;
        r->effort[c] = clv_dot6(k->H + clv_columns(s->plan, (size_t)child) + 6 * (size_t)c, s->P + 6 * (size_t)child) +
                       rotor * r->udot[c];
    }
    clv_wrench_on_b(s, child, s->P + 6 * (size_t)child, all);
    clv_wrench_on_b(s, child, part, drive);
    for (int i = 0; i < 3; i++) {
        r->force[i] = all[i] - drive[i], r->torque[i] = all[3 + i] - drive[3 + i];
        r->drive_force[i] = drive[i], r->drive_torque[i] = drive[3 + i];
    }
}

static void closing_result(clv_sim *s, int e, clv_joint_result *r)
{
    const clv_edge *edge = &s->plan->edge[e];
    const clv_joint *j = &s->model->joint[edge->joint];
    double w[6] = {0}, d[6] = {0}, G[36], *to;
    r->nq = clv_joint_table[j->kind].nq, r->nu = clv_joint_table[j->kind].nu;
    clv_kinematics_closing_state(&s->system.kin, e, r->q, r->u);
    for (int c = 0; c < 6; c++)
        r->p[c] = r->pdot[c] = NAN;
    clv_closing_accelerations(s, e, r->u, r->udot);
    for (int row = 0; row < edge->m; row++)
        for (int i = 0; i < 6; i++) {
            to = edge->motion >= 0 && row == edge->m - 1 ? d : w; /* the last row of a driven joint is its drive */
            to[i] += s->system.kin.D[36 * (size_t)e + 6 * (size_t)row + (size_t)i] * s->system.lambda[edge->row + row];
        }
    if (clv_system_joint_loads(&s->system) && r->nu > 0) {
        clv_joint_dual(j, s->system.kin.cut_H + 36 * (size_t)e, G);
        for (int c = 0; c < r->nu; c++)
            for (int i = 0; i < 6; i++)
                d[i] += G[6 * c + i] * s->system.joint_tau[6 * (size_t)edge->joint + (size_t)c];
    }
    for (int c = 0; c < r->nu; c++)
        r->effort[c] = clv_dot6(s->system.kin.cut_H + 36 * (size_t)e + 6 * (size_t)c, d);
    for (int i = 0; i < 3; i++) {
        r->force[i] = w[i], r->torque[i] = w[3 + i];
        r->drive_force[i] = d[i], r->drive_torque[i] = d[3 + i];
    }
}

/* A free joint that is not in the tree holds nothing.  Its accelerations are not found. */
static void loose_result(const clv_sim *s, int joint, clv_joint_result *r)
{
    const clv_joint *j = &s->model->joint[joint];
    r->nq = clv_joint_table[j->kind].nq, r->nu = clv_joint_table[j->kind].nu;
    clv_kinematics_loose_state(&s->system.kin, joint, r->q, r->u);
    for (int c = 0; c < 6; c++)
        r->udot[c] = r->p[c] = r->pdot[c] = NAN;
}

/* A joint that is not there has no coordinates, and holds nothing. */
static void absent_result(const clv_joint *j, clv_joint_result *r)
{
    r->nq = clv_joint_table[j->kind].nq, r->nu = clv_joint_table[j->kind].nu;
    for (int i = 0; i < 7; i++)
        r->q[i] = NAN;
    for (int c = 0; c < 6; c++)
        r->u[c] = r->udot[c] = r->p[c] = r->pdot[c] = NAN;
}

void clv_sim_reaction(clv_sim *s, int joint, clv_joint_result *r)
{
    assert(s->evaluated);
    const int child = s->plan->child_of_joint[joint];
    memset(r, 0, sizeof *r);
    if (child >= 0)
        tree_result(s, child, r);
    else if (s->plan->edge_of_joint[joint] >= 0)
        closing_result(s, s->plan->edge_of_joint[joint], r);
    else if (s->model->joint[joint].absent)
        absent_result(&s->model->joint[joint], r);
    else
        loose_result(s, joint, r);
}

static clv_status joint_result(clv_sim *s, int joint, clv_joint_result *r)
{
    if (!r)
        return clv_fail(&s->error, CLV_ERR_USAGE, "the pointer to the result is NULL");
    if (joint < 0 || joint >= s->model->njoint)
        return clv_fail(&s->error, CLV_ERR_USAGE, "there is no joint number %d", joint);
    const clv_status st = evaluate_all(s);
    if (st != CLV_OK)
        return st;
    clv_sim_reaction(s, joint, r);
    memcpy(r->unique, s->unique + 6 * (size_t)joint, 6 * sizeof(bool));
    r->effort_unique = s->effort_unique[joint];
    return CLV_OK;
}

clv_status clv_sim_joint(clv_sim *s, int joint, clv_joint_result *r)
{
    if (r)
        memset(r, 0, sizeof *r);
    clv_status st = clv_sim_enter(s, __func__);
    return st == CLV_OK ? clv_sim_leave(s, joint_result(s, joint, r)) : st;
}
