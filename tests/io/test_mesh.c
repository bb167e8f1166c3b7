/* SPDX-License-Identifier: Apache-2.0
 * Files of triangles: the same solid from every format, faces of many corners, damaged files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "io/mesh_file.h"
#include "math/rotation.h"
#include "near.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A brick of 1 x 2 x 3 with a corner at the origin; quadrilaterals, indices of all forms. */
static const char brick[] = "# brick\nv 0 0 0\nv 1 0 0\nv 1 2 0\nv 0 2 0\nv 0 0 3\nv 1 0 3\nv 1 2 3\nv 0 2 3\n"
                            "vn 0 0 1\n"
                            "f 1 4 3 2\nf 5 6 7 8\nf 1/1 2/2 6/3 5/4\nf 2//1 3//1 7//1 6//1\n"
                            "f 3/1/1 4/1/1 8/1/1 7/1/1\n"
                            "  f -8 -4 -1 -5\r\n";

/* A prism of height 1 over an L of area 3, whose six corners make a concave face. */
static const char prism[] = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\n"
                            "v 0 0 1\nv 2 0 1\nv 2 1 1\nv 1 1 1\nv 1 2 1\nv 0 2 1\n"
                            "f 3 2 1 6 5 4\nf 8 9 10 11 12 7\nf 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\n"
                            "f 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n";

static clv_mesh read(const char *name, const char *text, size_t size)
{
    clv_mesh m = {0};
    if (!clv_mesh_read(&m, name, text, size))
        fail_msg("%s: %s", name, m.problem ? m.problem : "memory");
    return m;
}

static void is_brick(const clv_mesh *m, bool turned)
{
    const double com[3] = {0.5, 1, 1.5}, J[6] = {6 * 13.0 / 12, 6 * 10.0 / 12, 6 * 5.0 / 12, 0, 0, 0};
    clv_solid s;
    assert_true(clv_mesh_solid(&s, m, turned));
    CLV_NEAR(s.volume, 6, 1e-14);
    for (int k = 0; k < 3; k++)
        CLV_NEAR(s.com[k], com[k], 1e-15);
    for (int k = 0; k < 6; k++)
        CLV_NEAR(s.J[k], J[k], 1e-14);
}

/* The triangles of a mesh as a binary file. */
static char *stl_of(const clv_mesh *m, size_t *size)
{
    const uint32_t n = (uint32_t)(m->ncorner / 3);
    *size = 84 + 50 * (size_t)n;
    char *text = calloc(*size, 1);
    for (int k = 0; k < 4; k++)
        text[80 + k] = (char)(n >> 8 * k);
    for (size_t i = 0; i < m->ncorner; i++)
        for (size_t k = 0; k < 3; k++) {
            const float x = (float)m->point[3 * m->corner[i] + k];
            memcpy(text + 84 + 50 * (i / 3) + 12 + 12 * (i % 3) + 4 * k, &x, 4); /* little endian machines */
        }
    return text;
}

static char *msh_of(const clv_mesh *m, size_t *size)
{
    const uint32_t n[4] = {(uint32_t)m->npoint, 0, 0, (uint32_t)(m->ncorner / 3)};
    *size = 16 + 12 * m->npoint + 4 * m->ncorner;
    char *text = calloc(*size, 1);
    memcpy(text, n, 16);
    for (size_t i = 0; i < 3 * m->npoint; i++) {
        const float x = (float)m->point[i];
        memcpy(text + 16 + 4 * i, &x, 4);
    }
    memcpy(text + 16 + 12 * m->npoint, m->corner, 4 * m->ncorner);
    return text;
}

static void every_format_gives_the_solid(void **state)
{
    (void)state;
    clv_mesh obj = read("brick.OBJ", brick, sizeof brick - 1);
    size_t size;
    char *text = stl_of(&obj, &size);
    clv_mesh stl = read("a/brick.stl", text, size);
    free(text);
    text = msh_of(&obj, &size);
    clv_mesh msh = read("brick.msh", text, size);
    free(text);
    const clv_mesh *all[] = {&obj, &stl, &msh};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(all[i]->ncorner, 36);
        is_brick(all[i], false);
        is_brick(all[i], true);
    }
    clv_mesh_free(&obj);
    clv_mesh_free(&stl);
    clv_mesh_free(&msh);
    assert_int_equal(clv_alloc_live(), 0);
}

