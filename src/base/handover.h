/* SPDX-License-Identifier: Apache-2.0
 * What the threads of this machine cost and give, measured with a team of two (T55). */
#ifndef CLV_BASE_HANDOVER_H
#define CLV_BASE_HANDOVER_H
#include "base/team.h"

/* s, of the monotonic clock. */
double clv_seconds(void);
/* Middle one of n numbers, which are sorted. */
double clv_median(double *x, int n);
/* Half of what a call of two equal pieces takes beyond one of them, s: the way of a piece to another thread, or
 * back. */
double clv_hand_over(clv_team *team);
/* Pieces that two threads at once do in the time of one, by least times: 2 on two idle cores. */
double clv_two_at_once(clv_team *team);

#endif
