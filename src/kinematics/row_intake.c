/* SPDX-License-Identifier: Apache-2.0
 * What the lanes of a sheaf or a batch take up from elsewhere (T133, T134), listed once, where all lanes take the same
 * numbers to the same places.  Then eight lanes are filled at a time, and what is not alike is copied number by number
 * (row_sheaf.c, row_batch.c).  Lanes without a strand or front take up what the first one does; nothing reads them. */
#include "kinematics/row_axes.h"
#include "kinematics/row_carry_parts.h"

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

static int rows_of(const clv_plan *p, int element)
{
    return element < p->nstrand ? p->carry->meet[element].nopen : p->carry->front[element - p->nstrand].nleft;
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

/* Which of n intakes are fresh, and which of `size` components are cleared before them. */
static void clear_layout(clv_row_intake *clear, int size, clv_row_intake *x, int n, clv_arena *a)
{
    CLV_TAKE(a, clear->to, size), clear->n = 0;
    for (int i = 0; a->base && i < n; i++) {
        x[i].fresh = true;
        for (int k = 0; k < x[i].n; k++)
            x[i].fresh = x[i].fresh && clear->to[x[i].to[k] / CLV_GROUP] == 0;
        for (int k = 0; x[i].fresh && k < x[i].n; k++)
            clear->to[x[i].to[k] / CLV_GROUP] = 1;
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

void clv_rows_batch_intake(const clv_rows *w, const clv_plan *p, clv_row_batch *b, clv_arena *a)
{
    const clv_carry *c = p->carry;
    const clv_front *f = &c->front[b->first];
    CLV_TAKE(a, b->take, f->ntaken);
    for (int i = 0; i < f->ntaken; i++) {
        clv_row_intake counting, *x = a->base ? &b->take[i] : &counting;
        const int *pair = c->list + f->taken + 2 * i, n = rows_of(p, pair[0]);
        triangle_layout(x, n, a);
        if (a->base)
            triangle_places(x->to, c->list + pair[1], n);
    }
    clear_layout(&b->clear, clv_row_sheaf_at(b->m + b->left, 0) / CLV_GROUP, b->take, f->ntaken, a);
    b->ntake = a->base && fill_batch(w, b) ? f->ntaken : -1;
}

/* ------------------------------------------------------------------ strands */

/* six numbers a column, one after the other */
static void column_places(int *to, const int *place, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 6; k++)
            *to++ = (6 * place[i] + k) * CLV_GROUP;
}

/* the block of handle i of a tip, to columns one after the other */
static bool block_alike(const clv_rows *w, clv_row_intake *x, int lane, const int *handle, const int *first)
{
    const clv_edge *edge = &w->plan->edge[handle[0]];
    if (edge->m != w->plan->edge[first[0]].m || handle[2] != first[2])
        return false;
    x->from[lane] = w->engine->block + edge->block[handle[1]];
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
        for (int i = 0; i < t->nhandle; i++)
            if (!block_alike(w, &s->block[i], l, c->list + t->handle + 3 * i, c->list + first->handle + 3 * i))
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

static void block_layout(clv_row_intake *x, const clv_plan *p, const int *handle, clv_arena *a)
{
    x->n = 6 * p->edge[handle[0]].m, x->step = 1;
    CLV_TAKE(a, x->to, x->n);
    for (int i = 0; a->base && i < x->n; i++)
        x->to[i] = (6 * handle[2] + i) * CLV_GROUP;
}

void clv_rows_sheaf_intake(const clv_rows *w, const clv_plan *p, clv_row_sheaf *s, int group, clv_arena *a)
{
    const clv_carry *c = p->carry;
    const clv_meet *t = &c->meet[p->group[group].strand[0]];
    clv_row_intake counting;
    CLV_TAKE(a, s->block, t->nhandle + t->nstrand), CLV_TAKE(a, s->compliance, t->nleft);
    s->column = a->base ? s->block + t->nhandle : NULL;
    for (int i = 0; i < t->nhandle; i++)
        block_layout(a->base ? &s->block[i] : &counting, p, c->list + t->handle + 3 * i, a);
    for (int i = 0; i < t->nstrand; i++) {
        const int *pair = c->list + t->strand + 2 * i, n = rows_of(p, pair[0]);
        clv_row_intake *x = a->base ? &s->column[i] : &counting;
        x->n = 6 * n, x->step = CLV_GROUP;
        CLV_TAKE(a, x->to, x->n);
        if (a->base)
            column_places(x->to, c->list + pair[1], n);
    }
    for (int i = 0; i < t->nleft; i++) {
        const int *pair = c->list + t->left + 2 * i, n = rows_of(p, pair[0]);
        clv_row_intake *x = a->base ? &s->compliance[i] : &counting;
        triangle_layout(x, n, a);
        if (a->base)
            triangle_places(x->to, c->list + pair[1], n);
    }
    clear_layout(&s->clear_K, 6 * s->n, s->block, t->nhandle + t->nstrand, a);
    clear_layout(&s->clear_L, clv_row_sheaf_at(s->n, 0) / CLV_GROUP, s->compliance, t->nleft, a);
    s->alike = a->base && fill_sheaf(w, s, group);
}
