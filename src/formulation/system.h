/* SPDX-License-Identifier: Apache-2.0
 * What all formulations share: one model with its plan, engine and kinematics, and the mechanics that no formulation
 * owns (loads, accelerations, reactions, energy).  A formulation turns this into the rates of a state y. */
#ifndef CLV_FORMULATION_SYSTEM_H
#define CLV_FORMULATION_SYSTEM_H
#include "formulation/across.h"
#include "kinematics/kinematics.h"
#include "kinematics/row_bodies.h"
#include "kinematics/row_trials.h"
#include "kinematics/segment_close.h"
#include "model/force.h"
#include <math.h>

/* Options of augmented Lagrangian forms (T22); NaN, or 0 iterations: the formulation's default. */
typedef struct clv_penalty {
    double alpha, omega, mu; /* in units of the inertia a row moves; 1/s; 1                               */
    bool absolute;           /* alpha in kg, kg m^2                                                       */
    double eps[3];           /* changes of position, velocity, acceleration that end an iteration         */
    int iterations;
} clv_penalty;

/* How the iteration of a stage ended. */
enum { CLV_STAGE_POSITION, CLV_STAGE_VELOCITY, CLV_STAGE_ACCELERATION, CLV_STAGES };
typedef struct clv_stage {
    int iterations;  /* 0: the stage was not run                                                          */
    bool limited;    /* the limit ended it                                                                */
    bool stalled;    /* changes did not become smaller any more, and the last was above the tolerance     */
    double change;   /* the last one                                                                      */
} clv_stage;

/* How a formulation with its time step built in continues (T25, T27). */
typedef struct clv_step_options {
    double alpha;      /* penalty on constraints; 0: none, they are met exactly by every iteration           */
    double rho;        /* spectral radius at infinite frequency, [0, 1]; 1: trapezoidal rule, no damping     */
    double tolerance;  /* |dx| over all coordinates (m, Euler parameters) at which the iteration ends        */
    int iterations;    /* limit                                                                              */
    bool accept;       /* a step that reaches the limit is taken as it is, not refused                       */
    bool warm;         /* with alpha: multipliers start from those of the step before, not from zero         */
    bool still;        /* the iteration starts at the positions of the step before, without predictor        */
    int projections;   /* passes onto velocity and acceleration constraints, >= 1                            */
} clv_step_options;

/* What its steps took. */
typedef struct clv_step_counts {
    long steps, iterations, missed; /* numbers; missed: steps taken at the limit of iterations              */
    int last, most;                 /* iterations of a step                                                  */
    double acceleration;            /* largest violation of acceleration constraints at the last step's end  */
    double most_acceleration;       /* and over all steps                                                    */
} clv_step_counts;

/* What the rows hold after a walk. */
typedef enum clv_walk_solved {
    CLV_WALK_VELOCITIES,      /* hdca                                                                          */
    CLV_WALK_BOTH,            /* hdca: velocities, then accelerations                                          */
    CLV_WALK_ACCELERATIONS    /* dca                                                                           */
} clv_walk_solved;

