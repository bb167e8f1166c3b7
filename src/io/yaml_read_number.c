/* SPDX-License-Identifier: Apache-2.0
 * One number of a model file: a decimal, a decimal with a unit, or a formula of parameters, in SI.  Units are checked
 * against what the schema's row expects.  The usual surprises are reported by name. */
#include "io/expression.h"
#include "io/yaml_read.h"
#include "math/sincos.h"
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "write it as ..." of a row */
static void row_hint(const clv_schema_row *row, char *hint, size_t size)
{
    snprintf(hint, size, "write it as `%s`%s%s%s", row->example, *row->unit ? ", in " : "", row->unit,
             row->angle != CLV_NO_ANGLE ? "; angles may end in deg" : "");
}

void clv_key_fail(clv_entry *e, const clv_yaml_node *at, const clv_schema_row *row, const char *format, ...)
{
    char text[400], hint[200];
    va_list args;
    e->good = false;
    if (at->refused)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    row_hint(row, hint, sizeof hint);
    clv_read_fail(e->reader, CLV_ERR_MODEL, at, e->path, row->key, hint, "%s", text);
}

const char *clv_node_shown(const clv_reader *r, const clv_yaml_node *n)
{
    return n->kind == CLV_YAML_LIST ? "a list" : n->kind == CLV_YAML_MAP ? "a mapping" : clv_node_text(r, n);
}

static bool is_deg(const char *t)
{
    while (*t == ' ')
        ++t;
    return strcmp(t, "deg") == 0;
}

/* ---------------------------------------------------------------- units */

/* Number of the first unit in "m, rad" that d fits, from 0; -1: none.  "" expects a pure number. */
static int fitting(const char *units, const clv_dimension *d)
{
    char one[CLV_UNIT_TEXT];
    for (int k = 0;; ++k) {
        const size_t n = strcspn(units, ",");
        clv_unit unit = {0};
        snprintf(one, sizeof one, "%.*s", (int)(n < sizeof one ? n : sizeof one - 1), units);
        if ((*one == '\0' || clv_unit_whole(one, &unit)) && clv_dimension_fits(d, &unit.dimension))
            return k;
        if (units[n] == '\0')
            return -1;
        units += n + 1 + (units[n + 1] == ' ');
    }
}

static bool check_unit(clv_entry *e, const clv_yaml_node *n, const clv_schema_row *row, const clv_quantity *q,
                       int *alternative)
{
    char unit[CLV_UNIT_TEXT];
    *alternative = q->state == CLV_WITH_UNIT ? fitting(row->unit, &q->dimension) : -1;
    if (q->state != CLV_WITH_UNIT || *alternative >= 0)
        return true;
    clv_dimension_text(&q->dimension, unit);
    clv_key_fail(e, n, row, "'%.80s' is %s%s; '%s' is %s%s", clv_node_text(e->reader, n),
                 *unit ? "in " : "a pure number", unit, row->key, *row->unit ? "in " : "a pure number", row->unit);
    return false;
}

/* ---------------------------------------------------------------- formulas */

/* What a fault of a formula says, at its place in the text. */
static void fail_formula(clv_entry *e, const clv_yaml_node *n, const clv_schema_row *row, const clv_expression_fault *f)
{
    const char *text = clv_node_text(e->reader, n);
    clv_yaml_node at = *n;
    char hint[200];
    e->good = false;
    at.column += !n->plain; /* the quote */
    for (size_t k = 0; k < f->at && text[k]; ++k)
        at.column += ((unsigned char)text[k] & 0xC0) != 0x80;
    row_hint(row, hint, sizeof hint);
    clv_read_fail(e->reader, CLV_ERR_MODEL, &at, e->path, row->key, *f->hint ? f->hint : hint,
                  "expected a number, found '%.80s': %s", text, f->text);
}

