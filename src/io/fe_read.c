/* SPDX-License-Identifier: Apache-2.0
 * Finite-element files against the schema; all mistakes of the file and of its matrices together. */
#include "io/fe_read.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/yaml_read_flex.h"
#include "math/rotation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void clv_fe_file_free(clv_fe_file *f)
{
    for (int i = 0; i < f->fe.nnode && f->name; i++)
        clv_free(f->name[i]);
    for (int i = 0; i < f->fe.ninterface && f->interface_name; i++)
        clv_free(f->interface_name[i]);
    for (int i = 0; i < f->fe.ninterface && f->node; i++)
        clv_free(f->node[i]);
    clv_free(f->position), clv_free(f->name), clv_free(f->K), clv_free(f->M), clv_free(f->D);
    clv_free(f->interface), clv_free(f->node), clv_free(f->interface_name);
    *f = (clv_fe_file){0};
}

/* First key of the mapping of a value; NULL after an error. */
static const clv_yaml_node *first_of(clv_entry *e, const clv_value *v, const char *key)
{
    if (v->node->kind == CLV_YAML_MAP && v->node->count > 0)
        return clv_node(e->reader, v->node->first);
    if (!v->node->refused)
        clv_entry_fail(e, v, key, clv_schema[clv_schema_find(CLV_IN_FE, key)].example, "expected a mapping by name");
    e->good = false;
    return NULL;
}

static const clv_yaml_node *next_key(const clv_reader *r, const clv_yaml_node *key)
{
    return clv_node(r, clv_node(r, key->next)->next);
}

/* ---------------------------------------------------------------- nodes */

static void read_position(clv_entry *e, const clv_yaml_node *n, double x[3])
{
    const clv_schema_row *row = &clv_schema[CLV_KEY_FE_NODES];
    int alternative;
    if (n->kind != CLV_YAML_LIST || n->count != 3) {
        clv_key_fail(e, n, row, "expected 3 numbers, the position of a node");
        e->good = false;
        return;
    }
    const clv_yaml_node *c = clv_node(e->reader, n->first);
    for (int i = 0; i < 3; i++, c = clv_node(e->reader, c->next)) {
        if (!clv_read_number(e, c, row, &x[i], &alternative))
            e->good = false;
    }
}

static void read_nodes(clv_entry *e, clv_fe_file *f, clv_map *index)
{
    const clv_value *v = CLV_VALUE(e, FE, NODES);
    const clv_yaml_node *key = first_of(e, v, "nodes");
    if (!key)
        return;
    if (v->node->count > CLV_FE_MOST / 6) {
        clv_entry_fail(e, v, "nodes", "condense the model first, or take fewer elements",
                       "%u nodes are too many: dense matrices allow %d", v->node->count, CLV_FE_MOST / 6);
        return;
    }
    int n = (int)v->node->count;
    f->position = clv_alloc(3 * (size_t)n, sizeof *f->position);
    f->name = clv_alloc((size_t)n, sizeof *f->name);
    f->fe.nnode = n;
    bool memory = f->position && f->name;
    for (int i = 0; i < n && memory; i++, key = next_key(e->reader, key)) {
        const char *name = clv_node_text(e->reader, key);
        memory = (f->name[i] = clv_copy_text(name)) && clv_map_add(index, name, (size_t)i);
        read_position(e, clv_node(e->reader, key->next), f->position + 3 * (size_t)i);
    }
    if (!memory)
        clv_read_out_of_memory(e->reader);
}

/* ---------------------------------------------------------------- interfaces */

typedef struct owners { /* interface of each node, from 1 */
    int *of;
    const clv_map *index;
} owners;

static void take_node(clv_entry *e, const clv_yaml_node *at, const char *key, clv_fe_file *f, int i, const owners *own)
{
    size_t node;
    const char *text = clv_node_text(e->reader, at);
    clv_fe_interface *to = &f->interface[i];
    if (!clv_map_find(own->index, text, &node))
        clv_read_fail(e->reader, CLV_ERR_MODEL, at, e->path, key, "name one of `nodes`", "there is no node '%.80s'",
                      text);
    else if (own->of[node])
        clv_read_fail(e->reader, CLV_ERR_MODEL, at, e->path, key,
                      "an interface is rigid: join the two, or share no node",
                      "node %.80s is in interface %.80s already", text, f->interface_name[own->of[node] - 1]);
    else {
        own->of[node] = i + 1;
        f->node[i][to->nnode++] = (int)node;
        return;
    }
    e->good = false;
}

