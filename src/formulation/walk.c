/* SPDX-License-Identifier: Apache-2.0
 * Rate evaluations in lanes (T43): what hdca and dca do with groups of strands on the way up and on the way down.
 *
 *   hdca  pose | scan | up: factor, solve with p | fold, unfold | down: velocities | collect | momentum      T9, T10
 *   dca   pose | scan | velocity terms, up | fold, unfold | down: accelerations                               T12
 *
 * With loops: show, close in the places of fold, unfold (T43.4). */
#include <string.h>
#include "engine/base_block.h"
#include "formulation/momentum_axes.h"
#include "formulation/walk.h"
#include "kinematics/row_kernels.h"
#include "math/rotation.h"
#include "math/spatial.h"

/* Momenta of reactions in axes of bodies (T9.4, T11) need the momenta with the impulses of loops: body by body. */
static bool fits(const clv_system *s)
{
    const clv_momentum_axes *m = s->summed ? s->private_state : NULL;
    return s->rows.fit && !(m && m->count > 0);
}

/* momenta along the joints (nu) out of those of the state (T9.4) */
static const double *along_joints(clv_system *s, const double *p)
{
    clv_momentum_axes *m = s->private_state;
    if (!m || m->count == 0 || s->joint_momenta)
        return p;
    memcpy(m->p, p, (size_t)s->plan->nu * sizeof(double));
    clv_momentum_axes_directions(s);
    clv_momentum_axes_turn_back(s, m->p);
    return m->p;
}

/* bases that hang on no joint of their strand, and entries of flexible bodies, k-th piece; -1: it has none */
static int floating_base(const clv_rows *w, int piece)
{
    return clv_rows_floats(w, piece) ? clv_rows_base(w, piece) : -1;
}

/* rates u (nu) at the poses there: how strands start, V of the border */
static void move(clv_system *s, const double *u)
{
    clv_rows *w = &s->rows;
    clv_rows_take_motions(w, &s->kin), clv_rows_take_rates(w, u, w->u);
    clv_rows_scan_rates(w, &s->kin, u);
    for (int i = 0; i < w->ncoupled; i++)
        clv_kinematics_body_velocity(&s->kin, w->coupled[i], u);
}

/* Are these poses there already?  A correction, the renewed momenta and the next evaluation are at the same q. */
static bool posed(const clv_system *s, const double *q)
{
    const clv_plan *p = s->plan;
    const clv_rows *w = &s->rows;
    return w->posed == s->kin.posed && s->model->nmotion == 0 && p->nstar == 0 &&
           memcmp(w->posed_q, q, (size_t)p->nq * sizeof(double)) == 0;
}

/* poses in strand axes and of the border at q; with rates u (nu), or NULL, how they move */
static void pose(clv_system *s, double t, const double *q, const double *u)
{
    clv_rows *w = &s->rows;
    s->kin.time = t;
    if (posed(s, q)) {
        if (u)
            move(s, u);
        return;
    }
    w->posed = s->kin.posed;
    memcpy(w->posed_q, q, (size_t)s->plan->nq * sizeof(double));
    clv_rows_take_coordinates(w, q), clv_rows_take_motions(w, &s->kin);
    if (u)
        clv_rows_take_rates(w, u, w->u);
    for (int g = 0; g < s->plan->ngroup; g++)
        w->kernels->pose(w, g, u != NULL);
    clv_rows_scan(w, &s->kin, q, u, s->model->gravity);
    for (int i = 0; i < w->ncoupled; i++) {
        clv_kinematics_body_pose(&s->kin, w->coupled[i], q);
        clv_kinematics_body_directions(&s->kin, w->coupled[i]);
        if (u)
            clv_kinematics_body_velocity(&s->kin, w->coupled[i], u);
    }
    if (w->looped)
        clv_kinematics_closing_poses(&s->kin);
}

