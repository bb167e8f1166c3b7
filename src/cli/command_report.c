/* SPDX-License-Identifier: Apache-2.0
 * cleave report: one HTML page of a run file, or of two runs, that needs no network; a model is run first.
 *
 * cleave view: the same in a folder for temporary files, and opened in a browser. */
#define _XOPEN_SOURCE 700 /* realpath; NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
#include "cli/report.h"
#include "cli/running.h"
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

typedef struct report_settings {
    const char *command;
    const char *out;
    double time, every;
    const char *formulation, *integrator;
    double rtol, step;
    bool force, reactions;
} report_settings;

#define AT(field) offsetof(report_settings, field)
static const clv_option options[] = {
    {"out", CLV_OPTION_TEXT, AT(out), "FILE.html", "the page, as the last word; default: the name of the run or model",
     0, 0, false},
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
    run.command = set->command, run.report = path;
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
        return clv_tell(set->command, false, CLV_EXIT_USAGE,
                        "a page shows one run file or two: RUN.cleave [OTHER.cleave]");
    if (!isnan(set->time) || !isnan(set->every) || !isnan(set->rtol) || !isnan(set->step) || set->formulation ||
        set->integrator || set->reactions)
        return clv_tell(set->command, false, CLV_EXIT_USAGE, "options of a run are for a model; %s has been run",
                        words->word[0]);
    const clv_report_job job = {.command = set->command, .path = path, .n = words->n, .force = set->force,
                                .run = {words->word[0], two ? words->word[1] : NULL}};
    return clv_report_page(&job);
}

static clv_exit report(const report_settings *set, const clv_words *words, const char *path)
{
    const clv_exit code = clv_report_check(set->command, false, path);
    if (code != CLV_EXIT_DONE)
        return code;
    return (ends_with(words->word[0], ".cleave") ? report_runs : report_model)(set, words, path);
}

/* The page of these words where no other is named; false: too long. */
static bool usual_page(char *text, size_t size, const char *folder, const char *word)
{
    char name[1024];
    const char *slash = strrchr(word, '/');
    return clv_report_name(name, sizeof name, slash ? slash + 1 : word, ".html") &&
           snprintf(text, size, "%s%s", folder, name) < (int)size;
}

/* Reads the words; a last word that ends in .html names the page. */
static clv_exit read_words(const clv_command *self, report_settings *set, clv_words *words, int argc, char **argv)
{
    *set = (report_settings){.command = self->name, .time = NAN, .every = NAN, .rtol = NAN, .step = NAN};
    const clv_exit code = clv_command_read(self, set, words, 1, CLV_WORDS_MAX, argc, argv);
    if (code != CLV_EXIT_DONE || !ends_with(words->word[words->n - 1], ".html"))
        return code;
    if (words->n == 1)
        return clv_tell(self->name, false, CLV_EXIT_USAGE, "name a run file or a model before the page %s",
                        words->word[0]);
    if (set->out)
        return clv_tell(self->name, false, CLV_EXIT_USAGE, "the page is named twice: %s and --out %s",
                        words->word[words->n - 1], set->out);
    set->out = words->word[--words->n];
    return CLV_EXIT_DONE;
}

static int command(const clv_command *self, int argc, char **argv)
{
    clv_words words;
    char usual[1024];
    report_settings set;
    const clv_exit code = read_words(self, &set, &words, argc, argv);
    if (code != CLV_EXIT_DONE)
        return code;
    if (!set.out && !usual_page(usual, sizeof usual, "", words.word[0]))
        return clv_tell(self->name, false, CLV_EXIT_USAGE, "the name is too long; use --out FILE.html");
    return report(&set, &words, set.out ? set.out : usual);
}

/* ---------------------------------------------------------------- view */

static int start(const char *program, const char *page)
{
    char *const argv[] = {(char *)program, (char *)page, NULL}; /* they are only read */
    pid_t child;
    return posix_spawnp(&child, program, NULL, NULL, argv, environ);
}

/* Starts the first program that BROWSER names, or the desktop's own. */
static clv_exit show_page(const char *command, const char *path)
{
    char name[1024], whole[PATH_MAX];
    const char *given = getenv("BROWSER");
    const bool named = given && *given;
    if (!realpath(path, whole))
        return clv_tell(command, false, CLV_EXIT_RESOURCES, "%s: %s", path, strerror(errno));
    snprintf(name, sizeof name, "%.*s", named ? (int)strcspn(given, ":") : 1000, named ? given : "xdg-open");
    int fault = start(name, whole);
    if (fault == ENOENT && !named && start("open", whole) == 0)
        fault = 0;
    if (fault == 0) {
        printf("%s is opened\n", whole);
        return CLV_EXIT_DONE;
    }
    clv_tell(command, false, CLV_EXIT_RESOURCES, "%s cannot be started (%s)", name, strerror(fault));
    fprintf(stderr, "  open this file in a browser, or set BROWSER to a program that does: %s\n", whole);
    return CLV_EXIT_RESOURCES;
}

/* A new folder for temporary files, with a slash. */
static bool new_folder(char *text, size_t size)
{
    char folder[580];
    const char *base = getenv("TMPDIR");
    if (snprintf(folder, sizeof folder, "%s/cleave-XXXXXX", base && *base ? base : "/tmp") >= (int)sizeof folder)
        return false;
    return mkdtemp(folder) && snprintf(text, size, "%s/", folder) < (int)size;
}

static int view(const clv_command *self, int argc, char **argv)
{
    clv_words words;
    char folder[600], usual[1024];
    report_settings set;
    clv_exit code = read_words(self, &set, &words, argc, argv);
    if (code == CLV_EXIT_DONE)
        code = clv_report_check(self->name, false, set.out ? set.out : "page.html");
    if (code != CLV_EXIT_DONE)
        return code;
    if (!set.out && !new_folder(folder, sizeof folder))
        return clv_tell(self->name, false, CLV_EXIT_RESOURCES, "no folder for temporary files can be made: %s",
                        strerror(errno));
    if (!set.out && !usual_page(usual, sizeof usual, folder, words.word[0]))
        return clv_tell(self->name, false, CLV_EXIT_USAGE, "the name is too long; use --out FILE.html");
    const char *path = set.out ? set.out : usual;
    code = report(&set, &words, path);
    if (code != CLV_EXIT_DONE && code != CLV_EXIT_NUMERICAL)
        return code;
    const clv_exit shown = show_page(self->name, path);
    return (int)(shown == CLV_EXIT_DONE ? code : shown);
}

const clv_command clv_command_report = {
    "report", "RUN.cleave [OTHER.cleave] or MODEL [key=value ...], then [PAGE.html]",
    "write one HTML file that shows a run in motion",
    "  cleave report mine.cleave                           mine.html: open it in a browser\n"
    "  cleave report mine.cleave other.cleave both.html    two runs, one over the other\n"
    "  cleave report loader                                runs it first: loader.cleave, loader.html\n"
    "\n"
    "The page holds everything and uses no network: mechanism in 3D over time, curves, results, the model and\n"
    "what computed it.  Large runs are thinned to about 8 MB, and the page says so (docs/report.md).",
    options, command,
};

const clv_command clv_command_view = {
    "view", "RUN.cleave [OTHER.cleave] or MODEL [key=value ...], then [PAGE.html]",
    "show a run or a model in motion in a browser",
    "  cleave view loader\n"
    "  cleave view mine.cleave\n"
    "\n"
    "Writes the page of `cleave report` into a new folder for temporary files, or to --out, and opens it by the\n"
    "program that BROWSER names, else by xdg-open.",
    options, view,
};
