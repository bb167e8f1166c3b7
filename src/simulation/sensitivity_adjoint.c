/* SPDX-License-Identifier: Apache-2.0
 * Gradients carried back along a sensitivity run (T111, T124).  Every state is placed once, with the accelerations that
 * are kept, and without columns.  The cotangents that all steps give to its equations are gathered first, then numbers
 * of the model take theirs. */
#include "base/error.h"
#include "base/memory.h"
#include "math/spatial.h"
#include "simulation/sensitivity.h"
#include <math.h>
#include <string.h>

typedef struct backward {
    clv_sensitivity_work *w;
    const double *weight; /* (frames x outputs)                                           */
    clv_slopes to;
    double *x, *u;        /* (n) cotangents of the state at the end of the step at hand   */
    double *x0, *u0;      /* (n) of its first state                                       */
    double *theta, *rate; /* ((stages + 1) x n) of stages: of theta and u, independent    */
    double *k, *l;        /* (n) of the rates of a stage                                  */
    double *xs, *us;      /* (n) of the state of a stage                                  */
    int frame;            /* whose inputs act at the state derived last, or -1           */
    bool met;             /* w->d has the cotangents of that state                       */
    clv_arena arena;
} backward;

static void layout(backward *b)
{
    const size_t n = (size_t)b->w->n, all = n * ((size_t)b->w->tableau->stages + 1);
    clv_arena *a = &b->arena;
    CLV_TAKE(a, b->x, n), CLV_TAKE(a, b->u, n), CLV_TAKE(a, b->x0, n), CLV_TAKE(a, b->u0, n);
    CLV_TAKE(a, b->theta, all), CLV_TAKE(a, b->rate, all);
    CLV_TAKE(a, b->k, n), CLV_TAKE(a, b->l, n), CLV_TAKE(a, b->xs, n), CLV_TAKE(a, b->us, n);
}

/* to (n) += f A, the row f (rows) times A (rows x n) */
static void add_row_times(double *restrict to, const double *f, const double *A, int rows, int n)
{
    for (size_t i = 0; i < (size_t)rows; i++)
        for (size_t k = 0; k < (size_t)n && f[i] != 0; k++)
            to[k] += f[i] * A[i * (size_t)n + k];
}

static void clear(double *x, int n)
{
    memset(x, 0, (size_t)n * sizeof *x);
}

/* ------------------------------------------------------------------ one state */

/* no cotangent of its equations yet */
static clv_status derive(backward *b, const clv_closed_state *x)
{
    clv_sensitivity_work *w = b->w;
    b->frame = -1;
    clear(w->v, w->n), clear(w->eta, w->m), clear(w->mu_u, w->m), clear(w->mu_x, w->m);
    clear(w->field, 6 * w->plan->nbody);
    b->met = false;
    return clv_closed_return(w, x);
}

/* Cotangents of loads, closings and bodies, with the v and eta at hand; adds to x and u.  Without accelerations that is
 * nothing, but rows and offsets need it. */
static void meet(backward *b, double *x, double *u)
{
    clv_sensitivity_work *w = b->w;
    clv_derivative_back(&w->d, w->v, w->field, w->eta, x, u);
    b->met = true;
}

/* cotangent l of the accelerations (T111.2): adds to x and u, those of the state */
static clv_status accelerations_back(backward *b, const double *l, double *x, double *u)
{
    clv_sensitivity_work *w = b->w;
    const clv_status st = clv_respond_find(w, l);
    if (st != CLV_OK)
        return st;
    for (int i = 0; i < w->n; i++)
        w->v[i] = -w->v[i];
    clv_derivative_field(&w->d, w->v, w->field);
    meet(b, x, u);
    return CLV_OK;
}

/* cotangents x, u of a state with closed loops become those of its independent theta and u (T111.3); adds to x0 */
static void close_back(backward *back, const double *at, double *x, double *u, double *theta, double *x0)
{
    clv_sensitivity_work *w = back->w;
    const clv_partition *p = w->partition;
    const size_t n = (size_t)w->n;
    double *b = w->x;
    if (w->r > 0 && !back->met)
        meet(back, w->force, w->force);
    for (int i = 0; i < w->r; i++)
        b[i] = u[p->column[i]];
    if (w->r > 0)
        clv_partition_solve_transpose(w->r, w->LU, w->pivot, b);
    clear(w->row, w->m);
    for (int i = 0; i < w->r; i++)
        w->row[p->row[i]] = -b[i], w->mu_u[p->row[i]] -= b[i];
    if (w->r > 0)
        clv_derivative_rows_back(&w->d, w->row, w->cotangent, x, u);
    clv_chart_change_back(w, at, x, x0, theta);
    for (int i = 0; i < w->r; i++)
        b[i] = theta[p->column[i]];
    if (w->r > 0)
        clv_partition_solve_transpose(w->r, w->LB, w->pivot_B, b);
    clear(x, w->n);
    for (int i = 0; i < w->r; i++) {
        const double mu = -b[i];
        w->mu_x[p->row[i]] += mu;
        add_row_times(x, &mu, w->J + (size_t)p->row[i] * n, 1, w->n);
    }
    if (w->r > 0)
        clv_chart_change_back(w, at, x, x0, theta);
    for (int i = 0; i < w->r; i++)
        u[p->column[i]] = theta[p->column[i]] = 0;
}

