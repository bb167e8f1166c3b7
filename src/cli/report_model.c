/* SPDX-License-Identifier: Apache-2.0
 * The mechanism of a page as JSON: what the viewer needs to draw bodies, joints, springs, tendons and markers.  Poses
 * of the frames are those of centres of mass; points here are in body axes from the body frame. */
#include "cli/report.h"
#include "model/curve.h"
#include "model/faces.h"
#include "model/group.h"
#include "model/joint.h"
#include "model/model.h"
#include "model/shape.h"
#include "simulation/division.h"
#include <math.h>
#include <string.h>

/* The double next to nine decimal digits of x; 0 below 1e-13. */
static double nine_digits(double x)
{
    if (!(fabs(x) >= 1e-13) || !isfinite(x))
        return 0;
    const double ten = floor(log10(fabs(x))), unit = pow(10, fabs(8 - ten));
    return ten <= 8 ? rint(x * unit) / unit : rint(x / unit) * unit;
}

void clv_report_lengths(clv_json *j, const char *key, const double *x, int n)
{
    clv_json_array(j, key);
    for (int i = 0; i < n; ++i)
        clv_json_number(j, NULL, nine_digits(x[i]));
    clv_json_end(j);
}

/* ---------------------------------------------------------------- bodies */

void clv_report_shape(clv_json *j, const clv_shape *shape)
{
    const clv_shape drawn = clv_shape_drawn(shape), *s = &drawn;
    if (s->kind != CLV_SHAPE_NONE) {
        clv_json_text(j, "kind", clv_shape_table[s->kind].name);
        clv_report_lengths(j, "size", s->size, clv_shape_table[s->kind].nsize);
    }
    clv_report_lengths(j, "at", s->at, 3);
    clv_report_lengths(j, "orientation", s->orientation, 4);
    if (s->coloured)
        clv_report_lengths(j, "colour", s->colour, 3);
}

/* Points of a hull or bore about the middle of its box, and its triangles; nothing where memory is short. */
static void faces_json(clv_json *j, const clv_body *b)
{
    clv_faces f;
    if (clv_faces_make(&f, b->shape, b->hull)) {
        clv_json_array(j, "points");
        for (int i = 0; i < 3 * f.npoint; ++i)
            clv_json_number(j, NULL, nine_digits(f.point[i]));
        clv_json_end(j);
        clv_json_array(j, "corners");
        for (int i = 0; i < f.ncorner; ++i)
            clv_json_integer(j, NULL, f.corner[i]);
        clv_json_end(j);
    }
    clv_faces_release(&f);
}

static void shape_json(clv_json *j, const clv_body *b)
{
    if (b->shape->kind == CLV_SHAPE_NONE)
        return;
    clv_json_object(j, "shape");
    clv_report_shape(j, b->shape);
    if (clv_faces_has(b->shape))
        faces_json(j, b);
    clv_json_end(j);
}

static void points_json(clv_json *j, const clv_model *m, const clv_report_points *p, int body)
{
    double all[3 * CLV_REPORT_POINTS];
    clv_report_lengths(j, "points", all, 3 * clv_report_points_of(m, p, body, all));
}

/* A node of a flexible body; its poses are of the node frame itself. */
static void node_json(clv_json *j, const clv_report *r, const clv_body *b)
{
    const clv_flex *flex = &r->model->flex[b->flex];
    clv_json_integer(j, "node_of", r->place[flex->body]);
    clv_report_lengths(j, "rest", flex->node[b->node].position, 3);
    clv_report_lengths(j, "turned", flex->node[b->node].orientation, 4);
}

static void bodies_json(clv_json *j, const clv_report *r, const clv_report_points *p)
{
    clv_json_array(j, "bodies");
    for (int i = 0; i < r->nshown; ++i) {
        const clv_body *b = &r->model->body[r->shown[i]];
        clv_json_object(j, NULL);
        clv_json_text(j, "name", b->name);
        clv_json_number(j, "mass", b->mass);
        clv_report_lengths(j, "com", b->com, 3);
        if (b->node >= 0)
            node_json(j, r, b);
        else if (b->flex >= 0)
            clv_json_bool(j, "flexible", true);
        shape_json(j, b);
        points_json(j, r->model, p, r->shown[i]);
        clv_json_end(j);
    }
    clv_json_end(j);
}

/* ---------------------------------------------------------------- joints, springs, markers */

/* Number of a body in the page; -1 ground, -2 not shown. */
static int place(const clv_report *r, int body)
{
    return body == CLV_GROUND ? -1 : r->place[body] >= 0 ? r->place[body] : -2;
}

/* Components of force and torque that the motion does not determine at the start, if there are any. */
static void open_json(clv_json *j, const clv_report *r, int joint)
{
    clv_joint_result now;
    if (clv_sim_joint(r->sim, joint, &now) != CLV_OK)
        return;
    bool all = true;
    for (int k = 0; k < 6; ++k)
        all = all && now.unique[k];
    if (all)
        return;
    clv_json_array(j, "unique");
    for (int k = 0; k < 6; ++k)
        clv_json_bool(j, NULL, now.unique[k]);
    clv_json_end(j);
}

/* The curve on which a joint keeps a point, in the frame of a. */
static void curve_json(clv_json *j, const clv_curve *curve)
{
    int n;
    const double *x = clv_curve_samples(curve, &n);
    clv_report_lengths(j, "curve", x, 3 * n);
    clv_json_bool(j, "closed", clv_curve_closed(curve));
}