typedef struct clv_system {
    const clv_model *model;
    const clv_plan *plan;
    clv_engine engine;
    clv_kinematics kin;
    clv_rows rows;
    const clv_plan *tree;  /* of an absolute plan whose steps are made in rows: its spanning tree, else NULL */
    clv_row_trials *trials; /* and the bodies there                                                    */
    clv_row_bodies *bodies; /* or bodies whose joints have compliances; NULL: there are none                */
    bool lean;             /* rates may leave out what they do not need themselves, see clv_walk_view     */
    bool walked;           /* and the last ones did                                                       */
    bool border_only;      /* rows: poses and motions are found of bodies that loops hold, not of all      */
    bool velocities_known; /* rows: their last solve was for velocities, not for accelerations            */
    clv_walk_solved solved; /* rows: what their last solve was for                                        */
    long held;             /* number of the factor of the last walk, 0: rows or loads have changed, see walk.h */
    bool rates_due;        /* u lacks the rates of joints inside strands, which are in the rows            */
    clv_error *error;      /* the owner's record                                                         */
    double *gain[2];       /* (nclosing_row) on position and velocity violation, acceleration forms (1/s^2, 1/s) */
    clv_penalty penalty;   /* as given                                                                   */
    bool project;          /* states are moved onto the constraints after every step                     */
    double size;           /* m, of the model                                                            */
    clv_stage stage[CLV_STAGES]; /* the last iteration of each stage                                     */
    clv_step_options step; /* of formulations with `step`                                                */
    clv_step_counts counts;
    void *private_state;   /* of the formulation                                                         */

    const double *input;   /* (ninput) values of the inputs, the owner's; NULL: those of the start       */
    const double *ramp;    /* (ninput x 2) from where their efforts follow (T120); NULL: at once            */
    const clv_controls *controls; /* the owner's; NULL: none                                             */
    const char *dry;       /* (nforce) the owner's: friction that integrators find as impulses (T158); NULL: none     */
    const clv_load_press *press; /* (npress) the owner's: forces of rigid contacts, for outputs; else none       */
    int npress;
    /* loads at the present state */
    clv_load_frame loads;  /* model order, centres of mass                                               */
    struct clv_sweep *sweep; /* (groups of the model) contacts of many bodies                            */
    double *com_V;         /* (nbody x 6) velocity at the centre of mass                                 */
    double *joint_q, *joint_u, *joint_tau; /* (njoint x 7, 6, 6), or NULL: nothing can act in a joint    */
    int ndirect;           /* loads along joint coordinates, if there are no others (direct_loads.h); else 0 */
    struct clv_direct_load *direct; /* (ndirect)                                                        */
    int nbearing;          /* joints whose friction depends on their reaction (T99)                      */
    double *bearing;       /* (nforce) what presses there now, N or N m; NULL: there is none             */
    int *bearing_force;    /* (nbearing) their loads                                                     */
    double *bearing_work;  /* (6 nbearing (nbearing + 1) + 3 nbearing) reactions and what they change by */
    clv_arena joint_block; /* memory of these, where the first control has brought it                    */
    double *wrench;        /* (nbody x 6) about the centre of mass; becomes Q, shares memory with b and T */
    double *Q;             /* (nbody x 6) loads at the reference points                                  */
    double *tau;           /* (nu) joint loads; modes: gravity, stiffness, damping                       */
    double *damping;       /* (nu) N s/m, N m s: of dampers that a step takes implicitly (T118), or NULL  */
    const double *eased;   /* (nu) rates at the beginning of such a step; NULL: none is under way         */

    /* solutions */
    double *u, *ud;        /* (nu) rates and accelerations of the joints                                 */
    double *x;             /* (nbody x 6) accelerations at the reference points, after accelerate        */
    double *b, *c, *a;     /* right-hand sides (nbody x 6, 6; nclosing_row); b becomes x before T is formed, c W   */
    double *force;         /* (nu) right-hand side of accelerations: tau, for modes minus velocity terms */
    double *modal;         /* (nmode) work                                                               */
    double *lambda;        /* (nsigma) multipliers of the acceleration problem                           */
    double *missed;        /* (nu) rows, hdca: momenta of a state less those of its rates, see walk.h     */
    bool missed_known;
    double *sigma;         /* (nsigma) impulses, hdca                                                    */
    double *T;             /* (nbody x 6) wrench of every inboard tree joint on its child, reference point */
    double *W;             /* (nbody x 6) work; shares memory with c                                     */
    double power;          /* W of all loads without potential, drives and motions included              */
    bool opaque;           /* power unknown                                                              */
    int redundant;         /* directions truncated at least over all closings, 0 unless their data contradict (T40) */
    bool repeated;         /* some rows repeat others at the start                                       */
    int truncated;         /* directions truncated by the last factor                                    */
    bool joint_momenta;    /* hdca: all momenta of the state lie along free directions (variational methods), T9.4 */
    long posed;            /* kin.posed when all bodies were posed and filled last at posed_q; -1: not known        */
    double *posed_q;       /* (nq)                                                                         */
    const clv_across *across; /* of a mechanism that is divided, the owner's; NULL: it is whole              */
    clv_segment_move *beside, *root_move; /* (nsegment) of these, in the order of their steps              */
    clv_segment_ports *ports;
    clv_segment_ends *ends;
    clv_segment_part *part; /* (nsegment) with loops (T160)                                                */
    clv_segment_close *close; /* of the last segment, if it is here and its handle is held to ground; NULL    */
    clv_segment_target target; /* of its rows in solutions for velocities                                */
    double *segment_sum;   /* (nsegment x CLV_ACROSS_SUMS) work                                           */
    double *segment_mass;  /* (nsegment) kg                                                              */
    bool good;             /* nothing has failed here in this walk                                       */
    bool joined;           /* and nowhere until segments were joined                                     */
    bool elsewhere;        /* the last walk failed, and not here                                         */
    clv_error late;        /* what has failed here after that; code CLV_OK: nothing                      */
    bool summed;           /* hdca: p' holds the reactions, sigma stays 0 between re-gauges (T11)         */
} clv_system;

