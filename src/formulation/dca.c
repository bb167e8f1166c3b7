/* SPDX-License-Identifier: Apache-2.0
 * DCA (F99): accelerations by divide and conquer, rank-revealing loops.  State (q, u).
 *
 *   M x = Q - velocity terms + wrenches,  D^T (x_B - x_A - c) = -K phi - C phi'     T12
 *
 * Only accelerations obey the loops: without projection or Baumgarte gains positions drift, as the papers show. */
#include "formulation/rate_form.h"
#include "formulation/walk.h"

clv_status clv_dca_rates(clv_system *s, double t, const double *y, double *ydot)
{
    const clv_status st = clv_walk_dca(s, t, y, ydot);
    s->walked = st == CLV_OK;
    if (s->walked && !s->lean)
        clv_walk_view(s, y);
    return st;
}

const clv_formulation clv_formulation_dca = {
    .name = "dca",
    .lanes = true,
    .carried = true,
    .abreast = true,
    .threads = true,
    .start = clv_rate_form_start,
    .rates = clv_dca_rates,
    .velocities = clv_rate_form_velocities,
};
