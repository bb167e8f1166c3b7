/* SPDX-License-Identifier: Apache-2.0
 * Contact of cylinders with every shape, and of boxes with capsules (T106): distances against all directions, exchange
 * of the two, points that lie in both shapes, and faces that rest on faces. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "math/rotation.h"
#include "model/apart.h"
#include "model/cores.h"
#include "near.h"

static uint64_t seed = 106;
static double random_number(double low, double high)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * ((double)(seed >> 11) / 9007199254740992.0);
}

static void random_direction(double n[3])
{
    double l;
    do {
        for (int i = 0; i < 3; i++)
            n[i] = random_number(-1, 1);
        l = clv_norm3(n);
    } while (l < 0.1 || l > 1);
    for (int i = 0; i < 3; i++)
        n[i] /= l;
}

static clv_solid solid(clv_shape_kind kind, double spread)
{
    clv_solid s = {.kind = kind};
    double e[4];
    for (int i = 0; i < 4; i++)
        e[i] = random_number(-1, 1);
    clv_quat_normalize(e);
    clv_quat_rotation(s.E, e);
    for (int i = 0; i < 3; i++)
        s.size[i] = random_number(0.1, 1), s.at[i] = random_number(-spread, spread);
    return s;
}

static const clv_shape_kind pairs[][2] = {{CLV_SHAPE_BOX, CLV_SHAPE_CAPSULE},
                                          {CLV_SHAPE_BOX, CLV_SHAPE_CYLINDER},
                                          {CLV_SHAPE_CYLINDER, CLV_SHAPE_SPHERE},
                                          {CLV_SHAPE_CYLINDER, CLV_SHAPE_CAPSULE},
                                          {CLV_SHAPE_CYLINDER, CLV_SHAPE_CYLINDER}};
enum { PAIRS = sizeof pairs / sizeof *pairs };

/* Moves b along the direction of their distance until the gap is `gap`. */
static clv_nearest_points bring(const clv_solid *a, clv_solid *b, double gap)
{
    clv_nearest_points x = {.gap = 0};
    for (int k = 0; k < 40; k++) {
        clv_core p, q;
        clv_cores_of(a, b, &p, &q);
        x = clv_cores_nearest(&p, &q);
        clv_axpy3(b->at, gap - x.gap, x.n);
    }
    return x;
}

/* The distance is the largest along any direction: none near n and none far from it has more. */
static void no_direction_has_a_larger_distance(void **state)
{
    (void)state;
    for (int k = 0; k < PAIRS; k++)
        for (int turn = 0; turn < 300; turn++) {
            clv_solid a = solid(pairs[k][0], 0.2), b = solid(pairs[k][1], 1);
            clv_core p, q;
            const double size = fmin(clv_solid_width(&a), clv_solid_width(&b));
            (void)bring(&a, &b, turn % 3 == 0 ? 0.3 * size : -0.004 * size);
            clv_cores_of(&a, &b, &p, &q);
            const clv_nearest_points x = clv_cores_nearest(&p, &q);
            CLV_NEAR(clv_norm3(x.n), 1, 1e-14);
            CLV_NEAR(clv_cores_apart(&p, &q, x.n), x.gap, 1e-11);
            for (int i = 0; i < 300; i++) {
                double n[3], d[3];
                const double step = i % 3 == 0 ? 1 : i % 3 == 1 ? 1e-2 : 1e-5;
                random_direction(d);
                for (int c = 0; c < 3; c++)
                    n[c] = (step < 1 ? x.n[c] : 0) + step * d[c];
                const double l = clv_norm3(n);
                for (int c = 0; c < 3; c++)
                    n[c] /= l;
                assert_true(clv_cores_apart(&p, &q, n) <= x.gap + 1e-12);
            }
        }
}

