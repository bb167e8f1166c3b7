/* SPDX-License-Identifier: Apache-2.0
 * Strands in series where loops are carried by the tree (T171): accelerations, momenta and motions agree with those of
 * formulation `massmatrix`, which has no strands between which anything could be missed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "laws/differing.h"
#include "laws/running.h"
#include "simulation/sim.h"

enum { ROOM = 1 << 19 };

typedef struct text {
    char *at;
    size_t used;
} text;
#define ADD(t, ...) ((t)->used += (size_t)snprintf((t)->at + (t)->used, ROOM - (t)->used, __VA_ARGS__))

/* What varies from one mechanism to the next. */
typedef struct shape {
    const char *name;
    int links, from;     /* the path; the link on which it closes, -1: ground                      */
    const char *closing; /* kind of the joint there                                                */
    bool floats;         /* the first link                                                         */
    bool kinds;          /* joints of other kinds than revolute                                    */
    bool limbs;          /* two bodies on every 13th link                                          */
    int side;            /* links of a second path, from link 9, that closes on ground             */
    bool loads;          /* springs to ground, dampers in joints, a drive                          */
    bool twice;          /* the last link is held a second time: redundant rows                    */
    int series;          /* strands in series                                                      */
} shape;

static const shape shapes[] = {
    {"to ground", 60, -1, "spherical", false, false, false, 0, false, false, 4},
    {"to ground, fixed", 100, -1, "fixed", false, true, false, 0, false, false, 4},
    {"between moving bodies", 90, 0, "revolute", false, true, true, 0, false, false, 3},
    {"floating", 70, 3, "universal", true, true, false, 0, true, false, 4},
    {"limbs and loads", 120, -1, "spherical", false, true, true, 0, true, false, 3},
    {"redundant", 64, -1, "revolute", false, false, false, 0, false, true, 4},
    {"eight strands", 300, -1, "spherical", false, true, true, 0, true, false, 8},
    {"a second path", 280, -1, "spherical", false, false, true, 20, true, false, 8},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static const char *kind_of(const shape *s, int k)
{
    return !s->kinds ? "revolute" : k % 17 == 8 ? "spherical" : k % 11 == 5 ? "universal" : k % 13 == 7 ? "prismatic"
                                                                                                    : "revolute";
}

/* joint k of a path, on a curve in space; side: of the second one */
static void place(double x[3], int k, int side)
{
    const double a = 0.11 * k;
    x[0] = 0.8 * sin(a) + 0.02 * k * (side ? -1 : 1), x[1] = 0.7 * (1 - cos(1.3 * a)) + 0.3 * side;
    x[2] = 0.2 * sin(2.1 * a + side);
}

/* k < 0: it closes a loop */
static void add_joint(text *t, const char *name, const char *kind, const char *a, const char *b, const double x[3],
                      int k)
{
    ADD(t, "  %s: {kind: %s, between: [%s, %s], at: [%.17g, %.17g, %.17g]", name, kind, a, b, x[0], x[1], x[2]);
    if (k < 0)
        ADD(t, ", cut: true");
    if (strcmp(kind, "spherical") != 0 && strcmp(kind, "fixed") != 0)
        ADD(t, ", axis: [%d, %d, 1]", abs(k) % 3, 1 - abs(k) % 2);
    ADD(t, "}\n");
}

static void add_path(text *t, const shape *s, int links, const char *start, char letter, int side)
{
    char name[24], a[24], b[24];
    double x[3];
    snprintf(a, sizeof a, "%s", start);
    for (int k = 0; k < links; k++, memcpy(a, b, sizeof a)) {
        snprintf(b, sizeof b, "%c%d", letter, k), snprintf(name, sizeof name, "j%c%d", letter, k);
        place(x, side ? k + 9 : k, side);
        if (k > 0 || side || !s->floats)
            add_joint(t, name, kind_of(s, k), a, b, x, k);
    }
    place(x, side ? links + 9 : links, side);
    snprintf(b, sizeof b, "b%d", s->from);
    snprintf(name, sizeof name, "close%c", letter);
    add_joint(t, name, side ? "spherical" : s->closing, s->from < 0 || side ? "ground" : b, a, x, -1);
    if (s->twice)
        add_joint(t, "again", s->closing, "ground", a, x, -1);
}

static void add_bodies(text *t, int links, char letter, int side)
{
    for (int k = 0; k < links; k++) {
        double x[3];
        place(x, side ? k + 9 : k, side);
        ADD(t, "  %c%d: {mass: %.2f, com: [%.17g, %.17g, %.17g], inertia: [2e-3, 4e-3, 3e-3]}\n", letter, k,
            0.3 + 0.01 * (k % 7), x[0] + 0.03, x[1] + 0.02, x[2]);
    }
}

static void add_limbs(text *t, const shape *s, bool joints)
{
    for (int k = 5; s->limbs && k < s->links; k += 13)
        for (int i = 0; i < 2; i++) {
            char a[24], b[24], name[24];
            double x[3];
            place(x, k, 0), x[2] += 0.1 * (i + 1);
            snprintf(a, sizeof a, i ? "l%d_0" : "b%d", k), snprintf(b, sizeof b, "l%d_%d", k, i);
            snprintf(name, sizeof name, "k%d_%d", k, i);
            if (joints)
                add_joint(t, name, "revolute", a, b, x, k + i);
            else
                ADD(t, "  %s: {mass: 0.2, com: [%.17g, %.17g, %.17g], inertia: [1e-3, 2e-3, 2e-3]}\n", b, x[0], x[1],
                    x[2]);
        }
}

/* a revolute joint in the middle */
static int driven(const shape *s)
{
    int k = s->links / 2;
    while (strcmp(kind_of(s, k), "revolute") != 0)
        k++;
    return k;
}

static void add_loads(text *t, const shape *s)
{
    ADD(t, "forces:\n");
    for (int k = 10; k < s->links; k += 21) {
        ADD(t, "  s%d: {kind: spring-damper, length: 1.5, between: [ground, b%d], points: [[0, 0.1, 2], [0, 0.01, 0]], "
               "stiffness: 30, damping: 0.1}\n", k, k);
        if (strcmp(kind_of(s, k + 1), "revolute") == 0)
            ADD(t, "  d%d: {kind: joint-load, joint: jb%d, damping: 0.01}\n", k, k + 1);
    }
    ADD(t, "motions:\n  m: {joint: jb%d, rate: 0.3}\n", driven(s));
}

static clv_model *model_of(const shape *s)
{
    text t = {malloc(ROOM), 0};
    assert_non_null(t.at);
    ADD(&t, "cleave: 1\nname: series\ngravity: [0.3, 0, -9.81]\nbodies:\n");
    add_bodies(&t, s->links, 'b', 0), add_bodies(&t, s->side, 's', 1), add_limbs(&t, s, false);
    ADD(&t, "joints:\n");
    add_path(&t, s, s->links, "ground", 'b', 0);
    if (s->side > 0)
        add_path(&t, s, s->side, "b9", 's', 1);
    add_limbs(&t, s, true);
    if (s->loads)
        add_loads(&t, s);
    ADD(&t, "start:\n  joints:\n");
    for (int k = 4; k < s->links; k += 9)
        if (strcmp(kind_of(s, k), "revolute") == 0 && k != driven(s))
            ADD(&t, "    jb%d: {u: %.2f}\n", k, 0.05 * (k % 11) - 0.2);
    assert_true(t.used < ROOM - 1);
    clv_model *m = read(t.at);
    free(t.at);
    return m;
}

/* bodies' accelerations and velocities at the start, positions after two steps, and the drift of the energy */
typedef struct answer {
    double *acceleration, *velocity, *position, drift;
} answer;

static answer answer_of(const clv_model *m, const char *formulation, const shape *s)
{
    clv_sim_options o = clv_sim_options_default();
    clv_sim_report r;
    const size_t n = (size_t)clv_model_body_count(m);
    answer x = {malloc(6 * n * sizeof(double)), malloc(6 * n * sizeof(double)), malloc(3 * n * sizeof(double)), 0};
    o.formulation = formulation, o.integrator = "rk4", o.step = 1e-4, o.threads = 1;
    clv_sim *sim = start_with(m, &o);
    assert_true(x.acceleration && x.velocity && x.position);
    if (s) {
        assert_true(sim->system.rows.carried);
        assert_int_equal(sim->system.rows.carry.nseries, s->series);
    }
    assert_int_equal(clv_sim_evaluate(sim), CLV_OK);
    memcpy(x.acceleration, clv_sim_acceleration(sim), 6 * n * sizeof(double));
    memcpy(x.velocity, clv_sim_velocity(sim), 6 * n * sizeof(double));
    advance(sim, 2e-3);
    memcpy(x.position, clv_sim_position(sim), 3 * n * sizeof(double));
    clv_sim_summary(sim, &r);
    x.drift = r.max_energy_drift;
    clv_sim_destroy(sim);
    return x;
}

static void give_back(answer *x) { free(x->acceleration), free(x->velocity), free(x->position); }

static void series_agree_with_the_mass_matrix(void **state)
{
    (void)state;
    for (int i = 0; i < SHAPES; i++) {
        clv_model *m = model_of(&shapes[i]);
        const size_t n = (size_t)clv_model_body_count(m);
        answer right = answer_of(m, "massmatrix", NULL);
        const char *const formulations[] = {"dca", "hdca"};
        for (int f = 0; f < 2; f++) {
            answer x = answer_of(m, formulations[f], &shapes[i]);
            const double a = difference(x.acceleration, right.acceleration, 6 * n),
                         v = difference(x.velocity, right.velocity, 6 * n),
                         p = difference(x.position, right.position, 3 * n);
            print_message("%s, %s: accelerations %.1e, velocities %.1e, positions %.1e; energy %.1e J\n",
                          shapes[i].name, formulations[f], a, v, p, x.drift);
            /* momenta of long chains leave fewer digits to their rates, with nodes as with series */
            assert_true(a < 1e-11 && v < (f == 1 ? 1e-10 : 1e-13) && p < (f == 1 ? 1e-10 : 1e-13));
            give_back(&x);
        }
        give_back(&right);
        clv_model_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(series_agree_with_the_mass_matrix)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
