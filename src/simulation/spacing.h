/* SPDX-License-Identifier: Apache-2.0
 * Steps that do not pass over a contact (T73). */
#ifndef CLV_SIMULATION_SPACING_H
#define CLV_SIMULATION_SPACING_H
#include "model/contact.h"

/* Parts of the mean width by which a step may move bodies into each other.  Beyond 1, forces push them out on the other
 * side. */
#define CLV_SPACING_ADAPTIVE 0.25
#define CLV_SPACING_FIXED    1.0

/* Two bodies of a contact at the end of the last accepted step; new: at the end of the step to be judged. */
typedef struct clv_spacing {
    int force;               /* contact of the model                                                      */
    double n[3], new_n[3];   /* direction in which they are farthest apart, axes of the first body         */
    double gap, new_gap;     /* m, along it; below 0 they overlap.  NaN: not known                         */
} clv_spacing;

/* Contacts of a model between two bodies. */
int clv_spacing_count(const clv_model *m);
/* Starts at the poses of the system. */
void clv_spacing_begin(clv_sim *s);
/* The next step is not judged: bodies have been placed elsewhere. */
void clv_spacing_forget(clv_sim *s);
/* At the poses of the system, at the end of a step: CLV_ERR_NO_CONVERGENCE if it passes over a contact. */
clv_status clv_spacing_check(clv_sim *s, double t);
/* The step is accepted. */
void clv_spacing_keep(clv_sim *s);

#endif
