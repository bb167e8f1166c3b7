/* SPDX-License-Identifier: Apache-2.0
 * Loops carried by the tree (T101): the numbers of closing rows on their way to the base.  A row r of a closing with
 * its ends outboard of a body acts there by a wrench K_r sigma_r; where strands meet,
 *
 *   I x = p + K sigma,     K^T x + L sigma = g
 *
 *   bring   along a strand, tip to base    y = H^T K,  K -= N y,  L += y^T y / d,  g -= K^T c + y u0
 *   meet    at a tip, fronts in order      sigma_E = Z^+ (g_E - K_E^T x - L_EO sigma_O),  Z = L_EE
 *                                          = F^-T D^-1 (h - G [x; sigma_O]),  G = F^-1 [K_E^T | L_EO]
 *   give    on the way down                sigma_E of a meet;  u0 += y sigma / d of a strand
 *
 * Lanes are columns of a strand; or strands, where those of a group bring on similar numbers of rows (row_sheaf.c);
 * or fronts (row_batch.c).  The bits depend on no width. */
#ifndef CLV_KINEMATICS_ROW_CARRY_H
#define CLV_KINEMATICS_ROW_CARRY_H
#include "math/lane.h"
#include "plan/plan.h"
#include <stdbool.h>

typedef struct clv_row_columns { /* open rows of a piece, in the order of its meet                           */
    int n, wide;                 /* rows; the next multiple of eight                                         */
    int rows;                    /* rows of the strand                                                       */
    double *K, *Y, *L, *X;       /* (6 x wide), (rows x wide, of strands in series 6 x wide), (n x wide); floating
                                  * base: F^-1 K (6 x wide)                                                  */
    double *t;                   /* what the strand takes off g                                      (wide)  */
    bool joined;                 /* a flexible body, or its base is attached to one: K ends in the axes of the body
                                  * before, about the reference point of that body                           */
    double *J, *DJ;              /* y and D^-1 y of the joint of that base                    (6 x wide each) */
    double *modes;               /* of a flexible body: y of its modes                        (nmode x wide)  */
} clv_row_columns;

/* Numbers from elsewhere that all lanes take up alike: number k step of lane l is added to component to[k]; or put at
 * ~to[k], to[k] < 0, where it is the first to arrive.  Or components to[] that are cleared, as none arrives there. */
typedef struct clv_row_intake {
    int n, step; /* how many; numbers from one to the next                */
    int *to;     /* as an offset of the first lane                    (n) */
    const double *from[CLV_GROUP];
    const double *eight[3];    /* the groups of lanes from which all of them come, or NULL if more      */
    long long lane[CLV_GROUP]; /* their lanes in the first two of these, those of the second from 8 on  */
    long long last[CLV_GROUP]; /* from 8 on, the lanes of those from the third; others: their own       */
} clv_row_intake;

typedef struct clv_row_sheaf { /* open rows of the strands of a group, in their lanes: component k at [8 k + lane] */
    int n, rows;               /* most rows of one of them, 0: strand by strand; rows of the longest            */
    double *K, *Y;             /* columns (n x 6); y of rows of the strands (rows x n)                          */
    double *L;                 /* lower triangle, row by row                                    (n (n + 1) / 2) */
    double *t;                 /* what a strand takes off g; or multipliers, on the way down                (n) */
    double *R;                 /* axes beside those of the strand on which they hang; NULL: on ground all   (9) */
    bool alike;                /* do all lanes take up the same: blocks of handles, columns and L of strands outboard */
    int nblock;                /* runs of carried rows of handles                                                 */
    clv_row_intake *block, *column, *compliance; /* of each of these, strand, element left of the first strand    */
    clv_row_intake clear_K, clear_L;
    unsigned char *empty; /* where L is filled by the first joint: one number for each of L, NULL: nowhere         */
} clv_row_sheaf;

typedef struct clv_row_front {
    int rank, wide;          /* directions kept; numbers of a row of G, 0 on ground where no rows are left */
    double *G;               /* F^-1 [K_E^T | g_E 0 | L_EO 0], Z^+ = F^-T D^-1 F^-1          (nout x wide) */
    double *factor, *h;      /* of Z; F^-1 g_E of the last right-hand sides         (CLV_SEMI_SIZE, nout) */
    double *L;               /* of the rows left                                 (nleft x sixes of nleft) */
} clv_row_front;

