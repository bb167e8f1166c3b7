/* SPDX-License-Identifier: Apache-2.0
 * Strands that fold into others, for rows whose lanes are mechanisms (row_abreast.h, T85): what row_scan.c and
 * row_sums.c do strand by strand, in lanes. */
#ifndef CLV_KINEMATICS_ROW_LIMBS_H
#define CLV_KINEMATICS_ROW_LIMBS_H
#include <stdbool.h>

/* A strand, and where it starts. */
typedef struct clv_row_limb {
    int parent;      /* strand into which it folds; -1: it stands on ground                   */
    int row, at;     /* row of the body there, and its place among attached rows              */
    bool floats;     /* its base does: its start is there before the scan, and V              */
    double *V;       /* (6 x 8) motion of the start then                                      */
    int nheld;       /* attached rows of bodies of this strand ..                             */
    int *held;       /* .. (nheld) their numbers                                              */
    double *R;       /* (9 x 8) its axes beside those of the parent                           */
} clv_row_limb;

#endif
