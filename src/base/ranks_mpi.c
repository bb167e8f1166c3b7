/* SPDX-License-Identifier: Apache-2.0
 * Messages by MPI; see ranks.h.  The only file that knows MPI, and no part of the library: of the program cleave-mpi.
 * Only point-to-point messages, no collective.  An error of MPI, as a rank that died, ends all ranks. */
#include "base/ranks.h"
#include <limits.h>
#include <mpi.h>

enum { TAG = 1 };

static bool send(void *owner, int to, const void *data, size_t bytes)
{
    const char *from = data;
    (void)owner;
    for (size_t n; bytes > 0; bytes -= n, from += n) {
        n = bytes < INT_MAX ? bytes : INT_MAX;
        if (MPI_Send(from, (int)n, MPI_BYTE, to, TAG, MPI_COMM_WORLD) != MPI_SUCCESS)
            return false;
    }
    return true;
}

static bool receive(void *owner, int from, void *data, size_t bytes)
{
    char *to = data;
    (void)owner;
    for (size_t n; bytes > 0; bytes -= n, to += n) {
        n = bytes < INT_MAX ? bytes : INT_MAX;
        if (MPI_Recv(to, (int)n, MPI_BYTE, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return false;
    }
    return true;
}

static void end_all(void *owner, int code)
{
    (void)owner;
    MPI_Abort(MPI_COMM_WORLD, code);
}

bool clv_ranks_open(clv_ranks *ranks)
{
    int given;
    *ranks = (clv_ranks){.size = 1, .how = "MPI", .send = send, .receive = receive, .end_all = end_all};
    return MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given) == MPI_SUCCESS &&
           MPI_Comm_rank(MPI_COMM_WORLD, &ranks->rank) == MPI_SUCCESS &&
           MPI_Comm_size(MPI_COMM_WORLD, &ranks->size) == MPI_SUCCESS;
}

void clv_ranks_close(clv_ranks *ranks)
{
    (void)ranks;
    MPI_Finalize();
}
