/* SPDX-License-Identifier: Apache-2.0
 * Rotations: matrix, quaternion and rotation vector agree both ways, also for tiny turns and half turns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "math/rotation.h"
#include "math/sincos.h"
#include "near.h"

#include <string.h>

static uint64_t seed = 3;
static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-52 - 1;
}

static void quaternion_and_matrix_agree(void **state)
{
    (void)state;
    for (int trial = 0; trial < 2000; trial++) {
        double e[4], f[4], R[9], S[9];
        for (int i = 0; i < 4; i++)
            e[i] = uniform() * (trial % 7 == i ? 1e-9 : 1); /* also near half turns, where w vanishes */
        clv_quat_normalize(e);
        clv_quat_rotation(R, e);
        clv_mat3_transpose_product(S, R, R);
        for (int i = 0; i < 9; i++)
            CLV_NEAR(S[i], i % 4 == 0, 2e-15);
        clv_quat_from_rotation(f, R);
        double sign = e[0] * f[0] + e[1] * f[1] + e[2] * f[2] + e[3] * f[3] < 0 ? -1 : 1;
        for (int i = 0; i < 4; i++)
            CLV_NEAR(sign * f[i], e[i], 2e-15);
        for (int i = 0; i < 4; i++)
            e[i] *= 3; /* the matrix does not depend on the length */
        clv_quat_rotation(S, e);
        for (int i = 0; i < 9; i++)
            CLV_NEAR(S[i], R[i], 2e-15);
    }
}

static void products_follow_matrices(void **state)
{
    (void)state;
    for (int trial = 0; trial < 100; trial++) {
        double a[4], b[4], c[4], A[9], B[9], C[9], AB[9], x[3], y[3], z[3];
        for (int i = 0; i < 4; i++)
            a[i] = uniform(), b[i] = uniform();
        for (int i = 0; i < 3; i++)
            x[i] = uniform();
        clv_quat_product(c, a, b);
        clv_quat_rotation(A, a), clv_quat_rotation(B, b), clv_quat_rotation(C, c);
        clv_mat3_product(AB, A, B);
        for (int i = 0; i < 9; i++)
            CLV_NEAR(C[i], AB[i], 4e-15);
        clv_mat3_times(y, A, x);
        clv_mat3_transpose_times(z, A, y);
        for (int i = 0; i < 3; i++)
            CLV_NEAR(z[i], x[i], 4e-15);
        clv_quat_conjugate(c, a);
        clv_quat_rotation(C, c);
        clv_mat3_product_transpose(AB, A, C); /* A A = A C^T */
        clv_mat3_product(B, A, A);
        for (int i = 0; i < 9; i++)
            CLV_NEAR(AB[i], B[i], 4e-15);
    }
}

static void rotation_vector_there_and_back(void **state)
{
    static const double size[] = {0, 1e-300, 1e-170, 1e-20, 1e-9, 1e-3, 0.5, 2, 3.1, 3.14159};
    (void)state;
    for (size_t k = 0; k < sizeof size / sizeof *size; k++)
        for (int trial = 0; trial < 50; trial++) {
            double phi[3], again[3], e[4], R[9], n;
            for (int i = 0; i < 3; i++)
                phi[i] = uniform();
            n = clv_norm3(phi);
            for (int i = 0; i < 3; i++)
                phi[i] *= size[k] / n;
            clv_quat_exp(e, phi);
            CLV_NEAR(clv_quat_norm(e), 1, 1e-15);
            clv_quat_log(again, e);
            for (int i = 0; i < 3; i++)
                CLV_NEAR(again[i], phi[i], 2e-15 * size[k]);
            clv_quat_rotation(R, e);
            clv_rotation_log(again, R);
            for (int i = 0; i < 3; i++)
                CLV_NEAR(again[i], phi[i], 1e-15 + 4e-15 * size[k]);
        }
}

static void turns_about_axes(void **state)
{
    (void)state;
    for (int axis = 0; axis < 3; axis++) {
        double unit[3] = {axis == 0, axis == 1, axis == 2}, longer[3], e[4], R[9], S[9];
        for (int i = 0; i < 3; i++)
            longer[i] = 5 * unit[i];
        clv_rotation_about(R, axis, 0.7);
        clv_quat_axis_angle(e, longer, 0.7);
        clv_quat_rotation(S, e);
        for (int i = 0; i < 9; i++)
            CLV_NEAR(R[i], S[i], 1e-15);
    }
}

static void frame_of_an_axis(void **state)
{
    double R[9], S[9], axis[3] = {0, 0, 2}, none[3] = {0, 0, 0}, along[3] = {0, 0, -1}, near[3] = {0, 1, 5};
    (void)state;
    assert_true(clv_rotation_frame(R, axis, none)); /* z up: the global frame */
    for (int i = 0; i < 9; i++)
        assert_true(R[i] == (i % 4 == 0));
    assert_false(clv_rotation_frame(R, axis, along));
    assert_false(clv_rotation_frame(R, none, none));
    assert_true(clv_rotation_frame(R, axis, near));
    CLV_NEAR(R[0], 0, 0), CLV_NEAR(R[3], 1, 0), CLV_NEAR(R[6], 0, 0);
    for (int trial = 0; trial < 100; trial++) {
        for (int i = 0; i < 3; i++)
            axis[i] = uniform();
        assert_true(clv_rotation_frame(R, axis, none));
        clv_mat3_transpose_product(S, R, R);
        for (int i = 0; i < 9; i++)
            CLV_NEAR(S[i], i % 4 == 0, 1e-15);
        CLV_NEAR(R[2] * clv_norm3(axis), axis[0], 1e-15);
        CLV_NEAR(R[0] * (R[4] * R[8] - R[5] * R[7]) - R[1] * (R[3] * R[8] - R[5] * R[6]) +
                     R[2] * (R[3] * R[7] - R[4] * R[6]),
                 1, 2e-15);
    }
}

static void principal_moments_of_a_turned_body(void **state)
{
    static const double moments[][3] = {{1, 2, 3}, {0, 1, 1}, {2, 2, 2}, {1e-9, 5, 5}, {-1, 0, 4}};
    (void)state;
    for (size_t k = 0; k < sizeof moments / sizeof *moments; k++)
        for (int trial = 0; trial < 20; trial++) {
            double e[4], R[9], J[9] = {0}, six[6], found[3];
            for (int i = 0; i < 4; i++)
                e[i] = uniform();
            clv_quat_rotation(R, e);
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    for (int l = 0; l < 3; l++)
                        J[3 * i + j] += R[3 * i + l] * moments[k][l] * R[3 * j + l];
            memcpy(six, (double[6]){J[0], J[4], J[8], J[1], J[2], J[5]}, sizeof six);
            clv_principal_moments(found, six);
            for (int i = 0; i < 3; i++)
                CLV_NEAR(found[i], moments[k][i], 1e-14);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quaternion_and_matrix_agree), cmocka_unit_test(products_follow_matrices),
        cmocka_unit_test(rotation_vector_there_and_back), cmocka_unit_test(turns_about_axes),
        cmocka_unit_test(frame_of_an_axis), cmocka_unit_test(principal_moments_of_a_turned_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
