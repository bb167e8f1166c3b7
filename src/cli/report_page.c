/* SPDX-License-Identifier: Apache-2.0
 * The page of one or two run files: the viewer around their data; see report.h.  For `cleave report` and
 * `run --report`. */
#include "cli/file.h"
#include "cli/report.h"
#include "cli/running.h"
#include <string.h>

clv_exit clv_report_check(const char *command, bool json, const char *path)
{
    const size_t n = strlen(path);
    if (!clv_viewer_page_built.begin) {
        clv_tell(command, json, CLV_EXIT_USAGE, "this build has no viewer (%s)", clv_viewer_page_built.made);
        fprintf(stderr, "  install Node.js 18 or later and npm, then build again: cmake -S . -B build\n");
        return CLV_EXIT_USAGE;
    }
    if (n < 6 || strcmp(path + n - 5, ".html") != 0)
        return clv_tell(command, json, CLV_EXIT_USAGE, "%s: the name of the page must end in .html", path);
    return CLV_EXIT_DONE;
}

bool clv_report_name(char *text, size_t size, const char *source, const char *ending)
{
    const char *slash = strrchr(source, '/'), *stem = slash ? slash + 1 : source;
    const char *dot = strrchr(stem, '.');
    const int n = (int)(dot && dot > stem ? dot - source : (long)strlen(source));
    return snprintf(text, size, "%.*s%s", n, source, ending) < (int)size;
}

static clv_status write_page(FILE *out, clv_report *r, const clv_report_job *job, clv_error *error)
{
    const clv_viewer_page *page = &clv_viewer_page_built;
    const long bytes = (CLV_REPORT_BYTES - (long)(page->nbegin + page->nend)) / job->n;
    clv_status status = CLV_OK;
    fwrite(page->begin, 1, page->nbegin, out);
    for (int i = 0; i < job->n && status == CLV_OK; ++i) {
        status = clv_report_open(r, job->run[i], bytes);
        if (status == CLV_OK)
            status = clv_report_write(r, i, out);
        *error = r->error;
        if (i + 1 < job->n)
            clv_report_close(r);
    }
    fwrite(page->end, 1, page->nend, out);
    return status;
}

/* What of the last run the page does not show. */
static void tell_thinned(const clv_report *r, const char *path)
{
    printf("%s is written", path);
    if (r->kept < r->frames)
        printf(", %ld of %ld frames", r->kept, r->frames);
    if (r->stride > 1)
        printf(", one body in %d", r->stride);
    if (r->left_out && *r->left_out)
        printf(", without %s", r->left_out);
    if (r->cell > 0)
        printf(", meshes simplified to %.2g m", r->cell);
    if (r->lost > 0)
        printf(", without %d mesh%s that cannot be read", r->lost, r->lost > 1 ? "es" : "");
    printf("\n");
}

static clv_exit tell(const clv_report_job *job, const clv_error *e, clv_status status)
{
    const clv_exit code = clv_recording_exit(status);
    clv_error_show(job->command, e);
    return code;
}

clv_exit clv_report_page(const clv_report_job *job)
{
    const clv_output_rule rule = {.force = job->force, .input = job->run};
    clv_report r = {0};
    clv_output out;
    clv_error error;
    clv_status status = clv_output_open(&out, job->path, &rule, &error);
    if (status != CLV_OK)
        return clv_file_tell(job->command, job->json, &error);
    status = write_page(out.stream, &r, job, &error);
    clv_error closing;
    const clv_status closed = clv_output_close(&out, status == CLV_OK, &closing);
    clv_exit code = CLV_EXIT_DONE;
    if (status != CLV_OK)
        code = tell(job, &error, status);
    else if (closed != CLV_OK)
        code = clv_file_tell(job->command, job->json, &closing);
    else if (!job->quiet)
        tell_thinned(&r, job->path);
    clv_report_close(&r);
    return code;
}
