/* SPDX-License-Identifier: Apache-2.0
 * cleave export: the frames of a run file as comma-separated values, a NumPy archive, HDF5 or glTF. */
#include "base/memory.h"
#include "cli/csv.h"
#include "cli/export.h"
#include "cli/file.h"
#include "cli/running.h"
#include "cli/sweep.h"
#include "io/npz.h"
#include <math.h>
#include <string.h>

typedef struct export_settings {
    bool force, damaged;
    const char *columns;
} export_settings;

#define AT(field) offsetof(export_settings, field)
static const clv_option options[] = {
    {"columns", CLV_OPTION_TEXT, AT(columns), "LIST",
     "only these: names and patterns with commas, as 'L.effort,tip.*'; default: all", 0, 0, false},
    {"force", CLV_OPTION_FLAG, AT(force), NULL, "replace an existing file", 0, 0, false},
    {"damaged", CLV_OPTION_FLAG, AT(damaged), NULL, "write the frames of a damaged run file that are intact", 0, 0,
     false},
    {0},
};

typedef struct export {
    clv_runfile *file;
    const clv_column *column; /* of the export */
    int ncolumn, width;
    clv_columns selected;     /* by --columns; item of each: where it is in a frame of the file */
    long frames, good; /* in the run, and to be written */
    bool damaged;      /* frames that are not intact are left out */
    double *whole, *frame; /* of the file; of the export */
    long at;               /* the next frame for HDF5 */
    FILE *out;
} export;

/* ---------------------------------------------------------------- frames */

/* The first frame from `f` on that is to be written; e->frames if there is none. */
static long next_frame(const export *e, long f)
{
    long chunk = clv_runfile_chunk_frames(e->file);
    while (e->damaged && f < e->frames && !clv_runfile_intact(e->file, f))
        f = (f / chunk + 1) * chunk;
    return f < e->frames ? f : e->frames;
}

/* Counts the frames to be written, and reports which are not. */
static void count_frames(export *e, const char *path)
{
    e->good = 0;
    for (long f = 0, next; f < e->frames; f = next) {
        next = next_frame(e, f);
        if (next > f)
            fprintf(stderr, "%s: frames %ld to %ld are damaged or missing, and left out\n", path, f, next - 1);
        if (next < e->frames)
            e->good++, next++;
    }
    if (*clv_runfile_damage(e->file))
        fprintf(stderr, "%s: besides, %s\n", path, clv_runfile_damage(e->file));
}

/* Frame f of the file, and what of it is exported. */
static clv_status read_frame(export *e, long f)
{
    clv_status status = clv_runfile_read(e->file, f, 1, e->whole);
    for (int i = 0; e->frame != e->whole && i < e->ncolumn; ++i) {
        const clv_column *c = &e->column[i];
        memcpy(e->frame + c->first, e->whole + c->item + (c->part < 0 ? 0 : c->part),
               (size_t)c->count * sizeof(double));
    }
    return status;
}

/* All columns of the file, or those that --columns names. */
static clv_exit choose(export *e, const char *columns)
{
    clv_error error;
    e->column = clv_runfile_columns(e->file, &e->ncolumn);
    e->width = clv_runfile_width(e->file);
    if (columns) {
        clv_status status = clv_columns_select(&e->selected, e->column, e->ncolumn, columns, &error);
        if (status != CLV_OK)
            return clv_tell("export", false, clv_recording_exit(status), "%s", error.message);
        e->column = e->selected.column, e->ncolumn = e->selected.n, e->width = e->selected.width;
    }
    e->whole = clv_alloc((size_t)clv_runfile_width(e->file), sizeof(double));
    e->frame = columns ? clv_alloc((size_t)e->width, sizeof(double)) : e->whole;
    return e->whole && e->frame ? CLV_EXIT_DONE : clv_tell("export", false, CLV_EXIT_RESOURCES, "out of memory");
}

/* ---------------------------------------------------------------- names */

/* Name of component `k`: "crank.position.x"; the caller knows that it fits or finds its length first, as with
 * snprintf. */
static int component(char *text, size_t size, const clv_column *c, int k)
{
    return c->count > 1 ? snprintf(text, size, "%s.%c", c->name, c->axes[2 * k]) : snprintf(text, size, "%s", c->name);
}

