/* SPDX-License-Identifier: Apache-2.0
 * Branches of the user become parts of the plan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include "oracle/random_system.h"
#include "plan_graphs.h"
#include "plan_laws.h"

/* is some part exactly these bodies, limbs that fold into it included?  (or, without any port, a tree that no edge
 * touches) */
static bool branch_is_a_part(const clv_plan *p, int branch)
{
    int *strand = numbers(p->nbody, -1), *up = numbers(p->npart, -1), *host = numbers(p->nstrand, -1);
    bool found = false;
    for (int k = 0; k < p->nstrand; k++)
        for (int i = 0; i < p->strand[k].length; i++)
            strand[p->bodies[p->strand[k].first + i]] = k;
    for (int k = 0; k < p->npart; k++)
        for (int c = 0; c < 2; c++)
            if (p->part[k].child[c] >= 0)
                up[p->part[k].child[c]] = k;
    for (int k = 0; k < p->nstrand; k++)
        for (host[k] = k; p->strand[host[k]].base == CLV_BASE_FOLD;)
            host[k] = strand[p->tree[p->bodies[p->strand[host[k]].first]].parent];
    bool alone = true;
    for (int b = 0; b < p->nbody; b++)
        alone &= p->model->body[b].branch != branch || p->strand[host[strand[b]]].part < 0;
    for (int part = 0; part < p->npart && !found; part++) {
        found = true;
        for (int b = 0; b < p->nbody; b++) {
            int k = p->strand[host[strand[b]]].part;
            while (k >= 0 && k != part)
                k = up[k];
            found &= (k == part) == (p->model->body[b].branch == branch);
        }
    }
    free(strand), free(up), free(host);
    return found || alone;
}

static void check_branches(const clv_model *m)
{
    static const clv_plan_options option[3] = {
        {.target = 0, .edges = false}, {.target = 2, .edges = false}, {.target = 0, .edges = true}};
    for (int o = 0; o < 3; o++) {
        clv_plan *p = plan_with(m, option[o]);
        check_plan(p);
        for (int k = 0; k < m->nbranch; k++)
            assert_true(branch_is_a_part(p, k));
        clv_plan_destroy(p);
    }
}

static void user_branches_are_nodes(void **state)
{
    (void)state;
    clv_model *m = graph_create(); /* one chain in four named pieces */
    static const char *const name[4] = {"shoulder", "upper", "lower", "hand"};
    int tip = CLV_GROUND;
    for (int k = 0; k < 4; k++)
        tip = row_of(m, tip, 3 + k, 10 * k, 0, name[k]);
    check_branches(graph_finish(m));
    clv_model_destroy(m);
    m = graph_create(); /* tree: trunk, three limbs, twigs inside one of them; half the bodies in no branch */
    int trunk = row_of(m, CLV_GROUND, 4, 0, 0, "trunk"), limb = row_of(m, trunk, 5, 4, 1, "limb");
    row_of(m, limb - 2, 3, 4, 2, "limb"), row_of(m, limb - 3, 1, 4, 3, "limb");
    row_of(m, trunk - 1, 6, 4, 4, NULL), row_of(m, trunk, 6, 4, 5, "other");
    check_branches(graph_finish(m));
    clv_model_destroy(m);
}

static void user_branches_with_loops_are_nodes(void **state)
{
    (void)state;
    clv_model *m =
        graph_create(); /* a loop inside a branch, a loop through two branches, one from a branch to ground */
    int a = row_of(m, CLV_GROUND, 6, 0, 0, "left"), b = row_of(m, CLV_GROUND, 7, 0, 1, "right");
    graph_joint(m, CLV_JOINT_REVOLUTE, a, a - 4, 6, 0, 0);
    graph_joint(m, CLV_JOINT_SPHERICAL, a, b, 6, 0.5, 0);
    graph_joint(m, CLV_JOINT_SPHERICAL, b - 2, CLV_GROUND, 6, 1, 0);
    int c = row_of(m, b, 4, 9, 1, "tool");
    graph_joint(m, CLV_JOINT_SPHERICAL, c, a - 1, 9, 0, 0);
    check_branches(graph_finish(m));
    clv_model_destroy(m);
    m = graph_create(); /* a ladder named in three lengths of windows */
    static const char *const name[3] = {"near", "middle", "far"};
    int last = -1;
    for (int i = 0; i <= 30; i++) {
        const char *part = name[i / 11];
        int post = graph_body_in(m, i, 0.5, 0, part);
        graph_joint(m, CLV_JOINT_REVOLUTE, CLV_GROUND, post, i, 0, 0);
        if (i > 0) {
            int rung = graph_body_in(m, i - 0.5, 1, 0, part);
            graph_joint(m, CLV_JOINT_REVOLUTE, last, rung, i - 1, 1, 0);
            graph_joint(m, CLV_JOINT_REVOLUTE, rung, post, i, 1, 0);
        }
        last = post;
    }
    check_branches(graph_finish(m));
    clv_model_destroy(m);
}

/* connected parts of random graphs as branches; one body in six begins a new one, or none */
static void random_branches_are_nodes(void **state)
{
    (void)state;
    random_stream s = {5};
    for (int k = 0; k < 300; k++) {
        clv_model *m = graph_create();
        int n = 2 + random_index(&s, 40), extra = random_index(&s, 12), label[64], labels = 0;
        int from[64];
        for (int i = 0; i < n; i++) {
            char name[16];
            from[i] = random_index(&s, i + 1) - 1;
            label[i] = from[i] >= 0 && !random_chance(&s, 0.16) ? label[from[i]]
                       : random_chance(&s, 0.3)                 ? -1
                                                                : labels++;
            snprintf(name, sizeof name, "part%d", label[i]);
            graph_body_in(m, i, 0, 0, label[i] < 0 ? NULL : name);
        }
        for (int i = 0; i < n + extra; i++) {
            int b = i < n ? i : random_index(&s, n), a = i < n ? from[i] : random_index(&s, n + 1) - 1;
            if (a != b)
                graph_joint(m, random_chance(&s, 0.5) ? CLV_JOINT_REVOLUTE : CLV_JOINT_SPHERICAL, a, b, i, 0, 0);
        }
        check_branches(graph_finish(m));
        clv_model_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(user_branches_are_nodes),
        cmocka_unit_test(user_branches_with_loops_are_nodes),
        cmocka_unit_test(random_branches_are_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
