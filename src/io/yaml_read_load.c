/* SPDX-License-Identifier: Apache-2.0
 * Forces, motions.  The kind of a force decides which keys it may hold: each kind is a section of the
 * schema. */
#include "io/yaml_read.h"
#include "base/memory.h"
#include "math/sincos.h"
#include "model/joint.h"
#include "model/profile.h"
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    clv_section section;
} force_kind[] = {{"force", CLV_IN_FORCE},
                  {"torque", CLV_IN_TORQUE},
                  {"joint-load", CLV_IN_LOAD},
                  {"spring-damper", CLV_IN_SPRING},
                  {"angular-damper", CLV_IN_DAMPER},
                  {"bushing", CLV_IN_BUSHING},
                  {"contact", CLV_IN_CONTACT},
                  {"tendon", CLV_IN_TENDON},
                  {"drag", CLV_IN_DRAG},
                  {"contacts", CLV_IN_CONTACTS}};
enum { NKIND = sizeof force_kind / sizeof *force_kind };

bool clv_force_section(clv_reader *r, const clv_yaml_node *key, const char *path, clv_section *section)
{
    const clv_yaml_node *map = clv_node(r, key->next), *kind = NULL;
    const char *near = NULL;
    char hint[160] = "one of force, torque, joint-load, spring-damper, angular-damper, bushing, contact, tendon, "
                     "drag, contacts";
    if (map->refused)
        return false;
    for (const clv_yaml_node *k = map->kind == CLV_YAML_MAP ? clv_node(r, map->first) : NULL; k;
         k = clv_node(r, clv_node(r, k->next)->next))
        if (strcmp(clv_node_text(r, k), "kind") == 0)
            kind = clv_node(r, k->next);
    *section = CLV_IN_FORCE;
    if (kind && kind->refused)
        return false;
    if (!kind || kind->kind != CLV_YAML_SCALAR) {
        clv_read_fail(r, CLV_ERR_MODEL, kind ? kind : key, path, "kind", hint, "a force needs a kind");
        return false;
    }
    const char *text = clv_node_text(r, kind);
    int distance = clv_near_enough(text) + 1;
    for (int i = 0; i < NKIND; ++i) {
        clv_nearest(&near, &distance, text, force_kind[i].name);
        if (strcmp(force_kind[i].name, text) == 0) {
            *section = force_kind[i].section;
            return true;
        }
    }
    if (clv_hint_kind(text))
        snprintf(hint, sizeof hint, "%s", clv_hint_kind(text));
    else if (near)
        snprintf(hint, sizeof hint, "did you mean '%s'?", near);
    clv_read_fail(r, CLV_ERR_MODEL, kind, path, "kind", hint, "unknown kind of force '%.80s'", text);
    return false;
}

static bool add(clv_entry *e, clv_force_desc *d, double *storage)
{
    bool made = e->good && clv_item_made(e, clv_model_add_force(e->reader->model, NULL, d), CLV_A_FORCE);
    clv_free(storage);
    return made;
}

/* Axes of the vector: global (default) or body. */
static void read_frame(clv_entry *e, const clv_value *v, clv_force_desc *d)
{
    const char *text = clv_value_text(e, v);
    if (!text)
        return;
    d->in_body = strcmp(text, "body") == 0;
    if (!d->in_body && strcmp(text, "global") != 0)
        clv_entry_fail(e, v, "frame", "write `frame: global` or `frame: body`", "unknown frame '%.80s'", text);
}

static bool make_force(clv_entry *e, clv_force_desc *d)
{
    double *storage;
    clv_find_body(e, CLV_VALUE(e, FORCE, BODY)->node, "body", false, &d->b);
    memcpy(d->point_b, CLV_VALUE(e, FORCE, POINT)->x, sizeof d->point_b);
    memcpy(d->vector, CLV_VALUE(e, FORCE, VECTOR)->x, sizeof d->vector);
    read_frame(e, CLV_VALUE(e, FORCE, FRAME), d);
    clv_value_table(e, CLV_VALUE(e, FORCE, TABLE), "table", 1, false, &d->table, &storage);
    return add(e, d, storage);
}

