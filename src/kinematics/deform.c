/* SPDX-License-Identifier: Apache-2.0
 * Flexible bodies in motion (T30, T31): poses of nodes, mode columns and their rates, mass at the present deformation,
 * and the terms that velocities and deformations add to the equations of motion.  Integrals are taken in body axes
 * about the frame's reference point. */
#include "kinematics/deform.h"
#include "kinematics/place.h"
#include "math/turn.h"

void clv_deform_layout(clv_kinematics *k, const clv_plan *p, clv_arena *a)
{
    CLV_TAKE(a, k->eta, p->nmode), CLV_TAKE(a, k->etad, p->nmode);
    CLV_TAKE(a, k->Md, 6 * p->nlink);
    CLV_TAKE(a, k->deformed, p->nstar);
    for (int s = 0; s < p->nstar; s++) {
        size_t n = (size_t)p->star[s].nmode;
        clv_deformed counting, *d = a->base ? &k->deformed[s] : &counting;
        CLV_TAKE(a, d->H, 3 * n), CLV_TAKE(a, d->E, 9 * n);
    }
}

static const clv_flex_node *node_of(const clv_kinematics *k, int body)
{
    const clv_body *b = &k->plan->model->body[body];
    return &k->plan->model->flex[b->flex].node[b->node];
}

/* modal coordinates or rates of a star */
static double *modes_of(const clv_kinematics *k, double *all, int star) { return all + k->plan->star[star].mode; }

/* ------------------------------------------------------------------ poses and mode columns */

void clv_deform_pose(clv_kinematics *k, int body)
{
    const clv_tree_joint *t = &k->plan->tree[body];
    const clv_model *m = k->plan->model;
    size_t frame = (size_t)k->plan->star[t->link].frame, node = (size_t)((int)frame == body ? t->parent : body);
    double at[3], Rn[9], l[3], x[3], *R = k->R + 9 * frame;
    clv_flex_node_pose(&m->flex[t->link], node_of(k, (int)node), modes_of(k, k->eta, t->link), at, Rn, NULL);
    clv_sub3(l, at, m->body[frame].com);
    if ((int)frame == body) { /* the tree enters at the node: its origin is its centre of mass */
        clv_mat3_product_transpose(R, k->R + 9 * node, Rn);
        clv_mat3_times(x, R, l);
        clv_sub3(k->com + 3 * frame, k->com + 3 * node, x);
        clv_copy3(k->ref + 3 * frame, k->com + 3 * frame);
    } else {
        clv_mat3_product(k->R + 9 * node, R, Rn);
        clv_mat3_times(x, R, l);
        clv_copy3(k->com + 3 * node, k->com + 3 * frame);
        clv_axpy3(k->com + 3 * node, 1.0, x);
        clv_copy3(k->ref + 3 * node, k->com + 3 * node);
    }
    clv_sub3(k->arm + 3 * (size_t)body, k->ref + 3 * (size_t)body, k->ref + 3 * (size_t)t->parent);
}

/* column of a node's motion at its origin per unit of a modal rate, global axes; its turn is T phi^r */
static void node_column(const double *R, const double T[9], const double *shape, double column[6])
{
    double turn[3];
    clv_mat3_times(column, R, shape);
    clv_mat3_times(turn, T, shape + 3);
    clv_mat3_times(column + 3, R, turn);
}

/* theta and its rate of a node */
static void turn_of(const clv_kinematics *k, int star, const clv_flex_node *node, double theta[3], double thetad[3])
{
    memset(theta, 0, 3 * sizeof(double)), memset(thetad, 0, 3 * sizeof(double));
    for (int m = 0; m < k->plan->star[star].nmode; m++) {
        clv_axpy3(theta, modes_of(k, k->eta, star)[m], node->shape + 6 * (size_t)m + 3);
        clv_axpy3(thetad, modes_of(k, k->etad, star)[m], node->shape + 6 * (size_t)m + 3);
    }
}

