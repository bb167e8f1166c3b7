/* SPDX-License-Identifier: Apache-2.0
 * Functions, constants and powers of formulas: their values, and what they do to units.  sqrt and floor are exact by
 * IEEE 754; the rest is this library's own (math/sincos.h, math/exp_log.h). */
#include "io/expression.h"
#include "io/schema.h"
#include "math/exp_log.h"
#include "math/sincos.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PI, SQRT, SIN, COS, TAN, ASIN, ACOS, ATAN, ATAN2, ABS, MIN, MAX, EXP, LOG, FLOOR, MOD };

const clv_function_row clv_function_table[] = {
    {"pi", 0, 0},   {"sqrt", 1, 1}, {"sin", 1, 1},   {"cos", 1, 1}, {"tan", 1, 1}, {"asin", 1, 1},
    {"acos", 1, 1}, {"atan", 1, 1}, {"atan2", 2, 2}, {"abs", 1, 1}, {"min", 2, 8}, {"max", 2, 8},
    {"exp", 1, 1},  {"log", 1, 1},  {"floor", 1, 1}, {"mod", 2, 2}, {NULL, 0, 0}};

int clv_function_find(const char *name)
{
    for (int i = 0; clv_function_table[i].name; ++i)
        if (strcmp(clv_function_table[i].name, name) == 0)
            return i;
    return -1;
}

bool clv_expression_reserved(const char *name)
{
    return clv_function_find(name) >= 0;
}

const char *clv_expression_nearest(const char *name)
{
    static const char *const other[][2] = {{"arctan2", "atan2"}, {"ln", "log"},      {"arcsin", "asin"},
                                           {"arccos", "acos"},   {"arctan", "atan"}, {"fabs", "abs"},
                                           {"root", "sqrt"},     {"pow", "^"}};
    const char *best = NULL;
    int distance = clv_near_enough(name) + 1;
    for (size_t i = 0; i < sizeof other / sizeof *other; ++i)
        if (strcmp(name, other[i][0]) == 0)
            return other[i][1];
    for (int i = 0; clv_function_table[i].name; ++i)
        clv_nearest(&best, &distance, name, clv_function_table[i].name);
    return best;
}

bool clv_quantity_alike(const clv_quantity *a, const clv_quantity *b, clv_quantity *q)
{
    const bool both = a->state == CLV_WITH_UNIT && b->state == CLV_WITH_UNIT;
    const clv_quantity *of = a->state == CLV_WITH_UNIT || (a->state == CLV_FREE && b->state == CLV_BARE) ? a : b;
    q->state = of->state;
    q->dimension = of->dimension;
    return !both || clv_dimension_fits(&a->dimension, &b->dimension) ||
           clv_dimension_fits(&b->dimension, &a->dimension);
}

static bool is_pure(const clv_quantity *x, bool angle)
{
    clv_dimension d = x->dimension;
    if (angle)
        d.of[CLV_RADIAN] = 0;
    return x->state != CLV_WITH_UNIT || clv_dimension_none(&d);
}

static bool fail_unit(const clv_quantity *x, const char *name, const char *wanted, clv_expression_fault *f)
{
    char unit[CLV_UNIT_TEXT];
    clv_dimension_text(&x->dimension, unit);
    return clv_expression_fail(f, f->at, "", "%s of a value in %s; it takes %s", name, unit, wanted);
}

static bool root(const clv_quantity *x, clv_quantity *q, clv_expression_fault *f)
{
    if (x->x < 0)
        return clv_expression_fail(f, f->at, "", "the root of a negative number, %g", x->x);
    for (int k = 0; k < CLV_BASES; ++k) {
        if (x->dimension.of[k] % 2)
            return fail_unit(x, "sqrt", "even powers of units", f);
        q->dimension.of[k] = x->dimension.of[k] / 2;
    }
    q->state = x->state;
    q->x = sqrt(x->x);
    return true;
}

/* The functions of one pure number or angle. */
static double of_one(int row, double x)
{
    double s, c;
    if (row == SIN || row == COS || row == TAN)
        clv_sincos(x, &s, &c);
    switch (row) {
    case SIN:
        return s;
    case COS:
        return c;
    case TAN:
        return s / c;
    case ASIN:
        return clv_atan2(x, sqrt((1 - x) * (1 + x)));
    case ACOS:
        return clv_atan2(sqrt((1 - x) * (1 + x)), x);
    case ATAN:
        return clv_atan2(x, 1);
    case EXP:
        return clv_exp(x);
    default:
        return clv_log(x);
    }
}

