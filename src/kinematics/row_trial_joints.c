/* SPDX-License-Identifier: Apache-2.0
 * Joints between bodies with coordinates of their own, one by one: those that are not revolute (row_trials.h).
 *
 * The coordinates of a joint are measured, and the body is compared with where they would put it.  A joint of several
 * rows has its arm in the first and its bias in the last, which is the body's; free directions are taken at the body's
 * point. */
#include <math.h>
#include <string.h>
#include "kinematics/place.h"
#include "kinematics/row_joints.h"
#include "kinematics/row_trials.h"
#include "math/sincos.h"
#include "math/spatial.h"

enum { G8 = CLV_GROUP };

void clv_row_trial_show_pose(clv_row_trials *r, int body)
{
    clv_kinematics *k = &r->kin;
    double x[7];
    clv_row_get(clv_row_slot(r->x, 21, r->rows.slot[body]), 7, x);
    clv_row_trials_point(r, body, k->ref + 3 * (size_t)body);
    clv_copy3(k->com + 3 * (size_t)body, x);
    clv_quat_rotation(k->R + 9 * (size_t)body, x + 3);
}

/* the coordinates of an inboard joint, into posed_q (nq) of the rows; angles near those before */
static void measure(clv_row_trials *r, int body)
{
    const clv_kinematics *k = &r->kin;
    const clv_tree_joint *t = &k->plan->tree[body];
    const clv_joint *j = clv_tree_joint_of(k->plan, body);
    double Ea[9], Eb[9], Oa[3], Ob[3], d[3], y[3], R[9], *q = r->rows.posed_q + t->iq;
    const double *near = r->near + 6 * (size_t)r->edge[body];
    if (!clv_joint_table[t->kind].coordinates || t->motion >= 0) /* the motion gives them */
        return;
    clv_frame_on(k, t->reversed ? body : t->parent, j->Ea, j->pa, Ea, Oa);
    clv_frame_on(k, t->reversed ? t->parent : body, j->Eb, j->pb, Eb, Ob);
    clv_sub3(y, Ob, Oa);
    clv_mat3_transpose_product(R, Ea, Eb), clv_mat3_transpose_times(d, Ea, y);
    clv_joint_table[t->kind].coordinates(j, R, d, q);
    for (int i = 0; i < t->nq; i++)
        if (clv_joint_angle(t->kind, i))
            q[i] += 2 * CLV_PI * floor((near[i] - q[i]) / (2 * CLV_PI) + 0.5);
}

void clv_row_trial_keep_turn(clv_row_trials *r, int body)
{
    const clv_tree_joint *t = &r->kin.plan->tree[body];
    const double *q = t->motion >= 0 ? clv_kinematics_q(&r->kin, (size_t)body) : r->rows.posed_q + t->iq;
    if (t->nq > 0 && t->nq <= t->nu)
        memcpy(r->near + 6 * (size_t)r->edge[body], q, (size_t)t->nq * sizeof(double));
}

void clv_row_trial_lacking(clv_row_trials *r, int body, double c[6])
{
    clv_kinematics *k = &r->kin;
    double R[9], ref[3], com[3], *now = k->R + 9 * (size_t)body, *arm = k->arm + 3 * (size_t)body;
    const int parent = k->plan->tree[body].parent;
    memcpy(R, now, sizeof R), clv_copy3(ref, k->ref + 3 * (size_t)body), clv_copy3(com, k->com + 3 * (size_t)body);
    measure(r, body);
    clv_kinematics_body_pose(k, body, r->rows.posed_q);
    clv_kinematics_body_directions(k, body);
    memset(c, 0, 6 * sizeof(double));
    clv_sub3(c, k->ref + 3 * (size_t)body, ref);
    for (int i = 0; i < 3; i++) {
        double a[3], b[3], x[3];
        clv_mat3_column(a, R, i), clv_mat3_column(b, now, i);
        clv_cross(x, a, b);
        clv_axpy3(c + 3, 0.5, x);
    }
    memcpy(now, R, sizeof R), clv_copy3(k->ref + 3 * (size_t)body, ref), clv_copy3(k->com + 3 * (size_t)body, com);
    clv_copy3(arm, ref);
    if (parent >= 0)
        clv_sub3(arm, ref, k->ref + 3 * (size_t)parent);
}

/* free direction of the i-th row of a joint: column by its coordinate; those of a spherical joint in any order */
static void put_direction(clv_row_trials *r, int body, int i, int slot)
{
    const clv_rows *w = &r->rows;
    const clv_tree_joint *t = &w->plan->tree[body];
    const int column = w->rate[slot] >= 0 ? w->rate[slot] - t->iu : i;
    const double *H = r->kin.H + clv_columns(w->plan, (size_t)body) + 6 * (size_t)column;
    const bool shifts = w->flags[slot / G8] & CLV_ROW_SHIFTS;
    double h[3];
    for (int n = 0; n < 3; n++)
        h[n] = w->alpha[slot] != 0 ? H[3 + n] * (shifts ? w->alpha[slot] : 1.0) : H[n] / w->beta[slot];
    clv_row_put(clv_row_slot(w->h, 3, slot), 3, h);
}

static void raise(clv_row_trials *r, int body, int what, double x)
{
    double *most = clv_row_trials_lane(r, r->rows.strand_of[body], what);
    *most = fmax(*most, fabs(x));
}

