/* SPDX-License-Identifier: Apache-2.0
 * The engine's verbs against a dense solve, on graphs of every topology with random numbers in them: inertias, free
 * directions, resistances, closing rows, loads.  The dense solve knows no strands and no nodes, only the equations of
 * engine.h:
 *
 *     x = J u + x_c (tree),   [J^T I J + R   -J^T B] [u    ]   [J^T (b - I x_c) + tau]
 *                             [B^T J           eps ] [sigma] = [a - B^T x_c          ]
 *
 * Every assembly tree (options `edges`, `target`) must give the same answer. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/cpu.h"
#include "base/error.h"
#include "engine/kernels.h"
#include "graph.h"
#include "math/spatial.h"
#include "near.h"
#include "oracle/random_system.h"

enum { BODIES = 40, ROWS = 160, UNKNOWNS = 6 * BODIES + ROWS };

typedef struct problem {
    clv_model *m;
    clv_plan *plan; /* without options; its spanning tree and closing rows are those of every other plan */
    double I[BODIES][21], arm[BODIES][3], H[BODIES][36], G[BODIES][36], D[BODIES][36], R[BODIES][6];
    double block[ROWS][CLV_HANDLES][6]; /* by row: wrench on the bodies of its edge */
    double eps[ROWS], a[ROWS], b[6 * BODIES], c[6 * BODIES], tau[6 * BODIES];
} problem;

typedef struct answer {
    double x[6 * BODIES], u[6 * BODIES], sigma[ROWS];
} answer;

/* ------------------------------------------------------------------ random numbers for a graph */

static void orthonormal(random_stream *s, double Q[36])
{
    for (int k = 0; k < 6; k++) {
        double *q = Q + 6 * k, norm;
        do {
            for (int i = 0; i < 6; i++)
                q[i] = random_normal(s);
            for (int pass = 0; pass < 2; pass++)
                for (int j = 0; j < k; j++) {
                    double d = clv_dot6(Q + 6 * j, q);
                    for (int i = 0; i < 6; i++)
                        q[i] -= d * Q[6 * j + i];
                }
            norm = sqrt(clv_dot6(q, q));
        } while (norm < 0.1);
        for (int i = 0; i < 6; i++)
            q[i] /= norm;
    }
}

static void random_inertia(random_stream *s, double I[21])
{
    double l[3], A[9], J[6], m = exp(random_normal(s));
    for (int i = 0; i < 3; i++)
        l[i] = 0.5 * random_normal(s);
    for (int i = 0; i < 9; i++)
        A[i] = 0.4 * random_normal(s);
    static const int row[6] = {0, 0, 0, 1, 1, 2}, col[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; k++)
        J[k] = m * (clv_dot3(A + 3 * row[k], A + 3 * col[k]) + 0.2 * (row[k] == col[k]));
    clv_inertia_rigid(I, m, l, J);
}

static void random_numbers(random_stream *s, problem *p)
{
    clv_error e;
    assert_int_equal(clv_plan_create(&p->plan, p->m, NULL, &e), CLV_OK);
    const clv_plan *q = p->plan;
    assert_true(q->nbody <= BODIES && q->nsigma <= ROWS);
    for (int b = 0; b < q->nbody; b++) {
        double Q[36];
        int f = q->tree[b].nu;
        random_inertia(s, p->I[b]);
        orthonormal(s, Q);
        memcpy(p->D[b], Q, 6 * (size_t)(6 - f) * sizeof(double));
        for (int k = 0; k < f; k++) {
            double size = exp(random_normal(s));
            for (int i = 0; i < 6; i++)
                p->H[b][6 * k + i] = size * Q[6 * (6 - f + k) + i], p->G[b][6 * k + i] = Q[6 * (6 - f + k) + i] / size;
            p->R[b][k] = 0;
            p->tau[q->tree[b].iu + k] = random_normal(s);
        }
        for (int i = 0; i < 3; i++)
            p->arm[b][i] = random_normal(s);
        for (int i = 0; i < 6; i++)
            p->b[6 * b + i] = random_normal(s), p->c[6 * b + i] = random_normal(s);
    }
    for (int k = 0; k < q->nedge; k++) {
        const clv_edge *edge = &q->edge[k];
        double Q[36], lever[3];
        orthonormal(s, Q);
        for (int h = 0; h < edge->nhandle && edge->tree_body < 0; h++) {
            for (int i = 0; i < 3; i++)
                lever[i] = random_normal(s);
            for (int j = 0; j < edge->m; j++) {
                clv_wrench_shift(p->block[edge->row + j][h], lever, Q + 6 * j);
                for (int i = 0; i < 6; i++)
                    p->block[edge->row + j][h][i] *= h ? -1 : 1;
            }
        }
    }
    for (int i = 0; i < q->nclosing_row; i++)
        p->a[i] = random_normal(s), p->eps[i] = 0;
}

/* ------------------------------------------------------------------ dense */

