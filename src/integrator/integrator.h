/* SPDX-License-Identifier: Apache-2.0
 * Integrators of ordinary differential equations y' = f(t, y), as used by the simulation.  Explicit Runge-Kutta pairs
 * over tableaus as data, a variable-order Adams PECE method, and backward differences by SUNDIALS where it is there.
 * They know no mechanics; what a method needs beyond rates (mechanics.h, or a whole step) the problem brings along.
 *
 * After every accepted step the problem may touch the state (projection, re-gauge).  It then says so, and the
 * integrator drops what is no longer true: a Runge-Kutta method its FSAL stage, Adams only what `regauge` cannot
 * transform. Dense output uses values before the change.  Nothing here allocates after `begin`. */
#ifndef CLV_INTEGRATOR_INTEGRATOR_H
#define CLV_INTEGRATOR_INTEGRATOR_H
#include "base/memory.h"
#include "cleave/cleave.h"
#include "integrator/mechanics.h"
#include "integrator/vector.h"

typedef struct clv_ode {
    int n;               /* number of states                                                              */
    void *owner;
    /* ydot = f(t, y).  A failure makes the step be tried again with a smaller step; a second list of
     * failures ends the run with that status. */
    clv_status (*rates)(void *owner, double t, const double *y, double *ydot);
    /* Called after an accepted step with the new state; may change y (projection, re-gauge).  *changed: 0 nothing,
     * 1 y was corrected by less than the tolerance (projection), 2 history must be transformed (re-gauge).
     * A failure discards the step (nothing may have been remembered), and it is tried again, smaller.  With *changed
     * -1 it is only a little smaller: the step is good, but its end is ill placed. */
    clv_status (*accepted)(void *owner, double t, double *y, int *changed);
    /* For multistep methods and dense output: transforms a stored state y at an earlier time t by the same re-gauge as
     * the last `accepted` call and recomputes its rate ydot.  NULL: history is restarted instead. */
    clv_status (*regauge)(void *owner, double t, double *y, double *ydot);
    /* Inside a step of an implicit method, before its error test: y is moved to where `accepted` would move it, but for
     * the re-gauge; nothing is remembered.  NULL: no such thing. */
    clv_status (*project)(void *owner, double t, double *y);
    /* Of a state with parts that follow from others: sets them at a new state of a one-step method, before the rates
     * there are found.  NULL: there are none. */
    clv_status (*settle)(void *owner, double t, double *y);
    const clv_mechanics *mechanics; /* for variational methods; NULL: they are refused */
    /* A rule of its own, for embedded methods: y and its rates ydot at t become those at t_new.  `memory` is what the
     * rule hands on beside them, all zero after a (re)start.  On failure nothing has changed.  NULL:
     * they are refused. */
    clv_status (*step)(void *owner, double t, double t_new, double *y, double *ydot, double *memory);
    /* After a step of it that has not converged: did it end next to a singular position?  Then other ends are tried.
     * NULL: it did not. */
    bool (*ill_placed)(void *owner);
    /* Makes of an error estimate e (n) what is to be measured of it.  NULL: all of it is. */
    void (*visible)(void *owner, double *e);
    /* Of a state that is a part of a larger one: the largest x of all parts.  Then evaluations may give rates that are
     * not finite, which `accepted` refuses, and all parts make the same steps.  NULL: it is whole. */
    double (*largest)(void *owner, double x);
    const double *scale; /* typical size of each state (n), > 0: absolute tolerance of state i is atol * scale[i];
                            0: this state does not take part in error control (work integral, for instance) */
    const double *bound; /* size (n) beyond which a state tolerates no larger errors, as of angles that count turns;
                            infinite: none; NULL: of no state */
} clv_ode;

typedef struct clv_integrator_options {
    double rtol, atol;   /* error of state i per step <= clv_tolerated of |y_i| or |y_i new|, maximum norm */
    double step;         /* s; > 0: fixed step                                                            */
    double max_step;     /* s; 0: none                                                                    */
    double first_step;   /* s; 0: chosen                                                                  */
    double direction_end;/* s; time of the end of the run, used to bound the last step; NaN: none          */
} clv_integrator_options;

typedef struct clv_integrator_stats {
    long steps, rejected, evaluations;
    double last_step, next_step; /* s      */
    int order;                   /* in use */
    int tiny;                    /* steps in a row next to the rounding of time */
} clv_integrator_stats;

struct clv_integrator;
/* What a method needs from its problem: rates alone; its mechanics (variational methods: order and energy come from an
 * action principle); a step (embedded methods run the problem's own rule).  RESPONSE: rates, and what impulses do to
 * them. */
typedef enum clv_asks { CLV_ASK_RATES, CLV_ASK_MECHANICS, CLV_ASK_STEP, CLV_ASK_RESPONSE } clv_asks;
/* A method: a row in the table of integrator.c. */
typedef struct clv_method {
    const char *name;   /* dopri5, bs23, dop853, rk4, adams, midpoint, gauss4, gauss6,
                         * trapezoidal, generalized-alpha, moreau, bdf */
    const char *text;   /* one line for help                */
    int order;
    bool fixed_only;    /* needs options.step > 0           */
    bool multistep;     /* keeps a history: no fixed steps, restarting is expensive            */
    clv_asks asks;
    bool sealed;        /* its memory cannot be saved: saved_size is 0, no checkpoints */
    int most;           /* states it takes; 0: any number   */
    const char *absent; /* not in this build: what to do about it; else NULL */
    const void *data;   /* tableau                          */
    size_t state_size;  /* bytes of the state, plain numbers without pointers unless sealed */
    void (*layout)(struct clv_integrator *, clv_arena *);  /* states of the method                       */
    clv_status (*begin)(struct clv_integrator *);           /* after create and after a restart          */
    clv_status (*step)(struct clv_integrator *);            /* one accepted step: t, y advance            */
    void (*dense)(const struct clv_integrator *, double t, double *y); /* t in [t_old, t]                 */
    void (*destroy)(struct clv_integrator *);               /* gives back memory that is not the arena's; or NULL */
} clv_method;

