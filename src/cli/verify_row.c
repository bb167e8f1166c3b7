/* SPDX-License-Identifier: Apache-2.0
 * One row of `cleave verify`: its runs and the estimate of its error; see verify.h.
 *
 * A row runs twice.  Adaptive runs are repeated at a hundredth of the tolerance, and the difference is the estimate of
 * the first run's error.  Runs at a fixed step h are repeated at h/2; the estimate is the difference times Richardson's
 * 2^p / (2^p - 1) (order p).
 *
 * Where the rank of the constraints falls, that is not enough.  Both runs then drop the same directions at the same
 * positions and share the error they make there, whatever their tolerances.  The estimate is therefore raised after the
 * first such position of any row (a formulation may step over it unseen).  It is at least the difference to a third
 * run with another rank threshold and other steps.  It is also at least the error that belongs to the energy drift.
 * The relative error of the speed is drift / (2 kinetic energy), and the path travelled times that is a distance.
 *
 * Redundant constraints whose data contradict each other by d are met differently by formulations and by cuts of a loop
 * (T40.3).  The relative differences of order d are shared by both runs.  So d times size and path is added, or what d
 * becomes if it grows as the tolerance of the first run does. */
#include "base/memory.h"
#include "cli/verify.h"
#include "integrator/integrator.h"
#include <math.h>
#include <string.h>
#include <time.h>

enum { SAMPLES = CLV_VERIFY_SAMPLES, STEPS = 16, TRIES = 7, ENOUGH = 4 };
static const double USEFUL = 1e-3, LOST = 0.1;
static const double EXACT = 1e-12; /* contradiction: rounding */

/* The runs of a row: as given; the one that shows its error; the one that shows it behind singular positions. */
typedef enum pass { PLAIN, FINE, OTHER } pass;

/* ---------------------------------------------------------------- states */

static void copy_motion(const clv_verify *v, const clv_sim *sim, double *to)
{
    for (size_t b = 0; b < (size_t)v->nbody; ++b) {
        memcpy(to + 7 * b, clv_sim_position(sim) + 3 * b, 3 * sizeof *to);
        memcpy(to + 7 * b + 3, clv_sim_quaternion(sim) + 4 * b, 4 * sizeof *to);
    }
}

double clv_verify_apart(const clv_verify *v, const double *a, const double *b)
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

double clv_verify_extent(const clv_verify *v, const double *motion, int samples)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < (size_t)v->nbody * (size_t)samples; ++i)
        for (int k = 0; k < 3; ++k)
            lo[k] = fmin(lo[k], motion[7 * i + (size_t)k]), hi[k] = fmax(hi[k], motion[7 * i + (size_t)k]);
    return fmax(fmax(hi[0] - lo[0], hi[1] - lo[1]), fmax(hi[2] - lo[2], 1e-3));
}

/* Is the last estimate beyond use?  The first row does not know how far the motion will reach: it runs until it is
 * lost. */
static bool beyond_use(const clv_verify *v, const clv_verify_row *r, int samples)
{
    const double bound = v->size > 0 ? USEFUL * v->size : LOST * clv_verify_extent(v, r->motion, samples);
    return !(r->error_at[samples - 1] <= bound);
}

/* ---------------------------------------------------------------- one simulation */

static clv_sim *open_sim(const clv_verify *v, clv_verify_row *r, pass which, clv_status *status)
{
    clv_sim *sim = NULL;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = r->formulation, o.integrator = r->integrator;
    o.rtol = v->rtol / (which == FINE ? 100 : which == OTHER ? 10 : 1);
    o.step = isnan(r->step) ? v->time / STEPS : which == PLAIN ? r->step : r->step / 2;
    o.rank /= which == OTHER ? 10 : 1;
    o.contradiction = v->contradiction;
    *status = clv_sim_create(&sim, r->model, &o);
    if (*status == CLV_OK)
        *status = clv_sim_set_end(sim, v->time);
    if (*status != CLV_OK && sim)
        r->error = *clv_sim_error(sim);
    return sim;
}

void clv_verify_try(const clv_verify *v, clv_verify_row *r)
{
    clv_status status;
    clv_sim *sim = open_sim(v, r, PLAIN, &status);
    clv_sim_destroy(sim);
    r->ran = false, r->singular = INFINITY;
    r->refused = status == CLV_ERR_UNSUPPORTED || status == CLV_ERR_USAGE;
    r->code = r->refused ? CLV_EXIT_DONE : clv_exit_of(status, true);
}

