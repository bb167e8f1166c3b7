/* SPDX-License-Identifier: Apache-2.0
 * One mechanism on several ranks (T80, T81): every rank has some segments of it as a simulation of its own, and takes
 * part in the sweeps over all.  Every function is called by all ranks. */
#ifndef CLV_RANKS_RANKED_H
#define CLV_RANKS_RANKED_H
#include "base/ranks.h"
#include "cleave/cleave.h"

typedef struct clv_ranked clv_ranked;

/* segments: at most, a power of two, or 0: as the model calls for.  On failure *ranked carries
 * the error of this rank (NULL only when out of memory); close it as usual. */
clv_status clv_ranked_open(clv_ranked **r, const clv_model *m, const clv_sim_options *options, const clv_ranks *ranks,
                           int segments);
/* The same in two steps: the share of this rank, without a message, after which the model is needed no longer; its
 * simulation. */
clv_status clv_ranked_divide(clv_ranked **r, const clv_model *m, const clv_ranks *ranks, int segments);
clv_status clv_ranked_begin(clv_ranked *r, const clv_sim_options *options);
/* Has clv_ranked_begin failed on all ranks together?  Else others may wait for a message of one that has failed. */
bool clv_ranked_parted(const clv_ranked *r);
/* Between the two, on all ranks: nobody looks at states (clv_ranked_gather, _save), so those of bodies are not
 * formed, and take no memory (T149).  Models with events are looked at even so. */
void clv_ranked_blind(clv_ranked *r);
void clv_ranked_close(clv_ranked *r);
/* The simulation of this rank's segments, or NULL; the last error. */
clv_sim *clv_ranked_sim(const clv_ranked *r);
const clv_error *clv_ranked_error_of(const clv_ranked *r);
/* The error of a rank on which nothing has failed itself? */
bool clv_ranked_elsewhere(const clv_error *e);
/* Does a loop pass all segments, from ground to ground (T128)? */
bool clv_ranked_closed(const clv_ranked *r);
/* Segments of the mechanism; messages that this rank has sent, and their bytes. */
int clv_ranked_segments(const clv_ranked *r);
void clv_ranked_sent(const clv_ranked *r, long *messages, long *bytes);
/* From now on no step passes this time (s); INFINITY: none. */
void clv_ranked_stop_at(clv_ranked *r, double time);
/* ranked_events.c: as clv_sim_advance; CLV_STOPPED: an event of the model has ended the run, and the output state is
 * that of its time. */
clv_status clv_ranked_advance(clv_ranked *r, double time);
/* Events of the model; the name of one, and the time (s) at which it has ended the run, or NaN. */
int clv_ranked_events(const clv_ranked *r);
const char *clv_ranked_event(const clv_ranked *r, int i, double *time);
/* Is it so on all ranks?  The sum of x over the ranks. */
bool clv_ranked_all(clv_ranked *r, bool here);
double clv_ranked_sum(clv_ranked *r, double x);
/* n numbers an item: those of this rank (items x n) to the rows index (items) of `to` on rank 0, where every rank
 * sends them one after the other.  False: a message was lost, or no memory. */
bool clv_ranked_collect(clv_ranked *r, const int *index, const double *own, int items, int n, double *to);
/* The output state of the mechanism, on rank 0; other ranks may give NULL.  Centres of mass (nbody x 3), orientations
 * (nbody x 4), velocities (nbody x 6); coordinates (njoint x 7), rates (njoint x 6). */
typedef struct clv_ranked_state {
    double *position, *orientation, *velocity, *q, *u;
} clv_ranked_state;
/* energy, on all ranks: kinetic, potential, work of loads (J).  False: as above. */
bool clv_ranked_gather(clv_ranked *r, const clv_ranked_state *to, double energy[3]);
/* The first error that a rank has found itself, on rank 0, with its rank; has: this one has `error`.  -1: none has. */
int clv_ranked_error(clv_ranked *r, bool has, clv_error *error);

/* ranked_saved.c */
/* The state at the end of a step, which is the output state (clv_ranked_stop_at): on rank 0 in *bytes (clv_free it).
 * False: a message was lost, or no memory. */
bool clv_ranked_save(clv_ranked *r, void **bytes, size_t *size);
/* A state saved on any number of ranks; rank 0 has it.  Errors: CLV_ERR_USAGE: of something else; CLV_ERR_MEMORY. */
clv_status clv_ranked_load(clv_ranked *r, const void *bytes, size_t size);

#endif
