/* SPDX-License-Identifier: Apache-2.0
 * Directional and adjoint derivatives of units (T67): closed forms of a pendulum, a loop beside differences of its own
 * rates, versions 2.0 and 3.0, and that they change no bit of what follows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include "near.h"
#include "tests/fmu/instance.h"

typedef fmi3Status derivative(void *, const uint32_t *, size_t, const uint32_t *, size_t, const double *, size_t,
                              double *, size_t);

static const char pendulum[] = "cleave: 1\n"
                               "gravity: [0, -9.81, 0]\n"
                               "bodies: {rod: {mass: 2, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n"
                               "joints: {a: {kind: revolute, a: {body: ground}, b: {body: rod}}}\n"
                               "forces: {d: {kind: joint-load, joint: a, damping: 0.7}}\n"
                               "inputs: {torque: {joint: a, limit: 20, value: 1}}\n"
                               "markers: {tip: {body: rod, position: [1, 0, 0]}}\n"
                               "start: {joints: {a: {q: 0.4, u: 1.5}}}\n";
enum { TIME, TORQUE, X, Y, Z, Q, UDOT, STATE_Q, STATE_U, WORK, DER_Q, DER_U, POWER };
static const char *const words[] = {"--outputs", "a.q,a.udot,tip.position", "--formulation", "dca", NULL};

static void open_pendulum(fixture *f, bool exchange)
{
    memset(f, 0, sizeof *f);
    assert_true(make_unit(&f->unit, "cleave_fmu_directional", pendulum, 3, words));
    f->c = calls_of(f->unit.library);
    f->u = exchange ? f->c.create_exchange("one", f->unit.token, f->unit.resources, false, false, &f->said, note)
                    : create(f, f->unit.token);
    assert_non_null(f->u);
    begin(f, f->u);
}

#define near(a, b) CLV_NEAR(a, b, 1e-9 * fmax(1, fabs((double)(b))))

/* J q'' = torque - c u - m g a cos q */
static void test_pendulum(void **state)
{
    const double J = 0.1 + 2 * 0.25, weight = 2 * 9.81 * 0.5, q = 0.4;
    const uint32_t unknown[4] = {DER_U, DER_Q, Y, UDOT}, known[3] = {STATE_Q, STATE_U, TORQUE};
    double to[4], back[3];
    fixture f;
    derivative *directional, *adjoint;
    (void)state;
    open_pendulum(&f, true);
    find(f.unit.library, "fmi3GetDirectionalDerivative", &directional);
    find(f.unit.library, "fmi3GetAdjointDerivative", &adjoint);
    const double seed[3] = {1, 0, 0}, rate[3] = {0, 2, 0}, torque[3] = {0, 0, 3}, all[3] = {1, 2, 3};
    assert_int_equal(directional(f.u, unknown, 4, known, 3, seed, 3, to, 4), fmi3OK);
    near(to[0], weight * sin(q) / J), near(to[1], 0), near(to[2], cos(q)), near(to[3], weight * sin(q) / J);
    assert_int_equal(directional(f.u, unknown, 4, known, 3, rate, 3, to, 4), fmi3OK);
    near(to[0], -2 * 0.7 / J), near(to[1], 2), near(to[2], 0);
    assert_int_equal(directional(f.u, unknown, 4, known, 3, torque, 3, to, 4), fmi3OK);
    near(to[0], 3 / J), near(to[1], 0), near(to[2], 0);
    assert_int_equal(directional(f.u, unknown, 4, known, 3, all, 3, to, 4), fmi3OK);
    near(to[0], (weight * sin(q) - 2 * 0.7 + 3) / J);
    const double weights[4] = {1, 10, 100, 0};
    assert_int_equal(adjoint(f.u, unknown, 4, known, 3, weights, 4, back, 3), fmi3OK);
    near(back[0], weight * sin(q) / J + 100 * cos(q)), near(back[1], -0.7 / J + 10), near(back[2], 1 / J);
    assert_true(get(&f, f.u, STATE_Q) == 0.4 && get(&f, f.u, STATE_U) == 1.5); /* the state stays */
    near(get(&f, f.u, DER_U), (1 - 0.7 * 1.5 - weight * cos(q)) / J);
    f.c.drop(f.u);
    drop_unit(&f.unit);
}

