/* SPDX-License-Identifier: Apache-2.0
 * Contact of two boxes (T69): the distance of edges against all pairs of edges and corners, points of faces in closed
 * form, and what holds for random boxes: overlaps are undone by the depth, points lie in both boxes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "math/rotation.h"
#include "model/apart.h"
#include "model/boxes.h"
#include "near.h"

static uint64_t seed = 69;
static double random_number(double low, double high)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * ((double)(seed >> 11) / 9007199254740992.0);
}

static clv_solid random_box(double spread)
{
    clv_solid s = {.kind = CLV_SHAPE_BOX};
    double e[4];
    for (int i = 0; i < 4; i++)
        e[i] = random_number(-1, 1);
    clv_quat_rotation(s.E, e);
    for (int i = 0; i < 3; i++)
        s.size[i] = random_number(0.2, 1), s.at[i] = random_number(-spread, spread);
    return s;
}

static clv_solid box(double x, double y, double z, double a, double b, double c, double turn)
{
    clv_solid s = {.kind = CLV_SHAPE_BOX, .size = {a, b, c}, .at = {x, y, z}};
    clv_rotation_about(s.E, 2, turn);
    return s;
}

static void corner_of(const clv_solid *s, int k, double x[3])
{
    double l[3];
    for (int i = 0; i < 3; i++)
        l[i] = (k >> i & 1 ? 0.5 : -0.5) * s->size[i];
    clv_mat3_times(x, s->E, l);
    clv_axpy3(x, 1, s->at);
}

/* m, how far x is outside; 0 inside */
static double outside(const clv_solid *s, const double x[3])
{
    double line[3], l[3];
    clv_sub3(line, x, s->at);
    clv_mat3_transpose_times(l, s->E, line);
    for (int i = 0; i < 3; i++)
        l[i] = fmax(0, fabs(l[i]) - 0.5 * s->size[i]);
    return clv_norm3(l);
}

/* ------------------------------------------------------------------ distances */

/* distance of two segments; *inner: between points inside both */
static double segments(const double p[3], const double p1[3], const double q[3], const double q1[3], bool *inner)
{
    double u[3], v[3], w[3], best = INFINITY;
    clv_sub3(u, p1, p), clv_sub3(v, q1, q), clv_sub3(w, p, q);
    const double a = clv_dot3(u, u), b = clv_dot3(u, v), c = clv_dot3(v, v), d = clv_dot3(u, w), e = clv_dot3(v, w);
    const double s = (b * e - c * d) / (a * c - b * b), t = (a * e - b * d) / (a * c - b * b);
    *inner = s > 0 && s < 1 && t > 0 && t < 1;
    for (int end = 0; end < 5; end++) { /* inside, and each end on the other segment */
        const double given = end % 2, on_v = fmin(fmax((b * given + e) / c, 0), 1);
        const double on_u = fmin(fmax((b * given - d) / a, 0), 1);
        const double x = end == 4 ? s : end < 2 ? given : on_u, y = end == 4 ? t : end < 2 ? on_v : given;
        double line[3];
        for (int k = 0; k < 3; k++)
            line[k] = w[k] + x * u[k] - y * v[k];
        if (end < 4 || *inner)
            best = fmin(best, clv_norm3(line));
    }
    return best;
}

/* over all pairs of edges, and all corners and the other box; *crossed: edges inside both are nearest */
static double distance(const clv_solid *a, const clv_solid *b, bool *crossed)
{
    double corners = INFINITY, least = INFINITY, p[3], p1[3], q[3], q1[3];
    for (int k = 0; k < 8; k++) {
        corner_of(a, k, p), corner_of(b, k, q);
        corners = fmin(corners, fmin(outside(b, p), outside(a, q)));
    }
    *crossed = false;
    for (int k = 0; k < 24 * 24; k++) {
        const int i = k / 24, j = k % 24; /* corner, direction */
        bool inner;
        if (i / 3 >> i % 3 & 1 || j / 3 >> j % 3 & 1)
            continue; /* each edge from its lower corner */
        corner_of(a, i / 3, p), corner_of(a, i / 3 | 1 << i % 3, p1);
        corner_of(b, j / 3, q), corner_of(b, j / 3 | 1 << j % 3, q1);
        const double x = segments(p, p1, q, q1, &inner);
        if (x < least)
            least = x, *crossed = inner && x < corners - 1e-6;
    }
    return fmin(corners, least);
}

