/* SPDX-License-Identifier: Apache-2.0
 * What acts between two bodies, for products with cotangents (T124.3).  It changes with the relative motion of its
 * bodies alone, so six displacements and six changes of velocity of one of them give the cotangent of both. */
#include "kinematics/derivative_pair.h"
#include <string.h>

/* What cotangents are taken of. */
typedef struct backward {
    const double *v, *field, *eta; /* (n) (nbody x 6) (m)   */
    double *x, *u;                 /* (n) (n)               */
} backward;

/* of one body: displacement, change of velocity, of acceleration, about the origin */
typedef struct gradient {
    double x[6], v[6], a[6];
} gradient;

/* z.S = D.(S x* W) for all S */
static void add_displaced(double z[6], const double D[6], const double W[6])
{
    double x[3];
    clv_cross(x, W, D + 3), clv_axpy3(z, 1, x);
    clv_cross(x, W, D), clv_axpy3(z + 3, 1, x);
    clv_cross(x, W + 3, D + 3), clv_axpy3(z + 3, 1, x);
}

/* to what remains of changes (T74.2): x = S, v = v' + S x v_i, a = A' + v' x v_i + S x a_i; the other body gets the
 * reverse */
static void put(clv_derivative *d, int moves, int other, const gradient *g)
{
    const double *v = d->v + 6 * (size_t)moves, *a = d->a + 6 * (size_t)moves;
    clv_cotangent *to = &d->back[moves];
    double S[6], V[6], y[6];
    clv_wrench_cross(V, v, g->a), clv_add6(V, g->v);
    clv_wrench_cross(S, v, g->v), clv_wrench_cross(y, a, g->a);
    clv_add6(S, y), clv_add6(S, g->x);
    clv_add6(to->S, S), clv_add6(to->v, V), clv_add6(to->A, g->a);
    for (int i = 0; other >= 0 && i < 6; i++) {
        d->back[other].S[i] -= S[i], d->back[other].v[i] -= V[i];
        d->back[other].A[i] -= g->a[i];
    }
}

static double along(const backward *b, int body, const double W[6])
{
    return body < 0 ? 0 : clv_dot6(b->field + 6 * (size_t)body, W);
}

/* ------------------------------------------------------------------ loads */

static void load_back(const clv_acting *p, void *user)
{
    const backward *b = user;
    const bool b_moves = p->b >= 0;
    const int moves = b_moves ? p->b : p->a;
    gradient g = {{0}, {0}, {0}};
    if (p->a == p->b)
        return;
    for (int i = 0; i < 12; i++) {
        clv_acting_change x = {{0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}};
        clv_acting_effect e = {{0}, {0}, {0}, {0}, {0}, {0}, {0}};
        double *to = i < 6 ? (b_moves ? x.xb : x.xa) : (b_moves ? x.vb : x.va);
        to[i % 6] = 1;
        p->find(p, &x, &e);
        (i < 6 ? g.x : g.v)[i % 6] -= along(b, p->a, e.dWa) + along(b, p->b, e.dWb);
        if (i == 0)
            add_displaced(g.x, b->field + 6 * (size_t)moves, b_moves ? e.Wb : e.Wa);
    }
    put(p->d, moves, b_moves ? p->a : p->b, &g);
}

/* ------------------------------------------------------------------ closings */

/* Numbers of a closing that do not depend on the displacement. */
typedef struct closing_room {
    clv_acting_motion at;  /* relative motion of the state            */
    double delta[6];       /* that by v                               */
    double W[6];           /* wrench on b                             */
} closing_room;

/* sums over the rows of what a displacement e changes, and of a change of velocity e */
static void rows_along(const clv_acting *p, const backward *b, const clv_jet *D, int e, const closing_room *r,
                       gradient *g, clv_closing_part *part)
{
    for (int k = 0; k < p->m; k++) {
        const double eta = b->eta[p->row + k], lambda = p->d->lambda[p->row + k];
        double change = 0, rate = 0, speed = 0;
        for (int i = 0; i < 6; i++) {
            const clv_jet *y = &D[6 * k + i];
            change += y->s * (eta * r->at.a[i] - lambda * r->delta[i]) + y->ts * (eta * r->at.v[i]);
            rate += y->s * r->at.v[i];
        }
        speed = part->sign * D[6 * k + e].t + rate;
        g->x[e] += change, g->v[e] += eta * speed;
        part->rate[6 * k + e] = rate;
    }
}

