/* SPDX-License-Identifier: Apache-2.0
 * A team of threads that shares out independent pieces of work (T44).  Who does a piece never changes what is
 * computed: pieces write apart, and what is summed over them is summed afterwards, in a fixed order.
 *
 * A team belongs to a simulation, or is an object of its own that several simulations use.  While one uses it, the
 * others do their pieces themselves.  Between two calls the workers spin for a bounded time, then they sleep.  Nothing
 * here allocates after clv_team_create. */
#ifndef CLV_BASE_TEAM_H
#define CLV_BASE_TEAM_H
#include <stddef.h>

typedef struct clv_team clv_team;
typedef void clv_team_work(void *of, int piece);

enum { CLV_TEAM_MOST = 4096 }; /* threads */

/* `threads` of them, the caller's included; 1 to CLV_TEAM_MOST.  NULL: no memory, or threads could not be started. */
clv_team *clv_team_create(int threads);
/* The threads of the caller's own program.  `run` calls task(of, i) once for each i in 0 .. n - 1, on any threads.  It
 * returns when all have returned, and what they have written is then visible.  NULL: out of memory. */
clv_team *clv_team_of(int threads, void *context,
                      void (*run)(void *context, int n, void (*task)(void *of, int i), void *of));
void clv_team_destroy(clv_team *team);
/* Processors of this machine, at least 1. */
int clv_team_cores(void);
/* Threads, the caller's included; 1 for NULL. */
int clv_team_size(const clv_team *team);
/* work(of, piece) for all pieces 0 .. n - 1; returns when all are done.  In order and on this thread, if team is NULL,
 * or in use.  Neighbouring pieces tend to stay with one thread, call after call. */
void clv_team_run(clv_team *team, int n, clv_team_work *work, void *of);
/* work(of, piece) while no other thread is in such a call of this team; team NULL: at once. */
void clv_team_alone(clv_team *team, int piece, clv_team_work *work, void *of);

/* The same as clv_team_run for 0 .. n - 1, `run` of them at a time: work(of, i). */
void clv_team_run_each(clv_team *team, int n, int run, clv_team_work *work, void *of);

/* n numbers copied, or with `from` NULL set to zero; by all threads where they are many. */
void clv_team_copy(clv_team *team, double *to, const double *from, size_t n);

#endif
