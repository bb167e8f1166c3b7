/* SPDX-License-Identifier: Apache-2.0
 * By how much a solution with carried loops misses their rows (T101, T136); see row_carry.h. */
#include "kinematics/row_carry_parts.h"
#include "math/spatial.h"
#include <math.h>

/* What the rows of an edge miss, into g; the largest beside the largest motion they compare, in units of their scales
 * (T136). */
static double edge_residual(const clv_rows *w, const clv_edge *edge)
{
    const clv_engine *e = w->engine;
    double v[CLV_HANDLES][6], missed = 0, most = 0;
    for (int h = 0; h < edge->nhandle; h++)
        clv_rows_motion(w, edge->body[h], v[h]);
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
        missed = fmax(missed, fabs(r) / e->scale[row]), most = fmax(most, size / e->scale[row]);
    }
    return most > 0 ? missed / most : 0.0;
}

/* blocks of edges, the same for any number of threads */
enum { EDGES = 64, BLOCKS = 64 };
typedef struct residuals {
    const clv_rows *w;
    int first;
    double worst[BLOCKS];
} residuals;

static void residual_of_block(void *of, int block)
{
    residuals *x = of;
    const clv_plan *p = x->w->plan;
    const int from = x->first + block * EDGES, to = from + EDGES < p->nedge ? from + EDGES : p->nedge;
    x->worst[block] = 0;
    for (int k = from; k < to; k++)
        if (clv_edge_closes(&p->edge[k]))
            x->worst[block] = fmax(x->worst[block], edge_residual(x->w, &p->edge[k]));
}

double clv_rows_carry_residual(clv_rows *w)
{
    const int n = w->plan->nedge;
    residuals x = {.w = w};
    double worst = 0;
    for (x.first = 0; x.first < n; x.first += BLOCKS * EDGES) {
        const int blocks = (n - x.first + EDGES - 1) / EDGES, count = blocks < BLOCKS ? blocks : BLOCKS;
        clv_team_run(w->team, count, residual_of_block, &x);
        for (int i = 0; i < count; i++)
            worst = fmax(worst, x.worst[i]);
    }
    return worst;
}
