/* SPDX-License-Identifier: Apache-2.0
 * The watch for Ctrl-C; see interrupt.h.  A thread of its own waits for the signal, which all others block.  So the
 * line is printed outside of a handler, and steps that take long do not delay it. */
#include "cli/interrupt.h"
#include "base/memory.h"
#include "io/error_print.h"
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

struct clv_interrupt {
    const char *command;
    const char *file;       /* that can be resumed, or NULL                     */
    double end;             /* s                                                */
    _Atomic double reached; /* s; NaN: no run is under way                      */
    sigset_t before;        /* signals that the caller blocked before           */
    pthread_t thread;
};

static void tell(const clv_interrupt *x, double time)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K"); /* over the line of the progress */
    fprintf(stderr, "cleave %s: interrupted at %.6g of %.6g s", x->command, fmin(time, x->end), x->end);
    if (x->file) {
        fprintf(stderr, "; `cleave resume ");
        clv_print_text(stderr, x->file);
        fprintf(stderr, "` continues it");
    }
    fprintf(stderr, "\n");
}

/* SIGINT, or SIGUSR1 from clv_interrupt_release. */
static void *wait_for_signal(void *to)
{
    clv_interrupt *x = to;
    sigset_t set;
    int number = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGINT), sigaddset(&set, SIGUSR1);
    if (sigwait(&set, &number) != 0 || number != SIGINT)
        return NULL;
    const double time = atomic_load(&x->reached);
    if (!isnan(time))
        tell(x, time);
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(SIGINT); /* its default: the process ends here */
    return NULL;
}

static bool by_default(void)
{
    struct sigaction now;
    return sigaction(SIGINT, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL;
}

clv_interrupt *clv_interrupt_watch(const char *command)
{
    clv_interrupt *x = by_default() ? clv_alloc(1, sizeof *x) : NULL;
    if (!x)
        return NULL;
    sigset_t set;
    x->command = command;
    atomic_store(&x->reached, NAN);
    sigemptyset(&set);
    sigaddset(&set, SIGINT), sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, &x->before);
    const bool started = pthread_create(&x->thread, NULL, wait_for_signal, x) == 0;
    set = x->before;
    if (started)
        sigaddset(&set, SIGINT);
    pthread_sigmask(SIG_SETMASK, &set, NULL);
    if (started)
        return x;
    clv_free(x);
    return NULL;
}

void clv_interrupt_begin(clv_interrupt *x, double time, double end, const char *file)
{
    if (!x)
        return;
    x->end = end, x->file = file;
    atomic_store(&x->reached, time);
}

void clv_interrupt_reached(clv_interrupt *x, double time)
{
    if (x)
        atomic_store_explicit(&x->reached, time, memory_order_relaxed);
}

void clv_interrupt_end(clv_interrupt *x) { clv_interrupt_reached(x, NAN); }

void clv_interrupt_release(clv_interrupt *x)
{
    if (!x)
        return;
    pthread_kill(x->thread, SIGUSR1);
    pthread_join(x->thread, NULL);
    pthread_sigmask(SIG_SETMASK, &x->before, NULL);
    clv_free(x);
}
