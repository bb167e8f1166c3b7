/* SPDX-License-Identifier: Apache-2.0
 *
 * cleave: dynamics of mechanisms by divide and conquer.  The only public header.
 *
 * Conventions (docs/theory.md, T0): SI units, radians, global axes, spatial vectors linear part first,
 * quaternions w,x,y,z.  Body index -1 (CLV_GROUND) is the ground.  Joint frames coincide at q = 0; the axis is z.
 * Every fallible call returns a clv_status; the owner keeps one clv_error with the place and the reason.
 * Pointers.  A NULL object, description, text or result pointer never crashes.  Calls that return a status return
 * CLV_ERR_USAGE.  The others do nothing, or return NULL, 0, false, NaN or -1, and fill their results with zeros
 * (lengths, energies and violations with NaN).  The same holds for a simulation whose creation failed: only
 * clv_sim_error, which keeps the reason, and clv_sim_destroy work.  Where NULL has a meaning, the function states it.
 * The library cannot check other pointers: they must point to a living object of the length that the call states.
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
    X(CLV_ERR_USAGE, "usage error: a call or an option is not valid")                 \
    X(CLV_ERR_MODEL, "the model is not valid")                                        \
    X(CLV_ERR_UNSUPPORTED, "this case is not supported")                              \
    X(CLV_ERR_SYNTAX, "the file is not well formed")                                  \
    X(CLV_ERR_SINGULAR, "the equations of motion are singular")                       \
    X(CLV_ERR_NOT_FINITE, "a number is not finite")                                   \
    X(CLV_ERR_STEP_SIZE, "the step size became too small")                            \
    X(CLV_ERR_NO_CONVERGENCE, "an iteration did not converge")                        \
    X(CLV_ERR_INCONSISTENT, "constraints or start values contradict each other")      \
    X(CLV_ERR_MEMORY, "out of memory")                                                \
    X(CLV_ERR_IO, "a file could not be read or written")                              \
    X(CLV_STOPPED, "an event of the model has ended the run")

typedef enum clv_status {
#define X(code, text) code,
    CLV_STATUS_LIST(X)
#undef X
} clv_status;

/* Where and why something failed.  Empty strings, line 0 and NaN mean "does not apply". */
typedef struct clv_error {
    clv_status code;   /* CLV_OK: no error                                      */
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

/* Text of a status code, as in CLV_STATUS_LIST; never NULL, also for unknown codes. */
CLV_API const char *clv_status_text(clv_status code);

/* ------------------------------------------------------------------ model */

#define CLV_GROUND (-1)

/* Joint kinds; frames, free directions u and constrained directions as in docs/theory.md T1. */
typedef enum clv_joint_kind {
    CLV_JOINT_FIXED,
    CLV_JOINT_REVOLUTE,    /* q: angle about z                                              */
    CLV_JOINT_PRISMATIC,   /* q: translation along z                                        */
    CLV_JOINT_HELICAL,     /* q: angle about z; translation = pitch * angle                 */
    CLV_JOINT_CYLINDRICAL, /* q: translation along z, angle about z                         */
    CLV_JOINT_UNIVERSAL,   /* q: angle about x of A, then about y of B                      */
    CLV_JOINT_PLANAR,      /* q: x, y, angle about z                                        */
    CLV_JOINT_SPHERICAL,   /* q: quaternion of B in A; u: relative angular velocity, B axes */
    CLV_JOINT_FREE,        /* q: x y z, quaternion; u: velocity in A axes, ang. vel. B axes */
    CLV_JOINT_POINT,       /* constraint only: the two frame origins coincide               */
    CLV_JOINT_DISTANCE,    /* constraint only: the two frame origins keep their distance    */
    /* Constraints on velocities (T68); for rolling a carries a plane: its frame's origin, normal z; long form only. */
    CLV_JOINT_ROLLING_DISC,   /* a disc of b, axis z, middle at its frame's origin, touches the plane without slip */
    CLV_JOINT_ROLLING_SPHERE, /* the same of a sphere                                        */
    CLV_JOINT_KNIFE_EDGE,  /* the frame origin of b has no velocity along z of b, seen from a */
    CLV_JOINT_POINT_ON_CURVE, /* constraint only: the origin of b keeps to a curve in the frame of a     */
    CLV_JOINT_KINDS
} clv_joint_kind;

typedef struct clv_model clv_model;

/* What a body looks like: for viewers, for the inertia of homogeneous bodies, and where contacts touch (T61); else no
 * part of the dynamics. */
typedef enum clv_shape_kind {
    CLV_SHAPE_NONE,
    CLV_SHAPE_BOX,      /* size: edges along x, y, z                        */
    CLV_SHAPE_SPHERE,   /* size: radius                                     */
    CLV_SHAPE_CYLINDER, /* size: radius, length along z                     */
    CLV_SHAPE_CAPSULE,  /* size: radius, length between the caps, along z   */
    CLV_SHAPE_MESH,     /* no size: the convex hull of `point` (T116)       */
    CLV_SHAPE_BORE,     /* size: inner and outer radius, length of the hole, along z; contacts are inside it (T147) */
    CLV_SHAPE_KINDS
} clv_shape_kind;

/* The shape of a body.  Start from clv_body_desc_default().shape. */
typedef struct clv_shape {
    clv_shape_kind kind;   /* decides how many sizes count                  */
    double size[3];        /* m, > 0 as far as the kind has them            */
    double at[3];          /* m, middle of the shape, of a mesh its origin; body axes */
    double orientation[4]; /* w x y z, shape to body                        */
    int npoint;            /* MESH: at least 4                              */
    const double *point;   /* MESH: (npoint x 3) m, shape axes, not all in a plane; copied */
    int closed;            /* BORE: ends with a bottom as thick as the wall; 0 none, 1 the one at -z, 2 at z, 3 both */
    bool coloured;         /* colour below is given; else viewers choose    */
    double colour[3];      /* red, green, blue, 0 to 1                      */
} clv_shape;

/* A rigid body.  Start from clv_body_desc_default(). */
typedef struct clv_body_desc {
    unsigned cookie; /* set by the default function */
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
    unsigned cookie; /* set by the default function */
    const char *name; /* unique; required                                                              */
    clv_joint_kind kind; /* T1 */
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
    double radius;    /* m, > 0, of a rolling disc or sphere only                                      */
    int ncurve;       /* points of the curve of a point-on-curve, at least 2; closed: 3                 */
    const double *curve; /* (ncurve x 3) m, frame a; a cubic spline through them; copied (T121)         */
    bool curve_closed; /* from the last point back to the first                                        */
    /* kg m^2 or kg along each rate, >= 0: inertia of rotors of drives, reflected to the joint (T113).  Joints of up to
     * three degrees of freedom with rates; of a spherical joint three equal numbers. */
    double armature[3];
    int cut;          /* 1: close this joint as a loop joint; 0: keep in the tree; -1: free choice     */
    bool has_q, has_u; /* are q, u below given?                                                        */
    double q[7], u[6]; /* start coordinates and rates as of the kind: m, rad, m/s, rad/s (T1)           */
    /* How this joint's constraint is held, in place of the options of the simulation of the same names and in their
     * units; NaN (default): as those say.  Formulations without the option, and joints of the tree, do not use them. */
    double baumgarte[2]; /* gains on position (1/s^2) and velocity (1/s) violation, in [0, 1e12] (T12)       */
    double alpha;     /* penalty on its rows, in [1e-6, 1e15] (T23, T27)                                     */
    double omega, mu; /* frequency (1/s) and damping ratio by which violations decay, in [0, 1e6] (T23)      */
} clv_joint_desc;

/* What a load law depends on.  Values of a table are interpolated linearly, held constant outside.  Both arrays have at
 * least n numbers: the library cannot check that. */
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
    CLV_FORCE_BUSHING,      /* stiffness and damping along and about three axes between a and b        */
    CLV_FORCE_CONTACT,      /* contact of the shapes of a and b, or of a plane of the ground and b         */
    CLV_FORCE_TENDON,       /* rope over points of bodies, or a sum of joint coordinates (T114)             */
    CLV_FORCE_DRAG,         /* drag of a fluid on body b (T115)                                             */
    CLV_FORCE_CONTACTS,     /* contact of many bodies, and of a plane with each of them                     */
    CLV_FORCE_KINDS
} clv_force_kind;

/* What an input of a model acts on. */
typedef enum clv_input_kind {
    CLV_INPUT_JOINT,        /* actuator: force or torque on one joint coordinate, N or N m; positive along u   */
    CLV_INPUT_FORCE,        /* force value x vector on a body at a point, N                                    */
    CLV_INPUT_TORQUE,       /* torque value x vector on a body, N m                                            */
    CLV_INPUT_MOTION,       /* acceleration added to a prescribed motion, m/s^2 or rad/s^2                     */
    CLV_INPUT_NUMBER,       /* a number for callbacks                                                          */
    CLV_INPUT_TENDON,       /* force along the length of a tendon, N or N m; positive lengthens it             */
    CLV_INPUT_FLUID,        /* velocity of the fluid of a drag: value x vector is added, m/s                   */
    CLV_INPUT_KINDS
} clv_input_kind;

/* An input (T8): a number that the caller sets between two steps and that is constant in between.  Start from
 * clv_input_desc_default(kind). */
typedef struct clv_input_desc {
    unsigned cookie; /* set by the default function */
    const char *name;         /* unique; required                                                      */
    clv_input_kind kind;      /* decides which of the fields below count                               */
    int joint, coordinate;    /* JOINT: joint index, free direction (from 0)                           */
    int body;                 /* FORCE, TORQUE                                                         */
    double point[3];          /* FORCE: m, point of attack, body axes                                  */
    double vector[3];         /* FORCE, TORQUE: per unit of the input                                  */
    bool in_body;             /* vector turns with the body; else global axes                          */
    int motion;               /* MOTION: index of the motion                                           */
    int force;                /* TENDON, FLUID: index of that load; FLUID: vector in global axes       */
    double value;             /* at the start; within the limits                                       */
    double limit[2];          /* least and largest value: what is set beyond is cut; -inf, inf: none   */
    double rate_limit;        /* JOINT: N/s, N m/s, how fast the effort follows what is set; 0: at once  */
    double stall_effort;      /* JOINT: N, N m, largest effort at rest and against the motion; 0: none */
    double no_load_speed;     /* JOINT: m/s, rad/s, where nothing of it is left along the motion (T120) */
} clv_input_desc;

/* What an event waits for (T60). */
typedef enum clv_condition {
    CLV_WHEN_COORDINATE, /* of `joint`, m or rad                                                    */
    CLV_WHEN_RATE,       /* of `joint`, m/s or rad/s                                                */
    CLV_WHEN_DISTANCE,   /* between the two markers, m                                              */
    CLV_WHEN_FORCE,      /* size of the constraint force of `joint`, N                              */
    CLV_WHEN_TORQUE,     /* size of its constraint torque about its point, N m                      */
    CLV_WHEN_EFFORT,     /* what drives `joint`, N or N m along its rate                            */
    CLV_WHEN_KINDS
} clv_condition;

/* What an event does (T60, T95). */
typedef enum clv_action {
    CLV_ACTION_LOCK,    /* `lock` keeps the coordinate that it has then                                 */
    CLV_ACTION_RELEASE, /* takes back the lock or the attachment of event `release`, or opens that joint */
    CLV_ACTION_ATTACH,  /* joins the bodies a and b where they are then                                 */
    CLV_ACTION_STOP,    /* ends the run: CLV_STOPPED                                                    */
    CLV_ACTIONS
} clv_action;

/* An event in mid-run (T60, T95): at a time, or when a quantity rises or falls to a value.  Joints of locks, and of
 * conditions but for force and torque, have one degree of freedom.  An attachment adds a joint to the model, which
 * bears the name of the event; its q and u are NaN while it is not there.  Start from clv_event_desc_default(). */
typedef struct clv_event_desc {
    unsigned cookie; /* set by the default function */
    const char *name;         /* unique; required                                                      */
    clv_condition condition;  /* what is waited for, if there are a joint or markers                   */
    int joint;                /* whose coordinate or rate it is; -1: none                              */
    int marker[2];            /* whose distance it is; -1: none                                        */
    bool below;               /* it falls to `value`; default: it rises to it                          */
    double value;             /* m, rad, m/s, rad/s, N, N m                                            */
    double time;              /* s, > 0; if there is no condition: neither joint nor markers           */
    bool again;               /* happens at every crossing; default: at the first alone                */
    clv_action action;        /* decides which of the fields below count                               */
    int lock;                 /* LOCK: the joint                                                       */
    const char *release;      /* RELEASE: name of an event that locks or attaches, or of a joint       */
    clv_joint_kind kind;      /* ATTACH: fixed (default), revolute, prismatic, cylindrical, universal, */
    int a, b;                 /*         planar, spherical or point; bodies, a or b may be CLV_GROUND  */
    double position[3];       /*         m, joint point in the axes of a                               */
    double axis[3];           /*         joint axis in the axes of a; default z                        */
} clv_event_desc;