/* the same of loads along its coordinates: adds to *g; y: with the change */
static void drives_moved(const clv_acting *p, const clv_jet *G, const clv_acting_motion *y, const closing_room *r,
                         double *g)
{
    const clv_derivative *d = p->d;
    const int joint = d->plan->edge[p->edge].joint;
    for (int c = 0; c < clv_joint_table[d->plan->model->joint[joint].kind].nu; c++) {
        const size_t at = 6 * (size_t)joint + (size_t)c;
        const double tau = d->loads->tau ? d->loads->tau[at] : 0;
        double turned = 0, rate = 0, work = 0, moved = 0;
        for (int i = 0; i < 6; i++) {
            const clv_jet *z = &G[6 * c + i];
            turned += z->s * r->delta[i], rate += z->s * y->v[i] + z->x * y->dv[i], work += z->x * r->delta[i];
            moved += z->x * y->x[i];
        }
        *g -= tau * turned + work * (d->slope[2 * at] * moved + d->slope[2 * at + 1] * rate);
    }
}

/* of a change of velocity along e */
static void drives_pushed(const clv_acting *p, const clv_jet *G, int e, const closing_room *r, double sign, double *g)
{
    const clv_derivative *d = p->d;
    const int joint = d->plan->edge[p->edge].joint;
    for (int c = 0; c < clv_joint_table[d->plan->model->joint[joint].kind].nu; c++) {
        double work = 0;
        for (int i = 0; i < 6; i++)
            work += G[6 * c + i].x * r->delta[i];
        *g -= work * d->slope[2 * (6 * (size_t)joint + (size_t)c) + 1] * sign * G[6 * c + e].x;
    }
}

/* delta of b less that of a */
static void relative_field(const clv_acting *p, const backward *b, double delta[6])
{
    for (size_t i = 0; i < 6; i++)
        delta[i] = (p->b < 0 ? 0 : b->field[6 * (size_t)p->b + i]) - (p->a < 0 ? 0 : b->field[6 * (size_t)p->a + i]);
}

/* what does not depend on the displacement, out of the jets of any */
static void closing_values(const clv_acting *p, const backward *b, const clv_jet *G, const clv_jet *D, closing_room *r,
                           gradient *g, clv_closing_part *part)
{
    const clv_derivative *d = p->d;
    const int joint = d->plan->edge[p->edge].joint;
    memset(r->W, 0, sizeof r->W);
    for (int k = 0; k < p->m; k++)
        for (int i = 0; i < 6; i++) {
            const double x = D[6 * k + i].x;
            part->D[6 * k + i] = x;
            r->W[i] += d->lambda[p->row + k] * x;
            g->a[i] += part->sign * b->eta[p->row + k] * x;
            d->held[6 * (size_t)part->moves + (size_t)i] += part->sign * d->lambda[p->row + k] * x;
            if (part->other >= 0)
                d->held[6 * (size_t)part->other + (size_t)i] -= part->sign * d->lambda[p->row + k] * x;
        }
    for (int c = 0; !p->term && d->loads->tau && c < clv_joint_table[d->plan->model->joint[joint].kind].nu; c++)
        for (int i = 0; i < 6; i++)
            r->W[i] += d->loads->tau[6 * (size_t)joint + (size_t)c] * G[6 * c + i].x;
    for (int i = 0; i < 6; i++)
        r->W[i] *= part->sign; /* on the body that moves */
}

/* Do loads act along the coordinates of the joint? */
static bool is_driven(const clv_derivative *d, int joint)
{
    bool any = false;
    for (int c = 0; c < clv_joint_table[d->plan->model->joint[joint].kind].nu; c++) {
        const size_t at = 6 * (size_t)joint + (size_t)c;
        any |= (d->loads->tau && d->loads->tau[at] != 0) || d->slope[2 * at] != 0 || d->slope[2 * at + 1] != 0;
    }
    return any;
}

/* to += factor (a x b) */
static void add_cross(double to[3], double factor, const double a[3], const double b[3])
{
    double y[3];
    clv_cross(y, a, b), clv_axpy3(to, factor, y);
}

