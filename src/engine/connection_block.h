/* SPDX-License-Identifier: Apache-2.0
 * What the sources of the connection matrix share (T28): connection_form.c makes it, connection.c factors it,
 * connection_solve.c solves with the factor.  A row block is one connection; blocks are in elimination order. */
#ifndef CLV_ENGINE_CONNECTION_BLOCK_H
#define CLV_ENGINE_CONNECTION_BLOCK_H
#include "engine/engine.h"

enum { CLV_CONNECTION_ROWS = 6 }; /* most rows of one connection */

/* the edge that block k closes */
static inline const clv_edge *clv_connection_edge(const clv_plan *p, int k)
{
    return &p->edge[p->edges_of[p->part[p->connect->part].edge + k]];
}

/* number of rows of block k */
static inline int clv_connection_rows(const clv_connect *c, int k) { return c->row[k + 1] - c->row[k]; }

/* The null vector of the d-th row that block k leaves out (T28.5): its numbers over the rows of the subtree of the
 * block, from row[first[k]] to row[k + 1]. */
static inline double *clv_connection_null(const clv_engine *e, int k, int d)
{
    const clv_connect *c = e->plan->connect;
    return e->connection.null + e->connection.null_at[k] + (size_t)d * (size_t)(c->row[k + 1] - c->row[c->first[k]]);
}

/* Backward substitution of block k, with the blocks below it up to `last`: the kept rows of x_k become
 * L_kk^-T (x_k - sum over i of L_ik^T x_i); rows left out stay as they are. */
void clv_connection_back(const clv_engine *e, int k, double *x, int last);
/* v := v - (v . n) n for every null vector n of the blocks from .. to, of the last block for the first `most` only. */
void clv_connection_remove_null(const clv_engine *e, double *v, int from, int to, int most);

#endif
