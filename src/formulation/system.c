/* SPDX-License-Identifier: Apache-2.0
 * Mechanics shared by all formulations (T8, T12, T13, T15). */
#include "formulation/system.h"
#include "kinematics/place.h"
#include <math.h>
#include <string.h>
#include "base/error.h"
#include "math/rotation.h"

void clv_system_layout(clv_system *s, const clv_model *m, const clv_plan *p, clv_arena *a)
{
    int n = p->nbody;
    s->model = m, s->plan = p;
    clv_engine_layout(&s->engine, p, a);
    clv_kinematics_layout(&s->kin, p, &s->engine, a);
    clv_rows_layout(&s->rows, p, &s->engine, a);
    CLV_TAKE(a, s->com_V, 6 * n), CLV_TAKE(a, s->wrench, 6 * n), CLV_TAKE(a, s->Q, 6 * n);
    CLV_TAKE(a, s->joint_q, 7 * m->njoint), CLV_TAKE(a, s->joint_u, 6 * m->njoint);
    CLV_TAKE(a, s->joint_tau, 6 * m->njoint);
    CLV_TAKE(a, s->force, p->nu), CLV_TAKE(a, s->modal, p->nmode);
    CLV_TAKE(a, s->tau, p->nu), CLV_TAKE(a, s->u, p->nu), CLV_TAKE(a, s->ud, p->nu);
    CLV_TAKE(a, s->x, 6 * n), CLV_TAKE(a, s->b, 6 * n), CLV_TAKE(a, s->c, 6 * n);
    CLV_TAKE(a, s->T, 6 * n), CLV_TAKE(a, s->W, 6 * n);
    CLV_TAKE(a, s->a, p->nclosing_row), CLV_TAKE(a, s->lambda, p->nsigma), CLV_TAKE(a, s->sigma, p->nsigma);
    CLV_TAKE(a, s->missed, p->nu);
}

clv_status clv_system_fail(clv_system *s, clv_status code, int body, int joint, const char *what)
{
    const clv_model *m = s->model;
    const char *bn = body >= 0 ? m->body[body].name : "", *jn = joint >= 0 ? m->joint[joint].name : "";
    clv_fail(s->error, code, "%s%s%s%s%s at t = %.9g s", what, body >= 0 ? ", body " : "", bn,
             joint >= 0 ? ", joint " : "", jn, s->kin.time);
    clv_error_text(s->error->body, sizeof s->error->body, bn);
    clv_error_text(s->error->joint, sizeof s->error->joint, jn);
    s->error->time = s->kin.time;
    return code;
}

clv_status clv_system_pose(clv_system *s, double t, const double *q)
{
    const clv_plan *p = s->plan;
    for (int i = 0; i < p->nq; i++)
        if (!isfinite(q[i])) {
            s->kin.time = t;
            int b = 0;
            while (b < p->nbody - 1 && !(p->tree[b].iq >= 0 && i >= p->tree[b].iq && i < p->tree[b].iq + p->tree[b].nq))
                b++;
            for (int k = 0; k < p->nstar; k++)
                if (i >= p->star[k].iq && i < p->star[k].iq + p->star[k].nmode)
                    b = p->star[k].frame;
            return clv_system_fail(s, CLV_ERR_NOT_FINITE, b, p->tree[b].joint, "a coordinate is not finite");
        }
    clv_kinematics_poses(&s->kin, t, q);
    clv_kinematics_fill(&s->kin);
    return CLV_OK;
}

clv_status clv_system_place(clv_system *s, double t, const double *q)
{
    clv_status st = clv_system_pose(s, t, q);
    return st == CLV_OK ? clv_system_factor(s) : st;
}

