/* SPDX-License-Identifier: Apache-2.0
 * The verb solve: a pass with the factor at hand, refined where its equations are missed (T5).
 *
 *   r = b + K sigma + .. - M x,   s = a - K^T x - eps sigma,   then a pass for (r, s) is added
 *
 * Compliances of light bodies with heavy ones outboard lose digits, and extra inertia (extra.c) changes the problem.  A
 * residual is judged beside the sum of sizes of its terms, so no unit matters.  Most solutions need no second pass. */
#include <math.h>
#include <string.h>
#include "base/tolerance.h"
#include "engine/extra.h"
#include "math/spatial.h"

/* largest residual of an edge row over the largest motion it compares; fills fix_a (nsigma) */
static double row_residual(clv_engine *e, const double *x)
{
    const clv_plan *p = e->plan;
    double worst = 0;
    /* size: the sum of all terms of a row, so the measure does not depend on units */
    for (int k = 0; k < p->nedge; k++) {
        const clv_edge *edge = &p->edge[k];
        for (int j = 0; j < edge->m; j++) {
            int i = edge->row + j;
            /* a - K^T x - eps sigma, and the size of the motions that the row compares */
            double r = e->row_value[i] - e->eps[i] * e->sigma[i], size = fabs(e->row_value[i]);
            for (int h = 0; h < edge->nhandle; h++) {
                const double *B = e->block + edge->block[h] + 6 * j, *v = x + 6 * (size_t)edge->body[h];
                r -= clv_dot6(B, v);
                for (int q = 0; q < 6; q++)
                    size += fabs(B[q] * v[q]);
            }
            e->fix_a[i] = r;
            if (edge->tree_body >= 0 && j >= edge->m - edge->yields) { /* rotors: the joint is judged, not the row */
                e->fix_a[i] = 0;
                continue;
            }
            /* written so that a residual that is not a number counts as the worst */
            if (size > 0 && !(fabs(r) <= worst * size))
                worst = fabs(r) / size;
        }
    }
    return worst;
}

/* takes Mrf u off W of the frames; fix_tau of the modes: Mfr x + Mff u */
static void modal_inertia(clv_engine *e, const double *x, const double *u, double *W)
{
    for (int k = 0; k < e->plan->nstar; k++) {
        double F[6];
        clv_star_inertia(e, k, x, u, F, e->fix_tau + e->plan->star[k].iu);
        for (int i = 0; i < 6; i++)
            W[6 * (size_t)e->plan->star[k].frame + (size_t)i] -= F[i];
    }
}

/* modes: tau + sum over links of M^T (sum outboard) - (Mfr x + Mff u) */
static void modal_residual(clv_engine *e, const double *W, const double *tau)
{
    const clv_plan *p = e->plan;
    /* inertia of the modes, from modal_inertia */
    for (int k = 0; k < p->nstar; k++)
        for (int m = 0; m < p->star[k].nmode; m++)
            e->fix_tau[p->star[k].iu + m] = (tau ? tau[p->star[k].iu + m] : 0.0) - e->fix_tau[p->star[k].iu + m];
    /* wrenches on the links of the flexible body, through their mode columns */
    for (size_t b = 0; b < (size_t)p->nbody; b++)
        for (int m = 0; m < clv_nmode(p, b); m++)
            e->fix_tau[p->star[p->tree[b].link].iu + m] +=
                clv_dot6(e->modes + clv_modes(p, b) + 6 * (size_t)m, W + 6 * b);
}

/* Iterative refinement: what the equations of the joints and the rows (fix_a, of row_residual) still miss is solved for
 * with the same factor.
 *   tau_k + H^T (sum outboard of b - I x + K sigma) - R u = 0,   a - K^T x - eps sigma = 0; modes: as T31 */
static void refine(clv_engine *e, double *x, double *u, const double *b, const double *tau)
{
    const clv_plan *p = e->plan;
    double *W = e->fix_b;
    /* W: what bodies miss, b - I x + K sigma, then its sums outboard */
    for (size_t i = 0; i < (size_t)p->nbody; i++) {
        clv_inertia_times(W + 6 * i, e->mass + 21 * i, x + 6 * i);
        for (int k = 0; k < 6; k++)
            W[6 * i + (size_t)k] = b[6 * i + (size_t)k] - W[6 * i + (size_t)k];
    }
    modal_inertia(e, x, u, W);
    memcpy(e->fix_sigma, e->sigma, (size_t)p->nsigma * sizeof(double));
    clv_engine_closing_wrenches(e, W, e->fix_sigma, 1.0);
    clv_engine_accumulate(e, W);
    /* what joints miss: tau + H^T W - R u */
    for (size_t i = 0; i < (size_t)p->nbody; i++)
        for (int k = 0; k < p->tree[i].f; k++) {
            int iu = p->tree[i].iu + k;
            e->fix_tau[iu] = (tau ? tau[iu] : 0.0) + clv_dot6(e->free + clv_columns(p, i) + 6 * (size_t)k, W + 6 * i) -
                             e->resist[p->tree[i].ih + k] * u[iu];
        }
    modal_residual(e, W, tau);
    memset(W, 0, 6 * (size_t)p->nbody * sizeof(double)); /* all of it is in the joints now */
    e->all_rows = true;
    clv_engine_pass(e, e->fix_x, e->fix_u, W, e->fix_tau, NULL, e->fix_a);
    e->all_rows = false;
    /* the correction is added; sigma of it was left in e->sigma */
    for (int i = 0; i < 6 * p->nbody; i++)
        x[i] += e->fix_x[i];
    for (int i = 0; i < p->nu; i++)
        u[i] += e->fix_u[i];
    for (int i = 0; i < p->nsigma; i++)
        e->sigma[i] += e->fix_sigma[i];
}

