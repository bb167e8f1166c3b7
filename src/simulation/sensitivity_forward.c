/* SPDX-License-Identifier: Apache-2.0
 * Slopes carried along a sensitivity run (T110): every step of the run once more, with columns for all numbers, inputs,
 * start coordinates and rates. */
#include "base/error.h"
#include "base/memory.h"
#include "simulation/sensitivity.h"
#include <math.h>
#include <string.h>

typedef struct forward {
    clv_sensitivity_work *w;
    clv_slopes to;
    int rates;                       /* of the first piece                                             */
    int P, at_input, at_q, at_u;     /* columns: numbers, inputs, coordinates, rates of the start */
    double *X, *U;                   /* (n x P) slopes of the state                                  */
    double *theta, *x, *u;           /* (n x P) of theta, of a stage                                 */
    double *K, *L;                   /* (stages x n x P) of the rates of stages                      */
    double *b, *a;                   /* (n) (n) work                                                 */
    double *rows;                    /* (m x P) work                                                 */
    double *gap, *rate, *load, *row; /* (m x P) (m x P) (n x P) (m x P) by numbers and inputs */
    double *H;                       /* (held x P) slopes of coordinates that are locked      */
    double *X0, *U0, *H0;            /* of the first state, from the piece before; NULL: it is the start */
    clv_arena arena;
} forward;

static void layout(forward *f)
{
    const size_t P = (size_t)f->P, n = (size_t)f->w->n, all = n * P, m = (size_t)f->w->m * P;
    const size_t stages = (size_t)f->w->tableau->stages;
    clv_arena *a = &f->arena;
    CLV_TAKE(a, f->X, all), CLV_TAKE(a, f->U, all), CLV_TAKE(a, f->theta, all), CLV_TAKE(a, f->x, all);
    CLV_TAKE(a, f->u, all), CLV_TAKE(a, f->K, stages * all), CLV_TAKE(a, f->L, stages * all);
    CLV_TAKE(a, f->b, n), CLV_TAKE(a, f->a, n), CLV_TAKE(a, f->rows, m), CLV_TAKE(a, f->load, all);
    CLV_TAKE(a, f->gap, m), CLV_TAKE(a, f->rate, m), CLV_TAKE(a, f->row, m);
    CLV_TAKE(a, f->H, (size_t)f->w->nheld * P);
    clv_derivative_layout_columns(&f->w->d, a);
}

/* C (rows x P) += A (rows x n) B (n x P) */
static void add_product(double *C, const double *A, const double *B, int rows, int n, int P)
{
    for (size_t i = 0; i < (size_t)rows; i++)
        for (size_t k = 0; k < (size_t)n; k++) {
            const double a = A[i * (size_t)n + k];
            for (size_t c = 0; c < (size_t)P && a != 0; c++)
                C[i * (size_t)P + c] += a * B[k * (size_t)P + c];
        }
}

static void put(double *M, int P, int column, const double *x, int rows)
{
    for (size_t i = 0; i < (size_t)rows; i++)
        M[i * (size_t)P + (size_t)column] = x[i];
}

/* M += x times the slopes of a coordinate that is held */
static void add_held(const forward *f, int held, double *M, const double *x, int rows)
{
    const double *h = f->H + (size_t)held * (size_t)f->P;
    for (size_t i = 0; i < (size_t)rows; i++)
        for (size_t c = 0; c < (size_t)f->P && x[i] != 0; c++)
            M[i * (size_t)f->P + c] += x[i] * h[c];
}

/* columns of numbers and inputs at the state that was derived */
static void find_columns(forward *f)
{
    clv_sensitivity_work *w = f->w;
    const size_t rows = (size_t)w->m * (size_t)f->P * sizeof(double);
    memset(f->load, 0, (size_t)w->n * (size_t)f->P * sizeof(double));
    memset(f->gap, 0, rows), memset(f->rate, 0, rows), memset(f->row, 0, rows);
    for (int i = 0; i < w->shown.numbers; i++) {
        clv_closed_number(w, i);
        put(f->load, f->P, i, w->force, w->n), put(f->row, f->P, i, w->row, w->m);
        put(f->rate, f->P, i, w->rate_row, w->m), put(f->gap, f->P, i, w->gap_row, w->m);
    }
    for (int i = 0; i < w->shown.inputs; i++) {
        clv_closed_input(w, i);
        put(f->load, f->P, f->at_input + i, w->force, w->n);
    }
    for (int i = 0; i < w->nheld; i++) {
        clv_closed_held(w, i);
        add_held(f, i, f->load, w->force, w->n), add_held(f, i, f->row, w->row, w->m);
        add_held(f, i, f->rate, w->rate_row, w->m), add_held(f, i, f->gap, w->gap_row, w->m);
    }
}

