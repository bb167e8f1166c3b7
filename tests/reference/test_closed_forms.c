/* SPDX-License-Identifier: Apache-2.0
 * Closed forms of mechanisms that textbooks solve: a Cardan joint between two shafts (three redundant constraints), a
 * differential screw (four), a planetary gear with three planets (two redundant couplings), Chaplygin's ball, and a
 * control moment gyro on a free body.  By every formulation and kinds of integrators. */
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

typedef struct method {
    const char *formulation, *integrator;
    double step, error; /* fixed step in s, or 0; of a closed form, relative */
} method;

static const method METHODS[] = {{"hdca", "dopri5", 0, 1e-8},     {"dca", "dop853", 0, 1e-8},
                                 {"connection", "adams", 0, 1e-7}, {"massmatrix", "rk4", 2e-3, 1e-8},
                                 {"aldca", "dopri5", 0, 1e-8},    {"hdca", "gauss4", 2e-3, 1e-8},
                                 {"index3", NULL, 5e-4, 1e-3}};
enum { ALL = sizeof METHODS / sizeof *METHODS };

typedef struct run {
    clv_model *m;
    clv_sim *s;
} run;

static run begin(const char *text, const method *by)
{
    run r = {NULL, NULL};
    clv_sim_options o = clv_sim_options_default();
    if (clv_model_read_text(&r.m, text, strlen(text), "closed form") != CLV_OK)
        fail_msg("%s: %s", clv_model_error(r.m)->path, clv_model_error(r.m)->message);
    o.formulation = by->formulation, o.integrator = by->integrator;
    o.rtol = 1e-10, o.step = by->step;
    if (clv_sim_create(&r.s, r.m, &o) != CLV_OK)
        fail_msg("%s: %s", by->formulation, clv_sim_error(r.s)->message);
    return r;
}

static void advance(const run *r, double t)
{
    if (clv_sim_advance(r->s, t) != CLV_OK)
        fail_msg("%s", clv_sim_error(r->s)->message);
}

static clv_joint_result joint(const run *r, const char *name)
{
    clv_joint_result x;
    assert_int_equal(clv_sim_joint(r->s, clv_model_find_joint(r->m, name), &x), CLV_OK);
    return x;
}

static int redundant(const run *r)
{
    clv_sim_report report;
    clv_sim_summary(r->s, &report);
    return report.redundant_constraints;
}

static void end(run *r)
{
    clv_sim_destroy(r->s), clv_model_destroy(r->m);
}

/* tan(out) = cos(beta) tan(in); the input takes the torque J ratio (d ratio / dt) w of the output's inertia J. */
static void a_cardan_joint_turns_unevenly(void **state)
{
    (void)state;
    static const char text[] =
        "cleave: 1\ngravity: [0, 0, 0]\n"
        "bodies: {inp: {mass: 1, inertia: [0.1, 0.1, 0.2]}, out: {mass: 1, inertia: [0.3, 0.3, 0.4]}}\n"
        "joints:\n  i: {kind: revolute, a: {body: ground}, b: {body: inp}}\n"
        "  o: {kind: revolute, a: {body: ground, orientation: {axis: [1, 0, 0], angle: 35 deg}}, b: {body: out}}\n"
        "  u: {kind: universal, a: {body: inp}, b: {body: out}}\nmotions: {m: {joint: i, rate: 7}}\n";
    const double w = 7, c = cos(35 * acos(-1) / 180), J = 0.4;
    for (int k = 0; k < ALL; k++) {
        run r = begin(text, &METHODS[k]);
        assert_int_equal(redundant(&r), 3);
        for (int i = 1; i <= 8; i++) {
            advance(&r, 0.15 * i);
            const double a = w * 0.15 * i, size = cos(a) * cos(a) + c * c * sin(a) * sin(a), ratio = c / size;
            const double slope = c * (1 - c * c) * sin(2 * a) / (size * size);
            const clv_joint_result out = joint(&r, "o"), in = joint(&r, "i");
            CLV_NEAR(remainder(out.q[0] - atan2(c * sin(a), cos(a)), 4 * acos(0)), 0, 1e-9);
            CLV_NEAR(out.u[0], ratio * w, 1e-7);
            CLV_NEAR(in.effort[0], J * ratio * slope * w * w, 1e-6);
        }
        end(&r);
    }
}

/* x' = (f - c x) / J: rate and coordinate after t */
static void decay(double f, double c, double J, double x0, double t, double *x, double *sum)
{
    const double last = f / c, part = exp(-c / J * t);
    *x = last + (x0 - last) * part, *sum = last * t + (x0 - last) * J / c * (1 - part);
}

