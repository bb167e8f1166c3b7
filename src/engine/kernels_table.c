/* SPDX-License-Identifier: Apache-2.0
 * A lane source: the table of the kernels of this width; see kernels.h.  CLV_KERNELS lists them; a new kernel is a line
 * there, and one definition in a lane source. */
#include "engine/kernels.h"

#define DECLARE(name, arguments) void CLV_LANE(clv_##name) arguments; /* NOLINT(bugprone-macro-parentheses) */
CLV_KERNELS(DECLARE)

#define ENTRY(name, arguments) .name = CLV_LANE(clv_##name),
const clv_kernels CLV_LANE(clv_kernels) = {.lanes = CLV_LANES, CLV_KERNELS(ENTRY)};
