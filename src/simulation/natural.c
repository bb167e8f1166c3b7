/* SPDX-License-Identifier: Apache-2.0
 * Natural frequencies about a position of rest (T58.9): K z = w^2 M z along independent directions. */
#include "simulation/equilibrium.h"
#include <math.h>
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "math/symmetric.h"

#define PI 3.141592653589793
/* rate of differences, 1/s: far below that of any regularized friction */
#define RATE 1e-5

typedef struct natural {
    clv_statics e;
    double *M, *C, *K, *other; /* (f x f) inertia, damping, stiffness; by differences over twice the step */
    double *lambda, *X;        /* (f) (f x f, by columns)                                                 */
    clv_arena arena;
} natural;

static void layout(natural *v)
{
    const size_t f = (size_t)v->e.f, all = f * f;
    clv_arena *at = &v->arena;
    CLV_TAKE(at, v->M, all), CLV_TAKE(at, v->C, all), CLV_TAKE(at, v->K, all), CLV_TAKE(at, v->other, all);
    CLV_TAKE(at, v->lambda, f), CLV_TAKE(at, v->X, all);
}

/* M = N M N^T at e->q */
static clv_status find_inertia(natural *v)
{
    clv_statics *e = &v->e;
    const size_t f = (size_t)e->f;
    const clv_status st = clv_independent_find(&e->x, e->q);
    for (size_t k = 0; k < f && st == CLV_OK; k++) {
        clv_independent_inertia(&e->x, e->x.N + k * (size_t)e->x.n, e->force);
        clv_independent_reduce(&e->x, e->force, e->part);
        for (size_t i = 0; i < f; i++)
            v->M[i * f + k] = e->part[i];
    }
    for (size_t i = 0; i < f; i++)
        for (size_t k = 0; k < i; k++)
            v->M[i * f + k] = v->M[k * f + i] = 0.5 * (v->M[i * f + k] + v->M[k * f + i]);
    return st;
}

/* x^T A x of column k of X */
static double along(const natural *v, const double *A, size_t k)
{
    const size_t f = (size_t)v->e.f;
    double sum = 0;
    for (size_t i = 0; i < f; i++)
        for (size_t j = 0; j < f; j++)
            sum += v->X[i * f + k] * A[i * f + j] * v->X[j * f + k];
    return sum;
}

/* The names of those that move most. */
static void name_movers(natural *v, size_t k, clv_natural_mode *mode)
{
    clv_independent *x = &v->e.x;
    const size_t f = (size_t)v->e.f;
    double first = 0;
    for (size_t i = 0; i < f; i++)
        v->e.z[i] = v->X[i * f + k];
    clv_independent_expand(x, v->e.z, x->du);
    for (int n = 0; n < 3; n++) {
        int worst = 0;
        for (int i = 1; i < x->n; i++)
            worst = fabs(x->du[i]) / x->a.unit[i] > fabs(x->du[worst]) / x->a.unit[worst] ? i : worst;
        const double part = fabs(x->du[worst]) / x->a.unit[worst];
        const char *name = clv_independent_name(x, x->du);
        first = n == 0 ? part : first;
        if (!(part > 1e-6 * first))
            break;
        clv_error_text(mode->joint[n], sizeof mode->joint[n], name);
        mode->part[n] = part / first;
        clv_independent_leave_out(x, x->du, name);
    }
}

static void fill_mode(natural *v, size_t k, clv_natural_mode *mode)
{
    const size_t f = (size_t)v->e.f;
    double length = 0;
    *mode = (clv_natural_mode){.damping = NAN};
    for (size_t i = 0; i < f; i++)
        length += v->X[i * f + k] * v->X[i * f + k];
    const double error = 2 * fabs(along(v, v->other, k) - along(v, v->K, k)) + clv_statics_noise(&v->e) * length;
    const double square = v->lambda[k], w = sqrt(fabs(square));
    if (fabs(square) > error)
        mode->frequency = copysign(w / (2 * PI), square);
    if (mode->frequency > 0)
        mode->damping = along(v, v->C, k) / (2 * w);
    name_movers(v, k, mode);
}

static clv_status no_inertia(natural *v)
{
    clv_statics *e = &v->e;
    const size_t f = (size_t)e->f;
    (void)find_inertia(v);
    clv_symmetric_eigen(v->lambda, v->X, v->M, e->f);
    for (size_t i = 0; i < f; i++)
        e->z[i] = v->X[i * f];
    clv_independent_expand(&e->x, e->z, e->x.du);
    const char *name = clv_independent_name(&e->x, e->x.du);
    clv_fail(&e->s->error, CLV_ERR_SINGULAR, "no natural frequencies: '%s' moves without inertia", name);
    clv_error_text(e->s->error.joint, sizeof e->s->error.joint, name);
    return e->s->error.code;
}

static clv_status find_modes(natural *v, clv_natural_mode *mode, int most)
{
    clv_statics *e = &v->e;
    const size_t bytes = (size_t)e->f * (size_t)e->f * sizeof(double);
    double skew;
    layout(v);
    if (!clv_arena_open(&v->arena))
        return clv_fail(&e->s->error, CLV_ERR_MEMORY, "out of memory for natural frequencies");
    layout(v);
    clv_status st = clv_statics_look(e);
    if (st == CLV_OK)
        st = clv_statics_stiffness(e, 2 * CLV_STATICS_DIFFERENCE, v->other, &skew);
    if (st == CLV_OK)
        st = clv_statics_damping(e, RATE, v->C);
    if (st == CLV_OK)
        st = find_inertia(v);
    if (st != CLV_OK || e->f == 0)
        return st;
    memcpy(v->K, e->K, bytes);
    if (!clv_pencil_eigen(v->lambda, v->X, e->K, v->M, e->f))
        return no_inertia(v);
    for (int k = 0; k < most && k < e->f; k++)
        fill_mode(v, (size_t)k, &mode[k]);
    return CLV_OK;
}

static clv_status natural_modes(natural *v, clv_sim *s, clv_natural_mode *mode, int most, int *count)
{
    if (most < 0 || (most > 0 && !mode))
        return clv_fail(&s->error, CLV_ERR_USAGE, "the array for natural modes is NULL, or its size is negative");
    clv_status st = clv_statics_refuse_velocities(s);
    if (st == CLV_OK)
        st = clv_statics_open(&v->e, s);
    if (st == CLV_OK)
        st = find_modes(v, mode, most);
    if (st == CLV_OK && count)
        *count = v->e.f;
    s->evaluated = false, s->seen_t = NAN, s->system.held = 0, s->shown = 0; /* poses and loads were found anew */
    return st;
}

clv_status clv_sim_natural_modes(clv_sim *s, clv_natural_mode *mode, int most, int *count)
{
    natural v = {0};
    if (count)
        *count = 0;
    clv_status st = clv_sim_enter(s, __func__);
    if (st != CLV_OK)
        return st;
    st = natural_modes(&v, s, mode, most, count);
    clv_arena_close(&v.arena);
    clv_statics_close(&v.e);
    return clv_sim_leave(s, st);
}