/* What a callback sees and fills.  All body arrays have one row per body in the order of adding. */
typedef struct clv_load_view {
    double time;             /* s                                                                      */
    int nbody;               /* bodies, without the ground                                             */
    const double *position;  /* m, centre of mass, global (nbody x 3); flexible bodies: where it would be without
                                deformation, a point of the frame (also for velocity and wrench)       */
    const double *rotation;  /* body to global, row major (nbody x 9)                                  */
    const double *velocity;  /* m/s of the centre of mass, then rad/s, global (nbody x 6)              */
    double *wrench;          /* add: N and N m about the centre of mass, global (nbody x 6)            */
    int ninput;              /* inputs of the model                                                    */
    const double *input;     /* their values (ninput)                                                  */
} clv_load_view;
/* A load as a function of the view.  It must be a function of time and state alone, and smooth between two times
 * requested from clv_sim_advance. A step evaluates it at several times and states, out of order, and may be repeated.
 * Other data that it reads (a set point, a measured value, its own memory) may change at output times only.
 * clv_sim_set_input or clv_sim_changed must announce the change: methods reuse right-hand sides of past steps.
 * A nonzero return value stops the run: CLV_ERR_NOT_FINITE; the message contains the number.  Functions that change
 * the running simulation (clv_sim_destroy too) must not be called from here: they do nothing and return
 * CLV_ERR_USAGE, and the running call returns it in the end. */
typedef int (*clv_load_fn)(void *user, clv_load_view *view);

/* Dry friction along a joint coordinate with a given normal force (T46), regularized by a smooth law:
 * -(sliding + (breakaway - sliding) exp(-(u / stribeck_speed)^2)) tanh(u / stiction_speed). */
typedef struct clv_friction {
    double sliding;        /* N or N m, >= 0: friction far above the Stribeck speed; 0 with breakaway 0: none       */
    double breakaway;      /* N or N m: friction at the onset of motion, >= sliding; NaN (default): as sliding      */
    double stribeck_speed; /* m/s or rad/s, > 0: speed over which breakaway falls to sliding; default 0.1           */
    double stiction_speed; /* m/s or rad/s, > 0: under a load below friction a joint creeps, below about this speed;
                              default 0.01                                                                          */
} clv_friction;

/* Dry friction by the reaction of the joint itself (T99): the sliding and breakaway friction of clv_friction grow by a
 * coefficient times what the reaction presses.  In a revolute joint that is radius (N1 + N2) + collar |axial force|, in
 * N m; in a prismatic one N1 + N2 + |moment about the axis| / radius, in N.  N1 and N2 are the normal forces of two
 * bearings `span` apart, in whose middle the joint point lies: they carry the force and the moment across the axis. */
typedef struct clv_bearing {
    double coefficient;        /* when sliding, >= 0; 0 (default): none                                             */
    double static_coefficient; /* at the onset of motion, >= coefficient; NaN (default): as coefficient             */
    double radius;             /* m, of the pin: required in revolute joints; prismatic: arm of the guide, 0: none  */
    double collar;             /* m, mean radius of the collar that takes axial force; 0 (default): none            */
    double span;               /* m, distance of the bearings; 0 (default): moments across the axis do not count    */
} clv_bearing;

/* Soft end stops of a joint coordinate (T47), or of the distance of two points (T52).  With the penetration d > 0
 * beyond a limit, and its rate d', the stop pushes back by stiffness d^exponent max(0, 1 + dissipation d').
 * It acts one way only.  Rigid end stops of a joint coordinate (T157) have a restitution in place of the stiffness:
 * integrator moreau finds their impulses. */
typedef struct clv_stop {
    double lower, upper; /* m or rad: limits of the coordinate, lower < upper; -inf, inf (default): none             */
    double stiffness;    /* N/m^exponent or N m/rad^exponent, > 0 where there is a limit that is not rigid           */
    double dissipation;  /* s/m or s/rad, >= 0: loss of energy (Hunt and Crossley); default 0                        */
    double exponent;     /* in [1, 10]; default 1; 1.5: Hertz                                                        */
    double restitution;  /* in [0, 1]: rigid stops, rate of rebound over that of approach; NaN (default): soft       */
} clv_stop;

/* Bushing between two bodies (T51): along and about its axes, which are those of body a turned by orientation_a.  The
 * displacement is that of point_b from point_a, the turn is the rotation vector of b's axes, less than pi in size. */
typedef struct clv_bushing {
    double orientation_a[4], orientation_b[4]; /* its axes in those of a and b, quaternions w x y z; default: same */
    double stiffness[6]; /* N/m and N m/rad along and about x, y, z, >= 0                                           */
    double damping[6];   /* N s/m and N m s/rad, >= 0                                                               */
    double preload[6];   /* N and N m on b without displacement, in its axes                                        */
} clv_bushing;

/* Contact (T61) of the shapes of bodies a and b, or of a plane of the ground (a or b is CLV_GROUND) and a
 * body.  With the depth d > 0 and its rate d': normal force stiffness d^exponent max(0, 1 + 3/2 dissipation d'), times
 * a friction coefficient that grows with the slip up to static_friction at transition_speed.
 * With a restitution the contact is rigid (T62): impulses with a Coulomb cone, by integrator moreau; stiffness,
 * dissipation and viscous_friction are 0 then, and static and dynamic friction equal. */
typedef struct clv_contact {
    double point[3], normal[3]; /* of the plane: m, a point; outward normal of any length; global; default: none */
    double stiffness;           /* N/m^exponent, > 0                                                                */
    double exponent;            /* in [1, 10]; default 1.5: Hertz                                                   */
    double dissipation;         /* s/m, >= 0: loss of energy (Hunt and Crossley); default 0                         */
    double static_friction;     /* >= dynamic_friction: coefficient at transition_speed; NaN (default): as dynamic  */
    double dynamic_friction;    /* >= 0: far above it; NaN (default): as static; both NaN: no friction              */
    double viscous_friction;    /* s/m, >= 0: coefficient per slip; default 0                                       */
    double transition_speed;    /* m/s, > 0: below it bodies creep; default 0.01                                    */
    double restitution;         /* 0 to 1: rebound speed over that of approach; NaN (default): compliant            */
} clv_contact;

/* One joint of a sum: factor (not 0) times its coordinate (m or rad). */
typedef struct clv_coupling_term {
    int joint;     /* index of a joint with one degree of freedom */
    double factor; /* not 0                                       */
} clv_coupling_term;

/* A point of a tendon. */
typedef struct clv_path_point {
    int body;           /* or CLV_GROUND                 */
    double position[3]; /* m, body axes; ground: global  */
} clv_path_point;

/* Axes along which a drag acts. */
typedef enum clv_drag_frame {
    CLV_DRAG_FLOW,   /* along v; coefficients of the first axis count       */
    CLV_DRAG_BODY,   /* along the axes of the body, one by one (|v_i| v_i)  */
    CLV_DRAG_GLOBAL, /* the same along global axes                          */
    CLV_DRAG_FRAMES
} clv_drag_frame;
/* Drag of a fluid (T115), v of `point_b` against it: force -(linear v + quadratic |v| v), torque alike with w. */
typedef struct clv_drag {
    clv_drag_frame frame; /* axes along which it acts                                                               */
    double linear[6];    /* N s/m and N m s/rad, >= 0, along and about x, y, z                                      */
    double quadratic[6]; /* N s^2/m^2 and N m s^2/rad^2, >= 0; of a body: density x area x drag coefficient / 2     */
    double fluid[3];     /* m/s, velocity of the fluid, global axes; inputs are added                               */
} clv_drag;

/* The shape `number` of clv_model_add_shape in the lists of a clv_contact_group. */
#define CLV_SHAPE_NUMBER(number) (-2 - (number))
/* Which bodies touch in a force of kind CONTACTS (T105): each of the first list with each of the second, and all with a
 * plane if the contact has a normal.  A body stands for its shape and those added to it; CLV_SHAPE_NUMBER is one added
 * shape.  A pair that is also a force of kind CONTACT, or of another CONTACTS added before,
 * is left out here.  Bodies that fixed joints hold together do not touch. */
typedef struct clv_contact_group {
    int nfirst, nsecond, nexcept; /* lengths of the lists below                                                   */
    const int *first;           /* (nfirst) bodies with shapes, or shapes; none (default): all that there are       */
    const int *second;          /* (nsecond) the same; none (default): those of the first list                      */
    const int *except;          /* (nexcept x 2) pairs of bodies or shapes that do not touch                        */
    bool neighbours;            /* bodies that a joint connects touch, too; default: they do not                    */
    bool plane_only;            /* they touch the plane and not each other                                          */
    int most;                   /* points in contact that there is room for; 0 (default): 16 a body and 64          */
} clv_contact_group;

/* A load (T8).  Start from clv_force_desc_default(kind). */
typedef struct clv_force_desc {
    unsigned cookie; /* set by the default function */
    const char *name;         /* unique; required                                                      */
    clv_force_kind kind;      /* decides which of the fields below count                               */
    int a, b;                 /* bodies or CLV_GROUND (POINT, TORQUE: b; other kinds between bodies: both) */
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
    clv_friction friction;    /* JOINT: dry friction                                                   */
    clv_bearing bearing;      /* JOINT, revolute and prismatic: friction by its own reaction           */
    clv_table spring, damper; /* JOINT: N or N m by q - rest (`time`: m, rad) and by u (m/s, rad/s), against them    */
    double limit;             /* JOINT: largest |spring + damper + drive|, N or N m; 0 (default): none */
    clv_stop stop;            /* JOINT: end stops; SPRING, TENDON: of the length (upper: rope, lower: bumper) */
    clv_bushing bushing;      /* BUSHING                                                               */
    clv_contact contact;      /* CONTACT, CONTACTS                                                     */
    int npoint;               /* TENDON: 2 to 32 points, or 0: a sum of coordinates                    */
    const clv_path_point *path; /* (npoint)                                                            */
    int nterm;                /* TENDON: 1 to 32 joints, or 0                                          */
    const clv_coupling_term *term; /* (nterm)                                                          */
    clv_drag drag;            /* DRAG                                                                  */
    clv_contact_group group;  /* CONTACTS                                                              */
    clv_load_fn call;         /* CALLBACK                                                              */
    void *user;               /* handed to call                                                        */
} clv_force_desc;

/* How a motion goes from row to row of its table (T7).  Outside the table it holds the first or last row.  Where its
 * velocity jumps, the drive acts by an impulse: velocities change as momentum balance demands. */
typedef enum clv_profile {
    CLV_PROFILE_NATURAL,  /* cubic spline without curvature at its ends; 3 rows at least                       */
    CLV_PROFILE_LINEAR,   /* straight lines: velocity jumps at the rows                                        */
    CLV_PROFILE_SMOOTH,   /* at rest at every row, between them quintic steps without jumps in acceleration    */
    CLV_PROFILE_CLAMPED,  /* cubic spline with given rates at its ends                                         */
    CLV_PROFILE_MONOTONE, /* piecewise cubic that stays between neighbouring rows: a dwell is a dwell          */
    CLV_PROFILES
} clv_profile;

/* Prescribed motion of a joint with one degree of freedom: q(t) = offset + rate t + amplitude sin(frequency t + phase),
 * or a table with a profile. */
typedef struct clv_motion_desc {
    unsigned cookie; /* set by the default function */
    const char *name;                    /* unique; required                                           */
    int joint;                           /* index of a joint with one degree of freedom                */
    double offset, rate;                 /* rad or m, per second; offset NaN: q(0) is the start coordinate */
    double amplitude, frequency, phase;  /* rad or m, rad/s, rad                                       */
    clv_table table;                     /* if n > 0: positions, replaces the formula                  */
    clv_profile profile;                 /* of the table; default CLV_PROFILE_NATURAL                   */
    double end_rate[2];                  /* m/s or rad/s at first and last row: CLAMPED; default 0, 0  */
} clv_motion_desc;

/* A relation of coordinates of joints with one degree of freedom (T57, T98), one of
 *     q[second] = ratio q[first] + offset                            gear, mimic
 *     q[second] = a[0] + a[1] q[first] + a[2] q[first]^2 + ... + offset
 *     q[second] = table(q[first]) + offset                           cam and follower
 *     factor[0] q[joint[0]] + factor[1] q[joint[1]] + ... = offset   up to 32 joints
 * The table is a natural cubic spline, continued by straight lines.  If periodic, a periodic spline of one turn: values
 * rise by that of the last row less that of the first every turn. */
