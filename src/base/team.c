/* SPDX-License-Identifier: Apache-2.0
 * A team of threads; see team.h.
 *
 * Every thread has a share of the pieces, a run from `next` to `end` in one number, which it takes piece by piece.
 * Whose share is empty takes from the others.  A piece that was taken belongs to the present call, since a call ends
 * only when all its pieces are done.  So a worker that is late finds empty shares, or works on the next call. */
#include "base/team.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/memory.h"

enum {
    LINE = 64,               /* bytes that two threads do not share           */
    PAUSES = 64,             /* between two looks at the clock                */
    SPIN = 100000,           /* ns: so long a worker spins before it sleeps   */
    PATIENCE = 2000          /* pauses of the caller before it lets others run */
};

typedef struct share {
    _Alignas(LINE) _Atomic uint64_t left; /* next piece, and behind the last one in the upper half */
} share;

typedef struct member {
    clv_team *team;
    int number;
    pthread_t thread;
} member;

struct clv_team {
    clv_arena memory;        /* in which it lies */
    int size;
    bool crowded;            /* more threads than cores: who waits lets others run */
    void *context;           /* of a runner of the caller */
    void (*run)(void *context, int n, void (*task)(void *of, int i), void *of);
    atomic_flag used;
    clv_team_work *work;     /* of the present call */
    void *of;
    _Alignas(LINE) atomic_uint call;
    _Alignas(LINE) atomic_int undone, asleep;
    atomic_bool over;
    pthread_mutex_t mutex, alone;
    pthread_cond_t wake;
    int started;
    share *share;            /* (size) */
    member *member;          /* (size) the first one is the caller */
};

static void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    atomic_signal_fence(memory_order_seq_cst);
#endif
}

static int64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* the next piece of a share, or -1 */
static int take(share *s)
{
    uint64_t left = atomic_load_explicit(&s->left, memory_order_acquire);
    for (;;) {
        const uint32_t next = (uint32_t)left, end = (uint32_t)(left >> 32);
        if (next >= end)
            return -1;
        if (atomic_compare_exchange_weak_explicit(&s->left, &left, left + 1, memory_order_acq_rel,
                                                  memory_order_acquire))
            return (int)next;
    }
}

/* pieces of the own share, then of the others */
static void take_part(clv_team *t, int number)
{
    for (int k = 0; k < t->size; k++) {
        share *s = &t->share[(number + k) % t->size];
        int done = 0;
        for (int piece; (piece = take(s)) >= 0; done++)
            t->work(t->of, piece);
        if (done > 0)
            atomic_fetch_sub_explicit(&t->undone, done, memory_order_acq_rel);
    }
}

static void sleep_until_call(clv_team *t, unsigned seen)
{
    pthread_mutex_lock(&t->mutex);
    atomic_fetch_add(&t->asleep, 1);
    while (atomic_load(&t->call) == seen && !atomic_load(&t->over))
        pthread_cond_wait(&t->wake, &t->mutex);
    atomic_fetch_sub(&t->asleep, 1);
    pthread_mutex_unlock(&t->mutex);
}

/* until the call after `seen`, or the end */
static void await_call(clv_team *t, unsigned seen)
{
    const int64_t began = clock_ns();
    for (int i = 1; atomic_load_explicit(&t->call, memory_order_acquire) == seen; i++) {
        if (t->crowded)
            sched_yield();
        else
            pause_briefly();
        if (i % PAUSES == 0 && clock_ns() - began > SPIN) {
            sleep_until_call(t, seen);
            return;
        }
    }
}

static void *serve(void *of)
{
    const member *m = of;
    clv_team *t = m->team;
    for (unsigned seen = 0;; seen++) {
        await_call(t, seen);
        if (atomic_load(&t->over))
            return NULL;
        seen = atomic_load_explicit(&t->call, memory_order_acquire) - 1;
        take_part(t, m->number);
    }
}

static bool start(clv_team *t)
{
    for (int i = 1; i < t->size; i++) {
        t->member[i] = (member){.team = t, .number = i};
        if (pthread_create(&t->member[i].thread, NULL, serve, &t->member[i]) != 0)
            return false;
        t->started = i;
    }
    return true;
}

int clv_team_cores(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (int)cores : 1;
}

static void layout(clv_team **t, share **s, member **m, int threads, clv_arena *a)
{
    CLV_TAKE(a, *t, 1), CLV_TAKE(a, *s, threads), CLV_TAKE(a, *m, threads);
}

static clv_team *create(int threads)
{
    clv_arena a = {0};
    clv_team *t;
    share *s;
    member *m;
    layout(&t, &s, &m, threads, &a);
    if (!clv_arena_open(&a))
        return NULL;
    layout(&t, &s, &m, threads, &a);
    t->memory = a, t->size = threads, t->share = s, t->member = m;
    t->crowded = threads > clv_team_cores();
    atomic_init(&t->call, 0), atomic_init(&t->undone, 0), atomic_init(&t->asleep, 0), atomic_init(&t->over, false);
    for (int i = 0; i < threads; i++)
        atomic_init(&s[i].left, 0);
    atomic_flag_clear(&t->used);
    pthread_mutex_init(&t->mutex, NULL), pthread_mutex_init(&t->alone, NULL), pthread_cond_init(&t->wake, NULL);
    return t;
}

