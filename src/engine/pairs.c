/* SPDX-License-Identifier: Apache-2.0
 * Which nodes are pairs, their batches, and the order in which all parts are factored and solved (pairs.h).
 *
 * Two pairs are congruent if the kernels run through the same loops for both: equal numbers of rows and ports, and the
 * same places of handles and ports.  Congruent pairs of one depth fill batches of eight in the order of the parts.  So
 * batches follow from the plan alone, and not from the width of the lanes or the number of threads.
 *
 * Parts of one depth do not depend on each other, and threads share them out (T44).  Leaves have depth 0; the way up
 * ends at the root, the way down begins there. */
#include "engine/pairs.h"
#include <string.h>
#include "engine/kernels.h"
#include "math/rank.h"

enum { SHAPES = 64 }; /* of one depth that are put into batches; rarer ones come alone */

static const clv_edge *edge_of(const clv_plan *p, const clv_part *q) { return &p->edge[p->edges_of[q->edge]]; }

/* index of a body among the ports of a part, or -1 */
static int port_index(const clv_plan *p, const clv_part *q, int body)
{
    for (int i = 0; i < q->nport; i++)
        if (p->ports[q->port + i] == body)
            return i;
    return -1;
}

/* the child of a node that shows a body as a port; -1: none */
static int child_with(const clv_plan *p, const clv_part *q, int body)
{
    for (int c = 0; c < 2; c++)
        if (q->child[c] >= 0 && port_index(p, &p->part[q->child[c]], body) >= 0)
            return c;
    return -1;
}

/* A number that congruent pairs share; -1: the part is no pair.  The last node of a mechanism with loops has no
 * neighbour and shows nothing: alone it takes fewer instructions. */
static int shape_of(const clv_plan *p, int k, clv_pair_side side[2])
{
    const clv_part *q = &p->part[k];
    /* no node, the connection matrix, several edges, petals, a coupling or more than two handles: alone */
    const int children = (q->child[0] >= 0) + (q->child[1] >= 0);
    if (!clv_part_is_node(q) || (p->connect && p->connect->part == k) || q->nedge != 1 || q->m > CLV_PAIR_ROWS ||
        q->m == 0 || q->petal || q->npetal > 0 || q->nport > CLV_PAIR_PORTS || (q->loop && q->nport == 0) ||
        edge_of(p, q)->nhandle != children)
        return -1;
    /* the number is built digit by digit from what decides the kernels' loops: rows, rank decision, */
    int shape = (q->m - 1) * 2 + q->loop, found = 0, taken = 0;
    for (int h = 0; h < children; h++) {
        const int body = edge_of(p, q)->body[h], c = child_with(p, q, body);
        if (c < 0 || (taken & 1 << c))
            return -1;
        const clv_part *child = &p->part[q->child[c]];
        const int at = port_index(p, child, body), far = child->nport == 2 ? 1 - at : -1;
        /* the handle's own place among the ports of the node, and that of the child's other port */
        const int keep = port_index(p, q, body), pass = far < 0 ? -1 : port_index(p, q, p->ports[child->port + far]);
        if (child->nport > 2 || (far >= 0 && pass < 0))
            return -1;
        side[h] = (clv_pair_side){6 * child->nport, 6 * at, 6 * far, keep, pass};
        shape = (((shape * 2 + (at > 0)) * 2 + child->nport - 1) * 3 + keep + 1) * 3 + pass + 1;
        taken |= 1 << c, found += (keep >= 0) + (pass >= 0);
    }
    /* every port of the node must come from one of the children */
    return found == q->nport ? children + 2 * shape : -1;
}

/* Batches of eight, depth by depth and in the order of parts; other parts come alone.  Counts batches and their
 * numbers, and fills the order if there is one. */
typedef struct count {
    int batches, steps;
    size_t numbers;
} count;

typedef struct open { /* the batch of a shape that takes the next pair */
    int shape, n, batch;
} open;

static size_t numbers_of(bool loop) { return (size_t)(loop ? CLV_PAIR_ALL : CLV_PAIR_PLAIN) * CLV_GROUP; }

/* the batch for a shape, a new one if there is none with room; -1: too many shapes */
static int batch_of(open *list, int *n, int shape, count *c)
{
    int i = 0;
    while (i < *n && list[i].shape != shape)
        i++;
    if (i == SHAPES)
        return -1;
    /* a new shape has a full batch, so that its first pair opens one */
    if (i == *n)
        list[(*n)++] = (open){.shape = shape, .n = CLV_GROUP};
    if (list[i].n == CLV_GROUP)
        list[i] = (open){.shape = shape, .batch = c->batches++};
    list[i].n++;
    return list[i].batch;
}

