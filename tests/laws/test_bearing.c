/* SPDX-License-Identifier: Apache-2.0
 * Friction by the reaction of the joint itself (T99), and tables and limits of joint loads (T100), by every formulation
 * that takes them: closed forms, a slider-crank against Newton and Euler's equations solved here, losses in the account
 * of energy, a guide that jams, what is refused. */
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

static const char *const formulations[] = {"hdca", "dca", "connection", "massmatrix", "aldca", "index3"};
enum { FORMULATIONS = 5 }; /* index3 with steps of its own */

typedef struct run {
    clv_model *m;
    clv_sim *s;
    double q[4][7], u[4][6];
} run;

static void begin(run *r, const char *text, int formulation, double step)
{
    clv_sim_options o = clv_sim_options_default();
    if (clv_model_read_text(&r->m, text, strlen(text), "bearing") != CLV_OK)
        fail_msg("%s: %s", clv_model_error(r->m)->path, clv_model_error(r->m)->message);
    o.formulation = formulations[formulation];
    o.rtol = 1e-11, o.atol = 1e-13;
    if (formulation < FORMULATIONS)
        o.integrator = "dop853";
    else
        o.step = step;
    if (clv_sim_create(&r->s, r->m, &o) != CLV_OK)
        fail_msg("%s: %s", o.formulation, clv_sim_error(r->s)->message);
}

static void advance(run *r, double t)
{
    if (clv_sim_advance(r->s, t) != CLV_OK)
        fail_msg("%s", clv_sim_error(r->s)->message);
    assert_int_equal(clv_sim_coordinates(r->s, r->q[0], r->u[0]), CLV_OK);
}

static void end(run *r, double drift)
{
    clv_sim_report report;
    clv_sim_summary(r->s, &report);
    if (!(report.max_energy_drift < drift))
        fail_msg("energy drift %g J", report.max_energy_drift);
    clv_sim_destroy(r->s), clv_model_destroy(r->m);
}

/* ------------------------------------------------------------------ closed forms */

/* A block slides down an incline of 0.5 rad with mu = 0.3: a = g (sin - mu cos).  Under mu = 0.7 it creeps. */
static void block_on_an_incline(void **state)
{
    (void)state;
    char text[600];
    const double g = 9.81, slope = 0.5;
    for (int i = 0; i < 2 * FORMULATIONS; i++) {
        const bool holds = i % 2;
        run r;
        snprintf(text, sizeof text,
                 "cleave: 1\ngravity: [%.17g, 0, %.17g]\nbodies: {block: {mass: 3, inertia: [1, 1, 1]}}\njoints:\n"
                 "  j: {kind: prismatic, between: [ground, block], at: [0, 0, 0], axis: [1, 0, 0]}\n"
                 "forces: {f: {kind: joint-load, joint: j, friction_coefficient: %g, stiction_speed: 1e-3}}\n"
                 "start: {joints: {j: {u: %g}}}\n",
                 g * sin(slope), -g * cos(slope), holds ? 0.7 : 0.3, holds ? 0.0 : 0.5);
        begin(&r, text, i / 2, 0);
        advance(&r, 0.4);
        if (holds) /* tanh(u / v0) = tan(slope) / mu */
            CLV_NEAR(r.u[0][0], 1e-3 * atanh(tan(slope) / 0.7), 1e-9);
        else
            CLV_NEAR(r.u[0][0], 0.5 + 0.4 * g * (sin(slope) - 0.3 * cos(slope)), 1e-10);
        end(&r, 1e-8);
    }
}

/* The force and moment across the pin, and the force along it: a wheel of 2 kg, its mass 0.3 m beside the middle of two
 * bearings 0.4 m apart, which carry 2 x 0.3 / 0.4 of its weight; on a vertical pin its collar carries it. */
