/* SPDX-License-Identifier: Apache-2.0
 * Forces, motions, inputs and markers added to a model; see add.h. */
#include "model/add.h"
#include "base/memory.h"
#include "math/rotation.h"
#include "model/describe.h"
#include "model/group.h"
#include <limits.h>
#include <math.h>

static void check_contact(clv_adding *item, const clv_contact *c)
{
    clv_add_finite(item, "point", c->point, 3);
    clv_add_finite(item, "normal", c->normal, 3);
    clv_add_finite(item, "stiffness", &c->stiffness, 1);
    clv_add_finite(item, "exponent", &c->exponent, 1);
    clv_add_finite(item, "dissipation", &c->dissipation, 1);
    clv_add_finite(item, "static_friction", &c->static_friction, isnan(c->static_friction) ? 0 : 1);
    clv_add_finite(item, "dynamic_friction", &c->dynamic_friction, isnan(c->dynamic_friction) ? 0 : 1);
    clv_add_finite(item, "viscous_friction", &c->viscous_friction, 1);
    clv_add_finite(item, "transition_speed", &c->transition_speed, 1);
    clv_add_finite(item, "restitution", &c->restitution, isnan(c->restitution) ? 0 : 1);
    if (c->restitution < 0 || c->restitution > 1)
        clv_add_refuse(item, CLV_ERR_MODEL, "restitution", "a restitution is between 0 and 1", c->restitution);
}

static void check_tendon(clv_adding *item, const clv_force_desc *d)
{
    if (d->npoint < 0 || d->nterm < 0 || (d->npoint > 0 && !d->path) || (d->nterm > 0 && !d->term)) {
        clv_add_refuse(item, CLV_ERR_USAGE, "path", "the tendon has a count but no points or joints", NAN);
        return;
    }
    if (d->npoint > CLV_COUPLING_MOST || d->nterm > CLV_COUPLING_MOST)
        clv_add_refuse(item, CLV_ERR_MODEL, d->npoint > d->nterm ? "path" : "of",
                       "a tendon has at most 32 points or joints", d->npoint > d->nterm ? d->npoint : d->nterm);
    for (int i = 0; i < d->npoint && item->status == CLV_OK; i++) {
        clv_add_index(item, "path", d->path[i].body, CLV_GROUND, item->m->nbody);
        clv_add_finite(item, "path", d->path[i].position, 3);
    }
    for (int i = 0; i < d->nterm && item->status == CLV_OK; i++) {
        clv_add_index(item, "of", d->term[i].joint, 0, item->m->njoint);
        clv_add_finite(item, "of", &d->term[i].factor, 1);
    }
}

static void check_drag(clv_adding *item, const clv_drag *d)
{
    if ((int)d->frame < 0 || d->frame >= CLV_DRAG_FRAMES)
        clv_add_refuse(item, CLV_ERR_MODEL, "frame", "unknown axes of a drag", d->frame);
    clv_add_finite(item, "linear", d->linear, 6);
    clv_add_finite(item, "quadratic", d->quadratic, 6);
    clv_add_finite(item, "fluid", d->fluid, 3);
}

static void check_bodies(clv_adding *item, const char *field, const int *body, int n)
{
    if (n < 0 || (n > 0 && !body))
        clv_add_refuse(item, CLV_ERR_MODEL, field, "a list has a negative length, or is NULL", n);
    else
        for (int i = 0; i < n; i++)
            clv_add_index(item, field, body[i] < -1 ? -2 - body[i] : body[i], 0,
                          body[i] < -1 ? item->m->nshape : item->m->nbody);
}

static void check_group(clv_adding *item, const clv_contact_group *g)
{
    check_bodies(item, "among", g->first, g->nfirst);
    check_bodies(item, "with", g->second, g->nsecond);
    check_bodies(item, "except", g->except, g->nexcept < INT_MAX / 2 ? 2 * g->nexcept : -1);
    if (g->most < 0)
        clv_add_refuse(item, CLV_ERR_MODEL, "most", "it must be 1 or more; 0: chosen automatically", g->most);
}

