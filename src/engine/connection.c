/* SPDX-License-Identifier: Apache-2.0
 * Method 1 of the branch method (T28; JSC (1.2)-(1.7)): the sections show A_i = h_i + sum H_ik F_k as x = Xi T + x0 at
 * their ports, and all connections are closed at once by one block sparse matrix:
 *
 *   M = K^T Xi K + eps      row blocks: tree joints between sections, loop closings, couplings
 *   M = L L^T               block by block in the order of the plan; right-looking
 *   sigma = -M^+ (K^T x0 - a)
 *
 * Blocks that complete a cycle are pivoted and stop at the threshold of rank (T20).  A dropped row d leaves a null
 * vector n_d = (1 in d, -L_kept^-T L_d^T before it); with the orthonormalised ones N and P = 1 - N N^T the least-norm
 * pseudo-inverse is
 *
 *   M^+ = P G P,   G: substitution with the kept rows.
 *
 * n_d lies in the subtree of its block, so null vectors of different subtrees are orthogonal as they come. */
#include <math.h>
#include <string.h>
#include "base/tolerance.h"
#include "engine/engine.h"
#include "math/spatial.h"

enum { M = 6 }; /* most rows of one connection */

void clv_connection_layout(clv_engine *e, clv_arena *a)
{
    const clv_connect *c = e->plan->connect;
    clv_connection *n = &e->connection;
    size_t nnull = 0;
    if (!c)
        return;
    for (int k = 0; k < c->nblock; k++)
        if (c->loop[k])
            nnull += (size_t)(c->row[k + 1] - c->row[k]) * (size_t)(c->row[k + 1] - c->row[c->first[k]]);
    CLV_TAKE(a, n->L, c->nfactor), CLV_TAKE(a, n->s, c->nrow), CLV_TAKE(a, n->x, c->nrow);
    CLV_TAKE(a, n->null, nnull), CLV_TAKE(a, n->null_at, c->nblock);
    CLV_TAKE(a, n->rank, c->nblock), CLV_TAKE(a, n->nulls, c->nblock);
    CLV_TAKE(a, n->order, c->nrow), CLV_TAKE(a, n->reached, c->nchild);
    CLV_TAKE(a, n->dropped, c->nblock + 1);
    nnull = 0;
    for (int k = 0; n->null_at && k < c->nblock; k++) {
        n->null_at[k] = nnull;
        if (c->loop[k])
            nnull += (size_t)(c->row[k + 1] - c->row[k]) * (size_t)(c->row[k + 1] - c->row[c->first[k]]);
    }
}

static const clv_edge *edge_of(const clv_plan *p, int k)
{
    return &p->edge[p->edges_of[p->part[p->connect->part].edge + k]];
}
static int rows(const clv_connect *c, int k) { return c->row[k + 1] - c->row[k]; }

/* ------------------------------------------------------------------ step 4a: the matrix */

/* out (mi x mj) += Bi^T Xi_ij Bj, blocks of wrenches by columns */
static void add_product(double *out, const double *Bi, int mi, const double *Xi, int P, const double *Bj, int mj)
{
    for (int j = 0; j < mj; j++) {
        double y[6];
        for (int r = 0; r < 6; r++)
            y[r] = clv_dot6(Xi + (size_t)r * (size_t)P, Bj + 6 * j);
        for (int i = 0; i < mi; i++)
            out[i * mj + j] += clv_dot6(Bi + 6 * i, y);
    }
}

/* what one section adds to all pairs of its connections */
static void form_child(clv_engine *e, int child)
{
    const clv_plan *p = e->plan;
    const clv_connect *c = p->connect;
    int part = c->child[child], P = 6 * p->part[part].nport, end = c->handle_start[child + 1];
    const double *Xi = clv_part_Xi(e, part);
    for (int b = c->handle_start[child]; b < end; b++) {
        int j = c->handle_block[b], at = c->start[j];
        const clv_edge *ej = edge_of(p, j);
        const double *Bj = e->block + ej->block[c->handle_of[b]];
        for (int a = c->handle_start[child]; a < end; a++) {
            int i = c->handle_block[a];
            if (i < j)
                continue;
            const clv_edge *ei = edge_of(p, i);
            while (i > j && c->below[at] < i)
                at++;
            double *to = e->connection.L + (i == j ? c->diagonal[j] : c->at[at]);
            add_product(to, e->block + ei->block[c->handle_of[a]], ei->m,
                        Xi + (size_t)c->handle_at[a] * (size_t)P + c->handle_at[b], P, Bj, ej->m);
        }
    }
}

