/* SPDX-License-Identifier: Apache-2.0
 * Accelerations, momenta and their rates, reactions and which of their components are unique (T13).
 *
 * A reaction component is not unique if some self-stress (wrenches in equilibrium that move nothing) changes it.  The
 * self-stresses are the null directions of the nodes; each is followed down the plan once. */
#include <math.h>
#include <string.h>
#include "base/error.h"
#include "math/rotation.h"
#include "simulation/sim.h"

/* wrench T of a tree joint on its child, at the child's point, as wrench on the joint's b at b's point */
static void on_b(const clv_sim *s, int child, const double T[6], double w[6])
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

/* ------------------------------------------------------------------ self-stresses */

static void mark(clv_sim *s, int joint, const double w[6], double noise)
{
    for (int i = 0; joint >= 0 && i < 6; i++)
        if (fabs(w[i]) * (i < 3 ? s->size : 1) > noise)
            s->unique[6 * joint + i] = false;
}

/* wrench of an edge with the engine's sigma: on the child of a tree edge at its point,
 * or on b of a closing at b's point */
static void edge_wrench(const clv_sim *s, int e, double w[6])
{
    const clv_edge *edge = &s->plan->edge[e];
    const double *D = edge->tree_body >= 0 ? s->system.engine.block + edge->block[0] : s->system.kin.D + 36 * (size_t)e;
    memset(w, 0, 6 * sizeof(double));
    for (int r = 0; edge->coupling < 0 && r < edge->m; r++)
        for (int i = 0; i < 6; i++)
            w[i] += D[6 * r + i] * s->system.engine.sigma[edge->row + r];
}

/* wrench at the ports of a strand: at its base, at its tip */
static void port_wrenches(const clv_sim *s, const clv_strand *k, double base[6], double tip[6])
{
    const double *T = clv_part_T(&s->system.engine, k->part);
    int nport = s->plan->part[k->part].nport;
    memset(base, 0, 6 * sizeof(double)), memset(tip, 0, 6 * sizeof(double));
    if (k->base_port)
        memcpy(base, T, 6 * sizeof(double));
    if (k->tip_port && (nport == 2 || !k->base_port))
        memcpy(tip, T + 6 * (size_t)nport - 6, 6 * sizeof(double));
}

/* Walks a strand from tip to base with the wrench that its inner joints carry.  visit sees child and wrench on it; what
 * is left at a free base is not carried by anything. */
typedef void (*visit_joint)(void *to, int child, const double T[6]);
static void walk_strand(const clv_sim *s, const clv_strand *k, double left[6], visit_joint visit, void *to)
{
    const clv_plan *p = s->plan;
    double base[6], w[6];
    port_wrenches(s, k, base, w);
    for (int i = k->length - 1; i >= 0; i--) {
        int b = p->bodies[k->first + i];
        if (i == 0 && k->base == CLV_BASE_FREE)
            break;
        double T[6];
        for (int r = 0; r < 6; r++)
            T[r] = -w[r];
        visit(to, b, T);
        clv_wrench_shift(w, s->system.kin.arm + 3 * (size_t)b, w);
    }
    for (int r = 0; r < 6; r++)
        left[r] = k->base == CLV_BASE_FREE ? w[r] + base[r] : 0.0;
}

typedef struct stress { /* sizes met in one self-stress, and what is out of balance: moments, forces times the size */
    clv_sim *s;
    double largest, left, terms;
    double noise; /* below it a component is rounding: what is out of balance shows how much */
} stress;

static void measure_wrench(stress *m, const double w[6])
{
    for (int i = 0; i < 6; i++)
        m->largest = fmax(m->largest, fabs(w[i]) * (i < 3 ? m->s->size : 1));
}

/* A coupling has no wrench of its own: what it puts on each body counts. */
static void measure_edge(stress *m, int e)
{
    const clv_engine *engine = &m->s->system.engine;
    const clv_edge *edge = &m->s->plan->edge[e];
    double w[6];
    edge_wrench(m->s, e, w);
    measure_wrench(m, w);
    for (int h = 0; edge->coupling >= 0 && h < edge->nhandle; h++) {
        for (int i = 0; i < 6; i++)
            w[i] = engine->block[edge->block[h] + i] * engine->sigma[edge->row];
        measure_wrench(m, w);
    }
}

