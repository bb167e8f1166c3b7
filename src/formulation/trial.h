/* SPDX-License-Identifier: Apache-2.0
 * Trial of a whole mechanism at the end of an implicit step: coordinates of all bodies and modes by the rule of rule.h
 * (T25). */
#ifndef CLV_FORMULATION_TRIAL_H
#define CLV_FORMULATION_TRIAL_H
#include "formulation/rule.h"
#include "formulation/system.h"

typedef struct clv_trials {
    clv_trial *start, *at;        /* (nbody); of bodies with coordinates of their own, not of nodes           */
    clv_mode_trial *modes, *mode; /* (nmode) start, trial                                                    */
    double *q;                    /* (nq) poses and modes of the trial                                        */
    double *u, *ud;               /* (nu) its rates and their rates                                           */
    double *A; /* (nbody x 6) accelerations, global axes, reference points; nodes: see clv_trials_nodes */
} clv_trials;

void clv_trials_layout(clv_trials *d, const clv_plan *p, clv_arena *a);
/* Numbers of `aux`: auxiliary accelerations (nbody x 7, nmode). */
int clv_trials_memory(const clv_plan *p);
/* Predicts (23) from the state y and its rates ydot; first: aux is not there yet, it becomes x''. */
void clv_trials_predict(clv_trials *d, const clv_system *s, const clv_rule *rule, const double *y, const double *ydot,
                        double *aux, bool first);
/* Poses, V and A of the trial, to the kinematics.  Errors: as clv_system_pose. */
clv_status clv_trials_place(clv_trials *d, clv_system *s, double t);
/* A of the nodes of flexible bodies, from the bias c (nbody x 6) at the present rates. */
void clv_trials_nodes(clv_trials *d, const clv_system *s, const double *c);
/* Moves the trial by dx (nbody x 6) and the modes by du (nu).  Returns |dx| over all coordinates, modes in m rms of
 * their body; *worst: the body that moved most. */
double clv_trials_displace(clv_trials *d, const clv_system *s, const clv_rule *rule, const double *dx, const double *du,
                           int *worst);
/* aux of the next step, after the projections: from q, u, ud as they are now. */
void clv_trials_next(const clv_trials *d, const clv_system *s, const clv_rule *rule, double *aux);
/* |x| over all coordinates but the modes */
double clv_trials_size(const clv_trials *d, const clv_system *s);

#endif
