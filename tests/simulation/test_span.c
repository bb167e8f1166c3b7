/* SPDX-License-Identifier: Apache-2.0
 * Records of tasks (T55): all work is in them, on one worker it takes its sum, and nothing is left changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include "simulation/sim.h"
#include "simulation/span_ranks.h"

typedef struct subject {
    clv_model *model;
    clv_sim *sim;
} subject;

static subject open(const char *example, const char *parameter, const char *formulation, double step)
{
    subject s;
    clv_sim_options o = clv_sim_options_default();
    assert_int_equal(clv_example_create(&s.model, example, &parameter, 1), CLV_OK);
    o.formulation = formulation, o.threads = 1, o.step = step, o.integrator = NULL;
    assert_int_equal(clv_sim_create(&s.sim, s.model, &o), CLV_OK);
    return s;
}

static void shut(subject *s)
{
    clv_sim_destroy(s->sim), clv_model_destroy(s->model);
}

static double total(const clv_record *r)
{
    double sum = 0;
    for (int i = 0; i <= r->ncall; i++)
        sum += r->serial[i];
    for (int i = 0; i < r->first[r->ncall]; i++)
        sum += r->seconds[i];
    return sum;
}

/* the tasks of a record; returns how many pieces there are */
static int expect_record(subject *s)
{
    clv_record r;
    clv_task_list l;
    assert_int_equal(clv_sim_record(s->sim, 0, &r), CLV_OK);
    for (int c = 0; c < r.ncall; c++)
        assert_true(r.first[c + 1] - r.first[c] > 1); /* one piece is not handed over */
    assert_true(clv_record_tasks(&r, &l));
    assert_int_equal(l.ntask, r.first[r.ncall] + r.ncall + 1);
    const double work = total(&r), span = clv_tasks_span(&l);
    assert_true(work > 0 && fabs(clv_tasks_work(&l) - work) <= 1e-12 * work);
    assert_true(fabs(clv_tasks_time(&l, 1, 1e-6) - work) <= 1e-12 * work);
    assert_true(clv_tasks_time(&l, l.ntask, 0) == span && span <= work * (1 + 1e-12));
    assert_true(r.ncall == 0 || span < work);
    const int pieces = r.first[r.ncall];
    clv_tasks_close(&l), clv_record_close(&r);
    return pieces;
}

static void pieces_are_those_of_threads(void **state)
{
    subject s = open("chain", "links=4096", "hdca", 0);
    (void)state;
    clv_sim_join_team(s.sim, NULL, 0);
    const int shares = s.sim->system.rows.nshare, n = s.sim->n;
    double *before = clv_alloc((size_t)n, sizeof *before);
    assert_non_null(before);
    const clv_ode *ode = &s.sim->integrator.ode;
    assert_int_equal(ode->rates(ode->owner, 0, s.sim->integrator.y, before), CLV_OK);
    assert_true(shares > 1);
    assert_int_equal(expect_record(&s) % shares, 0); /* every call is over all shares of the one level */
    assert_int_equal(ode->rates(ode->owner, 0, s.sim->integrator.y, s.sim->ydot), CLV_OK);
    assert_memory_equal(before, s.sim->ydot, (size_t)n * sizeof *before);
    clv_free(before), shut(&s);
}

static void small_and_whole_steps(void **state)
{
    subject s = open("chain", "links=10", "hdca", 0);
    (void)state;
    assert_int_equal(expect_record(&s), 0);
    assert_false(clv_sim_records_step(s.sim));
    shut(&s);
    s = open("chain", "links=2048", "index3", 0.0175);
    assert_true(clv_sim_records_step(s.sim));
    assert_true(expect_record(&s) > 0);
    shut(&s);
    s = open("four-bar-ladder", "windows=64", "hdca", 0); /* nodes of one depth */
    assert_true(expect_record(&s) > 0);
    shut(&s);
}

