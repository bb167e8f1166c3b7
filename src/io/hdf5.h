/* SPDX-License-Identifier: Apache-2.0
 * Writes HDF5 files: groups, tables of doubles, texts as attributes, by version 2 of object headers ("HDF5 File Format
 * Specification Version 3.0").  The caller places the numbers; objects follow, members before the group that links
 * them, one open at a time.  Everything is little endian.  The caller checks the stream (ferror, close) at the end. */
#ifndef CLV_IO_HDF5_H
#define CLV_IO_HDF5_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct clv_hdf5 {
    FILE *out;
    unsigned char *head; /* the messages of the open object */
    size_t n, room;
    bool memory;         /* false: there was not enough     */
} clv_hdf5;

/* Bytes at the beginning of the file that clv_hdf5_end fills. */
enum { CLV_HDF5_FIRST = 48 };
clv_hdf5 clv_hdf5_begin(FILE *out);
/* Opens a group, or a table of rows x columns doubles (columns 0: one dimension) whose numbers are at a place of the
 * file, row by row. */
void clv_hdf5_group(clv_hdf5 *h);
void clv_hdf5_table(clv_hdf5 *h, uint64_t place, uint64_t rows, uint64_t columns);
/* Can it be the name of a member?  Empty names, "." and slashes cannot. */
bool clv_hdf5_name(const char *name);
/* Adds a member to the open group, by the place that closing it gave. */
void clv_hdf5_link(clv_hdf5 *h, const char *name, uint64_t place);
/* Adds an attribute to the open object; the text has less than 60000 bytes. */
void clv_hdf5_text(clv_hdf5 *h, const char *name, const char *text);
/* Writes the open object where the stream is; its place. */
uint64_t clv_hdf5_close(clv_hdf5 *h);
/* Completes the file, whose root is a group, and releases memory.  False: out of memory, or the stream failed. */
bool clv_hdf5_end(clv_hdf5 *h, uint64_t root);

/* Bob Jenkins's hash "lookup3", the checksum of HDF5. */
uint32_t clv_hdf5_sum(const unsigned char *data, size_t n);

#endif
