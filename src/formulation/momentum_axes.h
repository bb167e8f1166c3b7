/* SPDX-License-Identifier: Apache-2.0
 * Axes in which hdca integrates momenta (T9.4).
 *
 * The momentum of a joint, p = H^T W, lies along the joint's free directions and contains everything outboard.  The
 * momentum of a thin body about its own axis is then a small difference of large parts of the state.  Angles of stages
 * have errors of low order; over the small inertia, these change the spin of the body.  So methods need many small
 * steps.  Three components of p that are an angular momentum about one point, p_i = h_i . L, are therefore exchanged,
 * in the state, for
 *
 *   R^T (L - sum of L_c)     R: axes of the body; L_c: the same of the bodies that are attached to it in this way
 *
 * where it helps: at spherical and free joints that the tree passes from b to a (their directions are axes of the
 * inboard body), and at those in a row.  Also at three directions of revolute and universal joints that meet in a point
 * with massless bodies between them (a gimbal).  These are independent wherever the mass matrix is regular. */
#ifndef CLV_FORMULATION_MOMENTUM_AXES_H
#define CLV_FORMULATION_MOMENTUM_AXES_H
#include "formulation/system.h"

typedef struct clv_momentum_triple {
    int body;        /* axes of it                                           */
    int momentum[3]; /* components of p                                      */
    int joint[3];    /* bodies whose inboard joints these belong to           */
    size_t h[3];     /* places of h_i (3 numbers) in the arrays of directions */
    int holder;      /* body on which it hangs, or -1                        */
    int parent;      /* triple of that body, or -1                           */
    bool apart;      /* h_i are not axes of the body                         */
    double L[3];     /* work                                                 */
} clv_momentum_triple;

typedef struct clv_momentum_axes {
    int count;
    clv_momentum_triple *triple; /* (count) parents first                  */
    double *p;                   /* (nu) for callers: momenta along joints */
    int *of;                     /* (nbody) triple of a body, or -1        */
    double *sum;                 /* (nu) the same of sums of M V outboard  */
} clv_momentum_axes;

/* s->private_state: its memory, and which momenta are turned; rows show the bodies concerned from now on. */
void clv_momentum_axes_layout(clv_system *s, clv_arena *a);
/* Directions of the joints concerned, and their derivatives, in the kinematics: out of poses of bodies, and of their V,
 * that rows have left there (T43). */
void clv_momentum_axes_directions(clv_system *s);
void clv_momentum_axes_derivatives(clv_system *s);
/* p (nu) := momenta of the state out of those along joints, and back; in place, with the directions at hand. Without
 * axes (private_state NULL, or s->joint_momenta) both leave p as it is. */
void clv_momentum_axes_turn(const clv_system *s, double *p);
void clv_momentum_axes_turn_back(const clv_system *s, double *p);
/* Momenta along the joints (nu) of those of a state p (nu): p itself, or memory of the axes; poses of the bodies
 * concerned must be there. */
const double *clv_momentum_axes_along_joints(clv_system *s, const double *p);
/* pdot (nu): rates of the momenta of the state out of those along joints; p (nu) become the state's too.  Derivatives
 * of the directions and velocities of bodies must be there. */
void clv_momentum_axes_turn_rates(const clv_system *s, double *p, double *pdot);

#endif
