/* SPDX-License-Identifier: Apache-2.0
 * Simulations whose bodies nobody looks at (T149); see blind.h.  Rows have all that steps need (T43).  Called by the
 * creation and in place of views. */
#include "simulation/blind.h"
#include <math.h>
#include <string.h>
#include "base/pages.h"
#include "base/tolerance.h"
#include "formulation/walk.h"

typedef struct part {
    double *from;
    size_t numbers;
} part;

static void release(const part *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        clv_pages_release(list[i].from, list[i].numbers * sizeof *list[i].from);
}

/* coordinates and rates of the start, and how far they were moved */
static void forget_start(clv_sim *s)
{
    clv_system *k = &s->system;
    const clv_plan *p = s->plan;
    const size_t nq = (size_t)p->nq, nu = (size_t)p->nu, joints = (size_t)s->model->njoint;
    const part list[] = {{k->kin.q, (size_t)p->nc}, {k->kin.u, (size_t)p->nh}, {k->posed_q, nq}, {s->y, (size_t)s->n},
                         {s->q, nq}, {s->u, nu}, {s->dq, nu}, {s->trial, nu}, {s->p, nu}, {s->pdot, nu},
                         {s->udot, nu}},
               moved[] = {{s->joint_moved, joints}, {s->joint_rate_moved, joints},
                          {s->body_rate_moved, (size_t)s->model->nbody}};
    release(list, sizeof list / sizeof *list);
    if (clv_sim_blind(s)) /* nobody reads them */
        release(moved, sizeof moved / sizeof *moved);
}

void clv_sim_forget(clv_sim *s, bool started)
{
    clv_system *k = &s->system;
    const clv_plan *p = s->plan;
    const size_t n = (size_t)p->nbody, columns = 6 * (size_t)p->nh;
    const part list[] = {{k->kin.R, 9 * n}, {k->kin.ref, 3 * n}, {k->kin.com, 3 * n}, {k->kin.Jc, 6 * n},
                         {k->kin.V, 6 * n}, {k->kin.Hd, columns}, {k->engine.arm, 3 * n}, {k->engine.free, columns},
                         {k->engine.dual, columns}, {k->com_V, 6 * n}, {k->Q, 6 * n}, {k->x, 6 * n}, {k->T, 6 * n},
                         {k->W, 6 * n}, {s->P, 6 * n}, {s->out_r, 3 * n}, {s->out_e, 4 * n}, {s->out_V, 6 * n},
                         {s->frame_A, 6 * n}};
    release(list, sizeof list / sizeof *list);
    clv_pages_release(k->kin.place, n * sizeof *k->kin.place);
    if (started)
        forget_start(s);
    k->posed = k->rows.posed = -1, k->held = 0; /* bodies that rows look at are posed anew */
}

bool clv_blind_start(clv_sim *s)
{
    const size_t nq = (size_t)s->plan->nq, nu = (size_t)s->plan->nu;
    if (!clv_sim_blind(s) || s->formulation->state != CLV_STATE_RATES)
        return false;
    memmove(s->y, s->q, nq * sizeof(double)), memmove(s->y + nq, s->u, nu * sizeof(double));
    return true;
}

/* below which no start is refused, see speed.c; each: of clv_walk_segment_energies */
static bool calm(const clv_sim *s, const double *each)
{
    const double small = 1e20; /* 1/s of a state */
    bool all = true;
    for (int i = 0; i < s->plan->nsegment; i++)
        all = all && each[3 * i + 2] < CLV_BLIND_SPEED * CLV_BLIND_SPEED;
    for (int i = 0; i < s->n; i++)
        all = all && fabs(s->ydot[i]) < small;
    return all;
}

bool clv_blind_calm(clv_sim *s, clv_energies *e)
{
    if (!clv_sim_blind(s))
        return false;
    const clv_across *a = &s->divided->across;
    double *each = s->system.segment_sum, sum[2], none[CLV_ACROSS_MOST] = {0};
    clv_walk_segment_energies(&s->system, each);
    if (!clv_across_all(a, calm(s, each))) {
        clv_walk_view(&s->system, s->y);
        s->system.walked = false;
        return false;
    }
    for (int i = 0; i < s->plan->nsegment; i++)
        memmove(each + 2 * i, each + 3 * i, 2 * sizeof *each);
    a->add(a->owner, 2, each, sum, none);
    *e = (clv_energies){sum[0], sum[1], 0};
    clv_sim_forget(s, false); /* what the start of a formulation has formed */
    return true;
}

clv_status clv_blind_show(clv_sim *s)
{
    s->seen_t = NAN;
    s->shown = 0, s->evaluated = false;
    clv_sim_forget(s, true);
    return CLV_OK;
}
