/* SPDX-License-Identifier: Apache-2.0
 * Rows of closings that planar loops meet by themselves (T168): which they are, and that nothing else is left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include "base/error.h"
#include "graph.h"
#include "plan/plan.h"

enum { LINKS = 4 };

/* links from ground to ground, joints of these kinds; axes and the axis of the last joint as given */
static clv_model *loop(const clv_joint_kind *kind, const double axis[3], const double last[3])
{
    clv_model *m = graph_create();
    for (int i = 0, from = CLV_GROUND; i <= LINKS; i++) {
        const double at[3] = {axis[0] == 0 ? i : 0.1, axis[1] == 0 ? 0.3 * i * i : 0.2, axis[2] == 0 ? i : 0.3};
        const int to = i < LINKS ? graph_body(m, at[0] + 0.2, at[1] + 0.1, at[2]) : CLV_GROUND;
        graph_joint_cut(m, kind[i], from, to, at, i < LINKS ? axis : last, i == LINKS ? 1 : -1);
        from = to;
    }
    return graph_finish(m);
}

/* rows of the closing joint that are not carried */
static void idle(clv_model *m, unsigned rows)
{
    clv_plan *p;
    clv_error e = {0};
    assert_int_equal(clv_plan_create(&p, m, &(clv_plan_options){.carry = true}, &e), CLV_OK);
    int count = 0, found = 0;
    assert_non_null(p->carry);
    for (int i = 0; i < p->nedge; i++)
        if (clv_edge_closes(&p->edge[i])) {
            assert_int_equal(p->edge[i].idle, rows);
            found++;
            for (int r = 0; r < p->edge[i].m; r++)
                count += !clv_edge_carries(&p->edge[i], r);
        }
    assert_int_equal(found, 1);
    assert_int_equal(p->carry->nidle, count);
    assert_int_equal(p->carry->front[0].nout, p->nclosing_row - count);
    clv_plan_destroy(p), clv_model_destroy(m);
}

#define R CLV_JOINT_REVOLUTE
#define P CLV_JOINT_PRISMATIC
#define F CLV_JOINT_FIXED
#define S CLV_JOINT_SPHERICAL
static const clv_joint_kind hinges[LINKS + 1] = {R, R, R, R, R};
static const double X[3] = {1, 0, 0}, Y[3] = {0, 1, 0}, Z[3] = {0, 0, 1};

static void loops_in_coordinate_planes(void **state)
{
    (void)state;
    idle(loop(hinges, X, X), 0x19), idle(loop(hinges, Y, Y), 0x1a), idle(loop(hinges, Z, Z), 0x1c);
}

static void fixed_joints_keep_the_moment_about_the_normal(void **state)
{
    (void)state;
    static const clv_joint_kind kind[LINKS + 1] = {R, R, R, R, F};
    idle(loop(kind, Z, Z), 0x1c), idle(loop(kind, X, X), 0x19);
}

static void other_loops_keep_their_rows(void **state)
{
    (void)state;
    static const clv_joint_kind ball[LINKS + 1] = {R, S, R, R, R}, slide[LINKS + 1] = {R, R, P, R, R};
    const double tilted[3] = {0, 0.6, 0.8}, nearly[3] = {1e-9, 0, 1};
    idle(loop(hinges, tilted, tilted), 0), idle(loop(hinges, Z, nearly), 0), idle(loop(ball, Z, Z), 0);
    idle(loop(slide, Z, Z), 0); /* along z: it leaves the plane */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(loops_in_coordinate_planes),
                                       cmocka_unit_test(fixed_joints_keep_the_moment_about_the_normal),
                                       cmocka_unit_test(other_loops_keep_their_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
