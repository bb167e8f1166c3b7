/* SPDX-License-Identifier: Apache-2.0
 * One mechanism on several ranks (T80, T81): motions are those of one simulation to the error of the integrator, and
 * have the same bits for every number of ranks.  Ranks are processes that write to each other's sockets. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "oracle/random_system.h"
#include "runs.h"

static void the_start_is_that_of_one_simulation(void **state)
{
    (void)state;
    bool same = true;
    clv_model *m = example("chain", (const char *const[]){"links=40", "spatial=2"}, 2);
    for (int segments = 1; segments <= 16; segments *= 2)
        for (int k = 0; k < 2; k++)
            same = as_one(m, &(wish){k ? "dca" : "hdca", "rk4", 1e-3, 0, segments, 1, 1}, 1e-11) && same;
    clv_model_destroy(m);
    assert_true(same);
}

/* hdca in a long chain: rounding of momenta is not worse than without segments (T80.5) */
static void segments_keep_the_digits_of_momenta(void **state)
{
    (void)state;
    clv_model *m = example("chain", (const char *const[]){"links=1000", "spatial=2"}, 2);
    wish w = {"dca", "rk4", 1e-3, 0, 16, 1, 1};
    clv_sim *given, *whole;
    clv_sim_options o = options_of(&w);
    assert_int_equal(clv_sim_create(&given, m, &o), CLV_OK);
    w.formulation = o.formulation = "hdca";
    assert_int_equal(clv_sim_create(&whole, m, &o), CLV_OK);
    const size_t n = (size_t)m->nbody;
    const double most = difference(clv_sim_velocity(given), clv_sim_velocity(whole), 6 * n);
    for (w.segments = 2; w.segments <= 16; w.segments *= 2) {
        double *r = run(m, &w);
        assert_non_null(r);
        const double own = difference(clv_sim_velocity(given), r + 7 * n, 6 * n);
        if (own > most)
            print_message("%d segments: %.3g, without %.3g\n", w.segments, own, most);
        assert_true(own <= most);
        clv_sockets_free(r, BODY * n + REST);
    }
    clv_sim_destroy(given), clv_sim_destroy(whole);
    clv_model_destroy(m);
}

static void a_motion_is_that_of_one_simulation(void **state)
{
    (void)state;
    bool same = true;
    clv_model *m = example("chain", (const char *const[]){"links=40", "spatial=2"}, 2);
    for (int segments = 1; segments <= 16; segments *= 4)
        for (int k = 0; k < 2; k++)
            same = as_one(m, &(wish){k ? "dca" : "hdca", "rk4", 1e-3, 0.02, segments, 1, 1}, 1e-10) && same;
    clv_model_destroy(m);
    assert_true(same);
}

/* ------------------------------------------------------------------ ranks */

static void any_number_of_ranks_has_the_same_bits(void **state)
{
    (void)state;
    clv_model *m = example("chain", (const char *const[]){"links=60", "spatial=2"}, 2);
    any_ranks_agree(m, 16, (const int[]){2, 3, 4, 8, 16}, 5);
    clv_model_destroy(m);
}

static void an_evaluation_is_one_way_up_and_one_way_down(void **state)
{
    (void)state;
    clv_model *m = example("chain", (const char *const[]){"links=60", "spatial=2"}, 2);
    for (int k = 0; k < 2; k++)
        for (int log = 1; log <= 3; log++) {
            wish w = {k ? "dca" : "hdca", "dopri5", 0, 0.2, 16, 1 << log, 1};
            double *each = clv_sockets_run(w.ranks, count_messages, (void *[]){m, &w}, CLV_SOCKETS_MOST), most = 0;
            assert_non_null(each);
            for (int i = 0; i < w.ranks; i++)
                most = fmax(most, each[i]);
            if (most > 2 * log + 2)
                print_message("%s, %d ranks: %.2f messages\n", w.formulation, w.ranks, most);
            assert_true(most >= 2 * log && most <= 2 * log + 2);
            clv_sockets_free(each, CLV_SOCKETS_MOST);
        }
    clv_model_destroy(m);
}

/* long enough for impulses between segments to be removed (T80.5) */
static void impulses_between_segments_come_and_go(void **state)
{
    (void)state;
    clv_model *m = example("chain", (const char *const[]){"links=24", "spatial=2"}, 2);
    const wish w = {"hdca", "rk4", 5e-4, 1.0, 8, 2, 1};
    assert_true(as_one(m, &w, 1e-6));
    clv_model_destroy(m);
}

static void adaptive_steps_are_those_of_one_simulation(void **state)
{
    (void)state;
    bool same = true;
    clv_model *m = example("chain", (const char *const[]){"links=60", "spatial=1"}, 2);
    for (int k = 0; k < 2; k++)
        same = as_one(m, &(wish){k ? "dca" : "hdca", "dopri5", 0, 0.3, 8, 3, 1}, 1e-8) && same;
    clv_model_destroy(m);
    assert_true(same);
}

