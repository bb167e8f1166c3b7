/* SPDX-License-Identifier: Apache-2.0
 * Visuals added to a model; see add.h.  A visual is a shape or a mesh that is drawn on a body or on the ground.  The
 * file of a mesh is opened by whoever draws it, not here. */
#include "base/memory.h"
#include "math/rotation.h"
#include "model/add.h"
#include "model/describe.h"

static void check_visual(clv_adding *item, const clv_visual_desc *d)
{
    const bool shape = d->shape.kind != CLV_SHAPE_NONE, mesh = d->mesh && *d->mesh;
    clv_add_index(item, "body", d->body, CLV_GROUND, item->m->nbody);
    if (d->shape.kind == CLV_SHAPE_MESH)
        clv_add_refuse(item, CLV_ERR_MODEL, "shape", "a visual has a mesh by the name of its file, in `mesh`", NAN);
    if (d->shape.kind == CLV_SHAPE_BORE)
        clv_add_refuse(item, CLV_ERR_MODEL, "shape", "a visual is no bore; give it as a mesh, or to the body", NAN);
    clv_add_shape(item, &d->shape);
    clv_add_shape_place(item, &d->shape);
    if (shape == mesh)
        clv_add_refuse(item, CLV_ERR_MODEL, "mesh", shape ? "it has a shape and a mesh" : "it has no shape and no mesh",
                       NAN);
    for (int i = 0; mesh && i < 3; i++)
        if (!isfinite(d->scale[i]) || d->scale[i] == 0)
            clv_add_refuse(item, CLV_ERR_MODEL, "scale", "the scale of a mesh is finite and not 0", d->scale[i]);
}

clv_status clv_model_add_visual(clv_model *m, int *index, const clv_visual_desc *d)
{
    bool described = d && d->cookie == CLV_COOKIE_VISUAL;
    clv_adding item = clv_add_begin(m, CLV_NAME_VISUAL, described ? d->name : NULL, described);
    if (!described)
        return item.status;
    if (item.status == CLV_OK)
        check_visual(&item, d);
    if (item.status != CLV_OK)
        return item.status;
    if (!CLV_ADD_ROOM(m, CLV_NAME_VISUAL, m->visual, m->nvisual))
        return clv_add_out_of_memory(&item);
    const bool mesh = d->mesh && *d->mesh;
    clv_visual v = {.body = d->body, .shape = d->shape, .scale = {d->scale[0], d->scale[1], d->scale[2]}};
    v.mesh = mesh ? clv_copy_text(d->mesh) : NULL;
    v.path = mesh ? clv_copy_text(d->mesh) : NULL;
    v.name = mesh && (!v.mesh || !v.path) ? NULL : clv_add_name(&item, m->nvisual);
    if (!v.name) {
        clv_free(v.mesh), clv_free(v.path);
        return clv_add_out_of_memory(&item);
    }
    if (fabs(clv_quat_norm(v.shape.orientation) - 1) > 1e-15)
        clv_quat_normalize(v.shape.orientation);
    m->visual[m->nvisual] = v;
    return clv_add_done(index, &m->nvisual);
}
