/* SPDX-License-Identifier: Apache-2.0
 * A simulation that was saved and loaded goes on with the same bits: every integrator with every formulation, on loops
 * that project, re-gauge and truncate, and on trees; and what must not be loaded is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "cleave/cleave.h"

static const char *const integrators[] = {"dopri5", "bs23", "dop853", "rk4", "adams", "midpoint", "gauss4", "gauss6"};
enum { INTEGRATORS = sizeof integrators / sizeof integrators[0], ON_MOMENTA = 3 }; /* the last ones want hdca */
static const char *const formulations[] = {"hdca", "dca", "massmatrix", "aldca", "connection"};
typedef struct mechanism {
    const char *name;
    const char *param[2];
    int nparam;
    double end; /* s */
    bool singular;
    bool file; /* of tests/models: links without mass, which evaluations give some and take it out again */
} mechanism;
static const mechanism mechanisms[] = {
    {"hdca-case1", {NULL}, 0, 3, false, false},            /* a loop                                   */
    {"four-bar-ladder", {"windows=2"}, 1, 3, true, false}, /* loops through singular positions       */
    {"bricard", {NULL}, 0, 3, false, false},               /* redundant rows                           */
    {"chain", {"links=6", "spatial=1"}, 2, 1, false, false},
    {"tree-robot", {NULL}, 0, 0.5, false, false}, /* quaternions                              */
    {"geared_massless_rotor", {NULL}, 0, 0.3, false, true},
};

static clv_model *make(const mechanism *m)
{
    clv_model *model;
    char path[200];
    snprintf(path, sizeof path, "%s/tests/models/%s.yaml", CLV_SOURCE_DIR, m->name);
    clv_status st = m->file ? clv_model_read(&model, path) : clv_example_create(&model, m->name, m->param, m->nparam);
    if (st != CLV_OK)
        print_error("%s: %s\n", m->name, clv_model_error(model)->message);
    assert_int_equal(st, CLV_OK);
    return model;
}

static clv_sim *start(const clv_model *model, const char *formulation, const char *integrator)
{
    clv_sim_options o = clv_sim_options_default();
    clv_sim *s;
    o.formulation = formulation, o.integrator = integrator;
    const bool fixed =
        strcmp(integrator, "rk4") == 0 || strncmp(integrator, "gauss", 5) == 0 || strcmp(integrator, "midpoint") == 0;
    o.step = fixed ? 0.004 : 0;
    clv_status st = clv_sim_create(&s, model, &o);
    if (st != CLV_OK)
        print_error("%s\n", clv_sim_error(s)->message);
    assert_int_equal(st, CLV_OK);
    return s;
}

static bool same(const double *a, const double *b, int n)
{
    return memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

static bool same_report(const clv_sim *a, const clv_sim *b)
{
    clv_sim_report x, y;
    clv_sim_summary(a, &x), clv_sim_summary(b, &y);
    const double p[] = {x.time,
                        x.energy_initial,
                        x.energy,
                        x.max_energy_drift,
                        x.max_position_violation,
                        x.max_velocity_violation,
                        x.max_velocity_violation_full,
                        x.min_pivot,
                        x.rank,
                        x.start_moved,
                        x.start_velocity_moved,
                        x.max_sigma, x.dropped_energy, x.max_contradiction, x.max_velocity_jump, x.energy_moved},
                 q[] = {y.time,
                        y.energy_initial,
                        y.energy,
                        y.max_energy_drift,
                        y.max_position_violation,
                        y.max_velocity_violation,
                        y.max_velocity_violation_full,
                        y.min_pivot,
                        y.rank,
                        y.start_moved,
                        y.start_velocity_moved,
                        y.max_sigma, y.dropped_energy, y.max_contradiction, y.max_velocity_jump, y.energy_moved};
    return same(p, q, sizeof p / sizeof p[0]) && x.steps == y.steps && x.rejected_steps == y.rejected_steps &&
           x.rate_evaluations == y.rate_evaluations && x.truncated_evaluations == y.truncated_evaluations &&
           x.redundant_constraints == y.redundant_constraints && x.mobility_found == y.mobility_found;
}

static bool same_output(const clv_sim *a, const clv_sim *b, int nbody)
{
    double e[6], f[6];
    clv_sim_energy(a, e, e + 1, e + 2), clv_sim_violation(a, e + 3, e + 4), e[5] = clv_sim_time(a);
    clv_sim_energy(b, f, f + 1, f + 2), clv_sim_violation(b, f + 3, f + 4), f[5] = clv_sim_time(b);
    return same(clv_sim_position(a), clv_sim_position(b), 3 * nbody) && same(e, f, 6) &&
           same(clv_sim_quaternion(a), clv_sim_quaternion(b), 4 * nbody) &&
           same(clv_sim_velocity(a), clv_sim_velocity(b), 6 * nbody);
}

/* Saves after output number `at` and a few steps beyond, goes on, and lets a second simulation do the same. */
static void go_on(const mechanism *m, const char *formulation, const char *integrator, int at)
{
    enum { OUTPUTS = 12 };
    clv_model *model = make(m);
    clv_sim *a = start(model, formulation, integrator), *b = start(model, formulation, integrator);
    int nbody = clv_model_body_count(model);
    for (int i = 1; i <= at; i++)
        assert_int_equal(clv_sim_advance(a, i * m->end / OUTPUTS), CLV_OK);
    for (int i = 0; i < at % 3; i++)
        assert_int_equal(clv_sim_step(a, (at + 1) * m->end / OUTPUTS), CLV_OK);
    size_t size = clv_sim_saved_size(a);
    void *bytes = clv_alloc(size, 1);
    clv_sim_save(a, bytes);
    assert_int_equal(clv_sim_load(b, bytes, size), CLV_OK);
    assert_true(same_output(a, b, nbody) && same_report(a, b));
    for (int i = at + 1; i <= OUTPUTS; i++) {
        clv_status x = clv_sim_advance(a, i * m->end / OUTPUTS), y = clv_sim_advance(b, i * m->end / OUTPUTS);
        if (x != y || x != CLV_OK || !same_output(a, b, nbody) || !same_report(a, b))
            fail_msg("%s by %s with %s, saved at output %d: differs at output %d (status %d, %d)", m->name, formulation,
                     integrator, at, i, x, y);
    }
    clv_free(bytes);
    clv_sim_destroy(a), clv_sim_destroy(b);
    clv_model_destroy(model);
}

static void loaded_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    for (size_t m = 0; m < sizeof mechanisms / sizeof mechanisms[0]; m++)
        for (int f = 0; f < 5; f++)
            for (int i = 0; i < (f == 0 && !mechanisms[m].singular ? INTEGRATORS : INTEGRATORS - ON_MOMENTA); i++)
                for (int at = 0; at < 12; at += 5)
                    go_on(&mechanisms[m], formulations[f], integrators[i], at);
}

