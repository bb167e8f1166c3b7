/* SPDX-License-Identifier: Apache-2.0
 * Ctrl-C on a run: a line on standard error says how far it has come and, of a run file, how it is continued.  Then
 * the process ends by the signal, as without this.  Called by `cleave run` and `cleave resume`. */
#ifndef CLV_CLI_INTERRUPT_H
#define CLV_CLI_INTERRUPT_H

typedef struct clv_interrupt clv_interrupt;

/* Watches SIGINT from here on.  Call it before other threads are started, which inherit that they do not get the
 * signal.  NULL: there is no watch, as where SIGINT is ignored or has a handler. */
clv_interrupt *clv_interrupt_watch(const char *command);
/* The run begins at a time, with its end (s).  `file` can be resumed, or is NULL; it must last. */
void clv_interrupt_begin(clv_interrupt *x, double time, double end, const char *file);
/* The run has reached a time (s). */
void clv_interrupt_reached(clv_interrupt *x, double time);
/* The run is over: Ctrl-C says nothing any more. */
void clv_interrupt_end(clv_interrupt *x);
void clv_interrupt_release(clv_interrupt *x);

#endif
