/* SPDX-License-Identifier: Apache-2.0
 * Pairs: nodes that close one joint between two parts, or one joint of a single part and ground, in lanes (T5).
 * Congruent pairs of one depth form a batch of up to eight.  A lane does what node.c does, in the same order, with the
 * rank decision of its own (math/rank.h): it gives the same bits, whatever its neighbours are.  Other nodes (several
 * edges, couplings, more than two ports) stay in node.c.
 *
 * Parts keep their numbers (Xi, x0, T) where node.c has them; a batch keeps its factor in lanes. */
#ifndef CLV_ENGINE_PAIRS_H
#define CLV_ENGINE_PAIRS_H
#include "base/memory.h"
#include "math/lane.h"
#include "plan/plan.h"

enum { CLV_PAIR_ROWS = 6, CLV_PAIR_PORTS = 2 };

enum clv_pair_at { /* the numbers of a batch; matrices of rows with a stride of six                                  */
    CLV_PAIR_RANK, CLV_PAIR_PIVOT, CLV_PAIR_DROPPED, CLV_PAIR_OK, /* of the last factor; ok: 1                      */
    CLV_PAIR_SIGMA,                                 /* sigma_0                                                      */
    CLV_PAIR_S = CLV_PAIR_SIGMA + CLV_PAIR_ROWS,    /* 1 / scale                                                    */
    CLV_PAIR_L = CLV_PAIR_S + CLV_PAIR_ROWS,        /* factor by rows, in pivot order                               */
    CLV_PAIR_K = CLV_PAIR_L + 36,                   /* the two blocks, by columns                                   */
    CLV_PAIR_X = CLV_PAIR_K + 72,                   /* Y of every port, by columns                                  */
    CLV_PAIR_PLAIN = CLV_PAIR_X + 72,               /* so many without a loop                                       */
    CLV_PAIR_PICK = CLV_PAIR_PLAIN,                 /* row k: all bits set in the row of the k-th pivot             */
    CLV_PAIR_Q = CLV_PAIR_PICK + 36,                /* less than full rank: orthonormal basis, by columns           */
    CLV_PAIR_R = CLV_PAIR_Q + 36,                   /* and its triangle, by rows                                    */
    CLV_PAIR_ALL = CLV_PAIR_R + 36
};

typedef struct clv_pair_side { /* of a handle: the child on which it lies                                           */
    int size;                  /* components at the child's ports                                                  */
    int at, far;               /* first component of the handle's port, of the other one (-1: there is none)       */
    int keep, pass;            /* the node's port that is the handle's body, the other port (-1: none)              */
} clv_pair_side;

typedef struct clv_pairs {
    int n, m, nside, nport;  /* lanes, rows, handles, ports                                                         */
    bool loop;               /* a loop is closed                                                                   */
    bool ranked;             /* the last factor decided the rank: a loop, and a threshold above 0                  */
    clv_pair_side side[2];
    int port_side[CLV_PAIR_PORTS], port_at[CLV_PAIR_PORTS]; /* of a port: its handle, first component at the child  */
    /* of a lane; those beyond n repeat the last                                                                    */
    int part[CLV_GROUP], row[CLV_GROUP];                 /* node; first row of its edge                             */
    size_t own[CLV_GROUP];                               /* its numbers in the engine's store                       */
    size_t child[2][CLV_GROUP], block[2][CLV_GROUP];     /* those of the children; the handles' blocks              */
    double *number;          /* of its factor, in lanes: component k at [8 k ..], see clv_pair_at                   */
} clv_pairs;

typedef struct clv_engine clv_engine;

typedef struct clv_pairing { /* the order of all parts                                                              */
    clv_pairs *batch;
    int nbatch, nstep;
    int *step;     /* (nstep) a part, or -1 - batch; children first                                                 */
    int *depth, ndepth;    /* (ndepth + 1) first step of a depth                                                    */
    int *alone;    /* (ndepth) first step of a depth that no thread does beside others: nodes of node.c             */
    int *lane_of;  /* (npart) 8 batch + lane, or -1                                                                 */
    double *number;
    long *shown;   /* (npart) factor for which node.c has been given that of the pair                              */
    bool made;     /* the last factor was made by this order                                                        */
} clv_pairing;

void clv_pairs_layout(clv_pairing *o, const clv_plan *plan, clv_arena *a);
/* at: (npart) offsets of the parts' numbers in the store */
void clv_pairs_begin(clv_pairing *o, const clv_plan *plan, const size_t *at);

/* All parts, children first: factor (false: singular, e->failed_edge says where), solutions up (those of strands
 * too, or what is there), and down. */
bool clv_parts_factor(clv_engine *e);
void clv_parts_up(clv_engine *e, bool leaves);
void clv_parts_down(clv_engine *e);
/* The factor of a pair as node.c keeps it (CLV_RANK_SIZE(m) doubles). */
void clv_pair_show(const clv_engine *e, int part, double *rank);

#endif
