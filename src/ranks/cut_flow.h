/* SPDX-License-Identifier: Apache-2.0
 * Largest flow through a small network, and with it the narrowest cut (Ford and Fulkerson).  For cut_borders.c. */
#ifndef CLV_RANKS_CUT_FLOW_H
#define CLV_RANKS_CUT_FLOW_H
#include <stdbool.h>

typedef struct clv_flow {
    int nnode, narc, room;
    int *head;              /* (nnode) last arc of a node, -1: none                          */
    int *next, *to, *left;  /* (room) arc before of the same node; its end; what it can take; arc i ^ 1 leads back */
    int *by, *queue;        /* (nnode) arc by which a node was reached, -1: not; work         */
} clv_flow;

/* arcs: at most.  False: out of memory. */
bool clv_flow_open(clv_flow *f, int nodes, int arcs);
void clv_flow_close(clv_flow *f);
void clv_flow_add(clv_flow *f, int from, int to, int most);
/* From node `from` to `to`; larger flows than `most` are not looked for: most + 1.  f->by shows afterwards which nodes
 * are before the cut that is nearest to `from`. */
int clv_flow_find(clv_flow *f, int from, int to, int most);

#endif