/* in co-simulation inputs act on outputs; what follows has the same bits */
static void test_steps(void **state)
{
    const uint32_t unknown[2] = {Q, UDOT}, known = TORQUE;
    const double one = 1;
    double to[2];
    fixture f;
    derivative *directional;
    (void)state;
    open_pendulum(&f, false);
    void *other = create(&f, f.unit.token);
    begin(&f, other);
    find(f.unit.library, "fmi3GetDirectionalDerivative", &directional);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(step(&f, f.u, 0.05 * i, 0.05), fmi3OK);
        assert_int_equal(step(&f, other, 0.05 * i, 0.05), fmi3OK);
        assert_int_equal(directional(f.u, unknown, 2, &known, 1, &one, 1, to, 2), fmi3OK);
        near(to[0], 0), near(to[1], 1 / 0.6);
        assert_true(get(&f, f.u, Q) == get(&f, other, Q) && get(&f, f.u, UDOT) == get(&f, other, UDOT));
    }
    const uint32_t a_state = STATE_Q;
    assert_int_equal(directional(f.u, unknown, 2, &a_state, 1, &one, 1, to, 2), fmi3Error); /* not the importer's */
    f.c.drop(f.u), f.c.drop(other);
    drop_unit(&f.unit);
}

static void test_mistakes(void **state)
{
    const uint32_t unknown[1] = {DER_U}, known[1] = {STATE_Q}, far = 99, output = Q, time = TIME;
    double one = 1, to[1];
    fixture f;
    derivative *d, *adjoint;
    (void)state;
    open_pendulum(&f, true);
    find(f.unit.library, "fmi3GetDirectionalDerivative", &d),
        find(f.unit.library, "fmi3GetAdjointDerivative", &adjoint);
    assert_int_equal(d(NULL, unknown, 1, known, 1, &one, 1, to, 1), fmi3Error);
    assert_int_equal(d(f.u, unknown, 1, known, 1, &one, 2, to, 1), fmi3Error);
    assert_int_equal(d(f.u, NULL, 1, known, 1, &one, 1, to, 1), fmi3Error);
    assert_int_equal(d(f.u, unknown, 1, known, 1, NULL, 1, to, 1), fmi3Error);
    assert_int_equal(d(f.u, &far, 1, known, 1, &one, 1, to, 1), fmi3Error);
    assert_int_equal(d(f.u, unknown, 1, &far, 1, &one, 1, to, 1), fmi3Error);
    assert_int_equal(d(f.u, known, 1, known, 1, &one, 1, to, 1), fmi3Error); /* a state is no unknown */
    assert_int_equal(d(f.u, unknown, 1, &output, 1, &one, 1, to, 1), fmi3Error);
    one = NAN;
    assert_int_equal(d(f.u, unknown, 1, known, 1, &one, 1, to, 1), fmi3Error);
    assert_int_equal(adjoint(f.u, unknown, 1, known, 1, &one, 1, to, 2), fmi3Error);
    one = 0;
    assert_int_equal(d(f.u, unknown, 1, known, 1, &one, 1, to, 1), fmi3OK);
    assert_true(to[0] == 0);
    one = 1;
    assert_int_equal(d(f.u, unknown, 1, &time, 1, &one, 1, to, 1), fmi3OK); /* nothing depends on it here */
    near(to[0], 0);
    assert_int_equal(d(f.u, unknown, 0, known, 1, &one, 1, to, 0), fmi3OK);
    f.c.drop(f.u);
    drop_unit(&f.unit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pendulum), cmocka_unit_test(test_steps),
                                       cmocka_unit_test(test_mistakes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
