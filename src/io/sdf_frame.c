/* SPDX-License-Identifier: Apache-2.0
 * SDF: items by name, and where they are.  A pose is relative to another item: the one named by relative_to, else the
 * model around it, a joint's child, or what a frame is attached to. */
#include "base/text.h"
#include "io/sdf.h"
#include "math/rotation.h"
#include "math/sincos.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH = 1000, NAME = 400 }; /* references one after the other; characters of a full name */

/* ---------------------------------------------------------------- text */

const char *clv_sdf_text(clv_sdf *S, unsigned node, const char *child)
{
    const unsigned n = clv_xml_child(&S->I->xml, node, child);
    return n ? clv_xml_content(&S->I->xml, n) : NULL;
}

double clv_sdf_number(clv_sdf *S, unsigned node, const char *child, double standard)
{
    const unsigned n = clv_xml_child(&S->I->xml, node, child);
    double x = standard;
    if (!n || clv_import_infinite(clv_xml_content(&S->I->xml, n), &x))
        return x;
    if (clv_import_list(S->I, n, "", clv_xml_content(&S->I->xml, n), &x, 1) == 0 && S->I->r->nerror == 0)
        clv_import_fail(S->I, n, "", "<%s> is empty: it needs a number", child);
    return x;
}

bool clv_sdf_numbers(clv_sdf *S, unsigned node, const char *child, double *x, int n)
{
    const unsigned k = clv_xml_child(&S->I->xml, node, child);
    double value[8];
    const int before = S->I->r->nerror;
    if (!k)
        return false;
    const int found = clv_import_list(S->I, k, "", clv_xml_content(&S->I->xml, k), value, n);
    if (found == n)
        memcpy(x, value, (size_t)n * sizeof *x);
    else if (S->I->r->nerror == before)
        clv_import_fail(S->I, k, "", "<%s> has %d number%s, not %d", child, found, found == 1 ? "" : "s", n);
    return found == n;
}

bool clv_sdf_flag(clv_sdf *S, unsigned node, const char *child, bool standard)
{
    const char *text = clv_sdf_text(S, node, child);
    if (!text)
        return standard;
    text += strspn(text, " \t\r\n");
    return *text == '1' || strncmp(text, "true", 4) == 0 || strncmp(text, "True", 4) == 0;
}

/* ---------------------------------------------------------------- names */

/* A name inside a scope, in full; false (reported): too long. */
static bool full_name(clv_sdf *S, unsigned node, int scope, const char *name, char full[NAME])
{
    const char *around = scope >= 0 ? S->item[scope].name : "";
    if (snprintf(full, NAME, "%s%s%s", around, *around ? "::" : "", name) < NAME)
        return true;
    clv_import_fail(S->I, node, "", "a name with those of the models around it has more than %d characters", NAME - 1);
    return false;
}

int clv_sdf_add(clv_sdf *S, clv_sdf_kind kind, unsigned node, int scope, bool fixed)
{
    const char *name = clv_import_need(S->I, node, "name");
    char full[NAME];
    size_t same;
    if (!name || !full_name(S, node, scope, name, full))
        return CLV_SDF_NONE;
    const bool taken = clv_map_find(&S->names, full, &same),
               aside = taken && S->old_names && kind == CLV_SDF_JOINT && S->item[same].kind == CLV_SDF_LINK;
    if (taken && !aside) {
        clv_import_fail(S->I, node, "items of one model need names of their own", "the name '%s' is given twice", full);
        return CLV_SDF_NONE;
    }
    clv_sdf_item *x = clv_read_reserve(S->I->r, &S->item, &S->item_capacity, S->nitem + 1, sizeof *S->item)
                          ? &S->item[S->nitem]
                          : NULL;
    const char *kept = x ? clv_import_text(S->I, "%s", full) : NULL;
    if (!kept || (!aside && !clv_map_add(&S->names, full, S->nitem))) {
        clv_read_out_of_memory(S->I->r);
        return CLV_SDF_NONE;
    }
    const char *behind = S->single ? strstr(kept, "::") : NULL;
    *x = (clv_sdf_item){.kind = kind, .node = node, .name = kept, .scope = scope, .link = -1, .fixed = fixed};
    x->shown = clv_import_name(S->I, node, behind ? behind + 2 : kept);
    clv_frame_identity(&x->at);
    return (int)S->nitem++;
}

int clv_sdf_find(clv_sdf *S, unsigned node, int scope, const char *name)
{
    char full[NAME];
    size_t index;
    if (strcmp(name, "world") == 0)
        return CLV_SDF_WORLD;
    if (strcmp(name, "__model__") == 0)
        return scope;
    if (!full_name(S, node, scope, name, full))
        return CLV_SDF_NONE;
    if (clv_map_find(&S->names, full, &index))
        return (int)index;
    const size_t length = strlen(full), own = sizeof "::__model__" - 1;
    if (length > own && strcmp(full + length - own, "::__model__") == 0) {
        full[length - own] = '\0'; /* the frame of a model is the model */
        if (clv_map_find(&S->names, full, &index))
            return (int)index;
    }
    clv_import_fail(S->I, node, "names of other models are written MODEL::NAME",
                    "there is no link, joint or frame '%s'", full);
    return CLV_SDF_NONE;
}

/* ---------------------------------------------------------------- poses */

