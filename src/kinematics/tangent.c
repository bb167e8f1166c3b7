/* SPDX-License-Identifier: Apache-2.0
 * Tangent rows of springs and dampers; see tangent.h and T26.  What is indefinite or unsymmetric (compressed springs
 * across their line, turning directions, loads of body axes) stays in the residual alone. */
#include "kinematics/tangent.h"
#include "kinematics/place.h"
#include "math/rotation.h"
#include "math/symmetric.h"
#include "model/contact.h"
#include <math.h>
#include <string.h>

/* sets a row: weight^(1/2) times the wrench direction w, acting at O on b, the opposite on a */
static void set_row(clv_kinematics *k, const clv_edge *e, int row, int body, const double O[3], const double w[6],
                    double factor)
{
    for (int h = 0; h < e->nhandle; h++) {
        if (e->body[h] != body)
            continue;
        double l[3], at[6], *to = k->engine->block + e->block[h] + 6 * row;
        clv_sub3(l, O, k->ref + 3 * (size_t)body);
        clv_wrench_shift(at, l, w);
        for (int i = 0; i < 6; i++)
            to[i] = factor * at[i];
    }
}

static void point_on(const clv_kinematics *k, int body, const double point[3], double at[3])
{
    if (body < 0) {
        clv_copy3(at, point);
        return;
    }
    double x[3];
    clv_sub3(x, point, k->plan->model->body[body].com);
    clv_mat3_times(at, k->R + 9 * (size_t)body, x);
    clv_axpy3(at, 1.0, k->com + 3 * (size_t)body);
}

/* along the line: c and k; across it: the tension over the length, where it pulls */
static void fill_spring(clv_kinematics *k, const clv_edge *e, const clv_force *f, double on_rate, double on_place)
{
    double a[3], b[3], d[3], E[9] = {0}, none[3] = {0};
    point_on(k, f->a, f->point_a, a), point_on(k, f->b, f->point_b, b);
    clv_sub3(d, b, a);
    const double l = clv_norm3(d);
    double tension = l > 0 ? f->stiffness * (l - f->rest) / l : f->rest == 0 ? f->stiffness : 0;
    double along = on_rate * f->damping + on_place * f->stiffness, pull, place, rate;
    if (l > 0 && f->stop.stiffness > 0) { /* limits of the distance, as if it were at rest (T52) */
        (void)clv_stop_at(&f->stop, l, 0, &pull, &place, &rate);
        along += on_rate * rate + on_place * place, tension -= pull / l;
    }
    double across = on_place * fmax(tension, 0.0);
    if (!clv_rotation_frame(E, d, none)) { /* points coincide: no line, no damping */
        clv_mat3_identity(E);
        along = across;
    }
    for (int row = 0; row < 3; row++) {
        double w[6] = {0}, weight = row == 2 ? along : across;
        clv_mat3_column(w, E, row);
        set_row(k, e, row, f->b, b, w, sqrt(weight));
        set_row(k, e, row, f->a, a, w, -sqrt(weight));
    }
}

static void fill_angular(clv_kinematics *k, const clv_edge *e, const clv_force *f, double on_rate)
{
    const double none[3] = {0}, weight = sqrt(on_rate * f->damping);
    for (int row = 0; row < 3; row++) {
        double w[6] = {0};
        w[3 + row] = 1;
        const double *b = f->b < 0 ? none : k->ref + 3 * (size_t)f->b,
                     *a = f->a < 0 ? none : k->ref + 3 * (size_t)f->a;
        set_row(k, e, row, f->b, b, w, weight);
        set_row(k, e, row, f->a, a, w, -weight);
    }
}

/* along and about its axes in a */
static void fill_bushing(clv_kinematics *k, const clv_edge *e, const clv_force *f, double on_rate, double on_place)
{
    const clv_bushing *g = &f->bushing;
    double own[9], E[9], b[3];
    clv_quat_rotation(own, g->orientation_a);
    memcpy(E, own, sizeof E);
    if (f->a >= 0)
        clv_mat3_product(E, k->R + 9 * (size_t)f->a, own);
    point_on(k, f->b, f->point_b, b);
    for (int row = 0; row < 6; row++) {
        double w[6] = {0};
        const double weight = sqrt(on_rate * g->damping[row] + on_place * g->stiffness[row]);
        clv_mat3_column(row < 3 ? w : w + 3, E, row % 3);
        set_row(k, e, row, f->b, b, w, weight);
        set_row(k, e, row, f->a, b, w, -weight);
    }
}

