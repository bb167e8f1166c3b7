/* SPDX-License-Identifier: Apache-2.0
 * Names and eigenvalues of a linear system, and its file; see linearize.h. */
#include "cli/linearize.h"
#include "base/memory.h"
#include "io/mat.h"
#include "io/npz.h"
#include "math/lapack.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { LONGEST = 160 };

/* ------------------------------------------------------------------ names */

/* "low.q", "ball.u.rx", "boom.mode.1.rate"; an implicit free joint has the name of its body */
static void name_state(char *to, const clv_model *m, const clv_linear_state *s)
{
    const char *body = m->body[s->body].name, *what = s->rate ? "u" : "q";
    if (s->mode >= 0)
        snprintf(to, LONGEST, "%.120s.mode.%d%s", body, s->mode + 1, s->rate ? ".rate" : "");
    else
        snprintf(to, LONGEST, "%.120s.%s%s", s->joint >= 0 ? m->joint[s->joint].name : body, what,
                 clv_coordinate_suffix(s->joint >= 0 ? m->joint[s->joint].kind : CLV_JOINT_FREE, true, s->coordinate));
}

static void name_outputs(clv_linear_system *x, const clv_columns *c, char *text)
{
    int n = 0;
    for (int i = 0; i < c->n; i++)
        for (int k = 0; k < c->column[i].count && c->column[i].first > 0; k++, n++, text += LONGEST) {
            const clv_column *o = &c->column[i];
            if (o->count > 1) /* axes are "x y z" or "w x y z" */
                snprintf(text, LONGEST, "%.130s.%c", o->name, o->axes[2 * k]);
            else
                snprintf(text, LONGEST, "%.130s", o->name);
            x->output[n] = text;
        }
}

clv_status clv_linear_name(clv_linear_system *x, const clv_model *m, const clv_columns *outputs)
{
    const size_t states = (size_t)x->linear->states, inputs = (size_t)x->linear->inputs,
                 all = (size_t)x->linear->outputs;
    x->text = clv_alloc((states + all + 1) * LONGEST, 1);
    x->state = clv_alloc(states + inputs + all + 1, sizeof *x->state);
    if (!x->text || !x->state)
        return CLV_ERR_MEMORY;
    x->input = x->state + states, x->output = x->input + inputs;
    for (size_t i = 0; i < states; i++) {
        name_state(x->text + i * LONGEST, m, &x->linear->state[i]);
        x->state[i] = x->text + i * LONGEST;
    }
    for (size_t i = 0; i < inputs; i++)
        x->input[i] = m->input[i].name;
    name_outputs(x, outputs, x->text + states * LONGEST);
    return CLV_OK;
}

void clv_linear_release(clv_linear_system *x)
{
    clv_free(x->text), clv_free(x->state), clv_free(x->value);
}

/* ------------------------------------------------------------------ eigenvalues */

/* size of component i of vector k, the first of a pair */
static double component(const double *V, const double *im, size_t n, size_t i, size_t k)
{
    return im[k] != 0 ? hypot(V[i * n + k], V[i * n + k + 1]) : fabs(V[i * n + k]);
}

int clv_linear_coordinates(const clv_linear *l)
{
    int n = 0;
    while (n < l->states && !l->state[n].rate)
        n++;
    return n;
}

static void find_movers(clv_eigenvalue *e, const double *V, const double *im, size_t n, size_t coordinates, size_t k)
{
    for (int m = 0; m < 3; m++) {
        e->mover[m] = -1;
        for (size_t i = 0; i < coordinates; i++) {
            bool taken = false;
            for (int j = 0; j < m; j++)
                taken = taken || e->mover[j] == (int)i;
            const double part = component(V, im, n, i, k);
            if (!taken && part > (e->mover[m] < 0 ? 0 : e->part[m]))
                e->mover[m] = (int)i, e->part[m] = part;
        }
        if (e->mover[m] < 0)
            break;
    }
    const double first = e->mover[0] < 0 ? 1 : e->part[0];
    for (int m = 0; m < 3; m++)
        e->part[m] /= first;
}

/* by size, then by real part */
static void sort(clv_eigenvalue *e, int n)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0; k--) {
            const double a = hypot(e[k - 1].re, e[k - 1].im), b = hypot(e[k].re, e[k].im);
            if (a < b || (a == b && e[k - 1].re <= e[k].re))
                break;
            const clv_eigenvalue t = e[k];
            e[k] = e[k - 1], e[k - 1] = t;
        }
}

static double largest_of(const double *a, size_t from, size_t to)
{
    double most = 0;
    for (size_t i = from; i < to; i++)
        most = fmax(most, fabs(a[i]));
    return most;
}

/* What rounding of A may change in eigenvalue k, to first order y^H dA x / y^H x with left and right vectors y and x.
 * Elements are known to a part of the largest one of their row, among derivatives by coordinates or by rates.  Several
 * eigenvalues that coincide have y^H x = 0 and part by a root of the change of A, three of them by the third. */
