/* SPDX-License-Identifier: Apache-2.0
 * libyaml events to nodes.  A stack of open lists and mappings, at most 64: libyaml's own cost grows with the square of
 * the depth, so deeper text is given up at once.  Places are libyaml's marks, counted from 1. */
#include "base/text.h"
#include "io/yaml_read_tree.h"
#include "base/memory.h"
#include "io/yaml_read.h"
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#define DEPTH 64

typedef struct level {
    unsigned node, last; /* open node, its last child               */
    unsigned name;       /* map: its last key                        */
    bool key;            /* the next child of a map is a key         */
} level;

typedef struct builder {
    clv_reader *reader;
    level open[DEPTH];
    int depth;
    bool stop;
} builder;

void clv_yaml_tree_free(clv_yaml_tree *t)
{
    clv_free(t->node);
    clv_free(t->pool);
    *t = (clv_yaml_tree){0};
}

/* Path of what is being read: the last keys of the open maps; of the innermost one only if its value is read. */
static void open_path(const builder *b, bool whole, char *path, size_t size)
{
    const clv_yaml_tree *t = &b->reader->tree;
    size_t n = 0;
    path[0] = '\0';
    for (int i = 0; i < b->depth && n < size; ++i) {
        const level *l = &b->open[i];
        if (l->name && (whole || i + 1 < b->depth || !l->key))
            n += (size_t)snprintf(path + n, size - n, "%s%s", n ? "." : "", t->pool + t->node[l->name].text);
    }
}

static void fail_at(builder *b, clv_status code, yaml_mark_t mark, const char *hint, const char *message)
{
    char path[128];
    clv_yaml_node at = {.line = (unsigned)mark.line + 1, .column = (unsigned)mark.column + 1};
    open_path(b, false, path, sizeof path);
    clv_read_fail(b->reader, code, &at, path, NULL, hint, "%s", message);
}

/* New node as the next child of the innermost open one; 0 when out of memory. */
static unsigned add_node(builder *b, clv_yaml_kind kind, yaml_mark_t mark)
{
    clv_yaml_tree *t = &b->reader->tree;
    size_t capacity = t->node_capacity;
    if (!clv_read_reserve(b->reader, &t->node, &capacity, (size_t)t->nnode + 2, sizeof *t->node)) {
        b->stop = true;
        return 0;
    }
    t->node_capacity = (unsigned)capacity;
    if (t->nnode == 0) { /* nobody; the pool begins with the empty text of nodes that have none */
        if (!clv_read_reserve(b->reader, &t->pool, &t->pool_capacity, 1, 1)) {
            b->stop = true;
            return 0;
        }
        t->pool[t->used++] = '\0';
        t->node[t->nnode++] = (clv_yaml_node){0};
    }
    unsigned index = t->nnode++;
    t->node[index] = (clv_yaml_node){
        .kind = (unsigned char)kind, .line = (unsigned)mark.line + 1, .column = (unsigned)mark.column + 1};
    if (b->depth > 0) {
        level *l = &b->open[b->depth - 1];
        clv_yaml_node *parent = &t->node[l->node];
        if (l->last)
            t->node[l->last].next = index;
        else
            parent->first = index;
        l->last = index;
        if (parent->kind != CLV_YAML_MAP || l->key)
            parent->count++;
        if (parent->kind == CLV_YAML_MAP) {
            if (l->key && kind != CLV_YAML_SCALAR)
                fail_at(b, CLV_ERR_MODEL, mark, "write a name before the colon",
                        "a key must be a word, not a list or a mapping");
            l->name = !l->key ? l->name : kind == CLV_YAML_SCALAR ? index : 0;
            l->key = !l->key;
        }
    }
    return index;
}

