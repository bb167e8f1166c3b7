/* SPDX-License-Identifier: Apache-2.0
 * What `cleave plot` is made of.
 *
 *     plot_read    curves of a run file or a CSV file
 *     plot_axis    ranges, units and ticks of scales
 *     plot_chart   a chart as SVG
 *     plot_text    a chart in the terminal
 *     plot_model   a drawing of a mechanism */
#ifndef CLV_CLI_PLOT_H
#define CLV_CLI_PLOT_H
#include "cli/command.h"
#include "io/columns.h"

#define CLV_MOST_CURVES 8

/* Samples of one quantity. */
typedef struct clv_curve {
    char name[128], unit[16]; /* "tip.position.y", "m"                       */
    double *y;                /* (n); NaN: no value                          */
} clv_curve;

/* Curves over one abscissa. */
typedef struct clv_chart {
    long n;                            /* samples                            */
    clv_curve x, curve[CLV_MOST_CURVES]; /* x.y: the abscissa                */
    int ncurve;
    const char *source;                /* file name, for titles              */
} clv_chart;

/* ---- plot_read.c */
/* Reads the columns `names` (as of `--columns`: names and patterns, commas between them) and the abscissa `x` (NULL:
 * time) of a run file or CSV file.  Errors: CLV_ERR_USAGE (no such column, more than CLV_MOST_CURVES),
 * CLV_ERR_SYNTAX, CLV_ERR_IO, CLV_ERR_MEMORY; release it in any case. */
clv_status clv_chart_read(clv_chart *c, const char *path, const char *names, const char *x, clv_error *e);
void clv_chart_release(clv_chart *c);

/* ---- plot_axis.c */
typedef struct clv_axis {
    double low, high;         /* of the scale, in units of `factor`            */
    double factor;            /* of the numbers shown: 1000 for kN             */
    double tick, first;       /* distance of ticks, and the first one          */
    int count;                /* of ticks                                      */
    int decimals;             /* of their labels                               */
    char unit[32];            /* "kN", "10^-3 rad"; UTF-8                       */
} clv_axis;
/* The scale of n lists of `count` numbers in `unit`; whole: it ends at ticks. */
clv_axis clv_axis_of(const double *const *list, int n, long count, const char *unit, bool whole, int ticks);
/* Label of a tick; "" for lengths below 0 of text. */
void clv_axis_label(const clv_axis *a, double value, char text[32]);
/* "m/s^2" as it is printed: powers raised (UTF-8). */
void clv_unit_printed(const char *unit, char *text, size_t size);

/* ---- plot_chart.c */
/* Draws the chart as SVG; CLV_ERR_USAGE: more than two units. */
clv_status clv_chart_check(const clv_chart *c, clv_error *e);
void clv_chart_draw(const clv_chart *c, FILE *out);

/* ---- plot_text.c */
/* One panel of Braille dots a curve, `width` characters wide. */
void clv_chart_print(const clv_chart *c, int width);

/* ---- plot_model.c */
/* Draws the mechanism at the output state: bodies between their joints, loop joints marked. */
clv_status clv_model_draw(clv_sim *sim, FILE *out);

#endif
