/* SPDX-License-Identifier: Apache-2.0
 * The part of a violation that motions can remove (T40).
 *
 * The self-stresses of the dropped directions, taken at the rows of the closings, span the left null space of these
 * rows in the coordinates of the tree.  What a violation has along them is the contradiction.  It is taken off before a
 * correction is solved for.  A node may decide the rank of a loop at the rows of a tree joint.  It would answer a
 * right-hand side out of range with a motion of the mechanism along its own degrees of freedom. */
#include "base/tolerance.h"
#include "base/error.h"
#include "base/memory.h"
#include "simulation/sim.h"
#include <math.h>
#include <string.h>

static const size_t MOST = 4000000;     /* numbers; larger mechanisms go without */

clv_status clv_open_consistent(clv_sim *s)
{
    const size_t rows = (size_t)s->plan->nclosing_row, count = (size_t)s->system.engine.truncated;
    clv_close_consistent(s);
    if (s->report.contradiction <= CLV_TOL_CONSISTENT || rows * count == 0 || rows * count > MOST)
        return CLV_OK;
    s->null = clv_alloc(rows * (count + 1), sizeof *s->null);
    s->nulls = (int)count, s->null_of = -1;
    return s->null ? CLV_OK
                   : clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory for redundant constraints that contradict");
}

void clv_close_consistent(clv_sim *s)
{
    clv_free(s->null);
    s->null = NULL, s->nulls = 0;
}

/* v := v made orthogonal to the null vectors before, and a unit vector; false: it depends on them */
static bool orthonormal(const clv_sim *s, double *v, int before)
{
    const int m = s->plan->nclosing_row;
    double whole = 0, rest = 0;
    for (int i = 0; i < m; i++)
        whole += v[i] * v[i];
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < before; k++) {
            const double *n = s->null + (size_t)k * (size_t)m;
            double t = 0;
            for (int i = 0; i < m; i++)
                t += n[i] * v[i];
            for (int i = 0; i < m; i++)
                v[i] -= t * n[i];
        }
    for (int i = 0; i < m; i++)
        rest += v[i] * v[i];
    if (!(rest > 1e-16 * whole))
        return false;
    for (int i = 0; i < m; i++)
        v[i] /= sqrt(rest);
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
            double *v = s->null + (size_t)found * (size_t)p->nclosing_row;
            for (int i = 0; i < p->nclosing_row; i++)
                v[i] = sigma[i] * size[i];
            found += orthonormal(s, v, found);
        }
    s->null_count = found, s->null_of = s->system.engine.factors;
}

void clv_make_consistent(clv_sim *s, double *row)
{
    const int m = s->plan->nclosing_row;
    if (!s->null || s->system.engine.truncated == 0)
        return;
    if (s->null_of != s->system.engine.factors)
        find_null(s);
    const double *size = sizes(s);
    for (int k = 0; k < s->null_count; k++) {
        const double *n = s->null + (size_t)k * (size_t)m;
        double t = 0;
        for (int i = 0; i < m; i++)
            t += n[i] * row[i] / size[i];
        for (int i = 0; i < m; i++)
            row[i] -= t * n[i] * size[i];
    }
}
