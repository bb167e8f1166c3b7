/* SPDX-License-Identifier: Apache-2.0
 * Method 1 of the branch method, step 4b (T28): the factor of the scaled connection matrix Ms = S M S (T28.4),
 *
 *   Ms = L L^T      block by block in the order of the plan, right-looking: once a block column is done, what it
 *                   leaves to the blocks after it is subtracted from these at once
 *
 * Blocks that complete a cycle are pivoted and stop at the threshold of rank (T20).  A row d left out there has the
 * null vector
 *
 *   n_d = 1 in row d,  -L_kept^-T L_d^T in the kept rows before it,  0 elsewhere          (T28.5)
 *
 * It lies in the subtree of its block, so null vectors of different subtrees are orthogonal as they come; those of one
 * subtree are orthonormalised here. */
#include <math.h>
#include <string.h>
#include "base/tolerance.h"
#include "engine/connection_block.h"

/* ------------------------------------------------------------------ step 4b: the factor */

/* rows a and b of a block in pivot order, with their first q columns of L */
static void swap_rows(double *L, int m, int q, int *o, double *d, int a, int b)
{
    const int t = o[a];
    const double x = d[a];
    o[a] = o[b], o[b] = t, d[a] = d[b], d[b] = x;
    for (int j = 0; j < q; j++) {
        const double y = L[a * m + j];
        L[a * m + j] = L[b * m + j], L[b * m + j] = y;
    }
}

/* Rows from the rank on are left out.  Two kinds are weak, not redundant, and have no null vector; they go first.
 * Those of one kind have a pivot above `rank`, and other rows hold their directions (T40.8).  On those of the other
 * kind rows of later blocks still depend (T28).  couple: how much, by place in the block. */
static void part_dropped(clv_engine *e, int k, double *d, const double *couple)
{
    clv_connection *n = &e->connection;
    const int m = clv_connection_rows(e->plan->connect, k), q = n->rank[k];
    int *o = n->order + e->plan->connect->row[k], weak = q;
    double *L = n->L + e->plan->connect->diagonal[k];
    for (int i = q; i < m; i++)
        if (d[i] > e->rank || (e->begun && couple[i] > CLV_TOL_WEAK_ROW))
            swap_rows(L, m, q, o, d, weak++, i);
    n->nulls[k] = m - weak;
}

/* One diagonal block: Z := L in pivot order, rank and order set; d: pivots, of rows left out what remains of them.
 * False: a pivot is not positive where it must be. */
static bool pivot_block(clv_engine *e, int k, double *d)
{
    const clv_connect *c = e->plan->connect;
    clv_connection *n = &e->connection;
    int m = clv_connection_rows(c, k), *o = n->order + c->row[k];
    double *L = n->L + c->diagonal[k], Z[CLV_CONNECTION_ROWS * CLV_CONNECTION_ROWS];
    const double least = c->loop[k] ? e->threshold : 0.0;
    memcpy(Z, L, (size_t)(m * m) * sizeof(double));
    memset(L, 0, (size_t)(m * m) * sizeof(double));
    n->rank[k] = m;
    /* d: what remains of the diagonal, the pivots to come */
    for (int i = 0; i < m; i++) {
        o[i] = i, d[i] = Z[i * m + i];
        if (!isfinite(d[i]))
            return false;
    }
    for (int q = 0; q < m; q++) {
        /* the largest pivot first, in blocks that decide the rank; others keep the order of their rows */
        int best = q;
        for (int i = q + 1; least > 0 && i < m; i++)
            if (d[i] > d[best])
                best = i;
        swap_rows(L, m, q, o, d, q, best);
        if (least > 0 && !(d[q] > least)) {
            n->rank[k] = q, e->max_dropped = fmax(e->max_dropped, d[q]);
            break;
        }
        if (!(d[q] > 0))
            return false;
        if (c->loop[k])
            e->min_pivot = fmin(e->min_pivot, d[q]);
        /* column q of L, and what it leaves of the diagonal below; Z is symmetric, its lower triangle is filled */
        double root = sqrt(d[q]);
        L[q * m + q] = root;
        for (int i = q + 1; i < m; i++) {
            double x = o[i] > o[q] ? Z[o[i] * m + o[q]] : Z[o[q] * m + o[i]];
            for (int j = 0; j < q; j++)
                x -= L[i * m + j] * L[q * m + j];
            L[i * m + q] = x / root;
            d[i] -= L[i * m + q] * L[i * m + q];
        }
    }
    return true;
}