typedef struct clv_coupling_desc {
    unsigned cookie; /* set by the default function */
    const char *name;  /* unique; required                                                   */
    int first, second; /* indices of joints with one degree of freedom; of a sum: -1         */
    double ratio;      /* coordinate of second per coordinate of first, not 0                */
    double offset;     /* m or rad; NaN (default): from the start coordinates; 0 where a polynomial or table is given */
    int nterm;         /* of a sum; 0: first and second                                      */
    const clv_coupling_term *term; /* (nterm)                                                */
    int npolynomial;   /* coefficients, 2 to 9; 0: none                                      */
    const double *polynomial; /* a: m or rad, per (m or rad)^k                               */
    clv_table table;   /* `time`: coordinates of first, m or rad; n 0: none                  */
    bool periodic;     /* the table is one turn                                              */
} clv_coupling_desc;

/* A point of a body whose motion is reported. */
typedef struct clv_marker_desc {
    unsigned cookie; /* set by the default function */
    const char *name;   /* unique; required          */
    int body;           /* body index; required      */
    double position[3]; /* m, body axes              */
} clv_marker_desc;

/* A further shape of a body or of the ground, for forces of kind CONTACTS.  Those of one body never touch each other.
 * Start from clv_shape_desc_default(). */
typedef struct clv_shape_desc {
    unsigned cookie; /* set by the default function */
    const char *name; /* unique, also among bodies; required             */
    int body;         /* or CLV_GROUND                                   */
    clv_shape shape;  /* its kind is not CLV_SHAPE_NONE                  */
} clv_shape_desc;

/* Something drawn on a body or on the ground; no motion depends on it.  A body that has visuals is drawn by these
 * instead of its shape.  Start from clv_visual_desc_default(). */
typedef struct clv_visual_desc {
    unsigned cookie; /* set by the default function */
    const char *name; /* unique; required                                                                     */
    int body;         /* or CLV_GROUND                                                                        */
    clv_shape shape;  /* form, place and colour; of a mesh kind CLV_SHAPE_NONE, and `at` is the mesh's origin */
    const char *mesh; /* file of triangles: STL, OBJ or MSH; NULL: none. It is opened when it is drawn        */
    double scale[3];  /* of the mesh along its axes, not 0; default 1                                         */
} clv_visual_desc;

/* A body without mass at the origin (its start pose, orientation w = 1, is used only if `placed`); fill in
 * name, mass, inertia (T2). */
CLV_API clv_body_desc clv_body_desc_default(void);
/* A joint of that kind between ground and ground with both frames at the body origins, long form; fill in name, a,
 * b and the frames or the short form (T1). */
CLV_API clv_joint_desc clv_joint_desc_default(clv_joint_kind kind);
/* A load of that kind without any effect yet; fill in name, bodies or joint, and its numbers (T8). */
CLV_API clv_force_desc clv_force_desc_default(clv_force_kind kind);
/* An input of that kind, zero, without limits; fill in name and what it acts on (T8). */
CLV_API clv_input_desc clv_input_desc_default(clv_input_kind kind);
/* An event without condition and time that locks no joint yet; fill in name, joint or markers and value, or time, and
 * lock or another action (T60). */
CLV_API clv_event_desc clv_event_desc_default(void);
/* A joint held at its start coordinate; fill in name, joint, and the formula or the table (T7). */
CLV_API clv_motion_desc clv_motion_desc_default(void);
/* A gear of ratio 1 that keeps the start coordinates; fill in name, first, second, ratio (T7). */
CLV_API clv_coupling_desc clv_coupling_desc_default(void);
/* A marker without a body, at its origin; fill in name, body, position. */
CLV_API clv_marker_desc clv_marker_desc_default(void);
/* Nothing drawn yet, on the ground; fill in name, body, and shape or mesh. */
CLV_API clv_visual_desc clv_visual_desc_default(void);
/* No shape yet, on the ground; fill in name, shape and body. */
CLV_API clv_shape_desc clv_shape_desc_default(void);

/* Creates an empty model of that name (copied; NULL: no name) with gravity (0, 0, -9.81) m/s^2, global. Errors (then
 * *model is NULL): CLV_ERR_USAGE (the name is not UTF-8 text without control characters), CLV_ERR_MEMORY. */
CLV_API clv_status clv_model_create(clv_model **model, const char *name);
/* Frees a model and everything that it owns; NULL is allowed. All its simulations must have been destroyed. */
CLV_API void clv_model_destroy(clv_model *model);
/* The last error of this model (code CLV_OK: none); never NULL, valid until the next call that changes the model. */
CLV_API const clv_error *clv_model_error(const clv_model *model);
/* Sets gravity (3): m/s^2, global axes (T8). Errors: CLV_ERR_USAGE (the model is finished), CLV_ERR_MODEL (not
 * finite). */
CLV_API clv_status clv_model_set_gravity(clv_model *model, const double gravity[3]);
/* Assembly of the start (T36). false (default): flexible bodies keep their modal coordinates if the loops can close.
 * true: they are strained, to the least energy, before given coordinates of joints move. Errors: CLV_ERR_USAGE. */
CLV_API clv_status clv_model_set_start_strained(clv_model *model, bool strained);
/* An inertia is invalid if a principal moment is negative, or larger than the sum of the others, by more than
 * rounding of mass x size^2. Invalid inertias are errors; with lenient != 0 clv_model_finish replaces each by the
 * nearest valid one (T2). Errors: CLV_ERR_USAGE (the model is finished). */
CLV_API clv_status clv_model_set_lenient(clv_model *model, int lenient);
/* Was the inertia of a body replaced (T2)?  Returns 1 and its principal moments (kg m^2, ascending) as given and as
 * used (3 each, may be NULL), else 0; also 0 for an invalid index. */
CLV_API int clv_model_clipped(const clv_model *model, int body, double given[3], double used[3]);
/* Adds a rigid body (T2); *index (may be NULL) is its number from 0. The description is copied. On an
 * error the model is unchanged. Errors of all add functions: CLV_ERR_USAGE (the description is not from its
 * default function, or the model is finished), CLV_ERR_MODEL (an invalid number, an unknown or duplicate name or
 * index), CLV_ERR_MEMORY. */
CLV_API clv_status clv_model_add_body(clv_model *model, int *index, const clv_body_desc *desc);
/* Adds a joint or constraint (T1); *index (may be NULL) is its number from 0. Errors: as clv_model_add_body. */
CLV_API clv_status clv_model_add_joint(clv_model *model, int *index, const clv_joint_desc *desc);
/* Adds a load (T8); tables are copied, `user` is not; *index (may be NULL) is its number from 0. Errors: as
 * clv_model_add_body. */
CLV_API clv_status clv_model_add_force(clv_model *model, int *index, const clv_force_desc *desc);
/* Adds a prescribed motion (T7), one at most per joint; *index (may be NULL) is its number from 0. Errors: as
 * clv_model_add_body. */
CLV_API clv_status clv_model_add_motion(clv_model *model, int *index, const clv_motion_desc *desc);
/* Adds an input (T8); *index (may be NULL) is its number from 0. A motion takes one input at most. Errors: as
 * clv_model_add_body. */
CLV_API clv_status clv_model_add_input(clv_model *model, int *index, const clv_input_desc *desc);
/* Adds an event (T60); *index (may be NULL) is its number from 0. Errors: as clv_model_add_body. */
CLV_API clv_status clv_model_add_event(clv_model *model, int *index, const clv_event_desc *desc);
/* Adds a coupling (T7); *index (may be NULL) is its number from 0. Errors: as clv_model_add_body. */
CLV_API clv_status clv_model_add_coupling(clv_model *model, int *index, const clv_coupling_desc *desc);
/* Adds a point to report; *index (may be NULL) is its number from 0. Errors: as clv_model_add_body. */
CLV_API clv_status clv_model_add_marker(clv_model *model, int *index, const clv_marker_desc *desc);
/* Adds something to draw; *index (may be NULL) is its number from 0. Errors: as clv_model_add_body. */
CLV_API clv_status clv_model_add_visual(clv_model *model, int *index, const clv_visual_desc *desc);
/* Adds a shape beside that of the body (T105); *index (may be NULL) is its number from 0. Errors: as
 * clv_model_add_body, CLV_ERR_MODEL also if a body has its name. */
CLV_API clv_status clv_model_add_shape(clv_model *model, int *index, const clv_shape_desc *desc);
/* Checks the model, computes the poses of the bodies, converts short forms into body frames (T1, T2), and freezes the
 * model. Errors: CLV_ERR_MODEL, CLV_ERR_INCONSISTENT or CLV_ERR_UNSUPPORTED (clv_model_error_at lists all of them;
 * the model may be repaired and finished again), CLV_ERR_MEMORY. */
CLV_API clv_status clv_model_finish(clv_model *model);
/* Reads a model file (YAML, docs/model-file.md) or a robot (URDF, MJCF, SDF, docs/robots.md; clv_model_dropped_at
 * lists what it does not carry) and finishes the model. On failure *model is still created and
 * carries all errors (clv_model_error_at), in file order; it is NULL only when out of memory. Errors: CLV_ERR_IO,
 * CLV_ERR_SYNTAX, CLV_ERR_MODEL, CLV_ERR_INCONSISTENT, CLV_ERR_UNSUPPORTED, CLV_ERR_MEMORY. */
CLV_API clv_status clv_model_read(clv_model **model, const char *path);
/* As clv_model_read of a file with `lenient: true` (clv_model_set_lenient). Errors: as clv_model_read. */
CLV_API clv_status clv_model_read_lenient(clv_model **model, const char *path);
/* What the file of a robot leaves open (docs/robots.md).  Zero is the default of all. */
typedef struct clv_robot_options {
    bool floating;        /* URDF: the root link moves freely; else it is fixed to the ground */
    bool friction;        /* dry friction of joints becomes `friction` of joint-loads (T46)   */
    bool lenient;         /* as clv_model_read_lenient                                        */
    const char *stops;    /* limits of joints: "none", "rigid" (T157), or their stiffness in N m/rad and N/m (T47);
                           * NULL: rigid where contacts are, else none                        */
    const char *contacts; /* "none", "rigid", or their stiffness in N/m^1.5; NULL: MJCF rigid, others none */
    const char *floor;    /* m, a number: height of a plane that shapes touch; NULL: none     */
} clv_robot_options;
/* As clv_model_read, of a robot, with options (NULL: the defaults). Errors: as clv_model_read; CLV_ERR_USAGE (an
 * option is no such word or number, or the file is a model file). */
CLV_API clv_status clv_model_read_robot(clv_model **model, const char *path, const clv_robot_options *options);
/* The same from `size` bytes of text; file_name as of clv_model_read_text. */
CLV_API clv_status clv_model_read_robot_text(clv_model **model, const char *text, size_t size, const char *file_name,
                                             const clv_robot_options *options);
/* As clv_model_read, from `size` bytes of text; file_name (may be NULL) is the name of the text in errors. Errors: as
 * clv_model_read. */
CLV_API clv_status clv_model_read_text(clv_model **model, const char *text, size_t size, const char *file_name);
/* As clv_model_read, with nparam values of parameters, each as `name=value`, in place of those of the file (params may
 * be NULL if there are none).  A value without a unit is in the unit of its parameter.  A name with a dot or bracket is
 * the place of a number of the file: `d1.damping=3`, `bodies.rod.com[0]=20 mm` (docs/model-file.md).  Errors: as
 * clv_model_read; CLV_ERR_USAGE (unknown parameter or place, no number, wrong unit, out of range). */
CLV_API clv_status clv_model_read_with(clv_model **model, const char *path, const char *const *params, int nparam);
/* The same from `size` bytes of text, as clv_model_read_text. */
CLV_API clv_status clv_model_read_text_with(clv_model **model, const char *text, size_t size, const char *file_name,
                                            const char *const *params, int nparam);

/* A parameter of a model file, as it was used. */
typedef struct clv_parameter {
    const char *name;   /* as the file has it                                          */
    const char *unit;   /* as the file writes it; "" without one                       */
    double value;       /* SI                                                          */
    double shown;       /* value in `unit`                                             */
    double least, most; /* range in `unit`; infinite without one                       */
    bool given;         /* the value is not that of the file, but one of `params`      */
    bool used;          /* a formula of the file names it                              */
    bool derived;       /* its value is that of the file: a formula that names other parameters */
} clv_parameter;

/* Something of a robot's file (URDF, MJCF, SDF) that the model does not carry (docs/robots.md). */
typedef struct clv_dropped {
    const char *file;   /* where it stands                                                     */
    int line, column;   /* from 1                                                              */
    bool harmful;       /* it can change the motion: limits, friction, unknown elements        */
    const char *kind;   /* as "position limit"                                                 */
    const char *text;   /* the whole, as "position limits of joint 'hip': -1 to 1"             */
} clv_dropped;

/* Number of items of a robot's file that the model does not carry; 0 for other models. */
CLV_API int clv_model_dropped_count(const clv_model *model);
/* Entry i from 0: first the harmful ones, each kind in file order; NULL if there is none. Valid until the model is
 * destroyed. */
