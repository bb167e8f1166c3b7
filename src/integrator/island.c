/* SPDX-License-Identifier: Apache-2.0
 * The matrix of an island, see island.h (T107).  W = J M^-1 J^T is symmetric, so one half is computed. */
#include "integrator/island.h"
#include "integrator/across.h"
#include <string.h>

size_t clv_island_scratch(int points)
{
    const size_t rows = 3 * (size_t)(points < CLV_ISLAND_POINTS ? points : CLV_ISLAND_POINTS);
    return rows * rows + rows;
}

bool clv_island_fits(const clv_impulse_problem *x, const int *points, int n)
{
    for (int i = 0; i < n && n <= CLV_ISLAND_POINTS; i++)
        if (!(x->point[points[i]].W[0] > 0))
            return false;
    return n <= CLV_ISLAND_POINTS;
}

static double dot(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* block of points i and j: velocities at i by impulses at j */
static void respond(clv_island *g, int i, int j)
{
    const clv_impulse_problem *x = g->x;
    const int rows = g->at[i + 1] - g->at[i], columns = g->at[j + 1] - g->at[j];
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) {
            const clv_contact_part *p = &x->point[g->points[i]].part[a], *q = &x->point[g->points[j]].part[b];
            if (p->component < 0 || p->component != q->component)
                continue;
            for (int r = 0; r < rows; r++)
                for (int c = 0; c < columns; c++)
                    g->W[(g->at[i] + r) * g->rows + g->at[j] + c] +=
                        dot(x->J + p->at + (size_t)(r * p->n), x->Y + q->at + (size_t)(c * p->n), p->n);
        }
}

void clv_island_make(clv_island *g, const clv_impulse_problem *x, const int *points, int n, double *scratch)
{
    *g = (clv_island){.x = x, .points = points, .n = n, .W = scratch};
    for (int i = 0; i < n; i++) {
        const clv_contact_point *p = &x->point[points[i]];
        g->across[i] = p->dry || !(p->friction > 0) ? 0 : clv_across_response(p->W);
        g->at[i + 1] = g->at[i] + (g->across[i] > 0 ? 3 : 1);
    }
    const int m = g->rows = g->at[n];
    g->free = g->W + (size_t)m * (size_t)m;
    memset(g->W, 0, (size_t)m * (size_t)m * sizeof *g->W);
    for (int i = 0; i < n; i++) {
        const clv_contact_point *p = &x->point[points[i]];
        for (int j = 0; j <= i; j++)
            respond(g, i, j);
        for (int r = g->at[i]; r < g->at[i + 1]; r++) {
            const int axis = r - g->at[i];
            g->free[r] = p->after[axis] - (axis == 0 ? x->leave[points[i]] : 0);
            for (int side = 0; side < 2 && p->part[side].component >= 0; side++)
                g->free[r] += dot(x->J + p->part[side].at + (size_t)(axis * p->part[side].n),
                                  x->free + p->part[side].first, p->part[side].n);
        }
    }
    for (int r = 0; r < m; r++)
        for (int c = r + 1; c < m; c++)
            g->W[r * m + c] = g->W[c * m + r];
}

void clv_island_velocities(const clv_island *g, const double *P, double *U)
{
    memcpy(U, g->free, (size_t)g->rows * sizeof *U);
    for (int j = 0; j < g->rows; j++) { /* by columns, which are rows: sums in lanes, in one order */
        const double *W = g->W + j * g->rows;
        for (int i = 0; i < g->rows && P[j] != 0; i++)
            U[i] += W[i] * P[j];
    }
}