/* L_ik := Z_ik L_kk^-T, columns in pivot order, those beyond the rank zero; couple: largest number that one held */
static void divide_block(const clv_engine *e, int k, double *X, int mi, double *couple)
{
    const clv_connect *c = e->plan->connect;
    int m = clv_connection_rows(c, k), r = e->connection.rank[k];
    const int *o = e->connection.order + c->row[k];
    const double *L = e->connection.L + c->diagonal[k];
    for (int i = 0; i < mi; i++) {
        double y[CLV_CONNECTION_ROWS] = {0};
        /* row i of L_ik from left to right: y_q = (x_q - sum over j < q of y_j L_qj) / L_qq */
        for (int q = 0; q < r; q++) {
            double x = X[i * m + o[q]];
            for (int j = 0; j < q; j++)
                x -= y[j] * L[q * m + j];
            y[q] = x / L[q * m + q];
        }
        /* what it still holds of the rows left out: a weak row is one that later rows depend on */
        for (int q = r; q < m; q++) {
            double x = X[i * m + o[q]];
            for (int j = 0; j < r; j++)
                x -= y[j] * L[q * m + j];
            couple[q] = fmax(couple[q], fabs(x));
        }
        memcpy(X + i * m, y, (size_t)m * sizeof(double));
    }
}

/* what column k leaves to the blocks after it: Z_ij -= L_ik L_jk^T */
static void update(clv_engine *e, int k)
{
    const clv_connect *c = e->plan->connect;
    double *L = e->connection.L;
    int m = clv_connection_rows(c, k), r = e->connection.rank[k];
    /* every pair of blocks below column k; where both are one, the diagonal of that column */
    for (int b = c->start[k]; b < c->start[k + 1]; b++) {
        int j = c->below[b], mj = clv_connection_rows(c, j), at = c->start[j];
        const double *Lj = L + c->at[b];
        for (int a = b; a < c->start[k + 1]; a++) {
            int i = c->below[a], mi = clv_connection_rows(c, i);
            const double *Li = L + c->at[a];
            /* blocks below column j ascend, as those below column k do: one scan finds all of them */
            while (i > j && c->below[at] < i)
                at++;
            double *Z = L + (i == j ? c->diagonal[j] : c->at[at]);
            for (int x = 0; x < mi; x++)
                for (int y = 0; y < mj; y++) {
                    double t = Z[x * mj + y];
                    for (int q = 0; q < r; q++)
                        t -= Li[x * m + q] * Lj[y * m + q];
                    Z[x * mj + y] = t;
                }
        }
    }
}

/* T28.5 for every row that block k leaves out: its numbers in the own block, then backwards through the subtree.  It is
 * made orthogonal to those found before, twice because once loses digits, and of length 1. */
static void null_vectors_of(clv_engine *e, int k)
{
    const clv_connect *c = e->plan->connect;
    clv_connection *n = &e->connection;
    int m = clv_connection_rows(c, k), r = n->rank[k], first = m - n->nulls[k];
    int begin = c->row[c->first[k]], end = c->row[k + 1];
    const int *o = n->order + c->row[k];
    const double *D = n->L + c->diagonal[k];
    for (int d = first; d < m; d++) {
        double *x = n->x, norm = 0;
        memset(x + begin, 0, (size_t)(end - begin) * sizeof(double));
        for (int q = r - 1; q >= 0; q--) { /* -L_kept^-T of the dropped row */
            double y = -D[d * m + q];
            for (int j = q + 1; j < r; j++)
                y -= D[j * m + q] * x[c->row[k] + o[j]];
            x[c->row[k] + o[q]] = y / D[q * m + q];
        }
        x[c->row[k] + o[d]] = 1.0;
        for (int j = k - 1; j >= c->first[k]; j--)
            clv_connection_back(e, j, x, k);
        for (int pass = 0; pass < 2; pass++)
            clv_connection_remove_null(e, x, c->first[k], k, d - first);
        for (int i = begin; i < end; i++)
            norm += x[i] * x[i];
        norm = 1.0 / sqrt(norm);
        double *to = clv_connection_null(e, k, d - first);
        for (int i = begin; i < end; i++)
            to[i - begin] = norm * x[i];
    }
}

bool clv_connection_cholesky(clv_engine *e)
{
    const clv_plan *p = e->plan;
    const clv_connect *c = p->connect;
    int dropped = 0, nulls = 0; /* rows left out; of these redundant ones */
    for (int k = 0; k < c->nblock; k++) {
        /* one block column: its diagonal, the blocks below it, which rows are redundant, what later columns
         * keep */
        double d[CLV_CONNECTION_ROWS], couple[CLV_CONNECTION_ROWS] = {0};
        if (!pivot_block(e, k, d)) {
            e->failed_edge = p->edges_of[p->part[c->part].edge + k];
            return false;
        }
        for (int t = c->start[k]; t < c->start[k + 1]; t++)
            divide_block(e, k, e->connection.L + c->at[t], clv_connection_rows(c, c->below[t]), couple);
        part_dropped(e, k, d, couple);
        update(e, k);
        dropped += clv_connection_rows(c, k) - e->connection.rank[k], nulls += e->connection.nulls[k];
        e->connection.dropped[k + 1] = nulls;
    }
    for (int k = 0; nulls > 0 && k < c->nblock; k++)
        null_vectors_of(e, k);
    e->nullity[c->part] = nulls;
    e->truncated += dropped;
    return true;
}

bool clv_connection_factor(clv_engine *e)
{
    clv_connection_form(e);
    return clv_connection_cholesky(e);
}
