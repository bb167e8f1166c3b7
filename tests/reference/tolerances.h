/* SPDX-License-Identifier: Apache-2.0
 * What is asked of the reference tests, as data: written and committed before anything was measured.
 *
 * Rule.  The allowed error is the larger of the file's own error and of what the integrator must make: a file's error
 * estimate is the difference of its run to one with a looser tolerance, so the same estimate, scaled to the rtol used
 * here, tells how the motion amplifies errors; about ten times that is allowed.  Velocities get ten times, forces a
 * hundred times the position's number (rates of the motions are 1 .. 10 1/s, masses 1 kg).
 *
 * Changed after measuring: the rtol of the four planar loops (see there), no allowed error.  Two allowances are made in
 * the tests for rounded data of the files: a time of A04_published.csv, the arm of ADAMS' torques. */
#ifndef CLV_TESTS_REFERENCE_TOLERANCES_H
#define CLV_TESTS_REFERENCE_TOLERANCES_H

/* A motion: body positions (m; rotations, rad), velocities (m/s, rad/s), joint forces (N) from 0 to the horizon. Forces
 * along the motion are in the planar files only; the spatial ones have them at the start (test_states.c). */
typedef struct motion_row {
    const char *file, *formulation; /* formulation NULL: all of them                                 */
    const char *integrator;
    double rtol, horizon; /* -, s                                                           */
    double position, velocity, force;
    const char *why;
} motion_row;

static const motion_row MOTIONS[] = {
    /* These four ran at rtol 1e-11 at first: 1.5e-11, 3.8e-11, 2.2e-9 (over) and, after a harmless change of rounding
     * in the engine, 2.5e-11 .. 2.1e-10 (over; angles of a 0.2 m mechanism).  Other step sequences scatter by ten; the
     * error falls with rtol, with and without interpolated output: step errors that the motions amplify, so rtol is
     * finer. */
    {"rigid/hdca_case1.json", 0, "dop853", 1e-12, 10, 1e-10, 1e-9, 1e-8, "file 1e-12"},
    {"rigid/hdca_case2.json", 0, "dop853", 1e-12, 10, 1e-10, 1e-9, 1e-8, "file 1.5e-12"},
    {"rigid/hdca_case3.json", 0, "dop853", 1e-12, 10, 1e-9, 1e-8, 1e-7, "file 2e-11; coupled loops amplify"},
    {"rigid/aldca_coupled.json", 0, "dop853", 1e-12, 10, 1e-10, 1e-9, 1e-8, "file 2e-12"},
    {"rigid/loop_7R.json", 0, "dop853", 1e-11, 5, 2e-10, 2e-9, 0, "file 4e-12"},
    {"rigid/spatial_chain_6R.json", 0, "dop853", 1e-12, 4.25, 1e-9, 1e-8, 0,
     "file 5e-11, trusted to 1e-10 until 4.25 s"},
    {"rigid/spatial_chain_6R.json", 0, "dop853", 1e-12, 5, 1e-8, 1e-7, 0, "file 6e-10 at 5 s; errors grow"},
    {"rigid/sine_chain_16.json", 0, "dop853", 1e-12, 5, 1e-9, 1e-8, 1e-7,
     "extended file 1e-13; a double run is 1.4e-12 off"},
    {"rigid/sine_chain_16.json", 0, "dop853", 1e-12, 9, 1e-7, 1e-6, 0,
     "chaotic: a double run is 5e-10 off; file 6e-11"},
    {"rigid/sine_chain_16.json", 0, "dop853", 1e-13, 12.5, 2e-4, 2e-3, 0,
     "chaotic: 2.4e-4 off at 1e-12, 1.6e-5 at 1e-13; file 1.5e-7"},
    {"rigid/bricard_A04.json", 0, "dop853", 1e-9, 10, 1e-6, 1e-5, 0, "overconstrained: gains rank off its manifold"},
    {"rigid/bricard_A04.json", 0, "dop853", 1e-11, 8.5, 1e-8, 1e-7, 0, "file 8e-11, trusted to 1e-10 until 8.5 s"},
    {"rigid/pendulum_A01.json", 0, "dop853", 1e-12, 10, 1e-10, 0, 0, "closed form, 1.5e-13"},
    {"rigid/nfourbar_A02_N1.json", "hdca", "dopri5", 1e-9, 10, 1e-6, 1e-5, 0,
     "exact; ten passes through flat positions"},
    {"rigid/nfourbar_A02_N2.json", "hdca", "dopri5", 1e-9, 10, 1e-6, 1e-5, 0,
     "exact; ten passes through flat positions"},
    {"rigid/nfourbar_A02_N1.json", "dca", "dopri5", 1e-9, 10, 1e-4, 1e-3, 0,
     "accelerations lose a row near flat positions"},
    {"rigid/nfourbar_A02_N2.json", "dca", "dopri5", 1e-9, 10, 1e-4, 1e-3, 0,
     "accelerations lose a row near flat positions"},
    {"published/double_fourbar_exudyn.json", "hdca", "dopri5", 1e-9, 10, 1e-6, 1e-5, 0,
     "ladder of two windows at 10 s, 1e-11"},
    {"published/A01_converged.csv", 0, "dop853", 1e-12, 10, 1e-10, 0, 0, "12 digits"},
    {"published/A01_published.csv", 0, "dop853", 1e-12, 10, 1e-6, 0, 0, "6 digits"},
    {"published/A04_thin_converged.csv", 0, "dop853", 1e-9, 10, 1e-6, 0, 0, "12 digits; as bricard_A04"},
    {"published/A04_published.csv", 0, "dop853", 1e-9, 10, 2e-6, 0, 0, "6 digits; as bricard_A04"},
};

