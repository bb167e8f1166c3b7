/* SPDX-License-Identifier: Apache-2.0
 * Loops inside segments and between them (T160): motions are those of one simulation, loops stay closed, and every
 * number of ranks has the same bits. */
#include "model/keep.h"
#include "oracle/random_system.h"
#include "runs.h"

static double number(random_stream *s, double size) { return random_uniform(s, -size, size); }

static clv_model *begin(const char *name)
{
    clv_model *m;
    assert_int_equal(clv_model_create(&m, name), CLV_OK);
    assert_int_equal(clv_model_set_gravity(m, (const double[]){1, -9.81, 0.5}), CLV_OK);
    return m;
}

static clv_model *finish(clv_model *m)
{
    if (clv_model_finish(m) != CLV_OK)
        print_message("%s\n", clv_model_error(m)->message);
    assert_true(m->finished);
    return m;
}

static int bar(clv_model *m, const char *name, int i, double x, double y, double z)
{
    clv_body_desc d = clv_body_desc_default();
    char text[32];
    int index;
    snprintf(text, sizeof text, "%s%d", name, i);
    d.name = text, d.mass = 1 + 0.1 * (i % 7), d.placed = true;
    d.position[0] = x, d.position[1] = y, d.position[2] = z;
    for (int k = 0; k < 3; k++)
        d.inertia[k] = d.mass * (0.08 + 0.01 * k);
    assert_int_equal(clv_model_add_body(m, &index, &d), CLV_OK);
    return index;
}

static void hinge(clv_model *m, clv_joint_kind kind, int a, int b, double x, double y, double z, const double axis[3])
{
    clv_joint_desc d = clv_joint_desc_default(kind);
    char text[32];
    snprintf(text, sizeof text, "j%d", m->njoint);
    d.name = text, d.global = true, d.a = a, d.b = b;
    d.at[0] = x, d.at[1] = y, d.at[2] = z;
    d.at_b[0] = x + 0.4, d.at_b[1] = y, d.at_b[2] = z + 0.1;
    memcpy(d.axis, axis, sizeof d.axis);
    assert_int_equal(clv_model_add_joint(m, NULL, &d), CLV_OK);
}

/* what floats falls as one body without it */
static void push(clv_model *m, int body)
{
    clv_force_desc d = clv_force_desc_default(CLV_FORCE_POINT);
    d.name = "push", d.a = CLV_GROUND, d.b = body;
    d.vector[0] = 20, d.vector[1] = 30, d.vector[2] = 10, d.point_b[1] = 0.2;
    assert_int_equal(clv_model_add_force(m, NULL, &d), CLV_OK);
}

/* the start rate of the last joint */
static void rate_of(clv_model *m, double rate)
{
    clv_joint *j = &m->joint[m->njoint - 1];
    j->has_u = true;
    assert_true(clv_keep_start(m, j, j->q, &rate));
}

static const double Z[3] = {0, 0, 1}, Y[3] = {0, 1, 0};

/* a chain in space whose links carry four-bar limbs, on the ground at its start, or floating */
static clv_model *chain_with_limbs(int links, bool floating)
{
    clv_model *m = begin("limbs");
    for (int i = 0; i < links; i++) {
        const int l = bar(m, "b", i, i + 0.5, 0, 0), a = bar(m, "p", i, i + 0.3, 0.5, 0);
        const int c = bar(m, "q", i, i + 0.5, 1, 0), e = bar(m, "r", i, i + 0.8, 0.5, 0);
        if (i > 0 || !floating)
            hinge(m, i % 3 ? CLV_JOINT_REVOLUTE : CLV_JOINT_SPHERICAL, i > 0 ? l - 4 : CLV_GROUND, l, i, 0, 0,
                  i % 2 ? Z : Y);
        hinge(m, CLV_JOINT_REVOLUTE, l, a, i + 0.3, 0, 0, Z), hinge(m, CLV_JOINT_REVOLUTE, a, c, i + 0.3, 1, 0, Z);
        hinge(m, CLV_JOINT_REVOLUTE, c, e, i + 0.8, 1, 0, Z), hinge(m, CLV_JOINT_REVOLUTE, e, l, i + 0.8, 0, 0, Z);
    }
    push(m, 4 * links - 1);
    return finish(m);
}

