/* SPDX-License-Identifier: Apache-2.0
 * Second moments from the mass matrix (T33.4).  E and B are products of displacement fields, `w^T M v`, once w is known
 * at every degree of freedom.  Its translations are given; its rotations are those of least strain energy.  So a beam
 * of any direction follows a linear field exactly.  A solid, whose rotations carry nothing, follows any field. */
#include "flexible/flex_moments.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/lapack.h"
#include "math/rotation.h"
#include "flexible/flex_integrals.h"

#include <math.h>
#include <string.h>

#define FIELDS 9
#define HOLD   1e-10 /* relative: holds turns that no stiffness holds, as of a straight beam about itself */

typedef struct moments {
    const clv_fe *fe;
    const double *R;
    size_t N, T;  /* degrees of freedom; turns */
    double *K;    /* (T x T) factor of the stiffness of the turns */
    double *w;    /* (FIELDS x N) fields at work */
    double *turn; /* (FIELDS x T) */
    double *MV;   /* (nmode x N) without the rows of rotary inertia */
} moments;

static double *shift_of(const moments *s, int field, int node)
{
    return s->w + (size_t)field * s->N + 6 * (size_t)node;
}

static size_t turn(size_t i)
{
    return 6 * (i / 3) + 3 + i % 3;
}

/* ---------------------------------------------------------------- turns of least energy */

static int factor_turns(moments *s)
{
    double most = 0;
    for (size_t i = 0; i < s->T; i++)
        for (size_t k = 0; k < s->T; k++)
            s->K[i * s->T + k] = s->fe->K[turn(i) * s->N + turn(k)];
    for (size_t i = 0; i < s->T; i++)
        most = fmax(most, s->K[i * (s->T + 1)]);
    for (size_t i = 0; i < s->T; i += 3) { /* alike about all axes of a node: what is free takes no part */
        double *K = s->K + i * (s->T + 1), node = fmax(K[0], fmax(K[s->T + 1], K[2 * (s->T + 1)]));
        for (size_t d = 0; d < 3; d++)
            K[d * (s->T + 1)] += node > 0 ? HOLD * node : most > 0 ? most : 1;
    }
    return clv_lapack_factor(s->K, (int)s->T);
}

/* K_tt rotations = -K_ts translations, for n fields */
static void complete(moments *s, int n)
{
    for (int j = 0; j < n; j++)
        for (size_t i = 0; i < s->T; i++) {
            const double *row = s->fe->K + turn(i) * s->N;
            double load = 0;
            for (int p = 0; p < s->fe->nnode; p++)
                load += clv_dot3(row + 6 * p, shift_of(s, j, p));
            s->turn[(size_t)j * s->T + i] = -load;
        }
    clv_lapack_solve(s->K, (int)s->T, s->turn, n);
    for (int j = 0; j < n; j++)
        for (size_t i = 0; i < s->T; i++)
            s->w[(size_t)j * s->N + turn(i)] = s->turn[(size_t)j * s->T + i];
}

/* ---------------------------------------------------------------- products with the modes */

/* A rotation that moves no mass by translations has rotary inertia alone: h and Mff know it, E and B do not. */
static bool rotary(const moments *s, size_t dof)
{
    const double *row = s->fe->M + dof * s->N;
    bool alone = dof % 6 >= 3;
    for (size_t k = 0; k < s->N && alone; k++)
        alone = k % 6 >= 3 || row[k] == 0;
    return alone;
}

static void modal_products(moments *s, const double *V, int n)
{
    for (int k = 0; k < n; k++)
        clv_fe_times(s->MV + (size_t)k * s->N, s->fe->M, V + (size_t)k * s->N, (int)s->N);
    for (size_t dof = 0; dof < s->N; dof++) {
        if (!rotary(s, dof))
            continue;
        for (int k = 0; k < n; k++)
            s->MV[(size_t)k * s->N + dof] = 0;
    }
}

/* E + E^T by the fields 1/2 (x_j e_i + x_i e_j), E - E^T by h */
static void fill_E(moments *s, clv_flex *f)
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    double arm[3], x[3], body[3];
    memset(s->w, 0, FIELDS * s->N * sizeof *s->w);
    for (int p = 0; p < s->fe->nnode; p++) {
        clv_sub3(arm, s->fe->position + 3 * p, s->fe->interface[s->fe->frame].position);
        clv_mat3_transpose_times(x, s->R, arm);
        for (int a = 0; a < 6; a++) {
            memset(body, 0, sizeof body);
            body[row[a]] += 0.5 * x[column[a]];
            body[column[a]] += 0.5 * x[row[a]];
            clv_mat3_times(shift_of(s, a, p), s->R, body);
        }
    }
    complete(s, 6);
    for (int k = 0; k < f->nmode; k++) {
        double *E = f->E + 9 * k;
        const double *h = f->h + 3 * k;
        for (int a = 0; a < 6; a++)
            E[3 * row[a] + column[a]] = E[3 * column[a] + row[a]] =
                clv_fe_dot(s->w + (size_t)a * s->N, s->MV + (size_t)k * s->N, (int)s->N);
        for (int i = 0; i < 3; i++) { /* h_i = E_jk - E_kj */
            E[3 * ((i + 1) % 3) + (i + 2) % 3] += 0.5 * h[i];
            E[3 * ((i + 2) % 3) + (i + 1) % 3] -= 0.5 * h[i];
        }
    }
}

