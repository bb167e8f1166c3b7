/* SPDX-License-Identifier: Apache-2.0
 * Opens the mechanism a command works on: a YAML file or a built-in example, then its simulation; see command.h.
 * A word with a slash or a .yaml/.yml ending is a file, and so is any word that names an existing file; everything else
 * is an example name. */
#include "cli/command.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/error_print.h"
#include "io/schema.h"
#include "io/yaml_read.h"
#include "model/model.h"
#include "simulation/cycle.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static clv_exit fail(clv_subject *s, clv_status status, const clv_error *e, bool running)
{
    clv_error none = {.code = status, .time = NAN, .value = NAN}, placed;
    s->code = running ? clv_exit_of_run(status, e) : clv_exit_of(status, false);
    if (!e || e->code == CLV_OK)
        e = &none;
    if (s->model && s->sim && !running) { /* the start: the item concerned stands in the model file */
        placed = *e;
        clv_error_place(&placed, s->model);
        e = &placed;
    }
    if (s->model && clv_model_error_count(s->model) > 0)
        clv_model_errors_print(stderr, s->model, NULL);
    else if (e->line > 0)
        clv_error_print_placed(stderr, e);
    else
        clv_error_show(s->command, e);
    if (s->json) {
        clv_json j = clv_json_begin(stdout);
        clv_json_object(&j, NULL);
        clv_json_text(&j, "status", clv_exit_word(s->code));
        clv_json_text(&j, "model", s->model ? clv_model_name(s->model) : s->source);
        clv_json_error(&j, "error", e);
        clv_json_array(&j, "errors"); /* all of a file */
        for (int i = 0; s->model && i < clv_model_error_count(s->model); ++i)
            clv_json_error(&j, NULL, clv_model_error_at(s->model, i));
        clv_json_end(&j);
        clv_json_end(&j);
    }
    return s->code;
}

/* The first error of the model's file, or its last error; NULL if there is no model. */
static const clv_error *model_error(const clv_model *model)
{
    if (model && clv_model_error_count(model) > 0)
        return clv_model_error_at(model, 0);
    return model ? clv_model_error(model) : NULL;
}

static bool is_file(const char *word)
{
    size_t n = strlen(word);
    static const char *const ending[] = {".yaml", ".yml", ".urdf", ".xml", ".mjcf", ".sdf", ".world"};
    for (size_t i = 0; i < sizeof ending / sizeof *ending; ++i)
        if (n > strlen(ending[i]) && strcmp(word + n - strlen(ending[i]), ending[i]) == 0)
            return true;
    return strchr(word, '/') || access(word, F_OK) == 0;
}

static bool is_example(const char *word)
{
    for (int i = 0; clv_example_name(i); ++i)
        if (strcmp(word, clv_example_name(i)) == 0)
            return true;
    return false;
}

/* Inertias that were replaced; the model is then no longer that of its file. */
static void tell_clipped(clv_subject *s)
{
    double given[3], used[3];
    for (int b = 0; b < clv_model_body_count(s->model); b++)
        if (clv_model_clipped(s->model, b, given, used)) {
            fprintf(stderr,
                    "cleave %s: inertia of body '%s' clipped: principal moments %.6g, %.6g, %.6g kg m^2 become %.6g, "
                    "%.6g, %.6g\n",
                    s->command, clv_model_body_name(s->model, b), given[0], given[1], given[2], used[0], used[1],
                    used[2]);
            s->changed |= s->lenient;
        }
}

/* Of a robot: what its model does not carry, by kind. */
static void tell_dropped(clv_subject *s)
{
    const int n = clv_model_dropped_count(s->model);
    int harmful = 0;
    while (harmful < n && clv_model_dropped_at(s->model, harmful)->harmful)
        ++harmful;
    if (n == 0 || s->listed)
        return;
    const int first = harmful > 0 ? harmful : n;
    fprintf(stderr, "cleave %s: %s: not carried over: %d item%s that %s change the motion", s->command, s->source,
            first, first > 1 ? "s" : "", harmful > 0 ? "can" : "cannot");
    if (harmful > 0 && harmful < n)
        fprintf(stderr, ", %d that cannot", n - harmful);
    char word[CLV_TEXT_WORD];
    fprintf(stderr, " (`cleave import %s` lists them)\n", clv_text_word(s->source, word));
}

static clv_exit open_file(clv_subject *s)
{
    if (access(s->source, R_OK) != 0)
        return s->code = clv_tell(s->command, s->json, CLV_EXIT_MODEL, "there is no readable file %s", s->source);
    clv_error error;
    clv_error_clear(&error);
    s->text = clv_model_load(&error, s->source, &s->size);
    clv_status status = s->text && s->robot
                            ? clv_model_read_robot_text(&s->model, s->text, s->size, s->source, s->robot)
                        : s->text
                            ? clv_model_read_as(&s->model, s->text, s->size, s->source, s->lenient, s->given, s->ngiven)
                        : error.code == CLV_ERR_MEMORY ? CLV_ERR_MEMORY
                                                       : clv_model_read(&s->model, s->source); /* reports errors */
    if (status == CLV_OK)
        status = clv_visuals_find(s->model);
    if (status == CLV_OK)
        tell_clipped(s), tell_dropped(s);
    s->changed |= status == CLV_OK && s->model->imported; /* a run file holds the model, not the robot's file */
    return status == CLV_OK ? CLV_EXIT_DONE : fail(s, status, model_error(s->model), false);
}

