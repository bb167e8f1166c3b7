/* SPDX-License-Identifier: Apache-2.0
 * The poses and velocities that a formulation gives by themselves have the bits of those that its rates leave behind,
 * at states met in a run, for every formulation and example. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "base/memory.h"
#include "simulation/sim.h"

enum { NUMBERS = 3 + 9 + 6 + 6 }; /* of a body: centre of mass, rotation, V, rates of its joint */

static void look(const clv_sim *s, double *seen)
{
    const clv_kinematics *k = &s->system.kin;
    for (size_t b = 0; b < (size_t)s->plan->nbody; b++, seen += NUMBERS) {
        memcpy(seen, k->com + 3 * b, 3 * sizeof(double)), memcpy(seen + 3, k->R + 9 * b, 9 * sizeof(double));
        memcpy(seen + 12, k->V + 6 * b, 6 * sizeof(double)), memset(seen + 18, 0, 6 * sizeof(double));
        memcpy(seen + 18, clv_kinematics_u(k, b), (size_t)s->plan->tree[b].nu * sizeof(double));
    }
}

static void check(const char *example, const clv_formulation *f)
{
    clv_model *m;
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = f->name;
    assert_int_equal(clv_example_create(&m, example, NULL, 0), CLV_OK);
    if (clv_sim_create(&s, m, &o) == CLV_OK) {
        size_t n = (size_t)s->plan->nbody * NUMBERS;
        double *seen = clv_alloc(2 * n, sizeof(double));
        for (int i = 1; i <= 5; i++) {
            assert_int_equal(clv_sim_advance(s, i * 0.02), CLV_OK);
            assert_int_equal(f->rates(&s->system, s->out_time, s->out_y, s->ydot), CLV_OK);
            look(s, seen);
            memset(s->system.kin.V, 0, 6 * (size_t)s->plan->nbody * sizeof(double));
            assert_int_equal(f->velocities(&s->system, s->out_time, s->out_y), CLV_OK);
            look(s, seen + n);
            assert_memory_equal(seen, seen + n, n * sizeof(double));
        }
        clv_free(seen);
    } else /* the dense baseline is for small models only */
        assert_int_equal(clv_sim_error(s)->code, CLV_ERR_UNSUPPORTED);
    clv_sim_destroy(s), clv_model_destroy(m);
}

static void velocities_are_those_of_the_rates(void **state)
{
    (void)state;
    int tried = 0;
    for (int i = 0; clv_formulation_at(i); i++)
        for (int k = 0; clv_formulation_at(i)->velocities && clv_example_name(k); k++, tried++)
            check(clv_example_name(k), clv_formulation_at(i));
    assert_true(tried >= 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(velocities_are_those_of_the_rates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
