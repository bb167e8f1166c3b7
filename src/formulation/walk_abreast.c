/* SPDX-License-Identifier: Apache-2.0
 * Rates in lanes of several mechanisms (T85); see walk_abreast.h.
 *
 *   hdca   states in | pose, scan | up with p, limbs fold | down: velocities | collect, momentum | loads | rates out
 *   dca    states in | loads | pose, scan | velocity terms, up, limbs fold | down: accelerations | rates out
 *
 * Loads of joints with tables, friction, stops or inputs are found lane by lane, by model/force.c. */
#include "formulation/walk_abreast.h"
#include "formulation/armature.h"
#include <string.h>
#include "formulation/momentum_axes.h"
#include "formulation/walk_abreast_base.h"
#include "formulation/walk_abreast_drive.h"
#include "formulation/walk_steps.h"

enum { G8 = CLV_GROUP };

static bool loads_bodies(const clv_system *s)
{
    for (int b = 0; b < s->plan->nbody; b++)
        if ((s->rows.mark[b] & CLV_ROWS_LOADED) && !clv_row_hold_of(&s->rows, b))
            return true;
    return s->controls && s->controls->nbody > 0;
}

/* a node has no mass of its own */
static bool lacks_inertia(const clv_system *s)
{
    for (int b = 0; b < s->plan->nbody; b++)
        if (s->engine.light[b] && !clv_row_hold_of(&s->rows, b))
            return true;
    return false;
}

const char *clv_walk_abreast_refuses(const clv_system *s, bool momenta)
{
    const clv_momentum_axes *axes = momenta ? s->private_state : NULL;
    if (!s->rows.fit || clv_rows_closed(&s->rows))
        return "closed loops";
    const char *why = clv_walk_abreast_drives_refuse(s);
    if (why)
        return why;
    if (axes && axes->count > 0)
        return "momenta along axes of bodies (T9.4)";
    if (lacks_inertia(s))
        return "bodies that lack inertia";
    if (loads_bodies(s))
        return "loads on bodies";
    if (s->controls && s->controls->njoint > 0)
        return "controls";
    if (s->nbearing > 0)
        return "friction by reactions";
    for (int i = 0; i < s->model->nforce; i++) {
        const clv_force *f = &s->model->force[i];
        const int body = f->kind == CLV_FORCE_JOINT ? s->plan->child_of_joint[f->joint] : -1;
        if (body < 0 || s->plan->tree[body].detached)
            return "loads on bodies";
    }
    return clv_row_abreast_refuses(&s->rows);
}

/* ------------------------------------------------------------------ loads of joints */

/* Loads with a coordinate each, and no numbers but those of clv_row_springs? */
static bool simple(const clv_system *s)
{
    for (int i = 0; i < s->model->nforce; i++) {
        const clv_force *f = &s->model->force[i];
        if (f->table.n > 0 || f->friction.breakaway > 0 || f->stop.stiffness > 0 || f->spring.n > 0 ||
            f->damper.n > 0 || f->limit > 0 || clv_walk_abreast_driven(s, f->joint))
            return false;
    }
    return s->model->ninput == 0;
}

/* row of the coordinate of a load; of that of a prescribed joint, which no row has, 0: its system finds it */
static int row_of(const clv_walk_abreast *a, const clv_system *s, const clv_force *f)
{
    const int body = s->plan->child_of_joint[f->joint], rate = s->plan->tree[body].iu + f->coordinate;
    int row = 0;
    if (clv_walk_abreast_driven(s, f->joint))
        return 0;
    while (row < a->rows.nplace && a->rows.u_of[row] != rate)
        row++;
    return row;
}

static void layout(clv_walk_abreast *a, const clv_system *of, clv_arena *m)
{
    clv_row_springs *s = &a->springs;
    const int loads = of->model->nforce;
    clv_walk_abreast_drives_layout(a, of, m);
    const size_t n = (size_t)loads * G8;
    s->n = loads, s->rows = a->rows.nplace;
    CLV_TAKE(m, a->state, a->n);
    CLV_TAKE(m, s->row, loads), CLV_TAKE(m, s->stiffness, n), CLV_TAKE(m, s->damping, n), CLV_TAKE(m, s->rest, n);
    CLV_TAKE(m, s->drive, n);
    if (a->momenta)
        CLV_TAKE(m, s->tau, (size_t)a->rows.nplace * G8);
    else
        s->tau = a->rows.rows.tau; /* they drive the joints */
    CLV_TAKE(m, s->power, G8), CLV_TAKE(m, s->energy, G8), CLV_TAKE(m, s->sound, G8);
}

