/* SPDX-License-Identifier: Apache-2.0
 * The bodies of a contact of many (T105): who they are, which pairs of them may touch, and how many points there is
 * room for.  Made when the model is finished; sweep.h finds which of them are near each other. */
#ifndef CLV_MODEL_GROUP_H
#define CLV_MODEL_GROUP_H
#include <stdint.h>
#include "model/model.h"

enum { CLV_FIRST = 1, CLV_SECOND = 2, CLV_ON_PLANE = 4 }; /* sides of a member */

typedef struct clv_touch_member {
    int body;
    unsigned sides; /* lists that it is in, and does it touch the plane? */
    int weld;       /* bodies that fixed joints hold together have one; -1: with the ground */
    int part;       /* the same, but what stands fast on the ground has its own             */
    double radius;  /* m, of a sphere about the middle of its shape that holds it */
} clv_touch_member;

typedef struct clv_touch_group {
    /* as given */
    int nfirst, nsecond, nexcept;
    int *first, *second; /* (nfirst) (nsecond) bodies; none: all with a shape, the first list */
    int *except;         /* (nexcept x 2) pairs that do not touch                             */
    bool neighbours;     /* bodies touch that a joint connects                                */
    int given;           /* points at a time; 0: chosen                                       */
    /* of a finished model */
    int number;          /* among the groups of the model                                     */
    int n;
    clv_touch_member *member; /* (n) by bodies                                                */
    int nkey, njoined;
    uint64_t *key;       /* (nkey) pairs of bodies that do not touch, in order                */
    uint64_t *joined;    /* (njoined) the same of parts                                       */
    int nbefore;
    const struct clv_touch_group **before; /* (nbefore) groups before it, which have their pairs    */
    int pairs, points;   /* room for pairs that are near each other, for points               */
} clv_touch_group;

/* A copy of what is given; NULL: out of memory. */
clv_touch_group *clv_touch_group_create(const clv_contact_group *given);
void clv_touch_group_free(clv_touch_group *g);
/* Members, pairs and room, for force `index` of a valid model; false: out of memory. */
bool clv_touch_group_settle(clv_model *m, int index);
/* Gives back what the last call has made. */
void clv_touch_group_unsettle(clv_touch_group *g);
/* Number of the member that is this body, or -1. */
int clv_touch_group_find(const clv_touch_group *g, int body);
/* May members i and j touch? */
bool clv_touch_group_takes(const clv_touch_group *g, int i, int j);
/* How many groups a model has. */
int clv_touch_group_count(const clv_model *m);
/* m, of a sphere about the middle of a shape that holds it. */
double clv_shape_radius(const clv_shape *s);

#endif
