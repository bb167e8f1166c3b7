/* SPDX-License-Identifier: Apache-2.0
 * Contacts inside bores (T147): farthest and nearest points of ellipses, depths against points of edges all round,
 * journals that lie parallel or tilted, mouths, bottoms, and what is not inside. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "math/ellipse.h"
#include "math/rotation.h"
#include "model/apart.h"
#include "model/bore.h"
#include "near.h"

enum { ROUND = 20000 };
static const double PI = 3.141592653589793;

static uint64_t seed = 147;
static double random_number(double low, double high)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * ((double)(seed >> 11) / 9007199254740992.0);
}

static clv_solid bore(double R, double length, int closed)
{
    return (clv_solid){
        .kind = CLV_SHAPE_BORE, .size = {R, 1.5 * R, length}, .E = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .closed = closed};
}

/* inside, its axis turned by `tilt` about `about` */
static clv_solid inside(clv_shape_kind kind, double r, double length, const double about[3], double tilt)
{
    clv_solid s = {.kind = kind, .size = {r, length, 0}};
    double e[4];
    clv_quat_axis_angle(e, about, tilt);
    clv_quat_rotation(s.E, e);
    return s;
}

static double deepest(const clv_solid *a, const clv_solid *b)
{
    clv_touch x[CLV_TOUCH_POINTS];
    double most = 0;
    for (int k = 0, n = clv_touch_find(a, b, x); k < n; k++)
        most = fmax(most, x[k].depth);
    return most;
}

/* ------------------------------------------------------------------ ellipses */

static double far_from_origin(const double middle[2], double r, double k, double c, double s)
{
    return hypot(middle[0] + r * c, middle[1] + k * r * s);
}

static void ellipses_have_their_points_where_sampling_finds_them(void **state)
{
    (void)state;
    int two = 0;
    for (int i = 0; i < 300; i++) {
        const double r = random_number(0.1, 2), k = i % 10 == 0 ? 1 : i % 10 == 1 ? 0 : random_number(0, 1);
        const double size = i % 3 == 0 ? 0.1 : 1, phi = random_number(0, 2 * PI), part = random_number(0, 0.99);
        const double middle[2] = {i % 7 == 0 ? 0 : size * part * r * cos(phi),
                                  i % 11 == 0 ? 0 : size * k * part * r * sin(phi)};
        double far[2][2], near[2][2], most = 0, least = INFINITY;
        two += clv_ellipse_farthest(far, middle, r, k) == 2;
        two += clv_ellipse_nearest(near, middle, r, k) == 2;
        for (int j = 0; j < ROUND; j++) {
            const double d = far_from_origin(middle, r, k, cos(2 * PI * j / ROUND), sin(2 * PI * j / ROUND));
            most = fmax(most, d), least = fmin(least, d);
        }
        CLV_NEAR(hypot(far[0][0], far[0][1]), 1, 1e-15);
        CLV_NEAR(far_from_origin(middle, r, k, far[0][0], far[0][1]), most, 1e-6 * r);
        assert_true(far_from_origin(middle, r, k, far[0][0], far[0][1]) >= most - 1e-14);
        if (k > 0.01) {
            CLV_NEAR(far_from_origin(middle, r, k, near[0][0], near[0][1]), least, 1e-4 * r);
            assert_true(far_from_origin(middle, r, k, near[0][0], near[0][1]) <= least + 1e-14);
        }
    }
    assert_true(two > 50);
}

/* Second points are extremal: neighbours are nearer, or farther. */
static void second_points_of_ellipses_are_extremal(void **state)
{
    (void)state;
    int two = 0;
    for (int i = 0; i < 400; i++) {
        const double k = random_number(0, 0.9), middle[2] = {random_number(-0.2, 0.2), random_number(-0.2, 0.2) * k};
        double way[2][2];
        for (int nearest = 0; nearest < 2; nearest++) {
            if ((nearest ? clv_ellipse_nearest : clv_ellipse_farthest)(way, middle, 1, k) < 2)
                continue;
            const double at = atan2(way[1][1], way[1][0]), sign = nearest ? -1 : 1;
            const double own = far_from_origin(middle, 1, k, cos(at), sin(at));
            for (int side = -1; side <= 1; side += 2)
                assert_true(
                    sign * (own - far_from_origin(middle, 1, k, cos(at + 1e-3 * side), sin(at + 1e-3 * side))) >= 0);
            two++;
        }
    }
    assert_true(two > 50);
}

/* ------------------------------------------------------------------ depths */

