/* SPDX-License-Identifier: Apache-2.0
 * The oracle's state, its one matrix, and everything asked of it (theory T19); see oracle.h. */
#include "oracle/oracle.h"
#include "model/coupling.h"
#include "model/joint.h"
#include "oracle/oracle_vector.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *oracle_allocate(size_t count, size_t size)
{
    void *p = calloc(count > 0 ? count : 1, size);
    if (!p) {
        fputs("oracle: out of memory\n", stderr);
        abort();
    }
    return p;
}

/* ---- state */

static void start_state(oracle *o)
{
    const clv_model *m = o->model;
    for (int i = 0; i < m->nbody; i++) {
        const clv_body *b = &m->body[i];
        real e[4] = {b->e[0], b->e[1], b->e[2], b->e[3]}, com[3] = {b->com[0], b->com[1], b->com[2]};
        m3_quaternion(o->R + 9 * i, e);
        m3_times(o->r + 3 * i, o->R + 9 * i, com);
        for (int k = 0; k < 3; k++)
            o->r[3 * i + k] += (real)b->r[k];
    }
    for (int j = 0; j < m->njoint; j++)
        for (int k = 0; k < 7; k++) {
            const clv_joint *x = &m->joint[j];
            o->turn[7 * j + k] = x->has_q && k < clv_joint_table[x->kind].nq ? (real)x->q[k] : 0;
        }
}

oracle *oracle_create(const clv_model *model)
{
    oracle *o = oracle_allocate(1, sizeof *o);
    const size_t real_size = sizeof(real);
    size_t nb = (size_t)model->nbody, nj = (size_t)model->njoint;
    o->model = model;
    o->n = 6 * model->nbody;
    o->joint_row = oracle_allocate(nj + 1, sizeof *o->joint_row);
    o->motion_row = oracle_allocate((size_t)model->nmotion, sizeof *o->motion_row);
    o->coupling_row = oracle_allocate((size_t)model->ncoupling, sizeof *o->coupling_row);
    for (int j = 0; j < model->njoint; j++)
        o->joint_row[j + 1] = o->joint_row[j] + oracle_joint_row_count(model->joint[j].kind);
    o->rows = o->joint_row[model->njoint];
    for (int k = 0; k < model->nmotion; k++)
        o->motion_row[k] = o->rows++;
    for (int k = 0; k < model->ncoupling; k++)
        o->coupling_row[k] = o->rows++;
    size_t n = (size_t)o->n, m = (size_t)o->rows;
    o->r = oracle_allocate(3 * nb, real_size);
    o->R = oracle_allocate(9 * nb, real_size);
    o->V = oracle_allocate(n, real_size);
    o->turn = oracle_allocate(7 * nj, real_size);
    o->violation = oracle_allocate(m, real_size);
    o->rate = oracle_allocate(m, real_size);
    o->gamma = oracle_allocate(m, real_size);
    o->J = oracle_allocate(m * n, real_size);
    o->T = oracle_allocate(6 * m, real_size);
    o->L = oracle_allocate(n * n + 9 * nb, real_size);
    o->scale = oracle_allocate(m, real_size);
    o->weight = oracle_allocate(m, real_size);
    start_state(o);
    oracle_update(o);
    return o;
}

void oracle_destroy(oracle *o)
{
    if (!o)
        return;
    if (o->factored)
        linear_cod_destroy(&o->cod);
    void *all[] = {o->joint_row, o->motion_row, o->coupling_row, o->r, o->R, o->V, o->turn, o->violation, o->rate,
                   o->gamma, o->J, o->T, o->L, o->scale, o->weight};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(o);
}

/* R := R (3 - R^T R) / 2, twice: from double to extended orthogonality */
static void orthogonalise(real R[9])
{
    for (int it = 0; it < 2; it++) {
        real X[9];
        m3_transpose(X, R);
        m3_multiply(X, X, R);
        for (int i = 0; i < 9; i++)
            X[i] = ((i % 4 == 0 ? 3 : 0) - X[i]) / 2;
        m3_multiply(R, R, X);
    }
}

