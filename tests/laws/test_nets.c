/* SPDX-License-Identifier: Apache-2.0
 * Nets: dense nodes of many rows and ports (T5), at full rank and with every joint twice.  Accelerations and reactions
 * against the oracle; the same bits from every lane width and any number of threads, which share out the nodes of a
 * depth and the inside of large ones. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include "base/cpu.h"
#include "base/hash.h"
#include "near.h"
#include "oracle/oracle.h"
#include "simulation/sim.h"

#define OK(call) assert_int_equal(call, CLV_OK)

static void place(int i, int j, double x[3])
{
    x[0] = i + 0.1 * sin(3.0 * i + 2.0 * j), x[1] = j + 0.1 * cos(5.0 * i - j);
    x[2] = 0.5 * sin(0.9 * i + 0.3) * cos(0.7 * j) + 0.1 * sin(7.0 * i * j + i);
}

static void join(clv_model *m, int a, int b, const double at[3], int times)
{
    for (int k = 0; k < times; k++) {
        clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_SPHERICAL);
        char name[48];
        snprintf(name, sizeof name, "j%d_%d_%d", a + 1, b, k);
        j.name = name, j.a = a, j.b = b, j.global = true;
        for (int i = 0; i < 3; i++)
            j.at[i] = at[i];
        OK(clv_model_add_joint(m, NULL, &j));
    }
}

/* n x n bodies on spherical joints between neighbours, hung at two corners; each joint so many times */
static clv_model *net(int n, int times)
{
    clv_model *m;
    double x[3], y[3];
    OK(clv_model_create(&m, "net"));
    OK(clv_model_set_gravity(m, (const double[3]){0, 0, -9.81}));
    for (int i = 0; i < n * n; i++) {
        clv_body_desc b = clv_body_desc_default();
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        b.name = name, b.mass = 0.2, b.inertia[0] = 0.02, b.inertia[1] = 0.025, b.inertia[2] = 0.03;
        b.placed = true, place(i / n, i % n, b.position);
        OK(clv_model_add_body(m, NULL, &b));
    }
    for (int i = 0; i < n * n; i++)
        for (int side = 0; side < 2; side++) {
            const int k = i / n + side, l = i % n + !side;
            if (k >= n || l >= n)
                continue;
            place(i / n, i % n, x), place(k, l, y);
            join(m, i, k * n + l, (const double[3]){(x[0] + y[0]) / 2, (x[1] + y[1]) / 2, (x[2] + y[2]) / 2}, times);
        }
    join(m, CLV_GROUND, 0, (const double[3]){-0.5, 0, 0}, times);
    join(m, CLV_GROUND, n * n - 1, (const double[3]){n - 0.5, n - 1, 0}, times);
    OK(clv_model_finish(m));
    return m;
}

static clv_sim *start(const clv_model *m, const char *formulation)
{
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation, o.integrator = "rk4", o.step = 1e-3;
    OK(clv_sim_create(&s, m, &o));
    return s;
}

/* difference of the accelerations of bodies from the oracle's, beside eps times the condition; in the mass norm */
static double error_of(const clv_sim *s)
{
    oracle *o = oracle_create(s->model);
    const size_t n = (size_t)o->n;
    real *a = calloc(4 * n + (size_t)o->rows, sizeof *a), *d = a + n, *Md = d + n, *Ma = Md + n, *mu = Ma + n;
    real dd = 0, aa = 0;
    oracle_set(o, 0, s->system.kin.com, s->system.kin.R, s->out_V, NULL);
    oracle_project_velocity(o);
    oracle_accelerations(o, a, mu);
    for (size_t i = 0; i < n; i++)
        d[i] = s->out_A[i] - a[i];
    oracle_mass_times(o, d, Md), oracle_mass_times(o, a, Ma);
    for (size_t i = 0; i < n; i++)
        dd += d[i] * Md[i], aa += a[i] * Ma[i];
    for (int i = 0; i < o->rows; i++)
        aa += mu[i] / o->scale[i] * (mu[i] / o->scale[i]);
    const double error = (double)sqrtl(dd / aa) / (2.2e-16 * (double)o->condition);
    free(a), oracle_destroy(o);
    return error;
}

/* Nodes of so many rows are factored by columns (math/rank.c). */
enum { WIDE = 24 };

static int most_rows(const clv_sim *s)
{
    int most = 0;
    for (int k = 0; k < s->plan->npart; k++)
        most = s->plan->part[k].m > most ? s->plan->part[k].m : most;
    return most;
}

