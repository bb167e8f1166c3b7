/* SPDX-License-Identifier: Apache-2.0
 * Rows of closings that a planar part of a mechanism meets by itself (T168); called by carry.c.
 *
 * A body is planar about a global axis if the joints between it and ground move it across that axis and turn it about
 * it, in any position.  Between two such bodies a closing joint holds a force along the axis and moments across it that
 * no joint gives way to.  They are redundant for ever, and their columns are zero: loops need not carry them. */
#include "math/rotation.h"
#include "model/joint.h"
#include "plan/carrying.h"

/* The sine of an angle that counts as none.  Its square is what a row that is left out would add to its compliance, and
 * its product with a contradiction to a motion: both below rounding. */
#define PARALLEL 1e-12

static bool parallel(const double x[3], const double y[3])
{
    double c[3];
    clv_cross(c, x, y);
    return clv_norm3(c) <= PARALLEL;
}

static bool across(const double x[3], const double y[3]) { return fabs(clv_dot3(x, y)) <= PARALLEL; }

/* axis c of a frame */
static void axis_of(double x[3], const double E[9], int c)
{
    for (int i = 0; i < 3; i++)
        x[i] = E[3 * i + c];
}

/* From the normal of a parent, in its frame, to that of the child, by a joint with frames on both; false: the child
 * leaves the plane. */
static bool pass(clv_joint_kind kind, const double *parent, const double *child, const double from[3], double to[3])
{
    double z[3], n[3];
    axis_of(z, parent, 2);
    clv_mat3_transpose_times(n, parent, from);
    clv_mat3_times(to, child, n);
    switch (kind) {
    case CLV_JOINT_FIXED:
        return true;
    case CLV_JOINT_REVOLUTE:
    case CLV_JOINT_PLANAR:
        axis_of(to, child, 2);
        return parallel(z, from);
    case CLV_JOINT_PRISMATIC:
        return across(z, from);
    default:
        return false;
    }
}

/* rows of a closing joint whose bodies have these normals, by bits: force and moments */
static unsigned idle_rows(const clv_joint *j, int axis, const double a[3], const double b[3])
{
    unsigned rows = 1u << axis;
    double x[3];
    if (j->kind == CLV_JOINT_REVOLUTE) {
        axis_of(x, j->Ea, 2);
        const bool on_a = parallel(x, a);
        axis_of(x, j->Eb, 2);
        return on_a && parallel(x, b) ? rows | 1u << 3 | 1u << 4 : 0;
    }
    if (j->kind != CLV_JOINT_FIXED)
        return 0;
    for (int c = 0; c < 3; c++) {
        axis_of(x, j->Eb, c);
        rows |= across(x, b) ? 1u << (3 + c) : 0;
    }
    return rows;
}

/* normals of all bodies about a global axis, in their frames; zero: none */
static void find_normals(const clv_plan *p, int axis, double *normal)
{
    const double ground[3] = {axis == 0, axis == 1, axis == 2};
    for (int i = 0; i < p->nbody; i++) {
        const int b = p->order[i];
        const clv_tree_joint *t = &p->tree[b];
        const double *from = t->parent < 0 ? ground : normal + 3 * (size_t)t->parent;
        double to[3] = {0};
        if (t->joint >= 0 && t->link < 0 && clv_norm3(from) > 0) {
            const clv_joint *j = &p->model->joint[t->joint];
            if (!pass(t->kind, t->reversed ? j->Eb : j->Ea, t->reversed ? j->Ea : j->Eb, from, to))
                to[0] = to[1] = to[2] = 0;
        }
        clv_copy3(normal + 3 * (size_t)b, to);
    }
}

static void mark_edge(clv_plan *p, clv_edge *e, int axis, const double *normal)
{
    const double ground[3] = {axis == 0, axis == 1, axis == 2};
    if (!clv_edge_closes(e) || e->joint < 0 || e->motion >= 0 || e->yields > 0 || e->idle != 0)
        return;
    const clv_joint *j = &p->model->joint[e->joint];
    const double *a = j->a < 0 ? ground : normal + 3 * (size_t)j->a, *b = j->b < 0 ? ground : normal + 3 * (size_t)j->b;
    if (clv_norm3(a) > 0 && clv_norm3(b) > 0)
        e->idle = idle_rows(j, axis, a, b);
}

bool clv_carry_find_idle(clv_plan *p)
{
    double *normal = clv_alloc(3 * (size_t)p->nbody + 1, sizeof *normal);
    for (int axis = 0; normal && axis < 3; axis++) {
        find_normals(p, axis, normal);
        for (int e = 0; e < p->nedge; e++)
            mark_edge(p, &p->edge[e], axis, normal);
    }
    clv_free(normal);
    return normal != NULL;
}
