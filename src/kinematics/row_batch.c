/* SPDX-License-Identifier: Apache-2.0
 * Fronts on ground in lanes (T101): those of one round of the plan and of one shape; row_batch_lane.c has the kernels.
 * Called by row_carry.c in the place of a front of its own.
 *
 * What fronts take up comes from lanes of other groups and batches (row_intake.c), and g and sigma from rows anywhere:
 * these are copied number by number. */
#include "kinematics/row_carry_parts.h"
#include "kinematics/row_kernels.h"
#include <math.h>

enum { LEAST = 3 }; /* fronts that pay in lanes */

int clv_rows_alike(const clv_carry *c, int first)
{
    const clv_front *f = &c->front[first];
    int n = 0;
    while (n < G8 && first + n < c->nfront && f[n].round == f->round && f[n].nout == f->nout && f[n].nleft == f->nleft)
        n++;
    return f->round > 0 && f->nout <= CLV_BATCH_ROWS && n >= LEAST ? n : 0;
}

static int triangle(int n)
{
    return clv_row_sheaf_at(n, 0);
}

static void layout(clv_row_batch *b, clv_arena *a)
{
    const int m = b->m, left = b->left;
    CLV_TAKE(a, b->X, left * m * G8), CLV_TAKE(a, b->L, triangle(left)), CLV_TAKE(a, b->Q, m * m * G8);
    CLV_TAKE(a, b->R, triangle(m)), CLV_TAKE(a, b->s, m * G8), CLV_TAKE(a, b->order, m * G8);
    CLV_TAKE(a, b->sigma0, m * G8), CLV_TAKE(a, b->g, (m + left) * G8), CLV_TAKE(a, b->found, 4 * G8);
    CLV_TAKE(a, b->kept, G8);
}

void clv_rows_batch_layout(clv_rows *w, const clv_plan *p, clv_arena *a)
{
    clv_row_carry *y = &w->carry;
    const clv_carry *c = p->carry;
    y->nbatch = 0;
    for (int i = 0; i<c->nfront; i += clv_rows_alike(c, i)> 0 ? clv_rows_alike(c, i) : 1)
        y->nbatch += clv_rows_alike(c, i) > 0;
    CLV_TAKE(a, y->batch, y->nbatch), CLV_TAKE(a, y->batch_of, c->nfront);
    for (int i = 0, k = 0, n; i<c->nfront; i += n> 0 ? n : 1) {
        n = clv_rows_alike(c, i);
        for (int f = i; a->base && f < i + (n > 0 ? n : 1); f++)
            y->batch_of[f] = n > 0 ? k : -1;
        if (n == 0)
            continue;
        clv_row_batch counting, *b = a->base ? &y->batch[k] : &counting;
        b->first = i, b->n = n, b->m = c->front[i].nout, b->left = c->front[i].nleft, k++;
        layout(b, a);
        clv_rows_batch_intake(w, p, b, a);
    }
    clv_rows_round_layout(w, p, a);
}

clv_row_batch *clv_row_batch_of(const clv_rows *w, int front)
{
    return w->carry.batch_of[front] < 0 ? NULL : &w->carry.batch[w->carry.batch_of[front]];
}

/* where the run of places ends that begins at i: each one more than the one before */
static int run_end(const int *place, int n, int i)
{
    do
        i++;
    while (i < n && place[i] == place[i - 1] + 1);
    return i;
}

void clv_row_add_triangle(double *to, const double *L, int n, const int *place)
{
    for (int i = 0; i < n; i++)
        for (int j = 0, end; j <= i; j = end) {
            const int a = place[i], b = place[j];
            end = run_end(place, i + 1, j);
            double *x = to + (b <= a ? clv_row_sheaf_at(a, b) : clv_row_sheaf_at(b, a));
            if (b <= a)
                for (int k = j; k < end; k++, x += G8, L += G8)
                    *x += *L;
            else
                for (int k = j; k < end; k++, L += G8)
                    *x += *L, x += (b + 1 + k - j) * G8;
        }
}

/* the same of an element that has no lanes */
static void add_element(const clv_rows *w, double *to, int element, int n, const int *place)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            const int a = place[i], b = place[j];
            to[a > b ? clv_row_sheaf_at(a, b) : clv_row_sheaf_at(b, a)] += clv_rows_compliance(w, element, i, j);
        }
}

const double *clv_row_lane_triangle(const clv_rows *w, int element)
{
    const int front = element - w->npiece;
    if (front >= 0) {
        const clv_row_batch *b = clv_row_batch_of(w, front);
        return b ? b->L + (front - b->first) : NULL;
    }
    const clv_row_sheaf *s = clv_row_sheaf_of(w, element);
    return s ? s->L + w->plan->strand[element].lane : NULL;
}

/* what the fronts of a batch take up, one after the other */
static void gather(const clv_rows *w, const clv_row_batch *b, double *L)
{
    const clv_carry *c = w->plan->carry;
    memset(L, 0, (size_t)triangle(b->m + b->left) * sizeof(double));
    for (int l = 0; l < b->n; l++) {
        const clv_front *f = &c->front[b->first + l];
        for (int i = 0; i < f->ntaken; i++) {
            const int id = c->list[f->taken + 2 * i], *place = c->list + c->list[f->taken + 2 * i + 1];
            const int front = id - w->npiece, n = front < 0 ? w->carry.strand[id].n : c->front[front].nleft;
            const double *from = clv_row_lane_triangle(w, id);
            if (from)
                clv_row_add_triangle(L + l, from, n, place);
            else
                add_element(w, L + l, id, n, place);
        }
    }
}

