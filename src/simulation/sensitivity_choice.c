/* SPDX-License-Identifier: Apache-2.0
 * Dependent coordinates of closed loops (T109.2).  Pivots of the rows of closings, in parts of units, are chosen over
 * rows and columns, as many as the factor of the start has kept.  A choice stays as long as no dependent rate is much
 * larger than the independent ones that cause it. */
#include "base/error.h"
#include "base/memory.h"
#include "simulation/sensitivity.h"
#include <math.h>
#include <string.h>

/* Rates, in parts of units, of a dependent coordinate for one of an independent one: beyond it others are chosen. */
#define LARGEST 6.0
/* Pivots below, beside the first: the loops are in a singular position. */
#define LEAST 1e-9

static clv_partition *open_partition(const clv_sensitivity_work *w)
{
    const size_t r = (size_t)w->r, n = (size_t)w->n;
    clv_partition *p = clv_alloc(1, sizeof *p + 2 * r * sizeof(int) + n * sizeof(bool));
    if (!p)
        return NULL;
    p->column = (int *)(void *)(p + 1), p->row = p->column + r;
    p->depends = (bool *)(p->row + r);
    return p;
}

/* rows by their largest number, columns by units and weights */
static void scale(const clv_sensitivity_work *w, double *A)
{
    const size_t n = (size_t)w->n;
    for (size_t i = 0; i < (size_t)w->m; i++) {
        double most = 0;
        for (size_t k = 0; k < n; k++)
            most = fmax(most, fabs(w->J[i * n + k]) * w->unit[k]);
        for (size_t k = 0; k < n; k++)
            A[i * n + k] = most > 0 ? w->J[i * n + k] * w->unit[k] / most : 0;
    }
}

/* largest entry, weighted, among rows and columns that are left */
static double best_pivot(const clv_sensitivity_work *w, const double *A, const bool *used, const bool *depends,
                         size_t *row, size_t *column)
{
    const size_t n = (size_t)w->n;
    double best = 0;
    for (size_t i = 0; i < (size_t)w->m; i++)
        for (size_t k = 0; k < n && !used[i]; k++)
            if (!depends[k] && fabs(A[i * n + k]) * w->weight[k] > best)
                best = fabs(A[i * n + k]) * w->weight[k], *row = i, *column = k;
    return best > 0 ? fabs(A[*row * n + *column]) : 0;
}

static void eliminate(const clv_sensitivity_work *w, double *A, const bool *used, size_t row, size_t column)
{
    const size_t n = (size_t)w->n;
    for (size_t i = 0; i < (size_t)w->m; i++) {
        const double f = used[i] ? 0 : A[i * n + column] / A[row * n + column];
        for (size_t k = 0; k < n && f != 0; k++)
            A[i * n + k] -= f * A[row * n + k];
    }
}

clv_status clv_partition_choose(clv_sensitivity_work *w)
{
    clv_sim *s = w->s;
    clv_partition *p = open_partition(w);
    bool *used = clv_alloc((size_t)w->m + 1, sizeof *used);
    double first = 0;
    clv_status st = CLV_OK;
    if (!p || !used) {
        clv_free(p), clv_free(used);
        return clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory for coordinates of loops");
    }
    scale(w, w->pick);
    for (int k = 0; k < w->r && st == CLV_OK; k++) {
        size_t row = 0, column = 0;
        const double pivot = best_pivot(w, w->pick, used, p->depends, &row, &column);
        first = fmax(first, pivot);
        if (!(pivot > LEAST * first)) {
            st = clv_fail(&s->error, CLV_ERR_SINGULAR,
                          "the loops are in a singular position: the run has no sensitivities");
            break;
        }
        p->row[k] = (int)row, p->column[k] = (int)column;
        used[row] = p->depends[column] = true;
        eliminate(w, w->pick, used, row, column);
    }
    clv_free(used);
    if (st == CLV_OK) {
        p->next = w->partitions, w->partitions = p, w->partition = p;
        return CLV_OK;
    }
    clv_free(p);
    return st;
}

