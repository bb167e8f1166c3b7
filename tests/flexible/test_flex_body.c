/* SPDX-License-Identifier: Apache-2.0
 * Integrals of flexible bodies (T32.1): the kinetic energy they give against the sum over the points, rigid turns as
 * modes, symmetry, damping. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "math/rotation.h"
#include "flexible/flex_body.h"
#include "near.h"
#include "oracle/random_system.h"

enum { POINTS = 9, MODES = 4 };

typedef struct cloud {
    clv_flex_point point[POINTS];
    double shape[POINTS][6 * MODES];
} cloud;

static void random_cloud(random_stream *s, cloud *c)
{
    for (int p = 0; p < POINTS; p++) {
        double a[3];
        clv_flex_point *at = &c->point[p];
        *at = (clv_flex_point){.mass = random_uniform(s, 0.2, 2), .shape = c->shape[p]};
        for (int i = 0; i < 3; i++) {
            at->position[i] = random_normal(s);
            a[i] = random_normal(s);
        }
        for (int i = 0; i < 6; i++) /* two point masses at +- a */
            at->inertia[i] =
                (i < 3 ? clv_dot3(a, a) : 0) - a[(int[]){0, 1, 2, 0, 0, 1}[i]] * a[(int[]){0, 1, 2, 1, 2, 2}[i]];
        for (int i = 0; i < 6 * MODES; i++)
            c->shape[p][i] = random_normal(s);
    }
}

static void times(double y[3], const double J[6], const double x[3])
{
    const double full[9] = {J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2]};
    clv_mat3_times(y, full, x);
}

/* 1/2 sum m |v + w x (x + phi eta) + phi eta'|^2 + 1/2 (w + psi eta') . I (w + psi eta') */
static double energy_of_points(const cloud *c, const double v[3], const double w[3], const double *eta,
                               const double *rate)
{
    double T = 0;
    for (int p = 0; p < POINTS; p++) {
        const clv_flex_point *at = &c->point[p];
        double x[3], u[3], spin[3], Is[3];
        clv_copy3(x, at->position), clv_copy3(spin, w);
        for (int k = 0; k < MODES; k++) {
            clv_axpy3(x, eta[k], at->shape + 6 * k);
            clv_axpy3(spin, rate[k], at->shape + 6 * k + 3);
        }
        clv_cross(u, w, x);
        clv_axpy3(u, 1, v);
        for (int k = 0; k < MODES; k++)
            clv_axpy3(u, rate[k], at->shape + 6 * k);
        times(Is, at->inertia, spin);
        T += 0.5 * (at->mass * clv_dot3(u, u) + clv_dot3(spin, Is));
    }
    return T;
}

/* the same from mass, com, J, S, h, E, B, Mff (T32.2) */
static double energy_of_integrals(const clv_flex_body *b, const double v[3], const double w[3], const double *eta,
                                  const double *rate)
{
    const clv_flex *f = &b->flex;
    double J[9] = {b->J[0], b->J[3], b->J[4], b->J[3], b->J[1], b->J[5], b->J[4], b->J[5], b->J[2]};
    double first[3] = {0}, momentum[3] = {0}, spin[3] = {0}, Q[9] = {0}, T = 0.5 * b->mass * clv_dot3(v, v), cross[3],
           Jw[3];
    clv_axpy3(first, b->mass, b->com);
    for (int i = 0; i < 9; i++) /* Q = integral of x x^T: of the undeformed body by its com only, J is about com */
        Q[i] = b->mass * b->com[i / 3] * b->com[i % 3];
    for (int k = 0; k < f->nmode; k++) {
        clv_axpy3(first, eta[k], f->S + 3 * k);
        clv_axpy3(momentum, rate[k], f->S + 3 * k);
        clv_axpy3(spin, rate[k], f->h + 3 * k);
        for (int i = 0; i < 9; i++)
            Q[i] += eta[k] * (f->E[9 * k + i] + f->E[9 * k + 3 * (i % 3) + i / 3]);
        for (int l = 0; l < f->nmode; l++) {
            const double *B = f->B + 9 * (l * f->nmode + k);
            const double axial[3] = {B[5] - B[7], B[6] - B[2], B[1] - B[3]}; /* integral of phi_l x phi_k */
            clv_axpy3(spin, eta[l] * rate[k], axial);
            T += 0.5 * rate[k] * rate[l] * f->Mff[k * f->nmode + l];
            for (int i = 0; i < 9; i++)
                Q[i] += eta[k] * eta[l] * f->B[9 * (k * f->nmode + l) + i];
        }
    }
    for (int i = 0; i < 9; i++)
        J[i] += (i % 4 == 0 ? Q[0] + Q[4] + Q[8] : 0) - Q[i];
    clv_cross(cross, w, first);
    clv_mat3_times(Jw, J, w);
    return T + clv_dot3(v, cross) + clv_dot3(v, momentum) + 0.5 * clv_dot3(w, Jw) + clv_dot3(w, spin);
}

