/* SPDX-License-Identifier: Apache-2.0
 * The table of joint kinds (T1): free directions H, constrained directions D, their rates, and position errors. Most
 * columns are one axis of one joint frame in one half of the 6-vector, so a kind is a list of such columns.  Only the
 * universal joint's couple, the screw's two columns, the distance's line of sight, rows at a contact (T68) and
 * normals of a curve (T121) are computed.  Relative poses and coordinates are in joint_pose.c.  Everything is LOCAL: at
 * the joint point O on body b, global axes (mathematics: HDCA17, section 2). */
#include "model/joint_pose.h"

#include "math/rotation.h"
#include "model/curve.h"
#include "model/joint.h"
#include "model/joint_columns.h"

#include <string.h>

#define LIN(frame, axis) (LINEAR | OF_##frame | (axis))
#define ANG(frame, axis) (ANGULAR | OF_##frame | (axis))

const clv_joint_columns clv_joint_column_table[CLV_JOINT_KINDS] = {
    [CLV_JOINT_FIXED] = {.D = {LIN(B, X), LIN(B, Y), LIN(B, Z), ANG(B, X), ANG(B, Y), ANG(B, Z)}},
    [CLV_JOINT_REVOLUTE] = {.H = {ANG(B, Z)}, .D = {LIN(B, X), LIN(B, Y), LIN(B, Z), ANG(B, X), ANG(B, Y)}},
    [CLV_JOINT_PRISMATIC] = {.H = {LIN(A, Z)}, .D = {LIN(B, X), LIN(B, Y), ANG(B, X), ANG(B, Y), ANG(B, Z)}},
    [CLV_JOINT_HELICAL] = {.H = {SCREW_FREE}, .D = {LIN(B, X), LIN(B, Y), ANG(B, X), ANG(B, Y), SCREW_FIXED}},
    [CLV_JOINT_CYLINDRICAL] = {.H = {LIN(B, Z), ANG(B, Z)}, .D = {LIN(B, X), LIN(B, Y), ANG(B, X), ANG(B, Y)}},
    [CLV_JOINT_UNIVERSAL] = {.H = {ANG(A, X), ANG(B, Y)}, .D = {LIN(B, X), LIN(B, Y), LIN(B, Z), COUPLE}},
    [CLV_JOINT_PLANAR] = {.H = {LIN(A, X), LIN(A, Y), ANG(B, Z)}, .D = {LIN(B, Z), ANG(B, X), ANG(B, Y)}},
    [CLV_JOINT_SPHERICAL] = {.H = {ANG(B, X), ANG(B, Y), ANG(B, Z)}, .D = {LIN(B, X), LIN(B, Y), LIN(B, Z)}},
    [CLV_JOINT_FREE] = {.H = {LIN(A, X), LIN(A, Y), LIN(A, Z), ANG(B, X), ANG(B, Y), ANG(B, Z)}},
    [CLV_JOINT_POINT] = {.D = {LIN(B, X), LIN(B, Y), LIN(B, Z)}},
    [CLV_JOINT_DISTANCE] = {.D = {SIGHT}},
    [CLV_JOINT_ROLLING_DISC] = {.D = {ROLL_Z, ROLL_X, ROLL_Y}},
    [CLV_JOINT_ROLLING_SPHERE] = {.D = {ROLL_Z, ROLL_X, ROLL_Y}},
    [CLV_JOINT_KNIFE_EDGE] = {.D = {LIN(B, Z)}},
    [CLV_JOINT_POINT_ON_CURVE] = {.D = {CURVE_1, CURVE_2}},
};

/* ------------------------------------------------------------------ columns and their rates */

/* The six axes as rows: [0..2] of A, [4..6] of B (so that a column's code is an index); [3], [7] unused. */
typedef struct axes {
    double axis[8][3];
} axes;

static void gather(axes *s, const clv_joint_place *at)
{
    for (int k = 0; k < 3; k++) {
        clv_mat3_column(s->axis[OF_A | k], at->Ea, k);
        clv_mat3_column(s->axis[OF_B | k], at->Eb, k);
    }
}