/* Depth by points all round the ends of the cylinder that are in the hole, and the edges of the mouths beside it. */
static double sampled(const clv_solid *a, const clv_solid *b)
{
    double most = 0, axis[3], u[3], v[3];
    const double R = a->size[0], l = 0.5 * a->size[2], r = b->size[0], half = 0.5 * b->size[1];
    clv_mat3_column(u, b->E, 0), clv_mat3_column(v, b->E, 1), clv_mat3_column(axis, b->E, 2);
    for (int side = -1; side <= 1; side += 2)
        for (int j = 0; j < ROUND; j++) {
            const double c = cos(2 * PI * j / ROUND), s = sin(2 * PI * j / ROUND), x[3] = {R * c, R * s, side * l};
            double y[3], line[3];
            clv_copy3(y, b->at);
            clv_axpy3(y, side * half, axis), clv_axpy3(y, r * c, u), clv_axpy3(y, r * s, v);
            if (fabs(y[2]) <= l)
                most = fmax(most, hypot(y[0], y[1]) - R);
            clv_sub3(line, x, b->at);
            const double along = clv_dot3(line, axis);
            clv_axpy3(line, -along, axis);
            if (fabs(along) <= half)
                most = fmax(most, r - clv_norm3(line));
        }
    return most;
}

static void cylinders_have_the_depth_of_their_edges(void **state)
{
    (void)state;
    int touching = 0, tested = 0; /* at larger angles edges cross elsewhere */
    while (tested < 300) {
        const double R = 0.1, r = random_number(0.5, 0.99) * R, clearance = R - r;
        const double length = random_number(0.5, 4) * R, L = random_number(0.5, 4) * R, phi = random_number(0, 2 * PI);
        const double shorter = fmin(length, L), about[3] = {cos(phi), sin(phi), 0};
        const clv_solid a = bore(R, L, 0);
        clv_solid b =
            inside(CLV_SHAPE_CYLINDER, r, length, about, fmin(random_number(0, 3) * clearance / shorter, 0.3));
        for (int i = 0; i < 2; i++)
            b.at[i] = random_number(-0.9, 0.9) * clearance;
        b.at[2] = random_number(-0.3, 0.3) * (L + length);
        const double depth = deepest(&a, &b), reference = sampled(&a, &b);
        if (reference > 0.3 * clearance) /* an axis may be in the wall */
            continue;
        tested++, touching += depth > 0;
        CLV_NEAR(depth, reference, 2e-2 * fmax(depth, reference) + 1e-6 * R);
    }
    assert_true(touching > 60);
}

/* The change of the depth is the motion along the normal: so forces have a potential. */
static void depths_change_along_their_normals(void **state)
{
    (void)state;
    int tested = 0;
    for (int i = 0; tested < 200 && i < 20000; i++) {
        const double R = 0.1, r = 0.095, h = 1e-8, L = 0.3, phi = random_number(0, 2 * PI),
                     about[3] = {cos(phi), sin(phi), 0};
        static const clv_shape_kind kind[] = {CLV_SHAPE_SPHERE, CLV_SHAPE_CYLINDER, CLV_SHAPE_CAPSULE};
        const clv_solid a = bore(R, L, i % 4);
        clv_solid b = inside(kind[i % 3], r, random_number(0.2, 0.5), about, random_number(0, 0.03)), c;
        clv_touch x[CLV_TOUCH_POINTS], y[CLV_TOUCH_POINTS];
        for (int k = 0; k < 3; k++)
            b.at[k] = random_number(-1, 1) * (k == 2 ? 0.4 : 0.006);
        const int n = clv_touch_find(&a, &b, x);
        if (n == 0)
            continue;
        c = b;
        double move[3] = {random_number(-h, h), random_number(-h, h), random_number(-h, h)};
        clv_axpy3(c.at, 1, move);
        if (clv_touch_find(&a, &c, y) != n)
            continue;
        tested++;
        for (int k = 0; k < n; k++) {
            CLV_NEAR(clv_norm3(x[k].n), 1, 1e-12);
            CLV_NEAR(y[k].depth - x[k].depth, -clv_dot3(x[k].n, move), 1e-5 * h);
        }
    }
    assert_true(tested == 200);
}

static void the_order_of_a_pair_turns_the_normals(void **state)
{
    (void)state;
    const double about[3] = {1, 0, 0};
    const clv_solid a = bore(0.1, 0.3, 0);
    clv_solid b = inside(CLV_SHAPE_CYLINDER, 0.09, 0.2, about, 0.02);
    clv_touch x[CLV_TOUCH_POINTS], y[CLV_TOUCH_POINTS];
    b.at[0] = 0.012;
    const int n = clv_touch_find(&a, &b, x);
    assert_true(n == 2 && clv_touch_find(&b, &a, y) == n);
    for (int k = 0; k < n; k++) {
        CLV_NEAR(x[k].depth, y[k].depth, 0);
        for (int i = 0; i < 3; i++)
            assert_true(x[k].n[i] == -y[k].n[i] && x[k].at[i] == y[k].at[i]);
    }
}

