/* SPDX-License-Identifier: Apache-2.0
 * What the lanes of a sheaf or a batch take up from elsewhere (T133, T134), listed once, where all lanes take the same
 * numbers to the same places.  Then eight lanes are filled at a time, and what is not alike is copied number by number
 * (row_sheaf.c, row_batch.c).  Lanes without a strand or front take up what the first one does; nothing reads them. */
#include "kinematics/row_axes.h"
#include "kinematics/row_carry_parts.h"
#include <stdint.h>

static int same(const int *a, const int *b, int n)
{
    return memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

/* n: rows of which the lower triangle is taken up */
static void triangle_layout(clv_row_intake *x, int n, clv_arena *a)
{
    x->n = n * (n + 1) / 2, x->step = CLV_GROUP;
    CLV_TAKE(a, x->to, x->n);
}

static void triangle_places(int *to, const int *place, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            *to++ = place[i] > place[j] ? clv_row_sheaf_at(place[i], place[j]) : clv_row_sheaf_at(place[j], place[i]);
}

enum { EIGHTS = 3 }; /* groups from which lanes are taken */

static int rows_of(const clv_plan *p, int element)
{
    const int pieces = clv_plan_pieces(p);
    return element < pieces ? p->carry->meet[element].nopen : p->carry->front[element - pieces].nleft;
}

/* Elements in pairs (id, places): is that of a lane alike the first one?  Where its lower triangle is. */
static bool element_alike(const clv_rows *w, clv_row_intake *x, int lane, const int *pair, const int *first)
{
    const int *list = w->plan->carry->list, n = rows_of(w->plan, first[0]);
    const double *from = clv_row_lane_triangle(w, pair[0]);
    if (!from || rows_of(w->plan, pair[0]) != n || !same(list + pair[1], list + first[1], n))
        return false;
    x->from[lane] = from;
    return true;
}

/* which of n groups of lanes begins at x; a new one if there is room */
static int eight_of(clv_row_intake *x, const double *eight, int *n)
{
    int i = 0;
    while (i < *n && x->eight[i] != eight)
        i++;
    if (i == *n && i < EIGHTS)
        x->eight[(*n)++] = eight;
    return i;
}

/* Do lanes come from those of a few groups?  Groups begin at multiples of their size. */
static void find_eights(clv_row_intake *x)
{
    const size_t size = G8 * sizeof(double);
    int n = 0;
    for (int l = 0; l < G8; l++) {
        const int lane = (int)((uintptr_t)x->from[l] % size / sizeof(double)), i = eight_of(x, x->from[l] - lane, &n);
        if (i == EIGHTS) {
            x->eight[0] = NULL;
            return;
        }
        x->lane[l] = i < 2 ? G8 * i + lane : 0, x->last[l] = i < 2 ? l : G8 + lane;
    }
    for (; n < EIGHTS; n++)
        x->eight[n] = n == 2 ? NULL : x->eight[0];
}

/* Which numbers of n intakes are the first to arrive at a component, and to which of `size` components none comes. */
static void clear_layout(clv_row_intake *clear, int size, clv_row_intake *x, int n, clv_arena *a)
{
    CLV_TAKE(a, clear->to, size), clear->n = 0;
    for (int i = 0; a->base && i < n; i++)
        for (int k = 0; k < x[i].n; k++) {
            int *filled = &clear->to[x[i].to[k] / CLV_GROUP];
            x[i].to[k] = *filled ? x[i].to[k] : ~x[i].to[k];
            *filled = 1;
        }
    for (int k = 0; a->base && k < size; k++)
        if (clear->to[k] == 0)
            clear->to[clear->n++] = k * CLV_GROUP;
}

/* ------------------------------------------------------------------ fronts */

static bool fill_batch(const clv_rows *w, clv_row_batch *b)
{
    const clv_carry *c = w->plan->carry;
    const clv_front *first = &c->front[b->first];
    for (int l = 0; l < G8; l++) {
        const clv_front *f = first + (l < b->n ? l : 0);
        if (f->ntaken != first->ntaken)
            return false;
        for (int i = 0; i < f->ntaken; i++)
            if (!element_alike(w, &b->take[i], l, c->list + f->taken + 2 * i, c->list + first->taken + 2 * i))
                return false;
    }
    return true;
}

/* what is clear after the batch before; its lanes and the memory of its matrix are as large */
static bool clears_as(const clv_row_batch *b, const clv_row_batch *before)
{
    return before->ntake >= 0 && before->n >= b->n && before->m == b->m && before->left == b->left &&
           before->clear.n == b->clear.n && same(before->clear.to, b->clear.to, b->clear.n);
}

void clv_rows_batch_intake(const clv_rows *w, const clv_plan *p, clv_row_batch *b, clv_arena *a)
{
    const clv_carry *c = p->carry;
    const bool carve = a->base; /* else: count */
    const clv_front *f = &c->front[b->first];
    CLV_TAKE(a, b->take, f->ntaken);
    for (int i = 0; i < f->ntaken; i++) {
        clv_row_intake counting, *x = carve ? &b->take[i] : &counting;
        const int *pair = c->list + f->taken + 2 * i, n = rows_of(p, pair[0]);
        triangle_layout(x, n, a);
        if (carve)
            triangle_places(x->to, c->list + pair[1], n);
    }
    clear_layout(&b->clear, clv_row_sheaf_at(b->m + b->left, 0) / CLV_GROUP, b->take, f->ntaken, a);
    b->ntake = carve && fill_batch(w, b) ? f->ntaken : -1;
    for (int i = 0; i < b->ntake; i++)
        find_eights(&b->take[i]);
    b->as_before = b->ntake >= 0 && b > w->carry.batch && clears_as(b, b - 1);
}

/* ------------------------------------------------------------------ strands */

/* six numbers a column, one after the other */
static void column_places(int *to, const int *place, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 6; k++)
            *to++ = (6 * place[i] + k) * CLV_GROUP;
}

