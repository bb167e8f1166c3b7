/* SPDX-License-Identifier: Apache-2.0
 * Named entries: `repeat` makes copies, {i} in names counts, references are looked up and dangling ones reported with
 * the nearest name. A reference to something that already failed is passed over: its error has been reported. */
#include "base/error.h"
#include "io/yaml_read.h"
#include "model/names.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME 256

static const char *const noun[CLV_NAMED] = {"body",     "joint",  "force", "motion",
                                            "coupling", "marker", "input", "event", "visual", "shape"};

/* Value of the counter at "{i}", "{i+1}", "{i-12}"; returns the length of the text in braces, 0 if it is something
 * else. */
static size_t counter(const char *t, long i, long *value)
{
    long shift = 0;
    const char *s = t + 2;
    if (strncmp(t, "{i", 2) != 0)
        return 0;
    if (*s == '+' || *s == '-') {
        char *end;
        shift = strtol(s, &end, 10);
        if (end == s || shift > 1000000000 || shift < -1000000000)
            return 0;
        s = end;
    }
    *value = i + shift;
    return *s == '}' ? (size_t)(s + 1 - t) : 0;
}

bool clv_name_expand(clv_entry *e, const clv_yaml_node *at, const char *key, const char *text, char *out, size_t size)
{
    size_t n = 0;
    const char *fault = NULL, *hint = "write {i}, {i+1} or {i-1}";
    for (const char *t = text; *t && !fault;) {
        long value;
        size_t braces = *t == '{' ? counter(t, e->copy, &value) : 0;
        if (braces && e->repeated) {
            n += (size_t)snprintf(out + n, size - n, "%ld", value);
            t += braces;
        } else if (braces) {
            fault = "contains {i}, but this entry has no `repeat`";
            hint = "add `repeat: 10`, or write the name without braces";
        } else if (*t == '{' || *t == '}')
            fault = "has braces that are not a counter";
        else {
            out[n++] = *t++;
        }
        if (n + 1 >= size) {
            fault = "is longer than 200 characters";
            hint = "choose a shorter name";
        }
    }
    out[n < size ? n : size - 1] = '\0';
    if (!fault)
        return true;
    clv_read_fail(e->reader, CLV_ERR_MODEL, at, e->path, key, hint, "the name '%.80s' %s", text, fault);
    return e->good = false;
}

/* ---------------------------------------------------------------- making items */

static void remember_lost(clv_reader *r, int category, const char *name)
{
    size_t seen;
    if (category <= CLV_A_MOTION && !clv_map_find(&r->lost[category], name, &seen) &&
        !clv_map_add(&r->lost[category], name, 0))
        clv_read_out_of_memory(r);
}

/* Rows named alike in every section of named entries. */
bool clv_entry_copies(clv_entry *e, long *count, long *from)
{
    *count = *from = 1;
    if (e->node->kind != CLV_YAML_MAP || e->node->refused)
        return e->good;
    const clv_value *repeat = &e->value[clv_schema_find(e->section, "repeat") - e->first];
    const clv_value *first = &e->value[clv_schema_find(e->section, "from") - e->first];
    e->repeated = repeat->node != NULL;
    *count = e->good && repeat->node ? (long)repeat->x[0] : 1; /* numbers of a good entry are whole, and below 1e9 */
    *from = e->good && first->node ? (long)first->x[0] : 1;
    if (first->node && !repeat->node)
        clv_entry_fail(e, first, "from", "add `repeat: 10`, or remove from", "'from' without 'repeat'");
    e->reader->items += *count;
    if (e->reader->items > CLV_MOST_ITEMS) {
        clv_entry_fail(e, repeat, "repeat", "repeat less", "the file would expand to more than %d entries",
                       CLV_MOST_ITEMS);
        e->reader->items -= *count;
        *count = 0;
    }
    return e->good;
}

/* In an entry that already failed: the names it refers to, so that all its errors are reported at once. */
static void check_references(clv_entry *e)
{
    int index;
    for (int k = 0; k < clv_schema_count(e->section); ++k) {
        const clv_schema_row *row = &clv_schema[e->first + k];
        const clv_yaml_node *n = e->value[k].node;
        if (!n || n->refused)
            continue;
        if (row->type == CLV_AS_NAMES && n->kind == CLV_YAML_LIST && e->section != CLV_IN_CONTACTS) {
            for (const clv_yaml_node *c = clv_node(e->reader, n->first); c; c = clv_node(e->reader, c->next))
                if (c->kind == CLV_YAML_SCALAR && *clv_node_text(e->reader, c))
                    clv_find_body(e, c, row->key, true, &index);
        } else if (n->kind == CLV_YAML_SCALAR && *clv_node_text(e->reader, n)) {
            if (strcmp(row->key, "body") == 0)
                clv_find_body(e, n, row->key, e->section == CLV_IN_SIDE, &index);
            else if ((strcmp(row->key, "joint") == 0 && e->section != CLV_IN_EVENT) || strcmp(row->key, "first") == 0 ||
                     strcmp(row->key, "second") == 0)
                clv_find_joint(e, n, row->key, &index);
            else if (strcmp(row->key, "motion") == 0)
                clv_find_motion(e, n, row->key, &index);
        } else if ((e->section == CLV_IN_COUPLING || e->section == CLV_IN_TENDON) && row->type == CLV_AS_MAP &&
                   n->kind == CLV_YAML_MAP) {
            for (const clv_yaml_node *c = clv_node(e->reader, n->first); c;
                 c = clv_node(e->reader, clv_node(e->reader, c->next)->next))
                clv_find_joint(e, c, row->key, &index);
        } else if (e->section == CLV_IN_JOINT && row->type == CLV_AS_MAP && n->kind == CLV_YAML_MAP) {
            clv_entry side;
            char path[160];
            clv_path_join(path, sizeof path, e->path, row->key);
            clv_entry_read_in(&side, e, n, NULL, CLV_IN_SIDE, path);
            check_references(&side);
        }
    }
}

