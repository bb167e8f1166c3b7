/* SPDX-License-Identifier: Apache-2.0
 * Dense nodes in compliance form (T5): x = Xi T + x0 at the ports of a part.  A node puts one or two parts side by side
 * and closes all edges that lie inside, any number at once:
 *
 *   Z = K^T Xi K + eps,   sigma = -Z^+ (K^T x0 - a + Y_e^T T_e),   Y = Xi K
 *   Xi := Xi_ee - Y_e Z^+ Y_e^T,   x0 := x0_e + Y_e sigma_0
 *
 * K holds the 6 x m blocks of the handles.  Where no loop is closed Z is positive definite; where one is, the rank is
 * decided (T20). */
#include <math.h>
#include <string.h>
#include "engine/engine.h"
#include "math/rank.h"

/* numbers of a part: Xi, x0, T; of a node also Y, the factor, sigma_0 is in e->sigma */
typedef struct node {
    const clv_part *part;
    int P, N, m;            /* components at its ports, at its children's ports, rows */
    int size0;              /* components of child 0                                  */
    double *Xi, *x0, *T, *Y, *rank, *sigma0;
} node;

static int components(const clv_plan *p, int part) { return part < 0 ? 0 : 6 * p->part[part].nport; }

size_t clv_node_size(const clv_plan *p, int part)
{
    const clv_part *q = &p->part[part];
    size_t P = 6 * (size_t)q->nport, size = P * P + 2 * P;
    if (clv_part_is_node(q) && !clv_part_connects(p, part)) {
        size_t N = (size_t)components(p, q->child[0]) + (size_t)components(p, q->child[1]), m = (size_t)q->m;
        size += N * m + CLV_RANK_SIZE(m) + m;
    }
    return (size + 7) & ~(size_t)7;
}

size_t clv_node_scratch(const clv_plan *p)
{
    size_t m = (size_t)p->max_rows, most = 0;
    for (int k = 0; k < p->npart; k++) {
        size_t N = (size_t)components(p, p->part[k].child[0]) + (size_t)components(p, p->part[k].child[1]);
        if (N > most)
            most = N;
    }
    return m * m + most * m + 2 * m + most;
}

static node node_at(const clv_engine *e, int k)
{
    const clv_plan *p = e->plan;
    node n = {.part = &p->part[k]};
    n.P = 6 * n.part->nport, n.m = n.part->m;
    n.size0 = components(p, n.part->child[0]);
    n.N = n.size0 + components(p, n.part->child[1]);
    n.Xi = clv_part_Xi(e, k), n.x0 = clv_part_x0(e, k), n.T = clv_part_T(e, k);
    n.Y = n.T + n.P;
    n.rank = n.Y + (size_t)n.N * (size_t)n.m;
    n.sigma0 = n.rank + CLV_RANK_SIZE((size_t)n.m);
    return n;
}

/* walks over the handles of all edges a node closes; start from {.h = -1} */
typedef struct handle {
    int q, h, col;       /* edge of the node, handle of the edge, first row of the edge in Z */
    const clv_edge *edge;
    const double *block; /* 6 x edge->m by columns                                           */
    int at;              /* first component among the children's ports                       */
} handle;

static bool next_handle(const clv_engine *e, const node *n, handle *w)
{
    const clv_plan *p = e->plan;
    for (w->h++;; w->h = 0) {
        if (w->q >= n->part->nedge)
            return false;
        int id = p->edges_of[n->part->edge + w->q];
        w->edge = &p->edge[id];
        if (w->h < w->edge->nhandle) {
            w->block = e->block + w->edge->block[w->h];
            w->at = e->handle_at[4 * id + w->h];
            return true;
        }
        w->col += w->edge->m;
        w->q++;
    }
}

