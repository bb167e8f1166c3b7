/* SPDX-License-Identifier: Apache-2.0
 * The mass-matrix baseline (T18): joint-space equations of motion, dense.  State (q, u), as dca.
 *
 *   M u' = h + J^T lambda,   J u' = g          M = sum of J_i^T I_i J_i (nu x nu),  J: rows of the closings (m x nu)
 *
 * Column k of M: a unit acceleration of joint k runs outward, its inertia wrenches run inward.  M = L L^T, Y = L^-1
 * J^T, and Z = Y^T Y is factored with rank decision, as the engine's nodes are.  The solution is corrected once by its
 * residual, in which M u' is a sweep again and not a product with the matrix.  Nothing of the engine's factor and solve
 * is used: the other formulations are measured against this one.  O(nu^2) memory and O(nu^3) time, so `most` bounds
 * nu. */
#include "formulation/system.h"
#include "math/rank.h"
#include "math/spatial.h"
#include <math.h>
#include <string.h>

typedef struct massmatrix {
    double *M;      /* mass matrix, then its Cholesky factor, lower          (nu x nu)         */
    double *J;      /* closing rows in joint space                           (m x nu)          */
    double *Y;      /* L^-1 J^T, by rows                                     (m x nu)          */
    double *Z;      /*                                                       (m x m)           */
    double *rank;   /* its factor                                            (CLV_RANK_SIZE)   */
    double *h;      /* generalized loads, then u'                            (nu)              */
    double *load;   /* h as given, then its residual                         (nu)              */
    double *goal;   /* g as given, then its residual                         (m)               */
    double *column; /* one unit acceleration at the joints                   (nbody x 6)       */
    int loose;      /* unknown without inertia, left at zero, or -1                             */
    double weight;  /* 1: M holds J^T W J too, W = 1 / scale^2 of the rows; 0: it does not      */
} massmatrix;

static void layout(clv_system *s, clv_arena *a)
{
    massmatrix counting, *d;
    int nu = s->plan->nu, m = s->plan->nclosing_row;
    CLV_TAKE(a, d, 1);
    s->private_state = d;
    if (!d)
        d = &counting;
    CLV_TAKE(a, d->M, (size_t)nu * (size_t)nu), CLV_TAKE(a, d->J, (size_t)m * (size_t)nu);
    CLV_TAKE(a, d->Y, (size_t)m * (size_t)nu), CLV_TAKE(a, d->Z, (size_t)m * (size_t)m);
    CLV_TAKE(a, d->rank, CLV_RANK_SIZE((size_t)m)), CLV_TAKE(a, d->h, nu), CLV_TAKE(a, d->load, nu);
    CLV_TAKE(a, d->goal, m), CLV_TAKE(a, d->column, 6 * s->plan->nbody);
}

/* ------------------------------------------------------------------ sweeps over the tree */

/* x_B = S^T x_A + c (nbody x 6) */
static void outward(const clv_system *s, double *x, const double *c)
{
    const clv_plan *p = s->plan;
    for (int i = 0; i < p->nbody; i++) {
        size_t b = (size_t)p->order[i];
        memset(x + 6 * b, 0, 6 * sizeof(double));
        if (p->tree[b].parent >= 0)
            clv_motion_shift(x + 6 * b, s->kin.arm + 3 * b, x + 6 * (size_t)p->tree[b].parent);
        clv_add6(x + 6 * b, c + 6 * b);
    }
}

/* W_A += S W_B, tips first: sums over the outboard parts (nbody x 6) */
static void inward(const clv_system *s, double *W)
{
    const clv_plan *p = s->plan;
    for (int i = p->nbody - 1; i >= 0; i--) {
        size_t b = (size_t)p->order[i];
        double S[6];
        if (p->tree[b].parent < 0)
            continue;
        clv_wrench_shift(S, s->kin.arm + 3 * b, W + 6 * b);
        clv_add6(W + 6 * (size_t)p->tree[b].parent, S);
    }
}

/* y_k = H_k^T W_k (nu); modes: sum over links of M^T W */
static void on_joints(const clv_system *s, double *y, const double *W)
{
    const clv_plan *p = s->plan;
    for (size_t b = 0; b < (size_t)p->nbody; b++)
        for (int c = 0; c < p->tree[b].f; c++)
            y[p->tree[b].iu + c] = clv_dot6(s->kin.H + clv_columns(p, b) + 6 * (size_t)c, W + 6 * b);
    for (int k = 0; k < p->nstar; k++)
        memset(y + p->star[k].iu, 0, (size_t)p->star[k].nmode * sizeof(double));
    for (size_t b = 0; b < (size_t)p->nbody; b++)
        for (int c = 0; c < clv_nmode(p, b); c++)
            y[p->star[p->tree[b].link].iu + c] +=
                clv_dot6(s->engine.modes + clv_modes(p, b) + 6 * (size_t)c, W + 6 * b);
}

