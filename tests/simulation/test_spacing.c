/* SPDX-License-Identifier: Apache-2.0
 * Steps do not pass over thin bodies (T73): distances of shapes against points of their surfaces, a ball that falls on
 * a thin swinging plate by every integrator, fixed steps that are too long, saved states on the way. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "math/rotation.h"
#include "model/apart.h"
#include "simulation/methods.h"

#define OK(call) assert_int_equal(call, CLV_OK)

static uint64_t state = 73;
static double random_number(double low, double high)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * ((double)(state >> 11) / 9007199254740992.0);
}

static clv_solid solid(clv_shape_kind kind, double spread)
{
    clv_solid s = {.kind = kind};
    double e[4];
    for (int i = 0; i < 4; i++)
        e[i] = random_number(-1, 1);
    clv_quat_rotation(s.E, e);
    for (int i = 0; i < 3; i++)
        s.size[i] = random_number(0.05, 1), s.at[i] = random_number(-spread, spread);
    return s;
}

/* a point of the surface or inside */
static void point_of(const clv_solid *s, double x[3])
{
    double l[3] = {0, 0, 0}, d[3];
    for (int i = 0; i < 3; i++)
        d[i] = random_number(-1, 1);
    const double length = clv_norm3(d), round = hypot(d[0], d[1]);
    for (int i = 0; i < 3; i++)
        l[i] = s->kind == CLV_SHAPE_BOX        ? 0.5 * s->size[i] * (d[i] < 0 ? -1 : 1)
               : s->kind == CLV_SHAPE_CYLINDER ? (i < 2 ? s->size[0] * d[i] / round : 0.5 * s->size[1] * d[2])
                                               : s->size[0] * d[i] / length;
    if (s->kind == CLV_SHAPE_CAPSULE)
        l[2] += 0.5 * s->size[1] * random_number(-1, 1);
    clv_mat3_times(x, s->E, l);
    clv_axpy3(x, 1, s->at);
}

/* No point of one shape is nearer to one of the other along n than the distance, and some are about there. */
static void distances_bound_points(void **unused)
{
    (void)unused;
    int apart = 0;
    for (int run = 0; run < 2000; run++) {
        const clv_solid a = solid(CLV_SHAPE_BOX + run % 4, 1), b = solid(CLV_SHAPE_BOX + run / 4 % 4, 2);
        double n[3] = {0, 0, 0}, x[3], y[3], nearest_a = -INFINITY, nearest_b = INFINITY;
        const double distance = clv_apart(&a, &b, n);
        assert_true(fabs(clv_norm3(n) - 1) < 1e-12);
        assert_true(fabs(clv_apart_along(&a, &b, n) - distance) < 1e-12);
        for (int k = 0; k < 400; k++) {
            point_of(&a, x), point_of(&b, y);
            nearest_a = fmax(nearest_a, clv_dot3(x, n)), nearest_b = fmin(nearest_b, clv_dot3(y, n));
        }
        assert_true(nearest_b - nearest_a >= distance - 1e-12);
        assert_true(nearest_b - nearest_a <= distance + 0.3);
        apart += distance > 0;
    }
    assert_in_range(apart, 1000, 1999); /* most are apart, and that is found */
}

