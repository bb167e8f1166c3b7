/* SPDX-License-Identifier: Apache-2.0
 * The table of load kinds.  A new kind is one row in force.c.  Loads know bodies and joint coordinates,
 * never topology. */
#ifndef CLV_MODEL_FORCE_H
#define CLV_MODEL_FORCE_H
#include "model/model.h"

/* Controls bound to a simulation, by joint and by body; call NULL: none. */
typedef struct clv_joint_control {
    clv_joint_control_fn call;
    void *user;
} clv_joint_control;
typedef struct clv_body_control {
    clv_body_control_fn call;
    void *user;
} clv_body_control;
typedef struct clv_controls {
    int njoint, nbody;        /* how many are bound  */
    clv_joint_control *joint; /* (joints of the model) */
    clv_body_control *body;   /* (bodies)            */
} clv_controls;

/* A force F (N, global) on b at a point, and its opposite on a; place: m from the centre of mass of b, in its axes.
 * Or, where there is a joint, F[0] (N, N m) along a coordinate of it. */
typedef struct clv_load_press {
    int a, b;
    int joint, coordinate; /* joint -1: a point */
    double place[3], F[3];
} clv_load_press;

/* State in, loads out; body rows in model order. */
typedef struct clv_load_frame {
    double time;
    const clv_model *model;
    const double *r;    /* m, centre of mass, global (nbody x 3)                         */
    const double *R;    /* body to global, row major (nbody x 9)                         */
    const double *V;    /* m/s of the centre of mass, rad/s; global (nbody x 6)          */
    const double *q;    /* joint coordinates, 7 per joint (njoint x 7)                    */
    const double *u;    /* joint rates, 6 per joint (njoint x 6)                          */
    const double *input; /* values of the inputs (ninput); NULL: those of the start        */
    const double *ramp;  /* (ninput x 2) from which value and time their efforts follow; NULL: they are there      */
    const clv_controls *controls; /* NULL: none                                           */
    const double *bearing; /* N, N m: what reactions press in joints, by force (nforce; T99); NULL: nothing    */
    const char *dry;     /* (nforce) 1: impulses of the integrator are the friction of the joint (T158); NULL: none   */
    const clv_load_press *press; /* (npress) forces of rigid contacts and stops, which their owner knows (T154)      */
    int npress;
    struct clv_sweep *sweep; /* (groups of the model) scratch of contacts of many bodies; see sweep.h             */
    double *wrench;     /* add: N, N m about the centre of mass, global (nbody x 6)      */
    double *tau;        /* add: generalized force on u, 6 per joint (njoint x 6)          */
    double power;       /* add: W, power of loads that have no potential                 */
    bool opaque;        /* set: power unknown (callbacks)                                */
    bool crowded;       /* set: it failed because more bodies are near each other than there is room for    */
    int failed;         /* set: index of the force that failed (callback returned nonzero, or not finite), else -1 */
    int failed_joint, failed_body; /* set: whose control failed, else -1                   */
    int answer;         /* set: what that callback returned; 0: a number is not finite */
} clv_load_frame;

/* How the two bodies of a load change (T76): displacements (m, rad) and changes of V, of their centres of mass;
 * ground: zero. */
typedef struct clv_load_change {
    double a[6], b[6], va[6], vb[6];
} clv_load_change;
/* What a load does to its bodies a and b, about their centres of mass, and the change of that (T76). */
typedef struct clv_load_pair {
    double Wa[6], Wb[6], dWa[6], dWb[6]; /* N, N m */
} clv_load_pair;

typedef struct clv_force_row {
    const char *name;                                                    /* as in files */
    void (*apply)(const clv_force *f, int index, clv_load_frame *at);
    double (*potential)(const clv_force *f, const clv_load_frame *at);   /* J; NULL: none */
    /* The load and its change; NULL: its derivatives are not known (callbacks, contacts), or it acts along a joint
     * coordinate (clv_force_slopes) */
    void (*derive)(const clv_force *f, const clv_load_frame *at, const clv_load_change *x, clv_load_pair *to);
} clv_force_row;

/* The point p (body axes) of a body as loads see it: m from the centre of mass and from the origin, m/s; global. */
typedef struct clv_load_point {
    double arm[3], at[3], v[3];
} clv_load_point;
clv_load_point clv_load_point_of(const clv_load_frame *at, int body, const double p[3]);
/* Adds scale * f, acting at an arm from the centre of mass; nothing on the ground. */
void clv_load_push(clv_load_frame *at, int body, const double arm[3], double scale, const double f[3]);
/* Adds scale * n, a moment. */
void clv_load_turn(clv_load_frame *at, int body, double scale, const double n[3]);
/* The force fails if the number is not finite. */
void clv_load_check(clv_load_frame *at, int index, double number);

/* force_derivative.c (T76): of kinds point, torque, spring-damper, angular-damper. */
void clv_point_derive(const clv_force *f, const clv_load_frame *at, const clv_load_change *x, clv_load_pair *to);
void clv_torque_derive(const clv_force *f, const clv_load_frame *at, const clv_load_change *x, clv_load_pair *to);
void clv_spring_derive(const clv_force *f, const clv_load_frame *at, const clv_load_change *x, clv_load_pair *to);
void clv_angular_derive(const clv_force *f, const clv_load_frame *at, const clv_load_change *x, clv_load_pair *to);
/* The same of an input at its value that acts on a body (kinds force, torque). */
void clv_input_derive(const clv_input *s, double value, const clv_load_frame *at, const clv_load_change *x,
                      clv_load_pair *to);
