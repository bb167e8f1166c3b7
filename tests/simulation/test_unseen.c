/* SPDX-License-Identifier: Apache-2.0
 * Views that are formed when somebody looks (T165): they have the bits of views that are formed at once, whenever
 * somebody looks; steps read nothing that was given back; and memory of large mechanisms does go back. */
#ifdef __linux__
#define _DEFAULT_SOURCE /* mincore */
#include <sys/mman.h>
#endif
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "base/memory.h"
#include "simulation/unseen.h"
#include "spoil.h"

typedef struct trial {
    const char *example, *parameter, *formulation, *integrator;
    double step, every;
} trial;

static const trial trials[] = {
    {"chain", "links=40", "hdca", "dopri5", 0, 0.007},  {"chain", "links=40", "dca", "bs23", 0, 0.007},
    {"chain", "links=23", "hdca", "rk4", 1e-3, 0.0025}, {"chain", "links=23", "dca", "rk4", 1e-3, 0.0025},
    {"chain", "links=9", "hdca", "adams", 0, 0.03},     {"tree-robot", NULL, "hdca", "dopri5", 0, 0.01},
    {"tree-robot", NULL, "dca", "dop853", 0, 0.01},
};

static clv_model *model_of(const trial *t, bool loaded)
{
    clv_model *m;
    assert_int_equal(clv_example_create(&m, t->example, t->parameter ? &t->parameter : NULL, t->parameter != NULL),
                     CLV_OK);
    if (!loaded)
        return m;
    m->finished = false;
    clv_force_desc f = clv_force_desc_default(CLV_FORCE_POINT);
    f.name = "push", f.b = 5, f.vector[1] = 3, f.point_b[0] = 0.2;
    assert_int_equal(clv_model_add_force(m, NULL, &f), CLV_OK);
    f = clv_force_desc_default(CLV_FORCE_JOINT);
    f.name = "hinge", f.joint = 3, f.stiffness = 4, f.damping = 0.3;
    assert_int_equal(clv_model_add_force(m, NULL, &f), CLV_OK);
    assert_int_equal(clv_model_finish(m), CLV_OK);
    return m;
}

static clv_sim *begin(const clv_model *m, const trial *t)
{
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = t->formulation, o.integrator = t->integrator, o.step = t->step;
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
    return s;
}

static bool same(const double *a, const double *b, size_t n) { return memcmp(a, b, n * sizeof *a) == 0; }

static bool same_views(clv_sim *a, clv_sim *b, const clv_model *m)
{
    const size_t n = (size_t)clv_model_body_count(m);
    double e[5], f[5];
    clv_momentum p, q;
    clv_sim_momentum(a, &p), clv_sim_momentum(b, &q);
    clv_sim_energy(a, e, e + 1, e + 2), clv_sim_violation(a, e + 3, e + 4);
    clv_sim_energy(b, f, f + 1, f + 2), clv_sim_violation(b, f + 3, f + 4);
    return same(e, f, 5) && p.mass == q.mass && same(p.centre, q.centre, 3) && same(p.linear, q.linear, 3) &&
           same(p.angular, q.angular, 3) && same(clv_sim_position(a), clv_sim_position(b), 3 * n) &&
           same(clv_sim_quaternion(a), clv_sim_quaternion(b), 4 * n) &&
           same(clv_sim_velocity(a), clv_sim_velocity(b), 6 * n);
}

static bool same_joints(clv_sim *a, clv_sim *b, const clv_model *m)
{
    bool good = true;
    for (int j = 0; j < clv_model_joint_count(m); j++) {
        clv_joint_result x, y;
        assert_int_equal(clv_sim_joint(a, j, &x), CLV_OK), assert_int_equal(clv_sim_joint(b, j, &y), CLV_OK);
        good = good && same(x.q, y.q, (size_t)x.nq) && same(x.u, y.u, (size_t)x.nu) &&
               same(x.force, y.force, 3) && same(x.torque, y.torque, 3) && same(x.udot, y.udot, (size_t)x.nu);
    }
    return good;
}

/* What a first step gives back, where numbers that are lost are neither zero nor old, but NaN. */
static void spoil_released(clv_sim *s)
{
    assert_true(s->waits && !s->looked);
    clv_unseen_step(s);
    assert_true(s->released >= 0);
    spoil_model_order(s);
}

