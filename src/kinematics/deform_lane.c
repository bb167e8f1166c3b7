/* SPDX-License-Identifier: Apache-2.0
 * A lane source: what deform.c and deform_mass.c do for every mode of one flexible body (T30, T31), modes side by side.
 *
 *   deform_integrals   E and H at the present deformation
 *   deform_sums        sums over the modes
 *   deform_columns     rows [A x, B y] of all modes: mode columns, first moments
 *   deform_forces      forces of velocities on the modes
 *
 * Bodies of 4, 6 or 8 modes have versions of their own, whose loops the compiler unrolls.  Every number has a sum of
 * its own, in one order: that of row_flex_pose.c and row_flex_load.c. */
#include <string.h>
#include "kinematics/row_kernels.h"
#include "math/lane_row.h"

/* numbers of some modes at once: `wide` <= 10, even */
typedef struct strip {
    clv_four x[2];
    clv_two y;
} strip;

INLINE void take(strip *s, const double *p, const int wide)
{
    for (int i = 0; i < wide / 4; i++)
        s->x[i] = *(const clv_four *)(p + 4 * i);
    if (wide % 4)
        s->y = *(const clv_two_stored *)(p + wide / 4 * 4);
}

INLINE void leave(double *p, const strip *s, const int wide)
{
    for (int i = 0; i < wide / 4; i++)
        *(clv_four *)(p + 4 * i) = s->x[i];
    if (wide % 4)
        *(clv_two_stored *)(p + wide / 4 * 4) = s->y;
}

INLINE void add(strip *s, const double f, const double *p, const int wide)
{
    for (int i = 0; i < wide / 4; i++)
        s->x[i] += f * *(const clv_four *)(p + 4 * i);
    if (wide % 4)
        s->y += f * *(const clv_two_stored *)(p + wide / 4 * 4);
}

/* s += sum over rows r of component q of B, numbers from `at` on, of f_of(r) row_r */
INLINE void add_rows(strip *s, const clv_deformed *d, int q, const double *f, int at, const int wide)
{
    const double *row = d->B + d->begin[q] * d->wide + at;
    for (int r = d->begin[q]; r < d->begin[q + 1]; r++, row += d->wide)
        add(s, f[d->of[r]], row, wide);
}

/* ------------------------------------------------------------------ integrals */

/* component i of the integrals of phi_l x phi_k, of those of phi_l phi_k^T */
static const int PLUS[3] = {5, 6, 1}, MINUS[3] = {7, 2, 3};

INLINE void integrals(const clv_deformed *d, const double *eta, int at, const int wide)
{
    const int all = d->wide;
    strip s, b, c, e;
    memset(&s, 0, sizeof s), b = c = e = s;
    for (int q = 0; q < d->npair; q++) {
        take(&s, d->E0 + d->pair[q] * all + at, wide);
        add_rows(&s, d, q, eta, at, wide);
        leave(d->E + d->pair[q] * all + at, &s, wide);
    }
    for (int i = 0; i < 3; i++) {
        const int plus = PLUS[i] * all + at, minus = MINUS[i] * all + at;
        take(&s, d->E + plus, wide), take(&b, d->E0 + plus, wide);
        take(&c, d->E + minus, wide), take(&e, d->E0 + minus, wide);
        for (int k = 0; k < 2; k++)
            s.x[k] = (s.x[k] - b.x[k]) - (c.x[k] - e.x[k]);
        s.y = (s.y - b.y) - (c.y - e.y);
        take(&b, d->h0 + i * all + at, wide);
        for (int k = 0; k < 2; k++)
            s.x[k] = b.x[k] + s.x[k];
        s.y = b.y + s.y;
        leave(d->H + i * all + at, &s, wide);
    }
}

/* E_k = integral of s phi_k^T, H_k = of s cross phi_k, at modal coordinates eta */
void CLV_LANE(clv_rows_deform_integrals)(const clv_deformed *d, const double *eta)
{
    switch (d->wide) {
    case 4: integrals(d, eta, 0, 4); return;
    case 6: integrals(d, eta, 0, 6); return;
    case 8: integrals(d, eta, 0, 8); return;
    default:
        for (int i = 0; i < d->wide; i += 2)
            integrals(d, eta, i, 2);
    }
}

/* even and odd modes in a sum each */
INLINE double dot2(const double *x, const double *y, const int wide)
{
    clv_two sum = {0, 0};
    for (int i = 0; i < wide; i += 2)
        sum += *(const clv_two_stored *)(x + i) * *(const clv_two_stored *)(y + i);
    return sum[0] + sum[1];
}

