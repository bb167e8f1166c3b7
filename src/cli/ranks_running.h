/* SPDX-License-Identifier: Apache-2.0
 * A run on ranks under way; for the files of ranks_run.h alone.
 *
 *   ranks_run       options, opening on all ranks, steps          ranks_output   what rank 0 writes
 *   ranks_resume    a run that is continued                       ranks_result   how it ended, for people and programs
 */
#ifndef CLV_CLI_RANKS_RUNNING_H
#define CLV_CLI_RANKS_RUNNING_H
#include "cli/file.h"
#include "cli/ranks_frame.h"
#include "cli/ranks_run.h"
#include "cli/running.h"

typedef struct clv_ranks_running {
    const clv_ranks *ranks;
    const clv_ranks_voice *voice;
    char *usual; /* columns, if none are given                   */
    clv_subject subject;
    clv_run_settings set;
    clv_ranked *r;
    char *name;          /* of the model                                 */
    int bodies, joints;  /* of the mechanism                             */
    clv_columns columns; /* of CSV                                       */
    clv_runfile *file;   /* rank 0                                       */
    clv_output csv;
    clv_ranks_frame frame;
    double first;       /* number of the first output                   */
    double saved_every; /* outputs between checkpoints; 0: none         */
    clv_error failure;
    int failed_rank; /* -1: none                                     */
    double began;
} clv_ranks_running;

static inline double clv_ranks_now(const clv_ranks_running *x)
{
    return clv_sim_time(clv_ranked_sim(x->r));
}
static inline bool clv_ranks_first(const clv_ranks_running *x)
{
    return x->ranks->rank == 0;
}
/* Does rank 0 give out states of bodies?  If not, it keeps neither the whole model nor room for them. */
static inline bool clv_ranks_shows(const clv_ranks_running *x)
{
    return x->set.out || x->set.json;
}
static inline clv_exit clv_ranks_tell(const clv_ranks_running *x, clv_exit code, const char *text)
{
    return clv_tell(x->subject.command, x->set.json, code, "%s", text);
}

/* ranks_run.c: options that were not given. */
clv_exit clv_ranks_complete(clv_ranks_running *x);
/* Has the same gone well on all ranks?  The first rank that has failed says why. */
clv_exit clv_ranks_agree(const clv_ranks_running *x, clv_exit code);
/* All ranks have failed together: rank 0 reports the first error that a rank has found itself. */
clv_exit clv_ranks_end_together(const clv_ranks_running *x, clv_status st);
/* The share of this rank, and its simulation.  read: the model and all settings, `from` is for it. */
typedef clv_exit clv_ranks_read(clv_ranks_running *x, const void *from);
clv_exit clv_ranks_share_out(clv_ranks_running *x, clv_ranks_read *read, const void *from);
/* The run, after clv_ranks_share_out; code: of what rank 0 alone has opened. */
clv_exit clv_ranks_go(clv_ranks_running *x, clv_exit code);

/* ranks_output.c, rank 0: opens what is written. */
clv_exit clv_ranks_open_output(clv_ranks_running *x);
/* All ranks: the output state as a frame; the saved state.  False: on rank 0 it could not be written. */
bool clv_ranks_write_frame(clv_ranks_running *x);
bool clv_ranks_write_state(clv_ranks_running *x);

/* ranks_result.c, rank 0: the message of an error with the rank that has found it. */
void clv_ranks_number(clv_error *e, int rank);
/* Closes what was written, and reports. */
clv_exit clv_ranks_finish(clv_ranks_running *x, clv_status st, bool broken);

/* ranks_resume.c: continues the run of a file. */
clv_exit clv_ranks_resume(clv_ranks_running *x, const char *path);

#endif
