/* SPDX-License-Identifier: Apache-2.0
 * The explicit Runge-Kutta stepper over any tableau (theory T16). */
#ifndef CLV_INTEGRATOR_RUNGE_KUTTA_H
#define CLV_INTEGRATOR_RUNGE_KUTTA_H
#include "integrator/integrator.h"
#include "integrator/tableaus.h"

typedef struct clv_rk_state {
    double h;         /* s, size of the next step, > 0                       */
    double h_last;    /* s, signed size of the last step, for dense output   */
    int dense_extra;  /* 1: the columns behind `end` belong to the last step */
} clv_rk_state;

void clv_rk_layout(clv_integrator *s, clv_arena *a);
clv_status clv_rk_begin(clv_integrator *s);
clv_status clv_rk_step(clv_integrator *s);

/* A step in pieces, for those who find the rates of several problems at once (T85).  After clv_rk_open, and after every
 * clv_rk_take, either it is over, or rates ydot (n) are required at (t, y). */
typedef struct clv_rk_try {
    double t;             /* s                                                                    */
    const double *y;      /* (n); abreast: not set at stages                                      */
    double *ydot;         /* (n)                                                                  */
    bool over;            /* it has ended with `status`, as clv_rk_step                           */
    clv_status status;
    /* its own */
    int column;           /* of the stages, which ydot is                                         */
    int failures;         /* tries before this one                                                */
    double size, smallest; /* s, of steps: to be tried, and allowed                               */
    double h, t_new, err; /* s, s: step and end of this try; its error as part of what is tolerated */
    double err_root;      /* of err, where it is there; else NAN                                   */
    bool abreast;         /* vectors, and errors below, are made elsewhere: rk_abreast.h          */
    double error;         /* of this try                                                         */
    double error_root;    /* its root, of the degree of the rule; NAN: it is not there           */
    int worst;            /* the state that makes it                                             */
    double *look;         /* (n) required at the end of a step where its last rates are elsewhere; NULL: they are not */
    clv_status why;       /* of the last failure                                                  */
} clv_rk_try;
/* The first rates are found at once, by ode.rates, if they are not there. */
void clv_rk_open(clv_integrator *s, clv_rk_try *x, double *look, bool abreast);
/* ydot is there (CLV_OK), or cannot be found. */
void clv_rk_take(clv_integrator *s, clv_rk_try *x, clv_status st);
/* Where rates are required: inside the step; at its end, which its owner looks at; there, for the owner alone. */
typedef enum clv_rk_place { CLV_RK_STAGE, CLV_RK_END, CLV_RK_LOOK } clv_rk_place;
clv_rk_place clv_rk_place_of(const clv_integrator *s, const clv_rk_try *x);
/* One error of the two of dop853. */
double clv_rk_both_errors(double e, double e3);
/* column i of the stages (n); behind them the point where rates are required, and the new state */
double *clv_rk_stage(const clv_integrator *s, int i);
double *clv_rk_point(const clv_integrator *s);
double *clv_rk_new_state(const clv_integrator *s);
void clv_rk_dense(const clv_integrator *s, double t, double *y);

/* Tail of a row of the method table. */
#define CLV_RK_METHOD                                                                                                  \
    .state_size = sizeof(clv_rk_state), .layout = clv_rk_layout, .begin = clv_rk_begin, .step = clv_rk_step,           \
    .dense = clv_rk_dense

#endif