void oracle_set(oracle *o, double time, const double *r, const double *R, const double *V, const double *q)
{
    int nb = o->model->nbody;
    o->time = time;
    for (int i = 0; i < 3 * nb; i++)
        o->r[i] = (real)r[i];
    for (int i = 0; i < 9 * nb; i++)
        o->R[i] = (real)R[i];
    for (int i = 0; i < nb; i++)
        orthogonalise(o->R + 9 * i);
    for (int i = 0; i < o->n; i++)
        o->V[i] = V ? (real)V[i] : 0;
    for (int i = 0; q && i < 7 * o->model->njoint; i++)
        o->turn[i] = (real)q[i];
    oracle_update(o);
}

/* ---- rows */

static void place_blocks(oracle *o, int joint, int row, const real T[6], real factor)
{
    oracle_end A, B;
    real Ja[6], Jb[6], *J = o->J + (size_t)row * (size_t)o->n;
    oracle_ends(o, joint, &A, &B);
    oracle_row_blocks(&A, &B, T, Ja, Jb);
    for (int i = 0; i < 6; i++) {
        if (A.body >= 0)
            J[6 * A.body + i] += factor * Ja[i];
        if (B.body >= 0)
            J[6 * B.body + i] += factor * Jb[i];
    }
}

static void motion_row(oracle *o, int k)
{
    const clv_motion *m = &o->model->motion[k];
    const real turn = 6.28318530717958647692528676655900577L;
    int r = o->motion_row[k];
    oracle_row row;
    real q, qd, qdd;
    oracle_motion_at(m, o->time, &q, &qd, &qdd);
    oracle_coordinate(o, m->joint, 0, &row);
    place_blocks(o, m->joint, r, row.T, 1);
    memcpy(o->T + 6 * r, row.T, sizeof row.T);
    o->violation[r] = row.violation - q;
    if (o->model->joint[m->joint].kind != CLV_JOINT_PRISMATIC) /* an angle: whole turns do not count */
        o->violation[r] -= turn * roundl(o->violation[r] / turn);
    o->rate[r] = qd;
    o->gamma[r] = qdd + row.gamma;
}

/* f, f', f'' of a term: polynomials here, tables as the model has them */
static void term_of(const clv_coupling *c, int i, real q, real f[3])
{
    double x[3];
    if (i == 1 && c->npolynomial > 0) {
        real power[CLV_COUPLING_DEGREE + 1] = {1};
        f[0] = f[1] = f[2] = 0;
        for (int k = 0; k < c->npolynomial; k++) {
            const real a = (real)c->polynomial[k] * (real)c->term[i].factor;
            power[k] = k > 0 ? power[k - 1] * q : 1;
            f[0] += a * power[k];
            f[1] += k > 0 ? a * k * power[k - 1] : 0;
            f[2] += k > 1 ? a * k * (k - 1) * power[k - 2] : 0;
        }
        return;
    }
    clv_coupling_term_at(c, i, (double)q, x);
    f[0] = i == 1 && c->table.n > 0 ? (real)x[0] : (real)c->term[i].factor * q;
    f[1] = (real)x[1], f[2] = (real)x[2];
}

static void coupling_row(oracle *o, int k)
{
    const clv_coupling *c = &o->model->coupling[k];
    int r = o->coupling_row[k];
    o->violation[r] = -(real)c->offset;
    o->rate[r] = o->gamma[r] = 0;
    for (int i = 0; i < c->nterm; i++) {
        oracle_row row;
        real f[3];
        oracle_coordinate(o, c->term[i].joint, 0, &row);
        term_of(c, i, row.violation, f);
        place_blocks(o, c->term[i].joint, r, row.T, f[1]);
        o->violation[r] += f[0];
        o->gamma[r] += f[1] * row.gamma - f[2] * row.rate * row.rate;
    }
}

void oracle_coupling_wrench(const oracle *o, const real *mu, int coupling, int term, real w[6])
{
    const clv_coupling *c = &o->model->coupling[coupling];
    oracle_row row;
    real f[3];
    oracle_coordinate(o, c->term[term].joint, 0, &row);
    term_of(c, term, row.violation, f);
    for (int i = 0; i < 6; i++)
        w[i] = f[1] * row.T[i] * mu[o->coupling_row[coupling]];
}

