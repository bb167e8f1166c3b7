/* SPDX-License-Identifier: Apache-2.0
 * `flexible` of a body: one source of modes, then damping and the limit of spin; the start of the modes; and the nodes.
 * These are bodies of the model: places of errors and names to refer to. */
#include "io/yaml_read_flex.h"
#include "base/memory.h"
#include "flexible/flex_body.h"
#include <stdio.h>
#include <string.h>

/* The source, opened. */
static bool read_source(clv_entry *f, clv_flex_body *b, bool *damped)
{
    const clv_value *beam = CLV_VALUE(f, FLEXIBLE, BEAM), *modal = CLV_VALUE(f, FLEXIBLE, MODAL),
                    *file = CLV_VALUE(f, FLEXIBLE, FILE);
    clv_entry m;
    char path[160];
    *damped = false;
    if (!!beam->node + !!modal->node + !!file->node != 1) {
        clv_entry_fail(f, NULL, NULL, "give one of beam, modal, file",
                       "a flexible body has exactly one source, this has %d",
                       !!beam->node + !!modal->node + !!file->node);
        return false;
    }
    if (beam->node)
        return clv_read_beam(f, beam, b);
    if (file->node)
        return clv_read_modal_file(f, file, b, damped);
    clv_path_join(path, sizeof path, f->path, "modal");
    bool read = clv_entry_read_in(&m, f, modal->node, NULL, CLV_IN_MODAL, path);
    m.name = modal->node;
    *damped = read && CLV_VALUE(&m, MODAL, DAMPING)->node;
    bool good = read && clv_read_modal(&m, b);
    f->good = f->good && m.good;
    return good;
}

static void damp(clv_entry *f, clv_flex_body *b, bool damped)
{
    const clv_value *ratio = CLV_VALUE(f, FLEXIBLE, RATIO);
    size_t n = (size_t)b->flex.nmode;
    if (!ratio->node)
        return;
    if (damped) {
        clv_entry_fail(f, ratio, "damping_ratio", "keep one of the two", "its modes already have a damping");
        return;
    }
    double *scratch = clv_alloc(4 * n * n, sizeof *scratch);
    if (!scratch)
        clv_read_out_of_memory(f->reader);
    else
        clv_flex_damp(&b->flex, ratio->x[0], scratch); /* its modal mass is positive definite: read_source saw to it */
    clv_free(scratch);
}

/* Keys that the modes bring themselves. */
static void refuse_rigid(clv_entry *body, const clv_value *v, const char *key)
{
    if (v->node)
        clv_entry_fail(body, v, key, "remove it", "'%s' beside 'flexible': it comes with the modes", key);
}

bool clv_read_flexible(clv_entry *body, clv_flex_body *b)
{
    const clv_value *flexible = CLV_VALUE(body, BODY, FLEXIBLE);
    clv_entry f;
    char path[160];
    bool damped, open = false;
    refuse_rigid(body, CLV_VALUE(body, BODY, MASS), "mass");
    refuse_rigid(body, CLV_VALUE(body, BODY, COM), "com");
    refuse_rigid(body, CLV_VALUE(body, BODY, INERTIA), "inertia");
    clv_path_join(path, sizeof path, body->path, "flexible");
    if (clv_entry_read_in(&f, body, flexible->node, NULL, CLV_IN_FLEXIBLE, path)) {
        f.name = flexible->node;
        open = read_source(&f, b, &damped);
        if (open)
            damp(&f, b, damped);
        if (open && CLV_VALUE(&f, FLEXIBLE, SPIN)->node)
            b->flex.limit = CLV_VALUE(&f, FLEXIBLE, SPIN)->x[0];
    }
    body->good = body->good && f.good && open;
    if (open && !body->good)
        clv_flex_body_close(b);
    return body->good;
}

/* ---------------------------------------------------------------- start and nodes */

void clv_read_start_modes(clv_entry *body, const char *name, clv_flex_body *b)
{
    clv_entry start;
    if (!clv_start_of(&start, body, 2, name))
        return;
    clv_value_numbers(&start, CLV_VALUE(&start, START_MODES, Q), "q", b->flex.nmode, b->flex.eta);
    clv_value_numbers(&start, CLV_VALUE(&start, START_MODES, U), "u", b->flex.nmode, b->flex.etad);
    body->good = body->good && start.good;
}

/* A node moves with its frame: it has no start and no branch of its own. */
static void refuse_of_node(clv_reader *r, const char *node)
{
    size_t seen;
    if (clv_map_find(&r->start[0], node, &seen)) {
        r->start_entry[seen].used = true;
        clv_read_fail(r, CLV_ERR_MODEL, clv_node(r, r->start_entry[seen].node), "start.bodies", node,
                      "give the start of the body, and of its modes under start.modes",
                      "'%.80s' is a node: its start follows from its body and its modes", node);
    }
    if (clv_map_find(&r->branch_of, node, &seen))
        clv_read_fail(r, CLV_ERR_MODEL, clv_node(r, (unsigned)seen), "branches", NULL, "list its body instead",
                      "'%.80s' is a node: it belongs to the branch of its body", node);
}

bool clv_make_flexible(clv_entry *e, const char *name, int index, clv_flex_body *b)
{
    clv_reader *r = e->reader;
    clv_model *m = r->model;
    clv_places *p = &r->place[CLV_A_BODY];
    int before = m->nbody, flex;
    (void)name;
    b->flex.body = index;
    clv_status status = clv_model_add_flex(m, &flex, &b->flex);
    if (status == CLV_ERR_MEMORY) {
        clv_read_out_of_memory(r);
        return false;
    }
    if (status != CLV_OK) {
        clv_read_fail_model(r, &m->last, e->name, NULL);
        return e->good = false;
    }
    for (int i = 0; i < b->flex.nnode; ++i) /* as written, to the last bit */
        memcpy(m->flex[flex].node[i].orientation, b->flex.node[i].orientation, sizeof b->flex.node[i].orientation);
    for (int i = before; i < m->nbody; ++i) {
        if (!clv_read_reserve(r, &p->node, &p->capacity, p->count + 1, sizeof *p->node))
            return false;
        p->node[p->count++] = (unsigned)(e->name - r->tree.node);
        m->body[i].place = clv_place_of(e->name);
        refuse_of_node(r, m->body[i].name);
    }
    return true;
}
