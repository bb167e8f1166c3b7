/* SPDX-License-Identifier: Apache-2.0
 * Relative pose of joint frame B in joint frame A from coordinates, its inverse, and the kinematics of coordinates
 * (T1): revolute Rz(q); universal Rx(q1) Ry(q2); planar d = (x, y, 0), Rz; cylindrical d = (0, 0, q1), Rz(q2);
 * quaternions w first. `coordinates` takes any relative pose and gives the nearest coordinates: closing joints and
 * start poses fit only roughly. */
#include "model/joint_pose.h"

#include "math/rotation.h"
#include "math/sincos.h"

#include <string.h>

/* Rotation about z nearest to R (least squares). */
static double angle_z(const double R[9]) { return clv_atan2(R[3] - R[1], R[0] + R[4]); }

double clv_screw_angle(double pitch, const double R[9], double shift)
{
    double angle = angle_z(R), turn = (shift / pitch - angle) / (2 * CLV_PI);
    return angle + 2 * CLV_PI * floor(turn + 0.5);
}

static void set3(double d[3], double x, double y, double z) { d[0] = x, d[1] = y, d[2] = z; }

void clv_joint_pose_none(const clv_joint *j, const double *q, double R[9], double d[3])
{
    (void)j, (void)q;
    clv_mat3_identity(R);
    set3(d, 0, 0, 0);
}
void clv_joint_coordinates_none(const clv_joint *j, const double R[9], const double d[3], double *q)
{
    (void)j, (void)R, (void)d, (void)q;
}

void clv_joint_pose_revolute(const clv_joint *j, const double *q, double R[9], double d[3])
{
    (void)j;
    clv_rotation_about(R, 2, q[0]);
    set3(d, 0, 0, 0);
}
void clv_joint_coordinates_revolute(const clv_joint *j, const double R[9], const double d[3], double *q)
{
    (void)j, (void)d;
    q[0] = angle_z(R);
}

void clv_joint_pose_prismatic(const clv_joint *j, const double *q, double R[9], double d[3])
{
    (void)j;
    clv_mat3_identity(R);
    set3(d, 0, 0, q[0]);
}
void clv_joint_coordinates_prismatic(const clv_joint *j, const double R[9], const double d[3], double *q)
{
    (void)j, (void)R;
    q[0] = d[2];
}

void clv_joint_pose_helical(const clv_joint *j, const double *q, double R[9], double d[3])
{
    clv_rotation_about(R, 2, q[0]);
    set3(d, 0, 0, j->more->pitch * q[0]);
}
/* The translation determines the turn, so this angle is not folded into (-pi, pi]. */
void clv_joint_coordinates_helical(const clv_joint *j, const double R[9], const double d[3], double *q)
{
    q[0] = clv_screw_angle(j->more->pitch, R, d[2]);
}

void clv_joint_pose_cylindrical(const clv_joint *j, const double *q, double R[9], double d[3])
{
    (void)j;
    clv_rotation_about(R, 2, q[1]);
    set3(d, 0, 0, q[0]);
}
void clv_joint_coordinates_cylindrical(const clv_joint *j, const double R[9], const double d[3], double *q)
{
    (void)j;
    q[0] = d[2];
    q[1] = angle_z(R);
}

/* Rx Ry = [c2 0 s2; s1 s2 c1 -s1 c2; -c1 s2 s1 c1 c2]: q1 from yB = (0, c1, s1), q2 from the first row */
void clv_joint_pose_universal(const clv_joint *j, const double *q, double R[9], double d[3])
{
    double x[9], y[9];
    (void)j;
    clv_rotation_about(x, 0, q[0]);
    clv_rotation_about(y, 1, q[1]);
    clv_mat3_product(R, x, y);
    set3(d, 0, 0, 0);
}
void clv_joint_coordinates_universal(const clv_joint *j, const double R[9], const double d[3], double *q)
{
    (void)j, (void)d;
    q[0] = clv_atan2(R[7], R[4]);
    q[1] = clv_atan2(R[2], R[0]);
}

