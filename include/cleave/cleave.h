/* SPDX-License-Identifier: Apache-2.0
 *
 * cleave: dynamics of mechanisms by divide and conquer.  The only public header.
 *
 * Conventions (docs/theory.md, T0): SI units, radians, global axes, spatial vectors linear part first,
 * quaternions w,x,y,z.  Body index -1 (CLV_GROUND) is the ground.  Joint frames coincide at q = 0; the axis is z.
 * Every fallible call returns a clv_status; the owner keeps one clv_error with the place and the reason.
 *
 * Sorted: everyday (model, simulation), tuning (options, results), rarely (topology, version).
 */
#ifndef CLEAVE_CLEAVE_H
#define CLEAVE_CLEAVE_H
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CLV_API __attribute__((visibility("default")))
#else
#define CLV_API
#endif

/* ------------------------------------------------------------------ errors */

/* One list makes the enum and the texts. */
#define CLV_STATUS_LIST(X)                                                            \
    X(CLV_OK, "success")                                                              \
    X(CLV_ERR_USAGE, "wrong use of a function or an option")                          \
    X(CLV_ERR_MODEL, "the model is not valid")                                        \
    X(CLV_ERR_UNSUPPORTED, "this case is not supported")                              \
    X(CLV_ERR_SYNTAX, "the file is not well formed")                                  \
    X(CLV_ERR_SINGULAR, "the equations of motion are singular")                       \
    X(CLV_ERR_NOT_FINITE, "a number is not finite")                                   \
    X(CLV_ERR_STEP_SIZE, "the step size became too small")                            \
    X(CLV_ERR_NO_CONVERGENCE, "an iteration did not converge")                        \
    X(CLV_ERR_INCONSISTENT, "constraints or start values contradict each other")      \
    X(CLV_ERR_MEMORY, "out of memory")                                                \
    X(CLV_ERR_IO, "a file could not be read or written")

typedef enum clv_status {
#define X(code, text) code,
    CLV_STATUS_LIST(X)
#undef X
} clv_status;

/* Where and why something failed.  Empty strings, line 0 and NaN mean "does not apply". */
typedef struct clv_error {
    clv_status code;
    char file[256];    /* model file                                            */
    int line, column;  /* from 1                                                */
    char path[128];    /* path inside the file, as joints.a.axis                */
    char body[64];     /* body concerned                                        */
    char joint[64];    /* joint, force, motion or coupling concerned            */
    double time;       /* s, simulated                                          */
    double value;      /* the number that failed                                */
    char message[384]; /* what, and why                                         */
    char hint[256];    /* what to try                                           */
} clv_error;

/* Text of a status code; never NULL. */
CLV_API const char *clv_status_text(clv_status code);

/* ------------------------------------------------------------------ model */

#define CLV_GROUND (-1)

/* Joint kinds; frames, free directions u and constrained directions as in docs/theory.md T1. */
typedef enum clv_joint_kind {
    CLV_JOINT_FIXED,
    CLV_JOINT_REVOLUTE,    /* q: angle about z                                              */
    CLV_JOINT_PRISMATIC,   /* q: shift along z                                              */
    CLV_JOINT_HELICAL,     /* q: angle about z; shift = pitch * angle                       */
    CLV_JOINT_CYLINDRICAL, /* q: shift along z, angle about z                               */
    CLV_JOINT_UNIVERSAL,   /* q: angle about x of A, then about y of B                      */
    CLV_JOINT_PLANAR,      /* q: x, y, angle about z                                        */
    CLV_JOINT_SPHERICAL,   /* q: quaternion of B in A; u: relative angular velocity, B axes */
    CLV_JOINT_FREE,        /* q: x y z, quaternion; u: velocity in A axes, ang. vel. B axes */
    CLV_JOINT_POINT,       /* constraint only: the two frame origins coincide               */
    CLV_JOINT_DISTANCE,    /* constraint only: the two frame origins keep their distance    */
    CLV_JOINT_KINDS
} clv_joint_kind;

