/* SPDX-License-Identifier: Apache-2.0
 * Sweep and prune, see sweep.h and T105.2.
 *
 *   places, boxes | axis of the largest spread | order by low ends | boxes that overlap | pairs in order of members
 *
 * Nothing is allocated, and the order of pairs does not depend on the axis. */
#include "model/sweep.h"
#include <math.h>
#include <string.h>
#include "math/rotation.h"
#include "model/bore.h"
#include "model/contact.h"
#include "model/hull.h"

#define LARGER 1e-9 /* of its size, by which a box is larger: shapes that just touch are near each other */

void clv_sweep_layout(clv_sweep *s, const clv_touch_group *g, clv_arena *a)
{
    CLV_TAKE(a, s->solid, g->n), CLV_TAKE(a, s->low, 3 * g->n), CLV_TAKE(a, s->high, 3 * g->n);
    CLV_TAKE(a, s->end, g->n), CLV_TAKE(a, s->order, g->n), CLV_TAKE(a, s->other, g->n);
    CLV_TAKE(a, s->count, g->n + 2), CLV_TAKE(a, s->pair, g->pairs), CLV_TAKE(a, s->found, g->pairs);
}

/* ------------------------------------------------------------------ boxes */

/* m, half the width of a shape along the global axis i */
static double half_width(const clv_solid *s, int i)
{
    const double *row = s->E + 3 * (size_t)i, along = fabs(row[2]);
    switch (s->kind) {
    case CLV_SHAPE_BOX:
        return 0.5 * (fabs(row[0]) * s->size[0] + fabs(row[1]) * s->size[1] + along * s->size[2]);
    case CLV_SHAPE_CYLINDER:
        return 0.5 * along * s->size[1] + s->size[0] * sqrt(row[0] * row[0] + row[1] * row[1]);
    case CLV_SHAPE_CAPSULE:
        return 0.5 * along * s->size[1] + s->size[0];
    case CLV_SHAPE_MESH:
        return fabs(row[0]) * s->hull->half[0] + fabs(row[1]) * s->hull->half[1] + along * s->hull->half[2] +
               s->size[0];
    case CLV_SHAPE_BORE:
        return along * (0.5 * s->size[2] + clv_bore_wall(s)) + s->size[1] * sqrt(row[0] * row[0] + row[1] * row[1]);
    default:
        return s->size[0];
    }
}

void clv_sweep_box(const clv_solid *s, double low[3], double high[3])
{
    for (int i = 0; i < 3; i++) {
        const double half = half_width(s, i) * (1 + LARGER);
        low[i] = s->at[i] - half, high[i] = s->at[i] + half;
    }
}

void clv_sweep_place(clv_sweep *s, const clv_model *m, const clv_force *f, const double *r, const double *R)
{
    const clv_touch_group *g = f->group;
    for (int k = 0; k < g->n; k++) {
        clv_contact_place(m, &g->member[k], r, R, &s->solid[k]);
        clv_sweep_box(&s->solid[k], s->low + 3 * (size_t)k, s->high + 3 * (size_t)k);
    }
}

/* the axis along which the middles of the boxes have the largest variance */
static int widest(const clv_sweep *s, int n)
{
    double sum[3] = {0, 0, 0}, square[3] = {0, 0, 0};
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 3; i++) {
            const double x = s->low[3 * k + i] + s->high[3 * k + i];
            sum[i] += x, square[i] += x * x;
        }
    int best = 0;
    for (int i = 0; i < 3; i++) {
        square[i] -= sum[i] * sum[i] / n;
        if (square[i] > square[best])
            best = i;
    }
    return best;
}

/* ------------------------------------------------------------------ order */

static bool before(const clv_sweep *s, int a, int b)
{
    return s->end[a] != s->end[b] ? s->end[a] < s->end[b] : a < b;
}

/* other := order, from..middle and middle..to, merged */
static void merge(const clv_sweep *s, const int *order, int *other, int from, int middle, int to)
{
    for (int at = from, a = from, b = middle; at < to; at++)
        other[at] = b >= to || (a < middle && before(s, order[a], order[b])) ? order[a++] : order[b++];
}

/* end of the run that begins at `from` */
static int run_end(const clv_sweep *s, const int *order, int from, int n)
{
    int to = from + 1;
    while (to < n && before(s, order[to - 1], order[to]))
        to++;
    return to;
}

