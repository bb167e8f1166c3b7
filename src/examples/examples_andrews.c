/* SPDX-License-Identifier: Apache-2.0
 * Andrews' squeezing mechanism (W. Schiehlen, Multibody Systems Handbook; IVP Test Set, problem "andrews"): seven
 * planar bodies K1..K7, three loops that meet at F, a spring from ground point C to D on K3, and a constant motor
 * torque on K1.  Body frames at the centres of mass, turned by the test set's angles.
 * The moments about x and y do not matter. */
#include "examples/examples.h"
#include "math/sincos.h"
#include <complex.h>

/* Lengths in m, masses in kg, inertia in kg m^2, as published. */
static const double mass[7] = {.04325, .00365, .02373, .00706, .07050, .00706, .05498};
static const double inertia[7] = {2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5};
static const double xa = -.06934, ya = -.00227, xb = -.03635, yb = .03273, xc = .014, yc = .072, d = 28e-3, da = 115e-4,
                    e = 2e-2, ea = 1421e-5, rr = 7e-3, ra = 92e-5, sa = 1874e-5, sb = 1043e-5, sc = 18e-3, sd = 2e-2,
                    ta = 2308e-5, tb = 916e-5, u = 4e-2, ua = 1228e-5, ub = 449e-5, zf = 2e-2, zt = 4e-2, fa = 1421e-5,
                    torque = .033, stiffness = 4530., length = .07785;
/* Start angles in rad. */
static const double beta = -0.0617138900142764496358948458001, Theta = 0., Gamma = 0.455279819163070380255912382449,
                    Phi = 0.222668390165885884674473185609, delta = 0.487364979543842550225598953530,
                    Omega = -0.222668390165885884674473185609, epsilon = 1.23054744454982119249735015568;

static double complex turn(double angle)
{
    double s, c;
    clv_sincos(angle, &s, &c);
    return c + s * I;
}

static void pin(clv_example_build *b, int inboard, int outboard, double complex p)
{
    const double at[3] = {creal(p), cimag(p), 0};
    clv_example_hinge(b, inboard, outboard, at, NULL);
}

void clv_example_andrews(clv_example_build *b, const double *param)
{
    (void)param;
    const double complex A = xa + ya * I, B = xb + yb * I;
    const double complex K = rr * turn(beta), F = K - d * turn(beta + Theta);
    const double complex E = A + zt * turn(delta), H = A - I * u * turn(epsilon), D = B + (sd - I * sc) * turn(Gamma);
    const double complex centre[7] = {ra * turn(beta),
                                      K - da * turn(beta + Theta),
                                      B + (sb - I * sa) * turn(Gamma),
                                      E - I * (e - ea) * turn(Phi + delta),
                                      A + (ta + I * tb) * turn(delta),
                                      H + (zf - fa) * turn(Omega + epsilon),
                                      A - I * (ua - I * ub) * turn(epsilon)};
    const double angle[7] = {beta, beta + Theta, Gamma, Phi + delta, delta, Omega + epsilon, epsilon};
    static const char *const name[7] = {"K1", "K2", "K3", "K4", "K5", "K6", "K7"};
    for (int i = 0; i < 7; ++i) {
        const double J[3] = {inertia[i], inertia[i], inertia[i]}, at[3] = {creal(centre[i]), cimag(centre[i]), 0};
        clv_body_desc body = clv_example_body(name[i], mass[i], J, at);
        clv_sincos(angle[i] / 2, &body.orientation[3], &body.orientation[0]);
        clv_example_add_body(b, &body);
    }
    pin(b, CLV_GROUND, 0, 0);
    pin(b, 0, 1, K);
    pin(b, CLV_GROUND, 2, B);
    pin(b, CLV_GROUND, 4, A);
    pin(b, 4, 3, E);
    pin(b, CLV_GROUND, 6, A);
    pin(b, 6, 5, H);
    pin(b, 1, 2, F);
    pin(b, 1, 3, F);
    pin(b, 1, 5, F);

    clv_force_desc spring = clv_force_desc_default(CLV_FORCE_SPRING);
    const double complex at = (D - centre[2]) * turn(-Gamma); /* D in the axes of K3 */
    spring.name = "spring";
    spring.a = CLV_GROUND;
    spring.b = 2;
    spring.point_a[0] = xc;
    spring.point_a[1] = yc;
    spring.point_b[0] = creal(at);
    spring.point_b[1] = cimag(at);
    spring.stiffness = stiffness;
    spring.rest = length;
    clv_example_force(b, &spring);

    clv_force_desc motor = clv_force_desc_default(CLV_FORCE_TORQUE);
    motor.name = "motor";
    motor.b = 0;
    motor.vector[2] = torque;
    clv_example_force(b, &motor);
}
