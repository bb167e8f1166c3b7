/* SPDX-License-Identifier: Apache-2.0
 * Multipliers of carried loops on the way down (T101), and what they add to the rates of strands and to the wrenches
 * of floating bases; see row_carry.h. */
#include "kinematics/row_carry_parts.h"
#include "math/semi.h"
#include "math/spatial.h"

/* sigma_E = F^-T D^-1 (h - G [x; sigma_O]) of a front; x: the motion of the tip, zero on ground */
static void give_front(clv_rows *w, int k, const double x[6])
{
    const clv_front *s = &w->plan->carry->front[k];
    const clv_row_front *f = &w->carry.front[k];
    const int *row = w->plan->carry->list + s->row;
    const clv_semi z = clv_semi_view(s->nout, f->rank, f->factor);
    double *y = w->carry.work, *out = y + CLV_EIGHTS(s->nout), *sigma = w->engine->sigma;
    for (int r = 0; r < f->rank; r++) {
        const double *G = f->G + r * f->wide;
        double sum = f->wide > 0 ? clv_dot6(G, x) : 0.0;
        for (int j = 0; j < s->nleft; j++)
            sum += G[8 + j] * sigma[row[s->nout + j]];
        y[r] = f->h[r] - sum;
    }
    clv_semi_backwards(&z, out, y);
    for (int i = 0; i < s->nout; i++)
        sigma[row[i]] = out[i];
}

void clv_rows_give_multipliers(clv_rows *w, int at)
{
    const clv_plan *p = w->plan;
    const clv_meet *t = &p->carry->meet[at];
    double x[6] = {0};
    if (t->nfront == 0)
        return;
    if (at < p->nstrand) {
        const int slot = w->slot[clv_row_tip_of(p, at)];
        clv_row_get(w->x + (size_t)(slot / G8) * 6 * G8 + slot % G8, 6, x);
    }
    for (int k = t->front + t->nfront - 1, round = k; k >= t->front; k--) {
        if (k <= round && p->carry->front[k].round > 0)
            clv_rows_round_give(w, k), round = clv_rows_round_begin(p->carry, k) - 1;
        if (!clv_row_batch_of(w, k))
            give_front(w, k, x);
    }
}

void clv_rows_load_strand(clv_rows *w, int strand)
{
    const clv_row_columns *s = &w->carry.strand[strand];
    const int *row = clv_row_open_rows(w->plan, strand);
    for (int i = 0; s->n > 0 && i < s->rows; i++) {
        const int slot = clv_row_slot_of(w, strand, i);
        double sum = 0;
        for (int j = 0; j < s->n; j++)
            sum += s->Y[i * s->wide + j] * w->engine->sigma[row[j]];
        w->u0[slot] += sum * w->inverse[slot];
    }
}

void clv_rows_load_floating(clv_rows *w)
{
    for (int k = w->floating[0]; k < w->npiece; k = w->floating[k + 1]) {
        if (!clv_plan_adrift(w->plan, clv_rows_base(w, k)))
            continue;
        const clv_row_columns *s = &w->carry.strand[k];
        const int *row = clv_row_open_rows(w->plan, k);
        double p[6];
        memcpy(p, w->join[k].p, sizeof p);
        for (int j = 0; j < s->n; j++)
            for (int i = 0; i < 6; i++)
                p[i] += s->K[i * s->wide + j] * w->engine->sigma[row[j]];
        memcpy(w->join[k].p, p, sizeof p);
    }
}
