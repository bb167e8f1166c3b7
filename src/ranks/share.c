/* SPDX-License-Identifier: Apache-2.0
 * The model of some segments; see share.h.  Bodies come by segment, in each the root first, then as in the mechanism.
 * So the plan of a segment does not depend on which others are there. */
#include "ranks/sharing.h"
#include <stdio.h>
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "math/rotation.h"
#include "model/curve.h"
#include "model/joint.h"
#include "model/keep.h"
#include "model/model.h"
#include "model/names.h"

/* ------------------------------------------------------------------ bodies */

static clv_status add_body(clv_sharing *k, int body, int segment, bool root)
{
    clv_share *s = k->s;
    const clv_body *b = &k->m->body[body];
    const double part = clv_share_splits(k, body) ? 0.5 : 1.0;
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
    const double *moving = k->cut->rate ? k->cut->rate + 6 * (size_t)body : b->moving;
    d.moving = moving != NULL;
    if (d.moving)
        clv_copy3(d.velocity, moving), clv_copy3(d.angular_velocity, moving + 3);
    if (clv_model_add_body(s->model, &index, &d) != CLV_OK)
        return clv_share_fail(k);
    memcpy(s->model->body[index].e, b->e, sizeof b->e); /* not normalised again */
    s->segment_of[index] = segment - s->first, s->body[index] = body;
    s->half_of[index] = root ? clv_share_split(k, body) : -1;
    if (root)
        k->half[s->half_of[index]] = index;
    else
        k->at[body] = index;
    return CLV_OK;
}

/* places in `split` of the bodies between a segment and the one before */
typedef struct range {
    int first, end;
} range;
static range border_of(const clv_cut *cut, int segment)
{
    range r = {segment - 1, segment};
    if (!cut->border)
        return segment > 0 ? r : (range){0, 0};
    r.first = 0;
    for (int k = 0; k < segment; k++)
        r.first += cut->border[k];
    r.end = r.first + (segment < cut->nsegment ? cut->border[segment] : 0);
    return r;
}

/* bodies of the segments here, ordered by segment: list[first[k] ..] */
static void order(const clv_sharing *k, int *first, int *list)
{
    const int n = k->s->end - k->s->first;
    for (int b = 0; b < k->m->nbody; b++)
        if (clv_share_here(k, k->cut->segment_of[b]))
            first[k->cut->segment_of[b] - k->s->first + 1]++;
    for (int i = 0; i < n; i++)
        first[i + 1] += first[i];
    for (int b = k->m->nbody - 1; b >= 0; b--)
        if (clv_share_here(k, k->cut->segment_of[b]))
            list[--first[k->cut->segment_of[b] - k->s->first + 1]] = b;
    for (int i = 0; i < n; i++)
        first[i] = first[i + 1];
    first[n] = 0;
    for (int b = 0; b < k->m->nbody; b++)
        first[n] += clv_share_here(k, k->cut->segment_of[b]);
}

static clv_status add_bodies(clv_sharing *k)
{
    clv_share *s = k->s;
    const int n = s->end - s->first;
    int *first = clv_alloc((size_t)n + 1, sizeof *first), *list = clv_alloc((size_t)k->m->nbody + 1, sizeof *list);
    clv_status st = CLV_ERR_MEMORY;
    if (first && list) {
        order(k, first, list);
        const size_t bodies = (size_t)first[n] + (size_t)(n * CLV_CUT_MOST);
        s->segment_of = clv_alloc(bodies, sizeof(int)), s->body = clv_alloc(bodies, sizeof(int));
        s->half_of = clv_alloc(bodies, sizeof(int));
        st = s->segment_of && s->body && s->half_of ? CLV_OK : CLV_ERR_MEMORY;
        for (int i = 0; i < n && st == CLV_OK; i++) {
            const range before = border_of(k->cut, s->first + i);
            for (int l = before.first; l < before.end && st == CLV_OK; l++)
                st = add_body(k, k->cut->split[l], s->first + i, true);
            for (int l = first[i]; l < first[i + 1] && st == CLV_OK; l++)
                st = add_body(k, list[l], s->first + i, false);
        }
    }
    clv_free(first), clv_free(list);
    return st;
}

