/* SPDX-License-Identifier: Apache-2.0
 * A lane source: the work inside a dense node (node.c; T5.1, T5.3), eight columns at a time.  Every number is a sum in
 * the order of rows or columns, whatever the width of the lanes. */
#include "engine/kernels.h"
#include "math/rank.h"

enum { B = CLV_GROUP };
#define INLINE static inline __attribute__((always_inline))

/* Six rows of Xi (size x size) times a 6 x m block by columns: m lines of `to`, `stride` apart, are added to.  Numbers
 * behind `size` in a line are not set to anything useful; the six rows may be read up to seven numbers beyond. */
void CLV_LANE(clv_node_lines)(double *to, int stride, const double *Xi, int size, const double *block, int m)
{
    for (int i = 0; i < size; i += CLV_LANES) {
        clv_w x[6];
        for (int k = 0; k < 6; k++)
            x[k] = clv_w_load_any(Xi + (size_t)k * (size_t)size + i);
        for (int j = 0; j < m; j++) {
            const double *K = block + 6 * j;
            double *line = to + (size_t)j * (size_t)stride + i;
            clv_w sum = clv_w_fill(0.0);
            sum += x[0] * K[0], sum += x[1] * K[1], sum += x[2] * K[2];
            sum += x[3] * K[3], sum += x[4] * K[4], sum += x[5] * K[5];
            clv_w_store(line, clv_w_load(line) + sum);
        }
    }
}

/* out (wide) += sum over n lines of A (n x wide, wide a multiple of eight) times x */
void CLV_LANE(clv_node_sum)(double *out, const double *A, const double *x, int n, int wide)
{
    int i = 0;
    for (; i + 4 * CLV_LANES <= wide; i += 4 * CLV_LANES) {
        clv_w s[4];
        for (int c = 0; c < 4; c++)
            s[c] = clv_w_load(out + i + c * CLV_LANES);
        for (int j = 0; j < n; j++) {
            const double *line = A + (size_t)j * (size_t)wide + i, f = x[j];
            s[0] += clv_w_load(line) * f, s[1] += clv_w_load(line + CLV_LANES) * f;
            s[2] += clv_w_load(line + 2 * CLV_LANES) * f, s[3] += clv_w_load(line + 3 * CLV_LANES) * f;
        }
        for (int c = 0; c < 4; c++)
            clv_w_store(out + i + c * CLV_LANES, s[c]);
    }
    for (; i < wide; i += CLV_LANES) {
        clv_w s = clv_w_load(out + i);
        for (int j = 0; j < n; j++)
            s += clv_w_load(A + (size_t)j * (size_t)wide + i) * x[j];
        clv_w_store(out + i, s);
    }
}

/* ------------------------------------------------------------------ half solutions: Y = F^-1 X, Z^+ = F^-T F^-1 */

/* C -= sum over j < n of lines of Y times eight rows of L */
INLINE void take(clv_w *C, const double *L, size_t m, const double *Y, int n)
{
    for (int j = 0; j < n; j++) {
        const clv_w y = clv_w_load(Y + B * j);
        const double *l = L + j;
        C[0] -= y * l[0], C[1] -= y * l[m], C[2] -= y * l[2 * m], C[3] -= y * l[3 * m];
        C[4] -= y * l[4 * m], C[5] -= y * l[5 * m], C[6] -= y * l[6 * m], C[7] -= y * l[7 * m];
    }
}

/* full rank: L Y = (S X in the order of pivots), eight rows at a time, then the rest one by one */
INLINE void lower(const clv_rank *f, double *Y, const double *X, int stride)
{
    const int m = f->m, blocks = m / B * B;
    for (int i = 0; i < blocks; i += B) {
        const double *L = f->L + (size_t)i * (size_t)m;
        clv_w C[B];
        for (int c = 0; c < B; c++) {
            const int p = (int)f->order[i + c];
            C[c] = clv_w_load(X + (size_t)p * (size_t)stride) * f->s[p];
        }
        take(C, L, (size_t)m, Y, i);
        for (int c = 0; c < B; c++) {
            for (int k = 0; k < c; k++)
                C[c] -= C[k] * L[c * m + i + k];
            C[c] /= clv_w_fill(L[c * m + i + c]);
            clv_w_store(Y + B * (i + c), C[c]);
        }
    }
    for (int i = blocks; i < m; i++) {
        const double *L = f->L + (size_t)i * (size_t)m;
        const int p = (int)f->order[i];
        clv_w t = clv_w_load(X + (size_t)p * (size_t)stride) * f->s[p];
        for (int j = 0; j < i; j++)
            t -= clv_w_load(Y + B * j) * L[j];
        clv_w_store(Y + B * i, t / clv_w_fill(L[i]));
    }
}

/* less: R^T Y = Q^T S X */
INLINE void ranked(const clv_rank *f, double *Y, const double *X, int stride)
{
    const int m = f->m, r = f->r;
    for (int k = 0; k < r; k++) {
        const double *Q = f->Q + (size_t)k * (size_t)m;
        clv_w t = clv_w_fill(0.0);
        for (int i = 0; i < m; i++)
            t += clv_w_load(X + (size_t)i * (size_t)stride) * f->s[i] * Q[i];
        clv_w_store(Y + B * k, t);
    }
    for (int i = r - 1; i >= 0; i--) {
        const double *R = f->R + (size_t)i * (size_t)m;
        clv_w t = clv_w_load(Y + B * i);
        for (int j = i + 1; j < r; j++)
            t -= clv_w_load(Y + B * j) * R[j];
        clv_w_store(Y + B * i, t / clv_w_fill(R[i]));
    }
}

/* eight columns: to (r x 8) = F^-1 from (m lines, `stride` apart) */
void CLV_LANE(clv_node_half)(const clv_rank *f, double *to, const double *from, int stride)
{
    for (int lane = 0; lane < B; lane += CLV_LANES)
        if (f->r == f->m)
            lower(f, to + lane, from + lane, stride);
        else
            ranked(f, to + lane, from + lane, stride);
}

/* eight by eight numbers of `to` -= G_a^T G_b of two panels of r lines of eight */
INLINE void gram(double *to, size_t stride, const double *a, const double *b, int r)
{
    for (int lane = 0; lane < B; lane += CLV_LANES) {
        clv_w C[B];
        for (int c = 0; c < B; c++)
            C[c] = clv_w_load_any(to + (size_t)c * stride + lane);
        for (int j = 0; j < r; j++) {
            const clv_w y = clv_w_load(b + B * j + lane);
            const double *x = a + B * j;
            C[0] -= y * x[0], C[1] -= y * x[1], C[2] -= y * x[2], C[3] -= y * x[3];
            C[4] -= y * x[4], C[5] -= y * x[5], C[6] -= y * x[6], C[7] -= y * x[7];
        }
        for (int c = 0; c < B; c++)
            clv_w_store_any(to + (size_t)c * stride + lane, C[c]);
    }
}

/* the first lines and columns of such a block */
void CLV_LANE(clv_node_gram)(double *to, int stride, int lines, int columns, const double *a, const double *b, int r)
{
    if (lines == B && columns == B) {
        gram(to, (size_t)stride, a, b, r);
        return;
    }
    double tile[B * B] __attribute__((aligned(64))) = {0};
    for (int i = 0; i < lines; i++)
        for (int j = 0; j < columns; j++)
            tile[B * i + j] = to[i * stride + j];
    gram(tile, B, a, b, r);
    for (int i = 0; i < lines; i++)
        for (int j = 0; j < columns; j++)
            to[i * stride + j] = tile[B * i + j];
}
