/* SPDX-License-Identifier: Apache-2.0
 * Mechanisms abreast (T85): which of them may share lanes, and how one takes its lane.  walk_abreast_rates.c has their
 * rates. */
#include "formulation/walk_abreast.h"
#include "formulation/momentum_axes.h"
#include "formulation/walk_abreast_drive.h"
#include "formulation/walk_abreast_loads.h"
#include "formulation/walk_steps.h"

static bool loads_bodies(const clv_system *s)
{
    for (int b = 0; b < s->plan->nbody; b++)
        if ((s->rows.mark[b] & CLV_ROWS_LOADED) && !clv_row_hold_of(&s->rows, b))
            return true;
    return s->controls && s->controls->nbody > 0;
}

/* a node has no mass of its own */
static bool lacks_inertia(const clv_system *s)
{
    for (int b = 0; b < s->plan->nbody; b++)
        if (s->engine.light[b] && !clv_row_hold_of(&s->rows, b))
            return true;
    return false;
}

const char *clv_walk_abreast_refuses(const clv_system *s, bool momenta)
{
    const clv_momentum_axes *axes = momenta ? s->private_state : NULL;
    if (!s->rows.fit || clv_rows_closed(&s->rows))
        return "closed loops";
    if (s->plan->nrun > 0)
        return "long strands, whose pieces fill the lanes";
    const char *why = clv_walk_abreast_drives_refuse(s);
    if (why)
        return why;
    if (axes && axes->count > 0)
        return "momenta along axes of bodies (T9.4)";
    if (lacks_inertia(s))
        return "bodies that lack inertia";
    if (loads_bodies(s))
        return "loads on bodies";
    if (s->controls && s->controls->njoint > 0)
        return "controls";
    if (s->nbearing > 0)
        return "friction by reactions";
    for (int i = 0; i < s->model->nforce; i++) {
        const clv_force *f = &s->model->force[i];
        const int body = f->kind == CLV_FORCE_JOINT ? s->plan->child_of_joint[f->joint] : -1;
        if (body < 0 || s->plan->tree[body].detached)
            return "loads on bodies";
    }
    return clv_row_abreast_refuses(&s->rows);
}

static void layout(clv_walk_abreast *a, const clv_system *of, clv_arena *m)
{
    clv_walk_abreast_drives_layout(a, of, m);
    CLV_TAKE(m, a->state, a->n);
    clv_walk_abreast_loads_layout(a, of, m);
}

bool clv_walk_abreast_open(clv_walk_abreast *a, const clv_system *s, bool momenta, int lanes, int width)
{
    *a = (clv_walk_abreast){.lanes = lanes, .momenta = momenta, .nq = s->plan->nq, .loaded = clv_walk_loaded(s),
                            .n = s->plan->nq + s->plan->nu + 1};
    if (!clv_row_abreast_open(&a->rows, &s->rows, &s->kin, momenta, width))
        return false;
    clv_row_abreast_use(&a->rows, lanes);
    a->vectors = clv_lane_vectors_of(width);
    layout(a, s, &a->arena);
    if (!clv_arena_open(&a->arena))
        return false;
    layout(a, s, &a->arena);
    clv_walk_abreast_loads_take(a, s);
    clv_walk_abreast_drives_take(a, s);
    return true;
}

void clv_walk_abreast_close(clv_walk_abreast *a)
{
    clv_row_abreast_close(&a->rows);
    clv_arena_close(&a->arena);
}

bool clv_walk_abreast_same(const clv_walk_abreast *a, const clv_system *s)
{
    return clv_row_abreast_same(&a->rows, &s->rows, &s->kin) && clv_walk_abreast_loads_same(a, s) &&
           clv_walk_abreast_drives_same(a, s);
}

void clv_walk_abreast_put(clv_walk_abreast *a, int lane, clv_system *s)
{
    a->lane[lane] = (clv_walk_lane){.system = s, .simple = clv_walk_abreast_loads_simple(s)};
    clv_row_abreast_put(&a->rows, lane, &s->rows, &s->kin, s->model->gravity);
    clv_walk_abreast_loads_put(a, lane, s);
}
