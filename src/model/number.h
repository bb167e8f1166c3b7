/* SPDX-License-Identifier: Apache-2.0
 * Numbers of a model by which it is differentiated (T76.4, T112): which ones it has, and their values.  Their
 * derivatives are those of kinematics/derivative_number.c and derivative_offset.c. */
#ifndef CLV_MODEL_NUMBER_H
#define CLV_MODEL_NUMBER_H
#include "model/model.h"

/* Does the model have this number? */
bool clv_number_exists(const clv_model *m, const clv_number *x);
/* Its value; it exists. */
double clv_number_value(const clv_model *m, const clv_number *x);

#endif
