/* SPDX-License-Identifier: Apache-2.0
 * Flexible bodies in motion (T31): every formulation moves alike, energy and momenta are kept, a published pendulum and
 * a beam with a bar at its tip are met, nothing is allocated in a step, and a spin beyond the linear frame ends the run
 * by name. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "math/rotation.h"
#include "model/keep.h"
#include "near.h"
#include "oracle/oracle_flex.h"
#include "oracle/random_flexible.h"
#include "simulation/sim.h"

static const char *const formulations[] = {"hdca", "dca", "massmatrix", "aldca", "connection"};
enum { FORMULATIONS = sizeof formulations / sizeof *formulations };

static clv_sim *open_sim(const clv_model *m, const char *formulation, double rtol)
{
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation, o.integrator = "dop853", o.rtol = rtol;
    if (clv_sim_create(&s, m, &o) != CLV_OK)
        fail_msg("%s", clv_sim_error(s)->message);
    return s;
}

static void advance(clv_sim *s, double t)
{
    if (clv_sim_advance(s, t) != CLV_OK)
        fail_msg("%s", clv_sim_error(s)->message);
}

/* ------------------------------------------------------------------ random systems */

static double apart(const clv_sim *a, const clv_sim *b)
{
    double worst = 0;
    for (int i = 0; i < 3 * a->plan->nbody; i++)
        worst = fmax(worst, fabs(a->out_r[i] - b->out_r[i]));
    for (int i = 0; i < 6 * a->plan->nbody; i++)
        worst = fmax(worst, 0.1 * fabs(a->out_V[i] - b->out_V[i]));
    for (int i = 0; i < 2 * a->plan->nmode; i++)
        worst = fmax(worst, 0.1 * fabs(a->out_modes[i] - b->out_modes[i]));
    return worst;
}

static double size_of(const clv_sim *s)
{
    double size = 1;
    for (int i = 0; i < 6 * s->plan->nbody; i++)
        size = fmax(size, fabs(s->out_V[i]));
    return size;
}

/* hdca with and without re-gauge (impulses on nodes grow), dca, the baseline, aldca, connection by both methods,
 * over 0.3 s */
static void formulations_move_alike(void **state)
{
    (void)state;
    double worst = 0, drift = 0;
    int n = 0;
    for (uint64_t seed = 0; seed < 24; seed++) {
        random_flexible *r = random_flexible_create(seed, seed % 2 == 1);
        clv_sim *hdca = open_sim(r->model, "hdca", 1e-11), *s;
        advance(hdca, 0.3);
        for (int f = 0; f <= FORMULATIONS; f++) { /* the last: method 2 */
            clv_sim_options o = clv_sim_options_default();
            o.formulation = f < FORMULATIONS ? formulations[f] : "connection", o.integrator = "dop853", o.rtol = 1e-11,
            o.regauge = 0;
            o.method = f < FORMULATIONS ? 0 : 2;
            assert_int_equal(clv_sim_create(&s, r->model, &o), CLV_OK);
            advance(s, 0.3);
            double d = apart(hdca, s) / size_of(hdca);
            if (d > 1e-8)
                printf("  seed %d %s: %.1e\n", (int)seed, o.formulation, d);
            worst = fmax(worst, d), n++;
            clv_sim_report report;
            clv_sim_summary(s, &report);
            double scale = fabs(report.energy_initial) + fabs(s->out_kinetic) + fabs(s->out_potential);
            drift = fmax(drift, report.max_energy_drift / scale);
            clv_sim_destroy(s);
        }
        clv_sim_destroy(hdca);
        random_flexible_destroy(r);
    }
    printf("%d motions, largest relative difference %.1e, energy drift %.1e\n", n, worst, drift);
    assert_true(worst < 1e-8 && drift < 1e-9);
}

/* momentum along a shift or turn of everything, about the origin */
static void total_momentum(const random_flexible *r, const clv_sim *s, double P[6])
{
    oracle_flex *f = oracle_flex_create(r->model, r->cloud);
    real *d = calloc(2 * (size_t)f->N, sizeof *d), p, rate, terms;
    oracle_flex_set(f, 0, s->system.kin.com, s->system.kin.R, s->system.com_V, s->system.kin.eta, s->system.kin.etad);
    for (int c = 0; c < 6; c++) {
        memset(d, 0, 2 * (size_t)f->N * sizeof *d);
        for (int b = 0; b < s->plan->nbody; b++) {
            const double *at = s->system.kin.com + 3 * b, e[3] = {c % 3 == 0, c % 3 == 1, c % 3 == 2};
            double turned[3];
            clv_cross(turned, e, at);
            for (int i = 0; f->at[b] >= 0 && i < 3; i++)
                d[f->at[b] + i] = c < 3 ? e[i] : turned[i], d[f->at[b] + 3 + i] = c < 3 ? 0 : e[i];
        }
        oracle_flex_momentum(f, d, d + f->N, &p, &rate, &terms);
        P[c] = (double)p;
    }
    free(d);
    oracle_flex_destroy(f);
}

