/* SPDX-License-Identifier: Apache-2.0
 * A chart as SVG: curves over one abscissa, one scale or two (left, right) by their units, a legend above.  Curves of
 * the right scale are dashed.  Long curves keep the first, least, greatest and last value of every half pixel. */
#include "base/error.h"
#include "cli/plot.h"
#include "cli/svg.h"
#include <math.h>
#include <string.h>

enum { WIDTH = 720, PLOT = 340, TOP = 18, BOTTOM = 52, LEFT = 74, RIGHT = 24, ROW = 22 };

typedef struct frame {
    const clv_chart *c;
    FILE *out;
    double left, right, top, bottom; /* of the plot, pixels             */
    clv_axis x, y[2];
    int scales;                      /* 1 or 2                          */
    const char *unit[2];
} frame;

/* Scale of a curve: 0 left, 1 right; -1: a third unit. */
static int scale_of(const frame *f, const clv_curve *curve)
{
    for (int k = 0; k < f->scales; ++k)
        if (strcmp(f->unit[k], curve->unit) == 0)
            return k;
    return -1;
}

/* The units of the curves; false: more than two. */
static bool find_units(frame *f)
{
    for (int i = 0; i < f->c->ncurve; ++i)
        if (scale_of(f, &f->c->curve[i]) < 0) {
            if (f->scales == 2)
                return false;
            f->unit[f->scales++] = f->c->curve[i].unit;
        }
    return true;
}

clv_status clv_chart_check(const clv_chart *c, clv_error *e)
{
    frame f = {.c = c};
    clv_error_clear(e);
    if (find_units(&f))
        return CLV_OK;
    clv_fail(e, CLV_ERR_USAGE, "the curves have more than two units; a chart has at most two scales");
    clv_error_hint(e, "plot them in several files, as '*.effort' alone");
    return e->code;
}

static double at_x(const frame *f, double x)
{
    return f->left + (x / f->x.factor - f->x.low) / (f->x.high - f->x.low) * (f->right - f->left);
}

static double at_y(const frame *f, int scale, double y)
{
    const clv_axis *a = &f->y[scale];
    return f->bottom - (y / a->factor - a->low) / (a->high - a->low) * (f->bottom - f->top);
}

/* ---------------------------------------------------------------- scales */

/* "effort" of L.effort, "position" of tip.position.y: what the curves of a scale have in common; "" if they differ. */
static void common_name(const frame *f, int scale, char *text, size_t size)
{
    int n = 0;
    *text = 0;
    for (int i = 0; i < f->c->ncurve; ++i) {
        char what[128];
        const clv_curve *curve = &f->c->curve[i];
        if (scale_of(f, curve) != scale)
            continue;
        const char *dot = strchr(curve->name, '.');
        snprintf(what, sizeof what, "%s", f->c->ncurve == 1 || !dot ? curve->name : dot + 1);
        const size_t length = strlen(what);
        if (f->c->ncurve > 1 && length > 2 && what[length - 2] == '.')
            what[length - 2] = 0;
        if (n++ == 0)
            snprintf(text, size, "%s", what);
        else if (strcmp(text, what) != 0)
            *text = 0;
    }
    for (; *text; ++text)
        if (*text == '_' && f->c->ncurve > 1)
            *text = ' ';
}

/* "time [s]" */
static void title_of(const char *name, const char *unit, char *text, size_t size)
{
    snprintf(text, size, *unit ? "%s%s[%s]" : "%s%s%s", name, *name && *unit ? " " : "", unit);
}

static void draw_x(const frame *f)
{
    char text[200];
    for (int i = 0; i < f->x.count; i++) {
        const double t = f->x.first + i * f->x.tick;
        const double x = at_x(f, t * f->x.factor);
        clv_svg_line(f->out, x, f->top, x, f->bottom, CLV_PALE, 1, NULL);
        clv_svg_line(f->out, x, f->bottom, x, f->bottom + 5, CLV_INK, 1, NULL);
        clv_axis_label(&f->x, t, text);
        clv_svg_text(f->out, x, f->bottom + 20, "middle", 13, CLV_INK, 0, text);
    }
    title_of(f->c->x.name, f->x.unit, text, sizeof text);
    clv_svg_text(f->out, (f->left + f->right) / 2, f->bottom + 42, "middle", 14, CLV_INK, 0, text);
}

static void draw_y(const frame *f, int scale)
{
    const clv_axis *a = &f->y[scale];
    const double x = scale ? f->right : f->left, out = scale ? 1 : -1;
    char text[200], name[128];
    double widest = 0;
    for (int i = 0; i < a->count; i++) {
        const double t = a->first + i * a->tick;
        const double y = at_y(f, scale, t * a->factor);
        if (scale == 0)
            clv_svg_line(f->out, f->left, y, f->right, y, CLV_PALE, 1, NULL);
        clv_svg_line(f->out, x, y, x + 5 * out, y, CLV_INK, 1, NULL);
        clv_axis_label(a, t, text);
        widest = fmax(widest, clv_svg_width(text, 13));
        clv_svg_text(f->out, x + 9 * out, y + 4.5, scale ? "start" : "end", 13, CLV_INK, 0, text);
    }
    common_name(f, scale, name, sizeof name);
    title_of(name, a->unit, text, sizeof text);
    clv_svg_text(f->out, x + (widest + (scale ? 28 : 22)) * out, (f->top + f->bottom) / 2, "middle", 14, CLV_INK, -90,
                 text);
}

