/* SPDX-License-Identifier: Apache-2.0
 * Static equilibrium (T58) against closed forms: pendulum with a spring, hanging chain, parallelogram with a spring,
 * platform on three springs, mass on a stop, flexible beam.  Unstable and neutral ones are named, and what nothing
 * holds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cleave/cleave.h"
#include "near.h"

#define OK(call) assert_int_equal(call, CLV_OK)
#define PI 3.141592653589793

static clv_model *read(const char *text)
{
    clv_model *m;
    clv_status st = clv_model_read_text(&m, text, strlen(text), "equilibrium");
    if (st != CLV_OK)
        print_error("%s\n", clv_model_error_at(m, 0)->message);
    OK(st);
    return m;
}

static clv_sim *start(const clv_model *m, const char *formulation)
{
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation;
    clv_status st = clv_sim_create(&s, m, &o);
    if (st != CLV_OK)
        print_error("%s\n", clv_sim_error(s)->message);
    OK(st);
    return s;
}

static double coordinate(clv_sim *s, int joint)
{
    clv_joint_result r;
    OK(clv_sim_joint(s, joint, &r));
    return r.q[0];
}

/* It stays there: after a while nothing has moved. */
static void stays(clv_sim *s, double time)
{
    const int n = 3 * clv_model_body_count(clv_sim_model(s));
    double at[3 * 64];
    memcpy(at, clv_sim_position(s), (size_t)n * sizeof *at);
    OK(clv_sim_advance(s, time));
    for (int i = 0; i < n; i++)
        assert_true(fabs(clv_sim_position(s)[i] - at[i]) < 1e-9);
}

/* the root of f between a and b, where it changes its sign */
static double root(double (*f)(double x), double a, double b)
{
    const double sign = f(a);
    for (int i = 0; i < 200; i++) {
        const double c = 0.5 * (a + b);
        *(f(c) * sign > 0 ? &a : &b) = c;
    }
    return 0.5 * (a + b);
}

/* ------------------------------------------------------------------ closed forms */

static double pendulum_torque(double q) { return -2 * 9.81 * 0.5 * cos(q) - 3 * (q - 0.4); }

static void pendulum_with_a_spring(void **state)
{
    static const char *const formulation[] = {"hdca", "dca", "massmatrix", "connection"};
    clv_model *m = read("cleave: 1\n"
                        "gravity: [0, -9.81, 0]\n"
                        "bodies: {rod: {mass: 2, com: [0.5, 0, 0], inertia: [0.01, 0.17, 0.17]}}\n"
                        "joints: {p: {kind: revolute, a: {body: ground}, b: {body: rod}}}\n"
                        "forces: {s: {kind: joint-load, joint: p, stiffness: 3, rest: 0.4, damping: 0.1, "
                        "friction: 0.2}}\n"
                        "start: {joints: {p: {q: 0.3, u: 5}}}\n");
    (void)state;
    for (int i = 0; i < 4; i++) {
        clv_sim *s = start(m, formulation[i]);
        clv_equilibrium e;
        const double q = root(pendulum_torque, -PI / 2, 0);
        double kinetic, potential, work, before, after;
        clv_sim_energy(s, &kinetic, &potential, &work), before = kinetic + potential - work;
        OK(clv_sim_equilibrium(s, false, &e));
        clv_sim_energy(s, &kinetic, &potential, &work), after = kinetic + potential - work;
        assert_true(fabs(coordinate(s, 0) - q) < 1e-13);
        assert_int_equal(e.stability, CLV_STABLE);
        assert_true(fabs(e.stiffness - (3 - 9.81 * sin(q))) < 1e-7);
        assert_true(e.freedoms == 1 && e.residual < 1e-13 && e.acceleration < 1e-12 && kinetic == 0);
        assert_true(fabs(after - before) < 1e-12 * 10);
        assert_string_equal(e.joint, "p");
        stays(s, 1);
        clv_sim_destroy(s);
    }
    clv_model_destroy(m);
}

enum { LINKS = 24 };
static const double span = 1.7, length = 0.1;

/* half of the span that links with tan(angle k) = a (k - 1/2) have, k from the middle */
static double half_span(double a)
{
    double x = -0.5 * span;
    for (int k = 1; k <= LINKS / 2; k++)
        x += length / sqrt(1 + a * a * (k - 0.5) * (k - 0.5));
    return x;
}

