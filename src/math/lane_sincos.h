/* SPDX-License-Identifier: Apache-2.0
 * Sine and cosine in lanes: one straight line of code without branches, the same bits for every width.
 *
 * Reduction: x = n pi/2 + r + e.  Five parts make up pi/2, the first four of 22 bits each on fixed grids, so that n *
 * part is exact for |n| <= 2^30.  The first two differences are then exact too (the remainder stays below 2^8 on a grid
 * of 2^-43).  The last three carry their rounding error e along.  Total error of r + e about 2^-107: enough for the
 * double nearest to a multiple of pi/2. Polynomials: Chebyshev interpolation on the reduced range, errors 2e-17 (sin),
 * 2e-18 (cos), our own fits. */
#ifndef CLV_MATH_LANE_SINCOS_H
#define CLV_MATH_LANE_SINCOS_H
#include <math.h>
#include "math/lane.h"

/* (sin(sqrt z)/sqrt z - 1)/z on [0, (pi/4)^2] */
static inline clv_w clv_w_sine_tail(clv_w z)
{
    return -0x1.5555555555555p-3 +
           z * (0x1.1111111110bb1p-7 +
                z * (-0x1.a01a019e8357dp-13 +
                     z * (0x1.71de37961e4c6p-19 + z * (-0x1.ae600a926c89ap-26 + z * 0x1.5e0af186af739p-33))));
}

/* (cos(sqrt z) - 1 + z/2)/z^2 on [0, (pi/4)^2] */
static inline clv_w clv_w_cosine_tail(clv_w z)
{
    return 0x1.5555555555555p-5 +
           z * (-0x1.6c16c16c16966p-10 +
                z * (0x1.a01a019f4e867p-16 +
                     z * (-0x1.27e4fa17a41b4p-22 + z * (0x1.1eeb68b109173p-29 + z * -0x1.907d7aebd5e3dp-37))));
}

/* *r - p exactly as *r + *e (Knuth's two-sum, no assumption on the sizes) */
static inline void clv_w_subtract(clv_w *r, clv_w *e, clv_w p)
{
    clv_w t = *r - p, back = t - *r;
    *e += (*r - (t - back)) - (p + back);
    *r = t;
}

/* *s = sin x, *c = cos x as clv_sincos; NaN beyond its limit. */
static inline void clv_w_sincos(clv_w x, clv_w *s, clv_w *c)
{
    const clv_w round = clv_w_fill(0x1.8p52); /* adding it rounds to an integer, which then sits in the low bits */
    const clv_w whole = x * 0x1.45f306dc9c883p-1 + round, n = whole - round;
    const clv_w_mask k = clv_w_bits(whole), odd = clv_w_odd(k);
    clv_w r = x - n * 0x1.921fb00000000p+0, e = clv_w_fill(0.0);
    r -= n * 0x1.5110b00000000p-22; /* exact, like the line before */
    clv_w_subtract(&r, &e, n * 0x1.1846980000000p-44);
    clv_w_subtract(&r, &e, n * 0x1.3198800000000p-69);
    clv_w_subtract(&r, &e, n * 0x1.1701b839a2520p-88);

    /* with e as a first-order correction: sin(r+e) = sin r + e cos r, cos(r+e) = cos r - e sin r */
    const clv_w z = r * r, half = 0.5 * z, w = 1.0 - half;
    const clv_w sine = r + (r * z * clv_w_sine_tail(z) + e * w);
    const clv_w cosine = w + (((1.0 - w) - half) + (z * z * clv_w_cosine_tail(z) - r * e));
    const clv_w_mask a = (odd & clv_w_bits(cosine)) | (~odd & clv_w_bits(sine));
    const clv_w_mask b = (odd & clv_w_bits(sine)) | (~odd & clv_w_bits(cosine));
    const clv_w_mask sign = clv_w_bits(clv_w_fill(-0.0)), limit = clv_w_bits(clv_w_fill(NAN));
    const clv_w size = clv_w_of_bits(clv_w_bits(x) & ~sign); /* n <= 2^30 */
    const clv_w bad = clv_w_of_bits(~clv_w_at_most(size, clv_w_fill(0x1.9p30)) & limit);
    *s = clv_w_of_bits(a ^ (clv_w_odd(k >> 1) & sign)) + bad;
    *c = clv_w_of_bits(b ^ (clv_w_odd((k + 1) >> 1) & sign)) + bad;
}

#endif