/* The volume of a concave prism is exact by signed pyramids; turned inside out it is negative, so there is none. */
static void concave_faces_are_plane(void **state)
{
    (void)state;
    clv_mesh m = read("l.obj", prism, sizeof prism - 1);
    clv_solid s;
    assert_true(clv_mesh_solid(&s, &m, false));
    CLV_NEAR(s.volume, 3, 1e-14);
    CLV_NEAR(s.com[0], 2.5 / 3, 1e-14); /* squares at 0.5, 1.5, 0.5 */
    CLV_NEAR(s.com[1], 2.5 / 3, 1e-14);
    CLV_NEAR(s.com[2], 0.5, 1e-14);
    /* three cubes of side 1, at distances 1/3 + 1/3, 2/3 - 1/3 .. of the middle */
    CLV_NEAR(s.J[2], 3.0 / 6 + 2 * (1.0 / 9 + 4.0 / 9) + 2.0 / 9, 1e-14);
    assert_true(clv_mesh_solid(&s, &m, true));
    assert_true(s.volume >= 3 - 1e-14);
    for (size_t i = 0; i < m.ncorner; i += 3) {
        const unsigned swap = m.corner[i];
        m.corner[i] = m.corner[i + 1], m.corner[i + 1] = swap;
    }
    assert_false(clv_mesh_solid(&s, &m, false));
    clv_mesh_free(&m);
}

static const struct {
    const char *name, *text, *problem;
} bad[] = {
    {"a.ply", "v", "meshes are files .stl, .obj, .dae or .msh"},
    {"a", "v", "meshes are files .stl, .obj, .dae or .msh"},
    {"a.stl", "solid a\nfacet", "it has no faces"},
    {"a.stl", "sol", "it is not an STL file"},
    {"a.stl", "solid a\nvertex 0 0 0\nvertex 1 0 0\n", "its last triangle does not have three corners"},
    {"a.stl", "solid a\nvertex 0 0\n", "a vertex does not have three numbers"},
    {"a.stl", "solid a\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n", "it ends without 'endsolid'"},
    {"a.stl", "solid a\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendsolid\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n",
     "it ends without 'endsolid'"},
    {"a.msh", "0123456789abcdef", "it is not an MSH file of MuJoCo"},
    {"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n", "it has no faces"},
    {"a.obj", "v 0 0\nf 1 1 1\n", "a vertex does not have three numbers"},
    {"a.obj", "v 0 0 1e999\nf 1 1 1\n", "a coordinate is not a number"},
    {"a.obj", "v 0 0 0\nf 1 1\n", "a face has fewer than three corners"},
    {"a.obj", "v 0 0 0\nf 1 1 2\n", "a face names a point that the file does not have"},
    {"a.obj", "v 0 0 0\nf 1 1 0\n", "a face names a point that the file does not have"},
    {"a.obj", "v 0 0 0\nf 1 1 -2\n", "a face names a point that the file does not have"},
    {"a.obj", "v 0 0 0\nf 1 1 1 1 1 1 99999999999999999999\n", "a face names a point that the file does not have"},
};

static void bad_files_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        clv_mesh m = {0};
        assert_false(clv_mesh_read(&m, bad[i].name, bad[i].text, strlen(bad[i].text)));
        assert_non_null(m.problem);
        assert_string_equal(m.problem, bad[i].problem);
        clv_mesh_free(&m);
    }
}

/* ---------------------------------------------------------------- convex hull */

