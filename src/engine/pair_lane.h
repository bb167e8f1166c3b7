/* SPDX-License-Identifier: Apache-2.0
 * What the lane sources of pairs share: numbers of every lane's own, masks, and strips of a batch.  For lane sources
 * alone (pairs.h). */
#ifndef CLV_ENGINE_PAIR_LANE_H
#define CLV_ENGINE_PAIR_LANE_H
#include "engine/kernels.h"

enum { G8 = CLV_GROUP, M = CLV_PAIR_ROWS };
#define INLINE static inline __attribute__((always_inline))

typedef struct from { /* numbers of every lane's own */
    double *p[CLV_LANES];
} from;

/* Where the numbers of lanes lane .. lane + CLV_LANES - 1 are: offsets of their own into one array. */
INLINE from at_own(double *base, const size_t *at, int lane)
{
    from f;
    for (int l = 0; l < CLV_LANES; l++)
        f.p[l] = base + at[lane + l];
    return f;
}
/* the same places, `by` numbers further on */
INLINE from shifted(from f, int by)
{
    for (int l = 0; l < CLV_LANES; l++)
        f.p[l] += by;
    return f;
}
/* by the first rows of their edges */
INLINE from at_rows(double *base, const int *row, int lane)
{
    from f;
    for (int l = 0; l < CLV_LANES; l++)
        f.p[l] = base + row[lane + l];
    return f;
}
/* number k of every lane, gathered and scattered */
INLINE clv_w take(const from *f, int k) { return clv_w_take(f->p, k); }
INLINE void give(const from *f, int k, clv_w x) { clv_w_give(f->p, k, x); }

/* number k of a batch, which is interleaved: eight lanes side by side */
INLINE clv_w get(const double *x, int k) { return clv_w_load(x + k * G8); }
INLINE void put(double *x, int k, clv_w v) { clv_w_store(x + k * G8, v); }
INLINE void put_all(double *x, const clv_w *v, int n)
{
    for (int k = 0; k < n; k++)
        put(x, k, v[k]);
}
INLINE void get_all(const double *x, clv_w *v, int n)
{
    for (int k = 0; k < n; k++)
        v[k] = get(x, k);
}
/* x where the mask is set, else 0 */
INLINE clv_w masked(clv_w_mask m, clv_w x) { return clv_w_of_bits(m & clv_w_bits(x)); }
/* all bits set where a <= b */
INLINE clv_w_mask at_most(clv_w a, clv_w b) { return clv_w_settled(clv_w_at_most(a, b)); }
INLINE clv_w_mask no_lane(void) { return clv_w_bits(clv_w_fill(0)); }
INLINE clv_w_mask every_lane(void) { return ~no_lane(); }
/* x where the mask is set, else y; without a branch, so that a lane does not depend on others */
INLINE clv_w choose(clv_w_mask m, clv_w x, clv_w y)
{
    return clv_w_of_bits((m & clv_w_bits(x)) | (~m & clv_w_bits(y)));
}
INLINE clv_w larger(clv_w a, clv_w b) { return choose(at_most(b, a), a, b); }
INLINE clv_w smaller(clv_w a, clv_w b) { return choose(at_most(a, b), a, b); }
/* the number of x (m) in the row of a pivot; 0 beyond the rank */
INLINE clv_w picked(const clv_w_mask *pick, const clv_w *x, const int m)
{
    clv_w_mask t = pick[0] & clv_w_bits(x[0]);
    for (int i = 1; i < m; i++)
        t |= pick[i] & clv_w_bits(x[i]);
    return clv_w_of_bits(t);
}

/* a strip with a rank decision or without, of five rows (revolute and prismatic joints) or any number */
#define BY_SHAPE(strip)                                                                                               \
    for (int lane = 0; lane < b->n; lane += CLV_LANES)                                                                \
        if (b->m == 5 && b->ranked)                                                                                   \
            strip(e, b, lane, true, 5);                                                                               \
        else if (b->m == 5)                                                                                           \
            strip(e, b, lane, false, 5);                                                                              \
        else                                                                                                          \
            strip(e, b, lane, b->ranked, b->m);

#endif