static void evaluate_rows(oracle *o)
{
    const clv_model *m = o->model;
    memset(o->J, 0, (size_t)o->rows * (size_t)o->n * sizeof *o->J);
    for (int j = 0; j < m->njoint; j++) {
        oracle_row row[6];
        int n = oracle_joint_rows(o, j, row);
        for (int i = 0; i < n; i++) {
            int r = o->joint_row[j] + i;
            place_blocks(o, j, r, row[i].T, 1);
            memcpy(o->T + 6 * r, row[i].T, sizeof row[i].T);
            o->violation[r] = row[i].violation;
            o->rate[r] = 0;
            o->gamma[r] = row[i].gamma;
        }
    }
    for (int k = 0; k < m->nmotion; k++)
        motion_row(o, k);
    for (int k = 0; k < m->ncoupling; k++)
        coupling_row(o, k);
}

void oracle_update(oracle *o)
{
    evaluate_rows(o);
    if (o->factored)
        linear_cod_destroy(&o->cod);
    o->factored = false;
}

void oracle_set_velocity(oracle *o, const real *V)
{
    memmove(o->V, V, (size_t)o->n * sizeof *V);
    evaluate_rows(o); /* J stays: the factors too */
}

real oracle_violation(const oracle *o)
{
    real most = 0;
    for (int i = 0; i < o->rows; i++)
        most = fmaxl(most, fabsl(o->violation[i]));
    return most;
}

/* ---- mass */

/* inertia about the centre of mass, global axes */
static void global_inertia(const oracle *o, int body, real J[9])
{
    const double *j = o->model->body[body].J;
    real local[9] = {j[0], j[3], j[4], j[3], j[1], j[5], j[4], j[5], j[2]}, Rt[9];
    m3_transpose(Rt, o->R + 9 * body);
    m3_multiply(J, o->R + 9 * body, local);
    m3_multiply(J, J, Rt);
}

/* A rotor R along rate c of a joint (T113): row g of its rate on the bodies (n); bias: u' = g.a - bias. */
static real rotor(const oracle *o, int joint, int c, real *g, real *bias)
{
    oracle_end A, B;
    oracle_row row;
    real Ja[6], Jb[6];
    memset(g, 0, (size_t)o->n * sizeof *g);
    if (c >= oracle_joint_freedoms(o->model->joint[joint].kind) || !(o->model->joint[joint].more->armature[c] > 0))
        return 0;
    oracle_coordinate(o, joint, c, &row);
    oracle_ends(o, joint, &A, &B);
    oracle_row_blocks(&A, &B, row.T, Ja, Jb);
    for (int i = 0; i < 6; i++) {
        if (A.body >= 0)
            g[6 * A.body + i] += Ja[i];
        if (B.body >= 0)
            g[6 * B.body + i] += Jb[i];
    }
    *bias = row.gamma;
    return (real)o->model->joint[joint].more->armature[c];
}

static bool has_rotors(const oracle *o)
{
    for (int j = 0; j < o->model->njoint; j++)
        if (clv_joint_armed(&o->model->joint[j]))
            return true;
    return false;
}

/* x += R g (g.y) of all rotors, or R g times their biases where y is NULL */
static void add_rotors(const oracle *o, const real *y, real *x)
{
    real *g = oracle_allocate((size_t)o->n, sizeof *g), bias = 0;
    for (int j = 0; j < o->model->njoint; j++)
        for (int c = 0; c < 3; c++) {
            const real R = rotor(o, j, c, g, &bias);
            real along = y ? 0 : bias;
            for (int i = 0; y && R > 0 && i < o->n; i++)
                along += g[i] * y[i];
            for (int i = 0; R > 0 && i < o->n; i++)
                x[i] += R * g[i] * along;
        }
    free(g);
}

void oracle_mass_times(const oracle *o, const real *y, real *x)
{
    for (int i = 0; i < o->model->nbody; i++) {
        real J[9];
        global_inertia(o, i, J);
        m3_times(x + 6 * i + 3, J, y + 6 * i + 3);
        for (int k = 0; k < 3; k++)
            x[6 * i + k] = (real)o->model->body[i].mass * y[6 * i + k];
    }
    add_rotors(o, y, x);
}

real oracle_kinetic_energy(const oracle *o)
{
    real *P = oracle_allocate((size_t)o->n, sizeof *P), T = 0;
    oracle_mass_times(o, o->V, P);
    for (int i = 0; i < o->n; i++)
        T += P[i] * o->V[i] / 2;
    free(P);
    return T;
}

