/* SPDX-License-Identifier: Apache-2.0
 * What a sweep varies, the values its runs take, and statistics of what they give (docs/theory.md, T48).
 *
 *   sweep_vary.c        texts as d1.damping=1..6
 *   sweep_sample.c      Latin hypercube, grid
 *   sweep_table.c       values of a CSV file
 *   sweep_statistics.c  mean, deviation, quantiles
 *   sweep_ranks.c       what varies with what: rank correlation
 *
 * Called by `cleave sweep` and the Python package.  Results depend on the arguments alone. */
#ifndef CLV_IO_SWEEP_H
#define CLV_IO_SWEEP_H
#include "cleave/cleave.h"
#include <stdint.h>

enum { CLV_SWEEP_VARIED = 1000, CLV_SWEEP_RUNS = 10000000 }; /* at most */

/* A number of the model that is varied. */
typedef struct clv_vary {
    char *name, *unit;   /* parameter or place; unit of the values, "": that of the parameter, else SI */
    double low, high;    /* range of the values                                                        */
    int points;          /* along this number in a grid; 0: not given                                  */
    double *list;        /* (points) the values one by one; NULL: a range                              */
} clv_vary;

typedef struct clv_sweep {
    int nvary, runs;
    clv_vary *vary;      /* (nvary)                                                                    */
    double *value;       /* (runs x nvary); NULL before they are chosen                                */
} clv_sweep;

/* Adds "NAME=LOW..HIGH", "NAME=LOW..HIGH/POINTS" or "NAME=V1,V2,...", each with a unit behind it or not.
 * Errors: CLV_ERR_USAGE with the character where the text is wrong, CLV_ERR_MEMORY. */
clv_status clv_sweep_vary(clv_sweep *s, const char *text, clv_error *e);
/* Chooses the values.  runs 0: as many as the points of the grid give.  CLV_ERR_USAGE: they do not fit. */
clv_status clv_sweep_lhs(clv_sweep *s, int runs, uint64_t seed, clv_error *e);
clv_status clv_sweep_grid(clv_sweep *s, int runs, clv_error *e);
/* Names, units and values from a CSV file: a line of "NAME" or "NAME [UNIT]", then one line per run.  Errors:
 * CLV_ERR_SYNTAX (with line and column), CLV_ERR_IO, CLV_ERR_MEMORY. */
clv_status clv_sweep_table(clv_sweep *s, const char *path, clv_error *e);
void clv_sweep_release(clv_sweep *s);

/* sweep_vary.c: one more number that is varied; NULL after an error. */
clv_vary *clv_sweep_add(clv_sweep *s, const char *name, size_t length, const char *unit, clv_error *e);

/* Of the numbers that are finite: how many, their mean, standard deviation (n - 1; NaN of one), least, 5 %, median,
 * 95 %, largest. */
#define CLV_SWEEP_STATISTICS(X) X(mean) X(deviation) X(least) X(percent_5) X(median) X(percent_95) X(largest)
typedef struct clv_statistics {
    int count;
#define X(field) double field;
    CLV_SWEEP_STATISTICS(X)
#undef X
} clv_statistics;
/* Of n numbers, which are sorted in place. */
clv_statistics clv_statistics_of(double *number, int n);
/* Ranks of n finite numbers, from 0; equal numbers share the mean of theirs.  order: (2 n) room. */
void clv_ranks(const double *number, int n, double *rank, int *order);
/* Correlation of two lists of n numbers; NaN if one is constant, or n < 3.  Of ranks: Spearman's. */
double clv_correlation(const double *x, const double *y, int n);

#endif
