/* SPDX-License-Identifier: Apache-2.0
 * cleave verify: one mechanism by every formulation of this build, each with an estimate of its own error.  What is
 * measured and when two agree is in verify.c; this file lists the formulations and prints the outcome. */
#include "cli/summary.h"
#include "cli/tone.h"
#include "cli/verify.h"
#include "model/model.h"
#include "integrator/integrator.h"
#include "simulation/names.h"
#include <math.h>
#include <string.h>

typedef struct verify_settings {
    const char *integrator;
    double time, rtol, step, limit, contradiction;
    bool json, lenient;
} verify_settings;

#define AT(field) offsetof(verify_settings, field)
static const clv_option options[] = {
    {"time", CLV_OPTION_NUMBER, AT(time), "T", "simulated seconds; default: the model's, else 10", 0, INFINITY, true},
    {"rtol", CLV_OPTION_NUMBER, AT(rtol), "R",
     "tolerance of adaptive runs; default 1e-8; each is repeated at a hundredth", 1e-12, 1e-2, false},
    {"integrator", CLV_OPTION_TEXT, AT(integrator), "NAME", "dopri5 (default), or any of cleave run", 0, 0, false},
    {"step", CLV_OPTION_NUMBER, AT(step), "H", "fixed step in s, repeated at half of it; default: adaptive, or chosen",
     0, INFINITY, true},
    {"limit", CLV_OPTION_NUMBER, AT(limit), "S", "processor seconds that one formulation may take; default 60", 1e-3,
     1e9, false},
    CLV_SIM_OPTION(contradiction, AT(contradiction)),
    {"lenient", CLV_OPTION_FLAG, AT(lenient), NULL, "clip physically impossible inertias, and list them", 0, 0, false},
    {"json", CLV_OPTION_FLAG, AT(json), NULL, "print one JSON object instead of text", 0, 0, false},
    {0},
};

typedef struct verify {
    clv_subject subject;
    verify_settings set;
    clv_verify run;
} verify;

static bool is_fixed(const char *integrator)
{
    const clv_method *method = clv_method_find(integrator);
    return method && method->fixed_only;
}

/* Samples up to which all rows that ran can be compared. */
static int common_samples(const clv_verify *v)
{
    int most = CLV_VERIFY_SAMPLES;
    for (int i = 0; i < v->n; ++i)
        if (v->row[i].ran && v->row[i].samples < most && !(v->row[i].unfinished && v->row[i].samples == 0))
            most = v->row[i].samples;
    return most;
}

/* ---------------------------------------------------------------- print */

/* Why a row is not in the comparison, or not up to the end; "" if it is. */
static const char *why(const verify *s, const clv_verify_row *r, char text[600])
{
    *text = '\0';
    if (r->refused)
        snprintf(text, 600, "left out: %s", r->error.message);
    else if (r->code != CLV_EXIT_DONE)
        snprintf(text, 600, "FAILED: %s", *r->error.message ? r->error.message : clv_status_text(r->error.code));
    else if (r->unfinished)
        snprintf(text, 600, "not finished in %g s of processor time, which reached %.4g s (--limit)", s->set.limit,
                 r->reached);
    return text;
}

static void print_row(const verify *s, const clv_verify_row *r)
{
    char wall[24], step[24] = "-", text[600];
    if (!r->ran || (r->unfinished && r->samples == 0)) {
        printf("%-12s  %s\n", r->formulation, why(s, r, text));
        return;
    }
    if (r->step > 0)
        snprintf(step, sizeof step, "%.3g", r->step);
    printf("%-12s %9s %8ld %12ld  %9s %10.1e %10.1e", r->formulation, step, r->report.steps, r->report.rate_evaluations,
           clv_duration(wall, r->wall), r->report.max_energy_drift, r->report.max_position_violation);
    if (r->samples == 0)
        printf("%15s %9s\n", "too large", "0");
    else
        printf("%15.1e %9.4g %11.1e\n", clv_verify_estimate(r), clv_verify_horizon(&s->run, r->samples), r->away);
    if (r->unfinished)
        printf("%-12s  %s\n", "", why(s, r, text));
}

static int compared(const clv_verify *v)
{
    int n = 0;
    for (int i = 0; i < v->n; ++i)
        n += v->row[i].ran && v->row[i].samples > 0;
    return n;
}

