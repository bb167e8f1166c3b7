/* SPDX-License-Identifier: Apache-2.0
 * The oracle (theory T19): one dense solve in extended precision, against which every formulation is judged.
 *
 * It shares nothing with the engine but the model's plain data.  All joints are constraints between free bodies
 * (maximal coordinates), written with the classical primitives: coinciding points, perpendicular directions, a
 * direction perpendicular to the connecting vector, a screw, a distance; couplings and prescribed motions are rows of
 * their own.
 *
 *     M a = Q + J^T mu,   J a = gamma        (and the same matrix for velocities and projections)
 *
 * Body columns in model order, 6 per body: velocity of the centre of mass, then angular velocity, global axes.
 * mu has least norm after every row of J M^-1/2 was scaled to norm one; rank by singular values of that matrix,
 * relative ORACLE_RANK.  If a body has no invertible inertia, M + J^T w J takes the place of M in the scaling (w: mean
 * inertia over the squared norm of the row), the solution stays the same.
 *
 *     oracle *o = oracle_create(model);
 *     oracle_set(o, time, r, R, V, q);             poses and velocities, double
 *     oracle_accelerations(o, a, mu);              a (6 nbody), mu (o->rows); either may be NULL
 *     oracle_joint_reaction(o, mu, joint, &x);
 *
 * Test code: memory failures abort the test program. */
#ifndef ORACLE_ORACLE_H
#define ORACLE_ORACLE_H
#include "model/model.h"
#include "oracle/oracle_linear.h"

#define ORACLE_RANK 1e-11L   /* relative threshold of singular values, J level         */
#define ORACLE_UNIQUE 1e-8L  /* relative part in the null space that makes `not unique` */

/* One scalar constraint between the bodies of a joint: T is the wrench on b at b's joint point for a unit multiplier, a
 * gets the opposite at the same point; so the row of J is T shifted to the two centres of mass. */
typedef struct oracle_row {
    real T[6];
    real violation; /* m or rad                                         */
    real rate;      /* the row times V must be this                     */
    real gamma;     /* the row times the acceleration must be this      */
} oracle_row;

typedef struct oracle {
    const clv_model *model;
    int n;                     /* 6 nbody                                                            */
    int rows;
    int *joint_row;            /* first row of each joint (njoint + 1)                               */
    int *motion_row;           /* row of each motion (nmotion)                                       */
    int *coupling_row;         /* row of each coupling (ncoupling)                                   */
    real time;
    real *r, *R, *V;           /* centre of mass (nbody x 3), body to global (x 9), velocity (x 6)   */
    real *turn;                /* coordinate near which an angle is taken (njoint x 7) */
    real *violation, *rate, *gamma; /* per row                                                       */
    real *J;                   /* rows x n, row major                                                */
    real *T; /* rows x 6: wrench on b per unit multiplier; not of couplings */
    /* after oracle_factor */
    bool factored, dense_mass;
    real *L;                   /* dense: n x n Cholesky factor of the scaling matrix; else 3 x 3 per body */
    real *scale;               /* mu = scaled multiplier x scale (rows)                              */
    real *weight;              /* dense: w of M + J^T w J (rows)                                     */
    linear_cod cod;            /* of the scaled J, transposed (n x rows)                             */
    int rank;
    real kept, dropped;        /* smallest kept, largest dropped singular value over the largest (1, 0 if none) */
    real condition;            /* of the KKT matrix [[1, Js^T], [Js, 0]] over its nonzero singular values */
} oracle;

/* What a joint transmits; on b at b's joint point, global axes, force first. */
typedef struct oracle_reaction {
    real constraint[6];   /* by the joint's own rows                                                     */
    real drive[6];        /* by prescribed motions, joint springs, dampers and drives                    */
    bool unique[6];       /* per component of `constraint`                                               */
    bool unique_drive;
    real part[6]; /* relative part of the component in the null space of J^T: 0, or clearly above ORACLE_UNIQUE */
} oracle_reaction;

oracle *oracle_create(const clv_model *model); /* model finished; state at the model's start poses, at rest */
void oracle_destroy(oracle *o);

