/* SPDX-License-Identifier: Apache-2.0
 * One line per body, joint, load: short enough to read, complete enough to be the same model again.  Numbers carry as
 * many digits as it takes to read back the same bits; what equals its default is left out.  Joints keep the form (short
 * or long) they came in. */
#include "io/yaml_write.h"
#include "base/memory.h"
#include "io/yaml_write_text.h"
#include "model/curve.h"
#include "model/joint.h"
#include "model/profile.h"
#include <float.h>
#include <locale.h>
#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- items */

static void write_body(clv_writer *w, const clv_body *b)
{
    if (b->node >= 0)
        return; /* part of its flexible body */
    clv_write_open(w, 2, b->name);
    if (b->flex >= 0)
        clv_write_flexible(w, b);
    else {
        clv_write_number_key(w, "mass", b->mass, NAN);
        clv_write_list_unless_zero(w, "com", b->com, 3);
        clv_write_list_key(w, "inertia", b->J, clv_all_zero(b->J + 3, 3) ? 3 : 6);
    }
    if (b->shape->kind != CLV_SHAPE_NONE)
        clv_write_shape(w, b->shape);
    if (b->branch >= 0) {
        clv_write_key(w, "branch");
        clv_write_item_name(w, w->m->branch[b->branch]);
    }
    clv_write_close(w);
}

static void write_side(clv_writer *w, const char *name, int body, const double p[3], const double E[9])
{
    clv_write_key(w, name);
    clv_write(w, "{body: ");
    clv_write_body_name(w, body);
    clv_write_list_unless_zero(w, "position", p, 3);
    clv_write_frame_orientation(w, E);
    clv_write(w, "}");
}

/* a number that is NaN where it is not given */
static void write_given(clv_writer *w, const char *key, double x)
{
    if (!isnan(x))
        clv_write_number_key(w, key, x, NAN);
}

static void write_armature(clv_writer *w, const clv_joint *j)
{
    const int n = j->kind == CLV_JOINT_SPHERICAL ? 1 : clv_joint_table[j->kind].nu;
    if (clv_joint_armed(j) && n == 1)
        clv_write_number_key(w, "armature", j->more->armature[0], 0);
    else if (clv_joint_armed(j))
        clv_write_list_key(w, "armature", j->more->armature, n);
}

static void write_curve(clv_writer *w, const clv_joint *j)
{
    if (!j->more->curve)
        return;
    clv_write_key(w, "curve");
    for (int i = 0, n = clv_curve_points(j->more->curve); i < n; i++) {
        double x[3];
        clv_curve_point(j->more->curve, i, x);
        clv_write(w, i == 0 ? "[" : ", ");
        clv_write_numbers(w, x, 3);
    }
    clv_write(w, "]");
    if (clv_curve_closed(j->more->curve))
        clv_write(w, ", closed: true");
}

static void write_joint(clv_writer *w, const clv_joint *j)
{
    static const double z[3] = {0, 0, 1};
    bool point = j->kind == CLV_JOINT_POINT || j->kind == CLV_JOINT_DISTANCE;
    bool axial = !point && j->kind != CLV_JOINT_FIXED && j->kind != CLV_JOINT_SPHERICAL && j->kind != CLV_JOINT_FREE;
    if (j->absent) /* of an event */
        return;
    clv_write_open(w, 2, j->name);
    clv_write_key(w, "kind");
    clv_write(w, "%s", clv_joint_table[j->kind].name);
    if (j->given) {
        clv_write(w, ", between: [");
        clv_write_body_name(w, j->a);
        clv_write(w, ", ");
        clv_write_body_name(w, j->b);
        clv_write(w, "]");
        clv_write_list_key(w, "at", j->given->at, 3);
        if (j->kind == CLV_JOINT_DISTANCE)
            clv_write_list_key(w, "at_b", j->given->at_b, 3);
        if (axial || memcmp(j->given->axis, z, sizeof z) != 0)
            clv_write_list_key(w, "axis", j->given->axis, 3);
        clv_write_list_unless_zero(w, "x_axis", j->given->x_axis, 3);
    } else {
        write_side(w, "a", j->a, j->pa, j->Ea);
        write_side(w, "b", j->b, j->pb, j->Eb);
    }
    if (j->kind == CLV_JOINT_HELICAL)
        clv_write_number_key(w, "pitch", j->more->pitch, NAN);
    clv_write_number_key(w, "length", j->more->distance, 0);
    clv_write_number_key(w, "radius", j->more->radius, 0);
    write_curve(w, j);
    write_armature(w, j);
    if (j->cut >= 0) {
        clv_write_key(w, "cut");
        clv_write(w, "%s", j->cut ? "true" : "false");
    }
    if (!isnan(j->more->baumgarte[0]))
        clv_write_list_key(w, "baumgarte", j->more->baumgarte, 2);
    write_given(w, "alpha", j->more->alpha);
    write_given(w, "omega", j->more->omega);
    write_given(w, "mu", j->more->mu);
    clv_write_close(w);
}