/* the same, with the rows of loops and of joints between strands */
static void start(clv_system *s, double t, const double *q, const double *u)
{
    pose(s, t, q, u);
    if (s->rows.looped)
        clv_kinematics_fill_edges(&s->kin);
}

/* Factors, with what loads and velocity terms bring if these are wanted: loads are in the rows, drives tau (nu). */
static bool factor(clv_system *s, const double *tau, bool biased)
{
    const clv_plan *p = s->plan;
    clv_rows *w = &s->rows;
    clv_engine *e = &s->engine;
    clv_factor_begin(e);
    e->stalled = e->loose = false, e->loose_body = -1;
    e->partial = true;
    clv_rows_know(w, biased);
    clv_rows_take_rates(w, tau, w->tau);
    clv_rows_drive(w, &s->kin, tau);
    for (int g = 0; g < p->ngroup; g++) {
        if (biased)
            w->kernels->velocity_terms(w, g);
        do
            w->kernels->up(w, g, biased);
        while (clv_rows_strengthen(w, g));
        if (!clv_rows_finish(w, g))
            return false;
    }
    if (w->looped && !clv_rows_show(w))
        return false;
    s->truncated = e->truncated;
    return true;
}

/* Factor and solve with drives tau (nu) and, if `moving`, velocity terms; with the biases c of joints between strands
 * and right-hand sides a of closings, or NULL; loads are in the rows.  The unknowns go to u (nu), motions of the
 * border to x (nbody x 6). */
static bool solve(clv_system *s, const double *tau, const double *c, const double *a, bool moving, double *u, double *x)
{
    clv_rows *w = &s->rows;
    if (!factor(s, tau, moving))
        return false;
    if (w->looped)
        clv_rows_close(w, tau, c, a, u);
    else if (clv_rows_fold(w, &s->kin, tau, c, false))
        clv_rows_unfold(w, &s->kin, c, u);
    else
        return false;
    clv_rows_descend(w, moving);
    clv_rows_take_out(w, &s->kin, moving, true, u);
    if (s->engine.stalled)
        return false;
    clv_rows_outer(w, &s->kin, c, x, u);
    return true;
}

/* loads W (nbody x 6, global axes) of the bodies that may have some */
static void attach_loads(clv_system *s, const double *W)
{
    const clv_rows *w = &s->rows;
    for (int i = 0; i < w->nborder; i++)
        if (w->mark[w->border[i]] & CLV_ROWS_LOADED)
            clv_rows_attach(&s->rows, w->Q, w->border[i], W + 6 * (size_t)w->border[i]);
}

/* what the loads look at: q, u of joints; poses and motions of the bodies on which they may act */
static void show_to_loads(clv_system *s, const double *y, const double *u)
{
    const clv_plan *p = s->plan;
    for (int b = 0; b < p->nbody; b++) {
        const clv_tree_joint *t = &p->tree[b];
        double ud;
        if (t->motion >= 0)
            clv_kinematics_motion(&s->kin, t->motion, s->joint_q + 7 * (size_t)t->joint,
                                  s->joint_u + 6 * (size_t)t->joint, &ud);
        else if (t->joint >= 0) {
            memcpy(s->joint_q + 7 * (size_t)t->joint, y + t->iq, (size_t)t->nq * sizeof(double));
            memcpy(s->joint_u + 6 * (size_t)t->joint, u + t->iu, (size_t)t->nu * sizeof(double));
        }
        if (s->rows.mark[b] & CLV_ROWS_LOADED) {
            double l[3];
            clv_sub3(l, s->kin.com + 3 * (size_t)b, s->kin.ref + 3 * (size_t)b);
            clv_motion_shift(s->com_V + 6 * (size_t)b, l, s->kin.V + 6 * (size_t)b);
            memset(s->wrench + 6 * (size_t)b, 0, 6 * sizeof(double));
        }
    }
    clv_system_closing_states(s);
    clv_system_load_frame(s);
}

/* may anything but the weight of rigid bodies act? */
static bool loaded(const clv_system *s)
{
    return clv_system_joint_loads(s) || (s->controls && s->controls->nbody > 0) || s->plan->nstar > 0;
}

