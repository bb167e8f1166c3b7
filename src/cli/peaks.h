/* SPDX-License-Identifier: Apache-2.0
 * What an engineer reads first of a run, each with its time.  It is the range of the effort of every actuator, the
 * largest joint force, moment and speed, and the drift of momentum.  Taken from a simulation as it runs, or from the
 * frames of a run file (io/columns.h). */
#ifndef CLV_CLI_PEAKS_H
#define CLV_CLI_PEAKS_H
#include "cli/command.h"
#include "io/columns.h"

typedef struct clv_actuator {
    char *name;                 /* "L.effort"                                 */
    int joint, direction;       /* where it acts                              */
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

/* What a column of a file shows. */
typedef enum clv_peak_kind {
    CLV_PEAK_NONE,
    CLV_PEAK_FORCE, CLV_PEAK_TORQUE,   /* of a joint     */
    CLV_PEAK_SPEED, CLV_PEAK_SPIN,     /* of a body      */
    CLV_PEAK_LINEAR, CLV_PEAK_ANGULAR, /* momenta        */
    CLV_PEAK_EFFORT,                   /* of an actuator */
    CLV_PEAK_KINDS
} clv_peak_kind;
typedef struct clv_peak_column {
    clv_peak_kind kind;
    int first, item;            /* place in a frame; joint, body or actuator */
} clv_peak_column;

typedef struct clv_peaks {
    const clv_model *model;
    clv_peak_column *column;    /* (ncolumn) of a file, those that count      */
    int ncolumn;
    clv_actuator *actuator;
    int nactuator;
    bool *acted;                /* (njoint) something acts on the joint            */
    clv_largest force, torque, speed, spin;
    bool free;                  /* nothing from outside acts: momenta are constant */
    double momentum[6];         /* at the first frame                              */
    double drift, spin_drift;   /* kg m/s, kg m^2/s                                */
    long frames;
} clv_peaks;

/* False: out of memory.  Before it (all zero) there is nothing to print. */
bool clv_peaks_open(clv_peaks *p, const clv_model *model);
/* The output state of a simulation of the model. */
void clv_peaks_sample(clv_peaks *p, clv_sim *sim);
/* Or frames with these columns, which belong to the model; only what they hold is shown.  False: out of memory. */
bool clv_peaks_bind(clv_peaks *p, const clv_column *column, int n);
void clv_peaks_see(clv_peaks *p, const double *frame);
void clv_peaks_print(const clv_peaks *p, const clv_sim *sim);
/* Members efforts, largest_force, largest_torque, largest_speed, momentum_drift, angular_momentum_drift, samples. */
void clv_peaks_json(clv_json *j, const clv_peaks *p);
void clv_peaks_close(clv_peaks *p);

/* "139.8 kN": four digits with a prefix of the unit. */
const char *clv_amount(char text[40], double value, const char *unit);

#endif
