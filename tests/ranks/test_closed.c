/* SPDX-License-Identifier: Apache-2.0
 * A loop over all ranks, from ground to ground (T128): motions are those of one simulation, the loop stays closed, and
 * every number of ranks has the same bits. */
#include "oracle/random_system.h"
#include "runs.h"

static double number(random_stream *s, double size) { return random_uniform(s, -size, size); }

/* a chain in space between two points of the ground, one joint of each link of a kind of `kinds`, the last of `end` */
static clv_model *arch(uint64_t seed, int links, clv_joint_kind end, bool turned)
{
    static const clv_joint_kind kinds[] = {CLV_JOINT_REVOLUTE, CLV_JOINT_SPHERICAL, CLV_JOINT_UNIVERSAL,
                                           CLV_JOINT_CYLINDRICAL};
    random_stream s = {seed};
    clv_model *m;
    assert_int_equal(clv_model_create(&m, "arch"), CLV_OK);
    for (int i = 0; i < links; i++) {
        clv_body_desc d = clv_body_desc_default();
        char name[24];
        snprintf(name, sizeof name, "b%d", i);
        d.name = name, d.mass = random_uniform(&s, 0.5, 2), d.placed = true;
        d.position[0] = i + 0.5, d.position[1] = number(&s, 0.3), d.position[2] = number(&s, 0.3);
        for (int k = 0; k < 3; k++)
            d.com[k] = number(&s, 0.2), d.inertia[k] = d.mass * random_uniform(&s, 0.1, 0.15);
        assert_int_equal(clv_model_add_body(m, NULL, &d), CLV_OK);
    }
    for (int i = 0; i <= links; i++) {
        clv_joint_desc d = clv_joint_desc_default(i == links ? end : kinds[random_index(&s, 4)]);
        const bool swapped = i == links ? turned : random_chance(&s, 0.5);
        const int inner = i == 0 ? CLV_GROUND : i - 1, outer = i == links ? CLV_GROUND : i;
        char name[24];
        snprintf(name, sizeof name, "j%d", i);
        d.name = name, d.global = true, d.pitch = d.kind == CLV_JOINT_HELICAL ? 0.1 : 0;
        d.a = swapped ? outer : inner, d.b = swapped ? inner : outer;
        d.at[0] = i, d.at[1] = number(&s, 0.2), d.at[2] = number(&s, 0.2);
        for (int k = 0; k < 3; k++)
            d.axis[k] = number(&s, 1), d.x_axis[k] = number(&s, 1);
        assert_int_equal(clv_model_add_joint(m, NULL, &d), CLV_OK);
    }
    assert_int_equal(clv_model_set_gravity(m, (const double[]){0, -9.81, 0}), CLV_OK);
    if (clv_model_finish(m) != CLV_OK)
        print_message("%s\n", clv_model_error(m)->message);
    assert_true(m->finished);
    return m;
}

/* planar, so three rows of the closing joint repeat others */
static void a_planar_chain_moves_as_in_one_simulation(void **state)
{
    (void)state;
    bool same = true;
    clv_model *m = example("chain-closed", (const char *const[]){"links=40"}, 1);
    for (int segments = 1; segments <= 16; segments *= 4)
        for (int k = 0; k < 2; k++)
            same = as_one(m, &(wish){k ? "dca" : "hdca", "rk4", 1e-3, 0.2, segments, 1, 1}, 1e-8) && same;
    clv_model_destroy(m);
    assert_true(same);
}

static void arches_move_as_in_one_simulation(void **state)
{
    (void)state;
    static const clv_joint_kind ends[] = {CLV_JOINT_REVOLUTE,  CLV_JOINT_SPHERICAL, CLV_JOINT_FIXED,
                                          CLV_JOINT_UNIVERSAL, CLV_JOINT_PRISMATIC, CLV_JOINT_CYLINDRICAL,
                                          CLV_JOINT_PLANAR,    CLV_JOINT_HELICAL};
    bool same = true;
    for (unsigned i = 0; i < 16; i++) {
        clv_model *m = arch(i + 1, 12 + (int)i, ends[i / 2], i % 2);
        for (int k = 0; k < 2; k++)
            same = as_one(m, &(wish){k ? "dca" : "hdca", "rk4", 1e-3, 0.1, 4, 1, 1}, 1e-7) && same;
        clv_model_destroy(m);
    }
    assert_true(same);
}

static void any_number_of_ranks_has_the_same_bits(void **state)
{
    (void)state;
    clv_model *m = arch(3, 40, CLV_JOINT_REVOLUTE, false);
    any_ranks_agree(m, 8, (const int[]){2, 3, 4, 8}, 4);
    clv_model_destroy(m);
}

static void the_loop_stays_closed_and_energy_is_kept(void **state)
{
    (void)state;
    clv_model *planar = example("chain-closed", (const char *const[]){"links=40"}, 1);
    clv_model *spatial = arch(5, 30, CLV_JOINT_SPHERICAL, true);
    for (int k = 0; k < 4; k++) {
        wish w = {k % 2 ? "dca" : "hdca", "dopri5", 0, 0.5, 8, 2, 1};
        double *r = clv_sockets_run(2, watch_rank, (void *[]){k < 2 ? planar : spatial, &w}, 5);
        assert_non_null(r);
        if (r[0] > 1e-9 || r[1] > 1e-5 || r[3] > 1e-5 * r[4])
            print_message("%s: gap %.2g, %.2g, drift %.2g of %.2g\n", w.formulation, r[0], r[1], r[3], r[4]);
        assert_true(r[0] < 1e-9 && r[1] < 1e-5 && r[3] < 1e-5 * r[4]);
        assert_true(r[2] == (k < 2 ? 3 : 0));
        clv_sockets_free(r, 5);
    }
    clv_model_destroy(planar), clv_model_destroy(spatial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_planar_chain_moves_as_in_one_simulation),
        cmocka_unit_test(arches_move_as_in_one_simulation),
        cmocka_unit_test(any_number_of_ranks_has_the_same_bits),
        cmocka_unit_test(the_loop_stays_closed_and_energy_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