/* Rows of an edge that are carried, one after the other: the first one from *row on, and how many; 0: no more. */
static int run_of(const clv_edge *e, int *row)
{
    int n = 0;
    while (*row < e->m && !clv_edge_carries(e, *row))
        ++*row;
    while (*row + n < e->m && clv_edge_carries(e, *row + n))
        n++;
    return n;
}

static int count_runs(const clv_plan *p, const clv_meet *t)
{
    int count = 0;
    for (int i = 0; i < t->nhandle; i++)
        for (int row = 0, n; (n = run_of(&p->edge[p->carry->list[t->handle + 3 * i]], &row)) > 0; row += n)
            count++;
    return count;
}

/* the blocks of a handle of a tip, to columns one after the other; *x: the next one */
static bool block_alike(const clv_rows *w, clv_row_intake **x, int lane, const int *handle, const int *first)
{
    const clv_edge *edge = &w->plan->edge[handle[0]], *other = &w->plan->edge[first[0]];
    if (edge->m != other->m || edge->idle != other->idle || handle[2] != first[2])
        return false;
    for (int row = 0, n; (n = run_of(edge, &row)) > 0; row += n)
        (*x)++->from[lane] = w->engine->block + edge->block[handle[1]] + 6 * row;
    return true;
}

/* columns of a strand outboard, in a pair (id, places) */
static bool columns_alike(const clv_rows *w, clv_row_intake *x, int lane, const int *pair, const int *first)
{
    const int *list = w->plan->carry->list, n = rows_of(w->plan, first[0]);
    const clv_row_sheaf *s = clv_row_sheaf_of(w, pair[0]);
    if (!s || rows_of(w->plan, pair[0]) != n || !same(list + pair[1], list + first[1], n))
        return false;
    x->from[lane] = s->K + w->plan->strand[pair[0]].lane;
    return true;
}