void clv_connection_form(clv_engine *e)
{
    const clv_plan *p = e->plan;
    const clv_connect *c = p->connect;
    double *L = e->connection.L, *s = e->connection.s;
    memset(L, 0, c->nfactor * sizeof(double));
    for (int k = 0; k < c->nchild; k++)
        form_child(e, k);
    for (int k = 0; k < c->nblock; k++) {
        const clv_edge *edge = edge_of(p, k);
        double *Z = L + c->diagonal[k];
        for (int i = 0; i < edge->m; i++) {
            Z[i * edge->m + i] += e->eps[edge->row + i];
            s[c->row[k] + i] = 1.0 / fmax(e->scale[edge->row + i], sqrt(fmax(Z[i * edge->m + i], 0.0)));
        }
    }
    for (int k = 0; k < c->nblock; k++) {
        int m = rows(c, k);
        for (int t = c->start[k] - 1; t < c->start[k + 1]; t++) { /* the diagonal, then those below it */
            int i = t < c->start[k] ? k : c->below[t];
            double *Z = L + (i == k ? c->diagonal[k] : c->at[t]);
            for (int a = 0; a < rows(c, i); a++)
                for (int b = 0; b < m; b++)
                    Z[a * m + b] *= s[c->row[i] + a] * s[c->row[k] + b];
        }
    }
}

/* ------------------------------------------------------------------ step 4b: the factor */

/* rows a and b of a block in pivot order, with their first q columns of L */
static void swap_rows(double *L, int m, int q, int *o, double *d, int a, int b)
{
    const int t = o[a];
    const double x = d[a];
    o[a] = o[b], o[b] = t, d[a] = d[b], d[b] = x;
    for (int j = 0; j < q; j++) {
        const double y = L[a * m + j];
        L[a * m + j] = L[b * m + j], L[b * m + j] = y;
    }
}

/* Rows from the rank on are left out.  Two kinds are weak, not redundant, and have no null vector; they go first:
 * those with a pivot above `rank`, whose directions other rows hold (T40.8), and those that rows of later blocks still
 * depend on (T28).  couple: how much, by place in the block. */
static void part_dropped(clv_engine *e, int k, double *d, const double *couple)
{
    clv_connection *n = &e->connection;
    const int m = rows(e->plan->connect, k), q = n->rank[k];
    int *o = n->order + e->plan->connect->row[k], weak = q;
    double *L = n->L + e->plan->connect->diagonal[k];
    for (int i = q; i < m; i++)
        if (d[i] > e->rank || (e->begun && couple[i] > CLV_TOL_WEAK_ROW))
            swap_rows(L, m, q, o, d, weak++, i);
    n->nulls[k] = m - weak;
}

/* One diagonal block: Z := L in pivot order, rank and order set; d: pivots, of rows left out what remains of them.
 * False: a pivot is not positive where it must be. */
static bool pivot_block(clv_engine *e, int k, double *d)
{
    const clv_connect *c = e->plan->connect;
    clv_connection *n = &e->connection;
    int m = rows(c, k), *o = n->order + c->row[k];
    double *L = n->L + c->diagonal[k], Z[M * M], least = c->loop[k] ? e->threshold : 0.0;
    memcpy(Z, L, (size_t)(m * m) * sizeof(double));
    memset(L, 0, (size_t)(m * m) * sizeof(double));
    n->rank[k] = m;
    for (int i = 0; i < m; i++) {
        o[i] = i, d[i] = Z[i * m + i];
        if (!isfinite(d[i]))
            return false;
    }
    for (int q = 0; q < m; q++) {
        int best = q;
        for (int i = q + 1; least > 0 && i < m; i++)
            if (d[i] > d[best])
                best = i;
        swap_rows(L, m, q, o, d, q, best);
        if (least > 0 && !(d[q] > least)) {
            n->rank[k] = q, e->max_dropped = fmax(e->max_dropped, d[q]);
            break;
        }
        if (!(d[q] > 0))
            return false;
        if (c->loop[k])
            e->min_pivot = fmin(e->min_pivot, d[q]);
        double root = sqrt(d[q]);
        L[q * m + q] = root;
        for (int i = q + 1; i < m; i++) {
            double x = o[i] > o[q] ? Z[o[i] * m + o[q]] : Z[o[q] * m + o[i]];
            for (int j = 0; j < q; j++)
                x -= L[i * m + j] * L[q * m + j];
            L[i * m + q] = x / root;
            d[i] -= L[i * m + q] * L[i * m + q];
        }
    }
    return true;
}

