/* SPDX-License-Identifier: Apache-2.0
 * Views that wait until somebody looks (T165); see unseen.h.  Called by creation and steps, and before every call that
 * looks. */
#include "simulation/unseen.h"
#include <math.h>
#include <string.h>
#include "base/pages.h"
#include "formulation/walk.h"
#include "simulation/blind.h"

/* Functions of the caller may look at anything; contacts of many bodies keep what they have found. */
static bool looks_further(const clv_model *m)
{
    for (int i = 0; i < m->nforce; i++)
        if (m->force[i].kind == CLV_FORCE_CALLBACK || m->force[i].kind == CLV_FORCE_CONTACTS)
            return true;
    return false;
}

/* A view formed later has the same bits where it follows from the state alone: in an open tree in rows whose joints are
 * all free to move.  Functions of the caller, and some loads, depend on more. */
bool clv_unseen_waits(const clv_sim *s)
{
    const clv_system *k = &s->system;
    const clv_model *m = s->model;
    return !s->looked && !s->divided && !s->latches && s->formulation->abreast && k->rows.fit &&
           !clv_rows_closed(&k->rows) && s->plan->nstar == 0 && m->nmotion + m->nevent + m->ninput == 0 &&
           k->nbearing == 0 && s->controls.njoint + s->controls.nbody == 0 &&
           s->integrator.method->asks == CLV_ASK_RATES && !looks_further(m);
}

/* Is the last walk at the output state? */
static bool holds(const clv_sim *s)
{
    return s->seen_t == s->out_time && clv_walk_holds(&s->system) &&
           memcmp(s->seen_y, s->out_y, (size_t)s->n * sizeof(double)) == 0;
}

/* hdca: a walk for the velocities; dca: nothing but a number can be wrong */
static clv_status find_state(clv_sim *s)
{
    clv_system *k = &s->system;
    if (holds(s))
        return CLV_OK;
    k->held = 0;
    return s->formulation->state == CLV_STATE_MOMENTA ? clv_walk_velocities_in_rows(k, s->out_time, s->out_y)
                                                      : clv_system_coordinates(k, s->out_time, s->out_y);
}

void clv_unseen_first(clv_sim *s)
{
    s->shown = s->system.held;
    clv_walk_show(&s->system, s->y);
    clv_system_observe(&s->system);
}

clv_status clv_unseen_show(clv_sim *s)
{
    if (!clv_unseen_waits(s))
        return clv_sim_show(s);
    const clv_status st = find_state(s);
    s->seen_t = NAN;
    s->shown = st == CLV_OK && clv_walk_holds(&s->system) ? s->system.held : 0;
    if (st != CLV_OK)
        return st;
    s->evaluated = false;
    s->waits = true;
    return CLV_OK;
}

clv_status clv_sim_look_inside(clv_sim *s)
{
    s->looked = true;
    return s->waits ? clv_sim_show_waiting(s) : CLV_OK;
}

bool clv_sim_look(const clv_sim *s)
{
    if (!clv_sim_ready(s))
        return false;
    if (!s->busy) /* inside a call views are as it finds them */
        (void)clv_sim_look_inside((clv_sim *)s); /* what is shown stays the same, but it is formed now */
    return true;
}

/* Work of accelerations, which outputs and formulations of accelerations write anew; of all numbers those that are
 * zero.  A walk that fails poses all bodies to name one: then the first part comes again. */
static void give_back(clv_sim *s)
{
    clv_rows *w = &s->system.rows;
    const size_t state = (size_t)s->n * sizeof(double), rates = (size_t)s->plan->nu * sizeof(double);
    const size_t terms = 6 * (size_t)w->nrow * CLV_GROUP * sizeof(double);
    clv_sim_forget(s, true);
    if (s->released < 0) {
        if (!s->kept)
            clv_pages_release(s->ydot, state);
        if (s->formulation->state == CLV_STATE_MOMENTA)
            clv_pages_release(w->b, terms), clv_pages_release(w->bias, terms), clv_pages_release(s->system.ud, rates);
        clv_pages_release_zeros(s->arena.base, s->arena.used);
    }
    s->released = s->system.kin.posed;
}

void clv_unseen_step(clv_sim *s)
{
    if (s->released != s->system.kin.posed && clv_unseen_waits(s))
        give_back(s);
}
