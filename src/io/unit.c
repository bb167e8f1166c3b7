/* SPDX-License-Identifier: Apache-2.0
 * The table of units and the reader of their products.  Each row: powers of m, kg, s, rad; power of ten; a factor that
 * is no power of ten. */
#include "io/unit.h"
#include "base/text.h"
#include "io/schema.h"
#include "math/sincos.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct unit_row {
    const char *name;
    int m, kg, s, rad, ten;
    double times, over;
} unit_row;

/* Hz counts turns: where the format has a frequency it is an angular one, in rad/s. */
static const unit_row table[] = {
    {"m", 1, 0, 0, 0, 0, 1, 1},
    {"km", 1, 0, 0, 0, 3, 1, 1},
    {"dm", 1, 0, 0, 0, -1, 1, 1},
    {"cm", 1, 0, 0, 0, -2, 1, 1},
    {"mm", 1, 0, 0, 0, -3, 1, 1},
    {"um", 1, 0, 0, 0, -6, 1, 1},
    {"inch", 1, 0, 0, 0, 0, 127, 5000},
    {"kg", 0, 1, 0, 0, 0, 1, 1},
    {"g", 0, 1, 0, 0, -3, 1, 1},
    {"mg", 0, 1, 0, 0, -6, 1, 1},
    {"t", 0, 1, 0, 0, 3, 1, 1},
    {"s", 0, 0, 1, 0, 0, 1, 1},
    {"ms", 0, 0, 1, 0, -3, 1, 1},
    {"us", 0, 0, 1, 0, -6, 1, 1},
    {"min", 0, 0, 1, 0, 0, 60, 1},
    {"h", 0, 0, 1, 0, 0, 3600, 1},
    {"rad", 0, 0, 0, 1, 0, 1, 1},
    {"mrad", 0, 0, 0, 1, -3, 1, 1},
    {"deg", 0, 0, 0, 1, 0, CLV_PI / 180, 1},
    {"rev", 0, 0, 0, 1, 0, 2 * CLV_PI, 1},
    {"rpm", 0, 0, -1, 1, 0, CLV_PI, 30},
    {"Hz", 0, 0, -1, 1, 0, 2 * CLV_PI, 1},
    {"kHz", 0, 0, -1, 1, 3, 2 * CLV_PI, 1},
    {"N", 1, 1, -2, 0, 0, 1, 1},
    {"mN", 1, 1, -2, 0, -3, 1, 1},
    {"kN", 1, 1, -2, 0, 3, 1, 1},
    {"MN", 1, 1, -2, 0, 6, 1, 1},
    {"Nm", 2, 1, -2, 0, 0, 1, 1},
    {"kNm", 2, 1, -2, 0, 3, 1, 1},
    {"Nmm", 2, 1, -2, 0, -3, 1, 1},
    {"Pa", -1, 1, -2, 0, 0, 1, 1},
    {"kPa", -1, 1, -2, 0, 3, 1, 1},
    {"MPa", -1, 1, -2, 0, 6, 1, 1},
    {"GPa", -1, 1, -2, 0, 9, 1, 1},
    {"bar", -1, 1, -2, 0, 5, 1, 1},
    {"J", 2, 1, -2, 0, 0, 1, 1},
    {"kJ", 2, 1, -2, 0, 3, 1, 1},
    {"W", 2, 1, -3, 0, 0, 1, 1},
    {"kW", 2, 1, -3, 0, 3, 1, 1},
};
enum { UNITS = sizeof table / sizeof *table };

static const unit_row *find(const char *name, size_t length)
{
    for (int i = 0; i < UNITS; ++i)
        if (strlen(table[i].name) == length && strncmp(table[i].name, name, length) == 0)
            return &table[i];
    return NULL;
}

const char *clv_unit_nearest(const char *name)
{
    static const char *const other[][2] = {{"degrees", "deg"}, {"degree", "deg"}, {"grad", "deg"},    {"sec", "s"},
                                           {"seconds", "s"},   {"newton", "N"},   {"meter", "m"},     {"metre", "m"},
                                           {"meters", "m"},    {"metres", "m"},   {"radians", "rad"}, {"in", "inch"},
                                           {"U/min", "rpm"},   {"turns", "rev"},  {"hz", "Hz"},       {"mbar", "bar"}};
    const char *best = NULL;
    int distance = clv_near_enough(name) < 1 ? 1 : 2; /* one letter is not near to another */
    for (size_t i = 0; i < sizeof other / sizeof *other; ++i)
        if (strcmp(name, other[i][0]) == 0)
            return other[i][1];
    for (int i = 0; i < UNITS; ++i)
        clv_nearest(&best, &distance, name, table[i].name);
    return best;
}

/* ---------------------------------------------------------------- products */

static void multiply(clv_unit *u, const unit_row *row, int power)
{
    const int of[CLV_BASES] = {row->m, row->kg, row->s, row->rad};
    for (int k = 0; k < CLV_BASES; ++k)
        u->dimension.of[k] += 2 * of[k] * power;
    u->ten += row->ten * power;
    for (int k = 0; k < abs(power); ++k) {
        u->times *= power > 0 ? row->times : row->over;
        u->over *= power > 0 ? row->over : row->times;
    }
}

static size_t name_length(const char *t)
{
    size_t n = 0;
    while (isalpha((unsigned char)t[n]))
        ++n;
    return isdigit((unsigned char)t[n]) || t[n] == '_' ? 0 : n;
}