static void measure_joint(void *to, int child, const double T[6])
{
    stress *m = to;
    const clv_tree_joint *t = &m->s->plan->tree[child];
    measure_wrench(m, T);
    for (int c = 0; c < t->f; c++) {
        const double *H = m->s->system.kin.H + clv_columns(m->s->plan, (size_t)child) + 6 * (size_t)c;
        const double L = m->s->size, h = sqrt(clv_dot3(H, H) / (L * L) + clv_dot3(H + 3, H + 3));
        m->left = fmax(m->left, fabs(clv_dot6(H, T)) / h);
        m->terms = fmax(m->terms, sqrt(clv_dot3(T, T) * L * L + clv_dot3(T + 3, T + 3)));
    }
}

static void mark_joint(void *to, int child, const double T[6])
{
    stress *m = to;
    double w[6];
    on_b(m->s, child, T, w);
    mark(m->s, m->s->plan->tree[child].joint, w, m->noise);
}

/* largest component of what a self-stress leaves on a flexible body and its modes (their force scaled as of 1 m per
 * unit of rms), as moments */
static double star_imbalance(const clv_sim *s, int star)
{
    const clv_flex *f = &s->model->flex[star];
    clv_engine *e = (clv_engine *)&s->system.engine;
    double *left = e->room[star].z, worst = 0, mass = s->model->body[f->body].mass;
    clv_star_unbalanced(e, star, left);
    for (int i = 0; i < 6 + f->nmode; i++) {
        double Mff = i < f->nmode ? f->Mff[i * f->nmode + i] : 0;
        const double length = i < f->nmode + 3 ? s->size : 1.0;
        worst = fmax(worst, fabs(left[i]) * length * (Mff > 0 ? sqrt(mass / Mff) : 1.0));
    }
    return worst;
}

static stress measure_stress(const clv_sim *s)
{
    stress m = {.s = (clv_sim *)s};
    const clv_plan *p = s->plan;
    double w[6];
    for (int i = 0; i < s->system.engine.nbelow; i++) {
        const clv_part *q = &p->part[s->system.engine.below[i]];
        if (q->strand >= 0) {
            walk_strand(s, &p->strand[q->strand], w, measure_joint, &m);
            for (int r = 0; r < 6; r++)
                m.left = fmax(m.left, fabs(w[r]) * (r < 3 ? s->size : 1.0));
        }
        if (q->star >= 0)
            m.left = fmax(m.left, star_imbalance(s, q->star));
        int first, n = clv_stressed_edges(&s->system.engine, s->system.engine.below[i], &first);
        for (int k = first; k < first + n; k++) {
            measure_edge(&m, p->edges_of[k]);
        }
    }
    m.terms = fmax(m.terms, m.largest);
    m.noise = m.terms > 0 ? fmax(1e-6, 30 * m.left / m.terms) * m.largest : 0;
    return m;
}

double clv_stress_imbalance(const clv_sim *s)
{
    stress m = measure_stress(s);
    return m.terms > 0 ? m.left / m.terms : 0;
}

static void mark_stress(clv_sim *s)
{
    const clv_plan *p = s->plan;
    stress m = measure_stress(s);
    double w[6];
    for (int i = 0; i < s->system.engine.nbelow; i++) {
        const clv_part *q = &p->part[s->system.engine.below[i]];
        if (q->strand >= 0)
            walk_strand(s, &p->strand[q->strand], w, mark_joint, &m);
        int first, n = clv_stressed_edges(&s->system.engine, s->system.engine.below[i], &first);
        for (int k = first; k < first + n; k++) {
            const clv_edge *edge = &p->edge[p->edges_of[k]];
            edge_wrench(s, p->edges_of[k], w);
            if (edge->tree_body >= 0)
                mark_joint(&m, edge->tree_body, w);
            else
                mark(s, edge->joint, w, m.noise);
        }
    }
}

void clv_find_unique(clv_sim *s)
{
    for (int i = 0; i < 6 * s->model->njoint; i++)
        s->unique[i] = true;
    for (int k = 0; k < s->plan->npart; k++)
        for (int n = 0; n < s->system.engine.nullity[k]; n++) {
            clv_engine_self_stress(&s->system.engine, k, n);
            mark_stress(s);
        }
}

/* ------------------------------------------------------------------ evaluation */

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

