/* SPDX-License-Identifier: Apache-2.0
 * The simulation: one system, one formulation, one integrator, one block of memory.
 *
 *   sim.c, advance.c  create, destroy; step, advance     start.c    coordinates and rates of the start, assembly
 *   views.c     views, report, plan; unseen.c: when      typical.c  typical sizes of states
 *   step.c      what happens after an accepted step      project.c  position and velocity projection
 *   evaluate.c  accelerations, reactions; unique.c: which are unique   checkpoint.c  saving and loading
 *   state.c     outputs computed elsewhere            start_absolute.c  the start in absolute coordinates
 *   assemble.c  assembly of a start that is not closed    start_rates.c  rates of the start
 *   loop_name.c which loop stays open
 *   mobility.c  joints that can move                  mechanics.c what a variational integrator needs
 *   jump.c      changes between two steps             control.c   controls bound by the caller
 *   misfit.c    sizes of violations                   rank_start.c, walk.c  rank and contradictions of the start
 *   consistent.c  what of a violation can be removed
 *   options.c   defaults and checks of options    guard.c     objects that cannot be worked on
 *   momentum.c  centres of mass, momentum of the output state    passage.c  through singular positions
 *   event.c     times at which motions or forces break off       reach.c    strokes that cannot be reached
 *   spacing.c   steps that do not pass over a contact; crowd.c: of many bodies
 *   set.c       coordinates and rates set by the caller      latch.h      events of the model */
#ifndef CLV_SIMULATION_SIM_H
#define CLV_SIMULATION_SIM_H
#include "formulation/system.h"
#include "model/break.h"
#include "integrator/integrator.h"
#include "simulation/divided.h"
#include "simulation/crowd.h"
#include "simulation/spacing.h"
#include "simulation/touching.h"
#include <stdint.h>

/* Singular positions on the way, passage.c. */
typedef struct clv_passage {
    double best;   /* largest pivot at the end of a step so far                                            */
    double here;   /* pivot at the end of the last step; 0: a direction was dropped                        */
    int dropped;   /* directions without a pivot there                                                     */
    double lowest; /* smallest pivot of an evaluation since then                                           */
    int calm;      /* steps since a pivot was small                                                        */
    int tries;     /* steps in a row that ended badly                                                      */
    int hurt;      /* steps rejected where pivots are small                                                */
    long rejected; /* of the integrator, at the last step                                                  */
} clv_passage;

/* What a step of a divided mechanism is judged by, see divided_step.c. */
typedef struct clv_judgement {
    bool known;
    double sum[CLV_ACROSS_SUMS], worst, open, speed;
} clv_judgement;

