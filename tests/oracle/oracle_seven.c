/* SPDX-License-Identifier: Apache-2.0
 * The ALDCA paper's equations in seven coordinates a body, see oracle_seven.h. */
#include "oracle/oracle_seven.h"
#include "math/rotation.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Paper, section 2: q = [r; e], x = R(e) s with the homogeneous R, x = B(e, s) e / 2, x'' = B(e, s) e'' + B(e', s) e'.
 */
static void vector_of(real x[3], real B[3][4], const real e[4], const double s[3])
{
    real w = e[0], v[3] = {e[1], e[2], e[3]}, dot = v[0] * s[0] + v[1] * s[1] + v[2] * s[2];
    real c[3] = {v[1] * s[2] - v[2] * s[1], v[2] * s[0] - v[0] * s[2], v[0] * s[1] - v[1] * s[0]};
    real cross[3][3] = {{0, -s[2], s[1]}, {s[2], 0, -s[0]}, {-s[1], s[0], 0}};
    for (int i = 0; i < 3; i++) {
        B[i][0] = 2 * (w * s[i] + c[i]);
        for (int j = 0; j < 3; j++)
            B[i][1 + j] = 2 * (v[i] * s[j] + (i == j ? dot : 0) - s[i] * v[j] - w * cross[i][j]);
        x[i] = 0;
        for (int j = 0; j < 4; j++)
            x[i] += B[i][j] * e[j] / 2;
    }
}

static void local_rates(real G[3][4], const real e[4]) /* w (body axes) = 2 G e' */
{
    const real g[3][4] = {{-e[1], e[0], e[3], -e[2]}, {-e[2], -e[3], e[0], e[1]}, {-e[3], e[2], -e[1], e[0]}};
    memcpy(G, g, sizeof g);
}

static void take_state(seven *d, const clv_model *m, const double *r, const double *R, const double *V)
{
    for (int b = 0; b < m->nbody; b++) {
        double e[4], w[3];
        clv_quat_from_rotation(e, R + 9 * b);
        double norm = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
        clv_mat3_transpose_times(w, R + 9 * b, V + 6 * b + 3);
        for (int i = 0; i < 3; i++)
            d->q[b][i] = r[3 * b + i], d->v[b][i] = V[6 * b + i];
        for (int i = 0; i < 4; i++)
            d->q[b][3 + i] = e[i] / norm;
        real G[3][4];
        local_rates(G, d->q[b] + 3);
        for (int i = 0; i < 4; i++) { /* e' = G^T w / 2 */
            d->v[b][3 + i] = 0;
            for (int j = 0; j < 3; j++)
                d->v[b][3 + i] += G[j][i] * w[j] / 2;
        }
    }
}

/* a body-fixed point or direction: its row blocks and bias; ground: none */
typedef struct fixed {
    real x[3], B[3][4], bias[3], rate[3];
} fixed;
static fixed fixed_at(const seven *d, const clv_model *m, int b, const double s[3], bool point)
{
    fixed f;
    double at[3] = {s[0], s[1], s[2]};
    memset(&f, 0, sizeof f);
    if (b < 0) {
        for (int i = 0; i < 3; i++)
            f.x[i] = s[i];
        return f;
    }
    for (int i = 0; point && i < 3; i++)
        at[i] -= m->body[b].com[i];
    real unused[3], Bd[3][4];
    vector_of(f.x, f.B, d->q[b] + 3, at);
    vector_of(unused, Bd, d->v[b] + 3, at);
    for (int i = 0; point && i < 3; i++)
        f.x[i] += d->q[b][i];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            f.bias[i] += Bd[i][j] * d->v[b][3 + j], f.rate[i] += f.B[i][j] * d->v[b][3 + j];
    return f;
}

static void put(real *row, int b, int at, real x)
{
    if (b >= 0)
        row[7 * b + at] += x;
}

/* rows of points and perpendicular directions (spherical, revolute), as the paper's (3); signs Phi'' = Phi_q q'' +
 * gamma */
