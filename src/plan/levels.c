/* SPDX-License-Identifier: Apache-2.0
 * Levels of strands (T166).  What folds into a strand is of a lower level, and a group of lanes has strands of one
 * level.  A strand of the lowest level that it can have may stand alone there, and lanes beside longer ones of a higher
 * level are idle:
 *
 *   level 0   a1-a2-a3-a4, c1      4 rows        level 0   c1                          1 row
 *   level 1   b1-b2-b3-b4          4 rows        level 1   a1-a2-a3-a4, b1-b2-b3-b4    4 rows      (c folds into b)
 *
 * So strands get a higher level where that costs less: all those that are alike at once, as a mechanism with legs on
 * both sides has two of each. */
#include "plan/filling.h"

typedef struct search {
    clv_plan *p;
    const int *of;      /* (n) strands of a mechanism, inboard ones first             */
    int n, top;         /* its highest level                                          */
    int *rows;          /* (nstrand)                                                  */
    int *level, *most;  /* (nstrand) levels tried; the highest possible               */
    clv_filling *strand;
} search;

/* the strand into which one folds; -1: none */
static int carrier(const clv_plan *p, int strand)
{
    const int parent = p->tree[p->bodies[p->strand[strand].first]].parent;
    return clv_strand_folds(p, strand) && parent >= 0 ? p->slot[parent] : -1; /* a strand until there are groups */
}

static int cost(const search *s)
{
    const clv_plan *p = s->p;
    for (int i = 0; i < s->n; i++) {
        const int k = s->of[i];
        s->strand[i] = (clv_filling){s->level[k], clv_strand_tip(p, k), s->rows[k],
                                     p->carried ? p->carry->meet[k].nopen : 0};
    }
    return clv_filling_cost(s->strand, s->n);
}

static void find_most(search *s)
{
    for (int i = 0; i < s->n; i++) { /* those before have lower numbers */
        const int k = s->of[i], on = carrier(s->p, k);
        s->most[k] = on < 0 ? s->top : s->p->strand[on].level - 1;
    }
}

/* does the strand stand where the other one does, and can it go where that can? */
static bool alike(const search *s, int k, int other)
{
    const clv_strand *a = &s->p->strand[k], *b = &s->p->strand[other];
    return a->level == b->level && s->rows[k] == s->rows[other] && s->most[k] == s->most[other] && a->run == b->run;
}

/* strand k and those like it to a level */
static void raise(search *s, int strand, int level)
{
    for (int i = 0; i < s->n; i++)
        s->level[s->of[i]] = alike(s, s->of[i], strand) ? level : s->p->strand[s->of[i]].level;
}

/* the best level for strand k and those like it; true: it is another one */
static bool improve(search *s, int strand, int *best)
{
    int found = s->p->strand[strand].level;
    for (int level = found + 1; level <= s->most[strand]; level++) {
        raise(s, strand, level);
        const int now = cost(s);
        if (now < *best)
            *best = now, found = level;
    }
    if (found == s->p->strand[strand].level)
        return false;
    raise(s, strand, found);
    for (int i = 0; i < s->n; i++)
        s->p->strand[s->of[i]].level = s->level[s->of[i]];
    return true;
}

/* rows of strands, and their levels so far */
static void begin(search *s)
{
    const clv_plan *p = s->p;
    s->top = 0;
    for (int i = 0; i < s->n; i++) {
        const int k = s->of[i];
        s->level[k] = p->strand[k].level, s->rows[k] = 0;
        s->top = s->level[k] > s->top ? s->level[k] : s->top;
        for (int b = 0; b < p->strand[k].length; b++)
            s->rows[k] += clv_filling_rows(p, p->bodies[p->strand[k].first + b],
                                           b > 0 || p->strand[k].base != CLV_BASE_FREE || clv_strand_folds(p, k));
    }
}

static void choose(search *s)
{
    begin(s);
    int best = cost(s);
    for (bool better = true; better;) { /* levels rise alone, so this ends */
        better = false;
        for (int i = 0; i < s->n; i++) {
            find_most(s);
            better = (s->p->strand[s->of[i]].run == 0 && improve(s, s->of[i], &best)) || better;
        }
    }
}

static void choose_all(search *s, const clv_filling_parts *x)
{
    for (int k = 0; k < x->n; k++) {
        s->of = x->item + x->first[k], s->n = x->first[k + 1] - x->first[k];
        if (x->size[k] <= CLV_FILLING_FEW)
            choose(s);
    }
}

bool clv_plan_levels(clv_plan *p, const clv_plan_options *o)
{
    const size_t n = (size_t)p->nstrand + 1;
    clv_filling_parts x;
    if (!clv_filling_chosen(p, o) || (p->carried && p->nstar > 0)) /* flexible bodies stand between levels */
        return true;
    for (int k = 0; k < p->nstrand; k++)
        if (p->strand[k].series) /* these have one level */
            return true;
    search s = {.p = p};
    s.rows = clv_alloc(n, sizeof(int)), s.level = clv_alloc(n, sizeof(int)), s.most = clv_alloc(n, sizeof(int));
    s.strand = clv_alloc(n, sizeof *s.strand);
    const bool good = clv_filling_divide(p, true, &x) && s.rows && s.level && s.most && s.strand;
    if (good)
        choose_all(&s, &x);
    clv_free(s.rows), clv_free(s.level), clv_free(s.most), clv_free(s.strand), clv_filling_close(&x);
    return good;
}
