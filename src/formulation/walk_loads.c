/* SPDX-License-Identifier: Apache-2.0
 * Loads of a walk (T8): evaluated in model order on the bodies that may be loaded, handed to the rows. */
#include <string.h>
#include "formulation/direct_loads.h"
#include "formulation/walk_steps.h"
#include "math/rotation.h"
#include "math/spatial.h"

void clv_walk_attach(clv_system *s, const double *W)
{
    clv_rows_attach_loads(&s->rows, s->rows.Q, W);
}

/* what the loads look at: q, u of joints; poses and motions of the bodies on which they may act */
static void show_to_loads(clv_system *s, const double *y, const double *u)
{
    const clv_plan *p = s->plan;
    for (int b = 0; b < p->nbody; b++) {
        const clv_tree_joint *t = &p->tree[b];
        double ud;
        if (t->motion >= 0)
            clv_kinematics_motion(&s->kin, t->motion, s->joint_q + 7 * (size_t)t->joint,
                                  s->joint_u + 6 * (size_t)t->joint, &ud);
        else if (t->joint >= 0) {
            memcpy(s->joint_q + 7 * (size_t)t->joint, y + t->iq, (size_t)t->nq * sizeof(double));
            memcpy(s->joint_u + 6 * (size_t)t->joint, u + t->iu, (size_t)t->nu * sizeof(double));
        }
        if (s->rows.mark[b] & CLV_ROWS_LOADED) {
            double l[3];
            clv_sub3(l, s->kin.com + 3 * (size_t)b, s->kin.ref + 3 * (size_t)b);
            clv_motion_shift(s->com_V + 6 * (size_t)b, l, s->kin.V + 6 * (size_t)b);
            memset(s->wrench + 6 * (size_t)b, 0, 6 * sizeof(double));
        }
    }
    clv_system_closing_states(s);
    clv_system_load_frame(s);
}

bool clv_walk_loaded(const clv_system *s)
{
    return clv_system_joint_loads(s) || (s->controls && s->controls->nbody > 0) || s->plan->nstar > 0;
}

bool clv_walk_given_loads(clv_system *s, const double *y, const double *u)
{
    const clv_plan *p = s->plan;
    s->power = 0, s->opaque = false;
    if (clv_direct_loads_apply(s))
        return clv_direct_loads(s, y, u);
    memset(s->tau, 0, (size_t)p->nu * sizeof(double));
    show_to_loads(s, y, u);
    clv_loads_given(&s->loads);
    if (s->loads.failed >= 0 || s->loads.failed_joint >= 0 || s->loads.failed_body >= 0)
        return false;
    s->power = s->loads.power, s->opaque = s->loads.opaque;
    for (int b = 0; b < p->nbody; b++) {
        const clv_tree_joint *t = &p->tree[b];
        for (int c = 0; t->joint >= 0 && c < t->f; c++)
            s->tau[t->iu + c] = s->joint_tau[6 * (size_t)t->joint + (size_t)c];
    }
    return true;
}

/* Dampers that a step takes implicitly see the rates at its beginning, and their work is counted at its end (T118). */
static void ease(clv_system *s, const double *u)
{
    for (int i = 0; i < s->plan->nu; i++) {
        s->tau[i] += s->damping[i] * (u[i] - s->eased[i]);
        s->power += s->damping[i] * u[i] * u[i];
    }
}

bool clv_walk_loads(clv_system *s, const double *y, const double *u)
{
    const clv_plan *p = s->plan;
    s->power = 0, s->opaque = false;
    if (!clv_walk_loaded(s))
        return true;
    if (!clv_walk_given_loads(s, y, u))
        return false;
    for (int b = 0; b < p->nbody; b++) {
        if (s->rows.mark[b] & CLV_ROWS_LOADED) {
            double l[3];
            clv_sub3(l, s->kin.com + 3 * (size_t)b, s->kin.ref + 3 * (size_t)b);
            clv_wrench_shift(s->Q + 6 * (size_t)b, l, s->wrench + 6 * (size_t)b);
        }
    }
    if (s->eased)
        ease(s, u);
    clv_system_closing_drives(s);
    clv_flexible_weights(s), clv_flexible_loads(s);
    clv_walk_attach(s, s->Q);
    return true;
}
