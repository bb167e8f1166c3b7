/* SPDX-License-Identifier: Apache-2.0
 * What a sweep varies: the texts of --vary or the file of --values, and whether the model takes the least and the
 * largest values; see sweep.h.  Values between them that it does not take are failures of their runs. */
#include "base/memory.h"
#include "cli/sweep.h"
#include "io/error_print.h"
#include <string.h>

/* The exit code; with --json the error on standard output. */
static clv_exit conclude(const clv_sweeping *w, const clv_error *e)
{
    const clv_exit code = e->code == CLV_ERR_IO ? CLV_EXIT_RESOURCES : clv_exit_of(e->code, false);
    if (w->set.json) {
        clv_json j = clv_json_begin(stdout);
        clv_json_object(&j, NULL);
        clv_json_text(&j, "status", clv_exit_word(code));
        clv_json_error(&j, "error", e);
        clv_json_end(&j);
    }
    return code;
}

clv_exit clv_sweeping_tell(const clv_sweeping *w, const clv_error *e)
{
    clv_error_show("sweep", e);
    return conclude(w, e);
}

static clv_exit wrong(const clv_sweeping *w, const char *text)
{
    return clv_tell("sweep", w->set.json, CLV_EXIT_USAGE, "%s", text);
}

static clv_exit no_memory(const clv_sweeping *w)
{
    return clv_tell("sweep", w->set.json, CLV_EXIT_RESOURCES, "out of memory");
}

/* ---------------------------------------------------------------- does the model take them */

static void print_assignment(char *text, size_t size, const clv_vary *v, double x)
{
    char number[32];
    snprintf(text, size, "%s=%s%s%s", v->name, clv_json_shortest(number, x), *v->unit ? " " : "", v->unit);
}

/* What the model does not take, with its place in the file. */
static clv_exit tell_model(const clv_sweeping *w, const clv_model *model, bool high)
{
    if (clv_model_error_count(model) == 0)
        return clv_sweeping_tell(w, clv_model_error(model));
    fprintf(stderr, "cleave sweep: with the %s values:\n", high ? "largest" : "least");
    clv_model_errors_print(stderr, model, NULL);
    return conclude(w, clv_model_error_at(model, 0));
}

/* Reads the model with the least (or largest) value of every number that is varied. */
static clv_exit try_end(const clv_sweeping *w, bool high)
{
    enum { LONG = 300 };
    const int given = w->subject.ngiven, n = given + w->sweep.nvary;
    const char **param = clv_alloc((size_t)n + 1, sizeof *param);
    char *text = clv_alloc((size_t)w->sweep.nvary + 1, LONG);
    clv_model *model = NULL;
    for (int k = 0; param && text && k < n; ++k) {
        const clv_vary *v = k < given ? NULL : &w->sweep.vary[k - given];
        param[k] = v ? text + (size_t)(k - given) * LONG : w->subject.given[k];
        if (v)
            print_assignment(text + (size_t)(k - given) * LONG, LONG, v, high ? v->high : v->low);
    }
    clv_status status = param && text ? clv_model_read_text_with(&model, w->text, w->size, w->subject.source, param, n)
                                      : CLV_ERR_MEMORY;
    const clv_exit code = status == CLV_OK ? CLV_EXIT_DONE : model ? tell_model(w, model, high) : no_memory(w);
    clv_model_destroy(model);
    clv_free((void *)param), clv_free(text);
    return code;
}

/* ---------------------------------------------------------------- choosing */

static clv_exit read_vary(clv_sweeping *w)
{
    clv_error e;
    for (int i = 0; i < w->set.vary.n; ++i)
        if (clv_sweep_vary(&w->sweep, w->set.vary.word[i], &e) != CLV_OK)
            return clv_sweeping_tell(w, &e);
    return w->sweep.nvary > 0 ? CLV_EXIT_DONE : wrong(w, "nothing is varied: add --vary NAME=LOW..HIGH");
}

static clv_exit choose(clv_sweeping *w, bool lhs, bool csv)
{
    const clv_sweep_settings *set = &w->set;
    clv_error e;
    if (lhs && set->runs == 0)
        return wrong(w, "the number of runs is missing: add --runs N");
    clv_status status = csv   ? clv_sweep_table(&w->sweep, set->values, &e)
                        : lhs ? clv_sweep_lhs(&w->sweep, set->runs, (uint64_t)set->seed, &e)
                              : clv_sweep_grid(&w->sweep, set->runs, &e);
    if (csv && status == CLV_ERR_IO) /* the file is read, not written */
        return clv_tell("sweep", set->json, CLV_EXIT_MODEL, "%s", e.message);
    if (status != CLV_OK)
        return clv_sweeping_tell(w, &e);
    if (csv && set->runs > 0 && set->runs != w->sweep.runs)
        return clv_tell("sweep", set->json, CLV_EXIT_USAGE, "%s has values for %d runs; --runs is %d", set->values,
                        w->sweep.runs, set->runs);
    return CLV_EXIT_DONE;
}

/* Digits at *at, 1 to CLV_SWEEP_RUNS; 0: none, or more. */
static int read_count(const char **at)
{
    int n = 0;
    for (; **at >= '0' && **at <= '9' && n <= CLV_SWEEP_RUNS; ++*at)
        n = 10 * n + (**at - '0');
    return n <= CLV_SWEEP_RUNS ? n : 0;
}

/* "2/8" */
static clv_exit read_shard(clv_sweeping *w)
{
    const char *at = w->set.shard;
    w->shard = 0, w->shards = 1;
    if (!at)
        return CLV_EXIT_DONE;
    const int i = read_count(&at), n = *at == '/' ? (++at, read_count(&at)) : 0;
    if (!*at && i >= 1 && i <= n) {
        w->shard = i - 1, w->shards = n;
        return CLV_EXIT_DONE;
    }
    return clv_tell("sweep", w->set.json, CLV_EXIT_USAGE,
                    "--shard is '%s'; it must be I/N with I from 1 to N, as 2/8: the second of eight parts",
                    w->set.shard);
}

clv_exit clv_sweeping_values(clv_sweeping *w)
{
    const char *sample = w->set.sample;
    const bool lhs = strcmp(sample, "lhs") == 0, grid = strcmp(sample, "grid") == 0, csv = strcmp(sample, "csv") == 0;
    if (!lhs && !grid && !csv)
        return clv_tell("sweep", w->set.json, CLV_EXIT_USAGE, "--sample is '%s'; it must be lhs, grid or csv", sample);
    if (csv != (w->set.values != NULL) || (csv && w->set.vary.n > 0))
        return wrong(w, csv && !w->set.values ? "--sample csv needs --values FILE.csv"
                        : csv                 ? "--sample csv takes its names from --values, without --vary"
                                              : "--values needs --sample csv");
    clv_exit code = read_shard(w);
    if (code == CLV_EXIT_DONE && !csv)
        code = read_vary(w);
    if (code == CLV_EXIT_DONE)
        code = choose(w, lhs, csv);
    for (int high = 0; high < 2 && code == CLV_EXIT_DONE; ++high)
        code = try_end(w, high);
    return code;
}
