/* SPDX-License-Identifier: Apache-2.0
 * Columns of open trees by a factor of the mass matrix (T77.5), M = L^T D L, L with the pattern of the tree
 * (Featherstone, Efficient factorization of the joint-space inertia matrix, IJRR 2005).  All columns go through it at
 * once, row by row.  Deep trees, and bodies that lack inertia, are left to the engine's factor. */
#include "simulation/derivatives.h"

enum { DEEPEST = 100, MOST = 400 }; /* mean number of coordinates inboard of one, coordinates and rows with loops,
                                     * beyond which the engine costs less                               */
#define LEAST_PIVOT 1e-12  /* beside the entry of M: below it the engine's factor is more accurate          */

/* w->up[k]: the coordinate inboard of k, or -1; w->along: all coordinates, inboard ones first.  Returns their mean
 * number of inboard coordinates, or a large one. */
static double find_order(clv_derivatives_work *w)
{
    const clv_plan *p = w->s->plan;
    double all = 0;
    int count = 0;
    for (int i = 0; i < p->nbody; i++) {
        const clv_tree_joint *t = &p->tree[p->order[i]];
        int up = -1;
        for (int b = t->parent; b >= 0 && up < 0; b = p->tree[b].parent)
            up = p->tree[b].f > 0 ? p->tree[b].iu + p->tree[b].f - 1 : -1;
        for (int c = 0; c < t->f; c++) {
            w->up[t->iu + c] = c > 0 ? t->iu + c - 1 : up;
            w->along[count++] = t->iu + c;
            w->level[t->iu + c] = w->up[t->iu + c] < 0 ? 0 : w->level[w->up[t->iu + c]] + 1;
            all += w->level[t->iu + c];
        }
    }
    return count > 0 ? all / count : 0;
}

bool clv_derivatives_takes_dense(clv_derivatives_work *w)
{
    return find_order(w) <= DEEPEST && w->d.n <= MOST && w->d.m <= MOST;
}

bool clv_derivatives_takes_open(clv_derivatives_work *w)
{
    for (int i = 0; i < w->s->model->ninput; i++)
        if (w->s->model->input[i].kind == CLV_INPUT_MOTION)
            return false;
    return !w->closes && find_order(w) <= DEEPEST;
}

/* L below the diagonal of w->L, by rows, and D on it */
bool clv_derivatives_factor_open(clv_derivatives_work *w)
{
    const size_t n = (size_t)w->d.n;
    double *L = w->L;
    memcpy(L, w->mass, n * n * sizeof *L);
    for (size_t at = n; at-- > 0;) {
        const size_t k = (size_t)w->along[at];
        const double pivot = L[k * n + k];
        if (!(pivot > LEAST_PIVOT * w->mass[k * n + k]))
            return false;
        for (int i = w->up[k]; i >= 0; i = w->up[i]) {
            const double a = L[k * n + (size_t)i] / pivot;
            for (int j = i; j >= 0; j = w->up[j])
                L[(size_t)i * n + (size_t)j] -= a * L[k * n + (size_t)j];
            L[k * n + (size_t)i] = a;
        }
    }
    return true;
}

/* y -= a x */
static void take(double *restrict y, double a, const double *restrict x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] -= a * x[i];
}

void clv_derivatives_respond_open(const clv_derivatives_work *w, double *B, int columns)
{
    const size_t n = (size_t)w->d.n, width = (size_t)columns;
    for (size_t at = n; at-- > 0;) {
        const size_t k = (size_t)w->along[at];
        for (int i = w->up[k]; i >= 0; i = w->up[i])
            take(B + (size_t)i * width, w->L[k * n + (size_t)i], B + k * width, width);
    }
    for (size_t at = 0; at < n; at++) {
        const size_t k = (size_t)w->along[at];
        const double inverse = 1 / w->L[k * n + k];
        for (size_t c = 0; c < width; c++)
            B[k * width + c] *= inverse;
        for (int i = w->up[k]; i >= 0; i = w->up[i])
            take(B + k * width, w->L[k * n + (size_t)i], B + (size_t)i * width, width);
    }
}
