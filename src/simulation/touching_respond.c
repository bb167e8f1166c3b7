/* SPDX-License-Identifier: Apache-2.0
 * Rates by unit impulses at points in contact, see touching.h (T89.1).  Components do not answer to impulses on
 * each other, so one solve with the factor of the whole mechanism answers for every component.  It is along one of
 * its directions, or for one of its rates where these are fewer.
 *
 *   directions of each component | a solve: one of each | responses Y | own blocks J Y */
#include "formulation/walk.h"
#include "simulation/sim.h"
#include "simulation/touching.h"
#include <string.h>

static bool of_joint(const clv_sim *s, const clv_contact_point *p)
{
    return s->model->force[p->contact].kind == CLV_FORCE_JOINT; /* it has the first direction alone */
}

static const clv_contact_part *part_of(const clv_touching *x, int entry)
{
    return &x->point[entry / 6].part[entry / 3 % 2];
}

/* list := the directions of each component, in order of points: 3 (2 point + side) + axis */
static void list_directions(const clv_sim *s, int n)
{
    const clv_touching *x = &s->touching;
    memset(x->start, 0, ((size_t)x->components + 1) * sizeof *x->start);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < 2 * n; i++) {
            const clv_contact_part *p = part_of(x, 3 * i);
            const int axes = of_joint(s, &x->point[i / 2]) ? 1 : 3;
            if (p->component < 0)
                continue;
            if (pass == 0)
                x->start[p->component + 1] += axes;
            else
                for (int axis = 0; axis < axes; axis++)
                    x->list[x->start[p->component]++] = 3 * i + axis;
            if (pass == 0 && axes == 1)
                memset(x->Y + p->at + (size_t)p->n, 0, 2 * (size_t)p->n * sizeof *x->Y);
        }
        for (int c = 0; c < x->components && pass == 0; c++)
            x->start[c + 1] += x->start[c];
    }
    for (int c = x->components; c > 0; c--)
        x->start[c] = x->start[c - 1];
    x->start[0] = 0;
}

static int rates_of(const clv_touching *x, int c) { return x->first[c + 1] - x->first[c]; }
static int directions_of(const clv_touching *x, int c) { return x->start[c + 1] - x->start[c]; }
static bool by_rates(const clv_touching *x, int c) { return rates_of(x, c) < directions_of(x, c); }
static int solves_of(const clv_touching *x, int c) { return by_rates(x, c) ? rates_of(x, c) : directions_of(x, c); }

/* tau += the k-th impulse of a component */
static void ask(const clv_touching *x, int c, int k)
{
    const int *rate = x->rate + x->first[c];
    if (by_rates(x, c)) {
        x->tau[rate[k]] = 1;
        return;
    }
    const int entry = x->list[x->start[c] + k];
    const clv_contact_part *p = part_of(x, entry);
    const double *J = x->J + p->at + (size_t)(entry % 3 * p->n);
    for (int i = 0; i < p->n; i++)
        x->tau[rate[i]] = J[i];
}

/* What it says about Y: the response of one direction, or, as M^-1 is symmetric, of one rate in all directions. */
static void answer(const clv_touching *x, int c, int k)
{
    const int *rate = x->rate + x->first[c], n = rates_of(x, c);
    const int from = by_rates(x, c) ? 0 : k, to = by_rates(x, c) ? directions_of(x, c) : k + 1;
    for (int d = from; d < to; d++) {
        const int entry = x->list[x->start[c] + d];
        const size_t at = part_of(x, entry)->at + (size_t)(entry % 3 * n);
        if (!by_rates(x, c)) {
            for (int i = 0; i < n; i++)
                x->Y[at + (size_t)i] = x->du[rate[i]];
            continue;
        }
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += x->J[at + (size_t)i] * x->du[rate[i]];
        x->Y[at + (size_t)k] = sum;
    }
}

/* the k-th impulse of every component that has so many, by one solve */
static clv_status respond(clv_sim *s, int k)
{
    const clv_touching *x = &s->touching;
    memset(x->tau, 0, (size_t)s->plan->nu * sizeof *x->tau);
    memset(s->row, 0, (size_t)s->plan->nclosing_row * sizeof(double));
    for (int c = 0; c < x->components; c++)
        if (k < solves_of(x, c))
            ask(x, c, k);
    const clv_status st = clv_walk_push(&s->system, x->tau, s->row, x->du);
    for (int c = 0; c < x->components && st == CLV_OK; c++)
        if (k < solves_of(x, c))
            answer(x, c, k);
    return st;
}

/* W := what a point does to itself.  A point of two bodies on the joint axis of both responds by rounding alone, and so
 * does one whose normal leaves the plane of a planar mechanism.  A velocity must not be divided by that. */
static void own_block(const clv_touching *x, clv_contact_point *to)
{
    static const double rounding = 1e-20; /* of `alone`: the square of that of a direction */
    memset(to->W, 0, sizeof to->W);
    for (int side = 0; side < 2; side++) {
        const clv_contact_part *p = &to->part[side];
        for (int i = 0; i < 9 && p->component >= 0; i++)
            for (int c = 0; c < p->n; c++)
                to->W[i] += x->J[p->at + (size_t)(i / 3 * p->n + c)] * x->Y[p->at + (size_t)(i % 3 * p->n + c)];
    }
    if (!(to->W[0] > rounding * to->alone))
        memset(to->W, 0, sizeof to->W);
}

clv_status clv_touching_respond(clv_sim *s, int n)
{
    const clv_touching *x = &s->touching;
    clv_status st = CLV_OK;
    int most = 0;
    list_directions(s, n);
    for (int c = 0; c < x->components; c++)
        most = solves_of(x, c) > most ? solves_of(x, c) : most;
    for (int k = 0; k < most && st == CLV_OK; k++)
        st = respond(s, k);
    for (int k = 0; k < n && st == CLV_OK; k++)
        own_block(x, &x->point[k]);
    return st;
}
