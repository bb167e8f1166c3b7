/* SPDX-License-Identifier: Apache-2.0
 * The mass-matrix baseline (T18) against dca: the same accelerations and the same reactions where they are unique, on
 * all examples and on random systems; the same motion; its size limit.
 *
 * Bound: relative difference <= 100 eps cond or 1e-9, cond of the oracle's scaled KKT matrix; accelerations in the norm
 * of the masses, as light bodies beside heavy ones are known less well. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "near.h"
#include "oracle/oracle.h"
#include "oracle/random_system.h"
#include "simulation/cycle.h"
#include "simulation/sim.h"

static clv_status open_sim(clv_sim **s, const clv_model *m, const char *formulation)
{
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation;
    clv_status st = clv_sim_create(s, m, &o);
    return st == CLV_OK ? clv_sim_evaluate(*s) : st;
}

static double largest(const double *x, int n)
{
    double m = 0;
    for (int i = 0; i < n; i++)
        m = fmax(m, fabs(x[i]));
    return m;
}

typedef struct gap {
    double acceleration;   /* in the norm of the masses, relative */
    double udot, reaction; /* relative to the largest of the system; reactions: or a millionth of the weight */
} gap;

/* V^T M V of one body, V at its centre of mass */
static double inertia_square(const clv_sim *s, int b, const double V[6])
{
    const double *J = s->system.kin.Jc + 6 * b, *w = V + 3;
    return s->model->body[b].mass * (V[0] * V[0] + V[1] * V[1] + V[2] * V[2]) + J[0] * w[0] * w[0] +
           J[3] * w[1] * w[1] + J[5] * w[2] * w[2] + 2 * (J[1] * w[0] * w[1] + J[2] * w[0] * w[2] + J[4] * w[1] * w[2]);
}

static gap compare(clv_sim *a, clv_sim *b, const clv_model *m)
{
    gap g = {0};
    const double *A = clv_sim_acceleration(a), *B = clv_sim_acceleration(b);
    int n = 6 * clv_model_body_count(m);
    double size = largest(A, n) + 1e-12, force = 1e-12, rate = 0;
    double dd = 0, all = 1e-24;
    for (int b = 0; b < m->nbody; b++) {
        force += 1e-6 * m->body[b].mass * largest(m->gravity, 3); /* what falls freely has no reactions */
        double d[6];
        for (int i = 0; i < 6; i++)
            d[i] = A[6 * b + i] - B[6 * b + i];
        dd += inertia_square(a, b, d), all += inertia_square(a, b, A + 6 * b);
    }
    g.acceleration = sqrt(dd / all);
    for (int j = 0; j < clv_model_joint_count(m); j++) {
        clv_joint_result x, y;
        assert_int_equal(clv_sim_joint(a, j, &x), CLV_OK);
        assert_int_equal(clv_sim_joint(b, j, &y), CLV_OK);
        force = fmax(force, fmax(largest(x.force, 3), largest(x.torque, 3)));
        for (int i = 0; x.tree && i < x.nu; i++) {
            rate = fmax(rate, fabs(x.udot[i]));
            g.udot = fmax(g.udot, fabs(x.udot[i] - y.udot[i]));
        }
        for (int i = 0; i < 6; i++) {
            assert_int_equal(x.unique[i], y.unique[i]);
            double d = i < 3 ? x.force[i] - y.force[i] : x.torque[i - 3] - y.torque[i - 3];
            if (x.unique[i])
                g.reaction = fmax(g.reaction, fabs(d));
        }
    }
    g.udot /= fmax(rate, size), g.reaction /= force;
    return g;
}

