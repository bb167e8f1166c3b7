/* SPDX-License-Identifier: Apache-2.0
 * The watch for Ctrl-C; see interrupt.h.  A thread of its own waits for the signal, which all others block.  So the
 * line is printed outside of a handler, and steps that take long do not delay it. */
#include "cli/interrupt.h"
#include "io/error_print.h"
#include <math.h>
#include <stdio.h>
#include <unistd.h>

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

void clv_interrupt_watch(clv_interrupt *x, const char *command)
{
    sigset_t set;
    x->watches = false;
    if (!by_default())
        return;
    x->command = command;
    atomic_store(&x->reached, NAN);
    sigemptyset(&set);
    sigaddset(&set, SIGINT), sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, &x->before);
    x->watches = pthread_create(&x->thread, NULL, wait_for_signal, x) == 0;
    set = x->before;
    if (x->watches)
        sigaddset(&set, SIGINT);
    pthread_sigmask(SIG_SETMASK, &set, NULL);
}

void clv_interrupt_begin(clv_interrupt *x, double time, double end, const char *file)
{
    if (!x->watches)
        return;
    x->end = end, x->file = file;
    atomic_store(&x->reached, time);
}

void clv_interrupt_reached(clv_interrupt *x, double time)
{
    if (x->watches)
        atomic_store_explicit(&x->reached, time, memory_order_relaxed);
}

void clv_interrupt_end(clv_interrupt *x) { clv_interrupt_reached(x, NAN); }

void clv_interrupt_release(clv_interrupt *x)
{
    if (!x->watches)
        return;
    pthread_kill(x->thread, SIGUSR1);
    pthread_join(x->thread, NULL);
    pthread_sigmask(SIG_SETMASK, &x->before, NULL);
    x->watches = false;
}
