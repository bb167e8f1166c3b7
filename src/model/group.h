/* SPDX-License-Identifier: Apache-2.0
 * The shapes of a contact of many (T105): who they are, which pairs of them may touch, and how many points there is
 * room for.  Made when the model is finished; sweep.h finds which of them are near each other. */
#ifndef CLV_MODEL_GROUP_H
#define CLV_MODEL_GROUP_H
#include <stdint.h>
#include "model/model.h"

enum { CLV_SIDE_FIRST = 1, CLV_SIDE_SECOND = 2, CLV_ON_PLANE = 4 }; /* sides of a member */

typedef struct clv_touch_member {
    int id;         /* their order: shapes added to the ground, those of bodies, those added to bodies        */
    int body_id;    /* id of the shape of its body, -1: of the ground                       */
    int body;       /* or CLV_GROUND: a shape added to the ground                           */
    int shape;      /* number of an added shape; -1: that of the body                       */
    const clv_shape *form;
    const struct clv_hull *hull;
    unsigned sides; /* lists that it is in, and does it touch the plane? */
    int weld;       /* bodies that fixed joints hold together have one; -1: with the ground */
    int part;       /* the same, but what stands fast on the ground has its own             */
    double radius;  /* m, of a sphere about the middle of its shape that holds it */
} clv_touch_member;

typedef struct clv_touch_group {
    /* as given */
    int nfirst, nsecond, nexcept;
    int *first, *second; /* (nfirst) (nsecond) bodies or CLV_SHAPE_NUMBER; none: all shapes, the first list */
    int *except;         /* (nexcept x 2) pairs of these that do not touch                    */
    bool neighbours;     /* bodies touch that a joint connects                                */
    bool plane_only;     /* the plane alone is touched                                        */
    int given;           /* points at a time; 0: chosen                                       */
    /* of a finished model */
    int number;          /* among the groups of the model                                     */
    int n;
    clv_touch_member *member; /* (n) by ids                                                   */
    int nkey, njoined;
    uint64_t *key;       /* (nkey) pairs of bodies or ids that do not touch, in order         */
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
/* Name of the body or added shape of a member. */
const char *clv_touch_member_name(const clv_model *m, const clv_touch_member *x);
/* Has a body a shape, its own or an added one? */
bool clv_model_has_shape(const clv_model *m, int body);
/* May members i and j touch? */
bool clv_touch_group_takes(const clv_touch_group *g, int i, int j);
/* How many groups a model has. */
int clv_touch_group_count(const clv_model *m);

#endif