clv_status clv_system_factor(clv_system *s)
{
    const clv_plan *p = s->plan;
    clv_status st = clv_engine_factor(&s->engine);
    s->truncated = s->engine.truncated;
    if (st == CLV_OK)
        return st;
    int body = s->engine.failed_body;
    if (st == CLV_ERR_SINGULAR)
        return clv_system_singular(s, body, body >= 0 ? p->tree[body].joint : p->edge[s->engine.failed_edge].joint);
    return st;
}

/* An angle beyond the range of sines (math/sincos.h) leaves no orientation, and no mass that could be factored. */
static bool names_lost_pose(clv_system *s)
{
    for (int i = 0; i < s->plan->nbody; i++) {
        const int b = s->plan->order[i];
        if (isfinite(s->kin.R[9 * (size_t)b]))
            continue;
        clv_system_fail(s, CLV_ERR_NOT_FINITE, b, s->plan->tree[b].joint,
                        "an orientation is not finite: an angle is beyond 1.6e9 rad, or turns too fast");
        clv_error_hint(s->error, "a load, a mass or a rate may be wrong by orders of magnitude");
        return true;
    }
    return false;
}

clv_status clv_system_singular(clv_system *s, int body, int joint)
{
    if (names_lost_pose(s))
        return s->error->code;
    clv_system_fail(s, CLV_ERR_SINGULAR, body, joint, "the mass seen by a joint is singular or not positive");
    clv_error_hint(s->error,
                   s->plan->absolute
                       ? "a body here has no mass of its own and nothing holds it, or a chain is longer than 10^4 "
                         "links; try hdca or dca"
                       : "every joint direction needs inertia outboard of it; bodies at loop joints need mass "
                         "and inertia");
    return s->error->code;
}

/* inboard tree joint of a body; of one on an implicit free joint: the first joint of the model on it, or -1 */
static int joint_of(const clv_system *s, int body)
{
    int joint = s->plan->tree[body].joint;
    for (int j = 0; joint < 0 && j < s->model->njoint; j++)
        if (s->model->joint[j].a == body || s->model->joint[j].b == body)
            joint = j;
    return joint;
}

clv_status clv_system_solved(clv_system *s)
{
    if (!s->engine.stalled)
        return CLV_OK;
    int body = s->engine.loose_body;
    clv_system_fail(s, CLV_ERR_SINGULAR, body, joint_of(s, body),
                    "a body is loaded where nothing has inertia: it spins freely, or shifts, without moving any mass");
    clv_error_hint(s->error, "give the body mass and inertia, or hold it; massless bodies in a row turn freely where "
                             "two of their axes fall together (gimbal lock)");
    return s->error->code;
}

/* Does the motion x (nbody x 6) do more than spin a body between two joints that stay where they are? */
static bool drifts(const clv_system *s, int body, const double *x)
{
    int count = 0;
    const double *V = x + 6 * (size_t)body;
    double spin = sqrt(clv_dot3(V + 3, V + 3)), shift = sqrt(clv_dot3(V, V));
    for (int j = 0; j < s->model->njoint; j++)
        for (int side = 0; side < 2; side++) {
            const clv_joint *jt = &s->model->joint[j];
            if ((side ? jt->b : jt->a) != body)
                continue;
            double E[9], O[3], l[3], v[6];
            clv_frame_on(&s->kin, body, side ? jt->Eb : jt->Ea, side ? jt->pb : jt->pa, E, O);
            clv_sub3(l, O, s->kin.ref + 3 * (size_t)body);
            clv_motion_shift(v, l, V);
            if (sqrt(clv_dot3(v, v)) > 1e-6 * (s->engine.length * spin + shift))
                return true;
            count++;
        }
    return count < 2;
}

