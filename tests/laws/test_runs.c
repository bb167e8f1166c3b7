/* SPDX-License-Identifier: Apache-2.0
 * Long runs of strands (T159): their lanes are joined all at once.  Accelerations and motions agree with those of
 * formulation `connection`, which joins the same bodies in nodes. */
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

enum { ROOM = 1 << 23 };

typedef struct text {
    char *at;
    size_t used;
} text;
#define ADD(t, ...) ((t)->used += (size_t)snprintf((t)->at + (t)->used, ROOM - (t)->used, __VA_ARGS__))

/* What varies from one mechanism to the next. */
typedef struct shape {
    const char *name;
    int links;
    bool floats;   /* the first link */
    bool kinds;    /* joints of other kinds than revolute                                 */
    bool limbs;    /* two bodies on every 97th link; 300 more links on the last one        */
    int side;      /* links of a path that starts in the middle                            */
    bool loads;    /* springs to ground on every 211th link, dampers in joints, a drive    */
    int runs, groups; /* of the first one                                                  */
} shape;

static const shape shapes[] = {
    {"two groups", 2048, false, false, false, 0, false, 1, 2},
    {"two groups that are not full", 2050, true, true, false, 0, false, 1, 2},
    {"limbs and another run at the end", 2100, false, true, true, 0, false, 1, 2},
    {"loads", 3100, true, true, true, 0, true, 1, 3},
    {"two levels of blocks", 6200, false, false, false, 0, true, 1, 6},
    {"three levels of blocks", 17500, false, false, false, 0, false, 1, 17},
    {"three runs that meet", 5000, false, true, true, 2200, true, 3, 2},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static const char *kind_of(const shape *s, int link)
{
    return !s->kinds ? "revolute" : link % 61 == 30 ? "spherical" : link % 43 == 20 ? "universal" :
           link % 53 == 25 ? "prismatic" : "revolute";
}

static void add_joint(text *t, const char *name, const char *kind, const char *a, const char *b, int k)
{
    ADD(t, "  %s: {kind: %s, a: {body: %s, position: [0.05, 0, 0.01], ", name, kind, a);
    ADD(t, "orientation: {axis: [%d, %d, 1], angle: %d deg}}, ", k % 3, 1 - k % 2, 20 + 7 * (k % 5));
    ADD(t, "b: {body: %s, position: [-0.05, 0, 0]}}\n", b);
}

static void add_joints(text *t, const shape *s)
{
    char name[24], a[24] = "ground", b[24];
    for (int k = 0; k < s->links; k++, memcpy(a, b, sizeof a)) {
        snprintf(b, sizeof b, "b%d", k), snprintf(name, sizeof name, "j%d", k);
        if (k > 0 || !s->floats)
            add_joint(t, name, kind_of(s, k), a, b, k);
    }
    for (int k = 40; s->limbs && k < s->links; k += 97) {
        snprintf(a, sizeof a, "b%d", k);
        for (int i = 0; i < 2; i++, memcpy(a, b, sizeof a)) {
            snprintf(b, sizeof b, "l%d_%d", k, i), snprintf(name, sizeof name, "k%d_%d", k, i);
            add_joint(t, name, "revolute", a, b, k + i);
        }
    }
    snprintf(a, sizeof a, "b%d", 2200);
    for (int k = 0; k < s->side; k++, memcpy(a, b, sizeof a)) {
        snprintf(b, sizeof b, "s%d", k), snprintf(name, sizeof name, "h%d", k);
        add_joint(t, name, "revolute", a, b, k + 2);
    }
    snprintf(a, sizeof a, "b%d", s->links - 1);
    for (int k = 0; s->limbs && k < 300; k++, memcpy(a, b, sizeof a)) {
        snprintf(b, sizeof b, "e%d", k), snprintf(name, sizeof name, "i%d", k);
        add_joint(t, name, "revolute", a, b, k + 1);
    }
}

static void add_bodies(text *t, const shape *s)
{
    for (int k = 0; k < s->links; k++)
        ADD(t, "  b%d: {mass: %.2f, com: [0.004, 0, 0.002], inertia: [2e-4, 4e-4, 3e-4]}\n", k, 0.3 + 0.01 * (k % 7));
    for (int k = 40; s->limbs && k < s->links; k += 97)
        for (int i = 0; i < 2; i++)
            ADD(t, "  l%d_%d: {mass: 0.2, inertia: [1e-4, 2e-4, 2e-4]}\n", k, i);
    for (int k = 0; k < s->side; k++)
        ADD(t, "  s%d: {mass: 0.2, inertia: [1e-4, 2e-4, 2e-4]}\n", k);
    for (int k = 0; s->limbs && k < 300; k++)
        ADD(t, "  e%d: {mass: 0.2, inertia: [1e-4, 2e-4, 2e-4]}\n", k);
}

static void add_loads(text *t, const shape *s)
{
    ADD(t, "forces:\n");
    for (int k = 100; k < s->links; k += 211) {
        ADD(t, "  s%d: {kind: spring-damper, length: 1.5, between: [ground, b%d], points: [[0, 0.1, 2], [0, 0.01, 0]], "
               "stiffness: 3, damping: 0.1}\n", k, k);
        ADD(t, "  d%d: {kind: joint-load, joint: j%d, damping: 0.01}\n", k, k + 1);
    }
    ADD(t, "motions:\n  m: {joint: j%d, rate: 0.3}\n", s->links / 2);
}

static clv_model *model_of(const shape *s)
{
    text t = {malloc(ROOM), 0};
    assert_non_null(t.at);
    ADD(&t, "cleave: 1\nname: run\ngravity: [0.3, 0, -9.81]\nbodies:\n");
    add_bodies(&t, s);
    ADD(&t, "joints:\n");
    add_joints(&t, s);
    if (s->loads)
        add_loads(&t, s);
    ADD(&t, "start:\n  joints:\n");
    for (int k = 5; k < s->links; k += 9)
        if (strcmp(kind_of(s, k), "revolute") == 0 && k != s->links / 2)
            ADD(&t, "    j%d: {q: %d deg, u: %.2f}\n", k, k % 80, 0.05 * (k % 11) - 0.2);
    assert_true(t.used < ROOM - 1);
    clv_model *m = read(t.at);
    free(t.at);
    return m;
}

/* bodies' accelerations at the start, and positions after two steps */
typedef struct answer {
    double *acceleration, *position;
} answer;

/* s: its runs are looked at; or NULL */
static answer answer_of(const clv_model *m, const char *formulation, const shape *s)
{
    clv_sim_options o = clv_sim_options_default();
    const size_t n = (size_t)clv_model_body_count(m);
    answer x = {malloc(6 * n * sizeof(double)), malloc(3 * n * sizeof(double))};
    const bool index3 = strcmp(formulation, "index3") == 0;
    o.formulation = formulation, o.integrator = index3 ? NULL : "rk4", o.step = 1e-4, o.threads = 1;
    clv_sim *sim = start_with(m, &o);
    assert_non_null(x.acceleration), assert_non_null(x.position);
    if (s && !index3) {
        assert_int_equal(sim->system.plan->nrun, s->runs);
        assert_int_equal(sim->system.plan->run[0].ngroup, s->groups);
    }
    assert_int_equal(clv_sim_evaluate(sim), CLV_OK);
    memcpy(x.acceleration, clv_sim_acceleration(sim), 6 * n * sizeof(double));
    advance(sim, 2e-4);
    memcpy(x.position, clv_sim_position(sim), 3 * n * sizeof(double));
    clv_sim_destroy(sim);
    return x;
}

static void give_back(answer *x) { free(x->acceleration), free(x->position); }

static void runs_agree_with_nodes(void **state)
{
    (void)state;
    for (int i = 0; i < SHAPES; i++) {
        clv_model *m = model_of(&shapes[i]);
        const size_t n = (size_t)clv_model_body_count(m);
        answer right = answer_of(m, "connection", NULL);
        const char *const formulations[] = {"dca", "hdca", "index3"};
        for (int f = 0; f < 3; f++) {
            /* steps of index3 are implicit in springs; momenta of so long chains leave few digits to their rates, with
             * nodes as with runs */
            if ((f == 2 && shapes[i].loads) || (f == 1 && (shapes[i].links > 10000 || shapes[i].side > 0)))
                continue;
            answer x = answer_of(m, formulations[f], &shapes[i]);
            const double a = difference(x.acceleration, right.acceleration, 6 * n),
                         p = difference(x.position, right.position, 3 * n);
            print_message("%s, %s: accelerations %.1e, positions %.1e\n", shapes[i].name, formulations[f], a, p);
            assert_true(a < (f == 1 ? 1e-6 : 1e-11) && p < (f == 1 ? 1e-6 : 1e-12));
            give_back(&x);
        }
        give_back(&right);
        clv_model_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(runs_agree_with_nodes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
