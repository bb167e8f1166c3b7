/* SPDX-License-Identifier: Apache-2.0
 * Area, bending and torsion constants of beam sections (T32.3), by arithmetic alone. */
#include "flexible/flex_beam.h"

#include "math/sincos.h"

#include <math.h>

clv_beam_section clv_beam_tube(double outer, double inner)
{
    double a = outer * outer, b = inner * inner, I = CLV_PI / 4 * (a * a - b * b);
    return (clv_beam_section){CLV_PI * (a - b), I, I, 2 * I};
}

/* e^-x, x >= 0, by its series on x / 2^k and k squarings. */
static double decay(double x)
{
    double sum = 1, term = 1;
    int halved = 0;
    for (; x > 0.1 && halved < 12; x /= 2)
        halved++;
    if (x > 0.2)
        return 0;
    for (int k = 1; k < 12; k++)
        sum += term *= -x / k;
    for (; halved > 0; halved--)
        sum *= sum;
    return sum;
}

/* Saint-Venant's series for the torsion of a rectangle, long edge a, short edge b; tanh(y) = (1 - e^-2y)/(1 + e^-2y).
 */
clv_beam_section clv_beam_rectangle(double y, double z)
{
    double a = fmax(y, z), b = fmin(y, z), sum = 0;
    for (int k = 1; k < 400; k += 2) {
        double k2 = (double)k * k, small = decay(k * CLV_PI * a / b);
        sum += (1 - small) / (1 + small) / (k2 * k2 * k);
    }
    double It = a * b * b * b * (1.0 / 3 - 64 / (CLV_PI * CLV_PI * CLV_PI * CLV_PI * CLV_PI) * b / a * sum);
    return (clv_beam_section){y * z, y * z * z * z / 12, z * y * y * y / 12, It};
}
