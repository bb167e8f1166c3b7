/* SPDX-License-Identifier: Apache-2.0
 * Friction by the reactions of joints (T99): loads that depend on what the equations of motion give.
 *
 * At a state, friction is proportional to what presses in a joint, and all reactions are affine in these numbers.  So
 * the reactions are found without them and for each of them alone; then the numbers are iterated until they fit, which
 * costs no further evaluation.  Where that has no solution the joint jams.  Called in the place of `rates` of a
 * formulation. */
#include "base/error.h"
#include "formulation/bearing_wrench.h"
#include "formulation/walk.h"
#include <math.h>
#include <string.h>

enum { ROUNDS = 2000 };

void clv_bearing_layout(clv_system *s, clv_arena *a)
{
    const clv_model *m = s->model;
    int n = 0;
    for (int i = 0; i < m->nforce; i++)
        n += m->force[i].kind == CLV_FORCE_JOINT && m->force[i].bearing.static_coefficient > 0;
    s->nbearing = n;
    if (n == 0)
        return;
    CLV_TAKE(a, s->bearing, m->nforce), CLV_TAKE(a, s->bearing_force, n);
    CLV_TAKE(a, s->bearing_work, 6 * (size_t)n * ((size_t)n + 1) + 3 * (size_t)n);
    n = 0;
    for (int i = 0; s->bearing_force && i < m->nforce; i++)
        if (m->force[i].kind == CLV_FORCE_JOINT && m->force[i].bearing.static_coefficient > 0)
            s->bearing_force[n++] = i;
}

/* ------------------------------------------------------------------ reactions */

/* Rates, accelerations, and in T and lambda what joints carry; as at outputs (T13). */
static clv_status react(clv_system *s, const clv_formulation *f, double t, const double *y, double *ydot)
{
    const bool walks = !f->accelerate && !s->plan->absolute;
    s->lean = walks;
    clv_status st = f->rates(s, t, y, ydot);
    s->lean = false;
    if (st == CLV_OK && walks) {
        clv_walk_show(s, y);
        s->walked = false;
        st = clv_walk_outputs(s, y);
    } else if (st == CLV_OK && f->accelerate)
        st = f->accelerate(s);
    else if (st == CLV_OK)
        clv_system_accelerate(s);
    if (st == CLV_OK)
        clv_system_reactions(s);
    return st;
}

/* ------------------------------------------------------------------ the numbers that fit */

/* wrenches of all bearings, 6 each, in their joints */
static void take_wrenches(const clv_system *s, double *to)
{
    double axis[3];
    for (int i = 0; i < s->nbearing; i++)
        clv_bearing_wrench(s, s->lambda, s->model->force[s->bearing_force[i]].joint, axis, to + 6 * i);
}

/* w[i]: what R0 + sum of change_j w_j presses in bearing i */
static void press(const clv_system *s, const double *R0, const double *change, const double *w, double *to)
{
    const int n = s->nbearing;
    for (int i = 0; i < n; i++) {
        const clv_force *f = &s->model->force[s->bearing_force[i]];
        double axis[3], R[6], unused[6];
        clv_bearing_wrench(s, s->lambda, f->joint, axis, unused);
        memcpy(R, R0 + 6 * i, sizeof R);
        for (int j = 0; j < n; j++)
            for (int k = 0; k < 6; k++)
                R[k] += change[6 * (size_t)(j * n + i) + (size_t)k] * w[j];
        to[i] = clv_bearing_press_of(&f->bearing, s->model->joint[f->joint].kind == CLV_JOINT_PRISMATIC, axis, R);
    }
}

void clv_bearing_press(clv_system *s, const double *lambda)
{
    for (int i = 0; i < s->nbearing; i++) {
        const clv_force *f = &s->model->force[s->bearing_force[i]];
        double axis[3], R[6];
        clv_bearing_wrench(s, lambda, f->joint, axis, R);
        s->bearing[s->bearing_force[i]] =
            clv_bearing_press_of(&f->bearing, s->model->joint[f->joint].kind == CLV_JOINT_PRISMATIC, axis, R);
    }
}

static void use(clv_system *s, const double *w)
{
    for (int i = 0; i < s->nbearing; i++)
        s->bearing[s->bearing_force[i]] = w ? w[i] : 0;
}

static clv_status jams(clv_system *s, double t, int bearing)
{
    const clv_joint *j = &s->model->joint[s->model->force[s->bearing_force[bearing]].joint];
    clv_fail(s->error, CLV_ERR_NO_CONVERGENCE,
             "joint '%s' jams at t = %.9g s: no reaction fits the friction that it causes", j->name, t);
    clv_error_text(s->error->joint, sizeof s->error->joint, j->name);
    clv_error_hint(s->error, "lower friction_coefficient, or widen bearing_span");
    s->error->time = t;
    return s->error->code;
}

/* One try from w = 0, a part of every change taken; false: it has not come to an end.  worst: who moved most. */
static bool settle(const clv_system *s, double part, const double *R0, const double *change, double *w, double *next,
                   int *worst)
{
    const int n = s->nbearing;
    double most = 0, moved = INFINITY;
    memset(w, 0, (size_t)n * sizeof *w);
    for (int round = 0; round < ROUNDS && moved > 2e-15 * most; round++) {
        press(s, R0, change, w, next);
        moved = most = 0;
        for (int i = 0; i < n; i++) {
            const double d = fabs(next[i] - w[i]);
            if (!(d <= moved))
                moved = d, *worst = i;
            most = fmax(most, next[i]), w[i] += part * (next[i] - w[i]);
        }
        if (!isfinite(moved))
            return false;
    }
    return moved <= 1e-12 * most;
}

/* The numbers w with w = press(w).  Where friction takes load off a joint, full changes go to and fro; smaller parts
 * come to an end unless friction presses more than it is caused by. */
static clv_status fit(clv_system *s, double t, const double *R0, const double *change, double *w, double *next)
{
    static const double part[] = {1, 0.5, 0.1, 0.02};
    int worst = 0;
    for (size_t k = 0; k < sizeof part / sizeof *part; k++)
        if (settle(s, part[k], R0, change, w, next, &worst))
            return CLV_OK;
    return jams(s, t, worst);
}

clv_status clv_system_rates(clv_system *s, const clv_formulation *f, double t, const double *y, double *ydot)
{
    const size_t n = (size_t)s->nbearing;
    const bool lean = s->lean;
    if (n == 0)
        return f->rates(s, t, y, ydot);
    double *R0 = s->bearing_work, *change = R0 + 6 * n, *w = change + 6 * n * n, *next = w + n, *trial = next + n;
    use(s, NULL);
    clv_status st = react(s, f, t, y, ydot);
    if (st != CLV_OK)
        return st;
    take_wrenches(s, R0);
    memset(change, 0, 6 * n * n * sizeof *change);
    memset(w, 0, n * sizeof *w);
    press(s, R0, change, w, next);
    double size = 0;
    for (size_t i = 0; i < n; i++)
        size = fmax(size, next[i]);
    for (size_t j = 0; j < n && size > 0; j++) {
        memset(trial, 0, n * sizeof *trial);
        trial[j] = size, use(s, trial);
        if ((st = react(s, f, t, y, ydot)) != CLV_OK)
            return st;
        take_wrenches(s, change + 6 * n * j);
        for (size_t i = 0; i < 6 * n; i++)
            change[6 * n * j + i] = (change[6 * n * j + i] - R0[i]) / size;
    }
    if (size > 0)
        st = fit(s, t, R0, change, w, next);
    use(s, w);
    s->lean = lean;
    return st == CLV_OK ? f->rates(s, t, y, ydot) : st;
}
