/* SPDX-License-Identifier: Apache-2.0
 * The chart of a step of a sensitivity run (T109.1): displacements theta of its first state.  Plain coordinates are
 * displaced by addition, quaternions by Cayley's map.  And what the chart makes of rates, their changes and rows. */
#include "math/rotation.h"
#include "simulation/sensitivity.h"
#include <math.h>
#include <string.h>

/* first of the three rotations of a quaternion among the rates of a joint, and of the quaternion in q; -1: none */
static int turn_of(const clv_tree_joint *t)
{
    return t->f > 0 && t->nq > t->nu ? t->nu - 3 : -1;
}

void clv_chart_move(const clv_sensitivity_work *w, double *to, const double *from, const double *theta)
{
    memcpy(to, from, (size_t)w->nq * sizeof(double));
    for (int b = 0; b < w->plan->nbody; b++) {
        const clv_tree_joint *t = &w->plan->tree[b];
        const int turn = turn_of(t);
        for (int c = 0; c < (turn < 0 ? t->f : turn); c++)
            to[t->iq + c] += theta[t->iu + c];
        if (turn >= 0) {
            const double *x = theta + t->iu + turn, s = 1 / sqrt(1 + 0.25 * clv_dot3(x, x));
            const double step[4] = {s, 0.5 * s * x[0], 0.5 * s * x[1], 0.5 * s * x[2]};
            clv_quat_product(to + t->iq + turn, from + t->iq + turn, step);
            clv_quat_normalize(to + t->iq + turn);
        }
    }
}

/* k := (1 + x~ / 2 + x x^T / 4) u */
static void turn_rate(double k[3], const double x[3], const double u[3])
{
    const double along = 0.25 * clv_dot3(x, u);
    clv_cross(k, x, u);
    for (int i = 0; i < 3; i++)
        k[i] = u[i] + 0.5 * k[i] + along * x[i];
}

void clv_chart_rate(const clv_sensitivity_work *w, double *k, const double *theta, const double *u)
{
    memcpy(k, u, (size_t)w->n * sizeof(double));
    for (int b = 0; b < w->plan->nbody; b++) {
        const int turn = turn_of(&w->plan->tree[b]), at = w->plan->tree[b].iu + turn;
        if (turn >= 0)
            turn_rate(k + at, theta + at, u + at);
    }
}

void clv_chart_rate_back(const clv_sensitivity_work *w, const double *k_bar, const double *theta, const double *u,
                         double *theta_bar, double *u_bar)
{
    for (int b = 0; b < w->plan->nbody; b++) {
        const clv_tree_joint *t = &w->plan->tree[b];
        const int turn = turn_of(t), at = t->iu + turn;
        for (int c = 0; c < (turn < 0 ? t->f : turn); c++)
            u_bar[t->iu + c] += k_bar[t->iu + c];
        if (turn < 0)
            continue;
        const double *x = theta + at, *v = u + at, *k = k_bar + at, xk = clv_dot3(x, k), xu = clv_dot3(x, v);
        double a[3], b3[3];
        clv_cross(a, k, x), clv_cross(b3, v, k);
        for (int i = 0; i < 3; i++) {
            u_bar[at + i] += k[i] + 0.5 * a[i] + 0.25 * xk * x[i];
            theta_bar[at + i] += 0.5 * b3[i] + 0.25 * (xu * k[i] + xk * v[i]);
        }
    }
}

static void get3(double y[3], const double *A, int at, int P, int c)
{
    for (int i = 0; i < 3; i++)
        y[i] = A[(size_t)(at + i) * (size_t)P + (size_t)c];
}

static void put3(double *A, int at, int P, int c, const double y[3])
{
    for (int i = 0; i < 3; i++)
        A[(size_t)(at + i) * (size_t)P + (size_t)c] = y[i];
}

void clv_chart_rate_change(const clv_sensitivity_work *w, const double *theta, const double *u, const double *dtheta,
                           const double *du, double *dk, int P)
{
    memcpy(dk, du, (size_t)w->n * (size_t)P * sizeof(double));
    for (int b = 0; b < w->plan->nbody; b++) {
        const int turn = turn_of(&w->plan->tree[b]), at = w->plan->tree[b].iu + turn;
        for (int c = 0; c < P && turn >= 0; c++) {
            double dx[3], dv[3], k[3], y[3];
            get3(dx, dtheta, at, P, c), get3(dv, du, at, P, c);
            turn_rate(k, theta + at, dv);
            clv_cross(y, dx, u + at);
            const double xu = clv_dot3(theta + at, u + at), dxu = clv_dot3(dx, u + at);
            for (int i = 0; i < 3; i++)
                k[i] += 0.5 * y[i] + 0.25 * (dx[i] * xu + theta[at + i] * dxu);
            put3(dk, at, P, c, k);
        }
    }
}

