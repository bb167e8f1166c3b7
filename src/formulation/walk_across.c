/* SPDX-License-Identifier: Apache-2.0
 * Walks of a divided mechanism (T80): what they hand to other segments, and take from them.  Poses first, then motions
 * and wrenches where segments meet, with hdca at last the loads outboard.  A walk that fails here continues to the
 * next of these steps, so that all who share the mechanism fail together. */
#include <string.h>
#include "formulation/walk_steps.h"
#include "math/rotation.h"
#include "math/spatial.h"

void clv_across_layout(clv_system *s, const clv_plan *p, clv_arena *a)
{
    CLV_TAKE(a, s->beside, p->nsegment), CLV_TAKE(a, s->root_move, p->nsegment), CLV_TAKE(a, s->ports, p->nsegment);
    CLV_TAKE(a, s->ends, p->nsegment), CLV_TAKE(a, s->segment_load, p->nsegment);
    CLV_TAKE(a, s->outboard, 6 * p->nsegment);
}

/* the start of a segment whose root is part of the state, or of one on the ground */
static void own_start(clv_system *s, int segment, const double *q, const double *u, clv_segment_move *to)
{
    static const clv_segment_move unit = {.frame = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const clv_plan_segment *g = &s->plan->segment[segment];
    *to = unit;
    if (!g->free)
        return;
    const clv_tree_joint *t = &s->plan->tree[g->root];
    const clv_joint *j = t->joint < 0 ? NULL : &s->model->joint[t->joint];
    double B[9];
    clv_kinematics_body_pose(&s->kin, g->root, q);
    clv_kinematics_body_directions(&s->kin, g->root);
    memcpy(B, s->kin.R + 9 * (size_t)g->root, sizeof B);
    if (j)
        clv_mat3_product(B, s->kin.R + 9 * (size_t)g->root, t->reversed ? j->Ea : j->Eb);
    for (int i = 0; i < 9; i++)
        to->frame[3 * (i % 3) + i / 3] = B[i];
    memcpy(to->frame + 9, s->kin.ref + 3 * (size_t)g->root, 3 * sizeof(double));
    if (!u)
        return;
    clv_kinematics_body_velocity(&s->kin, g->root, u);
    memcpy(to->motion, s->kin.V + 6 * (size_t)g->root, sizeof to->motion);
}

/* coordinates and rates of a root that others hold */
static void put_root(clv_system *s, const clv_plan_segment *g, const clv_segment_move *at, double *q, double *u)
{
    const clv_tree_joint *t = &s->plan->tree[g->root];
    double R[9];
    for (int i = 0; i < 9; i++)
        R[i] = at->frame[3 * (i % 3) + i / 3];
    memcpy(q + t->iq, at->frame + 9, 3 * sizeof(double));
    clv_quat_from_rotation(q + t->iq + 3, R);
    if (!u)
        return;
    clv_kinematics_body_pose(&s->kin, g->root, q);
    clv_kinematics_body_directions(&s->kin, g->root);
    for (int c = 0; c < t->nu; c++)
        u[t->iu + c] = clv_dot6(s->kin.G + clv_columns(s->plan, (size_t)g->root) + 6 * (size_t)c, at->motion);
}

static bool finite(const double *x, int n)
{
    bool all = true;
    for (int i = 0; i < n; i++)
        all = all && isfinite(x[i]);
    return all;
}

static bool held(const clv_plan_segment *g) { return g->root >= 0 && !g->free; }

void clv_walk_place_segments(clv_system *s, const double *q, const double *u)
{
    const clv_plan *p = s->plan;
    s->good = s->good && finite(q, p->nq) && (!u || finite(u, p->nu));
    for (int i = 0; i < p->nsegment; i++) {
        clv_segment_move start;
        own_start(s, i, q, u, &start);
        clv_rows_segment_move(&s->rows, i, u != NULL, &start, &s->beside[i]);
    }
    const bool good = s->across->place(s->across->owner, s->good, s->beside, s->root_move);
    s->elsewhere = s->good && !good;
    for (int i = 0; i < p->nsegment && good; i++)
        if (held(&p->segment[i])) /* its numbers in a state vector are no states: they follow from those of others */
            put_root(s, &p->segment[i], &s->root_move[i], (double *)q, (double *)u);
    s->good = good;
}

bool clv_walk_join_segments(clv_system *s, bool good, bool moving, bool again)
{
    const clv_plan *p = s->plan;
    for (int i = 0; i < p->nsegment; i++) {
        clv_rows_segment_ports(&s->rows, &s->kin, i, moving, &s->ports[i]);
        for (int n = 0; again && n < 6; n++)
            s->ports[i].p[n] -= s->ends[i].W[n];
    }
    const bool all = s->across->join(s->across->owner, good && s->good, s->ports, s->ends);
    s->elsewhere = s->elsewhere || (good && s->good && !all);
    for (int i = 0; i < p->nsegment; i++)
        clv_rows_segment_ends(&s->rows, i, &s->ends[i]);
    return all;
}

bool clv_walk_sum_segments(clv_system *s, bool good)
{
    const clv_plan *p = s->plan;
    for (int i = 0; i < p->nsegment; i++) {
        clv_segment_load *load = &s->segment_load[i];
        const int root = p->segment[i].root;
        clv_rows_segment_load(&s->rows, i, load->Q);
        memset(load->start, 0, sizeof load->start);
        if (root >= 0)
            memcpy(load->start, s->kin.ref + 3 * (size_t)root, sizeof load->start);
    }
    const bool all = s->across->sum(s->across->owner, good, s->segment_load, s->outboard);
    s->elsewhere = s->elsewhere || (good && !all);
    for (int i = 0; i < p->nsegment && all; i++)
        clv_rows_segment_arrive(&s->rows, &s->kin, i, s->outboard + 6 * (size_t)i);
    return all;
}

void clv_walk_rest_segments(const clv_system *s, double *qdot, double *v)
{
    const clv_plan *p = s->plan;
    for (int i = 0; i < p->nsegment; i++) {
        if (!held(&p->segment[i]))
            continue;
        const clv_tree_joint *t = &p->tree[p->segment[i].root];
        if (qdot)
            memset(qdot + t->iq, 0, (size_t)t->nq * sizeof(double));
        memset(v + t->iu, 0, (size_t)t->nu * sizeof(double));
    }
}

void clv_walk_start_segments(clv_system *s, double t, const double *q, const double *u)
{
    s->good = true;
    clv_walk_strands(s, t, q, u);
}

void clv_walk_outboard_momenta(clv_system *s, double *P)
{
    const clv_plan *p = s->plan;
    const clv_kinematics *k = &s->kin;
    memset(s->segment_load, 0, (size_t)p->nsegment * sizeof *s->segment_load);
    memcpy(s->T, P, 6 * (size_t)p->nbody * sizeof *P);
    clv_engine_accumulate(&s->engine, s->T);
    for (int i = 0; i < p->nsegment; i++) {
        const int root = p->segment[i].root;
        if (root < 0)
            continue;
        memcpy(s->segment_load[i].Q, s->T + 6 * (size_t)root, 6 * sizeof(double));
        memcpy(s->segment_load[i].start, k->ref + 3 * (size_t)root, 3 * sizeof(double));
    }
    s->across->sum(s->across->owner, true, s->segment_load, s->outboard);
    for (int i = 0; i < p->nsegment; i++) {
        const int handle = p->segment[i].handle;
        double l[3], W[6];
        if (handle < 0)
            continue;
        clv_sub3(l, k->com + 3 * (size_t)handle, k->ref + 3 * (size_t)handle);
        clv_wrench_shift(W, l, s->outboard + 6 * (size_t)i);
        clv_add6(P + 6 * (size_t)handle, W);
    }
}
