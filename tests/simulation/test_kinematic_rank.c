/* SPDX-License-Identifier: Apache-2.0
 * Redundant rows by kinematics (T163): Miura-ori, a net of panels on hinges with one degree of freedom.  Every vertex
 * is a loop of four hinges, and nearly all rows are redundant.  Nearly flat, its hinges are weak constraints beside
 * them, with pivots down to 1e-13.  Accelerations are those of the closed form of the fold. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "cleave/cleave.h"
#include "near.h"
#include "simulation/sim.h"

enum { MOST = 80 }; /* panels */
static const double SIDE = 0.1, SECTOR = 1.0471975511965976, MASS = 0.1, GRAVITY = 9.81; /* m, rad, kg, m/s^2 */
static const double INERTIA[3] = {1e-4, 1e-4, 1.5e-4};

/* ---------------------------------------------------------------- the fold (Schenk and Guest 2013) */

static void vertex(double x[3], int i, int j, double fold)
{
    const double t = cos(fold) * tan(SECTOR), h = sin(fold) * sin(SECTOR), along = SIDE / sqrt(1 + t * t);
    x[0] = i * along * t;
    x[1] = j * SIDE * sqrt(1 - h * h) + (i % 2) * along;
    x[2] = (j % 2) * SIDE * h;
}

typedef struct pose {
    double R[3][3], c[3]; /* of the panel: axes as columns; centre */
} pose;

static void cross(double *c, const double *a, const double *b)
{
    for (int k = 0; k < 3; k++)
        c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* of panel (i, j) in the axes of the pattern */
static pose panel(int i, int j, double fold)
{
    double p[4][3], e[3][3], size[2] = {0, 0};
    pose x;
    for (int k = 0; k < 4; k++)
        vertex(p[k], i + k % 2, j + k / 2, fold);
    for (int k = 0; k < 3; k++) {
        x.c[k] = (p[0][k] + p[1][k] + p[2][k] + p[3][k]) / 4;
        e[0][k] = p[1][k] - p[0][k], e[1][k] = p[2][k] - p[0][k];
    }
    cross(e[2], e[0], e[1]);
    for (int k = 0; k < 3; k++)
        size[0] += e[0][k] * e[0][k], size[1] += e[2][k] * e[2][k];
    for (int k = 0; k < 3; k++)
        e[0][k] /= sqrt(size[0]), e[2][k] /= sqrt(size[1]);
    cross(e[1], e[2], e[0]);
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++)
            x.R[k][l] = e[l][k];
    return x;
}

/* a of b^-1, or its product with b */
static pose times(const pose *a, const pose *b, bool inverse)
{
    pose x = {0};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < 3; j++)
                x.R[i][j] += a->R[i][k] * (inverse ? b->R[j][k] : b->R[k][j]);
    for (int i = 0; i < 3; i++) {
        x.c[i] = a->c[i];
        for (int k = 0; k < 3; k++)
            x.c[i] += inverse ? -x.R[i][k] * b->c[k] : a->R[i][k] * b->c[k];
    }
    return x;
}

/* of panel (i, j) at a fold, with panel (0, 0) where it is at the start */
static pose moved(int i, int j, double start, double fold)
{
    const pose ground = panel(0, 0, start), now = panel(0, 0, fold), p = panel(i, j, fold);
    const pose back = times(&ground, &now, true);
    return times(&back, &p, false);
}

/* V (6): rotation, then translation of the centre, for a unit of the fold */
static void motion(double V[6], int i, int j, double start)
{
    const double h = 1e-5;
    const pose a = moved(i, j, start, start - h), b = moved(i, j, start, start + h), now = panel(i, j, start);
    double W[3][3] = {{0}};
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++)
                W[r][c] += (b.R[r][k] - a.R[r][k]) / (2 * h) * now.R[c][k];
    V[0] = W[2][1], V[1] = W[0][2], V[2] = W[1][0];
    for (int k = 0; k < 3; k++)
        V[3 + k] = (b.c[k] - a.c[k]) / (2 * h);
}

/* ---------------------------------------------------------------- the model */

static int name_of(int i, int j, int n) { return i + j * n - 1; } /* body, or the ground */

