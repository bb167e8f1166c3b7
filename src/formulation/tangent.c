/* SPDX-License-Identifier: Apache-2.0
 * Tangent rows of springs and dampers; see tangent.h and T26.  What is indefinite or unsymmetric (compressed springs
 * across their line, turning directions, loads of body axes) stays in the residual alone. */
#include "formulation/tangent.h"
#include "math/rotation.h"
#include <math.h>
#include <string.h>

/* sets a row: weight^(1/2) times the wrench direction w, acting at O on b, the opposite on a */
static void set_row(clv_system *s, const clv_edge *e, int row, int body, const double O[3], const double w[6],
                    double factor)
{
    for (int h = 0; h < e->nhandle; h++) {
        if (e->body[h] != body)
            continue;
        double l[3], at[6], *to = s->engine.block + e->block[h] + 6 * row;
        clv_sub3(l, O, s->kin.ref + 3 * (size_t)body);
        clv_wrench_shift(at, l, w);
        for (int i = 0; i < 6; i++)
            to[i] = factor * at[i];
    }
}

static void point_on(const clv_system *s, int body, const double point[3], double at[3])
{
    if (body < 0) {
        clv_copy3(at, point);
        return;
    }
    double x[3];
    clv_sub3(x, point, s->model->body[body].com);
    clv_mat3_times(at, s->kin.R + 9 * (size_t)body, x);
    clv_axpy3(at, 1.0, s->kin.com + 3 * (size_t)body);
}

/* along the line: c and k; across it: the tension over the length, where it pulls */
static void fill_spring(clv_system *s, const clv_edge *e, const clv_force *f, double on_rate, double on_place)
{
    double a[3], b[3], d[3], E[9] = {0}, none[3] = {0};
    point_on(s, f->a, f->point_a, a), point_on(s, f->b, f->point_b, b);
    clv_sub3(d, b, a);
    const double l = clv_norm3(d), tension = l > 0 ? f->stiffness * (l - f->rest) / l : f->rest == 0 ? f->stiffness : 0;
    double along = on_rate * f->damping + on_place * f->stiffness, across = on_place * fmax(tension, 0.0);
    if (!clv_rotation_frame(E, d, none)) { /* points coincide: no line, no damping */
        clv_mat3_identity(E);
        along = across;
    }
    for (int row = 0; row < 3; row++) {
        double w[6] = {0}, weight = row == 2 ? along : across;
        clv_mat3_column(w, E, row);
        set_row(s, e, row, f->b, b, w, sqrt(weight));
        set_row(s, e, row, f->a, a, w, -sqrt(weight));
    }
}

static void fill_angular(clv_system *s, const clv_edge *e, const clv_force *f, double on_rate)
{
    const double none[3] = {0}, weight = sqrt(on_rate * f->damping);
    for (int row = 0; row < 3; row++) {
        double w[6] = {0};
        w[3 + row] = 1;
        const double *b = f->b < 0 ? none : s->kin.ref + 3 * (size_t)f->b,
                     *a = f->a < 0 ? none : s->kin.ref + 3 * (size_t)f->a;
        set_row(s, e, row, f->b, b, w, weight);
        set_row(s, e, row, f->a, a, w, -weight);
    }
}

/* the pair +-G at b's point */
static void fill_joint(clv_system *s, const clv_edge *e, const clv_force *f, double on_rate, double on_place)
{
    const clv_joint *j = &s->model->joint[f->joint];
    const int at = s->plan->edge_of_joint[f->joint];
    double G[36], O[3];
    if (at < 0)
        return;
    const double weight = sqrt(on_rate * f->damping + on_place * f->stiffness);
    clv_joint_dual(j, s->kin.cut_H + 36 * (size_t)at, G);
    point_on(s, j->b, j->pb, O);
    set_row(s, e, 0, j->b, O, G + 6 * (size_t)f->coordinate, weight);
    set_row(s, e, 0, j->a, O, G + 6 * (size_t)f->coordinate, -weight);
}

/* the modes' own stiffness and damping, symmetric part */
static void fill_modes(clv_system *s, int star, double on_rate, double on_place)
{
    const clv_flex *f = &s->model->flex[star];
    double *extra = s->engine.room[star].extra;
    const int n = f->nmode;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            const int a = i * n + k, b = k * n + i;
            extra[a] = 0.5 * (on_rate * (f->C[a] + f->C[b]) + on_place * (f->K[a] + f->K[b]));
        }
}

void clv_tangent_clear(clv_system *s)
{
    for (int k = 0; k < s->plan->nstar; k++) {
        const size_t n = (size_t)s->plan->star[k].nmode;
        memset(s->engine.room[k].extra, 0, n * n * sizeof(double));
    }
}

void clv_tangent_fill(clv_system *s, double on_rate, double on_place)
{
    for (int k = 0; k < s->plan->nstar; k++)
        fill_modes(s, k, on_rate, on_place);
    for (int k = 0; k < s->plan->nedge; k++) {
        const clv_edge *e = &s->plan->edge[k];
        if (e->force < 0)
            continue;
        const clv_force *f = &s->model->force[e->force];
        if (f->kind == CLV_FORCE_SPRING)
            fill_spring(s, e, f, on_rate, on_place);
        else if (f->kind == CLV_FORCE_ANGULAR)
            fill_angular(s, e, f, on_rate);
        else
            fill_joint(s, e, f, on_rate, on_place);
    }
}
