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
#include "engine/engine.h"
#include "math/lane.h"
#include "math/rank.h"
#include "math/spatial.h"

/* numbers of a part: Xi, x0, T; of a node also Y, the factor, sigma_0 is in e->sigma */
typedef struct node {
    const clv_part *part;
    int P, N, m;            /* components at its ports, at its children's ports, rows */
    int wide;               /* rows filled up to sixes: numbers of a line of Y         */
    int size0;              /* components of child 0                                  */
    double *Xi, *x0, *T, *Y, *rank, *sigma0;
    double *X;              /* Y_e^T, of its ports (m x P)                             */
} node;

/* m rounded up to a multiple of six: lines of Y are handled six numbers at a time */
static int sixes(int m) { return (m + 5) / 6 * 6; }

/* components at the ports of a part, six a body; no part: none */
static int components(const clv_plan *p, int part) { return part < 0 ? 0 : 6 * p->part[part].nport; }

/* doubles that a part keeps from factor to solve: Xi (P x P), x0 and T (P each); a node also Y (N x wide), the factor
 * of Z, sigma_0 (m) and X (m x P).  Rounded up to whole cache lines. */
size_t clv_node_size(const clv_plan *p, int part)
{
    const clv_part *q = &p->part[part];
    size_t P = clv_part_size(q), size = P * P + 2 * P;
    if (q->npetal > 0)
        size += clv_hub_size(p, part);
    else if (clv_part_is_node(q) && !clv_part_connects(p, part)) {
        size_t N = (size_t)components(p, q->child[0]) + (size_t)components(p, q->child[1]), m = (size_t)q->m;
        size += N * (size_t)sixes(q->m) + CLV_RANK_SIZE(m) + m + P * m;
    }
    return (size + 7) & ~(size_t)7;
}

/* doubles that one node needs while it is worked on: Z and its wide copy, G, the scales, vectors at its children */
size_t clv_node_scratch(const clv_plan *p)
{
    size_t m = (size_t)p->max_rows, most = 0;
    for (int k = 0; k < p->npart; k++) {
        size_t N = (size_t)components(p, p->part[k].child[0]) + (size_t)components(p, p->part[k].child[1]);
        if (N > most)
            most = N;
    }
    return m * m + m * (size_t)sixes(p->max_rows) + most * m + 2 * m + most;
}

/* where the numbers of part k lie in the store, in the order of clv_node_size */
static node node_at(const clv_engine *e, int k)
{
    const clv_plan *p = e->plan;
    node n = {.part = &p->part[k]};
    n.P = (int)clv_part_size(n.part), n.m = n.part->m, n.wide = sixes(n.m);
    n.size0 = components(p, n.part->child[0]);
    n.N = n.size0 + components(p, n.part->child[1]);
    n.Xi = clv_part_Xi(e, k), n.x0 = clv_part_x0(e, k), n.T = clv_part_T(e, k);
    n.Y = n.T + n.P;
    n.rank = n.Y + (size_t)n.N * (size_t)n.wide;
    n.sigma0 = n.rank + CLV_RANK_SIZE((size_t)n.m);
    n.X = n.sigma0 + n.m;
    return n;
}

/* walks over the handles of all edges a node closes; start from {.h = -1} */
typedef struct handle {
    int q, h, col;       /* edge of the node, handle of the edge, first row of the edge in Z */
    const clv_edge *edge;
    const double *block; /* 6 x edge->m by columns                                           */
    int at;              /* first component among the children's ports                       */
} handle;

/* false: there are no more.  A node closes few edges, so this is a scan without tables. */
static bool next_handle(const clv_engine *e, const node *n, handle *w)
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

/* T5.1: Y = Xi K (N x wide), handle by handle; Xi is block diagonal over the children */
static void form_Y(const clv_engine *e, node *n)
{
    memset(n->Y, 0, (size_t)n->N * (size_t)n->wide * sizeof(double));
    for (handle w = {.h = -1}; next_handle(e, n, &w);) {
        /* the child that has the handle, and the columns of its Xi that the handle multiplies */
        int c = w.at >= n->size0, off = c ? n->size0 : 0, size = c ? n->N - n->size0 : n->size0;
        const double *Xi = clv_part_Xi(e, n->part->child[c]) + (w.at - off);
        double rows[36] = {0}; /* the block by rows, filled up with zeros: sums run side by side */
        for (int j = 0; j < w.edge->m; j++)
            for (int k = 0; k < 6; k++)
                rows[6 * k + j] = w.block[6 * j + k];
        /* each line of Xi times the block: the rows of the edge side by side in one register */
        for (int i = 0; i < size; i++) {
            const double *x = Xi + (size_t)i * (size_t)size;
            double t[6], *Y = n->Y + (off + i) * n->wide + w.col;
            clv_six sum = {0};
            for (int k = 0; k < 6; k++)
                sum = clv_six_add(sum, x[k], clv_six_load(rows + 6 * k));
            clv_six_store(t, sum);
            for (int j = 0; j < w.edge->m; j++)
                Y[j] += t[j];
        }
    }
}