/* ------------------------------------------------------------------ joints */

/* the points of the curve of a joint, if it has one (clv_free them); false: out of memory */
static bool take_curve(const clv_curve *from, clv_joint_desc *d, double **points)
{
    *points = NULL;
    if (!from)
        return true;
    d->ncurve = clv_curve_points(from), d->curve_closed = clv_curve_closed(from);
    *points = clv_alloc((size_t)d->ncurve, 3 * sizeof **points);
    for (int i = 0; *points && i < d->ncurve; i++)
        clv_curve_point(from, i, *points + 3 * (size_t)i);
    d->curve = *points;
    return *points != NULL;
}

static clv_status add_joint(clv_sharing *k, int joint, int segment)
{
    clv_share *s = k->s;
    const clv_joint *j = &k->m->joint[joint];
    clv_joint_desc d = clv_joint_desc_default(j->kind);
    double *points;
    int index;
    d.name = j->name, d.a = clv_share_place(k, j->a, segment), d.b = clv_share_place(k, j->b, segment);
    d.pitch = j->more->pitch, d.distance = j->more->distance, d.cut = j->cut;
    memcpy(d.baumgarte, j->more->baumgarte, sizeof d.baumgarte);
    clv_copy3(d.armature, j->more->armature);
    clv_copy3(d.position_a, j->pa), clv_copy3(d.position_b, j->pb);
    d.has_u = j->has_u;
    memcpy(d.u, j->u, (size_t)clv_joint_table[j->kind].nu * sizeof *d.u);
    if (!take_curve(j->more->curve, &d, &points))
        return CLV_ERR_MEMORY;
    const clv_status st = clv_model_add_joint(s->model, &index, &d);
    clv_free(points);
    if (st != CLV_OK)
        return clv_share_fail(k);
    clv_joint *to = &s->model->joint[index];
    memcpy(to->Ea, j->Ea, sizeof to->Ea), memcpy(to->Eb, j->Eb, sizeof to->Eb);
    s->joint[index] = joint;
    return CLV_OK;
}

static clv_status add_joints(clv_sharing *k)
{
    clv_share *s = k->s;
    clv_status st = CLV_OK;
    int n = 0;
    for (int pass = 0; pass < 2 && st == CLV_OK; pass++) {
        for (int j = 0; j < k->m->njoint && st == CLV_OK; j++) {
            const int segment = clv_share_joint_segment(k, j);
            if (!clv_share_here(k, segment) || j == k->cut->closing)
                continue;
            n += pass == 0;
            st = pass == 0 ? CLV_OK : add_joint(k, j, segment);
        }
        if (pass == 0 && !(s->joint = clv_alloc((size_t)n + 1, sizeof(int))))
            st = CLV_ERR_MEMORY;
    }
    return st;
}

/* ------------------------------------------------------------------ markers */

static clv_status add_markers(clv_sharing *k)
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
        if (!clv_share_here(k, segment))
            continue;
        d.name = f->name, d.body = clv_share_place(k, f->body, segment);
        clv_copy3(d.position, f->position);
        if (clv_model_add_marker(s->model, &index, &d) != CLV_OK)
            return clv_share_fail(k);
        s->marker[n++] = i;
    }
    return CLV_OK;
}

/* ------------------------------------------------------------------ all of it */

/* given start coordinates, which poses do not have: whole turns */
static clv_status give_coordinates(clv_sharing *k)
{
    clv_model *own = k->s->model;
    for (int i = 0; i < own->njoint; i++) {
        const clv_joint *from = &k->m->joint[k->s->joint[i]];
        clv_joint *to = &own->joint[i];
        to->has_q = from->has_q;
        if (to->has_q && !clv_keep_start(own, to, from->q, to->u))
            return CLV_ERR_MEMORY;
    }
    return CLV_OK;
}