/* Balls, and a ball beside a face, an edge and a corner of a box: exact. */
static void distances_in_closed_form(void **unused)
{
    (void)unused;
    const clv_solid box = {.kind = CLV_SHAPE_BOX, .size = {2, 4, 6}, .E = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    static const double at[][3] = {{3, 0.3, -0.2}, {3, 4, 1}, {-3, 4, 6}};
    static const double expected[] = {2, 0, 0};
    for (int i = 0; i < 3; i++) {
        clv_solid ball = {.kind = CLV_SHAPE_SPHERE, .size = {0.5, 0, 0}, .at = {at[i][0], at[i][1], at[i][2]},
                          .E = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        double n[3] = {0, 0, 0}, m[3] = {0, 0, 0};
        const double way = i == 0 ? expected[0] : i == 1 ? sqrt(8) : sqrt(17);
        assert_true(fabs(clv_apart(&box, &ball, n) - (way - 0.5)) < 1e-12);
        assert_true(fabs(clv_apart(&ball, &box, m) - (way - 0.5)) < 1e-12);
        for (int k = 0; k < 3; k++)
            assert_true(fabs(n[k] + m[k]) < 1e-12);
    }
}

/* A ball 0.15 m above a plate of 20 mm, which hangs in a spring; steps are 23 ms before it arrives. */
static clv_model *ball_and_plate(double height, bool rigid)
{
    clv_model *m;
    int plate, ball;
    clv_body_desc b = clv_body_desc_default();
    OK(clv_model_create(&m, "ball and plate"));
    b.name = "plate", b.mass = 2, b.shape.kind = CLV_SHAPE_BOX;
    b.shape.size[0] = b.shape.size[1] = 0.4, b.shape.size[2] = 0.02;
    clv_shape_inertia(b.inertia, &b.shape, b.mass);
    OK(clv_model_add_body(m, &plate, &b));
    b = clv_body_desc_default();
    b.name = "ball", b.mass = 0.5, b.shape.kind = CLV_SHAPE_SPHERE, b.shape.size[0] = 0.05;
    clv_shape_inertia(b.inertia, &b.shape, b.mass);
    OK(clv_model_add_body(m, &ball, &b));
    clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
    j.name = "swing", j.a = CLV_GROUND, j.b = plate, j.has_q = true, j.q[0] = 0.1;
    j.axis[0] = 0, j.axis[1] = 1, j.axis[2] = 0;
    OK(clv_model_add_joint(m, NULL, &j));
    j = clv_joint_desc_default(CLV_JOINT_FREE);
    j.name = "free", j.a = CLV_GROUND, j.b = ball, j.has_q = true;
    j.q[0] = 0.05, j.q[2] = height, j.q[3] = 1;
    OK(clv_model_add_joint(m, NULL, &j));
    clv_force_desc f = clv_force_desc_default(CLV_FORCE_JOINT);
    f.name = "hold", f.joint = 0, f.stiffness = 200, f.damping = 2;
    OK(clv_model_add_force(m, NULL, &f));
    f = clv_force_desc_default(CLV_FORCE_CONTACT);
    f.name = "touch", f.a = plate, f.b = ball;
    f.contact.dynamic_friction = 0.3;
    if (rigid)
        f.contact.restitution = 0.2;
    else
        f.contact.stiffness = 1e5, f.contact.dissipation = 0.3;
    OK(clv_model_add_force(m, NULL, &f));
    OK(clv_model_finish(m));
    return m;
}

/* It never gets below the plate on the side where it fell; without a check it falls freely: -0.7 m at 0.6 s.
 * The iteration of variational rules may not converge in the contact: then the run ends there. */
static void ball_stays_above(void **unused)
{
    (void)unused;
    for (int i = 0; i < METHODS; i++) {
        clv_model *m = ball_and_plate(0.6, false);
        clv_sim *s = start_by(m, i, 1e-4);
        for (int k = 1; s && k <= 60; k++) {
            const clv_status st = clv_sim_advance(s, 0.01 * k);
            if (st == CLV_ERR_STEP_SIZE && method[i].step > 0)
                break;
            if (st != CLV_OK)
                print_error("%s %s: %s\n", method[i].formulation, method[i].integrator, clv_sim_error(s)->message);
            OK(st);
            const double *r = clv_sim_position(s) + 3;
            assert_true(r[2] > -0.05 || fabs(r[0]) > 0.2);
        }
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* Steps of 60 ms would carry it 0.2 m: the run ends with the two bodies. */
static void long_fixed_steps_are_refused(void **unused)
{
    (void)unused;
    static const char *const integrator[] = {"rk4", "rk4", "moreau"}, *const formulation[] = {"hdca", "dca", "dca"};
    for (int i = 0; i < 3; i++) {
        clv_model *m = ball_and_plate(0.6, i == 2);
        clv_sim *s;
        clv_sim_options o = clv_sim_options_default();
        o.formulation = formulation[i], o.integrator = integrator[i], o.step = 0.06;
        OK(clv_sim_create(&s, m, &o));
        assert_int_equal(clv_sim_advance(s, 0.6), CLV_ERR_NO_CONVERGENCE);
        assert_non_null(strstr(clv_sim_error(s)->message, "'plate' and 'ball' through each other"));
        assert_non_null(strstr(clv_sim_error(s)->message, "'touch'"));
        const double *r = clv_sim_position(s) + 3; /* the last good state */
        assert_true(r[2] > 0);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* What the check remembers is part of a saved state: equal bits. */
static void saved_states_continue(void **unused)
{
    (void)unused;
    clv_model *m = ball_and_plate(0.6, false);
    clv_sim *a, *b;
    const clv_sim_options o = clv_sim_options_default();
    OK(clv_sim_create(&a, m, &o)), OK(clv_sim_create(&b, m, &o));
    OK(clv_sim_advance(a, 0.3));
    const size_t size = clv_sim_saved_size(a);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    clv_sim_save(a, bytes);
    OK(clv_sim_load(b, bytes, size));
    free(bytes);
    OK(clv_sim_advance(a, 0.5)), OK(clv_sim_advance(b, 0.5));
    assert_memory_equal(clv_sim_position(a), clv_sim_position(b), 6 * sizeof(double));
    assert_memory_equal(clv_sim_velocity(a), clv_sim_velocity(b), 12 * sizeof(double));
    clv_sim_destroy(a), clv_sim_destroy(b), clv_model_destroy(m);
}

/* Where the caller puts the ball is no step: below the plate it falls on. */
static void placed_bodies_are_not_judged(void **unused)
{
    (void)unused;
    clv_model *m = ball_and_plate(0.6, false);
    clv_sim *s;
    const clv_sim_options o = clv_sim_options_default();
    OK(clv_sim_create(&s, m, &o));
    OK(clv_sim_advance(s, 0.1));
    clv_joint_setting to = {.joint = 1, .has_q = true, .q = {0.05, 0, -0.5, 1, 0, 0, 0}};
    OK(clv_sim_set_joints(s, &to, 1));
    OK(clv_sim_advance(s, 0.4));
    assert_true(clv_sim_position(s)[5] < -0.8);
    clv_sim_destroy(s), clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_bound_points),       cmocka_unit_test(distances_in_closed_form),
        cmocka_unit_test(ball_stays_above),             cmocka_unit_test(long_fixed_steps_are_refused),
        cmocka_unit_test(saved_states_continue),        cmocka_unit_test(placed_bodies_are_not_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
