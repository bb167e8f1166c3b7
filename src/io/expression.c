/* SPDX-License-Identifier: Apache-2.0
 * The parser of expression.h.  Every recursion passes through `sign`: depth is counted there. */
#include "io/expression.h"
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ARGUMENTS = 8, NAME = 64, MOST_POWER = 100 };

typedef struct parser {
    const char *text, *at;
    const clv_scope *scope;
    clv_expression_fault *fault;
    int depth;
} parser;

static bool sum(parser *p, clv_quantity *q);
static bool sign(parser *p, clv_quantity *q);

bool clv_expression_fail(clv_expression_fault *f, size_t at, const char *hint, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(f->text, sizeof f->text, format, args);
    va_end(args);
    snprintf(f->hint, sizeof f->hint, "%s", hint);
    f->at = at;
    f->vague = f->told = false;
    return false;
}

static size_t place(const parser *p, const char *at)
{
    return (size_t)(at - p->text);
}

static bool fail_vague(parser *p)
{
    const int n = (int)strspn(p->at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.");
    if (*p->at)
        clv_expression_fail(p->fault, place(p, p->at), "", "unexpected '%.*s'", n ? n > 40 ? 40 : n : 1, p->at);
    else
        clv_expression_fail(p->fault, place(p, p->at), "", "something is missing at the end");
    p->fault->vague = true;
    return false;
}

static void skip(parser *p)
{
    p->at += strspn(p->at, " \t");
}

static bool deeper(parser *p)
{
    if (++p->depth <= CLV_EXPRESSION_DEEP)
        return true;
    return clv_expression_fail(p->fault, place(p, p->at), "use fewer brackets, or a parameter for a part of it",
                               "nested more than %d levels deep", CLV_EXPRESSION_DEEP);
}

/* The value of an operation that began at `at`, if it is a number with a unit that can be. */
static bool finite(parser *p, const char *at, const clv_quantity *q)
{
    for (int k = 0; k < CLV_BASES; ++k)
        if (q->dimension.of[k] > MOST_POWER || q->dimension.of[k] < -MOST_POWER)
            return clv_expression_fail(p->fault, place(p, at), "", "the power of its unit is too large");
    if (isfinite(q->x))
        return true;
    return clv_expression_fail(p->fault, place(p, at), "",
                               isnan(q->x) ? "this has no value" : "the value is too large");
}

size_t clv_decimal(const char *t, bool sign)
{
    const char *s = t + (sign && (*t == '+' || *t == '-'));
    int digits = 0;
    for (; isdigit((unsigned char)*s); ++s)
        ++digits;
    if (*s == '.')
        for (++s; isdigit((unsigned char)*s); ++s)
            ++digits;
    if (digits == 0)
        return 0;
    if (*s == 'e' || *s == 'E') {
        const char *x = s + 1 + (s[1] == '+' || s[1] == '-');
        if (!isdigit((unsigned char)*x))
            return 0;
        for (s = x; isdigit((unsigned char)*s); ++s)
            ;
    }
    return (size_t)(s - t);
}

/* ---------------------------------------------------------------- atoms */

/* A word right behind a number that names no unit. */
static bool fail_unit(parser *p, const char *at)
{
    char word[NAME], hint[100];
    const size_t n = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
    snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word - 1), at);
    const char *near = clv_unit_nearest(word);
    if (near)
        snprintf(hint, sizeof hint, "did you mean '%s'?", near);
    else
        snprintf(hint, sizeof hint, "a product needs a `*`; units are m, mm, kg, s, deg, rpm, N, kN, bar, ...");
    return clv_expression_fail(p->fault, place(p, at), hint, "unknown unit '%s'", word);
}

static bool literal(parser *p, size_t length, clv_quantity *q)
{
    const char *at = p->at, *behind = at + length;
    clv_unit unit;
    size_t used;
    behind += strspn(behind, " ");
    if (!clv_unit_read(behind, true, &unit, &used))
        return clv_expression_fail(p->fault, place(p, behind), "write mm^2, s^-1", "the power of a unit is a digit");
    q->x = clv_unit_scale(at, length, &unit);
    q->state = used ? CLV_WITH_UNIT : CLV_BARE;
    q->dimension = unit.dimension;
    p->at = used ? behind + used : at + length;
    if (!used && isalpha((unsigned char)*behind))
        return fail_unit(p, behind);
    return finite(p, at, q);
}

/* Arguments in brackets. */
static bool call(parser *p, int row, const char *at, clv_quantity *q)
{
    clv_quantity x[ARGUMENTS];
    const clv_function_row *f = &clv_function_table[row];
    int n = 0;
    do {
        ++p->at; /* "(" or "," */
        if (n == ARGUMENTS)
            return clv_expression_fail(p->fault, place(p, p->at), "", "%s takes at most %d values", f->name, f->most);
        if (!sum(p, &x[n++]))
            return false;
        skip(p);
    } while (*p->at == ',');
    if (*p->at != ')')
        return *p->at ? fail_vague(p)
                      : clv_expression_fail(p->fault, place(p, p->at),
                                            "inside [ ] and { } a formula with commas needs quotes", "')' is missing");
    ++p->at;
    if (n < f->least || n > f->most)
        return clv_expression_fail(p->fault, place(p, at), "", "%s takes %s%d value%s, found %d", f->name,
                                   f->least == f->most ? "" : "at least ", f->least, f->least == 1 ? "" : "s", n);
    p->fault->at = place(p, at);
    return clv_function_value(row, x, n, q, p->fault) && finite(p, at, q);
}

