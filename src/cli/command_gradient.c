/* SPDX-License-Identifier: Apache-2.0
 * cleave gradient: how an output at the end of a run, or its integral, changes with numbers of the model (T109 to
 * T111), by one run and one adjoint. */
#include "base/error.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/file.h"
#include "cli/summary.h"
#include "io/quantity.h"
#include "model/number.h"
#include <math.h>
#include <string.h>

typedef struct gradient_settings {
    clv_sim_options sim;
    clv_words inputs;
    double time; /* s */
    const char *of, *by;
    bool integral, lenient, json;
} gradient_settings;

#define AT(field) offsetof(gradient_settings, field)
static const clv_option options[] = {
    {"of", CLV_OPTION_TEXT, AT(of), "OUTPUT", "an output: 'hinge.q', 'hinge.u', 'tip.position.y', 'tip.velocity.x'", 0,
     0, false},
    {"by", CLV_OPTION_TEXT, AT(by), "LIST",
     "numbers with commas: 'rod.mass', 'rod.com.x', 'damper.damping', 'hinge.point_a.x', 'gravity.y'", 0, 0, false},
    {"time", CLV_OPTION_NUMBER, AT(time), "T", "end of the run, s; default: the model's, else 10", 0, INFINITY, false},
    {"integral", CLV_OPTION_FLAG, AT(integral), NULL, "of the integral of the output over time, not of its last value",
     0, 0, false},
    CLV_SIM_OPTION(rtol, AT(sim.rtol)),
    {"input", CLV_OPTION_TEXTS, AT(inputs), "NAME=X", "value of an input of the model; may be repeated", 0, 0, false},
    {"lenient", CLV_OPTION_FLAG, AT(lenient), NULL, "clip physically impossible inertias, and list them", 0, 0, false},
    {"json", CLV_OPTION_FLAG, AT(json), NULL, "print one JSON object instead of text", 0, 0, false},
    {0},
};

enum { FRAMES = 201, MOST_NUMBERS = 1000 };

typedef struct gradient {
    int n;              /* numbers                             */
    char **name;        /* (n)                                 */
    clv_number *number; /* (n)                                 */
    double *slope;      /* (n)                                 */
    clv_observed output;
    double time, value; /* s                                   */
    long steps;
} gradient;

static void release(gradient *g)
{
    for (int i = 0; g->name && i < g->n; i++)
        clv_free(g->name[i]);
    clv_free(g->name), clv_free(g->number), clv_free(g->slope);
}

/* ------------------------------------------------------------------ names */

static int count_names(const char *list)
{
    int n = list && *list ? 1 : 0;
    for (; list && *list; list++)
        n += *list == ',';
    return n;
}

static clv_exit read_names(gradient *g, const clv_subject *s, const gradient_settings *set)
{
    const char *at = set->by;
    g->n = count_names(set->by);
    if (g->n == 0 || g->n > MOST_NUMBERS)
        return clv_tell("gradient", set->json, CLV_EXIT_USAGE, "--by needs 1 to %d names of numbers", MOST_NUMBERS);
    g->name = clv_alloc((size_t)g->n, sizeof *g->name), g->number = clv_alloc((size_t)g->n, sizeof *g->number);
    g->slope = clv_alloc((size_t)g->n, sizeof *g->slope);
    if (!g->name || !g->number || !g->slope)
        return clv_tell("gradient", set->json, CLV_EXIT_RESOURCES, "out of memory");
    for (int i = 0; i < g->n; i++) {
        const size_t length = strcspn(at, ",");
        g->name[i] = clv_alloc(length + 1, 1);
        if (!g->name[i])
            return clv_tell("gradient", set->json, CLV_EXIT_RESOURCES, "out of memory");
        memcpy(g->name[i], at, length);
        at += length + (at[length] == ',');
        if (!clv_quantity_number(s->model, g->name[i], &g->number[i]))
            return clv_tell("gradient", set->json, CLV_EXIT_USAGE,
                            "the model has no number '%.60s'; numbers are BODY.mass, .com.x, .inertia.xx; "
                            "FORCE.stiffness, .damping, .rest, .drive, .preload.x; JOINT.point_a.x, .point_b.x; "
                            "gravity.x",
                            g->name[i]);
    }
    if (!set->of || !clv_quantity_output(s->model, set->of, &g->output))
        return clv_tell("gradient", set->json, CLV_EXIT_USAGE,
                        set->of ? "the model has no output '%.60s'; outputs are JOINT.q and .u of the spanning tree, "
                                  "MARKER.position.x, .velocity.x"
                                : "--of OUTPUT is missing%s",
                        set->of ? set->of : "");
    return CLV_EXIT_DONE;
}

/* ------------------------------------------------------------------ the run */

