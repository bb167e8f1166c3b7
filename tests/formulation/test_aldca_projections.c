/* SPDX-License-Identifier: Apache-2.0
 * The projections of ALDCA (T23): iterates and limits are the mass-orthogonal ones of the paper's (41)-(72), solved
 * dense in seven coordinates a body; gaps and speeds of gaps over 10 s with them, and violations that fade by omega and
 * mu without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/joint.h"
#include "near.h"
#include "oracle/oracle_seven.h"
#include "oracle/random_builder.h"
#include "simulation/sim.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static clv_model *example(const char *name, const char *param)
{
    clv_model *m;
    assert_int_equal(clv_example_create(&m, name, &param, param ? 1 : 0), CLV_OK);
    return m;
}

static clv_sim *open_sim(const clv_model *m, clv_sim_options o)
{
    clv_sim *s;
    o.formulation = "aldca";
    clv_status st = clv_sim_create(&s, m, &o);
    if (st != CLV_OK)
        print_error("%s\n", clv_sim_error(s)->message);
    assert_int_equal(st, CLV_OK);
    return s;
}

/* ------------------------------------------------------------------ beside the paper */

static const char *const MODELS[] = {"hdca-case1", "hdca-case3", "aldca-coupled", "five-bar",
                                     "loop-7r",    "bricard",    "chain-closed"};
enum { NMODELS = sizeof MODELS / sizeof *MODELS, LIMIT = 3 };

/* largest difference of twists (nbody x 6), relative to the second */
static double apart(int n, const double *a, const double *b)
{
    double most = 0, size = 0;
    for (int i = 0; i < 6 * n; i++)
        most = fmax(most, fabs(a[i] - b[i])), size = fmax(size, fabs(b[i]));
    return most / size;
}

/* the state of a model in motion, every body pushed off by `shift` and with velocities changed by about `kick` */
static void pushed(const clv_model *m, double shift, double kick, uint64_t seed, double *q, double *u)
{
    clv_sim *s = open_sim(m, clv_sim_options_default());
    random_stream rs = {.state = seed};
    double du[6];
    assert_int_equal(clv_sim_advance(s, 0.4), CLV_OK);
    memcpy(q, s->out_y, (size_t)s->plan->nq * sizeof *q);
    memcpy(u, s->out_y + s->plan->nq, (size_t)s->plan->nu * sizeof *u);
    for (int b = 0; b < m->nbody; b++) {
        const clv_tree_joint *t = &s->plan->tree[b];
        for (int i = 0; i < 6; i++)
            du[i] = shift * random_normal(&rs), u[t->iu + i] += kick * random_normal(&rs);
        clv_joint_displace(t->kind, q + t->iq, du);
    }
    clv_sim_destroy(s);
}

static seven *seven_here(const clv_sim *s)
{
    return seven_create(s->model, s->system.kin.com, s->system.kin.R, s->system.kin.V);
}

/* alpha of every dense row: those of the engine's */
static void penalties(const clv_sim *s, const seven *d, double alpha, real *of)
{
    int k = 0;
    for (int e = 0; e < s->plan->nedge; e++)
        for (int r = 0; r < s->plan->edge[e].m; r++, k++) {
            double scale = s->system.engine.scale[s->plan->edge[e].row + r];
            of[k] = alpha / ((real)scale * scale);
        }
    assert_int_equal(k, d->rows);
}

/* a simulation whose stages take `limit` iterations */
static clv_sim *limited(const clv_model *m, double alpha, int limit)
{
    clv_sim_options o = clv_sim_options_default();
    o.alpha = alpha, o.iterations = limit;
    if (limit <= LIMIT)
        o.eps_p = o.eps_v = 0;
    return open_sim(m, o);
}

