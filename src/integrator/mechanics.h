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
} clv_mechanics;

#endif