static void form_Y(const clv_engine *e, node *n)
{
    memset(n->Y, 0, (size_t)n->N * (size_t)n->m * sizeof(double));
    for (handle w = {.h = -1}; next_handle(e, n, &w);) {
        int c = w.at >= n->size0, off = c ? n->size0 : 0, size = c ? n->N - n->size0 : n->size0;
        const double *Xi = clv_part_Xi(e, n->part->child[c]) + (w.at - off);
        for (int i = 0; i < size; i++)
            for (int j = 0; j < w.edge->m; j++) {
                double t = 0;
                for (int k = 0; k < 6; k++)
                    t += Xi[(size_t)i * (size_t)size + (size_t)k] * w.block[6 * j + k];
                n->Y[(off + i) * n->m + w.col + j] += t;
            }
    }
}

/* out (m x width, row major) += K^T in (N x width) */
static void times_KT(const clv_engine *e, const node *n, double *out, const double *in, int width)
{
    for (handle w = {.h = -1}; next_handle(e, n, &w);)
        for (int j = 0; j < w.edge->m; j++)
            for (int k = 0; k < 6; k++) {
                double b = w.block[6 * j + k];
                const double *row = in + (size_t)(w.at + k) * (size_t)width;
                double *o = out + (size_t)(w.col + j) * (size_t)width;
                for (int i = 0; i < width; i++)
                    o[i] += b * row[i];
            }
}

/* K^T of a vector kept in the children's own storage (x0) */
static void gather_children(const clv_engine *e, const node *n, double *v)
{
    int off = 0;
    for (int c = 0; c < 2; c++) {
        int size = components(e->plan, n->part->child[c]);
        if (size > 0)
            memcpy(v + off, clv_part_x0(e, n->part->child[c]), (size_t)size * sizeof(double));
        off += size;
    }
}

static void row_values(const clv_engine *e, const node *n, double *out, const double *per_row)
{
    for (int q = 0, col = 0; q < n->part->nedge; q++) {
        const clv_edge *edge = &e->plan->edge[e->plan->edges_of[n->part->edge + q]];
        memcpy(out + col, per_row + edge->row, (size_t)edge->m * sizeof(double));
        col += edge->m;
    }
}

bool clv_node_factor(clv_engine *e, int k)
{
    node n = node_at(e, k);
    int m = n.m;
    double *Z = e->scratch, *G = Z + (size_t)m * (size_t)m, *scale = G + (size_t)n.N * (size_t)m;
    form_Y(e, &n);
    memset(Z, 0, (size_t)m * (size_t)m * sizeof(double));
    times_KT(e, &n, Z, n.Y, m);
    row_values(e, &n, scale, e->eps);
    for (int i = 0; i < m; i++)
        Z[i * m + i] += scale[i];
    row_values(e, &n, scale, e->scale);
    for (int i = 0; i < m; i++) /* light axes of held bodies may exceed the estimate */
        scale[i] = fmax(scale[i], sqrt(fmax(Z[i * m + i], 0.0)));
    clv_rank f = clv_rank_view(m, m, n.rank);
    double pivot;
    int r = clv_rank_factor(&f, Z, scale, n.part->loop ? e->rank : 0.0, &pivot);
    if (r < 0)
        return false;
    e->nullity[k] = m - r;
    e->truncated += m - r;
    if (n.part->loop && pivot < e->min_pivot)
        e->min_pivot = pivot;
    if (pivot < e->weakest)
        e->weakest = pivot;
    if (f.dropped > e->max_dropped)
        e->max_dropped = f.dropped;
    const int *port = e->port_at + n.part->port;
    for (int a = 0; a < n.part->nport; a++)
        for (int i = 0; i < 6; i++)
            clv_rank_half(&f, G + (size_t)(6 * a + i) * (size_t)m, n.Y + (size_t)(port[a] + i) * (size_t)m);
    for (int a = 0; a < n.P; a++) {
        int ra = port[a / 6] + a % 6, ca = ra >= n.size0;
        int off = ca ? n.size0 : 0, size = ca ? n.N - n.size0 : n.size0;
        const double *Xc = clv_part_Xi(e, n.part->child[ca]) + (size_t)(ra - off) * (size_t)size;
        for (int b = 0; b <= a; b++) {
            int rb = port[b / 6] + b % 6;
            double t = ca == (rb >= n.size0) ? Xc[rb - off] : 0.0;
            for (int j = 0; j < r; j++)
                t -= G[(size_t)a * (size_t)m + (size_t)j] * G[(size_t)b * (size_t)m + (size_t)j];
            n.Xi[a * n.P + b] = n.Xi[b * n.P + a] = t;
        }
    }
    return true;
}

