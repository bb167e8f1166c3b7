/* SPDX-License-Identifier: Apache-2.0
 * A lane source: kinetic energy of strands, T = 1/2 V^T M V, and the sum of the squares of all speeds (T15, T43). */
#include "kinematics/row_lane.h"

/* V of the body of a row out of that of the body before */
INLINE void move(clv_w *V, const clv_rows *w, int i, int lane)
{
    clv_w r[3], h[3], x[3], turn = clv_w_load(row_of(w->u, 1, i, lane));
    const clv_w shift = turn * clv_w_load(row_of(w->beta, 1, i, lane));
    load(r, row_of(w->r, 3, i, lane), 3), load(h, row_of(w->h, 3, i, lane), 3);
    if (w->flags[i] & CLV_ROW_SHIFTS)
        turn *= clv_w_load(row_of(w->alpha, 1, i, lane));
    cross(x, V + 3, r);
    for (int k = 0; k < 3; k++) {
        V[k] += w->flags[i] & CLV_ROW_SHIFTS ? x[k] + h[k] * shift : x[k];
        V[3 + k] += h[k] * turn;
    }
}

INLINE void energy_strip(const clv_rows *w, int g, const clv_row_ends *o, int lane, const int solved)
{
    clv_w T = clv_w_fill(0.0), squares = T, V[6];
    load(V, o->motion + lane, 6);
    for (int i = w->first[g]; i < w->first[g + 1]; i++) {
        clv_w c[3], J[6], x[3], y[3], m = clv_w_load(row_of(w->body, 10, i, lane));
        load(c, row_of(w->c, 3, i, lane), 3), load(J, row_of(w->J, 6, i, lane), 6);
        if (solved)
            load(V, row_of(w->x, 6, i, lane), 6);
        else
            move(V, w, i, lane);
        const clv_w vv = dot(V, V), ww = dot(V + 3, V + 3);
        cross(x, V + 3, c); /* v of the mass about the reference point */
        y[0] = J[0] * V[3] + J[1] * V[4] + J[2] * V[5];
        y[1] = J[1] * V[3] + J[3] * V[4] + J[4] * V[5];
        y[2] = J[2] * V[3] + J[4] * V[4] + J[5] * V[5];
        T += clv_w_fill(0.5) * (m * vv + dot(y, V + 3)) + dot(x, V);
        if (w->flags[i] & CLV_ROW_SEVERAL) /* the body of a joint is in its last row */
            squares += (clv_w_fill(1.0) - clv_w_load(row_of(w->same, 1, i + 1, lane))) * (vv + ww);
        else
            squares += vv + ww;
    }
    clv_w_store(o->energy + lane, T), clv_w_store(o->energy + G8 + lane, squares);
}

void CLV_LANE(clv_rows_energy)(const clv_rows *w, int group, bool solved)
{
    for (int lane = 0; lane < w->plan->group[group].nstrand; lane += CLV_LANES)
        if (solved)
            energy_strip(w, group, &w->end[group], lane, 1);
        else
            energy_strip(w, group, &w->end[group], lane, 0);
}
