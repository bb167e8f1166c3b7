/* SPDX-License-Identifier: Apache-2.0
 * Products of the derivatives of an evaluation with cotangents, in O(n) and without columns (T124).  Bodies and pairs
 * give cotangents to the motion of bodies, these are summed from the tips to the bases, and every direction takes the
 * product with its own motion. */
#include "kinematics/derivative_pair.h"
#include "kinematics/place.h"
#include <string.h>

/* ------------------------------------------------------------------ the state */

static void velocity(clv_derivative *d, size_t b)
{
    const double *V = d->kin->V + 6 * b;
    double r[3], y[3], *v = d->v + 6 * b;
    clv_sub3(r, d->kin->ref + 3 * b, d->origin);
    memcpy(v, V, 6 * sizeof *v);
    clv_cross(y, r, V + 3), clv_axpy3(v, 1, y);
}

/* a = a of the parent + S u' + v_carrier x S u */
static void acceleration(clv_derivative *d, int body)
{
    const clv_tree_joint *t = &d->plan->tree[body];
    static const double rest[6] = {0};
    const double *v = d->v + 6 * (size_t)body, *parent = t->parent < 0 ? rest : d->v + 6 * (size_t)t->parent;
    double S[36], y[6], *a = d->a + 6 * (size_t)body;
    memcpy(a, t->parent < 0 ? d->ground : d->a + 6 * (size_t)t->parent, 6 * sizeof *a);
    clv_derivative_columns(d, body, S);
    for (int c = 0; c < t->nu; c++) {
        const double u = clv_kinematics_u(d->kin, (size_t)body)[c];
        const double ud = t->f > 0 ? d->ud[t->iu + c] : d->kin->ud[6 * (size_t)body + (size_t)c];
        clv_motion_cross(y, clv_carried_by_child(t, c) ? v : parent, S + 6 * c);
        for (int i = 0; i < 6; i++)
            a[i] += S[6 * c + i] * ud + y[i] * u;
    }
}

/* what the body needs, less its loads: I a + v x* I v - Q */
static void wrench(clv_derivative *d, size_t b, const double *Q)
{
    const clv_derivative_inertia *I = &d->I[b];
    const double *v = d->v + 6 * b;
    double r[3], a[6], h[6], g[6], load[6], *W = d->W + 6 * b;
    for (int i = 0; i < 6; i++)
        a[i] = d->a[6 * b + (size_t)i] - d->ground[i]; /* weights are loads */
    clv_derivative_times(W, I->mass, I->moment, I->J, a), clv_derivative_times(h, I->mass, I->moment, I->J, v);
    clv_wrench_cross(g, v, h);
    clv_sub3(r, d->kin->ref + 3 * b, d->origin);
    clv_wrench_shift(load, r, Q + 6 * b);
    for (int i = 0; i < 6; i++)
        W[i] += g[i] - load[i];
}

static void add_outboard(const clv_plan *p, double *W)
{
    for (int i = p->nbody - 1; i >= 0; i--)
        if (p->tree[p->order[i]].parent >= 0)
            clv_add6(W + 6 * (size_t)p->tree[p->order[i]].parent, W + 6 * (size_t)p->order[i]);
}

void clv_derivative_move(clv_derivative *d, const double *Q)
{
    const clv_plan *p = d->plan;
    clv_derivative_begin(d);
    for (int i = 0; i < p->nbody; i++) {
        const int b = p->order[i], up = p->tree[b].parent;
        d->depth[b] = up < 0 ? 1 : d->depth[up] + 1;
        velocity(d, (size_t)b), acceleration(d, b);
        clv_derivative_body(d, b);
        wrench(d, (size_t)b, Q);
    }
    clv_derivative_compose(d);
    add_outboard(p, d->W);
    for (int i = 0; i < p->nbody; i++)
        clv_derivative_directions(d, p->order[i]);
}

void clv_derivative_missing(const clv_derivative *d, const double *tau, double *force)
{
    const clv_plan *p = d->plan;
    for (int b = 0; b < p->nbody; b++)
        for (int c = 0; c < p->tree[b].f; c++) {
            const size_t k = (size_t)p->tree[b].iu + (size_t)c;
            force[k] = clv_dot6(d->S + 6 * k, d->W + 6 * (size_t)b) - tau[k] + clv_armature_of(p, b, c) * d->ud[k];
        }
}

/* ------------------------------------------------------------------ cotangents */

static void add_cotangent(clv_cotangent *to, const clv_cotangent *x)
{
    clv_add6(to->S, x->S), clv_add6(to->v, x->v), clv_add6(to->A, x->A);
}

