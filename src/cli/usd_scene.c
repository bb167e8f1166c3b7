/* SPDX-License-Identifier: Apache-2.0
 * The motion of all bodies as USD text (.usda): an Xform a body with its poses over time, and in it boxes, balls, rods
 * and the meshes of the model.  The root turns the direction against gravity to z.  See gltf.h. */
#include "cli/gltf.h"
#include "math/rotation.h"
#include "model/model.h"
#include <math.h>
#include <string.h>

static const double CODES = 24; /* time codes a second */

/* ---------------------------------------------------------------- names and numbers */

/* A name as USD has them: letters, digits and _; `number` makes it unique. */
static void put_name(FILE *out, const char *name, int number)
{
    fputs("b", out);
    if (number >= 0)
        fprintf(out, "%d_", number);
    for (int i = 0; i < 60 && name[i]; ++i) {
        const unsigned char c = (unsigned char)name[i];
        const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        putc(plain ? c : '_', out);
    }
}

/* The name as it is, for people; names have no control characters. */
static void put_shown(FILE *out, const char *name)
{
    fputs("displayName = \"", out);
    for (; *name; ++name)
        fprintf(out, *name == '"' || *name == '\\' ? "\\%c" : "%c", *name);
    fputs("\"", out);
}

static void put_vector(FILE *out, const double *x, int n)
{
    for (int i = 0; i < n; ++i)
        fprintf(out, "%s%.9g", i ? ", " : "(", x[i]);
    putc(')', out);
}

static void put_place(FILE *out, const double at[3], const double turn[4], const double *size)
{
    fputs("            double3 xformOp:translate = ", out);
    put_vector(out, at, 3);
    fputs("\n            quatf xformOp:orient = ", out);
    put_vector(out, turn, 4);
    if (size) {
        fputs("\n            double3 xformOp:scale = ", out);
        put_vector(out, size, 3);
    }
    fprintf(out, "\n            uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"%s]\n",
            size ? ", \"xformOp:scale\"" : "");
}

/* ---------------------------------------------------------------- parts */

static double linear(double x) { return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4); }

static void put_colour(FILE *out, const clv_shape *s, int number)
{
    static const double own[][3] = {{0.072, 0.258, 0.914}, {0.807, 0.366, 0.047}, {0.060, 0.434, 0.262},
                                    {0.658, 0.117, 0.202}, {0.274, 0.198, 0.694}, {0.114, 0.451, 0.617},
                                    {0.462, 0.305, 0.078}, {0.212, 0.381, 0.080}};
    double c[3];
    for (int k = 0; k < 3; ++k)
        c[k] = s->coloured ? linear(s->colour[k]) : number < 0 ? 0.46 : own[number % 8][k];
    fputs("            color3f[] primvars:displayColor = [", out);
    put_vector(out, c, 3);
    fputs("]\n", out);
}

/* the own surface of a body, as triangles */
static void put_faces(FILE *out, const clv_gltf_mesh *m)
{
    fputs("            uniform token subdivisionScheme = \"none\"\n            int[] faceVertexCounts = [", out);
    for (int i = 0; i < m->n; i += 3)
        fputs(i ? ", 3" : "3", out);
    fputs("]\n            int[] faceVertexIndices = [", out);
    for (int i = 0; i < m->n; ++i)
        fprintf(out, "%s%d", i ? ", " : "", i);
    fputs("]\n            point3f[] points = [", out);
    for (int i = 0; i < m->n; ++i) {
        double x[3];
        for (int k = 0; k < 3; ++k)
            x[k] = (double)m->position[3 * i + k];
        fputs(i ? ", " : "", out);
        put_vector(out, x, 3);
    }
    fputs("]\n", out);
}

static void put_parts(const clv_gltf *g, FILE *out, int i, double radius)
{
    static const char *const kind[] = {"Cube", "Sphere", "Cylinder", "Mesh"};
    static const char *const size[] = {"double size = 1", "double radius = 1",
                                       ("double radius = 1\n            double height = 1\n"
                                        "            uniform token axis = \"Z\"")};
    clv_gltf_part part[CLV_GLTF_PARTS];
    const int n = clv_gltf_parts(g->run, g->points, g->run->shown[i], radius, part);
    for (int k = 0; k < n; ++k) {
        fprintf(out, "        def %s \"part%d\"\n        {\n", kind[part[k].form], k);
        if (part[k].form == CLV_GLTF_FORMS)
            put_faces(out, &g->own[i]);
        else
            fprintf(out, "            %s\n", size[part[k].form]);
        put_colour(out, g->run->model->body[g->run->shown[i]].shape, i);
        put_place(out, part[k].at, part[k].turn, part[k].size);
        fputs("        }\n", out);
    }
}

/* A capsule or ball has one radius; a mesh its own points. */
static void put_form(const clv_gltf *g, FILE *out, int number)
{
    const clv_visual *v = &g->run->model->visual[number];
    const double *a = v->shape.size;
    if (v->mesh)
        fprintf(out, "        def Mesh \"visual%d\" (inherits = </mesh%d>)\n        {\n", number,
                g->run->mesh_of[number]);
    else if (v->shape.kind == CLV_SHAPE_BOX)
        fprintf(out, "        def Cube \"visual%d\"\n        {\n            double size = 1\n", number);
    else if (v->shape.kind == CLV_SHAPE_SPHERE)
        fprintf(out, "        def Sphere \"visual%d\"\n        {\n            double radius = %.9g\n", number, a[0]);
    else
        fprintf(out,
                "        def %s \"visual%d\"\n        {\n            double radius = %.9g\n"
                "            double height = %.9g\n            uniform token axis = \"Z\"\n",
                v->shape.kind == CLV_SHAPE_CYLINDER ? "Cylinder" : "Capsule", number, a[0], a[1]);
}

