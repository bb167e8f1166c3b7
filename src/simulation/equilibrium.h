/* SPDX-License-Identifier: Apache-2.0
 * Static equilibrium (T58): what its files share.
 *
 *   equilibrium_force.c   loads at rest along independent directions, displacements that keep loops closed, stiffness
 *   equilibrium.c         the way to an equilibrium, what kind it is, and the output state
 *   natural.c             natural frequencies */
#ifndef CLV_SIMULATION_EQUILIBRIUM_H
#define CLV_SIMULATION_EQUILIBRIUM_H
#include "simulation/independent.h"

typedef struct clv_statics {
    clv_sim *s;
    clv_independent x;
    double time;       /* s                                                                              */
    int f;             /* independent directions                                                         */
    double *q, *trial; /* (nq) position; tried                                                           */
    double *force;     /* (n) loads at rest along all directions: N, N m                                 */
    double *r, *r_middle, *r_trial; /* (f) loads along independent directions: J for 1 rad or size        */
    double *K, *V, *lambda; /* (f x f) stiffness, eigenvectors by columns, eigenvalues (f)                */
    double *work;      /* (f x f)                                                                        */
    double *z, *part;  /* (f) step; work                                                                 */
    double *net;       /* (n) way so far, in parts of the units                                          */
    double load;       /* size of the loads: largest force times size, or moment                         */
    double way, taken_back; /* parts of the units: of the last displacement, and of what closed the loops behind it */
    bool stuck;        /* the loops took the last step back                                              */
    double open;       /* violation of the loops at the start, which data may leave (T40)                */
    clv_arena arena;
} clv_statics;

/* step of differences, parts of 1 rad or the size: rounding and the second order are 1e-10 of the largest stiffness */
#define CLV_STATICS_DIFFERENCE 1e-4
/* Room, at the output state, and its independent directions, those of positions (T68); close it in any case.  Errors:
 * as clv_independent_open, and CLV_ERR_UNSUPPORTED (too many directions). */
clv_status clv_statics_open(clv_statics *e, clv_sim *s);
/* CLV_ERR_UNSUPPORTED: a joint restricts velocities.  K would not be symmetric, and positions depend on the way. */
clv_status clv_statics_refuse_velocities(clv_sim *s);
void clv_statics_close(clv_statics *e);
/* Directions, loads and stiffness with its eigenvalues at e->q.  Errors: as clv_statics_stiffness. */
clv_status clv_statics_look(clv_statics *e);
/* Stiffness below is not known by differences: rounding of the loads and of the stiffest direction. */
double clv_statics_noise(const clv_statics *e);
/* Loads at rest at q (nq) along the directions N of the position before, made parallel to the loops at q: r (f), in J
 * for 1 rad or the size of the model.  Errors: those of loads. */
clv_status clv_statics_force(clv_statics *e, const double *q, double *r);
/* to (nq) := e->q displaced by z (f), loops closed.  False: they do not close. */
bool clv_statics_move(clv_statics *e, const double *z, double *to);
/* K (f x f), symmetric, by differences over the step h; *skew: largest part that was not symmetric.  Errors: those of
 * loads; CLV_ERR_NO_CONVERGENCE: loops do not close beside e->q. */
clv_status clv_statics_stiffness(clv_statics *e, double h, double *K, double *skew);
/* C (f x f): what the loads lose with rates, by differences over the rate h (1/s) at e->q.  Errors: those of loads. */
clv_status clv_statics_damping(clv_statics *e, double h, double *C);

#endif