static double processor(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* To a time, step by step, as far as the row's time lasts: `unfinished` is set if it does not. */
static clv_status advance(const clv_verify *v, clv_verify_row *r, clv_sim *sim, double time)
{
    clv_sim_report report;
    clv_status status = CLV_OK;
    const double began = processor();
    clv_sim_summary(sim, &report);
    r->unfinished = v->limit > 0 && r->spent > v->limit;
    while (status == CLV_OK && report.time < time && !r->unfinished) {
        status = clv_sim_step(sim, time);
        clv_sim_summary(sim, &report);
        r->unfinished = v->limit > 0 && r->spent + processor() - began > v->limit;
    }
    if (status == CLV_OK && !r->unfinished)
        status = clv_sim_advance(sim, time);
    if (status == CLV_STOPPED) /* the last state is that of the end, from then on */
        status = CLV_OK;
    r->spent += processor() - began;
    if (status != CLV_OK)
        r->error = *clv_sim_error(sim);
    if (r->unfinished)
        r->reached = clv_sim_time(sim);
    return status;
}

/* ---------------------------------------------------------------- two runs */

static double richardson(const clv_verify_row *r)
{
    const clv_method *m = clv_method_find(r->integrator);
    const double gain = m && r->step > 0 ? pow(2, m->order) : INFINITY;
    return isinf(gain) ? 1 : gain / (gain - 1);
}

/* What sums up over the samples of a run: the path of the body that goes farthest, and kinetic energy. */
typedef struct tour {
    double path, kinetic;
    double apart; /* m or rad: largest difference of the two runs                                            */
} tour;

static void watch(const clv_verify *v, clv_verify_row *r, const clv_sim *plain, const clv_sim *fine, tour *t)
{
    const size_t stride = 7 * (size_t)v->nbody;
    const int i = r->samples;
    const double *at = r->motion + stride * (size_t)i;
    double kinetic;
    clv_sim_report fine_report;
    clv_sim_summary(plain, &r->report), clv_sim_summary(fine, &fine_report);
    clv_sim_energy(plain, &kinetic, NULL, NULL);
    t->path += i > 0 ? clv_verify_apart(v, at - stride, at) : 0, t->kinetic += kinetic;
    const double mean = t->kinetic / (i + 1), drift = r->report.max_energy_drift;
    r->energy_at[i] = mean > 0 && isfinite(drift) ? t->path * drift / (2 * mean) : 0;
    if (isinf(r->singular) && r->report.truncated_evaluations + fine_report.truncated_evaluations > 0)
        r->singular = clv_verify_time(v, i);
}

/* m or rad: what the contradictions met so far stand for */
static double contradicting(const clv_verify *v, const clv_verify_row *r, const tour *t)
{
    const double d = fmax(r->report.contradiction, r->report.max_contradiction);
    const double grown = r->step > 0 ? 0 : t->apart / v->rtol;
    return d > EXACT ? d * fmax(t->path + clv_verify_extent(v, r->motion, r->samples + 1), grown) : 0;
}

/* Both runs side by side; ends early where the estimate has become useless. */
static clv_status run_pair(const clv_verify *v, clv_verify_row *r, clv_sim *plain, clv_sim *fine, double *scratch)
{
    const size_t stride = 7 * (size_t)v->nbody;
    const double factor = richardson(r);
    tour t = {0, 0, 0};
    r->wall = 0, r->singular = INFINITY;
    for (r->samples = 0; r->samples < SAMPLES; ++r->samples) {
        const int i = r->samples;
        const double began = clv_wall();
        clv_status status = advance(v, r, plain, clv_verify_time(v, i));
        r->wall += clv_wall() - began;
        if (status == CLV_OK && !r->unfinished)
            status = advance(v, r, fine, clv_verify_time(v, i));
        if (status != CLV_OK || r->unfinished)
            return status;
        copy_motion(v, plain, r->motion + stride * (size_t)i);
        copy_motion(v, fine, scratch);
        t.apart = fmax(t.apart, factor * clv_verify_apart(v, r->motion + stride * (size_t)i, scratch));
        watch(v, r, plain, fine, &t);
        r->error_at[i] = t.apart + contradicting(v, r, &t);
        if (beyond_use(v, r, i + 1)) {
            ++r->samples;
            break;
        }
    }
    return CLV_OK;
}

static clv_status run_once(const clv_verify *v, clv_verify_row *r, double *scratch, bool *started)
{
    clv_status status, other = CLV_OK;
    clv_sim *plain = open_sim(v, r, PLAIN, &status), *fine = NULL;
    if (status == CLV_OK)
        fine = open_sim(v, r, FINE, &other);
    status = status == CLV_OK ? other : status;
    *started = status == CLV_OK;
    if (*started)
        status = run_pair(v, r, plain, fine, scratch);
    if (*started)
        clv_sim_summary(plain, &r->report);
    clv_sim_destroy(plain), clv_sim_destroy(fine);
    return status;
}

/* A step that is not given becomes shorter until the estimate stays useful to the end, and is small or took 1000 steps
 * (4000 of a method of order 2).  It does not become shorter than the time left allows. */
static clv_status run_steps(const clv_verify *v, clv_verify_row *r, double *scratch)
{
    clv_status status;
    bool started;
    r->step = v->time / STEPS;
    for (int k = 1;; ++k, r->step /= 4) {
        const double before = r->spent;
        status = run_once(v, r, scratch, &started);
        const bool good = status == CLV_OK && r->samples == SAMPLES && !beyond_use(v, r, SAMPLES);
        const clv_method *m = clv_method_find(r->integrator);
        const bool enough = k >= ENOUGH + (m && m->order <= 2) ||
                            (good && r->error_at[SAMPLES - 1] <= v->rtol * clv_verify_extent(v, r->motion, SAMPLES));
        const bool late = v->limit > 0 && good && r->spent + 4 * (r->spent - before) > v->limit;
        if ((good && (enough || late)) || !started || r->unfinished || status == CLV_ERR_MEMORY || k == TRIES)
            return status;
    }
}

clv_exit clv_verify_row_run(const clv_verify *v, clv_verify_row *r)
{
    bool started;
    clv_status status = CLV_ERR_MEMORY;
    double *scratch = clv_alloc(7 * (size_t)v->nbody, sizeof *scratch);
    r->spent = r->reached = 0, r->unfinished = false;
    r->motion = clv_alloc(7 * (size_t)v->nbody * SAMPLES, sizeof *r->motion);
    if (scratch && r->motion)
        status = isnan(r->step) ? run_steps(v, r, scratch) : run_once(v, r, scratch, &started);
    r->ran = status == CLV_OK;
    r->code = status == CLV_ERR_USAGE ? CLV_EXIT_NUMERICAL : clv_exit_of(status, true);
    clv_free(scratch);
    return status == CLV_ERR_MEMORY ? CLV_EXIT_RESOURCES : CLV_EXIT_DONE;
}

/* ---------------------------------------------------------------- behind singular positions */

/* The third run, from the start; `apart` is raised to the largest difference so far.  It ends a row that it cannot
 * follow: there is no estimate then. */
static void run_other(const clv_verify *v, clv_verify_row *r, clv_sim *sim, double *scratch, double *apart)
{
    const size_t stride = 7 * (size_t)v->nbody;
    const clv_error kept = r->error;
    double most = 0;
    for (int i = 0; i < r->samples; ++i) {
        if (advance(v, r, sim, clv_verify_time(v, i)) != CLV_OK || r->unfinished) {
            r->samples = i;
            break;
        }
        copy_motion(v, sim, scratch);
        apart[i] = most = fmax(most, clv_verify_apart(v, r->motion + stride * (size_t)i, scratch));
    }
    r->error = kept;
}

clv_exit clv_verify_widen(const clv_verify *v, clv_verify_row *r)
{
    clv_status status = CLV_ERR_MEMORY;
    double apart[SAMPLES] = {0}, most = 0;
    double *scratch = clv_alloc(7 * (size_t)v->nbody, sizeof *scratch);
    clv_sim *sim = scratch ? open_sim(v, r, OTHER, &status) : NULL;
    r->spent = 0; /* a time of its own */
    if (status == CLV_OK)
        run_other(v, r, sim, scratch, apart);
    while (status != CLV_OK && r->samples > 0 && clv_verify_time(v, r->samples - 1) >= v->singular)
        r->samples--; /* no estimate there */
    for (int i = 0; i < r->samples; ++i) {
        if (clv_verify_time(v, i) >= v->singular)
            most = fmax(most, fmax(apart[i], r->energy_at[i]));
        r->error_at[i] = fmax(r->error_at[i], most);
    }
    clv_sim_destroy(sim);
    clv_free(scratch);
    return status == CLV_ERR_MEMORY ? CLV_EXIT_RESOURCES : CLV_EXIT_DONE;
}
