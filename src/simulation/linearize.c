/* SPDX-License-Identifier: Apache-2.0
 * Linear systems about the output state (T64): derivatives along independent displacements and rates, changed into
 * those with respect to states. */
#include "model/force.h"
#include "simulation/linearize.h"
#include <math.h>
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "math/orthonormal.h"

/* coordinates of quaternions are chosen only where joints of one axis are not independent enough */
#define PREFERENCE 0.3

typedef struct linear {
    clv_linear shown;
    clv_linear_state *state;
    double *A, *B, *C, *D, *x, *u, *y;
    char why[384];
    clv_arena arena;
} linear;

/* ------------------------------------------------------------------ room */

static void layout(clv_linearizer *l)
{
    const clv_sim *s = l->s;
    const size_t n = (size_t)l->n, f = (size_t)l->f, g = (size_t)l->g, width = (size_t)l->width;
    const size_t columns = f + g + (size_t)s->model->ninput;
    clv_arena *a = &l->arena;
    CLV_TAKE(a, l->place, n), CLV_TAKE(a, l->chosen, f), CLV_TAKE(a, l->moving, g), CLV_TAKE(a, l->N, g * n);
    CLV_TAKE(a, l->u0, n), CLV_TAKE(a, l->y0, s->n), CLV_TAKE(a, l->turn0, 6 * (size_t)s->plan->nedge);
    CLV_TAKE(a, l->z, f), CLV_TAKE(a, l->w, g), CLV_TAKE(a, l->q, s->plan->nq), CLV_TAKE(a, l->du, n);
    CLV_TAKE(a, l->sample, 2 * (size_t)CLV_LINEAR_POINTS * width);
    CLV_TAKE(a, l->D, width * columns), CLV_TAKE(a, l->error, width * columns), CLV_TAKE(a, l->E, (f + g) * (f + g));
}

static void name_places(clv_linearizer *l)
{
    const clv_plan *p = l->s->plan;
    for (int b = 0; b < p->nbody; b++) {
        const clv_tree_joint *t = &p->tree[b];
        const int plain = t->nq > t->nu ? t->nu - 3 : t->nu;
        for (int c = 0; t->iu >= 0 && c < t->f; c++)
            l->place[t->iu + c] = (clv_place_of){.body = b, .mode = -1, .at = c, .turn = c < plain ? -1 : c - plain,
                                                 .q = t->iq + (c < plain ? c : plain)};
    }
    for (int k = 0; k < p->nstar; k++)
        for (int m = 0; m < p->star[k].nmode; m++)
            l->place[p->star[k].iu + m] = (clv_place_of){
                .body = l->s->model->flex[k].body, .mode = m, .turn = -1, .q = p->star[k].iq + m};
}

/* Independent coordinates (T64.1): of N (f x n) by columns, the largest rest first.  False: out of memory. */
static bool choose(const clv_linearizer *l, const double *N, int directions, int *chosen)
{
    const clv_independent *x = &l->e.x;
    const size_t n = (size_t)l->n, f = (size_t)directions;
    double *A = clv_alloc(n * f + 1, sizeof *A), *Q = clv_alloc(f * f + 1, sizeof *Q),
           *R = clv_alloc(f * n + 1, sizeof *R);
    int *order = clv_alloc(n + 1, sizeof *order);
    const bool room = A && Q && R && order;
    for (size_t i = 0; i < n && room; i++)
        for (size_t k = 0; k < f; k++)
            A[i * f + k] = (l->place[i].turn < 0 ? 1 : PREFERENCE) * N[k * n + i] / x->a.unit[i];
    if (room && f > 0)
        (void)clv_orthonormal_rows(Q, R, order, A, (int)n, (int)f, 0, (int)f);
    for (size_t k = 0; k < f && room; k++) { /* ascending */
        size_t at = k;
        for (; at > 0 && chosen[at - 1] > order[k]; at--)
            chosen[at] = chosen[at - 1];
        chosen[at] = order[k];
    }
    clv_free(A), clv_free(Q), clv_free(R), clv_free(order);
    return room;
}

/* Where joints restrict velocities, rates have fewer directions than positions (T68): these are found first, then
 * those of positions anew.  N: NULL before there is room, then l->N. */
static clv_status find_rates(clv_linearizer *l, double *N)
{
    clv_independent *x = &l->e.x;
    x->positions = false;
    clv_status st = clv_independent_find(x, l->e.q);
    l->g = x->f;
    if (st == CLV_OK && N)
        memcpy(N, x->N, (size_t)l->g * (size_t)l->n * sizeof(double));
    x->positions = true;
    return st == CLV_OK ? clv_independent_find(x, l->e.q) : st;
}

