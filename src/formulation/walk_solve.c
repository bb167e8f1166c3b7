/* SPDX-License-Identifier: Apache-2.0
 * Factor and solve in rows (T43.3, T43.4): up, fold or close, down.  Velocities of momenta (T9), or accelerations
 * (T12). */
#include <string.h>
#include "engine/base_block.h"
#include "formulation/walk_steps.h"
#include "kinematics/row_kernels.h"
#include "math/spatial.h"

typedef struct climb {
    clv_rows *w;
    const double *tau;
    bool biased;
} climb;

static void climb_group(void *of, int group)
{
    const climb *c = of;
    if (c->w->nball == 0)
        clv_rows_group_rates(c->w, group, c->tau, c->w->tau);
    if (c->biased)
        c->w->kernels->velocity_terms(c->w, group);
    c->w->kernels->up(c->w, group, c->biased);
}

/* all groups, level by level, as they fold; bias: as c of clv_walk_solve */
static bool climb_groups(clv_system *s, const double *tau, const double *bias, bool biased)
{
    clv_rows *w = &s->rows;
    climb c = {w, tau, biased};
    const bool joined = w->carried && w->plan->nstar > 0;
    if (joined)
        clv_rows_star_clear(w, false);
    if (joined && !clv_rows_join_level(w, &s->kin, -1, tau, bias, false))
        return false;
    for (int level = 0; level < w->nlevel; level++) {
        if (w->carried && !clv_rows_meet_level(w, level, false))
            return false;
        clv_rows_of_level(w, level, climb_group, &c);
        if (w->carried)
            clv_rows_series_join(w, level, false);
        for (int g = clv_rows_level(w, level); g < clv_rows_level(w, level + 1); g++) {
            while (clv_rows_strengthen(w, g))
                w->kernels->up(w, g, biased);
            if (!clv_rows_finish(w, g))
                return false;
        }
        if (w->carried)
            clv_rows_bring_level(w, level, biased, false);
        if (joined && !clv_rows_join_level(w, &s->kin, level, tau, bias, false))
            return false;
    }
    return true;
}

typedef struct attempt {
    clv_system *s;
    const double *tau, *c, *a;
    bool biased, again;
} attempt;

/* all strands, and the rows that they carry, with the threshold of the engine */
static bool carry(void *of)
{
    attempt *t = of;
    clv_rows *w = &t->s->rows;
    if (t->s->engine.redundant > 0)
        clv_rows_carry_loads(w, t->again);
    t->again = true;
    clv_rows_carry_begin(w, t->c, t->a);
    t->s->engine.truncated += w->plan->carry->nidle;
    return climb_groups(t->s, t->tau, t->c, t->biased) && clv_rows_carry_base(w, &t->s->kin, false);
}

/* Right-hand sides a (nclosing_row) of closings and biases c of joints between strands, or NULL, are carried with the
 * factor. */
static bool factor(clv_system *s, const double *tau, const double *c, const double *a, bool biased)
{
    clv_rows *w = &s->rows;
    clv_engine *e = &s->engine;
    clv_factor_begin(e);
    e->stalled = e->loose = false, e->loose_body = -1;
    e->partial = true;
    if (w->nball > 0)
        clv_rows_take_rates(w, tau, w->tau);
    clv_rows_drive(w, &s->kin, tau);
    attempt t = {s, tau, c, a, biased, false};
    if (w->carried ? !clv_factor_rank(e, carry, &t) : !climb_groups(s, tau, c, biased))
        return false;
    if (w->looped && !clv_rows_show(w))
        return false;
    s->truncated = e->truncated;
    return true;
}

bool clv_walk_factor(clv_system *s, const double *tau, bool biased) { return factor(s, tau, NULL, NULL, biased); }
bool clv_walk_factor_closings(clv_system *s, const double *tau, const double *a)
{
    return factor(s, tau, NULL, a, false);
}

