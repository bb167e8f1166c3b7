/* SPDX-License-Identifier: Apache-2.0
 * Mass of flexible bodies at the present deformation, and the terms that velocities and deformations add to the
 * equations of motion (T31).  Integrals are taken in body axes about the frame's reference point. */
#include "kinematics/deform.h"
#include "kinematics/row_kernels.h"
#include "math/rotation.h"

static bool filled(const double *x, size_t n, size_t stride)
{
    for (size_t i = 0; i < n; i++)
        if (x[i * stride] != 0.0)
            return true;
    return false;
}

/* components of the integrals of phi_l phi_k^T that are not all zero */
static int pairs_of(const clv_flex *f, int pair[9])
{
    int count = 0;
    for (int i = 0; i < 9; i++)
        if (filled(f->B + i, (size_t)f->nmode * (size_t)f->nmode, 9))
            pair[count++] = i;
    return count;
}

void clv_deform_layout(clv_kinematics *k, const clv_plan *p, clv_arena *a)
{
    CLV_TAKE(a, k->eta, p->nmode), CLV_TAKE(a, k->etad, p->nmode);
    CLV_TAKE(a, k->Md, 6 * p->nlink);
    CLV_TAKE(a, k->deformed, p->nstar);
    for (int s = 0; s < p->nstar; s++) {
        const clv_flex *f = &p->model->flex[s];
        const size_t n = (size_t)f->nmode, wide = n + n % 2;
        clv_deformed counting, *d = a->base ? &k->deformed[s] : &counting;
        d->wide = (int)wide, d->npair = pairs_of(f, d->pair);
        CLV_TAKE(a, d->H, 3 * wide), CLV_TAKE(a, d->E, 9 * wide), CLV_TAKE(a, d->work, 4 * wide);
        CLV_TAKE(a, d->turn, f->nnode);
        CLV_TAKE(a, d->phi, 3 * wide), CLV_TAKE(a, d->E0, 9 * wide), CLV_TAKE(a, d->h0, 3 * wide);
        CLV_TAKE(a, d->B, (size_t)d->npair * n * wide), CLV_TAKE(a, d->of, (size_t)d->npair * n);
        CLV_TAKE(a, d->Mff, n * (size_t)clv_star_wide(f->nmode));
    }
}

/* ------------------------------------------------------------------ constants */

/* point of the undeformed frame that is its reference point, body axes */
static void reference(const clv_plan *p, int frame, double rho[3])
{
    const clv_tree_joint *t = &p->tree[frame];
    const double *at = p->model->body[frame].com;
    if (t->joint >= 0)
        at = t->reversed ? p->model->joint[t->joint].pa : p->model->joint[t->joint].pb;
    clv_copy3(rho, at);
}

static bool diagonal(const double *A, int n)
{
    for (int i = 0; i < n * n; i++)
        if (i % (n + 1) != 0 && A[i] != 0.0)
            return false;
    return true;
}

/* the frame undeformed */
static void rest(clv_deformed *d, const clv_body *b, const double rho[3])
{
    double c[3];
    clv_sub3(c, b->com, rho);
    const double cc = clv_dot3(c, c),
                 J[9] = {b->J[0], b->J[3], b->J[4], b->J[3], b->J[1], b->J[5], b->J[4], b->J[5], b->J[2]};
    for (int i = 0; i < 3; i++) {
        d->rest[i] = b->mass * c[i];
        for (int j = 0; j < 3; j++)
            d->J0[3 * i + j] = J[3 * i + j] + b->mass * ((i == j ? cc : 0.0) - c[i] * c[j]);
    }
}

/* rows of the integrals of phi_l phi_k^T, component by component: modes of a beam move along one axis each, so most
 * rows are zero */
static void fill_rows(clv_deformed *d, const clv_flex *f)
{
    const size_t n = (size_t)f->nmode, wide = (size_t)d->wide;
    int r = 0;
    for (int q = 0; q < d->npair; q++) {
        d->begin[q] = r;
        for (size_t l = 0; l < n; l++) {
            const double *B = f->B + 9 * n * l + d->pair[q];
            if (!filled(B, n, 9))
                continue;
            for (size_t m = 0; m < n; m++)
                d->B[(size_t)r * wide + m] = B[9 * m];
            d->of[r++] = (int)l;
        }
    }
    d->begin[d->npair] = r;
}

