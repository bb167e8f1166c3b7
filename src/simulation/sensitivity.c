/* SPDX-License-Identifier: Apache-2.0
 * A run beside the simulation whose steps are kept, so that it can be differentiated (T109): checks and memory. */
#include "simulation/sensitivity.h"
#include "base/error.h"
#include "base/memory.h"
#include "simulation/derivatives.h"
#include "simulation/latch.h"
#include "simulation/react.h"
#include <math.h>
#include <string.h>

enum { COOKIE = 0x73656e73, MOST_ROWS = 400 };
clv_sensitivity_options clv_sensitivity_options_default(void)
{
    return (clv_sensitivity_options){.cookie = COOKIE, .rtol = NAN, .atol = NAN, .memory = 1e9};
}

/* ------------------------------------------------------------------ what is refused */

static clv_status usage(clv_sim *s, const char *what)
{
    return clv_fail(&s->error, CLV_ERR_USAGE, "sensitivity run: %s", what);
}

static const clv_tableau *tableau_of(const char *name)
{
    static const struct {
        const char *name;
        const clv_tableau *tableau;
    } all[] = {{"dopri5", &clv_tableau_dopri5},
               {"rk4", &clv_tableau_rk4},
               {"bs23", &clv_tableau_bs23},
               {"dop853", &clv_tableau_dop853}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(name ? name : "dopri5", all[i].name) == 0)
            return all[i].tableau;
    return NULL;
}

static clv_status check_times(clv_sim *s, const clv_sensitivity_options *o)
{
    if (o->frames < 1 || !o->time)
        return usage(s, "at least one frame is needed");
    for (int i = 0; i < o->frames; i++)
        if (!isfinite(o->time[i]) || o->time[i] < (i > 0 ? o->time[i - 1] : s->out_time) ||
            (i > 0 && o->time[i] <= o->time[i - 1]))
            return usage(s, "the times of its frames do not ascend from the time of the simulation on");
    return CLV_OK;
}

static clv_status check_options(clv_sim *s, const clv_sensitivity_options *o)
{
    const clv_tableau *t = tableau_of(o->integrator);
    if (!t) {
        clv_fail(&s->error, CLV_ERR_USAGE, "sensitivity run: integrator '%s' is not supported", o->integrator);
        clv_error_hint(&s->error, "known: dopri5, rk4, bs23, dop853");
        return s->error.code;
    }
    if (!(o->step >= 0) || !isfinite(o->step) || (!t->e && o->step == 0 && !o->like))
        return usage(s, "the step is not a length, or there is none and the integrator estimates no error");
    if (o->rtol < 0 || o->atol < 0 || isinf(o->rtol) || isinf(o->atol) || !(o->memory >= 0))
        return usage(s, "a tolerance or the memory is negative or infinite");
    if (o->outputs < 1 || !o->output || o->numbers < 0 || (o->numbers > 0 && !o->number) || o->firsts < 0 ||
        (o->firsts > 0 && !o->first))
        return usage(s, "there are no outputs, or a list has a count but no entries");
    for (int i = 0; i < o->firsts; i++)
        if (o->first[i] < 0 || o->first[i] >= s->model->njoint)
            return usage(s, "a joint that should be independent does not exist in the model");
    for (int i = 0; o->input && i < o->frames * s->model->ninput; i++)
        if (!isfinite(o->input[i]))
            return usage(s, "a value of an input is not finite");
    return check_times(s, o);
}

static clv_status refuse(clv_sim *s, const char *what, const char *name, const char *why)
{
    clv_fail(&s->error, CLV_ERR_UNSUPPORTED, "no sensitivities: %s '%s' %s", what, name, why);
    return s->error.code;
}

static clv_status check_model(clv_sim *s)
{
    const clv_model *m = s->model;
    for (int j = 0; j < m->njoint; j++)
        if (clv_joint_velocity_rows(m->joint[j].kind) > 0)
            return refuse(s, "joint", m->joint[j].name, "restricts velocities only");
    for (int i = 0; i < m->ninput; i++)
        if (m->input[i].kind == CLV_INPUT_MOTION)
            return refuse(s, "input", m->input[i].name, "accelerates a motion");
        else if (m->input[i].rate_limit > 0)
            return refuse(s, "input", m->input[i].name, "has a rate_limit");
    if (s->plan->nclosing_row > MOST_ROWS)
        return clv_fail(&s->error, CLV_ERR_UNSUPPORTED, "no sensitivities: %d rows of loops; at most %d are taken",
                        s->plan->nclosing_row, MOST_ROWS);
    return clv_sensitivity_check_events(s);
}

