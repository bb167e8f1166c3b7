/* SPDX-License-Identifier: Apache-2.0
 * Conditions of events that hold for a part of a step only (T60): bodies that pass each other in free flight, and a
 * block that is thrown up to a mark. Steps of such motions are as long as the run. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cleave/cleave.h"
#include "near.h"

#define OK(call) assert_int_equal(call, CLV_OK)

static const char *const formulation[] = {"hdca", "dca", "connection", "massmatrix", "aldca", "index3"};
enum { FORMULATIONS = sizeof formulation / sizeof *formulation, STEPS = 5 };

static clv_body_desc body(const char *name)
{
    clv_body_desc b = clv_body_desc_default();
    b.name = name, b.mass = 2;
    b.inertia[0] = 0.1, b.inertia[1] = 0.12, b.inertia[2] = 0.15;
    return b;
}

static void add_marker(clv_model *m, const char *name, int of)
{
    clv_marker_desc d = clv_marker_desc_default();
    d.name = name, d.body = of;
    OK(clv_model_add_marker(m, NULL, &d));
}

/* One body comes from x = 0 at 1 m/s; the other waits at (x, aside). It ends where they are nearer than `near`. */
static clv_model *passing(double x, double aside, double near)
{
    clv_model *m;
    const double none[3] = {0, 0, 0};
    OK(clv_model_create(&m, "passing"));
    OK(clv_model_set_gravity(m, none));
    clv_body_desc b = body("chaser");
    b.moving = true, b.velocity[0] = 1;
    OK(clv_model_add_body(m, NULL, &b));
    b = body("target");
    b.placed = true, b.position[0] = x, b.position[1] = aside;
    OK(clv_model_add_body(m, NULL, &b));
    add_marker(m, "nose", 0), add_marker(m, "port", 1);
    clv_event_desc e = clv_event_desc_default();
    e.name = "dock", e.condition = CLV_WHEN_DISTANCE, e.marker[0] = 0, e.marker[1] = 1;
    e.below = true, e.value = near, e.action = CLV_ACTION_STOP;
    OK(clv_model_add_event(m, NULL, &e));
    OK(clv_model_finish(m));
    return m;
}

static double time_of(const clv_model *m, int f, double end)
{
    clv_sim *s;
    clv_event_result r;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation[f], o.step = f == STEPS ? 0.5 : 0;
    OK(clv_sim_create(&s, m, &o));
    const clv_status st = clv_sim_advance(s, end);
    assert_true(clv_sim_event(s, 0, &r));
    assert_int_equal(st, r.happened ? CLV_STOPPED : CLV_OK);
    clv_sim_destroy(s);
    return r.happened ? r.time : NAN;
}

static void bodies_that_pass_each_other_are_noticed(void **state)
{
    (void)state;
    for (int f = 0; f < FORMULATIONS; f++)
        for (int k = 1; k <= 40; k++) {
            const double x = 0.21 * k, near = pow(10, -1 - k % 6), aside = near * 0.023 * k;
            clv_model *m = passing(x, aside, near);
            CLV_NEAR(time_of(m, f, 10), x - sqrt(near * near - aside * aside), 1e-9);
            clv_model_destroy(m);
        }
}

static void bodies_that_pass_aside_are_let_by(void **state)
{
    (void)state;
    for (int f = 0; f < FORMULATIONS; f++)
        for (int k = 1; k <= 10; k++) {
            clv_model *m = passing(0.83 * k, 0.01 * (1 + 1e-9), 0.01);
            assert_true(isnan(time_of(m, f, 10)));
            clv_model_destroy(m);
        }
}

/* A block that is thrown up with 9.81 m/s for 2 s comes to the height 4.905 m. */
static void a_block_is_thrown_to_a_mark(void **state)
{
    const double top = 0.5 * 9.81, below[] = {1e-2, 1e-5, 1e-8, -1e-8};
    (void)state;
    for (int f = 0; f < STEPS; f++)
        for (int k = 0; k < 4; k++) {
            clv_model *m;
            clv_event_desc e = clv_event_desc_default();
            clv_body_desc b = body("block");
            clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_PRISMATIC);
            OK(clv_model_create(&m, "throw"));
            OK(clv_model_add_body(m, &j.b, &b));
            j.name = "slide", j.has_u = true, j.u[0] = 9.81;
            OK(clv_model_add_joint(m, NULL, &j));
            e.name = "mark", e.joint = 0, e.value = top - below[k], e.action = CLV_ACTION_STOP;
            OK(clv_model_add_event(m, NULL, &e));
            OK(clv_model_finish(m));
            const double t = time_of(m, f, 2);
            if (below[k] < 0)
                assert_true(isnan(t));
            else
                CLV_NEAR(t, 1 - sqrt(2 * below[k] / 9.81), 1e-9);
            clv_model_destroy(m);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_that_pass_each_other_are_noticed),
        cmocka_unit_test(bodies_that_pass_aside_are_let_by),
        cmocka_unit_test(a_block_is_thrown_to_a_mark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
