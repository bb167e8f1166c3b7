/* SPDX-License-Identifier: Apache-2.0
 * Calls from inside a load callback: what changes the simulation under way is refused, what only looks is allowed, and
 * the simulation lives on. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "base/memory.h"
#include "simulation/cycle.h"

typedef enum deed { NOTHING, ADVANCE, STEP, SET_END, EVALUATE, RATES, JOINT, ADVANCE_STATE, SHOW_STATE, LOAD, DESTROY,
                    DEEDS } deed;

typedef struct intruder {
    clv_sim *sim;
    deed deed;
    clv_status answer;
    double bytes[4096];
    int calls;
} intruder;

static int push(void *user, clv_load_view *view)
{
    intruder *i = user;
    clv_joint_result result;
    view->wrench[0] += 1;
    i->calls++;
    switch (i->deed) {
    case ADVANCE: i->answer = clv_sim_advance(i->sim, 9); break;
    case STEP: i->answer = clv_sim_step(i->sim, 9); break;
    case SET_END: i->answer = clv_sim_set_end(i->sim, 9); break;
    case EVALUATE: i->answer = clv_sim_evaluate(i->sim); break;
    case RATES: i->answer = clv_sim_rates_once(i->sim); break;
    case JOINT: i->answer = clv_sim_joint(i->sim, 0, &result); break;
    case ADVANCE_STATE: i->answer = clv_sim_advance_state(i->sim, 9, i->bytes); break;
    case SHOW_STATE: i->answer = clv_sim_show_state(i->sim, i->bytes, clv_sim_state_size(i->sim)); break;
    case LOAD: i->answer = clv_sim_load(i->sim, i->bytes, clv_sim_saved_size(i->sim)); break;
    case DESTROY: clv_sim_destroy(i->sim); break;
    default: (void)clv_sim_time(i->sim), (void)clv_sim_position(i->sim); break;
    }
    return 0;
}

static clv_model *pendulum(intruder *i)
{
    clv_model *m;
    clv_body_desc b = clv_body_desc_default();
    clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
    clv_force_desc f = clv_force_desc_default(CLV_FORCE_CALLBACK);
    b.name = "bob", b.mass = 1, b.com[0] = 1, b.inertia[0] = b.inertia[1] = b.inertia[2] = 0.1;
    j.name = "hinge", j.b = 0;
    f.name = "push", f.call = push, f.user = i;
    assert_int_equal(clv_model_create(&m, "pendulum"), CLV_OK);
    assert_int_equal(clv_model_add_body(m, NULL, &b), CLV_OK);
    assert_int_equal(clv_model_add_joint(m, NULL, &j), CLV_OK);
    assert_int_equal(clv_model_add_force(m, NULL, &f), CLV_OK);
    assert_int_equal(clv_model_finish(m), CLV_OK);
    return m;
}

static void changes_are_refused(void **state)
{
    (void)state;
    for (deed d = ADVANCE; d < DEEDS; d++) {
        intruder i = {.deed = NOTHING};
        clv_model *m = pendulum(&i);
        assert_int_equal(clv_sim_create(&i.sim, m, NULL), CLV_OK);
        i.deed = d, i.answer = CLV_ERR_USAGE;
        assert_int_equal(clv_sim_advance(i.sim, 0.1), CLV_ERR_USAGE);
        assert_int_equal(i.answer, CLV_ERR_USAGE);
        assert_non_null(strstr(clv_sim_error(i.sim)->message, "a load callback calls clv_sim_"));
        i.deed = NOTHING; /* and the simulation is as good as before */
        assert_int_equal(clv_sim_advance(i.sim, 0.2), CLV_OK);
        assert_true(clv_sim_time(i.sim) == 0.2);
        clv_sim_destroy(i.sim), clv_model_destroy(m);
    }
}

static void creation_is_guarded(void **state)
{
    (void)state;
    long before = clv_alloc_live();
    intruder i = {.deed = DESTROY};
    clv_model *m = pendulum(&i);
    assert_int_equal(clv_sim_create(&i.sim, m, NULL), CLV_ERR_USAGE);
    assert_true(i.calls > 0);
    assert_non_null(strstr(clv_sim_error(i.sim)->message, "clv_sim_destroy"));
    assert_null(clv_sim_position(i.sim));
    clv_sim_destroy(i.sim), clv_model_destroy(m);
    assert_int_equal(clv_alloc_live(), before);
}

/* The record is that of the last call: none after a success, also where steps were tried again. */
static void a_success_leaves_no_error(void **state)
{
    (void)state;
    intruder i = {.deed = NOTHING};
    clv_model *m = pendulum(&i);
    clv_sim *s;
    assert_int_equal(clv_sim_create(&s, m, NULL), CLV_OK);
    assert_int_equal(clv_sim_advance(s, 0.1), CLV_OK);
    assert_int_equal(clv_sim_advance(s, 0.05), CLV_ERR_USAGE);
    assert_int_equal(clv_sim_error(s)->code, CLV_ERR_USAGE);
    assert_int_equal(clv_sim_advance(s, 0.2), CLV_OK);
    assert_int_equal(clv_sim_error(s)->code, CLV_OK);
    assert_string_equal(clv_sim_error(s)->message, "");
    clv_sim_destroy(s);
    clv_model_destroy(m);
}

static void another_simulation_may_be_advanced(void **state)
{
    (void)state;
    intruder idle = {.deed = NOTHING}, i = {.deed = NOTHING};
    clv_model *other = pendulum(&idle), *m = pendulum(&i);
    assert_int_equal(clv_sim_create(&idle.sim, other, NULL), CLV_OK);
    i.sim = idle.sim; /* a model inside a model: its own simulation is not touched */
    clv_sim *sim;
    assert_int_equal(clv_sim_create(&sim, m, NULL), CLV_OK);
    i.deed = EVALUATE, i.answer = CLV_ERR_USAGE;
    assert_int_equal(clv_sim_advance(sim, 0.1), CLV_OK);
    assert_int_equal(i.answer, CLV_OK);
    clv_sim_destroy(sim), clv_sim_destroy(idle.sim);
    clv_model_destroy(m), clv_model_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(changes_are_refused), cmocka_unit_test(creation_is_guarded),
                                       cmocka_unit_test(a_success_leaves_no_error),
                                       cmocka_unit_test(another_simulation_may_be_advanced)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