static clv_exit open_example(clv_subject *s)
{
    if (!is_example(s->source)) {
        const char *near = clv_word_nearest(s->source, clv_example_name);
        return s->code = clv_tell(s->command, s->json, CLV_EXIT_MODEL,
                                  "there is no file and no example named '%s'%s%s%s (cleave examples lists them)",
                                  s->source, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    }
    clv_status status = clv_example_create(&s->model, s->source, s->given, s->ngiven);
    return status == CLV_OK ? CLV_EXIT_DONE : fail(s, status, model_error(s->model), false);
}

clv_exit clv_subject_model(clv_subject *s, const clv_words *words)
{
    s->source = words->word[0];
    s->given = words->word + 1;
    s->ngiven = words->n - 1;
    s->file = is_file(s->source) && !is_example(s->source);
    return s->file ? open_file(s) : open_example(s);
}

static clv_exit set_input(clv_subject *s, const char *text)
{
    const char *equals = strrchr(text, '='), *near = NULL;
    const char *end = text;
    char name[256];
    snprintf(name, sizeof name, "%.*s", (int)(equals ? equals - text : 0), text);
    double value = equals ? clv_text_number(equals + 1, &end) : NAN, limit[2];
    if (!*name || end == equals + 1 || *end)
        return clv_tell(s->command, s->json, CLV_EXIT_USAGE,
                        "--input is '%s'; it must be NAME=VALUE, a number in SI units", text);
    const int input = clv_model_find_input(s->model, name);
    int distance = clv_near_enough(name) + 1;
    for (int i = 0; i < clv_model_input_count(s->model); ++i)
        clv_nearest(&near, &distance, name, clv_model_input_name(s->model, i));
    if (clv_model_input_count(s->model) == 0)
        return clv_tell(s->command, s->json, CLV_EXIT_USAGE,
                        "the model has no inputs; inputs are defined in the model file: inputs: {hip: {joint: a}}");
    if (input < 0)
        return clv_tell(s->command, s->json, CLV_EXIT_USAGE, "the model has no input '%s'; %s %s%s", name,
                        near ? "did you mean" : "`cleave check` lists them, as",
                        near ? near : clv_model_input_name(s->model, 0), near ? "?" : "");
    clv_model_input_limit(s->model, input, limit);
    s->changed = true;
    if (clv_model_start_input(s->model, input, value))
        return CLV_EXIT_DONE;
    return clv_tell(s->command, s->json, CLV_EXIT_USAGE, "--input %s: the limits of '%s' are %g and %g", text, name,
                    limit[0], limit[1]);
}

clv_exit clv_subject_set_inputs(clv_subject *s)
{
    for (int i = 0; s->inputs && i < s->inputs->n; ++i)
        if ((s->code = set_input(s, s->inputs->word[i])) != CLV_EXIT_DONE)
            return s->code;
    return CLV_EXIT_DONE;
}

clv_exit clv_subject_open(clv_subject *s, const clv_words *words, const clv_sim_options *options)
{
    if (clv_subject_model(s, words) != CLV_EXIT_DONE || clv_subject_set_inputs(s) != CLV_EXIT_DONE)
        return s->code;
    clv_status status = (s->apart ? clv_sim_create_apart : clv_sim_create)(&s->sim, s->model, options);
    return status == CLV_OK ? CLV_EXIT_DONE : fail(s, status, s->sim ? clv_sim_error(s->sim) : NULL, false);
}

clv_exit clv_subject_fail(clv_subject *s, clv_status status)
{
    return fail(s, status, clv_sim_error(s->sim), true);
}

const char *const *clv_subject_inputs(clv_subject *s)
{
    const int n = s->model ? s->model->nside : 0, visuals = s->model ? s->model->nvisual : 0;
    size_t k = 0;
    if (!s->input && s->file)
        s->input = clv_alloc((size_t)n + (size_t)visuals + 2, sizeof *s->input);
    if (!s->input)
        return NULL;
    s->input[k++] = s->source;
    for (int i = 0; i < n; ++i)
        s->input[k++] = s->model->side[i];
    for (int i = 0; i < visuals; ++i)
        if (s->model->visual[i].path)
            s->input[k++] = s->model->visual[i].path;
    return s->input;
}

void clv_subject_close(clv_subject *s)
{
    if (s->sim)
        clv_sim_destroy(s->sim);
    if (s->model)
        clv_model_destroy(s->model);
    clv_free(s->text);
    clv_free(s->input);
    s->sim = NULL;
    s->model = NULL;
    s->text = NULL;
    s->input = NULL;
}
