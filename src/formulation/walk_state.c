/* SPDX-License-Identifier: Apache-2.0
 * Between rows and state vectors: derivatives of coordinates, directions outside of strands, results in model order. */
#include <string.h>
#include "formulation/aldca_rows.h"
#include "formulation/index3_rows.h"
#include "formulation/walk_steps.h"
#include "math/spatial.h"

int clv_walk_base(const clv_rows *w, int *piece)
{
    *piece = *piece < w->npiece ? w->floating[*piece] : w->npiece;
    return *piece < w->npiece ? clv_rows_base(w, *piece) : -1;
}

void clv_walk_outer_coordinates(const clv_system *s, const double *q, const double *u, double *qdot)
{
    const clv_plan *p = s->plan;
    for (int k = 0, b; (b = clv_walk_base(&s->rows, &k)) >= 0; k++) {
        if (p->tree[b].motion < 0)
            clv_joint_qdot(p->tree[b].kind, q + p->tree[b].iq, u + p->tree[b].iu, qdot + p->tree[b].iq);
    }
    for (int k = 0; k < p->nstar; k++)
        memcpy(qdot + p->star[k].iq, u + p->star[k].iu, (size_t)p->star[k].nmode * sizeof(double));
}

/* derivatives of the free directions of a body's inboard joint */
static void directions_of(clv_system *s, int body, const double *u)
{
    const clv_tree_joint *t = &s->plan->tree[body];
    if (t->motion < 0)
        memcpy(clv_kinematics_u(&s->kin, (size_t)body), u + t->iu, (size_t)t->nu * sizeof(double));
    clv_kinematics_body_rates(&s->kin, body);
}

void clv_walk_outer_rates(clv_system *s, const double *u)
{
    for (int k = 0, b; (b = clv_walk_base(&s->rows, &k)) >= 0; k++)
        directions_of(s, b, u);
    for (int i = 0; i < s->rows.ncoupled; i++)
        directions_of(s, s->rows.coupled[i], u);
    clv_kinematics_modal_rates(&s->kin, u);
    if (clv_rows_closed(&s->rows))
        clv_kinematics_closing_rates(&s->kin);
}

void clv_walk_give_rates(clv_system *s)
{
    if (s->rates_due)
        clv_rows_give_rates(&s->rows, s->rows.rates, s->u);
    s->rates_due = false;
}

bool clv_walk_holds(const clv_system *s) { return s->held > 0 && s->held == s->engine.factors; }

void clv_walk_show_poses(clv_system *s, double t, const double *q)
{
    clv_walk_give_rates(s);
    s->kin.apart = true;
    if (!clv_system_restore(s, t, q))
        clv_system_pose_all(s, t, q);
    s->kin.apart = false;
}

void clv_walk_show_motion(clv_system *s, const double *y)
{
    clv_walk_show_poses(s, s->kin.time, y);
    clv_kinematics_velocities(&s->kin, s->u);
}

void clv_walk_show(clv_system *s, const double *y)
{
    clv_walk_give_rates(s);
    clv_walk_show_motion(s, y);
}

void clv_walk_view(clv_system *s, const double *y)
{
    s->held = 0;
    if (s->trials) {
        clv_index3_rows_view(s, y);
        return;
    }
    if (s->bodies) {
        clv_aldca_rows_view(s, y);
        return;
    }
    clv_walk_show(s, y);
    clv_kinematics_rates(&s->kin);
    clv_system_loads(s);
    for (int b = 0; b < s->plan->nbody; b++)
        clv_rows_motion(&s->rows, b, s->x + 6 * (size_t)b);
}
