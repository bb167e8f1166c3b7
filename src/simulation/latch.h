/* SPDX-License-Identifier: Apache-2.0
 * Events of the model (T60, T95): joints that are locked and released, bodies that are attached, runs that end.
 *
 *   latch.c          when: after every accepted step
 *   latch_find.c     when within it, on its dense output
 *   latch_cross.c    what: the topology after the event, and which events follow at once
 *   variant.c        the simulation is built anew, in place, for a variant of the model
 *   latch_impulse.c  velocities after the impulse
 *   latch_save.c     topology and state at the last event, as bytes
 *
 * A variant shares all it can with the model given.  Its own are bodies, joints, flexible bodies, motions and inputs:
 * start data, joints that are absent, frames of attachments, and a motion that holds each locked joint. */
#ifndef CLV_SIMULATION_LATCH_H
#define CLV_SIMULATION_LATCH_H
#include "base/memory.h"
#include "plan/plan.h"

typedef struct clv_happening {
    bool armed;    /* the condition has not held since the start or the last time          */
    bool due;      /* at the pending time                                                  */
    double found;  /* s, in the last step; INFINITY: not in it                             */
    double before; /* of a rate: distance from the value just before another event         */
    int quick;     /* how often it has come soon after the time before                     */
    clv_event_result result;
} clv_happening;

/* Which joints are there, and which are held. */
typedef struct clv_topology {
    double *held;  /* (njoint) m or rad: the coordinate of a locked joint; NaN: not locked */
    int *holder;   /* (njoint) the event that locked it                                    */
    bool *absent;  /* (njoint)                                                             */
    double *frame; /* (nevent x 12) of attachments, in b: origin (m), rotation row major   */
} clv_topology;

/* The state just before an event. */
typedef struct clv_moment {
    double time;
    double *q, *u;      /* (njoint x 7) (njoint x 6)                                          */
    double *r, *e, *V;  /* (nbody x 3, 4, 6) of centres of mass, as the views; undeformed     */
    double *eta, *etad; /* modal coordinates and rates, flexible bodies in order              */
    double *servo;      /* (nmotion x 4) what inputs have added to motions                    */
    double *ramp;       /* (ninput x 2) from where their efforts follow                       */
    double *c;          /* (nbody x 6) scratch: motions that the impulse changes              */
    double *input;      /* (ninput)                                                           */
    bool *fresh;        /* (njoint) attached by the event                                     */
    double energy, work; /* J                                                                 */
} clv_moment;

typedef struct clv_latches {
    const clv_model *given;  /* as given to clv_sim_create                                         */
    clv_model *variant;      /* since the last event, else NULL                                    */
    clv_happening *of, *was; /* (nevent)  was, next, here: while an event is crossed               */
    clv_topology now, next;
    clv_moment last, here;   /* last: of the variant                                               */
    double work_scale;       /* J, typical size of the work since the last event                   */
    int freedoms, redundant; /* counted mobility, redundant rows, at the start                     */
    int beside;              /* redundant rows beside it                                           */
    double pending;          /* s, of an event that is not crossed yet; INFINITY: none             */
    int stopped;             /* the event that has ended the run, or -1                            */
    const clv_moment *building; /* while a simulation is built for it                              */
    const bool *keep;        /* (njoint) the same: joints that the tree should have, or NULL           */
    double *scratch;         /* (2 x clv_latches_numbers)                                          */
    clv_arena block;
} clv_latches;

/* Of a model with events, after clv_sim_build.  Errors: CLV_ERR_MEMORY; of the poses. */
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
/* Before a step towards `time`: crosses events that lie before it.  Errors: CLV_STOPPED; those of clv_latches_cross. */
clv_status clv_latches_before(clv_sim *s, double time);
/* CLV_ERR_UNSUPPORTED: "<what>: the model has events". */
clv_status clv_latches_refuse(clv_sim *s, const char *what);
/* Can the event come, now that its distance is g? */
bool clv_latches_armed(const clv_happening *h, const clv_event *e, double g);
/* latch_find.c: in the last step: h->found, the first time at which the condition of `e` holds after it did not, else
 * as it was.  The joint and the markers of `e` are those of the simulation, which may have no events itself. */
clv_status clv_latches_find(clv_sim *s, const clv_event *e, clv_happening *h, bool *posed);
/* Place of a marker, m, global axes, at the poses of the simulation. */
void clv_marker_at(const clv_sim *s, int marker, double at[3]);
/* Does a condition wait for another event at this time?  Then it may be due at once. */
bool clv_latches_jumps(const clv_event *e);
/* The distance of a condition from its value at time t and state y (n), < 0 before the event, NaN where its joint is
 * absent.  *posed: it has left the kinematics at that state. */
clv_status clv_latches_distance(clv_sim *s, const clv_event *e, double t, const double *y, double *g, bool *posed);
/* Where somebody else integrates: events that are due at the output state, *any of them.  A condition is if it was not
 * met before. */
clv_status clv_latches_due(clv_sim *s, bool *any);
/* Which conditions can be met from the output state on. */
clv_status clv_latches_arm(clv_sim *s);
/* Of event i, which waits for a condition: it changes its sign where there is something to do at the output state. */
clv_status clv_latches_indicator(clv_sim *s, int i, double *z);
/* s, of the next event at a given time that has not happened, of a model that begins at `begin`; INFINITY: none. */
double clv_latches_next(const clv_sim *s);
/* latch_cross.c: does what all events do that are due at x->pending, and those that follow at that time.  Allocates.
 * On failure the simulation is at the event, before it.  Errors: CLV_STOPPED (an event ends the run),
 * CLV_ERR_NO_CONVERGENCE (events follow each other without end), CLV_ERR_INCONSISTENT, CLV_ERR_MEMORY. */
clv_status clv_latches_cross(clv_sim *s);
/* latch_cross.c: l->next after all events that are due, in the order of the model, at l->here. */
void clv_topology_change(const clv_model *m, clv_latches *l);
void clv_topology_copy(clv_topology *to, const clv_topology *from, const clv_model *m);
/* A simulation of its own, by dca, as `s` is at its output state; with `due` (nevent) as it is after these events.
 * `keep` (njoint), or NULL: joints that should not close loops.
 * Allocates *to, which may be there after an error; that is in the record of `s`. */
clv_status clv_latches_follow(clv_sim *s, const bool *due, const bool *keep, clv_sim **to);
/* variant.c: the simulation is built anew for the topology and the state at an event; accounts continue. */
clv_status clv_variant_build(clv_sim *s, const clv_topology *topology, const clv_moment *x);
/* The same for the model as it was given. */
clv_status clv_variant_reset(clv_sim *s);
/* The plan for a topology; it has no model.  Errors: CLV_ERR_MEMORY; of clv_plan_create. */
clv_status clv_variant_plan(clv_sim *s, const clv_topology *topology, clv_plan **plan);
void clv_variant_free(clv_model *variant);
/* latch_impulse.c: T60.1: rates after the impulse into s->u, state into s->out_y; notes what the events that are due
 * have done. */
clv_status clv_latches_hit(clv_sim *s, const clv_moment *x);
/* latch_save.c: bytes of what follows, 0 without events.  Load: the simulation becomes one of the same topology. */
size_t clv_latches_saved_size(const clv_sim *s);
size_t clv_latches_numbers(const clv_model *m); /* of 8 bytes each */
int clv_latches_modes(const clv_model *m);      /* of all flexible bodies */
char *clv_latches_save(const clv_sim *s, char *to);
clv_status clv_latches_load(clv_sim *s, const char *from);

#endif