/* A text that is no formula, or a formula that has no value. */
static void fail_text(clv_entry *e, const clv_yaml_node *n, const clv_schema_row *row, const clv_expression_fault *f)
{
    const char *text = clv_node_text(e->reader, n), *why = clv_number_oddity(text);
    if (f->told) {
        e->good = false;
        return;
    }
    const bool word = !strpbrk(text, "+-*/^()") && (f->vague || clv_decimal(text, true) == 0);
    if (!n->plain && word && !e->reader->nparameter)
        clv_key_fail(e, n, row, "expected a number, found the quoted text \"%.80s\"; remove the quotes", text);
    else if (why)
        clv_key_fail(e, n, row, "expected a number, found '%.80s': %s", text, why);
    else if (word && (f->vague || !e->reader->nparameter))
        clv_key_fail(e, n, row, "expected a number, found '%.80s'", text);
    else
        fail_formula(e, n, row, f);
}

/* Is the text a number by itself, or with deg?  Then its value, in rad, in *x. */
static bool is_plain(const char *text, double *x, bool *degrees)
{
    const size_t length = clv_decimal(text, true);
    *degrees = length > 0 && text[length] && is_deg(text + length);
    if (length == 0 || (text[length] && !*degrees))
        return false;
    *x = strtod(text, NULL);
    if (*degrees)
        *x *= CLV_PI / 180;
    return true;
}

/* What a number may be written as. */
static bool check_scalar(clv_entry *e, const clv_yaml_node *n, const clv_schema_row *row, bool plain)
{
    const char *text = clv_node_text(e->reader, n);
    if (n->refused)
        return e->good = false;
    if (n->kind != CLV_YAML_SCALAR || *text == '\0')
        clv_key_fail(e, n, row, "expected a number, found %s",
                     n->kind == CLV_YAML_SCALAR ? "nothing" : clv_node_shown(e->reader, n));
    else if (plain && !n->plain)
        clv_key_fail(e, n, row, "expected a number, found the quoted text \"%.80s\"; remove the quotes", text);
    else
        return true;
    return false;
}

static bool check_finite(clv_entry *e, const clv_yaml_node *n, const clv_schema_row *row, double x)
{
    if (!isfinite(x))
        clv_key_fail(e, n, row, "'%.80s' is too large for a number", clv_node_text(e->reader, n));
    return isfinite(x);
}

bool clv_read_quantity(clv_entry *e, const clv_yaml_node *n, const clv_schema_row *row, int depth, clv_quantity *q)
{
    clv_expression_fault fault;
    bool degrees;
    *q = (clv_quantity){0};
    const bool plain = n->kind == CLV_YAML_SCALAR && is_plain(clv_node_text(e->reader, n), &q->x, &degrees);
    if (!check_scalar(e, n, row, plain))
        return false;
    if (plain && degrees) {
        q->state = CLV_WITH_UNIT;
        q->dimension.of[CLV_RADIAN] = 2;
    }
    if (plain)
        return check_finite(e, n, row, q->x);
    if (clv_read_formula(e, clv_node_text(e->reader, n), depth, q, &fault))
        return true;
    fail_text(e, n, row, &fault);
    return false;
}

bool clv_read_number(clv_entry *e, const clv_yaml_node *n, const clv_schema_row *row, double *x, int *alternative)
{
    bool degrees = false;
    clv_quantity q;
    *alternative = -1;
    const bool plain = n->kind == CLV_YAML_SCALAR && is_plain(clv_node_text(e->reader, n), x, &degrees);
    if (plain) { /* nearly all; deg at a rate means deg/s */
        if (!check_scalar(e, n, row, true))
            return false;
        if (degrees && row->angle == CLV_NO_ANGLE) {
            clv_key_fail(e, n, row, "'%.80s': deg is allowed for angles and angular rates only",
                         clv_node_text(e->reader, n));
            return false;
        }
        if (degrees)
            *alternative = strchr(row->unit, ',') != NULL;
        return check_finite(e, n, row, *x);
    }
    if (!clv_read_quantity(e, n, row, 0, &q))
        return false;
    *x = q.x;
    return check_unit(e, n, row, &q, alternative);
}
