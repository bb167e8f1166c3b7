/* SPDX-License-Identifier: Apache-2.0
 * Long runs of strands (T159): what row_scan.c, row_fold.c and row_sums.c do strand by strand.  Up through the levels
 * of blocks, over the eight lanes of the top, and down again. */
#include "kinematics/row_axes.h"
#include "kinematics/row_frame.h"
#include "kinematics/row_kernels.h"
#include "kinematics/row_runs.h"

typedef struct walk {
    clv_rows *w;
    clv_kinematics *k;
    const clv_row_run *r;
    const clv_row_block *block;
    const double *gravity;
    bool moving;
} walk;

static void over_level(walk *x, int level, clv_team_work *work)
{
    x->block = x->r->block + x->r->level[level];
    clv_team_run(x->w->team, x->r->level[level + 1] - x->r->level[level], work, x);
}
static void upwards(walk *x, clv_team_work *work)
{
    for (int i = 0; i < x->r->nlevel; i++)
        over_level(x, i, work);
}
static void downwards(walk *x, clv_team_work *work)
{
    for (int i = x->r->nlevel - 1; i >= 0; i--)
        over_level(x, i, work);
}

/* group of a link, or -1: it is a block of links */
static int group_of(const walk *x, const clv_row_link *l)
{
    const long i = l - x->r->link;
    return i < x->r->ngroup ? x->r->group + (int)i : -1;
}
static const int *strands_of(const walk *x, int group) { return x->w->plan->group[group].strand; }

static int tip_body(const clv_plan *p, int strand)
{
    return p->bodies[p->strand[strand].first + p->strand[strand].length - 1];
}

/* ------------------------------------------------------------------ starts */

/* frames and motions of the tips of a group */
static void take_tips(const walk *x, const clv_row_link *l, int group)
{
    const clv_rows *w = x->w;
    if (l->tips >= 0) {
        w->kernels->run_take(w, l, x->moving);
        return;
    }
    for (int lane = 0; lane < G8; lane++) {
        const int body = tip_body(w->plan, strands_of(x, group)[lane]);
        double f[CLV_FRAME], run[6];
        if (w->attached[w->slot[body] / G8] < 0) /* the end of the run */
            continue;
        clv_row_get(clv_row_attached(w, w->frame, CLV_FRAME, body), CLV_FRAME, f);
        clv_row_put(l->frame + lane, CLV_FRAME, f);
        for (int i = 0; i < 3; i++)
            for (int v = 0; v < 3; v++)
                l->turn[(3 * i + v) * G8 + lane] = f[3 * v + i];
        if (!x->moving)
            continue;
        clv_row_get(clv_row_attached(w, w->run, 6, body), 6, run);
        clv_row_put(l->run + lane, 6, run);
    }
}

static void gather_block(void *of, int i)
{
    const walk *x = of;
    const clv_row_block *b = &x->block[i];
    for (int n = 0; n < b->n; n++)
        if (group_of(x, &b->link[n]) >= 0)
            take_tips(x, &b->link[n], group_of(x, &b->link[n]));
    x->w->kernels->run_gather(b, x->moving);
}

static void start_block(void *of, int i)
{
    const walk *x = of;
    const clv_row_block *b = &x->block[i];
    x->w->kernels->run_start(b, x->moving);
    for (int n = 0; n < b->n; n++) {
        const int group = group_of(x, &b->link[n]);
        if (group < 0)
            continue;
        x->w->kernels->run_leave(&b->link[n], &x->w->end[group], x->gravity);
        if (b->link[n].tips >= 0)
            x->w->kernels->run_hold(x->w, &b->link[n], x->moving);
        for (int lane = 0; b->link[n].tips < 0 && lane < G8; lane++) {
            double s[CLV_FRAME], V[6];
            clv_row_get(b->link[n].start + lane, CLV_FRAME, s), clv_row_get(b->link[n].motion + lane, 6, V);
            clv_rows_scan_held(x->w, x->k, strands_of(x, group)[lane], s, x->moving ? V : NULL);
        }
    }
}

void clv_rows_run_scan(clv_rows *w, clv_kinematics *k, const clv_row_run *r, const double s[CLV_FRAME],
                       const double V[6], const double gravity[3], bool moving)
{
    walk x = {.w = w, .k = k, .r = r, .gravity = gravity, .moving = moving};
    double start[CLV_FRAME], motion[6], f[CLV_FRAME], run[6];
    upwards(&x, gather_block);
    memcpy(start, s, sizeof start), memcpy(motion, V, sizeof motion);
    for (int lane = 0; lane < G8; lane++) {
        const clv_row_link *l = r->top;
        clv_row_put(l->start + lane, CLV_FRAME, start), clv_row_put(l->motion + lane, 6, motion);
        clv_row_get(l->frame + lane, CLV_FRAME, f), clv_row_get(l->run + lane, 6, run);
        clv_frame_product(start, f), clv_frame_run(start, f, motion, run);
        memcpy(start, f, sizeof start), memcpy(motion, run, sizeof motion);
        if (lane + 1 < G8)
            clv_row_get(l->turn + lane, 9, w->join[r->head[lane + 1]].R);
    }
    downwards(&x, start_block);
}

