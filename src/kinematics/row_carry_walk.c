/* SPDX-License-Identifier: Apache-2.0
 * The walk over strands whose loops are carried by the tree (T101).
 *
 *   up      level by level   meet | up, or respond | fold, bring | flexible bodies, and strands on them, join
 *   base    floating bases | meet on ground
 *   down    multipliers of ground | level by level   those part | load, down | multipliers of meets
 *
 * Rows that the solution misses by more than rounding are met by a second solution of what is missing. */
#include "base/tolerance.h"
#include "kinematics/row_kernels.h"
#include "math/spatial.h"
#include <math.h>
#include <string.h>

enum { G8 = CLV_GROUP };

/* right-hand sides of the joints that connect branches: D^T c (T170) */
static void connect_branches(clv_rows *w, const double *c)
{
    const clv_plan *p = w->plan;
    for (int k = 0; k < p->nedge; k++) {
        const clv_edge *edge = &p->edge[k];
        const double *D = w->engine->block + edge->block[0];
        for (int j = 0; edge->tree_body >= 0 && clv_plan_carries(p, k) && j < edge->m; j++)
            w->carry.g[edge->row + j] = c ? clv_dot6(D + 6 * j, c + 6 * (size_t)edge->tree_body) : 0.0;
    }
}

void clv_rows_carry_begin(clv_rows *w, const double *c, const double *a)
{
    clv_engine *e = w->engine;
    const size_t size = (size_t)w->plan->nclosing_row * sizeof(double);
    if (a)
        memcpy(w->carry.g, a, size);
    else
        memset(w->carry.g, 0, size);
    memset(w->carry.g + w->plan->nsigma, 0, 6 * (size_t)w->plan->nport * sizeof(double));
    if (w->plan->nsection > 0)
        connect_branches(w, c);
    memcpy(e->row_value, w->carry.g, (size_t)w->plan->nsigma * sizeof(double));
    memset(e->sigma, 0, (size_t)clv_plan_rows(w->plan) * sizeof(double));
    clv_rows_series_begin(w);
}

void clv_rows_carry_loads(clv_rows *w, bool again)
{
    const size_t n = (size_t)w->nattached * G8 * sizeof(double);
    memcpy(again ? w->Q : w->carry.Q, again ? w->carry.Q : w->Q, 6 * n);
    if (again)
        memset(w->I, 0, 21 * n);
    w->engine->failed_body = w->engine->failed_edge = -1;
}

bool clv_rows_meet_level(clv_rows *w, int level, bool again)
{
    for (int g = clv_rows_level(w, level); g < clv_rows_level(w, level + 1); g++)
        for (int l = w->plan->group[g].nseries; w->carry.sheaf[g].n == 0 && l < w->plan->group[g].nstrand; l++)
            if (!clv_rows_meet(w, w->plan->group[g].strand[l], again))
                return false;
    return true;
}

typedef struct bringing {
    clv_rows *w;
    bool biased, again;
} bringing;

static void bring_group(void *of, int group)
{
    const bringing *x = of;
    const clv_group *g = &x->w->plan->group[group];
    if (x->w->carry.sheaf[group].n > 0)
        clv_rows_bring_sheaf(x->w, group, x->biased, x->again);
    else
        for (int l = g->nseries; l < g->nstrand; l++)
            clv_rows_bring_on(x->w, g->strand[l], x->biased, x->again);
}

/* Strands write apart.  A right-hand side belongs to strands of several groups: these take their turns. */
void clv_rows_bring_level(clv_rows *w, int level, bool biased, bool again)
{
    clv_rows_of_level(w, level, bring_group, &(bringing){w, biased, again});
    clv_rows_series_bring(w, level, again);
    for (int g = clv_rows_level(w, level); g < clv_rows_level(w, level + 1); g++)
        if (w->carry.sheaf[g].n > 0)
            clv_rows_take_off_sheaf(w, g);
        else
            for (int l = 0; l < w->plan->group[g].nstrand; l++)
                clv_rows_take_off(w, w->plan->group[g].strand[l]);
}

bool clv_rows_carry_base(clv_rows *w, const clv_kinematics *k, bool again)
{
    return clv_rows_fold_floating(w, k, again) && clv_rows_meet_ground(w, again);
}

typedef struct descent {
    clv_rows *w;
    bool biased;
} descent;

/* what the open rows of the strands of a group do to their joints, then the strands outward */
static void descend_group(void *of, int group)
{
    const descent *d = of;
    const clv_group *g = &d->w->plan->group[group];
    if (d->w->carry.sheaf[group].n > 0)
        clv_rows_load_sheaf(d->w, group);
    else
        for (int l = g->nseries; l < g->nstrand; l++)
            clv_rows_load_strand(d->w, g->strand[l]);
    clv_rows_descend_group(d->w, group, d->biased);
}

void clv_rows_carry_down(clv_rows *w, const clv_kinematics *k, const double *c, bool biased, double *u)
{
    const clv_plan *p = w->plan;
    descent d = {w, biased};
    const bool joined = p->nstar > 0;
    clv_rows_give_multipliers(w, w->npiece);
    clv_rows_load_floating(w);
    clv_rows_unfold_floating(w, u);
    for (int level = w->nlevel - 1; level >= 0; level--) {
        if (joined)
            clv_rows_part_level(w, k, level, c, u);
        clv_rows_series_descend(w, level);
        clv_rows_of_level(w, level, descend_group, &d);
        for (int g = clv_rows_level(w, level); g < clv_rows_level(w, level + 1); g++)
            for (int l = 0; w->carry.sheaf[g].n == 0 && l < p->group[g].nstrand; l++)
                clv_rows_give_multipliers(w, p->group[g].strand[l]);
    }
    if (joined)
        clv_rows_part_level(w, k, -1, c, u);
}

