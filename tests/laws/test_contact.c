/* SPDX-License-Identifier: Apache-2.0
 * Compliant contact (T61) against closed forms: restitution of Hunt and Crossley, depth at rest, sliding and creep on
 * an incline, a ball that slips and then rolls.  Momentum and energy of colliding bodies of every supported pair. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/force.h"
#include "near.h"
#include "running.h"
#include "simulation/methods.h"

#define OK(call) assert_int_equal(call, CLV_OK)

static const char *const all_formulations[] = {"hdca", "dca", "connection", "massmatrix", "aldca"};
enum { FORMULATIONS = sizeof all_formulations / sizeof all_formulations[0] };

/* Bodies b0, b1 ... with free joints, and contacts between them and a plane z = 0. */
typedef struct scene {
    clv_model *m;
    int nbody;
} scene;

static scene empty(double gx, double gz)
{
    scene s = {NULL, 0};
    const double g[3] = {gx, 0, gz};
    OK(clv_model_create(&s.m, "scene"));
    OK(clv_model_set_gravity(s.m, g));
    return s;
}

static clv_shape shape_of(clv_shape_kind kind, double a, double b, double c)
{
    clv_shape s = clv_body_desc_default().shape;
    s.kind = kind, s.size[0] = a, s.size[1] = b, s.size[2] = c;
    return s;
}

static int put(scene *s, clv_shape shape, double mass, const double x[3], const double e[4], const double u[6])
{
    char name[16], joint[16];
    int index;
    clv_body_desc b = clv_body_desc_default();
    clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_FREE);
    snprintf(name, sizeof name, "b%d", s->nbody), snprintf(joint, sizeof joint, "j%d", s->nbody);
    b.name = name, b.mass = mass, b.shape = shape;
    clv_shape_inertia(b.inertia, &shape, mass);
    OK(clv_model_add_body(s->m, &index, &b));
    j.name = joint, j.a = CLV_GROUND, j.b = index, j.has_q = j.has_u = true;
    memcpy(j.q, x, 3 * sizeof *x);
    j.q[3] = 1;
    if (e)
        memcpy(j.q + 3, e, 4 * sizeof *e);
    if (u)
        memcpy(j.u, u, 6 * sizeof *u);
    OK(clv_model_add_joint(s->m, NULL, &j));
    s->nbody++;
    return index;
}

static clv_contact law(double stiffness, double exponent, double dissipation, double friction)
{
    clv_contact c = clv_force_desc_default(CLV_FORCE_CONTACT).contact;
    c.stiffness = stiffness, c.exponent = exponent, c.dissipation = dissipation, c.dynamic_friction = friction;
    return c;
}

static clv_status touching(scene *s, int a, int b, clv_contact c)
{
    char name[32];
    clv_force_desc f = clv_force_desc_default(CLV_FORCE_CONTACT);
    snprintf(name, sizeof name, "c%d_%d", a, b);
    f.name = name, f.a = a, f.b = b, f.contact = c;
    if (a == CLV_GROUND || b == CLV_GROUND)
        f.contact.normal[2] = 2; /* of any length */
    return clv_model_add_force(s->m, NULL, &f);
}

static clv_sim *start(const clv_model *m, const char *formulation, const char *integrator, double rtol, double step)
{
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation, o.integrator = integrator, o.rtol = rtol, o.atol = 1e-13, o.step = step;
    return start_with(m, &o);
}

static double energy_of(const clv_sim *s)
{
    double kinetic, potential, work;
    clv_sim_energy(s, &kinetic, &potential, &work);
    return kinetic + potential;
}

static double drift(const clv_sim *s)
{
    clv_sim_report report;
    clv_sim_summary(s, &report);
    return report.max_energy_drift;
}

static void drop(scene *s, clv_sim *run)
{
    clv_sim_destroy(run), clv_model_destroy(s->m);
}

/* a v - ln(1 + a v) = -a w - ln(1 - a w), a = 3/2 c: the speed w after a collision without other loads */
static double speed_after(double v, double c)
{
    const double a = 1.5 * c, left = a * v - log1p(a * v);
    double low = 0, high = 1 - 1e-15;
    for (int i = 0; i < 200; i++) {
        const double x = 0.5 * (low + high);
        if (-x - log1p(-x) < left)
            low = x;
        else
            high = x;
    }
    return low / a;
}

/* ------------------------------------------------------------------ closed forms */

