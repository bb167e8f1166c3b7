/* SPDX-License-Identifier: Apache-2.0
 * Which coordinate bounds the adaptive steps: after every accepted step the one with the largest error estimate is
 * counted (T16).  Nothing of the run depends on it. */
#include <math.h>
#include <string.h>
#include "math/sincos.h"
#include "simulation/sim.h"

void clv_count_limit(clv_sim *s)
{
    const int worst = s->integrator.worst;
    if (worst >= 0 && worst < s->n)
        s->limited[worst]++;
}

/* Hz, frame held */
static double frequency(const clv_flex *f, int mode)
{
    const int at = mode * f->nmode + mode;
    return f->Mff[at] > 0 && f->K[at] > 0 ? sqrt(f->K[at] / f->Mff[at]) / (2 * CLV_PI) : NAN;
}

/* Whose coordinate, or rate or momentum, a state is; false: nobody's, as of the work. */
static bool owner(const clv_sim *s, int state, clv_step_limit *to)
{
    const clv_plan *p = s->plan;
    const bool rate = state >= p->nq;
    const int k = rate ? state - p->nq : state;
    if (rate && k >= p->nu)
        return false;
    for (int i = 0; i < p->nstar; i++) {
        const clv_star *star = &p->star[i];
        const int from = rate ? star->iu : star->iq;
        if (k >= from && k < from + star->nmode) {
            *to = (clv_step_limit){s->model->flex[i].body, -1, k - from, frequency(&s->model->flex[i], k - from), 0};
            return true;
        }
    }
    for (int b = 0; b < p->nbody; b++) {
        const clv_tree_joint *t = &p->tree[b];
        const int from = rate ? t->iu : t->iq, count = rate ? t->f : t->nq;
        if (from >= 0 && k >= from && k < from + count) {
            *to = (clv_step_limit){b, t->joint, -1, NAN, 0};
            return true;
        }
    }
    return false;
}

bool clv_step_set_by(const clv_sim *s, int *body, int *joint)
{
    clv_step_limit x;
    const int worst = s->integrator.worst;
    if (worst < 0 || worst >= s->n || !owner(s, worst, &x))
        return false;
    *body = x.body, *joint = x.joint;
    return true;
}

static bool same(const clv_step_limit *a, const clv_step_limit *b)
{
    return a->body == b->body && a->joint == b->joint && a->mode == b->mode;
}

bool clv_sim_step_limit(const clv_sim *s, clv_step_limit *limit)
{
    double all = 0, most = 0, of_it = 0;
    clv_step_limit x;
    if (!clv_sim_ready(s) || !limit)
        return false;
    for (int i = 0; i < s->n; i++) {
        all += s->limited[i];
        if (s->limited[i] > most && owner(s, i, limit))
            most = s->limited[i];
    }
    if (!(most > 0))
        return false;
    for (int i = 0; i < s->n; i++) /* coordinates and rates of one joint or mode count together */
        if (s->limited[i] > 0 && owner(s, i, &x) && same(&x, limit))
            of_it += s->limited[i];
    limit->share = of_it / all;
    return true;
}
