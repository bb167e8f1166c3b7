/* SPDX-License-Identifier: Apache-2.0
 * cleave report: one HTML page of a run file, or of two runs, that needs no network; a model is run first. */
#include "cli/report.h"
#include "cli/running.h"
#include <math.h>
#include <string.h>

typedef struct report_settings {
    const char *out;
    double time, every;
    const char *formulation, *integrator;
    double rtol, step;
    bool force, reactions;
} report_settings;

#define AT(field) offsetof(report_settings, field)
static const clv_option options[] = {
    {"out", CLV_OPTION_TEXT, AT(out), "FILE.html", "the page; default: the name of the run or model with .html", 0, 0,
     false},
    {"force", CLV_OPTION_FLAG, AT(force), NULL, "replace existing files", 0, 0, false},
    {"time", CLV_OPTION_NUMBER, AT(time), "T", "of a model: simulated seconds; default: the model's, else 10", 0,
     INFINITY, true},
    {"every", CLV_OPTION_NUMBER, AT(every), "DT", "of a model: output interval in s; default: a 500th of the time", 0,
     INFINITY, true},
    {"formulation", CLV_OPTION_TEXT, AT(formulation), "NAME", "of a model: as of `run`", 0, 0, false},
    {"integrator", CLV_OPTION_TEXT, AT(integrator), "NAME", "of a model: as of `run`", 0, 0, false},
    {"rtol", CLV_OPTION_NUMBER, AT(rtol), "R", "of a model: relative tolerance, as of `run`", 0, 1, true},
    {"step", CLV_OPTION_NUMBER, AT(step), "H", "of a model: fixed step in s, as of `run`", 0, INFINITY, true},
    {"reactions", CLV_OPTION_FLAG, AT(reactions), NULL, "of a model: the forces of all joints, too", 0, 0, false},
    {0},
};

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), k = strlen(end);
    return n >= k && strcmp(text + n - k, end) == 0;
}

/* A model is run first, by `run --report`. */
static clv_exit report_model(const report_settings *set, const clv_words *words, const char *path)
{
    clv_run_settings run = clv_run_usual();
    run.report = path;
    run.time = set->time, run.every = set->every, run.force = set->force, run.reactions = set->reactions;
    if (set->formulation)
        run.sim.formulation = set->formulation;
    if (set->integrator)
        run.sim.integrator = set->integrator;
    if (!isnan(set->rtol))
        run.sim.rtol = set->rtol;
    if (!isnan(set->step))
        run.sim.step = set->step;
    return clv_run_words(&run, words);
}

static clv_exit report_runs(const report_settings *set, const clv_words *words, const char *path)
{
    const bool two = words->n > 1;
    if (words->n > 2 || (two && !ends_with(words->word[1], ".cleave")))
        return clv_tell("report", false, CLV_EXIT_USAGE, "a page shows one run file or two: RUN.cleave [OTHER.cleave]");
    if (!isnan(set->time) || !isnan(set->every) || !isnan(set->rtol) || !isnan(set->step) || set->formulation ||
        set->integrator || set->reactions)
        return clv_tell("report", false, CLV_EXIT_USAGE, "options of a run are for a model; %s has been run",
                        words->word[0]);
    const clv_report_job job = {.command = "report", .path = path, .run = {words->word[0], two ? words->word[1] : NULL},
                                .n = words->n, .force = set->force};
    return clv_report_page(&job);
}

static int command(const clv_command *self, int argc, char **argv)
{
    clv_words words;
    char usual[1024];
    report_settings set = {.time = NAN, .every = NAN, .rtol = NAN, .step = NAN};
    clv_exit code = clv_command_read(self, &set, &words, 1, CLV_WORDS_MAX, argc, argv);
    if (code != CLV_EXIT_DONE)
        return code;
    const char *slash = strrchr(words.word[0], '/');
    if (!set.out && !clv_report_name(usual, sizeof usual, slash ? slash + 1 : words.word[0], ".html"))
        return clv_tell("report", false, CLV_EXIT_USAGE, "the name is too long; use --out FILE.html");
    const char *path = set.out ? set.out : usual;
    code = clv_report_check("report", false, path);
    if (code != CLV_EXIT_DONE)
        return code;
    return (ends_with(words.word[0], ".cleave") ? report_runs : report_model)(&set, &words, path);
}

const clv_command clv_command_report = {
    "report", "RUN.cleave [OTHER.cleave] or MODEL [key=value ...]", "write a page to see a run move, as one HTML file",
    "  cleave report mine.cleave                           mine.html: open it in a browser\n"
    "  cleave report mine.cleave other.cleave --out both.html      two runs, one over the other\n"
    "  cleave report loader                                runs it first: loader.cleave, loader.html\n"
    "\n"
    "The page holds everything and uses no network: mechanism in 3D over time, curves, results, the model and\n"
    "what computed it.  Large runs are thinned to about 8 MB, and the page says so (docs/report.md).",
    options, command,
};
