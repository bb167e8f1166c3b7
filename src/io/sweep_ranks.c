/* SPDX-License-Identifier: Apache-2.0
 * Rank correlation (T48.4): how a number varies with another one, whatever the curve, if it rises or falls. */
#include "io/sweep.h"
#include <math.h>
#include <string.h>

/* Merges order[0 .. half) and order[half .. n), which are sorted by number. */
static void merge(const double *number, int *order, int half, int n, int *room)
{
    int i = 0, j = half, k = 0;
    memcpy(room, order, (size_t)half * sizeof *room);
    while (i < half && j < n)
        if (number[order[j]] < number[room[i]])
            order[k++] = order[j++];
        else
            order[k++] = room[i++];
    while (i < half)
        order[k++] = room[i++];
}

/* Bottom-up, so that its memory is that of the caller: order has room for 2 n. */
static void sort(const double *number, int n, int *order)
{
    for (int i = 0; i < n; ++i)
        order[i] = i;
    for (int half = 1; half < n; half = half > n / 2 ? n : 2 * half)
        for (int from = 0; n - from > half; from += n - from > 2 * half ? 2 * half : n - from)
            merge(number, order + from, half, n - from < 2 * half ? n - from : 2 * half, order + n);
}

void clv_ranks(const double *number, int n, double *rank, int *order)
{
    sort(number, n, order);
    for (int i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && number[order[end]] == number[order[i]];)
            ++end;
        for (int j = i; j < end; ++j)
            rank[order[j]] = 0.5 * (i + end - 1);
    }
}

double clv_correlation(const double *x, const double *y, int n)
{
    double mx = 0, my = 0, xx = 0, yy = 0, xy = 0;
    for (int i = 0; i < n; ++i)
        mx += x[i] / n, my += y[i] / n;
    for (int i = 0; i < n; ++i) {
        xx += (x[i] - mx) * (x[i] - mx);
        yy += (y[i] - my) * (y[i] - my);
        xy += (x[i] - mx) * (y[i] - my);
    }
    return n >= 3 && xx > 0 && yy > 0 ? fmax(-1, fmin(1, xy / sqrt(xx * yy))) : NAN;
}
