/* SPDX-License-Identifier: Apache-2.0
 * Derivatives of accelerations at the output state (T77); see derivatives.h. */
#include "simulation/derivatives.h"
#include <math.h>
#include "base/error.h"
#include "model/number.h"
#include "simulation/react.h"

enum { MOST = 4000 };

/* ------------------------------------------------------------------ what is refused */

static clv_status refuse(clv_sim *s, const char *what, const char *name, const char *why)
{
    clv_fail(&s->error, CLV_ERR_UNSUPPORTED, "no derivatives: %s '%s' %s", what, name, why);
    clv_error_hint(&s->error, "`cleave linearize` (clv_sim_linearize) finds linear systems by differences; for the "
                              "gradient of a run compare two runs");
    return s->error.code;
}

static clv_status check_controls(clv_sim *s)
{
    for (int j = 0; s->controls.njoint > 0 && j < s->model->njoint; j++)
        if (s->controls.joint[j].call)
            return refuse(s, "joint", s->model->joint[j].name, "has a control, a function without known derivatives");
    for (int b = 0; s->controls.nbody > 0 && b < s->model->nbody; b++)
        if (s->controls.body[b].call)
            return refuse(s, "body", s->model->body[b].name, "has a control, a function without known derivatives");
    return CLV_OK;
}

static clv_status check_model(clv_sim *s)
{
    const clv_model *m = s->model;
    if (s->formulation->state == CLV_STATE_ABSOLUTE) {
        clv_fail(&s->error, CLV_ERR_USAGE, "formulation '%s' has the poses of bodies as its state; derivatives "
                 "need those of joints", s->formulation->name);
        clv_error_hint(&s->error, "use formulation dca");
        return s->error.code;
    }
    if (s->plan->nu > MOST)
        return clv_fail(&s->error, CLV_ERR_UNSUPPORTED, "%d rates; derivatives are found of at most %d", s->plan->nu,
                        MOST);
    if (m->nflex > 0)
        return refuse(s, "body", m->body[m->flex[0].body].name, "is flexible");
    for (int i = 0; i < m->nforce; i++)
        if (!clv_force_table[m->force[i].kind].derive && m->force[i].kind != CLV_FORCE_JOINT)
            return refuse(s, "force", m->force[i].name, "is of a kind without known derivatives");
    for (int i = 0; i < m->nforce; i++)
        if (m->force[i].bearing.static_coefficient > 0)
            return refuse(s, "force", m->force[i].name, "has friction by its reaction, without known derivatives");
    for (int j = 0; j < m->njoint; j++)
        if (!clv_joint_derivable(m->joint[j].kind))
            return refuse(s, "joint", m->joint[j].name, "is of a kind without known derivatives");
    return check_controls(s);
}

clv_status clv_derivatives_check(clv_sim *s, const clv_number *number, int numbers)
{
    if (numbers < 0 || (numbers > 0 && !number))
        return clv_fail(&s->error, CLV_ERR_USAGE, "the list of numbers is NULL, or its count is negative");
    for (int i = 0; i < numbers; i++) {
        if (!clv_number_exists(s->model, &number[i]))
            return clv_fail(&s->error, CLV_ERR_USAGE, "the model does not have number %d (kind %d, item %d, component "
                            "%d)", i, (int)number[i].kind, number[i].item, number[i].component);
        if (number[i].kind == CLV_NUMBER_COM && s->plan->tree[number[i].item].joint < 0)
            return refuse(s, "body", s->model->body[number[i].item].name,
                          "floats without a joint, and its coordinates are those of its centre of mass");
    }
    return check_model(s);
}

/* ------------------------------------------------------------------ memory */

