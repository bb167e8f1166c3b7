/* SPDX-License-Identifier: Apache-2.0
 * The unit forms of a glTF file, and which of them stand for a body; see gltf.h. */
#include "base/memory.h"
#include "cli/gltf.h"
#include "math/rotation.h"
#include "math/sincos.h"
#include "math/spatial.h"
#include "model/faces.h"
#include "model/model.h"
#include "model/shape.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDES = 16, RINGS = 10 };
static const double TURN = 6.283185307179586;

/* ---------------------------------------------------------------- unit forms */

static void vertex(clv_gltf_mesh *m, const double p[3], const double n[3])
{
    for (int k = 0; k < 3; ++k) {
        m->position[3 * m->n + k] = (float)p[k];
        m->normal[3 * m->n + k] = (float)n[k];
    }
    m->n++;
}

static void triangle(clv_gltf_mesh *m, int a, int b, int c)
{
    m->index[m->nindex++] = (unsigned short)a;
    m->index[m->nindex++] = (unsigned short)b;
    m->index[m->nindex++] = (unsigned short)c;
}

static void box(clv_gltf_mesh *m)
{
    for (int face = 0; face < 6; ++face) {
        const int axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3, first = m->n;
        const double side = face % 2 ? 1 : -1;
        double n[3] = {0};
        n[axis] = side;
        for (int k = 0; k < 4; ++k) {
            double p[3];
            p[axis] = 0.5 * side, p[u] = (k == 1 || k == 2) ? 0.5 : -0.5, p[v] = k > 1 ? 0.5 : -0.5;
            vertex(m, p, n);
        }
        triangle(m, first, first + (side > 0 ? 1 : 2), first + (side > 0 ? 2 : 1));
        triangle(m, first, first + (side > 0 ? 2 : 3), first + (side > 0 ? 3 : 2));
    }
}

/* Squares between two rows of SIDES + 1 vertices, the second one further along z. */
static void band(clv_gltf_mesh *m, int low, int high)
{
    for (int k = 0; k < SIDES; ++k) {
        triangle(m, low + k, low + k + 1, high + k + 1);
        triangle(m, low + k, high + k + 1, high + k);
    }
}

/* A row of vertices of radius r at height z, with normals (w cos, w sin, nz). */
static void row(clv_gltf_mesh *m, double r, double z, double w, double nz)
{
    for (int k = 0; k <= SIDES; ++k) {
        double s, c;
        clv_sincos(TURN * (k % SIDES) / SIDES, &s, &c);
        vertex(m, (double[]){r * c, r * s, z}, (double[]){w * c, w * s, nz});
    }
}

static void ball(clv_gltf_mesh *m)
{
    for (int i = 0; i <= RINGS; ++i) {
        double s, c;
        clv_sincos(TURN / 2 * i / RINGS, &s, &c);
        row(m, i == 0 || i == RINGS ? 0 : s, i == RINGS ? 1 : -c, i == 0 || i == RINGS ? 0 : s, i == RINGS ? 1 : -c);
        if (i > 0)
            band(m, (i - 1) * (SIDES + 1), i * (SIDES + 1));
    }
}

static void tube(clv_gltf_mesh *m)
{
    row(m, 1, -0.5, 1, 0);
    row(m, 1, 0.5, 1, 0);
    band(m, 0, SIDES + 1);
    for (int end = -1; end <= 1; end += 2) {
        const int first = m->n;
        row(m, 1, 0.5 * end, 0, end);
        for (int k = 1; k + 1 < SIDES; ++k)
            triangle(m, first, first + (end > 0 ? k : k + 1), first + (end > 0 ? k + 1 : k));
    }
}

