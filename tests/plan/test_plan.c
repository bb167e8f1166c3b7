/* SPDX-License-Identifier: Apache-2.0
 * Plans of chains, stars, hubs, loops, ladders and nets: what the plan promises of each shape, and how options and the
 * model shape it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include "plan_graphs.h"
#include "plan_laws.h"

static void chain_of_any_length(void **state)
{
    (void)state;
    static const int n[9] = {1, 2, 3, 127, 255, 256, 1000, 1024, 5000};
    for (int i = 0; i < 9; i++) {
        clv_model *m = chain(n[i]);
        clv_plan *p = checked(m);
        assert_int_equal(p->nloop, 0), assert_int_equal(p->nclosing_row, 0);
        assert_true(p->max_port <= 2);
        if (n[i] < 256)
            assert_int_equal(p->nstrand, 1);
        else /* pieces of nearly equal length, as many as lanes where there are that many */
            for (int k = 0; k < p->nstrand; k++)
                assert_in_range(p->strand[k].length, n[i] / p->nstrand, n[i] / p->nstrand + 1);
        if (n[i] >= 1024)
            assert_int_equal(p->nstrand % 8, 0);
        done(p, m);
    }
}

static void check_pieces(clv_model *m, int pieces)
{
    clv_plan *p = plan_with(m, (clv_plan_options){.lanes = true});
    check_plan(p);
    assert_int_equal(p->nstrand, pieces);
    done(p, m);
}

/* For rows, runs from 32 bodies on are cut, four pieces or eight in all; not beside many others, nor with loops. */
static void shorter_runs_fill_lanes(void **state)
{
    (void)state;
    static const int n[5] = {31, 32, 64, 255, 256}, pieces[5] = {1, 4, 4, 4, 8};
    for (int i = 0; i < 5; i++)
        check_pieces(chain(n[i]), pieces[i]);
    for (int arms = 2; arms <= 8; arms += 6) { /* of 64 on one hub; of two, the hub ends a strand of its own */
        clv_model *m = graph_create();
        const int hub = row_of(m, CLV_GROUND, 1, 0, 0, NULL);
        for (int i = 0; i < arms; i++)
            row_of(m, hub, 64, 1, i, NULL);
        check_pieces(graph_finish(m), arms == 2 ? 5 : 8);
    }
    clv_model *m = ring(64);
    clv_plan *p = plan_with(m, (clv_plan_options){0});
    const int strands = p->nstrand;
    done(p, NULL);
    check_pieces(m, strands);
}

/* rows and strands of a small mechanism whose strands fill lanes (T166) */
static void check_rows(clv_model *m, int rows, int strands)
{
    clv_plan *p = plan_with(m, (clv_plan_options){.lanes = true, .carry = true});
    check_plan(p);
    assert_int_equal(p->nrow, rows), assert_int_equal(p->nstrand, strands);
    done(p, m);
}

/* Limbs of one body stand side by side, also that with which the strand of the body would continue. */
static void limbs_stand_side_by_side(void **state)
{
    (void)state;
    clv_model *m = graph_create();
    int hub = row_of(m, CLV_GROUND, 1, 0, 0, NULL);
    for (int i = 0; i < 6; i++)
        row_of(m, hub, 6, 1, i, NULL);
    check_rows(graph_finish(m), 1 + 6, 7);
    m = graph_create(); /* legs, and a trunk with arms and a head */
    hub = row_of(m, CLV_GROUND, 1, 0, 0, NULL);
    row_of(m, hub, 6, 1, 1, NULL), row_of(m, hub, 6, 1, 2, NULL);
    const int trunk = row_of(m, hub, 3, 1, 3, NULL);
    row_of(m, trunk, 7, 4, 4, NULL), row_of(m, trunk, 7, 4, 5, NULL), row_of(m, trunk, 2, 4, 6, NULL);
    check_rows(graph_finish(m), 1 + 3 + 7, 6);
    m = graph_create(); /* a loop ends its strand in any case */
    hub = row_of(m, CLV_GROUND, 2, 0, 0, NULL);
    const int a = row_of(m, hub, 2, 2, 1, NULL), b = row_of(m, hub, 2, 2, 2, NULL);
    graph_joint(m, CLV_JOINT_REVOLUTE, a, b, 4, 1, 0);
    check_rows(graph_finish(m), 2 + 2, 3);
}

