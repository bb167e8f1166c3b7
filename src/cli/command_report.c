/* SPDX-License-Identifier: Apache-2.0
 * cleave report: one HTML page of a run file, or of two runs, that needs no network; a model is run first. */
#include "cli/file.h"
#include "cli/report.h"
#include "cli/running.h"
#include "model/model.h"
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

/* "lift" of "runs/lift.cleave", with an ending; false: too long. */
static bool name_after(char *text, size_t size, const char *source, const char *ending)
{
    const char *slash = strrchr(source, '/'), *stem = slash ? slash + 1 : source;
    const char *dot = strrchr(stem, '.');
    const int n = (int)(dot && dot > stem ? dot - stem : (long)strlen(stem));
    return snprintf(text, size, "%.*s%s", n, stem, ending) < (int)size;
}

static clv_exit tell(const clv_error *e, clv_status status)
{
    clv_error_show("report", e);
    return clv_recording_exit(status);
}

/* ---------------------------------------------------------------- the page */

static clv_status write_page(FILE *out, clv_report *r, const char *const *run, int n, clv_error *error)
{
    const clv_viewer_page *page = &clv_viewer_page_built;
    clv_status status = CLV_OK;
    fwrite(page->begin, 1, page->nbegin, out);
    for (int i = 0; i < n && status == CLV_OK; ++i) {
        status = clv_report_open(r, run[i], CLV_REPORT_NUMBERS / n);
        if (status == CLV_OK)
            status = clv_report_write(r, i, out);
        *error = r->error;
        if (i + 1 < n)
            clv_report_close(r);
    }
    fwrite(page->end, 1, page->nend, out);
    return status;
}

/* What of the last run the page does not show. */
static void tell_thinned(const clv_report *r, const char *path)
{
    printf("%s is written", path);
    if (r->kept < r->frames)
        printf(", %ld of %ld frames", r->kept, r->frames);
    if (r->stride > 1)
        printf(", every %dth body", r->stride);
    if (*r->left_out)
        printf(", without %s", r->left_out);
    printf("\n");
}

static clv_exit make_page(const report_settings *set, const char *path, const char *const *run, int n)
{
    const clv_output_rule rule = {.force = set->force, .input = run};
    clv_report r = {0};
    clv_output out;
    clv_error error;
    clv_status status = clv_output_open(&out, path, &rule, &error);
    if (status != CLV_OK)
        return clv_file_tell("report", false, &error);
    status = write_page(out.stream, &r, run, n, &error);
    clv_error closing;
    const clv_status closed = clv_output_close(&out, status == CLV_OK, &closing);
    clv_exit code = CLV_EXIT_DONE;
    if (status != CLV_OK)
        code = tell(&error, status);
    else if (closed != CLV_OK)
        code = clv_file_tell("report", false, &closing);
    else
        tell_thinned(&r, path);
    clv_report_close(&r);
    return code;
}

/* ---------------------------------------------------------------- a model is run first */

typedef struct run_words {
    char *word[2 * CLV_WORDS_MAX + 24];
    char number[4][32];
    int n, nnumber;
} run_words;

static void put(run_words *w, const char *key, const char *value)
{
    w->word[w->n++] = (char *)key; /* the option reader only reads */
    if (value)
        w->word[w->n++] = (char *)value;
}

static void put_number(run_words *w, const char *key, double x)
{
    if (isnan(x))
        return;
    put(w, key, clv_json_shortest(w->number[w->nnumber++], x));
}

/* The interval of frames: smooth to look at. */
static double frame_interval(const report_settings *set, const clv_words *words, clv_exit *code)
{
    clv_subject s = {.command = "report", .listed = true};
    *code = clv_subject_model(&s, words);
    const double usual = *code == CLV_EXIT_DONE && s.model->time_end > 0 ? s.model->time_end : 10;
    clv_subject_close(&s);
    return isnan(set->every) ? (isnan(set->time) ? usual : set->time) / 500 : set->every;
}

