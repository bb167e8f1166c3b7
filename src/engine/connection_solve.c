/* SPDX-License-Identifier: Apache-2.0
 * Method 1 of the branch method, solution (T28): the multipliers of all connections with the factor of connection.c,
 *
 *   sigma = -M^+ (K^T x0 - a)                                               (T28.3)
 *   Ms^+ = P G P,   P = 1 - N N^T,   G: substitution with the kept rows       (T28.6)
 *
 * Substitution costs one pass over the blocks of the factor forward and one backward.  Multipliers of couplings and of
 * joints between branches come out together.
 * N are the orthonormal null vectors.  The multipliers are the least in the scaled rows, over all connections. */
#include <string.h>
#include "engine/connection_block.h"
#include "math/spatial.h"

/* x_k (rows of the caller's order, kept ones) := L_kk^-T (y - sum over blocks below of L_ik^T x_i);
 * dropped ones stay */
void clv_connection_back(const clv_engine *e, int k, double *x, int last)
{
    const clv_connect *c = e->plan->connect;
    const double *L = e->connection.L, *D = L + c->diagonal[k];
    const int *o = e->connection.order + c->row[k];
    int m = clv_connection_rows(c, k), r = e->connection.rank[k];
    double y[CLV_CONNECTION_ROWS];
    /* the kept rows in pivot order, less what the blocks below take */
    for (int q = 0; q < r; q++)
        y[q] = x[c->row[k] + o[q]];
    for (int t = c->start[k]; t < c->start[k + 1] && c->below[t] <= last; t++) {
        const double *Li = L + c->at[t], *xi = x + c->row[c->below[t]];
        for (int i = 0; i < clv_connection_rows(c, c->below[t]); i++)
            for (int q = 0; q < r; q++)
                y[q] -= Li[i * m + q] * xi[i];
    }
    /* the transposed triangle of the diagonal block, from its last pivot to its first */
    for (int q = r - 1; q >= 0; q--) {
        for (int j = q + 1; j < r; j++)
            y[q] -= D[j * m + q] * y[j];
        y[q] /= D[q * m + q];
        x[c->row[k] + o[q]] = y[q];
    }
}

/* v := v - (v . n) n for every null vector n of blocks from .. to, the first `most` of the last block */
void clv_connection_remove_null(const clv_engine *e, double *v, int from, int to, int most)
{
    const clv_connect *c = e->plan->connect;
    for (int k = from; k <= to; k++) {
        /* length: rows of the subtree of the block, outside which its null vectors are zero */
        int count = e->connection.nulls[k], length = c->row[k + 1] - c->row[c->first[k]];
        for (int d = 0; d < (k == to && most < count ? most : count); d++) {
            /* both run over the rows of the subtree of block k alone */
            const double *n = clv_connection_null(e, k, d);
            double *x = v + c->row[c->first[k]], t = 0;
            for (int i = 0; i < length; i++)
                t += n[i] * x[i];
            for (int i = 0; i < length; i++)
                x[i] -= t * n[i];
        }
    }
}

/* T28.6: x := G x, forward with L and backward with L^T, both with the kept rows only; rows left out become 0 */
static void substitute(const clv_engine *e, double *x)
{
    const clv_connect *c = e->plan->connect;
    const double *L = e->connection.L;
    for (int k = 0; k < c->nblock; k++) {
        int m = clv_connection_rows(c, k), r = e->connection.rank[k];
        const int *o = e->connection.order + c->row[k];
        const double *D = L + c->diagonal[k];
        /* forward: y = L_kk^-1 x_k in pivot order */
        double y[CLV_CONNECTION_ROWS] = {0}, *xk = x + c->row[k];
        for (int q = 0; q < r; q++) {
            double t = xk[o[q]];
            for (int j = 0; j < q; j++)
                t -= D[q * m + j] * y[j];
            y[q] = t / D[q * m + q];
        }
        for (int q = 0; q < m; q++)
            xk[o[q]] = y[q];
        /* and what y_k takes off the rows of the blocks below */
        for (int t = c->start[k]; t < c->start[k + 1]; t++) {
            const double *Li = L + c->at[t];
            double *xi = x + c->row[c->below[t]];
            for (int i = 0; i < clv_connection_rows(c, c->below[t]); i++)
                for (int q = 0; q < r; q++)
                    xi[i] -= Li[i * m + q] * y[q];
        }
    }
    for (int k = c->nblock - 1; k >= 0; k--)
        clv_connection_back(e, k, x, c->nblock);
}

