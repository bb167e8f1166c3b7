/* SPDX-License-Identifier: Apache-2.0
 * What strands cost in groups of eight lanes (T166.1): every row of a group, however many lanes are idle. */
#include "plan/filling.h"
#include "math/lane.h"
#include <stdlib.h>
#include <string.h>

/* A strand costs three quarters of a row beside its own: its start, and what folds; a group as much as a row. */
enum { ROW = 64, STRAND = 48, GROUP = 64 };

/* A row of a group, in proportion to its operations: about 730, and 35 + 2 n for each of n rows of loops. */
static int row_cost(int strands, int open)
{
    const int cost = ROW + ROW * open * (35 + 2 * open) / 730;
    return strands > CLV_GROUP / 2 ? cost + cost / 2 : cost; /* machines of four lanes pass them twice */
}

static int compare(const void *x, const void *y)
{
    const clv_filling *a = x, *b = y;
    if (a->level != b->level)
        return a->level < b->level ? -1 : 1;
    if (a->columns != b->columns)
        return a->columns > b->columns ? -1 : 1;
    return b->rows - a->rows;
}

int clv_filling_cost(clv_filling *s, int n)
{
    int cost = STRAND * n;
    qsort(s, (size_t)n, sizeof *s, compare);
    for (int i = 0; i < n;) {
        const int level = s[i].level;
        int rows = 0, open = 0, lanes = 0;
        for (; lanes < CLV_GROUP && i < n && s[i].level == level; lanes++, i++) {
            rows = s[i].rows > rows ? s[i].rows : rows;
            open = s[i].open > open ? s[i].open : open;
        }
        cost += row_cost(lanes, open) * rows + GROUP;
    }
    return cost;
}

/* ------------------------------------------------------------------ mechanisms side by side */

static int root_of(int *set, int body)
{
    while (set[body] != body)
        body = set[body] = set[set[body]];
    return body;
}

/* ground connects nothing */
static void connect(int *set, int a, int b)
{
    if (a >= 0 && b >= 0)
        set[root_of(set, a)] = root_of(set, b);
}

static void connect_all(const clv_plan *p, int *set)
{
    const clv_model *m = p->model;
    for (int b = 0; b < p->nbody; b++)
        set[b] = b;
    for (int j = 0; j < m->njoint; j++)
        connect(set, m->joint[j].a, m->joint[j].b);
    for (int b = 0; b < p->nbody; b++) /* links of flexible bodies, too */
        connect(set, b, p->tree[b].parent);
    for (int k = 0; k < m->ncoupling; k++)
        for (int i = 1; i < m->coupling[k].nterm; i++)
            connect(set, m->joint[m->coupling[k].term[0].joint].b, m->joint[m->coupling[k].term[i].joint].b);
}

/* numbers of mechanisms, in the order of their first bodies */
static void number(const clv_plan *p, clv_filling_parts *x, int *set)
{
    for (int b = 0; b < p->nbody; b++)
        x->of[b] = -1;
    for (int i = 0; i < p->nbody; i++) {
        const int root = root_of(set, p->order[i]);
        if (x->of[root] < 0)
            x->of[root] = x->n++;
        x->size[x->of[root]]++;
    }
    for (int b = 0; b < p->nbody; b++)
        x->of[b] = x->of[root_of(set, b)];
}

/* items 0 .. n - 1 by their mechanisms, in their order */
static void list(const clv_plan *p, bool strands, clv_filling_parts *x)
{
    const int n = strands ? p->nstrand : p->nbody;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = n - 1; i >= 0; i--) {
            const int body = strands ? p->bodies[p->strand[i].first] : p->order[i];
            int *end = &x->first[x->of[body] + 1];
            if (pass == 0)
                ++*end;
            else
                x->item[--*end] = strands ? i : body;
        }
        for (int k = 0; pass == 0 && k < x->n; k++)
            x->first[k + 1] += x->first[k];
    }
    memmove(x->first, x->first + 1, (size_t)x->n * sizeof(int)); /* the second pass has moved ends to beginnings */
    x->first[x->n] = n;
}

bool clv_filling_divide(const clv_plan *p, bool strands, clv_filling_parts *x)
{
    const size_t n = (size_t)p->nbody + 2;
    int *set = clv_alloc(n, sizeof(int));
    *x = (clv_filling_parts){0};
    x->of = clv_alloc(n, sizeof(int)), x->first = clv_alloc(n, sizeof(int)), x->item = clv_alloc(n, sizeof(int));
    x->size = clv_alloc(n, sizeof(int));
    const bool good = set && x->of && x->first && x->item && x->size;
    if (good)
        connect_all(p, set), number(p, x, set), list(p, strands, x);
    clv_free(set);
    return good;
}

void clv_filling_close(clv_filling_parts *x)
{
    clv_free(x->of), clv_free(x->first), clv_free(x->item), clv_free(x->size);
}