clv_status clv_system_held(clv_system *s)
{
    const double *x = s->engine.fix_x;
    int body = -1;
    double most = 0;
    if (!clv_extra_loose(&s->engine))
        return CLV_OK;
    for (int i = 0; i < 6 * s->plan->nbody; i++)
        most = fmax(most, fabs(x[i]));
    for (int b = 0; b < s->plan->nbody && body < 0; b++)
        for (int i = 0; i < 6 && body < 0; i++)
            if (s->model->body[b].mass <= 0 && s->model->body[b].flex < 0 && fabs(x[6 * b + i]) > 1e-6 * most &&
                drifts(s, b, x))
                body = b;
    if (body < 0)
        return CLV_OK;
    clv_system_fail(s, CLV_ERR_SINGULAR, body, joint_of(s, body),
                    "a massless body is not held: it can shift without moving any mass");
    clv_error_hint(s->error, "give the body mass, or joints that hold it to bodies with mass");
    return s->error->code;
}

/* q and u of every joint a load may look at */
static void joint_states(clv_system *s)
{
    const clv_plan *p = s->plan;
    for (int b = 0; b < p->nbody; b++) {
        int j = p->tree[b].joint;
        if (j < 0)
            continue;
        memcpy(s->joint_q + 7 * (size_t)j, s->kin.q + 7 * (size_t)b, 7 * sizeof(double));
        memcpy(s->joint_u + 6 * (size_t)j, s->kin.u + 6 * (size_t)b, 6 * sizeof(double));
    }
    clv_system_closing_states(s);
}

void clv_system_closing_states(clv_system *s)
{
    const clv_plan *p = s->plan;
    const clv_model *m = s->model;
    for (int e = 0; e < p->nedge; e++)
        if (clv_edge_closes(&p->edge[e]) && p->edge[e].joint >= 0 &&
            clv_joint_table[m->joint[p->edge[e].joint].kind].nu > 0)
            clv_kinematics_closing_state(&s->kin, e, s->joint_q + 7 * (size_t)p->edge[e].joint,
                                         s->joint_u + 6 * (size_t)p->edge[e].joint);
}

/* drive of a closing joint: the pair +-G tau at b's point */
static void closing_drive(clv_system *s, int e)
{
    const clv_joint *j = &s->model->joint[s->plan->edge[e].joint];
    const double *tau = s->joint_tau + 6 * (size_t)s->plan->edge[e].joint;
    double G[36], w[6] = {0}, S[6], l[3];
    int nu = clv_joint_table[j->kind].nu;
    clv_joint_dual(j, s->kin.cut_H + 36 * (size_t)e, G);
    for (int c = 0; c < nu; c++)
        for (int i = 0; i < 6; i++)
            w[i] += G[6 * c + i] * tau[c];
    for (int side = 0; side < 2; side++) {
        int body = side ? j->a : j->b, from = j->b >= 0 ? j->b : j->a;
        if (body < 0)
            continue;
        const double *Ob = s->kin.closing[e].d; /* O_b = O_a + d */
        double O[3], x[3];
        const double *pt = from == j->b ? j->pb : j->pa;
        clv_sub3(x, pt, s->model->body[from].com);
        clv_mat3_times(O, s->kin.R + 9 * (size_t)from, x);
        clv_axpy3(O, 1.0, s->kin.com + 3 * (size_t)from);
        if (from == j->a)
            clv_axpy3(O, 1.0, Ob);
        clv_sub3(l, O, s->kin.ref + 3 * (size_t)body);
        clv_wrench_shift(S, l, w);
        for (int i = 0; i < 6; i++)
            s->Q[6 * (size_t)body + (size_t)i] += side ? -S[i] : S[i];
    }
}

void clv_system_closing_drives(clv_system *s)
{
    for (int e = 0; e < s->plan->nedge; e++)
        if (s->plan->edge[e].tree_body < 0 && s->plan->edge[e].joint >= 0)
            closing_drive(s, e);
}

bool clv_system_joint_loads(const clv_system *s)
{
    return s->model->nforce > 0 || s->model->ninput > 0 || (s->controls && s->controls->njoint > 0);
}

