/* SPDX-License-Identifier: Apache-2.0
 * From descriptions to numbers, once per model (T1, T7).  The reference pose of every body, joint frames in body axes,
 * and what is taken from the start (distances, offsets of motions and couplings).
 *
 * Reference poses.  Bodies with a given pose keep it.  Then, breadth first from the ground and them, a long-form
 * joint between a posed and an unposed body places the latter with the joint's start coordinates (or the zero pose).
 * Joints without known coordinates wait for those with them, joints the user cuts until nothing else is left.  Bodies
 * that no joint reaches get the identity, and placing continues from there.  First come those of a short-form joint:
 * its position and axis are global, so its author thought of a body frame on the global one.  Then the rest follow, one
 * at a time.  Short forms become frames that coincide in the reference pose, so q = 0 there. */
#include "base/error.h"
#include "base/memory.h"
#include "math/rotation.h"
#include "math/sincos.h"
#include "model/coupling.h"
#include "model/follow.h"
#include "model/joint.h"
#include "model/joint_lists.h"
#include "model/keep.h"
#include "model/model.h"
#include "model/profile.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ poses of frames */

typedef struct pose {
    double r[3], R[9]; /* m, rotation to global */
} pose;

static pose body_pose(const clv_model *m, int body)
{
    pose p = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    if (body != CLV_GROUND) {
        clv_copy3(p.r, m->body[body].r);
        clv_quat_rotation(p.R, m->body[body].e);
    }
    return p;
}

/* The frame (point, E) given in `base`, in global axes. */
static pose frame_in(const pose *base, const double point[3], const double E[9])
{
    pose f;
    clv_mat3_times(f.r, base->R, point);
    clv_axpy3(f.r, 1, base->r);
    clv_mat3_product(f.R, base->R, E);
    return f;
}

/* The base in which the frame (point, E) lies at `f`: inverse of frame_in. */
static pose base_of(const pose *f, const double point[3], const double E[9])
{
    pose base;
    double arm[3];
    clv_mat3_product_transpose(base.R, f->R, E);
    clv_mat3_times(arm, base.R, point);
    clv_sub3(base.r, f->r, arm);
    return base;
}

/* Places body b of a joint from body a, or the other way round. */
static void place_by_joint(clv_model *m, const clv_joint *j, bool b_is_known)
{
    double q[7], R[9], d[3], shift[3];
    int known = b_is_known ? j->b : j->a, other = b_is_known ? j->a : j->b;
    pose base = body_pose(m, known), frame, result;
    clv_joint_zero(j->kind, q);
    const double *start = clv_joint_known(j);
    clv_joint_table[j->kind].pose(j, start ? start : q, R, d);
    if (b_is_known) { /* EA = EB R^T, OA = OB - EA d */
        pose fb = frame_in(&base, j->pb, j->Eb);
        clv_mat3_product_transpose(frame.R, fb.R, R);
        clv_mat3_times(shift, frame.R, d);
        clv_sub3(frame.r, fb.r, shift);
        result = base_of(&frame, j->pa, j->Ea);
    } else { /* EB = EA R, OB = OA + EA d */
        pose fa = frame_in(&base, j->pa, j->Ea);
        clv_mat3_product(frame.R, fa.R, R);
        clv_mat3_times(shift, fa.R, d);
        clv_copy3(frame.r, fa.r);
        clv_axpy3(frame.r, 1, shift);
        result = base_of(&frame, j->pb, j->Eb);
    }
    clv_copy3(m->body[other].r, result.r);
    clv_quat_from_rotation(m->body[other].e, result.R);
}

/* ------------------------------------------------------------------ the order of placing */

/* Node 0 is the ground, node i + 1 body i. */
typedef struct placing {
    clv_model *m;
    clv_joint_lists at;
    char *posed;       /* (nbody + 1) */
    int *queue, *cut;  /* posed nodes in order; cut joints met at posed nodes (each at most twice) */
    int *loose;        /* as cut: joints whose coordinate is not known, where that of any is       */
    int head, tail, cut_head, cut_tail, loose_head, loose_tail;
    bool any_known;
} placing;

static bool open_placing(placing *s, clv_model *m)
{
    size_t nodes = (size_t)m->nbody + 1, joints = (size_t)m->njoint;
    memset(s, 0, sizeof *s);
    s->m = m;
    const bool listed = clv_joint_lists_open(&s->at, m, NULL);
    s->posed = clv_alloc(nodes, 1);
    s->queue = clv_alloc(nodes, sizeof *s->queue);
    s->cut = clv_alloc(2 * joints, sizeof *s->cut);
    s->loose = clv_alloc(2 * joints, sizeof *s->loose);
    for (int k = 0; k < m->njoint; k++)
        s->any_known |= clv_joint_known(&m->joint[k]) != NULL;
    return listed && s->posed && s->queue && s->cut && s->loose;
}

