/* SPDX-License-Identifier: Apache-2.0
 * One mechanism on several ranks; see ranked.h. */
#include "ranks/ranked_record.h"
#include <math.h>
#include <string.h>
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "model/fingerprint.h"
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

static void put_hold(double *up, const clv_segment_hold *h)
{
    up[0] = h->m;
    memcpy(up + 1, h->D, sizeof h->D), memcpy(up + 37, h->a, sizeof h->a), memcpy(up + 43, h->scale, sizeof h->scale);
    up[49] = h->rank;
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
        if (k->cut.closing >= 0)
            put_hold(up + CLV_RELAY_HOLD, &ports[i].hold);
    }
    const bool all = clv_relay_sweep(r, k->cut.closing >= 0 ? &clv_relay_held : &clv_relay_ports, k->cut.root >= 0);
    for (int i = 0; i < count(r); i++) {
        const double *down = clv_relay_down(r, r->first + i);
        memcpy(ends[i].x, down + 1, sizeof ends[i].x), memcpy(ends[i].F, down + 7, sizeof ends[i].F);
        memcpy(ends[i].W, down + 13, sizeof ends[i].W);
        ends[i].truncated = k->cut.closing >= 0 ? (int)down[CLV_RELAY_DROPPED] : 0;
    }
    return all;
}

/* with loops (T160); sets: of motions */
static void put_part(double *up, const clv_segment_part *p, size_t sets)
{
    const size_t n = (size_t)p->n, rows = 6 * n;
    up[CLV_RELAY_BEFORE] = p->before, up[CLV_RELAY_AFTER] = p->n - p->before;
    up[CLV_RELAY_RANK] = p->rank, up[CLV_RELAY_CUT] = p->truncated, up[CLV_RELAY_WEAKEST] = p->weakest;
    up += CLV_RELAY_PART;
    memcpy(up, p->free, 2 * n * sizeof *up), up += 2 * n;
    memcpy(up, p->x, sets * rows * sizeof *up), up += sets * rows;
    memcpy(up, p->X, rows * (rows + 1) / 2 * sizeof *up), up += rows * (rows + 1) / 2;
    if (sets > 1)
        memcpy(up, p->at, n * sizeof *p->at);
}

static bool fit(void *owner, bool good, bool corrections, clv_segment_part *part)
{
    const size_t sets = corrections ? 2 : 1;
    clv_ranked *k = owner;
    clv_relay *r = &k->relay;
    for (int i = 0; i < count(r); i++) {
        double *up = clv_relay_up(r, r->first + i);
        up[0] = good ? 1.0 : 0.0;
        put_part(up, &part[i], sets);
    }
    const bool all = clv_relay_sweep(r, corrections ? &clv_relay_corrections : &clv_relay_parts, false);
    for (int i = 0; i < count(r); i++) {
        const double *down = clv_relay_down(r, r->first + i);
        part[i].truncated = (int)down[CLV_RELAY_DOWN_CUT], part[i].weakest = down[CLV_RELAY_DOWN_WEAKEST];
        memcpy(part[i].F, down + CLV_RELAY_WRENCH, sets * 6 * (size_t)part[i].n * sizeof *part[i].F);
    }
    return all;
}

static double number(double x) { return isnan(x) ? INFINITY : x; }

enum { ADDED = 1 + CLV_RELAY_MOST }; /* where sums begin */