/* the row w at O on both bodies */
static void set_pair(clv_kinematics *k, const clv_edge *e, const clv_force *f, int row, const double O[3],
                     const double w[6], double factor)
{
    set_row(k, e, row, f->b, O, w, factor);
    set_row(k, e, row, f->a, O, w, -factor);
}

/* A (6 x 6) += weight w w^T, w a force along `along` at x, seen from O */
static void add_direction(double A[36], const double O[3], const double x[3], const double along[3], double weight)
{
    double w[6], arm[3];
    clv_sub3(arm, x, O);
    clv_copy3(w, along), clv_cross(w + 3, arm, along);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            A[6 * i + j] += weight * w[i] * w[j];
}

/* Of one point the three directions; of several the six of the pair of bodies, whose products add up to the same. */
static void fill_contact(clv_kinematics *k, const clv_edge *e, const clv_force *f, double on_rate, double on_place)
{
    clv_touch x[CLV_TOUCH_POINTS];
    double A[36] = {0}, zero[6] = {0}, none[3] = {0};
    const int n = clv_contact_find(k->plan->model, f, k->com, k->R, x);
    for (int row = 0; row < e->m; row++)
        set_pair(k, e, f, row, none, zero, 0);
    for (int p = 0; p < n; p++) {
        double E[9], v[3], weight[3];
        clv_contact_slide(f->a, f->b, x[p].at, k->com, k->load_V, v);
        clv_contact_tangent(&f->contact, &x[p], v, on_rate, on_place, E, weight);
        for (int row = 0; row < 3; row++) {
            double w[6] = {0};
            clv_mat3_column(w, E, row);
            if (e->m == 3)
                set_pair(k, e, f, row, x[p].at, w, sqrt(weight[row]));
            else
                add_direction(A, x[0].at, x[p].at, w, weight[row]);
        }
    }
    if (e->m == 3 || n == 0)
        return;
    clv_cholesky_semidefinite(A, 6);
    for (int row = 0; row < 6; row++) {
        double w[6];
        for (int i = 0; i < 6; i++)
            w[i] = A[6 * i + row];
        set_pair(k, e, f, row, x[0].at, w, 1);
    }
}

/* the pair +-G at b's point */
static void fill_joint(clv_kinematics *k, const clv_edge *e, const clv_force *f, double on_rate, double on_place)
{
    const clv_joint *j = &k->plan->model->joint[f->joint];
    const int at = k->plan->edge_of_joint[f->joint], child = k->plan->child_of_joint[f->joint];
    double G[36], O[3];
    const double press = k->load_bearing ? k->load_bearing[f - k->plan->model->force] : 0;
    const double weight = sqrt(clv_force_tangent(f, press, k->load_q, k->load_u, on_rate, on_place));
    if (child >= 0) { /* between strands: the child's own direction */
        const double *own = k->G + clv_columns(k->plan, (size_t)child) + 6 * (size_t)f->coordinate;
        set_row(k, e, 0, child, k->ref + 3 * (size_t)child, own, weight);
        set_row(k, e, 0, k->plan->tree[child].parent, k->ref + 3 * (size_t)child, own, -weight);
        return;
    }
    if (at < 0)
        return;
    clv_joint_dual(j, k->cut_H + 36 * (size_t)at, G);
    point_on(k, j->b, j->pb, O);
    set_row(k, e, 0, j->b, O, G + 6 * (size_t)f->coordinate, weight);
    set_row(k, e, 0, j->a, O, G + 6 * (size_t)f->coordinate, -weight);
}

/* adds a wrench w at O to the row of an edge; a body may be held by several */
static void add_to_row(clv_kinematics *k, const clv_edge *e, int body, const double O[3], const double w[6],
                       double factor)
{
    for (int h = 0; h < e->nhandle; h++) {
        if (e->body[h] != body)
            continue;
        double l[3], at[6], *to = k->engine->block + e->block[h];
        clv_sub3(l, O, k->ref + 3 * (size_t)body);
        clv_wrench_shift(at, l, w);
        for (int i = 0; i < 6; i++)
            to[i] += factor * at[i];
    }
}

