/* SPDX-License-Identifier: Apache-2.0
 * Bodies with their start, markers, and the lists of branches. */
#include "io/yaml_read.h"
#include <stdio.h>
#include <string.h>

/* A shape is checked and left out of the dynamics. */
static void check_shape(clv_entry *e, const clv_value *shape)
{
    clv_entry s;
    char path[160];
    double q[4], R[9];
    bool exact;
    if (!shape->node)
        return;
    clv_path_join(path, sizeof path, e->path, "shape");
    if (clv_entry_read(&s, e->reader, shape->node, NULL, CLV_IN_SHAPE, path)) {
        int kinds = !!CLV_VALUE(&s, SHAPE, BOX)->node + !!CLV_VALUE(&s, SHAPE, SPHERE)->node +
                    !!CLV_VALUE(&s, SHAPE, CYLINDER)->node + !!CLV_VALUE(&s, SHAPE, CAPSULE)->node;
        if (kinds != 1)
            clv_entry_fail(&s, NULL, NULL, "give one of box, sphere, cylinder, capsule",
                           "a shape has exactly one form, this has %d", kinds);
        clv_value_orientation(&s, CLV_VALUE(&s, SHAPE, ORIENTATION), "orientation", q, R, &exact);
    }
    e->good = e->good && s.good;
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

bool clv_make_body(clv_entry *e, const char *name)
{
    clv_reader *r = e->reader;
    clv_body_desc d = clv_body_desc_default();
    clv_entry start;
    char branch[256];
    int index;
    d.name = name;
    d.mass = CLV_VALUE(e, BODY, MASS)->x[0];
    memcpy(d.com, CLV_VALUE(e, BODY, COM)->x, sizeof d.com);
    memcpy(d.inertia, CLV_VALUE(e, BODY, INERTIA)->x, sizeof d.inertia);
    check_shape(e, CLV_VALUE(e, BODY, SHAPE));
    find_branch(e, name, branch, sizeof branch, &d.branch);
    if (clv_start_of(&start, e, 0, name))
        fill_start(&start, e, &d);
    if (!e->good || !clv_item_made(e, clv_model_add_body(r->model, &index, &d), CLV_A_BODY))
        return false;
    if (d.placed)
        memcpy(r->model->body[index].e, d.orientation, sizeof d.orientation); /* as written, to the last bit */
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
