/* SPDX-License-Identifier: Apache-2.0
 * Single joints against MSC ADAMS: positions, orientations, velocities, accelerations and the reaction on the ground,
 * built through the public interface.  The files of the reference folder are compared row by row (0.05 s);
 * carried_adams.h keeps three rows of each, so that the test means something without the folder. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "near.h"
#include "reference/carried_adams.h"
#include "reference/run.h"

#define G    9.80665
#define HALF 0.70710678118654752

/* Columns of a row: time, position, quaternion, velocity, angular velocity, acceleration, angular acceleration, force
 * and torque on the ground at the joint's point on it; global axes. */
enum { WIDTH = 26 };

typedef struct adams_case {
    const char *name;
    clv_joint_kind kind; /* CLV_JOINT_KINDS: spring-damper                                          */
    double at[3];        /* m, joint or ground point                                                */
    double turn;         /* rad, joint frame about x                                                */
    double point[3];     /* m, point on the body: distance and spring                               */
    double com[3], e[4]; /* m, -, start of the body: distance and spring                            */
    double k, c;         /* N/m, N s/m                                                              */
} adams_case;

#define TURN45 (-0.78539816339744831)
#define TURN90 (-1.5707963267948966)
static const adams_case CASES[] = {
    {"Revolute_Case01", CLV_JOINT_REVOLUTE, {0, 0, 0}, TURN90, {0}, {0}, {0}, 0, 0},
    {"Revolute_Case02", CLV_JOINT_REVOLUTE, {1, 2, 3}, TURN45, {0}, {0}, {0}, 0, 0},
    {"Spherical_Case01", CLV_JOINT_SPHERICAL, {0, 0, 0}, 0, {0}, {0}, {0}, 0, 0},
    {"Spherical_Case02", CLV_JOINT_SPHERICAL, {1, 2, 3}, TURN45, {0}, {0}, {0}, 0, 0},
    {"Prismatic_Case01", CLV_JOINT_PRISMATIC, {0, 0, 0}, 0, {0}, {0}, {0}, 0, 0},
    {"Prismatic_Case02", CLV_JOINT_PRISMATIC, {1, 2, 3}, TURN45, {0}, {0}, {0}, 0, 0},
    {"Prismatic_Case03", CLV_JOINT_PRISMATIC, {1, 2, 3}, TURN90, {0}, {0}, {0}, 0, 0},
    {"Distance_Case01", CLV_JOINT_DISTANCE, {0, 0, 0}, 0, {0, 2, 0}, {0, 2, 0}, {1, 0, 0, 0}, 0, 0},
    {"Distance_Case02", CLV_JOINT_DISTANCE, {1, 2, 3}, 0, {1, 4, 3}, {-1, 4, 3}, {1, 0, 0, 0}, 0, 0},
    {"Distance_Case03", CLV_JOINT_DISTANCE, {0, 0, 0}, 0, {0, 2, 0}, {0, 4, 0}, {HALF, 0, 0, -HALF}, 0, 0},
    {"TranSpring_Case01", CLV_JOINT_KINDS, {0, 0, 0}, 0, {0, 0, 0}, {0, 0, 0}, {1, 0, 0, 0}, 10, 0.5},
    {"TranSpring_Case02", CLV_JOINT_KINDS, {0, 0, 0}, 0, {0, 2, 0}, {0, 2, 0}, {1, 0, 0, 0}, 100, 5},
};

/* a body 2 m along the joint's x axis, its axes parallel to the joint's */
static void add_hung_body(clv_model *m, const adams_case *x, clv_body_desc *b)
{
    clv_joint_desc j = clv_joint_desc_default(x->kind);
    const double e[4] = {cos(x->turn / 2), sin(x->turn / 2), 0, 0};
    for (int i = 0; i < 3; i++)
        b->position[i] = x->at[i] + (i == 0 ? 2 : 0);
    memcpy(b->orientation, e, sizeof e);
    assert_int_equal(clv_model_add_body(m, NULL, b), CLV_OK);
    j.name = "joint", j.a = CLV_GROUND, j.b = 0;
    memcpy(j.position_a, x->at, sizeof j.position_a);
    memcpy(j.orientation_a, e, sizeof e);
    j.position_b[0] = -2;
    assert_int_equal(clv_model_add_joint(m, NULL, &j), CLV_OK);
}

static void add_tied_body(clv_model *m, const adams_case *x, clv_body_desc *b)
{
    memcpy(b->position, x->com, sizeof b->position);
    memcpy(b->orientation, x->e, sizeof b->orientation);
    assert_int_equal(clv_model_add_body(m, NULL, b), CLV_OK);
    if (x->kind == CLV_JOINT_DISTANCE) {
        clv_joint_desc j = clv_joint_desc_default(x->kind);
        j.name = "bar", j.a = CLV_GROUND, j.b = 0, j.global = true;
        memcpy(j.at, x->at, sizeof j.at), memcpy(j.at_b, x->point, sizeof j.at_b);
        assert_int_equal(clv_model_add_joint(m, NULL, &j), CLV_OK);
        return;
    }
    clv_force_desc f = clv_force_desc_default(CLV_FORCE_SPRING);
    f.name = "spring", f.a = CLV_GROUND, f.b = 0, f.stiffness = x->k, f.damping = x->c;
    memcpy(f.point_a, x->at, sizeof f.point_a); /* its point on the body is the centre of mass */
    f.rest = sqrt(pow(x->point[0] - x->at[0], 2) + pow(x->point[1] - x->at[1], 2) + pow(x->point[2] - x->at[2], 2));
    assert_int_equal(clv_model_add_force(m, NULL, &f), CLV_OK);
}

