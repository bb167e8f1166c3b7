/* SPDX-License-Identifier: Apache-2.0
 * Steps of index3 in rows (T43.10) are those made body by body with the nodes of the absolute plan: the same equations,
 * so the same motion and violations; for trees of every kind of joint in either direction, limbs, cut
 * chains, floating bases, loads of the user; for closed loops, couplings, springs, dampers and motions; for thin rods;
 * with the same bits for all lane widths.  Chains are not limited by the dense nodes any more, and taut ones take few
 * iterations a step. */
#include "laws/index3.h"
#include "formulation/index3_rows.h"
#include "oracle/random_system.h"

typedef enum shape { CHAIN, COMB, TREE, SHAPES } shape;

static void random_quaternion(random_stream *r, double q[4])
{
    double n = 0;
    for (int k = 0; k < 4; k++)
        q[k] = random_normal(r), n += q[k] * q[k];
    for (int k = 0; k < 4; k++)
        q[k] /= sqrt(n);
}

static void add_body(clv_model *m, random_stream *r, int i)
{
    char name[16];
    clv_body_desc b = clv_body_desc_default();
    snprintf(name, sizeof name, "b%d", i);
    b.name = name, b.mass = random_uniform(r, 0.2, 2);
    for (int k = 0; k < 3; k++) {
        b.inertia[k] = random_uniform(r, 0.5, 0.9), b.inertia[3 + k] = random_uniform(r, -0.1, 0.1);
        b.com[k] = random_uniform(r, -0.3, 0.3);
    }
    assert_int_equal(clv_model_add_body(m, NULL, &b), CLV_OK);
}

static void add_joint(clv_model *m, random_stream *r, int i, int parent)
{
    static const clv_joint_kind kinds[] = {CLV_JOINT_REVOLUTE,  CLV_JOINT_REVOLUTE,    CLV_JOINT_REVOLUTE,
                                           CLV_JOINT_PRISMATIC, CLV_JOINT_HELICAL,     CLV_JOINT_FIXED,
                                           CLV_JOINT_UNIVERSAL, CLV_JOINT_CYLINDRICAL, CLV_JOINT_PLANAR,
                                           CLV_JOINT_SPHERICAL, CLV_JOINT_FREE};
    char name[16];
    snprintf(name, sizeof name, "j%d", i);
    clv_joint_desc j = clv_joint_desc_default(kinds[random_index(r, i == 0 ? 3 : 11)]);
    const bool reversed = random_index(r, 3) == 0;
    j.name = name, j.a = reversed ? i : parent, j.b = reversed ? parent : i;
    if (j.kind == CLV_JOINT_HELICAL)
        j.pitch = 0.1;
    for (int k = 0; k < 3; k++)
        j.position_a[k] = random_uniform(r, -0.5, 0.5), j.position_b[k] = random_uniform(r, -0.5, 0.5);
    random_quaternion(r, j.orientation_a), random_quaternion(r, j.orientation_b);
    j.has_q = j.has_u = j.kind != CLV_JOINT_FIXED;
    for (int k = 0; k < 6; k++)
        j.q[k] = random_uniform(r, -1, 1), j.u[k] = random_uniform(r, -1, 1);
    if (j.kind == CLV_JOINT_SPHERICAL || j.kind == CLV_JOINT_FREE)
        random_quaternion(r, j.q + (j.kind == CLV_JOINT_FREE ? 3 : 0));
    assert_int_equal(clv_model_add_joint(m, NULL, &j), CLV_OK);
}

static int drag(void *user, clv_load_view *v)
{
    (void)user;
    for (int i = 0; i < 6 * v->nbody; i++)
        v->wrench[i] -= 0.1 * v->velocity[i] + 0.2 * v->position[i / 6 * 3];
    return 0;
}