static bool moves_alike(clv_model *m, double time, double tolerance)
{
    bool same = true;
    for (int segments = 1; segments <= 8; segments *= 2)
        same = as_one(m, &(wish){"dca", "rk4", 1e-3, time, segments, 1, 1}, tolerance) && same;
    clv_model_destroy(m);
    return same;
}

static void limbs_with_loops_move_as_in_one_simulation(void **state)
{
    (void)state;
    assert_true(moves_alike(chain_with_limbs(12, false), 0.1, 1e-8));
    assert_true(moves_alike(chain_with_limbs(12, true), 0.1, 1e-8));
}

static void a_ladder_moves_as_in_one_simulation(void **state)
{
    (void)state;
    assert_true(moves_alike(example("four-bar-ladder", (const char *const[]){"windows=16"}, 1), 0.1, 1e-8));
}

/* a closed necklace that floats; planar: about one axis, so that three rows repeat others */
static clv_model *ring(int links, bool planar)
{
    clv_model *m = begin("ring");
    const double step = 2 * 3.14159265358979323846 / links;
    for (int i = 0; i < links; i++)
        bar(m, "b", i, cos(step * i) * links / 6.3, sin(step * i) * links / 6.3, 0);
    for (int i = 0; i < links; i++) {
        const double at = step * (i + 0.5), radial[3] = {cos(at), sin(at), 0};
        hinge(m, planar || i % 3 ? CLV_JOINT_REVOLUTE : CLV_JOINT_SPHERICAL, i, (i + 1) % links, cos(at) * links / 6.3,
              sin(at) * links / 6.3, 0, planar || i % 2 ? Z : radial);
    }
    push(m, links / 3);
    return finish(m);
}

static void rings_move_as_in_one_simulation(void **state)
{
    (void)state;
    assert_true(moves_alike(ring(40, true), 0.1, 1e-8));
    assert_true(moves_alike(ring(40, false), 0.1, 1e-8));
}

/* two rails of links side by side, with rungs between them: a cut passes through both rails */
static clv_model *rails(int links, bool grounded)
{
    clv_model *m = begin("rails");
    int before[2] = {CLV_GROUND, CLV_GROUND};
    for (int i = 0; i < links; i++) {
        int rail[2];
        for (int s = 0; s < 2; s++) {
            rail[s] = bar(m, s ? "r" : "l", i, i + 0.5, s, 0);
            if (i > 0 || grounded)
                hinge(m, CLV_JOINT_SPHERICAL, before[s], rail[s], i, s, 0, Z);
            before[s] = rail[s];
        }
        const int rung = bar(m, "c", i, i + 0.5, 0.5, 0);
        hinge(m, CLV_JOINT_SPHERICAL, rail[0], rung, i + 0.5, 0, 0, Z);
        hinge(m, CLV_JOINT_SPHERICAL, rung, rail[1], i + 0.5, 1, 0, Z);
    }
    push(m, 2);
    return finish(m);
}

static void rails_move_as_in_one_simulation(void **state)
{
    (void)state;
    assert_true(moves_alike(rails(14, true), 0.1, 1e-8));
    assert_true(moves_alike(rails(14, false), 0.1, 1e-8));
}