static void put_pair(clv_pairing *o, const clv_plan *p, int k, int batch, const clv_pair_side side[2])
{
    const clv_part *q = &p->part[k];
    const clv_edge *edge = edge_of(p, q);
    clv_pairs *b = &o->batch[batch];
    /* the first pair of a batch: what all of its lanes share */
    if (b->n == 0) {
        *b = (clv_pairs){.m = q->m, .nside = edge->nhandle, .nport = q->nport, .loop = q->loop, .number = b->number};
        memcpy(b->side, side, sizeof b->side);
        for (int h = 0; h < b->nside; h++) {
            if (side[h].keep >= 0)
                b->port_side[side[h].keep] = h, b->port_at[side[h].keep] = side[h].at;
            if (side[h].pass >= 0)
                b->port_side[side[h].pass] = h, b->port_at[side[h].pass] = side[h].far;
        }
        o->step[o->nstep++] = -1 - batch;
    }
    o->lane_of[k] = CLV_GROUP * batch + b->n;
    b->part[b->n++] = k;
}

/* the other parts of a depth, which come last in it */
static void order_nodes(const clv_plan *p, clv_pairing *o, int depth)
{
    o->alone[depth] = o->nstep;
    for (int k = 0; k < p->npart; k++)
        if (p->part[k].depth == depth && clv_part_is_node(&p->part[k]) && o->lane_of[k] < 0)
            o->step[o->nstep++] = k;
    o->depth[depth + 1] = o->nstep;
}

static count order_parts(const clv_plan *p, clv_pairing *o)
{
    count c = {0};
    /* The order within a depth is that of the parts, whatever the lanes are: it determines bits. */
    for (int depth = 0; depth <= p->depth; depth++) {
        open list[SHAPES];
        int n = 0;
        if (o)
            o->depth[depth] = o->nstep;
        for (int k = 0; k < p->npart; k++) {
            clv_pair_side side[2] = {{0}};
            const int shape = p->part[k].depth == depth ? shape_of(p, k, side) : -1, before = c.batches;
            const int batch = shape < 0 ? -1 : batch_of(list, &n, shape, &c);
            if (p->part[k].depth != depth)
                continue;
            c.steps += batch < 0 || c.batches > before;
            c.numbers += c.batches > before ? numbers_of(p->part[k].loop) : 0;
            if (o && batch >= 0)
                put_pair(o, p, k, batch, side);
            else if (o && !clv_part_is_node(&p->part[k]))
                o->step[o->nstep++] = k;
        }
        if (o)
            order_nodes(p, o, depth);
    }
    return c;
}

void clv_pairs_layout(clv_pairing *o, const clv_plan *p, clv_arena *a)
{
    /* counted first, then laid out: a plan never needs more memory later */
    const count c = order_parts(p, NULL);
    o->nbatch = c.batches, o->nstep = 0, o->made = false;
    CLV_TAKE(a, o->batch, c.batches), CLV_TAKE(a, o->step, c.steps), CLV_TAKE(a, o->lane_of, p->npart);
    CLV_TAKE(a, o->shown, p->npart), CLV_TAKE(a, o->number, c.numbers);
    o->ndepth = p->depth + 1;
    CLV_TAKE(a, o->depth, o->ndepth + 1), CLV_TAKE(a, o->alone, o->ndepth);
}

/* where a batch finds its lanes; those beyond the last repeat it */
static void place(clv_pairs *b, const clv_plan *p, const size_t *at)
{
    for (int l = 0; l < CLV_GROUP; l++) {
        /* lanes beyond the last repeat it, so that nothing is read that is not a node */
        const int k = b->part[l] = b->part[l < b->n ? l : b->n - 1];
        const clv_part *q = &p->part[k];
        const clv_edge *edge = edge_of(p, q);
        b->own[l] = at[k], b->row[l] = edge->row;
        for (int h = 0; h < b->nside; h++) {
            b->child[h][l] = at[q->child[child_with(p, q, edge->body[h])]];
            b->block[h][l] = (size_t)edge->block[h];
        }
    }
}

void clv_pairs_begin(clv_pairing *o, const clv_plan *p, const size_t *at)
{
    double *number = o->number;
    memset(o->batch, 0, (size_t)o->nbatch * sizeof *o->batch);
    for (int k = 0; k < p->npart; k++)
        o->lane_of[k] = -1, o->shown[k] = -1;
    o->nstep = 0, o->made = false;
    order_parts(p, o);
    /* the numbers of a batch follow those of the batch before */
    for (int i = 0; i < o->nbatch; i++) {
        o->batch[i].number = number, number += numbers_of(o->batch[i].loop);
        place(&o->batch[i], p, at);
    }
}

