/* SPDX-License-Identifier: Apache-2.0
 * Simulations side by side; see abreast.h (T85).
 *
 * A lane hands over one evaluation after the other of a Runge-Kutta step (clv_rk_try).  Steps have sizes of their own;
 * a try begins when those under way are over, so that the vectors of all lanes are combined together (rk_abreast.h).
 * What is not as usual is left to the simulation itself: a pivot that
 * is missing, a rate that is not finite, a body that is fast.  It evaluates the same state once more, names what it is,
 * or judges it by its own means. */
#include "simulation/abreast.h"
#include "base/cpu.h"
#include "formulation/walk_abreast.h"
#include "integrator/rk_abreast.h"
#include "simulation/sim.h"
#include <math.h>
#include <string.h>

typedef struct lane {
    clv_sim *sim;   /* NULL: empty              */
    clv_rk_try at;
    clv_status end; /* of the last step         */
    clv_status found; /* of the rates required  */
    bool under_way;
    bool alone;     /* they are those of the simulation itself */
    bool arrived;   /* the last step has ended with the rates of its end, which are in the lanes */
} lane;

struct clv_abreast {
    clv_walk_abreast walk;
    clv_rk_abreast steps;
    const clv_formulation *formulation; /* of the mechanisms; NULL: of none yet */
    const clv_method *method;
    int lanes, width, taken;
    clv_rk_place place; /* of the rates required */
    lane lane[CLV_GROUP];
};

clv_abreast *clv_abreast_create(int lanes)
{
    clv_abreast *a = clv_alloc(1, sizeof *a);
    clv_error e;
    if (!a)
        return NULL;
    clv_error_clear(&e);
    a->lanes = lanes;
    if (clv_cpu_lanes(&a->width, &e) != CLV_OK)
        a->width = 1; /* no simulation is created either, which says why */
    return a;
}

void clv_abreast_destroy(clv_abreast *a)
{
    if (!a)
        return;
    clv_walk_abreast_close(&a->walk), clv_rk_abreast_close(&a->steps);
    clv_free(a);
}

/* ------------------------------------------------------------------ who may share lanes */

static bool fits(const clv_abreast *a, const clv_sim *s)
{
    return a->formulation == s->formulation && a->method == s->integrator.method &&
           clv_walk_abreast_same(&a->walk, &s->system);
}

const char *clv_abreast_refuses(const clv_abreast *a, const clv_sim *s)
{
    const bool momenta = s->formulation->state == CLV_STATE_MOMENTA;
    if (!s->formulation->abreast)
        return "a formulation without lanes for several runs";
    if (s->integrator.method->step != clv_rk_step)
        return "an integrator without lanes for several runs";
    if (s->latches)
        return "events";
    if (s->nspacing > 0 || s->ncrowd > 0)
        return "contacts";
    const char *why = clv_walk_abreast_refuses(&s->system, momenta);
    if (why || a->taken == 0)
        return why;
    return fits(a, s) ? NULL : "another structure than that of the other runs";
}

/* Lanes for mechanisms like this one; they are empty. */
static bool open_lanes(clv_abreast *a, const clv_sim *s)
{
    clv_walk_abreast_close(&a->walk), clv_rk_abreast_close(&a->steps);
    a->formulation = NULL;
    if (!clv_walk_abreast_open(&a->walk, &s->system, s->formulation->state == CLV_STATE_MOMENTA, a->lanes, a->width) ||
        !clv_rk_abreast_open(&a->steps, &s->integrator, a->lanes, a->width))
        return false;
    a->formulation = s->formulation, a->method = s->integrator.method;
    return true;
}

bool clv_abreast_put(clv_abreast *a, int i, clv_sim *s)
{
    if (!fits(a, s) && !open_lanes(a, s))
        return false;
    clv_walk_abreast_put(&a->walk, i, &s->system);
    clv_rk_abreast_put(&a->steps, i, &s->integrator);
    a->lane[i] = (lane){.sim = s};
    a->taken++;
    return true;
}

void clv_abreast_take_out(clv_abreast *a, int i)
{
    a->lane[i] = (lane){0};
    a->walk.lane[i] = (clv_walk_lane){0};
    a->taken--;
}

/* ------------------------------------------------------------------ steps */

/* What the step requires next, or how it has ended. */
static void follow(clv_abreast *a, int i)
{
    lane *l = &a->lane[i];
    clv_sim *s = l->sim;
    clv_status st = l->at.status;
    clv_rk_abreast_try(&a->steps, i, &l->at);
    if (!l->at.over)
        return;
    if (st == CLV_OK)
        st = clv_integrator_advances(&s->integrator, s->integrator.t_old);
    l->arrived = st == CLV_OK && s->integrator.fresh && s->integrator.t == l->at.t_new;
    l->end = clv_sim_leave(s, clv_sim_close_step(s, st));
    l->under_way = false;
}

/* Does a step begin where the last one has ended, with its rates?  A restart in between has no step behind it. */
static bool continues(const lane *l)
{
    const clv_integrator *x = &l->sim->integrator;
    return l->arrived && x->fresh && x->t == l->at.t_new && x->t_old != x->t;
}

bool clv_abreast_begin(clv_abreast *a, int i, double time, clv_status *st)
{
    lane *l = &a->lane[i];
    clv_sim *s = l->sim;
    bool due = false;
    *st = clv_sim_enter_unseen(s, __func__);
    if (*st != CLV_OK)
        return false;
    *st = clv_sim_open_step(s, time, &due);
    if (!due) {
        *st = clv_sim_leave(s, *st);
        return false;
    }
    const bool same = continues(l);
    l->under_way = true;
    clv_rk_open(&s->integrator, &l->at, s->ydot, true);
    if (same)
        clv_rk_abreast_continue(&a->steps, i);
    else
        clv_rk_abreast_begin(&a->steps, i, &s->integrator);
    follow(a, i);
    *st = l->end;
    return l->under_way;
}

