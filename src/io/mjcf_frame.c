/* SPDX-License-Identifier: Apache-2.0
 * MJCF: positions and orientations.  Angles are in the unit of the compiler; quaternions are w, x, y, z. */
#include "io/mjcf.h"
#include "math/rotation.h"
#include <math.h>
#include <string.h>

/* a := a / |a|; false if it has no direction. */
static bool unit(double a[3])
{
    const double length = clv_norm3(a);
    for (int i = 0; i < 3; i++)
        a[i] /= length > 0 ? length : 1;
    return length > 1e-14;
}

bool clv_mjcf_from_z(double R[9], const double z[3])
{
    double to[3] = {z[0], z[1], z[2]}, q[4];
    if (!unit(to))
        return false;
    double axis[3] = {-to[1], to[0], 0}; /* z x to */
    const double angle = atan2(sqrt(to[0] * to[0] + to[1] * to[1]), to[2]);
    if (!unit(axis))
        axis[0] = 1, axis[1] = axis[2] = 0;
    clv_quat_axis_angle(q, axis, angle);
    clv_quat_rotation(R, q);
    return true;
}

/* ---------------------------------------------------------------- the forms of an orientation */

static bool from_quat(clv_mjcf *M, clv_item e, double R[9])
{
    double q[4] = {1, 0, 0, 0};
    if (!clv_mjcf_numbers(M, e, "quat", q, 4))
        return true;
    if (!(clv_quat_norm(q) > 1e-14))
        return false;
    clv_quat_rotation(R, q);
    return true;
}

static bool from_axis(clv_mjcf *M, clv_item e, double R[9])
{
    double x[4] = {0, 0, 1, 0}, q[4];
    if (!clv_mjcf_numbers(M, e, "axisangle", x, 4))
        return true;
    if (!unit(x))
        return false;
    clv_quat_axis_angle(q, x, x[3] * M->c.angle);
    clv_quat_rotation(R, q);
    return true;
}

/* Lower case axes turn with the body (each turn after the others), upper case axes are fixed. */
static bool from_euler(clv_mjcf *M, clv_item e, double R[9])
{
    double x[3] = {0}, turn[9], product[9];
    clv_mat3_identity(R);
    if (!clv_mjcf_numbers(M, e, "euler", x, 3))
        return true;
    for (int i = 0; i < 3; i++) {
        const char axis = M->c.euler[i];
        const bool moving = axis >= 'x';
        clv_rotation_about(turn, axis - (moving ? 'x' : 'X'), x[i] * M->c.angle);
        clv_mat3_product(product, moving ? R : turn, moving ? turn : R);
        memcpy(R, product, sizeof product);
    }
    return true;
}

static bool from_axes(clv_mjcf *M, clv_item e, double R[9])
{
    double a[6] = {1, 0, 0, 0, 1, 0}, *x = a, *y = a + 3, z[3];
    if (!clv_mjcf_numbers(M, e, "xyaxes", a, 6))
        return true;
    if (!unit(x))
        return false;
    clv_axpy3(y, -clv_dot3(x, y), x);
    if (!unit(y))
        return false;
    clv_cross(z, x, y);
    for (int i = 0; i < 3; i++)
        R[3 * i] = x[i], R[3 * i + 1] = y[i], R[3 * i + 2] = z[i];
    return true;
}

static bool from_axis_z(clv_mjcf *M, clv_item e, double R[9])
{
    double z[3] = {0, 0, 1};
    return !clv_mjcf_numbers(M, e, "zaxis", z, 3) || clv_mjcf_from_z(R, z);
}

void clv_mjcf_frame(clv_mjcf *M, clv_item e, clv_frame *f)
{
    static const struct {
        const char *name;
        bool (*read)(clv_mjcf *M, clv_item e, double R[9]);
    } form[] = {{"quat", from_quat},
                {"axisangle", from_axis},
                {"euler", from_euler},
                {"xyaxes", from_axes},
                {"zaxis", from_axis_z}};
    clv_frame_identity(f);
    clv_mjcf_numbers(M, e, "pos", f->p, 3);
    int given = 0;
    for (size_t i = 0; i < sizeof form / sizeof *form; i++) {
        const unsigned at = clv_mjcf_at(M, e, form[i].name);
        given += at != 0 && i > 0;
        if (at && !form[i].read(M, e, f->R))
            clv_import_fail(M->I, at, "", "%s has no direction", form[i].name);
    }
    if (given > 1)
        clv_import_fail(M->I, e.node, "give one of axisangle, euler, xyaxes, zaxis",
                        "the orientation is given %d times", given);
}