static int eliminate(long double *A, long double *x, int n); /* below */

/* x of all bodies from u (and c, if with_c) */
static void tree_motion(const problem *p, const double *u, bool with_c, double *x)
{
    for (int i = 0; i < p->plan->nbody; i++) {
        int b = p->plan->order[i];
        const clv_tree_joint *t = &p->plan->tree[b];
        double *v = x + 6 * b;
        memset(v, 0, 6 * sizeof(double));
        if (t->parent >= 0)
            clv_motion_shift(v, p->arm[b], x + 6 * t->parent);
        for (int k = 0; k < 6; k++) {
            v[k] += with_c ? p->c[6 * b + k] : 0;
            for (int f = 0; f < t->nu; f++)
                v[k] += p->H[b][6 * f + k] * u[t->iu + f];
        }
    }
}

static double row_of(const problem *p, int row, const double *x)
{
    double t = 0;
    for (int k = 0; k < p->plan->nedge; k++)
        if (row >= p->plan->edge[k].row && row < p->plan->edge[k].row + p->plan->edge[k].m)
            for (int h = 0; h < p->plan->edge[k].nhandle; h++)
                t += clv_dot6(p->block[row][h], x + 6 * p->plan->edge[k].body[h]);
    return t;
}

/* Returns the rank that the system lacks; then sigma is one of many. */
static int dense(const problem *p, answer *y)
{
    const clv_plan *q = p->plan;
    int n = q->nu, m = q->nclosing_row, N = n + m;
    double *J = malloc((size_t)n * 6 * (size_t)q->nbody * sizeof(double)), unit[6 * BODIES] = {0}, xc[6 * BODIES],
           Ix[6];
    long double *A = calloc((size_t)N * (size_t)N, sizeof *A), *z = calloc((size_t)N, sizeof *z);
    tree_motion(p, unit, true, xc);
    for (int i = 0; i < n; i++) {
        unit[i] = 1;
        tree_motion(p, unit, false, J + 6 * i * q->nbody);
        unit[i] = 0;
    }
    for (int b = 0; b < q->nbody; b++) {
        double res[6], IJ[6];
        clv_inertia_times(Ix, p->I[b], xc + 6 * b);
        for (int k = 0; k < 6; k++)
            res[k] = p->b[6 * b + k] - Ix[k];
        for (int i = 0; i < n; i++) {
            const double *Ji = J + 6 * i * q->nbody + 6 * b;
            z[i] += clv_dot6(Ji, res);
            clv_inertia_times(IJ, p->I[b], Ji);
            for (int j = 0; j < n; j++)
                A[i * N + j] += clv_dot6(IJ, J + 6 * j * q->nbody + 6 * b);
        }
        for (int f = 0; f < q->tree[b].nu; f++) {
            int i = q->tree[b].iu + f;
            z[i] += p->tau[i], A[i * N + i] += p->R[b][f];
        }
    }
    for (int r = 0; r < m; r++) {
        for (int i = 0; i < n; i++) {
            A[(n + r) * N + i] = row_of(p, r, J + 6 * i * q->nbody);
            A[i * N + n + r] = -A[(n + r) * N + i];
        }
        A[(n + r) * N + n + r] = p->eps[r];
        z[n + r] = p->a[r] - row_of(p, r, xc);
    }
    int missing = eliminate(A, z, N);
    for (int i = 0; i < n; i++)
        y->u[i] = (double)z[i];
    for (int r = 0; r < m; r++)
        y->sigma[r] = (double)z[n + r];
    tree_motion(p, y->u, true, y->x);
    free(J), free(A), free(z);
    return missing;
}

/* Gauss with complete pivoting; unknowns without a pivot are set to zero (the right-hand side must then be consistent)
 */
static int eliminate(long double *A, long double *x, int n)
{
    int *col = malloc((size_t)n * sizeof(int) + 1), r = 0;
    for (int i = 0; i < n; i++)
        col[i] = i;
    long double first = 0;
    for (; r < n; r++) {
        int bi = r, bj = r;
        for (int i = r; i < n; i++)
            for (int j = r; j < n; j++)
                if (fabsl(A[i * n + j]) > fabsl(A[bi * n + bj]))
                    bi = i, bj = j;
        long double d = A[bi * n + bj];
        if (r == 0)
            first = fabsl(d);
        if (!(fabsl(d) > 1e-12L * first))
            break;
        for (int j = 0; j < n && bi != r; j++) {
            long double t = A[r * n + j];
            A[r * n + j] = A[bi * n + j], A[bi * n + j] = t;
        }
        long double t = x[r];
        x[r] = x[bi], x[bi] = t;
        for (int i = 0; i < n && bj != r; i++) {
            t = A[i * n + r];
            A[i * n + r] = A[i * n + bj], A[i * n + bj] = t;
        }
        int c = col[r];
        col[r] = col[bj], col[bj] = c;
        for (int i = r + 1; i < n; i++) {
            long double f = A[i * n + r] / d;
            for (int j = r; j < n && f != 0; j++)
                A[i * n + j] -= f * A[r * n + j];
            x[i] -= f * x[r];
        }
    }
    long double *y = calloc((size_t)n + 1, sizeof *y);
    for (int i = r - 1; i >= 0; i--) {
        long double t = x[i];
        for (int j = i + 1; j < r; j++)
            t -= A[i * n + j] * y[col[j]];
        y[col[i]] = t / A[i * n + i];
    }
    memcpy(x, y, (size_t)n * sizeof *x);
    free(col), free(y);
    return n - r;
}