struct clv_sim {
    const clv_model *model;    /* since an event: a variant of the one given, see latch.h                  */
    struct clv_latches *latches; /* of a model with events, or NULL                                        */
    struct clv_slots *slots;   /* of its states in model exchange, or NULL                                */
    clv_sim_options options;
    clv_plan *plan;
    clv_plan *tree;            /* of an absolute plan, see clv_system; or NULL                                */
    clv_system system;
    const clv_formulation *formulation;
    clv_team *team;             /* of its own, or NULL                                                     */
    const char *threads_why;    /* of the number of threads, see threads.c                                 */
    char threads_text[80];      /* what it may be made of                                                  */
    const clv_kernels *kernels; /* lane kernels for this CPU                                               */
    clv_integrator integrator;
    clv_error error;
    const clv_divided *divided; /* the segments that are here, see divided.h; NULL: the mechanism is whole */
    bool apart;            /* branches share no lanes, see cycle.h                                          */
    bool ready;            /* clv_sim_create succeeded                                                     */
    bool busy;             /* a call that may run load callbacks is under way                              */
    const char *intruder;  /* function that a callback called meanwhile, or NULL                           */
    clv_arena arena, views; /* views: of what the caller sees                                              */
    int n;                 /* states: nq + nu + 1 (work)                                                   */
    double *y;             /* (n) start, then scratch of accepted                                          */
    double *limited;       /* (n) accepted steps in which this state had the largest error estimate       */
    double *scale, *bound; /* (n) typical sizes; those of angles that count turns: a turn, see integrator.h */
    double *seen_y;        /* (n) state of the last right-hand-side evaluation ...                         */
    double seen_t;         /* ... and its time; NaN: none                                                  */
    double stepped;        /* end of a rule's step that is not yet accepted; NaN: none                     */
    int settled;           /* divided: evaluations since a new state was settled                           */
    clv_judgement judgement; /* divided: of that state                                                     */
    clv_segment_close close; /* divided: the closing joint, if it is here                                  */
    double *ydot;          /* (n)                                                                          */
    double *kept_y;        /* (n) models with events: scratch of latch.c                                    */
    bool kept;             /* it has the rates of that evaluation                                          */
    const clv_energies *judged; /* of that state, where others have found them (abreast.h); or NULL        */
    double *trial;         /* (nu) rates of joints                                                         */
    double *q, *u, *dq;    /* (nq) (nu) (nu)                                                               */
    bool *follows;         /* (njoint) its start rate follows by a coupling                                */
    double *row;           /* (nclosing_row) violations                                                    */
    double *gauge;         /* (nsigma) impulses removed by the last re-gauge                               */
    double *stress;        /* (nsigma) one self-stress                                                     */
    double start_pivot;    /* smallest of the loops at the start                                           */
    double until;          /* s, time of the next event, see event.c                                       */
    clv_break event;       /* what it is                                                                   */
    clv_system stage;      /* variational integrators: where their stages and nodes are evaluated          */
    clv_mechanics mechanics;
    clv_touching touching; /* rigid contacts, moreau                                                       */
    clv_spacing *spacing;  /* (nspacing) contacts between two bodies                                      */
    int nspacing;
    clv_crowd *crowd;      /* (ncrowd) contacts of many bodies                                             */
    int ncrowd;
    int *coordinate;       /* (nu) see mechanics.h                                                         */
    double *P, *S;         /* (nbody x 6) wrenches in evaluate, else scratch; scratch where there are motions   */
    double size;           /* m, of the model, for violations                                              */
    double potential_initial; /* J, at the start                                                           */
    double fall;           /* J: through the size of the model                                             */
    double *rest;          /* (nq) coordinates of the start ...                                            */
    bool moves;            /* ... and whether one has left them by more than the tolerance, see still.c    */
    double *null;          /* (nulls x nclosing_row) or NULL: left null vectors of the closings, see consistent.c  */
    void *null_runs;       /* where numbers of each are not zero, see consistent.c                        */
    int nulls, null_count; /* room for, and found                                                         */
    long null_of;          /* the factor they belong to                                                    */
    bool *slides;          /* (nu) the coordinate is a length                                              */
    bool usual;            /* the formulation was not given                                                */
    int base_nullity;      /* redundant rows at the start                                                  */
    bool kinematic;        /* they are more than the nodes drop, see kinematic_rank.c                      */
    int beside_nullity;    /* the same a small step beside it                                              */
    long assembly_iterations; /* steps and attempts of the assembly of the start; 0: it was closed as given       */
    int assembly_attempts;
    double *joint_moved;   /* (njoint) m or rad: how far assembly moved the coordinates of tree joints      */
    double *joint_rate_moved; /* (njoint) m/s or rad/s: how far the rates of the start are from given ones  */
    double *body_rate_moved; /* (nbody) m/s or rad/s: the same of given velocities of bodies                 */
    bool any_loop;
    /* changes between two steps, see jump.c */
    bool lands;            /* steps end at the times requested                                             */
    bool stale;            /* the right-hand side has changed at the output time: the next step starts anew there */
    double *out_turn;      /* (6 nedge) turns of closing joints at the output state                        */
    double *input;         /* (ninput) values of the inputs                                                */
    double *ramp;          /* (ninput x 2) value and time from which their efforts follow (T120)           */
    double *servo;         /* (nmotion x 4) what they have added to motions, see clv_motion_with            */
    const clv_joint *given; /* (njoint) whose has_q, q, u the assembly is to meet: the model's, or those of set.c */
    clv_controls controls; /* bound by the caller, see control.c                                            */
    clv_arena control_block; /* memory of their lists, since the first was bound                            */
    double shown_step;     /* s, of the step that a shown state lies in; 0: none was shown                    */
    double shown_evaluations; /* up to the end of that step                                               */
    double handed;         /* s, latest time of a bare state that was handed out                           */
    clv_passage passage;
    double most_steps, paced; /* steps at most; s, the end up to which their pace is judged, see pace.c      */
    double edge;           /* s, where clv_keep_at_edge has started the integrator anew                    */
    /* output state */
    double out_time;
    double *out_modes;     /* (3 nmode) modal coordinates, rates, accelerations                            */
    double *out_y, *out_r, *out_e, *out_V, *out_A, *out_marker;
    double out_kinetic, out_potential;
    bool looked;           /* somebody has looked at views since the creation, see unseen.h                */
    bool waits;            /* those of the output state are not formed yet                                 */
    long released;         /* kin.posed when what is in model order was given back last; -1: it was not     */
    long shown;            /* the factor of the rows that hold the output state, 0: they do not            */
    clv_momentum out_momentum;
    double *frame_A;       /* (nbody x 6) accelerations of the undeformed centres of mass, after evaluate  */
    double *marker_A;      /* (nmarker x 3) accelerations of the markers, after evaluate                   */
    double out_gap, out_gap_speed; /* largest violations of position and velocity                          */
    bool evaluated, detailed; /* accelerations and reactions are there; and all that clv_sim_evaluate gives */
    bool *redundant;       /* (njoint) at the start                                                        */
    bool *coupling_redundant; /* (ncoupling) the same                                                      */
    clv_mobility *mobility; /* (njoint) at the start                                                       */
    double *swing;         /* (njoint x 6) rates that show it, where anything closes                       */
    bool *unique;          /* (njoint x 6)                                                                 */
    bool *effort_unique;   /* (njoint) of prescribed joints                                                */
    bool *coupled;         /* (ncoupling) a self-stress changes its effort                                 */
    double *p, *pdot;      /* (nu) after evaluate                                                          */
    double *udot;          /* (nu)                                                                         */
    clv_sim_report report;
};

