/* SPDX-License-Identifier: Apache-2.0
 * Memory of the rows of carried loops (T101): columns of strands, fronts, the work of one front; see row_carry.h. */
#include "kinematics/row_carry_parts.h"
#include "kinematics/row_joints.h"
#include "math/semi.h"

static void piece_layout(clv_row_columns *c, const clv_plan *p, int piece, int rows, bool shared, clv_arena *a)
{
    const clv_meet *t = &p->carry->meet[piece];
    const bool floats = piece >= p->nstrand || (p->strand[piece].base == CLV_BASE_FREE && !clv_strand_folds(p, piece));
    /* a base whose joint is no row */
    const bool alone = floats && piece < p->nstrand && p->strand[piece].length == 1;
    c->n = t->nopen, c->wide = CLV_EIGHTS(t->nopen), c->rows = alone ? 0 : rows;
    if (shared)
        return;
    const size_t wide = (size_t)c->wide, lines = clv_row_stands_in_series(p, piece) ? 6 : (size_t)c->rows;
    CLV_TAKE(a, c->K, 6 * wide), CLV_TAKE(a, c->Y, lines * wide), CLV_TAKE(a, c->L, (size_t)c->n * wide);
    CLV_TAKE(a, c->X, floats ? 6 * wide : 0), CLV_TAKE(a, c->t, wide);
    clv_rows_joined_layout(p, piece, c, a);
}

static void front_layout(clv_row_front *f, const clv_front *s, bool tip, clv_arena *a)
{
    const size_t m = (size_t)s->nout, left = (size_t)clv_row_sixes(s->nleft);
    f->wide = tip || s->nleft > 0 ? 8 + CLV_EIGHTS(s->nleft) : 0;
    CLV_TAKE(a, f->G, m * (size_t)f->wide), CLV_TAKE(a, f->factor, CLV_SEMI_SIZE(m)), CLV_TAKE(a, f->h, m);
    CLV_TAKE(a, f->L, (size_t)s->nleft * left);
}

/* of a meet; those of batches have their numbers there */
static void fronts_layout(clv_row_carry *y, const clv_plan *p, int at, clv_arena *a)
{
    const clv_meet *t = &p->carry->meet[at];
    for (int i = t->front, n; i<t->front + t->nfront; i += n> 0 ? n : 1) {
        clv_row_front counting;
        n = clv_rows_alike(p->carry, i);
        if (n == 0)
            front_layout(a->base ? &y->front[i] : &counting, &p->carry->front[i], at < p->nstrand, a);
    }
}

/* of a front with n rows: L of all, scales, [K g L] and its squares; of a self-stress a vector and a factor */
static size_t work_of(int n)
{
    const size_t rows = (size_t)n, line = (size_t)CLV_EIGHTS(n), wide = line + 8;
    const size_t front = rows * line + line + rows * wide + (rows + 8) * wide;
    const size_t stress = rows + (size_t)CLV_RANK_SIZE(rows);
    return front > stress ? front : stress;
}

void clv_rows_carry_layout(clv_rows *w, const clv_plan *p, clv_arena *a)
{
    clv_row_carry *y = &w->carry;
    if (!p->carried)
        return;
    const clv_carry *c = p->carry;
    const size_t n = (size_t)w->nrow * G8;
    const int pieces = clv_plan_pieces(p);
    CLV_TAKE(a, y->strand, pieces), CLV_TAKE(a, y->front, c->nfront), CLV_TAKE(a, y->K, p->nstrand);
    clv_rows_sheaf_layout(w, p, a);
    for (int k = 0; k < pieces; k++) {
        clv_row_columns counting, *s = a->base ? &y->strand[k] : &counting;
        double *columns;
        const bool strand = k < p->nstrand, shared = strand && clv_rows_in_sheaf(p, k);
        piece_layout(s, p, k, strand ? clv_row_strand_rows(p, k) : 0, shared, a);
        if (strand && !shared)
            CLV_TAKE(a, columns, 6 * c->meet[k].nrow);
        if (a->base && strand && !shared)
            y->K[k] = columns;
    }
    clv_rows_batch_layout(w, p, a);
    for (int k = 0; k <= pieces; k++)
        fronts_layout(y, p, k, a);
    CLV_TAKE(a, y->motion, 6 * p->nbody), CLV_TAKE(a, y->g, clv_plan_rows(p)), CLV_TAKE(a, y->sigma, p->nsigma);
    CLV_TAKE(a, y->work, work_of(c->most));
    CLV_TAKE(a, y->x, 6 * n), CLV_TAKE(a, y->rates, n), CLV_TAKE(a, y->start, 6 * G8 * (size_t)p->ngroup);
    clv_rows_series_layout(y, p, a);
    CLV_TAKE(a, y->u, p->nstar > 0 ? p->nu : 0), CLV_TAKE(a, y->joined, pieces);
    CLV_TAKE(a, y->joined_first, p->nstar > 0 ? p->ngroup + 2 : 0);
}