void clv_row_trial_places(clv_row_trials *r, int group)
{
    const clv_rows *w = &r->rows;
    const clv_plan *p = w->plan;
    for (int i = r->other_first[group]; i < r->other_first[group + 1]; i++) {
        clv_row_trial_show_pose(r, r->other[i]);
        if (p->tree[r->other[i]].parent >= 0)
            clv_row_trial_show_pose(r, p->tree[r->other[i]].parent);
    }
    for (int i = r->other_first[group]; i < r->other_first[group + 1]; i++) {
        const int body = r->other[i], n = clv_row_count(p, body), slot = w->slot[body], first = slot - (n - 1) * G8;
        double c[6];
        clv_row_trial_lacking(r, body, c);
        clv_row_put(clv_row_slot(w->bias, 6, slot), 6, c);
        clv_row_put(clv_row_slot(w->r, 3, first), 3, r->kin.arm + 3 * (size_t)body);
        for (int k = 0; k < n && p->tree[body].nu > 0; k++)
            put_direction(r, body, k, first + k * G8);
        for (int k = 0; k < 6; k++)
            raise(r, body, CLV_TRIAL_GAP, c[k]);
    }
}

/* y = x_B - S^T x_A of the joint points of a body and the one before, V or A of the rows */
static void between(const clv_row_trials *r, double *array, int body, double y[6])
{
    const int parent = r->rows.plan->tree[body].parent;
    double x[6], own[6];
    clv_row_get(clv_row_slot(array, 6, r->rows.slot[body]), 6, own);
    memset(y, 0, 6 * sizeof(double));
    if (parent >= 0) {
        clv_row_get(clv_row_slot(array, 6, r->rows.slot[parent]), 6, x);
        clv_motion_shift(y, r->kin.arm + 3 * (size_t)body, x);
    }
    for (int i = 0; i < 6; i++)
        y[i] = own[i] - y[i];
}

void clv_row_trial_lacking_speed(const clv_row_trials *r, int body, double c[6])
{
    const clv_kinematics *k = &r->kin;
    const double *H = k->H + clv_columns(k->plan, (size_t)body);
    const double u = k->plan->tree[body].motion >= 0 ? *clv_kinematics_u(k, (size_t)body) : 0.0;
    between(r, r->V, body, c);
    for (int i = 0; i < 6; i++)
        c[i] = (u != 0 ? H[i] * u : 0.0) - c[i];
}

void clv_row_trial_lacking_rate(clv_row_trials *r, int body, double c[6])
{
    clv_kinematics *k = &r->kin;
    const clv_tree_joint *t = &k->plan->tree[body];
    double y[6];
    clv_row_get(clv_row_slot(r->V, 6, r->rows.slot[body]), 6, k->V + 6 * (size_t)body);
    if (t->parent >= 0)
        clv_row_get(clv_row_slot(r->V, 6, r->rows.slot[t->parent]), 6, k->V + 6 * (size_t)t->parent);
    between(r, r->V, body, y);
    for (int i = 0; i < t->f; i++)
        clv_kinematics_u(k, (size_t)body)[i] = clv_dot6(k->G + clv_columns(k->plan, (size_t)body) + 6 * (size_t)i, y);
    clv_kinematics_body_rates(k, body);
    clv_kinematics_body_bias(k, body, c);
    between(r, r->A, body, y);
    for (int i = 0; i < 6; i++)
        c[i] -= y[i];
}

void clv_row_trial_speeds(clv_row_trials *r, int group)
{
    for (int i = r->other_first[group]; i < r->other_first[group + 1]; i++) {
        double c[6];
        if (r->kin.plan->tree[r->other[i]].motion < 0)
            continue;
        clv_row_trial_lacking_speed(r, r->other[i], c);
        clv_row_put(clv_row_slot(r->rows.bias, 6, r->rows.slot[r->other[i]]), 6, c);
    }
}

void clv_row_trial_accelerations(clv_row_trials *r, int group)
{
    for (int i = r->other_first[group]; i < r->other_first[group + 1]; i++) {
        double c[6];
        clv_row_trial_lacking_rate(r, r->other[i], c);
        clv_row_put(clv_row_slot(r->rows.bias, 6, r->rows.slot[r->other[i]]), 6, c);
    }
}

/* the part of y that the free directions of a joint do not hold */
static void take_free(const clv_row_trials *r, int body, double y[6])
{
    const size_t at = clv_columns(r->kin.plan, (size_t)body);
    double u[6];
    for (int i = 0; i < r->kin.plan->tree[body].f; i++)
        u[i] = clv_dot6(r->kin.G + at + 6 * (size_t)i, y);
    for (int i = 0; i < r->kin.plan->tree[body].f; i++)
        for (int k = 0; k < 6; k++)
            y[k] -= r->kin.H[at + 6 * (size_t)i + (size_t)k] * u[i];
}

void clv_row_trial_miss(clv_row_trials *r, int body)
{
    double y[6];
    clv_row_trial_lacking_speed(r, body, y), take_free(r, body, y);
    for (int k = 0; k < 6; k++)
        raise(r, body, CLV_TRIAL_GAP_SPEED, y[k]);
    clv_row_trial_lacking_rate(r, body, y), take_free(r, body, y);
    for (int k = 0; k < 6; k++)
        raise(r, body, CLV_TRIAL_GAP_RATE, y[k]);
}

void clv_row_trial_misses(clv_row_trials *r, int group)
{
    for (int i = r->other_first[group]; i < r->other_first[group + 1]; i++)
        clv_row_trial_miss(r, r->other[i]);
}
