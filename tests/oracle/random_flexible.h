/* SPDX-License-Identifier: Apache-2.0
 * Random mechanisms of rigid and flexible bodies: trees that enter flexible bodies at their frame or at any node,
 * branches on nodes, closing joints on nodes and frames, springs and dampers between them,
 * floating and grounded roots. */
#ifndef ORACLE_RANDOM_FLEXIBLE_H
#define ORACLE_RANDOM_FLEXIBLE_H
#include "oracle/flex_cloud.h"

typedef struct random_flexible {
    clv_model *model;
    flex_cloud *cloud[16]; /* of the flexible bodies */
    int nclosing;
} random_flexible;

/* `closing`: with loops.  Finished; aborts if the model is refused. */
random_flexible *random_flexible_create(uint64_t seed, bool closing);
void random_flexible_destroy(random_flexible *r);
#endif
