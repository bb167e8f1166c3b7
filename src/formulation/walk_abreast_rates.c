/* SPDX-License-Identifier: Apache-2.0
 * Rates in lanes of several mechanisms (T85); see walk_abreast.h.
 *
 *   hdca   states in | pose, scan | up with p, limbs fold | down: velocities | collect, momentum | loads | rates out
 *   dca    states in | loads | pose, scan | velocity terms, up, limbs fold | down: accelerations | rates out */
#include <string.h>
#include "formulation/armature.h"
#include "formulation/walk_abreast_base.h"
#include "formulation/walk_abreast_drive.h"
#include "formulation/walk_abreast_loads.h"

enum { G8 = CLV_GROUP };

/* what acts between velocities and sums: loads of joints and flexible bodies at the rates u (rows x 8) */
static void load_all(clv_walk_abreast *a, const double *y, const double *u)
{
    clv_walk_abreast_loads_press(a, y, u);
    clv_row_abreast_flex_weigh(&a->rows, u, a->springs.tau, a->springs.power);
}

/* hdca, after the velocities: rates of momenta */
static void find_momentum_rates(clv_walk_abreast *a, const double *y)
{
    clv_rows *w = &a->rows.rows;
    clv_walk_abreast_bases_move(a);
    clv_row_abreast_flex_rates(&a->rows);
    clv_row_abreast_clear(&a->rows, true);
    load_all(a, y, w->rates);
    clv_row_abreast_collect(&a->rows);
    for (int k = 0; k < a->rows.plan.ngroup; k++)
        w->kernels->momentum(w, k);
    clv_row_abreast_flex_pdot(&a->rows);
}

/* hdca: the solution for accelerations, at the velocities found and the same loads */
static void accelerate(clv_walk_abreast *a, bool weighed)
{
    clv_rows *w = &a->rows.rows;
    clv_row_abreast_go_on(&a->rows);
    for (int i = 0; i < a->ndrive; i++)
        memcpy(w->u + a->drive[i].row * G8, a->drive[i].u, G8 * sizeof(double));
    clv_row_abreast_clear(&a->rows, false);
    memcpy(w->tau, a->springs.tau, (size_t)a->rows.nplace * G8 * sizeof(double));
    clv_walk_abreast_drives_know(a, true);
    for (int k = 0; k < a->rows.plan.ngroup; k++)
        w->kernels->velocity_terms(w, k);
    clv_row_abreast_climb(&a->rows, true);
    clv_walk_abreast_bases_solve(a);
    clv_row_abreast_descend(&a->rows, true);
    for (int k = 0; weighed && k < a->rows.plan.ngroup; k++)
        w->kernels->energy(w, k, false); /* the rows have accelerations, as those of the mechanism alone */
}

/* the kernels */
static void pass(clv_walk_abreast *a, const double *y, bool weighed)
{
    clv_rows *w = &a->rows.rows;
    const clv_row_kernels *x = w->kernels;
    const int n = a->rows.plan.ngroup;
    clv_walk_abreast_drives_set(a), clv_walk_abreast_drives_know(a, !a->momenta);
    for (int k = 0; k < n; k++)
        x->pose(w, k, !a->momenta && a->rows.limbs);
    clv_walk_abreast_bases_start(a);
    clv_row_abreast_scan(&a->rows, !a->momenta);
    for (int k = 0; !a->momenta && k < n; k++)
        x->velocity_terms(w, k);
    clv_row_abreast_clear(&a->rows, false);
    if (a->momenta)
        clv_walk_abreast_bases_drive(a);
    else
        load_all(a, y, w->u), clv_row_abreast_flex_terms(&a->rows);
    clv_row_abreast_climb(&a->rows, !a->momenta);
    clv_walk_abreast_bases_solve(a);
    clv_row_abreast_descend(&a->rows, !a->momenta);
    for (int k = 0; weighed && !(a->momenta && a->ndrive > 0) && k < n; k++)
        x->energy(w, k, a->momenta);
    if (a->momenta)
        find_momentum_rates(a, y);
}

