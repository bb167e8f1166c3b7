/* SPDX-License-Identifier: Apache-2.0
 * Dense matrices by panels (T18): the factor against plain sums, the same bits for all widths, unknowns left at zero,
 * panels that begin where their rows do. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/cpu.h"
#include "engine/kernels.h"
#include "oracle/random_system.h"

typedef struct problem {
    clv_arena arena;
    clv_block b;
    int n, m;
    double *M, *J; /* (n x n), (m x n) */
} problem;

/* M of a forest whose roots are every `run`-th unknown: zero between different trees */
static void create(problem *p, int n, int m, int run, uint64_t seed)
{
    random_stream r = {seed};
    *p = (problem){.n = n, .m = m, .M = calloc((size_t)(n * n), sizeof(double)), .J = calloc((size_t)(m * n + 1), 8)};
    for (int i = 0; i < n; i++)
        for (int j = i / run * run; j <= i; j++)
            p->M[i * n + j] = p->M[j * n + i] = i == j ? n + random_uniform(&r, 0, 1) : random_uniform(&r, -1, 1);
    for (int i = 0; i < m * n; i++)
        p->J[i] = random_uniform(&r, -1, 1);
    clv_block_layout(&p->b, n, m, &p->arena);
    assert_true(clv_arena_open(&p->arena));
    clv_block_layout(&p->b, n, m, &p->arena);
    for (int k = 0; k < p->b.npanel; k++)
        p->b.tree_first[k] = 8 * k / run * run / 8 * 8;
}

static void fill(problem *p, bool full)
{
    clv_block_clear(&p->b, full);
    for (int i = 0; i < p->n; i++)
        for (int j = 0; j <= i; j++)
            if (p->M[i * p->n + j] != 0)
                *clv_block_entry(&p->b, i, j) = p->M[i * p->n + j];
    for (int r = 0; r < p->m; r++)
        for (int j = 0; j < p->n; j++)
            *clv_block_below(&p->b, r, j) = p->J[r * p->n + j];
}

static void destroy(problem *p)
{
    clv_arena_close(&p->arena);
    free(p->M), free(p->J);
}

/* x of M x = h + J^T l, with l below it */
static void solve(const clv_kernels *k, problem *p, const double *h, const double *l, double *x)
{
    memset(x, 0, (size_t)(p->b.nwide + 8 * p->b.nbelow) * sizeof(double));
    memcpy(x, h, (size_t)p->n * sizeof(double));
    k->block_lower(&p->b, x);
    for (int r = 0; r < p->m; r++)
        x[p->b.nwide + r] = -l[r];
    k->block_upper(&p->b, x);
}

static void check(problem *p, const clv_kernels *k, double *x)
{
    random_stream r = {7};
    double h[200], l[40] = {0}, worst = 0;
    for (int i = 0; i < p->n; i++)
        h[i] = random_uniform(&r, -1, 1);
    for (int i = 0; i < p->m; i++)
        l[i] = random_uniform(&r, -1, 1);
    k->block_factor(&p->b);
    assert_int_equal(p->b.failed, -1);
    solve(k, p, h, l, x);
    for (int i = 0; i < p->n; i++) {
        double left = h[i];
        for (int j = 0; j < p->n; j++)
            left -= p->M[i * p->n + j] * x[j];
        for (int j = 0; j < p->m; j++)
            left += p->J[j * p->n + i] * l[j];
        worst = fmax(worst, fabs(left));
    }
    assert_true(worst < 1e-12);
    /* Z l = J M^-1 J^T l: the motion of l alone */
    memset(h, 0, sizeof h);
    _Alignas(64) double y[240];
    solve(k, p, h, l, y);
    for (int i = 0; i < p->m; i++) {
        double z = 0, want = 0;
        for (int j = 0; j < p->m; j++)
            z += p->b.Z[(i > j ? i : j) * p->m + (i > j ? j : i)] * l[j];
        for (int j = 0; j < p->n; j++)
            want += p->J[i * p->n + j] * y[j];
        assert_true(fabs(z - want) < 1e-13 * p->n);
    }
}

static void factors_solve_their_matrix_at_every_width(void **state)
{
    static const int size[][3] = {{1, 0, 1}, {5, 2, 5}, {8, 8, 8}, {23, 9, 23}, {64, 3, 16}, {101, 17, 7}};
    (void)state;
    for (size_t c = 0; c < sizeof size / sizeof *size; c++)
        for (int full = 0; full < 2; full++) {
            problem p;
            _Alignas(64) double first[240], x[240];
            bool any = false;
            create(&p, size[c][0], size[c][1], size[c][2], 100 + c);
            for (int i = 0; i < CLV_CPU_WIDTHS; i++) {
                if (!clv_cpu_runs(clv_cpu_width[i]))
                    continue;
                fill(&p, full);
                check(&p, clv_kernels_of(clv_cpu_width[i]), x);
                if (any)
                    assert_memory_equal(x, first, (size_t)p.n * sizeof(double));
                memcpy(first, x, sizeof x), any = true;
            }
            destroy(&p);
        }
}

static void a_missing_pivot_is_named_or_left_at_zero(void **state)
{
    (void)state;
    problem p;
    _Alignas(64) double x[240];
    double h[200] = {0};
    create(&p, 20, 0, 20, 5);
    for (int i = 0; i < 20; i++) /* unknown 11 moves nothing */
        p.M[i * 20 + 11] = p.M[11 * 20 + i] = 0;
    fill(&p, false);
    const clv_kernels *k = clv_kernels_of(1);
    k->block_factor(&p.b);
    assert_int_equal(p.b.failed, 11);
    fill(&p, false);
    p.b.skip = true;
    k->block_factor(&p.b);
    assert_int_equal(p.b.failed, -1);
    assert_int_equal(p.b.loose, 11);
    h[3] = 1;
    solve(k, &p, h, NULL, x);
    assert_true(x[11] == 0 && x[3] != 0);
    p.M[4 * 20 + 4] = NAN;
    fill(&p, false);
    k->block_factor(&p.b);
    assert_int_equal(p.b.failed, 4); /* not a number is no lack of inertia */
    destroy(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_solve_their_matrix_at_every_width),
        cmocka_unit_test(a_missing_pivot_is_named_or_left_at_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
