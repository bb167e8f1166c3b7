/* SPDX-License-Identifier: Apache-2.0
 * By how much a solution with carried loops misses their rows (T101, T136); see row_carry.h. */
#include "kinematics/closing_pack.h"
#include "kinematics/row_carry_parts.h"
#include "math/spatial.h"
#include <math.h>

/* What the rows of an edge miss, into g; the largest beside the largest motion they compare, in units of their scales
 * (T136). */
static double edge_residual(const clv_rows *w, const clv_edge *edge)
{
    const clv_engine *e = w->engine;
    const double *v[CLV_HANDLES];
    double missed = 0, most = 0;
    for (int h = 0; h < edge->nhandle; h++)
        v[h] = w->carry.motion + 6 * (size_t)edge->body[h];
    for (int j = 0; j < edge->m; j++) {
        const int row = edge->row + j;
        double r = e->row_value[row], size = fabs(r);
        for (int h = 0; h < edge->nhandle; h++) {
            const double *B = e->block + edge->block[h] + 6 * j;
            r -= clv_dot6(B, v[h]);
            for (int q = 0; q < 6; q++)
                size += fabs(B[q] * v[h][q]);
        }
        w->carry.g[row] = r;
        const double over = 1 / e->scale[row], x = fabs(r) * over, z = size * over;
        missed = x > missed ? x : missed, most = z > most ? z : most;
    }
    return most > 0 ? missed / most : 0.0;
}

/* of edges that no lanes have looked at */
static double residual_of(const clv_rows *w, int from, int to)
{
    double worst = 0;
    for (int k = from; k < to; k++)
        if (clv_plan_carries(w->plan, k) && !(w->carry.packed && w->carry.packed[k]))
            worst = fmax(worst, edge_residual(w, &w->plan->edge[k]));
    return worst;
}

double clv_rows_carry_residual(clv_rows *w, const clv_kinematics *k)
{
    w->carry.packed = k->npack > 0 && !k->lane ? k->packed : NULL;
    clv_rows_show_motions(w, w->carry.motion);
    const double packs = clv_closing_packs_residual(k, w->carry.motion, w->carry.g);
    return clv_closings_packed(k) && w->plan->nsection == 0 ? packs : fmax(packs, clv_rows_worst(w, residual_of));
}
