/* SPDX-License-Identifier: Apache-2.0
 * Where loops are closed, between bodies with coordinates of their own (row_trials.h): joints between strands, loop
 * joints and couplings are edges, which the nodes of the spanning tree close (row_close.c).
 *
 *   joint between strands  the body is compared with where its measured coordinates put it, as in row_trial_joints.c
 *   loop joint, coupling   rows as in bias.c, at the poses of the bodies they hold
 *
 * Bodies that edges hold are shown to the kinematics in model order first. */
#include <math.h>
#include <string.h>
#include "kinematics/place.h"
#include "kinematics/row_trials.h"
#include "kinematics/tangent.h"
#include "math/rotation.h"
#include "math/spatial.h"

enum { G8 = CLV_GROUP };

/* the child body of the joint by which a strand is attached to an edge, or -1 */
static int edge_base(const clv_row_trials *r, int edge) { return r->kin.plan->edge[edge].tree_body; }

static void show_poses(clv_row_trials *r)
{
    for (int i = 0; i < r->rows.nborder; i++)
        clv_row_trial_show_pose(r, r->rows.border[i]);
}

static void show_motions(clv_row_trials *r)
{
    for (int i = 0; i < r->rows.nborder; i++) {
        const int body = r->rows.border[i];
        clv_row_get(clv_row_slot(r->V, 6, r->rows.slot[body]), 6, r->kin.V + 6 * (size_t)body);
    }
}

/* what edges miss is shown by a strand that they hold */
static void raise_row(clv_row_trials *r, const clv_edge *e, int what, double x)
{
    double *most = clv_row_trials_lane(r, r->rows.strand_of[e->body[0]], what);
    *most = fmax(*most, fabs(x));
}

static void raise_rows(clv_row_trials *r, int what)
{
    for (int k = 0; k < r->kin.plan->nedge; k++) {
        const clv_edge *e = &r->kin.plan->edge[k];
        for (int i = 0; clv_edge_closes(e) && i < e->m; i++)
            raise_row(r, e, what, r->a[e->row + i]);
    }
}

static void reverse_rows(clv_row_trials *r)
{
    for (int i = 0; i < r->kin.plan->nclosing_row; i++)
        r->a[i] = -r->a[i];
}

void clv_row_trial_edge_places(clv_row_trials *r)
{
    const clv_plan *p = r->kin.plan;
    if (!r->rows.looped)
        return;
    show_poses(r);
    for (int k = 0; k < p->nedge; k++)
        if (edge_base(r, k) >= 0)
            clv_row_trial_lacking(r, edge_base(r, k), r->c + 6 * (size_t)edge_base(r, k));
    for (int i = 0; i < r->rows.ncoupled; i++) { /* coordinates and directions; rows inside strands are met elsewhere */
        double c[6];
        clv_row_trial_lacking(r, r->rows.coupled[i], c);
    }
    for (int k = 0; k < p->nedge; k++) {
        const int joint = p->edge[k].force < 0 ? -1 : p->model->force[p->edge[k].force].joint;
        if (joint >= 0 && p->child_of_joint[joint] >= 0 && p->tree[p->child_of_joint[joint]].detached)
            clv_kinematics_joint_between(&r->kin, p->child_of_joint[joint]);
    }
    clv_kinematics_closing_poses(&r->kin);
    clv_kinematics_fill_edges(&r->kin);
    if (r->on_rate > 0)
        clv_tangent_fill(&r->kin, r->on_rate, r->on_place);
    clv_kinematics_violation(&r->kin, r->a);
    reverse_rows(r);
}

void clv_row_trial_edge_gaps(clv_row_trials *r)
{
    if (!r->rows.looped)
        return;
    for (int k = 0; k < r->kin.plan->nedge; k++)
        for (int i = 0; edge_base(r, k) >= 0 && i < 6; i++)
            raise_row(r, &r->kin.plan->edge[k], CLV_TRIAL_GAP, r->c[6 * edge_base(r, k) + i]);
    raise_rows(r, CLV_TRIAL_GAP);
}

void clv_row_trial_edge_speeds(clv_row_trials *r)
{
    if (!r->rows.looped)
        return;
    show_motions(r);
    for (int k = 0; k < r->kin.plan->nedge; k++)
        if (edge_base(r, k) >= 0)
            clv_row_trial_lacking_speed(r, edge_base(r, k), r->c + 6 * (size_t)edge_base(r, k));
    clv_kinematics_velocity_violation(&r->kin, r->a);
    reverse_rows(r);
}

