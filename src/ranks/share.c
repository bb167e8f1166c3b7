/* SPDX-License-Identifier: Apache-2.0
 * The model of some segments; see share.h.  Bodies come by segment, in each the root first, then as in the mechanism.
 * So the plan of a segment does not depend on which others are there. */
#include "ranks/share.h"
#include <stdio.h>
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "math/rotation.h"
#include "model/joint.h"
#include "model/model.h"

typedef struct making {
    clv_share *s;
    const clv_cut *cut;
    const clv_model *m;
    int *at;   /* (nbody) its place here, of the inner half, or -1 */
    int *half; /* (nsegment) place of the root here, or -1         */
    clv_error *e;
} making;

static bool here(const making *k, int segment) { return segment >= k->s->first && segment < k->s->end; }

/* is the body the one between this segment and the next? */
static bool is_split(const making *k, int body)
{
    return body >= 0 && k->cut->split[k->cut->segment_of[body]] == body;
}

static clv_status fail(making *k)
{
    *k->e = *clv_model_error(k->s->model);
    return k->e->code;
}

/* ------------------------------------------------------------------ bodies */

static clv_status add_body(making *k, int body, int segment, bool root)
{
    clv_share *s = k->s;
    const clv_body *b = &k->m->body[body];
    const double part = is_split(k, body) ? 0.5 : 1.0;
    clv_body_desc d = clv_body_desc_default();
    char name[256];
    int index;
    snprintf(name, sizeof name, "%s (outer half)", b->name);
    d.name = root ? name : b->name;
    d.mass = part * b->mass, d.placed = true;
    for (int i = 0; i < 6; i++)
        d.inertia[i] = part * b->J[i];
    clv_copy3(d.com, b->com), clv_copy3(d.position, b->r);
    memcpy(d.orientation, b->e, sizeof d.orientation);
    d.moving = b->moving;
    clv_copy3(d.velocity, b->v), clv_copy3(d.angular_velocity, b->w);
    if (clv_model_add_body(s->model, &index, &d) != CLV_OK)
        return fail(k);
    memcpy(s->model->body[index].e, b->e, sizeof b->e); /* not normalised again */
    s->segment_of[index] = segment - s->first, s->body[index] = body;
    if (root)
        k->half[segment] = index;
    else
        k->at[body] = index;
    return CLV_OK;
}

/* bodies of the segments here, ordered by segment: list[first[k] ..] */
static void order(const making *k, int *first, int *list)
{
    const int n = k->s->end - k->s->first;
    for (int b = 0; b < k->m->nbody; b++)
        if (here(k, k->cut->segment_of[b]))
            first[k->cut->segment_of[b] - k->s->first + 1]++;
    for (int i = 0; i < n; i++)
        first[i + 1] += first[i];
    for (int b = k->m->nbody - 1; b >= 0; b--)
        if (here(k, k->cut->segment_of[b]))
            list[--first[k->cut->segment_of[b] - k->s->first + 1]] = b;
    for (int i = 0; i < n; i++)
        first[i] = first[i + 1];
    first[n] = 0;
    for (int b = 0; b < k->m->nbody; b++)
        first[n] += here(k, k->cut->segment_of[b]);
}

static clv_status add_bodies(making *k)
{
    clv_share *s = k->s;
    const int n = s->end - s->first;
    int *first = clv_alloc((size_t)n + 1, sizeof *first), *list = clv_alloc((size_t)k->m->nbody + 1, sizeof *list);
    clv_status st = CLV_ERR_MEMORY;
    if (first && list) {
        order(k, first, list);
        const size_t bodies = (size_t)(first[n] + n);
        s->segment_of = clv_alloc(bodies, sizeof(int)), s->body = clv_alloc(bodies, sizeof(int));
        st = s->segment_of && s->body ? CLV_OK : CLV_ERR_MEMORY;
        for (int i = 0; i < n && st == CLV_OK; i++) {
            if (s->first + i > 0)
                st = add_body(k, k->cut->split[s->first + i - 1], s->first + i, true);
            for (int l = first[i]; l < first[i + 1] && st == CLV_OK; l++)
                st = add_body(k, list[l], s->first + i, false);
        }
    }
    clv_free(first), clv_free(list);
    return st;
}

/* the place of a body in a segment: half of it, or all */
static int in_segment(const making *k, int body, int segment)
{
    if (body < 0)
        return CLV_GROUND;
    return k->cut->segment_of[body] == segment ? k->at[body] : k->half[segment];
}