static void joint_rows(seven *d, const clv_model *m, const clv_joint *j)
{
    fixed A = fixed_at(d, m, j->a, j->pa, true), B = fixed_at(d, m, j->b, j->pb, true);
    for (int i = 0; i < 3; i++) {
        real *row = d->Phi + (size_t)d->rows * (size_t)d->n;
        put(row, j->b, i, 1), put(row, j->a, i, -1);
        for (int k = 0; k < 4; k++)
            put(row, j->b, 3 + k, B.B[i][k]), put(row, j->a, 3 + k, -A.B[i][k]);
        d->phi[d->rows] = B.x[i] - A.x[i], d->gamma[d->rows++] = B.bias[i] - A.bias[i];
    }
    for (int c = 0; j->kind == CLV_JOINT_REVOLUTE && c < 2; c++) { /* axis c of A on z of B */
        double ea[3] = {j->Ea[c], j->Ea[3 + c], j->Ea[6 + c]}, eb[3] = {j->Eb[2], j->Eb[5], j->Eb[8]};
        fixed x = fixed_at(d, m, j->a, ea, false), z = fixed_at(d, m, j->b, eb, false);
        real *row = d->Phi + (size_t)d->rows * (size_t)d->n;
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 4; k++)
                put(row, j->a, 3 + k, z.x[i] * x.B[i][k]), put(row, j->b, 3 + k, x.x[i] * z.B[i][k]);
            d->phi[d->rows] += x.x[i] * z.x[i];
            d->gamma[d->rows] += x.bias[i] * z.x[i] + 2 * x.rate[i] * z.rate[i] + x.x[i] * z.bias[i];
        }
        d->rows++;
    }
}

static void body_terms(seven *d, const clv_model *m, int b)
{
    const clv_body *body = &m->body[b];
    const double *J = body->J;
    real I[3][3] = {{J[0], J[3], J[4]}, {J[3], J[1], J[5]}, {J[4], J[5], J[2]}}, G[3][4], Gd[3][4], JGe[3] = {0};
    local_rates(G, d->q[b] + 3), local_rates(Gd, d->v[b] + 3);
    for (int i = 0; i < 3; i++) {
        d->M[(size_t)(7 * b + i) * (size_t)(d->n + 1)] = body->mass;
        d->Q[7 * b + i] = body->mass * (real)m->gravity[i];
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++)
                JGe[i] += I[i][j] * G[j][k] * d->v[b][3 + k];
    }
    for (int k = 0; k < 4; k++) {
        for (int l = 0; l < 4; l++)
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    d->M[(size_t)(7 * b + 3 + k) * (size_t)d->n + (size_t)(7 * b + 3 + l)] +=
                        4 * G[i][k] * I[i][j] * G[j][l];
        for (int i = 0; i < 3; i++)
            d->Q[7 * b + 3 + k] -= 8 * Gd[i][k] * JGe[i];
    }
}

seven *seven_create(const clv_model *m, const double *r, const double *R, const double *V)
{
    seven *d = calloc(1, sizeof *d);
    size_t most = (size_t)(5 * m->njoint + m->nbody), n = 7 * (size_t)m->nbody;
    d->n = (int)n;
    d->M = calloc(n * n, sizeof(real)), d->Q = calloc(n, sizeof(real));
    d->Phi = calloc(most * n, sizeof(real)), d->gamma = calloc(most, sizeof(real)), d->phi = calloc(most, sizeof(real));
    take_state(d, m, r, R, V);
    for (int b = 0; b < m->nbody; b++)
        body_terms(d, m, b);
    for (int j = 0; j < m->njoint; j++)
        joint_rows(d, m, &m->joint[j]);
    for (int b = 0; b < m->nbody; b++) { /* (4): e^T e - 1 */
        d->phi[d->rows + b] = -1;
        for (int k = 3; k < 7; k++) {
            d->Phi[(size_t)(d->rows + b) * n + (size_t)(7 * b + k)] = 2 * d->q[b][k];
            d->phi[d->rows + b] += d->q[b][k] * d->q[b][k];
            d->gamma[d->rows + b] += 2 * d->v[b][k] * d->v[b][k];
        }
    }
    return d;
}

void seven_destroy(seven *d)
{
    free(d->M), free(d->Q), free(d->Phi), free(d->phi), free(d->gamma), free(d);
}

/* x of A x = y by Gauss with column pivots; A and y are spoilt */
static void gauss(real *A, real *y, int n)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabsl(A[(size_t)i * (size_t)n + (size_t)k]) > fabsl(A[(size_t)best * (size_t)n + (size_t)k]))
                best = i;
        for (int j = 0; j < n; j++) {
            real t = A[(size_t)k * (size_t)n + (size_t)j];
            A[(size_t)k * (size_t)n + (size_t)j] = A[(size_t)best * (size_t)n + (size_t)j];
            A[(size_t)best * (size_t)n + (size_t)j] = t;
        }
        real t = y[k];
        y[k] = y[best], y[best] = t;
        for (int i = k + 1; i < n; i++) {
            real f = A[(size_t)i * (size_t)n + (size_t)k] / A[(size_t)k * (size_t)n + (size_t)k];
            for (int j = k; f != 0 && j < n; j++)
                A[(size_t)i * (size_t)n + (size_t)j] -= f * A[(size_t)k * (size_t)n + (size_t)j];
            y[i] -= f * y[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            y[k] -= A[(size_t)k * (size_t)n + (size_t)j] * y[j];
        y[k] /= A[(size_t)k * (size_t)n + (size_t)k];
    }
}