/* the first force or control that failed */
static clv_status load_failed(clv_system *s)
{
    const clv_load_frame *at = &s->loads;
    const clv_model *m = s->model;
    const int body = at->failed >= 0 ? m->force[at->failed].b : at->failed_body;
    const char *what = at->failed >= 0         ? "force"
                       : at->failed_joint >= 0 ? "the control of joint"
                                               : "the control of body";
    const char *name = at->failed >= 0         ? m->force[at->failed].name
                       : at->failed_joint >= 0 ? m->joint[at->failed_joint].name
                                               : m->body[at->failed_body].name;
    if (at->answer != 0)
        clv_fail(s->error, CLV_ERR_NOT_FINITE, "%s '%s' stopped the run at t = %.9g s: it returned %d",
                 at->failed >= 0 ? "the function of force" : what, name, s->kin.time, at->answer);
    else
        clv_fail(s->error, CLV_ERR_NOT_FINITE, "%s '%s' is not finite at t = %.9g s", what, name, s->kin.time);
    if (at->failed >= 0 || at->failed_joint >= 0)
        clv_error_text(s->error->joint, sizeof s->error->joint, name);
    if (body >= 0)
        clv_error_text(s->error->body, sizeof s->error->body, m->body[body].name);
    s->error->time = s->kin.time;
    return s->error->code;
}

void clv_system_observe(clv_system *s)
{
    size_t n = (size_t)s->plan->nbody;
    for (size_t b = 0; b < n; b++) {
        double l[3];
        clv_sub3(l, s->kin.com + 3 * b, s->kin.ref + 3 * b);
        clv_motion_shift(s->com_V + 6 * b, l, s->kin.V + 6 * b);
    }
    if (clv_system_joint_loads(s))
        joint_states(s);
    clv_system_load_frame(s);
}

void clv_system_load_frame(clv_system *s)
{
    s->loads = (clv_load_frame){.time = s->kin.time,
                                .model = s->model,
                                .r = s->kin.com,
                                .R = s->kin.R,
                                .V = s->com_V,
                                .q = s->joint_q,
                                .u = s->joint_u,
                                .input = s->input,
                                .controls = s->controls,
                                .wrench = s->wrench,
                                .tau = s->joint_tau,
                                .failed = -1,
                                .failed_joint = -1,
                                .failed_body = -1};
}

clv_status clv_system_loads(clv_system *s)
{
    const clv_plan *p = s->plan;
    size_t n = (size_t)p->nbody;
    clv_system_observe(s);
    clv_loads(&s->loads);
    s->power = s->loads.power, s->opaque = s->loads.opaque;
    if (s->loads.failed >= 0 || s->loads.failed_joint >= 0 || s->loads.failed_body >= 0)
        return load_failed(s);
    for (size_t b = 0; b < n; b++) {
        double l[3];
        clv_sub3(l, s->kin.com + 3 * b, s->kin.ref + 3 * b);
        clv_wrench_shift(s->Q + 6 * b, l, s->wrench + 6 * b);
    }
    for (size_t b = 0; b < n; b++) {
        const clv_tree_joint *t = &p->tree[b];
        for (int c = 0; c < t->f; c++)
            s->tau[t->iu + c] = t->joint >= 0 ? s->joint_tau[6 * (size_t)t->joint + (size_t)c] : 0.0;
    }
    if (clv_system_joint_loads(s))
        clv_system_closing_drives(s);
    clv_flexible_loads(s);
    return CLV_OK;
}

void clv_system_stabilize(clv_system *s)
{
    const clv_plan *p = s->plan;
    int n = p->nclosing_row;
    if (s->baumgarte[0] == 0 && s->baumgarte[1] == 0)
        return;
    clv_kinematics_violation(&s->kin, s->lambda);
    for (int i = 0; i < n; i++)
        s->a[i] -= s->baumgarte[0] * s->lambda[i];
    clv_kinematics_velocity_violation(&s->kin, s->lambda);
    for (int i = 0; i < n; i++)
        s->a[i] -= s->baumgarte[1] * s->lambda[i];
}

