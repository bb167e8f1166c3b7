/* SPDX-License-Identifier: Apache-2.0
 * Forces in a model file, one line each, see yaml_write_text.h: vectors, joint loads, springs, bushings, tendons, drag.
 * Contacts are in yaml_write_contact.c.  Called by yaml_write.c. */
#include "io/yaml_write_text.h"
#include "model/force.h"
#include <math.h>

void clv_write_body_name(clv_writer *w, int body)
{
    clv_write_item_name(w, body == CLV_GROUND ? "ground" : w->m->body[body].name);
}

static void write_between(clv_writer *w, const clv_force *f)
{
    clv_write(w, ", between: [");
    clv_write_body_name(w, f->a);
    clv_write(w, ", ");
    clv_write_body_name(w, f->b);
    clv_write(w, "]");
}

/* Body, vector and its axes, factor: forces and torques. */
static void write_vector(clv_writer *w, const clv_force *f)
{
    clv_write_key(w, "body");
    clv_write_body_name(w, f->b);
    if (f->kind == CLV_FORCE_POINT)
        clv_write_list_unless_zero(w, "point", f->point_b, 3);
    clv_write_list_key(w, "vector", f->vector, 3);
    if (f->in_body)
        clv_write(w, ", frame: body");
    if (f->table.n > 0)
        clv_write_table(w, "table", &f->table);
}

static void write_stop(clv_writer *w, const clv_stop *x)
{
    if (!(x->stiffness > 0) && !clv_stop_rigid(x))
        return;
    clv_write_number_key(w, "lower", x->lower, -INFINITY);
    clv_write_number_key(w, "upper", x->upper, INFINITY);
    if (clv_stop_rigid(x)) {
        clv_write_number_key(w, "stop_restitution", x->restitution, NAN);
        return;
    }
    clv_write_number_key(w, "stop_stiffness", x->stiffness, NAN);
    clv_write_number_key(w, "stop_dissipation", x->dissipation, 0);
    clv_write_number_key(w, "stop_exponent", x->exponent, 1);
}

static void write_bearing(clv_writer *w, const clv_bearing *b)
{
    clv_write_number_key(w, "friction_coefficient", b->coefficient, 0);
    clv_write_number_key(w, "static_coefficient", b->static_coefficient, b->coefficient);
    clv_write_number_key(w, "pin_radius", b->radius, 0);
    clv_write_number_key(w, "collar_radius", b->collar, 0);
    clv_write_number_key(w, "bearing_span", b->span, 0);
}

static void write_drive(clv_writer *w, const clv_force *f)
{
    if (f->table.n > 0)
        clv_write_table(w, "drive", &f->table);
    else
        clv_write_number_key(w, "drive", f->drive, 0);
}

static void write_joint_load(clv_writer *w, const clv_force *f)
{
    clv_write_key(w, "joint");
    clv_write_item_name(w, w->m->joint[f->joint].name);
    clv_write_number_key(w, "coordinate", f->coordinate, 0);
    clv_write_number_key(w, "stiffness", f->stiffness, 0);
    clv_write_number_key(w, "damping", f->damping, 0);
    clv_write_number_key(w, "rest", f->rest, 0);
    write_drive(w, f);
    if (f->spring.n > 0)
        clv_write_table(w, "spring_table", &f->spring);
    if (f->damper.n > 0)
        clv_write_table(w, "damper_table", &f->damper);
    clv_write_number_key(w, "effort_limit", f->limit, 0);
    write_stop(w, &f->stop);
    if (f->bearing.static_coefficient > 0)
        write_bearing(w, &f->bearing);
    if (f->friction.breakaway > 0) {
        clv_write_number_key(w, "friction", f->friction.sliding, 0);
        clv_write_number_key(w, "breakaway", f->friction.breakaway, f->friction.sliding);
    }
    if (f->friction.breakaway > 0 || f->bearing.static_coefficient > 0) {
        clv_write_number_key(w, "stribeck_speed", f->friction.stribeck_speed, NAN);
        clv_write_number_key(w, "stiction_speed", f->friction.stiction_speed, NAN);
    }
}

static void write_points(clv_writer *w, const clv_force *f)
{
    write_between(w, f);
    if (!clv_all_zero(f->point_a, 3) || !clv_all_zero(f->point_b, 3)) {
        clv_write_key(w, "points");
        clv_write(w, "[");
        clv_write_numbers(w, f->point_a, 3);
        clv_write(w, ", ");
        clv_write_numbers(w, f->point_b, 3);
        clv_write(w, "]");
    }
}

static void write_spring(clv_writer *w, const clv_force *f)
{
    write_points(w, f);
    clv_write_number_key(w, "stiffness", f->stiffness, 0);
    clv_write_number_key(w, "damping", f->damping, 0);
    clv_write_number_key(w, "length", f->rest, 0);
    write_stop(w, &f->stop);
}

