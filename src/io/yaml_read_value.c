/* SPDX-License-Identifier: Apache-2.0
 * One mapping against its section of the schema: each key known, of the right type and in range; required keys present.
 * Types come from the schema; nothing is guessed from spelling. */
#include "io/yaml_read.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const clv_yaml_node *clv_node(const clv_reader *r, unsigned index)
{
    return index ? &r->tree.node[index] : NULL;
}
const char *clv_node_text(const clv_reader *r, const clv_yaml_node *n)
{
    return r->tree.pool + n->text;
}

clv_place clv_place_of(const clv_yaml_node *n)
{
    return n ? (clv_place){(int)n->line, (int)n->column} : (clv_place){0, 0};
}

const char *clv_value_text(const clv_entry *e, const clv_value *v)
{
    return v->node ? clv_node_text(e->reader, v->node) : NULL;
}

void clv_entry_fail(clv_entry *e, const clv_value *v, const char *key, const char *hint, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    clv_read_fail(e->reader, CLV_ERR_MODEL,
                  v && v->node ? v->node
                  : e->name    ? e->name
                               : e->node,
                  e->path, key, hint, "%s", text);
    e->good = false;
}

/* ---------------------------------------------------------------- numbers in a row */

static void read_bound(clv_entry *e, const clv_yaml_node *n, const clv_schema_row *row, const clv_value *v)
{
    bool zero = true;
    for (int k = 0; k < v->count; ++k) {
        zero = zero && v->x[k] == 0;
        if ((row->bound == CLV_POSITIVE && !(v->x[k] > 0)) || (row->bound == CLV_NOT_NEGATIVE && !(v->x[k] >= 0))) {
            clv_key_fail(e, n, row, "must %s, is %g",
                         row->bound == CLV_POSITIVE ? "be greater than 0" : "not be negative", v->x[k]);
            return;
        }
    }
    for (int k = 0; k < v->count && row->bound == CLV_FRACTION; ++k)
        if (!(v->x[k] >= 0 && v->x[k] <= 1)) {
            clv_key_fail(e, n, row, "must be between 0 and 1, is %g", v->x[k]);
            return;
        }
    if (row->bound == CLV_NOT_ZERO && zero)
        clv_key_fail(e, n, row, "must not be zero");
}

static bool append_number(clv_entry *e, const clv_yaml_node *n, const clv_schema_row *row, clv_value *v)
{
    int alternative;
    if (!clv_read_number(e, n, row, &v->x[v->count], &alternative))
        return false;
    v->unit[v->count] = (signed char)alternative;
    v->count++;
    return true;
}

bool clv_comma_fail(clv_entry *e, const clv_yaml_node *list, const clv_schema_row *row)
{
    const clv_yaml_node *c = list->kind == CLV_YAML_LIST ? clv_node(e->reader, list->first) : NULL;
    for (int open = 0; c; c = clv_node(e->reader, c->next), open = 0) {
        for (const char *x = c->kind == CLV_YAML_SCALAR ? clv_node_text(e->reader, c) : ""; *x; ++x)
            open += (*x == '(') - (*x == ')');
        if (open > 0) {
            clv_key_fail(e, c, row, "'%.80s' ends at a comma: inside [ ] and { } a formula with commas needs quotes",
                         clv_node_shown(e->reader, c));
            return true;
        }
    }
    return false;
}

