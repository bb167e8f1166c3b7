/* SPDX-License-Identifier: Apache-2.0
 * cleave fmu: a model as a functional mock-up unit (FMI 2.0 or 3.0, T67) for other simulators. */
#include "base/error.h"
#include "base/memory.h"
#include "cli/file.h"
#include "cli/fmu.h"
#include "model/model.h"
#include "simulation/exchange.h"
#include <ctype.h>
#include <math.h>
#include <string.h>

typedef struct fmu_settings {
    clv_sim_options sim;
    const char *out, *outputs, *kind;
    double time;
    int version;
    clv_words inputs;
    bool force, json, lenient;
} fmu_settings;

#define AT(field) offsetof(fmu_settings, field)
static const clv_option options[] = {
    {"out", CLV_OPTION_TEXT, AT(out), "FILE.fmu", "the unit; default: the name of the model", 0, 0, false},
    {"version", CLV_OPTION_WHOLE, AT(version), "N", "of FMI: 2 or 3 (default)", 2, 3, false},
    {"kind", CLV_OPTION_TEXT, AT(kind), "KIND",
     "cs (co-simulation), me (model exchange) or both; default: both, where the model allows it", 0, 0, false},
    {"outputs", CLV_OPTION_TEXT, AT(outputs), "LIST",
     "columns that become outputs: names and patterns, as 'tip.*,L.effort'; default: the usual ones", 0, 0, false},
    {"time", CLV_OPTION_NUMBER, AT(time), "T", "suggested end of an experiment, s; default: the model's, else 10", 0,
     INFINITY, true},
    CLV_SIM_OPTION(formulation, AT(sim.formulation)),
    CLV_SIM_OPTION(method, AT(sim.method)),
    CLV_SIM_OPTION(integrator, AT(sim.integrator)),
    CLV_SIM_OPTION(rtol, AT(sim.rtol)),
    CLV_SIM_OPTION(atol, AT(sim.atol)),
    CLV_SIM_OPTION(step, AT(sim.step)),
    CLV_SIM_OPTION(max_step, AT(sim.max_step)),
    {"input", CLV_OPTION_TEXTS, AT(inputs), "NAME=X", "value of an input at the start; may be repeated", 0, 0, false},
    {"force", CLV_OPTION_FLAG, AT(force), NULL, "replace an existing file", 0, 0, false},
    {"lenient", CLV_OPTION_FLAG, AT(lenient), NULL, "clip physically impossible inertias, and list them", 0, 0, false},
    {"json", CLV_OPTION_FLAG, AT(json), NULL, "print one JSON object instead of text", 0, 0, false},
    {0},
};

/* A name of C made of a title: letters, digits and _. */
static void make_identifier(char *to, size_t size, const char *title)
{
    size_t n = 0;
    if (!isalpha((unsigned char)*title))
        n = (size_t)snprintf(to, size, "unit_");
    for (; *title && n + 1 < size; ++title)
        if ((unsigned char)*title < 128)
            to[n++] = (char)(isalnum((unsigned char)*title) ? *title : '_');
    to[n] = 0;
}

static clv_exit tell(const fmu_settings *set, clv_status status, const clv_error *e)
{
    return clv_tell("fmu", set->json, clv_exit_of(status, false), "%s%s%s", e->message, *e->hint ? "; hint: " : "",
                    e->hint);
}

/* What the unit can: as requested, or both where the model allows model exchange. */
static clv_exit choose_kind(clv_fmu *f, const clv_subject *s, const fmu_settings *set)
{
    const clv_status status = clv_exchange_open(s->sim);
    const bool can = status == CLV_OK, me = set->kind && strcmp(set->kind, "me") == 0;
    f->settings.steps = !me;
    f->settings.exchange = set->kind ? strcmp(set->kind, "cs") != 0 : can;
    if (can)
        return CLV_EXIT_DONE;
    snprintf(f->without, sizeof f->without, "%s", clv_sim_error(s->sim)->message);
    return f->settings.exchange ? tell(set, status, clv_sim_error(s->sim)) : CLV_EXIT_DONE;
}

/* Variables and token of the unit; the model is there, and its start is possible. */
static clv_exit describe(clv_fmu *f, const clv_subject *s, const fmu_settings *set)
{
    clv_error e;
    f->version = set->version;
    f->saves = clv_sim_saved_size(s->sim) > 0;
    f->title = clv_model_name(s->model);
    f->time = !isnan(set->time) ? set->time : s->model->time_end > 0 ? s->model->time_end : 10;
    f->settings.sim = set->sim, f->settings.outputs = set->outputs;
    if (s->text && !s->changed)
        f->settings.given = s->given, f->settings.ngiven = s->ngiven;
    make_identifier(f->identifier, sizeof f->identifier, f->title);
    clv_exit code = choose_kind(f, s, set);
    if (code != CLV_EXIT_DONE)
        return code;
    const clv_sim *states = f->settings.exchange ? s->sim : NULL;
    const clv_status status = clv_fmu_table_create(&f->table, s->model, set->outputs, states, &e);
    if (status != CLV_OK)
        return tell(set, status, &e);
    f->states = clv_fmu_count(&f->table, CLV_FMU_STATE);
    char *text = clv_fmu_settings_text(&f->settings);
    if (!text)
        return clv_tell("fmu", set->json, CLV_EXIT_RESOURCES, "out of memory");
    clv_fmu_token(f->token, s->model, text);
    clv_free(text);
    return CLV_EXIT_DONE;
}

