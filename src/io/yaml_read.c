/* SPDX-License-Identifier: Apache-2.0
 * Reading a model file: text to tree, the sections in the order they depend on each other, the model's own checks, and
 * every error with its place.  The result is always a model; one with errors refuses to finish. */
#include "io/yaml_read.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/error_print.h"
#include "io/import.h"
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#define LARGEST (1ul << 30) /* bytes of text: offsets in the tree have 32 bits */

static const char *const group[CLV_NAMED] = {"bodies",    "joints",  "forces", "motions",
                                             "couplings", "markers", "inputs", "events", "visuals", "shapes"};

/* ---------------------------------------------------------------- places of what finish found */

/* Index of the item an error of the model speaks of, or -1. */
static int index_of(const clv_model *m, int category, const char *name)
{
#define LOOK(list, count)                                                                                              \
    for (int i = 0; i < m->count; ++i)                                                                                 \
        if (strcmp(m->list[i].name, name) == 0)                                                                        \
            return i;                                                                                                  \
    return -1
    switch (category) {
    case CLV_A_BODY:
        return clv_model_find_body(m, name);
    case CLV_A_JOINT:
        return clv_model_find_joint(m, name);
    case CLV_A_FORCE:
        LOOK(force, nforce);
    case CLV_A_MOTION:
        LOOK(motion, nmotion);
    case CLV_A_COUPLING:
        LOOK(coupling, ncoupling);
    case CLV_A_MARKER:
        LOOK(marker, nmarker);
    case CLV_AN_INPUT:
        LOOK(input, ninput);
    case CLV_AN_EVENT:
        LOOK(event, nevent);
    case CLV_A_VISUAL:
        LOOK(visual, nvisual);
    case CLV_A_SHAPE:
        LOOK(shape, nshape);
    default:
        return -1;
    }
#undef LOOK
}

static const clv_yaml_node *child(const clv_reader *r, const clv_yaml_node *map, const char *key, size_t length)
{
    for (const clv_yaml_node *k = map->kind == CLV_YAML_MAP ? clv_node(r, map->first) : NULL; k;
         k = clv_node(r, clv_node(r, k->next)->next))
        if (strlen(clv_node_text(r, k)) == length && strncmp(clv_node_text(r, k), key, length) == 0)
            return clv_node(r, k->next);
    return NULL;
}

/* Follows `rest` ("a.position") into the mapping under `key`, as far as it leads. */
static const clv_yaml_node *follow(const clv_reader *r, const clv_yaml_node *key, const char *rest)
{
    const clv_yaml_node *at = key;
    for (const clv_yaml_node *map = clv_node(r, key->next); map && *rest;) {
        size_t length = strcspn(rest, ".");
        if ((map = child(r, map, rest, length)) != NULL)
            at = map;
        rest += length + (rest[length] == '.');
    }
    return at;
}

/* The start section speaks of q, u, position, ... of bodies and joints. */
static const clv_yaml_node *start_of(clv_reader *r, int category, const char *name, const char *field)
{
    size_t start;
    if (category > CLV_A_JOINT || !clv_map_find(&r->start[category], name, &start))
        return NULL;
    const clv_yaml_node *key = clv_node(r, r->start_entry[start].node);
    return child(r, clv_node(r, key->next), field, strcspn(field, ".")) ? key : NULL;
}

/* Fields of the model that a file calls otherwise. */
static const char *file_key(int category, const char *field)
{
    if (category == CLV_A_JOINT && strcmp(field, "distance") == 0)
        return "length";
    if (category == CLV_A_COUPLING && strcmp(field, "between") == 0)
        return "second";
    return field;
}

/* Where the error of the model lies in the file: the value of the field its path names, else the key that names the
 * item. */
