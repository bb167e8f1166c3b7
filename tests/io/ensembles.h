/* SPDX-License-Identifier: Apache-2.0
 * What tests of ensembles in lanes share: numbers out of a seed, model files as text, and the comparison of an ensemble
 * with one whose instances run alone. */
#ifndef CLV_TESTS_IO_ENSEMBLES_H
#define CLV_TESTS_IO_ENSEMBLES_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cleave/cleave.h"

enum { ROOM = 1 << 14 };

/* a model file as it grows */
typedef struct text {
    char at[ROOM];
    size_t used;
} text;
#define ADD(t, ...) ((t)->used += (size_t)snprintf((t)->at + (t)->used, ROOM - (t)->used, __VA_ARGS__))

static inline uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* uniform in [a, b); of a seed and a place */
static inline double number(unsigned seed, int place, double a, double b)
{
    return a + (b - a) * (double)(mix(seed * 1000003u + (unsigned)place) >> 11) * 0x1p-53;
}

static inline clv_ensemble *ran(const clv_ensemble_desc *d)
{
    clv_ensemble *e;
    if (clv_ensemble_create(&e, d) != CLV_OK)
        fail_msg("%s", clv_ensemble_error(e)->message);
    assert_int_equal(clv_ensemble_run(e), CLV_OK);
    return e;
}

/* n instances of user; runs of fixed steps have steps of `step` */
static inline clv_ensemble_desc ensemble_of(void *user, int n, const char *formulation, const char *integrator,
                                            double step)
{
    clv_ensemble_desc d = clv_ensemble_desc_default();
    d.instances = n, d.user = user;
    d.columns = "b*.position,b*.quaternion,b*.velocity,b*.angular_velocity,energy.*";
    d.options.formulation = formulation, d.options.integrator = integrator;
    d.options.step = strcmp(integrator, "rk4") == 0 ? step : 0;
    d.threads = 1, d.max_steps = 3000;
    return d;
}

/* how many of n instances shared lanes and came to their end */
static inline int in_lanes(const clv_ensemble *e, int n)
{
    int lanes = 0;
    for (int i = 0; i < n; i++)
        lanes += clv_ensemble_ran(e, i) && clv_ensemble_status(e, i) == CLV_OK && !clv_ensemble_alone(e, i);
    return lanes;
}

/* outputs and errors of n instances, to the bit */
static inline void same(const clv_ensemble *a, const clv_ensemble *b, int n, unsigned seed)
{
    for (int i = 0; i < n; i++) {
        assert_int_equal(clv_ensemble_status(a, i), clv_ensemble_status(b, i));
        assert_string_equal(clv_ensemble_instance_error(a, i)->message, clv_ensemble_instance_error(b, i)->message);
        for (int k = 0; k < clv_ensemble_output_count(a); k++)
            if (memcmp(clv_ensemble_output(a, i) + k, clv_ensemble_output(b, i) + k, sizeof(double)) != 0)
                fail_msg("seed %u, instance %d: %s is %.17g alone, %.17g in lanes", seed, i,
                         clv_ensemble_output_name(a, k), clv_ensemble_output(a, i)[k], clv_ensemble_output(b, i)[k]);
    }
}

#endif
