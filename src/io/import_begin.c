/* SPDX-License-Identifier: Apache-2.0
 * What a robot's file begins with.  A file with the name of a robot that is no XML is refused with what was expected,
 * and so is a page of the web.  No reader of XML or YAML looks at them.  A model of cleave may have any name: run files
 * keep a robot as one.  Called by yaml_read.c. */
#include "io/import.h"
#include <string.h>

typedef struct ending {
    const char *text, *expected;
} ending;

static const ending endings[] = {
    {".urdf", "a URDF is XML and begins with <robot>"},
    {".sdf", "an SDF is XML and begins with <sdf>"},
    {".world", "a world of SDF is XML and begins with <sdf>"},
    {".mjcf", "an MJCF is XML and begins with <mujoco>"},
    {".xml", "XML begins with `<`, a URDF with <robot>, an MJCF with <mujoco>, an SDF with <sdf>"},
};

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c; }

/* Does the text begin with a word in small letters, whatever its own letters are? */
static bool begins(const char *text, size_t size, const char *word)
{
    size_t i = 0;
    while (i < size && word[i] && lower(text[i]) == word[i])
        i++;
    return !word[i];
}

static const ending *ending_of(const char *file)
{
    const size_t n = file ? strlen(file) : 0;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t k = strlen(endings[i].text);
        if (n > k && begins(file + n - k, k, endings[i].text))
            return &endings[i];
    }
    return NULL;
}

/* The first character that is no space, and its place. */
static size_t find_first(const char *text, size_t size, clv_yaml_node *at)
{
    size_t i = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    *at = (clv_yaml_node){.line = 1, .column = 1};
    for (; i < size && text[i] && strchr(" \t\r\n", text[i]); i++)
        at->column = text[i] == '\n' ? 1 : at->column + 1, at->line += text[i] == '\n';
    return i;
}

static bool is_binary(const char *text, size_t size)
{
    for (size_t i = 0; i < size && i < 512; i++)
        if ((unsigned char)text[i] < 32 && !strchr("\t\r\n\f", text[i] ? text[i] : '\1'))
            return true;
    return false;
}

/* Has a line of the first 4 kB this key of models? */
static bool is_model(const char *text, size_t size)
{
    bool fresh = true;
    for (size_t i = 0; i < size && i < 4096; fresh = text[i++] == '\n')
        if (fresh && begins(text + i, size - i, "cleave:"))
            return true;
    return false;
}

bool clv_import_named(const char *file, const char *text, size_t size)
{
    return ending_of(file) && !is_model(text, size);
}

static bool refuse_page(clv_reader *r, const char *text, size_t size, const clv_yaml_node *at)
{
    if (!begins(text, size, "<!doctype html") && !begins(text, size, "<html"))
        return true;
    clv_read_fail(r, CLV_ERR_SYNTAX, at, "", NULL, "a download may have saved an error page: look at it in a browser",
                  "this is a page of the web (HTML), no robot: URDF begins with <robot>, MJCF with <mujoco>, SDF with "
                  "<sdf>");
    return false;
}

bool clv_import_begins(clv_reader *r, const char *text, size_t size)
{
    clv_yaml_node at;
    const ending *e = ending_of(r->file);
    const size_t i = find_first(text, size, &at);
    const bool rest = i < size;
    const char *what = "this is text, not XML", *hint = "is the download complete, and the name right?";
    if (rest && text[i] == '<')
        return refuse_page(r, text + i, size - i, &at);
    if (!rest)
        what = "the file is empty", hint = "is the download complete?";
    else if (size > 1 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        what = "this is UTF-16 text", hint = "save the file as UTF-8 text";
    else if (is_binary(text, size))
        what = "this is a binary file, not XML", hint = "packed files are unpacked first";
    else if (begins(text + i, size - i, "version https://git-lfs"))
        what = "this is a pointer of Git LFS, not the file", hint = "`git lfs pull` fetches the file";
    else if (text[i] == '{' || text[i] == '[')
        what = "this is JSON or YAML, not XML";
    clv_read_fail(r, CLV_ERR_SYNTAX, &at, "", NULL, hint, "%s: %s", what, e->expected);
    return false;
}