/* What a step is judged by. */
typedef struct clv_energies {
    double kinetic, potential; /* J                                                       */
    double squares;            /* (m/s)^2 + (rad/s)^2, sum over bodies, at reference points */
} clv_energies;

/* A formulation: a row of formulation/table.c.  y = [q (nq); p or u (nu); work (1)]. */
/* What the second half of a state is, behind the coordinates q of the plan. */
typedef enum clv_state_kind {
    CLV_STATE_RATES,    /* u of the tree joints                                                          */
    CLV_STATE_MOMENTA,  /* p of the tree joints; closing impulses make gauges of them (T11)               */
    CLV_STATE_ABSOLUTE, /* u of an absolute plan: every body floats, every joint closes (T22)             */
} clv_state_kind;

/* What states of momenta need beside rates. */
typedef struct clv_momentum_form {
    /* takes off an error estimate e (like y) the momenta that the loops take up, with the factor at hand */
    void (*visible)(clv_system *s, double *e);
    /* moves a stored state of an earlier time into the gauge of the last start */
    clv_status (*regauge)(clv_system *s, double t, double *y, const double *sigma);
} clv_momentum_form;

/* Projections of a formulation's own. */
typedef struct clv_closing_form {
    /* q (nq) at time t moved onto the loops; *moved: largest displacement (m, rad) */
    clv_status (*position)(clv_system *s, double t, double *q, double *moved);
    /* u (nu) at (t, q) moved onto the velocities of the loops; kin is at both then */
    clv_status (*velocity)(clv_system *s, double t, const double *q, double *u);
} clv_closing_form;

/* A rule with its time step built in: y and its rates ydot at t become those at t + h.  The system then belongs to the
 * new state; memory (`memory` numbers, all zero before the first step) is handed on.  On failure y, ydot, memory are
 * as before. */
typedef struct clv_rule_form {
    clv_status (*step)(clv_system *s, double t, double h, double *y, double *ydot, double *memory);
    int (*memory)(const clv_plan *p);
} clv_rule_form;

typedef struct clv_formulation {
    const char *name;
    clv_state_kind state;
    int most;              /* largest number of degrees of freedom and of closing rows; 0: no limit      */
    bool penalty;          /* takes the options of clv_penalty; other formulations refuse them             */
    bool sections;         /* its plan has a part per branch (T28)                                       */
    bool tangents;         /* its plan has rows for springs and dampers (T26)                             */
    bool tree;             /* of an absolute plan: a second plan serves steps in rows (T43.10)            */
    bool compliant;        /* of an absolute plan: a second plan whose joints have a compliance (T23.8)    */
    bool threads;          /* evaluations are shared out (T44)                                            */
    bool lanes;            /* open trees are evaluated in rows (T43)                                      */
    bool carried;          /* loops may be carried by the tree (T101)                                     */
    bool abreast;          /* several mechanisms share lanes (T85)                                        */
    /* memory of its own, or NULL */
    void (*layout)(clv_system *s, clv_arena *a);
    /* y from q and consistent rates u at time t (poses are set inside); keeps the work entry */
    clv_status (*start)(clv_system *s, double t, const double *q, const double *u, double *y);
    /* ydot, and as by-products kin (poses, V, u), loads, sigma */
    clv_status (*rates)(clv_system *s, double t, const double *y, double *ydot);
    /* kin (poses, V, u) alone, with the bits that rates gives them; NULL: rates is called for them */
    clv_status (*velocities)(clv_system *s, double t, const double *y);
    /* x, ud, lambda at the present state (as clv_system_accelerate) by its own means; NULL: clv_system_accelerate.  A
     * formulation that has this leaves no factor in the engine. */
    clv_status (*accelerate)(clv_system *s);
    /* rates du (nu) of least kinetic energy that give the closing rows the values a, by the factor of the last `rates`,
     * if no other was made since: else false.  NULL: that factor is the engine's */
    bool (*correct)(clv_system *s, const double *a, double *du);
    const clv_momentum_form *momenta; /* of CLV_STATE_MOMENTA, else NULL           */
    const clv_closing_form *closing;  /* NULL: the simulation's projections        */
    const clv_rule_form *rule;        /* NULL: an integrator makes steps of `rates` */
} clv_formulation;