static clv_model *tree(uint64_t seed)
{
    random_stream r = {seed};
    const shape kind = (shape)(seed % SHAPES);
    const int n = 2 + random_index(&r, 40);
    const double gravity[3] = {0.5, -9.81, 1};
    clv_model *m;
    assert_int_equal(clv_model_create(&m, "tree"), CLV_OK);
    assert_int_equal(clv_model_set_gravity(m, gravity), CLV_OK);
    for (int i = 0; i < n; i++) {
        const int parent = i == 0         ? CLV_GROUND
                           : kind == COMB ? (i % 4 == 0 ? i - 4 : i - 1)
                           : kind == TREE ? random_index(&r, i)
                                          : i - 1;
        add_body(m, &r, i);
        if (random_index(&r, i == 0 ? 3 : 30) > 0)
            add_joint(m, &r, i, parent);
    }
    if (seed % 4 == 0) {
        clv_force_desc f = clv_force_desc_default(CLV_FORCE_CALLBACK);
        f.name = "drag", f.call = drag;
        assert_int_equal(clv_model_add_force(m, NULL, &f), CLV_OK);
    }
    if (clv_model_finish(m) != CLV_OK)
        fail_msg("seed %llu: %s", (unsigned long long)seed, clv_model_error(m)->message);
    return m;
}

/* Links of 1 m and 1 kg, hanging or stretched out sideways; with the inertia `least` about their own line. */
static clv_model *chain_of(int n, bool sideways, double least)
{
    clv_model *m;
    assert_int_equal(clv_model_create(&m, "chain"), CLV_OK);
    const double gravity[3] = {0, -9.81, 0};
    assert_int_equal(clv_model_set_gravity(m, gravity), CLV_OK);
    for (int i = 0; i < n; i++) {
        char body[16], joint[16];
        snprintf(body, sizeof body, "b%d", i), snprintf(joint, sizeof joint, "j%d", i);
        clv_body_desc b = clv_body_desc_default();
        b.name = body, b.mass = 1, b.placed = true, b.position[!sideways] = sideways ? i + 0.5 : -i - 0.5;
        b.inertia[0] = b.inertia[1] = b.inertia[2] = 1.0 / 12, b.inertia[!sideways] = least;
        assert_int_equal(clv_model_add_body(m, NULL, &b), CLV_OK);
        clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
        j.name = joint, j.a = i - 1, j.b = i, j.global = true, j.at[!sideways] = sideways ? i : -i, j.axis[2] = 1;
        j.has_u = i == 0, j.u[0] = 1e-3;
        assert_int_equal(clv_model_add_joint(m, NULL, &j), CLV_OK);
    }
    assert_int_equal(clv_model_finish(m), CLV_OK);
    return m;
}

static clv_model *planar_chain(int n, bool sideways) { return chain_of(n, sideways, 1.0 / 12); }

/* steps of all bodies one by one, as mechanisms with loops are made */
static clv_sim *open_by_nodes(const clv_model *m, const clv_sim_options *o)
{
    clv_sim *s = open_sim(m, o);
    assert_non_null(s->system.trials);
    s->system.trials = NULL;
    assert_int_equal(clv_sim_show(s), CLV_OK);
    return s;
}

/* more: iterations that a step in rows may take beyond one by nodes, in the mean */
static void same_motion(const clv_model *m, const clv_sim_options *o, double end, double tolerance, double more,
                        uint64_t seed)
{
    clv_sim *rows = open_sim(m, o), *nodes = open_by_nodes(m, o);
    clv_sim_report a, b;
    for (int k = 1; k <= 2; k++) {
        const clv_status st = clv_sim_advance(rows, end * k / 2), other = clv_sim_advance(nodes, end * k / 2);
        if (st == other && st == CLV_ERR_NO_CONVERGENCE) { /* the step is too long for both */
            clv_sim_destroy(rows), clv_sim_destroy(nodes);
            return;
        }
        if (st != other || st != CLV_OK)
            fail_msg("seed %llu: %s | %s", (unsigned long long)seed, clv_sim_error(rows)->message,
                     clv_sim_error(nodes)->message);
        if (!(apart(rows, nodes) <= tolerance))
            fail_msg("seed %llu: %.3g apart", (unsigned long long)seed, apart(rows, nodes));
    }
    clv_sim_summary(rows, &a), clv_sim_summary(nodes, &b);
    if ((double)a.iterations > (double)b.iterations + 2 + more * (double)a.steps)
        fail_msg("seed %llu: %ld iterations, %ld by nodes", (unsigned long long)seed, (long)a.iterations,
                 (long)b.iterations);
    assert_true(a.max_position_violation <= 1e-10 && a.max_velocity_violation <= 1e-10);
    assert_true(a.max_acceleration_violation <= 1e-8);
    if (!isnan(b.max_energy_drift))
        CLV_NEAR(a.max_energy_drift, b.max_energy_drift, 1e-6 * (1 + b.energy_moved));
    for (int j = 0; j < m->njoint; j++) {
        clv_joint_result x, y;
        assert_int_equal(clv_sim_joint(rows, j, &x), CLV_OK);
        assert_int_equal(clv_sim_joint(nodes, j, &y), CLV_OK);
        for (int i = 0; i < x.nq; i++)
            CLV_NEAR(x.q[i], y.q[i], 10 * tolerance);
        for (int i = 0; i < 3; i++)
            CLV_NEAR(x.force[i], y.force[i], 1e4 * tolerance);
    }
    clv_sim_destroy(rows), clv_sim_destroy(nodes);
}

