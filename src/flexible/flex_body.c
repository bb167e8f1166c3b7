/* SPDX-License-Identifier: Apache-2.0
 * Integrals of a flexible body as sums over mass points (T32.1), frequencies and damping of its modes (T32.4). */
#include "flexible/flex_body.h"

#include "base/memory.h"
#include "math/rotation.h"
#include "math/symmetric.h"

#include <string.h>

static bool take(double **x, size_t n)
{
    *x = clv_alloc(n, sizeof **x);
    return *x != NULL;
}

bool clv_flex_body_open(clv_flex_body *b, int nmode, int nnode)
{
    size_t n = (size_t)nmode;
    clv_flex *f = &b->flex;
    *b = (clv_flex_body){0};
    f->nmode = nmode;
    f->node = clv_alloc((size_t)nnode + 1, sizeof *f->node);
    bool ok = f->node && take(&f->K, n * n) && take(&f->C, n * n) && take(&f->Mff, n * n) && take(&f->S, 3 * n) &&
              take(&f->h, 3 * n) && take(&f->E, 9 * n) && take(&f->B, 9 * n * n) && take(&f->eta, n) &&
              take(&f->etad, n);
    for (int i = 0; ok && i < nnode; i++) {
        f->node[i].orientation[0] = 1;
        ok = take(&f->node[i].shape, 6 * n);
        f->nnode = i + 1;
    }
    if (!ok)
        clv_flex_body_close(b);
    return ok;
}

void clv_flex_body_close(clv_flex_body *b)
{
    clv_flex_free(&b->flex);
    *b = (clv_flex_body){0};
}

/* ---------------------------------------------------------------- sums over points */

/* J += m (l.l 1 - l l^T) + inertia */
static void add_inertia(double J[6], double m, const double l[3], const double inertia[6])
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int i = 0; i < 6; i++)
        J[i] += inertia[i] + m * ((i < 3 ? clv_dot3(l, l) : 0) - l[row[i]] * l[column[i]]);
}

static void inertia_times(double y[3], const double J[6], const double x[3])
{
    y[0] = J[0] * x[0] + J[3] * x[1] + J[4] * x[2];
    y[1] = J[3] * x[0] + J[1] * x[1] + J[5] * x[2];
    y[2] = J[4] * x[0] + J[5] * x[1] + J[2] * x[2];
}

static void sum_rigid(clv_flex_body *b, const clv_flex_point *point, int n)
{
    double l[3];
    b->mass = 0;
    memset(b->com, 0, sizeof b->com);
    memset(b->J, 0, sizeof b->J);
    for (int p = 0; p < n; p++) {
        b->mass += point[p].mass;
        clv_axpy3(b->com, point[p].mass, point[p].position);
    }
    for (int i = 0; i < 3 && b->mass > 0; i++)
        b->com[i] /= b->mass;
    for (int p = 0; p < n; p++) {
        clv_sub3(l, point[p].position, b->com);
        add_inertia(b->J, point[p].mass, l, point[p].inertia);
    }
}

/* S, h, E of mode k: + point */
static void add_first(clv_flex *f, int k, const clv_flex_point *p)
{
    const double *shift = p->shape + 6 * (size_t)k, *turn = shift + 3, *x = p->position;
    double moment[3], spin[3];
    clv_axpy3(f->S + 3 * (size_t)k, p->mass, shift);
    clv_cross(moment, x, shift);
    inertia_times(spin, p->inertia, turn);
    for (int i = 0; i < 3; i++)
        f->h[3 * (size_t)k + (size_t)i] += p->mass * moment[i] + spin[i];
    for (int i = 0; i < 9; i++)
        f->E[9 * (size_t)k + (size_t)i] += p->mass * x[i / 3] * shift[i % 3];
}

/* B, Mff of modes k, l: + point */
static void add_second(clv_flex *f, int k, int l, const clv_flex_point *p)
{
    const double *a = p->shape + 6 * (size_t)k, *b = p->shape + 6 * (size_t)l;
    size_t kl = (size_t)k * (size_t)f->nmode + (size_t)l;
    double spin[3];
    inertia_times(spin, p->inertia, b + 3);
    f->Mff[kl] += p->mass * clv_dot3(a, b) + clv_dot3(a + 3, spin);
    for (int i = 0; i < 9; i++)
        f->B[9 * kl + (size_t)i] += p->mass * a[i / 3] * b[i % 3];
}

void clv_flex_body_sum(clv_flex_body *b, const clv_flex_point *point, int n)
{
    clv_flex *f = &b->flex;
    size_t m = (size_t)f->nmode;
    sum_rigid(b, point, n);
    memset(f->S, 0, 3 * m * sizeof *f->S);
    memset(f->h, 0, 3 * m * sizeof *f->h);
    memset(f->E, 0, 9 * m * sizeof *f->E);
    memset(f->B, 0, 9 * m * m * sizeof *f->B);
    memset(f->Mff, 0, m * m * sizeof *f->Mff);
    for (int p = 0; p < n; p++)
        for (int k = 0; k < f->nmode; k++) {
            add_first(f, k, &point[p]);
            for (int l = k; l < f->nmode; l++)
                add_second(f, k, l, &point[p]);
        }
    for (int k = 0; k < f->nmode; k++) /* B_lk = B_kl^T, B_kk and Mff symmetric, to the last bit */
        for (int l = 0; l <= k; l++) {
            size_t kl = (size_t)k * m + (size_t)l, lk = (size_t)l * m + (size_t)k;
            f->Mff[kl] = f->Mff[lk];
            for (size_t i = 0; i < 9; i++)
                if (l < k || i / 3 > i % 3)
                    f->B[9 * kl + i] = f->B[9 * lk + 3 * (i % 3) + i / 3];
        }
}

/* ---------------------------------------------------------------- modes */

/* omega ascending and the modes X of (K, Mff), by columns, in scratch */
static bool modes(double *omega, double **X, const clv_flex *f, double *scratch)
{
    size_t n2 = (size_t)f->nmode * (size_t)f->nmode;
    double *K = scratch, *M = K + n2;
    *X = M + n2;
    memcpy(K, f->K, n2 * sizeof *K);
    memcpy(M, f->Mff, n2 * sizeof *M);
    if (!clv_pencil_eigen(omega, *X, K, M, f->nmode))
        return false;
    for (int k = 0; k < f->nmode; k++)
        omega[k] = omega[k] > 0 ? sqrt(omega[k]) : 0;
    return true;
}

bool clv_flex_frequencies(double *omega, const clv_flex *f, double *scratch)
{
    double *X;
    return modes(omega, &X, f, scratch);
}

bool clv_flex_damp(clv_flex *f, double ratio, double *scratch)
{
    int n = f->nmode;
    double *X, *omega = scratch + 3 * (size_t)n * (size_t)n, *Y = scratch; /* Y = Mff X */
    if (!modes(omega, &X, f, scratch))
        return false;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            double s = 0;
            for (int j = 0; j < n; j++)
                s += f->Mff[i * n + j] * X[j * n + k];
            Y[i * n + k] = s;
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double s = 0;
            for (int k = 0; k < n; k++)
                s += 2 * ratio * omega[k] * Y[i * n + k] * Y[j * n + k];
            f->C[i * n + j] = f->C[j * n + i] = s;
        }
    return true;
}