/* largest absolute value of n numbers */
static double largest(const double *v, int n)
{
    double m = 0;
    for (int i = 0; i < n; i++)
        m = fmax(m, fabs(v[i]));
    return m;
}

/* passes body by body, added to x (nbody x 6), u (nu), e->fix_sigma */
typedef struct sum {
    clv_engine *e;
    double *x, *u;
} sum;

static void pass(void *owner, const double *load) { clv_extra_pass(((sum *)owner)->e, load); }
static void answer(void *owner, double *motion) { clv_extra_answer_of(((sum *)owner)->e, motion); }

/* largest motion of the last pass */
static double largest_pass(void *owner)
{
    const clv_engine *e = ((sum *)owner)->e;
    return largest(e->fix_x, 6 * e->plan->nbody);
}

/* adds alpha times the last pass to the solution; largest change of a motion */
static double add(void *owner, double alpha)
{
    sum *s = owner;
    clv_engine *e = s->e;
    for (int i = 0; i < 6 * e->plan->nbody; i++)
        s->x[i] += alpha * e->fix_x[i];
    for (int i = 0; i < e->plan->nu; i++)
        s->u[i] += alpha * e->fix_u[i];
    for (int i = 0; i < e->plan->nsigma; i++)
        e->fix_sigma[i] += alpha * e->sigma[i];
    return fabs(alpha) * largest_pass(s);
}

/* Takes the extra inertia out of a change d (nbody x 6) of the solution; the multipliers are summed in fix_sigma,
 * because every pass leaves its own in sigma.  Returns the largest change, or -1 (clv_extra_remove). */
static double remove_extra(clv_engine *e, double *x, double *u, const double *d, double tolerance, double load)
{
    sum s = {e, x, u};
    const clv_extra_passes by = {&s, pass, answer, add, largest_pass};
    double *motion = e->conjugate + 18 * (size_t)e->nextended;
    /* motions of the bodies with extra inertia, six numbers each */
    for (int i = 0; i < 6 * e->nextended; i++)
        motion[i] = d[6 * (size_t)e->extended[i / 6] + (size_t)(i % 6)];
    memcpy(e->fix_sigma, e->sigma, (size_t)e->plan->nsigma * sizeof(double));
    const double step = clv_extra_remove(e, &by, motion, tolerance, load);
    memcpy(e->sigma, e->fix_sigma, (size_t)e->plan->nsigma * sizeof(double));
    return step;
}

/* Takes the extra inertia out: by conjugate gradients, then again out of what the true equations still miss, until
 * that is rounding. */
static void take_out_extra(clv_engine *e, double *x, double *u, const double *b, const double *tau)
{
    const clv_plan *p = e->plan;
    /* a momentum that moves a typical body by 1e-6 nm/s is no load */
    double load = fmax(fmax(largest(b, 6 * p->nbody), tau ? largest(tau, p->nu) : 0.0),
                       fmax(largest(e->sigma, p->nsigma), CLV_TOL_IDLE_SPEED * e->heavy * e->length));
    double step = remove_extra(e, x, u, x, CLV_TOL_EXTRA, load), before = INFINITY;
    /* refined against the true equations until the corrections are rounding, or do not halve any more */
    for (int k = 0; step >= 0 && k < 6; k++) {
        row_residual(e, x);
        refine(e, x, u, b, tau);
        double change = largest(e->fix_x, 6 * p->nbody);
        step = remove_extra(e, x, u, e->fix_x, CLV_TOL_EXTRA_AGAIN, load);
        change = fmax(change, step);
        if (change <= CLV_TOL_EXTRA_CHANGE * largest(x, 6 * p->nbody) || change >= 0.5 * before)
            break;
        before = change;
    }
    e->stalled = step < 0;
}

/* The factor of the equations in model order, where only the results of one in rows are left.  False: not open. */
static bool complete(clv_engine *e)
{
    if (!e->open)
        return false;
    for (int b = 0; b < e->plan->nbody; b++)
        clv_engine_body(e, b);
    (void)clv_engine_factor(e); /* not singular where the one in rows was possible */
    return true;
}

/* One pass, and the extra inertia taken out.  Then at most two corrections where a row is missed by more than
 * CLV_TOL_ROW of the motions it compares: elimination in compliance form loses digits in long chains that close
 * (T5). */
void clv_engine_solve(clv_engine *e, double *x, double *u, const double *b, const double *tau, const double *c,
                      const double *a)
{
    const clv_plan *p = e->plan;
    assert(e->factors > 0 && !e->all_rows);
    if (e->partial && !complete(e)) { /* made in rows, which keep less */
        for (int i = 0; i < 6 * p->nbody; i++)
            x[i] = NAN;
        return;
    }
    e->stalled = e->loose = false;
    e->loose_body = -1;
    clv_engine_pass(e, x, u, b, tau, c, a);
    if (p->nedge == 0 && e->nextended == 0) /* a strand on ground: substitution has no row to miss */
        return;
    memcpy(e->row_value, e->a, (size_t)p->nsigma * sizeof(double));
    if (e->nextended > 0) /* the factor is not quite the problem's */
        take_out_extra(e, x, u, b, tau);
    double worst = row_residual(e, x);
    for (int k = 0; k < 2 && worst > CLV_TOL_ROW; k++) {
        double before = worst;
        refine(e, x, u, b, tau);
        worst = row_residual(e, x);
        if (worst > 0.1 * before) /* rounding is reached */
            break;
    }
}
