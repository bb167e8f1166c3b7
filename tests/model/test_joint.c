/* SPDX-License-Identifier: Apache-2.0
 * The joint table against finite differences and its own algebra (T1), every kind, at random poses and motions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "math/rotation.h"
#include "math/sincos.h"
#include "model/keep.h"
#include "model/curve.h"
#include "model/joint.h"
#include "near.h"

#include <string.h>

static uint64_t seed = 1;
static double uniform(void) /* (-1, 1) */
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-52 - 1;
}
static void uniform3(double x[3])
{
    for (int i = 0; i < 3; i++)
        x[i] = uniform();
}
static void random_rotation(double R[9])
{
    double e[4];
    for (int i = 0; i < 4; i++)
        e[i] = uniform();
    clv_quat_normalize(e);
    clv_quat_rotation(R, e);
}
static void random_coordinates(clv_joint_kind kind, double q[7])
{
    for (int i = 0; i < clv_joint_table[kind].nq; i++)
        q[i] = 1.4 * uniform();
    clv_joint_normalize(kind, q);
}
static clv_joint random_joint(clv_joint_kind kind)
{
    static const double ring[15] = {2, 0, 0.3, 0, 2, -0.2, -2, 0.1, 0.4, -1, -2, 0, 1, -1.5, -0.5};
    static clv_curve *curve;
    static clv_joint_more more = {.pitch = 0.37, .distance = 1.3, .radius = 0.6};
    if (!curve)
        curve = clv_curve_create(ring, 5, true);
    more.curve = curve;
    return (clv_joint){.kind = kind, .more = &more};
}

/* Two frames that move with constant twists; b's point relative to a's. */
typedef struct two {
    double Ea[9], Eb[9], d[3], wa[3], wb[3], dv[3];
} two;

static void turned(double R[9], const double w[3], double t, const double R0[9])
{
    double phi[3] = {t * w[0], t * w[1], t * w[2]}, e[4], turn[9];
    clv_quat_exp(e, phi);
    clv_quat_rotation(turn, e);
    clv_mat3_product(R, turn, R0);
}
static clv_joint_place place_at(const two *s, double t)
{
    clv_joint_place at;
    turned(at.Ea, s->wa, t, s->Ea);
    turned(at.Eb, s->wb, t, s->Eb);
    clv_copy3(at.d, s->d);
    clv_axpy3(at.d, t, s->dv);
    clv_copy3(at.wa, s->wa), clv_copy3(at.wb, s->wb), clv_copy3(at.dv, s->dv);
    return at;
}
/* On the manifold (coordinates q), with any motion. */
static two random_two(const clv_joint *j, const double q[7])
{
    two s;
    double R[9], d[3];
    random_rotation(s.Ea);
    clv_joint_table[j->kind].pose(j, q, R, d);
    if (j->kind == CLV_JOINT_POINT || j->kind == CLV_JOINT_DISTANCE || j->kind == CLV_JOINT_POINT_ON_CURVE ||
        clv_joint_velocity_rows(j->kind) > 0)
        random_rotation(R);
    clv_mat3_product(s.Eb, s.Ea, R);
    clv_mat3_times(s.d, s.Ea, d);
    if (j->kind == CLV_JOINT_DISTANCE) {
        uniform3(s.d);
        double n = clv_norm3(s.d);
        for (int i = 0; i < 3; i++)
            s.d[i] *= j->more->distance / n;
    }
    if (j->kind == CLV_JOINT_POINT_ON_CURVE) { /* the place next to any point */
        clv_curve_place near;
        double x[3];
        uniform3(x);
        clv_curve_nearest(j->more->curve, x, &near);
        clv_mat3_times(s.d, s.Ea, near.c);
    }
    if (clv_joint_rolls(j->kind)) { /* the contact point in the plane */
        clv_joint_place at = {.d = {0, 0, 0}};
        double c[3], z[3];
        memcpy(at.Ea, s.Ea, sizeof at.Ea), memcpy(at.Eb, s.Eb, sizeof at.Eb);
        clv_joint_table[j->kind].violation(j, &at, c);
        clv_mat3_column(z, s.Ea, 2);
        uniform3(s.d);
        clv_axpy3(s.d, -c[0] - clv_dot3(s.d, z), z);
    }
    uniform3(s.wa), uniform3(s.wb), uniform3(s.dv);
    return s;
}
/* V_b - V_a at b's point */
static void relative_velocity(double V[6], const two *s)
{
    double swept[3];
    clv_cross(swept, s->wa, s->d);
    clv_sub3(V, s->dv, swept);
    clv_sub3(V + 3, s->wb, s->wa);
}

