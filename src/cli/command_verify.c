/* SPDX-License-Identifier: Apache-2.0
 * cleave verify: one mechanism by every formulation of this build.  Each runs twice, as asked and at a hundredth of the
 * tolerance; the difference of the two is the estimate of its error.  Two formulations agree as long as they differ by
 * no more than ten times the sum of their estimates.  Chaos makes every error grow until nothing can be compared: the
 * horizon then moves to the last time at which all estimates are below a thousandth of the mechanism's size. */
#include "base/memory.h"
#include "cli/summary.h"
#include "model/model.h"
#include "simulation/names.h"
#include <math.h>
#include <string.h>

typedef struct verify_settings {
    const char *integrator;
    double time, rtol;
    bool json;
} verify_settings;

#define AT(field) offsetof(verify_settings, field)
static const clv_option options[] = {
    {"time", CLV_OPTION_NUMBER, AT(time), "T", "simulated seconds; default: the model's, else 10", 0, INFINITY, true},
    {"rtol", CLV_OPTION_NUMBER, AT(rtol), "R", "tolerance of the runs; default 1e-8; each is repeated at a hundredth",
     1e-12, 1e-2, false},
    {"integrator", CLV_OPTION_TEXT, AT(integrator), "NAME", "dopri5 (default), bs23, dop853, adams, bdf", 0, 0, false},
    {"json", CLV_OPTION_FLAG, AT(json), NULL, "print one JSON object instead of text", 0, 0, false},
    {0},
};

enum { ROWS = 12, SAMPLES = 100 };
static const double FACTOR = 10, USEFUL = 1e-3, ROUNDING = 1e-11;

/* One formulation. */
typedef struct row {
    const char *name;
    bool ran;        /* present for this model, and came to the end      */
    clv_exit code;   /* of a failure                                     */
    clv_error error; /* why it was left out or failed                    */
    clv_sim_report report;
    double wall;              /* s, of the run as asked                           */
    double *motion;           /* (SAMPLES x nbody x 7) positions and quaternions  */
    double error_at[SAMPLES]; /* m or rad, largest estimate up to the sample      */
    double away;              /* m or rad, from the first row                     */
} row;

typedef struct verdict {
    int first, second; /* the pair that differs most against its estimates; -1: nothing to compare */
    double difference, allowed, time;
} verdict;

typedef struct verify {
    clv_subject subject;
    verify_settings set;
    row row[ROWS];
    int n, nbody;
    int samples; /* up to the horizon           */
    double lost; /* m or rad: estimate behind it */
    double size; /* m                           */
    verdict worst;
} verify;

/* ---------------------------------------------------------------- measure */

static double time_at(const verify *v, int sample)
{
    return v->set.time * (sample + 1) / SAMPLES;
}

static void copy_motion(const verify *v, const clv_sim *sim, double *to)
{
    for (size_t b = 0; b < (size_t)v->nbody; ++b) {
        memcpy(to + 7 * b, clv_sim_position(sim) + 3 * b, 3 * sizeof *to);
        memcpy(to + 7 * b + 3, clv_sim_quaternion(sim) + 4 * b, 4 * sizeof *to);
    }
}

/* Largest distance (m) or angle (rad) between two states. */
static double apart(const verify *v, const double *a, const double *b)
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

static void measure_size(verify *v, const double *motion)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < (size_t)v->nbody * (size_t)v->samples; ++i)
        for (int k = 0; k < 3; ++k)
            lo[k] = fmin(lo[k], motion[7 * i + (size_t)k]), hi[k] = fmax(hi[k], motion[7 * i + (size_t)k]);
    v->size = fmax(fmax(hi[0] - lo[0], hi[1] - lo[1]), fmax(hi[2] - lo[2], 1e-3));
}

/* ---------------------------------------------------------------- run */

static clv_sim *open_sim(verify *v, row *r, double rtol, clv_status *status)
{
    clv_sim *sim = NULL;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = r->name, o.integrator = v->set.integrator, o.rtol = rtol;
    *status = clv_sim_create(&sim, v->subject.model, &o);
    if (*status == CLV_OK && v->samples == SAMPLES)
        *status = clv_sim_set_end(sim, v->set.time);
    if (*status != CLV_OK && sim)
        r->error = *clv_sim_error(sim);
    return sim;
}

static clv_status run_pair(verify *v, row *r, clv_sim *plain, clv_sim *fine, double *scratch)
{
    const size_t stride = 7 * (size_t)v->nbody;
    double most = 0;
    for (int i = 0; i < v->samples; ++i) {
        const double began = clv_wall();
        clv_status status = clv_sim_advance(plain, time_at(v, i));
        r->wall += clv_wall() - began;
        clv_sim *failed = status == CLV_OK ? fine : plain;
        if (status == CLV_OK)
            status = clv_sim_advance(fine, time_at(v, i));
        if (status != CLV_OK) {
            r->error = *clv_sim_error(failed);
            return status;
        }
        copy_motion(v, plain, r->motion + stride * (size_t)i);
        copy_motion(v, fine, scratch);
        r->error_at[i] = most = fmax(most, apart(v, r->motion + stride * (size_t)i, scratch));
    }
    return CLV_OK;
}

