/* SPDX-License-Identifier: Apache-2.0
 * Sensitivities of runs (T109 to T111): beside closed forms, and beside sixth-order differences of runs with the same
 * steps, by numbers of the model, inputs, and coordinates and rates of the start.  Forward and adjoint agree to
 * rounding.  How many random systems: tests/thorough.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "running.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "near.h"
#include "oracle/random_system.h"
#include "number_places.h"
#include "simulation/sensitivity.h"
#include "thorough.h"

#define OK(call) assert_int_equal(call, CLV_OK)
enum { MOST_NUMBERS = 120, MOST_OUTPUTS = 24, MOST_RATES = 80 };

/* ------------------------------------------------------------------ problems */

/* How to make a simulation of a model with some numbers changed. */
typedef struct problem {
    clv_model *(*make)(const void *from);
    const void *from;
    clv_sensitivity_options o;
    clv_observed output[MOST_OUTPUTS];
    clv_number number[MOST_NUMBERS];
    /* changes */
    int number_at; /* of the number, or -1                        */
    int rate_at;   /* of the start, or -1; `velocity`: of its rate */
    bool velocity;
    double by;
    const double *y; /* the state to begin with, or NULL            */
    bool on_a_point; /* of a coupling's table: derivatives are one-sided */
} problem;

static clv_model *from_text(const void *text) { return read(text); }

static clv_model *example(const void *name)
{
    clv_model *m;
    OK(clv_example_create(&m, name, NULL, 0));
    return m;
}

static clv_model *random_model(const void *seed)
{
    const uint64_t x = *(const uint64_t *)seed;
    clv_model *m;
    random_info info;
    OK(random_system_create(x, (random_kind)(x % RANDOM_KINDS), 3 + (int)(x % 6), &m, &info));
    return m;
}

/* the output state displaced along one coordinate, or with another rate */
static void displace(clv_sim *s, const problem *p)
{
    double du[MOST_RATES] = {0};
    for (int b = 0; b < s->plan->nbody; b++) {
        const clv_tree_joint *t = &s->plan->tree[b];
        if (t->iu < 0 || p->rate_at < t->iu || p->rate_at >= t->iu + t->f)
            continue;
        du[p->rate_at - t->iu] = p->by;
        if (p->velocity)
            s->out_y[s->plan->nq + p->rate_at] += p->by;
        else
            clv_joint_displace(t->kind, s->out_y + t->iq, du);
    }
}

/* NULL: the start contradicts the numbers, as points of joints may in planar loops */
static clv_sim *start(const problem *p, clv_model **m)
{
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = "dca";
    *m = p->make(p->from);
    if (p->number_at >= 0)
        *place_of(*m, &p->number[p->number_at]) += p->by;
    const clv_status st = clv_sim_create(&s, *m, &o);
    if (st == CLV_ERR_INCONSISTENT && p->number_at >= 0) {
        clv_sim_destroy(s), clv_model_destroy(*m);
        return NULL;
    }
    if (st != CLV_OK)
        print_error("%s\n", clv_sim_error(s)->message);
    OK(st);
    if (p->y)
        memcpy(s->out_y, p->y, (size_t)s->n * sizeof(double));
    if (p->rate_at >= 0)
        displace(s, p);
    s->evaluated = false, s->seen_t = NAN;
    return s;
}

static clv_sensitivity *run(clv_sim *s, const clv_sensitivity_options *o)
{
    clv_sensitivity *x;
    const clv_status st = clv_sim_sensitivity(s, o, &x);
    if (st != CLV_OK)
        print_error("%s\n", clv_sim_error(s)->message);
    OK(st);
    return x;
}

/* ------------------------------------------------------------------ differences */

/* sum of weights times outputs of a run like `like` */
static double value(const problem *p, const clv_sensitivity *like, const double *weight)
{
    clv_model *m;
    clv_sim *s = start(p, &m);
    if (!s)
        return NAN;
    clv_sensitivity_options o = p->o;
    o.like = like;
    clv_sensitivity *x = run(s, &o);
    double sum = 0;
    for (int i = 0; i < x->frames * x->outputs; i++)
        sum += weight[i] * x->y[i];
    clv_sensitivity_destroy(x), clv_sim_destroy(s), clv_model_destroy(m);
    return sum;
}

/* by sixth order */
static double slope(problem p, const clv_sensitivity *like, const double *weight, double h)
{
    double y[6];
    for (int i = 0; i < 6; i++) {
        p.by = (i % 2 ? -h : h) * (1 + i / 2);
        y[i] = value(&p, like, weight);
    }
    return (45 * (y[0] - y[1]) - 9 * (y[2] - y[3]) + (y[4] - y[5])) / (60 * h);
}