/* The pose of an element as it is written; *relative: the name it is relative to, or NULL. */
static void written_pose(clv_sdf *S, unsigned element, clv_frame *f, const char **relative)
{
    clv_xml *x = &S->I->xml;
    const unsigned n = clv_xml_child(x, element, "pose");
    *relative = NULL;
    clv_frame_identity(f);
    if (!n)
        return;
    const char *to = clv_xml_get(x, n, "relative_to"), *old = clv_xml_get(x, n, "frame"),
               *format = clv_xml_get(x, n, "rotation_format"), *degrees = clv_xml_get(x, n, "degrees"),
               *text = clv_xml_content(x, n);
    const bool quaternion = format && strcmp(format, "quat_xyzw") == 0;
    const int count = quaternion ? 7 : 6, before = S->I->r->nerror;
    const double unit = degrees && (strcmp(degrees, "true") == 0 || *degrees == '1') ? CLV_PI / 180 : 1;
    double v[7] = {0};
    *relative = to && *to ? to : old && *old ? old : NULL;
    const int found = clv_import_list(S->I, n, "", text, v, count);
    if (found != count && found != 0 && S->I->r->nerror == before)
        clv_import_fail(S->I, n, quaternion ? "write x y z qx qy qz qw" : "write x y z roll pitch yaw",
                        "<pose> has %d numbers, not %d", found, count);
    clv_copy3(f->p, v);
    if (quaternion && found == count) {
        const double q[4] = {v[6], v[3], v[4], v[5]};
        if (clv_quat_norm(q) > 1e-14)
            clv_quat_rotation(f->R, q);
        else
            clv_import_fail(S->I, n, "", "<pose>: the quaternion has no direction");
    } else if (!quaternion && (v[3] != 0 || v[4] != 0 || v[5] != 0))
        clv_frame_turn(f, (const double[3]){unit * v[3], unit * v[4], unit * v[5]});
}

/* What an item is relative to where it does not say so. */
static int standard_of(clv_sdf *S, const clv_sdf_item *x)
{
    const char *child = x->kind == CLV_SDF_JOINT ? clv_sdf_text(S, x->node, "child") : NULL,
               *attached = x->kind == CLV_SDF_FRAME ? clv_xml_get(&S->I->xml, x->node, "attached_to") : NULL;
    if (child)
        return clv_sdf_find(S, x->node, x->scope, child);
    return attached && *attached ? clv_sdf_find(S, x->node, x->scope, attached) : x->scope;
}

/* Not in a circle, and not too deep. */
static bool may_seek(clv_sdf *S, int item, int depth)
{
    const clv_sdf_item *x = &S->item[item];
    if (x->sought || depth > DEPTH)
        clv_import_fail(S->I, x->node, "",
                        x->sought ? "the pose of '%s' refers to itself"
                                  : "the pose of '%s' is relative to too many others, one after the other",
                        x->name);
    return !x->sought && depth <= DEPTH;
}

bool clv_sdf_place(clv_sdf *S, int item, int depth)
{
    clv_sdf_item *x = item >= 0 ? &S->item[item] : NULL;
    clv_frame own;
    const char *relative;
    if (!x || x->known)
        return item != CLV_SDF_NONE;
    if (!may_seek(S, item, depth))
        return false;
    x->sought = true;
    written_pose(S, x->node, &own, &relative);
    const int to = relative ? clv_sdf_find(S, x->node, x->scope, relative) : standard_of(S, x);
    if (to == CLV_SDF_NONE || !clv_sdf_place(S, to, depth + 1))
        return false;
    if (to >= 0)
        clv_frame_product(&x->at, &S->item[to].at, &own);
    else
        x->at = own;
    x->known = true;
    return true;
}

void clv_sdf_inner_pose(clv_sdf *S, unsigned element, int item, clv_frame *f)
{
    const char *relative;
    clv_frame back;
    written_pose(S, element, f, &relative);
    if (!relative || S->I->r->nerror > 0)
        return;
    const int to = clv_sdf_find(S, element, S->item[item].scope, relative);
    if (to == CLV_SDF_NONE || !clv_sdf_place(S, to, 0))
        return;
    if (to >= 0)
        clv_frame_product(f, &S->item[to].at, f);
    clv_frame_inverse(&back, &S->item[item].at);
    clv_frame_product(f, &back, f);
}

/* ---------------------------------------------------------------- what moves with what */

/* The link that stands for a model. */
static int canonical(clv_sdf *S, int model)
{
    const char *name = clv_xml_get(&S->I->xml, S->item[model].node, "canonical_link");
    if (name && *name)
        return clv_sdf_find(S, S->item[model].node, model, name);
    const size_t length = strlen(S->item[model].name);
    for (size_t i = (size_t)model + 1; i < S->nitem; i++) /* its own links and those of models inside follow it */
        if (S->item[i].kind == CLV_SDF_LINK && strncmp(S->item[i].name, S->item[model].name, length) == 0 &&
            strncmp(S->item[i].name + length, "::", 2) == 0)
            return (int)i;
    clv_import_fail(S->I, S->item[model].node, "", "model '%s' has no link", S->item[model].name);
    return CLV_SDF_NONE;
}

int clv_sdf_link_of(clv_sdf *S, unsigned node, int item)
{
    for (int steps = 0; item >= 0 && steps <= DEPTH; steps++)
        switch (S->item[item].kind) {
        case CLV_SDF_LINK:
            return S->item[item].link;
        case CLV_SDF_MODEL:
            item = canonical(S, item);
            break;
        default:
            item = standard_of(S, &S->item[item]);
            break; /* a joint's child, what a frame is attached to */
        }
    if (item >= 0)
        clv_import_fail(S->I, node, "", "frame '%s' is attached to itself", S->item[item].name);
    return item >= 0 ? CLV_SDF_NONE : item;
}