/* evaluate.c: accelerations and reactions of the output state; clv_sim_reaction then has those of a joint. */
clv_status clv_evaluate_output(clv_sim *s);
/* accelerations.c: rates of the rates u (nu) of a closing joint, from the motion of its bodies; after evaluate. */
void clv_closing_accelerations(const clv_sim *s, int edge, const double *u, double *udot);
/* evaluate.c: rates, accelerations and multipliers of the system at the output state, by rows.  Errors: of rates. */
clv_status clv_accelerate_in_rows(clv_sim *s);
/* coordinates.c: the work of clv_sim_coordinates. */
clv_status clv_find_coordinates(clv_sim *s, double *q, double *u);
/* q (7) and u (6) of a joint from the kinematics at hand; 0 where nothing determines them. */
void clv_joint_state(const clv_sim *s, int joint, double *q, double *u);
/* accelerations.c: fills marker_A from frame_A. */
void clv_marker_accelerations(clv_sim *s);

/* divided.c: refuses options that a divided mechanism cannot have; after clv_rows_begin, what cannot be divided. */
clv_status clv_divided_check_options(clv_sim *s);
clv_status clv_divided_begin(clv_sim *s);
/* Energies of the whole, by the poses and velocities in the system. */
void clv_divided_energies(clv_sim *s, clv_energies *e);
/* divided_step.c: at the start, roots moved to their handles, and the loop closed.  Errors: CLV_ERR_INCONSISTENT: it
 * stays open. */
