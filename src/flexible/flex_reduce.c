/* SPDX-License-Identifier: Apache-2.0
 * Modes after Craig and Bampton (T33.1, T33.2): u = V eta, by columns of length 6 nnode, vector k at [N k ..]. */
#include "flexible/flex_reduce.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/lapack.h"
#include "math/symmetric.h"
#include "flexible/flex_integrals.h"

#include <math.h>
#include <string.h>

typedef struct reduction {
    const clv_fe *fe;
    clv_error *error;
    int N, ni, nc, n; /* dof; interior, of the interfaces but the frame, modes of the body */
    int *inner;       /* (ni) dof */
    double *A, *B;    /* (ni x ni) */
    double *mu;       /* (ni) */
    double *V;        /* (n x N) */
} reduction;

static clv_status no_memory(reduction *r)
{
    return clv_fail(r->error, CLV_ERR_MEMORY, "out of memory");
}

static bool find_inner(reduction *r)
{
    const clv_fe *fe = r->fe;
    bool *held = clv_alloc((size_t)fe->nnode, sizeof *held);
    r->inner = clv_alloc((size_t)r->N, sizeof *r->inner);
    for (int i = 0; held && i < fe->ninterface; i++)
        for (int k = 0; k < fe->interface[i].nnode; k++)
            held[fe->interface[i].node[k]] = true;
    for (int k = 0; held && r->inner && k < r->N; k++)
        if (!held[k / 6])
            r->inner[r->ni++] = k;
    clv_free(held);
    return held && r->inner;
}

/* ---------------------------------------------------------------- modes with the interfaces held */

static clv_status held_modes(reduction *r)
{
    size_t n = (size_t)r->ni, N = (size_t)r->N;
    r->A = clv_alloc(n * n + 1, sizeof *r->A);
    r->B = clv_alloc(n * n + 1, sizeof *r->B);
    r->mu = clv_alloc(n + 1, sizeof *r->mu);
    if (!r->A || !r->B || !r->mu)
        return no_memory(r);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            r->A[i * n + k] = r->fe->M[(size_t)r->inner[i] * N + (size_t)r->inner[k]];
            r->B[i * n + k] = r->fe->K[(size_t)r->inner[i] * N + (size_t)r->inner[k]];
        }
    int found = n > 0 ? clv_lapack_pencil(r->mu, r->A, r->B, r->ni) : 0;
    if (found == -1)
        return no_memory(r);
    if (found > 0) {
        int dof = r->inner[found - 1];
        clv_fail(r->error, CLV_ERR_MODEL,
                 "the stiffness is not positive definite with the interfaces held: node %s can %s %c freely",
                 r->fe->name[dof / 6], dof % 6 < 3 ? "translate along" : "rotate about", "xyz"[dof % 3]);
        clv_error_hint(r->error, "attach every node to elements; give the rotations of nodes of solid elements a "
                                 "small stiffness");
        return CLV_ERR_MODEL;
    }
    if (found < 0)
        return clv_fail(r->error, CLV_ERR_NO_CONVERGENCE, "the modes with the interfaces held were not found");
    if (n > 0 && !(r->mu[0] >= -1e-9 * fabs(r->mu[n - 1])))
        return clv_fail(r->error, CLV_ERR_MODEL,
                        "the mass matrix is not positive semidefinite: a motion has negative kinetic energy");
    return CLV_OK;
}

/* How many of them are taken; mu = 1 / omega^2 ascends. */
static clv_status count_modes(reduction *r, int *fixed)
{
    const clv_fe *fe = r->fe;
    int there = 0;
    *fixed = fe->modes;
    for (int k = r->ni - 1; k >= 0 && r->mu[k] > 1e-13 * r->mu[r->ni - 1]; k--)
        there++;
    if (fe->modes < 0)
        for (*fixed = 0; *fixed < there && r->mu[r->ni - 1 - *fixed] * fe->most * fe->most >= 1;)
            ++*fixed;
    if (*fixed > there)
        return clv_fail(r->error, CLV_ERR_MODEL, "%d modes are requested, but with the interfaces held there are %d",
                        *fixed, there);
    r->n = r->nc + *fixed;
    if (r->n < 1)
        return clv_fail(r->error, CLV_ERR_MODEL,
                        "no modes are left: there is no other interface, and no modes with the interfaces held are "
                        "requested");
    if (r->n > CLV_FLEX_MOST_MODES)
        return clv_fail(r->error, CLV_ERR_UNSUPPORTED, "the body would have %d modes; the most is %d", r->n,
                        CLV_FLEX_MOST_MODES);
    return CLV_OK;
}

/* ---------------------------------------------------------------- statics of the interfaces */

/* V_k := the translation (d < 3) or rotation of interface i along FE axis d, the rest following by statics. */
static void put_static(reduction *r, const clv_fe_interface *at, int d, double *v, double *load)
{
    size_t N = (size_t)r->N;
    for (int k = 0; k < at->nnode; k++)
        clv_fe_rigid(v + 6 * at->node[k], r->fe->position + 3 * at->node[k], at->position, d);
    for (int i = 0; i < r->ni; i++) {
        const double *row = r->fe->K + (size_t)r->inner[i] * N;
        double s = 0;
        for (int k = 0; k < at->nnode; k++)
            for (int j = 6 * at->node[k]; j < 6 * at->node[k] + 6; j++)
                s += row[j] * v[j];
        load[i] = -s;
    }
    if (r->ni > 0)
        clv_lapack_solve(r->B, r->ni, load, 1);
    for (int i = 0; i < r->ni; i++)
        v[r->inner[i]] = load[i];
}

