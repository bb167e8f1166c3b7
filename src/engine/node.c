/* SPDX-License-Identifier: Apache-2.0
 * Dense nodes in compliance form (T5): x = Xi T + x0 at the ports of a part.  A node puts one or two parts side by side
 * and closes all edges that lie inside, any number at once:
 *
 *   Z = K^T Xi K + eps,   sigma = -Z^+ (K^T x0 - a + Y_e^T T_e),   Y = Xi K
 *   Xi := Xi_ee - Y_e Z^+ Y_e^T,   x0 := x0_e + Y_e sigma_0
 *
 * K holds the 6 x m blocks of the handles.  Where no loop is closed Z is positive definite; where one is, the rank is
 * decided (T20).  A petal (T5.6) has handles K_h on its hub too.  It shows the inertia K_h Z^+ K_h^T and the wrench
 * K_h sigma_0 there (hub.c); the motion of the hub is on the right-hand side of its rows. */
#include <math.h>
#include <string.h>
#include "engine/node.h"
#include "math/lane.h"
#include "math/rank.h"
#include "math/spatial.h"

enum { OUTCOME = 3 };
static const double SHARED = 2e5; /* operations of a node from which threads share them */

static int eights(int n) { return (n + 7) / 8 * 8; }

static clv_node node_of(const clv_plan *p, int k)
{
    clv_node n = {.part = &p->part[k]};
    n.P = (int)clv_part_size(n.part), n.m = n.part->m, n.Pw = eights(n.P);
    const int size1 = clv_node_components(p, n.part->child[1]);
    n.size0 = clv_node_components(p, n.part->child[0]), n.size0w = eights(n.size0);
    n.N = n.size0 + size1, n.Nw = n.size0w + eights(size1);
    return n;
}

/* doubles that a part keeps from factor to solve: Xi (P x P), x0 and T (P each); a node also X (m x Pw), the factor of
 * Z, sigma_0 (m) and the outcome.  Rounded up to whole cache lines. */
size_t clv_node_size(const clv_plan *p, int part)
{
    const clv_part *q = &p->part[part];
    size_t P = clv_part_size(q), size = P * P + 2 * P;
    if (q->npetal > 0)
        size += clv_hub_size(p, part);
    else if (clv_part_is_plain(p, part)) {
        const clv_node n = node_of(p, part);
        const size_t m = (size_t)n.m;
        size = ((size + 7) & ~(size_t)7) + m * (size_t)n.Pw + CLV_RANK_SIZE(m) + m + OUTCOME;
    }
    return (size + 7) & ~(size_t)7;
}

/* doubles that a node needs while it is worked on: G (m x Pw), Y^T (m x Nw), Z (m x m), scales (m); and vectors */
size_t clv_node_scratch(const clv_plan *p, int part)
{
    const clv_node n = node_of(p, part);
    const size_t m = (size_t)n.m;
    if (!clv_part_is_plain(p, part))
        return 0;
    return (m * (size_t)(n.Pw + n.Nw) + m * m + 2 * m + (size_t)(n.Nw + n.Pw) + 7) & ~(size_t)7;
}

clv_node clv_node_at(const clv_engine *e, int k)
{
    const size_t P = clv_part_size(&e->plan->part[k]);
    clv_node n = node_of(e->plan, k);
    n.Xi = clv_part_Xi(e, k), n.x0 = clv_part_x0(e, k), n.T = clv_part_T(e, k);
    n.X = n.Xi + ((P * P + 2 * P + 7) & ~(size_t)7);
    n.rank = n.X + (size_t)n.m * (size_t)n.Pw;
    n.sigma0 = n.rank + CLV_RANK_SIZE((size_t)n.m);
    n.outcome = n.sigma0 + n.m;
    return n;
}

/* column of a component at the children's ports in the lines of Y^T */
static int column_of(const clv_node *n, int at) { return at < n->size0 ? at : at - n->size0 + n->size0w; }

