/* SPDX-License-Identifier: Apache-2.0
 * Linear systems about the output state (T64): what its files share.
 *
 *   linearize.c          states, the matrices
 *   linearize_slopes.c   derivatives of samples: those of clv_sim_derivatives, or differences
 *   linearize_sample.c   the mechanism beside the output state: loops closed, accelerations, outputs */
#ifndef CLV_SIMULATION_LINEARIZE_H
#define CLV_SIMULATION_LINEARIZE_H
#include "simulation/equilibrium.h"

/* What a coordinate (of nu) belongs to. */
typedef struct clv_place_of {
    int body, mode; /* body whose tree joint has it, or of the mode; mode: -1 of a joint             */
    int at;         /* component of the joint                                                        */
    int turn;       /* rotation 0 .. 2 of a quaternion, or -1                                        */
    int q;          /* offset in q of the coordinate, or of the quaternion                           */
} clv_place_of;

typedef struct clv_linearizer {
    clv_sim *s;
    clv_statics e;          /* independent directions of positions, displacements that keep loops closed */
    double *N;              /* (g x n) those of rates, in parts of units as of the other                 */
    int n, f, g, noutput;   /* coordinates (nu), independent directions of positions, of rates, outputs  */
    int width;              /* numbers of a sample: 2 n + g + noutput                                   */
    clv_linear_output_fn output;
    void *user;
    clv_place_of *place;    /* (n)                                                                      */
    int *chosen, *moving;   /* (f) (g) coordinates that are states, rates that are, ascending            */
    double *u0, *y0, *turn0; /* (nu) (states of the formulation) (6 nedge) of the output state          */
    double *z, *w;          /* (f) (g) displacement and change of rates along the directions, parts of units */
    double *q, *du;         /* (nq) (nu) work                                                           */
    double *sample;         /* (6 x width)                                                              */
    double *D, *error;      /* (width x (f + g + ninput)) derivatives, and their estimated errors       */
    double *E;              /* (f + g, squared) work                                                    */
    clv_derivatives *known; /* derivatives of accelerations, or NULL: differences of all                 */
    char why[384];          /* why there are none                                                        */
    clv_arena arena;
} clv_linearizer;

enum { CLV_LINEAR_POINTS = 3 }; /* beside the state, on each side                                        */
/* D and error: derivatives of a sample with respect to z, w and the inputs (T64.3, T64.6).  Errors: of samples. */
clv_status clv_linear_slopes(clv_linearizer *l);
/* clv_sim_linearize; `differences`: of everything, for tests. */
clv_status clv_linearize_by(clv_sim *s, int outputs, clv_linear_output_fn output, void *user, bool differences,
                            clv_linear **result);

/* to (width): displacements of all coordinates, changes of all rates, accelerations of the rates that are states, and
 * outputs, at the displacement z and change of rates w.  Errors: CLV_ERR_NO_CONVERGENCE (the loops do not close
 * there), those of evaluations and of the caller's function. */
clv_status clv_linear_sample(clv_linearizer *l, double *to);
/* Brings the output state back. */
void clv_linear_restore(clv_linearizer *l);

#endif