/* the mass of the modes does not change: for the engine, and for the fold */
static void fill_modal_mass(clv_deformed *d, const clv_flex *f, double *mass)
{
    const size_t n = (size_t)f->nmode, wide = (size_t)clv_star_wide(f->nmode);
    for (size_t m = 0; m < n; m++) {
        memcpy(mass + m * (n + 6) + 6, f->Mff + m * n, n * sizeof(double));
        for (size_t i = m; i < n; i++)
            d->Mff[m * wide + i] = f->Mff[i * n + m];
    }
}

void clv_deform_begin(clv_kinematics *k, int star)
{
    const clv_plan *p = k->plan;
    const clv_flex *f = &p->model->flex[star];
    clv_deformed *d = &k->deformed[star];
    const size_t n = (size_t)f->nmode, wide = (size_t)d->wide;
    double rho[3];
    reference(p, f->body, rho);
    rest(d, &p->model->body[f->body], rho);
    for (size_t m = 0; m < n; m++) {
        double x[3];
        clv_cross(x, rho, f->S + 3 * m);
        for (size_t i = 0; i < 9; i++)
            d->E0[i * wide + m] = f->E[9 * m + i] - rho[i / 3] * f->S[3 * m + i % 3];
        for (size_t i = 0; i < 3; i++) {
            d->phi[i * wide + m] = f->S[3 * m + i];
            d->h0[i * wide + m] = f->h[3 * m + i] - x[i];
        }
    }
    memcpy(d->E, d->E0, 9 * wide * sizeof(double));
    d->npair = pairs_of(f, d->pair), d->nmoment = 0;
    for (int i = 0, q = 0; i < 9; i++) {
        const bool pair = q < d->npair && d->pair[q] == i;
        q += pair;
        if (pair || filled(d->E0 + (size_t)i * wide, n, 1))
            d->moment[d->nmoment++] = i;
    }
    fill_rows(d, f), fill_modal_mass(d, f, k->engine->room[star].mass);
    d->natural = diagonal(f->K, f->nmode) && diagonal(f->C, f->nmode);
}

/* ------------------------------------------------------------------ mass at the present deformation */

/* H_k = integral of s cross phi_k, E_k = of s phi_k^T, S = of s, J = of s.s 1 - s s^T;  s = x + phi eta from the
 * reference point.  J = J0 + tr(Q) 1 - (Q + Q^T)/2 with Q = sum of (E0_k + E_k) eta_k. */
static void deform(clv_kinematics *k, int star)
{
    clv_deformed *d = &k->deformed[star];
    const int n = k->plan->star[star].nmode;
    double *eta = d->work, S[3], Q[9];
    memcpy(eta, clv_modes_of(k, k->eta, star), (size_t)n * sizeof(double));
    clv_deform_kernels(k)->deform_integrals(d, eta);
    clv_deform_kernels(k)->deform_sums(d, eta, S, NULL, Q);
    for (int i = 0; i < 3; i++)
        d->S[i] = d->rest[i] + S[i];
    const double trace = Q[0] + Q[4] + Q[8];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            d->J[3 * i + j] = d->J0[3 * i + j] + ((i == j ? trace : 0.0) - 0.5 * (Q[3 * i + j] + Q[3 * j + i]));
}

static void turn_matrix(double out[9], const double R[9], const double J[9])
{
    double RJ[9];
    clv_mat3_product(RJ, R, J);
    clv_mat3_product_transpose(out, RJ, R);
}

void clv_deform_mass(clv_kinematics *k, int star)
{
    const clv_plan *p = k->plan;
    const clv_flex *f = &p->model->flex[star];
    size_t frame = (size_t)f->body;
    const double *R = k->R + 9 * frame;
    clv_deformed *d = &k->deformed[star];
    double S[3], J[9], *I = k->engine->mass + 21 * frame, *mass = k->engine->room[star].mass;
    deform(k, star);
    clv_mat3_times(S, R, d->S);
    turn_matrix(J, R, d->J);
    memset(I, 0, 21 * sizeof(double));
    I[0] = I[3] = I[5] = p->model->body[frame].mass;
    I[7] = S[2], I[8] = -S[1], I[9] = -S[2], I[11] = S[0], I[12] = S[1], I[13] = -S[0];
    I[15] = J[0], I[16] = J[1], I[17] = J[2], I[18] = J[4], I[19] = J[5], I[20] = J[8];
    clv_deform_kernels(k)->deform_columns(mass, f->nmode + 6, R, d->phi, R, d->H, f->nmode, d->wide, 1);
}