static void energy_of_integrals_is_that_of_points(void **state)
{
    (void)state;
    random_stream s = {3201};
    for (int trial = 0; trial < 50; trial++) {
        cloud c;
        clv_flex_body b;
        double v[3], w[3], eta[MODES] = {0}, rate[MODES] = {0};
        random_cloud(&s, &c);
        assert_true(clv_flex_body_open(&b, MODES, 0));
        clv_flex_body_sum(&b, c.point, POINTS);
        for (int i = 0; i < 3; i++)
            v[i] = random_normal(&s), w[i] = random_normal(&s);
        for (int k = 0; k < MODES; k++)
            eta[k] = random_normal(&s), rate[k] = random_normal(&s);
        double T = energy_of_points(&c, v, w, eta, rate);
        assert_true(T > 0);
        CLV_NEAR(energy_of_integrals(&b, v, w, eta, rate), T, 2e-14 * T);
        clv_flex_body_close(&b);
    }
}

/* Modes that turn the whole body about the origin: h and Mff are the inertia about the origin, S the first moment. */
static void rigid_turns_give_the_inertia(void **state)
{
    (void)state;
    random_stream s = {3202};
    cloud c;
    clv_flex_body b;
    random_cloud(&s, &c);
    for (int p = 0; p < POINTS; p++)
        for (int k = 0; k < MODES; k++) {
            double e[3] = {k == 0, k == 1, k == 2};
            clv_cross(c.shape[p] + 6 * k, e, c.point[p].position);
            clv_copy3(c.shape[p] + 6 * k + 3, e);
        }
    assert_true(clv_flex_body_open(&b, MODES, 0));
    clv_flex_body_sum(&b, c.point, POINTS);
    double moment[3] = {0}, J[6];
    clv_axpy3(moment, b.mass, b.com);
    for (int i = 0; i < 6; i++) {
        int row = (int[]){0, 1, 2, 0, 0, 1}[i], column = (int[]){0, 1, 2, 1, 2, 2}[i];
        J[i] = b.J[i] + b.mass * ((i < 3 ? clv_dot3(b.com, b.com) : 0) - b.com[row] * b.com[column]);
        CLV_NEAR(b.flex.h[3 * row + column], J[i], 1e-13 * fabs(J[0] + J[1]));
        CLV_NEAR(b.flex.h[3 * column + row], J[i], 1e-13 * fabs(J[0] + J[1]));
        CLV_NEAR(b.flex.Mff[MODES * row + column], J[i], 1e-13 * fabs(J[0] + J[1]));
    }
    for (int k = 0; k < 3; k++) {
        double e[3] = {k == 0, k == 1, k == 2}, expected[3];
        clv_cross(expected, e, moment);
        for (int i = 0; i < 3; i++)
            CLV_NEAR(b.flex.S[3 * k + i], expected[i], 1e-13 * (1 + fabs(expected[i])));
    }
    clv_flex_body_close(&b);
}

static void integrals_are_symmetric(void **state)
{
    (void)state;
    random_stream s = {3203};
    cloud c;
    clv_flex_body b;
    random_cloud(&s, &c);
    assert_true(clv_flex_body_open(&b, MODES, 0));
    clv_flex_body_sum(&b, c.point, POINTS);
    for (int k = 0; k < MODES; k++)
        for (int l = 0; l < MODES; l++) {
            assert_true(b.flex.Mff[MODES * k + l] == b.flex.Mff[MODES * l + k]);
            for (int i = 0; i < 9; i++)
                assert_true(b.flex.B[9 * (MODES * k + l) + i] == b.flex.B[9 * (MODES * l + k) + 3 * (i % 3) + i / 3]);
        }
    clv_flex_body_close(&b);
}

/* K, Mff full: every mode decays as its ratio says, C X = Mff X 2 zeta omega. */
static void damping_ratio_of_every_mode(void **state)
{
    (void)state;
    random_stream s = {3204};
    cloud c;
    clv_flex_body b;
    double scratch[4 * MODES * MODES], omega[MODES], A[MODES * MODES];
    random_cloud(&s, &c);
    assert_true(clv_flex_body_open(&b, MODES, 0));
    clv_flex_body_sum(&b, c.point, POINTS);
    for (int i = 0; i < MODES * MODES; i++)
        A[i] = random_normal(&s);
    for (int i = 0; i < MODES; i++)
        for (int j = 0; j < MODES; j++)
            for (int k = 0; k < MODES; k++)
                b.flex.K[i * MODES + j] += A[i * MODES + k] * A[j * MODES + k];
    assert_true(clv_flex_damp(&b.flex, 0.03, scratch));
    assert_true(clv_flex_frequencies(omega, &b.flex, scratch));
    /* C Mff^-1 C = 4 zeta^2 K */
    const double *X = scratch + 2 * MODES * MODES; /* Mff^-1 = X X^T */
    for (int i = 0; i < MODES; i++)
        for (int j = 0; j < MODES; j++) {
            double sum = 0;
            for (int k = 0; k < MODES; k++) {
                double a = 0, d = 0;
                for (int l = 0; l < MODES; l++)
                    a += b.flex.C[i * MODES + l] * X[l * MODES + k], d += b.flex.C[j * MODES + l] * X[l * MODES + k];
                sum += a * d;
            }
            CLV_NEAR(sum, 4 * 0.03 * 0.03 * b.flex.K[i * MODES + j], 1e-13);
        }
    assert_true(omega[0] > 0 && omega[0] < omega[MODES - 1]);
    memset(b.flex.Mff, 0, sizeof A);
    assert_false(clv_flex_frequencies(omega, &b.flex, scratch));
    clv_flex_body_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_of_integrals_is_that_of_points), cmocka_unit_test(rigid_turns_give_the_inertia),
        cmocka_unit_test(integrals_are_symmetric), cmocka_unit_test(damping_ratio_of_every_mode)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