static void tell_done(const clv_fmu *f, const clv_subject *s, const char *path)
{
    const clv_fmu_table *t = &f->table;
    const int inputs = clv_fmu_count(t, CLV_FMU_INPUT), outputs = clv_fmu_count(t, CLV_FMU_OUTPUT),
              parameters = clv_fmu_count(t, CLV_FMU_PARAMETER) + clv_fmu_count(t, CLV_FMU_DERIVED);
    const char *kind = !f->settings.exchange ? "co-simulation"
                       : f->settings.steps   ? "co-simulation and model exchange"
                                             : "model exchange";
    if (!s->json) {
        printf("%s: FMI %d.0, %s; %d input%s, %d output%s, %d parameter%s%s\n", path, f->version, kind, inputs,
               inputs == 1 ? "" : "s", outputs, outputs == 1 ? "" : "s", parameters, parameters == 1 ? "" : "s",
               f->saves ? "" : "; states cannot be saved");
        if (*f->without && !f->settings.exchange)
            printf("without model exchange: %s\n", f->without);
        return;
    }
    clv_json j = clv_json_begin(stdout);
    clv_json_object(&j, NULL);
    clv_json_text(&j, "status", "ok");
    clv_json_text(&j, "model", f->title);
    clv_json_text(&j, "file", path);
    clv_json_integer(&j, "version", f->version);
    clv_json_integer(&j, "inputs", inputs), clv_json_integer(&j, "outputs", outputs);
    clv_json_integer(&j, "parameters", parameters);
    clv_json_integer(&j, "states", f->states);
    clv_json_bool(&j, "co_simulation", f->settings.steps), clv_json_bool(&j, "model_exchange", f->settings.exchange);
    clv_json_bool(&j, "saves_states", f->saves);
    clv_json_text(&j, "token", f->token);
    clv_json_end(&j);
}

static clv_exit make(clv_subject *s, const fmu_settings *set)
{
    char own[512], program[4096];
    const char *none[] = {NULL}, *const *input = clv_subject_inputs(s);
    const clv_output_rule rule = {.force = set->force, .input = input ? input : none};
    clv_fmu f = {0};
    if (s->file && !input)
        return clv_tell("fmu", set->json, CLV_EXIT_RESOURCES, "out of memory");
    clv_exit code = describe(&f, s, set);
    snprintf(own, sizeof own, "%s.fmu", f.identifier);
    const char *path = set->out ? set->out : own;
    if (code == CLV_EXIT_DONE)
        code = clv_file_check("fmu", path, &rule);
    if (code == CLV_EXIT_DONE && !clv_fmu_program(program, set->json))
        code = CLV_EXIT_RESOURCES;
    if (code == CLV_EXIT_DONE)
        code = clv_fmu_pack(&f, s, path, program, &rule);
    if (code == CLV_EXIT_DONE)
        tell_done(&f, s, path);
    clv_fmu_table_release(&f.table);
    return code;
}

/* Simulators know a unit by the ending of its name. */
static bool ends_in_fmu(const char *name)
{
    const size_t n = strlen(name);
    return n > 4 && strcmp(name + n - 4, ".fmu") == 0;
}

static int command(const clv_command *self, int argc, char **argv)
{
    clv_words words;
    fmu_settings set = {.sim = clv_sim_options_default(), .version = 3, .time = NAN};
    clv_exit code = clv_command_read(self, &set, &words, 1, CLV_WORDS_MAX, argc, argv);
    if (code != CLV_EXIT_DONE)
        return code;
    if (set.kind && strcmp(set.kind, "cs") != 0 && strcmp(set.kind, "me") != 0 && strcmp(set.kind, "both") != 0)
        return clv_tell("fmu", set.json, CLV_EXIT_USAGE, "--kind is '%s'; it must be cs, me or both", set.kind);
    if (set.out && !ends_in_fmu(set.out))
        return clv_tell("fmu", set.json, CLV_EXIT_USAGE, "%s: the name of the unit must end in .fmu", set.out);
    clv_subject s = {.command = "fmu", .json = set.json, .lenient = set.lenient, .inputs = &set.inputs};
    code = clv_subject_open(&s, &words, &set.sim);
    if (code == CLV_EXIT_DONE)
        code = make(&s, &set);
    clv_subject_close(&s);
    return code;
}

const clv_command clv_command_fmu = {
    "fmu",
    "MODEL [key=value ...]",
    "a functional mock-up unit (FMI) of a model, for other simulators",
    "  cleave fmu mine.yaml --out mine.fmu                       FMI 3.0\n"
    "  cleave fmu mine.yaml --version 2 --outputs 'tip.*,L.effort'\n"
    "\n"
    "Inputs and parameters of the model file become those of the unit, columns its outputs, all with units.  The unit\n"
    "runs the model with the options given here.  docs/fmi.md describes it.",
    options,
    command,
};
