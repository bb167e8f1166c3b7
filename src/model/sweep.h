/* SPDX-License-Identifier: Apache-2.0
 * Which members of a group are near each other (T105.2): boxes about their shapes, along global axes, that overlap.
 * Sweep and prune along one axis; the result depends on the poses alone, not on earlier calls. */
#ifndef CLV_MODEL_SWEEP_H
#define CLV_MODEL_SWEEP_H
#include "base/memory.h"
#include "model/group.h"
#include "model/touch.h"

typedef struct clv_sweep {
    clv_solid *solid;   /* (n) shapes of the members, posed                                    */
    double *low, *high; /* (3 n) m, ends of their boxes                                        */
    double *end;        /* (n) low ends along the axis of the sweep                            */
    int *order;         /* (n) members by these; kept, so that the next sweep has little to do */
    int *other;         /* (n) scratch                                                         */
    int *count;         /* (n + 2) scratch                                                     */
    int pairs;          /* found                                                               */
    int (*pair)[2];     /* (room) first < second, in order; first -1: the plane                */
    int (*found)[2];    /* (room) scratch                                                      */
} clv_sweep;

void clv_sweep_layout(clv_sweep *s, const clv_touch_group *g, clv_arena *a);
/* Puts the members where the poses r (nbody x 3, centres of mass) and R (nbody x 9) have them, and finds the pairs
 * whose boxes overlap; false: there are more than there is room for. */
bool clv_sweep_find(clv_sweep *s, const clv_model *m, const clv_force *f, const double *r, const double *R);
/* Box about a shape that is no plane, a little larger than it. */
void clv_sweep_box(const clv_solid *s, double low[3], double high[3]);
/* The two steps of it: places and boxes; pairs, for boxes that others may have changed. */
void clv_sweep_place(clv_sweep *s, const clv_model *m, const clv_force *f, const double *r, const double *R);
bool clv_sweep_pair(clv_sweep *s, const clv_force *f);

#endif
