/* SPDX-License-Identifier: Apache-2.0
 * Flexible bodies in motion (T30): poses of nodes, mode columns and their rates.  Their mass: deform_mass.c. */
#include "kinematics/deform.h"
#include "engine/kernels.h"
#include "kinematics/place.h"
#include "kinematics/row_kernels.h"
#include "math/turn.h"

const clv_row_kernels *clv_deform_kernels(const clv_kinematics *k)
{
    return clv_row_kernels_of(k->engine->kernels->lanes);
}

static const clv_flex_node *node_of(const clv_kinematics *k, int body)
{
    const clv_body *b = &k->plan->model->body[body];
    return &k->plan->model->flex[b->flex].node[b->node];
}

/* turn of a node, at its last pose */
static clv_turn *turn_of(const clv_kinematics *k, int star, int body)
{
    return &k->deformed[star].turn[k->plan->model->body[body].node];
}

/* ------------------------------------------------------------------ poses and mode columns */

void clv_deform_pose(clv_kinematics *k, int body)
{
    const clv_tree_joint *t = &k->plan->tree[body];
    const clv_model *m = k->plan->model;
    size_t frame = (size_t)k->plan->star[t->link].frame, node = (size_t)((int)frame == body ? t->parent : body);
    double at[3], Rn[9], l[3], x[3], *R = k->R + 9 * frame;
    clv_flex_node_turn(&m->flex[t->link], node_of(k, (int)node), clv_modes_of(k, k->eta, t->link), at, Rn,
                       turn_of(k, t->link, (int)node));
    clv_sub3(l, at, m->body[frame].com);
    if ((int)frame == body) { /* the tree enters at the node: its origin is its centre of mass */
        clv_mat3_product_transpose(R, k->R + 9 * node, Rn);
        clv_mat3_times(x, R, l);
        clv_sub3(k->com + 3 * frame, k->com + 3 * node, x);
        clv_copy3(k->ref + 3 * frame, k->com + 3 * frame);
    } else {
        clv_mat3_product(k->R + 9 * node, R, Rn);
        clv_mat3_times(x, R, l);
        clv_copy3(k->com + 3 * node, k->com + 3 * frame);
        clv_axpy3(k->com + 3 * node, 1.0, x);
        clv_copy3(k->ref + 3 * node, k->com + 3 * node);
    }
    clv_sub3(k->arm + 3 * (size_t)body, k->ref + 3 * (size_t)body, k->ref + 3 * (size_t)t->parent);
}

/* the node of a link: the entry for the link to the frame */
static int node_of_link(const clv_kinematics *k, int body)
{
    const clv_tree_joint *t = &k->plan->tree[body];
    return body == k->plan->star[t->link].frame ? t->parent : body;
}

/* link to a node: M = Phi at its origin, [R phi; R T phi^r]; to the frame: M = -Phi of the entry, at the frame's
 * reference point */
static void fill_columns(clv_kinematics *k, int body)
{
    const int star = k->plan->tree[body].link, frame = k->plan->star[star].frame, node = node_of_link(k, body);
    const int n = k->plan->star[star].nmode;
    const double *R = k->R + 9 * (size_t)frame, *shape = node_of(k, node)->shape;
    double T[9], RT[9], d[3], *M = k->engine->modes + clv_modes(k->plan, (size_t)body);
    clv_turn_jacobian_at(T, turn_of(k, star, node));
    clv_mat3_product(RT, R, T);
    clv_deform_kernels(k)->deform_columns(M, 6, R, shape, RT, shape + 3, n, 1, 6);
    if (body != frame)
        return;
    clv_sub3(d, k->ref + 3 * (size_t)frame, k->com + 3 * (size_t)node);
    for (int m = 0; m < n; m++, M += 6) {
        clv_motion_shift(M, d, M);
        for (int i = 0; i < 6; i++)
            M[i] = -M[i];
    }
}

/* What a rate of the shape `shape` (6) adds to the motion of a link changes at: w x column + [0; R Td phi^r]. */
typedef struct link_rates {
    bool to_frame;
    const double *R, *w;
    double RT[9], RTd[9], d[3], dd[3];
} link_rates;

static void rate_of(const link_rates *l, const double shape[6], double rate[6])
{
    double column[6], x[3];
    clv_mat3_times(column, l->R, shape), clv_mat3_times(column + 3, l->RT, shape + 3);
    clv_mat3_times(x, l->RTd, shape + 3);
    clv_cross(rate, l->w, column), clv_cross(rate + 3, l->w, column + 3);
    clv_axpy3(rate + 3, 1.0, x);
    if (!l->to_frame)
        return;
    clv_motion_shift(rate, l->d, rate);
    clv_cross(x, column + 3, l->dd);
    clv_axpy3(rate, 1.0, x);
    for (int i = 0; i < 6; i++)
        rate[i] = -rate[i];
}

