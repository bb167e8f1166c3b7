/* SPDX-License-Identifier: Apache-2.0
 * Bodies and joints added to a model; see add.h. */
#include "model/add.h"
#include "math/rotation.h"
#include "model/curve.h"
#include "model/describe.h"
#include "model/hull.h"
#include "model/joint.h"
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
    *b = (clv_body){.name = clv_add_name(&item, m->nbody),
                    .mass = d->mass,
                    .placed = d->placed,
                    .moving = d->moving,
                    .branch = branch,
                    .shape = shape,
                    .hull = hull,
                    .flex = -1,
                    .node = -1};
    if (!b->name) {
        clv_hull_free(hull);
        return clv_add_out_of_memory(&item);
    }
    clv_copy3(b->com, d->com);
    memcpy(b->J, d->inertia, sizeof b->J);
    memcpy(b->e, e, sizeof e);
    if (d->placed)
        clv_copy3(b->r, d->position);
    if (d->moving)
        clv_copy3(b->v, d->velocity), clv_copy3(b->w, d->angular_velocity);
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
static void copy_start(clv_adding *item, clv_joint *j, const clv_joint_desc *d)
{
    int nq = clv_joint_table[d->kind].nq, k = nq - 4;
    clv_joint_zero(d->kind, j->q);
    j->has_q = d->has_q;
    j->has_u = d->has_u;
    if (d->has_q)
        memcpy(j->q, d->q, (size_t)nq * sizeof *j->q);
    if (d->has_q && nq > clv_joint_table[d->kind].nu)
        clv_add_quaternion(item, "q", j->q + k, d->q + k);
    if (d->has_u)
        memcpy(j->u, d->u, (size_t)clv_joint_table[d->kind].nu * sizeof *j->u);
}

clv_status clv_model_add_joint(clv_model *m, int *index, const clv_joint_desc *d)
{
    bool described = d && d->cookie == CLV_COOKIE_JOINT;
    clv_adding item = clv_add_begin(m, CLV_NAME_JOINT, described ? d->name : NULL, described);
    if (!described)
        return item.status;
    double ea[4] = {1, 0, 0, 0}, eb[4] = {1, 0, 0, 0};
    clv_joint new = {0};
    if (item.status == CLV_OK && ((int)d->kind < 0 || d->kind >= CLV_JOINT_KINDS))
        clv_add_refuse(&item, CLV_ERR_MODEL, "kind", "unknown kind of joint", d->kind);
    if (item.status == CLV_OK)
        check_joint(&item, d, ea, eb);
    if (item.status == CLV_OK)
        copy_start(&item, &new, d);
    if (item.status != CLV_OK)
        return item.status;
    if (d->ncurve > 0 && !(new.curve = clv_curve_create(d->curve, d->ncurve, d->curve_closed)))
        return clv_add_out_of_memory(&item);
    if (!CLV_ADD_ROOM(m, CLV_NAME_JOINT, m->joint, m->njoint) || !(new.name = clv_add_name(&item, m->njoint))) {
        clv_curve_free(new.curve);
        return clv_add_out_of_memory(&item);
    }
    new.kind = d->kind;
    new.a = d->a, new.b = d->b;
    new.global = d->global;
    clv_copy3(new.at, d->at), clv_copy3(new.at_b, d->at_b);
    clv_copy3(new.axis, d->axis), clv_copy3(new.x_axis, d->x_axis);
    if (!d->global)
        clv_copy3(new.pa, d->position_a), clv_copy3(new.pb, d->position_b);
    clv_quat_rotation(new.Ea, ea);
    clv_quat_rotation(new.Eb, eb);
    new.pitch = d->pitch;
    new.distance = d->distance;
    new.radius = d->radius;
    memcpy(new.armature, d->armature, sizeof new.armature);
    new.cut = d->cut;
    memcpy(new.baumgarte, d->baumgarte, sizeof new.baumgarte);
    new.alpha = d->alpha, new.omega = d->omega, new.mu = d->mu;
    m->joint[m->njoint] = new;
    return clv_add_done(index, &m->njoint);
}
