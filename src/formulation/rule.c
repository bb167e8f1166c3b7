/* SPDX-License-Identifier: Apache-2.0
 * The rule on the coordinates of one body; see rule.h and T25. */
#include "formulation/rule.h"
#include "math/rotation.h"
#include <string.h>

clv_rule clv_rule_of(double h, double rho)
{
    clv_rule s = {.h = h, .am = (2 * rho - 1) / (rho + 1), .af = rho / (rho + 1)};
    s.gamma = 0.5 + s.af - s.am;
    s.beta = 0.25 * (s.gamma + 0.5) * (s.gamma + 0.5);
    double c = (1 - s.af) / (1 - s.am);
    s.scale = s.beta * h * h * c, s.damp = s.gamma * h * c, s.to_rate = s.gamma / (s.beta * h);
    return s;
}

void clv_rule_state(clv_trial *t, const double x[7], const double u[6], const double ud[6])
{
    const double w2 = clv_dot3(u + 3, u + 3);
    memcpy(t->x, x, 7 * sizeof(double));
    memcpy(t->xd, u, 3 * sizeof(double)), memcpy(t->xdd, ud, 3 * sizeof(double));
    clv_quat_rate(t->xd + 3, x + 3, u + 3);
    clv_quat_rate(t->xdd + 3, x + 3, ud + 3);
    for (int i = 0; i < 4; i++) /* e.e'' = -e'.e' */
        t->xdd[3 + i] -= 0.25 * w2 * x[3 + i];
}

/* e := (e + d) / |e + d| for a unit e; d := what e has moved by.  No difference of nearly equal numbers is taken. */
static void move_on_sphere(double e[4], double d[4])
{
    double grown = 0;
    for (int i = 0; i < 4; i++)
        grown += (2 * e[i] + d[i]) * d[i]; /* |e + d|^2 - 1 */
    const double length = sqrt(1 + grown), less = grown / (length * (1 + length));
    for (int i = 0; i < 4; i++) {
        d[i] = d[i] / length - e[i] * less; /* 1/length - 1 = -less */
        e[i] += d[i];
    }
    clv_quat_normalize(e); /* rounding of many steps */
}

/* Newmark's step of one coordinate with x''_1 = x''_0; returns what it moves by, x is left */
static double predict_one(const clv_rule *s, double xd0, double xdd0, double a, double *xd, double *xdd)
{
    const double a1 = ((1 - s->af) * xdd0 + s->af * xdd0 - s->am * a) / (1 - s->am);
    *xdd = xdd0;
    *xd = xd0 + s->h * ((1 - s->gamma) * a + s->gamma * a1);
    return s->h * xd0 + s->h * s->h * ((0.5 - s->beta) * a + s->beta * a1);
}

void clv_rule_predict_mode(const clv_rule *s, clv_mode_trial *t, const clv_mode_trial *start, double a)
{
    const double d = predict_one(s, start->xd, start->xdd, a, &t->xd, &t->xdd);
    t->x = start->x + d;
    if (s->still)
        clv_rule_displace_mode(s, t, -d), t->x = start->x;
}

void clv_rule_displace_mode(const clv_rule *s, clv_mode_trial *t, double dx)
{
    t->x += dx, t->xd += s->to_rate * dx, t->xdd += dx / s->scale;
}

void clv_rule_predict(const clv_rule *s, clv_trial *t, const clv_trial *start, const double a[7])
{
    double d[7], pull[4];
    for (int i = 0; i < 7; i++) {
        d[i] = predict_one(s, start->xd[i], start->xdd[i], a[i], &t->xd[i], &t->xdd[i]);
        t->x[i] = start->x[i] + (i < 3 && !s->still ? d[i] : 0.0);
    }
    for (int i = 0; s->still && i < 7; i++)
        t->xd[i] -= s->to_rate * d[i], t->xdd[i] -= d[i] / s->scale;
    if (s->still)
        return;
    memcpy(pull, d + 3, sizeof pull);
    move_on_sphere(t->x + 3, pull);
    for (int i = 0; i < 4; i++) {
        pull[i] -= d[3 + i];
        t->xd[3 + i] += s->to_rate * pull[i], t->xdd[3 + i] += pull[i] / s->scale;
    }
}

double clv_rule_displace(const clv_rule *s, clv_trial *t, const double dx[6])
{
    double d[7], half[4] = {0, 0.5 * dx[3], 0.5 * dx[4], 0.5 * dx[5]}, sum = 0;
    memcpy(d, dx, 3 * sizeof(double));
    clv_quat_product(d + 3, half, t->x + 3);
    move_on_sphere(t->x + 3, d + 3);
    for (int i = 0; i < 7; i++) {
        if (i < 3)
            t->x[i] += d[i];
        t->xd[i] += s->to_rate * d[i], t->xdd[i] += d[i] / s->scale;
        sum += d[i] * d[i];
    }
    return sum;
}

/* 2 [conj(e) o q]: vector part */
static void twice_vector_part(double w[3], const double e[4], const double q[4])
{
    double c[4], p[4];
    clv_quat_conjugate(c, e);
    clv_quat_product(p, c, q);
    for (int i = 0; i < 3; i++)
        w[i] = 2 * p[1 + i];
}

void clv_rule_rates(const clv_trial *t, double u[6], double ud[6])
{
    memcpy(u, t->xd, 3 * sizeof(double)), memcpy(ud, t->xdd, 3 * sizeof(double));
    twice_vector_part(u + 3, t->x + 3, t->xd + 3);
    twice_vector_part(ud + 3, t->x + 3, t->xdd + 3);
}

void clv_rule_next(const clv_rule *s, double *a, const double *xdd0, const double *xdd1, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = ((1 - s->af) * xdd1[i] + s->af * xdd0[i] - s->am * a[i]) / (1 - s->am);
}