static const clv_yaml_node *place_of(clv_reader *r, clv_error *e)
{
    char path[sizeof e->path + 16], name[sizeof e->path], renamed[3 * sizeof e->path];
    const bool of_start = strncmp(e->path, "start.", 6) == 0; /* the model knows that the start gives this field */
    const char *whole = e->path + (of_start ? 6 : 0);
    int c = 0;
    while (c < CLV_NAMED && (strncmp(whole, group[c], strlen(group[c])) != 0 || whole[strlen(group[c])] != '.'))
        ++c;
    if (c == CLV_NAMED)
        return NULL;
    clv_error_text(path, sizeof path, whole);
    const char *rest = path + strlen(group[c]) + 1;
    snprintf(name, sizeof name, "%s", c == CLV_A_BODY ? e->body : c == CLV_A_MARKER ? rest : e->joint);
    int index = index_of(r->model, c, name);
    if (index < 0 || (size_t)index >= r->place[c].count)
        return NULL;
    const clv_yaml_node *key = clv_node(r, r->place[c].node[index]);
    if (strncmp(rest, name, strlen(name)) != 0 || rest[strlen(name)] != '.')
        return key;
    const char *field = file_key(c, rest + strlen(name) + 1);
    const clv_yaml_node *start = of_start || follow(r, key, field) == key ? start_of(r, c, name, field) : NULL;
    snprintf(renamed, sizeof renamed, "%s%s.%s.%s", start ? "start." : "", group[c], name, field);
    clv_error_text(e->path, sizeof e->path, renamed);
    return follow(r, start ? start : key, field);
}

/* The errors of the model, with their positions. */
static void tell_errors(clv_reader *r)
{
    const clv_model *m = r->model;
    for (int i = 0; i < m->nerror; ++i) {
        clv_error e = m->error[i];
        const clv_yaml_node *at = place_of(r, &e);
        if (e.code == CLV_ERR_MEMORY)
            clv_read_out_of_memory(r);
        if (m->imported)
            clv_error_place(&e, m);
        const clv_yaml_node near = {.line = (unsigned)e.line, .column = (unsigned)e.column};
        clv_read_fail_model(r, &e, e.line > 0 ? &near : at, NULL);
    }
}

static void finish(clv_reader *r)
{
    clv_model *m = r->model;
    if (clv_model_finish(m) == CLV_OK)
        return;
    if (m->last.code == CLV_ERR_MEMORY)
        clv_read_out_of_memory(r);
    tell_errors(r);
    if (m->nerror == 0)
        clv_read_fail_model(r, &m->last, NULL, NULL);
}

/* After an error: what could be made is checked all the same, so that a file is repaired in one go. */
static void check_made(clv_reader *r)
{
    clv_model_validate(r->model);
    tell_errors(r);
}

/* ---------------------------------------------------------------- the file */

static void set_name(clv_reader *r, const char *name)
{
    char *copy = clv_copy_text(name);
    if (!copy) {
        clv_read_out_of_memory(r);
        return;
    }
    clv_free(r->model->name);
    r->model->name = copy;
}

/* A model without a name is called as its file. */
static void name_from_file(clv_reader *r)
{
    char name[256];
    const char *slash = strrchr(r->file, '/');
    snprintf(name, sizeof name, "%s", slash ? slash + 1 : r->file);
    char *dot = strrchr(name, '.');
    if (dot && dot != name)
        *dot = '\0';
    set_name(r, name);
}

void clv_read_title(clv_reader *r, const char *name)
{
    if (name)
        set_name(r, name);
    else
        name_from_file(r);
}

static void read_head(clv_reader *r, clv_entry *e)
{
    const clv_value *version = CLV_VALUE(e, FILE, CLEAVE), *gravity = CLV_VALUE(e, FILE, GRAVITY),
                    *time = CLV_VALUE(e, FILE, TIME);
    const clv_value *name = CLV_VALUE(e, FILE, NAME), *bodies = CLV_VALUE(e, FILE, BODIES);
    if (version->count && version->x[0] != 1)
        clv_entry_fail(e, version, "cleave", "write `cleave: 1`, or use a newer program",
                       "this program reads version 1 of the format, not %g", version->x[0]);
    if (name->node && name->node->kind == CLV_YAML_SCALAR && !name->node->refused)
        set_name(r, clv_node_text(r, name->node));
    else
        name_from_file(r);
    if (gravity->count == 3)
        clv_model_set_gravity(r->model, gravity->x);
    const clv_value *lenient = CLV_VALUE(e, FILE, LENIENT);
    if (lenient->count && lenient->x[0] != 0)
        clv_model_set_lenient(r->model, 1);
    if (time->count)
        r->model->time_end = time->x[0];
    if (bodies->node && bodies->node->kind == CLV_YAML_MAP && bodies->node->count == 0)
        clv_entry_fail(e, bodies, "bodies", "add a body: `bodies: {crank: {mass: 1, inertia: [1, 1, 1]}}`",
                       "a model needs at least one body");
}

