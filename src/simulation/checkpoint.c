/* SPDX-License-Identifier: Apache-2.0
 * Checkpoints of a simulation: all that the future depends on, as bytes of this machine.
 *
 *   head | events (latch_save.c) | integrator | output state (n) | closing impulses of the last re-gauge (nsigma) |
 *   turns of closing joints, now and at the output (2 x 6 nedge) | uniqueness at the start (njoint) |
 *   inputs (ninput) | where their efforts come from (2 ninput) | what they have added to motions (4 nmotion) |
 *   pairs of bodies in contact (4 nspacing) | places of bodies in contacts of many (crowd.h) | sum
 *
 * What follows from model and options alone is not stored: a simulation just created has it.  Whether it is the same is
 * shown by `print`, a hash of the whole model, plan, options, tolerance scales and start energy.  The sum at the end
 * shows whether the bytes are. */
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "base/error.h"
#include "base/hash.h"
#include "model/fingerprint.h"
#include "simulation/option_rows.h"
#include "simulation/latch.h"
#include "simulation/report_rows.h"
#include "simulation/sim.h"

enum { VERSION = 16 };

typedef struct head {
    char mark[8];
    uint64_t version, size, given, print; /* given: before any event */
    double rank, start_rank, base_nullity, out_time;
    double lands, stale, handed;    /* of jump.c                                                 */
    double until;                   /* s, the next event                                         */
    double account[CLV_REPORT_SAVED + 15]; /* see accounts below; counts are exact up to 9e15    */
    clv_step_counts counts;         /* of a rule inside the formulation                          */
    double passage[8], summed;      /* singular positions on the way                             */
    double moves;                   /* see still.c                                               */
} head;

/* of a model, formulation, integrator, options, and what is under control */
static uint64_t print_given(const clv_sim *s, const clv_model *m)
{
    const clv_sim_options *o = &s->options;
    clv_sim_options known = *o;
    known.atol = isnan(o->atol) ? o->rtol : o->atol;
    uint64_t h = clv_hash_text(clv_model_fingerprint(m), s->formulation->name);
    h = clv_hash_text(h, s->integrator.method->name);
    const clv_option_row *row;
    for (int i = 0; (row = clv_option_row_at(i)) != NULL; i++) {
        const double x = clv_option_number(&known, row);
        h = row->saved ? clv_hash(h, &x, sizeof x) : h;
    }
    for (int i = 0; s->controls.joint && i < s->model->njoint; i++)
        h = s->controls.joint[i].call ? clv_hash(h, &i, sizeof i) : h;
    for (int i = 0; s->controls.body && i < s->model->nbody; i++)
        h = s->controls.body[i].call ? clv_hash(h + 1, &i, sizeof i) : h;
    return h;
}

static uint64_t print_of(const clv_sim *s)
{
    const double number[] = {s->options.method == 2, s->n, s->plan->nsigma, s->model->njoint,
                             s->report.energy_initial};
    uint64_t h = print_given(s, s->model);
    h = clv_hash(h, &s->plan->hash, sizeof s->plan->hash);
    h = clv_hash(h, number, sizeof number);
    return clv_hash(h, s->scale, (size_t)s->n * sizeof(double));
}

/* the accounts of the report, to numbers or back */
static void accounts(clv_sim_report *r, double *number, bool back)
{
    const clv_report_row *row;
    for (int i = 0; (row = clv_report_row_at(i)) != NULL; i++) {
        if (row->saved && back)
            clv_report_set_number(r, row, *number++);
        else if (row->saved)
            *number++ = clv_report_number(r, row);
    }
    for (int i = 0; i < 3; i++, number += 5) {
        clv_stage_report *g = &r->stage[i];
        if (back)
            *g = (clv_stage_report){(long)number[0], (long)number[1], (int)number[2], (long)number[3], (long)number[4]};
        else
            number[0] = (double)g->runs, number[1] = (double)g->iterations, number[2] = g->most,
            number[3] = (double)g->limited, number[4] = (double)g->stalled;
    }
}

