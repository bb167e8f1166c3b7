/* SPDX-License-Identifier: Apache-2.0
 * What the sources of an event's derivatives share (T125).  A column of the derivative is a motion of the bodies: they
 * carry displacements and changes of velocity from one mechanism to the other.
 *
 *   sensitivity_crossing.c           all columns, the time of the event
 *   sensitivity_crossing_before.c    columns before the event
 *   sensitivity_crossing_after.c     what the event makes of one */
#ifndef CLV_SIMULATION_SENSITIVITY_CROSSING_H
#define CLV_SIMULATION_SENSITIVITY_CROSSING_H
#include "kinematics/derivative_pair.h"
#include "simulation/sensitivity.h"

/* A column: motions of the bodies, about the origin. */
typedef struct clv_crossing_change {
    double *x, *v;                /* (nbody x 6) displacements; changes of velocity before the event          */
    double *held;                 /* (nheld) of the piece before                                              */
    const clv_number *number;     /* or NULL                                                            */
    clv_derivative_offset offset; /* of that number in the mechanism after; child -2: it is none    */
    double sensed;                /* change of the quantity that the condition waits for                      */
} clv_crossing_change;

typedef struct clv_crossing_work {
    clv_sensitivity_work *from, *to;
    clv_crossing_change c;
    clv_derivative d;     /* after, with the change of velocity for acceleration and impulses for multipliers */
    clv_load_frame still; /* no loads                                                               */
    double *jump;         /* (nbody x 6) change of velocity                                           */
    double *momentum;     /* (nbody x 6) I times it                                                   */
    double *W, *dW;       /* (nbody x 6) with closings and all outboard; its change                   */
    double *dv;           /* (nbody x 6) change of the velocity after, rates held                     */
    double *rest, *slope; /* (nbody x 6) (njoint x 12) zeros                                        */
    double *after;        /* (nheld) held coordinates after it, in the column                                 */
    double *force, *row, *q, *u, *sigma, *acceleration; /* (n) (m) (n) (n) (nsigma) (nbody x 6)                */
    clv_arena arena;
} clv_crossing_work;

/* sensitivity_crossing_before.c: a column of zeros.  Then one along a coordinate of the joint of `child` or its rate,
 * along held coordinate i, along number i of the model, or along the time of the event. */
void clv_crossing_clear(clv_crossing_work *k);
void clv_crossing_along_coordinate(clv_crossing_work *k, int child, int coordinate, bool rate);
void clv_crossing_along_held(clv_crossing_work *k, int i);
void clv_crossing_along_number(clv_crossing_work *k, int i);
void clv_crossing_along_time(clv_crossing_work *k);

/* sensitivity_crossing_after.c: coordinates k->q, rates k->u after the event, and k->after, of the column */
void clv_crossing_column(clv_crossing_work *k);
/* each body takes up what is outboard of it */
void clv_crossing_outboard(const clv_plan *p, double *W);

/* the six numbers of a body; of the ground: none */
static inline const double *clv_crossing_of(const double *list, int body, const double none[6])
{
    return body < 0 ? none : list + 6 * (size_t)body;
}

#endif
