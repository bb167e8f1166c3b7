/* SPDX-License-Identifier: Apache-2.0
 * Self-stresses of carried loops (T20, T101): null vectors of the compliance of a front, continued to all fronts
 * outboard of it; see row_carry.h. */
#include "base/tolerance.h"
#include "kinematics/row_carry_parts.h"
#include "math/semi.h"
#include <math.h>

int clv_rows_front_nullity(const clv_rows *w, int front)
{
    if (front == w->plan->carry->nfront)
        return w->plan->carry->nidle;
    return w->plan->carry->front[front].nout - w->carry.front[front].rank;
}

/* largest scaled multiplier of n rows */
static double largest(const clv_engine *e, const int *row, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(e->sigma[row[i]]) * e->scale[row[i]]);
    return most;
}

/* its factor with an orthonormal basis, in `memory` if it has none of its own */
static clv_rank rank_of(const clv_rows *w, int front, double *memory)
{
    const clv_row_front *f = &w->carry.front[front];
    if (clv_row_batch_of(w, front))
        return clv_rows_batch_rank(w, front, memory);
    const clv_semi z = clv_semi_view(w->plan->carry->front[front].nout, f->rank, f->factor);
    return clv_semi_rank(&z);
}
/* x := Z^+ L_EO sigma_O of a front */
static void answer(const clv_rows *w, int front, double *x)
{
    const clv_front *s = &w->plan->carry->front[front];
    const clv_row_front *f = &w->carry.front[front];
    const clv_row_batch *b = clv_row_batch_of(w, front);
    const int *left = w->plan->carry->list + s->row + s->nout, n = b ? s->nout : f->rank;
    double *y = x + CLV_EIGHTS(s->nout);
    for (int i = 0; i < n; i++) {
        const double *L = b ? b->X + i * G8 + (front - b->first) : f->G + i * f->wide + 8;
        y[i] = 0;
        for (int j = 0; j < s->nleft; j++)
            y[i] += L[b ? j * b->m * G8 : j] * w->engine->sigma[left[j]];
    }
    if (b) {
        memcpy(x, y, (size_t)n * sizeof(double));
        clv_rows_batch_solve(w, front, x);
        return;
    }
    const clv_semi z = clv_semi_view(s->nout, f->rank, f->factor);
    clv_semi_backwards(&z, x, y);
}

void clv_rows_self_stress(clv_rows *w, int front, int n)
{
    const clv_plan *p = w->plan;
    clv_engine *e = w->engine;
    double *v = w->carry.work;
    memset(e->sigma, 0, (size_t)p->nsigma * sizeof(double));
    if (front == p->carry->nfront) {
        const int row = p->carry->list[p->carry->idle + n];
        e->sigma[row] = 1 / e->scale[row];
        return;
    }
    double most = 0;
    for (int k = front; k >= 0; k--) { /* fronts outboard of others have lower numbers */
        const clv_front *s = &p->carry->front[k];
        const int *row = p->carry->list + s->row;
        if (k == front) {
            const clv_rank z = rank_of(w, k, v + s->nout);
            clv_rank_null(&z, n, v);
        } else {
            if (!(largest(e, row + s->nout, s->nleft) > CLV_TOL_SELF_STRESS * most))
                continue;
            answer(w, k, v);
            for (int i = 0; i < s->nout; i++)
                v[i] = -v[i];
        }
        for (int i = 0; i < s->nout; i++)
            e->sigma[row[i]] = v[i];
        most = fmax(most, largest(e, row, s->nout));
    }
}