/* ------------------------------------------------------------------ the engine on the same numbers */

typedef struct machine {
    clv_plan *plan;
    clv_engine e;
    clv_arena arena;
} machine;

/* the only place that knows how the engine takes its numbers */
static void fill(machine *k, const problem *p)
{
    const clv_plan *q = k->plan;
    clv_engine *e = &k->e;
    for (int b = 0; b < q->nbody; b++) {
        size_t n = (size_t)q->tree[b].nu;
        memcpy(e->mass + 21 * (size_t)b, p->I[b], sizeof p->I[b]);
        memcpy(e->arm + 3 * (size_t)b, p->arm[b], sizeof p->arm[b]);
        memcpy(e->free + clv_columns(q, (size_t)b), p->H[b], 6 * n * sizeof(double));
        memcpy(e->dual + clv_columns(q, (size_t)b), p->G[b], 6 * n * sizeof(double));
        memcpy(e->resist + q->tree[b].ih, p->R[b], n * sizeof(double));
        clv_engine_body(e, b);
    }
    for (int id = 0; id < q->nedge; id++) {
        const clv_edge *edge = &q->edge[id];
        for (int h = 0; h < edge->nhandle; h++)
            for (int j = 0; j < edge->m; j++) {
                double *to = e->block + edge->block[h] + 6 * j;
                if (edge->tree_body < 0)
                    memcpy(to, p->block[edge->row + j][h], 6 * sizeof(double));
                else if (h == 0)
                    memcpy(to, p->D[edge->tree_body] + 6 * j, 6 * sizeof(double));
                else {
                    clv_wrench_shift(to, p->arm[edge->tree_body], p->D[edge->tree_body] + 6 * j);
                    for (int i = 0; i < 6; i++)
                        to[i] = -to[i];
                }
            }
        for (int j = 0; j < edge->m; j++)
            e->eps[edge->row + j] = edge->tree_body < 0 ? p->eps[edge->row + j] : 0;
    }
}

static clv_status start(machine *k, const problem *p, clv_plan_options o, double rank)
{
    clv_error error;
    memset(k, 0, sizeof *k);
    assert_int_equal(clv_plan_create(&k->plan, p->m, &o, &error), CLV_OK);
    assert_int_equal(k->plan->nclosing_row, p->plan->nclosing_row);
    for (int b = 0; b < k->plan->nbody; b++)
        assert_int_equal(k->plan->tree[b].joint, p->plan->tree[b].joint);
    clv_engine_layout(&k->e, k->plan, &k->arena);
    assert_true(clv_arena_open(&k->arena));
    clv_engine_layout(&k->e, k->plan, &k->arena);
    clv_engine_begin(&k->e, rank, clv_kernels_of(1));
    fill(k, p);
    return clv_engine_factor(&k->e);
}

static void stop(machine *k)
{
    clv_arena_close(&k->arena);
    clv_plan_destroy(k->plan);
}

static void done(problem *p)
{
    clv_plan_destroy(p->plan);
    clv_model_destroy(p->m);
    free(p);
}

static double distance(const double *a, const double *b, int n)
{
    double d = 0, size = 1e-3;
    for (int i = 0; i < n; i++)
        d = fmax(d, fabs(a[i] - b[i])), size = fmax(size, fabs(b[i]));
    return d / size;
}

static const clv_plan_options option[8] = {{.target = 0, .edges = false}, {.target = 2, .edges = false},
                                           {.target = 3, .edges = false}, {.target = 5, .edges = false},
                                           {.target = 0, .edges = true},  {.target = 2, .edges = true},
                                           {.target = 3, .edges = true},  {.target = 5, .edges = true}};
static double worst;

static void solve_again(machine *w, const problem *p, answer *y)
{
    fill(w, p);
    assert_int_equal(clv_engine_factor(&w->e), CLV_OK);
    clv_engine_solve(&w->e, y->x, y->u, p->b, p->tau, p->c, p->a);
    memcpy(y->sigma, w->e.sigma, (size_t)p->plan->nclosing_row * sizeof(double));
}

static void assert_same(const double *a, const double *b, int n)
{
    for (int i = 0; i < n; i++)
        assert_true(a[i] == b[i]);
}

static void assert_same_answer(const answer *a, const answer *b, const problem *p)
{
    assert_same(a->x, b->x, 6 * p->plan->nbody), assert_same(a->u, b->u, p->plan->nu);
    assert_same(a->sigma, b->sigma, p->plan->nclosing_row);
}