CLV_API const clv_dropped *clv_model_dropped_at(const clv_model *model, int i);
/* Number of parameters of the model's file; 0 for models that were not read. */
CLV_API int clv_model_parameter_count(const clv_model *model);
/* Parameter i from 0, in file order; NULL if there is none.  Valid until the model is destroyed. */
CLV_API const clv_parameter *clv_model_parameter(const clv_model *model, int i);
/* Number of all errors found by reading or finishing; a file's are in file order. */
CLV_API int clv_model_error_count(const clv_model *model);
/* Error i from 0; NULL if there is none. Valid until the next call that changes the model. */
CLV_API const clv_error *clv_model_error_at(const clv_model *model, int i);
/* Name of built-in example i from 0; NULL after the last. */
CLV_API const char *clv_example_name(int i);
/* One line on built-in example i: what it is, and its parameters; NULL after the last. */
CLV_API const char *clv_example_text(int i);
/* The text of the model file of built-in example i, with its comments. NULL after the last, and for the examples that
 * are computed (long chains, the vehicle of the JSC paper). */
CLV_API const char *clv_example_source(int i);
/* Creates and finishes a built-in example with nparam parameters, each as `key=value` (params may be NULL if there
 * are none). On failure *model carries the error; it is NULL only when out of memory. Errors: CLV_ERR_USAGE
 * (unknown example or parameter, value out of range), CLV_ERR_MODEL (a size that is not whole), CLV_ERR_MEMORY. */
CLV_API clv_status clv_example_create(clv_model **model, const char *name, const char *const *params, int nparam);
/* Name of the model; valid until it is destroyed. */
CLV_API const char *clv_model_name(const clv_model *model);
/* Number of bodies, without the ground. */
CLV_API int clv_model_body_count(const clv_model *model);
/* Number of joints and constraints. */
CLV_API int clv_model_joint_count(const clv_model *model);
/* Number of markers. */
CLV_API int clv_model_marker_count(const clv_model *model);
/* Number of shapes added by clv_model_add_shape. */
CLV_API int clv_model_shape_count(const clv_model *model);
/* Name of such a shape; NULL if there is none of that number. Valid until the model is destroyed. */
CLV_API const char *clv_model_shape_name(const clv_model *model, int shape);
/* Number of visuals. */
CLV_API int clv_model_visual_count(const clv_model *model);
/* Number of inputs. */
CLV_API int clv_model_input_count(const clv_model *model);
/* Number of events. */
CLV_API int clv_model_event_count(const clv_model *model);
/* Number of modes of a flexible body; 0 for rigid bodies, interface nodes and invalid indices. */
CLV_API int clv_model_mode_count(const clv_model *model, int body);
/* Name of a body; NULL if there is none of that number. Valid until the model is destroyed. */
CLV_API const char *clv_model_body_name(const clv_model *model, int body);
/* Name of a joint; NULL if there is none of that number. Valid until the model is destroyed. */
CLV_API const char *clv_model_joint_name(const clv_model *model, int joint);
/* Name of a marker; NULL if there is none of that number. Valid until the model is destroyed. */
CLV_API const char *clv_model_marker_name(const clv_model *model, int marker);
/* Name of an input; NULL if there is none of that number. Valid until the model is destroyed. */
CLV_API const char *clv_model_input_name(const clv_model *model, int input);
/* Name of an event; NULL if there is none of that number. Valid until the model is destroyed. */
CLV_API const char *clv_model_event_name(const clv_model *model, int event);
/* Number of the input of that name; -1 if there is none. */
CLV_API int clv_model_find_input(const clv_model *model, const char *name);
/* Least and largest value of an input in its unit (clv_input_kind; -inf, inf: no limit) (T8); NaN, NaN if there is none
 * of that number. */
CLV_API void clv_model_input_limit(const clv_model *model, int input, double limit[2]);
/* Number of the body of that name; -1 if there is none. */
CLV_API int clv_model_find_body(const clv_model *model, const char *name);
/* Number of the joint of that name; -1 if there is none. */
CLV_API int clv_model_find_joint(const clv_model *model, const char *name);
/* Number of the force of that name; -1 if there is none. */
CLV_API int clv_model_find_force(const clv_model *model, const char *name);
/* Shape of a body (kind CLV_SHAPE_NONE if it has none); NULL if there is no such body. Valid until the model is
 * destroyed. */
CLV_API const clv_shape *clv_model_body_shape(const clv_model *model, int body);
/* Inertia (6: xx yy zz xy xz yz, kg m^2) of a homogeneous shape of that mass (kg) about its middle, body axes
 * (T2). A mesh is the hull of its points, and its middle the centre of mass; zero if they lie in a plane. */
CLV_API void clv_shape_inertia(double inertia[6], const clv_shape *shape, double mass);

/* ------------------------------------------------------------------ simulation */

typedef struct clv_sim clv_sim;

/* Options; unit, default and range of each. */
typedef struct clv_sim_options {
    unsigned cookie; /* set by the default function */
    const char *formulation; /* NULL (default): "hdca", or "dca" where contacts are rigid or momentum_error exceeds
                              * rtol; others: "connection", "massmatrix", "aldca", "index3"            */
    const char *integrator;  /* NULL (default): "dopri5", for index3 "trapezoidal", for rigid contacts "moreau"; "bs23",
                              * "dop853", "rk4", "adams", "bdf"; symplectic, fixed step, hdca only: "midpoint",
                              * "gauss4", "gauss6" (T34); index3 only: "trapezoidal", "generalized-alpha" (T25) */
    double rtol;             /* 1e-6, in [1e-14, 0.5]                                                       */
    double atol;             /* absolute tolerance relative to typical sizes: 1 rad; the size of the model for lengths;
                              * for momenta the inertia moved times these per second.  With `plain_tolerance`: in
                              * the unit of every state.  NaN (default): as rtol; >= 1e-30                 */
    double step;             /* s: fixed step if >= 1e-12 (rk4, midpoint, gauss4, gauss6 need it); 0 (default):
                              * adaptive, or 1e-3 for index3 and moreau                                     */
    double max_step;         /* s: 0 (default): no bound; else >= 1e-12                                    */
    double rank;             /* 1e-8: relative threshold of rank decisions, in (0, 1e-2]                   */
    int project;             /* 1 (default): project position (and dca: velocity) after every accepted step; 0: never */
    int regauge;             /* 1 (default): hdca re-gauge after every accepted step; 0: never             */
    bool plain_tolerance;    /* false: p and u tolerances scaled by typical inertia; true: one for all     */
    int method;              /* connection: 1 (0, default) all connection forces at once, 2 two branches at a time */
    const char *bracketing;  /* connection, method 2: branches joined first, as "((a, b), c), (d, e)", by name or
                                number from 0; NULL (default): own order. Read by clv_sim_create only       */
    double baumgarte[2];     /* dca, connection, massmatrix: gains on position (1/s^2) and velocity (1/s) violation,
                                in [0, 1e12]; 0, 0: none.  Other formulations refuse them                   */
    double start_tolerance;  /* m or rad: how far assembly may move a start that does not close; < 0 (default): any
                                distance, which the report contains                                         */
    double contradiction;    /* 1e-6: inconsistency of redundant constraints that is accepted at the start
                                (rad, or relative to the model's size), in [0, 1e-2]; above: refused (T40)  */
    int threads;             /* 1 (default), at most 4096; 0: all cores, where the model is large enough (T44).
                                They change the speed and no bit of a result                                */
    /* augmented Lagrangian (T22) and index3 (T25-T27); NaN, 0, false, 1: the formulation's default;
     * others refuse them */
    double alpha;            /* penalty on a row, > 0; aldca: in units of the inertia that the row moves; index3:
                                N/m or N m/rad, and none (default): every iteration satisfies the constraints
                                exactly                                                                     */
    bool absolute_alpha;     /* aldca: alpha in kg and kg m^2 instead, as in the paper; then by default 1e6  */
    double omega, mu;        /* aldca: 1/s and 1: frequency and damping ratio of the decay of violations; >= 0 */
    double eps_p;            /* aldca: iterations stop at changes of position this small.  index3: |dx| over all
                                coordinates (m, Euler parameters) that ends the iteration of a step; default:
                                1e-6 1/s^2 times step^2 times the size of the model                         */
    double eps_v, eps_a;     /* aldca: iterations stop at changes of velocity, acceleration this small      */
    int iterations;          /* largest number of iterations; aldca: of a stage.  index3: of a step, which is then
                                accepted as it is and counted; default: 30, and a step that needs more fails   */
    double rho;              /* index3 with "generalized-alpha": damping at infinite frequency, in [0, 1]; 0.8 */
    bool warm;               /* index3 with alpha: multipliers start from those of the last step            */
    bool no_predictor;       /* index3: the iteration of a step starts at the positions of the step before  */
    int projections;         /* index3: passes onto velocity and acceleration constraints after a step; 1   */
} clv_sim_options;
/* The defaults stated in clv_sim_options; they suffice for a run. */
CLV_API clv_sim_options clv_sim_options_default(void);

/* Plans and allocates once (T4, T5), decides the rank (T20), and assembles the start (T14). options NULL: the
 * defaults. The model must be finished, must outlive the simulation and is never written; several simulations may
 * share it. The environment variable CLV_LANES (1, 2, 4, 8) overrides the vector width that is chosen
 * for this CPU; it changes the speed and no bit of a result. On failure *sim carries clv_sim_error (it is NULL only
 * when out of memory); destroy it as usual.
 * Errors: CLV_ERR_USAGE (an invalid option, an invalid CLV_LANES, a model that is not finished), CLV_ERR_MODEL (no
 * bodies), CLV_ERR_UNSUPPORTED (also a CLV_LANES that this CPU does not support), CLV_ERR_SINGULAR,
 * CLV_ERR_NOT_FINITE, CLV_ERR_NO_CONVERGENCE, CLV_ERR_INCONSISTENT (the start does not close), CLV_ERR_MEMORY. */
CLV_API clv_status clv_sim_create(clv_sim **sim, const clv_model *model, const clv_sim_options *options);
/* Frees a simulation; NULL is allowed. */
CLV_API void clv_sim_destroy(clv_sim *sim);
/* The error of the last call that returns a status, or of the creation. Code CLV_OK: the call succeeded, also if steps
 * were rejected. Never NULL, valid until the next call on sim. */
CLV_API const clv_error *clv_sim_error(const clv_sim *sim);
/* Bounds the steps: the run ends exactly at `end` (s). Without it adaptive methods step beyond an output and
 * interpolate (T16). Errors: CLV_ERR_USAGE (`end` is past). */
CLV_API clv_status clv_sim_set_end(clv_sim *sim, double end);
/* Limits the steps: after `most` of them since the start, rejected ones included, the next one fails
 * (CLV_ERR_STEP_SIZE), and the last good state becomes the output state. After a million steps it fails, too, if at
 * their pace there would be more up to `end` (s; NaN: not judged). Models with events are not judged by their pace.
 * INFINITY (default): no limit. It may be changed at any time, and is not saved. Errors: CLV_ERR_USAGE. */
CLV_API clv_status clv_sim_set_max_steps(clv_sim *sim, double most, double end);
/* Advances the output state to `time` (s, not before the present one) by the chosen integrator (T16, T17).
 * Adaptive methods step freely and interpolate (then close loops again, T14, if `project`); the simulation's own
 * state stays at its last accepted step >= time. Errors: CLV_ERR_USAGE (`time` is past), CLV_ERR_STEP_SIZE,
 * CLV_ERR_NOT_FINITE, CLV_ERR_SINGULAR, CLV_ERR_NO_CONVERGENCE; the last good state stays readable. Allocates
 * nothing, but at an event of the model (T60; CLV_ERR_MEMORY). An output at the time of an event shows the state
 * before it. CLV_STOPPED is no error: an event ended the run before `time`, and the output state is the one there.
 * Contract: the right-hand side is a function of time and state, smooth inside a step. Data from outside may change
 * between two calls only, and the change must be announced (clv_sim_changed); else results are wrong. */
CLV_API clv_status clv_sim_advance(clv_sim *sim, double time);
/* Announces that something the right-hand side depends on has changed at the output time (a number that a callback
 * reads, the memory of a controller). The integrator restarts from the output state and discards first stages,
 * multistep histories, dense output and the grid of fixed steps (T16.8). From the first call on, steps end
 * at the times requested from clv_sim_advance, without interpolation. Costs one right-hand-side evaluation; multistep
 * methods restart at order 1. Errors: CLV_ERR_USAGE (clv_sim_advance_state has returned a later state).
 * Allocates nothing. */