/* ---------------------------------------------------------------- curves */

typedef struct pen {
    FILE *out;
    bool down;
    int points; /* on this line of the file */
} pen;

static void move_to(pen *p, double x, double y)
{
    fprintf(p->out, "%s%s%.2f %.2f", p->points % 12 == 0 ? "\n" : "", p->down ? "L" : "M", x, y);
    p->down = true;
    p->points++;
}

/* Samples of one half pixel: the first, the least and the greatest in their order, and the last. */
static void draw_bundle(const frame *f, pen *p, int scale, const double *y, const long at[4])
{
    const long early = at[1] < at[2] ? at[1] : at[2], late = at[1] < at[2] ? at[2] : at[1];
    const long order[4] = {at[0], early, late, at[3]};
    for (int k = 0; k < 4; ++k)
        if (k == 0 || order[k] > order[k - 1])
            move_to(p, at_x(f, f->c->x.y[order[k]]), at_y(f, scale, y[order[k]]));
}

static void draw_curve(const frame *f, int i)
{
    const clv_curve *curve = &f->c->curve[i];
    const double *x = f->c->x.y, *y = curve->y;
    const int scale = scale_of(f, curve);
    pen p = {.out = f->out};
    fprintf(f->out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-linejoin=\"round\"%s d=\"",
            clv_svg_colour(i), scale ? " stroke-dasharray=\"7 4\"" : "");
    for (long k = 0; k < f->c->n;) {
        if (!isfinite(x[k]) || !isfinite(y[k])) {
            p.down = false;
            ++k;
            continue;
        }
        long at[4] = {k, k, k, k};
        const double column = floor(2 * at_x(f, x[k]));
        for (; k < f->c->n && isfinite(x[k]) && isfinite(y[k]) && floor(2 * at_x(f, x[k])) == column; ++k) {
            at[1] = y[k] < y[at[1]] ? k : at[1];
            at[2] = y[k] > y[at[2]] ? k : at[2];
            at[3] = k;
        }
        draw_bundle(f, &p, scale, y, at);
    }
    fputs("\"/>\n", f->out);
}

/* Rows of line and name; measures (draw false) or draws; returns the height. */
static double legend(const frame *f, bool draw)
{
    double x = f->left, y = TOP;
    if (f->c->ncurve == 1)
        return 0;
    for (int i = 0; i < f->c->ncurve; ++i) {
        char text[160];
        const int scale = scale_of(f, &f->c->curve[i]);
        snprintf(text, sizeof text, "%s%s", f->c->curve[i].name, scale ? " (right)" : "");
        const double width = 46 + clv_svg_width(text, 13);
        if (x + width > f->right && x > f->left)
            x = f->left, y += ROW;
        if (draw) {
            clv_svg_line(f->out, x, y, x + 26, y, clv_svg_colour(i), 2.5, scale ? "7 4" : NULL);
            clv_svg_text(f->out, x + 32, y + 4.5, "start", 13, CLV_INK, 0, text);
        }
        x += width + 8;
    }
    return y - TOP + ROW;
}

/* ---------------------------------------------------------------- the chart */

static void make_scales(frame *f)
{
    const double *list[CLV_MOST_CURVES];
    f->x = clv_axis_of((const double *const[]){f->c->x.y}, 1, f->c->n, f->c->x.unit, false, 8);
    for (int k = 0; k < f->scales; ++k) {
        int n = 0;
        for (int i = 0; i < f->c->ncurve; ++i)
            if (scale_of(f, &f->c->curve[i]) == k)
                list[n++] = f->c->curve[i].y;
        f->y[k] = clv_axis_of(list, n, f->c->n, f->unit[k], true, 6);
    }
}

void clv_chart_draw(const clv_chart *c, FILE *out)
{
    char title[512];
    frame f = {.c = c, .out = out, .left = LEFT};
    find_units(&f);
    f.right = WIDTH - (f.scales == 2 ? LEFT : RIGHT);
    make_scales(&f);
    f.top = TOP + legend(&f, false);
    f.bottom = f.top + PLOT;
    snprintf(title, sizeof title, "%.150s: %s%s over %s", c->source, c->curve[0].name, c->ncurve > 1 ? ", ..." : "",
             c->x.name);
    clv_svg_begin(out, WIDTH, f.bottom + BOTTOM, title);
    draw_x(&f);
    for (int k = 0; k < f.scales; ++k)
        draw_y(&f, k);
    fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" stroke=\"%s\"/>\n", f.left,
            f.top, f.right - f.left, f.bottom - f.top, CLV_INK);
    for (int i = 0; i < c->ncurve; ++i)
        draw_curve(&f, i);
    legend(&f, true);
    clv_svg_end(out);
}