static void write_profile(clv_writer *w, const clv_motion *x)
{
    clv_write_table(w, "table", &x->table);
    if (x->table.profile == CLV_PROFILE_NATURAL)
        return;
    clv_write_key(w, "profile");
    clv_write(w, "%s", clv_profile_name[x->table.profile]);
    if (x->table.profile == CLV_PROFILE_CLAMPED)
        clv_write_list_unless_zero(w, "end_rates", x->end_rate, 2);
}

static void write_motion(clv_writer *w, const clv_motion *x)
{
    clv_write_open(w, 2, x->name);
    clv_write_key(w, "joint");
    clv_write_item_name(w, w->m->joint[x->joint].name);
    if (x->table.n > 0)
        write_profile(w, x);
    else {
        clv_write_number_key(w, "offset", x->offset, NAN);
        clv_write_number_key(w, "rate", x->rate, 0);
        clv_write_number_key(w, "amplitude", x->amplitude, 0);
        clv_write_number_key(w, "frequency", x->frequency, 0);
        clv_write_number_key(w, "phase", x->phase, 0);
    }
    clv_write_close(w);
}

static void write_pair(clv_writer *w, const clv_coupling *c)
{
    clv_write_key(w, "first");
    clv_write_item_name(w, w->m->joint[c->term[1].joint].name);
    clv_write_key(w, "second");
    clv_write_item_name(w, w->m->joint[c->term[0].joint].name);
    if (c->npolynomial > 0)
        clv_write_list_key(w, "polynomial", c->polynomial, c->npolynomial);
    else if (c->table.n > 0)
        clv_write_table(w, "table", &c->table);
    else
        clv_write_number_key(w, "ratio", -c->term[1].factor, NAN);
    if (c->periodic) {
        clv_write_key(w, "periodic");
        clv_write(w, "true");
    }
}

static void write_coupling(clv_writer *w, const clv_coupling *c)
{
    clv_write_open(w, 2, c->name);
    if (c->sum)
        clv_write_terms(w, c->term, c->nterm);
    else
        write_pair(w, c);
    clv_write_number_key(w, "offset", c->offset, NAN);
    clv_write_close(w);
}

static void write_marker(clv_writer *w, const clv_marker *k)
{
    clv_write_open(w, 2, k->name);
    clv_write_key(w, "body");
    clv_write_body_name(w, k->body);
    clv_write_list_unless_zero(w, "position", k->position, 3);
    clv_write_close(w);
}

