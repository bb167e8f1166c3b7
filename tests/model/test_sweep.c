/* SPDX-License-Identifier: Apache-2.0
 * Which bodies are near each other (T105): sweeps against all pairs of boxes, whatever was asked before; who may touch
 * whom; and room that does not suffice. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "math/rotation.h"
#include "model/sweep.h"

#define OK(call) assert_int_equal(call, CLV_OK)
enum { BODIES = 60 };

static uint64_t seed = 105;
static double random_number(double low, double high)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * ((double)(seed >> 11) / 9007199254740992.0);
}

typedef struct poses {
    double r[3 * BODIES], R[9 * BODIES];
} poses;

static void shake(poses *p, int n, double spread)
{
    for (int b = 0; b < n; b++) {
        double e[4];
        for (int i = 0; i < 4; i++)
            e[i] = random_number(-1, 1);
        clv_quat_normalize(e);
        clv_quat_rotation(p->R + 9 * b, e);
        for (int i = 0; i < 3; i++)
            p->r[3 * b + i] = random_number(-spread, spread);
    }
}

/* spheres and boxes of many sizes */
static clv_model *model_of(int n, const clv_contact_group *group, bool plane)
{
    clv_model *m;
    OK(clv_model_create(&m, "pile"));
    for (int b = 0; b < n; b++) {
        char name[16];
        clv_body_desc d = clv_body_desc_default();
        snprintf(name, sizeof name, "b%d", b);
        d.name = name, d.mass = 1, d.inertia[0] = d.inertia[1] = d.inertia[2] = 1;
        d.shape.kind = b % 2 ? CLV_SHAPE_SPHERE : CLV_SHAPE_BOX;
        for (int i = 0; i < 3; i++)
            d.shape.size[i] = random_number(0.05, 0.6), d.shape.at[i] = random_number(-0.1, 0.1);
        OK(clv_model_add_body(m, NULL, &d));
    }
    clv_force_desc f = clv_force_desc_default(CLV_FORCE_CONTACTS);
    f.name = "pile", f.contact.stiffness = 1e5;
    if (group)
        f.group = *group;
    f.contact.normal[2] = plane ? 1 : 0;
    OK(clv_model_add_force(m, NULL, &f));
    OK(clv_model_finish(m));
    return m;
}

typedef struct room {
    clv_sweep sweep;
    clv_arena arena;
} room;

static void open_room(room *x, const clv_touch_group *g)
{
    memset(x, 0, sizeof *x);
    clv_sweep_layout(&x->sweep, g, &x->arena);
    assert_true(clv_arena_open(&x->arena));
    clv_sweep_layout(&x->sweep, g, &x->arena);
}

static bool overlap(const clv_sweep *s, int i, int j)
{
    for (int a = 0; a < 3; a++)
        if (!(s->low[3 * i + a] <= s->high[3 * j + a] && s->low[3 * j + a] <= s->high[3 * i + a]))
            return false;
    return true;
}

/* All pairs of boxes that overlap, in order; nothing of shapes that touch is missed. */
static void a_sweep_finds_every_pair_in_order(void **state)
{
    (void)state;
    clv_model *m = model_of(BODIES, NULL, true);
    const clv_force *f = &m->force[0];
    room x;
    poses p;
    long found = 0, touching = 0;
    open_room(&x, f->group);
    for (int turn = 0; turn < 200; turn++) {
        shake(&p, BODIES, turn % 3 == 0 ? 0.6 : turn % 3 == 1 ? 2 : 6);
        for (int b = 0; turn % 5 == 4 && b < BODIES; b++) /* a column: equal coordinates */
            p.r[3 * b] = p.r[3 * b + 1] = 0;
        assert_true(clv_sweep_find(&x.sweep, m, f, p.r, p.R));
        int k = 0;
        while (k < x.sweep.pairs && x.sweep.pair[k][0] < 0)
            k++;
        for (int i = 0; i < BODIES; i++)
            for (int j = i + 1; j < BODIES; j++) {
                clv_touch t[CLV_TOUCH_POINTS];
                touching += clv_touch_find(&x.sweep.solid[i], &x.sweep.solid[j], t) > 0;
                if (!overlap(&x.sweep, i, j)) {
                    assert_int_equal(clv_touch_find(&x.sweep.solid[i], &x.sweep.solid[j], t), 0);
                    continue;
                }
                assert_true(k < x.sweep.pairs);
                assert_int_equal(x.sweep.pair[k][0], i);
                assert_int_equal(x.sweep.pair[k][1], j);
                k++, found++;
            }
        assert_int_equal(k, x.sweep.pairs);
    }
    assert_true(found > 20000 && touching > 5000);
    clv_arena_close(&x.arena), clv_model_destroy(m);
}

