/* SPDX-License-Identifier: Apache-2.0
 * Events of the model in saved states (T96); see latch.h.  The bytes hold what the events have done, the topology, and
 * the state just before the last event.  From these the simulation is built as it was built then, and what follows has
 * the same bits.  Called by checkpoint.c, which has compared the models. */
#include "simulation/latch.h"
#include "simulation/sim.h"
#include <math.h>
#include <string.h>

enum { OF_EVENT = 18, OF_ALL = 7 };

static double *put(double *to, const double *from, int n)
{
    if (n > 0)
        memcpy(to, from, (size_t)n * sizeof *to);
    return to + n;
}

static const double *get(const double *from, double *to, int n)
{
    if (n > 0)
        memcpy(to, from, (size_t)n * sizeof *to);
    return from + n;
}

size_t clv_latches_numbers(const clv_model *m)
{
    return OF_ALL + OF_EVENT * (size_t)m->nevent + 17 * (size_t)m->njoint + 12 * (size_t)m->nevent +
           13 * (size_t)m->nbody + 3 * (size_t)m->ninput + 2 * (size_t)clv_latches_modes(m) + 4 * (size_t)m->nmotion;
}

size_t clv_latches_saved_size(const clv_sim *s)
{
    return s->latches ? clv_latches_numbers(s->latches->given) * sizeof(double) : 0;
}

static double *save_event(double *to, const clv_happening *h)
{
    const clv_event_result *r = &h->result;
    const double number[OF_EVENT] = {
        h->armed,         h->due,       h->found,     h->before,     h->quick,       r->happened,
        (double)r->count, r->time,      r->q,         r->impulse,    r->energy_lost, 0,
        r->linear[0],     r->linear[1], r->linear[2], r->angular[0], r->angular[1],  r->angular[2]};
    return put(to, number, OF_EVENT);
}

static const double *load_event(const double *from, clv_happening *h)
{
    const double *x = from;
    *h = (clv_happening){.armed = x[0] != 0,
                         .due = x[1] != 0,
                         .found = x[2],
                         .before = x[3],
                         .quick = (int)x[4],
                         .result = {.happened = x[5] != 0,
                                    .count = (long)x[6],
                                    .time = x[7],
                                    .q = x[8],
                                    .impulse = x[9],
                                    .energy_lost = x[10],
                                    .linear = {x[12], x[13], x[14]},
                                    .angular = {x[15], x[16], x[17]}}};
    return from + OF_EVENT;
}

/* all numbers of a topology and the state before its event */
static double *save_topology(double *to, const clv_topology *t, const clv_moment *x, const clv_model *m)
{
    for (int j = 0; j < m->njoint; j++) {
        const double flag[] = {t->held[j], t->holder[j], t->absent[j], x->fresh[j]};
        to = put(to, flag, 4);
    }
    to = put(put(put(to, t->frame, 12 * m->nevent), x->q, 7 * m->njoint), x->u, 6 * m->njoint);
    to = put(put(put(to, x->r, 3 * m->nbody), x->e, 4 * m->nbody), x->V, 6 * m->nbody);
    to = put(put(to, x->eta, clv_latches_modes(m)), x->etad, clv_latches_modes(m));
    to = put(put(to, x->servo, 4 * m->nmotion), x->ramp, 2 * m->ninput);
    return put(to, x->input, m->ninput);
}

static const double *load_topology(const double *from, clv_topology *t, clv_moment *x, const clv_model *m)
{
    for (int j = 0; j < m->njoint; j++, from += 4)
        t->held[j] = from[0], t->holder[j] = (int)from[1], t->absent[j] = from[2] != 0, x->fresh[j] = from[3] != 0;
    from = get(get(get(from, t->frame, 12 * m->nevent), x->q, 7 * m->njoint), x->u, 6 * m->njoint);
    from = get(get(get(from, x->r, 3 * m->nbody), x->e, 4 * m->nbody), x->V, 6 * m->nbody);
    from = get(get(from, x->eta, clv_latches_modes(m)), x->etad, clv_latches_modes(m));
    from = get(get(from, x->servo, 4 * m->nmotion), x->ramp, 2 * m->ninput);
    return get(from, x->input, m->ninput);
}

char *clv_latches_save(const clv_sim *s, char *to)
{
    const clv_latches *l = s->latches;
    if (!l)
        return to;
    double *x = l->scratch;
    const double all[OF_ALL] = {l->variant != NULL, l->pending,     l->stopped,  l->work_scale,
                                l->last.time,       l->last.energy, l->last.work};
    x = put(x, all, OF_ALL);
    for (int i = 0; i < l->given->nevent; i++)
        x = save_event(x, &l->of[i]);
    save_topology(x, &l->now, &l->last, l->given);
    const size_t bytes = clv_latches_saved_size(s);
    memcpy(to, l->scratch, bytes); /* which need not be aligned */
    return to + bytes;
}

/* Is the simulation the one of these bytes already? */
static bool is_same(const clv_sim *s, const double *from, const double *all)
{
    const clv_latches *l = s->latches;
    const size_t topology = clv_latches_numbers(l->given) - OF_ALL - OF_EVENT * (size_t)l->given->nevent;
    if ((l->variant != NULL) != (all[0] != 0))
        return false;
    if (!l->variant)
        return true;
    const double last[] = {l->work_scale, l->last.time, l->last.energy, l->last.work};
    double *now = l->scratch + clv_latches_numbers(l->given);
    save_topology(now, &l->now, &l->last, l->given);
    return memcmp(last, all + 3, sizeof last) == 0 && memcmp(now, from, topology * sizeof(double)) == 0;
}

/* The simulation as it was after that event. */
static clv_status restore(clv_sim *s, const double *from, const double *all)
{
    clv_latches *l = s->latches;
    if (all[0] == 0)
        return clv_variant_reset(s);
    l->here.time = all[4], l->here.energy = all[5], l->here.work = all[6];
    load_topology(from, &l->next, &l->here, l->given);
    const clv_status st = clv_variant_build(s, &l->next, &l->here);
    if (st != CLV_OK)
        return st;
    const clv_topology now = l->now;
    const clv_moment last = l->last;
    l->now = l->next, l->next = now;
    l->last = l->here, l->here = last;
    l->work_scale = s->scale[s->n - 1] = all[3];
    return CLV_OK;
}

clv_status clv_latches_load(clv_sim *s, const char *from)
{
    clv_latches *l = s->latches;
    if (!l)
        return CLV_OK;
    memcpy(l->scratch, from, clv_latches_saved_size(s));
    double all[OF_ALL];
    const double *x = get(l->scratch, all, OF_ALL), *topology = x + OF_EVENT * (size_t)l->given->nevent;
    for (int i = 0; i < l->given->nevent; i++)
        l->of[i].due = false;
    const clv_status st = is_same(s, topology, all) ? CLV_OK : restore(s, topology, all);
    if (st != CLV_OK)
        return st;
    for (int i = 0; i < l->given->nevent; i++)
        x = load_event(x, &l->of[i]);
    if (all[0] == 0)
        for (int j = 0; j < l->given->njoint; j++)
            l->now.held[j] = NAN, l->now.absent[j] = l->given->joint[j].absent;
    l->pending = all[1], l->stopped = (int)all[2];
    return CLV_OK;
}
