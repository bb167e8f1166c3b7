/* SPDX-License-Identifier: Apache-2.0
 * Loads, motions and inputs of the share of a rank (T80): each lies in one segment, or between one and the ground.
 * What acts on a body that is cut acts on its inner half, or on the half that its other end is in. */
#include "base/error.h"
#include "math/rotation.h"
#include "ranks/sharing.h"
#include <string.h>

enum { ENDS = CLV_COUPLING_MOST }; /* points or joints of a tendon at most */

static clv_status between(clv_sharing *k, const char *name)
{
    clv_fail(k->e, CLV_ERR_UNSUPPORTED, "a mechanism on several ranks cannot have loads between bodies of different "
                                        "segments ('%s')", name);
    clv_error_text(k->e->path, sizeof k->e->path, "forces");
    clv_error_hint(k->e, "run it without mpirun; docs/ranks.md lists what ranks support");
    return k->e->code;
}

static int joint_here(const clv_sharing *k, int joint)
{
    return clv_model_find_joint(k->s->model, k->m->joint[joint].name);
}

static clv_table table_of(const clv_series *s) { return (clv_table){.n = s->n, .time = s->time, .value = s->value}; }

/* ------------------------------------------------------------------ loads */

static int segment_of(const clv_sharing *k, const clv_force *f)
{
    clv_share_range r = clv_share_any(k);
    if (f->kind == CLV_FORCE_JOINT)
        return clv_share_joint_segment(k, f->joint);
    if (f->kind != CLV_FORCE_TENDON)
        clv_share_narrow(k, &r, f->a), clv_share_narrow(k, &r, f->b);
    for (int i = 0; i < f->npoint; i++)
        clv_share_narrow(k, &r, f->path[i].body);
    for (int i = 0; i < f->nterm; i++) {
        const clv_joint *j = &k->m->joint[f->term[i].joint];
        clv_share_narrow(k, &r, j->a), clv_share_narrow(k, &r, j->b);
    }
    return clv_share_chosen(r);
}

static clv_status add_force(clv_sharing *k, const clv_force *f, int segment)
{
    clv_force_desc d = clv_force_desc_default(f->kind);
    clv_path_point path[ENDS];
    clv_coupling_term term[ENDS];
    d.name = f->name;
    if (f->kind == CLV_FORCE_JOINT)
        d.joint = joint_here(k, f->joint);
    else if (f->kind != CLV_FORCE_TENDON)
        d.a = clv_share_place(k, f->a, segment), d.b = clv_share_place(k, f->b, segment);
    for (int i = 0; i < f->npoint; i++)
        path[i] = f->path[i], path[i].body = clv_share_place(k, f->path[i].body, segment);
    for (int i = 0; i < f->nterm; i++)
        term[i] = (clv_coupling_term){joint_here(k, f->term[i].joint), f->term[i].factor};
    d.npoint = f->npoint, d.path = path, d.nterm = f->nterm, d.term = term;
    clv_copy3(d.point_a, f->point_a), clv_copy3(d.point_b, f->point_b), clv_copy3(d.vector, f->vector);
    d.in_body = f->in_body, d.coordinate = f->coordinate;
    d.table = table_of(&f->table), d.spring = table_of(&f->spring), d.damper = table_of(&f->damper);
    d.stiffness = f->stiffness, d.damping = f->damping, d.rest = f->rest, d.drive = f->drive, d.limit = f->limit;
    d.friction = f->friction, d.stop = f->stop, d.bushing = f->bushing, d.drag = f->drag;
    return clv_model_add_force(k->s->model, NULL, &d) == CLV_OK ? CLV_OK : clv_share_fail(k);
}

static clv_status add_forces(clv_sharing *k)
{
    clv_status st = CLV_OK;
    for (int i = 0; i < k->m->nforce && st == CLV_OK; i++) {
        const clv_force *f = &k->m->force[i];
        const int segment = segment_of(k, f);
        if (segment < 0)
            return between(k, f->name);
        if (clv_share_here(k, segment))
            st = add_force(k, f, segment);
    }
    return st;
}

/* ------------------------------------------------------------------ motions, inputs */

static clv_status add_motions(clv_sharing *k)
{
    for (int i = 0; i < k->m->nmotion; i++) {
        const clv_motion *f = &k->m->motion[i];
        clv_motion_desc d = clv_motion_desc_default();
        if (!clv_share_here(k, clv_share_joint_segment(k, f->joint)))
            continue;
        d.name = f->name, d.joint = joint_here(k, f->joint), d.offset = f->offset, d.rate = f->rate;
        d.amplitude = f->amplitude, d.frequency = f->frequency, d.phase = f->phase;
        d.table = table_of(&f->table), d.profile = f->table.profile;
        memcpy(d.end_rate, f->end_rate, sizeof d.end_rate);
        if (clv_model_add_motion(k->s->model, NULL, &d) != CLV_OK)
            return clv_share_fail(k);
    }
    return CLV_OK;
}

static bool on_load(const clv_input *x) { return x->kind == CLV_INPUT_TENDON || x->kind == CLV_INPUT_FLUID; }

static int input_segment(const clv_sharing *k, const clv_input *x)
{
    clv_share_range r = clv_share_any(k);
    if (x->kind == CLV_INPUT_JOINT)
        return clv_share_joint_segment(k, x->joint);
    if (x->kind == CLV_INPUT_MOTION)
        return clv_share_joint_segment(k, k->m->motion[x->motion].joint);
    if (on_load(x))
        return segment_of(k, &k->m->force[x->force]);
    clv_share_narrow(k, &r, x->body);
    return clv_share_chosen(r);
}

static int motion_here(const clv_sharing *k, const char *name)
{
    int i = 0;
    while (i < k->s->model->nmotion && strcmp(k->s->model->motion[i].name, name) != 0)
        i++;
    return i;
}

/* They keep the values of the start. */
static clv_status add_inputs(clv_sharing *k)
{
    for (int i = 0; i < k->m->ninput; i++) {
        const clv_input *x = &k->m->input[i];
        clv_input_desc d = clv_input_desc_default(x->kind);
        if (x->kind == CLV_INPUT_NUMBER) /* for functions of the caller */
            continue;
        const int segment = input_segment(k, x);
        if (!clv_share_here(k, segment))
            continue;
        d.name = x->name, d.coordinate = x->coordinate, d.in_body = x->in_body, d.value = x->value;
        if (x->kind == CLV_INPUT_JOINT)
            d.joint = joint_here(k, x->joint);
        else if (x->kind == CLV_INPUT_MOTION)
            d.motion = motion_here(k, k->m->motion[x->motion].name);
        else if (on_load(x))
            d.force = clv_model_find_force(k->s->model, k->m->force[x->force].name);
        else
            d.body = clv_share_place(k, x->body, segment);
        clv_copy3(d.point, x->point), clv_copy3(d.vector, x->vector), memcpy(d.limit, x->limit, sizeof d.limit);
        if (clv_model_add_input(k->s->model, NULL, &d) != CLV_OK)
            return clv_share_fail(k);
    }
    return CLV_OK;
}

clv_status clv_share_loads(clv_sharing *k)
{
    clv_status st = add_forces(k);
    if (st == CLV_OK)
        st = add_motions(k);
    return st == CLV_OK ? add_inputs(k) : st;
}
