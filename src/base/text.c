/* SPDX-License-Identifier: Apache-2.0
 * Decoding UTF-8 one character at a time, after RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
 * Numbers are read by the C library in the locale "C" of this thread alone. */
#include "base/text.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the character at s and its number; 0 if there is none. */
static size_t decode(const unsigned char *s, unsigned *code)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = s[0] < 0x80 ? 1 : (s[0] >> 5) == 6 ? 2 : (s[0] >> 4) == 14 ? 3 : (s[0] >> 3) == 30 ? 4 : 0;
    *code = n == 1 ? s[0] : s[0] & (0xFFu >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xC0) != 0x80)
            return 0;
        *code = *code << 6 | (s[i] & 0x3F);
    }
    return n && *code >= least[n] && *code <= 0x10FFFF && (*code < 0xD800 || *code > 0xDFFF) ? n : 0;
}

static bool has_effect(unsigned code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029 ||
           (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

size_t clv_text_next(const char *text, char shown[CLV_SHOWN])
{
    unsigned code;
    size_t n = decode((const unsigned char *)text, &code);
    if (n == 0)
        snprintf(shown, CLV_SHOWN, "\\x%02x", (unsigned)(unsigned char)*text);
    else if (has_effect(code))
        snprintf(shown, CLV_SHOWN, code < 0x80 ? "\\x%02x" : "\\u%04x", code & 0xFFFFu);
    else
        memcpy(shown, text, n), shown[n] = '\0';
    return n ? n : 1;
}

bool clv_text_plain(const char *text)
{
    for (unsigned code; *text;) {
        size_t n = decode((const unsigned char *)text, &code);
        if (n == 0 || has_effect(code))
            return false;
        text += n;
    }
    return true;
}

/* is the text a word of a shell as it stands? */
static bool is_word(const char *text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./,:=+@%";
    for (const char *c = text; *c; c++)
        if (!strchr(plain, *c) && !(*c & 0x80))
            return false;
    return *text != '\0';
}

const char *clv_text_word(const char *text, char to[CLV_TEXT_WORD])
{
    size_t n = 0;
    if (is_word(text))
        return text;
    to[n++] = '\'';
    for (const char *c = text; *c; c++) {
        const char *part = *c == '\'' ? "'\\''" : NULL; /* ends the quotes, a quote, begins them again */
        const size_t length = part ? 4 : 1;
        if (n + length + 2 > CLV_TEXT_WORD)
            return text;
        memcpy(to + n, part ? part : c, length);
        n += length;
    }
    to[n++] = '\'', to[n] = '\0';
    return to;
}

static bool is_hexadecimal(const char *text)
{
    text += strspn(text, " \t\r\n\f\v");
    text += *text == '+' || *text == '-';
    return text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

double clv_text_number(const char *text, const char **end)
{
    *end = text;
    if (is_hexadecimal(text))
        return NAN;
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    char *stop = NULL;
    if (!plain)
        return NAN;
    const locale_t before = uselocale(plain);
    const double x = strtod(text, &stop);
    uselocale(before);
    freelocale(plain);
    *end = stop;
    return x;
}
