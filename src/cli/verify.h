/* SPDX-License-Identifier: Apache-2.0
 * What `cleave verify` measures, without its words: one mechanism by several formulations, each with an estimate of its
 * own error, and the verdict on every pair.  The command fills in the rows; tests put a wrong model into one of them.
 */
#ifndef CLV_CLI_VERIFY_H
#define CLV_CLI_VERIFY_H
#include "cli/command.h"

enum { CLV_VERIFY_ROWS = 16, CLV_VERIFY_SAMPLES = 100 };

/* One formulation.  The caller sets the first four members (the rest zero) and frees `motion` by clv_verify_release. */
typedef struct clv_verify_row {
    const char *formulation, *integrator;
    const clv_model *model;
    double step;     /* s: fixed step; 0: adaptive; NAN: fixed, chosen so that the estimate is small          */
    bool ran;        /* takes the model, and came to the end                                                  */
    clv_exit code;   /* of a failure; CLV_EXIT_DONE with !ran: refused by the formulation                     */
    clv_error error; /* why                                                                                   */
    clv_sim_report report;
    double wall;    /* s, of the run as asked                                                                */
    double *motion; /* (SAMPLES x nbody x 7) centres of mass and quaternions                                 */
    double error_at[CLV_VERIFY_SAMPLES]; /* m or rad, largest estimate up to the sample                       */
    int samples; /* up to its horizon: behind it the estimate exceeds a thousandth of the mechanism       */
    double away; /* m or rad, from the first row that ran                                                 */
} clv_verify_row;

typedef struct clv_verify {
    double time, rtol; /* s; tolerance of adaptive runs, repeated at a hundredth                              */
    int n, nbody;
    clv_verify_row row[CLV_VERIFY_ROWS];
    double size; /* m: extent of the motion of the first row that ran                                   */
    /* the pair that differs most against what its estimates allow; first -1: nothing to compare */
    int first, second;
    double difference, allowed, at; /* m or rad, m or rad, s                                                  */
} clv_verify;

/* s, of sample i from 0; and of the end of the first `samples` (0: 0) */
double clv_verify_time(const clv_verify *v, int i);
double clv_verify_horizon(const clv_verify *v, int samples);
/* m or rad: the estimate at the row's horizon; NAN without one */
double clv_verify_estimate(const clv_verify_row *r);
/* Runs all rows twice and compares every pair up to the nearer horizon.  CLV_EXIT_RESOURCES: out of memory. */
clv_exit clv_verify_run(clv_verify *v);
/* CLV_EXIT_NUMERICAL if a pair differs by more than ten times the sum of its estimates, a row failed, or a row that ran
 * has nothing to compare; a row that was refused is no fault. */
clv_exit clv_verify_judge(const clv_verify *v);
void clv_verify_release(clv_verify *v);

#endif
