/* SPDX-License-Identifier: Apache-2.0
 * Flexible example: an arm released from the horizontal.  A hub turns about z and carries a flexible tube of 2 m with a
 * payload at its tip; the payload's centre of mass lies beside the tube, so both planes of bending take part. */
#include "base/error.h"
#include "examples/examples.h"
#include <string.h>

clv_beam clv_example_tube(double length, double outer, double inner, double density, double young, double shear)
{
    const clv_beam_section section = clv_beam_tube(outer, inner);
    clv_beam beam = {.length = length};
    beam.mass = density * section.area;
    beam.polar = density * (section.Iy + section.Iz);
    beam.stiffness[CLV_BEAM_BEND_Y] = young * section.Iz;
    beam.stiffness[CLV_BEAM_BEND_Z] = young * section.Iy;
    beam.stiffness[CLV_BEAM_TWIST] = shear * section.It;
    beam.stiffness[CLV_BEAM_STRETCH] = young * section.area;
    return beam;
}

int clv_example_boom(clv_example_build *b, const clv_body_desc *desc, const clv_beam *beam, bool flexible, int *frame)
{
    static const char *const tip[] = {"tip"};
    clv_beam whole = *beam;
    clv_flex_body boom;
    clv_body_desc d = *desc;
    *frame = -1;
    if (b->status != CLV_OK)
        return -1;
    whole.nnode = 1, whole.name = tip, whole.at = &beam->length;
    if (!clv_beam_make(&boom, &whole, 0)) {
        b->status = clv_fail(&b->model->last, CLV_ERR_MEMORY, "out of memory");
        return -1;
    }
    d.mass = boom.mass;
    memcpy(d.com, boom.com, sizeof d.com);
    memcpy(d.inertia, boom.J, sizeof boom.J);
    boom.flex.body = *frame = clv_example_add_body(b, &d);
    int end = *frame;
    if (flexible && b->status == CLV_OK) {
        b->status = clv_model_add_flex(b->model, NULL, &boom.flex);
        end = b->status == CLV_OK ? b->model->flex[b->model->nflex - 1].node[0].body : -1;
    }
    clv_flex_body_close(&boom);
    return end;
}

static void weld(clv_example_build *b, int inboard, int outboard, double x)
{
    clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_FIXED);
    j.a = inboard;
    j.b = outboard;
    j.global = true;
    j.at[0] = x;
    clv_example_add_joint(b, &j);
}

void clv_example_flex_arm(clv_example_build *b, const double *param)
{
    static const double hub_J[3] = {.02, .02, .02}, load_J[3] = {.002, .002, .002};
    static const double origin[3] = {0, 0, 0}, end[3] = {2.1, 0, 0};
    clv_body_desc hub = clv_example_body("hub", 2, hub_J, origin);
    const int h = clv_example_add_body(b, &hub);
    clv_beam tube = clv_example_tube(2, 0.012, 0.010, 2700, 7e10, 2.7e10);
    clv_body_desc d = clv_body_desc_default();
    d.name = "boom", d.placed = true, d.position[0] = 0.1;
    tube.stiffness[CLV_BEAM_STRETCH] = 0; /* no modes */
    clv_beam_share(&tube, (int)param[0]);
    int boom;
    const int tip = clv_example_boom(b, &d, &tube, true, &boom);
    clv_body_desc load = clv_example_body("payload", 0.5, load_J, end);
    load.com[2] = 0.1;
    const int l = clv_example_add_body(b, &load);
    clv_example_hinge(b, CLV_GROUND, h, origin, NULL);
    weld(b, h, boom, 0.1);
    weld(b, tip, l, 2.1);
    clv_example_marker(b, "tip", l, 0, 0, 0);
}
