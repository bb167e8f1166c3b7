/* SPDX-License-Identifier: Apache-2.0
 * What the sources of carried loops share (T101): sizes of their arrays, the tip of a strand, its open rows. */
#ifndef CLV_KINEMATICS_ROW_CARRY_PARTS_H
#define CLV_KINEMATICS_ROW_CARRY_PARTS_H
#include "kinematics/row_axes.h"

/* the next multiple of six */
static inline int clv_row_sixes(int n)
{
    return (n + 5) / 6 * 6;
}

/* Does Y have Z of its columns (T171), six lines? */
static inline bool clv_row_stands_in_series(const clv_plan *p, int piece)
{
    return piece < p->nstrand && p->strand[piece].series;
}

/* the last body of a strand */
static inline int clv_row_tip_of(const clv_plan *p, int strand)
{
    return p->bodies[p->strand[strand].first + p->strand[strand].length - 1];
}

/* rows of sigma that a strand takes along from its tip */
static inline const int *clv_row_open_rows(const clv_plan *p, int strand)
{
    const clv_meet *t = &p->carry->meet[strand];
    return p->carry->list + t->row + (t->nrow - t->nopen);
}

/* slot of a row of a strand */
static inline int clv_row_slot_of(const clv_rows *w, int strand, int row)
{
    const clv_strand *s = &w->plan->strand[strand];
    return G8 * (w->first[s->group] + row) + s->lane;
}

/* row_carry.c: adds L of n elements, in pairs (id, places), to a matrix with lines `line` apart */
void clv_rows_add_elements(const clv_rows *w, double *to, int line, const int *pair, int n);

/* row_intake.c: what the lanes of a batch or a sheaf take up, which is in the arena before them */
void clv_rows_batch_intake(const clv_rows *w, const clv_plan *p, clv_row_batch *b, clv_arena *a);
void clv_rows_sheaf_intake(const clv_rows *w, const clv_plan *p, clv_row_sheaf *s, int group, clv_arena *a);

#endif
