/* SPDX-License-Identifier: Apache-2.0
 * Which joints can move (T14): arbitrary trial rates are projected onto the velocity constraints by mass-weighted least
 * change, and so are their opposites.  The difference is a motion that loops, couplings and prescribed motions allow.
 * A joint that rests in it rests in every motion from this position, but for rates of measure zero.
 *
 * Such a joint may rest in this position only (a dead point): the same is tested a small step along the motion.  Where
 * it moves then, it pauses.  Where it rests there too, it may follow the prescribed motions: it moves when all rates
 * that are free are zero.
 *
 * The rank is looked at there, too.  A start with redundant rows, fewer of which are redundant beside it, is singular:
 * it allows velocities that no motion continues (T20). */
#include <math.h>
#include <string.h>
#include "base/tolerance.h"
#include "base/error.h"
#include "simulation/sim.h"

static const double CLEAR = 100; /* of the threshold of rank: a pivot that is no rounding of redundant rows */

static void add_rates(clv_sim *s, int joint, double sign, const double *rate)
{
    for (int c = 0; c < clv_joint_table[s->model->joint[joint].kind].nu; c++)
        s->swing[6 * joint + c] += sign * rate[c];
}

/* `size` times rates without meaning, put on the constraints (in u); sign times them is added to swing (joints) and P
 * (bodies). */
static void add_side(clv_sim *s, double size, double sign)
{
    const clv_plan *p = s->plan;
    double moved, q[7], rate[6] = {0};
    for (int i = 0; i < p->nu; i++) /* 0.5 .. 1.5, no two alike, alternating */
        s->u[i] = size * clv_coordinate_size(s, i) * (i % 2 ? -1 : 1) * (0.5 + fmod(0.6180339887498949 * (i + 1), 1.0));
    clv_project_velocity(s, s->u, &moved);
    for (int b = 0; b < p->nbody; b++)
        if (p->tree[b].joint >= 0)
            add_rates(s, p->tree[b].joint, sign, clv_kinematics_u(&s->system.kin, (size_t)b));
    for (int e = 0; e < p->nedge; e++)
        if (p->edge[e].joint >= 0 && p->edge[e].tree_body < 0) {
            clv_kinematics_closing_state(&s->system.kin, e, q, rate);
            add_rates(s, p->edge[e].joint, sign, rate);
        }
    for (size_t i = 0; i < 6 * (size_t)p->nbody; i++)
        s->P[i] += sign * s->system.kin.V[i];
}

/* Fills swing, P and ydot (nu): the difference of both sides, of joints, bodies and rates. */
static void find_swing(clv_sim *s)
{
    memset(s->swing, 0, 6 * (size_t)s->model->njoint * sizeof(double));
    memset(s->P, 0, 6 * (size_t)s->plan->nbody * sizeof(double));
    add_side(s, 1, 1);
    memcpy(s->ydot, s->u, (size_t)s->plan->nu * sizeof(double));
    add_side(s, -1, -1);
    for (int i = 0; i < s->plan->nu; i++)
        s->ydot[i] -= s->u[i];
}

/* 1 rad/s or the size of the model per second: what rate c of a joint is measured by */
static double unit_of(const clv_sim *s, int joint, int c)
{
    const clv_joint_kind kind = s->model->joint[joint].kind;
    const int slides = kind == CLV_JOINT_PRISMATIC || kind == CLV_JOINT_CYLINDRICAL ? 1
                       : kind == CLV_JOINT_PLANAR                                   ? 2
                       : kind == CLV_JOINT_FREE                                     ? 3
                                                                                    : 0;
    return c < slides ? s->size : 1;
}

/* Joints that swing by more than rounding have `found`, if nothing was found of them so far. */
static void mark_swinging(const clv_sim *s, clv_mobility found)
{
    double most = 1e-6;
    for (int i = 0; i < 6 * s->model->njoint; i++)
        most = fmax(most, fabs(s->swing[i]) / unit_of(s, i / 6, i % 6));
    for (int i = 0; i < 6 * s->model->njoint; i++)
        if (fabs(s->swing[i]) > 1e-7 * most * unit_of(s, i / 6, i % 6) && s->mobility[i / 6] == CLV_MOBILITY_RESTS)
            s->mobility[i / 6] = found;
}

/* Does a joint rest that no motion prescribes? */
static bool any_rests(const clv_sim *s)
{
    const clv_plan *p = s->plan;
    for (int b = 0; b < p->nbody; b++)
        if (p->tree[b].joint >= 0 && p->tree[b].f > 0 && s->mobility[p->tree[b].joint] == CLV_MOBILITY_RESTS)
            return true;
    for (int e = 0; e < p->nedge; e++) {
        int j = p->edge[e].tree_body < 0 && p->edge[e].motion < 0 ? p->edge[e].joint : -1;
        if (j >= 0 && clv_joint_table[s->model->joint[j].kind].nu > 0 && s->mobility[j] == CLV_MOBILITY_RESTS)
            return true;
    }
    return false;
}

/* seen_y: coordinates of a closed position along the motion in ydot.  Bodies have rotated there by a thousandth of a
 * radian or moved by a thousandth of the model's size.  False if there is none. */
