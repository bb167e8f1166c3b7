/* SPDX-License-Identifier: Apache-2.0
 * Kinematics (T3): poses, velocities and rates of directions along the spanning tree and at closings. */
#include "kinematics/deform.h"
#include "kinematics/kinematics.h"
#include "kinematics/closing_pack.h"
#include "kinematics/place.h"
#include <math.h>

void clv_kinematics_layout(clv_kinematics *k, const clv_plan *p, clv_engine *e, clv_arena *a)
{
    int n = p->nbody;
    k->plan = p, k->engine = e;
    k->until = INFINITY;
    CLV_TAKE(a, k->R, 9 * n), CLV_TAKE(a, k->ref, 3 * n), CLV_TAKE(a, k->com, 3 * n), CLV_TAKE(a, k->Jc, 6 * n);
    CLV_TAKE(a, k->V, 6 * n);
    k->arm = e->arm, k->H = e->free, k->G = e->dual;
    CLV_TAKE(a, k->q, p->nc), CLV_TAKE(a, k->u, p->nh);
    CLV_TAKE(a, k->ud, p->model->nmotion > 0 ? 6 * n : 0); /* others have none that is known */
    CLV_TAKE(a, k->Hd, 6 * p->nh);
    CLV_TAKE(a, k->place, n), CLV_TAKE(a, k->closing, p->nedge);
    clv_deform_layout(k, p, a);
    CLV_TAKE(a, k->D, 36 * p->nedge), CLV_TAKE(a, k->Dd, 36 * p->nedge), CLV_TAKE(a, k->cut_H, 36 * p->nedge);
    CLV_TAKE(a, k->cut_Gd, 6 * p->nedge), CLV_TAKE(a, k->turn, 6 * p->nedge);
    clv_closing_packs_layout(k, p, a);
}

void clv_kinematics_begin(clv_kinematics *k)
{
    clv_closing_packs_begin(k);
    for (int s = 0; s < k->plan->nstar; s++)
        clv_deform_begin(k, s);
}

/* ------------------------------------------------------------------ poses */

void clv_kinematics_motion(const clv_kinematics *k, int motion, double *q, double *u, double *ud)
{
    clv_motion_with(&k->plan->model->motion[motion], k->servo ? k->servo + 4 * (size_t)motion : NULL, k->time,
                    k->until, q, u, ud);
}

static void load_coordinates(clv_kinematics *k, int body, const double *q)
{
    const clv_plan *p = k->plan;
    const clv_tree_joint *t = &p->tree[body];
    double *to = clv_kinematics_q(k, (size_t)body);
    if (t->motion >= 0)
        clv_kinematics_motion(k, t->motion, to, clv_kinematics_u(k, (size_t)body), k->ud + 6 * (size_t)body);
    else
        for (int i = 0; i < t->nq; i++)
            to[i] = q[t->iq + i];
}

/* frame of the joint on the parent is known; goes over the joint to the child's pose */
static void cross_joint(clv_kinematics *k, int body)
{
    const clv_plan *p = k->plan;
    const clv_tree_joint *t = &p->tree[body];
    const clv_joint *j = clv_tree_joint_of(p, body);
    const clv_body *b = &p->model->body[body];
    double Rq[9], d[3], Ep[9], *dg = k->place[body].d, *Ec = k->place[body].child;
    double *R = k->R + 9 * (size_t)body, *ref = k->ref + 3 * (size_t)body;
    const double *on_parent = t->reversed ? j->pb : j->pa, *on_child = t->reversed ? j->pa : j->pb;
    const double *frame_parent = t->reversed ? j->Eb : j->Ea, *frame_child = t->reversed ? j->Ea : j->Eb;
    double origin[3];
    if (t->joint < 0)
        on_child = b->com; /* an implicit free joint holds the centre of mass */
    clv_joint_table[t->kind].pose(j, clv_kinematics_q(k, (size_t)body), Rq, d);
    if (t->parent < 0) {
        memcpy(Ep, frame_parent, 9 * sizeof(double));
        memcpy(origin, on_parent, 3 * sizeof(double));
    } else {
        const double *Rp = k->R + 9 * (size_t)t->parent;
        double x[3];
        clv_mat3_product(Ep, Rp, frame_parent);
        clv_sub3(x, on_parent, p->model->body[t->parent].com);
        clv_mat3_times(origin, Rp, x);
        clv_axpy3(origin, 1.0, k->com + 3 * (size_t)t->parent);
    }
    if (t->reversed)
        clv_mat3_product_transpose(Ec, Ep, Rq);
    else
        clv_mat3_product(Ec, Ep, Rq);
    clv_mat3_product_transpose(R, Ec, frame_child);
    clv_mat3_times(dg, t->reversed ? Ec : Ep, d);
    for (int i = 0; i < 3; i++)
        ref[i] = t->reversed ? origin[i] - dg[i] : origin[i] + dg[i];
    double x[3];
    clv_sub3(x, b->com, on_child);
    clv_mat3_times(k->com + 3 * (size_t)body, R, x);
    clv_axpy3(k->com + 3 * (size_t)body, 1.0, ref);
    for (int i = 0; i < 3; i++)
        k->arm[3 * (size_t)body + (size_t)i] =
            ref[i] - (t->parent < 0 ? 0.0 : k->ref[3 * (size_t)t->parent + (size_t)i]);
}