/* A body is near the plane where its shape touches it. */
static void bodies_at_the_plane_are_found(void **state)
{
    (void)state;
    clv_model *m = model_of(BODIES, NULL, true);
    const clv_force *f = &m->force[0];
    room x;
    poses p;
    int near = 0, far = 0;
    open_room(&x, f->group);
    for (int turn = 0; turn < 50; turn++) {
        shake(&p, BODIES, 3);
        assert_true(clv_sweep_find(&x.sweep, m, f, p.r, p.R));
        for (int j = 0, k = 0; j < BODIES; j++) {
            clv_solid plane = {.kind = CLV_SHAPE_NONE};
            clv_touch t[CLV_TOUCH_POINTS];
            plane.E[8] = 1;
            const bool there = k < x.sweep.pairs && x.sweep.pair[k][0] < 0 && x.sweep.pair[k][1] == j;
            k += there;
            near += there, far += !there;
            if (clv_touch_find(&plane, &x.sweep.solid[j], t) > 0)
                assert_true(there);
        }
    }
    assert_true(near > 500 && far > 500);
    clv_arena_close(&x.arena), clv_model_destroy(m);
}

/* Pairs are a function of the poses: a sweep that has seen others before finds the same. */
static void the_past_changes_nothing(void **state)
{
    (void)state;
    clv_model *m = model_of(BODIES, NULL, false);
    const clv_force *f = &m->force[0];
    room x, fresh;
    poses p;
    open_room(&x, f->group);
    for (int turn = 0; turn < 50; turn++) {
        shake(&p, BODIES, 2);
        open_room(&fresh, f->group);
        assert_true(clv_sweep_find(&x.sweep, m, f, p.r, p.R));
        assert_true(clv_sweep_find(&fresh.sweep, m, f, p.r, p.R));
        assert_int_equal(x.sweep.pairs, fresh.sweep.pairs);
        assert_memory_equal(x.sweep.pair, fresh.sweep.pair, (size_t)x.sweep.pairs * sizeof *x.sweep.pair);
        clv_arena_close(&fresh.arena);
    }
    clv_arena_close(&x.arena), clv_model_destroy(m);
}

/* Places that are no numbers do not hang it, and are near nothing. */
static void places_that_are_no_numbers_end(void **state)
{
    (void)state;
    clv_model *m = model_of(BODIES, NULL, false);
    room x;
    poses p;
    open_room(&x, m->force[0].group);
    shake(&p, BODIES, 1);
    for (int b = 0; b < BODIES; b += 3)
        p.r[3 * b + b % 3] = b % 2 ? NAN : INFINITY;
    assert_true(clv_sweep_find(&x.sweep, m, &m->force[0], p.r, p.R));
    for (int b = 0; b < 3 * BODIES; b++)
        p.r[b] = NAN;
    assert_true(clv_sweep_find(&x.sweep, m, &m->force[0], p.r, p.R));
    assert_int_equal(x.sweep.pairs, 0);
    clv_arena_close(&x.arena), clv_model_destroy(m);
}

/* Bodies of one list touch those of the other; pairs that are excepted do not. */
static void lists_say_who_touches_whom(void **state)
{
    (void)state;
    const int first[] = {0, 2, 4}, second[] = {1, 2}, except[] = {4, 1};
    const clv_contact_group group = {.nfirst = 3, .first = first, .nsecond = 2, .second = second, .nexcept = 1,
                                     .except = except};
    clv_model *m = model_of(6, &group, false);
    const clv_touch_group *g = m->force[0].group;
    bool want[6][6] = {{0}};
    want[0][1] = want[0][2] = want[1][2] = want[2][4] = true;
    assert_int_equal(g->n, 4); /* 0 1 2 4 */
    for (int i = 0; i < g->n; i++)
        for (int j = i + 1; j < g->n; j++) {
            assert_int_equal(clv_touch_group_takes(g, i, j), want[g->member[i].body][g->member[j].body]);
            assert_int_equal(clv_touch_group_takes(g, j, i), want[g->member[i].body][g->member[j].body]);
        }
    clv_model_destroy(m);
}

static clv_model *read(const char *text)
{
    clv_model *m;
    if (clv_model_read_text(&m, text, strlen(text), "group.yaml") != CLV_OK)
        fail_msg("%s", clv_model_error(m)->message);
    return m;
}

