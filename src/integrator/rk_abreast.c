/* SPDX-License-Identifier: Apache-2.0
 * Runge-Kutta steps side by side; see rk_abreast.h (T85). */
#include "integrator/rk_abreast.h"
#include <math.h>
#include "math/root.h"

enum { G8 = CLV_GROUP };

static size_t block(const clv_rk_abreast *a) { return (size_t)a->n * G8; }

static void layout(clv_rk_abreast *a, clv_arena *m)
{
    const size_t n = block(a);
    CLV_TAKE(m, a->y, n), CLV_TAKE(m, a->k, n * (size_t)(a->rule->columns + 1));
    CLV_TAKE(m, a->point, n), CLV_TAKE(m, a->fresh, n), CLV_TAKE(m, a->scale, n), CLV_TAKE(m, a->bound, n);
    CLV_TAKE(m, a->h, G8), CLV_TAKE(m, a->rtol, G8), CLV_TAKE(m, a->atol, G8);
    CLV_TAKE(m, a->norm, G8), CLV_TAKE(m, a->other, G8), CLV_TAKE(m, a->worst, G8), CLV_TAKE(m, a->check, G8);
    CLV_TAKE(m, a->error, G8), CLV_TAKE(m, a->root, G8), CLV_TAKE(m, a->of_root, G8), CLV_TAKE(m, a->arrived, G8);
}

bool clv_rk_abreast_open(clv_rk_abreast *a, const clv_integrator *like, int lanes, int width)
{
    *a = (clv_rk_abreast){.rule = like->method->data, .vectors = clv_lane_vectors_of(width), .n = like->ode.n,
                          .lanes = lanes};
    layout(a, &a->arena);
    if (!clv_arena_open(&a->arena))
        return false;
    layout(a, &a->arena);
    return true;
}

void clv_rk_abreast_close(clv_rk_abreast *a) { clv_arena_close(&a->arena); }

void clv_rk_abreast_get(const clv_rk_abreast *a, const double *from, int lane, double *v)
{
    for (int i = 0; i < a->n; i++)
        v[i] = from[i * G8 + lane];
}

void clv_rk_abreast_set(const clv_rk_abreast *a, double *to, int lane, const double *v)
{
    for (int i = 0; i < a->n; i++)
        to[i * G8 + lane] = v[i];
}

void clv_rk_abreast_put(clv_rk_abreast *a, int lane, const clv_integrator *s)
{
    clv_rk_abreast_set(a, a->scale, lane, s->ode.scale);
    for (int i = 0; i < a->n; i++)
        a->bound[i * G8 + lane] = s->ode.bound ? s->ode.bound[i] : INFINITY;
    a->rtol[lane] = s->options.rtol, a->atol[lane] = s->options.atol;
}

void clv_rk_abreast_begin(clv_rk_abreast *a, int lane, const clv_integrator *s)
{
    clv_rk_abreast_set(a, a->y, lane, s->y);
    clv_rk_abreast_set(a, a->k, lane, s->f);
    a->arrived[lane] = 0.0;
}

void clv_rk_abreast_depart(clv_rk_abreast *a)
{
    double any = 0.0;
    for (int i = 0; i < G8; i++)
        any += a->arrived[i];
    if (any == 0.0)
        return;
    a->vectors->take_over(a->y, a->fresh, a->arrived, a->n, a->lanes);
    a->vectors->take_over(a->k, clv_rk_abreast_rates(a, a->rule->stages), a->arrived, a->n, a->lanes);
    for (int i = 0; i < G8; i++)
        a->arrived[i] = 0.0;
}

/* the first columns with weights w */
static clv_lane_sum sum(const clv_rk_abreast *a, const double *w, int columns)
{
    return (clv_lane_sum){w, a->k, block(a), columns};
}

/* rates at the new state, or those that the owner alone looks at? */
static bool at_end(const clv_rk_abreast *a, int column)
{
    return column == a->rule->columns || (a->rule->end && column == a->rule->stages);
}

const double *clv_rk_abreast_point(clv_rk_abreast *a, int column)
{
    if (at_end(a, column))
        return a->fresh;
    const clv_lane_sum s = sum(a, a->rule->a + column * a->rule->columns, column);
    a->vectors->advance(a->point, a->y, a->h, &s, a->n, a->lanes);
    return a->point;
}

double *clv_rk_abreast_rates(const clv_rk_abreast *a, int column) { return a->k + (size_t)column * block(a); }

/* errors of all lanes, and of those that have one its root, by which the next step grows */
static void find_roots(clv_rk_abreast *a)
{
    int whole[G8];
    for (int i = 0; i < G8; i++) {
        const double h = fabs(a->h[i]), e = h * a->norm[i];
        a->error[i] = !a->rule->e3 || e == 0.0 ? e : clv_rk_both_errors(e, h * a->other[i]);
        const bool there = a->error[i] > 0.0 && isfinite(a->error[i]);
        a->of_root[i] = there ? clv_root_begin(a->error[i], a->rule->root, &whole[i]) : 1.0;
        a->root[i] = there ? 2.0 : 1.0;
    }
    a->vectors->roots(a->root, a->of_root, a->rule->root, a->lanes);
    for (int i = 0; i < G8; i++)
        a->root[i] = a->error[i] > 0.0 && isfinite(a->error[i]) ? clv_root_end(a->root[i], whole[i]) : NAN;
}

static void find_errors(clv_rk_abreast *a)
{
    const clv_tableau *rk = a->rule;
    const int columns = rk->stages + (rk->end_in_error ? 1 : 0);
    const clv_lane_tolerance t = {a->rtol, a->atol, a->scale, a->bound, a->y, a->fresh};
    if (rk->e3) {
        const clv_lane_sum s = sum(a, rk->e3, columns);
        a->vectors->norm(a->other, a->worst, &t, &s, a->n, a->lanes);
    }
    const clv_lane_sum s = sum(a, rk->e, columns);
    a->vectors->norm(a->norm, a->worst, &t, &s, a->n, a->lanes);
    find_roots(a);
}

void clv_rk_abreast_check(clv_rk_abreast *a, int column)
{
    a->vectors->check(a->check, clv_rk_abreast_rates(a, column), a->n, a->lanes);
}

void clv_rk_abreast_arrive(clv_rk_abreast *a, int column)
{
    const clv_tableau *rk = a->rule;
    if (column == rk->stages - 1) {
        const clv_lane_sum s = sum(a, rk->b, rk->stages);
        a->vectors->advance(a->fresh, a->y, a->h, &s, a->n, a->lanes);
    }
    if (rk->e && column == rk->stages - (rk->end_in_error ? 0 : 1))
        find_errors(a);
}

void clv_rk_abreast_judge(const clv_rk_abreast *a, int lane, clv_rk_try *x)
{
    x->error = a->error[lane], x->error_root = a->root[lane];
    x->worst = (int)a->worst[lane];
}

void clv_rk_abreast_show(const clv_rk_abreast *a, int lane, clv_integrator *s, const clv_rk_try *x)
{
    const clv_tableau *rk = a->rule;
    const bool dense = !((x->t_new - s->dense_from) * x->h < 0.0);
    clv_rk_abreast_get(a, a->fresh, lane, clv_rk_new_state(s));
    for (int i = 0; i < rk->columns; i++)
        if (dense || (rk->end && i == rk->stages))
            clv_rk_abreast_get(a, clv_rk_abreast_rates(a, i), lane, clv_rk_stage(s, i));
}
