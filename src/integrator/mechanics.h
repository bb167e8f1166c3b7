/* SPDX-License-Identifier: Apache-2.0
 * What a variational integrator needs from a mechanism (T34).  Momenta and forces of a state that is not a solution
 * yet, violations of its loops, and one linear problem to correct both.  Coordinates q are those of the state; the
 * loops stay open until the integrator closes them. */
#ifndef CLV_INTEGRATOR_MECHANICS_H
#define CLV_INTEGRATOR_MECHANICS_H
#include "cleave/cleave.h"
#include <stdbool.h>
#include <stddef.h>

/* A component of the mechanism that an impulse at a point moves.  Its directions J (3 x n) and the rates Y (3 x n) that
 * unit impulses along them cause begin at `at` in the arrays of the set. */
typedef struct clv_contact_part {
    int component; /* or -1: none                                                   */
    int first, n;  /* its rates, in order of components                             */
    size_t at;
} clv_contact_part;

/* A point in contact.  Axis 0 is the normal, into the second body; 1 and 2 are across it. */
typedef struct clv_contact_point {
    int contact;               /* of the model; points come in this order               */
    long pair;                 /* of its bodies, and then in this one                   */
    double restitution, friction;
    bool dry;                  /* its impulse has either sign and is `bound` at most (T158) */
    double bound;              /* N s, N m s */
    double alone;              /* 1/kg, velocity of the bodies by a unit impulse if nothing held them */
    double bend;               /* m/s^2, least velocity along the normal over the step: it goes round inside (T148) */
    double place[3];           /* m, on the second body, in its axes                    */
    double axis[3][3];         /* unit vectors, global                                  */
    double before[3], after[3]; /* m/s along the axes, by prescribed motions at both ends of the step (T154) */
    clv_contact_part part[2];  /* the second is empty where one component takes it all  */
    double W[9];               /* (3 x 3) velocity along axis i by a unit impulse along j; 0: the point cannot move */
} clv_contact_point;

typedef struct clv_contact_set {
    int n;
    const clv_contact_point *point;
    const double *J, *Y;
} clv_contact_set;

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
    int touching;   /* most points                                                                             */
    int components; /* parts of the mechanism that no joint or coupling connects                               */
    const int *component_rate; /* (nu) the rates in order of components: position in u                         */
    /* The points in contact at q, the middle of the step from t to t + h, and, if there are any, what impulses at them
     * do (factor at (t + h/2, q)). */
    clv_status (*touch)(void *owner, double t, double h, const double *q, clv_contact_set *set);
    /* Sets the bound of point k, which is dry, for a step of h in which its rate is this. */
    void (*bind)(void *owner, int k, double h, double rate);
    /* J, what prescribed motions do in that step while impulses tau (nu) act along the rates there (T154); NULL: there
     * are none */
    clv_status (*carry)(void *owner, double t, double h, const double *tau, double *work);
    /* The error of a point that motions press on at time t where nothing can give way (T154.4). */
    clv_status (*pressed)(void *owner, const clv_contact_point *point, double t);
    /* what one search for impulses took; jam: 1 + contact of the first point that jams at time t (T117), or 0 */
    void (*struck)(void *owner, int iterations, double residual, bool limited, int jam, double t);
    /* Dampers of joints are implicit in a step of h from the rates u (nu), and do no work there, until the next call; u
     * NULL: no longer (T118). */
    void (*ease)(void *owner, double h, const double *u);
    const double *damping; /* (nu) N s/m, N m s: of these dampers; NULL: there is none                         */
} clv_mechanics;

#endif
