/* SPDX-License-Identifier: Apache-2.0
 * Constraints on velocities (T68): rolling spheres and discs and knife edges against closed forms, a published bicycle,
 * and the extended-precision oracle; every formulation takes them or refuses by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "io/yaml_write.h"
#include "math/rotation.h"
#include "model/fingerprint.h"
#include "model/keep.h"
#include "near.h"
#include "oracle/oracle.h"
#include "oracle/random_system.h"
#include "simulation/sim.h"

#define OK(call) assert_int_equal(call, CLV_OK)

static const char *const formulations[] = {"hdca", "dca", "connection", "massmatrix", "aldca"};
enum { FORMULATIONS = sizeof formulations / sizeof formulations[0] };
static const double PI_4 = 0.78539816339744831;

static clv_sim *start(const clv_model *m, const char *formulation, double rtol)
{
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation, o.rtol = rtol;
    const clv_status st = clv_sim_create(&s, m, &o);
    if (st != CLV_OK)
        print_error("%s: %s\n", formulation, clv_sim_error(s)->message);
    OK(st);
    return s;
}

static clv_model *empty(double x, double z)
{
    clv_model *m;
    const double gravity[3] = {x, 0, z};
    OK(clv_model_create(&m, "rolling"));
    OK(clv_model_set_gravity(m, gravity));
    return m;
}

static int body(clv_model *m, const char *name, double mass, const double J[3], const double at[3], const double w[3])
{
    clv_body_desc d = clv_body_desc_default();
    int index;
    d.name = name, d.mass = mass, d.placed = at != NULL, d.moving = w != NULL;
    for (int i = 0; i < 3; i++)
        d.inertia[i] = J[i], d.position[i] = at ? at[i] : 0, d.angular_velocity[i] = w ? w[i] : 0;
    OK(clv_model_add_body(m, &index, &d));
    return index;
}

static void roll(clv_model *m, clv_joint_kind kind, int a, int b, double radius)
{
    clv_joint_desc d = clv_joint_desc_default(kind);
    d.name = "roll", d.a = a, d.b = b, d.radius = radius;
    OK(clv_model_add_joint(m, NULL, &d));
}

/* ---------------------------------------------------------------- closed forms */