CLV_API clv_status clv_sim_changed(clv_sim *sim);
/* Sets an input from the output time on, clipped to its limits (T8); value in the unit of its kind (clv_input_kind).
 * It stays constant until it is set again, and is part of the saved state. A new value is a change as by
 * clv_sim_changed; setting the present value costs nothing and changes no bit. Motions: their position and rate stay
 * continuous, the acceleration is added from now on. Errors: CLV_ERR_USAGE (no such input, a value that is not finite,
 * as clv_sim_changed). Allocates nothing. */
CLV_API clv_status clv_sim_set_input(clv_sim *sim, int input, double value);
/* Control of a joint. Fills the efforts (nu numbers, zero before the call; N or N m) as a function of time (s),
 * coordinates q and rates u (T1; m, rad, m/s, rad/s; angles count whole turns). An effort
 * does positive work with positive u. The contract and the return value are those of clv_load_fn; a change of the
 * memory of a sampled controller is announced by clv_sim_changed. */
typedef int (*clv_joint_control_fn)(void *user, double time, const double *q, const double *u, double *effort);
/* Input and result of the control of a body. */
typedef struct clv_body_view {
    double time;             /* s                                                                      */
    const double *position;  /* m, centre of mass, global (3)                                          */
    const double *rotation;  /* body to global, row major (9)                                          */
    const double *velocity;  /* m/s of the centre of mass, then rad/s, global (6)                      */
    double *wrench;          /* N, then N m about the centre of mass, global; zero before the call (6) */
} clv_body_view;
/* Control of a body, under the contract of clv_load_fn. Of a flexible body: of its undeformed frame; interface nodes
 * (`boom.tip`) are bodies of their own. */
typedef int (*clv_body_control_fn)(void *user, clv_body_view *view);
/* Binds a control to a joint of this simulation (T8) from the output time on, in place of an earlier one; NULL removes
 * it. The model may be read from a file and is not changed; joints that close loops and joints of flexible bodies
 * may be controlled. The efforts appear in the drive part of clv_joint_result, their work in the energy account.
 * Controls are not saved: bind the same ones before clv_sim_load. Errors: CLV_ERR_USAGE (no such joint, a joint without
 * degrees of freedom, as clv_sim_changed), CLV_ERR_MEMORY. The first control of a simulation allocates. */
CLV_API clv_status clv_sim_set_joint_control(clv_sim *sim, int joint, clv_joint_control_fn call, void *user);
/* Binds a control to a body in the same way (T8). Errors: CLV_ERR_USAGE (no such body, as clv_sim_changed),
 * CLV_ERR_MEMORY. May allocate. */
CLV_API clv_status clv_sim_set_body_control(clv_sim *sim, int body, clv_body_control_fn call, void *user);
/* Coordinates and rates that a joint is set to. */
typedef struct clv_joint_setting {
    int joint;         /* its number                                                                               */
    bool has_q, has_u; /* are q, u below set? If not, any values that close the loops are accepted                */
    double q[7], u[6]; /* as of the joint's kind (T1): m, rad, quaternion; m/s, rad/s                              */
} clv_joint_setting;
/* Sets joints at the output time, for resets, planning and learning. The joints named get these coordinates and rates.
 * The others keep theirs as far as loops, couplings and motions allow (T36); without loops they keep them
 * exactly. A loop joint may be named. Time, controls and inputs are unchanged, and the integrator restarts; the
 * change of energy is added to the work. Allocates if there are loops. aldca and index3 have body states:
 * they assemble the joints in a simulation by dca, in the time of a clv_sim_create. Joints that
 * are not named then keep their values to rounding.
 * Errors, with the state unchanged: CLV_ERR_USAGE (no such joint, a prescribed joint, a joint named twice, a number
 * that is not finite), CLV_ERR_INCONSISTENT (the loops do not close with these coordinates or rates), CLV_ERR_MEMORY,
 * CLV_ERR_SINGULAR. */
CLV_API clv_status clv_sim_set_joints(clv_sim *sim, const clv_joint_setting *setting, int n);
/* The same for one joint: coordinates q and rates u of its kind (T1: m, rad, quaternion; m/s, rad/s); NULL: not set.
 * Errors: as clv_sim_set_joints. */
CLV_API clv_status clv_sim_set_joint(clv_sim *sim, int joint, const double *q, const double *u);
/* Present value of an input, after its limits, in the unit of its kind; NaN if there is none of that number. */
CLV_API double clv_sim_input(const clv_sim *sim, int input);
/* Takes at most one accepted step towards `time` (s), and none if the last one has reached it. The output state does
 * not change until clv_sim_advance(sim, time), which then only interpolates. For progress,
 * checkpoints and pauses between two outputs, with the same bits as clv_sim_advance alone. Outputs before the last
 * step cannot be had any more: such a time is CLV_ERR_USAGE. Errors: as clv_sim_advance. Allocates nothing. */
CLV_API clv_status clv_sim_step(clv_sim *sim, double time);
/* Computes accelerations (T12), reactions (T13) and momentum rates (T10) at the output state. Errors:
 * CLV_ERR_SINGULAR, CLV_ERR_NOT_FINITE. Allocates nothing. */
CLV_API clv_status clv_sim_evaluate(clv_sim *sim);
/* The model of a simulation; NULL if it could not be created. */
CLV_API const clv_model *clv_sim_model(const clv_sim *sim);
/* Time (s) of the output state, which the functions below show; the first of them forms it, so one thread at a time.
 * Their arrays are views, valid until the next call on sim; rows in the order of adding. */
CLV_API double clv_sim_time(const clv_sim *sim);

/* Centres of mass at the output time (T3): (nbody x 3) m, global; of flexible bodies as they are deformed (T37). */
CLV_API const double *clv_sim_position(const clv_sim *sim);
/* Orientations at the output time (T3): (nbody x 4) w x y z, body to global; of flexible bodies that of the frame. */
CLV_API const double *clv_sim_quaternion(const clv_sim *sim);
/* Velocities at the output time (T3): (nbody x 6) m/s of the centre of mass, then angular velocity rad/s, global
 * axes. */
CLV_API const double *clv_sim_velocity(const clv_sim *sim);
/* Accelerations at the output time, after clv_sim_evaluate (T12): (nbody x 6) m/s^2 of the centre of mass, then
 * rad/s^2, global axes. */
CLV_API const double *clv_sim_acceleration(const clv_sim *sim);
/* Markers at the output time (T3): (nmarker x 6) position m, then velocity m/s, global. */
CLV_API const double *clv_sim_marker(const clv_sim *sim);
/* Accelerations of the markers at the output time, after clv_sim_evaluate (T12): (nmarker x 3) m/s^2, global. */
CLV_API const double *clv_sim_marker_acceleration(const clv_sim *sim);
/* Kinetic and potential energy at the output time and the work of drives, dampers and known loads since the start
 * (T15): J. */
CLV_API void clv_sim_energy(const clv_sim *sim, double *kinetic, double *potential, double *work);
/* Mass and momentum of all bodies together at the output time (T37). */
typedef struct clv_momentum {
    double mass;       /* kg                                                        */
    double centre[3];  /* m, common centre of mass, global; zero if the mass is     */
    double linear[3];  /* kg m/s, global axes                                       */
    double angular[3]; /* kg m^2/s about the common centre of mass, global axes     */
} clv_momentum;
/* Mass, centre of mass, linear and angular momentum of the system at the output time, deformation and modal rates of
 * flexible bodies included (T37). Without ground joints and external loads both momenta are constant. */
CLV_API void clv_sim_momentum(const clv_sim *sim, clv_momentum *momentum);
/* Modal coordinates of a flexible body at the output time, their rates and, after clv_sim_evaluate, accelerations
 * (else NULL), in the unit of its modes (T30). Sets views of that many numbers (each may be NULL) and returns how many:
 * 0 for rigid bodies, interface nodes and invalid indices. */
CLV_API int clv_sim_modes(const clv_sim *sim, int body, const double **q, const double **u, const double **udot);
/* Largest constraint violation of the loops and its rate at the output state (T14): m or rad, m/s or rad/s; 0 without
 * loops. */
CLV_API void clv_sim_violation(const clv_sim *sim, double *position, double *velocity);

/* One joint at the output state; after clv_sim_evaluate. */
typedef struct clv_joint_result {
    int nq, nu;          /* coordinates and free directions; 0 and 0 for constraints                                  */
    bool tree;           /* tree joint; else a loop joint: q, u, udot by the motion of its bodies, p, pdot NaN    */
    double q[7];         /* nq coordinates as of the kind (T1): m, rad, quaternion                                    */
    double u[6], udot[6]; /* nu rates and their rates: m/s, rad/s; m/s^2, rad/s^2 (T1, T12)                           */
    double p[6], pdot[6]; /* nu joint momenta and their rates: kg m/s, kg m^2/s; N, N m (T9, T10)                     */
    double force[3], torque[3];             /* N, N m: constraint part on B at B's joint point, global axes           */
    double drive_force[3], drive_torque[3]; /* drive, spring, damper, motion part                                     */
    bool unique[6];                         /* per component of force, torque: determined by the motion?              */
    double effort[6]; /* nu: N or N m along the rates u, of inputs, motions, drives, springs, dampers and controls
                       * that act on the joint; effort times u is the power they give */
    bool effort_unique; /* of a joint that a motion prescribes: is its effort determined (T13)? Not so where other
                         * motions prescribe the same.  Other joints: true */
} clv_joint_result;
/* Coordinates, momenta and reactions (T13) of one joint at the output state; evaluates first if clv_sim_evaluate
 * was not called there. Errors: CLV_ERR_USAGE (no such joint), and as clv_sim_evaluate; the result is then zero. */
CLV_API clv_status clv_sim_joint(clv_sim *sim, int joint, clv_joint_result *result);
/* Coordinates q (njoint x 7) and rates u (njoint x 6) of all joints at the output state, without accelerations and
 * reactions: for callers that read the state at every output.  Rows in the order of adding; units and frames of q and u
 * of clv_joint_result (T1; m, rad, quaternion w x y z; m/s, rad/s).  Joints that close loops have those of the motion
 * of their bodies, prescribed joints those of their motion.  Numbers behind those of a kind are 0.  The bits are those
 * of clv_sim_joint, at a part of its cost.  Either may be NULL.  Errors: as clv_sim_evaluate; q and u are then
 * unchanged.  Allocates nothing. */
CLV_API clv_status clv_sim_coordinates(clv_sim *sim, double *q, double *u);

/* One contact at the output state (T61, T62). */
typedef struct clv_contact_result {
    int points;          /* that touch                                                                               */
    double force[3];     /* N, on b at `point`, global axes: sum over the points; of a rigid contact its impulses in the
                          * last step, over the length of this step                                                  */
    double normal_force; /* N, >= 0: sum of the normal parts                                                         */
    double depth;        /* m: largest depth; 0 without points                                                       */
    double point[3];     /* m, global: mean of the points, by their normal forces, else by depths; NaN without points */
    double slip;         /* m/s: largest velocity of b seen from a, across the normal; 0 without points              */
} clv_contact_result;
/* A force of kind CONTACT at the output state (T61, T62); evaluates first if clv_sim_evaluate was not called there.
 * Allocates nothing.  Errors: CLV_ERR_USAGE (no contact has this number), and as clv_sim_evaluate; the result is then
 * zero. */
CLV_API clv_status clv_sim_contact(clv_sim *sim, int force, clv_contact_result *result);

/* Two shapes that touch. */
typedef struct clv_contact_pair {
    int force;                 /* number of the contact                    */
    int a, b;                  /* bodies; a is CLV_GROUND for the ground   */
    int shape_a, shape_b;      /* their shapes as of clv_model_add_shape; -1: that of the body, or a plane */
    clv_contact_result result; /* as of clv_sim_contact                    */
} clv_contact_pair;
/* All pairs that touch at the output state (T105), of contacts of two and of many bodies, in order of contacts.  Gives
 * the first `most` of them in `pair` (may be NULL if most is 0) and their number in *count.  Errors: as
 * clv_sim_contact. Allocates nothing. */
CLV_API clv_status clv_sim_contacts(clv_sim *sim, int most, clv_contact_pair *pair, int *count);

