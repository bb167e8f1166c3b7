/* SPDX-License-Identifier: Apache-2.0
 * Points on curves (T121): the splines themselves, beads on an ellipse and a helix and a cam against closed forms and
 * motions of other kinds, random systems against the oracle, files, what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "cleave/cleave.h"
#include "io/yaml_write.h"
#include "math/rotation.h"
#include "math/sincos.h"
#include "model/curve.h"
#include "model/fingerprint.h"
#include "near.h"
#include "oracle/oracle.h"
#include "oracle/random_system.h"
#include "simulation/sim.h"

#define OK(call) assert_int_equal(call, CLV_OK)
static const char *const formulations[] = {"hdca", "dca", "connection", "massmatrix", "aldca", "index3"};
enum { FORMULATIONS = 5, ALL = 6, POINTS = 200 };

/* points of an ellipse with half axes a and b, of a helix of radius a and pitch b per radian */
static void ellipse(double *x, int n, double a, double b)
{
    for (int i = 0; i < n; i++)
        x[3 * i] = a * cos(2 * CLV_PI * i / n), x[3 * i + 1] = b * sin(2 * CLV_PI * i / n), x[3 * i + 2] = 0;
}
static void helix(double *x, int n, double a, double b)
{
    for (int i = 0; i < n; i++)
        x[3 * i] = a * cos(0.05 * i), x[3 * i + 1] = a * sin(0.05 * i), x[3 * i + 2] = 0.05 * b * i;
}

/* ------------------------------------------------------------------ splines */

static void a_circle_is_round(void **state)
{
    (void)state;
    double x[3 * POINTS];
    ellipse(x, POINTS, 2, 2);
    clv_curve *k = clv_curve_create(x, POINTS, true);
    random_stream r = {1};
    assert_int_equal(clv_curve_points(k), POINTS), assert_int_equal(clv_curve_cusp(k), -1);
    for (int i = 0; i < 500; i++) {
        double p[3] = {random_normal(&r), random_normal(&r), random_normal(&r)};
        const double flat = hypot(p[0], p[1]);
        if (flat < 0.5) /* near the centre of curvature small errors turn far */
            continue;
        clv_curve_place at;
        clv_curve_nearest(k, p, &at);
        CLV_NEAR(at.c[0], 2 * p[0] / flat, 1e-5), CLV_NEAR(at.c[1], 2 * p[1] / flat, 1e-5), CLV_NEAR(at.c[2], 0, 0);
        CLV_NEAR(fabs(at.n[0][2]), 1, 1e-15); /* the first normal is that of the plane */
        CLV_NEAR(clv_dot3(at.t, at.n[1]), 0, 1e-15);
        CLV_NEAR(clv_norm3(at.c2) / clv_dot3(at.c1, at.c1), 0.5, 1e-4);
    }
    clv_curve_free(k);
}

/* The place found is nearer than every other one; its normals are orthogonal, and move as their derivatives say. */
static void the_nearest_place_is_the_nearest(void **state)
{
    (void)state;
    random_stream r = {2};
    for (int i = 0; i < 200; i++) {
        const int n = 3 + random_index(&r, 12);
        const bool closed = i % 2;
        double x[45];
        for (int k = 0; k < n; k++) {
            const double phi = 2 * CLV_PI * k / n, radius = 2 + 0.3 * random_normal(&r);
            x[3 * k] = radius * cos(phi), x[3 * k + 1] = radius * sin(phi), x[3 * k + 2] = 0.5 * random_normal(&r);
        }
        clv_curve *k = clv_curve_create(x, n, closed);
        if (clv_curve_cusp(k) >= 0) {
            clv_curve_free(k);
            continue;
        }
        double p[3], away[3], least;
        for (int c = 0; c < 3; c++)
            p[c] = 2 * random_normal(&r);
        clv_curve_place at, to;
        clv_curve_nearest(k, p, &at);
        clv_sub3(away, p, at.c);
        least = clv_norm3(away);
        CLV_NEAR(clv_dot3(away, at.t), 0, 1e-12 * (1 + least));
        for (int g = 0; g < n; g++) { /* no point of the table is nearer */
            clv_sub3(away, p, x + 3 * g);
            assert_true(clv_norm3(away) >= least - 1e-12);
        }
        for (int g = 0; g < 2; g++) {
            CLV_NEAR(clv_dot3(at.n[g], at.n[g]), 1, 1e-14), CLV_NEAR(clv_dot3(at.n[g], at.t), 0, 1e-14);
            CLV_NEAR(clv_dot3(at.nd[g], at.n[g]), 0, 1e-12);
        }
        const double h = 1e-6;
        for (int c = 0; c < 3; c++)
            p[c] = at.c[c] + h * at.c1[c];
        clv_curve_nearest(k, p, &to);
        for (int g = 0; g < 2 && fabs(to.s - at.s - h) < 0.01 * h; g++)
            for (int c = 0; c < 3; c++)
                CLV_NEAR((to.n[g][c] - at.n[g][c]) / h, at.nd[g][c], 1e-3 * (1 + clv_norm3(at.nd[g])));
        clv_curve_free(k);
    }
}