/* the segments that a body is part of: *one and, if it is cut, the next one */
static void segments_of(const making *k, int body, int *one, int *last)
{
    *one = k->cut->segment_of[body], *last = *one + (is_split(k, body) ? 1 : 0);
}

/* a segment that both bodies are part of, of the outermost one; -1: there is none */
static int common(const making *k, int a, int b)
{
    int first[2], last[2];
    if (a < 0 || b < 0)
        return a < 0 && b < 0 ? 0 : k->cut->segment_of[a < 0 ? b : a];
    segments_of(k, a, &first[0], &last[0]), segments_of(k, b, &first[1], &last[1]);
    const int from = first[0] > first[1] ? first[0] : first[1], to = last[0] < last[1] ? last[0] : last[1];
    return from <= to ? from : -1;
}

/* ------------------------------------------------------------------ joints */

static clv_status add_joint(making *k, int joint, int segment)
{
    clv_share *s = k->s;
    const clv_joint *j = &k->m->joint[joint];
    clv_joint_desc d = clv_joint_desc_default(j->kind);
    int index;
    d.name = j->name, d.a = in_segment(k, j->a, segment), d.b = in_segment(k, j->b, segment);
    d.pitch = j->pitch, d.cut = j->cut;
    clv_copy3(d.position_a, j->pa), clv_copy3(d.position_b, j->pb);
    d.has_u = j->has_u;
    memcpy(d.u, j->u, sizeof d.u);
    if (clv_model_add_joint(s->model, &index, &d) != CLV_OK)
        return fail(k);
    clv_joint *to = &s->model->joint[index];
    memcpy(to->Ea, j->Ea, sizeof to->Ea), memcpy(to->Eb, j->Eb, sizeof to->Eb);
    s->joint[index] = joint;
    return CLV_OK;
}

static clv_status add_joints(making *k)
{
    clv_share *s = k->s;
    clv_status st = CLV_OK;
    int n = 0;
    for (int pass = 0; pass < 2 && st == CLV_OK; pass++) {
        for (int j = 0; j < k->m->njoint && st == CLV_OK; j++) {
            const int segment = common(k, k->m->joint[j].a, k->m->joint[j].b);
            if (!here(k, segment))
                continue;
            n += pass == 0;
            st = pass == 0 ? CLV_OK : add_joint(k, j, segment);
        }
        if (pass == 0 && !(s->joint = clv_alloc((size_t)n + 1, sizeof(int))))
            st = CLV_ERR_MEMORY;
    }
    return st;
}

static int joint_here(const clv_share *s, const clv_model *m, int joint)
{
    return clv_model_find_joint(s->model, m->joint[joint].name);
}

/* ------------------------------------------------------------------ loads, motions, markers */

static clv_status add_force(making *k, const clv_force *f, int segment)
{
    clv_force_desc d = clv_force_desc_default(f->kind);
    d.name = f->name, d.a = in_segment(k, f->a, segment), d.b = in_segment(k, f->b, segment);
    if (f->kind == CLV_FORCE_JOINT)
        d.a = d.b = CLV_GROUND, d.joint = joint_here(k->s, k->m, f->joint);
    clv_copy3(d.point_a, f->point_a), clv_copy3(d.point_b, f->point_b), clv_copy3(d.vector, f->vector);
    d.in_body = f->in_body, d.coordinate = f->coordinate;
    d.stiffness = f->stiffness, d.damping = f->damping, d.rest = f->rest, d.drive = f->drive;
    d.friction = f->friction, d.stop = f->stop, d.bushing = f->bushing;
    return clv_model_add_force(k->s->model, NULL, &d) == CLV_OK ? CLV_OK : fail(k);
}

static clv_status between(making *k, const clv_force *f)
{
    clv_fail(k->e, CLV_ERR_UNSUPPORTED, "a mechanism on several ranks cannot have loads between bodies of different "
                                        "segments ('%s')", f->name);
    clv_error_text(k->e->path, sizeof k->e->path, "forces");
    clv_error_hint(k->e, "run it without mpirun; docs/ranks.md lists what ranks take");
    return k->e->code;
}

static clv_status add_forces(making *k)
{
    clv_status st = CLV_OK;
    for (int i = 0; i < k->m->nforce && st == CLV_OK; i++) {
        const clv_force *f = &k->m->force[i];
        const clv_joint *j = f->kind == CLV_FORCE_JOINT ? &k->m->joint[f->joint] : NULL;
        const int segment = j ? common(k, j->a, j->b) : common(k, f->a, f->b);
        if (segment < 0)
            return between(k, f);
        if (here(k, segment))
            st = add_force(k, f, segment);
    }
    return st;
}