/* part: ports of each segment, or NULL */
static void sum_up(clv_ranked *k, int n, const double *each, double *sum, double most[CLV_ACROSS_MOST],
                   const clv_segment_part *part)
{
    clv_relay *r = &k->relay;
    for (int i = 0; i < count(r); i++) {
        double *up = clv_relay_up(r, r->first + i), *ports = up + ADDED + CLV_RELAY_SUMS;
        memset(up, 0, (ADDED + CLV_RELAY_SUMS) * sizeof *up);
        up[0] = 1.0;
        for (int m = 0; m < CLV_RELAY_MOST; m++)
            up[1 + m] = number(most[m]);
        memcpy(up + ADDED, each + (size_t)n * (size_t)i, (size_t)n * sizeof(double));
        if (!part)
            continue;
        ports[0] = part[i].before, ports[1] = part[i].n - part[i].before;
        memcpy(ports + 2, part[i].at, (size_t)part[i].n * sizeof *part[i].at);
    }
    const bool all = clv_relay_sweep(r, part ? &clv_relay_looks : &clv_relay_sums, false);
    const double *down = clv_relay_down(r, r->first);
    memcpy(sum, down + ADDED, (size_t)n * sizeof(double));
    for (int m = 0; m < CLV_RELAY_MOST; m++)
        most[m] = all ? down[1 + m] : INFINITY;
}

static void add(void *owner, int n, const double *each, double *sum, double most[CLV_ACROSS_MOST])
{
    sum_up(owner, n, each, sum, most, NULL);
}

static void look(void *owner, int n, const double *each, double *sum, double most[CLV_ACROSS_MOST],
                 const clv_segment_part *part)
{
    sum_up(owner, n, each, sum, most, part);
}

static double largest(void *owner, double x)
{
    clv_ranked *k = owner;
    clv_relay *r = &k->relay;
    for (int i = 0; i < count(r); i++) {
        double *up = clv_relay_up(r, r->first + i);
        up[0] = 1.0, up[1] = number(x);
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
        clv_error_hint(&r->error, "its main chain is too short; take %d ranks at most", r->cut.nsegment);
        return r->error.code;
    }
    int most = 1;
    for (int k = 0; r->cut.border && k <= r->cut.nsegment; k++)
        most = r->cut.border[k] > most ? r->cut.border[k] : most;
    const clv_relay_room room = clv_relay_parts_room(most);
    if (!clv_relay_open(&r->relay, ranks, r->cut.nsegment, r->cut.border ? &room : NULL))
        return clv_fail(&r->error, CLV_ERR_MEMORY, "out of memory");
    r->relay.border = r->cut.border;
    clv_status st = clv_share_open(&r->share, &r->cut, m, r->relay.first, r->relay.end, &r->error);
    if (st == CLV_OK)
        st = clv_ranked_list_events(r, m);
    clv_cut_forget(&r->cut);
    return st;
}

/* whatever changes a number of the run */
static uint64_t print_of(const clv_ranked *r, const clv_sim_options *o)
{
    clv_sim_report report;
    clv_sim_summary(r->sim, &report);
    const double number[] = {r->cut.nsegment, r->nbody, o->rtol, isnan(o->atol) ? o->rtol : o->atol, o->step,
                             o->max_step, o->plain_tolerance};
    const uint64_t h = clv_hash(r->model_print, number, sizeof number);
    return clv_hash_text(clv_hash_text(h, report.formulation), report.integrator);
}

/* the times at which all ranks stop */
static clv_status list_breaks(clv_ranked *r, const clv_model *m)
{
    clv_break kind;
    for (int pass = 0; pass < 2; pass++) {
        int n = 0;
        for (double t = clv_break_next(m, -1e300, &kind); isfinite(t); t = clv_break_next(m, t, &kind), n++)
            if (pass)
                r->breaks[n] = (clv_divided_time){t, kind};
        r->nbreak = n;
        if (!pass && !(r->breaks = clv_alloc((size_t)n + 1, sizeof *r->breaks)))
            return clv_fail(&r->error, CLV_ERR_MEMORY, "out of memory");
    }
    return CLV_OK;
}

clv_status clv_ranked_divide(clv_ranked **ranked, const clv_model *m, const clv_ranks *ranks, int segments)
{
    clv_ranked *r = *ranked = clv_alloc(1, sizeof *r);
    if (!r)
        return CLV_ERR_MEMORY;
    r->nbody = m->nbody, r->njoint = m->njoint, r->model_print = clv_model_fingerprint(m);
    clv_error_clear(&r->error);
    clv_status st = clv_cut_model(&r->cut, m, segments, &r->error);
    if (st == CLV_OK)
        st = list_breaks(r, m);
    return st == CLV_OK ? open_share(r, m, ranks) : st;
}