/* A homogeneous ball on an incline: 5/7 of the gravity along it. */
static void a_ball_rolls_down_an_incline(void **state)
{
    (void)state;
    const double J[3] = {0.008, 0.008, 0.008}, at[3] = {0, 0, 0.1};
    for (int f = 0; f < FORMULATIONS; f++) {
        clv_model *m = empty(5, -8);
        roll(m, CLV_JOINT_ROLLING_SPHERE, CLV_GROUND, body(m, "ball", 2, J, at, NULL), 0.1);
        OK(clv_model_finish(m));
        clv_sim *s = start(m, formulations[f], 1e-10);
        OK(clv_sim_advance(s, 2));
        CLV_NEAR(clv_sim_position(s)[0], 0.5 * 25.0 / 7 * 4, 1e-8);
        CLV_NEAR(clv_sim_position(s)[2], 0.1, 1e-12);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* On a table that turns with W its middle moves in a circle with 2/7 W. */
static void a_ball_circles_on_a_turntable(void **state)
{
    (void)state;
    const double J[3] = {0.008, 0.008, 0.008}, at[3] = {0.5, 0, 0.1}, W = 3, w = 2.0 / 7 * W;
    for (int f = 0; f < FORMULATIONS; f++) {
        clv_model *m = empty(0, -9.81);
        clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
        clv_motion_desc drive = clv_motion_desc_default();
        j.name = "axle", j.a = CLV_GROUND, j.b = body(m, "table", 10, (double[3]){1, 1, 2}, NULL, NULL);
        OK(clv_model_add_joint(m, &drive.joint, &j));
        drive.name = "drive", drive.rate = W;
        OK(clv_model_add_motion(m, NULL, &drive));
        clv_body_desc b = clv_body_desc_default();
        b.name = "ball", b.mass = 2, b.placed = b.moving = true;
        memcpy(b.inertia, J, sizeof J), memcpy(b.position, at, sizeof at);
        b.velocity[1] = 0.2; /* no slip: 0.2 + r w_x = W x at the contact */
        b.angular_velocity[0] = (W * 0.5 - 0.2) / 0.1;
        int ball;
        OK(clv_model_add_body(m, &ball, &b));
        roll(m, CLV_JOINT_ROLLING_SPHERE, 0, ball, 0.1);
        OK(clv_model_finish(m));
        clv_sim *s = start(m, formulations[f], 1e-10);
        OK(clv_sim_advance(s, 4));
        const double R = 0.2 / w; /* about (0.5 - R, 0) */
        CLV_NEAR(clv_sim_position(s)[3], 0.5 - R + R * cos(4 * w), 2e-7);
        CLV_NEAR(clv_sim_position(s)[4], R * sin(4 * w), 2e-7);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* A disc in a steady circle: (C + m r^2) w3 W sin = A W^2 sin cos - m g r cos, angle of its axis to the vertical.  Here
 * the axis stays at 45 degrees. */
static void a_disc_rolls_in_a_circle(void **state)
{
    (void)state;
    const double r = 0.2, A = 0.01, C = 0.02, mass = 1, g = 9.81, W = 4, c = cos(PI_4), sn = sin(PI_4);
    const double w3 = (A * W * W * sn * c - mass * g * r * c) / ((C + mass * r * r) * W * sn);
    for (int f = 0; f < FORMULATIONS; f++) {
        clv_model *m = empty(0, -g);
        clv_body_desc b = clv_body_desc_default();
        int disc;
        b.name = "disc", b.mass = mass, b.placed = b.moving = true;
        b.inertia[0] = b.inertia[1] = A, b.inertia[2] = C;
        b.position[2] = r * sn;
        b.orientation[0] = cos(PI_4 / 2), b.orientation[1] = sin(PI_4 / 2); /* axis z turned about x: (0, -sn, c) */
        const double spin = w3 - W * c; /* angular velocity: W z + spin axis */
        b.angular_velocity[1] = -spin * sn, b.angular_velocity[2] = W + spin * c;
        const double up[3] = {0, c, sn}; /* from the contact to the middle, over r */
        clv_cross(b.velocity, b.angular_velocity, up);
        for (int i = 0; i < 3; i++)
            b.velocity[i] *= r;
        OK(clv_model_add_body(m, &disc, &b));
        roll(m, CLV_JOINT_ROLLING_DISC, CLV_GROUND, disc, r);
        OK(clv_model_finish(m));
        clv_sim *s = start(m, formulations[f], 1e-11);
        OK(clv_sim_advance(s, 3));
        double R[9];
        clv_quat_rotation(R, clv_sim_quaternion(s));
        CLV_NEAR(clv_sim_position(s)[2], r * sn, 1e-7);
        CLV_NEAR(R[2], sn * sin(3 * W), 1e-6); /* the axis precesses with W */
        CLV_NEAR(R[5], -sn * cos(3 * W), 1e-6);
        CLV_NEAR(R[8], c, 1e-6);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* Chaplygin's sleigh: v = k tanh(a s^2 k t + artanh(v0 / k)), w = s k / cosh, s^2 = m / (J + m a^2). */
static void a_sleigh_comes_to_go_straight(void **state)
{
    (void)state;
    const double mass = 2, a = 0.3, J = 0.2, v0 = 1, w0 = 2, s = sqrt(mass / (J + mass * a * a));
    const double k = sqrt(v0 * v0 + w0 * w0 / (s * s)), x = a * s * s * k * 1.5 + atanh(v0 / k);
    for (int f = 0; f < FORMULATIONS; f++) {
        clv_model *m = empty(0, -9.81);
        clv_body_desc b = clv_body_desc_default();
        clv_joint_desc ice = clv_joint_desc_default(CLV_JOINT_PLANAR);
        clv_joint_desc blade = clv_joint_desc_default(CLV_JOINT_KNIFE_EDGE);
        b.name = "sleigh", b.mass = mass, b.com[0] = a, b.inertia[0] = b.inertia[1] = 0.1, b.inertia[2] = J;
        OK(clv_model_add_body(m, &ice.b, &b));
        ice.name = "ice", ice.a = blade.a = CLV_GROUND, blade.b = ice.b, blade.name = "blade", blade.global = true;
        ice.has_u = true, ice.u[0] = v0, ice.u[2] = w0;
        blade.axis[0] = 0, blade.axis[1] = 1, blade.axis[2] = 0;
        int index;
        OK(clv_model_add_joint(m, &index, &ice));
        OK(clv_model_add_joint(m, NULL, &blade));
        OK(clv_model_finish(m));
        clv_sim *sim = start(m, formulations[f], 1e-11);
        OK(clv_sim_advance(sim, 1.5));
        clv_joint_result q;
        OK(clv_sim_joint(sim, index, &q));
        CLV_NEAR(q.u[2], s * k / cosh(x), 1e-8);
        CLV_NEAR(q.u[0] * cos(q.q[2]) + q.u[1] * sin(q.q[2]), k * tanh(x), 1e-8);
        CLV_NEAR(q.u[1] * cos(q.q[2]) - q.u[0] * sin(q.q[2]), 0, 1e-9);
        clv_sim_destroy(sim), clv_model_destroy(m);
    }
}

/* ---------------------------------------------------------------- the bicycle of Whipple */

/* accelerations of lean and steer */
static void bicycle(const char *formulation, double v, double lean, double steer, double lean_rate, double steer_rate,
                    double x[2])
{
    clv_model *m;
    char text[5][64];
    const char *const name[] = {"speed", "lean", "steer", "lean_rate", "steer_rate"}, *set[5];
    const double value[] = {v, lean, steer, lean_rate, steer_rate};
    for (int i = 0; i < 5; i++) {
        snprintf(text[i], sizeof text[i], "%s=%.17g%s", name[i], value[i], i == 1 || i == 2 ? " rad" : "");
        set[i] = text[i];
    }
    const clv_status st = clv_model_read_with(&m, CLV_SOURCE_DIR "/examples/bicycle.yaml", set, 5);
    if (st != CLV_OK)
        print_error("%s\n", clv_model_error(m)->message);
    OK(st);
    clv_sim *s = start(m, formulation, 1e-8);
    OK(clv_sim_evaluate(s));
    clv_joint_result head;
    OK(clv_sim_joint(s, 0, &head));
    x[0] = s->out_A[3], x[1] = head.udot[0];
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* M q'' + v C1 q' + (g K0 + v^2 K2) q = 0 with the matrices of Meijaard et al. (2007), section 5b. */
static void a_bicycle_has_the_published_linear_equations(void **state)
{
    (void)state;
    static const double M[4] = {80.81722, 2.31941332208709, 2.31941332208709, 0.29784188199686},
                        K0[4] = {-80.95, -2.59951685249872, -2.59951685249872, -0.80329488458618},
                        K2[4] = {0, 76.59734589573222, 0, 2.65431523794604},
                        C1[4] = {0, 33.86641391492494, -0.85035641456978, 1.68540397397560};
    const double h = 1e-5, speed[] = {0, 2, 5, 10}, g = 9.81;
    for (int f = 0; f < FORMULATIONS; f++)
        for (int k = 0; k < 4; k++)
            for (int c = 0; c < 4; c++) { /* column: lean, steer, their rates */
                const double v = speed[k], e[4] = {c == 0 ? h : 0, c == 1 ? h : 0, c == 2 ? h : 0, c == 3 ? h : 0};
                double p[2], n[2];
                bicycle(formulations[f], v, e[0], e[1], e[2], e[3], p);
                bicycle(formulations[f], v, -e[0], -e[1], -e[2], -e[3], n);
                for (int i = 0; i < 2; i++) {
                    double sum = 0;
                    for (int j = 0; j < 2; j++)
                        sum += M[2 * i + j] * (p[j] - n[j]) / (2 * h);
                    const double want = c < 2 ? -(g * K0[2 * i + c] + v * v * K2[2 * i + c]) : -v * C1[2 * i + c - 2];
                    CLV_NEAR(sum, want, 1e-5 * (1 + fabs(want)));
                }
            }
}

/* ---------------------------------------------------------------- the oracle */

static double normal(random_stream *r, double scale) { return scale * random_normal(r); }

static void turn(random_stream *r, double e[4])
{
    for (int k = 0; k < 4; k++)
        e[k] = normal(r, 1);
    clv_quat_normalize(e);
}

static int limb(clv_model *m, random_stream *r, int parent, int i)
{
    static const clv_joint_kind kinds[] = {CLV_JOINT_REVOLUTE, CLV_JOINT_UNIVERSAL, CLV_JOINT_SPHERICAL,
                                           CLV_JOINT_PRISMATIC};
    clv_body_desc b = clv_body_desc_default();
    char name[16];
    int index;
    snprintf(name, sizeof name, "b%d", i);
    b.name = name, b.mass = random_uniform(r, 0.5, 3);
    for (int k = 0; k < 3; k++)
        b.inertia[k] = b.mass * random_uniform(r, 0.1, 0.15), b.com[k] = normal(r, 0.2);
    if (parent == CLV_GROUND) { /* floats */
        b.moving = b.placed = true;
        for (int k = 0; k < 3; k++)
            b.position[k] = normal(r, 0.5), b.velocity[k] = normal(r, 1), b.angular_velocity[k] = normal(r, 1);
    }
    OK(clv_model_add_body(m, &index, &b));
    if (parent == CLV_GROUND)
        return index;
    clv_joint_desc d = clv_joint_desc_default(kinds[random_index(r, 4)]);
    snprintf(name, sizeof name, "j%d", i);
    d.name = name, d.a = parent, d.b = index, d.has_u = true;
    for (int k = 0; k < 3; k++)
        d.position_a[k] = normal(r, 0.5), d.position_b[k] = normal(r, 0.5), d.u[k] = normal(r, 1);
    turn(r, d.orientation_a), turn(r, d.orientation_b);
    OK(clv_model_add_joint(m, NULL, &d));
    return index;
}

static void close_by(clv_model *m, random_stream *r, clv_joint_kind kind, int a, int b, int i)
{
    clv_joint_desc d = clv_joint_desc_default(kind);
    char name[16];
    snprintf(name, sizeof name, "c%d", i);
    d.name = name, d.a = a, d.b = b, d.radius = kind == CLV_JOINT_KNIFE_EDGE ? 0 : random_uniform(r, 0.3, 0.6);
    for (int k = 0; k < 3; k++)
        d.position_a[k] = normal(r, 0.3), d.position_b[k] = normal(r, 0.3);
    turn(r, d.orientation_a), turn(r, d.orientation_b);
    OK(clv_model_add_joint(m, NULL, &d));
}

/* Two floating trees of three bodies; constraints between them, to the ground and within one. */
static clv_model *random_rollers(random_stream *r)
{
    static const clv_joint_kind kinds[] = {CLV_JOINT_ROLLING_DISC, CLV_JOINT_ROLLING_SPHERE, CLV_JOINT_KNIFE_EDGE};
    clv_model *m = empty(1, -9.81);
    int b[6];
    for (int i = 0; i < 6; i++)
        b[i] = limb(m, r, i % 3 == 0 ? CLV_GROUND : b[i - 1], i);
    close_by(m, r, kinds[random_index(r, 3)], b[2], b[5], 0);
    close_by(m, r, kinds[random_index(r, 3)], CLV_GROUND, b[4], 1);
    close_by(m, r, CLV_JOINT_KNIFE_EDGE, b[0], b[2], 2);
    OK(clv_model_finish(m));
    return m;
}

/* largest difference of accelerations over the largest one, and over the condition */
static double away_from_oracle(clv_sim *s)
{
    const clv_model *m = s->model;
    oracle *o = oracle_create(m);
    real *a = malloc((size_t)o->n * sizeof(real)), most = 0, off = 0;
    oracle_set(o, 0, s->system.kin.com, s->system.kin.R, s->out_V, NULL);
    oracle_project_velocity(o);
    oracle_accelerations(o, a, NULL);
    for (int i = 0; i < o->n; i++)
        most = fmaxl(most, fabsl(a[i])), off = fmaxl(off, fabsl(a[i] - (real)s->out_A[i]));
    const double ratio = (double)(off / most / (2.2e-16L * o->condition));
    free(a), oracle_destroy(o);
    return ratio;
}

static void accelerations_agree_with_the_oracle(void **state)
{
    (void)state;
    random_stream r = {68};
    double worst = 0;
    for (int i = 0; i < 60; i++) {
        clv_model *m = random_rollers(&r);
        for (int f = 0; f < FORMULATIONS; f++) {
            clv_sim *s = start(m, formulations[f], 1e-8);
            OK(clv_sim_evaluate(s));
            const double ratio = away_from_oracle(s);
            if (!(ratio <= 100))
                print_error("system %d, %s: %g eps cond\n", i, formulations[f], ratio);
            worst = fmax(worst, ratio);
            clv_sim_destroy(s);
        }
        clv_model_destroy(m);
    }
    print_message("worst: %g eps cond\n", worst);
    assert_true(worst <= 100);
}

/* hdca integrates momenta with impulses of these rows, the others accelerations: one motion.  Energy is kept. */
static void motions_agree(void **state)
{
    (void)state;
    random_stream r = {69};
    for (int i = 0; i < 6; i++) {
        clv_model *m = random_rollers(&r);
        double first[18];
        for (int f = 0; f < FORMULATIONS; f++) {
            clv_sim *s = start(m, formulations[f], 1e-10);
            const double *V = clv_sim_position(s);
            OK(clv_sim_advance(s, 0.5));
            for (int k = 0; k < 18; k++)
                if (f == 0)
                    first[k] = V[k];
                else
                    CLV_NEAR(V[k], first[k], 1e-6 * (1 + fabs(first[k])));
            clv_sim_report now;
            clv_sim_summary(s, &now);
            CLV_NEAR(now.max_energy_drift, 0, 1e-5);
            clv_sim_destroy(s);
        }
        clv_model_destroy(m);
    }
}

/* ---------------------------------------------------------------- files; refused by name */

static void models_come_back_from_files(void **state)
{
    (void)state;
    random_stream r = {70};
    for (int i = 0; i < 20; i++) {
        clv_model *m = random_rollers(&r), *again;
        char *text;
        size_t size;
        OK(clv_model_write_text(m, &text, &size));
        OK(clv_model_read_text(&again, text, size, NULL));
        assert_true(clv_model_fingerprint(m) == clv_model_fingerprint(again));
        clv_joint *wheel = &again->joint[again->njoint - 2];
        clv_joint_more larger = *wheel->more;
        larger.radius += 0.1;
        assert_true(clv_keep_more(again, wheel, &larger));
        assert_true(clv_model_fingerprint(m) != clv_model_fingerprint(again));
        clv_free(text), clv_model_destroy(m), clv_model_destroy(again);
    }
}

static void what_solves_for_positions_refuses(void **state)
{
    (void)state;
    const double J[3] = {0.008, 0.008, 0.008}, at[3] = {0, 0, 0.1};
    clv_model *m = empty(5, -8);
    roll(m, CLV_JOINT_ROLLING_SPHERE, CLV_GROUND, body(m, "ball", 2, J, at, NULL), 0.1);
    OK(clv_model_finish(m));
    for (int k = 0; k < 2; k++) {
        clv_sim_options o = clv_sim_options_default();
        clv_sim *s;
        if (k == 0)
            o.formulation = "index3";
        else
            o.integrator = "gauss4", o.step = 0.01;
        assert_int_equal(clv_sim_create(&s, m, &o), CLV_ERR_UNSUPPORTED);
        assert_non_null(strstr(clv_sim_error(s)->message, "joint 'roll'"));
        clv_sim_destroy(s);
    }
    clv_sim *s = start(m, "hdca", 1e-8);
    assert_int_equal(clv_sim_equilibrium(s, false, NULL), CLV_ERR_UNSUPPORTED);
    clv_sim_destroy(s), clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_rolls_down_an_incline),
        cmocka_unit_test(a_ball_circles_on_a_turntable),
        cmocka_unit_test(a_disc_rolls_in_a_circle),
        cmocka_unit_test(a_sleigh_comes_to_go_straight),
        cmocka_unit_test(a_bicycle_has_the_published_linear_equations),
        cmocka_unit_test(accelerations_agree_with_the_oracle),
        cmocka_unit_test(motions_agree),
        cmocka_unit_test(models_come_back_from_files),
        cmocka_unit_test(what_solves_for_positions_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
