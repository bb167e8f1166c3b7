/* SPDX-License-Identifier: Apache-2.0
 * Strands in series where loops are carried (T171): they stand side by side in lanes, and are joined one after the
 * other as in open trees (T43.3).  Columns of loop rows pass a strand as a whole.
 *
 *   up     join    (1 + L H) [X | y] = [K^T | t + L h], I', p' at the base, to the tip before    (row_join.c)
 *          bring   Kt: columns at the tip;  (1 + L H) Z = L Kt,  K = X^T Kt,  L_rows += Kt^T Z,  g -= Kt^T y
 *   down   x_tip = X x + y + Z sigma,  F = h - H x_tip + Kt sigma,  then the base of the next one
 *   hand   hdca: sums of M V and loads of all outboard, to the tip before                       (T10)
 *
 * Z lies where other strands have Y. */
#include "kinematics/row_base.h"
#include "kinematics/row_carry_parts.h"
#include "kinematics/row_kernels.h"
#include "kinematics/row_runs.h"
#include "math/spatial.h"
#include <math.h>
#include <string.h>

void clv_rows_series_layout(clv_row_carry *y, const clv_plan *p, clv_arena *a)
{
    y->nseries = 0;
    for (int k = 0; k < p->nstrand; k++)
        y->nseries += p->strand[k].series;
    CLV_TAKE(a, y->series, y->nseries), CLV_TAKE(a, y->own, 21 * y->nseries);
    CLV_TAKE(a, y->defect, 6 * y->nseries), CLV_TAKE(a, y->tip, 6 * y->nseries);
    for (int k = 0, n = 0; y->series && k < p->nstrand; k++)
        if (p->strand[k].series)
            y->series[n++] = k;
}

static const clv_strand *strand_of(const clv_rows *w, int k) { return &w->plan->strand[k]; }

/* of the strands of a level */
static bool stands_at(const clv_rows *w, int k, int level)
{
    const int group = strand_of(w, k)->group;
    return group >= clv_rows_level(w, level) && group < clv_rows_level(w, level + 1);
}

static clv_strand_out *out_of(const clv_rows *w, int k) { return &w->engine->out[strand_of(w, k)->group]; }

void clv_rows_series_begin(clv_rows *w)
{
    for (int i = 0; i < w->carry.nseries; i++) {
        clv_row_join *s = &w->join[w->carry.series[i]];
        memset(s->H, 0, sizeof s->H), memset(s->h, 0, sizeof s->h);
    }
}

void clv_rows_series_clear(clv_rows *w)
{
    for (int i = 0; i < w->carry.nseries; i++) {
        clv_row_join *s = &w->join[w->carry.series[i]];
        memset(s->y, 0, sizeof s->y), memset(s->h, 0, sizeof s->h);
    }
}

/* what the first strand of a series and all outboard show at its base, in place of its own */
static void show_whole(const clv_rows *w, int k)
{
    const clv_row_join *s = &w->join[k];
    double I[21];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j <= i; j++)
            I[CLV_SYM[i][j]] = s->I[6 * i + j];
    clv_row_put(out_of(w, k)->I + strand_of(w, k)->lane, 21, I);
    clv_row_put(out_of(w, k)->p + strand_of(w, k)->lane, 6, s->p);
}

/* t of the tip, with a defect */
static void mend(const clv_rows *w, int k, const double defect[6])
{
    double t[6];
    clv_row_get(out_of(w, k)->t + strand_of(w, k)->lane, 6, t);
    clv_add6(t, defect);
    clv_row_put(out_of(w, k)->t + strand_of(w, k)->lane, 6, t);
}

void clv_rows_series_join(clv_rows *w, int level, bool again)
{
    for (int i = w->carry.nseries - 1; i >= 0; i--) {
        const int k = w->carry.series[i], lane = strand_of(w, k)->lane, after = strand_of(w, k)->after;
        const bool shows = after >= 0 || strand_of(w, k)->base != CLV_BASE_GROUND;
        double *own = w->carry.own + 21 * (size_t)i, *I = out_of(w, k)->I + lane;
        if (!stands_at(w, k, level))
            continue;
        if (again)
            clv_row_put(I, 21, own);
        else
            clv_row_get(I, 21, own);
        if (again && w->carry.mends)
            mend(w, k, w->carry.defect + 6 * i);
        w->kernels->join(&w->join[k], after < 0 ? NULL : &w->join[after], out_of(w, k), lane, true, shows);
        if (shows && after < 0)
            show_whole(w, k);
    }
}

