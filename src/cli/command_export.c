/* SPDX-License-Identifier: Apache-2.0
 * cleave export: the frames of a run file as comma-separated values or as a NumPy archive. */
#include "base/memory.h"
#include "cli/running.h"
#include "io/npz.h"
#include <errno.h>
#include <math.h>
#include <string.h>

typedef struct export_settings {
    bool json;
} export_settings;

static const clv_option options[] = {{0}};

typedef struct export {
    clv_runfile *file;
    const clv_runfile_column *column;
    int ncolumn, width;
    long frames;
    double *frame;
    FILE *out;
} export;

/* ---------------------------------------------------------------- names */

/* Name of component `k`: "crank.position.x"; the caller knows that it fits or asks for its length first, as with
 * snprintf. */
static int component(char *text, size_t size, const clv_runfile_column *c, int k)
{
    return c->count > 1 ? snprintf(text, size, "%s.%c", c->name, c->axes[2 * k]) : snprintf(text, size, "%s", c->name);
}

/* ---------------------------------------------------------------- CSV */

static void csv_name(FILE *out, const clv_runfile_column *c, int k)
{
    bool quotes = strpbrk(c->name, ",\"\n") != NULL;
    fputs(quotes ? "\"" : "", out);
    for (const char *p = c->name; *p; ++p)
        fputs(*p == '"' ? "\"\"" : (char[2]){*p, 0}, out);
    if (c->count > 1)
        fprintf(out, ".%c", c->axes[2 * k]);
    fprintf(out, " [%s]%s", c->unit, quotes ? "\"" : "");
}

static clv_status write_csv(export *e)
{
    char text[32];
    for (int i = 0; i < e->ncolumn; ++i)
        for (int k = 0; k < e->column[i].count; ++k) {
            fputs(i + k ? "," : "", e->out);
            csv_name(e->out, &e->column[i], k);
        }
    fputc('\n', e->out);
    for (long f = 0; f < e->frames && !ferror(e->out); ++f) {
        clv_status status = clv_runfile_read(e->file, f, 1, e->frame);
        if (status != CLV_OK)
            return status;
        for (int i = 0; i < e->width; ++i) {
            fputs(i ? "," : "", e->out);
            if (isfinite(e->frame[i]))
                fputs(clv_json_shortest(text, e->frame[i]), e->out);
        }
        fputc('\n', e->out);
    }
    return CLV_OK;
}

/* ---------------------------------------------------------------- NumPy */

/* Next character of UTF-8 text; bytes that are none stand for themselves. */
static uint32_t next_character(const char **text)
{
    const unsigned char *s = (const unsigned char *)*text;
    int n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : s[0] >= 0xc0 ? 2 : 1;
    uint32_t c = n == 1 ? s[0] : s[0] & (0xffu >> (n + 1));
    for (int i = 1; i < n; ++i) {
        if ((s[i] >> 6) != 2) {
            n = 1, c = s[0];
            break;
        }
        c = c << 6 | (s[i] & 63);
    }
    *text += n;
    return c;
}

/* One text of an array of texts of `longest` characters. */
static void put_text(clv_npz *z, const char *text, int longest)
{
    for (int i = 0; i < longest; ++i) {
        uint32_t c = *text ? next_character(&text) : 0;
        unsigned char b[4] = {(unsigned char)c, (unsigned char)(c >> 8), (unsigned char)(c >> 16),
                              (unsigned char)(c >> 24)};
        clv_npz_write(z, b, 4);
    }
}

/* Names or units of all numbers of a frame; needs `text` for the longest of them. */
static void put_texts(export *e, clv_npz *z, const char *name, bool units, char *text, int longest)
{
    char type[24];
    snprintf(type, sizeof type, "<U%d", longest);
    clv_npz_array(z, name, type, 4 * (size_t)longest, (size_t)e->width, 0);
    for (int i = 0; i < e->ncolumn; ++i)
        for (int k = 0; k < e->column[i].count; ++k) {
            component(text, (size_t)longest + 1, &e->column[i], k);
            put_text(z, units ? e->column[i].unit : text, longest);
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
        clv_npz_array(&z, "frames", "<f8", 8, (size_t)e->frames, (size_t)e->width);
        for (long f = 0; f < e->frames && status == CLV_OK && !ferror(e->out); ++f) {
            status = clv_runfile_read(e->file, f, 1, e->frame);
            clv_npz_write(&z, e->frame, (size_t)e->width * sizeof(double));
        }
        clv_npz_end_array(&z);
        clv_npz_end(&z);
    }
    clv_free(text);
    return status;
}

/* ---------------------------------------------------------------- command */

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

static clv_exit write_out(export *e, const char *path, bool npz)
{
    if (npz && !clv_npz_fits(8.0 * ((double)e->frames + longest_text(e)) * e->width))
        return clv_tell("export", false, CLV_EXIT_USAGE, "%s: the run is too large for one .npz file (4 GiB); use .csv",
                        path);
    e->frame = clv_alloc((size_t)e->width, sizeof(double));
    e->out = e->frame ? fopen(path, "wb") : NULL;
    if (!e->out)
        return clv_tell("export", false, CLV_EXIT_RESOURCES, "%s cannot be written: %s", path, strerror(errno));
    clv_status status = npz ? write_npz(e) : write_csv(e);
    bool bad = ferror(e->out) != 0;
    bad = fclose(e->out) != 0 || bad;
    if (status != CLV_OK)
        return clv_tell("export", false, clv_recording_exit(status), "%s", clv_runfile_error(e->file)->message);
    if (bad)
        return clv_tell("export", false, CLV_EXIT_RESOURCES, "%s could not be written to its end: %s", path,
                        strerror(errno));
    printf("%s: %ld frames of %d numbers\n", path, e->frames, e->width);
    return CLV_EXIT_DONE;
}

static int command(const clv_command *self, int argc, char **argv)
{
    clv_words words;
    export_settings settings = {0};
    export e = {0};
    clv_exit code = clv_command_read(self, &settings, &words, 2, 2, argc, argv);
    if (code != CLV_EXIT_DONE)
        return code;
    const char *path = words.word[1];
    if (ends_with(path, ".h5"))
        return clv_tell("export", false, CLV_EXIT_USAGE, "%s: HDF5 files cannot be written; use .csv or .npz", path);
    if (!ends_with(path, ".csv") && !ends_with(path, ".npz"))
        return clv_tell("export", false, CLV_EXIT_USAGE, "%s: the name of the export must end in .csv or .npz", path);
    clv_status status = clv_runfile_open(&e.file, words.word[0]);
    if (status != CLV_OK)
        code = clv_tell("export", false, clv_recording_exit(status), "%s",
                        e.file ? clv_runfile_error(e.file)->message : "out of memory");
    else {
        e.column = clv_runfile_columns(e.file, &e.ncolumn);
        e.width = clv_runfile_width(e.file), e.frames = clv_runfile_frames(e.file);
        code = write_out(&e, path, ends_with(path, ".npz"));
    }
    clv_free(e.frame);
    clv_runfile_close(e.file, NULL);
    return code;
}

const clv_command clv_command_export = {
    "export", "RUN.cleave FILE", "write the frames of a run file as .csv or .npz",
    "  cleave export mine.cleave mine.csv\n"
    "  cleave export mine.cleave mine.npz                  NumPy: names, units, frames\n"
    "\n"
    "Every column has a name with its unit.  Works on a run that was stopped or still goes on, too.",
    options, command,
};