static long pairs_met;

/* pairs in lanes of every width give the bits of the same nodes alone (node.c) */
static void nodes_alone_give_the_same(machine *w, const problem *p)
{
    enum { PARTS = 4 * BODIES };
    int step[PARTS], lane_of[PARTS], depth[PARTS + 1] = {0}, from[PARTS], n = 0;
    answer *alone = calloc(2, sizeof *alone), *y = alone + 1;
    const clv_pairing order = w->e.pairing;
    assert_true(w->plan->npart <= PARTS);
    for (int i = 0; i < w->plan->npart; i++)
        lane_of[i] = -1, pairs_met += order.lane_of[i] >= 0;
    for (int d = 0; d <= w->plan->depth; depth[++d] = n)
        for (int nodes = 0; nodes < 2; nodes++) {
            from[d] = n;
            for (int i = 0; i < w->plan->npart; i++)
                if (w->plan->part[i].depth == d && clv_part_is_node(&w->plan->part[i]) == nodes)
                    step[n++] = i;
        }
    w->e.pairing = (clv_pairing){.step = step, .nstep = n, .lane_of = lane_of,
                                   .depth = depth, .ndepth = w->plan->depth + 1, .alone = from};
    solve_again(w, p, alone);
    const double pivot = w->e.min_pivot, dropped = w->e.max_dropped;
    const int truncated = w->e.truncated;
    w->e.pairing = order;
    for (int i = 0; i < CLV_CPU_WIDTHS; i++) {
        if (!clv_cpu_runs(clv_cpu_width[i]))
            continue;
        w->e.kernels = clv_kernels_of(clv_cpu_width[i]);
        solve_again(w, p, y);
        assert_same_answer(y, alone, p);
        assert_true(w->e.min_pivot == pivot && w->e.max_dropped == dropped && w->e.truncated == truncated);
    }
    free(alone);
}

/* every plan option against the dense answer; sigma compared if it is unique */
static void compare(const problem *p, int noptions, double rank, double tolerance)
{
    answer *truth = calloc(3, sizeof *truth), *mine = truth + 1, *once = truth + 2;
    int missing = dense(p, truth);
    for (int k = 0; k < noptions; k++) {
        machine w;
        clv_status st = start(&w, p, option[k], rank);
        assert_int_equal(st, CLV_OK);
        assert_int_equal(w.e.truncated > 0, missing > 0);
        assert_int_equal(w.e.truncated, missing);
        clv_engine_solve(&w.e, mine->x, mine->u, p->b, p->tau, p->c, p->a);
        memcpy(mine->sigma, w.e.sigma, (size_t)p->plan->nclosing_row * sizeof(double));
        clv_engine_solve(&w.e, once->x, once->u, p->b, p->tau, p->c, p->a); /* a solve leaves the factor alone */
        memcpy(once->sigma, w.e.sigma, (size_t)p->plan->nclosing_row * sizeof(double));
        assert_same_answer(mine, once, p);
        solve_again(&w, p, once); /* and the next factor */
        assert_same_answer(mine, once, p);
        double d = fmax(distance(mine->x, truth->x, 6 * p->plan->nbody), distance(mine->u, truth->u, p->plan->nu));
        if (missing == 0)
            d = fmax(d, distance(mine->sigma, truth->sigma, p->plan->nclosing_row));
        worst = fmax(worst, d);
        if (!(d <= tolerance))
            print_error("option %d: off by %g (bodies %d, rows %d, missing %d)\n", k, d, p->plan->nbody,
                        p->plan->nclosing_row, missing);
        assert_true(d <= tolerance);
        if (k % 5 == 0)
            nodes_alone_give_the_same(&w, p);
        if (k % 5 == 0 && missing == 0) { /* no rank decision: fixed order */
            w.e.rank = 0;
            nodes_alone_give_the_same(&w, p);
        }
        stop(&w);
    }
    free(truth);
}

/* ------------------------------------------------------------------ graphs */

/* bodies on a random tree; long: mostly chains */
static int random_tree(random_stream *s, clv_model *m, bool floating, bool chain)
{
    static const clv_joint_kind kind[8] = {CLV_JOINT_REVOLUTE,  CLV_JOINT_PRISMATIC,   CLV_JOINT_UNIVERSAL,
                                           CLV_JOINT_SPHERICAL, CLV_JOINT_CYLINDRICAL, CLV_JOINT_PLANAR,
                                           CLV_JOINT_FIXED,     CLV_JOINT_FREE};
    int n = 2 + random_index(s, 16);
    for (int i = 0; i < n; i++) {
        graph_body(m, i, 0, 0);
        int parent = chain && random_chance(s, 0.85) ? i - 1 : random_index(s, i + 1) - 1,
            k = random_index(s, i ? 8 : 7);
        bool turn = random_chance(s, 0.5);
        if (i > 0 || !floating)
            graph_joint(m, kind[k], turn ? i : parent, turn ? parent : i, i, 0, 0);
    }
    return n;
}

