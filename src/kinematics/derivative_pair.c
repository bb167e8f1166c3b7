/* SPDX-License-Identifier: Apache-2.0
 * Derivatives of what acts between two bodies: closings with their multipliers, couplings and loads (T75, T76).  Only
 * directions on the path from one body to the other change their relative motion; a load on one body acts between it
 * and the ground.  Directions outside move both bodies alike, which the tree's formulas contain. */
#include "kinematics/derivative.h"
#include "kinematics/place.h"
#include "math/rotation.h"
#include "model/coupling.h"

/* How the two bodies change along a direction: displacement, change of velocity and of acceleration. */
typedef struct change {
    double xa[6], xb[6], va[6], vb[6], aa[6], ab[6];
    double pa[3], pb[3]; /* of the points of a closing on its bodies, beyond that of the bodies (T112) */
} change;

/* Where the effects of a direction go: forces and rows, `stride` numbers apart. */
typedef struct target {
    double *force, *acceleration, *rate, *violation; /* rate, violation: NULL along rates */
    int stride;
} target;

/* What a pair does, and the change of that. */
typedef struct effect {
    double Wa[6], Wb[6], dWa[6], dWb[6]; /* loads on the bodies                                     */
    double acceleration[6], rate[6], row[6]; /* of its rows: changes; row: velocity of the displacement */
} effect;

typedef struct pair pair;
struct pair {
    clv_derivative *d;
    int a, b;          /* bodies or ground                                     */
    int row, m;        /* first of its rows, and how many                      */
    int edge;          /* of a closing                                         */
    const clv_force *force;
    const clv_input *input;
    double value;      /* of the input                                         */
    const double *term; /* of a coupling: f'(q), f''(q), f'''(q)              */
    void (*find)(const pair *p, const change *x, effect *to);
    clv_jet *H, *D;    /* (36) (36) columns of a closing along the displacement of this direction, or NULL */
    bool again;        /* they are there, and the direction is a rate          */
};

typedef void (*visitor)(const pair *p, void *user);

/* spatial motion of a body or the ground */
static const double *motion(const double *of, int body, const double ground[6])
{
    return body < 0 ? ground : of + 6 * (size_t)body;
}

/* velocity field at a point relative to the origin */
static void field(double y[3], const double V[6], const double r[3])
{
    clv_cross(y, V + 3, r);
    clv_axpy3(y, 1, V);
}

/* ------------------------------------------------------------------ one direction */

static void displaced(const clv_derivative *d, size_t k, bool rate, int body, double x[6], double v[6], double a[6])
{
    const double *S = d->S + 6 * k, *vb = d->v + 6 * (size_t)body, *ab = d->a + 6 * (size_t)body;
    const double *remains = rate ? S : d->vq + 6 * k, *A = rate ? d->Au + 6 * k : d->Aq + 6 * k;
    double y[6], z[6];
    clv_motion_cross(y, remains, vb);
    for (int i = 0; i < 6; i++)
        x[i] = rate ? 0 : S[i], v[i] = remains[i], a[i] = A[i] + y[i];
    if (rate)
        return;
    clv_motion_cross(y, S, vb), clv_motion_cross(z, S, ab);
    for (int i = 0; i < 6; i++)
        v[i] += y[i], a[i] += z[i];
}

/* the part of the change that is left when a body's load is displaced with it */
static void remaining(double to[6], const double x[6], const double W[6], const double dW[6])
{
    clv_wrench_cross(to, x, W);
    for (int i = 0; i < 6; i++)
        to[i] = dW[i] - to[i];
}

static void put_effect(const pair *p, const change *x, const target *to)
{
    effect e = {{0}, {0}, {0}, {0}, {0}, {0}, {0}};
    double W[6];
    p->find(p, x, &e);
    remaining(W, x->xa, e.Wa, e.dWa), clv_derivative_push(p->d, to->force, to->stride, p->a, W);
    remaining(W, x->xb, e.Wb, e.dWb), clv_derivative_push(p->d, to->force, to->stride, p->b, W);
    for (int r = 0; r < p->m; r++) {
        const size_t at = (size_t)(p->row + r) * (size_t)to->stride;
        to->acceleration[at] += e.acceleration[r];
        if (to->rate)
            to->rate[at] += e.rate[r], to->violation[at] += e.row[r];
    }
}

