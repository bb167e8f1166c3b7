/* SPDX-License-Identifier: Apache-2.0
 * A lane source: strands with the factor of row_climb.c and other right-hand sides (T4, T5).
 *
 *   respond   tip to base   p = Q outboard,  q = tau + H^T p,  u0 = q / d,  p := p - N q,  t += w^T u0
 *   miss      tip to base   W = sum outboard of (load - M x) + F_tip,  what a joint misses: tau + H^T W - stiff u */
#include "kinematics/row_lane.h"
#include "math/spatial.h"

INLINE void take_cross(clv_w *c, const clv_w *a, const clv_w *b)
{
    c[0] -= a[1] * b[2] - a[2] * b[1];
    c[1] -= a[2] * b[0] - a[0] * b[2];
    c[2] -= a[0] * b[1] - a[1] * b[0];
}

INLINE void to_row_before(clv_w *W, const clv_rows *w, int row, int lane)
{
    clv_w r[3];
    if (!(w->flags[row] & CLV_ROW_ARM))
        return;
    load(r, row_of(w->r, 3, row, lane), 3);
    add_cross(W + 3, r, W);
}

INLINE void respond_strip(const clv_rows *w, int g, int lane, const double *tau, const double *Q, const int columns)
{
    const clv_strand_out *o = &w->engine->out[g];
    clv_w p[6], t[6], H[6], N[6], y[6];
    for (int i = 0; i < 6; i++)
        p[i] = t[i] = clv_w_fill(0.0);
    for (int k = w->first[g + 1] - 1; k >= w->first[g]; k--) {
        if (w->attached[k] >= 0)
            for (int i = 0; i < 6; i++)
                p[i] += clv_w_load(Q + (size_t)w->attached[k] * 6 * G8 + i * G8 + lane);
        if (w->flags[k] & (CLV_ROW_FREE | CLV_ROW_DRIVEN)) {
            direction(H, w, k, lane);
            load(N, row_of(w->N, 6, k, lane), 6);
            const clv_w pad = clv_w_load(row_of(w->pad, 1, k, lane));
            const clv_w free = w->flags[k] & CLV_ROW_DRIVEN ? clv_w_fill(1.0) - pad : clv_w_fill(1.0);
            const clv_w q = clv_w_load(tau + (size_t)k * G8 + lane) + dot6(H, p);
            const clv_w u0 = q * clv_w_load(row_of(w->inverse, 1, k, lane));
            clv_w_store(row_of(w->u0, 1, k, lane), u0);
            for (int i = 0; i < 6; i++)
                p[i] -= N[i] * (free * q);
            if (columns) {
                load(y, row_of(w->Kh, 6, k, lane), 6);
                for (int i = 0; i < 6; i++)
                    t[i] += y[i] * (free * u0);
            }
        }
        to_row_before(p, w, k, lane);
    }
    store(o->p + lane, p, 6);
    if (columns)
        store(o->t + lane, t, 6);
}

void CLV_LANE(clv_rows_respond)(const clv_rows *w, int group, const double *tau, const double *Q, bool all)
{
    const clv_group *g = &w->plan->group[group];
    const int tips = clv_rows_tips(w, g);
    for (int lane = 0; lane < (all ? g->nstrand : tips); lane += CLV_LANES)
        if (lane < tips)
            respond_strip(w, group, lane, tau, Q, 1);
        else
            respond_strip(w, group, lane, tau, Q, 0);
}

/* W -= M x of the body of a row */
INLINE void take_body(clv_w *W, const clv_rows *w, int row, int lane, const clv_w *x)
{
    const clv_w m = clv_w_load(row_of(w->body, 10, row, lane));
    clv_w c[3], J[6];
    load(c, row_of(w->c, 3, row, lane), 3), load(J, row_of(w->J, 6, row, lane), 6);
    for (int i = 0; i < 3; i++)
        W[i] -= m * x[i];
    take_cross(W, x + 3, c), take_cross(W + 3, c, x);
    W[3] -= J[0] * x[3] + J[1] * x[4] + J[2] * x[5];
    W[4] -= J[1] * x[3] + J[3] * x[4] + J[4] * x[5];
    W[5] -= J[2] * x[3] + J[4] * x[4] + J[5] * x[5];
}

/* W -= I x of limbs and extra inertia */
INLINE void take_attached(clv_w *W, const double *I, const clv_w *x)
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            W[i] -= clv_w_load(I + CLV_SYM[i][j] * G8) * x[j];
}

static void miss_strip(const clv_rows *w, int g, int lane, bool biased, bool loaded)
{
    clv_w W[6], x[6], H[6];
    load(W, w->engine->out[g].F + lane, 6);
    for (int k = w->first[g + 1] - 1; k >= w->first[g]; k--) {
        const int at = w->attached[k];
        load(x, row_of(w->x, 6, k, lane), 6);
        if (w->flags[k] & CLV_ROW_MASS)
            take_body(W, w, k, lane, x);
        for (int i = 0; biased && loaded && i < 6; i++)
            W[i] += clv_w_load(row_of(w->b, 6, k, lane) + i * G8);
        if (at >= 0) {
            take_attached(W, row_of(w->I, 21, at, lane), x);
            for (int i = 0; i < 6; i++)
                W[i] += clv_w_load(row_of(w->fix, 6, at, lane) + i * G8);
            for (int i = 0; loaded && i < 6; i++)
                W[i] += clv_w_load(row_of(w->Q, 6, at, lane) + i * G8);
        }
        clv_w missed = clv_w_fill(0.0);
        if (w->flags[k] & CLV_ROW_FREE) {
            direction(H, w, k, lane);
            missed = dot6(H, W);
            if (loaded)
                missed += clv_w_load(row_of(w->tau, 1, k, lane));
            if (w->flags[k] & CLV_ROW_STIFF)
                missed -= clv_w_load(row_of(w->stiff, 1, k, lane)) * clv_w_load(row_of(w->rates, 1, k, lane));
            missed *= clv_w_fill(1.0) - clv_w_load(row_of(w->pad, 1, k, lane));
        }
        clv_w_store(row_of(w->fix_tau, 1, k, lane), missed);
        to_row_before(W, w, k, lane);
    }
    store(w->end[g].P + lane, W, 6);
}

void CLV_LANE(clv_rows_miss)(const clv_rows *w, int group, bool biased, bool loaded)
{
    for (int lane = 0; lane < w->plan->group[group].nstrand; lane += CLV_LANES)
        miss_strip(w, group, lane, biased, loaded);
}