static bool make_torque(clv_entry *e, clv_force_desc *d)
{
    double *storage;
    clv_find_body(e, CLV_VALUE(e, TORQUE, BODY)->node, "body", false, &d->b);
    memcpy(d->vector, CLV_VALUE(e, TORQUE, VECTOR)->x, sizeof d->vector);
    read_frame(e, CLV_VALUE(e, TORQUE, FRAME), d);
    clv_value_table(e, CLV_VALUE(e, TORQUE, TABLE), "table", 1, false, &d->table, &storage);
    return add(e, d, storage);
}

static void read_friction(clv_entry *e, clv_friction *f)
{
    const clv_value *breakaway = CLV_VALUE(e, LOAD, BREAKAWAY), *stribeck = CLV_VALUE(e, LOAD, STRIBECK),
                    *stiction = CLV_VALUE(e, LOAD, STICTION);
    f->sliding = CLV_VALUE(e, LOAD, FRICTION)->x[0];
    if (breakaway->node)
        f->breakaway = breakaway->x[0];
    if (stribeck->node)
        f->stribeck_speed = stribeck->x[0];
    if (stiction->node)
        f->stiction_speed = stiction->x[0];
}

static void read_bearing(clv_entry *e, clv_bearing *b)
{
    const clv_value *at_rest = CLV_VALUE(e, LOAD, STATIC);
    b->coefficient = CLV_VALUE(e, LOAD, COEFFICIENT)->x[0];
    if (at_rest->node)
        b->static_coefficient = at_rest->x[0];
    b->radius = CLV_VALUE(e, LOAD, PIN)->x[0];
    b->collar = CLV_VALUE(e, LOAD, COLLAR)->x[0];
    b->span = CLV_VALUE(e, LOAD, SPAN)->x[0];
}

/* One row of a table over a coordinate or a rate: pure numbers, or angles in deg. */
static bool read_row(clv_entry *e, const clv_yaml_node *row, const clv_schema_row *key, bool turns, double x[2])
{
    clv_schema_row first = *key, second = *key;
    int unit;
    if (row->kind != CLV_YAML_LIST || row->count != 2) {
        clv_key_fail(e, row, key, "a row of the table is not [m or rad, N or N m]");
        return false;
    }
    const clv_yaml_node *a = clv_node(e->reader, row->first);
    first.unit = strcmp(key->key, "damper_table") == 0 ? turns ? "rad/s" : "m/s" : turns ? "rad" : "m";
    first.angle = turns ? CLV_ANGLE : CLV_NO_ANGLE;
    second.unit = turns ? "N m" : "N", second.angle = CLV_NO_ANGLE;
    return clv_read_number(e, a, &first, &x[0], &unit) &&
           clv_read_number(e, clv_node(e->reader, a->next), &second, &x[1], &unit);
}

/* A table over a coordinate or a rate; its storage is to be freed. */
static double *read_law(clv_entry *e, const clv_value *v, const clv_schema_row *key, bool turns, clv_table *table)
{
    if (!v->node)
        return NULL;
    const int n = (int)v->node->count;
    double *x = clv_alloc((size_t)n + 1, 2 * sizeof *x), row[2];
    int k = 0;
    if (!x) {
        clv_read_out_of_memory(e->reader);
        e->good = false;
        return NULL;
    }
    for (const clv_yaml_node *c = clv_node(e->reader, v->node->first); c; c = clv_node(e->reader, c->next), k++) {
        if (!read_row(e, c, key, turns, row)) {
            e->good = false;
            return x;
        }
        x[k] = row[0], x[n + k] = row[1];
    }
    if (n == 0)
        clv_entry_fail(e, v, key->key, "add rows, or leave it out", "the table has no rows");
    *table = (clv_table){n, x, x + n};
    return x;
}

/* limits, then stiffness, dissipation and exponent of their stops */
static void read_stop(clv_stop *x, const clv_value *lower, const clv_value *upper, const clv_value *stiffness,
                      const clv_value *dissipation, const clv_value *exponent)
{
    if (lower->node)
        x->lower = lower->x[0];
    if (upper->node)
        x->upper = upper->x[0];
    if (exponent->node)
        x->exponent = exponent->x[0];
    x->stiffness = stiffness->x[0];
    x->dissipation = dissipation->x[0];
}