static void check_force(clv_adding *item, const clv_force_desc *d)
{
    if ((int)d->kind < 0 || d->kind >= CLV_FORCE_KINDS)
        clv_add_refuse(item, CLV_ERR_MODEL, "kind", "unknown kind of force", d->kind);
    clv_add_index(item, "between", d->a, CLV_GROUND, item->m->nbody);
    clv_add_index(item, "between", d->b, CLV_GROUND, item->m->nbody);
    if (d->kind == CLV_FORCE_JOINT)
        clv_add_index(item, "joint", d->joint, 0, item->m->njoint);
    clv_add_finite(item, "point_a", d->point_a, 3);
    clv_add_finite(item, "point_b", d->point_b, 3);
    clv_add_finite(item, "vector", d->vector, 3);
    clv_add_finite(item, "stiffness", &d->stiffness, 1);
    clv_add_finite(item, "damping", &d->damping, 1);
    clv_add_finite(item, "rest", &d->rest, 1);
    clv_add_finite(item, "drive", &d->drive, 1);
    clv_add_finite(item, "friction", &d->friction.sliding, 1);
    clv_add_finite(item, "breakaway", &d->friction.breakaway, isnan(d->friction.breakaway) ? 0 : 1);
    clv_add_finite(item, "stribeck_speed", &d->friction.stribeck_speed, 1);
    clv_add_finite(item, "stiction_speed", &d->friction.stiction_speed, 1);
    clv_add_finite(item, "lower", &d->stop.lower, d->stop.lower == -INFINITY ? 0 : 1);
    clv_add_finite(item, "upper", &d->stop.upper, d->stop.upper == INFINITY ? 0 : 1);
    clv_add_finite(item, "stop_stiffness", &d->stop.stiffness, 1);
    clv_add_finite(item, "stop_dissipation", &d->stop.dissipation, 1);
    clv_add_finite(item, "stop_exponent", &d->stop.exponent, 1);
    clv_add_finite(item, "stop_restitution", &d->stop.restitution, isnan(d->stop.restitution) ? 0 : 1);
    clv_add_finite(item, "stiffness", d->bushing.stiffness, 6);
    clv_add_finite(item, "damping", d->bushing.damping, 6);
    clv_add_finite(item, "preload", d->bushing.preload, 6);
    if (d->kind == CLV_FORCE_CONTACT || d->kind == CLV_FORCE_CONTACTS)
        check_contact(item, &d->contact);
    if (d->kind == CLV_FORCE_TENDON)
        check_tendon(item, d);
    if (d->kind == CLV_FORCE_DRAG)
        check_drag(item, &d->drag);
    if (d->kind == CLV_FORCE_CONTACTS)
        check_group(item, &d->group);
    clv_add_finite(item, "friction_coefficient", &d->bearing.coefficient, 1);
    clv_add_finite(item, "static_coefficient", &d->bearing.static_coefficient,
                   isnan(d->bearing.static_coefficient) ? 0 : 1);
    clv_add_finite(item, "pin_radius", &d->bearing.radius, 1);
    clv_add_finite(item, "collar_radius", &d->bearing.collar, 1);
    clv_add_finite(item, "bearing_span", &d->bearing.span, 1);
    clv_add_finite(item, "effort_limit", &d->limit, 1);
    clv_add_table(item, &d->table), clv_add_table(item, &d->spring), clv_add_table(item, &d->damper);
}

/* With unit quaternions. */
static clv_bushing bushing_of(clv_adding *item, const clv_bushing *given)
{
    clv_bushing g = *given;
    clv_add_quaternion(item, "orientation_a", g.orientation_a, given->orientation_a);
    clv_add_quaternion(item, "orientation_b", g.orientation_b, given->orientation_b);
    return g;
}

/* The ground first; a unit normal; friction that is not given follows. */
static void settle_contact(clv_force *f)
{
    clv_contact *c = &f->contact;
    const double n2 = clv_dot3(c->normal, c->normal);
    if (f->kind == CLV_FORCE_CONTACTS)
        f->a = f->b = CLV_GROUND;
    else if (f->b == CLV_GROUND)
        f->b = f->a, f->a = CLV_GROUND;
    for (int i = 0; n2 > 0 && fabs(n2 - 1) > 1e-15 && i < 3; i++)
        c->normal[i] /= sqrt(n2);
    if (isnan(c->dynamic_friction))
        c->dynamic_friction = isnan(c->static_friction) ? 0 : c->static_friction;
    if (isnan(c->static_friction))
        c->static_friction = c->dynamic_friction;
    if (isnan(c->restitution))
        c->restitution = -1;
}

/* Points and joints of a tendon; false: out of memory. */
static bool take_tendon(clv_force *f, const clv_force_desc *d)
{
    if (f->kind != CLV_FORCE_TENDON)
        return true;
    f->path = clv_alloc((size_t)d->npoint + 1, sizeof *f->path);
    f->term = clv_alloc((size_t)d->nterm + 1, sizeof *f->term);
    if (!f->path || !f->term)
        return false;
    f->npoint = d->npoint, f->nterm = d->nterm;
    for (int i = 0; i < d->npoint; i++)
        f->path[i] = d->path[i];
    for (int i = 0; i < d->nterm; i++)
        f->term[i] = d->term[i];
    return true;
}