/* dependent rows of M (n x P) -= factor^-1 of rows (m x P) */
static void follow(forward *f, double *M, const double *factor, const int *pivot)
{
    const clv_sensitivity_work *w = f->w;
    const clv_partition *p = w->partition;
    const size_t P = (size_t)f->P;
    for (size_t c = 0; c < P; c++) {
        for (int i = 0; i < w->r; i++)
            w->x[i] = f->rows[(size_t)p->row[i] * P + c];
        clv_partition_solve(w->r, factor, pivot, w->x, 1);
        for (int i = 0; i < w->r; i++)
            M[(size_t)p->column[i] * P + c] -= w->x[i];
    }
}

/* Slopes theta, u of a stage, whose dependent rows are zero, become those of its state x, u; of base X. */
static void close_forward(forward *f, const clv_closed_state *at, const double *X)
{
    clv_sensitivity_work *w = f->w;
    const size_t rows = (size_t)w->m * (size_t)f->P * sizeof(double);
    clv_chart_change(w, at->theta, X, f->theta, f->x, f->P);
    if (w->r == 0 || !w->partition)
        return;
    memcpy(f->rows, f->gap, rows);
    add_product(f->rows, w->J, f->x, w->m, w->n, f->P);
    follow(f, f->theta, w->LB, w->pivot_B);
    clv_chart_change(w, at->theta, X, f->theta, f->x, f->P);
    memcpy(f->rows, f->rate, rows);
    add_product(f->rows, w->d.rate_q, f->x, w->m, w->n, f->P);
    add_product(f->rows, w->J, f->u, w->m, w->n, f->P);
    follow(f, f->u, w->LU, w->pivot);
}

/* slopes of the accelerations (T77.1) */
static void accelerate(forward *f, double *L)
{
    clv_sensitivity_work *w = f->w;
    const int n = w->n, m = w->m, P = f->P;
    memcpy(L, f->load, (size_t)n * (size_t)P * sizeof(double));
    add_product(L, w->d.force_q, f->x, n, n, P), add_product(L, w->d.force_u, f->u, n, n, P);
    memcpy(f->rows, f->row, (size_t)m * (size_t)P * sizeof(double));
    add_product(f->rows, w->d.row_q, f->x, m, n, P), add_product(f->rows, w->d.row_u, f->u, m, n, P);
    for (size_t c = 0; c < (size_t)P; c++) {
        for (size_t i = 0; i < (size_t)n; i++)
            f->b[i] = -L[i * (size_t)P + c];
        for (size_t i = 0; i < (size_t)m; i++)
            w->row[i] = -f->rows[i * (size_t)P + c];
        clv_engine_solve(&w->s->system.engine, w->acceleration, f->a, w->zero, f->b, NULL, m > 0 ? w->row : NULL);
        put(L, P, (int)c, f->a, n);
    }
}

/* theta := h sum weight K, u := U + h sum weight L, dependent rows zero */
static void combine(forward *f, const double *weight, int count, double h)
{
    const clv_sensitivity_work *w = f->w;
    const size_t P = (size_t)f->P, all = (size_t)w->n * P;
    memset(f->theta, 0, all * sizeof(double)), memcpy(f->u, f->U, all * sizeof(double));
    for (size_t j = 0; j < (size_t)count; j++)
        for (size_t i = 0; i < all && weight[j] != 0; i++) {
            f->theta[i] += h * weight[j] * f->K[j * all + i];
            f->u[i] += h * weight[j] * f->L[j * all + i];
        }
    for (int i = 0; i < w->r; i++) {
        memset(f->theta + (size_t)w->partition->column[i] * P, 0, P * sizeof(double));
        memset(f->u + (size_t)w->partition->column[i] * P, 0, P * sizeof(double));
    }
}

