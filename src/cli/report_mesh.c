/* SPDX-License-Identifier: Apache-2.0
 * Visuals of a page: shapes as JSON, meshes as points on a grid and triangles in base64.  Meshes that are too large for
 * their part of the page become coarser, all by the same length, until they fit. */
#include "base/error.h"
#include "base/memory.h"
#include "cli/base64.h"
#include "cli/report.h"
#include "model/model.h"
#include "model/shape.h"
#include <math.h>
#include <string.h>

/* A mesh in memory while the grid is chosen. */
typedef struct source {
    clv_mesh mesh;
    double scale; /* the largest of the visual that shows it first */
} source;

static bool is_shown(const clv_report *r, int visual)
{
    const int body = r->model->visual[visual].body;
    return body == CLV_GROUND || r->place[body] >= 0;
}

/* Number of the mesh of a visual among those that are known; the number of all: a new one. */
static int known(const clv_report *r, int visual)
{
    int i = 0;
    while (i < r->nmesh && strcmp(r->model->visual[r->mesh[i].visual].mesh, r->model->visual[visual].mesh) != 0)
        ++i;
    return i;
}

/* Reads the mesh of a visual; one that the run file lacks, or that cannot be read, is counted. */
static clv_status load(clv_report *r, int visual, source *s)
{
    const clv_visual *v = &r->model->visual[visual];
    char *data;
    size_t size;
    clv_status status = clv_runfile_mesh(r->file, r->model, visual, &data, &size);
    if (status != CLV_OK)
        r->error = *clv_runfile_error(r->file);
    else if (data && clv_mesh_read(&s->mesh, v->mesh, data, size)) {
        s->scale = fmax(fabs(v->scale[0]), fmax(fabs(v->scale[1]), fabs(v->scale[2])));
        r->mesh[r->nmesh++].visual = visual;
    } else if (s->mesh.memory)
        status = clv_fail(&r->error, CLV_ERR_MEMORY, "out of memory");
    else
        ++r->lost, clv_mesh_free(&s->mesh), s->mesh = (clv_mesh){0};
    clv_free(data);
    return status;
}

static clv_status load_all(clv_report *r, source *s)
{
    clv_status status = CLV_OK;
    for (int i = 0; i < r->model->nvisual && status == CLV_OK; ++i) {
        r->mesh_of[i] = -1;
        if (!r->model->visual[i].mesh || !is_shown(r, i))
            continue;
        const int k = known(r, i);
        if (k == r->nmesh)
            status = load(r, i, &s[k]);
        r->mesh_of[i] = k < r->nmesh ? k : -1;
    }
    return status;
}

/* Bytes of an index of a point. */
static int index_bytes(const clv_packed_mesh *p) { return p->npoint > 65536 ? 4 : 2; }

/* All meshes with cells of this length (m); bytes in the page, -1: out of memory. */
static double pack_all(clv_report *r, const source *s, double cell)
{
    double bytes = 0;
    for (int i = 0; i < r->nmesh; ++i) {
        clv_packed_mesh *p = &r->mesh[i].packed;
        clv_packed_mesh_free(p);
        if (!clv_mesh_pack(p, &s[i].mesh, cell / s[i].scale))
            return -1;
        bytes += (6.0 * (double)p->npoint + index_bytes(p) * (double)p->ncorner) * 4 / 3;
    }
    return bytes;
}

/* The finest grid with which the meshes fit. */
static bool choose_grid(clv_report *r, const source *s, double limit)
{
    double size = 0, low[3], high[3], bytes = pack_all(r, s, 0);
    for (int i = 0; i < r->nmesh; ++i)
        size = fmax(size, clv_mesh_extent(&s[i].mesh, low, high) * s[i].scale);
    for (int k = 0; k < 24 && bytes > limit; ++k) {
        r->cell = r->cell > 0 ? 1.4 * r->cell : size / 4000;
        bytes = pack_all(r, s, r->cell);
    }
    r->mesh_bytes = (long)bytes;
    return bytes >= 0;
}

clv_status clv_report_meshes_open(clv_report *r, long bytes)
{
    const size_t n = (size_t)r->model->nvisual + 1;
    r->mesh = clv_alloc(n, sizeof *r->mesh), r->mesh_of = clv_alloc(n, sizeof *r->mesh_of);
    source *s = clv_alloc(n, sizeof *s);
    clv_status status = r->mesh && r->mesh_of && s ? load_all(r, s) : CLV_ERR_MEMORY;
    if (status == CLV_OK && !choose_grid(r, s, (double)bytes))
        status = CLV_ERR_MEMORY;
    if (status == CLV_ERR_MEMORY)
        clv_fail(&r->error, CLV_ERR_MEMORY, "out of memory");
    for (size_t i = 0; s && i < n; ++i)
        clv_mesh_free(&s[i].mesh);
    clv_free(s);
    return status;
}

void clv_report_meshes_close(clv_report *r)
{
    for (int i = 0; i < r->nmesh; ++i)
        clv_packed_mesh_free(&r->mesh[i].packed);
    clv_free(r->mesh), clv_free(r->mesh_of);
}

/* ---------------------------------------------------------------- JSON and numbers */

static void visual_json(clv_json *j, const clv_report *r, int i)
{
    const clv_visual *v = &r->model->visual[i];
    clv_json_object(j, NULL);
    clv_json_integer(j, "body", v->body == CLV_GROUND ? -1 : r->place[v->body]);
    if (v->mesh) {
        clv_json_integer(j, "mesh", r->mesh_of[i]);
        clv_report_lengths(j, "scale", v->scale, 3);
    }
    clv_report_shape(j, &v->shape);
    clv_json_end(j);
}

static void mesh_json(clv_json *j, const clv_packed_mesh *p)
{
    clv_json_object(j, NULL);
    clv_json_integer(j, "points", (long)p->npoint);
    clv_json_integer(j, "corners", (long)p->ncorner);
    clv_report_lengths(j, "low", p->low, 3);
    clv_report_lengths(j, "high", p->high, 3);
    clv_json_number(j, "step", p->step);
    clv_json_end(j);
}

void clv_report_visuals_json(clv_json *j, const clv_report *r)
{
    clv_json_array(j, "visuals");
    for (int i = 0; i < r->model->nvisual; ++i)
        if (is_shown(r, i) && (!r->model->visual[i].mesh || r->mesh_of[i] >= 0))
            visual_json(j, r, i);
    clv_json_end(j);
    clv_json_array(j, "meshes");
    for (int i = 0; i < r->nmesh; ++i)
        mesh_json(j, &r->mesh[i].packed);
    clv_json_end(j);
    clv_json_number(j, "mesh_cell", r->cell);
    clv_json_integer(j, "meshes_lost", r->lost);
}

void clv_report_meshes_write(const clv_report *r, int run, FILE *out)
{
    clv_base64 b = {.out = out};
    fprintf(out, "<script type=\"text/plain\" id=\"meshes%d\">", run);
    for (int i = 0; i < r->nmesh; ++i) {
        const clv_packed_mesh *p = &r->mesh[i].packed;
        for (size_t k = 0; k < 3 * p->npoint; ++k)
            clv_base64_bytes(&b, p->point[k], 2);
        for (size_t k = 0; k < p->ncorner; ++k)
            clv_base64_bytes(&b, p->corner[k], index_bytes(p));
    }
    clv_base64_end(&b);
    fputs("</script>\n", out);
}
