/* SPDX-License-Identifier: Apache-2.0
 * Printing errors.  Long source lines are shown around the column; tabs stay tabs under the caret so that it points
 * right.  Nothing of a file reaches the terminal that acts there: it is spelt out, and the caret moves with it. */
#include "io/error_print.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/model.h"
#include <string.h>

#define SHOWN 100 /* bytes of a source line */

/* Start of line `line` (from 1), or NULL. */
static const char *find_line(const char *text, int line)
{
    for (; line > 1 && text; --line) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    return text;
}

/* Bytes before column `column` (characters, from 1) in a line of n bytes. */
static size_t column_offset(const char *line, size_t n, int column)
{
    size_t k = 0;
    while (k < n && column > 1) {
        ++k;
        while (k < n && ((unsigned char)line[k] & 0xC0) == 0x80)
            ++k;
        --column;
    }
    return k;
}

/* n bytes as they may be shown, tabs as they are; or as many spaces. */
static void print_part(FILE *out, const char *text, size_t n, bool blank)
{
    char shown[CLV_SHOWN];
    for (size_t i = 0; i < n;) {
        const bool tab = text[i] == '\t';
        i += tab ? 1 : clv_text_next(text + i, shown);
        if (tab)
            fputc('\t', out);
        else if (blank)
            fprintf(out, "%*s", shown[0] == '\\' && shown[1] ? (int)strlen(shown) : 1, "");
        else
            fputs(shown, out);
    }
}

void clv_print_text(FILE *out, const char *text)
{
    for (char shown[CLV_SHOWN]; *text; fputs(shown, out))
        text += clv_text_next(text, shown);
}

static void print_source(FILE *out, const char *text, int line, int column)
{
    const char *start = find_line(text, line);
    if (!start)
        return;
    size_t n = strcspn(start, "\r\n"), at = column_offset(start, n, column),
           skip = at > SHOWN * 3 / 4 ? at - SHOWN / 2 : 0;
    while (skip < n && ((unsigned char)start[skip] & 0xC0) == 0x80)
        ++skip;
    if (n == 0)
        return;
    size_t shown = n - skip > SHOWN ? SHOWN : n - skip;
    while (shown < n - skip && ((unsigned char)start[skip + shown] & 0xC0) == 0x80)
        ++shown;
    fprintf(out, "%6d | %s", line, skip ? "..." : "");
    print_part(out, start + skip, shown, false);
    fprintf(out, "%s\n       | %s", shown < n - skip ? "..." : "", skip ? "   " : "");
    print_part(out, start + skip, at > skip ? at - skip : 0, true);
    fputs("^\n", out);
}

void clv_error_print(FILE *out, const clv_error *e, const char *text)
{
    clv_print_text(out, e->file);
    fputs(*e->file ? ":" : "", out);
    if (e->line > 0)
        fprintf(out, "%d:%d:", e->line, e->column);
    fputs(*e->file || e->line > 0 ? " " : "", out);
    clv_print_text(out, e->path);
    fputs(*e->path ? ": " : "", out);
    clv_print_text(out, *e->message ? e->message : clv_status_text(e->code));
    fputc('\n', out);
    if (text && e->line > 0)
        print_source(out, text, e->line, e->column);
    if (*e->hint) {
        fputs("  hint: ", out);
        clv_print_text(out, e->hint);
        fputc('\n', out);
    }
}

/* Text of a small file, or NULL. */
static char *load(const char *path)
{
    FILE *f = *path ? fopen(path, "rb") : NULL;
    char *text = f ? clv_alloc((size_t)1 << 24, 1) : NULL;
    if (text)
        text[fread(text, 1, ((size_t)1 << 24) - 1, f)] = '\0';
    if (f)
        fclose(f);
    return text;
}

void clv_error_print_placed(FILE *out, const clv_error *e)
{
    char *text = e->line > 0 ? load(e->file) : NULL;
    clv_error_print(out, e, text);
    clv_free(text);
}

void clv_model_errors_print(FILE *out, const clv_model *model, const char *text)
{
    int n = clv_model_error_count(model);
    char *loaded = !text && n > 0 && model->file ? load(model->file) : NULL;
    for (int i = 0; i < n; ++i) {
        const clv_error *e = clv_model_error_at(model, i);
        if (model->file && *e->file && strncmp(e->file, model->file, sizeof e->file - 1) != 0)
            clv_error_print_placed(out, e); /* in a file of modes */
        else
            clv_error_print(out, e, text ? text : loaded);
    }
    if (n == 0)
        clv_error_print(out, clv_model_error(model), NULL);
    clv_free(loaded);
}
