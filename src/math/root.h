/* SPDX-License-Identifier: Apache-2.0
 * Roots of whole degree by arithmetic alone.  The pow of the C library has other last bits on other machines; a step
 * size that depends on it would spoil the bits of the whole run.  In lanes: lane_vector.h. */
#ifndef CLV_MATH_ROOT_H
#define CLV_MATH_ROOT_H

enum { CLV_ROOT_STEPS = 200 }; /* of Newton's method, at most */

/* x^(1/n) for x >= 0 (also infinity), 1 <= n <= 64; a few units in the last place.  NaN for x < 0 or NaN. */
double clv_root(double x, int n);
/* Of x > 0, finite: the number below 2^n, of which Newton's method makes the root from 2 downwards, and what that root
 * is multiplied by, as a power of two. */
double clv_root_begin(double x, int n, int *whole);
double clv_root_end(double z, int whole);

#endif
