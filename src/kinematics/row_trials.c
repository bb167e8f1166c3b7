/* SPDX-License-Identifier: Apache-2.0
 * Bodies in rows with coordinates of their own: memory, constants, the way of a solve; see row_trials.h. */
#include <math.h>
#include <string.h>
#include "engine/kernels.h"
#include "kinematics/place.h"
#include "kinematics/row_joints.h"
#include "kinematics/row_kernels.h"
#include "math/sincos.h"
#include "math/spatial.h"

enum { G8 = CLV_GROUP };

void clv_row_trials_layout(clv_row_trials *r, const clv_plan *tree, clv_arena *a)
{
    clv_engine_layout(&r->engine, tree, a);
    clv_kinematics_layout(&r->kin, tree, &r->engine, a);
    clv_rows_layout(&r->rows, tree, &r->engine, a);
    const size_t n = (size_t)r->rows.nrow * G8, g = (size_t)tree->ngroup * G8;
    CLV_TAKE(a, r->other, tree->nbody), CLV_TAKE(a, r->other_first, tree->ngroup + 1);
    CLV_TAKE(a, r->edge, tree->nbody);
    CLV_TAKE(a, r->state, 13 * tree->nbody), CLV_TAKE(a, r->none, tree->nu), CLV_TAKE(a, r->unknown, tree->nu);
    CLV_TAKE(a, r->own, n), CLV_TAKE(a, r->joined, n), CLV_TAKE(a, r->turns, n);
    CLV_TAKE(a, r->l, 3 * n), CLV_TAKE(a, r->J, 6 * n), CLV_TAKE(a, r->axis, 3 * n), CLV_TAKE(a, r->point, 3 * n);
    CLV_TAKE(a, r->axis_before, 3 * n), CLV_TAKE(a, r->x_axis, 3 * n), CLV_TAKE(a, r->x_before, 3 * n);
    CLV_TAKE(a, r->y_before, 3 * n), CLV_TAKE(a, r->cosine, n), CLV_TAKE(a, r->sine, n);
    CLV_TAKE(a, r->given, CLV_TRIAL_GIVEN * n), CLV_TAKE(a, r->x, 21 * n), CLV_TAKE(a, r->before, 7 * n);
    CLV_TAKE(a, r->arm, 3 * n), CLV_TAKE(a, r->at, 3 * n), CLV_TAKE(a, r->V, 6 * n), CLV_TAKE(a, r->A, 6 * n);
    CLV_TAKE(a, r->moved, n), CLV_TAKE(a, r->f, 3 * n), CLV_TAKE(a, r->tension, 6 * n);
    CLV_TAKE(a, r->origin_x, 7 * g), CLV_TAKE(a, r->origin_at, 3 * g);
    CLV_TAKE(a, r->origin_V, 6 * g), CLV_TAKE(a, r->origin_A, 6 * g), CLV_TAKE(a, r->shown, CLV_TRIAL_SHOWN * g);
}

/* ------------------------------------------------------------------ constants */

/* the inboard joint of a body: masks; on the body before its point and axes */
static void joint_constants(clv_row_trials *r, int body)
{
    const clv_plan *p = r->rows.plan;
    const clv_tree_joint *t = &p->tree[body];
    const clv_joint *j = clv_tree_joint_of(p, body);
    const int slot = r->rows.slot[body];
    const double *Ec = t->reversed ? j->Ea : j->Eb, *Ep = t->reversed ? j->Eb : j->Ea;
    double x[3];
    r->joined[slot] = 1.0;
    r->rows.flags[(slot - G8 * (clv_row_count(p, body) - 1)) / G8] |= CLV_ROW_ARM;
    if (t->kind != CLV_JOINT_REVOLUTE)
        return;
    r->turns[slot] = 1.0;
    clv_copy3(x, t->reversed ? j->pb : j->pa);
    if (t->parent >= 0)
        clv_sub3(x, x, p->model->body[t->parent].com);
    clv_row_put(clv_row_slot(r->point, 3, slot), 3, x);
    clv_mat3_column(x, Ep, 0), clv_row_put(clv_row_slot(r->x_before, 3, slot), 3, x);
    clv_mat3_column(x, Ep, 1), clv_row_put(clv_row_slot(r->y_before, 3, slot), 3, x);
    clv_mat3_column(x, Ep, 2), clv_row_put(clv_row_slot(r->axis_before, 3, slot), 3, x);
    clv_mat3_column(x, Ec, 0), clv_row_put(clv_row_slot(r->x_axis, 3, slot), 3, x);
    clv_mat3_column(x, Ec, 2), clv_row_put(clv_row_slot(r->axis, 3, slot), 3, x);
}

