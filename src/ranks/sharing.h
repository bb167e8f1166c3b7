/* SPDX-License-Identifier: Apache-2.0
 * The share of a rank while it is made; for share.c (bodies, joints, markers) and share_loads.c (loads, motions,
 * inputs) alone. */
#ifndef CLV_RANKS_SHARING_H
#define CLV_RANKS_SHARING_H
#include "model/model.h"
#include "ranks/share.h"

typedef struct clv_sharing {
    clv_share *s;
    const clv_cut *cut;
    const clv_model *m;
    int *at;   /* (nbody) its place here, of the inner half, or -1 */
    int *half; /* (nsplit) place of the outer half here, or -1     */
    clv_error *e;
} clv_sharing;

static inline bool clv_share_here(const clv_sharing *k, int segment)
{
    return segment >= k->s->first && segment < k->s->end;
}

/* the place of a body between its segment and the next in `split`; -1: it is not cut */
static inline int clv_share_split(const clv_sharing *k, int body)
{
    const clv_cut *c = k->cut;
    if (body < 0 || c->cut_at)
        return body < 0 ? -1 : c->cut_at[body];
    return c->split[c->segment_of[body]] == body ? c->segment_of[body] : -1;
}
static inline bool clv_share_splits(const clv_sharing *k, int body) { return clv_share_split(k, body) >= 0; }

/* the error of the model that is made */
static inline clv_status clv_share_fail(clv_sharing *k)
{
    *k->e = *clv_model_error(k->s->model);
    return k->e->code;
}

/* the place of a body in a segment: half of it, or all */
static inline int clv_share_place(const clv_sharing *k, int body, int segment)
{
    if (body < 0)
        return CLV_GROUND;
    return k->cut->segment_of[body] == segment ? k->at[body] : k->half[clv_share_split(k, body)];
}

/* Segments that several bodies have a part in: first and last; at first all. */
typedef struct clv_share_range {
    int first, last;
} clv_share_range;
static inline clv_share_range clv_share_any(const clv_sharing *k)
{
    return (clv_share_range){0, k->cut->nsegment - 1};
}
/* Of these, those that another body has a part in, too; the ground is in all. */
static inline void clv_share_narrow(const clv_sharing *k, clv_share_range *r, int body)
{
    if (body < 0)
        return;
    const int first = k->cut->segment_of[body], last = first + (clv_share_splits(k, body) ? 1 : 0);
    r->first = first > r->first ? first : r->first, r->last = last < r->last ? last : r->last;
}
/* The one that is taken: the first; -1: there is none. */
static inline int clv_share_chosen(clv_share_range r) { return r.first <= r.last ? r.first : -1; }

/* the segment of a joint; -1: none */
static inline int clv_share_joint_segment(const clv_sharing *k, int joint)
{
    clv_share_range r = clv_share_any(k);
    clv_share_narrow(k, &r, k->m->joint[joint].a), clv_share_narrow(k, &r, k->m->joint[joint].b);
    return clv_share_chosen(r);
}

/* share_loads.c: loads, motions, inputs here.  Errors: CLV_ERR_UNSUPPORTED: one between two segments. */
clv_status clv_share_loads(clv_sharing *k);

#endif