/* z.S = D.(S x* W) for all S */
static void displaced_wrench(double z[6], const double D[6], const double W[6])
{
    double x[3];
    clv_cross(z, W, D + 3), clv_cross(z + 3, W, D), clv_cross(x, W + 3, D + 3);
    clv_axpy3(z + 3, 1, x);
}

/* the motion that meets the wrench of a joint whose child is displaced: of the directions that do not move along */
static void met(const clv_derivative *d, int body, const double *v, const double *field, double D[6])
{
    const clv_tree_joint *t = &d->plan->tree[body];
    memset(D, 0, 6 * sizeof *D);
    if (t->parent >= 0)
        memcpy(D, field + 6 * (size_t)t->parent, 6 * sizeof *D);
    for (int c = 0; c < t->f; c++) {
        const size_t k = (size_t)t->iu + (size_t)c;
        for (int i = 0; !clv_carried_by_child(t, c) && i < 6; i++)
            D[i] += v[k] * d->S[6 * k + (size_t)i];
    }
}

/* I D and B^T D of all that is outboard, moving like the body, are added */
static void compose(const clv_derivative *d, int body, const double D[6], clv_cotangent *to)
{
    const clv_derivative_inertia *I = &d->I[body];
    double x[6], y[3];
    clv_derivative_times(x, I->mass, I->moment, I->J, D);
    clv_add6(to->A, x);
    clv_cross(x, I->p, D), clv_mat3_transpose_times(y, I->K, D + 3);
    for (int i = 0; i < 3; i++)
        to->v[3 + i] += 2 * x[i] + y[i];
}

/* what the own directions, moving by v against the body, add to those inboard */
static void add_own(const clv_derivative *d, int body, const double *v, clv_cotangent *to)
{
    const clv_tree_joint *t = &d->plan->tree[body];
    for (int c = 0; c < t->f; c++) {
        const size_t k = (size_t)t->iu + (size_t)c;
        for (int i = 0; i < 6; i++)
            to->A[i] += v[k] * d->IS[6 * k + (size_t)i];
        for (int i = 0; i < 3; i++)
            to->v[3 + i] += v[k] * d->bias[3 * k + (size_t)i];
    }
}

static void body_back(clv_derivative *d, int body, const double *v, const double *field, double *x, double *u)
{
    const clv_tree_joint *t = &d->plan->tree[body];
    clv_cotangent inboard = d->back[body], *all = &d->back[body];
    double D[6], z[6];
    compose(d, body, field + 6 * (size_t)body, all);
    met(d, body, v, field, D);
    displaced_wrench(z, D, d->W + 6 * (size_t)body);
    clv_add6(z, all->S);
    for (int c = 0; c < t->f; c++) {
        const size_t k = (size_t)t->iu + (size_t)c;
        const double *S = d->S + 6 * k;
        x[k] += clv_dot6(all->A, d->Aq + 6 * k) + clv_dot6(all->v, d->vq + 6 * k) + clv_dot6(z, S);
        u[k] += clv_dot6(all->A, d->Au + 6 * k) + clv_dot6(all->v, S);
    }
    add_own(d, body, v, &inboard);
    if (t->parent >= 0)
        add_cotangent(&d->back[t->parent], &inboard);
}

void clv_derivative_back(clv_derivative *d, const double *v, const double *field, const double *eta, double *x,
                         double *u)
{
    const clv_plan *p = d->plan;
    memset(d->back, 0, (size_t)p->nbody * sizeof *d->back);
    clv_derivative_pairs_back(d, v, field, eta, x, u);
    if (d->m > 0)
        add_outboard(p, d->held);
    for (size_t i = 0; d->m > 0 && i < 6 * (size_t)p->nbody; i++)
        d->W[i] -= d->held[i];
    for (int i = p->nbody - 1; i >= 0; i--)
        body_back(d, p->order[i], v, field, x, u);
}

/* ------------------------------------------------------------------ rows */

typedef struct term_target {
    const double *mu;
    double *x, *u;
} term_target;

static void no_pair(const clv_acting *p, void *user) { (void)p, (void)user; }

static void term_rows_back(clv_derivative *d, const clv_edge *e, int child, const double f[3], void *user)
{
    const term_target *to = user;
    const int k = d->plan->tree[child].iu;
    to->x[k] += to->mu[e->row] * f[1] * *clv_kinematics_u(d->kin, (size_t)child);
    to->u[k] += to->mu[e->row] * f[0];
}

