/* SPDX-License-Identifier: Apache-2.0
 * The process `cleave-mpi`: `cleave` with MPI, started by `mpirun -n P cleave run ...` in its place (program.c).  Only
 * rank 0 prints; others report errors that they alone have found. */
#include "base/pages.h"
#include "cli/ranks_run.h"
#include <signal.h>
#include <unistd.h>

/* Standard output leads nowhere, standard error into a file of its own; people are reached on the old one. */
static bool fall_silent(clv_ranks_voice *voice)
{
    const int kept = dup(STDERR_FILENO);
    voice->said = tmpfile(), voice->errors = kept < 0 ? NULL : fdopen(kept, "w");
    return voice->said && voice->errors && freopen("/dev/null", "w", stdout) &&
           dup2(fileno(voice->said), STDERR_FILENO) == STDERR_FILENO;
}

int main(int argc, char **argv)
{
    clv_ranks ranks;
    clv_ranks_voice voice = {stderr, NULL};
    clv_pages_apart(); /* a rank reads the whole model, keeps a share, and gives back the rest */
    signal(SIGXFSZ, SIG_IGN);
    if (!clv_ranks_open(&ranks) || (ranks.rank > 0 && !fall_silent(&voice)))
        return CLV_EXIT_RESOURCES;
    const int code = clv_ranks_main(&ranks, &voice, argc, argv);
    clv_ranks_close(&ranks);
    return code;
}