size_t clv_sim_saved_size(const clv_sim *s)
{
    if (!clv_sim_ready(s))
        return 0;
    size_t numbers = 2 * (size_t)s->n + (size_t)s->plan->nsigma + 12 * (size_t)s->plan->nedge +
                     3 * (size_t)s->model->ninput + 4 * (size_t)s->model->nmotion + 4 * (size_t)s->nspacing +
                     clv_crowd_numbers(s);
    if (s->integrator.method->sealed)
        return 0;
    return sizeof(head) + clv_latches_saved_size(s) + clv_integrator_saved_size(&s->integrator) +
           numbers * sizeof(double) +
           (size_t)s->model->njoint * sizeof(bool) + sizeof(uint64_t);
}

static char *put(char *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
    return to + bytes;
}

static const char *get(const char *from, void *to, size_t bytes)
{
    if (bytes > 0)
        memcpy(to, from, bytes); /* NOLINT(clang-analyzer-core.NonNullParamChecker): sizes were compared */
    return from + bytes;
}

void clv_sim_save(const clv_sim *s, void *bytes)
{
    size_t size = clv_sim_saved_size(s);
    if (size == 0 || !bytes)
        return;
    clv_sim_report report = s->report;
    head h;
    memset(&h, 0, sizeof h);
    memcpy(h.mark, "cleavesv", sizeof h.mark);
    h.version = VERSION, h.size = size;
    h.given = print_given(s, clv_sim_given(s)), h.print = print_of(s);
    h.rank = s->system.engine.rank, h.start_rank = report.rank;
    h.base_nullity = s->base_nullity, h.out_time = s->out_time;
    h.lands = s->lands, h.stale = s->stale, h.handed = s->handed;
    h.until = s->until;
    accounts(&report, h.account, false);
    h.counts = s->system.counts;
    const clv_passage *w = &s->passage;
    const double passage[] = {w->best, w->here, w->dropped, w->lowest, w->calm, w->tries, w->hurt, (double)w->rejected};
    memcpy(h.passage, passage, sizeof passage), h.summed = s->system.summed, h.moves = s->moves;
    char *p = clv_latches_save(s, put(bytes, &h, sizeof h));
    clv_integrator_save(&s->integrator, p);
    p += clv_integrator_saved_size(&s->integrator);
    p = put(p, s->out_y, (size_t)s->n * sizeof(double));
    p = put(p, s->limited, (size_t)s->n * sizeof(double));
    p = put(p, s->gauge, (size_t)s->plan->nsigma * sizeof(double));
    p = put(p, s->system.kin.turn, 6 * (size_t)s->plan->nedge * sizeof(double));
    p = put(p, s->out_turn, 6 * (size_t)s->plan->nedge * sizeof(double));
    p = put(p, s->redundant, (size_t)s->model->njoint * sizeof(bool));
    p = put(p, s->input, (size_t)s->model->ninput * sizeof(double));
    p = put(p, s->ramp, 2 * (size_t)s->model->ninput * sizeof(double));
    p = put(p, s->servo, 4 * (size_t)s->model->nmotion * sizeof(double));
    for (int i = 0; i < s->nspacing; i++)
        p = put(put(p, s->spacing[i].n, sizeof s->spacing[i].n), &s->spacing[i].gap, sizeof(double));
    p = clv_crowd_save(s, p);
    uint64_t sum = clv_hash(VERSION, bytes, size - sizeof sum);
    put(p, &sum, sizeof sum);
}

static clv_status refuse(clv_sim *s, const char *why)
{
    clv_fail(&s->error, CLV_ERR_USAGE, "the saved state cannot be loaded: %s", why);
    clv_error_hint(&s->error, "load it into a new simulation of the same model with the same options");
    return s->error.code;
}

static clv_status check(clv_sim *s, const head *h, const void *bytes, size_t size)
{
    uint64_t sum;
    if (size < sizeof *h + sizeof sum || memcmp(h->mark, "cleavesv", sizeof h->mark) != 0)
        return refuse(s, "these bytes are not a saved state");
    if (h->version != VERSION)
        return refuse(s, "it is of another version of cleave");
    if (h->size != size)
        return refuse(s, "it is incomplete");
    memcpy(&sum, (const char *)bytes + size - sizeof sum, sizeof sum);
    if (sum != clv_hash(VERSION, bytes, size - sizeof sum))
        return refuse(s, "its bytes are damaged");
    return CLV_OK;
}

