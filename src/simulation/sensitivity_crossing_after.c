/* SPDX-License-Identifier: Apache-2.0
 * What an event makes of a column (T125): coordinates from the displacements of the bodies, rates from their momenta
 * and the impulses of closings; see sensitivity_crossing.h. */
#include "math/rotation.h"
#include "simulation/sensitivity_crossing.h"
#include <string.h>

void clv_crossing_outboard(const clv_plan *p, double *W)
{
    for (int i = p->nbody - 1; i >= 0; i--)
        if (p->tree[p->order[i]].parent >= 0)
            clv_add6(W + 6 * (size_t)p->tree[p->order[i]].parent, W + 6 * (size_t)p->order[i]);
}

/* y (f): S y = x, of independent columns S (f x 6) */
static void solve_columns(const double *S, int f, const double x[6], double *y)
{
    double A[36], b[6];
    for (int i = 0; i < f; i++) {
        b[i] = clv_dot6(S + 6 * i, x);
        for (int j = 0; j < f; j++)
            A[6 * i + j] = clv_dot6(S + 6 * i, S + 6 * j);
    }
    for (int i = 0; i < f; i++)
        for (int j = i + 1; j < f; j++) {
            const double s = A[6 * j + i] / A[6 * i + i];
            for (int c = i; c < f; c++)
                A[6 * j + c] -= s * A[6 * i + c];
            b[j] -= s * b[i];
        }
    for (int i = f; i-- > 0;) {
        y[i] = b[i];
        for (int c = i + 1; c < f; c++)
            y[i] -= A[6 * i + c] * y[c];
        y[i] /= A[6 * i + i];
    }
}

static bool is_offset_of(const clv_crossing_work *k, int body)
{
    return k->c.offset.child == body;
}

/* coordinates after the event, and those that are held */
static void find_coordinates(clv_crossing_work *k)
{
    const clv_plan *p = k->to->plan;
    static const double none[6] = {0};
    for (int b = 0; b < p->nbody; b++) {
        const clv_tree_joint *t = &p->tree[b];
        const double *x = clv_crossing_of(k->c.x, b, none), *up = clv_crossing_of(k->c.x, t->parent, none);
        double S[36], y[6];
        for (int i = 0; i < 6; i++)
            y[i] = x[i] - up[i] - (is_offset_of(k, b) ? k->c.offset.S[i] : 0);
        clv_derivative_columns(&k->d, b, S);
        if (t->f > 0)
            solve_columns(S, t->f, y, k->q + t->iu);
        for (int i = 0; t->f == 0 && t->joint >= 0 && i < k->to->nheld; i++)
            if (k->to->held[i] == t->joint)
                k->after[i] = clv_dot6(S, y) / clv_dot6(S, S);
    }
}

/* displacement of the body that carries direction c of a joint, as far as the direction moves with it */
static void carrier(const clv_crossing_work *k, int body, int c, double x[6])
{
    static const double none[6] = {0};
    const clv_tree_joint *t = &k->to->plan->tree[body];
    const bool own = clv_carried_by_child(t, c), offset = is_offset_of(k, body), moves = k->c.offset.moves;
    memcpy(x, own ? clv_crossing_of(k->c.x, body, none) : clv_crossing_of(k->c.x, t->parent, none), 6 * sizeof *x);
    for (int i = 0; offset && i < 6; i++)
        x[i] += own && !moves ? -k->c.offset.S[i] : !own && moves ? k->c.offset.S[i] : 0;
}

/* dv: change of the velocities after the event while rates are held */
static void find_velocities(clv_crossing_work *k)
{
    const clv_plan *p = k->to->plan;
    static const double none[6] = {0};
    for (int i = 0; i < p->nbody; i++) {
        const int b = p->order[i];
        double S[36], x[6], y[6], *to = k->dv + 6 * (size_t)b;
        memcpy(to, clv_crossing_of(k->dv, p->tree[b].parent, none), 6 * sizeof *to);
        clv_derivative_columns(&k->d, b, S);
        for (int c = 0; c < p->tree[b].nu; c++) {
            carrier(k, b, c, x);
            clv_motion_cross(y, x, S + 6 * c);
            for (int r = 0; r < 6; r++)
                to[r] += y[r] * clv_kinematics_u(k->d.kin, (size_t)b)[c];
        }
    }
}

/* rows and wrenches of a closing */
static void along_closing(const clv_acting *p, void *user)
{
    clv_crossing_work *k = user;
    static const double none[6] = {0};
    clv_acting_change x = {{0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}};
    clv_acting_effect e = {{0}, {0}, {0}, {0}, {0}, {0}, {0}};
    memcpy(x.xa, clv_crossing_of(k->c.x, p->a, none), sizeof x.xa),
        memcpy(x.xb, clv_crossing_of(k->c.x, p->b, none), sizeof x.xb);
    memcpy(x.va, clv_crossing_of(k->dv, p->a, none), sizeof x.va),
        memcpy(x.vb, clv_crossing_of(k->dv, p->b, none), sizeof x.vb);
    if (k->c.offset.child == -1 && k->c.offset.joint == k->d.plan->edge[p->edge].joint)
        clv_copy3(k->c.offset.on_b ? x.pb : x.pa, k->c.offset.S);
    p->find(p, &x, &e);
    for (int r = 0; r < p->m; r++)
        k->row[p->row + r] += e.rate[r];
    for (int i = 0; !p->term && i < k->to->nheld; i++)
        if (k->to->held[i] == k->d.plan->edge[p->edge].joint)
            k->after[i] = e.row[p->m - 1];
    for (int i = 0; i < 6; i++) {
        if (p->a >= 0)
            k->dW[6 * (size_t)p->a + (size_t)i] -= e.dWa[i];
        if (p->b >= 0)
            k->dW[6 * (size_t)p->b + (size_t)i] -= e.dWb[i];
    }
}

