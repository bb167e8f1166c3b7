/* SPDX-License-Identifier: Apache-2.0
 * Loads (T8): wrenches are what the formulas say, internal loads balance, and power and potential add up: for every
 * load sum wrench.V + sum tau u = power - dU/dt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "math/rotation.h"
#include "model/force.h"
#include "model/joint.h"
#include "near.h"

#include <string.h>

static uint64_t seed = 11;
static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-52 - 1;
}
static void fill(double *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = uniform();
}

/* Two bodies in any motion and one revolute joint between them whose q and u are simply given. */
typedef struct world {
    clv_model *m;
    double r[6], R[18], V[12], q[7], u[6], wrench[12], tau[6];
    clv_load_frame at;
} world;

static void open_world(world *w)
{
    memset(w, 0, sizeof *w);
    assert_int_equal(clv_model_create(&w->m, "test"), CLV_OK);
    for (int i = 0; i < 2; i++) {
        clv_body_desc b = clv_body_desc_default();
        b.name = i ? "b1" : "b0";
        b.mass = 1 + i;
        fill(b.com, 3);
        assert_int_equal(clv_model_add_body(w->m, NULL, &b), CLV_OK);
        double e[4];
        fill(e, 4);
        clv_quat_rotation(w->R + 9 * i, e);
    }
    clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
    j.name = "j", j.a = 0, j.b = 1;
    assert_int_equal(clv_model_add_joint(w->m, NULL, &j), CLV_OK);
    assert_int_equal(clv_model_set_gravity(w->m, (double[3]){0, 0, 0}), CLV_OK);
    fill(w->r, 6), fill(w->V, 12), fill(w->q, 1), fill(w->u, 1);
    w->at = (clv_load_frame){.time = 0.3,
                             .model = w->m,
                             .r = w->r,
                             .R = w->R,
                             .V = w->V,
                             .q = w->q,
                             .u = w->u,
                             .wrench = w->wrench,
                             .tau = w->tau};
}
static void load(world *w, clv_force_desc f)
{
    f.name = "f";
    assert_int_equal(clv_model_add_force(w->m, NULL, &f), CLV_OK);
    assert_int_equal(clv_model_finish(w->m), CLV_OK);
    clv_loads(&w->at);
    assert_int_equal(w->at.failed, -1);
}
/* The potential a little later, along the velocities. */
static double potential_at(const world *w, double t)
{
    world p = *w;
    p.at.r = p.r, p.at.R = p.R, p.at.q = p.q;
    for (int i = 0; i < 2; i++) {
        double phi[3], e[4], turn[9];
        for (int k = 0; k < 3; k++)
            p.r[3 * i + k] += t * w->V[6 * i + k], phi[k] = t * w->V[6 * i + 3 + k];
        clv_quat_exp(e, phi);
        clv_quat_rotation(turn, e);
        clv_mat3_product(p.R + 9 * i, turn, w->R + 9 * i);
    }
    p.q[0] += t * w->u[0];
    return clv_potential(&p.at);
}
static void energy_balances(const world *w)
{
    double h = 1e-5, work = clv_dot6(w->wrench, w->V) + clv_dot6(w->wrench + 6, w->V + 6) + w->tau[0] * w->u[0];
    double stored = (potential_at(w, h) - potential_at(w, -h)) / (2 * h);
    CLV_NEAR(work, w->at.power - stored, 1e-8);
}
/* Force and moment about the origin vanish together. */
static void internal(const world *w)
{
    double f[3] = {0}, n[3] = {0}, m[3];
    for (int i = 0; i < 2; i++) {
        clv_axpy3(f, 1, w->wrench + 6 * i);
        clv_cross(m, w->r + 3 * i, w->wrench + 6 * i);
        clv_axpy3(n, 1, m);
        clv_axpy3(n, 1, w->wrench + 6 * i + 3);
    }
    for (int i = 0; i < 3; i++)
        CLV_NEAR(f[i], 0, 1e-13), CLV_NEAR(n[i], 0, 1e-13);
}
static void done(world *w) { clv_model_destroy(w->m); }

static void weight(void **state)
{
    world w;
    (void)state;
    open_world(&w);
    clv_model_set_gravity(w.m, (double[3]){1, -2, -9.81});
    clv_force_desc f = clv_force_desc_default(CLV_FORCE_ANGULAR);
    f.a = 0, f.b = 1;
    load(&w, f);
    CLV_NEAR(w.wrench[6], 2, 0), CLV_NEAR(w.wrench[8], -19.62, 1e-14), CLV_NEAR(w.wrench[9], 0, 0);
    CLV_NEAR(w.at.power, 0, 0);
    energy_balances(&w);
    done(&w);
}

