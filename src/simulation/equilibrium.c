/* SPDX-License-Identifier: Apache-2.0
 * Static equilibrium (T58).  Newton steps with the magnitudes of the eigenvalues of the stiffness are accepted by the
 * work of the loads, so the way leads down.  Then come the kind of the equilibrium and the output state. */
#include "simulation/equilibrium.h"
#include <math.h>
#include <string.h>
#include "base/error.h"
#include "math/symmetric.h"
#include "model/joint.h"
#include "simulation/react.h"

enum {
    MOST = 400,       /* independent directions: eigenvalues then take a second or two */
    STEPS = 500,      /* to an equilibrium */
    DEPARTURES = 20,  /* from unstable equilibria, one after the other */
};
/* a step turns no joint further, rad; and, as a start, moves none further, parts of the size */
#define STEP 0.5
/* way of a coordinate after which nothing holds it: 16 turns, 1000 sizes */
#define FREE_TURN 100.0
#define FREE_WAY 1000.0
/* loads left, beside the largest load: that end the iteration at once; with which rounding may end it */
#define BALANCED 1e-14
#define NEARLY_BALANCED 1e-9
/* Part of a step that loops may take back; more at every size is a singular position, whose rows miss directions that
 * are lost behind it. Ways of rounding do not count. */
#define TAKEN_BACK 0.5
#define NO_WAY 1e-6
/* displacement that leaves an unstable equilibrium, rad or parts of the size */
#define DEPARTURE 1e-2

/* Room for all directions that a position can have: a singular one has more than the start. */
static void layout(clv_statics *e)
{
    const size_t nq = (size_t)e->s->plan->nq, n = (size_t)e->x.n, f = n < MOST ? n : MOST;
    clv_arena *at = &e->arena;
    CLV_TAKE(at, e->q, nq), CLV_TAKE(at, e->trial, nq), CLV_TAKE(at, e->force, n), CLV_TAKE(at, e->net, n);
    CLV_TAKE(at, e->r, f), CLV_TAKE(at, e->r_middle, f), CLV_TAKE(at, e->r_trial, f), CLV_TAKE(at, e->lambda, f);
    CLV_TAKE(at, e->z, f), CLV_TAKE(at, e->part, f);
    CLV_TAKE(at, e->K, f * f), CLV_TAKE(at, e->V, f * f), CLV_TAKE(at, e->work, f * f);
}

clv_status clv_statics_refuse_velocities(clv_sim *s)
{
    for (int k = 0; k < s->model->njoint; k++)
        if (clv_joint_velocity_rows(s->model->joint[k].kind) > 0)
            return clv_fail(&s->error, CLV_ERR_UNSUPPORTED, "joint '%s': statics cannot take a %s joint, which "
                            "restricts velocities", s->model->joint[k].name,
                            clv_joint_table[s->model->joint[k].kind].name);
    return CLV_OK;
}

static clv_status too_many(clv_statics *e)
{
    return clv_fail(&e->s->error, CLV_ERR_UNSUPPORTED, "%d degrees of freedom; an equilibrium is found of at most %d",
                    e->x.f, MOST);
}

clv_status clv_statics_open(clv_statics *e, clv_sim *s)
{
    memset(e, 0, sizeof *e);
    e->s = s, e->time = s->out_time;
    clv_status st = clv_independent_open(&e->x, s, e->time, s->out_y);
    e->x.positions = true;
    if (st == CLV_OK)
        st = clv_independent_find(&e->x, s->out_y);
    if (st != CLV_OK)
        return st;
    e->f = e->x.f;
    if (e->f > MOST)
        return too_many(e);
    layout(e);
    if (!clv_arena_open(&e->arena))
        return clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory: the equilibrium needs %.3g MB",
                        (double)e->arena.used / 1e6);
    layout(e);
    memcpy(e->q, s->out_y, (size_t)s->plan->nq * sizeof(double));
    clv_assembly_measure(&e->x.a, e->q, e->x.a.r);
    e->open = e->x.a.nclosing > 0 ? e->x.a.worst : 0;
    return CLV_OK;
}

void clv_statics_close(clv_statics *e)
{
    clv_arena_close(&e->arena);
    clv_independent_close(&e->x);
}

static double largest(const double *v, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(v[i]));
    return most;
}

/* ------------------------------------------------------------------ a step */