/* Runs one formulation to the horizon; CLV_EXIT_RESOURCES where memory ends. */
static clv_exit run_row(verify *v, row *r)
{
    clv_status status, other = CLV_OK;
    double *scratch = clv_alloc(7 * (size_t)v->nbody, sizeof *scratch);
    r->motion = clv_alloc(7 * (size_t)v->nbody * SAMPLES, sizeof *r->motion);
    clv_sim *plain = open_sim(v, r, v->set.rtol, &status), *fine = NULL;
    if (status == CLV_OK)
        fine = open_sim(v, r, v->set.rtol / 100, &other);
    status = status == CLV_OK ? other : status;
    if (!scratch || !r->motion)
        status = CLV_ERR_MEMORY;
    const bool refused = status != CLV_OK;
    if (!refused)
        status = run_pair(v, r, plain, fine, scratch);
    if (!refused)
        clv_sim_summary(plain, &r->report);
    r->ran = status == CLV_OK;
    r->code = status == CLV_ERR_UNSUPPORTED ? CLV_EXIT_DONE : clv_exit_of(status, !refused);
    clv_sim_destroy(plain), clv_sim_destroy(fine), clv_free(scratch);
    return status == CLV_ERR_MEMORY ? CLV_EXIT_RESOURCES : CLV_EXIT_DONE;
}

/* Pulls the horizon in where the estimates of this row have become useless. */
static void bound_horizon(verify *v, const row *r)
{
    for (int i = 0; i < v->samples; ++i)
        if (!(r->error_at[i] <= USEFUL * v->size)) {
            v->lost = r->error_at[i];
            v->samples = i;
        }
}

static void compare(verify *v, int a, int b)
{
    const size_t stride = 7 * (size_t)v->nbody;
    for (int i = 0; i < v->samples; ++i) {
        const double d = apart(v, v->row[a].motion + stride * (size_t)i, v->row[b].motion + stride * (size_t)i);
        const double allowed = FACTOR * (v->row[a].error_at[i] + v->row[b].error_at[i]) + ROUNDING * v->size;
        if (v->worst.first < 0 || d / allowed > v->worst.difference / v->worst.allowed)
            v->worst = (verdict){a, b, d, allowed, time_at(v, i)};
        if (a == 0)
            v->row[b].away = fmax(v->row[b].away, d);
    }
}

static clv_exit run_all(verify *v)
{
    v->n = 0, v->samples = SAMPLES, v->worst.first = -1;
    for (int i = 0; clv_formulation_name(i) && v->n < ROWS; ++i) {
        row *r = &v->row[v->n++];
        *r = (row){.name = clv_formulation_name(i)};
        const clv_exit code = run_row(v, r);
        if (code != CLV_EXIT_DONE)
            return clv_tell("verify", v->set.json, code, "out of memory");
        if (r->ran && v->size == 0)
            measure_size(v, r->motion);
        if (r->ran)
            bound_horizon(v, r);
    }
    for (int a = 0; a < v->n; ++a)
        for (int b = a + 1; b < v->n; ++b)
            if (v->row[a].ran && v->row[b].ran)
                compare(v, a, b);
    return CLV_EXIT_DONE;
}

/* ---------------------------------------------------------------- tell */

static clv_exit judge(const verify *v)
{
    clv_exit code = v->samples > 0 ? CLV_EXIT_DONE : CLV_EXIT_NUMERICAL;
    for (int i = 0; i < v->n; ++i)
        if (v->row[i].code != CLV_EXIT_DONE && code == CLV_EXIT_DONE)
            code = v->row[i].code;
    if (v->worst.first >= 0 && v->worst.difference > v->worst.allowed)
        code = CLV_EXIT_NUMERICAL;
    return code;
}

static double horizon(const verify *v)
{
    return v->samples > 0 ? time_at(v, v->samples - 1) : 0;
}

static double estimate(const verify *v, const row *r)
{
    return v->samples > 0 ? r->error_at[v->samples - 1] : NAN;
}

static void print_row(const verify *v, const row *r)
{
    char wall[24];
    if (!r->ran) {
        printf("%-12s  %s: %s\n", r->name, r->code == CLV_EXIT_DONE ? "left out" : "FAILED", r->error.message);
        return;
    }
    printf("%-12s %8ld %12ld  %9s %10.1e %10.1e %15.1e", r->name, r->report.steps, r->report.rate_evaluations,
           clv_duration(wall, r->wall), r->report.max_energy_drift, r->report.max_position_violation, estimate(v, r));
    if (r == &v->row[0])
        printf("  %13s\n", "-");
    else
        printf("  %13.1e\n", r->away);
}