static clv_status open_linearizer(clv_linearizer *l)
{
    clv_sim *s = l->s;
    clv_status st = clv_sim_announce(s, false);
    if (st != CLV_OK)
        return st;
    memcpy(s->system.kin.turn, s->out_turn, 6 * (size_t)s->plan->nedge * sizeof(double));
    st = clv_statics_open(&l->e, s);
    if (st != CLV_OK)
        return st;
    l->n = s->plan->nu, l->f = l->e.f;
    st = find_rates(l, NULL);
    if (st != CLV_OK)
        return st;
    l->width = 2 * l->n + l->g + l->noutput;
    layout(l);
    if (!clv_arena_open(&l->arena))
        return clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory for a linear system");
    layout(l);
    st = find_rates(l, l->N);
    if (st != CLV_OK)
        return st;
    name_places(l);
    if (!choose(l, l->e.x.N, l->f, l->chosen) || !choose(l, l->N, l->g, l->moving))
        return clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory for a linear system");
    memcpy(l->y0, s->out_y, (size_t)s->n * sizeof(double));
    memcpy(l->turn0, s->out_turn, 6 * (size_t)s->plan->nedge * sizeof(double));
    st = clv_system_rates(&s->system, s->formulation, s->out_time, s->out_y, s->ydot);
    if (st == CLV_OK)
        memcpy(l->u0, s->system.u, (size_t)l->n * sizeof(double));
    return st;
}

static clv_status check(clv_sim *s, int noutput, clv_linear_output_fn output)
{
    if (noutput < 0 || (noutput > 0 && !output))
        return clv_fail(&s->error, CLV_ERR_USAGE, "the function of the outputs is NULL, or their count is negative");
    const clv_status st = clv_touching_exclude(s, "a linear system");
    if (st != CLV_OK)
        return st;
    for (int i = 0; i < s->model->ninput; i++)
        if (s->model->input[i].kind == CLV_INPUT_MOTION) {
            clv_fail(&s->error, CLV_ERR_UNSUPPORTED,
                     "input '%s' accelerates a motion; a linear system does not take such inputs",
                     s->model->input[i].name);
            clv_error_hint(&s->error, "give the input the joint of the motion: `inputs: {name: {joint: a}}`");
            return s->error.code;
        } else if (clv_input_arrival(&s->model->input[i], s->input[i], s->ramp + 2 * (size_t)i) > s->out_time) {
            clv_fail(&s->error, CLV_ERR_UNSUPPORTED, "input '%s' still changes towards %g: this is not an operating "
                                                     "point",
                     s->model->input[i].name, s->input[i]);
            clv_error_hint(&s->error, "linearize later, when its effort has reached this value");
            return s->error.code;
        }
    return CLV_OK;
}

/* ------------------------------------------------------------------ the matrices */

/* X := E^-1 by rows below E (n x n, spoilt), Gauss-Jordan with pivots; false: singular */
static bool invert(double *E, double *X, size_t n)
{
    for (size_t i = 0; i < n * n; i++)
        X[i] = i / n == i % n;
    for (size_t c = 0; c < n; c++) {
        size_t best = c;
        for (size_t r = c + 1; r < n; r++)
            best = fabs(E[r * n + c]) > fabs(E[best * n + c]) ? r : best;
        if (!(fabs(E[best * n + c]) > 0))
            return false;
        for (size_t k = 0; k < n; k++) {
            double t = E[c * n + k];
            E[c * n + k] = E[best * n + k], E[best * n + k] = t;
            t = X[c * n + k], X[c * n + k] = X[best * n + k], X[best * n + k] = t;
        }
        const double pivot = E[c * n + c];
        for (size_t k = 0; k < n; k++)
            E[c * n + k] /= pivot, X[c * n + k] /= pivot;
        for (size_t r = 0; r < n; r++) {
            const double t = E[r * n + c];
            for (size_t k = 0; k < n && r != c && t != 0; k++)
                E[r * n + k] -= t * E[c * n + k], X[r * n + k] -= t * X[c * n + k];
        }
    }
    return true;
}

/* to (f + g) := row (of D) times X */
static void change_states(const clv_linearizer *l, const double *row, const double *X, double *to)
{
    const size_t n = (size_t)l->f + (size_t)l->g;
    for (size_t j = 0; j < n; j++) {
        to[j] = 0;
        for (size_t k = 0; k < n; k++)
            to[j] += row[k] * X[k * n + j];
    }
}