/* adds M u of the links (modal unknowns of u) to their motions c (nbody x 6) */
static void add_links(const clv_system *s, double *c, const double *u)
{
    const clv_plan *p = s->plan;
    for (size_t b = 0; b < (size_t)p->nbody; b++)
        for (int m = 0; m < clv_nmode(p, b); m++)
            for (size_t i = 0; i < 6; i++)
                c[6 * b + i] +=
                    s->engine.modes[clv_modes(p, b) + 6 * (size_t)m + i] * u[p->star[p->tree[b].link].iu + m];
}

/* y = J^T (I J) for the motion x (nbody x 6) with modal unknowns of u (nu) */
static void inertia_on_joints(clv_system *s, double *y, const double *x, const double *u)
{
    const clv_plan *p = s->plan;
    for (size_t i = 0; i < (size_t)p->nbody; i++)
        clv_inertia_times(s->W + 6 * i, s->kin.I + 21 * i, x + 6 * i);
    for (int k = 0; k < p->nstar; k++) {
        double F[6];
        clv_star_inertia(&s->engine, k, x, u, F, s->modal + p->star[k].mode);
        clv_add6(s->W + 6 * (size_t)p->star[k].frame, F);
    }
    inward(s, s->W);
    on_joints(s, y, s->W);
    for (int k = 0; k < p->nstar; k++)
        for (int m = 0; m < p->star[k].nmode; m++)
            y[p->star[k].iu + m] += s->modal[p->star[k].mode + m];
}

/* ------------------------------------------------------------------ the matrices */

static void mass_matrix(clv_system *s, massmatrix *d)
{
    const clv_plan *p = s->plan;
    size_t n = (size_t)p->nbody, nu = (size_t)p->nu;
    memset(d->column, 0, 6 * n * sizeof(double));
    memset(s->ud, 0, nu * sizeof(double));
    for (size_t b = 0; b < n; b++)
        for (int c = 0; c < p->tree[b].f; c++) {
            memcpy(d->column + 6 * b, s->kin.H + clv_columns(p, b) + 6 * (size_t)c, 6 * sizeof(double));
            outward(s, s->x, d->column);
            inertia_on_joints(s, d->M + nu * (size_t)(p->tree[b].iu + c), s->x, s->ud);
            memset(d->column + 6 * b, 0, 6 * sizeof(double));
        }
    for (int k = 0; k < p->nstar; k++)
        for (int iu = p->star[k].iu; iu < p->star[k].iu + p->star[k].nmode; iu++) {
            s->ud[iu] = 1;
            memset(d->column, 0, 6 * n * sizeof(double));
            add_links(s, d->column, s->ud);
            outward(s, s->x, d->column);
            inertia_on_joints(s, d->M + nu * (size_t)iu, s->x, s->ud);
            s->ud[iu] = 0;
        }
}

static void closing_rows(clv_system *s, massmatrix *d)
{
    const clv_plan *p = s->plan;
    for (int e = 0; e < p->nedge; e++) {
        const clv_edge *edge = &p->edge[e];
        for (int r = 0; edge->tree_body < 0 && r < edge->m; r++) {
            memset(s->W, 0, 6 * (size_t)p->nbody * sizeof(double));
            for (int h = 0; h < edge->nhandle; h++)
                clv_add6(s->W + 6 * (size_t)edge->body[h], s->engine.block + edge->block[h] + 6 * r);
            inward(s, s->W);
            on_joints(s, d->J + (size_t)(edge->row + r) * (size_t)p->nu, s->W);
        }
    }
}

/* h = tau + H^T (sum of Q - velocity terms - I x0), x0: accelerations with u' = 0, which also go off g: lambda := a -
 * D^T x0 */
