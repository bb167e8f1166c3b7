/* SPDX-License-Identifier: Apache-2.0
 * The trial state of an iteration of index3 in rows (T43.10): its time, loads and what became of it. */
#ifndef CLV_FORMULATION_INDEX3_TRIAL_H
#define CLV_FORMULATION_INDEX3_TRIAL_H
#include "formulation/system.h"

/* The time (s), and the weight of bodies where nothing else loads them. */
void clv_index3_trial_time(clv_system *s, double t);
/* The rows at the trial, with loads one by one where there are others than weight, which is in the lanes.  scale: of
 * loads. */
clv_status clv_index3_trial_place(clv_system *s, double t, double scale);
/* After a solution: what the nodes of the spanning tree have decided is what a step is judged by.  Names what failed
 * where it is not ok. */
clv_status clv_index3_trial_solved(clv_system *s, bool ok);

#endif