/* ---------------------------------------------------------------- CSV */

static clv_status write_csv(export *e)
{
    clv_csv_names(e->out, e->column, e->ncolumn);
    for (long f = next_frame(e, 0); f < e->frames && !ferror(e->out); f = next_frame(e, f + 1)) {
        clv_status status = read_frame(e, f);
        if (status != CLV_OK)
            return status;
        clv_csv_numbers(e->out, e->frame, e->width);
    }
    return CLV_OK;
}

/* ---------------------------------------------------------------- NumPy */

/* Names or units of all numbers of a frame; needs `text` for the longest of them. */
static void put_texts(export *e, clv_npz *z, const char *name, bool units, char *text, int longest)
{
    char type[24];
    snprintf(type, sizeof type, "<U%d", longest);
    clv_npz_array(z, name, type, 4 * (size_t)longest, (size_t)e->width, -1);
    for (int i = 0; i < e->ncolumn; ++i)
        for (int k = 0; k < e->column[i].count; ++k) {
            component(text, (size_t)longest + 1, &e->column[i], k);
            clv_npz_text(z, units ? e->column[i].unit : text, longest);
        }
    clv_npz_end_array(z);
}

/* Characters of the longest name or unit. */
static int longest_text(const export *e)
{
    int longest = 16;
    for (int i = 0; i < e->ncolumn; ++i)
        longest = (int)fmax(longest, component(NULL, 0, &e->column[i], 0));
    return longest;
}

static clv_status write_npz(export *e)
{
    int longest = longest_text(e);
    char *text = clv_alloc((size_t)longest + 1, 1);
    clv_status status = text ? CLV_OK : CLV_ERR_MEMORY;
    clv_npz z = clv_npz_begin(e->out);
    if (text) {
        put_texts(e, &z, "names", false, text, longest);
        put_texts(e, &z, "units", true, text, longest);
        clv_npz_array(&z, "frames", "<f8", 8, (size_t)e->good, (long)e->width);
        for (long f = next_frame(e, 0); f < e->frames && status == CLV_OK && !ferror(e->out);
             f = next_frame(e, f + 1)) {
            status = read_frame(e, f);
            clv_npz_write(&z, e->frame, (size_t)e->width * sizeof(double));
        }
        clv_npz_end_array(&z);
        clv_npz_end(&z);
    }
    clv_free(text);
    return status;
}

/* ---------------------------------------------------------------- HDF5 */

static clv_status next_to(void *from, double *frame)
{
    export *e = from;
    const long f = next_frame(e, e->at);
    e->at = f + 1;
    const clv_status status = read_frame(e, f);
    memcpy(frame, e->frame, (size_t)e->width * sizeof *frame);
    return status;
}

static clv_status write_hdf5(export *e)
{
    const clv_export_frames frames = {.column = e->column, .ncolumn = e->ncolumn, .width = e->width,
                                      .frames = e->good, .source = clv_runfile_source(e->file), .from = e,
                                      .next = next_to};
    return clv_export_hdf5(&frames, e->out);
}

/* ---------------------------------------------------------------- command */

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

static clv_exit tell(const export *e, clv_status status)
{
    const clv_error none = {.code = CLV_ERR_MEMORY}, *error = e->file ? clv_runfile_error(e->file) : &none;
    clv_exit code = clv_tell("export", false, clv_recording_exit(status), "%s",
                             *error->message ? error->message : "out of memory");
    if (*error->hint)
        fprintf(stderr, "  %s\n", error->hint);
    return code;
}

