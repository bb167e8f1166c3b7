/* SPDX-License-Identifier: Apache-2.0
 * Shapes whose assembly trees are not those of chains and ladders: how the plan takes them apart, and what that costs.
 *
 *   bench_shapes [FORMULATION [SHAPE [SIZE ...]]]
 *
 * net       N x N bodies on spherical joints between neighbours, hung at two corners
 * hub       N planar four-bars of which one bar is the same body, on a pin
 * scissors  chain of N cells of two angulated bars each, after Hoberman: every loop has three redundant rows
 *
 * Bodies held: at most by a part of the assembly tree, the size of the separators.  Processor times of one thread, best
 * of nine; exponents are of the time of an evaluation over the bodies, from the size before. */
#include "base/error.h"
#include "simulation/cycle.h"
#include "simulation/sim.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double PI = 3.14159265358979323846;

enum { SAMPLES = 9, SIZES = 4 };
static const double SAMPLE = 2e-3; /* s, at least */
static const double Z[3] = {0, 0, 1};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "bench_shapes: %s: %s\n", what, why);
    exit(3);
}

/* ---------------------------------------------------------------- models */

static int body(clv_model *m, double mass, const double at[3])
{
    clv_body_desc d = clv_body_desc_default();
    char name[24];
    int b;
    snprintf(name, sizeof name, "b%d", clv_model_body_count(m));
    d.name = name, d.mass = mass, d.placed = true;
    d.inertia[0] = d.inertia[1] = d.inertia[2] = 0.1 * mass;
    memcpy(d.position, at, sizeof d.position);
    if (clv_model_add_body(m, &b, &d) != CLV_OK)
        stop("body", clv_model_error(m)->message);
    return b;
}

static void joint(clv_model *m, clv_joint_kind kind, int a, int b, const double at[3])
{
    clv_joint_desc d = clv_joint_desc_default(kind);
    char name[24];
    int j;
    snprintf(name, sizeof name, "j%d", clv_model_joint_count(m));
    d.name = name, d.a = a, d.b = b, d.global = true;
    memcpy(d.at, at, sizeof d.at), memcpy(d.axis, Z, sizeof d.axis);
    if (clv_model_add_joint(m, &j, &d) != CLV_OK)
        stop("joint", clv_model_error(m)->message);
}

static void between(double x[3], const double *a, const double *b)
{
    for (int i = 0; i < 3; i++)
        x[i] = (a[i] + b[i]) / 2;
}

/* a wavy sheet, so that nothing is aligned */
static void net_place(int i, int j, double x[3])
{
    x[0] = i + 0.1 * sin(3.0 * i + 2.0 * j), x[1] = j + 0.1 * cos(5.0 * i - j);
    x[2] = 0.5 * sin(0.9 * i + 0.3) * cos(0.7 * j) + 0.1 * sin(7.0 * i * j + i);
}

static void net(clv_model *m, int n)
{
    double x[3], y[3], at[3];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            net_place(i, j, x), body(m, 0.2, x);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int side = 0; side < 2; side++) {
                const int k = i + side, l = j + !side;
                if (k >= n || l >= n)
                    continue;
                net_place(i, j, x), net_place(k, l, y), between(at, x, y);
                joint(m, CLV_JOINT_SPHERICAL, i * n + j, k * n + l, at);
            }
    const double first[3] = {-0.5, 0, 0}, last[3] = {n - 0.5, n - 1, 0};
    joint(m, CLV_JOINT_SPHERICAL, CLV_GROUND, 0, first);
    joint(m, CLV_JOINT_SPHERICAL, CLV_GROUND, n * n - 1, last);
}

static void hub(clv_model *m, int n)
{
    const double centre[3] = {0, 0, 0}, R = 0.2 * n;
    const double corner[4][2] = {{R, -0.3}, {R + 1, -0.5}, {R + 1.2, 0.4}, {R, 0.3}};
    const int middle = body(m, 10, centre);
    joint(m, CLV_JOINT_REVOLUTE, CLV_GROUND, middle, centre);
    for (int i = 0; i < n; i++) {
        const double c = cos(2 * PI * i / n), s = sin(2 * PI * i / n);
        double p[4][3] = {0}, at[3];
        int before = middle;
        for (int k = 0; k < 4; k++)
            p[k][0] = c * corner[k][0] - s * corner[k][1], p[k][1] = s * corner[k][0] + c * corner[k][1];
        for (int k = 0; k < 3; k++) {
            between(at, p[k], p[k + 1]);
            const int bar = body(m, 0.5, at);
            joint(m, CLV_JOINT_REVOLUTE, before, bar, p[k]);
            before = bar;
        }
        joint(m, CLV_JOINT_REVOLUTE, before, middle, p[3]);
    }
}

static void on_arc(double x[3], double radius, double angle)
{
    x[0] = radius * sin(angle), x[1] = radius * cos(angle), x[2] = 0;
}