typedef struct found {
    double number[MOST_NUMBERS], input[200], q[MOST_RATES], u[MOST_RATES];
} found;

/* largest of `count` differences beside `size` */
static double apart(const double *a, const double *b, int count, double size)
{
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return size > 0 ? most / size : most;
}

static double largest(const double *a, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(a[i]));
    return most;
}

static double noise(int k)
{
    return sin(1.7 * k + 0.3) + 0.2;
}

static void adjoint_of(clv_sensitivity *x, const double *weight, found *g)
{
    const clv_slopes to = {g->number, g->input, g->q, g->u};
    memset(g, 0, sizeof *g);
    assert_true(x->frames * x->inputs <= 200 && x->rates <= MOST_RATES);
    OK(clv_sensitivity_adjoint(x, weight, &to));
}

/* weights times the forward slopes; of inputs: sums over frames */
static void forward_of(clv_sensitivity *x, const double *weight, found *g)
{
    const int rows = x->frames * x->outputs, count[4] = {x->numbers, x->inputs, x->rates, x->rates};
    double *room[4], *to[4] = {g->number, g->input, g->q, g->u};
    memset(g, 0, sizeof *g);
    for (int k = 0; k < 4; k++)
        room[k] = calloc((size_t)(rows * count[k]) + 1, sizeof(double));
    const clv_slopes slopes = {room[0], room[1], room[2], room[3]};
    OK(clv_sensitivity_forward(x, &slopes));
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < rows * count[k]; i++)
            to[k][i % count[k]] += weight[i / count[k]] * room[k][i];
        free(room[k]);
    }
}

/* points of joints, where rows are redundant: the two modes give different answers where there is none (T112) */
static void drop_points(const clv_sensitivity *x, double *g)
{
    const clv_sensitivity_work *w = (const clv_sensitivity_work *)x;
    for (int i = 0; i < x->numbers && w->r < w->m; i++)
        if (w->number[i].kind >= CLV_NUMBER_POINT_A)
            g[i] = 0;
}

/* adjoint beside forward: the larger of both differences */
static double compare_modes(clv_sensitivity *x, const double *weight)
{
    found *a = calloc(2, sizeof *a), *f = a + 1;
    double sums[200] = {0}, worst;
    adjoint_of(x, weight, a), forward_of(x, weight, f);
    drop_points(x, a->number), drop_points(x, f->number);
    for (int i = 0; i < x->frames * x->inputs; i++)
        sums[i % x->inputs] += a->input[i];
    worst = apart(a->number, f->number, x->numbers, largest(f->number, x->numbers));
    worst = fmax(worst, apart(sums, f->input, x->inputs, largest(f->input, x->inputs)));
    worst = fmax(worst, apart(a->q, f->q, x->rates, largest(f->q, x->rates)));
    worst = fmax(worst, apart(a->u, f->u, x->rates, largest(f->u, x->rates)));
    free(a);
    return worst;
}

/* sum of the sizes of the terms of J */
static double size_of(const clv_sensitivity *x, const double *weight)
{
    double sum = 0;
    for (int i = 0; i < x->frames * x->outputs; i++)
        sum += fabs(weight[i] * x->y[i]);
    return sum;
}

/* Error of a difference over steps h, relative, or beside what J changes by: runs are rounded to 1e-13 of J. */
static double error_of(double a, double d, double J, double h)
{
    return fabs(a - d) / fmax(fabs(d), 1e-5 * J / h);
}

/* The same from one side, by sixth order; h < 0: from below */
static double slope_on_side(problem p, const clv_sensitivity *like, const double *weight, double h)
{
    static const double c[7] = {-147, 360, -450, 400, -225, 72, -10};
    double sum = 0;
    for (int i = 0; i < 7; i++)
        p.by = h * i, sum += c[i] * value(&p, like, weight);
    return sum / (60 * h);
}

/* Does a coordinate of the start lie on a point of a coupling's table?  The third derivative of the cubic jumps there,
 * so accelerations have one-sided derivatives, and differences across it are the mean of both. */
static bool starts_on_a_point(const clv_sim *s)
{
    for (int k = 0; k < s->model->ncoupling; k++) {
        const clv_coupling *c = &s->model->coupling[k];
        const int child = c->table.n > 0 ? s->plan->child_of_joint[c->term[1].joint] : -1;
        for (int i = 0; child >= 0 && i < c->table.n; i++)
            if (s->plan->tree[child].iq >= 0 && fabs(s->out_y[s->plan->tree[child].iq] - c->table.time[i]) < 1e-9)
                return true;
    }
    return false;
}

