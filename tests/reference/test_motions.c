/* SPDX-License-Identifier: Apache-2.0
 * Motions of the converged reference files (rigid/): positions, velocities and joint forces at the files' times, by all
 * formulations, against tolerances fixed in tolerances.h.  Output is interpolated where a step goes beyond a file's
 * time. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "near.h"
#include "reference/run.h"

static const double TWO_PI = 6.283185307179586, HALF_PI = 1.5707963267948966;

/* rotation about z since the start pose, against `angle`, up to whole turns */
static double angle_error(const double e[4], double angle)
{
    return fabs(remainder(2 * atan2(e[3], e[0]) - angle, TWO_PI));
}

static double *numbers(const json *list, int k, double *x, int n)
{
    memset(x, 0, (size_t)n * sizeof *x);
    assert_non_null(list);
    assert_int_equal(json_numbers(&list->item[k], x, n), n);
    return x;
}

static void compare_planar(clv_sim *s, const json *file, int k, int n, measured *m)
{
    const json *r = json_get(file, "reference"), *fine = json_get(file, "reference_extended"), *best = fine ? fine : r;
    double com[2 * MOST_BODIES], angle[MOST_BODIES], v[2 * MOST_BODIES], w[MOST_BODIES];
    numbers(json_get(best, "com"), k, com, 2 * n), numbers(json_get(best, "angle"), k, angle, n);
    numbers(json_get(r, "com_vel"), k, v, 2 * n), numbers(json_get(best, "omega"), k, w, n);
    for (int b = 0; b < n; b++) {
        const double *V = clv_sim_velocity(s) + 6 * b, *x = clv_sim_position(s) + 3 * b;
        m->position = fmax(m->position, largest_difference(x, com + 2 * b, 2));
        m->position = fmax(m->position, fmax(fabs(x[2]), angle_error(clv_sim_quaternion(s) + 4 * b, angle[b])));
        m->velocity = fmax(m->velocity, fmax(largest_difference(V, v + 2 * b, 2), fabs(V[5] - w[b])));
    }
}

static void compare_forces(clv_sim *s, const json *file, int k, measured *m)
{
    const json *all = json_get(json_get(file, "reference"), "joint_force_xy_on_B");
    int joints = json_get(json_get(file, "model"), "joints")->count;
    double f[2 * MOST_BODIES];
    if (!all)
        return;
    numbers(all, k, f, 2 * joints);
    for (int j = 0; j < joints; j++) {
        clv_joint_result x;
        assert_int_equal(clv_sim_joint(s, j, &x), CLV_OK);
        assert_true(x.unique[0] && x.unique[1]);
        m->force = fmax(m->force, largest_difference(x.force, f + 2 * j, 2));
    }
}

static void compare_spatial(clv_sim *s, const json *file, int k, int n, measured *m)
{
    const json *r = json_get(file, "reference");
    double com[3 * MOST_BODIES], e[4 * MOST_BODIES], v[3 * MOST_BODIES], w[3 * MOST_BODIES];
    numbers(json_get(r, "com"), k, com, 3 * n), numbers(json_get(r, "quat"), k, e, 4 * n);
    numbers(json_get(r, "com_vel"), k, v, 3 * n), numbers(json_get(r, "omega"), k, w, 3 * n);
    for (int b = 0; b < n; b++) {
        const double *V = clv_sim_velocity(s) + 6 * b;
        m->position = fmax(m->position, largest_difference(clv_sim_position(s) + 3 * b, com + 3 * b, 3));
        m->position = fmax(m->position, turn_between(clv_sim_quaternion(s) + 4 * b, e + 4 * b));
        m->velocity = fmax(m->velocity, largest_difference(V, v + 3 * b, 3));
        m->velocity = fmax(m->velocity, largest_difference(V + 3, w + 3 * b, 3));
    }
}

/* all uprights V turn alike, all bars H shift */
static void compare_ladder(clv_sim *s, const json *file, int k, int n, measured *m)
{
    const json *r = json_get(file, "reference"), *bodies = json_get(json_get(file, "model"), "bodies");
    double th, w, r0[3];
    json_numbers(&json_get(r, "theta")->item[k], &th, 1), json_numbers(&json_get(r, "theta_dot")->item[k], &w, 1);
    for (int b = 0; b < n; b++) {
        const json *body = &bodies->item[b];
        bool upright = json_get(body, "name")->text[0] == 'V';
        double reach = upright ? 0.5 : 1.0, turned = upright ? th - HALF_PI : 0;
        json_numbers(json_get(body, "r0"), r0, 3);
        const double x[3] = {r0[0] + reach * cos(th), r0[1] + reach * (sin(th) - 1), 0};
        const double v[3] = {-reach * sin(th) * w, reach * cos(th) * w, 0}, *V = clv_sim_velocity(s) + 6 * b;
        m->position = fmax(m->position, largest_difference(clv_sim_position(s) + 3 * b, x, 3));
        m->position = fmax(m->position, angle_error(clv_sim_quaternion(s) + 4 * b, turned));
        m->velocity = fmax(m->velocity, fmax(largest_difference(V, v, 3), fabs(V[5] - (upright ? w : 0))));
    }
}