/* CLV_EXIT_DONE, or CLV_EXIT_NUMERICAL where the run file holds what was computed. */
static clv_exit run_model(const report_settings *set, const clv_words *words, const char *path)
{
    run_words w = {0};
    clv_exit code;
    const double every = frame_interval(set, words, &code);
    if (code != CLV_EXIT_DONE)
        return code;
    for (int i = 0; i < words->n; ++i)
        put(&w, words->word[i], NULL);
    put(&w, "--out", path);
    put_number(&w, "--every", every), put_number(&w, "--time", set->time);
    put_number(&w, "--rtol", set->rtol), put_number(&w, "--step", set->step);
    if (set->formulation)
        put(&w, "--formulation", set->formulation);
    if (set->integrator)
        put(&w, "--integrator", set->integrator);
    if (set->force)
        put(&w, "--force", NULL);
    if (set->reactions)
        put(&w, "--reactions", NULL);
    return (clv_exit)clv_command_run.run(&clv_command_run, w.n, w.word);
}

static clv_exit report_model(const report_settings *set, const clv_words *words, const char *path)
{
    char run[1024];
    const clv_output_rule rule = {.force = set->force};
    clv_exit code = clv_file_check("report", path, &rule);
    if (code == CLV_EXIT_DONE && !name_after(run, sizeof run, path, ".cleave"))
        code = clv_tell("report", false, CLV_EXIT_USAGE, "the name of the page is too long");
    if (code == CLV_EXIT_DONE)
        code = run_model(set, words, run);
    if (code != CLV_EXIT_DONE && code != CLV_EXIT_NUMERICAL)
        return code;
    const clv_exit written = make_page(set, path, (const char *const[]){run, NULL}, 1);
    return written == CLV_EXIT_DONE ? code : written;
}

/* ---------------------------------------------------------------- command */

static clv_exit report_runs(const report_settings *set, const clv_words *words, const char *path)
{
    const bool two = words->n > 1;
    if (words->n > 2 || (two && !ends_with(words->word[1], ".cleave")))
        return clv_tell("report", false, CLV_EXIT_USAGE, "a page shows one run file or two: RUN.cleave [OTHER.cleave]");
    if (!isnan(set->time) || !isnan(set->every) || !isnan(set->rtol) || !isnan(set->step) || set->formulation ||
        set->integrator || set->reactions)
        return clv_tell("report", false, CLV_EXIT_USAGE, "options of a run are for a model; %s has been run",
                        words->word[0]);
    return make_page(set, path, (const char *const[]){words->word[0], two ? words->word[1] : NULL, NULL}, two ? 2 : 1);
}

static int command(const clv_command *self, int argc, char **argv)
{
    clv_words words;
    char usual[1024];
    report_settings set = {.time = NAN, .every = NAN, .rtol = NAN, .step = NAN};
    clv_exit code = clv_command_read(self, &set, &words, 1, CLV_WORDS_MAX, argc, argv);
    if (code != CLV_EXIT_DONE)
        return code;
    if (!clv_viewer_page_built.begin) {
        clv_error e = {.code = CLV_ERR_UNSUPPORTED, .time = NAN, .value = NAN};
        snprintf(e.message, sizeof e.message, "this build has no viewer (%s)", clv_viewer_page_built.made);
        snprintf(e.hint, sizeof e.hint, "install Node.js 18 or later and npm, then build again: cmake -S . -B build");
        clv_error_show("report", &e);
        return CLV_EXIT_USAGE;
    }
    if (!set.out && !name_after(usual, sizeof usual, words.word[0], ".html"))
        return clv_tell("report", false, CLV_EXIT_USAGE, "the name is too long; use --out FILE.html");
    const char *path = set.out ? set.out : usual;
    if (!ends_with(path, ".html"))
        return clv_tell("report", false, CLV_EXIT_USAGE, "%s: the name of the page must end in .html", path);
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