/* What is no number comes back from a search that ends. */
static void a_search_always_ends(void **state)
{
    (void)state;
    const double x[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0}, odd[] = {NAN, INFINITY, -INFINITY, 1e300, 0};
    for (int closed = 0; closed < 2; closed++) {
        clv_curve *k = clv_curve_create(x, 4, closed);
        for (int i = 0; i < 125; i++) {
            const double p[3] = {odd[i % 5], odd[i / 5 % 5], odd[i / 25]};
            clv_curve_place at;
            clv_curve_nearest(k, p, &at);
        }
        clv_curve_free(k);
    }
}

/* ------------------------------------------------------------------ motions */

/* a ball of `mass` whose middle keeps to a curve on the ground */
static clv_model *bead(const double *x, int n, bool closed, const double at[3], const double v[3], const double g[3])
{
    clv_model *m;
    clv_body_desc b = clv_body_desc_default();
    clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_POINT_ON_CURVE);
    OK(clv_model_create(&m, "bead")), OK(clv_model_set_gravity(m, g));
    b.name = "bead", b.mass = 3, b.inertia[0] = b.inertia[1] = b.inertia[2] = 0.1;
    b.placed = b.moving = true;
    clv_copy3(b.position, at), clv_copy3(b.velocity, v);
    OK(clv_model_add_body(m, NULL, &b));
    j.name = "wire", j.a = CLV_GROUND, j.b = 0, j.curve = x, j.ncurve = n, j.curve_closed = closed;
    OK(clv_model_add_joint(m, NULL, &j));
    if (clv_model_finish(m) != CLV_OK)
        fail_msg("%s", clv_model_error(m)->message);
    return m;
}

static clv_sim *start(const clv_model *m, int f, double rtol)
{
    clv_sim_options o = clv_sim_options_default();
    clv_sim *s;
    o.formulation = formulations[f], o.rtol = rtol, o.atol = rtol;
    if (f == FORMULATIONS)
        o.step = 5e-4;
    if (clv_sim_create(&s, m, &o) != CLV_OK)
        fail_msg("%s: %s", formulations[f], clv_sim_error(s)->message);
    return s;
}

/* Without gravity a bead keeps its speed on any curve: it goes around an ellipse in circumference / speed. */
static void a_bead_goes_around_at_its_speed(void **state)
{
    (void)state;
    double x[3 * POINTS], length = 0;
    const double at[3] = {1.5, 0, 0}, v[3] = {0, 2, 0}, none[3] = {0, 0, 0};
    ellipse(x, POINTS, 1.5, 0.8);
    for (int i = 0; i < 1000000; i++) { /* 2 (a^2 sin^2 + b^2 cos^2)^(1/2) */
        const double phi = CLV_PI * (i + 0.5) / 1e6;
        length += 2 * CLV_PI / 1e6 * hypot(1.5 * sin(phi), 0.8 * cos(phi));
    }
    clv_model *m = bead(x, POINTS, true, at, v, none);
    for (int f = 0; f < ALL; f++) {
        clv_sim *s = start(m, f, 1e-10);
        OK(clv_sim_advance(s, length / 2));
        const double tolerance = f == FORMULATIONS ? 2e-5 : 1e-6; /* that of the spline is 1e-7 */
        CLV_NEAR(clv_sim_position(s)[0], 1.5, tolerance), CLV_NEAR(clv_sim_position(s)[1], 0, tolerance);
        clv_sim_report now;
        clv_sim_summary(s, &now);
        assert_true(now.max_position_violation < 1e-9);
        CLV_NEAR(now.max_energy_drift, 0, f == FORMULATIONS ? 1e-4 : 1e-5);
        clv_sim_destroy(s);
    }
    clv_model_destroy(m);
}

