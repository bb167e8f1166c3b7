/* SPDX-License-Identifier: Apache-2.0
 * A run file and what of it a page shows; see report.h.  A page has room for so many numbers: kinds of curves are left
 * out first, then frames between, then bodies. */
#include "base/error.h"
#include "base/memory.h"
#include "cli/report.h"
#include "model/model.h"
#include <math.h>
#include <string.h>

/* Fewest frames for which curves are left out, and then bodies; bytes of JSON of a body with its joint, of a curve,
 * and of the rest. */
enum { FRAMES_LEAST = 120, FRAMES_FEWEST = 60, POSE = 7, BYTES_BODY = 700, BYTES_CURVE = 110, BYTES_REST = 40000 };

/* ---------------------------------------------------------------- places in a frame */

static const char *part_of(const clv_column *c)
{
    const size_t n = strlen(c->owner);
    return strncmp(c->name, c->owner, n) == 0 && c->name[n] == '.' ? c->name + n + 1 : c->name;
}

/* Places of time and energies. */
static void find_run(clv_report *r, const clv_column *c)
{
    static const char *const energy[3] = {"energy.kinetic", "energy.potential", "energy.work"};
    if (strcmp(c->name, "time") == 0)
        r->time = c->first;
    for (int k = 0; k < 3; ++k)
        if (strcmp(c->name, energy[k]) == 0)
            r->energy[k] = c->first;
}

static void find_places(clv_report *r)
{
    r->time = r->energy[0] = r->energy[1] = r->energy[2] = -1;
    for (int i = 0; i < r->ncolumns; ++i) {
        const clv_column *c = &r->column[i];
        if (strcmp(c->kind, "run") == 0)
            find_run(r, c);
        if (strcmp(c->kind, "body") != 0)
            continue;
        if (c->count == 3 && strcmp(part_of(c), "position") == 0)
            r->position[c->item] = c->first;
        if (c->count == 4 && strcmp(part_of(c), "quaternion") == 0)
            r->quaternion[c->item] = c->first;
    }
}

/* The columns of the file, bound to its model. */
static clv_status bind_columns(clv_report *r)
{
    const clv_column *column = clv_runfile_columns(r->file, &r->ncolumns);
    r->column = clv_alloc((size_t)r->ncolumns + 1, sizeof *r->column);
    if (!r->column)
        return clv_fail(&r->error, CLV_ERR_MEMORY, "out of memory");
    memcpy(r->column, column, (size_t)r->ncolumns * sizeof *r->column);
    return clv_columns_bind(r->column, r->ncolumns, r->model, &r->error);
}

static clv_status find_bodies(clv_report *r)
{
    const int bodies = clv_model_body_count(r->model);
    const size_t size = (size_t)(bodies > 0 ? bodies : 1);
    r->shown = clv_alloc(size, sizeof *r->shown), r->place = clv_alloc(size, sizeof *r->place);
    r->position = clv_alloc(size, sizeof *r->position), r->quaternion = clv_alloc(size, sizeof *r->quaternion);
    if (!r->shown || !r->place || !r->position || !r->quaternion)
        return clv_fail(&r->error, CLV_ERR_MEMORY, "out of memory");
    for (int b = 0; b < bodies; ++b)
        r->position[b] = r->quaternion[b] = r->place[b] = -1;
    find_places(r);
    for (int b = 0; b < bodies; b += r->stride)
        if (r->position[b] >= 0 && r->quaternion[b] >= 0)
            r->place[b] = r->nshown, r->shown[r->nshown++] = b;
    if (r->time >= 0 && (r->nshown > 0 || bodies == 0))
        return CLV_OK;
    clv_fail(&r->error, CLV_ERR_USAGE, "the run file has no poses of bodies");
    clv_error_hint(&r->error, "run it again without --columns");
    return r->error.code;
}

/* ---------------------------------------------------------------- curves */

/* Kinds of curves, those that a page keeps longest first. */
static const struct {
    const char *kind, *part, *words;
} curves[] = {
    {"run", "", "results"},
    {"joint", "q", "joint coordinates"},
    {"joint", "effort", "efforts"},
    {"joint", "u", "joint rates"},
    {"contact", "", "contacts"},
    {"body", "", "velocities of bodies"},
    {"joint", "", "joint forces"},
    {"mode", "", "modes"},
    {"marker", "", "markers"},
};
enum { CURVES = sizeof curves / sizeof curves[0] };

/* The part of a name up to its component: "q" of "q.x", "udot" of "udot". */
static bool begins(const char *part, const char *with)
{
    const size_t n = strlen(with);
    return n == 0 || (strncmp(part, with, n) == 0 && (part[n] == 0 || part[n] == '.'));
}

/* The kind of a column, or -1: it is no curve, or of a body that is not shown. */
static int kind_of(const clv_report *r, const clv_column *c)
{
    if (c->first == r->time)
        return -1;
    if (strcmp(c->kind, "body") == 0 &&
        (r->place[c->item] < 0 || c->first == r->position[c->item] || c->first == r->quaternion[c->item]))
        return -1;
    for (int k = 0; k < CURVES; ++k)
        if (strcmp(c->kind, curves[k].kind) == 0 && begins(part_of(c), curves[k].part))
            return k;
    return -1;
}

/* Frames for which there is room when each has `width` numbers. */
static long room(const clv_report *r, long numbers, int width)
{
    const long fit = numbers / (width > 0 ? width : 1);
    return r->frames < fit ? r->frames : fit < 2 ? 2 : fit;
}