static void put_springs(clv_walk_abreast *a, int lane, const clv_system *s)
{
    clv_row_springs *x = &a->springs;
    for (int k = 0; k < x->n; k++) {
        const clv_force *f = &s->model->force[k];
        const int at = k * G8 + lane;
        if (clv_walk_abreast_driven(s, f->joint))
            continue;
        x->stiffness[at] = f->stiffness, x->damping[at] = f->damping, x->rest[at] = f->rest, x->drive[at] = f->drive;
    }
}

/* tau and power of a lane whose loads are not simple, at the rates u (rows x 8); false: a load failed */
static bool load_joints(clv_walk_abreast *a, int lane, const double *y, const double *u)
{
    clv_walk_lane *l = &a->lane[lane];
    clv_system *s = l->system;
    const clv_row_abreast *r = &a->rows;
    for (int i = 0; i < a->n; i++)
        a->state[i] = y[i * G8 + lane];
    for (int i = 0; i < r->nplace; i++)
        if (r->u_of[i] >= 0)
            s->u[r->u_of[i]] = u[i * G8 + lane];
    for (int k = 0; k < r->nfloat; k++)
        clv_row_get(r->floating[k].u + lane, 6, s->u + r->floating[k].iu);
    s->kin.time = l->t;
    if (!clv_walk_given_loads(s, a->state, s->u))
        return false;
    for (int i = 0; i < r->nplace; i++)
        a->springs.tau[i * G8 + lane] = r->u_of[i] >= 0 && clv_walk_loaded(s) ? s->tau[r->u_of[i]] : 0.0;
    a->springs.power[lane] = s->power;
    return true;
}

/* loads of all lanes at the rates u (rows x 8) */
static void press(clv_walk_abreast *a, const double *y, const double *u)
{
    a->rows.rows.kernels->springs(&a->rows.rows, &a->springs, u);
    for (int i = 0; i < a->lanes; i++)
        if (a->lane[i].required && a->lane[i].simple)
            a->lane[i].failed = a->lane[i].failed || a->springs.sound[i] != 0;
        else if (a->lane[i].required)
            a->lane[i].failed = !load_joints(a, i, y, u) || a->lane[i].failed;
}

/* ------------------------------------------------------------------ lanes */

bool clv_walk_abreast_open(clv_walk_abreast *a, const clv_system *s, bool momenta, int lanes, int width)
{
    *a = (clv_walk_abreast){.lanes = lanes, .momenta = momenta, .nq = s->plan->nq, .loaded = clv_walk_loaded(s),
                            .n = s->plan->nq + s->plan->nu + 1};
    if (!clv_row_abreast_open(&a->rows, &s->rows, &s->kin, momenta, width))
        return false;
    clv_row_abreast_use(&a->rows, lanes);
    a->vectors = clv_lane_vectors_of(width);
    layout(a, s, &a->arena);
    if (!clv_arena_open(&a->arena))
        return false;
    layout(a, s, &a->arena);
    for (int k = 0; k < a->springs.n; k++)
        a->springs.row[k] = row_of(a, s, &s->model->force[k]);
    clv_walk_abreast_drives_take(a, s);
    return true;
}

void clv_walk_abreast_close(clv_walk_abreast *a)
{
    clv_row_abreast_close(&a->rows);
    clv_arena_close(&a->arena);
}

bool clv_walk_abreast_same(const clv_walk_abreast *a, const clv_system *s)
{
    if (!clv_row_abreast_same(&a->rows, &s->rows, &s->kin) || s->model->nforce != a->springs.n ||
        clv_walk_loaded(s) != a->loaded)
        return false;
    for (int k = 0; k < a->springs.n; k++)
        if (row_of(a, s, &s->model->force[k]) != a->springs.row[k])
            return false;
    return clv_walk_abreast_drives_same(a, s);
}

void clv_walk_abreast_put(clv_walk_abreast *a, int lane, clv_system *s)
{
    a->lane[lane] = (clv_walk_lane){.system = s, .simple = simple(s)};
    clv_row_abreast_put(&a->rows, lane, &s->rows, &s->kin, s->model->gravity);
    put_springs(a, lane, s);
}

/* ------------------------------------------------------------------ rates */

/* what acts between velocities and sums: loads of joints and flexible bodies at the rates u (rows x 8) */
static void load_all(clv_walk_abreast *a, const double *y, const double *u)
{
    press(a, y, u);
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
