/* SPDX-License-Identifier: Apache-2.0
 * Start coordinates that follow by couplings; see follow.c. */
#ifndef CLV_MODEL_FOLLOW_H
#define CLV_MODEL_FOLLOW_H
#include "model/joint.h"

/* Sets `follows`, `follow` of joints whose start coordinate follows from given and prescribed ones, or, with `poses`,
 * also from those that the reference poses determine.  *any: one was set.  Errors: CLV_ERR_MEMORY. */
clv_status clv_model_follow(clv_model *m, bool poses, bool *any);

#endif
