/* SPDX-License-Identifier: Apache-2.0
 * The branch method (JSC; T28, T29).  State (q, u), as dca.
 *
 *   branch j:  A_i = h_i + sum over k of H_ik F_k          one factorization, as many right-hand sides as connections
 *   Method 1:  all connection forces F at once from the connection matrix
 *   Method 2:  branches joined two at a time
 *
 * A branch is a part of the assembly: H = Xi and h = x0 at its ports.  So the formulation is the acceleration problem
 * of dca (T12) on a plan whose sections are the branches; which method closes them is the plan's matter too.  Where it
 * is less work, rows of connections are carried to the bases of the branches, and no H is formed (T170). */
#include "formulation/rate_form.h"

const clv_formulation clv_formulation_connection = {
    .name = "connection",
    .sections = true,
    .carried = true,
    .threads = true,
    .start = clv_rate_form_start,
    .rates = clv_dca_rates,
    .velocities = clv_rate_form_velocities,
};