static void read_sections(clv_reader *r)
{
    clv_entry e;
    if (!clv_read_paths(r) || !clv_read_parameters(r, child(r, clv_node(r, 1), "parameters", strlen("parameters"))))
        return;
    clv_entry_read(&e, r, clv_node(r, 1), NULL, CLV_IN_FILE, "");
    if (e.node->kind != CLV_YAML_MAP || e.node->refused)
        return;
    const clv_yaml_node *branches = CLV_VALUE(&e, FILE, BRANCHES)->node;
    read_head(r, &e);
    clv_read_start(r, CLV_VALUE(&e, FILE, START)->node);
    clv_read_branches(r, branches);
    clv_items_read(r, CLV_VALUE(&e, FILE, BODIES)->node, "bodies", CLV_IN_BODY, clv_make_body, CLV_A_BODY);
    clv_items_read(r, CLV_VALUE(&e, FILE, SHAPES)->node, "shapes", CLV_IN_BODY_SHAPE, clv_make_shape, CLV_A_SHAPE);
    clv_items_read(r, CLV_VALUE(&e, FILE, JOINTS)->node, "joints", CLV_IN_JOINT, clv_make_joint, CLV_A_JOINT);
    clv_items_read(r, CLV_VALUE(&e, FILE, FORCES)->node, "forces", CLV_IN_FORCE, clv_make_force, CLV_A_FORCE);
    clv_items_read(r, CLV_VALUE(&e, FILE, MOTIONS)->node, "motions", CLV_IN_MOTION, clv_make_motion, CLV_A_MOTION);
    clv_items_read(r, CLV_VALUE(&e, FILE, COUPLINGS)->node, "couplings", CLV_IN_COUPLING, clv_make_coupling,
                   CLV_A_COUPLING);
    clv_items_read(r, CLV_VALUE(&e, FILE, MARKERS)->node, "markers", CLV_IN_MARKER, clv_make_marker, CLV_A_MARKER);
    clv_items_read(r, CLV_VALUE(&e, FILE, VISUALS)->node, "visuals", CLV_IN_VISUAL, clv_make_visual, CLV_A_VISUAL);
    clv_items_read(r, CLV_VALUE(&e, FILE, INPUTS)->node, "inputs", CLV_IN_INPUT, clv_make_input, CLV_AN_INPUT);
    clv_items_read(r, CLV_VALUE(&e, FILE, EVENTS)->node, "events", CLV_IN_EVENT, clv_make_event, CLV_AN_EVENT);
    clv_read_branches_check(r, branches);
    clv_read_start_unused(r);
    clv_note_parameters(r);
}

static void free_reader(clv_reader *r)
{
    clv_free_parameters(r);
    clv_yaml_tree_free(&r->tree);
    for (int c = 0; c < CLV_NAMED; ++c)
        clv_free(r->place[c].node);
    for (int k = 0; k < 3; ++k)
        clv_map_free(&r->start[k]);
    for (size_t k = 0; k < sizeof r->lost / sizeof *r->lost; ++k)
        clv_map_free(&r->lost[k]);
    clv_map_free(&r->branch_of);
    clv_free(r->start_entry);
    clv_free(r->error);
    clv_free(r);
}

/* Numbers are read with a decimal point whatever the caller's locale. */
static clv_status read_plain(clv_reader *r, const char *text, size_t size)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = plain ? uselocale(plain) : (locale_t)0;
    if (size > LARGEST)
        clv_read_fail(r, CLV_ERR_UNSUPPORTED, NULL, "", NULL, "use `repeat` for many alike bodies",
                      "the file is larger than 1 GiB");
    else if (clv_xml_text(text, size) || clv_import_named(r->file, text, size)) {
        if (clv_import_begins(r, text, size) && clv_import_read(r, text, size))
            finish(r);
    } else if (clv_yaml_tree_read(r, text, size)) {
        read_sections(r);
        if (r->nerror == 0 && !r->memory)
            finish(r);
        else if (!r->memory)
            check_made(r);
    }
    clv_status status = clv_read_errors_hand_over(r);
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    return status;
}

clv_status clv_model_failed(clv_model **model, const clv_error *e)
{
    clv_status status = clv_model_create(model, "");
    if (status != CLV_OK)
        return status;
    clv_model_log(*model, e);
    (*model)->last = *e;
    return e->code;
}

