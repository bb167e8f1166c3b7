/* SPDX-License-Identifier: Apache-2.0
 * Backward differentiation formulas for stiff models (theory T21), by CVODE of SUNDIALS.  The build compiles one of two
 * files: bdf.c where SUNDIALS is there (CMake option CLV_SUNDIALS), else bdf_absent.c, whose row is refused. */
#ifndef CLV_INTEGRATOR_BDF_H
#define CLV_INTEGRATOR_BDF_H
#include "integrator/integrator.h"

extern const clv_method clv_bdf_method;

/* Head of the row in both files; dense linear algebra and a Jacobian by differences pay up to this many states. */
#define CLV_BDF_MOST 200
#define CLV_BDF_NAME .name = "bdf", .text = "backward differences of order 1 to 5, for stiff models", .order = 5

#endif
