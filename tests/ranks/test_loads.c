/* SPDX-License-Identifier: Apache-2.0
 * Loads, motions and inputs of every kind that lie in one segment (T80): motions are those of one simulation, and every
 * number of ranks has the same bits.  What lies between segments is refused by name. */
#include "runs.h"

enum { LINKS = 24, SEGMENTS = 4 };

static clv_model *chain(void)
{
    clv_model *m;
    assert_int_equal(clv_model_create(&m, "loaded"), CLV_OK);
    for (int i = 0; i < LINKS; i++) {
        clv_body_desc b = clv_body_desc_default();
        clv_joint_desc j = clv_joint_desc_default(i % 5 == 3 ? CLV_JOINT_PRISMATIC : CLV_JOINT_REVOLUTE);
        char name[24];
        snprintf(name, sizeof name, "b%d", i);
        b.name = name, b.mass = 1 + 0.1 * (i % 3), b.com[0] = 0.5;
        b.inertia[0] = 0.05, b.inertia[1] = b.inertia[2] = 0.1;
        assert_int_equal(clv_model_add_body(m, NULL, &b), CLV_OK);
        snprintf(name, sizeof name, "j%d", i);
        j.name = name, j.a = i - 1, j.b = i, j.position_a[0] = i > 0;
        j.orientation_a[0] = j.orientation_b[0] = 0.8, j.orientation_a[1 + i % 3] = j.orientation_b[1 + i % 3] = 0.6;
        j.armature[0] = i % 4 == 1 ? 0.3 : 0; /* also of a joint that is at a cut */
        assert_int_equal(clv_model_add_joint(m, NULL, &j), CLV_OK);
    }
    assert_int_equal(clv_model_set_gravity(m, (const double[]){0, -9.81, 0}), CLV_OK);
    return m;
}

static void add(clv_model *m, clv_force_desc d, const char *name)
{
    d.name = name;
    if (clv_model_add_force(m, NULL, &d) != CLV_OK)
        print_message("%s: %s\n", name, clv_model_error(m)->message);
    assert_int_equal(clv_model_error(m)->code, CLV_OK);
}

static void add_loads(clv_model *m)
{
    static const double time[] = {0, 0.02, 0.05}, value[] = {0, 4, -3};
    static const double place[] = {-1, 0, 2}, force[] = {-8, 0, 20}, speed[] = {-2, 0, 2}, loss[] = {-1, 0, 3};
    const clv_table table = {.n = 3, .time = time, .value = value};
    clv_force_desc d = clv_force_desc_default(CLV_FORCE_JOINT);
    d.joint = 1, d.spring = (clv_table){.n = 3, .time = place, .value = force};
    d.damper = (clv_table){.n = 3, .time = speed, .value = loss}, d.limit = 5;
    add(m, d, "tables");
    d = clv_force_desc_default(CLV_FORCE_JOINT);
    d.joint = 9, d.table = table;
    add(m, d, "drive");
    d = clv_force_desc_default(CLV_FORCE_POINT);
    d.b = 14, d.vector[1] = 2, d.point_b[0] = 0.3, d.table = table;
    add(m, d, "push");
    d = clv_force_desc_default(CLV_FORCE_DRAG);
    d.b = 20, d.drag.linear[0] = 0.4, d.drag.quadratic[0] = 2, d.drag.fluid[0] = 1;
    add(m, d, "wind");
    const clv_path_point path[] = {{CLV_GROUND, {0, 2, 0}}, {15, {0.5, 0, 0}}, {16, {0.2, 0.1, 0}}};
    d = clv_force_desc_default(CLV_FORCE_TENDON);
    d.npoint = 3, d.path = path, d.stiffness = 30, d.damping = 0.5, d.rest = 2;
    add(m, d, "rope");
    const clv_coupling_term term[] = {{1, 1.0}, {2, -0.5}};
    d = clv_force_desc_default(CLV_FORCE_TENDON);
    d.nterm = 2, d.term = term, d.stiffness = 20, d.damping = 0.1;
    add(m, d, "sum");
}

static void put_input(clv_model *m, clv_input_desc d, const char *name, double x)
{
    d.name = name, d.value = x;
    if (clv_model_add_input(m, NULL, &d) != CLV_OK)
        print_message("%s: %s\n", name, clv_model_error(m)->message);
    assert_int_equal(clv_model_error(m)->code, CLV_OK);
}

static void add_inputs(clv_model *m)
{
    clv_input_desc d = clv_input_desc_default(CLV_INPUT_JOINT);
    d.joint = 4;
    put_input(m, d, "effort", 1.5);
    d = clv_input_desc_default(CLV_INPUT_FORCE);
    d.body = 11, d.vector[2] = 1, d.in_body = true, d.point[0] = 0.2;
    put_input(m, d, "thrust", 3);
    d = clv_input_desc_default(CLV_INPUT_TORQUE);
    d.body = 22, d.vector[0] = 1;
    put_input(m, d, "twist", -0.7);
    d = clv_input_desc_default(CLV_INPUT_TENDON);
    d.force = clv_model_find_force(m, "rope");
    put_input(m, d, "pull", -2);
    d = clv_input_desc_default(CLV_INPUT_FLUID);
    d.force = clv_model_find_force(m, "wind"), d.vector[1] = 1;
    put_input(m, d, "gust", 4);
}