/* ------------------------------------------------------------------ velocity terms */

/* modal rates, even in number */
static const double *even_rates(const clv_kinematics *k, int star)
{
    const clv_deformed *d = &k->deformed[star];
    memcpy(d->work, clv_modes_of(k, k->etad, star), (size_t)k->plan->star[star].nmode * sizeof(double));
    return d->work;
}

/* force  w x (w x S) + 2 w x S';  moment  w x J w + J' w + w x sum H_k eta_k',  J' w without the terms of w x S;
 * J' = 2 tr(Q) 1 - Q - Q^T with Q = sum of E_k eta_k' */
void clv_deform_gyroscopic(const clv_kinematics *k, int star, double W[6])
{
    const clv_deformed *d = &k->deformed[star];
    const int frame = k->plan->star[star].frame;
    const double *R = k->R + 9 * (size_t)frame, *rate = even_rates(k, star);
    double w[3], Sd[3], H[3], Q[9], x[3], y[3], F[3], N[3];
    clv_mat3_transpose_times(w, R, k->V + 6 * (size_t)frame + 3);
    clv_deform_kernels(k)->deform_sums(d, rate, Sd, H, Q);
    clv_cross(x, w, d->S);
    clv_axpy3(x, 2.0, Sd);
    clv_cross(F, w, x);
    clv_mat3_times(y, d->J, w);
    clv_axpy3(y, 1.0, H);
    clv_cross(N, w, y);
    clv_axpy3(N, 2 * (Q[0] + Q[4] + Q[8]), w);
    clv_mat3_times(x, Q, w), clv_mat3_transpose_times(y, Q, w);
    clv_axpy3(N, -1.0, x), clv_axpy3(N, -1.0, y);
    clv_mat3_times(W, R, F);
    clv_mat3_times(W + 3, R, N);
}

/* forces of velocities on the modes (deform_lane.c); wide numbers */
static double *modal_forces(const clv_kinematics *k, int star, const double w[3], double twice, const double *x)
{
    const clv_deformed *d = &k->deformed[star];
    const double *rate = even_rates(k, star);
    double *out = d->work + d->wide;
    clv_deform_kernels(k)->deform_forces(d, w, twice, rate, x, out);
    return out;
}

void clv_kinematics_modal_bias(const clv_kinematics *k, double *out)
{
    for (int s = 0; s < k->plan->nstar; s++) {
        const size_t frame = (size_t)k->plan->star[s].frame;
        double w[3];
        clv_mat3_transpose_times(w, k->R + 9 * frame, k->V + 6 * frame + 3);
        const double *force = modal_forces(k, s, w, 2.0, NULL);
        memcpy(clv_modes_of(k, out, s), force, (size_t)k->plan->star[s].nmode * sizeof(double));
    }
}

/* v.(w x S_k) less the forces above */
void clv_kinematics_modal_slope(const clv_kinematics *k, double *out)
{
    for (int s = 0; s < k->plan->nstar; s++) {
        const size_t frame = (size_t)k->plan->star[s].frame;
        double w[3], v[3], x[3];
        clv_mat3_transpose_times(w, k->R + 9 * frame, k->V + 6 * frame + 3);
        clv_mat3_transpose_times(v, k->R + 9 * frame, k->V + 6 * frame);
        clv_cross(x, w, v);
        const double *force = modal_forces(k, s, w, 1.0, x);
        for (int m = 0; m < k->plan->star[s].nmode; m++)
            clv_modes_of(k, out, s)[m] = -force[m];
    }
}

void clv_kinematics_modal_momentum(const clv_kinematics *k, double *out)
{
    for (int s = 0; s < k->plan->nstar; s++) {
        size_t n = (size_t)k->plan->star[s].nmode;
        for (size_t m = 0; m < n; m++) {
            const double *row = k->engine->room[s].mass + m * (n + 6), *rate = clv_modes_of(k, k->etad, s);
            double sum = clv_dot6(row, k->V + 6 * (size_t)k->plan->star[s].frame);
            for (size_t l = 0; l < n; l++)
                sum += row[6 + l] * rate[l];
            clv_modes_of(k, out, s)[m] = sum;
        }
    }
}