clv_status clv_divided_place(clv_sim *s);
/* divided_step.c: parts of clv_ode; was the last evaluation at the state that was settled last, at t? */
clv_status clv_divided_settle(void *owner, double t, double *y);
clv_status clv_divided_accepted(clv_sim *s, double t, double *y, int *changed);
double clv_divided_largest(void *owner, double x);
bool clv_divided_seen(const clv_sim *s, double t);
/* step.c: an accepted state with these energies and this work of loads, into the report. */
void clv_sim_account(clv_sim *s, double t, double work, const clv_energies *e);
/* step_limit.c: counts an accepted step. */
void clv_count_limit(clv_sim *s);
/* Whose error was the largest in the last try of a step: a body and its joint; false: not known. */
bool clv_step_set_by(const clv_sim *s, int *body, int *joint);

/* typical.c: typical sizes of the states, into scale: 1 rad or the size of the model for coordinates.  For rates that
 * per second, for momenta what the inertia a joint moves has at that rate.  The work takes part where motions drive:
 * then it may be all there is to integrate. */
void clv_find_sizes(clv_sim *s);
/* pace.c.  May another step be made?  CLV_ERR_STEP_SIZE: no; the record says why. */
clv_status clv_check_pace(clv_sim *s);
/* still.c (T15).  s->fall, s->rest, behind the sizes; s->moves after an accepted step.  The energy (J) that rounding
 * may make move; the energy drift as a share of the energy that moves, NaN where nothing does. */
void clv_begin_rest(clv_sim *s);
void clv_watch_rest(clv_sim *s, const double *y);
double clv_still_energy(const clv_sim *s);
double clv_drift_share(const clv_sim *s);

/* guard.c: before the work of a public function that changes the simulation. CLV_ERR_USAGE: NULL, not created, or
 * called from inside a load callback of the same simulation. `function`: __func__. */
clv_status clv_sim_enter(clv_sim *s, const char *function);
/* The same for functions that steps consist of: views may wait (unseen.h). */
clv_status clv_sim_enter_unseen(clv_sim *s, const char *function);
/* After it: `status`, or CLV_ERR_USAGE if a callback called such a function meanwhile. */
clv_status clv_sim_leave(clv_sim *s, clv_status status);
/* Is there anything to look at? */
static inline bool clv_sim_ready(const clv_sim *s) { return s && s->ready; }
/* unseen.c: views of the output state, which may have waited; false: there is nothing to look at. */
bool clv_sim_look(const clv_sim *s);
/* The same inside a call.  Errors: as clv_sim_show. */
clv_status clv_sim_look_inside(clv_sim *s);
/* threads.c: the threads that share out its evaluations and steps (T44); after clv_rows_begin.  Errors:
 * CLV_ERR_MEMORY. */
clv_status clv_sim_open_team(clv_sim *s);
/* `auto` after the first evaluation: times some with one thread and with all, and keeps what is faster.  Leaves what
 * the first evaluation left.  Errors: of evaluations. */
clv_status clv_sim_try_team(clv_sim *s);
/* From now on these threads do it, which outlive it; NULL: the caller's alone.  least: rows of eight bodies from which
 * on they are shared out; 0: as many as pay. */
void clv_sim_join_team(clv_sim *s, clv_team *team, int least);
/* options.c: the options, formulation and integrator; fills in defaults that depend on them. */
clv_status clv_sim_check_options(clv_sim *s);
/* Does a formulation have what a method needs from it? */
bool clv_sim_takes(const clv_formulation *f, const clv_method *m);
/* sim.c: everything but the record itself, for a model; the start is that of the model.  On failure what was built
 * stays to be released. */
clv_status clv_sim_build(clv_sim *s, const clv_model *model);
/* The plan of a model, with options and formulation of the simulation.  Errors: of clv_plan_create. */
clv_status clv_sim_plan_of(clv_sim *s, const clv_model *model, clv_plan **plan);
/* Gives back what clv_sim_build has made, but for the views. */
void clv_sim_release(clv_sim *s);
/* start.c: q and u of the start from poses and joint data, closed; report.start_moved. */
clv_status clv_start(clv_sim *s);
/* start_rates.c: u (nu) of the start at the poses and factor of the system, on the velocity constraints.  Into *given:
 * the largest motion by the rates before that (1/s, parts of the model's size or rad).  Into *moved: the largest change
 * of a rate, or difference from a given rate or velocity (m/s, rad/s).  Where all given ones are met, the latter alone.
 * Errors: CLV_ERR_MEMORY; those of clv_system_place. */
