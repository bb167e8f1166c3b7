/* SPDX-License-Identifier: Apache-2.0
 * Many loops carried by the tree (T101, T133, T134): columns in the lanes of strands, fronts on ground in lanes.  A
 * ladder of bars that differ in length, mass and joints moves as by massmatrix, without strands; it has the same bits
 * in every lane width; components of reactions that are not unique are those of nodes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cmocka.h>
#include "base/cpu.h"
#include "near.h"
#include "running.h"
#include "simulation/sim.h"

enum { WINDOWS = 45 };

static double height(int i)
{
    return 1 + 0.03 * (i * 7 % 11);
}

/* Windows of revolute joints are redundant; bars with a ball at either end leave the uprights free; of some windows a
 * bar stands out of the plane.  Fronts of 5, 4 and 3 rows, and ranks between 2 and 5 among those of equal shape. */
static const char *joint_kind(int i, bool left)
{
    if (i % 9 == 4)
        return "spherical";
    return !left && i % 13 == 6 ? "universal" : "revolute";
}

static clv_model *ladder(void)
{
    static char text[60000];
    int n = snprintf(text, sizeof text, "cleave: 1\ngravity: [0, -9.81, 0]\nbodies:\n");
    for (int i = 0; i <= WINDOWS; i++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "  V%d: {mass: %g, com: [%d, %g, 0], inertia: [0.1, 0.02, 0.1]}\n", i, 1 + 0.1 * (i % 5), i,
                      height(i) / 2);
    for (int i = 1; i <= WINDOWS; i++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "  H%d: {mass: 1, com: [%g, %g, 0], inertia: [0.02, 0.1, 0.1]}\n", i, i - 0.5,
                      (height(i - 1) + height(i)) / 2);
    n += snprintf(text + n, sizeof text - (size_t)n, "joints:\n");
    for (int i = 0; i <= WINDOWS; i++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "  f%d: {kind: revolute, between: [ground, V%d], at: [%d, 0, 0], axis: [0, 0, 1]}\n", i, i, i);
    for (int i = 1; i <= WINDOWS; i++)
        for (int right = 0; right < 2; right++) {
            const char *kind = joint_kind(i, !right);
            n += snprintf(text + n, sizeof text - (size_t)n,
                          "  %c%d: {kind: %s, between: [V%d, H%d], at: [%d, %g, 0]%s}\n", "lr"[right], i, kind,
                          i - 1 + right, i, i - 1 + right, height(i - 1 + right),
                          kind[0] == 's' ? "" : ", axis: [0, 0, 1]");
        }
    n += snprintf(text + n, sizeof text - (size_t)n, "start: {joints: {f0: {u: -0.7}, f%d: {u: 0.4}}}\n", WINDOWS);
    assert_in_range(n, 1, (int)sizeof text - 1);
    return read(text);
}

static clv_sim *simulation(const clv_model *m, const char *formulation)
{
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation, o.rtol = o.atol = 1e-10;
    return start_with(m, &o);
}

static int batches(const clv_sim *s)
{
    return s->system.rows.carried ? s->system.rows.carry.nbatch : -1;
}
static int sheaves(const clv_sim *s)
{
    int n = 0;
    for (int g = 0; g < s->plan->ngroup; g++)
        n += s->system.rows.carry.sheaf[g].n > 0;
    return n;
}

static void moves_as_by_massmatrix(void **state)
{
    (void)state;
    clv_model *m = ladder();
    clv_sim *reference = simulation(m, "massmatrix");
    static const char *const formulations[] = {"hdca", "dca"};
    assert_int_equal(clv_sim_evaluate(reference), CLV_OK);
    for (int i = 0; i < 2; i++) {
        clv_sim *s = simulation(m, formulations[i]);
        assert_true(batches(s) >= 3 && sheaves(s) >= 2);
        assert_int_equal(clv_sim_evaluate(s), CLV_OK);
        for (int k = 0; k < 6 * m->nbody; k++)
            CLV_NEAR(clv_sim_acceleration(s)[k], clv_sim_acceleration(reference)[k], 1e-8);
        clv_sim_destroy(s);
    }
    advance(reference, 0.1);
    for (int i = 0; i < 2; i++) {
        clv_sim *s = simulation(m, formulations[i]);
        advance(s, 0.1);
        for (int k = 0; k < 3 * m->nbody; k++)
            CLV_NEAR(clv_sim_position(s)[k], clv_sim_position(reference)[k], 1e-8);
        clv_sim_destroy(s);
    }
    clv_sim_destroy(reference), clv_model_destroy(m);
}

/* accelerations and reactions after some steps, by one lane width */
static int numbers(const clv_model *m, const char *formulation, double *x)
{
    clv_sim *s = simulation(m, formulation);
    int n = 0;
    advance(s, 0.02);
    assert_int_equal(clv_sim_evaluate(s), CLV_OK);
    for (int k = 0; k < 6 * m->nbody; k++)
        x[n++] = clv_sim_acceleration(s)[k];
    for (int j = 0; j < m->njoint; j++) {
        clv_joint_result r;
        assert_int_equal(clv_sim_joint(s, j, &r), CLV_OK);
        for (int k = 0; k < 3; k++)
            x[n++] = r.force[k], x[n++] = r.torque[k];
    }
    clv_sim_destroy(s);
    return n;
}

static void bits_of_all_widths_are_equal(void **state)
{
    (void)state;
    static double first[6 * 5 * WINDOWS + 200], other[6 * 5 * WINDOWS + 200];
    static const char *const formulations[] = {"hdca", "dca"};
    clv_model *m = ladder();
    for (int f = 0; f < 2; f++)
        for (int i = 0, widths = 0; i < CLV_CPU_WIDTHS; i++) {
            char text[8];
            if (!clv_cpu_runs(clv_cpu_width[i]))
                continue;
            snprintf(text, sizeof text, "%d", clv_cpu_width[i]);
            assert_int_equal(setenv("CLV_LANES", text, 1), 0);
            const int n = numbers(m, formulations[f], widths == 0 ? first : other);
            assert_in_range(n, 1, (int)(sizeof first / sizeof *first));
            for (int k = 0; widths > 0 && k < n; k++)
                assert_true(first[k] == other[k]);
            widths++;
        }
    unsetenv("CLV_LANES");
    clv_model_destroy(m);
}

/* Self-stresses are null vectors of fronts in lanes, and what fronts outboard answer. */
static void reactions_are_unique_where_those_of_nodes_are(void **state)
{
    (void)state;
    clv_model *m;
    const char *windows = "windows=45";
    assert_int_equal(clv_example_create(&m, "four-bar-ladder", &windows, 1), CLV_OK);
    clv_sim *s = simulation(m, "dca"), *reference = simulation(m, "massmatrix");
    assert_true(batches(s) >= 3);
    assert_int_equal(clv_sim_evaluate(s), CLV_OK), assert_int_equal(clv_sim_evaluate(reference), CLV_OK);
    for (int i = 0; i < 6 * m->njoint; i++)
        assert_int_equal(s->unique[i], reference->unique[i]);
    clv_sim_destroy(s), clv_sim_destroy(reference), clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_as_by_massmatrix),
        cmocka_unit_test(bits_of_all_widths_are_equal),
        cmocka_unit_test(reactions_are_unique_where_those_of_nodes_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
