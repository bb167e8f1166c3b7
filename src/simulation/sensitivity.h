/* SPDX-License-Identifier: Apache-2.0
 * A run on the side and its sensitivities (T109 to T111): what the files share.
 *
 *   sensitivity.c          checks, memory
 *   sensitivity_run.c      the run from frame to frame, step control
 *   sensitivity_choice.c   which coordinates are independent; the dependent ones out of them
 *   sensitivity_chart.c    the chart of a step
 *   sensitivity_place.c    a stage: closed loops, accelerations
 *   sensitivity_derive.c   derivatives of a stage
 *   sensitivity_step.c     a Runge-Kutta step in independent coordinates
 *   sensitivity_output.c   outputs at a state, and their derivatives
 *   sensitivity_forward.c  slopes carried along the run
 *   sensitivity_adjoint.c  gradients carried back
 *   sensitivity_event.c    events: which, when
 *   sensitivity_pieces.c   a piece for each mechanism between events
 *   sensitivity_crossing.c derivatives of an event (see sensitivity_crossing.h)
 *   sensitivity_respond.c  a state's response to a cotangent of its accelerations
 *
 * Vectors of n numbers: coordinates of the tree as rates count them.  A step has a chart: theta displaces its first
 * state, plain coordinates by addition, quaternions by Cayley's map. */
#ifndef CLV_SIMULATION_SENSITIVITY_H
#define CLV_SIMULATION_SENSITIVITY_H
#include "integrator/tableaus.h"
#include "kinematics/derivative.h"
#include "simulation/sim.h"

/* r dependent coordinates and the rows of closings that determine them. */
typedef struct clv_partition {
    struct clv_partition *next; /* made before                                                                */
    int *column, *row; /* (r) (r)                                                                             */
    bool *depends;     /* (n)                                                                                 */
} clv_partition;

/* A state with closed loops. */
typedef struct clv_closed_state {
    double t;          /* s                                                                                   */
    double *theta;     /* (n) of the chart                                                                    */
    double *q, *u;     /* (nq) (n)                                                                            */
    double *udot;      /* (n)                                                                                 */
} clv_closed_state;

/* A step as it is kept: from its first state everything can be made again with the same bits. */
typedef struct clv_kept_step {
    double t, h;       /* s                                                                                   */
    int frame;         /* that it leads to                                                                    */
    bool ends;         /* at that frame                                                                       */
    double until;      /* s, next break of motions (T41)                                                      */
    const clv_partition *partition;
    double *q, *u, *udot, *turn; /* (nq) (n) (n) (6 nedge) of the first state                                 */
    double *stages;    /* (stages + 1) x (theta, q, u, udot); the last is the new state.  NULL: to be made again */
} clv_kept_step;

/* Numbers of sensitivity_respond.c. */
typedef struct clv_respond {
    double *I, *p;          /* (nbody x 36) (nbody x 6) articulated inertia and wrench of open trees            */
    double *U, *D;          /* (n x 6) (n) of their directions                                                  */
    int *free;              /* (n - r) independent rates                                                        */
    double *mass, *L;       /* (n x n) of the open tree, (n - r x n - r) factor; with loops                     */
    double *X, *N;          /* (r x (n - r)) (n x (n - r))                                                      */
    double *y;              /* (n) work                                                                         */
} clv_respond;

/* Derivatives of an event: what follows it, by what was before it (T125). */
typedef struct clv_crossing {
    int rows, columns; /* coordinates, rates, held coordinates after; the same before, and numbers             */
    double *E;         /* (rows x columns)                                                                     */
} clv_crossing;

enum { CLV_MOVED = 8 }; /* corrections that improve the next one, at most */