void clv_node_up(clv_engine *e, int k)
{
    node n = node_at(e, k);
    clv_rank f = clv_rank_view(n.m, n.m - e->nullity[k], n.rank);
    double *x0 = e->scratch, *s = n.sigma0;
    gather_children(e, &n, x0);
    row_values(e, &n, s, e->a);
    for (int i = 0; i < n.m; i++)
        s[i] = -s[i];
    times_KT(e, &n, s, x0, 1);
    clv_rank_solve(&f, s);
    for (int i = 0; i < n.m; i++)
        s[i] = -s[i];
    const int *port = e->port_at + n.part->port;
    for (int a = 0; a < n.P; a++) {
        int r = port[a / 6] + a % 6;
        double t = x0[r];
        for (int j = 0; j < n.m; j++)
            t += n.Y[(size_t)r * (size_t)n.m + (size_t)j] * s[j];
        n.x0[a] = t;
    }
}

/* hands sigma and the wrenches at the ports to the children's ports */
static void spread(clv_engine *e, const node *n, const double *sigma)
{
    double *T = e->scratch;
    const int *port = e->port_at + n->part->port;
    memset(T, 0, (size_t)n->N * sizeof(double));
    for (int a = 0; a < n->P; a++)
        T[port[a / 6] + a % 6] = n->T[a];
    for (handle w = {.h = -1}; next_handle(e, n, &w);)
        for (int j = 0; j < w.edge->m; j++)
            for (int i = 0; i < 6; i++)
                T[w.at + i] += w.block[6 * j + i] * sigma[w.col + j];
    for (int c = 0, off = 0; c < 2; c++) {
        int size = components(e->plan, n->part->child[c]);
        if (size > 0)
            memcpy(clv_part_T(e, n->part->child[c]), T + off, (size_t)size * sizeof(double));
        off += size;
    }
    for (int q = 0, col = 0; q < n->part->nedge; q++) {
        const clv_edge *edge = &e->plan->edge[e->plan->edges_of[n->part->edge + q]];
        memcpy(e->sigma + edge->row, sigma + col, (size_t)edge->m * sizeof(double));
        col += edge->m;
    }
}

/* sigma = base - Z^+ Y_e^T T_e */
static void respond(clv_engine *e, const node *n, int nullity, double *sigma, const double *base)
{
    clv_rank f = clv_rank_view(n->m, n->m - nullity, n->rank);
    const int *port = e->port_at + n->part->port;
    memset(sigma, 0, (size_t)n->m * sizeof(double));
    for (int a = 0; a < n->P; a++) {
        const double *y = n->Y + (size_t)(port[a / 6] + a % 6) * (size_t)n->m;
        for (int j = 0; j < n->m; j++)
            sigma[j] += y[j] * n->T[a];
    }
    clv_rank_solve(&f, sigma);
    for (int j = 0; j < n->m; j++)
        sigma[j] = (base ? base[j] : 0.0) - sigma[j];
}

void clv_node_down(clv_engine *e, int k)
{
    node n = node_at(e, k);
    double *sigma = e->scratch + n.N;
    respond(e, &n, e->nullity[k], sigma, n.sigma0);
    spread(e, &n, sigma);
}

/* homogeneous: as down, without right-hand side; the k-th null vector is added if k >= 0 */
void clv_node_self_stress(clv_engine *e, int part, int k)
{
    node n = node_at(e, part);
    double *sigma = e->scratch + n.N;
    if (k >= 0) {
        clv_rank f = clv_rank_view(n.m, n.m - e->nullity[part], n.rank);
        memset(n.T, 0, (size_t)n.P * sizeof(double));
        clv_rank_null(&f, k, sigma);
    } else
        respond(e, &n, e->nullity[part], sigma, NULL);
    spread(e, &n, sigma);
}
