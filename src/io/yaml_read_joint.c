/* SPDX-License-Identifier: Apache-2.0
 * Joints: the short form (place and axis in the global start pose) or the long form (a frame in each body's axes). */
#include "base/memory.h"
#include "io/yaml_read.h"
#include "math/rotation.h"
#include "model/joint.h"
#include "model/keep.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* An orientation as the model keeps it for joints. */
typedef struct turned {
    double R[9];
    bool given;
} turned;

bool clv_coordinate_turns(clv_joint_kind kind, int k)
{
    switch (kind) {
    case CLV_JOINT_REVOLUTE:
    case CLV_JOINT_HELICAL:
    case CLV_JOINT_UNIVERSAL:
        return true;
    case CLV_JOINT_CYLINDRICAL:
        return k == 1;
    case CLV_JOINT_PLANAR:
        return k == 2;
    default:
        return false;
    }
}

/* Kind of that name, or -1. */
static int find_kind(const char *text)
{
    for (int k = 0; k < CLV_JOINT_KINDS; ++k)
        if (strcmp(clv_joint_table[k].name, text) == 0)
            return k;
    return -1;
}

void clv_check_joint_kind(clv_entry *e, const clv_value *v)
{
    const char *text = clv_value_text(e, v), *near = NULL;
    int distance = clv_near_enough(text) + 1;
    char hint[200];
    if (find_kind(text) >= 0)
        return;
    for (int k = 0; k < CLV_JOINT_KINDS; ++k)
        clv_nearest(&near, &distance, text, clv_joint_table[k].name);
    if (clv_hint_kind(text))
        snprintf(hint, sizeof hint, "%s", clv_hint_kind(text));
    else if (near)
        snprintf(hint, sizeof hint, "did you mean '%s'?", near);
    else
        snprintf(hint, sizeof hint, "one of %s", clv_schema[CLV_KEY_JOINT_KIND].text);
    clv_entry_fail(e, v, "kind", hint, "unknown kind of joint '%.80s'", text);
}

/* A key that must not stand with this kind or form. */
static void refuse(clv_entry *e, const clv_value *v, const char *key, const char *why)
{
    if (v->node)
        clv_entry_fail(e, v, key, "remove it", "'%s' %s", key, why);
}

static void require(clv_entry *e, const clv_value *v, clv_key key, const char *kind)
{
    char hint[160];
    if (v->node)
        return;
    snprintf(hint, sizeof hint, "add `%s`", clv_schema[key].example);
    clv_entry_fail(e, NULL, clv_schema[key].key, hint, "the key '%s' is missing: a %s joint needs it",
                   clv_schema[key].key, kind);
}

static void read_short(clv_entry *e, clv_joint_desc *d)
{
    const char *kind = clv_joint_table[d->kind].name;
    const clv_value *at = CLV_VALUE(e, JOINT, AT), *at_b = CLV_VALUE(e, JOINT, AT_B), *axis = CLV_VALUE(e, JOINT, AXIS);
    const clv_value *x_axis = CLV_VALUE(e, JOINT, X_AXIS);
    bool constraint = d->kind == CLV_JOINT_POINT || d->kind == CLV_JOINT_DISTANCE;
    bool axial =
        !constraint && d->kind != CLV_JOINT_FIXED && d->kind != CLV_JOINT_SPHERICAL && d->kind != CLV_JOINT_FREE;
    const clv_yaml_node *first = clv_node(e->reader, CLV_VALUE(e, JOINT, BETWEEN)->node->first);
    if (clv_joint_rolls(d->kind) || d->kind == CLV_JOINT_POINT_ON_CURVE) {
        clv_entry_fail(e, CLV_VALUE(e, JOINT, BETWEEN), "between",
                       clv_joint_rolls(d->kind) ? "give `a: {body: ground}` for the plane (normal z) and "
                                                  "`b: {body: wheel}` for the axis (z)"
                                                : "give `a: {body: cam}` for the curve and `b: {body: follower}` for "
                                                  "the point",
                       "a %s joint needs the long form", kind);
        return;
    }
    clv_find_body(e, first, "between", true, &d->a);
    clv_find_body(e, clv_node(e->reader, first->next), "between", true, &d->b);
    d->global = true;
    if (axial || constraint)
        require(e, at, CLV_KEY_JOINT_AT, kind);
    if (axial)
        require(e, axis, CLV_KEY_JOINT_AXIS, kind);
    if (d->kind == CLV_JOINT_DISTANCE)
        require(e, at_b, CLV_KEY_JOINT_AT_B, kind);
    else
        refuse(e, at_b, "at_b", "belongs to distance constraints");
    memcpy(d->at, at->x, sizeof d->at);
    memcpy(d->at_b, at_b->node ? at_b->x : at->x, sizeof d->at_b);
    if (axis->node)
        memcpy(d->axis, axis->x, sizeof d->axis);
    memcpy(d->x_axis, x_axis->x, sizeof d->x_axis);
    double R[9];
    if (e->good && x_axis->node && !clv_rotation_frame(R, d->axis, d->x_axis))
        clv_entry_fail(e, x_axis, "x_axis", "choose a direction not parallel to axis", "x_axis is parallel to axis");
}

