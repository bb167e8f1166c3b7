/* SPDX-License-Identifier: Apache-2.0
 * The part of a violation that motions can remove (T40).
 *
 * The self-stresses of the dropped directions, taken at the rows of the closings, span the left null space of these
 * rows in the coordinates of the tree.  What a violation has along them is the contradiction.  It is taken off before a
 * correction is solved for.  A node may decide the rank of a loop at the rows of a tree joint.  It would answer a
 * right-hand side out of range with a motion of the mechanism along its own degrees of freedom.
 *
 * The self-stresses of a node load the rows below it alone, so most numbers of a null vector are zero in a net.  The
 * runs of the others are listed. */
#include "base/tolerance.h"
#include "base/error.h"
#include "base/memory.h"
#include "simulation/sim.h"
#include <math.h>
#include <string.h>

static const size_t MOST = 4000000;     /* numbers; larger mechanisms go without */

/* numbers that follow each other */
typedef struct run {
    int from, to;
} run;

clv_status clv_open_consistent(clv_sim *s)
{
    const size_t rows = (size_t)s->plan->nclosing_row, count = (size_t)s->system.engine.truncated;
    clv_close_consistent(s);
    if (s->report.contradiction <= CLV_TOL_CONSISTENT || rows * count == 0 || rows * count > MOST)
        return CLV_OK;
    s->null = clv_alloc(rows * (count + 1), sizeof *s->null);
    s->null_runs = clv_alloc((rows / 2 + 2) * count, sizeof(run));
    s->nulls = (int)count, s->null_of = -1;
    if (s->null && s->null_runs)
        return CLV_OK;
    clv_close_consistent(s);
    return clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory for redundant constraints that contradict");
}

void clv_close_consistent(clv_sim *s)
{
    clv_free(s->null), clv_free(s->null_runs);
    s->null = NULL, s->null_runs = NULL, s->nulls = 0;
}

/* the runs of null vector k that are not zero, behind their number, which is in `to` */
static run *runs(const clv_sim *s, int k)
{
    return (run *)(void *)s->null_runs + (size_t)k * ((size_t)s->plan->nclosing_row / 2 + 2);
}

static double *vector(const clv_sim *s, int k) { return s->null + (size_t)k * (size_t)s->plan->nclosing_row; }

static void find_runs(const clv_sim *s, int k)
{
    const double *v = vector(s, k);
    const int m = s->plan->nclosing_row;
    run *r = runs(s, k);
    int n = 0;
    for (int i = 0, from; i < m; i++)
        if (v[i] != 0) {
            for (from = i; i < m && v[i] != 0; i++)
                ;
            r[++n] = (run){from, i};
        }
    r[0].to = n;
}

/* the sum of a b along the runs, four at a time */
static double dot(const double *a, const double *b, const run *r)
{
    double t[4] = {0};
    for (int k = 1; k <= r[0].to; k++) {
        int i = r[k].from;
        for (; i + 4 <= r[k].to; i += 4)
            for (int l = 0; l < 4; l++)
                t[l] += a[i + l] * b[i + l];
        for (int l = 0; i < r[k].to; i++, l++)
            t[l] += a[i] * b[i];
    }
    return (t[0] + t[1]) + (t[2] + t[3]);
}

/* a -= t b */
static void take(double *a, double t, const double *b, const run *r)
{
    for (int k = 1; k <= r[0].to; k++)
        for (int i = r[k].from; i < r[k].to; i++)
            a[i] -= t * b[i];
}

/* Null vector k is made orthogonal to those before, and a unit vector; false: it depends on them.  Where much of it is
 * taken out, rounding is taken out by a second pass. */
static bool orthonormal(const clv_sim *s, int k)
{
    const int m = s->plan->nclosing_row;
    const run all[2] = {{0, 1}, {0, m}};
    double *v = vector(s, k), rest = dot(v, v, all), before = INFINITY;
    const double whole = rest;
    for (int pass = 0; pass < 2 && rest < 0.5 * before; pass++) {
        before = rest;
        for (int j = 0; j < k; j++) {
            const double t = dot(v, vector(s, j), runs(s, j));
            if (t != 0)
                take(v, t, vector(s, j), runs(s, j));
        }
        rest = dot(v, v, all);
    }
    if (!(rest > 1e-16 * whole))
        return false;
    for (int i = 0; i < m; i++)
        v[i] /= sqrt(rest);
    find_runs(s, k);
    return true;
}

/* Self-stress n of part k of the assembly, or of front k where loops are carried by the tree (T101), into e->sigma;
 * false: it has fewer. */
static bool self_stress(clv_sim *s, bool carried, int k, int n)
{
    clv_engine *e = &s->system.engine;
    if (n >= (carried ? clv_rows_front_nullity(&s->system.rows, k) : e->nullity[k]))
        return false;
    memset(e->sigma, 0, (size_t)s->plan->nsigma * sizeof(double));
    if (carried)
        clv_rows_self_stress(&s->system.rows, k, n);
    else
        clv_engine_self_stress(e, k, n);
    return true;
}

/* (nclosing_row) sizes of the rows, behind the null vectors */
static double *sizes(const clv_sim *s) { return s->null + (size_t)s->nulls * (size_t)s->plan->nclosing_row; }

/* null vectors of the rows as parts of their sizes, at the factor at hand */
static void find_null(clv_sim *s)
{
    const clv_plan *p = s->plan;
    double *size = sizes(s);
    for (int i = 0; i < p->nclosing_row; i++)
        size[i] = 1;
    for (int i = 0; i < p->nedge; i++)
        for (int r = 0; clv_edge_closes(&p->edge[i]) && r < p->edge[i].m; r++)
            size[p->edge[i].row + r] = clv_row_size(s, i, r);
    const double *sigma = s->system.engine.sigma;
    const bool carried = s->system.rows.carried && s->system.engine.partial;
    const int last = carried ? p->carry->nfront + 1 : p->npart;
    int found = 0;
    for (int k = 0; k < last; k++)
        for (int n = 0; found < s->nulls && self_stress(s, carried, k, n); n++) {
            double *v = vector(s, found);
            for (int i = 0; i < p->nclosing_row; i++)
                v[i] = sigma[i] * size[i];
            found += orthonormal(s, found);
        }
    s->null_count = found, s->null_of = s->system.engine.factors;
}

void clv_make_consistent(clv_sim *s, double *row)
{
    if (!s->null || s->system.engine.truncated == 0)
        return;
    if (s->null_of != s->system.engine.factors)
        find_null(s);
    const double *size = sizes(s);
    for (int i = 0; i < s->plan->nclosing_row; i++)
        row[i] /= size[i];
    for (int k = 0; k < s->null_count; k++)
        take(row, dot(row, vector(s, k), runs(s, k)), vector(s, k), runs(s, k));
    for (int i = 0; i < s->plan->nclosing_row; i++)
        row[i] *= size[i];
}