static void place_interface(clv_entry *e, clv_fe_file *f, int i)
{
    clv_fe_interface *to = &f->interface[i];
    double R[9];
    bool exact;
    for (int k = 0; k < to->nnode; k++)
        clv_axpy3(to->position, 1.0 / to->nnode, f->position + 3 * to->node[k]);
    if (CLV_VALUE(e, INTERFACE, AT)->node)
        memcpy(to->position, CLV_VALUE(e, INTERFACE, AT)->x, sizeof to->position);
    to->orientation[0] = 1;
    clv_value_orientation(e, CLV_VALUE(e, INTERFACE, ORIENTATION), "orientation", to->orientation, R, &exact);
}

static void read_interface(clv_entry *fe, const clv_yaml_node *key, clv_fe_file *f, int i, const owners *own)
{
    clv_entry e;
    char path[128];
    clv_path_join(path, sizeof path, "interfaces", clv_node_text(fe->reader, key));
    if (!clv_node_name(fe, key, "interfaces", &f->interface_name[i]) ||
        !clv_entry_read(&e, fe->reader, clv_node(fe->reader, key->next), key, CLV_IN_INTERFACE, path)) {
        fe->good = false;
        return;
    }
    const clv_value *node = CLV_VALUE(&e, INTERFACE, NODE), *nodes = CLV_VALUE(&e, INTERFACE, NODES);
    f->node[i] = clv_alloc(nodes->node ? nodes->node->count : 1, sizeof **f->node);
    f->interface[i] = (clv_fe_interface){.name = f->interface_name[i], .node = f->node[i]};
    if (!f->node[i])
        clv_read_out_of_memory(fe->reader);
    else if (!node->node == !nodes->node)
        clv_entry_fail(&e, NULL, "node", "write `node: NAME` or `nodes: [NAME, ...]`", "give one of node and nodes");
    else if (node->node)
        take_node(&e, node->node, "node", f, i, own);
    else
        for (const clv_yaml_node *c = clv_node(e.reader, nodes->node->first); c; c = clv_node(e.reader, c->next))
            take_node(&e, c, "nodes", f, i, own);
    if (e.good && f->node[i])
        place_interface(&e, f, i);
    fe->good = fe->good && e.good;
}

static void read_frame(clv_entry *e, clv_fe_file *f)
{
    const clv_value *v = CLV_VALUE(e, FE, FRAME);
    const char *text = clv_value_text(e, v);
    f->fe.frame = -1;
    for (int i = 0; i < f->fe.ninterface; i++)
        if (strcmp(text, f->interface_name[i]) == 0)
            f->fe.frame = i;
    if (f->fe.frame < 0)
        clv_entry_fail(e, v, "frame", "name one of `interfaces`; it is clamped and becomes the body frame",
                       "there is no interface '%.80s': the frame is not clamped", text);
}

static void read_interfaces(clv_entry *e, clv_fe_file *f, const clv_map *index)
{
    const clv_value *v = CLV_VALUE(e, FE, INTERFACES);
    const clv_yaml_node *key = first_of(e, v, "interfaces");
    if (!key)
        return;
    size_t n = v->node->count;
    owners own = {clv_alloc((size_t)f->fe.nnode, sizeof *own.of), index};
    f->interface = clv_alloc(n, sizeof *f->interface);
    f->node = clv_alloc(n, sizeof *f->node);
    f->interface_name = clv_alloc(n, sizeof *f->interface_name);
    f->fe.ninterface = (int)n;
    const bool room = own.of && f->interface && f->node && f->interface_name;
    if (!room)
        clv_read_out_of_memory(e->reader);
    for (int i = 0; i < (int)n && room && !e->reader->memory; i++, key = next_key(e->reader, key))
        read_interface(e, key, f, i, &own);
    if (e->good && room && !e->reader->memory)
        read_frame(e, f);
    clv_free(own.of);
}

/* ---------------------------------------------------------------- matrices */

