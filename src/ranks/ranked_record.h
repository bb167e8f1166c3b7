/* SPDX-License-Identifier: Apache-2.0
 * The record of a mechanism on ranks; for the files of ranked.h and tests alone. */
#ifndef CLV_RANKS_RANKED_RECORD_H
#define CLV_RANKS_RANKED_RECORD_H
#include "ranks/ranked.h"
#include "ranks/relay.h"
#include "ranks/share.h"
#include "simulation/divided.h"
#include "simulation/latch.h"

typedef struct clv_ranked_watch {
    clv_event at;  /* its joint and markers are those of this rank, or -1 */
    bool timed;    /* at a time, else at a condition ..                   */
    bool here;     /* .. that this rank can see                           */
    clv_happening happening;
} clv_ranked_watch;

struct clv_ranked {
    clv_cut cut;
    clv_relay relay;
    clv_share share;
    clv_divided divided;
    clv_divided_time *breaks; /* of the mechanism              */
    int nbreak;
    clv_ranked_watch *event; /* (nevent) of the mechanism          */
    int nevent, due, ended;  /* due: at `pending`; ended: the run, or -1 */
    double pending, stop;    /* s, of an event in the last step, INFINITY: none; of clv_ranked_stop_at */
    clv_sim *sim;      /* of this rank's segments              */
    int nbody, njoint; /* of the mechanism                     */
    bool agreed, parted; /* at the start: all ranks have agreed; that one has failed */
    uint64_t model_print, print; /* of the mechanism; of it, segments and options */
    clv_error error;
};

/* ranked_events.c: the events of the model, after its share was opened.  Errors: CLV_ERR_UNSUPPORTED, with the name of
 * what is not taken; CLV_ERR_MEMORY. */
clv_status clv_ranked_list_events(clv_ranked *r, const clv_model *m);
void clv_ranked_forget_events(clv_ranked *r);
/* ranked.c: room for n + 1 things that another rank sends already.  Without it that rank would wait for ever, so all
 * ranks end; NULL where they cannot be ended. */
void *clv_ranked_room(const clv_ranked *r, int n, size_t size);

#endif
