/* SPDX-License-Identifier: Apache-2.0
 * Rotations that need a sine, an arc tangent or a decision (T1, T3). */
#include "math/rotation.h"

#include "math/sincos.h"

/* Shepperd: 4 e_k^2 = 1 + (trace or 2 R_kk - trace); dividing by the largest e_k loses no digits. */
void clv_quat_from_rotation(double e[4], const double R[9])
{
    double trace = R[0] + R[4] + R[8];
    int k = 0;
    double largest = trace;
    for (int i = 0; i < 3; i++)
        if (R[4 * i] > largest)
            k = i + 1, largest = R[4 * i];
    if (k == 0) {
        e[0] = 1 + trace, e[1] = R[7] - R[5], e[2] = R[2] - R[6], e[3] = R[3] - R[1];
    } else if (k == 1) {
        e[0] = R[7] - R[5], e[1] = 1 + R[0] - R[4] - R[8], e[2] = R[1] + R[3], e[3] = R[2] + R[6];
    } else if (k == 2) {
        e[0] = R[2] - R[6], e[1] = R[1] + R[3], e[2] = 1 - R[0] + R[4] - R[8], e[3] = R[5] + R[7];
    } else {
        e[0] = R[3] - R[1], e[1] = R[2] + R[6], e[2] = R[5] + R[7], e[3] = 1 - R[0] - R[4] + R[8];
    }
    clv_quat_normalize(e);
    if (e[0] < 0)
        for (int i = 0; i < 4; i++)
            e[i] = -e[i];
}

void clv_quat_axis_angle(double e[4], const double axis[3], double angle)
{
    double s, c, n = clv_norm3(axis);
    clv_sincos(0.5 * angle, &s, &c);
    e[0] = c;
    for (int i = 0; i < 3; i++)
        e[1 + i] = s * (axis[i] / n);
}

void clv_quat_exp(double e[4], const double phi[3])
{
    double angle = clv_norm3(phi), s, c, scale = 0.5;
    clv_sincos(0.5 * angle, &s, &c);
    if (angle > 1e-150) /* below, the square underflows and sin(a/2)/a is 1/2 */
        scale = s / angle;
    e[0] = c;
    for (int i = 0; i < 3; i++)
        e[1 + i] = scale * phi[i];
}

void clv_quat_log(double phi[3], const double e[4])
{
    double sign = e[0] < 0 ? -1 : 1, w = sign * e[0], s = clv_norm3(e + 1);
    double scale = 2 / (w > 0 ? w : 1);
    if (s > 1e-150)
        scale = 2 * clv_atan2(s, w) / s;
    for (int i = 0; i < 3; i++)
        phi[i] = sign * scale * e[1 + i];
}

void clv_rotation_log(double phi[3], const double R[9])
{
    double e[4];
    clv_quat_from_rotation(e, R);
    clv_quat_log(phi, e);
}

void clv_rotation_about(double R[9], int axis, double angle)
{
    int i = (axis + 1) % 3, k = (axis + 2) % 3;
    double s, c;
    clv_sincos(angle, &s, &c);
    clv_mat3_identity(R);
    R[4 * i] = c, R[3 * i + k] = -s;
    R[3 * k + i] = s, R[4 * k] = c;
}

int clv_rotation_frame(double R[9], const double axis[3], const double x[3])
{
    double n = clv_norm3(axis), z[3], near[3], y[3];
    if (!(n > 0) || !isfinite(n))
        return 0;
    for (int i = 0; i < 3; i++)
        z[i] = axis[i] / n, near[i] = x[i];
    double length = clv_norm3(near);
    if (length == 0) {
        int k = fabs(z[1]) < fabs(z[0]) ? 1 : 0;
        if (fabs(z[2]) < fabs(z[k]))
            k = 2;
        near[k] = length = 1;
    }
    clv_cross(y, z, near);
    n = clv_norm3(y);
    if (!(n > 1e-9 * length))
        return 0;
    for (int i = 0; i < 3; i++)
        y[i] /= n;
    clv_cross(near, y, z);
    for (int i = 0; i < 3; i++)
        R[3 * i] = near[i], R[3 * i + 1] = y[i], R[3 * i + 2] = z[i];
    return 1;
}

/* One Jacobi rotation in the plane (i, k); l is the third index. */
static void jacobi(double A[3][3], int i, int k, int l)
{
    if (A[i][k] == 0)
        return;
    double theta = (A[k][k] - A[i][i]) / (2 * A[i][k]);
    double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1)); /* tangent of the smaller angle */
    double c = 1 / sqrt(t * t + 1), s = t * c, il = A[i][l], kl = A[k][l];
    A[i][i] -= t * A[i][k], A[k][k] += t * A[i][k];
    A[i][k] = A[k][i] = 0;
    A[i][l] = A[l][i] = c * il - s * kl;
    A[k][l] = A[l][k] = s * il + c * kl;
}

void clv_principal_moments(double moment[3], const double J[6])
{
    double A[3][3] = {{J[0], J[3], J[4]}, {J[3], J[1], J[5]}, {J[4], J[5], J[2]}};
    for (int sweep = 0; sweep < 12; sweep++) /* quadratic: five sweeps reach rounding */
        jacobi(A, 0, 1, 2), jacobi(A, 0, 2, 1), jacobi(A, 1, 2, 0);
    for (int i = 0; i < 3; i++)
        moment[i] = A[i][i];
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2 - i; k++)
            if (moment[k] > moment[k + 1]) {
                double swap = moment[k];
                moment[k] = moment[k + 1], moment[k + 1] = swap;
            }
}