/* Deep in each other, the way out that is found is hardly longer than the shortest of many. */
static void deep_shapes_part_along_a_short_way(void **state)
{
    (void)state;
    double worst = 0;
    for (int k = 0; k < PAIRS; k++)
        for (int turn = 0; turn < 300; turn++) {
            clv_solid a = solid(pairs[k][0], 0.1), b = solid(pairs[k][1], 0.2);
            clv_core p, q;
            double best = -INFINITY;
            clv_cores_of(&a, &b, &p, &q);
            const clv_nearest_points x = clv_cores_nearest(&p, &q);
            if (x.gap > 0)
                continue;
            CLV_NEAR(clv_cores_apart(&p, &q, x.n), x.gap, 1e-11);
            for (int i = 0; i < 2000; i++) {
                double n[3];
                random_direction(n);
                best = fmax(best, clv_cores_apart(&p, &q, n));
            }
            worst = fmax(worst, (best - x.gap) / fmin(clv_solid_width(&a), clv_solid_width(&b)));
        }
    print_message("a way out longer by at most %.3g of the smaller width\n", worst);
    assert_true(worst < 0.05);
}

/* m, how far a point is outside a shape; 0: inside */
static double outside(const clv_solid *s, const double x[3])
{
    double line[3], l[3], d[3] = {0, 0, 0};
    clv_sub3(line, x, s->at);
    clv_mat3_transpose_times(l, s->E, line);
    const double r = hypot(l[0], l[1]);
    if (s->kind == CLV_SHAPE_BOX)
        for (int i = 0; i < 3; i++)
            d[i] = fmax(0, fabs(l[i]) - 0.5 * s->size[i]);
    else if (s->kind == CLV_SHAPE_CYLINDER)
        d[0] = fmax(0, r - s->size[0]), d[2] = fmax(0, fabs(l[2]) - 0.5 * s->size[1]);
    else {
        const double h = s->kind == CLV_SHAPE_CAPSULE ? fmax(0, fabs(l[2]) - 0.5 * s->size[1]) : fabs(l[2]);
        return fmax(0, hypot(r, h) - s->size[0]);
    }
    return clv_norm3(d);
}

/* Points are between the surfaces, and the exchange of the shapes turns the normals. */
static void points_lie_in_both_shapes(void **state)
{
    (void)state;
    int several = 0;
    for (int k = 0; k < PAIRS; k++)
        for (int turn = 0; turn < 2000; turn++) {
            clv_solid a = solid(pairs[k][0], 0.2), b = solid(pairs[k][1], 1);
            clv_touch x[CLV_TOUCH_POINTS], y[CLV_TOUCH_POINTS];
            const double width = fmin(clv_solid_width(&a), clv_solid_width(&b));
            const clv_nearest_points near = bring(&a, &b, -random_number(1e-4, 4e-3) * width);
            if (turn % 4 == 0) { /* a face on b or a line of it */
                double E[9], none[3] = {0, 0, 0};
                clv_rotation_frame(E, near.n, none);
                for (int i = 0; i < 9; i++)
                    a.E[i] = E[i];
                bring(&a, &b, -2e-3 * width);
            }
            const int n = clv_touch_find(&a, &b, x), m = clv_touch_find(&b, &a, y);
            assert_true(n >= 1 && n <= clv_touch_most(a.kind, b.kind));
            several += n > 1;
            double deepest = 0, other = 0;
            for (int i = 0; i < n; i++) {
                CLV_NEAR(clv_norm3(x[i].n), 1, 1e-12);
                assert_true(x[i].depth > 0);
                deepest = fmax(deepest, x[i].depth);
                assert_true(outside(&a, x[i].at) <= x[i].depth + 1e-9);
                assert_true(outside(&b, x[i].at) <= x[i].depth + 1e-9);
            }
            for (int i = 0; i < m; i++)
                other = fmax(other, y[i].depth);
            assert_int_equal(n, m);
            CLV_NEAR(deepest, other, 1e-9);
            for (int c = 0; c < 3; c++)
                CLV_NEAR(x[0].n[c], -y[0].n[c], 1e-6);
        }
    assert_true(several > 300);
}

