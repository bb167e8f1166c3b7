/* SPDX-License-Identifier: Apache-2.0
 * One branch of the branch method alone, in rows (T28, T43.4), and what row_close.c does with one strand. */
#ifndef CLV_KINEMATICS_ROW_BRANCH_H
#define CLV_KINEMATICS_ROW_BRANCH_H
#include "kinematics/rows.h"

/* After a right-hand-side evaluation, for plans whose groups hold strands of one branch each (clv_plan_options.apart).
 * The branch inward, up to what it shows at the bodies that are held, and outward again.  Loads of limbs and what
 * arrives at bodies are left out.  Numbers of the branch other than Xi of its parts are undefined until the next
 * evaluation.  Of `parts`, those below belong to branches, the others join them.  Modal forces tau (nu), biases c
 * (nbody x 6) of links, modal unknowns u (nu).  False: it is singular. */
bool clv_rows_factor_branch(clv_rows *w, int section, int parts);
void clv_rows_sweep_branch(clv_rows *w, int section, int parts, const double *tau, const double *c, double *u);

/* row_close.c: turns what the strands of a group show to global axes, but for limbs, which have folded already */
void clv_rows_turn(const clv_rows *w, int group);
/* what the wrenches at the ports of a strand, and if `loaded` its loads, make of base and tip; added */
void clv_rows_add_motion(clv_rows *w, int strand, bool loaded);
/* motion of the base and wrench at the tip of a strand for the way down */
void clv_rows_give_motion(const clv_rows *w, int strand);

#endif