/* 1 in lanes in which all strands have been factored */
static void find_factored(const clv_row_abreast *a, double factored[G8])
{
    for (int i = 0; i < G8; i++)
        factored[i] = 1.0;
    for (int k = 0; k < a->plan.ngroup; k++)
        for (int i = 0; i < G8; i++)
            factored[i] *= a->engine.out[k].ok[i];
    for (int i = 0; a->nflex > 0 && i < G8; i++)
        factored[i] *= clv_row_abreast_flex_sound(a, i);
}

/* J, of the rotors of a lane (T113) */
static double rotors(clv_walk_abreast *a, int lane)
{
    const clv_rows *w = &a->rows.rows;
    for (int i = 0; i < a->rows.nplace; i++)
        if (a->rows.u_of[i] >= 0)
            a->state[a->rows.u_of[i]] = (a->momenta && a->ndrive == 0 ? w->rates : w->u)[i * G8 + lane];
    return clv_armature_kinetic(a->lane[lane].system, a->state);
}

static void weigh(clv_walk_abreast *a, int lane)
{
    clv_walk_lane *l = &a->lane[lane];
    const clv_system *s = l->system;
    clv_energies *e = &l->energies;
    clv_row_abreast_energy(&a->rows, lane, &s->rows, s->model->gravity, &e->kinetic, &e->potential, &e->squares);
    if (s->plan->narmed > 0)
        e->kinetic += rotors(a, lane);
    if (!clv_row_abreast_flex_energy(&a->rows, lane, s->model->gravity, a->momenta, &e->kinetic, &e->potential,
                                     &e->squares))
        l->failed = true;
    if (s->model->nforce > 0)
        e->potential += l->simple ? a->springs.energy[lane] : clv_potential_given(&s->loads);
}

/* states out of and into the lanes */
static void take(const clv_walk_abreast *a, const double *y)
{
    const clv_row_abreast *r = &a->rows;
    a->vectors->gather(r->rows.q, y, r->q_of, r->nplace, a->lanes);
    a->vectors->gather(a->momenta ? r->rows.tau : r->rows.u, y + a->nq * G8, r->u_of, r->nplace, a->lanes);
}
static void give(clv_walk_abreast *a, double *ydot)
{
    const clv_row_abreast *r = &a->rows;
    const clv_rows *w = &r->rows;
    const double *more = a->momenta && a->loaded ? a->springs.tau : NULL;
    a->vectors->scatter(ydot, a->momenta ? w->rates : w->u, NULL, r->q_of, r->nplace, a->lanes);
    a->vectors->scatter(ydot + a->nq * G8, a->momenta ? w->pdot : w->rates, more, r->u_of, r->nplace, a->lanes);
    clv_row_abreast_balls_give(r, a->y, a->momenta ? w->rates : w->u, ydot);
    clv_walk_abreast_bases_give(a, ydot);
}

void clv_walk_abreast_rates(clv_walk_abreast *a, const double *y, double *ydot)
{
    double factored[G8];
    bool weighed = false;
    a->y = y;
    for (int i = 0; i < a->lanes; i++)
        a->lane[i].failed = false, weighed = weighed || (a->lane[i].required && a->lane[i].weighed);
    take(a, y);
    clv_row_abreast_balls_pose(&a->rows, y);
    pass(a, y, weighed);
    give(a, ydot);
    if (a->momenta && a->ndrive > 0) /* the power of drives needs their forces */
        accelerate(a, weighed);
    clv_walk_abreast_drives_power(a);
    memcpy(ydot + (a->n - 1) * G8, a->springs.power, G8 * sizeof *ydot);
    if (weighed && a->springs.n > 0)
        a->rows.rows.kernels->spring_energy(&a->rows.rows, &a->springs);
    find_factored(&a->rows, factored);
    for (int i = 0; i < a->lanes; i++) {
        clv_walk_lane *l = &a->lane[i];
        l->failed = l->required && (l->failed || factored[i] != 1.0);
        if (l->required && l->weighed && !l->failed)
            weigh(a, i);
    }
}
