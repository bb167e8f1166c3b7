/* SPDX-License-Identifier: Apache-2.0
 * Another right-hand side for the factor of the last walk (T43.9, T43.13): drives of joints and rows of closings, as
 * corrections have them.
 *
 *   respond, level by level, limbs fold their loads | close, or fold and unfold | down | take out extra inertia */
#include "formulation/walk_steps.h"
#include "kinematics/row_kernels.h"

typedef struct response {
    clv_rows *w;
    const double *tau;
} response;

static void respond_group(void *of, int group)
{
    const response *r = of;
    if (r->w->nball == 0)
        clv_rows_group_rates(r->w, group, r->tau, r->w->tau);
    r->w->kernels->respond(r->w, group, r->w->tau, r->w->Q, true);
}

/* drives tau (nu) up all strands, with the factor at hand */
static void respond(clv_rows *w, const clv_kinematics *k, const double *tau)
{
    clv_rows_clear_loads(w);
    if (w->nball > 0)
        clv_rows_take_rates(w, tau, w->tau);
    clv_rows_drive(w, k, tau);
    for (int level = 0; level < w->nlevel; level++) {
        clv_rows_of_level(w, level, respond_group, &(response){w, tau});
        for (int g = clv_rows_level(w, level); g < clv_rows_level(w, level + 1); g++)
            clv_rows_finish_loads(w, g);
    }
}

/* the same where loops are carried, with right-hand sides a (nclosing_row) of closings */
static void carry(clv_rows *w, const clv_kinematics *k, const double *tau, const double *a, double *u)
{
    clv_rows_clear_loads(w);
    clv_rows_take_rates(w, tau, w->tau);
    clv_rows_drive(w, k, tau);
    clv_rows_carry_begin(w, NULL, a);
    clv_rows_carry_pass(w, k, tau, u);
    clv_rows_carry_refine(w, k, u);
}

bool clv_walk_solve_again(clv_system *s, const double *tau, const double *a, double *u)
{
    clv_rows *w = &s->rows;
    assert(s->engine.partial); /* the last factor is one in rows */
    s->held = 0;
    clv_rows_know_nothing(w);
    if (w->carried) {
        carry(w, &s->kin, tau, a, u);
        clv_rows_give_rates(w, w->rates, u);
        clv_rows_outer(w, &s->kin, NULL, s->x, u);
        return true;
    }
    respond(w, &s->kin, tau);
    if (w->looped)
        clv_rows_turn_loads(w), clv_rows_close(w, tau, NULL, a, u);
    else if (clv_rows_fold(w, &s->kin, tau, NULL, true))
        clv_rows_unfold(w, &s->kin, NULL, u);
    else
        return false;
    clv_rows_descend(w, false);
    clv_rows_take_out(w, &s->kin, false, true, u);
    clv_rows_give_rates(w, w->rates, u);
    clv_rows_outer(w, &s->kin, NULL, s->x, u);
    return !s->engine.stalled;
}