/* to += 1 where the rate of coordinate i is a state, else its derivatives */
static void add_rate(const clv_linearizer *l, int i, const double *X, double *to)
{
    const size_t f = (size_t)l->f, n = f + (size_t)l->g, columns = n + (size_t)l->s->model->ninput;
    for (size_t m = 0; m < (size_t)l->g; m++)
        if (l->moving[m] == i) {
            to[f + m] += 1;
            return;
        }
    for (size_t j = 0; j < n; j++)
        for (size_t m = 0; m < n; m++)
            to[j] += l->D[((size_t)l->n + (size_t)i) * columns + m] * X[m * n + j];
}

/* Rates of coordinates: their own, and of quaternions -omega x (T64.4). */
static void rates_of_coordinates(const clv_linearizer *l, const double *X, double *A)
{
    const size_t f = (size_t)l->f, n = f + (size_t)l->g, columns = n + (size_t)l->s->model->ninput;
    for (size_t k = 0; k < f; k++) {
        const int i = l->chosen[k];
        const clv_place_of *p = &l->place[i];
        double *to = A + k * n;
        memset(to, 0, n * sizeof(double));
        if (p->turn >= 0) {
            const int first = i - p->turn, b = (p->turn + 1) % 3, c = (p->turn + 2) % 3;
            const double *w = l->u0 + first;
            for (size_t j = 0; j < n; j++)
                for (size_t m = 0; m < n; m++)
                    to[j] -= (w[b] * l->D[(size_t)(first + c) * columns + m] -
                              w[c] * l->D[(size_t)(first + b) * columns + m]) * X[m * n + j];
        }
        add_rate(l, i, X, to);
    }
}

/* largest estimated error of a row beside the largest of its entries among all rows from .. to */
static double error_of(const clv_linearizer *l, size_t from, size_t to)
{
    const size_t columns = (size_t)l->f + (size_t)l->g + (size_t)l->s->model->ninput;
    double size = 0, error = 0;
    for (size_t i = from * columns; i < to * columns; i++)
        size = fmax(size, fabs(l->D[i])), error = fmax(error, l->error[i]);
    return size > 0 ? error / size : 0;
}

static bool find_matrices(const clv_linearizer *l, linear *to)
{
    const size_t f = (size_t)l->f, g = (size_t)l->g, n = f + g, w = (size_t)l->n,
                 inputs = (size_t)l->s->model->ninput, columns = n + inputs;
    double *X = clv_alloc(n * n + 1, sizeof *X);
    if (!X)
        return false;
    for (size_t k = 0; k < f; k++)
        memcpy(l->E + k * n, l->D + (size_t)l->chosen[k] * columns, n * sizeof(double));
    for (size_t k = 0; k < g; k++)
        memcpy(l->E + (f + k) * n, l->D + (w + (size_t)l->moving[k]) * columns, n * sizeof(double));
    const bool regular = invert(l->E, X, n);
    rates_of_coordinates(l, X, to->A);
    memset(to->B, 0, f * inputs * sizeof(double));
    for (size_t k = 0; k < g; k++) {
        const double *row = l->D + (2 * w + k) * columns;
        change_states(l, row, X, to->A + (f + k) * n);
        memcpy(to->B + (f + k) * inputs, row + n, inputs * sizeof(double));
    }
    for (size_t k = 0; k < (size_t)l->noutput; k++) {
        const double *row = l->D + (2 * w + g + k) * columns;
        change_states(l, row, X, to->C + k * n);
        memcpy(to->D + k * inputs, row + n, inputs * sizeof(double));
    }
    to->shown.error = fmax(error_of(l, 2 * w, 2 * w + g), error_of(l, 2 * w + g, (size_t)l->width));
    clv_free(X);
    return regular;
}

static void layout_linear(linear *x, const clv_linearizer *l)
{
    const size_t n = (size_t)l->f + (size_t)l->g, inputs = (size_t)l->s->model->ninput, outputs = (size_t)l->noutput;
    clv_arena *a = &x->arena;
    CLV_TAKE(a, x->state, n), CLV_TAKE(a, x->x, n), CLV_TAKE(a, x->u, inputs), CLV_TAKE(a, x->y, outputs);
    CLV_TAKE(a, x->A, n * n), CLV_TAKE(a, x->B, n * inputs), CLV_TAKE(a, x->C, outputs * n);
    CLV_TAKE(a, x->D, outputs * inputs);
}

