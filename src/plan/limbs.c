/* SPDX-License-Identifier: Apache-2.0
 * Where limbs branch (T166).  A strand continues along the longest limb, and the others fold into it:
 *
 *   base-a1-a2-a3-a4     lanes a1..a4 and b1..b4 would be side by side, but all of `a` waits for `b`: 4 + 5 rows
 *      |
 *      b1-b2-b3-b4       if the strand ends at the base, `a` is a limb beside `b`: 4 + 1 rows
 *
 * So the strand ends there where that costs less. */
#include "plan/filling.h"

typedef struct search {
    const clv_plan *p;
    const char *edge, *live;
    int *next;
    const int *body;     /* (n) of a mechanism, parents first                           */
    int n;
    int *rows, *level;   /* (nbody) from a body to the tip of its strand; of the strand */
    clv_filling *strand; /* (nbody) those found                                         */
} search;

static bool inner(const search *s, int body)
{
    const clv_tree_joint *t = &s->p->tree[body];
    return t->parent >= 0 && !t->detached && !s->edge[body] && t->link < 0;
}

/* does the strand of the body before continue with this one? */
static bool continues(const search *s, int body) { return inner(s, body) && s->next[s->p->tree[body].parent] == body; }

/* Is the strand that begins with a body outboard of another?  Where loops are closed those on an edge are, too: they
 * are taken as carried (T101). */
static bool hangs(const search *s, int body)
{
    const clv_tree_joint *t = &s->p->tree[body];
    return inner(s, body) || (s->p->nclosing > 0 && t->parent >= 0 && !t->detached);
}

/* what the strands of `next` cost at the levels found */
static int cost_of(const search *s)
{
    const clv_plan *p = s->p;
    int n = 0;
    for (int i = 0; i < s->n; i++) {
        const int b = s->body[i];
        if (p->model->body[b].flex < 0 && !continues(s, b))
            s->strand[n++] = (clv_filling){s->level[b], s->live[b], s->rows[b], 0};
    }
    return clv_filling_cost(s->strand, n);
}

/* rows of strands, and the lowest levels that they can have */
static void find_early(const search *s)
{
    const clv_plan *p = s->p;
    for (int i = 0; i < s->n; i++)
        s->rows[s->body[i]] = s->level[s->body[i]] = 0;
    for (int i = s->n - 1; i >= 0; i--) {
        const int b = s->body[i], a = p->tree[b].parent, level = s->level[b] + !continues(s, b);
        s->rows[b] += clv_filling_rows(p, b, !p->tree[b].detached && !s->edge[b]);
        if (continues(s, b))
            s->rows[a] += s->rows[b];
        if (hangs(s, b) && level > s->level[a])
            s->level[a] = level;
    }
}

/* the highest ones; strands on nothing have the top */
static void find_late(const search *s)
{
    int top = 0;
    for (int i = 0; i < s->n; i++)
        top = s->level[s->body[i]] > top ? s->level[s->body[i]] : top;
    for (int i = 0; i < s->n; i++) {
        const int b = s->body[i];
        s->level[b] = hangs(s, b) ? s->level[s->p->tree[b].parent] - !continues(s, b) : top;
    }
}

/* The least of both: strands get the better levels later (levels.c). */
static int cost(const search *s)
{
    find_early(s);
    const int early = cost_of(s);
    find_late(s);
    const int late = cost_of(s);
    return early < late ? early : late;
}

/* has the body a limb beside that with which its strand continues? */
static bool branches(const search *s, int body)
{
    for (int i = 0; i < s->n; i++) {
        const int b = s->body[i];
        if (s->p->tree[b].parent == body && b != s->next[body] && inner(s, b))
            return true;
    }
    return false;
}

/* ends the strand at a body, if that costs less than *best */
static bool try_end(const search *s, int body, int *best)
{
    const int on = s->next[body];
    s->next[body] = -1;
    const int now = cost(s);
    if (now >= *best) {
        s->next[body] = on;
        return false;
    }
    *best = now;
    return true;
}

/* bases first, until nothing is of use */
static void choose(const search *s)
{
    int best = cost(s);
    for (bool better = true; better;) {
        better = false;
        for (int i = 0; i < s->n; i++) {
            const int b = s->body[i];
            if (s->next[b] >= 0 && !s->live[b] && branches(s, b))
                better = try_end(s, b, &best) || better;
        }
    }
}

static void choose_all(search *s, const clv_filling_parts *x)
{
    for (int k = 0; k < x->n; k++) {
        s->body = x->item + x->first[k], s->n = x->size[k];
        if (s->n <= CLV_FILLING_FEW)
            choose(s);
    }
}

bool clv_plan_limbs(const clv_plan *p, const char *edge, const char *live, int *next)
{
    const size_t n = (size_t)p->nbody + 1;
    search s = {.p = p, .edge = edge, .live = live, .next = next};
    clv_filling_parts x;
    s.rows = clv_alloc(n, sizeof(int)), s.level = clv_alloc(n, sizeof(int)), s.strand = clv_alloc(n, sizeof *s.strand);
    const bool good = clv_filling_divide(p, false, &x) && s.rows && s.level && s.strand;
    if (good)
        choose_all(&s, &x);
    clv_free(s.rows), clv_free(s.level), clv_free(s.strand), clv_filling_close(&x);
    return good;
}
