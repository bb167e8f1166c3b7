/* SPDX-License-Identifier: Apache-2.0
 * The writer of NumPy archives; see npz.h.  Formats: PKWARE APPNOTE 6.3 sections 4.3.7, 4.3.12, 4.3.16;
 * numpy.lib.format, version 1.0. */
#include "io/npz.h"
#include <string.h>

static unsigned char *put(unsigned char *to, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        *to++ = (unsigned char)(value >> 8 * i);
    return to;
}

clv_npz clv_npz_begin(FILE *out)
{
    clv_npz z = {.out = out};
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
        z.table[i] = c;
    }
    return z;
}

bool clv_npz_fits(double data) { return data < 4294967295.0 - 65536; }

static void raw(clv_npz *z, const void *data, size_t bytes)
{
    fwrite(data, 1, bytes, z->out);
    z->at += bytes;
}

void clv_npz_write(clv_npz *z, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    uint32_t c = ~z->sum;
    for (size_t i = 0; i < bytes; i++)
        c = z->table[(c ^ p[i]) & 255] ^ (c >> 8);
    z->sum = ~c;
    raw(z, data, bytes);
}

/* Fields common to the local header and the directory, from "version needed" to "extra field length". */
static unsigned char *common(unsigned char *to, uint32_t sum, uint32_t size, size_t name)
{
    to = put(to, 20, 2), to = put(to, 0x0800, 2), to = put(to, 0, 2); /* version, names in UTF-8, stored */
    to = put(to, 0, 2), to = put(to, 0x0021, 2);                      /* midnight, 1 January 1980        */
    to = put(to, sum, 4), to = put(to, size, 4), to = put(to, size, 4);
    return put(put(to, (uint32_t)name, 2), 0, 2);
}

void clv_npz_array(clv_npz *z, const char *name, const char *type, size_t size, size_t rows, size_t columns)
{
    char text[256], shape[64];
    unsigned char head[64], lead[10] = "\x93NUMPY\x01\x00";
    snprintf(z->member[z->n].name, sizeof z->member[z->n].name, "%s.npy", name);
    if (columns)
        snprintf(shape, sizeof shape, "(%zu, %zu)", rows, columns);
    else
        snprintf(shape, sizeof shape, "(%zu,)", rows);
    int n = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, shape);
    while ((n + 11) % 64 != 0)
        text[n++] = ' ';
    text[n++] = '\n';
    put(lead + 8, (uint32_t)n, 2);
    size_t named = strlen(z->member[z->n].name), all = 10 + (size_t)n + size * rows * (columns ? columns : 1);
    z->member[z->n].offset = (uint32_t)z->at, z->member[z->n].size = (uint32_t)all;
    unsigned char *end = common(put(head, 0x04034b50, 4), 0, (uint32_t)all, named);
    raw(z, head, (size_t)(end - head));
    raw(z, z->member[z->n].name, named);
    z->sum = 0;
    clv_npz_write(z, lead, sizeof lead);
    clv_npz_write(z, text, (size_t)n);
}

void clv_npz_end_array(clv_npz *z)
{
    unsigned char sum[4];
    put(sum, z->sum, 4);
    z->member[z->n].sum = z->sum;
    if (fseek(z->out, (long)z->member[z->n].offset + 14, SEEK_SET) == 0)
        fwrite(sum, 1, 4, z->out);
    fseek(z->out, 0, SEEK_END);
    z->n++;
}

void clv_npz_end(clv_npz *z)
{
    uint32_t start = (uint32_t)z->at;
    unsigned char head[64], *end;
    for (int i = 0; i < z->n; i++) {
        size_t named = strlen(z->member[i].name);
        end = common(put(put(head, 0x02014b50, 4), 20, 2), z->member[i].sum, z->member[i].size, named);
        end = put(put(end, 0, 4), 0, 2); /* comment, disk, inner attributes */
        end = put(put(end, 0, 4), z->member[i].offset, 4);
        raw(z, head, (size_t)(end - head));
        raw(z, z->member[i].name, named);
    }
    end = put(put(head, 0x06054b50, 4), 0, 4);
    end = put(put(end, (uint32_t)z->n, 2), (uint32_t)z->n, 2);
    end = put(put(put(end, (uint32_t)z->at - start, 4), start, 4), 0, 2);
    raw(z, head, (size_t)(end - head));
}
