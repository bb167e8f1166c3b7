/* SPDX-License-Identifier: Apache-2.0
 * Ranks of which nobody looks at bodies (T149): the same motions, to the last bit, and what is given back is neither
 * read again nor comes back.  Ranks are processes that write to each other's sockets. */
#ifdef __linux__
#define _DEFAULT_SOURCE /* mincore */
#endif
#include "model/keep.h"
#include "runs.h"
#include "simulation/blind.h"
#include "spoil.h"

/* Given back once more, where numbers that are lost are neither zero nor old, but NaN. */
static void spoil_forgotten(clv_sim *s)
{
    const size_t joints = (size_t)s->model->njoint;
    spoil_model_order(s);
    spoil(s->u, (size_t)s->plan->nu), spoil(s->joint_moved, joints), spoil(s->joint_rate_moved, joints);
    clv_sim_forget(s, true);
}

/* as run_rank, and the views are made at the end */
static void run_blind(const clv_ranks *ranks, void *data, double *result)
{
    const clv_model *m = ((void **)data)[0];
    const wish *w = ((void **)data)[1];
    const clv_sim_options o = options_of(w);
    clv_ranked *r;
    assert_int_equal(clv_ranked_divide(&r, m, ranks, w->segments), CLV_OK);
    clv_ranked_blind(r);
    assert_int_equal(clv_ranked_begin(r, &o), CLV_OK);
    assert_true(clv_sim_blind(r->sim));
    spoil_forgotten(r->sim);
    const clv_status st = clv_sim_advance(r->sim, w->time);
    if (st != CLV_OK)
        print_message("rank %d: %s\n", ranks->rank, clv_sim_error(r->sim)->message);
    assert_int_equal(st, CLV_OK);
    clv_sim_report report;
    clv_sim_summary(r->sim, &report);
    r->divided.blind = false;
    assert_int_equal(clv_sim_show(r->sim), CLV_OK);
    gather(r, m, result);
    double *rest = result + (size_t)BODY * (size_t)m->nbody;
    if (ranks->rank == 0)
        rest[2] = (double)report.steps, rest[3] = (double)report.rate_evaluations, rest[4] = report.max_energy_drift;
    clv_ranked_close(r);
}

/* the same motions, steps and evaluations; the first energy is a sum in another order */
static void same_motion(clv_model *m, const char *formulation, const char *integrator, double step)
{
    const size_t n = (size_t)BODY * (size_t)m->nbody + REST;
    for (int ranks = 1; ranks <= 4; ranks *= 2) {
        wish w = {formulation, integrator, step, 0.02, 8, ranks, 1};
        void *data[2] = {m, &w};
        double *seen = run(m, &w), *blind = clv_sockets_run(ranks, run_blind, data, n);
        assert_non_null(seen), assert_non_null(blind);
        assert_memory_equal(seen, blind, (n - 1) * sizeof *seen);
        assert_true(seen[n - 2] > 0 && fabs(seen[n - 1] - blind[n - 1]) <= 1e-9 * (1 + fabs(seen[n - 5])));
        clv_sockets_free(seen, n), clv_sockets_free(blind, n);
    }
}

static void nothing_is_read_that_was_given_back(void **state)
{
    (void)state;
    const char *const chain[] = {"links=60", "spatial=2"}, *const closed[] = {"links=33"};
    for (int i = 0; i < 2; i++) {
        clv_model *m = i ? example("chain-closed", closed, 1) : example("chain", chain, 2);
        for (int k = 0; k < 2; k++) {
            same_motion(m, k ? "dca" : "hdca", "dopri5", 0);
            same_motion(m, k ? "dca" : "hdca", "rk4", 1e-3);
        }
        clv_model_destroy(m);
    }
}

