/* SPDX-License-Identifier: Apache-2.0
 * What stops a walk is named out of the rows (T43.12); the evaluation is not repeated body by body: no other factor is
 * made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cleave/cleave.h"
#include "formulation/walk.h"
#include "simulation/sim.h"

static const char *const forms[] = {"hdca", "dca", "connection"};

static clv_sim *open_run(clv_model *m, const char *formulation)
{
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation;
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
    return s;
}

static clv_model *example(const char *name, const char *parameter)
{
    clv_model *m;
    assert_int_equal(clv_example_create(&m, name, &parameter, parameter != NULL), CLV_OK);
    return m;
}

/* rates at y fail so, at a body or joint, without a factor of all bodies */
static void fails(clv_sim *s, clv_status code, const char *text, const char *body, const char *joint)
{
    const long factors = s->system.engine.factors;
    assert_int_equal(s->formulation->rates(&s->system, 0.5, s->y, s->ydot), code);
    assert_true(s->system.engine.factors <= factors + 2);
    assert_true(s->system.engine.factors == factors || s->system.engine.partial);
    const clv_error *e = clv_sim_error(s);
    if (!strstr(e->message, text) || !strstr(e->message, "at t = 0.5 s"))
        fail_msg("%s", e->message);
    assert_string_equal(e->body, body);
    if (joint)
        assert_string_equal(e->joint, joint);
    assert_true(e->time == 0.5);
}

static void coordinates_and_angles(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        clv_model *m = example("hdca-case1", NULL);
        clv_sim *s = open_run(m, forms[i]);
        const double q = s->y[1];
        int b = 0;
        while (s->plan->tree[b].iq != 1)
            b++;
        const char *joint = m->joint[s->plan->tree[b].joint].name;
        s->y[1] = NAN;
        fails(s, CLV_ERR_NOT_FINITE, "a coordinate is not finite", m->body[b].name, joint);
        s->y[1] = 1e30;
        fails(s, CLV_ERR_NOT_FINITE, "an orientation is not finite", m->body[b].name, joint);
        s->y[1] = q;
        assert_int_equal(s->formulation->rates(&s->system, 0.5, s->y, s->ydot), CLV_OK);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* takes mass and inertia of a body out of the rows */
static void empty_row(clv_sim *s, int body)
{
    const clv_rows *w = &s->system.rows;
    double *to = w->body + (size_t)(w->slot[body] / CLV_GROUP) * 10 * CLV_GROUP + w->slot[body] % CLV_GROUP;
    for (int i = 0; i < 10; i++)
        to[i * CLV_GROUP] = 0;
    s->system.rows.posed = -1;
}

/* inside a strand, and of a strand that starts from another */
static void missing_pivots(void **state)
{
    (void)state;
    static const char *const links[] = {"links=4", "links=40", "links=300"};
    for (size_t i = 0; i < 6; i++) {
        clv_model *m = example("chain", links[i / 2]);
        clv_sim *s = open_run(m, forms[i % 2]);
        const int last = m->nbody - 1;
        empty_row(s, last);
        fails(s, CLV_ERR_SINGULAR, "the mass seen by a joint is singular", m->body[last].name, m->joint[last].name);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

static int refuse(void *user, clv_load_view *v)
{
    (void)v;
    return *(int *)user;
}

static clv_model *pendulum(int *answer)
{
    clv_model *m;
    clv_body_desc b = clv_body_desc_default();
    clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
    clv_force_desc f = clv_force_desc_default(CLV_FORCE_CALLBACK);
    b.name = "bob", b.mass = 1, b.com[0] = 1, b.inertia[0] = b.inertia[1] = b.inertia[2] = 0.1;
    j.name = "pivot", j.a = CLV_GROUND, j.b = 0, j.axis[1] = 1;
    f.name = "brake", f.call = refuse, f.user = answer;
    assert_int_equal(clv_model_create(&m, "pendulum"), CLV_OK);
    assert_int_equal(clv_model_add_body(m, NULL, &b), CLV_OK);
    assert_int_equal(clv_model_add_joint(m, NULL, &j), CLV_OK);
    assert_int_equal(clv_model_add_force(m, NULL, &f), CLV_OK);
    assert_int_equal(clv_model_finish(m), CLV_OK);
    return m;
}

static void loads(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        int answer = 0;
        clv_model *m = pendulum(&answer);
        clv_sim *s = open_run(m, forms[i]);
        answer = 7;
        fails(s, CLV_ERR_NOT_FINITE, "force 'brake' stopped the run", "", NULL);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* the factor of an open start is that of the rows: none of all bodies is made beside it.  The others are those of the
 * momenta, of the first evaluations, of accelerations and of the view. */
static void a_start_is_factored_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        clv_model *m = example("chain", "links=8");
        clv_sim *s = open_run(m, forms[i]);
        assert_in_range(s->system.engine.factors, 1, 8);
        assert_true(s->system.engine.partial && !s->system.engine.open); /* connection has given it back */
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(coordinates_and_angles), cmocka_unit_test(missing_pivots),
                                       cmocka_unit_test(loads), cmocka_unit_test(a_start_is_factored_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