clv_status clv_dca_rates(clv_system *s, double t, const double *y, double *ydot);

/* The rates of a formulation, with the friction that reactions of joints cause (T99, bearing.c).  Errors: as those, and
 * CLV_ERR_NO_CONVERGENCE with the name of a joint that jams. */
clv_status clv_system_rates(clv_system *s, const clv_formulation *f, double t, const double *y, double *ydot);
void clv_bearing_layout(clv_system *s, clv_arena *a);
/* What these multipliers press at the poses of the kinematics, where every joint closes: for iterations of index3. */
void clv_bearing_press(clv_system *s, const double *lambda);

const clv_formulation *clv_formulation_find(const char *name); /* NULL if unknown */
const clv_formulation *clv_formulation_at(int i);              /* NULL at the end */

/* walk_across.c: what walks of a divided mechanism exchange; part of the next layout */
void clv_across_layout(clv_system *s, const clv_plan *p, clv_arena *a);
void clv_system_layout(clv_system *s, const clv_model *m, const clv_plan *p, clv_arena *a);
/* Memory for joint_q, joint_u, joint_tau, if it is not there: for controls.  Allocates.  False: out of memory. */
bool clv_system_open_joint_loads(clv_system *s);
/* Gives back what was opened after the layout. */
void clv_system_end(clv_system *s);

/* Are all coordinates q (nq) numbers?  Errors: CLV_ERR_NOT_FINITE, with names and time. */
clv_status clv_system_coordinates(clv_system *s, double t, const double *q);
/* Poses and directions.  Errors: CLV_ERR_NOT_FINITE, with names and time. */
clv_status clv_system_pose(clv_system *s, double t, const double *q);
/* Poses and directions of all bodies at q (nq); nothing is checked. */
void clv_system_pose_all(clv_system *s, double t, const double *q);
/* The same bits, where nobody but rows has moved bodies since all were posed at this q: only the border is posed again,
 * and the edges.  False: that is not so, or motions or modes may have changed poses; nothing has changed then. */
bool clv_system_restore(clv_system *s, double t, const double *q);
/* Poses and directions for those who need no factor: restored, or all anew. */
void clv_system_show(clv_system *s, double t, const double *q);
/* Poses, directions and the factor of the mass problem.  Errors: CLV_ERR_SINGULAR, CLV_ERR_NOT_FINITE, with names and
 * time. */
clv_status clv_system_place(clv_system *s, double t, const double *q);
/* Memory for solutions in model order, where the layout had none: open trees in rows.  Errors: CLV_ERR_MEMORY. */
clv_status clv_system_open(clv_system *s);
/* The factor alone, at the poses and with the eps of the engine.  Errors: as clv_system_place; CLV_ERR_MEMORY where
 * there was no memory for it yet. */
clv_status clv_system_factor(clv_system *s);
/* May anything act in a joint? */
bool clv_system_joint_loads(const clv_system *s);
/* q, u of joints that close loops, as loads look at them; adds the drives of these joints to Q. */
void clv_system_closing_states(clv_system *s);
void clv_system_closing_drives(clv_system *s);
/* The frame of loads as it stands. */
void clv_system_load_frame(clv_system *s);
/* com_V, and what loads look at, from the present poses and V: enough for energies. */
void clv_system_observe(clv_system *s);
/* Loads at the present poses and V (T8): Q, tau, power.  Errors: CLV_ERR_NOT_FINITE with the name of the force. */
clv_status clv_system_loads(clv_system *s);
/* Right-hand sides of accelerations at the present loads and V: b = Q - velocity terms, force (T12, T31). */
void clv_system_right_side(clv_system *s);
/* The model's joint that an edge closes, or NULL. */
/* What row r of an edge is measured by: the given size of the model (m) for lengths, 1 for angles.  Its direction must
 * have been there once. */