/* The system by itself at the state of the lane: for what is not as usual. */
static clv_status evaluate_alone(clv_abreast *a, int i, const double *y, double *ydot)
{
    lane *l = &a->lane[i];
    const clv_integrator *x = &l->sim->integrator;
    double *at = a->place == CLV_RK_STAGE ? clv_rk_point(x) : clv_rk_new_state(x);
    double *rates = a->place == CLV_RK_LOOK ? l->at.ydot : clv_rk_stage(x, l->at.column);
    l->alone = true;
    clv_rk_abreast_get(&a->steps, y, i, at);
    const clv_status st = x->ode.rates(x->ode.owner, l->at.t, at, rates);
    clv_rk_abreast_set(&a->steps, ydot, i, rates);
    return st == CLV_OK && !clv_vector_finite(NULL, rates, x->ode.n) ? CLV_ERR_NOT_FINITE : st;
}

/* The rates in the lane are those of an evaluation of the simulation itself. */
static void see(clv_abreast *a, int i, const double *ydot)
{
    lane *l = &a->lane[i];
    const bool look = a->place == CLV_RK_LOOK;
    clv_sim *s = l->sim;
    s->system.walked = false, s->system.held = 0; /* its rows have another state */
    s->seen_t = NAN;
    if (!a->walk.lane[i].weighed)
        return;
    clv_rk_abreast_get(&a->steps, a->steps.fresh, i, s->seen_y);
    s->seen_t = l->at.t, s->kept = look;
    s->judged = &a->walk.lane[i].energies;
    if (look)
        clv_rk_abreast_get(&a->steps, ydot, i, s->ydot);
}

/* The rates of a lane as they are to be: those of the lanes, or of the simulation itself. */
static void settle(clv_abreast *a, int i, const double *y, double *ydot)
{
    lane *l = &a->lane[i];
    const clv_walk_lane *w = &a->walk.lane[i];
    l->sim->integrator.stats.evaluations += a->place != CLV_RK_LOOK;
    l->found = CLV_OK;
    if (w->failed || a->steps.check[i] != 0 || (w->weighed && !(w->energies.squares < CLV_SLOW * CLV_SLOW)))
        l->found = evaluate_alone(a, i, y, ydot);
    else if (l->alone || a->place != CLV_RK_STAGE || l->at.column == 1)
        l->alone = false, see(a, i, ydot);
}

/* The rates of a lane are there, and what follows from them. */
static void answer(clv_abreast *a, int i)
{
    lane *l = &a->lane[i];
    clv_sim *s = l->sim;
    if (l->found != CLV_OK)
        s->integrator.failed_time = l->at.t;
    s->report.rate_evaluations += a->place == CLV_RK_LOOK && l->found == CLV_OK;
    clv_rk_abreast_judge(&a->steps, i, &l->at);
    if (a->place != CLV_RK_STAGE)
        clv_rk_abreast_show(&a->steps, i, &s->integrator, &l->at);
    clv_rk_take(&s->integrator, &l->at, l->found);
    s->judged = NULL;
    follow(a, i);
}

/* The furthest column at which a step is: the others wait for it. */
static int furthest(const clv_abreast *a)
{
    int column = 0;
    for (int i = 0; i < a->lanes; i++)
        if (a->lane[i].under_way && a->lane[i].at.column > column)
            column = a->lane[i].at.column;
    return column;
}

/* of rates that are required: those of a column of the rule */
static clv_rk_place place_of(const clv_abreast *a, int column)
{
    for (int i = 0; i < a->lanes; i++)
        if (a->lane[i].under_way && a->lane[i].at.column == column)
            return clv_rk_place_of(&a->lane[i].sim->integrator, &a->lane[i].at);
    return CLV_RK_STAGE;
}

bool clv_abreast_go_on(clv_abreast *a)
{
    bool any = false;
    const int column = furthest(a);
    if (column == 1)
        clv_rk_abreast_depart(&a->steps);
    a->place = place_of(a, column);
    const double *y = clv_rk_abreast_point(&a->steps, column);
    double *ydot = clv_rk_abreast_rates(&a->steps, column);
    for (int i = 0; i < a->lanes; i++) {
        lane *l = &a->lane[i];
        clv_walk_lane *w = &a->walk.lane[i];
        w->required = l->under_way && l->at.column == column;
        if (!w->required)
            continue;
        w->t = l->at.t, w->weighed = a->place != CLV_RK_STAGE;
    }
    clv_walk_abreast_rates(&a->walk, y, ydot);
    clv_rk_abreast_check(&a->steps, column);
    for (int i = 0; i < a->lanes; i++)
        if (a->walk.lane[i].required)
            settle(a, i, y, ydot);
    clv_rk_abreast_arrive(&a->steps, column);
    const bool inside = clv_rk_abreast_inside(&a->steps, column);
    for (int i = 0; i < a->lanes; i++)
        if (a->walk.lane[i].required && inside && a->lane[i].found == CLV_OK)
            clv_rk_abreast_pass(&a->steps, &a->lane[i].sim->integrator, &a->lane[i].at);
        else if (a->walk.lane[i].required)
            answer(a, i), any = any || !a->lane[i].under_way;
    return any;
}

bool clv_abreast_over(const clv_abreast *a, int i, clv_status *st)
{
    *st = a->lane[i].end;
    return !a->lane[i].under_way;
}
