/* SPDX-License-Identifier: Apache-2.0
 * Tendons of a robot as forces of the model (T114), and what actuators do along them. */
#include "io/import.h"
#include "math/rotation.h"

/* The force of that name along its course, in the model; -1: after an error. */
static int make(clv_import *I, const clv_cord *c, clv_force_desc d, const char *name)
{
    clv_path_point point[CLV_COUPLING_MOST];
    clv_coupling_term term[CLV_COUPLING_MOST];
    clv_frame f;
    double q[4];
    int index = -1;
    clv_frame_identity(&f);
    for (int i = 0; i < c->n && c->path; i++) {
        clv_copy3(f.p, c->point[i]);
        point[i].body = clv_robot_body(I, c->of[i], &f, point[i].position, q);
    }
    for (int i = 0; i < c->n && !c->path; i++)
        term[i] = (clv_coupling_term){I->rod[c->of[i]].joint, c->factor[i]};
    clv_tidy_load(&d);
    d.name = name;
    d.npoint = c->path ? c->n : 0, d.path = point;
    d.nterm = c->path ? 0 : c->n, d.term = term;
    if (!name || !clv_robot_made(I, clv_model_add_force(I->m, &index, &d), c->node))
        return -1;
    I->m->force[index].place = clv_robot_place(I, c->node);
    return index;
}

/* spring and damper; a range of lengths without force is one of two stops */
static void make_own(clv_import *I, clv_cord *c)
{
    const bool slack = c->stiffness > 0 && c->slack[0] < c->slack[1];
    clv_force_desc d = clv_force_desc_default(CLV_FORCE_TENDON), limits = d;
    d.damping = c->damping;
    if (slack)
        d.stop.lower = c->slack[0], d.stop.upper = c->slack[1], d.stop.stiffness = c->stiffness;
    else
        d.stiffness = c->stiffness, d.rest = c->stiffness > 0 ? c->slack[0] : 0;
    if (c->acted || c->stiffness > 0 || c->damping > 0)
        c->force = make(I, c, d, c->name);
    if (!c->stops)
        return;
    clv_robot_stop(I, c->bound, &limits.stop);
    make(I, c, limits, clv_import_text(I, "%s.limits", c->name));
}

void clv_robot_tendons(clv_import *I)
{
    for (size_t i = 0; i < I->ncord; i++)
        if (I->cord[i].n > 0)
            make_own(I, &I->cord[i]);
}

void clv_robot_tendon_servo(clv_import *I, const clv_servo *s)
{
    clv_force_desc d = clv_force_desc_default(CLV_FORCE_TENDON);
    d.stiffness = s->stiffness, d.damping = s->damping, d.rest = s->rest, d.drive = s->drive;
    make(I, &I->cord[s->cord], d, s->name);
}
