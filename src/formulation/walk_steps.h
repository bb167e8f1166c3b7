/* SPDX-License-Identifier: Apache-2.0
 * The steps that the walks of hdca and dca share (T43); walk.h has what others call.  Functions that return bool give
 * false where something failed, which clv_walk_failed names then. */
#ifndef CLV_FORMULATION_WALK_STEPS_H
#define CLV_FORMULATION_WALK_STEPS_H
#include "formulation/walk.h"

/* walk_fail.c */
/* Before a walk: nothing has failed yet, and the rows do not hold a state. */
void clv_walk_begin(clv_system *s);
/* Names what has failed in the walk at (t, q).  Poses of all bodies are made for it. */
clv_status clv_walk_failed(clv_system *s, double t, const double *q);

/* walk_across.c: a divided mechanism (T80). */
/* Before the steps at (q, u), u NULL with momenta: are these finite? */
void clv_walk_check_segments(clv_system *s, const double *q, const double *u);
/* Motions of roots and wrenches on handles; moving: accelerations.  False: something failed, here or elsewhere. */
bool clv_walk_join_segments(clv_system *s, bool good, bool moving);
/* walk_ports.c: the same with loops (T160), after a factor or a response that carries them: wrenches on ports. */
bool clv_walk_join_ports(clv_system *s, bool good, bool moving);
/* hdca: what impulses where segments meet do to rates of momenta (T80.5, T128). */
void clv_walk_segment_loads(clv_system *s);
/* Of a walk that has failed with `st` after that step: rates ydot that are not finite, the error in s->late, CLV_OK. */
clv_status clv_walk_failed_late(clv_system *s, clv_status st, double *ydot);

/* walk_pose.c */
/* Poses, and with rates u (nu) motions, of bodies in strand axes, each strand beside its start. */
void clv_walk_pose_strands(clv_system *s, const double *q, const double *u);
/* Poses in strand axes and of the border at q; with rates u (nu), or NULL, their motions. */
void clv_walk_strands(clv_system *s, double t, const double *q, const double *u);
/* The same, with the rows of loops and of joints between strands. */
void clv_walk_start(clv_system *s, double t, const double *q, const double *u);
/* Motions of strands and V of the border at rates u (nu), at the poses at hand. */
void clv_walk_border_rates(clv_system *s, const double *u);

/* walk_loads.c */
/* May anything act but the weight of rigid bodies? */
bool clv_walk_loaded(const clv_system *s);
/* Loads that the model and controls give, at the velocities of the border and the rates u (nu): wrenches, tau of the
 * joints, power.  False: one failed. */
bool clv_walk_given_loads(clv_system *s, const double *y, const double *u);
/* The same with those of flexible bodies, into the rows, and tau of the joints (T8). */
bool clv_walk_loads(clv_system *s, const double *y, const double *u);
/* Hands loads W (nbody x 6, reference points, global axes) of the bodies that may have some to the rows. */
void clv_walk_attach(clv_system *s, const double *W);

/* walk_solve.c */
/* Factors, with drives tau (nu) and, if biased, velocity terms; loads, and what is known of prescribed joints, are in
 * the rows. */
bool clv_walk_factor(clv_system *s, const double *tau, bool biased);
/* The same with right-hand sides a (nclosing_row) of closings that are carried, without velocity terms. */
bool clv_walk_factor_closings(clv_system *s, const double *tau, const double *a);
/* Factor and solve.  tau (nu): drives, or momenta; c (nbody x 6) or NULL: biases of the joints between strands;
 * a (nclosing_row) or NULL: right-hand sides of closings; moving: with velocity terms.  Unknowns go to u (nu), motions
 * of the border to x (nbody x 6). */
bool clv_walk_solve(clv_system *s, const double *tau, const double *c, const double *a, bool moving, double *u,
                    double *x);
/* Biases of the joints between strands, of velocities or of accelerations (nbody x 6); NULL: all are zero. */
const double *clv_walk_biases(clv_system *s, bool accelerations);
/* Accelerations ud, x and multipliers lambda at the loads and velocity terms in the rows (T12); with the terms of
 * Baumgarte, or without. */
bool clv_walk_accelerations(clv_system *s, bool stabilized);
/* Those without, after a solve for velocities or accelerations, at the velocities and the loads s->Q, s->tau. */
bool clv_walk_accelerate(clv_system *s);

/* walk_power.c */
/* Adds the power of prescribed motions, after a solve for accelerations; loads in their joints count elsewhere. */
void clv_walk_motion_power(clv_system *s);

/* walk_again.c */
/* The solution u (nu) of other drives tau (nu) and right-hand sides a (nclosing_row) of closings, without other loads
 * and velocity terms, by the factor at hand; prescribed joints at rest. */
bool clv_walk_solve_again(clv_system *s, const double *tau, const double *a, double *u);

/* walk_impulse_loads.c */
/* Loads by the impulses sigma of loops (T10): the pairs -Ddot sigma, and what they carry from body to body.  Where
 * reactions are summed (T11) they load the bodies too. */
void clv_walk_impulse_loads(clv_system *s);

/* walk_hdca.c */
/* Rates (nu) of the momenta of joints between strands, of the sums outboard (T10). */
void clv_walk_base_momentum_rates(const clv_system *s, double *pdot);

/* walk_accepted.c */
/* Momenta (nu) of joints between strands, of the sums outboard. */
void clv_walk_base_momenta(const clv_system *s, double *p);
/* Momenta p (nu) along the joints of the velocities just solved for: sums of M V outboard (T11). */
void clv_walk_sum_momenta(clv_system *s, double *p);

/* walk_state.c */
/* The base of the next piece, from *piece on, whose inboard joint is no part of a strand; *piece is that piece then.
 * -1: there is no more.  For loops: for (int k = 0, b; (b = clv_walk_base(w, &k)) >= 0; k++). */
int clv_walk_base(const clv_rows *w, int *piece);
/* qdot (nq) of the joints between strands and of modes, rates u (nu). */
void clv_walk_outer_coordinates(const clv_system *s, const double *q, const double *u, double *qdot);
/* Derivatives of the directions of joints between strands and of mode columns; V of the border and the rates u (nu)
 * must be there. */
void clv_walk_outer_rates(clv_system *s, const double *u);
/* Rates of joints inside strands into u, where a lean evaluation has left them in the rows. */
void clv_walk_give_rates(clv_system *s);
#endif