static bool fill_sheaf(const clv_rows *w, clv_row_sheaf *s, int group)
{
    const clv_carry *c = w->plan->carry;
    const clv_group *g = &w->plan->group[group];
    const clv_meet *first = &c->meet[g->strand[0]];
    for (int l = 0; l < G8; l++) {
        const clv_meet *t = &c->meet[g->strand[l < g->nstrand ? l : 0]];
        if (t->nhandle != first->nhandle || t->nstrand != first->nstrand || t->nleft != first->nleft)
            return false;
        clv_row_intake *block = s->block;
        for (int i = 0; i < t->nhandle; i++)
            if (!block_alike(w, &block, l, c->list + t->handle + 3 * i, c->list + first->handle + 3 * i))
                return false;
        for (int i = 0; i < t->nstrand; i++)
            if (!columns_alike(w, &s->column[i], l, c->list + t->strand + 2 * i, c->list + first->strand + 2 * i))
                return false;
        for (int i = 0; i < t->nleft; i++)
            if (!element_alike(w, &s->compliance[i], l, c->list + t->left + 2 * i, c->list + first->left + 2 * i))
                return false;
    }
    return true;
}

/* blocks of the handles of a tip, run by run */
static void block_layout(clv_row_sheaf *s, const clv_plan *p, const clv_meet *t, clv_arena *a)
{
    clv_row_intake counting, *x = s->block;
    for (int i = 0; i < t->nhandle; i++) {
        const int *handle = p->carry->list + t->handle + 3 * i;
        for (int row = 0, n, column = handle[2]; (n = run_of(&p->edge[handle[0]], &row)) > 0; row += n, column += n) {
            clv_row_intake *at = a->base ? x++ : &counting;
            at->n = 6 * n, at->step = 1;
            CLV_TAKE(a, at->to, at->n);
            for (int k = 0; a->base && k < at->n; k++)
                at->to[k] = (6 * column + k) * CLV_GROUP;
        }
    }
}

void clv_rows_sheaf_intake(const clv_rows *w, const clv_plan *p, clv_row_sheaf *s, int group, clv_arena *a)
{
    const clv_carry *c = p->carry;
    const bool carve = a->base; /* else: count */
    const clv_meet *t = &c->meet[p->group[group].strand[0]];
    clv_row_intake counting;
    s->nblock = count_runs(p, t);
    CLV_TAKE(a, s->block, s->nblock + t->nstrand), CLV_TAKE(a, s->compliance, t->nleft);
    s->column = carve ? s->block + s->nblock : NULL;
    block_layout(s, p, t, a);
    for (int i = 0; i < t->nstrand; i++) {
        const int *pair = c->list + t->strand + 2 * i, n = rows_of(p, pair[0]);
        clv_row_intake *x = carve ? &s->column[i] : &counting;
        x->n = 6 * n, x->step = CLV_GROUP;
        CLV_TAKE(a, x->to, x->n);
        if (carve)
            column_places(x->to, c->list + pair[1], n);
    }
    for (int i = 0; i < t->nleft; i++) {
        const int *pair = c->list + t->left + 2 * i, n = rows_of(p, pair[0]);
        clv_row_intake *x = carve ? &s->compliance[i] : &counting;
        triangle_layout(x, n, a);
        if (carve)
            triangle_places(x->to, c->list + pair[1], n);
    }
    clear_layout(&s->clear_K, 6 * s->n, s->block, s->nblock + t->nstrand, a);
    clear_layout(&s->clear_L, clv_row_sheaf_at(s->n, 0) / CLV_GROUP, s->compliance, t->nleft, a);
    s->alike = carve && fill_sheaf(w, s, group);
    for (int i = 0; s->alike && i < t->nstrand; i++)
        find_eights(&s->column[i]);
    for (int i = 0; s->alike && i < t->nleft; i++)
        find_eights(&s->compliance[i]);
    CLV_TAKE(a, s->empty, clv_row_sheaf_at(s->n, 0) / G8);
    for (int i = 0; carve && i < s->clear_L.n; i++)
        s->empty[s->clear_L.to[i] / G8] = 1;
    s->empty = s->alike ? s->empty : NULL;
}