static clv_exit write_out(export *e, const char *path, const clv_output_rule *rule)
{
    const bool npz = ends_with(path, ".npz"), h5 = ends_with(path, ".h5");
    const char *bad = h5 ? clv_export_hdf5_bad_name(e->column, e->ncolumn) : NULL;
    clv_output out;
    clv_error error;
    if (bad)
        return clv_tell("export", false, CLV_EXIT_USAGE, "HDF5 allows no name as '%s'; use .npz or .csv", bad);
    if (npz && !clv_npz_fits(8.0 * ((double)e->good + longest_text(e)) * e->width))
        return clv_tell("export", false, CLV_EXIT_USAGE, "%s: the run is too large for one .npz file (4 GiB); use .csv",
                        path);
    if (clv_output_open(&out, path, rule, &error) != CLV_OK)
        return clv_file_tell("export", false, &error);
    e->out = out.stream;
    clv_status status = npz ? write_npz(e) : h5 ? write_hdf5(e) : write_csv(e);
    clv_status closed = clv_output_close(&out, status == CLV_OK, &error);
    if (status != CLV_OK)
        return tell(e, status);
    if (closed != CLV_OK)
        return clv_file_tell("export", false, &error);
    printf("%s: %ld frames of %d numbers\n", path, e->good, e->width);
    return CLV_EXIT_DONE;
}

static int command(const clv_command *self, int argc, char **argv)
{
    clv_words words;
    export_settings set = {0};
    export e = {0};
    clv_exit code = clv_command_read(self, &set, &words, 2, 2, argc, argv);
    if (code != CLV_EXIT_DONE)
        return code;
    const char *path = words.word[1];
    const bool glb = ends_with(path, ".glb") || ends_with(path, ".usda"); /* poses, no table */
    if (!ends_with(path, ".csv") && !ends_with(path, ".npz") && !ends_with(path, ".h5") && !glb)
        return clv_tell("export", false, CLV_EXIT_USAGE,
                        "%s: the name of the export must end in .csv, .npz, .h5, .glb or .usda", path);
    if (glb && (set.columns || set.damaged))
        return clv_tell("export", false, CLV_EXIT_USAGE, "--%s is for tables; a %s file has the poses of all bodies",
                        set.columns ? "columns" : "damaged", ends_with(path, ".glb") ? ".glb" : ".usda");
    const clv_output_rule rule = {.force = set.force, .input = (const char *const[]){words.word[0], NULL}};
    code = clv_file_check("export", path, &rule);
    if (code != CLV_EXIT_DONE)
        return code;
    if (clv_sweepfile_is(words.word[0])) {
        if (set.damaged || !ends_with(path, ".csv"))
            return clv_tell("export", false, CLV_EXIT_USAGE, "%s is a sweep file: it is exported as .csv%s",
                            words.word[0], set.damaged ? ", without --damaged" : "");
        return clv_sweep_export(words.word[0], path, set.columns, &rule);
    }
    if (glb)
        return clv_export_gltf(words.word[0], path, &rule);
    clv_status status = (set.damaged ? clv_runfile_open_damaged : clv_runfile_open)(&e.file, words.word[0]);
    if (status != CLV_OK)
        code = tell(&e, status);
    else {
        e.frames = clv_runfile_frames(e.file), e.damaged = set.damaged;
        count_frames(&e, words.word[0]);
        code = choose(&e, set.columns);
        if (code == CLV_EXIT_DONE)
            code = write_out(&e, path, &rule);
    }
    if (e.frame != e.whole)
        clv_free(e.frame);
    clv_free(e.whole);
    clv_columns_release(&e.selected);
    clv_runfile_close(e.file, NULL);
    return code;
}

const clv_command clv_command_export = {
    "export", "RUN.cleave FILE", "write a run file as .csv, .npz, .h5, .glb or .usda, a sweep file as .csv",
    "  cleave export mine.cleave mine.csv\n"
    "  cleave export mine.cleave mine.npz                  NumPy: names, units, frames\n"
    "  cleave export mine.cleave lift.csv --columns L.q,L.effort\n"
    "  cleave export mine.cleave mine.h5                   HDF5: /time, /bodies/NAME/position, units as attributes\n"
    "  cleave export mine.cleave mine.glb                  glTF: the motion in 3D, for Blender and viewers\n"
    "  cleave export mine.cleave mine.usda                 USD as text: the same, with the meshes of the model\n"
    "  cleave export mine.sweep mine.csv                   one line per run: number, values, outputs\n"
    "\n"
    "Every column has a name with its unit.  Works on a run that was stopped or still runs, too.  A damaged run\n"
    "file is refused; --damaged writes what is intact and names the frames that are not.",
    options, command,
};