/* the member that is the shape of this body, or -1 */
static int member_of(const clv_touch_group *g, int body)
{
    for (int k = 0; k < g->n; k++)
        if (g->member[k].body == body && g->member[k].shape < 0)
            return k;
    return -1;
}

static bool touch(const clv_model *m, int force, const char *a, const char *b)
{
    const clv_touch_group *g = m->force[force].group;
    const int i = member_of(g, clv_model_find_body(m, a));
    const int j = member_of(g, clv_model_find_body(m, b));
    return i >= 0 && j >= 0 && clv_touch_group_takes(g, i, j);
}

/* Joints separate neighbours, fixed joints make one body of two, and a pair belongs to one contact. */
static void joints_and_other_contacts_take_pairs_away(void **state)
{
    (void)state;
    clv_model *m = read("cleave: 1\n"
                        "bodies: {'b{i}': {repeat: 7, mass: 1, inertia: from shape, shape: {sphere: 0.1}}}\n"
                        "joints:\n"
                        "  base: {kind: fixed, a: {body: ground}, b: {body: b1}}\n"
                        "  hinge: {kind: revolute, a: {body: b1}, b: {body: b2}}\n"
                        "  weld: {kind: fixed, a: {body: b2}, b: {body: b3}}\n"
                        "  elbow: {kind: revolute, a: {body: b3}, b: {body: b4}}\n"
                        "forces:\n"
                        "  two: {kind: contact, between: [b6, b5], stiffness: 1e5}\n"
                        "  low: {kind: contact, between: [ground, b5], normal: [0, 0, 2], stiffness: 1e5}\n"
                        "  soft: {kind: contacts, among: [b4], with: ['*7'], stiffness: 1e4}\n"
                        "  all: {kind: contacts, stiffness: 1e5, normal: [0, 0, 1]}\n"
                        "  near: {kind: contacts, neighbours: true, among: ['b*'], stiffness: 1e5}\n");
    enum { SOFT = 2, ALL, NEAR };
    assert_true(touch(m, ALL, "b5", "b7") && touch(m, ALL, "b1", "b7") && touch(m, ALL, "b4", "b6"));
    assert_true(touch(m, ALL, "b1", "b4"));
    assert_false(touch(m, ALL, "b1", "b2") || touch(m, ALL, "b1", "b3"));
    assert_false(touch(m, ALL, "b2", "b3") || touch(m, NEAR, "b2", "b3")); /* one body */
    assert_false(touch(m, ALL, "b3", "b4") || touch(m, ALL, "b2", "b4"));
    assert_true(touch(m, NEAR, "b3", "b4") && touch(m, NEAR, "b2", "b4") && touch(m, NEAR, "b1", "b2"));
    assert_false(touch(m, ALL, "b5", "b6") || touch(m, NEAR, "b5", "b6")); /* two of them, by name */
    assert_true(touch(m, SOFT, "b4", "b7"));
    assert_false(touch(m, ALL, "b4", "b7") || touch(m, NEAR, "b5", "b7")); /* the first has it */
    const clv_touch_group *all = m->force[ALL].group;
    for (int k = 0; k < all->n; k++) /* b1 stands fast, b5 has a contact with the same plane */
        assert_int_equal(!!(all->member[k].sides & CLV_ON_PLANE), k != 0 && k != 4);
    clv_model_destroy(m);
}

/* What there is no room for is said, not left out. */
static void room_that_does_not_suffice_is_reported(void **state)
{
    (void)state;
    const clv_contact_group group = {.most = 3};
    clv_model *m = model_of(BODIES, &group, false);
    room x;
    poses p;
    open_room(&x, m->force[0].group);
    assert_int_equal(m->force[0].group->points, 3);
    shake(&p, BODIES, 0.2);
    assert_false(clv_sweep_find(&x.sweep, m, &m->force[0], p.r, p.R));
    shake(&p, BODIES, 1000);
    assert_true(clv_sweep_find(&x.sweep, m, &m->force[0], p.r, p.R));
    clv_arena_close(&x.arena), clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sweep_finds_every_pair_in_order),
        cmocka_unit_test(bodies_at_the_plane_are_found),
        cmocka_unit_test(the_past_changes_nothing),
        cmocka_unit_test(places_that_are_no_numbers_end),
        cmocka_unit_test(lists_say_who_touches_whom),
        cmocka_unit_test(joints_and_other_contacts_take_pairs_away),
        cmocka_unit_test(room_that_does_not_suffice_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
