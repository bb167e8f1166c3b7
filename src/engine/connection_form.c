/* SPDX-License-Identifier: Apache-2.0
 * Method 1 of the branch method, step 4a (T28; JSC (1.2)-(1.7)): the matrix of all connections at once.  Branches show
 * A_i = h_i + sum over k of H_ik F_k at the bodies that connections hold (T28.1), in the code x = Xi T + x0 at ports:
 *
 *   M = K^T blkdiag(Xi) K + eps                                            (T28.2)
 *   row blocks: tree joints between branches, loop closings, couplings
 *
 * A branch adds to the block (i, j) where both connections hold bodies of it; the sparse pattern is the plan's.
 * Rows are then scaled by their typical sizes, or by their own diagonal where that is larger: Ms = S M S (T28.4).  One
 * threshold of rank serves rows in metres and in radians so. */
#include <math.h>
#include <string.h>
#include "engine/connection_block.h"
#include "math/spatial.h"

/* Memory of the factor, counted and then carved.  A block that may leave rows out has room for as many null vectors as
 * it has rows, each over the rows of its subtree. */
void clv_connection_layout(clv_engine *e, clv_arena *a)
{
    const clv_connect *c = e->plan->connect;
    clv_connection *n = &e->connection;
    size_t nnull = 0;
    if (!c)
        return;
    for (int k = 0; k < c->nblock; k++)
        if (c->loop[k])
            nnull += (size_t)(c->row[k + 1] - c->row[k]) * (size_t)(c->row[k + 1] - c->row[c->first[k]]);
    CLV_TAKE(a, n->L, c->nfactor), CLV_TAKE(a, n->s, c->nrow), CLV_TAKE(a, n->x, c->nrow);
    CLV_TAKE(a, n->null, nnull), CLV_TAKE(a, n->null_at, c->nblock);
    CLV_TAKE(a, n->rank, c->nblock), CLV_TAKE(a, n->nulls, c->nblock);
    CLV_TAKE(a, n->order, c->nrow), CLV_TAKE(a, n->reached, c->nchild);
    CLV_TAKE(a, n->dropped, c->nblock + 1);
    nnull = 0;
    for (int k = 0; n->null_at && k < c->nblock; k++) {
        n->null_at[k] = nnull;
        if (c->loop[k])
            nnull += (size_t)(c->row[k + 1] - c->row[k]) * (size_t)(c->row[k + 1] - c->row[c->first[k]]);
    }
}

/* ------------------------------------------------------------------ step 4a: the matrix */

/* out (mi x mj) += Bi^T Xi_ij Bj, blocks of wrenches by columns */
static void add_product(double *out, const double *Bi, int mi, const double *Xi, int P, const double *Bj, int mj)
{
    for (int j = 0; j < mj; j++) {
        double y[6];
        for (int r = 0; r < 6; r++)
            y[r] = clv_dot6(Xi + (size_t)r * (size_t)P, Bj + 6 * j);
        for (int i = 0; i < mi; i++)
            out[i * mj + j] += clv_dot6(Bi + 6 * i, y);
    }
}

/* T28.2: what one branch adds to the blocks of all pairs (i, j), i >= j, of connections that hold bodies of it */
static void form_child(clv_engine *e, int child)
{
    const clv_plan *p = e->plan;
    const clv_connect *c = p->connect;
    int part = c->child[child], P = 6 * p->part[part].nport, end = c->handle_start[child + 1];
    const double *Xi = clv_part_Xi(e, part);
    for (int b = c->handle_start[child]; b < end; b++) {
        int j = c->handle_block[b], at = c->start[j];
        const clv_edge *ej = clv_connection_edge(p, j);
        const double *Bj = e->block + ej->block[c->handle_of[b]];
        for (int a = c->handle_start[child]; a < end; a++) {
            int i = c->handle_block[a];
            if (i < j)
                continue;
            const clv_edge *ei = clv_connection_edge(p, i);
            while (i > j && c->below[at] < i)
                at++;
            double *to = e->connection.L + (i == j ? c->diagonal[j] : c->at[at]);
            add_product(to, e->block + ei->block[c->handle_of[a]], ei->m,
                        Xi + (size_t)c->handle_at[a] * (size_t)P + c->handle_at[b], P, Bj, ej->m);
        }
    }
}

/* M of T28.2, then Ms = S M S of T28.4.  Scale s: the larger of the row's compliance on free bodies (e->scale) and of
 * what it has here.  So a row that is stiff by its branches is not scaled up to 1. */
void clv_connection_form(clv_engine *e)
{
    const clv_plan *p = e->plan;
    const clv_connect *c = p->connect;
    double *L = e->connection.L, *s = e->connection.s;
    memset(L, 0, c->nfactor * sizeof(double));
    for (int k = 0; k < c->nchild; k++)
        form_child(e, k);
    for (int k = 0; k < c->nblock; k++) {
        const clv_edge *edge = clv_connection_edge(p, k);
        double *Z = L + c->diagonal[k];
        for (int i = 0; i < edge->m; i++) {
            Z[i * edge->m + i] += e->eps[edge->row + i];
            s[c->row[k] + i] = 1.0 / fmax(e->scale[edge->row + i], sqrt(fmax(Z[i * edge->m + i], 0.0)));
        }
    }
    for (int k = 0; k < c->nblock; k++) {
        int m = clv_connection_rows(c, k);
        for (int t = c->start[k] - 1; t < c->start[k + 1]; t++) { /* the diagonal, then those below it */
            int i = t < c->start[k] ? k : c->below[t];
            double *Z = L + (i == k ? c->diagonal[k] : c->at[t]);
            for (int a = 0; a < clv_connection_rows(c, i); a++)
                for (int b = 0; b < m; b++)
                    Z[a * m + b] *= s[c->row[i] + a] * s[c->row[k] + b];
        }
    }
}
