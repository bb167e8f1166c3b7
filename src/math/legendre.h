/* SPDX-License-Identifier: Apache-2.0
 * Legendre polynomials on [0, 1] with their integrals from 0, and the points of Gauss: what beams are integrated with
 * (T32.3).  Arithmetic alone. */
#ifndef CLV_MATH_LEGENDRE_H
#define CLV_MATH_LEGENDRE_H

/* P_0 .. P_(n-1) at 2 s - 1. */
void clv_legendre(double *P, int n, double s);
/* Integrals from 0 of those, and integrals of the integrals: I, II (n each); P has n + 2 numbers of clv_legendre. */
void clv_legendre_once(double *I, const double *P, int n, double s);
void clv_legendre_twice(double *II, const double *P, int n, double s);
/* n points in (0, 1), ascending, and weights with sum 1: exact for polynomials up to degree 2 n - 1. */
void clv_gauss(double *s, double *weight, int n);

#endif
