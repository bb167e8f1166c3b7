/* SPDX-License-Identifier: Apache-2.0
 * Inside of a dense node (T5): its numbers in the store of the engine, and walks over what it closes.  node.c factors,
 * node_solve.c solves; see engine.h for what others call. */
#ifndef CLV_ENGINE_NODE_H
#define CLV_ENGINE_NODE_H
#include "engine/kernels.h"

/* numbers of a part: Xi, x0, T; of a node also X, the factor, sigma_0 and the outcome */
typedef struct clv_node {
    const clv_part *part;
    int P, N, m;            /* components at its ports, at its children's ports, rows                        */
    int Pw;                 /* P filled up to eights                                                         */
    int size0, size0w, Nw;  /* components of child 0; lines of Y^T: child 1 begins at an eight, both end there */
    double *Xi, *x0, *T, *rank, *sigma0;
    double *X;              /* Y_e^T, of its ports (m x Pw); of a petal K_h^T (m x 8)                         */
    double *outcome;        /* rank or -1, least pivot kept, largest dropped                                  */
} clv_node;

/* walks over the handles of all edges a node closes; start from {.h = -1} */
typedef struct clv_handle {
    int q, h, col;       /* edge of the node, handle of the edge, first row of the edge in Z */
    const clv_edge *edge;
    const double *block; /* 6 x edge->m by columns                                           */
    int at;              /* first component among the children's ports                       */
} clv_handle;

/* components at the ports of a part, six a body; no part: none */
static inline int clv_node_components(const clv_plan *p, int part) { return part < 0 ? 0 : 6 * p->part[part].nport; }

/* where the numbers of part k lie in the store, in the order of clv_node_size */
clv_node clv_node_at(const clv_engine *e, int k);
/* The next handle; false: there are no more.  A node closes few edges, so this is a scan without tables. */
bool clv_node_handle(const clv_engine *e, const clv_node *n, clv_handle *w);
/* values of the rows that the node closes, in its order, out of those of all rows */
void clv_node_rows(const clv_engine *e, const clv_node *n, double *out, const double *per_row);
/* X and the factor of a pair, once for each factor: lanes do not keep them here */
void clv_node_of_pair(clv_engine *e, const clv_node *n, int part);

#endif
