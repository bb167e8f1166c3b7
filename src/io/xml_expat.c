/* SPDX-License-Identifier: Apache-2.0
 * XML by expat.  Every definition of an entity and every entity that is not one of XML's five is refused: the laughs of
 * a billion entities do not begin. */
#include "base/memory.h"
#include "io/xml_parse.h"
#include <expat.h>
#include <string.h>

#define PIECE (1u << 20) /* bytes handed over at a time: expat counts in int */

typedef struct parsing {
    XML_Parser parser;
    const clv_xml_events *events;
    clv_xml_fault *fault;
} parsing;

bool clv_xml_present(void)
{
    return true;
}

const char *clv_part_expat(void)
{
    const char *version = XML_ExpatVersion(), *number = strchr(version, '_');
    return number ? number + 1 : version;
}

static void *take(size_t size)
{
    return clv_alloc(1, size);
}
static void *grow(void *p, size_t size)
{
    return clv_resize(p, size, 1);
}

static void at_parser(parsing *p)
{
    p->fault->line = (unsigned)XML_GetCurrentLineNumber(p->parser);
    p->fault->column = (unsigned)XML_GetCurrentColumnNumber(p->parser) + 1;
}

static void refuse_entity(parsing *p)
{
    p->fault->code = CLV_ERR_UNSUPPORTED;
    p->fault->message = "the file defines or uses XML entities of its own";
    p->fault->hint = "write what they stand for; only &amp; &lt; &gt; &quot; &apos; and numbers are read";
    at_parser(p);
    XML_StopParser(p->parser, XML_FALSE);
}

static void XMLCALL on_open(void *user, const XML_Char *name, const XML_Char **attribute)
{
    parsing *p = user;
    at_parser(p);
    if (!p->events->open(p->events->user, name, attribute, p->fault->line, p->fault->column))
        XML_StopParser(p->parser, XML_FALSE);
}

static void XMLCALL on_close(void *user, const XML_Char *name)
{
    parsing *p = user;
    (void)name;
    if (!p->events->close(p->events->user))
        XML_StopParser(p->parser, XML_FALSE);
}

static void XMLCALL on_text(void *user, const XML_Char *text, int size)
{
    parsing *p = user;
    if (!p->events->text(p->events->user, text, (size_t)size))
        XML_StopParser(p->parser, XML_FALSE);
}

static void XMLCALL on_entity(void *user, const XML_Char *name, int parameter, const XML_Char *value, int size,
                              const XML_Char *base, const XML_Char *system, const XML_Char *public,
                              const XML_Char *notation)
{
    (void)name, (void)parameter, (void)value, (void)size, (void)base, (void)system, (void)public, (void)notation;
    refuse_entity(user);
}

static void XMLCALL on_skipped(void *user, const XML_Char *name, int parameter)
{
    (void)name, (void)parameter;
    refuse_entity(user);
}

static void explain(parsing *p)
{
    const enum XML_Error code = XML_GetErrorCode(p->parser);
    if (p->fault->code != CLV_OK || code == XML_ERROR_ABORTED)
        return;
    at_parser(p);
    p->fault->code = code == XML_ERROR_NO_MEMORY ? CLV_ERR_MEMORY : CLV_ERR_SYNTAX;
    p->fault->message = XML_ErrorString(code);
    p->fault->hint = code == XML_ERROR_TAG_MISMATCH       ? "each <name> needs its </name>, innermost first"
                     : code == XML_ERROR_NO_ELEMENTS      ? "is the file complete?"
                     : code == XML_ERROR_UNCLOSED_TOKEN   ? "is the file complete?"
                     : code == XML_ERROR_UNDEFINED_ENTITY ? "write & as &amp; and < as &lt;"
                     : code == XML_ERROR_UNBOUND_PREFIX   ? "the prefix before the colon has no xmlns"
                                                          : "";
}

/* ---------------------------------------------------------------- what robot tools let pass */

static bool begins(const char *text, size_t size, size_t i, const char *word)
{
    const size_t n = strlen(word);
    return i + n <= size && memcmp(text + i, word, n) == 0;
}

/* Where `word` begins at i or later; size: nowhere. */
static size_t seek(const char *text, size_t size, size_t i, const char *word)
{
    while (i < size && !begins(text, size, i, word))
        i++;
    return i < size ? i : size;
}

/* Blanks text[first, last), but for ends of lines; all: not single hyphens alone. */
static bool blank(const char *text, char *to, size_t first, size_t last, bool all)
{
    bool found = false;
    for (size_t k = first; k < last; k++)
        if (all ? text[k] != '\n' : text[k] == '-' && text[k + 1] == '-') {
            found = true;
            if (to)
                to[k] = ' ';
        }
    return found;
}

/* Hyphens side by side in comments, and an XML declaration behind space or comments: the parsers of robot tools take
 * them, expat does not.  They become spaces in `to`, a copy of the text, so lines and columns stay.  False: there are
 * none. */
static bool mend(const char *text, size_t size, char *to)
{
    const size_t start = begins(text, size, 0, "\xef\xbb\xbf") ? 3 : 0;
    bool found = false, root = false;
    for (size_t i = seek(text, size, start, "<"), end; i < size; i = seek(text, size, end, "<")) {
        end = i + 1;
        if (begins(text, size, i, "<!--")) {
            end = seek(text, size, i + 4, "-->");
            found |= end < size && blank(text, to, i + 4, end, false);
        } else if (begins(text, size, i, "<![CDATA["))
            end = seek(text, size, i, "]]>");
        else if (begins(text, size, i, "<?xml ") && i > start && !root) {
            end = seek(text, size, i, "?>");
            found |= end < size && blank(text, to, i, end + 2, true);
        } else if (end < size && text[end] != '!' && text[end] != '?')
            root = true;
    }
    return found;
}

/* ---------------------------------------------------------------- the text */

static bool feed(parsing *p, const char *text, size_t size)
{
    size_t done = 0;
    do {
        const size_t n = size - done < PIECE ? size - done : PIECE;
        if (XML_Parse(p->parser, text + done, (int)n, done + n == size) != XML_STATUS_OK)
            return false;
        done += n;
    } while (done < size);
    return true;
}

bool clv_xml_parse(const clv_xml_events *events, const char *text, size_t size, clv_xml_fault *fault)
{
    const XML_Memory_Handling_Suite memory = {take, grow, clv_free};
    *fault = (clv_xml_fault){CLV_ERR_MEMORY, 0, 0, "out of memory", ""};
    parsing p = {XML_ParserCreate_MM(NULL, &memory, NULL), events, fault};
    if (!p.parser)
        return false;
    fault->code = CLV_OK;
    XML_SetUserData(p.parser, &p);
    XML_SetElementHandler(p.parser, on_open, on_close);
    XML_SetCharacterDataHandler(p.parser, on_text);
    XML_SetEntityDeclHandler(p.parser, on_entity);
    XML_SetSkippedEntityHandler(p.parser, on_skipped);
    char *copy = mend(text, size, NULL) ? clv_alloc(size, 1) : NULL;
    if (copy) {
        memcpy(copy, text, size);
        mend(text, size, copy);
    }
    const bool good = feed(&p, copy ? copy : text, size);
    if (!good)
        explain(&p);
    clv_free(copy);
    XML_ParserFree(p.parser);
    return good;
}
