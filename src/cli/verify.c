/* SPDX-License-Identifier: Apache-2.0
 * The verdict of `cleave verify`; see verify.h, and verify_row.c for the runs of one row.
 *
 * Two rows agree as long as they differ by no more than ten times the sum of their estimates.  An adaptive row adds the
 * tolerance of its repetition, because both of its runs may take the very same steps at first.  Chaos makes every error
 * grow until nothing can be compared.  So a row ends at its horizon, the last time at which its estimate is below a
 * thousandth of the mechanism's size. */
#include "cli/verify.h"
#include "base/memory.h"
#include <math.h>

enum { SAMPLES = CLV_VERIFY_SAMPLES };
static const double FACTOR = 10, USEFUL = 1e-3, ROUNDING = 1e-11;

/* The last one is the end of the run to the last bit. */
double clv_verify_time(const clv_verify *v, int i)
{
    return i + 1 >= SAMPLES ? v->time : v->time * (i + 1) / SAMPLES;
}

double clv_verify_horizon(const clv_verify *v, int samples)
{
    return samples > 0 ? clv_verify_time(v, samples - 1) : 0;
}

double clv_verify_estimate(const clv_verify_row *r)
{
    return r->samples > 0 ? r->error_at[r->samples - 1] : NAN;
}

/* Samples of a row before its estimate exceeds what is useful. */
static void find_horizon(const clv_verify *v, clv_verify_row *r)
{
    int i = 0;
    while (i < r->samples && r->error_at[i] <= USEFUL * v->size)
        ++i;
    r->samples = i;
}

static void compare(clv_verify *v, int a, int b, bool reference)
{
    const size_t stride = 7 * (size_t)v->nbody;
    const clv_verify_row *x = &v->row[a], *y = &v->row[b];
    for (int i = 0; i < x->samples && i < y->samples; ++i) {
        const double d = clv_verify_apart(v, x->motion + stride * (size_t)i, y->motion + stride * (size_t)i);
        const double blind = (x->step > 0 && y->step > 0 ? 0 : v->rtol / 100) * v->size;
        const double allowed = FACTOR * (x->error_at[i] + y->error_at[i] + blind) + ROUNDING * v->size;
        if (v->first < 0 || !(d / allowed <= v->difference / v->allowed))
            v->first = a, v->second = b, v->difference = d, v->allowed = allowed, v->at = clv_verify_time(v, i);
        if (reference)
            v->row[b].away = fmax(v->row[b].away, d);
    }
}

/* All rows twice; the first one that runs shows the size of the motion. */
static clv_exit run_rows(clv_verify *v, int *reference)
{
    *reference = -1, v->size = 0, v->singular = INFINITY;
    for (int i = 0; i < v->n; ++i)
        clv_verify_try(v, &v->row[i]);
    for (int i = 0; i < v->n; ++i) {
        clv_verify_row *r = &v->row[i];
        const clv_exit code = r->refused || r->code != CLV_EXIT_DONE ? CLV_EXIT_DONE : clv_verify_row_run(v, r);
        if (code != CLV_EXIT_DONE)
            return code;
        if (r->ran && r->samples > 0 && *reference < 0)
            *reference = i, v->size = clv_verify_extent(v, r->motion, r->samples);
        if (r->ran)
            v->singular = fmin(v->singular, r->singular);
    }
    return CLV_EXIT_DONE;
}

clv_exit clv_verify_run(clv_verify *v)
{
    int reference;
    clv_exit code = run_rows(v, &reference);
    v->first = v->second = -1;
    for (int i = 0; i < v->n && code == CLV_EXIT_DONE; ++i)
        if (v->row[i].ran && isfinite(v->singular))
            code = clv_verify_widen(v, &v->row[i]);
    if (code != CLV_EXIT_DONE)
        return code;
    for (int i = 0; i < v->n; ++i)
        if (v->row[i].ran)
            find_horizon(v, &v->row[i]);
    for (int a = 0; a < v->n; ++a)
        for (int b = a + 1; b < v->n; ++b)
            if (v->row[a].ran && v->row[b].ran)
                compare(v, a, b, a == reference);
    return CLV_EXIT_DONE;
}

clv_verdict clv_verify_verdict(const clv_verify *v)
{
    if (v->first >= 0 && !(v->difference <= v->allowed))
        return CLV_VERDICT_DISAGREE;
    for (int i = 0; i < v->n; ++i)
        if (v->row[i].code != CLV_EXIT_DONE)
            return CLV_VERDICT_FAILED;
    for (int i = 0; i < v->n; ++i)
        if (v->row[i].ran && v->row[i].samples == 0 && !v->row[i].unfinished)
            return CLV_VERDICT_NOTHING;
    return v->first < 0 ? CLV_VERDICT_NOTHING : CLV_VERDICT_AGREE;
}

clv_exit clv_verify_judge(const clv_verify *v)
{
    for (int i = 0; i < v->n; ++i)
        if (v->row[i].code == CLV_EXIT_RESOURCES)
            return CLV_EXIT_RESOURCES;
    return clv_verify_verdict(v) == CLV_VERDICT_AGREE ? CLV_EXIT_DONE : CLV_EXIT_NUMERICAL;
}

void clv_verify_release(clv_verify *v)
{
    for (int i = 0; i < v->n; ++i) {
        clv_free(v->row[i].motion);
        v->row[i].motion = NULL;
    }
}