bool clv_gltf_mesh_make(clv_gltf_mesh *m, clv_gltf_form form)
{
    enum { MOST = (RINGS + 1) * (SIDES + 1), INDICES = 6 * RINGS * SIDES };
    *m = (clv_gltf_mesh){.position = clv_alloc(3 * MOST, sizeof(float)), .normal = clv_alloc(3 * MOST, sizeof(float)),
                         .index = clv_alloc(INDICES, sizeof(unsigned short))};
    if (!m->position || !m->normal || !m->index)
        return false;
    (form == CLV_GLTF_BOX ? box : form == CLV_GLTF_BALL ? ball : tube)(m);
    return true;
}

/* flat triangles */
bool clv_gltf_mesh_own(clv_gltf_mesh *m, const clv_body *b)
{
    clv_faces f = {.npoint = 0};
    *m = (clv_gltf_mesh){.n = 0};
    if (!clv_faces_has(b->shape))
        return true;
    bool good = clv_faces_make(&f, b->shape, b->hull);
    m->position = clv_alloc((size_t)f.ncorner + 1, 3 * sizeof(float));
    m->normal = clv_alloc((size_t)f.ncorner + 1, 3 * sizeof(float));
    good = good && m->position && m->normal;
    for (int i = 0; i < f.ncorner && good; i += 3) {
        const double *p[3];
        double u[3], v[3], n[3];
        for (int k = 0; k < 3; ++k)
            p[k] = f.point + 3 * (size_t)f.corner[i + k];
        clv_sub3(u, p[1], p[0]), clv_sub3(v, p[2], p[0]);
        clv_cross(n, u, v);
        const double length = clv_norm3(n);
        if (!(length > 0))
            continue;
        for (int k = 0; k < 3; ++k)
            n[k] /= length;
        for (int k = 0; k < 3; ++k)
            vertex(m, p[k], n);
    }
    clv_faces_release(&f);
    return good;
}

void clv_gltf_mesh_release(clv_gltf_mesh *m)
{
    clv_free(m->position), clv_free(m->normal), clv_free(m->index);
}

/* ---------------------------------------------------------------- parts of a body */

static clv_gltf_part ball_at(const double at[3], double radius)
{
    return (clv_gltf_part){CLV_GLTF_BALL, {at[0], at[1], at[2]}, {1, 0, 0, 0}, {radius, radius, radius}};
}

/* A rod from p to q: the turn takes z to q - p by the shortest way. */
static clv_gltf_part rod(const double p[3], const double q[3], double radius)
{
    double d[3];
    clv_sub3(d, q, p);
    const double length = clv_norm3(d);
    clv_gltf_part part = {CLV_GLTF_ROD, {0}, {1, 0, 0, 0}, {radius, radius, length}};
    for (int k = 0; k < 3; ++k)
        part.at[k] = 0.5 * (p[k] + q[k]);
    const double z = length > 0 ? d[2] / length : 1;
    if (z < -1 + 1e-9) { /* half a turn about x */
        memcpy(part.turn, (double[]){0, 1, 0, 0}, sizeof part.turn);
    } else if (length > 0) {
        memcpy(part.turn, (double[]){1 + z, -d[1] / length, d[0] / length, 0}, sizeof part.turn);
        clv_quat_normalize(part.turn);
    }
    return part;
}

static int shape_parts(const clv_shape *s, bool faces, const double com[3], clv_gltf_part *part)
{
    const double *a = s->size, length = s->kind == CLV_SHAPE_CAPSULE || s->kind == CLV_SHAPE_CYLINDER ? a[1] : 0;
    double R[9], z[3], at[3];
    clv_sub3(at, s->at, com);
    part[0] = ball_at(at, a[0]);
    memcpy(part[0].turn, s->orientation, sizeof part[0].turn);
    if (s->kind == CLV_SHAPE_SPHERE)
        return 1;
    if (faces) {
        part[0].form = CLV_GLTF_FORMS;
        memcpy(part[0].size, (const double[]){1, 1, 1}, sizeof part[0].size);
        return 1;
    }
    part[0].form = s->kind == CLV_SHAPE_BOX ? CLV_GLTF_BOX : CLV_GLTF_ROD;
    memcpy(part[0].size, s->kind == CLV_SHAPE_BOX ? a : (const double[]){a[0], a[0], length}, sizeof part[0].size);
    if (s->kind != CLV_SHAPE_CAPSULE)
        return 1;
    clv_quat_rotation(R, s->orientation);
    clv_mat3_column(z, R, 2);
    for (int end = 0; end < 2; ++end) {
        part[1 + end] = ball_at(at, a[0]);
        clv_axpy3(part[1 + end].at, (end ? 0.5 : -0.5) * length, z);
    }
    return 3;
}

