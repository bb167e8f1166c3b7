/* SPDX-License-Identifier: Apache-2.0
 * The measurements of `cleave verify`; see verify.h.
 *
 * Every row runs twice.  Adaptive runs are repeated at a hundredth of the tolerance and the difference is the estimate
 * of the first run's error; runs at a fixed step h are repeated at h/2, and Richardson's 2^p / (2^p - 1) times the
 * difference is (order p).  Two rows agree as long as they differ by no more than ten times the sum of their estimates,
 * to which an adaptive row adds the tolerance of its repetition: at first both of its runs may take the very same
 * steps. Chaos makes every error grow until nothing can be compared: a row ends at its horizon, the last time at which
 * its estimate is below a thousandth of the mechanism's size. */
#include "cli/verify.h"
#include "base/memory.h"
#include "simulation/integrator.h"
#include <math.h>
#include <string.h>

enum { SAMPLES = CLV_VERIFY_SAMPLES, STEPS = 16, TRIES = 7, ENOUGH = 4 };
static const double FACTOR = 10, USEFUL = 1e-3, LOST = 0.1, ROUNDING = 1e-11;

double clv_verify_time(const clv_verify *v, int i)
{
    return v->time * (i + 1) / SAMPLES;
}

double clv_verify_horizon(const clv_verify *v, int samples)
{
    return samples > 0 ? clv_verify_time(v, samples - 1) : 0;
}

double clv_verify_estimate(const clv_verify_row *r)
{
    return r->samples > 0 ? r->error_at[r->samples - 1] : NAN;
}

/* ---------------------------------------------------------------- states */

static void copy_motion(const clv_verify *v, const clv_sim *sim, double *to)
{
    for (size_t b = 0; b < (size_t)v->nbody; ++b) {
        memcpy(to + 7 * b, clv_sim_position(sim) + 3 * b, 3 * sizeof *to);
        memcpy(to + 7 * b + 3, clv_sim_quaternion(sim) + 4 * b, 4 * sizeof *to);
    }
}

/* Largest distance (m) or angle (rad) between two states. */
static double apart(const clv_verify *v, const double *a, const double *b)
{
    double most = 0;
    for (int i = 0; i < v->nbody; ++i, a += 7, b += 7) {
        double plus = 0, minus = 0, d = 0;
        for (int k = 0; k < 3; ++k)
            d += (a[k] - b[k]) * (a[k] - b[k]);
        for (int k = 3; k < 7; ++k) /* a quaternion and its negative are one orientation */
            plus += (a[k] + b[k]) * (a[k] + b[k]), minus += (a[k] - b[k]) * (a[k] - b[k]);
        most = fmax(most, fmax(sqrt(d), 2 * sqrt(fmin(plus, minus))));
    }
    return most;
}

/* m: extent of the first `samples` states */
static double extent(const clv_verify *v, const double *motion, int samples)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < (size_t)v->nbody * (size_t)samples; ++i)
        for (int k = 0; k < 3; ++k)
            lo[k] = fmin(lo[k], motion[7 * i + (size_t)k]), hi[k] = fmax(hi[k], motion[7 * i + (size_t)k]);
    return fmax(fmax(hi[0] - lo[0], hi[1] - lo[1]), fmax(hi[2] - lo[2], 1e-3));
}

/* Is the last estimate beyond use?  The first row does not know how far the motion will reach: it goes on until it is
 * lost. */
static bool beyond_use(const clv_verify *v, const clv_verify_row *r, int samples)
{
    const double bound = v->size > 0 ? USEFUL * v->size : LOST * extent(v, r->motion, samples);
    return !(r->error_at[samples - 1] <= bound);
}

/* ---------------------------------------------------------------- run */

/* The row as asked, or (fine) the run that tells its error. */
static clv_sim *open_sim(const clv_verify *v, clv_verify_row *r, bool fine, clv_status *status)
{
    clv_sim *sim = NULL;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = r->formulation, o.integrator = r->integrator;
    o.rtol = fine ? v->rtol / 100 : v->rtol;
    o.step = fine ? r->step / 2 : r->step;
    *status = clv_sim_create(&sim, r->model, &o);
    if (*status == CLV_OK)
        *status = clv_sim_set_end(sim, v->time);
    if (*status != CLV_OK && sim)
        r->error = *clv_sim_error(sim);
    return sim;
}

static double richardson(const clv_verify_row *r)
{
    const clv_method *m = clv_method_find(r->integrator);
    const double gain = m && r->step > 0 ? pow(2, m->order) : INFINITY;
    return isinf(gain) ? 1 : gain / (gain - 1);
}

