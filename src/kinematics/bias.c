/* SPDX-License-Identifier: Apache-2.0
 * What stands on the right-hand sides (T9, T10, T12): violations, bias terms, load pairs of closings,
 * velocity terms, momenta. */
#include <math.h>
#include "kinematics/deform.h"
#include "kinematics/closing_pack.h"
#include "kinematics/place.h"
#include "math/sincos.h"
#include "model/coupling.h"

static void closing_coordinates(const clv_kinematics *k, int e, double *q)
{
    const clv_joint *j = &k->plan->model->joint[k->plan->edge[e].joint];
    const clv_joint_place *at = &k->closing[e];
    const double *near = k->turn + 6 * (size_t)e;
    double R[9], d[3];
    if (!clv_joint_table[j->kind].coordinates)
        return;
    clv_mat3_transpose_product(R, at->Ea, at->Eb);
    clv_mat3_transpose_times(d, at->Ea, at->d);
    clv_joint_table[j->kind].coordinates(j, R, d, q);
    for (int i = 0; i < clv_joint_table[j->kind].nq; i++)
        if (clv_joint_angle(j->kind, i))
            q[i] += 2 * CLV_PI * floor((near[i] - q[i]) / (2 * CLV_PI) + 0.5);
}

void clv_kinematics_keep_turns(clv_kinematics *k)
{
    const clv_plan *p = k->plan;
    for (int e = 0; e < p->nedge; e++) {
        double q[7];
        if (p->edge[e].tree_body >= 0 || p->edge[e].joint < 0 || clv_kinematics_leaves(k, e))
            continue;
        clv_joint_kind kind = p->model->joint[p->edge[e].joint].kind;
        int nq = clv_joint_table[kind].nq;
        if (nq == 0 || nq > clv_joint_table[kind].nu)
            continue;
        closing_coordinates(k, e, q);
        memcpy(k->turn + 6 * (size_t)e, q, (size_t)nq * sizeof(double));
    }
}

double clv_kinematics_coordinate(const clv_kinematics *k, int joint, int c)
{
    const clv_plan *p = k->plan;
    double q[7];
    if (p->child_of_joint[joint] >= 0)
        return clv_kinematics_q(k, (size_t)p->child_of_joint[joint])[c];
    closing_coordinates(k, p->edge_of_joint[joint], q);
    return q[c];
}

/* prescribed coordinate, rate and acceleration of a closing joint */
typedef struct drive {
    double q, u, ud;
} drive;
static drive drive_at(const clv_kinematics *k, int motion)
{
    drive d;
    clv_kinematics_motion(k, motion, &d.q, &d.u, &d.ud);
    return d;
}

static double coupling_violation(const clv_kinematics *k, const clv_coupling *c)
{
    double sum = 0, f[3];
    for (int i = 0; i < c->nterm; i++) {
        clv_coupling_term_at(c, i, clv_kinematics_coordinate(k, c->term[i].joint, 0), f);
        sum = i == 0 ? f[0] : sum + f[0];
    }
    return sum - c->offset;
}

void clv_kinematics_violation(clv_kinematics *k, double *c)
{
    const clv_plan *p = k->plan;
    for (int e = 0; e < p->nedge; e++) {
        const clv_edge *edge = &p->edge[e];
        if (!clv_edge_closes(edge) || clv_kinematics_leaves(k, e))
            continue;
        if (edge->coupling >= 0) {
            c[edge->row] = coupling_violation(k, &p->model->coupling[edge->coupling]);
        } else {
            const clv_joint *j = &p->model->joint[edge->joint];
            clv_joint_table[j->kind].violation(j, &k->closing[e], c + edge->row);
            if (clv_holds_point(j->kind)) { /* along b's axes in the table */
                double x[3];
                clv_mat3_times(x, k->closing[e].Eb, c + edge->row);
                clv_copy3(c + edge->row, x);
            }
            if (edge->motion >= 0)
                c[edge->row + edge->m - 1] = clv_kinematics_coordinate(k, edge->joint, 0) - drive_at(k, edge->motion).q;
        }
    }
}

void clv_kinematics_velocity_violation(const clv_kinematics *k, double *c)
{
    const clv_plan *p = k->plan;
    for (int e = 0; e < p->nedge; e++) {
        const clv_edge *edge = &p->edge[e];
        if (clv_kinematics_leaves(k, e))
            continue;
        for (int r = 0; clv_edge_closes(edge) && r < edge->m; r++) {
            c[edge->row + r] = 0;
            for (int h = 0; h < edge->nhandle; h++)
                c[edge->row + r] +=
                    clv_dot6(k->engine->block + edge->block[h] + 6 * r, k->V + 6 * (size_t)edge->body[h]);
        }
        if (edge->motion >= 0)
            c[edge->row + edge->m - 1] -= drive_at(k, edge->motion).u;
    }
}