/* the better one of both sides */
static double beside_on_a_side(problem p, const clv_sensitivity *like, const double *weight, double a, double J,
                               double h)
{
    double best = INFINITY;
    for (int i = 0; i < 4; i++) {
        const double g = (i % 2 ? -0.25 : 0.25) * (i < 2 ? h : h / 8);
        best = fmin(best, error_of(a, slope_on_side(p, like, weight, g), J, fabs(g)));
    }
    return best;
}

/* The same of a difference over h, or an eighth of it: rounding and higher derivatives.  0: there is no start. */
static double beside(problem p, const clv_sensitivity *like, const double *weight, double a, double J, double h)
{
    const double d = slope(p, like, weight, h), e = error_of(a, d, J, h);
    if (isnan(d))
        return 0;
    const double least = e < 1e-9 ? e : fmin(e, error_of(a, slope(p, like, weight, h / 8), J, h / 8));
    return least > 1e-8 && p.on_a_point ? fmin(least, beside_on_a_side(p, like, weight, a, J, h)) : least;
}

/* Gradient beside differences: every `stride`-th number, and start coordinates and rates. */
static double compare_differences(const problem *p, clv_sensitivity *x, const double *weight, int stride)
{
    found *a = calloc(1, sizeof *a);
    adjoint_of(x, weight, a);
    problem y = *p;
    clv_model *nominal;
    clv_sim *s = start(p, &nominal);
    const double J = size_of(x, weight);
    double worst = 0;
    y.y = s->out_y, y.on_a_point = starts_on_a_point(s);
    for (int i = 0; i < x->numbers; i += stride) {
        const bool shift = p->number[i].kind >= CLV_NUMBER_POINT_A;
        const double size = shift ? 0.1 * s->size : fmax(fabs(*place_of(nominal, &p->number[i])), 0.02),
                     h = 2e-3 * size;
        y.number_at = i;
        worst = fmax(worst, beside(y, x, weight, a->number[i], J, h));
    }
    y.number_at = -1;
    for (int i = 0; i < x->rates; i += stride) {
        if (!x->independent[i])
            continue;
        y.rate_at = i, y.velocity = false;
        worst = fmax(worst, beside(y, x, weight, a->q[i], J, 1e-3));
        y.velocity = true;
        worst = fmax(worst, beside(y, x, weight, a->u[i], J, 1e-2));
    }
    free(a), clv_sim_destroy(s), clv_model_destroy(nominal);
    return worst;
}

/* ------------------------------------------------------------------ what is asked */

/* all numbers that the model has, up to `most` */
static int all_numbers(const clv_model *m, clv_number *to, int most)
{
    static const int components[CLV_NUMBER_KINDS] = {1, 3, 6, 6, 6, 1, 6, 3, 3, 3};
    int n = 0;
    for (int kind = CLV_NUMBER_KINDS - 1; kind >= 0; kind--) {
        const int items = kind >= CLV_NUMBER_POINT_A   ? m->njoint
                          : kind <= CLV_NUMBER_INERTIA ? m->nbody
                          : kind == CLV_NUMBER_GRAVITY ? 1
                                                       : m->nforce;
        for (int i = 0; i < items; i++)
            for (int c = 0; c < components[kind]; c++) {
                const clv_number x = {(clv_number_kind)kind, i, c};
                if (n < most && clv_number_exists(m, &x))
                    to[n++] = x;
            }
    }
    return n;
}

/* coordinates and rates of joints in the tree, and markers */
static int all_outputs(const clv_sim *s, clv_observed *to, int most)
{
    const clv_model *m = s->model;
    int n = 0;
    for (int j = 0; j < m->njoint; j++) {
        const clv_joint_row *row = &clv_joint_table[m->joint[j].kind];
        const int plain = row->nq > row->nu ? row->nu - 3 : row->nu;
        for (int c = 0; c < row->nu && s->plan->child_of_joint[j] >= 0 && n + 2 <= most - 6; c++) {
            if (c < plain)
                to[n++] = (clv_observed){CLV_OBSERVED_COORDINATE, j, c};
            to[n++] = (clv_observed){CLV_OBSERVED_RATE, j, c};
        }
    }
    for (int k = 0; k < m->nmarker; k++)
        for (int c = 0; c < 6 && n < most; c++)
            to[n++] = (clv_observed){c < 3 ? CLV_OBSERVED_POSITION : CLV_OBSERVED_VELOCITY, k, c % 3};
    return n;
}

/* without numbers of bodies that float without a joint, whose coordinates are those of their centre of mass */
static int drop_floating(const clv_sim *s, clv_number *x, int n)
{
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (x[i].kind != CLV_NUMBER_COM || s->plan->tree[x[i].item].joint >= 0)
            x[kept++] = x[i];
    return kept;
}

static double weights[4000];

