/* SPDX-License-Identifier: Apache-2.0
 * Long runs of strands (T159): which of those that strand.c has cut stand in their lanes as clv_run says.
 *
 *   lane     0     1     2   ..   7          the run goes down a lane, group after group, and continues at the top of
 *   group 0  0     n    2 n      7 n         the next lane
 *   group 1  1    n+1  2n+1     7n+1
 *   ..                                       Lanes are joined all at once, group by group; what is left are eight
 *   n - 1   n-1  2n-1  3n-1     8n-1         strands one after the other. */
#include "base/error.h"
#include "math/lane.h"
#include "plan/plan.h"

static int tip_of(const clv_plan *p, int strand)
{
    return p->bodies[p->strand[strand].first + p->strand[strand].length - 1];
}
static int origin_of(const clv_plan *p, int strand) { return p->tree[p->bodies[p->strand[strand].first]].parent; }

/* strands whose base is held by a joint on this strand's tip: folding alone joins them */
static void count_on_tips(const clv_plan *p, const int *tip_strand, int *count)
{
    for (int k = 0; k < p->nstrand; k++) {
        const int on = origin_of(p, k);
        if (on >= 0 && tip_strand[on] >= 0 && p->strand[k].base != CLV_BASE_FOLD &&
            !p->tree[p->bodies[p->strand[k].first]].detached)
            count[tip_strand[on]]++;
    }
}

/* piece i of a run of n groups from `group` on, in the order of the run */
static int piece_of(const clv_plan *p, const clv_run *r, int i)
{
    return p->group[r->group + i % r->ngroup].strand[i / r->ngroup];
}

/* does each piece start from the tip of the one before, alone? */
static bool in_series(const clv_plan *p, const clv_run *r, const int *count)
{
    for (int i = 0; i < CLV_GROUP * r->ngroup; i++) {
        const int k = piece_of(p, r, i), before = i > 0 ? piece_of(p, r, i - 1) : -1;
        if (p->strand[k].base == CLV_BASE_FOLD || (i > 0 && p->tree[p->bodies[p->strand[k].first]].detached))
            return false;
        if (i > 0 && (origin_of(p, k) != tip_of(p, before) || count[before] != 1 || !p->strand[before].tip_port))
            return false;
    }
    return true;
}

/* groups of the run that begins with this one; 0: they are not full or not all there */
static int groups_from(const clv_plan *p, int group)
{
    const int run = p->strand[p->group[group].strand[0]].run;
    int n = 0;
    for (int g = group; g < p->ngroup && p->strand[p->group[g].strand[0]].run == run; g++, n++)
        for (int l = 0; l < CLV_GROUP; l++) {
            const int k = p->group[g].strand[l];
            if (k < 0 || p->strand[k].place != CLV_GROUP * n + l)
                return 0;
        }
    return n;
}

static void list_runs(clv_plan *p, const int *count)
{
    for (int g = 0; g < p->ngroup; g++) {
        const int run = p->strand[p->group[g].strand[0]].run;
        if (run == 0 || (g > 0 && p->strand[p->group[g - 1].strand[0]].run == run))
            continue;
        const clv_run r = {g, groups_from(p, g)};
        if (r.ngroup > 1 && in_series(p, &r, count))
            p->run[p->nrun++] = r;
    }
}

clv_status clv_plan_runs(clv_plan *p, clv_error *e)
{
    int *tip_strand = clv_alloc((size_t)p->nbody + 1, sizeof(int)),
        *count = clv_alloc((size_t)p->nstrand + 1, sizeof(int));
    p->run = clv_alloc((size_t)p->ngroup + 1, sizeof *p->run);
    const bool good = tip_strand && count && p->run;
    for (int b = 0; good && b < p->nbody; b++)
        tip_strand[b] = -1;
    for (int k = 0; good && k < p->nstrand; k++)
        tip_strand[tip_of(p, k)] = k;
    if (good)
        count_on_tips(p, tip_strand, count), list_runs(p, count);
    clv_free(tip_strand), clv_free(count);
    return good ? CLV_OK : clv_fail(e, CLV_ERR_MEMORY, "out of memory while planning");
}