/* One name with its power at t; its length, 0 if it is no unit; *bad: its power is none. */
static size_t read_factor(const char *t, int sign, clv_unit *u, bool *bad)
{
    const size_t n = name_length(t);
    const unit_row *row = n ? find(t, n) : NULL;
    const char *s = t + n;
    int power = 1;
    if (!row || *s == '(')
        return 0;
    if (*s == '^') {
        const bool minus = s[1] == '-';
        s += 1 + minus;
        *bad = *bad || !isdigit((unsigned char)*s) || isdigit((unsigned char)s[1]) || s[1] == '.';
        power = (minus ? -1 : 1) * (*s - '0');
        s += *s != '\0';
    }
    if (!*bad)
        multiply(u, row, sign * power);
    return (size_t)(s - t);
}

/* Length of what may stand between two factors at t and belongs to the unit; *sign of the next one. */
static size_t between(const char *t, bool behind, int bracket, int *sign)
{
    const size_t blanks = strspn(t, " ");
    const char *s = t + blanks;
    *sign = bracket ? -1 : 1;
    if (*s == '/' && !bracket && (!behind || (blanks == 0 && s[1] != ' '))) {
        *sign = -1;
        return blanks + 1 + strspn(s + 1, " ");
    }
    if (*s == '*' && s[1] != '*' && !behind)
        return blanks + 1 + strspn(s + 1, " ");
    return blanks;
}

bool clv_unit_read(const char *text, bool behind, clv_unit *unit, size_t *used)
{
    const char *t = text;
    bool bad = false, divided = false;
    int bracket = 0;
    *unit = (clv_unit){.times = 1, .over = 1};
    *used = 0;
    int first = 1;
    if (!behind && strncmp(t, "1/", 2) == 0)
        first = -1, t += 2;
    for (int sign = first; !bad;) {
        if (sign < 0 && !bracket && *t == '(' && !behind)
            ++t, bracket = 1;
        const bool unclear = sign > 0 && divided; /* `kg/m s` says two things */
        const size_t n = unclear ? 0 : read_factor(t, sign, unit, &bad);
        if (n == 0)
            break;
        t += n;
        divided = sign < 0;
        if (bracket && *t == ')')
            ++t, bracket = 0;
        if (!bracket)
            *used = (size_t)(t - text);
        const size_t gap = between(t, behind, bracket, &sign);
        if (gap == 0)
            break;
        t += gap;
    }
    if (bad)
        *used = (size_t)(t - text);
    return !bad;
}

bool clv_unit_whole(const char *text, clv_unit *unit)
{
    size_t used;
    return clv_unit_read(text, false, unit, &used) && used > 0 && text[used] == '\0';
}

/* ---------------------------------------------------------------- values */

static double apply(double x, const clv_unit *u)
{
    if (u->times != 1)
        x *= u->times;
    return u->over != 1 ? x / u->over : x;
}

double clv_unit_scale(const char *text, size_t length, const clv_unit *unit)
{
    char shifted[CLV_LITERAL + 32];
    const char *end;
    size_t digits = 0;
    while (digits < length && text[digits] != 'e' && text[digits] != 'E')
        ++digits;
    if (length > CLV_LITERAL)
        return NAN;
    long exponent = digits < length ? strtol(text + digits + 1, NULL, 10) : 0;
    exponent = exponent > 100000 ? 100000 : exponent < -100000 ? -100000 : exponent;
    snprintf(shifted, sizeof shifted, "%.*se%ld", (int)digits, text, exponent + unit->ten);
    return apply(clv_text_number(shifted, &end), unit);
}

double clv_unit_times(double x, const clv_unit *unit)
{
    char text[40];
    const char *end;
    int n = 0;
    if (!isfinite(x))
        return x;
    for (int digits = 15; digits <= 17; ++digits) {
        n = snprintf(text, sizeof text, "%.*g", digits, x);
        if (clv_text_number(text, &end) == x)
            break;
    }
    return clv_unit_scale(text, (size_t)n, unit);
}

double clv_unit_back(double x, const clv_unit *unit)
{
    const clv_unit inverse = {.ten = -unit->ten, .times = unit->over, .over = unit->times};
    return clv_unit_times(x, &inverse);
}

/* ---------------------------------------------------------------- dimensions */

bool clv_dimension_none(const clv_dimension *d)
{
    for (int k = 0; k < CLV_BASES; ++k)
        if (d->of[k] != 0)
            return false;
    return true;
}

bool clv_dimension_fits(const clv_dimension *d, const clv_dimension *wanted)
{
    for (int k = 0; k < CLV_RADIAN; ++k)
        if (d->of[k] != wanted->of[k])
            return false;
    return !clv_dimension_none(wanted) || d->of[CLV_RADIAN] == 0;
}

void clv_dimension_text(const clv_dimension *d, char text[CLV_UNIT_TEXT])
{
    static const char *const common[] = {"m",     "kg",      "s",         "rad", "N",      "N m",    "m/s",
                                         "rad/s", "m/s^2",   "rad/s^2",   "m^2", "m^3",    "kg m^2", "N/m",
                                         "N s/m", "N m/rad", "N m s/rad", "Pa",  "kg/m^3", "W",      "kg/m"};
    static const char *const base[CLV_BASES] = {"m", "kg", "s", "rad"};
    clv_unit u;
    size_t n = 0;
    for (size_t i = 0; i < sizeof common / sizeof *common; ++i)
        if (clv_unit_whole(common[i], &u) && memcmp(&u.dimension, d, sizeof *d) == 0) {
            snprintf(text, CLV_UNIT_TEXT, "%s", common[i]);
            return;
        }
    text[0] = '\0';
    for (int k = 0; k < CLV_BASES && n < CLV_UNIT_TEXT; ++k)
        if (d->of[k] != 0)
            n += (size_t)snprintf(text + n, CLV_UNIT_TEXT - n, d->of[k] == 2 ? "%s%s" : "%s%s^%g", n ? " " : "",
                                  base[k], d->of[k] / 2.0);
}
