/* SPDX-License-Identifier: Apache-2.0
 * Rates of the start (T14): velocities that joints do not allow become the nearest ones in kinetic energy; joints of
 * couplings follow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "cleave/cleave.h"
#include "near.h"

static clv_sim *start(const char *text, clv_model **m)
{
    clv_sim *s;
    if (clv_model_read_text(m, text, strlen(text), NULL) != CLV_OK)
        fail_msg("%s", clv_model_error(*m)->message);
    if (clv_sim_create(&s, *m, NULL) != CLV_OK)
        fail_msg("%s", clv_sim_error(s)->message);
    return s;
}

static clv_joint_result joint(clv_sim *s, const clv_model *m, const char *name)
{
    clv_joint_result r;
    assert_int_equal(clv_sim_joint(s, clv_model_find_joint(m, name), &r), CLV_OK);
    return r;
}

static void finish(clv_sim *s, clv_model *m)
{
    clv_sim_destroy(s);
    clv_model_destroy(m);
}

/* a pendulum of 1 kg, 0.1 kg m^2, 1 m long: w (m l^2 + J) = m l v */
static void a_pendulum_takes_what_it_can_of_a_translation(void **state)
{
    clv_model *m;
    (void)state;
    clv_sim *s = start("cleave: 1\n"
                       "bodies: {a: {mass: 1, com: [1, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n"
                       "joints: {j: {kind: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
                       "start: {bodies: {a: {position: [0, 0, 0], velocity: [0, 1, 0]}}}\n",
                       &m);
    clv_sim_report r;
    clv_sim_summary(s, &r);
    CLV_NEAR(joint(s, m, "j").u[0], 1 / 1.1, 1e-14);
    CLV_NEAR(r.start_velocity_moved, 1, 1e-12); /* at the origin of the body, which rests */
    finish(s, m);
}

/* m (v - v*)^2 + J (w - w*)^2 of two bodies, centres of mass at 0.5 m on links of 1 m along x */
static double distance(double a, double b, const double v[2], const double w[2])
{
    double va = 0.5 * a - v[0], vb = a + 0.5 * (a + b) - v[1], wa = a - w[0], wb = a + b - w[1];
    return va * va + 0.1 * wa * wa + 3 * vb * vb + 0.2 * wb * wb;
}

static void a_double_pendulum_is_nearest_as_a_whole(void **state)
{
    const double v[2] = {1.3, -0.4}, w[2] = {0.2, 2.5}, h = 1e-3;
    clv_model *m;
    (void)state;
    clv_sim *s = start("cleave: 1\n"
                       "bodies:\n"
                       "  a: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
                       "  b: {mass: 3, com: [0.5, 0, 0], inertia: [0.2, 0.2, 0.2]}\n"
                       "joints:\n"
                       "  i: {kind: revolute, a: {body: ground}, b: {body: a}}\n"
                       "  j: {kind: revolute, a: {body: a, position: [1, 0, 0]}, b: {body: b}}\n"
                       "start:\n"
                       "  bodies:\n" /* velocities of the body frames: v - w com */
                       "    a: {position: [0, 0, 0], velocity: [0, 1.2, 0], angular_velocity: [0, 0, 0.2]}\n"
                       "    b: {position: [1, 0, 0], velocity: [0, -1.65, 0], angular_velocity: [0, 0, 2.5]}\n",
                       &m);
    double a = joint(s, m, "i").u[0], b = joint(s, m, "j").u[0], least = distance(a, b, v, w);
    assert_true(least > 0.1);
    for (int i = -1; i <= 1; i++)
        for (int k = -1; k <= 1; k++)
            assert_true(distance(a + i * h, b + k * h, v, w) >= least);
    finish(s, m);
}

/* what fits is taken as it is given */
static void velocities_that_fit_stay(void **state)
{
    clv_model *m;
    (void)state;
    clv_sim *s = start("cleave: 1\n"
                       "bodies: {a: {mass: 1, com: [1, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n"
                       "joints: {j: {kind: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
                       "start: {bodies: {a: {position: [0, 0, 0], angular_velocity: [0, 0, 0.7]}}}\n",
                       &m);
    CLV_NEAR(joint(s, m, "j").u[0], 0.7, 0);
    finish(s, m);
}

static const char GEARS[] = "cleave: 1\n"
                            "bodies: {x: {mass: 1, inertia: [1, 1, 1]}, y: {mass: 1, inertia: [1, 1, 1]},\n"
                            "         z: {mass: 1, inertia: [1, 1, 1]}}\n"
                            "joints:\n"
                            "  a: {kind: revolute, a: {body: ground}, b: {body: x}}\n"
                            "  b: {kind: revolute, a: {body: ground, position: [1, 0, 0]}, b: {body: y}}\n"
                            "  c: {kind: prismatic, a: {body: y, position: [1, 0, 0]}, b: {body: z}}\n"
                            "couplings:\n"
                            "  two: {first: b, second: c, ratio: -3, offset: 0.1}\n"
                            "  one: {first: a, second: b, ratio: 2, offset: 0.25}\n";