static void add_motion(clv_model *m)
{
    static const double time[] = {0, 0.05, 0.1, 0.2}, value[] = {0, 0.02, 0.01, 0.05};
    clv_motion_desc d = clv_motion_desc_default();
    int motion;
    d.name = "slide", d.joint = 13, d.table = (clv_table){.n = 4, .time = time, .value = value};
    d.profile = CLV_PROFILE_SMOOTH;
    assert_int_equal(clv_model_add_motion(m, &motion, &d), CLV_OK);
    clv_input_desc x = clv_input_desc_default(CLV_INPUT_MOTION);
    x.motion = motion;
    put_input(m, x, "haste", 0.5);
}

static clv_model *loaded(bool driven)
{
    clv_model *m = chain();
    add_loads(m), add_inputs(m);
    if (driven)
        add_motion(m);
    if (clv_model_finish(m) != CLV_OK)
        print_message("%s\n", clv_model_error(m)->message);
    assert_true(m->finished);
    return m;
}

static void loads_in_segments_act_as_in_one_simulation(void **state)
{
    (void)state;
    bool same = true;
    for (int k = 0; k < 3; k++) {
        clv_model *m = loaded(k == 2);
        same = as_one(m, &(wish){k ? "dca" : "hdca", "rk4", 1e-3, 0.1, SEGMENTS, 1, 1}, 1e-8) && same;
        clv_model_destroy(m);
    }
    assert_true(same);
}

/* energies of all ranks, with those of rotors */
static void energies_are_those_of_one_simulation(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        clv_model *m = loaded(k == 1);
        const size_t n = (size_t)BODY * (size_t)m->nbody;
        const wish w = {k ? "dca" : "hdca", "rk4", 1e-3, 0.1, SEGMENTS, 2, 1};
        const clv_sim_options o = options_of(&w);
        clv_sim *sim;
        double kinetic, potential, *r = run(m, &w);
        assert_non_null(r);
        assert_int_equal(clv_sim_create(&sim, m, &o), CLV_OK);
        assert_int_equal(clv_sim_advance(sim, w.time), CLV_OK);
        clv_sim_energy(sim, &kinetic, &potential, NULL);
        if (!(fabs(r[n] - kinetic) < 1e-7 * kinetic))
            print_message("%s: kinetic %.10g, %.10g\n", w.formulation, r[n], kinetic);
        assert_true(fabs(r[n] - kinetic) < 1e-7 * kinetic);
        assert_true(r[n + 4] < 1e-5 * kinetic); /* drift */
        clv_sockets_free(r, n + REST);
        clv_sim_destroy(sim);
        clv_model_destroy(m);
    }
}

static void any_number_of_ranks_has_the_same_bits(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        clv_model *m = loaded(k == 1);
        const size_t n = (size_t)BODY * (size_t)m->nbody; /* sums of work have the order of ranks */
        wish w = {k ? "dca" : "hdca", "dopri5", 0, 0.1, SEGMENTS, 1, 1};
        double *one = run(m, &w);
        assert_non_null(one);
        for (w.ranks = 2; w.ranks <= SEGMENTS; w.ranks++) {
            double *r = run(m, &w);
            assert_non_null(r);
            assert_memory_equal(one, r, n * sizeof *r);
            clv_sockets_free(r, n + REST);
        }
        clv_sockets_free(one, n + REST);
        clv_model_destroy(m);
    }
}

/* a rope from the first link to the last one */
static void what_lies_between_segments_is_refused_by_name(void **state)
{
    (void)state;
    const clv_path_point path[] = {{0, {0, 0, 0}}, {LINKS - 1, {0, 0, 0}}};
    const clv_ranks ranks = {.size = 1};
    clv_sim_options o = clv_sim_options_default();
    clv_force_desc d = clv_force_desc_default(CLV_FORCE_TENDON);
    clv_model *m = chain();
    clv_ranked *r;
    d.npoint = 2, d.path = path, d.stiffness = 1;
    add(m, d, "far");
    assert_int_equal(clv_model_finish(m), CLV_OK);
    assert_int_equal(clv_ranked_open(&r, m, &o, &ranks, SEGMENTS), CLV_ERR_UNSUPPORTED);
    assert_non_null(strstr(r->error.message, "'far'"));
    clv_ranked_close(r);
    clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_in_segments_act_as_in_one_simulation),
        cmocka_unit_test(energies_are_those_of_one_simulation),
        cmocka_unit_test(any_number_of_ranks_has_the_same_bits),
        cmocka_unit_test(what_lies_between_segments_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