static void wheel_on_a_pin(void **state)
{
    (void)state;
    char text[700];
    const double weight = 2 * 9.81;
    const struct {
        const char *axis, *bearing;
        double torque;
    } form[] = {{"[1, 0, 0]", "pin_radius: 0.05", 0.05 * 0.2 * weight},
                {"[1, 0, 0]", "pin_radius: 0.05, bearing_span: 0.4", 0.05 * 0.2 * weight * 1.5},
                {"[1, 0, 0]", "pin_radius: 0.05, bearing_span: 0.8", 0.05 * 0.2 * weight},
                {"[0, 0, 1]", "pin_radius: 0.05, collar_radius: 0.07", 0.07 * 0.2 * weight}};
    for (int i = 0; i < 4 * FORMULATIONS; i++)
        for (int reversed = 0; reversed < 2; reversed++) {
            run r;
            snprintf(text, sizeof text,
                     "cleave: 1\nbodies: {wheel: {mass: 2, com: [%s], inertia: [0.2, 0.2, 0.2]}}\njoints:\n"
                     "  j: {kind: revolute, between: [%s], at: [0, 0, 0], axis: %s}\n"
                     "forces: {f: {kind: joint-load, joint: j, friction_coefficient: 0.2, %s, stiction_speed: 1e-3}}\n"
                     "start: {joints: {j: {u: 9}}}\n",
                     i % 4 < 3 ? "0.3, 0, 0" : "0, 0, 0.3", reversed ? "wheel, ground" : "ground, wheel",
                     form[i % 4].axis, form[i % 4].bearing);
            begin(&r, text, i / 4, 0);
            advance(&r, 0.5);
            CLV_NEAR(r.u[0][0], 9 - form[i % 4].torque / 0.2 * 0.5, 1e-9);
            end(&r, 1e-8);
        }
}

/* The same pin closes a loop: a body held by a guide that it does not need, and by the pin. */
static void pin_that_closes_a_loop(void **state)
{
    (void)state;
    const char text[] = "cleave: 1\nbodies:\n  arm: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
                        "  wheel: {mass: 2, inertia: [0.2, 0.2, 0.2]}\njoints:\n"
                        "  weld: {kind: fixed, between: [ground, arm], at: [0, 0, 0]}\n"
                        "  free: {kind: free, a: {body: ground}, b: {body: wheel}}\n"
                        "  j: {kind: revolute, between: [arm, wheel], at: [0, 0, 0], axis: [0, 1, 0], cut: true}\n"
                        "forces: {f: {kind: joint-load, joint: j, friction_coefficient: 0.2, static_coefficient: 0.3, "
                        "stribeck_speed: 1e-2, pin_radius: 0.1, stiction_speed: 1e-3}}\n"
                        "start: {bodies: {wheel: {angular_velocity: [0, 6, 0]}}}\n";
    for (int f = 0; f < FORMULATIONS; f++) {
        run r;
        begin(&r, text, f, 0);
        advance(&r, 0.5);
        CLV_NEAR(r.u[2][0], 6 - 0.1 * 0.2 * 2 * 9.81 / 0.2 * 0.5, 1e-8);
        end(&r, 1e-7);
    }
}

/* ------------------------------------------------------------------ slider-crank */

/* Crank 0.2 m, rod 0.5 m, slider on the x axis; pins of 0.02 m radius with mu = 0.1, guide with 0.15.  Unknown: three
 * accelerations of each body, forces in pins A, B, C, force and moment of the guide; linear for given friction. */
enum { N = 17 };
static const double mass[3] = {2, 3, 4}, inertia[3] = {0.02, 0.08, 0.05}, crank = 0.2, rod = 0.5, pin = 0.02,
                    mu_pin = 0.1, gravity = 9.81, drive = 5;

static void solve_dense(double A[N][N + 1])
{
    for (int k = 0; k < N; k++) {
        int best = k;
        for (int i = k; i < N; i++)
            best = fabs(A[i][k]) > fabs(A[best][k]) ? i : best;
        for (int j = 0; j <= N; j++) {
            const double t = A[k][j];
            A[k][j] = A[best][j], A[best][j] = t;
        }
        for (int i = 0; i < N; i++)
            for (int j = N; i != k && j >= k; j--)
                A[i][j] -= A[i][k] / A[k][k] * A[k][j];
    }
}