static void accelerations_agree_with_the_oracle(void **state)
{
    (void)state;
    static const char *const formulation[] = {"hdca", "dca", "massmatrix", "aldca"};
    static const struct {
        int n, times, redundant;
    } nets[] = {{6, 1, 0}, {4, 2, 3 * 26}, {5, 2, 3 * 42}};
    for (size_t k = 0; k < sizeof nets / sizeof *nets; k++) {
        clv_model *m = net(nets[k].n, nets[k].times);
        for (size_t i = 0; i < sizeof formulation / sizeof *formulation; i++) {
            clv_sim *s = start(m, formulation[i]);
            clv_sim_report r;
            OK(clv_sim_advance(s, 0.02));
            OK(clv_sim_evaluate(s));
            clv_sim_summary(s, &r);
            if (i < 2)
                assert_int_equal(r.redundant_constraints, nets[k].redundant);
            const double error = error_of(s);
            if (!(error <= 100))
                fail_msg("%s, net of %d: %g eps cond", formulation[i], nets[k].n, error);
            clv_sim_destroy(s);
        }
        clv_model_destroy(m);
    }
}

/* Larger nets by nodes, at full rank and not, beside one dense matrix. */
static void accelerations_agree_with_the_mass_matrix(void **state)
{
    (void)state;
    static const struct {
        int n, times, held; /* bodies that a part holds, at most: 14 by 14 and doubled 12 by 12 are dissected (T172) */
    } nets[] = {{14, 1, 16}, {7, 2, 12}, {12, 2, 15}};
    for (size_t k = 0; k < sizeof nets / sizeof *nets; k++) {
        clv_model *m = net(nets[k].n, nets[k].times);
        clv_sim *s = start(m, "dca"), *dense = start(m, "massmatrix");
        const int n = 6 * clv_model_body_count(m);
        double most = 0, error = 0;
        assert_true(most_rows(s) >= WIDE && !s->plan->carry);
        print_message("net of %d: held %d\n", nets[k].n, s->plan->max_port);
        assert_true(s->plan->max_port <= nets[k].held);
        OK(clv_sim_evaluate(s));
        OK(clv_sim_evaluate(dense));
        for (int i = 0; i < n; i++) {
            const double a = clv_sim_acceleration(s)[i], b = clv_sim_acceleration(dense)[i];
            most = fmax(most, fabs(b)), error = fmax(error, fabs(a - b));
        }
        CLV_NEAR(error / most, 0, 1e-11);
        clv_sim_destroy(s), clv_sim_destroy(dense);
        clv_model_destroy(m);
    }
}

static uint64_t hash_of(const clv_model *m, const char *formulation, clv_team *team)
{
    clv_sim *s = start(m, formulation);
    const size_t n = (size_t)clv_model_body_count(m);
    if (team)
        clv_sim_join_team(s, team, 0);
    const long before = clv_alloc_count();
    OK(clv_sim_advance(s, 3e-3));
    assert_int_equal(clv_alloc_count(), before);
    OK(clv_sim_evaluate(s));
    uint64_t h = clv_hash(0, clv_sim_position(s), 3 * n * sizeof(double));
    h = clv_hash(h, clv_sim_velocity(s), 6 * n * sizeof(double));
    h = clv_hash(h, clv_sim_acceleration(s), 6 * n * sizeof(double));
    clv_sim_destroy(s);
    return h;
}

static void same_bits(void **state)
{
    (void)state;
    static const int threads[] = {2, 3, 4, 8};
    static const char *const lanes[] = {"1", "2", "4", "8"}, *const formulation[] = {"hdca", "dca"};
    for (int times = 1; times <= 2; times++)
        for (int f = 0; f < 2; f++) {
            clv_model *m = net(times == 1 ? 14 : 8, times);
            const uint64_t h = hash_of(m, formulation[f], NULL);
            for (int i = 0; i < 4; i++) {
                clv_team *team = clv_team_create(threads[i]);
                assert_true(hash_of(m, formulation[f], team) == h);
                clv_team_destroy(team);
                if (!clv_cpu_runs(atoi(lanes[i])))
                    continue;
                setenv("CLV_LANES", lanes[i], 1);
                assert_true(hash_of(m, formulation[f], NULL) == h);
                unsetenv("CLV_LANES");
            }
            clv_model_destroy(m);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accelerations_agree_with_the_oracle),
        cmocka_unit_test(accelerations_agree_with_the_mass_matrix),
        cmocka_unit_test(same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