void clv_kinematics_velocity_bias(const clv_kinematics *k, double *c)
{
    const clv_plan *p = k->plan;
    memset(c, 0, 6 * (size_t)p->nbody * sizeof(double));
    for (int b = 0; b < p->nbody; b++)
        if (p->tree[b].motion >= 0)
            for (int i = 0; i < 6; i++)
                c[6 * (size_t)b + (size_t)i] =
                    k->H[clv_columns(p, (size_t)b) + (size_t)i] * *clv_kinematics_u(k, (size_t)b);
}

/* c = Hdot u + H udot (prescribed) + [w_A x (v_B - v_A); 0], velocities of the two reference points */
void clv_kinematics_body_bias(const clv_kinematics *k, int body, double c[6])
{
    const clv_tree_joint *t = &k->plan->tree[body];
    const double *V = k->V + 6 * (size_t)body, *uj = clv_kinematics_u(k, (size_t)body);
    size_t h = clv_columns(k->plan, (size_t)body);
    memset(c, 0, 6 * sizeof(double));
    if (t->parent >= 0) {
        const double *A = k->V + 6 * (size_t)t->parent;
        double dv[3];
        clv_sub3(dv, V, A);
        clv_cross(c, A + 3, dv);
    }
    for (int f = 0; f < t->nu; f++)
        for (int i = 0; i < 6; i++)
            c[i] += k->Hd[h + 6 * (size_t)f + (size_t)i] * uj[f];
    if (t->motion >= 0)
        for (int i = 0; i < 6; i++)
            c[i] += k->H[h + (size_t)i] * k->ud[6 * (size_t)body];
    if (t->link >= 0)
        clv_deform_bias(k, body, c);
}

/* rows of a closing joint: D_l.(w_a x (v_O - v_ref_a) - w_b x (w_b x l_b)) - Ddot^T dV, v_O the velocity of the point
 * on a's side */
static void closing_bias(const clv_kinematics *k, int e, double *a)
{
    const clv_edge *edge = &k->plan->edge[e];
    const clv_joint *j = &k->plan->model->joint[edge->joint];
    double O[3], Oa[3], vb[3], va[3], dV[6], bias[3] = {0};
    clv_closing_point(k, j, O), clv_closing_point_a(k, j, e, O, Oa);
    clv_point_velocity(k, j->b, O, vb), clv_point_velocity(k, j->a, Oa, va);
    for (int i = 0; i < 3; i++)
        dV[i] = vb[i] - va[i], dV[3 + i] = k->closing[e].wb[i] - k->closing[e].wa[i];
    if (j->a >= 0) {
        double x[3];
        clv_sub3(x, clv_holds_point(j->kind) ? va : vb, k->V + 6 * (size_t)j->a);
        clv_cross(bias, k->closing[e].wa, x);
    }
    if (j->b >= 0) {
        double l[3], x[3];
        clv_sub3(l, O, k->ref + 3 * (size_t)j->b);
        clv_cross(x, k->closing[e].wb, l), clv_cross(x, k->closing[e].wb, x);
        clv_axpy3(bias, -1.0, x);
    }
    for (int r = 0; r < edge->m; r++)
        a[edge->row + r] = clv_dot3(k->D + 36 * (size_t)e + 6 * (size_t)r, bias) -
                           clv_dot6(k->Dd + 36 * (size_t)e + 6 * (size_t)r, dV);
    if (edge->motion >= 0)
        a[edge->row + edge->m - 1] += drive_at(k, edge->motion).ud;
}

/* rate of the joint of a pair */
static double pair_rate(const clv_kinematics *k, int joint, const clv_pair *pair)
{
    double va[3], vb[3], wa[3], wb[3], dV[6];
    if (pair->edge < 0)
        return *clv_kinematics_u(k, (size_t)k->plan->child_of_joint[joint]);
    clv_point_velocity(k, pair->b, pair->O, vb), clv_point_velocity(k, pair->a, pair->O, va);
    clv_omega(k, pair->b, wb), clv_omega(k, pair->a, wa);
    clv_sub3(dV, vb, va), clv_sub3(dV + 3, wb, wa);
    return clv_dot6(pair->G, dV);
}