static void take_kind(clv_report *r, const int *kinds, int kind)
{
    for (int i = 0; i < r->ncolumns; ++i)
        if (kinds[i] == kind) {
            const clv_column *c = &r->column[i];
            r->curve[r->ncurve++] = (clv_report_curve){c, c->first, c->count};
            r->ncolumn += c->count;
        }
}

/* Numbers of 32 bits in base64 that so many bytes hold. */
static long numbers_in(long bytes) { return bytes > 0 ? bytes / 16 * 3 : 0; }

/* Takes kinds while they fit into so many bytes; kinds (columns): those of the columns. */
static void take_kinds(clv_report *r, const int *kinds, long bytes)
{
    const long least = r->frames < FRAMES_LEAST ? r->frames : FRAMES_LEAST;
    int width[CURVES] = {0}, count[CURVES] = {0};
    size_t at = 0;
    for (int i = 0; i < r->ncolumns; ++i)
        if (kinds[i] >= 0)
            width[kinds[i]] += r->column[i].count, ++count[kinds[i]];
    for (int k = 0; k < CURVES; ++k) {
        const int poses = POSE * r->nshown;
        const long names = (long)BYTES_CURVE * count[k];
        if (width[k] == 0)
            continue;
        if (k == 0 || room(r, numbers_in(bytes - names), poses + r->ncolumn + width[k]) >= least)
            bytes -= names, take_kind(r, kinds, k);
        else if (at < sizeof r->left_text)
            at += (size_t)snprintf(r->left_text + at, sizeof r->left_text - at, "%s%s", at ? ", " : "",
                                   curves[k].words);
    }
    r->kept = room(r, numbers_in(bytes), POSE * r->nshown + r->ncolumn);
}

static clv_status choose_curves(clv_report *r, long bytes)
{
    int *kinds = clv_alloc((size_t)r->ncolumns + 1, sizeof *kinds);
    r->left_out = r->left_text;
    r->curve = clv_alloc((size_t)r->ncolumns + 1, sizeof *r->curve);
    if (!r->curve || !kinds) {
        clv_free(kinds);
        return clv_fail(&r->error, CLV_ERR_MEMORY, "out of memory");
    }
    for (int i = 0; i < r->ncolumns; ++i)
        kinds[i] = kind_of(r, &r->column[i]);
    take_kinds(r, kinds, bytes);
    clv_free(kinds);
    return CLV_OK;
}

long clv_report_frame(const clv_report *r, long k)
{
    if (r->kept < 2)
        return k;
    return (long)floor((double)k * (double)(r->frames - 1) / (double)(r->kept - 1) + 0.5);
}

/* ---------------------------------------------------------------- opening */

static clv_status open_model(clv_report *r)
{
    clv_status status = clv_runfile_model(r->file, &r->model);
    if (status != CLV_OK) {
        if (r->model)
            r->error = *clv_model_error(r->model);
        return r->model ? status : clv_fail(&r->error, CLV_ERR_MEMORY, "out of memory");
    }
    status = clv_sim_create(&r->sim, r->model, &clv_runfile_get_settings(r->file)->sim);
    if (status != CLV_OK && r->sim)
        r->error = *clv_sim_error(r->sim);
    return status == CLV_OK || r->sim ? status : clv_fail(&r->error, CLV_ERR_MEMORY, "out of memory");
}

/* Bytes of the page for numbers, when what cannot be left out has its part; every so many-th body is shown. */
static long choose_bodies(clv_report *r, long bytes)
{
    const double pose = (double)POSE * FRAMES_FEWEST * 16 / 3, n = clv_model_body_count(r->model);
    size_t text;
    clv_runfile_text(r->file, &text);
    bytes -= BYTES_REST + (long)(text < CLV_REPORT_TEXT ? text : CLV_REPORT_TEXT) * 11 / 10;
    if (bytes < BYTES_REST)
        bytes = BYTES_REST;
    if (n * (BYTES_BODY + pose) > (double)bytes)
        r->stride = (int)ceil(n * (BYTES_BODY + pose) / (double)bytes);
    return bytes - (long)(n / r->stride) * BYTES_BODY;
}

clv_status clv_report_open(clv_report *r, const char *path, long bytes)
{
    *r = (clv_report){.stride = 1};
    clv_error_clear(&r->error);
    clv_status status = clv_runfile_open(&r->file, path);
    if (status != CLV_OK && r->file)
        r->error = *clv_runfile_error(r->file);
    if (status != CLV_OK)
        return r->file ? status : clv_fail(&r->error, CLV_ERR_MEMORY, "out of memory");
    r->frames = clv_runfile_frames(r->file), r->width = clv_runfile_width(r->file);
    if (r->frames < 1)
        return clv_fail(&r->error, CLV_ERR_USAGE, "%.200s has no frames yet", path);
    status = open_model(r);
    if (status != CLV_OK)
        return status;
    bytes = choose_bodies(r, bytes);
    status = bind_columns(r);
    if (status == CLV_OK)
        status = find_bodies(r);
    if (status == CLV_OK)
        status = clv_report_meshes_open(r, bytes * 2 / 5);
    return status == CLV_OK ? choose_curves(r, bytes - r->mesh_bytes) : status;
}

void clv_report_close(clv_report *r)
{
    clv_report_meshes_close(r);
    if (r->sim)
        clv_sim_destroy(r->sim);
    if (r->model)
        clv_model_destroy(r->model);
    clv_free(r->shown), clv_free(r->place), clv_free(r->position), clv_free(r->quaternion), clv_free(r->curve);
    clv_free(r->column);
    if (r->file)
        clv_runfile_close(r->file, NULL);
    *r = (clv_report){0};
}