/* crank acceleration at the angle q and the rate w */
static double slider_crank(double q, double w, double mu_guide)
{
    const double s = sin(q), c = cos(q), p = asin(crank * s / rod), sp = sin(p), cp = cos(p); /* rod goes down by p */
    const double wp = crank * c * w / (rod * cp), v = -crank * s * w - rod * sp * wp;
    double friction[4] = {0}, A[N][N + 1]; /* of pins A, B, C: torques; of the guide: a force */
    const double rate[4] = {w, -wp - w, wp, v}; /* of crank, rod to crank, slider to rod, slider */
    for (int round = 0; round < 200; round++) {
        memset(A, 0, sizeof A);
        /* unknowns: 0-8 x, z, turn of crank, rod, slider (turn about -y: from x to z); 9-14 forces of A on the crank,
         * B on the rod, C on the slider; 15 force of the guide on the slider along z, 16 its moment */
        const double mid[2][2] = {{crank * c / 2, crank * s / 2}, {rod * cp / 2, -rod * sp / 2}};
        for (int b = 0; b < 3; b++)
            A[3 * b][3 * b] = A[3 * b + 1][3 * b + 1] = mass[b], A[3 * b + 2][3 * b + 2] = inertia[b],
                    A[3 * b + 1][N] = -mass[b] * gravity;
        A[0][9] = A[1][10] = -1, A[0][11] = A[1][12] = 1;     /* crank: +A, -B */
        A[3][11] = A[4][12] = -1, A[3][13] = A[4][14] = 1;    /* rod: +B, -C */
        A[6][13] = A[7][14] = -1, A[7][15] = -1, A[8][16] = -1; /* slider: +C, guide */
        /* moments r x F = rx Fz - rz Fx about the centres of mass */
        A[2][10] += mid[0][0], A[2][9] -= mid[0][1], A[2][12] += mid[0][0], A[2][11] -= mid[0][1];
        A[5][12] += mid[1][0], A[5][11] -= mid[1][1], A[5][14] += mid[1][0], A[5][13] -= mid[1][1];
        A[2][N] += drive + friction[0] - friction[1], A[5][N] += friction[1] - friction[2], A[8][N] += friction[2];
        A[6][N] += friction[3];
        /* accelerations: A fixed, B and C common, guide; a + alpha x r - w^2 r */
        const double turn[2] = {w, -wp};
        for (int k = 0; k < 2; k++) {
            A[9 + k][k] = 1, A[9 + k][2] = k ? -mid[0][0] : mid[0][1];
            A[9 + k][N] = -turn[0] * turn[0] * mid[0][k];
            A[11 + k][k] = 1, A[11 + k][2] = k ? mid[0][0] : -mid[0][1];
            A[11 + k][3 + k] = -1, A[11 + k][5] = k ? mid[1][0] : -mid[1][1];
            A[11 + k][N] = turn[0] * turn[0] * mid[0][k] + turn[1] * turn[1] * mid[1][k];
            A[13 + k][3 + k] = 1, A[13 + k][5] = k ? mid[1][0] : -mid[1][1], A[13 + k][6 + k] = -1;
            A[13 + k][N] = turn[1] * turn[1] * mid[1][k];
        }
        A[15][7] = 1, A[16][8] = 1;
        solve_dense(A);
        for (int i = 0; i < 3; i++) {
            const double x = A[9 + 2 * i][N] / A[9 + 2 * i][9 + 2 * i];
            const double z = A[10 + 2 * i][N] / A[10 + 2 * i][10 + 2 * i];
            friction[i] = -mu_pin * pin * sqrt(x * x + z * z) * tanh(rate[i] / 1e-3);
        }
        friction[3] += 0.4 * (-mu_guide * fabs(A[15][N] / A[15][15]) * tanh(v / 1e-3) - friction[3]);
    }
    return A[2][N] / A[2][2];
}

