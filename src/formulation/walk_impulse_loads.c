/* SPDX-License-Identifier: Apache-2.0
 * What the impulses of loop joints do to rates of momenta of hdca in rows (T10, T11); called by walk_hdca.c. */
#include <string.h>
#include "formulation/walk_steps.h"
#include "math/rotation.h"
#include "math/spatial.h"

/* T := 0 on the border */
static void clear_border(clv_system *s)
{
    for (int i = 0; i < s->rows.nborder; i++)
        memset(s->T + 6 * (size_t)s->rows.border[i], 0, 6 * sizeof(double));
}

/* Summed (T11): the reactions load the bodies, and momenta are those of all that is outboard, so what the impulses of
 * loops took off is added again; strands outermost first. */
static void add_reactions(clv_system *s)
{
    const clv_plan *p = s->plan;
    clv_rows *w = &s->rows;
    clear_border(s);
    clv_engine_closing_wrenches(&s->engine, s->T, s->lambda, 1.0);
    clv_walk_attach(s, s->T);
    clear_border(s);
    clv_engine_closing_wrenches(&s->engine, s->T, s->sigma, 1.0);
    for (int i = w->nborder - 1; i >= 0; i--)
        clv_rows_attach(w, w->P, w->border[i], s->T + 6 * (size_t)w->border[i]);
    for (int n = w->npiece - 1; n >= 0; n--) {
        const int k = w->piece[n], to = w->origin[k];
        double sum[6] = {0};
        if (to < 0 || !clv_rows_floats(w, k))
            continue;
        const int star = k - p->nstrand, frame = star < 0 ? -1 : p->star[star].frame;
        const int first = star < 0 ? w->held_first[k] : frame,
                  last = star < 0 ? w->held_first[k + 1] - 1 : frame + p->model->flex[star].nnode;
        for (int i = first; i <= last; i++) {
            const int b = star < 0 ? p->bodies[p->strand[k].first + w->held[i]] : i;
            double l[3], W[6];
            if (!(w->mark[b] & CLV_ROWS_BORDER))
                continue;
            clv_sub3(l, s->kin.ref + 3 * (size_t)b, s->kin.ref + 3 * (size_t)to);
            clv_wrench_shift(W, l, s->T + 6 * (size_t)b);
            clv_add6(sum, W);
        }
        clv_add6(s->T + 6 * (size_t)to, sum);
        clv_rows_attach(w, w->P, to, sum);
    }
}

/* The same where loops are carried: momenta are sums of M V.  Summed: the reactions load the bodies, and nothing is
 * taken off. */
static void impulses_carried(clv_system *s)
{
    clear_border(s);
    if (s->summed)
        clv_engine_closing_wrenches(&s->engine, s->T, s->lambda, 1.0);
    else {
        clv_rows_closing_momenta(&s->rows, s->sigma, -1.0);
        clv_kinematics_closing_loads(&s->kin, s->sigma, s->T);
    }
    clv_walk_attach(s, s->T);
}

void clv_walk_impulse_loads(clv_system *s)
{
    clv_rows *w = &s->rows;
    if (w->carried) {
        impulses_carried(s);
        return;
    }
    if (!w->looped)
        return;
    clv_rows_edge_momenta(w, &s->kin, s->sigma);
    if (s->summed) {
        add_reactions(s);
        return;
    }
    clear_border(s);
    clv_kinematics_closing_loads(&s->kin, s->sigma, s->T);
    clv_walk_attach(s, s->T);
}
