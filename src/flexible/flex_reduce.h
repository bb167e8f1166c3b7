/* SPDX-License-Identifier: Apache-2.0
 * Reduction of a finite-element body after Craig and Bampton (T33).  The frame interface is held.  The modes are the
 * static modes of the other interfaces and the lowest modes with all interfaces held, made orthonormal. */
#ifndef CLV_FLEXIBLE_FLEX_REDUCE_H
#define CLV_FLEXIBLE_FLEX_REDUCE_H
#include "flexible/flex_body.h"

#define CLV_FE_MOST 3000 /* degrees of freedom: dense matrices of 72 MB each */

/* A rigid piece that joints sit on: one node, or several that move with it. */
typedef struct clv_fe_interface {
    const char *name;
    double position[3];    /* m, FE axes                          */
    double orientation[4]; /* w x y z, interface axes to FE axes  */
    const int *node;       /* its nodes; no node is in two interfaces */
    int nnode;
} clv_fe_interface;

typedef struct clv_fe {
    int nnode;
    const double *position;  /* (nnode x 3) m, FE axes                                                */
    const char *const *name; /* (nnode) for what goes wrong                                           */
    const double *K, *M, *D; /* (6 nnode square) symmetric; by node 3 translations, 3 rotations; D may be NULL */
    const clv_fe_interface *interface;
    int ninterface, frame; /* frame: the interface that is held, and is the body frame              */
    int modes;             /* lowest modes with all interfaces held; or -1:                         */
    double most;           /* all of those up to this, rad/s                                        */
} clv_fe;

/* Opens *b and fills it.  Body axes are those of the frame interface, the other interfaces are its nodes; Mff = 1, K =
 * omega^2, C from D.  fixed: how many of its modes have the interfaces held.  Errors in *e: CLV_ERR_MODEL (matrices no
 * body has, or not this one; too few modes), CLV_ERR_UNSUPPORTED (size, no LAPACK), CLV_ERR_MEMORY. */
clv_status clv_fe_reduce(clv_flex_body *b, int *fixed, const clv_fe *fe, clv_error *e);

#endif