/* On a helix of radius a and rise b the weight drives it by g b / (a^2 + b^2)^(1/2).  Its ends go on as lines. */
static void a_bead_slides_down_a_helix(void **state)
{
    (void)state;
    double x[3 * POINTS];
    const double a = 0.7, b = 0.3, v[3] = {0, 0, 0}, g[3] = {0, 0, -9.81};
    helix(x, POINTS, a, b);
    clv_model *m = bead(x, POINTS, false, x + 3 * 150, v, g);
    for (int f = 0; f < ALL; f++) {
        clv_sim *s = start(m, f, 1e-10);
        const double slope = b / hypot(a, b);
        OK(clv_sim_advance(s, 0.6));
        const double height = x[452] - 0.5 * 9.81 * slope * slope * 0.36;
        CLV_NEAR(clv_sim_position(s)[2], height, f == FORMULATIONS ? 1e-5 : 1e-6);
        clv_sim_destroy(s);
    }
    /* along the end of a wire: a line */
    clv_sim *s = start(m, 0, 1e-10);
    OK(clv_sim_advance(s, 4));
    double dx[3], t[3] = {0, 0, 0};
    const double *at = clv_sim_position(s), *speed = clv_sim_velocity(s);
    clv_sub3(dx, at, x);
    for (int i = 0; i < 3; i++)
        t[i] = speed[i];
    double y[3];
    clv_cross(y, dx, t);
    assert_true(clv_sim_position(s)[2] < 0);
    CLV_NEAR(clv_norm3(y) / clv_norm3(t), 0, 1e-8);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* A round cam, turned about a point off its middle by e, lifts an edge to e sin(p) + (r^2 - e^2 cos^2 p)^(1/2). */
static void a_cam_lifts_its_follower(void **state)
{
    (void)state;
    static const char head[] =
        "cleave: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
        "  cam: {mass: 2, inertia: [0.01, 0.01, 0.01]}\n  follower: {mass: 0.5, inertia: [1e-3, 1e-3, 1e-3]}\n"
        "joints:\n  shaft: {kind: revolute, between: [ground, cam], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  guide: {kind: prismatic, a: {body: ground, orientation: {axis: [1, 0, 0], angle: -90 deg}}, "
        "b: {body: follower, orientation: {axis: [1, 0, 0], angle: -90 deg}}}\n"
        "  edge: {kind: point-on-curve, a: {body: cam}, b: {body: follower}, closed: true, curve: [";
    static const char tail[] = "]}\nmotions: {turn: {joint: shaft, rate: 12}}\nstart: {joints: {guide: {q: 0.09}}}\n";
    const double r = 0.1, e = 0.03;
    char *text = malloc(20000);
    int n = snprintf(text, 20000, "%s", head);
    for (int i = 0; i < 120; i++)
        n += snprintf(text + n, 20000 - (size_t)n, "%s[%.17g, %.17g, 0]", i ? ", " : "",
                      e + r * cos(2 * CLV_PI * i / 120), r * sin(2 * CLV_PI * i / 120));
    snprintf(text + n, 20000 - (size_t)n, "%s", tail);
    clv_model *m;
    if (clv_model_read_text(&m, text, strlen(text), "cam") != CLV_OK)
        fail_msg("%s: %s", clv_model_error(m)->path, clv_model_error(m)->message);
    free(text);
    for (int f = 0; f < ALL; f++) {
        clv_sim *s = start(m, f, 1e-10);
        double q[21], u[18];
        OK(clv_sim_advance(s, 0.4)), OK(clv_sim_coordinates(s, q, u));
        const double p = 12 * 0.4, root = sqrt(r * r - e * e * cos(p) * cos(p));
        const double tolerance = f == FORMULATIONS ? 1e-5 : 2e-7;
        CLV_NEAR(q[7], e * sin(p) + root, tolerance);
        CLV_NEAR(u[6], 12 * (e * cos(p) + e * e * sin(p) * cos(p) / root), 100 * tolerance);
        clv_joint_result j;
        OK(clv_sim_evaluate(s)), OK(clv_sim_joint(s, 2, &j));
        const double c2 = cos(2 * p), s2 = sin(2 * p);
        const double a = 144 * (-e * sin(p) + e * e * c2 / root - e * e * e * e * s2 * s2 / (4 * root * root * root));
        /* the force across the edge carries weight and acceleration of the follower */
        CLV_NEAR(j.force[1], 0.5 * (9.81 + a), f == FORMULATIONS ? 0.05 : 1e-3);
        clv_sim_destroy(s);
    }
    clv_model_destroy(m);
}

/* ------------------------------------------------------------------ random systems */

/* Two floating trees of three bodies each; points of one on curves of the other, of itself and of the ground. */
static clv_model *random_wires(random_stream *r)
{
    clv_model *m;
    const double g[3] = {1, 0, -9.81};
    OK(clv_model_create(&m, "wires")), OK(clv_model_set_gravity(m, g));
    for (int i = 0; i < 6; i++) {
        char name[8];
        clv_body_desc b = clv_body_desc_default();
        snprintf(name, sizeof name, "b%d", i);
        b.name = name, b.mass = 1 + random_uniform(r, 0, 1);
        for (int k = 0; k < 3; k++)
            b.inertia[k] = 0.3 + 0.1 * random_uniform(r, 0, 1), b.com[k] = 0.2 * random_normal(r);
        OK(clv_model_add_body(m, NULL, &b));
        static const clv_joint_kind kinds[] = {CLV_JOINT_REVOLUTE, CLV_JOINT_SPHERICAL, CLV_JOINT_UNIVERSAL};
        clv_joint_desc j = clv_joint_desc_default(i % 3 == 0 ? CLV_JOINT_FREE : kinds[random_index(r, 3)]);
        name[0] = 'j';
        j.name = name, j.a = i % 3 == 0 ? CLV_GROUND : i - 1, j.b = i;
        for (int k = 0; k < 3; k++)
            j.position_a[k] = i % 3 != 0 ? random_normal(r) : i == 3 && k == 0 ? 3 : 0,
            j.position_b[k] = 0.3 * random_normal(r);
        j.has_u = true;
        for (int k = 0; k < 6; k++)
            j.u[k] = 0.5 * random_normal(r);
        OK(clv_model_add_joint(m, NULL, &j));
    }
    const int a[3] = {2, CLV_GROUND, 0}, b[3] = {5, 4, 2};
    for (int i = 0; i < 3; i++) {
        double x[3 * 9];
        for (int k = 0; k < 9; k++) {
            const double phi = 2 * CLV_PI * k / 9;
            x[3 * k] = (2 + 0.1 * random_normal(r)) * cos(phi);
            x[3 * k + 1] = (2 + 0.1 * random_normal(r)) * sin(phi), x[3 * k + 2] = 0.3 * random_normal(r);
        }
        char name[8];
        snprintf(name, sizeof name, "wire%d", i);
        clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_POINT_ON_CURVE);
        j.name = name, j.a = a[i], j.b = b[i], j.curve = x, j.ncurve = 9, j.curve_closed = i != 1;
        for (int k = 0; k < 3; k++)
            j.position_a[k] = 0.5 * random_normal(r), j.position_b[k] = 0.5 * random_normal(r);
        OK(clv_model_add_joint(m, NULL, &j));
    }
    if (clv_model_finish(m) != CLV_OK)
        fail_msg("%s", clv_model_error(m)->message);
    return m;
}

