/* SPDX-License-Identifier: Apache-2.0
 * What an accepted state needs, in rows (T43.7): factor, corrections, renewed momenta, energies. */
#include <string.h>
#include "formulation/aldca_rows.h"
#include "formulation/armature.h"
#include "formulation/index3_rows.h"
#include "formulation/momentum_axes.h"
#include "formulation/walk_steps.h"
#include "kinematics/row_kernels.h"
#include "math/spatial.h"

clv_status clv_walk_factor_at(clv_system *s, double t, const double *q)
{
    assert(clv_walk_fits(s));
    clv_walk_begin(s);
    clv_walk_start(s, t, q, NULL);
    clv_rows_clear(&s->rows);
    clv_rows_know_nothing(&s->rows);
    memset(s->ud, 0, (size_t)s->plan->nu * sizeof(double));
    return clv_walk_factor(s, s->ud, false) ? CLV_OK : clv_walk_failed(s, t, q);
}

clv_status clv_walk_place(clv_system *s, double t, const double *q)
{
    const clv_status st = clv_walk_factor_at(s, t, q);
    if (st == CLV_OK && !s->border_only)
        clv_walk_show_poses(s, t, q);
    return st;
}

bool clv_walk_pose(clv_system *s, double t, const double *q)
{
    if (!s->border_only || !clv_walk_fits(s))
        return false;
    s->held = 0;
    clv_walk_strands(s, t, q, NULL);
    return true;
}

bool clv_walk_move(clv_system *s, const double *u)
{
    if (!s->border_only || !clv_walk_fits(s))
        return false;
    s->held = 0;
    clv_walk_border_rates(s, u);
    return true;
}

void clv_walk_base_momenta(const clv_system *s, double *p)
{
    const clv_plan *plan = s->plan;
    for (int k = 0, b; (b = clv_walk_base(&s->rows, &k)) >= 0; k++) {
        double P[6], Q[6];
        clv_rows_base_sums(&s->rows, k, P, Q);
        for (int c = 0; c < plan->tree[b].f; c++)
            p[plan->tree[b].iu + c] = clv_dot6(s->kin.H + clv_columns(plan, (size_t)b) + 6 * (size_t)c, P);
    }
}

/* p (nu) along the joints, of the rates in the rows, which are u (nu), less what the impulses sigma of closings give */
static void row_momenta(clv_system *s, const double *u, const double *sigma, double *p)
{
    clv_rows *w = &s->rows;
    s->held = 0;
    clv_rows_momenta(w, &s->kin, sigma);
    clv_rows_give_rates(w, w->pdot, p);
    clv_walk_base_momenta(s, p);
    clv_flexible_momenta(s, true, p);
    clv_armature_momenta(s, u, p);
}

/* the same of the rates u at q */
static void momenta_of(clv_system *s, const double *q, const double *u, const double *sigma, double *p)
{
    clv_walk_strands(s, s->kin.time, q, u);
    row_momenta(s, u, sigma, p);
}

void clv_walk_sum_momenta(clv_system *s, double *p)
{
    clv_rows_go_on(&s->rows);
    row_momenta(s, s->u, NULL, p);
}

void clv_walk_remember_momenta(clv_system *s, const double *y)
{
    const clv_plan *p = s->plan;
    s->missed_known = s->border_only && clv_walk_fits(s) && !s->summed;
    if (!s->missed_known)
        return;
    const double *momenta = clv_momentum_axes_along_joints(s, y + p->nq);
    momenta_of(s, y, s->u, s->sigma, s->missed);
    for (int i = 0; i < p->nu; i++)
        s->missed[i] = momenta[i] - s->missed[i];
}

bool clv_walk_momenta(clv_system *s, double t, const double *q, const double *u, double *p)
{
    if (!s->border_only || !clv_walk_fits(s))
        return false;
    s->kin.time = t;
    momenta_of(s, q, u, NULL, p);
    for (int i = 0; s->missed_known && i < s->plan->nu; i++)
        p[i] += s->missed[i];
    s->missed_known = false;
    if (s->private_state && ((clv_momentum_axes *)s->private_state)->count > 0)
        clv_momentum_axes_directions(s);
    clv_momentum_axes_turn(s, p);
    memset(s->sigma, 0, (size_t)s->plan->nsigma * sizeof(double));
    return true;
}

bool clv_walk_correct(clv_system *s, const double *a, double *du)
{
    clv_rows *w = &s->rows;
    if (!w->fit || !s->engine.partial || !clv_rows_closed(w))
        return false;
    s->held = 0;
    if (w->carried) {
        clv_rows_clear_loads(w);
        memset(w->tau, 0, (size_t)w->nrow * CLV_GROUP * sizeof(double));
        clv_rows_carry_begin(w, NULL, a);
        clv_rows_carry_pass(w, &s->kin, NULL, du);
        clv_rows_give_rates(w, w->rates, du);
        clv_rows_outer(w, &s->kin, NULL, s->x, du);
        return true;
    }
    memset(w->u0, 0, (size_t)w->nrow * CLV_GROUP * sizeof(double));
    clv_rows_know_nothing(w);
    clv_rows_close(w, NULL, NULL, a, du);
    clv_rows_descend(w, false);
    clv_rows_take_out(w, &s->kin, false, false, du);
    clv_rows_give_rates(w, w->rates, du);
    clv_rows_outer(w, &s->kin, NULL, s->x, du);
    return true;
}

bool clv_walk_impulses(clv_system *s, const double *p)
{
    if (!clv_walk_fits(s))
        return false;
    s->held = 0;
    clv_rows_clear(&s->rows);
    clv_rows_know_nothing(&s->rows);
    return clv_walk_solve(s, p, NULL, NULL, false, s->ud, s->x);
}

bool clv_walk_energies(clv_system *s, clv_energies *e)
{
    if (s->trials)
        return clv_index3_rows_energies(s, e);
    if (s->bodies)
        return clv_aldca_rows_energies(s, e);
    if (!s->walked)
        return false;
    clv_walk_give_rates(s);
    clv_rows_energy(&s->rows, s->velocities_known, s->model->gravity, &e->kinetic, &e->potential, &e->squares);
    e->kinetic += clv_armature_kinetic(s, s->u);
    if (!clv_flexible_energies(s, e))
        return false;
    if (s->model->nforce > 0)
        e->potential += clv_potential_given(&s->loads);
    return true;
}
