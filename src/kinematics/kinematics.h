/* SPDX-License-Identifier: Apache-2.0
 * Where everything is and how it moves, and what the engine needs from it (T3).
 *
 *   positions   q -> poses, arms, inertias, free directions H and duals G, blocks of all edges; fills the engine
 *   velocities  u -> V (or V from a solve), derivatives of the directions, bias terms
 *
 * A body's reference point is the point of its inboard tree joint fixed on the body.  A reversed tree joint (the
 * joint's b is the parent) is rewritten for its child once, here: H' = -X H, D' = -S D, moved to the child's
 * point; u keeps the joint's sign. */
#ifndef CLV_KINEMATICS_KINEMATICS_H
#define CLV_KINEMATICS_KINEMATICS_H
#include "engine/engine.h"
#include "model/joint.h"

typedef struct clv_deformed { /* a flexible body as it is deformed now: integrals from its reference point, body axes.
                               * Of modes by components, `wide` numbers each: nmode, made even by a zero */
    double S[3], J[9];  /* kg m, kg m^2: of s, of s.s 1 - s s^T;  s = x + phi eta                           */
    double *H, *E;      /* of s cross phi_k (3 x wide), of s phi_k^T (9 x wide)                             */
    double *work;       /* the last quarter is zero                                             (4 x wide)  */
    clv_turn *turn;     /* of its nodes                                                      (nnode)        */
    /* constants */
    int wide;
    double rest[3], J0[9]; /* S and J undeformed                                                            */
    double *phi;        /* integral of phi_k (3 x wide)                                                     */
    double *E0, *h0;    /* E and H undeformed                                                  (9, 3 x wide) */
    double *Mff;        /* mass of the modes, rows from the diagonal on, as in clv_star_fold                */
    double *B;          /* integral of phi_l phi_k^T: rows l that are not all zero, by component (nrow x wide) */
    int *of;            /* those rows l                                                            (nrow)   */
    int npair, pair[9]; /* components that are not all zero                                                 */
    int begin[10];      /* where the rows of such a component begin; the last one: nrow                     */
    int nmoment, moment[9]; /* components of E that are not all zero                                        */
    bool natural;       /* modes are coupled neither by stiffness nor by damping                            */
} clv_deformed;

typedef struct clv_tree_place { /* an inboard tree joint, global axes; what else clv_joint_place has follows from it */
    double child[9];    /* axes of the joint frame on the child as columns, row major                       */
    double d[3];        /* m, point of b minus point of a                                                   */
} clv_tree_place;

enum { CLV_EDGE_RUN = 32 }; /* edges that a thread takes at a time */

typedef struct clv_closing_pack clv_closing_pack;

typedef struct clv_kinematics {
    const clv_plan *plan;
    clv_engine *engine;
    double time;        /* s                                                                                */
    const double *servo; /* (nmotion x 4) what inputs have added to motions, see clv_motion_with; NULL: nothing */
    double until;       /* s, end of the span between two breaks of the motions: at it they are what they were before */
    const double *load_q, *load_u; /* (njoint x 7, 6) joint states at which loads were last found; tangents      */
    const double *load_bearing; /* (nforce) what pressed in bearings then (T99); NULL: nothing               */
    const double *load_V; /* (nbody x 6) motions of centres of mass at which they were found; tangents       */
    /* bodies, model order, global axes */
    double *R;          /* body to global, row major                                          (nbody x 9)  */
    double *ref;        /* m, reference point                                                 (nbody x 3)  */
    double *com;        /* m, centre of mass                                                  (nbody x 3)  */
    double *Jc;         /* kg m^2 about it: xx xy xz yy yz zz                                  (nbody x 6)  */
    double *arm;        /* the engine's own                                                                */
    double *V;          /* m/s, rad/s at the reference point                                  (nbody x 6)  */
    /* inboard tree joints, by child body, at its reference point */
    double *q, *u;      /* coordinates, rates: those of clv_kinematics_q and _u                (nc, nh)     */
    double *ud;         /* prescribed accelerations; NULL: there are no motions               (nbody x 6)  */
    double *H, *G;      /* the engine's own: free directions, dual             (6 x nu each, clv_columns)  */
    double *Hd;         /* derivative of H                                                     (as H)      */
    clv_tree_place *place; /*                                                                (nbody)       */
    /* flexible bodies */
    double *eta, *etad; /* modal coordinates and rates, stars in order                         (nmode)       */
    double *Md;         /* derivative of the mode columns of links                             (nlink x 6)   */
    clv_deformed *deformed; /*                                                                (nstar)       */
    /* closing joints, by edge (the first edges of the plan); coupling edges use those of their joints */
    clv_joint_place *closing; /*                                                              (nedge)      */
    double *D, *Dd;     /* directions of the rows at b's point and their derivative            (nedge x 36) */
    double *cut_H;      /* free directions at b's point                                        (nedge x 36) */
    double *cut_Gd;     /* derivative of the dual direction of a joint with one degree of freedom        (nedge x 6) */
    long posed;         /* how often all bodies were posed one by one: rows do not have these poses            */
    const unsigned char *lane; /* (nedge) closings that are left out: lanes evaluate them; NULL: none         */
    struct clv_closing_pack *pack; /* (npack) revolute closings in lanes, see closing_pack.h                 */
    int npack;
    unsigned char *packed; /* (nedge) edges that are in a pack; NULL: none                                   */
    const struct clv_row_kernels *pack_kernels;
    bool apart;         /* fill leaves the rows of the engine alone: they are filled in lanes                 */
    double *turn;       /* coordinates near which angles are measured, see keep_turns          (nedge x 6)  */
} clv_kinematics;

