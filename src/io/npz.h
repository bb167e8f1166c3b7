/* SPDX-License-Identifier: Apache-2.0
 * Writes NumPy archives (.npz): a zip file without compression, one .npy array a member.  Arrays are written one after
 * the other, row by row, in little endian; an archive holds less than 4 GiB.  The caller checks the stream (ferror,
 * fclose) at the end. */
#ifndef CLV_IO_NPZ_H
#define CLV_IO_NPZ_H
#include "io/zip.h"
#include <stddef.h>

enum { CLV_NPZ_MEMBERS = 16 };

typedef struct clv_npz {
    clv_zip zip;
    clv_zip_member member[CLV_NPZ_MEMBERS];
} clv_npz;

clv_npz clv_npz_begin(FILE *out);
/* Bytes of an archive with members of together `data` bytes: is it small enough? */
bool clv_npz_fits(double data);
/* Opens array `name` of `rows` (x `columns`, -1: one dimension) elements of NumPy type `type` and `size` bytes, as
 * "<f8" and 8. */
void clv_npz_array(clv_npz *z, const char *name, const char *type, size_t size, size_t rows, long columns);
void clv_npz_write(clv_npz *z, const void *data, size_t bytes);
/* One element of an array of type "<Un", n = `longest`: a text, UTF-8, cut after n characters. */
void clv_npz_text(clv_npz *z, const char *text, int longest);
void clv_npz_end_array(clv_npz *z);
void clv_npz_end(clv_npz *z);

#endif