/* C of Cayley's map of x */
static void turn_matrix(double C[9], const double x[3])
{
    const double s = 1 / sqrt(1 + 0.25 * clv_dot3(x, x)), e[4] = {s, 0.5 * s * x[0], 0.5 * s * x[1], 0.5 * s * x[2]};
    clv_quat_rotation(C, e);
}

/* y := (v - sign x~ v / 2) / (1 + x^2 / 4): B v, or B^T v with sign -1 */
static void turn_of_change(double y[3], const double x[3], const double v[3], double sign)
{
    const double s = 1 / (1 + 0.25 * clv_dot3(x, x));
    clv_cross(y, x, v);
    for (int i = 0; i < 3; i++)
        y[i] = s * (v[i] - 0.5 * sign * y[i]);
}

void clv_chart_change(const clv_sensitivity_work *w, const double *theta, const double *dx0, const double *dtheta,
                      double *dx, int P)
{
    for (size_t i = 0; i < (size_t)w->n * (size_t)P; i++)
        dx[i] = dx0[i] + dtheta[i];
    for (int b = 0; b < w->plan->nbody; b++) {
        const int turn = turn_of(&w->plan->tree[b]), at = w->plan->tree[b].iu + turn;
        double C[9];
        if (turn < 0)
            continue;
        turn_matrix(C, theta + at);
        for (int c = 0; c < P; c++) {
            double v[3], y[3], z[3];
            get3(v, dx0, at, P, c);
            clv_mat3_transpose_times(y, C, v);
            get3(v, dtheta, at, P, c);
            turn_of_change(z, theta + at, v, 1);
            clv_axpy3(y, 1, z);
            put3(dx, at, P, c, y);
        }
    }
}

void clv_chart_find(const clv_sensitivity_work *w, const double *theta, const double *dx0, const double *dx,
                    double *dtheta, int P)
{
    for (size_t i = 0; i < (size_t)w->n * (size_t)P; i++)
        dtheta[i] = dx[i] - dx0[i];
    for (int b = 0; b < w->plan->nbody; b++) {
        const int turn = turn_of(&w->plan->tree[b]), at = w->plan->tree[b].iu + turn;
        double C[9];
        if (turn < 0)
            continue;
        turn_matrix(C, theta + at);
        for (int c = 0; c < P; c++) {
            double v[3], y[3], z[3];
            get3(v, dx0, at, P, c), get3(z, dx, at, P, c);
            clv_mat3_transpose_times(y, C, v);
            clv_axpy3(z, -1, y);
            turn_rate(y, theta + at, z);
            put3(dtheta, at, P, c, y);
        }
    }
}

void clv_chart_change_back(const clv_sensitivity_work *w, const double *theta, const double *x_bar, double *x0_bar,
                           double *theta_bar)
{
    for (int b = 0; b < w->plan->nbody; b++) {
        const clv_tree_joint *t = &w->plan->tree[b];
        const int turn = turn_of(t), at = t->iu + turn;
        double C[9], y[3];
        for (int c = 0; c < (turn < 0 ? t->f : turn); c++)
            x0_bar[t->iu + c] += x_bar[t->iu + c], theta_bar[t->iu + c] += x_bar[t->iu + c];
        if (turn < 0)
            continue;
        turn_matrix(C, theta + at);
        clv_mat3_times(y, C, x_bar + at), clv_axpy3(x0_bar + at, 1, y);
        turn_of_change(y, theta + at, x_bar + at, -1), clv_axpy3(theta_bar + at, 1, y);
    }
}

void clv_chart_rows(clv_sensitivity_work *w, const double *theta)
{
    const size_t n = (size_t)w->n;
    memcpy(w->JB, w->J, (size_t)w->m * n * sizeof(double));
    for (int b = 0; b < w->plan->nbody; b++) {
        const int turn = turn_of(&w->plan->tree[b]), at = w->plan->tree[b].iu + turn;
        for (size_t i = 0; i < (size_t)w->m && turn >= 0; i++) {
            double y[3];
            turn_of_change(y, theta + at, w->J + i * n + at, -1);
            clv_copy3(w->JB + i * n + at, y);
        }
    }
}
