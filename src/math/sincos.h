/* SPDX-License-Identifier: Apache-2.0
 * Sine, cosine and arc tangent without the C library, so that every compiler and machine with IEEE doubles gives the
 * same bits. The library's state path uses no other transcendental function. */
#ifndef CLV_MATH_SINCOS_H
#define CLV_MATH_SINCOS_H

#define CLV_PI 3.14159265358979323846

/* *s = sin x, *c = cos x; error below 1 unit in the last place for |x| <= 1.6e9 rad.
 * Beyond (a drive at 1000 rad/s gets there in 18 days), and for NaN and infinities, both are NaN. */
void clv_sincos(double x, double *s, double *c);
/* Angle of the point (x, y) in [-pi, pi]; error below 2 units in the last place; 0 for (0, 0). */
double clv_atan2(double y, double x);

#endif
