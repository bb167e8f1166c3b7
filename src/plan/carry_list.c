/* SPDX-License-Identifier: Apache-2.0
 * Lists of the plan of carried loops (T101): growing lists of numbers, the heap of edges by degree, the elements of a
 * meet; see carrying.h. */
#include "base/memory.h"
#include "plan/carrying.h"
#include <stdlib.h>

int clv_carry_push(clv_carrying *w, clv_carry_ints *a, int value)
{
    if (a->n == a->room) {
        const int room = 2 * a->room + 64;
        int *v = clv_resize(a->v, (size_t)room, sizeof *v);
        if (!v)
            return w->ok = false, 0;
        a->v = v, a->room = room;
    }
    a->v[a->n] = value;
    return a->n++;
}

static bool less(const clv_carry_candidate *a, const clv_carry_candidate *b)
{
    return a->degree != b->degree ? a->degree < b->degree : a->edge < b->edge;
}

void clv_carry_heap_push(clv_carrying *w, clv_carry_candidate x)
{
    if (w->nheap == w->heap_room) {
        const int room = 2 * w->heap_room + 64;
        clv_carry_candidate *h = clv_resize(w->heap, (size_t)room, sizeof *h);
        if (!h) {
            w->ok = false;
            return;
        }
        w->heap = h, w->heap_room = room;
    }
    int i = w->nheap++;
    for (; i > 0 && less(&x, &w->heap[(i - 1) / 2]); i = (i - 1) / 2)
        w->heap[i] = w->heap[(i - 1) / 2];
    w->heap[i] = x;
}

clv_carry_candidate clv_carry_heap_pop(clv_carrying *w)
{
    const clv_carry_candidate top = w->heap[0], last = w->heap[--w->nheap];
    int i = 0;
    for (int c; (c = 2 * i + 1) < w->nheap; i = c) {
        c += c + 1 < w->nheap && less(&w->heap[c + 1], &w->heap[c]);
        if (!less(&w->heap[c], &last))
            break;
        w->heap[i] = w->heap[c];
    }
    w->heap[i] = last;
    return top;
}

void clv_carry_add_element(clv_carrying *w, int id, int n, int edge)
{
    if (w->nelement == w->element_room) {
        const int room = 2 * w->element_room + 16;
        clv_carry_element *e = clv_resize(w->element, (size_t)room, sizeof *e);
        if (!e) {
            w->ok = false;
            return;
        }
        w->element = e, w->element_room = room;
    }
    w->element[w->nelement] = (clv_carry_element){id, n, edge, false};
    for (int i = 0; i < n && w->ok && w->pool.v; i++) {
        const int e = w->pool.v[edge + i], at = clv_carry_push(w, &w->link, w->nelement);
        clv_carry_push(w, &w->link, w->head[e]);
        w->head[e] = at;
    }
    w->nelement++;
}

/* rows of edges to the list; where those of an edge begin among them, from `start` on: w->place */
int clv_carry_list_rows(clv_carrying *w, const int *edge, int n, int *count)
{
    for (int i = 0; i < n; i++) {
        const clv_edge *e = &w->p->edge[edge[i]];
        w->place[edge[i]] = *count;
        *count += clv_edge_carried(e);
        for (int r = 0; r < e->m; r++)
            if (clv_edge_carries(e, r))
                clv_carry_push(w, &w->list, e->row + r);
    }
    return w->list.n;
}

/* places of the rows of n edges, by w->place */
int clv_carry_list_places(clv_carrying *w, int edge, int n)
{
    const int from = w->list.n;
    for (int i = 0; i < n; i++)
        for (int r = 0; r < clv_edge_carried(&w->p->edge[w->pool.v[edge + i]]); r++)
            clv_carry_push(w, &w->list, w->place[w->pool.v[edge + i]] + r);
    return from;
}

int clv_carry_list_pairs(clv_carrying *w, const clv_carry_ints *pair, int *count)
{
    const int from = w->list.n;
    *count = pair->n / 2;
    for (int i = 0; i < pair->n; i++)
        clv_carry_push(w, &w->list, pair->v[i]);
    return from;
}

static int compare(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return x < y ? -1 : x > y;
}

void clv_carry_sort(int *v, int n)
{
    if (n > 1)
        qsort(v, (size_t)n, sizeof *v, compare);
}