/* What the rows give to the point of a, out of what they give to translations of b and their rates (T124.6). */
static void inboard_point(const clv_acting *p, const backward *b, const clv_jet *D, const closing_room *r,
                          clv_closing_part *part)
{
    const double *w = part->w, *omega = p->d->v + 6 * (size_t)p->b + 3;
    double slope[3] = {0, 0, 0};
    clv_copy3(part->w, r->at.v + 3);
    for (int i = 0; i < 3; i++)
        part->inboard[i] = -part->point[i];
    for (int k = 0; k < p->m; k++) {
        const double eta = b->eta[p->row + k], lambda = p->d->lambda[p->row + k];
        double l[3], lt[3], q[3], y[3];
        for (int i = 0; i < 3; i++) {
            l[i] = D[6 * k + i].x, lt[i] = D[6 * k + i].t;
            q[i] = eta * r->at.a[3 + i] - lambda * r->delta[3 + i];
            slope[i] += eta * part->rate[6 * k + i];
        }
        add_cross(part->inboard, 1, l, q), add_cross(part->inboard, eta, lt, w);
        clv_cross(y, l, w);
        clv_axpy3(slope, -eta, y), add_cross(part->inboard, eta, y, omega);
    }
    add_cross(part->inboard, 1, slope, w);
}

static void closing_back(const clv_acting *p, void *user)
{
    static const clv_acting_change none;
    const backward *b = user;
    clv_derivative *d = p->d;
    const bool b_moves = p->b >= 0;
    clv_closing_part *part = &d->part[d->npart++];
    closing_room r = {.at = clv_acting_motion_of(p, &none)};
    gradient g = {{0}, {0}, {0}};
    clv_jet last[36];
    part->moves = b_moves ? p->b : p->a, part->other = b_moves ? p->a : p->b;
    part->edge = p->edge, part->row = p->row, part->m = p->m, part->sign = b_moves ? 1 : -1;
    relative_field(p, b, r.delta);
    for (int e = 0; e < 6; e++) {
        clv_acting_change x = none;
        clv_jet G[36], *D = last;
        (b_moves ? x.xb : x.xa)[e] = 1;
        const clv_acting_motion y = clv_acting_motion_of(p, &x);
        clv_acting_rows(p, &x, &y, G, D);
        if (e == 0)
            closing_values(p, b, G, D, &r, &g, part);
        rows_along(p, b, D, e, &r, &g, part);
        if (!p->term)
            drives_moved(p, G, &y, &r, &g.x[e]), drives_pushed(p, G, e, &r, part->sign, &g.v[e]);
    }
    clv_copy3(part->point, g.x);
    part->plain = b_moves && !p->term && !is_driven(d, d->plan->edge[p->edge].joint);
    if (part->plain)
        inboard_point(p, b, last, &r, part);
    add_displaced(g.x, b->field + 6 * (size_t)part->moves, r.W);
    put(d, part->moves, part->other, &g);
}

/* the term of a coupling along the rate of a tree joint (T75.2) */
static void term_back(clv_derivative *d, const clv_edge *e, int child, const double f[3], void *user)
{
    const backward *b = user;
    const size_t k = (size_t)d->plan->tree[child].iu;
    const double u = *clv_kinematics_u(d->kin, (size_t)child), eta = b->eta[e->row];
    b->x[k] += eta * (f[1] * d->ud[k] + f[2] * u * u) - b->v[k] * f[1] * d->lambda[e->row];
    b->u[k] += eta * 2 * f[1] * u;
}

/* ------------------------------------------------------------------ points of closings (T112) */

typedef struct point_of {
    const clv_number *number;
    const double *field, *eta, *mu_u, *mu_x;
    double *g;
} point_of;

