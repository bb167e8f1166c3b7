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
/* cleave bench span MODEL.  hand_over: s; NaN: measured.  share: rows of a share at least; 0: as many as pay. */
clv_exit clv_bench_span(const clv_words *words, const clv_sim_options *options, double hand_over, int share, bool json);

#endif
