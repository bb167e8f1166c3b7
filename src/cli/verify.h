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
    bool refused;    /* does not take the model, integrator or step: left out before anything runs            */
    bool ran;        /* came to the end, or to the limit of time                                              */
    bool unfinished; /* the limit of time ended it                                                            */
    clv_exit code;   /* of a failure: neither refused nor ran                                                 */
    clv_error error; /* why                                                                                   */
    clv_sim_report report;
    double wall;    /* s, of the run as given                                                                */
    double spent;   /* s of processor time: all its runs                                                     */
    double reached; /* s: where the limit of time ended it                                                   */
    double *motion; /* (SAMPLES x nbody x 7) centres of mass and quaternions                                 */
    double error_at[CLV_VERIFY_SAMPLES];  /* m or rad, estimate up to the sample                              */
    double energy_at[CLV_VERIFY_SAMPLES]; /* m or rad, the error that its energy drift stands for             */
    double singular; /* s: sample by which its rank had fallen, INFINITY: never                               */
    int samples; /* up to its horizon: behind it the estimate exceeds a thousandth of the mechanism       */
    double away; /* m or rad, from the first row that ran                                                 */
} clv_verify_row;

typedef struct clv_verify {
    double time, rtol; /* s; tolerance of adaptive runs, repeated at a hundredth                              */
    double limit;      /* s of processor time for one row; 0: none                                            */
    double contradiction; /* most by which redundant constraints may contradict each other, as in the options */
    int n, nbody;
    clv_verify_row row[CLV_VERIFY_ROWS];
    double size; /* m: extent of the motion of the first row that ran                                   */
    double singular; /* s: sample by which the rank had fallen in any row; INFINITY: never                */
    /* the pair that differs most against what its estimates allow; first -1: nothing to compare */
    int first, second;
    double difference, allowed, at; /* m or rad, m or rad, s                                                  */
} clv_verify;

/* What came out of it. */
typedef enum clv_verdict {
    CLV_VERDICT_AGREE,    /* every pair that can be compared                                                  */
    CLV_VERDICT_DISAGREE, /* a pair differs by more than its estimates allow                                  */
    CLV_VERDICT_FAILED,   /* a row stopped with an error                                                      */
    CLV_VERDICT_NOTHING   /* no two rows to compare, or nothing of one that ran to its end                    */
} clv_verdict;

/* s, of sample i from 0; and of the end of the first `samples` (0: 0) */
double clv_verify_time(const clv_verify *v, int i);
double clv_verify_horizon(const clv_verify *v, int samples);
/* m or rad: the estimate at the row's horizon; NAN without one */
double clv_verify_estimate(const clv_verify_row *r);
/* Runs all rows twice and compares every pair up to the nearer horizon.  CLV_EXIT_RESOURCES: out of memory. */
clv_exit clv_verify_run(clv_verify *v);
/* A row that was refused, or that the limit of time ended before anything of it could be compared, is no fault. */
clv_verdict clv_verify_verdict(const clv_verify *v);
/* CLV_EXIT_DONE if they agree; else CLV_EXIT_NUMERICAL, or CLV_EXIT_RESOURCES if memory or disk ended a row. */
clv_exit clv_verify_judge(const clv_verify *v);
void clv_verify_release(clv_verify *v);

/* ------------------------------------------------------------------ verify_row.c: one row */

/* Can the row start?  Sets `refused` or `code`, and `error`.  Others do not run. */
void clv_verify_try(const clv_verify *v, clv_verify_row *r);
/* Runs the row twice.  CLV_EXIT_RESOURCES: out of memory. */
clv_exit clv_verify_row_run(const clv_verify *v, clv_verify_row *r);
/* Behind `v->singular`: raises the estimates of the row to what a third run and its energy drift show. */
clv_exit clv_verify_widen(const clv_verify *v, clv_verify_row *r);
/* m or rad: largest distance or angle between two states (nbody x 7) */
double clv_verify_apart(const clv_verify *v, const double *a, const double *b);
/* m: extent of the first `samples` states */
double clv_verify_extent(const clv_verify *v, const double *motion, int samples);

#endif
