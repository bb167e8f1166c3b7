/* SPDX-License-Identifier: Apache-2.0
 * The lane type: the only file that knows how wide the machine is.  Lane sources (engine/kernels.h) are compiled with
 * CLV_LANES = 1, 2, 4 and 8; other files have no lane type.
 *
 * Data come in groups of CLV_GROUP = 8 lanes (AoSoA): component c of a row of 8 bodies lies at [8 c .. 8 c + 7].  A
 * machine with CLV_LANES lanes runs 8 / CLV_LANES strips.  Every lane does the same operations in the same order
 * whatever the width, and contraction is off in every build, so the bits do not depend on CLV_LANES. */
#ifndef CLV_MATH_LANE_H
#define CLV_MATH_LANE_H

#define CLV_GROUP 8
#ifdef CLV_LANES
/* the name of a function or table of this width: clv_kernels_4 */
#define CLV_LANE_JOIN(name, lanes) name##_##lanes
#define CLV_LANE_NAME(name, lanes) CLV_LANE_JOIN(name, lanes)
#define CLV_LANE(name) CLV_LANE_NAME(name, CLV_LANES)
#if CLV_LANES == 1
typedef double clv_w;
typedef long long clv_w_mask; /* all bits set, or none */
static inline clv_w clv_w_load(const double *p) { return *p; }
static inline clv_w clv_w_load_any(const double *p) { return *p; }
static inline void clv_w_store_any(double *p, clv_w v) { *p = v; }
static inline void clv_w_store(double *p, clv_w v) { *p = v; }
static inline clv_w clv_w_fill(double x) { return x; }
static inline clv_w clv_w_root(clv_w x) { return __builtin_sqrt(x); }
/* 1 where a > b, else 0 (also for NaN) */
static inline clv_w clv_w_above(clv_w a, clv_w b) { return a > b ? 1.0 : 0.0; }
static inline clv_w_mask clv_w_at_most(clv_w a, clv_w b) { return -(long long)(a <= b); }
static inline clv_w_mask clv_w_odd(clv_w_mask m) { return -(m & 1); }
static inline clv_w_mask clv_w_bits(clv_w x)
{
    union {
        clv_w x;
        clv_w_mask m;
    } both = {.x = x};
    return both.m;
}
static inline clv_w clv_w_of_bits(clv_w_mask m)
{
    union {
        clv_w_mask m;
        clv_w x;
    } both = {.m = m};
    return both.x;
}
/* a mask as it is; gcc 12 fails to compile what it makes of masks of two lanes (vector conditions) */
static inline clv_w_mask clv_w_settled(clv_w_mask m) { return m; }
/* number k of an array of every lane's own */
static inline clv_w clv_w_take(double *const *p, int k) { return p[0][k]; }
static inline void clv_w_give(double *const *p, int k, clv_w x) { p[0][k] = x; }
static inline clv_w clv_w_pick(clv_w a, clv_w b, clv_w_mask which) { return which == 0 ? a : b; }
/* eight numbers into 8 / CLV_LANES vectors */
static inline void clv_w_eight(clv_w *v, double a, double b, double c, double d, double e, double f, double g, double h)
{
    v[0] = a, v[1] = b, v[2] = c, v[3] = d, v[4] = e, v[5] = f, v[6] = g, v[7] = h;
}
#else
typedef double clv_w __attribute__((vector_size(8 * CLV_LANES)));
typedef long long clv_w_mask __attribute__((vector_size(8 * CLV_LANES)));
static inline clv_w clv_w_load(const double *p) { return *(const clv_w *)p; }
/* from and to any place */
typedef double clv_w_anywhere __attribute__((vector_size(8 * CLV_LANES), aligned(8), may_alias));
static inline clv_w clv_w_load_any(const double *p) { return *(const clv_w_anywhere *)p; }
static inline void clv_w_store_any(double *p, clv_w v) { *(clv_w_anywhere *)p = v; }
static inline void clv_w_store(double *p, clv_w v) { *(clv_w *)p = v; }
static inline clv_w clv_w_fill(double x) { return x - (clv_w){0}; } /* -0 stays -0 */
static inline clv_w clv_w_root(clv_w x)
{
    for (int i = 0; i < CLV_LANES; i++)
        x[i] = __builtin_sqrt(x[i]);
    return x;
}
static inline clv_w clv_w_above(clv_w a, clv_w b)
{
    clv_w_mask m = a > b;
    return (clv_w)(m & (clv_w_mask)clv_w_fill(1.0));
}
/* all bits set where a <= b (not for NaN), where the integer is odd */
static inline clv_w_mask clv_w_at_most(clv_w a, clv_w b) { return a <= b; }
static inline clv_w_mask clv_w_odd(clv_w_mask m) { return -(m & 1); }
static inline clv_w_mask clv_w_bits(clv_w x) { return (clv_w_mask)x; }
static inline clv_w clv_w_of_bits(clv_w_mask m) { return (clv_w)m; }
static inline void clv_w_eight(clv_w *v, double a, double b, double c, double d, double e, double f, double g, double h)
{
#if CLV_LANES == 2
    v[0] = (clv_w){a, b}, v[1] = (clv_w){c, d}, v[2] = (clv_w){e, f}, v[3] = (clv_w){g, h};
#elif CLV_LANES == 4
    v[0] = (clv_w){a, b, c, d}, v[1] = (clv_w){e, f, g, h};
#else
    v[0] = (clv_w){a, b, c, d, e, f, g, h};
#endif
}
static inline clv_w_mask clv_w_settled(clv_w_mask m)
{
#if CLV_LANES == 2 && defined(__SSE2__)
    __asm__("" : "+x"(m));
#endif
    return m;
}
static inline clv_w clv_w_take(double *const *p, int k)
{
#if CLV_LANES == 2
    return (clv_w){p[0][k], p[1][k]};
#elif CLV_LANES == 4
    return (clv_w){p[0][k], p[1][k], p[2][k], p[3][k]};
#else
    return (clv_w){p[0][k], p[1][k], p[2][k], p[3][k], p[4][k], p[5][k], p[6][k], p[7][k]};
#endif
}
static inline void clv_w_give(double *const *p, int k, clv_w x)
{
    for (int l = 0; l < CLV_LANES; l++)
        p[l][k] = x[l];
}
/* lanes of two vectors: lane l is number which[l] of [a b] */
static inline clv_w clv_w_pick(clv_w a, clv_w b, clv_w_mask which)
{
#if CLV_LANES == 8 && defined(__AVX512F__) && defined(__clang__)
    return __builtin_ia32_vpermi2varpd512(a, which, b);
#elif CLV_LANES == 8 && defined(__AVX512F__)
    return __builtin_shuffle(a, b, which); /* the same instruction */
#else
    clv_w x = a;
    for (int l = 0; l < CLV_LANES; l++)
        x[l] = which[l] < CLV_LANES ? a[which[l]] : b[which[l] - CLV_LANES];
    return x;
#endif
}
#endif
static inline clv_w_mask clv_w_integers(const long long *p)
{
    clv_w_mask m;
    __builtin_memcpy(&m, p, sizeof m);
    return m;
}
#endif