/* The values of the copy e->copy, where formulas count. */
static bool read_copy(clv_entry *e)
{
    const clv_entry first = *e;
    return clv_entry_read_copy(e, first.reader, first.node, first.name, first.section, first.path, first.copy);
}

/* One entry and its copies. */
static void read_item(clv_reader *r, const clv_yaml_node *key, const char *section_name, clv_section section,
                      clv_make make, int category)
{
    clv_entry e;
    char path[128], name[NAME];
    const char *text = clv_node_text(r, key);
    long count = 1, from = 1;
    clv_path_join(path, sizeof path, section_name, text);
    bool known = category != CLV_A_FORCE || clv_force_section(r, key, path, &section);
    if (!known)
        return;
    clv_entry_read(&e, r, clv_node(r, key->next), key, section, path);
    clv_entry_copies(&e, &count, &from);
    if (*text == '\0')
        clv_entry_fail(&e, NULL, NULL, "write a name before the colon", "the name is empty");
    bool good = e.good;
    e.copy = from;
    if (!good && e.node->kind == CLV_YAML_MAP)
        check_references(&e);
    if (e.repeated && good && count > 1 && !strpbrk(text, "{}")) {
        clv_entry_fail(&e, NULL, NULL, "put {i} into the name, as `link{i}`",
                       "repeated, but the name '%.80s' does not contain {i}", text);
        good = false;
    }
    for (long k = 0; k < count && !r->memory; ++k) { /* after the first bad copy the others are passed over */
        e.copy = from + k;
        if (!clv_name_expand(&e, key, NULL, text, name, sizeof name))
            break;
        if (e.repeated)
            clv_path_join(e.path, sizeof e.path, section_name, name);
        good = good && (k == 0 || !e.counts || read_copy(&e)) && make(&e, name);
        if (!good)
            remember_lost(r, category, name);
    }
}

void clv_items_read(clv_reader *r, const clv_yaml_node *node, const char *section_name, clv_section section,
                    clv_make make, int category)
{
    if (!node || node->refused || node->kind != CLV_YAML_MAP)
        return;
    for (const clv_yaml_node *key = clv_node(r, node->first); key && !r->memory;
         key = clv_node(r, clv_node(r, key->next)->next))
        read_item(r, key, section_name, section, make, category);
}

/* Place of the item added last. */
static clv_place *place_in(clv_model *m, int category)
{
    switch (category) {
    case CLV_A_BODY:
        return &m->body[m->nbody - 1].place;
    case CLV_A_JOINT:
        return &m->joint[m->njoint - 1].place;
    case CLV_A_FORCE:
        return &m->force[m->nforce - 1].place;
    case CLV_A_MOTION:
        return &m->motion[m->nmotion - 1].place;
    case CLV_A_COUPLING:
        return &m->coupling[m->ncoupling - 1].place;
    case CLV_AN_INPUT:
        return &m->input[m->ninput - 1].place;
    case CLV_AN_EVENT:
        return &m->event[m->nevent - 1].place;
    case CLV_A_VISUAL:
        return &m->visual[m->nvisual - 1].place;
    case CLV_A_SHAPE:
        return &m->shape[m->nshape - 1].place;
    default:
        return &m->marker[m->nmarker - 1].place;
    }
}

bool clv_item_made(clv_entry *e, clv_status status, int category)
{
    clv_reader *r = e->reader;
    clv_places *p = &r->place[category];
    if (status == CLV_ERR_MEMORY) {
        clv_read_out_of_memory(r);
        return false;
    }
    if (status != CLV_OK) {
        clv_read_fail_model(r, &r->model->last, e->name, NULL);
        return e->good = false;
    }
    if (!clv_read_reserve(r, &p->node, &p->capacity, p->count + 1, sizeof *p->node))
        return false;
    p->node[p->count++] = (unsigned)(e->name - r->tree.node);
    *place_in(r->model, category) = clv_place_of(e->name);
    return true;
}

/* ---------------------------------------------------------------- references */