clv_status clv_statics_look(clv_statics *e)
{
    double skew;
    clv_status st = clv_independent_find(&e->x, e->q);
    if (st == CLV_OK && e->x.f > MOST)
        st = too_many(e);
    e->f = e->x.f;
    if (st == CLV_OK)
        st = clv_statics_force(e, e->q, e->r);
    if (st == CLV_OK)
        st = clv_statics_stiffness(e, CLV_STATICS_DIFFERENCE, e->K, &skew);
    if (st != CLV_OK)
        return st;
    memcpy(e->work, e->K, (size_t)e->f * (size_t)e->f * sizeof(double));
    clv_symmetric_eigen(e->lambda, e->V, e->work, e->f);
    return CLV_OK;
}

double clv_statics_noise(const clv_statics *e)
{
    return 1e-11 * e->load + 1e-10 * (e->f > 0 ? fmax(fabs(e->lambda[0]), fabs(e->lambda[e->f - 1])) : 0);
}

/* z := the step; along every eigenvector the way that the load there goes against |stiffness|, `far` without any. */
static void find_step(clv_statics *e, double far)
{
    const size_t f = (size_t)e->f;
    const double least = clv_statics_noise(e);
    memset(e->z, 0, f * sizeof(double));
    for (size_t i = 0; i < f; i++) {
        double load = 0, way;
        for (size_t k = 0; k < f; k++)
            load += e->V[k * f + i] * e->r[k];
        if (fabs(e->lambda[i]) <= least)
            way = fabs(load) <= NEARLY_BALANCED * e->load ? 0 : copysign(far, load);
        else
            way = load / fabs(e->lambda[i]);
        for (size_t k = 0; k < f; k++)
            e->z[k] += way * e->V[k * f + i];
    }
}

/* Factor that keeps the turns of a step below STEP and its ways below `far`. */
static double limit(clv_statics *e, double far)
{
    double f = 1;
    clv_independent_expand(&e->x, e->z, e->x.du);
    for (int i = 0; i < e->x.n; i++) {
        const double part = fabs(e->x.du[i]) / e->x.a.unit[i], most = e->s->slides[i] ? far : STEP;
        f = part * f > most ? most / part : f;
    }
    return f;
}

/* Work of the loads over the step f z by Simpson's rule; the position behind it is in trial, its loads in r_trial.
 * NaN: the loops do not close there. */
static double work_of(clv_statics *e, double f, clv_status *st)
{
    double work = 0;
    for (int i = 0; i < e->f; i++)
        e->part[i] = 0.5 * f * e->z[i];
    if (!clv_statics_move(e, e->part, e->trial))
        return NAN;
    *st = clv_statics_force(e, e->trial, e->r_middle);
    for (int i = 0; i < e->f; i++)
        e->part[i] = f * e->z[i];
    if (*st != CLV_OK || !clv_statics_move(e, e->part, e->trial))
        return NAN;
    *st = clv_statics_force(e, e->trial, e->r_trial);
    for (int i = 0; i < e->f; i++)
        work += f * e->z[i] * (e->r[i] + 4 * e->r_middle[i] + e->r_trial[i]) / 6;
    return *st == CLV_OK ? work : NAN;
}

/* Halves the step f z until the loads do work over it; 0: they do not. */
static double find_factor(clv_statics *e, double f, clv_status *st)
{
    double slope = 0;
    for (int i = 0; i < e->f; i++)
        slope += e->r[i] * e->z[i];
    e->stuck = false;
    for (int k = 0; k < 40; k++, f *= 0.5) {
        const double work = work_of(e, f, st);
        if (*st != CLV_OK)
            return 0;
        if (e->stuck && e->way <= NO_WAY)
            return 0;
        e->stuck = e->way > NO_WAY && e->taken_back > TAKEN_BACK * e->way;
        if (e->stuck)
            continue;
        /* near the end work is rounding, and a step that leaves less load is good */
        if (work > 1e-3 * f * slope || largest(e->r_trial, e->f) <= 0.5 * largest(e->r, e->f))
            return f;
    }
    return 0;
}

/* The step f z is taken. */
static void take_step(clv_statics *e, double f)
{
    for (int i = 0; i < e->f; i++)
        e->part[i] = f * e->z[i];
    clv_independent_expand(&e->x, e->part, e->x.du);
    for (int i = 0; i < e->x.n; i++)
        e->net[i] += e->x.du[i] / e->x.a.unit[i];
    memcpy(e->q, e->trial, (size_t)e->s->plan->nq * sizeof(double));
    clv_kinematics_poses(&e->s->system.kin, e->time, e->q);
    clv_kinematics_keep_turns(&e->s->system.kin);
}

/* ------------------------------------------------------------------ the way */

