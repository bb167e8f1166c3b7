/* SPDX-License-Identifier: Apache-2.0
 * Contacts of many bodies (T105): lists of bodies and shapes by name or by pattern, pairs that do not touch, and the
 * numbers of the contact itself. */
#include "base/memory.h"
#include "io/yaml_read.h"
#include "model/group.h"
#include "model/names.h"
#include <string.h>

/* Does the name fit the pattern, in which * stands for any letters?  The last * tries ever more of them. */
static bool fits(const char *pattern, const char *name)
{
    const char *star = NULL, *from = name;
    while (*name) {
        if (*pattern == '*')
            star = pattern++, from = name;
        else if (*pattern == *name)
            pattern++, name++;
        else if (star)
            pattern = star + 1, name = ++from;
        else
            return false;
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

/* Bodies (from 0) and added shapes (behind the bodies) of the model. */
static int count(const clv_model *m) { return m->nbody + m->nshape; }
static int entry_of(const clv_model *m, int k) { return k < m->nbody ? k : CLV_SHAPE_NUMBER(k - m->nbody); }
static const char *name_of(const clv_model *m, int k)
{
    return k < m->nbody ? m->body[k].name : m->shape[k - m->nbody].name;
}

/* marks bodies with a shape, and shapes, whose names fit; false after an error */
static bool mark_all(clv_entry *e, const clv_yaml_node *at, const char *key, const char *pattern, bool *mark)
{
    const clv_model *m = e->reader->model;
    char path[200];
    bool any = false;
    for (int k = 0; k < count(m); k++)
        if (fits(pattern, name_of(m, k)) && (k >= m->nbody || clv_model_has_shape(m, k)))
            mark[k] = any = true;
    if (any)
        return true;
    clv_path_join(path, sizeof path, e->path, key);
    clv_read_fail(e->reader, CLV_ERR_MODEL, at, path, NULL, "* stands for any letters, also for none: `foot*`",
                  "no body with a shape has a name like '%.80s'", pattern);
    return e->good = false;
}

/* a body or an added shape by name; false after an error */
static bool find_thing(clv_entry *e, const clv_yaml_node *at, const char *key, int *k)
{
    const clv_model *m = e->reader->model;
    char name[256];
    if (m->nshape > 0 && !at->refused && clv_name_expand(e, at, key, clv_node_text(e->reader, at), name, sizeof name)) {
        const int shape = clv_names_find(m->names, CLV_NAME_SHAPE, name);
        if (shape >= 0) {
            *k = m->nbody + shape;
            return true;
        }
    }
    return clv_find_body(e, at, key, false, k);
}

/* bodies and shapes of a list, each once; the list is to be freed */
static int *read_things(clv_entry *e, const clv_value *v, const char *key, int *n)
{
    const clv_model *m = e->reader->model;
    char name[256];
    *n = 0;
    if (!v->node)
        return NULL;
    bool *mark = clv_alloc((size_t)count(m) + 1, sizeof *mark);
    int *list = clv_alloc((size_t)count(m) + 1, sizeof *list);
    for (const clv_yaml_node *c = clv_node(e->reader, v->node->first); mark && list && c;
         c = clv_node(e->reader, c->next)) {
        int k = -1;
        if (c->refused || !clv_name_expand(e, c, key, clv_node_text(e->reader, c), name, sizeof name))
            e->good = false;
        else if (strchr(name, '*') && clv_model_find_body(m, name) < 0)
            mark_all(e, c, key, name, mark);
        else if (find_thing(e, c, key, &k))
            mark[k] = true;
    }
    for (int k = 0; mark && list && k < count(m); k++)
        if (mark[k])
            list[(*n)++] = entry_of(m, k);
    if (!mark || !list)
        clv_read_out_of_memory(e->reader), e->good = false;
    clv_free(mark);
    return list;
}

static int *read_pairs(clv_entry *e, const clv_value *v, const char *key, int *n)
{
    const clv_model *m = e->reader->model;
    int *list = v->node ? clv_alloc((size_t)v->node->count + 1, 2 * sizeof *list) : NULL;
    *n = 0;
    if (v->node && !list)
        clv_read_out_of_memory(e->reader), e->good = false;
    for (const clv_yaml_node *c = list ? clv_node(e->reader, v->node->first) : NULL; c;
         c = clv_node(e->reader, c->next)) {
        const clv_yaml_node *first = clv_node(e->reader, c->first);
        int a, b;
        if (!find_thing(e, first, key, &a) || !find_thing(e, clv_node(e->reader, first->next), key, &b))
            continue;
        list[2 * *n] = entry_of(m, a), list[2 * *n + 1] = entry_of(m, b);
        ++*n;
    }
    return list;
}

void clv_read_contact_numbers(const clv_value *first, clv_contact *c)
{
    double *const to[] = {&c->stiffness,        &c->exponent,         &c->dissipation,      &c->static_friction,
                          &c->dynamic_friction, &c->viscous_friction, &c->transition_speed, &c->restitution};
    for (size_t i = 0; i < sizeof to / sizeof *to; i++)
        if (first[i].node)
            *to[i] = first[i].x[0];
}

bool clv_make_contacts(clv_entry *e, clv_force_desc *d)
{
    clv_contact_group *g = &d->group;
    int *first = read_things(e, CLV_VALUE(e, CONTACTS, AMONG), "among", &g->nfirst);
    int *second = read_things(e, CLV_VALUE(e, CONTACTS, WITH), "with", &g->nsecond);
    int *except = read_pairs(e, CLV_VALUE(e, CONTACTS, EXCEPT), "except", &g->nexcept);
    g->first = first, g->second = second, g->except = except;
    g->neighbours = CLV_VALUE(e, CONTACTS, NEIGHBOURS)->x[0] != 0;
    g->plane_only = CLV_VALUE(e, CONTACTS, PLANE_ONLY)->x[0] != 0;
    g->most = (int)CLV_VALUE(e, CONTACTS, MOST)->x[0];
    memcpy(d->contact.point, CLV_VALUE(e, CONTACTS, POINT)->x, sizeof d->contact.point);
    memcpy(d->contact.normal, CLV_VALUE(e, CONTACTS, NORMAL)->x, sizeof d->contact.normal);
    clv_read_contact_numbers(CLV_VALUE(e, CONTACTS, STIFFNESS), &d->contact);
    const bool made = e->good && clv_item_made(e, clv_model_add_force(e->reader->model, NULL, d), CLV_A_FORCE);
    clv_free(first), clv_free(second), clv_free(except);
    return made;
}