static int index_of(const clv_model *m, int category, const char *name)
{
    if (category == CLV_A_BODY)
        return clv_model_find_body(m, name);
    if (category == CLV_A_JOINT)
        return clv_model_find_joint(m, name);
    return clv_names_find(m->names, category == CLV_A_FORCE ? CLV_NAME_FORCE : CLV_NAME_MOTION, name);
}

/* Nearest name of the model's bodies, joints, forces or motions; looks at the first 10000. */
static const char *nearest(const clv_model *m, int category, const char *wanted)
{
    const char *best = NULL;
    const int count[] = {m->nbody, m->njoint, m->nforce, m->nmotion};
    int distance = clv_near_enough(wanted) + 1;
    for (int i = 0; i < count[category] && i < 10000; ++i)
        clv_nearest(&best, &distance, wanted,
                    category == CLV_A_BODY    ? m->body[i].name
                    : category == CLV_A_JOINT ? m->joint[i].name
                    : category == CLV_A_FORCE ? m->force[i].name
                                              : m->motion[i].name);
    return best;
}

void clv_fail_dangling(clv_reader *r, const clv_yaml_node *at, int category, const char *path, const char *name)
{
    char hint[200];
    const char *near = r->nerror < CLV_MOST_ERRORS ? nearest(r->model, category, name) : NULL;
    bool body = category == CLV_A_BODY;
    if (body && strcmp(name, "ground") == 0)
        snprintf(hint, sizeof hint, "the ground is at rest and belongs to no branch; leave it out");
    else if (body && clv_means_ground(name))
        snprintf(hint, sizeof hint, "the inertial frame is called 'ground'");
    else if (index_of(r->model, body ? CLV_A_JOINT : CLV_A_BODY, name) >= 0)
        snprintf(hint, sizeof hint, "'%.60s' is a %s; name a %s", name, noun[body ? CLV_A_JOINT : CLV_A_BODY],
                 noun[category]);
    else if (near)
        snprintf(hint, sizeof hint, "did you mean '%s'?", near);
    else
        snprintf(hint, sizeof hint, "add it under %s",
                 body                        ? "bodies"
                 : category == CLV_A_JOINT ? "joints"
                 : category == CLV_A_FORCE ? "forces"
                                           : "motions");
    clv_read_fail(r, CLV_ERR_MODEL, at, path, NULL, hint, "there is no %s '%.80s'", noun[category], name);
}

/* A copy refers to a neighbour beyond the first or the last. */
static void fail_neighbour(clv_entry *e, const clv_yaml_node *at, int category, const char *path, const char *name)
{
    char hint[200];
    snprintf(hint, sizeof hint, "in this copy {i} is %ld; choose `from` and `repeat` so that every neighbour exists",
             e->copy);
    clv_read_fail(e->reader, CLV_ERR_MODEL, at, path, NULL, hint, "there is no %s '%.80s'", noun[category], name);
}

/* Was the item, or the body of the node of that name, reported to be bad? */
static bool is_lost(const clv_reader *r, int category, const char *name)
{
    char body[NAME];
    size_t seen;
    const char *dot = category == CLV_A_BODY ? strrchr(name, '.') : NULL;
    snprintf(body, sizeof body, "%.*s", (int)(dot ? dot - name : 0), name);
    return clv_map_find(&r->lost[category], name, &seen) || (dot && clv_map_find(&r->lost[category], body, &seen));
}

static bool find(clv_entry *e, const clv_yaml_node *at, const char *key, int category, int *index)
{
    clv_reader *r = e->reader;
    char name[NAME], path[200];
    const char *text = clv_node_text(r, at);
    if (at->refused || !clv_name_expand(e, at, key, text, name, sizeof name))
        return e->good = false;
    *index = index_of(r->model, category, name);
    if (*index >= 0)
        return true;
    e->good = false;
    if (is_lost(r, category, name))
        return false;
    clv_path_join(path, sizeof path, e->path, key);
    if (e->repeated && strpbrk(text, "{}"))
        fail_neighbour(e, at, category, path, name);
    else
        clv_fail_dangling(r, at, category, path, name);
    return false;
}

bool clv_find_body(clv_entry *e, const clv_yaml_node *at, const char *key, bool ground, int *body)
{
    bool is_ground = !at->refused && strcmp(clv_node_text(e->reader, at), "ground") == 0;
    if (is_ground && ground) {
        *body = CLV_GROUND;
        return true;
    }
    if (is_ground) {
        clv_read_fail(e->reader, CLV_ERR_MODEL, at, e->path, key, "name a body", "this cannot be the ground");
        return e->good = false;
    }
    return find(e, at, key, CLV_A_BODY, body);
}

bool clv_find_joint(clv_entry *e, const clv_yaml_node *at, const char *key, int *joint)
{
    return find(e, at, key, CLV_A_JOINT, joint);
}

bool clv_find_force(clv_entry *e, const clv_yaml_node *at, const char *key, int *force)
{
    return find(e, at, key, CLV_A_FORCE, force);
}

bool clv_find_motion(clv_entry *e, const clv_yaml_node *at, const char *key, int *motion)
{
    return find(e, at, key, CLV_A_MOTION, motion);
}
