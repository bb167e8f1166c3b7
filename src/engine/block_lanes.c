/* SPDX-License-Identifier: Apache-2.0
 * A lane source: the Cholesky factor of a matrix by panels, and substitutions (T18, block.h).  A lane is a row; panel
 * after panel, block after block of eight columns, left-looking:
 *
 *   C = A_PQ - sum over columns k before Q of A_Pk A_Qk^T,   then C := C L_QQ^-T,   or the factor of C where P = Q */
#include "engine/kernels.h"

enum { B = CLV_BLOCK };
#define INLINE static inline __attribute__((always_inline))

static int later(int a, int b) { return a > b ? a : b; }

/* C -= sum over columns from .. to of the rows of P times eight rows of Q */
INLINE void take(clv_w *C, const double *P, const double *Q, int from, int to)
{
    for (int k = from; k < to; k++) {
        const clv_w a = clv_w_load(P + B * k);
        const double *l = Q + B * k;
        C[0] -= a * l[0], C[1] -= a * l[1], C[2] -= a * l[2], C[3] -= a * l[3];
        C[4] -= a * l[4], C[5] -= a * l[5], C[6] -= a * l[6], C[7] -= a * l[7];
    }
}

/* rows of panel p from lane on, columns of block q: without what the columns before give; solved, if q is before p */
INLINE void block(const clv_block *b, int p, int q, int lane)
{
    double *P = b->A + b->at[p] + lane;
    const double *Q = b->A + b->at[q], *D = Q + B * B * q, *inverse = b->inverse + B * q;
    clv_w C[B];
    for (int c = 0; c < B; c++)
        C[c] = clv_w_load(P + B * (B * q + c));
    /* columns before the first nonzero of either panel are skipped: they are zero (the envelope of the tree) */
    take(C, P, Q, later(b->first[p], b->first[q]), B * q);
    for (int c = 0; c < B; c++) {
        /* C L_QQ^-T, one column after the other */
        for (int k = 0; p != q && k < c; k++)
            C[c] -= C[k] * D[B * k + c];
        if (p != q)
            C[c] *= clv_w_fill(inverse[c]);
        clv_w_store(P + B * (B * q + c), C[c]);
    }
}

/* L of a diagonal block D, by columns; before: its diagonal before other columns were taken off.  False: a pivot is
 * missing. */
static bool diagonal(clv_block *b, int q, const double *before)
{
    double *D = b->A + b->at[q] + B * B * q, *inverse = b->inverse + B * q;
    for (int c = 0; c < B; c++) {
        double *column = D + B * c;
        for (int lane = 0; lane < B; lane += CLV_LANES) {
            clv_w x = clv_w_load(column + lane);
            /* left-looking inside the block */
            for (int k = 0; k < c; k++)
                x -= clv_w_load(D + B * k + lane) * D[B * k + c];
            clv_w_store(column + lane, x);
        }
        /* a pivot of rounding size: no inertia along this unknown */
        if (column[c] > 1e-14 * before[c])
            inverse[c] = 1.0 / __builtin_sqrt(column[c]);
        /* its row and column are left out; it is named where something loads it */
        else if (b->skip && __builtin_isfinite(column[c]))
            inverse[c] = 0.0, b->loose = B * q + c;
        else {
            b->failed = B * q + c;
            return false;
        }
        for (int lane = 0; lane < B; lane += CLV_LANES)
            clv_w_store(column + lane, clv_w_load(column + lane) * clv_w_fill(inverse[c]));
    }
    return true;
}

