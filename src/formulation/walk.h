/* SPDX-License-Identifier: Apache-2.0
 * Rate evaluations as walks over groups of strands, in lanes (T43). */
#ifndef CLV_FORMULATION_WALK_H
#define CLV_FORMULATION_WALK_H
#include "formulation/system.h"

/* ydot of (q, p) by hdca, of (q, u) by dca.  Errors: CLV_ERR_SINGULAR, CLV_ERR_NOT_FINITE, with names and time. */
clv_status clv_walk_hdca(clv_system *s, double t, const double *y, double *ydot);
clv_status clv_walk_dca(clv_system *s, double t, const double *y, double *ydot);
/* Velocities of (q, p) in model order, with the bits that clv_walk_hdca gives them.  Errors: as there. */
clv_status clv_walk_velocities(clv_system *s, double t, const double *y);
/* The same, left in the rows: clv_walk_show has them in model order. */
clv_status clv_walk_velocities_in_rows(clv_system *s, double t, const double *y);
/* Can the system be evaluated in rows?  hdca, dca and connection always are. */
bool clv_walk_fits(const clv_system *s);
/* Where it fits, the factor at q alone. */
clv_status clv_walk_factor_at(clv_system *s, double t, const double *q);
/* The same, and poses in model order, or with border_only of the border.  Errors: as above. */
clv_status clv_walk_place(clv_system *s, double t, const double *q);
/* The rates du (nu) of least kinetic energy that give the closing rows the values a, by the factor of the last walk, if
 * that is the last factor.  Else false; nothing has changed then. */
bool clv_walk_correct(clv_system *s, const double *a, double *du);
/* With border_only, for the border alone, that is for bodies that loops hold: poses at q (nq); V at the poses and the
 * rates u (nu).  False: border_only is not set, or the system does not fit; nothing has changed then. */
bool clv_walk_pose(clv_system *s, double t, const double *q);
bool clv_walk_move(clv_system *s, const double *u);
/* After clv_walk_pose: directions of closing rows at these poses.  The factor stays as it is. */
void clv_walk_directions(clv_system *s);
/* Remembers by how much the momenta of the state y, with the impulses of its closings, differ from those of its rates
 * s->u.  This rounding of the solve is added again by the next call of clv_walk_momenta.  So renewals lose nothing of
 * the momentum of the system. */
void clv_walk_remember_momenta(clv_system *s, const double *y);
/* And the canonical momenta p (nu) of the rates u (nu) at q, with sigma = 0 (T9, T43.7). */
bool clv_walk_momenta(clv_system *s, double t, const double *q, const double *u, double *p);
/* Poses and directions of all bodies at q, in model order; the rows of the engine stay as they are.  Where they are
 * there already only the border is posed again. */
void clv_walk_show_poses(clv_system *s, double t, const double *q);
/* The impulses of closings (engine.sigma) that momenta p (nu) along the joints bring about at the poses of the last
 * walk, with prescribed joints at rest.  Uses ud, x, and the rows.  False: nothing is known. */
bool clv_walk_impulses(clv_system *s, const double *p);
/* Energies at the state of the last walk, and s->u, without the by-products below.  False: nothing is known. */
bool clv_walk_energies(clv_system *s, clv_energies *e);
/* walk_across.c: a divided mechanism (T80). */
/* Moves the roots of segments to the handles that hold them: coordinates in q (nq), with u (nu) or NULL rates too.  All
 * who share the mechanism call it.  False: something is not finite, here or elsewhere. */
bool clv_walk_settle(clv_system *s, double t, double *q, double *u);
/* Changes du (nu) of coordinates, and dv (nu) of rates u, or NULL, that close the loop over all segments (T128), with
 * the least kinetic energy.  All who share the mechanism call it.  False: as above, or no factor. */
bool clv_walk_close_segments(clv_system *s, double t, const double *q, const double *u, double *du, double *dv);
/* walk_ports.c: with loops (T160).  Changes du (nu) of coordinates and dv (nu) of rates at (q, u) that close loops in
 * segments and between them, with the least kinetic energy.  row (nclosing_row): work.  All who share the mechanism
 * call it.  False: something is not finite, here or elsewhere, or no factor. */
bool clv_walk_close_ports(clv_system *s, double t, const double *q, const double *u, double *row, double *du,
                          double *dv);
/* The largest violations of positions and of rates in the segments here, m or rad, and per s; where ports are, for what
 * they differ by: after a walk, or at (q, u). */
void clv_walk_ports_open(clv_system *s, double *open, double *speed);
void clv_walk_look_at_ports(clv_system *s, double t, const double *q, const double *u, double *open, double *speed);
/* Kinetic and potential energy (J), squares of all speeds, of each segment (nsegment x 3) at the state of the last
 * walk, and s->u. */
void clv_walk_segment_energies(clv_system *s, double *each);
/* The by-products in model order that a walk leaves out: poses, V, directions, loads of its last evaluation, at y. */
void clv_walk_view(clv_system *s, const double *y);
/* Do the rows still hold the last walk of clv_walk_hdca, _dca or _velocities?  Then these two show its state y: */
bool clv_walk_holds(const clv_system *s);
/* poses and V in model order; */
void clv_walk_show(clv_system *s, const double *y);
/* after clv_walk_show: loads of all bodies and accelerations x, ud, multipliers lambda (T12). The rows are used up.
 * Errors: as above. */
clv_status clv_walk_outputs(clv_system *s, const double *y);

/* walk_mechanics.c: states that are no solutions, for variational rules (T34, T43.13).  Momenta p (nu) along the
 * joints at (q, u), their rates pdot (nu) without impulses of closings, and s->power.  Errors: as above. */
clv_status clv_walk_stage(clv_system *s, double t, const double *q, const double *u, double *p, double *pdot);
/* At q: the violation `gap` (nclosing_row) of closings, and what their impulses sigma (nclosing_row) give to the
 * joints, p (nu).  Either may be NULL. */
void clv_walk_node(clv_system *s, double t, const double *q, const double *sigma, double *p, double *gap);
/* s->power at (q, u), prescribed motions included.  Errors: as above. */
clv_status clv_walk_power(clv_system *s, double t, const double *q, const double *u);
/* du (nu) and impulses (engine.sigma) of tau (nu) and rows a (nclosing_row), by the factor of clv_walk_factor_at.
 * Errors: CLV_ERR_SINGULAR. */
clv_status clv_walk_push(clv_system *s, const double *tau, const double *a, double *du);
/* The sum of what prescribed motions add to that solution, so that their rates stay as they are, times `rate`
 * (nmotion). */
double clv_walk_push_work(const clv_system *s, const double *rate);

#endif
