/* SPDX-License-Identifier: Apache-2.0
 * Exponential, logarithm and power without the C library, so that every compiler and machine with IEEE doubles gives
 * the same bits.  For formulas in model files (io/expression.c); no rate evaluation calls them. */
#ifndef CLV_MATH_EXP_LOG_H
#define CLV_MATH_EXP_LOG_H

/* e^x; error below 2 units in the last place.  Infinity above 709.8, 0 below -745.2; NaN for NaN. */
double clv_exp(double x);
/* Natural logarithm; error below 2 units in the last place.  NaN for x <= 0, infinity and NaN. */
double clv_log(double x);
/* x^y: by multiplication for whole y up to 2^31 in size, by sqrt for y = 0.5, else exp(y log x), where the relative
 * error grows with |y log x| (1e-14 at 30).  0^y = 0 for y > 0, and 0^0 = 1; NaN for a negative x with a broken y. */
double clv_power(double x, double y);

#endif
