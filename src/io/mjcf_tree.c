/* SPDX-License-Identifier: Apache-2.0
 * MJCF: <include file=...> stands for the elements inside the root of that file.  Its tree hangs below the element, and
 * the functions here pass through. Paths are relative to the folder of the main file, or else to that of the including
 * one. A file is included once. */
#include "base/error.h"
#include "base/memory.h"
#include "io/mjcf.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FILES 500 /* included by one model */

/* ---------------------------------------------------------------- files */

/* Path beside `beside`, or the path itself if it is absolute. */
static void join(char *path, size_t size, const char *beside, const char *file)
{
    const char *slash = strrchr(beside, '/');
    const int folder = slash && *file != '/' ? (int)(slash - beside) + 1 : 0;
    snprintf(path, size, "%.*s%s", folder, beside, file);
}

static bool included(const clv_import *I, const char *path)
{
    for (size_t i = 0; i < I->nfile; i++)
        if (strcmp(I->file[i], path) == 0)
            return true;
    return false;
}

/* A new entry of the list of files; its index, 0: out of memory. */
static unsigned note_file(clv_import *I, const char *path, unsigned node)
{
    char *copy = clv_copy_text(path), **file = copy ? CLV_IMPORT_MORE(I, file) : NULL;
    unsigned *place = NULL;
    if (file) {
        *file = copy;
        place = CLV_IMPORT_MORE(I, place);
    } else
        clv_free(copy);
    if (!place || !clv_model_note_side(I->m, path)) {
        clv_read_out_of_memory(I->r);
        return 0;
    }
    *place = node;
    return (unsigned)(I->nfile - 1);
}

/* Errors of an included file carry its name. */
static bool parse(clv_import *I, const char *path, const char *text, size_t size, unsigned node, unsigned file)
{
    char main[sizeof I->r->file];
    memcpy(main, I->r->file, sizeof main);
    clv_error_text(I->r->file, sizeof I->r->file, path);
    const bool good = clv_xml_read(&I->xml, I->r, text, size, node, file);
    memcpy(I->r->file, main, sizeof main);
    return good;
}

static bool include(clv_mjcf *M, unsigned node)
{
    clv_import *I = M->I;
    char path[512];
    size_t size = 0;
    clv_error e;
    clv_error_clear(&e);
    const char *name = clv_import_need(I, node, "file");
    if (!name)
        return false;
    join(path, sizeof path, I->file[0], name);
    if (access(path, R_OK) != 0)
        join(path, sizeof path, I->file[I->xml.node[node].file], name);
    if (included(I, path) || I->nfile > FILES) {
        clv_import_fail(I, node, "a file can be included once",
                        I->nfile > FILES ? "too many included files: '%.200s'" : "'%.200s' is included twice", name);
        return false;
    }
    char *text = clv_model_load(&e, path, &size);
    if (!text && e.code == CLV_ERR_MEMORY)
        clv_read_out_of_memory(I->r);
    else if (!text)
        clv_import_fail(I, node, "paths are relative to the folder of the main file", "%.300s", e.message);
    if (!text)
        return false;
    const unsigned file = note_file(I, path, node);
    const bool good = file && parse(I, path, text, size, node, file);
    clv_free(text);
    return good;
}

bool clv_mjcf_include(clv_mjcf *M)
{
    clv_xml *x = &M->I->xml;
    for (unsigned n = 1; n < x->nnode; n++) {
        if (!clv_xml_is(x, n, "include"))
            continue;
        x->node[n].seen = true;
        if (x->node[n].first) {
            clv_import_fail(M->I, n, "", "<include> has elements inside");
            return false;
        }
        if (!include(M, n))
            return false;
        x->node[x->node[n].first].seen = true;
        clv_xml_get(x, x->node[n].first, "model");
    }
    return true;
}

/* ---------------------------------------------------------------- elements in their order */

/* The element after this one; behind the last one of an included file that after its <include>. */
static unsigned after(const clv_xml *x, unsigned n)
{
    while (n && !x->node[n].next) {
        const unsigned root = x->node[n].parent, element = root ? x->node[root].parent : 0;
        n = element && clv_xml_is(x, element, "include") ? element : 0;
    }
    return n ? x->node[n].next : 0;
}

/* The element, or what it includes. */
static unsigned enter(const clv_xml *x, unsigned n)
{
    while (n && clv_xml_is(x, n, "include")) {
        const unsigned root = x->node[n].first, inside = root ? x->node[root].first : 0;
        n = inside ? inside : after(x, n);
    }
    return n;
}

unsigned clv_mjcf_first(clv_mjcf *M, unsigned node)
{
    return enter(&M->I->xml, M->I->xml.node[node].first);
}

unsigned clv_mjcf_next(clv_mjcf *M, unsigned node)
{
    return enter(&M->I->xml, after(&M->I->xml, node));
}

unsigned clv_mjcf_section(clv_mjcf *M, unsigned after, const char *name)
{
    clv_xml *x = &M->I->xml;
    unsigned n = after ? clv_mjcf_next(M, after) : clv_mjcf_first(M, x->node[0].first);
    while (n && !clv_xml_is(x, n, name))
        n = clv_mjcf_next(M, n);
    if (n)
        x->node[n].seen = true;
    return n;
}