/* Z of the columns at a tip (n x 6), six at a time */
static void reach(const clv_rows *w, int k, const double *Kt, const clv_row_columns *s)
{
    double J[36], Z[36];
    for (int from = 0; from < s->n; from += 6) {
        const int n = s->n - from < 6 ? s->n - from : 6;
        memset(J, 0, sizeof J);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < 6; i++)
                J[6 * i + j] = Kt[6 * (from + j) + i];
        w->kernels->reach(&w->join[k], out_of(w, k), strand_of(w, k)->lane, J, Z);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < n; j++)
                s->Y[i * s->wide + from + j] = Z[6 * i + j];
    }
}

static const double *columns_at_tip(const clv_rows *w, int k)
{
    const clv_meet *t = &w->plan->carry->meet[k];
    return w->carry.K[k] + 6 * (t->nrow - t->nopen);
}

/* columns at the base, and the compliance of their rows */
static void pass_columns(clv_rows *w, int k)
{
    const clv_carry *c = w->plan->carry;
    const clv_meet *t = &c->meet[k];
    const clv_row_columns *s = &w->carry.strand[k];
    const double *X = w->join[k].X, *Kt = columns_at_tip(w, k);
    (void)clv_rows_meet(w, k, false); /* no rows are eliminated there */
    reach(w, k, Kt, s);
    memset(s->L, 0, (size_t)(s->n * s->wide) * sizeof(double));
    clv_rows_add_elements(w, s->L, s->wide, c->list + t->left, t->nleft);
    for (int j = 0; j < s->n; j++)
        for (int i = 0; i < 6; i++) {
            double sum = 0;
            for (int m = 0; m < 6; m++)
                sum += X[6 * m + i] * Kt[6 * j + m];
            s->K[i * s->wide + j] = sum;
        }
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j <= i; j++) { /* Kt^T Z is symmetric */
            double sum = 0;
            for (int m = 0; m < 6; m++)
                sum += Kt[6 * i + m] * s->Y[m * s->wide + j];
            s->L[i * s->wide + j] += sum;
            if (i != j)
                s->L[j * s->wide + i] += sum;
        }
}

void clv_rows_series_bring(clv_rows *w, int level, bool again)
{
    for (int i = w->carry.nseries - 1; i >= 0; i--) {
        const int k = w->carry.series[i];
        const clv_row_columns *s = &w->carry.strand[k];
        if (!stands_at(w, k, level))
            continue;
        if (!again)
            pass_columns(w, k);
        for (int j = 0; j < s->n; j++)
            s->t[j] = clv_dot6(columns_at_tip(w, k) + 6 * j, w->join[k].y);
    }
}

/* motion of the base of a strand */
static void start(const clv_rows *w, int k, double x[6])
{
    const int after = strand_of(w, k)->after, origin = w->origin[k], slot = origin < 0 ? 0 : w->slot[origin];
    if (after >= 0)
        clv_row_to_strand(w->join[k].R, x, w->join[after].tip);
    else if (clv_strand_folds(w->plan, k)) {
        clv_row_get(w->x + (size_t)(slot / G8) * 6 * G8 + slot % G8, 6, x);
        clv_row_to_strand(w->join[k].R, x, x);
    } else /* on ground, or a base that floats */
        clv_row_get(out_of(w, k)->x + strand_of(w, k)->lane, 6, x);
}

