/* SPDX-License-Identifier: Apache-2.0
 * Inertias that rigid bodies can have: principal moments a, b, c with a <= b + c and so on (none is then negative).
 * These make a cone with three sides and three edges.  The nearest point of it, in the space of the moments, with the
 * axes kept, is also the nearest of all symmetric matrices. */
#include "model/inertia.h"
#include "math/rotation.h"
#include "math/symmetric.h"
#include <math.h>
#include <string.h>

double clv_moments_excess(const double m[3])
{
    return fmax(0, fmax(-m[0], m[2] - m[0] - m[1]));
}

static double distance(const double a[3], const double b[3])
{
    double d[3];
    clv_sub3(d, a, b);
    return clv_dot3(d, d);
}

/* y becomes the nearest of the cone's candidates that lies in the cone */
static void nearest_moments(const double x[3], double y[3])
{
    double candidate[7][3] = {{0}}; /* apex, edges (0, 1, 1).., sides a + b - c = 0.. */
    double best = INFINITY, size = fabs(x[0]) + fabs(x[1]) + fabs(x[2]);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double along = fmax(0, (x[j] + x[k]) / 2), off = (x[j] + x[k] - x[i]) / 3;
        candidate[1 + i][j] = candidate[1 + i][k] = along;
        candidate[4 + i][i] = x[i] + off, candidate[4 + i][j] = x[j] - off, candidate[4 + i][k] = x[k] - off;
    }
    for (int q = 0; q < 7; q++) {
        const double *c = candidate[q];
        double least = fmin(c[0] + c[1] - c[2], fmin(c[1] + c[2] - c[0], c[2] + c[0] - c[1]));
        if (least >= -1e-15 * size && distance(c, x) < best)
            best = distance(c, x), memcpy(y, c, 3 * sizeof(double));
    }
}

void clv_inertia_clip(double J[6])
{
    double A[9] = {J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2]}, V[9], x[3], y[3] = {0};
    clv_symmetric_eigen(x, V, A, 3);
    nearest_moments(x, y);
    static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    for (int e = 0; e < 6; e++) {
        J[e] = 0;
        for (int k = 0; k < 3; k++)
            J[e] += V[3 * at[e][0] + k] * y[k] * V[3 * at[e][1] + k];
    }
}
