/* SPDX-License-Identifier: Apache-2.0
 * How full the lanes are: what strands of given levels and lengths cost, and the choices that follow from it (T166). */
#ifndef CLV_PLAN_FILLING_H
#define CLV_PLAN_FILLING_H
#include "plan/plan.h"

/* A strand, as far as lanes are concerned. */
typedef struct clv_filling {
    int level, columns, rows;
    int open; /* rows of loops that it takes along (T101) */
} clv_filling;

/* Are lanes of this plan filled by choice?  Segments of a divided mechanism must not depend on each other. */
static inline bool clv_filling_chosen(const clv_plan *p, const clv_plan_options *o)
{
    return p->nbody > 0 && o->lanes && o->target == 0 && o->nsegment == 0 && !o->sections && !o->edges;
}

/* Mechanisms side by side in one model: bodies that joints and couplings connect.  Each is filled as if it were alone,
 * so its bits do not depend on the others.  Lanes of large ones are full in any case. */
enum { CLV_FILLING_FEW = 128 }; /* bodies */
typedef struct clv_filling_parts {
    int n;
    int *of;          /* (nbody) mechanism of a body                                                 */
    int *first, *item; /* item[first[k] .. first[k + 1] - 1]: bodies, parents first, or strands, of mechanism k */
    int *size;        /* (n) bodies                                                                  */
} clv_filling_parts;
/* By bodies, or by strands (which have to be there).  False: out of memory. */
bool clv_filling_divide(const clv_plan *p, bool strands, clv_filling_parts *x);
void clv_filling_close(clv_filling_parts *x);

/* rows of the inboard joint of a body in its strand */
static inline int clv_filling_rows(const clv_plan *p, int body, bool inside)
{
    return inside && p->tree[body].nu > 1 ? p->tree[body].nu : 1;
}

/* Rows of all groups of lanes, and what strands cost beside them.  The list is sorted. */
int clv_filling_cost(clv_filling *s, int n);

/* limbs.c: ends strands where another limb begins, if that pays.  edge, live (nbody): as in strand.c; next (nbody): the
 * next body of a strand, or -1.  False: out of memory. */
bool clv_plan_limbs(const clv_plan *p, const char *edge, const char *live, int *next);
/* levels.c: strands of higher levels than they need, if that pays.  False: out of memory. */
bool clv_plan_levels(clv_plan *p, const clv_plan_options *o);

#endif
