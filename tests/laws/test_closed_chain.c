/* SPDX-License-Identifier: Apache-2.0
 * Long closed chains against extended precision.  The dense oracle (T19) takes cubic time, so its rows, loads and
 * masses are used with another solver: S = J M^-1 J^T is banded with joints numbered from both sides of the loop.
 *
 *     M a = Q + J^T mu,   J a = gamma;   mu := mu + (S + delta)^-1 (gamma - J a) until a stands
 *
 * delta makes S regular where constraints are redundant; it has no influence on a.  Short chains are solved by the
 * dense oracle too.  What the data determine is found by moving every position and rotation by half a unit in the
 * last place.
 *
 * 24 and 200 links, where the tree carries the loop (T101), and 1024, or 256 (tests/thorough.h). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "graph.h"
#include "oracle/oracle.h"
#include "oracle/random_system.h"
#include "simulation/sim.h"
#include "thorough.h"

static const real DELTA = 1e-15L; /* relative to the diagonal of S */
enum { ROUNDS = 30 };

typedef struct band {
    oracle *o;
    int n, m, half;   /* unknowns, rows, half width  */
    int *place;       /* of a row in the band (m)    */
    real *mass;       /* Cholesky factors (n x 6)    */
    real *scale;      /* of rows (m)                 */
    real *A;          /* m x (half + 1), factored    */
    real *Q, *a, *mu; /* n, n, m                     */
} band;

static int ends_of(const band *b, int j, int body[2])
{
    const clv_joint *x = &b->o->model->joint[j];
    int n = 0;
    if (x->a >= 0)
        body[n++] = x->a;
    if (x->b >= 0)
        body[n++] = x->b;
    return n;
}

/* rows numbered along joints 0 .. from, then from both sides of the loop; the closing joint is the last one */
static void number_rows(band *b, int from)
{
    const oracle *o = b->o;
    int last = o->model->njoint - 1, next = 0;
    for (int i = 0; i <= last; i++) {
        int k = i - from - 1, j = i <= from ? i : k % 2 ? last - k / 2 : from + 1 + k / 2;
        for (int r = o->joint_row[j]; r < o->joint_row[j + 1]; r++)
            b->place[r] = next++;
    }
}

/* do joints j and k share a body?  Joint i leads to body i, the last one closes the loop. */
static bool neighbours(int joints, int j, int k) { return abs(j - k) <= 1 || j == joints - 1 || k == joints - 1; }

static void widen(band *b, int j, int k)
{
    int x[2], y[2], nx = ends_of(b, j, x), ny = ends_of(b, k, y);
    for (int s = 0; s < nx * ny; s++)
        for (int r = b->o->joint_row[j]; x[s / ny] == y[s % ny] && r < b->o->joint_row[j + 1]; r++)
            for (int q = b->o->joint_row[k]; q < b->o->joint_row[k + 1]; q++)
                b->half = b->half > abs(b->place[r] - b->place[q]) ? b->half : abs(b->place[r] - b->place[q]);
}

static void unload(const band *b, int body, real x[6])
{
    linear_lower_solve(b->mass + 36 * (size_t)body, 6, x);
    linear_lower_solve_transposed(b->mass + 36 * (size_t)body, 6, x);
}

static void factor_masses(band *b)
{
    real *unit = oracle_allocate(2 * (size_t)b->n, sizeof *unit), *column = unit + b->n;
    for (int k = 0; k < 6; k++) {
        for (int i = 0; i < b->n; i++)
            unit[i] = i % 6 == k;
        oracle_mass_times(b->o, unit, column);
        for (int i = 0; i < b->n; i++)
            b->mass[6 * (size_t)i + (size_t)k] = column[i];
    }
    for (int i = 0; i < b->n / 6; i++)
        assert_true(linear_cholesky(b->mass + 36 * (size_t)i, 6));
    free(unit);
}

static const real *block(const band *b, int row, int body)
{
    return b->o->J + (size_t)row * (size_t)b->n + 6 * (size_t)body;
}

/* entries of S between the rows of two joints that share a body */
static void form(band *b, int j, int k)
{
    int x[2], y[2], nx = ends_of(b, j, x), ny = ends_of(b, k, y);
    for (int s = 0; s < nx * ny; s++)
        for (int r = b->o->joint_row[j]; x[s / ny] == y[s % ny] && r < b->o->joint_row[j + 1]; r++) {
            real t[6];
            memcpy(t, block(b, r, x[s / ny]), sizeof t);
            unload(b, x[s / ny], t);
            for (int q = b->o->joint_row[k]; q < b->o->joint_row[k + 1]; q++)
                for (int i = 0; i < 6 && b->place[q] <= b->place[r]; i++)
                    b->A[(size_t)b->place[r] * (size_t)(b->half + 1) + (size_t)(b->half + b->place[q] - b->place[r])] +=
                        t[i] * block(b, q, x[s / ny])[i];
        }
}

static real *entry(const band *b, int i, int k) { return b->A + (size_t)i * (size_t)(b->half + 1) + b->half + k - i; }

