/* SPDX-License-Identifier: Apache-2.0
 * Solutions of dense nodes (T5.2, T5.4).  Up: the multipliers of rows and x0 at the ports.  Down: the wrenches at the
 * children's ports.  And self-stresses. */
#include <string.h>
#include "engine/node.h"
#include "math/rank.h"
#include "math/spatial.h"

/* out (m) += K^T in (N) */
static void times_KT(const clv_engine *e, const clv_node *n, double *out, const double *in)
{
    for (clv_handle w = {.h = -1}; clv_node_handle(e, n, &w);)
        for (int j = 0; j < w.edge->m; j++) {
            double sum = out[w.col + j];
            for (int k = 0; k < 6; k++)
                sum += w.block[6 * j + k] * in[w.at + k];
            out[w.col + j] = sum;
        }
}

/* v (N): x0 of the two children, one after the other */
static void gather_children(const clv_engine *e, const clv_node *n, double *v)
{
    /* child after child: the order of components in Xi, x0 and T of a node */
    int off = 0;
    for (int c = 0; c < 2; c++) {
        int size = clv_node_components(e->plan, n->part->child[c]);
        if (size > 0)
            memcpy(v + off, clv_part_x0(e, n->part->child[c]), (size_t)size * sizeof(double));
        off += size;
    }
}

/* T5.2 without the wrenches at the ports, sigma_0 = -Z^+ (K^T x0 - a), and T5.3: x0 at the ports */
void clv_node_up(clv_engine *e, int k, double *scratch)
{
    const clv_node n = clv_node_at(e, k);
    const clv_rank f = clv_rank_view(n.m, n.m - e->nullity[k], n.rank);
    double *x0 = scratch, *shown = scratch + n.Nw, *s = n.sigma0;
    /* s = Z^+ (K^T x0 - a), turned into sigma_0 = -s */
    gather_children(e, &n, x0);
    clv_node_rows(e, &n, s, e->a);
    for (int i = 0; i < n.m; i++)
        s[i] = -s[i];
    times_KT(e, &n, s, x0);
    clv_rank_solve(&f, s);
    for (int i = 0; i < n.m; i++)
        s[i] = -s[i];
    /* x0 := x0_e + Y_e sigma_0; of a petal the wrench K_h sigma_0 */
    const int *port = e->port_at + n.part->port;
    memset(shown, 0, (size_t)n.Pw * sizeof(double));
    for (int a = 0; a < n.P && !n.part->petal; a += 6)
        memcpy(shown + a, x0 + port[a / 6], 6 * sizeof(double));
    e->kernels->node_sum(shown, n.X, s, n.m, n.Pw);
    memcpy(n.x0, shown, (size_t)n.P * sizeof(double));
}

/* T5.4: hands sigma and the wrenches at the ports to the children's ports; T: work (N) */
static void spread(clv_engine *e, const clv_node *n, const double *sigma, double *T)
{
    const int *port = e->port_at + n->part->port;
    memset(T, 0, (size_t)n->N * sizeof(double));
    for (int a = 0; a < n->P && !n->part->petal; a += 6)
        clv_six_store(T + port[a / 6], clv_six_load(n->T + a));
    /* T = the wrenches from outside at the ports, and K sigma at the handles */
    for (clv_handle w = {.h = -1}; clv_node_handle(e, n, &w);) {
        clv_six sum = clv_six_load(T + w.at);
        for (int j = 0; j < w.edge->m; j++)
            sum = clv_six_add(sum, sigma[w.col + j], clv_six_load(w.block + 6 * j));
        clv_six_store(T + w.at, sum);
    }
    /* each child gets its own components */
    for (int c = 0, off = 0; c < 2; c++) {
        int size = clv_node_components(e->plan, n->part->child[c]);
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

/* out = A x, n lines of A (n x wide), eight of them at a time; each sum in the order of its columns */
static void times(double *out, const double *A, int wide, const double *x, int n, int columns)
{
    for (int j = 0; j < n; j += 8) {
        const int lines = n - j < 8 ? n - j : 8;
        const double *a[8];
        double sum[8] = {0};
        for (int c = 0; c < 8; c++) /* lines beyond the last repeat it */
            a[c] = A + (size_t)(j + (c < lines ? c : lines - 1)) * (size_t)wide;
        for (int i = 0; i < columns; i++)
            for (int c = 0; c < 8; c++)
                sum[c] += a[c][i] * x[i];
        memcpy(out + j, sum, (size_t)lines * sizeof(double));
    }
}

/* T5.2: sigma = base - Z^+ Y_e^T T_e; of a petal K_h^T x of the hub takes the place of Y_e^T T_e */
static void respond(const clv_node *n, int nullity, double *sigma, const double *base)
{
    const clv_rank f = clv_rank_view(n->m, n->m - nullity, n->rank);
    if (n->part->petal)
        for (int j = 0; j < n->m; j++)
            sigma[j] = clv_dot6(n->X + 8 * j, n->T);
    else
        times(sigma, n->X, n->Pw, n->T, n->m, n->P);
    clv_rank_solve(&f, sigma);
    for (int j = 0; j < n->m; j++)
        sigma[j] = (base ? base[j] : 0.0) - sigma[j];
}

/* T5.2 with the wrenches at the ports, T5.4 */
void clv_node_down(clv_engine *e, int k, double *scratch)
{
    const clv_node n = clv_node_at(e, k);
    double *sigma = scratch + n.Nw;
    respond(&n, e->nullity[k], sigma, n.sigma0);
    spread(e, &n, sigma, scratch);
}

/* homogeneous: as down, without right-hand side; the k-th null vector is added if k >= 0 */
void clv_node_self_stress(clv_engine *e, int part, int k)
{
    const clv_node n = clv_node_at(e, part);
    double *sigma = e->scratch + n.Nw;
    clv_node_of_pair(e, &n, part);
    /* the node that has the null vector: nothing acts from outside; nodes below respond to its wrenches */
    if (k >= 0) {
        const clv_rank f = clv_rank_view(n.m, n.m - e->nullity[part], n.rank);
        memset(n.T, 0, (size_t)n.P * sizeof(double));
        clv_rank_null(&f, k, sigma);
    } else
        respond(&n, e->nullity[part], sigma, NULL);
    spread(e, &n, sigma, e->scratch);
}