/* Fronts of one shape on ground that take up none of each other, in lanes: component k at [8 k + lane].  Q, R: as in
 * math/rank.h; columns that a lane has dropped are zero, and pivots of R one, up to those that its strip has. */
enum { CLV_BATCH_ROWS = 6 };
typedef struct clv_row_batch {
    int first, n;     /* its first front, how many, one after the other                                     */
    int m, left;      /* rows eliminated, rows left                                                         */
    double *X, *L;    /* L_OE; L of the rows left, lower triangle              (left x m), (left (left + 1) / 2) */
    double *Q, *R;    /* rows of Q^T; R by columns, its pivots inverted               (m x m), (m (m + 1) / 2) */
    double *s, *order; /* 1 / scale; pivots in their order                                             (m, m) */
    double *sigma0;   /* Z^+ g_E                                                                          (m) */
    double *G;        /* work: that of its piece of the round                                      (left x m) */
    double *g;        /* right-hand sides or multipliers on their way in and out                   (m + left) */
    int ntake;        /* elements that all lanes take up alike, -1: they do not                             */
    clv_row_intake *take; /*                                                                        (ntake) */
    clv_row_intake clear;
    bool as_before;   /* is what it clears what the batch before clears?                                    */
    int *kept;        /* at the first lane of a strip of lanes: the most columns of Q that one of them has    (8) */
    double *found;    /* rank, least scaled pivot kept, largest dropped, 1 where numbers are finite       (4) */
} clv_row_batch;

struct clv_row_kernels;
struct clv_semi_kernels;

typedef struct clv_row_carry {
    const struct clv_row_kernels *kernels; /* of this CPU, whatever the strands fill: lanes are columns       */
    const struct clv_semi_kernels *semi;   /* the same, of fronts                                             */
    clv_row_columns *strand;   /* (npiece)                                                                 */
    clv_row_sheaf *sheaf;      /* (ngroup); strands of one with n > 0 have no columns of their own         */
    clv_row_front *front;      /* (nfront of the plan)                                                     */
    clv_row_batch *batch;      /* (nbatch); fronts of one have no numbers of their own, but for the rank   */
    int nbatch, *batch_of;     /* (nfront) its batch, or -1                                                */
    double *work_of_batch;     /* of each piece of a round: lower triangle of L of all rows, G             */
    int nwork;                 /* numbers of one of these                                                  */
    double **K;                /* (nstrand) columns of the rows that meet at its tip         (nrow x 6)    */
    double *motion;            /* of the border, and what closings give to it, global axes     (nbody x 6)  */
    const unsigned char *packed; /* (nedge) edges whose residuals are found in lanes, or NULL                 */
    double *g;                 /* right-hand sides                                      (rows of all edges) */
    double *Q;                 /* loads before the first factor, where there are several     (6 an attached lane) */
    double *work;              /* for one front                                                            */
    double *x, *rates, *start; /* a solution, while a correction is found              (6, 1 a slot; 6 a lane) */
    double *sigma;             /* and its multipliers                                             (nsigma) */
    double *u;                 /* and the unknowns of flexible bodies and of joints on them            (nu) */
    int nseries, *series;      /* strands in series, outboard ones later                                   */
    double *own;               /* their inertias without what is outboard                    (21 a strand) */
    double *defect, *tip;      /* by how much rows at a tip miss its motion; that of a solution before  (6, 6) */
    bool mends;                /* the next solution takes defects away                                     */
    int *joined;               /* (joined_first[nlevel + 1]) flexible bodies and strands on them, outermost first */
    int *joined_first;         /* (nlevel + 2) those after level l, -1 before all: joined[joined_first[l + 1] ..] */
} clv_row_carry;

/* entry of the lower triangle, i >= j */
static inline int clv_row_sheaf_at(int i, int j) { return (i * (i + 1) / 2 + j) * CLV_GROUP; }

#endif