/* A strand is not at the lowest level where longer ones are beside which it costs nothing. */
static void strands_wait_for_a_fuller_group(void **state)
{
    (void)state;
    clv_model *m = graph_create();
    int hub = row_of(m, CLV_GROUND, 1, 0, 0, NULL), knee = row_of(m, hub, 3, 1, 1, NULL);
    row_of(m, hub, 6, 1, 2, NULL), row_of(m, knee, 3, 4, 1, NULL), row_of(m, knee, 1, 4, 3, NULL);
    check_rows(graph_finish(m), 1 + 6 + 1, 4);
    m = graph_create(); /* the loop of a leg, with a foot */
    hub = row_of(m, CLV_GROUND, 4, 0, 0, NULL);
    const int rod = row_of(m, hub, 4, 4, 1, NULL), ankle = row_of(m, hub, 3, 4, 2, NULL);
    const int shin = row_of(m, ankle, 1, 7, 2, NULL);
    row_of(m, ankle, 1, 7, 3, NULL);
    graph_joint(m, CLV_JOINT_REVOLUTE, rod, shin, 8, 1, 0);
    check_rows(graph_finish(m), 4 + 4 + 1, 4);
}

static void options_edges_and_target(void **state)
{
    (void)state;
    clv_model *m = chain(20);
    for (int target = 2; target <= 7; target++) {
        clv_plan *p = plan_with(m, (clv_plan_options){.target = target});
        check_plan(p);
        for (int k = 0; k < p->nstrand; k++)
            assert_true(p->strand[k].length <= target);
        done(p, NULL);
    }
    clv_plan *p = plan_with(m, (clv_plan_options){.edges = true});
    check_plan(p);
    assert_int_equal(p->nedge, 20), assert_int_equal(p->nstrand, 20), assert_int_equal(p->nsigma, 100);
    for (int b = 0; b < 20; b++)
        assert_true(p->tree[b].edge >= 0);
    done(p, m);
    m = flower(5);
    p = plan_with(m, (clv_plan_options){.edges = true, .target = 2});
    check_plan(p);
    assert_int_equal(p->nedge, m->njoint);
    done(p, m);
}

static void star_of_1000_limbs_folds(void **state)
{
    (void)state;
    clv_model *m = star(1000);
    clv_plan *p = checked(m);
    assert_int_equal(p->npart, 0);
    assert_int_equal(p->nstrand, 1000); /* one of them goes on through the hub */
    done(p, m);
}

static void hub_of_1000_branches(void **state)
{
    (void)state;
    clv_model *m = star(1000);
    clv_plan *p = plan_with(m, (clv_plan_options){.edges = true});
    check_plan(p);
    assert_true(p->max_port <= 2);
    done(p, m);
}

static void flower_of_200_petals(void **state)
{
    (void)state;
    clv_model *m = flower(200);
    clv_plan *p = checked(m);
    assert_int_equal(p->nloop, 200);
    printf("200 petals: max_port %d, max_rows %d, depth %d, nodes %d\n", p->max_port, p->max_rows, p->depth, p->npart);
    assert_true(p->max_port <= 3);
    assert_true(p->max_rows <= 40);
    assert_true(p->depth <= 5); /* not 201: petals are taken up all together */
    done(p, m);
}