static void robots_with_massless_links_too(void **state)
{
    static const mechanism robot = {"digit_like_closed", {NULL}, 0, 0.012, false, true};
    (void)state;
    for (int f = 0; f < 5; f++)
        go_on(&robot, formulations[f], "rk4", 5);
}

static void stepping_is_advancing(void **state)
{
    (void)state;
    for (int i = 0; i < INTEGRATORS; i++) {
        clv_model *model = make(&mechanisms[0]);
        clv_sim *a = start(model, "hdca", integrators[i]), *b = start(model, "hdca", integrators[i]);
        clv_sim_report report;
        for (double t = 0.25; t <= 2; t += 0.25) {
            assert_int_equal(clv_sim_advance(a, t), CLV_OK);
            for (clv_sim_summary(b, &report); report.time < t; clv_sim_summary(b, &report))
                assert_int_equal(clv_sim_step(b, t), CLV_OK);
            assert_int_equal(clv_sim_advance(b, t), CLV_OK);
            assert_true(same_output(a, b, 4) && same_report(a, b));
        }
        clv_sim_destroy(a), clv_sim_destroy(b);
        clv_model_destroy(model);
    }
}

static void refused(clv_sim *s, const void *bytes, size_t size, const char *why)
{
    clv_sim *before = s;
    double t = clv_sim_time(s);
    assert_int_equal(clv_sim_load(s, bytes, size), CLV_ERR_USAGE);
    assert_non_null(strstr(clv_sim_error(s)->message, why));
    assert_true(clv_sim_time(before) == t);
}

static void other_bytes_are_refused(void **state)
{
    (void)state;
    clv_model *model = make(&mechanisms[0]), *chain = make(&mechanisms[3]);
    clv_sim *s = start(model, "hdca", "dopri5"), *other;
    size_t size = clv_sim_saved_size(s);
    char *bytes = clv_alloc(size, 1);
    assert_int_equal(clv_sim_advance(s, 0.5), CLV_OK);
    clv_sim_save(s, bytes);
    refused(s, "short", 5, "these bytes are not a saved state");
    refused(s, bytes, size - 8, "incomplete");
    bytes[size / 2] ^= 1;
    refused(s, bytes, size, "damaged");
    bytes[size / 2] ^= 1;
    other = start(chain, "hdca", "dopri5");
    refused(other, bytes, size, "another model");
    clv_sim_destroy(other);
    other = start(model, "hdca", "adams");
    refused(other, bytes, size, "integrator");
    clv_sim_destroy(other);
    other = start(model, "massmatrix", "dopri5");
    refused(other, bytes, size, "other options");
    clv_sim_destroy(other);
    clv_sim_options o = clv_sim_options_default();
    o.rtol = 1e-7;
    assert_int_equal(clv_sim_create(&other, model, &o), CLV_OK);
    refused(other, bytes, size, "other options");
    clv_sim_destroy(other);
    clv_free(bytes);
    clv_sim_destroy(s);
    clv_model_destroy(model), clv_model_destroy(chain);
}

static void saving_and_loading_allocate_nothing(void **state)
{
    (void)state;
    clv_model *model = make(&mechanisms[0]);
    clv_sim *s = start(model, "hdca", "adams");
    size_t size = clv_sim_saved_size(s);
    void *bytes = clv_alloc(size, 1);
    long before = clv_alloc_count();
    clv_sim_save(s, bytes);
    assert_int_equal(clv_sim_load(s, bytes, size), CLV_OK);
    assert_int_equal(clv_alloc_count(), before);
    clv_free(bytes);
    clv_sim_destroy(s);
    clv_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loaded_goes_on_with_the_same_bits),
        cmocka_unit_test(robots_with_massless_links_too),
        cmocka_unit_test(stepping_is_advancing),
        cmocka_unit_test(other_bytes_are_refused),
        cmocka_unit_test(saving_and_loading_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