/* loads at the velocities of the border and the rates u (nu): into Q of the border and tau */
static bool loads(clv_system *s, const double *y, const double *u)
{
    const clv_plan *p = s->plan;
    s->power = 0, s->opaque = false;
    if (!loaded(s))
        return true;
    memset(s->tau, 0, (size_t)p->nu * sizeof(double));
    show_to_loads(s, y, u);
    clv_loads_given(&s->loads);
    if (s->loads.failed >= 0 || s->loads.failed_joint >= 0 || s->loads.failed_body >= 0)
        return false;
    s->power = s->loads.power, s->opaque = s->loads.opaque;
    for (int b = 0; b < p->nbody; b++) {
        const clv_tree_joint *t = &p->tree[b];
        for (int c = 0; t->joint >= 0 && c < t->f; c++)
            s->tau[t->iu + c] = s->joint_tau[6 * (size_t)t->joint + (size_t)c];
        if (s->rows.mark[b] & CLV_ROWS_LOADED) {
            double l[3];
            clv_sub3(l, s->kin.com + 3 * (size_t)b, s->kin.ref + 3 * (size_t)b);
            clv_wrench_shift(s->Q + 6 * (size_t)b, l, s->wrench + 6 * (size_t)b);
        }
    }
    clv_system_closing_drives(s);
    clv_flexible_weights(s), clv_flexible_loads(s);
    attach_loads(s, s->Q);
    return true;
}

/* qdot (nq) of the joints between strands and of modes, rates u (nu) */
static void outer_coordinates(const clv_system *s, const double *q, const double *u, double *qdot)
{
    const clv_plan *p = s->plan;
    for (int k = 0; k < s->rows.npiece; k++) {
        const int b = floating_base(&s->rows, k);
        if (b >= 0 && p->tree[b].motion < 0)
            clv_joint_qdot(p->tree[b].kind, q + p->tree[b].iq, u + p->tree[b].iu, qdot + p->tree[b].iq);
    }
    for (int k = 0; k < p->nstar; k++)
        memcpy(qdot + p->star[k].iq, u + p->star[k].iu, (size_t)p->star[k].nmode * sizeof(double));
}

/* c of a prescribed joint between strands, for velocities */
static void known_bias(const clv_system *s, int body, double c[6])
{
    const double *H = s->kin.H + clv_columns(s->plan, (size_t)body);
    for (int i = 0; i < 6; i++)
        c[i] = s->plan->tree[body].motion < 0 ? 0.0 : H[i] * s->kin.u[6 * (size_t)body];
}

/* Biases of joints between strands: of velocities (prescribed ones) or of accelerations; then also those of links, with
 * velocity terms of flexible bodies.  NULL: there are none. */
static const double *outer_biases(clv_system *s, bool accelerations)
{
    if (!accelerations && s->model->nmotion == 0)
        return NULL;
    for (int k = 0; k < s->plan->nstar; k++) /* links */
        memset(s->c + 6 * (size_t)s->plan->star[k].frame, 0,
               6 * (size_t)(1 + s->model->flex[k].nnode) * sizeof(double));
    for (int k = 0; k < s->rows.npiece; k++) {
        const int b = floating_base(&s->rows, k);
        if (b < 0)
            continue;
        if (accelerations)
            clv_kinematics_body_bias(&s->kin, b, s->c + 6 * (size_t)b);
        else
            known_bias(s, b, s->c + 6 * (size_t)b);
    }
    if (accelerations)
        clv_rows_star_terms(&s->rows, &s->kin, s->c);
    return s->c;
}

/* force of the drive of a prescribed base: along its direction H, or H^T of the wrench of its edge */
static double base_reaction(const clv_system *s, int strand, int body)
{
    const clv_edge *e = &s->plan->edge[s->plan->tree[body].edge];
    const double *H = s->kin.H + clv_columns(s->plan, (size_t)body);
    double force = 0;
    if (!s->rows.looped)
        return s->rows.join[strand].reaction;
    for (int r = 0; r < e->m; r++)
        force += clv_dot6(s->engine.block + e->block[0] + 6 * r, H) * s->lambda[e->row + r];
    return force;
}

