/* SPDX-License-Identifier: Apache-2.0
 * Shapes and visuals of a model as text.  The file of a mesh is named relative to the folder of the file that the text
 * is written to. */
#include "base/memory.h"
#include "io/file_path.h"
#include "io/yaml_write_text.h"
#include "model/shape.h"
#include <math.h>

/* the corners of its hull: the text needs no file */
static void write_points(clv_writer *w, const clv_shape *s)
{
    clv_write_key(w, "points");
    for (int i = 0; i < s->npoint; i++) {
        clv_write(w, "%s", i == 0 ? "[" : ", ");
        clv_write_numbers(w, s->point + 3 * (size_t)i, 3);
    }
    clv_write(w, "]");
}

static void write_form(clv_writer *w, const clv_shape *s)
{
    const clv_shape_row *row = &clv_shape_table[s->kind];
    if (s->kind == CLV_SHAPE_MESH)
        write_points(w, s);
    else if (row->nsize == 1)
        clv_write_number_key(w, row->name, s->size[0], NAN);
    else
        clv_write_list_key(w, row->name, s->size, row->nsize);
    if (s->kind == CLV_SHAPE_BORE && s->closed) {
        clv_write_key(w, "closed");
        clv_write(w, "%s", s->closed == 1 ? "lower" : s->closed == 2 ? "upper" : "both");
    }
}

static void write_place(clv_writer *w, const clv_shape *s)
{
    clv_write_list_unless_zero(w, "at", s->at, 3);
    clv_write_orientation(w, s->orientation);
    if (s->coloured)
        clv_write_list_key(w, "colour", s->colour, 3);
}

void clv_write_shape(clv_writer *w, const clv_shape *s)
{
    clv_write_key(w, "shape");
    clv_write(w, "{");
    w->first = true;
    write_form(w, s);
    write_place(w, s);
    clv_write(w, "}");
}

void clv_write_further(clv_writer *w, const clv_further *s)
{
    clv_write_open(w, 2, s->name);
    clv_write_key(w, "body");
    clv_write_item_name(w, s->body == CLV_GROUND ? "ground" : w->m->body[s->body].name);
    write_form(w, &s->shape);
    write_place(w, &s->shape);
    clv_write_close(w);
}

static void write_mesh(clv_writer *w, const clv_visual *v)
{
    const double *s = v->scale;
    char *path = clv_path_from(w->file, v->path);
    if (!path)
        w->status = w->status == CLV_OK ? CLV_ERR_MEMORY : w->status;
    clv_write_key(w, "mesh");
    clv_write_item_name(w, path ? path : "");
    clv_free(path);
    if (s[0] == s[1] && s[1] == s[2])
        clv_write_number_key(w, "scale", s[0], 1);
    else
        clv_write_list_key(w, "scale", s, 3);
}

void clv_write_visual(clv_writer *w, const clv_visual *v)
{
    clv_write_open(w, 2, v->name);
    clv_write_key(w, "body");
    clv_write_item_name(w, v->body == CLV_GROUND ? "ground" : w->m->body[v->body].name);
    if (v->mesh)
        write_mesh(w, v);
    else
        write_form(w, &v->shape);
    write_place(w, &v->shape);
    clv_write_close(w);
}
