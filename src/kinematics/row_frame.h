/* SPDX-License-Identifier: Apache-2.0
 * Frames one after the other, and motions beside them: of bodies in the axes of a start, and of that start (T43.2).
 * For the scan over strands, and over segments (T80). */
#ifndef CLV_KINEMATICS_ROW_FRAME_H
#define CLV_KINEMATICS_ROW_FRAME_H
#include <string.h>
#include "kinematics/rows.h"
#include "math/rotation.h"
#include "math/spatial.h"

/* f := s f, both as axes and position */
static inline void clv_frame_product(const double s[CLV_FRAME], double f[CLV_FRAME])
{
    for (int v = 0; v < 4; v++) {
        double x[3];
        for (int i = 0; i < 3; i++)
            x[i] = s[i] * f[3 * v] + s[3 + i] * f[3 * v + 1] + s[6 + i] * f[3 * v + 2];
        for (int i = 0; i < 3; i++)
            f[3 * v + i] = x[i] + (v == 3 ? s[9 + i] : 0.0);
    }
}

/* motion of a point of a strand: run, in the axes of the start s and as if that were at rest, and V of the start */
static inline void clv_frame_run(const double s[CLV_FRAME], const double f[CLV_FRAME], const double V[6], double run[6])
{
    double l[3], x[6];
    clv_sub3(l, f + 9, s + 9);
    clv_motion_shift(x, l, V);
    for (int h = 0; h < 2; h++)
        for (int i = 0; i < 3; i++)
            x[3 * h + i] += s[i] * run[3 * h] + s[3 + i] * run[3 * h + 1] + s[6 + i] * run[3 * h + 2];
    memcpy(run, x, sizeof x);
}

#endif