static void given_force_and_torque(void **state)
{
    double t[] = {0, 1}, v[] = {1, 3};
    (void)state;
    for (int k = 0; k < 8; k++) {
        world w;
        open_world(&w);
        clv_force_desc f = clv_force_desc_default(k & 1 ? CLV_FORCE_POINT : CLV_FORCE_TORQUE);
        f.b = 1, f.in_body = k & 2;
        if (k & 4)
            f.table = (clv_table){2, t, v};
        fill(f.vector, 3), fill(f.point_b, 3);
        load(&w, f);
        energy_balances(&w);
        double factor = k & 4 ? 1.6 : 1, x[3], *found = w.wrench + (k & 1 ? 6 : 9);
        memcpy(x, f.vector, sizeof x);
        if (f.in_body)
            clv_mat3_times(x, w.R + 9, f.vector);
        for (int i = 0; i < 3; i++)
            CLV_NEAR(found[i], factor * x[i], 1e-14), CLV_NEAR(w.wrench[i], 0, 0);
        done(&w);
    }
}

static void joint_spring_damper_drive(void **state)
{
    world w;
    (void)state;
    open_world(&w);
    clv_force_desc f = clv_force_desc_default(CLV_FORCE_JOINT);
    f.joint = 0, f.stiffness = 7, f.damping = 0.4, f.rest = 0.2, f.drive = 3;
    load(&w, f);
    CLV_NEAR(w.tau[0], -7 * (w.q[0] - 0.2) - 0.4 * w.u[0] + 3, 1e-14);
    CLV_NEAR(w.at.power, (3 - 0.4 * w.u[0]) * w.u[0], 1e-14);
    energy_balances(&w);
    done(&w);
}

static void two_point_spring(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        world w;
        open_world(&w);
        clv_force_desc f = clv_force_desc_default(CLV_FORCE_SPRING);
        f.a = k == 1 ? CLV_GROUND : 0, f.b = k == 2 ? CLV_GROUND : 1;
        f.stiffness = 5, f.damping = 0.3, f.rest = 0.4;
        fill(f.point_a, 3), fill(f.point_b, 3);
        load(&w, f);
        energy_balances(&w);
        if (k == 0)
            internal(&w);
        assert_true(w.at.power < 0);
        done(&w);
    }
}

static void spring_of_length_zero(void **state)
{
    (void)state;
    for (int rest = 0; rest < 2; rest++) {
        world w;
        open_world(&w);
        clv_force_desc f = clv_force_desc_default(CLV_FORCE_SPRING);
        f.a = CLV_GROUND, f.b = 0, f.stiffness = 5, f.damping = 1, f.rest = rest;
        clv_copy3(f.point_a, w.r), clv_copy3(f.point_b, w.m->body[0].com);
        load(&w, f);
        for (int i = 0; i < 6; i++)
            CLV_NEAR(w.wrench[i], 0, 0);
        w.r[0] += 1e-3; /* and beside it, without free length, a plain k d; its damper knows the direction again */
        memset(w.V, 0, sizeof w.V);
        clv_loads(&w.at);
        CLV_NEAR(w.wrench[0], rest ? -5e-3 + 5 : -5e-3, 1e-12);
        done(&w);
    }
}

static void angular_damper(void **state)
{
    world w;
    (void)state;
    open_world(&w);
    clv_force_desc f = clv_force_desc_default(CLV_FORCE_ANGULAR);
    f.a = 0, f.b = 1, f.damping = 0.7;
    load(&w, f);
    internal(&w);
    energy_balances(&w);
    CLV_NEAR(w.wrench[9], -0.7 * (w.V[9] - w.V[3]), 1e-15);
    done(&w);
}

static int push(void *user, clv_load_view *view)
{
    assert_int_equal(view->nbody, 2);
    view->wrench[6] += *(double *)user;
    return *(double *)user > 50;
}
static void callback_and_its_failures(void **state)
{
    world w;
    double x = 4;
    (void)state;
    open_world(&w);
    clv_force_desc f = clv_force_desc_default(CLV_FORCE_CALLBACK);
    f.call = push, f.user = &x;
    load(&w, f);
    CLV_NEAR(w.wrench[6], 4, 0);
    assert_true(w.at.opaque);
    x = NAN;
    clv_loads(&w.at);
    assert_int_equal(w.at.failed, 0);
    x = 51;
    clv_loads(&w.at);
    assert_int_equal(w.at.failed, 0);
    x = 1;
    clv_loads(&w.at);
    assert_int_equal(w.at.failed, -1);
    done(&w);
}

static void not_finite_is_told(void **state)
{
    world w;
    (void)state;
    open_world(&w);
    clv_force_desc f = clv_force_desc_default(CLV_FORCE_JOINT);
    f.joint = 0, f.stiffness = 1;
    load(&w, f);
    w.q[0] = INFINITY;
    clv_loads(&w.at);
    assert_int_equal(w.at.failed, 0);
    done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weight),           cmocka_unit_test(given_force_and_torque),
        cmocka_unit_test(joint_spring_damper_drive), cmocka_unit_test(two_point_spring),
        cmocka_unit_test(spring_of_length_zero),     cmocka_unit_test(angular_damper),
        cmocka_unit_test(callback_and_its_failures), cmocka_unit_test(not_finite_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