typedef struct clv_integrator {
    const clv_method *method;
    clv_ode ode;
    clv_integrator_options options;
    clv_integrator_stats stats;
    clv_team *team;      /* set by the caller at will: shares out vector work; or NULL      */
    double t, t_old;     /* s, end and start of the last accepted step                     */
    double *y;           /* (n) state at t, after projection and re-gauge                  */
    double *y_old;       /* (n) state at t_old                                             */
    double *f;           /* (n) rates at t, valid if fresh                                 */
    bool fresh;
    double dense_from;   /* s, set by the caller at will: dense output is requested only in steps that reach this
                            time; NaN (after begin): in every step; spares methods evaluations made for it alone */
    double stop;         /* s, set by the caller at will: no step passes it; NaN (after begin), or not ahead: none */
    void *state;         /* the method's own, plain numbers                                */
    bool jumping;        /* while a jump starts the method anew                            */
    double used;         /* s, while a jump starts the method anew: the step size that was in use; else 0     */
    int extra;           /* as given to layout                                              */
    double *work;        /* the method's own vectors                                       */
    size_t nwork;        /* numbers in work                                                */
    double failed_time;  /* s, where the last failing step was tried                       */
    int worst;           /* state with the largest error estimate of the last try; -1: not known            */
} clv_integrator;

const clv_method *clv_method_find(const char *name);   /* NULL if unknown */
const clv_method *clv_method_at(int i);                /* NULL at the end */
/* Carves the integrator's arrays out of an arena (twice: count, carve).  extra: closing rows of ode.mechanics, or
 * numbers in the memory of ode.step, for methods that need one; else 0. */
void clv_integrator_layout(clv_integrator *s, const clv_method *m, int n, int extra, clv_arena *a);
/* Starts at (t, y). */
clv_status clv_integrator_begin(clv_integrator *s, const clv_ode *ode, const clv_integrator_options *o, double t,
                                const double *y);
/* Continues from (t, y) after a jump of state or rates (events, new loads): statistics continue, the step size is
 * chosen anew. */
clv_status clv_integrator_restart(clv_integrator *s, double t, const double *y);
/* The same after a jump of rates alone, not later than s->t.  One-step methods first try the step size that was in use,
 * if there was one, and error control reduces it if necessary.  Multistep methods, whose order starts at 1, take what
 * that order allows. */
clv_status clv_integrator_jump(clv_integrator *s, double t, const double *y);
/* Before the arena goes.  Allowed at any time after layout, and on a zeroed integrator. */
void clv_integrator_destroy(clv_integrator *s);
/* One accepted step (never beyond options.direction_end).  Errors: CLV_ERR_STEP_SIZE, also where the time has stopped
 * to advance, or the status of rates/accepted. */
clv_status clv_integrator_step(clv_integrator *s);
/* Does the time advance?  For those who make the step from `before` in pieces, after each.  CLV_ERR_STEP_SIZE: a step
 * below the rounding of the time, or a thousand in a row next to it. */
clv_status clv_integrator_advances(clv_integrator *s, double before);
/* State at t_old <= time <= t; values before projection/re-gauge inside the step, at t the accepted state. */
void clv_integrator_dense(const clv_integrator *s, double time, double *y);
/* Everything that the next step depends on, as bytes of this machine: a run resumed from them has the same bits.
 * `load` requires an integrator of the same method and size, begun with the same ode and options. */
size_t clv_integrator_saved_size(const clv_integrator *s);
void clv_integrator_save(const clv_integrator *s, void *bytes);
void clv_integrator_load(clv_integrator *s, const void *bytes);

/* ------------------------------------------------------------------ for methods */

/* Step failures in a row after which a step is given up. */
#define CLV_INTEGRATOR_FAILURES 60

/* Numbers between vectors in `work`, a multiple of 64 bytes. */
size_t clv_integrator_stride(int n);
/* ydot = f(t, y), counted and checked to be finite. */
clv_status clv_integrator_evaluate(clv_integrator *s, double t, const double *y, double *ydot);
/* The largest of all parts of the state. */
double clv_integrator_largest(const clv_integrator *s, double x);
/* e (n) as the problem measures it; before clv_integrator_norm.       */
void clv_integrator_visible(const clv_integrator *s, double *e);
/* The norm of errors at y and y_new (n each), of none so far. */
clv_error_norm clv_integrator_norm_at(const clv_integrator *s, const double *y, const double *y_new);
/* The norm of e (n). */
double clv_integrator_norm(const clv_integrator *s, const double *e, const double *y, const double *y_new);
/* Hairer's first step for a method of this order; y and f at t are known, y1 and f1 are scratch.  In a jump: the step
 * in use, or for multistep methods at most what their first order allows. */
double clv_integrator_first_step(clv_integrator *s, int order, double *y1, double *f1);
/* Shortens h > 0 to max_step and the limit, keeping slivers away; *t_new is where it leads.  Signed result. */
double clv_integrator_bound_step(const clv_integrator *s, double h, double *t_new);
/* Shows the owner a new state; y may change. */
clv_status clv_integrator_accept(clv_integrator *s, double t, double *y, int *changed);
/* Where the next step must end if it would get that far: the end of the run or `stop`; NaN: nowhere. */
double clv_integrator_bound(const clv_integrator *s);
/* -1: the run goes backwards, else 1. */
double clv_integrator_direction(const clv_integrator *s);

#endif