/* Six numbers side by side, as three pairs: 6-vectors and blocks of six columns in dense parts.  Each has its own sum,
 * so the bits are those of plain loops. */
typedef double clv_two __attribute__((vector_size(16)));
typedef double clv_two_stored __attribute__((vector_size(16), aligned(8), may_alias));
/* four numbers side by side at any place, in lane sources */
typedef double clv_four __attribute__((vector_size(32), aligned(8), may_alias));
typedef struct clv_six {
    clv_two a, b, c;
} clv_six;
static inline clv_six clv_six_load(const double *p)
{
    const clv_two_stored *q = (const clv_two_stored *)p;
    return (clv_six){q[0], q[1], q[2]};
}
static inline void clv_six_store(double *p, clv_six x)
{
    clv_two_stored *q = (clv_two_stored *)p;
    q[0] = x.a, q[1] = x.b, q[2] = x.c;
}
/* x + f y, x - f y */
static inline clv_six clv_six_add(clv_six x, double f, clv_six y)
{
    const clv_two g = {f, f};
    return (clv_six){x.a + g * y.a, x.b + g * y.b, x.c + g * y.c};
}
static inline clv_six clv_six_sub(clv_six x, double f, clv_six y)
{
    const clv_two g = {f, f};
    return (clv_six){x.a - g * y.a, x.b - g * y.b, x.c - g * y.c};
}
static inline clv_six clv_six_times(clv_six x, double f)
{
    const clv_two g = {f, f};
    return (clv_six){x.a * g, x.b * g, x.c * g};
}
static inline clv_six clv_six_over(clv_six x, double f)
{
    const clv_two g = {f, f};
    return (clv_six){x.a / g, x.b / g, x.c / g};
}

#endif