static void read_list(clv_entry *e, const clv_yaml_node *n, const clv_schema_row *row, clv_value *v)
{
    int least = row->least, most = row->most;
    bool inertia = row->type == CLV_AS_INERTIA;
    if (n->kind != CLV_YAML_LIST) {
        clv_key_fail(e, n, row, "expected a list of numbers%s, found %s%.80s%s", inertia ? ", or `from shape`" : "",
                     n->kind == CLV_YAML_SCALAR ? "'" : "", clv_node_shown(e->reader, n),
                     n->kind == CLV_YAML_SCALAR ? "'" : "");
        return;
    }
    const clv_yaml_node *head = clv_node(e->reader, n->first);
    if (head && head->kind == CLV_YAML_LIST && n->count == 3 && most > 3) { /* a matrix by rows */
        clv_key_fail(e, n, row, "expected numbers, found 3 lists: write %s",
                     inertia ? "xx, yy, zz, xy, xz, yz" : "the rows one after another");
        return;
    }
    if ((int)n->count < least || (int)n->count > most || (inertia && n->count != 3 && n->count != 6)) {
        const clv_yaml_node *odd = head;
        while (odd && (odd->kind != CLV_YAML_SCALAR || !strchr(clv_node_text(e->reader, odd), ' ') ||
                       !clv_number_oddity(clv_node_text(e->reader, odd))))
            odd = clv_node(e->reader, odd->next);
        if (clv_comma_fail(e, n, row))
            return;
        if (odd) {
            double x;
            int alternative;
            clv_read_number(e, odd, row, &x, &alternative);
        } else if (inertia)
            clv_key_fail(e, n, row, "expected 3 numbers (xx yy zz) or 6 (xx yy zz xy xz yz), found %u", n->count);
        else if (least == most)
            clv_key_fail(e, n, row, "expected %d numbers, found %u", least, n->count);
        else
            clv_key_fail(e, n, row, "expected %d to %d numbers, found %u", least, most, n->count);
        return;
    }
    for (const clv_yaml_node *c = clv_node(e->reader, n->first); c; c = clv_node(e->reader, c->next))
        if (!append_number(e, c, row, v))
            return;
    read_bound(e, n, row, v);
}

/* ---------------------------------------------------------------- other types */

static void read_points(clv_entry *e, const clv_yaml_node *n, const clv_schema_row *row, clv_value *v)
{
    bool good = n->kind == CLV_YAML_LIST && n->count == 2;
    for (const clv_yaml_node *c = good ? clv_node(e->reader, n->first) : NULL; c && good;
         c = clv_node(e->reader, c->next))
        good = c->kind == CLV_YAML_LIST && c->count == 3;
    if (!good) {
        clv_key_fail(e, n, row, "expected two points of three numbers each");
        return;
    }
    for (const clv_yaml_node *c = clv_node(e->reader, n->first); c; c = clv_node(e->reader, c->next))
        for (const clv_yaml_node *x = clv_node(e->reader, c->first); x; x = clv_node(e->reader, x->next))
            if (!append_number(e, x, row, v))
                return;
}

static bool read_text(clv_entry *e, const clv_yaml_node *n, const clv_schema_row *row)
{
    if (n->refused) {
        e->good = false;
        return false;
    }
    if (n->kind != CLV_YAML_SCALAR || *clv_node_text(e->reader, n) == '\0') {
        clv_key_fail(e, n, row, "expected a name, found %s",
                     n->kind == CLV_YAML_SCALAR ? "nothing" : clv_node_shown(e->reader, n));
        return false;
    }
    return true;
}

static void read_names(clv_entry *e, const clv_yaml_node *n, const clv_schema_row *row)
{
    if (n->kind != CLV_YAML_LIST || (int)n->count < row->least || (int)n->count > row->most) {
        if (row->most == 2)
            clv_key_fail(e, n, row, "expected a list of two names");
        else
            clv_key_fail(e, n, row, "expected a list of %d to %d names", row->least, row->most);
        return;
    }
    for (const clv_yaml_node *c = clv_node(e->reader, n->first); c; c = clv_node(e->reader, c->next))
        read_text(e, c, row);
}

static void read_pairs(clv_entry *e, const clv_yaml_node *n, const clv_schema_row *row)
{
    clv_schema_row pair = *row;
    pair.least = pair.most = 2;
    if (n->kind != CLV_YAML_LIST || n->count == 0) {
        clv_key_fail(e, n, row, "expected a list of pairs of names");
        return;
    }
    for (const clv_yaml_node *c = clv_node(e->reader, n->first); c; c = clv_node(e->reader, c->next))
        read_names(e, c, &pair);
}

