/* SPDX-License-Identifier: Apache-2.0
 * What `cleave inverse` is made of.
 *
 *     inverse_motion      coordinates, rates and accelerations of joints over time, out of a CSV file
 *     inverse_actuators   the actuators by name, their weights; joints become inputs of the model
 *     inverse_report      largest efforts, what is missed: text and JSON
 *     command_inverse     the command: time after time */
#ifndef CLV_CLI_INVERSE_H
#define CLV_CLI_INVERSE_H
#include "cli/command.h"
#include "cli/csv_read.h"
#include "model/model.h"

/* One number of a motion over time: a column of a file, and its spline where rates are made from it. */
typedef struct clv_track {
    int column;    /* of the table; -1: there is none                            */
    clv_series spline; /* n 0: not needed                                        */
} clv_track;

typedef struct clv_joint_track {
    int joint, nq, nu;
    clv_track q[7], u[6], udot[6];
} clv_joint_track;

/* The motion of a file. */
typedef struct clv_measured {
    clv_csv_table table;
    int time;          /* column of the time                                     */
    int n;
    clv_joint_track *joint; /* (n) joints that have columns                      */
} clv_measured;

/* ---- inverse_motion.c */
/* Columns JOINT.q, JOINT.u, JOINT.udot of joints of the model, as `run --columns` writes them, and `time`.  Rates and
 * accelerations that are absent are those of a cubic spline through the coordinates, or the rates.  Errors:
 * CLV_ERR_SYNTAX (with the file and, where it is one, the line), CLV_ERR_IO, CLV_ERR_MEMORY; release it in any
 * case. */
clv_status clv_measured_read(clv_measured *m, const char *path, const clv_model *model, clv_error *e);
void clv_measured_release(clv_measured *m);
double clv_measured_time(const clv_measured *m, long row);
/* Joint number i of the motion at a row.  Rates and accelerations that are not finite are those of a spline. */
void clv_measured_at(const clv_measured *m, long row, int i, clv_joint_setting *set, clv_joint_acceleration *wanted);

/* ---- inverse_actuators.c */
typedef struct clv_actuation {
    int n;
    int *input;             /* (n) of the model                                   */
    clv_inverse_actuator *of; /* (n)                                              */
    char (*name)[128];      /* (n) of the input, or the joint and its direction   */
    const char **unit;      /* (n)                                                */
    double (*limit)[2];     /* (n) those of the model                             */
    double (*line)[2];      /* (n) stall effort and speed without load (T120), or 0 */
} clv_actuation;
/* The actuators named in `names` (commas; NULL: inputs of the model that are efforts or loads; if there are none, the
 * joints listed), with weights `NAME=W,...` (NULL: 1).  Joints become inputs of the model, and limits are taken off it:
 * the model is for this command alone.  Errors: CLV_ERR_USAGE, CLV_ERR_MEMORY; release it in any case. */
clv_status clv_actuation_open(clv_actuation *a, clv_model *m, const char *names, const char *weights, const int *joint,
                              int njoint, clv_error *e);
void clv_actuation_release(clv_actuation *a);

/* ---- inverse_report.c */
/* What is kept of each actuator over all times. */
typedef struct clv_effort_range {
    double most, at;    /* effort of largest size, and its time (s)       */
    double squares;     /* sum over times                                 */
    double power;       /* W, of largest size; NaN: of inputs on bodies    */
    bool beyond;        /* a limit of the input was passed                 */
} clv_effort_range;
typedef struct clv_inverse_account {
    long times;
    double from, to;    /* s                                               */
    int freedoms, rank;
    double missed, missed_at, wanted; /* m/s^2 or rad/s^2: largest difference, and its time; largest requested */
    char joint[64];     /* where it was missed                             */
    clv_effort_range *range; /* of every actuator                          */
} clv_inverse_account;
/* Are the accelerations met? */
bool clv_inverse_met(const clv_inverse_account *c);
void clv_inverse_print(const clv_inverse_account *c, const clv_actuation *a, const clv_model *m);
void clv_inverse_json(const clv_inverse_account *c, const clv_actuation *a, const clv_model *m);

#endif
