/* SPDX-License-Identifier: Apache-2.0
 * Inputs.  What they act on decides their kind: `joint`, `body` with `force` or `torque`, `motion`, `tendon`, `drag`
 * with `fluid`, or nothing (a number for callbacks). */
#include "io/yaml_read.h"
#include <math.h>
#include <string.h>

/* Refuses a key that belongs to another one. */
static void check_needs(clv_entry *e, const clv_value *v, const char *key, bool there, const char *hint)
{
    if (v->node && !there)
        clv_entry_fail(e, v, key, hint, "'%s' has no effect here", key);
}

static clv_input_kind kind_of(clv_entry *e)
{
    const clv_value *joint = CLV_VALUE(e, INPUT, JOINT), *body = CLV_VALUE(e, INPUT, BODY),
                    *motion = CLV_VALUE(e, INPUT, MOTION), *tendon = CLV_VALUE(e, INPUT, TENDON),
                    *drag = CLV_VALUE(e, INPUT, DRAG);
    const bool force = CLV_VALUE(e, INPUT, FORCE)->node, torque = CLV_VALUE(e, INPUT, TORQUE)->node;
    if ((joint->node != NULL) + (body->node != NULL) + (motion->node != NULL) + (tendon->node != NULL) +
            (drag->node != NULL) > 1)
        clv_entry_fail(e, motion->node ? motion : body->node ? body : tendon->node ? tendon : drag,
                       motion->node ? "motion" : body->node ? "body" : tendon->node ? "tendon" : "drag",
                       "write one input for each; they may be set to the same value",
                       "an input has one target: keep one of joint, body, motion, tendon and drag");
    if (drag->node && !CLV_VALUE(e, INPUT, FLUID)->node)
        clv_entry_fail(e, drag, "drag", "add `fluid: [1, 0, 0]`, the velocity per unit of the input",
                       "an input on a drag needs a direction of the fluid");
    check_needs(e, CLV_VALUE(e, INPUT, FLUID), "fluid", drag->node, "it belongs to a drag");
    if (body->node && force == torque)
        clv_entry_fail(e, body, "body", "write `force: [0, 0, 1]` or `torque: [0, 0, 1]`, per unit of the input",
                       force ? "an input on a body is a force or a torque; both are given"
                             : "an input on a body needs a force or a torque");
    check_needs(e, CLV_VALUE(e, INPUT, FORCE), "force", body->node,
                joint->node ? "an input in a joint is its force or torque; leave it out" : "name the body");
    check_needs(e, CLV_VALUE(e, INPUT, TORQUE), "torque", body->node,
                joint->node ? "an input in a joint is its force or torque; leave it out" : "name the body");
    check_needs(e, CLV_VALUE(e, INPUT, FRAME), "frame", body->node, "it belongs to a force or torque on a body");
    check_needs(e, CLV_VALUE(e, INPUT, POINT), "point", body->node && force, "it belongs to a force on a body");
    check_needs(e, CLV_VALUE(e, INPUT, COORDINATE), "coordinate", joint->node, "it belongs to a joint");
    static const char actuator[] = "it belongs to an actuator: an input with `joint`";
    check_needs(e, CLV_VALUE(e, INPUT, RATE_LIMIT), "rate_limit", joint->node, actuator);
    check_needs(e, CLV_VALUE(e, INPUT, STALL), "stall_effort", joint->node, actuator);
    check_needs(e, CLV_VALUE(e, INPUT, NO_LOAD), "no_load_speed", joint->node, actuator);
    return joint->node    ? CLV_INPUT_JOINT
           : motion->node ? CLV_INPUT_MOTION
           : tendon->node ? CLV_INPUT_TENDON
           : drag->node   ? CLV_INPUT_FLUID
           : !body->node  ? CLV_INPUT_NUMBER
           : torque       ? CLV_INPUT_TORQUE
                          : CLV_INPUT_FORCE;
}

static void read_limit(clv_entry *e, const clv_value *v, clv_input_desc *d)
{
    if (v->count == 1 && !(v->x[0] > 0))
        clv_entry_fail(e, v, "limit", "write `limit: 20` for -20 to 20, or `limit: [0, 20]`",
                       "a single limit must be greater than 0, not %g", v->x[0]);
    if (v->count > 0)
        d->limit[0] = v->count == 1 ? -v->x[0] : v->x[0], d->limit[1] = v->x[v->count - 1];
}