static void along(const pair *p, size_t k, bool rate, bool b_moves)
{
    clv_derivative *d = p->d;
    change x = {{0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}};
    if (b_moves)
        displaced(d, k, rate, p->b, x.xb, x.vb, x.ab);
    else
        displaced(d, k, rate, p->a, x.xa, x.va, x.aa);
    const target to = {.force = (rate ? d->force_u : d->force_q) + k, .acceleration = (rate ? d->row_u : d->row_q) + k,
                       .rate = rate ? NULL : d->rate_q + k, .violation = rate ? NULL : d->row + k, .stride = d->n};
    put_effect(p, &x, &to);
}

static void along_path(const pair *p, void *none)
{
    (void)none;
    const clv_plan *plan = p->d->plan;
    clv_jet H[36], D[36];
    pair x = *p;
    int a = p->a, b = p->b;
    x.H = H, x.D = D;
    while (a != b) {
        const int da = a < 0 ? 0 : p->d->depth[a], db = b < 0 ? 0 : p->d->depth[b];
        int *side = db >= da ? &b : &a;
        const clv_tree_joint *t = &plan->tree[*side];
        for (int c = 0; c < t->f; c++)
            for (int rate = 0; rate < 2; rate++) {
                x.again = rate;
                along(&x, ((size_t)t->iu + (size_t)c), rate, side == &b);
            }
        *side = t->parent;
    }
}

/* ------------------------------------------------------------------ closings */

/* The columns of a closing at b's point, moved to the origin: jets of H and of D. */
static void closing_jets(const pair *p, const change *x, clv_jet H[36], clv_jet D[36])
{
    const clv_derivative *d = p->d;
    const clv_joint *j = &d->plan->model->joint[d->plan->edge[p->edge].joint];
    const clv_joint_place *at = &d->kin->closing[p->edge];
    static const double still[6] = {0};
    double O[3], Oa[3], v[3], va[3], y[3], ya[3], dv[3], dva[3], z[3];
    clv_joint_change by;
    clv_closing_point(d->kin, j, O);
    clv_sub3(Oa, O, at->d);
    clv_sub3(O, O, d->origin), clv_sub3(Oa, Oa, d->origin);
    const double *Vb = motion(d->v, p->b, still), *Va = motion(d->v, p->a, still);
    field(v, Vb, O), field(va, Va, Oa);
    field(y, x->xb, O), field(ya, x->xa, Oa);
    clv_axpy3(y, 1, x->pb), clv_axpy3(ya, 1, x->pa);
    field(dv, x->vb, O), clv_cross(z, Vb + 3, y), clv_axpy3(dv, 1, z);
    field(dva, x->va, Oa), clv_cross(z, Va + 3, ya), clv_axpy3(dva, 1, z);
    clv_copy3(by.a, x->xa + 3), clv_copy3(by.b, x->xb + 3);
    clv_copy3(by.wa, x->va + 3), clv_copy3(by.wb, x->vb + 3);
    clv_sub3(by.d, y, ya), clv_sub3(by.dv, dv, dva);
    clv_joint_jets(j, at, &by, H, D);
    clv_jet point[3];
    for (int i = 0; i < 3; i++)
        point[i] = (clv_jet){O[i], v[i], y[i], dv[i]};
    for (int r = 0; clv_holds_point(j->kind) && r < 3; r++)
        for (int i = 0; i < 6; i++)
            D[6 * r + i] = (clv_jet){i == r, 0, 0, 0};
    for (int side = 0; side < 2; side++)
        for (int c = 0; c < 6; c++) { /* moment about the origin, of wrenches */
            clv_jet *column = (side ? D : H) + 6 * c, moment[3];
            clv_jet_cross(moment, point, column);
            for (int i = 0; i < 3; i++)
                column[3 + i] = clv_jet_sum(column[3 + i], moment[i]);
        }
}

/* Columns H and D along x.  Along a rate they stay, and their rates change as the columns do along the displacement of
 * the same direction, for which they have been found before. */
static void columns_along(const pair *p, const change *x, clv_jet H[36], clv_jet D[36])
{
    if (!p->again) {
        memset(H, 0, 36 * sizeof *H), memset(D, 0, 36 * sizeof *D);
        closing_jets(p, x, H, D);
        if (p->H)
            memcpy(p->H, H, 36 * sizeof *H), memcpy(p->D, D, 36 * sizeof *D);
        return;
    }
    for (int i = 0; i < 36; i++) {
        H[i] = (clv_jet){p->H[i].x, p->H[i].t, 0, p->H[i].s};
        D[i] = (clv_jet){p->D[i].x, p->D[i].t, 0, p->D[i].s};
    }
}

/* change of the relative motion of the bodies, and the motion */
typedef struct relative {
    double v[6], a[6], x[6], dv[6], da[6];
} relative;

