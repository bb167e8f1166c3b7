/* SPDX-License-Identifier: Apache-2.0
 * Contact of convex hulls (T116): hulls of boxes against boxes, distances against all directions, ways out, points in
 * both shapes, faces, and points that have no hull. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "math/rotation.h"
#include "model/apart.h"
#include "model/cores.h"
#include "model/hull.h"
#include "near.h"

enum { POINTS = 30 };

static uint64_t seed = 116;
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

static void place(clv_solid *s, double spread)
{
    double e[4];
    for (int i = 0; i < 4; i++)
        e[i] = random_number(-1, 1);
    clv_quat_normalize(e);
    clv_quat_rotation(s->E, e);
    for (int i = 0; i < 3; i++)
        s->at[i] = random_number(-spread, spread);
}

/* A shape with random sizes; of a mesh 30 points in a box, whose hull is to be freed. */
static clv_solid solid(clv_shape_kind kind, double spread)
{
    clv_solid s = {.kind = kind};
    double x[3 * POINTS];
    bool flat;
    place(&s, spread);
    for (int i = 0; i < 3; i++)
        s.size[i] = random_number(0.2, 1);
    if (kind != CLV_SHAPE_MESH)
        return s;
    for (int i = 0; i < 3 * POINTS; i++)
        x[i] = s.size[i % 3] * random_number(-0.5, 0.5);
    s.hull = clv_hull_create(x, POINTS, &flat);
    assert_non_null(s.hull);
    memset(s.size, 0, sizeof s.size);
    return s;
}

/* The hull of the corners of a box, with points inside, on faces and on edges. */
static clv_hull *box_hull(const double size[3])
{
    double x[3 * 27];
    bool flat;
    for (int i = 0; i < 27; i++) {
        x[3 * i] = size[0] * (0.5 * (i % 3) - 0.5), x[3 * i + 1] = size[1] * (0.5 * (i / 3 % 3) - 0.5);
        x[3 * i + 2] = size[2] * (0.5 * (i / 9) - 0.5);
    }
    return clv_hull_create(x, 27, &flat);
}

static void release(clv_solid *s)
{
    clv_hull_free((clv_hull *)s->hull);
    s->hull = NULL;
}

static void a_hull_of_a_box(void **state)
{
    (void)state;
    const double size[3] = {0.3, 0.4, 1.2};
    clv_hull *h = box_hull(size);
    assert_int_equal(h->npoint, 8);
    assert_int_equal(h->nface, 6);
    for (int k = 0; k < 6; k++)
        assert_int_equal(h->face[k].count, 4);
    for (int c = 0; c < 3; c++) {
        CLV_NEAR(h->middle[c], 0, 1e-15);
        CLV_NEAR(h->half[c], 0.5 * size[c], 1e-15);
    }
    CLV_NEAR(h->width, 0.3, 1e-15);
    CLV_NEAR(h->radius, 0.65, 1e-15);
    CLV_NEAR(h->moment[0], (0.16 + 1.44) / 12, 1e-15);
    CLV_NEAR(h->moment[2], (0.16 + 0.09) / 12, 1e-15);
    CLV_NEAR(h->moment[3], 0, 1e-16);
    clv_hull_free(h);
}

static void what_has_no_hull(void **state)
{
    (void)state;
    double x[3 * 40];
    bool flat;
    for (int i = 0; i < 40; i++)
        x[3 * i] = random_number(-1, 1), x[3 * i + 1] = random_number(-1, 1),
              x[3 * i + 2] = x[3 * i] - 2 * x[3 * i + 1];
    assert_null(clv_hull_create(x, 40, &flat));
    assert_true(flat);
    assert_null(clv_hull_create(x, 3, &flat));
    assert_true(flat);
    memset(x, 0, sizeof x);
    assert_null(clv_hull_create(x, 40, &flat)); /* one point, often */
    assert_true(flat);
}