static problem problem_of(clv_model *(*make)(const void *), const void *from, const double *time, int frames)
{
    problem p = {.make = make, .from = from, .o = clv_sensitivity_options_default(), .number_at = -1, .rate_at = -1};
    clv_model *m;
    clv_sim *s = start(&p, &m);
    p.o.numbers = drop_floating(s, p.number, all_numbers(m, p.number, MOST_NUMBERS));
    p.o.outputs = all_outputs(s, p.output, MOST_OUTPUTS);
    p.o.frames = frames, p.o.time = time;
    assert_true(frames * p.o.outputs <= 4000);
    for (int i = 0; i < frames * p.o.outputs; i++)
        weights[i] = noise(i);
    clv_sim_destroy(s), clv_model_destroy(m);
    return p;
}

/* Both modes, and differences. */
static void compare(problem p, const char *what, int stride, double tolerance)
{
    clv_model *m;
    p.o.output = p.output, p.o.number = p.number;
    clv_sim *s = start(&p, &m);
    clv_sensitivity *x = run(s, &p.o);
    const double modes = compare_modes(x, weights), differences = compare_differences(&p, x, weights, stride);
    print_message("%s: %d rates, %d numbers, %ld steps: modes %.1e, differences %.1e\n", what, x->rates, x->numbers,
                  x->steps, modes, differences);
    CLV_NEAR(modes, 0, 1e-12);
    CLV_NEAR(differences, 0, tolerance);
    clv_sensitivity_destroy(x), clv_sim_destroy(s), clv_model_destroy(m);
}

/* ------------------------------------------------------------------ mechanisms */

static const char *const tree_loads =
    "cleave: 1\ngravity: [1, -9.81, 2]\n"
    "bodies:\n"
    "  base: {mass: 3, com: [0.1, 0.2, -0.1], inertia: [0.4, 0.5, 0.6, 0.02, -0.01, 0.03]}\n"
    "  arm: {mass: 2, com: [0.5, 0.1, 0], inertia: [0.1, 0.2, 0.25, 0.01, 0.02, -0.03]}\n"
    "  hand: {mass: 1, com: [0.2, 0, 0.1], inertia: [0.05, 0.06, 0.07]}\n"
    "  nut: {mass: 0.7, com: [0, 0.1, 0.1], inertia: [0.02, 0.03, 0.02]}\n"
    "joints:\n"
    "  a: {kind: free, a: {body: ground}, b: {body: base}}\n"
    "  b: {kind: universal, a: {body: base, position: [0.3, 0, 0]}, b: {body: arm}}\n"
    "  c: {kind: spherical, a: {body: arm, position: [1, 0, 0]}, b: {body: hand}}\n"
    "  d: {kind: helical, pitch: 0.2, a: {body: base, position: [0, 0.4, 0]}, b: {body: nut}}\n"
    "forces:\n"
    "  p: {kind: force, body: arm, point: [0.2, 0.1, 0], vector: [3, 4, -5]}\n"
    "  k: {kind: spring-damper, between: [base, hand], points: [[0, 0.1, 0], [0.1, 0, 0]], stiffness: 40, damping: 3, "
    "length: 0.4}\n"
    "  m: {kind: bushing, between: [ground, arm], points: [[0.1, 0.2, 0], [0, 0.1, 0]], stiffness: [30, 20, 10], "
    "rotational_stiffness: [3, 2, 1], damping: [1, 2, 3], rotational_damping: [0.1, 0.2, 0.3], preload: [1, 2, 3]}\n"
    "  j: {kind: joint-load, joint: d, stiffness: 5, damping: 0.4, rest: 0.1, drive: 2, friction: 0.3, breakaway: 0.5, "
    "stiction_speed: 0.5, stribeck_speed: 0.8}\n"
    "inputs:\n"
    "  i1: {joint: b, coordinate: 0, value: 1.5}\n"
    "  i2: {body: hand, force: [1, 2, 3], point: [0.1, 0, 0], frame: body, value: 0.7}\n"
    "markers: {tip: {body: hand, position: [0.3, 0.1, 0.2]}}\n"
    "start:\n"
    "  joints:\n"
    "    a: {q: [0.1, 0.2, 0.3, 0.8, 0.6, 0, 0], u: [0.3, -0.2, 0.1, 0.5, -0.4, 0.7]}\n"
    "    b: {q: [0.3, -0.5], u: [0.4, 0.9]}\n"
    "    c: {q: [0.6, 0, 0.8, 0], u: [0.2, -0.6, 1.1]}\n"
    "    d: {q: 0.2, u: 0.5}\n";

