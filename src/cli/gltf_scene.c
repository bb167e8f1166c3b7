/* SPDX-License-Identifier: Apache-2.0
 * The JSON of a glTF file: scene, meshes, materials, animation, and where their numbers are; see gltf.h.  The root node
 * has the direction against gravity along y, as viewers of glTF expect; its children are the bodies, in global axes. */
#include "cli/gltf.h"
#include "math/rotation.h"
#include "model/model.h"
#include <math.h>
#include <string.h>

enum { COLOURS = 8, FLOAT = 5126, SHORT = 5123, FIRST_BODY = 1 };
/* Blue, orange, green, pink, violet, cyan, brown, olive: linear red, green, blue. */
static const double colour[COLOURS][3] = {{0.072, 0.258, 0.914}, {0.807, 0.366, 0.047}, {0.060, 0.434, 0.262},
                                          {0.658, 0.117, 0.202}, {0.274, 0.198, 0.694}, {0.114, 0.451, 0.617},
                                          {0.462, 0.305, 0.078}, {0.212, 0.381, 0.080}};

double clv_gltf_bytes(const clv_gltf *g)
{
    double bytes = 4.0 * (double)g->frames * (1 + 7.0 * g->run->nshown);
    for (int i = 0; i < CLV_GLTF_FORMS; ++i)
        bytes += 24.0 * g->mesh[i].n + 2.0 * (g->mesh[i].nindex + g->mesh[i].nindex % 2);
    for (int i = 0; i < g->run->nshown; ++i)
        bytes += 24.0 * g->own[i].n;
    return bytes;
}

/* ---------------------------------------------------------------- buffers */

typedef struct views {
    clv_json *j;
    long long at; /* bytes */
} views;

static void view(views *v, long long bytes, int target)
{
    clv_json_object(v->j, NULL);
    clv_json_integer(v->j, "buffer", 0);
    clv_json_integer(v->j, "byteOffset", v->at);
    clv_json_integer(v->j, "byteLength", bytes);
    if (target)
        clv_json_integer(v->j, "target", target);
    clv_json_end(v->j);
    v->at += (bytes + 3) / 4 * 4;
}

static void views_json(clv_json *j, const clv_gltf *g)
{
    enum { ARRAY = 34962, ELEMENTS = 34963 };
    views v = {.j = j};
    clv_json_array(j, "buffers");
    clv_json_object(j, NULL);
    clv_json_integer(j, "byteLength", (long long)clv_gltf_bytes(g));
    clv_json_end(j);
    clv_json_end(j);
    clv_json_array(j, "bufferViews");
    for (int i = 0; i < CLV_GLTF_FORMS; ++i) {
        view(&v, 12LL * g->mesh[i].n, ARRAY);
        view(&v, 12LL * g->mesh[i].n, ARRAY);
        view(&v, 2LL * g->mesh[i].nindex, ELEMENTS);
    }
    view(&v, 4LL * g->frames, 0);
    for (int i = 0; i < g->run->nshown; ++i) {
        view(&v, 12LL * g->frames, 0);
        view(&v, 16LL * g->frames, 0);
    }
    for (int i = 0; i < 2 * g->run->nshown; ++i)
        if (g->own[i / 2].n > 0)
            view(&v, 12LL * g->own[i / 2].n, ARRAY);
    clv_json_end(j);
}

/* Accessor i is the whole of view i; with the least and largest of `width` components where `x` is given. */
static void accessor(clv_json *j, int i, int type, const char *shape, long count, const float *x, int width)
{
    clv_json_object(j, NULL);
    clv_json_integer(j, "bufferView", i);
    clv_json_integer(j, "componentType", type);
    clv_json_integer(j, "count", count);
    clv_json_text(j, "type", shape);
    for (int end = 0; x && end < 2; ++end) {
        double limit[3];
        for (int k = 0; k < width; ++k) {
            limit[k] = (double)x[k];
            for (long n = 1; n < count; ++n)
                limit[k] = (end ? fmax : fmin)(limit[k], (double)x[width * n + k]);
        }
        clv_json_numbers(j, end ? "max" : "min", limit, width);
    }
    clv_json_end(j);
}