static void a_ball_leaves_with_the_speed_of_hunt_and_crossley(void **state)
{
    const double exponent[3] = {1, 1.5, 2.2}, x[3] = {0, 0, 0.11}, u[6] = {0, 0, -2};
    (void)state;
    for (int i = 0; i < FORMULATIONS * 3; i++) {
        scene s = empty(0, 0);
        OK(touching(&s, put(&s, shape_of(CLV_SHAPE_SPHERE, 0.1, 0, 0), 1.3, x, NULL, u), CLV_GROUND,
                    law(1e5, exponent[i % 3], 0.4, 0)));
        OK(clv_model_finish(s.m));
        clv_sim *run = start(s.m, all_formulations[i / 3], "dop853", 1e-11, 0);
        advance(run, 0.2);
        CLV_NEAR(clv_sim_velocity(run)[2], speed_after(2, 0.4), 1e-8);
        assert_true(drift(run) < 1e-8);
        drop(&s, run);
    }
}

/* With Hertz and little dissipation e = 1 - c v; the implicit step of index3 comes to it with order two. */
static void an_implicit_step_bounces(void **state)
{
    const double x[3] = {0, 0, 0.1}, u[6] = {0, 0, -2}, want = speed_after(2, 0.05);
    double error[2];
    (void)state;
    CLV_NEAR(want / 2, 1 - 0.05 * 2, 0.01);
    for (int k = 0; k < 2; k++) {
        scene s = empty(0, 0);
        OK(touching(&s, CLV_GROUND, put(&s, shape_of(CLV_SHAPE_SPHERE, 0.1, 0, 0), 1, x, NULL, u),
                    law(1e5, 1.5, 0.05, 0.5)));
        OK(clv_model_finish(s.m));
        clv_sim *run = start(s.m, "index3", "trapezoidal", 1e-6, k ? 5e-5 : 2e-4);
        advance(run, 0.1);
        error[k] = fabs(clv_sim_velocity(run)[2] - want);
        drop(&s, run);
    }
    assert_true(error[0] < 2e-2);
    assert_true(error[1] < 0.12 * error[0]);
}

/* Each shape stays where its points carry its weight: depth (m g / (points k))^(1/n). */
static void shapes_rest_at_their_depth(void **state)
{
    static const double lying[4] = {0.70710678118654752, 0, 0.70710678118654752, 0};
    const struct {
        clv_shape shape;
        const double *e;
        double height;
        int points;
    } row[] = {{shape_of(CLV_SHAPE_SPHERE, 0.1, 0, 0), NULL, 0.1, 1},
               {shape_of(CLV_SHAPE_CAPSULE, 0.1, 0.5, 0), NULL, 0.35, 1},
               {shape_of(CLV_SHAPE_CAPSULE, 0.1, 0.5, 0), lying, 0.1, 2},
               {shape_of(CLV_SHAPE_CYLINDER, 0.1, 0.5, 0), NULL, 0.25, 1},
               {shape_of(CLV_SHAPE_CYLINDER, 0.1, 0.5, 0), lying, 0.1, 2},
               {shape_of(CLV_SHAPE_BOX, 0.3, 0.2, 0.4), NULL, 0.2, 4}};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof row / sizeof *row; i++) {
        const size_t k = i / 2;
        const double exponent = i % 2 ? 1.5 : 1, depth = pow(2 * 9.81 / (row[k].points * 1e4), 1 / exponent);
        const double x[3] = {0.3, -0.2, row[k].height - depth};
        scene s = empty(0, -9.81);
        OK(touching(&s, CLV_GROUND, put(&s, row[k].shape, 2, x, row[k].e, NULL), law(1e4, exponent, 0.2, 0.5)));
        OK(clv_model_finish(s.m));
        clv_sim *run = start(s.m, "massmatrix", "dop853", 1e-10, 0);
        advance(run, 0.5);
        for (int c = 0; c < 3; c++)
            CLV_NEAR(clv_sim_position(run)[c], x[c], 1e-9);
        drop(&s, run);
    }
}

/* A box on an incline of that tangent, after it has settled: its speed at two times. */
static void slide(double tangent, double at[2], double speed[2], double *drifted)
{
    const double cosine = 1 / sqrt(1 + tangent * tangent), x[3] = {0, 0, 0.1};
    scene s = empty(9.81 * tangent * cosine, -9.81 * cosine);
    OK(touching(&s, CLV_GROUND, put(&s, shape_of(CLV_SHAPE_BOX, 0.5, 0.4, 0.2), 2, x, NULL, NULL),
                law(1e5, 1.5, 5, 0.4)));
    OK(clv_model_finish(s.m));
    clv_sim *run = start(s.m, "hdca", "dop853", 1e-11, 0);
    for (int k = 0; k < 2; k++) {
        advance(run, at[k]);
        speed[k] = clv_sim_velocity(run)[0];
    }
    *drifted = drift(run);
    drop(&s, run);
}

