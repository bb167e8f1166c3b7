/* SPDX-License-Identifier: Apache-2.0
 * Vector work of the integrators: combinations of stages and norms of errors, in one pass over the states.  Long
 * vectors do not fit into caches, so a pass works on blocks: all columns of a block while it is in the first cache.
 * Every number is made by the same operations in the same order whatever the block, so threads share out blocks. */
#ifndef CLV_INTEGRATOR_VECTOR_H
#define CLV_INTEGRATOR_VECTOR_H
#include <stdbool.h>
#include <math.h>
#include <stddef.h>
#include "base/team.h"
#include "base/tolerance.h"

enum { CLV_VECTOR_BLOCK = 256 }; /* states of a block: 2 kB a column */

/* sum of w_j k_j over `columns` vectors `stride` numbers apart; zeros in w are skipped */
typedef struct clv_combination {
    const double *w, *k;
    size_t stride;
    int columns;
    clv_team *team; /* shares out the work, or NULL */
} clv_combination;

/* An error as a fraction of what is tolerated: max |e_i| / clv_tolerated of the larger of |y_i| and |y_new_i|, over the
 * states with a scale; infinity where it is not a number. */
typedef struct clv_error_norm {
    double rtol, atol;
    const double *scale, *bound, *y, *y_new; /* (n); bound: or NULL, as in clv_ode */
    double value;                            /* so far */
} clv_error_norm;

/* What is tolerated of a state of this size: rtol of it, at most of its bound, and atol scale (T16.2). */
static inline double clv_tolerated(double rtol, double atol, double scale, double bound, double size)
{
    const double share = rtol * (size > bound ? bound : size), least = CLV_TOL_TURNS * size, floor = atol * scale;
    const double most = bound < INFINITY && least > share ? least : share;
    return most > floor ? most : floor;
}

/* to (n) = the sum */
void clv_vector_sum(double *to, const clv_combination *c, int n);
/* to (n) = y + h times the sum; to may be y */
void clv_vector_advance(double *to, const double *y, double h, const clv_combination *c, int n);
/* norm of the sum, which is kept nowhere */
double clv_vector_norm_of_sum(const clv_error_norm *norm, const clv_combination *c, int n);
/* the same; *worst: the state that makes the norm, -1 if it is zero */
double clv_vector_norm_of_sum_at(const clv_error_norm *norm, const clv_combination *c, int n, int *worst);
/* The state at which e (count, the states from `from` on) is this large a fraction of what is tolerated; -1: none. */
int clv_error_norm_find(const clv_error_norm *norm, const double *e, int from, int count, double value);
/* norm->value grows to that of e (count), the states from `from` on */
void clv_error_norm_add(clv_error_norm *norm, const double *e, int from, int count);
/* Are all numbers finite?  team: shares out the work, or NULL. */
bool clv_vector_finite(clv_team *team, const double *x, int n);

/* states of the block that begins at `from` */
static inline int clv_vector_block(int n, int from)
{
    return n - from < CLV_VECTOR_BLOCK ? n - from : CLV_VECTOR_BLOCK;
}

#endif