typedef struct clv_sensitivity_work {
    clv_sensitivity shown; /* first */
    clv_sim *s;
    const clv_plan *plan;
    const clv_tableau *tableau;
    clv_number *number;
    int *order;            /* (numbers) those of a body, of a point together                                  */
    clv_observed *output;
    double rtol, atol, fixed; /* s: longest step, or 0                                                        */
    double *time, *input, *y; /* (frames) (frames x inputs) (frames x outputs)                                */
    double begin;          /* s                                                                               */
    clv_linear_state *rate;
    bool *independent;
    int n, nq, m, r;       /* coordinates, numbers of q, rows of closings, rows that count                    */
    double *unit;          /* (n) 1 rad, or the size of the model                                             */
    int *place;            /* (n) of a coordinate in q, or -1: of a quaternion                                */
    double *weight;        /* (n) preference as a dependent coordinate                                        */
    clv_partition *partitions; /* all, the last first                                                         */
    const clv_partition *partition; /* in use                                                                 */
    clv_kept_step *step;   /* (shown.steps)                                                                   */
    long room;             /* for steps                                                                       */
    size_t bytes, most;    /* kept by steps; bound for stages                                                 */
    double *q0, *u0, *turn0; /* the output state                                                              */
    double *input0;        /* (ninput) of the simulation                                                      */
    clv_closed_state *stage; /* (stages + 1) of the step at hand                                              */
    double *K;             /* ((stages + 1) x n) rates of theta                                               */
    double *J, *JB;        /* (m x n) rows by rates, and by theta                                             */
    double *LU, *LB;       /* (r x r) factors of the dependent columns of J and JB                            */
    int *pivot, *pivot_B;
    double *first_LU;      /* (r x r) at the first state of the step                                          */
    int *first_pivot;
    double *gap, *x;       /* (m) (n) work                                                                    */
    double *moved;         /* (CLV_MOVED x r) corrections of dependent coordinates, in parts of units         */
    clv_derivative d;      /* at the stage placed last                                                        */
    double *force, *row, *rate_row, *gap_row; /* (n) (m) (m) (m) of one number                                */
    double *rows_y;        /* (2 nq + 2 n + 2) a state of dca, and its rates                                  */
    double *zero;          /* (nbody x 6)                                                                     */
    double *acceleration;  /* (nbody x 6) work                                                                */
    double *pick;          /* (m x n) work of choices                                                         */
    /* cotangents: of the accelerations and multipliers of the state derived last, of its rows of rates and positions */
    double *v, *eta, *mu_u, *mu_x; /* (n) (m) (m) (m)                                                         */
    double *field;           /* (nbody x 6) motions of the bodies by v                                          */
    double *lambda;          /* (m) multipliers of the state, on the way back                                   */
    clv_cotangent *cotangent; /* (nbody) work                                                                   */
    bool dense, offsets;     /* responses without the engine; a number is a point of a joint                */
    clv_respond respond;
    /* pieces between events */
    struct clv_sensitivity_work *next, *before; /* NULL: none                                                 */
    clv_sim *own, *caller;   /* simulation of the piece, where there are events; that of the call              */
    long steps;              /* of this piece                                                                 */
    int first_frame, last_frame; /* frames from the first up to, but not with, the last                       */
    int event;               /* whose condition ends it, or -1                                                */
    double event_time;       /* s, of the next event at a given time                                          */
    bool *gone, *armed;      /* (nevent) have happened before; can happen                                     */
    int nheld, *held;        /* joints that are locked                                                        */
    double *y_held;          /* (outputs x nheld) derivatives of outputs                                      */
    double *held_bar;        /* (nheld) cotangents                                                            */
    clv_crossing crossing;   /* to the next piece                                                             */
    double *y_x, *y_u, *y_p; /* (outputs x n), (outputs x n), (outputs x numbers) derivatives of outputs       */
    clv_arena arena;
} clv_sensitivity_work;

/* ------------------------------------------------------------------ sensitivity_choice.c */

/* Chooses dependent coordinates by w->J at a state.  Errors: CLV_ERR_SINGULAR, CLV_ERR_MEMORY. */
clv_status clv_partition_choose(clv_sensitivity_work *w);
/* LU, with `pivot`, of the dependent columns of J (m x n); false: singular. */
bool clv_partition_factor(const clv_sensitivity_work *w, const double *J, double *LU, int *pivot);
/* Solves in place, (r) numbers `stride` apart: with the factor, or its transpose. */
void clv_partition_solve(int r, const double *LU, const int *pivot, double *b, int stride);
void clv_partition_solve_transpose(int r, const double *LU, const int *pivot, double *b);
/* Is the partition at hand still a good one for w->J and its factor w->LU? */
bool clv_partition_good(clv_sensitivity_work *w);