/* Prescribed coordinate, rate and acceleration of a motion at the present time. */
void clv_kinematics_motion(const clv_kinematics *k, int motion, double *q, double *u, double *ud);
void clv_kinematics_layout(clv_kinematics *k, const clv_plan *p, clv_engine *e, clv_arena *a);
/* Constants; after the carving layout. */
void clv_kinematics_begin(clv_kinematics *k);
/* Poses from q (nq) at time t; prescribed coordinates from their motions.  Does not touch the engine. */
void clv_kinematics_poses(clv_kinematics *k, double t, const double *q);
/* Directions, inertias, blocks at the present poses, put into the engine. */
void clv_kinematics_fill(clv_kinematics *k);
/* What poses, fill and rates do for loop closings and couplings alone (fill: also for tree joints that are edges).
 * Poses and motions of the bodies they hold, and directions of coupled tree joints, must be there. */
void clv_kinematics_closing_poses(clv_kinematics *k);
void clv_kinematics_fill_edges(clv_kinematics *k);
/* fill_edges without tree joints: massmatrix has them in its unknowns */
void clv_kinematics_fill_closings(clv_kinematics *k);
void clv_kinematics_closing_rates(clv_kinematics *k);
/* Inertia of a body at its reference point, at the present poses: the engine's, or where that has none formed in
 * `room` with the same bits.  Flexible bodies: the engine's. */
const double *clv_kinematics_inertia(const clv_kinematics *k, size_t body, double room[21]);
/* What fill does for those who need no factor, of rigid bodies: inertias about centres of mass, directions, blocks of
 * closings. */
void clv_kinematics_fill_open(clv_kinematics *k);
/* Fills what clv_engine_open has opened, at the present poses. */
void clv_kinematics_opened(clv_kinematics *k);
/* what fill does for one body and its inboard joint */
void clv_kinematics_fill_body(clv_kinematics *k, int body);
/* What poses, velocities and rates do for one body and its inboard joint; its parent's must be there. */
void clv_kinematics_body_pose(clv_kinematics *k, int body, const double *q);
void clv_kinematics_body_directions(clv_kinematics *k, int body);
/* place and directions of an inboard joint between bodies whose poses are there */
void clv_kinematics_joint_between(clv_kinematics *k, int body);
void clv_kinematics_body_velocity(clv_kinematics *k, int body, const double *u);
void clv_kinematics_body_rates(clv_kinematics *k, int body);
/* Rates of the modal coordinates out of the rates u (nu); for callers that get V from a solve. */
void clv_kinematics_modal_rates(clv_kinematics *k, const double *u);
/* V of every body and u of every joint from the rates u (nu). */
void clv_kinematics_velocities(clv_kinematics *k, const double *u);
/* Derivatives of all directions at the present V. */
void clv_kinematics_rates(clv_kinematics *k);
/* Coordinate c of a joint, also where it closes a loop. */
double clv_kinematics_coordinate(const clv_kinematics *k, int joint, int c);
/* Position errors of the loop closings and couplings, in the rows of the engine (nclosing_row). */
void clv_kinematics_violation(clv_kinematics *k, double *c);
/* Velocity errors of the same rows: sum of block^T V (nclosing_row). */
void clv_kinematics_velocity_violation(const clv_kinematics *k, double *c);
/* c of one tree joint */
void clv_kinematics_body_bias(const clv_kinematics *k, int body, double c[6]);
/* c of every tree joint (nbody x 6) and a of every closing row for x = acceleration of the reference points (T12). */
void clv_kinematics_acceleration_bias(const clv_kinematics *k, double *c, double *a);
/* a alone; c of coupled tree joints must be there. */
void clv_kinematics_closing_bias(const clv_kinematics *k, const double *c, double *a);
/* V_J: c of every tree joint for x = velocity (nbody x 6). */
void clv_kinematics_velocity_bias(const clv_kinematics *k, double *c);
/* -(d/dt) of the closing directions times sigma, as load pairs on the bodies, added to W (nbody x 6,
 * reference points); T10. */
void clv_kinematics_closing_loads(const clv_kinematics *k, const double *sigma, double *W);
/* Inertia terms of Newton-Euler at the reference points: m w x (w x l), l x that + w x J w (nbody x 6), T12. */
void clv_kinematics_gyroscopic(const clv_kinematics *k, double *W);
/* The same for the modes, integral of phi_k.(w x (w x s) + 2 w x s') (nmode), T31. */
void clv_kinematics_modal_bias(const clv_kinematics *k, double *out);
/* dT/d eta at fixed velocities in frame axes (nmode), T31. */
void clv_kinematics_modal_slope(const clv_kinematics *k, double *out);
/* dT/d eta' (nmode): Mfr V + Mff eta'. */
void clv_kinematics_modal_momentum(const clv_kinematics *k, double *out);
/* Momentum of every body at its reference point, I V (nbody x 6). */
void clv_kinematics_momentum(const clv_kinematics *k, double *P);
/* Rates of a closing joint measured from the bodies: u = G^T (V_b - V_a - 0); and its coordinates, angles at the turn
 * nearest to `turn`. */
void clv_kinematics_closing_state(const clv_kinematics *k, int edge, double *q, double *u);
/* Takes the present coordinates of all closing joints as those near which angles are measured from now on. */
void clv_kinematics_keep_turns(clv_kinematics *k);

/* coordinates (nq) and rates (nu) of the inboard tree joint of a body */
static inline double *clv_kinematics_q(const clv_kinematics *k, size_t body) { return k->q + k->plan->tree[body].ic; }
static inline double *clv_kinematics_u(const clv_kinematics *k, size_t body) { return k->u + k->plan->tree[body].ih; }
/* is a closing left out? */
static inline bool clv_kinematics_leaves(const clv_kinematics *k, int edge) { return k->lane && k->lane[edge]; }

#endif