static clv_status fill_modes(reduction *r, int fixed)
{
    size_t N = (size_t)r->N;
    int k = 0;
    double *load = clv_alloc((size_t)r->ni + 1, sizeof *load);
    r->V = clv_alloc((size_t)r->n * N, sizeof *r->V);
    if (load && r->V) {
        for (int i = 0; i < r->fe->ninterface; i++)
            for (int d = 0; d < 6 && i != r->fe->frame; d++)
                put_static(r, &r->fe->interface[i], d, r->V + (size_t)k++ * N, load);
        for (int j = 0; j < fixed; j++, k++) {
            int column = r->ni - 1 - j;
            for (int i = 0; i < r->ni; i++)
                r->V[(size_t)k * N + (size_t)r->inner[i]] =
                    r->A[(size_t)column * (size_t)r->ni + (size_t)i] / sqrt(r->mu[column]);
        }
    }
    clv_free(load);
    return load && r->V ? CLV_OK : no_memory(r);
}

/* ---------------------------------------------------------------- orthonormal modes */

/* G = V^T Q V (n x n), exactly symmetric; scratch: N */
static void project(const reduction *r, const double *Q, double *G, double *scratch)
{
    size_t N = (size_t)r->N;
    for (int l = 0; l < r->n; l++) {
        clv_fe_times(scratch, Q, r->V + (size_t)l * N, r->N);
        for (int k = 0; k <= l; k++)
            G[k * r->n + l] = G[l * r->n + k] = clv_fe_dot(r->V + (size_t)k * N, scratch, r->N);
    }
}

/* V := V X, settled: X by columns */
static clv_status turn_modes(reduction *r, double *omega2, const double *X)
{
    size_t N = (size_t)r->N, n = (size_t)r->n;
    double *W = clv_alloc(N * n, sizeof *W); /* rows x n */
    if (!W)
        return no_memory(r);
    for (size_t i = 0; i < N; i++)
        for (size_t l = 0; l < n; l++)
            for (size_t k = 0; k < n; k++)
                W[i * n + l] += r->V[k * N + i] * X[k * n + l];
    clv_modes_settle(W, r->N, r->n, omega2);
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < n; k++)
            r->V[k * N + i] = W[i * n + k];
    clv_free(W);
    return CLV_OK;
}

static clv_status orthonormal(reduction *r, double *omega2)
{
    size_t n2 = (size_t)r->n * (size_t)r->n;
    double *G = clv_alloc(3 * n2 + (size_t)r->N, sizeof *G);
    if (!G)
        return no_memory(r);
    project(r, r->fe->K, G, G + 3 * n2);
    project(r, r->fe->M, G + n2, G + 3 * n2);
    clv_status status = CLV_OK;
    if (!clv_pencil_eigen(omega2, G + 2 * n2, G, G + n2, r->n))
        status =
            clv_fail(r->error, CLV_ERR_MODEL,
                     "the mass matrix is not positive definite on the modes: a motion of an interface moves no mass");
    else if (!(omega2[0] > 0))
        status = clv_fail(r->error, CLV_ERR_MODEL,
                          "the stiffness is not positive definite with the frame held: the body can move freely");
    else
        status = turn_modes(r, omega2, G + 2 * n2);
    clv_free(G);
    return status;
}

static clv_status fill_body(reduction *r, clv_flex_body *b, const double *omega2)
{
    const clv_fe *fe = r->fe;
    double *scratch = clv_alloc((size_t)r->N, sizeof *scratch);
    if (!scratch || !clv_flex_body_open(b, r->n, fe->ninterface - 1)) {
        clv_free(scratch);
        return no_memory(r);
    }
    for (int k = 0; k < r->n; k++)
        b->flex.K[k * r->n + k] = omega2[k];
    if (fe->D)
        project(r, fe->D, b->flex.C, scratch);
    b->flex.limit = CLV_FLEX_SPIN * sqrt(omega2[0]);
    clv_free(scratch);
    clv_status status = clv_fe_integrals(b, fe, r->V, r->error);
    if (status != CLV_OK)
        clv_flex_body_close(b);
    return status;
}

clv_status clv_fe_reduce(clv_flex_body *b, int *fixed, const clv_fe *fe, clv_error *e)
{
    reduction r = {.fe = fe, .error = e, .N = 6 * fe->nnode, .nc = 6 * (fe->ninterface - 1)};
    *b = (clv_flex_body){0};
    if (!clv_lapack_present()) {
        clv_fail(e, CLV_ERR_UNSUPPORTED, "flex reduce: there is no LAPACK (liblapack.so.3)");
        clv_error_hint(e, "install liblapack3; a program built with CLV_LAPACK=OFF does not use it");
        return CLV_ERR_UNSUPPORTED;
    }
    if (r.N > CLV_FE_MOST)
        return clv_fail(e, CLV_ERR_UNSUPPORTED, "the body has %d degrees of freedom; the most is %d", r.N, CLV_FE_MOST);
    clv_status status = clv_fe_check(fe, e);
    if (status == CLV_OK && !find_inner(&r))
        status = no_memory(&r);
    status = status != CLV_OK ? status : held_modes(&r);
    status = status != CLV_OK ? status : count_modes(&r, fixed);
    double *omega2 = status == CLV_OK ? clv_alloc((size_t)r.n, sizeof *omega2) : NULL;
    if (omega2) {
        status = fill_modes(&r, *fixed);
        status = status != CLV_OK ? status : orthonormal(&r, omega2);
        status = status != CLV_OK ? status : fill_body(&r, b, omega2);
    } else if (status == CLV_OK)
        status = no_memory(&r);
    clv_free(r.inner), clv_free(r.A), clv_free(r.B), clv_free(r.mu), clv_free(r.V), clv_free(omega2);
    return status;
}