typedef struct clv_model clv_model;

/* What a body looks like: for viewers, and for the inertia of homogeneous bodies; else no part of the dynamics. */
typedef enum clv_shape_kind {
    CLV_SHAPE_NONE,
    CLV_SHAPE_BOX,      /* size: edges along x, y, z                        */
    CLV_SHAPE_SPHERE,   /* size: radius                                     */
    CLV_SHAPE_CYLINDER, /* size: radius, length along z                     */
    CLV_SHAPE_CAPSULE,  /* size: radius, length between the caps, along z   */
    CLV_SHAPE_KINDS
} clv_shape_kind;

typedef struct clv_shape {
    clv_shape_kind kind;
    double size[3];        /* m, > 0 as far as the kind has them            */
    double at[3];          /* m, middle of the shape, body axes             */
    double orientation[4]; /* w x y z, shape to body                        */
    bool coloured;         /* colour below is given; else viewers choose    */
    double colour[3];      /* red, green, blue, 0 to 1                      */
} clv_shape;

/* A rigid body.  Start from clv_body_desc_default(). */
typedef struct clv_body_desc {
    unsigned cookie;
    const char *name;           /* unique; required                                                    */
    double mass;                /* kg, >= 0                                                            */
    double com[3];              /* m, centre of mass in body axes                                      */
    double inertia[6];          /* kg m^2: xx yy zz xy xz yz about the centre of mass, body axes       */
    bool placed;                /* position/orientation below are the start pose                       */
    double position[3];         /* m, body frame origin, global                                        */
    double orientation[4];      /* w x y z, body to global                                             */
    bool moving;                /* velocity/angular_velocity below are the start velocity              */
    double velocity[3];         /* m/s, of the body frame origin, global axes                          */
    double angular_velocity[3]; /* rad/s, global axes                                                  */
    const char *branch;         /* name of the branch this body shall belong to, or NULL               */
    clv_shape shape;            /* kind CLV_SHAPE_NONE: no shape                                       */
} clv_body_desc;

/* A joint or constraint between body a (inboard) and b (outboard).  Start from clv_joint_desc_default(kind). */
typedef struct clv_joint_desc {
    unsigned cookie;
    const char *name; /* unique; required                                                              */
    clv_joint_kind kind;
    int a, b;         /* body indices or CLV_GROUND                                                    */
    bool global;      /* short form: `at`, `axis`, `x_axis` are global, in the reference pose          */
    double at[3];     /* m, joint point (short form); for CLV_JOINT_DISTANCE/POINT: point on a         */
    double at_b[3];   /* m, CLV_JOINT_DISTANCE short form: the point on b                              */
    double axis[3];   /* z axis of the joint frame (short form), any length > 0                        */
    double x_axis[3]; /* direction near x of the joint frame; all zero: chosen                         */
    double position_a[3], orientation_a[4]; /* long form: joint frame in body a axes                   */
    double position_b[3], orientation_b[4]; /* long form: joint frame in body b axes                   */
    double pitch;     /* m/rad, helical only                                                           */
    double distance;  /* m, distance constraint; 0: taken from the start pose                          */
    int cut;          /* 1: close this joint as a loop joint; 0: keep in the tree; -1: free choice     */
    bool has_q, has_u;
    double q[7], u[6]; /* start coordinates and rates, if has_q / has_u                                */
} clv_joint_desc;

/* What a load law depends on.  Values of a table are interpolated linearly, held constant outside. */
typedef struct clv_table {
    int n;               /* points; 0: constant `value`                                                */
    const double *time;  /* s, strictly increasing (n)                                                 */
    const double *value; /* unit of the quantity (n)                                                   */
} clv_table;

typedef enum clv_force_kind {
    CLV_FORCE_POINT,        /* force on body b at a point: vector x table                              */
    CLV_FORCE_TORQUE,       /* torque on body b: vector x table                                        */
    CLV_FORCE_JOINT,        /* spring, damper and drive torque on one joint coordinate                 */
    CLV_FORCE_SPRING,       /* two-point spring-damper between points of a and b                       */
    CLV_FORCE_ANGULAR,      /* damper on the relative angular velocity of a and b                      */
    CLV_FORCE_CALLBACK,     /* user function                                                           */
    CLV_FORCE_KINDS
} clv_force_kind;