static void read_place(clv_entry *e, clv_input_desc *d)
{
    const clv_value *frame = CLV_VALUE(e, INPUT, FRAME);
    const bool force = d->kind == CLV_INPUT_FORCE;
    const char *text = clv_value_text(e, frame);
    clv_find_body(e, CLV_VALUE(e, INPUT, BODY)->node, "body", false, &d->body);
    memcpy(d->vector, force ? CLV_VALUE(e, INPUT, FORCE)->x : CLV_VALUE(e, INPUT, TORQUE)->x, sizeof d->vector);
    memcpy(d->point, CLV_VALUE(e, INPUT, POINT)->x, sizeof d->point);
    d->in_body = text && strcmp(text, "body") == 0;
    if (text && !d->in_body && strcmp(text, "global") != 0)
        clv_entry_fail(e, frame, "frame", "write `frame: global` or `frame: body`", "unknown frame '%.80s'", text);
}

/* Units of value and limit, if they are written, are those of what the input acts on. */
static void check_units(clv_entry *e, const clv_input_desc *d, const clv_value *v, const char *key)
{
    static const char *const unit[] = {"N", "N m", "m/s^2", "rad/s^2"};
    const clv_model *m = e->reader->model;
    const bool motion = d->kind == CLV_INPUT_MOTION;
    const int joint = motion ? m->motion[d->motion].joint : d->joint;
    const bool has = motion || d->kind == CLV_INPUT_JOINT;
    const int wanted = !has ? -1 : 2 * motion + clv_coordinate_turns(m->joint[joint].kind, d->coordinate);
    for (int k = 0; k < v->count && e->good; ++k)
        if (v->unit[k] >= 0 && v->unit[k] != wanted)
            clv_entry_fail(e, v, key,
                           has ? "an actuator has the unit of its joint, a motion that of an acceleration"
                               : "leave the unit out: force or torque has it",
                           "this has the unit %s; '%s' is %s%s here", unit[(int)v->unit[k]], key,
                           has ? "in " : "a pure number", has ? unit[wanted] : "");
}

/* What an actuator can give (T120). */
static void read_actuator(clv_entry *e, clv_input_desc *d)
{
    const clv_value *rate = CLV_VALUE(e, INPUT, RATE_LIMIT), *stall = CLV_VALUE(e, INPUT, STALL),
                    *speed = CLV_VALUE(e, INPUT, NO_LOAD);
    d->rate_limit = rate->x[0], d->stall_effort = stall->x[0], d->no_load_speed = speed->x[0];
    if (d->kind != CLV_INPUT_JOINT || !e->good)
        return;
    const clv_joint *j = &e->reader->model->joint[d->joint];
    const bool turns = clv_coordinate_turns(j->kind, d->coordinate);
    clv_value_fits(e, rate, "rate_limit", turns, j->name);
    clv_value_fits(e, stall, "stall_effort", turns, j->name);
    clv_value_fits(e, speed, "no_load_speed", turns, j->name);
}

bool clv_make_input(clv_entry *e, const char *name)
{
    clv_input_desc d = clv_input_desc_default(kind_of(e));
    d.name = name;
    d.value = CLV_VALUE(e, INPUT, VALUE)->x[0];
    d.coordinate = (int)CLV_VALUE(e, INPUT, COORDINATE)->x[0];
    read_limit(e, CLV_VALUE(e, INPUT, LIMIT), &d);
    if (d.kind == CLV_INPUT_JOINT)
        clv_find_joint(e, CLV_VALUE(e, INPUT, JOINT)->node, "joint", &d.joint);
    else if (d.kind == CLV_INPUT_MOTION)
        clv_find_motion(e, CLV_VALUE(e, INPUT, MOTION)->node, "motion", &d.motion);
    else if (d.kind == CLV_INPUT_TENDON)
        clv_find_force(e, CLV_VALUE(e, INPUT, TENDON)->node, "tendon", &d.force);
    else if (d.kind == CLV_INPUT_FLUID) {
        clv_find_force(e, CLV_VALUE(e, INPUT, DRAG)->node, "drag", &d.force);
        memcpy(d.vector, CLV_VALUE(e, INPUT, FLUID)->x, sizeof d.vector);
    } else if (d.kind != CLV_INPUT_NUMBER)
        read_place(e, &d);
    read_actuator(e, &d);
    if (e->good) {
        check_units(e, &d, CLV_VALUE(e, INPUT, VALUE), "value");
        check_units(e, &d, CLV_VALUE(e, INPUT, LIMIT), "limit");
    }
    return e->good && clv_item_made(e, clv_model_add_input(e->reader->model, NULL, &d), CLV_AN_INPUT);
}
