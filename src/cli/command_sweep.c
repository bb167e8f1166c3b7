/* SPDX-License-Identifier: Apache-2.0
 * cleave sweep: many runs of one model with other numbers, on threads, a row each in one SQLite file; see sweep.h. */
#include "base/error.h"
#include "base/memory.h"
#include "cli/sweep.h"
#include "io/yaml_write.h"
#include "model/model.h"
#include <math.h>
#include <string.h>
#include <unistd.h>

#define AT(field) offsetof(clv_sweep_settings, field)
static const clv_option options[] = {
    {"vary", CLV_OPTION_TEXTS, AT(vary), "NAME=LOW..HIGH",
     "a parameter, or a number by its place, as 'd1.damping=1..6' or 'l=400..600 mm'; may be repeated", 0, 0, false},
    {"runs", CLV_OPTION_WHOLE, AT(runs), "N", "number of runs", 1, CLV_SWEEP_RUNS, false},
    {"sample", CLV_OPTION_TEXT, AT(sample), "NAME",
     "lhs (default): Latin hypercube; grid: all combinations; csv: the lines of --values", 0, 0, false},
    {"values", CLV_OPTION_TEXT, AT(values), "FILE.csv",
     "names in the first line, as 'l [mm]', then one line per run", 0, 0, false},
    {"seed", CLV_OPTION_NUMBER, AT(seed), "N", "lhs: another sample for each number; default 1", 0, 9e15, false},
    {"out", CLV_OPTION_TEXT, AT(out), "FILE.sweep", "the results, an SQLite file; required", 0, 0, false},
    {"resume", CLV_OPTION_FLAG, AT(resume), NULL, "continue --out where it exists: only runs that are missing", 0, 0,
     false},
    {"force", CLV_OPTION_FLAG, AT(force), NULL, "--out may replace an existing file", 0, 0, false},
    {"shard", CLV_OPTION_TEXT, AT(shard), "I/N", "only part I of N parts of the runs, for job arrays", 0, 0, false},
    {"merge", CLV_OPTION_TEXTS, AT(merge), "FILE.sweep", "take the rows of another file of this sweep; may be repeated",
     0, 0, false},
    {"threads", CLV_OPTION_THREADS, AT(threads), "N|auto",
     "threads, each with runs of its own; default auto: all cores", 0, 4096, false},
    {"columns", CLV_OPTION_TEXT, AT(columns), "LIST",
     "names and patterns with commas, as 'L.effort,tip.*'; default: the usual ones", 0, 0, false},
    {"time", CLV_OPTION_NUMBER, AT(time), "T", "simulated seconds of a run; default: the model's, else 10", 0, INFINITY,
     true},
    {"every", CLV_OPTION_NUMBER, AT(every), "DT",
     "interval in s of the samples for least, largest and rms values; default: a hundredth of the time", 0, INFINITY,
     true},
    {"max-steps", CLV_OPTION_NUMBER, AT(max_steps), "N", "a run with more steps fails; default 1e8", 1, 1e18, false},
    CLV_STEP_OPTIONS,
    CLV_SIM_OPTION(max_step, AT(sim.max_step)),
    CLV_CONSTRAINT_OPTIONS,
    {"json", CLV_OPTION_FLAG, AT(json), NULL, "print one JSON object instead of text", 0, 0, false},
    {0},
};

static clv_exit no_memory(const clv_sweeping *w)
{
    return clv_tell("sweep", w->set.json, CLV_EXIT_RESOURCES, "out of memory");
}

/* The text of the model file: as it was read, that of an example, or of a computed one as it is written. */
static clv_exit find_text(clv_sweeping *w)
{
    w->text = w->subject.text, w->size = w->subject.size;
    for (int i = 0; !w->subject.file && clv_example_name(i) && !w->text; ++i)
        if (strcmp(clv_example_name(i), w->subject.source) == 0 && (w->text = clv_example_source(i)) != NULL)
            w->size = strlen(w->text);
    if (w->text)
        return CLV_EXIT_DONE;
    if (clv_model_write_text(w->subject.model, &w->made, &w->size) != CLV_OK)
        return no_memory(w);
    w->subject.ngiven = 0; /* its numbers have been given */
    w->text = w->made;
    return CLV_EXIT_DONE;
}

