/* SPDX-License-Identifier: Apache-2.0
 * aldca in rows (T23.8) gives the iterates of the nodes of the absolute plan, an elimination in another order: rates,
 * projections and multipliers of random mechanisms of rigid bodies with every kind of joint, loops, couplings, motions
 * and loads; with penalties and gains of joints of their own.  And the same bits for all widths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "formulation/aldca.h"
#include "oracle/random_system.h"
#include "simulation/sim.h"

typedef struct outcome { /* state, rates, multipliers; projected positions and velocities */
    double *ydot, *lambda, *x, *q, *u;
    clv_stage stage[CLV_STAGES];
} outcome;

static outcome room(const clv_sim *s)
{
    const clv_plan *p = s->plan;
    return (outcome){.ydot = calloc((size_t)s->n, sizeof(double)),
                     .lambda = calloc((size_t)p->nsigma + 1, sizeof(double)),
                     .x = calloc(6 * (size_t)p->nbody, sizeof(double)),
                     .q = calloc((size_t)p->nq, sizeof(double)),
                     .u = calloc((size_t)p->nu, sizeof(double))};
}

static void leave(outcome *o) { free(o->ydot), free(o->lambda), free(o->x), free(o->q), free(o->u); }

/* all that aldca does at the state y; its turns are left as they were */
static void work(clv_sim *s, const double *y, outcome *o)
{
    const clv_plan *p = s->plan;
    clv_aldca *d = s->system.private_state;
    double moved;
    d->m.t = NAN;
    assert_int_equal(s->formulation->rates(&s->system, 0, y, o->ydot), CLV_OK);
    o->stage[CLV_STAGE_ACCELERATION] = s->system.stage[CLV_STAGE_ACCELERATION];
    assert_int_equal(s->formulation->accelerate(&s->system), CLV_OK);
    memcpy(o->lambda, s->system.lambda, (size_t)p->nsigma * sizeof(double));
    memcpy(o->x, s->system.x, 6 * (size_t)p->nbody * sizeof(double));
    memcpy(o->q, y, (size_t)p->nq * sizeof(double)), memcpy(o->u, y + p->nq, (size_t)p->nu * sizeof(double));
    assert_int_equal(s->formulation->closing->position(&s->system, 0, o->q, &moved), CLV_OK);
    o->stage[CLV_STAGE_POSITION] = s->system.stage[CLV_STAGE_POSITION];
    assert_int_equal(s->formulation->closing->velocity(&s->system, 0, o->q, o->u), CLV_OK);
    o->stage[CLV_STAGE_VELOCITY] = s->system.stage[CLV_STAGE_VELOCITY];
}

/* largest difference over the largest number */
static double apart(const double *a, const double *b, int n)
{
    double most = 0, size = 1e-300;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - b[i])), size = fmax(size, fabs(b[i]));
    return most / size;
}

/* a little off the constraints: quaternions stay of unit length to second order */
static void disturb(const clv_sim *s, double *y, uint64_t seed, double by)
{
    random_stream r = {seed * 7919 + 5};
    for (int i = 0; i < s->n - 1; i++)
        y[i] += by * random_normal(&r);
    for (int b = 0; b < s->plan->nbody; b++)
        clv_joint_normalize(CLV_JOINT_FREE, y + s->plan->tree[b].iq);
}

static struct { int systems, rows, stopped; double rates, multipliers, accelerations, positions, velocities; } all;

static void note(double *worst, double off, double bound, int seed, const char *what)
{
    if (!(off <= bound))
        print_error("seed %d: %s differ by %.1e\n", seed, what, off);
    assert_true(off <= bound);
    *worst = fmax(*worst, off);
}

/* by: how far from the constraints */
static void compare(clv_sim *s, int seed, double by)
{
    const clv_plan *p = s->plan;
    clv_row_bodies *rows = s->system.bodies;
    double *y = malloc((size_t)s->n * sizeof(double));
    outcome a = room(s), b = room(s);
    memcpy(y, s->y, (size_t)s->n * sizeof(double));
    disturb(s, y, (uint64_t)seed, by);
    work(s, y, &a);
    s->system.bodies = NULL;
    work(s, y, &b);
    s->system.bodies = rows;
    /* iterations that end by rounding may end one earlier or later: only converged ones have digits to compare */
    bool limited = false;
    for (int i = 0; i < CLV_STAGES; i++)
        limited |= a.stage[i].limited || b.stage[i].limited || a.stage[i].stalled || b.stage[i].stalled;
    all.stopped += limited;
    const double more = limited ? 1e3 : 1;
    note(&all.rates, apart(a.ydot, b.ydot, s->n), more * 1e-7, seed, "rates");
    note(&all.accelerations, apart(a.x, b.x, 6 * p->nbody), more * 1e-7, seed, "accelerations");
    if (s->base_nullity == 0) /* else those of redundant rows collect rounding times alpha */
        note(&all.multipliers, apart(a.lambda, b.lambda, p->nsigma), more * 1e-6, seed, "multipliers");
    note(&all.positions, apart(a.q, b.q, p->nq), more * 1e-9, seed, "positions");
    note(&all.velocities, apart(a.u, b.u, p->nu), more * 1e-7, seed, "velocities");
    leave(&a), leave(&b), free(y);
}