/* T5.1: Z (m x m, lower triangle) = K^T Y; wide: scratch (m x wide) */
static void form_Z(const clv_engine *e, const node *n, double *Z, double *wide)
{
    memset(wide, 0, (size_t)n->m * (size_t)n->wide * sizeof(double));
    for (handle w = {.h = -1}; next_handle(e, n, &w);)
        for (int j = 0; j < w.edge->m; j++)
            for (int i = 0; i < n->wide; i += 6) {
                double *to = wide + (w.col + j) * n->wide + i;
                clv_six sum = clv_six_load(to);
                for (int k = 0; k < 6; k++)
                    sum = clv_six_add(sum, w.block[6 * j + k], clv_six_load(n->Y + (w.at + k) * n->wide + i));
                clv_six_store(to, sum);
            }
    for (int i = 0; i < n->m; i++)
        memcpy(Z + i * n->m, wide + i * n->wide, (size_t)n->m * sizeof(double));
}

/* out (m) += K^T in (N) */
static void times_KT(const clv_engine *e, const node *n, double *out, const double *in)
{
    for (handle w = {.h = -1}; next_handle(e, n, &w);)
        for (int j = 0; j < w.edge->m; j++) {
            double sum = out[w.col + j];
            for (int k = 0; k < 6; k++)
                sum += w.block[6 * j + k] * in[w.at + k];
            out[w.col + j] = sum;
        }
}

/* v (N): x0 of the two children, one after the other */
static void gather_children(const clv_engine *e, const node *n, double *v)
{
    /* child after child: the order of components in Xi, x0 and T of a node */
    int off = 0;
    for (int c = 0; c < 2; c++) {
        int size = components(e->plan, n->part->child[c]);
        if (size > 0)
            memcpy(v + off, clv_part_x0(e, n->part->child[c]), (size_t)size * sizeof(double));
        off += size;
    }
}

/* values of the rows that the node closes, in its order, out of those of all rows */
static void row_values(const clv_engine *e, const node *n, double *out, const double *per_row)
{
    for (int q = 0, col = 0; q < n->part->nedge; q++) {
        const clv_edge *edge = &e->plan->edge[e->plan->edges_of[n->part->edge + q]];
        memcpy(out + col, per_row + edge->row, (size_t)edge->m * sizeof(double));
        col += edge->m;
    }
}

/* T5.3: Xi at its ports: the children's minus G^T G, G = F^-1 Y_e^T (r x P).  Ports come by six components. */
static void condense(const clv_engine *e, node *n, const clv_rank *f, double *G)
{
    /* X = Y_e^T: the lines of Y that belong to ports, transposed */
    const int *port = e->port_at + n->part->port;
    size_t P = (size_t)n->P, m = (size_t)n->m;
    for (size_t a = 0; a < P; a++)
        for (size_t j = 0; j < m; j++)
            n->X[j * P + a] = n->Y[((size_t)port[a / 6] + a % 6) * (size_t)n->wide + j];
    /* G = F^-1 Y_e^T, so that Y_e Z^+ Y_e^T = G^T G */
    clv_rank_half_columns(f, G, n->X, n->P);
    /* six columns at a time, the lower triangle; bodies of different children have no Xi between them before */
    for (size_t a = 0; a < P; a++) {
        int ra = port[a / 6] + (int)(a % 6), ca = ra >= n->size0;
        int off = ca ? n->size0 : 0, size = ca ? n->N - n->size0 : n->size0;
        const double *Xc = clv_part_Xi(e, n->part->child[ca]) + (size_t)(ra - off) * (size_t)size;
        for (size_t b = 0; b <= a; b += 6) { /* to the end of the diagonal block, overwritten below */
            int rb = port[b / 6];
            clv_six t = {0};
            if (ca == (rb >= n->size0))
                t = clv_six_load(Xc + rb - off);
            for (size_t j = 0; j < (size_t)f->r; j++)
                t = clv_six_sub(t, G[j * P + a], clv_six_load(G + j * P + b));
            /* six columns of the lower triangle */
            clv_six_store(n->Xi + a * P + b, t);
        }
    }
    /* the upper triangle is the mirror of the lower: Xi is exactly symmetric */
    for (size_t a = 0; a < P; a++)
        for (size_t b = 0; b < a; b++)
            n->Xi[b * P + a] = n->Xi[a * P + b];
}

