/* SPDX-License-Identifier: Apache-2.0
 * Centre of mass and momentum of the system (T37): a free spacecraft with a flexible boom keeps both momenta by every
 * formulation; outputs of flexible bodies are those of the deformed mass, and derivatives of each other. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cleave/cleave.h"
#include "near.h"
#include "thorough.h"

static const char SPACECRAFT[] =
    "cleave: 1\n"
    "name: spacecraft\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  hub: {mass: 40, com: [0.02, 0.01, 0.03], inertia: [6, 7, 8, 0.1, -0.2, 0.3]}\n"
    "  boom: {flexible: {beam: {length: 1.5, density: 2700, young: 7e10, rectangle: [0.02, 0.03],\n"
    "         modes: {bend_y: 2, bend_z: 1, stretch: 1}}, spin_limit: 0}}\n"
    "  dish: {mass: 3, com: [0.1, 0.05, 0], inertia: [0.05, 0.04, 0.06]}\n"
    "joints:\n"
    "  root: {kind: revolute, a: {body: hub, position: [0.5, 0, 0]}, b: {body: boom}}\n"
    "  wrist: {kind: universal, a: {body: boom.tip}, b: {body: dish}}\n"
    "forces:\n"
    "  hinge: {kind: joint-load, joint: root, stiffness: 30, damping: 0.5}\n"
    "start:\n"
    "  bodies:\n"
    "    hub: {position: [3, -2, 1], orientation: {axis: [1, 2, 3], angle: 0.7}, velocity: [0.3, -0.2, 0.1],\n"
    "          angular_velocity: [0.2, 0.5, -0.3]}\n"
    "  joints: {root: {q: 0.4, u: -1}, wrist: {q: [0.3, -0.2], u: [2, 1]}}\n";

static clv_model *model;

static int read_model(void **state)
{
    (void)state;
    if (clv_model_read_text(&model, SPACECRAFT, sizeof SPACECRAFT - 1, "spacecraft") != CLV_OK)
        fprintf(stderr, "%s\n", clv_model_error(model)->message);
    return clv_model_error(model)->code != CLV_OK;
}

static int free_model(void **state)
{
    (void)state;
    clv_model_destroy(model);
    return 0;
}

static clv_sim *open_sim(const char *formulation, double rtol, double step)
{
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation, o.rtol = rtol, o.step = step;
    if (step == 0)
        o.integrator = "dop853";
    if (clv_sim_create(&s, model, &o) != CLV_OK)
        fail_msg("%s", clv_sim_error(s)->message);
    return s;
}

static double apart(const double a[3], const double b[3])
{
    return fmax(fmax(fabs(a[0] - b[0]), fabs(a[1] - b[1])), fabs(a[2] - b[2]));
}

/* the sums that define momentum, from the outputs of the bodies: p = sum m v, c = sum m r / m */
static void from_bodies(const clv_sim *s, double linear[3], double centre[3])
{
    static const double mass[3] = {40, 2700 * 1.5 * 0.02 * 0.03, 3};
    static const char *const name[3] = {"hub", "boom", "dish"};
    double total = 0;
    memset(linear, 0, 3 * sizeof(double)), memset(centre, 0, 3 * sizeof(double));
    for (int i = 0; i < 3; i++) {
        int b = clv_model_find_body(model, name[i]);
        assert_true(b >= 0);
        total += mass[i];
        for (int k = 0; k < 3; k++) {
            linear[k] += mass[i] * clv_sim_velocity(s)[6 * b + k];
            centre[k] += mass[i] * clv_sim_position(s)[3 * b + k];
        }
    }
    for (int k = 0; k < 3; k++)
        centre[k] /= total;
}

static void momenta_are_kept_in_free_flight(void **state)
{
    (void)state;
    static const char *const formulation[] = {"hdca", "dca", "connection", "massmatrix", "aldca"};
    for (size_t f = 0; f < sizeof formulation / sizeof *formulation; f++) {
        clv_sim *s = open_sim(formulation[f], 1e-12, 0);
        clv_momentum first, m;
        double worst[3] = {0}, p[3], c[3], at[3], P, L;
        clv_sim_momentum(s, &first);
        P = sqrt(first.linear[0] * first.linear[0] + first.linear[1] * first.linear[1] +
                 first.linear[2] * first.linear[2]);
        L = sqrt(first.angular[0] * first.angular[0] + first.angular[1] * first.angular[1] +
                 first.angular[2] * first.angular[2]);
        CLV_NEAR(first.mass, 43 + 2.43, 1e-12);
        for (int i = 1; i <= (thorough() ? 30 : 10); i++) {
            assert_int_equal(clv_sim_advance(s, 0.1 * i), CLV_OK);
            clv_sim_momentum(s, &m);
            from_bodies(s, p, c);
            CLV_NEAR(apart(p, m.linear), 0, 1e-13 * P);
            CLV_NEAR(apart(c, m.centre), 0, 1e-14 * 10);
            for (int k = 0; k < 3; k++)
                at[k] = first.centre[k] + 0.1 * i * first.linear[k] / first.mass;
            worst[0] = fmax(worst[0], apart(m.linear, first.linear) / P);
            worst[1] = fmax(worst[1], apart(m.angular, first.angular) / L);
            worst[2] = fmax(worst[2], apart(m.centre, at));
        }
        print_message("%-11s linear %.1e, angular %.1e, centre of mass %.1e m\n", formulation[f], worst[0], worst[1],
                      worst[2]);
        CLV_NEAR(worst[0], 0, 1e-12);
        CLV_NEAR(worst[1], 0, 1e-12);
        CLV_NEAR(worst[2], 0, 1e-11);
        clv_sim_destroy(s);
    }
}

/* difference quotients of fourth order over outputs at t - 2h .. t + 2h */
static void outputs_are_derivatives_of_each_other(void **state)
{
    (void)state;
    static const char *const formulation[] = {"hdca", "dca", "massmatrix", "index3"};
    const double h = 2e-5, w[5] = {1, -8, 0, 8, -1};
    int b = clv_model_find_body(model, "boom");
    for (size_t f = 0; f < sizeof formulation / sizeof *formulation; f++) {
        clv_sim *s = open_sim(formulation[f], 1e-12, strcmp(formulation[f], "index3") == 0 ? 1e-5 : 0);
        double v[3] = {0}, a[3] = {0}, V[3] = {0}, A[3] = {0};
        for (int i = 0; i < 5; i++) {
            assert_int_equal(clv_sim_advance(s, 0.002 + h * i), CLV_OK);
            assert_int_equal(clv_sim_evaluate(s), CLV_OK);
            for (int k = 0; k < 3; k++) {
                v[k] += w[i] / (12 * h) * clv_sim_position(s)[3 * b + k];
                a[k] += w[i] / (12 * h) * clv_sim_velocity(s)[6 * b + k];
                if (i == 2)
                    V[k] = clv_sim_velocity(s)[6 * b + k], A[k] = clv_sim_acceleration(s)[6 * b + k];
            }
        }
        print_message("%-11s velocity %.1e m/s, acceleration %.1e of %.1e m/s^2\n", formulation[f], apart(v, V),
                      apart(a, A), fabs(A[0]) + fabs(A[1]) + fabs(A[2]));
        CLV_NEAR(apart(v, V), 0, 1e-5);
        CLV_NEAR(apart(a, A), 0, 1e-2);
        clv_sim_destroy(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momenta_are_kept_in_free_flight),
        cmocka_unit_test(outputs_are_derivatives_of_each_other),
    };
    return cmocka_run_group_tests(tests, read_model, free_model);
}
