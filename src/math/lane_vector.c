/* SPDX-License-Identifier: Apache-2.0
 * A lane source: vector work on the states of eight problems; see lane_vector.h (T85). */
#include "math/lane_vector.h"
#include <math.h>

enum { G8 = CLV_GROUP };
#define INLINE static inline __attribute__((always_inline))

/* a > b, not for NaN */
INLINE clv_w_mask over(clv_w a, clv_w b) { return clv_w_settled(clv_w_at_most(b, a) & ~clv_w_at_most(a, b)); }
INLINE clv_w pick(clv_w_mask m, clv_w a, clv_w b)
{
    return clv_w_of_bits((m & clv_w_bits(a)) | (~m & clv_w_bits(b)));
}
INLINE clv_w larger(clv_w a, clv_w b) { return pick(over(a, b), a, b); }
INLINE clv_w size_of(clv_w x) { return clv_w_of_bits(clv_w_bits(x) & ~clv_w_bits(clv_w_fill(-0.0))); }

INLINE clv_w sum_of(const clv_lane_sum *s, int at)
{
    clv_w sum = clv_w_fill(0.0);
    int first = 1;
    for (int j = 0; j < s->columns; j++) {
        if (s->w[j] == 0.0)
            continue;
        const clv_w part = clv_w_fill(s->w[j]) * clv_w_load(s->k + (size_t)j * s->stride + at);
        sum = first ? part : sum + part;
        first = 0;
    }
    return sum;
}

static void advance(double *to, const double *y, const double *h, const clv_lane_sum *s, int n, int lanes)
{
    for (int lane = 0; lane < lanes; lane += CLV_LANES) {
        const clv_w step = clv_w_load(h + lane);
        for (int at = lane; at < n * G8; at += G8)
            clv_w_store(to + at, clv_w_load(y + at) + step * sum_of(s, at));
    }
}

static void norm(double *norm, double *worst, const clv_lane_tolerance *t, const clv_lane_sum *s, int n, int lanes)
{
    const clv_w zero = clv_w_fill(0.0), infinite = clv_w_fill(INFINITY);
    for (int lane = 0; lane < lanes; lane += CLV_LANES) {
        const clv_w rtol = clv_w_load(t->rtol + lane), atol = clv_w_load(t->atol + lane);
        clv_w most = zero, which = clv_w_fill(-1.0);
        for (int i = 0; i < n; i++) {
            const int at = i * G8 + lane;
            const clv_w scale = clv_w_load(t->scale + at), e = size_of(sum_of(s, at));
            const clv_w y = size_of(clv_w_load(t->y + at)), y_new = size_of(clv_w_load(t->y_new + at));
            const clv_w ratio = e / larger(rtol * larger(y_new, y), atol * scale);
            clv_w value = pick(clv_w_at_most(ratio, infinite), ratio, infinite); /* not a number: infinite */
            value = pick(clv_w_at_most(scale, zero) | clv_w_at_most(e, zero), zero, value);
            const clv_w_mask grows = over(value, most);
            most = pick(grows, value, most), which = pick(grows, clv_w_fill(i), which);
        }
        clv_w_store(norm + lane, most), clv_w_store(worst + lane, which);
    }
}

static void check(double *to, const double *x, int n, int lanes)
{
    for (int lane = 0; lane < lanes; lane += CLV_LANES) {
        clv_w sum = clv_w_fill(0.0);
        for (int at = lane; at < n * G8; at += G8)
            sum += clv_w_fill(0.0) * clv_w_load(x + at);
        clv_w_store(to + lane, sum);
    }
}

const clv_lane_vectors CLV_LANE(clv_lane_vectors) = {advance, norm, check};