/* (57)-(72): M (v - v*) + Phi^T lam = 0, lam = lam* + alpha Phi v */
static void velocities_are_projected_as_in_the_paper(void **state)
{
    (void)state;
    double worst = 0;
    for (int i = 0; i < NMODELS; i++)
        for (int k = 1; k <= LIMIT + 1; k++) { /* the last: until it stands still */
            const int limit = k <= LIMIT ? k : 30;
            clv_model *m = example(MODELS[i], NULL);
            clv_sim *s = limited(m, 1e5, limit);
            double q[7 * 64], u[6 * 64], V[6 * 64];
            real alpha[512], x[7 * 64], lam[512] = {0}, b[7 * 64], zero[512] = {0};
            pushed(m, 0, 0.3, (uint64_t)i + 1, q, u);
            assert_int_equal(clv_system_pose(&s->system, 0.4, q), CLV_OK);
            clv_kinematics_velocities(&s->system.kin, u);
            seven *d = seven_here(s);
            for (int r = 0; r < d->n; r++) {
                b[r] = 0;
                for (int c = 0; c < d->n; c++)
                    b[r] += d->M[r * d->n + c] * d->v[c / 7][c % 7];
            }
            assert_int_equal(s->formulation->closing->velocity(&s->system, 0.4, q, u), CLV_OK);
            penalties(s, d, 1e5, alpha);
            for (int n = 0; n < limit; n++)
                seven_iterate(d, b, zero, alpha, 0, x, lam);
            seven_twists(d, x, V);
            double off = apart(m->nbody, s->system.kin.V, V);
            worst = fmax(worst, off);
            CLV_NEAR(off, 0, 1e-11);
            seven_destroy(d), clv_sim_destroy(s), clv_model_destroy(m);
        }
    printf("projected velocities apart by at most %.1e\n", worst);
}

/* (41)-(56): M (q - q*) + Phi^T lam = 0, lam = lam* + alpha Phi(q).  Pushed by 1e-6, so that what is not linear is
 * below 1e-5 of it. */
static void positions_are_projected_as_in_the_paper(void **state)
{
    (void)state;
    const double push = 1e-6;
    double worst = 0, gap = 0;
    for (int i = 0; i < NMODELS; i++)
        for (int k = 1; k <= LIMIT + 1; k++) {
            const int limit = k <= LIMIT ? k : 30;
            clv_model *m = example(MODELS[i], NULL);
            clv_sim *s = limited(m, 1e3, limit);
            double q[7 * 64], u[6 * 64], V[6 * 64], moved[6 * 64], far;
            real alpha[512], x[7 * 64], lam[512] = {0}, zero[7 * 64] = {0}, dq[7 * 64] = {0};
            pushed(m, push, 0, (uint64_t)i + 1, q, u);
            assert_int_equal(clv_system_pose(&s->system, 0.4, q), CLV_OK);
            clv_kinematics_velocities(&s->system.kin, u);
            seven *from = seven_here(s), *to;
            assert_int_equal(s->formulation->closing->position(&s->system, 0.4, q, &far), CLV_OK);
            to = seven_here(s);
            penalties(s, from, 1e3, alpha);
            for (int n = 0; n < limit; n++)
                seven_iterate(from, zero, from->phi, alpha, 0, x, lam);
            seven_twists(from, x, V);
            for (int b = 0; b < m->nbody; b++) {
                real side = 0;
                for (int c = 3; c < 7; c++)
                    side += from->q[b][c] * to->q[b][c];
                for (int c = 0; c < 7; c++)
                    dq[7 * b + c] = (c > 2 && side < 0 ? -to->q[b][c] : to->q[b][c]) - from->q[b][c];
            }
            seven_twists(from, dq, moved);
            double off = apart(m->nbody, moved, V);
            worst = fmax(worst, off);
            CLV_NEAR(off, 0, 1e-4);
            for (int r = 0; k > LIMIT && r < to->rows; r++)
                gap = fmax(gap, fabs((double)to->phi[r]));
            seven_destroy(from), seven_destroy(to), clv_sim_destroy(s), clv_model_destroy(m);
        }
    printf("projected positions apart by at most %.1e of the way; gaps at the end %.1e\n", worst, gap);
    CLV_NEAR(gap, 0, 1e-14);
}

/* ------------------------------------------------------------------ in motion */

