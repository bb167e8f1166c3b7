/* SPDX-License-Identifier: Apache-2.0
 * Random branches and brackets for the branch method (T28, T29). */
#ifndef ORACLE_RANDOM_BRANCHES_H
#define ORACLE_RANDOM_BRANCHES_H
#include "model/model.h"
#include "oracle/random_system.h"

/* Cuts the tree of the branch method's own plan at random joints; every third piece stays without a name, flexible
 * bodies stay whole. Returns the number of pieces. */
int random_branches(clv_model *m, random_stream *r);
/* Random brackets over all branches of the model, by name or number; free it. */
char *random_brackets(const clv_model *m, random_stream *r);
#endif
