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
};

/* ensemble_instance.c.  The model of an instance, or of none (-1: without values; of `make`: instance 0); *own: the
 * caller destroys it.  On failure *e has the reason. */
clv_status clv_ensemble_model(clv_ensemble *ensemble, int instance, const clv_model **model, bool *own, clv_error *e);
/* One instance from its model to its results; nothing if it is skipped or has run. */
clv_team_work clv_ensemble_instance;

#endif