static void rates_forward(forward *f, int i)
{
    const clv_sensitivity_work *w = f->w;
    const clv_closed_state *at = &w->stage[i];
    const size_t all = (size_t)w->n * (size_t)f->P;
    clv_chart_rate_change(w, at->theta, at->u, f->theta, f->u, f->K + (size_t)i * all, f->P);
    accelerate(f, f->L + (size_t)i * all);
}

static clv_status step_forward(forward *f, const clv_kept_step *step)
{
    clv_sensitivity_work *w = f->w;
    const clv_tableau *b = w->tableau;
    const size_t bytes = (size_t)w->n * (size_t)f->P * sizeof(double);
    clv_status st = clv_sensitivity_again(w, step);
    for (int i = 0; i <= b->stages && st == CLV_OK; i++) {
        const bool end = i == b->stages;
        st = clv_closed_derive(w, &w->stage[i]);
        if (st != CLV_OK)
            break;
        find_columns(f);
        if (i == 0) {
            memset(f->theta, 0, bytes);
            memcpy(f->x, f->X, bytes), memcpy(f->u, f->U, bytes);
        } else {
            combine(f, end ? b->b : b->a + (size_t)i * (size_t)b->columns, i, step->h);
            close_forward(f, &w->stage[i], f->X);
        }
        if (!end)
            rates_forward(f, i);
    }
    memcpy(f->X, f->x, bytes), memcpy(f->U, f->u, bytes);
    return st;
}

/* ------------------------------------------------------------------ all */

static void put_frame(const forward *f, double *to, int frame, int first, int count)
{
    const clv_sensitivity_work *w = f->w;
    const size_t P = (size_t)f->P, n = (size_t)w->n;
    if (!to)
        return;
    to += (size_t)frame * (size_t)w->shown.outputs * (size_t)count;
    for (size_t k = 0; k < (size_t)w->shown.outputs; k++)
        for (size_t c = 0; c < (size_t)count; c++) {
            const size_t at = (size_t)first + c;
            double sum = at < (size_t)w->shown.numbers ? w->y_p[k * (size_t)w->shown.numbers + at] : 0;
            for (size_t i = 0; i < n; i++)
                sum += w->y_x[k * n + i] * f->X[i * P + at] + w->y_u[k * n + i] * f->U[i * P + at];
            for (size_t i = 0; i < (size_t)w->nheld; i++)
                sum += w->y_held[k * (size_t)w->nheld + i] * f->H[i * P + at];
            to[k * (size_t)count + c] = sum;
        }
}

/* at the state that was derived last */
static void show(const forward *f, int frame)
{
    clv_sensitivity_work *w = f->w;
    clv_sensitivity_output_slopes(w);
    put_frame(f, f->to.number, frame, 0, w->shown.numbers);
    put_frame(f, f->to.input, frame, f->at_input, w->shown.inputs);
    put_frame(f, f->to.q, frame, f->at_q, f->to.q ? f->rates : 0);
    put_frame(f, f->to.u, frame, f->at_u, f->to.u ? f->rates : 0);
}

static clv_status begin(forward *f)
{
    clv_sensitivity_work *w = f->w;
    const size_t P = (size_t)f->P, all = (size_t)w->n * P * sizeof(double);
    if (w->steps > 0)
        clv_sensitivity_enter(w, w->step);
    clv_sensitivity_first(w, &w->stage[0]);
    const clv_status st = clv_closed_derive(w, &w->stage[0]);
    if (st != CLV_OK)
        return st;
    if (f->X0) {
        memcpy(f->X, f->X0, all), memcpy(f->U, f->U0, all);
        if (w->nheld > 0)
            memcpy(f->H, f->H0, (size_t)w->nheld * P * sizeof(double));
        return CLV_OK;
    }
    find_columns(f);
    for (size_t i = 0; i < (size_t)w->n; i++) {
        if (w->partition && w->partition->depends[i])
            continue;
        if (f->to.q)
            f->theta[i * P + (size_t)f->at_q + i] = 1;
        if (f->to.u)
            f->u[i * P + (size_t)f->at_u + i] = 1;
    }
    close_forward(f, &w->stage[0], f->X); /* X is zero */
    memcpy(f->X, f->x, all), memcpy(f->U, f->u, all);
    if (w->first_frame == 0 && w->time[0] <= w->begin)
        show(f, 0);
    return CLV_OK;
}