typedef void each_kind(const clv_joint *j, const clv_joint_row *row);
static void for_every_kind(each_kind *test)
{
    seed = 7;
    for (int kind = 0; kind < CLV_JOINT_KINDS; kind++)
        for (int trial = 0; trial < 20; trial++) {
            clv_joint j = random_joint((clv_joint_kind)kind);
            test(&j, &clv_joint_table[kind]);
        }
}

static void orthonormal(const clv_joint *j, const clv_joint_row *row)
{
    double q[7] = {0}, H[36], D[36], G[36];
    random_coordinates(j->kind, q);
    two s = random_two(j, q);
    clv_joint_place at = place_at(&s, 0);
    row->basis(j, &at, H, D);
    clv_joint_dual(j, H, G);
    if (clv_joint_rolls(j->kind)) /* forces at the contact point, seen from the middle of the body */
        for (int i = 0; i < row->nc; i++)
            for (int k = 0; k < row->nc; k++)
                CLV_NEAR(clv_dot3(D + 6 * i, D + 6 * k), i == k, 1e-14);
    for (int i = 0; i < row->nc && !clv_joint_rolls(j->kind); i++) {
        for (int k = 0; k < row->nc; k++)
            CLV_NEAR(clv_dot6(D + 6 * i, D + 6 * k), i == k, 1e-14);
        for (int k = 0; k < row->nu; k++) {
            CLV_NEAR(clv_dot6(D + 6 * i, H + 6 * k), 0, 1e-14);
            CLV_NEAR(clv_dot6(D + 6 * i, G + 6 * k), 0, 1e-14);
        }
    }
    for (int i = 0; i < row->nu; i++)
        for (int k = 0; k < row->nu; k++)
            CLV_NEAR(clv_dot6(H + 6 * i, G + 6 * k), i == k, 1e-14);
    if (row->tree)
        assert_int_equal(row->nu + row->nc, 6);
}
static void free_and_constrained_directions_are_orthonormal(void **state)
{
    (void)state;
    for_every_kind(orthonormal);
}

static void violation_zero_and_rate(const clv_joint *j, const clv_joint_row *row)
{
    double q[7] = {0}, H[36], D[36], V[6], before[6], after[6], c[6], h = 1e-5;
    random_coordinates(j->kind, q);
    two s = random_two(j, q);
    clv_joint_place at = place_at(&s, 0), m = place_at(&s, -h), p = place_at(&s, h);
    row->basis(j, &at, H, D);
    row->violation(j, &at, c);
    row->violation(j, &m, before);
    row->violation(j, &p, after);
    relative_velocity(V, &s);
    for (int i = 0; i < row->nc; i++) {
        CLV_NEAR(c[i], 0, 1e-14);
        if (i >= row->nc - clv_joint_velocity_rows(j->kind)) /* no function of the position */
            continue;
        CLV_NEAR((after[i] - before[i]) / (2 * h), clv_dot6(D + 6 * i, V), 2e-9);
    }
}
static void violation_rate_is_constrained_velocity(void **state)
{
    (void)state;
    for_every_kind(violation_zero_and_rate);
}