/* Few petals stay nodes; parts that ground or a second body holds are none. */
static void petals_are_many_and_float(void **state)
{
    (void)state;
    for (int n = 7; n <= 12; n += 5) {
        clv_model *m = flower(n);
        clv_plan *p = checked(m);
        int taken = 0;
        for (int k = 0; k < p->npart; k++)
            taken += p->part[k].npetal;
        assert_true(n < 8 ? taken == 0 : taken >= n - 1); /* the first one may be joined to the hub piece by piece */
        done(p, m);
    }
    clv_model *m = graph_create(); /* legs on ground, a ring of two bodies beside each other on the hub */
    const int hub = row_of(m, CLV_GROUND, 1, 0, 0, NULL);
    int last = -1;
    for (int i = 0; i < 12; i++) {
        const int tip = row_of(m, hub, 3, 1, i, NULL);
        if (i % 2)
            graph_joint(m, CLV_JOINT_REVOLUTE, tip, CLV_GROUND, 4, i, 0);
        else if (last >= 0)
            graph_joint(m, CLV_JOINT_REVOLUTE, tip, last, 4, i, 0);
        last = i % 2 ? last : tip;
    }
    clv_plan *p = checked(graph_finish(m));
    for (int k = 0; k < p->npart; k++)
        assert_true(!p->part[k].petal && p->part[k].npetal == 0);
    done(p, m);
}

static void single_nested_and_coupled_loops(void **state)
{
    (void)state;
    clv_model *m = graph_create(); /* single: between ground and ground */
    int tip = row_of(m, CLV_GROUND, 4, 0, 0, NULL);
    graph_joint(m, CLV_JOINT_REVOLUTE, tip, CLV_GROUND, 4, 0, 0);
    clv_plan *p = checked(graph_finish(m));
    assert_int_equal(p->nloop, 1);
    /* cut in the middle: no tree path is longer than half the loop */
    for (int k = 0; k < p->nstrand; k++)
        assert_true(p->strand[k].length <= 2);
    done(p, m);
    m = graph_create(); /* single: through one moving body twice */
    int base = row_of(m, CLV_GROUND, 3, 0, 0, NULL);
    tip = row_of(m, base, 5, 3, 0, NULL);
    graph_joint(m, CLV_JOINT_SPHERICAL, tip, base, 8, 0, 0);
    p = checked(graph_finish(m));
    assert_int_equal(p->nloop, 1);
    done(p, m);
    m = graph_create(); /* nested: 1-2-3-4-5-6 closed 6-1, 5-2, 4-3 (a second joint between neighbours) */
    tip = row_of(m, CLV_GROUND, 6, 0, 0, NULL);
    graph_joint(m, CLV_JOINT_SPHERICAL, 5, 0, 6, 0, 0);
    graph_joint(m, CLV_JOINT_SPHERICAL, 4, 1, 6, 1, 0);
    graph_joint(m, CLV_JOINT_POINT, 3, 2, 6, 2, 0);
    p = checked(graph_finish(m));
    assert_int_equal(p->nloop, 3);
    done(p, m);
    m = graph_create(); /* coupled: two windows with a body in common */
    int a = row_of(m, CLV_GROUND, 3, 0, 0, NULL), b = row_of(m, CLV_GROUND, 3, 0, 1, NULL);
    graph_joint(m, CLV_JOINT_REVOLUTE, a, b, 3, 0.5, 0);
    graph_joint(m, CLV_JOINT_REVOLUTE, a - 1, b - 1, 2, 0.5, 0);
    graph_joint(m, CLV_JOINT_DISTANCE, a - 2, b - 1, 1, 0.5, 0);
    p = checked(graph_finish(m));
    assert_int_equal(p->nloop, 3);
    done(p, m);
}

static void ring_without_ground_floats(void **state)
{
    (void)state;
    for (int n = 3; n <= 400; n = 2 * n + 1) {
        clv_model *m = ring(n);
        clv_plan *p = checked(m);
        int floating = 0;
        for (int b = 0; b < n; b++)
            floating += p->tree[b].joint < 0;
        assert_int_equal(floating, 1);
        assert_int_equal(p->nloop, 1);
        assert_int_equal(p->nq, n - 1 + 7);
        done(p, m);
    }
}