/* A formula of parameters: 1 for true, 0 for false, and -1 for "free choice" where that is the key's default. */
static void read_bool_formula(clv_entry *e, const clv_yaml_node *n, const clv_schema_row *row, clv_value *v)
{
    const bool free = strcmp(row->value, "free choice") == 0;
    const char *t = clv_node_shown(e->reader, n);
    clv_expression_fault fault = {0};
    clv_quantity q;
    if (n->kind != CLV_YAML_SCALAR || clv_decimal(t, true) > 0 || !e->reader->nparameter)
        clv_key_fail(e, n, row, "expected true or false, found '%.80s'", t);
    else if (!clv_read_formula(e, t, 0, &q, &fault))
        clv_key_fail(e, n, row, "expected true or false, found '%.80s': %s", t, fault.text);
    else if (q.x != 0 && q.x != 1 && !(free && q.x == -1))
        clv_key_fail(e, n, row, "expected 1 (true)%s 0 (false)%s; '%.80s' is %.9g", free ? "," : " or",
                     free ? " or -1 (free choice)" : "", t, q.x);
    else
        v->x[0] = q.x, v->count = 1;
}

static void read_bool(clv_entry *e, const clv_yaml_node *n, const clv_schema_row *row, clv_value *v)
{
    const char *t = clv_node_shown(e->reader, n);
    if (n->kind != CLV_YAML_SCALAR || (strcmp(t, "true") != 0 && strcmp(t, "false") != 0)) {
        read_bool_formula(e, n, row, v);
        return;
    }
    v->x[0] = strcmp(t, "true") == 0;
    v->count = 1;
}

static void fail_no_mapping(clv_entry *e, const clv_yaml_node *n, const clv_schema_row *row)
{
    bool text = n->kind == CLV_YAML_SCALAR && *clv_node_text(e->reader, n);
    const char *quote = text ? "'" : "";
    clv_key_fail(e, n, row, "expected a mapping, found %s%.80s%s", quote,
                 n->kind == CLV_YAML_SCALAR && !text ? "nothing" : clv_node_shown(e->reader, n), quote);
}

static bool is_whole(clv_entry *e, const clv_yaml_node *n, const clv_schema_row *row, const clv_value *v,
                     const char *or_else)
{
    const double most = 1e9;
    if (v->x[0] == floor(v->x[0]) && fabs(v->x[0]) <= most)
        return true;
    const char *size = fabs(v->x[0]) > most ? " of at most 1e9" : "";
    clv_key_fail(e, n, row, "expected a whole number%s%s, found '%.80s'", size, or_else, clv_node_text(e->reader, n));
    return false;
}

