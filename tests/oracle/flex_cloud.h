/* SPDX-License-Identifier: Apache-2.0
 * A flexible body as a cloud of point masses with random mode shapes and one small spinning disc: what the oracle moves point by point,
 * and from which the model gets its integrals. */
#ifndef ORACLE_FLEX_CLOUD_H
#define ORACLE_FLEX_CLOUD_H
#include "model/model.h"
#include "oracle/random_system.h"

typedef struct flex_cloud {
    int npoint, nmode;
    double *mass, *x, *phi; /* (npoint), (npoint x 3), (npoint x nmode x 3) body axes           */
    double disc[6];         /* xx yy zz xy xz yz: rotary inertia at the origin, body axes       */
    double *turn;           /* (nmode x 3) turn of the disc per unit                             */
} flex_cloud;

flex_cloud *flex_cloud_create(random_stream *s, int npoint, int nmode);
void flex_cloud_destroy(flex_cloud *c);
/* Adds the body `name` and its random nodes `n0` ... to the model; stiffness and damping random, positive definite. */
int flex_cloud_add(clv_model *m, const flex_cloud *c, random_stream *s, const char *name, int nnode);
#endif
