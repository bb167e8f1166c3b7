/* SPDX-License-Identifier: Apache-2.0
 * `mpirun -n P cleave run` and `resume`: one mechanism on several processes (T80, T81; docs/ranks.md). */
#ifndef CLV_CLI_RANKS_RUN_H
#define CLV_CLI_RANKS_RUN_H
#include <stdio.h>
#include "base/ranks.h"
#include "cli/command.h"

/* Where a rank that is not the first says what it alone has found. */
typedef struct clv_ranks_voice {
    FILE *errors; /* for people                                                   */
    FILE *said;   /* what it has printed on standard error so far, which nobody saw */
} clv_ranks_voice;

/* The command in argv[1], as of main, on these ranks; the exit code.  Rank 0 reports what all ranks find. */
int clv_ranks_main(const clv_ranks *ranks, const clv_ranks_voice *voice, int argc, char **argv);

#endif