static problem *new_problem(void)
{
    problem *p = calloc(1, sizeof *p);
    p->m = graph_create();
    return p;
}

static void trees(void **state)
{
    (void)state;
    random_stream s = {1};
    worst = 0;
    for (int k = 0; k < 150; k++) {
        problem *p = new_problem();
        random_tree(&s, p->m, k % 3 == 0, k % 2);
        graph_finish(p->m);
        random_numbers(&s, p);
        compare(p, 8, 1e-10, 1e-9);
        done(p);
    }
    printf("trees: largest relative difference %.1e\n", worst);
}

/* how many freedoms a set of closings may take away without locking something in general: few rows on many freedoms */
static void close_some(random_stream *s, clv_model *m, int n, int closings)
{
    for (int i = 0; i < closings; i++) {
        int b = random_index(s, n), a = random_index(s, n + 1) - 1;
        if (a != b)
            graph_joint(m, random_chance(s, 0.6) ? CLV_JOINT_DISTANCE : CLV_JOINT_POINT, a, b, i, 1, 2);
    }
}

/* rows minus freedoms outboard may still be positive somewhere: `a` is made consistent, and eps only then */
static void consistent_rows(random_stream *s, problem *p)
{
    double u[6 * BODIES], x[6 * BODIES];
    for (int i = 0; i < p->plan->nu; i++)
        u[i] = random_normal(s);
    tree_motion(p, u, true, x);
    for (int r = 0; r < p->plan->nclosing_row; r++)
        p->a[r] = row_of(p, r, x);
}

static void loops(void **state)
{
    (void)state;
    random_stream s = {2};
    int deficient = 0;
    worst = 0;
    for (int k = 0; k < 250; k++) {
        problem *p = new_problem();
        int n = random_tree(&s, p->m, k % 4 == 0, k % 2);
        close_some(&s, p->m, n, 1 + random_index(&s, 6));
        graph_finish(p->m);
        random_numbers(&s, p);
        consistent_rows(&s, p);
        answer y;
        deficient += dense(p, &y) > 0;
        compare(p, 8, 1e-10, 1e-7);
        done(p);
    }
    printf("loops: largest relative difference %.1e, %d of 250 with redundant rows, %ld pairs\n", worst, deficient,
           pairs_met);
    assert_true(pairs_met > 100);
}

/* compliant rows: any number of them on any graph, rigid ones among them */
static void compliant_rows(void **state)
{
    (void)state;
    random_stream s = {3};
    worst = 0;
    for (int k = 0; k < 150; k++) {
        problem *p = new_problem();
        int n = random_tree(&s, p->m, k % 4 == 0, k % 2);
        for (int i = 0; i < 5; i++) {
            int b = random_index(&s, n), a = random_index(&s, n + 1) - 1;
            if (a != b)
                graph_joint(p->m, random_chance(&s, 0.5) ? CLV_JOINT_REVOLUTE : CLV_JOINT_FIXED, a, b, i, 1, 2);
        }
        graph_finish(p->m);
        random_numbers(&s, p);
        for (int r = 0; r < p->plan->nclosing_row; r++)
            p->eps[r] = exp(2 * random_normal(&s));
        compare(p, 8, 1e-10, 1e-8);
        done(p);
    }
    printf("compliant rows: largest relative difference %.1e\n", worst);
}

/* implicit dampers and springs on joints that are eliminated inside their strand */
static void resistance_in_joints(void **state)
{
    (void)state;
    random_stream s = {4};
    worst = 0;
    for (int k = 0; k < 150; k++) {
        problem *p = new_problem();
        int n = random_tree(&s, p->m, false, k % 2);
        close_some(&s, p->m, n, random_index(&s, 4));
        graph_finish(p->m);
        random_numbers(&s, p);
        consistent_rows(&s, p);
        for (int b = 0; b < n; b++)
            for (int f = 0; f < p->plan->tree[b].nu && p->plan->tree[b].edge < 0 && !p->plan->tree[b].detached; f++)
                p->R[b][f] = random_chance(&s, 0.5) ? exp(3 * random_normal(&s)) : 0;
        compare(p, 1, 1e-10, 1e-7);
        done(p);
    }
    printf("resistance: largest relative difference %.1e\n", worst);
}

/* the same row given twice and three times: rank deficient by construction; x, u and the sum of sigma are what one row
 * gives */
