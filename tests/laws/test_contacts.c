/* SPDX-License-Identifier: Apache-2.0
 * Contacts of many bodies (T105): the bits of the same contacts listed pair by pair, momentum of a collision, thin
 * bodies and long steps, saved states, room that does not suffice, results, and what is refused. */
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
#include "model/group.h"
#include "integrator/bdf.h"
#include "near.h"
#include "running.h"
#include "simulation/crowd.h"
#include "simulation/methods.h"
#include "simulation/react.h"

#define OK(call) assert_int_equal(call, CLV_OK)
enum { BODIES = 9 };

static double rtol = 1e-7;

static clv_sim *start(const clv_model *m, const char *formulation, const char *integrator, double step)
{
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation, o.integrator = integrator, o.step = step, o.rtol = rtol;
    return start_with(m, &o);
}

/* ------------------------------------------------------------------ listed and found */

/* Balls and boxes that fall on one another; `law` has the numbers of the contacts. */
static clv_model *pile(const char *law, bool many, bool gravity)
{
    static char text[20000];
    size_t n = 0;
#define ADD(...) n += (size_t)snprintf(text + n, sizeof text - n, __VA_ARGS__)
    ADD("cleave: 1\ngravity: [0, 0, %g]\nbodies:\n", gravity ? -9.81 : 0);
    for (int b = 0; b < BODIES; b++)
        ADD("  b%d: {mass: %g, inertia: from shape, shape: {%s}}\n", b, 1 + 0.1 * b,
            b % 3 == 0 ? "sphere: 0.11" : b % 3 == 1 ? "box: [0.2, 0.24, 0.18]" : "box: [0.25, 0.15, 0.2]");
    ADD("joints: {'j{i}': {kind: free, repeat: %d, from: 0, a: {body: ground}, b: {body: 'b{i}'}}}\nforces:\n", BODIES);
    if (many)
        ADD("  all: {kind: contacts, %s%s}\n", gravity ? "normal: [0, 0, 1], " : "", law);
    for (int j = 0; !many && gravity && j < BODIES; j++)
        ADD("  p%d: {kind: contact, between: [ground, b%d], normal: [0, 0, 1], %s}\n", j, j, law);
    for (int i = 0; !many && i < BODIES; i++)
        for (int j = i + 1; j < BODIES; j++)
            ADD("  c%d_%d: {kind: contact, between: [b%d, b%d], %s}\n", i, j, i, j, law);
    ADD("start:\n  bodies:\n");
    for (int b = 0; b < BODIES; b++) /* they come together */
        ADD("    b%d: {position: [%.3f, %.3f, %.3f], velocity: [%.3f, %.3f, %.3f], "
            "angular_velocity: [%.2f, 1, %.2f]}\n",
            b, 0.17 * (b % 3), 0.16 * (b / 3) + 0.02 * b, 0.2 + 0.23 * b, -0.1 * (b % 3), -0.15 * (b / 3),
            gravity ? 0.0 : -0.3 * b, 0.3 * b, -0.2 * b);
#undef ADD
    return read(text);
}

static void same_bits(const char *law, const char *formulation, const char *integrator, double step, int outputs)
{
    clv_model *m[2];
    clv_sim *s[2];
    for (int k = 0; k < 2; k++) {
        m[k] = pile(law, k == 1, true);
        s[k] = start(m[k], formulation, integrator, step);
    }
    int touched = 0;
    for (int i = 1; i <= outputs; i++) {
        int n[2];
        for (int k = 0; k < 2; k++) {
            advance(s[k], 0.05 * i);
            OK(clv_sim_contacts(s[k], 0, NULL, &n[k]));
        }
        assert_memory_equal(clv_sim_position(s[0]), clv_sim_position(s[1]), 3 * BODIES * sizeof(double));
        assert_memory_equal(clv_sim_velocity(s[0]), clv_sim_velocity(s[1]), 6 * BODIES * sizeof(double));
        assert_int_equal(n[0], n[1]);
        touched += n[1];
    }
    assert_true(touched > 3 * (outputs - 10));
    for (int k = 0; k < 2; k++)
        clv_sim_destroy(s[k]), clv_model_destroy(m[k]);
}

