/* SPDX-License-Identifier: Apache-2.0
 * What an engineer reads first of a run, each with its time.  It is the range of the effort of every actuator, the
 * largest joint force, moment and speed, and the drift of momentum.  Taken from frames (io/columns.h), of a simulation
 * as it runs or of a run file. */
#ifndef CLV_CLI_PEAKS_H
#define CLV_CLI_PEAKS_H
#include "cli/command.h"
#include "io/columns.h"

typedef struct clv_actuator {
    int column;                 /* of its effort                              */
    const char *by;             /* motion, input or load that acts; first one */
    int others;                 /* how many more act there                    */
    double low, high;           /* N or N m                                   */
    double low_at, high_at;     /* s                                          */
} clv_actuator;

typedef struct clv_largest {
    double size, at;            /* N, N m or m/s; s; size < 0: none yet   */
    double vector[3];
    int item;                   /* joint or body                          */
} clv_largest;

typedef struct clv_peaks {
    const clv_model *model;
    const clv_column *column;
    int n;
    clv_actuator *actuator;
    int nactuator;
    clv_largest force, torque, speed, spin;
    bool free;                  /* nothing from outside acts: momenta are constant */
    double momentum[6];         /* at the first frame                              */
    double drift, spin_drift;   /* kg m/s, kg m^2/s                                */
    long frames;
} clv_peaks;

/* Of frames with these columns, which stay. False: out of memory.  Before it (all zero) there is nothing to print. */
bool clv_peaks_open(clv_peaks *p, const clv_model *model, const clv_column *column, int n);
void clv_peaks_see(clv_peaks *p, const double *frame);
void clv_peaks_print(const clv_peaks *p, const clv_sim *sim);
/* Members efforts, largest_force, largest_torque, largest_speed, momentum_drift, angular_momentum_drift, samples. */
void clv_peaks_json(clv_json *j, const clv_peaks *p);
void clv_peaks_close(clv_peaks *p);

/* "139.8 kN": four digits with a prefix of the unit. */
const char *clv_amount(char text[40], double value, const char *unit);

#endif