/* a four-bar whose last joint has spring, damper and motor, with a slide coupled to the crank */
static const char *const loop_loads =
    "cleave: 1\ngravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  crank: {mass: 1, com: [0, 0.5, 0], inertia: [0.08, 0.01, 0.08]}\n"
    "  coupler: {mass: 2, com: [1, 0.25, 0], inertia: [0.05, 0.7, 0.71]}\n"
    "  rocker: {mass: 1, com: [0, -0.75, 0], inertia: [0.19, 0.01, 0.19]}\n"
    "  slide: {mass: 0.8, inertia: [0.01, 0.01, 0.01]}\n"
    "joints:\n"
    "  a: {kind: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  b: {kind: revolute, between: [crank, coupler], at: [0, 1, 0], axis: [0, 0, 1]}\n"
    "  c: {kind: revolute, between: [coupler, rocker], at: [2, 1.5, 0], axis: [0, 0, 1], cut: true}\n"
    "  d: {kind: revolute, between: [rocker, ground], at: [2, 0, 0], axis: [0, 0, 1]}\n"
    "  s: {kind: prismatic, between: [ground, slide], at: [0, -1, 0], axis: [1, 0, 0]}\n"
    "couplings: {g: {first: a, second: s, polynomial: [0.1, 0.3, 0.05]}}\n"
    "forces:\n"
    "  k: {kind: joint-load, joint: c, stiffness: 7, damping: 0.6, rest: 0.2, drive: 0.5}\n"
    "  l: {kind: spring-damper, between: [crank, rocker], stiffness: 12, damping: 0.8, length: 0.6}\n"
    "inputs: {motor: {joint: c, value: 0.8}, push: {body: coupler, force: [1, 2, 0], point: [1, 0.3, 0], value: 1.2}}\n"
    "markers: {tip: {body: coupler, position: [1, 0.6, 0.2]}}\n"
    "start:\n"
    "  bodies:\n"
    "    crank: {position: [0, 0, 0], angular_velocity: [0, 0, -1.5]}\n"
    "    coupler: {position: [0, 1, 0], velocity: [1.5, 0, 0]}\n"
    "    rocker: {position: [2, 1.5, 0], velocity: [1.5, 0, 0], angular_velocity: [0, 0, -1]}\n";

/* a spatial four-bar of two balls, whose crank a motion drives */
static const char *const driven =
    "cleave: 1\ngravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  crank: {mass: 1, com: [0.2, 0, 0], inertia: [0.01, 0.03, 0.03]}\n"
    "  rod: {mass: 2, com: [0.5, 0.3, 0.2], inertia: [0.1, 0.2, 0.25]}\n"
    "  rocker: {mass: 1.5, com: [0, 0, 0.4], inertia: [0.1, 0.1, 0.02]}\n"
    "joints:\n"
    "  a: {kind: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0.6, 0.8]}\n"
    "  b: {kind: spherical, between: [crank, rod], at: [0.4, 0, 0]}\n"
    "  c: {kind: universal, between: [rod, rocker], at: [1.2, 0.9, 0.9], axis: [0, 1, 0], x_axis: [1, 0, 0]}\n"
    "  d: {kind: revolute, between: [ground, rocker], at: [1.2, 0.9, 0], axis: [1, 0, 0]}\n"
    "motions: {m: {joint: a, offset: 0, rate: 1.2, amplitude: 0.3, frequency: 3}}\n"
    "forces: {s: {kind: joint-load, joint: d, stiffness: 6, damping: 0.5}}\n"
    "inputs: {f: {body: rod, force: [1, 0, 2], value: 0.4}}\n"
    "markers: {tip: {body: rocker, position: [0, 0, 1]}}\n";

static const double five[5] = {0, 0.1, 0.25, 0.3, 0.5};

static void trees(void **state)
{
    (void)state;
    compare(problem_of(from_text, tree_loads, five, 5), "tree with loads", 3, 1e-8);
    problem p = problem_of(example, "tree-robot", five, 2);
    p.o.numbers = 100;
    compare(p, "tree-robot", 17, 1e-8);
    compare(problem_of(example, "double-pendulum", five, 5), "double-pendulum", 1, 1e-8);
}

static void loops(void **state)
{
    (void)state;
    compare(problem_of(from_text, loop_loads, five, 5), "loop with loads", 1, 1e-8);
    compare(problem_of(from_text, driven, five, 5), "driven spatial four-bar", 1, 1e-8);
    compare(problem_of(example, "five-bar", five, 4), "five-bar", 3, 1e-8);
    compare(problem_of(example, "loop-7r", five, 2), "loop-7r", 7, 1e-8);
    compare(problem_of(example, "suspension", five, 3), "suspension", 5, 1e-8);
}

