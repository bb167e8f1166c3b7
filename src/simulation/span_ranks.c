/* SPDX-License-Identifier: Apache-2.0
 * The assembly tree on ranks, on paper (T72); see span_ranks.h. */
#include "simulation/span_ranks.h"
#include <math.h>
#include "base/error.h"
#include "base/memory.h"
#include "simulation/sim.h"

enum { MOTION = 6, STATUS = 1 }; /* numbers of a motion or a wrench, and whether all is well */

/* Bytes that hand on a part with p ports: symmetric response and vector.  And the answer: its motions, a wrench. */
static int up_bytes(int p)
{
    const int n = MOTION * p;
    return 8 * (n * (n + 1) / 2 + n + STATUS);
}
static int down_bytes(int p) { return 8 * (MOTION * (p + 1) + STATUS); }

/* Is there one part from which all others come? */
static bool one_root(const clv_tree_record *r)
{
    int children = 0;
    for (int i = 0; i < 2 * r->npart; i++)
        children += r->child[i] >= 0;
    return children == r->npart - 1;
}

clv_status clv_rank_tree_open(clv_rank_tree *t, clv_sim *s, const clv_tree_record *r, double work)
{
    const clv_plan *p = s->plan;
    const size_t n = (size_t)r->npart + 1;
    *t = (clv_rank_tree){.npart = r->npart, .child = clv_alloc(4 * n, sizeof *t->child),
                         .own = clv_alloc(3 * n, sizeof *t->own)};
    if (!t->child || !t->own)
        return clv_fail(&s->error, CLV_ERR_MEMORY, "no memory for the tree of ranks");
    if (!one_root(r))
        return clv_fail(&s->error, CLV_ERR_UNSUPPORTED, "ranks are predicted for one mechanism; this model has several "
                                                        "that nothing joins");
    t->up = t->own + n, t->down = t->up + n;
    t->bytes_up = t->child + 2 * n, t->bytes_down = t->bytes_up + n;
    int bodies = 0;
    for (int k = 0; k < p->npart; k++)
        bodies += p->part[k].strand < 0 ? 0 : p->strand[p->part[k].strand].length;
    for (int k = 0; k < p->npart; k++) {
        const clv_part *q = &p->part[k];
        t->child[2 * k] = q->child[0], t->child[2 * k + 1] = q->child[1];
        t->own[k] = q->strand < 0 ? 0 : work * p->strand[q->strand].length / bodies;
        t->up[k] = q->strand < 0 ? r->up[k] : 0, t->down[k] = q->strand < 0 ? r->down[k] : 0;
        const int ports = q->nport > 2 ? q->nport : 2; /* a root and a handle, even of the last part of a chain */
        t->bytes_up[k] = up_bytes(ports), t->bytes_down[k] = down_bytes(ports);
    }
    return CLV_OK;
}

void clv_rank_tree_close(clv_rank_tree *t)
{
    clv_free(t->child), clv_free(t->own);
    *t = (clv_rank_tree){0};
}

/* ---------------------------------------------------------------- one number of ranks */

typedef struct forecast {
    const clv_rank_tree *t;
    const double *sum;   /* (npart) s: bodies of the part with all below it */
    int *busy;           /* (ranks) messages                                */
    clv_rank_forecast f;
} forecast;

static double message(const clv_rank_tree *t, int bytes) { return t->latency + bytes / t->bandwidth; }

/* The child that several ranks share while the other one, smaller than half a rank, is done beside it; -1: both are
 * shared out, *first gets that many ranks. */
static int shared_alone(const forecast *c, int k, int ranks, int *first)
{
    const int a = c->t->child[2 * k], b = c->t->child[2 * k + 1];
    if (a < 0 || b < 0)
        return a < 0 ? b : a;
    *first = (int)floor(ranks * c->sum[a] / (c->sum[a] + c->sum[b]) + 0.5);
    return *first == 0 ? b : *first == ranks ? a : -1;
}

static void count(forecast *c, int k, int from, int to)
{
    const clv_rank_tree *t = c->t;
    const int largest = t->bytes_up[k] > t->bytes_down[k] ? t->bytes_up[k] : t->bytes_down[k];
    c->f.messages += 2;
    c->busy[from] += 2, c->busy[to] += 2;
    c->f.bytes += t->bytes_up[k] + t->bytes_down[k];
    c->f.largest = largest > c->f.largest ? largest : c->f.largest;
}

/* How long the way up of part k takes on `ranks` ranks from `rank` on; *sink: its way down. */
static double rise(forecast *c, int k, int rank, int ranks, double *sink)
{
    const clv_rank_tree *t = c->t;
    const int *child = &t->child[2 * k];
    *sink = 0;
    if (ranks == 1 || (child[0] < 0 && child[1] < 0)) {
        c->f.most_work = fmax(c->f.most_work, c->sum[k]);
        return c->sum[k];
    }
    int first = 0;
    const int alone = shared_alone(c, k, ranks, &first);
    if (alone >= 0) {
        const double beside = c->sum[k] - c->sum[alone], time = rise(c, alone, rank, ranks, sink);
        *sink += t->down[k];
        return time + beside + t->up[k];
    }
    double sinks[2];
    const double a = rise(c, child[0], rank, first, &sinks[0]);
    const double b = rise(c, child[1], rank + first, ranks - first, &sinks[1]);
    count(c, child[1], rank + first, rank);
    *sink = t->down[k] + fmax(sinks[0], sinks[1] + message(t, t->bytes_down[child[1]]));
    return fmax(a, b + message(t, t->bytes_up[child[1]])) + t->up[k];
}

clv_rank_forecast clv_ranks_forecast(const clv_rank_tree *t, int ranks)
{
    double *sum = clv_alloc((size_t)t->npart + 1, sizeof *sum), sink;
    int *busy = clv_alloc((size_t)ranks, sizeof *busy);
    forecast c = {.t = t, .sum = sum, .busy = busy, .f = {.ranks = ranks, .seconds = NAN}};
    if (sum && busy && t->npart > 0) {
        for (int k = 0; k < t->npart; k++) {
            sum[k] = t->own[k];
            for (int h = 0; h < 2; h++)
                sum[k] += t->child[2 * k + h] < 0 ? 0 : sum[t->child[2 * k + h]];
        }
        c.f.seconds = rise(&c, t->npart - 1, 0, ranks, &sink) + sink;
        for (int i = 0; i < ranks; i++)
            c.f.busiest = busy[i] > c.f.busiest ? busy[i] : c.f.busiest;
    }
    clv_free(sum), clv_free(busy);
    return c.f;
}

double clv_ranks_doubling(const clv_rank_tree *t)
{
    double join = 0;
    int nodes = 0;
    for (int k = 0; k < t->npart; k++) {
        const int b = t->child[2 * k + 1];
        if (b >= 0)
            join += t->up[k] + t->down[k] + message(t, t->bytes_up[b]) + message(t, t->bytes_down[b]), nodes++;
    }
    return nodes > 0 ? join / nodes : NAN;
}