/* Also off the manifold: closing joints are always a little open. */
static void column_rates(const clv_joint *j, const clv_joint_row *row)
{
    double q[7] = {0}, H0[36], D0[36], H1[36], D1[36], Hdot[36], Ddot[36], h = 1e-5;
    random_coordinates(j->kind, q);
    two s = random_two(j, q);
    double gap[3] = {0.02 * uniform(), 0.02 * uniform(), 0.02 * uniform()}, tilted[9];
    turned(tilted, gap, 1, s.Eb);
    memcpy(s.Eb, tilted, sizeof tilted);
    clv_axpy3(s.d, 1, gap);
    clv_joint_place at = place_at(&s, 0), m = place_at(&s, -h), p = place_at(&s, h);
    row->basis(j, &m, H0, D0);
    row->basis(j, &p, H1, D1);
    row->rate(j, &at, Hdot, Ddot);
    for (int i = 0; i < 6 * row->nu; i++)
        CLV_NEAR((H1[i] - H0[i]) / (2 * h), Hdot[i], 2e-9);
    for (int i = 0; i < 6 * row->nc; i++)
        CLV_NEAR((D1[i] - D0[i]) / (2 * h), Ddot[i], 2e-9);
}
static void rates_match_finite_differences(void **state)
{
    (void)state;
    for_every_kind(column_rates);
}

/* Frame b from coordinates q on a moving frame a. */
static void carried(two *s, const clv_joint *j, const double q[7], const two *base, double t)
{
    double R[9], d[3];
    *s = *base;
    turned(s->Ea, base->wa, t, base->Ea);
    clv_joint_table[j->kind].pose(j, q, R, d);
    clv_mat3_product(s->Eb, s->Ea, R);
    clv_mat3_times(s->d, s->Ea, d);
}
static void velocity_of_coordinates(const clv_joint *j, const clv_joint_row *row)
{
    double q[7] = {0}, qdot[7] = {0}, before[7], after[7], u[6], H[36], D[36], turn[9], V[6], h = 1e-5;
    two now, m, p;
    if (!row->tree)
        return;
    random_coordinates(j->kind, q);
    for (int i = 0; i < 6; i++)
        u[i] = uniform();
    two base = random_two(j, q);
    clv_joint_qdot(j->kind, q, u, qdot);
    for (int i = 0; i < row->nq; i++)
        before[i] = q[i] - h * qdot[i], after[i] = q[i] + h * qdot[i];
    carried(&now, j, q, &base, 0);
    carried(&m, j, before, &base, -h);
    carried(&p, j, after, &base, h);
    clv_mat3_product_transpose(turn, p.Eb, m.Eb);
    clv_rotation_log(now.wb, turn);
    for (int i = 0; i < 3; i++)
        now.wb[i] /= 2 * h, now.dv[i] = (p.d[i] - m.d[i]) / (2 * h);
    relative_velocity(V, &now);
    clv_joint_place at = place_at(&now, 0);
    row->basis(j, &at, H, D);
    for (int i = 0; i < 6; i++) {
        double sum = 0;
        for (int k = 0; k < row->nu; k++)
            sum += H[6 * k + i] * u[k];
        CLV_NEAR(V[i], sum, 2e-9);
    }
}
static void free_directions_give_the_true_velocity(void **state)
{
    (void)state;
    for_every_kind(velocity_of_coordinates);
}

static void there_and_back(const clv_joint *j, const clv_joint_row *row)
{
    double q[7] = {0}, again[7] = {0}, R[9], d[3];
    if (!row->tree)
        return;
    random_coordinates(j->kind, q);
    if (j->kind == CLV_JOINT_HELICAL)
        q[0] *= 30;
    row->pose(j, q, R, d);
    row->coordinates(j, R, d, again);
    double sign = row->nq > row->nu && q[row->nu - 3] < 0 ? -1 : 1;
    for (int i = 0; i < row->nq; i++)
        CLV_NEAR(again[i], (i >= row->nu - 3 ? sign : 1) * q[i], 3e-14);
}
static void coordinates_invert_pose(void **state)
{
    (void)state;
    for_every_kind(there_and_back);
}