/* a leads b, b leads c, whichever of them is given */
static void joints_of_couplings_follow(void **state)
{
    static const char *const given[] = {"start: {joints: {a: {q: 0.4, u: 1}}}\n",
                                        "start: {joints: {b: {q: 1.05, u: 2}}}\n",
                                        "start: {joints: {c: {q: -3.05, u: -6}}}\n",
                                        "motions: {m: {joint: a, offset: 0.4, rate: 1}}\n"};
    (void)state;
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        char text[2000];
        clv_model *m;
        clv_sim_report r;
        snprintf(text, sizeof text, "%s%s", GEARS, given[i]);
        clv_sim *s = start(text, &m);
        const char *const name[3] = {"a", "b", "c"};
        const double q[3] = {0.4, 1.05, -3.05}, u[3] = {1, 2, -6};
        for (int k = 0; k < 3; k++) {
            CLV_NEAR(joint(s, m, name[k]).q[0], q[k], 1e-15);
            CLV_NEAR(joint(s, m, name[k]).u[0], u[k], 2e-15);
        }
        clv_sim_summary(s, &r);
        assert_true(r.start_moved < 1e-14 && r.start_velocity_moved < 1e-14);
        finish(s, m);
    }
}

/* a four-bar; joint c or d closes the loop */
static const char FOURBAR[] =
    "cleave: 1\n"
    "bodies:\n"
    "  crank:   {mass: 1, com: [0, 0.5, 0], inertia: [0.08, 0.01, 0.08]}\n"
    "  coupler: {mass: 2, com: [1, 0.25, 0], inertia: [0.05, 0.70, 0.71]}\n"
    "  rocker:  {mass: 1, com: [0, -0.75, 0], inertia: [0.19, 0.01, 0.19]}\n"
    "joints:\n"
    "  a: {kind: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  b: {kind: revolute, between: [crank, coupler], at: [0, 1, 0], axis: [0, 0, 1]}\n"
    "  c: {kind: revolute, between: [coupler, rocker], at: [2, 1.5, 0], axis: [0, 0, 1]}\n"
    "  d: {kind: revolute, between: [rocker, ground], at: [2, 0, 0], axis: [0, 0, 1]}\n"
    "start:\n";

static const char POSES[] = "  bodies: {crank: {position: [0, 0, 0]}, coupler: {position: [0, 1, 0]}, "
                            "rocker: {position: [2, 1.5, 0]}}\n";

static clv_sim *fourbar(const char *given, clv_model **m, clv_sim_report *r)
{
    char text[2000];
    snprintf(text, sizeof text, "%s%s%s", FOURBAR, strstr(given, "bodies") ? "" : POSES, given);
    clv_sim *s = start(text, m);
    clv_sim_summary(s, r);
    return s;
}

/* Crank and rocker are parallel at the start: w_rocker l_rocker = w_crank l_crank, the coupler translates. */
static void a_given_rate_is_kept_and_the_others_follow(void **state)
{
    static const char *const given[] = {
        "  joints: {a: {u: 3}}\n",
        "  joints: {b: {u: -3}}\n",
        "  joints: {c: {u: 2}}\n",
        "  joints: {d: {u: -2}}\n",
        "  joints: {a: {u: 3}, c: {u: 2}}\n",
        ("  bodies: {crank: {position: [0, 0, 0], angular_velocity: [0, 0, 3]}, coupler: {position: [0, 1, 0]}, "
         "rocker: {position: [2, 1.5, 0]}}\n"),
    };
    static const double u[4] = {3, -3, 2, -2}; /* rates relative to the first body of each joint */
    (void)state;
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        clv_model *m;
        clv_sim_report r;
        clv_sim *s = fourbar(given[i], &m, &r);
        for (int k = 0; k < 4; k++) {
            CLV_NEAR(joint(s, m, (const char[]){(char)('a' + k), 0}).u[0], u[k], 2e-13);
            CLV_NEAR(clv_sim_joint_start_rate_moved(s, k), 0, 2e-13);
        }
        CLV_NEAR(r.start_velocity_moved, 0, 2e-13);
        finish(s, m);
    }
}

