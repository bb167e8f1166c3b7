/* SPDX-License-Identifier: Apache-2.0
 * Variational integrators (T34): a step is a symplectic map, in the tree's coordinates for open chains and on the
 * reduced phase space for loops; energy has no trend; loops stay closed to rounding. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "math/rotation.h"
#include "math/spatial.h"
#include "simulation/mechanisms.h"
#include "thorough.h"

/* ------------------------------------------------------------------ symplectic */

enum { DIRECTIONS = 4, MOST = 64 };

/* start state moved by `by` along a direction (rates of q, then of p) and back onto the loops */
static void moved_start(clv_sim *s, const double *start, const double *direction, double by, double *y)
{
    const clv_plan *p = s->plan;
    double du[MOST], moved;
    memcpy(y, start, (size_t)s->n * sizeof *y);
    for (int i = 0; i < p->nu; i++)
        du[i] = by * direction[i], y[p->nq + i] += by * direction[p->nu + i];
    for (int b = 0; b < p->nbody; b++)
        if (p->tree[b].iq >= 0)
            clv_joint_displace(p->tree[b].kind, y + p->tree[b].iq, du + p->tree[b].iu);
    for (int k = 0; k < p->nstar; k++)
        for (int i = 0; i < p->star[k].nmode; i++)
            y[p->star[k].iq + i] += du[p->star[k].iu + i];
    if (s->any_loop)
        assert_int_equal(clv_project_position(s, 0, y, false, 30, &moved), CLV_OK);
}

/* tangent vector (eta: body turns for quaternions, dp) of six states around `centre` */
static void tangent(const clv_sim *s, const double *centre, double (*const y)[MOST], double delta, double *v)
{
    const double w[6] = {-1.0 / 60, 3.0 / 20, -3.0 / 4, 3.0 / 4, -3.0 / 20, 1.0 / 60};
    const clv_plan *p = s->plan;
    double d[MOST] = {0};
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < s->n; i++)
            d[i] += w[k] * y[k][i] / delta;
    for (int i = 0; i < p->nu; i++) {
        const int at = s->coordinate[i];
        v[p->nu + i] = d[p->nq + i];
        if (at >= 0)
            v[i] = d[at];
        else {
            double c[4], turn[4];
            clv_quat_conjugate(c, centre - 1 - at);
            clv_quat_product(turn, c, d - 1 - at);
            for (int r = 0; r < 3; r++)
                v[i + r] = 2 * turn[1 + r], v[p->nu + i + r] = d[p->nq + i + r];
            i += 2;
        }
    }
}

/* symplectic form: d(p.eta) with eta the body turn of quaternions (T34.3) */
static double form(const clv_sim *s, const double *centre, const double *x, const double *y)
{
    const int n = s->plan->nu;
    double w = 0;
    for (int i = 0; i < n; i++)
        w += x[n + i] * y[i] - y[n + i] * x[i];
    for (int i = 0; i < n; i++)
        if (s->coordinate[i] < 0) {
            double c[3];
            clv_cross(c, x + i, y + i);
            w -= clv_dot3(c, centre + s->plan->nq + i);
            i += 2;
        }
    return w;
}

static void one_step(clv_sim *s, double *y)
{
    assert_int_equal(clv_integrator_restart(&s->integrator, 0, y), CLV_OK);
    s->integrator.options.direction_end = NAN;
    assert_int_equal(clv_integrator_step(&s->integrator), CLV_OK);
    memcpy(y, s->integrator.y, (size_t)s->n * sizeof *y);
}

/* largest change of the form over one step, relative to its size */
static double form_change(clv_sim *s, double delta)
{
    double from[DIRECTIONS][6][MOST], to[DIRECTIONS][6][MOST], X[DIRECTIONS][2 * MOST], Y[DIRECTIONS][2 * MOST];
    double start[MOST], end[MOST], worst = 0, size = 0;
    uint64_t z = 88172645463325252u;
    memcpy(start, s->integrator.y, (size_t)s->n * sizeof *start);
    memcpy(end, start, sizeof end);
    one_step(s, end);
    for (int d = 0; d < DIRECTIONS; d++) {
        double direction[2 * MOST];
        for (int i = 0; i < 2 * s->plan->nu; i++) {
            z ^= z << 13, z ^= z >> 7, z ^= z << 17;
            direction[i] = (double)(z >> 11) * 0x1p-52 - 1;
        }
        for (int k = 0; k < 6; k++) {
            moved_start(s, start, direction, (k < 3 ? k - 3 : k - 2) * delta, from[d][k]);
            memcpy(to[d][k], from[d][k], sizeof to[d][k]);
            one_step(s, to[d][k]);
        }
        tangent(s, start, from[d], delta, X[d]), tangent(s, end, to[d], delta, Y[d]);
    }
    for (int a = 0; a < DIRECTIONS; a++)
        for (int b = 0; b < a; b++) {
            const double before = form(s, start, X[a], X[b]);
            worst = fmax(worst, fabs(form(s, end, Y[a], Y[b]) - before));
            size = fmax(size, fabs(before));
        }
    return worst / size;
}

