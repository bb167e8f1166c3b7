/* SPDX-License-Identifier: Apache-2.0
 * The model: bodies, joints as a graph, loads, motions, couplings, markers.  Filled by clv_model_add_*, resolved and
 * frozen by clv_model_finish; every floor above only reads it. */
#ifndef CLV_MODEL_MODEL_H
#define CLV_MODEL_MODEL_H
#include "cleave/cleave.h"
#include "model/flex.h"

/* Where an item stands in its model file, from 1; line 0: not from a file. */
typedef struct clv_place {
    int line, column;
} clv_place;

typedef struct clv_body {
    char *name;
    clv_place place, start_place; /* of its name under bodies, under start.bodies         */
    double mass;        /* kg                                                           */
    double com[3];      /* m, body axes                                                 */
    double J[6];        /* kg m^2 xx yy zz xy xz yz about com, body axes                */
    double r[3], e[4];  /* reference pose: body frame origin (m), quaternion w x y z.   */
                        /* After finish: always set (given, or derived: resolve.c)      */
    const double *moving; /* start velocity of the body frame origin, then angular velocity; NULL: at rest */
    const clv_shape *shape; /* what it looks like, never NULL                           */
    struct clv_hull *hull; /* of a mesh; the points of the shape are its corners. NULL: none */
    const double *clipped; /* its principal moments (kg m^2, ascending), where J was no rigid body's and has been
                            * replaced (lenient); else NULL                             */
    int branch;         /* user-named branch, index from 0; -1 none                     */
    int flex;           /* flexible body it belongs to, or -1                           */
    int node;           /* node of it, or -1: its frame                                 */
    bool placed;        /* start pose given explicitly                                  */
} clv_body;

typedef struct clv_curve clv_curve;

/* What few joints have. */
typedef struct clv_joint_more {
    double pitch;           /* m/rad                                                                           */
    double distance;        /* m; distance constraint                                                          */
    double radius;          /* m; rolling disc or sphere                                                       */
    clv_curve *curve;       /* owned, in the joint frame of a: point-on-curve (curve.h), else NULL             */
    double armature[3];     /* kg m^2, kg: inertia of rotors along its rates (T113)                            */
    double baumgarte[2], alpha, omega, mu; /* how its rows are held; NaN: as the simulation says               */
} clv_joint_more;

typedef struct clv_joint_short { /* the short form as it was given */
    double at[3], at_b[3], axis[3], x_axis[3];
} clv_joint_short;

/* Numbers behind pointers are the model's (keep.h). */
typedef struct clv_joint {
    char *name;
    clv_place place, start_place;
    double pa[3], Ea[9];    /* joint frame in body a: origin (m), rotation row major (columns = axes x y z)     */
    double pb[3], Eb[9];    /* same in body b                                                                  */
    const clv_joint_more *more; /* never NULL                                                                   */
    const clv_joint_short *given; /* until finish resolves it; NULL: the long form is given                    */
    const double *q, *u;    /* (nq) (nu) of the start; where they are not given the zero pose, at rest         */
    double follow;          /* m or rad, if `follows`                                                           */
    clv_joint_kind kind;
    int a, b;               /* bodies or CLV_GROUND; b is never CLV_GROUND in the tree direction: plan may flip */
    int cut;                /* 1 cut, 0 keep, -1 free                                                           */
    bool absent;            /* an attachment before its event; in variants also a joint that was released       */
    bool has_q, has_u;
    bool follows;           /* not given: the start coordinate follows by a coupling, after finish              */
} clv_joint;

typedef struct clv_series { /* owned copy of a clv_table; for motions also what its profile needs (profile.c) */
    int n;
    clv_profile profile; /* motions; tables of loads are linear */
    double *time, *value, *curve;
} clv_series;

/* Times that differ by less than this part of their size are one break. */
#define CLV_BREAK_MERGE 1e-13

typedef struct clv_force {
    char *name;
    clv_place place;
    clv_force_kind kind;
    int a, b;
    double point_a[3], point_b[3], vector[3];
    bool in_body;
    clv_series table;
    int joint, coordinate;
    double stiffness, damping, rest, drive;
    clv_friction friction; /* breakaway is a number; 0: no friction */
    clv_bearing bearing;   /* coefficients are numbers; static 0: none */
    clv_series spring, damper; /* n 0: none                         */
    double limit;          /* 0: none                               */
    clv_stop stop;         /* stiffness 0: none                     */
    clv_bushing bushing;
    int npoint, nterm;     /* of a tendon: points of its path, or joints of its sum */
    clv_path_point *path;
    clv_coupling_term *term;
    clv_drag drag;
    clv_contact contact;   /* a is the ground if one is; unit normal, or 0: none; friction is numbers;
                            * restitution < 0: compliant */
    struct clv_touch_group *group; /* of a contact of many bodies (group.h), else NULL */
    clv_load_fn call;
    void *user;
} clv_force;