/* those of the engine; lanes without a front are as the first one */
static void take_scales(const clv_rows *w, const clv_row_batch *b)
{
    const clv_carry *c = w->plan->carry;
    for (int l = 0; l < G8; l++) {
        const int *row = c->list + c->front[b->first + (l < b->n ? l : 0)].row;
        for (int i = 0; i < b->m; i++)
            b->s[i * G8 + l] = w->engine->scale[row[i]];
    }
}

void clv_rows_factor_batch(const clv_rows *w, clv_row_batch *b, double *work, bool cleared)
{
    const int size = triangle(b->m + b->left);
    b->G = work + size;
    take_scales(w, b);
    if (b->ntake >= 0)
        w->carry.kernels->take_up(work, cleared && b->as_before ? NULL : &b->clear, b->take, b->ntake, b->n);
    else
        gather(w, b, work);
    w->carry.kernels->batch_factor(b, work, w->engine->threshold);
}

int clv_rows_note_batch(clv_rows *w, const clv_row_batch *b)
{
    clv_engine *e = w->engine;
    for (int l = 0; l < b->n; l++) {
        double found[4];
        clv_row_get(b->found + l, 4, found);
        if (found[3] != 1.0)
            return b->first + l;
        w->carry.front[b->first + l].rank = (int)found[0];
        e->truncated += b->m - (int)found[0];
        e->min_pivot = fmin(e->min_pivot, found[1]), e->weakest = fmin(e->weakest, found[1]);
        e->max_dropped = fmax(e->max_dropped, found[2]);
    }
    return -1;
}

static const int *rows_of(const clv_rows *w, const clv_row_batch *b, int lane)
{
    const clv_carry *c = w->plan->carry;
    return c->list + c->front[b->first + lane].row;
}

void clv_rows_push_batch(const clv_rows *w, const clv_row_batch *b)
{
    for (int l = 0; l < b->n; l++) {
        const int *row = rows_of(w, b, l);
        for (int i = 0; i < b->m; i++)
            b->g[i * G8 + l] = w->carry.g[row[i]];
    }
    w->carry.kernels->batch_push(b);
}

void clv_rows_take_off_batch(clv_rows *w, const clv_row_batch *b)
{
    for (int l = 0; l < b->n; l++) {
        const int *row = rows_of(w, b, l);
        for (int i = b->m; i < b->m + b->left; i++)
            w->carry.g[row[i]] -= b->g[i * G8 + l];
    }
}

void clv_rows_give_batch(const clv_rows *w, const clv_row_batch *b)
{
    double *sigma = w->engine->sigma;
    for (int l = 0; l < b->n; l++) {
        const int *row = rows_of(w, b, l);
        for (int i = b->m; i < b->m + b->left; i++)
            b->g[i * G8 + l] = sigma[row[i]];
    }
    w->carry.kernels->batch_give(b);
    for (int l = 0; l < b->n; l++) {
        const int *row = rows_of(w, b, l);
        for (int i = 0; i < b->m; i++)
            sigma[row[i]] = b->g[i * G8 + l];
    }
}

void clv_rows_batch_solve(const clv_rows *w, int front, double *x)
{
    const clv_row_batch *b = clv_row_batch_of(w, front);
    const double *Q = b->Q + (front - b->first), *R = b->R + (front - b->first);
    const int m = b->m, r = w->carry.front[front].rank;
    double y[CLV_BATCH_ROWS];
    for (int k = 0; k < r; k++) {
        y[k] = 0;
        for (int i = 0; i < m; i++)
            y[k] += Q[(k * m + i) * G8] * x[i];
    }
    for (int i = r - 1; i >= 0; i--) {
        for (int j = i + 1; j < r; j++)
            y[i] -= R[clv_row_sheaf_at(j, i)] * y[j];
        y[i] *= R[clv_row_sheaf_at(i, i)];
    }
    for (int i = 0; i < r; i++) {
        for (int j = 0; j < i; j++)
            y[i] -= R[clv_row_sheaf_at(i, j)] * y[j];
        y[i] *= R[clv_row_sheaf_at(i, i)];
    }
    for (int i = 0; i < m; i++) {
        x[i] = 0;
        for (int k = 0; k < r; k++)
            x[i] += Q[(k * m + i) * G8] * y[k];
    }
}

clv_rank clv_rows_batch_rank(const clv_rows *w, int front, double *memory)
{
    const clv_row_batch *b = clv_row_batch_of(w, front);
    const int l = front - b->first, m = b->m;
    clv_rank z = clv_rank_view(m, w->carry.front[front].rank, memory);
    memset(memory, 0, CLV_RANK_SIZE((size_t)m) * sizeof *memory);
    for (int i = 0; i < m; i++) {
        z.s[i] = b->s[i * G8 + l], z.order[i] = b->order[i * G8 + l];
        for (int k = 0; k < z.r; k++)
            z.Q[k * m + i] = b->Q[(k * m + i) * G8 + l] / z.s[i];
        for (int j = 0; j < i && i < z.r; j++)
            z.R[j * m + i] = b->R[clv_row_sheaf_at(i, j) + l];
        if (i < z.r)
            z.R[i * m + i] = 1.0 / b->R[clv_row_sheaf_at(i, i) + l];
    }
    return z;
}
