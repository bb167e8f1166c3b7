/* SPDX-License-Identifier: Apache-2.0
 * One state, no integration: accelerations, momenta and their rates of the random trees and loops (all joint kinds),
 * and accelerations and joint forces at the start of every motion of the reference files, by all formulations. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "near.h"
#include "reference/run.h"

static void note(double *worst, const double *mine, const double *theirs, int n)
{
    *worst = fmax(*worst, largest_difference(mine, theirs, n));
}

static bool print_state(const char *file, const char *formulation, const char *what, double error, double size,
                        double allowed)
{
    bool ok = error <= allowed * size;
    printf("%-36s %-10s %-22s %.1e of %.0e  (largest %.3g)%s\n", file, formulation, what, error / size, allowed, size,
           ok ? "" : "  OVER");
    return ok;
}

/* body accelerations and, for tree joints, udot, p, pdot of a file with a "state" */
static bool one_state(const char *name, const json *file, const char *formulation)
{
    const json *r = json_get(file, "reference"), *acc = json_get(r, "body_acc"), *joints = json_get(r, "joints");
    double error[4] = {0}, size[4] = {0}, place = 0, *x = calloc((size_t)acc->count, 24 * sizeof *x),
           *R = x + 3 * acc->count, *V = R + 9 * acc->count, *a = V + 6 * acc->count, kinetic, T, U, W;
    static const char *const what[4] = {"body accelerations", "joint accelerations", "joint momenta", "momentum rates"};
    static const char *const key[4] = {"", "udot", "p", "pdot"};
    clv_model *m;
    assert_int_equal(reference_model_start(file, &m), CLV_OK);
    clv_sim *s = open_sim(m, formulation, "dopri5", 1e-6);
    assert_int_equal(clv_sim_evaluate(s), CLV_OK);
    reference_state(file, x, R, V);
    note(&place, clv_sim_position(s), x, 3 * acc->count), note(&place, clv_sim_velocity(s), V, 6 * acc->count);
    size[0] = largest_of(a, json_numbers(acc, a, 6 * acc->count));
    note(&error[0], clv_sim_acceleration(s), a, 6 * acc->count);
    for (int j = 0; j < clv_model_joint_count(m); j++) {
        const json *of = json_get(joints, clv_model_joint_name(m, j));
        clv_joint_result q;
        assert_int_equal(clv_sim_joint(s, j, &q), CLV_OK);
        if (!of)
            continue;
        if (strcmp(formulation, "aldca") == 0 && !q.tree) /* joints carry no state: accelerations only */
            continue;
        assert_true(q.tree);
        const double *mine[4] = {NULL, q.udot, q.p, q.pdot};
        for (int k = 1; k < 4; k++) {
            double y[6];
            int n = json_numbers(json_get(of, key[k]), y, 6);
            assert_int_equal(n, q.nu);
            size[k] = fmax(size[k], largest_of(y, n));
            note(&error[k], mine[k], y, n);
        }
    }
    bool ok = print_state(name, formulation, "place, velocity", place, 1, STATE_RELATIVE * 10);
    for (int k = 0; k < 4; k++)
        ok &= print_state(name, formulation, what[k], error[k], size[k], STATE_RELATIVE);
    json_numbers(json_get(r, "kinetic"), &kinetic, 1);
    clv_sim_energy(s, &T, &U, &W);
    ok &= print_state(name, formulation, "kinetic energy", fabs(T - kinetic), kinetic, STATE_RELATIVE);
    free(x), clv_sim_destroy(s), clv_model_destroy(m);
    return ok;
}

static void random_systems(void **state)
{
    static const char *const names[] = {"rigid/random_tree_8_1.json", "rigid/random_tree_16_2.json",
                                        "rigid/random_loops_8_1.json"};
    (void)state;
    bool ok = true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        json *file = open_or_skip(names[i]);
        for (int f = 0; f < 4; f++)
            ok &= one_state(names[i], file, FORMULATIONS[f]);
        json_destroy(file);
    }
    assert_true(ok);
}

static bool one_start(const char *name, const json *file, const char *formulation)
{
    const json *r = json_get(file, "reference"), *acc = json_get(r, "initial_accelerations");
    const json *planar = json_get(r, "joint_force_xy_on_B"), *spatial = json_get(r, "initial_joint_force_on_B_global");
    double y[6 * MOST_BODIES], error = 0, force = 0, size = 0;
    clv_model *m;
    acc = acc ? acc : json_get(r, "initial_accelerations_per_body_[vdot,wdot]");
    assert_non_null(acc);
    assert_int_equal(reference_model_start(file, &m), CLV_OK);
    clv_sim *s = open_sim(m, formulation, "dopri5", 1e-6);
    assert_int_equal(clv_sim_evaluate(s), CLV_OK);
    int n = json_numbers(acc, y, 6 * MOST_BODIES);
    assert_int_equal(n, 6 * clv_model_body_count(m));
    note(&error, clv_sim_acceleration(s), y, n);
    bool ok = print_state(name, formulation, "start accelerations", error, largest_of(y, n), START_RELATIVE);
    int width = spatial ? 3 : 2;
    if (spatial)
        n = json_numbers(spatial, y, 6 * MOST_BODIES);
    else
        n = planar ? json_numbers(&planar->item[0], y, 6 * MOST_BODIES) : 0;
    for (int j = 0; j < n / width; j++) {
        clv_joint_result x;
        assert_int_equal(clv_sim_joint(s, j, &x), CLV_OK);
        note(&force, x.force, y + width * j, width);
    }
    size = largest_of(y, n);
    if (n > 0)
        ok &= print_state(name, formulation, "start joint forces", force, size, START_RELATIVE);
    clv_sim_destroy(s), clv_model_destroy(m);
    return ok;
}

static void starts_of_motions(void **state)
{
    static const char *const names[] = {
        "rigid/hdca_case1.json", "rigid/hdca_case2.json",       "rigid/hdca_case3.json",    "rigid/aldca_coupled.json",
        "rigid/loop_7R.json",    "rigid/spatial_chain_6R.json", "rigid/sine_chain_16.json", "rigid/bricard_A04.json"};
    (void)state;
    bool ok = true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        json *file = open_or_skip(names[i]);
        for (int f = 0; f < 4; f++)
            ok &= one_start(names[i], file, FORMULATIONS[f]);
        json_destroy(file);
    }
    assert_true(ok);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_systems), cmocka_unit_test(starts_of_motions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
