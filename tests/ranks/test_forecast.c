/* SPDX-License-Identifier: Apache-2.0
 * An evaluation on ranks on paper (T72) beside what ranks send (T81): messages of all ranks and of the busiest one,
 * bytes of all and of the largest message. */
#include "runs.h"
#include "simulation/sim.h"
#include "simulation/span_ranks.h"

enum { SENT, BYTES, LARGEST, COUNTED, EACH }; /* of one rank; COUNTED: an evaluation, steps included */
enum { N = EACH * CLV_SOCKETS_MOST };

/* a send function that looks at sizes */
typedef struct listener {
    const clv_ranks *to;
    size_t largest;
} listener;
static bool heard_send(void *owner, int to, const void *data, size_t bytes)
{
    listener *l = owner;
    l->largest = bytes > l->largest ? bytes : l->largest;
    return l->to->send(l->to->owner, to, data, bytes);
}
static bool heard_receive(void *owner, int from, void *data, size_t bytes)
{
    const listener *l = owner;
    return l->to->receive(l->to->owner, from, data, bytes);
}

static void count_rank(const clv_ranks *ranks, void *data, double *result)
{
    const wish *w = ((void **)data)[1];
    const clv_sim_options o = options_of(w);
    listener l = {ranks, 0};
    const clv_ranks heard = {ranks->rank, ranks->size, "", &l, heard_send, heard_receive, NULL, -1, -1};
    double *mine = result + EACH * ranks->rank;
    clv_sim_report before, after;
    clv_ranked *r;
    assert_int_equal(clv_ranked_open(&r, ((void **)data)[0], &o, &heard, w->segments), CLV_OK);
    clv_segment_ports *ports = clv_alloc((size_t)r->divided.nsegment, sizeof *ports);
    clv_segment_ends *ends = clv_alloc((size_t)r->divided.nsegment, sizeof *ends);
    assert_true(ports && ends);
    l.largest = 0;
    clv_relay relay = r->relay;
    assert_true(r->divided.across.join(r, true, ports, ends)); /* the sweep of an evaluation */
    mine[SENT] = (double)(r->relay.messages - relay.messages), mine[BYTES] = (double)(r->relay.bytes - relay.bytes);
    mine[LARGEST] = (double)l.largest;
    clv_free(ports), clv_free(ends);
    clv_sim_summary(r->sim, &before);
    relay = r->relay;
    assert_int_equal(clv_sim_advance(r->sim, w->time), CLV_OK);
    clv_sim_summary(r->sim, &after);
    mine[COUNTED] = 2.0 * (double)(r->relay.messages - relay.messages) / /* a sweep has as many that are received */
                    (double)(after.rate_evaluations - before.rate_evaluations + 1);
    clv_ranked_close(r);
}

static void compare(const clv_model *m, const clv_rank_tree *t, const char *formulation)
{
    for (int ranks = 2; ranks <= 8; ranks *= 2) {
        const wish w = {formulation, "dopri5", 0, 0.002, 16, ranks, 1};
        const clv_rank_forecast f = clv_ranks_forecast(t, ranks);
        double *each = clv_sockets_run(ranks, count_rank, (void *[]){(void *)m, (void *)&w}, N);
        assert_non_null(each);
        double sent = 0, bytes = 0, largest = 0, busiest = 0, counted = 0;
        for (int i = 0; i < ranks; i++) {
            const double *x = each + EACH * i;
            sent += x[SENT], bytes += x[BYTES], largest = fmax(largest, x[LARGEST]);
            busiest = fmax(busiest, 2 * x[SENT]), counted = fmax(counted, x[COUNTED]);
        }
        if (f.messages != sent || f.bytes != bytes || f.largest != largest || f.busiest != busiest)
            print_message("%d ranks: %d and %g messages, %d and %g of the busiest, %g and %g bytes, %d and %g "
                          "at most\n", ranks, f.messages, sent, f.busiest, busiest, f.bytes, bytes, f.largest, largest);
        assert_true(f.messages == sent && f.bytes == bytes && f.largest == largest && f.busiest == busiest);
        assert_true(counted >= f.busiest && counted <= f.busiest + 2);
        clv_sockets_free(each, N);
    }
}

static void a_chain_sends_what_was_predicted(void **state)
{
    (void)state;
    clv_model *m = example("chain", (const char *const[]){"links=1024", "spatial=2"}, 2);
    for (int k = 0; k < 2; k++) {
        clv_sim *sim;
        clv_tree_record record;
        clv_rank_tree t;
        const wish w = {k ? "dca" : "hdca", "dopri5", 0, 0, 0, 1, 1};
        const clv_sim_options o = options_of(&w);
        assert_int_equal(clv_sim_create(&sim, m, &o), CLV_OK);
        assert_int_equal(clv_sim_record_tree(sim, &record), CLV_OK);
        assert_int_equal(clv_rank_tree_open(&t, sim, &record, 1), CLV_OK);
        t.latency = 2e-6, t.bandwidth = 1e10;
        compare(m, &t, w.formulation);
        clv_rank_tree_close(&t), clv_tree_record_close(&record);
        clv_sim_destroy(sim);
    }
    clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_chain_sends_what_was_predicted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