/* rates of the hinges of a chain and of its limbs: one of each limb is free, and the others follow */
static void links_and_limbs_move_at_the_start(void **state)
{
    (void)state;
    clv_model *m = begin("moving");
    const int links = 16;
    for (int i = 0; i < links; i++) {
        const int l = bar(m, "b", i, i + 0.5, 0, 0), a = bar(m, "p", i, i + 0.3, 0.5, 0);
        const int c = bar(m, "q", i, i + 0.55, 1, 0), e = bar(m, "r", i, i + 0.8, 0.5, 0);
        const double rate = 0.5 + 0.1 * i, parallel[4] = {rate, -rate, rate, -rate}; /* a parallelogram */
        hinge(m, CLV_JOINT_REVOLUTE, i > 0 ? l - 4 : CLV_GROUND, l, i, 0, 0, i % 2 ? Z : Y);
        rate_of(m, 0.2 * (i % 5));
        const int body[5] = {l, a, c, e, l};
        for (int k = 0; k < 4; k++) {
            hinge(m, CLV_JOINT_REVOLUTE, body[k], body[k + 1], k < 2 ? i + 0.3 : i + 0.8, k == 1 || k == 2, 0, Z);
            rate_of(m, parallel[k]);
        }
    }
    assert_true(moves_alike(finish(m), 0.1, 1e-8));
}

/* a net of cables, `wide` nodes beside each other, held at both ends by the ground; joints: between neighbours too */
static clv_model *net(int wide, int length, bool joints)
{
    clv_model *m = begin("net");
    for (int i = 0; i < length; i++)
        for (int j = 0; j < wide; j++) {
            const int b = bar(m, "n", wide * i + j, i, j, 0.1 * ((i * j) % 3));
            const bool ends = i == 0 || i == length - 1;
            if (ends && j == 0)
                hinge(m, CLV_JOINT_SPHERICAL, CLV_GROUND, b, i, j, 0, Z);
            if (i > 0)
                hinge(m, joints && j == 0 ? CLV_JOINT_SPHERICAL : CLV_JOINT_DISTANCE, b - wide, b, i - 0.5, j, 0.1, Z);
            if (j > 0)
                hinge(m, joints ? CLV_JOINT_UNIVERSAL : CLV_JOINT_DISTANCE, b - 1, b, i, j - 0.5, 0.1, Y);
        }
    push(m, wide * length / 2);
    return finish(m);
}

static void narrow_nets_move_as_in_one_simulation(void **state)
{
    (void)state;
    assert_true(moves_alike(net(3, 12, false), 0.05, 1e-8));
    assert_true(moves_alike(net(5, 12, true), 0.05, 1e-8));
}

/* a strip of bodies at random places, in a chain with joints of any kind to bodies up to three before, and to ground */
static clv_model *strip(uint64_t seed, int bodies)
{
    static const clv_joint_kind chain[] = {CLV_JOINT_REVOLUTE, CLV_JOINT_SPHERICAL, CLV_JOINT_UNIVERSAL,
                                           CLV_JOINT_CYLINDRICAL, CLV_JOINT_SPHERICAL, CLV_JOINT_SPHERICAL};
    static const clv_joint_kind across[] = {CLV_JOINT_SPHERICAL, CLV_JOINT_DISTANCE, CLV_JOINT_POINT,
                                            CLV_JOINT_DISTANCE, CLV_JOINT_UNIVERSAL, CLV_JOINT_PLANAR};
    random_stream s = {seed};
    clv_model *m = begin("strip");
    double at[64][3];
    for (int i = 0; i < bodies; i++) {
        for (int k = 0; k < 3; k++)
            at[i][k] = (k == 0 ? i : 0) + number(&s, 0.4);
        bar(m, "b", i, at[i][0], at[i][1], at[i][2]);
    }
    for (int i = 0; i < bodies; i++) {
        const double axis[3] = {number(&s, 1), number(&s, 1), number(&s, 1)};
        const bool chords = random_chance(&s, 0.4);
        const int far = i - 2 - random_index(&s, 2), other = random_chance(&s, 0.2) ? CLV_GROUND : far;
        if (i > 0 || random_chance(&s, 0.5))
            hinge(m, chain[random_index(&s, 6)], i - 1, i, at[i][0] - 0.5, number(&s, 0.3), number(&s, 0.3), axis);
        if (chords && far >= 0)
            hinge(m, across[random_index(&s, 6)], other, i, at[i][0] + number(&s, 0.5), at[i][1] + 0.3, at[i][2], axis);
    }
    push(m, bodies / 2);
    return finish(m);
}

