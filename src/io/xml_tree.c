/* SPDX-License-Identifier: Apache-2.0
 * Events to a tree; see xml_tree.h. */
#include "io/xml_tree.h"
#include "base/memory.h"
#include "io/xml_parse.h"
#include <string.h>

#define SPACE " \t\r\n"

/* ---------------------------------------------------------------- building */

static bool put(clv_xml *x, const char *text, size_t n, unsigned *offset)
{
    if (x->used + n + 1 > 0xFFFFFFF0u || !clv_read_reserve(x->reader, &x->pool, &x->pool_capacity, x->used + n + 1, 1))
        return x->reader->memory = true, false;
    *offset = (unsigned)x->used;
    memcpy(x->pool + x->used, text, n);
    x->pool[x->used + n] = '\0';
    x->used += n + 1;
    return true;
}

static bool put_attributes(clv_xml *x, clv_xml_node *n, const char *const *attribute)
{
    n->attribute = (unsigned)x->nattribute;
    for (; *attribute; attribute += 2, n->nattribute++) {
        clv_xml_attribute a = {0};
        if (!clv_read_reserve(x->reader, &x->attribute, &x->attribute_capacity, x->nattribute + 1, sizeof a) ||
            !put(x, attribute[0], strlen(attribute[0]), &a.name) ||
            !put(x, attribute[1], strlen(attribute[1]), &a.value))
            return false;
        x->attribute[x->nattribute++] = a;
    }
    return true;
}

static bool too_deep(clv_xml *x, unsigned line, unsigned column)
{
    clv_read_fail(x->reader, CLV_ERR_UNSUPPORTED, &(clv_yaml_node){.line = line, .column = column}, "", NULL,
                  "no robot needs that: is the file damaged?", "elements are nested more than %d deep", CLV_XML_DEPTH);
    return false;
}

static bool on_open(void *user, const char *name, const char *const *attribute, unsigned line, unsigned column)
{
    clv_xml *x = user;
    clv_xml_node n = {.line = line, .column = column, .file = x->file, .parent = x->open};
    if (++x->depth > CLV_XML_DEPTH)
        return too_deep(x, line, column);
    x->nrun = 0;
    if (!put(x, name, strlen(name), &n.name) || !put_attributes(x, &n, attribute) ||
        !clv_read_reserve(x->reader, &x->node, &x->node_capacity, x->nnode + 1, sizeof n))
        return false;
    const unsigned self = (unsigned)x->nnode++;
    clv_xml_node *parent = &x->node[x->open];
    x->node[self] = n;
    if (parent->last)
        x->node[parent->last].next = self;
    else
        parent->first = self;
    parent->last = self;
    x->open = self;
    return true;
}

static bool on_text(void *user, const char *text, size_t size)
{
    clv_xml *x = user;
    if (!clv_read_reserve(x->reader, &x->run, &x->run_capacity, x->nrun + size, 1))
        return false;
    memcpy(x->run + x->nrun, text, size);
    x->nrun += size;
    return true;
}

/* The text of an element without children, trimmed. */
static bool on_close(void *user)
{
    clv_xml *x = user;
    clv_xml_node *n = &x->node[x->open];
    size_t skip = 0;
    while (skip < x->nrun && strchr(SPACE, x->run[skip]))
        skip++;
    while (x->nrun > skip && strchr(SPACE, x->run[x->nrun - 1]))
        x->nrun--;
    const bool good = n->first || x->nrun == skip || put(x, x->run + skip, x->nrun - skip, &n->text);
    x->nrun = 0;
    x->open = n->parent;
    x->depth--;
    return good;
}

bool clv_xml_read(clv_xml *x, clv_reader *r, const char *text, size_t size, unsigned parent, unsigned file)
{
    clv_xml_fault fault;
    unsigned nothing;
    x->reader = r, x->open = parent, x->file = file, x->nrun = 0, x->depth = 0;
    if (x->nnode == 0) {
        if (!put(x, "", 0, &nothing) || !clv_read_reserve(r, &x->node, &x->node_capacity, 1, sizeof *x->node))
            return false;
        x->node[x->nnode++] = (clv_xml_node){0};
    }
    const clv_xml_events events = {x, on_open, on_text, on_close};
    if (clv_xml_parse(&events, text, size, &fault))
        return true;
    if (fault.code == CLV_ERR_MEMORY)
        clv_read_out_of_memory(r);
    else if (fault.code != CLV_OK)
        clv_read_fail(r, fault.code, &(clv_yaml_node){.line = fault.line, .column = fault.column}, "", NULL, fault.hint,
                      "%s%s", fault.code == CLV_ERR_SYNTAX ? "not well formed: " : "", fault.message);
    return false;
}

void clv_xml_free(clv_xml *x)
{
    clv_free(x->node);
    clv_free(x->attribute);
    clv_free(x->pool);
    clv_free(x->run);
}

bool clv_xml_text(const char *text, size_t size)
{
    size_t i = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (i < size && text[i] && strchr(SPACE, text[i]))
        i++;
    return i < size && text[i] == '<';
}

/* ---------------------------------------------------------------- looking */

bool clv_xml_is(const clv_xml *x, unsigned n, const char *name)
{
    return strcmp(clv_xml_name(x, n), name) == 0;
}

/* The first of `n` and the siblings after it with that name. */
static unsigned find(clv_xml *x, unsigned n, const char *name)
{
    while (n && name && !clv_xml_is(x, n, name))
        n = x->node[n].next;
    if (n && name)
        x->node[n].seen = true;
    return n;
}

unsigned clv_xml_child(clv_xml *x, unsigned n, const char *name)
{
    return find(x, x->node[n].first, name);
}
unsigned clv_xml_next(clv_xml *x, unsigned n, const char *name)
{
    return find(x, x->node[n].next, name);
}

const char *clv_xml_get(clv_xml *x, unsigned n, const char *name)
{
    const clv_xml_node *node = &x->node[n];
    for (unsigned i = node->attribute; i < node->attribute + node->nattribute; i++)
        if (strcmp(x->pool + x->attribute[i].name, name) == 0) {
            x->attribute[i].seen = true;
            return x->pool + x->attribute[i].value;
        }
    return NULL;
}

const char *clv_xml_content(const clv_xml *x, unsigned n)
{
    return x->pool + x->node[n].text;
}

void clv_xml_see(clv_xml *x, unsigned top)
{
    for (unsigned n = top, next; n; n = next) {
        clv_xml_node *node = &x->node[n];
        node->seen = true;
        for (unsigned i = node->attribute; i < node->attribute + node->nattribute; i++)
            x->attribute[i].seen = true;
        next = node->first;
        while (!next && n != top) { /* the next one after this subtree, inside `top` */
            next = x->node[n].next;
            if (!next)
                n = x->node[n].parent;
        }
    }
}