static void close_placing(placing *s)
{
    clv_joint_lists_close(&s->at), clv_free(s->posed), clv_free(s->queue), clv_free(s->cut);
    clv_free(s->loose);
}

static void mark_star(placing *s, int known);

static void mark(placing *s, int node)
{
    if (s->posed[node])
        return;
    s->posed[node] = 1;
    s->queue[s->tail++] = node;
    if (node > 0 && s->m->body[node - 1].flex >= 0)
        mark_star(s, node - 1);
}

/* Frame and nodes of a flexible body have one pose together: that of the body known,
 * at the modal coordinates of the start. */
static void mark_star(placing *s, int known)
{
    clv_model *m = s->m;
    const clv_flex *f = &m->flex[m->body[known].flex];
    double at[3], R[9];
    if (m->body[known].node >= 0 && !s->posed[f->body + 1]) {
        pose node = body_pose(m, known), frame;
        clv_flex_node_pose(f, &f->node[m->body[known].node], f->eta, at, R, NULL);
        frame = base_of(&node, at, R);
        clv_copy3(m->body[f->body].r, frame.r);
        clv_quat_from_rotation(m->body[f->body].e, frame.R);
        mark(s, f->body + 1);
    }
    pose frame = body_pose(m, f->body);
    for (int i = 0; i < f->nnode; i++) {
        int b = f->node[i].body;
        if (s->posed[b + 1])
            continue;
        clv_flex_node_pose(f, &f->node[i], f->eta, at, R, NULL);
        pose node = frame_in(&frame, at, R);
        clv_copy3(m->body[b].r, node.r);
        clv_quat_from_rotation(m->body[b].e, node.R);
        mark(s, b + 1);
    }
}

/* Uses joint k if exactly one of its bodies is posed. */
static void try_joint(placing *s, int k)
{
    const clv_joint *j = &s->m->joint[k];
    bool a = s->posed[j->a + 1], b = s->posed[j->b + 1];
    if (a == b)
        return;
    place_by_joint(s->m, j, b);
    mark(s, (b ? j->a : j->b) + 1);
}

/* Puts the joints of a node just posed to use, or on the list of those that wait. */
static void use_joints(placing *s, int node)
{
    for (int i = s->at.first[node]; i < s->at.first[node + 1]; i++) {
        int k = s->at.joint[i];
        const clv_joint *j = &s->m->joint[k];
        if (j->given || j->absent || !clv_joint_table[j->kind].tree)
            continue;
        if (j->cut == 1)
            s->cut[s->cut_tail++] = k;
        else if (s->any_known && !clv_joint_known(j) && clv_joint_table[j->kind].nq > 0)
            s->loose[s->loose_tail++] = k;
        else
            try_joint(s, k);
    }
}

static void propagate(placing *s)
{
    for (;;)
        if (s->head < s->tail)
            use_joints(s, s->queue[s->head++]);
        else if (s->loose_head < s->loose_tail)
            try_joint(s, s->loose[s->loose_head++]);
        else if (s->cut_head < s->cut_tail)
            try_joint(s, s->cut[s->cut_head++]);
        else
            return;
}

/* The identity pose for an unposed node, then everything that is attached to it.  (A failed finish may have left
 * another pose.) */
static void place_at_origin(placing *s, int node)
{
    if (s->posed[node])
        return;
    clv_body *b = &s->m->body[node - 1];
    memset(b->r, 0, sizeof b->r);
    memcpy(b->e, (double[4]){1, 0, 0, 0}, sizeof b->e);
    mark(s, node);
    propagate(s);
}

static clv_status place_bodies(clv_model *m)
{
    placing s;
    if (!open_placing(&s, m)) {
        close_placing(&s);
        return clv_fail(&m->last, CLV_ERR_MEMORY, "out of memory");
    }
    mark(&s, 0);
    for (int i = 0; i < m->nbody; i++)
        if (m->body[i].placed)
            mark(&s, i + 1);
    propagate(&s);
    for (int k = 0; k < m->njoint; k++)
        if (m->joint[k].given)
            place_at_origin(&s, m->joint[k].a + 1), place_at_origin(&s, m->joint[k].b + 1);
    for (int i = 0; i < m->nbody; i++)
        place_at_origin(&s, i + 1);
    close_placing(&s);
    return CLV_OK;
}