static void redundant_rows_share_their_impulse(void **state)
{
    (void)state;
    random_stream s = {5};
    for (int k = 0; k < 60; k++) {
        int copies = 2 + k % 2;
        problem *p = new_problem(), *one = new_problem();
        random_stream same = s, again = s;
        for (int which = 0; which < 2; which++) {
            clv_model *m = which ? one->m : p->m;
            random_stream *t = which ? &again : &same;
            int n = random_tree(t, m, false, true);
            for (int i = 0; i < (which ? 1 : copies); i++)
                graph_joint(m, CLV_JOINT_DISTANCE, CLV_GROUND, n - 1, 5, 1, 2);
            graph_finish(m);
            random_stream numbers = {(uint64_t)k};
            random_numbers(&numbers, which ? one : p);
        }
        random_next(&s);
        for (int i = 0; i < copies; i++) {
            memcpy(p->block[i], one->block[0], sizeof p->block[i]);
            p->a[i] = one->a[0];
        }
        if (one->plan->nu < 2) {
            done(p), done(one);
            continue;
        }
        answer *y = calloc(1, sizeof *y);
        int missing = dense(one, y);
        for (int o = 0; o < 8 && missing == 0; o++) {
            machine w;
            answer *z = calloc(1, sizeof *z);
            double sum = 0;
            assert_int_equal(start(&w, p, option[o], 1e-10), CLV_OK);
            assert_int_equal(w.e.truncated, copies - 1);
            clv_engine_solve(&w.e, z->x, z->u, p->b, p->tau, p->c, p->a);
            CLV_NEAR(distance(z->x, y->x, 6 * p->plan->nbody), 0, 1e-8);
            for (int i = 0; i < copies; i++)
                sum += w.e.sigma[i];
            CLV_NEAR(sum, y->sigma[0], 1e-8 * (1 + fabs(y->sigma[0])));
            for (int i = 0; i < copies; i++) /* closed in one node: minimum norm, equal shares */
                CLV_NEAR(w.e.sigma[i], y->sigma[0] / copies, 1e-8 * (1 + fabs(y->sigma[0])));
            free(z), stop(&w);
        }
        free(y), done(p), done(one);
    }
}

/* impulses of a self-stress are in equilibrium: on every free direction of the tree they do no work */
static void self_stresses_move_nothing(void **state)
{
    (void)state;
    random_stream s = {6};
    int found = 0;
    for (int k = 0; k < 200; k++) {
        problem *p = new_problem();
        int n = random_tree(&s, p->m, k % 4 == 0, k % 2);
        close_some(&s, p->m, n, 4 + random_index(&s, 6));
        graph_finish(p->m);
        random_numbers(&s, p);
        consistent_rows(&s, p);
        for (int o = 0; o < 8; o++) {
            machine w;
            assert_int_equal(start(&w, p, option[o], 1e-10), CLV_OK);
            for (int part = 0; part < w.plan->npart; part++)
                for (int i = 0; i < w.e.nullity[part]; i++, found++) {
                    double *W = calloc(6 * (size_t)n, sizeof(double)), size = 0;
                    memset(w.e.sigma, 0, (size_t)w.plan->nsigma * sizeof(double));
                    clv_engine_self_stress(&w.e, part, i);
                    clv_engine_closing_wrenches(&w.e, W, w.e.sigma, 1.0);
                    clv_engine_accumulate(&w.e, W);
                    for (int r = 0; r < w.plan->nclosing_row; r++)
                        size = fmax(size, fabs(w.e.sigma[r]));
                    assert_true(size > 0);
                    for (int b = 0; b < n; b++)
                        for (int f = 0; f < w.plan->tree[b].nu; f++)
                            CLV_NEAR(clv_dot6(W + 6 * b, p->H[b] + 6 * f) /
                                         sqrt(clv_dot6(p->H[b] + 6 * f, p->H[b] + 6 * f)),
                                     0, 1e-7 * size);
                    free(W);
                }
            stop(&w);
        }
        done(p);
    }
    printf("self-stresses followed: %d\n", found);
    assert_true(found > 50);
}

static void accumulate_is_the_sum_outboard(void **state)
{
    (void)state;
    random_stream s = {7};
    problem *p = new_problem();
    int n = random_tree(&s, p->m, false, false);
    graph_finish(p->m);
    random_numbers(&s, p);
    machine w;
    assert_int_equal(start(&w, p, option[0], 1e-10), CLV_OK);
    double *W = malloc(6 * (size_t)n * sizeof(double));
    memcpy(W, p->b, 6 * (size_t)n * sizeof(double));
    clv_engine_accumulate(&w.e, W);
    for (int b = 0; b < n; b++) {
        double sum[6] = {0};
        for (int i = 0; i < n; i++) { /* path from i to b, if there is one */
            double P[6];
            memcpy(P, p->b + 6 * i, sizeof P);
            int j = i;
            for (; j >= 0 && j != b; j = p->plan->tree[j].parent)
                clv_wrench_shift(P, p->arm[j], P);
            if (j == b)
                clv_add6(sum, P);
        }
        for (int k = 0; k < 6; k++)
            CLV_NEAR(W[6 * b + k], sum[k], 1e-12 * (1 + fabs(sum[k])));
    }
    free(W), stop(&w), done(p);
}

