/* SPDX-License-Identifier: Apache-2.0
 * MJCF: meshes of <asset> whose inertia a body needs.  The points are moved by refpos and refquat and then scaled. A
 * mesh is read once. */
#include "base/error.h"
#include "base/memory.h"
#include "io/mjcf.h"
#include "math/rotation.h"
#include "model/hull.h"
#include <stdio.h>
#include <string.h>

enum { LONGEST = 1100 }; /* name of an asset */

/* ---------------------------------------------------------------- the element */

/* The name of an asset: that of its file without ending where none is given; false: it has none, or a long one. */
static bool name_of(clv_mjcf *M, unsigned node, char *to, size_t size)
{
    const char *given = clv_xml_get(&M->I->xml, node, "name"), *file = clv_xml_get(&M->I->xml, node, "file");
    const char *slash = file && !given ? strrchr(file, '/') : NULL, *stem = given ? given : slash ? slash + 1 : file;
    const char *dot = stem && !given ? strrchr(stem, '.') : NULL;
    const size_t n = dot ? (size_t)(dot - stem) : stem ? strlen(stem) : 0;
    return stem && snprintf(to, size, "%.*s", (int)n, stem) < (int)size;
}

/* "mesh NAME" */
static bool key_of(const char *kind, const char *name, char *key, size_t size)
{
    return snprintf(key, size, "%s %s", kind, name) < (int)size;
}

/* All assets by kind and name, the first of each. */
static void list_assets(clv_mjcf *M)
{
    char name[LONGEST], key[LONGEST];
    size_t known;
    M->listed = true;
    for (unsigned s = clv_mjcf_section(M, 0, "asset"); s; s = clv_mjcf_section(M, s, "asset"))
        for (unsigned n = clv_mjcf_first(M, s); n; n = clv_mjcf_next(M, n))
            if (name_of(M, n, name, sizeof name) && key_of(clv_xml_name(&M->I->xml, n), name, key, sizeof key) &&
                !clv_map_find(&M->assets, key, &known) && !clv_map_add(&M->assets, key, n))
                clv_read_out_of_memory(M->I->r);
}

static unsigned find(clv_mjcf *M, const char *kind, const char *name)
{
    char key[LONGEST];
    size_t node;
    if (!M->listed)
        list_assets(M);
    return key_of(kind, name, key, sizeof key) && clv_map_find(&M->assets, key, &node) ? (unsigned)node : 0;
}

/* ---------------------------------------------------------------- its points */

/* Numbers of an attribute, to be freed; NULL: none, or wrong. */
static double *numbers(clv_mjcf *M, unsigned node, const char *attribute, int *n)
{
    const char *text = clv_xml_get(&M->I->xml, node, attribute);
    const size_t most = text ? strlen(text) / 2 + 1 : 0;
    double *x = text ? clv_alloc(most, sizeof *x) : NULL;
    if (text && !x)
        clv_read_out_of_memory(M->I->r);
    *n = x ? clv_import_some(M->I, node, attribute, x, (int)most) : 0;
    return x;
}

/* Points and faces that stand in the element; without faces they are those of the convex hull. */
static bool read_inline(clv_mjcf *M, unsigned node, clv_mesh *mesh)
{
    int nx, nf;
    double *x = numbers(M, node, "vertex", &nx), *f = numbers(M, node, "face", &nf);
    bool good = x && nx > 0 && nx % 3 == 0 && nf % 3 == 0;
    for (int i = 0; good && i < nx / 3; i++) {
        const double rounded[3] = {(float)x[3 * i], (float)x[3 * i + 1], (float)x[3 * i + 2]};
        good = clv_mesh_point(mesh, rounded);
    }
    for (int i = 0; good && i < nf; i++)
        good = f[i] >= 0 && 3 * f[i] < nx;
    for (int i = 0; good && i < nf / 3; i++)
        good = clv_mesh_face(mesh, (unsigned)f[3 * i], (unsigned)f[3 * i + 1], (unsigned)f[3 * i + 2], false);
    if (!good && !mesh->memory && M->I->r->nerror == 0)
        clv_import_fail(M->I, node, "vertex: three numbers each; face: three indices from 0 each",
                        "the mesh has no file, and its vertices or faces are wrong");
    clv_free(x);
    clv_free(f);
    return good;
}

