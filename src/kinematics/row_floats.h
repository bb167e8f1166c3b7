/* SPDX-License-Identifier: Apache-2.0
 * Bases that float, of mechanisms abreast (row_abreast.h, T85.6): their free joint in lanes, by the operations of
 * kinematics.c, fill.c, row_scan.c and row_fold.c for one mechanism.  Called by row_abreast_float.c. */
#ifndef CLV_KINEMATICS_ROW_FLOATS_H
#define CLV_KINEMATICS_ROW_FLOATS_H
#include "kinematics/row_flex.h"
#include "kinematics/row_limbs.h"
#include "kinematics/rows.h"

/* The base of a strand in all lanes, on ground by a free joint. */
typedef struct clv_row_float {
    int strand, iq, iu; /* places of its coordinates and rates in the state                            */
    double *Ea, *pa;    /* (9, 3 x 8) constants: frame of the joint on ground, its point               */
    double *Eb, *off;   /* (9, 3 x 8) the frame on the base, the centre of mass from its point         */
    double *H, *Hd;     /* (36 x 8) free directions, which are their duals, and derivatives            */
    double *V, *u;      /* (6 x 8) motion of the base, rates of the joint                              */
} clv_row_float;

typedef struct clv_float_kernels {
    /* where the strand starts, at the coordinates q (7 x 8); with rates u (6 x 8), or NULL, how it moves */
    void (*start)(const clv_rows *w, const clv_row_float *f, const clv_row_limb *l, const double *q, const double *u);
    /* momenta p (6 x 8) along the joint as a wrench on the row */
    void (*drive)(const clv_rows *w, const clv_row_float *f, const clv_row_limb *l, const double *p);
    /* motion of the base that nothing holds, of the tip t or of the strand alone */
    void (*solve)(const clv_rows *w, const clv_row_float *f, const clv_row_tip *t);
    /* hdca: rates of the joint out of the motion found, and derivatives of its directions */
    void (*move)(const clv_rows *w, const clv_row_float *f);
    /* rates of its coordinates (7 x 8) and momenta, with tau (6 x 8) or NULL; or accelerations (6 x 8) */
    void (*momenta)(const clv_rows *w, const clv_row_float *f, const double *tau, double *pdot);
    void (*accelerations)(const clv_rows *w, const clv_row_float *f, double *ud);
    void (*coordinates)(const clv_rows *w, const clv_row_float *f, const double *q, double *qdot);
} clv_float_kernels;

/* row_floats.c, for each width */
extern const clv_float_kernels clv_float_kernels_1, clv_float_kernels_2, clv_float_kernels_4, clv_float_kernels_8;
static inline const clv_float_kernels *clv_float_kernels_of(int lanes)
{
    return lanes == 1   ? &clv_float_kernels_1
           : lanes == 2 ? &clv_float_kernels_2
           : lanes == 4 ? &clv_float_kernels_4
                        : &clv_float_kernels_8;
}

#endif