/* Adds the power of prescribed motions, after a solve for accelerations; loads in their joints count elsewhere. */
static void add_motion_power(clv_system *s)
{
    const clv_plan *p = s->plan;
    const clv_rows *w = &s->rows;
    for (int i = 0; i < w->ndrive; i++) {
        const clv_row_drive *d = &w->drive[i];
        s->power += (-w->rates[d->slot] - s->joint_tau[6 * (size_t)p->tree[d->body].joint]) * d->u;
    }
    for (int k = 0; k < s->rows.npiece; k++) {
        const int b = floating_base(&s->rows, k);
        if (b >= 0 && p->tree[b].motion >= 0)
            s->power += (base_reaction(s, k, b) - s->joint_tau[6 * (size_t)p->tree[b].joint]) * s->kin.u[6 * (size_t)b];
    }
}

/* derivatives of the directions of joints between strands and of mode columns; V of the border and their rates u (nu)
 * are there */
static void outer_rates(clv_system *s, const double *u)
{
    for (int k = 0; k < s->rows.npiece; k++) {
        const int b = floating_base(&s->rows, k);
        if (b < 0)
            continue;
        if (s->plan->tree[b].motion < 0)
            memcpy(s->kin.u + 6 * (size_t)b, u + s->plan->tree[b].iu, (size_t)s->plan->tree[b].nu * sizeof(double));
        clv_kinematics_body_rates(&s->kin, b);
    }
    for (int i = 0; i < s->rows.ncoupled; i++) {
        const int b = s->rows.coupled[i];
        if (s->plan->tree[b].motion < 0)
            memcpy(s->kin.u + 6 * (size_t)b, u + s->plan->tree[b].iu, (size_t)s->plan->tree[b].nu * sizeof(double));
        clv_kinematics_body_rates(&s->kin, b);
    }
    clv_kinematics_modal_rates(&s->kin, u);
    clv_rows_star_rates(&s->rows, &s->kin);
    if (s->rows.looped)
        clv_kinematics_closing_rates(&s->kin);
}

/* Accelerations ud, x and multipliers lambda at the loads and velocity terms in the rows. */
static bool accelerations(clv_system *s)
{
    clv_rows *w = &s->rows;
    const double *c = outer_biases(s, true);
    for (int i = 0; i < w->ncoupled; i++)
        clv_kinematics_body_bias(&s->kin, w->coupled[i], s->c + 6 * (size_t)w->coupled[i]);
    if (w->looped) {
        clv_kinematics_closing_bias(&s->kin, s->c, s->a);
        clv_system_stabilize(s);
    }
    if (s->plan->nstar > 0) {
        memcpy(s->force, s->tau, (size_t)s->plan->nu * sizeof(double));
        clv_flexible_forces(s, s->force);
    }
    if (!solve(s, s->plan->nstar > 0 ? s->force : s->tau, c, s->a, true, s->ud, s->x))
        return false;
    memcpy(s->lambda, s->engine.sigma, (size_t)s->plan->nsigma * sizeof(double));
    clv_rows_give_rates(w, w->rates, s->ud);
    return true;
}

/* ------------------------------------------------------------------ hdca */

/* rates u, V of the border and sigma of the momenta along the joints, where nothing else is in the rows */
static bool find_velocities(clv_system *s, const double *momenta)
{
    if (!solve(s, momenta, outer_biases(s, false), NULL, false, s->u, s->kin.V))
        return false;
    memcpy(s->sigma, s->engine.sigma, (size_t)s->plan->nsigma * sizeof(double));
    return true;
}