void clv_kinematics_body_pose(clv_kinematics *k, int body, const double *q)
{
    load_coordinates(k, body, q);
    cross_joint(k, body);
}

void clv_kinematics_joint_between(clv_kinematics *k, int body)
{
    const clv_tree_joint *t = &k->plan->tree[body];
    const clv_joint *j = clv_tree_joint_of(k->plan, body);
    double Ea[9], Eb[9], Oa[3], Ob[3];
    if (t->joint >= 0) {
        clv_frame_on(k, t->reversed ? body : t->parent, j->Ea, j->pa, Ea, Oa);
        clv_frame_on(k, t->reversed ? t->parent : body, j->Eb, j->pb, Eb, Ob);
        clv_sub3(k->place[body].d, Ob, Oa);
        memcpy(k->place[body].child, t->reversed ? Ea : Eb, sizeof Ea);
    }
    clv_kinematics_body_directions(k, body);
}

void clv_kinematics_poses(clv_kinematics *k, double t, const double *q)
{
    const clv_plan *p = k->plan;
    k->time = t, k->posed++;
    for (int s = 0; s < p->nstar; s++)
        memcpy(k->eta + p->star[s].mode, q + p->star[s].iq, (size_t)p->star[s].nmode * sizeof(double));
    for (int i = 0; i < p->nbody; i++) {
        if (p->tree[p->order[i]].link >= 0) {
            clv_deform_pose(k, p->order[i]);
            continue;
        }
        clv_kinematics_body_pose(k, p->order[i], q);
    }
    clv_kinematics_closing_poses(k);
}

static void closing_pose(void *of, int e)
{
    clv_kinematics *k = of;
    const clv_edge *edge = &k->plan->edge[e];
    if (edge->tree_body >= 0 || edge->joint < 0 || clv_kinematics_leaves(k, e) || clv_closing_packed(k, e))
        return;
    const clv_joint *j = &k->plan->model->joint[edge->joint];
    clv_joint_place *at = &k->closing[e];
    double Oa[3], Ob[3];
    clv_frame_on(k, j->a, j->Ea, j->pa, at->Ea, Oa);
    clv_frame_on(k, j->b, j->Eb, j->pb, at->Eb, Ob);
    clv_sub3(at->d, Ob, Oa);
}

void clv_kinematics_closing_poses(clv_kinematics *k)
{
    clv_closing_packs_pose(k);
    if (!clv_closings_packed(k))
        clv_team_run_each(k->engine->team, k->plan->nedge, CLV_EDGE_RUN, closing_pose, k);
}

/* ------------------------------------------------------------------ velocities */

void clv_kinematics_modal_rates(clv_kinematics *k, const double *u)
{
    for (int s = 0; s < k->plan->nstar; s++)
        memcpy(k->etad + k->plan->star[s].mode, u + k->plan->star[s].iu,
               (size_t)k->plan->star[s].nmode * sizeof(double));
}

void clv_kinematics_body_velocity(clv_kinematics *k, int body, const double *u)
{
    const clv_plan *p = k->plan;
    const clv_tree_joint *t = &p->tree[body];
    double *V = k->V + 6 * (size_t)body, *uj = clv_kinematics_u(k, (size_t)body);
    memset(V, 0, 6 * sizeof(double));
    if (t->parent >= 0)
        clv_motion_shift(V, k->arm + 3 * (size_t)body, k->V + 6 * (size_t)t->parent);
    for (int c = 0; c < t->nu; c++) {
        if (t->motion < 0)
            uj[c] = u[t->iu + c];
        for (int r = 0; r < 6; r++)
            V[r] += k->H[clv_columns(p, (size_t)body) + 6 * (size_t)c + (size_t)r] * uj[c];
    }
    if (t->link >= 0)
        clv_deform_add_velocity(k, body, V);
}

