/* SPDX-License-Identifier: Apache-2.0
 * The rules of contacts (T61, T105): two bodies with shapes, or a plane of the ground and a body; lists of such bodies;
 * numbers in their ranges. */
#include "base/error.h"
#include "math/rotation.h"
#include "model/bore.h"
#include "model/group.h"
#include "model/model.h"
#include <math.h>

#define NOTE(m, f, field, number, hint, ...)                                                \
    do {                                                                                    \
        clv_error *note_ = clv_model_note((m), "forces", (f)->name, (field), __VA_ARGS__);  \
        clv_error_hint(note_, "%s", (hint));                                                \
        note_->value = (number);                                                            \
    } while (0)

/* two shapes that cannot touch; a NULL: a plane */
static void check_pair(clv_model *m, const clv_force *f, const clv_shape *a, const clv_shape *b, const char *name_a,
                       const char *name_b)
{
    static const clv_shape plane = {.kind = CLV_SHAPE_NONE};
    const char *hint, *why = clv_bore_refuses(a ? a : &plane, b, &hint);
    if (why && f->group)
        hint = "list who touches in `among` and `with`, or leave pairs out by `except`";
    if (why)
        NOTE(m, f, f->group ? "except" : "between", NAN, hint, "force '%s': '%s' and '%s': %s", f->name, name_a, name_b,
             why);
}

static void check_shapes(clv_model *m, const clv_force *f)
{
    const bool plane = f->a == CLV_GROUND, given = clv_dot3(f->contact.normal, f->contact.normal) > 0;
    const clv_shape_kind a = plane ? CLV_SHAPE_NONE : m->body[f->a].shape->kind, b = m->body[f->b].shape->kind;
    if (plane && !given)
        NOTE(m, f, "normal", NAN, "add `normal: [0, 0, 1]`, and `point` if it does not pass through the origin",
             "force '%s': the ground has no shape; its contact is with a plane, which needs a normal", f->name);
    if (!plane && given)
        NOTE(m, f, "normal", NAN, "leave `normal` out, or write `between: [ground, BODY]`",
             "force '%s': a plane belongs to the ground, not to body '%s'; bodies touch with their shapes", f->name,
             m->body[f->a].name);
    for (int side = plane ? 1 : 0; side < 2; side++)
        if ((side ? b : a) == CLV_SHAPE_NONE) {
            NOTE(m, f, "between", NAN, "add `shape: {sphere: 0.1}` or another shape to the body",
                 "force '%s': body '%s' has no shape to touch with", f->name, m->body[side ? f->b : f->a].name);
            return;
        }
    check_pair(m, f, plane ? NULL : m->body[f->a].shape, m->body[f->b].shape, plane ? "ground" : m->body[f->a].name,
               m->body[f->b].name);
}

/* bodies of a list that have no shape; returns how many have one */
static int check_list(clv_model *m, const clv_force *f, const char *key, const int *body, int n)
{
    int good = 0;
    for (int k = 0; k < n; k++)
        if (body[k] >= 0 && !clv_model_has_shape(m, body[k]))
            NOTE(m, f, key, NAN, "add `shape: {sphere: 0.1}` or another shape to the body, or leave it out",
                 "force '%s': body '%s' has no shape to touch with", f->name, m->body[body[k]].name);
        else
            good++;
    return good;
}

static const char *name_of(const clv_model *m, int entry)
{
    return entry >= 0 ? m->body[entry].name : m->shape[-2 - entry].name;
}

/* is the body or shape in the list, or its body, or a shape of it? */
static bool is_member(const clv_model *m, int entry, const int *list, int n)
{
    const int body = entry >= 0 ? entry : m->shape[-2 - entry].body;
    for (int k = 0; k < n; k++)
        if (list[k] == entry || (list[k] == body && body >= 0) ||
            (entry >= 0 && list[k] < 0 && m->shape[-2 - list[k]].body == entry))
            return true;
    return false;
}

static void check_except(clv_model *m, const clv_force *f)
{
    const clv_touch_group *g = f->group;
    for (int k = 0; k < g->nexcept; k++) {
        const int a = g->except[2 * k], b = g->except[2 * k + 1];
        if (a == b)
            NOTE(m, f, "except", NAN, "name two different bodies", "force '%s': a pair of `except` is '%s' twice",
                 f->name, name_of(m, a));
        for (int side = 0; side < 2 && a != b; side++) {
            const int body = side ? b : a;
            const bool member = g->nfirst == 0 ? body < 0 || clv_model_has_shape(m, body)
                                               : is_member(m, body, g->first, g->nfirst);
            if (!member && !is_member(m, body, g->second, g->nsecond))
                NOTE(m, f, "except", NAN, "leave this pair out", "force '%s': body '%s' of `except` takes no part",
                     f->name, name_of(m, body));
        }
    }
}

