/* SPDX-License-Identifier: Apache-2.0
 * Shares of the work over groups of strands, for the threads of a team (T44).  A share is a run of groups of one level
 * with at least SHARE rows, of the plan alone: it is the same for any number of threads.  So are blocks of edges. */
#include "kinematics/rows.h"

enum { SHARE = 32 }; /* rows of eight bodies */

void clv_rows_share_layout(clv_rows *w, const clv_plan *p, clv_arena *a)
{
    CLV_TAKE(a, w->share, p->ngroup + 1), CLV_TAKE(a, w->level_share, p->ngroup + 1);
}

void clv_rows_list_shares(clv_rows *w, int least)
{
    const clv_plan *p = w->plan;
    const int enough = least > 0 ? least : SHARE;
    int rows = 0;
    w->nshare = w->nlevel = 0;
    for (int g = 0; g < p->ngroup; g++) {
        const bool climbs = g == 0 || p->group[g].level != p->group[g - 1].level;
        if (climbs)
            w->level_share[w->nlevel++] = w->nshare;
        if (climbs || rows >= enough)
            w->share[w->nshare++] = g, rows = 0;
        rows += w->first[g + 1] - w->first[g];
    }
    w->share[w->nshare] = p->ngroup, w->level_share[w->nlevel] = w->nshare;
}

int clv_rows_level(const clv_rows *w, int level) { return w->share[w->level_share[level]]; }

typedef struct call {
    const clv_rows *w;
    clv_row_work *work;
    void *of;
    int first; /* share */
} call;

static void do_share(void *of, int piece)
{
    const call *c = of;
    const int *share = c->w->share + c->first + piece;
    for (int g = share[0]; g < share[1]; g++)
        c->work(c->of, g);
}

/* shares first .. end - 1 */
static void share_out(const clv_rows *w, int first, int end, clv_row_work *work, void *of)
{
    if (w->team && end - first > 1)
        clv_team_run(w->team, end - first, do_share, &(call){w, work, of, first});
    else
        for (int g = w->share[first]; g < w->share[end]; g++)
            work(of, g);
}

void clv_rows_all(const clv_rows *w, clv_row_work *work, void *of) { share_out(w, 0, w->nshare, work, of); }

void clv_rows_of_level(const clv_rows *w, int level, clv_row_work *work, void *of)
{
    share_out(w, w->level_share[level], w->level_share[level + 1], work, of);
}

enum { EDGES = 64, BLOCKS = 64 };
typedef struct search {
    const clv_rows *w;
    clv_row_measure *measure;
    int first;
    double worst[BLOCKS];
} search;

static void measure_block(void *of, int block)
{
    search *x = of;
    const int from = x->first + block * EDGES, n = x->w->plan->nedge;
    x->worst[block] = x->measure(x->w, from, from + EDGES < n ? from + EDGES : n);
}

double clv_rows_worst(const clv_rows *w, clv_row_measure *measure)
{
    const int n = w->plan->nedge;
    search x = {.w = w, .measure = measure};
    double worst = 0;
    for (x.first = 0; x.first < n; x.first += BLOCKS * EDGES) {
        const int blocks = (n - x.first + EDGES - 1) / EDGES, count = blocks < BLOCKS ? blocks : BLOCKS;
        clv_team_run(w->team, count, measure_block, &x);
        for (int i = 0; i < count; i++)
            if (!(x.worst[i] <= worst))
                worst = x.worst[i];
    }
    return worst;
}