static clv_status evaluate(clv_sim *s)
{
    clv_system *k = &s->system;
    const clv_plan *p = s->plan;
    clv_status st = s->formulation->rates(k, s->out_time, s->out_y, s->ydot);
    if (st != CLV_OK)
        return st;
    s->seen_t = NAN;
    memcpy(s->u, k->u, (size_t)p->nu * sizeof(double));
    memcpy(s->q, s->out_y, (size_t)p->nq * sizeof(double));
    clv_hdca_momenta(k, s->p, s->pdot);
    if (k->trials)
        st = clv_system_place(k, s->out_time, s->q); /* multipliers of all joints come from the nodes */
    if (st != CLV_OK)
        return st;
    if (s->formulation->accelerate)
        st = s->formulation->accelerate(k);
    else
        clv_system_accelerate(k);
    if (st != CLV_OK)
        return st;
    clv_system_reactions(k);
    memcpy(s->udot, k->ud, (size_t)p->nu * sizeof(double));
    for (int i = 0; i < p->nstar; i++)
        memcpy(s->out_modes + 2 * p->nmode + p->star[i].mode, s->udot + p->star[i].iu,
               (size_t)p->star[i].nmode * sizeof(double));
    memcpy(s->S, k->T, 6 * (size_t)p->nbody * sizeof(double));
    memcpy(s->P, s->S, 6 * (size_t)p->nbody * sizeof(double)); /* kept: find_unique uses S */
    body_accelerations(s);
    clv_momentum_accelerations(s);
    clv_marker_accelerations(s);
    if (s->formulation->accelerate) /* the null directions below are the engine's */
        st = clv_system_place(k, s->out_time, s->q);
    if (st != CLV_OK)
        return st;
    clv_find_unique(s);
    s->evaluated = true;
    return CLV_OK;
}

clv_status clv_sim_evaluate(clv_sim *s)
{
    clv_status st = clv_sim_enter(s, __func__);
    return st == CLV_OK ? clv_sim_leave(s, s->evaluated ? CLV_OK : evaluate(s)) : st;
}

static void tree_result(clv_sim *s, int child, clv_joint_result *r)
{
    const clv_tree_joint *t = &s->plan->tree[child];
    const clv_kinematics *k = &s->system.kin;
    double drive[6], all[6], part[6];
    r->tree = true, r->nq = t->nq, r->nu = t->nu;
    memcpy(r->q, k->q + 7 * (size_t)child, (size_t)t->nq * sizeof(double));
    for (int c = 0; c < t->nu; c++) {
        r->u[c] = k->u[6 * (size_t)child + (size_t)c];
        r->udot[c] = t->iu >= 0 ? s->udot[t->iu + c] : k->ud[6 * (size_t)child + (size_t)c];
        r->p[c] = t->iu >= 0 ? s->p[t->iu + c] : NAN;
        r->pdot[c] = t->iu >= 0 ? s->pdot[t->iu + c] : NAN;
    }
    drive_part(s, child, s->P + 6 * (size_t)child, part);
    for (int c = 0; c < t->nu; c++)
        r->effort[c] = clv_dot6(k->H + clv_columns(s->plan, (size_t)child) + 6 * (size_t)c, s->P + 6 * (size_t)child);
    on_b(s, child, s->P + 6 * (size_t)child, all);
    on_b(s, child, part, drive);
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

static clv_status joint_result(clv_sim *s, int joint, clv_joint_result *r)
{
    if (!r)
        return clv_fail(&s->error, CLV_ERR_USAGE, "the pointer to the result is NULL");
    if (joint < 0 || joint >= s->model->njoint)
        return clv_fail(&s->error, CLV_ERR_USAGE, "there is no joint number %d", joint);
    if (!s->evaluated) {
        clv_status st = evaluate(s);
        if (st != CLV_OK)
            return st;
    }
    int child = s->plan->child_of_joint[joint];
    if (child >= 0)
        tree_result(s, child, r);
    else if (s->plan->edge_of_joint[joint] >= 0)
        closing_result(s, s->plan->edge_of_joint[joint], r);
    memcpy(r->unique, s->unique + 6 * (size_t)joint, 6 * sizeof(bool));
    return CLV_OK;
}


clv_status clv_sim_joint(clv_sim *s, int joint, clv_joint_result *r)
{
    if (r)
        memset(r, 0, sizeof *r);
    clv_status st = clv_sim_enter(s, __func__);
    return st == CLV_OK ? clv_sim_leave(s, joint_result(s, joint, r)) : st;
}
