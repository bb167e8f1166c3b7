/* SPDX-License-Identifier: Apache-2.0
 * Bodies with their start, markers, and the lists of branches. */
#include "base/memory.h"
#include "io/yaml_read_flex.h"
#include "model/keep.h"
#include "model/shape.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The key `shape`; *points: of a mesh, to be freed. */
static void read_shape(clv_entry *e, clv_body_desc *d, double **points)
{
    const clv_value *shape = CLV_VALUE(e, BODY, SHAPE);
    clv_entry s;
    char path[160];
    if (!shape->node)
        return;
    clv_path_join(path, sizeof path, e->path, "shape");
    if (clv_entry_read_in(&s, e, shape->node, NULL, CLV_IN_SHAPE, path))
        clv_read_solid(&s, &d->shape, points);
    e->good = e->good && s.good;
}

/* `inertia: from shape`: a homogeneous body, its centre of mass in the middle of the shape. */
static void spread_mass(clv_entry *e, clv_body_desc *d)
{
    const clv_value *inertia = CLV_VALUE(e, BODY, INERTIA), *com = CLV_VALUE(e, BODY, COM);
    double away = 0, size = 0, middle[3];
    if (inertia->count > 0 || !e->good)
        return;
    if (d->shape.kind == CLV_SHAPE_NONE) {
        clv_entry_fail(e, inertia, "inertia", "add `shape: {box: [1, 0.05, 0.05]}`, or give the numbers",
                       "'from shape', but the body has no shape");
        return;
    }
    clv_shape_middle(&d->shape, middle);
    for (int i = 0; i < 3; ++i) {
        away = fmax(away, fabs(d->com[i] - middle[i]));
        size = fmax(size, fabs(middle[i]) + d->shape.size[i]);
    }
    if (com->node && away > 1e-12 * size)
        clv_entry_fail(e, com, "com", "leave com out (it is the middle of the shape), or give inertia as numbers",
                       "the centre of mass of a homogeneous shape is its middle; this is %g m away", away);
    memcpy(d->com, middle, sizeof d->com);
    clv_shape_inertia(d->inertia, &d->shape, d->mass);
}

/* Own branch, or the one that lists the body. */
static bool find_branch(clv_entry *e, const char *name, char *own, size_t size, const char **branch)
{
    const clv_value *v = CLV_VALUE(e, BODY, BRANCH);
    size_t listed;
    bool in_list = clv_map_find(&e->reader->branch_of, name, &listed);
    *branch = in_list ? clv_node_text(e->reader, clv_node(e->reader, (unsigned)listed)) : NULL;
    if (!v->node)
        return true;
    if (in_list) {
        clv_entry_fail(e, v, "branch", "keep one of the two", "the body is also listed under branches.%s", *branch);
        return false;
    }
    *branch = own;
    return clv_name_expand(e, v->node, "branch", clv_node_text(e->reader, v->node), own, size);
}

static void fill_start(clv_entry *start, clv_entry *e, clv_body_desc *d)
{
    const clv_value *position = CLV_VALUE(start, START_BODY, POSITION),
                    *turn = CLV_VALUE(start, START_BODY, ORIENTATION);
    const clv_value *velocity = CLV_VALUE(start, START_BODY, VELOCITY), *spin = CLV_VALUE(start, START_BODY, SPIN);
    double R[9];
    bool exact;
    d->placed = position->node || turn->node;
    d->moving = velocity->node || spin->node;
    memcpy(d->position, position->x, sizeof d->position);
    memcpy(d->velocity, velocity->x, sizeof d->velocity);
    memcpy(d->angular_velocity, spin->x, sizeof d->angular_velocity);
    if (!clv_value_orientation(start, turn, "orientation", d->orientation, R, &exact))
        e->good = false;
}

/* What the description cannot carry to the last bit. */
static void keep_turn(clv_reader *r, clv_body *b, const double e[4])
{
    clv_shape shape = *b->shape;
    if (memcmp(shape.orientation, e, sizeof shape.orientation) == 0)
        return;
    memcpy(shape.orientation, e, sizeof shape.orientation);
    if (!clv_keep_shape(r->model, b, &shape))
        clv_read_out_of_memory(r);
}

