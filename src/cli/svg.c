/* SPDX-License-Identifier: Apache-2.0
 * SVG elements; see svg.h. */
#include "cli/svg.h"
#include "base/text.h"
#include <string.h>

/* Text with what XML reserves written out; control characters spelt. */
static void put(FILE *out, const char *text)
{
    for (char shown[CLV_SHOWN]; *text;) {
        text += clv_text_next(text, shown);
        fputs(*shown == '&'   ? "&amp;"
              : *shown == '<' ? "&lt;"
              : *shown == '>' ? "&gt;"
              : *shown == '"' ? "&quot;"
                              : shown,
              out);
    }
}

void clv_svg_begin(FILE *out, double width, double height, const char *title)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
            "font-family=\"Helvetica, Arial, sans-serif\">\n<title>",
            width, height, width, height);
    put(out, title);
    fprintf(out, "</title>\n<rect width=\"%.0f\" height=\"%.0f\" fill=\"#ffffff\"/>\n", width, height);
}

void clv_svg_end(FILE *out) { fputs("</svg>\n", out); }

void clv_svg_text(FILE *out, double x, double y, const char *anchor, double size, const char *colour, double turn,
                  const char *text)
{
    fprintf(out, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\" font-size=\"%.0f\" fill=\"%s\"", x, y, anchor, size,
            colour);
    if (turn != 0)
        fprintf(out, " transform=\"rotate(%.0f %.2f %.2f)\"", turn, x, y);
    fputc('>', out);
    put(out, text);
    fputs("</text>\n", out);
}

void clv_svg_line(FILE *out, double x1, double y1, double x2, double y2, const char *colour, double width,
                  const char *dashes)
{
    fprintf(out, "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" stroke=\"%s\" stroke-width=\"%.2f\"", x1, y1,
            x2, y2, colour, width);
    if (dashes)
        fprintf(out, " stroke-dasharray=\"%s\"", dashes);
    fputs(" stroke-linecap=\"round\"/>\n", out);
}

void clv_svg_circle(FILE *out, double x, double y, double r, const char *fill, const char *stroke, double width)
{
    fprintf(out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\" fill=\"%s\" stroke=\"%s\" stroke-width=\"%.2f\"/>\n", x, y,
            r, fill, stroke, width);
}

const char *clv_svg_colour(int i)
{
    static const char *const colour[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                         "#e69f00", "#56b4e9", "#000000", "#999999"};
    return colour[i % 8];
}

double clv_svg_width(const char *text, double size)
{
    double n = 0;
    for (; *text; ++text)
        n += ((unsigned char)*text & 0xC0) == 0x80 ? 0 : strchr("il.,:;|'[]() ftj", *text) ? 0.32 : 0.56;
    return n * size;
}
