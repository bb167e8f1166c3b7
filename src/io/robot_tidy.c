/* SPDX-License-Identifier: Apache-2.0
 * Numbers of a robot without the rounding of the transformations that made them: 0.3 instead of 0.29999999999999998, 0
 * instead of 2.8e-17 and of -0, a turn by 90 deg instead of a quaternion near it.  A number changes by a few units of
 * rounding of the largest one beside it at most.  It happens before the model is made: a robot and the file that
 * `cleave import` writes of it have the same numbers. */
#include "io/import.h"
#include "math/rotation.h"
#include "math/sincos.h"
#include <float.h>
#include <math.h>

void clv_tidy_zeros(double *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] += 0.0; /* -0 + 0 is 0 */
}

void clv_tidy_load(clv_force_desc *d)
{
    double *const numbers[] = {&d->stiffness, &d->damping, &d->rest, &d->drive};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        clv_tidy_zeros(numbers[i], 1);
}

void clv_tidy_numbers(double *x, int n, double size)
{
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(x[i]));
    const double most = 2 * DBL_EPSILON * size; /* a sum of products of turned vectors */
    for (int i = 0; i < n; i++) {
        double power = 1;
        for (int digits = 0; digits <= 15 && fabs(x[i]) * power < 1e15; digits++, power *= 10) {
            const double rounded = round(x[i] * power) / power; /* the double next to that decimal: both are exact */
            if (fabs(rounded - x[i]) <= most) {
                x[i] = rounded;
                break;
            }
        }
    }
    clv_tidy_zeros(x, n);
}

void clv_tidy_turn(double q[4])
{
    for (int k = 0; k < 3; k++) {
        double axis[3] = {0, 0, 0}, turned[4], away = 0;
        const double degrees = round(2 * clv_atan2(q[1 + k], q[0]) * 180 / CLV_PI * 1e6) / 1e6;
        axis[k] = 1;
        clv_quat_axis_angle(turned, axis, degrees * (CLV_PI / 180));
        for (int i = 0; i < 4; i++)
            away = fmax(away, fabs(turned[i] - q[i]));
        if (away <= 4 * DBL_EPSILON) {
            for (int i = 0; i < 4; i++)
                q[i] = degrees != 0 ? turned[i] : i == 0;
            clv_tidy_zeros(q, 4);
            return;
        }
    }
    const double usual[] = {0, 0.5, sqrt(0.5), 1}; /* turns between axes */
    for (int i = 0; i < 4; i++)
        for (size_t k = 0; k < sizeof usual / sizeof *usual; k++)
            if (fabs(fabs(q[i]) - usual[k]) <= 2 * DBL_EPSILON)
                q[i] = usual[k] > 0 ? copysign(usual[k], q[i]) : 0;
    clv_tidy_zeros(q, 4);
}
