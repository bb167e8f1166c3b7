/* SPDX-License-Identifier: Apache-2.0
 * Stages of a step with bodies in rows that have coordinates of their own: poses, forces in joints, solves; see
 * row_trials.h. */
#include <math.h>
#include <string.h>
#include "engine/kernels.h"
#include "kinematics/row_kernels.h"
#include "math/rotation.h"
#include "math/spatial.h"

enum { G8 = CLV_GROUP };

/* ------------------------------------------------------------------ stages */

/* bodies from which strands start: their poses and joint points; their motions and accelerations */
static void origin_places(clv_row_trials *r)
{
    const clv_plan *p = r->rows.plan;
    for (int k = 0; k < p->nstrand; k++) {
        const int body = r->rows.origin[k], slot = body < 0 ? 0 : r->rows.slot[body];
        const size_t g = (size_t)p->strand[k].group, lane = (size_t)p->strand[k].lane;
        double x[7], at[3];
        if (body < 0)
            continue;
        clv_row_get(clv_row_slot(r->x, 21, slot), 7, x);
        clv_row_trials_point(r, body, at);
        clv_row_put(r->origin_x + g * 7 * G8 + lane, 7, x), clv_row_put(r->origin_at + g * 3 * G8 + lane, 3, at);
    }
}

static void origin_motions(clv_row_trials *r)
{
    const clv_plan *p = r->rows.plan;
    for (int k = 0; k < p->nstrand; k++) {
        const int body = r->rows.origin[k], slot = body < 0 ? 0 : r->rows.slot[body];
        const size_t at = (size_t)p->strand[k].group * 6 * G8 + (size_t)p->strand[k].lane;
        double v[6];
        if (body < 0)
            continue;
        clv_row_get(clv_row_slot(r->V, 6, slot), 6, v), clv_row_put(r->origin_V + at, 6, v);
        clv_row_get(clv_row_slot(r->A, 6, slot), 6, v), clv_row_put(r->origin_A + at, 6, v);
    }
}

/* what is done with every group of a trial, on the threads of the team (T44) */
typedef struct stage {
    clv_row_trials *r;
    const clv_row_rule *rule;
    const clv_row_border *border;
    double scale;
    bool first;
} stage;

static void predict_group(void *of, int group)
{
    const stage *s = of;
    s->r->rows.kernels->predict(s->r, group, s->rule, s->border, s->first);
}

void clv_row_trials_predict(clv_row_trials *r, const clv_row_border *from, const clv_row_rule *rule, bool first)
{
    clv_row_trial_stiffen(r, rule->damp, rule->damp > 0 ? rule->scale : 0.0);
    clv_rows_all(&r->rows, predict_group, &(stage){.r = r, .rule = rule, .border = from, .first = first});
}

/* what `place` does with a group */
static void place_group(clv_row_trials *r, int group, double scale, bool last)
{
    r->rows.kernels->place(r, group, scale, last);
    clv_row_trial_places(r, group);
    clv_row_trial_relax(r, group);
}

static void place_trial(void *of, int group)
{
    const stage *s = of;
    place_group(s->r, group, s->scale, false);
}

void clv_row_trials_place(clv_row_trials *r, double scale)
{
    origin_places(r);
    clv_rows_all(&r->rows, place_trial, &(stage){.r = r, .scale = scale});
    clv_row_trial_edge_places(r);
}

void clv_row_trials_point(const clv_row_trials *r, int body, double at[3])
{
    const int slot = r->rows.slot[body];
    double x[7], R[9], l[3];
    clv_row_get(clv_row_slot(r->x, 21, slot), 7, x), clv_row_get(clv_row_slot(r->l, 3, slot), 3, l);
    clv_quat_rotation(R, x + 3);
    clv_mat3_times(at, R, l);
    clv_axpy3(at, 1.0, x);
}

void clv_row_trials_pull(clv_row_trials *r, int body, const double l[3], const double F[3])
{
    const int slot = r->rows.slot[body];
    double *S = clv_row_slot(r->tension, 6, slot), *f = clv_row_slot(r->f, 3, slot);
    for (int i = 0, k = 0; i < 3; i++) {
        f[i * G8] += F[i];
        for (int j = i; j < 3; j++, k++)
            S[k * G8] -= 0.5 * (l[i] * F[j] + l[j] * F[i]);
    }
}

