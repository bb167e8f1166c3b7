/* SPDX-License-Identifier: Apache-2.0
 * One mechanism on several ranks (T80, T81): every rank has some segments of it as a simulation of its own, and takes
 * part in the sweeps over all.  Every function is called by all ranks. */
#ifndef CLV_RANKS_RANKED_H
#define CLV_RANKS_RANKED_H
#include "ranks/relay.h"
#include "ranks/share.h"
#include "simulation/divided.h"

typedef struct clv_ranked {
    clv_cut cut;
    clv_relay relay;
    clv_share share;
    clv_divided divided;
    clv_sim *sim; /* of this rank's segments */
    clv_error error;
} clv_ranked;

/* segments: at most, a power of two, or 0: as the model calls for.  On failure the record has the error of this rank.
 * Close it as usual. */
clv_status clv_ranked_open(clv_ranked *r, const clv_model *m, const clv_sim_options *options, const clv_ranks *ranks,
                           int segments);
void clv_ranked_close(clv_ranked *r);
/* The output state of all bodies of the mechanism, on rank 0; other ranks may give NULL.  Centres of mass (nbody x 3),
 * orientations (nbody x 4), velocities (nbody x 6).  energy: kinetic and potential (J), on all ranks.  False: a
 * message was lost. */
bool clv_ranked_gather(clv_ranked *r, double *position, double *orientation, double *velocity, double energy[2]);
/* Numbers of joints (njoint x n), as `of` gives those of one joint of a simulation, on rank 0. */
bool clv_ranked_joints(clv_ranked *r, int n, void (*of)(const clv_sim *sim, int joint, double *to), double *to);

#endif
