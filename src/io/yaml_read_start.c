/* SPDX-License-Identifier: Apache-2.0
 * The start section, read before the bodies and joints it speaks of: names to entries first, looked up when the item is
 * made. */
#include "io/yaml_read.h"
#include <stdio.h>
#include <string.h>

enum { GROUPS = 3 };
static const char *const group[GROUPS] = {"start.bodies", "start.joints", "start.modes"};
static const clv_section section_of[GROUPS] = {CLV_IN_START_BODY, CLV_IN_START_JOINT, CLV_IN_START_MODES};

static void add_start(clv_reader *r, int which, const clv_yaml_node *key, const char *name, long copy, bool bad)
{
    size_t seen;
    char path[160];
    clv_path_join(path, sizeof path, group[which], name);
    if (clv_map_find(&r->start[which], name, &seen)) {
        clv_read_fail(r, CLV_ERR_MODEL, key, path, NULL, "keep one of the two", "the start of '%.80s' is given twice",
                      name);
        return;
    }
    if (!clv_read_reserve(r, &r->start_entry, &r->start_capacity, r->nstart + 1, sizeof *r->start_entry))
        return;
    r->start_entry[r->nstart] = (clv_start){(unsigned)(key - r->tree.node), copy, false, bad};
    if (!clv_map_add(&r->start[which], name, r->nstart++))
        clv_read_out_of_memory(r);
}

/* One key of start.bodies or start.joints and the names it stands for. */
static void read_entry(clv_reader *r, int which, const clv_yaml_node *key)
{
    clv_entry e;
    char path[160], name[256];
    long count = 1, from = 1;
    clv_path_join(path, sizeof path, group[which], clv_node_text(r, key));
    clv_entry_read(&e, r, clv_node(r, key->next), key, section_of[which], path);
    clv_entry_copies(&e, &count, &from);
    bool bad = !e.good;
    for (long k = 0; k < count && !r->memory; ++k) {
        e.copy = from + k;
        if (!clv_name_expand(&e, key, NULL, clv_node_text(r, key), name, sizeof name))
            break;
        add_start(r, which, key, name, e.copy, bad);
    }
}

/* May loops strain flexible bodies? */
static void read_flexible(clv_entry *e, const clv_value *v)
{
    const char *text = clv_value_text(e, v);
    if (text && strcmp(text, "least-energy") == 0)
        clv_model_set_start_strained(e->reader->model, true);
    else if (text && strcmp(text, "rigid") != 0)
        clv_entry_fail(e, v, "flexible", "write `flexible: rigid` or `flexible: least-energy`",
                       "unknown way to close loops '%.80s'", text);
}

void clv_read_start(clv_reader *r, const clv_yaml_node *node)
{
    clv_entry e;
    if (!node || node->kind != CLV_YAML_MAP)
        return;
    clv_entry_read(&e, r, node, NULL, CLV_IN_START, "start");
    read_flexible(&e, CLV_VALUE(&e, START, FLEXIBLE));
    const clv_yaml_node *map[GROUPS] = {CLV_VALUE(&e, START, BODIES)->node, CLV_VALUE(&e, START, JOINTS)->node,
                                        CLV_VALUE(&e, START, MODES)->node};
    for (int which = 0; which < GROUPS; ++which) {
        const clv_yaml_node *key =
            map[which] && map[which]->kind == CLV_YAML_MAP ? clv_node(r, map[which]->first) : NULL;
        for (; key && !r->memory; key = clv_node(r, clv_node(r, key->next)->next))
            read_entry(r, which, key);
    }
}

bool clv_start_of(clv_entry *start, clv_entry *item, int which, const char *name)
{
    clv_reader *r = item->reader;
    char path[160];
    size_t index;
    if (!clv_map_find(&r->start[which], name, &index))
        return false;
    clv_start *s = &r->start_entry[index];
    const clv_yaml_node *key = clv_node(r, s->node);
    s->used = true;
    if (s->bad) { /* reported when the section was read */
        item->good = false;
        return false;
    }
    clv_path_join(path, sizeof path, group[which], name);
    return clv_entry_read_copy(start, r, clv_node(r, key->next), key, section_of[which], path, s->copy);
}

/* Names of the start that are nobody's, once all bodies and joints are made. */
void clv_read_start_unused(clv_reader *r)
{
    for (int which = 0; which < GROUPS; ++which)
        for (size_t k = 0; k < r->start[which].nslot; ++k) {
            const clv_map_slot *slot = &r->start[which].slot[k];
            const char *name = slot->key ? r->start[which].pool + slot->key - 1 : NULL;
            int category = which == 1 ? CLV_A_JOINT : CLV_A_BODY;
            size_t seen;
            if (!name || r->start_entry[slot->value].used || clv_map_find(&r->lost[category], name, &seen))
                continue;
            const clv_yaml_node *at = clv_node(r, r->start_entry[slot->value].node);
            if (which == 2 && clv_model_find_body(r->model, name) >= 0)
                clv_read_fail(r, CLV_ERR_MODEL, at, group[which], NULL, "name a body that is `flexible`",
                              "the body '%.80s' has no modes", name);
            else
                clv_fail_dangling(r, at, category, group[which], name);
        }
}
