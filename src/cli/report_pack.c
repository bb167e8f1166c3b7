/* SPDX-License-Identifier: Apache-2.0
 * The data of one run as elements of a page; see report.h.  Names come from files that anybody may have written: the
 * JSON has no '<', so no text in it can end its element, and nothing else holds text. */
#include "base/error.h"
#include "base/memory.h"
#include "cli/base64.h"
#include "cli/peaks.h"
#include "cli/report.h"
#include "model/model.h"
#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- numbers of a frame */

typedef enum part { PART_TIMES, PART_POSES, PART_CURVES, PARTS } part;

/* Kinetic and potential energy without the work done since the start; NaN where the file has no such columns. */
static double energy(const clv_report *r, const double *frame)
{
    if (r->energy[0] < 0 || r->energy[1] < 0 || r->energy[2] < 0)
        return NAN;
    return frame[r->energy[0]] + frame[r->energy[1]] - frame[r->energy[2]];
}

static void put_frame(clv_base64 *b, const clv_report *r, part which, const double *frame, double start)
{
    if (which == PART_TIMES)
        clv_base64_double(b, frame[r->time]);
    for (int i = 0; which == PART_POSES && i < r->nshown; ++i) {
        for (int k = 0; k < 3; ++k)
            clv_base64_single(b, frame[r->position[r->shown[i]] + k]);
        for (int k = 0; k < 4; ++k)
            clv_base64_single(b, frame[r->quaternion[r->shown[i]] + k]);
    }
    if (which != PART_CURVES)
        return;
    clv_base64_single(b, energy(r, frame) - start); /* energy.drift, by itself in front */
    for (int i = 0; i < r->ncurve; ++i)
        for (int k = 0; k < r->curve[i].count; ++k)
            clv_base64_single(b, frame[r->curve[i].from + k]);
}

static clv_status put_part(clv_report *r, int run, part which, FILE *out)
{
    static const char *const name[PARTS] = {"times", "poses", "curves"};
    double *frame = clv_alloc((size_t)r->width, sizeof *frame), start = 0;
    clv_base64 b = {.out = out};
    clv_status status = CLV_OK;
    if (!frame)
        return clv_fail(&r->error, CLV_ERR_MEMORY, "out of memory");
    fprintf(out, "<script type=\"text/plain\" id=\"%s%d\">", name[which], run);
    for (long k = 0; k < r->kept && status == CLV_OK && !ferror(out); ++k) {
        status = clv_runfile_read(r->file, clv_report_frame(r, k), 1, frame);
        if (status != CLV_OK)
            r->error = *clv_runfile_error(r->file);
        if (status == CLV_OK && k == 0)
            start = energy(r, frame);
        if (status == CLV_OK)
            put_frame(&b, r, which, frame, start);
    }
    clv_base64_end(&b);
    fputs("</script>\n", out);
    clv_free(frame);
    return status;
}

/* ---------------------------------------------------------------- JSON */

static void curve_json(clv_json *j, const char *name, const char *unit, const char *kind, const char *owner,
                       const char *axes, int count)
{
    clv_json_object(j, NULL);
    clv_json_text(j, "name", name);
    clv_json_text(j, "unit", unit);
    clv_json_text(j, "kind", kind);
    clv_json_text(j, "owner", owner);
    clv_json_text(j, "axes", axes);
    clv_json_integer(j, "count", count);
    clv_json_end(j);
}

static void frames_json(clv_json *j, const clv_report *r)
{
    clv_json_integer(j, "frames", r->kept);
    clv_json_integer(j, "run_frames", r->frames);
    clv_json_integer(j, "stride", r->stride);
    clv_json_text(j, "left_out", r->left_out);
    clv_json_array(j, "curves");
    curve_json(j, "energy.drift", "J", "run", "", "", 1);
    for (int i = 0; i < r->ncurve; ++i) {
        const clv_column *c = r->curve[i].column;
        curve_json(j, c->name, c->unit, c->kind, c->owner, c->axes, c->count);
    }
    clv_json_end(j);
}

/* Sees all frames of the run file. */
static clv_status see_frames(clv_peaks *p, clv_report *r)
{
    double *frame = clv_alloc((size_t)r->width, sizeof *frame);
    clv_status status = CLV_OK;
    if (!frame)
        return clv_fail(&r->error, CLV_ERR_MEMORY, "out of memory");
    for (long k = 0; k < r->frames && status == CLV_OK; ++k) {
        status = clv_runfile_read(r->file, k, 1, frame);
        if (status == CLV_OK)
            clv_peaks_see(p, frame);
        else
            r->error = *clv_runfile_error(r->file);
    }
    clv_free(frame);
    return status;
}

/* Ranges of efforts and the largest force and speed. */
static clv_status peaks_json(clv_json *j, clv_report *r)
{
    clv_peaks p = {0};
    clv_status status = CLV_OK;
    if (!clv_peaks_open(&p, r->model) || !clv_peaks_bind(&p, r->column, r->ncolumns))
        status = clv_fail(&r->error, CLV_ERR_MEMORY, "out of memory");
    if (status == CLV_OK)
        status = see_frames(&p, r);
    clv_json_object(j, "peaks");
    if (status == CLV_OK)
        clv_peaks_json(j, &p);
    clv_json_end(j);
    clv_peaks_close(&p);
    return status;
}

static clv_status put_json(clv_report *r, int run, FILE *out)
{
    fprintf(out, "<script type=\"application/json\" id=\"run%d\">", run);
    clv_json j = clv_json_begin_tight(out);
    clv_json_object(&j, NULL);
    clv_report_model_json(&j, r);
    clv_report_plan_json(&j, r);
    clv_report_about_json(&j, r);
    frames_json(&j, r);
    clv_status status = peaks_json(&j, r);
    clv_json_end(&j);
    fputs("</script>\n", out);
    return status;
}

clv_status clv_report_write(clv_report *r, int i, FILE *out)
{
    clv_status status = put_json(r, i, out);
    for (int p = 0; p < PARTS && status == CLV_OK; ++p)
        status = put_part(r, i, (part)p, out);
    if (status == CLV_OK)
        clv_report_meshes_write(r, i, out);
    return status;
}