clv_team *clv_team_create(int threads)
{
    clv_team *t = create(threads);
    if (!t || start(t))
        return t;
    clv_team_destroy(t);
    return NULL;
}

clv_team *clv_team_of(int threads, void *context,
                      void (*run)(void *context, int n, void (*task)(void *of, int i), void *of))
{
    clv_team *t = create(threads);
    if (t)
        t->context = context, t->run = run;
    return t;
}

void clv_team_destroy(clv_team *t)
{
    if (!t)
        return;
    pthread_mutex_lock(&t->mutex);
    atomic_store(&t->over, true);
    atomic_fetch_add(&t->call, 1);
    pthread_cond_broadcast(&t->wake);
    pthread_mutex_unlock(&t->mutex);
    for (int i = 1; i <= t->started; i++)
        pthread_join(t->member[i].thread, NULL);
    pthread_mutex_destroy(&t->mutex), pthread_mutex_destroy(&t->alone), pthread_cond_destroy(&t->wake);
    clv_arena a = t->memory;
    clv_arena_close(&a);
}

int clv_team_size(const clv_team *t) { return t ? t->size : 1; }

/* pieces 0 .. n - 1, shared out in runs */
static void announce(clv_team *t, int n)
{
    for (int i = 0; i < t->size; i++) {
        const uint64_t from = (uint64_t)n * (uint64_t)i / (uint64_t)t->size,
                       to = (uint64_t)n * (uint64_t)(i + 1) / (uint64_t)t->size;
        atomic_store_explicit(&t->share[i].left, to << 32 | from, memory_order_release);
    }
    atomic_fetch_add(&t->call, 1);
    if (atomic_load(&t->asleep) == 0)
        return;
    pthread_mutex_lock(&t->mutex);
    pthread_cond_broadcast(&t->wake);
    pthread_mutex_unlock(&t->mutex);
}

static void share_out(clv_team *t, int n, clv_team_work *work, void *of)
{
    t->work = work, t->of = of;
    atomic_store_explicit(&t->undone, n, memory_order_relaxed);
    announce(t, n);
    take_part(t, 0);
    for (int i = 1; atomic_load_explicit(&t->undone, memory_order_acquire) > 0; i++)
        if (i < PATIENCE && !t->crowded)
            pause_briefly();
        else
            sched_yield();
}

void clv_team_run(clv_team *t, int n, clv_team_work *work, void *of)
{
    if (!t || t->size == 1 || n <= 1 || atomic_flag_test_and_set_explicit(&t->used, memory_order_acquire)) {
        for (int i = 0; i < n; i++)
            work(of, i);
        return;
    }
    if (t->run)
        t->run(t->context, n, work, of);
    else
        share_out(t, n, work, of);
    atomic_flag_clear_explicit(&t->used, memory_order_release);
}

void clv_team_alone(clv_team *t, int piece, clv_team_work *work, void *of)
{
    if (t)
        pthread_mutex_lock(&t->alone);
    work(of, piece);
    if (t)
        pthread_mutex_unlock(&t->alone);
}

typedef struct runs {
    clv_team_work *work;
    void *of;
    int n, run;
} runs;

static void do_run(void *of, int piece)
{
    const runs *r = of;
    const int end = r->n - piece * r->run < r->run ? r->n : (piece + 1) * r->run;
    for (int i = piece * r->run; i < end; i++)
        r->work(r->of, i);
}

void clv_team_run_each(clv_team *t, int n, int run, clv_team_work *work, void *of)
{
    for (int i = 0; i < n && n <= run; i++) /* nothing to share out */
        work(of, i);
    if (n > run)
        clv_team_run(t, n / run + (n % run > 0), do_run, &(runs){work, of, n, run});
}

enum { NUMBERS = 4096 }; /* of a piece of a copy */
typedef struct copying {
    double *to;
    const double *from; /* or NULL: zeros */
    size_t n;
} copying;

static void copy_piece(void *of, int piece)
{
    const copying *c = of;
    const size_t at = (size_t)piece * NUMBERS, n = c->n - at < NUMBERS ? c->n - at : NUMBERS;
    if (c->from)
        memcpy(c->to + at, c->from + at, n * sizeof(double));
    else
        memset(c->to + at, 0, n * sizeof(double));
}

void clv_team_copy(clv_team *t, double *to, const double *from, size_t n)
{
    copying c = {to, from, n};
    if (n > 0 && n <= NUMBERS) /* nothing to share out */
        copy_piece(&c, 0);
    else
        clv_team_run(t, (int)((n + NUMBERS - 1) / NUMBERS), copy_piece, &c);
}