static void random_strips_move_as_in_one_simulation(void **state)
{
    (void)state;
    bool same = true;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        clv_model *m = strip(seed, 14 + (int)(seed % 20));
        for (int segments = 2; segments <= 4; segments *= 2)
            same = as_one(m, &(wish){"dca", "rk4", 1e-3, 0.05, segments, 1 + (int)(seed % 2), 1}, 1e-7) && same;
        clv_model_destroy(m);
    }
    assert_true(same);
}

/* bodies of each border, and of each segment */
static bool cuts_are(clv_model *m, int segments, int wide, int most)
{
    clv_cut cut;
    clv_error e;
    int load[64] = {0}, widest = 0, largest = 0;
    assert_int_equal(clv_cut_model(&cut, m, segments, &e), CLV_OK);
    for (int b = 0; b < m->nbody; b++)
        load[cut.segment_of[b]]++;
    for (int k = 0; k < cut.nsegment; k++) {
        widest = cut.border[k] > widest ? cut.border[k] : widest;
        largest = load[k] > largest ? load[k] : largest;
    }
    if (cut.nsegment != segments || widest != wide || largest > most)
        print_message("%d segments, %d bodies at a border, %d in a segment\n", cut.nsegment, widest, largest);
    const bool good = cut.nsegment == segments && widest == wide && largest <= most;
    clv_cut_close(&cut), clv_model_destroy(m);
    return good;
}

static void cuts_are_narrow_and_parts_are_alike(void **state)
{
    (void)state;
    assert_true(cuts_are(chain_with_limbs(64, false), 8, 1, 36));
    assert_true(cuts_are(example("four-bar-ladder", (const char *const[]){"windows=64"}, 1), 8, 1, 18));
    assert_true(cuts_are(ring(64, true), 8, 2, 10));
    assert_true(cuts_are(rails(64, true), 8, 2, 32));
    assert_true(cuts_are(net(3, 64, true), 8, 3, 32));
    assert_true(cuts_are(net(6, 64, false), 8, 6, 66));
}

static void any_number_of_ranks_has_the_same_bits(void **state)
{
    (void)state;
    clv_model *const m[] = {chain_with_limbs(20, false), ring(60, false), rails(24, true),
                            example("four-bar-ladder", (const char *const[]){"windows=30"}, 1)};
    for (size_t i = 0; i < sizeof m / sizeof *m; i++) {
        ranks_agree(m[i], 8, (const int[]){2, 3, 4, 8}, 4, 1);
        clv_model_destroy(m[i]);
    }
}

/* as that of a tree: corrections and what a step is judged by have a sweep each */
static void an_evaluation_is_one_way_up_and_one_way_down(void **state)
{
    (void)state;
    clv_model *m = example("four-bar-ladder", (const char *const[]){"windows=40"}, 1);
    for (int log = 1; log <= 3; log++) {
        wish w = {"dca", "dopri5", 0, 0.5, 16, 1 << log, 1};
        double *each = clv_sockets_run(w.ranks, count_messages, (void *[]){m, &w}, CLV_SOCKETS_MOST), most = 0;
        assert_non_null(each);
        for (int i = 0; i < w.ranks; i++)
            most = fmax(most, each[i]);
        if (most > 2 * log + 2)
            print_message("%d ranks: %.2f messages\n", w.ranks, most);
        assert_true(most >= 2 * log && most <= 2 * log + 2);
        clv_sockets_free(each, CLV_SOCKETS_MOST);
    }
    clv_model_destroy(m);
}