/* The nearest motion is taken, and the joints concerned are known. */
static void contradicting_rates_are_reported(void **state)
{
    clv_model *m;
    clv_sim_report r;
    (void)state;
    clv_sim *s = fourbar("  joints: {a: {u: 3}, d: {u: 5}}\n", &m, &r);
    const double a = joint(s, m, "a").u[0], d = joint(s, m, "d").u[0];
    CLV_NEAR(d, -a / 1.5, 1e-13);
    CLV_NEAR(clv_sim_joint_start_rate_moved(s, 0), fabs(a - 3), 1e-13);
    CLV_NEAR(clv_sim_joint_start_rate_moved(s, 3), fabs(d - 5), 1e-13);
    assert_true(fabs(d - 5) > 1);
    assert_true(clv_sim_joint_start_rate_moved(s, 1) == 0);
    assert_true(isnan(clv_sim_joint_start_rate_moved(s, 4)) && isnan(clv_sim_joint_start_rate_moved(NULL, 0)));
    finish(s, m);
}

/* A body far from the ground has the velocity given; the joints before it follow, and so do loops. */
static void given_velocities_are_kept_and_the_rest_follows(void **state)
{
    clv_model *m;
    clv_sim_report r;
    (void)state;
    clv_sim *s = start("cleave: 1\n"
                       "bodies:\n"
                       "  fork: {mass: 1, inertia: [0.05, 0.05, 0.05]}\n"
                       "  rotor: {mass: 1, inertia: [1, 2, 3]}\n"
                       "joints:\n"
                       "  y: {kind: revolute, between: [ground, fork], at: [0, 0, 0], axis: [0, 1, 0]}\n"
                       "  x: {kind: revolute, between: [fork, rotor], at: [0, 0, 0], axis: [1, 0, 0]}\n"
                       "start: {bodies: {rotor: {angular_velocity: [0.5, 2, 0]}}}\n",
                       &m);
    clv_sim_summary(s, &r);
    CLV_NEAR(joint(s, m, "y").u[0], 2, 1e-13);
    CLV_NEAR(joint(s, m, "x").u[0], 0.5, 1e-13);
    assert_true(r.start_velocity_moved < 1e-13);
    finish(s, m);
    s = fourbar("  bodies: {crank: {position: [0, 0, 0]}, coupler: {position: [0, 1, 0], velocity: [1.5, 0, 0]}, "
                "rocker: {position: [2, 1.5, 0]}}\n",
                &m, &r);
    CLV_NEAR(joint(s, m, "a").u[0], -1.5, 1e-13);
    CLV_NEAR(joint(s, m, "d").u[0], 1, 1e-13);
    assert_true(r.start_velocity_moved < 1e-12);
    finish(s, m);
}

/* The payload of a flexible boom has its velocity by the joints: the modes are as the start gives them. */
static void given_velocities_leave_modes_at_rest(void **state)
{
    clv_model *m;
    (void)state;
    clv_sim *s = start("cleave: 1\n"
                       "bodies:\n"
                       "  hub: {mass: 1, inertia: [0.05, 0.05, 0.05]}\n"
                       "  boom: {flexible: {beam: {length: 2, density: 2700, young: 7e10, tube: [0.02, 0.018],\n"
                       "                           modes: {bend_y: 2}}}}\n"
                       "  load: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
                       "joints:\n"
                       "  h: {kind: revolute, a: {body: ground}, b: {body: hub}}\n"
                       "  k: {kind: revolute, a: {body: hub, position: [0.3, 0, 0]}, b: {body: boom}}\n"
                       "  t: {kind: revolute, a: {body: boom.tip}, b: {body: load}}\n"
                       "start:\n"
                       "  bodies:\n"
                       "    hub: {position: [0, 0, 0]}\n"
                       "    boom: {position: [0.3, 0, 0], velocity: [0, 0.3, 0], angular_velocity: [0, 0, 1.5]}\n"
                       "    load: {position: [2.3, 0, 0], velocity: [0, 3.3, 0], angular_velocity: [0, 0, 0.2]}\n",
                       &m);
    const double *rate;
    assert_int_equal(clv_sim_modes(s, clv_model_find_body(m, "boom"), NULL, &rate, NULL), 2);
    CLV_NEAR(joint(s, m, "h").u[0], 1, 1e-12);
    CLV_NEAR(joint(s, m, "k").u[0], 0.5, 1e-12);
    CLV_NEAR(joint(s, m, "t").u[0], -1.3, 1e-12);
    assert_true(fabs(rate[0]) < 1e-11 && fabs(rate[1]) < 1e-11);
    finish(s, m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_takes_what_it_can_of_a_translation),
        cmocka_unit_test(a_double_pendulum_is_nearest_as_a_whole),
        cmocka_unit_test(velocities_that_fit_stay),
        cmocka_unit_test(joints_of_couplings_follow),
        cmocka_unit_test(a_given_rate_is_kept_and_the_others_follow),
        cmocka_unit_test(contradicting_rates_are_reported),
        cmocka_unit_test(given_velocities_are_kept_and_the_rest_follows),
        cmocka_unit_test(given_velocities_leave_modes_at_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
