/* SPDX-License-Identifier: Apache-2.0
 * Records the tasks of an evaluation (T55): a team with a runner of its own does the pieces one after the other and
 * looks at the clock between them. */
#include "simulation/span.h"
#include <math.h>
#include <string.h>
#include "base/error.h"
#include "base/handover.h"
#include "base/memory.h"
#include "simulation/sim.h"

enum { SAMPLES = CLV_RECORD_SAMPLES, TRIES = 4 * SAMPLES, CLOCKS = 101, ROUND = 10 };
static const double PATIENCE = 1; /* s: so long one thread and a team take turns */

typedef struct recorder {
    clv_record record;    /* of the first sample                          */
    int calls;            /* it has room for                              */
    bool learns;          /* the first sample: the record grows           */
    bool full;            /* there was no memory                          */
    int ncall, npiece;    /* of the present sample so far                 */
    bool differs;         /* its calls are not those of the first one     */
    double *serial;       /* (SAMPLES x (ncall + 1)), (SAMPLES x npiece): */
    double *seconds;
    int sample;
    double clock;         /* s that a look at the clock takes */
    double last;          /* when the last piece ended        */
} recorder;

bool clv_sim_records_step(const clv_sim *s) { return s->formulation->rule != NULL; }

static clv_status once(clv_sim *s)
{
    if (clv_sim_records_step(s))
        return clv_integrator_step(&s->integrator);
    s->seen_t = NAN;
    s->system.rows.posed = -1;
    s->system.lean = true;
    const clv_status st = clv_system_rates(&s->system, s->formulation, s->integrator.t, s->integrator.y, s->ydot);
    s->system.lean = false;
    return st;
}

/* ---------------------------------------------------------------- the runner */

/* the first sample: how many pieces each call has */
static void learn(recorder *r, int n)
{
    clv_record *k = &r->record;
    if (k->ncall + 2 > r->calls) {
        int *more = clv_resize(k->first, 2 * (size_t)k->ncall + 64, sizeof *more);
        if (!more) {
            r->full = true;
            return;
        }
        k->first = more, r->calls = 2 * k->ncall + 64;
    }
    k->first[0] = 0;
    k->first[k->ncall + 1] = k->first[k->ncall] + n;
    k->ncall++;
}

static bool expected(const recorder *r, int n)
{
    const clv_record *k = &r->record;
    return r->ncall < k->ncall && k->first[r->ncall + 1] - k->first[r->ncall] == n;
}

static void run(void *context, int n, void (*task)(void *of, int i), void *of)
{
    recorder *r = context;
    const clv_record *k = &r->record;
    double began = clv_seconds();
    if (r->learns)
        learn(r, n);
    else
        r->differs |= !expected(r, n);
    const bool keeps = !r->learns && !r->differs;
    if (keeps)
        r->serial[r->sample * (k->ncall + 1) + r->ncall] = fmax(0, began - r->last - r->clock);
    for (int i = 0; i < n; i++) {
        task(of, i);
        const double ended = clv_seconds();
        if (keeps)
            r->seconds[r->sample * k->first[k->ncall] + r->npiece + i] = fmax(0, ended - began - r->clock);
        began = ended;
    }
    r->ncall++, r->npiece += n;
    r->last = clv_seconds();
}

/* ---------------------------------------------------------------- samples */

static double clock_cost(void)
{
    double sample[CLOCKS];
    for (int i = 0; i < CLOCKS; i++) {
        const double began = clv_seconds();
        sample[i] = clv_seconds() - began;
    }
    return clv_median(sample, CLOCKS);
}

/* one more sample, which counts if its calls are those of the first one: steps may differ */
static clv_status sample(clv_sim *s, recorder *r)
{
    const clv_record *k = &r->record;
    r->ncall = r->npiece = 0, r->differs = false;
    r->last = clv_seconds();
    const clv_status st = once(s);
    const double ended = clv_seconds();
    if (st != CLV_OK || r->differs || r->ncall != k->ncall)
        return st;
    r->serial[r->sample * (k->ncall + 1) + k->ncall] = fmax(0, ended - r->last - r->clock);
    r->sample++;
    return CLV_OK;
}

/* medians over samples of each of n numbers */
static void medians(double *to, const double *of, int samples, int n)
{
    double x[SAMPLES];
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < samples; k++)
            x[k] = of[(size_t)k * (size_t)n + (size_t)i];
        to[i] = clv_median(x, samples);
    }
}