static bool touches_ground(const clv_model *m)
{
    for (int j = 0; j < m->njoint; j++)
        if (m->joint[j].a < 0 || m->joint[j].b < 0)
            return true;
    for (int k = 0; k < m->nforce; k++)
        if (m->force[k].a < 0 || m->force[k].b < 0)
            return true;
    return false;
}

static void momenta_are_kept(void **state)
{
    (void)state;
    double worst = 0;
    int n = 0;
    for (uint64_t seed = 0; seed < 120 && n < 16; seed++) {
        random_flexible *r = random_flexible_create(seed, seed % 2 == 1);
        if (touches_ground(r->model)) {
            random_flexible_destroy(r);
            continue;
        }
        memset(r->model->gravity, 0, sizeof r->model->gravity);
        clv_sim *s = open_sim(r->model, n % 2 ? "hdca" : "dca", 1e-11);
        double before[6], after[6], size = 0;
        total_momentum(r, s, before);
        advance(s, 0.5);
        total_momentum(r, s, after);
        for (int i = 0; i < 6; i++)
            size = fmax(size, fabs(before[i]));
        for (int i = 0; i < 6; i++)
            worst = fmax(worst, fabs(after[i] - before[i]) / size);
        n++;
        clv_sim_destroy(s);
        random_flexible_destroy(r);
    }
    printf("%d free systems, momenta change by %.1e\n", n, worst);
    assert_true(n >= 8 && worst < 1e-9);
}

/* ------------------------------------------------------------------ planar beams on a hub */

typedef struct beam { /* of the prototype: clamped-free modes along x, deflection along y */
    double mass, hub, S1, J, c[2], d[2], Mff[2], K[2], tip_at, tip[2], slope[2];
} beam;

static const beam pendulum = {.mass = 1,
                              .hub = 1,
                              .S1 = 1.1,
                              .J = 1.5533333333333337,
                              .c = {0.7829917560396257, 0.4339358951107202},
                              .d = {1.2159506630237842, 0.22492716328384746},
                              .Mff = {1, 1},
                              .K = {61.81181684163093, 2427.5940925668524},
                              .tip_at = 2.1,
                              .tip = {2, -2}},
                  with_bar = {.mass = 1.2,
                              .hub = 1,
                              .S1 = 1.02,
                              .J = 1.1020000000000003,
                              .c = {0.9395901072475508, 0.5207230741328641},
                              .d = {1.1178453494025942, 0.2154525238087843},
                              .Mff = {1.2, 1.2},
                              .K = {109.8876743851216, 4315.7228312299585},
                              .tip_at = 1.6,
                              .tip = {2, -2},
                              .slope = {1.8353406462300466, -6.374371213615478}};

static clv_model *hub_with_beam(const beam *b, const double *eta, const double *etad, double limit)
{
    clv_model *m;
    clv_body_desc d = clv_body_desc_default();
    clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
    const double down[3] = {0, -9.81, 0}, mass = b->mass + b->hub, x = b->S1 / mass;
    double K[4] = {b->K[0], 0, 0, b->K[1]}, Mff[4] = {b->Mff[0], 0, 0, b->Mff[1]}, S[6] = {0}, h[6] = {0}, E[18] = {0},
           B[36] = {0};
    double shape[12] = {0}, start[2] = {eta[0], eta[1]}, rate[2] = {etad[0], etad[1]};
    for (int k = 0; k < 2; k++) {
        S[3 * k + 1] = b->c[k], h[3 * k + 2] = b->d[k], E[9 * k + 1] = b->d[k], B[9 * (2 * k + k) + 4] = b->Mff[k];
        shape[6 * k + 1] = b->tip[k], shape[6 * k + 5] = b->slope[k];
    }
    clv_flex_node tip = {.name = "tip", .position = {b->tip_at, 0, 0}, .orientation = {1, 0, 0, 0}, .shape = shape};
    clv_flex f = {.nmode = 2,
                  .nnode = 1,
                  .node = &tip,
                  .K = K,
                  .Mff = Mff,
                  .S = S,
                  .h = h,
                  .E = E,
                  .B = B,
                  .eta = start,
                  .etad = rate,
                  .limit = limit};
    assert_int_equal(clv_model_create(&m, "beam"), CLV_OK);
    assert_int_equal(clv_model_set_gravity(m, down), CLV_OK);
    d.name = "arm", d.mass = mass, d.com[0] = x;
    d.inertia[2] = b->J - mass * x * x, d.inertia[1] = d.inertia[2], d.inertia[0] = 0.01;
    assert_int_equal(clv_model_add_body(m, &f.body, &d), CLV_OK);
    assert_int_equal(clv_model_add_flex(m, NULL, &f), CLV_OK);
    j.name = "pivot", j.b = 0;
    j.has_u = j.has_q = true;
    assert_int_equal(clv_model_add_joint(m, NULL, &j), CLV_OK);
    return m;
}

