/* SPDX-License-Identifier: Apache-2.0
 * What a thread of an ensemble does: up to eight instances in lanes (T85).  A lane whose instance has come to its end,
 * or has failed, takes the next one.  Instances that cannot share lanes run alone in between. */
#include "base/memory.h"
#include "io/ensemble_handle.h"
#include "simulation/abreast.h"

typedef struct worker {
    clv_ensemble *ensemble;
    clv_abreast *abreast;   /* NULL: all instances run alone */
    clv_instance lane[CLV_ENSEMBLE_LANES];
} worker;

/* Number of an instance that nobody has taken; -1: there is none, or no more are to be started. */
static int take_number(clv_ensemble *e)
{
    while (!atomic_load(&e->over)) {
        const int i = atomic_fetch_add(&e->next, 1);
        if (i >= e->desc.instances)
            break;
        if (!e->ran[i] && !(e->desc.skip && e->desc.skip[i]))
            return i;
    }
    return -1;
}

static const char *refuses(const worker *w, const clv_instance *in)
{
    return w->ensemble->desc.apart ? "as requested" : clv_abreast_refuses(w->abreast, in->sim);
}

/* The next instance that may share lanes takes this one; those before it run to their end.  False: there is none. */
static bool fill(worker *w, int lane)
{
    clv_ensemble *e = w->ensemble;
    clv_instance *in = &w->lane[lane];
    for (int i; (i = take_number(e)) >= 0;) {
        clv_status status = clv_instance_open(in, e, i);
        e->alone[i] = "it did not start";
        if (status == CLV_OK) {
            e->alone[i] = w->abreast ? refuses(w, in) : "out of memory";
            if (!e->alone[i] && clv_abreast_put(w->abreast, lane, in->sim))
                return true;
            e->alone[i] = e->alone[i] ? e->alone[i] : "out of memory";
            status = clv_instance_finish(in);
        }
        clv_instance_close(in, status);
    }
    return false;
}

static void leave(worker *w, int lane, clv_status status)
{
    clv_abreast_take_out(w->abreast, lane);
    clv_instance_close(&w->lane[lane], status);
}

/* Between two steps: samples that are due, then the next step.  False: the instance has left its lane. */
static bool go_on(worker *w, int lane)
{
    clv_instance *in = &w->lane[lane];
    clv_status status;
    while (!clv_abreast_begin(w->abreast, lane, in->until, &status)) {
        if (status == CLV_OK)
            status = clv_sim_advance(in->sim, in->until);
        if (status != CLV_OK)
            clv_instance_failed(in, status);
        if (status != CLV_OK || !clv_instance_sample(in)) {
            leave(w, lane, status);
            return false;
        }
    }
    return true;
}

/* The step of a lane is over; the next one, of this or of another instance. */
static void step(worker *w, int lane, clv_status status)
{
    clv_instance *in = &w->lane[lane];
    if (status != CLV_OK)
        clv_instance_failed(in, status);
    else
        status = clv_instance_count(in);
    if (status == CLV_OK && go_on(w, lane))
        return;
    if (status != CLV_OK)
        leave(w, lane, status);
    while (fill(w, lane) && !go_on(w, lane))
        ;
}

static bool occupied(const worker *w)
{
    for (int i = 0; i < w->ensemble->lanes; ++i)
        if (w->lane[i].sim)
            return true;
    return false;
}

static void run(worker *w)
{
    const int lanes = w->ensemble->lanes;
    for (int i = 0; i < lanes; ++i)
        while (fill(w, i) && !go_on(w, i))
            ;
    while (occupied(w)) {
        if (!clv_abreast_go_on(w->abreast))
            continue;
        for (int i = 0; i < lanes; ++i) {
            clv_status status;
            if (w->lane[i].sim && clv_abreast_over(w->abreast, i, &status))
                step(w, i, status);
        }
    }
}

void clv_ensemble_work(void *of, int piece)
{
    worker w = {.ensemble = of};
    (void)piece;
    w.abreast = clv_abreast_create(w.ensemble->lanes);
    run(&w);
    clv_abreast_destroy(w.abreast);
}
