/* SPDX-License-Identifier: Apache-2.0
 * The built-in beam (T32.3) against closed forms: frequencies with a free tip, with a tip mass and a tip body, statics
 * of the tip, integrals of the reference pendulum, torsion constants; how fast each basis converges (T32.4). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "math/symmetric.h"
#include "flexible/flex_beam.h"
#include "near.h"

static const double pi = 3.14159265358979323846;
static const char *const tip[] = {"tip", "middle", "root"};

/* L = 2, 0.5 kg/m, E I = 40 N m^2 along y: the beam of the reference pendulum */
static clv_beam slender(int modes, bool clamped_free, const double *at)
{
    return (clv_beam){.length = 2,
                      .mass = 0.5,
                      .polar = 1e-4,
                      .stiffness = {40, 90, 3, 5e5},
                      .modes = {modes},
                      .clamped_free = clamped_free,
                      .nnode = 3,
                      .name = tip,
                      .at = at};
}
static const double stations[] = {2, 1, 0};

/* Root of f between a and b. */
static double root(double (*f)(double b, double p), double p, double a, double b)
{
    assert_true(f(a, p) * f(b, p) < 0);
    for (int k = 0; k < 200; k++) {
        double m = 0.5 * (a + b);
        if (f(a, p) * f(m, p) <= 0)
            b = m;
        else
            a = m;
    }
    return 0.5 * (a + b);
}
static double free_tip(double b, double p)
{
    return cos(b) + 1 / cosh(b) + 0 * p;
}
/* tip mass of p times the beam's */
static double loaded_tip(double b, double p)
{
    return 1 / cosh(b) + cos(b) + p * b * (cos(b) * tanh(b) - sin(b));
}

static void clamped_free_frequencies(void **state)
{
    (void)state;
    for (int n = 1; n <= CLV_BEAM_MOST; n++) {
        clv_beam beam = slender(n, true, stations);
        clv_flex_body b;
        assert_true(clv_beam_make(&b, &beam, 0));
        for (int k = 0; k < n; k++) {
            double bL = root(free_tip, 0, (k + 0.5) * pi - 0.4, (k + 0.5) * pi + 0.4);
            double square = bL * bL * bL * bL * 40 / 0.5 / 16;
            CLV_NEAR(b.flex.K[k * n + k], square, (k < 8 ? 1e-11 : 3e-9) * square);
            CLV_NEAR(fabs(b.flex.node[0].shape[6 * k + 1]), 2,
                     k < 8 ? 1e-9 : 1e-6); /* |phi(L)| = 2, whatever the mode */
        }
        CLV_NEAR(b.flex.limit, 0.3 * sqrt(b.flex.K[0]), 1e-13);
        clv_flex_body_close(&b);
    }
}

/* Frequencies with a mass at the tip: Mff + m phi phi^T. */
static void with_tip_mass(double *omega, const clv_flex_body *b, double m)
{
    double K[400], M[400], X[400];
    int n = b->flex.nmode;
    memcpy(K, b->flex.K, sizeof(double) * (size_t)(n * n));
    for (int i = 0; i < n * n; i++)
        M[i] = b->flex.Mff[i] + m * b->flex.node[0].shape[6 * (i / n) + 1] * b->flex.node[0].shape[6 * (i % n) + 1];
    assert_true(clv_pencil_eigen(omega, X, K, M, n));
    for (int i = 0; i < n; i++)
        omega[i] = sqrt(omega[i]);
}

/* Relative error of the first two frequencies, tip mass 5 times the beam's. */
static void loaded_errors(double error[2], int n, bool clamped_free)
{
    clv_beam beam = slender(n, clamped_free, stations);
    clv_flex_body b;
    double omega[CLV_BEAM_MOST];
    assert_true(clv_beam_make(&b, &beam, 0));
    with_tip_mass(omega, &b, 5);
    double first = root(loaded_tip, 5, 0.5, 1.8), second = root(loaded_tip, 5, 3.5, 4.6);
    error[0] = omega[0] / (first * first * sqrt(40 / 0.5) / 4) - 1;
    error[1] = n > 1 ? omega[1] / (second * second * sqrt(40 / 0.5) / 4) - 1 : NAN;
    clv_flex_body_close(&b);
}

static void craig_bampton_converges_under_load(void **state)
{
    (void)state;
    for (int n = 1; n <= 8; n++) {
        double free_error[2], held_error[2];
        loaded_errors(free_error, n, true);
        loaded_errors(held_error, n, false);
        assert_true(free_error[0] > -1e-10 && held_error[0] > -1e-10); /* from above: a part of all deflections */
        if (n >= 2)
            assert_true(held_error[0] < 0.05 * free_error[0] && held_error[0] < 1e-4);
        if (n >= 4)
            assert_true(held_error[1] < 0.05 * free_error[1] && held_error[1] < 2e-3);
    }
}

/* A force and a couple at the tip bend the beam by the formulas of every handbook, with two modes. */
static void statics_of_the_tip(void **state)
{
    (void)state;
    for (int n = 1; n <= 6; n++) {
        clv_beam beam = slender(n, false, stations);
        clv_flex_body b;
        assert_true(clv_beam_make(&b, &beam, 0));
        double shift = 0, turn = 0, by_couple = 0;
        for (int k = 0; k < n; k++) {
            const double *at = b.flex.node[0].shape + 6 * k;
            shift += at[1] * at[1] / b.flex.K[k * n + k];
            turn += at[5] * at[1] / b.flex.K[k * n + k];
            by_couple += at[5] * at[5] / b.flex.K[k * n + k];
        }
        CLV_NEAR(shift, 8 / (3 * 40.0), 1e-11);
        CLV_NEAR(turn, 4 / (2 * 40.0), 1e-11);
        if (n > 1)
            CLV_NEAR(by_couple, 2 / 40.0, 1e-11);
        for (int i = 0; i < 6 * n; i++)
            assert_true(b.flex.node[2].shape[i] == 0); /* the root is the frame */
        clv_flex_body_close(&b);
    }
}

