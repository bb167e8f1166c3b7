/* SPDX-License-Identifier: Apache-2.0
 * Small pieces of kinematics that its three files share: frames and points on bodies, velocities of points (T3). */
#ifndef CLV_KINEMATICS_PLACE_H
#define CLV_KINEMATICS_PLACE_H
#include <string.h>
#include "kinematics/kinematics.h"
#include "math/rotation.h"
#include "model/keep.h"

/* the joint of a body's inboard tree joint; an implicit free joint has frames along the axes */
static inline const clv_joint *clv_tree_joint_of(const clv_plan *p, int body)
{
    static const clv_joint free_joint = {.kind = CLV_JOINT_FREE,
                                         .more = &clv_joint_plain,
                                         .Ea = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                         .Eb = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    int j = p->tree[body].joint;
    return j < 0 ? &free_joint : &p->model->joint[j];
}

/* the inboard joint of a body, but for velocities: its frame on the parent follows from the parent's pose */
static inline void clv_place_of(const clv_kinematics *k, int body, clv_joint_place *at)
{
    const clv_tree_joint *t = &k->plan->tree[body];
    const clv_joint *j = clv_tree_joint_of(k->plan, body);
    const double *on_parent = t->reversed ? j->Eb : j->Ea;
    double *Ep = t->reversed ? at->Eb : at->Ea, *Ec = t->reversed ? at->Ea : at->Eb;
    if (t->parent < 0)
        memcpy(Ep, on_parent, 9 * sizeof(double));
    else
        clv_mat3_product(Ep, k->R + 9 * (size_t)t->parent, on_parent);
    memcpy(Ec, k->place[body].child, 9 * sizeof(double));
    clv_copy3(at->d, k->place[body].d);
}

/* Does a closing of this kind hold a point of a to a point of b?  Its three forces are then taken along the global
 * axes, and act on each body at its own point.  The row is the exact rate of the violation also while the loop is not
 * quite closed (inside a step).  Neither body is preferred: a mechanism and its mirror image are integrated alike
 * (T3). */
static inline bool clv_holds_point(clv_joint_kind kind)
{
    return kind == CLV_JOINT_FIXED || kind == CLV_JOINT_REVOLUTE || kind == CLV_JOINT_UNIVERSAL ||
           kind == CLV_JOINT_SPHERICAL || kind == CLV_JOINT_POINT;
}

/* a frame given in body axes (ground: as it is), global */
static inline void clv_frame_on(const clv_kinematics *k, int body, const double *E, const double *point, double *Eg,
                                double *Og)
{
    if (body < 0) {
        memcpy(Eg, E, 9 * sizeof(double)), memcpy(Og, point, 3 * sizeof(double));
        return;
    }
    double x[3];
    clv_mat3_product(Eg, k->R + 9 * (size_t)body, E);
    clv_sub3(x, point, k->plan->model->body[body].com);
    clv_mat3_times(Og, k->R + 9 * (size_t)body, x);
    clv_axpy3(Og, 1.0, k->com + 3 * (size_t)body);
}

/* point of b of a closing joint, global */
static inline void clv_closing_point(const clv_kinematics *k, const clv_joint *j, double O[3])
{
    double E[9];
    clv_frame_on(k, j->b, j->Eb, j->pb, E, O);
}

/* where the wrench of a closing acts on a: at its own point if the joint holds one, else at b's */
static inline void clv_closing_point_a(const clv_kinematics *k, const clv_joint *j, int edge, const double Ob[3],
                                       double O[3])
{
    for (int i = 0; i < 3; i++)
        O[i] = Ob[i] - (clv_holds_point(j->kind) ? k->closing[edge].d[i] : 0.0);
}

/* velocity of a point of a body; ground: 0 */
static inline void clv_point_velocity(const clv_kinematics *k, int body, const double O[3], double v[3])
{
    double l[3];
    memset(v, 0, 3 * sizeof(double));
    if (body < 0)
        return;
    const double *V = k->V + 6 * (size_t)body;
    clv_sub3(l, O, k->ref + 3 * (size_t)body);
    clv_cross(v, V + 3, l);
    clv_axpy3(v, 1.0, V);
}

static inline void clv_omega(const clv_kinematics *k, int body, double w[3])
{
    if (body < 0)
        memset(w, 0, 3 * sizeof(double));
    else
        memcpy(w, k->V + 6 * (size_t)body + 3, 3 * sizeof(double));
}

/* The pair of wrenches +-G of a joint with one degree of freedom, on b and a at O, a point of b.  These are a tree
 * joint's child and parent, or the bodies of a closing joint.  Its row is the joint's rate. */
typedef struct clv_pair {
    int b, a, edge;  /* bodies or ground; edge of a closing joint or -1 */
    double O[3], G[6];
} clv_pair;

static inline clv_pair clv_joint_pair(const clv_kinematics *k, int joint)
{
    const clv_plan *p = k->plan;
    const clv_joint *j = &p->model->joint[joint];
    clv_pair pair = {.b = p->child_of_joint[joint], .edge = p->edge_of_joint[joint]};
    if (pair.b >= 0) {
        pair.a = p->tree[pair.b].parent;
        clv_copy3(pair.O, k->ref + 3 * (size_t)pair.b);
        memcpy(pair.G, k->G + clv_columns(p, (size_t)pair.b), sizeof pair.G);
    } else {
        pair.b = j->b, pair.a = j->a;
        clv_closing_point(k, j, pair.O);
        clv_joint_dual(j, k->cut_H + 36 * (size_t)pair.edge, pair.G);
    }
    return pair;
}

/* derivative of G along its carrier; directions' rates must be there */
static inline void clv_pair_rate(const clv_kinematics *k, const clv_pair *pair, double Gd[6])
{
    if (pair->edge >= 0) {
        memcpy(Gd, k->cut_Gd + 6 * (size_t)pair->edge, 6 * sizeof(double));
        return;
    }
    size_t h = clv_columns(k->plan, (size_t)pair->b);
    double size = clv_dot6(k->H + h, k->H + h); /* one degree of freedom: |H| is constant */
    for (int i = 0; i < 6; i++)
        Gd[i] = k->Hd[h + (size_t)i] / size;
}

/* directions given at b's point rewritten for a child that is a: negative, at a's point */
static inline void clv_reverse_motion(double *H, int n, const double d[3])
{
    for (int c = 0; c < n; c++) {
        double x[3];
        clv_cross(x, H + 6 * c + 3, d); /* at a's point: h - h_a x d */
        for (int i = 0; i < 3; i++)
            H[6 * c + i] = -(H[6 * c + i] - x[i]), H[6 * c + 3 + i] = -H[6 * c + 3 + i];
    }
}

#endif
