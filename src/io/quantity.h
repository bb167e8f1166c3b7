/* SPDX-License-Identifier: Apache-2.0
 * Names of numbers and outputs of sensitivities (T109): "crank.mass", "crank.com.x", "spring.stiffness",
 * "hinge.point_a.y", "gravity.z"; "crank.q", "ball.u.rx", "tip.position.x", "tip.velocity.z", as columns have them.
 * Used by commands and by the Python package. */
#ifndef CLV_IO_QUANTITY_H
#define CLV_IO_QUANTITY_H
#include "cleave/cleave.h"

/* The number of a model with this name; false: there is none. */
bool clv_quantity_number(const clv_model *m, const char *name, clv_number *x);
/* The output with this name; false: there is none. */
bool clv_quantity_output(const clv_model *m, const char *name, clv_observed *x);

#endif