/* ------------------------------------------------------------------ a stage: chart, place, derive */

/* to := from displaced by theta */
void clv_chart_move(const clv_sensitivity_work *w, double *to, const double *from, const double *theta);
/* rates of theta (n) for rates u; the reverse for cotangents: u_bar += of k_bar, theta_bar += of k_bar */
void clv_chart_rate(const clv_sensitivity_work *w, double *k, const double *theta, const double *u);
void clv_chart_rate_back(const clv_sensitivity_work *w, const double *k_bar, const double *theta, const double *u,
                         double *theta_bar, double *u_bar);
/* change of the rates of theta (columns of n x P matrices) */
void clv_chart_rate_change(const clv_sensitivity_work *w, const double *theta, const double *u, const double *dtheta,
                           const double *du, double *dk, int P);
/* dx := C^T dx0 + B dtheta, displacements of the state by those of the first one and of theta (columns); the reverse:
 * x0_bar += C x_bar, theta_bar += B^T x_bar. */
void clv_chart_change(const clv_sensitivity_work *w, const double *theta, const double *dx0, const double *dtheta,
                      double *dx, int P);
void clv_chart_change_back(const clv_sensitivity_work *w, const double *theta, const double *x_bar, double *x0_bar,
                           double *theta_bar);
/* dtheta := B^-1 (dx - C^T dx0) */
void clv_chart_find(const clv_sensitivity_work *w, const double *theta, const double *dx0, const double *dx,
                    double *dtheta, int P);
/* w->JB: w->J with respect to theta. */
void clv_chart_rows(clv_sensitivity_work *w, const double *theta);
/* w->J at the poses of the system */
void clv_closed_rows(clv_sensitivity_work *w);
/* q, u of a stage from theta (its dependent entries are a guess and are found) and independent u; then accelerations.
 * `from`: the first state of the step.  Errors: CLV_ERR_NO_CONVERGENCE, those of evaluations. */
clv_status clv_closed_find(clv_sensitivity_work *w, const double *from, clv_closed_state *x);
/* Poses, factor, rates, loads, accelerations and reactions at a closed state. */
clv_status clv_closed_evaluate(clv_sensitivity_work *w, const clv_closed_state *x);
/* The same, then derivatives w->d, rows w->J, w->JB and their factors. */
clv_status clv_closed_derive(clv_sensitivity_work *w, const clv_closed_state *x);
/* For the way back: the state, its rows w->J, w->JB with factors, its directions and multipliers, by the accelerations
 * that are kept; no columns. */
clv_status clv_closed_return(clv_sensitivity_work *w, const clv_closed_state *x);
/* w->JB and the factors anew, for the same state in another chart or with other independent coordinates. */
clv_status clv_closed_factor(clv_sensitivity_work *w, const clv_closed_state *x);
/* Poses and velocities, for outputs. */
clv_status clv_closed_show(clv_sensitivity_work *w, const clv_closed_state *x);
clv_status clv_closed_singular(clv_sensitivity_work *w, double t);
/* Columns of a number: force (n), and acceleration, rate and violation of the rows (m each). */
void clv_closed_number(clv_sensitivity_work *w, int number);
/* The same of a coordinate that is held (T125.2).  As an offset of its joint in the tree: -1.  Of one that closes a
 * loop: its row. */
void clv_closed_held(clv_sensitivity_work *w, int held);
int clv_closed_held_offset(const clv_sensitivity_work *w, int held, clv_derivative_offset *g);
/* force (n) that an input of one unit takes off what is missing */
void clv_closed_input(clv_sensitivity_work *w, int input);

/* ------------------------------------------------------------------ sensitivity_respond.c */

