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

/* frames are three axes and a point: f := s f */
INLINE void frame_product(const clv_w *s, clv_w *f)
{
    for (int v = 0; v < 4; v++) {
        clv_w x[3];
        for (int i = 0; i < 3; i++)
            x[i] = s[i] * f[3 * v] + s[3 + i] * f[3 * v + 1] + s[6 + i] * f[3 * v + 2];
        for (int i = 0; i < 3; i++)
            f[3 * v + i] = x[i] + (v == 3 ? s[9 + i] : clv_w_fill(0.0));
    }
}

/* V of a body at f, which has run beside a start s at rest that moves with V */
INLINE void frame_run(const clv_w *s, const clv_w *f, const clv_w *V, clv_w *run)
{
    clv_w l[3], m[3], x[6];
    for (int i = 0; i < 3; i++)
        l[i] = f[9 + i] - s[9 + i];
    cross(m, V + 3, l);
    for (int i = 0; i < 3; i++)
        x[i] = V[i] + m[i], x[3 + i] = V[3 + i];
    for (int h = 0; h < 2; h++)
        for (int i = 0; i < 3; i++)
            x[3 * h + i] += s[i] * run[3 * h] + s[3 + i] * run[3 * h + 1] + s[6 + i] * run[3 * h + 2];
    for (int i = 0; i < 6; i++)
        run[i] = x[i];
}

#endif