/* *momenta (nu): along the joints */
static bool velocities(clv_system *s, double t, const double *y, const double **momenta)
{
    start(s, t, y, NULL);
    clv_rows_clear(&s->rows);
    *momenta = along_joints(s, y + s->plan->nq);
    if (!find_velocities(s, *momenta))
        return false;
    s->velocities_known = s->model->nmotion == 0; /* else accelerations follow */
    s->rates_due = s->lean && s->rows.ncoupled == 0 && !loaded(s) && s->model->nmotion == 0 && !s->summed;
    if (!s->rates_due)
        clv_rows_give_rates(&s->rows, s->rows.rates, s->u);
    return true;
}

/* rates of the momenta of joints between strands (T10) */
static void outer_momenta(const clv_system *s, double *pdot)
{
    const clv_plan *p = s->plan;
    for (int k = 0; k < s->rows.npiece; k++) {
        const int b = floating_base(&s->rows, k);
        double P[6], Q[6];
        if (b < 0)
            continue;
        clv_rows_base_sums(&s->rows, k, P, Q);
        for (int c = 0; c < p->tree[b].f; c++) {
            const size_t at = clv_columns(p, (size_t)b) + 6 * (size_t)c;
            pdot[p->tree[b].iu + c] =
                clv_momentum_rate(s->kin.H + at, s->kin.Hd + at, s->kin.V + 6 * (size_t)b, Q, P);
        }
    }
}

/* T := 0 on the border */
static void clear_border(clv_system *s)
{
    for (int i = 0; i < s->rows.nborder; i++)
        memset(s->T + 6 * (size_t)s->rows.border[i], 0, 6 * sizeof(double));
}

/* Summed (T11): the reactions load the bodies, and momenta are those of all that is outboard, so what the impulses of
 * loops took off is added again; strands outermost first. */
static void add_reactions(clv_system *s)
{
    const clv_plan *p = s->plan;
    clv_rows *w = &s->rows;
    clear_border(s);
    clv_engine_closing_wrenches(&s->engine, s->T, s->lambda, 1.0);
    attach_loads(s, s->T);
    clear_border(s);
    clv_engine_closing_wrenches(&s->engine, s->T, s->sigma, 1.0);
    for (int i = w->nborder - 1; i >= 0; i--)
        clv_rows_attach(w, w->P, w->border[i], s->T + 6 * (size_t)w->border[i]);
    for (int n = w->npiece - 1; n >= 0; n--) {
        const int k = w->piece[n], to = w->origin[k];
        double sum[6] = {0};
        if (to < 0 || !clv_rows_floats(w, k))
            continue;
        const int star = k - p->nstrand, frame = star < 0 ? -1 : p->star[star].frame;
        const int first = star < 0 ? w->held_first[k] : frame,
                  last = star < 0 ? w->held_first[k + 1] - 1 : frame + p->model->flex[star].nnode;
        for (int i = first; i <= last; i++) {
            const int b = star < 0 ? p->bodies[p->strand[k].first + w->held[i]] : i;
            double l[3], W[6];
            if (!(w->mark[b] & CLV_ROWS_BORDER))
                continue;
            clv_sub3(l, s->kin.ref + 3 * (size_t)b, s->kin.ref + 3 * (size_t)to);
            clv_wrench_shift(W, l, s->T + 6 * (size_t)b);
            clv_add6(sum, W);
        }
        clv_add6(s->T + 6 * (size_t)to, sum);
        clv_rows_attach(w, w->P, to, sum);
    }
}

/* what the impulses of loops do to the momenta (T10): the pairs -Ddot sigma, and what they carry from body to body */
static void impulses(clv_system *s)
{
    clv_rows *w = &s->rows;
    if (!w->looped)
        return;
    clv_rows_edge_momenta(w, &s->kin, s->sigma);
    if (s->summed) {
        add_reactions(s);
        return;
    }
    clear_border(s);
    clv_kinematics_closing_loads(&s->kin, s->sigma, s->T);
    attach_loads(s, s->T);
}