static void integrators(void **state)
{
    static const char *const name[4] = {"rk4", "bs23", "dopri5", "dop853"};
    (void)state;
    for (int i = 0; i < 4; i++) {
        problem p = problem_of(from_text, loop_loads, five, 3);
        p.o.integrator = name[i], p.o.step = i % 2 ? 0 : 0.01;
        compare(p, name[i], 5, 1e-8);
    }
}

static void random_systems(void **state)
{
    static const double time[2] = {0.02, 0.05};
    const int wanted = random_count(60, 24);
    int systems = 0, loops = 0, rounded = 0;
    double worst = 0, most = 0;
    (void)state;
    for (uint64_t seed = 1; systems < wanted && seed < 4 * (uint64_t)wanted; seed++) {
        problem p = {.make = random_model, .from = &seed, .number_at = -1, .rate_at = -1};
        clv_model *m = random_model(&seed);
        clv_sim *s;
        clv_sensitivity *x;
        clv_sim_options o = clv_sim_options_default();
        o.formulation = "dca";
        clv_status st = clv_sim_create(&s, m, &o);
        if (st == CLV_OK && s->plan->nu > 0 && m->ninput == 0) {
            clv_sim_destroy(s), clv_model_destroy(m);
            p = problem_of(random_model, &seed, time, 2);
            p.o.output = p.output, p.o.number = p.number;
            s = start(&p, &m);
            st = clv_sim_sensitivity(s, &p.o, &x);
            if (st == CLV_OK) {
                const double modes = compare_modes(x, weights), by = compare_differences(&p, x, weights, 23);
                if (modes > 1e-12 || by > 1e-8 || getenv("CLEAVE_SHOW"))
                    print_message("seed %d: modes %.1e, differences %.1e\n", (int)seed, modes, by);
                worst = fmax(worst, by), most = fmax(most, modes);
                systems++, loops += s->plan->nclosing_row > 0, rounded += modes > 1e-12;
                clv_sensitivity_destroy(x);
            } else if (getenv("CLEAVE_SHOW")) {
                print_message("seed %d: %s\n", (int)seed, clv_sim_error(s)->message);
            }
        }
        clv_sim_destroy(s), clv_model_destroy(m);
    }
    print_message("%d systems, %d with loops: modes %.1e, differences %.1e\n", systems, loops, most, worst);
    assert_int_equal(systems, wanted);
    assert_true(most <= 1e-10 && 5 * rounded <= systems && worst <= 1e-8); /* large terms that cancel are rounded */
}

/* ------------------------------------------------------------------ closed forms and frames */

static const char *const oscillator =
    "cleave: 1\ngravity: [0, 0, 0]\n"
    "bodies: {b: {mass: 2, inertia: [1, 1, 1]}}\n"
    "joints: {j: {kind: prismatic, a: {body: ground}, b: {body: b}}}\n"
    "forces: {s: {kind: joint-load, joint: j, stiffness: 18, damping: 0, rest: 0.3}}\n"
    "inputs: {f: {joint: j}}\nmarkers: {p: {body: b}}\n"
    "start: {joints: {j: {q: 0.5, u: 0.4}}}\n";

/* m x'' = -k (x - x0) + f: x = x0 + f/k + (a - x0 - f/k) cos wt + v/w sin wt */
static void oscillation(void **state)
{
    const double T = 1.3, m = 2, k = 18, w = 3, a = 0.5 - 0.3, v = 0.4, c = cos(w * T), si = sin(w * T);
    const clv_number number[3] = {{CLV_NUMBER_MASS, 0, 0}, {CLV_NUMBER_STIFFNESS, 0, 0}, {CLV_NUMBER_REST, 0, 0}};
    const clv_observed output[2] = {{CLV_OBSERVED_COORDINATE, 0, 0}, {CLV_OBSERVED_VELOCITY, 0, 2}};
    const double on_w = -a * T * si + v * (T * c / w - si / (w * w)), weight[2] = {1, 0}, speed[2] = {0, 1};
    double number_bar[3], input, q, u;
    clv_sensitivity *x;
    clv_sensitivity_options o = clv_sensitivity_options_default();
    (void)state;
    o.integrator = "dop853", o.rtol = 1e-13, o.frames = 1, o.time = &T, o.outputs = 2, o.output = output;
    o.numbers = 3, o.number = number;
    clv_model *model;
    clv_sim *s = start(&(problem){.make = from_text, .from = oscillator, .number_at = -1, .rate_at = -1}, &model);
    OK(clv_sim_sensitivity(s, &o, &x));
    CLV_NEAR(x->y[0], 0.3 + a * c + v / w * si, 1e-11);
    OK(clv_sensitivity_adjoint(x, weight, &(clv_slopes){number_bar, &input, &q, &u}));
    CLV_NEAR(number_bar[0], -on_w * w / (2 * m), 1e-10);
    CLV_NEAR(number_bar[1], on_w / (2 * w * m), 1e-10);
    CLV_NEAR(number_bar[2], 1 - c, 1e-10);
    CLV_NEAR(input, (1 - c) / k, 1e-10);
    CLV_NEAR(q, c, 1e-10);
    CLV_NEAR(u, si / w, 1e-10);
    OK(clv_sensitivity_adjoint(x, speed, &(clv_slopes){NULL, NULL, &q, &u}));
    CLV_NEAR(q, -w * si, 1e-10);
    CLV_NEAR(u, c, 1e-10);
    clv_sensitivity_destroy(x), clv_sim_destroy(s), clv_model_destroy(model);
}