static void trees_move_as_by_nodes(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 48; seed++) {
        clv_model *m = tree(seed);
        clv_sim_options o = index3(1e-3);
        if (seed % 5 == 0)
            o.integrator = "generalized-alpha", o.rho = 0.5;
        same_motion(m, &o, 0.02, 1e-8, 0.2, seed);
        clv_model_destroy(m);
    }
}

static double largest_of(double most, const double *v, int n)
{
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(v[i]));
    return most;
}

/* States between two steps are projected, and reactions follow from accelerations without a factor of all joints. */
static void outputs_of_trees_are_those_of_nodes(void **state)
{
    (void)state;
    int open = 0;
    for (uint64_t seed = 1; seed <= 48; seed++) {
        clv_model *m = tree(seed);
        const clv_sim_options o = index3(1e-3);
        clv_sim *rows = open_sim(m, &o), *nodes = open_by_nodes(m, &o);
        open += clv_index3_rows_open(&rows->system);
        assert_int_equal(clv_sim_advance(rows, 0.0104), clv_sim_advance(nodes, 0.0104));
        if (!(rows->out_gap <= fmax(1e-15, 2 * nodes->out_gap)))
            fail_msg("seed %llu: %.3g m, %.3g by nodes", (unsigned long long)seed, rows->out_gap, nodes->out_gap);
        for (int j = 0; j < m->njoint; j++) {
            clv_joint_result x, y;
            assert_int_equal(clv_sim_joint(rows, j, &x), CLV_OK);
            assert_int_equal(clv_sim_joint(nodes, j, &y), CLV_OK);
            double size = 1;
            size = largest_of(largest_of(size, y.force, 3), y.torque, 3);
            size = largest_of(largest_of(size, y.drive_force, 3), y.drive_torque, 3);
            for (int i = 0; i < 3; i++) {
                CLV_NEAR(x.force[i], y.force[i], 1e-7 * size);
                CLV_NEAR(x.torque[i], y.torque[i], 1e-7 * size);
                CLV_NEAR(x.drive_force[i], y.drive_force[i], 1e-7 * size);
                CLV_NEAR(x.drive_torque[i], y.drive_torque[i], 1e-7 * size);
            }
            assert_memory_equal(x.unique, y.unique, sizeof x.unique);
            for (int i = 0; i < x.nu; i++)
                CLV_NEAR(x.effort[i], y.effort[i], 1e-7 * size);
        }
        clv_sim_destroy(rows), clv_sim_destroy(nodes), clv_model_destroy(m);
    }
    assert_true(open >= 40);
}

/* systems of every topology of the oracle: closed, coupled, nested, ladders, hubs, rings */
static void loops_move_as_by_nodes(void **state)
{
    (void)state;
    int closed = 0;
    for (uint64_t seed = 1; seed <= 64; seed++) {
        clv_model *m;
        const random_kind kind = (random_kind)(seed % RANDOM_KINDS);
        assert_int_equal(random_system_create(seed, kind, 6 + (int)(seed % 5), &m, NULL), CLV_OK);
        clv_sim_options o = index3(1e-3);
        if (seed % 5 == 0)
            o.integrator = "generalized-alpha", o.rho = 0.5;
        clv_sim *s = open_sim(m, &o);
        closed += clv_closed_in_rows(s);
        clv_sim_destroy(s);
        same_motion(m, &o, 0.02, 1e-8, 1, seed);
        clv_model_destroy(m);
    }
    assert_true(closed >= 32);
}