static void factor_band(band *b)
{
    for (int r = 0; r < b->m; r++)
        b->scale[b->place[r]] = 1 / sqrtl(*entry(b, b->place[r], b->place[r]));
    for (int i = 0; i < b->m; i++)
        for (int k = i - b->half > 0 ? i - b->half : 0; k <= i; k++) {
            int first = i - b->half > 0 ? i - b->half : 0;
            real t = *entry(b, i, k) * b->scale[i] * b->scale[k] + (i == k ? DELTA : 0);
            for (int l = first; l < k; l++)
                t -= *entry(b, i, l) * *entry(b, k, l);
            assert_true(i != k || t > 0);
            *entry(b, i, k) = i == k ? sqrtl(t) : t / *entry(b, k, k);
        }
}

static void solve_band(const band *b, real *x)
{
    for (int i = 0; i < b->m; i++) {
        for (int k = i - b->half > 0 ? i - b->half : 0; k < i; k++)
            x[i] -= *entry(b, i, k) * x[k];
        x[i] /= *entry(b, i, i);
    }
    for (int i = b->m - 1; i >= 0; i--) {
        x[i] /= *entry(b, i, i);
        for (int k = i - b->half > 0 ? i - b->half : 0; k < i; k++)
            x[k] -= *entry(b, i, k) * x[i];
    }
}

/* a := M^-1 (Q + J^T mu) */
static void accelerate(band *b)
{
    memcpy(b->a, b->Q, (size_t)b->n * sizeof *b->a);
    for (int j = 0; j < b->o->model->njoint; j++) {
        int body[2], n = ends_of(b, j, body);
        for (int s = 0; s < n; s++)
            for (int r = b->o->joint_row[j]; r < b->o->joint_row[j + 1]; r++)
                for (int i = 0; i < 6; i++)
                    b->a[6 * body[s] + i] += block(b, r, body[s])[i] * b->mu[r];
    }
    for (int i = 0; i < b->n / 6; i++)
        unload(b, i, b->a + 6 * i);
}

/* one round; returns the largest change of an acceleration over the largest acceleration */
static real improve(band *b, real *rest, real *before)
{
    real change = 0, size = 0;
    for (int j = 0; j < b->o->model->njoint; j++) {
        int body[2], n = ends_of(b, j, body);
        for (int r = b->o->joint_row[j]; r < b->o->joint_row[j + 1]; r++) {
            real t = b->o->gamma[r];
            for (int s = 0; s < n; s++)
                for (int i = 0; i < 6; i++)
                    t -= block(b, r, body[s])[i] * b->a[6 * body[s] + i];
            rest[b->place[r]] = t * b->scale[b->place[r]];
        }
    }
    solve_band(b, rest);
    for (int r = 0; r < b->m; r++)
        b->mu[r] += rest[b->place[r]] * b->scale[b->place[r]];
    memcpy(before, b->a, (size_t)b->n * sizeof *before);
    accelerate(b);
    for (int i = 0; i < b->n; i++)
        change = fmaxl(change, fabsl(b->a[i] - before[i])), size = fmaxl(size, fabsl(b->a[i]));
    return change / size;
}

/* loads and gyroscopic terms: Q - (0, w x J w) */
static void load(band *b)
{
    real *h = oracle_allocate((size_t)b->n, sizeof *h);
    oracle_loads(b->o, b->Q);
    oracle_mass_times(b->o, b->o->V, h);
    for (int i = 0; i < b->n; i += 6) {
        const real *w = b->o->V + i + 3, *L = h + i + 3;
        for (int k = 0; k < 3; k++)
            b->Q[i + 3 + k] -= w[(k + 1) % 3] * L[(k + 2) % 3] - w[(k + 2) % 3] * L[(k + 1) % 3];
    }
    free(h);
}

/* Accelerations of the oracle's state into a (n); the loop begins behind joint `from`.  Returns the last relative
 * change. */
static real accelerations(oracle *o, int from, real *a)
{
    band b = {.o = o, .n = o->n, .m = o->rows};
    size_t n = (size_t)b.n, m = (size_t)b.m;
    int joints = o->model->njoint;
    b.place = oracle_allocate(m, sizeof *b.place);
    b.mass = oracle_allocate(6 * n, sizeof *b.mass);
    b.scale = oracle_allocate(3 * m + 3 * n, sizeof *b.scale);
    b.mu = b.scale + m, b.Q = b.mu + 2 * m, b.a = b.Q + n;
    number_rows(&b, from);
    for (int j = 0; j < joints; j++)
        for (int k = 0; k < joints; k++)
            if (neighbours(joints, j, k))
                widen(&b, j, k);
    b.A = oracle_allocate(m * (size_t)(b.half + 1), sizeof *b.A);
    factor_masses(&b);
    for (int j = 0; j < joints; j++)
        for (int k = 0; k < joints; k++)
            if (neighbours(joints, j, k))
                form(&b, j, k);
    factor_band(&b);
    load(&b);
    accelerate(&b);
    real change = 1;
    for (int i = 0; i < ROUNDS && change > 1e-17L; i++)
        change = improve(&b, b.mu + m, b.a + n);
    memcpy(a, b.a, n * sizeof *a);
    free(b.place), free(b.mass), free(b.scale), free(b.A);
    return change;
}