static clv_status run(forward *f)
{
    const clv_sensitivity_work *w = f->w;
    clv_status st = begin(f);
    for (long k = 0; k < w->steps && st == CLV_OK; k++) {
        st = step_forward(f, &w->step[k]);
        if (st == CLV_OK && w->step[k].ends)
            show(f, w->step[k].frame);
    }
    return st;
}

/* slopes after the event that ends a piece, into room of the next one: (2 n + held) x P */
static double *cross(const forward *f)
{
    const clv_crossing *c = &f->w->crossing;
    const size_t n = (size_t)f->w->n, P = (size_t)f->P, held = (size_t)f->w->nheld, width = (size_t)c->columns;
    double *to = clv_alloc((size_t)c->rows * P + 1, sizeof *to);
    for (size_t i = 0; to && i < (size_t)c->rows; i++)
        for (size_t k = 0; k < width; k++) {
            const double e = c->E[i * width + k];
            const double *from = k < n       ? f->X + k * P
                                 : k < 2 * n ? f->U + (k - n) * P
                                             : f->H + (k - 2 * n) * P;
            if (k >= 2 * n + held) {
                to[i * P + k - 2 * n - held] += e; /* numbers are the first columns */
                continue;
            }
            for (size_t q = 0; q < P && e != 0; q++)
                to[i * P + q] += e * from[q];
        }
    return to;
}

/* a piece, from the slopes x0 of its first state; *x1: those of the next */
static clv_status piece(clv_sensitivity_work *w, const forward *like, double *x0, double **x1)
{
    forward f = {.w = w, .to = like->to, .P = like->P, .at_input = like->at_input, .at_q = like->at_q,
                 .at_u = like->at_u, .rates = like->rates};
    const size_t all = (size_t)w->n * (size_t)f.P;
    layout(&f);
    if (!clv_arena_open(&f.arena))
        return clv_fail(&w->s->error, CLV_ERR_MEMORY, "out of memory for sensitivities");
    layout(&f);
    if (x0)
        f.X0 = x0, f.U0 = x0 + all, f.H0 = x0 + 2 * all;
    clv_status st = run(&f);
    if (st == CLV_OK && w->next) {
        *x1 = cross(&f);
        if (!*x1)
            st = clv_fail(&w->s->error, CLV_ERR_MEMORY, "out of memory for sensitivities");
    }
    clv_arena_close(&f.arena);
    return st;
}

clv_status clv_sensitivity_forward(clv_sensitivity *x, const clv_slopes *slopes)
{
    clv_sensitivity_work *head = (clv_sensitivity_work *)x; /* its first member */
    forward f = {.w = head};
    double *x0 = NULL;
    if (!x)
        return CLV_ERR_USAGE;
    clv_status st = clv_sensitivity_open(head, __func__);
    if (st != CLV_OK)
        return st;
    if (!slopes)
        return clv_sensitivity_shut(head,
                                    clv_fail(&head->s->error, CLV_ERR_USAGE, "the pointer to the slopes is NULL"));
    f.to = *slopes, f.rates = head->n;
    f.at_input = x->numbers, f.at_q = f.at_input + x->inputs, f.at_u = f.at_q + (slopes->q ? head->n : 0);
    f.P = f.at_u + (slopes->u ? head->n : 0);
    for (clv_sensitivity_work *w = head; w && st == CLV_OK; w = w->next) {
        double *next = NULL;
        st = piece(w, &f, x0, &next);
        if (st != CLV_OK && w != head)
            head->s->error = w->s->error;
        clv_free(x0), x0 = next;
    }
    clv_free(x0);
    clv_pieces_count(head);
    return clv_sensitivity_shut(head, st);
}
