/* SPDX-License-Identifier: Apache-2.0
 * Events of the model (T60): joints that are locked in mid-run.
 *
 *   latch.c    when: after every accepted step, on its dense output.
 *   variant.c  what: the simulation is built anew, in place, for a variant of the model.  Its start is the state at the
 *              event, with the velocities after the impulse.
 *
 * A variant shares all it can with the model given.  Its own are bodies, joints, motions and inputs: start data, and a
 * motion that holds each locked joint. */
#ifndef CLV_SIMULATION_LATCH_H
#define CLV_SIMULATION_LATCH_H
#include "model/model.h"

typedef struct clv_happening {
    bool done, due;
    double found; /* s, in the last step; INFINITY: not in it */
    clv_event_result result;
} clv_happening;

typedef struct clv_latches {
    const clv_model *given; /* as given to clv_sim_create                     */
    clv_model *variant;     /* since the last event, else NULL                */
    clv_happening *of;      /* (nevent)                                       */
    double *y;              /* (n) state on dense output                      */
    int freedoms, redundant; /* counted mobility, redundant rows, at the start      */
    double pending;         /* s, of an event that is not crossed yet; INFINITY: none */
} clv_latches;

/* Of a model with events, after clv_sim_build.  Errors: CLV_ERR_UNSUPPORTED (flexible bodies, inputs of motions),
 * CLV_ERR_MEMORY. */
clv_status clv_latches_open(clv_sim *s);
void clv_latches_close(clv_sim *s);
/* The model that the caller knows. */
const clv_model *clv_sim_given(const clv_sim *s);
/* s, how far outputs can be taken from the last step: its end, or an event in it. */
double clv_sim_reached(const clv_sim *s);
/* s, of the next event at a given time; INFINITY: none. */
double clv_latches_time(const clv_sim *s);
/* After an accepted step: finds the first event in it. */
clv_status clv_latches_look(clv_sim *s);
/* Before a step towards `time`: crosses an event that lies before it. */
clv_status clv_latches_before(clv_sim *s, double time);
/* CLV_ERR_UNSUPPORTED: "<what> of a model with events". */
clv_status clv_latches_refuse(clv_sim *s, const char *what);
/* variant.c: locks the joints of all events that are due at x->pending.  Allocates.  On failure the simulation is at
 * the event, before it. */
clv_status clv_latches_cross(clv_sim *s);
void clv_variant_free(clv_model *variant);

#endif