/* Fields 3 i + j: component i of mode k, along body axis j. */
static void put_components(moments *s, const double *v)
{
    double a[3];
    memset(s->w, 0, FIELDS * s->N * sizeof *s->w);
    for (int p = 0; p < s->fe->nnode; p++) {
        clv_mat3_transpose_times(a, s->R, v + 6 * p);
        for (int ij = 0; ij < 9; ij++)
            for (int d = 0; d < 3; d++)
                shift_of(s, ij, p)[d] = a[ij / 3] * s->R[3 * d + ij % 3];
    }
    complete(s, 9);
}

/* Rotations of v that its translations do not explain (left in *rest), and their mass products. */
static void put_rest(const moments *s, double *rest, double *product, const double *v)
{
    memset(rest, 0, s->N * sizeof *rest);
    for (size_t i = 0; i < s->T; i++) {
        size_t dof = turn(i);
        rest[dof] = v[dof] - s->w[dof] - s->w[4 * s->N + dof] - s->w[8 * s->N + dof];
    }
    clv_fe_times(product, s->fe->M, rest, (int)s->N);
}

/* sum over nodes of (force along i)(translation along j), body axes */
static void along_axes(const moments *s, double x[9], const double *force, const double *v)
{
    double a[3], b[3];
    memset(x, 0, 9 * sizeof *x);
    for (int p = 0; p < s->fe->nnode; p++) {
        clv_mat3_transpose_times(a, s->R, force + 6 * p);
        clv_mat3_transpose_times(b, s->R, v + 6 * p);
        for (int ij = 0; ij < 9; ij++)
            x[ij] += a[ij / 3] * b[ij % 3];
    }
}

static void fill_B(moments *s, clv_flex *f, const double *V, double *rest)
{
    int n = f->nmode;
    for (int k = 0; k < n; k++) {
        double x[9];
        put_components(s, V + (size_t)k * s->N);
        put_rest(s, rest, rest + s->N, V + (size_t)k * s->N);
        for (int l = 0; l < n; l++) {
            along_axes(s, x, rest + s->N, V + (size_t)l * s->N);
            for (int ij = 0; ij < 9; ij++) {
                x[ij] += clv_fe_dot(s->w + (size_t)ij * s->N, s->MV + (size_t)l * s->N, (int)s->N);
                f->B[9 * (k * n + l) + ij] += 0.5 * x[ij];
                f->B[9 * (l * n + k) + 3 * (ij % 3) + ij / 3] += 0.5 * x[ij];
            }
        }
    }
}

/* What rounding and the turns leave: no part of a mode moves less than no mass, nor all of it more than Mff. */
static void bound_B(clv_flex *f)
{
    double scale[CLV_FLEX_MOST_MODES];
    int n = f->nmode;
    for (int k = 0; k < n; k++) {
        double *B = f->B + 9 * (k * n + k);
        for (int i = 0; i < 9; i += 4)
            B[i] = fmax(B[i], 0);
        scale[k] = sqrt(f->Mff[k * n + k] / fmax(f->Mff[k * n + k], B[0] + B[4] + B[8]));
    }
    for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++)
            for (int i = 0; i < 9; i++)
                f->B[9 * (k * n + l) + i] *= scale[k] * scale[l];
}

clv_status clv_fe_moments(clv_flex *f, const clv_fe *fe, const double R[9], const double *V, clv_error *e)
{
    moments s = {.fe = fe, .R = R, .N = 6 * (size_t)fe->nnode, .T = 3 * (size_t)fe->nnode};
    size_t n = (size_t)f->nmode;
    double *room = clv_alloc(s.T * s.T + FIELDS * (s.N + s.T) + (n + 2) * s.N, sizeof *room);
    if (!room)
        return clv_fail(e, CLV_ERR_MEMORY, "out of memory");
    s.K = room, s.w = s.K + s.T * s.T, s.turn = s.w + FIELDS * s.N, s.MV = s.turn + FIELDS * s.T;
    if (factor_turns(&s) != 0) {
        clv_free(room);
        return clv_fail(e, CLV_ERR_MODEL, "the stiffness against rotations of the nodes is not positive semidefinite");
    }
    modal_products(&s, V, f->nmode);
    memset(f->B, 0, 9 * n * n * sizeof *f->B);
    fill_E(&s, f);
    fill_B(&s, f, V, s.MV + n * s.N);
    bound_B(f);
    clv_free(room);
    return CLV_OK;
}