bool clv_node_handle(const clv_engine *e, const clv_node *n, clv_handle *w)
{
    const clv_plan *p = e->plan;
    for (w->h++;; w->h = 0) {
        if (w->q >= n->part->nedge)
            return false;
        int id = p->edges_of[n->part->edge + w->q];
        w->edge = &p->edge[id];
        while (w->h < w->edge->nhandle && e->handle_at[w->edge->handle + w->h] < 0) /* on the hub of a petal */
            w->h++;
        if (w->h < w->edge->nhandle) {
            w->block = e->block + w->edge->block[w->h];
            w->at = e->handle_at[w->edge->handle + w->h];
            return true;
        }
        w->col += w->edge->m;
        w->q++;
    }
}

/* the work on a node that threads share out: pieces write apart */
typedef struct work {
    const clv_engine *e;
    const clv_node *n;
    const clv_rank *f;
    double *Yt, *G, *Z; /* Y^T (m x Nw); panels of eight columns, each (r x 8); Z (m x m, lower triangle) */
} work;

/* the handles of one edge of the node, by next_handle while q stays */
static clv_handle handles_of(const clv_engine *e, const clv_node *n, int q)
{
    clv_handle w = {.q = q, .h = -1};
    for (int i = 0; i < q; i++)
        w.col += e->plan->edge[e->plan->edges_of[n->part->edge + i]].m;
    return w;
}

/* The line of a component in Xi of its child, whose `size` columns begin with component `off` */
typedef struct line {
    const double *Xi;
    int child, off, size;
} line;

static line line_of(const clv_engine *e, const clv_node *n, int at)
{
    const int c = at >= n->size0, off = c ? n->size0 : 0, size = c ? n->N - n->size0 : n->size0;
    return (line){clv_part_Xi(e, n->part->child[c]) + (size_t)(at - off) * (size_t)size, c, off, size};
}

/* Ports of the node from `first` on whose components follow one another at the children; they are those of one child,
 * or the children do not differ.  Returns how many components. */
static int run_of(const clv_engine *e, const clv_node *n, int first)
{
    const int *port = e->port_at + n->part->port;
    int i = first + 1;
    while (i < n->part->nport && port[i] == port[i - 1] + 6 && port[i] != n->size0)
        i++;
    return 6 * (i - first);
}

/* T5.1: lines of Y^T = K^T Xi (m x Nw), those of edge q, and of them X = Y_e^T, what belongs to ports.  Xi is
 * symmetric, and block diagonal over the children. */
static void form_lines(void *of, int q)
{
    const work *x = of;
    const clv_node *n = x->n;
    const clv_edge *edge = &x->e->plan->edge[x->e->plan->edges_of[n->part->edge + q]];
    clv_handle w = handles_of(x->e, n, q);
    double *lines = x->Yt + (size_t)w.col * (size_t)n->Nw;
    memset(lines, 0, (size_t)edge->m * (size_t)n->Nw * sizeof(double));
    while (clv_node_handle(x->e, n, &w) && w.q == q) {
        const line l = line_of(x->e, n, w.at); /* the first of six that the handle multiplies */
        x->e->kernels->node_lines(lines + column_of(n, l.off), n->Nw, l.Xi, l.size, w.block, edge->m);
    }
    double *X = n->X + (size_t)handles_of(x->e, n, q).col * (size_t)n->Pw;
    for (int a = 0, run; a < n->P && !n->part->petal; a += run) {
        run = run_of(x->e, n, a / 6);
        const int at = column_of(n, x->e->port_at[n->part->port + a / 6]);
        for (int j = 0; j < edge->m; j++)
            memcpy(X + j * n->Pw + a, lines + j * n->Nw + at, (size_t)run * sizeof(double));
    }
}