/* M = L L^T by bodies; false if a body's inertia cannot be inverted (to double precision of the data) */
static bool factor_bodies(oracle *o)
{
    if (has_rotors(o))
        return false;
    for (int i = 0; i < o->model->nbody; i++) {
        real *L = o->L + 9 * i, mean;
        global_inertia(o, i, L);
        mean = L[0] + L[4] + L[8];
        if (!(o->model->body[i].mass > 0) || !linear_cholesky(L, 3))
            return false;
        if (L[0] * L[0] < 1e-14L * mean || L[4] * L[4] < 1e-14L * mean || L[8] * L[8] < 1e-14L * mean)
            return false;
    }
    return true;
}

/* M + w J^T J with rows of J of norm one, w the mean inertia */
static bool factor_dense(oracle *o)
{
    size_t n = (size_t)o->n;
    real trace = 0;
    memset(o->L, 0, n * n * sizeof *o->L);
    for (int i = 0; i < o->model->nbody; i++) {
        real J[9];
        global_inertia(o, i, J);
        for (size_t a = 0; a < 3; a++) {
            size_t t = 6 * (size_t)i + a;
            o->L[t * n + t] = (real)o->model->body[i].mass;
            trace += o->L[t * n + t] + J[4 * a];
            for (size_t b = 0; b < 3; b++)
                o->L[(t + 3) * n + 6 * (size_t)i + 3 + b] = J[3 * a + b];
        }
    }
    real *g = oracle_allocate(n, sizeof *g), bias;
    for (int j = 0; j < o->model->njoint; j++)
        for (int c = 0; c < 3; c++) {
            const real R = rotor(o, j, c, g, &bias);
            for (size_t i = 0; R > 0 && i < n; i++)
                for (size_t k = 0; g[i] != 0 && k < n; k++)
                    o->L[i * n + k] += R * g[i] * g[k];
        }
    free(g);
    for (int r = 0; r < o->rows; r++) {
        const real *J = o->J + (size_t)r * n;
        real s = 0;
        for (size_t i = 0; i < n; i++)
            s += J[i] * J[i];
        o->weight[r] = trace / (real)n / s;
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; J[i] != 0 && k < n; k++)
                o->L[i * n + k] += o->weight[r] * J[i] * J[k];
    }
    return linear_cholesky(o->L, o->n);
}

/* x := L^-1 x, or L^-T x */
static void unload(const oracle *o, bool transposed, real *x)
{
    if (o->dense_mass) {
        (transposed ? linear_lower_solve_transposed : linear_lower_solve)(o->L, o->n, x);
        return;
    }
    for (int i = 0; i < o->model->nbody; i++) {
        real s = 1 / sqrtl((real)o->model->body[i].mass);
        for (int k = 0; k < 3; k++)
            x[6 * i + k] *= s;
        (transposed ? linear_lower_solve_transposed : linear_lower_solve)(o->L + 9 * i, 3, x + 6 * i + 3);
    }
}

/* ---- the matrix */

/* Eigenvalues of [[1, S^T], [S, 0]]: (1 +- sqrt(1 + 4 s^2)) / 2 for every singular value s,
 * and 1 if S has fewer than n. */
static real kkt_condition(const oracle *o)
{
    if (o->rank == 0)
        return 1;
    real high = o->cod.sv[0], low = o->cod.sv[o->rank - 1];
    real most = (1 + sqrtl(1 + 4 * high * high)) / 2, least = 2 * low * low / (1 + sqrtl(1 + 4 * low * low));
    return most / (o->rank < o->n ? fminl(least, 1) : least);
}

void oracle_factor(oracle *o)
{
    if (o->factored)
        return;
    size_t n = (size_t)o->n, m = (size_t)o->rows;
    real *S = oracle_allocate(m * n, sizeof *S);
    o->dense_mass = !factor_bodies(o);
    if (o->dense_mass && !factor_dense(o)) {
        fputs("oracle: a direction has no inertia\n", stderr);
        abort();
    }
    memcpy(S, o->J, m * n * sizeof *S);
    for (size_t r = 0; r < m; r++) { /* rows of J L^-T are the columns of its transpose */
        real s = 0, *row = S + r * n;
        unload(o, false, row);
        for (size_t i = 0; i < n; i++)
            s += row[i] * row[i];
        o->scale[r] = s > 0 ? 1 / sqrtl(s) : 1;
        for (size_t i = 0; i < n; i++)
            row[i] *= o->scale[r];
    }
    if (!linear_cod_create(&o->cod, S, o->n, o->rows, ORACLE_RANK)) {
        fputs("oracle: no convergence\n", stderr);
        abort();
    }
    free(S);
    o->factored = true;
    o->rank = o->cod.rank;
    o->kept = o->rank > 0 ? o->cod.sv[o->rank - 1] / o->cod.sv[0] : 1;
    o->dropped = o->rank < o->cod.nsv && o->rank > 0 ? o->cod.sv[o->rank] / o->cod.sv[0] : 0;
    o->condition = kkt_condition(o);
}