/* ------------------------------------------------------------------ all parts */

/* the narrowest kernels that take all lanes of a batch at once, no wider than those of the engine */
static const clv_kernels *kernels_for(const clv_engine *e, const clv_pairs *b)
{
    /* a batch of three takes four lanes where the CPU has eight: fewer numbers are computed for nothing */
    int lanes = 1;
    while (lanes < b->n && lanes < e->kernels->lanes)
        lanes *= 2;
    return lanes == e->kernels->lanes ? e->kernels : clv_kernels_of(lanes);
}

/* what the lanes found, into the engine's outcome; false: singular */
static bool outcome(clv_engine *e, const clv_pairs *b)
{
    const double *x = b->number;
    for (int l = 0; l < b->n; l++) {
        const double pivot = x[CLV_PAIR_PIVOT * CLV_GROUP + l], dropped = x[CLV_PAIR_DROPPED * CLV_GROUP + l];
        /* a lane is one node: its outcome is that of node.c */
        const int nullity = b->m - (int)x[CLV_PAIR_RANK * CLV_GROUP + l];
        if (x[CLV_PAIR_OK * CLV_GROUP + l] != 1.0) {
            e->failed_edge = e->plan->edges_of[e->plan->part[b->part[l]].edge];
            return false;
        }
        e->nullity[b->part[l]] = nullity, e->truncated += nullity;
        if (b->loop && pivot < e->min_pivot)
            e->min_pivot = pivot;
        if (pivot < e->weakest)
            e->weakest = pivot;
        if (dropped > e->max_dropped)
            e->max_dropped = dropped;
    }
    return true;
}

/* The steps of one depth that do not share memory, on the threads of the team (T44); children lie in other depths. */
enum { RUN = 8 };        /* steps that a thread takes at a time              */
enum { PER_THREAD = 2 }; /* nodes of a depth for each thread, at least, and  */
enum { MOST_CHUNKS = 256 };
typedef struct depth_work {
    clv_engine *e;
    int first;
    bool leaves;
} depth_work;

static void each_of_depth(clv_engine *e, int depth, bool leaves, clv_team_work *work)
{
    const clv_pairing *o = &e->pairing;
    const int first = o->depth[depth];
    clv_team_run_each(e->team, o->alone[depth] - first, RUN, work, &(depth_work){e, first, leaves});
}

static clv_pairs *batch_at(const clv_pairing *o, int i) { return o->step[i] < 0 ? &o->batch[-1 - o->step[i]] : NULL; }

static void factor_step(void *of, int i)
{
    const depth_work *d = of;
    clv_pairs *b = batch_at(&d->e->pairing, d->first + i);
    if (b)
        kernels_for(d->e, b)->pair_factor(d->e, b);
    else
        clv_factor_part(d->e, d->e->pairing.step[d->first + i]); /* a strand or star: does not fail */
}

/* Plain nodes of a depth.  Where there are enough of them for all threads, in chunks with a scratch of their own.  Else
 * one after the other, and threads share out what is inside (node.c). */
typedef void node_verb(clv_engine *e, int part, double *scratch);
typedef struct alone_work {
    clv_engine *e;
    int first, n, chunks;
    size_t scratch;
    node_verb *verb;
} alone_work;

static void do_chunk(void *of, int chunk)
{
    const alone_work *w = of;
    const int from = w->n * chunk / w->chunks, to = w->n * (chunk + 1) / w->chunks;
    for (int i = from; i < to; i++) {
        const int part = w->e->pairing.step[w->first + i];
        if (clv_part_is_plain(w->e->plan, part))
            w->verb(w->e, part, w->e->scratch + (size_t)chunk * w->scratch);
    }
}

static void each_alone(clv_engine *e, int depth, node_verb *verb)
{
    const clv_pairing *o = &e->pairing;
    const int threads = clv_team_size(e->team);
    alone_work w = {.e = e, .first = o->alone[depth], .chunks = 1, .verb = verb};
    w.n = o->depth[depth + 1] - w.first;
    for (int i = 0; i < w.n && threads > 1; i++) {
        const size_t scratch = clv_node_scratch(e->plan, o->step[w.first + i]);
        w.scratch = scratch > w.scratch ? scratch : w.scratch;
    }
    const size_t room = w.scratch > 0 ? e->nscratch / w.scratch : 0, most = room < (size_t)w.n ? room : (size_t)w.n;
    if (most >= PER_THREAD * (size_t)threads)
        w.chunks = most < MOST_CHUNKS ? (int)most : MOST_CHUNKS;
    clv_team_run(e->team, w.chunks, do_chunk, &w);
}

