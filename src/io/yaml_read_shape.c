/* SPDX-License-Identifier: Apache-2.0
 * Shapes of bodies: one form with its place, turn and colour.  A mesh is a file of triangles beside the model file, or
 * points; its convex hull is the shape (T116). */
#include "base/error.h"
#include "base/memory.h"
#include "io/mesh_file.h"
#include "io/yaml_read_flex.h"
#include <stdio.h>
#include <string.h>

static const clv_value *value_of(const clv_entry *e, const char *key)
{
    return &e->value[clv_schema_find(e->section, key) - e->first];
}

/* ---------------------------------------------------------------- points */

/* One number, or one for each axis. */
static void read_scale(clv_entry *e, const clv_value *scale, double to[3])
{
    for (int i = 0; i < 3 && scale->count > 0; ++i)
        to[i] = scale->x[scale->count == 1 ? 0 : i];
    if (scale->count == 2)
        clv_entry_fail(e, scale, "scale", "give one number, or three", "two numbers for three axes");
    else if (to[0] == 0 || to[1] == 0 || to[2] == 0)
        clv_entry_fail(e, scale, "scale", "0.001 is right for a mesh in mm", "a scale of 0 leaves nothing");
}

/* Points of a file, to be freed; NULL: an error. */
static double *load_points(clv_entry *e, const clv_value *v, const char *name, const double scale[3], int *n)
{
    const char *own = e->reader->file, *slash = strrchr(own, '/');
    clv_mesh mesh = {0};
    clv_error error;
    char path[600];
    size_t size = 0;
    clv_error_clear(&error);
    snprintf(path, sizeof path, "%.*s%s", *name == '/' || !slash ? 0 : (int)(slash - own) + 1, own, name);
    char *text = clv_model_load(&error, path, &size);
    const bool good = text && clv_mesh_read(&mesh, path, text, size) && clv_model_note_side(e->reader->model, path);
    double *to = good ? clv_alloc(mesh.npoint + 1, 3 * sizeof *to) : NULL;
    for (size_t i = 0; to && i < 3 * mesh.npoint; ++i)
        to[i] = scale[i % 3] * mesh.point[i];
    *n = (int)mesh.npoint;
    if (!text && error.code != CLV_ERR_MEMORY)
        clv_entry_fail(e, v, "mesh", "the name is relative to the model file", "%.300s", error.message);
    else if (mesh.problem)
        clv_entry_fail(e, v, "mesh", "", "mesh %.200s: %s", path, mesh.problem);
    else if (!to)
        clv_read_out_of_memory(e->reader), e->good = false;
    clv_free(text), clv_mesh_free(&mesh);
    return to;
}

static double *read_points(clv_entry *e, const clv_value *v, int *n)
{
    *n = (int)v->node->count;
    double *to = clv_alloc((size_t)*n + 1, 3 * sizeof *to);
    if (!to)
        clv_read_out_of_memory(e->reader), e->good = false;
    else if (v->node->kind != CLV_YAML_LIST)
        clv_entry_fail(e, v, "points", "write it as `points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]`",
                       "expected a list of points");
    else
        clv_value_rows(e, v, "points", *n, 3, "point", to);
    return to;
}

/* A file of triangles, or points; returns how many of these forms there are. */
static int read_mesh(clv_entry *e, clv_shape *to, double **points)
{
    const clv_value *mesh = value_of(e, "mesh"), *list = value_of(e, "points"), *scale = value_of(e, "scale");
    double factor[3] = {1, 1, 1};
    char name[256];
    const int forms = (mesh->node != NULL) + (list->node != NULL);
    if (scale->node && !mesh->node)
        clv_entry_fail(e, scale, "scale", "give the sizes of the shape in m", "only a mesh has a scale");
    read_scale(e, scale, factor);
    if (forms != 1 || !e->good)
        return forms;
    to->kind = CLV_SHAPE_MESH;
    if (list->node)
        *points = read_points(e, list, &to->npoint);
    else if (clv_name_expand(e, mesh->node, "mesh", clv_node_text(e->reader, mesh->node), name, sizeof name))
        *points = load_points(e, mesh, name, factor, &to->npoint);
    to->point = *points;
    return forms;
}

/* ---------------------------------------------------------------- bores */

/* returns how many of these forms there are */
static int read_bore(clv_entry *e, clv_shape *to)
{
    static const char *const ends[] = {"none", "lower", "upper", "both"};
    const clv_value *bore = value_of(e, "bore"), *closed = value_of(e, "closed");
    const char *text = clv_value_text(e, closed);
    int found = -1;
    for (int k = 0; k < 4 && text; ++k)
        if (strcmp(text, ends[k]) == 0)
            found = k;
    if (text && found < 0)
        clv_entry_fail(e, closed, "closed", "write none, lower, upper or both", "unknown end '%.80s' of a bore", text);
    if (text && !bore->node)
        clv_entry_fail(e, closed, "closed", "leave it out", "only a bore has ends that are closed");
    if (!bore->node)
        return 0;
    to->kind = CLV_SHAPE_BORE, to->closed = found > 0 ? found : 0;
    memcpy(to->size, bore->x, sizeof to->size);
    return 1;
}

/* ---------------------------------------------------------------- the shape */

void clv_read_solid(clv_entry *s, clv_shape *to, double **points)
{
    const clv_value *colour = value_of(s, "colour");
    double R[9];
    bool exact;
    const int forms = clv_read_forms(s, to) + read_bore(s, to) + read_mesh(s, to, points);
    if (forms != 1)
        clv_entry_fail(s, NULL, NULL, "give one of box, sphere, cylinder, capsule, bore, mesh, points",
                       "a shape has exactly one form, this has %d", forms);
    memcpy(to->at, value_of(s, "at")->x, sizeof to->at);
    clv_value_orientation(s, value_of(s, "orientation"), "orientation", to->orientation, R, &exact);
    to->coloured = colour->node != NULL;
    memcpy(to->colour, colour->x, sizeof to->colour);
}

bool clv_make_shape(clv_entry *e, const char *name)
{
    clv_shape_desc d = clv_shape_desc_default();
    double *points = NULL;
    int index;
    d.name = name;
    clv_read_solid(e, &d.shape, &points);
    const bool made = clv_find_body(e, CLV_VALUE(e, BODY_SHAPE, BODY)->node, "body", true, &d.body) && e->good &&
                      clv_item_made(e, clv_model_add_shape(e->reader->model, &index, &d), CLV_A_SHAPE);
    clv_free(points);
    if (made) /* as written, to the last bit */
        memcpy(e->reader->model->shape[index].shape.orientation, d.shape.orientation, sizeof d.shape.orientation);
    return made;
}
