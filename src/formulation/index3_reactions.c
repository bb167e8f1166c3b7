/* SPDX-License-Identifier: Apache-2.0
 * Reactions of an open tree whose accelerations are known, in absolute coordinates (T13, T22).  From the tips inwards,
 * what the equation of motion of a body lacks is the wrench of its inboard joint:
 *
 *   B^T lambda = M x + velocity terms - Q - (wrenches of the joints outboard)
 *
 * so no matrix of the mechanism is factored.  Where loops are closed, multipliers come from the nodes. */
#include <string.h>
#include "formulation/index3_rows.h"
#include "math/rotation.h"
#include "math/spatial.h"
#include "math/symmetric.h"

/* which handle of an edge is this body */
static int handle_of(const clv_edge *e, int body)
{
    for (int h = 0; h < e->nhandle; h++)
        if (e->body[h] == body)
            return h;
    return -1;
}

/* lambda of an edge from the wrench W on its handle h (N, N m; about the reference point).  Least squares about the
 * joint point, r beside the reference point: there the rows are of one size.  False: they are dependent. */
static bool multipliers(const clv_engine *engine, const clv_edge *e, int h, const double r[3], const double W[6],
                        double *lambda)
{
    const double back[3] = {-r[0], -r[1], -r[2]};
    double rows[6][6], at[6], gram[36];
    clv_wrench_shift(at, back, W);
    for (int i = 0; i < e->m; i++) {
        clv_wrench_shift(rows[i], back, engine->block + e->block[h] + 6 * i);
        lambda[i] = clv_dot6(rows[i], at);
        for (int j = 0; j <= i; j++)
            gram[e->m * i + j] = gram[e->m * j + i] = clv_dot6(rows[i], rows[j]);
    }
    if (clv_cholesky(gram, e->m, 1e-14) >= 0)
        return false;
    clv_lower_solve(gram, e->m, lambda);
    clv_lower_transpose_solve(gram, e->m, lambda);
    return true;
}

bool clv_index3_rows_open(const clv_system *s)
{
    if (!s->trials || s->nbearing > 0 || s->tree->nclosing_row > 0 || s->tree->ntangent_row > 0 ||
        s->plan->ntangent_row > 0)
        return false;
    for (int k = 0; k < s->plan->nedge; k++) /* couplings would hold bodies beside their joints */
        if (s->plan->edge[k].joint < 0)
            return false;
    return true;
}

clv_status clv_index3_rows_reactions(clv_system *s)
{
    const clv_plan *p = s->plan, *tree = s->tree;
    double *T = s->T;
    clv_system_needed(s, T);
    memset(s->lambda, 0, (size_t)p->nsigma * sizeof(double));
    for (int i = p->nbody - 1; i >= 0; i--) {
        const int b = tree->order[i], k = s->trials->edge[b];
        if (k < 0) /* floats */
            continue;
        const clv_edge *e = &p->edge[k];
        double point[3], r[3];
        clv_row_trials_point(s->trials, b, point);
        clv_sub3(r, point, s->kin.ref + 3 * (size_t)b);
        if (!multipliers(&s->engine, e, handle_of(e, b), r, T + 6 * (size_t)b, s->lambda + e->row))
            return clv_system_singular(s, b, e->joint);
        for (int h = 0; h < e->nhandle; h++)
            for (int j = 0; j < 6 * e->m; j++)
                T[6 * (size_t)e->body[h] + (size_t)(j % 6)] -=
                    s->engine.block[e->block[h] + j] * s->lambda[e->row + j / 6];
    }
    return CLV_OK;
}