/* a bar on two thin rods, each with a spherical joint and a universal one: they can turn about their line */
static clv_model *thin_loop(void)
{
    return from_text("cleave: 1\nname: thin\ngravity: [0, 0, -9.81]\nbodies:\n"
                     "  a: {mass: 1, com: [0, 0, -0.5], inertia: [0.08, 0.08, 0]}\n"
                     "  c: {mass: 1, com: [1, 0, -0.5], inertia: [0.08, 0.08, 0]}\n"
                     "  b: {mass: 2, com: [0.5, 0, -1], inertia: [0.02, 0.2, 0.2]}\njoints:\n"
                     "  ga: {kind: universal, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0], x_axis: [1, 0, "
                     "0]}\n"
                     "  gc: {kind: universal, between: [ground, c], at: [1, 0, 0], axis: [0, 1, 0], x_axis: [1, 0, "
                     "0]}\n"
                     "  ab: {kind: spherical, between: [a, b], at: [0, 0, -1]}\n"
                     "  bc: {kind: spherical, between: [b, c], at: [1, 0, -1]}\nstart:\n  bodies:\n"
                     "    a: {position: [0, 0, 0]}\n    c: {position: [0, 0, 0]}\n"
                     "    b: {position: [0, 0, 0], velocity: [0.3, 0.2, 0]}\n");
}

/* rods without inertia about their own line */
static void thin_rods_move_as_by_nodes(void **state)
{
    (void)state;
    for (int closed = 0; closed < 2; closed++) {
        clv_model *m = closed ? thin_loop() : chain_of(12, true, 0);
        clv_sim_options o = index3(1e-3);
        same_motion(m, &o, 0.05, 1e-8, 0.2, (uint64_t)closed);
        clv_model_destroy(m);
    }
}

/* iterations that start at the positions of the step before */
static void steps_without_predictor_are_those_of_nodes(void **state)
{
    (void)state;
    for (uint64_t seed = 2; seed < 8; seed++) {
        clv_model *m = tree(seed);
        clv_sim_options o = index3(1e-3);
        o.no_predictor = true;
        same_motion(m, &o, 0.02, 1e-8, 0.2, seed);
        clv_model_destroy(m);
    }
}

/* whole turns are counted */
static void turns_are_counted(void **state)
{
    (void)state;
    clv_model *m = planar_chain(1, false);
    clv_sim_options o = index3(5e-3);
    clv_joint_result r;
    clv_sim *s = open_sim(m, &o);
    const clv_joint_setting spin = {.joint = 0, .has_u = true, .u = {12}};
    assert_int_equal(clv_sim_set_joints(s, &spin, 1), CLV_OK);
    assert_int_equal(clv_sim_advance(s, 3), CLV_OK);
    assert_int_equal(clv_sim_joint(s, 0, &r), CLV_OK);
    clv_sim *nodes = open_by_nodes(m, &o);
    clv_joint_result other;
    assert_int_equal(clv_sim_set_joints(nodes, &spin, 1), CLV_OK);
    assert_int_equal(clv_sim_advance(nodes, 3), CLV_OK);
    assert_int_equal(clv_sim_joint(nodes, 0, &other), CLV_OK);
    assert_true(r.q[0] > 20);
    CLV_NEAR(r.q[0], other.q[0], 1e-7);
    clv_sim_destroy(s), clv_sim_destroy(nodes), clv_model_destroy(m);
}