static void read_value(clv_entry *e, const clv_yaml_node *n, const clv_schema_row *row, clv_value *v)
{
    v->node = n;
    if (n->refused) {
        e->good = false;
        return;
    }
    switch (row->type) {
    case CLV_AS_NUMBER:
    case CLV_AS_WHOLE:
        if (!append_number(e, n, row, v))
            return;
        if (row->type == CLV_AS_NUMBER || is_whole(e, n, row, v, ""))
            read_bound(e, n, row, v);
        break;
    case CLV_AS_EITHER:
        if (n->kind == CLV_YAML_SCALAR)
            append_number(e, n, row, v);
        else
            read_list(e, n, row, v);
        break;
    case CLV_AS_INERTIA:
        if (n->kind == CLV_YAML_SCALAR && strcmp(clv_node_text(e->reader, n), "from shape") == 0)
            break; /* no numbers: the section computes them */
        read_list(e, n, row, v);
        break;
    case CLV_AS_LIST:
        read_list(e, n, row, v);
        break;
    case CLV_AS_BOOL:
        read_bool(e, n, row, v);
        break;
    case CLV_AS_TEXT:
        if (read_text(e, n, row) && row == &clv_schema[CLV_KEY_JOINT_KIND])
            clv_check_joint_kind(e, v);
        break;
    case CLV_AS_NAMES:
        read_names(e, n, row);
        break;
    case CLV_AS_PAIRS:
        read_pairs(e, n, row);
        break;
    case CLV_AS_POINTS:
        read_points(e, n, row, v);
        break;
    case CLV_AS_NUMBER_OR_TABLE:
        if (n->kind == CLV_YAML_SCALAR)
            append_number(e, n, row, v);
        else if (n->kind == CLV_YAML_MAP)
            clv_key_fail(e, n, row, "expected a number or a table, found a mapping");
        break;
    case CLV_AS_FORMULA:
    case CLV_AS_NUMBERS:
    case CLV_AS_PATH:
    case CLV_AS_ROWS:
    case CLV_AS_SQUARE:
        break; /* by the section, which knows how many */
    case CLV_AS_WHOLE_OR_MAP:
        if (n->kind == CLV_YAML_MAP)
            break;
        if (n->kind == CLV_YAML_LIST) {
            clv_key_fail(e, n, row, "expected a whole number or a mapping, found a list");
            return;
        }
        if (!append_number(e, n, row, v))
            return;
        if (is_whole(e, n, row, v, " or a mapping"))
            read_bound(e, n, row, v);
        break;
    case CLV_AS_TABLE:
        if (n->kind != CLV_YAML_LIST)
            clv_key_fail(e, n, row, "expected a list of [time, value], found %s", clv_node_shown(e->reader, n));
        break;
    case CLV_AS_MAP:
        if (n->kind == CLV_YAML_MAP)
            break;
        if (n->kind == CLV_YAML_SCALAR && *clv_node_text(e->reader, n) == '\0' && !row->required &&
            e->section == CLV_IN_FILE)
            v->node = NULL; /* `forces:` with nothing below it: none */
        else
            fail_no_mapping(e, n, row);
        break;
    }
}

/* ---------------------------------------------------------------- a mapping */

static void unknown_key(clv_entry *e, const clv_yaml_node *key)
{
    const char *text = clv_node_text(e->reader, key), *near = clv_schema_nearest(e->section, text);
    const clv_yaml_node *value = clv_node(e->reader, key->next);
    char hint[256];
    size_t n = 0;
    if ((!near || strchr(text, ':') || strlen(text) < 4 || e->section == CLV_IN_EVENT) &&
        clv_hint_key(e->section, value, text, hint, sizeof hint))
        ; /* reported */
    else if (near) {
        snprintf(hint, sizeof hint, "did you mean '%s'?", near);
    } else {
        n = (size_t)snprintf(hint, sizeof hint, "%sknown here:",
                             e->section == CLV_IN_FILE && value->kind == CLV_YAML_MAP
                                 ? "indent it if it belongs to the section above; "
                                 : "");
        for (int k = 0; k < clv_schema_count(e->section); ++k) {
            const char *key_k = clv_schema[e->first + k].key;
            const bool room = n + strlen(key_k) + sizeof "  ..." < sizeof hint;
            n += (size_t)snprintf(hint + n, sizeof hint - n, " %s", room ? key_k : "...");
            if (!room)
                break;
        }
    }
    if (near)
        e->meant |= 1u << (clv_schema_find(e->section, near) - e->first);
    e->good = false;
    clv_read_fail(e->reader, CLV_ERR_MODEL, key, e->path, text, hint, "unknown key '%.80s'", text);
}

/* Must key k of the section be given?  mass and inertia unless the body brings them with its modes. */
static bool required(const clv_entry *e, int k)
{
    const int flexible = CLV_KEY_BODY_FLEXIBLE - e->first;
    if (e->first + k != CLV_KEY_BODY_MASS && e->first + k != CLV_KEY_BODY_INERTIA)
        return clv_schema[e->first + k].required;
    return !e->value[flexible].node && !(e->meant >> flexible & 1);
}

/* What an entry is before its values are read. */
static void begin(clv_entry *e, clv_reader *r, const clv_yaml_node *node, const clv_yaml_node *name,
                  clv_section section, const char *path)
{
    memset(e, 0, sizeof *e);
    e->reader = r;
    e->node = node;
    e->name = name;
    e->section = section;
    e->first = clv_schema_first(section);
    e->good = true;
    snprintf(e->path, sizeof e->path, "%s", path);
}

