/* SPDX-License-Identifier: Apache-2.0
 * Output states whose views wait until somebody looks (T165): poses, velocities and energies of bodies are formed at
 * the first call that shows them.  Until then what is in model order takes no memory in a run. */
#ifndef CLV_SIMULATION_UNSEEN_H
#define CLV_SIMULATION_UNSEEN_H
#include "simulation/sim.h"

/* May they wait? */
bool clv_unseen_waits(const clv_sim *s);
/* After the first rates, which have left the rest out: poses, velocities and what energies look at.  Accelerations come
 * from the rows. */
void clv_unseen_first(clv_sim *s);
/* In place of clv_sim_show, of a state that steps have reached, or of the start: what can fail is found now, and views
 * wait where nobody has looked yet.  Errors: as clv_sim_show. */
clv_status clv_unseen_show(clv_sim *s);
/* Before a step and after it: where nobody has looked yet, what was formed in model order is given back. */
void clv_unseen_step(clv_sim *s);

#endif