/* axis rate = omega of its carrier x axis */
static void gather_rates(axes *rate, const axes *s, const clv_joint_place *at)
{
    for (int k = 0; k < 3; k++) {
        clv_cross(rate->axis[OF_A | k], at->wa, s->axis[OF_A | k]);
        clv_cross(rate->axis[OF_B | k], at->wb, s->axis[OF_B | k]);
    }
}

/* c = xA x yB; for `rate`, by the product rule */
static double couple(double c[3], const axes *s)
{
    clv_cross(c, s->axis[OF_A | X], s->axis[OF_B | Y]);
    return clv_norm3(c);
}

/* ndot of n = x/|x| */
static void unit_rate(double ndot[3], const double n[3], double length, const double xdot[3])
{
    double along = clv_dot3(n, xdot);
    for (int i = 0; i < 3; i++)
        ndot[i] = (xdot[i] - along * n[i]) / length;
}

/* [l z; m z] with (l, m) = (h, 1) free, (1, -h)/sqrt(1 + h^2) constrained */
static void screw(double column[6], int code, double pitch, const double z[3])
{
    double s = 1 / sqrt(1 + pitch * pitch), l = code == SCREW_FREE ? pitch : s, m = code == SCREW_FREE ? 1 : -pitch * s;
    for (int i = 0; i < 3; i++)
        column[i] = l * z[i], column[3 + i] = m * z[i];
}

/* From the middle of a rolling body to its point next to the plane: -r zA; of a disc -r n, n the direction of zA across
 * zB (T68).  With `turning` also its rate.  Returns |zA across zB|, of a sphere 1. */
static double contact_arm(double arm[3], double arm_rate[3], const clv_joint *j, const axes *s, const axes *turning)
{
    const double *zA = s->axis[OF_A | Z], *zB = s->axis[OF_B | Z], r = j->more->radius;
    double n[3], ndot[3], length = 1;
    clv_copy3(n, zA);
    if (turning)
        clv_copy3(ndot, turning->axis[OF_A | Z]);
    if (j->kind == CLV_JOINT_ROLLING_DISC) {
        const double along = clv_dot3(zA, zB);
        clv_axpy3(n, -along, zB);
        length = clv_norm3(n);
        for (int i = 0; i < 3; i++)
            n[i] /= length;
        if (turning) {
            const double *zAd = turning->axis[OF_A | Z], *zBd = turning->axis[OF_B | Z];
            double xdot[3];
            clv_copy3(xdot, zAd);
            clv_axpy3(xdot, -(clv_dot3(zAd, zB) + clv_dot3(zA, zBd)), zB);
            clv_axpy3(xdot, -along, zBd);
            unit_rate(ndot, n, length, xdot);
        }
    }
    for (int i = 0; i < 3; i++) {
        arm[i] = -r * n[i];
        if (turning)
            arm_rate[i] = -r * ndot[i];
    }
    return length;
}

/* [e; c x e] of an axis e of a at the contact point, c its arm from O */
static void roll(double column[6], int code, const clv_joint *j, const axes *s)
{
    const double *e = s->axis[OF_A | (code - ROLL_X)];
    double arm[3];
    contact_arm(arm, NULL, j, s, NULL);
    clv_copy3(column, e);
    clv_cross(column + 3, arm, e);
}

static void roll_rate(double column[6], int code, const clv_joint *j, const axes *s, const axes *turning)
{
    const double *e = s->axis[OF_A | (code - ROLL_X)], *edot = turning->axis[OF_A | (code - ROLL_X)];
    double arm[3], arm_rate[3], part[3];
    contact_arm(arm, arm_rate, j, s, turning);
    clv_copy3(column, edot);
    clv_cross(column + 3, arm_rate, e);
    clv_cross(part, arm, edot);
    clv_axpy3(column + 3, 1, part);
}

/* The place of the curve of a that is nearest to b's point, and that point in its frame. */
static void nearest(const clv_joint *j, const clv_joint_place *at, double x[3], clv_curve_place *to)
{
    clv_mat3_transpose_times(x, at->Ea, at->d);
    clv_curve_nearest(j->more->curve, x, to);
}

