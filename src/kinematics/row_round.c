/* SPDX-License-Identifier: Apache-2.0
 * Rounds of fronts on ground (T134), shared out among the threads of a team (T44).
 *
 * Fronts of a round take up none of each other and eliminate rows of their own.  So their batches are factored, pushed
 * and given at the same time.  Rows that are left belong to several fronts of a round: what right-hand sides take off
 * them is taken off afterwards, batch after batch (row_carry.c).  Pieces are runs of batches, of the plan alone.  Each
 * has memory of its own for the matrix that it factors; one thread uses that of the first piece for all. */
#include "kinematics/row_axes.h"
#include "kinematics/row_carry_parts.h"

enum { RUN = 4, PIECES = 64 }; /* batches that a piece has at least, pieces at most */

int clv_rows_round_begin(const clv_carry *c, int front)
{
    const int round = c->front[front].round;
    while (round > 0 && front > 0 && c->front[front - 1].round == round)
        front--;
    return front;
}

int clv_rows_round_end(const clv_carry *c, int front)
{
    const int round = c->front[front].round;
    do
        front++;
    while (round > 0 && front < c->nfront && c->front[front].round == round);
    return front;
}

typedef struct batches {
    clv_rows *w;
    int first, n;  /* batches of the round */
    int run, work; /* batches of a piece; numbers from the memory of a piece to the next */
    bool again;
} batches;

static int pieces(int n, int *run)
{
    *run = (n + PIECES - 1) / PIECES;
    *run = *run < RUN ? RUN : *run;
    return (n + *run - 1) / *run;
}

/* n: 0 where no front of the round shares lanes */
static batches batches_of(clv_rows *w, int front, bool again)
{
    const clv_carry *c = w->plan->carry;
    batches r = {.w = w, .again = again};
    const int end = clv_rows_round_end(c, front);
    for (int k = clv_rows_round_begin(c, front); k < end; k++) {
        const int batch = w->carry.batch_of[k];
        if (batch >= 0 && r.n == 0)
            r.first = batch;
        if (batch >= 0)
            r.n = batch + 1 - r.first;
    }
    return r;
}

/* memory of the largest batch, for as many pieces as the largest round has */
void clv_rows_round_layout(clv_rows *w, const clv_plan *p, clv_arena *a)
{
    const clv_carry *c = p->carry;
    clv_row_carry *y = &w->carry;
    int most = 0, run;
    y->nwork = 0;
    for (int i = 0, n = 0; i < c->nfront; i++) {
        const int alike = clv_rows_alike(c, i), rows = c->front[i].nout + c->front[i].nleft;
        n = i > 0 && c->front[i].round == c->front[i - 1].round ? n : 0;
        if (alike == 0)
            continue;
        const int size = clv_row_sheaf_at(rows, 0) + c->front[i].nout * c->front[i].nleft * G8;
        y->nwork = size > y->nwork ? size : y->nwork;
        n++, i += alike - 1;
        most = pieces(n, &run) > most ? pieces(n, &run) : most;
    }
    CLV_TAKE(a, y->work_of_batch, (size_t)most * (size_t)y->nwork);
}

static int last(const batches *r, int piece)
{
    const int end = r->first + (piece + 1) * r->run;
    return end < r->first + r->n ? end : r->first + r->n;
}

static void factor_run(void *of, int piece)
{
    const batches *r = of;
    clv_row_carry *y = &r->w->carry;
    for (int k = r->first + piece * r->run; k < last(r, piece); k++) {
        if (!r->again)
            clv_rows_factor_batch(r->w, &y->batch[k], y->work_of_batch + (size_t)piece * (size_t)r->work,
                                  k > r->first + piece * r->run);
        clv_rows_push_batch(r->w, &y->batch[k]);
    }
}

void clv_rows_round_factor(clv_rows *w, int front, bool again)
{
    batches r = batches_of(w, front, again);
    if (r.n == 0)
        return;
    r.work = clv_team_size(w->team) > 1 ? w->carry.nwork : 0;
    clv_team_run(w->team, pieces(r.n, &r.run), factor_run, &r);
}

static void give_run(void *of, int piece)
{
    const batches *r = of;
    for (int k = r->first + piece * r->run; k < last(r, piece); k++)
        clv_rows_give_batch(r->w, &r->w->carry.batch[k]);
}

void clv_rows_round_give(clv_rows *w, int front)
{
    batches r = batches_of(w, front, true);
    if (r.n > 0)
        clv_team_run(w->team, pieces(r.n, &r.run), give_run, &r);
}
