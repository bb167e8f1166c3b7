/* SPDX-License-Identifier: Apache-2.0
 * When in the last step the condition of an event begins to hold (T60); see latch.h.  Its distance g is taken at
 * SAMPLES times of the dense output.  Where the sign changes, bisection goes down to neighbouring numbers.  A condition
 * may hold between two samples only, as of bodies that pass each other in a long step.  Then g has a peak.  Golden
 * sections climb it while its slopes let it reach zero. */
#include "simulation/latch.h"
#include "simulation/sim.h"
#include <math.h>

enum { SAMPLES = 8, CLIMBS = 80 };
static const double GOLDEN = 0.38196601125010515; /* of the longer side of a peak, from its middle                  */
static const double ASIDE = 1.0 / (1 << 20);      /* of the time between samples: shows the slope at ends of a step */

typedef struct clv_seek {
    clv_sim *s;
    const clv_event *e;
    bool *posed;
    int n;                                   /* the last sample, at which the condition may hold                    */
    double t[SAMPLES + 1], g[SAMPLES + 1];   /* s, and distances there                                              */
    bool armed[SAMPLES + 1];
} clv_seek;

/* Three times; g in the middle is above that on both sides. */
typedef struct clv_peak {
    double t[3], g[3];
} clv_peak;

static clv_status distance(const clv_seek *x, double t, double *g)
{
    clv_integrator_dense(&x->s->integrator, t, x->s->y);
    return clv_latches_distance(x->s, x->e, t, x->s->y, g, x->posed);
}

/* The first number above `before` at which the condition holds; it does not there, and does at `after`. */
static clv_status bisect(const clv_seek *x, double before, double *after)
{
    clv_status st = CLV_OK;
    while (st == CLV_OK) {
        double g = 0, middle = before + 0.5 * (*after - before);
        if (!(middle > before && middle < *after))
            break;
        st = distance(x, middle, &g);
        if (g < 0)
            before = middle;
        else
            *after = middle;
    }
    return st;
}

/* Samples up to the first at which the condition holds; from then on h->armed is that before it. */
static clv_status sample(clv_seek *x, clv_happening *h)
{
    const double from = x->s->integrator.t_old, to = x->s->integrator.t;
    for (int k = 0; k <= SAMPLES; k++) {
        x->n = k;
        x->t[k] = k == SAMPLES ? to : from + (to - from) * k / SAMPLES;
        const clv_status st = distance(x, x->t[k], &x->g[k]);
        if (st != CLV_OK || (k > 0 && h->armed && x->g[k] >= 0))
            return st;
        x->armed[k] = h->armed = clv_latches_armed(h, x->e, x->g[k]);
    }
    return CLV_OK;
}

/* ------------------------------------------------------------------ peaks */

/* A peak rises above its middle by no more than its steeper slope along its longer side. */
static bool may_reach(const clv_peak *p)
{
    const double left = p->t[1] - p->t[0], right = p->t[2] - p->t[1];
    const double slope = fmax((p->g[1] - p->g[0]) / left, (p->g[1] - p->g[2]) / right);
    return p->g[1] + slope * fmax(left, right) >= 0;
}

/* *top: a time at which the condition holds, NaN: it does not */
static clv_status climb(const clv_seek *x, clv_peak *p, double *top)
{
    clv_status st = CLV_OK;
    *top = p->g[1] >= 0 ? p->t[1] : NAN;
    for (int k = 0; k < CLIMBS && isnan(*top) && may_reach(p); k++) {
        const bool right = p->t[2] - p->t[1] > p->t[1] - p->t[0];
        const double t = p->t[1] + GOLDEN * (right ? p->t[2] - p->t[1] : p->t[0] - p->t[1]);
        double g = NAN;
        if (!(t > p->t[0] && t < p->t[2] && t != p->t[1]))
            break;
        st = distance(x, t, &g);
        if (st != CLV_OK || isnan(g))
            break;
        if (g >= 0)
            *top = t;
        if (g > p->g[1]) {
            const int behind = right ? 0 : 2;
            p->t[behind] = p->t[1], p->g[behind] = p->g[1], p->t[1] = t, p->g[1] = g;
        } else {
            const int ahead = right ? 2 : 0;
            p->t[ahead] = t, p->g[ahead] = g;
        }
    }
    return st;
}

/* Between two samples at an end of the step: k is the end, `next` the other one.  A peak there shows by the slope. */
static clv_status peak_at_end(const clv_seek *x, int k, int next, clv_peak *p, bool *any)
{
    const int beyond = 2 * next - k, first = k < next ? k : next;
    const double fall = x->g[k] - fmin(x->g[next], x->g[beyond]);
    *any = false;
    if (!(x->g[k] >= x->g[next] && x->g[k] + fall >= 0))
        return CLV_OK;
    const double t = x->t[k] + ASIDE * (x->t[next] - x->t[k]);
    *p = (clv_peak){{x->t[first], t, x->t[first + 1]}, {x->g[first], NAN, x->g[first + 1]}};
    const clv_status st = distance(x, t, &p->g[1]);
    *any = t > p->t[0] && t < p->t[2] && p->g[1] > x->g[k];
    return st;
}

static bool peak_at(const clv_seek *x, int k, clv_peak *p)
{
    *p = (clv_peak){{x->t[k - 1], x->t[k], x->t[k + 1]}, {x->g[k - 1], x->g[k], x->g[k + 1]}};
    return x->g[k] >= x->g[k - 1] && x->g[k] > x->g[k + 1];
}

/* The first peak before sample `last` at which the condition holds: *before, it does not; *top, it does, or NaN. */
static clv_status find_peak(const clv_seek *x, int last, double *before, double *top)
{
    clv_status st = CLV_OK;
    clv_peak p;
    *top = NAN;
    for (int k = 0; k <= last && st == CLV_OK && isnan(*top); k++) {
        bool any = false;
        const int from = k > 0 ? k - 1 : 0;
        if (!x->armed[from])
            continue;
        if (k == 0 || k == SAMPLES)
            st = last > 1 ? peak_at_end(x, k, k > 0 ? k - 1 : 1, &p, &any) : CLV_OK;
        else if (k < last)
            any = peak_at(x, k, &p);
        *before = x->t[from];
        if (st == CLV_OK && any)
            st = climb(x, &p, top);
    }
    return st;
}

clv_status clv_latches_find(clv_sim *s, const clv_event *e, clv_happening *h, bool *posed)
{
    clv_seek x = {.s = s, .e = e, .posed = posed};
    double before = NAN, top = NAN;
    clv_status st = sample(&x, h);
    const bool held = st == CLV_OK && h->armed && x.g[x.n] >= 0;
    if (st == CLV_OK)
        st = find_peak(&x, held ? x.n - 1 : x.n, &before, &top);
    if (st == CLV_OK && isnan(top) && held)
        before = x.t[x.n - 1], top = x.t[x.n];
    if (st != CLV_OK || isnan(top))
        return st;
    st = bisect(&x, before, &top);
    h->found = top, h->armed = true;
    return st;
}
