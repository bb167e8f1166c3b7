/* SPDX-License-Identifier: Apache-2.0
 * Numbers of a model file given by their place: "d1.damping=3", "bodies.rod.com[0]=20 mm".  Called before the sections
 * are read: the value takes the place of the text in the tree.  So unit, range and everything else are checked as if
 * it stood in the file.
 *
 * A path is the names of mappings with dots between them, and [k] for item k of a list, from 0.  It begins at the top
 * of the file, or with the name of an entry of one of the sections below; of `start` where none of these has it.  Names
 * may hold dots: the longest one counts.  Entries of a `repeat` are named as in the file ("link{i}"); all copies
 * change. */
#include "base/error.h"
#include "io/expression.h"
#include "io/yaml_read.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 200 }; /* characters of a path */

static const char *const section[] = {"bodies",    "joints",  "forces", "motions",
                                      "couplings", "markers", "inputs", "events", "visuals", "shapes"};
static const char *const start_section[] = {"joints", "bodies", "modes"};
enum { SECTIONS = sizeof section / sizeof *section, START_SECTIONS = sizeof start_section / sizeof *start_section };

bool clv_given_is_path(const char *given)
{
    const size_t n = given ? strcspn(given, "=.[") : 0;
    return given && (given[n] == '.' || given[n] == '[');
}

/* Adds an error about what was given; always false. */
static bool fail(clv_reader *r, const char *hint, const char *format, ...) __attribute__((format(printf, 3, 4)));
static bool fail(clv_reader *r, const char *hint, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    clv_read_fail(r, CLV_ERR_USAGE, NULL, "", NULL, hint, "%s", text);
    return r->misused = true, false;
}

/* ---------------------------------------------------------------- walking */

/* Characters of the key that `rest` begins with, 0: another one. */
static size_t begins(const char *rest, const char *key)
{
    const size_t n = strlen(key);
    return strncmp(rest, key, n) == 0 && (rest[n] == '\0' || rest[n] == '.' || rest[n] == '[') ? n : 0;
}

static const clv_yaml_node *item(const clv_reader *r, const clv_yaml_node *list, long k)
{
    const clv_yaml_node *n = list->kind == CLV_YAML_LIST && k >= 0 ? clv_node(r, list->first) : NULL;
    for (; n && k > 0; --k)
        n = clv_node(r, n->next);
    return n;
}

/* The value under the longest key that `rest` begins with; *used: its length. */
static const clv_yaml_node *below(const clv_reader *r, const clv_yaml_node *map, const char *rest, size_t *used)
{
    const clv_yaml_node *best = NULL;
    *used = 0;
    for (const clv_yaml_node *key = map->kind == CLV_YAML_MAP ? clv_node(r, map->first) : NULL; key;
         key = clv_node(r, clv_node(r, key->next)->next)) {
        const size_t n = begins(rest, clv_node_text(r, key));
        if (n > *used)
            best = clv_node(r, key->next), *used = n;
    }
    return best;
}

/* One step of the way; *used: characters of it, without the dot behind; NULL: it leads no further. */
static const clv_yaml_node *step(const clv_reader *r, const clv_yaml_node *at, const char *rest, size_t *used)
{
    if (*rest != '[')
        return below(r, at, rest, used);
    char *end;
    const long k = rest[1] >= '0' && rest[1] <= '9' ? strtol(rest + 1, &end, 10) : -1;
    if (k < 0 || *end != ']')
        return NULL;
    *used = (size_t)(end + 1 - rest);
    return item(r, at, k);
}

/* Follows a path from `at`, as far as it leads; *left: what is left of it. */
static const clv_yaml_node *walk(const clv_reader *r, const clv_yaml_node *at, const char *path, const char **left)
{
    for (*left = path; at && **left;) {
        size_t used;
        const clv_yaml_node *next = step(r, at, *left, &used);
        if (!next)
            return at;
        at = next;
        *left += used;
        *left += **left == '.';
    }
    return at;
}

/* ---------------------------------------------------------------- finding */

/* What a path leads to. */
typedef struct target {
    const clv_yaml_node *node; /* the furthest node on the way   */
    const char *left;          /* of the path; "": it was found  */
    int ways;                  /* sections in which it was found */
} target;

/* from an entry of the section of that name in `map` */
static void find_below(const clv_reader *r, const clv_yaml_node *map, const char *name, const char *path, target *t)
{
    size_t used;
    const char *left = path;
    const clv_yaml_node *entries = map ? below(r, map, name, &used) : NULL;
    const clv_yaml_node *n = entries ? walk(r, entries, path, &left) : NULL;
    if (!n || left == path)
        return;
    t->ways += !*left;
    if (strlen(left) < strlen(t->left) || !t->node)
        t->node = n, t->left = left;
}

static target find(const clv_reader *r, const char *path)
{
    const clv_yaml_node *top = clv_node(r, 1);
    target t = {.left = path};
    const clv_yaml_node *n = top->kind == CLV_YAML_MAP ? walk(r, top, path, &t.left) : NULL;
    t.node = t.left != path ? n : NULL;
    t.ways = n && !*t.left;
    for (int k = 0; k < SECTIONS; ++k)
        find_below(r, top, section[k], path, &t);
    size_t used;
    const clv_yaml_node *start = t.ways == 0 ? below(r, top, "start", &used) : NULL;
    for (int k = 0; k < START_SECTIONS; ++k)
        find_below(r, start, start_section[k], path, &t);
    return t;
}