/* Natural merge sort: what is in order costs one comparison an element. */
static void sort(clv_sweep *s, int n)
{
    for (bool done = false; !done;) {
        int from = 0;
        done = run_end(s, s->order, 0, n) >= n;
        while (!done && from < n) {
            const int middle = run_end(s, s->order, from, n), to = middle < n ? run_end(s, s->order, middle, n) : n;
            merge(s, s->order, s->other, from, middle, to);
            from = to;
        }
        if (!done) {
            int *swap = s->order;
            s->order = s->other, s->other = swap;
        }
    }
}

/* ------------------------------------------------------------------ pairs */

static bool push(clv_sweep *s, int room, int i, int j)
{
    if (s->pairs >= room)
        return false;
    s->found[s->pairs][0] = i, s->found[s->pairs++][1] = j;
    return true;
}

static bool overlap(const clv_sweep *s, int a, int b)
{
    const double *la = s->low + 3 * (size_t)a, *lb = s->low + 3 * (size_t)b;
    const double *ha = s->high + 3 * (size_t)a, *hb = s->high + 3 * (size_t)b;
    for (int i = 0; i < 3; i++)
        if (!(la[i] <= hb[i] && lb[i] <= ha[i]))
            return false;
    return true;
}

/* to := from, by [part], keeping the order of equal ones; parts are -1 .. n - 1 */
static void sort_pairs(clv_sweep *s, int (*from)[2], int (*to)[2], int part, int n)
{
    memset(s->count, 0, ((size_t)n + 2) * sizeof *s->count);
    for (int k = 0; k < s->pairs; k++)
        s->count[from[k][part] + 2]++;
    for (int k = 0; k < n; k++)
        s->count[k + 1] += s->count[k];
    for (int k = 0; k < s->pairs; k++) {
        int *x = to[s->count[from[k][part] + 1]++];
        x[0] = from[k][0], x[1] = from[k][1];
    }
}

static bool near_plane(clv_sweep *s, const clv_force *f)
{
    const clv_touch_group *g = f->group;
    bool room = true;
    for (int k = 0; k < g->n && room; k++) {
        double line[3];
        if (!(g->member[k].sides & CLV_ON_PLANE))
            continue;
        clv_sub3(line, s->solid[k].at, f->contact.point);
        if (clv_dot3(line, f->contact.normal) <= g->member[k].radius * (1 + LARGER))
            room = push(s, g->pairs, -1, k);
    }
    return room;
}

static bool near_each_other(clv_sweep *s, const clv_touch_group *g, int axis)
{
    for (int k = 0; k < g->n; k++) {
        const int a = s->order[k];
        const double high = s->high[3 * a + axis];
        for (int l = k + 1; l < g->n && s->end[s->order[l]] <= high; l++) {
            const int b = s->order[l];
            if (overlap(s, a, b) && clv_touch_group_takes(g, a, b) && !push(s, g->pairs, a < b ? a : b, a < b ? b : a))
                return false;
        }
    }
    return true;
}

bool clv_sweep_pair(clv_sweep *s, const clv_force *f)
{
    const clv_touch_group *g = f->group;
    const int n = g->n;
    bool fresh = true;
    s->pairs = 0;
    if (n == 0)
        return true;
    const int axis = widest(s, n);
    for (int k = 0; k < n; k++) { /* one that is no number comes last */
        s->end[k] = isnan(s->low[3 * k + axis]) ? INFINITY : s->low[3 * k + axis];
        fresh &= s->order[k] == 0;
    }
    for (int k = 0; fresh && k < n; k++)
        s->order[k] = k;
    sort(s, n);
    const bool room = near_plane(s, f) && near_each_other(s, g, axis);
    sort_pairs(s, s->found, s->pair, 1, n);
    sort_pairs(s, s->pair, s->found, 0, n);
    memcpy(s->pair, s->found, (size_t)s->pairs * sizeof *s->pair);
    return room;
}

bool clv_sweep_find(clv_sweep *s, const clv_model *m, const clv_force *f, const double *r, const double *R)
{
    clv_sweep_place(s, m, f, r, R);
    return clv_sweep_pair(s, f);
}