/* A normal of the curve there (T121), global. */
static void normal(double column[6], int code, const clv_joint *j, const clv_joint_place *at)
{
    clv_curve_place near;
    double x[3];
    nearest(j, at, x, &near);
    clv_mat3_times(column, at->Ea, near.n[code - CURVE_1]);
}

static void normal_rate(double column[6], int code, const clv_joint *j, const clv_joint_place *at)
{
    clv_curve_place near;
    double x[3], v[3], swept[3], n[3], along[3];
    nearest(j, at, x, &near);
    clv_cross(swept, at->wa, at->d);
    clv_sub3(swept, at->dv, swept);
    clv_mat3_transpose_times(v, at->Ea, swept);
    const double speed = clv_curve_speed(&near, x, v);
    clv_mat3_times(n, at->Ea, near.n[code - CURVE_1]), clv_mat3_times(along, at->Ea, near.nd[code - CURVE_1]);
    clv_cross(column, at->wa, n);
    clv_axpy3(column, speed, along);
}

static void computed(double column[6], int code, const clv_joint *j, const clv_joint_place *at, const axes *s)
{
    double length;
    if (code == COUPLE) {
        length = couple(column + 3, s);
        for (int i = 3; i < 6; i++)
            column[i] /= length;
    } else if (code == SIGHT) {
        length = clv_norm3(at->d);
        for (int i = 0; i < 3; i++)
            column[i] = at->d[i] / length;
    } else if (code >= CURVE_1) {
        normal(column, code, j, at);
    } else if (code >= ROLL_X) {
        roll(column, code, j, s);
    } else {
        screw(column, code, j->more->pitch, s->axis[OF_B | Z]);
    }
}

static void computed_rate(double column[6], int code, const clv_joint *j, const clv_joint_place *at, const axes *s,
                          const axes *rate)
{
    double c[6] = {0}, xdot[3], part[3], length;
    if (code == COUPLE) {
        length = couple(xdot, s);
        computed(c, code, j, at, s);
        clv_cross(xdot, rate->axis[OF_A | X], s->axis[OF_B | Y]);
        clv_cross(part, s->axis[OF_A | X], rate->axis[OF_B | Y]);
        clv_axpy3(xdot, 1, part);
        unit_rate(column + 3, c + 3, length, xdot);
    } else if (code == SIGHT) {
        computed(c, code, j, at, s);
        unit_rate(column, c, clv_norm3(at->d), at->dv);
    } else if (code >= CURVE_1) {
        normal_rate(column, code, j, at);
    } else if (code >= ROLL_X) {
        roll_rate(column, code, j, s, rate);
    } else {
        screw(column, code, j->more->pitch, rate->axis[OF_B | Z]);
    }
}

/* The columns of `code`, or with `rate` their derivatives. */
static void fill(double *M, const unsigned char *code, int n, const clv_joint *j, const clv_joint_place *at,
                 const axes *s, const axes *rate)
{
    memset(M, 0, 6 * (size_t)n * sizeof *M);
    for (int c = 0; c < n; c++) {
        double *column = M + 6 * c;
        if (code[c] < COMPUTED)
            clv_copy3(column + ((code[c] & ANGULAR) ? 3 : 0), (rate ? rate : s)->axis[code[c] & 7]);
        else if (rate)
            computed_rate(column, code[c], j, at, s, rate);
        else
            computed(column, code[c], j, at, s);
    }
}

static void basis(const clv_joint *j, const clv_joint_place *at, double *H, double *D)
{
    const clv_joint_columns *list = &clv_joint_column_table[j->kind];
    axes s;
    gather(&s, at);
    fill(H, list->H, clv_joint_table[j->kind].nu, j, at, &s, NULL);
    fill(D, list->D, clv_joint_table[j->kind].nc, j, at, &s, NULL);
}

static void rate(const clv_joint *j, const clv_joint_place *at, double *Hdot, double *Ddot)
{
    const clv_joint_columns *list = &clv_joint_column_table[j->kind];
    axes s, turning;
    gather(&s, at);
    gather_rates(&turning, &s, at);
    fill(Hdot, list->H, clv_joint_table[j->kind].nu, j, at, &s, &turning);
    fill(Ddot, list->D, clv_joint_table[j->kind].nc, j, at, &s, &turning);
}