static bool make_joint_load(clv_entry *e, clv_force_desc *d)
{
    double *storage, *spring, *damper;
    bool turns = false;
    const clv_value *rest = CLV_VALUE(e, LOAD, REST), *drive = CLV_VALUE(e, LOAD, DRIVE);
    d->coordinate = (int)CLV_VALUE(e, LOAD, COORDINATE)->x[0];
    d->stiffness = CLV_VALUE(e, LOAD, STIFFNESS)->x[0];
    d->damping = CLV_VALUE(e, LOAD, DAMPING)->x[0];
    d->rest = rest->x[0];
    d->drive = drive->count ? drive->x[0] : 0;
    d->limit = CLV_VALUE(e, LOAD, LIMIT)->x[0];
    read_friction(e, &d->friction);
    read_bearing(e, &d->bearing);
    read_stop(&d->stop, CLV_VALUE(e, LOAD, LOWER), CLV_VALUE(e, LOAD, UPPER), CLV_VALUE(e, LOAD, STOP_STIFFNESS),
              CLV_VALUE(e, LOAD, STOP_DISSIPATION), CLV_VALUE(e, LOAD, STOP_EXPONENT));
    if (CLV_VALUE(e, LOAD, STOP_RESTITUTION)->node)
        d->stop.restitution = CLV_VALUE(e, LOAD, STOP_RESTITUTION)->x[0];
    if (clv_find_joint(e, CLV_VALUE(e, LOAD, JOINT)->node, "joint", &d->joint)) {
        const clv_joint *j = &e->reader->model->joint[d->joint];
        turns = clv_coordinate_turns(j->kind, d->coordinate);
        clv_value_fits(e, rest, "rest", turns, j->name);
        clv_value_fits(e, CLV_VALUE(e, LOAD, STIFFNESS), "stiffness", turns, j->name);
        clv_value_fits(e, CLV_VALUE(e, LOAD, DAMPING), "damping", turns, j->name);
        clv_value_fits(e, drive, "drive", turns, j->name);
        clv_value_fits(e, CLV_VALUE(e, LOAD, LOWER), "lower", turns, j->name);
        clv_value_fits(e, CLV_VALUE(e, LOAD, UPPER), "upper", turns, j->name);
        clv_value_fits(e, CLV_VALUE(e, LOAD, FRICTION), "friction", turns, j->name);
        clv_value_fits(e, CLV_VALUE(e, LOAD, BREAKAWAY), "breakaway", turns, j->name);
        clv_value_fits(e, CLV_VALUE(e, LOAD, STRIBECK), "stribeck_speed", turns, j->name);
        clv_value_fits(e, CLV_VALUE(e, LOAD, STICTION), "stiction_speed", turns, j->name);
        clv_value_fits(e, CLV_VALUE(e, LOAD, LIMIT), "effort_limit", turns, j->name);
    }
    spring = read_law(e, CLV_VALUE(e, LOAD, SPRING_TABLE), &clv_schema[CLV_KEY_LOAD_SPRING_TABLE], turns, &d->spring);
    damper = read_law(e, CLV_VALUE(e, LOAD, DAMPER_TABLE), &clv_schema[CLV_KEY_LOAD_DAMPER_TABLE], turns, &d->damper);
    clv_value_table(e, drive, "drive", 1, turns, &d->table, &storage);
    const bool made = add(e, d, storage);
    clv_free(spring), clv_free(damper);
    return made;
}

static void read_between(clv_entry *e, const clv_value *v, clv_force_desc *d)
{
    const clv_yaml_node *first = clv_node(e->reader, v->node->first);
    clv_find_body(e, first, "between", true, &d->a);
    clv_find_body(e, clv_node(e->reader, first->next), "between", true, &d->b);
}