/* The ensemble, checked with the model as it is without values. */
static clv_exit describe(clv_sweeping *w)
{
    const clv_sweep_settings *set = &w->set;
    const clv_sweep *s = &w->sweep;
    const double suggested = w->subject.model->time_end;
    clv_ensemble_desc *d = &w->desc;
    *d = clv_ensemble_desc_default();
    w->name = clv_alloc((size_t)s->nvary, sizeof *w->name);
    w->unit = clv_alloc((size_t)s->nvary, sizeof *w->unit);
    w->skip = clv_alloc((size_t)s->runs, sizeof *w->skip);
    if (!w->name || !w->unit || !w->skip)
        return no_memory(w);
    for (int k = 0; k < s->nvary; ++k)
        w->name[k] = s->vary[k].name, w->unit[k] = s->vary[k].unit;
    d->instances = s->runs, d->text = w->text, d->size = w->size, d->file_name = w->subject.source;
    d->nvalue = s->nvary, d->name = w->name, d->unit = w->unit, d->value = s->value;
    d->nparam = w->subject.ngiven, d->params = w->subject.given;
    d->done = clv_sweeping_done, d->user = w;
    d->time = !isnan(set->time) ? set->time : suggested > 0 ? suggested : 10;
    d->every = !isnan(set->every) ? set->every : d->time / 100;
    d->max_steps = (long)set->max_steps;
    d->columns = set->columns, d->skip = w->skip, d->options = set->sim;
    d->threads = set->threads > 0 ? set->threads : clv_cores();
    if (clv_ensemble_create(&w->ensemble, d) == CLV_OK)
        return CLV_EXIT_DONE;
    return w->ensemble ? clv_sweeping_tell(w, clv_ensemble_error(w->ensemble)) : no_memory(w);
}

/* Options that exclude each other would fail every run: they are refused before the first one.  Whatever else is
 * wrong with the start may be right with other values, and is a row of its run. */
static clv_exit check_options(const clv_sweeping *w)
{
    clv_sim *sim;
    const clv_status status = clv_sim_create(&sim, w->subject.model, &w->set.sim);
    const clv_exit code = status == CLV_ERR_USAGE && sim ? clv_sweeping_tell(w, clv_sim_error(sim)) : CLV_EXIT_DONE;
    clv_sim_destroy(sim);
    return code;
}

/* A new file, or with --resume the one that is there. */
static clv_exit open_file(clv_sweeping *w)
{
    const char *input[3] = {w->subject.file ? w->subject.source : NULL};
    clv_sweep_start start;
    clv_exit code = clv_sweeping_settings(w, &start);
    if (code != CLV_EXIT_DONE)
        return code;
    start.job = (clv_sweep_job){w->shard + 1, w->shards, w->words};
    input[input[0] != NULL] = w->set.values;
    const bool there = w->set.resume && access(w->set.out, F_OK) == 0;
    clv_status status = there ? clv_sweepfile_open(&w->file, w->set.out, true)
                              : clv_sweepfile_create(&w->file, w->set.out, &start, w->set.force, input);
    if (status == CLV_OK && there)
        status = clv_sweepfile_same(w->file, &start);
    if (status == CLV_OK && there)
        status = clv_sweepfile_put_job(w->file, &start.job);
    for (int i = 0; status == CLV_OK && i < w->set.merge.n; ++i)
        status = clv_sweepfile_merge(w->file, w->set.merge.word[i]);
    if (!w->file)
        return no_memory(w);
    if (status != CLV_OK) {
        clv_error e = *clv_sweepfile_error(w->file);
        if (e.code == CLV_ERR_USAGE && !w->set.force && !there && !*e.hint && access(w->set.out, F_OK) == 0)
            clv_error_hint(&e, "--resume continues it, if it is of this sweep");
        return clv_sweeping_tell(w, &e);
    }
    w->before = clv_sweepfile_count(w->file);
    return CLV_EXIT_DONE;
}

