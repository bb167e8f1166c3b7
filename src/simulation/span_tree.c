/* SPDX-License-Identifier: Apache-2.0
 * Times the parts of an assembly tree and makes tasks of them (T55); see span_tree.h. */
#include "simulation/span_tree.h"
#include <math.h>
#include <string.h>
#include "base/error.h"
#include "base/handover.h"
#include "base/memory.h"
#include "simulation/sim.h"

enum { SAMPLES = CLV_RECORD_SAMPLES };

/* ---------------------------------------------------------------- times */

static bool pairs_only(const clv_plan *p)
{
    bool node = false;
    if (p->connect || p->nstar > 0)
        return false;
    for (int k = 0; k < p->npart; k++) {
        if (p->part[k].petal || p->part[k].npetal > 0)
            return false;
        node |= clv_part_is_node(&p->part[k]);
    }
    return node;
}

static bool open_record(clv_tree_record *r, const clv_plan *p)
{
    const size_t parts = (size_t)p->npart + 1, groups = (size_t)p->ngroup + 1;
    *r = (clv_tree_record){.npart = p->npart, .depth = p->depth, .ngroup = p->ngroup,
                           .child = clv_alloc(2 * parts, sizeof *r->child),
                           .level = clv_alloc(parts, sizeof *r->level),
                           .group = clv_alloc(parts, sizeof *r->group),
                           .up = clv_alloc(parts, sizeof *r->up),
                           .down = clv_alloc(parts, sizeof *r->down),
                           .strands = clv_alloc(groups, sizeof *r->strands)};
    if (!r->child || !r->level || !r->group || !r->up || !r->down || !r->strands)
        return false;
    for (int k = 0; k < p->npart; k++) {
        const clv_part *q = &p->part[k];
        r->child[2 * k] = q->child[0], r->child[2 * k + 1] = q->child[1], r->level[k] = q->depth;
        r->group[k] = q->strand < 0 ? -1 : p->strand[q->strand].group;
    }
    return true;
}

void clv_tree_record_close(clv_tree_record *r)
{
    clv_free(r->child), clv_free(r->level), clv_free(r->group), clv_free(r->up), clv_free(r->down);
    clv_free(r->strands);
    *r = (clv_tree_record){0};
}

/* one sample: s of groups, of parts up, of parts down */
static bool sample(clv_engine *e, double *group, double *up, double *down)
{
    const clv_plan *p = e->plan;
    bool ok = true;
    clv_factor_begin(e);
    double last = clv_seconds(), now;
    for (int g = 0; g < p->ngroup && ok; g++, last = now)
        ok = clv_factor_group(e, g), now = clv_seconds(), group[g] = now - last;
    for (int k = 0; k < p->npart && ok; k++, last = now) {
        ok = clv_factor_part(e, k);
        if (ok)
            clv_solve_part_up(e, k);
        now = clv_seconds(), up[k] = now - last;
    }
    for (int k = p->npart - 1; k >= 0 && ok; k--, last = now)
        clv_solve_part_down(e, k), now = clv_seconds(), down[k] = now - last;
    return ok;
}

static void medians(double *to, const double *of, int n, size_t stride)
{
    double x[SAMPLES];
    for (int i = 0; i < n; i++) {
        for (size_t k = 0; k < SAMPLES; k++)
            x[k] = of[k * stride + (size_t)i];
        to[i] = clv_median(x, SAMPLES);
    }
}

static clv_status time_parts(clv_sim *s, clv_tree_record *r)
{
    const size_t parts = (size_t)r->npart, groups = (size_t)r->ngroup, stride = groups + 2 * parts;
    double *all = clv_alloc(SAMPLES * stride, sizeof *all);
    bool ok = all != NULL;
    for (int i = -1; i < SAMPLES && ok; i++) { /* the first one is done again */
        double *x = all + stride * (size_t)(i < 0 ? 0 : i);
        ok = sample(&s->system.engine, x, x + groups, x + groups + parts);
    }
    if (ok) {
        medians(r->strands, all, r->ngroup, stride), medians(r->up, all + groups, r->npart, stride);
        medians(r->down, all + groups + parts, r->npart, stride);
    }
    const bool memory = all != NULL;
    clv_free(all);
    return ok       ? CLV_OK
           : memory ? clv_fail(&s->error, CLV_ERR_SINGULAR, "a part of the mechanism is singular")
                    : clv_fail(&s->error, CLV_ERR_MEMORY, "no memory for a record");
}

static clv_status record_tree(clv_sim *s, clv_tree_record *r)
{
    clv_system *y = &s->system;
    if (!pairs_only(s->plan))
        return clv_fail(&s->error, CLV_ERR_UNSUPPORTED, "the assembly tree of this model is not binary");
    s->seen_t = NAN;
    clv_status st = clv_system_place(y, s->integrator.t, s->integrator.y);
    if (st != CLV_OK)
        return st;
    memset(y->b, 0, 6 * (size_t)s->plan->nbody * sizeof(double));
    clv_engine_solve(&y->engine, y->x, y->ud, y->b, NULL, NULL, NULL); /* every number of the ways up and down is set */
    if (!open_record(r, s->plan))
        return clv_fail(&s->error, CLV_ERR_MEMORY, "no memory for a record");
    return time_parts(s, r);
}

