/* SPDX-License-Identifier: Apache-2.0
 * Strokes that cannot be reached (T42).  Where prescribed motions drive loops into a toggle, the speeds of the
 * mechanism grow without bound while the motions keep their pace.  Called after accepted steps with a small pivot,
 * and when a run ends because its loops do not close.
 *
 * The velocities that the motions alone require (least kinetic energy) are found by one engine solve,
 *
 *   M V = wrenches of joints, drives and closings,   V obeys joints, closings and the rates of the motions
 *
 * At an ordinary singular position the rates are consistent and V stays bounded; at a toggle |V| / |rates| grows as
 * one over the distance.  The joint that turns fastest is the elbow, its two bodies are in line. */
#include "base/tolerance.h"
#include "base/error.h"
#include "math/rotation.h"
#include "math/spatial.h"
#include "simulation/sim.h"
#include <math.h>
#include <string.h>

static const double GAIN = 300;                  /* speeds of bodies beside those of the motions                 */

bool clv_near_toggle(const clv_sim *s)
{
    const clv_engine *e = &s->system.engine;
    return s->model->nmotion > 0 && s->any_loop && s->options.project &&
           (s->system.truncated > s->base_nullity || e->min_pivot < CLV_NEAR_TOGGLE ||
            (s->integrator.stats.last_step > 0 && s->integrator.stats.last_step < 1e-7));
}

/* largest rate of a motion at the present time */
static double pace(const clv_sim *s)
{
    double q, u, ud, most = 0;
    for (int i = 0; i < s->model->nmotion; i++) {
        clv_kinematics_motion(&s->system.kin, i, &q, &u, &ud);
        most = fmax(most, fabs(u));
    }
    return most;
}

/* V (nbody x 6) at the reference points that the motions require at (t, q); *pivot: smallest of the loops */
static clv_status driven_velocities(clv_sim *s, double t, const double *q, double *V, double *pivot)
{
    clv_system *k = &s->system;
    const size_t bytes = 6 * (size_t)s->plan->nbody * sizeof(double);
    const double rank = k->engine.rank;
    k->engine.rank = CLV_TOL_LOOP_PIVOT;
    clv_status st = clv_system_place(k, t, q);
    k->engine.rank = rank;
    if (st != CLV_OK)
        return st;
    *pivot = k->engine.min_pivot;
    memset(k->kin.V, 0, bytes);
    memset(k->b, 0, bytes);
    (void)clv_velocity_violation(s);
    for (int i = 0; i < s->plan->nclosing_row; i++)
        s->row[i] = -s->row[i];
    clv_kinematics_velocity_bias(&k->kin, k->c);
    clv_engine_solve(&k->engine, V, s->dq, k->b, NULL, k->c, s->row);
    return CLV_OK;
}

static double fastest_body(const clv_sim *s, const double *V)
{
    double most = 0;
    for (int b = 0; b < s->plan->nbody; b++)
        for (int i = 0; i < 6; i++)
            most = fmax(most, fabs(V[6 * b + i]) * (i < 3 ? 1 / fmax(s->size, 1e-6) : 1));
    return most;
}

/* ------------------------------------------------------------------ what is said */

static void joint_point(const clv_sim *s, const clv_joint *j, double x[3])
{
    const int body = j->b >= 0 ? j->b : j->a;
    const double *p = body == j->b ? j->pb : j->pa;
    double l[3];
    clv_sub3(l, p, s->model->body[body].com);
    clv_mat3_times(x, s->system.kin.R + 9 * (size_t)body, l);
    clv_axpy3(x, 1, s->system.kin.com + 3 * (size_t)body);
}

/* rad/s: how fast the two bodies of a joint turn against each other */
static double turning(const clv_model *m, int joint, const double *V)
{
    const clv_joint *j = &m->joint[joint];
    double w[3] = {0, 0, 0};
    if (j->b >= 0)
        clv_axpy3(w, 1, V + 6 * (size_t)j->b + 3);
    if (j->a >= 0)
        clv_axpy3(w, -1, V + 6 * (size_t)j->a + 3);
    return clv_norm3(w);
}

