/* SPDX-License-Identifier: Apache-2.0
 * Couplings of joints (T98): sum of f_i(q_i) = offset, where f_i is a factor times the coordinate, a polynomial or a
 * table of it.  A table is a cubic spline, whose second derivative is continuous.  It is natural and continued by
 * straight lines, or periodic: then a turn adds the rise from its first to its last point.  Called by kinematics/ at
 * every evaluation, by follow.c and start_rates.c for starts. */
#include "model/coupling.h"
#include "base/memory.h"
#include "model/add.h"
#include "model/describe.h"
#include "model/profile.h"

/* ------------------------------------------------------------------ tables */

/* Unknowns y''[0 .. n-1] of a periodic spline of n pieces: the equations of profile.c at every point, cyclic.  The
 * matrix is a tridiagonal one and u v^T in its corners, so it is solved with two right-hand sides (J. Sherman,
 * W. J. Morrison, Ann. Math. Stat. 21 (1950) 124-127). */
static bool solve_cyclic(const clv_series *s, double *curve)
{
    const int n = s->n - 1;
    double *ratio = clv_alloc((size_t)n, 2 * sizeof *ratio), *z = ratio ? ratio + n : NULL;
    if (!ratio)
        return false;
    const double *x = s->time, *y = s->value, corner = x[n] - x[n - 1], first = 2 * (x[1] - x[0] + corner);
    const double gamma = -first;
    for (int k = 0; k < n; k++) {
        const double left = k > 0 ? x[k] - x[k - 1] : corner, right = x[k + 1] - x[k];
        const double before = k > 0 ? y[k] - y[k - 1] : y[n] - y[n - 1];
        double pivot = 2 * (left + right) - (k == 0 ? gamma : k == n - 1 ? corner * corner / gamma : 0);
        if (k > 0)
            pivot -= left * ratio[k - 1];
        ratio[k] = right / pivot;
        curve[k] = (6 * ((y[k + 1] - y[k]) / right - before / left) - (k > 0 ? left * curve[k - 1] : 0)) / pivot;
        z[k] = ((k == 0 ? gamma : k == n - 1 ? corner : 0) - (k > 0 ? left * z[k - 1] : 0)) / pivot;
    }
    for (int k = n - 2; k >= 0; k--)
        curve[k] -= ratio[k] * curve[k + 1], z[k] -= ratio[k] * z[k + 1];
    const double part = (curve[0] + corner * curve[n - 1] / gamma) / (1 + z[0] + corner * z[n - 1] / gamma);
    for (int k = 0; k < n; k++)
        curve[k] -= part * z[k];
    clv_free(ratio);
    return true;
}

bool clv_series_prepare_cyclic(clv_series *s)
{
    const bool ok = solve_cyclic(s, s->curve);
    s->curve[s->n - 1] = s->curve[0];
    return ok;
}

bool clv_coupling_prepare(clv_coupling *c)
{
    static const double none[2] = {0, 0};
    clv_series *s = &c->table;
    if (s->n == 0)
        return true;
    if (!c->periodic) {
        clv_series_prepare(s, none);
        return true;
    }
    return clv_series_prepare_cyclic(s);
}