static double number(random_stream *s, double size) { return random_uniform(s, -size, size); }

static void body_of(clv_model *m, random_stream *s, int i)
{
    clv_body_desc d = clv_body_desc_default();
    char name[24];
    snprintf(name, sizeof name, "b%d", i);
    d.name = name, d.mass = random_uniform(s, 0.3, 3);
    for (int k = 0; k < 3; k++)
        d.com[k] = number(s, 0.3), d.inertia[k] = d.mass * random_uniform(s, 0.1, 0.15);
    assert_int_equal(clv_model_add_body(m, NULL, &d), CLV_OK);
}

/* to a body before, most often the last one; from either side */
static void joint_of(clv_model *m, random_stream *s, int i, bool grounded)
{
    static const clv_joint_kind kinds[] = {CLV_JOINT_REVOLUTE,  CLV_JOINT_REVOLUTE, CLV_JOINT_PRISMATIC,
                                           CLV_JOINT_HELICAL,   CLV_JOINT_CYLINDRICAL, CLV_JOINT_UNIVERSAL,
                                           CLV_JOINT_SPHERICAL, CLV_JOINT_PLANAR,   CLV_JOINT_FIXED};
    clv_joint_desc d = clv_joint_desc_default(kinds[random_index(s, 9)]);
    const bool starts = i == 0 || (i % 9 == 8 && grounded);
    const int from = starts ? CLV_GROUND : random_chance(s, 0.8) ? i - 1 : random_index(s, i);
    char name[24];
    snprintf(name, sizeof name, "j%d", i);
    if (i == 0 && !grounded)
        return;
    d.name = name, d.pitch = d.kind == CLV_JOINT_HELICAL ? 0.1 : 0;
    const bool turned = random_chance(s, 0.3);
    d.a = turned ? i : from, d.b = turned ? from : i;
    for (int k = 0; k < 3; k++)
        d.position_a[k] = number(s, 1), d.position_b[k] = number(s, 1);
    for (int side = 0; side < 2; side++) {
        double *e = side ? d.orientation_b : d.orientation_a, length = 0;
        for (int k = 0; k < 4; k++)
            e[k] = number(s, 1), length += e[k] * e[k];
        for (int k = 0; k < 4; k++)
            e[k] /= sqrt(length);
    }
    d.has_u = d.kind != CLV_JOINT_FIXED;
    for (int k = 0; k < 6; k++)
        d.u[k] = number(s, 1);
    assert_int_equal(clv_model_add_joint(m, NULL, &d), CLV_OK);
}

static void loads_of(clv_model *m, random_stream *s, int n)
{
    for (int i = 0; i < n; i++) {
        char name[24];
        snprintf(name, sizeof name, "f%d", i);
        clv_force_desc d = clv_force_desc_default(i % 3 == 0   ? CLV_FORCE_POINT
                                                  : i % 3 == 1 ? CLV_FORCE_SPRING
                                                               : CLV_FORCE_BUSHING);
        d.name = name, d.b = random_index(s, m->nbody), d.a = CLV_GROUND;
        if (i % 3 == 1)
            d.stiffness = 5, d.damping = 0.5;
        for (int k = 0; i % 3 == 2 && k < 6; k++)
            d.bushing.stiffness[k] = 3 + k, d.bushing.damping[k] = 0.3;
        for (int k = 0; k < 3; k++)
            d.point_a[k] = number(s, 1), d.point_b[k] = number(s, 1), d.vector[k] = number(s, 3);
        assert_int_equal(clv_model_add_force(m, NULL, &d), CLV_OK);
    }
    for (int j = 0; j < m->njoint; j++) {
        char name[24];
        if (m->joint[j].kind != CLV_JOINT_REVOLUTE || random_chance(s, 0.5))
            continue;
        snprintf(name, sizeof name, "k%d", j);
        clv_force_desc d = clv_force_desc_default(CLV_FORCE_JOINT);
        d.name = name, d.joint = j, d.stiffness = 3, d.damping = 0.2;
        assert_int_equal(clv_model_add_force(m, NULL, &d), CLV_OK);
    }
}

static void motions_of(clv_model *m, random_stream *s)
{
    for (int j = 0; j < m->njoint; j++) {
        char name[24];
        clv_motion_desc d = clv_motion_desc_default();
        if (m->joint[j].kind != CLV_JOINT_PRISMATIC || random_chance(s, 0.5))
            continue;
        snprintf(name, sizeof name, "m%d", j);
        m->joint[j].has_u = false;
        d.name = name, d.joint = j, d.amplitude = 0.1, d.frequency = 2, d.rate = 0.2;
        assert_int_equal(clv_model_add_motion(m, NULL, &d), CLV_OK);
    }
}