/* Path: folder of the main file, meshdir, file. */
static void path_of(const clv_mjcf *M, const char *file, char *path, size_t size)
{
    const char *main = M->I->file[0], *slash = strrchr(main, '/'), *tail = strrchr(file, '/');
    const char *folder = M->c.mesh_folder ? M->c.mesh_folder : "";
    file = M->c.strip && tail ? tail + 1 : file;
    const bool whole = *file == '/', own = *folder == '/' || !slash;
    const size_t n = strlen(folder);
    snprintf(path, size, "%.*s%s%s%s", whole || own ? 0 : (int)(slash - main) + 1, main, whole ? "" : folder,
             whole || n == 0 || folder[n - 1] == '/' ? "" : "/", file);
}

static bool read_file(clv_mjcf *M, unsigned node, const char *file, clv_mesh *mesh)
{
    char path[600];
    size_t size = 0;
    clv_error e;
    clv_error_clear(&e);
    path_of(M, file, path, sizeof path);
    char *text = clv_model_load(&e, path, &size);
    if (!text && e.code == CLV_ERR_MEMORY)
        clv_read_out_of_memory(M->I->r);
    else if (!text)
        clv_import_fail(M->I, node, "the body has no <inertial>: its inertia is that of its meshes", "%.400s",
                        e.message);
    if (!text)
        return false;
    const bool good = clv_mesh_read(mesh, path, text, size) && clv_model_note_side(M->I->m, path);
    if (!good && !mesh->problem)
        clv_read_out_of_memory(M->I->r);
    else if (!good)
        clv_import_fail(M->I, node, "", "mesh %.200s: %s", file, mesh->problem);
    clv_free(text);
    return good;
}

/* refpos becomes the origin and refquat the axes; then every axis is scaled. */
static void place(clv_mjcf *M, unsigned node, clv_mesh *mesh)
{
    const clv_item e = {node, clv_mjcf_class(M, node, "class", M->main_class), "mesh"};
    double p[3] = {0, 0, 0}, q[4] = {1, 0, 0, 0}, scale[3] = {1, 1, 1}, R[9], d[3];
    clv_mjcf_numbers(M, e, "scale", scale, 3);
    clv_import_numbers(M->I, node, "refpos", p, 3);
    clv_import_numbers(M->I, node, "refquat", q, 4);
    if (!(clv_quat_norm(q) > 1e-14)) {
        clv_import_fail(M->I, node, "", "refquat has no direction");
        return;
    }
    clv_quat_rotation(R, q);
    for (size_t i = 0; i < mesh->npoint; i++) {
        double *x = mesh->point + 3 * i;
        clv_sub3(d, x, p);
        clv_mat3_transpose_times(x, R, d);
        for (int k = 0; k < 3; k++)
            x[k] *= scale[k];
    }
}

/* ---------------------------------------------------------------- the solid */

/* The mesh becomes its convex hull. */
static bool take_hull(clv_mjcf *M, unsigned node, clv_mesh *mesh)
{
    clv_mesh hull = {0};
    const bool good = clv_mesh_hull(&hull, mesh);
    if (hull.memory)
        clv_read_out_of_memory(M->I->r);
    else if (!good)
        clv_import_fail(M->I, node, "", "the mesh has no convex hull: its points lie in a plane");
    clv_mesh_free(mesh);
    *mesh = hull;
    return good;
}

static bool make_solid(clv_mjcf *M, unsigned node, clv_solid *s)
{
    static const char *const words[] = {"convex", "exact", "legacy", "shell", NULL};
    const clv_item e = {node, clv_mjcf_class(M, node, "class", M->main_class), "mesh"};
    const char *file = clv_xml_get(&M->I->xml, node, "file");
    const int how = clv_mjcf_choice(M, e, "inertia", words, M->c.exact_meshes ? 1 : 2);
    clv_mesh mesh = {0};
    if (how == 3)
        clv_import_fail(M->I, node, "add <inertial> to the bodies", "inertia=\"%s\" of meshes is not read", words[how]);
    bool good = how >= 0 && how < 3 && (file ? read_file(M, node, file, &mesh) : read_inline(M, node, &mesh));
    if (good)
        place(M, node, &mesh);
    if (good && (how == 0 || mesh.ncorner == 0))
        good = take_hull(M, node, &mesh);
    if (good && !clv_mesh_solid(s, &mesh, how == 2)) {
        clv_import_fail(M->I, node, "", "the mesh encloses no volume");
        good = false;
    }
    if (mesh.memory)
        clv_read_out_of_memory(M->I->r);
    clv_mesh_free(&mesh);
    return good && M->I->r->nerror == 0;
}

