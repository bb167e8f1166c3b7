/* SPDX-License-Identifier: Apache-2.0
 * Saved states of a divided mechanism (T81): what is the same for all who share it, and the states of each body.
 * They are taken where a step has ended, so nothing of the past is needed but the size of the next step.  Rates that
 * the integrator holds are evaluated again, with the same bits. */
#include <string.h>
#include "base/error.h"
#include "simulation/divided.h"
#include "simulation/sim.h"

enum { VERSION = 3 };

void clv_divided_save(const clv_sim *s, uint64_t print, clv_divided_head *h, double *states, double *work)
{
    const clv_plan *p = s->plan;
    const clv_integrator *i = &s->integrator;
    memset(h, 0, sizeof *h); /* padding too */
    memcpy(h->mark, "cleavert", sizeof h->mark);
    h->version = VERSION, h->print = print, h->t = i->t, h->until = s->until;
    h->steps = i->stats.steps, h->rejected = i->stats.rejected, h->evaluations = i->stats.evaluations;
    h->last_step = i->stats.last_step, h->next_step = i->stats.next_step, h->order = i->stats.order;
    h->fresh = i->fresh;
    memcpy(h->method, i->state, i->method->state_size);
    h->own_evaluations = s->report.rate_evaluations;
    h->account[0] = s->report.energy_initial, h->account[1] = s->report.energy, h->account[2] = s->report.energy_moved;
    h->account[3] = s->report.max_energy_drift, h->account[4] = s->potential_initial;
    h->account[5] = s->report.time;
    for (int b = 0; b < p->nbody; b++) {
        const clv_tree_joint *t = &p->tree[b];
        double *to = states + CLV_DIVIDED_STATE * (size_t)b;
        memset(to, 0, CLV_DIVIDED_STATE * sizeof *to);
        if (t->iq < 0)
            continue;
        memcpy(to, i->y + t->iq, (size_t)t->nq * sizeof *to);
        memcpy(to + 7, i->y + p->nq + t->iu, (size_t)t->nu * sizeof *to);
    }
    *work = i->y[s->n - 1];
}

bool clv_divided_fits(const clv_sim *s, const clv_divided_head *h, uint64_t print)
{
    return memcmp(h->mark, "cleavert", sizeof h->mark) == 0 && h->version == VERSION && h->print == print &&
           s->integrator.method->state_size <= sizeof h->method;
}

clv_status clv_divided_load(clv_sim *s, const clv_divided_head *h, const double *states, double work)
{
    const clv_plan *p = s->plan;
    clv_integrator *i = &s->integrator;
    double *y = i->y;
    for (int b = 0; b < p->nbody; b++) {
        const clv_tree_joint *t = &p->tree[b];
        const double *from = states + CLV_DIVIDED_STATE * (size_t)b;
        if (t->iq < 0)
            continue;
        memcpy(y + t->iq, from, (size_t)t->nq * sizeof *y);
        memcpy(y + p->nq + t->iu, from + 7, (size_t)t->nu * sizeof *y);
    }
    y[s->n - 1] = work;
    i->t = i->t_old = s->out_time = h->t;
    memcpy(i->y_old, y, (size_t)s->n * sizeof *y);
    s->seen_t = NAN;
    clv_sim_resume_events(s, h->until);
    clv_status st = h->fresh ? clv_integrator_evaluate(i, i->t, i->y, i->f) : CLV_OK;
    if (st != CLV_OK)
        return st;
    i->fresh = h->fresh;
    i->stats = (clv_integrator_stats){.steps = (long)h->steps, .rejected = (long)h->rejected,
                                      .evaluations = (long)h->evaluations, .last_step = h->last_step,
                                      .next_step = h->next_step, .order = h->order};
    memcpy(i->state, h->method, i->method->state_size);
    s->report.rate_evaluations = (long)h->own_evaluations;
    s->report.energy_initial = h->account[0], s->report.energy = h->account[1], s->report.energy_moved = h->account[2];
    s->report.max_energy_drift = h->account[3], s->potential_initial = h->account[4];
    s->report.time = h->account[5];
    memcpy(s->out_y, y, (size_t)s->n * sizeof *y);
    return clv_sim_show(s);
}
