/* SPDX-License-Identifier: Apache-2.0
 * Derivatives of the equations of motion at a state (T74 to T76): how generalized forces and rows of closings change
 * along every coordinate and every rate, while accelerations and multipliers are held.  With the factor of the state
 * they become derivatives of accelerations (simulation/derivatives.c).
 *
 *   derivative_tree.c   bodies and tree joints, all directions at once (T74)
 *   derivative_pair.c   what acts between two bodies: closings, loads (T75, T76)
 *   derivative_number.c numbers of the model (T76.4)
 *   derivative_back.c   products with cotangents, in O(n) and without columns (T124)
 *
 * 6-vectors are spatial: at one point `origin` for all bodies, global axes, linear part first. */
#ifndef CLV_KINEMATICS_DERIVATIVE_H
#define CLV_KINEMATICS_DERIVATIVE_H
#include "kinematics/kinematics.h"
#include "math/rotation.h"
#include "math/spatial.h"
#include "model/force.h"

/* Inertia of a body and of all outboard of it, about the origin. */
typedef struct clv_derivative_inertia {
    double mass, moment[3], J[9]; /* kg, kg m, kg m^2                                                         */
    double p[3], K[9];            /* N s, N m s: B v' = [2 w' x p; K w'], w' the angular part of v' (T74.4)   */
} clv_derivative_inertia;

/* y = I x of an inertia about the origin */
static inline void clv_derivative_times(double y[6], double mass, const double moment[3], const double J[9],
                                        const double x[6])
{
    double s[3], t[3];
    clv_cross(s, x + 3, moment), clv_cross(t, moment, x);
    clv_mat3_times(y + 3, J, x + 3);
    for (int i = 0; i < 3; i++)
        y[i] = mass * x[i] + s[i], y[3 + i] += t[i];
}

/* Cotangent of the motion of a body and of all outboard of it: of its displacement, of what remains of its change of
 * velocity and of acceleration (v', A' of T74.2, T74.3). */
typedef struct clv_cotangent {
    double S[6], v[6], A[6];
} clv_cotangent;

/* What a closing joint, or the term of a coupling, does along six displacements of one of its bodies (T124.3). */
typedef struct clv_closing_part {
    int moves, other, row, m; /* bodies or ground; rows                                                        */
    int edge;
    double point[3];          /* what its rows and loads give to translations of the body that moves           */
    bool plain;               /* rows alone, and b moves: then also to the point of a                          */
    double inboard[3], w[3];  /* that; relative angular velocity                                               */
    double sign;              /* -1: the body that moves is a                                                 */
    double D[36], rate[36];   /* (6 x m) directions of the rows; their rates along displacements, at the velocities */
} clv_closing_part;

typedef struct clv_derivative {
    const clv_kinematics *kin;
    const clv_plan *plan;
    /* the state, the caller's: kinematics with rates; accelerations x (nbody x 6, reference points) and ud (nu),
     * multipliers (nsigma), wrenches T of the tree joints (nbody x 6, reference points), loads as they were applied */
    const double *x, *ud, *lambda, *T;
    const clv_load_frame *loads;
    int n, m;              /* coordinates (nu), rows of closings                                             */
    double origin[3];      /* m                                                                              */
    double ground[6];      /* m/s^2, acceleration of the ground that takes the place of gravity              */
    int *depth;            /* (nbody) joints to the ground                                                   */
    double *v, *a, *W;     /* velocity, acceleration less gravity, T of the bodies          (nbody x 6)      */
    clv_derivative_inertia *I; /* (nbody) composite                                                          */
    double *S, *IS, *bias; /* directions, I S, and what B gives along them                  (n x 6, 6, 3)    */
    double *vq, *Aq, *Au;  /* v', A' along coordinates and A' along rates; v' there is S    (n x 6)          */
    double *slope;         /* of loads along joint coordinates, on q and on u               (njoint x 6 x 2) */
    clv_cotangent *back;   /* of clv_derivative_back                                                (nbody)  */
    double *held;          /* wrenches of closings on the bodies, and on all outboard           (nbody x 6)  */
    clv_closing_part *part; /*                                                                      (npart)  */
    int npart;
    /* results by rows; column k: along direction k.  NULL: without columns */
    double *force_q, *force_u; /* change of the generalized force that is missing                 (n x n)    */
    double *row_q, *row_u; /* change of the acceleration of the rows                              (m x n)    */
    double *rate_q;        /* change of the velocity of the rows, rates held                      (m x n)    */
    double *row;           /* velocity of the rows along each rate                                (m x n)    */
} clv_derivative;

