/* SPDX-License-Identifier: Apache-2.0
 * Derivatives of the generalized forces of an open tree (T74).  Along coordinate c of a joint everything outboard is
 * displaced by S_c.  What remains after that displacement is the same motion v', A' + v' x v_i for all outboard
 * bodies, so composite inertias give the forces of all of them.  The cost is one small product for every pair of a
 * direction and one of its ancestors. */
#include "kinematics/derivative.h"
#include "kinematics/place.h"
#include "math/rotation.h"

/* closing joints, and terms of couplings */
static size_t parts_of(const clv_plan *p)
{
    size_t parts = 0;
    for (int e = 0; e < p->nedge; e++)
        if (clv_edge_closes(&p->edge[e]))
            parts += p->edge[e].joint >= 0 ? 1 : (size_t)p->model->coupling[p->edge[e].coupling].nterm;
    return parts;
}

void clv_derivative_layout(clv_derivative *d, const clv_kinematics *k, clv_arena *a)
{
    const clv_plan *p = k->plan;
    const size_t n = (size_t)p->nu, bodies = (size_t)p->nbody;
    d->kin = k, d->plan = p, d->n = p->nu, d->m = p->nclosing_row;
    CLV_TAKE(a, d->depth, bodies), CLV_TAKE(a, d->I, bodies);
    CLV_TAKE(a, d->v, 6 * bodies), CLV_TAKE(a, d->a, 6 * bodies), CLV_TAKE(a, d->W, 6 * bodies);
    CLV_TAKE(a, d->S, 6 * n), CLV_TAKE(a, d->IS, 6 * n), CLV_TAKE(a, d->bias, 3 * n);
    CLV_TAKE(a, d->vq, 6 * n), CLV_TAKE(a, d->Aq, 6 * n), CLV_TAKE(a, d->Au, 6 * n);
    CLV_TAKE(a, d->slope, 12 * (size_t)p->model->njoint);
    CLV_TAKE(a, d->back, bodies), CLV_TAKE(a, d->held, 6 * bodies), CLV_TAKE(a, d->part, parts_of(p));
}

void clv_derivative_layout_columns(clv_derivative *d, clv_arena *a)
{
    const size_t n = (size_t)d->n, m = (size_t)d->m;
    CLV_TAKE(a, d->force_q, n * n), CLV_TAKE(a, d->force_u, n * n);
    CLV_TAKE(a, d->row_q, n * m), CLV_TAKE(a, d->row_u, n * m), CLV_TAKE(a, d->rate_q, n * m);
    CLV_TAKE(a, d->row, n * m);
}

/* ------------------------------------------------------------------ bodies */

/* the origin: the mean of the centres of mass */
void clv_derivative_begin(clv_derivative *d)
{
    const int n = d->plan->nbody;
    memset(d->origin, 0, sizeof d->origin);
    for (int i = 0; i < 3; i++)
        d->ground[i] = -d->plan->model->gravity[i];
    for (int b = 0; b < n; b++)
        clv_axpy3(d->origin, 1.0 / n, d->kin->com + 3 * (size_t)b);
}

static void motions(clv_derivative *d, size_t b)
{
    const double *V = d->kin->V + 6 * b, *x = d->x + 6 * b, *T = d->T + 6 * b;
    double r[3], y[3], z[3], *v = d->v + 6 * b, *a = d->a + 6 * b, *W = d->W + 6 * b;
    clv_sub3(r, d->kin->ref + 3 * b, d->origin);
    memcpy(v, V, 6 * sizeof *v), memcpy(a, x, 6 * sizeof *a);
    clv_cross(y, r, V + 3), clv_axpy3(v, 1, y);
    clv_cross(y, V, V + 3), clv_cross(z, r, x + 3);
    for (int i = 0; i < 3; i++)
        a[i] += y[i] + z[i] + d->ground[i];
    clv_wrench_shift(W, r, T);
}

/* K = -2 m c~ v~ + w~ (2 J - tr J 1) */
static void gyration(clv_derivative_inertia *I, const double v[6])
{
    const double *mc = I->moment, *w = v + 3, trace = I->J[0] + I->J[4] + I->J[8];
    const double along = clv_dot3(mc, v);
    for (int k = 0; k < 3; k++) {
        double column[3], x[3];
        for (int i = 0; i < 3; i++)
            column[i] = 2 * I->J[3 * i + k] - (i == k ? trace : 0.0);
        clv_cross(x, w, column);
        for (int i = 0; i < 3; i++) /* c~ v~ = v c^T - (c.v) 1 */
            I->K[3 * i + k] = x[i] - 2 * (v[i] * mc[k] - (i == k ? along : 0.0));
    }
}