static relative relative_of(const pair *p, const change *x)
{
    const clv_derivative *d = p->d;
    static const double still[6] = {0};
    const double *Vb = motion(d->v, p->b, still), *Va = motion(d->v, p->a, still);
    const double *Ab = motion(d->a, p->b, d->ground), *Aa = motion(d->a, p->a, d->ground);
    relative r;
    for (int i = 0; i < 6; i++) {
        r.v[i] = Vb[i] - Va[i], r.a[i] = Ab[i] - Aa[i];
        r.x[i] = x->xb[i] - x->xa[i], r.dv[i] = x->vb[i] - x->va[i], r.da[i] = x->ab[i] - x->aa[i];
    }
    for (int i = 0; i < 3; i++)
        r.x[i] += x->pb[i] - x->pa[i];
    return r;
}

/* adds what a row with this column does; lambda: its multiplier */
static void put_row(effect *to, int r, const clv_jet D[6], const relative *y, double lambda)
{
    for (int i = 0; i < 6; i++) {
        const double W = lambda * D[i].x, dW = lambda * D[i].s;
        to->Wb[i] += W, to->dWb[i] += dW, to->Wa[i] -= W, to->dWa[i] -= dW;
        to->acceleration[r] += D[i].s * y->a[i] + D[i].x * y->da[i] + D[i].ts * y->v[i] + D[i].t * y->dv[i];
        to->rate[r] += D[i].s * y->v[i] + D[i].x * y->dv[i];
        to->row[r] += D[i].x * y->x[i];
    }
}

/* G of a joint in H: H / |H|^2 of one direction; axes of two are at right angles where loops are closed */
static void dual(clv_jet *H, const clv_joint *j)
{
    if (clv_joint_table[j->kind].nu != 1)
        return;
    const double square = j->kind == CLV_JOINT_HELICAL ? 1 + j->pitch * j->pitch : 1;
    for (int i = 0; i < 6; i++)
        H[i] = clv_jet_scaled(1 / square, H[i]);
}

static void put_drives(const pair *p, const clv_joint *j, int joint, const clv_jet *G, const relative *y, effect *to)
{
    const clv_derivative *d = p->d;
    for (int c = 0; c < clv_joint_table[j->kind].nu; c++) {
        const size_t at = 6 * (size_t)joint + (size_t)c;
        const double tau = d->loads->tau ? d->loads->tau[at] : 0;
        double dq = 0, du = 0;
        for (int i = 0; i < 6; i++) {
            const clv_jet *g = &G[6 * c + i];
            dq += g->x * y->x[i], du += g->s * y->v[i] + g->x * y->dv[i];
        }
        const double more = d->slope[2 * at] * dq + d->slope[2 * at + 1] * du;
        for (int i = 0; i < 6; i++) {
            const clv_jet *g = &G[6 * c + i];
            const double W = tau * g->x, dW = tau * g->s + more * g->x;
            to->Wb[i] += W, to->dWb[i] += dW, to->Wa[i] -= W, to->dWa[i] -= dW;
        }
    }
}

static void closing(const pair *p, const change *x, effect *to)
{
    const clv_derivative *d = p->d;
    const clv_edge *e = &d->plan->edge[p->edge];
    const clv_joint *j = &d->plan->model->joint[e->joint];
    clv_jet H[36], D[36];
    const relative y = relative_of(p, x);
    columns_along(p, x, H, D);
    dual(H, j);
    if (e->motion >= 0)
        memcpy(D + 6 * (e->m - 1), H, 6 * sizeof *D);
    for (int r = 0; r < e->m; r++)
        put_row(to, r, D + 6 * r, &y, d->lambda[e->row + r]);
    put_drives(p, j, e->joint, H, &y, to);
}

/* f'(q) of the coordinate of a closing joint with the dual G */
static clv_jet term_slope(const double f[3], const clv_jet G[6], const relative *y)
{
    clv_jet q = {0, 0, 0, 0};
    for (int i = 0; i < 6; i++) {
        q.t += G[i].x * y->v[i], q.s += G[i].x * y->x[i];
        q.ts += G[i].s * y->v[i] + G[i].x * y->dv[i];
    }
    return clv_jet_of(q, f[0], f[1], f[2]);
}

