/* SPDX-License-Identifier: Apache-2.0
 * Derivatives of accelerations at the output state (T77): what its files share.
 *
 *   derivatives.c         memory, what is refused, the state
 *   derivatives_matrices.c   mass matrix and what belongs to it
 *   derivatives_solve.c   columns: the factor of the state applied to what kinematics/derivative.h gives */
#ifndef CLV_SIMULATION_DERIVATIVES_H
#define CLV_SIMULATION_DERIVATIVES_H
#include "kinematics/derivative.h"
#include "simulation/sim.h"

typedef struct clv_derivatives_work {
    clv_derivatives shown; /* first */
    clv_sim *s;
    int size[6];           /* of what it was made for: bodies, joints, rates, rows, inputs, numbers           */
    const clv_number *number; /* the caller's                                                                */
    bool closes;           /* there are rows                                                                 */
    clv_derivative d;
    clv_linear_state *rate;
    double *mass, *bias, *closing, *delassus, *L; /* L: factor of mass (n x n), and work (n x rows)           */
    double *u, *udot, *dq, *du, *dinput, *dnumber, *follow_q, *follow_u, *follow_rate;
    double *com, *R;       /* (nbody x 3) (nbody x 9) poses                                                   */
    bool *held;            /* (rows) restricts velocities only (T68)                                         */
    double *force, *row, *column, *x; /* (n) (rows) (n) (nbody x 6) work                                     */
    double *Q;             /* (nbody x 6) zero                                                               */
    clv_arena arena;
} clv_derivatives_work;

/* All columns at the state of the system, which has its factor. */
void clv_derivatives_solve(clv_derivatives_work *w);
/* derivatives_matrices.c: mass matrix, bias, rows of closings, Delassus matrix (T77.4). */
void clv_derivatives_matrices(clv_derivatives_work *w);

#endif