/* the length of the path, and its row with factor 1 where `weight` is not 0 */
static double path_row(clv_kinematics *k, const clv_edge *e, const clv_force *f, double weight)
{
    double length = 0;
    for (int i = 0; i + 1 < f->npoint; i++) {
        double a[3], b[3], n[6] = {0};
        point_on(k, f->path[i].body, f->path[i].position, a);
        point_on(k, f->path[i + 1].body, f->path[i + 1].position, b);
        clv_sub3(n, b, a);
        const double l = clv_norm3(n);
        length += l;
        for (int x = 0; l > 0 && x < 3; x++)
            n[x] /= l;
        if (weight == 0)
            continue;
        add_to_row(k, e, f->path[i].body, a, n, -weight);
        add_to_row(k, e, f->path[i + 1].body, b, n, weight);
    }
    return length;
}

/* along its length: c and k; across it nothing */
static void fill_tendon(clv_kinematics *k, const clv_edge *e, const clv_force *f, double on_rate, double on_place)
{
    double length = path_row(k, e, f, 0), sum = on_rate * f->damping + on_place * f->stiffness, pull, place, rate;
    for (int i = 0; i < f->nterm; i++)
        length += f->term[i].factor * k->load_q[7 * (size_t)f->term[i].joint];
    if (f->stop.stiffness > 0) { /* as if it were at rest (T52) */
        (void)clv_stop_at(&f->stop, length, 0, &pull, &place, &rate);
        sum += on_rate * rate + on_place * place;
    }
    const double weight = sqrt(sum);
    for (int h = 0; h < e->nhandle; h++)
        memset(k->engine->block + e->block[h], 0, 6 * sizeof(double));
    if (weight > 0)
        path_row(k, e, f, weight);
    for (int i = 0; i < f->nterm; i++) {
        const clv_joint *j = &k->plan->model->joint[f->term[i].joint];
        const int at = k->plan->edge_of_joint[f->term[i].joint], child = k->plan->child_of_joint[f->term[i].joint];
        const double factor = weight * f->term[i].factor;
        double G[36], O[3];
        if (child >= 0) { /* the child's own direction */
            const double *own = k->G + clv_columns(k->plan, (size_t)child), *ref = k->ref + 3 * (size_t)child;
            add_to_row(k, e, child, ref, own, factor);
            add_to_row(k, e, k->plan->tree[child].parent, ref, own, -factor);
        } else if (at >= 0) {
            clv_joint_dual(j, k->cut_H + 36 * (size_t)at, G);
            point_on(k, j->b, j->pb, O);
            add_to_row(k, e, j->b, O, G, factor);
            add_to_row(k, e, j->a, O, G, -factor);
        }
    }
}

/* the modes' own stiffness and damping, symmetric part */
static void fill_modes(clv_kinematics *k, int star, double on_rate, double on_place)
{
    const clv_flex *f = &k->plan->model->flex[star];
    double *extra = k->engine->room[star].extra;
    const int n = f->nmode;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const int a = i * n + j, b = j * n + i;
            extra[a] = 0.5 * (on_rate * (f->C[a] + f->C[b]) + on_place * (f->K[a] + f->K[b]));
        }
}

void clv_tangent_clear(clv_kinematics *k)
{
    for (int i = 0; i < k->plan->nstar; i++) {
        const size_t n = (size_t)k->plan->star[i].nmode;
        memset(k->engine->room[i].extra, 0, n * n * sizeof(double));
    }
}

void clv_tangent_fill(clv_kinematics *k, double on_rate, double on_place)
{
    for (int i = 0; i < k->plan->nstar; i++)
        fill_modes(k, i, on_rate, on_place);
    for (int i = 0; i < k->plan->nedge; i++) {
        const clv_edge *e = &k->plan->edge[i];
        if (e->force < 0)
            continue;
        const clv_force *f = &k->plan->model->force[e->force];
        if (f->kind == CLV_FORCE_SPRING)
            fill_spring(k, e, f, on_rate, on_place);
        else if (f->kind == CLV_FORCE_ANGULAR)
            fill_angular(k, e, f, on_rate);
        else if (f->kind == CLV_FORCE_BUSHING)
            fill_bushing(k, e, f, on_rate, on_place);
        else if (f->kind == CLV_FORCE_TENDON)
            fill_tendon(k, e, f, on_rate, on_place);
        else if (f->kind == CLV_FORCE_CONTACT)
            fill_contact(k, e, f, on_rate, on_place);
        else
            fill_joint(k, e, f, on_rate, on_place);
    }
}
