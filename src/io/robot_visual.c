/* SPDX-License-Identifier: Apache-2.0
 * What is drawn of a robot: shapes and meshes of links, as visuals of their bodies.  Files of meshes are found beside
 * the robot's file, and packages (package://NAME/...) in the folders above it and those of ROS_PACKAGE_PATH and
 * AMENT_PREFIX_PATH.  A file that is not there, or of another format, is left out and listed. */
#include "base/error.h"
#include "base/memory.h"
#include "io/import.h"
#include "io/mesh_file.h"
#include "math/rotation.h"
#include "model/hull.h"
#include "model/names.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 600, UP = 12 };

/* ---------------------------------------------------------------- files */

static bool ends_with(const char *path, const char *ending)
{
    const size_t n = strlen(path), k = strlen(ending);
    for (size_t i = 0; i < k && n >= k; i++)
        if ((path[n - k + i] | 0x20) != ending[i])
            return false;
    return n >= k;
}

static bool is_there(const char *path)
{
    FILE *f = fopen(path, "rb");
    const bool there = f && getc(f) != EOF;
    if (f)
        fclose(f);
    return there;
}

/* Folders that ".." takes back are cut out where that leads to the same file. */
static void shorten(char *path)
{
    char plain[PATH] = "";
    size_t n = 0;
    for (const char *c = path; *c;) {
        const size_t k = strcspn(c, "/") + (c[strcspn(c, "/")] == '/');
        size_t last = n > 1 ? n - 1 : 0;
        while (last > 0 && plain[last - 1] != '/')
            last--;
        const bool up = strncmp(plain + last, "../", 3) == 0 || plain[last] == '/';
        const bool back = strncmp(c, "../", 3) == 0 && n > 1 && !up;
        if (back)
            n = last;
        else if (!(k == 2 && c[0] == '.' && c[1] == '/'))
            memcpy(plain + n, c, k), n += k;
        c += k;
    }
    plain[n] = '\0';
    if (is_there(plain))
        memcpy(path, plain, n + 1);
}

/* NAME/rest in the folders of a list with colons. */
static bool in_list(const char *list, const char *rest, char path[PATH])
{
    static const char *const between[] = {"/", "/share/", "/../"};
    for (const char *c = list; c && *c; c += c[strcspn(c, ":")] == ':') {
        const int n = (int)strcspn(c, ":");
        for (int k = 0; k < 3 && n > 0; k++)
            if (snprintf(path, PATH, "%.*s%s%s", n, c, between[k], rest) < PATH && is_there(path))
                return true;
        c += n;
    }
    return false;
}

static bool find_package(const clv_import *I, const char *rest, char path[PATH])
{
    const char *slash = strrchr(I->file[0], '/');
    const int folder = slash ? (int)(slash - I->file[0]) + 1 : 0;
    char up[3 * UP + 1] = "";
    for (int k = 0; k < UP; k++, memcpy(up + 3 * (k - 1), "../", 4))
        if (snprintf(path, PATH, "%.*s%s%s", folder, I->file[0], up, rest) < PATH && is_there(path))
            return true;
    return in_list(getenv("ROS_PACKAGE_PATH"), rest, path) || in_list(getenv("AMENT_PREFIX_PATH"), rest, path);
}

/* The file that a URDF or SDF calls so. */
static bool find_file(const clv_import *I, const char *name, char path[PATH])
{
    const char *slash = strrchr(I->file[0], '/');
    if (strncmp(name, "package://", 10) == 0 || strncmp(name, "model://", 8) == 0)
        return find_package(I, strchr(name, '/') + 2, path);
    name += strncmp(name, "file://", 7) == 0 ? 7 : 0;
    const int folder = slash && *name != '/' ? (int)(slash - I->file[0]) + 1 : 0;
    return snprintf(path, PATH, "%.*s%s", folder, I->file[0], name) < PATH && is_there(path);
}

/* COLLADA files hold much that is no mesh: it is known when all is read. */
static const char *collada_problem(const char *path)
{
    clv_mesh mesh = {0};
    clv_error e;
    size_t size = 0;
    clv_error_clear(&e);
    char *text = clv_model_load(&e, path, &size);
    const bool good = text && clv_mesh_read(&mesh, path, text, size);
    clv_free(text);
    clv_mesh_free(&mesh);
    return good ? NULL : mesh.problem ? mesh.problem : "it cannot be read";
}

/* Why a file cannot be a mesh, by its name and beginning; NULL: it can. */
static const char *mesh_problem(const char *path)
{
    unsigned char head[84];
    if (ends_with(path, ".dae"))
        return collada_problem(path);
    if (!ends_with(path, ".stl"))
        return ends_with(path, ".obj") || ends_with(path, ".msh") ? NULL : "only STL, OBJ and COLLADA are read";
    FILE *f = fopen(path, "rb");
    const size_t n = f ? fread(head, 1, sizeof head, f) : 0;
    bool good = n > 5 && memcmp(head, "solid", 5) == 0;
    if (f && n == sizeof head && fseek(f, 0, SEEK_END) == 0) {
        const uint32_t count = (uint32_t)head[80] | (uint32_t)head[81] << 8 | (uint32_t)head[82] << 16 |
                               (uint32_t)head[83] << 24;
        good = good || (long)(84 + 50 * (size_t)count) <= ftell(f);
    }
    if (f)
        fclose(f);
    return good ? NULL : "it is not an STL file";
}