/* Both runs side by side; ends early where the estimate has become useless. */
static clv_status run_pair(clv_verify *v, clv_verify_row *r, clv_sim *plain, clv_sim *fine, double *scratch)
{
    const size_t stride = 7 * (size_t)v->nbody;
    const double factor = richardson(r);
    double most = 0;
    r->wall = 0;
    for (r->samples = 0; r->samples < SAMPLES; ++r->samples) {
        const int i = r->samples;
        const double began = clv_wall();
        clv_status status = clv_sim_advance(plain, clv_verify_time(v, i));
        r->wall += clv_wall() - began;
        clv_sim *failed = status == CLV_OK ? fine : plain;
        if (status == CLV_OK)
            status = clv_sim_advance(fine, clv_verify_time(v, i));
        if (status != CLV_OK) {
            r->error = *clv_sim_error(failed);
            return status;
        }
        copy_motion(v, plain, r->motion + stride * (size_t)i);
        copy_motion(v, fine, scratch);
        r->error_at[i] = most = fmax(most, factor * apart(v, r->motion + stride * (size_t)i, scratch));
        if (beyond_use(v, r, i + 1)) {
            ++r->samples;
            break;
        }
    }
    return CLV_OK;
}

static clv_status run_once(clv_verify *v, clv_verify_row *r, double *scratch, bool *started)
{
    clv_status status, other = CLV_OK;
    clv_sim *plain = open_sim(v, r, false, &status), *fine = NULL;
    if (status == CLV_OK)
        fine = open_sim(v, r, true, &other);
    status = status == CLV_OK ? other : status;
    *started = status == CLV_OK;
    if (*started)
        status = run_pair(v, r, plain, fine, scratch);
    if (*started)
        clv_sim_summary(plain, &r->report);
    clv_sim_destroy(plain), clv_sim_destroy(fine);
    return status;
}

/* A step that nobody asked for: shorter until the estimate stays useful to the end, and is small or took 1000 steps
 * (4000 of a method of order 2). */
static clv_status run_steps(clv_verify *v, clv_verify_row *r, double *scratch, bool *started)
{
    clv_status status;
    r->step = v->time / STEPS;
    for (int k = 1;; ++k, r->step /= 4) {
        status = run_once(v, r, scratch, started);
        const bool good = status == CLV_OK && r->samples == SAMPLES && !beyond_use(v, r, SAMPLES);
        const clv_method *m = clv_method_find(r->integrator);
        const bool enough = k >= ENOUGH + (m && m->order <= 2) ||
                            (good && r->error_at[SAMPLES - 1] <= v->rtol * extent(v, r->motion, SAMPLES));
        if ((good && enough) || !*started || status == CLV_ERR_MEMORY || k == TRIES)
            return status;
    }
}

static clv_exit run_row(clv_verify *v, clv_verify_row *r)
{
    bool started = false;
    clv_status status = CLV_ERR_MEMORY;
    double *scratch = clv_alloc(7 * (size_t)v->nbody, sizeof *scratch);
    r->motion = clv_alloc(7 * (size_t)v->nbody * SAMPLES, sizeof *r->motion);
    if (scratch && r->motion)
        status = isnan(r->step) ? run_steps(v, r, scratch, &started) : run_once(v, r, scratch, &started);
    r->ran = status == CLV_OK;
    const bool refused = status == CLV_ERR_UNSUPPORTED || (status == CLV_ERR_USAGE && !started);
    r->code = refused ? CLV_EXIT_DONE : clv_exit_of(status, started);
    clv_free(scratch);
    return status == CLV_ERR_MEMORY ? CLV_EXIT_RESOURCES : CLV_EXIT_DONE;
}

/* ---------------------------------------------------------------- compare */

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
        const double d = apart(v, x->motion + stride * (size_t)i, y->motion + stride * (size_t)i);
        const double blind = (x->step > 0 && y->step > 0 ? 0 : v->rtol / 100) * v->size;
        const double allowed = FACTOR * (x->error_at[i] + y->error_at[i] + blind) + ROUNDING * v->size;
        if (v->first < 0 || !(d / allowed <= v->difference / v->allowed))
            v->first = a, v->second = b, v->difference = d, v->allowed = allowed, v->at = clv_verify_time(v, i);
        if (reference)
            v->row[b].away = fmax(v->row[b].away, d);
    }
}

clv_exit clv_verify_run(clv_verify *v)
{
    int reference = -1;
    v->size = 0, v->first = v->second = -1;
    for (int i = 0; i < v->n; ++i) {
        clv_verify_row *r = &v->row[i];
        const clv_exit code = run_row(v, r);
        if (code != CLV_EXIT_DONE)
            return code;
        if (r->ran && reference < 0)
            reference = i, v->size = extent(v, r->motion, r->samples);
        if (r->ran)
            find_horizon(v, r);
    }
    for (int a = 0; a < v->n; ++a)
        for (int b = a + 1; b < v->n; ++b)
            if (v->row[a].ran && v->row[b].ran)
                compare(v, a, b, a == reference);
    return CLV_EXIT_DONE;
}

clv_exit clv_verify_judge(const clv_verify *v)
{
    clv_exit code = v->first >= 0 && !(v->difference <= v->allowed) ? CLV_EXIT_NUMERICAL : CLV_EXIT_DONE;
    for (int i = 0; i < v->n && code == CLV_EXIT_DONE; ++i)
        code = v->row[i].ran && v->row[i].samples == 0 ? CLV_EXIT_NUMERICAL : v->row[i].code;
    return code;
}

void clv_verify_release(clv_verify *v)
{
    for (int i = 0; i < v->n; ++i) {
        clv_free(v->row[i].motion);
        v->row[i].motion = NULL;
    }
}
