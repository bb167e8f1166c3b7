/* SPDX-License-Identifier: Apache-2.0
 * What carry.c, carry_meet.c and carry_front.c work on (T101), and lists that grow (carry_list.c).  Memory that is not
 * there clears `ok`; nothing that follows is used then.
 *
 * At the tip of a strand, each piece that arrives, a strand or a flexible body, is an ELEMENT: a clique of edges.
 * Eliminated edges make a FRONT, which is an element of its neighbours.  Rows that meet on a flexible body are
 * eliminated where it is attached: there six numbers say how all that is outboard moves. */
#ifndef CLV_PLAN_CARRYING_H
#define CLV_PLAN_CARRYING_H
#include "plan/plan.h"

enum { CLV_SERIES_LEAST = 8 }; /* bodies of a strand in series */

typedef struct clv_carry_ints {
    int *v, n, room;
} clv_carry_ints;

typedef struct clv_carry_element {
    int id;      /* piece, or pieces + front   */
    int n, edge; /* edges, in `pool`           */
    bool gone;
} clv_carry_element;

typedef struct clv_carry_candidate {
    int degree, edge;
} clv_carry_candidate;

typedef struct clv_carrying {
    clv_plan *p;
    clv_carry *c;
    clv_carry_ints list, pool, link; /* link: pairs (element, next) of the elements of an edge              */
    clv_carry_element *element;      /* of one meet                                                         */
    int nelement, element_room, front_room;
    int *head, *degree;            /* (nedge)                                                             */
    int *place, *column;           /* (nedge) of the first row: in the list at hand, in the meet          */
    int *body_hold;                /* (nbody) first place in `hold` of the edges on a body                */
    clv_carry_ints hold;           /* (edge, handle, next)                                                */
    int *met, *stamp, now;         /* (nedge) where all its bodies have been met; marks                   */
    char *done;                    /* (nedge) eliminated                                                  */
    int ground;                    /* the last meet                                                       */
    int *inboard, *depth;          /* (pieces) meet at which a piece starts; pieces up to ground          */
    int *outward;                  /* (pieces) parents first                                              */
    int *open_first, *open_n;      /* (pieces) open edges of a piece, in `pool`                           */
    int *first_child, *next_child; /* (pieces + 1), (pieces): pieces that start at a tip or on ground     */
    clv_carry_candidate *heap;
    int nheap, heap_room;
    int round, *blocked; /* (nedge) round in which a neighbour was eliminated                   */
    bool pairs;          /* branches are joined two at a time (T29)                             */
    int node;            /* of them, the one whose edges are eliminated now; -1: all            */
    double cost, most;   /* estimated instructions; those of nodes                              */
    int like, abreast;   /* the last strand whose work was added, and those like it before it           */
    long steps;          /* between strands, to find where edges meet                           */
    bool ok, large;      /* memory was there; carrying takes more work than nodes               */
} clv_carrying;

/* carry_list.c: appends a value; its place */
int clv_carry_push(clv_carrying *w, clv_carry_ints *a, int value);
/* ascending */
void clv_carry_sort(int *v, int n);
/* edges by degree, then number, least first */
void clv_carry_heap_push(clv_carrying *w, clv_carry_candidate x);
clv_carry_candidate clv_carry_heap_pop(clv_carrying *w);
/* n edges from pool[edge] on are a clique: a piece, or pieces + front */
void clv_carry_add_element(clv_carrying *w, int id, int n, int edge);
/* rows of edges to the list; where those of an edge begin among them, from *count on: w->place.  The end of the list.
 */
int clv_carry_list_rows(clv_carrying *w, const int *edge, int n, int *count);
/* places of the rows of n edges of the pool, by w->place; where they begin in the list */
int clv_carry_list_places(clv_carrying *w, int edge, int n);
/* pairs to the list; where they begin, and how many they are */
int clv_carry_list_pairs(clv_carrying *w, const clv_carry_ints *pair, int *count);

/* carry_front.c: the fronts of a meet: eliminates all of n edges that are complete there, least degree first; *columns:
 * rows eliminated */
void clv_carry_eliminate(clv_carrying *w, int at, const int *edge, int n, int *columns);
/* estimated instructions of a front of `out` rows eliminated and `left` ones left */
double clv_front_work(int out, int left, bool tip);

/* carry_meet.c: what meets at the tip of strand `at`, on a flexible body, or on ground */
void clv_carry_make_meet(clv_carrying *w, int at);

/* series.c (T171): may this strand stand in series with others?  Its meet is made.  Then which do. */
bool clv_carry_passes(const clv_carrying *w, int strand);
void clv_carry_find_series(clv_carrying *w);

/* planar.c: which rows of closings need not be carried (T168); false: out of memory */
bool clv_carry_find_idle(clv_plan *p);

/* bodies of a piece, one after the other, that closings may hold: the last one of a strand */
static inline int clv_carry_bodies(const clv_plan *p, int piece, int *n)
{
    *n = piece < p->nstrand ? 1 : 1 + p->model->flex[piece - p->nstrand].nnode;
    if (piece >= p->nstrand)
        return p->star[piece - p->nstrand].frame;
    return p->bodies[p->strand[piece].first + p->strand[piece].length - 1];
}

#endif