static void body_constants(clv_row_trials *r, int body)
{
    const clv_plan *p = r->rows.plan;
    const clv_body *b = &p->model->body[body];
    const double J[6] = {b->J[0], b->J[3], b->J[4], b->J[1], b->J[5], b->J[2]};
    const int slot = r->rows.slot[body];
    double E[9], x[3];
    const double *point;
    clv_row_own_frame(p, body, E, &point);
    clv_sub3(x, point, b->com);
    r->own[slot] = 1.0;
    clv_row_put(clv_row_slot(r->l, 3, slot), 3, x), clv_row_put(clv_row_slot(r->J, 6, slot), 6, J);
    if (clv_row_inside(p, body))
        joint_constants(r, body);
}

/* strand axes are global */
static void unit_axes(clv_row_trials *r)
{
    const clv_plan *p = r->rows.plan;
    for (int g = 0; g < p->ngroup; g++)
        for (int l = 0; l < G8; l++) {
            const double unit[CLV_FRAME] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, rest[7] = {0, 0, 0, 1, 0, 0, 0};
            clv_row_put(r->rows.end[g].start + l, CLV_FRAME, unit);
            clv_row_put(r->origin_x + (size_t)g * 7 * G8 + l, 7, rest);
        }
    for (int k = 0; k < p->nstrand; k++)
        clv_mat3_identity(r->rows.join[k].R);
    for (int i = 0; i < r->rows.nrow * G8; i++) /* slots that are no bodies */
        clv_row_slot(r->given, CLV_TRIAL_GIVEN, i)[3 * G8] = 1.0;
}

/* bodies on a joint that is not revolute, by groups */
static void list_others(clv_row_trials *r)
{
    const clv_plan *p = r->rows.plan;
    int n = 0;
    for (int g = 0; g < p->ngroup; g++) {
        r->other_first[g] = n;
        for (int l = 0; l < p->group[g].nstrand; l++) {
            const clv_strand *st = &p->strand[p->group[g].strand[l]];
            for (int i = 0; i < st->length; i++) {
                const int slot = r->rows.slot[p->bodies[st->first + i]];
                if (r->joined[slot] != 0 && r->turns[slot] == 0)
                    r->other[n++] = p->bodies[st->first + i];
            }
        }
    }
    r->other_first[p->ngroup] = n;
}

bool clv_row_trials_fit(const clv_plan *absolute)
{
    for (int e = 0; e < absolute->nedge; e++)
        if (absolute->edge[e].force >= 0 || absolute->edge[e].coupling >= 0)
            return false;
    return absolute->nloop == 0 && absolute->nstar == 0 && absolute->model->nmotion == 0;
}

bool clv_row_trials_begin(clv_row_trials *r, const clv_kinematics *absolute, double rank, const clv_kernels *kernels)
{
    const clv_plan *p = r->kin.plan;
    clv_engine_begin(&r->engine, rank, kernels);
    clv_rows_begin(&r->rows, kernels->lanes);
    if (!r->rows.fit || r->rows.looped || r->rows.lacking || p->nstar > 0 || p->model->nmotion > 0)
        return false;
    r->near = absolute->turn;
    for (int b = 0; b < p->nbody; b++)
        r->edge[b] = p->tree[b].joint < 0 ? -1 : absolute->plan->edge_of_joint[p->tree[b].joint];
    for (int b = 0; b < p->nbody; b++)
        body_constants(r, b);
    list_others(r);
    unit_axes(r);
    return true;
}

/* ------------------------------------------------------------------ model order */

void clv_row_trials_take(clv_row_trials *r, const clv_plan *absolute, const double *y, const double *ydot,
                         const double *aux)
{
    static const double none[7] = {0};
    for (int b = 0; b < absolute->nbody; b++) {
        const clv_tree_joint *t = &absolute->tree[b];
        double *to = clv_row_slot(r->given, CLV_TRIAL_GIVEN, r->rows.slot[b]);
        clv_row_put(to, 7, y + t->iq), clv_row_put(to + CLV_TRIAL_U * G8, 6, y + absolute->nq + t->iu);
        clv_row_put(to + CLV_TRIAL_UD * G8, 6, ydot ? ydot + absolute->nq + t->iu : none);
        clv_row_put(to + CLV_TRIAL_AUX * G8, 7, aux ? aux + 7 * (size_t)b : none);
    }
}

