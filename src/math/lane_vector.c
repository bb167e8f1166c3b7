/* SPDX-License-Identifier: Apache-2.0
 * A lane source: vector work on the states of eight problems; see lane_vector.h (T85). */
#include "math/lane_vector.h"
#include <math.h>
#include <stdbool.h>
#include "base/tolerance.h"
#include "math/root.h"

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

/* the columns whose weights are not zero */
typedef struct picked {
    clv_w w[CLV_LANE_COLUMNS];
    const double *k[CLV_LANE_COLUMNS];
    int n;
} picked;

INLINE void pick_columns(picked *p, const clv_lane_sum *s)
{
    p->n = 0;
    for (int j = 0; j < s->columns; j++)
        if (s->w[j] != 0.0)
            p->w[p->n] = clv_w_fill(s->w[j]), p->k[p->n++] = s->k + (size_t)j * s->stride;
}

INLINE clv_w sum_at(const picked *p, const int columns, int at)
{
    clv_w sum = columns > 0 ? p->w[0] * clv_w_load(p->k[0] + at) : clv_w_fill(0.0);
    for (int j = 1; j < columns; j++)
        sum += p->w[j] * clv_w_load(p->k[j] + at);
    return sum;
}

/* BODY with the number of columns as a constant, where it is small, so that weights stay in registers */
#define WITH_COLUMNS(n, BODY)                                                                                         \
    switch (n) {                                                                                                      \
    case 1: BODY(1); break;                                                                                           \
    case 2: BODY(2); break;                                                                                           \
    case 3: BODY(3); break;                                                                                           \
    case 4: BODY(4); break;                                                                                           \
    case 5: BODY(5); break;                                                                                           \
    case 6: BODY(6); break;                                                                                           \
    default: BODY(n);                                                                                                 \
    }

INLINE void advance_with(double *to, const double *y, clv_w step, const picked *p, const int columns, int n, int lane)
{
    for (int at = lane; at < n * G8; at += G8)
        clv_w_store(to + at, clv_w_load(y + at) + step * sum_at(p, columns, at));
}

static void advance(double *to, const double *y, const double *h, const clv_lane_sum *s, int n, int lanes)
{
    picked p;
    pick_columns(&p, s);
    for (int lane = 0; lane < lanes; lane += CLV_LANES) {
        const clv_w step = clv_w_load(h + lane);
#define ADVANCE(columns) advance_with(to, y, step, &p, columns, n, lane)
        WITH_COLUMNS(p.n, ADVANCE)
    }
}

INLINE void norm_with(double *norm, double *worst, const clv_lane_tolerance *t, const picked *p, const int columns,
                      int n, int lane)
{
    const clv_w zero = clv_w_fill(0.0), infinite = clv_w_fill(INFINITY);
    const clv_w rtol = clv_w_load(t->rtol + lane), atol = clv_w_load(t->atol + lane);
    clv_w most = zero, which = clv_w_fill(-1.0);
    for (int i = 0; i < n; i++) {
        const int at = i * G8 + lane;
        const clv_w scale = clv_w_load(t->scale + at), e = size_of(sum_at(p, columns, at));
        const clv_w y = size_of(clv_w_load(t->y + at)), y_new = size_of(clv_w_load(t->y_new + at));
        const clv_w bound = clv_w_load(t->bound + at), size = larger(y_new, y);
        const clv_w least = clv_w_fill(CLV_TOL_TURNS) * size;
        const clv_w share = rtol * pick(over(size, bound), bound, size);
        const clv_w counted = pick(over(infinite, bound) & over(least, share), least, share);
        const clv_w ratio = e / larger(counted, atol * scale);
        clv_w value = pick(clv_w_at_most(ratio, infinite), ratio, infinite); /* not a number: infinite */
        value = pick(clv_w_at_most(scale, zero) | clv_w_at_most(e, zero), zero, value);
        const clv_w_mask grows = over(value, most);
        most = pick(grows, value, most), which = pick(grows, clv_w_fill(i), which);
    }
    clv_w_store(norm + lane, most), clv_w_store(worst + lane, which);
}

static void norm(double *norm, double *worst, const clv_lane_tolerance *t, const clv_lane_sum *s, int n, int lanes)
{
    picked p;
    pick_columns(&p, s);
    for (int lane = 0; lane < lanes; lane += CLV_LANES) {
#define NORM(columns) norm_with(norm, worst, t, &p, columns, n, lane)
        WITH_COLUMNS(p.n, NORM)
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

/* is a number of some lane not zero? */
INLINE bool any(clv_w x)
{
    const union {
        clv_w x;
        double lane[CLV_LANES];
    } of = {.x = x};
    double sum = 0.0;
    for (int i = 0; i < CLV_LANES; i++)
        sum += of.lane[i];
    return sum != 0.0;
}

/* by the operations of clv_root: every step goes down until rounding stops it, and then leaves the number as it is */
static void roots(double *z, const double *y, int n, int lanes)
{
    for (int lane = 0; lane < lanes; lane += CLV_LANES) {
        const clv_w of = clv_w_load(y + lane), degree = clv_w_fill(n);
        clv_w x = clv_w_load(z + lane);
        for (int k = 0; k < CLV_ROOT_STEPS; k++) {
            clv_w power = clv_w_fill(1.0);
            for (int i = 1; i < n; i++)
                power *= x;
            const clv_w lower = x - (x - of / power) / degree;
            const clv_w falls = clv_w_above(x, lower);
            if (!any(falls))
                break;
            x = pick(over(x, lower), lower, x);
        }
        clv_w_store(z + lane, x);
    }
}

/* rows of eight numbers */
static void gather(double *to, const double *from, const int *of, int n, int lanes)
{
    for (int i = 0; i < n; i++)
        for (int lane = 0; of[i] >= 0 && lane < lanes; lane += CLV_LANES)
            clv_w_store(to + i * G8 + lane, clv_w_load(from + of[i] * G8 + lane));
}
static void scatter(double *to, const double *from, const double *more, const int *of, int n, int lanes)
{
    for (int i = 0; i < n; i++)
        for (int lane = 0; of[i] >= 0 && lane < lanes; lane += CLV_LANES) {
            const clv_w x = clv_w_load(from + i * G8 + lane);
            clv_w_store(to + of[i] * G8 + lane, more ? x + clv_w_load(more + i * G8 + lane) : x);
        }
}

static void take_over(double *to, const double *from, const double *chosen, int n, int lanes)
{
    for (int lane = 0; lane < lanes; lane += CLV_LANES) {
        const clv_w_mask m = over(clv_w_load(chosen + lane), clv_w_fill(0.0));
        for (int at = lane; at < n * G8; at += G8)
            clv_w_store(to + at, pick(m, clv_w_load(from + at), clv_w_load(to + at)));
    }
}

const clv_lane_vectors CLV_LANE(clv_lane_vectors) = {advance, norm, check, roots, gather, scatter, take_over};
