/* SPDX-License-Identifier: Apache-2.0
 * cleave sweep merge OUT SHARD...: the rows of all parts of a sweep in one file, each once; see sweep.h.  All files are
 * looked at before OUT is made or changed: one of another sweep is refused, one that cannot be read is a lost part. */
#include "base/error.h"
#include "base/memory.h"
#include "cli/sweep.h"
#include <string.h>
#include <unistd.h>

typedef struct merge_settings {
    bool force, resume, json;
} merge_settings;

typedef struct merging {
    clv_sweeping w;          /* what the report shows: set.out, set.json, file, before, parts */
    clv_sweepfile *first;    /* the first file that was read                                  */
    const char *like;        /* its name                                                      */
    clv_sweep_given *given;  /* (n)                                                           */
    const char **path;       /* (n + 1) names of the files, up to NULL                        */
    int n;
} merging;

static const clv_option options[] = {
    {"force", CLV_OPTION_FLAG, offsetof(merge_settings, force), NULL, "OUT may replace an existing file", 0, 0, false},
    {"resume", CLV_OPTION_FLAG, offsetof(merge_settings, resume), NULL,
     "where OUT exists, it keeps its rows and takes those that it lacks", 0, 0, false},
    {"json", CLV_OPTION_FLAG, offsetof(merge_settings, json), NULL, "print one JSON object instead of text", 0, 0,
     false},
    {0},
};

static const clv_command self = {
    "sweep merge",
    "OUT.sweep SHARD.sweep ...",
    "one file of all parts of a sweep",
    "  cleave sweep merge all.sweep part*.sweep\n"
    "\n"
    "Every row of the parts is in OUT once.  Parts that are lost or incomplete are named, each with the command that\n"
    "makes what is missing, and the exit code is 3.  Files of other sweeps are refused; then nothing is written.",
    options,
    NULL,
};

static clv_exit no_memory(const merging *m)
{
    return clv_tell("sweep", m->w.set.json, CLV_EXIT_RESOURCES, "out of memory");
}

/* ---------------------------------------------------------------- what the files are */

static clv_exit refuse(const merging *m, const clv_error *e)
{
    clv_error why = *e;
    if (why.code == CLV_ERR_USAGE && strstr(why.message, "another sweep"))
        clv_error_hint(&why, "all files must be of one sweep; compared with %s", m->like);
    return clv_sweeping_tell(&m->w, &why);
}

/* Takes down what file `g` is; the first that can be read stays open. */
static clv_exit look_at(merging *m, clv_sweep_given *g)
{
    clv_sweepfile *f;
    clv_status status = clv_sweepfile_open(&f, g->path, false);
    clv_exit code = CLV_EXIT_DONE;
    if (!f)
        return no_memory(m);
    const clv_error *e = clv_sweepfile_error(f);
    if (status == CLV_ERR_MODEL || status == CLV_ERR_SYNTAX) {
        g->lost = status == CLV_ERR_MODEL ? "lost" : "damaged";
        g->why = clv_copy_text(e->message);
    } else if (status != CLV_OK) {
        code = clv_sweeping_tell(&m->w, e);
    } else if (m->first && clv_sweepfile_same(f, clv_sweepfile_start(m->first)) != CLV_OK) {
        code = refuse(m, e);
    } else {
        g->job = clv_sweepfile_job(f), g->rows = clv_sweepfile_count(f);
        g->job.words = clv_copy_text(g->job.words);
    }
    if (code == CLV_EXIT_DONE && !(g->lost ? g->why : g->job.words))
        code = no_memory(m);
    if (code == CLV_EXIT_DONE && !g->lost && !m->first)
        m->first = f, m->like = g->path;
    else
        clv_sweepfile_close(f, NULL);
    return code;
}

static clv_exit look_at_all(merging *m)
{
    clv_exit code = CLV_EXIT_DONE;
    for (int i = 0; i < m->n && m->given && code == CLV_EXIT_DONE; ++i) {
        m->given[i].path = m->path[i];
        code = look_at(m, &m->given[i]);
    }
    if (code == CLV_EXIT_DONE && m->given && !m->first)
        code = clv_tell("sweep", m->w.set.json, CLV_EXIT_MODEL, "no part can be read: %s", m->given[0].why);
    return code;
}

/* ---------------------------------------------------------------- the merged file */

static clv_exit open_out(merging *m, const merge_settings *set)
{
    clv_sweep_start start = *clv_sweepfile_start(m->first);
    clv_output_rule rule = {.force = true, .input = m->path};
    clv_error e;
    start.job = clv_sweepfile_job(m->first);
    start.job.shard = start.job.shards = start.job.shards > 0;
    const bool there = set->resume && m->w.set.out && access(m->w.set.out, F_OK) == 0;
    if (clv_output_check(m->w.set.out, &rule, &e) != CLV_OK)
        return clv_sweeping_tell(&m->w, &e);
    clv_status status = there ? clv_sweepfile_open(&m->w.file, m->w.set.out, true)
                              : clv_sweepfile_create(&m->w.file, m->w.set.out, &start, set->force, m->path);
    if (status == CLV_OK && there)
        status = clv_sweepfile_same(m->w.file, &start);
    if (!m->w.file)
        return no_memory(m);
    m->w.before = status == CLV_OK ? clv_sweepfile_count(m->w.file) : 0;
    if (status == CLV_OK)
        return CLV_EXIT_DONE;
    clv_error why = *clv_sweepfile_error(m->w.file);
    if (status == CLV_ERR_USAGE && !there && !*why.hint)
        clv_error_hint(&why, "--resume adds rows to it, if it is of this sweep");
    return refuse(m, &why);
}

