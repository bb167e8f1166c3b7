/* SPDX-License-Identifier: Apache-2.0
 * PNG and PDF of a picture that is written as SVG, by librsvg and cairo.  Both are loaded when they are needed. */
#ifndef CLV_CLI_PICTURE_H
#define CLV_CLI_PICTURE_H
#include "base/error.h"
#include <stdio.h>

typedef enum clv_picture_kind {
    CLV_PICTURE_SVG,
    CLV_PICTURE_PNG,
    CLV_PICTURE_PDF,
    CLV_PICTURE_UNKNOWN
} clv_picture_kind;

/* By the end of the file's name. */
clv_picture_kind clv_picture_of(const char *path);
/* Are the libraries found?  Always for SVG.  CLV_ERR_UNSUPPORTED names what is missing. */
clv_status clv_picture_check(clv_picture_kind kind, clv_error *e);
/* Writes the SVG text as PNG (two pixels a unit) or PDF (3/4 point a unit).  CLV_ERR_IO, CLV_ERR_MEMORY,
 * CLV_ERR_UNSUPPORTED. */
clv_status clv_picture_write(clv_picture_kind kind, const char *svg, size_t length, FILE *out, clv_error *e);

#endif