static void name_states(const clv_linearizer *l, linear *to)
{
    const int f = l->f, n = f + l->g;
    for (int k = 0; k < n; k++) {
        const int i = k < f ? l->chosen[k] : l->moving[k - f];
        const clv_place_of *p = &l->place[i];
        to->state[k] = (clv_linear_state){.joint = p->mode < 0 ? l->s->plan->tree[p->body].joint : -1,
                                          .body = p->body,
                                          .mode = p->mode,
                                          .coordinate = p->at,
                                          .rate = k >= f};
        to->x[k] = k >= f ? l->u0[i] : p->turn >= 0 ? 0 : l->y0[p->q];
    }
    memcpy(to->u, l->s->input, (size_t)l->s->model->ninput * sizeof(double));
    const clv_linear shown = {.states = n, .inputs = l->s->model->ninput, .outputs = l->noutput,
                              .state = to->state, .x = to->x, .u = to->u, .y = to->y,
                              .A = to->A, .B = to->B, .C = to->C, .D = to->D, .error = to->shown.error,
                              .differences = l->known ? NULL : to->why};
    memcpy(to->why, l->why, sizeof to->why);
    to->shown = shown;
}

static clv_status linearize(clv_linearizer *l, linear *to)
{
    clv_sim *s = l->s;
    clv_status st = clv_linear_sample(l, l->sample); /* the output state itself */
    if (st != CLV_OK)
        return st;
    layout_linear(to, l);
    if (!clv_arena_open(&to->arena))
        return clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory for a linear system");
    layout_linear(to, l);
    memcpy(to->y, l->sample + 2 * l->n + l->g, (size_t)l->noutput * sizeof(double));
    st = clv_linear_slopes(l);
    if (st == CLV_OK && !find_matrices(l, to))
        st = clv_fail(&s->error, CLV_ERR_SINGULAR, "the states of the linear system are not independent");
    name_states(l, to);
    return st;
}

/* Derivatives of accelerations, or why there are none.  Errors: CLV_ERR_MEMORY. */
static clv_status find_known(clv_linearizer *l)
{
    const clv_status st = clv_sim_derivatives(l->s, NULL, 0, &l->known);
    if (st == CLV_OK || st == CLV_ERR_MEMORY)
        return st;
    clv_error_text(l->why, sizeof l->why, l->s->error.message);
    clv_derivatives_destroy(l->known), l->known = NULL;
    clv_error_clear(&l->s->error);
    return CLV_OK;
}

/* opened by clv_linearize_by, which closes and frees in any case */
static clv_status find_linear(clv_linearizer *l, linear *to)
{
    clv_sim *s = l->s;
    clv_status st = clv_sim_enter(s, __func__);
    if (st != CLV_OK)
        return st;
    st = clv_sim_leave(s, open_linearizer(l));
    if (st != CLV_OK)
        return st;
    const double *ramp = s->system.ramp;
    s->system.ramp = NULL; /* inputs vary beside where they are, at once */
    st = linearize(l, to);
    s->system.ramp = ramp;
    clv_linear_restore(l);
    return st;
}

clv_status clv_linearize_by(clv_sim *s, int outputs, clv_linear_output_fn output, void *user, bool differences,
                            clv_linear **result)
{
    clv_linearizer l = {
        .s = s, .noutput = outputs, .output = output, .user = user, .why = "differences were requested"};
    if (result)
        *result = NULL;
    clv_status st = clv_sim_enter(s, "clv_sim_linearize");
    if (st != CLV_OK)
        return st;
    st = clv_sim_leave(s, check(s, outputs, output));
    if (!result)
        return clv_fail(&s->error, CLV_ERR_USAGE, "the pointer to the linear system is NULL");
    if (st != CLV_OK)
        return st;
    linear *to = clv_alloc(1, sizeof *to);
    if (!to)
        return clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory for a linear system");
    if (!differences)
        st = find_known(&l);
    if (st == CLV_OK)
        st = find_linear(&l, to);
    if (l.e.s)
        clv_statics_close(&l.e);
    clv_arena_close(&l.arena);
    clv_derivatives_destroy(l.known);
    if (st == CLV_OK)
        *result = &to->shown;
    else
        clv_linear_destroy(&to->shown);
    return st;
}

clv_status clv_sim_linearize(clv_sim *s, int outputs, clv_linear_output_fn output, void *user, clv_linear **result)
{
    return clv_linearize_by(s, outputs, output, user, false, result);
}

void clv_linear_destroy(clv_linear *x)
{
    linear *l = (linear *)x; /* its first member */
    if (!l)
        return;
    clv_arena_close(&l->arena);
    clv_free(l);
}