clv_status clv_sim_record_tree(clv_sim *s, clv_tree_record *r)
{
    *r = (clv_tree_record){0};
    clv_status st = clv_sim_enter(s, __func__);
    if (st != CLV_OK)
        return st;
    st = record_tree(s, r);
    if (st != CLV_OK)
        clv_tree_record_close(r);
    return clv_sim_leave(s, st);
}

/* ---------------------------------------------------------------- depth after depth */

/* tasks from `first` on are before a task of no time by the first worker */
static int barrier(clv_task_list *l, int first)
{
    const int end = l->ntask, at = clv_tasks_add(l, 0, 0);
    for (int i = first; i < end; i++)
        clv_tasks_after(l, i);
    return at;
}

bool clv_tree_levels(const clv_tree_record *r, clv_task_list *l)
{
    const int n = r->npart, all = 2 * n + r->ngroup + 2 * r->depth + 4;
    if (!clv_tasks_open(l, all, 2 * all))
        return false;
    int before = clv_tasks_add(l, 0, 0), first = l->ntask;
    for (int g = 0; g < r->ngroup; g++)
        clv_tasks_add(l, r->strands[g], -1), clv_tasks_after(l, before);
    before = barrier(l, first);
    for (int way = 0; way < 2; way++)
        for (int i = 0; i <= r->depth; i++) {
            const int depth = way ? r->depth - i : i;
            first = l->ntask;
            for (int k = 0; k < n; k++)
                if (r->level[k] == depth)
                    clv_tasks_add(l, way ? r->down[k] : r->up[k], -1), clv_tasks_after(l, before);
            before = barrier(l, first);
        }
    return true;
}

/* ---------------------------------------------------------------- subtrees */

typedef struct cut {
    double *up, *down;     /* (npart) s of the part with all below it     */
    int *parent;           /* (npart) or -1                               */
    int *risen, *sunk;     /* (npart) its tasks; of parts inside a subtree: none */
    int *root;             /* (npart) the part whose task it is in        */
    int *head, *next;      /* (npart) first strand in a task, next one, or -1 */
    double limit;          /* s of a subtree at most                      */
} cut;

static bool whole(const cut *c, int k) { return c->up[k] + c->down[k] <= c->limit; }
static bool inside(const cut *c, int k) { return c->parent[k] >= 0 && whole(c, c->parent[k]); }

static void weigh(const clv_tree_record *r, cut *c)
{
    for (int k = 0; k < r->npart; k++)
        c->parent[k] = -1;
    for (int k = 0; k < r->npart; k++) {
        c->up[k] = r->up[k], c->down[k] = r->down[k];
        for (int h = 0; h < 2; h++) {
            const int child = r->child[2 * k + h];
            if (child >= 0)
                c->parent[child] = k, c->up[k] += c->up[child], c->down[k] += c->down[child];
        }
    }
}

/* strands by the task in which they are: of a subtree, or their own */
static void gather_strands(const clv_tree_record *r, const cut *c)
{
    for (int k = r->npart - 1; k >= 0; k--) { /* parents first */
        c->root[k] = inside(c, k) ? c->root[c->parent[k]] : k;
        c->head[k] = -1;
    }
    for (int k = 0; k < r->npart; k++)
        if (r->group[k] >= 0)
            c->next[k] = c->head[c->root[k]], c->head[c->root[k]] = k;
}

static void after_strands(const clv_tree_record *r, const cut *c, int root, clv_task_list *l)
{
    int last = -1;
    for (int k = c->head[root]; k >= 0; k = c->next[k])
        if (r->group[k] != last)
            clv_tasks_after(l, last = r->group[k]);
}

static void list_subtrees(const clv_tree_record *r, const cut *c, clv_task_list *l)
{
    for (int g = 0; g < r->ngroup; g++) /* their numbers are those of the groups */
        clv_tasks_add(l, r->strands[g], -1);
    for (int k = 0; k < r->npart; k++) {
        if (inside(c, k))
            continue;
        c->risen[k] = clv_tasks_add(l, whole(c, k) ? c->up[k] : r->up[k], -1);
        after_strands(r, c, k, l);
        for (int h = 0; h < 2 && !whole(c, k); h++)
            if (r->child[2 * k + h] >= 0)
                clv_tasks_after(l, c->risen[r->child[2 * k + h]]);
    }
    for (int k = r->npart - 1; k >= 0; k--) {
        if (inside(c, k))
            continue;
        c->sunk[k] = clv_tasks_add(l, whole(c, k) ? c->down[k] : r->down[k], -1);
        clv_tasks_after(l, c->risen[k]);
        if (c->parent[k] >= 0)
            clv_tasks_after(l, c->sunk[c->parent[k]]);
    }
}

bool clv_tree_subtrees(const clv_tree_record *r, int pieces, clv_task_list *l)
{
    const size_t n = (size_t)r->npart + 1;
    cut c = {.up = clv_alloc(2 * n, sizeof *c.up), .parent = clv_alloc(6 * n, sizeof *c.parent)};
    const bool ok = c.up && c.parent && clv_tasks_open(l, 2 * r->npart + r->ngroup, 5 * r->npart);
    if (ok) {
        c.down = c.up + n;
        c.risen = c.parent + n, c.sunk = c.risen + n, c.root = c.sunk + n, c.head = c.root + n, c.next = c.head + n;
        weigh(r, &c);
        for (int k = 0; k < r->npart; k++)
            c.limit += (r->up[k] + r->down[k]) / pieces;
        gather_strands(r, &c);
        list_subtrees(r, &c, l);
    }
    clv_free(c.up), clv_free(c.parent);
    return ok;
}
