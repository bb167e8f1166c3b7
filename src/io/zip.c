/* SPDX-License-Identifier: Apache-2.0
 * The writer of zip files; see zip.h.  Format: PKWARE APPNOTE 6.3 sections 4.3.7, 4.3.12, 4.3.16. */
#include "io/zip.h"
#include <string.h>

static unsigned char *put(unsigned char *to, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        *to++ = (unsigned char)(value >> 8 * i);
    return to;
}

clv_zip clv_zip_begin(FILE *out, clv_zip_member *member, int most)
{
    clv_zip z = {.out = out, .member = member, .most = most};
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
        z.table[i] = c;
    }
    return z;
}

bool clv_zip_fits(double data) { return data < 4294967295.0 - 65536; }

static void raw(clv_zip *z, const void *data, size_t bytes)
{
    fwrite(data, 1, bytes, z->out);
    z->at += bytes;
}

void clv_zip_write(clv_zip *z, const void *data, size_t bytes)
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

bool clv_zip_open(clv_zip *z, const char *name)
{
    unsigned char head[64];
    const size_t named = strlen(name);
    if (z->n == z->most || named >= CLV_ZIP_NAME)
        return false;
    clv_zip_member *m = &z->member[z->n];
    memcpy(m->name, name, named + 1);
    m->offset = (uint32_t)z->at;
    unsigned char *end = common(put(head, 0x04034b50, 4), 0, 0, named);
    raw(z, head, (size_t)(end - head));
    raw(z, name, named);
    z->sum = 0, z->begun = z->at;
    return true;
}

void clv_zip_close(clv_zip *z)
{
    unsigned char known[12];
    clv_zip_member *m = &z->member[z->n++];
    m->sum = z->sum, m->size = (uint32_t)(z->at - z->begun);
    put(put(put(known, m->sum, 4), m->size, 4), m->size, 4);
    if (fseek(z->out, (long)m->offset + 14, SEEK_SET) == 0)
        fwrite(known, 1, sizeof known, z->out);
    fseek(z->out, 0, SEEK_END);
}

void clv_zip_end(clv_zip *z)
{
    const uint32_t start = (uint32_t)z->at;
    unsigned char head[64], *end;
    for (int i = 0; i < z->n; i++) {
        const clv_zip_member *m = &z->member[i];
        const size_t named = strlen(m->name);
        end = common(put(put(head, 0x02014b50, 4), 20, 2), m->sum, m->size, named);
        end = put(put(end, 0, 4), 0, 2); /* comment, disk, inner attributes */
        end = put(put(end, 0, 4), m->offset, 4);
        raw(z, head, (size_t)(end - head));
        raw(z, m->name, named);
    }
    end = put(put(head, 0x06054b50, 4), 0, 4);
    end = put(put(end, (uint32_t)z->n, 2), (uint32_t)z->n, 2);
    end = put(put(put(end, (uint32_t)z->at - start, 4), start, 4), 0, 2);
    raw(z, head, (size_t)(end - head));
}
