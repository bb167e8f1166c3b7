/* SPDX-License-Identifier: Apache-2.0
 * Processes that work on one task and send messages to each other (T81): number `rank` of `size`.  Only messages from
 * one to one, which arrive in the order in which they were sent.  The program
 * cleave-mpi has them by ranks_mpi.c. */
#ifndef CLV_BASE_RANKS_H
#define CLV_BASE_RANKS_H
#include <stdbool.h>
#include <stddef.h>

typedef struct clv_ranks {
    int rank, size;
    const char *how; /* what carries messages, for people */
    void *owner;
    /* false: the other one cannot be reached any more */
    bool (*send)(void *owner, int to, const void *data, size_t bytes);
    bool (*receive)(void *owner, int from, void *data, size_t bytes);
    /* ends all processes, this one with exit code `code`; does not return where there are others */
    void (*end_all)(void *owner, int code);
    int before, after; /* the next ranks of the same machine; -1: none; known to programs of MPI alone */
} clv_ranks;

/* ranks_mpi.c: those of this program; called once, before everything else.  False: messages cannot be had. */
bool clv_ranks_open(clv_ranks *ranks);
void clv_ranks_close(clv_ranks *ranks);
/* Was this program started by MPI, as one of one or more processes?  As its starters say it in the environment. */
bool clv_ranks_wanted(void);

#endif