/* force of the joint by which a strand is attached to another: of all that is outboard */
static void hang(clv_row_trials *r, int strand, const double F[3])
{
    const clv_plan *p = r->rows.plan;
    const int body = r->rows.origin[strand];
    double x[3], at[3], l[3];
    clv_row_get(clv_row_slot(r->x, 21, r->rows.slot[body]), 3, x);
    clv_row_trials_point(r, p->bodies[p->strand[strand].first], at);
    clv_sub3(l, at, x);
    clv_row_trials_pull(r, body, l, F);
}

/* Forces in the joints between strands, by the last correction, or by the prediction. */
static void gather_forces(clv_row_trials *r)
{
    const clv_rows *w = &r->rows;
    for (int i = 0; i < w->nrow; i++)
        if (w->attached[i] >= 0)
            memset(r->tension + (size_t)i * 6 * G8, 0, 6 * G8 * sizeof(double));
    clv_row_trial_edge_forces(r);
    for (int n = w->npiece - 1; n >= 0; n--) { /* outermost first: sums of strands, and of those attached to them */
        const int k = w->piece[n], origin = w->origin[k];
        double F[3];
        if (origin < 0 || clv_rows_floats(w, k))
            continue;
        clv_row_get(clv_row_trials_lane(r, k, CLV_TRIAL_FORCE), 3, F);
        hang(r, k, F);
        double *on = clv_row_trials_lane(r, w->strand_of[origin], CLV_TRIAL_FORCE);
        for (int i = 0; i < 3; i++)
            on[i * G8] += F[i];
    }
}

/* ------------------------------------------------------------------ solves
 *
 * Two passes over the groups, with what comes before the way up of a group and after its way down, while its numbers
 * are cached. */

typedef struct step {
    const clv_row_rule *rule;
    double scale;
    bool placed; /* `place` has been made */
    bool again;  /* the matrix is that of the last solve: nodes keep their factor */
} step;

/* strands joined, and solved for their bases and tips */
static bool join(clv_row_trials *r, bool again)
{
    clv_rows *w = &r->rows;
    if (w->looped) {
        if (!again && !clv_rows_show(w))
            return false;
        clv_rows_close(w, r->none, r->c, r->a, r->unknown);
        return true;
    }
    if (!clv_rows_fold(w, &r->kin, r->none, NULL, false))
        return false;
    clv_rows_unfold(w, &r->kin, NULL, r->unknown);
    return true;
}

typedef void on_group(clv_row_trials *r, int group, const step *s);
typedef struct pass {
    clv_row_trials *r;
    const step *s;
    on_group *also; /* before the way up of a group, after its way down */
    bool solved;    /* the way down has been made                       */
} pass;

static void climb_group(void *of, int group)
{
    const pass *x = of;
    x->also(x->r, group, x->s);
    x->r->rows.kernels->up(&x->r->rows, group, true);
}

/* the way up, level by level, as groups fold */
static bool climb(clv_row_trials *r, const step *s, on_group *before)
{
    clv_rows *w = &r->rows;
    pass x = {r, s, before, false};
    for (int level = 0; level < w->nlevel; level++) {
        clv_rows_of_level(w, level, climb_group, &x);
        for (int g = clv_rows_level(w, level); g < clv_rows_level(w, level + 1); g++) {
            while (clv_rows_strengthen(w, g))
                w->kernels->up(w, g, true);
            if (!clv_rows_finish(w, g))
                return false;
        }
    }
    return true;
}

static void descend_group(void *of, int group)
{
    const pass *x = of;
    if (!x->solved)
        clv_rows_descend_group(&x->r->rows, group, true);
    x->also(x->r, group, x->s);
}

/* the way down; inertia that bodies were given beside their own is taken out of the solution */
static bool descend(clv_row_trials *r, const step *s, on_group *after)
{
    clv_rows *w = &r->rows;
    pass x = {r, s, after, r->engine.nextended > 0};
    if (x.solved) {
        clv_rows_descend(w, true);
        clv_rows_take_out(w, &r->kin, true, true, r->unknown);
    }
    for (int level = w->nlevel - 1; level >= 0; level--)
        clv_rows_of_level(w, level, descend_group, &x);
    return !r->engine.stalled;
}

static bool solve(clv_row_trials *r, const step *s, on_group *before, on_group *after)
{
    const bool again = s->again && r->engine.nextended == 0;
    if (!again)
        clv_factor_begin(&r->engine);
    r->engine.stalled = r->engine.loose = false, r->engine.loose_body = -1;
    clv_rows_clear(&r->rows);
    return climb(r, s, before) && join(r, again) && descend(r, s, after);
}

