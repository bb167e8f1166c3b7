/* SPDX-License-Identifier: Apache-2.0
 * The handle of an ensemble, and what its files share.  Private to ensemble*.c. */
#ifndef CLV_IO_ENSEMBLE_HANDLE_H
#define CLV_IO_ENSEMBLE_HANDLE_H
#include "base/team.h"
#include "cleave/cleave.h"
#include "io/columns.h"
#include <stdatomic.h>

/* Numbers of the report that every instance gives, in order: X(field, unit) */
#define CLV_ENSEMBLE_REPORT(X)                                                                                       \
    X(time, "s")                                                                                                     \
    X(steps, "")                                                                                                     \
    X(rejected_steps, "")                                                                                            \
    X(rate_evaluations, "")                                                                                          \
    X(max_energy_drift, "J")                                                                                         \
    X(max_energy_drift_relative, "")                                                                                 \
    X(max_position_violation, "m, rad")                                                                              \
    X(max_velocity_violation, "m/s, rad/s")

enum {
#define X(field, unit) CLV_ENSEMBLE_##field,
    CLV_ENSEMBLE_REPORT(X)
#undef X
        CLV_ENSEMBLE_REPORTED,
    CLV_ENSEMBLE_LANES = 8, /* instances of a thread that are evaluated together, at most */
    CLV_INSTANCE_TRIES = 100, /* no step is tried so often (integrator.h) */
    CLV_ENSEMBLE_EACH = 4 /* numbers of a component: at the end, least, largest, rms */
};

typedef struct clv_ensemble_output_name_unit {
    char *name;
    const char *unit;
} clv_ensemble_output_name_unit;

struct clv_ensemble {
    clv_error error;
    clv_ensemble_desc desc;
    bool good;              /* the creation succeeded                                  */
    clv_columns columns;    /* of the outputs, without the time                        */
    int noutput;
    clv_ensemble_output_name_unit *output; /* (noutput)                                */
    double *result;         /* (instances x noutput)                                   */
    clv_status *status;     /* (instances)                                             */
    bool *ran;              /* (instances)                                             */
    clv_error **failure;    /* (instances) NULL: it did not fail, or memory was out    */
    clv_team *team;         /* while it runs                                           */
    atomic_flag busy;       /* clv_ensemble_run is under way                           */
    atomic_bool over;       /* `done` returned false                                   */
    atomic_int next;        /* instances from here on have not been taken              */
    int lanes;              /* instances that a thread runs side by side               */
    const char **alone;     /* (instances) why it shared no lanes, or NULL             */
};

/* ensemble_model.c.  The model of an instance, or of none (-1: without values; of `make`: instance 0); *own: the
 * caller destroys it.  On failure *e has the reason. */
clv_status clv_ensemble_model(clv_ensemble *ensemble, int instance, const clv_model **model, bool *own, clv_error *e);
/* An instance while it runs. */
typedef struct clv_instance {
    clv_ensemble *ensemble; /* NULL: none                                              */
    int number;
    const clv_model *model;
    bool own, started;      /* the model is its own; its simulation is there           */
    clv_sim *sim;
    clv_columns columns;
    double *frame, *row;    /* a sample; the results                                   */
    double *square;         /* (columns.width) integral of the square                  */
    double at;              /* s, of the sample before; -1: there is none              */
    long steps;             /* of the simulation, accepted, as far as they were counted one by one */
    double samples, until;  /* number and time (s) of the next sample                  */
    clv_error error;
} clv_instance;

/* ensemble_instance.c.  Its model, its simulation, the sample of the start; on failure close it. */
clv_status clv_instance_open(clv_instance *in, clv_ensemble *e, int i);
/* To its end. */
clv_status clv_instance_finish(clv_instance *in);
/* The simulation is at the time of the next sample, which is taken.  False: it was the last one. */
bool clv_instance_sample(clv_instance *in);
/* After a step: are there too many? */
clv_status clv_instance_count(clv_instance *in);
/* Takes over the error of the simulation; gives back status. */
clv_status clv_instance_failed(clv_instance *in, clv_status status);
/* Its results, and all that it has is given back. */
void clv_instance_close(clv_instance *in, clv_status status);

/* ensemble_lanes.c: what a thread does.  Takes one instance after the other, as long as there are some. */
clv_team_work clv_ensemble_work;

#endif