clv_status clv_start_rates(clv_sim *s, double *u, double *given, double *moved);
/* The same along the tree alone, for loops that are closed later.  Errors: CLV_ERR_INCONSISTENT: bodies have other
 * velocities. */
clv_status clv_start_tree_rates(clv_sim *s, double *u);
/* Velocity that the start gives for a body, at its reference point: linear, angular. */
void clv_start_velocity(const clv_sim *s, int b, double V[6]);
/* The largest difference of rates of joints and velocities of bodies from those the start gives (m/s, rad/s). */
double clv_rates_missed(const clv_sim *s);
/* start_given.c: u (nu), on the constraints, becomes a motion that has all given rates, if there is one (*met);
 * u0: rates before projections.  Errors: CLV_ERR_MEMORY; those of clv_system_place. */
clv_status clv_start_given(clv_sim *s, const double *u0, double *u, bool *met);
/* carrying.c (T101): After the start: loops are carried by the tree from now on, where the plan can and redundant rows
 * agree.  Errors: CLV_ERR_MEMORY. */
clv_status clv_begin_carrying(clv_sim *s);
/* Before null directions of nodes are looked at: a factor with nodes at s->q, if the last one was carried.  Errors: as
 * clv_system_place. */
clv_status clv_factor_in_nodes(clv_sim *s, double t);
/* rank_start.c: the rank of the start (T20): sets the engine's threshold, base_nullity, the report's rank and
 * contradiction. */
clv_status clv_decide_rank(clv_sim *s);
/* Is the start an open tree without light bodies, evaluated in rows?  Then the rows of the engine are not filled. */
bool clv_starts_in_rows(const clv_sim *s);
/* The factor of an open tree at its poses of s->q: there is no rank to decide.  Errors: those of clv_system_factor. */
clv_status clv_factor_open(clv_sim *s);
/* clv_decide_rank for another plan of the model of `from`, with the contradictions found there. */
clv_status clv_decide_rank_as(clv_sim *s, const clv_sim *from);
/* balance.c: Largest imbalance of the self-stresses of all dropped directions at the factor at hand.  Into *nodes (or
 * NULL): what it was before rounding of the nodes was taken out.  Uses dq, ydot, row, and sigma, x, W of the
 * system.  Without memory it is large, and the error says so. */
double clv_imbalance(clv_sim *s, double *nodes);
/* Are there so many bodies that this rounding counts?  Others keep the balance and the pivots of the nodes. */
bool clv_loses_by_length(const clv_sim *s);
/* kinematic_rank.c: rows of closings that are redundant by kinematics, counted without masses (T163); 0 where the
 * count is not clear, or not made: large mechanisms, flexible bodies.  Uses dq, row, and sigma and W of the engine;
 * directions of joints and rows must be there.  Errors: CLV_ERR_MEMORY. */
clv_status clv_kinematic_rank(clv_sim *s, int *redundant);
/* walk.c: a short motion from s->q with the directions dropped that the factor at hand drops, `number` shows which one.
 * The largest contradiction met; INFINITY: there is no such motion.  *open grows to the largest violation that closing
 * leaves on the way.  Leaves factor and poses elsewhere; uses seen_y,
 * ydot, trial, u, P. */
double clv_walk(clv_sim *s, int number, double *open);
/* Refuses redundant rows whose data contradict each other beyond the option; `misfit`: what closing has left. */
clv_status clv_check_contradiction(clv_sim *s, double misfit);
/* start_absolute.c: the same for an absolute plan: an ordinary simulation starts,
 * poses and velocities are taken over. */
clv_status clv_start_absolute(clv_sim *s);
/* The state of an absolute plan with joints set at the output time, through an ordinary simulation.  Allocates.  On
 * failure the output state is as before; views and turns of the system are those of the output. */