static void the_gap_of_edges_is_their_distance(void **unused)
{
    int found = 0;
    (void)unused;
    for (int run = 0; run < 4000; run++) {
        const clv_solid a = random_box(0.3), b = random_box(1.2);
        const clv_boxes_axis x = clv_boxes_apart(&a, &b, 0);
        double n[3] = {0, 0, 0};
        bool crossed;
        if (!(x.gap > 0))
            continue;
        const double want = distance(&a, &b, &crossed);
        assert_true(x.gap <= want + 1e-12);
        const double along = clv_apart(&a, &b, n);
        assert_true(along >= x.gap - 1e-12 && along <= want + 1e-12);
        if (!crossed)
            continue;
        found++;
        assert_int_equal(x.of, 2);
        CLV_NEAR(x.gap, want, 1e-12);
        clv_touch none[CLV_TOUCH_POINTS];
        assert_int_equal(clv_touch_find(&a, &b, none), 0);
    }
    assert_in_range(found, 300, 4000);
}

/* how far the corners of both overlap along n, from a to b */
static double overlap(const clv_solid *a, const clv_solid *b, const double n[3])
{
    double high = -INFINITY, low = INFINITY, x[3];
    for (int k = 0; k < 8; k++) {
        corner_of(a, k, x), high = fmax(high, clv_dot3(n, x));
        corner_of(b, k, x), low = fmin(low, clv_dot3(n, x));
    }
    return high - low;
}

/* the least overlap over the fifteen axes, both ways */
static double least_overlap(const clv_solid *a, const clv_solid *b, double n[3])
{
    double least = INFINITY;
    for (int k = 0; k < 30; k++) {
        double x[3], e[3], f[3];
        const int axis = k / 2;
        for (int c = 0; c < 3; c++) {
            x[c] = axis < 3 ? a->E[3 * c + axis] : b->E[3 * c + axis % 3];
            e[c] = a->E[3 * c + (axis + 3) % 9 / 3], f[c] = b->E[3 * c + axis % 3];
        }
        if (axis >= 6)
            clv_cross(x, e, f);
        const double length = clv_norm3(x);
        for (int c = 0; c < 3; c++)
            x[c] *= (k % 2 ? -1 : 1) / length;
        const double found = overlap(a, b, x);
        if (found < least)
            least = found, clv_copy3(n, x);
    }
    return least;
}

static void the_axis_has_the_least_overlap(void **unused)
{
    int found = 0;
    (void)unused;
    for (int run = 0; run < 4000; run++) {
        const clv_solid a = random_box(0.2), b = random_box(0.8);
        double n[3];
        const double want = least_overlap(&a, &b, n);
        const clv_boxes_axis x = clv_boxes_apart(&a, &b, 0);
        if (want < 0)
            continue;
        found++;
        CLV_NEAR(-x.gap, want, 1e-14);
        CLV_NEAR(clv_dot3(n, x.n), 1, 1e-9);
    }
    assert_in_range(found, 1000, 4000);
}

/* ------------------------------------------------------------------ points */

static void a_face_on_a_face_has_its_corners(void **unused)
{
    const clv_solid table = box(0, 0, -0.5, 4, 3, 1, 0), small = box(0.3, -0.2, 0.24, 0.6, 0.4, 0.5, 0.3);
    clv_touch x[CLV_TOUCH_POINTS], y[CLV_TOUCH_POINTS];
    (void)unused;
    assert_int_equal(clv_touch_find(&table, &small, x), 4);
    assert_int_equal(clv_touch_find(&small, &table, y), 4);
    for (int k = 0; k < 4; k++) {
        double least = INFINITY;
        for (int corner = 0; corner < 4; corner++) {
            double p[3];
            corner_of(&small, corner, p);
            least = fmin(least, hypot(p[0] - x[k].at[0], p[1] - x[k].at[1]));
        }
        assert_true(least < 1e-15);
        CLV_NEAR(x[k].depth, 0.01, 1e-15), CLV_NEAR(y[k].depth, 0.01, 1e-15);
        CLV_NEAR(x[k].at[2], -0.005, 1e-15);
        CLV_NEAR(x[k].n[2], 1, 1e-15), CLV_NEAR(y[k].n[2], -1, 1e-15);
        for (int other = 0; other < k; other++)
            assert_true(hypot(x[k].at[0] - x[other].at[0], x[k].at[1] - x[other].at[1]) > 0.3);
    }
}

