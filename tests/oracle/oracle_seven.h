/* SPDX-License-Identifier: Apache-2.0
 * What the ALDCA paper solves, dense and in extended precision (T23, T24): q = [r; e] of every body, e its Euler
 * parameters,
 *
 *   M x + Phi^T lam = b,   lam = lam* + alpha (Phi x + c)
 *
 * for the rows of spherical and revolute joints and the normalizations.  The sign of lam is the paper's, opposite to
 * ours. */
#ifndef TESTS_ORACLE_SEVEN_H
#define TESTS_ORACLE_SEVEN_H
#include "model/model.h"

typedef long double real;
enum { SEVEN_BODIES = 64 };

typedef struct seven {
    int n, rows;       /* 7 nbody; rows of joints, behind them nbody of normalization                */
    real *M, *Phi;     /* n x n; (rows + nbody) x n                                                  */
    real *Q;           /* (n) weight, and velocity terms                                             */
    real *phi, *gamma; /* (rows + nbody) gaps; Phi'' = Phi x + gamma                                 */
    real q[SEVEN_BODIES][7], v[SEVEN_BODIES][7];
} seven;

/* At places r (nbody x 3) of the centres of mass, rotations R (nbody x 9), velocities V (nbody x 6, global axes).
 * Loads: weight. */
seven *seven_create(const clv_model *m, const double *r, const double *R, const double *V);
void seven_destroy(seven *d);
/* One iterate: x (n) and the next lam (rows + nbody) from b, c and lam; alpha (rows), alpha_N of the normalizations (0:
 * exact). */
void seven_iterate(const seven *d, const real *b, const real *c, const real *alpha, real alpha_N, real *x, real *lam);
/* The same with a leading matrix (M + Phi^T alpha Phi) as printed in (9), (10), in double precision; alpha_N > 0. */
void seven_iterate_printed(const seven *d, const real *b, const real *c, const real *alpha, real alpha_N, real *x,
                           real *lam);
/* (nbody x 6) velocities or accelerations, global axes, of x in the seven coordinates (for accelerations E' e' = 0) */
void seven_twists(const seven *d, const real *x, double *V);
#endif