clv_status clv_set_absolute(clv_sim *s, const clv_joint_setting *setting, int n);
/* If an ordinary simulation can start and an absolute one cannot (singular), the case is not supported:
 * CLV_ERR_UNSUPPORTED in place of CLV_ERR_SINGULAR.  Other codes, and other formulations', as they are. */
clv_status clv_absolute_refusal(clv_sim *s, clv_status st);
/* CLV_ERR_INCONSISTENT: `what`, and the joint or coupling that stays open most at the present poses. */
clv_status clv_not_closed(clv_sim *s, double violation, const char *what);
/* The same of velocities: the present rates keep a loop from closing, by `violation`. */
clv_status clv_not_moving(clv_sim *s, double violation, const char *what);
/* set.c: s->q, s->u, which satisfy the loops, with their factor, become the output state; the change of energy since
 * `before` (J) is added to the work.  Errors: those of the formulation's start. */
clv_status clv_sim_adopt(clv_sim *s, double before);
/* assemble.c: q (nq) at time t moved until all loops and couplings close (T36).  Joints in `held` (njoint, or NULL) do
 * not move.  Directions that the start does not give move before those given by poses, these before given
 * coordinates (`firm`: they do not move either); modes do not.  Where nothing closes, q becomes the place of the
 * least violation found: that is no error, the caller looks.  Allocates.  Errors: CLV_ERR_MEMORY,
 * CLV_ERR_NOT_FINITE. */
clv_status clv_assemble(clv_sim *s, double t, double *q, const bool *held, bool firm);
/* The same for rates u (nu) at a closed q.  Those of the joints in `given` stay, the others change least (scaled by the
 * model's size).  With `bodies`, given velocities of bodies are to be met, too.  Into *left: the largest scaled
 * violation that is left, no error. */
clv_status clv_assemble_rates(clv_sim *s, double t, const double *q, bool bodies, double *u, double *left);
/* assemble_strain.c: strain energy (J) of the flexible bodies at q (nq) */
double clv_strain_energy(const clv_sim *s, const double *q);
/* loop_name.c: the closing edge with the largest number in s->row; where it is and the joints of its loop, appended to
 * text (returns the length; none for couplings). */
int clv_widest_edge(const clv_sim *s);
size_t clv_loop_text(const clv_sim *s, int edge, char *text, size_t size);
/* project.c: q (nq) at time t moved onto the loops by mass-weighted least change: Newton with the factor at hand, then
 * new ones. `fresh`: the engine already holds the factor at q.  *moved: largest displacement. */
clv_status clv_project_position(clv_sim *s, double t, double *q, bool fresh, int limit, double *moved);
/* The same by the formulation's own means if it has some, else by four corrections at most. */
clv_status clv_close_position(clv_sim *s, double t, double *q, bool fresh, double *moved);
/* q (nq) moved by the small displacement du (nu); the largest of du. */
double clv_displace(const clv_sim *s, double *q, const double *du);
/* u (nu) moved onto the velocity constraints at the poses and factor of the system. */
void clv_project_velocity(clv_sim *s, double *u, double *moved);
/* The same after a step, at coordinates q that have moved by `moved` (rad, m) since the last factor: with that factor,
 * where it is good enough.  Errors: of the factor. */
clv_status clv_close_velocity(clv_sim *s, double t, const double *q, double *u, double moved);
/* After rates at (t, y), rates of joints in s->u: is a dropped direction redundant here, or only weak (T20)?
 * near_miss.c. CLV_ERR_SINGULAR: it is real; the step is to be tried again, with the threshold that has been set. */
clv_status clv_check_dropped(clv_sim *s, double t, const double *y);
/* The step size has collapsed: did it at the edge of dropping a direction? Then the threshold has been lowered, and the
 * integrator is to start anew from its last good state. */