/* Below the angle of friction it creeps at v0 (1 - sqrt(1 - tan / mu)); above it accelerates by g (sin - mu cos). */
static void a_box_creeps_or_slides_on_an_incline(void **state)
{
    static const double tangent[4] = {0.1, 0.3, 0.399, 0.5};
    (void)state;
    for (int i = 0; i < 4; i++) {
        double at[2] = {1.5, 2.5}, speed[2], drifted;
        slide(tangent[i], at, speed, &drifted);
        const double cosine = 1 / sqrt(1 + tangent[i] * tangent[i]);
        if (tangent[i] < 0.4)
            CLV_NEAR(speed[1], 0.01 * (1 - sqrt(1 - tangent[i] / 0.4)), 1e-7);
        else
            CLV_NEAR(speed[1] - speed[0], 9.81 * cosine * (tangent[i] - 0.4), 1e-6);
        assert_true(drifted < 1e-7);
    }
}

/* A ball that is pushed slips, then rolls: momentum about the line of contact is kept, v = v0 / (1 + I / (m R^2)) with
 * the height R of its middle over the points where forces act. */
static void a_ball_slips_until_it_rolls(void **state)
{
    const double depth = pow(9.81 / 1e6, 1 / 1.5), x[3] = {0, 0, 0.1 - depth}, u[6] = {1};
    const double R = 0.1 - depth / 2, I = 0.4 * 0.01;
    (void)state;
    for (int i = 0; i < FORMULATIONS; i++) {
        scene s = empty(0, -9.81);
        OK(touching(&s, CLV_GROUND, put(&s, shape_of(CLV_SHAPE_SPHERE, 0.1, 0, 0), 1, x, NULL, u),
                    law(1e6, 1.5, 0, 0.5)));
        OK(clv_model_finish(s.m));
        clv_sim *run = start(s.m, all_formulations[i], "dop853", 1e-10, 0);
        advance(run, 0.5);
        CLV_NEAR(clv_sim_velocity(run)[0], 1 / (1 + I / (R * R)), 1e-8);
        CLV_NEAR(clv_sim_velocity(run)[4], clv_sim_velocity(run)[0] / R, 1e-7);
        assert_true(drift(run) < 1e-8);
        drop(&s, run);
    }
}

/* ------------------------------------------------------------------ pairs */

static void momentum(const clv_sim *s, double P[6])
{
    clv_momentum x;
    clv_sim_momentum(s, &x);
    memcpy(P, x.linear, 3 * sizeof *P), memcpy(P + 3, x.angular, 3 * sizeof *P);
}

/* Two bodies in free flight collide off their middles, with friction or, first, without any loss. */
static void momentum_and_energy_are_kept(void **state)
{
    const clv_shape shape[][2] = {{shape_of(CLV_SHAPE_SPHERE, 0.1, 0, 0), shape_of(CLV_SHAPE_SPHERE, 0.2, 0, 0)},
                                  {shape_of(CLV_SHAPE_SPHERE, 0.1, 0, 0), shape_of(CLV_SHAPE_CAPSULE, 0.1, 0.4, 0)},
                                  {shape_of(CLV_SHAPE_CAPSULE, 0.1, 0.3, 0), shape_of(CLV_SHAPE_CAPSULE, 0.1, 0.4, 0)},
                                  {shape_of(CLV_SHAPE_SPHERE, 0.1, 0, 0), shape_of(CLV_SHAPE_BOX, 0.3, 0.2, 0.4)},
                                  {shape_of(CLV_SHAPE_BOX, 0.3, 0.2, 0.4), shape_of(CLV_SHAPE_SPHERE, 0.1, 0, 0)}};
    const double x[2][3] = {{0, 0, 0}, {0.5, 0.06, 0.04}}, v[2][6] = {{1, 0.1, 0, 2, -1, 1}, {-1, 0, 0.1, 0, 3, 2}};
    const double turn[4] = {0.8, 0.36, 0.48, 0};
    (void)state;
    for (int i = 0; i < 5 * 2 * FORMULATIONS; i++) {
        const int pair = i / (2 * FORMULATIONS), rough = i % 2;
        double before[6], after[6];
        scene s = empty(0, 0);
        put(&s, shape[pair][0], 1, x[0], NULL, v[0]), put(&s, shape[pair][1], 2, x[1], turn, v[1]);
        OK(touching(&s, 0, 1, law(2e4, 1.5, rough ? 0.2 : 0, rough ? 0.4 : 0)));
        OK(clv_model_finish(s.m));
        clv_sim *run = start(s.m, all_formulations[i / 2 % FORMULATIONS], "dop853", 1e-11, 0);
        momentum(run, before);
        const double energy = energy_of(run);
        advance(run, 0.4);
        momentum(run, after);
        for (int k = 0; k < 6; k++)
            CLV_NEAR(after[k], before[k], 1e-9);
        assert_true(fabs(after[0] - before[0]) < 1e-9 && fabs(clv_sim_velocity(run)[0] - v[0][0]) > 0.1); /* they met */
        assert_true(drift(run) < 1e-8);
        assert_true(rough ? energy_of(run) < energy - 1e-3 : fabs(energy_of(run) - energy) < 1e-8);
        drop(&s, run);
    }
}