void clv_system_right_side(clv_system *s)
{
    size_t n = 6 * (size_t)s->plan->nbody;
    clv_kinematics_gyroscopic(&s->kin, s->b);
    for (size_t i = 0; i < n; i++)
        s->b[i] = s->Q[i] - s->b[i];
    memcpy(s->force, s->tau, (size_t)s->plan->nu * sizeof(double));
    clv_flexible_forces(s, s->force);
}

void clv_system_accelerate(clv_system *s)
{
    clv_system_right_side(s);
    clv_kinematics_acceleration_bias(&s->kin, s->c, s->a);
    clv_engine_solve(&s->engine, s->x, s->ud, s->b, s->force, s->c, s->a);
    memcpy(s->lambda, s->engine.sigma, (size_t)s->plan->nsigma * sizeof(double));
}

void clv_system_reactions(clv_system *s)
{
    size_t n = (size_t)s->plan->nbody;
    clv_kinematics_gyroscopic(&s->kin, s->T);
    for (size_t b = 0; b < n; b++) {
        double Ix[6];
        clv_inertia_times(Ix, s->kin.I + 21 * b, s->x + 6 * b);
        for (size_t i = 0; i < 6; i++)
            s->T[6 * b + i] += Ix[i] - s->Q[6 * b + i];
    }
    for (int k = 0; k < s->plan->nstar; k++) {
        double F[6];
        clv_star_inertia(&s->engine, k, NULL, s->ud, F, NULL);
        clv_add6(s->T + 6 * (size_t)s->plan->star[k].frame, F);
    }
    clv_engine_closing_wrenches(&s->engine, s->T, s->lambda, -1.0);
    clv_engine_accumulate(&s->engine, s->T);
}

void clv_system_motion_power(clv_system *s)
{
    const clv_plan *p = s->plan;
    for (size_t b = 0; b < (size_t)p->nbody; b++) {
        const clv_tree_joint *t = &p->tree[b];
        if (t->motion < 0)
            continue;
        double own = t->joint >= 0 ? s->joint_tau[6 * (size_t)t->joint] : 0.0; /* springs, dampers count elsewhere */
        s->power += (clv_dot6(s->T + 6 * b, s->kin.H + clv_columns(p, b)) - own) * s->kin.u[6 * b];
    }
    for (int e = 0; e < p->nedge; e++) {
        const clv_edge *edge = &p->edge[e];
        double q, u, ud;
        if (edge->motion < 0)
            continue;
        clv_kinematics_motion(&s->kin, edge->motion, &q, &u, &ud);
        s->power += s->lambda[edge->row + edge->m - 1] * u;
    }
}

void clv_system_qdot(const clv_system *s, double *qdot)
{
    const clv_plan *p = s->plan;
    for (size_t b = 0; b < (size_t)p->nbody; b++)
        if (p->tree[b].iq >= 0)
            clv_joint_qdot(p->tree[b].kind, s->kin.q + 7 * b, s->kin.u + 6 * b, qdot + p->tree[b].iq);
    for (int k = 0; k < p->nstar; k++)
        memcpy(qdot + p->star[k].iq, s->kin.etad + p->star[k].mode, (size_t)p->star[k].nmode * sizeof(double));
}

double clv_system_kinetic(const clv_system *s)
{
    double T = 0, P[6];
    for (size_t b = 0; b < (size_t)s->plan->nbody; b++) {
        clv_inertia_times(P, s->kin.I + 21 * b, s->kin.V + 6 * b);
        T += 0.5 * clv_dot6(P, s->kin.V + 6 * b);
    }
    if (s->plan->nstar > 0)
        T += clv_flexible_kinetic(s);
    return T;
}

double clv_system_potential(const clv_system *s)
{
    return s->plan->nstar > 0 ? clv_potential(&s->loads) + clv_flexible_potential(s) : clv_potential(&s->loads);
}