static void add_scalar(builder *b, const yaml_event_t *event)
{
    clv_yaml_tree *t = &b->reader->tree;
    size_t length = event->data.scalar.length;
    const char *text = (const char *)event->data.scalar.value;
    unsigned index = add_node(b, CLV_YAML_SCALAR, event->start_mark);
    if (!index || !clv_read_reserve(b->reader, &t->pool, &t->pool_capacity, t->used + length + 1, 1)) {
        b->stop = true;
        return;
    }
    clv_yaml_node *n = &t->node[index];
    n->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    n->text = (unsigned)t->used;
    memcpy(t->pool + t->used, text, length);
    t->pool[t->used + length] = '\0';
    t->used += length + 1;
    if (event->end_mark.line != event->start_mark.line && length > 0) {
        fail_at(b, CLV_ERR_MODEL, event->start_mark, "write it on one line; a comma or a colon may be missing",
                "a text must be on one line");
        n->refused = true;
    }
    if (!n->refused && (strlen(t->pool + n->text) < length || !clv_text_plain(t->pool + n->text))) {
        fail_at(b, CLV_ERR_MODEL, event->start_mark, "write it on one line of ordinary characters",
                "a text must not contain control characters");
        n->refused = true;
    }
}

static void push(builder *b, clv_yaml_kind kind, yaml_mark_t mark)
{
    if (b->depth == DEPTH) {
        fail_at(b, CLV_ERR_SYNTAX, mark, "a model needs no more than six levels", "nested more than 64 levels deep");
        b->stop = true;
        return;
    }
    unsigned index = add_node(b, kind, mark);
    if (index)
        b->open[b->depth++] = (level){index, 0, 0, kind == CLV_YAML_MAP};
}

#define FEW 12 /* keys: up to here each is compared with all before it */

/* Is the key one of those before it in its map?  Then *line is where.  False too when out of memory. */
static bool seen_before(builder *b, clv_map *seen, unsigned map, unsigned key, size_t *line)
{
    const clv_yaml_tree *t = &b->reader->tree;
    const char *text = t->pool + t->node[key].text;
    if (t->node[map].count <= FEW) {
        for (unsigned k = t->node[map].first; k != key; k = t->node[t->node[k].next].next)
            if (strcmp(t->pool + t->node[k].text, text) == 0) {
                *line = t->node[k].line;
                return true;
            }
        return false;
    }
    if (clv_map_find(seen, text, line))
        return true;
    if (!clv_map_add(seen, text, t->node[key].line)) {
        clv_read_out_of_memory(b->reader);
        b->stop = true;
    }
    return false;
}

/* Reports and unlinks repeated keys and merge keys of a finished map. */
static void check_keys(builder *b, unsigned map)
{
    clv_reader *r = b->reader;
    clv_yaml_tree *t = &r->tree;
    clv_map seen = {0};
    unsigned before = 0;
    char path[128];
    for (unsigned key = t->node[map].first; key && !b->stop;) {
        unsigned value = t->node[key].next, next = value ? t->node[value].next : 0;
        const char *text = t->pool + t->node[key].text;
        size_t line;
        bool drop = t->node[key].kind != CLV_YAML_SCALAR || t->node[key].refused;
        if (!drop && t->node[key].plain && strcmp(text, "<<") == 0) {
            open_path(b, true, path, sizeof path);
            clv_read_fail(r, CLV_ERR_MODEL, &t->node[key], path, "<<", "write the keys out",
                          "merge keys are not part of this format");
            drop = true;
        } else if (!drop && seen_before(b, &seen, map, key, &line)) {
            open_path(b, true, path, sizeof path);
            clv_read_fail(r, CLV_ERR_MODEL, &t->node[key], path, text, "remove one of the two, or rename it",
                          "'%s' is given twice; the first is in line %zu", text, line);
            drop = true;
        }
        if (!drop)
            before = value;
        else {
            t->node[map].count--;
            if (before)
                t->node[before].next = next;
            else
                t->node[map].first = next;
        }
        key = next;
    }
    clv_map_free(&seen);
}

static void pop(builder *b)
{
    unsigned index = b->open[--b->depth].node;
    if (b->reader->tree.node[index].kind == CLV_YAML_MAP)
        check_keys(b, index);
}

