/* SPDX-License-Identifier: Apache-2.0
 * Products of derivatives with cotangents (T124) beside the columns of T74 to T76, at the starts of random systems: the
 * two share directions and jets, but neither sums nor factors.  CLEAVE_RANDOM: how many systems (60). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kinematics/derivative.h"
#include "near.h"
#include "oracle/random_system.h"
#include "simulation/sim.h"

#define OK(call) assert_int_equal(call, CLV_OK)
enum { MOST = 300 };

typedef struct both {
    clv_derivative by_columns, back;
    clv_arena arena;
} both;

static void layout(both *x, clv_sim *s)
{
    clv_derivative_layout(&x->by_columns, &s->system.kin, &x->arena);
    clv_derivative_layout_columns(&x->by_columns, &x->arena);
    clv_derivative_layout(&x->back, &s->system.kin, &x->arena);
}

/* accelerations, multipliers and wrenches of the start */
static void place(clv_sim *s)
{
    clv_system *k = &s->system;
    OK(clv_sim_evaluate(s));
    OK(clv_system_place(k, s->out_time, s->out_y));
    clv_kinematics_velocities(&k->kin, s->u);
    clv_kinematics_rates(&k->kin);
    OK(clv_system_loads(k));
    clv_system_accelerate(k);
    clv_system_reactions(k);
}

static void add_row_times(double *to, const double *f, const double *A, int rows, int n)
{
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < n; k++)
            to[k] += f[i] * A[(size_t)i * (size_t)n + (size_t)k];
}

static double apart(const double *a, const double *b, int n)
{
    double most = 0, size = 1;
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(b[i]));
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - b[i]) / size);
    return most;
}

/* sum of the sizes of the terms of the products, the largest beside the largest product: rounding grows with it */
static double cancelled(const clv_derivative *d, const double *v, const double *eta, const double *x, const double *u)
{
    double terms = 0, most = 1;
    for (size_t c = 0, n = (size_t)d->n; c < n; c++) {
        double sum[2] = {0, 0};
        for (size_t i = 0; i < n; i++)
            sum[0] += fabs(v[i] * d->force_q[i * n + c]), sum[1] += fabs(v[i] * d->force_u[i * n + c]);
        for (size_t i = 0; i < (size_t)d->m; i++)
            sum[0] += fabs(eta[i] * d->row_q[i * n + c]), sum[1] += fabs(eta[i] * d->row_u[i * n + c]);
        terms = fmax(terms, fmax(sum[0], sum[1])), most = fmax(most, fmax(fabs(x[c]), fabs(u[c])));
    }
    return terms / most;
}

/* v with J v = 0 and its multipliers, of a load of noise */
static void respond(clv_sim *s, const clv_derivative *d, double *v, double *eta)
{
    double *zero = calloc(6 * (size_t)s->plan->nbody + (size_t)d->m + 1, sizeof *zero), l[MOST];
    double *x = calloc(6 * (size_t)s->plan->nbody + 1, sizeof *x);
    for (int i = 0; i < d->n; i++)
        l[i] = sin(1 + 3.7 * i);
    clv_engine_solve(&s->system.engine, x, v, zero, l, NULL, d->m > 0 ? zero : NULL);
    for (int i = 0; i < d->m; i++)
        eta[i] = s->system.engine.sigma[i];
    free(zero), free(x);
}

/* largest relative difference: of W, of products with accelerations, of products with rates of rows; returns how much
 * the terms of the second cancel */
static double compare(clv_sim *s, double worst[3])
{
    both z = {.arena = {0}};
    clv_system *k = &s->system;
    const int n = s->plan->nu, m = s->plan->nclosing_row, bodies = s->plan->nbody;
    double v[MOST], eta[MOST], mu[MOST], x[2][MOST] = {{0}}, u[2][MOST] = {{0}}, xr[2][MOST] = {{0}},
           ur[2][MOST] = {{0}};
    assert_true(n <= MOST && m <= MOST);
    layout(&z, s);
    assert_true(clv_arena_open(&z.arena));
    layout(&z, s);
    place(s);
    clv_derivative *d = &z.by_columns, *b = &z.back;
    d->loads = &k->loads, d->x = k->x, d->ud = k->ud, d->lambda = k->lambda, d->T = k->T;
    b->loads = d->loads, b->ud = d->ud, b->lambda = d->lambda;
    clv_derivative_find(d);
    respond(s, d, v, eta);
    add_row_times(x[0], v, d->force_q, n, n), add_row_times(u[0], v, d->force_u, n, n);
    add_row_times(x[0], eta, d->row_q, m, n), add_row_times(u[0], eta, d->row_u, m, n);
    clv_derivative_move(b, k->Q);
    double *field = calloc(6 * (size_t)bodies, sizeof *field);
    clv_cotangent *work = calloc((size_t)bodies, sizeof *work);
    clv_derivative_field(b, v, field);
    clv_derivative_back(b, v, field, eta, x[1], u[1]);
    worst[0] = apart(b->W, d->W, 6 * bodies);
    worst[1] = fmax(apart(x[1], x[0], n), apart(u[1], u[0], n));
    for (int i = 0; i < m; i++)
        mu[i] = cos(2 + 1.3 * i);
    add_row_times(xr[0], mu, d->rate_q, m, n), add_row_times(ur[0], mu, d->row, m, n);
    clv_derivative_rows_back(b, mu, work, xr[1], ur[1]);
    worst[2] = fmax(apart(xr[1], xr[0], n), apart(ur[1], ur[0], n));
    const double cancels = cancelled(d, v, eta, x[0], u[0]);
    free(field), free(work);
    clv_arena_close(&z.arena);
    return cancels;
}

static void random_systems(void **state)
{
    const char *count = getenv("CLEAVE_RANDOM");
    const int systems = count ? atoi(count) : 60;
    (void)state;
    for (int seed = 1; seed <= systems; seed++) {
        clv_model *m;
        random_info info;
        clv_sim *s;
        clv_sim_options o = clv_sim_options_default();
        double worst[3];
        o.formulation = "dca";
        OK(random_system_create((uint64_t)seed, (random_kind)(seed % RANDOM_KINDS), 3 + seed % 6, &m, &info));
        OK(clv_sim_create(&s, m, &o));
        if (m->nflex == 0) {
            const double cancels = compare(s, worst);
            if (getenv("CLEAVE_SHOW"))
                print_message("seed %d: wrenches %.1e, products %.1e (terms %.1e), rows %.1e\n", seed, worst[0],
                              worst[1], cancels, worst[2]);
            CLV_NEAR(worst[0], 0, 1e-10);
            CLV_NEAR(worst[1], 0, 1e-12 + 10 * 2.2e-16 * cancels); /* rounding, and nothing else */
            CLV_NEAR(worst[2], 0, 1e-12);
        }
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_systems)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