/* ------------------------------------------------------------------ journals */

/* Two points share the load evenly, whichever is longer. */
static void a_parallel_journal_touches_at_both_ends_of_the_overlap(void **state)
{
    (void)state;
    static const double length[][2] = {{0.3, 0.2}, {0.2, 0.3}, {0.2, 0.2}};
    const double about[3] = {1, 0, 0};
    for (int kind = 0; kind < 2; kind++)
        for (int k = 0; k < 3; k++) {
            const clv_solid a = bore(0.1, length[k][0], 0);
            clv_solid b = inside(kind ? CLV_SHAPE_CAPSULE : CLV_SHAPE_CYLINDER, 0.09, length[k][1], about, 0);
            clv_touch x[CLV_TOUCH_POINTS];
            b.at[0] = -0.003, b.at[1] = 0.0108;
            const double rho = hypot(b.at[0], b.at[1]);
            assert_int_equal(clv_touch_find(&a, &b, x), 2);
            for (int i = 0; i < 2; i++) {
                CLV_NEAR(x[i].depth, rho - 0.01, 1e-15);
                CLV_NEAR(x[i].at[2], (i ? 0.5 : -0.5) * 0.2, 1e-15);
                CLV_NEAR(x[i].n[0], -b.at[0] / rho, 1e-14);
                CLV_NEAR(x[i].n[1], -b.at[1] / rho, 1e-14);
                CLV_NEAR(x[i].n[2], 0, 1e-15);
            }
        }
}

/* A pin in a longer hole jams between opposite edges: l sin + 2 r cos = 2 R.  A pin through a hole: its mouths. */
static void a_tilted_pin_touches_at_its_ends(void **state)
{
    (void)state;
    const double R = 0.1, r = 0.095, about[3] = {1, 0, 0};
    for (int longer = 0; longer < 2; longer++) {
        const clv_solid a = bore(R, longer ? 0.2 : 0.4, 0);
        const double l = longer ? 0.4 : 0.2;
        for (int k = 0; k < 2; k++) {
            double low = 0, high = 0.2;
            for (int i = 0; i < 60; i++) { /* the angle at which the edges touch, in the plane of the tilt */
                const double t = 0.5 * (low + high);
                const double room =
                    longer ? 2 * R * cos(t) - 0.2 * sin(t) - 2 * r : 2 * R - l * sin(t) - 2 * r * cos(t);
                *(room > 0 ? &low : &high) = t;
            }
            const clv_solid b = inside(CLV_SHAPE_CYLINDER, r, l, about, low + (k ? 1e-5 : -1e-5));
            clv_touch x[CLV_TOUCH_POINTS];
            const int n = clv_touch_find(&a, &b, x);
            assert_int_equal(n, k ? 2 : 0);
            if (n == 2) {
                assert_true(x[0].at[1] * x[1].at[1] < 0 && x[0].at[2] * x[1].at[2] < 0);
                CLV_NEAR(x[0].depth, x[1].depth, 1e-15);
                CLV_NEAR(x[0].at[0], 0, 1e-15);
            }
        }
    }
}

/* A disc that stands across a wide hole touches with both edges of both faces. */
static void a_roller_across_a_hole_has_four_points(void **state)
{
    (void)state;
    const double about[3] = {1, 0, 0};
    const clv_solid a = bore(0.1, 1, 0);
    clv_solid b = inside(CLV_SHAPE_CYLINDER, 0.06, 0.16 + 1e-6, about, PI / 2);
    clv_touch x[CLV_TOUCH_POINTS];
    assert_int_equal(clv_touch_find(&a, &b, x), 4);
    for (int k = 0; k < 4; k++) {
        CLV_NEAR(x[k].depth, 0.4e-6, 0.01e-6);
        CLV_NEAR(fabs(x[k].at[0]), 0.06, 1e-6);
        CLV_NEAR(fabs(x[k].at[1]), 0.08, 1e-6);
    }
}

/* ------------------------------------------------------------------ mouths, bottoms, outside */

static void balls_meet_the_edges_of_mouths(void **state)
{
    (void)state;
    const double about[3] = {1, 0, 0};
    const clv_solid a = bore(0.1, 0.2, 0);
    clv_solid b = inside(CLV_SHAPE_SPHERE, 0.05, 0, about, 0);
    clv_touch x[CLV_TOUCH_POINTS];
    double last = 0.01;
    b.at[0] = 0.06;
    for (b.at[2] = 0.09; b.at[2] < 0.14; b.at[2] += 1e-4) { /* out of the hole */
        const double depth = deepest(&a, &b), before = fmax(b.at[2] - 0.1, 0);
        CLV_NEAR(depth, fmax(0, 0.05 - sqrt(0.04 * 0.04 + before * before)), 1e-15);
        CLV_NEAR(depth, last, 1e-4);
        last = depth;
    }
    assert_true(last == 0);
    b.at[2] = 0.12;
    assert_int_equal(clv_touch_find(&a, &b, x), 1);
    assert_true(x[0].n[2] > 0.4 && x[0].n[0] < -0.8 && x[0].at[2] < 0.1 + 0.01);
}

