/* SPDX-License-Identifier: Apache-2.0
 * Sweeps over a balanced binary tree of segments (T81), up and down.  A node joins what its two children hand up, and
 * splits between them what comes down.  The tree depends on the number of segments alone.  Ranks have segments next to
 * each other, a node belongs to the rank of its first segment, and a message passes where a child belongs to another
 * one.  So every number is made by the same operations for any number of ranks. */
#ifndef CLV_RANKS_RELAY_H
#define CLV_RANKS_RELAY_H
#include "base/ranks.h"

enum { CLV_RELAY_UP = 141, CLV_RELAY_DOWN = 24, CLV_RELAY_KEEP = 162 }; /* numbers of a node at least */

typedef struct clv_relay_node {
    double *up, *down, *keep;
} clv_relay_node;

/* numbers of a node at most */
typedef struct clv_relay_room {
    int up, down, keep;
} clv_relay_room;

typedef struct clv_relay {
    const clv_ranks *ranks;
    int nsegment;         /* a power of two */
    int first, end;       /* segments of this rank: first .. end - 1 */
    int *rank_of;         /* (nsegment) */
    clv_relay_node *node; /* (2 nsegment) children of i: 2 i, 2 i + 1; segment k: nsegment + k */
    double *numbers;      /* of all nodes */
    const int *border;    /* (nsegment + 1) bodies between segments k - 1 and k, the owner's; NULL: one each */
    long messages, bytes; /* sent so far                                                   */
    bool broken;          /* a message was lost                                            */
} clv_relay;

/* What a sweep does; the first number up and down is 1 where nothing has failed, else 0, and belongs to the relay. */
typedef struct clv_relay_kind {
    int up, down;         /* numbers, with the first */
    /* of a node between borders of so many bodies, where that is not always the same; else NULL */
    int (*up_of)(int before, int after), (*down_of)(int before, int after);
    void (*join)(double *keep, const double *a, const double *b, double *ab);
    void (*top)(double *up, double *down, bool free);
    void (*split)(const double *keep, const double *ab, double *a, double *b);
} clv_relay_kind;

/* room: NULL: least.  False: out of memory. */
bool clv_relay_open(clv_relay *r, const clv_ranks *ranks, int nsegment, const clv_relay_room *room);
void clv_relay_close(clv_relay *r);
/* First segment of a rank. */
int clv_relay_first(int rank, int ranks, int nsegment);
/* What segment k of this rank hands up, and what has come down. */
static inline double *clv_relay_up(const clv_relay *r, int k) { return r->node[r->nsegment + k].up; }
static inline const double *clv_relay_down(const clv_relay *r, int k) { return r->node[r->nsegment + k].down; }
/* Up and down.  free: of `top`.  False: something has failed anywhere. */
bool clv_relay_sweep(clv_relay *r, const clv_relay_kind *kind, bool free);

#endif
