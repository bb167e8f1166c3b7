/* SPDX-License-Identifier: Apache-2.0
 * Backward error: the residual of inverse dynamics stays at rounding however long the mechanism is (T12).  For every
 * joint
 *
 *     r_j = H_j^T (sum outboard of (I x + gyroscopic - Q) - closing wrenches) - tau_j
 *
 * with the accelerations x of the engine.  Here the sums go over bodies again, in extended precision, shifted to one
 * point per joint; r_j is compared with the size of the terms that are summed.  The sums of sizes go outboard to
 * inboard like those of the terms.
 *
 * The cost exponents are printed and not asserted. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include "base/error.h"
#include "graph.h"
#include "math/spatial.h"
#include "simulation/cycle.h"
#include "simulation/sim.h"

typedef long double real;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* sums of wrenches, and of their sizes, over the outboard part of every joint, at its child's reference point */
static void accumulate(const clv_sim *s, real *W, real *size)
{
    const clv_plan *p = s->plan;
    for (int i = p->nbody - 1; i >= 0; i--) {
        int b = p->order[i], a = p->tree[b].parent;
        if (a < 0)
            continue;
        const double *r = s->system.kin.arm + 3 * (size_t)b;
        real *w = W + 6 * (size_t)b, *to = W + 6 * (size_t)a, *z = size + 6 * (size_t)b, *zt = size + 6 * (size_t)a;
        for (int k = 0; k < 3; k++) {
            int m = (k + 1) % 3, n = (k + 2) % 3;
            to[k] += w[k], to[3 + k] += w[3 + k] + r[m] * w[n] - r[n] * w[m];
            zt[k] += z[k], zt[3 + k] += z[3 + k] + fabs(r[m]) * z[n] + fabs(r[n]) * z[m];
        }
    }
}

/* Largest |r_j| over the size of its terms; rows of the closings likewise. */
static double residual(clv_sim *s)
{
    clv_system *k = &s->system;
    const clv_plan *p = s->plan;
    size_t n = (size_t)p->nbody;
    double worst = 0, *gyro = malloc(6 * n * sizeof(double)), *K = calloc(6 * n, sizeof(double));
    real *W = calloc(6 * n, sizeof(real)), *size = calloc(6 * n, sizeof(real));
    assert_int_equal(clv_system_place(k, s->out_time, s->out_y), CLV_OK);
    clv_kinematics_velocities(&k->kin, k->u);
    clv_kinematics_rates(&k->kin);
    assert_int_equal(clv_system_loads(k), CLV_OK);
    clv_system_accelerate(k);
    clv_kinematics_gyroscopic(&k->kin, gyro);
    clv_engine_closing_wrenches(&k->engine, K, k->lambda, 1.0);
    for (size_t i = 0; i < n; i++) {
        const double *I = k->engine.mass + 21 * i, *x = k->x + 6 * i;
        double full[6][6], unit[6], column[6];
        for (int c = 0; c < 6; c++) {
            memset(unit, 0, sizeof unit), unit[c] = 1;
            clv_inertia_times(column, I, unit);
            for (int r = 0; r < 6; r++)
                full[r][c] = column[r];
        }
        for (size_t r = 0; r < 6; r++) {
            real t = (real)gyro[6 * i + r] - k->Q[6 * i + r] - K[6 * i + r];
            size[6 * i + r] = fabsl((real)gyro[6 * i + r]) + fabsl((real)k->Q[6 * i + r]) + fabsl((real)K[6 * i + r]);
            for (int c = 0; c < 6; c++)
                t += (real)full[r][c] * x[c], size[6 * i + r] += fabsl((real)full[r][c] * x[c]);
            W[6 * i + r] = t;
        }
    }
    accumulate(s, W, size);
    for (size_t b = 0; b < n; b++)
        for (int c = 0; c < p->tree[b].f; c++) {
            const double *H = k->kin.H + clv_columns(p, b) + 6 * (size_t)c;
            double tau = k->tau[p->tree[b].iu + c];
            real r = -tau, terms = fabs(tau);
            for (size_t i = 0; i < 6; i++)
                r += H[i] * W[6 * b + i], terms += fabs(H[i]) * size[6 * b + i];
            if (terms > 0)
                worst = fmax(worst, (double)(fabsl(r) / terms));
        }
    for (int e = 0; e < p->nedge; e++)
        for (int j = 0; j < p->edge[e].m && p->edge[e].tree_body < 0; j++) {
            real r = -k->a[p->edge[e].row + j], terms = fabsl(r);
            for (int h = 0; h < p->edge[e].nhandle; h++)
                for (int i = 0; i < 6; i++) {
                    real t = (real)k->engine.block[p->edge[e].block[h] + 6 * j + i] * k->x[6 * p->edge[e].body[h] + i];
                    r += t, terms += fabsl(t);
                }
            if (terms > 0)
                worst = fmax(worst, (double)(fabsl(r) / terms));
        }
    free(gyro), free(K), free(W), free(size);
    return worst;
}