/* Outlines are those of the polygons, turned counterclockwise, thinned where they have many corners. */
static void faces_of_a_prism(void **state)
{
    (void)state;
    for (int n = 3; n <= 200; n += n < 10 ? 1 : 95) {
        double x[3 * 400];
        bool flat;
        for (int i = 0; i < 2 * n; i++) {
            x[3 * i] = cos(2 * 3.14159265358979 * (i % n) / n), x[3 * i + 1] = sin(2 * 3.14159265358979 * (i % n) / n);
            x[3 * i + 2] = i < n ? 0 : 2;
        }
        clv_hull *h = clv_hull_create(x, 2 * n, &flat);
        assert_non_null(h);
        assert_int_equal(h->npoint, 2 * n);
        assert_int_equal(h->nface, n + 2);
        CLV_NEAR(h->middle[2], 1, 1e-14);
        for (int k = 0; k < h->nface; k++) {
            const clv_hull_face *f = &h->face[k];
            assert_int_equal(f->count, fabs(f->n[2]) > 0.5 ? (n < CLV_HULL_RING ? n : CLV_HULL_RING) : 4);
            for (int i = 0; i < f->count; i++) {
                const double *a = h->x + 3 * h->ring[f->first + i];
                const double *b = h->x + 3 * h->ring[f->first + (i + 1) % f->count];
                double u[3], out[3];
                CLV_NEAR(clv_dot3(f->n, a), f->offset, 1e-12);
                clv_sub3(u, b, a);
                clv_cross(out, u, f->n); /* to the outside of the outline */
                assert_true(clv_dot3(out, a) > 0);
            }
        }
        clv_hull_free(h);
    }
}

/* m, the largest depth; *n: normal of it */
static double deepest(const clv_touch *x, int count, double n[3])
{
    double most = 0;
    for (int k = 0; k < count; k++)
        if (x[k].depth > most)
            most = x[k].depth, clv_copy3(n, x[k].n);
    return most;
}

/* A hull of a box touches like the box: planes, balls, capsules, boxes. */
static void hulls_of_boxes_touch_like_boxes(void **state)
{
    (void)state;
    static const clv_shape_kind other[] = {CLV_SHAPE_NONE, CLV_SHAPE_SPHERE, CLV_SHAPE_BOX, CLV_SHAPE_CAPSULE};
    int touched = 0;
    for (int k = 0; k < 4; k++)
        for (int turn = 0; turn < 3000; turn++) {
            clv_solid a = solid(CLV_SHAPE_BOX, 0.1), h = a, b = solid(other[k], 0.1);
            clv_touch x[CLV_TOUCH_POINTS], y[CLV_TOUCH_POINTS];
            double n[3], m[3], line[3];
            h.kind = CLV_SHAPE_MESH, h.hull = box_hull(a.size), memset(h.size, 0, sizeof h.size);
            random_direction(line);
            if (k == 0)
                clv_mat3_column(line, b.E, 2);
            const double reach = clv_apart_along(&a, &a, line);
            if (k == 0) { /* sunk by a little */
                clv_copy3(a.at, b.at), clv_axpy3(a.at, -0.5 * reach - random_number(0, 0.02), line);
            } else { /* out of the first shape until they hardly overlap */
                double d[3] = {0, 0, 0};
                for (int i = 0; i < 20; i++) {
                    const double gap = clv_apart(&a, &b, d);
                    clv_axpy3(b.at, -gap - 0.003, d);
                }
            }
            clv_copy3(h.at, a.at);
            const int p = clv_touch_find(&a, &b, x), q = clv_touch_find(&h, &b, y);
            const double deep = deepest(x, p, n), same = deepest(y, q, m);
            assert_true((p > 0) == (q > 0));
            touched += p > 0;
            CLV_NEAR(deep, same, k == 2 ? 2e-4 : 1e-9); /* boxes prefer faces by a thousandth of the width */
            for (int c = 0; c < 3 && p > 0 && k != 2; c++)
                CLV_NEAR(n[c], m[c], 1e-7);
            if (k == 0 && p <= 4)
                assert_int_equal(p, q);
            release(&h);
        }
    assert_true(touched > 8000);
}

