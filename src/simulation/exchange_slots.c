/* SPDX-License-Identifier: Apache-2.0
 * States of model exchange where events change the mechanism (T139); see exchange.h.  An importer has a constant number
 * of states.  They are those of all mechanisms that events can make: each joint, body or mode that has a state in one
 * of them has one here.  In the present mechanism some are idle: their rates are zero. */
#include "base/error.h"
#include "base/memory.h"
#include "simulation/exchange_slots.h"
#include "simulation/latch.h"
#include "simulation/sim.h"
#include <math.h>
#include <string.h>

enum { MOST = 256 }; /* mechanisms */

/* ------------------------------------------------------------------ states of a plan */

/* Coordinates and rates of a body's tree joint. */
static void describe_joint(const clv_plan *p, int b, clv_exchange_state *to)
{
    const clv_tree_joint *t = &p->tree[b];
    const clv_exchange_state x = {.joint = t->joint, .body = b, .kind = t->joint >= 0 ? t->kind : CLV_JOINT_FREE};
    for (int k = 0; k < t->nq && t->iq >= 0; k++)
        to[t->iq + k] = x, to[t->iq + k].index = k;
    for (int k = 0; k < t->f && t->iu >= 0; k++)
        to[p->nq + t->iu + k] = x, to[p->nq + t->iu + k].index = k;
}

static void describe_modes(const clv_plan *p, const clv_star *x, clv_exchange_state *to)
{
    for (int k = 0; k < x->nmode; k++)
        to[x->iq + k] = to[p->nq + x->iu + k] =
            (clv_exchange_state){.joint = -1, .body = x->frame, .index = k, .mode = true};
}

int clv_exchange_describe_plan(const clv_sim *s, const clv_plan *p, clv_exchange_state *to)
{
    const int n = p->nq + p->nu + 1;
    for (int i = 0; i < n; i++)
        to[i] = (clv_exchange_state){.joint = -1, .body = -1};
    for (int b = 0; b < p->nbody; b++)
        if (p->tree[b].link < 0)
            describe_joint(p, b, to);
    for (int k = 0; k < p->nstar; k++)
        describe_modes(p, &p->star[k], to);
    for (int i = 0; i < n; i++) {
        to[i].rate = i >= p->nq && i < n - 1;
        to[i].momentum = to[i].rate && s->formulation->state == CLV_STATE_MOMENTA;
        to[i].nominal = 1;
    }
    return n;
}

/* ------------------------------------------------------------------ slots */

/* Is it the same coordinate or rate?  That of a joint is the same whichever of its bodies the tree reaches first. */
static bool is_same(const clv_exchange_state *a, const clv_exchange_state *b)
{
    return a->joint == b->joint && (a->joint >= 0 || a->body == b->body) && a->index == b->index &&
           a->mode == b->mode && a->rate == b->rate;
}

static int find(const clv_slots *x, const clv_exchange_state *state)
{
    int k = 0;
    while (k < x->n && !is_same(&x->state[k], state))
        k++;
    return k < x->n ? k : -1;
}

/* What the states of a plan add. */
static clv_status add(clv_sim *s, const clv_plan *p)
{
    clv_slots *x = s->slots;
    const size_t n = (size_t)p->nq + (size_t)p->nu + 1;
    clv_exchange_state *state = clv_alloc(n, sizeof *state);
    clv_exchange_state *more = state ? clv_resize(x->state, (size_t)x->n + n, sizeof *more) : NULL;
    x->state = more ? more : x->state;
    if (more) {
        clv_exchange_describe_plan(s, p, state);
        for (size_t i = 0; i < n; i++)
            if (find(x, &state[i]) < 0)
                x->state[x->n++] = state[i];
    }
    clv_free(state);
    return more ? CLV_OK : clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory for the states of model exchange");
}

clv_status clv_slots_turn(clv_sim *s)
{
    clv_slots *x = s->slots;
    if (!x || !x->at)
        return CLV_OK;
    for (int k = 0; k < x->n; k++)
        x->at[k] = -1;
    clv_exchange_describe_plan(s, s->plan, x->now);
    for (int i = 0; i < s->plan->nq + s->plan->nu + 1; i++) {
        const int k = find(x, &x->now[i]);
        if (k < 0)
            return clv_fail(&s->error, CLV_ERR_UNSUPPORTED, "model exchange has no state for one after an event");
        x->at[k] = i;
    }
    return CLV_OK;
}

/* A coordinate that the present mechanism does not have as a state: where its joint is held, or 0. */
static double idle(const clv_sim *s, const clv_exchange_state *x)
{
    const clv_joint_row *row = &clv_joint_table[x->kind];
    if (x->rate || x->mode || x->body < 0)
        return 0;
    if (x->joint >= 0 && !isnan(s->latches->now.held[x->joint]))
        return s->latches->now.held[x->joint];
    return row->nq > row->nu && x->index == row->nq - 4 ? 1 : 0; /* a quaternion begins with its cosine */
}