/* the point mass lies at pivot + 2 (COM - pivot), pivot 0 */
static void compare_pendulum(clv_sim *s, const json *file, int k, measured *m)
{
    const json *r = json_get(file, "reference");
    double x[2];
    json_numbers(&json_get(r, "point_mass_x")->item[k], x, 1),
        json_numbers(&json_get(r, "point_mass_y")->item[k], x + 1, 1);
    for (int i = 0; i < 2; i++)
        m->position = fmax(m->position, fabs(2 * clv_sim_position(s)[i] - x[i]));
}

static bool run_row(const motion_row *row, const json *file, const char *formulation)
{
    const json *r = json_get(file, "reference"), *t = json_get(r, "t");
    int n = json_get(json_get(file, "model"), "bodies")->count;
    measured m = {0};
    clv_model *model;
    assert_true(n <= MOST_BODIES);
    assert_int_equal(reference_model_start(file, &model), CLV_OK);
    clv_sim *s = open_sim(model, formulation, row->integrator, row->rtol);
    for (int k = 0; k < t->count && t->item[k].number <= row->horizon; k++) {
        advance(s, t->item[k].number);
        if (json_get(r, "theta"))
            compare_ladder(s, file, k, n, &m);
        else if (json_get(r, "point_mass_x"))
            compare_pendulum(s, file, k, &m);
        else if (json_get(r, "quat"))
            compare_spatial(s, file, k, n, &m);
        else
            compare_planar(s, file, k, n, &m);
        if (row->force > 0)
            compare_forces(s, file, k, &m);
    }
    bool ok = print_row(row, formulation, m);
    clv_sim_report report;
    clv_sim_summary(s, &report);
    if (!ok || getenv("CLEAVE_VERBOSE"))
        printf(
            "    %ld steps, %ld rejected, gap %.1e, velocity gap %.1e, energy drift %.1e, truncated %ld, sigma %.1e\n",
            report.steps, report.rejected_steps, report.max_position_violation, report.max_velocity_violation,
            report.max_energy_drift, report.truncated_evaluations, report.max_sigma);
    clv_sim_destroy(s), clv_model_destroy(model);
    return ok;
}

static void run_file(const char *name)
{
    json *file = open_or_skip(name);
    bool ok = true;
    for (size_t i = 0; i < sizeof MOTIONS / sizeof *MOTIONS; i++)
        for (int f = 0; f < 4; f++)
            if (strcmp(MOTIONS[i].file, name) == 0 && row_takes(&MOTIONS[i], FORMULATIONS[f]))
                ok &= run_row(&MOTIONS[i], file, FORMULATIONS[f]);
    json_destroy(file);
    assert_true(ok);
}

#define MOTION_TEST(function, name)                                                                                    \
    static void function(void **state)                                                                                 \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        run_file("rigid/" name ".json");                                                                               \
    }
MOTION_TEST(single_loop_of_four, "hdca_case1")
MOTION_TEST(single_loop_of_eight, "hdca_case2")
MOTION_TEST(coupled_loops, "hdca_case3")
MOTION_TEST(loop_on_one_body, "aldca_coupled")
MOTION_TEST(spatial_loop, "loop_7R")
MOTION_TEST(spatial_chain, "spatial_chain_6R")
MOTION_TEST(sine_chain, "sine_chain_16")
MOTION_TEST(bricard, "bricard_A04")
MOTION_TEST(pendulum, "pendulum_A01")
MOTION_TEST(ladder_of_one_window, "nfourbar_A02_N1")
MOTION_TEST(ladder_of_two_windows, "nfourbar_A02_N2")

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_loop_of_four),
        cmocka_unit_test(single_loop_of_eight),
        cmocka_unit_test(coupled_loops),
        cmocka_unit_test(loop_on_one_body),
        cmocka_unit_test(spatial_loop),
        cmocka_unit_test(spatial_chain),
        cmocka_unit_test(sine_chain),
        cmocka_unit_test(bricard),
        cmocka_unit_test(pendulum),
        cmocka_unit_test(ladder_of_one_window),
        cmocka_unit_test(ladder_of_two_windows),
    };
    print_head();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
