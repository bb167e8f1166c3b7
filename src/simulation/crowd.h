/* SPDX-License-Identifier: Apache-2.0
 * Contacts of many bodies in a simulation (T105): steps that do not pass over one of them, and the forces on each
 * body. */
#ifndef CLV_SIMULATION_CROWD_H
#define CLV_SIMULATION_CROWD_H
#include "model/contact.h"
#include "model/sweep.h"

/* Contact of a member at the output state: sums over its pairs, largest depth and slip. */
typedef struct clv_crowd_share {
    int pairs, points;
    double force[3], normal_force; /* N */
    double depth, slip;            /* m, m/s */
} clv_crowd_share;

typedef struct clv_crowd {
    int force;               /* of the model                                                          */
    bool known;              /* are the places below those at the beginning of the step?              */
    clv_solid *before;       /* (n) members at the end of the last accepted step                      */
    clv_sweep sweep;         /* members at the end of the step to be judged, boxes of the way there    */
    clv_crowd_share *share;  /* (n)                                                                   */
    clv_crowd_share all;     /* of all pairs; force is not used                                       */
} clv_crowd;

void clv_crowd_layout(clv_sim *s, clv_arena *a);
/* As those of spacing.h, which calls them. */
void clv_crowd_begin(clv_sim *s);
void clv_crowd_forget(clv_sim *s);
clv_status clv_crowd_check(clv_sim *s, double t);
void clv_crowd_keep(clv_sim *s);
/* Places that a saved state has: how many numbers; put there (returns their end), taken from there. */
size_t clv_crowd_numbers(const clv_sim *s);
char *clv_crowd_save(const clv_sim *s, char *to);
void clv_crowd_load(clv_sim *s, const char *from);

#endif