/* Nearest name of an entry of the sections. */
static const char *nearest(const clv_reader *r, const char *path)
{
    char wanted[MOST + 1];
    const char *best = NULL;
    snprintf(wanted, sizeof wanted, "%.*s", (int)strcspn(path, ".["), path);
    int distance = clv_near_enough(wanted) + 1;
    for (int k = 0; k < SECTIONS; ++k) {
        size_t used;
        const clv_yaml_node *map = below(r, clv_node(r, 1), section[k], &used);
        for (const clv_yaml_node *key = map && map->kind == CLV_YAML_MAP ? clv_node(r, map->first) : NULL; key;
             key = clv_node(r, clv_node(r, key->next)->next))
            clv_nearest(&best, &distance, wanted, clv_node_text(r, key));
    }
    return best;
}

/* "known there: kind, joint, damping" */
static void list_keys(const clv_reader *r, const clv_yaml_node *map, char *hint, size_t size)
{
    size_t n = (size_t)snprintf(hint, size, "the file gives there:");
    for (const clv_yaml_node *key = clv_node(r, map->first); key && n + 60 < size;
         key = clv_node(r, clv_node(r, key->next)->next))
        n += (size_t)snprintf(hint + n, size - n, "%s %.40s", key == clv_node(r, map->first) ? "" : ",",
                              clv_node_text(r, key));
}

static bool fail_path(clv_reader *r, const char *path, const target *t)
{
    char hint[250];
    const char *near = t->node ? NULL : nearest(r, path);
    if (near)
        snprintf(hint, sizeof hint, "did you mean '%.80s'?", near);
    else if (t->node && t->node->kind == CLV_YAML_MAP)
        list_keys(r, t->node, hint, sizeof hint);
    else if (t->node && t->node->kind == CLV_YAML_LIST)
        snprintf(hint, sizeof hint, "the list there has %u items, [0] to [%u]", t->node->count,
                 t->node->count ? t->node->count - 1 : 0);
    else
        snprintf(hint, sizeof hint, "a path is as rod.mass, rod.com[0] or forces.d1.damping, with names of the file");
    return fail(r, hint, "the model file has no number at '%.*s'", MOST, path);
}

/* The number that a path names; NULL after an error. */
static clv_yaml_node *number_at(clv_reader *r, const char *path)
{
    const target t = find(r, path);
    if (!t.node || *t.left) {
        fail_path(r, path, &t);
        return NULL;
    }
    if (t.ways > 1) {
        fail(r, "begin with the section, as joints.NAME or bodies.NAME", "'%.*s' is found in several sections", MOST,
             path);
        return NULL;
    }
    if (t.node->kind != CLV_YAML_SCALAR) {
        const bool list = t.node->kind == CLV_YAML_LIST;
        fail(r, list ? "name one of its numbers, the first one by [0]" : "name one of its numbers",
             "'%.*s' is a %s, not a number", MOST, path, list ? "list" : "mapping");
        return NULL;
    }
    return &r->tree.node[t.node - r->tree.node];
}

/* ---------------------------------------------------------------- values */

static bool no_names(void *user, const char *name, int depth, clv_quantity *q, clv_expression_fault *f)
{
    (void)user, (void)depth, (void)q;
    return clv_expression_fail(f, f->at, "", "unknown name '%.60s'", name);
}

static bool replace(clv_reader *r, clv_yaml_node *n, const char *text)
{
    clv_yaml_tree *t = &r->tree;
    const size_t size = strlen(text) + 1;
    if (!clv_read_reserve(r, &t->pool, &t->pool_capacity, t->used + size, 1))
        return false;
    memcpy(t->pool + t->used, text, size);
    n->text = (unsigned)t->used;
    n->plain = true;
    t->used += size;
    return true;
}

/* before: size of the pool without what was given */
static bool take(clv_reader *r, const char *given, size_t before)
{
    char path[MOST + 1];
    const char *equals = strchr(given, '='), *value = equals ? equals + 1 : "";
    const clv_scope scope = {no_names, NULL};
    clv_expression_fault fault;
    clv_quantity q;
    if (!equals || equals - given > MOST || strlen(value) > CLV_EXPRESSION_MOST)
        return fail(r, "as rod.mass=3 or d1.damping='2 N m s/rad'", "'%.80s' is not of the form path=value", given);
    snprintf(path, sizeof path, "%.*s", (int)(equals - given), given);
    clv_yaml_node *n = number_at(r, path);
    if (!n)
        return false;
    if (!clv_expression_read(value, &scope, 0, &q, &fault) || !isfinite(q.x))
        return fail(r, "", "%s: expected a number, found '%.80s'", path, value);
    if (n->text >= before)
        return fail(r, "", "%s is given twice", path);
    return replace(r, n, value);
}

bool clv_read_paths(clv_reader *r)
{
    const size_t before = r->tree.used;
    bool good = true;
    for (int i = 0; i < r->ngiven && !r->memory; ++i)
        if (clv_given_is_path(r->given[i]))
            good = take(r, r->given[i], before) && good;
    return good && !r->memory;
}