static void add_part(clv_derivative *d, const clv_closing_part *p, const double *mu_u, const double *mu_x,
                     clv_cotangent *to)
{
    clv_cotangent c = {{0}, {0}, {0}};
    double y[6];
    for (int r = 0; r < p->m; r++)
        for (int i = 0; i < 6; i++) {
            c.v[i] += mu_u[p->row + r] * p->sign * p->D[6 * r + i];
            c.S[i] += mu_u[p->row + r] * p->rate[6 * r + i];
            c.S[i] += mu_x ? mu_x[p->row + r] * p->sign * p->D[6 * r + i] : 0;
        }
    clv_wrench_cross(y, d->v + 6 * (size_t)p->moves, c.v);
    clv_add6(c.S, y);
    add_cotangent(&to[p->moves], &c);
    for (int i = 0; p->other >= 0 && i < 6; i++)
        to[p->other].S[i] -= c.S[i], to[p->other].v[i] -= c.v[i];
}

static void rows_outboard(clv_derivative *d, const double *mu_u, const double *mu_x, clv_cotangent *work)
{
    const clv_plan *p = d->plan;
    memset(work, 0, (size_t)p->nbody * sizeof *work);
    for (int i = 0; i < d->npart; i++)
        add_part(d, &d->part[i], mu_u, mu_x, work);
    for (int i = p->nbody - 1; i >= 0; i--)
        if (p->tree[p->order[i]].parent >= 0)
            add_cotangent(&work[p->tree[p->order[i]].parent], &work[p->order[i]]);
}

void clv_derivative_rows_back(clv_derivative *d, const double *mu, clv_cotangent *work, double *x, double *u)
{
    const clv_plan *p = d->plan;
    term_target to = {mu, x, u};
    rows_outboard(d, mu, NULL, work);
    for (int b = 0; b < p->nbody; b++)
        for (int c = 0; c < p->tree[b].f; c++) {
            const size_t k = (size_t)p->tree[b].iu + (size_t)c;
            const double *S = d->S + 6 * k;
            x[k] += clv_dot6(work[b].v, d->vq + 6 * k) + clv_dot6(work[b].S, S);
            u[k] += clv_dot6(work[b].v, S);
        }
    if (p->model->ncoupling > 0)
        clv_acting_closings(d, no_pair, term_rows_back, &to);
}

/* ------------------------------------------------------------------ offsets of tree joints (T112) */

void clv_derivative_offsets_back(clv_derivative *d, const double *mu_u, const double *mu_x, clv_cotangent *work)
{
    rows_outboard(d, mu_u, mu_x, work);
    for (int b = 0; b < d->plan->nbody; b++)
        add_cotangent(&d->back[b], &work[b]);
}

double clv_derivative_offset_along(const clv_derivative *d, const clv_derivative_offset *g, const double *field)
{
    const clv_cotangent *c = &d->back[g->child];
    const int stays = g->moves ? d->plan->tree[g->child].parent : g->child;
    double z[6] = {0};
    if (stays >= 0)
        displaced_wrench(z, field + 6 * (size_t)stays, d->W + 6 * (size_t)g->child);
    clv_add6(z, c->S);
    return clv_dot6(z, g->S) + clv_dot6(c->v, g->v) + clv_dot6(c->A, g->A);
}

void clv_derivative_point_along(const clv_derivative *d, const clv_number *x, const double *field, double g[3])
{
    const clv_plan *p = d->plan;
    const clv_joint *j = &p->model->joint[x->item];
    static const double rest[6] = {0};
    const int child = p->child_of_joint[x->item], body = x->kind == CLV_NUMBER_POINT_B ? j->b : j->a;
    const bool moves = body != child;
    const int stays = moves ? p->tree[child].parent : child;
    const clv_cotangent *c = &d->back[child];
    const double *v = body < 0 ? rest : d->v + 6 * (size_t)body, *a = body < 0 ? d->ground : d->a + 6 * (size_t)body;
    double y[3], z[6] = {0};
    if (stays >= 0)
        displaced_wrench(z, field + 6 * (size_t)stays, d->W + 6 * (size_t)child);
    clv_axpy3(z, 1, c->S);
    clv_cross(y, c->v, v + 3), clv_axpy3(z, 1, y);
    clv_cross(y, c->A, a + 3), clv_axpy3(z, 1, y);
    clv_cross(y, c->A, v + 3), clv_cross(y, y, v + 3), clv_axpy3(z, 1, y);
    for (int i = 0; i < 3; i++)
        z[i] = moves ? z[i] : -z[i];
    clv_copy3(g, z);
    if (body >= 0)
        clv_mat3_transpose_times(g, d->kin->R + 9 * (size_t)body, z);
}