static double condition(const clv_model *m, const clv_sim *s)
{
    oracle *o = oracle_create(m);
    double R[9 * 512];
    for (int b = 0; b < clv_model_body_count(m); b++) {
        const double *e = clv_sim_quaternion(s) + 4 * b;
        double w = e[0], x = e[1], y = e[2], z = e[3];
        double all[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
        memcpy(R + 9 * b, all, sizeof all);
    }
    oracle_set(o, 0, clv_sim_position(s), R, clv_sim_velocity(s), NULL);
    oracle_factor(o);
    double c = (double)o->condition;
    oracle_destroy(o);
    return c;
}

static void agrees_with_dca_on_examples(void **state)
{
    (void)state;
    for (int i = 0; clv_example_name(i); i++) {
        clv_model *m;
        clv_sim *a, *b;
        assert_int_equal(clv_example_create(&m, clv_example_name(i), NULL, 0), CLV_OK);
        assert_int_equal(open_sim(&a, m, "dca"), CLV_OK);
        assert_int_equal(open_sim(&b, m, "massmatrix"), CLV_OK);
        gap g = compare(a, b, m);
        printf("%-18s accelerations %.1e  joint accelerations %.1e  reactions %.1e\n", clv_example_name(i),
               g.acceleration, g.udot, g.reaction);
        /* the flexible vehicle: 105 freedoms on light links, solved once without refinement (600 eps cond,
         * test_mmsev.c) */
        double bound = strcmp(clv_example_name(i), "mmsev-flexible") == 0 ? 1e-9 : 1e-10;
        assert_true(fmax(g.acceleration, fmax(g.udot, g.reaction)) <= bound);
        clv_sim_destroy(a), clv_sim_destroy(b), clv_model_destroy(m);
    }
}

static void agrees_with_dca_on_random_systems(void **state)
{
    (void)state;
    gap worst = {0};
    int compared = 0, refused = 0, otherwise = 0;
    for (uint64_t seed = 1; seed <= 104; seed++) {
        clv_model *m;
        clv_sim *a, *b;
        random_kind kind = (random_kind)(seed % RANDOM_KINDS);
        assert_int_equal(random_system_create(seed, kind, 0, &m, NULL), CLV_OK);
        clv_status sa = open_sim(&a, m, "dca"), sb = open_sim(&b, m, "massmatrix");
        assert_int_equal(sa, sb);
        int na = 0, nb = 0;
        if (sa == CLV_OK) {
            na = a->system.truncated, clv_sim_rates_once(b), nb = b->system.truncated, clv_sim_evaluate(b);
        }
        if (na != nb) { /* nearer to a singular position than `rank`: both may be right */
            printf("seed %d (%s): dca truncates %d directions, massmatrix %d (threshold 1e-8; smallest pivots %.1e, "
                   "%.1e)\n",
                   (int)seed, random_kind_name(kind), na, nb, a->system.engine.min_pivot, b->system.engine.min_pivot);
            otherwise++;
        } else if (sa == CLV_OK) {
            gap g = compare(a, b, m);
            double bound = fmax(1e-9, 100 * 2.2e-16 * condition(m, a)), all = fmax(g.acceleration, g.reaction);
            if (!(all <= bound))
                printf("seed %d (%s): accelerations %.1e  joint accelerations %.1e  reactions %.1e  bound %.1e\n",
                       (int)seed, random_kind_name(kind), g.acceleration, g.udot, g.reaction, bound);
            assert_true(all <= bound && g.udot <= 1e-6);
            worst.acceleration = fmax(worst.acceleration, g.acceleration);
            worst.udot = fmax(worst.udot, g.udot), worst.reaction = fmax(worst.reaction, g.reaction);
            compared++;
        } else
            refused++;
        clv_sim_destroy(a), clv_sim_destroy(b), clv_model_destroy(m);
    }
    printf(
        "%d random systems (%d refused by both), worst: accelerations %.1e  joint accelerations %.1e  reactions %.1e\n",
        compared, refused, worst.acceleration, worst.udot, worst.reaction);
    assert_true(compared >= 95);
}

static void same_motion_as_dca(void **state)
{
    static const char *const names[] = {"hdca-case3", "bricard", "loop-7r", "satellite", "chain"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        clv_model *m;
        clv_sim *s[2];
        clv_sim_options o = clv_sim_options_default();
        o.integrator = "dop853", o.rtol = 1e-11;
        assert_int_equal(clv_example_create(&m, names[i], NULL, 0), CLV_OK);
        for (int k = 0; k < 2; k++) {
            o.formulation = k ? "massmatrix" : "dca";
            assert_int_equal(clv_sim_create(&s[k], m, &o), CLV_OK);
            assert_int_equal(clv_sim_advance(s[k], 1.0), CLV_OK);
        }
        double d = 0;
        for (int c = 0; c < 3 * clv_model_body_count(m); c++)
            d = fmax(d, fabs(clv_sim_position(s[0])[c] - clv_sim_position(s[1])[c]));
        clv_sim_report r;
        clv_sim_summary(s[1], &r);
        printf("%-12s apart %.1e m after 1 s, gap %.1e m, %ld steps\n", names[i], d, r.max_position_violation, r.steps);
        CLV_NEAR(d, 0, 1e-9);
        CLV_NEAR(r.max_position_violation, 0, 1e-12);
        clv_sim_destroy(s[0]), clv_sim_destroy(s[1]), clv_model_destroy(m);
    }
}

/* rates that give the rows of the loops what any rates give them, least in kinetic energy: those of the engine */
static void corrections_are_those_of_the_engine(void **state)
{
    static const char *const names[] = {"hdca-case2", "hdca-case3", "loop-7r", "mmsev-rigid", "mmsev-flexible"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        clv_model *m;
        clv_sim *s;
        assert_int_equal(clv_example_create(&m, names[i], NULL, 0), CLV_OK);
        assert_int_equal(open_sim(&s, m, "massmatrix"), CLV_OK);
        clv_system *k = &s->system;
        double a[200], own[200], engine[200], size = 0;
        random_stream r = {i};
        assert_true(s->plan->nclosing_row <= 200 && s->plan->nu <= 200);
        for (int c = 0; c < s->plan->nu; c++)
            s->u[c] = random_uniform(&r, -1, 1);
        assert_false(s->formulation->correct(k, a, own)); /* the engine has made the last factor */
        assert_int_equal(s->formulation->rates(k, 0, s->y, s->ydot), CLV_OK);
        clv_kinematics_velocities(&k->kin, s->u);
        clv_kinematics_velocity_violation(&k->kin, a);
        assert_true(s->formulation->correct(k, a, own));
        assert_int_equal(clv_system_place(k, 0, s->y), CLV_OK);
        assert_false(s->formulation->correct(k, a, own));
        memset(k->b, 0, 6 * (size_t)s->plan->nbody * sizeof(double));
        clv_engine_solve(&k->engine, k->x, engine, k->b, NULL, NULL, a);
        for (int c = 0; c < s->plan->nu; c++)
            size = fmax(size, fabs(engine[c]));
        assert_true(size > 1e-3);
        for (int c = 0; c < s->plan->nu; c++)
            CLV_NEAR(own[c], engine[c], 1e-9 * size);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

static void too_many_freedoms_are_refused_by_name(void **state)
{
    (void)state;
    clv_model *m;
    clv_sim *s;
    const char *links[] = {"links=4001"};
    assert_int_equal(clv_example_create(&m, "chain", links, 1), CLV_OK);
    assert_int_equal(open_sim(&s, m, "massmatrix"), CLV_ERR_UNSUPPORTED);
    assert_non_null(strstr(clv_sim_error(s)->message, "massmatrix"));
    assert_non_null(strstr(clv_sim_error(s)->message, "4001"));
    clv_sim_destroy(s), clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_dca_on_examples),
        cmocka_unit_test(agrees_with_dca_on_random_systems),
        cmocka_unit_test(same_motion_as_dca),
        cmocka_unit_test(corrections_are_those_of_the_engine),
        cmocka_unit_test(too_many_freedoms_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