/* Largest k in 0..n-2 with time[k] <= q, 0 if there is none. */
static int piece_of(const clv_series *s, double q)
{
    int low = 0, high = s->n - 1;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (s->time[middle] <= q)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void table_at(const clv_coupling *c, double q, double f[3])
{
    const clv_series *s = &c->table;
    const int last = s->n - 1;
    const double begin = s->time[0], end = s->time[last];
    if (c->periodic) {
        const double turns = floor((q - begin) / (end - begin));
        const double x = fmin(fmax(q - turns * (end - begin), begin), end);
        clv_series_piece(s, piece_of(s, x), x, &f[0], &f[1], &f[2]);
        f[0] += turns * (s->value[last] - s->value[0]);
        return;
    }
    const double x = fmin(fmax(q, begin), end);
    clv_series_piece(s, piece_of(s, x), x, &f[0], &f[1], &f[2]);
    if (x != q)
        f[0] += f[1] * (q - x), f[2] = 0;
}

/* ------------------------------------------------------------------ terms */

static void polynomial_at(const clv_coupling *c, double q, double f[3])
{
    f[0] = f[1] = f[2] = 0;
    for (int k = c->npolynomial - 1; k >= 0; k--) {
        f[2] = f[2] * q + 2 * f[1];
        f[1] = f[1] * q + f[0];
        f[0] = f[0] * q + c->polynomial[k];
    }
}

void clv_coupling_term_at(const clv_coupling *c, int i, double q, double f[3])
{
    const double factor = c->term[i].factor;
    if (!clv_coupling_curved(c, i)) {
        f[0] = factor * q, f[1] = factor, f[2] = 0;
        return;
    }
    if (c->npolynomial > 0)
        polynomial_at(c, q, f);
    else
        table_at(c, q, f);
    for (int k = 0; k < 3; k++)
        f[k] *= factor;
}

/* of a piece of a spline, whose curve holds second derivatives */
static double table_third(const clv_coupling *c, double q)
{
    const clv_series *s = &c->table;
    const double begin = s->time[0], end = s->time[s->n - 1];
    const double x = c->periodic ? q - floor((q - begin) / (end - begin)) * (end - begin) : q;
    if (!c->periodic && !(q >= begin && q < end))
        return 0;
    const int k = piece_of(s, x);
    return (s->curve[k + 1] - s->curve[k]) / (s->time[k + 1] - s->time[k]);
}

double clv_coupling_third_at(const clv_coupling *c, int i, double q)
{
    double sum = 0;
    if (!clv_coupling_curved(c, i))
        return 0;
    if (c->table.n > 0)
        return c->term[i].factor * table_third(c, q);
    for (int k = c->npolynomial - 1; k >= 3; k--)
        sum = sum * q + k * (k - 1) * (k - 2) * c->polynomial[k];
    return c->term[i].factor * sum;
}

/* ------------------------------------------------------------------ one more in a model */

static void check_joints(clv_adding *item, const clv_coupling_desc *d)
{
    if (d->nterm < 0 || (d->nterm > 0 && !d->term)) {
        clv_add_refuse(item, CLV_ERR_USAGE, "of", "the sum has a count but no terms", d->nterm);
        return;
    }
    if (d->nterm > CLV_COUPLING_MOST)
        clv_add_refuse(item, CLV_ERR_MODEL, "of", "a coupling has at most 32 joints", d->nterm);
    for (int i = 0; i < d->nterm && item->status == CLV_OK; i++) {
        clv_add_index(item, "of", d->term[i].joint, 0, item->m->njoint);
        clv_add_finite(item, "of", &d->term[i].factor, 1);
    }
    if (d->nterm > 0 && (d->first >= 0 || d->second >= 0 || d->ratio != 1 || d->npolynomial != 0 || d->table.n != 0))
        clv_add_refuse(item, CLV_ERR_USAGE, "of", "a sum has neither first and second nor ratio, polynomial or table",
                       NAN);
    if (d->nterm == 0) {
        clv_add_index(item, "between", d->first, 0, item->m->njoint);
        clv_add_index(item, "between", d->second, 0, item->m->njoint);
    }
}

static void check_curve(clv_adding *item, const clv_coupling_desc *d)
{
    clv_add_finite(item, "ratio", &d->ratio, 1);
    clv_add_finite(item, "offset", &d->offset, isnan(d->offset) ? 0 : 1); /* NaN: from the start */
    clv_add_table(item, &d->table);
    if (d->npolynomial < 0 || (d->npolynomial > 0 && !d->polynomial))
        clv_add_refuse(item, CLV_ERR_USAGE, "polynomial", "the polynomial has a count but no numbers",
                       d->npolynomial);
    else if (d->npolynomial == 1 || d->npolynomial > CLV_COUPLING_DEGREE + 1)
        clv_add_refuse(item, CLV_ERR_MODEL, "polynomial", "a polynomial has 2 to 9 coefficients", d->npolynomial);
    else
        clv_add_finite(item, "polynomial", d->polynomial, d->npolynomial);
    if ((d->npolynomial != 0) + (d->table.n != 0) + (d->ratio != 1) > 1)
        clv_add_refuse(item, CLV_ERR_USAGE, "ratio", "a coupling has one of ratio, polynomial and table", NAN);
    if (d->periodic && d->table.n == 0)
        clv_add_refuse(item, CLV_ERR_USAGE, "periodic", "only a table is periodic", NAN);
}

/* The terms, as in clv_coupling. */
static bool take_terms(clv_coupling *c, const clv_coupling_desc *d)
{
    const bool curve = d->npolynomial > 0 || d->table.n > 0;
    const clv_coupling_term pair[2] = {{d->second, 1}, {d->first, curve ? -1 : -d->ratio}};
    c->sum = d->nterm > 0;
    c->nterm = c->sum ? d->nterm : 2;
    c->term = clv_alloc((size_t)c->nterm, sizeof *c->term);
    if (!c->term)
        return false;
    memcpy(c->term, c->sum ? d->term : pair, (size_t)c->nterm * sizeof *c->term);
    for (int i = 0; i < d->npolynomial; i++)
        c->polynomial[i] = d->polynomial[i];
    c->npolynomial = d->npolynomial;
    c->periodic = d->periodic;
    c->offset = curve && isnan(d->offset) ? 0 : d->offset;
    return clv_add_series(&c->table, &d->table);
}

clv_status clv_model_add_coupling(clv_model *m, int *index, const clv_coupling_desc *d)
{
    bool described = d && d->cookie == CLV_COOKIE_COUPLING;
    clv_adding item = clv_add_begin(m, CLV_NAME_COUPLING, described ? d->name : NULL, described);
    if (!described)
        return item.status;
    if (item.status == CLV_OK) {
        check_joints(&item, d);
        check_curve(&item, d);
    }
    if (item.status != CLV_OK)
        return item.status;
    if (!CLV_ADD_ROOM(m, CLV_NAME_COUPLING, m->coupling, m->ncoupling))
        return clv_add_out_of_memory(&item);
    clv_coupling *c = &m->coupling[m->ncoupling];
    memset(c, 0, sizeof *c);
    if (!take_terms(c, d) || !(c->name = clv_add_name(&item, m->ncoupling))) {
        clv_coupling_free(c);
        return clv_add_out_of_memory(&item);
    }
    return clv_add_done(index, &m->ncoupling);
}

void clv_coupling_free(clv_coupling *c)
{
    clv_free(c->term);
    clv_series_free(&c->table);
}