static clv_model *random_tree(uint64_t seed, int bodies, bool driven)
{
    random_stream s = {seed};
    clv_model *m;
    assert_int_equal(clv_model_create(&m, "tree"), CLV_OK);
    const bool grounded = random_chance(&s, 0.7);
    for (int i = 0; i < bodies; i++)
        body_of(m, &s, i);
    for (int i = 0; i < bodies; i++)
        joint_of(m, &s, i, grounded);
    loads_of(m, &s, random_chance(&s, 0.5) ? 6 : 0);
    if (driven)
        motions_of(m, &s);
    if (clv_model_finish(m) != CLV_OK)
        print_message("%s\n", clv_model_error(m)->message);
    assert_true(m->finished);
    return m;
}

/* all kinds of joints, from either side; limbs, free bases, several mechanisms; springs, bushings, forces, motions */
static void random_trees_move_as_in_one_simulation(void **state)
{
    (void)state;
    bool same = true;
    for (unsigned seed = 1; seed <= 40; seed++) {
        clv_model *m = random_tree(seed, 6 + (int)seed, seed % 4 == 0);
        for (int k = m->nmotion > 0 ? 1 : 0; k < 2; k++)
            same = as_one(m, &(wish){k ? "dca" : "hdca", "rk4", 1e-3, 0.02, 8, 1, 1}, 1e-9) && same;
        clv_model_destroy(m);
    }
    assert_true(same);
}

/* ------------------------------------------------------------------ saved states */

/* to half the time, where a state is saved on some ranks; or from there on others: with the bytes behind the result */
enum { SAVED = 1 << 14 };
typedef struct halves {
    const clv_model *m;
    const wish *w;
    bool saves;
    const double *loads; /* bytes that were saved, or NULL */
} halves;

static void half_rank(const clv_ranks *ranks, void *data, double *result)
{
    const halves *h = data;
    const clv_sim_options o = options_of(h->w);
    double *bytes = result + (size_t)BODY * (size_t)h->m->nbody + REST;
    clv_ranked *r;
    void *saved;
    size_t size;
    assert_int_equal(clv_ranked_open(&r, h->m, &o, ranks, h->w->segments), CLV_OK);
    if (h->loads) {
        assert_int_equal(clv_ranked_load(r, h->loads + 1, (size_t)h->loads[0]), CLV_OK);
    } else {
        clv_ranked_stop_at(r, 0.5 * h->w->time);
        assert_int_equal(clv_sim_advance(r->sim, 0.5 * h->w->time), CLV_OK);
    }
    if (h->saves) {
        assert_true(clv_ranked_save(r, &saved, &size) && size < (SAVED - 1) * sizeof(double));
        if (ranks->rank == 0)
            bytes[0] = (double)size, memcpy(bytes + 1, saved, size);
        clv_free(saved);
    } else {
        clv_ranked_stop_at(r, INFINITY);
        assert_int_equal(clv_sim_advance(r->sim, h->w->time), CLV_OK);
        clv_sim_report report;
        clv_sim_summary(r->sim, &report);
        gather(r, h->m, result);
        if (ranks->rank == 0) {
            double *rest = result + (size_t)BODY * (size_t)h->m->nbody;
            rest[2] = (double)report.steps, rest[3] = (double)report.rate_evaluations;
            rest[4] = report.max_energy_drift;
        }
    }
    clv_ranked_close(r);
}

static void a_state_is_loaded_on_another_number_of_ranks(void **state)
{
    (void)state;
    clv_model *m = example("chain", (const char *const[]){"links=60", "spatial=2"}, 2);
    const size_t n = (size_t)BODY * (size_t)m->nbody + REST;
    for (int k = 0; k < 4; k++) {
        const bool fixed = k % 2;
        const wish w = {k < 2 ? "hdca" : "dca", fixed ? "rk4" : "dopri5", fixed ? 1e-3 : 0, 0.04, 16, 1, 1};
        double *whole = clv_sockets_run(2, half_rank, &(halves){m, &w, false, NULL}, n + SAVED);
        double *saved = clv_sockets_run(4, half_rank, &(halves){m, &w, true, NULL}, n + SAVED);
        assert_true(whole && saved);
        for (int ranks = 1; ranks <= 3; ranks++) {
            double *r = clv_sockets_run(ranks, half_rank, &(halves){m, &w, false, saved + n}, n + SAVED);
            assert_non_null(r);
            assert_memory_equal(whole, r, n * sizeof *r);
            clv_sockets_free(r, n + SAVED);
        }
        clv_sockets_free(whole, n + SAVED), clv_sockets_free(saved, n + SAVED);
    }
    clv_model_destroy(m);
}

/* ------------------------------------------------------------------ failures */

