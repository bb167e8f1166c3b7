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

void clv_vector_sum(double *to, const clv_combination *c, int n)
{
    for (int at = 0; at < n; at += CLV_VECTOR_BLOCK)
        block_sum(to + at, c, at, clv_vector_block(n, at));
}

void clv_vector_advance(double *to, const double *y, double h, const clv_combination *c, int n)
{
    double sum[CLV_VECTOR_BLOCK];
    for (int at = 0; at < n; at += CLV_VECTOR_BLOCK) {
        const int count = clv_vector_block(n, at);
        block_sum(sum, c, at, count);
        for (int i = 0; i < count; i++)
            to[at + i] = y[at + i] + h * sum[i];
    }
}

/* the larger; b where a is not a number */
static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

void clv_error_norm_add(clv_error_norm *norm, const double *e, int from, int count)
{
    const double *scale = norm->scale + from, *y = norm->y + from, *y_new = norm->y_new + from;
    double most = norm->value;
    for (int i = 0; i < count; i++) {
        if (scale[i] == 0.0 || e[i] == 0.0)
            continue;
        const double weight = larger(norm->rtol * larger(fabs(y_new[i]), fabs(y[i])), norm->atol * scale[i]);
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

double clv_vector_norm_of_sum_at(const clv_error_norm *norm, const clv_combination *c, int n, int *worst)
{
    clv_error_norm all = *norm;
    double sum[CLV_VECTOR_BLOCK];
    int block = -1;
    for (int at = 0; at < n; at += CLV_VECTOR_BLOCK) {
        const int count = clv_vector_block(n, at);
        const double before = all.value;
        block_sum(sum, c, at, count);
        clv_error_norm_add(&all, sum, at, count);
        if (all.value > before)
            block = at;
    }
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
    double sum[CLV_VECTOR_BLOCK];
    for (int at = 0; at < n; at += CLV_VECTOR_BLOCK) {
        const int count = clv_vector_block(n, at);
        block_sum(sum, c, at, count);
        clv_error_norm_add(&all, sum, at, count);
    }
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

bool clv_vector_finite(const double *x, int n)
{
    for (int at = 0; at < n; at += CLV_VECTOR_BLOCK)
        if (!block_finite(x + at, clv_vector_block(n, at)))
            return false;
    return true;
}
