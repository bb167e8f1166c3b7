/* SPDX-License-Identifier: Apache-2.0
 * Flexible bodies as data: what add copies, refuses and names; poses of nodes at the start;
 * turns by rotation vectors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "math/rotation.h"
#include "math/turn.h"
#include "model/model.h"
#include "near.h"

#include <math.h>
#include <string.h>

static double one[1] = {2}, three[3] = {1, 2, 3}, nine[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, start[1] = {0.1};
static double shape_a[6] = {1, 2, 3, 0.5, -1, 2}, shape_b[6] = {0, 1, 0, 0, 0, 3};
static clv_flex_node nodes[2] = {
    {.name = "tip", .position = {1, 0, 0}, .orientation = {1, 0, 0, 0}, .shape = shape_a},
    {.name = "mid", .position = {0.5, 0.1, 0}, .orientation = {0.6, 0.8, 0, 0}, .shape = shape_b}};

static clv_flex description(int body)
{
    return (clv_flex){.body = body, .nmode = 1, .nnode = 2, .node = nodes, .K = one, .Mff = one, .S = three, .h = three,
                      .E = nine, .B = nine, .eta = start, .limit = 7};
}

static clv_model *with_frame(const char *branch)
{
    clv_model *m;
    clv_body_desc b = clv_body_desc_default();
    b.name = "boom", b.mass = 1, b.branch = branch;
    assert_int_equal(clv_model_create(&m, "test"), CLV_OK);
    assert_int_equal(clv_model_add_body(m, NULL, &b), CLV_OK);
    return m;
}

static void nodes_are_bodies(void **state)
{
    (void)state;
    clv_model *m = with_frame("arm");
    clv_flex d = description(0);
    int index = -1;
    assert_int_equal(clv_model_add_flex(m, &index, &d), CLV_OK);
    assert_int_equal(index, 0);
    assert_int_equal(m->nbody, 3);
    assert_int_equal(clv_model_find_body(m, "boom.tip"), 1);
    assert_int_equal(clv_model_find_body(m, "boom.mid"), 2);
    assert_int_equal(m->body[0].flex, 0), assert_int_equal(m->body[0].node, -1);
    assert_int_equal(m->body[2].flex, 0), assert_int_equal(m->body[2].node, 1);
    assert_int_equal(m->body[2].branch, 0);
    assert_int_equal(m->flex[0].node[1].body, 2);
    CLV_NEAR(m->body[2].mass, 0, 0);
    CLV_NEAR(m->flex[0].C[0], 0, 0); /* not given: no damping */
    start[0] = 5;
    CLV_NEAR(m->flex[0].eta[0], 0.1, 0); /* copied */
    start[0] = 0.1;
    clv_model_destroy(m);
}

static void what_is_refused(void **state)
{
    (void)state;
    clv_model *m = with_frame(NULL);
    clv_flex d = description(1);
    assert_int_equal(clv_model_add_flex(m, NULL, &d), CLV_ERR_USAGE);
    d = description(0), d.nmode = 0;
    assert_int_equal(clv_model_add_flex(m, NULL, &d), CLV_ERR_USAGE);
    d = description(0), d.limit = NAN;
    assert_int_equal(clv_model_add_flex(m, NULL, &d), CLV_ERR_MODEL);
    three[1] = INFINITY;
    d = description(0);
    assert_int_equal(clv_model_add_flex(m, NULL, &d), CLV_ERR_MODEL);
    three[1] = 2;
    nodes[1].name = "tip"; /* taken */
    assert_int_equal(clv_model_add_flex(m, NULL, &d), CLV_ERR_MODEL);
    nodes[1].name = "mid";
    assert_int_equal(clv_model_add_flex(m, NULL, &d), CLV_ERR_USAGE); /* the failed one left a node behind */
    clv_model_destroy(m);
    m = with_frame(NULL);
    assert_int_equal(clv_model_add_flex(m, NULL, &d), CLV_OK);
    assert_int_equal(clv_model_add_flex(m, NULL, &d), CLV_ERR_USAGE); /* once */
    clv_model_destroy(m);
    assert_int_equal(clv_alloc_live(), 0);
}

