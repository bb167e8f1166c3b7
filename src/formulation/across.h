/* SPDX-License-Identifier: Apache-2.0
 * A mechanism that is divided into segments (T80): what a system that has some of them needs from those that have
 * the others.  Every function takes one entry for each segment of this system and gives one for each; all who share the
 * mechanism call them in the same order.  `good`: nothing has failed here; what is returned: nowhere. */
#ifndef CLV_FORMULATION_ACROSS_H
#define CLV_FORMULATION_ACROSS_H
#include "kinematics/row_segments.h"

/* The error of those where nothing has failed. */
#define CLV_DIVIDED_ELSEWHERE "another part of the mechanism has failed"

typedef struct clv_segment_load {
    double Q[6], start[3]; /* sum of loads about a point (N, N m), and that point (m), global axes */
} clv_segment_load;

typedef struct clv_across {
    void *owner;
    double size; /* m, of the whole mechanism */
    /* handles beside roots; where roots are, and how they move, global */
    bool (*place)(void *owner, bool good, const clv_segment_move *beside, clv_segment_move *root);
    bool (*join)(void *owner, bool good, const clv_segment_ports *ports, clv_segment_ends *ends);
    /* loads of segments; outboard: (nsegment x 6) of all that is outboard of handles, about their centres of mass */
    bool (*sum)(void *owner, bool good, const clv_segment_load *load, double *outboard);
    /* mass (kg), its sum of squared ways (kg m^2) and squared way to the handle (m^2), three a segment; two of all that
     * is outboard of the handle (typical sizes) */
    void (*weigh)(void *owner, const double *each, double *outboard);
    /* n numbers a segment: sums over all segments, in their order */
    void (*add)(void *owner, int n, const double *each, double *sum);
    double (*largest)(void *owner, double x);
} clv_across;

/* Is it so with all who share the mechanism? */
static inline bool clv_across_all(const clv_across *a, bool here) { return !(a->largest(a->owner, here ? 0 : 1) > 0); }

#endif