/* Beside the file; its errors have their place in it. */
static void read_matrix(clv_entry *e, const clv_value *v, int n, double **x)
{
    char path[1024];
    clv_error error;
    const char *own = e->reader->file, *slash = strrchr(own, '/'), *name = v->node ? clv_value_text(e, v) : NULL;
    if (!name)
        return;
    int length = *name == '/' || !slash ? snprintf(path, sizeof path, "%s", name)
                                        : snprintf(path, sizeof path, "%.*s/%s", (int)(slash - own), own, name);
    const char *key = clv_schema[e->first + (int)(v - e->value)].key;
    if (length < 0 || (size_t)length >= sizeof path) {
        clv_entry_fail(e, v, key, "choose a shorter name", "the name of the file is too long");
        return;
    }
    if (!clv_model_note_side(e->reader->model, path)) {
        clv_read_out_of_memory(e->reader);
        return;
    }
    if (clv_matrix_market_read(x, n, path, &error) == CLV_OK)
        return;
    e->good = false;
    clv_reader other = {.model = e->reader->model};
    clv_yaml_node at = {.line = (unsigned)error.line, .column = 1};
    clv_error_text(other.file, sizeof other.file, path);
    if (error.code == CLV_ERR_MEMORY)
        clv_read_out_of_memory(e->reader);
    else if (error.line == 0)
        clv_entry_fail(e, v, key, "the name is relative to this file", "%s", error.message);
    else {
        clv_read_fail(&other, error.code, &at, "", NULL, error.hint, "%s", error.message);
        clv_read_errors_join(e->reader, &other);
        clv_free(other.error);
    }
}

/* ---------------------------------------------------------------- the file */

static void read_entry(clv_entry *e, clv_fe_file *f)
{
    clv_map index = {0};
    const clv_value *version = CLV_VALUE(e, FE, VERSION), *modes = CLV_VALUE(e, FE, MODES),
                    *most = CLV_VALUE(e, FE, UP_TO), *spin = CLV_VALUE(e, FE, SPIN);
    if (version->x[0] != 1)
        clv_entry_fail(e, version, "fe", "write `fe: 1`", "this program reads version 1 of the format, not %g",
                       version->x[0]);
    if (!modes->node == !most->node)
        clv_entry_fail(e, modes->node ? modes : NULL, "modes", "write `modes: 6`, or `up_to: 3000` (rad/s)",
                       "give one of modes and up_to");
    f->fe.modes = modes->node ? (int)fmin(modes->x[0], 1e6) : -1;
    f->fe.most = most->x[0];
    f->spin = spin->node ? spin->x[0] : NAN;
    read_nodes(e, f, &index);
    if (e->good && !e->reader->memory)
        read_interfaces(e, f, &index);
    clv_map_free(&index);
    if (e->good && !e->reader->memory) {
        read_matrix(e, CLV_VALUE(e, FE, STIFFNESS), 6 * f->fe.nnode, &f->K);
        read_matrix(e, CLV_VALUE(e, FE, MASS), 6 * f->fe.nnode, &f->M);
        read_matrix(e, CLV_VALUE(e, FE, DAMPING), 6 * f->fe.nnode, &f->D);
    }
}

clv_status clv_fe_read(clv_model **errors, clv_fe_file *f, const char *path)
{
    clv_error error;
    size_t size = 0;
    *f = (clv_fe_file){0};
    clv_error_clear(&error);
    clv_status status = clv_model_create(errors, "");
    if (status != CLV_OK)
        return status;
    char *text = clv_model_load(&error, path, &size);
    clv_reader *r = clv_alloc(1, sizeof *r);
    clv_entry *e = clv_alloc(1, sizeof *e);
    if (!text) {
        (*errors)->last = error;
        status = error.code;
    } else if (!r || !e)
        status = clv_fail(&(*errors)->last, CLV_ERR_MEMORY, "out of memory");
    else {
        r->model = *errors;
        clv_error_text(r->file, sizeof r->file, path);
        if (clv_yaml_tree_read(r, text, size) && clv_entry_read(e, r, clv_node(r, 1), NULL, CLV_IN_FE, ""))
            read_entry(e, f);
        status = clv_read_errors_hand_over(r);
        clv_yaml_tree_free(&r->tree);
        clv_free(r->error);
    }
    clv_free(r), clv_free(e), clv_free(text);
    f->fe.position = f->position, f->fe.name = (const char *const *)f->name;
    f->fe.K = f->K, f->fe.M = f->M, f->fe.D = f->D, f->fe.interface = f->interface;
    if (status != CLV_OK)
        clv_fe_file_free(f);
    return status;
}