/* Andrews' squeezer, dop853 at rtol 1e-11 over 0.03 s: angles to 15.8 rad, rates to 1.4e3 rad/s, accelerations to 5.7e5
 * rad/s^2, closing forces to 200 N.  Published end values: nine digits are good for angles, eight for rates. */
static const struct {
    double angle, rate, acceleration, force;                                         /* against our converged file    */
    double published_angle, published_rate, published_acceleration, published_force; /* against the published state   */
    double start;                                                                    /* relative, published start     */
} ANDREWS = {1e-8, 1e-5, 1e-2, 1e-4, 2e-8, 2e-5, 6e-2, 1e-4, 1e-10};

/* At one given state, relative to the largest of the quantity: accelerations, momenta, their rates (files: 4e-15). */
static const double STATE_RELATIVE = 1e-12;
/* Accelerations and joint forces at the start of a motion, relative to the largest (files: 1e-14 x condition). */
static const double START_RELATIVE = 1e-11;

/* Single joints, ADAMS: |error| <= absolute + 6e-6 |value| (six digits), dop853 at rtol 1e-11, 5 s.  The absolute parts
 * are the files' own errors against closed forms and independent integrations: ADAMS' accelerations and reactions carry
 * 1e-3. */
typedef struct adams_row {
    const char *name;
    double position, velocity, acceleration; /* m, -; m/s, rad/s; m/s^2, rad/s^2, N, N m */
} adams_row;
static const double ADAMS_DIGITS = 6e-6;
static const adams_row ADAMS[] = {
    {"Revolute_Case01", 7e-6, 7e-6, 1.5e-3},  {"Revolute_Case02", 7e-6, 7e-6, 1.5e-3},
    {"Spherical_Case01", 1e-3, 3e-3, 1.5e-2}, {"Spherical_Case02", 7e-6, 7e-6, 1.5e-3},
    {"Prismatic_Case01", 7e-6, 7e-6, 1.5e-3}, {"Prismatic_Case02", 7e-6, 7e-6, 1.5e-3},
    {"Prismatic_Case03", 7e-6, 7e-6, 1.5e-3}, {"Distance_Case01", 7e-6, 7e-6, 1.5e-3},
    {"Distance_Case02", 3e-5, 1e-3, 3e-1},    {"Distance_Case03", 7e-6, 7e-6, 1.5e-3},
    {"TranSpring_Case01", 7e-6, 7e-6, 1e-4},  {"TranSpring_Case02", 7e-6, 7e-6, 1e-4},
};
#endif
