/* SPDX-License-Identifier: Apache-2.0
 * Every integrator with the formulations that take it, for tests that go through them all. */
#ifndef CLV_TESTS_METHODS_H
#define CLV_TESTS_METHODS_H
#include <string.h>

#include "cleave/cleave.h"

static const struct {
    const char *formulation, *integrator;
    double step; /* s */
} method[] = {{"hdca", "dopri5", 0},          {"hdca", "bs23", 0},          {"hdca", "dop853", 0},
              {"hdca", "rk4", 1e-3},          {"hdca", "adams", 0},         {"hdca", "midpoint", 1e-3},
              {"hdca", "gauss4", 1e-3},       {"hdca", "gauss6", 1e-3},     {"dca", "dopri5", 0},
              {"dca", "dopri5", 7e-4},        {"dca", "adams", 0},          {"massmatrix", "bs23", 0},
              {"connection", "dopri5", 0},    {"aldca", "dopri5", 0},       {"hdca", "rk4", 3e-4},
              {"hdca", "gauss4", 6e-4},       {"index3", "trapezoidal", 0}, {"index3", "trapezoidal", 3e-4},
              {"index3", "generalized-alpha", 0}, {"hdca", "bdf", 0},       {"dca", "bdf", 0}};
enum { METHODS = sizeof method / sizeof method[0] };

static inline int by(int i, const char *integrator) { return strcmp(method[i].integrator, integrator) == 0; }

/* A simulation by method i; NULL if this build lacks the integrator. */
static inline clv_sim *start_by(const clv_model *m, int i, double rtol)
{
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = method[i].formulation, o.integrator = method[i].integrator;
    o.step = method[i].step, o.rtol = rtol;
    clv_status st = clv_sim_create(&s, m, &o);
    if (st == CLV_ERR_UNSUPPORTED && by(i, "bdf")) {
        clv_sim_destroy(s);
        return NULL;
    }
    if (st != CLV_OK)
        print_error("%s %s: %s\n", o.formulation, o.integrator, clv_sim_error(s)->message);
    assert_int_equal(st, CLV_OK);
    return s;
}

#endif