bool clv_keep_at_edge(clv_sim *s);
/* speed.c: after rates at a state: is a body faster than 1e9 m/s or rad/s?  Errors: CLV_ERR_NOT_FINITE, names it. */
clv_status clv_check_speed(clv_sim *s);
#define CLV_SLOW 1e8 /* m/s, rad/s: below it, far below the limit, no body is looked at */
/* The same of accelerations (s->system.x), above 1e30 m/s^2 or rad/s^2. */
clv_status clv_check_acceleration(clv_sim *s);
/* du (nu) that removes the violation in s->row, to first order, with the factor at hand.  s->row is used up. */
void clv_correction(clv_sim *s, double *du);
/* misfit.c (T40): s->size, at the poses of the system */
void clv_model_size(clv_sim *s);
void clv_find_slides(clv_sim *s);
/* m, or 1 for an angle: what row r of a closing is measured by.  Directions of the rows must be there. */
double clv_row_size(const clv_sim *s, int edge, int r);
/* consistent.c (T40): room for what follows, if data contradict each other; again after the rank is decided.
 * Errors: CLV_ERR_MEMORY. */
clv_status clv_open_consistent(clv_sim *s);
void clv_close_consistent(clv_sim *s);
/* Takes off a right-hand side of the closings (nclosing_row) what no motion can bring about. */
void clv_make_consistent(clv_sim *s, double *row);
/* 1 rad, the size of the model, or the modal coordinate of a deformation of that size (rms): unit of u[iu]. */
double clv_coordinate_size(const clv_sim *s, int iu);
/* Largest violation of position, of velocity, at the present poses and V; lengths as parts of the model's size. */
double clv_position_misfit(clv_sim *s);
double clv_velocity_misfit(clv_sim *s);
/* Largest motion of a body (nbody x 6): translation over the size of the model, or turn. */
double clv_motion_part(const clv_sim *s, const double *x);
/* Largest change of a coordinate (nu), as part of its size. */
double clv_change_part(const clv_sim *s, const double *du);
/* Largest change by which the factor at hand would still remove violations: 0 where only a contradiction is left. */
double clv_removable(clv_sim *s);
/* Closed: *misfit within tolerance, or a contradiction of redundant rows within its own bound. */
bool clv_is_closed(clv_sim *s, double tolerance, double contradiction, double *misfit);
/* Largest loop violation at the present poses, and velocity violation at the present V (0 without loops). */
double clv_position_violation(clv_sim *s);
/* violations of positions or velocities at the present state, into s->row */
void clv_look_at_violation(clv_sim *s, bool velocities);
double clv_velocity_violation(clv_sim *s);
/* rounding.c: report.momentum_error; before the first rates, as it leaves other velocities in the system. */
void clv_find_momentum_error(clv_sim *s);
/* No formulation was given, and momenta would lose more than the tolerance: dca serves instead. */
bool clv_momenta_lose(const clv_sim *s);
/* passage.c: looks at the factor of an evaluation. */
void clv_passage_see(clv_sim *s);
/* After rates at the end of a step: would the next one start too close to a singular position? */
bool clv_passage_ends_badly(clv_sim *s);
/* After a step has been accepted: how the next one integrates momenta (system.summed). */
void clv_passage_go_on(clv_sim *s);
/* What counts of an error estimate e (n). */
void clv_passage_visible(clv_sim *s, double *e);
/* step.c: the integrator's view of the simulation. */
clv_ode clv_sim_ode(clv_sim *s);
/* jump.c: the next step starts anew from the output state; `lands`: from now on steps end at the times requested. */
clv_status clv_sim_announce(clv_sim *s, bool lands);
/* Values of the inputs at the start, and where the system finds them */
void clv_sim_begin_inputs(clv_sim *s);
/* Starts the integrator anew from the output state.  The next step does, after a change. */
clv_status clv_sim_jump(clv_sim *s);
/* mobility.c: fills `mobility`, and lowers beside_nullity where the start is singular; requires the rates of the start
 * in u and the factor of the engine at q, and leaves that there. */