/* The first line: what came out. */
static void print_verdict(const verify *s)
{
    const clv_verify *v = &s->run;
    const clv_verdict verdict = clv_verify_verdict(v);
    char text[600];
    for (int i = 0; i < v->n && verdict == CLV_VERDICT_FAILED; ++i)
        if (v->row[i].code != CLV_EXIT_DONE)
            printf("%sNOT VERIFIED%s: %s %s\n", clv_tone_begin(CLV_TONE_BAD), clv_tone_begin(CLV_TONE_PLAIN),
                   v->row[i].formulation, why(s, &v->row[i], text));
    if (verdict == CLV_VERDICT_NOTHING)
        printf("%sNOT VERIFIED%s: %s\n", clv_tone_begin(CLV_TONE_BAD), clv_tone_begin(CLV_TONE_PLAIN),
               common_samples(v) == 0
                   ? "the estimated error of a formulation is too large at all times; use a smaller --rtol or --step."
                   : "there are no two formulations to compare.");
    if (v->first < 0)
        return;
    printf("%s%s%s, %d of %d formulations: %s and %s differ most against their errors, by %.2g m or rad at %.4g s "
           "(allowed: %.2g).\n",
           clv_tone_begin(verdict == CLV_VERDICT_AGREE ? CLV_TONE_GOOD : CLV_TONE_BAD),
           verdict == CLV_VERDICT_DISAGREE ? "THEY DO NOT AGREE"
           : verdict == CLV_VERDICT_AGREE  ? "They agree"
                                           : "The others agree",
           clv_tone_begin(CLV_TONE_PLAIN), compared(v), v->n, v->row[v->first].formulation,
           v->row[v->second].formulation, v->difference, v->at, v->allowed);
}

/* What the verdict does not reach. */
static void print_limits(const verify *s)
{
    const clv_verify *v = &s->run;
    const int common = common_samples(v);
    if (common < CLV_VERIFY_SAMPLES && v->first >= 0)
        printf("After their last time (up to) the estimated errors exceed a thousandth of the motion, or the processor "
               "time was used up: the horizon is %.4g s.\n",
               clv_verify_horizon(v, common));
    if (isfinite(v->singular))
        printf("The mechanism passes a singular position before %.4g s (the rank of its constraints falls). From there "
               "on, estimates also include a third run with another rank threshold, and the energy drift.\n",
               v->singular);
}

static void print_text(const verify *s)
{
    const clv_verify *v = &s->run;
    char repeated[80];
    if (s->set.step > 0)
        snprintf(repeated, sizeof repeated, "step %g s; errors by a second run at half of it", s->set.step);
    else if (is_fixed(s->set.integrator))
        snprintf(repeated, sizeof repeated, "fixed step; errors by a second run at half of it");
    else
        snprintf(repeated, sizeof repeated, "rtol %g; errors by a second run at %g", v->rtol, v->rtol / 100);
    print_verdict(s);
    print_limits(s);
    printf("\n%s for %.6g s by %s, %s\n\n", clv_model_name(s->subject.model), v->time, s->set.integrator, repeated);
    printf("%-12s %9s %8s %12s  %9s %10s %10s%15s %9s %11s\n", "formulation", "step", "steps", "evaluations", "wall",
           "drift", "violation", "own error", "up to", "away from");
    printf("%-12s %9s %8s %12s  %9s %10s %10s%15s %9s %11s\n", "", "[s]", "", "", "", "[J]", "[m, rad]", "[m, rad]",
           "[s]", "the first");
    for (int i = 0; i < v->n; ++i)
        print_row(s, &v->row[i]);
}

static const char *row_status(const clv_verify_row *r)
{
    return r->refused                    ? "left_out"
           : r->code != CLV_EXIT_DONE    ? clv_exit_word(r->code)
           : r->unfinished               ? "not_finished"
                                         : "ok";
}

static void json_row(clv_json *j, const clv_verify *v, const clv_verify_row *r)
{
    clv_json_object(j, r->formulation);
    clv_json_text(j, "status", row_status(r));
    clv_json_text(j, "integrator", r->integrator);
    if (!r->ran || !(r->report.step > 0)) /* else it is a number of the run */
        clv_json_number(j, "step", r->step > 0 ? r->step : NAN);
    if (r->ran) {
        clv_summary_json_run(j, &r->report, r->wall);
        clv_json_number(j, "horizon", clv_verify_horizon(v, r->samples));
        clv_json_number(j, "estimated_error", clv_verify_estimate(r));
        clv_json_number(j, "difference", r->away);
        if (r->unfinished)
            clv_json_number(j, "reached", r->reached);
    } else {
        clv_json_error(j, "error", &r->error);
    }
    clv_json_end(j);
}