static clv_status check(clv_sim *s, const clv_sensitivity_options *o)
{
    if (!o || o->cookie != COOKIE)
        return usage(s, "options must start from clv_sensitivity_options_default()");
    clv_status st = check_options(s, o);
    if (st == CLV_OK)
        st = clv_touching_exclude(s, "a sensitivity");
    if (st == CLV_OK)
        st = clv_derivatives_check(s, o->number, o->numbers);
    if (st == CLV_OK)
        st = check_model(s);
    if (st == CLV_OK)
        st = clv_sensitivity_check_outputs(s, o->output, o->outputs);
    const clv_sensitivity_work *like = o ? (const clv_sensitivity_work *)o->like : NULL;
    if (st == CLV_OK && like && s->model->nevent > 0)
        st = refuse(s, "event", s->model->event[0].name, "can happen at another time in another run: its steps "
                                                         "cannot be those of that run");
    if (st == CLV_OK && like &&
        (like->shown.frames != o->frames || like->tableau != tableau_of(o->integrator) || like->n != s->plan->nu ||
         like->m != s->plan->nclosing_row || memcmp(like->time, o->time, (size_t)o->frames * sizeof(double)) != 0 ||
         like->begin != s->out_time))
        st = usage(s, "its steps cannot be those of a run with other times, another integrator or another mechanism");
    return st;
}

/* ------------------------------------------------------------------ memory */

static void layout_state(clv_sensitivity_work *w)
{
    const size_t n = (size_t)w->n, nq = (size_t)w->nq, stages = (size_t)w->tableau->stages + 1;
    clv_arena *a = &w->arena;
    CLV_TAKE(a, w->stage, stages);
    for (size_t i = 0; i < stages; i++) {
        clv_closed_state room, *x = w->stage ? &w->stage[i] : &room;
        CLV_TAKE(a, x->theta, n), CLV_TAKE(a, x->q, nq), CLV_TAKE(a, x->u, n), CLV_TAKE(a, x->udot, n);
    }
    CLV_TAKE(a, w->K, stages * n), CLV_TAKE(a, w->rows_y, 2 * (nq + n + 1)), CLV_TAKE(a, w->unit, n),
        CLV_TAKE(a, w->weight, n), CLV_TAKE(a, w->place, n);
    CLV_TAKE(a, w->q0, nq), CLV_TAKE(a, w->u0, n), CLV_TAKE(a, w->turn0, 6 * (size_t)w->plan->nedge);
    CLV_TAKE(a, w->input0, w->shown.inputs), CLV_TAKE(a, w->rate, n), CLV_TAKE(a, w->independent, n);
}

static void layout(clv_sensitivity_work *w, bool inputs)
{
    const size_t n = (size_t)w->n, m = (size_t)w->m, r = (size_t)w->r, body = 6 * (size_t)w->plan->nbody;
    const size_t outputs = (size_t)w->shown.outputs, frames = (size_t)w->shown.frames;
    clv_arena *a = &w->arena;
    layout_state(w);
    clv_derivative_layout(&w->d, &w->s->system.kin, a);
    CLV_TAKE(a, w->number, w->shown.numbers), CLV_TAKE(a, w->order, w->shown.numbers);
    CLV_TAKE(a, w->output, outputs), CLV_TAKE(a, w->time, frames);
    CLV_TAKE(a, w->input, inputs ? frames * (size_t)w->shown.inputs : 0), CLV_TAKE(a, w->y, frames * outputs);
    CLV_TAKE(a, w->J, m * n), CLV_TAKE(a, w->JB, m * n), CLV_TAKE(a, w->pick, m * n);
    CLV_TAKE(a, w->LU, r * r), CLV_TAKE(a, w->LB, r * r), CLV_TAKE(a, w->first_LU, r * r);
    CLV_TAKE(a, w->pivot, r), CLV_TAKE(a, w->pivot_B, r), CLV_TAKE(a, w->first_pivot, r);
    CLV_TAKE(a, w->moved, CLV_MOVED * r);
    CLV_TAKE(a, w->gap, m), CLV_TAKE(a, w->x, n), CLV_TAKE(a, w->force, n), CLV_TAKE(a, w->row, m);
    CLV_TAKE(a, w->rate_row, m), CLV_TAKE(a, w->gap_row, m), CLV_TAKE(a, w->zero, body);
    CLV_TAKE(a, w->acceleration, body), CLV_TAKE(a, w->field, body), CLV_TAKE(a, w->v, n), CLV_TAKE(a, w->eta, m);
    CLV_TAKE(a, w->mu_u, m), CLV_TAKE(a, w->mu_x, m), CLV_TAKE(a, w->lambda, m);
    CLV_TAKE(a, w->cotangent, w->plan->nbody);
    clv_respond_layout(w, a);
    CLV_TAKE(a, w->y_x, outputs * n), CLV_TAKE(a, w->y_u, outputs * n);
    CLV_TAKE(a, w->y_p, outputs * (size_t)w->shown.numbers);
}

