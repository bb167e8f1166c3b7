/* SPDX-License-Identifier: Apache-2.0
 * (j + 1) P_(j+1) = (2 j + 1) x P_j - j P_(j-1);  int P_j dx = (P_(j+1) - P_(j-1)) / (2 j + 1), which vanishes at x =
 * -1 for j > 0; x = 2 s - 1 halves every integral.  Points by Newton's method from the usual cosine. */
#include "math/legendre.h"

#include "math/sincos.h"

#include <math.h>

void clv_legendre(double *P, int n, double s)
{
    double x = 2 * s - 1;
    for (int j = 0; j < n; j++)
        P[j] = j == 0 ? 1 : j == 1 ? x : ((2 * j - 1) * x * P[j - 1] - (j - 1) * P[j - 2]) / j;
}

void clv_legendre_once(double *I, const double *P, int n, double s)
{
    for (int j = 0; j < n; j++)
        I[j] = j == 0 ? s : (P[j + 1] - P[j - 1]) / (2 * (2 * j + 1));
}

void clv_legendre_twice(double *II, const double *P, int n, double s)
{
    for (int j = 0; j < n; j++)
        II[j] = j == 0   ? s * s / 2
                : j == 1 ? s * s * (s / 3 - 0.5)
                         : ((P[j + 2] - P[j]) / (2 * j + 3) - (P[j] - P[j - 2]) / (2 * j - 1)) / (4 * (2 * j + 1));
}

/* P_n and its derivative at x, |x| < 1. */
static double polynomial(int n, double x, double *slope)
{
    double before = 1, now = x;
    for (int j = 2; j <= n; j++) {
        double next = ((2 * j - 1) * x * now - (j - 1) * before) / j;
        before = now;
        now = next;
    }
    *slope = n * (x * now - before) / (x * x - 1);
    return now;
}

void clv_gauss(double *s, double *weight, int n)
{
    for (int i = 0; i < n; i++) {
        double sine, x, slope = 1, before = 2;
        clv_sincos(CLV_PI * (i + 0.75) / (n + 0.5), &sine, &x);
        for (int k = 0; k < 8 && x != before; k++) {
            before = x;
            x -= (n == 1 ? x : polynomial(n, x, &slope)) / slope;
        }
        if (n > 1)
            polynomial(n, x, &slope);
        s[n - 1 - i] = 0.5 * (1 + x);
        weight[n - 1 - i] = 1 / ((1 - x * x) * slope * slope);
    }
}
