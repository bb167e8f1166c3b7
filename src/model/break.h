/* SPDX-License-Identifier: Apache-2.0
 * Breaks: times at which a prescribed motion or a force table is not smooth (T7).  Integrators stop at them. */
#ifndef CLV_MODEL_BREAK_H
#define CLV_MODEL_BREAK_H
#include "model/model.h"

/* What jumps there, the gravest last. */
typedef enum clv_break {
    CLV_BREAK_NONE,
    CLV_BREAK_KINK,         /* a derivative of the accelerations: rows of force tables, inner rows of splines       */
    CLV_BREAK_ACCELERATION, /* accelerations                                                                         */
    CLV_BREAK_VELOCITY      /* velocities: an impulsive drive                                                        */
} clv_break;

/* Rows of a table beyond which only its ends and its jumps in velocity are breaks. */
#define CLV_BREAK_ROWS 1000

/* Time (s) of the first break after `after` that is not the same time but for rounding; INFINITY: none.  *kind: the
 * gravest of all tables there. */
double clv_break_next(const clv_model *m, double after, clv_break *kind);
/* What row k of a motion's table breaks.  *jump (may be NULL): rate after less rate before. */
clv_break clv_motion_break(const clv_motion *x, int k, double *jump);
/* How far the table of a motion leaves the range of two neighbouring rows between them, at most (m or rad), and after
 * which row; 0: nowhere. */
double clv_motion_overshoot(const clv_motion *x, int *row);

#endif