/* coordinates that are preferred as dependent have a weight above others */
static void weigh(clv_sensitivity_work *w, const clv_sensitivity_options *o)
{
    const clv_plan *p = w->plan;
    for (int b = 0; b < p->nbody; b++) {
        const clv_tree_joint *t = &p->tree[b];
        const int turn = t->nq > t->nu ? t->nu - 3 : t->nu;
        for (int c = 0; c < t->f; c++) {
            const int k = t->iu + c;
            w->unit[k] = clv_coordinate_size(w->s, k), w->weight[k] = 1;
            w->place[k] = c < turn ? t->iq + c : -1;
            w->rate[k] = (clv_linear_state){.joint = t->joint, .body = b, .mode = -1, .coordinate = c, .rate = true};
            for (int i = 0; i < o->firsts; i++)
                if (o->first[i] == t->joint)
                    w->weight[k] = 1e-3;
        }
    }
}

/* a place in the order of numbers: those of bodies by bodies, others by kinds */
static long long rank_of(const clv_number *x)
{
    const long long kind = x->kind <= CLV_NUMBER_INERTIA ? 0 : (long long)x->kind;
    return (kind << 32) + x->item;
}

/* the same bits for every order of the caller's: each number has a sum of its own */
static void order_numbers(clv_sensitivity_work *w)
{
    int *order = w->order;
    for (int i = 0; i < w->shown.numbers; i++)
        order[i] = i;
    for (int step = w->shown.numbers / 2; step > 0; step /= 2) /* Shell's */
        for (int i = step; i < w->shown.numbers; i++) {
            const int x = order[i];
            int k = i;
            for (; k >= step && rank_of(&w->number[order[k - step]]) > rank_of(&w->number[x]); k -= step)
                order[k] = order[k - step];
            order[k] = x;
        }
}

static void take_options(clv_sensitivity_work *w, const clv_sensitivity_options *o)
{
    const clv_sim *s = w->s;
    const size_t frames = (size_t)o->frames, inputs = (size_t)s->model->ninput;
    w->rtol = isnan(o->rtol) ? s->options.rtol : o->rtol;
    w->atol = isnan(o->atol) ? (isnan(s->options.atol) ? w->rtol : s->options.atol) : o->atol;
    w->fixed = o->step, w->most = (size_t)fmin(o->memory, 1e15), w->begin = s->out_time;
    memcpy(w->time, o->time, frames * sizeof(double));
    memcpy(w->output, o->output, (size_t)o->outputs * sizeof *o->output);
    if (o->numbers > 0)
        memcpy(w->number, o->number, (size_t)o->numbers * sizeof *o->number);
    order_numbers(w);
    for (int i = 0; i < o->numbers; i++)
        w->offsets = w->offsets || clv_derivative_is_offset(&o->number[i]);
    if (o->input)
        memcpy(w->input, o->input, frames * inputs * sizeof(double));
    memcpy(w->input0, s->input, inputs * sizeof(double));
    memcpy(w->q0, s->out_y, (size_t)w->nq * sizeof(double));
    memcpy(w->u0, s->u, (size_t)w->n * sizeof(double));
    memcpy(w->turn0, s->out_turn, 6 * (size_t)w->plan->nedge * sizeof(double));
    weigh(w, o);
}

static clv_status open_work(clv_sensitivity_work *w, clv_sim *s, const clv_sensitivity_options *o)
{
    w->s = s, w->plan = s->plan, w->tableau = tableau_of(o->integrator);
    w->n = s->plan->nu, w->nq = s->plan->nq, w->m = s->plan->nclosing_row, w->r = w->m - s->base_nullity;
    w->event_time = INFINITY;
    w->shown = (clv_sensitivity){
        .frames = o->frames, .outputs = o->outputs, .numbers = o->numbers, .inputs = s->model->ninput, .rates = w->n};
    w->dense = clv_respond_dense(w);
    layout(w, o->input != NULL);
    if (!clv_arena_open(&w->arena))
        return clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory: a sensitivity run needs %.3g MB",
                        (double)w->arena.used / 1e6);
    layout(w, o->input != NULL);
    if (!o->input)
        w->input = NULL;
    take_options(w, o);
    w->shown.time = w->time, w->shown.y = w->y, w->shown.rate = w->rate, w->shown.independent = w->independent;
    return clv_piece_begin(w);
}