/* Sets the state: centres of mass r (nbody x 3), rotations R (nbody x 9, row major; made orthogonal), velocities V
 * (nbody x 6, of the centre of mass; NULL: zero), joint coordinates q (njoint x 7, used only to count whole turns;
 * NULL: start values). */
void oracle_set(oracle *o, double time, const double *r, const double *R, const double *V, const double *q);
void oracle_set_velocity(oracle *o, const real *V); /* n */
/* Recomputes violation, rate, gamma, J, T after direct writes to time, r, R, V; new poses need a new factorization. */
void oracle_update(oracle *o);
void oracle_factor(oracle *o); /* done by the solves when needed */

/* M x = b + J^T mu, J x = c; x (n), mu (rows) may be NULL.  Returns the largest |J x - c| of the unit rows. */
real oracle_kkt(oracle *o, const real *b, const real *c, real *x, real *mu);
/* x := M y, at the present poses */
void oracle_mass_times(const oracle *o, const real *y, real *x);
/* Applied wrenches about the centres of mass (n), without the gyroscopic term; callbacks are not called. */
void oracle_loads(const oracle *o, real *Q);
real oracle_accelerations(oracle *o, real *a, real *mu);
/* Velocities from body momenta P (n): M V = P + J^T s, J V = rate (what HDCA solves,
 * for any split of P into joint momenta). */
real oracle_velocities(oracle *o, const real *P, real *V);
/* Moves V to the nearest (in M) velocity that obeys all rows, keeps it in the state. */
real oracle_project_velocity(oracle *o);
/* Moves the poses to the nearest (in M) ones without violation; returns the violation left. */
real oracle_project_position(oracle *o, int iterations);
real oracle_violation(const oracle *o); /* largest |violation| */
real oracle_kinetic_energy(const oracle *o);
real oracle_potential_energy(const oracle *o); /* gravity and springs */

void oracle_joint_reaction(oracle *o, const real *mu, int joint, oracle_reaction *x);
/* Wrench of a coupling on b of the joint of a term, at b's joint point; is the coupling's multiplier unique? */
void oracle_coupling_wrench(const oracle *o, const real *mu, int coupling, int term, real w[6]);
bool oracle_coupling_unique(oracle *o, int coupling);

/* Joint coordinates q (7), rates u (6) and, if a is given, udot (6), measured on the bodies. */
void oracle_joint_state(const oracle *o, int joint, const real *a, real *q, real *u, real *udot);
/* Generalized momentum p (6) of a joint and its HDCA rate where all closing impulses are zero (just after a re-gauge).
 * `outboard` marks the bodies on the far side of the joint in the caller's tree (nbody); it holds exactly one end. */
void oracle_joint_momentum(const oracle *o, int joint, const bool *outboard, real *p, real *pdot);

/* ---- used inside the oracle; oracle_rows.c, oracle_loads.c */

/* One end of a joint: where it is and how it moves. */
typedef struct oracle_end {
    int body;
    real r[3], R[9], v[3], w[3]; /* of the body's centre of mass; ground: all zero, R = 1 */
    real arm[3];                 /* centre of mass to joint point, global                 */
    real E[3][3];                /* axes x, y, z of the joint frame, global               */
} oracle_end;

void oracle_ends(const oracle *o, int joint, oracle_end *A, oracle_end *B);
int oracle_joint_row_count(clv_joint_kind kind);
int oracle_joint_rows(const oracle *o, int joint, oracle_row *row);
int oracle_joint_freedoms(clv_joint_kind kind);
/* The free direction as a row: T = the wrench of a unit joint force (column of G), violation = coordinate, rate = u,
 * udot = T . relative acceleration - gamma.  Rotational q of spherical and free joints is not a coordinate: NaN. */
void oracle_coordinate(const oracle *o, int joint, int coordinate, oracle_row *row);
void oracle_row_blocks(const oracle_end *A, const oracle_end *B, const real T[6], real Ja[6], real Jb[6]);
void oracle_motion_at(const clv_motion *m, real time, real *q, real *qd, real *qdd);
/* tau (6) of the joint's springs, dampers, drives on its free directions */
void oracle_joint_loads(const oracle *o, int joint, real *tau);
void *oracle_allocate(size_t count, size_t size); /* zeroed; aborts on failure */
#endif