static void refuse_extras(builder *b, const yaml_event_t *e, const yaml_char_t *anchor, const yaml_char_t *tag)
{
    if (anchor)
        fail_at(b, CLV_ERR_MODEL, e->start_mark, "write the value out where it is needed, or use repeat",
                "anchors are not part of this format");
    if (tag)
        fail_at(b, CLV_ERR_MODEL, e->start_mark, "remove the tag: types follow from the keys",
                "tags are not part of this format");
}

/* Takes one event; returns false at the end of the stream. */
static bool take(builder *b, const yaml_event_t *e, int *documents)
{
    switch (e->type) {
    case YAML_STREAM_START_EVENT:
        if (e->data.stream_start.encoding != YAML_UTF8_ENCODING) { /* its lines could not be shown */
            clv_read_fail(b->reader, CLV_ERR_SYNTAX, NULL, "", NULL, "save the file as UTF-8 text",
                          "the file is UTF-16 text");
            b->stop = true;
        }
        break;
    case YAML_STREAM_END_EVENT:
        return false;
    case YAML_DOCUMENT_START_EVENT:
        if (++*documents > 1) {
            fail_at(b, CLV_ERR_MODEL, e->start_mark, "put each model in a file of its own",
                    "a second document in the file");
            b->stop = true;
        }
        break;
    case YAML_ALIAS_EVENT: {
        fail_at(b, CLV_ERR_MODEL, e->start_mark, "write the value out where it is needed, or use repeat",
                "aliases are not part of this format");
        unsigned n = add_node(b, CLV_YAML_SCALAR, e->start_mark);
        if (n)
            b->reader->tree.node[n].refused = true;
        break;
    }
    case YAML_SCALAR_EVENT:
        refuse_extras(b, e, e->data.scalar.anchor, e->data.scalar.tag);
        add_scalar(b, e);
        break;
    case YAML_SEQUENCE_START_EVENT:
        refuse_extras(b, e, e->data.sequence_start.anchor, e->data.sequence_start.tag);
        push(b, CLV_YAML_LIST, e->start_mark);
        break;
    case YAML_MAPPING_START_EVENT:
        refuse_extras(b, e, e->data.mapping_start.anchor, e->data.mapping_start.tag);
        push(b, CLV_YAML_MAP, e->start_mark);
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        pop(b);
        break;
    default:
        break;
    }
    return true;
}

/* The byte of the text at a mark; `size` if it is beyond. */
static size_t byte_at(yaml_mark_t mark, const char *text, size_t size)
{
    size_t at = 0;
    for (; mark.line > 0 && at < size; ++at)
        mark.line -= text[at] == '\n';
    for (; mark.column > 0 && at < size; --mark.column)
        do
            ++at;
        while (at < size && ((unsigned char)text[at] & 0xC0) == 0x80);
    return at;
}

/* libyaml takes no longer text for a key, and is surprised by the colon after it, where its mark is then. */
static bool key_too_long(yaml_mark_t mark, const char *text, size_t size)
{
    enum { LONGEST = 1024 };
    size_t at = byte_at(mark, text, size), n = 0, length = 0; /* characters; without what indents them */
    if (at >= size || text[at] != ':')
        return false;
    while (at > 0 && text[at - 1] == ' ')
        --at;
    const char quote = at > 0 && (text[at - 1] == '"' || text[at - 1] == '\'') ? text[--at] : 0;
    for (; at > 0 && text[at - 1] != '\n'; --at) {
        const char c = text[at - 1];
        if (quote ? c == quote : c == '{' || c == '[' || c == ',')
            break;
        if (!quote && c == ':' && text[at] == ' ') /* not a key, but a value */
            return false;
        n += ((unsigned char)c & 0xC0) != 0x80;
        length = c == ' ' ? length : n;
    }
    return length + (quote ? 2 : 0) > LONGEST;
}