static void point_back(const clv_acting *p, void *user)
{
    static const clv_acting_change none;
    const point_of *to = user;
    const clv_derivative *d = p->d;
    const clv_joint *j = &d->plan->model->joint[to->number->item];
    const bool on_b = to->number->kind == CLV_NUMBER_POINT_B;
    const int body = on_b ? j->b : j->a;
    const backward b = {.field = to->field, .eta = to->eta};
    closing_room r = {.at = clv_acting_motion_of(p, &none)};
    if (d->plan->edge[p->edge].joint != to->number->item)
        return;
    relative_field(p, &b, r.delta);
    for (int c = 0; c < 3; c++) {
        clv_acting_change x = none;
        clv_closing_part part = {.sign = 1};
        gradient g = {{0}, {0}, {0}};
        clv_jet G[36], D[36];
        double *e = on_b ? x.pb : x.pa;
        e[c] = 1;
        if (body >= 0)
            clv_mat3_column(e, d->kin->R + 9 * (size_t)body, c);
        const clv_acting_motion y = clv_acting_motion_of(p, &x);
        clv_acting_rows(p, &x, &y, G, D);
        rows_along(p, &b, D, 0, &r, &g, &part);
        if (!p->term)
            drives_moved(p, G, &y, &r, &g.x[0]);
        for (int k = 0; k < p->m; k++) {
            g.x[0] += to->mu_u[p->row + k] * part.rate[6 * k];
            for (int i = 0; i < 3; i++)
                g.x[0] += to->mu_x[p->row + k] * D[6 * k + i].x * y.x[i];
        }
        to->g[c] += g.x[0];
    }
}

/* A point on the body that moves goes as that body does in a translation; the other one with the numbers of
 * inboard_point.  In the axes of its body. */
static void point_of_part(const clv_derivative *d, const clv_closing_part *part, int body, const double *mu_u,
                          const double *mu_x, double to[3])
{
    const bool moves = body == part->moves;
    double g[3], y[3] = {0, 0, 0};
    clv_copy3(g, moves ? part->point : part->inboard);
    for (int k = 0; k < part->m; k++) {
        const double u = (moves ? 1 : -1) * mu_u[part->row + k],
                     x = (moves ? 1 : -1) * part->sign * mu_x[part->row + k];
        if (!moves)
            clv_cross(y, part->D + 6 * k, part->w);
        for (int i = 0; i < 3; i++)
            g[i] += u * (part->rate[6 * k + i] - y[i]) + x * part->D[6 * k + i];
    }
    if (body < 0)
        clv_copy3(y, g);
    else
        clv_mat3_transpose_times(y, d->kin->R + 9 * (size_t)body, g);
    clv_axpy3(to, 1, y);
}

void clv_derivative_closing_point_along(clv_derivative *d, const clv_number *x, const double *field, const double *eta,
                                        const double *mu_u, const double *mu_x, double g[3])
{
    point_of to = {x, field, eta, mu_u, mu_x, g};
    const clv_joint *j = &d->plan->model->joint[x->item];
    const int body = x->kind == CLV_NUMBER_POINT_B ? j->b : j->a;
    bool known = true;
    for (int i = 0; i < d->npart; i++)
        if (d->plan->edge[d->part[i].edge].joint == x->item)
            known = known && (d->part[i].plain || d->part[i].moves == body);
    memset(g, 0, 3 * sizeof *g);
    for (int i = 0; i < d->npart && known; i++)
        if (d->plan->edge[d->part[i].edge].joint == x->item)
            point_of_part(d, &d->part[i], body, mu_u, mu_x, g);
    if (!known)
        clv_acting_closings(d, point_back, NULL, &to);
}

/* ------------------------------------------------------------------ all */

static void slopes_back(const clv_derivative *d, const backward *b)
{
    const clv_plan *p = d->plan;
    for (int i = 0; i < p->nbody; i++)
        for (int c = 0; p->tree[i].joint >= 0 && c < p->tree[i].f; c++) {
            const size_t at = 6 * (size_t)p->tree[i].joint + (size_t)c, k = (size_t)p->tree[i].iu + (size_t)c;
            b->x[k] -= b->v[k] * d->slope[2 * at], b->u[k] -= b->v[k] * d->slope[2 * at + 1];
        }
}

void clv_derivative_pairs_back(clv_derivative *d, const double *v, const double *field, const double *eta, double *x,
                               double *u)
{
    backward b = {v, field, eta, x, u};
    memset(d->held, 0, 6 * (size_t)d->plan->nbody * sizeof *d->held);
    d->npart = 0;
    clv_acting_slopes(d);
    slopes_back(d, &b);
    clv_acting_loads(d, load_back, &b);
    clv_acting_closings(d, closing_back, term_back, &b);
}
