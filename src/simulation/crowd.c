/* SPDX-License-Identifier: Apache-2.0
 * Steps that do not pass over a contact of many bodies, see crowd.h and T105.3.  A pair whose bodies have moved less
 * than a part of their widths cannot have changed sides.  The others are judged as those of two bodies are (T73), by
 * the direction in which they were farthest apart at the beginning of the step. */
#include "simulation/crowd.h"
#include "base/error.h"
#include "math/rotation.h"
#include "model/apart.h"
#include "simulation/sim.h"
#include <math.h>
#include <string.h>

static const clv_touch_group *group_of(const clv_sim *s, const clv_crowd *x)
{
    return s->model->force[x->force].group;
}

void clv_crowd_layout(clv_sim *s, clv_arena *a)
{
    s->ncrowd = clv_touch_group_count(s->model);
    CLV_TAKE(a, s->crowd, s->ncrowd);
    for (int i = 0, k = 0; i < s->model->nforce; i++) {
        const clv_touch_group *g = s->model->force[i].group;
        clv_crowd x = {.force = i};
        if (!g)
            continue;
        CLV_TAKE(a, x.before, g->n), CLV_TAKE(a, x.share, g->n);
        clv_sweep_layout(&x.sweep, g, a);
        if (s->crowd)
            s->crowd[k++] = x;
    }
}

static void place(clv_sim *s, clv_crowd *x)
{
    const clv_kinematics *k = &s->system.kin;
    clv_sweep_place(&x->sweep, s->model, &s->model->force[x->force], k->com, k->R);
}

void clv_crowd_keep(clv_sim *s)
{
    for (clv_crowd *x = s->crowd; x < s->crowd + s->ncrowd; x++) {
        memcpy(x->before, x->sweep.solid, (size_t)group_of(s, x)->n * sizeof *x->before);
        x->known = true;
    }
}

void clv_crowd_begin(clv_sim *s)
{
    for (clv_crowd *x = s->crowd; x < s->crowd + s->ncrowd; x++)
        place(s, x);
    clv_crowd_keep(s);
}

void clv_crowd_forget(clv_sim *s)
{
    for (clv_crowd *x = s->crowd; x < s->crowd + s->ncrowd; x++)
        x->known = false;
}

/* ------------------------------------------------------------------ a step */

/* m, at most: how far a point of a member has moved */
static double moved(const clv_solid *from, const clv_solid *to, double radius)
{
    double line[3], turn = 0;
    clv_sub3(line, to->at, from->at);
    for (int i = 0; i < 9; i++)
        turn += (to->E[i] - from->E[i]) * (to->E[i] - from->E[i]);
    return clv_norm3(line) + sqrt(turn) * radius;
}

static double of_width(const clv_solid *a, const clv_solid *b, double part)
{
    return 0.5 * part * (clv_solid_width(a) + clv_solid_width(b));
}

/* does some member move so far that it must be looked at?  If so, boxes of all ways. */
static bool find_ways(const clv_sim *s, clv_crowd *x, double part)
{
    const clv_touch_group *g = group_of(s, x);
    bool far = false;
    for (int k = 0; k < g->n; k++)
        far |= !(moved(&x->before[k], &x->sweep.solid[k], g->member[k].radius) <
                 0.5 * part * clv_solid_width(&x->sweep.solid[k]));
    for (int k = 0; k < g->n && far; k++) {
        double low[3], high[3];
        clv_sweep_box(&x->before[k], low, high);
        for (int i = 0; i < 3; i++) {
            x->sweep.low[3 * k + i] = fmin(x->sweep.low[3 * k + i], low[i]);
            x->sweep.high[3 * k + i] = fmax(x->sweep.high[3 * k + i], high[i]);
        }
    }
    return far;
}

/* T73.2 for members i and j */
static bool passes(const clv_crowd *x, const clv_touch_group *g, int i, int j, double part)
{
    const clv_solid *a = &x->before[i], *b = &x->before[j], *p = &x->sweep.solid[i], *q = &x->sweep.solid[j];
    const double most = of_width(a, b, part);
    if (moved(a, p, g->member[i].radius) + moved(b, q, g->member[j].radius) < most)
        return false;
    double n[3] = {0, 0, 0}, own[3];
    const double gap = clv_apart(a, b, n);
    clv_mat3_transpose_times(own, a->E, n);
    clv_mat3_times(n, p->E, own);
    return clv_apart_along(p, q, n) < fmin(gap, 0) - most;
}

static clv_status refuse(clv_sim *s, const clv_crowd *x, int i, int j, double t)
{
    const clv_touch_group *g = group_of(s, x);
    clv_fail(&s->error, CLV_ERR_NO_CONVERGENCE,
             "a step of %.3g s moves bodies '%s' and '%s' through each other at t = %.9g s, beside contact '%s'",
             t - s->integrator.t, clv_touch_member_name(s->model, &g->member[i]),
             clv_touch_member_name(s->model, &g->member[j]), t, s->model->force[x->force].name);
    clv_error_hint(&s->error, "use a smaller step, or an adaptive integrator");
    s->error.time = t;
    return s->error.code;
}

clv_status clv_crowd_check(clv_sim *s, double t)
{
    const double part = s->options.step > 0 ? CLV_SPACING_FIXED : CLV_SPACING_ADAPTIVE;
    for (clv_crowd *x = s->crowd; x < s->crowd + s->ncrowd; x++) {
        const clv_force *f = &s->model->force[x->force];
        place(s, x);
        if (!x->known || !find_ways(s, x, part))
            continue;
        if (!clv_sweep_pair(&x->sweep, f))
            return clv_contact_crowded(&s->error, f, t);
        for (int k = 0; k < x->sweep.pairs; k++) {
            const int i = x->sweep.pair[k][0], j = x->sweep.pair[k][1];
            if (i >= 0 && passes(x, f->group, i, j, part))
                return refuse(s, x, i, j, t);
        }
    }
    return CLV_OK;
}

/* ------------------------------------------------------------------ saved states */

enum { NUMBERS = 12 }; /* of a place: middle and axes */

size_t clv_crowd_numbers(const clv_sim *s)
{
    size_t n = 0;
    for (clv_crowd *x = s->crowd; x < s->crowd + s->ncrowd; x++)
        n += 1 + NUMBERS * (size_t)group_of(s, x)->n;
    return n;
}

char *clv_crowd_save(const clv_sim *s, char *to)
{
    for (clv_crowd *x = s->crowd; x < s->crowd + s->ncrowd; x++) {
        const double known = x->known;
        memcpy(to, &known, sizeof known), to += sizeof known;
        for (int k = 0; k < group_of(s, x)->n; k++, to += NUMBERS * sizeof(double)) {
            memcpy(to, x->before[k].at, sizeof x->before[k].at);
            memcpy(to + sizeof x->before[k].at, x->before[k].E, sizeof x->before[k].E);
        }
    }
    return to;
}

void clv_crowd_load(clv_sim *s, const char *from)
{
    for (clv_crowd *x = s->crowd; x < s->crowd + s->ncrowd; x++) {
        double known;
        memcpy(&known, from, sizeof known), from += sizeof known;
        x->known = known != 0;
        for (int k = 0; k < group_of(s, x)->n; k++, from += NUMBERS * sizeof(double)) {
            x->before[k] = x->sweep.solid[k]; /* kind and size */
            memcpy(x->before[k].at, from, sizeof x->before[k].at);
            memcpy(x->before[k].E, from + sizeof x->before[k].at, sizeof x->before[k].E);
        }
    }
}