/* T5.1: Z = K^T Y, the lines of edge q up to its diagonal block */
static void form_Z(void *of, int q)
{
    const work *x = of;
    const clv_node *n = x->n;
    clv_handle w = handles_of(x->e, n, q);
    const int m = x->e->plan->edge[x->e->plan->edges_of[n->part->edge + q]].m, end = w.col + m;
    for (int j = 0; j < m; j++)
        memset(x->Z + (w.col + j) * n->m, 0, (size_t)end * sizeof(double));
    while (clv_node_handle(x->e, n, &w) && w.q == q)
        for (int i = 0; i < end; i++) {
            const double *y = x->Yt + (size_t)i * (size_t)n->Nw + column_of(n, w.at);
            for (int j = 0; j < m; j++) {
                double *to = x->Z + (w.col + j) * n->m + i, sum = *to;
                for (int k = 0; k < 6; k++)
                    sum += w.block[6 * j + k] * y[k];
                *to = sum;
            }
        }
}

void clv_node_rows(const clv_engine *e, const clv_node *n, double *out, const double *per_row)
{
    for (int q = 0, col = 0; q < n->part->nedge; q++) {
        const clv_edge *edge = &e->plan->edge[e->plan->edges_of[n->part->edge + q]];
        memcpy(out + col, per_row + edge->row, (size_t)edge->m * sizeof(double));
        col += edge->m;
    }
}

/* eight columns of G = F^-1 Y_e^T */
static void form_panel(void *of, int panel)
{
    const work *x = of;
    x->e->kernels->node_half(x->f, x->G + (size_t)(8 * panel) * (size_t)x->n->m, x->n->X + 8 * panel, x->n->Pw);
}

/* line a of Xi up to component `end` of the ports: the children's, of which bodies of different ones have nothing
 * between them */
static void take_line(const clv_engine *e, const clv_node *n, int a, int end)
{
    const int *port = e->port_at + n->part->port;
    const line l = line_of(e, n, port[a / 6] + a % 6);
    double *to = n->Xi + (size_t)a * (size_t)n->P;
    for (int b = 0, run; b < end; b += run) {
        const int rb = port[b / 6];
        run = run_of(e, n, b / 6);
        run = run < end - b ? run : end - b;
        if (l.child == (rb >= n->size0))
            memcpy(to + b, l.Xi + rb - l.off, (size_t)run * sizeof(double));
        else
            memset(to + b, 0, (size_t)run * sizeof(double));
    }
}

/* T5.3: eight lines of Xi at its ports, the children's minus G^T G (so Y_e Z^+ Y_e^T).  Many rows: up to the diagonal,
 * and the mirror of that; a few: from end to end.  Both give the same numbers, Xi is exactly symmetric. */
static void form_Xi(void *of, int panel)
{
    enum { FEW = 16 };
    const work *x = of;
    const clv_node *n = x->n;
    const int P = n->P, first = 8 * panel, rows = P - first < 8 ? P - first : 8, r = x->f->r;
    const bool few = r < FEW;
    const int end = few ? P : first + rows;
    for (int i = 0; i < rows; i++)
        take_line(x->e, n, first + i, end);
    for (int b = 0; b < end; b += 8) {
        double *to = n->Xi + (size_t)first * (size_t)P + b;
        const int columns = end - b < 8 ? end - b : 8;
        x->e->kernels->node_gram(to, P, rows, columns, x->G + (size_t)first * (size_t)n->m,
                                 x->G + (size_t)b * (size_t)n->m, r);
        for (int j = 0; j < columns && !few; j++)
            for (int i = 0; i < rows; i++)
                n->Xi[(size_t)(b + j) * (size_t)P + (size_t)(first + i)] = to[(size_t)i * (size_t)P + (size_t)j];
    }
}

/* T5.6: the inertia A = K_h Z^+ K_h^T = G^T G that a petal shows at its hub; X: rows of K_h^T */
static void show_inertia(const clv_engine *e, const clv_node *n, const clv_rank *f, double *G)
{
    const clv_plan *p = e->plan;
    for (int q = 0, col = 0; q < n->part->nedge; q++) {
        /* the edge's handle on the hub is the one that has no place among the ports of the children */
        const clv_edge *edge = &p->edge[p->edges_of[n->part->edge + q]];
        const int h = e->handle_at[edge->handle] < 0 ? 0 : 1;
        for (int j = 0; j < edge->m; j++)
            memcpy(n->X + 8 * (col + j), e->block + edge->block[h] + 6 * j, 6 * sizeof(double));
        col += edge->m;
    }
    e->kernels->node_half(f, G, n->X, 8);
    for (int a = 0; a < 6; a++) {
        clv_six t = {0};
        for (int j = 0; j < f->r; j++)
            t = clv_six_add(t, G[8 * j + a], clv_six_load(G + 8 * j));
        clv_six_store(n->Xi + 6 * a, t);
    }
}