/* reference/flexible/flex_pendulum_2modes: theta, theta', eta, eta' at 5 s; error of the reference 5e-13 */
static void pendulum_of_two_modes(void **state)
{
    (void)state;
    static const double zero[2] = {0, 0};
    clv_model *m = hub_with_beam(&pendulum, zero, zero, 0);
    assert_int_equal(clv_model_finish(m), CLV_OK);
    for (int f = 0; f < FORMULATIONS; f++) {
        clv_sim *s = open_sim(m, formulations[f], 5e-14); /* typical sizes grow with the model */
        clv_joint_result r;
        const double *q, *u, *udot;
        clv_sim_report report;
        long before = clv_alloc_count();
        advance(s, 5);
        assert_int_equal(clv_sim_joint(s, 0, &r), CLV_OK);
        assert_int_equal(clv_sim_modes(s, 0, &q, &u, &udot), 2);
        assert_int_equal(clv_alloc_count(), before);
        double error = fmax(fmax(fabs(r.q[0] + 1.2913284706219608), fabs(q[0] + 0.0024518744903462325)),
                            fabs(q[1] - 8.298987007273986e-05));
        double speed = fmax(fmax(fabs(r.u[0] - 3.883311738128511), fabs(u[0] + 0.2935855315012779)),
                            fabs(u[1] - 0.009296971799896726));
        clv_sim_summary(s, &report);
        printf("pendulum, %s: %.1e, rates %.1e, energy drift %.1e\n", report.formulation, error, speed,
               report.max_energy_drift);
        assert_true(error < 5e-12 && speed < 1e-10 && isfinite(udot[0]));
        assert_int_equal(report.bodies, 1);
        clv_sim_destroy(s);
    }
    clv_model_destroy(m);
}

/* prototype/flex_tip: a bar pinned at the tip, start and 3 s; Lagrange's equations with Christoffel terms by complex
 * step, to 1e-13 */
static void bar_at_the_tip(void **state)
{
    (void)state;
    static const double eta[2] = {0.03, -0.01}, etad[2] = {0.2, -0.1};
    const double *c = with_bar.slope;
    clv_body_desc d = clv_body_desc_default();
    clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
    clv_model *m = hub_with_beam(&with_bar, eta, etad, 0);
    int bar;
    assert_true(clv_keep_start(m, &m->joint[0], (double[7]){0.2}, (double[6]){1}));
    d.name = "bar", d.mass = 0.6, d.com[0] = 0.4, d.inertia[2] = 0.08, d.inertia[1] = 0.08, d.inertia[0] = 0.01;
    assert_int_equal(clv_model_add_body(m, &bar, &d), CLV_OK);
    j.name = "pin", j.a = clv_model_find_body(m, "arm.tip"), j.b = bar;
    j.has_q = j.has_u = true;
    j.q[0] = -0.5 - 0.2 - c[0] * eta[0] - c[1] * eta[1], j.u[0] = 0.7 - 1 - c[0] * etad[0] - c[1] * etad[1];
    assert_int_equal(clv_model_add_joint(m, NULL, &j), CLV_OK);
    assert_int_equal(clv_model_finish(m), CLV_OK);
    static const double at[3] = {1, 2, 3};
    static const double theta[3] = {-1.7533114689355536, -3.3312748345113108, -0.22706454943582147},
                        modes[3][2] = {{0.13929472696901626, -0.0052284996849972535},
                                       {0.13061086741792927, 0.0042290733256176195},
                                       {-0.13203387317509241, -0.025062588429131206}},
                        turn[3] = {-1.6260047914271909, -3.0051885426946843, 0.048653940910092577},
                        spin[3] = {-3.6862074835868341, -3.8299587445278331, 6.8450572121425521};
    for (int f = 0; f < FORMULATIONS; f++) {
        clv_sim *s = open_sim(m, formulations[f], 1e-13);
        double error = 0, drift = 0;
        for (int i = 0; i < 3; i++) {
            clv_joint_result r, p;
            const double *q;
            advance(s, at[i]);
            assert_int_equal(clv_sim_joint(s, 0, &r), CLV_OK), assert_int_equal(clv_sim_joint(s, 1, &p), CLV_OK);
            clv_sim_modes(s, 0, &q, NULL, NULL);
            error = fmax(error, fmax(fabs(r.q[0] - theta[i]), fabs(r.u[0] - spin[i]) / 10));
            error = fmax(error, fmax(fabs(q[0] - modes[i][0]), fabs(q[1] - modes[i][1])));
            error = fmax(error, fabs(p.q[0] + r.q[0] + c[0] * q[0] + c[1] * q[1] - turn[i]));
        }
        clv_sim_report report;
        clv_sim_summary(s, &report), drift = report.max_energy_drift;
        printf("bar at the tip, %s: %.1e, energy drift %.1e\n", report.formulation, error, drift);
        assert_true(error < 1e-10 && drift < 1e-10);
        clv_sim_destroy(s);
    }
    clv_model_destroy(m);
}