/* What a callback sees and fills.  All body arrays have one row per body in the order of adding. */
typedef struct clv_load_view {
    double time;             /* s                                                                      */
    int nbody;
    const double *position;  /* m, centre of mass, global (nbody x 3)                                  */
    const double *rotation;  /* body to global, row major (nbody x 9)                                  */
    const double *velocity;  /* m/s of the centre of mass, then rad/s, global (nbody x 6)              */
    double *wrench;          /* add: N and N m about the centre of mass, global (nbody x 6)            */
} clv_load_view;
typedef int (*clv_load_fn)(void *user, clv_load_view *view); /* nonzero stops the run */

typedef struct clv_force_desc {
    unsigned cookie;
    const char *name;
    clv_force_kind kind;
    int a, b;                 /* bodies or CLV_GROUND (SPRING, ANGULAR: both; POINT, TORQUE: b)         */
    double point_a[3];        /* m, body axes of a                                                     */
    double point_b[3];        /* m, body axes of b                                                     */
    double vector[3];         /* N or N m                                                              */
    bool in_body;             /* vector turns with body b; else global axes                            */
    clv_table table;          /* factor on vector, or drive force/torque of a joint coordinate          */
    int joint, coordinate;    /* JOINT: joint index, free direction (from 0)                           */
    double stiffness;         /* N/m or N m/rad                                                        */
    double damping;           /* N s/m or N m s/rad                                                    */
    double rest;              /* m or rad: free length or rest coordinate                              */
    double drive;             /* N or N m: constant drive, if table.n == 0                             */
    clv_load_fn call;         /* CALLBACK                                                              */
    void *user;
} clv_force_desc;

/* Prescribed motion of a joint with one freedom: q(t) = offset + rate t + amplitude sin(frequency t + phase),
 * or a natural cubic spline through a table. */
typedef struct clv_motion_desc {
    unsigned cookie;
    const char *name;
    int joint;
    double offset, rate;                 /* rad or m, per second; offset NaN: the start coordinate     */
    double amplitude, frequency, phase;  /* rad or m, rad/s, rad                                       */
    clv_table table;                     /* if n > 0: positions, replaces the formula (n >= 3)         */
} clv_motion_desc;

/* q[second] = ratio * q[first] + offset between two one-freedom joints (gear, mimic); offset NaN: from the start */
typedef struct clv_coupling_desc {
    unsigned cookie;
    const char *name;
    int first, second;
    double ratio, offset;
} clv_coupling_desc;

typedef struct clv_marker_desc {
    unsigned cookie;
    const char *name;
    int body;
    double position[3]; /* m, body axes */
} clv_marker_desc;

CLV_API clv_body_desc clv_body_desc_default(void);
CLV_API clv_joint_desc clv_joint_desc_default(clv_joint_kind kind);
CLV_API clv_force_desc clv_force_desc_default(clv_force_kind kind);
CLV_API clv_motion_desc clv_motion_desc_default(void);
CLV_API clv_coupling_desc clv_coupling_desc_default(void);
CLV_API clv_marker_desc clv_marker_desc_default(void);

/* Creates an empty model with gravity (0, 0, -9.81) m/s^2.  Errors: CLV_ERR_MEMORY (*model is NULL). */
CLV_API clv_status clv_model_create(clv_model **model, const char *name);
CLV_API void clv_model_destroy(clv_model *model);
/* The last error of this model; never NULL. */
CLV_API const clv_error *clv_model_error(const clv_model *model);
CLV_API clv_status clv_model_set_gravity(clv_model *model, const double gravity[3]); /* m/s^2, global */
/* Add one item; *index (may be NULL) is its number from 0.  The description is copied.
 * Errors: CLV_ERR_USAGE (description not from its default function), CLV_ERR_MODEL (bad number, unknown or duplicate name),
 * CLV_ERR_MEMORY. */