clv_status clv_model_read_any(clv_model **model, const char *text, size_t size, const char *file_name, bool lenient,
                              const clv_robot_options *robot, const char *const *given, int ngiven)
{
    clv_error e;
    if (!model)
        return CLV_ERR_USAGE;
    if (!text) {
        clv_fail(&e, CLV_ERR_USAGE, "there is no text to read: the pointer is NULL");
        return clv_model_failed(model, &e);
    }
    if (ngiven > 0 && !given) {
        clv_fail(&e, CLV_ERR_USAGE, "%d parameters are announced, but the list is NULL", ngiven);
        return clv_model_failed(model, &e);
    }
    clv_status status = clv_model_create(model, "");
    clv_reader *r = status == CLV_OK ? clv_alloc(1, sizeof *r) : NULL;
    if (status != CLV_OK)
        return status;
    if (!r)
        return clv_fail(&(*model)->last, CLV_ERR_MEMORY, "out of memory");
    r->model = *model;
    r->model->lenient = lenient;
    if (robot)
        r->robot = *robot;
    r->given = given;
    r->ngiven = ngiven;
    clv_error_text(r->file, sizeof r->file, file_name ? file_name : "");
    if (*r->file && !(r->model->file = clv_copy_text(r->file)))
        clv_read_out_of_memory(r);
    status = read_plain(r, text, size);
    free_reader(r);
    return status;
}

clv_status clv_model_read_as(clv_model **model, const char *text, size_t size, const char *file_name, bool lenient,
                             const char *const *given, int ngiven)
{
    return clv_model_read_any(model, text, size, file_name, lenient, NULL, given, ngiven);
}

clv_status clv_model_read_text(clv_model **model, const char *text, size_t size, const char *file_name)
{
    return clv_model_read_as(model, text, size, file_name, false, NULL, 0);
}

clv_status clv_model_read_text_with(clv_model **model, const char *text, size_t size, const char *file_name,
                                    const char *const *params, int nparam)
{
    return clv_model_read_as(model, text, size, file_name, false, params, nparam);
}

char *clv_model_load(clv_error *e, const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    size_t capacity = 0;
    *size = 0;
    if (!f) {
        clv_fail(e, CLV_ERR_IO, "cannot open %s: %s", path, strerror(errno));
        clv_error_hint(e, "check the name and folder of the file");
    }
    while (f && e->code == CLV_OK && !feof(f)) {
        if (*size == capacity) {
            capacity = 2 * capacity + 65536;
            char *wider = capacity > LARGEST + 65536 ? NULL : clv_resize(text, capacity, 1);
            if (!wider) {
                clv_fail(e, capacity > LARGEST ? CLV_ERR_UNSUPPORTED : CLV_ERR_MEMORY, "%s is too large", path);
                break;
            }
            text = wider;
        }
        *size += fread(text + *size, 1, capacity - *size, f);
        if (ferror(f))
            clv_fail(e, CLV_ERR_IO, "cannot read %s: %s", path, strerror(errno));
    }
    if (f)
        fclose(f);
    clv_error_text(e->file, sizeof e->file, path);
    if (e->code == CLV_OK)
        return text;
    clv_free(text);
    return NULL;
}

clv_status clv_model_open(clv_model **model, const char *path, char **text, size_t *size)
{
    clv_error e;
    if (!model)
        return CLV_ERR_USAGE;
    *size = 0;
    clv_error_clear(&e);
    if (!path)
        clv_fail(&e, CLV_ERR_USAGE, "there is no file to read: the pointer to its name is NULL");
    *text = path ? clv_model_load(&e, path, size) : NULL;
    return *text ? CLV_OK : clv_model_failed(model, &e);
}

static clv_status read_file(clv_model **model, const char *path, bool lenient, const char *const *given, int ngiven)
{
    size_t size;
    char *text;
    clv_status status = clv_model_open(model, path, &text, &size);
    if (status != CLV_OK)
        return status;
    status = clv_model_read_as(model, text, size, path, lenient, given, ngiven);
    clv_free(text);
    return status == CLV_OK ? clv_visuals_find(*model) : status;
}

clv_status clv_model_read(clv_model **model, const char *path)
{
    return read_file(model, path, false, NULL, 0);
}

clv_status clv_model_read_lenient(clv_model **model, const char *path)
{
    return read_file(model, path, true, NULL, 0);
}

clv_status clv_model_read_with(clv_model **model, const char *path, const char *const *params, int nparam)
{
    return read_file(model, path, false, params, nparam);
}
