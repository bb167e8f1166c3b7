/* SPDX-License-Identifier: Apache-2.0
 * A mechanism that is divided into segments (T80): what a system that has some of them needs from those that have
 * the others.  Every function takes one entry for each segment of this system and gives one for each; all who share the
 * mechanism call them in the same order.  `good`: nothing has failed here; what is returned: nowhere. */
#ifndef CLV_FORMULATION_ACROSS_H
#define CLV_FORMULATION_ACROSS_H
#include "kinematics/row_segments.h"

/* The error of those where nothing has failed. */
#define CLV_DIVIDED_ELSEWHERE "another part of the mechanism has failed"

enum { CLV_ACROSS_SUMS = 4, CLV_ACROSS_MOST = 4 };

typedef struct clv_across {
    void *owner;
    double size, mass; /* m, kg, of the whole mechanism */
    /* handles beside roots; where roots are, and how they move, global */
    bool (*place)(void *owner, bool good, const clv_segment_move *beside, clv_segment_move *root);
    bool (*join)(void *owner, bool good, const clv_segment_ports *ports, clv_segment_ends *ends);
    /* with loops (T160): wrenches on the ports; corrections: two, which close what ports of a border differ by */
    bool (*fit)(void *owner, bool good, bool corrections, clv_segment_part *part);
    /* as `add`; the last two of `most` count what ports of a border differ by, of poses and of motions */
    void (*look)(void *owner, int n, const double *each, double *sum, double most[4], const clv_segment_part *part);
    /* n numbers a segment (CLV_ACROSS_SUMS at most): sums over all segments, in their order; and the largest of each of
     * four numbers; infinite: something is lost */
    void (*add)(void *owner, int n, const double *each, double *sum, double most[CLV_ACROSS_MOST]);
    double (*largest)(void *owner, double x);
} clv_across;

/* Is it so with all who share the mechanism? */
static inline bool clv_across_all(const clv_across *a, bool here) { return !(a->largest(a->owner, here ? 0 : 1) > 0); }

#endif