/* The nut travels by the difference of the pitches: J = I + m1 p^2 + m2 (p1 - p2)^2, weights at the same arms. */
static void a_differential_screw_falls(void **state)
{
    (void)state;
    static const char text[] =
        "cleave: 1\ngravity: [0, 0, -10]\n"
        "bodies: {spindle: {mass: 1, inertia: [0.1, 0.1, 0.02]}, nut: {mass: 50, inertia: [1, 1, 1]}}\n"
        "joints:\n  a: {kind: helical, pitch: 0.01, a: {body: ground}, b: {body: spindle}}\n"
        "  b: {kind: helical, pitch: -0.008, a: {body: spindle, position: [0, 0, 0.3]}, b: {body: nut}}\n"
        "  g: {kind: prismatic, a: {body: ground, position: [0.5, 0, 0]}, b: {body: nut, position: [0.5, 0, -0.3]}}\n"
        "forces: {d: {kind: joint-load, joint: a, drive: 0.5, damping: 0.05}}\nstart: {joints: {a: {u: 3}}}\n";
    const double J = 0.02 + 0.01 * 0.01 + 50 * 0.018 * 0.018, f = 0.5 - 10 * (0.01 + 50 * 0.018);
    for (int k = 0; k < ALL; k++) {
        double u, q;
        run r = begin(text, &METHODS[k]);
        assert_int_equal(redundant(&r), 4);
        advance(&r, 1);
        decay(f, 0.05, J, 3, 1, &u, &q);
        CLV_NEAR(joint(&r, "a").u[0], u, METHODS[k].error * fabs(u));
        CLV_NEAR(joint(&r, "a").q[0], q, METHODS[k].error * fabs(q));
        CLV_NEAR(clv_sim_position(r.s)[5], 0.3 + 0.018 * joint(&r, "a").q[0], 1e-9);
        end(&r);
    }
}

static const char GEAR[] =
    "cleave: 1\ngravity: [0, 0, 0]\nbodies:\n  sun: {mass: 2, inertia: [0.02, 0.02, 0.02]}\n"
    "  ring: {mass: 3, inertia: [0.2, 0.2, 0.3]}\n  carrier: {mass: 2, inertia: [0.05, 0.05, 0.05]}\n"
    "  planet{i}: {mass: 0.8, inertia: [0.003, 0.003, 0.003], repeat: 3}\njoints:\n"
    "  s: {kind: revolute, a: {body: ground}, b: {body: sun}}\n"
    "  r: {kind: revolute, a: {body: ground}, b: {body: ring}}\n"
    "  c: {kind: revolute, a: {body: ground}, b: {body: carrier}}\n"
    "  p{i}: {kind: revolute, a: {body: carrier, position: [0.15*cos(2*pi*i/3), 0.15*sin(2*pi*i/3), 0]}, "
    "b: {body: \"planet{i}\"}, repeat: 3}\ncouplings:\n"
    "  sp{i}: {of: {s: 0.1, c: -0.1, \"p{i}\": 0.05}, offset: 0, repeat: 3}\n"
    "  rp{i}: {of: {r: 0.2, c: -0.2, \"p{i}\": -0.05}, offset: 0, repeat: 3}\n  hold: {of: {r: 1}, offset: 0}\n"
    "forces:\n  ts: {kind: joint-load, joint: s, drive: 1.5}\n  tc: {kind: joint-load, joint: c, damping: 0.7}\n";

/* Willis, with radii 0.1, 0.05, 0.2 of sun, planets, ring: the carrier turns at i = 1/3 of the sun, the planets on it
 * at -4/3, in space at -1. */
static void a_planetary_gear_starts(void **state)
{
    (void)state;
    const double i = 1.0 / 3, J = 0.02 + i * i * (0.05 + 3 * 0.8 * 0.15 * 0.15) + 3 * 0.003;
    for (int k = 0; k < ALL; k++) {
        double u, q;
        run r = begin(GEAR, &METHODS[k]);
        assert_int_equal(redundant(&r), 2);
        for (int c = 0; c < 6; c++) /* all but the one that holds the ring */
            assert_true(clv_sim_coupling_redundant(r.s, c));
        assert_false(clv_sim_coupling_redundant(r.s, 6));
        advance(&r, 2);
        decay(1.5, 0.7 * i * i, J, 0, 2, &u, &q);
        CLV_NEAR(joint(&r, "s").u[0], u, METHODS[k].error * u);
        CLV_NEAR(joint(&r, "s").q[0], q, METHODS[k].error * q);
        CLV_NEAR(joint(&r, "c").q[0], i * joint(&r, "s").q[0], 1e-9 * q);
        CLV_NEAR(joint(&r, "p2").q[0], -4 * i * joint(&r, "s").q[0], 1e-9 * q);
        end(&r);
    }
}

/* v := rows of the rotation e (w x y z), or its inverse, times v */
static void turn(double v[3], const double e[4], double sign)
{
    const double w = e[0], x = sign * e[1], y = sign * e[2], z = sign * e[3];
    const double t[3] = {2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])};
    const double r[3] = {v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2],
                         v[2] + w * t[2] + x * t[1] - y * t[0]};
    memcpy(v, r, sizeof r);
}

/* A ball with its centre of mass in the middle and unequal moments rolls: its angular momentum about the point of
 * contact, I w + m r^2 (w - (w.z) z), is constant in space. */
