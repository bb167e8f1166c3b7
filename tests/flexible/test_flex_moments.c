/* SPDX-License-Identifier: Apache-2.0
 * Second moments from mass matrices (T33.4) against the integrals along the elements they were made of: beams of any
 * direction, corners, and matrices that act on shifts alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "math/lapack.h"
#include "math/rotation.h"
#include "flexible/flex_integrals.h"
#include "near.h"

enum { MOST = 40, DOF = 6 * MOST, MODES = 4 };

typedef struct grid {
    int nnode;
    double x[3 * MOST], K[DOF * DOF], M[DOF * DOF], V[MODES * DOF];
    double E[MODES * 9], B[MODES * MODES * 9]; /* by integration */
} grid;
static grid g;

static double random_number(void)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (double)(state >> 11) / 4503599627370496.0 - 1;
}

/* rows: axes of the element */
static void axes(double Q[9], const double a[3], const double b[3])
{
    double t[3], y[3], z[3], up[3] = {0.3, -0.5, 0.8};
    clv_sub3(t, b, a);
    for (int i = 0; i < 3; i++)
        Q[i] = t[i] / clv_norm3(t);
    if (fabs(Q[2]) < 1e-12)
        up[0] = up[1] = 0;
    clv_cross(y, up, Q);
    for (int i = 0; i < 3; i++)
        Q[3 + i] = y[i] / clv_norm3(y);
    clv_cross(z, Q, Q + 3);
    memcpy(Q + 6, z, sizeof z);
}

/* shapes of the 12 local dof at s in [0, 1]: shift (3 x 12) */
static void shapes(double N[36], double s, double h)
{
    double H[4] = {1 - 3 * s * s + 2 * s * s * s, h * (s - 2 * s * s + s * s * s), 3 * s * s - 2 * s * s * s,
                   h * (s * s * s - s * s)};
    memset(N, 0, 36 * sizeof *N);
    N[0] = 1 - s, N[6] = s;
    N[12 + 1] = H[0], N[12 + 5] = H[1], N[12 + 7] = H[2], N[12 + 11] = H[3];
    N[24 + 2] = H[0], N[24 + 4] = -H[1], N[24 + 8] = H[2], N[24 + 10] = -H[3];
}

static const double point[4] = {0.06943184420297371, 0.33000947820757187, 0.6699905217924281, 0.9305681557970263},
                    weight[4] = {0.17392742256872692, 0.32607257743127307, 0.32607257743127307, 0.17392742256872692};

/* an element between two nodes: EA 500, EI 3 and 5, GI 2, 0.7 kg/m, polar 1e-3 kg m */
static void add_element(int a, int b)
{
    const int n = 6 * g.nnode, node[2] = {a, b};
    double Q[9], d[3], K[144] = {0}, M[144] = {0}, N[36];
    clv_sub3(d, g.x + 3 * b, g.x + 3 * a);
    double h = clv_norm3(d), h3 = h * h * h;
    axes(Q, g.x + 3 * a, g.x + 3 * b);
    for (int p = 0; p < 4; p++) {
        shapes(N, point[p], h);
        for (int i = 0; i < 12; i++)
            for (int k = 0; k < 12; k++)
                for (int c = 0; c < 3; c++)
                    M[12 * i + k] += 0.7 * h * weight[p] * N[12 * c + i] * N[12 * c + k];
    }
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            double sign = i == k ? 1 : -1;
            K[12 * 6 * i + 6 * k] = 500 / h * sign, K[12 * (6 * i + 3) + 6 * k + 3] = 2 / h * sign;
            M[12 * (6 * i + 3) + 6 * k + 3] = 1e-3 * h / (i == k ? 3 : 6);
        }
    const int dof[2][4] = {{1, 5, 7, 11}, {2, 4, 8, 10}};
    for (int plane = 0; plane < 2; plane++)
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < 4; k++) {
                const double k4[16] = {12,  6 * h,  -12, 6 * h,  6 * h, 4 * h * h, -6 * h, 2 * h * h,
                                       -12, -6 * h, 12,  -6 * h, 6 * h, 2 * h * h, -6 * h, 4 * h * h};
                double sign = plane && (i + k) % 2 ? -1 : 1;
                K[12 * dof[plane][i] + dof[plane][k]] = sign * (plane ? 5 : 3) / h3 * k4[4 * i + k];
            }
    for (int i = 0; i < 12; i++)
        for (int k = 0; k < 12; k++)
            for (int c = 0; c < 3; c++)
                for (int e = 0; e < 3; e++) {
                    size_t at = (size_t)(6 * node[i / 6] + 3 * (i % 6 / 3) + c) * (size_t)n +
                                (size_t)(6 * node[k / 6] + 3 * (k % 6 / 3) + e);
                    g.K[at] += Q[3 * (i % 3) + c] * K[12 * i + k] * Q[3 * (k % 3) + e];
                    g.M[at] += Q[3 * (i % 3) + c] * M[12 * i + k] * Q[3 * (k % 3) + e];
                }
}

