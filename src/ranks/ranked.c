/* SPDX-License-Identifier: Apache-2.0
 * One mechanism on several ranks; see ranked.h. */
#include "ranks/ranked.h"
#include <math.h>
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "model/model.h"
#include "ranks/joins.h"

/* ------------------------------------------------------------------ what simulations need from each other */

static int count(const clv_relay *r) { return r->end - r->first; }

static bool place(void *owner, bool good, const clv_segment_move *beside, clv_segment_move *root)
{
    clv_ranked *k = owner;
    clv_relay *r = &k->relay;
    for (int i = 0; i < count(r); i++) {
        double *up = clv_relay_up(r, r->first + i);
        up[0] = good ? 1.0 : 0.0;
        memcpy(up + 1, beside[i].frame, sizeof beside[i].frame);
        memcpy(up + 13, beside[i].motion, sizeof beside[i].motion);
    }
    const bool all = clv_relay_sweep(r, &clv_relay_places, false);
    for (int i = 0; i < count(r); i++) {
        const double *down = clv_relay_down(r, r->first + i);
        memcpy(root[i].frame, down + 1, sizeof root[i].frame), memcpy(root[i].motion, down + 13, sizeof root[i].motion);
    }
    return all;
}

static void halve(double half[21], const double full[36])
{
    for (int i = 0, n = 0; i < 6; i++)
        for (int j = 0; j <= i; j++, n++)
            half[n] = full[6 * i + j];
}

static bool join(void *owner, bool good, const clv_segment_ports *ports, clv_segment_ends *ends)
{
    clv_ranked *k = owner;
    clv_relay *r = &k->relay;
    for (int i = 0; i < count(r); i++) {
        double *up = clv_relay_up(r, r->first + i);
        up[0] = good ? 1.0 : 0.0;
        halve(up + 1, ports[i].I), memcpy(up + 22, ports[i].p, sizeof ports[i].p);
        memcpy(up + 28, ports[i].K, sizeof ports[i].K), halve(up + 64, ports[i].L);
        memcpy(up + 85, ports[i].t, sizeof ports[i].t);
    }
    const bool all = clv_relay_sweep(r, &clv_relay_ports, k->cut.root >= 0);
    for (int i = 0; i < count(r); i++) {
        const double *down = clv_relay_down(r, r->first + i);
        memcpy(ends[i].x, down + 1, sizeof ends[i].x), memcpy(ends[i].F, down + 7, sizeof ends[i].F);
    }
    return all;
}

static bool sum(void *owner, bool good, const clv_segment_load *load, double *outboard)
{
    clv_ranked *k = owner;
    clv_relay *r = &k->relay;
    for (int i = 0; i < count(r); i++) {
        double *up = clv_relay_up(r, r->first + i);
        up[0] = good ? 1.0 : 0.0;
        memcpy(up + 1, load[i].Q, sizeof load[i].Q), memcpy(up + 7, load[i].start, sizeof load[i].start);
    }
    const bool all = clv_relay_sweep(r, &clv_relay_loads, false);
    for (int i = 0; i < count(r); i++)
        memcpy(outboard + 6 * (size_t)i, clv_relay_down(r, r->first + i) + 1, 6 * sizeof(double));
    return all;
}

static void weigh(void *owner, const double *each, double *outboard)
{
    clv_ranked *k = owner;
    clv_relay *r = &k->relay;
    for (int i = 0; i < count(r); i++) {
        double *up = clv_relay_up(r, r->first + i);
        up[0] = 1.0, memcpy(up + 1, each + 3 * (size_t)i, 3 * sizeof(double));
    }
    clv_relay_sweep(r, &clv_relay_ways, false);
    for (int i = 0; i < count(r); i++)
        memcpy(outboard + 2 * (size_t)i, clv_relay_down(r, r->first + i) + 1, 2 * sizeof(double));
}

static void add(void *owner, int n, const double *each, double *sum)
{
    clv_ranked *k = owner;
    clv_relay *r = &k->relay;
    for (int i = 0; i < count(r); i++) {
        double *up = clv_relay_up(r, r->first + i);
        memset(up, 0, (CLV_RELAY_SUMS + 1) * sizeof *up);
        up[0] = 1.0, memcpy(up + 1, each + (size_t)n * (size_t)i, (size_t)n * sizeof(double));
    }
    clv_relay_sweep(r, &clv_relay_sums, false);
    memcpy(sum, clv_relay_down(r, r->first) + 1, (size_t)n * sizeof(double));
}

static double largest(void *owner, double x)
{
    clv_ranked *k = owner;
    clv_relay *r = &k->relay;
    for (int i = 0; i < count(r); i++) {
        double *up = clv_relay_up(r, r->first + i);
        up[0] = 1.0, up[1] = x;
    }
    const bool all = clv_relay_sweep(r, &clv_relay_largest, false);
    return all ? clv_relay_down(r, r->first)[1] : INFINITY;
}