static void widths_have_the_same_bits(void **state)
{
    (void)state;
    static const char *const width[] = {"1", "2", "4", "8"};
    for (uint64_t seed = 1; seed <= 12; seed++) {
        clv_model *m;
        if (seed > 6)
            assert_int_equal(random_system_create(seed, (random_kind)(seed % RANDOM_KINDS), 12, &m, NULL), CLV_OK);
        else
            m = seed == 6 ? planar_chain(200, true) : tree(seed);
        clv_sim_options o = index3(1e-3);
        double first[13 * 200];
        for (int k = 0; k < 4; k++) {
            setenv("CLV_LANES", width[k], 1);
            clv_sim *s;
            if (clv_sim_create(&s, m, &o) != CLV_OK) { /* this CPU has fewer lanes */
                assert_true(k > 1);
                clv_sim_destroy(s);
                continue;
            }
            assert_non_null(s->system.trials);
            assert_int_equal(clv_sim_advance(s, 0.01), CLV_OK);
            if (k == 0)
                memcpy(first, s->out_y, (size_t)(s->n - 1) * sizeof(double));
            assert_memory_equal(first, s->out_y, (size_t)(s->n - 1) * sizeof(double));
            clv_sim_destroy(s);
        }
        unsetenv("CLV_LANES");
        clv_model_destroy(m);
    }
}

