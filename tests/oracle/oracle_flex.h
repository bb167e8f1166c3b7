/* SPDX-License-Identifier: Apache-2.0
 * The oracle for flexible bodies (T19, T31): no condensation, no divide and conquer, no integrals.
 *
 * Unknowns: 6 for every rigid body, 6 + nmode for every flexible one; nodes have none.  Every point of a cloud and
 * every node is moved by itself: its place as a function of time is differentiated twice (truncated Taylor numbers),
 * also the exponential of a node's turn, summed as a power series.  Joints are the rows of the rigid oracle on all
 * bodies, nodes included.
 *
 *     x = A z + g,   sum of A^T m (A z + g) = A^T Q + J^T mu,   J (A z + g) = gamma */
#ifndef ORACLE_ORACLE_FLEX_H
#define ORACLE_ORACLE_FLEX_H
#include "oracle/flex_cloud.h"
#include "oracle/oracle.h"

typedef struct oracle_flex {
    oracle *o;
    flex_cloud *const *cloud;  /* (nflex)                                                    */
    int N, *at;                /* unknowns; first of a body (nbody), -1: node                */
    real *eta, *etad;          /* (sum of nmode), flexible bodies in order                   */
    int *mode;                 /* first of a flexible body (nflex)                           */
    real *A, *g;               /* (6 nbody x N), (6 nbody): motion of bodies                 */
    real *M, *f;               /* (N x N), (N): mass; loads minus velocity terms             */
    real *L, *scale;           /* (N x N), (rows)                                            */
    linear_cod cod;
    bool factored;
    real condition;            /* of the scaled KKT matrix                                   */
} oracle_flex;

oracle_flex *oracle_flex_create(const clv_model *m, flex_cloud *const *cloud);
void oracle_flex_destroy(oracle_flex *f);
/* Poses and velocities of rigid bodies and frames as oracle_set (entries of nodes are overwritten by what follows from
 * the frames), modal coordinates and rates. */
void oracle_flex_set(oracle_flex *f, double time, const double *r, const double *R, const double *V, const double *eta,
                     const double *etad);
/* z (N), mu (rows) */
void oracle_flex_accelerations(oracle_flex *f, real *z, real *mu);
/* sqrt of (x - y)^T M (x - y) over y^T M y + |scaled mu|^2: the measure of T19 */
double oracle_flex_difference(const oracle_flex *f, const real *x, const real *y, const real *mu);
/* Kinetic energy, and potential energy of gravity and stiffness of the flexible bodies. */
real oracle_flex_kinetic(const oracle_flex *f);
/* Momentum along a virtual motion and its rate without closing impulses: sum of P.d, and of Q.d + P.d'.  d, dd: (N)
 * virtual velocity of the unknowns and the derivative of its components; *terms: size of what was added. */
void oracle_flex_momentum(const oracle_flex *f, const real *d, const real *dd, real *p, real *pdot, real *terms);
#endif