/* the joint of that body, other than `not_this`, whose bodies turn fastest against each other; -1: none */
static int fastest_joint(const clv_sim *s, const double *V, int body, int not_this)
{
    int found = -1;
    double most = 0;
    for (int j = 0; j < s->model->njoint; j++) {
        const clv_joint *at = &s->model->joint[j];
        if (j == not_this || at->absent || (body >= 0 && at->a != body && at->b != body))
            continue;
        if (turning(s->model, j, V) > most)
            most = turning(s->model, j, V), found = j;
    }
    return found;
}

/* Are the elbow and the next joints of its two bodies in line? */
static bool in_line(const clv_sim *s, const double *V, int elbow)
{
    const clv_joint *j = &s->model->joint[elbow];
    if (j->a < 0 || j->b < 0)
        return false;
    const int a = fastest_joint(s, V, j->a, elbow), b = fastest_joint(s, V, j->b, elbow);
    double at[3], da[3], db[3], across[3];
    if (a < 0 || b < 0)
        return false;
    joint_point(s, j, at);
    joint_point(s, &s->model->joint[a], da), joint_point(s, &s->model->joint[b], db);
    clv_axpy3(da, -1, at), clv_axpy3(db, -1, at);
    clv_cross(across, da, db);
    return clv_norm3(across) < 0.2 * clv_norm3(da) * clv_norm3(db);
}

/* The motion that does most of the work of these velocities. */
static int blamed(const clv_sim *s, const double *V)
{
    const clv_plan *p = s->plan;
    clv_system *k = (clv_system *)&s->system;
    double most = -1;
    int motion = 0;
    clv_sim_joint_impulses(k, V, s->dq, s->P);
    for (int i = 0; i < s->model->nmotion; i++) {
        double q, u, ud, power = 0;
        clv_kinematics_motion(&k->kin, i, &q, &u, &ud);
        for (size_t b = 0; b < (size_t)p->nbody; b++)
            if (p->tree[b].motion == i)
                power = fabs(clv_dot6(s->P + 6 * b, k->kin.H + clv_columns(p, b)) * u);
        for (int e = 0; e < p->nedge; e++)
            if (p->edge[e].motion == i)
                power = fabs(k->engine.sigma[p->edge[e].row + p->edge[e].m - 1] * u);
        if (power > most)
            most = power, motion = i;
    }
    return motion;
}

/* `open`: somewhere in the step from t on */
static clv_status unreachable(clv_sim *s, double t, const double *V, bool open)
{
    const clv_model *m = s->model;
    const clv_motion *x = &m->motion[blamed(s, V)];
    const int elbow = fastest_joint(s, V, -1, -1);
    const clv_joint *j = elbow >= 0 ? &m->joint[elbow] : NULL;
    const char *a = j && j->a >= 0 ? m->body[j->a].name : "ground", *b = j && j->b >= 0 ? m->body[j->b].name : "ground";
    if (j && in_line(s, V, elbow))
        clv_fail(&s->error, CLV_ERR_INCONSISTENT,
                 "the prescribed stroke of '%s' is unreachable %s t = %.9g s: '%s' and '%s' are in line at joint '%s' "
                 "(toggle)",
                 x->name, open ? "beyond" : "at", t, a, b, j->name);
    else
        clv_fail(&s->error, CLV_ERR_INCONSISTENT,
                 "the prescribed stroke of '%s' is unreachable %s t = %.9g s: the speed at joint '%s' between '%s' and "
                 "'%s' grows without bound",
                 x->name, open ? "beyond" : "at", t, j ? j->name : "", a, b);
    clv_error_locate(&s->error, "motions", x->name, NULL);
    if (j)
        clv_error_text(s->error.body, sizeof s->error.body, a);
    clv_error_hint(&s->error, "end the motion before, or change lengths: no drive can pass this position");
    s->error.time = t;
    return s->error.code;
}

clv_status clv_check_reach(clv_sim *s, double t, const double *q, bool open)
{
    double pivot = 1, *V = s->S;
    if (s->model->nmotion == 0 || !s->any_loop || driven_velocities(s, t, q, V, &pivot) != CLV_OK)
        return CLV_OK;
    const double speed = pace(s), gain = fastest_body(s, V) / speed;
    const bool near = open ? pivot < 0.1 * s->start_pivot && gain > 3
                           : pivot < CLV_NEAR_TOGGLE && pivot < CLV_TOGGLE_FALLEN * s->start_pivot;
    if (!(speed > 0) || !near || (!open && !(gain > GAIN)))
        return CLV_OK;
    return unreachable(s, t, V, open);
}