CLV_API clv_status clv_model_add_body(clv_model *model, int *index, const clv_body_desc *desc);
CLV_API clv_status clv_model_add_joint(clv_model *model, int *index, const clv_joint_desc *desc);
CLV_API clv_status clv_model_add_force(clv_model *model, int *index, const clv_force_desc *desc);
CLV_API clv_status clv_model_add_motion(clv_model *model, int *index, const clv_motion_desc *desc);
CLV_API clv_status clv_model_add_coupling(clv_model *model, int *index, const clv_coupling_desc *desc);
CLV_API clv_status clv_model_add_marker(clv_model *model, int *index, const clv_marker_desc *desc);
/* Resolves short forms to body frames, checks every rule, and freezes the model. */
CLV_API clv_status clv_model_finish(clv_model *model);
/* Reads a YAML model file.  On failure *model is still created and carries the errors: clv_model_error_count/at. */
CLV_API clv_status clv_model_read(clv_model **model, const char *path);
CLV_API clv_status clv_model_read_text(clv_model **model, const char *text, size_t size, const char *file_name);
CLV_API int clv_model_error_count(const clv_model *model);                     /* all errors found, in file order */
CLV_API const clv_error *clv_model_error_at(const clv_model *model, int i);
/* A built-in example by name (clv_example_name(i), NULL at the end) with `key=value` parameters (may be NULL, 0). */
CLV_API const char *clv_example_name(int i);
CLV_API const char *clv_example_text(int i); /* one line: what it is and its parameters */
CLV_API clv_status clv_example_create(clv_model **model, const char *name, const char *const *params, int nparam);
/* Numbers and names: "bodies joints forces motions couplings markers". Names are valid until destroy; -1 / NULL if absent. */
CLV_API const char *clv_model_name(const clv_model *model);
CLV_API int clv_model_body_count(const clv_model *model);
CLV_API int clv_model_joint_count(const clv_model *model);
CLV_API int clv_model_marker_count(const clv_model *model);
CLV_API const char *clv_model_body_name(const clv_model *model, int body);
CLV_API const char *clv_model_joint_name(const clv_model *model, int joint);
CLV_API const char *clv_model_marker_name(const clv_model *model, int marker);
CLV_API int clv_model_find_body(const clv_model *model, const char *name);
CLV_API int clv_model_find_joint(const clv_model *model, const char *name);
/* Shape of a body (kind CLV_SHAPE_NONE if it has none); NULL if there is no such body. */
CLV_API const clv_shape *clv_model_body_shape(const clv_model *model, int body);
/* Inertia (xx yy zz xy xz yz, kg m^2) of a homogeneous shape of that mass (kg) about its middle, body axes. */
CLV_API void clv_shape_inertia(double inertia[6], const clv_shape *shape, double mass);

/* ------------------------------------------------------------------ simulation */

typedef struct clv_sim clv_sim;

/* Options; unit, default and range of each. */
typedef struct clv_sim_options {
    unsigned cookie;
    const char *formulation; /* "hdca" (default), "dca", "massmatrix"                                      */
    const char *integrator;  /* "dopri5" (default), "bs23", "dop853", "rk4", "adams"                       */
    double rtol;             /* 1e-6, in (0, 1)                                                            */
    double atol;             /* NaN (default): as rtol; > 0; scaled per state unless `plain_tolerance`     */
    double step;             /* s: fixed step if > 0 (rk4 needs it); 0 (default): adaptive                  */
    double max_step;         /* s: 0 (default): no bound                                                   */
    double rank;             /* 1e-8: relative threshold of rank decisions, in (0, 1e-2]                   */
    int project;             /* 1 (default): project position (and dca: velocity) after every accepted step; 0: never */
    int regauge;             /* 1 (default): hdca re-gauge after every accepted step; 0: never             */
    bool plain_tolerance;    /* false: p and u tolerances scaled by typical inertia; true: one for all     */
    double baumgarte[2];     /* dca: gains on position (1/s^2) and velocity (1/s) violation; 0, 0          */
    double start_tolerance;  /* m or rad: how far assembly may move a start that does not close; < 0 (default): any,
                                the report says how far it moved                                            */
    int threads;             /* 1                                                                          */
} clv_sim_options;
CLV_API clv_sim_options clv_sim_options_default(void);

