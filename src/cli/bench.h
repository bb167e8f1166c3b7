/* SPDX-License-Identifier: Apache-2.0
 * What cleave bench measures with, and its table of branches. */
#ifndef CLV_CLI_BENCH_H
#define CLV_CLI_BENCH_H
#include "cli/summary.h"

enum { CLV_BENCH_SAMPLES = 31 };

/* Median seconds of one call over samples of at least two milliseconds; *status: the first that failed. */
double clv_bench_median(clv_status (*once)(void *), void *user, clv_status *status);
/* cleave bench branches MODEL: words are those of the command. */
clv_exit clv_bench_branches(const clv_words *words, const char *bracketing, bool json);
typedef struct clv_span_settings {
    double hand_over;          /* s; NaN: measured                                            */
    int share;                 /* rows of a share at least; 0: as many as pay                 */
    int ranks;                 /* most ranks of a network; 0: none                            */
    double latency, bandwidth; /* s, bytes/s of that network; NaN: not given                  */
    bool json;
} clv_span_settings;
/* cleave bench span MODEL */
clv_exit clv_bench_span(const clv_words *words, const clv_sim_options *options, const clv_span_settings *set);
/* Its part on ranks (T72): forecasts, as text or as members of the object. */
struct clv_rank_tree;
void clv_bench_ranks_print(const struct clv_rank_tree *t, const clv_span_settings *set, double work, int bodies);
void clv_bench_ranks_json(clv_json *j, const struct clv_rank_tree *t, const clv_span_settings *set, double work,
                          int bodies);

#endif