/* Does it cost less than the engine's factor?  Before the layout. */
bool clv_respond_dense(const clv_sensitivity_work *w);
void clv_respond_layout(clv_sensitivity_work *w, clv_arena *a);
/* w->v, w->eta of l (n), after clv_closed_return.  Errors: of the factor. */
clv_status clv_respond_find(clv_sensitivity_work *w, const double *l);

/* ------------------------------------------------------------------ sensitivity_step.c */

/* A step of size h from w->stage[0], which is closed and has its accelerations; *error: estimated, as part of what is
 * tolerated, 0 without an estimate.  Errors: of stages. */
clv_status clv_sensitivity_step(clv_sensitivity_work *w, double h, double *error);
/* Accelerations of w->stage[0], theta 0, and what clv_sensitivity_rows does. */
clv_status clv_sensitivity_begin(clv_sensitivity_work *w, bool choose);
/* Rows at w->stage[0], where the system is placed, and their factor; with `choose` also other independent coordinates,
 * where those at hand are not good. */
clv_status clv_sensitivity_rows(clv_sensitivity_work *w, bool choose);
/* The stages of a kept step come to w->stage, from memory or made again. */
clv_status clv_sensitivity_again(clv_sensitivity_work *w, const clv_kept_step *x);
/* Inputs, breaks and turns as they are in that step. */
void clv_sensitivity_enter(clv_sensitivity_work *w, const clv_kept_step *x);

/* A partition as another run had it in a step, found or copied; NULL: there is none, or no memory (then the factor
 * fails). */
const clv_partition *clv_sensitivity_copy_partition(clv_sensitivity_work *w, const clv_kept_step *like);

/* sensitivity.c: x := the start */
void clv_sensitivity_first(const clv_sensitivity_work *w, clv_closed_state *x);
/* Before and after work with the system of the simulation; `st` goes through. */
clv_status clv_sensitivity_open(clv_sensitivity_work *w, const char *function);
clv_status clv_sensitivity_shut(clv_sensitivity_work *w, clv_status st);

/* ------------------------------------------------------------------ sensitivity_run.c */

/* The whole run, with steps and choices of `like` (NULL: its own).  Errors: of steps. */
clv_status clv_sensitivity_run(clv_sensitivity_work *w, const clv_sensitivity_work *like);

/* ------------------------------------------------------------------ events */

/* Errors: CLV_ERR_UNSUPPORTED with the name of the event. */
clv_status clv_sensitivity_check_events(clv_sim *s);
/* Which conditions can be met, from the first state of a piece on; and again, after a step. */
clv_status clv_sensitivity_arm(clv_sensitivity_work *w);
clv_status clv_sensitivity_rearm(clv_sensitivity_work *w);
/* After a step of size *h: if an event lies in it, the step is made again up to it, and w->event says which. */
clv_status clv_sensitivity_watch(clv_sensitivity_work *w, double *h);
/* Memory of a piece for events; its end. */
clv_status clv_piece_begin(clv_sensitivity_work *w);
void clv_piece_end(clv_sensitivity_work *w);
/* sensitivity.c: a piece on a simulation, at its output state */
clv_status clv_piece_open(clv_sensitivity_work **w, clv_sim *s, const clv_sensitivity_options *o);
void clv_pieces_count(clv_sensitivity_work *head);
/* All pieces from the first one on. */
clv_status clv_pieces_run(clv_sensitivity_work *head, const clv_sensitivity_options *o);
/* from->crossing, at the end of `from` and the first state of `to` */
clv_status clv_crossing_find(clv_sensitivity_work *from, clv_sensitivity_work *to);

/* ------------------------------------------------------------------ sensitivity_output.c */

clv_status clv_sensitivity_check_outputs(clv_sim *s, const clv_observed *output, int outputs);
/* y (outputs) at the state that the system is placed at */
void clv_sensitivity_outputs(const clv_sensitivity_work *w, double *y);
/* w->y_x, y_u, y_p after clv_closed_derive */
void clv_sensitivity_output_slopes(clv_sensitivity_work *w);

#endif
