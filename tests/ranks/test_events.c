/* SPDX-License-Identifier: Apache-2.0
 * Events that end a run on ranks (T146): wherever the joint or the markers of the condition are, all ranks end at one
 * time, with the same bits for any number of ranks, and where one simulation ends. */
#include "runs.h"
#include "simulation/sim.h"

enum { LINKS = 40, TIME = BODY * LINKS + REST, AFTER, ALL };

typedef struct given {
    const char *name;
    int joint;     /* coordinate of it, -1: none     */
    int marker[2]; /* bodies, -2: none               */
    double value;  /* time, if neither               */
    bool below;
} given;

/* a chain that falls from the horizontal */
static clv_model *chain(const given *g, int n)
{
    clv_model *m;
    char name[24];
    assert_int_equal(clv_model_create(&m, "chain"), CLV_OK);
    for (int i = 0; i < LINKS; i++) {
        clv_body_desc d = clv_body_desc_default();
        snprintf(name, sizeof name, "b%d", i);
        d.name = name, d.mass = 1, d.com[0] = 0.5, d.inertia[0] = d.inertia[1] = d.inertia[2] = 0.1;
        assert_int_equal(clv_model_add_body(m, NULL, &d), CLV_OK);
    }
    for (int i = 0; i < LINKS; i++) {
        clv_joint_desc d = clv_joint_desc_default(i % 3 == 2 ? CLV_JOINT_UNIVERSAL : CLV_JOINT_REVOLUTE);
        snprintf(name, sizeof name, "j%d", i);
        d.name = name, d.a = i - 1, d.b = i, d.position_a[0] = i == 0 ? 0 : 1;
        d.has_u = true, d.u[0] = 0.3 + 0.1 * (i % 4);
        assert_int_equal(clv_model_add_joint(m, NULL, &d), CLV_OK);
    }
    assert_int_equal(clv_model_set_gravity(m, (const double[]){0, -9.81, 0}), CLV_OK);
    for (int i = 0; i < n; i++) {
        clv_event_desc d = clv_event_desc_default();
        d.action = CLV_ACTION_STOP, d.name = g[i].name, d.joint = g[i].joint, d.below = g[i].below;
        *(d.joint < 0 && g[i].marker[0] == -2 ? &d.time : &d.value) = g[i].value;
        d.condition = g[i].marker[0] > -2 ? CLV_WHEN_DISTANCE : CLV_WHEN_COORDINATE;
        for (int k = 0; k < 2 && g[i].marker[0] > -2; k++) {
            clv_marker_desc p = clv_marker_desc_default();
            snprintf(name, sizeof name, "m%d%d", i, k);
            p.name = name, p.body = g[i].marker[k], p.position[1] = 0.2;
            const clv_status added = clv_model_add_marker(m, &d.marker[k], &p);
            if (added != CLV_OK)
                print_message("%s\n", clv_model_error(m)->message);
            assert_int_equal(added, CLV_OK);
        }
        const clv_status st = clv_model_add_event(m, NULL, &d);
        if (st != CLV_OK)
            print_message("%s\n", clv_model_error(m)->message);
        assert_int_equal(st, CLV_OK);
    }
    if (clv_model_finish(m) != CLV_OK)
        print_message("%s\n", clv_model_error(m)->message);
    assert_true(m->finished);
    return m;
}

/* outputs every 0.03 s until the run ends */
static void event_rank(const clv_ranks *ranks, void *data, double *result)
{
    const clv_model *m = ((void **)data)[0];
    const wish *w = ((void **)data)[1];
    clv_ranked *r = open_rank(ranks, data);
    clv_status st = CLV_OK;
    for (int i = 1; st == CLV_OK && 0.03 * i < w->time; i++)
        st = clv_ranked_advance(r, 0.03 * i);
    if (st != CLV_OK && st != CLV_STOPPED)
        print_message("%s\n", clv_sim_error(r->sim)->message);
    assert_true(st == CLV_OK || st == CLV_STOPPED);
    assert_int_equal(clv_ranked_advance(r, w->time), CLV_STOPPED); /* it stays there */
    gather(r, m, result);
    if (ranks->rank == 0) {
        result[TIME] = clv_sim_time(r->sim), result[AFTER] = r->ended;
        for (int i = 0; i < clv_ranked_events(r); i++) {
            double time;
            assert_string_equal(clv_ranked_event(r, i, &time), m->event[i].name);
            assert_true(i == r->ended ? time == result[TIME] : isnan(time));
        }
    }
    clv_ranked_close(r);
}