static void give_rates(clv_system *s)
{
    if (s->rates_due)
        clv_rows_give_rates(&s->rows, s->rows.rates, s->u);
    s->rates_due = false;
}

/* accelerations at the velocities just found and the loads s->Q, s->tau; with the power of drives */
static bool accelerate(clv_system *s)
{
    clv_rows_go_on(&s->rows);
    clv_rows_clear(&s->rows);
    if (loaded(s))
        attach_loads(s, s->Q);
    if (!accelerations(s))
        return false;
    add_motion_power(s);
    return true;
}

/* Summed, or where a motion without inertia may be loaded: accelerations and reactions of loops first, then the
 * velocities again, at the same loads. */
static bool react(clv_system *s, const double *momenta)
{
    if (!accelerate(s))
        return false;
    clv_rows_clear(&s->rows);
    if (!find_velocities(s, momenta))
        return false;
    clv_rows_clear(&s->rows);
    if (loaded(s))
        attach_loads(s, s->Q);
    return true;
}

bool clv_walk_hdca(clv_system *s, double t, const double *y, double *ydot)
{
    const clv_plan *p = s->plan;
    clv_rows *w = &s->rows;
    const double *momenta;
    double *pdot = ydot + p->nq;
    if (!fits(s) || !velocities(s, t, y, &momenta))
        return false;
    outer_rates(s, s->u);
    clv_rows_clear(w);
    const bool first = s->summed || s->engine.loose; /* a loose motion: its momentum is small, but is it loaded? */
    if (!loads(s, y, s->u) || (first && !react(s, momenta)))
        return false;
    impulses(s);
    clv_rows_collect(w, &s->kin);
    for (int g = 0; g < p->ngroup; g++)
        w->kernels->momentum(w, g);
    clv_rows_give_coordinates(w, y, w->rates, ydot);
    outer_coordinates(s, y, s->u, ydot);
    clv_rows_give_momentum_rates(w, momenta, pdot);
    outer_momenta(s, pdot);
    clv_flexible_momentum_rates(s, pdot);
    for (int i = 0; loaded(s) && i < p->nu; i++)
        pdot[i] += s->tau[i];
    if (momenta != y + p->nq) {
        clv_momentum_axes_derivatives(s);
        clv_momentum_axes_turn_rates(s, ((clv_momentum_axes *)s->private_state)->p, pdot);
    }
    if (s->model->nmotion > 0 && !first && !accelerate(s)) /* the power of drives needs their forces */
        return false;
    ydot[p->nq + p->nu] = s->power;
    return true;
}

/* ------------------------------------------------------------------ dca */

bool clv_walk_dca(clv_system *s, double t, const double *y, double *ydot)
{
    const clv_plan *p = s->plan;
    clv_rows *w = &s->rows;
    const double *u = y + p->nq;
    if (!fits(s))
        return false;
    start(s, t, y, u);
    outer_rates(s, u);
    clv_rows_clear(w);
    if (!loads(s, y, u))
        return false;
    if (!accelerations(s))
        return false;
    add_motion_power(s);
    memcpy(s->u, u, (size_t)p->nu * sizeof(double));
    s->rates_due = s->velocities_known = false;
    clv_rows_give_coordinates(w, y, w->u, ydot);
    outer_coordinates(s, y, u, ydot);
    memcpy(ydot + p->nq, s->ud, (size_t)p->nu * sizeof(double));
    ydot[p->nq + p->nu] = s->power;
    return true;
}

/* ------------------------------------------------------------------ model order */

static void view_motion(clv_system *s, const double *y)
{
    s->kin.apart = true;
    clv_kinematics_poses(&s->kin, s->kin.time, y);
    clv_kinematics_fill(&s->kin);
    s->kin.apart = false;
    clv_kinematics_velocities(&s->kin, s->u);
}

bool clv_walk_velocities(clv_system *s, double t, const double *y)
{
    const double *momenta;
    if (!fits(s) || !velocities(s, t, y, &momenta))
        return false;
    view_motion(s, y);
    return true;
}

