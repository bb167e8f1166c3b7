/* SPDX-License-Identifier: Apache-2.0
 * Accelerations that follow from those of the bodies (T12): of closing joints, whose rates are no states, and of
 * markers.  Used by evaluate.c. */
#include <string.h>
#include "kinematics/place.h"
#include "math/rotation.h"
#include "simulation/sim.h"

/* Rate of the velocity that a body has at the point O, which itself moves with v; then its angular acceleration. */
static void point_acceleration(const clv_sim *s, int body, const double O[3], const double v[3], double A[6])
{
    const clv_kinematics *k = &s->system.kin;
    double l[3], dl[3], x[3];
    memset(A, 0, 6 * sizeof(double));
    if (body < 0)
        return;
    const double *com = k->com + 3 * (size_t)body;
    memcpy(A, s->frame_A + 6 * (size_t)body, 6 * sizeof(double));
    clv_point_velocity(k, body, com, x);
    clv_sub3(l, O, com), clv_sub3(dl, v, x);
    clv_cross(x, A + 3, l), clv_axpy3(A, 1.0, x);
    clv_cross(x, k->V + 6 * (size_t)body + 3, dl), clv_axpy3(A, 1.0, x);
}

/* V_b - V_a = H u at b's point, so udot = G^T (d/dt (V_b - V_a) - Hdot u) with G^T H = 1 */
void clv_closing_accelerations(const clv_sim *s, int edge, const double *u, double *udot)
{
    const clv_kinematics *k = &s->system.kin;
    const clv_joint *j = &s->model->joint[s->plan->edge[edge].joint];
    const clv_joint_row *kind = &clv_joint_table[j->kind];
    double O[3], v[3], A[6], a[6], Hd[36], Dd[36], G[36];
    if (kind->nu == 0)
        return;
    clv_closing_point(k, j, O);
    clv_point_velocity(k, j->b, O, v);
    point_acceleration(s, j->b, O, v, A), point_acceleration(s, j->a, O, v, a);
    for (int i = 0; i < 6; i++)
        A[i] -= a[i];
    kind->rate(j, &k->closing[edge], Hd, Dd);
    for (int c = 0; c < kind->nu; c++)
        for (int i = 0; i < 6; i++)
            A[i] -= Hd[6 * c + i] * u[c];
    clv_joint_dual(j, k->cut_H + 36 * (size_t)edge, G);
    for (int c = 0; c < kind->nu; c++)
        udot[c] = clv_dot6(G + 6 * c, A);
}

void clv_marker_accelerations(clv_sim *s)
{
    for (int i = 0; i < s->model->nmarker; i++) {
        const clv_marker *m = &s->model->marker[i];
        double l[3], x[3], y[3], *A = s->marker_A + 3 * (size_t)i;
        memset(A, 0, 3 * sizeof(double));
        if (m->body < 0)
            continue;
        const double *B = s->frame_A + 6 * (size_t)m->body, *w = s->out_V + 6 * (size_t)m->body + 3;
        clv_sub3(l, m->position, s->model->body[m->body].com);
        clv_mat3_times(x, s->system.kin.R + 9 * (size_t)m->body, l);
        clv_copy3(A, B);
        clv_cross(y, B + 3, x), clv_axpy3(A, 1.0, y);
        clv_cross(y, w, x), clv_cross(y, w, y), clv_axpy3(A, 1.0, y);
    }
}