/* E and B of the element, body axes R about `about` */
static void integrate(int a, int b, const double R[9], const double about[3])
{
    const int node[2] = {a, b};
    double Q[9], d[3], N[36], phi[MODES][3];
    clv_sub3(d, g.x + 3 * b, g.x + 3 * a);
    double h = clv_norm3(d);
    axes(Q, g.x + 3 * a, g.x + 3 * b);
    for (int p = 0; p < 4; p++) {
        double at[3], x[3], m = 0.7 * h * weight[p];
        shapes(N, point[p], h);
        for (int i = 0; i < 3; i++)
            at[i] = g.x[3 * a + i] + point[p] * d[i] - about[i];
        clv_mat3_transpose_times(x, R, at);
        for (int k = 0; k < MODES; k++) {
            double local[3] = {0}, global[3];
            for (int i = 0; i < 12; i++) {
                double v = clv_dot3(Q + 3 * (i % 3),
                                    g.V + (size_t)k * 6 * (size_t)g.nnode + 6 * node[i / 6] + 3 * (i % 6 / 3));
                for (int c = 0; c < 3; c++)
                    local[c] += N[12 * c + i] * v;
            }
            clv_mat3_transpose_times(global, Q, local);
            clv_mat3_transpose_times(phi[k], R, global);
        }
        for (int k = 0; k < MODES; k++)
            for (int i = 0; i < 9; i++) {
                g.E[9 * k + i] += m * x[i / 3] * phi[k][i % 3];
                for (int l = 0; l < MODES; l++)
                    g.B[9 * (MODES * k + l) + i] += m * phi[k][i / 3] * phi[l][i % 3];
            }
    }
}

/* errors of the symmetric part of E and of B, over their largest entries */
static void compare(const double q[4], double *E, double *B)
{
    clv_fe_interface frame = {.name = "root", .orientation = {q[0], q[1], q[2], q[3]}, .node = (int[1]){0}, .nnode = 1};
    memcpy(frame.position, g.x, sizeof frame.position);
    static const char *const name[MOST] = {"root"};
    clv_fe fe = {
        .nnode = g.nnode, .position = g.x, .name = name, .K = g.K, .M = g.M, .interface = &frame, .ninterface = 1};
    clv_flex_body b;
    clv_error error;
    clv_error_clear(&error);
    assert_true(clv_flex_body_open(&b, MODES, 0));
    if (clv_fe_integrals(&b, &fe, g.V, &error) != CLV_OK)
        fail_msg("%s", error.message);
    double most[2] = {0}, off[2] = {0};
    for (int k = 0; k < MODES; k++)
        for (int i = 0; i < 9; i++) {
            int t = 3 * (i % 3) + i / 3;
            const double *e = b.flex.E + 9 * k, *exact = g.E + 9 * k;
            most[0] = fmax(most[0], fabs(exact[i] + exact[t]));
            off[0] = fmax(off[0], fabs(e[i] + e[t] - exact[i] - exact[t]));
        }
    for (int i = 0; i < 9 * MODES * MODES; i++)
        most[1] = fmax(most[1], fabs(g.B[i])), off[1] = fmax(off[1], fabs(b.flex.B[i] - g.B[i]));
    *E = off[0] / most[0], *B = off[1] / most[1];
    clv_flex_body_close(&b);
}

/* a chain of n elements to each of the corners; fields: smooth (n -> infinity is a limit), small enough that no product
 * is scaled */
static void chain(const double (*corner)[3], int ncorner, int n, const double q[4], int smooth, double *E, double *B)
{
    double R[9];
    memset(&g, 0, sizeof g);
    clv_quat_rotation(R, q);
    g.nnode = (ncorner - 1) * n + 1;
    assert_true(g.nnode <= MOST);
    for (int p = 0; p < g.nnode; p++) {
        int leg = p / n < ncorner - 1 ? p / n : ncorner - 2;
        for (int i = 0; i < 3; i++)
            g.x[3 * p + i] = corner[leg][i] + (corner[leg + 1][i] - corner[leg][i]) * (p - leg * n) / n;
    }
    for (int p = 0; p + 1 < g.nnode; p++)
        add_element(p, p + 1);
    for (int k = 0; k < MODES; k++)
        for (int p = 0; p < g.nnode; p++)
            for (int i = 0; i < 3; i++) {
                /* u = c_k (a.x)^2 + sin(b.x) d, turn = curl u / 2 along the legs: smooth, clamped nowhere */
                double *v = g.V + (size_t)k * 6 * (size_t)g.nnode + 6 * p;
                v[i] = 0.3 * random_number(), v[3 + i] = 0.3 * random_number();
            }
    if (smooth)
        for (int k = 0; k < MODES; k++)
            for (int p = 0; p < g.nnode; p++) {
                double s = (double)p / n, d[3], t[3], *v = g.V + (size_t)k * 6 * (size_t)g.nnode + 6 * p, slope[3];
                int leg = p / n < ncorner - 1 ? p / n : ncorner - 2;
                clv_sub3(d, corner[leg + 1], corner[leg]);
                double L = clv_norm3(d);
                for (int i = 0; i < 3; i++) {
                    double w = 1 + 0.7 * k + 0.4 * i;
                    t[i] = d[i] / L, v[i] = 0.3 * (1 - cos(w * s)), slope[i] = 0.3 * w * sin(w * s) / L;
                }
                double axial = smooth > 1 ? clv_dot3(t, v) : 0;
                clv_axpy3(v, -axial, t);
                clv_cross(v + 3, t, slope); /* of this leg: the field of the next begins with its own */
            }
    for (int p = 0; p + 1 < g.nnode; p++)
        integrate(p, p + 1, R, g.x);
    compare(q, E, B);
}