void clv_kinematics_velocities(clv_kinematics *k, const double *u)
{
    const clv_plan *p = k->plan;
    clv_kinematics_modal_rates(k, u);
    for (int i = 0; i < p->nbody; i++)
        clv_kinematics_body_velocity(k, p->order[i], u);
}

/* fills the moving part of a place: d = O_b - O_a must be there */
static void place_rates(const clv_kinematics *k, clv_joint_place *at, int a, int b, const double Ob[3])
{
    double Oa[3], va[3], vb[3];
    clv_sub3(Oa, Ob, at->d);
    clv_omega(k, a, at->wa), clv_omega(k, b, at->wb);
    clv_point_velocity(k, a, Oa, va), clv_point_velocity(k, b, Ob, vb);
    clv_sub3(at->dv, vb, va);
}

void clv_kinematics_body_rates(clv_kinematics *k, int body)
{
    const clv_plan *p = k->plan;
    const clv_tree_joint *t = &p->tree[body];
    clv_joint_place at;
    double Ob[3], unused[36], *Hd = k->Hd + clv_columns(p, (size_t)body);
    const double *H = k->H + clv_columns(p, (size_t)body);
    int a = t->reversed ? body : t->parent, b = t->reversed ? t->parent : body;
    clv_place_of(k, body, &at);
    for (int i = 0; i < 3; i++)
        Ob[i] = k->ref[3 * (size_t)body + (size_t)i] + (t->reversed ? at.d[i] : 0.0);
    place_rates(k, &at, a, b, Ob);
    clv_joint_table[t->kind].rate(clv_tree_joint_of(p, body), &at, Hd, unused);
    if (!t->reversed)
        return;
    /* d/dt of -(h - h_a x d), with h_a = -H'_a */
    clv_reverse_motion(Hd, t->nu, at.d);
    for (int c = 0; c < t->nu; c++) {
        double x[3];
        clv_cross(x, H + 6 * c + 3, at.dv);
        for (int i = 0; i < 3; i++)
            Hd[6 * c + i] -= x[i];
    }
}

void clv_kinematics_rates(clv_kinematics *k)
{
    const clv_plan *p = k->plan;
    for (int i = 0; i < p->nbody; i++)
        if (p->tree[i].link >= 0)
            clv_deform_rates(k, i);
        else
            clv_kinematics_body_rates(k, i);
    clv_kinematics_closing_rates(k);
}

static void closing_rate(void *of, int e)
{
    clv_kinematics *k = of;
    const clv_plan *p = k->plan;
    const clv_edge *edge = &p->edge[e];
    if (edge->tree_body >= 0 || edge->joint < 0 || clv_kinematics_leaves(k, e) || clv_closing_packed(k, e))
        return;
    const clv_joint *j = &p->model->joint[edge->joint];
    double O[3], Hd[36], *Dd = k->Dd + 36 * (size_t)e;
    clv_closing_point(k, j, O);
    place_rates(k, &k->closing[e], j->a, j->b, O);
    clv_joint_table[j->kind].rate(j, &k->closing[e], Hd, Dd);
    if (clv_holds_point(j->kind))
        memset(Dd, 0, 18 * sizeof(double));
    if (clv_joint_table[j->kind].nu != 1)
        return;
    const double *H = k->cut_H + 36 * (size_t)e;
    double *Gd = k->cut_Gd + 6 * (size_t)e, size = clv_dot6(H, H); /* constant */
    for (int i = 0; i < 6; i++)
        Gd[i] = Hd[i] / size;
    if (edge->motion >= 0)
        memcpy(Dd + 6 * (edge->m - 1), Gd, 6 * sizeof(double));
}

void clv_kinematics_closing_rates(clv_kinematics *k)
{
    clv_closing_packs_rates(k);
    if (!clv_closings_packed(k))
        clv_team_run_each(k->engine->team, k->plan->nedge, CLV_EDGE_RUN, closing_rate, k);
}