bool clv_walk_place(clv_system *s, double t, const double *q)
{
    if (!fits(s))
        return false;
    start(s, t, q, NULL);
    clv_rows_clear(&s->rows);
    memset(s->ud, 0, (size_t)s->plan->nu * sizeof(double));
    if (!factor(s, s->ud, false))
        return false;
    if (s->border_only)
        return true;
    s->kin.apart = true;
    clv_kinematics_poses(&s->kin, t, q);
    clv_kinematics_fill(&s->kin);
    s->kin.apart = false;
    return true;
}

bool clv_walk_pose(clv_system *s, double t, const double *q)
{
    if (!s->border_only || !fits(s))
        return false;
    pose(s, t, q, NULL);
    return true;
}

bool clv_walk_move(clv_system *s, const double *u)
{
    if (!s->border_only || !fits(s))
        return false;
    move(s, u);
    return true;
}

/* momenta of joints between strands, of the sums outboard */
static void base_momenta(const clv_system *s, double *p)
{
    const clv_plan *plan = s->plan;
    for (int k = 0; k < s->rows.npiece; k++) {
        const int b = floating_base(&s->rows, k);
        double P[6], Q[6];
        if (b < 0)
            continue;
        clv_rows_base_sums(&s->rows, k, P, Q);
        for (int c = 0; c < plan->tree[b].f; c++)
            p[plan->tree[b].iu + c] = clv_dot6(s->kin.H + clv_columns(plan, (size_t)b) + 6 * (size_t)c, P);
    }
}

/* p (nu) along the joints: momenta of the rates u at q, less what the impulses sigma of closings give */
static void momenta_of(clv_system *s, const double *q, const double *u, const double *sigma, double *p)
{
    clv_rows *w = &s->rows;
    pose(s, s->kin.time, q, u);
    clv_rows_momenta(w, &s->kin, sigma);
    clv_rows_give_rates(w, w->pdot, p);
    base_momenta(s, p);
    clv_flexible_momenta(s, p);
}

void clv_walk_remember_momenta(clv_system *s, const double *y)
{
    const clv_plan *p = s->plan;
    s->missed_known = s->border_only && fits(s) && !s->summed;
    if (!s->missed_known)
        return;
    const double *momenta = along_joints(s, y + p->nq);
    momenta_of(s, y, s->u, s->sigma, s->missed);
    for (int i = 0; i < p->nu; i++)
        s->missed[i] = momenta[i] - s->missed[i];
}

bool clv_walk_momenta(clv_system *s, double t, const double *q, const double *u, double *p)
{
    if (!s->border_only || !fits(s))
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
    if (!s->engine.partial || !w->looped)
        return false;
    memset(w->u0, 0, (size_t)w->nrow * CLV_GROUP * sizeof(double));
    clv_rows_know_nothing(w);
    clv_rows_close(w, NULL, NULL, a, du);
    clv_rows_descend(w, false);
    clv_rows_take_out(w, &s->kin, false, false, du);
    clv_rows_give_rates(w, w->rates, du);
    clv_rows_outer(w, &s->kin, NULL, s->x, du);
    return true;
}

bool clv_walk_energies(clv_system *s, clv_energies *e)
{
    if (!s->walked)
        return false;
    give_rates(s);
    clv_rows_energy(&s->rows, s->velocities_known, s->model->gravity, &e->kinetic, &e->potential, &e->squares);
    if (!clv_flexible_energies(s, e))
        return false;
    if (s->model->nforce > 0)
        e->potential += clv_potential_given(&s->loads);
    return true;
}

void clv_walk_view(clv_system *s, const double *y)
{
    const clv_plan *p = s->plan;
    give_rates(s);
    view_motion(s, y);
    clv_kinematics_rates(&s->kin);
    clv_system_loads(s);
    for (int b = 0; b < p->nbody; b++)
        clv_rows_motion(&s->rows, b, s->x + 6 * (size_t)b);
}