void clv_row_trials_give(const clv_row_trials *r, const clv_plan *absolute, double *y, double *ydot, double *aux)
{
    for (int b = 0; b < absolute->nbody; b++) {
        const clv_tree_joint *t = &absolute->tree[b];
        const double *from = clv_row_slot(r->given, CLV_TRIAL_GIVEN, r->rows.slot[b]);
        if (y)
            clv_row_get(from, 7, y + t->iq), clv_row_get(from + CLV_TRIAL_U * G8, 6, y + absolute->nq + t->iu);
        clv_row_get(from + CLV_TRIAL_QDOT * G8, 7, ydot + t->iq);
        clv_row_get(from + CLV_TRIAL_UD * G8, 6, ydot + absolute->nq + t->iu);
        if (aux)
            clv_row_get(from + CLV_TRIAL_AUX * G8, 7, aux + 7 * (size_t)b);
    }
}

void clv_row_trials_of(const clv_row_trials *r, int body, double x[7], double u[6])
{
    const double *from = clv_row_slot(r->x, 21, r->rows.slot[body]);
    double back[4], rate[4], w[4];
    clv_row_get(from, 7, x), clv_row_get(from + 7 * G8, 3, u), clv_row_get(from + 10 * G8, 4, rate);
    clv_quat_conjugate(back, x + 3);
    clv_quat_product(w, back, rate);
    for (int i = 0; i < 3; i++)
        u[3 + i] = 2 * w[1 + i];
}

/* An angle is kept to 0.08 rad: it only determines whole turns. */
static double angle_near(double c, double s, double near)
{
    const double size = fabs(c) + fabs(s), part = size > 0 ? s / size : 0;
    const double angle = 0.5 * CLV_PI * (c >= 0 ? part : s >= 0 ? 2 - part : -2 - part);
    return angle + 2 * CLV_PI * floor((near - angle) / (2 * CLV_PI) + 0.5);
}

void clv_row_trials_keep_turns(clv_row_trials *r)
{
    const clv_plan *p = r->rows.plan;
    for (int b = 0; b < p->nbody; b++) {
        const int slot = r->rows.slot[b];
        if (r->turns[slot] == 0)
            continue;
        double *near = r->near + 6 * (size_t)r->edge[b];
        *near = angle_near(r->cosine[slot], p->tree[b].reversed ? -r->sine[slot] : r->sine[slot], *near);
    }
    for (int i = 0; i < r->other_first[p->ngroup]; i++)
        clv_row_trial_keep_turn(r, r->other[i]);
}

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

void clv_row_trials_predict(clv_row_trials *r, const clv_row_rule *rule, bool first)
{
    for (int g = 0; g < r->rows.plan->ngroup; g++)
        r->rows.kernels->predict(r, g, rule, first);
}

/* what `place` does with a group */
static void place_group(clv_row_trials *r, int group, double scale)
{
    r->rows.kernels->place(r, group, scale);
    clv_row_trial_places(r, group);
}