typedef struct clv_input {
    char *name;
    clv_place place;
    clv_input_kind kind;
    int joint, coordinate, body, motion, force;
    double point[3], vector[3];
    bool in_body;
    double value, limit[2];
    double rate_limit;             /* 0: none                      */
    double stall_effort, no_load_speed; /* 0: none                 */
} clv_input;

typedef struct clv_event {
    char *name;
    clv_place place;
    clv_condition condition;
    int joint, marker[2]; /* of the condition, or -1, -1: at a time */
    bool below;
    double value, time;
    bool again;
    clv_action action;
    int lock;           /* joint, or -1                                                             */
    char *release;      /* a name, or NULL; after finish:                                           */
    int undone;         /* the event whose lock or attachment is taken back, or -1                  */
    int opened;         /* the joint that is opened, or -1                                          */
    int attached;       /* the joint that an attachment adds, or -1                                 */
    double axis[3];     /* its axis as it was given                                                 */
} clv_event;

/* Does the load act along a coordinate of the joint? */
static inline bool clv_force_acts_in(const clv_force *f, int joint)
{
    for (int i = 0; i < f->nterm; i++)
        if (f->term[i].joint == joint)
            return true;
    return f->kind == CLV_FORCE_JOINT && f->joint == joint;
}

/* Does it wait for a quantity? */
static inline bool clv_event_waits(const clv_event *x)
{
    return x->joint >= 0 || x->marker[0] >= 0;
}

typedef struct clv_motion {
    char *name;
    clv_place place;
    int joint;
    double offset, rate, amplitude, frequency, phase; /* offset is a number after finish */
    clv_series table;
    double end_rate[2]; /* m/s, rad/s: profile clamped */
} clv_motion;

enum { CLV_COUPLING_MOST = 32, CLV_COUPLING_DEGREE = 8 }; /* joints of a coupling; degree of its polynomial */

typedef struct clv_coupling { /* sum of f_i(q_i) = offset, f_i(q) = factor q, or factor times its curve (T98) */
    char *name;
    clv_place place;
    bool sum;             /* given as one; else term 0 is `second` with factor 1, term 1 is `first`        */
    int nterm;
    clv_coupling_term *term;
    int npolynomial;      /* coefficients of the curve of term 1, or 0                                    */
    double polynomial[CLV_COUPLING_DEGREE + 1];
    clv_series table;     /* or its points: time is the coordinate                                        */
    bool periodic;
    double offset;        /* a number after finish */
} clv_coupling;

typedef struct clv_marker {
    char *name;
    clv_place place;
    int body;
    double position[3];
} clv_marker;

typedef struct clv_visual { /* drawn, and nothing else */
    char *name;
    clv_place place;
    int body;        /* or CLV_GROUND                                              */
    clv_shape shape; /* kind CLV_SHAPE_NONE: a mesh, at its place                  */
    char *mesh;      /* its file as the model names it; NULL: none                 */
    char *path;      /* the same as it is opened                                   */
    double scale[3]; /* of the mesh */
} clv_visual;

typedef struct clv_further { /* a shape beside that of its body, for contacts */
    char *name;
    clv_place place;
    int body; /* or CLV_GROUND */
    clv_shape shape;
    struct clv_hull *hull; /* as of clv_body */
} clv_further;

struct clv_model {
    char *name;
    char *file;          /* model file it was read from; NULL: built by calls          */
    int nside;           /* files beside it that parts of it were read from            */
    char **side;         /* their names                                                */
    double gravity[3];
    bool finished;
    bool strained;       /* assembly of the start: flexible bodies take part, see cleave.h */
    bool lenient;        /* inertias that no body has are clipped, not refused        */
    int nbody, njoint, nforce, nmotion, ncoupling, nmarker, nbranch, ninput, nflex, nevent, nvisual, nshape;
    clv_body *body;
    clv_joint *joint;
    clv_force *force;
    clv_motion *motion;
    clv_input *input;
    clv_coupling *coupling;
    clv_marker *marker;
    clv_event *event;
    clv_visual *visual;
    clv_further *shape;
    clv_flex *flex;      /* flexible bodies                                            */
    char **branch;       /* names of user branches */
    double begin;        /* s, time of its start: 0, but for variants after an event       */
    double time_end;     /* s; suggested duration for examples and files; 0 = none */
    int nparameter;
    clv_parameter *parameter; /* of its file, for lists: see parameter.h               */
    bool imported;       /* read from a URDF or MJCF                                      */
    int ndropped, dropped_capacity;
    clv_dropped *dropped; /* what such a file says and the model does not carry; harmful ones first */
    int nerror, error_capacity;
    clv_error *error;    /* all errors of a file; error[nerror-1] the last                                     */
    int error_mark;      /* private to model_error.c: errors there before finish was tried; -1: not yet        */
    int error_more;      /* private to model_error.c: errors beyond CLV_ERROR_LIMIT                            */
    clv_error last;      /* what clv_model_error returns                                                       */
    void *names;         /* name index, private to model.c (so that 10^5 bodies stay O(n log n))                */
    struct clv_keep *keep; /* numbers that few items have (keep.h)                                              */
    size_t capacity[11];  /* private to model.c                                                                 */
};