/* Each shape tumbles on the plane without loss: the forces are those of a potential. */
static void tumbling_shapes_keep_their_energy(void **state)
{
    const clv_shape shape[] = {shape_of(CLV_SHAPE_CAPSULE, 0.1, 0.3, 0), shape_of(CLV_SHAPE_CYLINDER, 0.1, 0.3, 0),
                               shape_of(CLV_SHAPE_BOX, 0.3, 0.2, 0.4)};
    const double x[3] = {0, 0, 0.4}, u[6] = {0.3, 0, 0, 2, 1, 0.5}, turn[4] = {0.8, 0.36, 0.48, 0};
    (void)state;
    for (int i = 0; i < 3; i++) {
        scene s = empty(0, -9.81);
        OK(touching(&s, CLV_GROUND, put(&s, shape[i], 1, x, turn, u), law(2e4, 1.5, 0, 0)));
        OK(clv_model_finish(s.m));
        clv_sim *run = start(s.m, "massmatrix", "dop853", 1e-11, 0);
        const double energy = energy_of(run);
        advance(run, 1.5);
        CLV_NEAR(energy_of(run), energy, 1e-7);
        drop(&s, run);
    }
}

/* ------------------------------------------------------------------ refused */

static void refused(clv_shape a, clv_shape b, bool ground, clv_contact c, bool plane, const char *word)
{
    const double x[3] = {0, 0, 0}, y[3] = {1, 0, 0};
    scene s = empty(0, 0);
    put(&s, a, 1, x, NULL, NULL), put(&s, b, 1, y, NULL, NULL);
    clv_force_desc f = clv_force_desc_default(CLV_FORCE_CONTACT);
    f.name = "c", f.a = ground ? CLV_GROUND : 0, f.b = 1, f.contact = c, f.contact.normal[2] = plane;
    clv_status st = clv_model_add_force(s.m, NULL, &f);
    if (st == CLV_OK)
        st = clv_model_finish(s.m);
    assert_int_not_equal(st, CLV_OK);
    if (!strstr(clv_model_error(s.m)->message, word))
        fail_msg("'%s' does not name '%s'", clv_model_error(s.m)->message, word);
    clv_model_destroy(s.m);
}

static void bad_contacts_are_refused(void **state)
{
    const clv_shape ball = shape_of(CLV_SHAPE_SPHERE, 0.1, 0, 0), none = clv_body_desc_default().shape;
    const clv_contact good = law(1, 1, 0, 0);
    clv_contact c = good;
    (void)state;
    refused(ball, none, false, good, false, "'b1' has no shape");
    refused(ball, none, true, good, true, "'b1' has no shape");
    refused(ball, ball, true, good, false, "needs a normal");
    refused(ball, ball, false, good, true, "plane belongs to the ground");
    c.stiffness = 0, refused(ball, ball, false, c, false, "stiffness");
    c = good, c.exponent = 0.5, refused(ball, ball, false, c, false, "exponent");
    c = good, c.dissipation = -1, refused(ball, ball, false, c, false, "dissipation");
    c = good, c.dynamic_friction = -1, refused(ball, ball, false, c, false, "friction is negative");
    c = good, c.static_friction = 0.1, c.dynamic_friction = 0.2, refused(ball, ball, false, c, false, "static");
    c = good, c.viscous_friction = -1, refused(ball, ball, false, c, false, "viscous");
    c = good, c.transition_speed = 0, refused(ball, ball, false, c, false, "transition");
    c = good, c.stiffness = NAN, refused(ball, ball, false, c, false, "not finite");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_leaves_with_the_speed_of_hunt_and_crossley),
        cmocka_unit_test(an_implicit_step_bounces),
        cmocka_unit_test(shapes_rest_at_their_depth),
        cmocka_unit_test(a_box_creeps_or_slides_on_an_incline),
        cmocka_unit_test(a_ball_slips_until_it_rolls),
        cmocka_unit_test(momentum_and_energy_are_kept),
        cmocka_unit_test(tumbling_shapes_keep_their_energy),
        cmocka_unit_test(bad_contacts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
