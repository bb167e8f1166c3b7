/* SPDX-License-Identifier: Apache-2.0
 * The joints at each body, and at the ground. */
#ifndef CLV_MODEL_JOINT_LISTS_H
#define CLV_MODEL_JOINT_LISTS_H
#include "model/model.h"

/* Node 0 is the ground, node b + 1 body b.  Joints of node k, in the order of adding:
 * joint[first[k]] .. joint[first[k + 1] - 1]. */
typedef struct clv_joint_lists {
    int *first, *joint; /* (nbody + 2), (2 njoint at most) */
} clv_joint_lists;

/* listed: which joints; NULL: all.  False: out of memory; close it then, too. */
bool clv_joint_lists_open(clv_joint_lists *x, const clv_model *m, bool (*listed)(const clv_joint *));
void clv_joint_lists_close(clv_joint_lists *x);

#endif