/* H^T H is the identity for all kinds but two: a screw's is 1 + h^2, a universal joint's axes lose their right angle
 * off the manifold (closing joints). */
void clv_joint_dual(const clv_joint *j, const double *H, double *G)
{
    int nu = clv_joint_table[j->kind].nu;
    if (nu == 2) {
        double a = clv_dot6(H, H), b = clv_dot6(H, H + 6), c = clv_dot6(H + 6, H + 6), det = a * c - b * b;
        for (int i = 0; i < 6; i++) {
            double first = H[i], second = H[6 + i];
            G[i] = (c * first - b * second) / det;
            G[6 + i] = (a * second - b * first) / det;
        }
        return;
    }
    memmove(G, H, 6 * (size_t)nu * sizeof *G);
    if (nu == 1) {
        double a = clv_dot6(H, H);
        for (int i = 0; i < 6; i++)
            G[i] /= a;
    }
}

/* ------------------------------------------------------------------ position errors, in the order of the D columns */

static void shift_error(double *c, const clv_joint_place *at) /* E_B^T d */
{
    clv_mat3_transpose_times(c, at->Eb, at->d);
}

/* The share of d across zA, along x and y of EB.  Measured from zA, not zB: then a turn of b does not enter, and the
 * rate is D^T (V_b - V_a) also for motions that leave the manifold. */
static void side_error(double *c, const clv_joint_place *at)
{
    double zA[3], across[3], in_b[3];
    clv_mat3_column(zA, at->Ea, Z);
    clv_copy3(across, at->d);
    clv_axpy3(across, -clv_dot3(zA, at->d), zA);
    clv_mat3_transpose_times(in_b, at->Eb, across);
    c[0] = in_b[0];
    c[1] = in_b[1];
}

/* x.(zA x zB), y.(zA x zB) in EB axes: the components of zA across zB, (-zA.yB, zA.xB) */
static void tilt_error(double *c, const clv_joint_place *at)
{
    double zA[3], in_b[3];
    clv_mat3_column(zA, at->Ea, Z);
    clv_mat3_transpose_times(in_b, at->Eb, zA);
    c[0] = in_b[1];
    c[1] = -in_b[0];
}

static void turn_error(double *c, const clv_joint_place *at) /* rotation vector EA -> EB; equal in both frames */
{
    double R[9];
    clv_mat3_transpose_product(R, at->Ea, at->Eb);
    clv_rotation_log(c, R);
}

static void violation_fixed(const clv_joint *j, const clv_joint_place *at, double *c)
{
    (void)j;
    shift_error(c, at);
    turn_error(c + 3, at);
}

static void violation_revolute(const clv_joint *j, const clv_joint_place *at, double *c)
{
    (void)j;
    shift_error(c, at);
    tilt_error(c + 3, at);
}

static void violation_prismatic(const clv_joint *j, const clv_joint_place *at, double *c)
{
    (void)j;
    side_error(c, at);
    turn_error(c + 2, at);
}

static void violation_cylindrical(const clv_joint *j, const clv_joint_place *at, double *c)
{
    (void)j;
    side_error(c, at);
    tilt_error(c + 2, at);
}

/* (z.d - h theta)/sqrt(1 + h^2), theta at the turn that makes it smallest */
static void violation_helical(const clv_joint *j, const clv_joint_place *at, double *c)
{
    double zA[3], R[9];
    clv_mat3_column(zA, at->Ea, Z);
    clv_mat3_transpose_product(R, at->Ea, at->Eb);
    double shift = clv_dot3(zA, at->d);
    violation_cylindrical(j, at, c);
    const double pitch = j->more->pitch;
    c[4] = (shift - pitch * clv_screw_angle(pitch, R, shift)) / sqrt(1 + pitch * pitch);
}

static void violation_universal(const clv_joint *j, const clv_joint_place *at, double *c)
{
    axes s;
    double across[3], length;
    (void)j;
    gather(&s, at);
    length = couple(across, &s);
    shift_error(c, at);
    c[3] = -clv_dot3(s.axis[OF_A | X], s.axis[OF_B | Y]) / length;
}