static void bottoms_hold_what_is_inside(void **state)
{
    (void)state;
    const double about[3] = {1, 0, 0};
    clv_touch x[CLV_TOUCH_POINTS];
    for (int closed = 1; closed <= 3; closed++) {
        const clv_solid a = bore(0.1, 0.2, closed);
        clv_solid b = inside(CLV_SHAPE_SPHERE, 0.05, 0, about, 0);
        for (int side = -1; side <= 1; side += 2) {
            const bool bottom = closed & (side < 0 ? CLV_BORE_LOWER : CLV_BORE_UPPER);
            b.at[2] = 0.051 * side;
            assert_int_equal(clv_touch_find(&a, &b, x), bottom);
            if (bottom) {
                CLV_NEAR(x[0].depth, 0.001, 1e-15);
                CLV_NEAR(x[0].n[2], -side, 0);
            }
            b.at[2] = 0.11 * side; /* behind it */
            assert_int_equal(clv_touch_find(&a, &b, x), 0);
        }
    }
    const clv_solid cup = bore(0.1, 0.2, CLV_BORE_LOWER);
    clv_solid can = inside(CLV_SHAPE_CYLINDER, 0.09, 0.1, about, 0);
    can.at[2] = -0.051, can.at[1] = 0.011;
    assert_int_equal(clv_touch_find(&cup, &can, x), 4 - 1); /* two at its wall, one below */
}

static void nothing_touches_that_is_not_inside(void **state)
{
    (void)state;
    const double about[3] = {1, 0, 0};
    const clv_solid a = bore(0.1, 0.2, 0);
    static const clv_shape_kind kind[] = {CLV_SHAPE_SPHERE, CLV_SHAPE_CYLINDER, CLV_SHAPE_CAPSULE};
    static const double at[][3] = {{0, 0, 0}, {0.2, 0, 0}, {0.12, 0, 0}, {0, 0, 0.5}, {0.11, 0, 0.3}, {0, -9, 2}};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 6; i++) {
            clv_solid b = inside(kind[k], 0.09, 0.1, about, 0);
            double n[3] = {0, 0, 0};
            clv_copy3(b.at, at[i]);
            assert_true(deepest(&a, &b) == 0);
            if (i == 0)
                CLV_NEAR(clv_apart(&a, &b, n), 0.01, 1e-15);
            else if (i < 3) /* in the wall, or outside */
                assert_true(clv_apart(&a, &b, n) == -INFINITY && clv_apart_along(&a, &b, n) == -INFINITY);
            else
                assert_true(clv_apart_along(&a, &b, n) == INFINITY);
        }
}

/* Numbers that are not finite neither hang nor crash. */
static void bad_places_end(void **state)
{
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY, 1e300, 1e-300};
    const double about[3] = {1, 0, 0};
    const clv_solid a = bore(0.1, 0.2, 3);
    static const clv_shape_kind kind[] = {CLV_SHAPE_SPHERE, CLV_SHAPE_CYLINDER, CLV_SHAPE_CAPSULE};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 5; i++)
            for (int c = 0; c < 12; c++) {
                clv_solid b = inside(kind[k], 0.09, 0.1, about, 0.1);
                clv_touch x[CLV_TOUCH_POINTS];
                *(c < 3 ? b.at + c : b.E + c - 3) = bad[i];
                assert_true(clv_touch_find(&a, &b, x) <= clv_touch_most(a.kind, b.kind));
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ellipses_have_their_points_where_sampling_finds_them),
        cmocka_unit_test(second_points_of_ellipses_are_extremal),
        cmocka_unit_test(cylinders_have_the_depth_of_their_edges),
        cmocka_unit_test(depths_change_along_their_normals),
        cmocka_unit_test(the_order_of_a_pair_turns_the_normals),
        cmocka_unit_test(a_parallel_journal_touches_at_both_ends_of_the_overlap),
        cmocka_unit_test(a_tilted_pin_touches_at_its_ends),
        cmocka_unit_test(a_roller_across_a_hole_has_four_points),
        cmocka_unit_test(balls_meet_the_edges_of_mouths),
        cmocka_unit_test(bottoms_hold_what_is_inside),
        cmocka_unit_test(nothing_touches_that_is_not_inside),
        cmocka_unit_test(bad_places_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