static void write_orientation(clv_writer *w, const char *key, const double e[4])
{
    if (e[0] == 1)
        return;
    clv_write_key(w, key);
    clv_write_numbers(w, e, 4);
}

static void write_bushing(clv_writer *w, const clv_force *f)
{
    const clv_bushing *g = &f->bushing;
    write_points(w, f);
    write_orientation(w, "orientation_a", g->orientation_a);
    write_orientation(w, "orientation_b", g->orientation_b);
    clv_write_list_unless_zero(w, "stiffness", g->stiffness, 3);
    clv_write_list_unless_zero(w, "rotational_stiffness", g->stiffness + 3, 3);
    clv_write_list_unless_zero(w, "damping", g->damping, 3);
    clv_write_list_unless_zero(w, "rotational_damping", g->damping + 3, 3);
    clv_write_list_unless_zero(w, "preload", g->preload, 3);
    clv_write_list_unless_zero(w, "rotational_preload", g->preload + 3, 3);
}

void clv_write_terms(clv_writer *w, const clv_coupling_term *term, int n)
{
    clv_write_key(w, "of");
    clv_write(w, "{");
    for (int i = 0; i < n; ++i) {
        clv_write(w, "%s", i ? ", " : "");
        clv_write_item_name(w, w->m->joint[term[i].joint].name);
        clv_write(w, ": ");
        clv_write_one(w, term[i].factor);
    }
    clv_write(w, "}");
}

static void write_tendon(clv_writer *w, const clv_force *f)
{
    if (f->nterm > 0)
        clv_write_terms(w, f->term, f->nterm);
    else {
        clv_write_key(w, "path");
        for (int i = 0; i < f->npoint; ++i) {
            clv_write(w, "%s[", i ? ", " : "[");
            clv_write_body_name(w, f->path[i].body);
            clv_write(w, ", ");
            clv_write_numbers(w, f->path[i].position, 3);
            clv_write(w, "]");
        }
        clv_write(w, "]");
    }
    clv_write_number_key(w, "stiffness", f->stiffness, 0);
    clv_write_number_key(w, "damping", f->damping, 0);
    clv_write_number_key(w, "length", f->rest, 0);
    write_drive(w, f);
    write_stop(w, &f->stop);
}

static void write_drag(clv_writer *w, const clv_force *f)
{
    static const char *const frame[CLV_DRAG_FRAMES] = {"flow", "body", "global"};
    clv_write_key(w, "body");
    clv_write_body_name(w, f->b);
    clv_write_list_unless_zero(w, "point", f->point_b, 3);
    clv_write_key(w, "frame");
    clv_write(w, "%s", frame[f->drag.frame]);
    clv_write_list_unless_zero(w, "linear", f->drag.linear, 3);
    clv_write_list_unless_zero(w, "rotational_linear", f->drag.linear + 3, 3);
    clv_write_list_unless_zero(w, "quadratic", f->drag.quadratic, 3);
    clv_write_list_unless_zero(w, "rotational_quadratic", f->drag.quadratic + 3, 3);
    clv_write_list_unless_zero(w, "fluid", f->drag.fluid, 3);
}

void clv_write_force(clv_writer *w, const clv_force *f)
{
    static const char *const kind[CLV_FORCE_KINDS] = {"force",         "torque",         "joint-load",
                                                      "spring-damper", "angular-damper", NULL,
                                                      "bushing",       "contact",        "tendon",
                                                      "drag",         "contacts"};
    if (!kind[f->kind]) {
        w->status = CLV_ERR_UNSUPPORTED;
        return;
    }
    clv_write_open(w, 2, f->name);
    clv_write_key(w, "kind");
    clv_write(w, "%s", kind[f->kind]);
    if (f->kind == CLV_FORCE_POINT || f->kind == CLV_FORCE_TORQUE)
        write_vector(w, f);
    else if (f->kind == CLV_FORCE_JOINT)
        write_joint_load(w, f);
    else if (f->kind == CLV_FORCE_SPRING)
        write_spring(w, f);
    else if (f->kind == CLV_FORCE_BUSHING)
        write_bushing(w, f);
    else if (f->kind == CLV_FORCE_CONTACT)
        write_between(w, f), clv_write_contact(w, f);
    else if (f->kind == CLV_FORCE_TENDON)
        write_tendon(w, f);
    else if (f->kind == CLV_FORCE_DRAG)
        write_drag(w, f);
    else if (f->kind == CLV_FORCE_CONTACTS)
        clv_write_contact(w, f);
    else {
        write_between(w, f);
        clv_write_number_key(w, "damping", f->damping, NAN);
    }
    clv_write_close(w);
}