/* sum over modes of shape times rate */
static void shape_rate(const clv_kinematics *k, int star, const double *shape, double sum[6])
{
    const double *rate = clv_modes_of(k, k->etad, star);
    clv_six t = {0};
    for (int m = 0; m < k->plan->star[star].nmode; m++)
        t = clv_six_add(t, rate[m], clv_six_load(shape + 6 * m));
    clv_six_store(sum, t);
}

static link_rates rates_of(const clv_kinematics *k, int body, const double thetad[3])
{
    const int star = k->plan->tree[body].link, frame = k->plan->star[star].frame, node = node_of_link(k, body);
    link_rates l = {.to_frame = body == frame, .R = k->R + 9 * (size_t)frame, .w = k->V + 6 * (size_t)frame + 3};
    double T[9], Td[9], v[3];
    clv_turn_jacobian_at(T, turn_of(k, star, node)), clv_turn_jacobian_rate_at(Td, turn_of(k, star, node), thetad);
    clv_mat3_product(l.RT, l.R, T), clv_mat3_product(l.RTd, l.R, Td);
    clv_sub3(l.d, k->ref + 3 * (size_t)frame, k->com + 3 * (size_t)node);
    clv_point_velocity(k, node, k->com + 3 * (size_t)node, v);
    clv_sub3(l.dd, k->V + 6 * (size_t)frame, v);
    return l;
}

void clv_deform_rates(clv_kinematics *k, int body)
{
    const int star = k->plan->tree[body].link;
    const double *shape = node_of(k, node_of_link(k, body))->shape;
    double sum[6], *Md = k->Md + clv_modes(k->plan, (size_t)body);
    shape_rate(k, star, shape, sum);
    const link_rates l = rates_of(k, body, sum + 3);
    for (int m = 0; m < k->plan->star[star].nmode; m++)
        rate_of(&l, shape + 6 * m, Md + 6 * m);
}

void clv_deform_bias(const clv_kinematics *k, int body, double c[6])
{
    double sum[6], rate[6];
    shape_rate(k, k->plan->tree[body].link, node_of(k, node_of_link(k, body))->shape, sum);
    const link_rates l = rates_of(k, body, sum + 3);
    rate_of(&l, sum, rate);
    clv_add6(c, rate);
}

void clv_deform_outboard(const clv_kinematics *k, int body, const double P[6], const double Q[6], double F[6],
                         double e[3], const double **shape)
{
    const int star = k->plan->tree[body].link;
    double sum[6], A[3], N[3], x[3], y[3];
    *shape = node_of(k, node_of_link(k, body))->shape;
    shape_rate(k, star, *shape, sum);
    const link_rates l = rates_of(k, body, sum + 3);
    clv_copy3(N, P + 3);
    if (l.to_frame)
        clv_cross(x, l.d, P), clv_axpy3(N, 1.0, x);
    clv_cross(A, P, l.w), clv_cross(x, N, l.w), clv_cross(y, P, k->V + 6 * (size_t)body);
    for (int i = 0; i < 3; i++)
        F[i] = Q[i] + A[i], F[3 + i] = Q[3 + i] + y[i] + x[i];
    clv_mat3_transpose_times(e, l.RTd, N);
    if (!l.to_frame)
        return;
    clv_cross(x, l.dd, P), clv_cross(y, l.d, A);
    for (int i = 0; i < 3; i++)
        F[3 + i] += x[i] - y[i], e[i] = -e[i];
}

void clv_deform_add_velocity(const clv_kinematics *k, int body, double V[6])
{
    int star = k->plan->tree[body].link;
    if (star < 0)
        return;
    const double *M = k->engine->modes + clv_modes(k->plan, (size_t)body), *rate = clv_modes_of(k, k->etad, star);
    for (int m = 0; m < k->plan->star[star].nmode; m++)
        for (int i = 0; i < 6; i++)
            V[i] += M[6 * m + i] * rate[m];
}

void clv_deform_fill(clv_kinematics *k, int star)
{
    const clv_plan *p = k->plan;
    const clv_flex *f = &p->model->flex[star];
    clv_deform_mass(k, star);
    if (p->tree[f->body].link >= 0)
        fill_columns(k, f->body);
    for (int i = 0; i < f->nnode; i++)
        if (p->tree[f->node[i].body].link >= 0)
            fill_columns(k, f->node[i].body);
}