/* residual of J x = c, rows scaled to norm one */
static real residual(const oracle *o, const real *x, const real *c)
{
    real most = 0;
    for (int r = 0; r < o->rows; r++) {
        const real *J = o->J + (size_t)r * (size_t)o->n;
        real s = -c[r], norm = 0;
        for (int i = 0; i < o->n; i++) {
            s += J[i] * x[i];
            norm += J[i] * J[i];
        }
        most = fmaxl(most, fabsl(s) / (norm > 0 ? sqrtl(norm) : 1));
    }
    return most;
}

real oracle_kkt(oracle *o, const real *b, const real *c, real *x, real *mu)
{
    size_t n = (size_t)o->n, m = (size_t)o->rows;
    real *f = oracle_allocate(3 * n + 2 * m, sizeof *f), *y = f + n, *rest = y + n, *g = rest + n, *z = g + m;
    oracle_factor(o);
    memcpy(f, b, n * sizeof *f);
    for (size_t r = 0; o->dense_mass && r < m; r++) /* (M + J^T w J) x = b + J^T w c + J^T mu: the same x and mu */
        for (size_t i = 0; i < n; i++)
            f[i] += o->weight[r] * c[r] * o->J[r * n + i];
    unload(o, false, f);
    for (size_t r = 0; r < m; r++)
        g[r] = o->scale[r] * c[r];
    linear_cod_range_solve(&o->cod, g, y); /* y: the part in the range of J^T, from the rows */
    memcpy(rest, f, n * sizeof *rest);
    linear_cod_complement(&o->cod, rest);
    for (size_t i = 0; i < n; i++) {
        y[i] += rest[i];
        f[i] = y[i] - f[i];
    }
    if (mu) {
        linear_cod_multipliers(&o->cod, f, z);
        for (size_t r = 0; r < m; r++)
            mu[r] = o->scale[r] * z[r];
    }
    unload(o, true, y);
    real left = residual(o, y, c);
    if (x)
        memcpy(x, y, n * sizeof *x);
    free(f);
    return left;
}

/* ---- what is asked */

real oracle_accelerations(oracle *o, real *a, real *mu)
{
    real *Q = oracle_allocate((size_t)o->n, sizeof *Q);
    oracle_loads(o, Q);
    for (int i = 0; i < o->model->nbody; i++) { /* - w x J w */
        real J[9], h[3];
        const real *w = o->V + 6 * i + 3;
        global_inertia(o, i, J);
        m3_times(h, J, w);
        v3_cross(h, w, h);
        v3_add_scaled(Q + 6 * i + 3, -1, h);
    }
    add_rotors(o, NULL, Q);
    real left = oracle_kkt(o, Q, o->gamma, a, mu);
    free(Q);
    return left;
}

real oracle_velocities(oracle *o, const real *P, real *V) { return oracle_kkt(o, P, o->rate, V, NULL); }

real oracle_project_velocity(oracle *o)
{
    real *P = oracle_allocate((size_t)o->n, sizeof *P);
    oracle_mass_times(o, o->V, P);
    real left = oracle_kkt(o, P, o->rate, P, NULL);
    oracle_set_velocity(o, P);
    free(P);
    return left;
}

real oracle_project_position(oracle *o, int iterations)
{
    real *b = oracle_allocate((size_t)(2 * o->n + o->rows), sizeof *b), *x = b + o->n, *c = x + o->n;
    for (int it = 0; it < iterations; it++) {
        for (int r = 0; r < o->rows; r++)
            c[r] = -o->violation[r];
        oracle_kkt(o, b, c, x, NULL);
        for (int i = 0; i < o->model->nbody; i++) {
            real E[9];
            v3_add_scaled(o->r + 3 * i, 1, x + 6 * i);
            m3_exponential(E, x + 6 * i + 3);
            m3_multiply(o->R + 9 * i, E, o->R + 9 * i);
            orthogonalise(o->R + 9 * i);
        }
        oracle_update(o);
    }
    free(b);
    return oracle_violation(o);
}
