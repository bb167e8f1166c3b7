/* SPDX-License-Identifier: Apache-2.0
 * A lane source: loads of joints at the coordinates of the rows and the rates u (rows x 8), and their potential.  Every
 * sum has the order of the loads in the model, as in model/force.c (T8, T85). */
#include "kinematics/row_lane.h"

INLINE void springs_strip(const clv_rows *w, clv_row_springs *s, const double *u, int lane)
{
    const clv_w zero = clv_w_fill(0.0);
    clv_w power = zero, sound = zero;
    for (int i = 0; i < s->rows; i++)
        clv_w_store(s->tau + i * G8 + lane, zero);
    for (int k = 0; k < s->n; k++) {
        const int at = s->row[k] * G8 + lane, own = k * G8 + lane;
        const clv_w rate = clv_w_load(u + at);
        const clv_w rest = -clv_w_load(s->damping + own) * rate + clv_w_load(s->drive + own);
        const clv_w spring = -clv_w_load(s->stiffness + own) * (clv_w_load(w->q + at) - clv_w_load(s->rest + own));
        const clv_w load = spring + rest;
        clv_w_store(s->tau + at, clv_w_load(s->tau + at) + load);
        power += rest * rate, sound += zero * (load * rate);
    }
    clv_w_store(s->power + lane, power), clv_w_store(s->sound + lane, sound);
}

void CLV_LANE(clv_rows_springs)(const clv_rows *w, clv_row_springs *s, const double *u)
{
    for (int lane = 0; lane < w->plan->group[0].nstrand; lane += CLV_LANES)
        springs_strip(w, s, u, lane);
}

void CLV_LANE(clv_rows_spring_energy)(const clv_rows *w, clv_row_springs *s)
{
    for (int lane = 0; lane < w->plan->group[0].nstrand; lane += CLV_LANES) {
        clv_w sum = clv_w_fill(0.0);
        for (int k = 0; k < s->n; k++) {
            const int own = k * G8 + lane;
            const clv_w x = clv_w_load(w->q + s->row[k] * G8 + lane) - clv_w_load(s->rest + own);
            sum += clv_w_fill(0.5) * clv_w_load(s->stiffness + own) * x * x;
        }
        clv_w_store(s->energy + lane, sum);
    }
}