/* [M Phi^T; Phi -1/alpha][x; lam] = [b; -c - lam* / alpha] */
void seven_iterate(const seven *d, const real *b, const real *c, const real *alpha, real alpha_N, real *x, real *lam)
{
    int m = d->rows + d->n / 7, N = d->n + m;
    real *A = calloc((size_t)N * (size_t)N, sizeof(real)), *y = calloc((size_t)N, sizeof(real));
    for (int i = 0; i < d->n; i++) {
        memcpy(A + (size_t)i * (size_t)N, d->M + (size_t)i * (size_t)d->n, (size_t)d->n * sizeof(real));
        y[i] = b[i];
    }
    for (int r = 0; r < m; r++) {
        real weak = r < d->rows ? 1 / alpha[r] : alpha_N > 0 ? 1 / alpha_N : 0;
        for (int i = 0; i < d->n; i++)
            A[(size_t)(d->n + r) * (size_t)N + (size_t)i] = A[(size_t)i * (size_t)N + (size_t)(d->n + r)] =
                d->Phi[(size_t)r * (size_t)d->n + (size_t)i];
        A[(size_t)(d->n + r) * (size_t)(N + 1)] = -weak;
        y[d->n + r] = -c[r] - lam[r] * weak;
    }
    gauss(A, y, N);
    memcpy(x, y, (size_t)d->n * sizeof(real)), memcpy(lam, y + d->n, (size_t)m * sizeof(real));
    free(A), free(y);
}

/* A x = y by Cholesky in double precision; A and y are spoilt */
static void cholesky(double *A, double *y, int n)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            double t = A[i * n + j];
            for (int k = 0; k < j; k++)
                t -= A[i * n + k] * A[j * n + k];
            A[i * n + j] = j < i ? t / A[j * n + j] : sqrt(t);
        }
        for (int k = 0; k < i; k++)
            y[i] -= A[i * n + k] * y[k];
        y[i] /= A[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            y[i] -= A[k * n + i] * y[k];
        y[i] /= A[i * n + i];
    }
}

void seven_iterate_printed(const seven *d, const real *b, const real *c, const real *alpha, real alpha_N, real *x,
                           real *lam)
{
    int n = d->n, m = d->rows + n / 7;
    double *A = calloc((size_t)n * (size_t)n, sizeof(double)), *y = calloc((size_t)n, sizeof(double));
    for (int i = 0; i < n; i++) {
        y[i] = (double)b[i];
        for (int j = 0; j < n; j++)
            A[i * n + j] = (double)d->M[i * n + j];
    }
    for (int r = 0; r < m; r++) {
        double a = (double)(r < d->rows ? alpha[r] : alpha_N);
        const real *Phi = d->Phi + (size_t)r * (size_t)n;
        for (int i = 0; i < n; i++) {
            y[i] -= (double)Phi[i] * ((double)lam[r] + a * (double)c[r]);
            for (int j = 0; j < n; j++)
                A[i * n + j] += a * (double)Phi[i] * (double)Phi[j];
        }
    }
    cholesky(A, y, n);
    for (int r = 0; r < m; r++) {
        double missed = (double)c[r];
        for (int i = 0; i < n; i++)
            missed += (double)d->Phi[r * n + i] * y[i];
        lam[r] = (double)lam[r] + (double)(r < d->rows ? alpha[r] : alpha_N) * missed;
    }
    for (int i = 0; i < n; i++)
        x[i] = y[i];
    free(A), free(y);
}

void seven_twists(const seven *d, const real *x, double *V)
{
    for (int b = 0; b < d->n / 7; b++) {
        const real *e = d->q[b] + 3, *ed = x + 7 * b + 3;
        const real E[3][4] = {{-e[1], e[0], -e[3], e[2]}, {-e[2], e[3], e[0], -e[1]}, {-e[3], -e[2], e[1], e[0]}};
        for (int i = 0; i < 3; i++) { /* w = 2 E e' */
            real w = 0;
            for (int k = 0; k < 4; k++)
                w += 2 * E[i][k] * ed[k];
            V[6 * b + i] = (double)x[7 * b + i], V[6 * b + 3 + i] = (double)w;
        }
    }
}
