/* SPDX-License-Identifier: Apache-2.0
 * A divided mechanism of which nobody looks at states of bodies (T149): what the start has formed of them in model
 * order is given back, and no step forms it again. */
#ifndef CLV_SIMULATION_BLIND_H
#define CLV_SIMULATION_BLIND_H
#include "simulation/sim.h"

/* m/s, rad/s: half the speed at which a run ends (speed.c).  No body of a segment is faster if the root of the sum of
 * the squares of its speeds is not. */
#define CLV_BLIND_SPEED 5e8

static inline bool clv_sim_blind(const clv_sim *s) { return s->divided && s->divided->blind; }
/* Gives back poses, motions, directions, loads and views in model order; bodies that rows look at are posed anew.
 * started: the rest of the start, too. */
void clv_sim_forget(clv_sim *s, bool started);
/* The state of the start from s->q, s->u without poses; false: the formulation needs them. */
bool clv_blind_start(clv_sim *s);
/* After the first rates: are all bodies slow and all rates small, everywhere?  Then *e has the energies of the whole.
 * Else what the checks of a start look at is there. */
bool clv_blind_calm(clv_sim *s, clv_energies *e);
/* In place of the views of an output state. */
clv_status clv_blind_show(clv_sim *s);

#endif