/* One is looked at from the start, the others now and then, after outputs or steps beyond them, or at the end alone. */
static void compare(const trial *t, bool loaded)
{
    clv_model *m = model_of(t, loaded);
    clv_sim *seen = begin(m, t), *late = begin(m, t), *between = begin(m, t), *last = begin(m, t);
    const long allocations = clv_alloc_count();
    assert_non_null(clv_sim_position(seen));
    spoil_released(late), spoil_released(between), spoil_released(last);
    for (int i = 1; i <= 12; i++) {
        assert_int_equal(clv_sim_advance(seen, i * t->every), CLV_OK);
        assert_int_equal(clv_sim_advance(late, i * t->every), CLV_OK);
        assert_int_equal(clv_sim_advance(between, i * t->every), CLV_OK);
        assert_int_equal(clv_sim_advance(last, i * t->every), CLV_OK);
        assert_true(!seen->waits && last->waits && late->waits == (i <= 3));
        if (i == 5) /* beyond the state that is looked at */
            assert_int_equal(clv_sim_step(between, (i + 1) * t->every), CLV_OK);
        assert_true(between->waits == (i <= 5));
        if (i >= 3 && !same_views(seen, late, m))
            fail_msg("%s, %s, %s: output %d differs", t->example, t->formulation, t->integrator, i);
        if (i >= 5 && !same_views(seen, between, m))
            fail_msg("%s, %s, %s: output %d differs after a step", t->example, t->formulation, t->integrator, i);
    }
    assert_true(same_joints(seen, last, m) && same_views(seen, last, m));
    assert_int_equal(clv_alloc_count(), allocations);
    clv_sim_report a, b;
    clv_sim_summary(seen, &a), clv_sim_summary(between, &b);
    assert_true(a.steps == b.steps && a.energy == b.energy && a.rate_evaluations == b.rate_evaluations &&
                a.max_energy_drift == b.max_energy_drift && a.energy_initial == b.energy_initial);
    clv_sim_destroy(seen), clv_sim_destroy(late), clv_sim_destroy(between), clv_sim_destroy(last);
    clv_model_destroy(m);
}

static void views_do_not_depend_on_when(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++)
        compare(&trials[i], false);
    for (int i = 0; i < 4; i++)
        compare(&trials[i], true);
}

/* Pointers that a caller has show the next output without another call. */
static void pointers_stay(void **state)
{
    (void)state;
    clv_model *m = model_of(&trials[0], false);
    clv_sim *a = begin(m, &trials[0]), *b = begin(m, &trials[0]);
    assert_int_equal(clv_sim_advance(a, 0.01), CLV_OK);
    const double *r = clv_sim_position(a), *V = clv_sim_velocity(a);
    assert_int_equal(clv_sim_advance(a, 0.02), CLV_OK), assert_int_equal(clv_sim_advance(b, 0.02), CLV_OK);
    assert_true(r == clv_sim_position(a) && V == clv_sim_velocity(a));
    assert_true(same(r, clv_sim_position(b), 3 * (size_t)m->nbody) &&
                same(V, clv_sim_velocity(b), 6 * (size_t)m->nbody));
    clv_sim_destroy(a), clv_sim_destroy(b), clv_model_destroy(m);
}

#ifdef __linux__
/* bytes of an array that are in memory */
static double resident(const void *from, size_t bytes)
{
    enum { PAGE = 4096, MOST = 8192 };
    static unsigned char there[MOST];
    const uintptr_t first = ((uintptr_t)from + PAGE - 1) / PAGE * PAGE;
    const size_t pages = (bytes - (first - (uintptr_t)from)) / PAGE;
    size_t n = 0;
    assert_true(pages <= MOST && mincore((void *)first, pages * PAGE, there) == 0);
    for (size_t i = 0; i < pages; i++)
        n += there[i] & 1;
    return (double)(n * PAGE);
}

static void memory_goes_back(void **state)
{
    (void)state;
    const trial t = {"chain", "links=20000", "hdca", "dopri5", 0, 0};
    clv_model *m = model_of(&t, false);
    clv_sim *s = begin(m, &t);
    const size_t bytes = 9 * (size_t)m->nbody * sizeof(double);
    assert_true(resident(s->system.kin.R, bytes) > 0.9 * (double)bytes);
    assert_int_equal(clv_sim_set_end(s, 1), CLV_OK), assert_int_equal(clv_sim_step(s, 1), CLV_OK);
    assert_true(resident(s->system.kin.R, bytes) < 0.2 * (double)bytes);
    assert_true(resident(s->out_V, bytes / 9 * 6) < 0.2 * (double)bytes);
    assert_non_null(clv_sim_velocity(s));
    assert_true(resident(s->system.kin.R, bytes) > 0.9 * (double)bytes);
    clv_sim_destroy(s), clv_model_destroy(m);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_do_not_depend_on_when),
        cmocka_unit_test(pointers_stay),
#ifdef __linux__
        cmocka_unit_test(memory_goes_back),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
