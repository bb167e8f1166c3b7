/* SPDX-License-Identifier: Apache-2.0
 * A simulation of some segments of a mechanism (T80); others have the rest of it.  Its model has the bodies of these
 * segments alone, as open trees that hdca or dca evaluates in rows.  All who share the mechanism call its functions in
 * the same order; steps, and what reports say of energies and steps, are those of the whole. */
#ifndef CLV_SIMULATION_DIVIDED_H
#define CLV_SIMULATION_DIVIDED_H
#include "cleave/cleave.h"
#include "formulation/across.h"
#include "model/break.h"
#include <stdint.h>

typedef struct clv_divided_time {
    double time;
    clv_break kind;
} clv_divided_time;

typedef struct clv_divided {
    int nsegment;
    const clv_plan_segment *segment; /* (nsegment) */
    const int *segment_of;           /* (nbody)    */
    bool closed;                     /* the last handle is held to ground (T128) .. */
    const clv_joint *closing;        /* .. by this joint, if it is here, or NULL    */
    int nbreak;                      /* times at which tables anywhere break off being smooth (s), and what jumps */
    const clv_divided_time *breaks;  /* (nbreak) ascending */
    double stop;                     /* s: no step passes it; INFINITY: none */
    bool looks;                      /* all of a step is looked at, not its outputs alone */
    bool leads;                      /* errors that all find are reported here */
    bool blind;                      /* nobody looks at states of bodies: they are not formed */
    clv_across across;
    /* Has all gone well so far with all who share the mechanism?  Where not, all end with an error.  Called before the
     * first message, and after parts of the start that can fail on one side alone. */
    bool (*agree)(void *owner, bool good);
} clv_divided;

/* As clv_sim_create; `divided` outlives it.  Errors besides: CLV_ERR_UNSUPPORTED of what cannot be divided. */
clv_status clv_sim_create_divided(clv_sim **sim, const clv_model *model, const clv_sim_options *options,
                                  const clv_divided *divided);
/* After an error that all who share the mechanism have found: one keeps it, for others it is CLV_DIVIDED_ELSEWHERE. */
clv_status clv_divided_all_failed(clv_sim *s);
/* clv_divided.agree after `st`: CLV_OK, or s->error, which is CLV_DIVIDED_ELSEWHERE where nothing has failed here. */
clv_status clv_divided_agree(clv_sim *s, clv_status st);
/* As clv_break_next, of the whole mechanism. */
double clv_divided_break(const clv_divided *d, double after, clv_break *kind);
/* divided_saved.c: a saved state, of which the head is the same for all who share the mechanism. */
enum { CLV_DIVIDED_STATE = 13 }; /* of one body: coordinates (7) and rates or momenta (6) of the joint that holds it */
typedef struct clv_divided_head {
    char mark[8];
    uint64_t version, print;
    double t, until, last_step, next_step, account[6];
    int64_t steps, rejected, evaluations, own_evaluations;
    int32_t order, fresh;
    char method[64]; /* the integrator's own numbers */
} clv_divided_head;
/* The last step, which has ended at the output state.  print: of mechanism and options; states: (nbody x
 * CLV_DIVIDED_STATE), zero where a body has none; work: of loads. */
void clv_divided_save(const clv_sim *sim, uint64_t print, clv_divided_head *head, double *states, double *work);
bool clv_divided_fits(const clv_sim *sim, const clv_divided_head *head, uint64_t print);
/* Of a simulation that has just been created.  Errors: of evaluations. */
clv_status clv_divided_load(clv_sim *sim, const clv_divided_head *head, const double *states, double work);
/* Coordinates and rates of the closing joint, which is here, at the output state; angles from -pi to pi. */
void clv_divided_closing_state(clv_sim *sim, double q[7], double u[6]);
/* Kinetic and potential energy (J) of the output state, by segment (nsegment x 2). */
void clv_sim_segment_energies(const clv_sim *sim, double *each);

#endif
