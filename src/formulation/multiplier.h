/* SPDX-License-Identifier: Apache-2.0
 * Augmented Lagrangian on the engine (T23): rows with a penalty are factored once and closed by iterating multipliers.
 *
 *   M dx = K dsigma,   K^T dx = r - eps dsigma,   r: what the rows still miss;   x += dx, sigma += dsigma
 *
 * eps_i = scale_i^2 / alpha_i, scale_i^2 the compliance of the free bodies that row i meets (T20): alpha is in units of
 * the inertia the row moves, and no rank is decided.  Absolute: eps_i = 1 / alpha_i. */
#ifndef CLV_FORMULATION_MULTIPLIER_H
#define CLV_FORMULATION_MULTIPLIER_H
#include "formulation/system.h"

/* A correction and what belongs to it. */
typedef struct clv_direction {
    double *dx, *du; /* (nbody x 6), (nu)                                                              */
    double *sigma;   /* (nsigma) multipliers that bring it about                                       */
    double *rows;    /* (nclosing_row) K^T dx                                                          */
} clv_direction;

typedef struct clv_multiplier {
    double *r;       /* (nclosing_row) what the rows miss                                              */
    double *dx, *du; /* (nbody x 6), (nu) one correction                                               */
    double *zero;    /* (nbody x 6) stays 0                                                            */
    double *alpha;   /* (nsigma) penalty on a row ...                                                  */
    bool absolute;   /* ... in kg, kg m^2; else in units of the inertia the row moves                  */
    double *q;       /* (nq) place of the factor ...                                                   */
    double t;        /* ... its time, NaN: none ...                                                    */
    long factor;     /* ... and its number in the engine                                               */
    clv_direction g, p; /* of the conjugate gradients                                                  */
} clv_multiplier;

void clv_multiplier_layout(clv_multiplier *m, const clv_plan *p, clv_arena *a);
/* alpha of all rows: that of the joint, or `alpha` where it has none. */
void clv_multiplier_penalties(const clv_system *s, clv_multiplier *m, double alpha, bool absolute);
/* Poses, and the factor with the penalties there, unless the engine still holds it.  Errors: as clv_system_place. */
clv_status clv_multiplier_place(clv_system *s, clv_multiplier *m, double t, const double *q);
/* Solves with that factor for b (nbody x 6), tau (nu: modes), c, a; x and u are overwritten.  e->sigma: multipliers. */
void clv_multiplier_solve(clv_system *s, const clv_multiplier *m, double *x, double *u, const double *b,
                          const double *tau, const double *c, const double *a);
/* dx, du that remove r, but for eps dsigma */
void clv_multiplier_correct(clv_system *s, const clv_multiplier *m);
/* One correction more? change: the last; tolerance and limit end the iteration, so does a change no smaller than
 * before. */
bool clv_multiplier_goes_on(clv_stage *stage, double change, double tolerance, int limit);
/* Does the iteration shrink its changes by less than a fifth, so that conjugate gradients are worth their start? */
bool clv_multiplier_slow(const clv_stage *stage, double before, double change);
/* Where rows repeat others and are violated: the eigenvalue of G (T23.4) up to which a direction may owe its existence
 * to the violation.  Else 0: a motion is followed up to a toggle.  Uses m->r. */
double clv_multiplier_lost(clv_system *s, const clv_multiplier *m);
/* Continues by conjugate gradients from what the rows still miss, m->r.  Corrects x (nbody x 6, or NULL), u (nu) and
 * lambda (nsigma, or NULL).  Ends where a change is within the tolerance, where only directions with eigenvalues below
 * `lost` are left, or at the limit of further iterations (T23.4). */
void clv_multiplier_conjugate(clv_system *s, clv_multiplier *m, double *x, double *u, double *lambda, clv_stage *stage,
                              double lost, double tolerance, int limit);
/* r := a - K^T x of all rows */
void clv_multiplier_missed(const clv_engine *e, double *r, const double *a, const double *x);

/* largest absolute value, or NaN */
double clv_multiplier_largest(const double *v, int n);

#endif