/* what the row of a joint with one degree of freedom must give for u' = 0; c: biases of the tree joints */
static double pair_bias(const clv_kinematics *k, int joint, const double *c)
{
    clv_pair pair = clv_joint_pair(k, joint);
    double va[3], vb[3], wa[3], wb[3], dV[6], bias[3] = {0}, Gd[6];
    if (pair.edge < 0) { /* a prescribed u' is part of c, but belongs to the left side */
        double a = clv_dot6(pair.G, c + 6 * (size_t)pair.b);
        return k->plan->tree[pair.b].motion >= 0 ? a - k->ud[6 * (size_t)pair.b] : a;
    }
    clv_point_velocity(k, pair.b, pair.O, vb), clv_point_velocity(k, pair.a, pair.O, va);
    clv_omega(k, pair.b, wb), clv_omega(k, pair.a, wa);
    clv_sub3(dV, vb, va), clv_sub3(dV + 3, wb, wa);
    if (pair.a >= 0) {
        double x[3];
        clv_sub3(x, vb, k->V + 6 * (size_t)pair.a);
        clv_cross(bias, wa, x);
    }
    if (pair.b >= 0) {
        double l[3], x[3];
        clv_sub3(l, pair.O, k->ref + 3 * (size_t)pair.b);
        clv_cross(x, wb, l), clv_cross(x, wb, x);
        clv_axpy3(bias, -1.0, x);
    }
    clv_pair_rate(k, &pair, Gd);
    return clv_dot3(pair.G, bias) - clv_dot6(Gd, dV);
}

/* T98.2: sum of f' times what the joint's own row must give, less f'' u^2 */
static double coupling_bias(const clv_kinematics *k, const clv_coupling *m, const double *c)
{
    double sum = 0, f[3];
    for (int i = 0; i < m->nterm; i++) {
        const int joint = m->term[i].joint;
        const bool curved = clv_coupling_curved(m, i);
        clv_coupling_term_at(m, i, curved ? clv_kinematics_coordinate(k, joint, 0) : 0, f);
        const double x = f[1] * pair_bias(k, joint, c);
        sum = i == 0 ? x : sum + x;
        if (curved) {
            const clv_pair pair = clv_joint_pair(k, joint);
            const double u = pair_rate(k, joint, &pair);
            sum -= f[2] * u * u;
        }
    }
    return sum;
}

void clv_kinematics_acceleration_bias(const clv_kinematics *k, double *c, double *a)
{
    const clv_plan *p = k->plan;
    for (int b = 0; b < p->nbody; b++)
        clv_kinematics_body_bias(k, b, c + 6 * (size_t)b);
    clv_kinematics_closing_bias(k, c, a);
}

void clv_kinematics_closing_bias(const clv_kinematics *k, const double *c, double *a)
{
    const clv_plan *p = k->plan;
    for (int e = 0; e < p->nedge; e++) {
        const clv_edge *edge = &p->edge[e];
        if (!clv_edge_closes(edge) || clv_kinematics_leaves(k, e))
            continue;
        if (edge->joint >= 0) {
            closing_bias(k, e, a);
            continue;
        }
        a[edge->row] = coupling_bias(k, &p->model->coupling[edge->coupling], c);
    }
}

/* [Ddot_l; Ddot_a + v x D_l] s of n rows on a body, at O moving with v; s: sigma (n) times sign */
static void add_turning(const clv_kinematics *k, double *W, int body, const double O[3], const double v[3], int n,
                        const double *D, const double *Dd, const double *sigma, double sign)
{
    double l[3], sum[6];
    if (body < 0)
        return;
    clv_sub3(l, O, k->ref + 3 * (size_t)body);
    memcpy(sum, W + 6 * (size_t)body, sizeof sum);
    for (int r = 0; r < n; r++, D += 6, Dd += 6) {
        const double s = sign * sigma[r];
        double w[6], x[3];
        clv_cross(x, v, D);
        w[0] = Dd[0] * s, w[1] = Dd[1] * s, w[2] = Dd[2] * s;
        w[3] = (Dd[3] + x[0]) * s, w[4] = (Dd[4] + x[1]) * s, w[5] = (Dd[5] + x[2]) * s;
        clv_wrench_shift(w, l, w);
        clv_add6(sum, w);
    }
    memcpy(W + 6 * (size_t)body, sum, sizeof sum);
}

static void closing_loads(const clv_kinematics *k, int e, const double *sigma, double *W)
{
    const clv_edge *edge = &k->plan->edge[e];
    const clv_joint *j = &k->plan->model->joint[edge->joint];
    double O[3], Oa[3], v[3], va[3];
    clv_closing_point(k, j, O), clv_closing_point_a(k, j, e, O, Oa);
    clv_point_velocity(k, j->b, O, v);
    clv_point_velocity(k, clv_holds_point(j->kind) ? j->a : j->b, Oa, va);
    const double *D = k->D + 36 * (size_t)e, *Dd = k->Dd + 36 * (size_t)e;
    add_turning(k, W, j->b, O, v, edge->m, D, Dd, sigma, -1.0);
    add_turning(k, W, j->a, Oa, va, edge->m, D, Dd, sigma, 1.0);
}