static clv_model *origami(int n, int m, double fold)
{
    clv_model *model;
    assert_int_equal(clv_model_create(&model, "miura"), CLV_OK);
    assert_int_equal(clv_model_set_gravity(model, (const double[3]){0, 0, -GRAVITY}), CLV_OK);
    for (int k = 1; k < n * m; k++) {
        clv_body_desc d = clv_body_desc_default();
        const pose x = panel(k % n, k / n, fold);
        char name[16];
        int body;
        snprintf(name, sizeof name, "p%d", k);
        d.name = name, d.mass = MASS, d.placed = true;
        memcpy(d.inertia, INERTIA, sizeof INERTIA), memcpy(d.position, x.c, sizeof x.c);
        assert_int_equal(clv_model_add_body(model, &body, &d), CLV_OK);
        assert_int_equal(body, k - 1);
    }
    for (int k = 0, joints = 0; k < 2 * n * m; k++) {
        const int i = k / 2 % n, j = k / 2 / n, across = k % 2, to[2] = {i + !across, j + across};
        clv_joint_desc d = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
        char name[16];
        double p[2][3];
        if (to[0] == n || to[1] == m)
            continue;
        vertex(p[0], to[0], to[1], fold), vertex(p[1], i + 1, j + 1, fold);
        snprintf(name, sizeof name, "h%d", joints++);
        d.name = name, d.a = i + j > 0 ? name_of(i, j, n) : CLV_GROUND, d.b = name_of(to[0], to[1], n), d.global = true;
        for (int c = 0; c < 3; c++)
            d.at[c] = (p[0][c] + p[1][c]) / 2, d.axis[c] = p[1][c] - p[0][c];
        assert_int_equal(clv_model_add_joint(model, NULL, &d), CLV_OK);
    }
    assert_int_equal(clv_model_finish(model), CLV_OK);
    return model;
}

/* largest error of the accelerations of the centres beside the largest acceleration */
static double error_of(const clv_sim *s, int n, int m, double fold)
{
    double V[MOST][6], mass = 0, force = 0, most = 0, error = 0;
    for (int k = 1; k < n * m; k++) {
        motion(V[k], k % n, k / n, fold);
        for (int c = 0; c < 3; c++)
            mass += INERTIA[c] * V[k][c] * V[k][c] + MASS * V[k][3 + c] * V[k][3 + c];
        force -= MASS * GRAVITY * V[k][5];
    }
    for (int k = 1; k < n * m; k++)
        for (int c = 0; c < 3; c++) {
            const double a = V[k][3 + c] * force / mass;
            most = fmax(most, fabs(a));
            error = fmax(error, fabs(clv_sim_acceleration(s)[6 * (k - 1) + c] - a));
        }
    return error / most;
}

static const int SIZE[][2] = {{3, 3}, {6, 5}, {8, 9}};

/* redundant rows of n x m panels: 6 rows a loop, 1 degree of freedom, a coordinate a hinge */
static int redundant(int n, int m) { return 6 * (n - 1) * (m - 1) + 1 - (2 * n * m - n - m); }

static clv_sim *begin(const clv_model *model, const char *formulation)
{
    clv_sim_options o = clv_sim_options_default();
    clv_sim *s;
    o.formulation = formulation;
    if (clv_sim_create(&s, model, &o) != CLV_OK || clv_sim_evaluate(s) != CLV_OK)
        fail_msg("%s, %s: %s", clv_model_name(model), formulation, clv_sim_error(s)->message);
    return s;
}

/* One degree of freedom, and the accelerations of the fold, also where it is nearly flat. */
static void test_fold(void **state)
{
    (void)state;
    static const double fold[] = {0.6, 1e-2, 1e-3, 1e-4, 3e-5};
    static const char *const formulation[] = {"hdca", "massmatrix", "connection"};
    for (size_t k = 0; k < sizeof SIZE / sizeof *SIZE; k++)
        for (size_t f = 0; f < sizeof fold / sizeof *fold; f++) {
            const int n = SIZE[k][0], m = SIZE[k][1];
            clv_model *model = origami(n, m, fold[f]);
            for (int w = 0; w < 3; w++) {
                clv_sim *s = begin(model, formulation[w]);
                clv_sim_report r;
                clv_sim_summary(s, &r);
                assert_int_equal(r.mobility_found, 1);
                assert_int_equal(r.redundant_constraints, redundant(n, m));
                CLV_NEAR(error_of(s, n, m, fold[f]), 0, fold[f] < 1e-3 ? 2e-6 : 1e-8);
                clv_sim_destroy(s);
            }
            clv_model_destroy(model);
        }
}

/* Flat, each of its lines may fold, to first order. */
static void test_flat(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof SIZE / sizeof *SIZE; k++) {
        const int n = SIZE[k][0], m = SIZE[k][1];
        clv_model *model = origami(n, m, 0);
        clv_sim *s = begin(model, "dca");
        clv_sim_report r;
        int counted;
        clv_sim_summary(s, &r);
        assert_int_equal(clv_kinematic_rank(s, &counted), CLV_OK);
        assert_int_equal(counted, r.redundant_constraints);
        assert_int_equal(r.mobility_found, n + m - 2);
        clv_sim_destroy(s), clv_model_destroy(model);
    }
}

/* The count by kinematics is that of the nodes where both are clear, of masses as well. */
static void test_nodes(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof SIZE / sizeof *SIZE; k++) {
        clv_model *model = origami(SIZE[k][0], SIZE[k][1], 0.6);
        clv_sim *s = begin(model, "dca");
        int counted;
        assert_int_equal(clv_kinematic_rank(s, &counted), CLV_OK);
        assert_int_equal(counted, s->system.engine.truncated);
        assert_false(s->kinematic);
        clv_sim_destroy(s), clv_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fold), cmocka_unit_test(test_flat),
                                       cmocka_unit_test(test_nodes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
