/* SPDX-License-Identifier: Apache-2.0
 * Flexible bodies moved point by point; see oracle_flex.h. */
#include "oracle/oracle_flex.h"
#include "oracle/oracle_vector.h"
#include <stdlib.h>
#include <string.h>

void *oracle_allocate(size_t count, size_t size);

static real *numbers(size_t n) { return oracle_allocate(n, sizeof(real)); }

/* ------------------------------------------------------------------ Taylor numbers: value,
 * first and second derivative in time */

typedef struct vec { real x[3], d[3], dd[3]; } vec;
typedef struct mat { real x[9], d[9], dd[9]; } mat;

static void mat_product(mat *C, const mat *A, const mat *B)
{
    mat D;
    real t[9];
    m3_multiply(D.x, A->x, B->x);
    m3_multiply(D.d, A->d, B->x), m3_multiply(t, A->x, B->d);
    for (int i = 0; i < 9; i++)
        D.d[i] += t[i];
    m3_multiply(D.dd, A->d, B->d);
    for (int i = 0; i < 9; i++)
        D.dd[i] *= 2;
    m3_multiply(t, A->dd, B->x);
    for (int i = 0; i < 9; i++)
        D.dd[i] += t[i];
    m3_multiply(t, A->x, B->dd);
    for (int i = 0; i < 9; i++)
        D.dd[i] += t[i];
    *C = D;
}

static void mat_times(vec *y, const mat *A, const vec *v)
{
    vec z;
    real t[3];
    m3_times(z.x, A->x, v->x);
    m3_times(z.d, A->d, v->x), m3_times(t, A->x, v->d), v3_add_scaled(z.d, 1, t);
    m3_times(z.dd, A->dd, v->x), m3_times(t, A->d, v->d), v3_add_scaled(z.dd, 2, t);
    m3_times(t, A->x, v->dd), v3_add_scaled(z.dd, 1, t);
    *y = z;
}

static void tilde(real X[9], const real t[3])
{
    real Y[9] = {0, -t[2], t[1], t[2], 0, -t[0], -t[1], t[0], 0};
    memcpy(X, Y, sizeof Y);
}