/* one half of the small box is beyond the edge */
static void a_face_is_cut_at_the_edge(void **unused)
{
    const clv_solid table = box(0, 0, -0.5, 2, 2, 1, 0), small = box(1, 0, 0.45, 0.6, 0.4, 1, 0);
    clv_touch x[CLV_TOUCH_POINTS];
    double low = INFINITY, high = -INFINITY;
    (void)unused;
    assert_int_equal(clv_touch_find(&table, &small, x), 4);
    for (int k = 0; k < 4; k++) {
        low = fmin(low, x[k].at[0]), high = fmax(high, x[k].at[0]);
        CLV_NEAR(fabs(x[k].at[1]), 0.2, 1e-15);
    }
    CLV_NEAR(low, 0.7, 1e-15), CLV_NEAR(high, 1, 1e-15);
}

/* Equal squares turned by 45 degrees overlap in an octagon: four of its corners have 1/sqrt(2) of the area at least. */
static void eight_corners_become_four(void **unused)
{
    (void)unused;
    for (int tilted = 0; tilted < 2; tilted++) {
        const clv_solid a = box(0, 0, 0, 1, 1, 1, 0);
        clv_solid b = box(0, 0, 0.99, 1, 1, 1, 0.78539816339744831);
        if (tilted) { /* about x, so two corners are deepest */
            double turn[9], E[9];
            clv_rotation_about(turn, 0, 1e-3);
            clv_mat3_product(E, turn, b.E);
            memcpy(b.E, E, sizeof E);
        }
        clv_touch x[CLV_TOUCH_POINTS];
        double deepest = 0, area = 0;
        assert_int_equal(clv_touch_find(&a, &b, x), 4);
        for (int k = 0; k < 4; k++) {
            const double *p = x[k].at, *q = x[(k + 1) % 4].at;
            area += 0.5 * (p[0] * q[1] - p[1] * q[0]), deepest = fmax(deepest, x[k].depth);
        }
        const double octagon = 2 * (sqrt(2) - 1), side = sqrt(2) - 1;
        assert_true(fabs(area) > octagon / sqrt(2) - 1e-3);
        CLV_NEAR(deepest, tilted ? 0.01 + 0.5e-3 : 0.01, tilted ? 2e-6 : 1e-15);
        assert_true(fabs(hypot(x[0].at[0], x[0].at[1]) - hypot(0.5, 0.5 * side)) < 1e-3);
    }
}

/* Overlaps of random boxes have points; these lie in both boxes within half the depth, and shifting by the largest
 * depth along the normal parts the boxes. */
static void points_of_random_boxes(void **unused)
{
    int met[3] = {0};
    (void)unused;
    for (int run = 0; run < 20000; run++) {
        const clv_solid a = random_box(0.2);
        clv_solid b = random_box(0.8);
        clv_touch x[CLV_TOUCH_POINTS];
        const clv_boxes_axis axis = clv_boxes_apart(&a, &b, 0);
        const int n = clv_touch_find(&a, &b, x);
        assert_int_equal(n > 0, axis.gap < 0);
        assert_in_range(n, 0, CLV_BOXES_POINTS);
        for (int k = 0; k < n; k++) {
            CLV_NEAR(clv_norm3(x[k].n), 1, 1e-12);
            assert_true(x[k].depth > 0 && x[k].depth <= -axis.gap + 2e-3);
            assert_true(outside(&a, x[k].at) <= 0.5 * x[k].depth + 1e-12);
            assert_true(outside(&b, x[k].at) <= 0.5 * x[k].depth + 1e-12);
        }
        if (n == 0)
            continue;
        met[axis.of]++;
        clv_axpy3(b.at, -axis.gap * (1 + 1e-9), axis.n);
        assert_int_equal(clv_touch_find(&a, &b, x), 0);
    }
    assert_true(met[0] > 500 && met[1] > 500 && met[2] > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gap_of_edges_is_their_distance),
        cmocka_unit_test(the_axis_has_the_least_overlap),
        cmocka_unit_test(a_face_on_a_face_has_its_corners),
        cmocka_unit_test(a_face_is_cut_at_the_edge),
        cmocka_unit_test(eight_corners_become_four),
        cmocka_unit_test(points_of_random_boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