/* Acceleration requested of a joint (clv_sim_inverse). */
typedef struct clv_joint_acceleration {
    int joint;             /* its number; it may close a loop                                                         */
    double udot[6];        /* rates of all its rates u (T1): m/s^2, rad/s^2                                           */
} clv_joint_acceleration;
/* An actuator whose effort is sought. */
typedef struct clv_inverse_actuator {
    int input;             /* input of kind joint, force or torque; -1: a direction of a joint                        */
    int joint, coordinate; /* with input -1: joint, and its free direction from 0                                     */
    double weight;         /* > 0: of the squared effort, where efforts are not unique                                */
} clv_inverse_actuator;
/* How the efforts were found. */
typedef struct clv_inverse_result {
    int freedoms;          /* degrees of freedom at the output state, beside those of motions                         */
    int rank;              /* independent actuators: further ones are redundant; fewer than `freedoms` are too few    */
    double missed;         /* largest difference between a requested acceleration and the nearest one that loops allow:
                            * m/s^2, rad/s^2                                                                          */
    double unbalanced;     /* part of the required generalized force that the actuators cannot give: 0 to 1           */
    int joint;             /* joint with the largest `missed`; -1: none                                               */
} clv_inverse_result;
/* Inverse dynamics (T50): the efforts (nactuator; N, N m, or the unit of the input) which, in addition to all loads at
 * the output state, give the joints named these accelerations.  They must determine the motion: of an open chain all
 * joints are named, of a loop as many as it has degrees of freedom.  Joints that a motion prescribes are not named.
 * More accelerations than that are met in the sense of least squares.  An input has its present value among the loads,
 * and its effort is the new value; limits are not applied.  Where efforts are not unique, the sum of weight x effort^2
 * is least.  Where actuators are too few for the motion, the generalized force is met in the sense of least squares.
 * *result may be NULL.  Nothing is set: the output state and the inputs stay.  Allocates.
 * Errors: CLV_ERR_USAGE (a joint, input or weight that is not valid, accelerations that leave a joint undetermined,
 * which is named; aldca, index3), CLV_ERR_UNSUPPORTED (more than 3000 coordinates), CLV_ERR_MEMORY, and those of
 * clv_sim_evaluate. */
CLV_API clv_status clv_sim_inverse(clv_sim *sim, const clv_joint_acceleration *wanted, int nwanted,
                                   const clv_inverse_actuator *actuator, int nactuator, double *effort,
                                   clv_inverse_result *result);

/* What small displacements from an equilibrium do. */
typedef enum clv_stability {
    CLV_STABLE,   /* every one is driven back                                                                         */
    CLV_NEUTRAL,  /* some are not: nothing holds them, nothing drives them away                                       */
    CLV_UNSTABLE, /* some are driven away                                                                             */
} clv_stability;
/* A static equilibrium (T58). */
typedef struct clv_equilibrium {
    clv_stability stability; /* by the stiffness of independent directions                                            */
    int freedoms;          /* degrees of freedom beside those of motions: independent directions                      */
    int neutral, unstable; /* directions that are                                                                     */
    double stiffness;      /* least eigenvalue of the stiffness: N m, for 1 rad or the size of the model              */
    int iterations;        /* steps to it                                                                             */
    double residual;       /* largest generalized force left, beside the largest load                                 */
    double acceleration;   /* largest acceleration of a joint left, m/s^2 or rad/s^2; NaN where motions move          */
    double moved;          /* largest change of a coordinate, m or rad                                                */
    char joint[64];        /* moves most in the direction of least stiffness, or its body; "" without directions   */
} clv_equilibrium;
/* Moves the output state to a static equilibrium (T58): all rates zero, loops closed, motions held where they are,
 * inputs and tables at their values of the output time.  It follows the work of all loads, from the output state.  So
 * it ends in a stable equilibrium, unless it begins in one that is not; with `leave` it continues to a stable one.
 * Dampers and dry friction carry nothing at rest; end stops, springs, flexible bodies and callbacks act.  Rates are
 * then zero, or, where motions move, the least that loops allow.  The change of energy is added to the work.
 * Allocates.  *result may be NULL.
 * Errors, with the state unchanged: CLV_ERR_NO_CONVERGENCE (nothing holds the mechanism, with the joint that moves on;
 * or no equilibrium is found, with the largest force left), CLV_ERR_USAGE (aldca, index3), CLV_ERR_UNSUPPORTED (more
 * than 400 degrees of freedom), CLV_ERR_MEMORY, CLV_ERR_NOT_FINITE, CLV_ERR_SINGULAR. */
CLV_API clv_status clv_sim_equilibrium(clv_sim *sim, bool leave, clv_equilibrium *result);
/* A natural mode of small oscillations (T58). */
typedef struct clv_natural_mode {
    double frequency;      /* Hz, without damping; 0: neutral; negative: it grows by the factor e in 1 / (2 pi |f|) s */
    double damping;        /* damping ratio of the mode, for light damping; NaN for frequencies that are not positive */
    char joint[3][64];     /* joints (or bodies) that move most, the first most; "" if there are fewer                */
    double part[3];        /* their amplitude, in parts of 1 rad or the size of the model, beside the first           */
} clv_natural_mode;
/* Natural modes of small oscillations about the output position (T58.9), as if at rest: loops closed, motions held,
 * inputs at their values.  The position should be an equilibrium (clv_sim_equilibrium).  Fills the `most` lowest (mode
 * may be NULL if most is 0), ascending; *count is the number of all.  The output state stays.  Allocates. Errors:
 * CLV_ERR_SINGULAR (a direction without inertia), and as clv_sim_equilibrium. */
CLV_API clv_status clv_sim_natural_modes(clv_sim *sim, clv_natural_mode *mode, int most, int *count);

/* A state of a linear system (T64): a coordinate of a joint of the spanning tree, or of a mode, or its rate. */
typedef struct clv_linear_state {
    int joint;             /* -1: of the implicit free joint, or of a mode, of `body`                                 */
    int body;              /* body that the joint moves; flexible body of the mode                                    */
    int mode;              /* -1: of a joint                                                                          */
    int coordinate;        /* free direction of the joint: its u counts so; rotations of quaternions about body axes  */
    bool rate;             /* the rate of this coordinate                                                             */
} clv_linear_state;
/* A linear system: the rate of x is A x + B u, and y is C x + D u, for differences from the point.  By rows. */
typedef struct clv_linear {
    int states;                    /* coordinates and rates                                                          */
    int inputs;                    /* of the model                                                                   */
    int outputs;                   /* of the caller                                                                  */
    const clv_linear_state *state; /* (states) independent coordinates, then independent rates: those of the same     */
                                   /* coordinates, in this order, or fewer where joints restrict velocities (T68)     */
    const double *x, *u, *y;       /* the point: states (rotations of quaternions 0), inputs, outputs                 */
    const double *A, *B, *C, *D;   /* (states x states) (states x inputs) (outputs x states) (outputs x inputs)       */
    double error;                  /* estimated error of the differences, beside the largest of its kind; 0: none    */
    const char *differences;       /* why A and B are differences, not derivatives (T64.7); NULL: they are not        */
} clv_linear;
/* Fills y (outputs) at the output state of `sim`, which may be looked at and evaluated, not changed.  Not CLV_OK: the
 * linearization ends with it. */
typedef clv_status (*clv_linear_output_fn)(void *user, clv_sim *sim, double *y);
/* The linear system about the output state (T64), with loops closed, motions as at this time, inputs at their values
 * without their limits.  The state may be one of steady motion, as of a rolling wheel.  States are coordinates that are
 * independent, chosen by the library, and their rates; all units are SI and rad.  A and B are derivatives where
 * clv_sim_derivatives finds them, else differences of sixth order at four steps each, as C and D are.  The output
 * state stays; the next step starts anew from it.  Allocates *result;
 * clv_linear_destroy frees it.  `output` may be NULL without outputs.
 * Errors: CLV_ERR_USAGE (also aldca, index3), CLV_ERR_UNSUPPORTED (inputs that accelerate motions; more than 400
 * degrees of freedom), CLV_ERR_NO_CONVERGENCE (the loops do not close beside the position), CLV_ERR_MEMORY, and those
 * of clv_sim_evaluate. */
CLV_API clv_status clv_sim_linearize(clv_sim *sim, int outputs, clv_linear_output_fn output, void *user,
                                     clv_linear **result);
/* Frees a linear system; NULL is allowed. */
CLV_API void clv_linear_destroy(clv_linear *linear);

/* A number of the model that derivatives can be taken with respect to.  Component 0 unless stated. */
typedef enum clv_number_kind {
    CLV_NUMBER_MASS,      /* of a body, kg: its centre of mass and its inertia about it stay                          */
    CLV_NUMBER_COM,       /* of a body, component 0 to 2, m, body axes: its mass and inertia about it stay            */
    CLV_NUMBER_INERTIA,   /* of a body about its centre of mass, component xx yy zz xy xz yz, kg m^2, body axes       */
    CLV_NUMBER_STIFFNESS, /* of a force joint, spring-damper; bushing: component 0 to 5                               */
    CLV_NUMBER_DAMPING,   /* of these, and of an angular damper                                                       */
    CLV_NUMBER_REST,      /* free length of a spring-damper, coordinate at rest of a force joint                      */
    CLV_NUMBER_DRIVE,     /* constant drive of a force joint; preload of a bushing, component 0 to 5                  */
    CLV_NUMBER_GRAVITY,   /* component 0 to 2, m/s^2                                                                  */
    CLV_NUMBER_POINT_A,   /* point of a joint on its body a, component 0 to 2, m, body axes (clv_sim_sensitivity)     */
    CLV_NUMBER_POINT_B,   /* the same on its body b                                                                   */
    CLV_NUMBER_KINDS
} clv_number_kind;
/* One number of the model, as a derivative by it is requested. */
typedef struct clv_number {
    clv_number_kind kind; /* which kind of number                                                                     */
    int item;             /* body or force; of gravity without meaning                                                */
    int component;        /* of a vector or inertia, as the kind says; else 0                                         */
} clv_number;
/* Derivatives of the accelerations at the output state (T74 to T77).  Matrices by rows, SI and rad. */
typedef struct clv_derivatives {
    int rates;                   /* of the spanning tree, without those that motions prescribe                       */
    int inputs;                  /* of the model                                                                     */
    int numbers;                 /* of the call                                                                      */
    int rows;                    /* of joints and couplings that close loops                                         */
    const clv_linear_state *rate; /* (rates) where each belongs; `rate` is true                                      */
    const double *u, *udot;      /* (rates) at this state                                                            */
    const double *dq, *du;       /* (rates x rates) of udot, on displacements and on rates                           */
    const double *dinput;        /* (rates x inputs) of udot, on the inputs; of a motion's: on its acceleration      */
    const double *dnumber;       /* (rates x numbers) of udot, on the numbers, coordinates and rates held            */
    const double *follow_q;      /* (rates x rates) displacements that follow the displacement of one coordinate     */
    const double *follow_u;      /* (rates x rates) rates that follow it                                             */
    const double *follow_rate;   /* (rates x rates) rates that follow one rate                                       */
    const double *mass;          /* (rates x rates) of the open tree                                                 */
    const double *bias;          /* (rates) mass udot + bias = closing^T lambda: velocity terms less loads           */
    const double *closing;       /* (rows x rates) velocities of the rows of closings, by rates                      */
    const double *delassus;      /* (rows x rows) closing mass^-1 closing^T; NaN where the mass matrix is singular   */
} clv_derivatives;
/* Finds them exactly (T74 to T77).  The equations of motion are differentiated body by body, and the factor of the
 * state is applied to the result.  A displacement of coordinate k is one along its free direction, as u[k] counts it;
 * rotations of quaternions are about axes of the joint's body.
 * Loops: column k belongs to the displacement that keeps the loops closed and is nearest to coordinate k, by kinetic
 * energy.  It is column k of follow_q.  Rates change with it as little as loops allow, by column k of follow_u.  Column
 * k of du belongs to the allowed rates nearest to rate k, column k of follow_rate.  So, for every change (x, y) of
 * coordinates and rates that loops allow, the accelerations change by dq x + du y.  Without loops follow_q and
 * follow_rate are identities, and follow_u is zero.
 *
 * The caller's `number` (numbers; may be NULL if there are none) says what dnumber has columns for.  Set *result to
 * NULL before the first call; later calls for this simulation use its memory again and allocate nothing.  That memory
 * grows with the square of the number of rates; clv_derivatives_destroy frees it.  The output state stays.
 * At a row of a table of a spring or damper, or a point of a cam, derivatives are those to the right (T75, T76). Where
 * an effort limit is reached, its spring, damper and drive have none.
 * Errors: CLV_ERR_USAGE (aldca, index3; a number that the model does not have), CLV_ERR_UNSUPPORTED with the name
 * (callbacks, controls, contacts, friction by reactions, flexible bodies; the centre of mass of a body that floats
 * without a joint; more than 4000 rates), CLV_ERR_SINGULAR (loops in a singular position), CLV_ERR_MEMORY, and those of
 * clv_sim_evaluate.  After an error *result has no meaning but for clv_derivatives_destroy. */
CLV_API clv_status clv_sim_derivatives(clv_sim *sim, const clv_number *number, int numbers,
                                       clv_derivatives **result);
/* Jacobian (6 x rates, by rows) of a point of a body (m, body axes) for the rates of the open tree (T74).  Rows:
 * velocity of the point (m/s), angular velocity of the body (rad/s), global axes.  At the state of the last
 * clv_sim_derivatives, while its simulation exists. Errors: CLV_ERR_USAGE (no such body, NULL). */