static clv_status add_motions(making *k)
{
    for (int i = 0; i < k->m->nmotion; i++) {
        const clv_motion *f = &k->m->motion[i];
        clv_motion_desc d = clv_motion_desc_default();
        const int joint = joint_here(k->s, k->m, f->joint);
        if (joint < 0)
            continue;
        d.name = f->name, d.joint = joint, d.offset = f->offset, d.rate = f->rate;
        d.amplitude = f->amplitude, d.frequency = f->frequency, d.phase = f->phase;
        if (clv_model_add_motion(k->s->model, NULL, &d) != CLV_OK)
            return fail(k);
    }
    return CLV_OK;
}

static clv_status add_markers(making *k)
{
    clv_share *s = k->s;
    int n = 0, index;
    s->marker = clv_alloc((size_t)k->m->nmarker + 1, sizeof(int));
    if (!s->marker)
        return CLV_ERR_MEMORY;
    for (int i = 0; i < k->m->nmarker; i++) {
        const clv_marker *f = &k->m->marker[i];
        clv_marker_desc d = clv_marker_desc_default();
        const int segment = f->body < 0 ? 0 : k->cut->segment_of[f->body];
        if (!here(k, segment))
            continue;
        d.name = f->name, d.body = in_segment(k, f->body, segment);
        clv_copy3(d.position, f->position);
        if (clv_model_add_marker(s->model, &index, &d) != CLV_OK)
            return fail(k);
        s->marker[n++] = i;
    }
    return CLV_OK;
}

/* ------------------------------------------------------------------ all of it */

/* given start coordinates, which poses do not have: whole turns */
static void give_coordinates(making *k)
{
    clv_model *own = k->s->model;
    for (int i = 0; i < own->njoint; i++) {
        const clv_joint *from = &k->m->joint[k->s->joint[i]];
        own->joint[i].has_q = from->has_q;
        memcpy(own->joint[i].q, from->q, sizeof from->q);
    }
}

static void list_segments(making *k)
{
    clv_share *s = k->s;
    for (int i = s->first; i < s->end; i++) {
        clv_plan_segment *g = &s->segment[i - s->first];
        const int handle = k->cut->split[i];
        *g = (clv_plan_segment){.root = i > 0 ? k->half[i] : k->cut->root < 0 ? -1 : k->at[k->cut->root],
                                .handle = handle < 0 ? -1 : k->at[handle], .free = i == 0 && k->cut->root >= 0};
    }
}

static clv_status make(making *k)
{
    clv_share *s = k->s;
    clv_status st = add_bodies(k);
    if (st == CLV_OK)
        st = add_joints(k);
    if (st == CLV_OK)
        st = add_forces(k);
    if (st == CLV_OK)
        st = add_motions(k);
    if (st == CLV_OK)
        st = add_markers(k);
    if (st != CLV_OK)
        return st;
    s->model->lenient = true; /* the mechanism is checked already; halves differ by rounding */
    if (clv_model_finish(s->model) != CLV_OK)
        return fail(k);
    give_coordinates(k);
    list_segments(k);
    return CLV_OK;
}

clv_status clv_share_open(clv_share *s, const clv_cut *cut, const clv_model *m, int first, int end, clv_error *e)
{
    making k = {s, cut, m, clv_alloc((size_t)m->nbody + 1, sizeof(int)),
                clv_alloc((size_t)cut->nsegment, sizeof(int)), e};
    *s = (clv_share){.first = first, .end = end};
    s->segment = clv_alloc((size_t)(end - first), sizeof *s->segment);
    clv_status st = k.at && k.half && s->segment ? clv_model_create(&s->model, m->name) : CLV_ERR_MEMORY;
    for (int b = 0; st == CLV_OK && b < m->nbody; b++)
        k.at[b] = -1;
    for (int i = 0; st == CLV_OK && i < cut->nsegment; i++)
        k.half[i] = -1;
    if (st == CLV_OK)
        st = clv_model_set_gravity(s->model, m->gravity);
    if (st == CLV_OK)
        st = make(&k);
    if (st == CLV_ERR_MEMORY)
        clv_fail(e, st, "out of memory for the share of a rank");
    clv_free(k.at), clv_free(k.half);
    return st;
}

void clv_share_close(clv_share *s)
{
    clv_model_destroy(s->model);
    clv_free(s->segment), clv_free(s->segment_of), clv_free(s->body), clv_free(s->joint), clv_free(s->marker);
    *s = (clv_share){0};
}
