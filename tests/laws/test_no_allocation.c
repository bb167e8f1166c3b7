/* SPDX-License-Identifier: Apache-2.0
 * Nothing allocates between two steps: the library's own count and the allocator of the C library agree on zero over
 * 1000 calls of advance, rates and evaluate, for every formulation and integrator; a simulation is one block besides
 * its plan and its handle, once it has started.
 *
 * malloc, calloc, realloc, aligned_alloc and posix_memalign of the whole process go through this file. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/error.h"
#include "simulation/cycle.h"
#include "simulation/sim.h"

/* ------------------------------------------------------------------ the allocator, counted */

static volatile long calls;

#ifdef __SANITIZE_ADDRESS__ /* has an allocator of its own; the library's count must do */
enum { HOOKED = 0 };
#else
enum { HOOKED = 1 };

static char first[4096]; /* for what dlsym itself asks for */
static size_t used;

static void *early(size_t size)
{
    size_t at = (used + 15) / 16 * 16;
    if (at + size > sizeof first)
        return NULL;
    used = at + size;
    return first + at;
}

static void *next(const char *name)
{
    static int inside;
    if (inside)
        return NULL;
    inside = 1;
    void *f = dlsym(RTLD_NEXT, name);
    inside = 0;
    return f;
}

typedef void *(*one_size)(size_t);
typedef void *(*two_sizes)(size_t, size_t);
typedef void *(*block_and_size)(void *, size_t);
typedef void (*block_only)(void *);
typedef int (*posix)(void **, size_t, size_t);

/* ISO C knows no conversion between pointers to objects and to functions */
#define NEXT(type, name)                      \
    static type f;                            \
    if (!f) {                                 \
        void *object = next(name);            \
        memcpy(&f, &object, sizeof f);        \
    }                                         \
    calls++

void *malloc(size_t size)
{
    NEXT(one_size, "malloc");
    return f ? f(size) : early(size);
}

void *calloc(size_t n, size_t size)
{
    NEXT(two_sizes, "calloc");
    return f ? f(n, size) : early(n * size);
}

void *realloc(void *block, size_t size)
{
    NEXT(block_and_size, "realloc");
    return f(block, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    NEXT(two_sizes, "aligned_alloc");
    return f(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    NEXT(posix, "posix_memalign");
    return f ? f(block, alignment, size) : ENOMEM;
}

void free(void *block)
{
    static block_only f;
    if (!f) {
        void *object = next("free");
        memcpy(&f, &object, sizeof f);
    }
    if (f && !((char *)block >= first && (char *)block < first + sizeof first))
        f(block);
}
#endif

/* ------------------------------------------------------------------ laws */

static void hooks_see_the_allocator(void **state)
{
    (void)state;
    long before = calls;
    void *volatile a = malloc(10), *volatile b = calloc(3, 4);
    a = realloc(a, 2000);
    long seen = calls - before;
    free(a), free(b);
    if (HOOKED)
        assert_int_equal(seen, 3);
    before = calls;
    long own = clv_alloc_count();
    clv_model *m;
    assert_int_equal(clv_model_create(&m, "m"), CLV_OK);
    assert_true(clv_alloc_count() > own && (!HOOKED || calls > before));
    clv_model_destroy(m);
}

typedef struct model_of {
    const char *example, *parameter;
    double dt;
} model_of;

static const model_of model_table[] = {
    {"hdca-case3", NULL, 1e-3},   {"satellite", NULL, 1e-2}, {"andrews", NULL, 1e-5},
    {"chain", "links=300", 1e-6}, {"bricard", NULL, 1e-3},
};

static clv_model *model_number(size_t i)
{
    clv_model *m;
    const model_of *x = &model_table[i];
    assert_int_equal(clv_example_create(&m, x->example, x->parameter ? &x->parameter : NULL, x->parameter != NULL),
                     CLV_OK);
    return m;
}

/* bdf stands on SUNDIALS, which has an allocator of its own, or is absent */
static bool own_method(int k, const clv_formulation *f)
{
    return strcmp(clv_method_at(k)->name, "bdf") != 0 && clv_sim_takes(f, clv_method_at(k));
}

/* what is done between two looks at the counters */
static clv_status work(clv_sim *s, const clv_model *m, double dt, int n)
{
    clv_joint_result r;
    clv_sim_report report;
    clv_plan_report plan;
    double T, V, W;
    clv_status st = CLV_OK;
    double from = clv_sim_time(s);
    for (int k = 1; k <= n && st == CLV_OK; k++) {
        st = clv_sim_advance(s, from + k * dt);
        if (st == CLV_OK)
            st = clv_sim_rates_once(s);
        if (st == CLV_OK)
            st = clv_sim_evaluate(s);
        if (st == CLV_OK)
            st = clv_sim_joint(s, k % clv_model_joint_count(m), &r);
        clv_sim_summary(s, &report), clv_sim_plan(s, &plan), clv_sim_energy(s, &T, &V, &W);
    }
    return st;
}

static void steps_allocate_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof model_table / sizeof *model_table; i++)
        for (int f = 0; clv_formulation_at(f); f++)
            for (int k = 0; clv_method_at(k); k++) {
                if (!own_method(k, clv_formulation_at(f)))
                    continue;
                const char *formulation = clv_formulation_at(f)->name, *integrator = clv_method_at(k)->name;
                int n = strcmp(model_table[i].example, "chain") == 0 ? strcmp(formulation, "massmatrix") == 0 ? 0 : 40
                                                                     : 200;
                clv_model *m = model_number(i);
                clv_sim *s;
                clv_sim_options o = clv_sim_options_default();
                o.formulation = formulation, o.integrator = integrator;
                o.step = clv_method_at(k)->fixed_only ? model_table[i].dt : 0;
                assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
                long own = clv_alloc_count(), all = calls;
                clv_status st = work(s, m, model_table[i].dt, n);
                own = clv_alloc_count() - own, all = calls - all;
                if (st != CLV_OK || own != 0 || all != 0)
                    print_error("%s, %s, %s: status %d, %ld and %ld allocations\n", model_table[i].example, formulation,
                                integrator, st, own, all);
                assert_int_equal(st, CLV_OK);
                assert_int_equal(own, 0);
                assert_int_equal(all, 0);
                clv_sim_destroy(s), clv_model_destroy(m);
            }
}