clv_status clv_piece_open(clv_sensitivity_work **to, clv_sim *s, const clv_sensitivity_options *o)
{
    clv_sensitivity_work *w = *to = clv_alloc(1, sizeof *w);
    return w ? open_work(w, s, o) : clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory for a sensitivity run");
}

static void destroy_piece(clv_sensitivity_work *w)
{
    for (long k = 0; k < w->steps; k++)
        clv_free(w->step[k].q), clv_free(w->step[k].stages);
    for (clv_partition *p = w->partitions, *next; p; p = next)
        next = p->next, clv_free(p);
    clv_free(w->step);
    clv_piece_end(w);
    clv_arena_close(&w->arena);
    clv_free(w);
}

void clv_sensitivity_destroy(clv_sensitivity *run)
{
    clv_sensitivity_work *w = (clv_sensitivity_work *)run; /* its first member */
    while (w) {
        clv_sensitivity_work *next = w->next;
        destroy_piece(w);
        w = next;
    }
}

/* ------------------------------------------------------------------ before and after */

clv_status clv_sensitivity_open(clv_sensitivity_work *w, const char *function)
{
    clv_sim *s = w->caller;
    const clv_status st = clv_sim_enter(s, function);
    if (st == CLV_OK && w->s->plan != w->plan)
        return clv_sim_leave(s, usage(s, "an event has changed the mechanism since"));
    return st;
}

clv_status clv_sensitivity_shut(clv_sensitivity_work *w, clv_status st)
{
    clv_sim *s = w->caller;
    if (w->own) { /* nothing of the caller's was touched */
        if (st != CLV_OK)
            s->error = w->s->error;
        return clv_sim_leave(s, st);
    }
    if (w->input0)
        memcpy(s->input, w->input0, (size_t)s->model->ninput * sizeof(double));
    memcpy(s->system.kin.turn, s->out_turn, 6 * (size_t)s->plan->nedge * sizeof(double));
    s->evaluated = false, s->seen_t = NAN, s->system.held = 0, s->shown = 0; /* poses and loads were found anew */
    return clv_sim_leave(s, st);
}

void clv_sensitivity_first(const clv_sensitivity_work *w, clv_closed_state *x)
{
    x->t = w->begin;
    memset(x->theta, 0, (size_t)w->n * sizeof(double));
    memcpy(x->q, w->q0, (size_t)w->nq * sizeof(double)), memcpy(x->u, w->u0, (size_t)w->n * sizeof(double));
}

/* ------------------------------------------------------------------ all of it */

/* steps and evaluations of all pieces */
void clv_pieces_count(clv_sensitivity_work *head)
{
    head->shown.steps = 0;
    for (clv_sensitivity_work *w = head; w; w = w->next) {
        head->shown.steps += w->steps;
        if (w != head)
            head->shown.evaluations += w->shown.evaluations, w->shown.evaluations = 0;
    }
}

/* the first piece: with events on a simulation of its own */
static clv_status open_head(clv_sensitivity_work **head, clv_sim *s, const clv_sensitivity_options *o)
{
    clv_sim *own = NULL;
    clv_status st = CLV_OK;
    s->evaluated = false;
    st = clv_sim_react(s); /* rates of the output state */
    if (st == CLV_OK && s->latches)
        st = clv_latches_follow(s, NULL, NULL, &own);
    if (st == CLV_OK && own)
        st = clv_sim_react(own);
    if (own && own->error.code != CLV_OK)
        s->error = own->error;
    if (st == CLV_OK)
        st = clv_piece_open(head, own ? own : s, o);
    if (*head)
        (*head)->own = own, (*head)->caller = s;
    else
        clv_sim_destroy(own);
    return st;
}

clv_status clv_sim_sensitivity(clv_sim *s, const clv_sensitivity_options *o, clv_sensitivity **result)
{
    clv_sensitivity_work *w = NULL;
    if (result)
        *result = NULL;
    clv_status st = clv_sim_enter(s, __func__);
    if (st != CLV_OK)
        return st;
    st = clv_sim_leave(s, result ? check(s, o) : usage(s, "the pointer to the result is NULL"));
    if (st != CLV_OK || !result)
        return st;
    st = open_head(&w, s, o);
    if (w)
        w->caller = s;
    if (st == CLV_OK)
        st = clv_sim_enter(s, __func__);
    if (st == CLV_OK && w && w->gone)
        for (int i = 0; i < s->model->nevent; i++)
            w->gone[i] = s->latches->of[i].result.happened;
    if (st == CLV_OK)
        st = clv_sensitivity_shut(w, clv_pieces_run(w, o));
    if (st == CLV_OK) {
        clv_pieces_count(w);
        *result = &w->shown;
    } else if (w) {
        clv_sensitivity_destroy(&w->shown);
    }
    return st;
}