/* ---- chains */

typedef struct chain {
    const char *name;
    int from;      /* the closing joint leads to the body behind this joint; -1: to ground */
    bool planar;   /* parallel axes: three redundant constraints                           */
} chain;

/* Links along half a circle above ground, or along a coil that comes back to body `from`; joints with rates. */
static clv_model *build(const chain *c, int links)
{
    clv_model *m = graph_create();
    random_stream s = {.state = 7};
    const double turn = (c->from < 0 ? 1 : 2) * 3.14159265358979, radius = links / turn;
    for (int i = 0; i <= links; i++) {
        const int behind = i < links ? i : c->from;
        const double t = turn * (i < links ? i : c->from + 1) / links, half = t + turn / links / 2;
        const double z = c->planar ? 0 : 0.1 * radius, at[3] = {radius * cos(t), radius * sin(t), z * sin(3 * t)};
        double axis[3] = {0, 0, 1};
        for (int k = 0; k < 3 && !c->planar; k++)
            axis[k] = random_normal(&s);
        if (i < links)
            graph_body(m, radius * cos(half), radius * sin(half), z * sin(3 * half));
        clv_joint_desc d = clv_joint_desc_default(i < links || c->planar ? CLV_JOINT_REVOLUTE : CLV_JOINT_SPHERICAL);
        char name[16];
        snprintf(name, sizeof name, "j%d", i);
        d.name = name, d.a = i - 1, d.b = behind, d.global = true, d.cut = i == links;
        memcpy(d.at, at, sizeof at), memcpy(d.axis, axis, sizeof axis);
        if (i < links)
            d.has_u = true, d.u[0] = random_uniform(&s, -1, 1);
        graph_check(m, clv_model_add_joint(m, NULL, &d));
    }
    return graph_finish(m);
}

/* relative to the largest acceleration */
static double difference(const real *x, const real *y, int n)
{
    real d = 0, size = 0;
    for (int i = 0; i < n; i++)
        d = fmaxl(d, fabsl(x[i] - y[i])), size = fmaxl(size, fabsl(y[i]));
    return (double)(d / size);
}

/* moves numbers by half a unit in the last place, up or down */
static void round_again(double *x, int n, random_stream *s)
{
    for (int i = 0; i < n; i++)
        x[i] *= 1 + (random_chance(s, 0.5) ? 0x1p-53 : -0x1p-53);
}

static void compare(const chain *c, int links, const char *formulation)
{
    clv_model *m = build(c, links);
    clv_sim *s;
    clv_sim_options options = clv_sim_options_default();
    options.formulation = formulation;
    clv_status st = clv_sim_create(&s, m, &options);
    if (st == CLV_OK)
        st = clv_sim_evaluate(s);
    if (st != CLV_OK)
        print_error("%s\n", clv_sim_error(s)->message);
    assert_int_equal(st, CLV_OK);
    oracle *o = oracle_create(m);
    const int n = o->n, bodies = m->nbody;
    real *a = oracle_allocate(4 * (size_t)n, sizeof *a), *moved = a + n, *dense = a + 2 * n, *mine = a + 3 * n;
    double *r = oracle_allocate(12 * (size_t)bodies, sizeof *r), *R = r + 3 * bodies;
    random_stream rs = {.state = 3};
    memcpy(r, s->system.kin.com, 3 * (size_t)bodies * sizeof *r);
    memcpy(R, s->system.kin.R, 9 * (size_t)bodies * sizeof *R);
    for (int i = 0; i < n; i++)
        mine[i] = (real)s->out_A[i];
    oracle_set(o, 0, r, R, s->out_V, NULL);
    assert_true(accelerations(o, c->from, a) < 1e-14L);
    if (links <= 32) {
        oracle_accelerations(o, dense, NULL);
        printf("%s, %d links: solver beside the dense oracle %.1e\n", c->name, links, difference(a, dense, n));
        assert_true(difference(a, dense, n) < 1e-14);
    }
    round_again(r, 12 * bodies, &rs);
    oracle_set(o, 0, r, R, s->out_V, NULL);
    accelerations(o, c->from, moved);
    const double error = difference(mine, a, n), data = difference(moved, a, n);
    printf("%s, %d links, %s: error %.1e; poses rounded once more %.1e\n", c->name, links, formulation, error, data);
    assert_true(error <= 1e-10);
    free(a), free(r);
    oracle_destroy(o), clv_sim_destroy(s), clv_model_destroy(m);
}

static void closed_chains_agree(void **state)
{
    (void)state;
    static const chain chains[] = {{"to ground, planar", -1, true},
                                   {"to ground, random axes", -1, false},
                                   {"between moving bodies, planar", 3, true},
                                   {"between moving bodies, random axes", 3, false}};
    static const char *const formulation[] = {"hdca", "dca"};
    for (int i = 0; i < 4; i++)
        for (int f = 0; f < 2; f++)
            compare(&chains[i], 24, formulation[f]), compare(&chains[i], 200, formulation[f]),
                compare(&chains[i], random_count(1024, 256), formulation[f]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(closed_chains_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