static void print_json(const verify *s, clv_exit code)
{
    static const char *const word[] = {"agree", "disagree", "failed", "nothing_to_compare"};
    const clv_verify *v = &s->run;
    const bool any = v->first >= 0;
    clv_json j = clv_json_begin(stdout);
    clv_json_object(&j, NULL);
    clv_json_text(&j, "status", clv_exit_word(code));
    clv_json_text(&j, "verdict", word[clv_verify_verdict(v)]);
    clv_json_bool(&j, "agree", clv_verify_verdict(v) == CLV_VERDICT_AGREE);
    clv_json_text(&j, "model", clv_model_name(s->subject.model));
    clv_json_text(&j, "integrator", s->set.integrator);
    clv_json_number(&j, "rtol", v->rtol);
    clv_json_number(&j, "time", v->time);
    clv_json_number(&j, "horizon", clv_verify_horizon(v, common_samples(v)));
    clv_json_number(&j, "singular_before", v->singular);
    clv_json_object(&j, "formulations");
    for (int i = 0; i < v->n; ++i)
        json_row(&j, v, &v->row[i]);
    clv_json_end(&j);
    clv_json_object(&j, "worst");
    clv_json_text(&j, "first", any ? v->row[v->first].formulation : "");
    clv_json_text(&j, "second", any ? v->row[v->second].formulation : "");
    clv_json_number(&j, "difference", any ? v->difference : NAN);
    clv_json_number(&j, "allowed", any ? v->allowed : NAN);
    clv_json_number(&j, "time", any ? v->at : NAN);
    clv_json_end(&j);
    clv_json_end(&j);
}

/* ---------------------------------------------------------------- run */

/* Every formulation of the table, by the given integrator, or its own rule. */
static void list_rows(verify *s)
{
    const double step = s->set.step > 0 ? s->set.step : is_fixed(s->set.integrator) ? NAN : 0;
    clv_verify *v = &s->run;
    for (v->n = 0; clv_formulation_name(v->n) && v->n < CLV_VERIFY_ROWS; ++v->n) {
        const char *rule = clv_formulation_rule(v->n); /* at a step that is chosen */
        v->row[v->n] = (clv_verify_row){.formulation = clv_formulation_name(v->n),
                                        .integrator = rule ? rule : s->set.integrator,
                                        .model = s->subject.model,
                                        .step = rule && !(s->set.step > 0) ? NAN : step};
    }
}

static clv_exit verify_subject(verify *s)
{
    clv_verify *v = &s->run;
    const double suggested = s->subject.model->time_end;
    v->nbody = clv_model_body_count(s->subject.model);
    v->time = !isnan(s->set.time) ? s->set.time : suggested > 0 ? suggested : 10;
    v->rtol = s->set.rtol, v->limit = s->set.limit, v->contradiction = s->set.contradiction;
    list_rows(s);
    clv_exit code = clv_verify_run(v);
    if (code != CLV_EXIT_DONE) {
        clv_tell("verify", s->set.json, code, "out of memory");
    } else {
        code = clv_verify_judge(v);
        if (s->set.json)
            print_json(s, code);
        else
            print_text(s);
    }
    clv_verify_release(v);
    return code;
}

static int command(const clv_command *self, int argc, char **argv)
{
    clv_words words;
    verify v = {.subject = {.command = "verify"},
                .set = {.integrator = "dopri5", .time = NAN, .rtol = 1e-8, .limit = 60,
                        .contradiction = clv_sim_options_default().contradiction}};
    clv_exit code = clv_command_read(self, &v.set, &words, 1, CLV_WORDS_MAX, argc, argv);
    if (code != CLV_EXIT_DONE)
        return code;
    v.subject.json = v.set.json, v.subject.lenient = v.set.lenient;
    clv_sim_options o = clv_sim_options_default();
    o.integrator = v.set.integrator;
    o.contradiction = v.set.contradiction;
    o.step = v.set.step > 0 ? v.set.step : is_fixed(v.set.integrator) ? 1 : 0; /* only to have names checked */
    code = clv_subject_open(&v.subject, &words, &o); /* reports what is wrong with model or integrator */
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
    "The formulations differ in their states, their solution methods and their treatment of loops.  Agreement shows\n"
    "that the model is solved correctly, not that it describes the machine.  Each runs twice; the tighter run\n"
    "estimates the error of the other, after singular positions also a third run and the energy drift.  Exit code 3\n"
    "if any two differ by more than ten times the sum of their errors, or if one fails.  A formulation that does not\n"
    "support the model is left out, with the reason; one that exceeds --limit is compared up to the time that it has\n"
    "reached.  Chaotic motions are compared while the errors are below a thousandth of the motion.",
    options,
    command,
};