void clv_derivative_body(clv_derivative *d, int body)
{
    const size_t b = (size_t)body;
    const double m = d->plan->model->body[b].mass, *Jc = d->kin->Jc + 6 * b, *v = d->v + 6 * b;
    clv_derivative_inertia *I = &d->I[b];
    double c[3], x[3];
    clv_sub3(c, d->kin->com + 3 * b, d->origin);
    const double square = clv_dot3(c, c);
    static const int at[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    for (int i = 0; i < 9; i++)
        I->J[i] = Jc[at[i]] + m * ((i % 4 == 0 ? square : 0.0) - c[i / 3] * c[i % 3]);
    I->mass = m;
    clv_cross(x, v + 3, c);
    for (int i = 0; i < 3; i++)
        I->moment[i] = m * c[i], I->p[i] = m * (v[i] + x[i]);
    gyration(I, v);
}

static void add_inertia(clv_derivative_inertia *to, const clv_derivative_inertia *I)
{
    to->mass += I->mass;
    for (int i = 0; i < 3; i++)
        to->moment[i] += I->moment[i], to->p[i] += I->p[i];
    for (int i = 0; i < 9; i++)
        to->J[i] += I->J[i], to->K[i] += I->K[i];
}

void clv_derivative_compose(clv_derivative *d)
{
    const clv_plan *p = d->plan;
    for (int i = p->nbody - 1; i >= 0; i--)
        if (p->tree[p->order[i]].parent >= 0)
            add_inertia(&d->I[p->tree[p->order[i]].parent], &d->I[p->order[i]]);
}

static void bodies(clv_derivative *d)
{
    const clv_plan *p = d->plan;
    for (int i = 0; i < p->nbody; i++) {
        const int b = p->order[i], up = p->tree[b].parent;
        d->depth[b] = up < 0 ? 1 : d->depth[up] + 1;
        motions(d, (size_t)b);
        clv_derivative_body(d, b);
    }
    clv_derivative_compose(d);
    clv_derivative_add_terms(d);
}

/* ------------------------------------------------------------------ directions */

/* The spatial columns of a joint's free directions (nu x 6). */
void clv_derivative_columns(const clv_derivative *d, int body, double S[36])
{
    const clv_plan *p = d->plan;
    double r[3];
    clv_sub3(r, d->kin->ref + 3 * (size_t)body, d->origin);
    for (int c = 0; c < p->tree[body].nu; c++) {
        const double *H = d->kin->H + clv_columns(p, (size_t)body) + 6 * (size_t)c;
        double x[3];
        clv_cross(x, r, H + 3);
        for (int i = 0; i < 3; i++)
            S[6 * c + i] = H[i] + x[i], S[6 * c + 3 + i] = H[3 + i];
    }
}

/* v' and A' of direction c (T74.2, T74.3).  VJ, AJ: what the columns carried by the child give to v, a. */
static void remain(clv_derivative *d, int body, int c, const double VJ[6], const double AJ[6])
{
    const clv_tree_joint *t = &d->plan->tree[body];
    static const double rest[6] = {0};
    const size_t k = (size_t)t->iu + (size_t)c;
    const double *S = d->S + 6 * k, *v = d->v + 6 * (size_t)body, *a = d->a + 6 * (size_t)body,
                 *carrier = clv_carried_by_child(t, c) ? v : t->parent < 0 ? rest : d->v + 6 * (size_t)t->parent;
    double dv[6], x[6], y[6], z[6], s[6], *vq = d->vq + 6 * k, *Aq = d->Aq + 6 * k, *Au = d->Au + 6 * k;
    clv_motion_cross(dv, S, VJ), clv_motion_cross(s, S, v);
    for (int i = 0; i < 6; i++)
        vq[i] = dv[i] - s[i];
    clv_motion_cross(Aq, S, AJ), clv_motion_cross(x, dv, VJ), clv_motion_cross(y, v, dv), clv_motion_cross(z, S, a);
    for (int i = 0; i < 6; i++)
        Aq[i] += x[i] + y[i] - z[i];
    clv_motion_cross(x, vq, v), clv_motion_cross(Au, carrier, S);
    for (int i = 0; i < 6; i++)
        Aq[i] -= x[i], Au[i] += dv[i] - s[i];
}

/* the same of a joint with one direction, along which V_J and A_J are */
static void remain_alone(clv_derivative *d, int body)
{
    const clv_tree_joint *t = &d->plan->tree[body];
    static const double rest[6] = {0};
    const size_t k = (size_t)t->iu;
    const bool own = clv_carried_by_child(t, 0);
    const double *S = d->S + 6 * k, *v = d->v + 6 * (size_t)body, *a = d->a + 6 * (size_t)body;
    double x[6], y[6], *vq = d->vq + 6 * k, *Aq = d->Aq + 6 * k, *Au = d->Au + 6 * k;
    clv_motion_cross(vq, v, S), clv_motion_cross(Aq, a, S);
    clv_motion_cross(x, v, vq);
    if (!own)
        clv_motion_cross(y, t->parent < 0 ? rest : d->v + 6 * (size_t)t->parent, S);
    for (int i = 0; i < 6; i++)
        Aq[i] += x[i], Au[i] = own ? 2 * vq[i] : y[i] + vq[i];
}

void clv_derivative_directions(clv_derivative *d, int body)
{
    const clv_tree_joint *t = &d->plan->tree[body];
    const clv_derivative_inertia *I = &d->I[body];
    double VJ[6] = {0}, AJ[6] = {0};
    if (t->f == 0)
        return;
    clv_derivative_columns(d, body, d->S + 6 * (size_t)t->iu);
    for (int c = 0; c < t->f; c++) {
        const size_t k = (size_t)t->iu + (size_t)c;
        const double *S = d->S + 6 * k;
        double x[3], y[3];
        for (int i = 0; clv_carried_by_child(t, c) && i < 6; i++)
            VJ[i] += S[i] * clv_kinematics_u(d->kin, (size_t)body)[c], AJ[i] += S[i] * d->ud[k];
        clv_derivative_times(d->IS + 6 * k, I->mass, I->moment, I->J, S);
        clv_cross(x, I->p, S), clv_mat3_transpose_times(y, I->K, S + 3);
        for (int i = 0; i < 3; i++)
            d->bias[3 * k + (size_t)i] = 2 * x[i] + y[i];
    }
    if (t->f == 1)
        remain_alone(d, body);
    for (int c = 0; t->f > 1 && c < t->f; c++)
        remain(d, body, c, VJ, AJ);
}

/* ------------------------------------------------------------------ forces */

/* I A + B v */
static void force_of(double F[6], const clv_derivative_inertia *I, const double A[6], const double v[6])
{
    double x[3], y[3];
    clv_derivative_times(F, I->mass, I->moment, I->J, A);
    clv_cross(x, v + 3, I->p), clv_mat3_times(y, I->K, v + 3);
    for (int i = 0; i < 3; i++)
        F[i] += 2 * x[i], F[3 + i] += y[i];
}

/* rows of the joint itself */
static void own_rows(clv_derivative *d, int body, int c, const double Fq[6], const double Fu[6])
{
    const clv_tree_joint *t = &d->plan->tree[body];
    const size_t n = (size_t)d->n, k = (size_t)t->iu + (size_t)c;
    for (int i = 0; i < t->f; i++) {
        const size_t r = (size_t)t->iu + (size_t)i;
        double moved[6] = {0};
        if (clv_carried_by_child(t, i))
            clv_motion_cross(moved, d->S + 6 * k, d->S + 6 * r);
        d->force_q[r * n + k] = clv_dot6(d->S + 6 * r, Fq) + clv_dot6(moved, d->W + 6 * (size_t)body);
        d->force_u[r * n + k] = clv_dot6(d->S + 6 * r, Fu);
    }
}

/* rows r of the joints inboard along direction k, and row k along their directions */
static void inboard_rows(clv_derivative *d, int body, size_t k, const double Fq[6], const double Fu[6])
{
    const clv_plan *p = d->plan;
    const size_t n = (size_t)d->n;
    const double *IS = d->IS + 6 * k, *bias = d->bias + 3 * k;
    for (int b = p->tree[body].parent; b >= 0; b = p->tree[b].parent)
        for (int i = 0; i < p->tree[b].f; i++) {
            const size_t r = (size_t)p->tree[b].iu + (size_t)i;
            const double *S = d->S + 6 * r;
            d->force_q[r * n + k] = clv_dot6(S, Fq), d->force_u[r * n + k] = clv_dot6(S, Fu);
            d->force_q[k * n + r] = clv_dot6(d->Aq + 6 * r, IS) + clv_dot3(d->vq + 6 * r + 3, bias);
            d->force_u[k * n + r] = clv_dot6(d->Au + 6 * r, IS) + clv_dot3(S + 3, bias);
        }
}

static void forces(clv_derivative *d, int body)
{
    const clv_tree_joint *t = &d->plan->tree[body];
    for (int c = 0; c < t->f; c++) {
        const size_t k = (size_t)t->iu + (size_t)c;
        double Fq[6], Fu[6], x[6];
        force_of(Fq, &d->I[body], d->Aq + 6 * k, d->vq + 6 * k);
        force_of(Fu, &d->I[body], d->Au + 6 * k, d->S + 6 * k);
        clv_wrench_cross(x, d->S + 6 * k, d->W + 6 * (size_t)body);
        clv_add6(Fq, x);
        own_rows(d, body, c, Fq, Fu);
        inboard_rows(d, body, k, Fq, Fu);
    }
}

void clv_derivative_find(clv_derivative *d)
{
    const clv_plan *p = d->plan;
    const size_t n = (size_t)d->n, m = (size_t)d->m;
    memset(d->force_q, 0, n * n * sizeof(double)), memset(d->force_u, 0, n * n * sizeof(double));
    memset(d->row_q, 0, n * m * sizeof(double)), memset(d->row_u, 0, n * m * sizeof(double));
    memset(d->rate_q, 0, n * m * sizeof(double)), memset(d->row, 0, n * m * sizeof(double));
    clv_derivative_begin(d);
    bodies(d);
    for (int i = 0; i < p->nbody; i++)
        clv_derivative_directions(d, p->order[i]);
    for (int i = 0; i < p->nbody; i++)
        forces(d, p->order[i]);
    clv_derivative_pairs(d);
}

void clv_derivative_push(const clv_derivative *d, double *to, int stride, int body, const double W[6])
{
    const clv_plan *p = d->plan;
    for (int b = body; b >= 0; b = p->tree[b].parent)
        for (int c = 0; c < p->tree[b].f; c++)
            to[(p->tree[b].iu + c) * stride] -= clv_dot6(d->S + 6 * ((size_t)p->tree[b].iu + (size_t)c), W);
}

void clv_derivative_mass(const clv_derivative *d, double *M)
{
    const clv_plan *p = d->plan;
    const size_t n = (size_t)d->n;
    memset(M, 0, n * n * sizeof *M);
    for (int body = 0; body < p->nbody; body++)
        for (int c = 0; c < p->tree[body].f; c++)
            for (int b = body; b >= 0; b = p->tree[b].parent)
                for (int i = 0; i < p->tree[b].f; i++) {
                    const size_t k = (size_t)p->tree[body].iu + (size_t)c, r = (size_t)p->tree[b].iu + (size_t)i;
                    M[k * n + r] = M[r * n + k] = clv_dot6(d->S + 6 * r, d->IS + 6 * k);
                }
    for (int i = 0; i < p->narmed; i++) /* rotors (T113) */
        for (int c = 0, b = p->armed[i]; c < p->tree[b].f; c++)
            M[((size_t)p->tree[b].iu + (size_t)c) * (n + 1)] += clv_armature_of(p, b, c);
}

void clv_derivative_point(const clv_derivative *d, int body, const double point[3], double *J)
{
    const clv_plan *p = d->plan;
    const size_t n = (size_t)d->n;
    memset(J, 0, 6 * n * sizeof *J);
    for (int b = body; b >= 0; b = p->tree[b].parent)
        for (int c = 0; c < p->tree[b].f; c++) {
            const size_t k = (size_t)p->tree[b].iu + (size_t)c;
            const double *S = d->S + 6 * k;
            double x[3];
            clv_cross(x, S + 3, point);
            for (size_t i = 0; i < 3; i++)
                J[i * n + k] = S[i] + x[i], J[(3 + i) * n + k] = S[3 + i];
        }
}
