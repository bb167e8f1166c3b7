/* SPDX-License-Identifier: Apache-2.0
 * Numbers carry as many digits as it takes to read back the same bits; orientations are turns about an axis in degrees
 * where that is exact, else quaternions or matrices. */
#include "io/yaml_write_text.h"
#include "base/memory.h"
#include "math/rotation.h"
#include "math/sincos.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- text */

void clv_write(clv_writer *w, const char *format, ...)
{
    va_list args, again;
    if (w->status != CLV_OK)
        return;
    va_start(args, format);
    va_copy(again, args);
    size_t need = w->used + (size_t)vsnprintf(NULL, 0, format, args) + 1;
    if (need > w->capacity) {
        char *wider = clv_resize(w->text, 2 * need + 1024, 1);
        if (wider) {
            w->text = wider;
            w->capacity = 2 * need + 1024;
        } else
            w->status = CLV_ERR_MEMORY;
    }
    if (w->status == CLV_OK)
        w->used += (size_t)vsnprintf(w->text + w->used, w->capacity - w->used, format, again);
    va_end(again);
    va_end(args);
}

/* Shortest decimal that reads back the same. */
void clv_write_one(clv_writer *w, double x)
{
    char text[40];
    for (int digits = 15; digits <= 17; ++digits) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    clv_write(w, "%s", text);
}

void clv_write_numbers(clv_writer *w, const double *x, int n)
{
    clv_write(w, "[");
    for (int i = 0; i < n; ++i) {
        clv_write(w, "%s", i ? ", " : "");
        clv_write_one(w, x[i]);
    }
    clv_write(w, "]");
}

/* A name or text, quoted if YAML could take it for anything else. */
void clv_write_name(clv_writer *w, const char *name)
{
    size_t n = strlen(name);
    bool plain = n > 0 && strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-") == n &&
                 *name != '-' && *name != '.';
    if (plain) {
        clv_write(w, "%s", name);
        return;
    }
    clv_write(w, "\"");
    for (const char *c = name; *c; ++c) {
        if ((unsigned char)*c < 32 || *c == 127)
            w->status = CLV_ERR_UNSUPPORTED;
        clv_write(w, "%s%c", *c == '"' || *c == '\\' ? "\\" : "", *c);
    }
    clv_write(w, "\"");
}

/* Names of items and references to them: braces would count copies. */
void clv_write_item_name(clv_writer *w, const char *name)
{
    if (strpbrk(name, "{}"))
        w->status = CLV_ERR_UNSUPPORTED;
    clv_write_name(w, name);
}

/* ---------------------------------------------------------------- keys of an open { } */

void clv_write_key(clv_writer *w, const char *name)
{
    clv_write(w, "%s%s: ", w->first ? "" : ", ", name);
    w->first = false;
}

void clv_write_number_key(clv_writer *w, const char *name, double x, double standard)
{
    if (x == standard || (isnan(x) && isnan(standard)))
        return;
    clv_write_key(w, name);
    clv_write_one(w, x);
}

bool clv_all_zero(const double *x, int n)
{
    for (int i = 0; i < n; ++i)
        if (x[i] != 0)
            return false;
    return true;
}

void clv_write_list_key(clv_writer *w, const char *name, const double *x, int n)
{
    clv_write_key(w, name);
    clv_write_numbers(w, x, n);
}

void clv_write_list_unless_zero(clv_writer *w, const char *name, const double *x, int n)
{
    if (!clv_all_zero(x, n))
        clv_write_list_key(w, name, x, n);
}

void clv_write_table(clv_writer *w, const char *name, const clv_series *s)
{
    clv_write_key(w, name);
    clv_write(w, "[");
    for (int i = 0; i < s->n; ++i) {
        const double row[2] = {s->time[i], s->value[i]};
        clv_write(w, "%s", i ? ", " : "");
        clv_write_numbers(w, row, 2);
    }
    clv_write(w, "]");
}

/* "  name: {"; one line per item */
void clv_write_open(clv_writer *w, int indent, const char *name)
{
    clv_write(w, "%*s", indent, "");
    clv_write_item_name(w, name);
    clv_write(w, ": {");
    w->first = true;
}

void clv_write_close(clv_writer *w)
{
    clv_write(w, "}\n");
}

/* ---------------------------------------------------------------- orientations */

/* Quaternion and angle of the turn about axis k that is nearest to q, in whole millionths of a degree. */
static double nearest_turn(const double q[4], int k, double axis[3], double turned[4])
{
    double degrees = round(2 * clv_atan2(q[1 + k], q[0]) * 180 / CLV_PI * 1e6) / 1e6;
    for (int i = 0; i < 3; ++i)
        axis[i] = i == k;
    clv_quat_axis_angle(turned, axis, degrees * (CLV_PI / 180));
    return degrees;
}

static void put_turn(clv_writer *w, const double axis[3], double degrees)
{
    clv_write_key(w, "orientation");
    clv_write(w, "{axis: ");
    clv_write_numbers(w, axis, 3);
    clv_write(w, ", angle: ");
    clv_write_one(w, degrees);
    clv_write(w, " deg}");
}

static void put_numbers_as(clv_writer *w, const char *form, const double *x, int n)
{
    clv_write_key(w, "orientation");
    clv_write(w, "{%s: ", form);
    clv_write_numbers(w, x, n);
    clv_write(w, "}");
}

/* A turn about x, y or z if it gives exactly q, else the quaternion. */
void clv_write_orientation(clv_writer *w, const double q[4])
{
    double axis[3], turned[4];
    if (q[0] == 1 && clv_all_zero(q + 1, 3))
        return;
    for (int k = 0; k < 3; ++k) {
        double degrees = nearest_turn(q, k, axis, turned);
        if (memcmp(turned, q, sizeof turned) == 0) {
            put_turn(w, axis, degrees);
            return;
        }
    }
    put_numbers_as(w, "quaternion", q, 4);
}

/* The model keeps joint frames as matrices: a turn or a quaternion if it gives the same matrix, else the matrix. */
void clv_write_frame_orientation(clv_writer *w, const double E[9])
{
    double q[4], R[9], axis[3], turned[4];
    clv_mat3_identity(R);
    if (memcmp(R, E, sizeof R) == 0)
        return;
    clv_quat_from_rotation(q, E);
    for (int i = 0; i < 4; ++i)
        q[i] += 0.0; /* no -0 */
    for (int k = 0; k < 3; ++k) {
        double degrees = nearest_turn(q, k, axis, turned);
        clv_quat_rotation(R, turned);
        if (memcmp(R, E, sizeof R) == 0) {
            put_turn(w, axis, degrees);
            return;
        }
    }
    clv_quat_rotation(R, q);
    if (memcmp(R, E, sizeof R) == 0)
        put_numbers_as(w, "quaternion", q, 4);
    else
        put_numbers_as(w, "matrix", E, 9);
}
