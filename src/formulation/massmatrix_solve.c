/* SPDX-License-Identifier: Apache-2.0
 * The equations of the mass-matrix baseline (T18) and their solution, see massmatrix.h:
 *
 *   M = L L^T,  Y = L^-1 J^T,  Z lambda = g - Y^T L^-1 h,  u' = L^-T (L^-1 h + Y lambda),   Z = Y^T Y
 *
 * M and J come from the rows, composite inertias and wrenches moved from joint to joint.  h is what the motions of u' =
 * 0 leave of every joint.  Z is factored with rank decision, as the engine's nodes are.  The solution is corrected once
 * by what its motions leave, which is a sweep again and not a product with the matrix. */
#include "base/tolerance.h"
#include "engine/kernels.h"
#include "formulation/massmatrix.h"
#include "math/rank.h"
#include <math.h>
#include <string.h>

void clv_massmatrix_layout(clv_system *s, clv_arena *a)
{
    const size_t m = (size_t)s->plan->nclosing_row, n = (size_t)s->plan->nu;
    clv_massmatrix counting = {0}, *d;
    CLV_TAKE(a, d, 1);
    s->private_state = d;
    if (!d)
        d = &counting;
    clv_row_mass_layout(&d->mass, &s->rows, &s->kin, a);
    CLV_TAKE(a, d->rank, CLV_RANK_SIZE(m)), CLV_TAKE(a, d->J, m * n), CLV_TAKE(a, d->z, n), CLV_TAKE(a, d->left, n);
    CLV_TAKE(a, d->rotor, n);
    d->factor = -1;
    CLV_TAKE(a, d->x, d->mass.block.nwide + CLV_BLOCK * d->mass.block.nbelow), CLV_TAKE(a, d->g, m);
}

/* ------------------------------------------------------------------ the factor */

/* J, and with weight J^T W J in M */
static void weigh(clv_system *s)
{
    clv_massmatrix *d = s->private_state;
    const clv_block *b = &d->mass.block;
    for (int r = 0; r < b->m; r++) {
        double *J = d->J + (size_t)r * (size_t)b->n;
        const double w = 1 / (s->engine.scale[r] * s->engine.scale[r]);
        for (int i = 0; i < b->n; i++) {
            J[i] = *clv_block_below(b, r, i);
            for (int k = 0; k <= i; k++)
                *clv_block_entry(b, i, k) += w * J[i] * J[k];
        }
    }
}

static void add_rotors(clv_massmatrix *d)
{
    for (int i = 0; d->rotors && i < d->mass.n; i++)
        *clv_block_entry(&d->mass.block, i, i) += d->rotor[i];
}

/* The tree alone may lack inertia that the loops supply (a massless body at the end of an arm).  Then rows times J u' =
 * g are added to the first line.  The solution is the same, and M + J^T W J does not have this defect.  What is left
 * without inertia even so stays at zero if nothing loads it. */
static bool factor_mass(clv_system *s)
{
    clv_massmatrix *d = s->private_state;
    clv_block *b = &d->mass.block;
    d->weight = 0, b->skip = false;
    clv_row_mass_matrices(&d->mass, false);
    add_rotors(d);
    s->engine.kernels->block_factor(b);
    if (b->failed >= 0 && b->m > 0) {
        clv_row_mass_matrices(&d->mass, true);
        add_rotors(d);
        weigh(s);
        d->weight = 1, b->skip = true;
        s->engine.kernels->block_factor(b);
    }
    d->failed = b->failed;
    return b->failed < 0;
}

/* factor of Z; false: not finite */
static bool close_loops(clv_system *s)
{
    clv_massmatrix *d = s->private_state;
    double pivot;
    const int m = d->mass.block.m;
    clv_rank f = clv_rank_view(m, m, d->rank);
    const int rank =
        clv_rank_factor_most(&f, d->mass.block.Z, s->engine.scale, s->engine.rank, m - s->redundant, &pivot);
    s->engine.min_pivot = pivot;
    s->truncated = m - rank, d->kept = rank;
    return rank >= 0;
}

/* ------------------------------------------------------------------ solutions */

