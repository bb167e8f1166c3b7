/* SPDX-License-Identifier: Apache-2.0
 * Events: `when` or `at`, and what happens (T60, T95). */
#include "io/yaml_read.h"
#include "model/joint.h"
#include "model/names.h"
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ when */

/* Was the value written in a unit of the quantity?  unit: which of "m, rad, m/s, rad/s, N, N m"; -1: in none. */
static void check_unit(clv_entry *e, const clv_value *v, const char *key, const clv_event_desc *d)
{
    static const char *const unit[] = {"m", "rad", "m/s", "rad/s", "N", "N m"};
    const bool joint = d->condition != CLV_WHEN_DISTANCE, rate = d->condition == CLV_WHEN_RATE;
    const clv_joint *j = joint ? &e->reader->model->joint[d->joint] : NULL;
    const bool turns = joint && clv_coordinate_turns(j->kind, 0);
    const int wanted = d->condition == CLV_WHEN_FORCE    ? 4
                       : d->condition == CLV_WHEN_TORQUE ? 5
                       : d->condition == CLV_WHEN_EFFORT ? 4 + turns
                                                         : 2 * rate + turns;
    const int given = v->node ? v->unit[0] : -1;
    char hint[40];
    if (given < 0 || given == wanted || (given == 1 && turns && rate)) /* deg at a rate means deg/s */
        return;
    snprintf(hint, sizeof hint, "give it in %s", unit[wanted]);
    if (given == 1 && d->condition == CLV_WHEN_COORDINATE)
        clv_entry_fail(e, v, key, "give it without deg, in metres",
                       "deg is allowed for angles only; this is a translation of %s", j->name);
    else
        clv_entry_fail(e, v, key, hint, "the unit %s is not that of this quantity", unit[given]);
}

static void find_marker(clv_entry *e, const clv_yaml_node *at, int *marker)
{
    char name[128];
    const clv_model *m = e->reader->model;
    if (at->refused || !clv_name_expand(e, at, "marker-distance", clv_node_text(e->reader, at), name, sizeof name)) {
        e->good = false;
        return;
    }
    *marker = clv_names_find(m->names, CLV_NAME_MARKER, name);
    if (*marker >= 0)
        return;
    const char *near = NULL;
    int distance = clv_near_enough(name) + 1;
    for (int i = 0; i < m->nmarker && i < 10000; i++)
        clv_nearest(&near, &distance, name, m->marker[i].name);
    char path[160], hint[200] = "add it under markers";
    if (near)
        snprintf(hint, sizeof hint, "did you mean '%s'?", near);
    clv_path_join(path, sizeof path, e->path, "marker-distance");
    clv_read_fail(e->reader, CLV_ERR_MODEL, at, path, NULL, hint, "there is no marker '%.80s'", name);
    e->good = false;
}

static void read_markers(clv_entry *e, const clv_value *v, clv_event_desc *d)
{
    const clv_yaml_node *first = clv_node(e->reader, v->node->first);
    d->condition = CLV_WHEN_DISTANCE;
    find_marker(e, first, &d->marker[0]);
    find_marker(e, clv_node(e->reader, first->next), &d->marker[1]);
}

static void read_quantity(clv_entry *e, clv_event_desc *d)
{
    const struct {
        const clv_value *value;
        const char *key;
        clv_condition condition;
    } of[] = {{CLV_VALUE(e, WHEN, JOINT), "joint", CLV_WHEN_COORDINATE},
              {CLV_VALUE(e, WHEN, RATE), "rate", CLV_WHEN_RATE},
              {CLV_VALUE(e, WHEN, FORCE), "force", CLV_WHEN_FORCE},
              {CLV_VALUE(e, WHEN, TORQUE), "torque", CLV_WHEN_TORQUE},
              {CLV_VALUE(e, WHEN, EFFORT), "effort", CLV_WHEN_EFFORT},
              {CLV_VALUE(e, WHEN, MARKERS), "marker-distance", CLV_WHEN_DISTANCE}};
    int n = 0, last = 0;
    for (int i = 0; i < (int)(sizeof of / sizeof *of); i++)
        if (of[i].value->node)
            n++, last = i;
    d->condition = of[last].condition;
    if (n != 1)
        clv_entry_fail(
            e, of[last].value, "joint",
            "write `joint: a`, `rate: a`, `force: a`, `torque: a`, `effort: a` or `marker-distance: [p, q]`; "
            "write another event for a second condition",
            n ? "a condition has one quantity" : "a condition needs a quantity");
    else if (of[last].condition == CLV_WHEN_DISTANCE)
        read_markers(e, of[last].value, d);
    else
        clv_find_joint(e, of[last].value->node, of[last].key, &d->joint);
}

/* The condition. */
static void read_when(clv_entry *e, const clv_value *when, clv_event_desc *d)
{
    clv_entry in;
    char path[160];
    clv_path_join(path, sizeof path, e->path, "when");
    if (!clv_entry_read_in(&in, e, when->node, NULL, CLV_IN_WHEN, path)) {
        e->good = false;
        return;
    }
    const clv_value *above = CLV_VALUE(&in, WHEN, ABOVE), *below = CLV_VALUE(&in, WHEN, BELOW);
    if ((above->node != NULL) == (below->node != NULL))
        clv_entry_fail(&in, below, "below", "write `above: 0` or `below: 0`",
                       above->node ? "a condition has one direction; above and below are both given"
                                   : "a condition needs a direction: above or below");
    read_quantity(&in, d);
    d->below = below->node != NULL;
    d->value = d->below ? below->x[0] : above->x[0];
    if (d->joint >= 0 || d->condition == CLV_WHEN_DISTANCE)
        check_unit(&in, above, "above", d), check_unit(&in, below, "below", d);
    e->good = e->good && in.good;
}