static void projections_close_loops_to_rounding(void **state)
{
    (void)state;
    static const char *const name[] = {"hdca-case1", "hdca-case2",      "hdca-case3",   "aldca-coupled", "loop-7r",
                                       "bricard",    "four-bar-ladder", "chain-closed", "five-bar"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        clv_model *m = example(name[i], NULL);
        clv_sim *s = open_sim(m, clv_sim_options_default());
        clv_sim_report r;
        double gap = 0, speed = 0; /* of outputs, which are interpolated */
        for (int k = 1; k <= 100; k++) {
            assert_int_equal(clv_sim_advance(s, 0.1 * k), CLV_OK);
            gap = fmax(gap, s->out_gap), speed = fmax(speed, s->out_gap_speed);
        }
        CLV_NEAR(gap, 0, 1e-12 * s->size);
        CLV_NEAR(speed, 0, 1e-11);
        clv_sim_summary(s, &r);
        printf("%-16s gap %.1e of the size, speed %.1e, drift %.1e J, iterations %.2f %.2f %.2f\n", name[i],
               r.max_position_violation / s->size, r.max_velocity_violation, r.max_energy_drift,
               (double)r.stage[0].iterations / (double)r.stage[0].runs,
               (double)r.stage[1].iterations / (double)r.stage[1].runs,
               (double)r.stage[2].iterations / (double)r.stage[2].runs);
        CLV_NEAR(r.max_position_violation, 0, 1e-12 * s->size);
        CLV_NEAR(r.max_velocity_violation, 0, 1e-11);
        assert_int_equal(r.stage[0].limited + r.stage[1].limited, 0);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* The projection of positions uses the factor of the evaluation at the end of the step, velocities and the next
 * evaluation share one; iterations make none.  rk4: five places a step. */
static void a_place_is_factored_once(void **state)
{
    (void)state;
    clv_model *m = example("hdca-case3", NULL);
    clv_sim_options o = clv_sim_options_default();
    clv_sim_report r;
    o.integrator = "rk4", o.step = 1e-3;
    clv_sim *s = open_sim(m, o);
    clv_sim_summary(s, &r);
    const long before = s->system.engine.factors, evaluations = r.rate_evaluations;
    assert_int_equal(clv_sim_advance(s, 1), CLV_OK);
    clv_sim_summary(s, &r);
    const long factors = s->system.engine.factors - before;
    long solves = 0;
    for (int k = 0; k < 3; k++)
        solves += r.stage[k].iterations;
    printf("%ld steps, %ld evaluations: %ld factors, %ld solves\n", r.steps, r.rate_evaluations - evaluations, factors,
           solves);
    assert_in_range(factors, 5 * r.steps - 5, 5 * r.steps + 5);
    assert_true(solves > 3 * factors);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* without them omega and mu hold the drift: the paper's first variant */
static void violations_fade_without_projections(void **state)
{
    (void)state;
    double gap[2];
    for (int k = 0; k < 2; k++) {
        clv_model *m = example("aldca-coupled", NULL);
        clv_sim_options o = clv_sim_options_default();
        clv_sim_report r;
        o.project = 0, o.omega = k ? 20 : 0, o.rtol = 1e-6;
        clv_sim *s = open_sim(m, o);
        assert_int_equal(clv_sim_advance(s, 10), CLV_OK);
        clv_sim_summary(s, &r);
        assert_int_equal(r.stage[0].runs + r.stage[1].runs, 0);
        assert_true(r.stage[2].runs > 0);
        gap[k] = r.max_position_violation;
        clv_sim_destroy(s), clv_model_destroy(m);
    }
    printf("without projections the gap reaches %.1e m, with omega 20 1/s %.1e m\n", gap[0], gap[1]);
    assert_true(gap[1] < 0.1 * gap[0]);
    assert_true(gap[0] > 1e-7 && gap[0] < 1e-1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocities_are_projected_as_in_the_paper),
        cmocka_unit_test(positions_are_projected_as_in_the_paper),
        cmocka_unit_test(projections_close_loops_to_rounding),
        cmocka_unit_test(a_place_is_factored_once),
        cmocka_unit_test(violations_fade_without_projections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