clv_status clv_find_mobility(clv_sim *s);
/* event.c: rate of a motion at a time, up to the end of the span that is there `until`. */
double clv_sim_motion_rate(const clv_sim *s, int motion, double t, double until);
/* event.c: the first event after that time becomes the next one; motions are evaluated up to it. */
void clv_sim_next_event(clv_sim *s, double after);
/* The next event is the one at `until` (s; INFINITY: none), of a checkpoint. */
void clv_sim_resume_events(clv_sim *s, double until);
/* Has the integrator arrived at the next event? */
bool clv_sim_at_event(const clv_sim *s);
/* Lets the integrator stop at the next event, and not beyond `time` (s; INFINITY: no such time). */
void clv_sim_stop_at(clv_sim *s, double time);
/* Passes the event that the integrator stands at: the state jumps, the integrator forgets.  Errors: those of the
 * rates; CLV_ERR_INCONSISTENT (the loops cannot follow a motion's new rate). */
clv_status clv_sim_cross_event(clv_sim *s);
/* Motions are evaluated as in the span between two events that ends at `until` (s). */
void clv_sim_span(clv_sim *s, double until);
/* Impulses T (nbody x 6) of the tree joints on their children, after an engine solve for the change dV (nbody x 6) and
 * du (nu) of velocities. */
/* T41.1 with V (nbody x 6), c (nbody x 6) biases of the tree joints before; u (nu) becomes that after, dV changes; the
 * change of u is in dq. */
clv_status clv_sim_kick(clv_sim *s, double t, const double *q, double *V, double *c, double *u);
void clv_sim_joint_impulses(clv_system *k, const double *dV, const double *du, double *T);
/* reach.c: is the mechanism, after an accepted step, in a place where clv_check_reach is worth its cost? */
bool clv_near_toggle(const clv_sim *s);
/* Are steps of absolute coordinates made in rows (T43.10), where loops are closed or a body lacks inertia?  The ranks
 * and bodies of the start are then those of the nodes. */
static inline bool clv_closed_in_rows(const clv_sim *s)
{
    return s->system.trials && (s->system.trials->rows.looped || s->system.trials->rows.lacking);
}
/* CLV_ERR_INCONSISTENT with names: at (t, q) the motions drive the loops into a toggle; open: the run has ended since
 * the loops do not close. CLV_OK: not so.  Leaves the factor of its own in the engine. */
clv_status clv_check_reach(clv_sim *s, double t, const double *q, bool open);
/* mechanics.c: the mechanism as variational integrators see it. */
clv_mechanics clv_sim_mechanics(clv_sim *s);
/* evaluate.c: wrench T of a tree joint on its child, at the child's point, as wrench w on the joint's b at b's point */
void clv_wrench_on_b(const clv_sim *s, int child, const double T[6], double w[6]);
/* unique.c */
void clv_find_unique(clv_sim *s);
/* Largest and relative imbalance of the engine's last self-stress (0: in equilibrium), see unique.c. */
double clv_stress_imbalance(const clv_sim *s);
/* momentum.c: what deformation adds to out_r, out_V of flexible bodies, which hold the undeformed centres of mass;
 * out_A from frame_A.  The momentum of the system at the output state, from out_r and the kinematics and inertias
 * there. */
void clv_momentum_centres(clv_sim *s);
void clv_momentum_accelerations(clv_sim *s);
void clv_momentum_show(clv_sim *s);
/* advance.c: clv_sim_step in two parts.  Before a step of the integrator: is one due?  After it: what follows from how
 * it ended, `st`. */
clv_status clv_sim_open_step(clv_sim *s, double time, bool *due);
clv_status clv_sim_close_step(clv_sim *s, clv_status st);
/* Turns of closing joints at the output state. */
void clv_sim_keep_turns(clv_sim *s);
/* Poses, velocities, energies of the output state from out_y. */
clv_status clv_sim_show(clv_sim *s);
/* The same, of a state whose views wait. */
clv_status clv_sim_show_waiting(clv_sim *s);
/* The same from an out_y `inside` a step: its loops are closed again first, if requested. */
clv_status clv_sim_close(clv_sim *s, bool inside);

#endif