/* Plans and allocates once, assembles the start.  The model must be finished, must outlive the sim and is never written.
 * On failure *sim carries clv_sim_error (it is NULL only when out of memory); destroy it as usual. */
CLV_API clv_status clv_sim_create(clv_sim **sim, const clv_model *model, const clv_sim_options *options);
CLV_API void clv_sim_destroy(clv_sim *sim);
CLV_API const clv_error *clv_sim_error(const clv_sim *sim);
/* Bounds the steps: the run ends exactly at `end` (s).  Without it adaptive methods step beyond an output and interpolate. */
CLV_API clv_status clv_sim_set_end(clv_sim *sim, double end);
/* Advances to `time` (s, >= current).  Adaptive methods step freely and interpolate (then close loops again, if `project`); the
 * simulation's own state stays at its last accepted step >= time.  Errors: CLV_ERR_STEP_SIZE, CLV_ERR_NOT_FINITE, CLV_ERR_SINGULAR; the last
 * good state stays readable. Allocates nothing. */
CLV_API clv_status clv_sim_advance(clv_sim *sim, double time);
/* At most one accepted step towards `time` (s): none if the last one has reached it.  The output state stays where it is until
 * clv_sim_advance(sim, time), which then has nothing left to do but to interpolate: for progress, checkpoints and pauses between two
 * outputs, with the same bits as clv_sim_advance alone.  Errors: as clv_sim_advance. Allocates nothing. */
CLV_API clv_status clv_sim_step(clv_sim *sim, double time);
/* Recomputes accelerations, reactions and momentum rates at the current output state. Allocates nothing. */
CLV_API clv_status clv_sim_evaluate(clv_sim *sim);
/* One right-hand side of the chosen formulation at the last accepted state, for timing. Allocates nothing. */
CLV_API clv_status clv_sim_rates_once(clv_sim *sim);
CLV_API double clv_sim_time(const clv_sim *sim); /* s, of the output state below */

/* Views at the output time, valid until the next call on sim. Body rows in the order of adding. */
CLV_API const double *clv_sim_position(const clv_sim *sim);         /* m, centre of mass, global (nbody x 3)    */
CLV_API const double *clv_sim_quaternion(const clv_sim *sim);       /* w x y z, body to global (nbody x 4)      */
CLV_API const double *clv_sim_velocity(const clv_sim *sim);         /* m/s centre of mass; rad/s; global (nbody x 6) */
CLV_API const double *clv_sim_acceleration(const clv_sim *sim);     /* after evaluate: m/s^2; rad/s^2 (nbody x 6) */
CLV_API const double *clv_sim_marker(const clv_sim *sim);           /* m; m/s (nmarker x 6)                     */
CLV_API void clv_sim_energy(const clv_sim *sim, double *kinetic, double *potential, double *work); /* J            */
/* Largest gap of the loops and its speed at the output state: m or rad, m/s or rad/s; 0 without loops. */
CLV_API void clv_sim_violation(const clv_sim *sim, double *position, double *velocity);

/* One joint at the output state; after clv_sim_evaluate. */
typedef struct clv_joint_result {
    int nq, nu;          /* coordinates and free directions; 0 and 0 for constraints                                  */
    bool tree;           /* carries state; else a closing joint: q, u measured from the poses, p, pdot NaN            */
    double q[7], u[6], udot[6], p[6], pdot[6];
    double force[3], torque[3];             /* N, N m: constraint part on B at B's joint point, global axes            */
    double drive_force[3], drive_torque[3]; /* drive, spring, damper, motion part                                      */
    bool unique[6];                         /* per component of force, torque: determined by the motion?               */
} clv_joint_result;
CLV_API clv_status clv_sim_joint(clv_sim *sim, int joint, clv_joint_result *result);