static void refused(clv_model *m, const char *formulation, const char *text)
{
    clv_sim_options o = clv_sim_options_default();
    const clv_ranks ranks = {.size = 1};
    clv_ranked *r;
    o.formulation = formulation;
    const clv_status st = clv_ranked_open(&r, m, &o, &ranks, 0);
    if (st == CLV_OK || !strstr(r->error.message, text))
        print_message("%d %s\n", st, r->error.message);
    assert_true(st != CLV_OK && strstr(r->error.message, text) && *r->error.hint);
    clv_ranked_close(r);
    clv_model_destroy(m);
}

/* a ring whose last joint is off by so much; or one that turns about that joint alone */
static clv_model *open_ring(double off, double rate)
{
    clv_model *m = begin("open");
    for (int i = 0; i < 20; i++)
        bar(m, "b", i, cos(0.314 * i) * 3, sin(0.314 * i) * 3, 0);
    for (int i = 0; i < 20; i++) {
        clv_joint_desc d = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
        char name[24];
        snprintf(name, sizeof name, "j%d", i);
        d.name = name, d.a = i, d.b = (i + 1) % 20;
        const clv_body *a = &m->body[d.a], *b = &m->body[d.b];
        for (int k = 0; k < 3; k++)
            d.position_a[k] = 0.5 * (b->r[k] - a->r[k]), d.position_b[k] = -d.position_a[k];
        d.position_b[0] += i == 10 ? off : 0;
        d.has_u = i == 3 && rate != 0, d.u[0] = rate;
        assert_int_equal(clv_model_add_joint(m, NULL, &d), CLV_OK);
    }
    return finish(m);
}

static void what_is_not_taken_is_refused_by_name(void **state)
{
    (void)state;
    refused(net(20, 24, false), "dca", "more than sixteen bodies");
    refused(ring(20, true), "hdca", "with hdca");
    refused(open_ring(1e-3, 0), "dca", "are open");
    refused(open_ring(0, 0.5), "dca", "start velocities");
    refused(example("bicycle", NULL, 0), "dca", "rolling joints");
    refused(example("jsc-18", NULL, 0), "dca", "loop1");
}

static void loops_stay_closed_and_energy_is_kept(void **state)
{
    (void)state;
    clv_model *const m[] = {chain_with_limbs(12, false), ring(40, true), ring(40, false), rails(14, true),
                            example("four-bar-ladder", (const char *const[]){"windows=20"}, 1)};
    const int redundant[] = {36, 3, 0, 0, 60};
    for (size_t i = 0; i < sizeof m / sizeof *m; i++) {
        wish w = {"dca", "dopri5", 0, 0.5, 8, 2, 1};
        double *r = clv_sockets_run(2, watch_rank, (void *[]){m[i], &w}, 5);
        assert_non_null(r);
        if (r[0] > 1e-9 || r[1] > 1e-5 || r[3] > 1e-5 * r[4] || r[2] != redundant[i])
            print_message("%d: gap %.2g, %.2g, drift %.2g of %.2g, %g redundant\n", (int)i, r[0], r[1], r[3], r[4],
                          r[2]);
        assert_true(r[0] < 1e-9 && r[1] < 1e-5 && r[3] < 1e-5 * r[4]);
        assert_true(r[2] == redundant[i]);
        clv_sockets_free(r, 5);
        clv_model_destroy(m[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limbs_with_loops_move_as_in_one_simulation),
        cmocka_unit_test(a_ladder_moves_as_in_one_simulation),
        cmocka_unit_test(links_and_limbs_move_at_the_start),
        cmocka_unit_test(rings_move_as_in_one_simulation),
        cmocka_unit_test(rails_move_as_in_one_simulation),
        cmocka_unit_test(narrow_nets_move_as_in_one_simulation),
        cmocka_unit_test(random_strips_move_as_in_one_simulation),
        cmocka_unit_test(cuts_are_narrow_and_parts_are_alike),
        cmocka_unit_test(any_number_of_ranks_has_the_same_bits),
        cmocka_unit_test(an_evaluation_is_one_way_up_and_one_way_down),
        cmocka_unit_test(what_is_not_taken_is_refused_by_name),
        cmocka_unit_test(loops_stay_closed_and_energy_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