static clv_exit take_rows(merging *m)
{
    clv_status status = CLV_OK;
    for (int i = 0; i < m->n && status == CLV_OK; ++i)
        if (!m->given[i].lost)
            status = clv_sweepfile_merge(m->w.file, m->given[i].path);
    if (status == CLV_OK)
        status = clv_sweepfile_put_statistics(m->w.file);
    return status == CLV_OK ? CLV_EXIT_DONE : clv_sweeping_tell(&m->w, clv_sweepfile_error(m->w.file));
}

/* Files that could not be read, and that no part is missing for. */
static void tell_lost(const merging *m)
{
    for (int i = 0; i < m->n && !m->w.set.json; ++i)
        if (m->given[i].lost)
            clv_tell("sweep", false, CLV_EXIT_DONE, "%s", m->given[i].why);
}

static clv_exit report(merging *m)
{
    clv_sweep_parts parts = {0};
    m->w.sweep.runs = clv_sweepfile_start(m->w.file)->instances;
    m->w.parts = &parts;
    clv_exit code = clv_sweep_parts_find(&parts, m->w.file, m->w.set.out, m->given, m->n) ? CLV_EXIT_DONE
                                                                                           : no_memory(m);
    if (code == CLV_EXIT_DONE) {
        tell_lost(m);
        code = clv_sweeping_report(&m->w, 0);
    }
    m->w.parts = NULL;
    clv_sweep_parts_release(&parts);
    return code;
}

/* ---------------------------------------------------------------- the command */

/* Options from words: files are as many as there are, more than other commands take. */
static clv_exit read_words(merging *m, merge_settings *set, int argc, char **argv)
{
    char **option = clv_alloc((size_t)argc + 1, sizeof(char *)); /* NOLINT(bugprone-sizeof-expression): pointers */
    m->path = clv_alloc((size_t)argc + 1, sizeof *m->path);
    clv_words none;
    int n = 0, options_end = 0;
    if (!option || !m->path) {
        clv_free((void *)option);
        return no_memory(m);
    }
    for (int i = 0; i < argc; ++i) {
        if (!options_end && strcmp(argv[i], "--") == 0)
            options_end = 1;
        else if (!options_end && argv[i][0] == '-')
            option[n++] = argv[i];
        else if (!m->w.set.out)
            m->w.set.out = argv[i];
        else
            m->path[m->n++] = argv[i];
    }
    clv_exit code = clv_command_read(&self, set, &none, 0, 0, n, option);
    clv_free((void *)option);
    if (code != CLV_EXIT_DONE)
        return code;
    m->w.set.json = set->json;
    const char *out = m->w.set.out, *end = out ? strrchr(out, '.') : NULL;
    if (m->n == 0)
        return clv_tell("sweep", set->json, CLV_EXIT_USAGE, "use: cleave sweep merge OUT.sweep SHARD.sweep ...");
    if (!end || strcmp(end, ".sweep") != 0)
        return clv_tell("sweep", set->json, CLV_EXIT_USAGE, "%s: the name of the results must end in .sweep", out);
    if (set->force && set->resume)
        return clv_tell("sweep", set->json, CLV_EXIT_USAGE, "--force and --resume exclude each other");
    m->given = clv_alloc((size_t)m->n, sizeof *m->given);
    return m->given ? CLV_EXIT_DONE : no_memory(m);
}

int clv_sweep_merge(int argc, char **argv)
{
    merging m = {.w = {.subject = {.command = "sweep"}}};
    merge_settings set = {0};
    clv_error e;
    clv_exit code = read_words(&m, &set, argc, argv);
    if (code == CLV_EXIT_DONE)
        code = look_at_all(&m);
    if (code == CLV_EXIT_DONE)
        code = open_out(&m, &set);
    if (code == CLV_EXIT_DONE)
        code = take_rows(&m);
    if (code == CLV_EXIT_DONE)
        code = report(&m);
    if (clv_sweepfile_close(m.w.file, &e) != CLV_OK && code == CLV_EXIT_DONE)
        code = clv_sweeping_tell(&m.w, &e);
    clv_sweepfile_close(m.first, NULL);
    for (int i = 0; m.given && i < m.n; ++i)
        clv_free(m.given[i].why), clv_free((char *)m.given[i].job.words);
    clv_free(m.given), clv_free((void *)m.path);
    return code;
}