/* ---------------------------------------------------------------- what is drawn */

static clv_look *new_look(clv_import *I, unsigned node, int link, const clv_frame *at)
{
    clv_look *look = CLV_IMPORT_MORE(I, look);
    if (look)
        *look = (clv_look){.node = node, .link = link, .at = *at, .scale = {1, 1, 1}};
    return look;
}

void clv_robot_shape(clv_import *I, unsigned node, int link, const clv_shape *s)
{
    clv_frame at;
    clv_copy3(at.p, s->at);
    clv_quat_rotation(at.R, s->orientation);
    clv_look *look = new_look(I, node, link, &at);
    if (look)
        look->shape = *s;
}

const char *clv_robot_mesh(clv_import *I, unsigned node, int link, const clv_frame *at, const char *file,
                           const double scale[3], const clv_shape *colour)
{
    char path[PATH];
    if (!(I->format && strcmp(I->format, "MJCF") != 0 ? find_file(I, file, path)
                                                       : snprintf(path, PATH, "%s", file) < PATH && is_there(file)))
        return "the file does not exist";
    const char *problem = mesh_problem(path);
    if (problem)
        return problem;
    shorten(path);
    clv_look *look = new_look(I, node, link, at);
    if (!look)
        return NULL;
    look->mesh = clv_import_text(I, "%s", path);
    look->shape = *colour, look->shape.kind = CLV_SHAPE_NONE;
    clv_copy3(look->scale, scale);
    return NULL;
}

const char *clv_robot_points(const clv_import *I, const char *file, const double scale[3], double **points, int *n)
{
    clv_mesh mesh = {0};
    clv_error e;
    char path[PATH];
    size_t size = 0;
    bool flat = false;
    if (!find_file(I, file, path))
        return "the file does not exist";
    clv_error_clear(&e);
    char *text = clv_model_load(&e, path, &size);
    const bool good = text && clv_mesh_read(&mesh, path, text, size) && clv_model_note_side(I->m, path);
    for (size_t i = 0; i < 3 * mesh.npoint && good; i++)
        mesh.point[i] *= scale[i % 3];
    clv_hull *h = good ? clv_hull_create(mesh.point, (int)mesh.npoint, &flat) : NULL;
    if (h)
        *points = h->point, *n = h->npoint, h->point = NULL;
    const char *problem = h              ? NULL
                          : mesh.problem ? mesh.problem
                          : flat         ? "its points lie in a plane"
                                         : "it cannot be read";
    clv_free(text), clv_mesh_free(&mesh), clv_hull_free(h);
    return problem;
}

/* A name that no visual has yet; the link knows up to where they are taken. */
static const char *free_name(clv_import *I, clv_link *l)
{
    const char *free = l->name;
    for (int k = l->looks > 0 ? l->looks : 1; free; k++) {
        l->looks = k + 1;
        free = k > 1 ? clv_import_text(I, "%s.%d", l->name, k) : free;
        if (!free || clv_names_find(I->m->names, CLV_NAME_VISUAL, free) < 0)
            break;
    }
    return free;
}

static void make_look(clv_import *I, const clv_look *look)
{
    clv_visual_desc d = clv_visual_desc_default();
    int index;
    d.name = free_name(I, &I->link[look->link]);
    d.shape = look->shape;
    d.mesh = look->mesh;
    clv_copy3(d.scale, look->scale);
    d.body = clv_robot_body(I, look->link, &look->at, d.shape.at, d.shape.orientation);
    if (d.name && clv_robot_made(I, clv_model_add_visual(I->m, &index, &d), look->node))
        I->m->visual[index].place = clv_robot_place(I, look->node);
}

/* Are the things drawn on a body just its shape?  Then it needs no visuals. */
static bool is_plain(const clv_import *I, size_t k, const int *count)
{
    const clv_look *look = &I->look[k];
    const int base = I->link[look->link].base;
    return !look->mesh && base >= 0 && count[base] == 1 && I->link[base].shape.kind == look->shape.kind &&
           memcmp(I->link[base].shape.size, look->shape.size, sizeof look->shape.size) == 0;
}

void clv_robot_looks(clv_import *I)
{
    int *count = clv_alloc(I->nlink + 1, sizeof *count);
    if (!count)
        clv_read_out_of_memory(I->r);
    for (size_t k = 0; k < I->nlook && count; k++) {
        const int base = I->link[I->look[k].link].base;
        if (base >= 0)
            count[base]++;
    }
    for (size_t k = 0; k < I->nlook && count && I->r->nerror == 0 && !I->r->memory; k++)
        if (!is_plain(I, k, count))
            make_look(I, &I->look[k]);
    clv_free(count);
}
