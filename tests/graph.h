/* SPDX-License-Identifier: Apache-2.0
 * Models by graph: bodies at given places, joints between them where they stand, names by number.  Used by the tests of
 * plan and engine and by the laws, which need a topology and care little for the mechanism.  Include after cmocka.h. */
#ifndef CLV_TESTS_GRAPH_H
#define CLV_TESTS_GRAPH_H
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "cleave/cleave.h"

static inline clv_model *graph_create(void)
{
    clv_model *m;
    assert_int_equal(clv_model_create(&m, "graph"), CLV_OK);
    return m;
}

static inline void graph_check(const clv_model *m, clv_status st)
{
    if (st != CLV_OK)
        print_error("%s\n", clv_model_error(m)->message);
    assert_int_equal(st, CLV_OK);
}

/* Body number n of 1 kg at (x, y, z), in a user branch or in none (NULL). */
static inline int graph_body_in(clv_model *m, double x, double y, double z, const char *branch)
{
    clv_body_desc d = clv_body_desc_default();
    char name[24];
    int b;
    snprintf(name, sizeof name, "b%d", clv_model_body_count(m));
    d.name = name, d.branch = branch;
    d.mass = 1;
    d.inertia[0] = 0.05, d.inertia[1] = 0.08, d.inertia[2] = 0.07;
    d.position[0] = x, d.position[1] = y, d.position[2] = z;
    d.placed = true;
    graph_check(m, clv_model_add_body(m, &b, &d));
    return b;
}

static inline int graph_body(clv_model *m, double x, double y, double z) { return graph_body_in(m, x, y, z, NULL); }

/* Joint number n at (x, y, z) with its axis along `axis` (NULL: z), hint as in clv_joint_desc. */
static inline int graph_joint_cut(clv_model *m, clv_joint_kind kind, int a, int b, const double at[3],
                                  const double *axis, int cut)
{
    static const double along_z[3] = {0, 0, 1};
    clv_joint_desc d = clv_joint_desc_default(kind);
    char name[24];
    int j;
    snprintf(name, sizeof name, "j%d", clv_model_joint_count(m));
    d.name = name;
    d.a = a, d.b = b;
    d.global = true;
    memcpy(d.at, at, sizeof d.at), memcpy(d.axis, axis ? axis : along_z, sizeof d.axis);
    d.cut = cut;
    graph_check(m, clv_model_add_joint(m, &j, &d));
    return j;
}

static inline int graph_joint(clv_model *m, clv_joint_kind kind, int a, int b, double x, double y, double z)
{
    const double at[3] = {x, y, z};
    return graph_joint_cut(m, kind, a, b, at, NULL, -1);
}

static inline clv_model *graph_finish(clv_model *m)
{
    graph_check(m, clv_model_finish(m));
    return m;
}

/* Slope of log y over log x by least squares. */
static inline double graph_exponent(const double *x, const double *y, int n)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < n; i++) {
        double a = log(x[i]), b = log(y[i]);
        sx += a, sy += b, sxx += a * a, sxy += a * b;
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

#endif
