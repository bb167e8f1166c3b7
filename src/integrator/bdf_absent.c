/* SPDX-License-Identifier: Apache-2.0
 * The row `bdf` of a build without SUNDIALS: known by name and refused; see bdf.h. */
#include "integrator/bdf.h"

const clv_method clv_bdf_method = {
    CLV_BDF_NAME,
    .absent = "install SUNDIALS 6 (Debian, Ubuntu: libsundials-dev) and build again with -DCLV_SUNDIALS=ON; without "
              "it a stiff model needs small steps of dopri5, or softer springs and dampers",
};