static void read_side(clv_entry *e, const clv_value *v, const char *key, int *body, double position[3], double q[4],
                      turned *t)
{
    clv_entry s;
    char path[160];
    bool exact;
    clv_path_join(path, sizeof path, e->path, key);
    if (clv_entry_read_in(&s, e, v->node, NULL, CLV_IN_SIDE, path)) {
        clv_find_body(&s, CLV_VALUE(&s, SIDE, BODY)->node, "body", true, body);
        memcpy(position, CLV_VALUE(&s, SIDE, POSITION)->x, 3 * sizeof *position);
        t->given = CLV_VALUE(&s, SIDE, ORIENTATION)->node != NULL;
        clv_value_orientation(&s, CLV_VALUE(&s, SIDE, ORIENTATION), "orientation", q, t->R, &exact);
    }
    e->good = e->good && s.good;
}

static void read_long(clv_entry *e, clv_joint_desc *d, turned *ta, turned *tb)
{
    const clv_value *a = CLV_VALUE(e, JOINT, A), *b = CLV_VALUE(e, JOINT, B);
    const char *why = "is part of the short form; this joint uses the long form (a, b)";
    refuse(e, CLV_VALUE(e, JOINT, AT), "at", why);
    refuse(e, CLV_VALUE(e, JOINT, AT_B), "at_b", why);
    refuse(e, CLV_VALUE(e, JOINT, AXIS), "axis", why);
    refuse(e, CLV_VALUE(e, JOINT, X_AXIS), "x_axis", why);
    read_side(e, a, "a", &d->a, d->position_a, d->orientation_a, ta);
    read_side(e, b, "b", &d->b, d->position_b, d->orientation_b, tb);
}

/* q and u of the start: as many as the kind has, degrees at angles only. */
static void read_coordinates(clv_entry *e, clv_entry *start, const clv_value *v, const char *key,
                             const clv_joint_desc *d, int n, double *x)
{
    const char *kind = clv_joint_table[d->kind].name;
    bool quaternion = *key == 'q' && clv_joint_table[d->kind].nq > clv_joint_table[d->kind].nu;
    if (v->count != n) {
        clv_entry_fail(start, v, key,
                       n == 0       ? "remove it"
                       : quaternion ? "the rotation is a quaternion w, x, y, z; 1, 0, 0, 0 is the identity"
                                    : "give one number for each",
                       "a %s joint has %d %s, found %d", kind, n, *key == 'q' ? "coordinates" : "rates", v->count);
        e->good = false;
        return;
    }
    for (int k = 0; k < n; ++k) {
        bool turns = clv_coordinate_turns(d->kind, k) ||
                     (*key == 'u' && (d->kind == CLV_JOINT_SPHERICAL || (d->kind == CLV_JOINT_FREE && k > 2)));
        if (v->unit[k] == 1 && !turns) {
            clv_entry_fail(start, v, key, "give it without deg", "number %d of a %s joint is not an angle", k + 1,
                           kind);
            e->good = false;
        } else if (v->unit[k] == 0 && turns) {
            clv_entry_fail(start, v, key, *key == 'q' ? "give it in rad or deg" : "give it in rad/s, deg/s or rpm",
                           "number %d of a %s joint is an angle, not a length", k + 1, kind);
            e->good = false;
        }
    }
    memcpy(x, v->x, (size_t)n * sizeof *x);
    if (quaternion && !(fabs(clv_quat_norm(x + n - 4) - 1) <= 1e-3)) {
        clv_entry_fail(start, v, key, "divide the four numbers by their length; 1, 0, 0, 0 is the identity",
                       "the quaternion w, x, y, z has length %.4g, not 1", clv_quat_norm(x + n - 4));
        e->good = false;
    }
}

