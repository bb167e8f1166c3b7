/* SPDX-License-Identifier: Apache-2.0
 * An evaluation on ranks of a network, on paper (T72): the assembly tree is cut into subtrees of equal work, and
 * results of subtrees go from rank to rank.  Called by `cleave bench span --ranks` and tests; no part of the public
 * interface. */
#ifndef CLV_SIMULATION_SPAN_RANKS_H
#define CLV_SIMULATION_SPAN_RANKS_H
#include "simulation/span_tree.h"

/* The tree, as ranks see it. */
typedef struct clv_rank_tree {
    int npart;           /* children first                                                        */
    int *child;          /* (npart x 2) or -1                                                     */
    double *own;         /* (npart) s: share of the bodies of a strand in an evaluation; nodes 0  */
    double *up, *down;   /* (npart) s: join of a node above the cut, way up and way down          */
    int *bytes_up, *bytes_down; /* (npart) message that hands on a part, and its answer           */
    double latency, bandwidth;  /* s, bytes/s                                                     */
} clv_rank_tree;

typedef struct clv_rank_forecast {
    int ranks;
    double seconds;      /* of the evaluation                                                     */
    double most_work;    /* s: bodies of the rank that has most                                   */
    int messages, busiest; /* sent by all ranks; sent or received by the busiest one              */
    double bytes;        /* of all messages                                                       */
    int largest;         /* bytes of one message                                                  */
} clv_rank_forecast;

/* Of a model whose evaluation takes `work` s on one thread.  CLV_ERR_UNSUPPORTED: it is several mechanisms;
 * CLV_ERR_MEMORY.  Close even so. */
clv_status clv_rank_tree_open(clv_rank_tree *t, clv_sim *sim, const clv_tree_record *record, double work);
void clv_rank_tree_close(clv_rank_tree *t);
/* The evaluation on so many ranks.  seconds NaN: out of memory. */
clv_rank_forecast clv_ranks_forecast(const clv_rank_tree *t, int ranks);
/* s that one more doubling of the ranks adds: the mean join with its messages. */
double clv_ranks_doubling(const clv_rank_tree *t);

#endif