static const char slider_crank_text[] =
    "cleave: 1\nbodies:\n"
    "  crank: {mass: 2, com: [0.1, 0, 0], inertia: [0.02, 0.02, 0.02]}\n"
    "  rod: {mass: 3, com: [0.25, 0, 0], inertia: [0.08, 0.08, 0.08]}\n"
    "  slider: {mass: 4, inertia: [0.05, 0.05, 0.05]}\n"
    "joints:\n"
    "  A: {kind: revolute, a: {body: ground, orientation: {x: [1, 0, 0], z: [0, -1, 0]}}, b: {body: crank, "
    "orientation: {x: [1, 0, 0], z: [0, -1, 0]}}}\n"
    "  B: {kind: revolute, a: {body: crank, position: [0.2, 0, 0], orientation: {x: [1, 0, 0], z: [0, -1, 0]}}, b: "
    "{body: rod, orientation: {x: [1, 0, 0], z: [0, -1, 0]}}}\n"
    "  C: {kind: revolute, a: {body: rod, position: [0.5, 0, 0], orientation: {x: [1, 0, 0], z: [0, -1, 0]}}, b: "
    "{body: slider, orientation: {x: [1, 0, 0], z: [0, -1, 0]}}%s}\n"
    "  guide: {kind: prismatic, a: {body: ground, orientation: {x: [0, 1, 0], z: [1, 0, 0]}}, b: {body: slider, "
    "orientation: {x: [0, 1, 0], z: [1, 0, 0]}}%s}\n"
    "forces:\n"
    "  motor: {kind: joint-load, joint: A, drive: 5, friction_coefficient: 0.1, pin_radius: 0.02, stiction_speed: "
    "1e-3}\n"
    "  b: {kind: joint-load, joint: B, friction_coefficient: 0.1, pin_radius: 0.02, stiction_speed: 1e-3}\n"
    "  c: {kind: joint-load, joint: C, friction_coefficient: 0.1, pin_radius: 0.02, stiction_speed: 1e-3}\n"
    "  g: {kind: joint-load, joint: guide, friction_coefficient: %g, stiction_speed: 1e-3}\n"
    "start: {joints: {A: {q: %.17g, u: %.17g}, B: {q: %.17g}, C: {q: %.17g}, guide: {q: %.17g}}}\n";

static const char *slider_crank_at(double q, double w, double mu, bool cut)
{
    static char text[4000];
    const double p = asin(crank * sin(q) / rod);
    snprintf(text, sizeof text, slider_crank_text, cut ? ", cut: true" : "", cut ? "" : ", cut: true", mu, q, w, -p - q,
             p, crank * cos(q) + rod * cos(p));
    return text;
}

/* Friction of 9 in the guide takes 1.1 times its own size off the load there, where the crank pulls (w > 0). */
static void slider_crank_obeys_newton_and_euler(void **state)
{
    (void)state;
    for (int i = 0; i < 9 * FORMULATIONS; i++) {
        const double q = 0.3 + 0.7 * (i % 9 % 8), w = i % 9 == 8 ? 6 : i % 2 ? -4 : 6, mu = i % 9 == 8 ? 9 : 0.15;
        clv_joint_result a;
        run r;
        begin(&r, slider_crank_at(q, w, mu, i % 3 == 0), i / 9, 0); /* which joint closes the loop */
        assert_int_equal(clv_sim_joint(r.s, 0, &a), CLV_OK);
        CLV_NEAR(a.q[0], q, 1e-12), CLV_NEAR(a.u[0], w, 1e-12);
        CLV_NEAR(a.udot[0] / slider_crank(q, w, mu), 1, 1e-9);
        if (mu < 1)
            advance(&r, 0.1);
        end(&r, 1e-7);
    }
}