/* inputs by frames: gradient beside differences, which are exact in three points where J is about quadratic */
static void inputs_by_frames(void **state)
{
    enum { FRAMES = 4 };
    static const double time[FRAMES] = {0.05, 0.1, 0.2, 0.25};
    double input[2 * FRAMES] = {1, 0.5, -2, 0.3, 0.7, 0.9, 0, -1};
    (void)state;
    problem p = problem_of(from_text, loop_loads, time, FRAMES);
    p.o.output = p.output, p.o.number = p.number, p.o.input = input;
    clv_model *m;
    clv_sim *s = start(&p, &m);
    clv_sensitivity *x = run(s, &p.o);
    found g;
    adjoint_of(x, weights, &g);
    const double J = size_of(x, weights);
    for (int i = 0; i < 2 * FRAMES; i++) {
        double y[4];
        const double kept = input[i], h = 0.05;
        for (int k = 0; k < 4; k++) {
            input[i] = kept + h * (k < 2 ? 1 : 2) * (k % 2 ? -1 : 1);
            y[k] = value(&p, x, weights);
        }
        input[i] = kept;
        CLV_NEAR(error_of(g.input[i], (8 * (y[0] - y[1]) - (y[2] - y[3])) / (12 * h), J, h), 0, 1e-8);
    }
    assert_true(clv_sim_input(s, 0) == 0.8); /* the simulation's own */
    clv_sensitivity_destroy(x), clv_sim_destroy(s), clv_model_destroy(m);
}

