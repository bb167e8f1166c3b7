/* SPDX-License-Identifier: Apache-2.0
 * Inertia of homogeneous shapes: tables, limits between the kinds, turning; and what a body keeps of its shape. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/shape.h"
#include <math.h>

static clv_shape shape(clv_shape_kind kind, double a, double b, double c)
{
    return (clv_shape){.kind = kind, .size = {a, b, c}, .orientation = {1, 0, 0, 0}};
}

static void check(const clv_shape *s, double mass, double xx, double yy, double zz)
{
    double J[6];
    clv_shape_inertia(J, s, mass);
    assert_true(fabs(J[0] - xx) < 1e-14 && fabs(J[1] - yy) < 1e-14 && fabs(J[2] - zz) < 1e-14);
    assert_true(fabs(J[3]) < 1e-14 && fabs(J[4]) < 1e-14 && fabs(J[5]) < 1e-14);
}

static void moments_are_those_of_the_tables(void **state)
{
    (void)state;
    clv_shape box = shape(CLV_SHAPE_BOX, 1, 2, 3), ball = shape(CLV_SHAPE_SPHERE, 2, 0, 0);
    clv_shape rod = shape(CLV_SHAPE_CYLINDER, 0.5, 2, 0);
    check(&box, 12, 13, 10, 5);
    check(&ball, 5, 8, 8, 8);
    check(&rod, 3, 3 * (0.0625 + 4.0 / 12), 3 * (0.0625 + 4.0 / 12), 0.375);
}

/* A capsule without a tube is a ball; a thin one is nearly a cylinder. */
static void a_capsule_lies_between_ball_and_rod(void **state)
{
    (void)state;
    clv_shape capsule = shape(CLV_SHAPE_CAPSULE, 1, 1e-18, 0);
    check(&capsule, 1, 0.4, 0.4, 0.4);
    clv_shape thin = shape(CLV_SHAPE_CAPSULE, 1e-9, 1, 0), rod = shape(CLV_SHAPE_CYLINDER, 1e-9, 1, 0);
    double J[6], K[6];
    clv_shape_inertia(J, &thin, 1);
    clv_shape_inertia(K, &rod, 1);
    assert_true(fabs(J[0] - K[0]) < 1e-8);
    /* numbers from an integral over slices: radius 1, length 2, mass 1 */
    clv_shape thick = shape(CLV_SHAPE_CAPSULE, 1, 2, 0);
    double zz = 0, xx = 0, mass = 0;
    for (int k = 0; k < 40000; k++) {
        double h = 4.0 / 40000, z = -2 + (k + 0.5) * h, out = fabs(z) - 1, rr = out > 0 ? 1 - out * out : 1;
        mass += rr * h, zz += rr * rr / 2 * h, xx += rr * (rr / 4 + z * z) * h;
    }
    clv_shape_inertia(J, &thick, 1);
    assert_true(fabs(J[0] - xx / mass) < 1e-7 && fabs(J[2] - zz / mass) < 1e-7);
}

static void a_turned_shape_turns_its_inertia(void **state)
{
    (void)state;
    clv_shape box = shape(CLV_SHAPE_BOX, 1, 2, 3);
    double s = sqrt(0.5), J[6];
    box.orientation[0] = box.orientation[2] = s; /* quarter turn about y: x and z change places */
    check(&box, 12, 5, 10, 13);
    box.orientation[0] = cos(0.25), box.orientation[2] = 0, box.orientation[3] = sin(0.25); /* 0.5 rad about z */
    clv_shape_inertia(J, &box, 12);
    assert_true(fabs(J[3] - (13 - 10) * sin(0.5) * cos(0.5)) < 1e-13);
}

static clv_status add(clv_model **m, const clv_shape *s)
{
    clv_body_desc d = clv_body_desc_default();
    d.name = "b";
    d.shape = *s;
    assert_int_equal(clv_model_create(m, "x"), CLV_OK);
    return clv_model_add_body(*m, NULL, &d);
}

/* Numbers from an integral over slices; with one bottom the middle moves. */
static void a_bore_has_the_inertia_of_its_tube(void **state)
{
    (void)state;
    const double R = 0.5, outer = 0.8, length = 2;
    for (int closed = 0; closed < 4; closed++) {
        clv_shape tube = shape(CLV_SHAPE_BORE, R, outer, length);
        tube.closed = closed, tube.at[1] = 3;
        double mass = 0, first = 0, xx = 0, zz = 0, J[6], middle[3];
        for (int k = 0; k < 100000; k++) {
            const double h = 3.0 / 100000, z = -1.5 + (k + 0.5) * h;
            const bool low = z < -1 && z > -1.3 && closed & 1, high = z > 1 && z < 1.3 && closed & 2;
            const bool hole = fabs(z) < 1;
            const double in = hole ? R * R : 0, out = hole || low || high ? outer * outer : 0;
            mass += (out - in) * h, first += (out - in) * z * h;
            zz += (out * out - in * in) / 2 * h, xx += ((out * out - in * in) / 4 + (out - in) * z * z) * h;
        }
        clv_shape_inertia(J, &tube, 2), clv_shape_middle(&tube, middle);
        assert_true(fabs(middle[2] - first / mass) < 1e-4 && middle[1] == 3 && middle[0] == 0);
        assert_true(fabs(J[2] - 2 * zz / mass) < 1e-4);
        assert_true(fabs(J[0] - 2 * (xx / mass - first * first / mass / mass)) < 1e-3 && J[0] == J[1]);
        assert_true(closed != 0 || fabs(J[2] - 2 * (R * R + outer * outer) / 2) < 1e-15);
    }
}

static void a_body_keeps_its_shape(void **state)
{
    (void)state;
    clv_model *m;
    clv_shape ball = shape(CLV_SHAPE_SPHERE, 2, 0, 0);
    assert_int_equal(add(&m, &ball), CLV_OK);
    assert_int_equal(clv_model_body_shape(m, 0)->kind, CLV_SHAPE_SPHERE);
    assert_true(clv_model_body_shape(m, 0)->size[0] == 2);
    assert_null(clv_model_body_shape(m, 1));
    clv_model_destroy(m);
}

static void impossible_shapes_are_refused(void **state)
{
    (void)state;
    clv_model *m;
    clv_shape flat = shape(CLV_SHAPE_BOX, 1, 0, 1), odd = shape((clv_shape_kind)77, 1, 1, 1);
    clv_shape bright = shape(CLV_SHAPE_SPHERE, 1, 0, 0), unturned = bright;
    bright.coloured = true;
    bright.colour[1] = 255;
    unturned.orientation[0] = 0;
    clv_shape inside_out = shape(CLV_SHAPE_BORE, 2, 1, 1), ended = shape(CLV_SHAPE_BORE, 1, 2, 1);
    ended.closed = 4;
    const clv_shape *bad[] = {&flat, &odd, &bright, &unturned, &inside_out, &ended};
    for (int k = 0; k < 6; k++) {
        assert_int_equal(add(&m, bad[k]), CLV_ERR_MODEL);
        clv_model_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_are_those_of_the_tables),
        cmocka_unit_test(a_capsule_lies_between_ball_and_rod),
        cmocka_unit_test(a_turned_shape_turns_its_inertia),
        cmocka_unit_test(a_bore_has_the_inertia_of_its_tube),
        cmocka_unit_test(a_body_keeps_its_shape),
        cmocka_unit_test(impossible_shapes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
