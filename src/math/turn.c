/* SPDX-License-Identifier: Apache-2.0
 * Rotations given by a rotation vector (T30). */
#include "math/turn.h"
#include <math.h>
#include "math/sincos.h"

enum { TERMS = 15 };

/* sum over n of (-s)^n (first)! / (2 n + first)!, over first!, and its derivative: Horner from the last term */
static void series(double s, int first, double *value, double *slope)
{
    double v = 1, d = 0;
    for (int n = TERMS; n > 0; n--) {
        double f = -1.0 / ((2 * n + first) * (2 * n + first - 1.0));
        d = f * (v + s * d);
        v = 1 + f * s * v;
    }
    double whole = first == 1 ? 1 : first == 2 ? 2 : 6;
    *value = v / whole, *slope = d / whole;
}

clv_turn clv_turn_at(const double t[3])
{
    clv_turn f = {.theta = {t[0], t[1], t[2]}};
    double s = t[0] * t[0] + t[1] * t[1] + t[2] * t[2], unused;
    if (s <= 4) {
        series(s, 1, &f.a, &unused), series(s, 2, &f.b, &f.bs), series(s, 3, &f.c, &f.cs);
        return f;
    }
    double size = sqrt(s), sine, cosine;
    clv_sincos(size, &sine, &cosine);
    f.a = sine / size, f.b = (1 - cosine) / s, f.c = (1 - f.a) / s;
    f.bs = (f.a - 2 * f.b) / (2 * s);
    f.cs = -((cosine - f.a) / (2 * s) + f.c) / s;
    return f;
}

/* M += p t~ */
static void add_cross(double M[9], double p, const double t[3])
{
    M[1] -= p * t[2], M[2] += p * t[1], M[3] += p * t[2], M[5] -= p * t[0], M[6] -= p * t[1], M[7] += p * t[0];
}

/* M += p (x y^T + y x^T)/2 - p (x.y) 1: the symmetric part of p x~ y~ */
static void add_square(double M[9], double p, const double x[3], const double y[3])
{
    const double dot = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
    for (int i = 0; i < 3; i++) {
        const int k = (i + 1) % 3;
        const double off = p * (0.5 * (x[i] * y[k] + y[i] * x[k]));
        M[4 * i] += p * (x[i] * y[i] - dot);
        M[3 * i + k] += off, M[3 * k + i] += off;
    }
}

static void unit(double M[9], double one)
{
    for (int i = 0; i < 9; i++)
        M[i] = i % 4 == 0 ? one : 0;
}

void clv_turn_matrix_at(double E[9], const clv_turn *f)
{
    unit(E, 1);
    add_cross(E, f->a, f->theta), add_square(E, f->b, f->theta, f->theta);
}

void clv_turn_jacobian_at(double T[9], const clv_turn *f)
{
    unit(T, 1);
    add_cross(T, f->b, f->theta), add_square(T, f->c, f->theta, f->theta);
}

void clv_turn_jacobian_rate_at(double Td[9], const clv_turn *f, const double td[3])
{
    const double *t = f->theta, sd = 2 * (t[0] * td[0] + t[1] * td[1] + t[2] * td[2]);
    unit(Td, 0);
    add_cross(Td, f->b, td), add_cross(Td, f->bs * sd, t);
    add_square(Td, 2 * f->c, t, td), add_square(Td, f->cs * sd, t, t);
}