static void joints_json(clv_json *j, const clv_report *r)
{
    clv_json_array(j, "joints");
    for (int i = 0; i < r->model->njoint; ++i) {
        const clv_joint *k = &r->model->joint[i];
        if (place(r, k->a) < -1 || place(r, k->b) < -1)
            continue;
        clv_json_object(j, NULL);
        clv_json_text(j, "name", k->name);
        clv_json_text(j, "kind", clv_joint_table[k->kind].name);
        clv_json_integer(j, "a", place(r, k->a));
        clv_json_integer(j, "b", place(r, k->b));
        clv_report_lengths(j, "pa", k->pa, 3);
        clv_report_lengths(j, "Ea", k->Ea, 9);
        clv_report_lengths(j, "pb", k->pb, 3);
        clv_report_lengths(j, "Eb", k->Eb, 9);
        if (k->more->curve)
            curve_json(j, k->more->curve);
        clv_json_bool(j, "loop", clv_division_closing(r->sim, i));
        clv_json_bool(j, "redundant", clv_sim_joint_redundant(r->sim, i));
        open_json(j, r, i);
        clv_json_end(j);
    }
    clv_json_end(j);
}

static void springs_json(clv_json *j, const clv_report *r)
{
    clv_json_array(j, "springs");
    for (int i = 0; i < r->model->nforce; ++i) {
        const clv_force *f = &r->model->force[i];
        if (f->kind != CLV_FORCE_SPRING || place(r, f->a) < -1 || place(r, f->b) < -1)
            continue;
        clv_json_object(j, NULL);
        clv_json_text(j, "name", f->name);
        clv_json_integer(j, "a", place(r, f->a));
        clv_json_integer(j, "b", place(r, f->b));
        clv_report_lengths(j, "pa", f->point_a, 3);
        clv_report_lengths(j, "pb", f->point_b, 3);
        clv_json_end(j);
    }
    clv_json_end(j);
}

/* Tendons over points. */
static void ropes_json(clv_json *j, const clv_report *r)
{
    clv_json_array(j, "ropes");
    for (int i = 0; i < r->model->nforce; ++i) {
        const clv_force *f = &r->model->force[i];
        bool shown = f->npoint > 0;
        for (int k = 0; k < f->npoint; ++k)
            shown &= place(r, f->path[k].body) >= -1;
        if (!shown)
            continue;
        clv_json_object(j, NULL);
        clv_json_text(j, "name", f->name);
        clv_json_array(j, "points");
        for (int k = 0; k < f->npoint; ++k) {
            clv_json_object(j, NULL);
            clv_json_integer(j, "body", place(r, f->path[k].body));
            clv_report_lengths(j, "at", f->path[k].position, 3);
            clv_json_end(j);
        }
        clv_json_end(j);
        clv_json_end(j);
    }
    clv_json_end(j);
}

/* Who touches whom; forces and points are curves ("contacts.NAME.force"). */
static void contacts_json(clv_json *j, const clv_report *r)
{
    clv_json_array(j, "contacts");
    for (int i = 0; i < r->model->nforce; ++i) {
        const clv_force *f = &r->model->force[i];
        if (f->kind != CLV_FORCE_CONTACT || place(r, f->a) < -1 || place(r, f->b) < 0)
            continue;
        clv_json_object(j, NULL);
        clv_json_text(j, "name", f->name);
        clv_json_integer(j, "a", place(r, f->a));
        clv_json_integer(j, "b", place(r, f->b));
        clv_json_end(j);
    }
    clv_json_end(j);
}

/* A body that touches the plane of a contact, the first of many; -1: none. */
static int on_plane(const clv_force *f)
{
    if (f->kind == CLV_FORCE_CONTACT && f->a == CLV_GROUND)
        return f->b;
    for (int k = 0; f->group && k < f->group->n; ++k)
        if (f->group->member[k].sides & CLV_ON_PLANE)
            return f->group->member[k].body;
    return -1;
}

/* Planes that bodies touch. */
static void planes_json(clv_json *j, const clv_report *r)
{
    clv_json_array(j, "planes");
    for (int i = 0; i < r->model->nforce; ++i) {
        const clv_force *f = &r->model->force[i];
        const int body = on_plane(f);
        if (body < 0 || place(r, body) < 0)
            continue;
        clv_json_object(j, NULL);
        clv_json_text(j, "name", f->name);
        clv_json_integer(j, "body", place(r, body));
        clv_report_lengths(j, "point", f->contact.point, 3);
        clv_report_lengths(j, "normal", f->contact.normal, 3);
        clv_json_end(j);
    }
    clv_json_end(j);
}

static void markers_json(clv_json *j, const clv_report *r)
{
    clv_json_array(j, "markers");
    for (int i = 0; i < r->model->nmarker; ++i) {
        const clv_marker *k = &r->model->marker[i];
        if (place(r, k->body) < -1)
            continue;
        clv_json_object(j, NULL);
        clv_json_text(j, "name", k->name);
        clv_json_integer(j, "body", place(r, k->body));
        clv_report_lengths(j, "position", k->position, 3);
        clv_json_end(j);
    }
    clv_json_end(j);
}

void clv_report_model_json(clv_json *j, const clv_report *r)
{
    clv_report_points p;
    clv_json_text(j, "name", clv_model_name(r->model));
    clv_report_lengths(j, "gravity", r->model->gravity, 3);
    clv_json_integer(j, "model_bodies", r->model->nbody);
    if (clv_report_points_find(r->model, &p))
        bodies_json(j, r, &p);
    joints_json(j, r);
    springs_json(j, r);
    ropes_json(j, r);
    contacts_json(j, r);
    planes_json(j, r);
    markers_json(j, r);
    clv_report_visuals_json(j, r);
    clv_report_points_release(&p);
}
