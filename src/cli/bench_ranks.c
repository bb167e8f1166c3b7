/* SPDX-License-Identifier: Apache-2.0
 * cleave bench span --ranks: the evaluation on ranks of a network, on paper (T72), as text and JSON; see bench.h. */
#include "cli/bench.h"
#include "simulation/span_ranks.h"
#include <math.h>

/* Bodies of the same kind from which on `ranks` ranks are faster than one, or at `half` half as good as they could be:
 * with T_1 = work n / bodies, T_P = T_1 / P + log2(P) s. */
static double bodies_from(const clv_rank_tree *t, double work, int bodies, int ranks, bool half)
{
    const double more = log2(ranks) * clv_ranks_doubling(t), each = work / bodies;
    return half ? ranks * more / each : more / (each * (1 - 1.0 / ranks));
}

void clv_bench_ranks_print(const clv_rank_tree *t, const clv_span_settings *set, double work, int bodies)
{
    char text[24];
    printf("\nranks of a network, on paper: latency %.3g s, %.3g bytes/s; a doubling adds %s\n", t->latency,
           t->bandwidth, clv_duration(text, clv_ranks_doubling(t)));
    printf("%8s %12s %9s %9s %8s %10s %8s %12s %12s\n", "ranks", "time", "speed-up", "messages", "busiest", "bytes",
           "largest", "faster from", "half from");
    for (int ranks = 1; ranks <= set->ranks; ranks *= 2) {
        const clv_rank_forecast f = clv_ranks_forecast(t, ranks);
        printf("%8d %12s %9.2f %9d %8d %10.4g %8d", ranks, clv_duration(text, f.seconds), work / f.seconds, f.messages,
               f.busiest, f.bytes, f.largest);
        if (ranks > 1)
            printf(" %12.3g %12.3g", bodies_from(t, work, bodies, ranks, false),
                   bodies_from(t, work, bodies, ranks, true));
        printf("\n");
    }
    printf("busiest: messages of one rank; from: bodies from which ranks are faster than one, or the speed-up is half "
           "their number\n");
}

void clv_bench_ranks_json(clv_json *j, const clv_rank_tree *t, const clv_span_settings *set, double work, int bodies)
{
    clv_json_number(j, "latency_seconds", t->latency);
    clv_json_number(j, "bytes_per_second", t->bandwidth);
    clv_json_number(j, "doubling_seconds", clv_ranks_doubling(t));
    clv_json_array(j, "ranks");
    for (int ranks = 1; ranks <= set->ranks; ranks *= 2) {
        const clv_rank_forecast f = clv_ranks_forecast(t, ranks);
        clv_json_object(j, NULL);
        clv_json_integer(j, "ranks", ranks);
        clv_json_number(j, "seconds", f.seconds);
        clv_json_number(j, "speedup", work / f.seconds);
        clv_json_number(j, "most_work_seconds", f.most_work);
        clv_json_integer(j, "messages", f.messages);
        clv_json_integer(j, "busiest", f.busiest);
        clv_json_number(j, "bytes", f.bytes);
        clv_json_integer(j, "largest", f.largest);
        clv_json_number(j, "faster_from_bodies", ranks > 1 ? bodies_from(t, work, bodies, ranks, false) : NAN);
        clv_json_number(j, "half_from_bodies", ranks > 1 ? bodies_from(t, work, bodies, ranks, true) : NAN);
        clv_json_end(j);
    }
    clv_json_end(j);
}