static clv_sim *create(clv_model *m)
{
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = "dca";
    clv_status st = clv_sim_create(&s, m, &o);
    if (st != CLV_OK)
        print_error("%s\n", clv_sim_error(s)->message);
    assert_int_equal(st, CLV_OK);
    return s;
}

static double rates_seconds(clv_sim *s)
{
    double best = 1e9, total = 0;
    for (int k = 0; k < 200 && total < 0.05; k++) {
        double start = seconds();
        assert_int_equal(clv_sim_rates_once(s), CLV_OK);
        double t = seconds() - start;
        best = fmin(best, t), total += t;
    }
    return best;
}

/* joints get rates of their own, so that velocity terms take part; loops move as they can */
static void set_moving(clv_sim *s)
{
    const clv_plan *p = s->plan;
    uint64_t x = 88172645463325252ULL;
    double moved;
    assert_int_equal(clv_system_place(&s->system, 0, s->out_y), CLV_OK);
    for (int i = 0; i < p->nu; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        s->system.u[i] = (double)(x >> 11) * 0x1p-52 - 1;
    }
    clv_project_velocity(s, s->system.u, &moved);
}

typedef struct family {
    const char *name, *example, *parameter, *more;
    int from, to;
    double least; /* the largest residual allowed */
} family;

static void grow(const family *f, bool moving)
{
    double n[8], t[8], worst = 0;
    int count = 0;
    printf("%-22s%s", f->name, moving ? " moving  " : " at start");
    for (int k = f->from; k <= f->to; k *= 10, count++) {
        char text[40];
        const char *list[2] = {text, f->more};
        clv_model *m;
        snprintf(text, sizeof text, "%s=%d", f->parameter, k);
        assert_int_equal(clv_example_create(&m, f->example, list, f->more ? 2 : 1), CLV_OK);
        clv_sim *s = create(m);
        n[count] = clv_model_body_count(m);
        t[count] = rates_seconds(s);
        assert_int_equal(clv_sim_rates_once(s), CLV_OK);
        if (moving)
            set_moving(s);
        double r = residual(s);
        printf("  %d: %.1e", k, r);
        fflush(stdout);
        worst = fmax(worst, r);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
    int skip = count > 3 ? 1 : 0; /* 10 links: overhead */
    printf("  exponent %.2f\n", graph_exponent(n + skip, t + skip, count - skip));
    assert_true(worst <= f->least);
}

static const family chain = {"chain, revolute", "chain", "links", NULL, 10, 100000, 1e-12};
static const family spatial = {"chain, spatial", "chain", "links", "spatial=1", 10, 100000, 1e-12};
static const family closed = {"chain, closed", "chain-closed", "links", NULL, 10, 100000, 1e-12};
static const family ladder = {"ladder", "four-bar-ladder", "windows", NULL, 10, 1000, 1e-12};

static void revolute_chains(void **state) { (void)state, grow(&chain, false), grow(&chain, true); }
static void spatial_chains(void **state) { (void)state, grow(&spatial, false), grow(&spatial, true); }
static void closed_chains(void **state) { (void)state, grow(&closed, false), grow(&closed, true); }
static void ladders(void **state) { (void)state, grow(&ladder, false), grow(&ladder, true); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(revolute_chains),
        cmocka_unit_test(spatial_chains),
        cmocka_unit_test(closed_chains),
        cmocka_unit_test(ladders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