/* Z, a panel of rows by a panel of columns: minus the sum over all unknowns */
static void gram(const clv_block *b, int p, int q)
{
    double out[B * B] __attribute__((aligned(64)));
    const int from = later(b->first[p], b->first[q]), r = B * (p - b->npanel), s = B * (q - b->npanel);
    for (int lane = 0; lane < B; lane += CLV_LANES) {
        clv_w C[B];
        for (int c = 0; c < B; c++)
            C[c] = clv_w_fill(0.0);
        take(C, b->A + b->at[p] + lane, b->A + b->at[q], from, b->nwide);
        for (int c = 0; c < B; c++)
            clv_w_store(out + B * c + lane, -C[c]);
    }
    /* rows and columns beyond m are padding */
    for (int i = 0; i < B && r + i < b->m; i++)
        for (int j = 0; j < B && s + j < b->m; j++)
            b->Z[(size_t)(r + i) * (size_t)b->m + (size_t)(s + j)] = out[B * j + i];
}

void CLV_LANE(clv_block_factor)(clv_block *b)
{
    for (int p = 0; p < b->npanel + b->nbelow; p++) {
        double before[B];
        /* panels below the matrix are right-hand sides: they have no diagonal block */
        const int end = p < b->npanel ? p : b->npanel;
        for (int q = b->first[p] / B; q < end; q++)
            for (int lane = 0; lane < B; lane += CLV_LANES)
                block(b, p, q, lane);
        if (p >= b->npanel)
            continue;
        /* the diagonal before elimination: what pivots are compared with */
        for (int c = 0; c < B; c++)
            before[c] = b->A[b->at[p] + (size_t)(B * (B * p + c) + c)];
        for (int lane = 0; lane < B; lane += CLV_LANES)
            block(b, p, p, lane);
        if (!diagonal(b, p, before))
            return;
    }
    /* Z = -sum of squares of what is below: the matrix of the loops */
    for (int p = b->npanel; p < b->npanel + b->nbelow; p++)
        for (int q = b->npanel; q <= p; q++)
            gram(b, p, q);
}

void CLV_LANE(clv_block_lower)(const clv_block *b, double *x)
{
    for (int p = 0; p < b->npanel + b->nbelow; p++) {
        const double *P = b->A + b->at[p], *D = P + B * B * p, *inverse = b->inverse + B * p;
        double *to = x + B * p;
        const int end = p < b->npanel ? B * p : b->nwide;
        /* L y = x: what the panels before give, eight rows at a time */
        for (int lane = 0; lane < B; lane += CLV_LANES) {
            clv_w y = clv_w_load(to + lane);
            for (int k = b->first[p]; k < end; k++)
                y -= clv_w_load(P + B * k + lane) * x[k];
            clv_w_store(to + lane, y);
        }
        /* then inside the diagonal block */
        for (int c = 0; p < b->npanel && c < B; c++) {
            to[c] *= inverse[c];
            for (int i = c + 1; i < B; i++)
                to[i] -= D[B * c + i] * to[c];
        }
    }
}

/* sum += rows of a panel times x, lane by lane, columns from .. to */
INLINE void gather(const clv_block *b, int p, const double *x, int to)
{
    const double *P = b->A + b->at[p];
    for (int lane = 0; lane < B; lane += CLV_LANES) {
        const clv_w y = clv_w_load(x + B * p + lane);
        for (int k = b->first[p]; k < to; k++)
            clv_w_store(b->sum + B * k + lane, clv_w_load(b->sum + B * k + lane) + clv_w_load(P + B * k + lane) * y);
    }
}

void CLV_LANE(clv_block_upper)(const clv_block *b, double *x)
{
    /* sums of columns, lane by lane; L is stored by rows, so L^T x scatters */
    for (int i = 0; i < B * b->nwide; i++)
        b->sum[i] = 0;
    for (int p = b->npanel + b->nbelow - 1; p >= 0; p--) {
        const double *D = b->A + b->at[p] + B * B * p, *inverse = b->inverse + B * p;
        double *to = x + B * p;
        for (int c = B - 1; p < b->npanel && c >= 0; c--) {
            const double *s = b->sum + B * (B * p + c);
            /* pairwise, in an order that does not depend on the lanes */
            double y = to[c] - (((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7])));
            for (int i = c + 1; i < B; i++)
                y -= D[B * c + i] * to[i];
            to[c] = y * inverse[c];
        }
        gather(b, p, x, p < b->npanel ? B * p : b->nwide);
    }
}
