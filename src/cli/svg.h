/* SPDX-License-Identifier: Apache-2.0
 * The few elements of SVG that plots need.  Coordinates in pixels, y downward; colours are SVG colours. */
#ifndef CLV_CLI_SVG_H
#define CLV_CLI_SVG_H
#include <stdio.h>

#define CLV_INK  "#222222"
#define CLV_GREY "#8a8a8a"
#define CLV_PALE "#e4e4e4"
#define CLV_MARK "#d55e00"
#define CLV_ROPE "#b5722a"

/* Begins a picture with a white background and the title that viewers show. */
void clv_svg_begin(FILE *out, double width, double height, const char *title);
void clv_svg_end(FILE *out);
/* anchor: start, middle or end; turn: degrees about the point. */
void clv_svg_text(FILE *out, double x, double y, const char *anchor, double size, const char *colour, double turn,
                  const char *text);
void clv_svg_line(FILE *out, double x1, double y1, double x2, double y2, const char *colour, double width,
                  const char *dashes);
void clv_svg_circle(FILE *out, double x, double y, double r, const char *fill, const char *stroke, double width);
/* Colour i of a palette that colour-blind readers can distinguish (Okabe and Ito). */
const char *clv_svg_colour(int i);
/* Width of a text in pixels, about. */
double clv_svg_width(const char *text, double size);

#endif