/* Rods between two fixed points: moments about the joints of a rod give tan(angle) = mean vertical over horizontal
 * force. */
static void chain_is_a_discrete_catenary(void **state)
{
    static char text[20000];
    int n = snprintf(text, sizeof text, "cleave: 1\ngravity: [0, -9.81, 0]\nbodies:\n");
    (void)state;
    for (int i = 0; i < LINKS; i++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "  l%d: {mass: 0.2, com: [0.05, 0, 0], inertia: [1e-5, 1e-4, 1e-4]}\n", i);
    n += snprintf(text + n, sizeof text - (size_t)n,
                  "joints:\n  j0: {kind: revolute, a: {body: ground}, b: {body: l0}}\n");
    for (int i = 1; i < LINKS; i++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "  j%d: {kind: revolute, a: {body: l%d, position: [0.1, 0, 0]}, b: {body: l%d}}\n", i, i - 1, i);
    n += snprintf(text + n, sizeof text - (size_t)n,
                  "  end: {kind: revolute, a: {body: l%d, position: [0.1, 0, 0]}, b: {body: ground, position: [%g, 0, "
                  "0]}}\nstart:\n  joints:\n", LINKS - 1, span);
    for (int i = 0; i < LINKS; i++) /* an uneven zigzag, above the line */
        n += snprintf(text + n, sizeof text - (size_t)n, "    j%d: {q: %g}\n", i,
                      i == 0 ? 0.8 : i % 2 ? -1.5 : 1.4 + 0.01 * i);
    clv_model *m = read(text);
    clv_sim *s = start(m, "dca");
    clv_equilibrium e;
    OK(clv_sim_equilibrium(s, false, &e));
    assert_int_equal(e.stability, CLV_STABLE);
    assert_int_equal(e.freedoms, LINKS - 2);
    const double a = root(half_span, 1e-3, 1e3);
    double x = 0, y = 0;
    for (int i = 0; i < LINKS; i++) {
        const int k = i < LINKS / 2 ? LINKS / 2 - i : i - LINKS / 2 + 1;
        const double tangent = a * (k - 0.5) * (i < LINKS / 2 ? -1 : 1), c = 1 / sqrt(1 + tangent * tangent);
        assert_true(fabs(clv_sim_position(s)[3 * i] - (x + 0.5 * length * c)) < 1e-11);
        assert_true(fabs(clv_sim_position(s)[3 * i + 1] - (y + 0.5 * length * c * tangent)) < 1e-11);
        x += length * c, y += length * c * tangent;
    }
    clv_joint_result r; /* the horizontal force, w / a */
    OK(clv_sim_joint(s, 0, &r));
    assert_true(fabs(fabs(r.force[0]) - 0.2 * 9.81 / a) < 1e-9);
    clv_sim_destroy(s), clv_model_destroy(m);
}

static double parallelogram_torque(double q) { return -(1 * 0.2 + 2 * 0.4 + 1 * 0.2) * 9.81 * cos(q) - 9 * (q - 1); }