/* Points of a body from its centre of mass, without repetitions; of a flexible body its nodes at rest. */
static int corners(const clv_report *r, const clv_report_points *p, int body, double *all)
{
    const clv_body *b = &r->model->body[body];
    int n = clv_report_points_of(r->model, p, body, all), kept = 0;
    if (b->flex >= 0 && b->node < 0) {
        const clv_flex *flex = &r->model->flex[b->flex];
        for (n = 0; n < flex->nnode && n < CLV_REPORT_POINTS; ++n)
            clv_copy3(&all[3 * n], flex->node[n].position);
    }
    for (int i = 0; i < n; ++i) {
        double at[3], away[3];
        bool again = false;
        clv_sub3(at, &all[3 * i], b->com);
        for (int k = 0; k < kept && !again; ++k) {
            clv_sub3(away, at, &all[3 * k]);
            again = clv_norm3(away) < 1e-6 * (1 + clv_norm3(at));
        }
        if (!again)
            clv_copy3(&all[3 * kept++], at);
    }
    return kept;
}

static double extent(const double *all, int n)
{
    double most = n == 1 ? clv_norm3(all) : 0, d[3];
    for (int i = 1; i < n; ++i) {
        clv_sub3(d, &all[3 * i], all);
        most = fmax(most, clv_norm3(d));
    }
    return most;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double clv_gltf_radius(const clv_report *r, const clv_report_points *p)
{
    double all[3 * CLV_REPORT_POINTS], *length = clv_alloc((size_t)r->nshown + 1, sizeof *length);
    int n = 0;
    for (int i = 0; length && i < r->nshown; ++i) {
        const double x = extent(all, corners(r, p, r->shown[i], all));
        if (x > 1e-9 && r->model->body[r->shown[i]].shape->kind == CLV_SHAPE_NONE)
            length[n++] = x;
    }
    if (n > 0)
        qsort(length, (size_t)n, sizeof *length, ascending);
    const double radius = n > 0 ? 0.05 * length[7 * n / 10] : 0.02;
    clv_free(length);
    return radius;
}

int clv_gltf_parts(const clv_report *r, const clv_report_points *p, int body, double radius,
                   clv_gltf_part part[CLV_GLTF_PARTS])
{
    static const double centre[3];
    const clv_body *b = &r->model->body[body];
    double all[3 * CLV_REPORT_POINTS], middle[3] = {0};
    int parts = 0;
    if (b->shape->kind != CLV_SHAPE_NONE)
    {
        const clv_shape drawn = clv_shape_drawn(b->shape);
        return shape_parts(&drawn, clv_faces_has(b->shape), b->com, part);
    }
    const int n = corners(r, p, body, all);
    if (n < 2)
        part[parts++] = ball_at(centre, 2 * radius);
    if (n == 1 && clv_norm3(all) > 0.5 * radius)
        part[parts++] = rod(all, centre, 0.6 * radius);
    if (n == 2)
        part[parts++] = rod(all, all + 3, radius);
    for (int i = 0; n > 2 && i < n; ++i)
        clv_axpy3(middle, 1.0 / n, &all[3 * i]);
    for (int i = 0; n > 1 && i < n; ++i) {
        double d[3];
        clv_sub3(d, &all[3 * i], middle);
        if (n > 2 && clv_norm3(d) > 0.1 * radius)
            part[parts++] = rod(middle, &all[3 * i], 0.8 * radius);
        part[parts++] = ball_at(&all[3 * i], 1.3 * radius);
    }
    return parts;
}