static void one_system(int seed, double alpha)
{
    clv_model *m;
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = "aldca", o.alpha = alpha;
    assert_int_equal(random_system_create((uint64_t)seed, (random_kind)(seed % RANDOM_KINDS), 0, &m, NULL), CLV_OK);
    all.systems++;
    if (clv_sim_create(&s, m, &o) == CLV_OK && s->system.bodies) {
        all.rows++;
        compare(s, seed, 0), compare(s, seed, 1e-6);
    }
    clv_sim_destroy(s), clv_model_destroy(m);
}

static void rows_give_the_iterates_of_nodes(void **state)
{
    (void)state;
    const int n = getenv("CLEAVE_RANDOM") ? atoi(getenv("CLEAVE_RANDOM")) : 64;
    for (int seed = 1; seed <= n; seed++)
        one_system(seed, seed % 3 == 0 ? 1e5 : NAN);
    printf("%d of %d systems in rows, %d comparisons with an iteration stopped: rates %.1e, accelerations %.1e, "
           "multipliers %.1e, positions %.1e, velocities %.1e apart\n",
           all.rows, all.systems, all.stopped, all.rates, all.accelerations, all.multipliers, all.positions,
           all.velocities);
    assert_true(all.rows > n / 2);
}

/* ------------------------------------------------------------------ off the constraints */

/* accelerations (nbody x 6) of the rank-revealing factor of the same rows and right-hand sides */
static void truncated(clv_sim *s, const double *y, double *x)
{
    clv_system *system = &s->system;
    double *u = calloc((size_t)s->plan->nu + 1, sizeof(double));
    outcome o = room(s);
    work(s, y, &o); /* by nodes, whose right-hand sides stay */
    assert_int_equal(s->formulation->rates(system, 0, y, o.ydot), CLV_OK);
    assert_int_equal(s->formulation->accelerate(system), CLV_OK);
    assert_int_equal(clv_system_pose(system, 0, y), CLV_OK);
    assert_int_equal(clv_system_factor(system), CLV_OK);
    clv_engine_solve(&system->engine, x, u, system->b, system->force, system->c, system->a);
    leave(&o), free(u);
}

/* Redundant rows that contradict each other a little are nearly dependent: no iteration may follow them.  What differs
 * from the solution without them is flagged. */
static void wrong_accelerations_are_flagged(void **state)
{
    (void)state;
    int flagged = 0, compared = 0;
    for (int seed = 1; seed <= 130; seed++) {
        clv_model *m;
        clv_sim *s;
        clv_sim_options o = clv_sim_options_default();
        o.formulation = "aldca", o.alpha = 1e5, o.iterations = 2000;
        assert_int_equal(random_system_create((uint64_t)seed, (random_kind)(seed % RANDOM_KINDS), 0, &m, NULL), CLV_OK);
        if (clv_sim_create(&s, m, &o) == CLV_OK && s->system.bodies && m->nmotion > 0) {
            clv_row_bodies *rows = s->system.bodies;
            const int n = 6 * s->plan->nbody;
            double *y = malloc((size_t)s->n * sizeof(double)), *x = calloc((size_t)n, sizeof(double));
            outcome a = room(s);
            memcpy(y, s->y, (size_t)s->n * sizeof(double));
            disturb(s, y, (uint64_t)seed, 1e-6);
            work(s, y, &a);
            s->system.bodies = NULL;
            truncated(s, y, x);
            s->system.bodies = rows;
            const clv_stage *stage = &a.stage[CLV_STAGE_ACCELERATION];
            if (stage->limited || stage->stalled)
                flagged++;
            else if (++compared && apart(a.x, x, n) > 1e-5)
                fail_msg("seed %d: accelerations differ by %.1e, without a flag", seed, apart(a.x, x, n));
            leave(&a), free(x), free(y);
        }
        clv_sim_destroy(s), clv_model_destroy(m);
    }
    printf("%d compared, %d flagged\n", compared, flagged);
    assert_true(compared > 2 * flagged);
}

/* ------------------------------------------------------------------ widths */

/* state of a motion of one width */
static void run_width(const char *lanes, const char *example, double *y, int *n)
{
    clv_model *m;
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = "aldca", o.integrator = "rk4", o.step = 1e-3;
    setenv("CLV_LANES", lanes, 1);
    assert_int_equal(clv_example_create(&m, example, NULL, 0), CLV_OK);
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
    assert_non_null(s->system.bodies);
    assert_int_equal(clv_sim_set_end(s, 0.02), CLV_OK);
    assert_int_equal(clv_sim_advance(s, 0.02), CLV_OK);
    *n = s->n;
    assert_true(s->n <= 512);
    memcpy(y, s->out_y, (size_t)s->n * sizeof(double));
    clv_sim_destroy(s), clv_model_destroy(m);
    unsetenv("CLV_LANES");
}

static void widths_give_the_same_bits(void **state)
{
    (void)state;
    static const char *EXAMPLES[] = {"chain", "hdca-case3", "tree-robot", "loop-7r"};
    for (size_t i = 0; i < sizeof EXAMPLES / sizeof *EXAMPLES; i++) {
        double one[512], y[512];
        int n;
        run_width("1", EXAMPLES[i], one, &n);
        for (int lanes = 2; lanes <= 4; lanes *= 2) {
            run_width(lanes == 2 ? "2" : "4", EXAMPLES[i], y, &n);
            assert_memory_equal(y, one, (size_t)n * sizeof(double));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_give_the_iterates_of_nodes),
                                       cmocka_unit_test(wrong_accelerations_are_flagged),
                                       cmocka_unit_test(widths_give_the_same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