/* The solution with loops that are carried; the factor has its first part. */
static void solve_carried(clv_system *s, const double *c, bool moving, double *u, double *x)
{
    clv_rows *w = &s->rows;
    clv_rows_carry_down(w, &s->kin, c, moving, u);
    if (!s->across) /* else bits would depend on which segments are here */
        clv_rows_carry_refine(w, &s->kin, u);
    clv_rows_outer(w, &s->kin, c, x, u);
}

bool clv_walk_solve(clv_system *s, const double *tau, const double *c, const double *a, bool moving, double *u,
                    double *x)
{
    clv_rows *w = &s->rows;
    bool good = factor(s, tau, c, a, moving);
    if (w->carried && s->across)
        good = clv_walk_join_ports(s, good, moving);
    if (w->carried) {
        if (good)
            solve_carried(s, c, moving, u, x);
        return good;
    }
    if (good && w->looped)
        clv_rows_close(w, tau, c, a, u);
    else
        good = good && clv_rows_fold(w, &s->kin, tau, c, false);
    if (s->across)
        good = clv_walk_join_segments(s, good, moving);
    if (!good)
        return false;
    if (!w->looped)
        clv_rows_unfold(w, &s->kin, c, u);
    clv_rows_descend(w, moving);
    clv_rows_take_out(w, &s->kin, moving, true, u);
    if (s->engine.stalled)
        return false;
    clv_rows_outer(w, &s->kin, c, x, u);
    return true;
}

/* c of a prescribed joint between strands, for velocities */
static void known_bias(const clv_system *s, int body, double c[6])
{
    const double *H = s->kin.H + clv_columns(s->plan, (size_t)body);
    for (int i = 0; i < 6; i++)
        c[i] = s->plan->tree[body].motion < 0 ? 0.0 : H[i] * *clv_kinematics_u(&s->kin, (size_t)body);
}

const double *clv_walk_biases(clv_system *s, bool accelerations)
{
    if (!accelerations && s->model->nmotion == 0)
        return NULL;
    for (int k = 0; k < s->plan->nstar; k++) /* links */
        memset(s->c + 6 * (size_t)s->plan->star[k].frame, 0,
               6 * (size_t)(1 + s->model->flex[k].nnode) * sizeof(double));
    for (int k = 0, b; (b = clv_walk_base(&s->rows, &k)) >= 0; k++) {
        if (accelerations)
            clv_kinematics_body_bias(&s->kin, b, s->c + 6 * (size_t)b);
        else
            known_bias(s, b, s->c + 6 * (size_t)b);
    }
    if (accelerations)
        clv_rows_star_terms(&s->rows, &s->kin, s->c);
    return s->c;
}

bool clv_walk_accelerations(clv_system *s, bool stabilized)
{
    clv_rows *w = &s->rows;
    const double *c = clv_walk_biases(s, true);
    for (int i = 0; i < w->ncoupled; i++)
        clv_kinematics_body_bias(&s->kin, w->coupled[i], s->c + 6 * (size_t)w->coupled[i]);
    if (clv_rows_closed(w)) {
        clv_kinematics_closing_bias(&s->kin, s->c, s->a);
        if (stabilized)
            clv_system_stabilize(s);
    }
    if (s->plan->nstar > 0) {
        memcpy(s->force, s->tau, (size_t)s->plan->nu * sizeof(double));
        clv_flexible_forces(s, s->force);
    }
    clv_rows_know(w, true);
    if (!clv_walk_solve(s, s->plan->nstar > 0 ? s->force : s->tau, c, s->a, true, s->ud, s->x))
        return false;
    memcpy(s->lambda, s->engine.sigma, (size_t)s->plan->nsigma * sizeof(double));
    clv_rows_give_rates(w, w->rates, s->ud);
    return true;
}

bool clv_walk_accelerate(clv_system *s)
{
    if (s->solved == CLV_WALK_VELOCITIES)
        clv_rows_go_on(&s->rows);
    s->solved = CLV_WALK_BOTH;
    clv_rows_clear(&s->rows);
    if (clv_walk_loaded(s))
        clv_walk_attach(s, s->Q);
    return clv_walk_accelerations(s, false);
}
