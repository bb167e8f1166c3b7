/* SPDX-License-Identifier: Apache-2.0
 * Which parts of a sweep lack runs: their files were not given, cannot be read or lack rows.  Each has the command
 * that makes what is missing; see sweep.h.  Run i belongs to part i % N + 1 of N. */
#include "base/memory.h"
#include "cli/summary.h"
#include "cli/sweep.h"
#include "io/error_print.h"
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 20 }; /* parts at most, in the text */

/* N, where all files that were read agree; else 0. */
static int count_shards(const clv_sweep_given *given, int n)
{
    int shards = -1;
    for (int i = 0; i < n; ++i)
        if (!given[i].lost)
            shards = shards == -1 || shards == given[i].job.shards ? given[i].job.shards : 0;
    return shards > 0 ? shards : 0;
}

/* The first file that was read. */
static const clv_sweep_given *first(const clv_sweep_given *given)
{
    while (given->lost)
        ++given;
    return given;
}

/* "part07.sweep" of part 7 gives "part12.sweep" of part 12: the last number in the name that is the part's. */
static char *rename_part(const clv_sweep_given *like, int shard)
{
    const char *slash = strrchr(like->path, '/'), *at = slash ? slash + 1 : like->path, *found = NULL;
    const size_t room = strlen(like->path) + 16;
    int digits = 0;
    while (*(at += strcspn(at, "0123456789"))) {
        char *end;
        if (strtol(at, &end, 10) == like->job.shard)
            found = at, digits = (int)(end - at);
        at = end;
    }
    char *name = found ? clv_alloc(room, 1) : NULL;
    if (name)
        snprintf(name, room, "%.*s%0*d%s", (int)(found - like->path), like->path, *found == '0' ? digits : 1, shard,
                 found + digits);
    return name;
}

/* "all.sweep" gives "all-3.sweep" */
static char *name_part(const char *out, int shard)
{
    const size_t room = strlen(out) + 24, stem = strlen(out) - strlen(".sweep");
    char *name = clv_alloc(room, 1);
    if (name)
        snprintf(name, room, "%.*s-%d.sweep", (int)stem, out, shard);
    return name;
}

/* The file of a part: one that was read, else one that was lost and has the name that it should have. */
static const clv_sweep_given *find_file(const clv_sweep_given *given, int n, int shard, const char *name)
{
    const clv_sweep_given *best = NULL;
    for (int i = 0; i < n && shard > 0; ++i)
        if (!given[i].lost && given[i].job.shard == shard && (!best || given[i].rows > best->rows))
            best = &given[i];
    for (int i = 0; i < n && !best; ++i)
        if (given[i].lost && strcmp(given[i].path, name) == 0)
            best = &given[i];
    return best;
}

static bool add(clv_sweep_parts *p, const char *out, const clv_sweep_given *given, int n, clv_sweep_part part)
{
    const clv_sweep_given *like = first(given);
    clv_sweep_job job = {part.shard, p->shards, like->job.words};
    part.file = part.shard == 0 || p->shards == 1 ? clv_copy_text(p->shards == 1 ? like->path : out)
                                                   : rename_part(like, part.shard);
    if (!part.file)
        part.file = name_part(out, part.shard);
    const clv_sweep_given *file = part.file ? find_file(given, n, part.shard, part.file) : NULL;
    if (file && strcmp(file->path, part.file) != 0) {
        clv_free(part.file);
        part.file = clv_copy_text(file->path);
    }
    part.state = file && !file->lost ? "incomplete" : file ? file->lost : part.shard ? "lost" : "incomplete";
    if (!*job.words)
        part.command = clv_copy_text("");
    else if (part.file)
        part.command = clv_sweep_command(&job, part.file, strcmp(part.state, "damaged") == 0 ? "force" : "resume");
    p->part[p->n++] = part;
    return part.file && part.command;
}

bool clv_sweep_parts_find(clv_sweep_parts *p, const clv_sweepfile *merged, const char *out,
                          const clv_sweep_given *given, int n)
{
    const int instances = clv_sweepfile_start(merged)->instances;
    *p = (clv_sweep_parts){.shards = count_shards(given, n), .missing = instances - clv_sweepfile_count(merged)};
    const int classes = p->shards > 0 ? p->shards : 1;
    int *missing = clv_alloc((size_t)classes, sizeof *missing), some = 0;
    for (int i = 0; missing && i < instances; ++i)
        if (!clv_sweepfile_row(merged, i))
            some += missing[i % classes]++ == 0;
    p->part = clv_alloc((size_t)some + 1, sizeof *p->part);
    bool good = missing && p->part;
    for (int k = 0; good && k < classes; ++k)
        if (missing[k] > 0)
            good = add(p, out, given, n,
                       (clv_sweep_part){.shard = p->shards > 0 ? k + 1 : 0,
                                        .runs = (instances - k + classes - 1) / classes,
                                        .missing = missing[k]});
    clv_free(missing);
    return good;
}

void clv_sweep_parts_release(clv_sweep_parts *p)
{
    for (int i = 0; i < p->n; ++i)
        clv_free(p->part[i].file), clv_free(p->part[i].command);
    clv_free(p->part);
    *p = (clv_sweep_parts){0};
}

static void print_line(const char *text)
{
    clv_label("");
    printf("    ");
    clv_print_text(stdout, text);
    printf("\n");
}

void clv_sweep_parts_print(const clv_sweep_parts *p, const char *out)
{
    if (p->missing == 0)
        return;
    clv_label("missing");
    printf("%d run%s", p->missing, p->missing > 1 ? "s" : "");
    if (p->shards > 1)
        printf(", of %d of %d parts", p->n, p->shards);
    printf("; the command behind each part makes them\n");
    for (int i = 0; i < p->n && i < SHOWN; ++i) {
        const clv_sweep_part *t = &p->part[i];
        clv_label("");
        if (t->shard > 0 && p->shards > 1)
            printf("part %d/%d, ", t->shard, p->shards);
        clv_print_text(stdout, t->file);
        printf(": %s, %d of %d runs missing\n", t->state, t->missing, t->runs);
        print_line(*t->command ? t->command
                               : "made by an older program: give it the words of the sweep, --out and --resume");
    }
    if (p->n > SHOWN) {
        clv_label("");
        printf("and %d more parts: --json lists all\n", p->n - SHOWN);
    }
    if (p->shards > 1) {
        clv_label("then");
        printf("cleave sweep merge ");
        clv_print_text(stdout, out);
        printf(" --resume, with the files of these parts\n");
    }
}

void clv_sweep_parts_json(const clv_sweep_parts *p, clv_json *j)
{
    clv_json_integer(j, "missing", p->missing);
    clv_json_integer(j, "shards", p->shards);
    clv_json_array(j, "parts");
    for (int i = 0; i < p->n; ++i) {
        const clv_sweep_part *t = &p->part[i];
        clv_json_object(j, NULL);
        clv_json_integer(j, "shard", t->shard);
        clv_json_text(j, "file", t->file);
        clv_json_text(j, "state", t->state);
        clv_json_integer(j, "runs", t->runs);
        clv_json_integer(j, "missing", t->missing);
        clv_json_text(j, "command", t->command);
        clv_json_end(j);
    }
    clv_json_end(j);
}