void clv_ranked_blind(clv_ranked *r) { r->divided.blind = true; }

static bool agree(void *owner, bool good)
{
    clv_ranked *r = owner;
    r->agreed = true, r->parted = !clv_ranked_all(r, good);
    return !r->parted;
}

clv_status clv_ranked_begin(clv_ranked *r, const clv_sim_options *options)
{
    r->divided = (clv_divided){
        .nsegment = r->share.end - r->share.first,
        .segment = r->share.segment,
        .segment_of = r->share.segment_of,
        .closed = r->cut.closing >= 0,
        .closing = r->share.closing_body >= 0 ? &r->share.closing : NULL,
        .nbreak = r->nbreak,
        .breaks = r->breaks,
        .stop = INFINITY,
        .leads = r->share.first == 0,
        .looks = r->nevent > 0,
        .blind = r->divided.blind && r->nevent == 0,
        .across = {.owner = r, .size = r->cut.size, .mass = r->cut.mass, .place = place, .join = join, .fit = fit,
                   .look = look, .add = add, .largest = largest},
        .agree = agree,
    };
    clv_status st = clv_sim_create_divided(&r->sim, r->share.model, options, &r->divided);
    if (st != CLV_OK)
        r->error = r->sim ? *clv_sim_error(r->sim) : (clv_error){.code = st, .message = "out of memory"};
    /* who has failed without a message is waited for where all agree first; who has not, where all agree last */
    if (st == CLV_OK ? !agree(r, true) : !r->agreed && !agree(r, false))
        st = st == CLV_OK ? clv_fail(&r->error, CLV_ERR_SINGULAR, CLV_DIVIDED_ELSEWHERE) : st;
    if (st == CLV_OK)
        r->print = print_of(r, options);
    return st;
}

clv_status clv_ranked_open(clv_ranked **r, const clv_model *m, const clv_sim_options *options, const clv_ranks *ranks,
                           int segments)
{
    const clv_status st = clv_ranked_divide(r, m, ranks, segments);
    return st == CLV_OK ? clv_ranked_begin(*r, options) : st;
}

void clv_ranked_close(clv_ranked *r)
{
    if (!r)
        return;
    clv_sim_destroy(r->sim);
    clv_share_close(&r->share);
    clv_relay_close(&r->relay);
    clv_cut_close(&r->cut);
    clv_ranked_forget_events(r);
    clv_free(r->breaks);
    clv_free(r);
}

clv_sim *clv_ranked_sim(const clv_ranked *r) { return r->sim; }
const clv_error *clv_ranked_error_of(const clv_ranked *r) { return r ? &r->error : clv_error_of_null(); }
bool clv_ranked_elsewhere(const clv_error *e) { return strcmp(e->message, CLV_DIVIDED_ELSEWHERE) == 0; }
bool clv_ranked_parted(const clv_ranked *r) { return r->parted; }
bool clv_ranked_closed(const clv_ranked *r) { return r->cut.closing >= 0; }
int clv_ranked_segments(const clv_ranked *r) { return r->cut.nsegment; }
void clv_ranked_sent(const clv_ranked *r, long *messages, long *bytes)
{
    *messages = r->relay.messages, *bytes = r->relay.bytes;
}

/* ------------------------------------------------------------------ outputs */

void *clv_ranked_room(const clv_ranked *r, int n, size_t size)
{
    const clv_ranks *k = r->relay.ranks;
    enum { RESOURCES = 4 }; /* exit code of programs without memory */
    void *room = clv_alloc((size_t)n + 1, size);
    if (!room && k->end_all)
        k->end_all(k->owner, RESOURCES);
    return room;
}