clv_status clv_model_add_force(clv_model *m, int *index, const clv_force_desc *d)
{
    bool described = d && d->cookie == CLV_COOKIE_FORCE;
    clv_adding item = clv_add_begin(m, CLV_NAME_FORCE, described ? d->name : NULL, described);
    if (!described)
        return item.status;
    clv_series table, spring = {0}, damper = {0};
    clv_bushing bushing = {{0}, {0}, {0}, {0}, {0}};
    if (item.status == CLV_OK)
        check_force(&item, d);
    if (item.status == CLV_OK && d->kind == CLV_FORCE_BUSHING)
        bushing = bushing_of(&item, &d->bushing);
    if (item.status != CLV_OK)
        return item.status;
    if (!CLV_ADD_ROOM(m, CLV_NAME_FORCE, m->force, m->nforce) || !clv_add_series(&table, &d->table))
        return clv_add_out_of_memory(&item);
    if (d->kind == CLV_FORCE_JOINT && (!clv_add_series(&spring, &d->spring) || !clv_add_series(&damper, &d->damper))) {
        clv_series_free(&table), clv_series_free(&spring);
        return clv_add_out_of_memory(&item);
    }
    clv_touch_group *group = d->kind == CLV_FORCE_CONTACTS ? clv_touch_group_create(&d->group) : NULL;
    if (d->kind == CLV_FORCE_CONTACTS && !group) {
        clv_series_free(&table);
        return clv_add_out_of_memory(&item);
    }
    clv_force *f = &m->force[m->nforce];
    *f = (clv_force){.kind = d->kind,
                     .a = d->a,
                     .b = d->b,
                     .in_body = d->in_body,
                     .table = table,
                     .joint = d->joint,
                     .coordinate = d->coordinate,
                     .stiffness = d->stiffness,
                     .damping = d->damping,
                     .rest = d->rest,
                     .drive = d->drive,
                     .friction = d->friction,
                     .bearing = d->bearing,
                     .spring = spring,
                     .damper = damper,
                     .limit = d->limit,
                     .stop = d->stop,
                     .bushing = bushing,
                     .contact = d->contact,
                     .drag = d->drag,
                     .group = group,
                     .call = d->call,
                     .user = d->user};
    if (isnan(f->friction.breakaway))
        f->friction.breakaway = f->friction.sliding;
    if (isnan(f->bearing.static_coefficient))
        f->bearing.static_coefficient = f->bearing.coefficient;
    if (f->kind == CLV_FORCE_CONTACT || f->kind == CLV_FORCE_CONTACTS)
        settle_contact(f);
    if (!take_tendon(f, d) || !(f->name = clv_add_name(&item, m->nforce))) { /* the name is noted: last of all */
        clv_series_free(&table), clv_series_free(&spring), clv_series_free(&damper);
        clv_free(f->path), clv_free(f->term), clv_touch_group_free(group);
        return clv_add_out_of_memory(&item);
    }
    clv_copy3(f->point_a, d->point_a), clv_copy3(f->point_b, d->point_b), clv_copy3(f->vector, d->vector);
    return clv_add_done(index, &m->nforce);
}

clv_status clv_model_add_motion(clv_model *m, int *index, const clv_motion_desc *d)
{
    bool described = d && d->cookie == CLV_COOKIE_MOTION;
    clv_adding item = clv_add_begin(m, CLV_NAME_MOTION, described ? d->name : NULL, described);
    if (!described)
        return item.status;
    clv_series table;
    if (item.status == CLV_OK) {
        clv_add_index(&item, "joint", d->joint, 0, m->njoint);
        clv_add_finite(&item, "offset", &d->offset, isnan(d->offset) ? 0 : 1); /* NaN: from the start */
        clv_add_finite(&item, "rate", &d->rate, 1);
        clv_add_finite(&item, "amplitude", &d->amplitude, 1);
        clv_add_finite(&item, "frequency", &d->frequency, 1);
        clv_add_finite(&item, "phase", &d->phase, 1);
        clv_add_finite(&item, "end_rates", d->end_rate, 2);
        clv_add_table(&item, &d->table);
        if ((int)d->profile < 0 || d->profile >= CLV_PROFILES)
            clv_add_refuse(&item, CLV_ERR_MODEL, "profile", "unknown profile", d->profile);
    }
    if (item.status != CLV_OK)
        return item.status;
    if (!CLV_ADD_ROOM(m, CLV_NAME_MOTION, m->motion, m->nmotion) || !clv_add_series(&table, &d->table))
        return clv_add_out_of_memory(&item);
    clv_motion *x = &m->motion[m->nmotion];
    *x = (clv_motion){.name = clv_add_name(&item, m->nmotion), .joint = d->joint, .offset = d->offset, .rate = d->rate,
                      .amplitude = d->amplitude, .frequency = d->frequency, .phase = d->phase, .table = table,
                      .end_rate = {d->end_rate[0], d->end_rate[1]}};
    x->table.profile = d->profile;
    if (!x->name) {
        clv_series_free(&table);
        return clv_add_out_of_memory(&item);
    }
    return clv_add_done(index, &m->nmotion);
}