/* L_ik := Z_ik L_kk^-T, columns in pivot order, those beyond the rank zero; couple: largest number that one held */
static void divide_block(const clv_engine *e, int k, double *X, int mi, double *couple)
{
    const clv_connect *c = e->plan->connect;
    int m = rows(c, k), r = e->connection.rank[k];
    const int *o = e->connection.order + c->row[k];
    const double *L = e->connection.L + c->diagonal[k];
    for (int i = 0; i < mi; i++) {
        double y[M] = {0};
        for (int q = 0; q < r; q++) {
            double x = X[i * m + o[q]];
            for (int j = 0; j < q; j++)
                x -= y[j] * L[q * m + j];
            y[q] = x / L[q * m + q];
        }
        for (int q = r; q < m; q++) {
            double x = X[i * m + o[q]];
            for (int j = 0; j < r; j++)
                x -= y[j] * L[q * m + j];
            couple[q] = fmax(couple[q], fabs(x));
        }
        memcpy(X + i * m, y, (size_t)m * sizeof(double));
    }
}

/* what column k leaves to the blocks after it: Z_ij -= L_ik L_jk^T */
static void update(clv_engine *e, int k)
{
    const clv_connect *c = e->plan->connect;
    double *L = e->connection.L;
    int m = rows(c, k), r = e->connection.rank[k];
    for (int b = c->start[k]; b < c->start[k + 1]; b++) {
        int j = c->below[b], mj = rows(c, j), at = c->start[j];
        const double *Lj = L + c->at[b];
        for (int a = b; a < c->start[k + 1]; a++) {
            int i = c->below[a], mi = rows(c, i);
            const double *Li = L + c->at[a];
            while (i > j && c->below[at] < i)
                at++;
            double *Z = L + (i == j ? c->diagonal[j] : c->at[at]);
            for (int x = 0; x < mi; x++)
                for (int y = 0; y < mj; y++) {
                    double t = Z[x * mj + y];
                    for (int q = 0; q < r; q++)
                        t -= Li[x * m + q] * Lj[y * m + q];
                    Z[x * mj + y] = t;
                }
        }
    }
}

/* x_k (rows of the caller's order, kept ones) := L_kk^-T (y - sum over blocks below of L_ik^T x_i);
 * dropped ones stay */
static void substitute_back(const clv_engine *e, int k, double *x, int last)
{
    const clv_connect *c = e->plan->connect;
    const double *L = e->connection.L, *D = L + c->diagonal[k];
    const int *o = e->connection.order + c->row[k];
    int m = rows(c, k), r = e->connection.rank[k];
    double y[M];
    for (int q = 0; q < r; q++)
        y[q] = x[c->row[k] + o[q]];
    for (int t = c->start[k]; t < c->start[k + 1] && c->below[t] <= last; t++) {
        const double *Li = L + c->at[t], *xi = x + c->row[c->below[t]];
        for (int i = 0; i < rows(c, c->below[t]); i++)
            for (int q = 0; q < r; q++)
                y[q] -= Li[i * m + q] * xi[i];
    }
    for (int q = r - 1; q >= 0; q--) {
        for (int j = q + 1; j < r; j++)
            y[q] -= D[j * m + q] * y[j];
        y[q] /= D[q * m + q];
        x[c->row[k] + o[q]] = y[q];
    }
}

static double *null_vector(const clv_engine *e, int k, int d)
{
    const clv_connect *c = e->plan->connect;
    return e->connection.null + e->connection.null_at[k] + (size_t)d * (size_t)(c->row[k + 1] - c->row[c->first[k]]);
}