/* Light axes of held bodies may exceed the estimate of a scale.  A petal is scaled by what it shows alone: its hub may
 * be much lighter. */
static double scale_of(const clv_node *n, double Z, double estimate)
{
    const double own = sqrt(fmax(Z, 0.0));
    return n->part->petal && own > 0 ? own : fmax(estimate, own);
}

/* T5.1, T5.3 with the rank decision of T20: scaled pivots below the threshold are dropped, where a loop is closed */
void clv_node_factor(clv_engine *e, int k, double *scratch)
{
    const clv_node n = clv_node_at(e, k);
    const int m = n.m, panels = n.Pw / 8;
    clv_rank f = clv_rank_view(m, m, n.rank);
    work x = {.e = e, .n = &n, .f = &f, .G = scratch};
    x.Yt = x.G + (size_t)m * (size_t)n.Pw, x.Z = x.Yt + (size_t)m * (size_t)n.Nw;
    double *scale = x.Z + (size_t)m * (size_t)m;
    clv_team *team = (double)m * n.N * (m + n.N) > SHARED ? e->team : NULL;
    /* T5.1 */
    clv_team_run(team, n.part->nedge, form_lines, &x);
    clv_team_run(team, n.part->nedge, form_Z, &x);
    /* compliance of rows (T23), zero for exact joints */
    clv_node_rows(e, &n, scale, e->eps);
    for (int i = 0; i < m; i++)
        x.Z[i * m + i] += scale[i];
    /* by which size a pivot of each row is judged */
    clv_node_rows(e, &n, scale, e->scale);
    for (int i = 0; i < m; i++)
        scale[i] = scale_of(&n, x.Z[i * m + i], scale[i]);
    /* T20: nodes that close no loop are positive definite, there nothing may be dropped */
    n.outcome[0] = clv_rank_factor(&f, x.Z, scale, n.part->loop ? e->threshold : 0.0, &n.outcome[1]);
    n.outcome[2] = f.dropped;
    if (n.outcome[0] < 0)
        return;
    /* what the part shows: a compliance at its ports, or an inertia at its hub */
    if (n.part->petal)
        show_inertia(e, &n, &f, x.G);
    else {
        clv_team_run(team, panels, form_panel, &x);
        clv_team_run(team, panels, form_Xi, &x);
    }
}

/* what was dropped in a node, the least pivot that was kept, the largest that was not; false: singular */
bool clv_node_outcome(clv_engine *e, int k)
{
    const clv_node n = clv_node_at(e, k);
    const int r = (int)n.outcome[0];
    const double pivot = n.outcome[1], dropped = n.outcome[2];
    if (r < 0)
        return false;
    e->nullity[k] = n.m - r;
    e->truncated += n.m - r;
    if (n.part->loop && pivot < e->min_pivot)
        e->min_pivot = pivot;
    if (pivot < e->weakest)
        e->weakest = pivot;
    if (dropped > e->max_dropped)
        e->max_dropped = dropped;
    return true;
}

void clv_node_of_pair(clv_engine *e, const clv_node *n, int part)
{
    if (!e->pairing.made || e->pairing.lane_of[part] < 0 || e->pairing.shown[part] == e->factors)
        return;
    e->pairing.shown[part] = e->factors;
    clv_pair_show(e, part, n->rank);
    work x = {.e = e, .n = n, .Yt = e->scratch};
    for (int q = 0; q < n->part->nedge; q++)
        form_lines(&x, q);
}