static void fail_no_entry(clv_entry *e)
{
    clv_reader *r = e->reader;
    const clv_yaml_node *node = e->node;
    char hint[200] = "give keys and values, as `{", *end = hint + strlen(hint);
    for (int k = 0, given = 0; k < clv_schema_count(e->section); ++k)
        if (required(e, k) || (k == 0 && !required(e, 0))) {
            size_t room = sizeof hint - (size_t)(end - hint) - 3;
            if (strlen(clv_schema[e->first + k].example) + 2 >= room)
                break;
            end += snprintf(end, room, "%s%s", given++ ? ", " : "", clv_schema[e->first + k].example);
        }
    memcpy(end, "}`", sizeof "}`");
    clv_read_fail(r, CLV_ERR_MODEL, node, e->path, NULL, hint, "expected a mapping, found %s%.80s%s",
                  node->kind == CLV_YAML_LIST ? "a list"
                  : *clv_node_text(r, node)   ? "'"
                                              : "nothing",
                  node->kind == CLV_YAML_LIST ? "" : clv_node_text(r, node),
                  node->kind == CLV_YAML_LIST || !*clv_node_text(r, node) ? "" : "'");
    e->good = false;
}

static void check_required(clv_entry *e)
{
    for (int k = 0, n = clv_schema_count(e->section); k < n; ++k) {
        const clv_schema_row *row = &clv_schema[e->first + k];
        if (required(e, k) && !e->value[k].node && !(e->meant >> k & 1)) {
            char hint[160];
            snprintf(hint, sizeof hint, "add `%s`%s%s", row->example, *row->unit ? ", in " : "", row->unit);
            clv_entry_fail(e, NULL, row->key, hint, "the key '%s' is missing", row->key);
        }
    }
}

/* The values of `repeat` and `from`, by which others may count (counters), or of the other keys. */
static void read_keys(clv_entry *e, bool repeats, bool counters)
{
    const clv_reader *r = e->reader;
    for (const clv_yaml_node *key = clv_node(r, e->node->first), *value; key; key = clv_node(r, value->next)) {
        const char *text = clv_node_text(r, key);
        value = clv_node(r, key->next);
        if ((repeats && (strcmp(text, "repeat") == 0 || strcmp(text, "from") == 0)) != counters)
            continue;
        const int row = clv_schema_find(e->section, text);
        if (row < 0)
            unknown_key(e, key);
        else
            read_value(e, value, &clv_schema[row], &e->value[row - e->first]);
    }
}

/* copy: value of i, or NULL: that of the first copy, or of the outer entry. */
static bool read_entry(clv_entry *e, const long *copy)
{
    const int repeat = clv_schema_find(e->section, "repeat");
    if (e->node->refused)
        return e->good = false;
    if (e->node->kind != CLV_YAML_MAP) {
        fail_no_entry(e);
        return false;
    }
    if (repeat >= 0) {
        const clv_value *count = &e->value[repeat - e->first], *from = count + 1;
        read_keys(e, true, true);
        e->repeated = count->node != NULL;
        e->copy = copy ? *copy : from->count ? (long)from->x[0] : 1;
    }
    read_keys(e, repeat >= 0, false);
    check_required(e);
    return e->good;
}

bool clv_entry_read(clv_entry *e, clv_reader *r, const clv_yaml_node *node, const clv_yaml_node *name,
                    clv_section section, const char *path)
{
    begin(e, r, node, name, section, path);
    return read_entry(e, NULL);
}

bool clv_entry_read_in(clv_entry *e, const clv_entry *outer, const clv_yaml_node *node, const clv_yaml_node *name,
                       clv_section section, const char *path)
{
    begin(e, outer->reader, node, name, section, path);
    e->copy = outer->copy;
    e->repeated = outer->repeated;
    return read_entry(e, NULL);
}

bool clv_entry_read_copy(clv_entry *e, clv_reader *r, const clv_yaml_node *node, const clv_yaml_node *name,
                         clv_section section, const char *path, long copy)
{
    begin(e, r, node, name, section, path);
    return read_entry(e, &copy);
}
