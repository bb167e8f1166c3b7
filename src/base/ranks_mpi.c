/* SPDX-License-Identifier: Apache-2.0
 * Messages by MPI; see ranks.h.  The only file that knows MPI, and no part of the library: of the program cleave-mpi.
 * Only point-to-point messages, no collective once it is open.  An error of MPI, as a rank that died, ends all. */
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

/* the ranks next to this one on its machine */
static bool find_neighbours(clv_ranks *ranks)
{
    MPI_Comm local;
    MPI_Group all, here;
    int me, size, both[2], found[2];
    if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local) != MPI_SUCCESS)
        return false;
    MPI_Comm_rank(local, &me), MPI_Comm_size(local, &size);
    MPI_Comm_group(MPI_COMM_WORLD, &all), MPI_Comm_group(local, &here);
    both[0] = me > 0 ? me - 1 : me, both[1] = me + 1 < size ? me + 1 : me;
    const bool good = MPI_Group_translate_ranks(here, 2, both, all, found) == MPI_SUCCESS;
    ranks->before = me > 0 ? found[0] : -1, ranks->after = me + 1 < size ? found[1] : -1;
    MPI_Group_free(&all), MPI_Group_free(&here), MPI_Comm_free(&local);
    return good;
}

bool clv_ranks_open(clv_ranks *ranks)
{
    int given;
    *ranks = (clv_ranks){.size = 1, .how = "MPI", .send = send, .receive = receive, .end_all = end_all};
    return MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given) == MPI_SUCCESS &&
           MPI_Comm_rank(MPI_COMM_WORLD, &ranks->rank) == MPI_SUCCESS &&
           MPI_Comm_size(MPI_COMM_WORLD, &ranks->size) == MPI_SUCCESS && find_neighbours(ranks);
}

void clv_ranks_close(clv_ranks *ranks)
{
    (void)ranks;
    MPI_Finalize();
}