static void a_ball_of_chaplygin_keeps_its_momentum(void **state)
{
    (void)state;
    static const char text[] =
        "cleave: 1\nbodies: {ball: {mass: 1.3, inertia: [0.02, 0.035, 0.045]}}\n"
        "joints: {r: {kind: rolling-sphere, radius: 0.2, a: {body: ground}, b: {body: ball}}}\n"
        "start: {bodies: {ball: {position: [0, 0, 0.2], velocity: [-0.4, -0.2, 0], angular_velocity: [1, -2, 3]}}}\n";
    const double I[3] = {0.02, 0.035, 0.045}, mr = 1.3 * 0.2 * 0.2, M[3] = {0.02 + mr, -2 * (0.035 + mr), 3 * 0.045};
    for (int k = 0; k < 5; k++) { /* the other two refuse it */
        run r = begin(text, &METHODS[k]);
        for (int i = 1; i <= 4; i++) {
            advance(&r, i);
            const double *V = clv_sim_velocity(r.s), *e = clv_sim_quaternion(r.s);
            double w[3] = {V[3], V[4], V[5]};
            turn(w, e, -1);
            for (int c = 0; c < 3; c++)
                w[c] *= I[c];
            turn(w, e, 1);
            for (int c = 0; c < 3; c++)
                CLV_NEAR(w[c] + (c < 2 ? mr * V[3 + c] : 0), M[c], 1e-8);
            CLV_NEAR(V[0], 0.2 * V[4], 1e-9);
        }
        end(&r);
    }
}

/* m (p^2 1 - p p^T), added to a matrix */
static void add_steiner(double J[3][3], double m, const double p[3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            J[i][j] += m * ((i == j ? p[0] * p[0] + p[1] * p[1] + p[2] * p[2] : 0) - p[i] * p[j]);
}

/* A hub at rest carries a gimbal about its z and a rotor at 600 rad/s along the x of the gimbal; both move as
 * prescribed.  The momentum stays: J(q) w + h = R^T L in axes of the hub, with L = (108, 0, 0) N m s of the start. */
static void a_control_moment_gyro_turns_its_hub(void **state)
{
    (void)state;
    static const char text[] =
        "cleave: 1\ngravity: [0, 0, 0]\nbodies:\n  hub: {mass: 80, inertia: [20, 25, 30]}\n"
        "  g: {mass: 2, inertia: [0.05, 0.06, 0.07]}\n  r: {mass: 3, inertia: [0.18, 0.1, 0.1]}\njoints:\n"
        "  jg: {kind: revolute, a: {body: hub, position: [0.2, -0.1, 0.3]}, b: {body: g}}\n"
        "  jr: {kind: revolute, a: {body: g, orientation: {axis: [0, 1, 0], angle: 90 deg}}, "
        "b: {body: r, orientation: {axis: [0, 1, 0], angle: 90 deg}}}\nmotions:\n"
        "  gm: {joint: jg, table: [[0, 0], [4, 1.2], [6, 1.2], [10, -0.5]], profile: smooth}\n"
        "  rm: {joint: jr, rate: 600}\nstart: {bodies: {hub: {angular_velocity: [0, 0, 0]}}}\n";
    const double far[3] = {0.2 * 80 / 85, -0.1 * 80 / 85, 0.3 * 80 / 85};
    const double near[3] = {0.2 * 5 / 85, -0.1 * 5 / 85, 0.3 * 5 / 85};
    for (int k = 0; k < 6; k++) { /* index3 would need steps of 1e-5 s */
        run r = begin(text, &METHODS[k]);
        for (int i = 1; i <= 5; i++) {
            advance(&r, 2 * i);
            const clv_joint_result gimbal = joint(&r, "jg");
            const double c = cos(gimbal.q[0]), s = sin(gimbal.q[0]), *V = clv_sim_velocity(r.s);
            /* gimbal and rotor together: 0.23, 0.16, 0.17 along axes that the gimbal has turned */
            double J[3][3] = {{20 + 0.23 * c * c + 0.16 * s * s, 0.07 * c * s, 0},
                              {0.07 * c * s, 25 + 0.23 * s * s + 0.16 * c * c, 0},
                              {0, 0, 30.17}};
            double w[3] = {V[3], V[4], V[5]}, L[3] = {108, 0, 0};
            const double h[3] = {108 * c, 108 * s, 0.17 * gimbal.u[0]};
            add_steiner(J, 80, near), add_steiner(J, 5, far);
            turn(w, clv_sim_quaternion(r.s), -1), turn(L, clv_sim_quaternion(r.s), -1);
            for (int n = 0; n < 3; n++)
                CLV_NEAR(J[n][0] * w[0] + J[n][1] * w[1] + J[n][2] * w[2] + h[n], L[n], 108 * METHODS[k].error);
        }
        end(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cardan_joint_turns_unevenly),
        cmocka_unit_test(a_differential_screw_falls),
        cmocka_unit_test(a_planetary_gear_starts),
        cmocka_unit_test(a_ball_of_chaplygin_keeps_its_momentum),
        cmocka_unit_test(a_control_moment_gyro_turns_its_hub),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
