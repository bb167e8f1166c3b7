/* SPDX-License-Identifier: Apache-2.0
 * cleave export RUN FILE.h5: a table a column, /time, /bodies/NAME/position, /joints/NAME/effort, with their units as
 * attributes.  The numbers come first, block by block of frames; the tables and groups that name them follow. */
#include "base/memory.h"
#include "cli/export.h"
#include "io/hdf5.h"
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 20 }; /* numbers of frames that are held at a time */

/* Groups of the file, by the kind of a column. */
static const struct {
    const char *kind, *group;
} kinds[] = {{"run", NULL}, {"body", "bodies"}, {"marker", "markers"}, {"mode", "modes"}, {"joint", "joints"}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

typedef struct entry {
    const clv_column *column;
    int kind;
    uint64_t place; /* of its numbers, then of its table */
} entry;

static int kind_of(const clv_column *c)
{
    int k = KINDS - 1;
    while (k > 0 && strcmp(kinds[k].kind, c->kind) != 0)
        --k;
    return k;
}

static int by_owner(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    const int owner = strcmp(x->column->owner, y->column->owner);
    if (x->kind != y->kind)
        return x->kind - y->kind;
    return owner != 0 ? owner : x->column->first - y->column->first;
}

/* "position" of "crank.position"; all of the name of a column of the run. */
static const char *part_of(const clv_column *c)
{
    const size_t n = strlen(c->owner);
    return n > 0 && strncmp(c->name, c->owner, n) == 0 && c->name[n] == '.' ? c->name + n + 1 : c->name;
}

const char *clv_export_hdf5_bad_name(const clv_column *column, int n)
{
    for (int i = 0; i < n; ++i)
        if ((*column[i].owner && !clv_hdf5_name(column[i].owner)) || !clv_hdf5_name(part_of(&column[i])))
            return column[i].name;
    return NULL;
}

/* ---------------------------------------------------------------- numbers */

/* Writes a block of n frames, from frame number `first` of the file on, into the places of the columns. */
static bool put_block(FILE *out, const entry *e, int ncolumn, const double *frame, long n, int width, long first,
                      double *one)
{
    for (int i = 0; i < ncolumn; ++i) {
        const int count = e[i].column->count;
        const uint64_t at = e[i].place + 8 * (uint64_t)first * (uint64_t)count;
        for (long f = 0; f < n; ++f)
            memcpy(one + f * count, frame + f * width + e[i].column->first, (size_t)count * sizeof *one);
        if (fseek(out, (long)at, SEEK_SET) != 0 ||
            fwrite(one, sizeof *one, (size_t)(n * count), out) != (size_t)(n * count))
            return false;
    }
    return true;
}

static clv_status put_numbers(const clv_export_frames *x, FILE *out, const entry *e)
{
    int widest = 1;
    for (int i = 0; i < x->ncolumn; ++i)
        widest = e[i].column->count > widest ? e[i].column->count : widest;
    const long block = x->width < BLOCK ? BLOCK / x->width : 1;
    double *frame = clv_alloc((size_t)block, (size_t)x->width * sizeof *frame);
    double *one = clv_alloc((size_t)block, (size_t)widest * sizeof *one);
    clv_status status = frame && one ? CLV_OK : CLV_ERR_MEMORY;
    for (long done = 0, n = 0; status == CLV_OK && done < x->frames; done += n) {
        for (n = 0; n < block && done + n < x->frames && status == CLV_OK; ++n)
            status = x->next(x->from, frame + n * x->width);
        if (status == CLV_OK && !put_block(out, e, x->ncolumn, frame, n, x->width, done, one))
            break; /* the stream has the error */
    }
    clv_free(frame), clv_free(one);
    return status;
}

/* ---------------------------------------------------------------- tables and groups */

static void put_tables(clv_hdf5 *h, const clv_export_frames *x, entry *e)
{
    for (int i = 0; i < x->ncolumn; ++i) {
        const clv_column *c = e[i].column;
        clv_hdf5_table(h, e[i].place, (uint64_t)x->frames, c->count > 1 ? (uint64_t)c->count : 0);
        clv_hdf5_text(h, "unit", c->unit);
        if (*c->axes)
            clv_hdf5_text(h, "axes", c->axes);
        e[i].place = clv_hdf5_close(h);
    }
}

/* The groups of owners in entries from..to-1; to `place`, a name an owner; their number. */
static int put_owners(clv_hdf5 *h, const entry *e, int from, int to, uint64_t *place, const char **name)
{
    int n = 0;
    for (int i = from, next; i < to; i = next) {
        clv_hdf5_group(h);
        for (next = i; next < to && strcmp(e[next].column->owner, e[i].column->owner) == 0; ++next)
            clv_hdf5_link(h, part_of(e[next].column), e[next].place);
        name[n] = e[i].column->owner;
        place[n++] = clv_hdf5_close(h);
    }
    return n;
}

/* The root: what concerns the run, and a group a kind. */
static uint64_t put_groups(clv_hdf5 *h, const clv_export_frames *x, const entry *e, uint64_t *place, const char **name)
{
    uint64_t group[KINDS] = {0};
    int from = 0, to;
    while (from < x->ncolumn && e[from].kind == 0)
        ++from;
    const int nrun = from;
    for (; from < x->ncolumn; from = to) {
        for (to = from; to < x->ncolumn && e[to].kind == e[from].kind;)
            ++to;
        const int n = put_owners(h, e, from, to, place, name);
        clv_hdf5_group(h);
        for (int i = 0; i < n; ++i)
            clv_hdf5_link(h, name[i], place[i]);
        group[e[from].kind] = clv_hdf5_close(h);
    }
    clv_hdf5_group(h);
    for (int i = 0; i < nrun; ++i)
        clv_hdf5_link(h, e[i].column->name, e[i].place);
    for (int k = 1; k < KINDS; ++k)
        if (group[k] > 0)
            clv_hdf5_link(h, kinds[k].group, group[k]);
    clv_hdf5_text(h, "program", "cleave " CLV_VERSION);
    clv_hdf5_text(h, "source", x->source);
    return clv_hdf5_close(h);
}

clv_status clv_export_hdf5(const clv_export_frames *x, FILE *out)
{
    uint64_t at = CLV_HDF5_FIRST, *place = clv_alloc((size_t)x->ncolumn + 1, sizeof *place);
    const char **name = clv_alloc((size_t)x->ncolumn + 1, sizeof *name);
    entry *e = clv_alloc((size_t)x->ncolumn + 1, sizeof *e);
    clv_status status = place && name && e ? CLV_OK : CLV_ERR_MEMORY;
    clv_hdf5 h = clv_hdf5_begin(out);
    for (int i = 0; status == CLV_OK && i < x->ncolumn; ++i) {
        e[i] = (entry){&x->column[i], kind_of(&x->column[i]), at};
        at += 8 * (uint64_t)x->frames * (uint64_t)x->column[i].count;
    }
    if (status == CLV_OK)
        status = put_numbers(x, out, e);
    if (status == CLV_OK && fseek(out, (long)at, SEEK_SET) == 0) {
        qsort(e, (size_t)x->ncolumn, sizeof *e, by_owner);
        put_tables(&h, x, e);
        const uint64_t root = put_groups(&h, x, e, place, name);
        status = clv_hdf5_end(&h, root) || ferror(out) ? CLV_OK : CLV_ERR_MEMORY;
    }
    clv_free(h.head), clv_free(place), clv_free(name), clv_free(e);
    return status;
}
