/* SPDX-License-Identifier: Apache-2.0
 * The table of joint kinds (theory T1): the only place that knows them.  A new kind is one row in joint.c.
 *
 * All 6-vectors are LOCAL: at the joint point O on body b, global axes, linear part first.  6 x m matrices are stored
 * by columns: column c at [6*c .. 6*c+5]. */
#ifndef CLV_MODEL_JOINT_H
#define CLV_MODEL_JOINT_H
#include "math/jet.h"
#include "model/model.h"

/* Where a joint is at one instant; everything in global axes. */
typedef struct clv_joint_place {
    double Ea[9], Eb[9]; /* joint frame axes as columns, row major, carried by a and b                    */
    double d[3];         /* m, point of b minus point of a                                                */
    double wa[3], wb[3]; /* rad/s, angular velocities of a and b (only for `rate`)                        */
    double dv[3];        /* m/s, velocity of b's point minus velocity of a's point (only for `rate`)      */
} clv_joint_place;

typedef struct clv_joint_row {
    const char *name;      /* as in files                                                                 */
    int nq, nu, nc;        /* coordinates, free directions, constrained directions: nu + nc = 6, but      */
                           /* constraints have no coordinates: point 3 rows, distance 1, rolling 3, curve 2 */
    bool tree;             /* may be a tree joint                                                         */
    /* pose of frame b in frame a from q: rotation R (row major), d in a's joint axes (m) */
    void (*pose)(const clv_joint *j, const double *q, double R[9], double d[3]);
    /* inverse of pose for any relative pose (nearest, for cut joints and starts); angles in (-pi, pi] */
    void (*coordinates)(const clv_joint *j, const double R[9], const double d[3], double *q);
    /* free directions H (6 x nu) and constrained wrench directions D (6 x nc); D^T H = 0, D^T D = 1 */
    void (*basis)(const clv_joint *j, const clv_joint_place *at, double *H, double *D);
    /* time derivatives of the columns of H and D (directions only; the motion of O is the caller's) */
    void (*rate)(const clv_joint *j, const clv_joint_place *at, double *Hdot, double *Ddot);
    /* position error in D components (nc): its derivative is D^T (V_b - V_a) on the manifold */
    void (*violation)(const clv_joint *j, const clv_joint_place *at, double *c);
} clv_joint_row;

extern const clv_joint_row clv_joint_table[CLV_JOINT_KINDS];

/* How a place changes along a direction (T75); everything in global axes. */
typedef struct clv_joint_change {
    double a[3], b[3];   /* rad, rotation of a and of b                                */
    double d[3];         /* m, change of d                                             */
    double wa[3], wb[3]; /* rad/s, changes of wa and wb                                */
    double dv[3];        /* m/s, change of dv                                          */
} clv_joint_change;

/* Columns of H and D with their rates, slopes along a direction, and slopes of their rates (T75): 6 jets a column. Both
 * have room for 6 columns.  Kinds without: see clv_joint_derivable. */
void clv_joint_jets(const clv_joint *j, const clv_joint_place *at, const clv_joint_change *x, clv_jet *H, clv_jet *D);
/* Are the columns of a kind among those that clv_joint_jets knows? */
bool clv_joint_derivable(clv_joint_kind kind);
/* Is free direction c of a tree joint carried by b?  Else by a.  Columns of tree joints are fixed on one of them. */
bool clv_joint_carried_by_b(clv_joint_kind kind, int c);
/* G = H (H^T H)^-1, dual basis: H^T G = 1 (6 x nu). */
void clv_joint_dual(const clv_joint *j, const double *H, double *G);
/* qdot from u (nq from nu): quaternion kinematics for spherical and free, else a copy. */
void clv_joint_qdot(clv_joint_kind kind, const double *q, const double *u, double *qdot);
/* Does a disc or a sphere of b roll on a plane of a? */
static inline bool clv_joint_rolls(clv_joint_kind kind)
{
    return kind == CLV_JOINT_ROLLING_DISC || kind == CLV_JOINT_ROLLING_SPHERE;
}
/* How many of its rows, the last ones, restrict velocities only: they are no rates of functions of positions (T68). */
int clv_joint_velocity_rows(clv_joint_kind kind);
/* q of the zero pose */
void clv_joint_zero(clv_joint_kind kind, double *q);
/* moves q by the small displacement du (nu) of the free directions: q + du, quaternions by the exponential,
 * renormalised */
void clv_joint_displace(clv_joint_kind kind, double *q, const double *du);
/* largest change of a coordinate between two q (m, rad); of a quaternion by the angle between them */
double clv_joint_moved(clv_joint_kind kind, const double *from, const double *to);
/* Is coordinate i an angle that a pose determines up to whole turns only? (A screw's translation determines its
 * turns.) */
bool clv_joint_angle(clv_joint_kind kind, int i);
/* Is free direction c a translation (m)?  Of a screw, no: its coordinate is the angle. */
bool clv_joint_shift(clv_joint_kind kind, int c);
/* divides quaternions in q by their norm */
void clv_joint_normalize(clv_joint_kind kind, double *q);

#endif
