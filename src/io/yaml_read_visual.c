/* SPDX-License-Identifier: Apache-2.0
 * Visuals: a mesh or a shape that is drawn on a body.  The name of a mesh's file is relative to the model file; it is
 * opened when a run file or a page takes the mesh. */
#include "base/error.h"
#include "base/memory.h"
#include "io/error_print.h"
#include "io/yaml_read.h"
#include "model/shape.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

int clv_read_forms(const clv_entry *e, clv_shape *to)
{
    int forms = 0;
    for (int kind = CLV_SHAPE_BOX; kind <= CLV_SHAPE_CAPSULE; ++kind) {
        const clv_value *v = &e->value[clv_schema_find(e->section, clv_shape_table[kind].name) - e->first];
        if (!v->node)
            continue;
        ++forms;
        to->kind = (clv_shape_kind)kind;
        memcpy(to->size, v->x, (size_t)v->count * sizeof *to->size);
    }
    return forms;
}

static void read_scale(clv_entry *e, const clv_value *scale, clv_visual_desc *d)
{
    if (scale->node && !d->mesh)
        clv_entry_fail(e, scale, "scale", "give the sizes of the shape in m", "only a mesh has a scale");
    for (int i = 0; i < 3 && scale->count > 0; ++i)
        d->scale[i] = scale->x[scale->count == 1 ? 0 : i];
    if (scale->count == 2)
        clv_entry_fail(e, scale, "scale", "give one number, or three", "two numbers for three axes");
    else if (d->scale[0] == 0 || d->scale[1] == 0 || d->scale[2] == 0)
        clv_entry_fail(e, scale, "scale", "0.001 is right for a mesh in mm", "a scale of 0 leaves nothing");
}

/* The file as it is opened: beside the model file. */
static bool find_path(const clv_reader *r, clv_visual *v)
{
    char path[600];
    const char *slash = strrchr(r->file, '/');
    if (!v->mesh || *v->mesh == '/' || !slash)
        return true;
    snprintf(path, sizeof path, "%.*s%s", (int)(slash - r->file) + 1, r->file, v->mesh);
    clv_free(v->path);
    return (v->path = clv_copy_text(path)) != NULL;
}

bool clv_make_visual(clv_entry *e, const char *name)
{
    clv_visual_desc d = clv_visual_desc_default();
    const clv_value *mesh = CLV_VALUE(e, VISUAL, MESH), *colour = CLV_VALUE(e, VISUAL, COLOUR);
    char file[256];
    double R[9];
    bool exact;
    int index;
    d.name = name;
    if (mesh->node && !mesh->node->refused &&
        clv_name_expand(e, mesh->node, "mesh", clv_node_text(e->reader, mesh->node), file, sizeof file))
        d.mesh = file;
    const int forms = clv_read_forms(e, &d.shape) + (mesh->node != NULL);
    if (forms != 1)
        clv_entry_fail(e, NULL, NULL, "give one of mesh, box, sphere, cylinder, capsule",
                       "a visual has exactly one form, this has %d", forms);
    read_scale(e, CLV_VALUE(e, VISUAL, SCALE), &d);
    memcpy(d.shape.at, CLV_VALUE(e, VISUAL, AT)->x, sizeof d.shape.at);
    clv_value_orientation(e, CLV_VALUE(e, VISUAL, ORIENTATION), "orientation", d.shape.orientation, R, &exact);
    d.shape.coloured = colour->node != NULL;
    memcpy(d.shape.colour, colour->x, sizeof d.shape.colour);
    if (!clv_find_body(e, CLV_VALUE(e, VISUAL, BODY)->node, "body", true, &d.body) || !e->good ||
        !clv_item_made(e, clv_model_add_visual(e->reader->model, &index, &d), CLV_A_VISUAL))
        return false;
    clv_visual *v = &e->reader->model->visual[index];
    memcpy(v->shape.orientation, d.shape.orientation, sizeof d.shape.orientation); /* as written, to the last bit */
    if (!find_path(e->reader, v))
        clv_read_out_of_memory(e->reader);
    return !e->reader->memory;
}

clv_status clv_visuals_find(clv_model *m)
{
    const char *found = "";
    for (int i = 0; i < m->nvisual; ++i) {
        const clv_visual *v = &m->visual[i];
        FILE *f = v->path && strcmp(v->path, found) != 0 ? fopen(v->path, "rb") : NULL;
        if (v->path && !f && strcmp(v->path, found) != 0) {
            clv_fail(&m->last, CLV_ERR_MODEL, "visual '%s': %.200s cannot be opened: %s", v->name, v->path,
                     strerror(errno));
            clv_error_locate(&m->last, "visuals", v->name, "mesh");
            clv_error_hint(&m->last, "the name is relative to the model file");
            clv_error_place(&m->last, m);
            clv_model_log(m, &m->last);
            return CLV_ERR_MODEL;
        }
        if (f)
            fclose(f), found = v->path;
    }
    return CLV_OK;
}
