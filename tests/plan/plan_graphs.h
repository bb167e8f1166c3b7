/* SPDX-License-Identifier: Apache-2.0
 * Models whose graph is a chain, star, flower, ladder, net or ring; row_of adds a row of links to a model. */
#ifndef PLAN_GRAPHS_H
#define PLAN_GRAPHS_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include "graph.h"

/* n bodies in a row from `from` (a body or ground) with the first joint at (x, y); returns the last body */
static inline int row_of(clv_model *m, int from, int n, double x, double y, const char *branch)
{
    for (int i = 0; i < n; i++) {
        int b = graph_body_in(m, x + i + 0.5, y, 0, branch);
        graph_joint(m, CLV_JOINT_REVOLUTE, from, b, x + i, y, 0);
        from = b;
    }
    return from;
}

static inline clv_model *chain(int n)
{
    clv_model *m = graph_create();
    row_of(m, CLV_GROUND, n, 0, 0, NULL);
    return graph_finish(m);
}

static inline clv_model *star(int n)
{
    clv_model *m = graph_create();
    int hub = row_of(m, CLV_GROUND, 1, 0, 0, NULL);
    for (int i = 0; i < n; i++)
        row_of(m, hub, 2, 1, i, NULL);
    return graph_finish(m);
}

/* loops of three bodies that start and end on one hub */
static inline clv_model *flower(int n)
{
    clv_model *m = graph_create();
    int hub = row_of(m, CLV_GROUND, 1, 0, 0, NULL);
    for (int i = 0; i < n; i++) {
        int tip = row_of(m, hub, 3, 1, i, NULL);
        graph_joint(m, CLV_JOINT_REVOLUTE, tip, hub, 4, i, 0);
    }
    return graph_finish(m);
}

/* bars b0, b1, ... on ground, neighbours joined at their tops by a rung: n windows, pinned to ground everywhere */
static inline clv_model *ladder(int n)
{
    clv_model *m = graph_create();
    int last = -1;
    for (int i = 0; i <= n; i++) {
        int post = graph_body(m, i, 0.5, 0);
        graph_joint(m, CLV_JOINT_REVOLUTE, CLV_GROUND, post, i, 0, 0);
        if (i > 0) {
            int rung = graph_body(m, i - 0.5, 1, 0);
            graph_joint(m, CLV_JOINT_REVOLUTE, last, rung, i - 1, 1, 0);
            graph_joint(m, CLV_JOINT_REVOLUTE, rung, post, i, 1, 0);
        }
        last = post;
    }
    return graph_finish(m);
}

/* n x n bodies, neighbours joined, one corner on ground */
static inline clv_model *net(int n, clv_joint_kind along, clv_joint_kind across)
{
    clv_model *m = graph_create();
    for (int i = 0; i < n * n; i++)
        graph_body(m, i % n, i / n, 0);
    graph_joint(m, CLV_JOINT_SPHERICAL, CLV_GROUND, 0, -0.5, 0, 0);
    for (int i = 0; i < n * n; i++) {
        if (i % n + 1 < n)
            graph_joint(m, along, i, i + 1, i % n + 0.5, i / n, 0);
        if (i / n + 1 < n)
            graph_joint(m, across, i, i + n, i % n, i / n + 0.5, 0);
    }
    return graph_finish(m);
}

static inline clv_model *ring(int n)
{
    clv_model *m = graph_create();
    for (int i = 0; i < n; i++)
        graph_body(m, i + 0.5, 0, 0);
    for (int i = 0; i < n; i++)
        graph_joint(m, CLV_JOINT_REVOLUTE, i, (i + 1) % n, i, 0, 0);
    return graph_finish(m);
}

#endif
