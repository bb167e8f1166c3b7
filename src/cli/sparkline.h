/* SPDX-License-Identifier: Apache-2.0
 * A number over a run as one line of blocks, for terminals. */
#ifndef CLV_CLI_SPARKLINE_H
#define CLV_CLI_SPARKLINE_H
#include <stdbool.h>

enum { CLV_SPARKLINE = 40 };
typedef struct clv_sparkline {
    bool there[CLV_SPARKLINE];
    double most[CLV_SPARKLINE]; /* of each part of the run */
} clv_sparkline;

/* Adds a value at a part (0 to 1) of the run; it replaces a smaller one of the same block. */
void clv_sparkline_put(clv_sparkline *s, double part, double value);
/* Prints the blocks, from 0 to the largest value, in UTF-8.  False: nothing, as there is no positive value. */
bool clv_sparkline_print(const clv_sparkline *s);

#endif
