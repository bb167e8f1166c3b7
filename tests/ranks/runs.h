/* SPDX-License-Identifier: Apache-2.0
 * Runs of a mechanism on ranks beside one simulation of it, for tests.  Ranks are processes that write to each other's
 * sockets. */
#ifndef CLV_TESTS_RANKS_RUNS_H
#define CLV_TESTS_RANKS_RUNS_H
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "examples/examples.h"
#include "model/model.h"
#include "ranks/ranked_record.h"
#include "sockets.h"

typedef struct wish {
    const char *formulation, *integrator;
    double step, time;
    int segments, ranks, threads;
} wish;

static inline clv_sim_options options_of(const wish *w)
{
    clv_sim_options o = clv_sim_options_default();
    o.formulation = w->formulation, o.integrator = w->integrator, o.step = w->step;
    o.threads = w->threads;
    o.rtol = 1e-8;
    return o;
}

/* what a run leaves: position, orientation, velocity of all bodies; energies, steps, evaluations */
enum { BODY = 13, REST = 5 };

static inline void gather(clv_ranked *r, const clv_model *m, double *result)
{
    const size_t n = (size_t)m->nbody, j = (size_t)m->njoint + 1;
    double *q = clv_alloc(7 * j, sizeof *q), *u = clv_alloc(6 * j, sizeof *u), energy[3];
    assert_true(clv_ranked_gather(r, &(clv_ranked_state){result, result + 3 * n, result + 7 * n, q, u}, energy));
    if (r->relay.ranks->rank == 0)
        memcpy(result + BODY * n, energy, 2 * sizeof *energy);
    clv_free(q), clv_free(u);
}

/* the run of this rank: data are the model and the wish */
static inline clv_ranked *open_rank(const clv_ranks *ranks, void *data)
{
    const wish *w = ((void **)data)[1];
    const clv_sim_options o = options_of(w);
    clv_ranked *r;
    const clv_status st = clv_ranked_open(&r, ((void **)data)[0], &o, ranks, w->segments);
    if (st != CLV_OK)
        print_message("rank %d: %s\n", ranks->rank, r->error.message);
    assert_int_equal(st, CLV_OK);
    return r;
}

/* largest violation of positions and rates over a run, redundant rows */
static inline void watch_rank(const clv_ranks *ranks, void *data, double *result)
{
    const wish *w = ((void **)data)[1];
    clv_sim_report report;
    clv_ranked *r = open_rank(ranks, data);
    assert_int_equal(clv_sim_advance(r->sim, w->time), CLV_OK);
    clv_sim_summary(r->sim, &report);
    if (ranks->rank == 0) {
        result[0] = report.max_position_violation, result[1] = report.max_velocity_violation;
        result[2] = report.redundant_constraints, result[3] = report.max_energy_drift, result[4] = report.energy_moved;
    }
    clv_ranked_close(r);
}

static inline void run_rank(const clv_ranks *ranks, void *data, double *result)
{
    const clv_model *m = ((void **)data)[0];
    const wish *w = ((void **)data)[1];
    clv_ranked *r = open_rank(ranks, data);
    clv_status st = CLV_OK;
    if (w->time > 0)
        st = clv_sim_advance(r->sim, w->time);
    if (st != CLV_OK)
        print_message("rank %d: %s\n", ranks->rank, clv_sim_error(r->sim)->message);
    assert_int_equal(st, CLV_OK);
    gather(r, m, result);
    double *rest = result + (size_t)BODY * (size_t)m->nbody;
    if (ranks->rank == 0) {
        clv_sim_report report;
        clv_sim_summary(r->sim, &report);
        rest[2] = (double)report.steps;
        rest[3] = (double)report.rate_evaluations, rest[4] = report.max_energy_drift;
    }
    clv_ranked_close(r);
}

static inline double *run(const clv_model *m, const wish *w)
{
    void *data[2] = {(void *)m, (void *)w};
    return clv_sockets_run(w->ranks, run_rank, data, (size_t)BODY * (size_t)m->nbody + REST);
}

static inline double difference(const double *a, const double *b, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - b[i]) / (1 + fabs(a[i])));
    return most;
}

static inline clv_model *example(const char *name, const char *const *given, int n)
{
    clv_model *m;
    assert_int_equal(clv_example_create(&m, name, given, n), CLV_OK);
    return m;
}

static inline bool as_one(const clv_model *m, const wish *w, double tolerance)
{
    clv_sim *sim;
    const clv_sim_options o = options_of(w);
    assert_int_equal(clv_sim_create(&sim, m, &o), CLV_OK);
    if (w->time > 0)
        assert_int_equal(clv_sim_advance(sim, w->time), CLV_OK);
    double *r = run(m, w);
    assert_non_null(r);
    const size_t n = (size_t)m->nbody;
    const double position = difference(clv_sim_position(sim), r, 3 * n);
    const double velocity = difference(clv_sim_velocity(sim), r + 7 * n, 6 * n);
    clv_sim_report report;
    clv_sim_summary(sim, &report);
    const bool same = position <= tolerance && velocity <= 10 * tolerance;
    if (!same)
        print_message("%s %s %d segments, %d ranks: position %.2g, velocity %.2g; %g, %ld steps, drift %.2g, %.2g\n",
                  w->formulation, w->integrator, w->segments, w->ranks, position, velocity, r[BODY * n + 2],
                  report.steps, r[BODY * n + 4], report.max_energy_drift);
    clv_sockets_free(r, BODY * n + REST);
    clv_sim_destroy(sim);
    return same;
}

/* results of 1 rank and of n other numbers of them, by hdca (from == 0) and dca, with fixed and adaptive steps, 1 and 2
 * threads */
static inline void ranks_agree(const clv_model *m, int segments, const int *ranks, int n, int from)
{
    const size_t room = (size_t)BODY * (size_t)m->nbody + REST;
    for (int k = 2 * from; k < 4; k++) {
        const bool fixed = k % 2;
        wish w = {k < 2 ? "hdca" : "dca", fixed ? "rk4" : "dopri5", fixed ? 1e-3 : 0, 0.02, segments, 1, 1};
        double *one = run(m, &w);
        assert_non_null(one);
        for (int i = 0; i < n; i++) {
            w.ranks = ranks[i], w.threads = 1 + i % 2;
            double *r = run(m, &w);
            assert_non_null(r);
            assert_memory_equal(one, r, room * sizeof *r);
            clv_sockets_free(r, room);
        }
        clv_sockets_free(one, room);
    }
}

static inline void any_ranks_agree(const clv_model *m, int segments, const int *ranks, int n)
{
    ranks_agree(m, segments, ranks, n, 0);
}

/* messages that a rank sends and receives, an evaluation, steps included */
static inline void count_messages(const clv_ranks *ranks, void *data, double *result)
{
    const wish *w = ((void **)data)[1];
    clv_sim_report before, after;
    clv_ranked *r = open_rank(ranks, data);
    clv_sim_summary(r->sim, &before);
    const long sent = r->relay.messages; /* a sweep has as many that are received */
    assert_int_equal(clv_sim_advance(r->sim, w->time), CLV_OK);
    clv_sim_summary(r->sim, &after);
    result[ranks->rank] = 2.0 * (double)(r->relay.messages - sent) /
                          (double)(after.rate_evaluations - before.rate_evaluations + 1); /* and one of the output */
    clv_ranked_close(r);
}

#endif
