/* SPDX-License-Identifier: Apache-2.0
 * cleave export RUN FILE.glb or FILE.usda: the motion of all bodies as glTF 2.0 or USD, which Blender and viewers open;
 * see gltf.h. */
#include "base/memory.h"
#include "cli/export.h"
#include "cli/file.h"
#include "cli/gltf.h"
#include "cli/running.h"
#include "io/error_print.h"
#include "math/rotation.h"
#include "model/model.h"
#include <limits.h>
#include <stdint.h>
#include <string.h>

static const double MOST = 2e9, BYTES_BODY = 20000; /* many readers take no larger file; JSON of a body at most */

static clv_exit tell(const clv_error *e, clv_status status)
{
    clv_error_show("export", e);
    return clv_recording_exit(status);
}

static clv_exit no_memory(void)
{
    return clv_tell("export", false, CLV_EXIT_RESOURCES, "out of memory");
}

/* Puts the pose of a body at a frame of the file; quaternions keep the sign of the frame before. */
static void put_pose(clv_gltf *g, long frame, int i, const double r[3], const double e[4])
{
    float *p = g->pose + 7 * g->frames * i, *to = p + 3 * g->frames + 4 * frame;
    double same = frame > 0 ? 0 : 1; /* cosine to the quaternion before */
    for (int k = 0; k < 3; ++k)
        p[3 * frame + k] = (float)r[k];
    for (int k = 0; frame > 0 && k < 4; ++k)
        same += e[k] * (double)to[(k + 3) % 4 - 4];
    const double unit = (same < 0 ? -1 : 1) / clv_quat_norm(e);
    for (int k = 0; k < 4; ++k)
        to[(k + 3) % 4] = (float)(unit * e[k]);
}

/* Reads the frames whose time, in 32 bits, is after that of the frame before: glTF allows no others.  Their number
 * becomes g->frames; the layout is that of all frames until `close_gaps`. */
static clv_status read_frames(clv_gltf *g, double *frame)
{
    const clv_report *r = g->run;
    long kept = 0;
    for (long f = 0; f < r->frames; ++f) {
        const clv_status status = clv_runfile_read(r->file, f, 1, frame);
        if (status != CLV_OK)
            return status;
        const float time = (float)frame[r->time];
        if (kept > 0 && !(time > g->time[kept - 1]))
            continue;
        g->time[kept] = time;
        for (int i = 0; i < r->nshown; ++i)
            put_pose(g, kept, i, frame + r->position[r->shown[i]], frame + r->quaternion[r->shown[i]]);
        kept++;
    }
    for (int i = 0; kept < g->frames && i < r->nshown; ++i) {
        const float *from = g->pose + 7 * g->frames * i;
        memmove(g->pose + 7 * kept * i, from, (size_t)(3 * kept) * sizeof(float));
        memmove(g->pose + 7 * kept * i + 3 * kept, from + 3 * g->frames, (size_t)(4 * kept) * sizeof(float));
    }
    g->frames = kept;
    return CLV_OK;
}

/* ---------------------------------------------------------------- the file */

static void put_word(FILE *out, uint32_t x)
{
    const unsigned char b[4] = {(unsigned char)x, (unsigned char)(x >> 8), (unsigned char)(x >> 16),
                                (unsigned char)(x >> 24)};
    fwrite(b, 1, 4, out);
}

static void put_floats(FILE *out, const float *x, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        uint32_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        put_word(out, bits);
    }
}

static void put_binary(const clv_gltf *g, FILE *out)
{
    for (int i = 0; i < CLV_GLTF_FORMS; ++i) {
        const clv_gltf_mesh *m = &g->mesh[i];
        put_floats(out, m->position, 3 * (size_t)m->n);
        put_floats(out, m->normal, 3 * (size_t)m->n);
        for (int k = 0; k < m->nindex; k += 2)
            put_word(out, m->index[k] | (k + 1 < m->nindex ? (uint32_t)m->index[k + 1] << 16 : 0));
    }
    put_floats(out, g->time, (size_t)g->frames);
    put_floats(out, g->pose, 7 * (size_t)g->frames * (size_t)g->run->nshown);
    for (int i = 0; i < g->run->nshown; ++i) {
        put_floats(out, g->own[i].position, 3 * (size_t)g->own[i].n);
        put_floats(out, g->own[i].normal, 3 * (size_t)g->own[i].n);
    }
}

