/* SPDX-License-Identifier: Apache-2.0
 * From changes of forces and rows to columns of derivatives (T77): every column is one more right-hand side for the
 * factor of the state. */
#include "kinematics/place.h"
#include "math/rotation.h"
#include "simulation/derivatives.h"

/* column (n) := accelerations by forces -force and rows -row */
static void respond(clv_derivatives_work *w, double *column)
{
    for (int i = 0; i < w->d.n; i++)
        w->force[i] = -w->force[i];
    for (int i = 0; i < w->d.m; i++)
        w->row[i] = -w->row[i];
    clv_engine_solve(&w->s->system.engine, w->x, column, w->Q, w->force, NULL, w->row);
}

static void clear(clv_derivatives_work *w)
{
    memset(w->force, 0, (size_t)w->d.n * sizeof(double)), memset(w->row, 0, (size_t)w->d.m * sizeof(double));
}

/* to += sum over k of x[k] times row k of M (n x width); x is column `at` of an n x n matrix */
static void add_columns(double *to, const double *M, int width, const double *x, int at, int n)
{
    for (int k = 0; k < n; k++) {
        const double part = x[(size_t)k * (size_t)n + (size_t)at];
        for (int i = 0; part != 0 && i < width; i++)
            to[i] += part * M[(size_t)k * (size_t)width + (size_t)i];
    }
}

static void put_column(double *M, int columns, int at, const double *column, int n)
{
    for (int i = 0; i < n; i++)
        M[(size_t)i * (size_t)columns + (size_t)at] = column[i];
}

/* Displacements and rates that loops allow (T77.2). */
static void follow(clv_derivatives_work *w, int k, bool rate)
{
    const int n = w->d.n, m = w->d.m;
    clear(w);
    for (int r = 0; r < m; r++)
        w->row[r] = rate || !w->held[r] ? w->d.row[(size_t)k * (size_t)m + (size_t)r] : 0;
    respond(w, w->column);
    w->column[k] += 1;
    put_column(rate ? w->follow_rate : w->follow_q, n, k, w->column, n);
}

static void follow_all(clv_derivatives_work *w)
{
    const int n = w->d.n, m = w->d.m;
    for (int k = 0; k < n; k++)
        follow(w, k, false), follow(w, k, true);
    for (int k = 0; k < n; k++) {
        clear(w);
        add_columns(w->row, w->d.rate_q, m, w->follow_q, k, n);
        respond(w, w->column);
        put_column(w->follow_u, n, k, w->column, n);
    }
}

static void state_columns(clv_derivatives_work *w, int k)
{
    const clv_derivative *d = &w->d;
    const int n = d->n, m = d->m;
    clear(w);
    add_columns(w->force, d->force_q, n, w->follow_q, k, n), add_columns(w->row, d->row_q, m, w->follow_q, k, n);
    add_columns(w->force, d->force_u, n, w->follow_u, k, n), add_columns(w->row, d->row_u, m, w->follow_u, k, n);
    respond(w, w->column);
    put_column(w->dq, n, k, w->column, n);
    clear(w);
    add_columns(w->force, d->force_u, n, w->follow_rate, k, n), add_columns(w->row, d->row_u, m, w->follow_rate, k, n);
    respond(w, w->column);
    put_column(w->du, n, k, w->column, n);
}

static void open_columns(clv_derivatives_work *w, int k)
{
    const clv_derivative *d = &w->d;
    const size_t n = (size_t)d->n;
    for (int rate = 0; rate < 2; rate++) {
        memcpy(w->force, (rate ? d->force_u : d->force_q) + (size_t)k * n, n * sizeof(double));
        respond(w, w->column);
        put_column(rate ? w->du : w->dq, d->n, k, w->column, d->n);
    }
}

/* ------------------------------------------------------------------ inputs */

/* the load of one unit on a body */
static void body_input(clv_derivatives_work *w, const clv_input *x)
{
    static const clv_load_change none;
    const clv_derivative *d = &w->d;
    clv_load_pair f = {{0}, {0}, {0}, {0}};
    double r[3], W[6];
    clv_input_derive(x, 1, d->loads, &none, &f);
    clv_sub3(r, d->kin->com + 3 * (size_t)x->body, d->origin);
    clv_wrench_shift(W, r, f.Wb);
    clv_derivative_push(d, w->force, x->body, W);
}

/* the acceleration of a motion: true if the joint is in the tree; then it is the bias of its body */
static bool motion_input(clv_derivatives_work *w, int motion, double *c)
{
    const clv_plan *p = w->s->plan;
    const int child = p->child_of_joint[w->s->model->motion[motion].joint];
    if (child >= 0) {
        memcpy(c + 6 * (size_t)child, w->d.kin->H + clv_columns(p, (size_t)child), 6 * sizeof *c);
        return true;
    }
    const clv_edge *e = &p->edge[p->edge_of_joint[w->s->model->motion[motion].joint]];
    w->row[e->row + e->m - 1] = -1;
    return false;
}

static void input_column(clv_derivatives_work *w, int i)
{
    const clv_input *x = &w->s->model->input[i];
    clear(w);
    if (x->kind == CLV_INPUT_MOTION && motion_input(w, x->motion, w->Q)) {
        double *c = w->Q, *zero = w->s->system.b;
        memset(zero, 0, 6 * (size_t)w->s->plan->nbody * sizeof *zero);
        clv_engine_solve(&w->s->system.engine, w->x, w->column, zero, w->force, c, w->row);
        memset(c, 0, 6 * (size_t)w->s->plan->nbody * sizeof *c);
        put_column(w->dinput, w->shown.inputs, i, w->column, w->d.n);
        return;
    }
    if (x->kind == CLV_INPUT_JOINT)
        clv_derivative_effort(&w->d, w->force, x->joint, x->coordinate, 1);
    else if (x->kind == CLV_INPUT_FORCE || x->kind == CLV_INPUT_TORQUE)
        body_input(w, x);
    respond(w, w->column);
    put_column(w->dinput, w->shown.inputs, i, w->column, w->d.n);
}

static void number_column(clv_derivatives_work *w, int i)
{
    clear(w);
    clv_derivative_number(&w->d, &w->number[i], w->force);
    respond(w, w->column);
    put_column(w->dnumber, w->shown.numbers, i, w->column, w->d.n);
}

void clv_derivatives_solve(clv_derivatives_work *w)
{
    if (w->closes)
        follow_all(w);
    for (int k = 0; k < w->d.n; k++)
        if (w->closes)
            state_columns(w, k);
        else
            open_columns(w, k);
    for (int i = 0; i < w->shown.inputs; i++)
        input_column(w, i);
    for (int i = 0; i < w->shown.numbers; i++)
        number_column(w, i);
}
