/* SPDX-License-Identifier: Apache-2.0
 * Long runs of strands (T159): memory and lists. */
#include "kinematics/row_runs.h"
#include "kinematics/row_axes.h"

enum { FAN = 4 }; /* links of a block */

/* blocks of all levels over n groups, and how many levels */
static int count_blocks(int n, int *levels)
{
    int blocks = 0;
    for (*levels = 0; n > 1; ++*levels)
        blocks += n = (n + FAN - 1) / FAN;
    return blocks;
}

static void out_layout(clv_strand_out *o, clv_arena *a)
{
    CLV_TAKE(a, o->I, 21 * G8), CLV_TAKE(a, o->p, 6 * G8), CLV_TAKE(a, o->K, 36 * G8), CLV_TAKE(a, o->L, 21 * G8);
    CLV_TAKE(a, o->t, 6 * G8), CLV_TAKE(a, o->x, 6 * G8), CLV_TAKE(a, o->F, 6 * G8);
}

static void link_layout(clv_row_link *l, clv_arena *a)
{
    out_layout(&l->all, a);
    CLV_TAKE(a, l->X, 36 * G8), CLV_TAKE(a, l->y, 6 * G8), CLV_TAKE(a, l->Z, 36 * G8), CLV_TAKE(a, l->turn, 9 * G8);
    CLV_TAKE(a, l->frame, CLV_FRAME * G8), CLV_TAKE(a, l->run, 6 * G8), CLV_TAKE(a, l->start, CLV_FRAME * G8);
    CLV_TAKE(a, l->motion, 6 * G8), CLV_TAKE(a, l->Q, 6 * G8), CLV_TAKE(a, l->arrives, 6 * G8);
}

void clv_rows_runs_layout(clv_rows *w, const clv_plan *p, clv_arena *a)
{
    const int nrun = p->absolute ? 0 : p->nrun;
    CLV_TAKE(a, w->runs, nrun), CLV_TAKE(a, w->run_of, p->nstrand), CLV_TAKE(a, w->stands_for, p->nstrand);
    for (int i = 0; i < nrun; i++) {
        clv_row_run counting, *r = a->base ? &w->runs[i] : &counting;
        int levels, blocks = count_blocks(p->run[i].ngroup, &levels), links = p->run[i].ngroup + blocks;
        CLV_TAKE(a, r->link, links), CLV_TAKE(a, r->block, blocks), CLV_TAKE(a, r->level, levels + 1);
        for (int n = 0; n < links; n++) {
            clv_row_link one;
            link_layout(a->base ? &r->link[n] : &one, a);
        }
    }
}

/* blocks over links of a run, up to the one that stands for it */
static void list_blocks(clv_row_run *r)
{
    clv_row_link *from = r->link, *to = r->link + r->ngroup;
    int n = r->ngroup, blocks = 0;
    count_blocks(n, &r->nlevel);
    for (int i = 0; i < r->nlevel; i++) {
        const int next = (n + FAN - 1) / FAN;
        r->level[i] = blocks;
        for (int k = 0; k < next; k++) {
            clv_row_block *b = &r->block[blocks++];
            *b = (clv_row_block){from + FAN * k, n - FAN * k < FAN ? n - FAN * k : FAN, to + k};
            b->link[b->n - 1].all = *b->link[b->n - 1].own; /* nothing follows */
            b->sum->own = &b->link[0].all;
        }
        from = to, to += next, n = next;
    }
    r->level[r->nlevel] = blocks;
    r->top = from;
}

/* first and last strands of the lanes; the first of all stands for all strands of the run */
static void list_ends(clv_rows *w, clv_row_run *r, int run)
{
    const clv_group *g = w->plan->group + r->group;
    for (int i = 0; i < CLV_GROUP * r->ngroup; i++)
        w->run_of[g[i / CLV_GROUP].strand[i % CLV_GROUP]] = CLV_ROW_INNER;
    for (int l = 0; l < CLV_GROUP; l++) {
        r->head[l] = g[0].strand[l], r->tail[l] = g[r->ngroup - 1].strand[l];
        w->stands_for[r->tail[l]] = r->head[l];
    }
    w->run_of[r->head[0]] = run;
}

static void begin_run(clv_rows *w, int run)
{
    clv_row_run *r = &w->runs[run];
    r->group = w->plan->run[run].group, r->ngroup = w->plan->run[run].ngroup;
    for (int n = 0; n < r->ngroup; n++)
        r->link[n].own = &w->engine->out[r->group + n];
    list_blocks(r);
    list_ends(w, r, run);
    for (clv_row_link *l = r->link; l <= r->top; l++) /* where axes of strands are global, these stay */
        for (int i = 0; i < 3 * G8; i++)
            l->turn[4 * G8 * (i / G8) + i % G8] = l->frame[4 * G8 * (i / G8) + i % G8] = 1.0;
}

void clv_rows_runs_begin(clv_rows *w)
{
    for (int k = 0; k < w->plan->nstrand; k++)
        w->run_of[k] = -1, w->stands_for[k] = k;
    for (int i = 0; i < w->plan->nrun; i++)
        begin_run(w, i);
}

/* The attached row of the tips of a group, if each of its strands holds its tip alone, in that row, and nobody looks at
 * the bodies. */
static int tips_of(const clv_rows *w, int group)
{
    const clv_plan *p = w->plan;
    int row = -1;
    for (int l = 0; l < CLV_GROUP; l++) {
        const int k = p->group[group].strand[l], n = w->held_first[k + 1] - w->held_first[k];
        const int body = p->bodies[p->strand[k].first + p->strand[k].length - 1], own = w->attached[w->slot[body] / G8];
        if (n != 1 || own < 0 || (l > 0 && own != row) || (w->mark[body] & CLV_ROWS_BORDER) || clv_rows_floats(w, k))
            return -1;
        row = own;
    }
    return row;
}

void clv_rows_runs_touched(clv_rows *w)
{
    for (int i = 0; i < w->plan->nrun; i++)
        for (int n = 0; n < w->runs[i].ngroup; n++)
            w->runs[i].link[n].tips = tips_of(w, w->runs[i].group + n);
}