bool clv_mjcf_mesh(clv_mjcf *M, unsigned geom, const char *name, clv_solid *s)
{
    const unsigned node = find(M, "mesh", name);
    if (!node) {
        clv_import_fail(M->I, geom, "", "there is no mesh '%.100s' in <asset>", name);
        return false;
    }
    for (size_t i = 0; i < M->nmesh; i++)
        if (M->mesh[i].node == node)
            return *s = M->mesh[i].solid, true;
    if (!make_solid(M, node, s))
        return false;
    clv_mesh_entry *m = CLV_MJCF_MORE(M, mesh);
    if (m)
        *m = (clv_mesh_entry){node, *s};
    return m != NULL;
}

/* ---------------------------------------------------------------- what touches */

/* The mesh of a file; else why not. */
static const char *load(clv_mjcf *M, const char *file, clv_mesh *mesh)
{
    char path[600];
    size_t size = 0;
    clv_error e;
    clv_error_clear(&e);
    path_of(M, file, path, sizeof path);
    char *text = clv_model_load(&e, path, &size);
    const bool good = text && clv_mesh_read(mesh, path, text, size);
    clv_free(text);
    if (!good)
        return mesh->problem ? mesh->problem : "its file cannot be read";
    if (!clv_model_note_side(M->I->m, path))
        clv_read_out_of_memory(M->I->r);
    return NULL;
}

const char *clv_mjcf_points(clv_mjcf *M, const char *name, double **points, int *n)
{
    const unsigned node = find(M, "mesh", name);
    const char *file = node ? clv_xml_get(&M->I->xml, node, "file") : NULL;
    clv_mesh mesh = {0};
    const char *problem = !node ? "there is no such mesh" : file ? load(M, file, &mesh) : NULL;
    if (!problem && !file && !read_inline(M, node, &mesh))
        problem = "its vertices are wrong";
    if (!problem)
        place(M, node, &mesh);
    bool flat = false;
    clv_hull *h = problem ? NULL : clv_hull_create(mesh.point, (int)mesh.npoint, &flat);
    if (!problem && !h)
        problem = flat ? "its points lie in a plane" : "there is no memory for it";
    if (h)
        *points = h->point, *n = h->npoint, h->point = NULL;
    clv_hull_free(h);
    clv_mesh_free(&mesh);
    return problem;
}

/* ---------------------------------------------------------------- what is drawn */

/* A mesh is drawn where its file has it, moved by refpos and refquat and then scaled.  Where all axes have one scale,
 * the frame of the visual takes the motion. */
const char *clv_mjcf_look(clv_mjcf *M, unsigned geom, const char *name, const clv_frame *at, int link,
                          const clv_shape *colour)
{
    const unsigned node = find(M, "mesh", name);
    const char *file = node ? clv_xml_get(&M->I->xml, node, "file") : NULL;
    double p[3] = {0, 0, 0}, q[4] = {1, 0, 0, 0}, scale[3] = {1, 1, 1}, shift[3];
    clv_frame ref, f;
    char path[600];
    if (!file)
        return node ? "it has no file" : "there is no such mesh";
    const clv_item e = {node, clv_mjcf_class(M, node, "class", M->main_class), "mesh"};
    clv_mjcf_numbers(M, e, "scale", scale, 3);
    clv_import_numbers(M->I, node, "refpos", p, 3);
    clv_import_numbers(M->I, node, "refquat", q, 4);
    const bool turned = q[1] != 0 || q[2] != 0 || q[3] != 0;
    if (!(clv_quat_norm(q) > 1e-14) || (turned && (scale[0] != scale[1] || scale[1] != scale[2])))
        return "refquat with a scale for each axis is not drawn";
    clv_quat_normalize(q);
    clv_quat_rotation(ref.R, q);
    clv_mat3_transpose_times(shift, ref.R, p);
    for (int k = 0; k < 3; k++)
        ref.p[k] = -scale[k] * shift[k];
    for (int i = 0; i < 3; i++) /* x = scale R^T (y - p) */
        for (int k = i + 1; k < 3; k++) {
            const double keep = ref.R[3 * i + k];
            ref.R[3 * i + k] = ref.R[3 * k + i], ref.R[3 * k + i] = keep;
        }
    clv_frame_product(&f, at, &ref);
    path_of(M, file, path, sizeof path);
    return clv_robot_mesh(M->I, geom, link, &f, path, scale, colour);
}

int clv_mjcf_material(clv_mjcf *M, const char *name, double rgba[4])
{
    const unsigned node = find(M, "material", name);
    const clv_item e = {node, node ? clv_mjcf_class(M, node, "class", M->main_class) : -1, "material"};
    return node ? clv_mjcf_some(M, e, "rgba", rgba, 4) : 0;
}