/* the connections of all branches have an outcome of their own */
static bool alone_outcome(clv_engine *e, int part)
{
    return clv_part_connects(e->plan, part) ? clv_factor_part(e, part) : clv_factor_outcome(e, part);
}

bool clv_parts_factor(clv_engine *e)
{
    const clv_pairing *o = &e->pairing;
    e->pairing.made = true;
    for (int depth = 0; depth < o->ndepth; depth++) {
        each_of_depth(e, depth, true, factor_step);
        each_alone(e, depth, clv_node_factor);
        /* outcomes in the order of steps, by one thread: the first failure is the same for any number of threads */
        for (int i = o->depth[depth]; i < o->depth[depth + 1]; i++) {
            const clv_pairs *b = batch_at(o, i);
            if (b ? !outcome(e, b) : i >= o->alone[depth] && !alone_outcome(e, o->step[i]))
                return false;
        }
    }
    return true;
}

static void up_step(void *of, int i)
{
    const depth_work *d = of;
    clv_pairs *b = batch_at(&d->e->pairing, d->first + i);
    if (b)
        kernels_for(d->e, b)->pair_up(d->e, b);
    else if (d->leaves)
        clv_solve_part_up(d->e, d->e->pairing.step[d->first + i]);
}

void clv_parts_up(clv_engine *e, bool leaves)
{
    const clv_pairing *o = &e->pairing;
    for (int depth = 0; depth < o->ndepth; depth++) {
        each_of_depth(e, depth, leaves, up_step);
        each_alone(e, depth, clv_node_up);
        for (int i = o->alone[depth]; i < o->depth[depth + 1]; i++)
            if (!clv_part_is_plain(e->plan, o->step[i]))
                clv_solve_part_up(e, o->step[i]);
    }
}

static void down_step(void *of, int i)
{
    const depth_work *d = of;
    clv_pairs *b = batch_at(&d->e->pairing, d->first + i);
    if (b)
        kernels_for(d->e, b)->pair_down(d->e, b);
}

void clv_parts_down(clv_engine *e)
{
    const clv_pairing *o = &e->pairing;
    for (int depth = o->ndepth - 1; depth >= 0; depth--) {
        /* the reverse of the way up: nodes alone first, then batches */
        each_alone(e, depth, clv_node_down);
        for (int i = o->depth[depth + 1] - 1; i >= o->alone[depth]; i--)
            if (!clv_part_is_plain(e->plan, o->step[i]))
                clv_solve_part_down(e, o->step[i]);
        each_of_depth(e, depth, true, down_step);
    }
}

/* ------------------------------------------------------------------ one pair as a node */

void clv_pair_show(const clv_engine *e, int part, double *rank)
{
    const int at = e->pairing.lane_of[part], lane = at % CLV_GROUP;
    const clv_pairs *b = &e->pairing.batch[at / CLV_GROUP];
    const int m = b->m, r = m - e->nullity[part];
    clv_rank f = clv_rank_view(m, r, rank);
    const double *x = b->number + lane;
    /* rows of pivots in their order, then the rows without one */
    for (int i = 0, place = r; i < m; i++) {
        bool kept = false;
        f.s[i] = x[(CLV_PAIR_S + i) * CLV_GROUP];
        for (int k = 0; k < r; k++) {
            long long pick;
            memcpy(&pick, x + (CLV_PAIR_PICK + CLV_PAIR_ROWS * k + i) * CLV_GROUP, sizeof pick);
            if (!b->ranked ? k == i : pick != 0)
                f.order[k] = i, kept = true;
        }
        if (!kept)
            f.order[place++] = i;
    }
    for (int k = 0; k < m; k++)
        for (int i = 0; i < m; i++) {
            /* as math/rank.c has them: L lower, R upper, zeros elsewhere */
            const int by_row = (CLV_PAIR_ROWS * k + i) * CLV_GROUP;
            f.L[k * m + i] = i <= k ? x[CLV_PAIR_L * CLV_GROUP + by_row] : 0.0;
            f.Q[k * m + i] = r < m ? x[CLV_PAIR_Q * CLV_GROUP + by_row] : 0.0;
            f.R[k * m + i] = r < m && i >= k && i < r ? x[CLV_PAIR_R * CLV_GROUP + by_row] : 0.0;
        }
}
