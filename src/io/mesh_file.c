/* SPDX-License-Identifier: Apache-2.0
 * Files of triangles; see mesh_file.h.  Coordinates are rounded to single precision, as all formats store or
 * their readers keep them. */
#include "io/mesh_file.h"
#include "base/memory.h"
#include "base/text.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

#define MOST 0x7fffffffu /* points or corners */

/* ---------------------------------------------------------------- growing */

static bool reserve(clv_mesh *m, void *list, size_t *capacity, size_t n, size_t size)
{
    void *old;
    if (n <= *capacity)
        return true;
    memcpy(&old, list, sizeof old);
    void *more = n > MOST ? NULL : clv_resize(old, 2 * n + 64, size);
    if (!more) {
        m->memory = true;
        return false;
    }
    memcpy(list, &more, sizeof more);
    *capacity = 2 * n + 64;
    return true;
}

bool clv_mesh_point(clv_mesh *m, const double x[3])
{
    if (!reserve(m, &m->point, &m->point_capacity, 3 * (m->npoint + 1), sizeof *m->point))
        return false;
    for (int i = 0; i < 3; i++)
        if (!(fabs(x[i]) < 1e30)) {
            m->problem = "a coordinate is not a number";
            return false;
        }
    memcpy(m->point + 3 * m->npoint++, x, 3 * sizeof *x);
    return true;
}

bool clv_mesh_face(clv_mesh *m, unsigned a, unsigned b, unsigned c, bool more)
{
    if (!reserve(m, &m->corner, &m->corner_capacity, m->ncorner + 3, sizeof *m->corner) ||
        !reserve(m, &m->more, &m->more_capacity, m->ncorner / 3 + 1, sizeof *m->more))
        return false;
    m->more[m->ncorner / 3] = more;
    m->corner[m->ncorner++] = a;
    m->corner[m->ncorner++] = b;
    m->corner[m->ncorner++] = c;
    return true;
}

void clv_mesh_free(clv_mesh *m)
{
    clv_free(m->point);
    clv_free(m->corner);
    clv_free(m->more);
}

/* Every corner is a point. */
static bool complete(clv_mesh *m)
{
    for (size_t i = 0; i < m->ncorner; i++)
        if (m->corner[i] >= m->npoint) {
            m->problem = "a face names a point that the file does not have";
            return false;
        }
    if (m->ncorner == 0)
        m->problem = "it has no faces";
    return m->ncorner > 0;
}

/* ---------------------------------------------------------------- binary files (little endian) */

static uint32_t word_at(const char *text, size_t at)
{
    const unsigned char *c = (const unsigned char *)text + at;
    return (uint32_t)c[0] | (uint32_t)c[1] << 8 | (uint32_t)c[2] << 16 | (uint32_t)c[3] << 24;
}

static double single_at(const char *text, size_t at)
{
    const uint32_t word = word_at(text, at);
    float x;
    memcpy(&x, &word, sizeof x);
    return x;
}

static bool points_at(clv_mesh *m, const char *text, size_t at, size_t n)
{
    for (size_t i = 0; i < n; i++, at += 12) {
        const double x[3] = {single_at(text, at), single_at(text, at + 4), single_at(text, at + 8)};
        if (!clv_mesh_point(m, x))
            return false;
    }
    return true;
}

/* 80 bytes, the number of triangles, and 50 bytes for each: normal, corners, 2 bytes more. */
static bool read_binary_stl(clv_mesh *m, const char *text, size_t size)
{
    const size_t n = size >= 84 ? word_at(text, 80) : 0;
    if (size < 84 || n > MOST / 9 || size < 84 + 50 * n) {
        m->problem = "it is not an STL file";
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        const unsigned first = (unsigned)m->npoint;
        if (!points_at(m, text, 84 + 50 * i + 12, 3) || !clv_mesh_face(m, first, first + 1, first + 2, false))
            return false;
    }
    return true;
}

/* Numbers of points, normals, texture coordinates and faces; then these. */
static bool read_msh(clv_mesh *m, const char *text, size_t size)
{
    size_t n[4] = {0};
    for (size_t i = 0; i < 4 && size >= 16; i++)
        n[i] = word_at(text, 4 * i);
    const size_t most = MOST / 12, faces = 16 + 12 * n[0] + 12 * n[1] + 8 * n[2];
    if (size < 16 || n[0] > most || n[1] > most || n[2] > most || n[3] > most || size != faces + 12 * n[3]) {
        m->problem = "it is not an MSH file of MuJoCo";
        return false;
    }
    if (!points_at(m, text, 16, n[0]))
        return false;
    for (size_t i = 0, at = faces; i < n[3]; i++, at += 12)
        if (!clv_mesh_face(m, word_at(text, at), word_at(text, at + 4), word_at(text, at + 8), false))
            return false;
    return true;
}

/* ---------------------------------------------------------------- OBJ */

/* v x y z */
static bool read_vertex(clv_mesh *m, const char *line)
{
    double x[3];
    const char *end;
    for (int i = 0; i < 3; i++, line = end) {
        line += strspn(line, " \t");
        x[i] = (float)clv_text_number(line, &end);
        if (end == line) {
            m->problem = "a vertex does not have three numbers";
            return false;
        }
    }
    return clv_mesh_point(m, x);
}