static bool name(parser *p, clv_quantity *q)
{
    char word[NAME];
    const char *at = p->at;
    size_t n = 0;
    while (isalnum((unsigned char)at[n]) || at[n] == '_')
        ++n;
    if (n >= sizeof word)
        return clv_expression_fail(p->fault, place(p, at), "", "a name longer than %d characters", NAME - 1);
    snprintf(word, sizeof word, "%.*s", (int)n, at);
    p->at += n;
    skip(p);
    const int row = clv_function_find(word);
    if (*p->at == '(') {
        const char *near = clv_expression_nearest(word);
        if (row >= 0 && clv_function_table[row].most > 0)
            return call(p, row, at, q);
        if (row < 0 && near)
            return clv_expression_fail(p->fault, place(p, at), "", "unknown function '%s'; did you mean '%s'?", word,
                                       near);
        return clv_expression_fail(p->fault, place(p, at), "a product needs a `*`", "there is no function '%s'", word);
    }
    if (row >= 0 && clv_function_table[row].most > 0)
        return clv_expression_fail(p->fault, place(p, at), "", "%s needs a value in brackets", word);
    if (row >= 0)
        return clv_function_value(row, NULL, 0, q, p->fault);
    p->fault->at = place(p, at);
    return p->scope->find(p->scope->user, word, p->depth, q, p->fault);
}

static bool bracket(parser *p, clv_quantity *q)
{
    ++p->at;
    if (!sum(p, q))
        return false;
    skip(p);
    if (*p->at != ')')
        return *p->at ? fail_vague(p)
                      : clv_expression_fail(p->fault, place(p, p->at),
                                            "inside [ ] and { } a formula with commas needs quotes", "')' is missing");
    ++p->at;
    return true;
}

static bool atom(parser *p, clv_quantity *q)
{
    skip(p);
    const size_t length = clv_decimal(p->at, false);
    if (length > 0)
        return literal(p, length, q);
    if (isalpha((unsigned char)*p->at) || *p->at == '_')
        return name(p, q);
    return *p->at == '(' ? bracket(p, q) : fail_vague(p);
}

/* ---------------------------------------------------------------- operations */

static bool power(parser *p, clv_quantity *q)
{
    clv_quantity exponent;
    if (!atom(p, q))
        return false;
    skip(p);
    const char *at = p->at;
    const int stars = strncmp(at, "**", 2) == 0 ? 2 : *at == '^';
    if (!stars)
        return true;
    p->at += stars;
    const clv_quantity base = *q;
    if (!sign(p, &exponent))
        return false;
    p->fault->at = place(p, at);
    return clv_power_value(&base, &exponent, q, p->fault) && finite(p, at, q);
}

static bool sign(parser *p, clv_quantity *q)
{
    if (!deeper(p))
        return false;
    skip(p);
    const bool minus = *p->at == '-', plus = *p->at == '+';
    p->at += minus || plus;
    if (!(minus || plus ? sign(p, q) : power(p, q)))
        return false;
    q->x = minus ? -q->x : q->x;
    --p->depth;
    return true;
}

static bool product(parser *p, clv_quantity *q)
{
    if (!sign(p, q))
        return false;
    for (skip(p); *p->at == '*' || *p->at == '/'; skip(p)) {
        const char *at = p->at++;
        const bool over = *at == '/';
        clv_quantity b;
        if (!sign(p, &b))
            return false;
        if (over && b.x == 0)
            return clv_expression_fail(p->fault, place(p, at), "", "division by 0");
        q->x = over ? q->x / b.x : q->x * b.x;
        q->state = q->state == CLV_FREE || b.state == CLV_FREE             ? CLV_FREE
                   : q->state == CLV_WITH_UNIT || b.state == CLV_WITH_UNIT ? CLV_WITH_UNIT
                                                                           : CLV_BARE;
        for (int k = 0; k < CLV_BASES; ++k) /* zero where there is none */
            q->dimension.of[k] = q->state == CLV_FREE ? 0 : q->dimension.of[k] + (over ? -1 : 1) * b.dimension.of[k];
        if (!finite(p, at, q))
            return false;
    }
    return true;
}

static bool sum(parser *p, clv_quantity *q)
{
    if (!product(p, q))
        return false;
    for (skip(p); *p->at == '+' || *p->at == '-'; skip(p)) {
        const char *at = p->at++;
        char left[CLV_UNIT_TEXT], right[CLV_UNIT_TEXT];
        clv_quantity a = *q, b;
        if (!product(p, &b))
            return false;
        if (!clv_quantity_alike(&a, &b, q)) {
            clv_dimension_text(&a.dimension, left);
            clv_dimension_text(&b.dimension, right);
            return clv_expression_fail(p->fault, place(p, at), "", "%s and %s cannot be %s",
                                       *left ? left : "a pure number", *right ? right : "a pure number",
                                       *at == '+' ? "added" : "subtracted");
        }
        q->x = *at == '+' ? a.x + b.x : a.x - b.x;
        if (!finite(p, at, q))
            return false;
    }
    return true;
}

bool clv_expression_read(const char *text, const clv_scope *scope, int depth, clv_quantity *q, clv_expression_fault *f)
{
    parser p = {text, text, scope, f, depth};
    *q = (clv_quantity){0};
    *f = (clv_expression_fault){0};
    if (strlen(text) > CLV_EXPRESSION_MOST)
        return clv_expression_fail(f, 0, "use parameters for parts of it", "a formula of more than %d characters",
                                   CLV_EXPRESSION_MOST);
    if (!sum(&p, q))
        return false;
    skip(&p);
    return *p.at ? fail_vague(&p) : true;
}
