/* SPDX-License-Identifier: Apache-2.0
 * Random clouds and their integrals, summed in extended precision. */
#include "oracle/flex_cloud.h"
#include "oracle/oracle_linear.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void *oracle_allocate(size_t count, size_t size);

static double *numbers(size_t n) { return oracle_allocate(n, sizeof(double)); }

flex_cloud *flex_cloud_open(int npoint, int nmode, int ndisc)
{
    flex_cloud *c = oracle_allocate(1, sizeof *c);
    size_t n = (size_t)npoint, m = (size_t)nmode, d = (size_t)ndisc;
    c->npoint = npoint, c->nmode = nmode, c->ndisc = ndisc;
    c->mass = numbers(n), c->x = numbers(3 * n), c->phi = numbers(3 * n * m), c->disc = numbers(6 * d),
    c->turn = numbers(3 * m * d);
    return c;
}

flex_cloud *flex_cloud_create(random_stream *s, int npoint, int nmode)
{
    flex_cloud *c = flex_cloud_open(npoint, nmode, 1);
    size_t n = (size_t)npoint, m = (size_t)nmode;
    double size = exp(random_uniform(s, -1, 1)), heavy = exp(random_uniform(s, -2, 2)), far = random_normal(s);
    for (size_t i = 0; i < n; i++) {
        c->mass[i] = heavy * random_uniform(s, 0.1, 1);
        for (int k = 0; k < 3; k++)
            c->x[3 * i + (size_t)k] = size * random_normal(s) + far;
    }
    for (size_t i = 0; i < 3 * n * m; i++)
        c->phi[i] = random_normal(s);
    for (int k = 0; k < 3; k++)
        c->disc[k] = 0.1 * heavy * random_uniform(s, 0.8, 1), c->disc[3 + k] = 0.02 * heavy * random_normal(s) / 3;
    for (size_t i = 0; i < 3 * m; i++)
        c->turn[i] = 0.3 * random_normal(s);
    return c;
}

void flex_cloud_destroy(flex_cloud *c)
{
    if (!c)
        return;
    free(c->mass), free(c->x), free(c->phi), free(c->disc), free(c->turn), free(c);
}

static double disc_entry(const flex_cloud *c, int i, int j)
{
    static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    return c->disc[at[i][j]];
}

/* sum over points of mass times a_i b_j; a, b: the place (mode -1) or a mode shape */
static real moment(const flex_cloud *c, int a, int i, int b, int j)
{
    real sum = 0;
    for (int p = 0; p < c->npoint; p++) {
        const double *x = a < 0 ? c->x + 3 * p : c->phi + 3 * (p * c->nmode + a);
        const double *y = b < 0 ? c->x + 3 * p : c->phi + 3 * (p * c->nmode + b);
        sum += (real)c->mass[p] * (real)x[i] * (real)y[j];
    }
    return sum;
}