/* weights of Simpson's rule, or of the last value */
static void weigh(const gradient *g, bool integral, double *time, double *weight)
{
    for (int i = 0; i < FRAMES; i++) {
        const bool end = i == 0 || i == FRAMES - 1;
        time[i] = g->time * i / (FRAMES - 1);
        weight[i] = integral ? g->time / (3.0 * (FRAMES - 1)) * (end ? 1 : i % 2 ? 4 : 2) : i == FRAMES - 1;
    }
}

static clv_status find(gradient *g, clv_sim *sim, bool integral)
{
    double time[FRAMES], weight[FRAMES];
    clv_sensitivity *run;
    clv_sensitivity_options o = clv_sensitivity_options_default();
    weigh(g, integral, time, weight);
    const int first = integral ? 0 : FRAMES - 1; /* one frame, or all */
    o.frames = FRAMES - first, o.time = time + first, o.outputs = 1, o.output = &g->output;
    o.numbers = g->n, o.number = g->number;
    clv_status st = clv_sim_sensitivity(sim, &o, &run);
    if (st != CLV_OK)
        return st;
    for (int i = 0; i < o.frames; i++)
        g->value += weight[first + i] * run->y[i];
    g->steps = run->steps;
    st = clv_sensitivity_adjoint(run, weight + first, &(clv_slopes){.number = g->slope});
    clv_sensitivity_destroy(run);
    return st;
}

/* ------------------------------------------------------------------ text and JSON */

static void print_text(const gradient *g, const clv_subject *s, const gradient_settings *set)
{
    printf("%s: gradient of %s%s%s\n", clv_model_name(s->model), set->integral ? "the integral of " : "", set->of,
           set->integral ? "" : " at the end");
    clv_label("run"), printf("%g s in %ld steps, which are differentiated exactly\n", g->time, g->steps);
    clv_label("value"), printf("%.9g\n", g->value);
    for (int i = 0; i < g->n; i++) {
        const double x = clv_number_value(s->model, &g->number[i]);
        clv_label(i == 0 ? "derivatives" : "");
        printf("%-24s %14.7g", g->name[i], g->slope[i]);
        if (x != 0)
            printf("   %+.3g if it grows by 1 %% from %g", 0.01 * x * g->slope[i], x);
        printf("\n");
    }
}

static void print_json(const gradient *g, const clv_subject *s, const gradient_settings *set)
{
    clv_json j = clv_json_begin(stdout);
    clv_json_object(&j, NULL);
    clv_json_text(&j, "status", "ok"), clv_json_text(&j, "model", clv_model_name(s->model));
    clv_json_text(&j, "of", set->of), clv_json_text(&j, "kind", set->integral ? "integral" : "end");
    clv_json_number(&j, "time", g->time), clv_json_number(&j, "steps", (double)g->steps);
    clv_json_number(&j, "value", g->value);
    clv_json_object(&j, "derivatives");
    for (int i = 0; i < g->n; i++)
        clv_json_number(&j, g->name[i], g->slope[i]);
    clv_json_end(&j);
    clv_json_end(&j);
}

static clv_exit differentiate(clv_subject *s, const gradient_settings *set)
{
    gradient g = {0};
    const double suggested = s->model->time_end;
    g.time = set->time > 0 ? set->time : suggested > 0 ? suggested : 10;
    clv_exit code = read_names(&g, s, set);
    if (code == CLV_EXIT_DONE) {
        const clv_status status = find(&g, s->sim, set->integral);
        if (status != CLV_OK)
            code = clv_subject_fail(s, status);
        else if (set->json)
            print_json(&g, s, set);
        else
            print_text(&g, s, set);
    }
    release(&g);
    return code;
}

static int command(const clv_command *self, int argc, char **argv)
{
    clv_words words;
    gradient_settings set = {.sim = clv_sim_options_default()};
    set.sim.formulation = "dca";
    clv_exit code = clv_command_read(self, &set, &words, 1, CLV_WORDS_MAX, argc, argv);
    if (code != CLV_EXIT_DONE)
        return code;
    clv_subject s = {.command = "gradient", .json = set.json, .lenient = set.lenient, .inputs = &set.inputs};
    code = clv_subject_open(&s, &words, &set.sim);
    if (code == CLV_EXIT_DONE)
        code = differentiate(&s, &set);
    clv_subject_close(&s);
    return code;
}

const clv_command clv_command_gradient = {
    "gradient",
    "MODEL [key=value ...]",
    "derivatives of a result of a run by numbers of the model",
    "  cleave gradient mine.yaml --of tip.position.y --by rod.mass,rod.com.x,damper.damping --time 2\n"
    "  cleave gradient mine.yaml --of hinge.q --by gravity.y --integral --json\n"
    "\n"
    "The result is the last value of an output, or its integral over time.  Derivatives are exact for the steps of "
    "the\n"
    "run, with loops closed, and cost two to five runs whatever their number.",
    options,
    command,
};
