/* SPDX-License-Identifier: Apache-2.0
 * MAT files; see mat.h.  Source of the format: MathWorks, MAT-File Format, level 5. */
#include "io/mat.h"
#include <stdint.h>
#include <string.h>

/* types of data, classes of arrays */
enum { INT8 = 1, INT32 = 5, UINT32 = 6, DOUBLE = 9, MATRIX = 14, UTF8 = 16 };
enum { CLASS_CELL = 1, CLASS_CHAR = 4, CLASS_DOUBLE = 6 };

static uint32_t padded(size_t bytes) { return (uint32_t)((bytes + 7) / 8 * 8); }

/* little endian */
static void put(FILE *out, uint64_t x, int bytes)
{
    for (int i = 0; i < bytes; i++)
        fputc((int)(x >> (8 * i) & 255), out);
}

static void tag(FILE *out, uint32_t type, size_t bytes) { put(out, type, 4), put(out, bytes, 4); }

static void text_of(FILE *out, uint32_t type, const char *text)
{
    const size_t n = strlen(text);
    tag(out, type, n);
    fwrite(text, 1, n, out);
    for (size_t i = n; i < padded(n); i++)
        fputc(0, out);
}

/* bytes of an array behind its tag: flags, dimensions, name, content */
static size_t size_of(const char *name, size_t content) { return 16 + 16 + 8 + padded(strlen(name)) + content; }

static void open_array(FILE *out, uint32_t kind, const char *name, size_t rows, size_t columns, size_t content)
{
    tag(out, MATRIX, size_of(name, content));
    tag(out, UINT32, 8), put(out, kind, 4), put(out, 0, 4);
    tag(out, INT32, 8), put(out, rows, 4), put(out, columns, 4);
    text_of(out, INT8, name);
}

void clv_mat_begin(FILE *out)
{
    char head[117];
    snprintf(head, sizeof head, "%-116s", "MATLAB 5.0 MAT-file, written by cleave");
    fwrite(head, 1, 116, out);
    put(out, 0, 8), put(out, 0x0100, 2);
    fputs("IM", out);
}

void clv_mat_matrix(FILE *out, const char *name, const double *row, size_t rows, size_t columns)
{
    const size_t bytes = rows * columns * sizeof(double);
    open_array(out, CLASS_DOUBLE, name, rows, columns, 8 + bytes);
    tag(out, DOUBLE, bytes);
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < rows; i++) {
            uint64_t bits;
            memcpy(&bits, &row[i * columns + j], sizeof bits);
            put(out, bits, 8);
        }
}

static size_t characters(const char *text)
{
    size_t n = 0;
    for (; *text; ++text)
        n += ((unsigned char)*text & 0xC0) != 0x80;
    return n;
}

void clv_mat_names(FILE *out, const char *name, const char *const *text, size_t n)
{
    size_t content = 0;
    for (size_t i = 0; i < n; i++)
        content += 8 + size_of("", 8 + padded(strlen(text[i])));
    open_array(out, CLASS_CELL, name, n, 1, content);
    for (size_t i = 0; i < n; i++) {
        open_array(out, CLASS_CHAR, "", 1, characters(text[i]), 8 + padded(strlen(text[i])));
        text_of(out, UTF8, text[i]);
    }
}