static clv_solid upright(clv_shape_kind kind, double x, double y, double z, double sx, double sy, double sz)
{
    return (clv_solid){.kind = kind, .size = {sx, sy, sz}, .at = {x, y, z}, .E = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

static clv_solid lying(clv_shape_kind kind, double x, double y, double z, double r, double l)
{
    return (clv_solid){.kind = kind, .size = {r, l, 0}, .at = {x, y, z}, .E = {0, 0, 1, 0, 1, 0, -1, 0, 0}};
}

/* A face at rest: so many points of equal depth, and where their mean lies. */
static void rests(const clv_solid *a, const clv_solid *b, int points, double depth, double x, double y)
{
    clv_touch t[CLV_TOUCH_POINTS];
    for (int side = 0; side < 2; side++) {
        const int n = side ? clv_touch_find(b, a, t) : clv_touch_find(a, b, t);
        double mean[2] = {0, 0};
        if (points > 0)
            assert_int_equal(n, points);
        assert_true(n >= 2);
        for (int k = 0; k < n; k++) {
            CLV_NEAR(t[k].depth, depth, 1e-12);
            CLV_NEAR(t[k].n[2], side ? -1 : 1, 1e-12);
            mean[0] += t[k].at[0] / n, mean[1] += t[k].at[1] / n;
        }
        if (isnan(x))
            continue;
        CLV_NEAR(mean[0], x, 1e-9);
        CLV_NEAR(mean[1], y, 1e-9);
    }
}

static void faces_rest_on_faces(void **state)
{
    (void)state;
    const double d = 1e-5;
    const clv_solid table = upright(CLV_SHAPE_BOX, 0, 0, -0.5, 4, 4, 1);
    const clv_solid post = upright(CLV_SHAPE_CYLINDER, 0, 0, -0.5, 0.5, 1, 0);
    clv_solid b = upright(CLV_SHAPE_CYLINDER, 0.3, 0.2, 0.5 - d, 0.2, 1, 0);
    rests(&table, &b, 4, d, 0.3, 0.2); /* a can on a table */
    b = lying(CLV_SHAPE_CYLINDER, 0.3, 0.2, 0.2 - d, 0.2, 1);
    rests(&table, &b, 2, d, 0.3, 0.2);
    b = lying(CLV_SHAPE_CAPSULE, 0.3, 0.2, 0.2 - d, 0.2, 1);
    rests(&table, &b, 2, d, 0.3, 0.2);
    b.at[0] = 2; /* half of it over the edge */
    rests(&table, &b, 2, d, 1.75, 0.2);
    b = upright(CLV_SHAPE_BOX, 0, 0, 0.1 - d, 0.2, 0.2, 0.2);
    rests(&post, &b, 4, d, 0, 0); /* a small box on a post */
    b = upright(CLV_SHAPE_BOX, 0, 0, 0.1 - d, 3, 3, 0.2);
    rests(&post, &b, 4, d, 0, 0); /* a table on a post */
    b = upright(CLV_SHAPE_CYLINDER, 0.1, 0, 0.5 - d, 0.2, 1, 0);
    rests(&post, &b, 4, d, 0.1, 0);
    b = upright(CLV_SHAPE_CYLINDER, 0.4, 0, 0.5 - d, 0.5, 1, 0); /* two equal ones, shifted */
    rests(&post, &b, 0, d, NAN, 0);
    b = lying(CLV_SHAPE_CYLINDER, 0, 0, 0.1 - d, 0.1, 2); /* a bar on a post: as far as the post reaches */
    rests(&post, &b, 2, d, 0, 0);
    b = lying(CLV_SHAPE_CAPSULE, 0.2, 0, 0.1 - d, 0.1, 2);
    rests(&post, &b, 2, d, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_direction_has_a_larger_distance),
        cmocka_unit_test(deep_shapes_part_along_a_short_way),
        cmocka_unit_test(points_lie_in_both_shapes),
        cmocka_unit_test(faces_rest_on_faces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
