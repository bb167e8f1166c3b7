/* SPDX-License-Identifier: Apache-2.0
 * The equations of the mass-matrix baseline (T18), see massmatrix.h:
 *
 *   M = L L^T,  Y = L^-1 J^T,  Z lambda = g - Y^T L^-1 h,  u' = L^-T (L^-1 h + Y lambda),   Z = Y^T Y
 *
 * M and J come from joint_space.c, column by column.  Z is factored with rank decision, as the engine's nodes are.  The
 * solution is corrected once by its residual, in which M u' is a sweep again and not a product with the matrix. */
#include "base/tolerance.h"
#include "formulation/joint_space.h"
#include "formulation/massmatrix.h"
#include "math/dense.h"
#include "math/rank.h"
#include "math/spatial.h"
#include <math.h>
#include <string.h>

/* h = tau + H^T (sum of Q - velocity terms - I x0), x0: accelerations with u' = 0, which also go off g: lambda := a -
 * D^T x0 */
static void right_sides(clv_system *s, clv_massmatrix *d)
{
    const clv_plan *p = s->plan;
    clv_joint_space_outward(s, s->x, s->c);
    clv_system_right_side(s);
    for (size_t b = 0; b < (size_t)p->nbody; b++) {
        clv_inertia_times(s->W + 6 * b, s->kin.I + 21 * b, s->x + 6 * b);
        for (size_t i = 6 * b; i < 6 * b + 6; i++)
            s->W[i] = s->b[i] - s->W[i];
    }
    clv_joint_space_inward(s, s->W);
    clv_joint_space_project(s, d->h, s->W);
    for (int k = 0; k < p->nstar; k++) { /* x0 deforms nothing: ud is zero here */
        double F[6];
        clv_star_inertia(&s->engine, k, s->x, s->ud, F, s->modal + p->star[k].mode);
        for (int m = 0; m < p->star[k].nmode; m++)
            d->h[p->star[k].iu + m] -= s->modal[p->star[k].mode + m];
    }
    for (int k = 0; k < p->nu; k++)
        d->h[k] += s->force[k];
    for (int e = 0; e < p->nedge; e++) {
        const clv_edge *edge = &p->edge[e];
        for (int r = 0; edge->tree_body < 0 && r < edge->m; r++) {
            double g = s->a[edge->row + r];
            for (int h = 0; h < edge->nhandle; h++)
                g -= clv_dot6(s->engine.block + edge->block[h] + 6 * r, s->x + 6 * (size_t)edge->body[h]);
            s->lambda[edge->row + r] = g;
        }
    }
}

/* Y, Z and the factor of Z; directions truncated, or -1 */
static int close_loops(clv_system *s, clv_massmatrix *d, clv_rank *f)
{
    int nu = s->plan->nu, m = s->plan->nclosing_row;
    double pivot;
    memcpy(d->Y, d->J, (size_t)m * (size_t)nu * sizeof(double));
    for (int r = 0; r < m; r++) {
        double *Yr = d->Y + (size_t)r * (size_t)nu;
        clv_dense_lower(d->M, Yr, nu);
        for (int c = 0; c <= r; c++)
            d->Z[(size_t)r * (size_t)m + (size_t)c] = clv_dense_dot(Yr, d->Y + (size_t)c * (size_t)nu, nu);
    }
    *f = clv_rank_view(m, m, d->rank);
    int rank = clv_rank_factor_most(f, d->Z, s->engine.scale, s->engine.rank, m - s->redundant, &pivot);
    s->engine.min_pivot = pivot;
    return rank < 0 ? -1 : m - rank;
}

/* h += weight J^T W g */
static void add_rows(const clv_system *s, const clv_massmatrix *d, double *h, const double *g)
{
    for (int r = 0; d->weight > 0 && r < s->plan->nclosing_row; r++) {
        double w = d->weight * g[r] / (s->engine.scale[r] * s->engine.scale[r]);
        for (int k = 0; k < s->plan->nu; k++)
            h[k] += w * d->J[(size_t)r * (size_t)s->plan->nu + (size_t)k];
    }
}

/* M = L L^T.  Where the tree alone lacks inertia that the loops supply (a massless body at the end of an arm), rows
 * times J u' = g are added to the first line: the solution is the same, and M + J^T W J does not have this defect.
 * What is left without inertia even so stays at zero if nothing loads it. */
static int factor_mass(clv_system *s, clv_massmatrix *d)
{
    int nu = s->plan->nu, bad = clv_dense_factor(d->M, nu, NULL);
    d->weight = 0, d->loose = -1;
    if (bad < 0 || s->plan->nclosing_row == 0)
        return bad;
    clv_joint_space_mass(s, d->M, d->column);
    d->weight = 1;
    for (int k = 0; k < nu; k++)
        for (int r = 0; r < s->plan->nclosing_row; r++) {
            const double *Jr = d->J + (size_t)r * (size_t)nu;
            double w = 1 / (s->engine.scale[r] * s->engine.scale[r]);
            for (int i = 0; i <= k; i++)
                d->M[(size_t)k * (size_t)nu + (size_t)i] += w * Jr[k] * Jr[i];
        }
    return clv_dense_factor(d->M, nu, &d->loose);
}