void clv_derivative_layout(clv_derivative *d, const clv_kinematics *k, clv_arena *a);
/* Room for the results of clv_derivative_find. */
void clv_derivative_layout_columns(clv_derivative *d, clv_arena *a);
/* All results at the state. */
void clv_derivative_find(clv_derivative *d);
/* Takes the generalized forces of a wrench W on a body off to (n numbers, `stride` apart). */
void clv_derivative_push(const clv_derivative *d, double *to, int stride, int body, const double W[6]);

/* An offset of the point of a joint on one of its bodies (T112).  What is outboard of a joint of the tree moves by S,
 * and what remains of its motion is v, A.  Of a joint that closes a loop S is the offset itself. */
typedef struct clv_derivative_offset {
    int joint, child;  /* child: body outboard of the joint, -1: it closes a loop                             */
    bool on_b, moves;  /* moves: the directions of the joint move as well                                     */
    double S[6], v[6], A[6];
} clv_derivative_offset;

/* derivative_tree.c, for derivative_back.c: origin and ground; inertia of a body alone; its directions, where those
 * inboard are there; composite inertias of all bodies out of their own. */
void clv_derivative_begin(clv_derivative *d);
void clv_derivative_body(clv_derivative *d, int body);
void clv_derivative_columns(const clv_derivative *d, int body, double S[36]);
void clv_derivative_directions(clv_derivative *d, int body);
void clv_derivative_compose(clv_derivative *d);
/* Is column c of a tree joint carried by its child? */
static inline bool clv_carried_by_child(const clv_tree_joint *t, int c)
{
    return clv_joint_carried_by_b(t->kind, c) != t->reversed;
}

/* derivative_back.c (T124).  Velocities, accelerations and directions at the state, out of kinematics with velocities
 * and d->ud.  W: wrenches of the tree joints without those of closings, from loads on bodies, Q (nbody x 6, reference
 * points). */
void clv_derivative_move(clv_derivative *d, const double *Q);
/* force (n): what is missing then, with the loads tau (n) along coordinates */
void clv_derivative_missing(const clv_derivative *d, const double *tau, double *force);
/* Adds to x and u (n) the change of v.force + eta.row along coordinates and rates.  With columns that would be
 * v force_q + eta row_q and v force_u + eta row_u.
 * v (n) has the motions `field`, and J v = 0.  Multipliers d->lambda must be there.  Wrenches d->W get those of
 * closings.  What follows takes d->back and d->part. */
void clv_derivative_back(clv_derivative *d, const double *v, const double *field, const double *eta, double *x,
                         double *u);
/* Adds to x (n) the change of mu.(J u) along coordinates, to u (n) J^T mu. */
void clv_derivative_rows_back(clv_derivative *d, const double *mu, clv_cotangent *work, double *x, double *u);
/* Adds to d->back what mu_u of rates and mu_x of the rows give to the motion of bodies; `work` (nbody). */
void clv_derivative_offsets_back(clv_derivative *d, const double *mu_u, const double *mu_x, clv_cotangent *work);
/* v.force + eta.row + mu_u.rate + mu_x.violation of an offset of a tree joint, after these */
double clv_derivative_offset_along(const clv_derivative *d, const clv_derivative_offset *g, const double *field);
/* The same by the point of a tree joint on one of its bodies, all three components of the number x. */
void clv_derivative_point_along(const clv_derivative *d, const clv_number *x, const double *field, double g[3]);
/* derivative_back_pair.c: what loads and closings add to d->back, body by body, and to x and u (n).  Finds d->part;
 * held (nbody x 6): wrenches of closings on bodies. */
