/* SPDX-License-Identifier: Apache-2.0
 * Passes over the states; see vector.h. */
#include "integrator/vector.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

/* sum (count) of the states from `from` on */
static void block_sum(double *restrict sum, const clv_combination *c, int from, int count)
{
    bool first = true;
    for (int j = 0; j < c->columns; j++) {
        const double w = c->w[j], *restrict k = c->k + (size_t)j * c->stride + from;
        if (w == 0.0)
            continue;
        if (first)
            for (int i = 0; i < count; i++)
                sum[i] = w * k[i];
        else
            for (int i = 0; i < count; i++)
                sum[i] += w * k[i];
        first = false;
    }
    if (first)
        memset(sum, 0, (size_t)count * sizeof *sum);
}

/* ------------------------------------------------------------------ shares of a pass (T44) */

enum { SHARE = 8 * CLV_VECTOR_BLOCK }; /* states that a thread takes at least */

typedef struct pass {
    const clv_combination *c;
    const double *y;
    double *to, h;
    int n;
    clv_error_norm *norm; /* (shares), or NULL */
    int *block;           /* (shares) */
} pass;

static int shares(int n) { return n > SHARE ? (n + SHARE - 1) / SHARE : 1; }
/* states of a share: from .. end - 1 */
static int share_end(const pass *x, int share) { return (share + 1) * SHARE < x->n ? (share + 1) * SHARE : x->n; }

static void sum_share(void *of, int share)
{
    const pass *x = of;
    for (int at = share * SHARE, end = share_end(x, share); at < end; at += CLV_VECTOR_BLOCK)
        block_sum(x->to + at, x->c, at, clv_vector_block(end, at));
}

void clv_vector_sum(double *to, const clv_combination *c, int n)
{
    clv_team_run(c->team, shares(n), sum_share, &(pass){.c = c, .to = to, .n = n});
}

static void advance_share(void *of, int share)
{
    const pass *x = of;
    double sum[CLV_VECTOR_BLOCK];
    for (int at = share * SHARE, end = share_end(x, share); at < end; at += CLV_VECTOR_BLOCK) {
        const int count = clv_vector_block(end, at);
        block_sum(sum, x->c, at, count);
        for (int i = 0; i < count; i++)
            x->to[at + i] = x->y[at + i] + x->h * sum[i];
    }
}

void clv_vector_advance(double *to, const double *y, double h, const clv_combination *c, int n)
{
    clv_team_run(c->team, shares(n), advance_share, &(pass){.c = c, .y = y, .to = to, .h = h, .n = n});
}

/* the larger; b where a is not a number */
static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

void clv_error_norm_add(clv_error_norm *norm, const double *e, int from, int count)
{
    const double *scale = norm->scale + from, *y = norm->y + from, *y_new = norm->y_new + from;
    const double *bound = norm->bound ? norm->bound + from : NULL;
    double most = norm->value;
    for (int i = 0; i < count; i++) {
        if (scale[i] == 0.0 || e[i] == 0.0)
            continue;
        const double weight = clv_tolerated(norm->rtol, norm->atol, scale[i], bound ? bound[i] : INFINITY,
                                            larger(fabs(y_new[i]), fabs(y[i])));
        const double ratio = fabs(e[i]) / weight;
        if (!(ratio <= most))
            most = isnan(ratio) ? INFINITY : ratio;
    }
    norm->value = most;
}

int clv_error_norm_find(const clv_error_norm *norm, const double *e, int from, int count, double value)
{
    for (int i = 0; value > 0 && i < count; i++) {
        clv_error_norm one = *norm;
        one.value = 0;
        clv_error_norm_add(&one, e + i, from + i, 1);
        if (one.value >= value)
            return from + i;
    }
    return -1;
}