/* ------------------------------------------------------------------ open and close */

static clv_status open_share(clv_ranked *r, const clv_model *m, const clv_ranks *ranks)
{
    if (ranks->size > r->cut.nsegment) {
        clv_fail(&r->error, CLV_ERR_UNSUPPORTED, "%d ranks are more than this mechanism has segments, %d", ranks->size,
                 r->cut.nsegment);
        clv_error_hint(&r->error, "its main run is too short; take %d ranks at most", r->cut.nsegment);
        return r->error.code;
    }
    if (!clv_relay_open(&r->relay, ranks, r->cut.nsegment))
        return clv_fail(&r->error, CLV_ERR_MEMORY, "out of memory");
    return clv_share_open(&r->share, &r->cut, m, r->relay.first, r->relay.end, &r->error);
}

clv_status clv_ranked_open(clv_ranked *r, const clv_model *m, const clv_sim_options *options, const clv_ranks *ranks,
                           int segments)
{
    *r = (clv_ranked){0};
    clv_error_clear(&r->error);
    clv_status st = clv_cut_model(&r->cut, m, segments, &r->error);
    if (st == CLV_OK)
        st = open_share(r, m, ranks);
    if (st != CLV_OK)
        return st;
    r->divided = (clv_divided){
        .nsegment = r->share.end - r->share.first,
        .segment = r->share.segment,
        .segment_of = r->share.segment_of,
        .across = {.owner = r, .size = r->cut.size, .place = place, .join = join, .sum = sum, .weigh = weigh,
                   .add = add, .largest = largest},
    };
    st = clv_sim_create_divided(&r->sim, r->share.model, options, &r->divided);
    if (st != CLV_OK && r->sim)
        r->error = *clv_sim_error(r->sim);
    return st;
}

void clv_ranked_close(clv_ranked *r)
{
    clv_sim_destroy(r->sim);
    clv_share_close(&r->share);
    clv_relay_close(&r->relay);
    clv_cut_close(&r->cut);
}

/* ------------------------------------------------------------------ outputs */

/* n numbers a item: those of this rank or, on rank 0, of every rank one after the other, by index */
static bool collect(clv_ranked *r, const int *index, const double *own, int items, int n, double *to)
{
    const clv_ranks *k = r->relay.ranks;
    const size_t size = (size_t)n * sizeof(double);
    if (k->rank > 0)
        return k->send(k->owner, 0, &items, sizeof items) &&
               k->send(k->owner, 0, index, (size_t)items * sizeof *index) &&
               k->send(k->owner, 0, own, (size_t)items * size);
    for (int i = 0; i < items; i++)
        memcpy(to + (size_t)index[i] * (size_t)n, own + (size_t)i * (size_t)n, size);
    bool good = true;
    for (int from = 1; from < k->size && good; from++) {
        good = k->receive(k->owner, from, &items, sizeof items);
        int *places = good ? clv_alloc((size_t)items + 1, sizeof *places) : NULL;
        double *numbers = good ? clv_alloc((size_t)items + 1, size) : NULL;
        good = places && numbers && k->receive(k->owner, from, places, (size_t)items * sizeof *places) &&
               k->receive(k->owner, from, numbers, (size_t)items * size);
        for (int i = 0; i < items && good; i++)
            memcpy(to + (size_t)places[i] * (size_t)n, numbers + (size_t)i * (size_t)n, size);
        clv_free(places), clv_free(numbers);
    }
    return good;
}

bool clv_ranked_gather(clv_ranked *r, double *position, double *orientation, double *velocity, double energy[2])
{
    const int n = r->share.model->nbody;
    double *each = clv_alloc(2 * (size_t)r->divided.nsegment, sizeof *each);
    if (!each)
        return false;
    clv_sim_segment_energies(r->sim, each);
    add(r, 2, each, energy);
    clv_free(each);
    return collect(r, r->share.body, clv_sim_position(r->sim), n, 3, position) &&
           collect(r, r->share.body, clv_sim_quaternion(r->sim), n, 4, orientation) &&
           collect(r, r->share.body, clv_sim_velocity(r->sim), n, 6, velocity);
}

bool clv_ranked_joints(clv_ranked *r, int n, void (*of)(const clv_sim *sim, int joint, double *to), double *to)
{
    const int items = r->share.model->njoint;
    double *own = clv_alloc((size_t)items + 1, (size_t)n * sizeof *own);
    if (!own)
        return false;
    for (int i = 0; i < items; i++)
        of(r->sim, i, own + (size_t)i * (size_t)n);
    const bool good = collect(r, r->share.joint, own, items, n, to);
    clv_free(own);
    return good;
}
