/* SPDX-License-Identifier: Apache-2.0
 * Roots of whole degree by arithmetic alone.  The pow of the C library has other last bits on other machines; a step
 * size that depends on it would spoil the bits of the whole run. */
#ifndef CLV_MATH_ROOT_H
#define CLV_MATH_ROOT_H

/* x^(1/n) for x >= 0 (also infinity), 1 <= n <= 64; a few units in the last place.  NaN for x < 0 or NaN. */
double clv_root(double x, int n);

#endif
