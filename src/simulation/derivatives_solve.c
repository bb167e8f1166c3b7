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

/* C (rows x n) += A (rows x n) B (n x n) */
static void add_product(double *C, const double *A, const double *B, int rows, int n)
{
    for (size_t i = 0; i < (size_t)rows; i++)
        for (size_t k = 0; k < (size_t)n; k++) {
            const double a = A[i * (size_t)n + k], *row = B + k * (size_t)n;
            double *to = C + i * (size_t)n;
            for (size_t j = 0; a != 0 && j < (size_t)n; j++)
                to[j] += a * row[j];
        }
}

static void get_column(double *column, const double *M, int columns, int at, int n)
{
    for (int i = 0; i < n; i++)
        column[i] = M[(size_t)i * (size_t)columns + (size_t)at];
}

static void put_column(double *M, int columns, int at, const double *column, int n)
{
    for (int i = 0; i < n; i++)
        M[(size_t)i * (size_t)columns + (size_t)at] = column[i];
}

/* Columns of `to`: responses to the columns of forces F (n x n), or none, and rows R (m x n). */
static void respond_all(clv_derivatives_work *w, double *to, const double *F, const double *R)
{
    const int n = w->d.n, m = w->d.m;
    if (w->dense) {
        clv_derivatives_respond_closed(w, to, F, R, n);
        return;
    }
    for (int k = 0; k < n; k++) {
        clear(w);
        if (F)
            get_column(w->force, F, n, k, n);
        if (R)
            get_column(w->row, R, n, k, m);
        respond(w, w->column);
        put_column(to, n, k, w->column, n);
    }
}

/* Displacements and rates that loops allow (T77.2); rates keep all rows, displacements those of positions. */
static void follow(clv_derivatives_work *w, double *to, bool rates)
{
    const size_t n = (size_t)w->d.n, m = (size_t)w->d.m;
    memcpy(w->work, w->d.row, m * n * sizeof(double));
    for (size_t r = 0; r < m; r++)
        if (!rates && w->held[r])
            memset(w->work + r * n, 0, n * sizeof(double));
    respond_all(w, to, NULL, w->work);
    for (size_t k = 0; k < n; k++)
        to[k * n + k] += 1;
}

static void closed_columns(clv_derivatives_work *w)
{
    const clv_derivative *d = &w->d;
    const int n = d->n, m = d->m;
    const size_t all = (size_t)n * (size_t)n * sizeof(double), rows = (size_t)m * (size_t)n * sizeof(double);
    w->dense = clv_derivatives_takes_dense(w) && clv_derivatives_factor_closed(w);
    follow(w, w->follow_q, false);
    follow(w, w->follow_rate, true);
    memset(w->work, 0, rows);
    add_product(w->work, d->rate_q, w->follow_q, m, n);
    respond_all(w, w->follow_u, NULL, w->work);
    memset(w->dq, 0, all), memset(w->work, 0, rows);
    add_product(w->dq, d->force_q, w->follow_q, n, n), add_product(w->work, d->row_q, w->follow_q, m, n);
    add_product(w->dq, d->force_u, w->follow_u, n, n), add_product(w->work, d->row_u, w->follow_u, m, n);
    respond_all(w, w->dq, w->dq, w->work);
    memset(w->du, 0, all), memset(w->work, 0, rows);
    add_product(w->du, d->force_u, w->follow_rate, n, n), add_product(w->work, d->row_u, w->follow_rate, m, n);
    respond_all(w, w->du, w->du, w->work);
}

/* the same of an open tree */
static void open_columns(clv_derivatives_work *w)
{
    respond_all(w, w->dq, w->d.force_q, NULL);
    respond_all(w, w->du, w->d.force_u, NULL);
}

/* ------------------------------------------------------------------ inputs */

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
    clv_derivative_input(&w->d, x, w->force);
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

static bool has_motion_input(const clv_derivatives_work *w)
{
    for (int i = 0; i < w->shown.inputs; i++)
        if (w->s->model->input[i].kind == CLV_INPUT_MOTION)
            return true;
    return false;
}

/* all of them at once, by the Delassus matrix */
static void dense_columns(clv_derivatives_work *w)
{
    for (int i = 0; i < w->shown.inputs; i++) {
        clear(w);
        clv_derivative_input(&w->d, &w->s->model->input[i], w->force);
        put_column(w->dinput, w->shown.inputs, i, w->force, w->d.n);
    }
    for (int i = 0; i < w->shown.numbers; i++) {
        clear(w);
        clv_derivative_number(&w->d, &w->number[i], w->force);
        put_column(w->dnumber, w->shown.numbers, i, w->force, w->d.n);
    }
    clv_derivatives_respond_closed(w, w->dinput, w->dinput, NULL, w->shown.inputs);
    clv_derivatives_respond_closed(w, w->dnumber, w->dnumber, NULL, w->shown.numbers);
}

void clv_derivatives_solve(clv_derivatives_work *w)
{
    if (w->closes)
        closed_columns(w);
    else
        open_columns(w);
    if (w->closes && w->dense && !has_motion_input(w)) {
        dense_columns(w);
        return;
    }
    for (int i = 0; i < w->shown.inputs; i++)
        input_column(w, i);
    for (int i = 0; i < w->shown.numbers; i++)
        number_column(w, i);
}

/* ------------------------------------------------------------------ open trees by their mass matrix (T77.5) */

/* changes of the force that is missing, with the sign of a load, in the places of the columns */
static void load_columns(clv_derivatives_work *w)
{
    const size_t n = (size_t)w->d.n;
    for (size_t i = 0; i < n * n; i++)
        w->dq[i] = -w->d.force_q[i], w->du[i] = -w->d.force_u[i];
    for (int i = 0; i < w->shown.inputs; i++) {
        clear(w);
        clv_derivative_input(&w->d, &w->s->model->input[i], w->force);
        for (size_t k = 0; k < n; k++)
            w->dinput[k * (size_t)w->shown.inputs + (size_t)i] = -w->force[k];
    }
    for (int i = 0; i < w->shown.numbers; i++) {
        clear(w);
        clv_derivative_number(&w->d, &w->number[i], w->force);
        for (size_t k = 0; k < n; k++)
            w->dnumber[k * (size_t)w->shown.numbers + (size_t)i] = -w->force[k];
    }
}

bool clv_derivatives_solve_open(clv_derivatives_work *w)
{
    if (!clv_derivatives_factor_open(w))
        return false;
    load_columns(w);
    clv_derivatives_respond_open(w, w->dq, w->d.n);
    clv_derivatives_respond_open(w, w->du, w->d.n);
    clv_derivatives_respond_open(w, w->dinput, w->shown.inputs);
    clv_derivatives_respond_open(w, w->dnumber, w->shown.numbers);
    return true;
}