static void accessors_json(clv_json *j, const clv_gltf *g)
{
    int n = 0;
    clv_json_array(j, "accessors");
    for (int i = 0; i < CLV_GLTF_FORMS; ++i) {
        accessor(j, n++, FLOAT, "VEC3", g->mesh[i].n, g->mesh[i].position, 3);
        accessor(j, n++, FLOAT, "VEC3", g->mesh[i].n, NULL, 0);
        accessor(j, n++, SHORT, "SCALAR", g->mesh[i].nindex, NULL, 0);
    }
    accessor(j, n++, FLOAT, "SCALAR", g->frames, g->time, 1);
    for (int i = 0; i < g->run->nshown; ++i) {
        accessor(j, n++, FLOAT, "VEC3", g->frames, NULL, 0);
        accessor(j, n++, FLOAT, "VEC4", g->frames, NULL, 0);
    }
    for (int i = 0; i < g->run->nshown; ++i)
        if (g->own[i].n > 0) {
            accessor(j, n++, FLOAT, "VEC3", g->own[i].n, g->own[i].position, 3);
            accessor(j, n++, FLOAT, "VEC3", g->own[i].n, NULL, 0);
        }
    clv_json_end(j);
}

/* ---------------------------------------------------------------- looks */

static void material_json(clv_json *j, const double rgb[3])
{
    clv_json_object(j, NULL);
    clv_json_object(j, "pbrMetallicRoughness");
    clv_json_numbers(j, "baseColorFactor", (double[]){rgb[0], rgb[1], rgb[2], 1}, 4);
    clv_json_number(j, "metallicFactor", 0.1);
    clv_json_number(j, "roughnessFactor", 0.5);
    clv_json_end(j);
    clv_json_end(j);
}

/* A linear component of a colour given as screens show it. */
static double linear(double x)
{
    return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}

/* positions are in accessor `at`, normals in the next one; indices -1: none */
static void mesh_json(clv_json *j, int at, int indices, int material)
{
    clv_json_object(j, NULL);
    clv_json_array(j, "primitives");
    clv_json_object(j, NULL);
    clv_json_object(j, "attributes");
    clv_json_integer(j, "POSITION", at);
    clv_json_integer(j, "NORMAL", at + 1);
    clv_json_end(j);
    if (indices >= 0)
        clv_json_integer(j, "indices", indices);
    clv_json_integer(j, "material", material);
    clv_json_end(j);
    clv_json_end(j);
    clv_json_end(j);
}

/* Materials and meshes; returns the number of the first own surface. */
static int looks_json(clv_json *j, const clv_gltf *g)
{
    int materials = COLOURS;
    clv_json_array(j, "materials");
    for (int i = 0; i < COLOURS; ++i)
        material_json(j, colour[i]);
    for (int i = 0; i < g->run->nshown; ++i) {
        const clv_shape *s = g->run->model->body[g->run->shown[i]].shape;
        if (s->coloured)
            material_json(j, (double[]){linear(s->colour[0]), linear(s->colour[1]), linear(s->colour[2])}), materials++;
    }
    clv_json_end(j);
    clv_json_array(j, "meshes"); /* form i in material k is mesh i + CLV_GLTF_FORMS k; then own surfaces */
    for (int k = 0; k < materials; ++k)
        for (int i = 0; i < CLV_GLTF_FORMS; ++i)
            mesh_json(j, 3 * i, 3 * i + 2, k);
    for (int i = 0, own = COLOURS, at = 3 * CLV_GLTF_FORMS + 1 + 2 * g->run->nshown; i < g->run->nshown; ++i) {
        const bool coloured = g->run->model->body[g->run->shown[i]].shape->coloured;
        if (g->own[i].n > 0)
            mesh_json(j, at, -1, coloured ? own : i % COLOURS), at += 2;
        own += coloured;
    }
    clv_json_end(j);
    return CLV_GLTF_FORMS * materials;
}

/* ---------------------------------------------------------------- nodes */

static void place(clv_json *j, const double at[3], const double turn[4])
{
    clv_json_numbers(j, "translation", at, 3);
    clv_json_numbers(j, "rotation", (double[]){turn[1], turn[2], turn[3], turn[0]}, 4);
}

/* The turn that takes the direction against gravity, or z, to y. */
static void upright(const clv_model *m, double turn[4])
{
    const double *g = m->gravity, size = clv_norm3(g);
    const double up[3] = {size > 0 ? -g[0] / size : 0, size > 0 ? -g[1] / size : 0, size > 0 ? -g[2] / size : 1};
    memcpy(turn, (double[]){1 + up[1], -up[2], 0, up[0]}, 4 * sizeof *turn); /* up x y */
    if (up[1] < -1 + 1e-9)
        memcpy(turn, (double[]){0, 1, 0, 0}, 4 * sizeof *turn);
    clv_quat_normalize(turn);
}

