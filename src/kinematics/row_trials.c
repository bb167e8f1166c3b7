/* SPDX-License-Identifier: Apache-2.0
 * Bodies in rows with coordinates of their own: memory, constants, state vectors; see row_trials.h. */
#include <math.h>
#include <string.h>
#include "engine/kernels.h"
#include "kinematics/place.h"
#include "kinematics/row_axes.h"
#include "kinematics/row_joints.h"
#include "kinematics/row_kernels.h"
#include "math/sincos.h"
#include "math/spatial.h"


void clv_row_trials_layout(clv_row_trials *r, const clv_plan *tree, clv_arena *a)
{
    clv_engine_layout(&r->engine, tree, a);
    clv_kinematics_layout(&r->kin, tree, &r->engine, a);
    clv_rows_layout(&r->rows, tree, &r->engine, a);
    const size_t n = (size_t)r->rows.nrow * G8, g = (size_t)tree->ngroup * G8;
    CLV_TAKE(a, r->other, tree->nbody), CLV_TAKE(a, r->other_first, tree->ngroup + 1);
    CLV_TAKE(a, r->edge, tree->nbody);
    CLV_TAKE(a, r->c, 6 * tree->nbody), CLV_TAKE(a, r->a, tree->nsigma), CLV_TAKE(a, r->sigma, tree->nsigma);
    CLV_TAKE(a, r->drive, tree->model->nmotion), CLV_TAKE(a, r->spring, tree->model->nforce);
    CLV_TAKE(a, r->spring_first, tree->ngroup + 1);
    CLV_TAKE(a, r->state, 13 * tree->nbody), CLV_TAKE(a, r->none, tree->nu), CLV_TAKE(a, r->unknown, tree->nu);
    CLV_TAKE(a, r->rows.stiff, n);
    CLV_TAKE(a, r->alike, r->rows.nrow);
    CLV_TAKE(a, r->own, n), CLV_TAKE(a, r->joined, n), CLV_TAKE(a, r->turns, n), CLV_TAKE(a, r->mass, n);
    CLV_TAKE(a, r->l, 3 * n), CLV_TAKE(a, r->J, 6 * n), CLV_TAKE(a, r->axis, 3 * n), CLV_TAKE(a, r->point, 3 * n);
    CLV_TAKE(a, r->axis_before, 3 * n), CLV_TAKE(a, r->x_axis, 3 * n), CLV_TAKE(a, r->x_before, 3 * n);
    CLV_TAKE(a, r->y_before, 3 * n), CLV_TAKE(a, r->angle, n);
    CLV_TAKE(a, r->x, 21 * n), CLV_TAKE(a, r->before, 7 * n);
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
    if (t->kind != CLV_JOINT_REVOLUTE || t->motion >= 0)
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
    r->own[slot] = 1.0, r->mass[slot] = b->mass;
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
    for (int k = 0; k < p->nstrand; k++) {
        double *R = r->rows.join[k].R;
        clv_mat3_identity(R);
        clv_row_put(clv_row_ends_of(&r->rows, k)->turn + p->strand[k].lane, 9, R);
    }
}

/* Rows with the constants of the row before: kernels read those of the first one, which stay in the cache. */
static void list_alike(clv_row_trials *r)
{
    const struct {
        const double *array;
        int n;
    } of[] = {{r->own, 1},   {r->joined, 1},  {r->turns, 1},       {r->mass, 1},   {r->l, 3},        {r->J, 6},
              {r->point, 3}, {r->axis, 3},    {r->axis_before, 3}, {r->x_axis, 3}, {r->x_before, 3}, {r->y_before, 3}};
    for (int i = 0; i < r->rows.nrow; i++) {
        bool same = i > 0;
        for (size_t k = 0; k < sizeof of / sizeof *of && same; k++) {
            const size_t n = (size_t)of[k].n * G8, row = (size_t)i * n;
            same = memcmp(of[k].array + row, of[k].array + row - n, n * sizeof(double)) == 0;
        }
        r->alike[i] = same ? r->alike[i - 1] : i;
    }
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
    return absolute->nstar == 0;
}

bool clv_row_trials_begin(clv_row_trials *r, const clv_kinematics *absolute, double rank, const clv_kernels *kernels)
{
    const clv_plan *p = r->kin.plan;
    clv_engine_begin(&r->engine, rank, kernels);
    clv_rows_begin(&r->rows, kernels->lanes);
    if (!r->rows.fit || p->nstar > 0)
        return false;
    r->rows.global = true;
    r->near = absolute->turn, r->edge_of_joint = absolute->plan->edge_of_joint;
    for (int b = 0; b < p->nbody; b++)
        r->edge[b] = p->tree[b].joint < 0 ? -1 : absolute->plan->edge_of_joint[p->tree[b].joint];
    for (int b = 0; b < p->nbody; b++)
        body_constants(r, b);
    list_alike(r);
    list_others(r);
    clv_row_trial_list_springs(r);
    unit_axes(r);
    return true;
}

/* ------------------------------------------------------------------ model order */

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

void clv_row_trials_acceleration(const clv_row_trials *r, int body, double x[6])
{
    const int slot = r->rows.slot[body];
    double V[6], A[6], arm[3], y[3], z[3];
    clv_row_get(clv_row_slot(r->V, 6, slot), 6, V), clv_row_get(clv_row_slot(r->A, 6, slot), 6, A);
    clv_row_get(clv_row_slot(r->arm, 3, slot), 3, arm);
    clv_cross(y, V + 3, arm), clv_cross(z, V + 3, y), clv_cross(y, A + 3, arm);
    for (int i = 0; i < 3; i++)
        x[i] = A[i] - y[i] - z[i], x[3 + i] = A[3 + i];
}

static void keep_turn(const clv_row_trials *r, int body)
{
    const int slot = r->rows.slot[body];
    if (r->turns[slot] == 0)
        return;
    double *near = r->near + 6 * (size_t)r->edge[body];
    const double angle = r->rows.plan->tree[body].reversed ? -r->angle[slot] : r->angle[slot];
    *near = angle + 2 * CLV_PI * floor((*near - angle) / (2 * CLV_PI) + 0.5);
}

static void keep_turns_of_group(void *of, int group)
{
    const clv_row_trials *r = of;
    const clv_plan *p = r->rows.plan;
    for (int l = 0; l < p->group[group].nstrand; l++) {
        const clv_strand *k = &p->strand[p->group[group].strand[l]];
        for (int i = 0; i < k->length; i++)
            keep_turn(r, p->bodies[k->first + i]);
    }
}

void clv_row_trials_keep_turns(clv_row_trials *r)
{
    const clv_plan *p = r->rows.plan;
    clv_rows_all(&r->rows, keep_turns_of_group, r);
    for (int i = 0; i < r->other_first[p->ngroup]; i++)
        clv_row_trial_keep_turn(r, r->other[i]);
    for (int e = 0; r->rows.looped && e < p->nedge; e++)
        if (p->edge[e].tree_body >= 0)
            clv_row_trial_keep_turn(r, p->edge[e].tree_body);
    clv_row_trial_edge_turns(r, false);
    clv_kinematics_keep_turns(&r->kin);
    clv_row_trial_edge_turns(r, true);
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