static void layout(clv_derivatives_work *w)
{
    const clv_plan *p = w->s->plan;
    const size_t n = (size_t)p->nu, m = (size_t)p->nclosing_row, body = 6 * (size_t)p->nbody;
    clv_arena *a = &w->arena;
    const int inputs = w->s->model->ninput, numbers = w->shown.numbers, more = inputs > numbers ? inputs : numbers;
    const size_t widest = more > p->nu ? (size_t)more : n;
    clv_derivative_layout(&w->d, &w->s->system.kin, a);
    clv_derivative_layout_columns(&w->d, a);
    CLV_TAKE(a, w->rate, n), CLV_TAKE(a, w->u, n), CLV_TAKE(a, w->udot, n);
    CLV_TAKE(a, w->dq, n * n), CLV_TAKE(a, w->du, n * n), CLV_TAKE(a, w->dinput, n * (size_t)w->s->model->ninput);
    CLV_TAKE(a, w->dnumber, n * (size_t)w->shown.numbers);
    CLV_TAKE(a, w->follow_q, n * n), CLV_TAKE(a, w->follow_u, n * n), CLV_TAKE(a, w->follow_rate, n * n);
    CLV_TAKE(a, w->mass, n * n), CLV_TAKE(a, w->bias, n);
    CLV_TAKE(a, w->closing, m * n), CLV_TAKE(a, w->delassus, m * m);
    CLV_TAKE(a, w->com, (size_t)p->nbody * 3), CLV_TAKE(a, w->R, (size_t)p->nbody * 9);
    CLV_TAKE(a, w->L, n * (n + m)), CLV_TAKE(a, w->work, m * n);
    CLV_TAKE(a, w->chosen, m), CLV_TAKE(a, w->D, m * m), CLV_TAKE(a, w->Y, n * m), CLV_TAKE(a, w->mu, m * widest);
    CLV_TAKE(a, w->up, n), CLV_TAKE(a, w->along, n), CLV_TAKE(a, w->level, n);
    CLV_TAKE(a, w->held, m), CLV_TAKE(a, w->force, n), CLV_TAKE(a, w->row, m), CLV_TAKE(a, w->column, n);
    CLV_TAKE(a, w->x, body), CLV_TAKE(a, w->Q, body);
}

static void name_rates(clv_derivatives_work *w)
{
    const clv_plan *p = w->s->plan;
    for (int b = 0; b < p->nbody; b++)
        for (int c = 0; c < p->tree[b].f; c++)
            w->rate[p->tree[b].iu + c] = (clv_linear_state){
                .joint = p->tree[b].joint, .body = b, .mode = -1, .coordinate = c, .rate = true};
    for (int e = 0; e < p->nedge; e++) {
        const clv_edge *edge = &p->edge[e];
        if (!clv_edge_closes(edge) || edge->joint < 0)
            continue;
        const int rows = clv_joint_velocity_rows(w->s->model->joint[edge->joint].kind);
        for (int r = edge->m - rows; r < edge->m; r++)
            w->held[edge->row + r] = true;
    }
}

static clv_status open_work(clv_derivatives_work *w, clv_sim *s, int numbers)
{
    const size_t n = (size_t)s->plan->nu;
    w->s = s, w->shown.numbers = numbers;
    layout(w);
    if (!clv_arena_open(&w->arena))
        return clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory: derivatives need %.3g MB",
                        (double)w->arena.used / 1e6);
    layout(w);
    name_rates(w);
    for (size_t k = 0; k < n; k++)
        w->follow_q[k * n + k] = w->follow_rate[k * n + k] = 1;
    w->closes = s->plan->nclosing_row > 0;
    w->shown = (clv_derivatives){.rates = s->plan->nu, .inputs = s->model->ninput, .numbers = numbers,
                                 .rows = s->plan->nclosing_row, .rate = w->rate, .u = w->u, .udot = w->udot,
                                 .dq = w->dq, .du = w->du, .dinput = w->dinput, .dnumber = w->dnumber,
                                 .follow_q = w->follow_q, .follow_u = w->follow_u, .follow_rate = w->follow_rate,
                                 .mass = w->mass, .bias = w->bias, .closing = w->closing, .delassus = w->delassus};
    return CLV_OK;
}

/* memory for this model: that of an earlier call if it is one of the same size */
static clv_status open_result(clv_sim *s, int numbers, clv_derivatives **result)
{
    const int size[6] = {s->plan->nbody, s->model->njoint,  s->plan->nu,
                         s->plan->nclosing_row, s->model->ninput, numbers};
    clv_derivatives_work *w = (clv_derivatives_work *)*result;
    if (w && w->s == s && memcmp(w->size, size, sizeof size) == 0) {
        w->d.plan = s->plan;
        name_rates(w);
        return CLV_OK;
    }
    clv_derivatives_destroy(*result);
    *result = NULL;
    w = clv_alloc(1, sizeof *w);
    if (!w)
        return clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory for derivatives");
    *result = &w->shown;
    const clv_status st = open_work(w, s, numbers);
    if (st == CLV_OK)
        memcpy(w->size, size, sizeof size);
    return st;
}

