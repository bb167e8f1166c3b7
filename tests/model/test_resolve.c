/* SPDX-License-Identifier: Apache-2.0
 * Reference poses and what is derived from them: placing through joints, short forms, distances, offsets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "math/rotation.h"
#include "math/sincos.h"
#include "model/joint.h"
#include "model/model.h"
#include "near.h"

#include <string.h>

static clv_model *fresh(int bodies)
{
    static const char *const name[] = {"b0", "b1", "b2", "b3", "b4"};
    clv_model *m;
    assert_int_equal(clv_model_create(&m, "test"), CLV_OK);
    for (int i = 0; i < bodies; i++) {
        clv_body_desc d = clv_body_desc_default();
        d.name = name[i];
        d.mass = 1;
        assert_int_equal(clv_model_add_body(m, NULL, &d), CLV_OK);
    }
    return m;
}
static clv_joint_desc joint(clv_joint_kind kind, const char *name, int a, int b)
{
    clv_joint_desc j = clv_joint_desc_default(kind);
    j.name = name, j.a = a, j.b = b;
    return j;
}
static void place(clv_model *m, int i, double x, double y, double z, double angle_z)
{
    clv_body *b = &m->body[i];
    b->placed = true;
    b->r[0] = x, b->r[1] = y, b->r[2] = z;
    clv_quat_axis_angle(b->e, (double[3]){0, 0, 1}, angle_z);
}
static void add(clv_model *m, const clv_joint_desc *j) { assert_int_equal(clv_model_add_joint(m, NULL, j), CLV_OK); }
static void finish(clv_model *m) { assert_int_equal(clv_model_finish(m), CLV_OK); }
static void at(const clv_model *m, int i, double x, double y, double z)
{
    CLV_NEAR(m->body[i].r[0], x, 1e-14), CLV_NEAR(m->body[i].r[1], y, 1e-14), CLV_NEAR(m->body[i].r[2], z, 1e-14);
}

static void start_coordinates_place_bodies_both_ways(void **state)
{
    clv_model *m = fresh(3);
    clv_joint_desc j = joint(CLV_JOINT_REVOLUTE, "j1", 1, 0); /* body 1 hangs on body 0 by a joint pointing at 0 */
    (void)state;
    j.position_a[0] = 1, j.position_b[0] = 2, j.has_q = true, j.q[0] = CLV_PI / 2;
    add(m, &j);
    j = joint(CLV_JOINT_PRISMATIC, "j2", 1, 2);
    j.has_q = true, j.q[0] = 0.5;
    add(m, &j);
    place(m, 0, 10, 0, 0, CLV_PI / 2);
    finish(m);
    /* EB of j1 is turned by 90 degrees, so EA is not; the point lies at (10, 2, 0) */
    at(m, 1, 9, 2, 0);
    CLV_NEAR(m->body[1].e[0], 1, 1e-15);
    at(m, 2, 9, 2, 0.5);
    clv_model_destroy(m);
}

static void every_kind_keeps_its_start_coordinates(void **state)
{
    (void)state;
    for (int kind = 0; kind < CLV_JOINT_POINT; kind++)
        for (int flip = 0; flip < 2; flip++) {
            clv_model *m = fresh(2);
            clv_joint_desc j = joint((clv_joint_kind)kind, "j", flip, 1 - flip);
            double q[7] = {0.3, -0.4, 0.5, 0.1}, found[7];
            if (kind == CLV_JOINT_SPHERICAL || kind == CLV_JOINT_FREE)
                clv_quat_axis_angle(q + clv_joint_table[kind].nu - 3, (double[3]){1, 2, 3}, 0.8);
            memcpy(j.q, q, sizeof q);
            j.has_q = clv_joint_table[kind].nq > 0;
            j.pitch = kind == CLV_JOINT_HELICAL ? 0.2 : 0;
            j.position_a[1] = 0.7, j.position_b[2] = -0.6;
            clv_quat_axis_angle(j.orientation_a, (double[3]){1, 1, 0}, 0.4);
            clv_quat_axis_angle(j.orientation_b, (double[3]){0, 1, 2}, -0.9);
            add(m, &j);
            place(m, 0, 1, 2, 3, 0.6);
            finish(m);
            m->joint[0].has_q = false; /* from the poses, then */
            clv_joint_start(m, &m->joint[0], found);
            for (int i = 0; i < clv_joint_table[kind].nq; i++)
                CLV_NEAR(found[i], q[i], 2e-15);
            clv_model_destroy(m);
        }
}

static void short_form_frames_coincide(void **state)
{
    clv_model *m = fresh(2);
    clv_joint_desc j = joint(CLV_JOINT_CYLINDRICAL, "j", 0, 1);
    double q[7];
    (void)state;
    j.global = true;
    j.at[0] = 1, j.at[1] = -1, j.at[2] = 4;
    j.axis[0] = 3, j.axis[1] = 0, j.axis[2] = 3;
    add(m, &j);
    place(m, 0, 1, 2, 3, 0.6);
    place(m, 1, -1, 0, 3, -2);
    finish(m);
    clv_joint_start(m, &m->joint[0], q);
    CLV_NEAR(q[0], 0, 1e-15), CLV_NEAR(q[1], 0, 1e-15);
    double R[9], E[9], p[3];
    clv_quat_rotation(R, m->body[1].e);
    clv_mat3_product(E, R, m->joint[0].Eb);
    CLV_NEAR(E[2], sqrt(0.5), 1e-15), CLV_NEAR(E[5], 0, 1e-15), CLV_NEAR(E[8], sqrt(0.5), 1e-15);
    clv_mat3_times(p, R, m->joint[0].pb);
    clv_axpy3(p, 1, m->body[1].r);
    CLV_NEAR(p[0], 1, 2e-15), CLV_NEAR(p[1], -1, 2e-15), CLV_NEAR(p[2], 4, 2e-15);
    clv_model_destroy(m);
}