bool clv_ranked_collect(clv_ranked *r, const int *index, const double *own, int items, int n, double *to)
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
        int *places = good ? clv_ranked_room(r, items, sizeof *places) : NULL;
        double *numbers = good ? clv_ranked_room(r, items, size) : NULL;
        good = places && numbers && k->receive(k->owner, from, places, (size_t)items * sizeof *places) &&
               k->receive(k->owner, from, numbers, (size_t)items * size);
        for (int i = 0; i < items && good; i++)
            memcpy(to + (size_t)places[i] * (size_t)n, numbers + (size_t)i * (size_t)n, size);
        clv_free(places), clv_free(numbers);
    }
    return good;
}

bool clv_ranked_all(clv_ranked *r, bool here) { return !(largest(r, here ? 0 : 1) > 0); }

double clv_ranked_sum(clv_ranked *r, double x)
{
    clv_relay *k = &r->relay;
    for (int i = 0; i < count(k); i++) {
        double *up = clv_relay_up(k, k->first + i);
        memset(up, 0, (ADDED + CLV_RELAY_SUMS) * sizeof *up);
        up[0] = 1.0, up[ADDED] = i == 0 ? x : 0;
    }
    clv_relay_sweep(k, &clv_relay_sums, false);
    return clv_relay_down(k, k->first)[ADDED];
}

/* the joint of the loop over all segments, from the rank that has it */
static bool gather_closing(clv_ranked *r, const clv_ranked_state *to)
{
    const int here = r->share.closing_body >= 0 ? 1 : 0;
    double q[7], u[6];
    if (here)
        clv_divided_closing_state(r->sim, q, u);
    return clv_ranked_collect(r, &r->cut.closing, q, here, 7, to->q) &&
           clv_ranked_collect(r, &r->cut.closing, u, here, 6, to->u);
}

static bool gather_joints(clv_ranked *r, const clv_ranked_state *to)
{
    const int n = r->share.model->njoint;
    double *q = clv_alloc((size_t)n + 1, 7 * sizeof *q), *u = clv_alloc((size_t)n + 1, 6 * sizeof *u);
    bool good = clv_ranked_all(r, q && u) && q && u;
    good = good && clv_sim_coordinates(r->sim, q, u) == CLV_OK &&
           clv_ranked_collect(r, r->share.joint, q, n, 7, to->q) &&
           clv_ranked_collect(r, r->share.joint, u, n, 6, to->u);
    clv_free(q), clv_free(u);
    return good && (r->cut.closing < 0 || gather_closing(r, to));
}

bool clv_ranked_gather(clv_ranked *r, const clv_ranked_state *to, double energy[3])
{
    const int n = r->share.model->nbody;
    assert(!r->divided.blind);
    double *each = clv_alloc((size_t)r->divided.nsegment, 2 * sizeof *each), own[3], none[CLV_ACROSS_MOST] = {0};
    if (!clv_ranked_all(r, each != NULL) || !each) {
        clv_free(each);
        return false;
    }
    clv_sim_segment_energies(r->sim, each);
    clv_sim_energy(r->sim, own, own + 1, own + 2);
    add(r, 2, each, energy, none);
    clv_free(each);
    energy[2] = clv_ranked_sum(r, own[2]);
    return clv_ranked_collect(r, r->share.body, clv_sim_position(r->sim), n, 3, to->position) &&
           clv_ranked_collect(r, r->share.body, clv_sim_quaternion(r->sim), n, 4, to->orientation) &&
           clv_ranked_collect(r, r->share.body, clv_sim_velocity(r->sim), n, 6, to->velocity) && gather_joints(r, to);
}

int clv_ranked_error(clv_ranked *r, bool has, clv_error *error)
{
    const clv_ranks *k = r->relay.ranks;
    if (k->rank > 0) {
        r->relay.broken |= !k->send(k->owner, 0, &has, sizeof has) || !k->send(k->owner, 0, error, sizeof *error);
        return -1;
    }
    int found = has ? 0 : -1;
    for (int from = 1; from < k->size; from++) {
        clv_error other;
        bool one = false;
        if (!k->receive(k->owner, from, &one, sizeof one) || !k->receive(k->owner, from, &other, sizeof other))
            return found;
        if (one && found < 0)
            *error = other, found = from;
    }
    return found;
}