void clv_derivatives_destroy(clv_derivatives *x)
{
    clv_derivatives_work *w = (clv_derivatives_work *)x; /* its first member */
    if (!w)
        return;
    clv_arena_close(&w->arena);
    clv_free(w);
}

/* ------------------------------------------------------------------ the state */

/* The output state in model order with its factor, accelerations and reactions. */
static clv_status place(clv_sim *s)
{
    clv_system *k = &s->system;
    clv_status st = clv_system_place(k, s->out_time, s->q);
    if (st != CLV_OK)
        return st;
    clv_kinematics_velocities(&k->kin, s->u);
    clv_kinematics_rates(&k->kin);
    st = clv_system_loads(k);
    if (st != CLV_OK)
        return st;
    clv_system_accelerate(k);
    clv_system_reactions(k);
    st = clv_system_solved(k);
    if (st == CLV_OK && k->truncated > s->base_nullity)
        st = clv_fail(&s->error, CLV_ERR_SINGULAR,
                      "the loops are in a singular position: the accelerations have no derivatives");
    return st;
}

/* what derivatives look at, and all of them that need no factor */
static void look(clv_derivatives_work *w, const double *T)
{
    clv_sim *s = w->s;
    clv_system *k = &s->system;
    w->d.kin = &k->kin, w->d.loads = &k->loads;
    w->d.x = k->x, w->d.ud = k->ud, w->d.lambda = k->lambda, w->d.T = T;
    memcpy(w->u, s->u, (size_t)s->plan->nu * sizeof(double));
    memcpy(w->udot, k->ud, (size_t)s->plan->nu * sizeof(double));
    memcpy(w->com, k->kin.com, 3 * (size_t)s->plan->nbody * sizeof(double));
    memcpy(w->R, k->kin.R, 9 * (size_t)s->plan->nbody * sizeof(double));
    clv_derivative_find(&w->d);
    clv_derivatives_matrices(w);
}

static clv_status find(clv_derivatives_work *w)
{
    clv_sim *s = w->s;
    if (clv_derivatives_takes_open(w)) { /* the output state has been evaluated in model order */
        clv_system_observe(&s->system);
        look(w, s->P);
        if (clv_derivatives_solve_open(w))
            return CLV_OK;
    }
    const clv_status st = place(s);
    if (st != CLV_OK)
        return st;
    look(w, s->system.T);
    clv_derivatives_solve(w);
    return CLV_OK;
}

static clv_status derivatives(clv_sim *s, const clv_number *number, int numbers, clv_derivatives **result)
{
    clv_status st = open_result(s, numbers, result);
    if (st != CLV_OK || !*result)
        return st;
    ((clv_derivatives_work *)*result)->number = number;
    st = find((clv_derivatives_work *)*result);
    s->evaluated = false, s->seen_t = NAN, s->system.held = 0, s->shown = 0; /* poses and loads were found anew */
    return st;
}

/* with coordinates held a shifted point would open loops */
static clv_status refuse_offsets(clv_sim *s, const clv_number *number, int numbers)
{
    clv_status st = clv_touching_exclude(s, "a derivative");
    if (st == CLV_OK)
        st = clv_derivatives_check(s, number, numbers);
    for (int i = 0; i < numbers && st == CLV_OK; i++)
        if (clv_derivative_is_offset(&number[i]))
            return refuse(s, "joint", s->model->joint[number[i].item].name,
                          "has points by which clv_sim_sensitivity differentiates, not accelerations alone");
    return st;
}

clv_status clv_sim_derivatives(clv_sim *s, const clv_number *number, int numbers, clv_derivatives **result)
{
    clv_status st = clv_sim_enter(s, __func__);
    if (st != CLV_OK)
        return st;
    st = result ? refuse_offsets(s, number, numbers)
                : clv_fail(&s->error, CLV_ERR_USAGE, "the pointer to the derivatives is NULL");
    st = clv_sim_leave(s, st);
    if (st != CLV_OK || !result)
        return st;
    s->evaluated = false;
    st = clv_sim_react(s); /* rates of the output state */
    if (st == CLV_OK)
        st = clv_sim_enter(s, __func__);
    return st == CLV_OK ? clv_sim_leave(s, derivatives(s, number, numbers, result)) : st;
}
