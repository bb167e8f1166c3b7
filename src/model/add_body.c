/* SPDX-License-Identifier: Apache-2.0
 * Bodies and joints added to a model; see add.h. */
#include "model/add.h"
#include "math/rotation.h"
#include "model/curve.h"
#include "model/describe.h"
#include "model/hull.h"
#include "model/joint.h"
#include "model/keep.h"
#include "model/shape.h"

/* ------------------------------------------------------------------ bodies */

/* Index of the user's branch of that name, added if new; -1 when out of memory. */
static int branch_index(clv_model *m, const char *name)
{
    clv_adding item = {m, CLV_NAME_BRANCH, name, CLV_OK};
    int k = clv_names_find(m->names, CLV_NAME_BRANCH, name);
    if (k >= 0)
        return k;
    if (!CLV_ADD_ROOM(m, CLV_NAME_BRANCH, m->branch, m->nbranch))
        return -1;
    m->branch[m->nbranch] = clv_add_name(&item, m->nbranch);
    return m->branch[m->nbranch] ? m->nbranch++ : -1;
}

static void check_body(clv_adding *item, const clv_body_desc *d, double e[4])
{
    clv_add_finite(item, "mass", &d->mass, 1);
    clv_add_finite(item, "com", d->com, 3);
    clv_add_finite(item, "inertia", d->inertia, 6);
    if (d->placed) {
        clv_add_finite(item, "position", d->position, 3);
        clv_add_quaternion(item, "orientation", e, d->orientation);
    }
    if (d->moving) {
        clv_add_finite(item, "velocity", d->velocity, 3);
        clv_add_finite(item, "angular_velocity", d->angular_velocity, 3);
    }
    clv_add_shape(item, &d->shape);
}

/* Shape and start velocity; false: out of memory. */
static bool keep_body(clv_model *m, clv_body *b, const clv_body_desc *d, const clv_shape *shape)
{
    double V[6];
    clv_copy3(V, d->velocity), clv_copy3(V + 3, d->angular_velocity);
    if (d->moving && !(b->moving = clv_keep_numbers(m, V, 6)))
        return false;
    return clv_keep_shape(m, b, shape);
}

clv_status clv_model_add_body(clv_model *m, int *index, const clv_body_desc *d)
{
    bool described = d && d->cookie == CLV_COOKIE_BODY;
    clv_adding item = clv_add_begin(m, CLV_NAME_BODY, described ? d->name : NULL, described);
    if (!described)
        return item.status;
    double e[4] = {1, 0, 0, 0};
    int branch = -1;
    if (item.status == CLV_OK)
        check_body(&item, d, e);
    if (item.status != CLV_OK)
        return item.status;
    if (d->branch && *d->branch && (branch = branch_index(m, d->branch)) < 0)
        return clv_add_out_of_memory(&item);
    if (!CLV_ADD_ROOM(m, CLV_NAME_BODY, m->body, m->nbody))
        return clv_add_out_of_memory(&item);
    clv_shape shape = d->shape;
    clv_hull *hull = clv_add_hull(&item, &shape);
    if (item.status != CLV_OK)
        return item.status;
    clv_body *b = &m->body[m->nbody];
    *b = (clv_body){.mass = d->mass, .placed = d->placed, .branch = branch, .hull = hull, .flex = -1, .node = -1};
    clv_copy3(b->com, d->com);
    memcpy(b->J, d->inertia, sizeof b->J);
    memcpy(b->e, e, sizeof e);
    if (d->placed)
        clv_copy3(b->r, d->position);
    if (!keep_body(m, b, d, &shape) || !(b->name = clv_add_name(&item, m->nbody))) {
        clv_hull_free(hull);
        return clv_add_out_of_memory(&item);
    }
    return clv_add_done(index, &m->nbody);
}

/* ------------------------------------------------------------------ joints */

/* Points of a curve that can be a spline over its chords. */
static void check_curve(clv_adding *item, const clv_joint_desc *d)
{
    const int least = d->curve_closed ? 3 : 2, n = d->ncurve;
    if (d->kind != CLV_JOINT_POINT_ON_CURVE) {
        if (n != 0 || d->curve_closed)
            clv_add_refuse(item, CLV_ERR_MODEL, "curve", "only a point-on-curve has a curve", n);
        return;
    }
    if (n < least || n > 100000 || !d->curve) {
        clv_add_refuse(item, CLV_ERR_MODEL, "curve", "a curve has 2 to 100000 points, a closed one 3 at least", n);
        return;
    }
    for (int i = 0; i < n; i++)
        clv_add_finite(item, "curve", d->curve + 3 * (size_t)i, 3);
    for (int i = 0; item->status == CLV_OK && i < n - !d->curve_closed; i++) {
        double x[3];
        clv_sub3(x, d->curve + 3 * (size_t)((i + 1) % n), d->curve + 3 * (size_t)i);
        if (!(clv_norm3(x) > 1e-9 * clv_norm3(d->curve + 3 * (size_t)i) && clv_norm3(x) > 0))
            clv_add_refuse(item, CLV_ERR_MODEL, "curve",
                           "neighbouring points of a curve coincide (closed: leave the first out at the end)", i + 1);
    }
}