#define CLV_ERROR_LIMIT 100 /* errors kept; one more record then says how many were left out */

/* Does it have rotors (T113)? */
static inline bool clv_joint_armed(const clv_joint *j)
{
    const double *R = j->more->armature;
    return R[0] != 0 || R[1] != 0 || R[2] != 0;
}
/* Start coordinates that are given, or follow by a coupling; NULL: neither, the reference poses determine it. */
static inline const double *clv_joint_known(const clv_joint *j)
{
    return j->has_q ? j->q : j->follows ? &j->follow : NULL;
}

/* Appends a copy of e to the list of errors (for readers; finish then fails). */
void clv_model_log(clv_model *m, const clv_error *e);
/* Notes a file beside the model file that a part of the model is read from; false: out of memory.  Whoever reads one
 * must: a run file then keeps the model written out, and no result replaces the file. */
bool clv_model_note_side(clv_model *m, const char *path);
/* Notes something that is not carried over (copied); false: out of memory. */
bool clv_model_note_dropped(clv_model *m, const char *file, int line, int column, bool harmful, const char *kind,
                            const char *text);
void clv_model_order_dropped(clv_model *m); /* harmful ones first; out of memory: as they are */
void clv_model_free_dropped(clv_model *m);
/* Appends a CLV_ERR_MODEL record located at `group.name.field` ("bodies", "crank", "mass") and named; field NULL:
 * group.name. The record returned (never NULL) takes a hint and a value. */
clv_error *clv_model_note(clv_model *m, const char *group, const char *name, const char *field, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Sets path and body/joint of an error. */
void clv_error_locate(clv_error *e, const char *group, const char *name, const char *field);
/* Start value of an input of a finished model, before any simulation of it; false: beyond its limits, not finite. */
bool clv_model_start_input(clv_model *m, int input, double value);
/* Does an event attach or open the joint? */
bool clv_model_comes_and_goes(const clv_model *m, int joint);
/* The rules of events, and what they release; appends all errors (event_rules.c). */
void clv_model_validate_events(clv_model *m);
/* The rules of tendons and drags (validate_tendon.c). */
void clv_model_validate_tendon(clv_model *m, const clv_force *f);
void clv_model_validate_drag(clv_model *m, const clv_force *f);
/* The rules of a contact (validate_contact.c). */
void clv_model_validate_contact(clv_model *m, const clv_force *f);
void clv_model_validate_pairs(clv_model *m, const clv_force *f); /* of settled contacts of many bodies */
/* Every rule that needs no pose; appends all errors (validate.c). */
void clv_model_validate(clv_model *m);
/* Reference poses, short forms to body frames, offsets and distances from the start; appends errors (resolve.c). */
clv_status clv_model_resolve(clv_model *m);
/* Pose of joint j from the reference poses of its bodies: frame b in frame a, and coordinates.  Finished models. */
void clv_joint_start(const clv_model *m, const clv_joint *j, double *q);

/* Prescribed coordinate of motion m at time t: value (rad, m), first and second derivative.  At a row of its table
 * those of the piece after it, at the last row of the one before.  T7. */
void clv_motion_at(const clv_motion *m, double t, double *q, double *qd, double *qdd);
/* The same inside the span between two breaks that ends at `until` (s; INFINITY: never): at `until` those of the piece
 * before it, elsewhere of the piece after. */
void clv_motion_in(const clv_motion *m, double t, double until, double *q, double *qd, double *qdd);
/* The same with what an input has added: time, position and rate of its last change, acceleration since; NULL: none. */
void clv_motion_with(const clv_motion *m, const double *added, double t, double until, double *q, double *qd,
                     double *qdd);
/* m/s or rad/s: about its largest rate (of a table: the steepest slope from row to row). */
double clv_motion_speed(const clv_motion *m);
/* Linear interpolation of a load table, held outside; `constant` if the table is empty. */
double clv_series_at(const clv_series *s, double t, double constant);
/* Its slope at t (of the piece after a row), and its integral from 0 to t. */
double clv_series_slope(const clv_series *s, double t);
double clv_series_integral(const clv_series *s, double t);

#endif