/* T5.6: the inertia A = K_h Z^+ K_h^T = G^T G that a petal shows at its hub; X: rows of K_h^T */
static void show_inertia(const clv_engine *e, node *n, const clv_rank *f, double *G)
{
    const clv_plan *p = e->plan;
    for (int q = 0, col = 0; q < n->part->nedge; q++) {
        /* the edge's handle on the hub is the one that has no place among the ports of the children */
        const clv_edge *edge = &p->edge[p->edges_of[n->part->edge + q]];
        const int h = e->handle_at[edge->handle] < 0 ? 0 : 1;
        memcpy(n->X + 6 * col, e->block + edge->block[h], 6 * (size_t)edge->m * sizeof(double));
        col += edge->m;
    }
    clv_rank_half_columns(f, G, n->X, 6);
    for (int a = 0; a < 6; a++) {
        clv_six t = {0};
        for (int j = 0; j < f->r; j++)
            t = clv_six_add(t, G[6 * j + a], clv_six_load(G + 6 * j));
        clv_six_store(n->Xi + 6 * a, t);
    }
}

/* Light axes of held bodies may exceed the estimate of a scale.  A petal is scaled by what it shows alone: its hub may
 * be much lighter. */
static double scale_of(const node *n, double Z, double estimate)
{
    const double own = sqrt(fmax(Z, 0.0));
    return n->part->petal && own > 0 ? own : fmax(estimate, own);
}

/* T5.1, T5.3 with the rank decision of T20: scaled pivots below the threshold are dropped, where a loop is closed */
bool clv_node_factor(clv_engine *e, int k)
{
    node n = node_at(e, k);
    int m = n.m;
    double *Z = e->scratch, *wide = Z + (size_t)m * (size_t)m, *G = wide + (size_t)m * (size_t)n.wide,
           *scale = G + (size_t)n.N * (size_t)m;
    /* T5.1 */
    form_Y(e, &n);
    form_Z(e, &n, Z, wide);
    /* compliance of rows (T23), zero for exact joints */
    row_values(e, &n, scale, e->eps);
    for (int i = 0; i < m; i++)
        Z[i * m + i] += scale[i];
    /* by which size a pivot of each row is judged */
    row_values(e, &n, scale, e->scale);
    for (int i = 0; i < m; i++)
        scale[i] = scale_of(&n, Z[i * m + i], scale[i]);
    /* T20: nodes that close no loop are positive definite, there nothing may be dropped */
    clv_rank f = clv_rank_view(m, m, n.rank);
    double pivot;
    int r = clv_rank_factor(&f, Z, scale, n.part->loop ? e->threshold : 0.0, &pivot);
    if (r < 0)
        return false;
    /* outcome: what was dropped here, the least pivot that was kept, the largest that was not */
    e->nullity[k] = m - r;
    e->truncated += m - r;
    if (n.part->loop && pivot < e->min_pivot)
        e->min_pivot = pivot;
    if (pivot < e->weakest)
        e->weakest = pivot;
    if (f.dropped > e->max_dropped)
        e->max_dropped = f.dropped;
    /* what the part shows: a compliance at its ports, or an inertia at its hub */
    if (n.part->petal)
        show_inertia(e, &n, &f, G);
    else
        condense(e, &n, &f, G);
    return true;
}

/* T5.2 without the wrenches at the ports, sigma_0 = -Z^+ (K^T x0 - a), and T5.3: x0 at the ports */
void clv_node_up(clv_engine *e, int k)
{
    node n = node_at(e, k);
    clv_rank f = clv_rank_view(n.m, n.m - e->nullity[k], n.rank);
    double *x0 = e->scratch, *s = n.sigma0;
    /* s = Z^+ (K^T x0 - a), turned into sigma_0 = -s */
    gather_children(e, &n, x0);
    row_values(e, &n, s, e->a);
    for (int i = 0; i < n.m; i++)
        s[i] = -s[i];
    times_KT(e, &n, s, x0);
    clv_rank_solve(&f, s);
    for (int i = 0; i < n.m; i++)
        s[i] = -s[i];
    /* x0 := x0_e + Y_e sigma_0, six components of a port at a time; of a petal the wrench K_h sigma_0 */
    const int *port = e->port_at + n.part->port;
    for (int a = 0; a < n.P; a += 6) {
        clv_six t = {0};
        if (!n.part->petal)
            t = clv_six_load(x0 + port[a / 6]);
        for (int j = 0; j < n.m; j++)
            t = clv_six_add(t, s[j], clv_six_load(n.X + j * n.P + a));
        clv_six_store(n.x0 + a, t);
    }
}