/* ------------------------------------------------------------------ joins */

/* a strand at which the run ends has no columns: they act on nothing */
static void clear_end(const walk *x)
{
    const int tail = x->r->tail[G8 - 1];
    const clv_strand_out *o = &x->w->engine->out[x->w->plan->strand[tail].group];
    if (clv_rows_tip(x->w->plan, tail))
        return;
    for (int i = 0; i < 36; i++)
        o->K[i * G8 + G8 - 1] = 0;
    for (int i = 0; i < 21; i++)
        o->L[i * G8 + G8 - 1] = 0;
    for (int i = 0; i < 6; i++)
        o->t[i * G8 + G8 - 1] = 0;
}

static void join_block(void *of, int i)
{
    const walk *x = of;
    x->w->kernels->run_join(&x->block[i]);
}
static void part_block(void *of, int i)
{
    const walk *x = of;
    x->w->kernels->run_part(&x->block[i]);
}

void clv_rows_run_fold(clv_rows *w, const clv_row_run *r)
{
    walk x = {.w = w, .r = r};
    clear_end(&x);
    upwards(&x, join_block);
    for (int lane = G8 - 1; lane > 0; lane--)
        w->kernels->join(&w->join[r->head[lane]], &w->join[r->head[lane - 1]], r->top->own, lane,
                         clv_rows_tip(w->plan, r->tail[lane]), true);
}

void clv_rows_run_unfold(clv_rows *w, const clv_row_run *r)
{
    walk x = {.w = w, .r = r};
    for (int lane = 1; lane < G8; lane++) {
        double base[6];
        clv_row_to_strand(w->join[r->head[lane]].R, base, w->join[r->head[lane - 1]].tip);
        clv_rows_unfold_lane(w, r->head[lane], r->top->own, lane, base);
    }
    downwards(&x, part_block);
}

/* ------------------------------------------------------------------ sums */

static void sum_block(void *of, int i)
{
    const walk *x = of;
    const clv_row_block *b = &x->block[i];
    for (int n = 0; n < b->n; n++) {
        const int group = group_of(x, &b->link[n]);
        double Q[6];
        if (group >= 0 && b->link[n].tips >= 0) {
            x->w->kernels->run_weigh(x->w, &b->link[n], group);
            continue;
        }
        for (int lane = 0; group >= 0 && lane < G8; lane++) {
            clv_rows_own_load(x->w, strands_of(x, group)[lane], Q);
            clv_row_put(b->link[n].Q + lane, 6, Q);
        }
    }
    x->w->kernels->run_sum(b);
}

/* the momentum of what a strand holds by its tip, attached there */
static void attach_momentum(const clv_rows *w, int strand)
{
    const clv_strand *st = &w->plan->strand[strand];
    const int tip = tip_body(w->plan, strand);
    double P[6];
    if (w->attached[w->slot[tip] / G8] < 0)
        return;
    clv_row_get(w->engine->out[st->group].F + st->lane, 6, P);
    for (int i = 0; i < 6; i++)
        P[i] = -P[i];
    clv_rows_attach_own(w, w->P, tip, P);
}

/* what arrives at the tip of a strand, in axes of the next one, attached there */
static void attach_arrival(const walk *x, const clv_row_link *l, int lane, int strand)
{
    double Q[6], R[9], y[6];
    clv_row_get(l->arrives + lane, 6, Q), clv_row_get(l->turn + lane, 9, R);
    clv_row_to_global(R, y, Q);
    clv_rows_attach_own(x->w, x->w->Q, tip_body(x->w->plan, strand), y);
}

static void arrive_block(void *of, int i)
{
    const walk *x = of;
    const clv_row_block *b = &x->block[i];
    x->w->kernels->run_arrive(b);
    for (int n = 0; n < b->n; n++) {
        const int group = group_of(x, &b->link[n]);
        if (group >= 0 && b->link[n].tips >= 0) {
            x->w->kernels->run_give(x->w, &b->link[n]);
            continue;
        }
        for (int lane = 0; group >= 0 && lane < G8; lane++) {
            const int strand = strands_of(x, group)[lane];
            attach_momentum(x->w, strand);
            if (strand != x->r->tail[G8 - 1])
                attach_arrival(x, &b->link[n], lane, strand);
        }
    }
}

void clv_rows_run_collect(clv_rows *w, const clv_row_run *r, double Q[6])
{
    walk x = {.w = w, .r = r};
    double all[6] = {0}, own[6], f[CLV_FRAME], R[9];
    upwards(&x, sum_block);
    for (int lane = G8 - 1; lane >= 0; lane--) {
        const clv_row_link *l = r->top;
        clv_row_put(l->arrives + lane, 6, all);
        clv_row_get(l->frame + lane, CLV_FRAME, f), clv_row_get(l->Q + lane, 6, own);
        for (int c = 0; c < 9; c++)
            R[3 * (c % 3) + c / 3] = f[c];
        clv_row_to_global(R, all, all), clv_wrench_shift(all, f + 9, all);
        clv_add6(all, own);
    }
    downwards(&x, arrive_block);
    clv_row_axes(w, r->head[0], R);
    clv_row_to_global(R, Q, all);
}
