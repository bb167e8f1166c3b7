/* SPDX-License-Identifier: Apache-2.0
 * The equations of the mass-matrix baseline (T18) and their solution. */
#ifndef CLV_FORMULATION_MASSMATRIX_H
#define CLV_FORMULATION_MASSMATRIX_H
#include "formulation/system.h"
#include "kinematics/row_mass.h"

/* Unknowns in places of the rows (row_mass.h); n of them, nwide with what fills eights; m rows, mwide likewise. */
typedef struct clv_massmatrix {
    clv_row_mass mass;
    double *rank;   /* factor of Z                                                              (CLV_RANK_SIZE) */
    double *rotor;  /* kg m^2, kg: of rotors, along the unknowns (T113)                                     (n) */
    bool rotors;    /* there are some                                                                           */
    bool listed;    /* and they are known                                                                       */
    double *J;      /* rows of closings, kept where `weight` is 1                                       (m x n) */
    double *z;      /* u'                                                                                   (n) */
    double *x;      /* a right-hand side h, then u' of it; below it g, then - lambda            (nwide + mwide) */
    double *left;   /* what is left of h and of g by the motions and multipliers at hand                 (n, m) */
    double *g;
    double most;    /* largest number of h                                                                      */
    double weight;  /* 1: M holds J^T W J too, W = 1 / scale^2 of the rows; 0: it does not                      */
    enum { CLV_MASS_FOUND, CLV_MASS_SINGULAR, CLV_MASS_NOT_FINITE } outcome; /* of the last solution            */
    int failed;     /* place of the unknown that lacks inertia                                                  */
    int kept;       /* rank of Z                                                                                */
    long factor;    /* number of this factor among those of the engine: whether it is still the last one        */
} clv_massmatrix;

void clv_massmatrix_layout(clv_system *s, clv_arena *a);
/* u' (s->ud) and lambda of M u' = h + J^T lambda, J u' = g, with the loads and velocity terms in the rows.
 * Forces tau (nu), biases c (nbody x 6) of joints between strands and of links, right-hand sides s->a of loop joints.
 * With `whole`, motions and reactions of the solution too.  False: see `outcome`. */
bool clv_massmatrix_solve(clv_system *s, const double *tau, const double *c, bool whole);
/* Inertias of rotors along the unknowns, once; clv_row_mass_begin must have run. */
void clv_massmatrix_list_rotors(clv_system *s);
/* Motions of d->z, and what they leave of h and g with the multipliers s->lambda; compose: composite inertias too. */
void clv_massmatrix_leave(clv_system *s, const double *tau, const double *c, bool compose);
/* The rates du (nu) of least kinetic energy that give the rows of loop joints the values a, by the factor of the last
 * evaluation.  False: another factor was made since. */
bool clv_massmatrix_correct(clv_system *s, const double *a, double *du);

#endif