static const double straight[4] = {1, 0, 0, 0}, turned[4] = {0.9, 0.3, -0.2, 0.24};
static const double along_x[2][3] = {{0.1, 0.2, 0.3}, {2.1, 0.2, 0.3}},
                    oblique[2][3] = {{0.1, 0.2, 0.3}, {1.3, 1.6, -0.2}};
static const double legs[3][3] = {{0, 0, 0}, {1, 0, 0}, {1, 0.8, 0.3}};

static void unit(double q[4], const double x[4])
{
    double n = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
    for (int i = 0; i < 4; i++)
        q[i] = x[i] / n;
}

static void moments_of_a_straight_beam_are_exact(void **state)
{
    (void)state;
    double q[4], E, B;
    unit(q, turned);
    for (int k = 0; k < 4; k++) {
        chain(k % 2 ? oblique : along_x, 2, 5, k / 2 ? q : straight, false, &E, &B);
        printf("  straight, random fields: E %.1e, B %.1e\n", E, B);
        assert_true(E < 1e-8);
    }
}

static void products_converge(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const double (*corner)[3];
        int ncorner, field;
        bool turned;
        double least; /* factor of the error by half the length of elements */
    } row[4] = {{"along a body axis, across", along_x, 2, 2, false, 6},
                {"along a body axis", along_x, 2, 1, false, 3.3},
                {"oblique", oblique, 2, 1, true, 3.3},
                {"two legs", legs, 3, 1, false, 3.3}};
    double q[4], before[4][2] = {{0}};
    unit(q, turned);
    for (int n = 4; n <= 16; n *= 2)
        for (int c = 0; c < 4; c++) {
            double E, B;
            chain(row[c].corner, row[c].ncorner, n, row[c].turned ? q : straight, row[c].field, &E, &B);
            printf("  %2d elements, %-26s E %.1e, B %.1e\n", n, row[c].name, E, B);
            if (n == 16)
                assert_true(B * row[c].least < before[c][1]);
            if (n == 16 && row[c].corner == legs)
                assert_true(E * row[c].least < before[c][0]);
            before[c][0] = E, before[c][1] = B;
        }
}

/* solid elements, or particles: every block of M is a multiple of 1 on shifts; rotary inertia apart */
static void matrices_on_shifts_are_exact(void **state)
{
    (void)state;
    double q[4], R[9], E, B, mu[36], L[36];
    const int n = g.nnode = 6, N = 36;
    unit(q, turned);
    clv_quat_rotation(R, q);
    memset(&g, 0, sizeof g);
    g.nnode = n;
    for (int i = 0; i < 3 * n; i++)
        g.x[i] = random_number();
    for (int i = 0; i < n * n; i++)
        L[i] = random_number() * 0.5;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            mu[n * i + k] = i == k;
            for (int j = 0; j < n; j++)
                mu[n * i + k] += L[n * i + j] * L[n * k + j];
            for (int d = 0; d < 3; d++)
                g.M[(6 * i + d) * N + 6 * k + d] = mu[n * i + k], g.K[(6 * i + d) * N + 6 * k + d] = i == k ? 2 : 0.1;
            if (i == k)
                g.M[(6 * i + 4) * N + 6 * k + 4] = 0.05;
        }
    for (int i = 0; i < MODES * N; i++)
        g.V[i] = 0.05 * random_number();
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++)
            for (int k = 0; k < MODES; k++) {
                double d[3], x[3], u[3], v[3];
                clv_sub3(d, g.x + 3 * a, g.x);
                clv_mat3_transpose_times(x, R, d);
                clv_mat3_transpose_times(u, R, g.V + k * N + 6 * b);
                for (int i = 0; i < 9; i++)
                    g.E[9 * k + i] += mu[n * a + b] * x[i / 3] * u[i % 3];
                for (int l = 0; l < MODES; l++) {
                    clv_mat3_transpose_times(v, R, g.V + l * N + 6 * a);
                    for (int i = 0; i < 9; i++)
                        g.B[9 * (MODES * k + l) + i] += mu[n * a + b] * u[i / 3] * v[i % 3];
                }
            }
    compare(q, &E, &B);
    printf("  on shifts: E %.1e, B %.1e\n", E, B);
    assert_true(E < 1e-12 && B < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_of_a_straight_beam_are_exact),
        cmocka_unit_test(products_converge),
        cmocka_unit_test(matrices_on_shifts_are_exact),
    };
    if (!clv_lapack_present()) {
        printf("no LAPACK: skipped\n");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