static void check_joint(clv_adding *item, const clv_joint_desc *d, double ea[4], double eb[4])
{
    const clv_joint_row *row = &clv_joint_table[d->kind];
    clv_add_index(item, "between", d->a, CLV_GROUND, item->m->nbody);
    clv_add_index(item, "between", d->b, CLV_GROUND, item->m->nbody);
    clv_add_finite(item, "pitch", &d->pitch, 1);
    clv_add_finite(item, "distance", &d->distance, 1);
    clv_add_finite(item, "radius", &d->radius, 1);
    check_curve(item, d);
    clv_add_finite(item, "armature", d->armature, 3);
    if (d->global) {
        clv_add_finite(item, "at", d->at, 3);
        clv_add_finite(item, "at_b", d->at_b, 3);
        clv_add_finite(item, "axis", d->axis, 3);
        clv_add_finite(item, "x_axis", d->x_axis, 3);
    } else {
        clv_add_finite(item, "a.position", d->position_a, 3);
        clv_add_finite(item, "b.position", d->position_b, 3);
        clv_add_quaternion(item, "a.orientation", ea, d->orientation_a);
        clv_add_quaternion(item, "b.orientation", eb, d->orientation_b);
    }
    if (d->has_q)
        clv_add_finite(item, "q", d->q, row->nq);
    if (d->has_u)
        clv_add_finite(item, "u", d->u, row->nu);
}

/* Start coordinates; a quaternion among them must be one. */
static void find_start(clv_adding *item, const clv_joint_desc *d, double q[7], double u[6])
{
    int nq = clv_joint_table[d->kind].nq, k = nq - 4;
    clv_joint_zero(d->kind, q);
    memset(u, 0, 6 * sizeof *u);
    if (d->has_q)
        memcpy(q, d->q, (size_t)nq * sizeof *q);
    if (d->has_q && nq > clv_joint_table[d->kind].nu)
        clv_add_quaternion(item, "q", q + k, d->q + k);
    if (d->has_u)
        memcpy(u, d->u, (size_t)clv_joint_table[d->kind].nu * sizeof *u);
}

/* What few joints have, the short form, the start; false: out of memory, and the curve is given back. */
static bool keep_joint(clv_model *m, clv_joint *j, const clv_joint_desc *d, const double q[7], const double u[6])
{
    clv_joint_more more = {.pitch = d->pitch, .distance = d->distance, .radius = d->radius,
                           .alpha = d->alpha, .omega = d->omega, .mu = d->mu};
    memcpy(more.armature, d->armature, sizeof more.armature);
    memcpy(more.baumgarte, d->baumgarte, sizeof more.baumgarte);
    clv_joint_short form;
    clv_copy3(form.at, d->at), clv_copy3(form.at_b, d->at_b);
    clv_copy3(form.axis, d->axis), clv_copy3(form.x_axis, d->x_axis);
    if (d->global && !(j->given = clv_keep_copy(m, &form, sizeof form)))
        return false;
    if (d->ncurve > 0 && !(more.curve = clv_curve_create(d->curve, d->ncurve, d->curve_closed)))
        return false;
    if (clv_keep_start(m, j, q, u) && clv_keep_more(m, j, &more))
        return true;
    clv_curve_free(more.curve);
    return false;
}

clv_status clv_model_add_joint(clv_model *m, int *index, const clv_joint_desc *d)
{
    bool described = d && d->cookie == CLV_COOKIE_JOINT;
    clv_adding item = clv_add_begin(m, CLV_NAME_JOINT, described ? d->name : NULL, described);
    if (!described)
        return item.status;
    double ea[4] = {1, 0, 0, 0}, eb[4] = {1, 0, 0, 0};
    double q[7], u[6];
    if (item.status == CLV_OK && ((int)d->kind < 0 || d->kind >= CLV_JOINT_KINDS))
        clv_add_refuse(&item, CLV_ERR_MODEL, "kind", "unknown kind of joint", d->kind);
    if (item.status == CLV_OK)
        check_joint(&item, d, ea, eb);
    if (item.status == CLV_OK)
        find_start(&item, d, q, u);
    if (item.status != CLV_OK)
        return item.status;
    clv_joint new = {.kind = d->kind, .a = d->a, .b = d->b, .cut = d->cut, .has_q = d->has_q, .has_u = d->has_u};
    if (!d->global)
        clv_copy3(new.pa, d->position_a), clv_copy3(new.pb, d->position_b);
    clv_quat_rotation(new.Ea, ea);
    clv_quat_rotation(new.Eb, eb);
    if (!CLV_ADD_ROOM(m, CLV_NAME_JOINT, m->joint, m->njoint) || !keep_joint(m, &new, d, q, u))
        return clv_add_out_of_memory(&item);
    if (!(new.name = clv_add_name(&item, m->njoint))) {
        clv_curve_free(new.more->curve);
        return clv_add_out_of_memory(&item);
    }
    m->joint[m->njoint] = new;
    return clv_add_done(index, &m->njoint);
}