/* The joint of the cut outlives the whole model. */
static clv_status keep_closing(clv_sharing *k)
{
    clv_share *s = k->s;
    s->closing = k->m->joint[k->cut->closing], s->closing_body = k->at[k->cut->end];
    s->closing.name = NULL, s->closing.given = NULL;
    return clv_keep_start(s->model, &s->closing, s->closing.q, s->closing.u) &&
                   clv_keep_more(s->model, &s->closing, s->closing.more)
               ? CLV_OK
               : CLV_ERR_MEMORY;
}

/* with loops: those of the border before, outer halves, then those of the border behind */
static clv_status list_ports(clv_sharing *k)
{
    clv_share *s = k->s;
    const clv_cut *cut = k->cut;
    int n = 0;
    s->port = clv_alloc((size_t)2 * CLV_CUT_MOST * (size_t)(s->end - s->first), sizeof *s->port);
    if (!s->port)
        return CLV_ERR_MEMORY;
    for (int i = s->first; i < s->end; i++) {
        clv_plan_segment *g = &s->segment[i - s->first];
        const range before = border_of(cut, i), after = border_of(cut, i + 1);
        *g = (clv_plan_segment){.root = -1, .handle = -1, .ported = true, .port = s->port + n};
        for (int l = before.first; l < before.end; l++)
            s->port[n++] = k->half[l];
        for (int l = after.first; l < after.end; l++)
            s->port[n++] = k->at[cut->split[l]];
        g->nport = (int)(s->port + n - g->port), g->before = before.end - before.first;
    }
    return CLV_OK;
}

static clv_status list_segments(clv_sharing *k)
{
    clv_share *s = k->s;
    if (k->cut->border)
        return list_ports(k);
    for (int i = s->first; i < s->end; i++) {
        clv_plan_segment *g = &s->segment[i - s->first];
        const int handle = k->cut->split[i];
        if (i == k->cut->nsegment - 1 && k->cut->end >= 0 && keep_closing(k) != CLV_OK)
            return CLV_ERR_MEMORY;
        *g = (clv_plan_segment){.root = i > 0 ? k->half[i - 1] : k->cut->root < 0 ? -1 : k->at[k->cut->root],
                                .handle = handle >= 0                      ? k->at[handle]
                                          : i == k->cut->nsegment - 1 ? s->closing_body
                                                                      : -1, .free = i == 0 && k->cut->root >= 0};
    }
    return CLV_OK;
}

static clv_status make(clv_sharing *k)
{
    clv_share *s = k->s;
    clv_status st = add_bodies(k);
    if (st == CLV_OK)
        st = add_joints(k);
    if (st == CLV_OK)
        st = clv_share_loads(k);
    if (st == CLV_OK)
        st = add_markers(k);
    if (st != CLV_OK)
        return st;
    s->model->lenient = true; /* the mechanism is checked already; halves differ by rounding */
    if (clv_model_finish(s->model) != CLV_OK)
        return clv_share_fail(k);
    clv_names_forget(s->model->names, CLV_NAME_BODY), clv_names_forget(s->model->names, CLV_NAME_JOINT);
    st = give_coordinates(k);
    return st == CLV_OK ? list_segments(k) : st;
}

clv_status clv_share_open(clv_share *s, const clv_cut *cut, const clv_model *m, int first, int end, clv_error *e)
{
    clv_sharing k = {s, cut, m, clv_alloc((size_t)m->nbody + 1, sizeof(int)),
                clv_alloc((size_t)cut->nsplit + 1, sizeof(int)), e};
    *s = (clv_share){.first = first, .end = end, .closing_body = -1};
    s->segment = clv_alloc((size_t)(end - first), sizeof *s->segment);
    clv_status st = k.at && k.half && s->segment ? clv_model_create(&s->model, m->name) : CLV_ERR_MEMORY;
    for (int b = 0; st == CLV_OK && b < m->nbody; b++)
        k.at[b] = -1;
    for (int i = 0; st == CLV_OK && i < cut->nsplit; i++)
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
    clv_free(s->half_of), clv_free(s->port);
    clv_free(s->segment), clv_free(s->segment_of), clv_free(s->body), clv_free(s->joint), clv_free(s->marker);
    *s = (clv_share){0};
}