/* A corner as 7, 7/1, 7//2 or 7/1/2, from 1; negative: from the last one backwards.  False: there is none. */
static bool read_corner(const clv_mesh *m, const char **line, unsigned *corner)
{
    const char *c = *line + strspn(*line, " \t");
    const bool back = *c == '-';
    unsigned long value = 0;
    c += back;
    if (*c < '0' || *c > '9')
        return false;
    for (; *c >= '0' && *c <= '9'; c++)
        value = value < MOST ? 10 * value + (unsigned long)(*c - '0') : value;
    c += strcspn(c, " \t\r\n");
    *line = c;
    *corner = (unsigned)(back ? m->npoint - value : value - 1);
    return true;
}

/* Square of the distance of two points, in single precision. */
static float between(const clv_mesh *m, unsigned a, unsigned b)
{
    float sum = 0;
    for (int i = 0; i < 3; i++) {
        const float d = (float)m->point[3 * (size_t)b + (size_t)i] - (float)m->point[3 * (size_t)a + (size_t)i];
        sum += d * d;
    }
    return sum;
}

/* A quadrilateral is cut along its shorter diagonal, as the reader of MuJoCo cuts it: its corners need not lie in a
 * plane. */
bool clv_mesh_quad(clv_mesh *m, const unsigned c[4])
{
    if (between(m, c[0], c[2]) < between(m, c[1], c[3]))
        return clv_mesh_face(m, c[0], c[1], c[2], false) && clv_mesh_face(m, c[0], c[2], c[3], false);
    return clv_mesh_face(m, c[0], c[1], c[3], false) && clv_mesh_face(m, c[1], c[2], c[3], false);
}

/* The next corner of a face; false: there is none, or no such point. */
static bool next_corner(clv_mesh *m, const char **line, unsigned *corner)
{
    if (!read_corner(m, line, corner))
        return false;
    if (*corner >= m->npoint)
        m->problem = "a face names a point that the file does not have";
    return !m->problem;
}

/* f a b c ...: triangles, quadrilaterals, and plane faces of more corners as a fan, which may be concave. */
static bool read_polygon(clv_mesh *m, const char *line)
{
    unsigned c[5];
    int n = 0;
    while (n < 5 && next_corner(m, &line, &c[n]))
        n++;
    if (n < 3 && !m->problem)
        m->problem = "a face has fewer than three corners";
    if (m->problem)
        return false;
    if (n == 4)
        return clv_mesh_quad(m, c);
    bool good = true;
    for (int i = 2; i < n && good; i++)
        good = clv_mesh_face(m, c[0], c[i - 1], c[i], i > 2);
    for (unsigned next, last = c[n - 1]; n == 5 && good && next_corner(m, &line, &next); last = next)
        good = clv_mesh_face(m, c[0], last, next, true);
    return good && !m->problem;
}

static bool read_obj(clv_mesh *m, const char *text)
{
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        line += strspn(line, " \t\r");
        if (line[0] == 'v' && (line[1] == ' ' || line[1] == '\t') && !read_vertex(m, line + 2))
            return false;
        if (line[0] == 'f' && (line[1] == ' ' || line[1] == '\t') && !read_polygon(m, line + 2))
            return false;
    }
    return true;
}

/* ---------------------------------------------------------------- STL as text */

/* `vertex x y z` by lines, three for each triangle, and `endsolid` after the last one, without which the file may be
 * cut; all other lines are passed over. */
static bool read_text_stl(clv_mesh *m, const char *text)
{
    bool ended = false;
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        line += strspn(line, " \t\r");
        if (strncmp(line, "endsolid", 8) == 0)
            ended = true;
        if (strncmp(line, "vertex", 6) != 0)
            continue;
        ended = false;
        if (!read_vertex(m, line + 6))
            return false;
        const unsigned n = (unsigned)m->npoint;
        if (n % 3 == 0 && !clv_mesh_face(m, n - 3, n - 2, n - 1, false))
            return false;
    }
    if (m->npoint % 3 != 0)
        m->problem = "its last triangle does not have three corners";
    else if (!ended && m->ncorner > 0)
        m->problem = "it ends without 'endsolid'";
    return !m->problem;
}

/* Text needs an end. */
static bool read_text(clv_mesh *m, const char *text, size_t size, bool (*read)(clv_mesh *, const char *))
{
    char *ended = clv_alloc(size + 1, 1);
    if (!ended) {
        m->memory = true;
        return false;
    }
    memcpy(ended, text, size);
    const bool good = read(m, ended);
    clv_free(ended);
    return good;
}

/* A binary file has the size that its number of triangles says, whatever its first bytes are. */
static bool read_stl(clv_mesh *m, const char *text, size_t size)
{
    const bool binary = size >= 84 && size >= 84 + 50 * (size_t)word_at(text, 80);
    if (!binary && size > 5 && memcmp(text, "solid", 5) == 0)
        return read_text(m, text, size, read_text_stl);
    return read_binary_stl(m, text, size);
}

bool clv_mesh_read(clv_mesh *m, const char *name, const char *text, size_t size)
{
    const char *dot = strrchr(name, '.');
    char ending[5] = "";
    for (size_t i = 0; dot && dot[i + 1] && i < 4; i++)
        ending[i] = (char)(dot[i + 1] | 0x20);
    bool good = false;
    if (strcmp(ending, "stl") == 0)
        good = read_stl(m, text, size);
    else if (strcmp(ending, "msh") == 0)
        good = read_msh(m, text, size);
    else if (strcmp(ending, "obj") == 0)
        good = read_text(m, text, size, read_obj);
    else if (strcmp(ending, "dae") == 0)
        good = clv_mesh_collada(m, text, size);
    else
        m->problem = "meshes are files .stl, .obj, .dae or .msh";
    return good && complete(m);
}