static void read_start(clv_entry *e, clv_entry *start, clv_joint_desc *d)
{
    const clv_value *q = CLV_VALUE(start, START_JOINT, Q), *u = CLV_VALUE(start, START_JOINT, U);
    d->has_q = q->node != NULL;
    d->has_u = u->node != NULL;
    if (d->has_q)
        read_coordinates(e, start, q, "q", d, clv_joint_table[d->kind].nq, d->q);
    if (d->has_u)
        read_coordinates(e, start, u, "u", d, clv_joint_table[d->kind].nu, d->u);
}

/* What the description cannot carry to the last bit: matrices, quaternions already of unit length. */
static void keep_bits(clv_reader *r, clv_joint *j, const clv_joint_desc *d, const turned *ta, const turned *tb)
{
    int nq = clv_joint_table[d->kind].nq;
    if (ta->given)
        memcpy(j->Ea, ta->R, sizeof j->Ea);
    if (tb->given)
        memcpy(j->Eb, tb->R, sizeof j->Eb);
    if (d->has_q && nq > clv_joint_table[d->kind].nu && fabs(clv_quat_norm(d->q + nq - 4) - 1) <= 1e-15 &&
        !clv_keep_start(r->model, j, d->q, j->u))
        clv_read_out_of_memory(r);
}

/* How its constraint is held. */
static void read_holding(clv_entry *e, clv_joint_desc *d)
{
    const clv_value *baumgarte = CLV_VALUE(e, JOINT, BAUMGARTE), *alpha = CLV_VALUE(e, JOINT, ALPHA),
                    *omega = CLV_VALUE(e, JOINT, OMEGA), *mu = CLV_VALUE(e, JOINT, MU);
    if (baumgarte->count == 2 && (baumgarte->unit[0] == 1 || baumgarte->unit[1] == 0))
        clv_entry_fail(e, baumgarte, "baumgarte", "write it as `baumgarte: [100 s^-2, 20 s^-1]`",
                       "the first gain is in 1/s^2, the second in 1/s");
    if (baumgarte->node)
        memcpy(d->baumgarte, baumgarte->x, sizeof d->baumgarte);
    d->alpha = alpha->node ? alpha->x[0] : NAN;
    d->omega = omega->node ? omega->x[0] : NAN;
    d->mu = mu->node ? mu->x[0] : NAN;
}

/* Inertia of rotors: a number for each rate; one is enough for a spherical joint. */
static void read_armature(clv_entry *e, clv_joint_desc *d)
{
    const clv_value *v = CLV_VALUE(e, JOINT, ARMATURE);
    const int nu = clv_joint_table[d->kind].nu;
    if (!v->node)
        return;
    if (nu < 1 || nu > 3 || !clv_joint_table[d->kind].tree)
        refuse(e, v, "armature", "belongs to joints with one to three rates");
    else if (v->count != nu && !(v->count == 1 && d->kind == CLV_JOINT_SPHERICAL)) {
        clv_entry_fail(e, v, "armature", "give one number for each rate", "a %s joint takes %d, found %d",
                       clv_joint_table[d->kind].name, nu, v->count);
        e->good = false;
    } else
        for (int i = 0; i < nu; i++)
            d->armature[i] = v->x[v->count == 1 ? 0 : i];
}

