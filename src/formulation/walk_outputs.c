/* SPDX-License-Identifier: Apache-2.0
 * What outputs need of the last walk (T43.12): accelerations and multipliers out of the rows, and in model order what
 * reactions are made of. */
#include <string.h>
#include "formulation/walk_steps.h"
#include "math/rotation.h"
#include "math/spatial.h"

/* Loads Q of all bodies: those of the walk, which has them where something may act, and the weights. */
static void show_loads(clv_system *s)
{
    const bool loaded = clv_walk_loaded(s);
    for (size_t b = 0; b < (size_t)s->plan->nbody; b++) {
        double *Q = s->Q + 6 * b, W[6] = {0}, l[3];
        if (clv_row_hold_of(&s->rows, (int)b)) /* its weight is there */
            continue;
        if (!loaded || !(s->rows.mark[b] & CLV_ROWS_LOADED))
            memset(Q, 0, 6 * sizeof(double));
        clv_axpy3(W, s->model->body[b].mass, s->model->gravity);
        clv_sub3(l, s->kin.com + 3 * b, s->kin.ref + 3 * b);
        clv_wrench_shift(W, l, W);
        clv_add6(Q, W);
    }
    if (!loaded)
        memset(s->tau, 0, (size_t)s->plan->nu * sizeof(double));
}

/* dca: are the accelerations of the walk those of the mechanism, without terms of Baumgarte? */
static bool has_accelerations(const clv_system *s)
{
    bool plain = s->solved == CLV_WALK_ACCELERATIONS;
    for (int i = 0; i < s->plan->nclosing_row; i++)
        plain = plain && s->gain[0][i] == 0 && s->gain[1][i] == 0;
    return plain;
}

/* Accelerations at the rates s->u.  The velocities just solved for differ from these at the bases of strands, by digits
 * that a factor in compliance form loses (T5).  Reactions are summed in model order with the velocities of the rates,
 * so these come first. */
static bool accelerate(clv_system *s, const double *y)
{
    if (s->rows.looped && s->solved != CLV_WALK_ACCELERATIONS) {
        clv_walk_border_rates(s, s->u);
        s->solved = CLV_WALK_BOTH;
    }
    clv_walk_outer_rates(s, s->u);
    return clv_walk_loads(s, y, s->u) && clv_walk_accelerate(s);
}

clv_status clv_walk_outputs(clv_system *s, const double *y)
{
    clv_rows *w = &s->rows;
    clv_walk_begin(s);
    if (has_accelerations(s))
        clv_kinematics_closing_rates(&s->kin);
    else if (!accelerate(s, y))
        return clv_walk_failed(s, s->kin.time, y);
    show_loads(s);
    for (int b = 0; b < s->plan->nbody; b++)
        clv_rows_motion(w, b, s->x + 6 * (size_t)b);
    return CLV_OK;
}