/* v := v - (v . n) n for every null vector n of blocks from .. to, the first `most` of the last block */
static void remove_null(const clv_engine *e, double *v, int from, int to, int most)
{
    const clv_connect *c = e->plan->connect;
    for (int k = from; k <= to; k++) {
        int count = e->connection.nulls[k], length = c->row[k + 1] - c->row[c->first[k]];
        for (int d = 0; d < (k == to && most < count ? most : count); d++) {
            const double *n = null_vector(e, k, d);
            double *x = v + c->row[c->first[k]], t = 0;
            for (int i = 0; i < length; i++)
                t += n[i] * x[i];
            for (int i = 0; i < length; i++)
                x[i] -= t * n[i];
        }
    }
}

static void null_vectors_of(clv_engine *e, int k)
{
    const clv_connect *c = e->plan->connect;
    clv_connection *n = &e->connection;
    int m = rows(c, k), r = n->rank[k], first = m - n->nulls[k], begin = c->row[c->first[k]], end = c->row[k + 1];
    const int *o = n->order + c->row[k];
    const double *D = n->L + c->diagonal[k];
    for (int d = first; d < m; d++) {
        double *x = n->x, norm = 0;
        memset(x + begin, 0, (size_t)(end - begin) * sizeof(double));
        for (int q = r - 1; q >= 0; q--) { /* -L_kept^-T of the dropped row */
            double y = -D[d * m + q];
            for (int j = q + 1; j < r; j++)
                y -= D[j * m + q] * x[c->row[k] + o[j]];
            x[c->row[k] + o[q]] = y / D[q * m + q];
        }
        x[c->row[k] + o[d]] = 1.0;
        for (int j = k - 1; j >= c->first[k]; j--)
            substitute_back(e, j, x, k);
        for (int pass = 0; pass < 2; pass++)
            remove_null(e, x, c->first[k], k, d - first);
        for (int i = begin; i < end; i++)
            norm += x[i] * x[i];
        norm = 1.0 / sqrt(norm);
        double *to = null_vector(e, k, d - first);
        for (int i = begin; i < end; i++)
            to[i - begin] = norm * x[i];
    }
}

bool clv_connection_cholesky(clv_engine *e)
{
    const clv_plan *p = e->plan;
    const clv_connect *c = p->connect;
    int dropped = 0, nulls = 0;
    for (int k = 0; k < c->nblock; k++) {
        double d[M], couple[M] = {0};
        if (!pivot_block(e, k, d)) {
            e->failed_edge = p->edges_of[p->part[c->part].edge + k];
            return false;
        }
        for (int t = c->start[k]; t < c->start[k + 1]; t++)
            divide_block(e, k, e->connection.L + c->at[t], rows(c, c->below[t]), couple);
        part_dropped(e, k, d, couple);
        update(e, k);
        dropped += rows(c, k) - e->connection.rank[k], nulls += e->connection.nulls[k];
        e->connection.dropped[k + 1] = nulls;
    }
    for (int k = 0; nulls > 0 && k < c->nblock; k++)
        null_vectors_of(e, k);
    e->nullity[c->part] = nulls;
    e->truncated += dropped;
    return true;
}

bool clv_connection_factor(clv_engine *e)
{
    clv_connection_form(e);
    return clv_connection_cholesky(e);
}

/* ------------------------------------------------------------------ solve */

/* x := G x: substitution with the kept rows */
static void substitute(const clv_engine *e, double *x)
{
    const clv_connect *c = e->plan->connect;
    const double *L = e->connection.L;
    for (int k = 0; k < c->nblock; k++) {
        int m = rows(c, k), r = e->connection.rank[k];
        const int *o = e->connection.order + c->row[k];
        const double *D = L + c->diagonal[k];
        double y[M] = {0}, *xk = x + c->row[k];
        for (int q = 0; q < r; q++) {
            double t = xk[o[q]];
            for (int j = 0; j < q; j++)
                t -= D[q * m + j] * y[j];
            y[q] = t / D[q * m + q];
        }
        for (int q = 0; q < m; q++)
            xk[o[q]] = y[q];
        for (int t = c->start[k]; t < c->start[k + 1]; t++) {
            const double *Li = L + c->at[t];
            double *xi = x + c->row[c->below[t]];
            for (int i = 0; i < rows(c, c->below[t]); i++)
                for (int q = 0; q < r; q++)
                    xi[i] -= Li[i * m + q] * y[q];
        }
    }
    for (int k = c->nblock - 1; k >= 0; k--)
        substitute_back(e, k, x, c->nblock);
}

