/* SPDX-License-Identifier: Apache-2.0
 * Trees of corners, see hull_tree.h.  The products of corners that are compared are those of a plain loop over all of
 * them, so the corner found is the same to the bit.  A box is left out if none of its corners can be farther. */
#include "model/hull_tree.h"
#include "base/memory.h"
#include "math/rotation.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAF = 6, DEEP = 40 };
#define ROUNDED 1e-14 /* of the terms of a product with d */

typedef struct placed {
    double along;
    int corner;
} placed;

static int by_place(const void *x, const void *y)
{
    const placed *a = x, *b = y;
    return a->along != b->along ? (a->along > b->along) - (a->along < b->along) : a->corner - b->corner;
}

/* nodes below and including k, over corners first..first + n of the order; `list` is scratch */
static void divide(clv_hull_tree *t, const double *x, int k, int first, int n, placed *list)
{
    clv_hull_node *to = &t->node[k];
    int axis = 0;
    for (int c = 0; c < 3; c++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = first; i < first + n; i++) {
            const double at = x[3 * (size_t)t->corner[i] + (size_t)c];
            low = fmin(low, at), high = fmax(high, at);
        }
        to->at[c] = 0.5 * (low + high), to->half[c] = fmax(high - to->at[c], to->at[c] - low);
        axis = to->half[c] > to->half[axis] ? c : axis;
    }
    if (n <= LEAF)
        return;
    for (int i = 0; i < n; i++)
        list[i] = (placed){x[3 * (size_t)t->corner[first + i] + (size_t)axis], t->corner[first + i]};
    qsort(list, (size_t)n, sizeof *list, by_place);
    for (int i = 0; i < n; i++)
        t->corner[first + i] = list[i].corner;
    divide(t, x, 2 * k + 1, first, n / 2, list);
    divide(t, x, 2 * k + 2, first + n / 2, n - n / 2, list);
}

/* nodes that n corners can need */
static size_t nodes_of(int n)
{
    size_t level = 1;
    for (; n > LEAF; n = n - n / 2)
        level *= 2;
    return 2 * level - 1;
}

bool clv_hull_tree_make(clv_hull_tree *t, const double *x, int n)
{
    placed *list = clv_alloc((size_t)n + 1, sizeof *list);
    *t = (clv_hull_tree){.n = n, .corner = clv_alloc((size_t)n + 1, sizeof *t->corner),
                         .x = clv_alloc((size_t)n + 1, 3 * sizeof *t->x)};
    t->node = n > LEAF ? clv_alloc(nodes_of(n), sizeof *t->node) : NULL;
    const bool good = list && t->corner && t->x && (t->node || n <= LEAF);
    for (int i = 0; i < n && good; i++)
        t->corner[i] = i;
    if (good && t->node)
        divide(t, x, 0, 0, n, list);
    for (int i = 0; i < n && good; i++)
        clv_copy3(t->x + 3 * (size_t)i, x + 3 * (size_t)t->corner[i]);
    clv_free(list);
    return good;
}

void clv_hull_tree_free(clv_hull_tree *t) { clv_free(t->corner), clv_free(t->x), clv_free(t->node); }

/* the most that a corner of the node can have along d, and a little more */
static double bound(const clv_hull_node *b, const double d[3])
{
    double sum = 0, terms = 0;
    for (int c = 0; c < 3; c++) {
        const double at = b->at[c] * d[c], half = b->half[c] * fabs(d[c]);
        sum += at + half, terms += fabs(at) + half;
    }
    return sum + ROUNDED * terms;
}

typedef struct range {
    int node, first, n;
    double most;
} range;

int clv_hull_tree_farthest(const clv_hull_tree *t, const double d[3])
{
    range stack[DEEP] = {{0, 0, t->n, INFINITY}};
    int best = -1;
    double most = -INFINITY;
    for (int height = 1; height > 0;) {
        const range r = stack[--height];
        if (r.most < most)
            continue;
        if (r.n <= LEAF) {
            for (int i = r.first; i < r.first + r.n; i++) {
                const double along = clv_dot3(t->x + 3 * (size_t)i, d);
                if (along > most || (along == most && t->corner[i] < best) || best < 0)
                    most = along, best = t->corner[i];
            }
            continue;
        }
        const int k = 2 * r.node + 1, half = r.n / 2;
        const range a = {k, r.first, half, bound(&t->node[k], d)},
                    b = {k + 1, r.first + half, r.n - half, bound(&t->node[k + 1], d)};
        stack[height++] = a.most > b.most ? b : a; /* the better one is next */
        stack[height++] = a.most > b.most ? a : b;
    }
    return best;
}