static void displaced(const clv_joint *j, const clv_joint_row *row)
{
    double q[7] = {0}, moved[7], u[6], step[6], qdot[7], h = 1e-6;
    random_coordinates(j->kind, q);
    memcpy(moved, q, sizeof q);
    for (int i = 0; i < 6; i++)
        u[i] = uniform(), step[i] = h * u[i];
    clv_joint_displace(j->kind, moved, step);
    clv_joint_qdot(j->kind, q, u, qdot);
    for (int i = 0; i < row->nq; i++)
        CLV_NEAR((moved[i] - q[i]) / h, qdot[i], 2e-6);
}
static void displacement_follows_qdot(void **state)
{
    (void)state;
    for_every_kind(displaced);
}

static void zero_pose_is_where_frames_coincide(void **state)
{
    (void)state;
    for (int kind = 0; kind < CLV_JOINT_KINDS; kind++) {
        clv_joint j = random_joint((clv_joint_kind)kind);
        double q[7] = {0}, R[9], d[3];
        clv_joint_zero(j.kind, q);
        clv_joint_table[kind].pose(&j, q, R, d);
        for (int i = 0; i < 9; i++)
            assert_true(R[i] == (i % 4 == 0));
        assert_true(d[0] == 0 && d[1] == 0 && d[2] == 0);
    }
}

static void screw_counts_its_turns(void **state)
{
    clv_joint j = {.kind = CLV_JOINT_HELICAL, .more = &(clv_joint_more){.pitch = 0.01}};
    const clv_joint_row *row = &clv_joint_table[j.kind];
    double q = 100.25 * 2 * CLV_PI, again, R[9], d[3], c[6];
    (void)state;
    row->pose(&j, &q, R, d);
    row->coordinates(&j, R, d, &again);
    CLV_NEAR(again, q, 1e-12);
    clv_joint_place at = {.Ea = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    memcpy(at.Eb, R, sizeof R);
    clv_copy3(at.d, d);
    row->violation(&j, &at, c);
    CLV_NEAR(c[4], 0, 1e-14);
    at.d[2] += 1e-4;
    row->violation(&j, &at, c);
    CLV_NEAR(c[4], 1e-4 / sqrt(1 + 1e-4), 1e-14);
}

static void dual_of_skewed_universal_axes(void **state)
{
    clv_joint j = {.kind = CLV_JOINT_UNIVERSAL, .more = &clv_joint_plain};
    clv_joint_place at = {.Ea = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .Eb = {0.8, -0.6, 0, 0.6, 0.8, 0, 0, 0, 1}};
    double H[12], D[24], G[12];
    (void)state;
    clv_joint_table[j.kind].basis(&j, &at, H, D);
    clv_joint_dual(&j, H, G);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            CLV_NEAR(clv_dot6(H + 6 * i, G + 6 * k), i == k, 1e-15);
}

/* A direction is a shift where it turns nothing. */
static void shifts_turn_nothing(void **state)
{
    (void)state;
    for (int kind = 0; kind < CLV_JOINT_KINDS; kind++) {
        const clv_joint j = random_joint((clv_joint_kind)kind);
        clv_joint_place at = {.d = {0.3, -0.4, 1.2}};
        double H[36] = {0}, D[36] = {0};
        random_rotation(at.Ea);
        memcpy(at.Eb, at.Ea, sizeof at.Eb);
        clv_joint_table[kind].basis(&j, &at, H, D);
        for (int c = 0; c < clv_joint_table[kind].nu; c++)
            assert_int_equal(clv_joint_shift((clv_joint_kind)kind, c), clv_dot3(H + 6 * c + 3, H + 6 * c + 3) < 1e-20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_and_constrained_directions_are_orthonormal),
        cmocka_unit_test(violation_rate_is_constrained_velocity),
        cmocka_unit_test(rates_match_finite_differences),
        cmocka_unit_test(free_directions_give_the_true_velocity),
        cmocka_unit_test(coordinates_invert_pose),
        cmocka_unit_test(displacement_follows_qdot),
        cmocka_unit_test(zero_pose_is_where_frames_coincide),
        cmocka_unit_test(screw_counts_its_turns),
        cmocka_unit_test(shifts_turn_nothing),
        cmocka_unit_test(dual_of_skewed_universal_axes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