static void forest_of_chains(void **state)
{
    (void)state;
    clv_model *m = graph_create();
    for (int i = 0; i < 50; i++)
        row_of(m, CLV_GROUND, 1 + i % 7, 0, i, NULL);
    row_of(m, graph_body(m, 0, 0, 9), 3, 1, 99, NULL); /* one floats */
    clv_plan *p = checked(graph_finish(m));
    assert_int_equal(p->npart, 0), assert_int_equal(p->nstrand, 51);
    assert_true(p->ngroup <= 8); /* eight congruent strands to a group */
    done(p, m);
}

static void forest_of_loops(void **state)
{
    (void)state;
    clv_model *m = graph_create();
    for (int i = 0; i < 40; i++) {
        int tip = row_of(m, CLV_GROUND, 3, 0, i, NULL);
        graph_joint(m, CLV_JOINT_REVOLUTE, tip, CLV_GROUND, 3, i, 0);
    }
    clv_plan *p = checked(graph_finish(m));
    assert_int_equal(p->nloop, 40);
    assert_true(p->max_port <= 2 && p->max_rows <= 5); /* nothing is shared: no part of two loops */
    done(p, m);
}

static void ladder_of_1000_loops_is_a_chain(void **state)
{
    (void)state;
    for (int n = 1; n <= 1000; n *= 10) {
        clv_model *m = ladder(n);
        clv_plan *p = checked(m);
        assert_int_equal(p->nloop, n);
        printf("ladder of %d windows: max_port %d, max_rows %d, depth %d\n", n, p->max_port, p->max_rows, p->depth);
        assert_true(p->max_port <= 2);
        done(p, m);
    }
}

static void net_of_12_by_12(void **state)
{
    (void)state;
    clv_model *m = net(12, CLV_JOINT_SPHERICAL, CLV_JOINT_SPHERICAL);
    clv_plan *p = checked(m);
    assert_int_equal(p->nloop, 121);
    printf("net 12 x 12 spherical: max_port %d, max_rows %d, depth %d\n", p->max_port, p->max_rows, p->depth);
    assert_true(p->max_port <= 4 * 12);
    done(p, m);
    m = net(12, CLV_JOINT_REVOLUTE, CLV_JOINT_SPHERICAL);
    p = checked(m);
    assert_int_equal(p->nloop, 121);
    done(p, m);
}

static void cut_hints_are_obeyed(void **state)
{
    (void)state;
    for (int cut = 0; cut < 5; cut++) { /* every joint of a loop in turn: cut there, or all others kept */
        clv_model *m = graph_create(), *k = graph_create();
        for (int i = 0; i < 4; i++)
            graph_body(m, i, 0, 0), graph_body(k, i, 0, 0);
        for (int i = 0; i < 5; i++) {
            const double at[3] = {i - 0.5, 0, 0};
            graph_joint_cut(m, CLV_JOINT_REVOLUTE, i ? i - 1 : CLV_GROUND, i < 4 ? i : CLV_GROUND, at, NULL,
                            i == cut ? 1 : -1);
            graph_joint_cut(k, CLV_JOINT_REVOLUTE, i ? i - 1 : CLV_GROUND, i < 4 ? i : CLV_GROUND, at, NULL,
                            i == cut ? -1 : 0);
        }
        clv_plan *pm = checked(graph_finish(m)), *pk = checked(graph_finish(k));
        for (int i = 0; i < 5; i++) {
            assert_int_equal(pm->closing[i], i == cut);
            assert_int_equal(pk->closing[i], i == cut);
        }
        done(pm, m), done(pk, k);
    }
}

static void all_joints_cut(void **state)
{
    (void)state;
    clv_model *m = graph_create();
    for (int i = 0; i < 6; i++)
        graph_body(m, i, 0, 0);
    for (int i = 0; i < 7; i++) {
        const double at[3] = {i - 0.5, 0, 0};
        graph_joint_cut(m, CLV_JOINT_REVOLUTE, i ? i - 1 : CLV_GROUND, i < 6 ? i : CLV_GROUND, at, NULL, 1);
    }
    clv_plan *p = checked(graph_finish(m));
    assert_int_equal(p->nclosing, 7), assert_int_equal(p->nu, 36);
    for (int b = 0; b < 6; b++)
        assert_true(p->tree[b].joint < 0 && p->tree[b].detached);
    done(p, m);
}