static void along_term(clv_derivative *d, const clv_edge *e, int child, const double f[3], void *user)
{
    clv_crossing_work *k = user;
    const int at = d->plan->tree[child].iu;
    k->row[e->row] += f[1] * *clv_kinematics_u(d->kin, (size_t)child) * k->q[at];
    k->force[at] -= f[1] * d->lambda[e->row] * k->q[at];
}

/* dW of the bodies: x x* (I j) + I (dv - v - x x j), j the change of velocity */
static void find_wrenches(clv_crossing_work *k)
{
    for (size_t b = 0; b < (size_t)k->to->plan->nbody; b++) {
        const clv_derivative_inertia *I = &k->d.I[b];
        const double *x = k->c.x + 6 * b;
        double y[6], z[6];
        clv_motion_cross(y, x, k->jump + 6 * b);
        for (size_t i = 0; i < 6; i++)
            y[i] = k->dv[6 * b + i] - k->c.v[6 * b + i] - y[i];
        clv_derivative_times(z, I->mass, I->moment, I->J, y);
        clv_wrench_cross(y, x, k->momentum + 6 * b);
        for (size_t i = 0; i < 6; i++)
            k->dW[6 * b + i] = y[i] + z[i];
    }
}

/* rate of the joint of k before the event, in the column */
static double rate_before(const clv_crossing_work *k, int joint, int c)
{
    static const double none[6] = {0};
    const clv_plan *p = k->from->plan;
    const int b = p->child_of_joint[joint];
    double y[6], S[36], rate[6], dS[6], x[6];
    if (b < 0 || p->tree[b].f == 0)
        return 0;
    const clv_tree_joint *t = &p->tree[b];
    clv_derivative_columns(&k->from->d, b, S);
    for (int i = 0; i < 6; i++)
        y[i] = k->c.v[6 * (size_t)b + (size_t)i] - clv_crossing_of(k->c.v, t->parent, none)[i];
    for (int i = 0; i < t->nu; i++) {
        memcpy(x,
               clv_carried_by_child(t, i) ? clv_crossing_of(k->c.x, b, none) : clv_crossing_of(k->c.x, t->parent, none),
               sizeof x);
        clv_motion_cross(dS, x, S + 6 * i);
        for (int r = 0; r < 6; r++)
            y[r] -= dS[r] * clv_kinematics_u(k->from->d.kin, (size_t)b)[i];
    }
    solve_columns(S, t->f, y, rate);
    return rate[c];
}

/* what is missing along the rates, if they are held */
static void find_force(clv_crossing_work *k)
{
    const clv_plan *p = k->to->plan;
    for (int b = 0; b < p->nbody; b++)
        for (int c = 0; c < p->tree[b].f; c++) {
            const size_t at = (size_t)p->tree[b].iu + (size_t)c;
            double x[6], y[6];
            carrier(k, b, c, x);
            clv_motion_cross(y, x, k->d.S + 6 * at);
            k->force[at] += clv_dot6(y, k->W + 6 * (size_t)b) + clv_dot6(k->d.S + 6 * at, k->dW + 6 * (size_t)b);
            const double rotor = clv_armature_of(p, b, c);
            if (rotor > 0)
                k->force[at] -= rotor * rate_before(k, p->tree[b].joint, c);
        }
}

/* coordinates k->q, rates k->u after the event, and k->after */
void clv_crossing_column(clv_crossing_work *k)
{
    const size_t n = (size_t)k->to->n, m = (size_t)k->to->m;
    clv_engine *engine = &k->to->s->system.engine;
    memset(k->force, 0, n * sizeof(double)), memset(k->row, 0, m * sizeof(double));
    find_coordinates(k);
    find_velocities(k);
    find_wrenches(k);
    if (k->c.number && k->c.number->kind <= CLV_NUMBER_INERTIA) {
        double *v = k->d.v;
        k->d.v = k->rest;
        clv_derivative_number(&k->d, k->c.number, k->force);
        k->d.v = v;
    }
    clv_acting_closings(&k->d, along_closing, along_term, k);
    clv_crossing_outboard(k->to->plan, k->dW);
    find_force(k);
    for (size_t i = 0; i < n; i++)
        k->force[i] = -k->force[i];
    for (size_t i = 0; i < m; i++)
        k->row[i] = -k->row[i];
    clv_engine_solve(engine, k->acceleration, k->u, k->rest, k->force, NULL, m > 0 ? k->row : NULL);
}