/* link to a node: M = Phi at its origin; to the frame: M = -Phi of the entry, at the frame's reference point */
static void fill_columns(clv_kinematics *k, int body)
{
    int star = k->plan->tree[body].link, frame = k->plan->star[star].frame;
    int node = body == frame ? k->plan->tree[body].parent : body;
    const clv_flex_node *n = node_of(k, node);
    const double *R = k->R + 9 * (size_t)frame;
    double theta[3], unused[3], T[9], d[3], *M = k->engine->modes + clv_modes(k->plan, (size_t)body);
    turn_of(k, star, n, theta, unused);
    clv_turn_jacobian(T, theta);
    clv_sub3(d, k->ref + 3 * (size_t)frame, k->com + 3 * (size_t)node);
    for (int m = 0; m < k->plan->star[star].nmode; m++) {
        double column[6];
        node_column(R, T, n->shape + 6 * (size_t)m, column);
        if (body == frame)
            clv_motion_shift(column, d, column);
        for (int i = 0; i < 6; i++)
            M[6 * m + i] = body == frame ? -column[i] : column[i];
    }
}

void clv_deform_rates(clv_kinematics *k, int body)
{
    int star = k->plan->tree[body].link, frame = k->plan->star[star].frame;
    int node = body == frame ? k->plan->tree[body].parent : body;
    const clv_flex_node *n = node_of(k, node);
    const double *R = k->R + 9 * (size_t)frame, *w = k->V + 6 * (size_t)frame + 3;
    double theta[3], thetad[3], T[9], Td[9], d[3], dd[3], v[3], *Md = k->Md + clv_modes(k->plan, (size_t)body);
    turn_of(k, star, n, theta, thetad);
    clv_turn_jacobian(T, theta), clv_turn_jacobian_rate(Td, theta, thetad);
    clv_sub3(d, k->ref + 3 * (size_t)frame, k->com + 3 * (size_t)node);
    clv_point_velocity(k, node, k->com + 3 * (size_t)node, v);
    clv_sub3(dd, k->V + 6 * (size_t)frame, v);
    for (int m = 0; m < k->plan->star[star].nmode; m++) {
        const double *shape = n->shape + 6 * (size_t)m;
        double column[6], rate[6], turn[3], x[3];
        node_column(R, T, shape, column);
        clv_cross(rate, w, column), clv_cross(rate + 3, w, column + 3);
        clv_mat3_times(turn, Td, shape + 3);
        clv_mat3_times(x, R, turn);
        clv_axpy3(rate + 3, 1.0, x);
        if (body == frame) {
            clv_motion_shift(rate, d, rate);
            clv_cross(x, column + 3, dd);
            clv_axpy3(rate, 1.0, x);
        }
        for (int i = 0; i < 6; i++)
            Md[6 * m + i] = body == frame ? -rate[i] : rate[i];
    }
}

void clv_deform_add_velocity(const clv_kinematics *k, int body, double V[6])
{
    int star = k->plan->tree[body].link;
    if (star < 0)
        return;
    const double *M = k->engine->modes + clv_modes(k->plan, (size_t)body), *rate = modes_of(k, k->etad, star);
    for (int m = 0; m < k->plan->star[star].nmode; m++)
        for (int i = 0; i < 6; i++)
            V[i] += M[6 * m + i] * rate[m];
}

/* ------------------------------------------------------------------ mass at the present deformation */

/* point of the undeformed frame that is its reference point, body axes */
static void reference(const clv_plan *p, int frame, double rho[3])
{
    const clv_tree_joint *t = &p->tree[frame];
    const double *at = p->model->body[frame].com;
    if (t->joint >= 0)
        at = t->reversed ? p->model->joint[t->joint].pa : p->model->joint[t->joint].pb;
    clv_copy3(rho, at);
}

/* M += f (2 tr(E) 1 - E - E^T) */
static void add_turned(double M[9], double f, const double E[9])
{
    double trace = E[0] + E[4] + E[8];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            M[3 * i + j] += f * ((i == j ? 2 * trace : 0.0) - E[3 * i + j] - E[3 * j + i]);
}

/* integral of phi_l cross phi_k from B_lk */
static void modal_cross(double b[3], const double B[9])
{
    b[0] = B[5] - B[7], b[1] = B[6] - B[2], b[2] = B[1] - B[3];
}