/* bars from the inner ring to the outer one and back; arms are equally long, so that the chain moves */
static void scissors(clv_model *m, int n)
{
    const double angle = 4.0 / n, middle = 1 / angle, inner = middle - 0.4, outer = middle + 0.4;
    int before[2] = {-1, -1};
    for (int i = 0; i < n; i++) {
        double pivot[3], in[3], out[3];
        on_arc(pivot, middle / cos(angle / 2), (i + 0.5) * angle);
        on_arc(in, inner, i * angle), on_arc(out, outer, i * angle);
        const int a = body(m, 1, pivot), b = body(m, 1, pivot);
        joint(m, CLV_JOINT_REVOLUTE, a, b, pivot);
        if (i == 0)
            joint(m, CLV_JOINT_REVOLUTE, CLV_GROUND, a, pivot);
        else /* a goes outwards from the inner ring, b inwards */
            joint(m, CLV_JOINT_REVOLUTE, before[1], a, in), joint(m, CLV_JOINT_REVOLUTE, before[0], b, out);
        before[0] = a, before[1] = b;
    }
}

static const struct shape {
    const char *name;
    void (*build)(clv_model *m, int n);
    int size[SIZES];
} SHAPES[] = {
    {"net", net, {4, 8, 16, 32}}, {"hub", hub, {12, 50, 200, 800}}, {"scissors", scissors, {12, 50, 100, 200}}};

/* ---------------------------------------------------------------- measuring */

static double plan_time(const clv_model *m, const clv_sim *s)
{
    double best = INFINITY;
    for (int i = 0; i < SAMPLES; i++) {
        const clv_plan_options o = {.sections = s->formulation->sections, .lanes = s->formulation->lanes,
                                    .carry = s->formulation->carried};
        clv_plan *p;
        clv_error e;
        const double began = now();
        if (clv_plan_create(&p, m, &o, &e) != CLV_OK)
            stop("plan", e.message);
        best = fmin(best, now() - began);
        clv_plan_destroy(p);
    }
    return best;
}

static double evaluation_time(clv_sim *s)
{
    double best = INFINITY;
    for (long i = 0, repeat = 1; i < SAMPLES; i++) {
        const double began = now();
        for (long k = 0; k < repeat; k++)
            if (clv_sim_rates_once(s) != CLV_OK)
                stop("rates", clv_sim_error(s)->message);
        const double took = now() - began;
        if (took < SAMPLE)
            repeat *= 2, i = -1;
        else
            best = fmin(best, took / (double)repeat);
    }
    return best;
}

/* returns the time of an evaluation */
static double measure(const struct shape *shape, int n, const char *formulation, double before, int *bodies)
{
    clv_model *m;
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    const double gravity[3] = {0, -9.81, 0};
    if (clv_model_create(&m, shape->name) != CLV_OK || clv_model_set_gravity(m, gravity) != CLV_OK)
        stop(shape->name, "out of memory");
    shape->build(m, n);
    if (clv_model_finish(m) != CLV_OK)
        stop(shape->name, clv_model_error(m)->message);
    o.formulation = formulation;
    const double began = now();
    if (clv_sim_create(&s, m, &o) != CLV_OK)
        stop(shape->name, clv_sim_error(s)->message);
    const double create = now() - began, plan = plan_time(m, s), once = evaluation_time(s);
    const clv_plan *p = s->plan;
    printf("| %s | %d | %d | %d | %d | %d | %d | %d | %d | %.3g | %.3g | %.4g | ", shape->name, n, p->nbody, p->nloop,
           s->system.truncated, p->max_port, p->max_rows, p->depth, p->npart, 1e3 * plan, 1e3 * create, 1e6 * once);
    if (*bodies > 0)
        printf("%.2f |\n", log(once / before) / log((double)p->nbody / *bodies));
    else
        printf("- |\n");
    fflush(stdout);
    *bodies = p->nbody;
    clv_sim_destroy(s), clv_model_destroy(m);
    return once;
}

int main(int argc, char **argv)
{
    const char *formulation = argc > 1 ? argv[1] : "hdca";
    printf("| shape | N | bodies | loops | redundant rows | bodies held | rows of a node | depth | parts | plan (ms) | "
           "simulation (ms) | evaluation (us) | exponent |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t k = 0; k < sizeof SHAPES / sizeof SHAPES[0]; k++) {
        double before = 0;
        int bodies = 0;
        if (argc > 2 && strcmp(argv[2], SHAPES[k].name) != 0)
            continue;
        for (int i = 0; argc > 3 ? i < argc - 3 : i < SIZES; i++)
            before =
                measure(&SHAPES[k], argc > 3 ? atoi(argv[3 + i]) : SHAPES[k].size[i], formulation, before, &bodies);
    }
    return 0;
}