#define COMPLIANT "stiffness: 2e5, dissipation: 0.3, dynamic_friction: 0.4"

static void bits_are_those_of_listed_pairs(void **state)
{
    (void)state;
    static const char *const formulation[] = {"hdca", "dca", "connection", "massmatrix"};
    for (size_t k = 0; k < sizeof formulation / sizeof *formulation; k++)
        same_bits(COMPLIANT, formulation[k], "dopri5", 0, k == 0 ? 20 : 11);
    same_bits("restitution: 0.2, dynamic_friction: 0.5", "dca", "moreau", 1e-3, 20);
}

/* What bodies do to each other keeps the momentum of all. */
static void momentum_is_kept(void **state)
{
    (void)state;
    clv_model *m = pile("stiffness: 1e5, dissipation: 0.2, dynamic_friction: 0.5", true, false);
    rtol = 1e-11;
    clv_sim *s = start(m, "hdca", "dopri5", 0);
    rtol = 1e-7;
    clv_momentum p, q;
    int n = 0, most = 0;
    clv_sim_momentum(s, &p);
    for (int i = 1; i <= 10; i++) {
        advance(s, 0.1 * i);
        OK(clv_sim_contacts(s, 0, NULL, &n));
        most = n > most ? n : most;
    }
    clv_sim_momentum(s, &q);
    assert_true(most >= 2);
    for (int c = 0; c < 3; c++) {
        CLV_NEAR(q.linear[c], p.linear[c], 1e-12);
        CLV_NEAR(q.angular[c], p.angular[c], 1e-10);
    }
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* ------------------------------------------------------------------ steps */

static const char thin[] = "cleave: 1\ngravity: [0, 0, 0]\n"
                           "bodies:\n"
                           "  plate: {mass: 50, inertia: from shape, shape: {box: [1, 1, 0.01]}}\n"
                           "  ball: {mass: 1, inertia: from shape, shape: {sphere: 0.02}}\n"
                           "  other: {mass: 1, inertia: from shape, shape: {sphere: 0.02}}\n"
                           "joints: {'j{i}': {repeat: 1, kind: free, a: {body: ground}, b: {body: ball}}}\n"
                           "forces: {all: {kind: contacts, stiffness: 1e7}}\n"
                           "start: {bodies: {ball: {position: [0.1, 0, 1], velocity: [0, 0, -21]}, "
                           "other: {position: [0, 0, 3]}}}\n";

/* Adaptive steps become shorter, fixed ones end the run with both names. */
static void steps_do_not_pass_over_thin_bodies(void **state)
{
    (void)state;
    clv_model *m = read(thin);
    static const char *const integrator[] = {"dopri5", "dop853", "adams"};
    for (size_t k = 0; k < sizeof integrator / sizeof *integrator; k++) {
        clv_sim *s = start(m, "hdca", integrator[k], 0);
        advance(s, 0.2);
        assert_true(clv_sim_velocity(s)[6 + 2] > 15); /* it came back */
        clv_sim_destroy(s);
    }
    clv_sim *s = start(m, "hdca", "rk4", 0.01);
    assert_int_equal(clv_sim_advance(s, 0.2), CLV_ERR_NO_CONVERGENCE);
    assert_non_null(strstr(clv_sim_error(s)->message, "'plate' and 'ball'"));
    assert_non_null(strstr(clv_sim_error(s)->message, "'all'"));
    clv_sim_destroy(s), clv_model_destroy(m);
}

static void resume(const clv_model *m, const char *formulation, const char *integrator, double step, double half)
{
    clv_sim *s = start(m, formulation, integrator, step), *t = start(m, formulation, integrator, step);
    advance(s, half);
    const size_t size = clv_sim_saved_size(s);
    void *bytes = malloc(size);
    clv_sim_save(s, bytes);
    OK(clv_sim_load(t, bytes, size));
    advance(s, 2 * half), advance(t, 2 * half);
    const size_t n = (size_t)clv_model_body_count(m);
    assert_memory_equal(clv_sim_position(s), clv_sim_position(t), 3 * n * sizeof(double));
    assert_memory_equal(clv_sim_velocity(s), clv_sim_velocity(t), 6 * n * sizeof(double));
    free(bytes), clv_sim_destroy(s), clv_sim_destroy(t);
}

static void saved_states_go_on_with_the_same_bits(void **state)
{
    (void)state;
    clv_model *m = pile(COMPLIANT, true, true);
    resume(m, "hdca", "dopri5", 0, 0.31);
    resume(m, "dca", "adams", 0, 0.31);
    clv_model_destroy(m);
    m = pile("restitution: 0, dynamic_friction: 0.5", true, true);
    resume(m, "dca", "moreau", 1e-3, 0.4);
    clv_model_destroy(m);
    m = read(thin);
    for (int k = 0; k < 4; k++) /* also within the flight over the plate */
        resume(m, "hdca", "dopri5", 0, 0.02 + 0.01 * k);
    clv_model_destroy(m);
}

static void steps_allocate_nothing(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        clv_model *m = pile(k ? "restitution: 0, dynamic_friction: 0.5" : COMPLIANT, true, true);
        clv_sim *s = start(m, k ? "dca" : "hdca", k ? "moreau" : "dopri5", k ? 1e-3 : 0);
        clv_contact_pair pair[40];
        int n;
        const long before = clv_alloc_count();
        advance(s, 1);
        OK(clv_sim_contacts(s, 40, pair, &n));
        assert_true(n > 0);
        assert_int_equal(clv_alloc_count(), before);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* ------------------------------------------------------------------ room */

static void too_many_points_are_named(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        clv_model *m = pile(k ? "restitution: 0, most: 2" : COMPLIANT ", most: 1", true, true);
        clv_sim *s = start(m, k ? "dca" : "hdca", k ? "moreau" : "dopri5", k ? 1e-3 : 0);
        assert_int_equal(clv_sim_advance(s, 1), CLV_ERR_UNSUPPORTED);
        const clv_error *e = clv_sim_error(s);
        assert_non_null(strstr(e->message, "contact 'all' has room for"));
        assert_string_equal(e->hint, k ? "raise the limit: `most: 4`" : "raise the limit: `most: 2`");
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* ------------------------------------------------------------------ results */

#define STACK                                                                                                          \
    "cleave: 1\n"                                                                                                      \
    "bodies: {'b{i}': {repeat: 3, mass: 2, inertia: from shape, shape: {box: [0.2, 0.2, 0.2]}}}\n"                   \
    "joints: {'j{i}': {repeat: 3, kind: free, a: {body: ground}, b: {body: 'b{i}'}}}\n"                                \
    "start: {bodies: {b1: {position: [0, 0, 0.1]}, b2: {position: [0.01, 0, 0.3]}, b3: {position: [0, 0.02, 0.5]}}}\n"

static void forces_of_a_stack_carry_its_weight(void **state)
{
    (void)state;
    static const char *const law[] = {"restitution: 0, dynamic_friction: 0.5",
                                      "stiffness: 1e7, dissipation: 2, dynamic_friction: 0.5"};
    for (int k = 0; k < 2; k++) {
        char text[1500];
        snprintf(text, sizeof text, STACK "forces: {all: {kind: contacts, normal: [0, 0, 1], %s}}\n", law[k]);
        clv_model *m = read(text);
        clv_sim *s = start(m, "dca", !k ? "moreau" : clv_bdf_method.absent ? "dopri5" : "bdf", k ? 0 : 1e-3);
        const clv_crowd_share *all, *each;
        clv_contact_pair pair[5];
        clv_contact_result one;
        int n;
        advance(s, k ? 2 : 0.5);
        OK(clv_sim_contacts(s, 5, pair, &n));
        assert_int_equal(n, 3);
        for (int i = 0; i < n; i++) {
            assert_int_equal(pair[i].force, 0);
            assert_int_equal(pair[i].a, i - 1), assert_int_equal(pair[i].b, i);
            CLV_NEAR(pair[i].result.force[2], 2 * 9.81 * (3 - i), k ? 1e-3 : 1e-9);
            CLV_NEAR(pair[i].result.normal_force, 2 * 9.81 * (3 - i), k ? 1e-3 : 1e-9);
        }
        OK(clv_sim_react(s));
        OK(clv_sim_contact_shares(s, 0, &all, &each));
        assert_int_equal(all->pairs, 3);
        CLV_NEAR(all->normal_force, 2 * 9.81 * 6, k ? 1e-2 : 1e-8);
        for (int b = 0; b < 3; b++)
            CLV_NEAR(each[b].force[2], 2 * 9.81, k ? 1e-3 : 1e-9);
        assert_int_equal(each[1].pairs, 2), assert_int_equal(each[2].pairs, 1);
        assert_int_equal(clv_sim_contact(s, 0, &one), CLV_ERR_USAGE);
        assert_int_equal(clv_sim_contacts(s, 1, NULL, &n), CLV_ERR_USAGE);
        assert_int_equal(clv_sim_contacts(s, -1, pair, &n), CLV_ERR_USAGE);
        assert_int_equal(clv_sim_contacts(s, 5, pair, NULL), CLV_ERR_USAGE);
        OK(clv_sim_contacts(s, 2, pair, &n)); /* fewer than there are */
        assert_int_equal(n, 3);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* ------------------------------------------------------------------ what is refused */

static void what_takes_no_crowd_says_so(void **state)
{
    (void)state;
    clv_model *m = pile(COMPLIANT, true, true);
    clv_sim_options o = clv_sim_options_default();
    clv_sim *s;
    o.formulation = "index3";
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_ERR_UNSUPPORTED);
    assert_non_null(strstr(clv_sim_error(s)->message, "contact 'all' is of many bodies"));
    clv_sim_destroy(s), clv_model_destroy(m);
    m = pile("restitution: 0", true, true);
    o.formulation = "hdca";
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_ERR_UNSUPPORTED);
    assert_non_null(strstr(clv_sim_error(s)->message, "contact 'all' is rigid"));
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* Lists of a description that are no lists. */
static void descriptions_are_checked(void **state)
{
    (void)state;
    const int body[] = {0, 7}, twice[] = {0, 0};
    const struct {
        clv_contact_group group;
        const char *field;
    } bad[] = {{{.nfirst = 2, .first = body}, "among"}, {{.nfirst = 1}, "among"},
               {{.nfirst = -1, .first = body}, "among"}, {{.nsecond = 2, .second = body}, "with"},
               {{.nexcept = 1, .except = body}, "except"}, {{.nexcept = 2000000000, .except = body}, "except"},
               {{.most = -1}, "most"}};
    clv_model *m;
    OK(clv_model_create(&m, "m"));
    clv_body_desc b = clv_body_desc_default();
    b.name = "b", b.mass = b.inertia[0] = b.inertia[1] = b.inertia[2] = 1;
    b.shape.kind = CLV_SHAPE_SPHERE, b.shape.size[0] = 1;
    OK(clv_model_add_body(m, NULL, &b));
    clv_force_desc f = clv_force_desc_default(CLV_FORCE_CONTACTS);
    f.name = "f", f.contact.stiffness = 1;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        f.group = bad[k].group;
        assert_int_equal(clv_model_add_force(m, NULL, &f), CLV_ERR_MODEL);
        assert_non_null(strstr(clv_model_error(m)->path, bad[k].field));
    }
    f.group = (clv_contact_group){.nexcept = 1, .except = twice};
    OK(clv_model_add_force(m, NULL, &f));
    assert_int_equal(clv_model_finish(m), CLV_ERR_MODEL);
    clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_those_of_listed_pairs),
        cmocka_unit_test(momentum_is_kept),
        cmocka_unit_test(steps_do_not_pass_over_thin_bodies),
        cmocka_unit_test(saved_states_go_on_with_the_same_bits),
        cmocka_unit_test(steps_allocate_nothing),
        cmocka_unit_test(too_many_points_are_named),
        cmocka_unit_test(forces_of_a_stack_carry_its_weight),
        cmocka_unit_test(what_takes_no_crowd_says_so),
        cmocka_unit_test(descriptions_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