static void a_step_is_a_symplectic_map(void **state)
{
    (void)state;
    for (int i = 0; i < SUBJECTS; i++)
        for (int k = 0; k < RULES && subjects[i].free; k++) {
            rig r;
            open_rig(&r, &subjects[i], rules[k], subjects[i].coarse[1] / 2);
            advance(&r, 0.1); /* away from the special start */
            const double change = form_change(r.s, 1e-3);
            print_message("%-12s %-9s changes the form by %.1e\n", subjects[i].name, rules[k], change);
            if (!(change < 1e-9))
                fail_msg("%s by %s: the symplectic form changes by %.1e", subjects[i].name, rules[k], change);
            close_rig(&r);
        }
}

/* the measure itself: bs23 with the same step is no symplectic map */
static void the_form_sees_other_maps(void **state)
{
    (void)state;
    for (int i = 0; i < SUBJECTS; i++) {
        if (!subjects[i].free)
            continue;
        rig r;
        open_rig(&r, &subjects[i], "midpoint", subjects[i].coarse[1] / 2); /* for its table of coordinates */
        rig other;
        open_rig(&other, &subjects[i], "bs23", subjects[i].coarse[1] / 2);
        advance(&r, 0.1), advance(&other, 0.1);
        other.s->coordinate = r.s->coordinate;
        const double change = form_change(other.s, 1e-3);
        print_message("%-12s bs23      changes the form by %.1e\n", subjects[i].name, change);
        assert_true(change > 1e-8);
        close_rig(&r), close_rig(&other);
    }
}

/* ------------------------------------------------------------------ energy and gaps */

enum { SAMPLES = 400, BLOCKS = 20 };

/* straight line through the means of blocks: slope per block and its standard error */
static double trend(const double *block, double *deviation)
{
    const double middle = 0.5 * (BLOCKS - 1);
    double mean = 0, slope = 0, xx = 0, left = 0;
    for (int b = 0; b < BLOCKS; b++)
        mean += block[b] / BLOCKS;
    for (int b = 0; b < BLOCKS; b++)
        slope += (b - middle) * block[b], xx += (b - middle) * (b - middle);
    slope /= xx;
    for (int b = 0; b < BLOCKS; b++)
        left += pow(block[b] - mean - slope * (b - middle), 2);
    *deviation = sqrt(left / (BLOCKS - 2) / xx);
    return slope;
}

/* 40 s: the slope is within four standard errors or makes less than a third of the largest error; loops are closed */
static void energy_has_no_trend(void **state)
{
    (void)state;
    for (int i = 0; i < SUBJECTS; i++)
        for (int k = 0; k < RULES && subjects[i].free; k += thorough() ? 1 : 2) {
            rig r;
            double T, V, W, E0 = 0, block[BLOCKS] = {0}, most[2] = {0}, exchanged = 0, deviation;
            open_rig(&r, &subjects[i], rules[k], subjects[i].calm[k]);
            for (int n = 0; n <= SAMPLES; n++) {
                if (n > 0)
                    assert_int_equal(clv_sim_advance(r.s, n * 0.1), CLV_OK);
                clv_sim_energy(r.s, &T, &V, &W);
                E0 = n == 0 ? T + V : E0;
                exchanged = fmax(exchanged, T);
                most[2 * n > SAMPLES] = fmax(most[2 * n > SAMPLES], fabs(T + V - E0));
                if (n > 0)
                    block[(n - 1) * BLOCKS / SAMPLES] += (T + V - E0) / (SAMPLES / BLOCKS);
            }
            clv_sim_report report;
            clv_sim_summary(r.s, &report);
            const double slope = trend(block, &deviation), rounding = 1e-14 * exchanged;
            print_message("%-12s %-9s energy %.1e, %.1e of %.3g J, slope %.1e +- %.1e, gap %.1e %.1e\n",
                          subjects[i].name, rules[k], most[0], most[1], exchanged, slope, deviation,
                          report.max_position_violation, report.max_velocity_violation);
            const bool drifts =
                fabs(slope) > 4 * deviation + rounding && fabs(slope) * BLOCKS > 0.3 * fmax(most[0], most[1]);
            if (drifts || !(most[1] < 0.01 * exchanged) || !(report.max_position_violation < 2e-14) ||
                !(report.max_velocity_violation < 2e-13))
                fail_msg("%s by %s", subjects[i].name, rules[k]);
            close_rig(&r);
        }
}

/* In long chains the corrections stall at the rounding of momenta, 1e-8 of the rates: they have arrived then (T34.9).
 * Steps of an open chain have no memory for solutions in model order. */
static void long_chains_arrive(void **state)
{
    (void)state;
    for (int k = 0; k < RULES; k++) {
        const char *params[] = {"links=1000", "spatial=2"};
        clv_model *m;
        clv_sim *s;
        clv_sim_options o = clv_sim_options_default();
        o.integrator = rules[k], o.step = 1e-5;
        assert_int_equal(clv_example_create(&m, "chain", params, 2), CLV_OK);
        assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
        if (clv_sim_advance(s, 3e-5) != CLV_OK)
            fail_msg("%s: %s", rules[k], clv_sim_error(s)->message);
        clv_sim_report report;
        clv_sim_summary(s, &report);
        assert_int_equal(report.steps, 3);
        assert_true(report.rate_evaluations < 3 * (k + 1) * 20);
        assert_true(report.max_energy_drift <= 1e-6 * report.energy_moved); /* of steps this short: rounding */
        assert_false(s->system.engine.open || s->stage.engine.open);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_chains_arrive),
        cmocka_unit_test(a_step_is_a_symplectic_map),
        cmocka_unit_test(the_form_sees_other_maps),
        cmocka_unit_test(energy_has_no_trend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