/* h and below it g in d->x become u' and - lambda */
static void solve_factored(clv_system *s)
{
    clv_massmatrix *d = s->private_state;
    const clv_block *b = &d->mass.block;
    const clv_rank f = clv_rank_view(b->m, d->kept, d->rank);
    double *x = d->x, *g = x + b->nwide;
    for (int r = 0; d->weight > 0 && r < b->m; r++)
        for (int k = 0; k < b->n; k++)
            x[k] += d->J[(size_t)r * (size_t)b->n + (size_t)k] * g[r] / (s->engine.scale[r] * s->engine.scale[r]);
    s->engine.kernels->block_lower(b, x);
    clv_rank_solve(&f, g);
    for (int r = 0; r < b->m; r++)
        g[r] = -g[r];
    s->engine.kernels->block_upper(b, x);
}

/* right-hand sides into d->x: h (n) or NULL: zero, g (m) */
static void take_right_sides(clv_massmatrix *d, const double *h, const double *g)
{
    const clv_block *b = &d->mass.block;
    memset(d->x, 0, (size_t)(b->nwide + CLV_BLOCK * b->nbelow) * sizeof(double));
    if (h)
        memcpy(d->x, h, (size_t)b->n * sizeof(double));
    memcpy(d->x + b->nwide, g, (size_t)b->m * sizeof(double));
}

/* z += u' and lambda += multipliers of what is left */
static void add_solution(clv_system *s)
{
    clv_massmatrix *d = s->private_state;
    const clv_block *b = &d->mass.block;
    take_right_sides(d, d->left, d->g);
    solve_factored(s);
    for (int r = 0; r < b->m; r++)
        s->lambda[r] -= d->x[b->nwide + r];
    for (int k = 0; k < b->n; k++)
        d->z[k] += d->x[k];
}

/* unknowns z into u (nu), by the rows */
static void give(clv_system *s, const double *z, double *u)
{
    const clv_massmatrix *d = s->private_state;
    for (int i = 0; i < d->mass.n; i++)
        if (d->mass.unknown[i] >= 0)
            s->rows.rates[d->mass.unknown[i]] = z[i];
    clv_row_mass_outer(&d->mass, z, u);
    clv_rows_give_rates(&s->rows, s->rows.rates, u);
}

bool clv_massmatrix_correct(clv_system *s, const double *a, double *du)
{
    clv_massmatrix *d = s->private_state;
    if (d->factor != s->engine.factors)
        return false;
    take_right_sides(d, NULL, a);
    solve_factored(s);
    give(s, d->x, du);
    return true;
}

static bool lacks(clv_massmatrix *d, int place, int outcome)
{
    d->failed = place, d->outcome = outcome;
    return false;
}

bool clv_massmatrix_solve(clv_system *s, const double *tau, const double *c, bool whole)
{
    clv_massmatrix *d = s->private_state;
    const clv_block *b = &d->mass.block;
    clv_row_mass_begin(&d->mass);
    clv_massmatrix_list_rotors(s);
    d->factor = -1;
    memset(d->z, 0, (size_t)b->n * sizeof(double));
    memset(s->lambda, 0, (size_t)s->plan->nsigma * sizeof(double));
    clv_rows_take_rates(&s->rows, tau, s->rows.tau);
    clv_massmatrix_leave(s, tau, c, true);
    d->most = 0, d->outcome = CLV_MASS_FOUND;
    for (int k = 0; k < b->n; k++)
        d->most = fmax(d->most, fabs(d->left[k]));
    if (!factor_mass(s))
        return lacks(d, d->failed, CLV_MASS_SINGULAR);
    if (!close_loops(s))
        return lacks(d, -1, CLV_MASS_NOT_FINITE);
    add_solution(s);
    clv_massmatrix_leave(s, tau, c, false);
    if (b->loose >= 0 && fabs(d->left[b->loose]) > CLV_TOL_LOADED * d->most)
        return lacks(d, b->loose, CLV_MASS_SINGULAR);
    add_solution(s);
    if (whole)
        clv_massmatrix_leave(s, tau, c, false);
    give(s, d->z, s->ud);
    d->factor = ++s->engine.factors;
    return true;
}