bool clv_partition_factor(const clv_sensitivity_work *w, const double *J, double *LU, int *pivot)
{
    const size_t r = (size_t)w->r, n = (size_t)w->n;
    const clv_partition *p = w->partition;
    for (size_t i = 0; i < r; i++)
        for (size_t k = 0; k < r; k++)
            LU[i * r + k] = J[(size_t)p->row[i] * n + (size_t)p->column[k]];
    for (size_t k = 0; k < r; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < r; i++)
            best = fabs(LU[i * r + k]) > fabs(LU[best * r + k]) ? i : best;
        pivot[k] = (int)best;
        if (!(fabs(LU[best * r + k]) > 0))
            return false;
        for (size_t c = 0; c < r && best != k; c++) {
            const double x = LU[k * r + c];
            LU[k * r + c] = LU[best * r + c], LU[best * r + c] = x;
        }
        for (size_t i = k + 1; i < r; i++) {
            const double f = LU[i * r + k] /= LU[k * r + k];
            for (size_t c = k + 1; c < r && f != 0; c++)
                LU[i * r + c] -= f * LU[k * r + c];
        }
    }
    return true;
}

void clv_partition_solve(int count, const double *LU, const int *pivot, double *b, int stride)
{
    const size_t r = (size_t)count, step = (size_t)stride;
    for (size_t k = 0; k < r; k++) {
        const size_t other = (size_t)pivot[k];
        const double x = b[k * step];
        b[k * step] = b[other * step], b[other * step] = x;
    }
    for (size_t i = 0; i < r; i++)
        for (size_t k = 0; k < i; k++)
            b[i * step] -= LU[i * r + k] * b[k * step];
    for (size_t i = r; i-- > 0;) {
        for (size_t k = i + 1; k < r; k++)
            b[i * step] -= LU[i * r + k] * b[k * step];
        b[i * step] /= LU[i * r + i];
    }
}

void clv_partition_solve_transpose(int count, const double *LU, const int *pivot, double *b)
{
    const size_t r = (size_t)count;
    for (size_t i = 0; i < r; i++) {
        for (size_t k = 0; k < i; k++)
            b[i] -= LU[k * r + i] * b[k];
        b[i] /= LU[i * r + i];
    }
    for (size_t i = r; i-- > 0;)
        for (size_t k = i + 1; k < r; k++)
            b[i] -= LU[k * r + i] * b[k];
    for (size_t k = r; k-- > 0;) {
        const size_t other = (size_t)pivot[k];
        const double x = b[k];
        b[k] = b[other], b[other] = x;
    }
}

bool clv_partition_good(clv_sensitivity_work *w)
{
    const size_t r = (size_t)w->r, n = (size_t)w->n;
    const clv_partition *p = w->partition;
    for (size_t c = 0; c < n; c++) {
        if (p->depends[c])
            continue;
        for (size_t i = 0; i < r; i++)
            w->x[i] = w->J[(size_t)p->row[i] * n + c] * w->unit[c];
        clv_partition_solve(w->r, w->LU, w->pivot, w->x, 1);
        for (size_t i = 0; i < r; i++)
            if (!(fabs(w->x[i]) <= LARGEST * w->unit[p->column[i]]))
                return false;
    }
    return true;
}

const clv_partition *clv_sensitivity_copy_partition(clv_sensitivity_work *w, const clv_kept_step *like)
{
    const size_t r = (size_t)w->r, n = (size_t)w->n;
    const clv_partition *from = like->partition;
    if (!from)
        return NULL;
    for (clv_partition *p = w->partitions; p; p = p->next)
        if (memcmp(p->column, from->column, r * sizeof(int)) == 0 && memcmp(p->row, from->row, r * sizeof(int)) == 0)
            return p;
    clv_partition *p = open_partition(w);
    if (!p)
        return NULL;
    memcpy(p->column, from->column, r * sizeof(int)), memcpy(p->row, from->row, r * sizeof(int));
    memcpy(p->depends, from->depends, n * sizeof(bool));
    p->next = w->partitions, w->partitions = p;
    return p;
}