/* The distance of what is apart is the largest along any direction. */
static void no_direction_has_a_larger_distance(void **state)
{
    (void)state;
    for (int kind = CLV_SHAPE_BOX; kind <= CLV_SHAPE_MESH; kind++)
        for (int turn = 0; turn < 200; turn++) {
            clv_solid a = solid(CLV_SHAPE_MESH, 0.1), b = solid((clv_shape_kind)kind, 2);
            clv_core p, q;
            clv_cores_of(&a, &b, &p, &q);
            const clv_nearest_points x = clv_cores_nearest(&p, &q);
            if (x.gap > 0) {
                CLV_NEAR(clv_cores_apart(&p, &q, x.n), x.gap, 1e-10);
                for (int i = 0; i < 300; i++) {
                    double n[3];
                    random_direction(n);
                    const double step = i % 3 == 0 ? 1 : i % 3 == 1 ? 1e-2 : 1e-5;
                    for (int c = 0; c < 3; c++)
                        n[c] = (step < 1 ? x.n[c] : 0) + step * n[c];
                    const double l = clv_norm3(n);
                    for (int c = 0; c < 3; c++)
                        n[c] /= l;
                    assert_true(clv_cores_apart(&p, &q, n) <= x.gap + 1e-10);
                }
            }
            release(&a), release(&b);
        }
}

/* Of hulls that overlap a little the way out is the shortest; of those deep in each other it is hardly longer. */
static void ways_out_are_short(void **state)
{
    (void)state;
    double worst[2] = {0, 0};
    for (int kind = CLV_SHAPE_BOX; kind <= CLV_SHAPE_MESH; kind++)
        for (int turn = 0; turn < 300; turn++) {
            const int deep = turn % 2;
            clv_solid a = solid(CLV_SHAPE_MESH, 0.1), b = solid((clv_shape_kind)kind, 0.3);
            clv_core p, q;
            double best = -INFINITY, d[3] = {0, 0, 0};
            const double width = fmin(clv_solid_width(&a), clv_solid_width(&b));
            for (int i = 0; i < 20 && !deep; i++) {
                const double gap = clv_apart(&a, &b, d);
                clv_axpy3(b.at, -gap - 0.01 * width, d);
            }
            clv_cores_of(&a, &b, &p, &q);
            const clv_nearest_points x = clv_cores_nearest(&p, &q);
            for (int i = 0; i < 3000 && x.gap < 0; i++) {
                double n[3];
                random_direction(n);
                for (int c = 0; c < 3 && i % 2; c++)
                    n[c] = x.n[c] + 0.1 * n[c];
                const double l = clv_norm3(n);
                for (int c = 0; c < 3; c++)
                    n[c] /= l;
                best = fmax(best, clv_cores_apart(&p, &q, n));
            }
            if (x.gap < 0)
                worst[deep] = fmax(worst[deep], (best - x.gap) / width);
            release(&a), release(&b);
        }
    print_message("ways out longer by at most %.3g of the smaller width, of deep ones %.3g\n", worst[0], worst[1]);
    assert_true(worst[0] < 1e-6);
    assert_true(worst[1] < 0.3);
}

/* m, how far a point is outside of a hull */
static double outside(const clv_solid *s, const double x[3])
{
    double line[3], l[3], most = 0;
    clv_sub3(line, x, s->at);
    clv_mat3_transpose_times(l, s->E, line);
    for (int k = 0; k < s->hull->nface; k++)
        most = fmax(most, clv_dot3(s->hull->face[k].n, l) - s->hull->face[k].offset);
    return most;
}