static void bodies_nobody_places_start_on_the_global_frame(void **state)
{
    clv_model *m = fresh(4);
    clv_joint_desc s = joint(CLV_JOINT_REVOLUTE, "short", CLV_GROUND, 1), l = joint(CLV_JOINT_REVOLUTE, "long", 1, 0);
    (void)state;
    s.global = true;
    s.at[0] = 2;
    l.position_a[0] = 5;
    add(m, &s);
    add(m, &l);
    l = joint(CLV_JOINT_REVOLUTE, "other", 2, 3);
    l.position_a[1] = 3;
    add(m, &l);
    finish(m);
    at(m, 1, 0, 0, 0); /* touched by the short form */
    at(m, 0, 5, 0, 0); /* hangs on body 1          */
    at(m, 2, 0, 0, 0); /* the first of the rest    */
    at(m, 3, 0, 3, 0);
    clv_model_destroy(m);
}

static void cut_joints_place_only_when_nothing_else_does(void **state)
{
    clv_model *m = fresh(3);
    clv_joint_desc cut = joint(CLV_JOINT_REVOLUTE, "cut", CLV_GROUND, 0),
                   tree = joint(CLV_JOINT_REVOLUTE, "t1", CLV_GROUND, 1);
    (void)state;
    cut.cut = 1, cut.position_a[0] = 9;
    add(m, &cut);
    add(m, &tree);
    tree = joint(CLV_JOINT_REVOLUTE, "t2", 1, 0);
    tree.position_a[0] = 1;
    add(m, &tree);
    cut.name = "only", cut.b = 2;
    add(m, &cut);
    finish(m);
    at(m, 0, 1, 0, 0); /* through t2          */
    at(m, 2, 9, 0, 0); /* no way but the cut  */
    clv_model_destroy(m);
}

static void distances_come_from_the_reference_pose(void **state)
{
    clv_model *m = fresh(2);
    clv_joint_desc d = joint(CLV_JOINT_DISTANCE, "rod", 0, 1);
    (void)state;
    d.global = true, d.at[0] = 1, d.at_b[0] = 4, d.at_b[1] = 4;
    add(m, &d);
    d.name = "fixed", d.distance = 2;
    add(m, &d);
    place(m, 0, 0, 0, 1, 0.3);
    place(m, 1, 1, 0, 0, -1);
    finish(m);
    CLV_NEAR(m->joint[0].more->distance, 5, 1e-15);
    CLV_NEAR(m->joint[1].more->distance, 2, 0);
    clv_model_destroy(m);

    m = fresh(2);
    d = joint(CLV_JOINT_DISTANCE, "rod", 0, 1);
    d.global = true;
    add(m, &d);
    assert_int_equal(clv_model_finish(m), CLV_ERR_MODEL);
    assert_string_equal(clv_model_error(m)->path, "joints.rod.distance");
    d = joint(CLV_JOINT_PRISMATIC, "guide", 0, 1); /* after a failure the model may still be repaired */
    d.has_q = true, d.q[0] = 0.6;
    add(m, &d);
    assert_int_equal(clv_model_finish(m), CLV_ERR_MODEL); /* a short form has its points where the author put them */
    assert_int_equal(clv_model_error_count(m), 1);
    clv_model_destroy(m);
}

static void offsets_come_from_the_start(void **state)
{
    clv_model *m = fresh(2);
    clv_joint_desc j = joint(CLV_JOINT_REVOLUTE, "j1", CLV_GROUND, 0);
    double q, qd, qdd;
    (void)state;
    j.has_q = true, j.q[0] = 0.4;
    add(m, &j);
    j = joint(CLV_JOINT_REVOLUTE, "j2", CLV_GROUND, 1);
    add(m, &j);
    place(m, 1, 0, 0, 0, 1.1);
    clv_motion_desc x = clv_motion_desc_default();
    x.name = "drive", x.joint = 0, x.rate = 3, x.amplitude = 0.2, x.frequency = 1, x.phase = 0.7;
    assert_int_equal(clv_model_add_motion(m, NULL, &x), CLV_OK);
    clv_coupling_desc c = clv_coupling_desc_default();
    c.name = "gear", c.first = 0, c.second = 1, c.ratio = -2;
    assert_int_equal(clv_model_add_coupling(m, NULL, &c), CLV_OK);
    finish(m);
    clv_motion_at(&m->motion[0], 0, &q, &qd, &qdd);
    CLV_NEAR(q, 0.4, 1e-15);
    CLV_NEAR(m->coupling[0].offset, 1.1 + 0.8, 1e-15);
    clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(start_coordinates_place_bodies_both_ways),
        cmocka_unit_test(every_kind_keeps_its_start_coordinates),
        cmocka_unit_test(short_form_frames_coincide),
        cmocka_unit_test(bodies_nobody_places_start_on_the_global_frame),
        cmocka_unit_test(cut_joints_place_only_when_nothing_else_does),
        cmocka_unit_test(distances_come_from_the_reference_pose),
        cmocka_unit_test(offsets_come_from_the_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