INLINE void sums(const clv_deformed *d, const double *f, double S[3], double H[3], double E[9], const int wide)
{
    for (int i = 0; i < 3; i++) {
        S[i] = dot2(d->phi + i * wide, f, wide);
        if (H)
            H[i] = dot2(d->H + i * wide, f, wide);
    }
    for (int q = 0; q < d->nmoment; q++) {
        const int i = d->moment[q];
        E[i] = dot2(d->E + i * wide, f, wide);
        if (!H)
            E[i] = dot2(d->E0 + i * wide, f, wide) + E[i];
    }
}

/* sums of f_k times the integrals of phi_k, H_k, E_k; H NULL: of phi_k, E0_k + E_k.  E: zero where no moment is */
void CLV_LANE(clv_rows_deform_sums)(const clv_deformed *d, const double *f, double *S, double *H, double *E)
{
    memset(E, 0, 9 * sizeof *E);
    switch (d->wide) {
    case 4: sums(d, f, S, H, E, 4); return;
    case 6: sums(d, f, S, H, E, 6); return;
    case 8: sums(d, f, S, H, E, 8); return;
    default: sums(d, f, S, H, E, d->wide);
    }
}

/* ------------------------------------------------------------------ columns */

/* columns of a rotation or its like, row major */
INLINE void columns_of(clv_four *c, const double *A)
{
    for (int j = 0; j < 3; j++)
        c[j] = (clv_four){A[j], A[3 + j], A[6 + j], 0.0};
}

/* sum of the columns c times x, three numbers */
INLINE void put(double *to, const clv_four *c, const double *x, int over)
{
    const clv_four sum = c[0] * x[0] + c[1] * x[over] + c[2] * x[2 * over];
    to[0] = sum[0], to[1] = sum[1], to[2] = sum[2];
}

/* for mode m of n: A x, B y to row m, `stride` apart; x_i at x[i over + m along], y likewise */
void CLV_LANE(clv_rows_deform_columns)(double *to, int stride, const double *A, const double *x, const double *B,
                                       const double *y, int n, int over, int along)
{
    clv_four a[3], b[3];
    columns_of(a, A), columns_of(b, B);
    for (int m = 0; m < n; m++, to += stride, x += along, y += along) {
        put(to, a, x, over), put(to + 3, b, y, over);
    }
}

/* ------------------------------------------------------------------ forces */

INLINE void forces(const clv_deformed *d, const double *w, double twice, const double *rate, const double *x,
                   double *to, int at, const int wide)
{
    const double ww = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    const double turn[9] = {0, w[2], -w[1], -w[2], 0, w[0], w[1], -w[0], 0};
    strip force, sum;
    memset(&force, 0, sizeof force);
    for (int q = 0; q < d->nmoment; q++) {
        const int i = d->moment[q];
        add(&force, w[i / 3] * w[i % 3] - (i % 4 == 0 ? ww : 0.0), d->E + i * d->wide + at, wide);
    }
    for (int q = 0; q < d->npair; q++) {
        if (d->pair[q] % 4 == 0)
            continue;
        const double f = twice * turn[d->pair[q]];
        memset(&sum, 0, sizeof sum);
        add_rows(&sum, d, q, rate, at, wide);
        for (int k = 0; k < 2; k++)
            force.x[k] += f * sum.x[k];
        force.y += f * sum.y;
    }
    for (int i = 0; x && i < 3; i++)
        add(&force, x[i], d->phi + i * d->wide + at, wide);
    leave(to + at, &force, wide);
}

/* For every mode w.E_k w - w.w tr E_k, and `twice` times the sum over l of rate_l w.(integral of phi_l cross phi_k);
 * and x.(integral of phi_k), x NULL: without. */
void CLV_LANE(clv_rows_deform_forces)(const clv_deformed *d, const double *w, double twice, const double *rate,
                                      const double *x, double *to)
{
    switch (d->wide) {
    case 4: forces(d, w, twice, rate, x, to, 0, 4); return;
    case 6: forces(d, w, twice, rate, x, to, 0, 6); return;
    case 8: forces(d, w, twice, rate, x, to, 0, 8); return;
    default:
        for (int i = 0; i < d->wide; i += 2)
            forces(d, w, twice, rate, x, to, i, 2);
    }
}
