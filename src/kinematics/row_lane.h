/* SPDX-License-Identifier: Apache-2.0
 * What lane sources over rows share: numbers in lanes (math/lane_row.h) and the direction of a row.  For lane sources
 * alone (row_kernels.h). */
#ifndef CLV_KINEMATICS_ROW_LANE_H
#define CLV_KINEMATICS_ROW_LANE_H
#include "kinematics/row_kernels.h"
#include "math/lane_row.h"

/* H = [beta h; alpha h]; the row has alpha h where nothing translates */
INLINE void direction(clv_w *H, const clv_rows *w, int row, int lane)
{
    load(H + 3, row_of(w->h, 3, row, lane), 3);
    clv_w alpha = clv_w_fill(1.0), beta = clv_w_fill(0.0);
    if (w->flags[row] & CLV_ROW_SHIFTS)
        load(&alpha, row_of(w->alpha, 1, row, lane), 1), load(&beta, row_of(w->beta, 1, row, lane), 1);
    for (int i = 0; i < 3; i++)
        H[i] = beta * H[3 + i], H[3 + i] = alpha * H[3 + i];
}

#endif