/* A tenth of a second of the equations above, by the classical rule of Runge and Kutta at 0.5 ms. */
static void slider_crank_moves_as_its_equations(void **state)
{
    (void)state;
    double q = 0.5, w = 6;
    const double mu = 0.15, h = 5e-4;
    run r;
    begin(&r, slider_crank_at(q, w, mu, false), 0, 0);
    for (int i = 0; i < 200; i++) {
        const double a = slider_crank(q, w, mu), b = slider_crank(q + h / 2 * w, w + h / 2 * a, mu);
        const double c = slider_crank(q + h / 2 * w + h * h / 4 * a, w + h / 2 * b, mu);
        const double d = slider_crank(q + h * w + h * h / 2 * b, w + h * c, mu);
        q += h * w + h * h / 6 * (a + b + c), w += h / 6 * (a + 2 * b + 2 * c + d);
    }
    advance(&r, 0.1);
    CLV_NEAR(r.q[0][0], q, 1e-8), CLV_NEAR(r.u[0][0], w, 1e-7);
    end(&r, 1e-7);
}

/* Steps of index3 take the friction of the multipliers that they iterate (T99): the same motion, better with smaller
 * steps.  *wrong: difference of the crank's coordinate after 0.1 s. */
static void by_steps(const char *text, double step, double *wrong)
{
    run exact, r;
    begin(&exact, text, 0, 0), begin(&r, text, FORMULATIONS, step);
    advance(&exact, 0.1), advance(&r, 0.1);
    *wrong = fabs(r.q[0][0] - exact.q[0][0]);
    end(&exact, 1e-7), end(&r, 1);
}

static void implicit_steps_take_it_too(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        const char *text = slider_crank_at(0.3 + 0.7 * i, i % 2 ? -4 : 6, 0.15, i % 3 == 0);
        double coarse, fine;
        by_steps(text, 1e-3, &coarse), by_steps(text, 2.5e-4, &fine);
        print_message("slider-crank %d: %.3g rad by 1 ms, %.3g rad by 0.25 ms\n", i, coarse, fine);
        assert_true(coarse < 2e-3 && fine < 0.4 * coarse);
    }
}

/* A block, whose reaction is constant, to rounding; it also creeps like by other methods. */
static void implicit_steps_of_a_block(void **state)
{
    (void)state;
    char text[600];
    const double g = 9.81, slope = 0.5;
    for (int holds = 0; holds < 2; holds++) {
        run r;
        snprintf(text, sizeof text,
                 "cleave: 1\ngravity: [%.17g, 0, %.17g]\nbodies: {block: {mass: 3, inertia: [1, 1, 1]}}\njoints:\n"
                 "  j: {kind: prismatic, between: [ground, block], at: [0, 0, 0], axis: [1, 0, 0]}\n"
                 "forces: {f: {kind: joint-load, joint: j, friction_coefficient: %g, stiction_speed: 1e-3}}\n"
                 "start: {joints: {j: {u: %g}}}\n",
                 g * sin(slope), -g * cos(slope), holds ? 0.7 : 0.3, holds ? 0.0 : 0.5);
        begin(&r, text, FORMULATIONS, 1e-3);
        advance(&r, 0.4);
        if (holds)
            CLV_NEAR(r.u[0][0], 1e-3 * atanh(tan(slope) / 0.7), 1e-6);
        else
            CLV_NEAR(r.u[0][0], 0.5 + 0.4 * g * (sin(slope) - 0.3 * cos(slope)), 1e-9);
        end(&r, 1e-3);
    }
}

/* ------------------------------------------------------------------ no solution, refusals */