/* norm of some blocks, and the last of them by which it has grown */
static void norm_of_blocks(clv_error_norm *all, const clv_combination *c, int from, int end, int *block)
{
    double sum[CLV_VECTOR_BLOCK];
    for (int at = from; at < end; at += CLV_VECTOR_BLOCK) {
        const int count = clv_vector_block(end, at);
        const double before = all->value;
        block_sum(sum, c, at, count);
        clv_error_norm_add(all, sum, at, count);
        if (all->value > before)
            *block = at;
    }
}

static void norm_share(void *of, int share)
{
    const pass *x = of;
    norm_of_blocks(&x->norm[share], x->c, share * SHARE, share_end(x, share), &x->block[share]);
}

/* the same by shares, in rounds of as many as there is room for */
static void norm_of_shares(clv_error_norm *all, const clv_combination *c, int n, int *block)
{
    enum { ROUND = 64 };
    clv_error_norm norm[ROUND];
    int blocks[ROUND];
    for (int first = 0, end = shares(n); first < end; first += ROUND) {
        const int count = end - first < ROUND ? end - first : ROUND;
        const int from = first * SHARE;
        const clv_error_norm none = {
            .rtol = all->rtol, .atol = all->atol, .scale = all->scale + from, .y = all->y + from,
            .bound = all->bound ? all->bound + from : NULL, .y_new = all->y_new + from,
        };
        const clv_combination part = {c->w, c->k + from, c->stride, c->columns, c->team};
        for (int i = 0; i < count; i++)
            norm[i] = none, blocks[i] = -1;
        clv_team_run(c->team, count, norm_share,
                     &(pass){.c = &part, .n = n - from, .norm = norm, .block = blocks});
        for (int i = 0; i < count; i++)
            if (norm[i].value > all->value)
                all->value = norm[i].value, *block = from + blocks[i];
    }
}

double clv_vector_norm_of_sum_at(const clv_error_norm *norm, const clv_combination *c, int n, int *worst)
{
    clv_error_norm all = *norm;
    double sum[CLV_VECTOR_BLOCK];
    int block = -1;
    norm_of_shares(&all, c, n, &block);
    *worst = -1;
    if (block < 0)
        return all.value;
    block_sum(sum, c, block, clv_vector_block(n, block));
    *worst = clv_error_norm_find(norm, sum, block, clv_vector_block(n, block), all.value);
    return all.value;
}

double clv_vector_norm_of_sum(const clv_error_norm *norm, const clv_combination *c, int n)
{
    clv_error_norm all = *norm;
    int block = -1;
    norm_of_shares(&all, c, n, &block);
    return all.value;
}

/* An exponent of ones, plus one, overflows into the sign: whole blocks without a branch. */
static bool block_finite(const double *x, int count)
{
    const uint64_t exponent = (uint64_t)0x7ff << 52, one = (uint64_t)1 << 52;
    uint64_t over = 0;
    for (int i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, x + i, sizeof bits);
        over |= (bits & exponent) + one;
    }
    return !(over >> 63);
}

typedef struct search {
    const double *x;
    int n;
    bool *good; /* (shares of a round) */
} search;

static bool range_finite(const double *x, int from, int end)
{
    for (int at = from; at < end; at += CLV_VECTOR_BLOCK)
        if (!block_finite(x + at, clv_vector_block(end, at)))
            return false;
    return true;
}

static void search_share(void *of, int share)
{
    const search *s = of;
    const int from = share * SHARE;
    s->good[share] = range_finite(s->x, from, s->n - from < SHARE ? s->n : from + SHARE);
}

bool clv_vector_finite(clv_team *team, const double *x, int n)
{
    enum { ROUND = 64 };
    bool good[ROUND] = {false};
    for (int from = 0; from < n; from += ROUND * SHARE) {
        const int count = n - from < ROUND * SHARE ? shares(n - from) : ROUND;
        clv_team_run(team, count, search_share, &(search){x + from, n - from, good});
        for (int i = 0; i < count; i++)
            if (!good[i])
                return false;
    }
    return true;
}