static void body_json(clv_json *j, const clv_gltf *g, int i, int parts, int first)
{
    const float *p = g->pose + 7 * g->frames * i, *e = p + 3 * g->frames;
    clv_json_object(j, NULL);
    clv_json_text(j, "name", g->run->model->body[g->run->shown[i]].name);
    clv_json_numbers(j, "translation", (double[]){(double)p[0], (double)p[1], (double)p[2]}, 3);
    clv_json_numbers(j, "rotation", (double[]){(double)e[0], (double)e[1], (double)e[2], (double)e[3]}, 4);
    if (parts > 0) {
        clv_json_array(j, "children");
        for (int k = 0; k < parts; ++k)
            clv_json_integer(j, NULL, first + k);
        clv_json_end(j);
    }
    clv_json_end(j);
}

static void nodes_json(clv_json *j, const clv_gltf *g, int first_own)
{
    const clv_report *r = g->run;
    const double radius = clv_gltf_radius(r, g->points);
    double turn[4];
    clv_gltf_part part[CLV_GLTF_PARTS];
    clv_json_array(j, "nodes");
    clv_json_object(j, NULL);
    clv_json_text(j, "name", clv_model_name(r->model));
    upright(r->model, turn);
    place(j, (double[]){0, 0, 0}, turn);
    clv_json_array(j, "children");
    for (int i = 0; i < r->nshown; ++i)
        clv_json_integer(j, NULL, FIRST_BODY + i);
    clv_json_end(j);
    clv_json_end(j);
    for (int i = 0, first = FIRST_BODY + r->nshown; i < r->nshown; ++i) {
        const int parts = clv_gltf_parts(r, g->points, r->shown[i], radius, part);
        body_json(j, g, i, parts, first);
        first += parts;
    }
    for (int i = 0, own = COLOURS; i < r->nshown; ++i) {
        const bool coloured = r->model->body[r->shown[i]].shape->coloured;
        for (int k = 0, n = clv_gltf_parts(r, g->points, r->shown[i], radius, part); k < n; ++k) {
            clv_json_object(j, NULL);
            place(j, part[k].at, part[k].turn);
            clv_json_numbers(j, "scale", part[k].size, 3);
            clv_json_integer(j, "mesh", part[k].form == CLV_GLTF_FORMS
                                            ? first_own
                                            : (int)part[k].form + CLV_GLTF_FORMS * (coloured ? own : i % COLOURS));
            clv_json_end(j);
        }
        first_own += g->own[i].n > 0;
        own += coloured;
    }
    clv_json_end(j);
}

/* Channel k of the animation: translation or rotation of body k / 2; its numbers are in accessor time + 1 + k. */
static void animation_json(clv_json *j, const clv_gltf *g)
{
    const int time = 3 * CLV_GLTF_FORMS, n = 2 * g->run->nshown;
    clv_json_array(j, "animations");
    clv_json_object(j, NULL);
    clv_json_text(j, "name", clv_model_name(g->run->model));
    clv_json_array(j, "samplers");
    for (int k = 0; k < n; ++k) {
        clv_json_object(j, NULL);
        clv_json_integer(j, "input", time);
        clv_json_integer(j, "output", time + 1 + k);
        clv_json_end(j);
    }
    clv_json_end(j);
    clv_json_array(j, "channels");
    for (int k = 0; k < n; ++k) {
        clv_json_object(j, NULL);
        clv_json_integer(j, "sampler", k);
        clv_json_object(j, "target");
        clv_json_integer(j, "node", FIRST_BODY + k / 2);
        clv_json_text(j, "path", k % 2 ? "rotation" : "translation");
        clv_json_end(j);
        clv_json_end(j);
    }
    clv_json_end(j);
    clv_json_end(j);
    clv_json_end(j);
}

void clv_gltf_json(const clv_gltf *g, FILE *out)
{
    clv_json j = clv_json_begin(out);
    clv_json_object(&j, NULL);
    clv_json_object(&j, "asset");
    clv_json_text(&j, "version", "2.0");
    clv_json_text(&j, "generator", "cleave " CLV_VERSION);
    clv_json_end(&j);
    clv_json_integer(&j, "scene", 0);
    clv_json_array(&j, "scenes");
    clv_json_object(&j, NULL);
    clv_json_array(&j, "nodes");
    clv_json_integer(&j, NULL, 0);
    clv_json_end(&j);
    clv_json_end(&j);
    clv_json_end(&j);
    nodes_json(&j, g, looks_json(&j, g));
    animation_json(&j, g);
    views_json(&j, g);
    accessors_json(&j, g);
    clv_json_end(&j);
}
