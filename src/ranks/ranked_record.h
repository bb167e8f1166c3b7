/* SPDX-License-Identifier: Apache-2.0
 * The record of a mechanism on ranks; for the files of ranked.h and tests alone. */
#ifndef CLV_RANKS_RANKED_RECORD_H
#define CLV_RANKS_RANKED_RECORD_H
#include "ranks/ranked.h"
#include "ranks/relay.h"
#include "ranks/share.h"
#include "simulation/divided.h"

struct clv_ranked {
    clv_cut cut;
    clv_relay relay;
    clv_share share;
    clv_divided divided;
    clv_divided_time *breaks; /* of the mechanism              */
    int nbreak;
    clv_sim *sim;      /* of this rank's segments              */
    int nbody, njoint; /* of the mechanism                     */
    uint64_t model_print, print; /* of the mechanism; of it, segments and options */
    clv_error error;
};

/* ranked.c: room for n + 1 things that another rank sends already.  Without it that rank would wait for ever, so all
 * ranks end; NULL where they cannot be ended. */
void *clv_ranked_room(const clv_ranked *r, int n, size_t size);

#endif