static clv_model *build(const adams_case *x)
{
    clv_model *m;
    const double g[3] = {0, 0, -G};
    clv_body_desc b = clv_body_desc_default();
    assert_int_equal(clv_model_create(&m, x->name), CLV_OK);
    assert_int_equal(clv_model_set_gravity(m, g), CLV_OK);
    b.name = "body", b.mass = 1, b.placed = true;
    b.inertia[0] = 0.04, b.inertia[1] = b.inertia[2] = 0.1;
    if (x->kind == CLV_JOINT_DISTANCE || x->kind == CLV_JOINT_KINDS)
        add_tied_body(m, x, &b);
    else
        add_hung_body(m, x, &b);
    if (clv_model_finish(m) != CLV_OK)
        fail_msg("%s", clv_model_error(m)->message);
    return m;
}

static void row_at(clv_sim *s, const adams_case *x, double row[WIDTH])
{
    assert_int_equal(clv_sim_evaluate(s), CLV_OK);
    const double *r = clv_sim_position(s), *V = clv_sim_velocity(s), *A = clv_sim_acceleration(s);
    row[0] = clv_sim_time(s);
    memcpy(row + 1, r, 3 * sizeof *r), memcpy(row + 4, clv_sim_quaternion(s), 4 * sizeof *r);
    memcpy(row + 8, V, 6 * sizeof *V), memcpy(row + 14, A, 6 * sizeof *A);
    memset(row + 20, 0, 6 * sizeof *row);
    if (x->kind == CLV_JOINT_KINDS) { /* 1 kg: what gravity does not explain of its acceleration */
        for (int i = 0; i < 3; i++)
            row[20 + i] = -(A[i] + (i == 2 ? G : 0));
        return;
    }
    clv_joint_result j;
    assert_int_equal(clv_sim_joint(s, 0, &j), CLV_OK);
    const double *f = j.force;
    double d[3] = {0, 0, 0}; /* joint point on the ground to the one on the body: it slides */
    if (x->kind == CLV_JOINT_PRISMATIC)
        for (int i = 0; i < 3; i++)
            d[i] = r[i] - (x->at[i] + (i == 0 ? 2 : 0));
    const double turned[3] = {d[1] * f[2] - d[2] * f[1], d[2] * f[0] - d[0] * f[2], d[0] * f[1] - d[1] * f[0]};
    for (int i = 0; i < 3; i++)
        row[20 + i] = -f[i], row[23 + i] = -(j.torque[i] + turned[i]);
}

/* excess over six digits of each number: position (and turn), velocity, acceleration and reaction.  ADAMS' forces carry
 * errors (4.90388 N where 4.90332 N is exact, Prismatic_Case02 at 3.8 s), and its torques these times the arm, 70 m
 * there. */
static void note(double worst[3], const double *mine, const double *theirs, const double at[3])
{
    static const int first[4] = {1, 8, 14, WIDTH};
    double arm = fmax(1.0, largest_difference(mine + 1, at, 3));
    for (int k = 0; k < 3; k++)
        for (int i = first[k]; i < first[k + 1]; i++)
            if (!(i >= 4 && i < 8))
                worst[k] = fmax(worst[k],
                                (fabs(mine[i] - theirs[i]) - ADAMS_DIGITS * fabs(theirs[i])) / (i >= 23 ? arm : 1.0));
    worst[0] = fmax(worst[0], turn_between(mine + 4, theirs + 4) - ADAMS_DIGITS);
}

static bool compare(const char *source, const adams_row *allowed, const adams_case *x, const char *formulation,
                    const double *rows, int n)
{
    double worst[3] = {0}, mine[WIDTH];
    clv_model *m = build(x);
    clv_sim *s = open_sim(m, formulation, "dop853", 1e-11);
    for (int k = 0; k < n; k++) {
        advance(s, rows[WIDTH * k]);
        row_at(s, x, mine);
        note(worst, mine, rows + WIDTH * k, x->at);
    }
    bool ok = worst[0] <= allowed->position && worst[1] <= allowed->velocity && worst[2] <= allowed->acceleration;
    printf("%-8s %-18s %-10s %3d rows  position %.1e of %.0e  velocity %.1e of %.0e  acceleration, reaction %.1e of "
           "%.1e%s\n",
           source, x->name, formulation, n, worst[0], allowed->position, worst[1], allowed->velocity, worst[2],
           allowed->acceleration, ok ? "" : "  OVER");
    clv_sim_destroy(s), clv_model_destroy(m);
    return ok;
}

static void carried(void **state)
{
    (void)state;
    bool ok = true;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        assert_string_equal(CASES[i].name, ADAMS[i].name);
        assert_string_equal(CASES[i].name, CARRIED_ADAMS[i].name);
        for (int f = 0; f < 4; f++)
            ok &= compare("carried", &ADAMS[i], &CASES[i], FORMULATIONS[f], CARRIED_ADAMS[i].row[0], 3);
    }
    assert_true(ok);
}

static void files(void **state)
{
    (void)state;
    bool ok = true;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char name[64];
        int n;
        snprintf(name, sizeof name, "adams/%s.csv", CASES[i].name);
        double *rows = read_csv(name, WIDTH, &n);
        assert_true(n > 100);
        for (int f = 0; f < 4; f++)
            ok &= compare("file", &ADAMS[i], &CASES[i], FORMULATIONS[f], rows, n);
        free(rows);
    }
    assert_true(ok);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(carried), cmocka_unit_test(files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