static double next(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

static void free_both(clv_mesh *a, clv_mesh *b)
{
    clv_mesh_free(a), clv_mesh_free(b);
    *a = *b = (clv_mesh){0};
}

/* No point is outside of a face, and the surface is closed: every edge is there in both directions once. */
static void check_hull(const clv_mesh *hull, const clv_mesh *m, double size)
{
    for (size_t f = 0; f < hull->ncorner; f += 3) {
        const double *a = m->point + 3 * hull->corner[f], *b = m->point + 3 * hull->corner[f + 1],
                     *c = m->point + 3 * hull->corner[f + 2];
        double u[3], v[3], n[3];
        clv_sub3(u, b, a), clv_sub3(v, c, a);
        clv_cross(n, u, v);
        for (size_t i = 0; i < m->npoint; i++) {
            double d[3];
            clv_sub3(d, m->point + 3 * i, a);
            assert_true(clv_dot3(n, d) <= 1e-12 * size * clv_norm3(n));
        }
        for (size_t k = 0; k < 3; k++) {
            int back = 0, same = 0;
            for (size_t g = 0; g < hull->ncorner; g++) {
                const unsigned p = hull->corner[g], q = hull->corner[g - g % 3 + (g + 1) % 3];
                back += p == hull->corner[f + (k + 1) % 3] && q == hull->corner[f + k];
                same += q == hull->corner[f + (k + 1) % 3] && p == hull->corner[f + k];
            }
            assert_true(back == 1 && same == 1);
        }
    }
}

/* Random points, on grids too, where many lie in one plane or on one line. */
static void hulls_hold_all_points(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int run = 0; run < 60; run++) {
        clv_mesh m = {0}, hull = {0};
        const int n = 4 + run * 3, grid = run % 3;
        for (int i = 0; i < n; i++) {
            double x[3];
            for (int k = 0; k < 3; k++)
                x[k] = grid == 0   ? (float)(next(&seed) - 0.5)
                       : grid == 1 ? floor(4 * next(&seed))
                                   : (float)(0.1f * (float)floor(5 * next(&seed)) + 1000);
            assert_true(clv_mesh_point(&m, x));
        }
        if (clv_mesh_hull(&hull, &m))
            check_hull(&hull, &m, grid == 2 ? 1e3 : 4);
        else
            assert_true(grid != 0 && !hull.problem && !hull.memory); /* all in a plane */
        free_both(&m, &hull);
    }
}

/* The corners of a brick with points inside, on edges and on faces: its own solid. */
static void a_hull_is_the_solid_of_a_brick(void **state)
{
    (void)state;
    clv_mesh m = {0}, hull = {0};
    clv_solid s;
    for (int i = 0; i < 125; i++)
        assert_true(clv_mesh_point(&m, (double[3]){0.25 * (i % 5), 0.5 * (i / 5 % 5), 0.75 * (i / 25)}));
    assert_true(clv_mesh_hull(&hull, &m));
    check_hull(&hull, &m, 3);
    assert_true(clv_mesh_solid(&s, &hull, false));
    CLV_NEAR(s.volume, 6, 1e-14);
    CLV_NEAR(s.com[0], 0.5, 1e-14);
    CLV_NEAR(s.J[0], 6 * (4 + 9) / 12.0, 1e-14);
    CLV_NEAR(s.J[3], 0, 1e-13);
    free_both(&m, &hull);
    for (int i = 0; i < 25; i++)
        assert_true(clv_mesh_point(&m, (double[3]){i % 5, i / 5, i}));
    assert_false(clv_mesh_hull(&hull, &m)); /* a plane */
    free_both(&m, &hull);
    for (int i = 0; i < 9; i++)
        assert_true(clv_mesh_point(&m, (double[3]){1, 2, 3}));
    assert_false(clv_mesh_hull(&hull, &m));
    free_both(&m, &hull);
}

/* Every beginning of a file, and files with a byte changed; memory of its own shows a byte read past the end. */
static void damaged_files_are_survived(void **state)
{
    (void)state;
    clv_mesh obj = read("brick.obj", brick, sizeof brick - 1);
    size_t size[3] = {sizeof brick - 1};
    char *text[3] = {malloc(sizeof brick)};
    memcpy(text[0], brick, sizeof brick);
    text[1] = stl_of(&obj, &size[1]);
    text[2] = msh_of(&obj, &size[2]);
    const char *const name[] = {"a.obj", "a.stl", "a.msh"};
    unsigned random = 1;
    for (int i = 0; i < 3; i++)
        for (size_t n = 0; n < size[i] + 1500; n++) {
            clv_mesh m = {0};
            clv_solid s;
            const size_t kept = n < size[i] ? n : size[i];
            char *copy = malloc(kept + !kept);
            memcpy(copy, text[i], kept);
            random = random * 1103515245u + 12345u;
            if (n >= size[i])
                copy[random / 7 % kept] = (char)(random >> 16);
            if (clv_mesh_read(&m, name[i], copy, kept))
                clv_mesh_solid(&s, &m, n % 2);
            else
                assert_true(m.problem || m.memory);
            clv_mesh_free(&m);
            free(copy);
        }
    for (int i = 0; i < 3; i++)
        free(text[i]);
    clv_mesh_free(&obj);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_gives_the_solid),
        cmocka_unit_test(concave_faces_are_plane),
        cmocka_unit_test(bad_files_are_refused),
        cmocka_unit_test(hulls_hold_all_points),
        cmocka_unit_test(a_hull_is_the_solid_of_a_brick),
        cmocka_unit_test(damaged_files_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