static void tighten(clv_row_trials *r, int group, const step *s)
{
    if (!s->placed)
        place_group(r, group, s->scale, false);
    r->rows.kernels->tighten(r, group, s->scale);
}

static void move(clv_row_trials *r, int group, const step *s) { r->rows.kernels->move(r, group, s->rule); }

bool clv_row_trials_iterate(clv_row_trials *r, const clv_row_rule *rule, bool placed)
{
    const step s = {.rule = rule, .scale = rule->scale, .placed = placed};
    if (!placed)
        origin_places(r), clv_row_trial_edge_places(r);
    gather_forces(r);
    const bool ok = solve(r, &s, tighten, move);
    clv_row_trial_edge_solved(r, rule->scale);
    clv_row_trial_drives(r, rule->scale, false);
    return ok;
}

static void nothing(clv_row_trials *r, int group, const step *s) { (void)r, (void)group, (void)s; }

bool clv_row_trials_close(clv_row_trials *r)
{
    const clv_row_rule still = {.scale = 1};
    const step s = {.rule = &still, .placed = true};
    return solve(r, &s, nothing, move);
}

static void slip(clv_row_trials *r, int group, const step *s)
{
    (void)s;
    r->rows.kernels->slip(r, group);
    clv_row_trial_speeds(r, group);
    clv_row_trial_relax(r, group);
}

static void settle(clv_row_trials *r, int group, const step *s)
{
    (void)s;
    r->rows.kernels->settle(r, group, true);
}

static void press(clv_row_trials *r, int group, const step *s)
{
    (void)s;
    r->rows.kernels->press(r, group);
    clv_row_trial_accelerations(r, group);
    clv_row_trial_relax(r, group);
}

static void correct(clv_row_trials *r, int group, const step *s)
{
    (void)s;
    r->rows.kernels->correct(r, group);
}

static void give_group(void *of, int group)
{
    const stage *s = of;
    s->r->rows.kernels->give(s->r, group, s->rule, s->border, s->first);
    clv_row_trial_misses(s->r, group);
}

void clv_row_trials_give(clv_row_trials *r, const clv_row_border *to, const clv_row_rule *rule, bool first)
{
    origin_motions(r);
    clv_rows_all(&r->rows, give_group, &(stage){.r = r, .rule = rule, .border = to, .first = first});
    clv_row_trial_edge_misses(r);
}

/* accelerations of the rows corrected */
static bool accelerate(clv_row_trials *r, const clv_row_rule *rule, bool again)
{
    const step s = {.rule = rule, .again = again};
    origin_motions(r);
    clv_row_trial_edge_accelerations(r);
    if (!solve(r, &s, press, correct))
        return false;
    clv_row_trial_drives(r, 1.0, true);
    return true;
}

static void place_last(void *of, int group)
{
    const stage *s = of;
    place_group(s->r, group, s->scale, true);
    s->r->rows.kernels->stop(s->r, group);
}

bool clv_row_trials_project(clv_row_trials *r, const clv_row_rule *rule)
{
    const step s = {.rule = rule};
    origin_places(r);
    clv_rows_all(&r->rows, place_last, &(stage){.r = r, .scale = rule->scale});
    clv_row_trial_edge_places(r), clv_row_trial_edge_gaps(r);
    origin_motions(r);
    clv_row_trial_edge_speeds(r);
    return solve(r, &s, slip, settle) && accelerate(r, rule, true);
}

static void stop_group(void *of, int group)
{
    clv_row_trials *r = of;
    r->rows.kernels->stop(r, group);
    r->rows.kernels->settle(r, group, false);
}

bool clv_row_trials_accelerate(clv_row_trials *r, const clv_row_rule *still)
{
    clv_rows_all(&r->rows, stop_group, r);
    memset(r->drive, 0, (size_t)r->rows.plan->model->nmotion * sizeof(double));
    return accelerate(r, still, false);
}

void clv_row_trials_load(clv_row_trials *r, int body, double scale, const double W[6])
{
    const int slot = r->rows.slot[body];
    double l[3], n[3], *b = clv_row_slot(r->rows.b, 6, slot);
    clv_row_get(clv_row_slot(r->arm, 3, slot), 3, l);
    clv_cross(n, W, l); /* from the joint point to the centre of mass: -l */
    for (int i = 0; i < 3; i++)
        b[i * G8] += scale * W[i], b[(3 + i) * G8] += scale * (W[3 + i] + n[i]);
}