static void violation_planar(const clv_joint *j, const clv_joint_place *at, double *c)
{
    double zA[3];
    (void)j;
    clv_mat3_column(zA, at->Ea, Z);
    c[0] = clv_dot3(zA, at->d);
    tilt_error(c + 1, at);
}

static void violation_spherical(const clv_joint *j, const clv_joint_place *at, double *c)
{
    (void)j;
    shift_error(c, at);
}

static void violation_free(const clv_joint *j, const clv_joint_place *at, double *c) { (void)j, (void)at, (void)c; }

static void violation_distance(const clv_joint *j, const clv_joint_place *at, double *c)
{
    c[0] = clv_norm3(at->d) - j->more->distance;
}

/* Height of the contact point above the plane; rows on velocities have no position. */
static void violation_rolling(const clv_joint *j, const clv_joint_place *at, double *c)
{
    double arm[3], zA[3];
    axes s;
    gather(&s, at);
    clv_copy3(zA, s.axis[OF_A | Z]);
    contact_arm(arm, NULL, j, &s, NULL);
    c[0] = clv_dot3(zA, at->d) + clv_dot3(zA, arm);
    c[1] = c[2] = 0;
}

static void violation_knife(const clv_joint *j, const clv_joint_place *at, double *c)
{
    (void)j, (void)at;
    c[0] = 0;
}

static void violation_curve(const clv_joint *j, const clv_joint_place *at, double *c)
{
    clv_curve_place near;
    double x[3], beside[3];
    nearest(j, at, x, &near);
    clv_sub3(beside, x, near.c);
    for (int i = 0; i < 2; i++)
        c[i] = clv_dot3(near.n[i], beside);
}

int clv_joint_velocity_rows(clv_joint_kind kind)
{
    return kind == CLV_JOINT_KNIFE_EDGE ? 1 : clv_joint_rolls(kind) ? 2 : 0;
}

/* ------------------------------------------------------------------ the table */

#define ROW(NAME, nq, nu, nc, tree, stem, error) \
    {NAME, nq, nu, nc, tree, clv_joint_pose_##stem, clv_joint_coordinates_##stem, basis, rate, violation_##error}

const clv_joint_row clv_joint_table[CLV_JOINT_KINDS] = {
    [CLV_JOINT_FIXED] = ROW("fixed", 0, 0, 6, true, none, fixed),
    [CLV_JOINT_REVOLUTE] = ROW("revolute", 1, 1, 5, true, revolute, revolute),
    [CLV_JOINT_PRISMATIC] = ROW("prismatic", 1, 1, 5, true, prismatic, prismatic),
    [CLV_JOINT_HELICAL] = ROW("helical", 1, 1, 5, true, helical, helical),
    [CLV_JOINT_CYLINDRICAL] = ROW("cylindrical", 2, 2, 4, true, cylindrical, cylindrical),
    [CLV_JOINT_UNIVERSAL] = ROW("universal", 2, 2, 4, true, universal, universal),
    [CLV_JOINT_PLANAR] = ROW("planar", 3, 3, 3, true, planar, planar),
    [CLV_JOINT_SPHERICAL] = ROW("spherical", 4, 3, 3, true, spherical, spherical),
    [CLV_JOINT_FREE] = ROW("free", 7, 6, 0, true, free, free),
    [CLV_JOINT_POINT] = ROW("point", 0, 0, 3, false, none, spherical),
    [CLV_JOINT_DISTANCE] = ROW("distance", 0, 0, 1, false, none, distance),
    [CLV_JOINT_ROLLING_DISC] = ROW("rolling-disc", 0, 0, 3, false, none, rolling),
    [CLV_JOINT_ROLLING_SPHERE] = ROW("rolling-sphere", 0, 0, 3, false, none, rolling),
    [CLV_JOINT_KNIFE_EDGE] = ROW("knife-edge", 0, 0, 1, false, none, knife),
    [CLV_JOINT_POINT_ON_CURVE] = ROW("point-on-curve", 0, 0, 2, false, none, curve),
};