static bool make_spring(clv_entry *e, clv_force_desc *d)
{
    const clv_value *points = CLV_VALUE(e, SPRING, POINTS);
    read_between(e, CLV_VALUE(e, SPRING, BETWEEN), d);
    memcpy(d->point_a, points->x, sizeof d->point_a);
    memcpy(d->point_b, points->x + 3, sizeof d->point_b);
    d->stiffness = CLV_VALUE(e, SPRING, STIFFNESS)->x[0];
    d->damping = CLV_VALUE(e, SPRING, DAMPING)->x[0];
    d->rest = CLV_VALUE(e, SPRING, LENGTH)->x[0];
    read_stop(&d->stop, CLV_VALUE(e, SPRING, LOWER), CLV_VALUE(e, SPRING, UPPER), CLV_VALUE(e, SPRING, STOP_STIFFNESS),
              CLV_VALUE(e, SPRING, STOP_DISSIPATION), CLV_VALUE(e, SPRING, STOP_EXPONENT));
    return add(e, d, NULL);
}

static bool make_damper(clv_entry *e, clv_force_desc *d)
{
    read_between(e, CLV_VALUE(e, DAMPER, BETWEEN), d);
    d->damping = CLV_VALUE(e, DAMPER, DAMPING)->x[0];
    return add(e, d, NULL);
}

/* Three numbers, or one for all. */
static void take_three(double x[3], const clv_value *v)
{
    for (int i = 0; v->node && i < 3; i++)
        x[i] = v->x[v->count > 1 ? i : 0];
}

static bool make_bushing(clv_entry *e, clv_force_desc *d)
{
    const clv_value *points = CLV_VALUE(e, BUSHING, POINTS), *a = CLV_VALUE(e, BUSHING, ORIENTATION_A),
                    *b = CLV_VALUE(e, BUSHING, ORIENTATION_B);
    clv_bushing *g = &d->bushing;
    read_between(e, CLV_VALUE(e, BUSHING, BETWEEN), d);
    memcpy(d->point_a, points->x, sizeof d->point_a);
    memcpy(d->point_b, points->x + 3, sizeof d->point_b);
    if (a->node)
        memcpy(g->orientation_a, a->x, sizeof g->orientation_a);
    if (b->node)
        memcpy(g->orientation_b, b->x, sizeof g->orientation_b);
    take_three(g->stiffness, CLV_VALUE(e, BUSHING, STIFFNESS));
    take_three(g->stiffness + 3, CLV_VALUE(e, BUSHING, TURN_STIFFNESS));
    take_three(g->damping, CLV_VALUE(e, BUSHING, DAMPING));
    take_three(g->damping + 3, CLV_VALUE(e, BUSHING, TURN_DAMPING));
    take_three(g->preload, CLV_VALUE(e, BUSHING, PRELOAD));
    take_three(g->preload + 3, CLV_VALUE(e, BUSHING, TURN_PRELOAD));
    return add(e, d, NULL);
}

static bool make_contact(clv_entry *e, clv_force_desc *d)
{
    clv_contact *c = &d->contact;
    read_between(e, CLV_VALUE(e, CONTACT, BETWEEN), d);
    memcpy(c->point, CLV_VALUE(e, CONTACT, POINT)->x, sizeof c->point);
    memcpy(c->normal, CLV_VALUE(e, CONTACT, NORMAL)->x, sizeof c->normal);
    clv_read_contact_numbers(CLV_VALUE(e, CONTACT, STIFFNESS), c);
    return add(e, d, NULL);
}

bool clv_make_force(clv_entry *e, const char *name)
{
    static const struct {
        clv_section section;
        clv_force_kind kind;
        bool (*make)(clv_entry *e, clv_force_desc *d);
    } row[] = {{CLV_IN_FORCE, CLV_FORCE_POINT, make_force},
               {CLV_IN_TORQUE, CLV_FORCE_TORQUE, make_torque},
               {CLV_IN_LOAD, CLV_FORCE_JOINT, make_joint_load},
               {CLV_IN_SPRING, CLV_FORCE_SPRING, make_spring},
               {CLV_IN_DAMPER, CLV_FORCE_ANGULAR, make_damper},
               {CLV_IN_BUSHING, CLV_FORCE_BUSHING, make_bushing},
               {CLV_IN_CONTACT, CLV_FORCE_CONTACT, make_contact},
               {CLV_IN_TENDON, CLV_FORCE_TENDON, clv_make_tendon},
               {CLV_IN_DRAG, CLV_FORCE_DRAG, clv_make_drag},
               {CLV_IN_CONTACTS, CLV_FORCE_CONTACTS, clv_make_contacts}};
    int k = 0;
    while (row[k].section != e->section)
        ++k;
    clv_force_desc d = clv_force_desc_default(row[k].kind);
    d.name = name;
    return row[k].make(e, &d);
}