/* numbers of a body, or of the point of a joint, together */
typedef struct together {
    int kind, item; /* of the first of them                                                          */
    double g[10];   /* of a body: by mass, centre of mass (3), inertia (6); of a point: 3            */
} together;

static double body_back(const clv_sensitivity_work *w, const clv_number *x, together *at)
{
    if (at->kind != CLV_NUMBER_MASS || at->item != x->item)
        clv_derivative_body_along(&w->d, x->item, w->field, at->g);
    at->kind = CLV_NUMBER_MASS, at->item = x->item;
    return at->g[(x->kind == CLV_NUMBER_MASS ? 0 : x->kind == CLV_NUMBER_COM ? 1 : 4) + x->component];
}

static double point_back(clv_sensitivity_work *w, const clv_number *x, together *at)
{
    const bool known = at->kind == (int)x->kind && at->item == x->item;
    if (!known && w->plan->child_of_joint[x->item] >= 0)
        clv_derivative_point_along(&w->d, x, w->field, at->g);
    else if (!known)
        clv_derivative_closing_point_along(&w->d, x, w->field, w->eta, w->mu_u, w->mu_x, at->g);
    at->kind = (int)x->kind, at->item = x->item;
    return at->g[x->component];
}

static double number_back(clv_sensitivity_work *w, int i, together *at)
{
    const clv_number *x = &w->number[i];
    if (x->kind == CLV_NUMBER_MASS || x->kind == CLV_NUMBER_COM || x->kind == CLV_NUMBER_INERTIA)
        return body_back(w, x, at);
    return clv_derivative_is_offset(x) ? point_back(w, x, at)
                                       : clv_derivative_number_along(&w->d, x, w->v, w->field);
}

/* a joint that is locked (T125.2) */
static double held_back(const clv_sensitivity_work *w, int i)
{
    clv_derivative_offset g;
    const int row = clv_closed_held_offset(w, i, &g);
    return row >= 0 ? -w->mu_x[row] : clv_derivative_offset_along(&w->d, &g, w->field);
}

/* what the cotangents of the state's equations give to numbers and inputs */
static void numbers_back(backward *b)
{
    clv_sensitivity_work *w = b->w;
    together at = {.kind = -1};
    const bool offsets = w->offsets || w->nheld > 0;
    if (offsets && !b->met)
        meet(b, w->force, w->force);
    if (offsets)
        clv_derivative_offsets_back(&w->d, w->mu_u, w->mu_x, w->cotangent);
    for (int i = 0; i < w->shown.numbers && b->to.number; i++)
        b->to.number[w->order[i]] += number_back(w, w->order[i], &at);
    for (int i = 0; i < w->nheld; i++)
        w->held_bar[i] += held_back(w, i);
    for (int i = 0; i < w->shown.inputs && b->to.input && b->frame >= 0; i++)
        b->to.input[(size_t)b->frame * (size_t)w->shown.inputs + (size_t)i] +=
            clv_derivative_input_along(&w->d, &w->s->model->input[i], w->v, w->field);
}

static void outputs_back(const backward *b, int frame)
{
    clv_sensitivity_work *w = b->w;
    double *x = b->x, *u = b->u;
    const double *weight = b->weight + (size_t)frame * (size_t)w->shown.outputs;
    clv_sensitivity_output_slopes(w);
    add_row_times(x, weight, w->y_x, w->shown.outputs, w->n);
    add_row_times(u, weight, w->y_u, w->shown.outputs, w->n);
    for (int i = 0; i < w->shown.numbers && b->to.number; i++)
        for (int k = 0; k < w->shown.outputs; k++)
            b->to.number[i] += weight[k] * w->y_p[(size_t)k * (size_t)w->shown.numbers + (size_t)i];
    for (int k = 0; k < w->shown.outputs; k++)
        for (int i = 0; i < w->nheld; i++)
            w->held_bar[i] += weight[k] * w->y_held[(size_t)k * (size_t)w->nheld + (size_t)i];
}