/* ------------------------------------------------------------------ short forms and what comes from the start */

/* Frame (at, E) of the reference pose in body axes. */
static void into_body(const clv_model *m, int body, const double at[3], const double E[9], double point[3],
                      double in_body[9])
{
    pose base = body_pose(m, body);
    double arm[3];
    clv_sub3(arm, at, base.r);
    clv_mat3_transpose_times(point, base.R, arm);
    clv_mat3_transpose_product(in_body, base.R, E);
}

static void resolve_short_form(clv_model *m, clv_joint *j)
{
    double E[9];
    clv_mat3_identity(E);
    if (clv_joint_table[j->kind].tree || j->kind == CLV_JOINT_KNIFE_EDGE)
        clv_rotation_frame(E, j->given->axis, j->given->x_axis); /* validated: axis and x_axis span a plane */
    into_body(m, j->a, j->given->at, E, j->pa, j->Ea);
    into_body(m, j->b, j->kind == CLV_JOINT_DISTANCE ? j->given->at_b : j->given->at, E, j->pb, j->Eb);
}

/* R, d of frame b in frame a, in the reference pose */
static void relative_pose(const clv_model *m, const clv_joint *j, double R[9], double d[3])
{
    pose a = body_pose(m, j->a), b = body_pose(m, j->b);
    pose fa = frame_in(&a, j->pa, j->Ea), fb = frame_in(&b, j->pb, j->Eb);
    double arm[3];
    clv_sub3(arm, fb.r, fa.r);
    clv_mat3_transpose_times(d, fa.R, arm);
    clv_mat3_transpose_product(R, fa.R, fb.R);
}

void clv_joint_start(const clv_model *m, const clv_joint *j, double *q)
{
    double R[9], d[3];
    const double *start = clv_joint_known(j);
    if (start) {
        memcpy(q, start, (size_t)clv_joint_table[j->kind].nq * sizeof *q);
        return;
    }
    relative_pose(m, j, R, d);
    clv_joint_table[j->kind].coordinates(j, R, d, q);
}

/* A length below rounding of the coordinates it comes from is none: its direction would be noise. */
static double sight_length(clv_model *m, const clv_joint *j)
{
    double R[9], d[3], reach = clv_norm3(j->pa) + clv_norm3(j->pb);
    relative_pose(m, j, R, d);
    for (int side = 0; side < 2; side++)
        reach += (side ? j->b : j->a) >= 0 ? clv_norm3(m->body[side ? j->b : j->a].r) : 0;
    const double size = clv_norm3(d);
    reach *= 1e-12;
    if (size > reach)
        return size;
    clv_error *e =
        clv_model_note(m, "joints", j->name, "distance",
                       "distance '%s': its two points coincide in the reference pose, so it has no direction", j->name);
    clv_error_hint(e, j->more->distance == 0
                          ? "use a point or spherical joint for two points that stay together, or give a distance"
                          : "start with the two points apart");
    e->value = size;
    return 0;
}

/* q[second] = ratio q[first] + offset at the start; a motion starts where the joint is. */
static void resolve_offsets(clv_model *m)
{
    double q[7], f[3], s, c;
    for (int i = 0; i < m->nmotion; i++) {
        clv_motion *x = &m->motion[i];
        if (x->table.n > 0) {
            clv_series_prepare(&x->table, x->end_rate);
            x->offset = isnan(x->offset) ? 0 : x->offset; /* unused */
        } else if (isnan(x->offset)) {
            clv_joint_start(m, &m->joint[x->joint], q);
            clv_sincos(x->phase, &s, &c);
            x->offset = q[0] - x->amplitude * s;
        }
    }
    for (int i = 0; i < m->ncoupling; i++) {
        clv_coupling *x = &m->coupling[i];
        if (!isnan(x->offset))
            continue;
        x->offset = 0;
        for (int k = 0; k < x->nterm; k++) {
            clv_joint_start(m, &m->joint[x->term[k].joint], q);
            clv_coupling_term_at(x, k, q[0], f);
            x->offset = k == 0 ? f[0] : x->offset + f[0];
        }
    }
}

