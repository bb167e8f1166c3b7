/* SPDX-License-Identifier: Apache-2.0
 * Assembly of the start (T36): what its files share.
 *
 *   assemble.c           which coordinates may move, in which order attempts are made, the best of them
 *   assemble_close.c     one attempt: damped Gauss-Newton (Levenberg-Marquardt) with step control
 *   assemble_rows.c      rows, their scaled Jacobian along the tree, one damped step
 *   assemble_strain.c    flexible bodies: the least strain energy */
#ifndef CLV_SIMULATION_ASSEMBLE_H
#define CLV_SIMULATION_ASSEMBLE_H
#include "simulation/sim.h"


/* how firmly a direction is held; an attempt moves those below its level */
enum { CLV_HOLD_NOT, CLV_HOLD_POSE, CLV_HOLD_GIVEN, CLV_HOLD_MODE, CLV_HOLD_FIRM };

typedef struct clv_assembly {
    clv_sim *s;
    double time;       /* s                                                                                     */
    int n, m, nclosing; /* directions (nu); rows; those of loops and couplings, before rows of given coordinates */
    int ngiven;        /* rows of coordinates given for closing joints                                          */
    int nmoving;       /* rates: rows of velocities that the start gives for bodies, after those                */
    bool dense;        /* J and S are formed; else steps are the engine's                                       */
    int level;         /* directions with hold < level may move                                                 */
    bool exact;        /* rows of given coordinates count                                                       */
    char *hold;        /* (n)                                                                                   */
    double *unit;      /* (n) natural size of a displacement: 1 rad, the model's size, 1 for modes              */
    double *ease;      /* (n) 1 / weight of a direction in the length of a step; 0: held                        */
    double *scale;     /* (m) natural size of a violation: 1 rad, the model's size                              */
    double *r;         /* (m) scaled violations at q                                                            */
    double *r_trial;   /* (m) at trial                                                                          */
    double *J;         /* (m x n) scaled by unit and scale                                                      */
    double *S;         /* (m x m) J ease J^T                                                                    */
    double *Z, *rank;  /* (m x m), CLV_RANK_SIZE(m): its damped factor                                          */
    double *lambda;    /* (m)                                                                                   */
    double *y, *du;    /* (n) a step in natural sizes; in m, rad                                                */
    double *first, *q, *trial, *best; /* (nq) start; of the attempt; tried; of the least violation so far       */
    int open;          /* rows open at best, or -1: no attempt yet                                               */
    double sum, least; /* sum of squares and largest scaled violation there                                     */
    double worst;      /* largest scaled violation at the place measured last                                   */
    bool soft;         /* modes give way as their compliance shows                                              */
    double **compliance; /* (nstar) (nmode x nmode) K^-1, by a common factor                                    */
    double *work;      /* (most modes, squared)                                                                 */
    double *from, *way; /* (nq) (n) of a descent of the strain energy                                           */
    long iterations;   /* steps taken by all attempts                                                           */
    int attempts;
    unsigned long long random; /* state of the perturbations                                                    */
    clv_arena arena;
} clv_assembly;

/* assemble.c: room, holds, sizes and scales for an assembly from q (nq) at time t; close the arena in any case.
 * Parameters held and firm are as of clv_assemble.  With `moving` there are rows for given velocities of bodies.
 * Errors: CLV_ERR_MEMORY, CLV_ERR_NOT_FINITE. */
clv_status clv_assembly_open(clv_assembly *a, clv_sim *s, double t, const double *q, const bool *held, bool firm,
                             bool moving);
/* assemble_rows.c: adds to row (nu) what a wrench on a body, at its reference point, does along every direction. */
void clv_assembly_carry(const clv_sim *s, double *row, int body, const double wrench[6]);
/* The same of a unit effort along free direction c of the joint that edge e closes: the pair +-G at b's point. */
void clv_assembly_carry_closing(const clv_sim *s, double *row, int e, int c);
/* sum of squares of the scaled violations at q, into r (m); sets worst.  NaN where they are none. */
double clv_assembly_measure(clv_assembly *a, const double *q, double *r);
/* Has the closing joint of this edge a given coordinate? */
bool clv_assembly_target(const clv_sim *s, int e);
/* Engine (and J, S if dense) at q. */
clv_status clv_assembly_linearize(clv_assembly *a, const double *q);
/* y minimises |r + J y|^2 / mu + y^T ease^-1 y, mu relative to the mean diagonal of S; *left: |r + J y|^2. */
clv_status clv_assembly_step(clv_assembly *a, double mu, double *left);
/* trial := q moved by f y */
void clv_assembly_move(clv_assembly *a, double f);
/* y := E v: by ease, modes by compliance (v, y: n; not the same) */
void clv_assembly_ease(const clv_assembly *a, const double *v, double *y);
/* Largest entry of J^T r over the directions that may move, relative to |r|: 0 at a stationary point. */
double clv_assembly_slope(const clv_assembly *a);
/* assemble_close.c: one attempt from q, which it moves; returns the largest scaled violation. */
double clv_assembly_close(clv_assembly *a);
/* factor that keeps the step y within its limit */
double clv_assembly_limit(const clv_assembly *a);
/* assemble_strain.c: lets modes move, softly, from q on */
clv_status clv_assembly_soften(clv_assembly *a);
/* q, which is closed: to the least strain energy nearby that can be had with the directions that may move */
void clv_assembly_relax(clv_assembly *a);

#endif
