/* SPDX-License-Identifier: Apache-2.0
 * Steps of index3 in rows (T27, T43.10).  Bodies keep their coordinates in slot order.  The linear problem of an
 * iteration is solved by the strands of the spanning tree; their joints are eliminated, not closed.  Nodes close the
 * loops.  For joints that are met exactly, between rigid bodies. */
#ifndef CLV_FORMULATION_INDEX3_ROWS_H
#define CLV_FORMULATION_INDEX3_ROWS_H
#include "formulation/rule.h"
#include "formulation/system.h"
#include "kinematics/row_trials.h"

/* Accelerations at y.  lean: the by-products in model order are left out. */
clv_status clv_index3_rows_rates(clv_system *s, double t, const double *y, double *ydot);
/* Predicts from y, ydot and auxiliary accelerations aux (nbody x 7); first: they become x''. */
void clv_index3_rows_begin(clv_system *s, const clv_rule *rule, const double *y, const double *ydot, double *aux,
                           bool first);
/* As clv_index3_iterate, clv_index3_project. */
clv_status clv_index3_rows_iterate(clv_system *s, double t, const clv_rule *rule, double *moved);
clv_status clv_index3_rows_project(clv_system *s, double t, const clv_rule *rule);
/* The end of the step into y, ydot, aux; first: as above. */
void clv_index3_rows_finish(clv_system *s, const clv_rule *rule, double *y, double *ydot, double *aux, bool first);
/* |x| over all coordinates */
double clv_index3_rows_size(const clv_system *s);
/* Energies of the last step, if weight alone loads the bodies; by-products in model order at y. */
bool clv_index3_rows_energies(const clv_system *s, clv_energies *e);
void clv_index3_rows_view(clv_system *s, const double *y);
/* index3_reactions.c: is the mechanism an open tree, so that accelerations give the multipliers of all joints one by
 * one?  Then finds them (lambda, N, N m) after clv_index3_rows_rates that was not lean. */
bool clv_index3_rows_open(const clv_system *s);
clv_status clv_index3_rows_reactions(clv_system *s);
/* The same mechanism: q (nq) at time t onto the joints (T14); *moved: largest change (m, Euler parameters). */
clv_status clv_index3_rows_close(clv_system *s, double t, double *q, double *moved);

#endif