/* T98.3: the wrenches f' G change with the joint and with its coordinate */
static void coupling_loads(const clv_kinematics *k, const clv_coupling *m, double sigma, double *W)
{
    for (int i = 0; i < m->nterm; i++) {
        const int joint = m->term[i].joint;
        const clv_pair pair = clv_joint_pair(k, joint);
        const bool curved = clv_coupling_curved(m, i);
        double Gd[6], v[3], f[3];
        clv_coupling_term_at(m, i, curved ? clv_kinematics_coordinate(k, joint, 0) : 0, f);
        const double s = sigma * f[1];
        clv_pair_rate(k, &pair, Gd);
        clv_point_velocity(k, pair.b, pair.O, v);
        add_turning(k, W, pair.b, pair.O, v, 1, pair.G, Gd, &s, -1.0);
        add_turning(k, W, pair.a, pair.O, v, 1, pair.G, Gd, &s, 1.0);
        if (curved) { /* at rest beside it */
            const double turning = sigma * f[2] * pair_rate(k, joint, &pair), still[3] = {0, 0, 0};
            add_turning(k, W, pair.b, pair.O, still, 1, pair.G, pair.G, &turning, -1.0);
            add_turning(k, W, pair.a, pair.O, still, 1, pair.G, pair.G, &turning, 1.0);
        }
    }
}

void clv_kinematics_closing_loads(const clv_kinematics *k, const double *sigma, double *W)
{
    const clv_plan *p = k->plan;
    const bool turned = clv_closings_packed(k) && k->pack[k->npack - 1].rows == 5; /* fixed joints come last */
    clv_closing_packs_loads(k, sigma, W);
    for (int e = 0; e < p->nedge && !turned; e++) {
        const clv_edge *edge = &p->edge[e];
        if (!clv_edge_closes(edge) || clv_closing_turned(k, e))
            continue;
        if (edge->joint >= 0) {
            closing_loads(k, e, sigma + edge->row, W);
            continue;
        }
        coupling_loads(k, &p->model->coupling[edge->coupling], sigma[edge->row], W);
    }
}

void clv_kinematics_gyroscopic(const clv_kinematics *k, double *W)
{
    const clv_plan *p = k->plan;
    for (size_t b = 0; b < (size_t)p->nbody; b++) {
        const double *w = k->V + 6 * b + 3, *J = k->Jc + 6 * b;
        double l[3], f[3], Jw[3], n[3], x[3], m = p->model->body[b].mass;
        clv_sub3(l, k->com + 3 * b, k->ref + 3 * b);
        clv_cross(f, w, l), clv_cross(f, w, f);
        Jw[0] = J[0] * w[0] + J[1] * w[1] + J[2] * w[2];
        Jw[1] = J[1] * w[0] + J[3] * w[1] + J[4] * w[2];
        Jw[2] = J[2] * w[0] + J[4] * w[1] + J[5] * w[2];
        clv_cross(n, w, Jw);
        for (int i = 0; i < 3; i++)
            f[i] *= m;
        clv_cross(x, l, f);
        for (int i = 0; i < 3; i++)
            W[6 * b + (size_t)i] = f[i], W[6 * b + 3 + (size_t)i] = n[i] + x[i];
    }
    for (int s = 0; s < p->nstar; s++)
        clv_deform_gyroscopic(k, s, W + 6 * (size_t)p->star[s].frame);
}

void clv_kinematics_momentum(const clv_kinematics *k, double *P)
{
    double I[21];
    for (size_t b = 0; b < (size_t)k->plan->nbody; b++)
        clv_inertia_times(P + 6 * b, clv_kinematics_inertia(k, b, I), k->V + 6 * b);
    for (int s = 0; s < k->plan->nstar; s++) { /* Mrf eta' */
        size_t n = (size_t)k->plan->star[s].nmode;
        for (size_t m = 0; m < n; m++)
            for (size_t i = 0; i < 6; i++)
                P[6 * (size_t)k->plan->star[s].frame + i] +=
                    k->engine->room[s].mass[m * (n + 6) + i] * k->etad[(size_t)k->plan->star[s].mode + m];
    }
}

void clv_kinematics_closing_state(const clv_kinematics *k, int e, double *q, double *u)
{
    const clv_joint *j = &k->plan->model->joint[k->plan->edge[e].joint];
    double O[3], va[3], vb[3], wa[3], wb[3], dV[6], G[36];
    int nu = clv_joint_table[j->kind].nu;
    closing_coordinates(k, e, q);
    clv_closing_point(k, j, O);
    clv_point_velocity(k, j->a, O, va), clv_point_velocity(k, j->b, O, vb);
    clv_omega(k, j->a, wa), clv_omega(k, j->b, wb);
    clv_sub3(dV, vb, va), clv_sub3(dV + 3, wb, wa);
    clv_joint_dual(j, k->cut_H + 36 * (size_t)e, G);
    for (int c = 0; c < nu; c++)
        u[c] = clv_dot6(G + 6 * c, dV);
}
