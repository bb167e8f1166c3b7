/* SPDX-License-Identifier: Apache-2.0
 * What the rounds of assemble.c and the petals of petals.c work on. */
#ifndef CLV_PLAN_JOINING_H
#define CLV_PLAN_JOINING_H
#include "plan/plan.h"

typedef struct clv_joining {
    clv_plan *p;
    int *part_of;              /* (nbody) part of its strand                           */
    int *up;                   /* (2 nstrand..) union-find: part to the part it is in   */
    int *label;                /* (npart) section or -1                                 */
    bool only_tree;            /* rounds inside sections: closings wait                 */
    int **list, *nlist, *cap;  /* (npart) incident open edges of a part                 */
    char *closed;              /* (nedge)                                               */
    int *open;                 /* (nbody) open edges holding the body                   */
    int *active, nactive;
    char *taken;               /* (npart) matched in this round                         */
    char *held;                /* (npart) by ground, or by couplings: it does not float  */
    bool petals;               /* may parts become petals of a hub?                     */
    int *npetal;               /* (nbody) petals of the body: found, or -1: it has some */
    int *weight, *seen;        /* (npart) scratch: shared rows with a neighbour         */
    int nports, nports_cap, nedges_of;
    int *set;                  /* union-find for loops: strands, then ground, then stars */
} clv_joining;

enum { CLV_JOIN = -1 }; /* in an order of joins: of the last two results */

/* regions.c: parts of one region of nested dissection get one label */
typedef struct clv_regions {
    int *region;      /* (parts at the beginning) that of each                      */
    int *word, nword; /* regions in the order in which they are joined, and CLV_JOIN */
} clv_regions;
bool clv_regions_find(clv_joining *w, clv_regions *r);
/* the same order for what has become of the parts; returns its length */
int clv_regions_order(const clv_joining *w, const clv_regions *r, int *order);
void clv_regions_close(clv_regions *r);

/* representative of i in a union-find forest */
int clv_joining_find(int *up, int i);
/* appends a port to the part that is being made; false: out of memory */
bool clv_joining_port(clv_joining *w, int body);
/* appends an open edge to the list of a part; false: out of memory */
bool clv_joining_push(clv_joining *w, int part, int edge);
/* joins the ends of an edge in the loop forest; true if they were joined already */
bool clv_joining_closes_loop(clv_joining *w, const clv_edge *e);
/* puts the edges of a node in edge order: the plan must not depend on the order of lists */
void clv_joining_order(clv_plan *p, const clv_part *node);
/* the largest node so far */
void clv_joining_measure(clv_plan *p, const clv_part *node);
/* petals.c: hubs take up the petals they have now; *progress: some did.  False: out of memory. */
bool clv_joining_petals(clv_joining *w, bool labelled, bool *progress);

#endif