/* What the run has done so far. */
typedef struct clv_sim_report {
    const char *formulation, *integrator;
    int bodies, joints, loops;
    int mobility_counted;        /* freedoms by counting rows                                                        */
    int mobility_found;          /* freedoms by rank at the start                                                    */
    int redundant_constraints;   /* rows without effect at the start                                                 */
    double time;                 /* s, end of the last accepted step                                                  */
    long steps, rejected_steps, rate_evaluations;
    double energy_initial, energy; /* J                                                                              */
    double max_energy_drift;     /* J; NaN with opaque callbacks                                                     */
    double max_position_violation, max_velocity_violation; /* m or rad (per s), largest over accepted steps          */
    double max_velocity_violation_full; /* the same over steps where no direction was truncated                       */
    long truncated_evaluations;  /* evaluations in which the rank fell below the rank at the start                    */
    double min_pivot;            /* smallest scaled pivot accepted                                                    */
    double rank;                 /* threshold of rank decisions in use: the option, or less for a weak start          */
    double start_moved;          /* m or rad: how far assembly moved the start                                        */
    double start_velocity_moved; /* m/s or rad/s                                                                     */
    double max_sigma;            /* N s or N m s: largest closing impulse (hdca)                                      */
} clv_sim_report;
CLV_API void clv_sim_summary(const clv_sim *sim, clv_sim_report *report);
/* Checkpoints.  `save` writes all that the future depends on (state, step size, histories, rank decisions, accounts of the report,
 * output state) as clv_sim_saved_size bytes of this machine; a simulation that loads them goes on with the same bits.  `load` wants a
 * simulation just created from the same model with the same formulation, integrator, tolerances and steps; threads may differ, and
 * clv_sim_set_end is called anew.  Errors: CLV_ERR_USAGE (bytes of another model, other options or another version, damaged bytes); the
 * simulation is then as before.  Neither allocates. */
CLV_API size_t clv_sim_saved_size(const clv_sim *sim);
CLV_API void clv_sim_save(const clv_sim *sim, void *bytes);
CLV_API clv_status clv_sim_load(clv_sim *sim, const void *bytes, size_t size);
/* Is `joint` in a redundant set at the start state?  (its constraint forces are not all unique) */
CLV_API bool clv_sim_joint_redundant(const clv_sim *sim, int joint);

/* ------------------------------------------------------------------ rarely */

/* The plan in numbers, for `cleave check` and tests. */
typedef struct clv_plan_report {
    int bodies, tree_joints, closing_joints, loops;
    int limbs, branches, leaves, nodes, depth, max_ports, groups;
    long long hash; /* of the whole plan: equal plans have equal hashes */
} clv_plan_report;
CLV_API void clv_sim_plan(const clv_sim *sim, clv_plan_report *report);

/* Where the library takes its memory from; all three functions are needed, and may be called from any thread. */
typedef struct clv_allocator {
    void *(*allocate)(void *user, size_t alignment, size_t size); /* size bytes, size > 0, alignment a power of two up to 64,
                                                                     NULL: none left                                  */
    void *(*resize)(void *user, void *block, size_t size);        /* as realloc: block may be NULL; NULL leaves it alone;
                                                                     only for blocks of plain alignment (max_align_t) */
    void (*release)(void *user, void *block);                     /* block is not NULL                                */
    void *user;                                                   /* handed to the three functions                    */
} clv_allocator;
/* Sets the allocator of this process; NULL: the C library's, the default.  The description is copied.  Call it before anything
 * else: CLV_ERR_USAGE, and nothing changes, while a model or simulation exists or if a function is missing.  It must not
 * run at the same time as another call of the library.  libyaml, which reads model files, always uses the C library's. */
CLV_API clv_status clv_allocator_set(const clv_allocator *allocator);
CLV_API const char *clv_version(void);

#ifdef __cplusplus
}
#endif
#endif
