/* SPDX-License-Identifier: Apache-2.0
 * 3-vectors, 3x3 matrices and quaternions as plain arrays (T1, T3).
 * Matrices are row major double[9]; a rotation's columns are the axes of the turned frame.  Quaternions are w, x, y,
 * z; the matrix of e takes body components to the frame e is relative to.  Products follow matrices: R(a o b) = R(a)
 * R(b). clv_dot3 and clv_cross come from spatial.h. */
#ifndef CLV_MATH_ROTATION_H
#define CLV_MATH_ROTATION_H
#include "math/spatial.h"

#include <math.h>

static inline void clv_copy3(double y[3], const double a[3])
{
    y[0] = a[0], y[1] = a[1], y[2] = a[2];
}
static inline void clv_sub3(double y[3], const double a[3], const double b[3])
{
    y[0] = a[0] - b[0], y[1] = a[1] - b[1], y[2] = a[2] - b[2];
}
/* y += s a */
static inline void clv_axpy3(double y[3], double s, const double a[3])
{
    y[0] += s * a[0], y[1] += s * a[1], y[2] += s * a[2];
}
static inline double clv_norm3(const double a[3]) { return sqrt(clv_dot3(a, a)); }

/* y = M x; y may not be x */
static inline void clv_mat3_times(double y[3], const double M[9], const double x[3])
{
    for (int i = 0; i < 3; i++)
        y[i] = M[3 * i] * x[0] + M[3 * i + 1] * x[1] + M[3 * i + 2] * x[2];
}
/* y = M^T x; y may not be x */
static inline void clv_mat3_transpose_times(double y[3], const double M[9], const double x[3])
{
    for (int i = 0; i < 3; i++)
        y[i] = M[i] * x[0] + M[3 + i] * x[1] + M[6 + i] * x[2];
}
/* C = A B; C may be neither */
static inline void clv_mat3_product(double C[9], const double A[9], const double B[9])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            C[3 * i + k] = A[3 * i] * B[k] + A[3 * i + 1] * B[3 + k] + A[3 * i + 2] * B[6 + k];
}
/* C = A^T B */
static inline void clv_mat3_transpose_product(double C[9], const double A[9], const double B[9])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            C[3 * i + k] = A[i] * B[k] + A[3 + i] * B[3 + k] + A[6 + i] * B[6 + k];
}
/* C = A B^T */
static inline void clv_mat3_product_transpose(double C[9], const double A[9], const double B[9])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            C[3 * i + k] = A[3 * i] * B[3 * k] + A[3 * i + 1] * B[3 * k + 1] + A[3 * i + 2] * B[3 * k + 2];
}
static inline void clv_mat3_column(double y[3], const double M[9], int k)
{
    y[0] = M[k], y[1] = M[3 + k], y[2] = M[6 + k];
}
static inline void clv_mat3_identity(double M[9])
{
    for (int i = 0; i < 9; i++)
        M[i] = i % 4 == 0;
}

/* c = a o b; c may be a or b */
static inline void clv_quat_product(double c[4], const double a[4], const double b[4])
{
    double w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    double x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    double y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    double z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
    c[0] = w, c[1] = x, c[2] = y, c[3] = z;
}
static inline void clv_quat_conjugate(double c[4], const double a[4])
{
    c[0] = a[0], c[1] = -a[1], c[2] = -a[2], c[3] = -a[3];
}
static inline double clv_quat_norm(const double e[4])
{
    return sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
}
static inline void clv_quat_normalize(double e[4])
{
    double s = 1 / clv_quat_norm(e);
    for (int i = 0; i < 4; i++)
        e[i] *= s;
}
/* Rotation matrix of e/|e|: a rotation to rounding whatever |e| > 0 is (integrators keep |e| = 1 only to their
 * order). */
static inline void clv_quat_rotation(double R[9], const double e[4])
{
    double w = e[0], x = e[1], y = e[2], z = e[3], s = 2 / (w * w + x * x + y * y + z * z);
    double xx = s * x * x, yy = s * y * y, zz = s * z * z;
    double xy = s * x * y, xz = s * x * z, yz = s * y * z, wx = s * w * x, wy = s * w * y, wz = s * w * z;
    R[0] = 1 - (yy + zz), R[1] = xy - wz, R[2] = xz + wy;
    R[3] = xy + wz, R[4] = 1 - (xx + zz), R[5] = yz - wx;
    R[6] = xz - wy, R[7] = yz + wx, R[8] = 1 - (xx + yy);
}
/* edot = 1/2 e o [0, w], w in body axes (rad/s) */
static inline void clv_quat_rate(double edot[4], const double e[4], const double w[3])
{
    double half[4] = {0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]};
    clv_quat_product(edot, e, half);
}

/* Unit quaternion of a rotation matrix, w >= 0 (Shepperd: the largest of the four components is found first). */
void clv_quat_from_rotation(double e[4], const double R[9]);
/* Unit quaternion of the turn by `angle` (rad) about `axis` (any length > 0). */
void clv_quat_axis_angle(double e[4], const double axis[3], double angle);
/* Unit quaternion of a rotation vector (rad). */
void clv_quat_exp(double e[4], const double phi[3]);
/* Rotation vector of e, length <= pi; full relative accuracy for small turns. */
void clv_quat_log(double phi[3], const double e[4]);
/* Rotation vector of a rotation matrix, length <= pi. */
void clv_rotation_log(double phi[3], const double R[9]);
/* Rotates about one axis (0 x, 1 y, 2 z) by an angle (rad). */
void clv_rotation_about(double R[9], int axis, double angle);
/* Rotation whose z axis is along `axis` (length > 0) and whose x axis is near `x`; x all zero: the global axis least
 * parallel to z, made orthogonal.  Returns 0 (R untouched) if axis is zero or x is parallel to it within 1e-9. */
int clv_rotation_frame(double R[9], const double axis[3], const double x[3]);
/* Eigenvalues of the symmetric matrix J (xx yy zz xy xz yz), ascending. */
void clv_principal_moments(double moment[3], const double J[6]);

#endif