CLV_API clv_status clv_derivatives_point(const clv_derivatives *derivatives, int body, const double point[3],
                                         double *jacobian);
/* Frees derivatives; NULL is allowed. */
CLV_API void clv_derivatives_destroy(clv_derivatives *derivatives);

/* A quantity of a run whose sensitivities are found (T109). */
typedef enum clv_observed_kind {
    CLV_OBSERVED_COORDINATE, /* of a joint in the spanning tree, a component of q that is an angle or a length        */
    CLV_OBSERVED_RATE,       /* of a joint in the spanning tree, a component of u                                     */
    CLV_OBSERVED_POSITION,   /* of a marker, component 0 to 2, m, global axes                                         */
    CLV_OBSERVED_VELOCITY,   /* of a marker, component 0 to 2, m/s, global axes                                       */
    CLV_OBSERVED_KINDS
} clv_observed_kind;
/* One of them. */
typedef struct clv_observed {
    clv_observed_kind kind; /* which kind of quantity                                                                 */
    int item;             /* joint or marker                                                                          */
    int component;        /* as the kind says                                                                         */
} clv_observed;
/* A run whose sensitivities are found.  From clv_sensitivity_options_default(). */
typedef struct clv_sensitivity_options {
    unsigned cookie;         /* set by the default function                                                           */
    const char *integrator;  /* NULL (default): "dopri5"; "rk4", "bs23", "dop853"                                     */
    double rtol, atol;       /* NaN (default): those of the simulation; atol in parts of 1 rad or the model's size    */
    double step;             /* s: longest step, and steps are as long (rk4 needs it); 0 (default): adaptive          */
    int frames;              /* times at which outputs are taken, at least 1                                          */
    const double *time;      /* (frames) s, ascending; the first may be the output time                               */
    int outputs, numbers;    /* how many outputs, and numbers of the model                                            */
    const clv_observed *output; /* (outputs)                                                                          */
    const clv_number *number; /* (numbers) by which sensitivities are found; their bodies and forces as in the model  */
    const double *input;     /* (frames x inputs) values of the inputs up to each frame, from the one before it; NULL
                              * (default): as they are                                                                */
    int firsts;              /* number of:                                                                            */
    const int *first;        /* joints whose coordinates are chosen as independent before others                      */
    const struct clv_sensitivity *like; /* a run with the same frames and integrator whose step sizes and choices of
                              * coordinates are taken; NULL (default): its own                                        */
    double memory;           /* bytes, 1e9: stages beyond it are not kept, but made again where they are required     */
} clv_sensitivity_options;
/* What a run on the side has given.  Arrays by rows; they belong to it. */
typedef struct clv_sensitivity {
    int frames, outputs, numbers, inputs, rates; /* of the run, the model, the spanning tree                          */
    long steps, evaluations;                     /* of accelerations, rejected steps and gradients included           */
    const double *time;                          /* (frames) s                                                        */
    const double *y;                             /* (frames x outputs)                                                */
    const clv_linear_state *rate;                /* (rates) where each belongs                                        */
    const bool *independent;                     /* (rates) coordinates that the start is given by                    */
} clv_sensitivity;
/* Sensitivities.  Any pointer may be NULL. */
typedef struct clv_slopes {
    double *number; /* by the numbers of the model                                                                    */
    double *input;  /* by the inputs                                                                                  */
    double *q, *u;  /* by coordinates (displacements as u counts them) and rates of the start; 0 where dependent      */
} clv_slopes;
/* The defaults stated in clv_sensitivity_options. */
CLV_API clv_sensitivity_options clv_sensitivity_options_default(void);
/* Runs the model from the output state on, beside the simulation, whose state stays.  Steps of a Runge-Kutta method are
 * made in independent coordinates, and loops are closed at every stage.  What clv_sensitivity_forward and _adjoint
 * differentiate is this computation: its steps with the sizes they had, exactly (T109 to T111).
 * Events that lock and release happen in it, and derivatives contain how their times move (T125).  `rate` and
 * `independent` are those of the mechanism at the start.  `like` does not go with events.
 * *result is a new object; clv_sensitivity_destroy frees it.  Errors: CLV_ERR_USAGE (options that do not fit),
 * CLV_ERR_UNSUPPORTED with the name (what clv_sim_derivatives does not take; events that attach, wait for a reaction or
 * a loop joint, end the run before its last frame, or follow another one at once; joints that restrict velocities;
 * motions whose rates jump; inputs of motions), CLV_ERR_SINGULAR, CLV_ERR_NO_CONVERGENCE, CLV_ERR_STEP_SIZE,
 * CLV_ERR_MEMORY, and those of evaluations. */
CLV_API clv_status clv_sim_sensitivity(clv_sim *sim, const clv_sensitivity_options *options, clv_sensitivity **result);
/* Gradient of J = sum of weight (frames x outputs) times y: number (numbers), input (frames x inputs: by the value up
 * to each frame), q and u (rates) (T111).  If weight holds the derivatives of a function of all y, it is the gradient
 * of that function.  The cost hardly grows with the number of numbers.  The simulation must exist; clv_sim_error has
 * the reason of a failure.  Errors: CLV_ERR_USAGE (no weights, an event has changed the mechanism since),
 * CLV_ERR_SINGULAR, CLV_ERR_MEMORY. */
CLV_API clv_status clv_sensitivity_adjoint(clv_sensitivity *run, const double *weight, const clv_slopes *gradient);
/* Derivatives of all outputs: number (frames x outputs x numbers), input (frames x outputs x inputs: by a constant
 * added to an input from start to end), q and u (frames x outputs x rates) (T110).  The cost grows with their number.
 * Errors: as clv_sensitivity_adjoint. */
CLV_API clv_status clv_sensitivity_forward(clv_sensitivity *run, const clv_slopes *slopes);
/* Frees a sensitivity run; NULL is allowed. */
CLV_API void clv_sensitivity_destroy(clv_sensitivity *run);

/* Iterations of one stage of an augmented Lagrangian formulation (T23), summed over a run. */
typedef struct clv_stage_report {
    long runs, iterations; /* how often the stage was run, and its iterations together                            */
    int most;              /* most iterations of one run                                                          */
    long limited;          /* runs ended by the limit of iterations                                               */
    long stalled;          /* runs ended above the tolerance because changes did not decrease                     */
} clv_stage_report;

/* Account of a run up to now. */
typedef struct clv_sim_report {
    const char *formulation; /* name in use                                                                          */
    const char *integrator;  /* name in use                                                                          */
    int bodies, joints, loops;   /* numbers, bodies without interface nodes; loops = joints - bodies + components     */
    int mobility_counted;        /* degrees of freedom by counting constraint rows                                   */
    int mobility_found;          /* degrees of freedom by the rank of the constraints at the start                   */
    int mobility_beside;         /* the same a small step beside the start; less where the start is singular         */
    int redundant_constraints;   /* redundant rows at the start                                                      */
    double time;                 /* s, end of the last accepted step                                                  */
    long steps, rejected_steps, rate_evaluations; /* numbers since the start                                         */
    double energy_initial, energy; /* J                                                                              */
    double max_energy_drift;     /* J; NaN with callbacks, whose power is not known                                  */
    double max_position_violation, max_velocity_violation; /* m or rad (per s), largest over accepted steps          */
    double max_velocity_violation_full; /* the same over steps where no direction was truncated                       */
    long truncated_evaluations;  /* evaluations in which the rank fell below the rank at the start                    */
    double dropped_energy;       /* J: largest kinetic energy found in dropped directions, removed when they return;
                                  * aldca: sum removed by velocity projections that ended at the limit of iterations  */
    double min_pivot;            /* smallest scaled pivot accepted                                                    */
    double rank;                 /* threshold of rank decisions in use: the option, or less for a weak start          */
    double start_moved;          /* m or rad: how far assembly moved the start                                        */
    double start_velocity_moved; /* m/s or rad/s                                                                     */
    double start_strain_energy;  /* J: of flexible bodies at the start                                               */
    double energy_moved;         /* J: largest kinetic energy, or change of potential energy, over accepted steps    */
    double max_energy_drift_relative; /* max_energy_drift / energy_moved; NaN where the drift is unknown, and where
                                       * nothing moves: without degrees of freedom, within 30 times the absolute
                                       * tolerance, or by no more than energy_still                                   */
    double energy_still;         /* J: what rounding may make move at rest (T15)                                      */
    double momentum_error;       /* hdca: what rates lose as momenta at the start, relative (rounding times condition
                                  * of the mass matrix); also where dca serves for that reason; else 0                */
    double contradiction;        /* rad, or relative to the size: inconsistency of redundant constraints at the start */
    double max_contradiction;    /* the same: largest violation left in redundant rows by projections since the start */
    long contact_steps;          /* moreau: steps with impulses of rigid contacts, stops and dry friction             */
    long contact_iterations;     /* of the search for these impulses, all steps together                              */
    long contact_limited;        /* of these steps, those that reached the limit of iterations                        */
    double contact_residual;     /* m/s: largest change of a velocity in a last iteration of them                    */
    long contact_jams;           /* of these steps, those with a sliding point that friction presses into the surface */
    long contact_jam;            /* 1 + number of the contact with the first such point; 0: there was none            */
    double contact_jam_time;     /* s, when; 0: never                                                                 */
    double max_sigma;            /* N s or N m s: largest impulse of a loop joint (hdca)                              */
    long events;                 /* discontinuities of motions and force tables passed                                */
    long velocity_jumps;         /* of these, jumps in the velocity of motions                                        */
    double max_velocity_jump;    /* m/s or rad/s: the largest jump of a motion's rate                                 */
    clv_stage_report stage[3];   /* positions, velocities, accelerations; runs 0: the formulation has none            */
    double step;                 /* s: fixed step in use, or 0                                                        */
    long iterations;             /* index3: of all steps                                                              */
    int last_iterations, max_iterations; /* of the last step, of the worst                                            */
    long missed_steps;           /* steps accepted at the limit of iterations                                         */
    double acceleration_violation, max_acceleration_violation; /* m/s^2 or rad/s^2, last and worst step               */
    int lanes;                   /* doubles that this CPU's kernels process at a time; no result depends on it        */
} clv_sim_report;
/* Threads that share out the evaluations and steps of the simulation (T44), the caller's included; 0 for NULL. 1 where
 * more of them do not pay, whatever was requested. They exist until the simulation is destroyed; between two steps
 * they spin for at most 0.1 ms and then sleep. Callbacks are called on the caller's thread alone. */
CLV_API int clv_sim_threads(const clv_sim *sim);
/* Why so many: a text that is valid until the program ends; NULL for NULL and where creation failed. */
CLV_API const char *clv_sim_threads_why(const clv_sim *sim);
/* The account of the run up to now; meaningful after a successful clv_sim_create. */
CLV_API void clv_sim_summary(const clv_sim *sim, clv_sim_report *report);
/* What an event of the model has done, at the last time that it happened (T60, T95). */
typedef struct clv_event_result {
    bool happened;   /* false: the numbers below are NaN, count is 0                                         */
    long count;      /* how often; more than once only with `again`                                          */
    double time;     /* s                                                                                    */
    double q;        /* m or rad: the coordinate that the locked joint keeps; else NaN                       */
    double impulse;  /* N s or N m s: lock: by it on the joint, positive along its rate; attachment: size of */
                     /* the linear impulse; else 0                                                           */
    double energy_lost; /* J: minus the work of that impulse                                                 */
    double linear[3], angular[3]; /* N s, N m s: of an attachment, on b at the joint point, global axes; else 0 */
} clv_event_result;
/* What event number i has done (T60, T95); false if there is none, and then all is as of one that did not happen. The
 * impulse is 0 where an event has nothing to do: its joint is locked already, or is not there; its bodies are attached
 * already. */
CLV_API bool clv_sim_event(const clv_sim *sim, int i, clv_event_result *result);
/* The event that has ended the run (calls then return CLV_STOPPED), or -1. */
CLV_API int clv_sim_stopped(const clv_sim *sim);
/* What bounded the adaptive steps: the coordinate whose error estimate was most often the largest against its
 * tolerance. */
typedef struct clv_step_limit {
    int body;     /* the flexible body, or the body that the joint carries                     */
    int joint;    /* its number; -1: of a flexible body, or a body without a joint             */
    int mode;     /* of the flexible body, from 0; -1: none                                    */
    double frequency; /* Hz of that mode with the frame held; NaN: none                        */
    double share; /* of the accepted steps                                                     */
} clv_step_limit;
/* What set the steps so far (T16); false where that is not known: fixed steps,
 * methods without such an estimate, no step yet. */
