/* SPDX-License-Identifier: Apache-2.0
 * Shapes of bodies as they are checked, and shapes beside them added to a model; see add.h.  A mesh becomes its convex
 * hull (T116). */
#include "base/error.h"
#include "math/rotation.h"
#include "model/add.h"
#include "model/bore.h"
#include "model/describe.h"
#include "model/hull.h"
#include "model/shape.h"

void clv_add_shape_place(clv_adding *item, const clv_shape *s)
{
    double unit[4];
    clv_add_finite(item, "shape.at", s->at, 3);
    clv_add_quaternion(item, "shape.orientation", unit, s->orientation);
    for (int i = 0; s->coloured && i < 3; i++)
        if (!(s->colour[i] >= 0 && s->colour[i] <= 1))
            clv_add_refuse(item, CLV_ERR_MODEL, "shape.colour", "red, green and blue must be between 0 and 1",
                           s->colour[i]);
}

static void check_bore(clv_adding *item, const clv_shape *s)
{
    if (item->status == CLV_OK && !(s->size[1] > s->size[0])) {
        clv_add_refuse(item, CLV_ERR_MODEL, "shape", "the outer radius of a bore must be larger than its inner one",
                       s->size[1]);
        clv_error_hint(&item->m->last, "the sizes are inner radius %g, outer radius, length", s->size[0]);
    }
    if (s->closed < 0 || s->closed > (CLV_BORE_LOWER | CLV_BORE_UPPER))
        clv_add_refuse(item, CLV_ERR_MODEL, "shape.closed", "ends of a bore are closed by 0 (none), 1, 2 or 3 (both)",
                       s->closed);
}

void clv_add_shape(clv_adding *item, const clv_shape *s)
{
    if ((int)s->kind < 0 || s->kind >= CLV_SHAPE_KINDS)
        clv_add_refuse(item, CLV_ERR_MODEL, "shape", "unknown kind of shape", s->kind);
    if (item->status != CLV_OK || s->kind == CLV_SHAPE_NONE)
        return;
    if (s->kind == CLV_SHAPE_MESH && (s->npoint < 4 || !s->point)) {
        clv_add_refuse(item, CLV_ERR_MODEL, "shape", "a convex hull needs at least 4 points", s->npoint);
        clv_error_hint(&item->m->last, "found %d: give 4 corners or more, not all in one plane, or a box", s->npoint);
    } else if (s->kind == CLV_SHAPE_MESH)
        clv_add_finite(item, "shape", s->point, 3 * s->npoint);
    clv_add_finite(item, "shape", s->size, clv_shape_table[s->kind].nsize);
    for (int i = 0; i < clv_shape_table[s->kind].nsize; i++)
        if (!(s->size[i] > 0))
            clv_add_refuse(item, CLV_ERR_MODEL, "shape", "the sizes of its shape must be greater than 0", s->size[i]);
    if (s->kind == CLV_SHAPE_BORE)
        check_bore(item, s);
    clv_add_shape_place(item, s);
}

clv_hull *clv_add_hull(clv_adding *item, clv_shape *s)
{
    clv_hull *h = NULL;
    bool flat = false;
    if (s->kind != CLV_SHAPE_NONE && fabs(clv_quat_norm(s->orientation) - 1) > 1e-15)
        clv_quat_normalize(s->orientation);
    if (s->kind == CLV_SHAPE_MESH && item->status == CLV_OK && !(h = clv_hull_create(s->point, s->npoint, &flat))) {
        clv_add_refuse(item, flat ? CLV_ERR_MODEL : CLV_ERR_MEMORY, "shape",
                       flat ? "its points lie in a plane: they have no convex hull" : "out of memory", NAN);
        if (flat)
            clv_error_hint(&item->m->last, "give a point beside the plane, or a thin box");
    }
    s->npoint = h ? h->npoint : 0, s->point = h ? h->point : NULL;
    return h;
}

clv_status clv_model_add_shape(clv_model *m, int *index, const clv_shape_desc *d)
{
    const bool described = d && d->cookie == CLV_COOKIE_SHAPE;
    clv_adding item = clv_add_begin(m, CLV_NAME_SHAPE, described ? d->name : NULL, described);
    if (!described)
        return item.status;
    if (item.status == CLV_OK)
        clv_add_index(&item, "body", d->body, CLV_GROUND, m->nbody);
    if (item.status == CLV_OK && clv_names_find(m->names, CLV_NAME_BODY, d->name) >= 0)
        clv_add_refuse(&item, CLV_ERR_MODEL, NULL, "a body has this name, too; lists of contacts name both", NAN);
    if (item.status == CLV_OK && d->shape.kind == CLV_SHAPE_NONE)
        clv_add_refuse(&item, CLV_ERR_MODEL, "shape", "it has no kind", NAN);
    clv_add_shape(&item, &d->shape);
    if (item.status != CLV_OK)
        return item.status;
    if (!CLV_ADD_ROOM(m, CLV_NAME_SHAPE, m->shape, m->nshape))
        return clv_add_out_of_memory(&item);
    clv_further s = {.body = d->body, .shape = d->shape};
    s.hull = clv_add_hull(&item, &s.shape);
    if (item.status == CLV_OK && !(s.name = clv_add_name(&item, m->nshape)))
        clv_add_out_of_memory(&item);
    if (item.status != CLV_OK) {
        clv_hull_free(s.hull);
        return item.status;
    }
    m->shape[m->nshape] = s;
    return clv_add_done(index, &m->nshape);
}