/* the frame hangs by its tip on ground: its pose follows from the node's, that of the other node from the frame's */
static void poses_go_through_the_body(void **state)
{
    (void)state;
    clv_model *m = with_frame(NULL);
    clv_flex d = description(0);
    clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_FIXED);
    assert_int_equal(clv_model_add_flex(m, NULL, &d), CLV_OK);
    j.name = "hang", j.b = 1, j.position_a[2] = 4;
    assert_int_equal(clv_model_add_joint(m, NULL, &j), CLV_OK);
    assert_int_equal(clv_model_finish(m), CLV_OK);
    double at[3], R[9], theta[3], F[9], N[9], x[3];
    clv_flex_node_pose(&m->flex[0], &m->flex[0].node[0], m->flex[0].eta, at, R, theta);
    CLV_NEAR(at[0], 1.1, 1e-15), CLV_NEAR(at[2], 0.3, 1e-15), CLV_NEAR(theta[1], -0.1, 1e-15);
    clv_quat_rotation(F, m->body[0].e), clv_quat_rotation(N, m->body[1].e);
    clv_mat3_times(x, F, at);
    CLV_NEAR(m->body[0].r[2] + x[2], 4, 1e-14);
    clv_mat3_product(N, F, R);
    for (int i = 0; i < 9; i++)
        CLV_NEAR(N[i], i % 4 == 0, 1e-14);
    clv_flex_node_pose(&m->flex[0], &m->flex[0].node[1], m->flex[0].eta, at, R, NULL);
    clv_mat3_times(x, F, at);
    for (int i = 0; i < 3; i++)
        CLV_NEAR(m->body[2].r[i], m->body[0].r[i] + x[i], 1e-14);
    clv_model_destroy(m);
}

/* E against the quaternion's; T against differences of E; its rate against differences of T;
 * both forms meet at |theta| = 2 */
static void turns(void **state)
{
    (void)state;
    static const double size[] = {0, 1e-9, 1e-3, 0.4, 1.9999999, 2.0000001, 3.5};
    const double n[3] = {0.48, -0.6, 0.64}, td[3] = {0.3, 0.7, -0.2}, step = 1e-5;
    for (size_t c = 0; c < sizeof size / sizeof *size; c++) {
        double t[3], e[4], E[9], R[9], T[9], Td[9], near[2][9], nearT[2][9], Ed[9], W[9], w[3];
        for (int i = 0; i < 3; i++)
            t[i] = size[c] * n[i];
        const clv_turn at = clv_turn_at(t);
        clv_turn_matrix_at(E, &at), clv_turn_jacobian_at(T, &at), clv_turn_jacobian_rate_at(Td, &at, td);
        clv_quat_exp(e, t), clv_quat_rotation(R, e);
        for (int i = 0; i < 9; i++)
            CLV_NEAR(E[i], R[i], 1e-15);
        for (int s = 0; s < 2; s++) {
            double x[3];
            for (int i = 0; i < 3; i++)
                x[i] = t[i] + (s ? -step : step) * td[i];
            const clv_turn beside = clv_turn_at(x);
            clv_turn_matrix_at(near[s], &beside), clv_turn_jacobian_at(nearT[s], &beside);
        }
        for (int i = 0; i < 9; i++) {
            Ed[i] = (near[0][i] - near[1][i]) / (2 * step);
            CLV_NEAR((nearT[0][i] - nearT[1][i]) / (2 * step), Td[i], 1e-9);
        }
        clv_mat3_product_transpose(W, Ed, E);
        clv_mat3_times(w, T, td);
        CLV_NEAR(W[7], w[0], 1e-9), CLV_NEAR(W[2], w[1], 1e-9), CLV_NEAR(W[3], w[2], 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nodes_are_bodies), cmocka_unit_test(what_is_refused),
                                       cmocka_unit_test(poses_go_through_the_body), cmocka_unit_test(turns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