/* H_k = integral of s cross phi_k, E_k = of s phi_k^T, S = of s, J = of s.s 1 - s s^T;  s = x + phi eta from the
 * reference point */
static void deform(clv_kinematics *k, int star)
{
    const clv_plan *p = k->plan;
    const clv_flex *f = &p->model->flex[star];
    const clv_body *b = &p->model->body[f->body];
    const double *eta = modes_of(k, k->eta, star);
    clv_deformed *d = &k->deformed[star];
    double rho[3], c[3];
    size_t n = (size_t)f->nmode;
    reference(p, f->body, rho);
    clv_sub3(c, b->com, rho);
    double cc = clv_dot3(c, c),
           J0[9] = {b->J[0], b->J[3], b->J[4], b->J[3], b->J[1], b->J[5], b->J[4], b->J[5], b->J[2]};
    for (int i = 0; i < 3; i++) {
        d->S[i] = b->mass * c[i];
        for (int j = 0; j < 3; j++)
            d->J[3 * i + j] = J0[3 * i + j] + b->mass * ((i == j ? cc : 0.0) - c[i] * c[j]);
    }
    for (size_t m = 0; m < n; m++) {
        double half[9], *E = d->E + 9 * m, *H = d->H + 3 * m, x[3], B[9] = {0};
        for (size_t l = 0; l < n; l++) {
            const double *Bl = f->B + 9 * (n * l + m);
            for (int i = 0; i < 9; i++)
                B[i] += eta[l] * Bl[i];
        }
        for (int i = 0; i < 9; i++) {
            double E0 = f->E[9 * m + (size_t)i] - rho[i / 3] * f->S[3 * m + (size_t)(i % 3)];
            half[i] = E0 + 0.5 * B[i], E[i] = E0 + B[i];
        }
        clv_cross(x, rho, f->S + 3 * m);
        clv_sub3(H, f->h + 3 * m, x);
        modal_cross(x, B);
        clv_axpy3(H, 1.0, x);
        clv_axpy3(d->S, eta[m], f->S + 3 * m);
        add_turned(d->J, eta[m], half);
    }
}

static void turn_matrix(double out[9], const double R[9], const double J[9])
{
    double RJ[9];
    clv_mat3_product(RJ, R, J);
    clv_mat3_product_transpose(out, RJ, R);
}

void clv_deform_fill(clv_kinematics *k, int star)
{
    const clv_plan *p = k->plan;
    const clv_flex *f = &p->model->flex[star];
    size_t frame = (size_t)f->body, n = (size_t)f->nmode, N = n + 6;
    const double *R = k->R + 9 * frame;
    clv_deformed *d = &k->deformed[star];
    double S[3], J[9], *I = k->I + 21 * frame, *mass = k->engine->room[star].mass;
    deform(k, star);
    clv_mat3_times(S, R, d->S);
    turn_matrix(J, R, d->J);
    memset(I, 0, 21 * sizeof(double));
    I[0] = I[3] = I[5] = p->model->body[frame].mass;
    I[7] = S[2], I[8] = -S[1], I[9] = -S[2], I[11] = S[0], I[12] = S[1], I[13] = -S[0];
    I[15] = J[0], I[16] = J[1], I[17] = J[2], I[18] = J[4], I[19] = J[5], I[20] = J[8];
    for (size_t m = 0; m < n; m++) {
        clv_mat3_times(mass + m * N, R, f->S + 3 * m);
        clv_mat3_times(mass + m * N + 3, R, d->H + 3 * m);
        memcpy(mass + m * N + 6, f->Mff + m * n, n * sizeof(double));
    }
    if (p->tree[frame].link >= 0)
        fill_columns(k, (int)frame);
    for (int i = 0; i < f->nnode; i++)
        if (p->tree[f->node[i].body].link >= 0)
            fill_columns(k, f->node[i].body);
}

/* ------------------------------------------------------------------ velocity terms */