void clv_rows_series_descend(clv_rows *w, int level)
{
    for (int g = clv_rows_level(w, level); g < clv_rows_level(w, level + 1); g++)
        if (w->plan->group[g].nseries > 0) /* the lanes beside them look at these */
            memset(w->engine->out[g].F, 0, 6 * G8 * sizeof(double));
    for (int i = 0; i < w->carry.nseries; i++) {
        const int k = w->carry.series[i], lane = strand_of(w, k)->lane;
        const clv_row_columns *c = &w->carry.strand[k];
        const double *Kt = columns_at_tip(w, k), *sigma = w->engine->sigma;
        const int *row = clv_row_open_rows(w->plan, k);
        clv_row_join *s = &w->join[k];
        double x[6], F[6];
        if (!stands_at(w, k, level))
            continue;
        start(w, k, x);
        clv_row_times(s->tip, s->X, x), clv_add6(s->tip, s->y);
        for (int m = 0; m < 6; m++)
            for (int j = 0; j < c->n; j++)
                s->tip[m] += c->Y[m * c->wide + j] * sigma[row[j]];
        clv_row_times(F, s->H, s->tip);
        for (int m = 0; m < 6; m++)
            F[m] = s->h[m] - F[m];
        for (int j = 0; j < c->n; j++)
            for (int m = 0; m < 6; m++)
                F[m] += Kt[6 * j + m] * sigma[row[j]];
        clv_row_put(out_of(w, k)->x + lane, 6, x), clv_row_put(out_of(w, k)->F + lane, 6, F);
    }
}

double clv_rows_series_defect(clv_rows *w)
{
    double missed[2] = {0, 0}, most[2] = {0, 0};
    for (int i = 0; i < w->carry.nseries; i++) {
        const int k = w->carry.series[i], slot = w->slot[clv_row_tip_of(w->plan, k)];
        double x[6], *e = w->carry.defect + 6 * i;
        clv_row_get(w->x + (size_t)(slot / G8) * 6 * G8 + slot % G8, 6, x);
        for (int m = 0; m < 6; m++) {
            e[m] = x[m] - w->join[k].tip[m];
            missed[m / 3] = fmax(missed[m / 3], fabs(e[m])), most[m / 3] = fmax(most[m / 3], fabs(x[m]));
        }
    }
    return fmax(most[0] > 0 ? missed[0] / most[0] : 0, most[1] > 0 ? missed[1] / most[1] : 0);
}

void clv_rows_series_keep(clv_rows *w)
{
    for (int i = 0; i < w->carry.nseries; i++)
        memcpy(w->carry.tip + 6 * i, w->join[w->carry.series[i]].tip, 6 * sizeof(double));
}

void clv_rows_series_add(clv_rows *w)
{
    for (int i = 0; i < w->carry.nseries; i++)
        clv_add6(w->join[w->carry.series[i]].tip, w->carry.tip + 6 * i);
}

static void gather_group(void *of, int group)
{
    const clv_rows *w = of;
    if (w->plan->group[group].nseries > 0)
        w->kernels->gather(w, group);
}

/* adds a momentum about the tip of a strand, in its axes, to the sum about its start */
static void add_at_start(const clv_rows *w, int k, const double P[6])
{
    const clv_strand *st = strand_of(w, k);
    const clv_row_ends *o = clv_row_ends_of(w, k);
    const double *f = clv_row_attached(w, w->frame, CLV_FRAME, clv_row_tip_of(w->plan, k)), *at = o->start + st->lane;
    double R[9], d[3], l[3], W[6], sum[6];
    clv_row_axes(w, k, R);
    for (int x = 0; x < 3; x++)
        d[x] = f[(9 + x) * G8] - at[(9 + x) * G8];
    clv_mat3_transpose_times(l, R, d);
    clv_wrench_shift(W, l, P);
    clv_row_get(o->P + st->lane, 6, sum), clv_add6(sum, W), clv_row_put(o->P + st->lane, 6, sum);
}

/* momenta are sums of M V, not wrenches at tips: these are larger where loops are stiff */
void clv_rows_series_hand(clv_rows *w, int level)
{
    if (w->carry.nseries == 0)
        return;
    clv_rows_of_level(w, level, gather_group, w);
    for (int i = w->carry.nseries - 1; i >= 0; i--) {
        const int k = w->carry.series[i], after = strand_of(w, k)->after;
        double P[6], Q[6];
        if (after < 0 || !stands_at(w, k, level))
            continue;
        clv_row_get(clv_row_ends_of(w, k)->P + strand_of(w, k)->lane, 6, P);
        clv_row_to_global(w->join[k].R, P, P); /* to the axes of the strand before */
        clv_rows_attach_own(w, w->P, w->origin[k], P);
        add_at_start(w, after, P);
        clv_rows_strand_load(w, k, Q);
        clv_rows_attach(w, w->Q, w->origin[k], Q);
    }
}