/* The nodes of the absolute plan end at chains of 4096 links. */
static void long_chains_are_taken(void **state)
{
    (void)state;
    clv_model *m = planar_chain(6000, false);
    clv_sim_options o = index3(1e-3);
    clv_sim_report r;
    clv_sim *s = open_sim(m, &o);
    for (int k = 0; k < 5; k++)
        assert_int_equal(clv_sim_step(s, 1), CLV_OK);
    clv_sim_summary(s, &r);
    assert_int_equal(r.steps, 5);
    assert_true(r.max_position_violation <= 1e-8 && r.max_velocity_violation <= 1e-9);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* An output within a step of a chain for which the nodes lose their accuracy: the base carries what the links weigh and
 * the forces of their accelerations. */
static void long_chains_are_shown(void **state)
{
    (void)state;
    enum { n = 12000 };
    clv_model *m = planar_chain(n, true);
    const clv_sim_options o = index3(0.0175);
    clv_joint_result r;
    clv_sim *s = open_sim(m, &o);
    assert_int_equal(clv_sim_advance(s, 0.04), CLV_OK);
    assert_true(s->out_gap <= 1e-10);
    assert_int_equal(clv_sim_joint(s, 0, &r), CLV_OK);
    double needed[2] = {0}; /* links of 1 kg */
    for (size_t b = 0; b < n; b++)
        needed[0] += s->frame_A[6 * b], needed[1] += s->frame_A[6 * b + 1] + 9.81;
    for (int i = 0; i < 2; i++)
        CLV_NEAR(r.force[i], needed[i], 1e-6 * (fabs(needed[0]) + fabs(needed[1])));
    assert_true(fabs(r.force[1]) > 1);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* The same of a chain held at both ends, whose tension the closing joint gives. */
static void taut_closed_chains_converge(void **state)
{
    (void)state;
    clv_model *m = example("chain-closed", "links=1000");
    clv_sim_options o = index3(0.01);
    clv_sim_report r;
    o.eps_p = 1e-6;
    clv_sim *s = open_sim(m, &o);
    assert_true(clv_closed_in_rows(s));
    for (int k = 0; k < 30; k++)
        assert_int_equal(clv_sim_step(s, 10), CLV_OK);
    clv_sim_summary(s, &r);
    print_message("1000 links, closed: %.3g iterations, %d at most\n", (double)r.iterations / (double)r.steps,
                  r.max_iterations);
    assert_true(r.max_iterations <= 6);
    assert_true(r.max_position_violation <= 1e-8 && r.max_velocity_violation <= 1e-10);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* Forces in the joints are in the matrix: without them 1000 links need 12 iterations in the mean and then 30 are not
 * enough, because what turns a link in a taut chain is the tension. */
static void taut_chains_converge(void **state)
{
    (void)state;
    clv_model *m = planar_chain(1000, true);
    clv_sim_options o = index3(0.0175);
    clv_sim_report r;
    o.eps_p = 1e-6;
    clv_sim *s = open_sim(m, &o);
    for (int k = 0; k < 40; k++)
        assert_int_equal(clv_sim_step(s, 10), CLV_OK);
    clv_sim_summary(s, &r);
    print_message("1000 links: %.3g iterations, %d at most\n", (double)r.iterations / (double)r.steps,
                  r.max_iterations);
    assert_true(r.max_iterations <= 5);
    assert_true(r.max_position_violation <= 1e-10 && r.max_velocity_violation <= 1e-12);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* An iteration is left out where the next |dx| is expected to be little (T27): the motion is that of all iterations
 * within a few eps_p. */
static void little_iterations_are_left_out(void **state)
{
    (void)state;
    clv_model *m = planar_chain(1000, true);
    clv_sim_options o = index3(0.0175);
    clv_sim_report r, all;
    o.eps_p = 6e-6;
    clv_sim *s = open_sim(m, &o);
    o.eps_p = 1e-9;
    clv_sim *exact = open_sim(m, &o);
    assert_int_equal(clv_sim_advance(s, 0.7), CLV_OK);
    assert_int_equal(clv_sim_advance(exact, 0.7), CLV_OK);
    clv_sim_summary(s, &r), clv_sim_summary(exact, &all);
    print_message("1000 links: %ld of %ld iterations, %.1e apart\n", (long)r.iterations, (long)all.iterations,
                  apart(s, exact));
    assert_true(r.max_iterations <= 3 && all.max_iterations > 3);
    assert_true(apart(s, exact) <= 1e-4);
    clv_sim_destroy(s), clv_sim_destroy(exact), clv_model_destroy(m);
}

static void end_of(const char *text, const char *formulation, double r[3], double V[6])
{
    clv_model *m = NULL;
    clv_sim *s = NULL;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation, o.rtol = 1e-11, o.atol = 1e-11;
    o.step = strcmp(formulation, "index3") == 0 ? 1e-3 : 0;
    assert_int_equal(clv_model_read_text(&m, text, strlen(text), "plate"), CLV_OK);
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
    assert_int_equal(clv_sim_advance(s, 0.5), CLV_OK);
    memcpy(r, clv_sim_position(s), 3 * sizeof *r), memcpy(V, clv_sim_velocity(s), 6 * sizeof *V);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* A spring or damper across a planar joint that the tree passes from b to a: its force turns the plate about the point
 * of b, and the rows of the joint about that of a. */
static void a_planar_joint_passed_backwards_is_damped(void **state)
{
    (void)state;
    static const char *const load[] = {"coordinate: 0, damping: 5", "coordinate: 1, damping: 5",
                                       "coordinate: 1, stiffness: 50", "coordinate: 2, damping: 5"};
    for (int i = 0; i < 4; i++) {
        char text[600];
        double r[3], V[6], other_r[3], other_V[6];
        snprintf(text, sizeof text,
                 "cleave: 1\ngravity: [0, 0, 0]\nbodies: {plate: {mass: 2, inertia: [1, 1, 1]}}\n"
                 "joints: {h: {kind: planar, a: {body: plate}, b: {body: ground}}}\n"
                 "forces: {d: {kind: joint-load, joint: h, %s}}\n"
                 "start: {bodies: {plate: {position: [0.5, 0.2, 0], velocity: [0.3, 0.4, 0], "
                 "angular_velocity: [0, 0, 2]}}}\n",
                 load[i]);
        end_of(text, "index3", r, V), end_of(text, "dca", other_r, other_V);
        for (int k = 0; k < 3; k++)
            CLV_NEAR(r[k], other_r[k], 1e-5);
        for (int k = 0; k < 6; k++)
            CLV_NEAR(V[k], other_V[k], 1e-4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_planar_joint_passed_backwards_is_damped),
                                       cmocka_unit_test(trees_move_as_by_nodes),
                                       cmocka_unit_test(outputs_of_trees_are_those_of_nodes),
                                       cmocka_unit_test(loops_move_as_by_nodes),
                                       cmocka_unit_test(thin_rods_move_as_by_nodes),
                                       cmocka_unit_test(steps_without_predictor_are_those_of_nodes),
                                       cmocka_unit_test(turns_are_counted),
                                       cmocka_unit_test(widths_have_the_same_bits),
                                       cmocka_unit_test(long_chains_are_taken), cmocka_unit_test(long_chains_are_shown),
                                       cmocka_unit_test(taut_chains_converge),
                                       cmocka_unit_test(little_iterations_are_left_out),
                                       cmocka_unit_test(taut_closed_chains_converge)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
