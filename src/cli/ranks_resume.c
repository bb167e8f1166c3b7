/* SPDX-License-Identifier: Apache-2.0
 * A run on ranks that is continued on any number of ranks (T81.1); see ranks_running.h.  Rank 0 opens the file to write
 * on, then the others read model and settings from it. */
#include "base/memory.h"
#include "cli/ranks_running.h"
#include <math.h>

static clv_exit opened(const clv_ranks_running *x, clv_status st)
{
    if (st == CLV_OK)
        return CLV_EXIT_DONE;
    return clv_tell("resume", x->set.json, clv_recording_exit(st), "%s",
                    x->file ? clv_runfile_error(x->file)->message : "out of memory");
}

/* rank 0 writes; then the others read */
static clv_exit open_run(clv_ranks_running *x, const char *path)
{
    char machine[2][192];
    const clv_runfile_machine m = clv_running_machine(machine);
    clv_exit code = clv_ranks_first(x) ? opened(x, clv_runfile_continue(&x->file, path, &m)) : CLV_EXIT_DONE;
    code = clv_ranks_agree(x, code);
    return code == CLV_EXIT_DONE && !clv_ranks_first(x) ? opened(x, clv_runfile_open(&x->file, path)) : code;
}

/* model and settings of the run */
static clv_exit read_run(clv_ranks_running *x, const void *from)
{
    const char *path = from;
    const clv_runfile_settings *set = clv_runfile_get_settings(x->file);
    const double time = x->set.time;
    x->set.sim = set->sim, x->set.every = set->every, x->set.checkpoint = set->checkpoint, x->set.time = set->end;
    x->subject.source = clv_runfile_source(x->file);
    const clv_status st = clv_runfile_model(x->file, &x->subject.model);
    if (st != CLV_OK)
        return clv_tell("resume", x->set.json, clv_exit_of(st, false), "%s: its model cannot be read", path);
    clv_exit code = clv_ranks_complete(x);
    if (code != CLV_EXIT_DONE || isnan(time) || time == set->end)
        return code;
    x->set.time = fmax(time, set->end);
    return clv_resume_check_end(x->file, path, x->set.json, time);
}

static clv_exit load(clv_ranks_running *x, double end)
{
    void *bytes = NULL;
    size_t size = 0;
    clv_status st = CLV_OK;
    if (clv_ranks_first(x)) {
        st = clv_runfile_take_state(x->file, &bytes, &size);
        if (st == CLV_OK && end != clv_runfile_get_settings(x->file)->end)
            st = clv_runfile_set_end(x->file, end);
        if (st != CLV_OK)
            clv_tell("resume", x->set.json, clv_recording_exit(st), "%s", clv_runfile_error(x->file)->message);
    }
    if (!clv_ranked_all(x->r, st == CLV_OK)) {
        clv_free(bytes);
        return clv_recording_exit(st);
    }
    const bool any = clv_ranked_sum(x->r, bytes ? 1 : 0) > 0;
    st = any ? clv_ranked_load(x->r, bytes, size) : CLV_OK;
    clv_free(bytes);
    if (st != CLV_OK)
        return clv_ranks_end_together(x, st);
    x->first = clv_ranked_sum(x->r, clv_ranks_first(x) ? (double)clv_runfile_frames(x->file) : 0);
    return CLV_EXIT_DONE;
}

clv_exit clv_ranks_resume(clv_ranks_running *x, const char *path)
{
    clv_exit code = clv_ranks_agree(x, open_run(x, path));
    x->set.out = path;
    if (code == CLV_EXIT_DONE)
        code = clv_ranks_share_out(x, read_run, path);
    if (code == CLV_EXIT_DONE && !clv_ranks_first(x)) {
        clv_runfile_close(x->file, NULL);
        x->file = NULL;
    }
    if (code == CLV_EXIT_DONE)
        code = load(x, x->set.time);
    return code != CLV_EXIT_DONE ? code
                                 : clv_ranks_go(x, clv_ranks_first(x) ? clv_ranks_open_output(x) : CLV_EXIT_DONE);
}