/* exponential of a turn as a power series */
static void exponential(mat *E, const vec *turn)
{
    mat X, P = {.x = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    tilde(X.x, turn->x), tilde(X.d, turn->d), tilde(X.dd, turn->dd);
    *E = P;
    for (int n = 1; n < 60; n++) {
        mat_product(&P, &P, &X);
        for (int i = 0; i < 9; i++) {
            P.x[i] /= n, P.d[i] /= n, P.dd[i] /= n;
            E->x[i] += P.x[i], E->d[i] += P.d[i], E->dd[i] += P.dd[i];
        }
    }
}

/* w and w' of a rotation: vector of the skew parts of R' R^T and R'' R^T */
static void spin(const mat *R, real w[3], real wd[3])
{
    for (int k = 0; k < 2; k++) {
        real W[9], Rt[9], *to = k ? wd : w;
        m3_transpose(Rt, R->x);
        m3_multiply(W, k ? R->dd : R->d, Rt);
        to[0] = (W[7] - W[5]) / 2, to[1] = (W[2] - W[6]) / 2, to[2] = (W[3] - W[1]) / 2;
    }
}

/* ------------------------------------------------------------------ a flexible body for given second derivatives z (6
 * + nmode) or NULL */

typedef struct moving {
    const oracle_flex *f;
    int k;
    vec r; /* centre of mass of the frame */
    mat R;
    const real *eta, *etad, *etadd;
} moving;

static moving move(const oracle_flex *f, int k, const real *z)
{
    const oracle *o = f->o;
    int b = o->model->flex[k].body;
    moving m = {.f = f, .k = k, .eta = f->eta + f->mode[k], .etad = f->etad + f->mode[k], .etadd = z ? z + 6 : NULL};
    real W[9], WW[9], A[9];
    v3_copy(m.r.x, o->r + 3 * b), v3_copy(m.r.d, o->V + 6 * b);
    for (int i = 0; i < 3; i++)
        m.r.dd[i] = z ? z[i] : 0;
    tilde(W, o->V + 6 * b + 3);
    m3_multiply(WW, W, W);
    real alpha[3] = {z ? z[3] : 0, z ? z[4] : 0, z ? z[5] : 0};
    tilde(A, alpha);
    for (int i = 0; i < 9; i++)
        A[i] += WW[i];
    memcpy(m.R.x, o->R + 9 * b, sizeof m.R.x);
    m3_multiply(m.R.d, W, m.R.x), m3_multiply(m.R.dd, A, m.R.x);
    return m;
}

/* x + sum of shape_k eta_k, shapes `stride` apart */
static vec deformed(const moving *m, const double *x, const double *shape, int stride, const double *minus)
{
    vec s = {{0}, {0}, {0}};
    for (int i = 0; i < 3; i++) {
        s.x[i] = (x ? (real)x[i] : 0) - (minus ? (real)minus[i] : 0);
        for (int k = 0; k < m->f->o->model->flex[m->k].nmode; k++) {
            real phi = (real)shape[stride * k + i];
            s.x[i] += phi * m->eta[k], s.d[i] += phi * m->etad[k], s.dd[i] += m->etadd ? phi * m->etadd[k] : 0;
        }
    }
    return s;
}

static vec point(const moving *m, int p)
{
    const flex_cloud *c = m->f->cloud[m->k];
    vec s = deformed(m, c->x + 3 * p, c->phi + 3 * p * c->nmode, 3,
                     m->f->o->model->body[m->f->o->model->flex[m->k].body].com),
        y;
    mat_times(&y, &m->R, &s);
    v3_add_scaled(y.x, 1, m->r.x), v3_add_scaled(y.d, 1, m->r.d), v3_add_scaled(y.dd, 1, m->r.dd);
    return y;
}

static void node(const moving *m, int i, vec *r, mat *R)
{
    const clv_flex *x = &m->f->o->model->flex[m->k];
    const clv_flex_node *n = &x->node[i];
    vec s = deformed(m, n->position, n->shape, 6, m->f->o->model->body[x->body].com),
        turn = deformed(m, NULL, n->shape + 3, 6, NULL);
    mat E, R0 = {.d = {0}};
    real e[4] = {n->orientation[0], n->orientation[1], n->orientation[2], n->orientation[3]};
    mat_times(r, &m->R, &s);
    v3_add_scaled(r->x, 1, m->r.x), v3_add_scaled(r->d, 1, m->r.d), v3_add_scaled(r->dd, 1, m->r.dd);
    exponential(&E, &turn);
    m3_quaternion(R0.x, e);
    mat_product(R, &m->R, &E);
    mat_product(R, R, &R0);
}

/* a disc: adds its angular momentum R (I w + I sum turn eta'), w in body axes, and gives what drives the modes, I (w' +
 * sum turn eta'') per turn; at_now: I (w + sum turn eta') */
static void disc(const moving *m, int d, vec *momentum, real drive[3], real at_now[3])
{
    const flex_cloud *c = m->f->cloud[m->k];
    static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    real w[3], wd[3], wb[3], wbd[3], Rt[9], Rtd[9], t[3];
    const double *turn = c->turn + 3 * d * c->nmode, *inertia = c->disc + 6 * d;
    vec h = {{0}, {0}, {0}}, turned;
    spin(&m->R, w, wd);
    m3_transpose(Rt, m->R.x), m3_transpose(Rtd, m->R.d);
    m3_times(wb, Rt, w);
    m3_times(wbd, Rt, wd), m3_times(t, Rtd, w), v3_add_scaled(wbd, 1, t);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < c->nmode; k++) {
            wb[i] += (real)turn[3 * k + i] * m->etad[k];
            wbd[i] += m->etadd ? (real)turn[3 * k + i] * m->etadd[k] : 0;
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            h.x[i] += (real)inertia[at[i][j]] * wb[j], h.d[i] += (real)inertia[at[i][j]] * wbd[j];
    v3_copy(drive, h.d), v3_copy(at_now, h.x);
    mat_times(&turned, &m->R, &h);
    v3_add_scaled(momentum->x, 1, turned.x), v3_add_scaled(momentum->d, 1, turned.d);
}

/* ------------------------------------------------------------------ the whole system */

oracle_flex *oracle_flex_create(const clv_model *m, flex_cloud *const *cloud)
{
    oracle_flex *f = oracle_allocate(1, sizeof *f);
    int modes = 0;
    f->o = oracle_create(m);
    f->cloud = cloud;
    f->at = oracle_allocate((size_t)m->nbody, sizeof *f->at),
    f->mode = oracle_allocate((size_t)m->nflex, sizeof *f->mode);
    for (int b = 0; b < m->nbody; b++) {
        f->at[b] = m->body[b].flex >= 0 && m->body[b].node >= 0 ? -1 : f->N;
        f->N += f->at[b] < 0 ? 0 : m->body[b].flex >= 0 ? 6 + m->flex[m->body[b].flex].nmode : 6;
    }
    for (int k = 0; k < m->nflex; k++)
        f->mode[k] = modes, modes += m->flex[k].nmode;
    size_t n = (size_t)f->N, nb = 6 * (size_t)m->nbody;
    f->eta = numbers((size_t)modes), f->etad = numbers((size_t)modes);
    f->A = numbers(nb * n), f->g = numbers(nb), f->M = numbers(n * n), f->f = numbers(n), f->L = numbers(n * n);
    f->scale = numbers((size_t)f->o->rows);
    return f;
}

void oracle_flex_destroy(oracle_flex *f)
{
    if (f->factored)
        linear_cod_destroy(&f->cod);
    void *all[] = {f->at, f->mode, f->eta, f->etad, f->A, f->g, f->M, f->f, f->L, f->scale};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    oracle_destroy(f->o);
    free(f);
}

/* accelerations of the nodes of body k for z (or NULL) into column `to` of a (6 nbody x width) matrix */
static void node_motions(const oracle_flex *f, int k, const real *z, real *to, int width)
{
    moving m = move(f, k, z);
    for (int i = 0; i < f->o->model->flex[k].nnode; i++) {
        vec r;
        mat R;
        real w[3], wd[3];
        node(&m, i, &r, &R);
        spin(&R, w, wd);
        for (int q = 0; q < 3; q++) {
            to[(6 * f->o->model->flex[k].node[i].body + q) * width] = r.dd[q];
            to[(6 * f->o->model->flex[k].node[i].body + 3 + q) * width] = wd[q];
        }
    }
}

static void rigid_inertia(const oracle *o, int body, real J[9])
{
    const double *j = o->model->body[body].J;
    real local[9] = {j[0], j[3], j[4], j[3], j[1], j[5], j[4], j[5], j[2]}, Rt[9];
    m3_transpose(Rt, o->R + 9 * body);
    m3_multiply(J, o->R + 9 * body, local);
    m3_multiply(J, J, Rt);
}

/* mass and inertia forces of a flexible body: accelerations of all points for z = 0 and for every unit z */
static void flexible_mass(oracle_flex *f, int k)
{
    const clv_flex *x = &f->o->model->flex[k];
    const flex_cloud *c = f->cloud[k];
    size_t n = 6 + (size_t)x->nmode, at = (size_t)f->at[x->body], wide = 3 + 3 * (size_t)c->ndisc;
    real *all = numbers((n + 1) * 3 * (size_t)c->npoint), *h = numbers((n + 1) * wide), *z = numbers(n), unused[3];
    for (size_t j = 0; j <= n; j++) {
        memset(z, 0, n * sizeof *z);
        if (j < n)
            z[j] = 1;
        moving m = move(f, k, j < n ? z : NULL);
        for (int p = 0; p < c->npoint; p++)
            v3_copy(all + 3 * (j * (size_t)c->npoint + (size_t)p), point(&m, p).dd);
        vec momentum = {{0}, {0}, {0}};
        for (int d = 0; d < c->ndisc; d++)
            disc(&m, d, &momentum, h + wide * j + 3 + 3 * d, unused);
        v3_copy(h + wide * j, momentum.d);
    }
    for (size_t j = 0; j < n; j++) {
        for (int q = 0; q < 3 * c->npoint; q++) /* columns: differences to z = 0 */
            all[j * 3 * (size_t)c->npoint + (size_t)q] -= all[n * 3 * (size_t)c->npoint + (size_t)q];
        for (size_t q = 0; q < wide; q++)
            h[wide * j + q] -= h[wide * n + q];
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= n; j++) {
            real sum = 0;
            for (int p = 0; p < c->npoint; p++) {
                const real *a = all + 3 * (i * (size_t)c->npoint + (size_t)p),
                           *b = all + 3 * (j * (size_t)c->npoint + (size_t)p);
                sum += (real)c->mass[p] * v3_dot(a, b);
                for (int q = 0; q < 3 && j == n; q++) /* gravity */
                    sum -= (real)c->mass[p] * a[q] * (real)f->o->model->gravity[q];
            }
            if (i >= 3 && i < 6)
                sum += h[wide * j + i - 3];
            for (size_t d = 0; i >= 6 && d < (size_t)c->ndisc; d++)
                for (size_t q = 0; q < 3; q++)
                    sum += (real)c->turn[3 * (d * (size_t)c->nmode + i - 6) + q] * h[wide * j + 3 + 3 * d + q];
            if (j < n)
                f->M[(at + i) * (size_t)f->N + at + j] = sum;
            else
                f->f[at + i] -= sum;
        }
    for (size_t i = 0; i < (size_t)x->nmode; i++)
        for (size_t j = 0; j < (size_t)x->nmode; j++)
            f->f[at + 6 + i] -= (real)x->K[i * (size_t)x->nmode + j] * f->eta[f->mode[k] + (int)j] +
                                (real)x->C[i * (size_t)x->nmode + j] * f->etad[f->mode[k] + (int)j];
    free(all), free(h), free(z);
}

/* f = A^T (loads) - inertia forces; loads of the rigid oracle without the weight of frames, which the points carry */
static void loads(oracle_flex *f)
{
    const clv_model *m = f->o->model;
    size_t N = (size_t)f->N;
    real *Q = numbers(6 * (size_t)m->nbody);
    oracle_loads(f->o, Q);
    for (int b = 0; b < m->nbody; b++)
        for (int i = 0; i < 6; i++) {
            real q = Q[6 * b + i];
            if (m->body[b].flex >= 0 && m->body[b].node < 0 && i < 3)
                q -= (real)m->body[b].mass * (real)m->gravity[i];
            for (size_t j = 0; j < N; j++)
                f->f[j] += f->A[(size_t)(6 * b + i) * N + j] * q;
        }
    free(Q);
}

static void assemble(oracle_flex *f)
{
    const clv_model *m = f->o->model;
    size_t N = (size_t)f->N;
    memset(f->A, 0, 6 * (size_t)m->nbody * N * sizeof(real)), memset(f->g, 0, 6 * (size_t)m->nbody * sizeof(real));
    memset(f->M, 0, N * N * sizeof(real)), memset(f->f, 0, N * sizeof(real));
    for (int b = 0; b < m->nbody; b++) {
        if (f->at[b] < 0)
            continue;
        size_t at = (size_t)f->at[b];
        for (size_t i = 0; i < 6; i++)
            f->A[(6 * (size_t)b + i) * N + at + i] = 1;
        if (m->body[b].flex >= 0)
            continue;
        real J[9], h[3];
        const real *w = f->o->V + 6 * b + 3;
        rigid_inertia(f->o, b, J);
        m3_times(h, J, w), v3_cross(h, w, h);
        for (size_t i = 0; i < 3; i++) {
            f->M[(at + i) * N + at + i] = (real)m->body[b].mass;
            f->f[at + 3 + i] = -h[i];
            for (size_t j = 0; j < 3; j++)
                f->M[(at + 3 + i) * N + at + 3 + j] = J[3 * i + j];
        }
    }
    for (int k = 0; k < m->nflex; k++) {
        size_t n = 6 + (size_t)m->flex[k].nmode, at = (size_t)f->at[m->flex[k].body];
        real *z = numbers(n);
        node_motions(f, k, NULL, f->g, 1);
        for (size_t j = 0; j < n; j++) {
            z[j] = 1;
            node_motions(f, k, z, f->A + at + j, f->N);
            z[j] = 0;
        }
        for (int i = 0; i < m->flex[k].nnode; i++)
            for (size_t q = 0; q < 6; q++)
                for (size_t j = 0; j < n; j++)
                    f->A[(6 * (size_t)m->flex[k].node[i].body + q) * N + at + j] -=
                        f->g[6 * (size_t)m->flex[k].node[i].body + q];
        free(z);
        flexible_mass(f, k);
    }
    loads(f);
}

void oracle_flex_set(oracle_flex *f, double time, const double *r, const double *R, const double *V, const double *eta,
                     const double *etad)
{
    const clv_model *m = f->o->model;
    for (int k = 0; k < m->nflex; k++)
        for (int i = 0; i < m->flex[k].nmode; i++)
            f->eta[f->mode[k] + i] = eta[f->mode[k] + i], f->etad[f->mode[k] + i] = etad[f->mode[k] + i];
    oracle_set(f->o, time, r, R, V, NULL);
    for (int k = 0; k < m->nflex; k++) {
        moving at = move(f, k, NULL);
        for (int i = 0; i < m->flex[k].nnode; i++) {
            int b = m->flex[k].node[i].body;
            vec x;
            mat X;
            real unused[3];
            node(&at, i, &x, &X);
            v3_copy(f->o->r + 3 * b, x.x), v3_copy(f->o->V + 6 * b, x.d);
            memcpy(f->o->R + 9 * b, X.x, sizeof X.x);
            spin(&X, f->o->V + 6 * b + 3, unused);
        }
    }
    oracle_update(f->o);
    if (f->factored)
        linear_cod_destroy(&f->cod);
    f->factored = false;
    assemble(f);
}

static void factor(oracle_flex *f)
{
    size_t N = (size_t)f->N, nb = 6 * (size_t)f->o->model->nbody, m = (size_t)f->o->rows;
    real *S = numbers(m * N);
    memcpy(f->L, f->M, N * N * sizeof(real));
    if (!linear_cholesky(f->L, f->N))
        abort();
    for (size_t r = 0; r < m; r++) {
        real *row = S + r * N, size = 0;
        for (size_t b = 0; b < nb; b++)
            for (size_t j = 0; f->o->J[r * nb + b] != 0 && j < N; j++)
                row[j] += f->o->J[r * nb + b] * f->A[b * N + j];
        linear_lower_solve(f->L, f->N, row);
        for (size_t j = 0; j < N; j++)
            size += row[j] * row[j];
        f->scale[r] = size > 0 ? 1 / sqrtl(size) : 1;
        for (size_t j = 0; j < N; j++)
            row[j] *= f->scale[r];
    }
    if (!linear_cod_create(&f->cod, S, f->N, f->o->rows, ORACLE_RANK))
        abort();
    free(S);
    f->factored = true;
    f->condition = 1;
    if (f->cod.rank == 0)
        return;
    real high = f->cod.sv[0], low = f->cod.sv[f->cod.rank - 1];
    real most = (1 + sqrtl(1 + 4 * high * high)) / 2, least = 2 * low * low / (1 + sqrtl(1 + 4 * low * low));
    f->condition = most / (f->cod.rank < f->N ? fminl(least, 1) : least);
}

void oracle_flex_accelerations(oracle_flex *f, real *z, real *mu)
{
    size_t N = (size_t)f->N, nb = 6 * (size_t)f->o->model->nbody, m = (size_t)f->o->rows;
    if (!f->factored)
        factor(f);
    real *x = numbers(3 * N + 2 * m), *y = x + N, *rest = y + N, *c = rest + N, *s = c + m;
    memcpy(x, f->f, N * sizeof *x);
    linear_lower_solve(f->L, f->N, x);
    for (size_t r = 0; r < m; r++) {
        c[r] = f->o->gamma[r];
        for (size_t b = 0; b < nb; b++)
            c[r] -= f->o->J[r * nb + b] * f->g[b];
        c[r] *= f->scale[r];
    }
    linear_cod_range_solve(&f->cod, c, y);
    memcpy(rest, x, N * sizeof *rest);
    linear_cod_complement(&f->cod, rest);
    for (size_t i = 0; i < N; i++)
        y[i] += rest[i], x[i] = y[i] - x[i];
    linear_cod_multipliers(&f->cod, x, s);
    for (size_t r = 0; r < m; r++)
        mu[r] = f->scale[r] * s[r];
    linear_lower_solve_transposed(f->L, f->N, y);
    memcpy(z, y, N * sizeof *z);
    free(x);
}

static real weighted(const oracle_flex *f, const real *x)
{
    size_t N = (size_t)f->N;
    real sum = 0;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            sum += x[i] * f->M[i * N + j] * x[j];
    return sum;
}

double oracle_flex_difference(const oracle_flex *f, const real *x, const real *y, const real *mu)
{
    real *d = numbers((size_t)f->N), size;
    for (int i = 0; i < f->N; i++)
        d[i] = x[i] - y[i];
    size = weighted(f, y);
    for (int r = 0; mu && r < f->o->rows; r++)
        size += (mu[r] / f->scale[r]) * (mu[r] / f->scale[r]);
    real left = weighted(f, d);
    free(d);
    return size > 0 ? (double)sqrtl(left / size) : (double)sqrtl(left);
}

real oracle_flex_kinetic(const oracle_flex *f)
{
    const clv_model *m = f->o->model;
    real *v = numbers((size_t)f->N);
    for (int b = 0; b < m->nbody; b++)
        for (int i = 0; f->at[b] >= 0 && i < 6; i++)
            v[f->at[b] + i] = f->o->V[6 * b + i];
    for (int k = 0; k < m->nflex; k++)
        for (int i = 0; i < m->flex[k].nmode; i++)
            v[f->at[m->flex[k].body] + 6 + i] = f->etad[f->mode[k] + i];
    real T = weighted(f, v) / 2;
    free(v);
    return T;
}

/* ------------------------------------------------------------------ momenta along virtual motions */

/* velocity of a cloud's points along d (6 + nmode) and the derivative of that along the motion */
static void flexible_momentum(const oracle_flex *f, int k, const real *d, const real *dd, real *p, real *q, real *terms)
{
    const flex_cloud *c = f->cloud[k];
    const clv_flex *x = &f->o->model->flex[k];
    moving m = move(f, k, NULL);
    real T[9], Td[9], t[3];
    for (int i = 0; i < c->npoint; i++) {
        vec s = deformed(&m, c->x + 3 * i, c->phi + 3 * i * c->nmode, 3, f->o->model->body[x->body].com), y;
        mat_times(&y, &m.R, &s);
        real v[3] = {m.r.d[0] + y.d[0], m.r.d[1] + y.d[1], m.r.d[2] + y.d[2]}, e[3], ed[3];
        tilde(T, d + 3), tilde(Td, dd + 3);
        m3_times(e, T, y.x), v3_add_scaled(e, 1, d);
        m3_times(ed, Td, y.x), m3_times(t, T, y.d), v3_add_scaled(ed, 1, t), v3_add_scaled(ed, 1, dd);
        for (int l = 0; l < c->nmode; l++) {
            const double *shape = c->phi + 3 * (i * c->nmode + l);
            real phi[3] = {shape[0], shape[1], shape[2]};
            m3_times(t, m.R.x, phi), v3_add_scaled(e, d[6 + l], t);
            m3_times(t, m.R.d, phi), v3_add_scaled(ed, d[6 + l], t);
        }
        *p += (real)c->mass[i] * v3_dot(e, v);
        *q += (real)c->mass[i] * v3_dot(ed, v);
        *terms += (real)c->mass[i] * v3_norm(ed) * v3_norm(v);
        for (int g = 0; g < 3; g++)
            *q += (real)c->mass[i] * e[g] * (real)f->o->model->gravity[g];
    }
    vec h = {{0}, {0}, {0}};
    real drive[3], hb[3];
    for (int e = 0; e < c->ndisc; e++) {
        disc(&m, e, &h, drive, hb);
        for (int l = 0; l < c->nmode; l++)
            for (int i = 0; i < 3; i++)
                *p += d[6 + l] * (real)c->turn[3 * (e * c->nmode + l) + i] * hb[i];
    }
    *p += v3_dot(d + 3, h.x), *q += v3_dot(dd + 3, h.x);
    /* its modal part is turn.h in body axes: its rate is what drives the modes, no d' belongs to it */
    for (int l = 0; l < x->nmode; l++)
        for (int j = 0; j < x->nmode; j++) {
            real load = (real)x->K[l * x->nmode + j] * m.eta[j] + (real)x->C[l * x->nmode + j] * m.etad[j];
            *q -= d[6 + l] * load;
            *terms += fabsl(d[6 + l] * load);
        }
}

void oracle_flex_momentum(const oracle_flex *f, const real *d, const real *dd, real *p, real *pdot, real *terms)
{
    const clv_model *m = f->o->model;
    real *Q = numbers(6 * (size_t)m->nbody);
    *p = *pdot = *terms = 0;
    oracle_loads(f->o, Q);
    for (int b = 0; b < m->nbody; b++) {
        for (int i = 0; i < 6; i++) {
            real q = Q[6 * b + i], e = 0;
            if (m->body[b].flex >= 0 && m->body[b].node < 0 && i < 3)
                q -= (real)m->body[b].mass * (real)m->gravity[i];
            for (int j = 0; j < f->N; j++)
                e += f->A[(size_t)(6 * b + i) * (size_t)f->N + (size_t)j] * d[j];
            *pdot += e * q, *terms += fabsl(e * q);
        }
        if (f->at[b] < 0 || m->body[b].flex >= 0)
            continue;
        real J[9], h[6];
        const real *V = f->o->V + 6 * b, *e = d + f->at[b], *ed = dd + f->at[b];
        rigid_inertia(f->o, b, J);
        m3_times(h + 3, J, V + 3);
        for (int i = 0; i < 3; i++)
            h[i] = (real)m->body[b].mass * V[i];
        for (int i = 0; i < 6; i++)
            *p += e[i] * h[i], *pdot += ed[i] * h[i], *terms += fabsl(ed[i] * h[i]);
    }
    for (int k = 0; k < m->nflex; k++) {
        int at = f->at[m->flex[k].body];
        flexible_momentum(f, k, d + at, dd + at, p, pdot, terms);
    }
    free(Q);
}