bool clv_make_body(clv_entry *e, const char *name)
{
    clv_reader *r = e->reader;
    clv_body_desc d = clv_body_desc_default();
    const clv_yaml_node *start_key = NULL;
    clv_entry start;
    clv_flex_body flex = {0};
    char branch[256];
    double *points = NULL;
    int index;
    bool flexible = CLV_VALUE(e, BODY, FLEXIBLE)->node != NULL;
    d.name = name;
    d.mass = CLV_VALUE(e, BODY, MASS)->x[0];
    memcpy(d.com, CLV_VALUE(e, BODY, COM)->x, sizeof d.com);
    memcpy(d.inertia, CLV_VALUE(e, BODY, INERTIA)->x, sizeof d.inertia);
    read_shape(e, &d, &points);
    if (!flexible)
        spread_mass(e, &d);
    else if (clv_read_flexible(e, &flex)) {
        d.mass = flex.mass;
        memcpy(d.com, flex.com, sizeof d.com);
        memcpy(d.inertia, flex.J, sizeof d.inertia);
        clv_read_start_modes(e, name, &flex);
    }
    find_branch(e, name, branch, sizeof branch, &d.branch);
    if (clv_start_of(&start, e, 0, name)) {
        start_key = start.name;
        fill_start(&start, e, &d);
    }
    if (!e->good || r->memory || !clv_item_made(e, clv_model_add_body(r->model, &index, &d), CLV_A_BODY) ||
        (flexible && !clv_make_flexible(e, name, index, &flex))) {
        clv_flex_body_close(&flex), clv_free(points);
        return false;
    }
    clv_flex_body_close(&flex), clv_free(points);
    clv_body *b = &r->model->body[index];
    if (d.placed)
        memcpy(b->e, d.orientation, sizeof d.orientation); /* as written, to the last bit */
    keep_turn(r, b, d.shape.orientation);
    b->start_place = clv_place_of(start_key);
    return true;
}

bool clv_make_marker(clv_entry *e, const char *name)
{
    clv_marker_desc d = clv_marker_desc_default();
    d.name = name;
    memcpy(d.position, CLV_VALUE(e, MARKER, POSITION)->x, sizeof d.position);
    return clv_find_body(e, CLV_VALUE(e, MARKER, BODY)->node, "body", false, &d.body) &&
           clv_item_made(e, clv_model_add_marker(e->reader->model, NULL, &d), CLV_A_MARKER);
}

/* One branch: a list of body names. */
static void read_branch(clv_reader *r, const clv_yaml_node *key)
{
    const clv_yaml_node *list = clv_node(r, key->next);
    char path[128];
    clv_path_join(path, sizeof path, "branches", clv_node_text(r, key));
    if (list->refused)
        return;
    if (list->kind != CLV_YAML_LIST) {
        clv_read_fail(r, CLV_ERR_MODEL, list, path, NULL, "write it as `left: [l1, l2]`", "expected a list of bodies");
        return;
    }
    for (const clv_yaml_node *n = clv_node(r, list->first); n; n = clv_node(r, n->next)) {
        size_t seen;
        if (n->refused)
            continue;
        if (n->kind != CLV_YAML_SCALAR) {
            clv_read_fail(r, CLV_ERR_MODEL, n, path, NULL, "write it as `left: [l1, l2]`",
                          "expected the name of a body");
            continue;
        }
        const char *name = clv_node_text(r, n);
        if (clv_map_find(&r->branch_of, name, &seen))
            clv_read_fail(r, CLV_ERR_MODEL, n, path, NULL, "keep it in one branch",
                          "the body '%.80s' is already in branch %s", name,
                          clv_node_text(r, clv_node(r, (unsigned)seen)));
        else if (!clv_map_add(&r->branch_of, name, (size_t)(key - r->tree.node)))
            clv_read_out_of_memory(r);
    }
}

void clv_read_branches(clv_reader *r, const clv_yaml_node *node)
{
    if (!node || node->kind != CLV_YAML_MAP)
        return;
    for (const clv_yaml_node *key = clv_node(r, node->first); key && !r->memory;
         key = clv_node(r, clv_node(r, key->next)->next))
        read_branch(r, key);
}

void clv_read_branches_check(clv_reader *r, const clv_yaml_node *node)
{
    if (!node || node->kind != CLV_YAML_MAP)
        return;
    for (const clv_yaml_node *key = clv_node(r, node->first); key; key = clv_node(r, clv_node(r, key->next)->next)) {
        const clv_yaml_node *list = clv_node(r, key->next);
        char path[128];
        size_t seen;
        clv_path_join(path, sizeof path, "branches", clv_node_text(r, key));
        for (const clv_yaml_node *n = list->kind == CLV_YAML_LIST ? clv_node(r, list->first) : NULL; n;
             n = clv_node(r, n->next)) {
            const char *name = clv_node_text(r, n);
            if (n->kind == CLV_YAML_SCALAR && !n->refused && clv_model_find_body(r->model, name) < 0 &&
                !clv_map_find(&r->lost[0], name, &seen))
                clv_fail_dangling(r, n, CLV_A_BODY, path, name);
        }
    }
}