/* A thin disc at the tip twists the shaft: w tan w = J_shaft / J_disc in units of the shaft. */
static double shaft(double w, double p)
{
    return w * sin(w) - p * cos(w);
}

static void twist_and_stretch(void **state)
{
    (void)state;
    clv_beam beam = slender(0, false, stations);
    clv_flex_body b;
    beam.modes[CLV_BEAM_TWIST] = 3, beam.modes[CLV_BEAM_STRETCH] = 2;
    assert_true(clv_beam_make(&b, &beam, 0));
    double disc = 4e-4, K[25], M[25], X[25], omega[5];
    memcpy(K, b.flex.K, sizeof K);
    for (int i = 0; i < 25; i++)
        M[i] = b.flex.Mff[i] + disc * b.flex.node[0].shape[6 * (i / 5) + 3] * b.flex.node[0].shape[6 * (i % 5) + 3];
    assert_true(clv_pencil_eigen(omega, X, K, M, 5));
    double expected = root(shaft, 0.5, 0.1, 1.5) / 2 * sqrt(3 / 1e-4);
    assert_true(sqrt(omega[0]) > expected);
    CLV_NEAR(sqrt(omega[0]), expected, 5e-5 * expected);
    beam.clamped_free = true;
    clv_flex_body_close(&b);
    assert_true(clv_beam_make(&b, &beam, 0));
    for (int k = 0; k < 3; k++)
        CLV_NEAR(sqrt(b.flex.K[k * 6]), (k + 0.5) * pi / 2 * sqrt(3 / 1e-4), 1e-8);
    for (int k = 0; k < 2; k++)
        CLV_NEAR(sqrt(b.flex.K[(k + 3) * 6]), (k + 0.5) * pi / 2 * sqrt(5e5 / 0.5), 1e-8);
    CLV_NEAR(b.flex.h[0], 1e-4 / sqrt(1e-4 * 2) * 2 * sqrt(2) * 2 / pi, 1e-12); /* integral of polar theta */
    CLV_NEAR(b.J[0], 2e-4, 1e-17);
    assert_true(b.flex.limit == 0); /* nothing bends */
    clv_flex_body_close(&b);
}

/* reference/flexible: c = int phi dm, d = int (a + x) phi dm with the beam beginning at a = 0.1 */
static void integrals_of_the_reference_pendulum(void **state)
{
    (void)state;
    static const double c[] = {0.7829917560396257, 0.4339358951107202}, d[] = {1.2159506630237842, 0.22492716328384746},
                        K[] = {61.81181684163093, 2427.5940925668524};
    clv_beam beam = slender(2, true, stations);
    clv_flex_body b;
    assert_true(clv_beam_make(&b, &beam, 0.01));
    CLV_NEAR(b.mass, 1, 1e-14);
    CLV_NEAR(b.com[0], 1, 1e-14);
    CLV_NEAR(b.J[1], 4.0 / 12, 1e-14);
    for (int k = 0; k < 2; k++) {
        double sign = k == 1 ? -1 : 1; /* there phi_2(L) = -2, here tips move along +y */
        CLV_NEAR(b.flex.S[3 * k + 1], sign * c[k], 1e-12);
        CLV_NEAR(b.flex.h[3 * k + 2] + 0.1 * b.flex.S[3 * k + 1], sign * d[k], 1e-12);
        CLV_NEAR(b.flex.E[9 * k + 1], b.flex.h[3 * k + 2], 1e-14);
        CLV_NEAR(b.flex.K[3 * k], K[k], 1e-10 * K[k]);
        CLV_NEAR(b.flex.C[3 * k], 0.02 * sqrt(K[k]), 1e-11);
        CLV_NEAR(b.flex.B[9 * 3 * k + 4], 1, 1e-11);
    }
    clv_flex_body_close(&b);
}

static void torsion_constants(void **state)
{
    (void)state;
    CLV_NEAR(clv_beam_rectangle(1, 1).It, 0.1405770149, 1e-9); /* Timoshenko and Goodier: 0.1406, 0.2287, 0.3123 */
    CLV_NEAR(clv_beam_rectangle(2, 1).It, 2 * 0.2286816, 1e-6);
    CLV_NEAR(clv_beam_rectangle(0.1, 1).It, 0.001 * 0.3123, 1e-7);
    CLV_NEAR(clv_beam_rectangle(0.2, 0.5).Iz, 0.5 * 0.008 / 12, 1e-17);
    CLV_NEAR(clv_beam_tube(1, 0).It, pi / 2, 1e-15);
    CLV_NEAR(clv_beam_tube(2, 1).Iy, pi / 4 * 15, 1e-13);
}

/* Modes go to the lowest frequencies. */
static void sharing(void **state)
{
    (void)state;
    clv_beam beam = slender(0, false, stations);
    clv_beam_share(&beam, 5); /* 7.86, 11.8, 49.3, 73.9, 136: twist at 136 */
    assert_int_equal(beam.modes[0], 2);
    assert_int_equal(beam.modes[1], 2);
    assert_int_equal(beam.modes[2], 1);
    assert_int_equal(beam.modes[3], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(clamped_free_frequencies),
                                       cmocka_unit_test(craig_bampton_converges_under_load),
                                       cmocka_unit_test(statics_of_the_tip),
                                       cmocka_unit_test(twist_and_stretch),
                                       cmocka_unit_test(integrals_of_the_reference_pendulum),
                                       cmocka_unit_test(torsion_constants),
                                       cmocka_unit_test(sharing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