/* ------------------------------------------------------------------ accelerations */

static clv_status singular(clv_system *s, int k)
{
    int b = 0;
    for (int i = 0; i < s->plan->nstar; i++)
        if (k >= s->plan->star[i].iu && k < s->plan->star[i].iu + s->plan->star[i].nmode)
            return clv_system_fail(s, CLV_ERR_SINGULAR, s->plan->star[i].frame, -1,
                                   "its modes have no mass of their own");
    while (b < s->plan->nbody - 1 && !(k >= s->plan->tree[b].iu && k < s->plan->tree[b].iu + s->plan->tree[b].f))
        b++;
    return clv_system_singular(s, b, s->plan->tree[b].joint);
}

/* h (nu) becomes u' = L^-T (L^-1 h + Y lambda), g (m) becomes lambda with Z lambda = g - Y^T L^-1 h */
static void solve_factored(const clv_system *s, const clv_massmatrix *d, const clv_rank *f, double *h, double *g)
{
    int nu = s->plan->nu, m = s->plan->nclosing_row;
    add_rows(s, d, h, g);
    clv_dense_lower(d->M, h, nu);
    for (int r = 0; r < m; r++)
        g[r] -= clv_dense_dot(d->Y + (size_t)r * (size_t)nu, h, nu);
    clv_rank_solve(f, g);
    for (int r = 0; r < m; r++)
        for (int k = 0; k < nu; k++)
            h[k] += d->Y[(size_t)r * (size_t)nu + (size_t)k] * g[r];
    clv_dense_upper(d->M, h, nu);
}

/* s->x = J u + motions `from` of joints and links (nbody x 6) */
static void motions(clv_system *s, const double *from, const double *u)
{
    const clv_plan *p = s->plan;
    memcpy(s->b, from, 6 * (size_t)p->nbody * sizeof(double));
    for (size_t b = 0; b < (size_t)p->nbody; b++)
        for (int c = 0; c < p->tree[b].f; c++)
            for (size_t i = 0; i < 6; i++)
                s->b[6 * b + i] += s->kin.H[clv_columns(p, b) + 6 * (size_t)c + i] * u[p->tree[b].iu + c];
    clv_joint_space_add_links(s, s->b, u);
    clv_joint_space_outward(s, s->x, s->b);
}

/* One correction of u' (s->ud) and lambda: what they leave of h and g is solved for.  False: a load is left on an
 * unknown without inertia. */
static bool refine(clv_system *s, clv_massmatrix *d, const clv_rank *f)
{
    int nu = s->plan->nu, m = s->plan->nclosing_row;
    double most = 0;
    for (int k = 0; k < nu; k++)
        most = fmax(most, fabs(d->load[k]));
    memset(d->column, 0, 6 * (size_t)s->plan->nbody * sizeof(double));
    motions(s, d->column, s->ud);
    clv_joint_space_inertia(s, d->h, s->x, s->ud);
    for (int k = 0; k < nu; k++)
        d->load[k] -= d->h[k];
    for (int r = 0; r < m; r++) {
        const double *Jr = d->J + (size_t)r * (size_t)nu;
        d->goal[r] -= clv_dense_dot(Jr, s->ud, nu);
        for (int k = 0; k < nu; k++)
            d->load[k] += Jr[k] * s->lambda[r];
    }
    if (d->loose >= 0 && fabs(d->load[d->loose]) > CLV_TOL_LOADED * most)
        return false;
    solve_factored(s, d, f, d->load, d->goal);
    for (int k = 0; k < nu; k++)
        s->ud[k] += d->load[k];
    for (int r = 0; r < m; r++)
        s->lambda[r] += d->goal[r];
    return true;
}

clv_status clv_massmatrix_solve(clv_system *s)
{
    const clv_plan *p = s->plan;
    clv_massmatrix *d = s->private_state;
    size_t nu = (size_t)p->nu, m = (size_t)p->nclosing_row;
    clv_rank f;
    clv_joint_space_mass(s, d->M, d->column);
    clv_joint_space_rows(s, d->J);
    int bad = factor_mass(s, d);
    memset(s->lambda, 0, (size_t)p->nsigma * sizeof(double));
    right_sides(s, d);
    if (bad >= 0)
        return singular(s, bad);
    s->truncated = close_loops(s, d, &f);
    if (s->truncated < 0)
        return clv_system_fail(s, CLV_ERR_NOT_FINITE, -1, -1, "the constraint matrix is not finite");
    memcpy(d->load, d->h, nu * sizeof(double)), memcpy(d->goal, s->lambda, m * sizeof(double));
    solve_factored(s, d, &f, d->h, s->lambda);
    memcpy(s->ud, d->h, nu * sizeof(double));
    if (!refine(s, d, &f))
        return singular(s, d->loose);
    motions(s, s->c, s->ud);
    return CLV_OK;
}