/* Derivatives of the load of a joint coordinate (kind joint) with respect to its coordinate and rate at a time (s).
 * At a row of a table they are those of the piece after it. */
void clv_force_slopes(const clv_force *f, double time, double q, double u, double *on_place, double *on_rate);
/* Is its limit reached?  Spring, damper and drive then have no slopes (T100). */
bool clv_force_limited(const clv_force *f, double time, double q, double u);
/* A point of a body and its change: arm from the centre of mass, place, velocity. */
typedef struct clv_load_moved {
    clv_load_point p;
    double arm[3], at[3], v[3]; /* changes */
} clv_load_moved;
clv_load_moved clv_load_moved_of(const clv_load_frame *at, int body, const double p[3], const double shift[6],
                                 const double rate[6]);
/* Adds scale f at the point, and its change by df, to W and dW (6). */
void clv_load_push_change(double W[6], double dW[6], const clv_load_moved *m, double scale, const double f[3],
                          const double df[3]);

/* bushing.c (T51) */
void clv_bushing_derive(const clv_force *f, const clv_load_frame *at, const clv_load_change *x, clv_load_pair *to);
void clv_bushing_apply(const clv_force *f, int index, clv_load_frame *at);
double clv_bushing_potential(const clv_force *f, const clv_load_frame *at);

/* contact.c (T61) */
void clv_contact_apply(const clv_force *f, int index, clv_load_frame *at);
void clv_contact_press(clv_load_frame *at); /* what `press` of the frame has */
double clv_contact_potential(const clv_force *f, const clv_load_frame *at);
void clv_contacts_apply(const clv_force *f, int index, clv_load_frame *at);
double clv_contacts_potential(const clv_force *f, const clv_load_frame *at);

/* tendon.c (T114).  Length (m, or a sum of coordinates) and its rate; adds what a force along it does. */
double clv_tendon_length(const clv_force *f, const clv_load_frame *at, double *rate);
void clv_tendon_push(const clv_force *f, clv_load_frame *at, double force);
void clv_tendon_apply(const clv_force *f, int index, clv_load_frame *at);
double clv_tendon_potential(const clv_force *f, const clv_load_frame *at);

/* drag.c (T115) */
void clv_drag_apply(const clv_force *f, int index, clv_load_frame *at);

/* friction.c: N or N m, dry friction at the rate u (T46); *slope, unless NULL: its derivative,
 * N s/m or N m s/rad. */
double clv_friction_at(const clv_friction *f, double u, double *slope);
/* The size of friction at that rate, N or N m: g(u) of T46. */
double clv_friction_most(const clv_friction *f, double u);

/* stop.c: N or N m, the end stops at the coordinate q and rate u (T47).  *elastic: the part that has a potential;
 * *on_place, *on_rate, unless NULL: -d/dq and -d/du, not negative. */
double clv_stop_at(const clv_stop *x, double q, double u, double *elastic, double *on_place, double *on_rate);
/* End stops whose impulses an integrator finds (T157)? */
static inline bool clv_stop_rigid(const clv_stop *x)
{
    return x->restitution >= 0;
}
/* J */
double clv_stop_potential(const clv_stop *x, double q);
/* d^e, d >= 0, e >= 1 */
double clv_stop_power(double d, double e);

/* Does the load of a joint coordinate depend on its coordinate or rate? */
static inline bool clv_force_has_tangent(const clv_force *f)
{
    return f->stiffness != 0 || f->damping != 0 || f->spring.n > 1 || f->damper.n > 1 ||
           f->friction.breakaway > 0 || f->stop.stiffness > 0 || f->bearing.static_coefficient > 0;
}
/* Of a load along a joint coordinate at its place q and rate u, N or N m: what has a potential; *without: the rest. */
double clv_force_effort(const clv_force *f, int index, const clv_load_frame *at, double q, double u, double *without);
/* on_rate C + on_place K of the load of a joint coordinate at the joint states q (njoint x 7), u (njoint x 6), not
 * negative (T26); press: what presses in its bearing (T99). */
double clv_force_tangent(const clv_force *f, double press, const double *q, const double *u, double on_rate,
                         double on_place);

/* input.c: applies all inputs (T8). */
void clv_inputs_apply(clv_load_frame *at);
/* T120: what an input that is set to `value` gives at a time, on its way from the value ramp[0] since the time ramp[1].
 * When it arrives there (s; -INFINITY: it has no rate limit). */
double clv_input_ramped(const clv_input *x, double value, const double ramp[2], double time);
double clv_input_arrival(const clv_input *x, double value, const double ramp[2]);
/* What input i gives at a state; its derivatives with respect to the value that is set and to the rate of its
 * coordinate.  The first is 0 where the speed limits it, else 1: the ramp is a matter of time. */
double clv_input_acting(const clv_load_frame *at, int i, double *on_value, double *on_rate);
/* The same at the rate u of its coordinate, whatever the frame has there. */
double clv_input_effort(const clv_load_frame *at, int i, double u, double *on_value, double *on_rate);

/* control.c: applies the controls (T8). */
void clv_controls_apply(clv_load_frame *at);

extern const clv_force_row clv_force_table[CLV_FORCE_KINDS];

/* Zeroes wrench, tau, power, opaque; sets failed = -1; applies gravity and all forces.  T8. */
void clv_loads(clv_load_frame *at);
/* The same without gravity, for callers that have zeroed the wrenches of the bodies on which loads act. */
void clv_loads_given(clv_load_frame *at);
/* Potential energy of gravity and springs, J. */
double clv_potential(const clv_load_frame *at);
/* That of springs alone. */
double clv_potential_given(const clv_load_frame *at);

#endif