/* A guide 0.1 m long, pushed 0.4 m beside it: 2 mu 0.4 / 0.1 > 1, so every push brakes it. */
static void push_beside_a_short_guide(void **state)
{
    (void)state;
    const char text[] = "cleave: 1\ngravity: [0, 0, 0]\nbodies: {drawer: {mass: 1, inertia: [1, 1, 1]}}\njoints:\n"
                        "  slide: {kind: prismatic, between: [ground, drawer], at: [0, 0, 0], axis: [1, 0, 0]}\n"
                        "forces:\n  f: {kind: joint-load, joint: slide, friction_coefficient: 0.3, bearing_span: 0.1}\n"
                        "  push: {kind: force, body: drawer, point: [0, 0.4, 0], vector: [3, 0, 0]}\n"
                        "start: {joints: {slide: {u: 1}}}\n";
    for (int f = 0; f < FORMULATIONS; f++) {
        run r;
        begin(&r, text, f, 0); /* the push presses 2 0.4 / 0.1 3 N, whatever the friction is */
        advance(&r, 0.01);
        CLV_NEAR(r.u[0][0], 1 + 0.01 * (3 - 0.3 * 24), 1e-10);
        clv_sim_destroy(r.s), clv_model_destroy(r.m);
    }
}

/* The crank pushes: friction of 9 in the guide presses 1.1 times as much as it is caused by. */
static void slider_that_jams_is_named(void **state)
{
    (void)state;
    for (int f = 0; f < FORMULATIONS; f++) {
        const char *text = slider_crank_at(0.3, -6, 9, f % 2);
        clv_model *m;
        clv_sim *s;
        clv_sim_options o = clv_sim_options_default();
        o.formulation = formulations[f];
        assert_int_equal(clv_model_read_text(&m, text, strlen(text), "jams"), CLV_OK);
        assert_int_equal(clv_sim_create(&s, m, &o), CLV_ERR_NO_CONVERGENCE);
        assert_non_null(strstr(clv_sim_error(s)->message, "'guide' jams"));
        assert_string_equal(clv_sim_error(s)->joint, "guide");
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

static void refused(const char *load, const char *path, const char *words)
{
    char text[700];
    clv_model *m;
    snprintf(text, sizeof text,
             "cleave: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\njoints:\n"
             "  r: {kind: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
             "forces: {f: {kind: joint-load, joint: r, %s}}\n",
             load);
    assert_int_equal(clv_model_read_text(&m, text, strlen(text), "refused"), CLV_ERR_MODEL);
    if (strcmp(clv_model_error(m)->path, path) != 0 || !strstr(clv_model_error(m)->message, words))
        fail_msg("'%s': %s", clv_model_error(m)->path, clv_model_error(m)->message);
    clv_model_destroy(m);
}

static void wrong_numbers_and_methods_are_named(void **state)
{
    (void)state;
    refused("friction_coefficient: 0.1", "forces.f.pin_radius", "radius of its pin");
    refused("friction_coefficient: -0.1, pin_radius: 1", "forces.f.friction_coefficient", "negative");
    refused("friction_coefficient: 0.2, static_coefficient: 0.1, pin_radius: 1", "forces.f.static_coefficient",
            "below");
    refused("pin_radius: 0.1", "forces.f.friction_coefficient", "no coefficient");
    refused("friction_coefficient: 0.1, pin_radius: 0.1, bearing_span: -1", "forces.f.bearing_span", "negative");
    refused("spring_table: [[0, 0], [0, 1]]", "forces.f.spring_table", "do not increase");
    refused("spring_table: [[0, 0], [1]]", "forces.f.spring_table", "row of the table");
    refused("damper_table: []", "forces.f.damper_table", "no rows");
    refused("effort_limit: -1", "forces.f.effort_limit", "negative");
    const char *const method[][2] = {{"dca", "moreau"}, {"hdca", "gauss4"}};
    for (int i = 0; i < 2; i++) {
        clv_model *m;
        clv_sim *s;
        clv_sim_options o = clv_sim_options_default();
        const char *text = slider_crank_at(0, 1, 0.1, false);
        assert_int_equal(clv_model_read_text(&m, text, strlen(text), "x"), CLV_OK);
        o.formulation = method[i][0], o.integrator = method[i][1], o.step = 1e-3;
        assert_int_equal(clv_sim_create(&s, m, &o), CLV_ERR_UNSUPPORTED);
        assert_non_null(strstr(clv_sim_error(s)->message, "friction by the reaction"));
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* ------------------------------------------------------------------ tables and limits (T100) */

#define WHEEL                                                                                                          \
    "cleave: 1\ngravity: [0, 0, 0]\nbodies: {w: {mass: 1, inertia: [0.5, 0.5, 0.5]}}\njoints:\n"                       \
    "  j: {kind: revolute, between: [ground, w], at: [0, 0, 0], axis: [0, 0, 1]}\n"

/* Steeper on one side: half periods of two oscillators; 8 and 18 N m/rad about 0.1 rad. */
static void spring_by_a_table(void **state)
{
    (void)state;
    const char text[] = WHEEL "forces: {f: {kind: joint-load, joint: j, rest: 0.1, spring_table: [[-1, -8], [0, 0], "
                              "[1, 18]]}}\nstart: {joints: {j: {q: 0.1, u: 1.2}}}\n";
    for (int f = 0; f <= FORMULATIONS; f++) {
        const double w = sqrt(8 / 0.5), half = 3.141592653589793 / 6;
        run r;
        begin(&r, text, f, 1e-4);
        advance(&r, half);
        CLV_NEAR(r.q[0][0], 0.1, f < FORMULATIONS ? 1e-8 : 1e-5);
        CLV_NEAR(r.u[0][0], -1.2, f < FORMULATIONS ? 1e-8 : 1e-5);
        advance(&r, half + 0.3);
        CLV_NEAR(r.q[0][0], 0.1 - 1.2 / w * sin(0.3 * w), f < FORMULATIONS ? 1e-8 : 1e-5);
        end(&r, f < FORMULATIONS ? 1e-8 : 1e-5);
    }
}

/* The drive of 9 N m is limited to 4, and a damper by a table holds 1 N m from 2 rad/s on. */
static void limit_and_damper_by_a_table(void **state)
{
    (void)state;
    const char limited[] = WHEEL "forces: {f: {kind: joint-load, joint: j, drive: 9, stiffness: 1, effort_limit: 4}}\n";
    const char damped[] = WHEEL "forces: {f: {kind: joint-load, joint: j, damper_table: [[-2, -1], [2, 1]]}}\n"
                                "start: {joints: {j: {u: 5}}}\n";
    for (int f = 0; f <= FORMULATIONS; f++) {
        run r;
        begin(&r, limited, f, 1e-4);
        advance(&r, 0.5);
        CLV_NEAR(r.u[0][0], 4, f < FORMULATIONS ? 1e-11 : 1e-5);
        CLV_NEAR(r.q[0][0], 1, f < FORMULATIONS ? 1e-11 : 1e-5);
        end(&r, f < FORMULATIONS ? 1e-10 : 1e-5);
        begin(&r, damped, f, 1e-4);
        advance(&r, 1);
        CLV_NEAR(r.u[0][0], 3, f < FORMULATIONS ? 1e-11 : 1e-5);
        advance(&r, 2.5); /* 2 rad/s after 1.5 s, then it decays */
        CLV_NEAR(r.u[0][0], 2 * exp(-1.0), f < FORMULATIONS ? 1e-8 : 1e-5);
        end(&r, f < FORMULATIONS ? 1e-8 : 1e-5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_on_an_incline),
        cmocka_unit_test(wheel_on_a_pin),
        cmocka_unit_test(pin_that_closes_a_loop),
        cmocka_unit_test(slider_crank_obeys_newton_and_euler),
        cmocka_unit_test(slider_crank_moves_as_its_equations),
        cmocka_unit_test(implicit_steps_take_it_too),
        cmocka_unit_test(implicit_steps_of_a_block),
        cmocka_unit_test(push_beside_a_short_guide),
        cmocka_unit_test(slider_that_jams_is_named),
        cmocka_unit_test(wrong_numbers_and_methods_are_named),
        cmocka_unit_test(spring_by_a_table),
        cmocka_unit_test(limit_and_damper_by_a_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