static void a_thousand_steps_allocate_nothing(void **state)
{
    (void)state;
    clv_model *m = model_number(0);
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
    long own = clv_alloc_count(), all = calls;
    clv_status st = work(s, m, 1e-3, 1000);
    own = clv_alloc_count() - own, all = calls - all;
    assert_int_equal(st, CLV_OK);
    assert_int_equal(own, 0), assert_int_equal(all, 0);
    clv_sim_destroy(s), clv_model_destroy(m);
}

static int brake(void *user, double t, const double *q, const double *u, double *effort)
{
    (void)t, (void)q;
    effort[0] = -*(double *)user * u[0];
    return 0;
}

/* a control loop: a gain that changes at every tick, bound to joint 0 */
static void a_control_loop_allocates_nothing(void **state)
{
    (void)state;
    clv_model *m = model_number(0);
    for (int f = 0; clv_formulation_at(f); f++)
        for (int k = 0; clv_method_at(k); k++) {
            double gain = 0;
            clv_sim *s;
            clv_sim_options o = clv_sim_options_default();
            if (!own_method(k, clv_formulation_at(f)))
                continue;
            o.formulation = clv_formulation_at(f)->name, o.integrator = clv_method_at(k)->name;
            o.step = clv_method_at(k)->fixed_only ? 1e-3 : 0;
            assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
            clv_status st = clv_sim_set_joint_control(s, 0, brake, &gain); /* the first one may allocate */
            long own = clv_alloc_count(), all = calls;
            for (int i = 1; i <= 50 && st == CLV_OK; i++) {
                gain = 1e-3 * (i % 7);
                st = clv_sim_changed(s);
                if (st == CLV_OK)
                    st = clv_sim_advance(s, 1e-3 * i);
            }
            own = clv_alloc_count() - own, all = calls - all;
            assert_int_equal(st, CLV_OK);
            assert_int_equal(own, 0), assert_int_equal(all, 0);
            clv_sim_destroy(s);
        }
    clv_model_destroy(m);
}

static int stops_at_one(void *user, clv_load_view *view)
{
    (void)user;
    return view->time > 0.1;
}

static void failing_steps_allocate_nothing(void **state)
{
    (void)state;
    clv_model *m;
    clv_sim *s;
    assert_int_equal(clv_model_create(&m, "m"), CLV_OK);
    clv_body_desc b = clv_body_desc_default();
    b.name = "b", b.mass = 1, b.inertia[0] = b.inertia[1] = b.inertia[2] = 1;
    clv_force_desc f = clv_force_desc_default(CLV_FORCE_CALLBACK);
    f.name = "f", f.call = stops_at_one;
    assert_int_equal(clv_model_add_body(m, NULL, &b), CLV_OK);
    assert_int_equal(clv_model_add_force(m, NULL, &f), CLV_OK);
    assert_int_equal(clv_model_finish(m), CLV_OK);
    assert_int_equal(clv_sim_create(&s, m, NULL), CLV_OK);
    long own = clv_alloc_count(), all = calls;
    clv_status st = clv_sim_advance(s, 1);
    own = clv_alloc_count() - own, all = calls - all;
    assert_int_not_equal(st, CLV_OK);
    assert_int_equal(own, 0), assert_int_equal(all, 0);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* handle, plan, one block; and everything goes back */
static void a_simulation_is_one_block(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof model_table / sizeof *model_table; i++)
        for (int k = 0; clv_method_at(k); k++) {
            if (!own_method(k, clv_formulation_find("hdca")))
                continue;
            clv_model *m = model_number(i);
            clv_sim *s;
            clv_plan *p;
            clv_error e;
            clv_sim_options o = clv_sim_options_default();
            o.integrator = clv_method_at(k)->name, o.step = clv_method_at(k)->fixed_only ? 1e-3 : 0;
            long live = clv_alloc_live(), before = clv_alloc_count();
            const clv_plan_options carrying = {.lanes = true, .carry = true};
            assert_int_equal(clv_plan_create(&p, m, &carrying, &e), CLV_OK);
            long plan = clv_alloc_count() - before;
            clv_plan_destroy(p);
            assert_int_equal(clv_alloc_live(), live);
            before = clv_alloc_count();
            assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
            /* the start of a mechanism with loops has one more, and gives it back */
            assert_int_equal(clv_alloc_count() - before, plan + 2 + (s->any_loop && s->system.engine.later));
            assert_null(s->system.engine.more.block);
            clv_sim_destroy(s);
            assert_int_equal(clv_alloc_live(), live);
            clv_model_destroy(m);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hooks_see_the_allocator),
        cmocka_unit_test(steps_allocate_nothing),
        cmocka_unit_test(a_thousand_steps_allocate_nothing),
        cmocka_unit_test(a_control_loop_allocates_nothing),
        cmocka_unit_test(failing_steps_allocate_nothing),
        cmocka_unit_test(a_simulation_is_one_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
