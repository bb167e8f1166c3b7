/* SPDX-License-Identifier: Apache-2.0
 * Open rows of carried loops along a strand, from its tip to its base (T101); bases that float; see row_carry.h. */
#include "kinematics/row_carry_parts.h"
#include "kinematics/row_kernels.h"
#include "math/symmetric.h"

/* columns of the open rows, side by side for lanes, and their compliance at the tip */
static void begin_columns(const clv_rows *w, int strand)
{
    const clv_carry *c = w->plan->carry;
    const clv_meet *t = &c->meet[strand];
    const clv_row_columns *s = &w->carry.strand[strand];
    const double *K = w->carry.K[strand] + 6 * (t->nrow - t->nopen);
    for (int j = 0; j < s->n; j++)
        for (int i = 0; i < 6; i++)
            s->K[i * s->wide + j] = K[6 * j + i];
    memset(s->L, 0, (size_t)(s->n * s->wide) * sizeof(double));
    clv_rows_add_elements(w, s->L, s->wide, c->list + t->left, t->nleft);
}

static double free_of(const clv_rows *w, int slot)
{
    return w->flags[slot / G8] & CLV_ROW_DRIVEN ? 1.0 - w->pad[slot] : 1.0;
}

void clv_rows_bring_on(clv_rows *w, int strand, bool biased, bool again)
{
    const clv_row_columns *s = &w->carry.strand[strand];
    if (s->n == 0)
        return;
    if (!again)
        begin_columns(w, strand);
    if (!again && s->rows > 0)
        w->carry.kernels->bring(w, strand, s, biased);
    else
        memset(s->t, 0, (size_t)s->wide * sizeof(double));
    for (int i = s->rows - 1; again && i >= 0; i--) {
        const int slot = clv_row_slot_of(w, strand, i);
        const double u0 = w->u0[slot] * free_of(w, slot);
        for (int j = 0; j < s->wide; j++)
            s->t[j] += s->Y[i * s->wide + j] * u0;
    }
}

void clv_rows_take_off(clv_rows *w, int strand)
{
    const clv_row_columns *s = &w->carry.strand[strand];
    const int *row = clv_row_open_rows(w->plan, strand);
    for (int j = 0; j < s->n; j++)
        w->carry.g[row[j]] -= s->t[j];
}

/* a base that floats, after its factor F: X = F^-1 K, L += X^T X, g -= X^T F^-1 p (T170.1) */
static void eliminate_floating(clv_rows *w, int strand, bool again)
{
    const clv_row_columns *s = &w->carry.strand[strand];
    const clv_row_join *join = &w->join[strand];
    const int *row = clv_row_open_rows(w->plan, strand);
    double p[6];
    if (!again)
        w->carry.kernels->joined_float(s, join);
    memcpy(p, join->p, sizeof p), clv_lower_solve(join->D, 6, p);
    for (int j = 0; j < s->n; j++)
        s->t[j] = 0;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < s->n; j++)
            s->t[j] += s->X[i * s->wide + j] * p[i];
    for (int j = 0; j < s->n; j++)
        w->carry.g[row[j]] -= s->t[j];
}

bool clv_rows_meet_ground(clv_rows *w, bool again)
{
    for (int k = w->floating[0]; k < w->npiece; k = w->floating[k + 1])
        if (w->carry.strand[k].n > 0 && clv_plan_adrift(w->plan, clv_rows_base(w, k)))
            eliminate_floating(w, k, again);
    return clv_rows_meet(w, w->npiece, again);
}