CLV_API bool clv_sim_step_limit(const clv_sim *sim, clv_step_limit *limit);
/* Numbers in the bare state of an output. */
CLV_API size_t clv_sim_state_size(const clv_sim *sim);
/* Advances as clv_sim_advance does and with the same bits, but copies the bare state at `time` (s; state:
 * clv_sim_state_size numbers) instead of computing views. The functions above still show the last
 * clv_sim_advance. A state costs a small part of an output; another simulation can show it, also on another thread.
 * Errors: as clv_sim_advance. Allocates nothing. */
CLV_API clv_status clv_sim_advance_state(clv_sim *sim, double time, double *state);
/* Shows a state copied from another simulation of the same model and options (size: numbers in it). Views, and
 * joints after clv_sim_evaluate, have the bits that clv_sim_advance would have given there. A simulation that
 * shows states must not be advanced any more. Errors: CLV_ERR_USAGE (not a state of this model),
 * CLV_ERR_SINGULAR, CLV_ERR_NOT_FINITE. Allocates nothing. */
CLV_API clv_status clv_sim_show_state(clv_sim *sim, const double *state, size_t size);
/* Bytes that clv_sim_save writes; they change at events of the model (T60) alone. 0: it cannot be saved. */
CLV_API size_t clv_sim_saved_size(const clv_sim *sim);
/* Writes everything that the rest of the run depends on (state, step size, histories, rank decisions, accounts of the
 * report, output state), as clv_sim_saved_size bytes. They are valid on this machine; a simulation that loads them
 * continues with the same bits. Allocates nothing. */
CLV_API void clv_sim_save(const clv_sim *sim, void *bytes);
/* Loads a saved state. The simulation must be newly created, from the same model with the same formulation,
 * integrator, tolerances and steps; threads may differ, and clv_sim_set_end is called again. The same model: every
 * number, name, table and mode; its title and callbacks are not compared. Errors: CLV_ERR_USAGE (bytes of another
 * model, other options or another version, damaged bytes); the simulation is then unchanged.
 * Allocates nothing. */
CLV_API clv_status clv_sim_load(clv_sim *sim, const void *bytes, size_t size);
/* Is `joint` in a redundant set at the start state (T13, T20)? Its constraint forces are then not all unique.
 * False if there is no such joint. */
CLV_API bool clv_sim_joint_redundant(const clv_sim *sim, int joint);
/* The same for a coupling (T13, T20): is the effort that it transmits not unique? False if there is none. */
CLV_API bool clv_sim_coupling_redundant(const clv_sim *sim, int coupling);
/* How a joint can move from the start position, as loops, couplings and prescribed motions allow (T14). */
typedef enum clv_mobility {
    CLV_MOBILITY_RESTS,   /* not at all; or only later, as the motions prescribe                                     */
    CLV_MOBILITY_FOLLOWS, /* only as the motions prescribe                                                           */
    CLV_MOBILITY_PAUSES,  /* freely, but its rate is zero in every motion through the start position: a dead point   */
    CLV_MOBILITY_MOVES,   /* freely                                                                                  */
} clv_mobility;
/* Mobility of `joint` at the start (T14); CLV_MOBILITY_RESTS if there is no such joint. */
CLV_API clv_mobility clv_sim_joint_mobility(const clv_sim *sim, int joint);
/* Distance by which assembly moved the coordinates of `joint` (T36): m or rad, for a quaternion its angle. 0
 * for loop joints; NaN if there is no such joint. */
CLV_API double clv_sim_joint_start_moved(const clv_sim *sim, int joint);
/* How far the rates of a joint at the start are from those the model gives for it (m/s or rad/s, the largest of its
 * components); 0 if it gives none.  Loops and couplings may leave no motion that has all given rates: then the start is
 * the motion nearest in kinetic energy (docs/theory.md, T14).  NaN: no such joint, or the simulation did not start. */
CLV_API double clv_sim_joint_start_rate_moved(const clv_sim *sim, int joint);
/* The same of the velocity and the angular velocity that the model gives for a body, at its centre of mass (m/s or
 * rad/s, the largest of the six components; T14).  0: the model gives none.  NaN: no such body, or the simulation did
 * not start. */
CLV_API double clv_sim_body_start_velocity_moved(const clv_sim *sim, int body);

/* ------------------------------------------------------------------ ensembles */

/* Many simulations of one model with different parameters, starts or inputs, on threads.  Every instance is a
 * simulation of its own, by one thread and with its own step control, advanced from sample to sample as by
 * clv_sim_advance.  Its results are kept by its number.  Up to eight instances of a thread are evaluated side by side,
 * in lanes, where their mechanism allows it (clv_ensemble_alone).  The bits of an instance depend neither on the other
 * instances nor on the number of threads.  An instance that fails does not stop the others. */
typedef struct clv_ensemble clv_ensemble;

/* What the instances are.  Start from clv_ensemble_desc_default().  The model comes from one of three sources: `model`,
 * `text`, or `make`.  All pointers must stay valid until clv_ensemble_destroy.  The callbacks are called on the threads
 * of the ensemble; `make` and `prepare` of several instances at the same time, `done` never twice at a time. */
typedef struct clv_ensemble_desc {
    unsigned cookie; /* set by the default function */
    int instances;           /* > 0                                                                    */
    const clv_model *model;  /* one finished model for all instances                                   */
    const char *text;        /* a model file; read for every instance, with its values                 */
    size_t size;             /* bytes of text                                                          */
    const char *file_name;   /* its name in errors, and where its files of modes are; or NULL          */
    int nvalue;              /* of `text`: parameters and places that differ between instances         */
    const char *const *name; /* their names as of clv_model_read_with (nvalue)                         */
    const char *const *unit; /* of their values; NULL or "": of the parameter, else SI (nvalue); may be NULL */
    const double *value;     /* (instances x nvalue)                                                   */
    int nparam;              /* of `text`: values that are the same in all instances                   */
    const char *const *params; /* as `name=value` (nparam)                                             */
    /* Makes the finished model of an instance, which the ensemble destroys.  On failure *model is NULL or carries the
     * error. */
    clv_status (*make)(void *user, int instance, clv_model **model);
    /* Before an instance starts: sets its joints, inputs, controls.  A failure is that of the instance.  NULL: none. */
    clv_status (*prepare)(void *user, int instance, clv_sim *sim);
    /* After an instance: its results may be read.  false: no more instances are started, those under way come to their
     * end.  NULL: none. */
    bool (*done)(void *user, int instance);
    void *user;              /* handed to the callbacks                                                */
    double time;             /* s, end of every instance; > 0                                          */
    double every;            /* s, between samples for least, largest and rms values; 0: a hundredth of time */
    long max_steps;          /* an instance with more steps fails (CLV_ERR_STEP_SIZE); 0: no limit      */
    const char *columns;     /* names and patterns of columns, as of `cleave run --columns`; NULL: the usual ones */
    const bool *skip;        /* instances that are not run (instances); NULL: none                     */
    int threads;             /* 0 (default): as many as processors; at most 4096                       */
    bool apart;              /* instances share no lanes: slower, with the same bits                   */
    clv_sim_options options; /* of all instances; its threads are not used                             */
} clv_ensemble_desc;
/* The defaults stated in clv_ensemble_desc, and those of clv_sim_options. */
CLV_API clv_ensemble_desc clv_ensemble_desc_default(void);
/* Checks the description and finds the outputs.  They are those of the model without values (source `text`) or of
 * instance 0 (`make`); an instance with other columns fails.  On failure *ensemble carries clv_ensemble_error (it is
 * NULL only when out of memory); destroy it as usual.  Errors: CLV_ERR_USAGE, CLV_ERR_MEMORY, those of reading. */
CLV_API clv_status clv_ensemble_create(clv_ensemble **ensemble, const clv_ensemble_desc *desc);
/* Frees an ensemble; NULL is allowed. */
CLV_API void clv_ensemble_destroy(clv_ensemble *ensemble);
/* The error of the creation or of the last clv_ensemble_run.  Never NULL. */
CLV_API const clv_error *clv_ensemble_error(const clv_ensemble *ensemble);
/* Numbers that every instance gives: its time, steps, rejected_steps, rate_evaluations, max_energy_drift,
 * max_energy_drift_relative, max_position_violation and max_velocity_violation as of clv_sim_report.  Then, for each
 * component of the columns, its value at the end (NAME) and NAME.min, NAME.max, NAME.rms.  These are the least and the
 * largest of the samples, and the root of the mean square over time, by the trapezoidal rule. */
CLV_API int clv_ensemble_output_count(const clv_ensemble *ensemble);
/* Name of output number i; NULL if there is none. */
CLV_API const char *clv_ensemble_output_name(const clv_ensemble *ensemble, int i);
/* Unit of output number i, "" for pure numbers; NULL if there is none. */
CLV_API const char *clv_ensemble_output_unit(const clv_ensemble *ensemble, int i);
/* Runs all instances that have not run and are not skipped.  Errors: CLV_ERR_USAGE (called from a callback),
 * CLV_ERR_MEMORY (threads could not be started).  Failures of instances are not among them. */
CLV_API clv_status clv_ensemble_run(clv_ensemble *ensemble);
/* Has this instance run, to its end or to a failure? False if there is no such instance. */
CLV_API bool clv_ensemble_ran(const clv_ensemble *ensemble, int instance);
/* How an instance ended: the status of its failure, else CLV_OK; CLV_ERR_USAGE if it has not run. */
CLV_API clv_status clv_ensemble_status(const clv_ensemble *ensemble, int instance);
/* Why an instance failed; code CLV_OK if it did not, or has not run.  Never NULL. */
CLV_API const clv_error *clv_ensemble_instance_error(const clv_ensemble *ensemble, int instance);
/* Why an instance was evaluated alone, in words: "closed loops", say.  NULL: it shared lanes with others, or has not
 * run.  Lanes change the speed and no bit (docs/theory.md, T85). */
CLV_API const char *clv_ensemble_alone(const clv_ensemble *ensemble, int instance);
/* The outputs of an instance (clv_ensemble_output_count numbers); NULL if it has not run.  Of a failed instance,
 * numbers of the columns are NaN and the others are those at the failure (NaN if it did not start). */
CLV_API const double *clv_ensemble_output(const clv_ensemble *ensemble, int instance);

/* ------------------------------------------------------------------ rarely */

/* The plan in numbers, for `cleave check` and tests. */
typedef struct clv_plan_report {
    int bodies, tree_joints, closing_joints, loops; /* the model as a graph; tree joints include implicit free ones  */
    int limbs, branches; /* strands without handles, and with handles (T4)                                           */
    int leaves, nodes;   /* of the assembly tree (T5)                                                                */
    int freedoms, closing_rows; /* DOF of tree joints; rows of loop joints, couplings; difference: mobility_counted  */
    int sections;        /* branches of formulation connection (T28), else 0                                         */
    int connections;     /* joints and constraints that its method 1 solves for at once, else 0                      */
    int depth;           /* of the assembly tree, leaves 0                                                           */
    int max_ports;       /* largest number of handles of a node                                                      */
    int groups;          /* lane groups of eight strands                                                             */
    long long hash; /* of the whole plan: equal plans have equal hashes */
} clv_plan_report;
/* The plan of a simulation in numbers (T4, T5). */
CLV_API void clv_sim_plan(const clv_sim *sim, clv_plan_report *report);
/* A branch of formulation connection (T28). */
typedef struct clv_branch_report {
    const char *name; /* as in the model; of a branch chosen automatically: its base body                           */
    int base;         /* its base body                                                                              */
    int bodies;       /* number of bodies                                                                           */
    int handles;      /* number of bodies that have connections; 0: it is not connected                             */
} clv_branch_report;
/* Branch number i from 0 of a simulation by formulation connection (T28); false if there is none. */
CLV_API bool clv_sim_branch(const clv_sim *sim, int i, clv_branch_report *report);

/* Source of the library's memory; all three functions are required, and may be called from any thread. */
typedef struct clv_allocator {
    void *(*allocate)(void *user, size_t alignment, size_t size); /* size bytes, > 0, alignment a power of two up to 64,
                                                                     NULL: none left                                  */
    void *(*resize)(void *user, void *block, size_t size);        /* as realloc (block may be NULL), NULL: block stays;
                                                                     only for blocks of plain alignment (max_align_t) */
    void (*release)(void *user, void *block);                     /* block is not NULL                                */
    void *user;                                                   /* handed to the three functions                    */
} clv_allocator;
/* Sets the allocator of this process; NULL: the C library's, the default. The description is copied. Call it
 * first; it must not run at the same time as another call of the library. Model files are read by libyaml, which
 * always uses the C library's allocator, as does the solver of "bdf". Errors: CLV_ERR_USAGE, and nothing changes
 * (a model or simulation exists, or a function is missing). */
CLV_API clv_status clv_allocator_set(const clv_allocator *allocator);
/* Version of the library as "major.minor.patch". */
CLV_API const char *clv_version(void);

#ifdef __cplusplus
}
#endif
#endif
