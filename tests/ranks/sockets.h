/* SPDX-License-Identifier: Apache-2.0
 * Ranks without MPI, for tests: processes forked from this one, a pair of sockets between any two of them.  Each works
 * on memory that they share with the caller. */
#ifndef CLV_TESTS_RANKS_SOCKETS_H
#define CLV_TESTS_RANKS_SOCKETS_H
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/ranks.h"

enum { CLV_SOCKETS_MOST = 16 };
typedef struct clv_sockets {
    int end[CLV_SOCKETS_MOST][CLV_SOCKETS_MOST]; /* [me][other] */
    int rank;
} clv_sockets;

static inline bool clv_sockets_send(void *owner, int to, const void *data, size_t bytes)
{
    const clv_sockets *s = owner;
    for (const char *at = data; bytes > 0;) {
        const ssize_t n = write(s->end[s->rank][to], at, bytes);
        if (n <= 0)
            return false;
        at += n, bytes -= (size_t)n;
    }
    return true;
}

static inline bool clv_sockets_receive(void *owner, int from, void *data, size_t bytes)
{
    const clv_sockets *s = owner;
    for (char *at = data; bytes > 0;) {
        const ssize_t n = read(s->end[s->rank][from], at, bytes);
        if (n <= 0)
            return false;
        at += n, bytes -= (size_t)n;
    }
    return true;
}

typedef void clv_sockets_work(const clv_ranks *ranks, void *data, double *result);

/* Runs work on so many ranks; their common result (n), zeroed before; NULL: a rank has failed. */
static inline double *clv_sockets_run(int ranks, clv_sockets_work *work, void *data, size_t n)
{
    clv_sockets s = {0};
    pid_t child[CLV_SOCKETS_MOST];
    bool good = true;
    FILE *memory = tmpfile();
    if (!memory || ftruncate(fileno(memory), (off_t)(n * sizeof(double))) != 0)
        return NULL;
    double *result = mmap(NULL, n * sizeof *result, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(memory), 0);
    fclose(memory);
    for (int i = 0; i < ranks; i++)
        for (int j = 0, pair[2]; j < i; j++) {
            if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
                return NULL;
            s.end[i][j] = pair[0], s.end[j][i] = pair[1];
        }
    fflush(NULL);
    for (int i = 1; i < ranks; i++)
        if ((child[i] = fork()) == 0) {
            s.rank = i;
            const clv_ranks own = {i, ranks, "sockets", &s, clv_sockets_send, clv_sockets_receive, NULL, -1, -1};
            work(&own, data, result);
            _exit(0);
        }
    const clv_ranks own = {0, ranks, "sockets", &s, clv_sockets_send, clv_sockets_receive, NULL, -1, -1};
    work(&own, data, result);
    for (int i = 1, status; i < ranks; i++)
        good = waitpid(child[i], &status, 0) == child[i] && WIFEXITED(status) && WEXITSTATUS(status) == 0 && good;
    for (int i = 0; i < ranks; i++)
        for (int j = 0; j < ranks; j++)
            if (i != j)
                close(s.end[i][j]);
    if (good)
        return result;
    munmap(result, n * sizeof *result);
    return NULL;
}

static inline void clv_sockets_free(double *result, size_t n) { munmap(result, n * sizeof *result); }

#endif
