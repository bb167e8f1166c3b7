/* SPDX-License-Identifier: Apache-2.0
 * Strands in series where loops are carried by the tree (T171): a long path cut into strands that stand side by side
 * in lanes.  No rows are eliminated at their tips, so none of them has to wait for those outboard.
 *
 *   ground -- a1..a16 -- b1..b16 -- c1..c16 -- d1..d16 -- (loop)      a, b, c, d share a group
 *
 * Short strands are not worth the six columns for the wrench at a tip.  Bodies that lack inertia (T5) keep strands
 * apart: where a wrench at the tip can hold a body, other pivots are enough. */
#include "model/light.h"
#include "model/joint.h"
#include "plan/carrying.h"

/* strands that start at the tip of a strand by a joint between strands */
static int outboard_of(const clv_carrying *w, int k)
{
    int n = 0;
    for (int i = w->first_child[k]; i >= 0; i = w->next_child[i])
        n += w->p->strand[i].base != CLV_BASE_FOLD;
    return n;
}

/* Rows pass its tip unchanged, those of one strand outboard or of edges on the tip. */
bool clv_carry_passes(const clv_carrying *w, int k)
{
    const clv_meet *t = &w->c->meet[k];
    const clv_strand *s = &w->p->strand[k];
    const int n = outboard_of(w, k);
    return s->length >= CLV_SERIES_LEAST && s->tip_port && t->nopen > 0 && t->nfront == 0 &&
           (n == 0 || (n == 1 && t->nhandle == 0));
}

void clv_carry_find_series(clv_carrying *w)
{
    clv_plan *p = w->p;
    if (p->nstar + p->nsection + p->nsegment > 0 || clv_light_bodies(p->model) > 0)
        return;
    for (int k = 0; k < p->nstrand; k++) {
        const int at = w->inboard[k];
        if (at >= w->ground || p->strand[k].base == CLV_BASE_FOLD || !clv_carry_passes(w, k) ||
            !clv_carry_passes(w, at))
            continue;
        p->strand[k].after = at;
        p->strand[k].series = p->strand[at].series = true;
    }
}