void clv_connection_up(clv_engine *e)
{
    const clv_plan *p = e->plan;
    const clv_connect *c = p->connect;
    double *x = e->connection.x;
    bool singular = e->nullity[c->part] > 0;
    for (int k = 0; k < c->nblock; k++)
        for (int i = 0; i < rows(c, k); i++)
            x[c->row[k] + i] = e->a[edge_of(p, k)->row + i];
    for (int i = 0; i < c->nchild; i++) {
        const double *x0 = clv_part_x0(e, c->child[i]);
        for (int h = c->handle_start[i]; h < c->handle_start[i + 1]; h++) {
            const clv_edge *edge = edge_of(p, c->handle_block[h]);
            const double *B = e->block + edge->block[c->handle_of[h]];
            for (int j = 0; j < edge->m; j++)
                x[c->row[c->handle_block[h]] + j] -= clv_dot6(B + 6 * j, x0 + c->handle_at[h]);
        }
    }
    for (int i = 0; i < c->nrow; i++)
        x[i] *= e->connection.s[i];
    if (singular)
        remove_null(e, x, 0, c->nblock - 1, M);
    substitute(e, x);
    if (singular)
        remove_null(e, x, 0, c->nblock - 1, M);
    for (int k = 0; k < c->nblock; k++)
        for (int i = 0; i < rows(c, k); i++)
            e->sigma[edge_of(p, k)->row + i] = e->connection.s[c->row[k] + i] * x[c->row[k] + i];
}

void clv_connection_down(clv_engine *e)
{
    const clv_plan *p = e->plan;
    const clv_connect *c = p->connect;
    for (int i = 0; i < c->nchild; i++) {
        double *T = clv_part_T(e, c->child[i]);
        memset(T, 0, 6 * (size_t)p->part[c->child[i]].nport * sizeof(double));
        for (int h = c->handle_start[i]; h < c->handle_start[i + 1]; h++) {
            const clv_edge *edge = edge_of(p, c->handle_block[h]);
            const double *B = e->block + edge->block[c->handle_of[h]];
            for (int j = 0; j < edge->m; j++)
                for (int r = 0; r < 6; r++)
                    T[c->handle_at[h] + r] += B[6 * j + r] * e->sigma[edge->row + j];
        }
    }
}

/* impulses of one null vector; only the blocks of its subtree and the children they hold take part */
void clv_connection_self_stress(clv_engine *e, int number)
{
    const clv_plan *p = e->plan;
    const clv_connect *c = p->connect;
    clv_connection *m = &e->connection;
    int k = 0;
    for (int end = c->nblock; end - k > 1;) { /* the block with dropped[k] <= number < dropped[k + 1] */
        int middle = k + (end - k) / 2;
        if (m->dropped[middle] <= number)
            k = middle;
        else
            end = middle;
    }
    number -= m->dropped[k];
    m->from = c->first[k], m->to = k, m->now++;
    const double *n = null_vector(e, k, number) - c->row[c->first[k]];
    for (int j = c->first[k]; j <= k; j++) {
        const clv_edge *edge = edge_of(p, j);
        for (int i = 0; i < edge->m; i++)
            e->sigma[edge->row + i] = m->s[c->row[j] + i] * n[c->row[j] + i];
        for (int x = c->held_start[j]; x < c->held_start[j + 1]; x++) {
            int h = c->held[x], i = c->handle_child[h];
            double *T = clv_part_T(e, c->child[i]);
            const double *B = e->block + edge->block[c->handle_of[h]];
            if (m->reached[i] != m->now) {
                m->reached[i] = m->now;
                memset(T, 0, 6 * (size_t)p->part[c->child[i]].nport * sizeof(double));
                e->below[e->nbelow++] = c->child[i];
            }
            for (int q = 0; q < edge->m; q++)
                for (int r = 0; r < 6; r++)
                    T[c->handle_at[h] + r] += B[6 * q + r] * e->sigma[edge->row + q];
        }
    }
}
