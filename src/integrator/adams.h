/* SPDX-License-Identifier: Apache-2.0
 * Adams PECE of variable order 1..12 and variable step (theory T17).  adams.c decides (error, order, step),
 * adams_history.c keeps the past: modified divided differences of the rates, and the states they belong to. */
#ifndef CLV_INTEGRATOR_ADAMS_H
#define CLV_INTEGRATOR_ADAMS_H
#include "integrator/integrator.h"

enum {
    CLV_ADAMS_ORDER = 12,                  /* highest                                    */
    CLV_ADAMS_POINTS = CLV_ADAMS_ORDER + 2 /* past points, and differences of each side  */
};

/* Plain numbers.  Past points: 0 is the newest.  Differences lie in two sides of `work`: one is the present, the other
 * receives the next step.  So a failed step has nothing to undo, and dense output keeps what the step was made of. */
typedef struct clv_adams_state {
    double h;                            /* s, size of the next step, > 0                                       */
    double h_last;                       /* s, size of the last step as requested                               */
    int order, last_order;               /* of the next and of the last step                                    */
    int equal;                           /* steps of equal size in a row, at most last_order + 1                */
    int starting;                        /* 1: order and step still rise at every step                          */
    int points;                          /* past points that are true                                           */
    int head;                            /* slot of the newest point                                            */
    int side;                            /* of the present differences                                          */
    double time[CLV_ADAMS_POINTS];       /* s, of the past points                                               */
    int dense_side, dense_points;        /* the last step, for dense output: differences it started from,       */
    double dense_time[CLV_ADAMS_POINTS]; /* their points; the order is last_order                               */
} clv_adams_state;

/* Numbers of one step of order k from time[0] to t_new, integrated up to tau behind time[0].  From 1, as in T17. */
typedef struct clv_adams_weights {
    double beta[CLV_ADAMS_POINTS + 1];  /* differences at time[0] -> at t_new            (1 .. k+1) */
    double g[CLV_ADAMS_POINTS + 1];     /* integrals of the Newton polynomials           (1 .. k+1) */
    double sigma[CLV_ADAMS_POINTS + 1]; /* step ratios for the estimates of lower orders (1 .. k+1) */
} clv_adams_weights;

/* ------------------------------------------------------------------ adams_history.c */

void clv_adams_layout(clv_integrator *s, clv_arena *a);
/* Difference i (from 1) of a side; state of a past point; scratch: new state, new rates, correction. */
double *clv_adams_difference(const clv_integrator *s, int side, int i);
double *clv_adams_past(const clv_integrator *s, int point);
double *clv_adams_new_state(const clv_integrator *s);
double *clv_adams_new_rates(const clv_integrator *s);
double *clv_adams_correction(const clv_integrator *s);
/* T17.2, T17.3 */
void clv_adams_weigh(const double *time, int points, double t_new, double tau, int order, clv_adams_weights *w);
/* T17.4: the other side takes the predicted differences, new_state the predicted state. */
void clv_adams_predict(clv_integrator *s, const clv_adams_weights *w, double h);
/* T17.6: the other side takes the true rates at the new point. */
void clv_adams_correct(clv_integrator *s, const clv_adams_weights *w, const double *rates);
/* (t, y) becomes the newest past point. */
void clv_adams_push(clv_integrator *s, double t, const double *y);
/* T17.8: makes the differences of a side out of rates at the past points:
 * difference i holds the rates of point i - 1. */
void clv_adams_difference_all(clv_integrator *s, int side, int count);

/* ------------------------------------------------------------------ adams.c */

clv_status clv_adams_begin(clv_integrator *s);
clv_status clv_adams_step(clv_integrator *s);
void clv_adams_dense(const clv_integrator *s, double t, double *y);

/* Tail of a row of the method table. */
#define CLV_ADAMS_METHOD                                                                                               \
    .state_size = sizeof(clv_adams_state), .layout = clv_adams_layout, .begin = clv_adams_begin,                       \
    .step = clv_adams_step, .dense = clv_adams_dense

#endif