/* ------------------------------------------------------------------ one step */

/* cotangents of the rates of stage i from those of what they go into */
static void rates_back(const backward *b, int i, double h)
{
    const clv_tableau *t = b->w->tableau;
    const size_t n = (size_t)b->w->n;
    clear(b->k, b->w->n), clear(b->l, b->w->n);
    for (int j = i + 1; j <= t->stages; j++) {
        const double f = h * (j == t->stages ? t->b[i] : t->a[(size_t)j * (size_t)t->columns + (size_t)i]);
        for (size_t k = 0; k < n && f != 0; k++)
            b->k[k] += f * b->theta[(size_t)j * n + k], b->l[k] += f * b->rate[(size_t)j * n + k];
    }
}

/* the state of stage i: cotangents xs, us of it and theta, from k and l */
static clv_status stage_back(backward *b, int i, double *theta)
{
    clv_sensitivity_work *w = b->w;
    clear(b->xs, w->n), clear(b->us, w->n);
    const clv_status st = accelerations_back(b, b->l, b->xs, b->us);
    clv_chart_rate_back(w, b->k, w->stage[i].theta, w->stage[i].u, theta, b->us);
    return st;
}

/* The derivatives are those of the new state on entry, of the first state on return; x, u go with them. */
static clv_status step_back(backward *b, const clv_kept_step *step)
{
    clv_sensitivity_work *w = b->w;
    const int stages = w->tableau->stages;
    const size_t n = (size_t)w->n;
    clear(b->x0, w->n), clear(b->theta, (stages + 1) * w->n), clear(b->rate, (stages + 1) * w->n);
    double *theta = b->theta + (size_t)stages * n, *rate = b->rate + (size_t)stages * n;
    memcpy(rate, b->u, n * sizeof *rate);
    close_back(b, w->stage[stages].theta, b->x, rate, theta, b->x0);
    memcpy(b->u0, rate, n * sizeof *rate);
    for (int i = stages - 1; i >= 0; i--) {
        numbers_back(b);
        clv_status st = derive(b, &w->stage[i]);
        if (st != CLV_OK)
            return st;
        theta = b->theta + (size_t)i * n, rate = b->rate + (size_t)i * n;
        rates_back(b, i, step->h);
        st = stage_back(b, i, theta);
        if (st != CLV_OK)
            return st;
        b->frame = step->frame;
        if (i == 0)
            break;
        memcpy(rate, b->us, n * sizeof *rate);
        close_back(b, w->stage[i].theta, b->xs, rate, theta, b->x0);
        for (size_t k = 0; k < n; k++)
            b->u0[k] += rate[k];
    }
    for (size_t k = 0; k < n; k++)
        b->x[k] = b->x0[k] + b->xs[k], b->u[k] = b->u0[k] + b->us[k];
    return CLV_OK;
}

/* From the first state of a step to the end of the one before, which is the same state. */
static clv_status go_back(backward *b, const clv_kept_step *step, const clv_kept_step *before)
{
    clv_sensitivity_work *w = b->w;
    if (before->stages && before->frame == step->frame) {
        const clv_status st = clv_sensitivity_again(w, before);
        return st == CLV_OK ? clv_closed_factor(w, &w->stage[w->tableau->stages]) : st;
    }
    numbers_back(b);
    const clv_status st = clv_sensitivity_again(w, before);
    return st == CLV_OK ? derive(b, &w->stage[w->tableau->stages]) : st;
}

static clv_status steps_back(backward *b)
{
    clv_sensitivity_work *w = b->w;
    const clv_kept_step *step = w->step;
    long k = w->steps - 1;
    clv_status st = clv_sensitivity_again(w, &step[k]);
    if (st == CLV_OK)
        st = derive(b, &w->stage[w->tableau->stages]);
    if (st == CLV_OK && step[k].ends)
        outputs_back(b, step[k].frame);
    for (; k >= 0 && st == CLV_OK; k--) {
        st = step_back(b, &step[k]);
        if (st != CLV_OK || k == 0)
            break;
        if (step[k - 1].ends)
            outputs_back(b, step[k - 1].frame);
        st = go_back(b, &step[k], &step[k - 1]);
    }
    return st;
}

