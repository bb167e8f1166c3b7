/* SPDX-License-Identifier: Apache-2.0
 * One number of a model file: decimal, finite, with `deg` where the schema allows it.  The usual surprises are told by
 * name. */
#include "io/yaml_read.h"
#include "math/sincos.h"
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    snprintf(hint, sizeof hint, "write it as `%s`%s%s%s", row->example, *row->unit ? ", in " : "", row->unit,
             row->angle != CLV_NO_ANGLE ? "; angles may end in deg" : "");
    clv_read_fail(e->reader, CLV_ERR_MODEL, at, e->path, row->key, hint, "%s", text);
}

const char *clv_node_shown(const clv_reader *r, const clv_yaml_node *n)
{
    return n->kind == CLV_YAML_LIST ? "a list" : n->kind == CLV_YAML_MAP ? "a mapping" : clv_node_text(r, n);
}

/* Length of a decimal number at the start of t, 0 if there is none: sign, digits with one point, exponent. */
static size_t decimal(const char *t)
{
    const char *s = t + (*t == '+' || *t == '-');
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

static bool is_deg(const char *t)
{
    while (*t == ' ')
        ++t;
    return strcmp(t, "deg") == 0;
}

bool clv_read_number(clv_entry *e, const clv_yaml_node *n, const clv_schema_row *row, double *x, bool *degrees)
{
    const char *text = clv_node_text(e->reader, n);
    *degrees = false;
    if (n->refused) {
        e->good = false;
        return false;
    }
    if (n->kind != CLV_YAML_SCALAR) {
        clv_key_fail(e, n, row, "expected a number, found %s", clv_node_shown(e->reader, n));
        return false;
    }
    if (!n->plain) {
        clv_key_fail(e, n, row, "expected a number, found the quoted text \"%.80s\"; remove the quotes", text);
        return false;
    }
    size_t length = decimal(text);
    *degrees = length > 0 && text[length] && is_deg(text + length);
    if (length == 0 || (text[length] && !*degrees)) {
        const char *why = clv_number_oddity(text);
        if (*text == '\0')
            clv_key_fail(e, n, row, "expected a number, found nothing");
        else if (length > 0 && isalpha((unsigned char)text[length + strspn(text + length, " ")]) && !why)
            clv_key_fail(e, n, row, "expected a number, found '%.80s': units other than deg are not written", text);
        else
            clv_key_fail(e, n, row, "expected a number, found '%.80s'%s%s", text, why ? ": " : "", why ? why : "");
        return false;
    }
    if (*degrees && row->angle == CLV_NO_ANGLE) {
        clv_key_fail(e, n, row, "'%.80s': deg stands only at angles and rates of turning", text);
        return false;
    }
    *x = strtod(text, NULL);
    if (!isfinite(*x)) {
        clv_key_fail(e, n, row, "'%.80s' is too large for a number", text);
        return false;
    }
    if (*degrees)
        *x *= CLV_PI / 180;
    return true;
}