void clv_joint_pose_planar(const clv_joint *j, const double *q, double R[9], double d[3])
{
    (void)j;
    clv_rotation_about(R, 2, q[2]);
    set3(d, q[0], q[1], 0);
}
void clv_joint_coordinates_planar(const clv_joint *j, const double R[9], const double d[3], double *q)
{
    (void)j;
    q[0] = d[0], q[1] = d[1];
    q[2] = angle_z(R);
}

void clv_joint_pose_spherical(const clv_joint *j, const double *q, double R[9], double d[3])
{
    (void)j;
    clv_quat_rotation(R, q);
    set3(d, 0, 0, 0);
}
void clv_joint_coordinates_spherical(const clv_joint *j, const double R[9], const double d[3], double *q)
{
    (void)j, (void)d;
    clv_quat_from_rotation(q, R);
}

void clv_joint_pose_free(const clv_joint *j, const double *q, double R[9], double d[3])
{
    (void)j;
    clv_quat_rotation(R, q + 3);
    clv_copy3(d, q);
}
void clv_joint_coordinates_free(const clv_joint *j, const double R[9], const double d[3], double *q)
{
    (void)j;
    clv_copy3(q, d);
    clv_quat_from_rotation(q + 3, R);
}

/* ------------------------------------------------------------------ kinematics of coordinates */

/* Place of the quaternion in q, and of its angular velocity in u (equal: one coordinate more than rates follows
 * them); -1: none. */
static int quaternion_at(clv_joint_kind kind)
{
    const clv_joint_row *row = &clv_joint_table[kind];
    return row->nq > row->nu ? row->nu - 3 : -1;
}

void clv_joint_qdot(clv_joint_kind kind, const double *q, const double *u, double *qdot)
{
    int k = quaternion_at(kind), n = k < 0 ? clv_joint_table[kind].nu : k;
    for (int i = 0; i < n; i++)
        qdot[i] = u[i];
    if (k >= 0)
        clv_quat_rate(qdot + k, q + k, u + k); /* e' = 1/2 e o [0, u] */
}

void clv_joint_zero(clv_joint_kind kind, double *q)
{
    int k = quaternion_at(kind);
    for (int i = 0; i < clv_joint_table[kind].nq; i++)
        q[i] = i == k;
}

void clv_joint_displace(clv_joint_kind kind, double *q, const double *du)
{
    int k = quaternion_at(kind), n = k < 0 ? clv_joint_table[kind].nu : k;
    for (int i = 0; i < n; i++)
        q[i] += du[i];
    if (k >= 0) {
        double step[4];
        clv_quat_exp(step, du + k);
        clv_quat_product(q + k, q + k, step);
        clv_quat_normalize(q + k);
    }
}

void clv_joint_normalize(clv_joint_kind kind, double *q)
{
    int k = quaternion_at(kind);
    if (k >= 0)
        clv_quat_normalize(q + k);
}

double clv_joint_moved(clv_joint_kind kind, const double *from, const double *to)
{
    int k = quaternion_at(kind), n = k < 0 ? clv_joint_table[kind].nu : k;
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(to[i] - from[i]));
    if (k >= 0) {
        double back[4], turn[4], angle[3];
        clv_quat_conjugate(back, from + k);
        clv_quat_product(turn, back, to + k);
        clv_quat_log(angle, turn);
        most = fmax(most, clv_norm3(angle));
    }
    return most;
}

bool clv_joint_shift(clv_joint_kind kind, int c)
{
    switch (kind) {
    case CLV_JOINT_PRISMATIC:
        return true;
    case CLV_JOINT_CYLINDRICAL:
        return c == 0;
    case CLV_JOINT_PLANAR:
        return c < 2;
    case CLV_JOINT_FREE:
        return c < 3;
    default:
        return false;
    }
}

bool clv_joint_angle(clv_joint_kind kind, int i)
{
    switch (kind) {
    case CLV_JOINT_REVOLUTE:
    case CLV_JOINT_UNIVERSAL:
        return true;
    case CLV_JOINT_CYLINDRICAL:
        return i == 1;
    case CLV_JOINT_PLANAR:
        return i == 2;
    default:
        return false;
    }
}