/* a pendulum that swings past its limit, and one that starts beyond */
static void spin_is_limited(void **state)
{
    (void)state;
    static const double zero[2] = {0, 0};
    static const char *const integrator[] = {"dopri5", "adams", "rk4"};
    clv_model *m = hub_with_beam(&pendulum, zero, zero, 3);
    assert_int_equal(clv_model_finish(m), CLV_OK);
    for (int i = 0; i < 3; i++) {
        clv_sim *s;
        clv_sim_options o = clv_sim_options_default();
        o.integrator = integrator[i], o.step = i == 2 ? 1e-3 : 0;
        assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
        assert_int_equal(clv_sim_advance(s, 5), CLV_ERR_UNSUPPORTED);
        printf("%s: %s\n", integrator[i], clv_sim_error(s)->message);
        assert_non_null(strstr(clv_sim_error(s)->message, "body 'arm'"));
        assert_non_null(strstr(clv_sim_error(s)->message, "3 rad/s"));
        assert_string_equal(clv_sim_error(s)->body, "arm");
        assert_true(clv_sim_error(s)->time > 0.3 && clv_sim_error(s)->time < 2);
        assert_true(fabs(clv_sim_velocity(s)[5]) <= 3); /* the last good state stays readable */
        clv_sim_destroy(s);
    }
    clv_model_destroy(m);
    m = hub_with_beam(&pendulum, zero, zero, 3);
    assert_true(clv_keep_start(m, &m->joint[0], m->joint[0].q, (double[6]){4}));
    assert_int_equal(clv_model_finish(m), CLV_OK);
    clv_sim *s;
    assert_int_equal(clv_sim_create(&s, m, NULL), CLV_ERR_UNSUPPORTED);
    clv_sim_destroy(s);
    clv_model_destroy(m);
    assert_int_equal(clv_alloc_live(), 0);
}

/* a run that is saved half way and loaded goes on with the same bits */
static void saved_and_loaded(void **state)
{
    (void)state;
    random_flexible *r = random_flexible_create(7, true);
    clv_sim *a = open_sim(r->model, "hdca", 1e-8), *b = open_sim(r->model, "hdca", 1e-8);
    void *bytes = malloc(clv_sim_saved_size(a));
    advance(a, 0.1);
    clv_sim_save(a, bytes);
    assert_int_equal(clv_sim_load(b, bytes, clv_sim_saved_size(a)), CLV_OK);
    advance(a, 0.2), advance(b, 0.2);
    assert_memory_equal(a->out_y, b->out_y, (size_t)a->n * sizeof(double));
    assert_memory_equal(a->out_modes, b->out_modes, 2 * (size_t)a->plan->nmode * sizeof(double));
    free(bytes), clv_sim_destroy(a), clv_sim_destroy(b), random_flexible_destroy(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(formulations_move_alike), cmocka_unit_test(momenta_are_kept),
                                       cmocka_unit_test(pendulum_of_two_modes),   cmocka_unit_test(bar_at_the_tip),
                                       cmocka_unit_test(spin_is_limited),         cmocka_unit_test(saved_and_loaded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
