/* SPDX-License-Identifier: Apache-2.0
 * Ctrl-C on a run: a line on standard error says how far it has come and, of a run file, how it is continued.  Then
 * the process ends by the signal, as without this.  Called by `cleave run` and `cleave resume`. */
#ifndef CLV_CLI_INTERRUPT_H
#define CLV_CLI_INTERRUPT_H
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef struct clv_interrupt {
    bool watches;
    const char *command;
    const char *file;       /* that can be resumed, or NULL                     */
    double end;             /* s                                                */
    _Atomic double reached; /* s; NaN: no run is under way                      */
    sigset_t before;        /* signals that the caller blocked before           */
    pthread_t thread;
} clv_interrupt;

/* Watches SIGINT from here on, with *x, which must not move.  Call it before other threads are started, which inherit
 * that they do not get the signal.  There is no watch where SIGINT is ignored or has a handler, and the others do
 * nothing then. */
void clv_interrupt_watch(clv_interrupt *x, const char *command);
/* The run begins at a time, with its end (s).  `file` can be resumed, or is NULL; it must last. */
void clv_interrupt_begin(clv_interrupt *x, double time, double end, const char *file);
/* The run has reached a time (s). */
void clv_interrupt_reached(clv_interrupt *x, double time);
/* The run is over: Ctrl-C says nothing any more. */
void clv_interrupt_end(clv_interrupt *x);
void clv_interrupt_release(clv_interrupt *x);

#endif
