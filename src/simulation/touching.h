/* SPDX-License-Identifier: Apache-2.0
 * Rigid contacts of a simulation (T62). */
#ifndef CLV_SIMULATION_TOUCHING_H
#define CLV_SIMULATION_TOUCHING_H
#include "integrator/mechanics.h"
#include "model/contact.h"

typedef struct clv_rigid_point {
    int force;         /* contact of the model                                      */
    double at[3];      /* m, global                                                 */
    double axis[3][3]; /* normal from a to b, two directions across it; global      */
} clv_rigid_point;

/* Most points of all rigid contacts of a model. */
int clv_touching_most(const clv_model *m);
/* CLV_ERR_UNSUPPORTED with its name: a rigid contact in a simulation whose integrator finds no impulses, or beside
 * something that these do not take. */
clv_status clv_touching_refuse(clv_sim *s, bool impulses);
/* Sets what integrators need of contacts. */
void clv_touching_mechanics(clv_sim *s, clv_mechanics *m);

#endif