/* largest difference of accelerations over the largest one, and over the condition */
static double away_from_oracle(clv_sim *s)
{
    oracle *o = oracle_create(s->model);
    real *a = malloc((size_t)o->n * sizeof(real)), most = 0, off = 0;
    oracle_set(o, 0, s->system.kin.com, s->system.kin.R, s->out_V, NULL);
    oracle_project_velocity(o);
    oracle_accelerations(o, a, NULL);
    for (int i = 0; i < o->n; i++)
        most = fmaxl(most, fabsl(a[i])), off = fmaxl(off, fabsl(a[i] - (real)s->out_A[i]));
    const double ratio = (double)(off / most / (2.2e-16L * o->condition));
    free(a), oracle_destroy(o);
    return ratio;
}

static void accelerations_agree_with_the_oracle(void **state)
{
    (void)state;
    random_stream r = {121};
    double worst = 0;
    int systems = 0;
    for (int i = 0; i < 60; i++) {
        clv_model *m = random_wires(&r);
        for (int f = 0; f < ALL; f++) {
            clv_sim_options o = clv_sim_options_default();
            clv_sim *s;
            o.formulation = formulations[f];
            if (clv_sim_create(&s, m, &o) != CLV_OK) { /* the trees do not reach their wires */
                assert_int_equal(clv_sim_error(s)->code, CLV_ERR_INCONSISTENT);
                clv_sim_destroy(s);
                break;
            }
            systems += f == 0;
            OK(clv_sim_evaluate(s));
            const double ratio = away_from_oracle(s);
            if (!(ratio <= 100))
                print_error("system %d, %s: %g eps cond\n", i, formulations[f], ratio);
            worst = fmax(worst, ratio);
            clv_sim_destroy(s);
        }
        clv_model_destroy(m);
    }
    print_message("worst of %d: %g eps cond\n", systems, worst);
    assert_true(systems >= 40 && worst <= 100);
}