/* Header, the JSON filled up with blanks, the binary part; lengths come last. */
static void put_file(const clv_gltf *g, FILE *out)
{
    const uint32_t binary = (uint32_t)clv_gltf_bytes(g);
    long end;
    for (int i = 0; i < 5; ++i)
        put_word(out, 0);
    clv_gltf_json(g, out);
    for (end = ftell(out); end % 4 != 0; ++end)
        putc(' ', out);
    put_word(out, binary);
    put_word(out, 0x004e4942); /* BIN */
    put_binary(g, out);
    if (end < 20 || fseek(out, 0, SEEK_SET) != 0)
        return; /* closing the file finds what went wrong */
    put_word(out, 0x46546c67); /* glTF */
    put_word(out, 2);
    put_word(out, (uint32_t)end + 8 + binary);
    put_word(out, (uint32_t)end - 20);
    put_word(out, 0x4e4f534a); /* JSON */
    (void)fseek(out, 0, SEEK_END);
}

static clv_exit write_file(const clv_gltf *g, const char *path, const clv_output_rule *rule)
{
    const bool usd = strcmp(path + strlen(path) - 5, ".usda") == 0;
    clv_output out;
    clv_error error;
    if (!usd && clv_gltf_bytes(g) + BYTES_BODY * (double)g->run->nshown > MOST)
        return clv_tell("export", false, CLV_EXIT_USAGE, "%s would have more than 2 GB; run it with a longer --every",
                        path);
    if (clv_output_open(&out, path, rule, &error) != CLV_OK)
        return clv_file_tell("export", false, &error);
    if (usd)
        clv_usd_write(g, out.stream);
    else
        put_file(g, out.stream);
    if (clv_output_close(&out, true, &error) != CLV_OK)
        return clv_file_tell("export", false, &error);
    printf("%s: %ld frames of %d bodies\n", path, g->frames, g->run->nshown);
    return CLV_EXIT_DONE;
}

/* ---------------------------------------------------------------- command */

static clv_exit convert(clv_gltf *g, clv_report *r, clv_report_points *points, const char *path,
                        const clv_output_rule *rule)
{
    double *frame = clv_alloc((size_t)r->width, sizeof *frame);
    bool memory = clv_report_points_find(r->model, points) && frame;
    g->run = r, g->points = points, g->frames = r->frames;
    for (int i = 0; i < CLV_GLTF_FORMS; ++i)
        memory &= clv_gltf_mesh_make(&g->mesh[i], (clv_gltf_form)i);
    g->own = clv_alloc((size_t)r->nshown, sizeof *g->own);
    for (int i = 0; g->own && i < r->nshown; ++i)
        memory &= clv_gltf_mesh_own(&g->own[i], &r->model->body[r->shown[i]]);
    memory &= g->own != NULL;
    g->time = clv_alloc((size_t)r->frames, sizeof(float));
    g->pose = clv_alloc((size_t)r->frames * 7, (size_t)r->nshown * sizeof(float));
    clv_exit code = memory && g->time && g->pose ? CLV_EXIT_DONE : no_memory();
    const clv_status status = code == CLV_EXIT_DONE ? read_frames(g, frame) : CLV_OK;
    if (status != CLV_OK)
        code = tell(clv_runfile_error(r->file), status);
    if (code == CLV_EXIT_DONE)
        code = write_file(g, path, rule);
    for (int i = 0; i < CLV_GLTF_FORMS; ++i)
        clv_gltf_mesh_release(&g->mesh[i]);
    for (int i = 0; g->own && i < r->nshown; ++i)
        clv_gltf_mesh_release(&g->own[i]);
    clv_free(g->own), clv_free(g->time), clv_free(g->pose), clv_free(frame);
    return code;
}

clv_exit clv_export_gltf(const char *run, const char *path, const clv_output_rule *rule)
{
    clv_report r;
    clv_gltf g = {0};
    clv_report_points points = {0};
    clv_exit code = CLV_EXIT_DONE;
    const clv_status status = clv_report_open(&r, run, LONG_MAX / 16);
    if (status != CLV_OK)
        code = tell(&r.error, status);
    else if (r.nshown == 0)
        code = clv_tell("export", false, CLV_EXIT_USAGE, "%s: the model has no bodies to show", run);
    else
        code = convert(&g, &r, &points, path, rule);
    clv_report_points_release(&points);
    clv_report_close(&r);
    return code;
}