/* ------------------------------------------------------------------ what */

static void read_attachment(clv_entry *e, clv_event_desc *d)
{
    const clv_value *bodies = CLV_VALUE(e, EVENT, ATTACH), *kind = CLV_VALUE(e, EVENT, JOINT),
                    *position = CLV_VALUE(e, EVENT, POSITION), *axis = CLV_VALUE(e, EVENT, AXIS);
    const clv_yaml_node *first = clv_node(e->reader, bodies->node->first);
    clv_find_body(e, first, "attach", true, &d->a);
    clv_find_body(e, clv_node(e->reader, first->next), "attach", true, &d->b);
    d->kind = kind->node ? CLV_JOINT_KINDS : CLV_JOINT_FIXED;
    for (int k = 0; kind->node && k < CLV_JOINT_KINDS; k++)
        if (strcmp(clv_value_text(e, kind), clv_joint_table[k].name) == 0)
            d->kind = (clv_joint_kind)k;
    if (d->kind == CLV_JOINT_KINDS)
        clv_entry_fail(e, kind, "joint",
                       "use fixed, revolute, prismatic, cylindrical, universal, planar, spherical or point",
                       "unknown kind of joint '%.60s'", clv_value_text(e, kind));
    else if (d->kind != CLV_JOINT_FIXED && d->kind != CLV_JOINT_PRISMATIC && !position->node)
        clv_entry_fail(e, position, "position",
                       "add `position: [0.3, 0, 0]`: the joint point in the axes of the first body",
                       "this joint needs a position");
    if (position->node)
        memcpy(d->position, position->x, sizeof d->position);
    if (axis->node)
        memcpy(d->axis, axis->x, sizeof d->axis);
}

static void refuse_frames(clv_entry *e)
{
    const clv_value *key[] = {CLV_VALUE(e, EVENT, JOINT), CLV_VALUE(e, EVENT, POSITION), CLV_VALUE(e, EVENT, AXIS)};
    static const char *const name[] = {"joint", "position", "axis"};
    for (int i = 0; i < 3; i++)
        if (key[i]->node)
            clv_entry_fail(e, key[i], name[i], i ? "leave it out" : "write `when: {joint: a, above: 0}` and `lock: a`",
                           "this key belongs to attach");
}

static void read_action(clv_entry *e, clv_event_desc *d, char *text, size_t size)
{
    const clv_value *lock = CLV_VALUE(e, EVENT, LOCK), *release = CLV_VALUE(e, EVENT, RELEASE),
                    *attach = CLV_VALUE(e, EVENT, ATTACH), *stop = CLV_VALUE(e, EVENT, STOP);
    const bool stops = stop->node && stop->x[0] != 0;
    const int n = (lock->node != NULL) + (release->node != NULL) + (attach->node != NULL) + stops;
    if (n != 1) {
        clv_entry_fail(e, lock, n ? "lock" : "stop",
                       "write one of `lock: a`, `release: latch`, `attach: [a, b]`, `stop: true`",
                       n ? "an event has one action; write another event for a second one" : "it has no action");
        return;
    }
    d->action = lock->node      ? CLV_ACTION_LOCK
                : release->node ? CLV_ACTION_RELEASE
                : attach->node  ? CLV_ACTION_ATTACH
                                : CLV_ACTION_STOP;
    if (d->action == CLV_ACTION_ATTACH)
        read_attachment(e, d);
    else
        refuse_frames(e);
    if (d->action == CLV_ACTION_LOCK)
        clv_find_joint(e, lock->node, "lock", &d->lock);
    if (d->action == CLV_ACTION_RELEASE) {
        if (!clv_name_expand(e, release->node, "release", clv_value_text(e, release), text, size))
            e->good = false;
        d->release = text;
    }
}

bool clv_make_event(clv_entry *e, const char *name)
{
    const clv_value *when = CLV_VALUE(e, EVENT, WHEN), *at = CLV_VALUE(e, EVENT, AT),
                    *again = CLV_VALUE(e, EVENT, AGAIN);
    char text[128] = "";
    clv_event_desc d = clv_event_desc_default();
    clv_model *m = e->reader->model;
    d.name = name;
    if ((when->node != NULL) == (at->node != NULL))
        clv_entry_fail(e, at, "at", "write `when: {joint: a, above: 0}` or `at: 3`",
                       at->node ? "an event has one condition; when and at are both given"
                                : "an event needs a condition: when or at");
    else if (when->node)
        read_when(e, when, &d);
    else
        d.time = at->x[0];
    d.again = again->node && again->x[0] != 0;
    read_action(e, &d, text, sizeof text);
    if (!e->good || !clv_item_made(e, clv_model_add_event(m, NULL, &d), CLV_AN_EVENT))
        return false;
    if (d.action == CLV_ACTION_ATTACH)
        m->joint[m->njoint - 1].place = m->event[m->nevent - 1].place;
    return true;
}
