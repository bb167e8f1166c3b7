/* SPDX-License-Identifier: Apache-2.0
 * A flexible body as a cloud of point masses with mode shapes and a few small spinning discs: what the oracle moves
 * point by point, and from which the model gets its integrals. */
#ifndef ORACLE_FLEX_CLOUD_H
#define ORACLE_FLEX_CLOUD_H
#include "model/model.h"
#include "oracle/random_system.h"

typedef struct flex_cloud {
    int npoint, nmode, ndisc;
    double *mass, *x, *phi; /* (npoint), (npoint x 3), (npoint x nmode x 3) body axes           */
    double *disc;           /* (ndisc x 6) xx yy zz xy xz yz: rotary inertia, body axes         */
    double *turn;           /* (ndisc x nmode x 3) turn of the discs per unit                   */
} flex_cloud;

/* Takes memory, all zero. */
flex_cloud *flex_cloud_open(int npoint, int nmode, int ndisc);
/* Random, with one disc. */
flex_cloud *flex_cloud_create(random_stream *s, int npoint, int nmode);
void flex_cloud_destroy(flex_cloud *c);
/* Adds the body `name` and its random nodes `n0` ... to the model; stiffness and damping random, positive definite. */
int flex_cloud_add(clv_model *m, const flex_cloud *c, random_stream *s, const char *name, int nnode);
#endif
