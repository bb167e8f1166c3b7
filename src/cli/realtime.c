/* SPDX-License-Identifier: Apache-2.0
 * The thread of steps in real time, and the ring; see realtime.h. */
#include "cli/realtime.h"
#include "base/memory.h"
#include <math.h>
#include <string.h>
#include <sys/mman.h>

/* ---------------------------------------------------------------- the clock */

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Until a time of the monotonic clock, in s since the epoch `began`. */
static void sleep_until(const struct timespec *began, double since)
{
    const double whole = floor(since);
    struct timespec t = {.tv_sec = began->tv_sec + (time_t)whole,
                         .tv_nsec = began->tv_nsec + (long)((since - whole) * 1e9)};
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) != 0)
        ; /* a signal */
}

static double since(const struct timespec *began)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)(t.tv_sec - began->tv_sec) + 1e-9 * (double)(t.tv_nsec - began->tv_nsec);
}

/* ---------------------------------------------------------------- steps */

/* States that the last step has reached; *i: number of the next one.  Interpolates only. */
static clv_status post(clv_realtime *r, double reached, double *i)
{
    clv_status status = CLV_OK;
    for (;;) {
        const double grid = *i * r->every, to = grid > r->end - 1e-9 * r->every ? r->end : grid;
        if (status != CLV_OK || to > reached || (*i - 1) * r->every > r->end - 1e-9 * r->every)
            return status;
        ++*i;
        const long n = atomic_load_explicit(&r->posted, memory_order_relaxed);
        if (n - atomic_load_explicit(&r->taken, memory_order_acquire) == CLV_REALTIME_RING) {
            r->dropped++;
            continue;
        }
        status = clv_sim_advance_state(r->sim, to, r->ring + (size_t)(n % CLV_REALTIME_RING) * r->size);
        r->time[n % CLV_REALTIME_RING] = to;
        if (status == CLV_OK)
            atomic_store_explicit(&r->posted, n + 1, memory_order_release);
    }
}

void clv_realtime_steps(clv_realtime *r)
{
    struct timespec began;
    clv_sim_report report;
    double state = 1, before = 0; /* number of the next one; s, end of the last step */
    clv_status status = CLV_OK;
    clv_sim_summary(r->sim, &report);
    clock_gettime(CLOCK_MONOTONIC, &began);
    for (long k = 0; status == CLV_OK && report.time < r->end && !atomic_load_explicit(&r->stop, memory_order_relaxed);
         ++k) {
        const double due = (double)k * r->period;
        sleep_until(&began, due);
        const double woke = since(&began), cpu = seconds(CLOCK_THREAD_CPUTIME_ID);
        status = clv_sim_step(r->sim, r->end);
        clv_sim_summary(r->sim, &report);
        if (status == CLV_OK)
            status = post(r, report.time, &state);
        const double done = since(&began);
        clv_timing_add(&r->step, done - woke);
        clv_timing_add(&r->cpu, seconds(CLOCK_THREAD_CPUTIME_ID) - cpu);
        if (due >= before) /* else there was nothing to wait for */
            clv_timing_add(&r->clock, woke - due);
        r->missed += done > due + r->period;
        r->behind = fmax(r->behind, done - due - r->period);
        r->steps++, before = done;
    }
    r->status = status;
    atomic_store_explicit(&r->over, true, memory_order_release);
}

static void *work(void *of)
{
    clv_realtime_steps(of);
    return NULL;
}

/* ---------------------------------------------------------------- the handle */

clv_realtime *clv_realtime_create(clv_sim *sim, double end, double every)
{
    clv_sim_report report;
    clv_realtime *r = clv_alloc(1, sizeof *r);
    if (!r)
        return NULL;
    clv_sim_summary(sim, &report);
    r->sim = sim, r->period = report.step, r->end = end, r->every = every;
    r->size = clv_sim_state_size(sim);
    r->ring = clv_alloc(CLV_REALTIME_RING * r->size, sizeof *r->ring);
    atomic_init(&r->posted, 0), atomic_init(&r->taken, 0), atomic_init(&r->over, false), atomic_init(&r->stop, false);
    if (!r->ring) {
        clv_free(r);
        return NULL;
    }
    memset(r->ring, 0xff, CLV_REALTIME_RING * r->size * sizeof *r->ring); /* so that its pages are there */
    return r;
}

clv_status clv_realtime_start(clv_realtime *r)
{
    r->locked = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
    return pthread_create(&r->thread, NULL, work, r) == 0 ? CLV_OK : CLV_ERR_MEMORY;
}

const double *clv_realtime_state(clv_realtime *r, double *time, bool *over)
{
    *over = atomic_load_explicit(&r->over, memory_order_acquire);
    const long n = atomic_load_explicit(&r->taken, memory_order_relaxed);
    if (n == atomic_load_explicit(&r->posted, memory_order_acquire))
        return NULL;
    *over = false;
    *time = r->time[n % CLV_REALTIME_RING];
    return r->ring + (size_t)(n % CLV_REALTIME_RING) * r->size;
}

void clv_realtime_next(clv_realtime *r) { atomic_fetch_add_explicit(&r->taken, 1, memory_order_release); }

clv_status clv_realtime_join(clv_realtime *r)
{
    pthread_join(r->thread, NULL);
    if (r->locked)
        munlockall();
    return r->status;
}

void clv_realtime_destroy(clv_realtime *r)
{
    if (!r)
        return;
    clv_free(r->ring);
    clv_free(r);
}
