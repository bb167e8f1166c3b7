/* SPDX-License-Identifier: Apache-2.0
 * What `cleave check` says of inputs: their names are what control sets, in the order of their numbers; see check.h. */
#include "cli/check.h"
#include "io/columns.h"
#include "model/joint.h"
#include "model/model.h"
#include <math.h>

static const char *const kind[] = {
    [CLV_INPUT_JOINT] = "joint",   [CLV_INPUT_FORCE] = "force",   [CLV_INPUT_TORQUE] = "torque",
    [CLV_INPUT_MOTION] = "motion", [CLV_INPUT_NUMBER] = "number",
    [CLV_INPUT_TENDON] = "tendon", [CLV_INPUT_FLUID] = "fluid of",
};

/* What it acts on; "" for numbers. */
static const char *target(const clv_model *m, const clv_input *x)
{
    switch (x->kind) {
    case CLV_INPUT_JOINT:
        return m->joint[x->joint].name;
    case CLV_INPUT_FORCE:
    case CLV_INPUT_TORQUE:
        return m->body[x->body].name;
    case CLV_INPUT_MOTION:
        return m->motion[x->motion].name;
    case CLV_INPUT_TENDON:
    case CLV_INPUT_FLUID:
        return m->force[x->force].name;
    default:
        return "";
    }
}

void clv_check_print_inputs(const clv_check *c)
{
    const clv_model *m = c->subject.model;
    for (int i = 0; i < m->ninput; ++i) {
        const clv_input *x = &m->input[i];
        printf("%s%s: ", i == 0 ? "inputs                " : "                      ", x->name);
        if (*target(m, x))
            printf(x->kind == CLV_INPUT_FORCE || x->kind == CLV_INPUT_TORQUE ? "%s on body %s" : "%s %s",
                   kind[x->kind], target(m, x));
        else
            printf("%s", kind[x->kind]);
        if (x->kind == CLV_INPUT_JOINT && x->coordinate > 0)
            printf(", coordinate %d", x->coordinate);
        if (isfinite(x->limit[0]) || isfinite(x->limit[1]))
            printf(", from %g to %g", x->limit[0], x->limit[1]);
        const char *unit = clv_input_unit(m, x), *space = *unit ? " " : "";
        if (x->rate_limit > 0)
            printf(", at most %g %s/s", x->rate_limit, unit);
        if (x->stall_effort > 0)
            printf(", %g %s at rest and none at %g %s", x->stall_effort, unit, x->no_load_speed,
                   clv_joint_shift(m->joint[x->joint].kind, x->coordinate) ? "m/s" : "rad/s");
        printf(", %g%s%s at the start\n", x->value, space, unit);
    }
}

void clv_check_json_inputs(clv_json *j, const clv_check *c)
{
    const clv_model *m = c->subject.model;
    clv_json_object(j, "inputs");
    for (int i = 0; i < m->ninput; ++i) {
        const clv_input *x = &m->input[i];
        clv_json_object(j, x->name);
        clv_json_text(j, "kind", kind[x->kind]);
        clv_json_text(j, "target", target(m, x));
        clv_json_integer(j, "coordinate", x->kind == CLV_INPUT_JOINT ? x->coordinate : 0);
        const char *unit = clv_input_unit(m, x);
        clv_json_text(j, "unit", *unit ? unit : "1");
        clv_json_number(j, "lowest", x->limit[0]);
        clv_json_number(j, "highest", x->limit[1]);
        if (x->rate_limit > 0)
            clv_json_number(j, "rate_limit", x->rate_limit);
        if (x->stall_effort > 0) {
            clv_json_number(j, "stall_effort", x->stall_effort);
            clv_json_number(j, "no_load_speed", x->no_load_speed);
        }
        clv_json_number(j, "value", x->value);
        clv_json_end(j);
    }
    clv_json_end(j);
}