void clv_slots_gather(const clv_sim *s, const double *y, bool rates, double *to)
{
    const clv_slots *x = s->slots;
    for (int k = 0; k < x->n; k++)
        to[k] = x->at[k] >= 0 ? y[x->at[k]] : rates ? 0 : idle(s, &x->state[k]);
}

void clv_slots_scatter(const clv_sim *s, const double *from, double *y)
{
    const clv_slots *x = s->slots;
    for (int k = 0; k < x->n; k++)
        if (x->at[k] >= 0)
            y[x->at[k]] = from[k];
}

void clv_slots_close(clv_sim *s)
{
    if (!s->slots)
        return;
    clv_free(s->slots->state), clv_free(s->slots->at), clv_free(s->slots->now), clv_free(s->slots->y);
    clv_free(s->slots);
    s->slots = NULL;
}

/* ------------------------------------------------------------------ the mechanisms that events can make */

typedef struct reached {
    int n;
    clv_topology of[MOST];
    void *block[MOST];
} reached;

static bool keep(reached *r, const clv_topology *t, const clv_model *m)
{
    const size_t joints = (size_t)m->njoint;
    clv_topology *to = &r->of[r->n];
    double *block = clv_alloc(2 * joints + 12 * (size_t)m->nevent + 1 + joints / sizeof(double), sizeof(double));
    if (!block)
        return false;
    to->held = block, to->frame = block + joints, to->holder = (int *)(void *)(to->frame + 12 * (size_t)m->nevent);
    to->absent = (bool *)(to->holder + joints);
    clv_topology_copy(to, t, m);
    r->block[r->n++] = block;
    return true;
}

static bool is_known(const reached *r, const clv_topology *t, const clv_model *m)
{
    for (int k = 0; k < r->n; k++) {
        bool same = true;
        for (int j = 0; j < m->njoint && same; j++)
            same = r->of[k].absent[j] == t->absent[j] && isnan(r->of[k].held[j]) == isnan(t->held[j]) &&
                   (isnan(t->held[j]) || r->of[k].holder[j] == t->holder[j]);
        if (same)
            return true;
    }
    return false;
}

static clv_status too_many(clv_sim *s)
{
    clv_fail(&s->error, CLV_ERR_UNSUPPORTED,
             "model exchange needs the states of all mechanisms that events can make, and event '%s' and others can "
             "make more than %d",
             s->latches->given->event[0].name, MOST);
    clv_error_locate(&s->error, "events", s->latches->given->event[0].name, NULL);
    clv_error_hint(&s->error, "co-simulation takes any number of events");
    return s->error.code;
}

/* What event i makes of mechanism k. */
static clv_status follow(clv_sim *s, reached *r, int k, int i)
{
    clv_latches *l = s->latches;
    const clv_model *m = l->given;
    clv_plan *plan = NULL;
    clv_topology_copy(&l->next, &r->of[k], m);
    l->of[i].due = true;
    clv_topology_change(m, l);
    l->of[i].due = false;
    if (is_known(r, &l->next, m))
        return CLV_OK;
    if (r->n == MOST)
        return too_many(s);
    if (!keep(r, &l->next, m))
        return clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory for the states of model exchange");
    clv_status st = clv_variant_plan(s, &l->next, &plan);
    if (st == CLV_OK)
        st = add(s, plan);
    else if (st == CLV_ERR_UNSUPPORTED) /* events that would end the run there make no states */
        clv_error_clear(&s->error), st = CLV_OK;
    clv_plan_destroy(plan);
    return st;
}

static clv_status explore(clv_sim *s, reached *r)
{
    clv_status st = add(s, s->plan);
    if (st == CLV_OK && !keep(r, &s->latches->now, s->latches->given))
        st = clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory for the states of model exchange");
    for (int k = 0; k < r->n && st == CLV_OK; k++)
        for (int i = 0; i < s->latches->given->nevent && st == CLV_OK; i++)
            if (s->latches->given->event[i].action != CLV_ACTION_STOP)
                st = follow(s, r, k, i);
    return st;
}

clv_status clv_slots_open(clv_sim *s)
{
    if (!s->latches || s->slots)
        return CLV_OK;
    reached *r = clv_alloc(1, sizeof *r);
    clv_slots *x = s->slots = clv_alloc(1, sizeof *x);
    clv_status st = r && x ? explore(s, r) : CLV_ERR_MEMORY;
    if (st == CLV_OK) {
        const size_t n = (size_t)x->n;
        x->at = clv_alloc(n, sizeof *x->at), x->now = clv_alloc(n, sizeof *x->now);
        x->y = clv_alloc(2 * n, sizeof *x->y), x->work = x->y + n;
        st = x->at && x->now && x->y ? clv_slots_turn(s) : CLV_ERR_MEMORY;
    }
    if (st == CLV_ERR_MEMORY)
        clv_fail(&s->error, st, "out of memory for the states of model exchange");
    for (int k = 0; r && k < r->n; k++)
        clv_free(r->block[k]);
    clv_free(r);
    if (st != CLV_OK)
        clv_slots_close(s);
    return st;
}