static double rounding(const clv_linear *l, const double *V, const double *U, const double *im, size_t k)
{
    const size_t n = (size_t)l->states, coordinates = (size_t)clv_linear_coordinates(l);
    double by_q = 0, by_u = 0, change = 0, re_yx = 0, im_yx = 0;
    for (size_t i = 0; i < n; i++)
        *(i < coordinates ? &by_q : &by_u) += pow(component(V, im, n, i, k), 2);
    for (size_t i = 0; i < n; i++) {
        const double *row = l->A + i * n, *x = V + i * n + k, *y = U + i * n + k;
        const double q = largest_of(row, 0, coordinates), u = largest_of(row, coordinates, n);
        const bool pair = im[k] != 0;
        change += pow(component(U, im, n, i, k), 2) * (q * q * by_q + u * u * by_u);
        re_yx += x[0] * y[0] + (pair ? x[1] * y[1] : 0);
        im_yx += pair ? x[1] * y[0] - x[0] * y[1] : 0;
    }
    change = fmax(64 * DBL_EPSILON, l->error) * sqrt(change);
    return fmin(4 * change / hypot(re_yx, im_yx), cbrt(change));
}

bool clv_eigenvalue_is_zero(const clv_eigenvalue *e) { return hypot(e->re, e->im) <= e->error; }

bool clv_linear_eigenvalues(clv_linear_system *x)
{
    const size_t n = (size_t)x->linear->states;
    double *A = clv_alloc(3 * n * n + 2 * n + 1, sizeof *A);
    x->value = clv_alloc(n + 1, sizeof *x->value);
    bool good = A && x->value;
    if (good) {
        double *V = A + n * n, *U = V + n * n, *re = U + n * n, *im = re + n;
        memcpy(A, x->linear->A, n * n * sizeof(double));
        good = n == 0 || clv_lapack_eigen(re, im, V, U, A, (int)n) == 0;
        for (size_t k = 0; k < n && good; k += im[k] != 0 ? 2 : 1) {
            clv_eigenvalue *e = &x->value[x->values++];
            e->re = re[k], e->im = fabs(im[k]), e->error = rounding(x->linear, V, U, im, k);
            find_movers(e, V, im, n, (size_t)clv_linear_coordinates(x->linear), k);
        }
        sort(x->value, x->values);
    }
    clv_free(A);
    if (!good)
        clv_free(x->value), x->value = NULL, x->values = 0;
    return good;
}

/* ------------------------------------------------------------------ the file */

static void npz_matrix(clv_npz *z, const char *name, const double *A, int rows, int columns)
{
    const size_t n = (size_t)rows * (size_t)columns;
    clv_npz_array(z, name, "<f8", 8, (size_t)rows, columns);
    clv_npz_write(z, A, n * sizeof(double));
    clv_npz_end_array(z);
}

static void npz_vector(clv_npz *z, const char *name, const double *v, int n)
{
    clv_npz_array(z, name, "<f8", 8, (size_t)n, -1);
    clv_npz_write(z, v, (size_t)n * sizeof(double));
    clv_npz_end_array(z);
}

static void npz_names(clv_npz *z, const char *name, const char *const *text, int n)
{
    char type[24];
    snprintf(type, sizeof type, "<U%d", (int)LONGEST);
    clv_npz_array(z, name, type, 4 * (size_t)LONGEST, (size_t)n, -1);
    for (int i = 0; i < n; i++)
        clv_npz_text(z, text[i], LONGEST);
    clv_npz_end_array(z);
}

static void write_npz(const clv_linear_system *x, FILE *out)
{
    const clv_linear *l = x->linear;
    clv_npz z = clv_npz_begin(out);
    npz_matrix(&z, "A", l->A, l->states, l->states), npz_matrix(&z, "B", l->B, l->states, l->inputs);
    npz_matrix(&z, "C", l->C, l->outputs, l->states), npz_matrix(&z, "D", l->D, l->outputs, l->inputs);
    npz_vector(&z, "x", l->x, l->states), npz_vector(&z, "u", l->u, l->inputs), npz_vector(&z, "y", l->y, l->outputs);
    npz_names(&z, "states", x->state, l->states), npz_names(&z, "inputs", x->input, l->inputs);
    npz_names(&z, "outputs", x->output, l->outputs);
    clv_npz_end(&z);
}

static void write_mat(const clv_linear_system *x, FILE *out)
{
    const clv_linear *l = x->linear;
    const size_t n = (size_t)l->states, m = (size_t)l->inputs, p = (size_t)l->outputs;
    clv_mat_begin(out);
    clv_mat_matrix(out, "A", l->A, n, n), clv_mat_matrix(out, "B", l->B, n, m);
    clv_mat_matrix(out, "C", l->C, p, n), clv_mat_matrix(out, "D", l->D, p, m);
    clv_mat_matrix(out, "x", l->x, n, 1), clv_mat_matrix(out, "u", l->u, m, 1), clv_mat_matrix(out, "y", l->y, p, 1);
    clv_mat_names(out, "states", x->state, n), clv_mat_names(out, "inputs", x->input, m);
    clv_mat_names(out, "outputs", x->output, p);
}

void clv_linear_write(const clv_linear_system *x, bool mat, FILE *out) { (mat ? write_mat : write_npz)(x, out); }