/* stages that are not kept are made again with the same bits; the simulation's state stays */
static void memory_and_state(void **state)
{
    static const char *const name[2] = {tree_loads, loop_loads};
    (void)state;
    for (int i = 0; i < 2; i++) {
        problem p = problem_of(from_text, name[i], five, 5);
        p.o.output = p.output, p.o.number = p.number;
        clv_model *m;
        clv_sim *s = start(&p, &m);
        found g[3];
        memset(g, 0, sizeof g);
        OK(clv_sim_advance(s, 0.0));
        double position[12];
        memcpy(position, clv_sim_position(s), 12 * sizeof(double));
        for (int k = 0; k < 3; k++) {
            p.o.memory = k == 0 ? 1e9 : k == 1 ? 0 : 30000;
            clv_sensitivity *x = run(s, &p.o);
            adjoint_of(x, weights, &g[k]);
            if (k > 0)
                assert_true(apart(g[0].number, g[k].number, x->numbers, largest(g[0].number, x->numbers)) < 1e-13);
            clv_sensitivity_destroy(x);
            assert_memory_equal(position, clv_sim_position(s), 12 * sizeof(double));
        }
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* outputs are those of a run of the simulation, to the tolerance of both */
static void beside_a_run(void **state)
{
    static const char *const text[3] = {tree_loads, loop_loads, driven};
    (void)state;
    for (int i = 0; i < 3; i++) {
        problem p = problem_of(from_text, text[i], five, 5);
        clv_model *m;
        p.o.output = p.output, p.o.number = p.number, p.o.rtol = 1e-10;
        clv_sim_options options = clv_sim_options_default();
        options.rtol = 1e-10;
        clv_sim *s;
        m = read(text[i]);
        OK(clv_sim_create(&s, m, &options)); /* hdca */
        clv_sensitivity *x = run(s, &p.o);
        for (int f = 0; f < 5; f++) {
            OK(clv_sim_advance(s, five[f]));
            for (int k = 0; k < x->outputs; k++)
                if (p.output[k].kind == CLV_OBSERVED_POSITION)
                    CLV_NEAR(x->y[f * x->outputs + k], clv_sim_marker(s)[3 * p.output[k].item + p.output[k].component],
                             1e-7);
        }
        clv_sensitivity_destroy(x), clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* ------------------------------------------------------------------ what is refused */

static void refuse(clv_sim *s, const clv_sensitivity_options *o, clv_status code, const char *word)
{
    clv_sensitivity *x = (clv_sensitivity *)o; /* is overwritten */
    assert_int_equal(clv_sim_sensitivity(s, o, &x), code);
    assert_null(x);
    if (!strstr(clv_sim_error(s)->message, word))
        fail_msg("%s", clv_sim_error(s)->message);
}

static void what_is_refused(void **state)
{
    const double time[2] = {0.1, 0.1}, nan = NAN, early = -1;
    const clv_observed output = {CLV_OBSERVED_RATE, 0, 0};
    const clv_number wrong = {CLV_NUMBER_MASS, 99, 0};
    const int none = 99;
    clv_sensitivity_options good = clv_sensitivity_options_default(), o;
    clv_model *m;
    (void)state;
    clv_sim *s = start(&(problem){.make = from_text, .from = loop_loads, .number_at = -1, .rate_at = -1}, &m);
    good.frames = 1, good.time = time, good.outputs = 1, good.output = &output;
    o = good, o.cookie = 0, refuse(s, &o, CLV_ERR_USAGE, "default");
    o = good, o.frames = 0, refuse(s, &o, CLV_ERR_USAGE, "frame");
    o = good, o.frames = 2, refuse(s, &o, CLV_ERR_USAGE, "ascend");
    o = good, o.time = &nan, refuse(s, &o, CLV_ERR_USAGE, "ascend");
    o = good, o.time = &early, refuse(s, &o, CLV_ERR_USAGE, "ascend");
    o = good, o.integrator = "bdf", refuse(s, &o, CLV_ERR_USAGE, "bdf");
    o = good, o.integrator = "rk4", refuse(s, &o, CLV_ERR_USAGE, "step");
    o = good, o.step = NAN, refuse(s, &o, CLV_ERR_USAGE, "step");
    o = good, o.rtol = -1, refuse(s, &o, CLV_ERR_USAGE, "tolerance");
    o = good, o.outputs = 0, refuse(s, &o, CLV_ERR_USAGE, "outputs");
    o = good, o.numbers = 1, refuse(s, &o, CLV_ERR_USAGE, "list");
    o = good, o.numbers = 1, o.number = &wrong, refuse(s, &o, CLV_ERR_USAGE, "number 0");
    o = good, o.firsts = 1, o.first = &none, refuse(s, &o, CLV_ERR_USAGE, "independent");
    o = good, o.input = &nan, refuse(s, &o, CLV_ERR_USAGE, "input");
    const clv_observed bad[] = {{CLV_OBSERVED_RATE, 9, 0},
                                {CLV_OBSERVED_RATE, 0, 1},
                                {CLV_OBSERVED_POSITION, 5, 0},
                                {CLV_OBSERVED_KINDS, 0, 0},
                                {CLV_OBSERVED_POSITION, 0, 3}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        o = good, o.output = &bad[i], refuse(s, &o, CLV_ERR_USAGE, "");
    const clv_observed closing = {CLV_OBSERVED_COORDINATE, 2, 0};
    o = good, o.output = &closing, refuse(s, &o, CLV_ERR_UNSUPPORTED, "'c'");
    clv_sensitivity *x = run(s, &good);
    assert_int_equal(clv_sensitivity_adjoint(x, NULL, &(clv_slopes){0}), CLV_ERR_USAGE);
    assert_int_equal(clv_sensitivity_forward(x, NULL), CLV_ERR_USAGE);
    assert_int_equal(clv_sensitivity_adjoint(NULL, time, &(clv_slopes){0}), CLV_ERR_USAGE);
    o = good, o.like = x, o.integrator = "bs23", refuse(s, &o, CLV_ERR_USAGE, "steps cannot be");
    clv_sensitivity_destroy(x), clv_sensitivity_destroy(NULL);
    clv_sim_destroy(s), clv_model_destroy(m);

    static const char *const model[][2] = {
        {"bicycle", "restricts velocities"}, {"capture", "attaches"}, {"flex-arm", "flexible"}};
    for (size_t i = 0; i < sizeof model / sizeof *model; i++) {
        s = start(&(problem){.make = example, .from = model[i][0], .number_at = -1, .rate_at = -1}, &m);
        refuse(s, &good, CLV_ERR_UNSUPPORTED, model[i][1]);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(oscillation),
                                       cmocka_unit_test(trees),
                                       cmocka_unit_test(loops),
                                       cmocka_unit_test(integrators),
                                       cmocka_unit_test(inputs_by_frames),
                                       cmocka_unit_test(memory_and_state),
                                       cmocka_unit_test(beside_a_run),
                                       cmocka_unit_test(what_is_refused),
                                       cmocka_unit_test(random_systems)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
