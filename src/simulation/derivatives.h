/* SPDX-License-Identifier: Apache-2.0
 * Derivatives of accelerations at the output state (T77): what its files share.
 *
 *   derivatives.c         memory, what is refused, the state
 *   derivatives_matrices.c   mass matrix and what belongs to it
 *   derivatives_solve.c   columns: the factor of the state applied to what kinematics/derivative.h gives
 *   derivatives_open.c    the same for open trees, by a factor of the mass matrix
 *   derivatives_closed.c  the same with loops, by the Delassus matrix */
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
    int rank, *chosen;     /* rows that count, and which (rows); see derivatives_closed.c                    */
    bool dense;            /* they and the mass matrix have a factor: D (rows x rows)                        */
    double *D, *Y, *mu;    /* Y: M^-1 J^T of these rows (n x rows); mu (rows x columns)                      */
    int *up, *along, *level; /* (n) order of the coordinates, see derivatives_open.c                         */
    double *work;          /* (rows x n)                                                                     */
    double *force, *row, *column, *x; /* (n) (rows) (n) (nbody x 6) work                                     */
    double *Q;             /* (nbody x 6) zero                                                               */
    clv_arena arena;
} clv_derivatives_work;

/* Do the model and these numbers have derivatives?  Errors: CLV_ERR_USAGE, CLV_ERR_UNSUPPORTED with the name. */
clv_status clv_derivatives_check(clv_sim *s, const clv_number *number, int numbers);
/* All columns at the state of the system, which has its factor. */
void clv_derivatives_solve(clv_derivatives_work *w);
/* The same of an open tree, without the factor of the state.  False: only that one can do it; nothing is solved. */
bool clv_derivatives_solve_open(clv_derivatives_work *w);
/* derivatives_open.c: is it an open tree that is not too deep?  Factor of the mass matrix; false: a pivot is too small.
 * B (n x columns) := M^-1 B. */
bool clv_derivatives_takes_open(clv_derivatives_work *w);
bool clv_derivatives_takes_dense(clv_derivatives_work *w); /* the same with loops */
bool clv_derivatives_factor_open(clv_derivatives_work *w);
void clv_derivatives_respond_open(const clv_derivatives_work *w, double *B, int columns);
/* derivatives_closed.c: factors of independent rows; false: it is not clear which ones are.  to (n x columns) :=
 * responses to the columns of forces F (n; NULL: none; or `to` itself) and rows R (NULL: none). */
bool clv_derivatives_factor_closed(clv_derivatives_work *w);
void clv_derivatives_respond_closed(clv_derivatives_work *w, double *to, const double *F, const double *R, int columns);
/* derivatives_matrices.c: mass matrix, bias, rows of closings, Delassus matrix (T77.4). */
void clv_derivatives_matrices(clv_derivatives_work *w);

#endif