void clv_derivative_pairs_back(clv_derivative *d, const double *v, const double *field, const double *eta, double *x,
                               double *u);
/* v.force + eta.row + mu_u.rate + mu_x.violation by the point of a joint that closes a loop, all components of x */
void clv_derivative_closing_point_along(clv_derivative *d, const clv_number *x, const double *field, const double *eta,
                                        const double *mu_u, const double *mu_x, double g[3]);

/* M (n x n): mass matrix of the open tree (T74.5) */
void clv_derivative_mass(const clv_derivative *d, double *M);
/* J (6 x n): velocity of a point of a body (m, global, from the origin) and its angular velocity, by rates */
void clv_derivative_point(const clv_derivative *d, int body, const double point[3], double *J);

/* derivative_number.c: adds how the generalized force that is missing changes with it, to force (n). */
void clv_derivative_number(const clv_derivative *d, const clv_number *x, double *force);
/* Adds what one unit of an input does to it; of an input of a motion: nothing. */
void clv_derivative_input(const clv_derivative *d, const clv_input *x, double *force);
/* Both, times v (n): the motions `field` of the bodies by the rates v make it cheap.  Not of points of joints. */
void clv_derivative_field(const clv_derivative *d, const double *v, double *field);
double clv_derivative_number_along(const clv_derivative *d, const clv_number *x, const double *v, const double *field);
/* The same of all numbers of a body: mass, centre of mass (3), inertia (6). */
void clv_derivative_body_along(const clv_derivative *d, int body, const double *field, double g[10]);
double clv_derivative_input_along(const clv_derivative *d, const clv_input *x, const double *v, const double *field);

/* derivative_pair.c: what closings and loads add. */
void clv_derivative_pairs(clv_derivative *d);
/* The wrenches of tree joints get those that couplings put in their place: the pair does not move with the child, when
 * the child moves against its joint (T112). */
void clv_derivative_add_terms(clv_derivative *d);

/* derivative_offset.c: is the number one? */
static inline bool clv_derivative_is_offset(const clv_number *x)
{
    return x->kind == CLV_NUMBER_POINT_A || x->kind == CLV_NUMBER_POINT_B;
}
void clv_derivative_offset_of(const clv_derivative *d, const clv_number *x, clv_derivative_offset *to);
/* Adds to the force that is missing (n), to acceleration, velocity and violation of the rows (m each). */
void clv_derivative_by_offset(clv_derivative *d, const clv_derivative_offset *g, double *force, double *acceleration,
                            double *rate, double *gap);
void clv_derivative_pairs_by_offset(clv_derivative *d, const clv_derivative_offset *g, double *force,
                                  double *acceleration, double *rate, double *gap);
/* Is a body (or the ground, -1) outboard of a joint, whose child is given? */
static inline bool clv_derivative_outboard(const clv_derivative *d, int body, int child)
{
    while (body >= 0 && body != child)
        body = d->plan->tree[body].parent;
    return body >= 0;
}

/* c = a x b of motions; of a motion and a wrench */
static inline void clv_motion_cross(double c[6], const double a[6], const double b[6])
{
    double x[3], y[3];
    clv_cross(x, a + 3, b), clv_cross(y, a, b + 3);
    for (int i = 0; i < 3; i++)
        c[i] = x[i] + y[i];
    clv_cross(c + 3, a + 3, b + 3);
}
static inline void clv_wrench_cross(double c[6], const double a[6], const double F[6])
{
    double x[3], y[3];
    clv_cross(x, a + 3, F + 3), clv_cross(y, a, F);
    clv_cross(c, a + 3, F);
    for (int i = 0; i < 3; i++)
        c[3 + i] = x[i] + y[i];
}

#endif
