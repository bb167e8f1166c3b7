/* SPDX-License-Identifier: Apache-2.0
 * What the tests of index3 share: opening a run, examples and texts, errors, orders. */
#ifndef CLV_TESTS_LAWS_INDEX3_H
#define CLV_TESTS_LAWS_INDEX3_H
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "near.h"
#include "simulation/sim.h"

static inline clv_sim_options index3(double step)
{
    clv_sim_options o = clv_sim_options_default();
    o.formulation = "index3", o.step = step;
    return o;
}

static inline clv_sim *open_sim(const clv_model *m, const clv_sim_options *o)
{
    clv_sim *s;
    if (clv_sim_create(&s, m, o) != CLV_OK)
        fail_msg("%s", clv_sim_error(s)->message);
    return s;
}

static inline clv_model *example(const char *name, const char *parameter)
{
    clv_model *m;
    assert_int_equal(clv_example_create(&m, name, parameter ? &parameter : NULL, parameter != NULL), CLV_OK);
    return m;
}

/* largest difference of positions and velocities */
static inline double apart(const clv_sim *a, const clv_sim *b)
{
    double most = 0;
    for (int i = 0; i < 3 * a->model->nbody; i++)
        most = fmax(most, fabs(clv_sim_position(a)[i] - clv_sim_position(b)[i]));
    for (int i = 0; i < 6 * a->model->nbody; i++)
        most = fmax(most, fabs(clv_sim_velocity(a)[i] - clv_sim_velocity(b)[i]));
    return most;
}

/* log2 of the error at T / n over that at T / 2 n */
static inline double order(const clv_model *m, const clv_sim *exact, double T, int n, clv_sim_options o, double *error)
{
    double e[2];
    for (int k = 0; k < 2; k++) {
        o.step = T / (n << k);
        clv_sim *s = open_sim(m, &o);
        if (clv_sim_advance(s, T) != CLV_OK)
            fail_msg("%s", clv_sim_error(s)->message);
        e[k] = apart(s, exact);
        clv_sim_destroy(s);
    }
    *error = e[0];
    return log2(e[0] / e[1]);
}

static inline clv_model *from_text(const char *text)
{
    clv_model *m = NULL;
    FILE *f = fopen("index3-model.yaml", "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    if (clv_model_read(&m, "index3-model.yaml") != CLV_OK)
        fail_msg("%s", clv_model_error(m)->message);
    remove("index3-model.yaml");
    return m;
}

#endif
