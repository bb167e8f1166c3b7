/* SPDX-License-Identifier: Apache-2.0
 * Ranges of the numbers among the options of a simulation: one place for the library, which refuses what lies outside
 * (options.c), and for the command line, which tells them.  Unbounded: INFINITY. */
#ifndef CLV_SIMULATION_RANGES_H
#define CLV_SIMULATION_RANGES_H

#define CLV_RTOL_LEAST 1e-14 /* rounding                                                                    */
#define CLV_RTOL_MOST 0.5
#define CLV_ATOL_LEAST 1e-30 /* below it a state that passes zero asks for steps without end                */
#define CLV_STEP_LEAST 1e-12 /* s                                                                           */
#define CLV_RANK_MOST 1e-2   /* above 0                                                                     */
#define CLV_ALPHA_LEAST 1e-6
#define CLV_ALPHA_MOST 1e15
#define CLV_FADE_MOST 1e6    /* omega (1/s) and mu, from 0                                                  */
#define CLV_EPS_MOST 1.0     /* from 0                                                                      */
#define CLV_ITERATIONS_MOST 1e6
#define CLV_PROJECTIONS_MOST 1000.0
#define CLV_GAIN_MOST 1e12   /* baumgarte, from 0                                                           */

#endif
