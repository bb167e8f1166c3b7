/* SPDX-License-Identifier: Apache-2.0
 * The runs of a sweep: those that the file lacks and that belong to this part, each with its row as soon as it is over;
 * see sweep.h. */
#include "base/memory.h"
#include "cli/sweep.h"
#include <math.h>

static void progress(clv_sweeping *w, double now)
{
    const double wall = now - w->began;
    if (!w->watched || now - w->told < 1)
        return;
    w->told = now;
    fprintf(stderr, "\r%d of %d runs  %d failed  %.3g runs/s  %.0f s left \033[K", w->now, w->here, w->failed,
            w->now / wall, wall * (w->here - w->now) / w->now);
}

bool clv_sweeping_done(void *user, int i)
{
    clv_sweeping *w = user;
    const clv_status status = clv_ensemble_status(w->ensemble, i);
    const double now = clv_wall(), each = (now - w->began) * w->desc.threads / (w->now + 1);
    char why[600] = "";
    if (status != CLV_OK) {
        const clv_error *e = clv_ensemble_instance_error(w->ensemble, i);
        char place[100] = "";
        if (e->line > 0)
            snprintf(place, sizeof place, "line %d, column %d: ", e->line, e->column);
        snprintf(why, sizeof why, "%s%s", place, e->message);
    }
    w->now++, w->failed += status != CLV_OK;
    progress(w, now);
    return clv_sweepfile_put(w->file, i, w->sweep.value + (size_t)i * (size_t)w->sweep.nvary,
                             clv_ensemble_output(w->ensemble, i), status, why, each > 0.2) == CLV_OK;
}

clv_exit clv_sweeping_run(clv_sweeping *w)
{
    for (int i = 0; i < w->sweep.runs; ++i) {
        w->skip[i] = i % w->shards != w->shard || clv_sweepfile_row(w->file, i);
        w->here += !w->skip[i];
    }
    w->began = w->told = clv_wall();
    clv_status status = w->here > 0 ? clv_ensemble_run(w->ensemble) : CLV_OK;
    if (w->told > w->began)
        fprintf(stderr, "\r\033[K");
    if (status != CLV_OK)
        return clv_sweeping_tell(w, clv_ensemble_error(w->ensemble));
    if (clv_sweepfile_error(w->file)->code == CLV_OK)
        clv_sweepfile_put_statistics(w->file);
    return clv_sweepfile_error(w->file)->code == CLV_OK ? CLV_EXIT_DONE
                                                        : clv_sweeping_tell(w, clv_sweepfile_error(w->file));
}