static void write_input(clv_writer *w, const clv_input *x)
{
    const bool force = x->kind == CLV_INPUT_FORCE;
    clv_write_open(w, 2, x->name);
    if (x->kind == CLV_INPUT_JOINT) {
        clv_write_key(w, "joint");
        clv_write_item_name(w, w->m->joint[x->joint].name);
        clv_write_number_key(w, "coordinate", x->coordinate, 0);
    } else if (x->kind == CLV_INPUT_MOTION) {
        clv_write_key(w, "motion");
        clv_write_item_name(w, w->m->motion[x->motion].name);
    } else if (x->kind == CLV_INPUT_TENDON || x->kind == CLV_INPUT_FLUID) {
        clv_write_key(w, x->kind == CLV_INPUT_TENDON ? "tendon" : "drag");
        clv_write_item_name(w, w->m->force[x->force].name);
        if (x->kind == CLV_INPUT_FLUID)
            clv_write_list_key(w, "fluid", x->vector, 3);
    } else if (x->kind != CLV_INPUT_NUMBER) {
        clv_write_key(w, "body");
        clv_write_body_name(w, x->body);
        if (force)
            clv_write_list_unless_zero(w, "point", x->point, 3);
        clv_write_list_key(w, force ? "force" : "torque", x->vector, 3);
        if (x->in_body)
            clv_write(w, ", frame: body");
    }
    clv_write_number_key(w, "value", x->value, 0);
    const double limit[2] = {fmax(x->limit[0], -DBL_MAX), fmin(x->limit[1], DBL_MAX)}; /* a file has no infinity */
    if (isfinite(x->limit[0]) || isfinite(x->limit[1]))
        clv_write_list_key(w, "limit", limit, 2);
    clv_write_number_key(w, "rate_limit", x->rate_limit, 0);
    clv_write_number_key(w, "stall_effort", x->stall_effort, 0);
    clv_write_number_key(w, "no_load_speed", x->no_load_speed, 0);
    clv_write_close(w);
}

static void write_when(clv_writer *w, const clv_event *x)
{
    clv_write_key(w, "when");
    clv_write(w, "{");
    if (x->condition == CLV_WHEN_DISTANCE) {
        clv_write(w, "marker-distance: [");
        clv_write_item_name(w, w->m->marker[x->marker[0]].name);
        clv_write(w, ", ");
        clv_write_item_name(w, w->m->marker[x->marker[1]].name);
        clv_write(w, "]");
    } else {
        static const char *const key[CLV_WHEN_KINDS] = {"joint", "rate",   "marker-distance",
                                                        "force", "torque", "effort"};
        clv_write(w, "%s: ", key[x->condition]);
        clv_write_item_name(w, w->m->joint[x->joint].name);
    }
    clv_write(w, ", %s: ", x->below ? "below" : "above");
    clv_write_one(w, x->value);
    clv_write(w, "}");
}

static void write_attachment(clv_writer *w, const clv_event *x)
{
    const clv_joint *j = &w->m->joint[x->attached];
    clv_write_key(w, "attach");
    clv_write(w, "[");
    clv_write_body_name(w, j->a);
    clv_write(w, ", ");
    clv_write_body_name(w, j->b);
    clv_write(w, "]");
    clv_write_key(w, "joint");
    clv_write_item_name(w, clv_joint_table[j->kind].name);
    clv_write_list_key(w, "position", j->pa, 3);
    clv_write_list_key(w, "axis", x->axis, 3);
}

static void write_event(clv_writer *w, const clv_event *x)
{
    clv_write_open(w, 2, x->name);
    if (clv_event_waits(x))
        write_when(w, x);
    else {
        clv_write_key(w, "at");
        clv_write_one(w, x->time);
    }
    if (x->again)
        clv_write(w, ", again: true");
    if (x->action == CLV_ACTION_LOCK) {
        clv_write_key(w, "lock");
        clv_write_item_name(w, w->m->joint[x->lock].name);
    } else if (x->action == CLV_ACTION_RELEASE) {
        clv_write_key(w, "release");
        clv_write_item_name(w, x->release);
    } else if (x->action == CLV_ACTION_ATTACH)
        write_attachment(w, x);
    else
        clv_write(w, ", stop: true");
    clv_write_close(w);
}

static void write_start_body(clv_writer *w, const clv_body *b)
{
    if (!b->placed && !b->moving)
        return;
    clv_write_open(w, 4, b->name);
    if (b->placed) {
        clv_write_list_key(w, "position", b->r, 3);
        clv_write_orientation(w, b->e);
    }
    if (b->moving) {
        if (!clv_all_zero(b->moving, 3) || clv_all_zero(b->moving + 3, 3))
            clv_write_list_key(w, "velocity", b->moving, 3);
        clv_write_list_unless_zero(w, "angular_velocity", b->moving + 3, 3);
    }
    clv_write_close(w);
}

static void write_coordinates(clv_writer *w, const char *name, const double *x, int n)
{
    if (n != 1)
        clv_write_list_key(w, name, x, n);
    else
        clv_write_number_key(w, name, x[0], NAN);
}

