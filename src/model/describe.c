/* SPDX-License-Identifier: Apache-2.0
 * Default descriptions.  What is not named here is zero: no mass, no velocity, no table, no spring. */
#include "model/describe.h"

#include "cleave/cleave.h"

#include <math.h>

clv_body_desc clv_body_desc_default(void)
{
    return (clv_body_desc){
        .cookie = CLV_COOKIE_BODY, .orientation = {1, 0, 0, 0}, .shape = {.orientation = {1, 0, 0, 0}}};
}

clv_joint_desc clv_joint_desc_default(clv_joint_kind kind)
{
    clv_joint_desc d = {.cookie = CLV_COOKIE_JOINT,
                        .kind = kind,
                        .a = CLV_GROUND,
                        .b = CLV_GROUND,
                        .axis = {0, 0, 1},
                        .orientation_a = {1, 0, 0, 0},
                        .orientation_b = {1, 0, 0, 0},
                        .cut = -1,
                        .baumgarte = {NAN, NAN},
                        .alpha = NAN,
                        .omega = NAN,
                        .mu = NAN};
    if (kind == CLV_JOINT_SPHERICAL)
        d.q[0] = 1;
    if (kind == CLV_JOINT_FREE)
        d.q[3] = 1;
    return d;
}

clv_force_desc clv_force_desc_default(clv_force_kind kind)
{
    return (clv_force_desc){.cookie = CLV_COOKIE_FORCE, .kind = kind, .a = CLV_GROUND, .b = CLV_GROUND, .joint = -1,
                            .friction = {.breakaway = NAN, .stribeck_speed = 0.1, .stiction_speed = 0.01},
                            .bearing = {.static_coefficient = NAN},
                            .stop = {.lower = -INFINITY, .upper = INFINITY, .exponent = 1, .restitution = NAN},
                            .bushing = {.orientation_a = {1, 0, 0, 0}, .orientation_b = {1, 0, 0, 0}},
                            .contact = {.exponent = 1.5,
                                        .static_friction = NAN,
                                        .dynamic_friction = NAN,
                                        .transition_speed = 0.01,
                                        .restitution = NAN}};
}

clv_input_desc clv_input_desc_default(clv_input_kind kind)
{
    return (clv_input_desc){.cookie = CLV_COOKIE_INPUT, .kind = kind, .joint = -1, .body = CLV_GROUND, .motion = -1,
                            .force = -1,
                            .limit = {-INFINITY, INFINITY}};
}

clv_event_desc clv_event_desc_default(void)
{
    return (clv_event_desc){.cookie = CLV_COOKIE_EVENT, .joint = -1, .marker = {-1, -1}, .lock = -1, .a = CLV_GROUND,
                            .b = CLV_GROUND, .axis = {0, 0, 1}};
}

clv_motion_desc clv_motion_desc_default(void)
{
    return (clv_motion_desc){.cookie = CLV_COOKIE_MOTION, .joint = -1, .offset = NAN};
}

clv_coupling_desc clv_coupling_desc_default(void)
{
    return (clv_coupling_desc){.cookie = CLV_COOKIE_COUPLING, .first = -1, .second = -1, .ratio = 1, .offset = NAN};
}

clv_marker_desc clv_marker_desc_default(void)
{
    return (clv_marker_desc){.cookie = CLV_COOKIE_MARKER, .body = CLV_GROUND};
}

clv_visual_desc clv_visual_desc_default(void)
{
    return (clv_visual_desc){.cookie = CLV_COOKIE_VISUAL,
                             .body = CLV_GROUND,
                             .shape = {.orientation = {1, 0, 0, 0}},
                             .scale = {1, 1, 1}};
}

clv_shape_desc clv_shape_desc_default(void)
{
    return (clv_shape_desc){.cookie = CLV_COOKIE_SHAPE, .body = CLV_GROUND, .shape = {.orientation = {1, 0, 0, 0}}};
}