static void check_input(clv_adding *item, const clv_input_desc *d)
{
    const clv_model *m = item->m;
    if ((int)d->kind < 0 || d->kind >= CLV_INPUT_KINDS)
        clv_add_refuse(item, CLV_ERR_MODEL, "kind", "unknown kind of input", d->kind);
    if (d->kind == CLV_INPUT_JOINT)
        clv_add_index(item, "joint", d->joint, 0, m->njoint);
    if (d->kind == CLV_INPUT_FORCE || d->kind == CLV_INPUT_TORQUE) {
        clv_add_index(item, "body", d->body, 0, m->nbody);
        clv_add_finite(item, "point", d->point, 3);
        clv_add_finite(item, d->kind == CLV_INPUT_FORCE ? "force" : "torque", d->vector, 3);
    }
    if (d->kind == CLV_INPUT_MOTION)
        clv_add_index(item, "motion", d->motion, 0, m->nmotion);
    if (d->kind == CLV_INPUT_TENDON || d->kind == CLV_INPUT_FLUID)
        clv_add_index(item, d->kind == CLV_INPUT_TENDON ? "tendon" : "drag", d->force, 0, m->nforce);
    if (d->kind == CLV_INPUT_FLUID)
        clv_add_finite(item, "fluid", d->vector, 3);
    clv_add_finite(item, "value", &d->value, 1);
    if (isnan(d->limit[0]) || isnan(d->limit[1]))
        clv_add_refuse(item, CLV_ERR_MODEL, "limit", "a limit is not a number", NAN);
    clv_add_finite(item, "rate_limit", &d->rate_limit, 1);
    clv_add_finite(item, "stall_effort", &d->stall_effort, 1);
    clv_add_finite(item, "no_load_speed", &d->no_load_speed, 1);
}

clv_status clv_model_add_input(clv_model *m, int *index, const clv_input_desc *d)
{
    bool described = d && d->cookie == CLV_COOKIE_INPUT;
    clv_adding item = clv_add_begin(m, CLV_NAME_INPUT, described ? d->name : NULL, described);
    if (!described)
        return item.status;
    if (item.status == CLV_OK)
        check_input(&item, d);
    if (item.status != CLV_OK)
        return item.status;
    if (!CLV_ADD_ROOM(m, CLV_NAME_INPUT, m->input, m->ninput))
        return clv_add_out_of_memory(&item);
    clv_input *x = &m->input[m->ninput];
    *x = (clv_input){.name = clv_add_name(&item, m->ninput), .kind = d->kind, .joint = d->joint,
                     .coordinate = d->coordinate, .body = d->body, .motion = d->motion, .force = d->force,
                     .in_body = d->in_body,
                     .value = d->value, .limit = {d->limit[0], d->limit[1]}, .rate_limit = d->rate_limit,
                     .stall_effort = d->stall_effort, .no_load_speed = d->no_load_speed};
    clv_copy3(x->point, d->point), clv_copy3(x->vector, d->vector);
    return x->name ? clv_add_done(index, &m->ninput) : clv_add_out_of_memory(&item);
}

clv_status clv_model_add_marker(clv_model *m, int *index, const clv_marker_desc *d)
{
    bool described = d && d->cookie == CLV_COOKIE_MARKER;
    clv_adding item = clv_add_begin(m, CLV_NAME_MARKER, described ? d->name : NULL, described);
    if (!described)
        return item.status;
    if (item.status == CLV_OK) {
        clv_add_index(&item, "body", d->body, 0, m->nbody);
        clv_add_finite(&item, "position", d->position, 3);
    }
    if (item.status != CLV_OK)
        return item.status;
    if (!CLV_ADD_ROOM(m, CLV_NAME_MARKER, m->marker, m->nmarker))
        return clv_add_out_of_memory(&item);
    clv_marker *k = &m->marker[m->nmarker];
    *k = (clv_marker){.name = clv_add_name(&item, m->nmarker), .body = d->body};
    clv_copy3(k->position, d->position);
    return k->name ? clv_add_done(index, &m->nmarker) : clv_add_out_of_memory(&item);
}
