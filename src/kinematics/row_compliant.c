/* SPDX-License-Identifier: Apache-2.0
 * Directions of joints that are eliminated with their compliances (T23.8): free ones H, then the duals of the rows,
 * D (D^T D)^-1, so that D^T T is the unit; at the child's centre of mass.
 *
 * Off the constraints H and D of some joints are not quite orthogonal, because they are axes of different bodies: what
 * H has along the rows is taken off. */
#include "kinematics/row_compliant.h"
#include <string.h>
#include "kinematics/place.h"
#include "math/spatial.h"
#include "math/symmetric.h"

/* X (6 x n) := X (D^T D)^-1, for X = D */
static void dual(double *X, const double *D, int n)
{
    double B[36];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            B[n * i + j] = clv_dot6(D + 6 * i, D + 6 * j);
    clv_cholesky(B, n, 0); /* rows of a joint are independent */
    for (int i = 0; i < 6; i++) {
        double y[6];
        for (int j = 0; j < n; j++)
            y[j] = D[6 * j + i];
        clv_lower_solve(B, n, y), clv_lower_transpose_solve(B, n, y);
        for (int j = 0; j < n; j++)
            X[6 * j + i] = y[j];
    }
}

/* six directions at the joint's point on the child, for the rows D of the edge and its free directions H */
static void directions(double T[36], const double *H, const double *D, int n, bool orthonormal)
{
    const int f = CLV_DIRECTIONS - n;
    double *X = T + 6 * f;
    memcpy(T, H, 6 * (size_t)f * sizeof(double)), memcpy(X, D, 6 * (size_t)n * sizeof(double));
    if (orthonormal)
        return;
    dual(X, D, n);
    for (int i = 0; i < f; i++)
        for (int j = 0; j < n; j++) {
            const double along = clv_dot6(D + 6 * j, H + 6 * i);
            for (int k = 0; k < 6; k++)
                T[6 * i + k] -= along * X[6 * j + k];
        }
}

void clv_compliant_fill_joint(clv_compliant *c, const clv_kinematics *k, int body)
{
    const int e = c->edge[body];
    const clv_edge *edge = &k->plan->edge[e];
    const clv_joint *j = &k->plan->model->joint[edge->joint];
    const int n = edge->m, f = CLV_DIRECTIONS - n, parent = j->b == body ? j->a : j->b;
    double O[3], Oa[3], T[36], w[6] = {0}, r[3], l[3];
    directions(T, k->cut_H + 36 * (size_t)e, k->D + 36 * (size_t)e, n, clv_holds_point(j->kind));
    clv_closing_point(k, j, O), clv_closing_point_a(k, j, e, O, Oa);
    const double *own = j->b == body ? O : Oa, *other = j->b == body ? Oa : O;
    clv_sub3(l, k->com + 3 * (size_t)body, own);
    for (int i = 0; i < CLV_DIRECTIONS; i++) {
        clv_motion_shift(T + 6 * i, l, T + 6 * i);
        for (int n6 = 0; j->b != body && n6 < 6; n6++)
            T[6 * i + n6] = -T[6 * i + n6];
    }
    for (int i = 0; i < n; i++)
        w[f + i] = 1.0 / k->engine->eps[edge->row + i];
    memset(r, 0, sizeof r);
    if (parent >= 0)
        for (int i = 0; i < 3; i++)
            r[i] = other[i] - k->com[3 * (size_t)parent + (size_t)i] + l[i];
    clv_compliant_joint(c, body, r, T, w);
}