/* Refuses deg at a translation and mm at an angle; the joint's only coordinate decides. */
static void check_unit(clv_entry *e, int joint, const clv_value *v, const char *key)
{
    const clv_joint *j = &e->reader->model->joint[joint];
    clv_value_fits(e, v, key, clv_coordinate_turns(j->kind, 0), j->name);
}

/* The profile of a table, and what belongs to it. */
static void read_profile(clv_entry *e, clv_motion_desc *d)
{
    const clv_value *profile = CLV_VALUE(e, MOTION, PROFILE), *ends = CLV_VALUE(e, MOTION, END_RATES);
    const char *text = profile->node ? clv_value_text(e, profile) : NULL;
    const bool table = CLV_VALUE(e, MOTION, TABLE)->node != NULL;
    for (int i = 0; text && clv_profile_name[i]; i++)
        if (strcmp(text, clv_profile_name[i]) == 0)
            d->profile = (clv_profile)i, text = NULL;
    if (text)
        clv_entry_fail(e, profile, "profile", "one of natural, linear, smooth, clamped, monotone",
                       "unknown profile '%.80s'", text);
    else if (profile->node && !table)
        clv_entry_fail(e, profile, "profile", "give a table, or leave the profile out",
                       "a profile belongs to a table; there is no table");
    else if (ends->node && d->profile != CLV_PROFILE_CLAMPED)
        clv_entry_fail(e, ends, "end_rates", "add `profile: clamped`, or leave the rates out",
                       "only a table with `profile: clamped` has given rates at its ends");
    memcpy(d->end_rate, ends->x, sizeof d->end_rate);
}

bool clv_make_motion(clv_entry *e, const char *name)
{
    const clv_value *offset = CLV_VALUE(e, MOTION, OFFSET), *rate = CLV_VALUE(e, MOTION, RATE);
    const clv_value *amplitude = CLV_VALUE(e, MOTION, AMPLITUDE), *table = CLV_VALUE(e, MOTION, TABLE);
    clv_motion_desc d = clv_motion_desc_default();
    double *storage = NULL;
    d.name = name;
    if (offset->node)
        d.offset = offset->x[0];
    d.rate = rate->x[0];
    d.amplitude = amplitude->x[0];
    d.frequency = CLV_VALUE(e, MOTION, FREQUENCY)->x[0];
    d.phase = CLV_VALUE(e, MOTION, PHASE)->x[0];
    if (table->node && (offset->node || rate->node || amplitude->node || CLV_VALUE(e, MOTION, FREQUENCY)->node ||
                        CLV_VALUE(e, MOTION, PHASE)->node))
        clv_entry_fail(e, table, "table", "keep the table or the formula",
                       "a table replaces offset, rate, amplitude, frequency and phase; both are given");
    read_profile(e, &d);
    if (clv_find_joint(e, CLV_VALUE(e, MOTION, JOINT)->node, "joint", &d.joint)) {
        check_unit(e, d.joint, offset, "offset");
        check_unit(e, d.joint, rate, "rate");
        check_unit(e, d.joint, amplitude, "amplitude");
        check_unit(e, d.joint, CLV_VALUE(e, MOTION, END_RATES), "end_rates");
        clv_value_table(e, table, "table", e->good ? clv_profile_rows(d.profile) : 2,
                        clv_coordinate_turns(e->reader->model->joint[d.joint].kind, 0), &d.table, &storage);
    }
    bool made = e->good && clv_item_made(e, clv_model_add_motion(e->reader->model, NULL, &d), CLV_A_MOTION);
    clv_free(storage);
    return made;
}
