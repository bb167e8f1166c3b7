/* SPDX-License-Identifier: Apache-2.0
 * Writes a zip file without compression, member after member.  Sums and sizes are filled in behind a member, so the
 * stream must allow fseek.  A file holds less than 4 GiB.  The caller checks the stream (ferror, fclose) at the end. */
#ifndef CLV_IO_ZIP_H
#define CLV_IO_ZIP_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { CLV_ZIP_NAME = 256 };

typedef struct clv_zip_member {
    char name[CLV_ZIP_NAME];
    uint32_t sum, size, offset;
} clv_zip_member;

typedef struct clv_zip {
    FILE *out;
    uint32_t table[256]; /* of the checksum               */
    uint32_t sum;        /* of the open member            */
    uint64_t at;         /* bytes written                 */
    uint64_t begun;      /* where its data begin          */
    int n, most;         /* members so far, room for      */
    clv_zip_member *member; /* of the caller              */
} clv_zip;

/* `member`: room for `most` members, until the file is ended. */
clv_zip clv_zip_begin(FILE *out, clv_zip_member *member, int most);
/* Bytes of a file with members of together `data` bytes: is it small enough? */
bool clv_zip_fits(double data);
/* Opens a member; false: no room for more, or the name is too long. */
bool clv_zip_open(clv_zip *z, const char *name);
void clv_zip_write(clv_zip *z, const void *data, size_t bytes);
void clv_zip_close(clv_zip *z);
void clv_zip_end(clv_zip *z);

#endif
