/* SPDX-License-Identifier: Apache-2.0
 * Bytes of a simulation's workspace for a link of a long chain, by formulation and integrator: bounds that a change
 * which adds an array of all bodies passes.  Solutions in model order get their memory when one is asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "cleave/cleave.h"
#include "simulation/sim.h"

enum { LINKS = 10000 };

static clv_sim *open_chain(clv_model **m, int links, const char *formulation, const char *integrator)
{
    char number[32];
    const char *params[] = {number, "spatial=2"};
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    snprintf(number, sizeof number, "links=%d", links);
    o.formulation = formulation, o.integrator = integrator;
    if (strcmp(integrator, "rk4") == 0 || strcmp(integrator, "gauss4") == 0)
        o.step = 1e-4;
    assert_int_equal(clv_example_create(m, "chain", params, 2), CLV_OK);
    assert_int_equal(clv_sim_create(&s, *m, &o), CLV_OK);
    return s;
}

/* bytes of what a simulation has allocated */
static double bytes(const clv_sim *s)
{
    return (double)(s->arena.used + s->system.engine.more.used + s->system.rows.more.used + s->stage.engine.more.used +
                    s->stage.rows.more.used);
}

static void bytes_of_a_link(void **state)
{
    (void)state;
    static const struct {
        const char *formulation, *integrator;
        double most;
    } row[] = {{"hdca", "dopri5", 2394}, {"dca", "dopri5", 2394}, {"hdca", "rk4", 2344}, {"hdca", "gauss4", 4430}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        clv_model *m;
        clv_sim *s = open_chain(&m, LINKS, row[i].formulation, row[i].integrator);
        assert_null(s->system.joint_block.block);
        if (!(bytes(s) <= row[i].most * m->nbody))
            fail_msg("%s, %s: %.0f bytes a link", row[i].formulation, row[i].integrator, bytes(s) / m->nbody);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

static clv_sim *open_closed_chain(clv_model **m, const char *links, const char *formulation, const char *integrator)
{
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation, o.integrator = integrator;
    if (strcmp(integrator, "gauss4") == 0)
        o.step = 1e-3;
    assert_int_equal(clv_example_create(m, "chain-closed", &links, 1), CLV_OK);
    assert_int_equal(clv_sim_create(&s, *m, &o), CLV_OK);
    return s;
}

/* The start of a mechanism with loops solves in model order; steps, outputs and joints do not, and have no memory for
 * that. */
static void loops_give_memory_back(void **state)
{
    static const char *const row[][2] = {{"hdca", "dopri5"}, {"hdca", "adams"}, {"hdca", "gauss4"}, {"dca", "dopri5"},
                                         {"connection", "dopri5"}, {"massmatrix", "dopri5"}};
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        clv_model *m;
        /* where connections are carried, outputs have that memory (T170): not in a long chain */
        const char *links = strcmp(row[i][0], "connection") == 0 ? "links=400" : "links=30";
        clv_sim *s = open_closed_chain(&m, links, row[i][0], row[i][1]);
        clv_joint_result r;
        assert_false(s->system.engine.open || s->system.engine.more.block);
        for (int k = 1; k <= 3; k++) {
            assert_int_equal(clv_sim_advance(s, 0.01 * k), CLV_OK);
            assert_int_equal(clv_sim_joint(s, 3, &r), CLV_OK);
            assert_true(isfinite(r.force[0]) && isfinite(r.udot[0]));
        }
        assert_false(s->system.engine.open);
        assert_int_equal(clv_sim_set_joints(s, NULL, 0), CLV_OK); /* closes the loops again, in model order */
        assert_int_equal(clv_sim_advance(s, 0.04), CLV_OK);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
    clv_model *m;
    clv_sim *s = open_closed_chain(&m, "links=2000", "hdca", "dopri5");
    if (!(bytes(s) <= 2810.0 * m->nbody))
        fail_msg("chain-closed: %.0f bytes a link", bytes(s) / m->nbody);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* A solution of an open tree in model order, made later, is that of the rows. */
static void model_order_comes_later(void **state)
{
    (void)state;
    static const char *const form[] = {"hdca", "dca"};
    for (int i = 0; i < 2; i++) {
        clv_model *m;
        clv_sim *s = open_chain(&m, 40, form[i], "dopri5");
        assert_int_equal(clv_sim_advance(s, 0.1), CLV_OK);
        assert_int_equal(clv_sim_evaluate(s), CLV_OK);
        assert_false(s->system.engine.open);
        double x[6], most = 0;
        memcpy(x, s->system.x + 6 * 39, sizeof x);
        clv_kinematics_fill(&s->system.kin); /* in model order, of the same poses */
        assert_int_equal(clv_system_factor(&s->system), CLV_OK);
        assert_true(s->system.engine.open && s->system.engine.more.block);
        clv_kinematics_rates(&s->system.kin);
        assert_int_equal(clv_system_loads(&s->system), CLV_OK);
        clv_system_accelerate(&s->system);
        for (int j = 0; j < 6; j++)
            most = fmax(most, fabs(x[j]));
        for (int j = 0; j < 6; j++)
            assert_true(fabs(s->system.x[6 * 39 + j] - x[j]) <= 1e-9 * most);
        assert_int_equal(clv_sim_advance(s, 0.2), CLV_OK);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bytes_of_a_link), cmocka_unit_test(loops_give_memory_back),
                                       cmocka_unit_test(model_order_comes_later)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
