/* SPDX-License-Identifier: Apache-2.0
 * Curves in a terminal: one panel a curve, of Braille characters with 2 x 4 dots each. */
#include "cli/plot.h"
#include "cli/tone.h"
#include <math.h>
#include <string.h>

enum { LABEL = 10, MOST_WIDE = 200, LOW = 8, HIGH = 14 };

typedef struct canvas {
    int wide, high; /* characters */
    unsigned char dot[HIGH][MOST_WIDE];
} canvas;

/* Sets the dot at (x, y), 0 to 1 from the lower left corner. */
static void set(canvas *c, double x, double y)
{
    static const unsigned char bit[4][2] = {{1, 8}, {2, 16}, {4, 32}, {64, 128}};
    const int column = (int)lround(x * (2 * c->wide - 1)), row = (int)lround((1 - y) * (4 * c->high - 1));
    if (column >= 0 && column < 2 * c->wide && row >= 0 && row < 4 * c->high)
        c->dot[row / 4][column / 2] |= bit[row % 4][column % 2];
}

/* A line of dots between two points. */
static void stroke(canvas *c, const double a[2], const double b[2])
{
    const int n = 1 + (int)fmax(fabs(b[0] - a[0]) * 2 * c->wide, fabs(b[1] - a[1]) * 4 * c->high);
    for (int k = 0; k <= n; ++k)
        set(c, a[0] + (b[0] - a[0]) * k / n, a[1] + (b[1] - a[1]) * k / n);
}

static void fill(canvas *to, const clv_chart *c, const double *y, const clv_axis *ax, const clv_axis *ay)
{
    double last[2] = {NAN, NAN};
    for (long k = 0; k < c->n; ++k) {
        const double p[2] = {(c->x.y[k] / ax->factor - ax->low) / (ax->high - ax->low),
                             (y[k] / ay->factor - ay->low) / (ay->high - ay->low)};
        if (isfinite(p[0]) && isfinite(p[1]))
            stroke(to, isfinite(last[0]) && isfinite(last[1]) ? last : p, p);
        memcpy(last, p, sizeof last);
    }
}

/* U+2800 and the dots, as UTF-8 */
static void put_row(const unsigned char *dot, int n)
{
    while (n > 0 && !dot[n - 1])
        --n;
    for (int i = 0; i < n; ++i)
        printf("\xE2%c%c", 0xA0 + (dot[i] >> 6), 0x80 + (dot[i] & 63));
    putchar('\n');
}

/* A label, right-aligned in LABEL columns; a minus sign is three bytes and one column. */
static void put_label(const clv_axis *a, double value)
{
    char text[32];
    clv_axis_label(a, value, text);
    printf("%*s ", LABEL + (*text == '\xE2' ? 2 : 0), text);
}

/* Columns of a label: a minus sign is three bytes. */
static int columns(const char *text) { return (int)strlen(text) - 2 * (*text == '\xE2'); }

/* The line below a panel, and below it the ends of the scale with the name between them. */
static void put_abscissa(const clv_chart *c, const clv_axis *a, int wide)
{
    char low[32], high[32], name[200];
    clv_axis_label(a, a->low, low), clv_axis_label(a, a->high, high);
    snprintf(name, sizeof name, "%.100s%s%s%s", c->x.name, *a->unit ? " [" : "", a->unit, *a->unit ? "]" : "");
    int between = wide - columns(low) - columns(high) - (int)strlen(name);
    between = between < 2 ? 2 : between;
    printf("%*s └", LABEL, "");
    for (int i = 0; i < wide; ++i)
        fputs("─", stdout);
    printf("\n%*s%s%*s%s%*s%s\n", LABEL + 2, "", low, between / 2, "", name, between - between / 2, "", high);
}

static void print_curve(const clv_chart *c, const clv_curve *curve, int width, int height)
{
    const clv_axis ax = clv_axis_of((const double *const[]){c->x.y}, 1, c->n, c->x.unit, false, 8),
                   ay = clv_axis_of((const double *const[]){curve->y}, 1, c->n, curve->unit, true, 4);
    canvas to = {.wide = width - LABEL - 3, .high = height};
    fill(&to, c, curve->y, &ax, &ay);
    printf("%s%s%s", clv_tone_begin(CLV_TONE_BOLD), curve->name, clv_tone_begin(CLV_TONE_PLAIN));
    printf(*ay.unit ? " [%s]\n" : "%s\n", ay.unit);
    for (int row = 0; row < height; ++row) {
        if (row == 0 || row == height - 1 || (height % 2 && row == height / 2))
            put_label(&ay, ay.high - (ay.high - ay.low) * row / (height - 1));
        else
            printf("%*s ", LABEL, "");
        fputs("│", stdout);
        put_row(to.dot[row], to.wide);
    }
    put_abscissa(c, &ax, to.wide);
}

void clv_chart_print(const clv_chart *c, int width)
{
    width = width < 40 ? 40 : width > MOST_WIDE ? MOST_WIDE : width;
    for (int i = 0; i < c->ncurve; ++i)
        print_curve(c, &c->curve[i], width, c->ncurve > 1 ? LOW : HIGH);
}
