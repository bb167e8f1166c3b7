/* SPDX-License-Identifier: Apache-2.0
 * The joint that closes the loop over all segments; see segment_close.h.  With e = 1, or -1 where the handle is a:
 *
 *   rows e D at O: b's point, or with kinds that hold a point a's own (T3);  on the handle about its centre of mass
 *   accelerations:  e (D^T x) = - e D_l.(w x (w x l)) - D'^T dV         l = O - centre of mass      T128.2
 *                   where O is no point of the handle (a, kinds that hold none): w x (v_O - v) in place of w x (w x l)
 *   pair of T10:    -e [D_l' sigma; (D_a' + v_O x D_l) sigma] */
#include "kinematics/segment_close.h"
#include <math.h>
#include "kinematics/place.h"
#include "math/spatial.h"

static int rows_of(const clv_segment_close *c) { return clv_joint_table[c->joint->kind].nc; }
static double sign_of(const clv_segment_close *c) { return c->turned ? -1.0 : 1.0; }

/* Does O move with the handle? */
static bool own_point(const clv_segment_close *c) { return !c->turned || clv_holds_point(c->joint->kind); }

static void turn_back(const clv_kinematics *k, int body, const double W[6], double to[6])
{
    clv_mat3_transpose_times(to, k->R + 9 * (size_t)body, W);
    clv_mat3_transpose_times(to + 3, k->R + 9 * (size_t)body, W + 3);
}

void clv_segment_close_place(clv_segment_close *c, const clv_kinematics *k, clv_segment_hold *to)
{
    const clv_joint *j = c->joint;
    const clv_body *b = &k->plan->model->body[c->body];
    const double turning = (b->J[0] + b->J[1] + b->J[2]) / 3;
    double H[36], D[36], Oa[3], Ob[3];
    clv_frame_on(k, c->turned ? c->body : -1, j->Ea, j->pa, c->at.Ea, Oa);
    clv_frame_on(k, c->turned ? -1 : c->body, j->Eb, j->pb, c->at.Eb, Ob);
    clv_sub3(c->at.d, Ob, Oa);
    clv_joint_table[j->kind].basis(j, &c->at, H, D);
    for (int i = 0; clv_holds_point(j->kind) && i < 3; i++)
        for (int n = 0; n < 6; n++)
            D[6 * i + n] = n == i ? 1.0 : 0.0;
    clv_copy3(c->O, c->turned && clv_holds_point(j->kind) ? Oa : Ob);
    clv_sub3(c->arm, c->O, k->com + 3 * (size_t)c->body);
    to->m = rows_of(c);
    for (int i = 0; i < to->m; i++) {
        double W[6];
        for (int n = 0; n < 6; n++)
            c->D[6 * i + n] = sign_of(c) * D[6 * i + n];
        clv_wrench_shift(W, c->arm, c->D + 6 * i);
        turn_back(k, c->body, W, to->D + 6 * i);
        to->scale[i] = sqrt(clv_dot3(W, W) / b->mass + clv_dot3(W + 3, W + 3) / turning);
    }
}

/* motion of the handle at O: of its own point there */
static void motion_at(const clv_segment_close *c, const clv_kinematics *k, double V[6])
{
    double l[3];
    clv_sub3(l, c->O, k->ref + 3 * (size_t)c->body);
    clv_motion_shift(V, l, k->V + 6 * (size_t)c->body);
}

/* D' with the sign of D */
static void rates_of_rows(const clv_segment_close *c, const clv_kinematics *k, double Dd[36])
{
    const clv_joint *j = c->joint;
    clv_joint_place at = c->at;
    double V[6], Hd[36], l[3];
    const double *w = k->V + 6 * (size_t)c->body + 3;
    for (int i = 0; i < 3; i++)
        at.wa[i] = c->turned ? w[i] : 0, at.wb[i] = c->turned ? 0 : w[i];
    motion_at(c, k, V);
    if (c->turned) { /* of a's own point, the other way */
        clv_sub3(l, c->O, k->ref + 3 * (size_t)c->body);
        if (!clv_holds_point(j->kind))
            clv_axpy3(l, -1.0, at.d);
        clv_motion_shift(V, l, k->V + 6 * (size_t)c->body);
    }
    for (int i = 0; i < 3; i++)
        at.dv[i] = sign_of(c) * V[i];
    clv_joint_table[j->kind].rate(j, &at, Hd, Dd);
    for (int i = 0; i < 18 && clv_holds_point(j->kind); i++)
        Dd[i] = 0.0;
    for (int i = 0; i < 6 * rows_of(c); i++)
        Dd[i] *= sign_of(c);
}

