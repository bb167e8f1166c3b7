/* SPDX-License-Identifier: Apache-2.0
 * What cuts of trees (cut.c) and of mechanisms with loops (cut_borders.c) share. */
#ifndef CLV_RANKS_CUTTING_H
#define CLV_RANKS_CUTTING_H
#include "model/model.h"
#include "ranks/cut.h"

/* CLV_ERR_UNSUPPORTED with the name of an item of a group of the model */
clv_status clv_cut_refuse(clv_error *e, const char *group, const char *name, const char *what);
/* a power of two; run: bodies, or levels, one after the other; most: as for clv_cut_model */
int clv_cut_count(int bodies, int run, int most);
/* cut_borders.c: cuts what has other loops than one from ground to ground.  Loads and events are checked already. */
clv_status clv_cut_borders(clv_cut *cut, const clv_model *m, int most, clv_error *e);
/* cut_rates.c: start velocities of bodies.  Errors: CLV_ERR_UNSUPPORTED: joints do not allow them;
 * CLV_ERR_MEMORY. */
clv_status clv_cut_rates(clv_cut *cut, const clv_model *m, clv_error *e);

#endif