/* Visuals of a body of the model; their number. */
static int put_visuals(const clv_gltf *g, FILE *out, int body, int number)
{
    int n = 0;
    for (int i = 0; i < g->run->model->nvisual; ++i) {
        const clv_visual *v = &g->run->model->visual[i];
        double at[3];
        if (v->body != body || (v->mesh && g->run->mesh_of[i] < 0))
            continue;
        put_form(g, out, i);
        put_colour(out, &v->shape, v->mesh ? -1 : number);
        memcpy(at, v->shape.at, sizeof at);
        if (body != CLV_GROUND)
            clv_sub3(at, v->shape.at, g->run->model->body[body].com);
        put_place(out, at, v->shape.orientation,
                  v->mesh ? v->scale : v->shape.kind == CLV_SHAPE_BOX ? v->shape.size : NULL);
        fputs("        }\n", out);
        n++;
    }
    return n;
}

static void put_mesh(FILE *out, const clv_packed_mesh *p, int number)
{
    fprintf(out,
            "class Mesh \"mesh%d\"\n{\n    uniform token subdivisionScheme = \"none\"\n    bool doubleSided = true\n"
            "    int[] faceVertexCounts = [",
            number);
    for (size_t i = 0; i < p->ncorner; i += 3)
        fputs(i ? ", 3" : "3", out);
    fputs("]\n    int[] faceVertexIndices = [", out);
    for (size_t i = 0; i < p->ncorner; ++i)
        fprintf(out, "%s%u", i ? ", " : "", p->corner[i]);
    fputs("]\n    point3f[] points = [", out);
    for (size_t i = 0; i < p->npoint; ++i) {
        double x[3];
        for (size_t k = 0; k < 3; ++k)
            x[k] = p->low[k] + p->step * p->point[3 * i + k];
        fputs(i ? ", " : "", out);
        put_vector(out, x, 3);
    }
    fputs("]\n}\n\n", out);
}

/* ---------------------------------------------------------------- the stage */

/* The turn that takes the direction against gravity to z. */
static void upright(const clv_model *m, double turn[4])
{
    const double *w = m->gravity, size = clv_norm3(w);
    const double up[3] = {size > 0 ? -w[0] / size : 0, size > 0 ? -w[1] / size : 0, size > 0 ? -w[2] / size : 1};
    memcpy(turn, (double[]){1 + up[2], up[1], -up[0], 0}, 4 * sizeof *turn); /* up x z */
    if (up[2] < -1 + 1e-9)
        memcpy(turn, (double[]){0, 1, 0, 0}, 4 * sizeof *turn);
    clv_quat_normalize(turn);
}

static void put_motion(const clv_gltf *g, FILE *out, int i)
{
    const float *p = g->pose + 7 * g->frames * i, *e = p + 3 * g->frames;
    fputs("        double3 xformOp:translate.timeSamples = {\n", out);
    for (long f = 0; f < g->frames; ++f, p += 3) {
        fprintf(out, "            %.9g: ", CODES * (double)g->time[f]);
        put_vector(out, (double[]){(double)p[0], (double)p[1], (double)p[2]}, 3);
        fputs(",\n", out);
    }
    fputs("        }\n        quatf xformOp:orient.timeSamples = {\n", out);
    for (long f = 0; f < g->frames; ++f, e += 4) {
        fprintf(out, "            %.9g: ", CODES * (double)g->time[f]);
        put_vector(out, (double[]){(double)e[3], (double)e[0], (double)e[1], (double)e[2]}, 4);
        fputs(",\n", out);
    }
    fputs("        }\n        uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n", out);
}

/* What is said of the stage, and meshes for bodies to inherit. */
static void put_head(const clv_gltf *g, FILE *out)
{
    const double end = g->frames > 0 ? (double)g->time[g->frames - 1] : 0;
    fprintf(out, "#usda 1.0\n(\n    defaultPrim = \"");
    put_name(out, clv_model_name(g->run->model), -1);
    fprintf(out,
            "\"\n    metersPerUnit = 1\n    upAxis = \"Z\"\n    timeCodesPerSecond = %g\n    startTimeCode = 0\n"
            "    endTimeCode = %.9g\n)\n\n",
            CODES, CODES * end);
    for (int i = 0; i < g->run->nmesh; ++i)
        put_mesh(out, &g->run->mesh[i].packed, i);
}

static void put_body(const clv_gltf *g, FILE *out, int i, double radius)
{
    const int body = g->run->shown[i];
    const char *name = g->run->model->body[body].name;
    fputs("    def Xform \"", out);
    put_name(out, name, i);
    fputs("\" (", out);
    put_shown(out, name);
    fputs(")\n    {\n", out);
    put_motion(g, out, i);
    if (put_visuals(g, out, body, i) == 0)
        put_parts(g, out, i, radius);
    fputs("    }\n", out);
}

void clv_usd_write(const clv_gltf *g, FILE *out)
{
    const clv_report *r = g->run;
    const double radius = clv_gltf_radius(r, g->points);
    double turn[4];
    put_head(g, out);
    fputs("def Xform \"", out);
    put_name(out, clv_model_name(r->model), -1);
    fputs("\" (", out);
    put_shown(out, clv_model_name(r->model));
    fputs(")\n{\n    quatf xformOp:orient = ", out);
    upright(r->model, turn);
    put_vector(out, turn, 4);
    fputs("\n    uniform token[] xformOpOrder = [\"xformOp:orient\"]\n    def Xform \"ground\"\n    {\n", out);
    put_visuals(g, out, CLV_GROUND, -1);
    fputs("    }\n", out);
    for (int i = 0; i < r->nshown; ++i)
        put_body(g, out, i, radius);
    fputs("}\n", out);
}
