/* SPDX-License-Identifier: Apache-2.0
 * Status texts and error records.  Called by whoever owns a clv_error: the model, a simulation, a reader.
 * Texts longer than their field are cut at a whole UTF-8 character, never in the middle of one. */
#include "base/error.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *clv_status_text(clv_status code)
{
    switch (code) {
#define X(code, text) \
    case code: return text;
        CLV_STATUS_LIST(X)
#undef X
    }
    return "unknown status";
}

void clv_error_clear(clv_error *e)
{
    memset(e, 0, sizeof *e);
    e->time = NAN;
    e->value = NAN;
}

const clv_error *clv_error_of_null(void)
{
    static const clv_error none = {.code = CLV_ERR_USAGE, .time = NAN, .value = NAN,
                                   .message = "the pointer is NULL: there is no model or simulation",
                                   .hint = "check that the creation succeeded"};
    return &none;
}

/* Drops the bytes of a character that was cut: continuation bytes 10xxxxxx and a lead byte that lost its followers. */
static void trim(char *field, size_t size)
{
    size_t n = strlen(field), start = n;
    if (n + 1 < size || n == 0)
        return;
    while (start > 0 && ((unsigned char)field[start - 1] & 0xC0) == 0x80)
        start--;
    if (start == 0)
        return;
    unsigned char lead = (unsigned char)field[start - 1];
    size_t need = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
    if (n - start < need)
        field[start - 1] = '\0';
}

void clv_error_text(char *field, size_t size, const char *text)
{
    size_t n = 0;
    if (size == 0)
        return;
    if (text)
        for (; n + 1 < size && text[n]; n++)
            field[n] = text[n];
    field[n] = '\0';
    if (text && text[n])
        trim(field, size);
}

clv_status clv_fail(clv_error *e, clv_status code, const char *format, ...)
{
    va_list args;
    clv_error_clear(e);
    e->code = code;
    va_start(args, format);
    vsnprintf(e->message, sizeof e->message, format, args);
    va_end(args);
    trim(e->message, sizeof e->message);
    return code;
}

void clv_error_hint(clv_error *e, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(e->hint, sizeof e->hint, format, args);
    va_end(args);
    trim(e->hint, sizeof e->hint);
}