/* Loads on bodies and joints, to the ground and inside of a segment. */
static void loads_are_there(void **state)
{
    (void)state;
    clv_model *m = example("chain", (const char *const[]){"links=48", "spatial=1"}, 2);
    m->finished = false;
    clv_force_desc f = clv_force_desc_default(CLV_FORCE_POINT);
    f.name = "push", f.b = 20, f.vector[1] = 3, f.point_b[0] = 0.2;
    assert_int_equal(clv_model_add_force(m, NULL, &f), CLV_OK);
    f = clv_force_desc_default(CLV_FORCE_JOINT);
    f.name = "hinge", f.joint = 11, f.stiffness = 4, f.damping = 0.3;
    assert_int_equal(clv_model_add_force(m, NULL, &f), CLV_OK);
    f = clv_force_desc_default(CLV_FORCE_DRAG);
    f.name = "wind", f.b = 33, f.drag.linear[0] = 0.4, f.drag.quadratic[0] = 2, f.drag.fluid[0] = 1;
    assert_int_equal(clv_model_add_force(m, NULL, &f), CLV_OK);
    assert_int_equal(clv_model_finish(m), CLV_OK);
    same_motion(m, "hdca", "rk4", 1e-3), same_motion(m, "dca", "dopri5", 0);
    clv_model_destroy(m);
}

/* A start that is too fast is refused as without it. */
static void refuse_speed(const clv_ranks *ranks, void *data, double *result)
{
    clv_ranked *r;
    const clv_sim_options o = options_of(((void **)data)[1]);
    assert_int_equal(clv_ranked_divide(&r, ((void **)data)[0], ranks, 4), CLV_OK);
    clv_ranked_blind(r);
    result[ranks->rank] = clv_ranked_begin(r, &o);
    clv_ranked_close(r);
}

static void a_start_that_is_too_fast_is_refused(void **state)
{
    (void)state;
    clv_model *m = example("chain", (const char *const[]){"links=20"}, 1);
    assert_true(clv_keep_start(m, &m->joint[0], m->joint[0].q, (const double[6]){3e9}));
    m->joint[0].has_u = true;
    wish w = {"dca", "rk4", 1e-3, 0, 4, 1, 1};
    void *data[2] = {m, &w};
    double *code = clv_sockets_run(1, refuse_speed, data, 1);
    assert_non_null(code);
    assert_int_equal((int)code[0], CLV_ERR_NOT_FINITE);
    clv_sockets_free(code, 1);
    clv_model_destroy(m);
}

/* pages of these numbers that are there; 0 also where the system does not say */
static long present(const double *x, size_t n)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), first = ((size_t)x + page - 1) / page * page;
    const size_t pages = ((size_t)(x + n) - first) / page;
    long found = 0;
#ifdef __linux__
    unsigned char *in = clv_alloc(pages, 1);
    assert_non_null(in);
    if (mincore((void *)first, pages * page, in) == 0)
        for (size_t i = 0; i < pages; i++)
            found += in[i] & 1;
    clv_free(in);
#endif
    return found;
}

static void count_pages(const clv_ranks *ranks, void *data, double *result)
{
    const clv_model *m = ((void **)data)[0];
    const clv_sim_options o = options_of(((void **)data)[1]);
    clv_ranked *r;
    assert_int_equal(clv_ranked_divide(&r, m, ranks, 8), CLV_OK);
    clv_ranked_blind(r);
    assert_int_equal(clv_ranked_begin(r, &o), CLV_OK);
    assert_int_equal(clv_sim_advance(r->sim, 2e-3), CLV_OK);
    const size_t n = (size_t)m->nbody;
    result[0] = (double)present(r->sim->system.kin.R, 9 * n) / (9.0 * (double)n * 8 / 4096);
    result[1] = (double)present(r->sim->out_V, 6 * n) / (6.0 * (double)n * 8 / 4096);
    result[2] = (double)present(r->sim->y, (size_t)r->sim->n) / ((double)r->sim->n * 8 / 4096);
    clv_ranked_close(r);
}

/* Most pages of poses and views are gone after a step; those of states are there. */
static void memory_does_not_come_back(void **state)
{
    (void)state;
    clv_model *m = example("chain", (const char *const[]){"links=16384", "spatial=2"}, 2);
    wish w = {"dca", "rk4", 1e-3, 0, 8, 1, 1};
    void *data[2] = {m, &w};
    double *part = clv_sockets_run(1, count_pages, data, 3);
    assert_non_null(part);
    if (part[2] > 0.5) { /* else the system does not say */
        assert_true(part[0] < 0.3);
        assert_true(part[1] < 0.3);
    }
    clv_sockets_free(part, 3);
    clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_read_that_was_given_back),
        cmocka_unit_test(loads_are_there),
        cmocka_unit_test(a_start_that_is_too_fast_is_refused),
        cmocka_unit_test(memory_does_not_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