void clv_row_trials_place(clv_row_trials *r, double scale)
{
    origin_places(r);
    for (int g = 0; g < r->rows.plan->ngroup; g++)
        place_group(r, g, scale);
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

/* force of the joint by which a strand is attached to another: of all that is outboard; what it does to the body
 * there */
static void hang(clv_row_trials *r, int strand, const double F[3])
{
    const clv_plan *p = r->rows.plan;
    const int slot = r->rows.slot[r->rows.origin[strand]];
    double x[3], at[3], l[3], *S = clv_row_slot(r->tension, 6, slot), *f = clv_row_slot(r->f, 3, slot);
    clv_row_get(clv_row_slot(r->x, 21, slot), 3, x);
    clv_row_trials_point(r, p->bodies[p->strand[strand].first], at);
    clv_sub3(l, at, x);
    for (int i = 0, k = 0; i < 3; i++) {
        f[i * G8] += F[i];
        for (int j = i; j < 3; j++, k++)
            S[k * G8] -= 0.5 * (l[i] * F[j] + l[j] * F[i]);
    }
}

/* Forces in the joints between strands, by the last correction, or if `first` by the accelerations of the state. */
static void gather_forces(clv_row_trials *r, bool first)
{
    const clv_rows *w = &r->rows;
    const clv_plan *p = w->plan;
    for (int g = 0; first && g < p->ngroup; g++)
        w->kernels->weigh(r, g);
    for (int k = 0; k < p->nstrand; k++)
        if (w->origin[k] >= 0)
            memset(r->tension + (size_t)(w->slot[w->origin[k]] / G8) * 6 * G8, 0, 6 * G8 * sizeof(double));
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
} step;

static bool solve(clv_row_trials *r, const step *s, void (*before)(clv_row_trials *, int, const step *),
                  void (*after)(clv_row_trials *, int, const step *))
{
    clv_rows *w = &r->rows;
    clv_factor_begin(&r->engine);
    r->engine.stalled = r->engine.loose = false, r->engine.loose_body = -1;
    clv_rows_clear(w);
    for (int g = 0; g < w->plan->ngroup; g++) {
        before(r, g, s);
        w->kernels->up(w, g, true);
        if (!clv_rows_finish(w, g))
            return false;
    }
    if (!clv_rows_fold(w, &r->kin, r->none, NULL, false))
        return false;
    clv_rows_unfold(w, &r->kin, NULL, r->unknown);
    for (int g = w->plan->ngroup - 1; g >= 0; g--) {
        clv_rows_descend_group(w, g, true);
        after(r, g, s);
    }
    return true;
}

static void tighten(clv_row_trials *r, int group, const step *s)
{
    if (!s->placed)
        place_group(r, group, s->scale);
    r->rows.kernels->tighten(r, group, s->scale);
}

static void move(clv_row_trials *r, int group, const step *s) { r->rows.kernels->move(r, group, s->rule); }

bool clv_row_trials_iterate(clv_row_trials *r, const clv_row_rule *rule, bool placed, bool first)
{
    const step s = {rule, rule->scale, placed};
    if (!placed)
        origin_places(r);
    gather_forces(r, first);
    return solve(r, &s, tighten, move);
}

static void slip(clv_row_trials *r, int group, const step *s)
{
    (void)s;
    r->rows.kernels->slip(r, group);
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
}

static void correct(clv_row_trials *r, int group, const step *s)
{
    (void)s;
    r->rows.kernels->correct(r, group);
}

/* accelerations of the rows corrected, states and rates, energies, misses */
static bool accelerate(clv_row_trials *r, const clv_row_rule *rule)
{
    const step s = {.rule = rule};
    origin_motions(r);
    if (!solve(r, &s, press, correct))
        return false;
    origin_motions(r);
    for (int g = 0; g < r->rows.plan->ngroup; g++) {
        r->rows.kernels->give(r, g, rule);
        clv_row_trial_misses(r, g);
    }
    return true;
}

bool clv_row_trials_project(clv_row_trials *r, const clv_row_rule *rule)
{
    const step s = {.rule = rule};
    origin_places(r);
    for (int g = 0; g < r->rows.plan->ngroup; g++) {
        place_group(r, g, rule->scale);
        r->rows.kernels->stop(r, g);
    }
    origin_motions(r);
    return solve(r, &s, slip, settle) && accelerate(r, rule);
}

bool clv_row_trials_accelerate(clv_row_trials *r, const clv_row_rule *still)
{
    for (int g = 0; g < r->rows.plan->ngroup; g++) {
        r->rows.kernels->stop(r, g);
        r->rows.kernels->settle(r, g, false);
    }
    return accelerate(r, still);
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

/* ------------------------------------------------------------------ what the groups show */

double clv_row_trials_sum(const clv_row_trials *r, int what)
{
    double sum = 0;
    for (int g = 0; g < r->rows.plan->ngroup; g++)
        for (int l = 0; l < r->rows.plan->group[g].nstrand; l++)
            sum += r->shown[((size_t)g * CLV_TRIAL_SHOWN + (size_t)what) * G8 + (size_t)l];
    return sum;
}

double clv_row_trials_most(const clv_row_trials *r, int what)
{
    double most = 0;
    for (int g = 0; g < r->rows.plan->ngroup; g++)
        for (int l = 0; l < r->rows.plan->group[g].nstrand; l++)
            most = fmax(most, r->shown[((size_t)g * CLV_TRIAL_SHOWN + (size_t)what) * G8 + (size_t)l]);
    return most;
}

int clv_row_trials_worst(const clv_row_trials *r)
{
    int worst = -1;
    double most = -1;
    for (int b = 0; b < r->rows.plan->nbody; b++)
        if (!(r->moved[r->rows.slot[b]] <= most))
            most = r->moved[r->rows.slot[b]], worst = b;
    return worst;
}