/* T5.4: hands sigma and the wrenches at the ports to the children's ports */
static void spread(clv_engine *e, const node *n, const double *sigma)
{
    double *T = e->scratch;
    const int *port = e->port_at + n->part->port;
    memset(T, 0, (size_t)n->N * sizeof(double));
    for (int a = 0; a < n->P && !n->part->petal; a += 6)
        clv_six_store(T + port[a / 6], clv_six_load(n->T + a));
    /* T = the wrenches from outside at the ports, and K sigma at the handles */
    for (handle w = {.h = -1}; next_handle(e, n, &w);) {
        clv_six sum = clv_six_load(T + w.at);
        for (int j = 0; j < w.edge->m; j++)
            sum = clv_six_add(sum, sigma[w.col + j], clv_six_load(w.block + 6 * j));
        clv_six_store(T + w.at, sum);
    }
    /* each child gets its own components */
    for (int c = 0, off = 0; c < 2; c++) {
        int size = components(e->plan, n->part->child[c]);
        if (size > 0)
            memcpy(clv_part_T(e, n->part->child[c]), T + off, (size_t)size * sizeof(double));
        off += size;
    }
    /* multipliers to the rows of the mechanism */
    for (int q = 0, col = 0; q < n->part->nedge; q++) {
        const clv_edge *edge = &e->plan->edge[e->plan->edges_of[n->part->edge + q]];
        memcpy(e->sigma + edge->row, sigma + col, (size_t)edge->m * sizeof(double));
        col += edge->m;
    }
}

/* T5.2: sigma = base - Z^+ Y_e^T T_e */
static void respond(clv_engine *e, const node *n, int nullity, double *sigma, const double *base)
{
    clv_rank f = clv_rank_view(n->m, n->m - nullity, n->rank);
    const int *port = e->port_at + n->part->port;
    /* Y_e^T T_e, six rows at a time */
    for (int j = 0; j < n->wide; j += 6) {
        clv_six sum = {0};
        double t[6];
        for (int a = 0; a < 6 * n->part->nport; a++)
            sum = clv_six_add(sum, n->T[a], clv_six_load(n->Y + (port[a / 6] + a % 6) * n->wide + j));
        clv_six_store(t, sum);
        memcpy(sigma + j, t, (size_t)(n->m - j < 6 ? n->m - j : 6) * sizeof(double));
    }
    if (n->part->petal) /* K_h^T x of the hub */
        for (int j = 0; j < n->m; j++)
            sigma[j] = clv_dot6(n->X + 6 * j, n->T);
    clv_rank_solve(&f, sigma);
    for (int j = 0; j < n->m; j++)
        sigma[j] = (base ? base[j] : 0.0) - sigma[j];
}

/* T5.2 with the wrenches at the ports, T5.4 */
void clv_node_down(clv_engine *e, int k)
{
    node n = node_at(e, k);
    double *sigma = e->scratch + n.N;
    respond(e, &n, e->nullity[k], sigma, n.sigma0);
    spread(e, &n, sigma);
}

/* Y and the factor of a pair, once for each factor: lanes do not keep them here */
static void take_from_lanes(clv_engine *e, node *n, int part)
{
    if (!e->pairing.made || e->pairing.lane_of[part] < 0 || e->pairing.shown[part] == e->factors)
        return;
    e->pairing.shown[part] = e->factors;
    form_Y(e, n);
    clv_pair_show(e, part, n->rank);
}

/* homogeneous: as down, without right-hand side; the k-th null vector is added if k >= 0 */
void clv_node_self_stress(clv_engine *e, int part, int k)
{
    node n = node_at(e, part);
    double *sigma = e->scratch + n.N;
    take_from_lanes(e, &n, part);
    /* the node that has the null vector: nothing acts from outside; nodes below respond to its wrenches */
    if (k >= 0) {
        clv_rank f = clv_rank_view(n.m, n.m - e->nullity[part], n.rank);
        memset(n.T, 0, (size_t)n.P * sizeof(double));
        clv_rank_null(&f, k, sigma);
    } else
        respond(e, &n, e->nullity[part], sigma, NULL);
    spread(e, &n, sigma);
}
