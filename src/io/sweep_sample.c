/* SPDX-License-Identifier: Apache-2.0
 * The values that the runs of a sweep take: Latin hypercube and grid (T48). */
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "io/sweep.h"
#include <math.h>

static clv_status make_room(clv_sweep *s, int runs, clv_error *e)
{
    clv_free(s->value);
    s->runs = runs;
    s->value = clv_alloc((size_t)runs * (size_t)s->nvary, sizeof *s->value);
    return s->value ? CLV_OK : clv_fail(e, CLV_ERR_MEMORY, "out of memory: %d runs of %d numbers", runs, s->nvary);
}

static clv_status check_runs(double runs, clv_error *e)
{
    return runs >= 1 && runs <= CLV_SWEEP_RUNS
               ? CLV_OK
               : clv_fail(e, CLV_ERR_USAGE, "%.10g runs; 1 to %d are possible", runs, CLV_SWEEP_RUNS);
}

/* ---------------------------------------------------------------- T48.1 Latin hypercube */

/* splitmix64 */
static uint64_t next(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* in [0, 1) */
static double uniform(uint64_t *state) { return (double)(next(state) >> 11) * 0x1p-53; }

/* Column k: a permutation of the strata (Fisher and Yates), then a place in each of them. */
static void fill_column(clv_sweep *s, int k, int *order, uint64_t seed)
{
    const clv_vary *v = &s->vary[k];
    const uint64_t number = (uint64_t)k;
    uint64_t state = clv_hash(clv_hash(CLV_HASH_START, &seed, sizeof seed), &number, sizeof number);
    for (int i = 0; i < s->runs; ++i)
        order[i] = i;
    for (int i = s->runs - 1; i > 0; --i) {
        const int j = (int)(uniform(&state) * (i + 1)), kept = order[i];
        order[i] = order[j], order[j] = kept;
    }
    for (int i = 0; i < s->runs; ++i) {
        const double x = v->low + (v->high - v->low) * ((order[i] + uniform(&state)) / s->runs);
        s->value[(size_t)i * (size_t)s->nvary + (size_t)k] = fmin(fmax(x, v->low), v->high);
    }
}

clv_status clv_sweep_lhs(clv_sweep *s, int runs, uint64_t seed, clv_error *e)
{
    clv_error_clear(e);
    for (int k = 0; k < s->nvary; ++k)
        if (s->vary[k].points > 0) {
            clv_fail(e, CLV_ERR_USAGE, "values of '%s' are given one by one, which needs a grid", s->vary[k].name);
            clv_error_hint(e, "add --sample grid, or give a range as %s=1..6", s->vary[k].name);
            return e->code;
        }
    clv_status status = check_runs(runs, e);
    if (status == CLV_OK)
        status = make_room(s, runs, e);
    int *order = status == CLV_OK ? clv_alloc((size_t)runs, sizeof *order) : NULL;
    if (status == CLV_OK && !order)
        return clv_fail(e, CLV_ERR_MEMORY, "out of memory");
    for (int k = 0; k < s->nvary && status == CLV_OK; ++k)
        fill_column(s, k, order, seed);
    clv_free(order);
    return status;
}

/* ---------------------------------------------------------------- T48.2 grid */

/* Points of the numbers that say none: the same for all, so that the product is `runs`.  0: there is no such number */
static int points_left(const clv_sweep *s, int runs)
{
    double given = 1, left = 0;
    for (int k = 0; k < s->nvary; ++k)
        given *= s->vary[k].points > 0 ? s->vary[k].points : 1, left += s->vary[k].points == 0;
    if (left == 0)
        return runs == 0 || given == runs ? 1 : 0;
    const double root = runs > 0 ? round(pow(runs / given, 1 / left)) : 0;
    double product = given;
    for (int k = 0; k < left && product <= 2.0 * CLV_SWEEP_RUNS; ++k)
        product *= root;
    return product == runs && root >= 1 ? (int)root : 0;
}

static double point(const clv_vary *v, int i, int n)
{
    if (v->list)
        return v->list[i];
    if (i == 0 || i == n - 1) /* exactly */
        return i == 0 ? v->low : v->high;
    return (v->low * (n - 1 - i) + v->high * i) / (n - 1);
}

clv_status clv_sweep_grid(clv_sweep *s, int runs, clv_error *e)
{
    double product = 1;
    clv_error_clear(e);
    const int left = points_left(s, runs);
    for (int k = 0; k < s->nvary; ++k)
        product *= s->vary[k].points > 0 ? s->vary[k].points : left;
    if (left == 0) {
        if (runs > 0)
            clv_fail(e, CLV_ERR_USAGE, "no grid of these numbers has %d runs", runs);
        else
            clv_fail(e, CLV_ERR_USAGE, "the points of the grid are missing");
        clv_error_hint(e, "give the points of each number, as %s=1..6/11, without --runs",
                       s->nvary ? s->vary[0].name : "l");
        return e->code;
    }
    clv_status status = check_runs(product, e);
    if (status == CLV_OK)
        status = make_room(s, (int)product, e);
    for (int i = 0; i < s->runs && status == CLV_OK; ++i)
        for (int k = s->nvary - 1, rest = i; k >= 0; --k) { /* the last one changes first */
            const int n = s->vary[k].points > 0 ? s->vary[k].points : left;
            s->value[(size_t)i * (size_t)s->nvary + (size_t)k] = point(&s->vary[k], rest % n, n);
            rest /= n;
        }
    return status;
}