static void rigid_part(const flex_cloud *c, clv_body_desc *d)
{
    real mass = 0, first[3] = {0}, J[3][3], trace = 0;
    for (int p = 0; p < c->npoint; p++) {
        mass += (real)c->mass[p];
        for (int i = 0; i < 3; i++)
            first[i] += (real)c->mass[p] * (real)c->x[3 * p + i];
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            J[i][j] = moment(c, -1, i, -1, j) - first[i] * first[j] / mass;
    trace = J[0][0] + J[1][1] + J[2][2];
    d->mass = (double)mass;
    static const int row[6] = {0, 1, 2, 0, 0, 1}, col[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; k++)
        d->inertia[k] = (double)((row[k] == col[k] ? trace : 0) - J[row[k]][col[k]] + (real)c->disc[k]);
    for (int i = 0; i < 3; i++)
        d->com[i] = (double)(first[i] / mass);
}

static void integrals(const flex_cloud *c, clv_flex *f)
{
    int n = c->nmode;
    size_t m = (size_t)n;
    f->nmode = n;
    f->S = numbers(3 * m), f->h = numbers(3 * m), f->E = numbers(9 * m), f->B = numbers(9 * m * m),
    f->Mff = numbers(m * m);
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < 3; i++) {
            real sum = 0, turn = 0;
            for (int p = 0; p < c->npoint; p++)
                sum += (real)c->mass[p] * (real)c->phi[3 * (p * n + k) + i];
            for (int j = 0; j < 3; j++)
                turn += (real)disc_entry(c, i, j) * (real)c->turn[3 * k + j];
            f->S[3 * k + i] = (double)sum;
            f->h[3 * k + i] = (double)(moment(c, -1, (i + 1) % 3, k, (i + 2) % 3) -
                                       moment(c, -1, (i + 2) % 3, k, (i + 1) % 3) + turn);
            for (int j = 0; j < 3; j++)
                f->E[9 * k + 3 * i + j] = (double)moment(c, -1, i, k, j);
        }
        for (int l = 0; l < n; l++) {
            real mass = 0;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    f->B[9 * (n * k + l) + 3 * i + j] = (double)moment(c, k, i, l, j);
                    mass += (real)c->turn[3 * k + i] * (real)disc_entry(c, i, j) * (real)c->turn[3 * l + j];
                    mass += i == j ? moment(c, k, i, l, i) : 0;
                }
            f->Mff[n * k + l] = (double)mass;
        }
    }
}

/* A^T A of a random A, times a size: positive definite */
static double *positive(random_stream *s, int n, double size)
{
    double *K = numbers((size_t)n * (size_t)n), *A = numbers((size_t)n * (size_t)n);
    for (int i = 0; i < n * n; i++)
        A[i] = random_normal(s) + (i % (n + 1) == 0 ? 2 : 0);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += A[k * n + i] * A[k * n + j];
            K[i * n + j] = K[j * n + i] = size * sum;
        }
    free(A);
    return K;
}

int flex_cloud_add(clv_model *m, const flex_cloud *c, random_stream *s, const char *name, int nnode)
{
    int body = -1;
    clv_body_desc d = clv_body_desc_default();
    clv_flex f = {.nnode = nnode, .node = oracle_allocate((size_t)nnode, sizeof *f.node)};
    char text[8][8];
    d.name = name;
    rigid_part(c, &d);
    integrals(c, &f);
    f.K = positive(s, c->nmode, 20 * d.mass), f.C = positive(s, c->nmode, 0.2 * d.mass);
    f.eta = numbers((size_t)c->nmode), f.etad = numbers((size_t)c->nmode);
    for (int k = 0; k < c->nmode; k++)
        f.eta[k] = 0.2 * random_normal(s), f.etad[k] = random_normal(s);
    for (int i = 0; i < nnode; i++) {
        clv_flex_node *n = &f.node[i];
        snprintf(text[i % 8], sizeof text[0], "n%d", i % 100);
        n->name = text[i % 8];
        n->shape = numbers(6 * (size_t)c->nmode);
        double e[4], size = 0;
        for (int k = 0; k < 4; k++)
            e[k] = random_normal(s), size += e[k] * e[k];
        for (int k = 0; k < 4; k++)
            n->orientation[k] = e[k] / sqrt(size);
        for (int k = 0; k < 3; k++)
            n->position[k] = random_normal(s);
        for (int k = 0; k < 6 * c->nmode; k++)
            n->shape[k] = random_normal(s);
    }
    if (clv_model_add_body(m, &body, &d) == CLV_OK) {
        f.body = body;
        if (clv_model_add_flex(m, NULL, &f) != CLV_OK)
            body = -1;
    }
    for (int i = 0; i < nnode; i++)
        free(f.node[i].shape);
    free(f.node), free(f.S), free(f.h), free(f.E), free(f.B), free(f.Mff), free(f.K), free(f.C), free(f.eta),
        free(f.etad);
    return body;
}