/* the part of a coupling that a closing joint has */
static void coupled(const pair *p, const change *x, effect *to)
{
    const clv_derivative *d = p->d;
    clv_jet H[36], D[36];
    const relative y = relative_of(p, x);
    columns_along(p, x, H, D);
    dual(H, &d->plan->model->joint[d->plan->edge[p->edge].joint]);
    const clv_jet slope = term_slope(p->term, H, &y);
    for (int i = 0; i < 6; i++)
        H[i] = clv_jet_times(slope, H[i]);
    put_row(to, 0, H, &y, d->lambda[p->row]);
}

/* The row along the rate of a tree joint is f'(q), and its pair of wrenches moves with the joint (T75.2). */
static void couple_tree(clv_derivative *d, const clv_edge *e, int body, const double f[3])
{
    const size_t n = (size_t)d->n, k = (size_t)d->plan->tree[body].iu, at = (size_t)e->row * n + k;
    const double u = d->kin->u[6 * (size_t)body];
    d->row[at] += f[0];
    d->rate_q[at] += f[1] * u;
    d->row_q[at] += f[1] * d->ud[k] + f[2] * u * u, d->row_u[at] += 2 * f[1] * u;
    d->force_q[k * n + k] -= f[1] * d->lambda[e->row];
}

static void couple(clv_derivative *d, const clv_edge *e, const clv_coupling *c, int i, visitor visit, void *user)
{
    const clv_plan *p = d->plan;
    const int joint = c->term[i].joint, child = p->child_of_joint[joint];
    const double q = clv_coupling_curved(c, i) ? clv_kinematics_coordinate(d->kin, joint) : 0;
    double f[4];
    clv_coupling_term_at(c, i, q, f);
    f[3] = clv_coupling_third_at(c, i, q);
    if (child < 0) {
        const clv_joint *j = &p->model->joint[joint];
        const pair x = {.d = d, .a = j->a, .b = j->b, .row = e->row, .m = 1, .edge = p->edge_of_joint[joint],
                        .term = f + 1, .find = coupled};
        visit(&x, user);
    } else if (p->tree[child].f > 0 && visit == along_path) {
        couple_tree(d, e, child, f + 1);
    }
}

static void closings(clv_derivative *d, visitor visit, void *user)
{
    const clv_plan *p = d->plan;
    for (int k = 0; k < p->nedge; k++) {
        const clv_edge *e = &p->edge[k];
        if (!clv_edge_closes(e))
            continue;
        if (e->joint >= 0) {
            const clv_joint *j = &p->model->joint[e->joint];
            const pair x = {.d = d, .a = j->a, .b = j->b, .row = e->row, .m = e->m, .edge = k, .find = closing};
            visit(&x, user);
            continue;
        }
        const clv_coupling *c = &p->model->coupling[e->coupling];
        for (int i = 0; i < c->nterm; i++)
            couple(d, e, c, i, visit, user);
    }
}

/* ------------------------------------------------------------------ loads */

/* displacement and change of velocity of the centre of mass, out of spatial ones */
static void of_centre(const clv_derivative *d, int body, const double x[6], const double v[6], double shift[6],
                      double rate[6], double r[3])
{
    double y[3];
    if (body < 0)
        return;
    clv_sub3(r, d->kin->com + 3 * (size_t)body, d->origin);
    memcpy(shift, x, 6 * sizeof *shift), memcpy(rate, v, 6 * sizeof *rate);
    field(shift, x, r), field(rate, v, r);
    clv_cross(y, d->v + 6 * (size_t)body + 3, shift), clv_axpy3(rate, 1, y);
}

/* a wrench about the centre of mass at r, which moves by dr: about the origin */
static void to_origin(const double r[3], const double dr[3], const double W[6], const double dW[6], double to[6],
                      double dto[6])
{
    double y[3];
    clv_wrench_shift(to, r, W), clv_wrench_shift(dto, r, dW);
    clv_cross(y, dr, W), clv_axpy3(dto + 3, 1, y);
}

static void load(const pair *p, const change *x, effect *to)
{
    const clv_derivative *d = p->d;
    clv_load_change by = {{0}, {0}, {0}, {0}};
    clv_load_pair f = {{0}, {0}, {0}, {0}};
    double ra[3] = {0}, rb[3] = {0};
    of_centre(d, p->a, x->xa, x->va, by.a, by.va, ra);
    of_centre(d, p->b, x->xb, x->vb, by.b, by.vb, rb);
    if (p->force)
        clv_force_table[p->force->kind].derive(p->force, d->loads, &by, &f);
    else
        clv_input_derive(p->input, p->value, d->loads, &by, &f);
    to_origin(ra, by.a, f.Wa, f.dWa, to->Wa, to->dWa);
    to_origin(rb, by.b, f.Wb, f.dWb, to->Wb, to->dWb);
}

