/* SPDX-License-Identifier: Apache-2.0
 * The JSON writer; see json.h. */
#include "cli/json.h"
#include "base/text.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

clv_json clv_json_begin(FILE *out)
{
    return (clv_json){.out = out};
}

clv_json clv_json_begin_tight(FILE *out)
{
    return (clv_json){.out = out, .tight = true};
}

/* How many characters stand for themselves: ASCII that JSON has no other form for, and in a page no '<'. */
static size_t plain(const char *text, bool tight)
{
    size_t n = 0;
    while (text[n] >= ' ' && text[n] < 0x7f && text[n] != '"' && text[n] != '\\' && !(tight && text[n] == '<'))
        ++n;
    return n;
}

/* UTF-8 whatever comes; what has an effect on a terminal as JSON escapes it. */
static void quoted(const clv_json *j, const char *text)
{
    FILE *out = j->out;
    char shown[CLV_SHOWN];
    putc('"', out);
    for (size_t n; (n = plain(text, j->tight), fwrite(text, 1, n, out), *(text += n));) {
        const unsigned char c = (unsigned char)*text;
        text += clv_text_next(text, shown);
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c == '<')
            fputs("\\u003c", out);
        else if (c < 0x80 && shown[0] == '\\')
            fprintf(out, "\\u%04x", (unsigned)c);
        else if (shown[0] == '\\' && shown[1] == 'x')
            fputs("\\ufffd", out); /* no UTF-8 */
        else
            fputs(shown, out);
    }
    putc('"', out);
}

/* Comma, line and key in front of a member.  Members of arrays stay on one line. */
static void lead(clv_json *j, const char *key)
{
    if (j->depth == 0)
        return;
    bool *some = &j->some[j->depth - 1];
    bool array = j->close[j->depth - 1] == ']';
    assert(array == (key == NULL));
    fputs(*some ? (array && !j->tight ? ", " : ",") : "", j->out);
    *some = true;
    if (array)
        return;
    if (!j->tight)
        fprintf(j->out, "\n%*s", 2 * j->depth, "");
    quoted(j, key);
    fputs(j->tight ? ":" : ": ", j->out);
}

static void open_value(clv_json *j, const char *key, char open, char close)
{
    assert(j->depth < CLV_JSON_DEPTH);
    lead(j, key);
    putc(open, j->out);
    j->close[j->depth] = close;
    j->some[j->depth++] = false;
}

void clv_json_object(clv_json *j, const char *key)
{
    open_value(j, key, '{', '}');
}

void clv_json_array(clv_json *j, const char *key)
{
    open_value(j, key, '[', ']');
}

void clv_json_end(clv_json *j)
{
    assert(j->depth > 0);
    char close = j->close[--j->depth];
    if (close == '}' && j->some[j->depth] && !j->tight)
        fprintf(j->out, "\n%*s", 2 * j->depth, "");
    putc(close, j->out);
    if (j->depth == 0)
        putc('\n', j->out);
}

void clv_json_text(clv_json *j, const char *key, const char *value)
{
    lead(j, key);
    quoted(j, value ? value : "");
}

const char *clv_json_shortest(char text[32], double value)
{
    for (int digits = 15; digits <= 17; ++digits) {
        snprintf(text, 32, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return text;
}

void clv_json_number(clv_json *j, const char *key, double value)
{
    char text[32];
    if (value == rint(value) && fabs(value) < 1e15 && !(value == 0 && signbit(value))) {
        clv_json_integer(j, key, (long long)value); /* the same digits */
        return;
    }
    lead(j, key);
    fputs(isfinite(value) ? clv_json_shortest(text, value) : "null", j->out);
}

void clv_json_integer(clv_json *j, const char *key, long long value)
{
    lead(j, key);
    fprintf(j->out, "%lld", value);
}

void clv_json_bool(clv_json *j, const char *key, bool value)
{
    lead(j, key);
    fputs(value ? "true" : "false", j->out);
}

void clv_json_numbers(clv_json *j, const char *key, const double *value, int n)
{
    clv_json_array(j, key);
    for (int i = 0; i < n; ++i)
        clv_json_number(j, NULL, value[i]);
    clv_json_end(j);
}