/* hdca integrates momenta with impulses of these rows, the others accelerations: one motion.  Energy is kept. */
static void motions_agree(void **state)
{
    (void)state;
    random_stream r = {122};
    for (int i = 0, systems = 0; systems < 5; i++) {
        clv_model *m = random_wires(&r);
        double first[18];
        for (int f = 0; f < FORMULATIONS; f++) {
            clv_sim_options o = clv_sim_options_default();
            clv_sim *s;
            o.formulation = formulations[f], o.rtol = o.atol = 1e-10;
            if (clv_sim_create(&s, m, &o) != CLV_OK) {
                clv_sim_destroy(s);
                break;
            }
            systems += f == 0;
            OK(clv_sim_advance(s, 0.3));
            for (int k = 0; k < 18; k++)
                if (f == 0)
                    first[k] = clv_sim_position(s)[k];
                else
                    CLV_NEAR(clv_sim_position(s)[k], first[k], 1e-6 * (1 + fabs(first[k])));
            clv_sim_report now;
            clv_sim_summary(s, &now);
            CLV_NEAR(now.max_energy_drift, 0, 1e-5);
            clv_sim_destroy(s);
        }
        assert_true(i < 40);
        clv_model_destroy(m);
    }
}

/* ------------------------------------------------------------------ files and refusals */

static void models_come_back_from_files(void **state)
{
    (void)state;
    random_stream r = {123};
    for (int i = 0; i < 10; i++) {
        clv_model *m = random_wires(&r), *again;
        char *text;
        size_t size;
        OK(clv_model_write_text(m, &text, &size));
        if (clv_model_read_text(&again, text, size, NULL) != CLV_OK)
            fail_msg("%s: %s", clv_model_error(again)->path, clv_model_error(again)->message);
        assert_true(clv_model_fingerprint(m) == clv_model_fingerprint(again));
        clv_free(text), clv_model_destroy(m), clv_model_destroy(again);
    }
}

static void descriptions_are_checked(void **state)
{
    (void)state;
    const double two[6] = {0, 0, 0, 1, 0, 0}, same[9] = {0, 0, 0, 1, 0, 0, 1, 0, 0}, odd[6] = {0, 0, 0, NAN, 0, 0},
                 round[9] = {1, 0, 0, 0, 1, 0, 1, 0, 0}, back[9] = {0, 0, 0, 1, 0, 0, 0.001, 1e-9, 0};
    const struct {
        const double *x;
        int n;
        bool closed, added;
    } of[] = {{two, 2, false, true},  {two, 1, false, false},   {two, 2, true, false},  {NULL, 2, false, false},
              {two, -1, false, false}, {same, 3, false, false}, {odd, 2, false, false}, {round, 3, true, false},
              {back, 3, false, true}};
    for (int i = 0; i < 9; i++) {
        clv_model *m;
        clv_body_desc b = clv_body_desc_default();
        clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_POINT_ON_CURVE);
        OK(clv_model_create(&m, "a"));
        b.name = "a", b.mass = 1, b.inertia[0] = b.inertia[1] = b.inertia[2] = 1;
        OK(clv_model_add_body(m, NULL, &b));
        j.name = "j", j.a = CLV_GROUND, j.b = 0, j.curve = of[i].x, j.ncurve = of[i].n, j.curve_closed = of[i].closed;
        const clv_status st = clv_model_add_joint(m, NULL, &j);
        if (of[i].added)
            OK(st);
        else
            assert_int_equal(st, CLV_ERR_MODEL);
        if (i == 8) { /* it turns back on the spot */
            assert_int_equal(clv_model_finish(m), CLV_ERR_MODEL);
            assert_non_null(strstr(clv_model_error(m)->message, "corner behind point"));
        }
        clv_model_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_circle_is_round),
                                       cmocka_unit_test(the_nearest_place_is_the_nearest),
                                       cmocka_unit_test(a_search_always_ends),
                                       cmocka_unit_test(a_bead_goes_around_at_its_speed),
                                       cmocka_unit_test(a_bead_slides_down_a_helix),
                                       cmocka_unit_test(a_cam_lifts_its_follower),
                                       cmocka_unit_test(accelerations_agree_with_the_oracle),
                                       cmocka_unit_test(motions_agree),
                                       cmocka_unit_test(models_come_back_from_files),
                                       cmocka_unit_test(descriptions_are_checked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