static void absent_right_hand_sides_are_zero(void **state)
{
    (void)state;
    random_stream s = {8};
    problem *p = new_problem();
    int n = random_tree(&s, p->m, false, true);
    close_some(&s, p->m, n, 2);
    graph_finish(p->m);
    random_numbers(&s, p);
    memset(p->tau, 0, sizeof p->tau), memset(p->c, 0, sizeof p->c), memset(p->a, 0, sizeof p->a);
    machine w;
    answer *y = calloc(2, sizeof *y);
    assert_int_equal(start(&w, p, option[0], 1e-10), CLV_OK);
    clv_engine_solve(&w.e, y[0].x, y[0].u, p->b, p->tau, p->c, p->a);
    clv_engine_solve(&w.e, y[1].x, y[1].u, p->b, NULL, NULL, NULL);
    assert_memory_equal(&y[0], &y[1], sizeof y[0]);
    free(y), stop(&w), done(p);
}

/* ------------------------------------------------------------------ missing inertia */

static problem *chain_problem(random_stream *s, int n, bool closed)
{
    problem *p = new_problem();
    for (int i = 0; i < n; i++) {
        graph_body(p->m, i, 0, 0);
        graph_joint(p->m, CLV_JOINT_SPHERICAL, i - 1, i, i, 0, 0);
    }
    if (closed)
        graph_joint(p->m, CLV_JOINT_POINT, CLV_GROUND, n - 1, n, 0, 0);
    graph_finish(p->m);
    random_numbers(s, p);
    return p;
}

static void massless_body_inside_a_limb_works(void **state)
{
    (void)state;
    random_stream s = {9};
    for (int b = 0; b < 5; b++) {
        problem *p = chain_problem(&s, 6, false);
        memset(p->I[b], 0, sizeof p->I[b]);
        compare(p, 1, 1e-10, 1e-9);
        done(p);
    }
}

static void massless_body_inside_a_branch_works(void **state)
{
    (void)state;
    random_stream s = {10};
    problem *p = chain_problem(&s, 8, true);
    assert_true(p->plan->nedge >= 1);
    memset(p->I[2], 0, sizeof p->I[2]);
    compare(p, 1, 1e-10, 1e-9);
    done(p);
}

static int refused_body(problem *p, clv_plan_options o)
{
    machine w;
    assert_int_equal(start(&w, p, o, 1e-10), CLV_ERR_SINGULAR);
    int body = w.e.failed_body;
    stop(&w);
    return body;
}

static void massless_body_at_the_tip_is_refused_by_name(void **state)
{
    (void)state;
    random_stream s = {11};
    problem *p = chain_problem(&s, 6, false);
    memset(p->I[5], 0, sizeof p->I[5]);
    assert_int_equal(refused_body(p, option[0]), 5);
    memset(p->I[4], 0, sizeof p->I[4]); /* two: the outer one is named */
    assert_int_equal(refused_body(p, option[0]), 5);
    done(p);
    p = new_problem(); /* at the end of a limb that folds into a longer one */
    for (int i = 0; i < 9; i++) {
        graph_body(p->m, i, 0, 0);
        graph_joint(p->m, CLV_JOINT_SPHERICAL, i == 7 ? 2 : i - 1, i, i, 0, 0);
    }
    graph_finish(p->m);
    random_numbers(&s, p);
    memset(p->I[8], 0, sizeof p->I[8]);
    assert_int_equal(refused_body(p, option[0]), 8);
    done(p);
}

static void make_massless(problem *p, int body)
{
    p->m->body[body].mass = 0;
    memset(p->m->body[body].J, 0, sizeof p->m->body[body].J);
    memset(p->I[body], 0, sizeof p->I[body]);
}

static void massless_bodies_at_branch_bases_work(void **state)
{
    (void)state;
    random_stream s = {12};
    problem *p = chain_problem(&s, 6, false);
    make_massless(p, 3);
    compare(p, 5, 1e-10, 1e-9); /* the last: every joint an edge, every body a base */
    make_massless(p, 0);
    compare(p, 5, 1e-10, 1e-9);
    done(p);
}

/* the loop holds it, whatever is outboard of it in the tree */
static void massless_tip_of_a_loop_works(void **state)
{
    (void)state;
    random_stream s = {15};
    for (int b = 4; b < 8; b++) {
        problem *p = chain_problem(&s, 8, true);
        assert_true(p->plan->nedge >= 1);
        make_massless(p, b);
        compare(p, 5, 1e-10, 1e-9);
        done(p);
    }
}

static void numbers_that_are_not_finite_are_refused(void **state)
{
    (void)state;
    random_stream s = {13};
    for (int closed = 0; closed < 2; closed++) {
        problem *p = chain_problem(&s, 6, closed);
        p->I[2][15] = NAN;
        machine w;
        assert_int_not_equal(start(&w, p, option[0], 1e-10), CLV_OK);
        assert_in_range(w.e.failed_body, 0, 5);
        stop(&w), done(p);
    }
}

/* ------------------------------------------------------------------ wide graphs */