static void respond_group(void *of, int group)
{
    const clv_rows *w = of;
    w->kernels->respond(w, group, w->tau, w->Q, true);
}

void clv_rows_carry_respond(clv_rows *w, const clv_kinematics *k, const double *tau)
{
    const bool joined = w->plan->nstar > 0;
    clv_rows_know_nothing(w);
    clv_rows_series_begin(w);
    if (joined)
        clv_rows_star_clear(w, true), (void)clv_rows_join_level(w, k, -1, tau, NULL, true);
    for (int level = 0; level < w->nlevel; level++) {
        (void)clv_rows_meet_level(w, level, true);
        clv_rows_of_level(w, level, respond_group, w);
        clv_rows_series_join(w, level, true);
        for (int g = clv_rows_level(w, level); g < clv_rows_level(w, level + 1); g++)
            clv_rows_finish_loads(w, g);
        clv_rows_bring_level(w, level, false, true);
        if (joined)
            (void)clv_rows_join_level(w, k, level, tau, NULL, true);
    }
    (void)clv_rows_carry_base(w, k, true);
}

void clv_rows_carry_pass(clv_rows *w, const clv_kinematics *k, const double *tau, double *u)
{
    clv_rows_carry_respond(w, k, tau);
    clv_rows_carry_down(w, k, NULL, false, u);
}

/* v += w, n numbers */
static void add(double *v, const double *w, size_t n)
{
    for (size_t i = 0; i < n; i++)
        v[i] += w[i];
}

/* the solution at hand, and the sum of it and the one kept */
static void keep(clv_rows *w, const double *u)
{
    clv_row_carry *y = &w->carry;
    const size_t n = (size_t)w->nrow * G8 * sizeof(double);
    memcpy(y->x, w->x, 6 * n), memcpy(y->rates, w->rates, n);
    memcpy(y->sigma, w->engine->sigma, (size_t)w->plan->nsigma * sizeof(double));
    for (int g = 0; g < w->plan->ngroup; g++)
        memcpy(y->start + 6 * G8 * (size_t)g, w->engine->out[g].x, 6 * G8 * sizeof(double));
    clv_rows_series_keep(w);
    if (w->plan->nstar > 0)
        clv_rows_keep_joined(w, u);
}
static void add_kept(clv_rows *w, double *u)
{
    const clv_row_carry *y = &w->carry;
    const size_t n = (size_t)w->nrow * G8;
    add(w->x, y->x, 6 * n), add(w->rates, y->rates, n);
    add(w->engine->sigma, y->sigma, (size_t)w->plan->nsigma);
    for (int g = 0; g < w->plan->ngroup; g++)
        add(w->engine->out[g].x, y->start + 6 * G8 * (size_t)g, 6 * G8);
    clv_rows_series_add(w);
    if (w->plan->nstar > 0)
        clv_rows_add_joined(w, u);
}

/* nothing has come up to any base, joint or mode */
static void clear_right_sides(clv_rows *w)
{
    const clv_plan *p = w->plan;
    clv_rows_know_nothing(w);
    memset(w->u0, 0, (size_t)w->nrow * G8 * sizeof(double));
    clv_rows_series_clear(w);
    for (int i = w->floating[0]; i < w->npiece; i = w->floating[i + 1]) {
        memset(w->join[i].p, 0, sizeof w->join[i].p), memset(w->join[i].u0, 0, sizeof w->join[i].u0);
        if (i >= p->nstrand)
            memset(w->star[i - p->nstrand].y, 0, (size_t)p->star[i - p->nstrand].nmode * sizeof(double));
    }
}

/* The solution of rows, and of defects of series, alone, without loads and drives.  If all fronts are on ground and
 * there are no defects, nothing goes up to them. */
static void solve_rows(clv_rows *w, const clv_kinematics *k, bool mends, double *u)
{
    const size_t n = (size_t)w->nrow * G8 * sizeof(double);
    if (!w->plan->carry->rooted || mends) {
        clv_rows_clear_loads(w);
        memset(w->tau, 0, n);
        w->carry.mends = mends;
        clv_rows_carry_pass(w, k, NULL, u);
        w->carry.mends = false;
        return;
    }
    clear_right_sides(w);
    (void)clv_rows_meet(w, w->npiece, true);
    clv_rows_carry_down(w, k, NULL, false, u);
}

/* what a solution misses, in units of the tolerances */
static double missed(clv_rows *w, const clv_kinematics *k, bool *mends)
{
    const double rows = clv_rows_carry_residual(w, k) / CLV_TOL_ROW,
                 series = clv_rows_series_defect(w) / CLV_TOL_SERIES;
    *mends = series > 1;
    return fmax(rows, series);
}

void clv_rows_carry_refine(clv_rows *w, const clv_kinematics *k, double *u)
{
    bool mends;
    double worst = missed(w, k, &mends);
    for (int i = 0; i < 2 && worst > 1; i++) {
        const double before = worst;
        keep(w, u);
        solve_rows(w, k, mends, u);
        add_kept(w, u);
        worst = missed(w, k, &mends);
        if (worst > 0.1 * before)
            break;
    }
}