static void what_ranks_do_not_take_is_refused_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *model, *name, *formulation, *integrator;
        int ranks;
    } cases[] = { /* with a formulation or integrator that no divided mechanism takes: a usage error */
        {"four-bar-ladder", "loops", "hdca", NULL, 1},  {"bicycle", "rolling", NULL, NULL, 1},
        {"flex-arm", "flexible", NULL, NULL, 1},        {"cradle", "contacts", NULL, NULL, 1},
        {"chain", "aldca", "aldca", NULL, 1},           {"chain", "adams", "hdca", "adams", 1},
        {"chain", "gauss4", "hdca", "gauss4", 1},       {"chain", "5 ranks", "hdca", NULL, 5},
        {"tree-robot", "velocities", NULL, NULL, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        clv_model *m = example(cases[i].model, NULL, 0);
        clv_sim_options o = clv_sim_options_default();
        const clv_ranks ranks = {.size = cases[i].ranks};
        clv_ranked *r;
        o.formulation = cases[i].formulation, o.integrator = cases[i].integrator ? cases[i].integrator : "dopri5";
        o.step = cases[i].integrator && strcmp(cases[i].integrator, "gauss4") == 0 ? 0.01 : 0;
        const clv_status st = clv_ranked_open(&r, m, &o, &ranks, 0);
        const clv_status code = strstr("aldca adams gauss4", cases[i].name) ? CLV_ERR_USAGE : CLV_ERR_UNSUPPORTED;
        if (st != code || !strstr(r->error.message, cases[i].name))
            print_message("%s: %d %s\n", cases[i].model, st, r->error.message);
        assert_int_equal(st, code);
        assert_true(strstr(r->error.message, cases[i].name));
        assert_true(*r->error.hint);
        clv_ranked_close(r);
        clv_model_destroy(m);
    }
}

/* a run whose states leave the range of numbers on one rank ends on all, at the same time */
static void fail_rank(const clv_ranks *ranks, void *data, double *result)
{
    clv_sim_options o = clv_sim_options_default();
    o.formulation = ((const char **)data)[1], o.integrator = "rk4", o.step = 0.1, o.threads = 1;
    clv_ranked *r;
    assert_int_equal(clv_ranked_open(&r, ((void **)data)[0], &o, ranks, 8), CLV_OK);
    result[2 * ranks->rank] = clv_sim_advance(r->sim, 100);
    result[2 * ranks->rank + 1] = clv_sim_time(r->sim);
    clv_ranked_close(r);
}

static void all_ranks_fail_together(void **state)
{
    (void)state;
    random_stream s = {7};
    for (int k = 0; k < 2; k++) {
        clv_model *m;
        assert_int_equal(clv_model_create(&m, "stiff"), CLV_OK);
        for (int i = 0; i < 40; i++)
            body_of(m, &s, i);
        for (int i = 0; i < 40; i++) {
            clv_joint_desc d = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
            char name[24];
            snprintf(name, sizeof name, "j%d", i);
            d.name = name, d.a = i - 1, d.b = i, d.position_a[0] = 1;
            assert_int_equal(clv_model_add_joint(m, NULL, &d), CLV_OK);
        }
        assert_int_equal(clv_model_set_gravity(m, (const double[]){0, -9.81, 0}), CLV_OK);
        clv_force_desc f = clv_force_desc_default(CLV_FORCE_JOINT);
        f.name = "k", f.joint = 33, f.stiffness = 1e12;
        assert_int_equal(clv_model_add_force(m, NULL, &f), CLV_OK);
        assert_int_equal(clv_model_finish(m), CLV_OK);
        const void *data[2] = {m, k ? "dca" : "hdca"};
        double *r = clv_sockets_run(4, fail_rank, data, 8);
        assert_non_null(r);
        for (int i = 0; i < 4; i++) {
            assert_true(r[2 * i] > 0);
            assert_true(r[2 * i + 1] == r[1] && r[1] < 100);
        }
        clv_sockets_free(r, 8);
        clv_model_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_start_is_that_of_one_simulation),
        cmocka_unit_test(segments_keep_the_digits_of_momenta),
        cmocka_unit_test(a_motion_is_that_of_one_simulation),
        cmocka_unit_test(any_number_of_ranks_has_the_same_bits),
        cmocka_unit_test(an_evaluation_is_one_way_up_and_one_way_down),
        cmocka_unit_test(impulses_between_segments_come_and_go),
        cmocka_unit_test(adaptive_steps_are_those_of_one_simulation),
        cmocka_unit_test(random_trees_move_as_in_one_simulation),
        cmocka_unit_test(what_ranks_do_not_take_is_refused_by_name),
        cmocka_unit_test(a_state_is_loaded_on_another_number_of_ranks),
        cmocka_unit_test(all_ranks_fail_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