/* Points of a curve; their storage is to be freed. */
static double *read_curve(clv_entry *e, clv_joint_desc *d)
{
    const clv_value *v = CLV_VALUE(e, JOINT, CURVE), *closed = CLV_VALUE(e, JOINT, CLOSED);
    const clv_schema_row *key = &clv_schema[CLV_KEY_JOINT_CURVE];
    if (d->kind != CLV_JOINT_POINT_ON_CURVE) {
        refuse(e, v, "curve", "belongs to point-on-curve");
        refuse(e, closed, "closed", "belongs to point-on-curve");
        return NULL;
    }
    require(e, v, CLV_KEY_JOINT_CURVE, "point-on-curve");
    d->curve_closed = closed->node && closed->x[0] != 0;
    if (!v->node || v->node->refused)
        return NULL;
    double *x = clv_alloc(3 * (size_t)v->node->count + 1, sizeof *x);
    if (!x) {
        clv_read_out_of_memory(e->reader);
        e->good = false;
        return NULL;
    }
    d->curve = x;
    for (const clv_yaml_node *row = clv_node(e->reader, v->node->first); row; row = clv_node(e->reader, row->next)) {
        int unit, k = 0;
        if (row->kind != CLV_YAML_LIST || row->count != 3) {
            clv_key_fail(e, row, key, "point %d of the curve is not [x, y, z]", d->ncurve + 1);
            e->good = false;
            break;
        }
        for (const clv_yaml_node *c = clv_node(e->reader, row->first); c; c = clv_node(e->reader, c->next))
            e->good = clv_read_number(e, c, key, &x[3 * d->ncurve + k++], &unit) && e->good;
        d->ncurve++;
    }
    return x;
}

bool clv_make_joint(clv_entry *e, const char *name)
{
    const clv_value *between = CLV_VALUE(e, JOINT, BETWEEN), *a = CLV_VALUE(e, JOINT, A), *b = CLV_VALUE(e, JOINT, B);
    const clv_value *pitch = CLV_VALUE(e, JOINT, PITCH), *length = CLV_VALUE(e, JOINT, LENGTH),
                    *cut = CLV_VALUE(e, JOINT, CUT), *radius = CLV_VALUE(e, JOINT, RADIUS);
    clv_joint_desc d = clv_joint_desc_default((clv_joint_kind)find_kind(clv_value_text(e, CLV_VALUE(e, JOINT, KIND))));
    turned ta = {.given = false}, tb = {.given = false};
    const clv_yaml_node *start_key = NULL;
    clv_entry start;
    int index;
    d.name = name;
    if (between->node && !a->node && !b->node)
        read_short(e, &d);
    else if (!between->node && a->node && b->node)
        read_long(e, &d, &ta, &tb);
    else
        clv_entry_fail(e, NULL, NULL, "give `between: [ground, crank]`, or both `a: {body: ...}` and `b: {body: ...}`",
                       between->node ? "'between' and 'a', 'b' exclude each other"
                                     : "the two bodies of the joint are missing");
    if (d.kind == CLV_JOINT_HELICAL)
        require(e, pitch, CLV_KEY_JOINT_PITCH, "helical");
    else
        refuse(e, pitch, "pitch", "belongs to helical joints");
    if (d.kind != CLV_JOINT_DISTANCE)
        refuse(e, length, "length", "belongs to distance constraints");
    if (clv_joint_rolls(d.kind))
        require(e, radius, CLV_KEY_JOINT_RADIUS, clv_joint_table[d.kind].name);
    else
        refuse(e, radius, "radius", "belongs to rolling-disc and rolling-sphere");
    d.radius = radius->x[0];
    read_armature(e, &d);
    double *curve = read_curve(e, &d);
    d.pitch = pitch->x[0];
    d.distance = length->x[0];
    if (cut->node)
        d.cut = (int)cut->x[0];
    read_holding(e, &d);
    if (clv_start_of(&start, e, 1, name) && e->good) {
        start_key = start.name;
        read_start(e, &start, &d);
    }
    const bool made =
        e->good && clv_item_made(e, clv_model_add_joint(e->reader->model, &index, &d), CLV_A_JOINT);
    clv_free(curve);
    if (!made)
        return false;
    keep_bits(e->reader, &e->reader->model->joint[index], &d, &ta, &tb);
    e->reader->model->joint[index].start_place = clv_place_of(start_key);
    return true;
}