static void right_sides(clv_system *s, massmatrix *d)
{
    const clv_plan *p = s->plan;
    outward(s, s->x, s->c);
    clv_system_right_side(s);
    for (size_t b = 0; b < (size_t)p->nbody; b++) {
        clv_inertia_times(s->W + 6 * b, s->kin.I + 21 * b, s->x + 6 * b);
        for (size_t i = 6 * b; i < 6 * b + 6; i++)
            s->W[i] = s->b[i] - s->W[i];
    }
    inward(s, s->W);
    on_joints(s, d->h, s->W);
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

/* ------------------------------------------------------------------ dense algebra */

static double dot(const double *x, const double *y, int n)
{
    double d = 0;
    for (int i = 0; i < n; i++)
        d += x[i] * y[i];
    return d;
}

/* M = L L^T in place; the index of the first pivot that is not positive, or -1.  skip: such an unknown is left at zero
 * instead, as if it were alone with a huge inertia, and the last one is noted. */
static int cholesky(double *M, int n, int *skip)
{
    for (int i = 0; i < n; i++) {
        double *Li = M + (size_t)i * (size_t)n;
        for (int j = 0; j < i; j++) {
            const double *Lj = M + (size_t)j * (size_t)n;
            Li[j] = (Li[j] - dot(Li, Lj, j)) / Lj[j];
        }
        double pivot = Li[i] - dot(Li, Li, i);
        if (!(pivot > 1e-14 * Li[i])) {
            if (!skip || !isfinite(pivot))
                return i;
            *skip = i, pivot = 1e30 * fmax(Li[i], 1e-30);
            memset(Li, 0, (size_t)i * sizeof(double));
            for (int j = i + 1; j < n; j++)
                M[(size_t)j * (size_t)n + (size_t)i] = 0;
        }
        Li[i] = sqrt(pivot);
    }
    return -1;
}

static void solve_lower(const double *L, double *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = (x[i] - dot(L + (size_t)i * (size_t)n, x, i)) / L[(size_t)i * (size_t)n + (size_t)i];
}

static void solve_upper(const double *L, double *x, int n)
{
    for (int i = n - 1; i >= 0; i--) {
        const double *Li = L + (size_t)i * (size_t)n;
        x[i] /= Li[i];
        for (int j = 0; j < i; j++)
            x[j] -= Li[j] * x[i];
    }
}

/* Y, Z and the factor of Z; directions truncated, or -1 */
static int close_loops(clv_system *s, massmatrix *d, clv_rank *f)
{
    int nu = s->plan->nu, m = s->plan->nclosing_row;
    double pivot;
    memcpy(d->Y, d->J, (size_t)m * (size_t)nu * sizeof(double));
    for (int r = 0; r < m; r++) {
        double *Yr = d->Y + (size_t)r * (size_t)nu;
        solve_lower(d->M, Yr, nu);
        for (int c = 0; c <= r; c++)
            d->Z[(size_t)r * (size_t)m + (size_t)c] = dot(Yr, d->Y + (size_t)c * (size_t)nu, nu);
    }
    *f = clv_rank_view(m, m, d->rank);
    int rank = clv_rank_factor_most(f, d->Z, s->engine.scale, s->engine.rank, m - s->redundant, &pivot);
    s->engine.min_pivot = pivot;
    return rank < 0 ? -1 : m - rank;
}

/* h += weight J^T W g */
static void add_rows(const clv_system *s, const massmatrix *d, double *h, const double *g)
{
    for (int r = 0; d->weight > 0 && r < s->plan->nclosing_row; r++) {
        double w = d->weight * g[r] / (s->engine.scale[r] * s->engine.scale[r]);
        for (int k = 0; k < s->plan->nu; k++)
            h[k] += w * d->J[(size_t)r * (size_t)s->plan->nu + (size_t)k];
    }
}

/* M = L L^T.  Where the tree alone lacks inertia that the loops supply (a massless body at the end of an arm), rows
 * times J u' = g are added to the first line: the solution is the same, and M + J^T W J has no such gap.  What is left
 * without inertia even so stays at zero if nothing loads it. */
static int factor_mass(clv_system *s, massmatrix *d)
{
    int nu = s->plan->nu, bad = cholesky(d->M, nu, NULL);
    d->weight = 0, d->loose = -1;
    if (bad < 0 || s->plan->nclosing_row == 0)
        return bad;
    mass_matrix(s, d);
    d->weight = 1;
    for (int k = 0; k < nu; k++)
        for (int r = 0; r < s->plan->nclosing_row; r++) {
            const double *Jr = d->J + (size_t)r * (size_t)nu;
            double w = 1 / (s->engine.scale[r] * s->engine.scale[r]);
            for (int i = 0; i <= k; i++)
                d->M[(size_t)k * (size_t)nu + (size_t)i] += w * Jr[k] * Jr[i];
        }
    return cholesky(d->M, nu, &d->loose);
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
static void solve_factored(const clv_system *s, const massmatrix *d, const clv_rank *f, double *h, double *g)
{
    int nu = s->plan->nu, m = s->plan->nclosing_row;
    add_rows(s, d, h, g);
    solve_lower(d->M, h, nu);
    for (int r = 0; r < m; r++)
        g[r] -= dot(d->Y + (size_t)r * (size_t)nu, h, nu);
    clv_rank_solve(f, g);
    for (int r = 0; r < m; r++)
        for (int k = 0; k < nu; k++)
            h[k] += d->Y[(size_t)r * (size_t)nu + (size_t)k] * g[r];
    solve_upper(d->M, h, nu);
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
    add_links(s, s->b, u);
    outward(s, s->x, s->b);
}

/* One correction of u' (s->ud) and lambda: what they leave of h and g is solved for.  False: a load is left on an
 * unknown without inertia. */
static bool refine(clv_system *s, massmatrix *d, const clv_rank *f)
{
    int nu = s->plan->nu, m = s->plan->nclosing_row;
    double most = 0;
    for (int k = 0; k < nu; k++)
        most = fmax(most, fabs(d->load[k]));
    memset(d->column, 0, 6 * (size_t)s->plan->nbody * sizeof(double));
    motions(s, d->column, s->ud);
    inertia_on_joints(s, d->h, s->x, s->ud);
    for (int k = 0; k < nu; k++)
        d->load[k] -= d->h[k];
    for (int r = 0; r < m; r++) {
        const double *Jr = d->J + (size_t)r * (size_t)nu;
        d->goal[r] -= dot(Jr, s->ud, nu);
        for (int k = 0; k < nu; k++)
            d->load[k] += Jr[k] * s->lambda[r];
    }
    if (d->loose >= 0 && fabs(d->load[d->loose]) > 1e-9 * most)
        return false;
    solve_factored(s, d, f, d->load, d->goal);
    for (int k = 0; k < nu; k++)
        s->ud[k] += d->load[k];
    for (int r = 0; r < m; r++)
        s->lambda[r] += d->goal[r];
    return true;
}

/* u' and lambda of M u' = h + J^T lambda, J u' = g, and the accelerations s->x; bias terms c, a must be there */
static clv_status solve(clv_system *s)
{
    const clv_plan *p = s->plan;
    massmatrix *d = s->private_state;
    size_t nu = (size_t)p->nu, m = (size_t)p->nclosing_row;
    clv_rank f;
    mass_matrix(s, d);
    closing_rows(s, d);
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

static clv_status accelerate(clv_system *s)
{
    clv_kinematics_acceleration_bias(&s->kin, s->c, s->a);
    return solve(s);
}

static clv_status start(clv_system *s, double t, const double *q, const double *u, double *y)
{
    clv_kinematics_poses(&s->kin, t, q);
    clv_kinematics_fill(&s->kin);
    clv_kinematics_velocities(&s->kin, u);
    memmove(y, q, (size_t)s->plan->nq * sizeof(double));
    memmove(y + s->plan->nq, u, (size_t)s->plan->nu * sizeof(double));
    return CLV_OK;
}

static clv_status velocities(clv_system *s, double t, const double *y)
{
    clv_status st = clv_system_pose(s, t, y);
    if (st == CLV_OK)
        clv_kinematics_velocities(&s->kin, y + s->plan->nq);
    return st;
}

static clv_status rates(clv_system *s, double t, const double *y, double *ydot)
{
    const clv_plan *p = s->plan;
    clv_status st = clv_system_pose(s, t, y);
    if (st != CLV_OK)
        return st;
    clv_kinematics_velocities(&s->kin, y + p->nq);
    clv_kinematics_rates(&s->kin);
    st = clv_system_loads(s);
    if (st != CLV_OK)
        return st;
    clv_kinematics_acceleration_bias(&s->kin, s->c, s->a);
    clv_system_stabilize(s);
    st = solve(s);
    if (st != CLV_OK)
        return st;
    if (s->model->nmotion > 0) {
        clv_system_reactions(s);
        clv_system_motion_power(s);
    }
    clv_system_qdot(s, ydot);
    memcpy(ydot + p->nq, s->ud, (size_t)p->nu * sizeof(double));
    memcpy(s->u, y + p->nq, (size_t)p->nu * sizeof(double));
    ydot[p->nq + p->nu] = s->power;
    return CLV_OK;
}

const clv_formulation clv_formulation_massmatrix = {
    .name = "massmatrix",
    .text = "dense joint-space mass matrix, the baseline; at most 4000 freedoms",
    .most = 4000,
    .layout = layout,
    .start = start,
    .rates = rates,
    .velocities = velocities,
    .accelerate = accelerate,
};