double clv_system_row_size(const clv_system *s, int edge, int r, double size);
static inline const clv_joint *clv_system_joint(const clv_system *s, const clv_edge *e)
{
    return e->joint >= 0 ? &s->model->joint[e->joint] : NULL;
}
/* x, or `otherwise` where it is not given (NaN) */
static inline double clv_given(double x, double otherwise) { return isnan(x) ? otherwise : x; }
/* Gains of all closing rows, from those of the simulation (position, velocity) and of the joints (T12). */
void clv_system_gains(clv_system *s, const double baumgarte[2]);
/* Baumgarte: takes the gains times the violations off a, the right-hand side of the closing rows (T12);
 * uses lambda as work. */
void clv_system_stabilize(clv_system *s);
/* Accelerations x, ud and multipliers lambda at the present state (T12); rates of directions and loads must be
 * there. */
void clv_system_accelerate(clv_system *s);
/* Wrenches T of the tree joints from x, lambda (T13). */
void clv_system_reactions(clv_system *s);
/* T (nbody x 6): the wrenches of joints that the accelerations x need, M x + velocity terms - Q (N, N m; global axes,
 * reference points) */
void clv_system_needed(const clv_system *s, double *T);
/* Adds the power of prescribed motions; needs reactions. */
void clv_system_motion_power(clv_system *s);
/* H.Q + Hdot.P + (v x h_w).f of one free direction or mode column (T10) */
double clv_momentum_rate(const double *H, const double *Hd, const double *V, const double *Q, const double *P);
/* Momenta p and their rates (nu) in the gauge of zero closing impulses, at the present state; rates and loads must be
 * there (T10). */
void clv_hdca_momenta(clv_system *s, double *p, double *pdot);
/* qdot (nq) of the joint rates in kin */
void clv_system_qdot(const clv_system *s, double *qdot);
/* J; the same of rigid bodies whose momenta P (nbody x 6, clv_kinematics_momentum) are known */
double clv_system_kinetic(const clv_system *s);
double clv_system_kinetic_of(const clv_system *s, const double *P);
double clv_system_potential(const clv_system *s);
/* flexible.c: what deformation adds to Q, and tau, power of the modes; to kinetic and potential energy (J), T31. */
void clv_flexible_loads(clv_system *s);
double clv_flexible_kinetic(const clv_system *s);
/* The same in rows.  Weights of undeformed frames, added to Q; velocity terms of modes, taken off forces (nu).  Rates
 * (nu) of modal momenta but for tau, and the momenta; not moving: those that arrive alone.  All energies, false: a
 * frame spins too fast. */
void clv_flexible_weights(clv_system *s);
void clv_flexible_forces(clv_system *s, double *force);
void clv_flexible_momentum_rates(clv_system *s, double *pdot);
void clv_flexible_momenta(clv_system *s, bool moving, double *p);
bool clv_flexible_energies(const clv_system *s, clv_energies *e);
double clv_flexible_potential(const clv_system *s);
/* Does a frame spin faster than its linear modes allow?  Errors: CLV_ERR_UNSUPPORTED with body, |w| and limit. */
clv_status clv_flexible_check(clv_system *s);
/* Did the last solve find a motion?  If a load acts where nothing has inertia: CLV_ERR_SINGULAR with body, joint,
 * hint. */
clv_status clv_system_solved(clv_system *s);
/* Can a massless body translate, at the present factor, without any mass moving?  CLV_ERR_SINGULAR with its names; a
 * turn that nothing loads does no harm. */
clv_status clv_system_held(clv_system *s);
/* Is an orientation of the present poses not finite?  The error record then has CLV_ERR_NOT_FINITE with the names. */
bool clv_system_lost(clv_system *s);
/* The factor failed at a body or joint (-1: unknown): CLV_ERR_SINGULAR with names, time and hint. */
clv_status clv_system_singular(clv_system *s, int body, int joint);
/* The same at the body or edge that the engine shows (failed_body, failed_edge). */
clv_status clv_system_unfactored(clv_system *s);
/* CLV_ERR_NOT_FINITE, or what a callback says: the force or control that failed, with its name; CLV_OK: none has. */
clv_status clv_system_loads_failed(clv_system *s);
/* Names body or joint and time in the error record. */
clv_status clv_system_fail(clv_system *s, clv_status code, int body, int joint, const char *what);

#endif