/* The generalized force that is largest beside the size of its coordinate: its joint, N or N m. */
static const char *loaded(clv_statics *e, double *force)
{
    clv_independent *x = &e->x;
    int worst = 0;
    clv_independent_expand(x, e->r, x->du); /* by units: sizes of displacements along the load */
    for (int i = 0; i < x->n; i++)
        if (fabs(x->du[i]) / x->a.unit[i] > fabs(x->du[worst]) / x->a.unit[worst])
            worst = i;
    *force = x->n > 0 ? fabs(x->du[worst]) / (x->a.unit[worst] * x->a.unit[worst]) : 0;
    return clv_independent_name(x, x->du);
}

static clv_status fail_at(clv_statics *e, const char *name)
{
    clv_error_text(e->s->error.joint, sizeof e->s->error.joint, name);
    e->s->error.time = e->time;
    return e->s->error.code;
}

static clv_status not_found(clv_statics *e, const char *why)
{
    double force;
    const char *name = loaded(e, &force);
    clv_fail(&e->s->error, CLV_ERR_NO_CONVERGENCE,
             "no equilibrium is found: %s; the largest load left is %.4g N or N m, at '%s'", why, force, name);
    clv_error_hint(&e->s->error, e->stuck ? "start where no links are in line, or folded upon each other"
                                          : "try another start; loads that follow bodies may have no equilibrium");
    e->s->error.value = force;
    return fail_at(e, name);
}

/* CLV_ERR_NO_CONVERGENCE if a coordinate has gone so far that nothing holds it. */
static clv_status check_held(clv_statics *e)
{
    clv_independent *x = &e->x;
    double most = 0;
    int worst = -1;
    for (int i = 0; i < x->n; i++) {
        const double part = fabs(e->net[i]) / (e->s->slides[i] ? FREE_WAY : FREE_TURN);
        if (part > most)
            most = part, worst = i;
    }
    if (most < 1)
        return CLV_OK;
    for (int i = 0; i < x->n; i++)
        x->du[i] = i == worst ? x->a.unit[i] : 0;
    const char *name = clv_independent_name(x, x->du);
    clv_fail(&e->s->error, CLV_ERR_NO_CONVERGENCE,
             "nothing holds the mechanism: '%s' keeps moving, by %.3g %s until now", name,
             fabs(e->net[worst]) * x->a.unit[worst], e->s->slides[worst] ? "m" : "rad");
    clv_error_hint(&e->s->error, "a joint to the ground, a spring or a stop is missing, or a constant load turns a "
                                 "joint for ever");
    return fail_at(e, name);
}

static clv_status descend(clv_statics *e, clv_equilibrium *found)
{
    double far = STEP, before = INFINITY;
    for (int k = 0; k < STEPS; k++) {
        clv_status st = clv_statics_look(e);
        if (st != CLV_OK)
            return st;
        const double left = largest(e->r, e->f);
        found->residual = e->load > 0 ? left / e->load : 0;
        if (left <= BALANCED * e->load || (found->residual <= NEARLY_BALANCED && left > 0.25 * before))
            return CLV_OK;
        before = left;
        find_step(e, far);
        const double whole = limit(e, far), f = find_factor(e, whole, &st);
        if (st != CLV_OK)
            return st;
        if (f == 0)
            return found->residual <= NEARLY_BALANCED ? CLV_OK
                   : e->stuck ? not_found(e, "the loops undo every step, as in a singular position")
                              : not_found(e, "the loads do no work along any step");
        take_step(e, f);
        found->iterations++;
        far = f < whole ? fmax(STEP, 0.5 * far) : fmin(2 * far, FREE_WAY);
        if ((st = check_held(e)) != CLV_OK)
            return st;
    }
    return not_found(e, "too many steps");
}

/* ------------------------------------------------------------------ what was found */

/* Counts directions; the error of differences is what the step of twice the length changes. */
static clv_status classify(clv_statics *e, clv_equilibrium *found)
{
    const size_t f = (size_t)e->f;
    double skew;
    const clv_status st = clv_statics_stiffness(e, 2 * CLV_STATICS_DIFFERENCE, e->work, &skew);
    if (st != CLV_OK)
        return st;
    found->neutral = found->unstable = 0;
    for (size_t i = 0; i < f; i++) {
        double change = 0;
        for (size_t k = 0; k < f; k++)
            for (size_t l = 0; l < f; l++)
                change += e->V[k * f + i] * (e->work[k * f + l] - e->K[k * f + l]) * e->V[l * f + i];
        const double error = 2 * fabs(change) + clv_statics_noise(e);
        found->unstable += e->lambda[i] < -error;
        found->neutral += fabs(e->lambda[i]) <= error;
    }
    found->stability = found->unstable > 0 ? CLV_UNSTABLE : found->neutral > 0 ? CLV_NEUTRAL : CLV_STABLE;
    found->freedoms = e->f;
    found->stiffness = e->f > 0 ? e->lambda[0] : NAN;
    for (size_t k = 0; k < f; k++)
        e->z[k] = e->V[k * f];
    clv_independent_expand(&e->x, e->z, e->x.du);
    clv_error_text(found->joint, sizeof found->joint, e->f > 0 ? clv_independent_name(&e->x, e->x.du) : "");
    return CLV_OK;
}