static clv_status no_memory(clv_sim *s) { return clv_fail(&s->error, CLV_ERR_MEMORY, "no memory for a record"); }

static clv_status open_samples(clv_sim *s, recorder *r)
{
    clv_record *k = &r->record;
    if (k->ncall == 0) /* nothing is shared out */
        learn(r, 0), k->ncall = 0;
    const size_t calls = (size_t)k->ncall + 1, pieces = k->first ? (size_t)k->first[k->ncall] + 1 : 1;
    k->serial = clv_alloc(calls, sizeof(double)), k->seconds = clv_alloc(pieces, sizeof(double));
    r->serial = clv_alloc(SAMPLES * calls, sizeof(double)), r->seconds = clv_alloc(SAMPLES * pieces, sizeof(double));
    return r->full || !k->serial || !k->seconds || !r->serial || !r->seconds ? no_memory(s) : CLV_OK;
}

static clv_status record(clv_sim *s, recorder *r)
{
    clv_record *k = &r->record;
    clv_status st = once(s); /* memory is touched first here */
    r->learns = true, r->clock = clock_cost();
    if (st == CLV_OK)
        st = once(s);
    r->learns = false;
    if (st == CLV_OK)
        st = open_samples(s, r);
    for (int i = 0; i < TRIES && r->sample < SAMPLES && st == CLV_OK; i++)
        st = sample(s, r);
    if (st == CLV_OK && r->sample == 0)
        return clv_fail(&s->error, CLV_ERR_UNSUPPORTED, "no two of %d steps have the same calls", TRIES);
    if (st == CLV_OK) {
        medians(k->serial, r->serial, r->sample, k->ncall + 1);
        medians(k->seconds, r->seconds, r->sample, k->first[k->ncall]);
    }
    return st;
}

clv_status clv_sim_record(clv_sim *s, int share, clv_record *to)
{
    *to = (clv_record){0};
    clv_status st = clv_sim_enter(s, __func__);
    if (st != CLV_OK)
        return st;
    recorder r = {0};
    clv_team *team = clv_team_of(2, &r, run);
    clv_sim_join_team(s, team, share);
    st = team ? record(s, &r) : no_memory(s);
    clv_sim_join_team(s, NULL, 0);
    clv_team_destroy(team);
    clv_free(r.serial), clv_free(r.seconds);
    if (st == CLV_OK)
        *to = r.record;
    else
        clv_record_close(&r.record);
    return clv_sim_leave(s, st);
}

void clv_record_close(clv_record *r)
{
    clv_free(r->first), clv_free(r->serial), clv_free(r->seconds);
    *r = (clv_record){0};
}

/* ---------------------------------------------------------------- as tasks; two threads */

bool clv_record_tasks(const clv_record *r, clv_task_list *l)
{
    const int pieces = r->first[r->ncall];
    if (!clv_tasks_open(l, pieces + r->ncall + 1, 2 * pieces + r->ncall))
        return false;
    int serial = clv_tasks_add(l, r->serial[0], 0);
    for (int c = 0; c < r->ncall; c++) {
        const int first = l->ntask;
        for (int i = r->first[c]; i < r->first[c + 1]; i++)
            clv_tasks_add(l, r->seconds[i], -1), clv_tasks_after(l, serial);
        const int end = l->ntask;
        serial = clv_tasks_add(l, r->serial[c + 1], 0);
        for (int i = first; i < end; i++)
            clv_tasks_after(l, i);
    }
    return true;
}

clv_status clv_sim_compare_team(clv_sim *s, clv_team *team, int share, double least[2])
{
    clv_status st = clv_sim_enter(s, __func__);
    if (st != CLV_OK)
        return st;
    const double end = clv_seconds() + PATIENCE;
    least[0] = least[1] = INFINITY;
    for (int i = 0; st == CLV_OK && (i < SAMPLES / ROUND || clv_seconds() < end); i++)
        for (int k = 0; k < 2; k++) {
            clv_sim_join_team(s, k ? team : NULL, share);
            for (int r = 0; r < ROUND && st == CLV_OK; r++) { /* without a break, in which a worker would fall asleep */
                const double began = clv_seconds();
                st = once(s);
                least[k] = fmin(least[k], clv_seconds() - began);
            }
        }
    clv_sim_join_team(s, NULL, 0);
    return clv_sim_leave(s, st);
}