/* two strands of one group and their node: 4 | 1 1 | 2, then 1 | 1 1 */
static void tree_by_hand(void **state)
{
    int child[] = {-1, -1, -1, -1, 0, 1}, level[] = {0, 0, 1}, group[] = {0, 0, -1};
    double up[] = {1, 1, 2}, down[] = {1, 1, 1}, strands[] = {4};
    const clv_tree_record r = {3, 1, child, level, group, up, down, 1, strands};
    clv_task_list l;
    (void)state;
    assert_true(clv_tree_levels(&r, &l));
    assert_true(clv_tasks_work(&l) == 11 && clv_tasks_time(&l, 1, 1) == 11);
    assert_true(clv_tasks_time(&l, 2, 0) == 9 && clv_tasks_span(&l) == 9);
    clv_tasks_close(&l);
    assert_true(clv_tree_subtrees(&r, INT_MAX, &l)); /* each alone */
    assert_true(clv_tasks_work(&l) == 11 && clv_tasks_time(&l, 2, 0) == 9 && clv_tasks_span(&l) == 9);
    clv_tasks_close(&l);
    assert_true(clv_tree_subtrees(&r, 1, &l)); /* the whole tree: 4, 4 up, 3 down */
    assert_int_equal(l.ntask, 3);
    assert_true(clv_tasks_work(&l) == 11 && clv_tasks_span(&l) == 11);
    clv_tasks_close(&l);
}

/* one body a leaf, the tree of the papers: log2 n + 1 depths of nodes that may be done side by side */
static void tree_of_a_chain(void **state)
{
    subject s = open("chain", "links=64", "aldca", 1e-3);
    clv_tree_record r;
    clv_task_list l;
    (void)state;
    assert_int_equal(clv_sim_record_tree(s.sim, &r), CLV_OK);
    assert_int_equal(r.npart, 128);
    assert_int_equal(r.depth, 7);
    for (int k = 0; k < r.npart; k++)
        assert_true(r.up[k] > 0 && r.down[k] >= 0);
    assert_true(clv_tree_levels(&r, &l));
    const double work = clv_tasks_work(&l), levels = clv_tasks_span(&l);
    assert_true(levels < 0.5 * work);
    clv_tasks_close(&l);
    for (int pieces = 1; pieces < 2000; pieces *= 2) {
        assert_true(clv_tree_subtrees(&r, pieces, &l));
        assert_true(fabs(clv_tasks_work(&l) - work) <= 1e-12 * work);
        clv_tasks_close(&l);
    }
    assert_true(clv_tree_subtrees(&r, INT_MAX, &l));
    assert_true(clv_tasks_span(&l) <= levels * (1 + 1e-12)); /* without barriers */
    clv_tasks_close(&l);
    clv_tree_record_close(&r), shut(&s);
}

static void no_tree(void **state)
{
    static const char *const model[][3] = {{"chain", "links=10", "hdca"}, {"flex-arm", NULL, "hdca"}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        clv_tree_record r;
        clv_model *m;
        clv_sim *sim;
        clv_sim_options o = clv_sim_options_default();
        assert_int_equal(clv_example_create(&m, model[i][0], &model[i][1], model[i][1] != NULL), CLV_OK);
        assert_int_equal(clv_sim_create(&sim, m, &o), CLV_OK);
        assert_int_equal(clv_sim_record_tree(sim, &r), CLV_ERR_UNSUPPORTED);
        assert_null(r.child);
        assert_int_equal(clv_sim_advance(sim, 0.01), CLV_OK);
        clv_sim_destroy(sim), clv_model_destroy(m);
    }
}

static void two_threads(void **state)
{
    subject s = open("chain", "links=2048", "dca", 0);
    clv_team *team = clv_team_create(2);
    double least[2] = {0};
    (void)state;
    assert_non_null(team);
    assert_int_equal(clv_sim_compare_team(s.sim, team, 0, least), CLV_OK);
    assert_true(least[0] > 0 && least[1] > 0 && isfinite(least[0] + least[1]));
    assert_int_equal(clv_sim_threads(s.sim), 1);
    clv_team_destroy(team), shut(&s);
}

/* With shares of one row each group is a piece: of eight strands, or of one branch. */
static void small_shares(void **state)
{
    subject s = open("chain", "links=1024", "hdca", 0);
    clv_record r;
    (void)state;
    assert_int_equal(expect_record(&s), 0);
    shut(&s);
    s = open("chain", "links=4096", "hdca", 0);
    assert_int_equal(clv_sim_record(s.sim, 1, &r), CLV_OK);
    assert_int_equal(r.first[1], s.sim->plan->ngroup);
    clv_record_close(&r), shut(&s);
}

static void refused(void **state)
{
    clv_record r;
    double least[2];
    (void)state;
    assert_int_equal(clv_sim_record(NULL, 0, &r), CLV_ERR_USAGE);
    assert_null(r.first);
    clv_record_close(&r);
    assert_int_equal(clv_sim_compare_team(NULL, NULL, 0, least), CLV_ERR_USAGE);
}

/* ---------------------------------------------------------------- ranks (T72) */