static bool step_aside(clv_sim *s)
{
    const double step = 1e-3;
    double speed = 0, moved, misfit;
    for (size_t b = 0; b < (size_t)s->plan->nbody; b++)
        for (size_t i = 0; i < 6; i++)
            speed = fmax(speed, fabs(s->P[6 * b + i]) / (i < 3 ? s->size : 1.0));
    if (!(speed > 0))
        return false;
    for (int i = 0; i < s->plan->nu; i++)
        s->ydot[i] *= step / speed;
    memcpy(s->seen_y, s->q, (size_t)s->plan->nq * sizeof(double));
    clv_displace(s, s->seen_y, s->ydot);
    clv_status st = clv_project_position(s, s->model->begin, s->seen_y, false, 60, &moved);
    return st == CLV_OK && clv_is_closed(s, CLV_TOL_CLOSED, 1e-4, &misfit);
}

/* seen_y: the start moved along rates by `step`, rad or parts of the size; returns the largest rate, a second */
static double displace(clv_sim *s, const double *rates, double step)
{
    double speed = 0;
    for (int i = 0; i < s->plan->nu; i++)
        speed = fmax(speed, fabs(rates[i]) / clv_coordinate_size(s, i));
    for (int i = 0; i < s->plan->nu; i++)
        s->u[i] = step / speed * rates[i];
    memcpy(s->seen_y, s->q, (size_t)s->plan->nq * sizeof(double));
    if (speed > 0)
        clv_displace(s, s->seen_y, s->u);
    return speed;
}

/* redundant rows at time t and seen_y, closed or not; those of the start where that is not known */
static int nullity(clv_sim *s, double t)
{
    const clv_engine *e = &s->system.engine;
    const bool known = clv_system_place(&s->system, t, s->seen_y) == CLV_OK &&
                       e->truncated < s->base_nullity && e->min_pivot > CLEAR * e->rank;
    return known ? e->truncated : s->base_nullity;
}

/* The fewest redundant rows of closed positions beside the start, along the rates in trial and the motion in ydot.
 * Where rows stay redundant in a position that is not closed, too, no more is needed.  Prescribed motions are part of
 * the rates in trial: where they go to takes its time. */
static void find_beside(clv_sim *s)
{
    static const double step[] = {0.1, -0.1, 0.01, -0.01};
    const bool moves = s->plan->nu - s->plan->nclosing_row + s->base_nullity > 0;
    const double begin = s->model->begin;
    double moved, misfit;
    if (!moves || s->kinematic || !(displace(s, s->ydot, step[0]) > 0) || nullity(s, begin) == s->base_nullity)
        return;
    for (int k = 0; k < 8; k++) {
        const double by = step[k % 4], speed = displace(s, k < 4 ? s->trial : s->ydot, by);
        const bool driven = k < 4 && s->model->nmotion > 0;
        const double t = driven ? begin + by / speed : begin;
        if (!(speed > 0) || t < begin || clv_project_position(s, t, s->seen_y, false, 60, &moved) != CLV_OK ||
            !clv_is_closed(s, CLV_TOL_CLOSED, 1e-4, &misfit))
            continue;
        const int found = nullity(s, t);
        s->beside_nullity = found < s->beside_nullity ? found : s->beside_nullity;
    }
}

/* trial: the rates of the start, in s->u; where it is at rest, all alike as far as the constraints allow */
static void take_rates(clv_sim *s)
{
    const int n = s->plan->nu;
    double speed = 0, moved;
    for (int i = 0; i < n; i++)
        speed = fmax(speed, fabs(s->u[i]) / clv_coordinate_size(s, i));
    for (int i = 0; i < n && !(speed > 1e-9); i++)
        s->u[i] = clv_coordinate_size(s, i);
    if (!(speed > 1e-9))
        clv_project_velocity(s, s->u, &moved);
    memcpy(s->trial, s->u, (size_t)n * sizeof(double));
}

/* Nothing holds a joint that no motion prescribes. */
static void mark_open(clv_sim *s)
{
    const clv_plan *p = s->plan;
    for (int b = 0; b < p->nbody; b++)
        if (p->tree[b].joint >= 0 && p->tree[b].f > 0)
            s->mobility[p->tree[b].joint] = CLV_MOBILITY_MOVES;
    for (int e = 0; e < p->nedge; e++)
        if (p->edge[e].joint >= 0 && clv_joint_table[s->model->joint[p->edge[e].joint].kind].nu > 0)
            s->mobility[p->edge[e].joint] = CLV_MOBILITY_MOVES;
}

clv_status clv_find_mobility(clv_sim *s)
{
    if (!s->any_loop || (s->system.trials && !clv_closed_in_rows(s))) {
        mark_open(s);
        return CLV_OK;
    }
    const bool beside = s->formulation->state != CLV_STATE_ABSOLUTE && s->base_nullity > 0;
    if (beside)
        take_rates(s);
    find_swing(s);
    mark_swinging(s, CLV_MOBILITY_MOVES);
    const bool rests = any_rests(s);
    if (!rests && !beside)
        return CLV_OK;
    if (beside)
        find_beside(s);
    if (rests && step_aside(s)) {
        find_swing(s);
        mark_swinging(s, CLV_MOBILITY_PAUSES);
    }
    clv_error_clear(&s->error); /* no nearby closed position: inconclusive */
    clv_status st = clv_system_place(&s->system, s->model->begin, s->q);
    if (st != CLV_OK || s->model->nmotion == 0 || !rests)
        return st;
    memset(s->swing, 0, 6 * (size_t)s->model->njoint * sizeof(double));
    add_side(s, 0, 1);
    mark_swinging(s, CLV_MOBILITY_FOLLOWS);
    return CLV_OK;
}

clv_mobility clv_sim_joint_mobility(const clv_sim *s, int joint)
{
    return clv_sim_ready(s) && joint >= 0 && joint < s->model->njoint ? s->mobility[joint] : CLV_MOBILITY_RESTS;
}