static void check_group(clv_model *m, const clv_force *f)
{
    const clv_touch_group *g = f->group;
    int shapes = m->nshape;
    for (int k = 0; g->nfirst == 0 && k < m->nbody; k++)
        shapes += m->body[k].shape->kind != CLV_SHAPE_NONE;
    shapes += check_list(m, f, "among", g->first, g->nfirst) + check_list(m, f, "with", g->second, g->nsecond);
    if (shapes == 0 && g->nfirst + g->nsecond == 0)
        NOTE(m, f, NULL, NAN, "add `shape: {sphere: 0.1}` or another shape to the bodies",
             "force '%s': no body has a shape to touch with", f->name);
    if (g->plane_only && !(clv_dot3(f->contact.normal, f->contact.normal) > 0))
        NOTE(m, f, "plane_only", NAN, "add `normal: [0, 0, 1]`", "force '%s': plane_only needs a plane",
             f->name);
    check_except(m, f);
}

/* impulses have no stiffness, and one coefficient of friction */
static void check_rigid(clv_model *m, const clv_force *f)
{
    const clv_contact *c = &f->contact;
    const char *key = c->stiffness != 0          ? "stiffness"
                      : c->dissipation != 0      ? "dissipation"
                      : c->viscous_friction != 0 ? "viscous_friction"
                                                 : NULL;
    if (key)
        NOTE(m, f, key, NAN, "leave it out, or leave `restitution` out",
             "force '%s': it has a restitution, so it is rigid and takes no %s", f->name, key);
    if (c->static_friction != c->dynamic_friction)
        NOTE(m, f, "static_friction", c->static_friction, "give one of static_friction and dynamic_friction",
             "force '%s': a rigid contact has one coefficient of friction, not %g and %g", f->name,
             c->static_friction, c->dynamic_friction);
}

static void check_numbers(clv_model *m, const clv_force *f)
{
    const clv_contact *c = &f->contact;
    if (!(c->stiffness > 0) && c->restitution < 0)
        NOTE(m, f, "stiffness", c->stiffness,
             "give a number > 0, as `stiffness: 1e6`, in N/m^exponent, or `restitution` for a rigid contact",
             "force '%s': the stiffness of its contact is %g", f->name, c->stiffness);
    if (!(c->exponent >= 1 && c->exponent <= 10))
        NOTE(m, f, "exponent", c->exponent, "give 1 for a linear contact, or 1.5 (Hertz)",
             "force '%s': the exponent of its contact is %g, not in 1 to 10", f->name, c->exponent);
    if (!(c->dissipation >= 0))
        NOTE(m, f, "dissipation", c->dissipation, "give 0 or more, in s/m",
             "force '%s': the dissipation of its contact is negative (%g)", f->name, c->dissipation);
    if (!(c->dynamic_friction >= 0))
        NOTE(m, f, "dynamic_friction", c->dynamic_friction, "give a coefficient of 0 or more",
             "force '%s': its dynamic friction is negative (%g)", f->name, c->dynamic_friction);
    if (!(c->static_friction >= c->dynamic_friction))
        NOTE(m, f, "static_friction", c->static_friction, "give at least `dynamic_friction`, or leave it out",
             "force '%s': its static friction %g is below its dynamic friction %g", f->name, c->static_friction,
             c->dynamic_friction);
    if (!(c->viscous_friction >= 0))
        NOTE(m, f, "viscous_friction", c->viscous_friction, "give 0 or more, in s/m",
             "force '%s': its viscous friction is negative (%g)", f->name, c->viscous_friction);
    if (!(c->transition_speed > 0))
        NOTE(m, f, "transition_speed", c->transition_speed, "give a number > 0, in m/s",
             "force '%s': its transition speed is %g", f->name, c->transition_speed);
}

void clv_model_validate_pairs(clv_model *m, const clv_force *f)
{
    const clv_touch_group *g = f->group;
    for (int i = 0; i < g->n; i++) {
        const clv_touch_member *x = &g->member[i];
        if (x->form->kind != CLV_SHAPE_BORE)
            continue;
        if (x->sides & CLV_ON_PLANE)
            check_pair(m, f, NULL, x->form, "the plane", clv_touch_member_name(m, x));
        for (int j = 0; j < g->n; j++)
            if (i != j && clv_touch_group_takes(g, i, j) && (j > i || g->member[j].form->kind != CLV_SHAPE_BORE))
                check_pair(m, f, x->form, g->member[j].form, clv_touch_member_name(m, x),
                           clv_touch_member_name(m, &g->member[j]));
    }
}

void clv_model_validate_contact(clv_model *m, const clv_force *f)
{
    if (f->kind == CLV_FORCE_CONTACTS)
        check_group(m, f);
    else if (f->a != f->b) /* else said elsewhere */
        check_shapes(m, f);
    check_numbers(m, f);
    if (f->contact.restitution >= 0)
        check_rigid(m, f);
}