static void write_start_joint(clv_writer *w, const clv_joint *j)
{
    if (!j->has_q && !j->has_u)
        return;
    clv_write_open(w, 4, j->name);
    if (j->has_q)
        write_coordinates(w, "q", j->q, clv_joint_table[j->kind].nq);
    if (j->has_u)
        write_coordinates(w, "u", j->u, clv_joint_table[j->kind].nu);
    clv_write_close(w);
}

/* ---------------------------------------------------------------- the file */

static void write_start(clv_writer *w)
{
    const clv_model *m = w->m;
    bool bodies = false, joints = false, modes = false;
    for (int i = 0; i < m->nbody; ++i)
        bodies = bodies || m->body[i].placed || m->body[i].moving;
    for (int i = 0; i < m->njoint; ++i)
        joints = joints || m->joint[i].has_q || m->joint[i].has_u;
    for (int i = 0; i < m->nflex; ++i)
        modes = modes || clv_flex_moving(&m->flex[i]);
    if (bodies || joints || modes || m->strained)
        clv_write(w, "\nstart:\n");
    if (m->strained)
        clv_write(w, "  flexible: least-energy\n");
    if (bodies)
        clv_write(w, "  bodies:\n");
    for (int i = 0; i < m->nbody; ++i)
        write_start_body(w, &m->body[i]);
    if (joints)
        clv_write(w, "  joints:\n");
    for (int i = 0; i < m->njoint; ++i)
        write_start_joint(w, &m->joint[i]);
    if (modes)
        clv_write(w, "  modes:\n");
    for (int i = 0; i < m->nflex; ++i)
        clv_write_start_modes(w, &m->flex[i]);
}

static void write_model(clv_writer *w)
{
    const clv_model *m = w->m;
    clv_write(w, "cleave: 1\n");
    for (int i = 0; i < m->nparameter; ++i) { /* names and units hold no control characters */
        clv_write(w, "# parameter %s: ", m->parameter[i].name);
        clv_write_one(w, m->parameter[i].shown);
        clv_write(w, "%s%s\n", *m->parameter[i].unit ? " " : "", m->parameter[i].unit);
    }
    if (*m->name) {
        clv_write(w, "name: ");
        clv_write_name(w, m->name);
        clv_write(w, "\n");
    }
    clv_write(w, "gravity: ");
    clv_write_numbers(w, m->gravity, 3);
    clv_write(w, "\n");
    if (m->time_end > 0) {
        clv_write(w, "time: ");
        clv_write_one(w, m->time_end);
        clv_write(w, "\n");
    }
#define SECTION(name, count, list_, write_one)                                                                         \
    if (m->count > 0)                                                                                                  \
        clv_write(w, "\n" name ":\n");                                                                                 \
    for (int i = 0; i < m->count; ++i)                                                                                 \
    write_one(w, &m->list_[i])
    SECTION("bodies", nbody, body, write_body);
    SECTION("shapes", nshape, shape, clv_write_further);
    SECTION("joints", njoint, joint, write_joint);
    SECTION("forces", nforce, force, clv_write_force);
    SECTION("motions", nmotion, motion, write_motion);
    SECTION("inputs", ninput, input, write_input);
    SECTION("couplings", ncoupling, coupling, write_coupling);
    SECTION("events", nevent, event, write_event);
    SECTION("markers", nmarker, marker, write_marker);
    SECTION("visuals", nvisual, visual, clv_write_visual);
#undef SECTION
    write_start(w);
}

clv_status clv_model_write_text(const clv_model *model, char **text, size_t *size)
{
    return clv_model_write_text_for(model, NULL, text, size);
}

clv_status clv_model_write_text_for(const clv_model *model, const char *file, char **text, size_t *size)
{
    clv_writer w = {.m = model, .file = file, .status = CLV_OK};
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = plain ? uselocale(plain) : (locale_t)0;
    write_model(&w);
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    if (w.status != CLV_OK) {
        clv_free(w.text);
        w.text = NULL;
        w.used = 0;
    }
    *text = w.text;
    if (size)
        *size = w.used;
    return w.status;
}