/* force  w x (w x S) + 2 w x S';  moment  w x J w + J' w + w x sum H_k eta_k',  J' w without the terms of w x S */
void clv_deform_gyroscopic(const clv_kinematics *k, int star, double W[6])
{
    const clv_flex *f = &k->plan->model->flex[star];
    const double *R = k->R + 9 * (size_t)f->body, *rate = modes_of(k, k->etad, star);
    const clv_deformed *d = &k->deformed[star];
    double w[3], Sd[3] = {0}, H[3] = {0}, Jd[9] = {0}, x[3], y[3], F[3], N[3];
    clv_mat3_transpose_times(w, R, k->V + 6 * (size_t)f->body + 3);
    for (int m = 0; m < f->nmode; m++) {
        clv_axpy3(Sd, rate[m], f->S + 3 * (size_t)m);
        clv_axpy3(H, rate[m], d->H + 3 * (size_t)m);
        add_turned(Jd, rate[m], d->E + 9 * (size_t)m);
    }
    clv_cross(x, w, d->S);
    clv_axpy3(x, 2.0, Sd);
    clv_cross(F, w, x);
    clv_mat3_times(y, d->J, w);
    clv_axpy3(y, 1.0, H);
    clv_cross(N, w, y);
    clv_mat3_times(x, Jd, w);
    clv_axpy3(N, 1.0, x);
    clv_mat3_times(W, R, F);
    clv_mat3_times(W + 3, R, N);
}

/* w.E_k w - w.w tr E_k, minus the derivative of 1/2 w.J w */
static double centrifugal(const double w[3], const double E[9])
{
    double x[3];
    clv_mat3_times(x, E, w);
    return clv_dot3(w, x) - clv_dot3(w, w) * (E[0] + E[4] + E[8]);
}

/* sum over l of eta_l' w.(integral of phi_l cross phi_k) */
static double coriolis(const clv_kinematics *k, int star, const double w[3], int mode)
{
    const clv_flex *f = &k->plan->model->flex[star];
    const double *rate = modes_of(k, k->etad, star);
    double sum = 0, x[3];
    for (int l = 0; l < f->nmode; l++) {
        modal_cross(x, f->B + 9 * ((size_t)f->nmode * (size_t)l + (size_t)mode));
        sum += rate[l] * clv_dot3(w, x);
    }
    return sum;
}

void clv_kinematics_modal_bias(const clv_kinematics *k, double *out)
{
    for (int s = 0; s < k->plan->nstar; s++) {
        double w[3];
        size_t frame = (size_t)k->plan->star[s].frame;
        clv_mat3_transpose_times(w, k->R + 9 * frame, k->V + 6 * frame + 3);
        for (int m = 0; m < k->plan->star[s].nmode; m++)
            modes_of(k, out, s)[m] = centrifugal(w, k->deformed[s].E + 9 * (size_t)m) + 2 * coriolis(k, s, w, m);
    }
}

void clv_kinematics_modal_slope(const clv_kinematics *k, double *out)
{
    for (int s = 0; s < k->plan->nstar; s++) {
        const clv_flex *f = &k->plan->model->flex[s];
        size_t frame = (size_t)f->body;
        double w[3], v[3], x[3];
        clv_mat3_transpose_times(w, k->R + 9 * frame, k->V + 6 * frame + 3);
        clv_mat3_transpose_times(v, k->R + 9 * frame, k->V + 6 * frame);
        for (int m = 0; m < f->nmode; m++) {
            clv_cross(x, w, f->S + 3 * (size_t)m);
            modes_of(k, out, s)[m] =
                clv_dot3(v, x) - centrifugal(w, k->deformed[s].E + 9 * (size_t)m) - coriolis(k, s, w, m);
        }
    }
}

void clv_kinematics_modal_momentum(const clv_kinematics *k, double *out)
{
    for (int s = 0; s < k->plan->nstar; s++) {
        size_t n = (size_t)k->plan->star[s].nmode;
        for (size_t m = 0; m < n; m++) {
            const double *row = k->engine->room[s].mass + m * (n + 6), *rate = modes_of(k, k->etad, s);
            double sum = clv_dot6(row, k->V + 6 * (size_t)k->plan->star[s].frame);
            for (size_t l = 0; l < n; l++)
                sum += row[6 + l] * rate[l];
            modes_of(k, out, s)[m] = sum;
        }
    }
}
