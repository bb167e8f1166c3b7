/* SPDX-License-Identifier: Apache-2.0
 * Built-in models against key figures carried in the source (carried.h), with the tolerances of tolerances.h: the part
 * of the reference tests that needs no folder. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "near.h"
#include "reference/carried.h"
#include "reference/run.h"
#include "reference/squeezer.h"

/* the row of a file for a formulation and a horizon of at least t, the shortest */
static const motion_row *row_for(const char *file, const char *formulation, double t)
{
    const motion_row *best = NULL;
    for (size_t i = 0; i < sizeof MOTIONS / sizeof *MOTIONS; i++) {
        const motion_row *row = &MOTIONS[i];
        if (strcmp(row->file, file) == 0 && row_takes(row, formulation) && row->horizon >= t &&
            (!best || row->horizon < best->horizon))
            best = row;
    }
    return best;
}

static clv_model *example(const char *name, const char *param)
{
    clv_model *m;
    assert_int_equal(clv_example_create(&m, name, &param, param ? 1 : 0), CLV_OK);
    return m;
}

static bool run_carried(const carried_motion *x, const char *formulation)
{
    const motion_row *row = row_for(x->file, formulation, x->time[1]);
    measured is = {0};
    clv_model *m = example(x->example, NULL);
    assert_int_equal(clv_model_body_count(m), x->nbody);
    assert_int_equal(clv_model_joint_count(m), x->njoint);
    clv_sim *s = open_sim(m, formulation, row->integrator, row->rtol);
    for (int k = 0; k < 2; k++) {
        advance(s, x->time[k]);
        for (int b = 0; b < x->nbody; b++)
            is.position =
                fmax(is.position, largest_difference(clv_sim_position(s) + 3 * b, x->com[k] + x->width * b, x->width));
        for (int j = 0; k == 0 && x->force && j < x->njoint; j++) {
            clv_joint_result r;
            assert_int_equal(clv_sim_joint(s, j, &r), CLV_OK);
            is.force = fmax(is.force, largest_difference(r.force, x->force + 2 * j, 2));
        }
    }
    motion_row asked = *row; /* velocities are not carried, forces not for all */
    asked.velocity = 0, asked.force = x->force ? row->force : 0;
    bool ok = print_row(&asked, formulation, is);
    clv_sim_destroy(s), clv_model_destroy(m);
    return ok;
}

static void motions(void **state)
{
    (void)state;
    bool ok = true;
    for (size_t i = 0; i < sizeof CARRIED / sizeof *CARRIED; i++)
        for (int f = 0; f < 4; f++)
            ok &= run_carried(&CARRIED[i], FORMULATIONS[f]);
    assert_true(ok);
}

static void ladders(void **state)
{
    (void)state;
    bool ok = true;
    for (int i = 0; i < 2; i++)
        for (int f = 0; f < 2; f++) {
            const motion_row *row = row_for(CARRIED_LADDER[i].file, FORMULATIONS[f], 10);
            measured is = {0};
            clv_model *m = example("four-bar-ladder", CARRIED_LADDER[i].windows);
            clv_sim *s = open_sim(m, FORMULATIONS[f], row->integrator, row->rtol);
            for (int k = 0; k < 3; k++) {
                const double *y = CARRIED_LADDER[i].value[k], x[2] = {cos(y[1]), sin(y[1])};
                const double v[2] = {-sin(y[1]) * y[2], cos(y[1]) * y[2]};
                advance(s, y[0]);
                is.position = fmax(is.position, largest_difference(clv_sim_marker(s), x, 2));
                is.velocity = fmax(is.velocity, largest_difference(clv_sim_marker(s) + 3, v, 2));
            }
            ok &= print_row(row, FORMULATIONS[f], is);
            if (i == 1 && f == 0) {
                const motion_row *top = row_for("published/double_fourbar_exudyn.json", "hdca", 10);
                measured at = {largest_difference(clv_sim_marker(s), CARRIED_TOP, 2),
                               largest_difference(clv_sim_marker(s) + 3, CARRIED_TOP + 2, 2), 0};
                ok &= print_row(top, "hdca", at);
            }
            clv_sim_destroy(s), clv_model_destroy(m);
        }
    assert_true(ok);
}

static void pendulum(void **state)
{
    (void)state;
    bool ok = true;
    for (int f = 0; f < 4; f++) {
        const motion_row *row = row_for("rigid/pendulum_A01.json", FORMULATIONS[f], 10);
        measured is = {0};
        clv_model *m = example("pendulum", NULL);
        clv_sim *s = open_sim(m, FORMULATIONS[f], row->integrator, row->rtol);
        for (int k = 0; k < 3; k++) {
            advance(s, CARRIED_PENDULUM[k][0]);
            is.position = fmax(is.position, largest_difference(clv_sim_marker(s), CARRIED_PENDULUM[k] + 1, 2));
        }
        ok &= print_row(row, FORMULATIONS[f], is);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
    assert_true(ok);
}

static void andrews(void **state)
{
    (void)state;
    for (int f = 0; f < 4; f++) {
        double is[4] = {0};
        const double *a0 = CARRIED_ANDREWS_START, *lambda0 = a0 + 7;
        clv_model *m = example("andrews", NULL);
        clv_sim *s = open_sim(m, FORMULATIONS[f], "dop853", 1e-11);
        squeezer x = squeezer_at(s);
        CLV_NEAR(largest_difference(x.a, a0, 7) / largest_of(a0, 7), 0, ANDREWS.start);
        CLV_NEAR(largest_difference(x.lambda, lambda0, 6) / largest_of(lambda0, 6), 0, ANDREWS.start);
        advance(s, 0.03);
        x = squeezer_at(s);
        squeezer_error(&x, CARRIED_ANDREWS, is);
        printf("%-36s %-10s angle %.1e  rate %.1e  acceleration %.1e  force %.1e\n", "published/andrews.json",
               FORMULATIONS[f], is[0], is[1], is[2], is[3]);
        CLV_NEAR(is[0], 0, ANDREWS.published_angle);
        CLV_NEAR(is[1], 0, ANDREWS.published_rate);
        CLV_NEAR(is[2], 0, ANDREWS.published_acceleration);
        CLV_NEAR(is[3], 0, ANDREWS.published_force);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(motions), cmocka_unit_test(ladders), cmocka_unit_test(pendulum),
                                       cmocka_unit_test(andrews)};
    print_head();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
