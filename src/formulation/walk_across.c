/* SPDX-License-Identifier: Apache-2.0
 * Walks of a divided mechanism (T80): what they hand to other segments, and take from them: motions and wrenches where
 * segments meet, once an evaluation.  A walk that fails before still takes part in that step, so that all who share the
 * mechanism fail together; one that fails later gives rates that are not finite.  Once a step, roots are moved to the
 * handles that hold them (T80.6). */
#include <string.h>
#include "formulation/armature.h"
#include "formulation/walk_steps.h"
#include "kinematics/row_ports.h"
#include "math/rotation.h"
#include "math/spatial.h"

void clv_across_layout(clv_system *s, const clv_plan *p, clv_arena *a)
{
    CLV_TAKE(a, s->beside, p->nsegment), CLV_TAKE(a, s->root_move, p->nsegment), CLV_TAKE(a, s->ports, p->nsegment);
    CLV_TAKE(a, s->ends, p->nsegment), CLV_TAKE(a, s->segment_sum, CLV_ACROSS_SUMS * p->nsegment);
    CLV_TAKE(a, s->segment_mass, p->nsegment), CLV_TAKE(a, s->part, p->ported ? p->nsegment : 0);
    for (int i = 0; p->ported && i < p->nsegment; i++) {
        clv_segment_part counting;
        clv_rows_part_layout(a->base ? &s->part[i] : &counting, &p->segment[i], a);
    }
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

bool clv_walk_settle(clv_system *s, double t, double *q, double *u)
{
    const clv_plan *p = s->plan;
    const bool here = finite(q, p->nq) && (!u || finite(u, p->nu));
    s->held = 0, s->kin.time = t;
    clv_walk_pose_strands(s, q, u);
    s->rows.posed = -1; /* where strands start is not known */
    for (int i = 0; i < p->nsegment; i++) {
        clv_segment_move start;
        own_start(s, i, q, u, &start);
        clv_rows_segment_move(&s->rows, i, u != NULL, &start, &s->beside[i]);
    }
    const bool good = s->across->place(s->across->owner, here, s->beside, s->root_move);
    for (int i = 0; i < p->nsegment && good; i++)
        if (held(&p->segment[i]))
            put_root(s, &p->segment[i], &s->root_move[i], q, u);
    return good;
}

void clv_walk_check_segments(clv_system *s, const double *q, const double *u)
{
    s->good = s->good && finite(q, s->plan->nq) && (!u || finite(u, s->plan->nu));
}

bool clv_walk_join_segments(clv_system *s, bool good, bool moving)
{
    const clv_plan *p = s->plan;
    for (int i = 0; i < p->nsegment; i++)
        clv_rows_segment_ports(&s->rows, &s->kin, i, moving, &s->ports[i]);
    if (s->close) {
        clv_segment_hold *hold = &s->ports[p->nsegment - 1].hold;
        clv_segment_close_place(s->close, &s->kin, hold);
        clv_segment_close_target(s->close, &s->kin, moving ? CLV_SEGMENT_ACCELERATIONS : s->target, hold);
        hold->rank = s->engine.rank;
    }
    good = good && s->good && s->late.code == CLV_OK;
    s->joined = s->across->join(s->across->owner, good, s->ports, s->ends);
    s->elsewhere = good && !s->joined;
    s->truncated = s->ends[0].truncated;
    for (int i = 0; i < p->nsegment; i++)
        clv_rows_segment_ends(&s->rows, i, &s->ends[i]);
    return s->joined;
}

void clv_walk_segment_loads(clv_system *s)
{
    const int last = s->plan->nsegment - 1;
    double Q[6];
    clv_rows_segment_pairs(&s->rows, &s->kin, s->close ? last : -1);
    clv_rows_segment_root_momenta(&s->rows, &s->kin, 1.0);
    if (!s->close)
        return;
    clv_segment_close_pair(s->close, &s->kin, s->ends[last].F, Q);
    clv_rows_attach(&s->rows, s->rows.Q, s->close->body, Q);
}

clv_status clv_walk_failed_late(clv_system *s, clv_status st, double *ydot)
{
    if (!s->across || !s->joined)
        return st;
    s->late = *s->error;
    for (int i = 0; i <= s->plan->nq + s->plan->nu; i++)
        ydot[i] = NAN;
    return CLV_OK;
}

void clv_walk_segment_energies(clv_system *s, double *each)
{
    double kinetic, potential, squares;
    clv_walk_give_rates(s);
    clv_rows_energy(&s->rows, s->velocities_known, s->model->gravity, &kinetic, &potential, &squares);
    clv_rows_segment_energies(&s->rows, s->model->gravity, each);
    clv_armature_segments(s, s->u, 3, each);
    if (s->model->nforce > 0)
        each[1] += clv_potential_given(&s->loads);
}

/* du (nu): what moves the rows of the closing joint to `target`, with the factor at hand */
static bool correct(clv_system *s, clv_segment_target target, bool good, double *du)
{
    clv_rows *w = &s->rows;
    s->target = target;
    good = clv_walk_join_segments(s, good, false);
    s->target = CLV_SEGMENT_VELOCITIES;
    if (!good)
        return false;
    clv_rows_unfold(w, &s->kin, NULL, du);
    clv_rows_descend(w, false);
    clv_rows_outer(w, &s->kin, NULL, s->x, du);
    clv_rows_give_rates(w, w->rates, du);
    return true;
}

bool clv_walk_close_segments(clv_system *s, double t, const double *q, const double *u, double *du, double *dv)
{
    clv_rows *w = &s->rows;
    clv_walk_begin(s);
    clv_walk_start(s, t, q, u);
    clv_rows_clear(w), clv_rows_know_nothing(w);
    memset(s->ud, 0, (size_t)s->plan->nu * sizeof(double));
    const bool good = clv_walk_factor(s, s->ud, false) && clv_rows_fold(w, &s->kin, s->ud, NULL, false);
    return correct(s, CLV_SEGMENT_GAP, good, du) && (!u || correct(s, CLV_SEGMENT_SPEED, true, dv));
}