static double alone(const clv_model *m, const wish *w, int *which, double *result)
{
    clv_sim *sim;
    const clv_sim_options o = options_of(w);
    assert_int_equal(clv_sim_create(&sim, m, &o), CLV_OK);
    const clv_status st = clv_sim_advance(sim, w->time);
    if (st != CLV_STOPPED)
        print_message("%d %s\n", st, clv_sim_error(sim)->message);
    assert_int_equal(st, CLV_STOPPED);
    const double time = clv_sim_time(sim);
    *which = clv_sim_stopped(sim);
    memcpy(result, clv_sim_position(sim), 3 * LINKS * sizeof *result);
    clv_sim_destroy(sim);
    return time;
}

static void compare(const given *g, int n, int ends)
{
    clv_model *m = chain(g, n);
    for (int k = 0; k < 4; k++) {
        const bool fixed = k % 2;
        wish w = {k < 2 ? "hdca" : "dca", fixed ? "rk4" : "dopri5", fixed ? 1e-3 : 0, 0.3, 8, 1, 1};
        double place[3 * LINKS], *one = clv_sockets_run(1, event_rank, (void *[]){m, &w}, ALL);
        int which = -1;
        assert_non_null(one);
        const double time = alone(m, &w, &which, place);
        if (which != ends || one[AFTER] != ends || fabs(time - one[TIME]) > 1e-5)
            print_message("'%s', event %d, %g, %d; at %.12g, %.12g\n", g->name, which, one[AFTER], ends, time,
                          one[TIME]);
        assert_true(which == ends && one[AFTER] == ends && fabs(time - one[TIME]) <= 1e-5);
        assert_true(difference(place, one, 3 * LINKS) <= 1e-4); /* dense output of both */
        for (w.ranks = 2; w.ranks <= 4; w.ranks++) {
            double *r = clv_sockets_run(w.ranks, event_rank, (void *[]){m, &w}, ALL);
            assert_non_null(r);
            assert_memory_equal(one, r, ALL * sizeof *r);
            clv_sockets_free(r, ALL);
        }
        clv_sockets_free(one, ALL);
    }
    clv_model_destroy(m);
}

#define NONE {-2, -2}

static void a_coordinate_of_any_rank_ends_the_run(void **state)
{
    (void)state;
    compare(&(given){"near", 0, NONE, 0.004, false}, 1, 0);
    compare(&(given){"far", 37, NONE, 0.02, false}, 1, 0);
    compare(&(given){"middle", 21, NONE, 0.015, false}, 1, 0);
}

static void a_distance_or_a_time_ends_the_run(void **state)
{
    (void)state;
    compare(&(given){"near", -1, {37, 39}, 1.996, true}, 1, 0);
    compare(&(given){"joint", -1, {36, 37}, 0.999, true}, 1, 0);
    compare(&(given){"time", -1, NONE, 0.0625, false}, 1, 0);
}

static void the_first_of_several_ends_the_run(void **state)
{
    (void)state;
    const given g[] = {{"late", -1, NONE, 0.25, false}, {"far", 37, NONE, 0.02, false}, {"never", 6, NONE, 3, false}};
    compare(g, 3, 1);
    const given same[] = {{"never", 6, NONE, 3, false}, {"one", 37, NONE, 0.02, false}, {"two", 37, NONE, 0.02, false}};
    compare(same, 3, 1);
}

static void other_events_are_refused_by_name(void **state)
{
    (void)state;
    const given far = {"apart", -1, {2, 37}, 1, false};
    clv_model *m = chain(&far, 1);
    const clv_ranks ranks = {.size = 1};
    clv_ranked *r;
    assert_int_equal(clv_ranked_open(&r, m, NULL, &ranks, 8), CLV_ERR_UNSUPPORTED);
    assert_non_null(strstr(r->error.message, "'apart'"));
    assert_string_equal(r->error.path, "events.apart");
    clv_ranked_close(r);
    for (int k = 0; k < 2; k++) {
        m->event[0].action = k ? CLV_ACTION_STOP : CLV_ACTION_RELEASE;
        m->event[0].condition = CLV_WHEN_RATE, m->event[0].joint = 3;
        assert_int_equal(clv_ranked_open(&r, m, NULL, &ranks, 8), CLV_ERR_UNSUPPORTED);
        assert_non_null(strstr(r->error.message, k ? "rates" : "lock, release or attach"));
        clv_ranked_close(r);
    }
    clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_coordinate_of_any_rank_ends_the_run),
        cmocka_unit_test(a_distance_or_a_time_ends_the_run),
        cmocka_unit_test(the_first_of_several_ends_the_run),
        cmocka_unit_test(other_events_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
