/* SPDX-License-Identifier: Apache-2.0
 * Independent directions of a mechanism at a pose (T50): every motion that loops, couplings and prescribed motions
 * (held) allow is  du = sum_k z_k N_k.  Used by inverse.c and equilibrium.c. */
#ifndef CLV_SIMULATION_INDEPENDENT_H
#define CLV_SIMULATION_INDEPENDENT_H
#include "simulation/assemble.h"

typedef struct clv_independent {
    clv_assembly a;     /* rows, sizes of coordinates (unit); all directions may move                         */
    clv_sim *s;
    int n, f;           /* coordinates (nu), independent directions                                          */
    int independent_rows; /* rows of the loops that count, by the rank of the start                           */
    bool positions;     /* set by the caller: rows that restrict velocities only (T68) do not count: directions in
                         * which positions differ                                                             */
    double *N;          /* (f x n) m, rad for each z; orthonormal in parts of the units                      */
    double *basis;      /* (n x n) rows of the loops, then N, in parts of the units                           */
    double *rows, *R, *rest; /* work                                                                          */
    int *order;
    double *du, *x, *W; /* (nu) (nbody x 6) (nbody x 6) work                                                  */
    clv_arena arena;
} clv_independent;

/* Room, at time t near q (nq).  Close it in any case.  Errors: CLV_ERR_MEMORY, CLV_ERR_NOT_FINITE, CLV_ERR_UNSUPPORTED
 * (states of absolute coordinates, too many rows of loops). */
clv_status clv_independent_open(clv_independent *x, clv_sim *s, double t, const double *q);
void clv_independent_close(clv_independent *x);
/* Poses and directions at q, and an orthonormal basis of the rows of the loops, in parts of the units: *r of them, at
 * the beginning of basis.  Errors: CLV_ERR_NOT_FINITE. */
clv_status clv_independent_rows(clv_independent *x, const double *q, int *r);
/* The same, then N. */
clv_status clv_independent_find(clv_independent *x, const double *q);
/* to (f) := N row, of the generalized forces row (nu) */
void clv_independent_reduce(const clv_independent *x, const double *row, double *to);
/* du (nu) := N^T z */
void clv_independent_expand(const clv_independent *x, const double *z, double *du);
/* Adds to row (nu) what a unit effort along free direction c of a joint does; false: a motion prescribes the joint, or
 * it has no such direction. */
bool clv_independent_effort(const clv_independent *x, double *row, int joint, int c);
/* force (nu) := M du: the generalized forces that rates of rates du (nu) need, without velocity terms. */
void clv_independent_inertia(clv_independent *x, const double *du, double *force);
/* force (nu) := what wrenches W (nbody x 6, reference points; used up) do along every direction. */
void clv_independent_collect(const clv_independent *x, double *W, double *force);
/* The joint whose coordinate, or flexible body whose modes, du (nu) moves most: its name; "" if nothing moves. */
const char *clv_independent_name(const clv_independent *x, const double *du);
/* Zeroes the coordinates of du (nu) that have this name (the pointer that clv_independent_name gave). */
void clv_independent_leave_out(const clv_independent *x, double *du, const char *name);

#endif