/* Two cranks of 0.4 m and a coupler; parallel axes, so rows of the loop are redundant. */
static void parallelogram_with_a_spring(void **state)
{
    clv_model *m = read("cleave: 1\n"
                        "gravity: [0, -9.81, 0]\n"
                        "bodies:\n"
                        "  one: {mass: 1, com: [0.2, 0, 0], inertia: [0.001, 0.01, 0.01]}\n"
                        "  bar: {mass: 2, com: [0.3, 0, 0], inertia: [0.001, 0.06, 0.06]}\n"
                        "  two: {mass: 1, com: [0.2, 0, 0], inertia: [0.001, 0.01, 0.01]}\n"
                        "joints:\n"
                        "  a: {kind: revolute, a: {body: ground}, b: {body: one}}\n"
                        "  b: {kind: revolute, a: {body: one, position: [0.4, 0, 0]}, b: {body: bar}}\n"
                        "  c: {kind: revolute, a: {body: bar, position: [0.6, 0, 0]}, "
                        "b: {body: two, position: [0.4, 0, 0]}}\n"
                        "  d: {kind: revolute, a: {body: ground, position: [0.6, 0, 0]}, b: {body: two}}\n"
                        "forces: {s: {kind: joint-load, joint: d, stiffness: 9, rest: 1}}\n"
                        "start: {joints: {a: {q: 0.9, u: 2}, b: {q: -0.9}, d: {q: 0.9}}}\n");
    clv_sim *s = start(m, "hdca");
    clv_equilibrium e;
    (void)state;
    OK(clv_sim_equilibrium(s, false, &e));
    assert_true(fabs(coordinate(s, 0) - root(parallelogram_torque, -1, 1)) < 1e-12);
    assert_true(e.stability == CLV_STABLE && e.freedoms == 1 && e.acceleration < 1e-11);
    stays(s, 0.5);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* A plate on three springs without length: by symmetry it hangs level, m g / 3 k below its anchors. */
static void platform_on_three_springs(void **state)
{
    clv_model *m = read("cleave: 1\n"
                        "bodies: {plate: {mass: 3, inertia: [0.1, 0.1, 0.2]}}\n"
                        "joints: {f: {kind: free, a: {body: ground}, b: {body: plate}}}\n"
                        "forces:\n"
                        "  s0: {kind: spring-damper, between: [ground, plate], "
                        "points: [[1, 0, 2], [0.4, 0, 0]], stiffness: 50}\n"
                        "  s1: {kind: spring-damper, between: [ground, plate], "
                        "points: [[-0.5, 0.8660254037844386, 2], [-0.2, 0.34641016151377546, 0]], stiffness: 50}\n"
                        "  s2: {kind: spring-damper, between: [ground, plate], "
                        "points: [[-0.5, -0.8660254037844386, 2], [-0.2, -0.34641016151377546, 0]], stiffness: 50}\n"
                        "start: {joints: {f: {q: [0.3, -0.2, 1, 0.8, 0.36, -0.48, 0], u: [1, 2, 3, 4, 5, 6]}}}\n");
    clv_sim *s = start(m, "dca");
    clv_equilibrium e;
    (void)state;
    OK(clv_sim_equilibrium(s, false, &e));
    assert_true(e.stability == CLV_STABLE && e.freedoms == 6);
    const double *r = clv_sim_position(s), *q = clv_sim_quaternion(s);
    assert_true(fabs(r[0]) < 1e-12 && fabs(r[1]) < 1e-12 && fabs(r[2] - (2 - 3 * 9.81 / 150)) < 1e-12);
    assert_true(fabs(q[1]) < 1e-12 && fabs(q[2]) < 1e-12 && fabs(q[3]) < 1e-12);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* A mass falls 3 m onto a stop: k d^1.5 = m g.  Without forces beside gravity there is no stiffness on the way. */
static void mass_on_a_stop(void **state)
{
    clv_model *m = read("cleave: 1\n"
                        "bodies: {mass: {mass: 2, inertia: [1, 1, 1]}}\n"
                        "joints: {z: {kind: prismatic, a: {body: ground}, b: {body: mass}}}\n"
                        "forces: {s: {kind: joint-load, joint: z, lower: -3, stop_stiffness: 5000, "
                        "stop_exponent: 1.5}}\n");
    clv_sim *s = start(m, "dca");
    clv_equilibrium e;
    (void)state;
    OK(clv_sim_equilibrium(s, false, &e));
    assert_true(fabs(coordinate(s, 0) + 3 + pow(2 * 9.81 / 5000, 2 / 3.0)) < 1e-12);
    assert_int_equal(e.stability, CLV_STABLE);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* A clamped beam under its weight: its modes hold the static sag w l^4 / 8 EI. */
static void beam_under_its_weight(void **state)
{
    clv_model *m = read("cleave: 1\n"
                        "gravity: [0, -9.81, 0]\n"
                        "bodies:\n"
                        "  beam: {flexible: {beam: {length: 1, density: 2700, young: 7e10, rectangle: [0.02, 0.02], "
                        "modes: {bend_y: 4, bend_z: 4}}}}\n"
                        "joints: {a: {kind: fixed, a: {body: ground}, b: {body: beam}}}\n"
                        "markers: {tip: {body: beam.tip, position: [0, 0, 0]}}\n");
    clv_sim *s = start(m, "dca");
    clv_equilibrium e;
    (void)state;
    OK(clv_sim_equilibrium(s, false, &e));
    assert_true(e.stability == CLV_STABLE && e.freedoms == 8);
    const double sag = 2700 * 9.81 * 4e-4 / (8 * 7e10 * pow(0.02, 4) / 12);
    assert_true(fabs(-clv_sim_marker(s)[1] / sag - 1) < 1e-12);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* ------------------------------------------------------------------ kinds */

#define PENDULUM(q)                                                                                                    \
    "cleave: 1\n"                                                                                                      \
    "gravity: [0, -9.81, 0]\n"                                                                                         \
    "bodies:\n"                                                                                                        \
    "  one: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"                                                   \
    "  two: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"                                                   \
    "joints:\n"                                                                                                        \
    "  a: {kind: revolute, a: {body: ground}, b: {body: one}}\n"                                                       \
    "  b: {kind: revolute, a: {body: one, position: [1, 0, 0]}, b: {body: two}}\n"                                     \
    "start: {joints: {a: {q: " q "}}}\n"

static void upright_stays_and_is_named(void **state)
{
    clv_model *m = read(PENDULUM("90 deg"));
    clv_sim *s = start(m, "dca");
    clv_equilibrium e;
    (void)state;
    OK(clv_sim_equilibrium(s, false, &e));
    assert_true(e.stability == CLV_UNSTABLE && e.unstable == 2 && e.iterations == 0);
    assert_true(fabs(coordinate(s, 0) - PI / 2) < 1e-12);
    assert_true(e.stiffness < 0 && e.joint[0] != 0);
    OK(clv_sim_equilibrium(s, true, &e));
    assert_true(e.stability == CLV_STABLE && e.unstable == 0);
    assert_true(fabs(fabs(remainder(coordinate(s, 0), 2 * PI)) - PI / 2) < 1e-12);
    assert_true(clv_sim_position(s)[1] < 0 && fabs(remainder(coordinate(s, 1), 2 * PI)) < 1e-12);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* A balanced wheel has no stiffness; a rod beside it has. */
static void neutral_directions_are_counted(void **state)
{
    clv_model *m = read("cleave: 1\n"
                        "gravity: [0, -9.81, 0]\n"
                        "bodies:\n"
                        "  rod: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
                        "  wheel: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
                        "joints:\n"
                        "  a: {kind: revolute, a: {body: ground}, b: {body: rod}}\n"
                        "  w: {kind: revolute, a: {body: rod, position: [1, 0, 0]}, b: {body: wheel}}\n");
    clv_sim *s = start(m, "dca");
    clv_equilibrium e;
    (void)state;
    OK(clv_sim_equilibrium(s, false, &e));
    assert_true(e.stability == CLV_NEUTRAL && e.neutral == 1 && e.freedoms == 2);
    assert_string_equal(e.joint, "w");
    assert_true(fabs(coordinate(s, 0) + PI / 2) < 1e-12 && coordinate(s, 1) == 0);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* ------------------------------------------------------------------ what has none */

/* Two scissors, one upon the other, sink until their bars are in line. There the table and the bars can turn apart from
 * each other, which no position on the way allows: at rest in one of these directions is not at rest. */
static void a_folded_scissor_hangs_in_all_directions(void **state)
{
    clv_model *m = read("cleave: 1\ngravity: [0, -9.81, 0]\n"
                        "bodies:\n"
                        "  a1: {mass: 1, inertia: [0.01, 0.09, 0.09]}\n"
                        "  b1: {mass: 1, inertia: [0.01, 0.09, 0.09]}\n"
                        "  a2: {mass: 1, inertia: [0.01, 0.09, 0.09]}\n"
                        "  b2: {mass: 1, inertia: [0.01, 0.09, 0.09]}\n"
                        "  top: {mass: 5, inertia: [0.1, 0.5, 0.5]}\n"
                        "joints:\n"
                        "  g1: {kind: revolute, a: {body: ground}, b: {body: a1, position: [-0.5, 0, 0]}}\n"
                        "  x1: {kind: revolute, a: {body: a1}, b: {body: b1}}\n"
                        "  s1: {kind: point-on-curve, a: {body: ground}, b: {body: b1, position: [0.5, 0, 0]},\n"
                        "    curve: [[-2, 0, 0], [-1, 0, 0], [1, 0, 0], [2, 0, 0]]}\n"
                        "  p1: {kind: revolute, a: {body: a1, position: [0.5, 0, 0]},\n"
                        "    b: {body: b2, position: [0.5, 0, 0]}}\n"
                        "  p2: {kind: revolute, a: {body: b1, position: [-0.5, 0, 0]},\n"
                        "    b: {body: a2, position: [-0.5, 0, 0]}}\n"
                        "  x2: {kind: revolute, a: {body: a2}, b: {body: b2}}\n"
                        "  t1: {kind: revolute, a: {body: b2, position: [-0.5, 0, 0]},\n"
                        "    b: {body: top, position: [-0.4, 0, 0]}}\n"
                        "  t2: {kind: point-on-curve, a: {body: top}, b: {body: a2, position: [0.5, 0, 0]},\n"
                        "    curve: [[-2, 0, 0], [-1, 0, 0], [1, 0, 0], [2, 0, 0]]}\n"
                        "forces:\n"
                        "  cylinder: {kind: spring-damper, between: [ground, top], stiffness: 800, length: 0.5}\n"
                        "start: {joints: {g1: {q: 0.6}, x1: {q: -1.2}}}\n");
    clv_sim *s = start(m, "dca");
    clv_equilibrium e;
    (void)state;
    OK(clv_sim_equilibrium(s, false, &e));
    assert_int_equal(e.stability, CLV_STABLE);
    assert_int_equal(e.freedoms, 3);
    assert_true(e.acceleration < 1e-9);
    clv_sim_destroy(s), clv_model_destroy(m);
}

static void refused(const char *text, const char *joint, const char *what)
{
    clv_model *m = read(text);
    clv_sim *s = start(m, "dca");
    clv_equilibrium e;
    double at[3], speed[6];
    memcpy(at, clv_sim_position(s), sizeof at), memcpy(speed, clv_sim_velocity(s), sizeof speed);
    assert_int_equal(clv_sim_equilibrium(s, false, &e), CLV_ERR_NO_CONVERGENCE);
    assert_string_equal(clv_sim_error(s)->joint, joint);
    assert_non_null(strstr(clv_sim_error(s)->message, what));
    assert_memory_equal(at, clv_sim_position(s), sizeof at); /* nothing has changed */
    assert_memory_equal(speed, clv_sim_velocity(s), sizeof speed);
    OK(clv_sim_advance(s, 0.01));
    clv_sim_destroy(s), clv_model_destroy(m);
}

static void what_nothing_holds_is_named(void **state)
{
    (void)state;
    refused("cleave: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
            "joints: {z: {kind: prismatic, a: {body: ground}, b: {body: b}}}\nstart: {joints: {z: {u: 2}}}\n",
            "z", "nothing holds");
    refused("cleave: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n", "b", "nothing holds");
    refused("cleave: 1\ngravity: [0, -9.81, 0]\n"
            "bodies: {b: {mass: 1, com: [0.1, 0, 0], inertia: [1, 1, 1]}}\n"
            "joints: {w: {kind: revolute, a: {body: ground}, b: {body: b}}}\n"
            "forces: {d: {kind: joint-load, joint: w, drive: 3}}\n",
            "w", "nothing holds");
}

/* The drive is weaker than the weight: the arm rests where they balance, by the input of the moment. */
static void inputs_count_with_their_values(void **state)
{
    clv_model *m = read("cleave: 1\ngravity: [0, -9.81, 0]\n"
                        "bodies: {b: {mass: 1, com: [0.1, 0, 0], inertia: [1, 1, 1]}}\n"
                        "joints: {w: {kind: revolute, a: {body: ground}, b: {body: b}}}\n"
                        "inputs: {t: {joint: w}}\n");
    clv_sim *s = start(m, "dca");
    (void)state;
    OK(clv_sim_set_input(s, 0, 0.5));
    OK(clv_sim_equilibrium(s, false, NULL));
    assert_true(fabs(coordinate(s, 0) + acos(0.5 / 0.981)) < 1e-12);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* Joints that motions prescribe stay where they are, and move on as the motions say. */
static void motions_are_held(void **state)
{
    clv_model *m = read(PENDULUM("0.3") "motions: {drive: {joint: a, offset: 0.3, rate: 2}}\n");
    clv_sim *s = start(m, "dca");
    clv_equilibrium e;
    clv_joint_result r;
    (void)state;
    OK(clv_sim_equilibrium(s, false, &e));
    assert_true(e.freedoms == 1 && e.stability == CLV_STABLE && isnan(e.acceleration));
    assert_true(coordinate(s, 0) == 0.3 && fabs(coordinate(s, 1) + PI / 2 + 0.3) < 1e-12);
    OK(clv_sim_joint(s, 0, &r));
    assert_true(r.u[0] == 2);
    clv_sim_destroy(s), clv_model_destroy(m);
}

static void absolute_formulations_are_refused(void **state)
{
    clv_model *m = read(PENDULUM("0.3"));
    clv_sim *s = start(m, "aldca");
    (void)state;
    assert_int_equal(clv_sim_equilibrium(s, false, NULL), CLV_ERR_USAGE);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* ------------------------------------------------------------------ natural frequencies */

/* Two equal links hanging: M = [[a + m l^2, m l c], [m l c, a]], K = g diag(m c + m l, m c) in absolute angles. */
static void double_pendulum_has_its_frequencies(void **state)
{
    clv_model *m = read(PENDULUM("-80 deg") "forces: {d: {kind: joint-load, joint: a, damping: 0.01}}\n");
    clv_sim *s = start(m, "hdca");
    clv_natural_mode mode[2], one;
    int count;
    const double a = 0.1 + 0.25, M11 = a + 1, M12 = 0.5, M22 = a, K1 = 9.81 * 1.5, K2 = 9.81 * 0.5;
    const double A = M11 * M22 - M12 * M12, B = M11 * K2 + M22 * K1, root_of = sqrt(B * B - 4 * A * K1 * K2);
    (void)state;
    OK(clv_sim_equilibrium(s, false, NULL));
    OK(clv_sim_natural_modes(s, mode, 2, &count));
    assert_int_equal(count, 2);
    for (int i = 0; i < 2; i++) {
        const double square = (B + (i ? root_of : -root_of)) / (2 * A), w = sqrt(square);
        const double shape = (K1 - square * M11) / (square * M12); /* second absolute angle over the first */
        const double damping = 0.01 / (M11 + 2 * M12 * shape + M22 * shape * shape) / (2 * w);
        assert_true(fabs(mode[i].frequency - w / (2 * PI)) < 1e-8);
        assert_true(fabs(mode[i].damping / damping - 1) < 1e-6);
        assert_string_equal(mode[i].joint[0], fabs(shape - 1) > 1 ? "b" : "a");
        const double beside = fabs(shape - 1) > 1 ? 1 / fabs(shape - 1) : fabs(shape - 1);
        assert_true(fabs(mode[i].part[1] - beside) < 1e-6 && mode[i].part[0] == 1 && mode[i].joint[2][0] == 0);
    }
    OK(clv_sim_natural_modes(s, &one, 1, NULL));
    assert_true(one.frequency == mode[0].frequency);
    stays(s, 0.5);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* Frequencies of a clamped beam are those of its modes; of a parallelogram those of a mass on a spring. */
static void loops_and_beams_have_their_frequencies(void **state)
{
    clv_model *m = read("cleave: 1\n"
                        "gravity: [0, -9.81, 0]\n"
                        "bodies:\n"
                        "  one: {mass: 1, com: [0.2, 0, 0], inertia: [0.001, 0.01, 0.01]}\n"
                        "  bar: {mass: 2, com: [0.3, 0, 0], inertia: [0.001, 0.06, 0.06]}\n"
                        "  two: {mass: 1, com: [0.2, 0, 0], inertia: [0.001, 0.01, 0.01]}\n"
                        "joints:\n"
                        "  a: {kind: revolute, a: {body: ground}, b: {body: one}}\n"
                        "  b: {kind: revolute, a: {body: one, position: [0.4, 0, 0]}, b: {body: bar}}\n"
                        "  c: {kind: revolute, a: {body: bar, position: [0.6, 0, 0]}, "
                        "b: {body: two, position: [0.4, 0, 0]}}\n"
                        "  d: {kind: revolute, a: {body: ground, position: [0.6, 0, 0]}, b: {body: two}}\n"
                        "forces: {s: {kind: joint-load, joint: d, stiffness: 9, rest: 1}}\n"
                        "start: {joints: {a: {q: 0.9}, b: {q: -0.9}, d: {q: 0.9}}}\n");
    clv_sim *s = start(m, "dca");
    clv_natural_mode mode[8];
    int count;
    (void)state;
    OK(clv_sim_equilibrium(s, false, NULL));
    OK(clv_sim_natural_modes(s, mode, 8, &count));
    assert_int_equal(count, 1);
    const double q = coordinate(s, 0), K = 9 - 1.2 * 9.81 * sin(q), M = 2 * (0.01 + 0.04) + 2 * 0.16;
    assert_true(fabs(mode[0].frequency - sqrt(K / M) / (2 * PI)) < 1e-8);
    clv_sim_destroy(s), clv_model_destroy(m);
    m = read("cleave: 1\n"
             "bodies:\n"
             "  beam: {flexible: {beam: {length: 1, density: 2700, young: 7e10, rectangle: [0.02, 0.03], "
             "modes: {bend_y: 3, bend_z: 3}}, damping_ratio: 0.02}}\n"
             "joints: {a: {kind: fixed, a: {body: ground}, b: {body: beam}}}\n");
    s = start(m, "dca");
    OK(clv_sim_equilibrium(s, false, NULL));
    OK(clv_sim_natural_modes(s, mode, 8, &count));
    assert_int_equal(count, 6);
    /* Euler and Bernoulli: 1.8751, bending in both planes, by three shapes each */
    for (int i = 0; i < 2; i++) {
        const double h = i ? 0.03 : 0.02, w = 1.875104068711961 * 1.875104068711961 * sqrt(7e10 * h * h / 12 / 2700);
        assert_true(fabs(mode[i].frequency / (w / (2 * PI)) - 1) < 5e-4);
        assert_true(fabs(mode[i].damping - 0.02) < 1e-8);
        assert_string_equal(mode[i].joint[0], "beam");
    }
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* Upright: both directions grow; a free body has six frequencies of zero; a massless direction is named. */
static void frequencies_that_are_none(void **state)
{
    clv_model *m = read(PENDULUM("90 deg"));
    clv_sim *s = start(m, "dca");
    clv_natural_mode mode[6];
    int count;
    (void)state;
    OK(clv_sim_natural_modes(s, mode, 2, &count));
    assert_true(mode[0].frequency < 0 && mode[1].frequency < 0 && isnan(mode[0].damping));
    clv_sim_destroy(s), clv_model_destroy(m);
    m = read("cleave: 1\ngravity: [0, 0, 0]\nbodies: {b: {mass: 1, inertia: [1, 2, 3]}}\n");
    s = start(m, "dca");
    OK(clv_sim_natural_modes(s, mode, 6, &count));
    assert_int_equal(count, 6);
    for (int i = 0; i < 6; i++)
        assert_true(mode[i].frequency == 0);
    assert_int_equal(clv_sim_natural_modes(s, NULL, 6, &count), CLV_ERR_USAGE);
    clv_sim_destroy(s), clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_with_a_spring),
        cmocka_unit_test(chain_is_a_discrete_catenary),
        cmocka_unit_test(parallelogram_with_a_spring),
        cmocka_unit_test(platform_on_three_springs),
        cmocka_unit_test(mass_on_a_stop),
        cmocka_unit_test(beam_under_its_weight),
        cmocka_unit_test(upright_stays_and_is_named),
        cmocka_unit_test(neutral_directions_are_counted),
        cmocka_unit_test(a_folded_scissor_hangs_in_all_directions),
        cmocka_unit_test(what_nothing_holds_is_named),
        cmocka_unit_test(inputs_count_with_their_values),
        cmocka_unit_test(motions_are_held),
        cmocka_unit_test(absolute_formulations_are_refused),
        cmocka_unit_test(double_pendulum_has_its_frequencies),
        cmocka_unit_test(loops_and_beams_have_their_frequencies),
        cmocka_unit_test(frequencies_that_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
