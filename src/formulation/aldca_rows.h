/* SPDX-License-Identifier: Apache-2.0
 * aldca in rows (T23.8): factor, accelerations and projections along the strands of a spanning tree, in lanes. */
#ifndef CLV_FORMULATION_ALDCA_ROWS_H
#define CLV_FORMULATION_ALDCA_ROWS_H
#include "formulation/aldca.h"

/* Penalties and gains into the rows. */
void clv_aldca_rows_options(clv_system *s);
/* As the functions of aldca.c, aldca_closing.c; rates leave out what they do not need if s->lean.  CLV_ERR_SINGULAR:
 * something without inertia is in the way of the spanning tree, and nothing has changed.  The evaluation body by body
 * is to be tried, which gives such bodies some for the time being (T5). */
clv_status clv_aldca_rows_rates(clv_system *s, double t, const double *y, double *ydot);
clv_status clv_aldca_rows_accelerate(clv_system *s);
clv_status clv_aldca_rows_close_position(clv_system *s, double t, double *q, double *moved);
clv_status clv_aldca_rows_close_velocity(clv_system *s, double t, const double *q, double *u);
/* For both files.  Poses and factor at q, unless they are there; the largest number of the last correction, or NaN;
 * conjugate gradients, whose end goes to the stage. */
clv_status clv_aldca_rows_place(clv_system *s, double t, const double *q);
double clv_aldca_rows_largest(const clv_row_bodies *r);
void clv_aldca_rows_conjugate(clv_system *s, bool velocities, clv_stage *stage, double tolerance, int limit);
/* By-products in model order at y, of the last evaluation. */
void clv_aldca_rows_view(clv_system *s, const double *y);
/* Energies of the last evaluation, if weight alone loads the bodies. */
bool clv_aldca_rows_energies(const clv_system *s, clv_energies *e);

#endif