/* A displacement along the direction of least stiffness, to the side on which the loads do more work. */
static clv_status depart(clv_statics *e)
{
    const size_t f = (size_t)e->f;
    clv_status st = CLV_OK;
    for (size_t k = 0; k < f; k++)
        e->z[k] = e->V[k * f];
    const double step = DEPARTURE, there = work_of(e, step, &st), back = work_of(e, -step, &st);
    const double f_taken = back > there ? -step : step;
    if (st == CLV_OK && isnan(work_of(e, f_taken, &st)) && st == CLV_OK)
        return not_found(e, "the loops do not close beside an unstable equilibrium");
    if (st == CLV_OK)
        take_step(e, f_taken);
    return st;
}

static clv_status find_equilibrium(clv_statics *e, bool leave, clv_equilibrium *found)
{
    for (int k = 0;; k++) {
        clv_status st = descend(e, found);
        if (st == CLV_OK)
            st = classify(e, found);
        if (st != CLV_OK || !leave || found->stability != CLV_UNSTABLE)
            return st;
        if (k == DEPARTURES)
            return not_found(e, "one unstable equilibrium after the other");
        if ((st = depart(e)) != CLV_OK)
            return st;
    }
}

/* e->q at rest, or with the least rates that the motions demand, becomes the output state. */
static clv_status adopt(clv_statics *e)
{
    clv_sim *s = e->s;
    const double before = s->out_kinetic + s->out_potential;
    double moved;
    memcpy(s->q, e->q, (size_t)s->plan->nq * sizeof(double));
    memset(s->u, 0, (size_t)s->plan->nu * sizeof(double));
    clv_status st = clv_system_pose(&s->system, s->out_time, s->q);
    if (st == CLV_OK)
        st = s->any_loop ? clv_system_factor(&s->system) : clv_factor_open(s);
    if (st != CLV_OK)
        return st;
    if (s->any_loop)
        clv_project_velocity(s, s->u, &moved);
    return clv_sim_adopt(s, before);
}

/* The largest acceleration of a joint at the output state; NaN where motions move it. */
static double acceleration_left(clv_sim *s)
{
    double most = 0;
    if (s->model->nmotion > 0 || clv_sim_react(s) != CLV_OK)
        return NAN;
    for (int j = 0; j < s->model->njoint; j++) {
        clv_joint_result r;
        clv_sim_reaction(s, j, &r);
        for (int c = 0; c < r.nu; c++)
            most = fmax(most, fabs(r.udot[c]));
    }
    return most;
}

static clv_status equilibrium(clv_statics *e, bool leave, clv_equilibrium *found)
{
    clv_sim *s = e->s;
    const size_t turns = 6 * (size_t)s->plan->nedge * sizeof(double);
    const bool stale = s->stale;
    clv_status st = clv_touching_exclude(s, "the search for an equilibrium");
    if (st == CLV_OK)
        st = clv_sim_announce(s, false);
    if (st != CLV_OK)
        return st;
    memcpy(s->system.kin.turn, s->out_turn, turns);
    st = clv_statics_refuse_velocities(s);
    if (st == CLV_OK)
        st = clv_statics_open(e, s);
    if (st == CLV_OK)
        st = find_equilibrium(e, leave, found);
    if (st == CLV_OK) {
        for (int i = 0; i < e->x.n; i++)
            found->moved = fmax(found->moved, fabs(e->net[i]) * e->x.a.unit[i]);
        st = adopt(e);
    }
    if (st == CLV_OK)
        return st;
    const clv_error kept = s->error; /* everything as it was */
    memcpy(s->system.kin.turn, s->out_turn, turns);
    (void)clv_sim_show(s);
    s->error = kept, s->stale = stale;
    return st;
}

clv_status clv_sim_equilibrium(clv_sim *s, bool leave, clv_equilibrium *result)
{
    clv_statics e = {.s = s};
    clv_equilibrium found = {.stiffness = NAN, .acceleration = NAN};
    if (result)
        *result = found;
    clv_status st = clv_sim_enter(s, __func__);
    if (st != CLV_OK)
        return st;
    st = equilibrium(&e, leave, &found);
    clv_statics_close(&e);
    st = clv_sim_leave(s, st);
    if (st == CLV_OK)
        found.acceleration = acceleration_left(s), clv_error_clear(&s->error);
    if (result)
        *result = found;
    return st;
}