/* Reference poses with the coordinates that follow by couplings: from given ones, then from those of the poses. */
static clv_status place_followers(clv_model *m)
{
    bool any = false;
    clv_status status = CLV_OK;
    for (int i = 0; i < m->ncoupling && status == CLV_OK; i++)
        status = clv_coupling_prepare(&m->coupling[i]) ? CLV_OK : CLV_ERR_MEMORY;
    if (status == CLV_OK && m->ncoupling > 0)
        status = clv_model_follow(m, false, &any);
    if (status == CLV_OK)
        status = place_bodies(m);
    if (status == CLV_OK && m->ncoupling > 0)
        status = clv_model_follow(m, true, &any);
    if (status == CLV_OK && m->ncoupling > 0 && any)
        status = place_bodies(m);
    return status == CLV_ERR_MEMORY ? clv_fail(&m->last, status, "out of memory") : status;
}

/* A rate beyond that of light, in m/s or rad/s, is a mistake in a time or a unit; a run would never end. */
static void check_motion_speed(clv_model *m, const clv_motion *x)
{
    const double most = 1e9, speed = clv_motion_speed(x);
    if (speed <= most)
        return;
    clv_error *e = clv_model_note(m, "motions", x->name, x->table.n > 0 ? "table" : NULL,
                                  "motion '%s' reaches a rate of %.3g m/s or rad/s, above the limit of %g", x->name,
                                  speed, most);
    clv_error_hint(e, "check times and units: seconds, metres, radians");
    e->value = speed;
}

/* A coordinate or rate given for the start must be what the motion of the joint has there. */
static void check_motion_start(clv_model *m, const clv_motion *x)
{
    const clv_joint *j = &m->joint[x->joint];
    const double *given[2] = {j->has_q ? j->q : NULL, j->has_u ? j->u : NULL};
    double at[3];
    clv_motion_at(x, 0, &at[0], &at[1], &at[2]);
    for (int k = 0; k < 2; k++) {
        if (!given[k] || fabs(given[k][0] - at[k]) <= 1e-9 * fmax(1, fabs(at[k])))
            continue;
        clv_error *e = clv_model_note(m, "start.joints", j->name, k ? "u" : "q",
                                      "joint '%s' starts with %s %.9g, but its motion '%s' starts with %.9g", j->name,
                                      k ? "rate" : "coordinate", given[k][0], x->name, at[k]);
        clv_error_hint(e, k || x->table.n > 0
                              ? "a motion prescribes coordinate and rate: leave this out, or change the motion"
                              : "leave out the offset of the motion, and it starts there; or leave this out");
        e->value = given[k][0] - at[k];
    }
}

/* A disc that lies flat has no lowest point. */
static void check_upright(clv_model *m, const clv_joint *j)
{
    double R[9], d[3];
    if (j->kind != CLV_JOINT_ROLLING_DISC)
        return;
    relative_pose(m, j, R, d);
    if (R[2] * R[2] + R[5] * R[5] > 1e-16) /* z of b, across z of a */
        return;
    clv_error *e = clv_model_note(m, "joints", j->name, "b",
                                  "joint '%s': its disc lies flat on the plane in the reference pose, so it has no "
                                  "lowest point", j->name);
    clv_error_hint(e, "turn its frame: z is the axis of the disc, across the normal of the plane");
}

/* The distance of a constraint that gives none; false: out of memory. */
static bool measure_distance(clv_model *m, clv_joint *j)
{
    if (j->kind != CLV_JOINT_DISTANCE || j->more->distance != 0)
        return true;
    clv_joint_more more = *j->more;
    more.distance = sight_length(m, j);
    return clv_keep_more(m, j, &more);
}

/* Nothing the user gave is overwritten before the model is known to be right: finish may be called again. */
clv_status clv_model_resolve(clv_model *m)
{
    clv_status status = place_followers(m);
    if (status != CLV_OK)
        return status;
    for (int k = 0; k < m->njoint; k++) {
        if (m->joint[k].given)
            resolve_short_form(m, &m->joint[k]);
        if (m->joint[k].kind == CLV_JOINT_DISTANCE)
            sight_length(m, &m->joint[k]);
        check_upright(m, &m->joint[k]);
    }
    if (m->nerror + m->error_more > 0)
        return CLV_ERR_MODEL;
    for (int k = 0; k < m->njoint; k++)
        if (!measure_distance(m, &m->joint[k]))
            return clv_fail(&m->last, CLV_ERR_MEMORY, "out of memory");
    resolve_offsets(m);
    for (int k = 0; k < m->nmotion; k++) {
        check_motion_speed(m, &m->motion[k]);
        check_motion_start(m, &m->motion[k]);
    }
    return m->nerror + m->error_more > 0 ? CLV_ERR_MODEL : CLV_OK;
}