static bool pure_function(int row, const clv_quantity *x, clv_quantity *q, clv_expression_fault *f)
{
    const bool angle = row == SIN || row == COS || row == TAN;
    const char *name = clv_function_table[row].name;
    if (!is_pure(x, angle))
        return fail_unit(x, name, angle ? "an angle" : "a pure number", f);
    if (row == LOG && !(x->x > 0))
        return clv_expression_fail(f, f->at, "", "the logarithm of %g: it takes numbers above 0", x->x);
    if ((row == ASIN || row == ACOS) && !(fabs(x->x) <= 1))
        return clv_expression_fail(f, f->at, "", "%s of %g: it takes numbers from -1 to 1", name, x->x);
    if (angle && !(fabs(x->x) <= 1.6e9))
        return clv_expression_fail(f, f->at, "", "%s of %g rad: it takes angles up to 1.6e9 rad", name, x->x);
    q->x = of_one(row, x->x);
    return true;
}

/* min, max, atan2, mod: values of one unit. */
static bool alike_function(int row, const clv_quantity *x, int n, clv_quantity *q, clv_expression_fault *f)
{
    clv_quantity unit = x[0];
    double y = x[0].x;
    for (int k = 1; k < n; ++k) {
        if (!clv_quantity_alike(&unit, &x[k], &unit))
            return clv_expression_fail(f, f->at, "", "the values of %s have different units",
                                       clv_function_table[row].name);
        y = row == MIN ? fmin(y, x[k].x) : row == MAX ? fmax(y, x[k].x) : y;
    }
    if (row == ATAN2) {
        q->x = clv_atan2(x[0].x, x[1].x);
        return true;
    }
    if (row == MOD && x[1].x == 0)
        return clv_expression_fail(f, f->at, "", "mod with divisor 0");
    if (row == MOD) { /* in [0, x1) for a positive divisor; exact */
        y = fmod(x[0].x, x[1].x);
        y = y != 0 && (y < 0) != (x[1].x < 0) ? y + x[1].x : y;
    }
    *q = unit;
    q->x = y;
    return true;
}

bool clv_function_value(int row, const clv_quantity *x, int n, clv_quantity *q, clv_expression_fault *f)
{
    *q = (clv_quantity){0};
    switch (row) {
    case PI:
        q->x = CLV_PI;
        return true;
    case SQRT:
        return root(x, q, f);
    case ABS:
        *q = *x;
        q->x = fabs(x->x);
        return true;
    case FLOOR:
        if (!is_pure(x, false))
            return fail_unit(x, "floor", "a pure number", f);
        *q = *x;
        q->x = floor(x->x);
        return true;
    case ATAN2:
    case MIN:
    case MAX:
    case MOD:
        return alike_function(row, x, n, q, f);
    default:
        return pure_function(row, x, q, f);
    }
}

bool clv_power_value(const clv_quantity *x, const clv_quantity *y, clv_quantity *q, clv_expression_fault *f)
{
    const bool whole = y->x == floor(y->x);
    if (!is_pure(y, false))
        return fail_unit(y, "a power", "a pure number as its exponent", f);
    if (x->x == 0 && y->x < 0)
        return clv_expression_fail(f, f->at, "", "division by 0");
    if (x->x < 0 && !whole)
        return clv_expression_fail(f, f->at, "", "a fractional power of a negative number, %g", x->x);
    if (x->state == CLV_WITH_UNIT && !clv_dimension_none(&x->dimension) && !(whole && fabs(y->x) <= 9) && y->x != 0.5)
        return clv_expression_fail(f, f->at, "", "a value with a unit takes whole powers up to 9, and 0.5");
    *q = *x;
    if (y->x == 0.5)
        return root(x, q, f);
    q->x = clv_power(x->x, y->x);
    for (int k = 0; k < CLV_BASES; ++k)
        q->dimension.of[k] = x->state == CLV_WITH_UNIT && whole && fabs(y->x) <= 9 ? (int)y->x * x->dimension.of[k] : 0;
    if (x->state == CLV_BARE && y->state == CLV_FREE)
        q->state = CLV_FREE;
    return true;
}
