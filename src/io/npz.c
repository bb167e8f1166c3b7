/* SPDX-License-Identifier: Apache-2.0
 * The writer of NumPy archives; see npz.h.  Format: numpy.lib.format, version 1.0; the archive is zip.c's. */
#include "io/npz.h"
#include <stdint.h>
#include <string.h>

clv_npz clv_npz_begin(FILE *out) { return (clv_npz){.zip = clv_zip_begin(out, NULL, CLV_NPZ_MEMBERS)}; }

bool clv_npz_fits(double data) { return clv_zip_fits(data); }

/* The archive was returned as a value: its members lie where it lies now. */
static clv_zip *zip_of(clv_npz *z)
{
    z->zip.member = z->member;
    return &z->zip;
}

void clv_npz_write(clv_npz *z, const void *data, size_t bytes) { clv_zip_write(zip_of(z), data, bytes); }

void clv_npz_array(clv_npz *z, const char *name, const char *type, size_t size, size_t rows, long columns)
{
    (void)size; /* the zip file learns it from what is written */
    char text[256], shape[64], file[CLV_ZIP_NAME];
    unsigned char lead[10] = "\x93NUMPY\x01\x00";
    snprintf(file, sizeof file, "%s.npy", name);
    if (columns >= 0)
        snprintf(shape, sizeof shape, "(%zu, %ld)", rows, columns);
    else
        snprintf(shape, sizeof shape, "(%zu,)", rows);
    int n = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, shape);
    while ((n + 11) % 64 != 0)
        text[n++] = ' ';
    text[n++] = '\n';
    lead[8] = (unsigned char)n, lead[9] = (unsigned char)(n >> 8);
    clv_zip_open(zip_of(z), file);
    clv_npz_write(z, lead, sizeof lead);
    clv_npz_write(z, text, (size_t)n);
}

/* Next character of UTF-8 text; invalid bytes stand for themselves. */
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

void clv_npz_text(clv_npz *z, const char *text, int longest)
{
    for (int i = 0; i < longest; ++i) {
        uint32_t c = *text ? next_character(&text) : 0;
        unsigned char b[4] = {(unsigned char)c, (unsigned char)(c >> 8), (unsigned char)(c >> 16),
                              (unsigned char)(c >> 24)};
        clv_npz_write(z, b, 4);
    }
}

void clv_npz_end_array(clv_npz *z) { clv_zip_close(zip_of(z)); }

void clv_npz_end(clv_npz *z) { clv_zip_end(zip_of(z)); }