static void violations(const clv_segment_close *c, double violation[6])
{
    const clv_joint *j = c->joint;
    double x[3];
    clv_joint_table[j->kind].violation(j, &c->at, violation);
    if (!clv_holds_point(j->kind))
        return;
    clv_mat3_times(x, c->at.Eb, violation);
    clv_copy3(violation, x);
}

static void velocity_terms(const clv_segment_close *c, const clv_kinematics *k, double a[6])
{
    const double *w = k->V + 6 * (size_t)c->body + 3;
    double Dd[36] = {0}, V[6], com[6], l[3], x[3];
    rates_of_rows(c, k, Dd), motion_at(c, k, V);
    clv_sub3(l, k->com + 3 * (size_t)c->body, k->ref + 3 * (size_t)c->body);
    clv_motion_shift(com, l, k->V + 6 * (size_t)c->body);
    if (own_point(c)) {
        clv_cross(x, w, c->arm), clv_cross(x, w, x);
    } else {
        for (int i = 0; i < 3; i++)
            l[i] = -com[i];
        clv_cross(x, w, l);
    }
    for (int i = 0; i < rows_of(c); i++)
        a[i] = -clv_dot3(c->D + 6 * i, x) - clv_dot6(Dd + 6 * i, V);
}

void clv_segment_close_target(const clv_segment_close *c, const clv_kinematics *k, clv_segment_target what,
                              clv_segment_hold *to)
{
    double V[6] = {0}, violation[6] = {0};
    memset(to->a, 0, sizeof to->a);
    if (what == CLV_SEGMENT_ACCELERATIONS)
        velocity_terms(c, k, to->a);
    else if (what == CLV_SEGMENT_GAP)
        violations(c, violation);
    else if (what == CLV_SEGMENT_SPEED) {
        motion_at(c, k, V);
        for (int i = 0; i < to->m; i++)
            violation[i] = clv_dot6(c->D + 6 * i, V);
    }
    for (int i = 0; i < to->m; i++)
        to->a[i] -= violation[i];
}

double clv_segment_close_violation(const clv_segment_close *c)
{
    double violation[6], most = 0;
    violations(c, violation);
    for (int i = 0; i < rows_of(c); i++)
        most = fmax(most, fabs(violation[i]));
    return most;
}

double clv_segment_close_speed(const clv_segment_close *c, const clv_kinematics *k)
{
    double V[6], most = 0;
    motion_at(c, k, V);
    for (int i = 0; i < rows_of(c); i++)
        most = fmax(most, fabs(clv_dot6(c->D + 6 * i, V)));
    return most;
}

void clv_segment_close_pair(const clv_segment_close *c, const clv_kinematics *k, const double F[6], double Q[6])
{
    const double *R = k->R + 9 * (size_t)c->body;
    double W[6], Dd[36] = {0}, V[6] = {0}, pair[6] = {0}, l[3];
    clv_mat3_times(W, R, F), clv_mat3_times(W + 3, R, F + 3);
    for (int i = 0; i < 3; i++)
        l[i] = -c->arm[i];
    clv_wrench_shift(W, l, W);
    rates_of_rows(c, k, Dd);
    if (own_point(c))
        motion_at(c, k, V);
    for (int i = 0; i < rows_of(c); i++) {
        const double sigma = clv_dot6(c->D + 6 * i, W); /* rows are orthonormal at O */
        double x[3];
        clv_cross(x, V, c->D + 6 * i);
        for (int n = 0; n < 3; n++)
            pair[n] -= sigma * Dd[6 * i + n], pair[3 + n] -= sigma * (Dd[6 * i + 3 + n] + x[n]);
    }
    clv_sub3(l, c->O, k->ref + 3 * (size_t)c->body);
    clv_wrench_shift(Q, l, pair);
}

void clv_segment_close_state(const clv_segment_close *c, const clv_kinematics *k, double q[7], double u[6])
{
    const clv_joint *j = c->joint;
    double H[36], D[36], G[36], R[9], d[3], V[6];
    memset(q, 0, 7 * sizeof *q), memset(u, 0, 6 * sizeof *u);
    clv_mat3_transpose_product(R, c->at.Ea, c->at.Eb), clv_mat3_transpose_times(d, c->at.Ea, c->at.d);
    clv_joint_table[j->kind].coordinates(j, R, d, q);
    clv_joint_table[j->kind].basis(j, &c->at, H, D);
    clv_joint_dual(j, H, G), motion_at(c, k, V);
    for (int i = 0; i < clv_joint_table[j->kind].nu; i++)
        u[i] = sign_of(c) * clv_dot6(G + 6 * i, V);
}
