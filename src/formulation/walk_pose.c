/* SPDX-License-Identifier: Apache-2.0
 * The start of a walk (T43.2): poses of strands and of the border at q, and how they move at rates u. */
#include <string.h>
#include "formulation/walk_steps.h"
#include "kinematics/row_kernels.h"
#include "kinematics/row_ports.h"

bool clv_walk_fits(const clv_system *s) { return s->rows.fit; }

void clv_walk_border_rates(clv_system *s, const double *u)
{
    clv_rows *w = &s->rows;
    clv_rows_take_motions(w, &s->kin), clv_rows_take_rates(w, u, w->u);
    clv_rows_scan_rates(w, &s->kin, u);
    for (int i = 0; i < w->ncoupled; i++)
        clv_kinematics_body_velocity(&s->kin, w->coupled[i], u);
}

/* Are these poses there already?  A correction, the renewed momenta and the next evaluation are at the same q. */
static bool posed(const clv_system *s, const double *q)
{
    const clv_plan *p = s->plan;
    const clv_rows *w = &s->rows;
    return w->posed == s->kin.posed && s->model->nmotion == 0 && p->nstar == 0 &&
           memcmp(w->posed_q, q, (size_t)p->nq * sizeof(double)) == 0;
}

typedef struct posing {
    clv_rows *w;
    const double *q, *u;
} posing;

static void pose_group(void *of, int group)
{
    const posing *x = of;
    if (x->w->nball == 0) {
        clv_rows_group_coordinates(x->w, group, x->q);
        if (x->u)
            clv_rows_group_rates(x->w, group, x->u, x->w->u);
    }
    x->w->kernels->pose(x->w, group, x->u != NULL);
}

void clv_walk_pose_strands(clv_system *s, const double *q, const double *u)
{
    clv_rows *w = &s->rows;
    if (w->nball > 0)
        clv_rows_take_coordinates(w, q);
    clv_rows_take_motions(w, &s->kin);
    if (w->nball > 0 && u)
        clv_rows_take_rates(w, u, w->u);
    clv_rows_all(w, pose_group, &(posing){w, q, u});
}

void clv_walk_strands(clv_system *s, double t, const double *q, const double *u)
{
    clv_rows *w = &s->rows;
    s->kin.time = t;
    if (s->across)
        clv_walk_check_segments(s, q, u);
    if (posed(s, q)) {
        if (u)
            clv_walk_border_rates(s, u);
        return;
    }
    w->posed = s->kin.posed;
    clv_team_copy(w->team, w->posed_q, q, (size_t)s->plan->nq);
    clv_walk_pose_strands(s, q, u);
    clv_rows_scan(w, &s->kin, q, u, s->model->gravity);
    for (int i = 0; i < w->ncoupled; i++) {
        clv_kinematics_body_pose(&s->kin, w->coupled[i], q);
        clv_kinematics_body_directions(&s->kin, w->coupled[i]);
        if (u)
            clv_kinematics_body_velocity(&s->kin, w->coupled[i], u);
    }
    if (clv_rows_closed(w))
        clv_kinematics_closing_poses(&s->kin);
}

void clv_walk_directions(clv_system *s)
{
    if (s->rows.looped || s->plan->nsection > 0)
        clv_kinematics_fill_edges(&s->kin);
    else if (s->rows.carried)
        clv_kinematics_fill_closings(&s->kin);
    if (s->plan->ported)
        clv_rows_fill_ports(&s->rows, &s->kin);
}

void clv_walk_start(clv_system *s, double t, const double *q, const double *u)
{
    clv_walk_strands(s, t, q, u);
    clv_walk_directions(s);
}