/* Events change the size and the fingerprint of a simulation: they are taken over first. */
static clv_status take_events(clv_sim *s, const head *h, const void *bytes, size_t size)
{
    if (s->latches && (h->given != print_given(s, clv_sim_given(s)) || size < sizeof *h + clv_latches_saved_size(s)))
        return refuse(s, "it is of another model, of other options, or of other joints and bodies under control");
    const clv_status st = clv_latches_load(s, (const char *)bytes + sizeof *h);
    if (st != CLV_OK)
        return st;
    if (size != clv_sim_saved_size(s))
        return refuse(s, "it is of another model, formulation or integrator");
    if (h->print != print_of(s))
        return refuse(s, "it is of another model, of other options, or of other joints and bodies under control");
    return CLV_OK;
}

static clv_status load(clv_sim *s, const void *bytes, size_t size)
{
    head h = {.size = 0};
    if (s->integrator.method->sealed) {
        clv_fail(&s->error, CLV_ERR_UNSUPPORTED,
                 "integrator '%s' keeps a history that cannot be saved: its runs cannot be saved and loaded",
                 s->integrator.method->name);
        clv_error_hint(&s->error, "all other integrators allow it");
        return s->error.code;
    }
    size = bytes ? size : 0;
    if (size > 0)
        memcpy(&h, bytes, size < sizeof h ? size : sizeof h);
    clv_status st = check(s, &h, bytes, size);
    if (st == CLV_OK)
        st = take_events(s, &h, bytes, size);
    if (st != CLV_OK)
        return st;
    accounts(&s->report, h.account, true);
    s->system.counts = h.counts;
    s->passage = (clv_passage){h.passage[0],      h.passage[1],      (int)h.passage[2], h.passage[3],
                               (int)h.passage[4], (int)h.passage[5], (int)h.passage[6], (long)h.passage[7]};
    s->system.summed = h.summed != 0, s->moves = h.moves != 0;
    s->report.rank = h.start_rank, s->system.engine.rank = h.rank;
    s->base_nullity = (int)h.base_nullity, s->out_time = h.out_time;
    s->system.repeated = s->base_nullity > 0;
    s->lands = h.lands != 0, s->stale = h.stale != 0, s->handed = h.handed;
    const char *p = (const char *)bytes + sizeof h + clv_latches_saved_size(s);
    clv_integrator_load(&s->integrator, p);
    p += clv_integrator_saved_size(&s->integrator);
    p = get(p, s->out_y, (size_t)s->n * sizeof(double));
    p = get(p, s->limited, (size_t)s->n * sizeof(double));
    p = get(p, s->gauge, (size_t)s->plan->nsigma * sizeof(double));
    p = get(p, s->system.kin.turn, 6 * (size_t)s->plan->nedge * sizeof(double));
    p = get(p, s->out_turn, 6 * (size_t)s->plan->nedge * sizeof(double));
    p = get(p, s->redundant, (size_t)s->model->njoint * sizeof(bool));
    p = get(p, s->input, (size_t)s->model->ninput * sizeof(double));
    p = get(p, s->ramp, 2 * (size_t)s->model->ninput * sizeof(double));
    p = get(p, s->servo, 4 * (size_t)s->model->nmotion * sizeof(double));
    for (int i = 0; i < s->nspacing; i++)
        p = get(get(p, s->spacing[i].n, sizeof s->spacing[i].n), &s->spacing[i].gap, sizeof(double));
    clv_crowd_load(s, p);
    clv_sim_resume_events(s, h.until); /* inputs arrive at what they are set to */
    return clv_sim_show(s);
}

clv_status clv_sim_load(clv_sim *s, const void *bytes, size_t size)
{
    clv_status st = clv_sim_enter(s, __func__);
    return st == CLV_OK ? clv_sim_leave(s, load(s, bytes, size)) : st;
}