/* a := what closing rows lack for accelerations, by biases of tree joints c; then c: what those lack at edges */
void clv_row_trial_edge_accelerations(clv_row_trials *r)
{
    const clv_plan *p = r->kin.plan;
    if (!r->rows.looped)
        return;
    show_motions(r);
    for (int i = 0; i < r->rows.ncoupled; i++) {
        const int body = r->rows.coupled[i];
        double y[6];
        clv_row_trial_lacking_rate(r, body, y);
        clv_kinematics_body_bias(&r->kin, body, r->c + 6 * (size_t)body);
    }
    clv_kinematics_closing_rates(&r->kin);
    clv_kinematics_closing_bias(&r->kin, r->c, r->a);
    for (int k = 0; k < p->nedge; k++) {
        const clv_edge *e = &p->edge[k];
        for (int h = 0; clv_edge_closes(e) && h < e->nhandle; h++) {
            double A[6];
            clv_row_get(clv_row_slot(r->A, 6, r->rows.slot[e->body[h]]), 6, A);
            for (int i = 0; i < e->m; i++)
                r->a[e->row + i] -= clv_dot6(r->engine.block + e->block[h] + 6 * i, A);
        }
        if (edge_base(r, k) >= 0)
            clv_row_trial_lacking_rate(r, edge_base(r, k), r->c + 6 * (size_t)edge_base(r, k));
    }
}

void clv_row_trial_edge_misses(clv_row_trials *r)
{
    const clv_plan *p = r->kin.plan;
    if (!r->rows.looped)
        return;
    clv_row_trial_edge_speeds(r);
    raise_rows(r, CLV_TRIAL_GAP_SPEED);
    clv_row_trial_edge_accelerations(r);
    raise_rows(r, CLV_TRIAL_GAP_RATE);
    for (int k = 0; k < p->nedge; k++)
        if (edge_base(r, k) >= 0)
            clv_row_trial_miss(r, edge_base(r, k));
}

void clv_row_trial_edge_turns(clv_row_trials *r, bool back)
{
    const clv_plan *p = r->kin.plan;
    for (int k = 0; k < p->nedge; k++) {
        const clv_edge *e = &p->edge[k];
        if (e->joint < 0 || e->tree_body >= 0)
            continue;
        double *here = r->kin.turn + 6 * (size_t)k, *there = r->near + 6 * (size_t)r->edge_of_joint[e->joint];
        memcpy(back ? there : here, back ? here : there, 6 * sizeof(double));
    }
}

/* ------------------------------------------------------------------ forces */

/* where the force of a row of an edge acts on its h-th body, beside its centre of mass */
static void arm_of_handle(const clv_row_trials *r, const clv_edge *e, int h, double l[3])
{
    const clv_kinematics *k = &r->kin;
    const int body = e->body[h];
    double O[3];
    if (e->tree_body >= 0)
        clv_copy3(O, k->ref + 3 * (size_t)e->tree_body);
    else {
        const clv_joint *j = &k->plan->model->joint[e->joint];
        clv_closing_point(k, j, O);
        if (body == j->a && body != j->b)
            clv_closing_point_a(k, j, (int)(e - k->plan->edge), O, O);
    }
    clv_sub3(l, O, k->com + 3 * (size_t)body);
}

void clv_row_trial_edge_forces(clv_row_trials *r)
{
    const clv_plan *p = r->kin.plan;
    for (int k = 0; r->rows.looped && k < p->nedge; k++) {
        const clv_edge *e = &p->edge[k];
        for (int h = 0; e->joint >= 0 && h < e->nhandle; h++) {
            double F[3] = {0}, l[3];
            if (e->body[h] == e->tree_body) /* its force is the sum over its strand */
                continue;
            for (int i = 0; i < e->m; i++)
                clv_axpy3(F, -r->sigma[e->row + i], r->engine.block + e->block[h] + 6 * i);
            arm_of_handle(r, e, h, l);
            clv_row_trials_pull(r, e->body[h], l, F);
        }
    }
}

void clv_row_trial_edge_solved(clv_row_trials *r, double scale)
{
    for (int i = 0; i < r->kin.plan->nsigma; i++)
        r->sigma[i] = r->engine.sigma[i] / scale;
}