/* Points lie in the hull to the depth, and the exchange of the shapes turns the normals. */
static void points_lie_in_both_shapes(void **state)
{
    (void)state;
    int several = 0;
    for (int kind = CLV_SHAPE_BOX; kind <= CLV_SHAPE_MESH; kind++)
        for (int turn = 0; turn < 500; turn++) {
            clv_solid a = solid(CLV_SHAPE_MESH, 0.1), b = solid((clv_shape_kind)kind, 0.3);
            clv_touch x[CLV_TOUCH_POINTS], y[CLV_TOUCH_POINTS];
            double n[3] = {0}, m[3] = {0};
            const double width = fmin(clv_solid_width(&a), clv_solid_width(&b));
            for (int i = 0; i < 20; i++) {
                clv_core u, v;
                clv_cores_of(&a, &b, &u, &v);
                const clv_nearest_points near = clv_cores_nearest(&u, &v);
                clv_axpy3(b.at, -near.gap - 2e-3 * width, near.n);
            }
            const int p = clv_touch_find(&a, &b, x), q = clv_touch_find(&b, &a, y);
            assert_true(p >= 1 && p <= clv_touch_most(a.kind, b.kind));
            several += p > 1;
            for (int k = 0; k < p; k++) {
                CLV_NEAR(clv_norm3(x[k].n), 1, 1e-12);
                assert_true(x[k].depth > 0 && x[k].depth < 0.01 * width);
                assert_true(outside(&a, x[k].at) <= x[k].depth + 1e-9);
                if (b.hull)
                    assert_true(outside(&b, x[k].at) <= x[k].depth + 1e-9);
            }
            CLV_NEAR(deepest(x, p, n), deepest(y, q, m), 2e-3 * width);
            release(&a), release(&b);
        }
    print_message("%d pairs with several points\n", several);
    assert_true(several > 10);
}

/* Faces that lie on each other: as many points as carry, where they are. */
static void faces_rest_on_faces(void **state)
{
    (void)state;
    const double d = 1e-5, size[3] = {4, 4, 1}, small[3] = {0.2, 0.3, 0.4};
    clv_solid table = {.kind = CLV_SHAPE_MESH, .at = {0, 0, -0.5}, .E = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    clv_solid b = {.kind = CLV_SHAPE_MESH, .at = {0.3, 0.1, 0.2 - d}, .E = {0.8, -0.6, 0, 0.6, 0.8, 0, 0, 0, 1}};
    clv_touch x[CLV_TOUCH_POINTS];
    table.hull = box_hull(size), b.hull = box_hull(small);
    static const struct {
        clv_shape_kind kind;
        double size[3], height;
        int points;
    } row[] = {{CLV_SHAPE_MESH, {0, 0, 0}, 0.2, 4},
               {CLV_SHAPE_BOX, {0.2, 0.3, 0.4}, 0.2, 4},
               {CLV_SHAPE_CYLINDER, {0.1, 0.4, 0}, 0.2, 4},
               {CLV_SHAPE_SPHERE, {0.2, 0, 0}, 0.2, 1}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        for (int side = 0; side < 2; side++) {
            double mean[2] = {0, 0};
            b.kind = row[k].kind, memcpy(b.size, row[k].size, sizeof b.size);
            const int n = side ? clv_touch_find(&b, &table, x) : clv_touch_find(&table, &b, x);
            assert_int_equal(n, row[k].points);
            for (int i = 0; i < n; i++) {
                CLV_NEAR(x[i].depth, d, 1e-12);
                CLV_NEAR(x[i].n[2], side ? -1 : 1, 1e-12);
                mean[0] += x[i].at[0] / n, mean[1] += x[i].at[1] / n;
            }
            CLV_NEAR(mean[0], 0.3, 1e-9);
            CLV_NEAR(mean[1], 0.1, 1e-9);
        }
    b.kind = CLV_SHAPE_MESH, memset(b.size, 0, sizeof b.size);
    b.at[0] = 2; /* over the edge of the table: points on it */
    const int n = clv_touch_find(&table, &b, x);
    assert_true(n >= 3 && n <= 4);
    for (int i = 0; i < n; i++)
        assert_true(x[i].at[0] <= 2 + 1e-12);
    release(&table), release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hull_of_a_box),
        cmocka_unit_test(what_has_no_hull),
        cmocka_unit_test(faces_of_a_prism),
        cmocka_unit_test(hulls_of_boxes_touch_like_boxes),
        cmocka_unit_test(no_direction_has_a_larger_distance),
        cmocka_unit_test(ways_out_are_short),
        cmocka_unit_test(points_lie_in_both_shapes),
        cmocka_unit_test(faces_rest_on_faces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
