/* SPDX-License-Identifier: Apache-2.0
 * Strands that fold into others, for rows whose lanes are mechanisms (row_abreast.h, T85): what row_scan.c and
 * row_sums.c do strand by strand, in lanes. */
#ifndef CLV_KINEMATICS_ROW_LIMBS_H
#define CLV_KINEMATICS_ROW_LIMBS_H
#include <stdbool.h>

/* A strand, and where it starts. */
typedef struct clv_row_limb {
    int parent;      /* strand from which it starts; -1: it stands on ground or floats         */
    bool folds;      /* it folds into that one; else it joins its tip                          */
    struct clv_flex_joint *joint; /* its base has this joint on a flexible body, or NULL       */
    int tip_at;      /* what is attached to its tip, where it joins others; -1: nothing        */
    double *R_base, *com_base, *ref_base, *V_base; /* (9, 3, 3, 6 x 8) of a base that floats   */
    int row, at;     /* row of the body there, and its place among attached rows              */
    bool floats;     /* its base does: its start is there before the scan, and V              */
    double *V;       /* (6 x 8) motion of the start then                                      */
    int nheld;       /* attached rows of bodies of this strand ..                             */
    int *held;       /* .. (nheld) their numbers                                              */
    double *R;       /* (9 x 8) its axes beside those of the parent                           */
} clv_row_limb;

#endif
