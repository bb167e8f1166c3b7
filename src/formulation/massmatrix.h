/* SPDX-License-Identifier: Apache-2.0
 * The equations of the mass-matrix baseline (T18) and their solution. */
#ifndef CLV_FORMULATION_MASSMATRIX_H
#define CLV_FORMULATION_MASSMATRIX_H
#include "formulation/system.h"

typedef struct clv_massmatrix {
    double *M;      /* mass matrix, then its Cholesky factor, lower          (nu x nu)         */
    double *J;      /* closing rows in joint space                           (m x nu)          */
    double *Y;      /* L^-1 J^T, by rows                                     (m x nu)          */
    double *Z;      /*                                                       (m x m)           */
    double *rank;   /* its factor                                            (CLV_RANK_SIZE)   */
    double *h;      /* generalized loads, then u'                            (nu)              */
    double *load;   /* h as given, then its residual                         (nu)              */
    double *goal;   /* g as given, then its residual                         (m)               */
    double *column; /* one unit acceleration at the joints                   (nbody x 6)       */
    int loose;      /* unknown without inertia, left at zero, or -1                             */
    double weight;  /* 1: M holds J^T W J too, W = 1 / scale^2 of the rows; 0: it does not      */
} clv_massmatrix;

/* u' (s->ud) and lambda of M u' = h + J^T lambda, J u' = g, and the accelerations s->x; bias terms s->c, s->a must be
 * there.  CLV_ERR_SINGULAR: a joint or a mode lacks inertia; CLV_ERR_NOT_FINITE. */
clv_status clv_massmatrix_solve(clv_system *s);

#endif