static clv_exit check(const clv_sweeping *w)
{
    const char *out = w->set.out, *end = out ? strrchr(out, '.') : NULL;
    if (!out)
        return clv_tell("sweep", w->set.json, CLV_EXIT_USAGE,
                        "the file of the results is missing: add --out FILE.sweep");
    if (!end || strcmp(end, ".sweep") != 0)
        return clv_tell("sweep", w->set.json, CLV_EXIT_USAGE, "%s: the name of the results must end in .sweep", out);
    if (w->set.force && w->set.resume)
        return clv_tell("sweep", w->set.json, CLV_EXIT_USAGE, "--force and --resume exclude each other");
    if (w->set.seed != floor(w->set.seed) || w->set.max_steps != floor(w->set.max_steps))
        return clv_tell("sweep", w->set.json, CLV_EXIT_USAGE, "--seed and --max-steps must be whole numbers");
    return CLV_EXIT_DONE;
}

static void release(clv_sweeping *w)
{
    clv_ensemble_destroy(w->ensemble);
    for (int i = 0; i < w->nmade; ++i)
        clv_free(w->made_text[i]);
    clv_free((void *)w->made_text), clv_free(w->pair), clv_free((void *)w->name), clv_free((void *)w->unit);
    clv_free(w->skip), clv_free(w->made), clv_free(w->words);
    clv_sweep_release(&w->sweep);
    clv_subject_close(&w->subject);
}

static int command(const clv_command *self, int argc, char **argv)
{
    if (argc > 0 && strcmp(argv[0], "merge") == 0)
        return clv_sweep_merge(argc - 1, argv + 1);
    clv_words words;
    clv_error e;
    clv_sweeping w = {.subject = {.command = "sweep"},
                      .set = {.sim = clv_sim_options_default(), .time = NAN, .every = NAN, .seed = 1, .max_steps = 1e8,
                              .sample = "lhs"},
                      .watched = isatty(STDERR_FILENO)};
    clv_exit code = clv_command_read(self, &w.set, &words, 1, CLV_WORDS_MAX, argc, argv);
    if (code != CLV_EXIT_DONE)
        return code;
    w.subject.json = w.set.json;
    w.set.sim.project = !w.set.no_project, w.set.sim.regauge = !w.set.no_regauge;
    code = check(&w);
    if (code == CLV_EXIT_DONE)
        code = (w.words = clv_sweep_words(options, argc, argv)) ? CLV_EXIT_DONE : no_memory(&w);
    if (code == CLV_EXIT_DONE)
        code = clv_subject_model(&w.subject, &words);
    if (code == CLV_EXIT_DONE)
        code = find_text(&w);
    if (code == CLV_EXIT_DONE)
        code = clv_sweeping_values(&w);
    if (code == CLV_EXIT_DONE)
        code = describe(&w);
    if (code == CLV_EXIT_DONE)
        code = check_options(&w);
    if (code == CLV_EXIT_DONE)
        code = open_file(&w);
    if (code == CLV_EXIT_DONE) {
        code = clv_sweeping_run(&w);
        if (code == CLV_EXIT_DONE) /* else rows of this process may not be in the file */
            code = clv_sweeping_report(&w, clv_wall() - w.began);
    }
    if (clv_sweepfile_close(w.file, &e) != CLV_OK && code == CLV_EXIT_DONE)
        code = clv_sweeping_tell(&w, &e);
    release(&w);
    return code;
}

const clv_command clv_command_sweep = {
    "sweep",
    "MODEL [key=value ...]",
    "many runs with varied parameters: one row per run, and statistics",
    "  cleave sweep mine.yaml --vary d1.damping=1..6 --vary 'l=400..600 mm' --runs 500 --out mine.sweep\n"
    "  cleave sweep mine.yaml --vary d1.damping=1..6/11 --vary k=100,200,400 --sample grid --out mine.sweep\n"
    "  cleave sweep mine.yaml --sample csv --values cases.csv --columns 'tip.*' --out mine.sweep\n"
    "  cleave sweep mine.yaml ... --out mine.sweep --resume           after it was stopped: the runs that are missing\n"
    "  cleave sweep mine.yaml ... --out part2.sweep --shard 2/8       one part of a job array\n"
    "  cleave sweep merge mine.sweep part1.sweep part2.sweep ...      one file of all parts; names lost ones\n"
    "\n"
    "Every number of the model file can be varied: a parameter by its name, others by their place\n"
    "(docs/model-file.md).  A run gives each column at its end, with the least, largest and rms value of its\n"
    "samples, and numbers of the report.  A run that fails has a row with its error and stops no other.  A row\n"
    "depends on its values alone, not on threads, parts or restarts.  docs/sweep.md describes the tables of the file.",
    options,
    command,
};
