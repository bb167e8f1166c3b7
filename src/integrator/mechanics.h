/* SPDX-License-Identifier: Apache-2.0
 * What a variational integrator needs from a mechanism (T34).  Momenta and forces of a state that is not a solution
 * yet, violations of its loops, and one linear problem to correct both.  Coordinates q are those of the state; the
 * loops stay open until the integrator closes them. */
#ifndef CLV_INTEGRATOR_MECHANICS_H
#define CLV_INTEGRATOR_MECHANICS_H
#include "cleave/cleave.h"
#include <stdbool.h>

typedef struct clv_mechanics {
    void *owner;
    int nq, nu; /* coordinates, rates; a state is q (nq), p (nu), work (1)                                      */
    int rows;   /* rows that close loops                                                                      */
    const int *coordinate; /* (nu) index in q of each rate; the three turns of a quaternion at k..k+3: -1 - k, thrice */
    bool driven; /* the power of a stage is not known before power is called                                   */
    /* p = dL/du (nu), force = its rate without closing impulses (nu), power of what has no potential; u may miss the
     * loops */
    clv_status (*stage)(void *owner, double t, const double *q, const double *u, double *p, double *force,
                        double *power);
    /* `gap`: constraint violation of the rows at q (rows); p: generalized impulse of closing impulses sigma (nu).
     * Either may be NULL. */
    clv_status (*node)(void *owner, double t, const double *q, const double *sigma, double *p, double *gap);
    /* the mass problem at q, for `solve` until it is called again */
    clv_status (*factor)(void *owner, double t, const double *q);
    /* M du = tau + wrenches of sigma, rows of du = a  ->  du (nu), sigma (rows) */
    clv_status (*solve)(void *owner, const double *tau, const double *a, double *du, double *sigma);
    /* the same power as of stage, prescribed motions included */
    clv_status (*power)(void *owner, double t, const double *q, const double *u, double *power);
    /* Rigid contacts, for methods that find impulses (T62). */
    int touching; /* most points                                                                               */
    /* n points that are in contact at q; law and push are of point k < n */
    clv_status (*touch)(void *owner, double t, const double *q, int *n);
    void (*law)(void *owner, int k, double *restitution, double *friction);
    /* generalized force (nu) of a unit force along the normal (axis 0) or across it */
    void (*push)(void *owner, int k, int axis, double *tau);
    /* rates du (nu) by tau (nu) with the factor at hand, loops closed */
    clv_status (*respond)(void *owner, const double *tau, double *du);
    /* what one search for impulses took */
    void (*struck)(void *owner, int iterations, double residual, bool limited);
} clv_mechanics;

#endif