/* the start, whose dependent coordinates and rates follow the others */
static void start_back(backward *b)
{
    clv_sensitivity_work *w = b->w;
    clear(b->theta, w->n), clear(b->x0, w->n);
    if (w->first_frame == 0 && w->time[0] <= w->begin)
        outputs_back(b, 0);
    close_back(b, w->stage[0].theta, b->x, b->u, b->theta, b->x0);
    numbers_back(b);
    memcpy(b->x, b->theta, (size_t)w->n * sizeof(double)); /* of the independent ones */
}

static clv_status adjoint(backward *b)
{
    clv_sensitivity_work *w = b->w;
    clv_status st = CLV_OK;
    if (w->steps > 0)
        st = steps_back(b);
    else
        st = derive(b, &w->stage[0]);
    if (st == CLV_OK)
        start_back(b);
    return st;
}

/* cotangents x1 (2 n + held) of what follows an event become those of what was before it; numbers take theirs */
static void cross_back(backward *b, const double *x1)
{
    clv_sensitivity_work *w = b->w;
    const clv_crossing *c = &w->crossing;
    const size_t n = (size_t)w->n, held = (size_t)w->nheld, width = (size_t)c->columns;
    for (size_t i = 0; i < (size_t)c->rows; i++)
        for (size_t k = 0; k < width && x1[i] != 0; k++) {
            const double y = x1[i] * c->E[i * width + k];
            if (k < n)
                b->x[k] += y;
            else if (k < 2 * n)
                b->u[k - n] += y;
            else if (k < 2 * n + held)
                w->held_bar[k - 2 * n] += y;
            else if (b->to.number)
                b->to.number[k - 2 * n - held] += y;
        }
}

/* A piece.  *x1: cotangents of the first state of the next one, or NULL; then of its own. */
static clv_status piece(clv_sensitivity_work *w, const double *weight, const clv_slopes *to, double **x1)
{
    backward b = {.w = w, .weight = weight, .to = *to, .frame = -1};
    const size_t n = (size_t)w->n;
    layout(&b);
    if (!clv_arena_open(&b.arena))
        return clv_fail(&w->s->error, CLV_ERR_MEMORY, "out of memory for a gradient");
    layout(&b);
    if (w->nheld > 0)
        clear(w->held_bar, w->nheld);
    if (*x1)
        cross_back(&b, *x1);
    clv_free(*x1);
    *x1 = NULL;
    clv_status st = adjoint(&b);
    if (st == CLV_OK)
        *x1 = clv_alloc(2 * n + (size_t)w->nheld + 1, sizeof **x1);
    if (*x1) {
        memcpy(*x1, b.x, n * sizeof(double)), memcpy(*x1 + n, b.u, n * sizeof(double));
        if (w->nheld > 0)
            memcpy(*x1 + 2 * n, w->held_bar, (size_t)w->nheld * sizeof(double));
    } else if (st == CLV_OK) {
        st = clv_fail(&w->s->error, CLV_ERR_MEMORY, "out of memory for a gradient");
    }
    clv_arena_close(&b.arena);
    return st;
}

static clv_status all_pieces(clv_sensitivity_work *head, const double *weight, const clv_slopes *to)
{
    clv_sensitivity_work *w = head;
    const size_t n = (size_t)head->n;
    double *x = NULL;
    clv_status st = CLV_OK;
    if (to->number)
        memset(to->number, 0, (size_t)head->shown.numbers * sizeof(double));
    if (to->input)
        memset(to->input, 0, (size_t)head->shown.frames * (size_t)head->shown.inputs * sizeof(double));
    while (w->next)
        w = w->next;
    for (; w && st == CLV_OK; w = w->before) {
        st = piece(w, weight, to, &x);
        if (st != CLV_OK && w != head)
            head->s->error = w->s->error;
    }
    if (st == CLV_OK && x && to->q)
        memcpy(to->q, x, n * sizeof(double));
    if (st == CLV_OK && x && to->u)
        memcpy(to->u, x + n, n * sizeof(double));
    clv_free(x);
    return st;
}

clv_status clv_sensitivity_adjoint(clv_sensitivity *run, const double *weight, const clv_slopes *gradient)
{
    clv_sensitivity_work *w = (clv_sensitivity_work *)run; /* its first member */
    if (!run)
        return CLV_ERR_USAGE;
    clv_status st = clv_sensitivity_open(w, __func__);
    if (st != CLV_OK)
        return st;
    if (!weight || !gradient)
        st = clv_fail(&w->s->error, CLV_ERR_USAGE, "there are no weights of outputs, or the pointer to the gradient "
                                                   "is NULL");
    else
        st = all_pieces(w, weight, gradient);
    clv_pieces_count(w);
    return clv_sensitivity_shut(w, st);
}
