/* SPDX-License-Identifier: Apache-2.0
 * A model from text, a simulation and its way to a time; each fails the test with the message of the error.  Include
 * after cmocka.h. */
#ifndef CLV_TESTS_RUNNING_H
#define CLV_TESTS_RUNNING_H
#include <string.h>
#include "cleave/cleave.h"

static inline clv_model *read(const char *text)
{
    clv_model *m;
    if (clv_model_read_text(&m, text, strlen(text), "test.yaml") != CLV_OK)
        fail_msg("%s", clv_model_error(m)->message);
    return m;
}

static inline clv_sim *start_with(const clv_model *m, const clv_sim_options *o)
{
    clv_sim *s;
    const clv_status st = clv_sim_create(&s, m, o);
    if (st != CLV_OK)
        print_error("%s %s: %s\n", o->formulation ? o->formulation : "", o->integrator ? o->integrator : "",
                    clv_sim_error(s)->message);
    assert_int_equal(st, CLV_OK);
    return s;
}

static inline void advance(clv_sim *s, double t)
{
    const clv_status st = clv_sim_advance(s, t);
    if (st != CLV_OK)
        print_error("%s\n", clv_sim_error(s)->message);
    assert_int_equal(st, CLV_OK);
}

#endif
