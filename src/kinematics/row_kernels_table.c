/* SPDX-License-Identifier: Apache-2.0
 * A lane source: the table of the kernels over rows of this width; see row_kernels.h. */
#include "kinematics/row_kernels.h"

#define DECLARE(name, arguments) void CLV_LANE(clv_rows_##name) arguments; /* NOLINT(bugprone-macro-parentheses) */
CLV_ROW_KERNELS(DECLARE)

#define ENTRY(name, arguments) .name = CLV_LANE(clv_rows_##name),
const clv_row_kernels CLV_LANE(clv_row_kernels) = {CLV_ROW_KERNELS(ENTRY)};
