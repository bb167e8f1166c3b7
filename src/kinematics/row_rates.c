/* SPDX-License-Identifier: Apache-2.0
 * A lane source: what the rates u of the rows mean at the present poses (T43.7).
 *
 *   run      base to tip   motions of attached rows beside a start at rest, for the scan of strands
 *   travel   base to tip   V of every row beside the motion of the start
 *   gather   tip to base   momentum outboard of every row, P = sum of M V and what arrives; p = H^T P */
#include "kinematics/row_lane.h"

/* V of the body of a row out of that of the body before */
INLINE void move(clv_w *V, const clv_rows *w, int i, int lane)
{
    clv_w r[3], h[3], turn = clv_w_load(row_of(w->u, 1, i, lane));
    const clv_w shift = turn * clv_w_load(row_of(w->beta, 1, i, lane));
    load(r, row_of(w->r, 3, i, lane), 3), load(h, row_of(w->h, 3, i, lane), 3);
    if (w->flags[i] & CLV_ROW_SHIFTS)
        turn *= clv_w_load(row_of(w->alpha, 1, i, lane));
    if (w->flags[i] & CLV_ROW_ARM)
        add_cross(V, V + 3, r);
    for (int k = 0; k < 3; k++) {
        if (w->flags[i] & CLV_ROW_SHIFTS)
            V[k] += h[k] * shift;
        V[3 + k] += h[k] * turn;
    }
}

void CLV_LANE(clv_rows_run)(const clv_rows *w, int group)
{
    for (int lane = 0; lane < w->plan->group[group].nstrand; lane += CLV_LANES) {
        clv_w V[6];
        for (int k = 0; k < 6; k++)
            V[k] = clv_w_fill(0.0);
        for (int i = w->first[group]; i < w->first[group + 1]; i++) {
            move(V, w, i, lane);
            if (w->attached[i] >= 0)
                store(row_of(w->run, 6, w->attached[i], lane), V, 6);
        }
    }
}

void CLV_LANE(clv_rows_travel)(const clv_rows *w, int group)
{
    for (int lane = 0; lane < w->plan->group[group].nstrand; lane += CLV_LANES) {
        clv_w V[6];
        load(V, w->end[group].motion + lane, 6);
        for (int i = w->first[group]; i < w->first[group + 1]; i++) {
            move(V, w, i, lane);
            store(row_of(w->x, 6, i, lane), V, 6);
        }
    }
}

/* adds the momentum of the body of a row */
INLINE void add_own(clv_w *P, const clv_rows *w, int i, int lane)
{
    clv_w V[6], c[3], J[6];
    const clv_w m = clv_w_load(row_of(w->body, 10, i, lane)), *omega = V + 3;
    load(V, row_of(w->x, 6, i, lane), 6), load(c, row_of(w->c, 3, i, lane), 3), load(J, row_of(w->J, 6, i, lane), 6);
    for (int k = 0; k < 3; k++)
        P[k] += m * V[k];
    add_cross(P, omega, c), add_cross(P + 3, c, V);
    P[3] += J[0] * omega[0] + J[1] * omega[1] + J[2] * omega[2];
    P[4] += J[1] * omega[0] + J[3] * omega[1] + J[4] * omega[2];
    P[5] += J[2] * omega[0] + J[4] * omega[1] + J[5] * omega[2];
}

INLINE void gather_strip(const clv_rows *w, int g, int lane)
{
    clv_w P[6];
    for (int k = 0; k < 6; k++)
        P[k] = clv_w_fill(0.0);
    for (int i = w->first[g + 1] - 1; i >= w->first[g]; i--) {
        clv_w h[3], r[3], p;
        for (int k = 0; w->attached[i] >= 0 && k < 6; k++)
            P[k] += clv_w_load(row_of(w->P, 6, w->attached[i], lane) + k * G8);
        if (w->flags[i] & CLV_ROW_MASS)
            add_own(P, w, i, lane);
        load(h, row_of(w->h, 3, i, lane), 3);
        p = dot(h, P + 3);
        if (w->flags[i] & CLV_ROW_SHIFTS)
            p = clv_w_load(row_of(w->alpha, 1, i, lane)) * p + clv_w_load(row_of(w->beta, 1, i, lane)) * dot(h, P);
        clv_w_store(row_of(w->pdot, 1, i, lane), p);
        if (!(w->flags[i] & CLV_ROW_ARM))
            continue;
        load(r, row_of(w->r, 3, i, lane), 3);
        add_cross(P + 3, r, P);
    }
    store(w->end[g].P + lane, P, 6);
}

void CLV_LANE(clv_rows_gather)(const clv_rows *w, int group)
{
    for (int lane = 0; lane < w->plan->group[group].nstrand; lane += CLV_LANES)
        gather_strip(w, group, lane);
}