static void hubs_and_long_chains(void **state)
{
    (void)state;
    random_stream s = {14};
    worst = 0;
    for (int k = 0; k < 6; k++) {
        problem *p = new_problem();
        graph_body(p->m, 0, 0, 0);
        if (k % 2)
            graph_joint(p->m, CLV_JOINT_SPHERICAL, CLV_GROUND, 0, 0, 0, 0);
        for (int i = 1; i < BODIES; i++) { /* k < 2: petals of three; k < 4: limbs; else one chain */
            graph_body(p->m, i, 0, 0);
            graph_joint(p->m, CLV_JOINT_SPHERICAL, k >= 4 || i % 3 != 1 ? i - 1 : 0, i, i, 0, 0);
            if (k < 2 && i % 3 == 0)
                graph_joint(p->m, CLV_JOINT_POINT, i, 0, i, 1, 0);
        }
        graph_finish(p->m);
        random_numbers(&s, p);
        compare(p, 8, 1e-10, 1e-8);
        done(p);
    }
    printf("hubs and long chains: largest relative difference %.1e\n", worst);
}

/* Twelve petals of three on one hub that is pinned, turns freely, or floats; some are closed twice by the same rows, so
 * that these are redundant. */
static problem *flower(random_stream *s, int hub, bool redundant)
{
    problem *p = new_problem();
    graph_body(p->m, 0, 0, 0);
    if (hub < 2)
        graph_joint(p->m, hub ? CLV_JOINT_SPHERICAL : CLV_JOINT_REVOLUTE, CLV_GROUND, 0, 0, 0, 0);
    for (int i = 1; i < 37; i++) {
        graph_body(p->m, i, 0, 0);
        graph_joint(p->m, CLV_JOINT_SPHERICAL, i % 3 != 1 ? i - 1 : 0, i, i, 0, 0);
        for (int k = 0; i % 3 == 0 && k < (redundant && i % 2 ? 2 : 1); k++)
            graph_joint(p->m, CLV_JOINT_POINT, i, 0, i, 1, 0);
    }
    graph_finish(p->m);
    random_numbers(s, p);
    for (int k = 0; k + 1 < p->plan->nedge; k++) { /* closings come in the order of joints */
        const clv_edge *e = &p->plan->edge[k], *next = e + 1;
        if (redundant && e->tree_body < 0 && next->tree_body < 0 && e->body[0] == next->body[0]) {
            memcpy(p->block[next->row], p->block[e->row], (size_t)e->m * sizeof p->block[0]);
            memcpy(p->a + next->row, p->a + e->row, (size_t)e->m * sizeof p->a[0]);
        }
    }
    return p;
}

static void petals_show_inertias(void **state)
{
    (void)state;
    random_stream s = {15};
    int taken = 0, stresses = 0;
    worst = 0;
    for (int k = 0; k < 6; k++) {
        problem *p = flower(&s, k % 3, k >= 3);
        compare(p, 8, 1e-10, 1e-8);
        machine w;
        assert_int_equal(start(&w, p, option[0], 1e-10), CLV_OK);
        for (int part = 0; part < w.plan->npart; part++) {
            taken += w.plan->part[part].npetal;
            for (int i = 0; i < w.e.nullity[part]; i++, stresses++) {
                double *W = calloc(6 * BODIES, sizeof(double));
                memset(w.e.sigma, 0, (size_t)w.plan->nsigma * sizeof(double));
                clv_engine_self_stress(&w.e, part, i);
                clv_engine_closing_wrenches(&w.e, W, w.e.sigma, 1.0);
                for (int b = 0; b < 6 * BODIES; b++)
                    CLV_NEAR(W[b], 0, 1e-7); /* the second closing bears what the first one does not */
                free(W);
            }
        }
        stop(&w), done(p);
    }
    printf("petals: largest relative difference %.1e, %d petals, %d self-stresses\n", worst, taken, stresses);
    assert_true(taken >= 6 * 11);
    assert_int_equal(stresses, 3 * 6 * 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees),
        cmocka_unit_test(loops),
        cmocka_unit_test(compliant_rows),
        cmocka_unit_test(resistance_in_joints),
        cmocka_unit_test(redundant_rows_share_their_impulse),
        cmocka_unit_test(self_stresses_move_nothing),
        cmocka_unit_test(accumulate_is_the_sum_outboard),
        cmocka_unit_test(absent_right_hand_sides_are_zero),
        cmocka_unit_test(massless_body_inside_a_limb_works),
        cmocka_unit_test(massless_body_inside_a_branch_works),
        cmocka_unit_test(massless_body_at_the_tip_is_refused_by_name),
        cmocka_unit_test(massless_bodies_at_branch_bases_work),
        cmocka_unit_test(massless_tip_of_a_loop_works),
        cmocka_unit_test(numbers_that_are_not_finite_are_refused),
        cmocka_unit_test(hubs_and_long_chains),
        cmocka_unit_test(petals_show_inertias),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
