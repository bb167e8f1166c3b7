/* SPDX-License-Identifier: Apache-2.0
 * Loops carried by the tree (T101): the numbers of closing rows on their way to the base.  A row r of a closing with
 * its ends outboard of a body acts there by a wrench K_r sigma_r; where strands meet,
 *
 *   I x = p + K sigma,     K^T x + L sigma = g
 *
 *   bring   along a strand, tip to base    y = H^T K,  K -= N y,  L += y^T y / d,  g -= K^T c + y u0
 *   meet    at a tip, fronts in order      sigma_E = Z^+ (g_E - K_E^T x - L_EO sigma_O),  Z = L_EE
 *   give    on the way down                sigma_E of a meet;  u0 += y sigma / d of a strand
 *
 * Columns are lanes: the bits depend on no width. */
#ifndef CLV_KINEMATICS_ROW_CARRY_H
#define CLV_KINEMATICS_ROW_CARRY_H
#include "plan/plan.h"

typedef struct clv_row_columns { /* open rows of a strand, in the order of its meet                          */
    int n, wide;                 /* rows; the next multiple of eight                                         */
    int rows;                    /* rows of the strand                                                       */
    double *K, *Y, *L, *X;       /* (6 x wide), (rows x wide), (n x wide); floating base: I^-1 K (6 x wide)   */
    double *t;                   /* what the strand takes off g                                      (wide)  */
} clv_row_columns;

typedef struct clv_row_front {
    int rank, wide;          /* directions kept; numbers of a row of X                                   */
    double *X;               /* [K_E^T | L_EO], of ground without K                       (nout x wide)  */
    double *factor, *sigma0; /* of Z; Z^+ g_E                                       (CLV_RANK_SIZE, nout) */
    double *L;               /* of the rows left                                 (nleft x sixes of nleft) */
} clv_row_front;

struct clv_row_kernels;

typedef struct clv_row_carry {
    const struct clv_row_kernels *kernels; /* of this CPU, whatever the strands fill: lanes are columns       */
    clv_row_columns *strand;   /* (nstrand)                                                                */
    clv_row_front *front;      /* (nfront of the plan)                                                     */
    double **K;                /* (nstrand) columns of the rows that meet at its tip         (nrow x 6)    */
    double *g;                 /* right-hand sides                                          (nclosing_row) */
    double *Q;                 /* loads before the first factor, where there are several     (6 an attached lane) */
    double *work;              /* for one front                                                            */
    double *x, *rates, *start; /* a solution, while a correction is found              (6, 1 a slot; 6 a lane) */
    double *sigma;             /* and its multipliers                                       (nclosing_row) */
} clv_row_carry;

#endif