/* T28.3: sigma of all connections, from x0 that the branches show */
void clv_connection_up(clv_engine *e)
{
    const clv_plan *p = e->plan;
    const clv_connect *c = p->connect;
    double *x = e->connection.x;
    bool singular = e->nullity[c->part] > 0;
    /* x = a - K^T x0 */
    for (int k = 0; k < c->nblock; k++)
        for (int i = 0; i < clv_connection_rows(c, k); i++)
            x[c->row[k] + i] = e->a[clv_connection_edge(p, k)->row + i];
    for (int i = 0; i < c->nchild; i++) {
        const double *x0 = clv_part_x0(e, c->child[i]);
        for (int h = c->handle_start[i]; h < c->handle_start[i + 1]; h++) {
            const clv_edge *edge = clv_connection_edge(p, c->handle_block[h]);
            const double *B = e->block + edge->block[c->handle_of[h]];
            for (int j = 0; j < edge->m; j++)
                x[c->row[c->handle_block[h]] + j] -= clv_dot6(B + 6 * j, x0 + c->handle_at[h]);
        }
    }
    /* sigma = S P G P S x */
    /* S: rows scaled by their typical sizes */
    for (int i = 0; i < c->nrow; i++)
        x[i] *= e->connection.s[i];
    if (singular)
        clv_connection_remove_null(e, x, 0, c->nblock - 1, CLV_CONNECTION_ROWS);
    substitute(e, x);
    if (singular)
        clv_connection_remove_null(e, x, 0, c->nblock - 1, CLV_CONNECTION_ROWS);
    for (int k = 0; k < c->nblock; k++)
        for (int i = 0; i < clv_connection_rows(c, k); i++)
            e->sigma[clv_connection_edge(p, k)->row + i] = e->connection.s[c->row[k] + i] * x[c->row[k] + i];
}

/* wrenches T = K sigma at the ports of the branches: with these each branch is solved alone (T28.1) */
void clv_connection_down(clv_engine *e)
{
    const clv_plan *p = e->plan;
    const clv_connect *c = p->connect;
    for (int i = 0; i < c->nchild; i++) {
        double *T = clv_part_T(e, c->child[i]);
        memset(T, 0, 6 * (size_t)p->part[c->child[i]].nport * sizeof(double));
        /* K sigma, handle by handle */
        for (int h = c->handle_start[i]; h < c->handle_start[i + 1]; h++) {
            const clv_edge *edge = clv_connection_edge(p, c->handle_block[h]);
            const double *B = e->block + edge->block[c->handle_of[h]];
            for (int j = 0; j < edge->m; j++)
                for (int r = 0; r < 6; r++)
                    T[c->handle_at[h] + r] += B[6 * j + r] * e->sigma[edge->row + j];
        }
    }
}

/* impulses of one null vector; only the blocks of its subtree and the children they hold take part */
void clv_connection_self_stress(clv_engine *e, int number)
{
    const clv_plan *p = e->plan;
    const clv_connect *c = p->connect;
    clv_connection *m = &e->connection;
    int k = 0;
    for (int end = c->nblock; end - k > 1;) { /* the block with dropped[k] <= number < dropped[k + 1] */
        int middle = k + (end - k) / 2;
        if (m->dropped[middle] <= number)
            k = middle;
        else
            end = middle;
    }
    /* its null vector, without the scale of the rows: impulses of the connections of its subtree */
    number -= m->dropped[k];
    m->from = c->first[k], m->to = k, m->now++;
    const double *n = clv_connection_null(e, k, number) - c->row[c->first[k]];
    for (int j = c->first[k]; j <= k; j++) {
        const clv_edge *edge = clv_connection_edge(p, j);
        for (int i = 0; i < edge->m; i++)
            e->sigma[edge->row + i] = m->s[c->row[j] + i] * n[c->row[j] + i];
        for (int x = c->held_start[j]; x < c->held_start[j + 1]; x++) {
            int h = c->held[x], i = c->handle_child[h];
            double *T = clv_part_T(e, c->child[i]);
            const double *B = e->block + edge->block[c->handle_of[h]];
            /* the first time that this self-stress reaches the branch: its ports start at zero */
            if (m->reached[i] != m->now) {
                m->reached[i] = m->now;
                memset(T, 0, 6 * (size_t)p->part[c->child[i]].nport * sizeof(double));
                e->below[e->nbelow++] = c->child[i];
            }
            for (int q = 0; q < edge->m; q++)
                for (int r = 0; r < 6; r++)
                    T[c->handle_at[h] + r] += B[6 * q + r] * e->sigma[edge->row + q];
        }
    }
}