static void joint_slopes(clv_derivative *d)
{
    const clv_model *m = d->plan->model;
    memset(d->slope, 0, 12 * (size_t)m->njoint * sizeof(double));
    for (int i = 0; i < m->nforce; i++) {
        const clv_force *f = &m->force[i];
        const size_t at = 6 * (size_t)f->joint + (size_t)f->coordinate;
        double place, rate;
        if (f->kind != CLV_FORCE_JOINT)
            continue;
        clv_force_slopes(f, d->loads->time, d->loads->q[7 * (size_t)f->joint + (size_t)f->coordinate],
                         d->loads->u[at], &place, &rate);
        d->slope[2 * at] += place, d->slope[2 * at + 1] += rate;
    }
}

/* Loads of tree joints act on their own direction alone. */
static void tree_slopes(clv_derivative *d)
{
    const clv_plan *p = d->plan;
    for (int b = 0; b < p->nbody; b++)
        for (int c = 0; p->tree[b].joint >= 0 && c < p->tree[b].f; c++) {
            const size_t at = 6 * (size_t)p->tree[b].joint + (size_t)c, k = (size_t)p->tree[b].iu + (size_t)c;
            d->force_q[k * (size_t)d->n + k] -= d->slope[2 * at];
            d->force_u[k * (size_t)d->n + k] -= d->slope[2 * at + 1];
        }
}

static void loads(clv_derivative *d, visitor visit, void *user)
{
    const clv_model *m = d->plan->model;
    for (int i = 0; i < m->nforce; i++) {
        const clv_force *f = &m->force[i];
        const bool one = f->kind == CLV_FORCE_POINT || f->kind == CLV_FORCE_TORQUE;
        const pair x = {.d = d, .a = one ? -1 : f->a, .b = f->b, .force = f, .find = load};
        if (clv_force_table[f->kind].derive)
            visit(&x, user);
    }
    for (int i = 0; i < m->ninput; i++) {
        const clv_input *s = &m->input[i];
        const pair x = {.d = d, .a = -1, .b = s->body, .input = s, .find = load,
                        .value = d->loads->input ? d->loads->input[i] : s->value};
        if ((s->kind == CLV_INPUT_FORCE || s->kind == CLV_INPUT_TORQUE) && x.value != 0)
            visit(&x, user);
    }
}

void clv_derivative_pairs(clv_derivative *d)
{
    joint_slopes(d);
    tree_slopes(d);
    loads(d, along_path, NULL);
    closings(d, along_path, NULL);
}

/* ------------------------------------------------------------------ points of joints (T112) */

typedef struct offset {
    const clv_derivative_offset *of;
    target to;
} offset;

static void displaced_by(const clv_derivative *d, const clv_derivative_offset *g, int body, double x[6], double v[6],
                         double a[6])
{
    const double *vb = d->v + 6 * (size_t)body, *ab = d->a + 6 * (size_t)body;
    double y[6], z[6], r[6];
    clv_motion_cross(y, g->S, vb), clv_motion_cross(z, g->S, ab), clv_motion_cross(r, g->v, vb);
    for (int i = 0; i < 6; i++)
        x[i] = g->S[i], v[i] = g->v[i] + y[i], a[i] = g->A[i] + r[i] + z[i];
}

static void along_offset(const pair *p, void *user)
{
    const offset *s = user;
    const clv_derivative *d = p->d;
    const bool of_pair = !p->force && !p->input && d->plan->edge[p->edge].joint == s->of->joint;
    change x = {{0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}};
    if (s->of->child < 0) {
        if (!of_pair)
            return;
        clv_copy3(s->of->on_b ? x.pb : x.pa, s->of->S);
        put_effect(p, &x, &s->to);
        return;
    }
    const bool a = clv_derivative_outboard(d, p->a, s->of->child), b = clv_derivative_outboard(d, p->b, s->of->child);
    if (a == b)
        return;
    if (b)
        displaced_by(d, s->of, p->b, x.xb, x.vb, x.ab);
    else
        displaced_by(d, s->of, p->a, x.xa, x.va, x.aa);
    put_effect(p, &x, &s->to);
}

void clv_derivative_pairs_by_offset(clv_derivative *d, const clv_derivative_offset *g, double *force,
                                  double *acceleration, double *rate, double *violation)
{
    offset s = {.of = g, .to = {force, acceleration, rate, violation, 1}};
    loads(d, along_offset, &s);
    closings(d, along_offset, &s);
}