/* A loop where the driven joint would be cut by depth alone: motions, couplings and joint loads need its coordinate. */
static void joints_with_coordinates_stay_in_the_tree(void **state)
{
    (void)state;
    for (int what = 0; what < 3; what++)
        for (int which = 0; which < 5; which++) {
            clv_model *m = graph_create();
            int tip = row_of(m, CLV_GROUND, 4, 0, 0, NULL);
            graph_joint(m, CLV_JOINT_REVOLUTE, tip, CLV_GROUND, 4, 0, 0);
            if (what == 0) {
                clv_motion_desc d = clv_motion_desc_default();
                d.name = "drive", d.joint = which, d.rate = 1;
                graph_check(m, clv_model_add_motion(m, NULL, &d));
            } else if (what == 1) {
                clv_coupling_desc d = clv_coupling_desc_default();
                d.name = "gear", d.first = which, d.second = (which + 2) % 5, d.ratio = -2;
                graph_check(m, clv_model_add_coupling(m, NULL, &d));
            } else {
                clv_force_desc d = clv_force_desc_default(CLV_FORCE_JOINT);
                d.name = "spring", d.joint = which, d.stiffness = 1;
                graph_check(m, clv_model_add_force(m, NULL, &d));
            }
            clv_plan *p = checked(graph_finish(m));
            assert_false(p->closing[which]);
            if (what == 0) {
                assert_int_equal(p->tree[p->child_of_joint[which]].motion, 0);
                assert_int_equal(p->nu, 3);
            }
            if (what == 1)
                assert_false(p->closing[(which + 2) % 5]);
            done(p, m);
        }
}

static void motion_on_a_cut_joint_is_refused(void **state)
{
    (void)state;
    clv_model *m = graph_create();
    const double at[3] = {2, 0, 0};
    int tip = row_of(m, CLV_GROUND, 2, 0, 0, NULL);
    graph_joint_cut(m, CLV_JOINT_REVOLUTE, tip, CLV_GROUND, at, NULL, 1);
    clv_motion_desc d = clv_motion_desc_default();
    d.name = "drive", d.joint = 2, d.rate = 1;
    graph_check(m, clv_model_add_motion(m, NULL, &d));
    graph_finish(m);
    clv_plan *p;
    clv_error e;
    assert_int_equal(clv_plan_create(&p, m, NULL, &e), CLV_ERR_UNSUPPORTED);
    assert_null(p);
    assert_string_equal(e.joint, "j2");
    assert_non_null(strstr(e.message, "drive"));
    assert_true(e.hint[0] != '\0');
    clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain_of_any_length),
        cmocka_unit_test(shorter_runs_fill_lanes),
        cmocka_unit_test(limbs_stand_side_by_side),
        cmocka_unit_test(strands_wait_for_a_fuller_group),
        cmocka_unit_test(options_edges_and_target),
        cmocka_unit_test(star_of_1000_limbs_folds),
        cmocka_unit_test(hub_of_1000_branches),
        cmocka_unit_test(flower_of_200_petals),
        cmocka_unit_test(petals_are_many_and_float),
        cmocka_unit_test(single_nested_and_coupled_loops),
        cmocka_unit_test(ring_without_ground_floats),
        cmocka_unit_test(forest_of_chains),
        cmocka_unit_test(forest_of_loops),
        cmocka_unit_test(ladder_of_1000_loops_is_a_chain),
        cmocka_unit_test(net_of_12_by_12),
        cmocka_unit_test(cut_hints_are_obeyed),
        cmocka_unit_test(all_joints_cut),
        cmocka_unit_test(joints_with_coordinates_stay_in_the_tree),
        cmocka_unit_test(motion_on_a_cut_joint_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
