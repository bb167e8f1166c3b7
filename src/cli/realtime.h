/* SPDX-License-Identifier: Apache-2.0
 * Steps in real time (T54): a thread makes one step a period of the clock, and another one writes what it leaves in a
 * ring.
 *
 * The thread of the steps allocates, locks, reads and writes nothing.  It sleeps until a period begins, makes the step,
 * and copies a state into the ring where one is due.  If the ring is full, the state is dropped and counted.  A step
 * that is late is followed by the next one at once, so the run returns to the clock. */
#ifndef CLV_CLI_REALTIME_H
#define CLV_CLI_REALTIME_H
#include "cli/timing.h"
#include "cleave/cleave.h"
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { CLV_REALTIME_RING = 64 }; /* states under way */

typedef struct clv_realtime {
    clv_sim *sim;               /* of the thread of the steps                                         */
    double period, end, every;  /* s: of a step; of the run; between states                           */
    clv_timing step, cpu, clock; /* wall and processor time of steps; how late periods began          */
    long steps, missed;         /* of these, not done when their period ended                         */
    double behind;              /* s, the longest that a step ended after its period                  */
    clv_status status;
    bool locked;                /* the pages of the process stay in memory                            */
    double *ring;               /* (CLV_REALTIME_RING x size)                                         */
    size_t size;                /* numbers of a state                                                 */
    double time[CLV_REALTIME_RING]; /* s, of the states                                               */
    atomic_long posted, taken;  /* states: written by the thread of the steps; by the reader          */
    long dropped;
    atomic_bool over, stop;     /* all steps are made; the reader has failed                          */
    pthread_t thread;
} clv_realtime;

/* Prepares a simulation with fixed steps, which has just been created; NULL when out of memory. */
clv_realtime *clv_realtime_create(clv_sim *sim, double end, double every);
/* Starts the thread of the steps; CLV_ERR_MEMORY: it could not be started. */
clv_status clv_realtime_start(clv_realtime *r);
/* What the thread does, until the end or a failure. */
void clv_realtime_steps(clv_realtime *r);
/* The next state, or NULL: there is none yet, or (*over) any more.  It stays until clv_realtime_next is called. */
const double *clv_realtime_state(clv_realtime *r, double *time, bool *over);
void clv_realtime_next(clv_realtime *r);
/* Waits for the thread; its status. */
clv_status clv_realtime_join(clv_realtime *r);
void clv_realtime_destroy(clv_realtime *r);

#endif
