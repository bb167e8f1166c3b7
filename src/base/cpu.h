/* SPDX-License-Identifier: Apache-2.0
 * How many doubles the lane kernels of this program (engine/kernels.h) process at a time on this CPU. */
#ifndef CLV_BASE_CPU_H
#define CLV_BASE_CPU_H
#include "base/error.h"

/* The widths for which lane kernels are compiled: 1, 2, 4, 8. */
enum { CLV_CPU_WIDTHS = 4 };
extern const int clv_cpu_width[CLV_CPU_WIDTHS];
/* Has this CPU the instructions for which the kernels of that width are compiled? */
bool clv_cpu_runs(int lanes);
/* What they are called: "SSE2", "AVX2", "AVX-512"; "NEON"; "baseline". */
const char *clv_cpu_instructions(int lanes);
/* The width to use: the environment variable CLV_LANES (1, 2, 4, 8) if it is set and not empty, else the widest with
 * registers of its own.  It changes the speed and no bit of a result.  Errors: CLV_ERR_USAGE (CLV_LANES is none of
 * these), CLV_ERR_UNSUPPORTED (this CPU lacks the instructions); *lanes is then unchanged. */
clv_status clv_cpu_lanes(int *lanes, clv_error *error);

#endif