enum { LEAVES = 8, PARTS = 2 * LEAVES - 1 };

/* A complete tree of equal strands; all numbers are sums of powers of two. */
static clv_rank_tree complete(int *child, double *number, int *bytes)
{
    for (int k = 0; k < PARTS; k++) {
        const bool strand = k < LEAVES;
        child[2 * k] = strand ? -1 : 2 * (k - LEAVES), child[2 * k + 1] = strand ? -1 : 2 * (k - LEAVES) + 1;
        number[k] = strand ? 1 : 0, number[PARTS + k] = strand ? 0 : 0.25, number[2 * PARTS + k] = strand ? 0 : 0.125;
        bytes[k] = 1024, bytes[PARTS + k] = 256;
    }
    return (clv_rank_tree){.npart = PARTS, .child = child, .own = number, .up = number + PARTS,
                           .down = number + 2 * PARTS, .bytes_up = bytes, .bytes_down = bytes + PARTS,
                           .latency = 0.0625, .bandwidth = 4096};
}

static void a_complete_tree_on_ranks(void **state)
{
    (void)state;
    int child[2 * PARTS], bytes[2 * PARTS];
    double number[3 * PARTS];
    const clv_rank_tree t = complete(child, number, bytes);
    const double up = 0.0625 + 0.25, down = 0.0625 + 0.0625;
    const double level = 0.25 + up + 0.125 + down; /* of one doubling: joins and messages */
    for (int d = 0, ranks = 1; ranks <= 64; ranks *= 2, d += ranks <= LEAVES) {
        const clv_rank_forecast f = clv_ranks_forecast(&t, ranks);
        const int cut = ranks < LEAVES ? ranks : LEAVES; /* a strand is not cut */
        assert_true(f.ranks == ranks && f.most_work * cut == LEAVES);
        assert_true(f.seconds == f.most_work + d * level);
        assert_int_equal(f.messages, 2 * (cut - 1));
        assert_int_equal(f.busiest, 2 * d);
        assert_true(f.bytes == (cut - 1) * (1024 + 256) && f.largest == (cut > 1 ? 1024 : 0));
    }
    const clv_rank_forecast three = clv_ranks_forecast(&t, 3); /* two ranks on one half, one on the other */
    assert_true(three.most_work == 4 && three.messages == 4 && three.busiest == 4);
    assert_true(three.seconds == 4 + up + 0.25 + 0.125 + 0.125 + down); /* down twice, the second one here */
    assert_true(clv_ranks_doubling(&t) == level);
}

static void models_on_ranks(void **state)
{
    (void)state;
    const char *const model[][2] = {{"chain", "links=4096"}, {"four-bar-ladder", "windows=60"}};
    for (int i = 0; i < 2; i++) {
        subject s = open(model[i][0], model[i][1], "hdca", 0);
        clv_tree_record r;
        clv_rank_tree t;
        assert_int_equal(clv_sim_record_tree(s.sim, &r), CLV_OK);
        assert_int_equal(clv_rank_tree_open(&t, s.sim, &r, 1), CLV_OK);
        t.latency = 0, t.bandwidth = INFINITY;
        for (int ranks = 1; ranks <= 8; ranks *= 2) {
            const clv_rank_forecast f = clv_ranks_forecast(&t, ranks);
            assert_true(f.most_work >= (1 - 1e-12) / ranks && f.most_work <= 1.6 / ranks);
            assert_true(f.seconds >= f.most_work && f.largest <= 1200);
            assert_true(ranks > 1 || fabs(f.seconds - 1) < 1e-12);
            assert_true(f.messages <= 2 * (ranks - 1) && f.busiest <= f.messages);
        }
        const clv_rank_forecast fast = clv_ranks_forecast(&t, 2);
        t.latency = 1e-3, t.bandwidth = 1e6;
        assert_true(clv_ranks_forecast(&t, 2).seconds > fast.seconds + 2e-3); /* one message each way */
        clv_rank_tree_close(&t), clv_tree_record_close(&r);
        shut(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pieces_are_those_of_threads),
                                       cmocka_unit_test(small_and_whole_steps), cmocka_unit_test(two_threads),
                                       cmocka_unit_test(refused), cmocka_unit_test(small_shares),
                                       cmocka_unit_test(tree_by_hand),
                                       cmocka_unit_test(tree_of_a_chain), cmocka_unit_test(no_tree),
                                       cmocka_unit_test(a_complete_tree_on_ranks),
                                       cmocka_unit_test(models_on_ranks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
