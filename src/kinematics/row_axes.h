/* SPDX-License-Identifier: Apache-2.0
 * Axes of strands, and numbers of one strand or body out of arrays over lanes; for files that go strand by strand. */
#ifndef CLV_KINEMATICS_ROW_AXES_H
#define CLV_KINEMATICS_ROW_AXES_H
#include <assert.h>
#include <string.h>
#include "kinematics/rows.h"
#include "math/rotation.h"

enum { G8 = CLV_GROUP };

static inline const clv_row_ends *clv_row_ends_of(const clv_rows *w, int strand)
{
    return &w->end[w->plan->strand[strand].group];
}

/* a body's lane in an array over attached rows, n numbers a row */
static inline double *clv_row_attached(const clv_rows *w, double *array, int n, int body)
{
    const int slot = w->slot[body];
    assert(slot >= 0 && w->attached[slot / G8] >= 0); /* rows.c marks all rows at which something starts or acts */
    return array + (size_t)w->attached[slot / G8] * (size_t)n * G8 + slot % G8;
}

/* axes of a piece, row major: strand to global; those of a flexible body are global */
static inline void clv_row_axes(const clv_rows *w, int strand, double R[9])
{
    static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (strand >= w->plan->nstrand) {
        memcpy(R, unit, sizeof unit);
        return;
    }
    const double *s = clv_row_ends_of(w, strand)->start + w->plan->strand[strand].lane;
    for (int i = 0; i < 3; i++)
        for (int v = 0; v < 3; v++)
            R[3 * i + v] = s[(3 * v + i) * G8];
}

/* 6-vectors between strand and global axes */
static inline void clv_row_to_global(const double R[9], double y[6], const double x[6])
{
    double z[6];
    clv_mat3_times(z, R, x), clv_mat3_times(z + 3, R, x + 3);
    memcpy(y, z, sizeof z);
}
static inline void clv_row_to_strand(const double R[9], double y[6], const double x[6])
{
    double z[6];
    clv_mat3_transpose_times(z, R, x), clv_mat3_transpose_times(z + 3, R, x + 3);
    memcpy(y, z, sizeof z);
}

#endif