/* What libyaml found wrong, with a hint for the usual slips. */
static void fail_syntax(builder *b, const yaml_parser_t *p, const char *text, size_t size)
{
    yaml_mark_t mark = p->problem_mark;
    const char *problem = p->problem ? p->problem : "unreadable";
    const char *hint = "check indentation, brackets and quotes near here";
    char message[256];
    if (p->error == YAML_MEMORY_ERROR) {
        clv_read_out_of_memory(b->reader);
        return;
    }
    if (p->error == YAML_READER_ERROR) { /* has an offset, no mark */
        mark = (yaml_mark_t){0};
        for (size_t k = 0; k < p->problem_offset && k < size; ++k) {
            mark.column = text[k] == '\n' ? 0 : mark.column + (((unsigned char)text[k] & 0xC0) != 0x80);
            mark.line += text[k] == '\n';
        }
        hint = "save the file as UTF-8 text";
    } else if (key_too_long(mark, text, size))
        hint = "a key has at most 1024 characters, and a name at most 200";
    else if (strstr(problem, "cannot start any token"))
        hint = "indent with spaces, not tabs; put texts with special characters in quotes";
    else if (strstr(problem, "expected ',' or"))
        hint = "a comma or a closing bracket is missing; names with {i} need quotes inside [ ] and { }";
    else if (strstr(problem, "mapping values are not allowed"))
        hint = "a colon, or the space after it, is missing before this; or put each key on its own line";
    else if (strstr(problem, "did not find expected key"))
        hint = "keys of one mapping begin in the same column; look for a bracket or quote too many";
    if (p->context && *p->context && p->context_mark.line != mark.line)
        snprintf(message, sizeof message, "not well formed: %s %s that begins in line %zu", problem, p->context,
                 p->context_mark.line + 1);
    else if (p->context && *p->context)
        snprintf(message, sizeof message, "not well formed: %s %s", problem, p->context);
    else
        snprintf(message, sizeof message, "not well formed: %s", problem);
    clv_yaml_node at = {.line = (unsigned)mark.line + 1, .column = (unsigned)mark.column + 1};
    clv_read_fail(b->reader, CLV_ERR_SYNTAX, &at, "", NULL, hint, "%s", message);
}

/* Models of other programs are XML, which YAML would read as one long text. */
static bool is_xml(clv_reader *r, const char *text, size_t size)
{
    size_t i = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (i < size && strchr(" \t\r\n", text[i]) && text[i] != '\0')
        i++;
    if (i == size || text[i] != '<')
        return false;
    clv_read_fail(r, CLV_ERR_SYNTAX, &(clv_yaml_node){.line = 1, .column = 1}, "", NULL,
                  "write the model as in docs/model-file.md; `cleave new` writes an example",
                  "this is XML (a URDF, SDF or MJCF model?), not a model file of cleave");
    return true;
}

bool clv_yaml_tree_read(clv_reader *r, const char *text, size_t size)
{
    yaml_parser_t parser;
    yaml_event_t event;
    builder b = {.reader = r};
    int documents = 0;
    bool more = true, formed = true;
    if (is_xml(r, text, size))
        return false;
    if (!yaml_parser_initialize(&parser)) {
        clv_read_out_of_memory(r);
        return false;
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    while (more && !b.stop) {
        if (!yaml_parser_parse(&parser, &event)) {
            fail_syntax(&b, &parser, text, size);
            formed = false;
            break;
        }
        more = take(&b, &event, &documents);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    if (!formed || b.depth > 0 || r->memory)
        return false;
    if (r->tree.nnode < 2) {
        if (r->nerror == 0)
            clv_read_fail(r, CLV_ERR_MODEL, &(clv_yaml_node){.line = 1, .column = 1}, "", NULL,
                              "begin with `cleave: 1`; `cleave new` writes an example", "the file holds no model");
        return false;
    }
    return true;
}

const char *clv_part_yaml(void) { return yaml_get_version_string(); }