static void print_text(const verify *v)
{
    const verdict *w = &v->worst;
    printf("%s for %.6g s by %s, rtol %g; errors by a second run at %g\n\n", clv_model_name(v->subject.model),
           v->set.time, v->set.integrator, v->set.rtol, v->set.rtol / 100);
    printf("%-12s %8s %12s  %9s %10s %10s %15s  %13s\n", "formulation", "steps", "evaluations", "wall", "drift [J]",
           "gap", "estimated error", "away from");
    printf("%-12s %8s %12s  %9s %10s %10s %15s  %13s\n", "", "", "", "", "", "[m, rad]", "[m, rad]", v->row[0].name);
    for (int i = 0; i < v->n; ++i)
        print_row(v, &v->row[i]);
    printf("\n");
    if (v->samples < SAMPLES)
        printf("Behind %.4g s errors have grown to %.1g m or rad, too much to compare: the horizon is %.4g s.\n",
               horizon(v), v->lost, horizon(v));
    if (v->samples == 0)
        printf("Nothing is left to compare: a smaller --rtol helps.\n");
    else if (w->first < 0)
        printf("There are no two formulations to compare.\n");
    else
        printf("%s: %s and %s differ most against their errors, by %.2g m or rad at %.4g s; %.2g would be allowed.\n",
               w->difference <= w->allowed ? "They agree" : "THEY DO NOT AGREE", v->row[w->first].name,
               v->row[w->second].name, w->difference, w->time, w->allowed);
}

static void json_row(clv_json *j, const verify *v, const row *r)
{
    clv_json_object(j, r->name);
    clv_json_text(j, "status", r->ran ? "ok" : r->code == CLV_EXIT_DONE ? "left_out" : clv_exit_word(r->code));
    if (r->ran) {
        clv_summary_json_run(j, &r->report, r->wall);
        clv_json_number(j, "estimated_error", estimate(v, r));
        clv_json_number(j, "difference", r->away);
    } else {
        clv_json_error(j, "error", &r->error);
    }
    clv_json_end(j);
}

static void print_json(const verify *v, clv_exit code)
{
    const verdict *w = &v->worst;
    clv_json j = clv_json_begin(stdout);
    clv_json_object(&j, NULL);
    clv_json_text(&j, "status", clv_exit_word(code));
    clv_json_text(&j, "model", clv_model_name(v->subject.model));
    clv_json_text(&j, "integrator", v->set.integrator);
    clv_json_number(&j, "rtol", v->set.rtol);
    clv_json_number(&j, "time", v->set.time);
    clv_json_number(&j, "horizon", horizon(v));
    clv_json_bool(&j, "agree", w->first >= 0 && w->difference <= w->allowed);
    clv_json_object(&j, "formulations");
    for (int i = 0; i < v->n; ++i)
        json_row(&j, v, &v->row[i]);
    clv_json_end(&j);
    clv_json_object(&j, "worst");
    clv_json_text(&j, "first", w->first >= 0 ? v->row[w->first].name : "");
    clv_json_text(&j, "second", w->first >= 0 ? v->row[w->second].name : "");
    clv_json_number(&j, "difference", w->first >= 0 ? w->difference : NAN);
    clv_json_number(&j, "allowed", w->first >= 0 ? w->allowed : NAN);
    clv_json_number(&j, "time", w->first >= 0 ? w->time : NAN);
    clv_json_end(&j);
    clv_json_end(&j);
}

static clv_exit verify_subject(verify *v)
{
    const double suggested = v->subject.model->time_end;
    v->nbody = clv_model_body_count(v->subject.model);
    if (isnan(v->set.time))
        v->set.time = suggested > 0 ? suggested : 10;
    clv_exit code = run_all(v);
    if (code == CLV_EXIT_DONE) {
        code = judge(v);
        if (v->set.json)
            print_json(v, code);
        else
            print_text(v);
    }
    for (int i = 0; i < v->n; ++i)
        clv_free(v->row[i].motion);
    return code;
}

static int command(const clv_command *self, int argc, char **argv)
{
    clv_words words;
    verify v = {.subject = {.command = "verify"}, .set = {.integrator = "dopri5", .time = NAN, .rtol = 1e-8}};
    clv_exit code = clv_command_read(self, &v.set, &words, 1, CLV_WORDS_MAX, argc, argv);
    if (code != CLV_EXIT_DONE)
        return code;
    v.subject.json = v.set.json;
    clv_sim_options o = clv_sim_options_default();
    o.integrator = v.set.integrator;
    code = clv_subject_open(&v.subject, &words, &o); /* tells what is wrong with model or integrator */
    if (code == CLV_EXIT_DONE)
        code = verify_subject(&v);
    clv_subject_close(&v.subject);
    return code;
}

const clv_command clv_command_verify = {
    "verify",
    "MODEL [key=value ...]",
    "run every formulation on one mechanism and compare",
    "  cleave verify hdca-case3\n"
    "  cleave verify mine.yaml --time 2 --rtol 1e-10\n"
    "\n"
    "The formulations share neither their states nor the way they keep loops closed, so what they agree on\n"
    "is right as far as the model is.  Each runs twice; the tighter run tells the error of the other.  Exit\n"
    "code 3 if any two differ by more than ten times the sum of their errors.  Chaotic motions are compared\n"
    "only as long as their errors are small.",
    options,
    command,
};
