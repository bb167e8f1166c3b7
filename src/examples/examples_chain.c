/* SPDX-License-Identifier: Apache-2.0
 * Open chains of up to ten million links, for measurements of speed and memory.  A model file of that length would take
 * longer to read than the chain to be made.  Bodies carry their frame at the centre of mass, but for skew chains. */
#include "examples/examples.h"
#include "math/sincos.h"
#include <stdio.h>

/* Links with nothing that is zero or aligned.  The axes are z of joint frames turned about x by -1.1 rad and a quarter
 * turn in alternation; centres of mass lie beside the lines between the joints.  For speed (bench/rates.c). */
static void skew_chain(clv_example_build *b, int n)
{
    for (int i = 0; i < n; ++i) {
        char name[16];
        double c;
        snprintf(name, sizeof name, "B%d", i + 1);
        clv_body_desc d = clv_body_desc_default();
        d.name = name, d.mass = 1;
        d.com[0] = 0.5, d.com[1] = 0.1;
        d.inertia[0] = d.inertia[1] = d.inertia[2] = 1;
        clv_example_add_body(b, &d);
        clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
        j.a = i - 1, j.b = i;
        j.position_a[0] = i > 0;
        clv_sincos(i % 2 ? CLV_PI / 4 : -0.55, &j.orientation_a[1], &j.orientation_a[0]);
        j.has_q = j.has_u = true;
        clv_sincos(1.7 * i + 0.3, &j.q[0], &c);
        j.q[0] *= 3;
        clv_sincos(2.3 * i, &c, &j.u[0]);
        clv_example_add_joint(b, &j);
    }
    clv_example_marker(b, "tip", n - 1, 1, 0, 0);
}

/* Thin links of 1 m along x from the origin; spatial = 1: axes z, y, z, y, ...; 2: as above */
void clv_example_chain(clv_example_build *b, const double *param)
{
    if (param[1] == 2) {
        skew_chain(b, (int)param[0]);
        return;
    }
    static const double J[3] = {0.01, 1.0 / 12, 1.0 / 12}, y[3] = {0, 1, 0};
    int n = (int)param[0];
    bool spatial = param[1] != 0;
    for (int i = 0; i < n; ++i) {
        char name[16];
        const double middle[3] = {i + 0.5, 0, 0}, at[3] = {i, 0, 0};
        snprintf(name, sizeof name, "B%d", i + 1);
        clv_body_desc d = clv_example_body(name, 1, J, middle);
        int body = clv_example_add_body(b, &d);
        clv_example_hinge(b, i - 1, body, at, spatial && i % 2 ? y : NULL);
    }
    clv_example_marker(b, "tip", n - 1, 0.5, 0, 0);
}
