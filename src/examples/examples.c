/* SPDX-License-Identifier: Apache-2.0
 * The table of built-in examples, their parameters, and the builder.  A new example is one row here and one
 * function. */
#include "examples/examples.h"
#include "base/error.h"
#include "base/text.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DOWN_Y {0, -9.81, 0}
#define DOWN_Z {0, 0, -9.81}
#define NONE {0, 0, 0}
#define LINKS(value, least) {"links", value, least, 1e6, true}
#define YES_OR_NO(name) {name, 0, 0, 1, true}
#define CUT YES_OR_NO("last-cut")
#define LAST_CUT "; last-cut=0 (1: the last pin of each loop is its loop joint)"
#define VEHICLE {YES_OR_NO("rigid-connections"), YES_OR_NO("one-branch")}

const clv_example clv_example_table[] = {
    {"pendulum", "a pendulum of 1 m released from the horizontal", 10, DOWN_Y, {{0}}, clv_example_pendulum},
    {"double-pendulum",
     "two links released from a raised position; chaotic",
     10,
     DOWN_Y,
     {{0}},
     clv_example_double_pendulum},
    {"chain",
     "open chain of links along x; links=8, spatial=0 (1: axes alternate between z and y; 2: skew axes, crumpled)",
     10,
     DOWN_Y,
     {LINKS(8, 1), {"spatial", 0, 0, 2, true}},
     clv_example_chain},
    {"chain-closed",
     "planar chain hanging in a half circle, both ends pinned to ground; links=8",
     10,
     DOWN_Y,
     {LINKS(8, 3)},
     clv_example_chain_closed},
    {"sine-chain-16", "open chain of 16 links along a sine curve", 10, DOWN_Y, {{0}}, clv_example_sine_chain},
    {"hdca-case1", "one closed loop of four bars" LAST_CUT, 10, DOWN_Y, {CUT}, clv_example_hdca1},
    {"hdca-case2", "one closed loop of eight bars" LAST_CUT, 10, DOWN_Y, {CUT}, clv_example_hdca2},
    {"hdca-case3", "two coupled loops of four bars each" LAST_CUT, 10, DOWN_Y, {CUT}, clv_example_hdca3},
    {"aldca-coupled",
     "two coupled loops, the lower one closed on one bar of the upper one",
     10,
     DOWN_Y,
     {{0}},
     clv_example_aldca},
    {"five-bar",
     "rhombus of four bars suspended from one point; folds flat, a singular position, in every swing",
     10,
     DOWN_Y,
     {{0}},
     clv_example_five_bar},
    {"four-bar-ladder",
     "ladder of four-bar windows, redundant and singular when flat; windows=2, speed=1 (m/s, top of V0)",
     10,
     DOWN_Y,
     {{"windows", 2, 1, 1e6, true}, {"speed", 1, -1e3, 1e3, false}},
     clv_example_ladder},
    {"bricard",
     "Bricard mechanism: six hinges on the edges of a cube, moves only because its constraints are redundant",
     10,
     DOWN_Y,
     {{0}},
     clv_example_bricard},
    {"andrews",
     "Andrews' squeezing mechanism: seven bodies, three loops, a spring and a motor",
     0.03,
     NONE,
     {{0}},
     clv_example_andrews},
    {"loop-7r",
     "spatial loop of seven hinges with skew axes, one degree of freedom",
     10,
     DOWN_Z,
     {{0}},
     clv_example_loop7},
    {"tree-robot",
     "floating base with six limbs of six hinges each, 42 degrees of freedom",
     10,
     DOWN_Y,
     {{0}},
     clv_example_robot},
    {"satellite",
     "spinning satellite in free flight unfolding two solar arrays of three panels each",
     60,
     NONE,
     {{0}},
     clv_example_satellite},
    {"governor",
     "flyball governor whose couplers are stiff spring-dampers: for bdf; stiffness=8e5 (N/m), damping=4e4 (N s/m)",
     10,
     DOWN_Z,
     {{"stiffness", 8e5, 0, 1e12, false}, {"damping", 4e4, 0, 1e12, false}},
     clv_example_governor},
    {"flex-arm",
     "flexible arm with a payload at its tip, released from the horizontal; modes=4",
     5,
     DOWN_Y,
     {{"modes", 4, 1, 20, true}},
     clv_example_flex_arm},
    {"mmsev-rigid",
     "crew vehicle of the JSC paper: three legs anchored to a small planet, two arms with one payload; 41 degrees of "
     "freedom, 23 free; rigid-connections=0 (1: limbs are welded to the crew module, 42 unknown forces), "
     "one-branch=0 (1: no division)",
     5,
     NONE,
     VEHICLE,
     clv_example_mmsev_rigid},
    {"mmsev-flexible", "the same with ten flexible booms: 64 modes", 5, NONE, VEHICLE, clv_example_mmsev_flexible},
    {"jsc-18",
     "18 bodies in free flight, two loops, four branches: Fig. 1 and 2 of the branch-algorithm paper",
     10,
     NONE,
     {{0}},
     clv_example_jsc18},
};
const int clv_example_total = (int)(sizeof clv_example_table / sizeof clv_example_table[0]);

const char *clv_example_name(int i)
{
    return i >= 0 && i < clv_example_total ? clv_example_table[i].name : NULL;
}

const char *clv_example_text(int i)
{
    return i >= 0 && i < clv_example_total ? clv_example_table[i].text : NULL;
}

/* ---------------------------------------------------------------- builder */

static void check(clv_example_build *b, clv_status status)
{
    if (b->status == CLV_OK)
        b->status = status;
}

clv_body_desc clv_example_body(const char *name, double mass, const double J[3], const double position[3])
{
    clv_body_desc d = clv_body_desc_default();
    d.name = name;
    d.mass = mass;
    memcpy(d.inertia, J, 3 * sizeof *J);
    memcpy(d.position, position, sizeof d.position);
    d.placed = true;
    return d;
}

int clv_example_add_body(clv_example_build *b, const clv_body_desc *desc)
{
    int index = -1;
    if (b->status == CLV_OK)
        check(b, clv_model_add_body(b->model, &index, desc));
    return index;
}

int clv_example_add_joint(clv_example_build *b, clv_joint_desc *desc)
{
    char name[16];
    int index = -1;
    snprintf(name, sizeof name, "J%d", b->model->njoint + 1);
    if (!desc->name)
        desc->name = name;
    if (b->status == CLV_OK)
        check(b, clv_model_add_joint(b->model, &index, desc));
    desc->name = NULL;
    return index;
}

int clv_example_hinge(clv_example_build *b, int inboard, int outboard, const double at[3], const double *axis)
{
    const double z[3] = {0, 0, 1};
    clv_joint_desc d = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
    d.a = inboard;
    d.b = outboard;
    d.global = true;
    memcpy(d.at, at, sizeof d.at);
    memcpy(d.axis, axis ? axis : z, sizeof d.axis);
    return clv_example_add_joint(b, &d);
}

void clv_example_marker(clv_example_build *b, const char *name, int body, double x, double y, double z)
{
    clv_marker_desc d = clv_marker_desc_default();
    d.name = name;
    d.body = body;
    d.position[0] = x;
    d.position[1] = y;
    d.position[2] = z;
    if (b->status == CLV_OK)
        check(b, clv_model_add_marker(b->model, NULL, &d));
}

void clv_example_force(clv_example_build *b, const clv_force_desc *desc)
{
    if (b->status == CLV_OK)
        check(b, clv_model_add_force(b->model, NULL, desc));
}

/* ---------------------------------------------------------------- creation */

static void known_params(const clv_example *x, char *text, size_t size)
{
    size_t n = (size_t)snprintf(text, size, "%s", x->param[0].name ? "known:" : "this example has no parameters");
    for (int k = 0; k < 3 && x->param[k].name && n < size; ++k)
        n += (size_t)snprintf(text + n, size - n, " %s=%g", x->param[k].name, x->param[k].value);
}

/* One `key=value`; value[k] gets the number. */
static clv_status read_param(clv_error *e, const clv_example *x, const char *text, double value[3])
{
    char known[200];
    known_params(x, known, sizeof known);
    const char *equals = text ? strchr(text, '=') : NULL;
    if (!equals) {
        clv_fail(e, CLV_ERR_USAGE, "example %s: parameter '%s' is not of the form key=value", x->name,
                 text ? text : "");
        clv_error_hint(e, "%s", known);
        return e->code;
    }
    size_t length = (size_t)(equals - text);
    for (int k = 0; k < 3 && x->param[k].name; ++k) {
        const clv_example_param *p = &x->param[k];
        if (strlen(p->name) != length || strncmp(p->name, text, length) != 0)
            continue;
        const char *end;
        double v = clv_text_number(equals + 1, &end);
        if (end == equals + 1 || *end || !(v >= p->least && v <= p->most) || (p->whole && v != floor(v))) {
            clv_fail(e, CLV_ERR_USAGE, "example %s: %s must be a %snumber from %g to %g, not '%s'", x->name, p->name,
                     p->whole ? "whole " : "", p->least, p->most, equals + 1);
            clv_error_hint(e, "%s", known);
            e->value = v;
            return e->code;
        }
        value[k] = v;
        return CLV_OK;
    }
    clv_fail(e, CLV_ERR_USAGE, "example %s has no parameter '%.*s'", x->name, (int)length, text);
    clv_error_hint(e, "%s", known);
    return e->code;
}

static const clv_example *find_example(clv_error *e, const char *name)
{
    for (int i = 0; name && i < clv_example_total; ++i)
        if (strcmp(clv_example_table[i].name, name) == 0)
            return &clv_example_table[i];
    char known[256];
    size_t n = 0;
    for (int i = 0; i < clv_example_total && n < sizeof known; ++i)
        n += (size_t)snprintf(known + n, sizeof known - n, "%s%s", i ? " " : "known: ", clv_example_table[i].name);
    clv_fail(e, CLV_ERR_USAGE, "there is no example '%s'", name ? name : "");
    clv_error_hint(e, "%s", known);
    return NULL;
}

clv_status clv_example_create(clv_model **model, const char *name, const char *const *params, int nparam)
{
    clv_status status = clv_model_create(model, name ? name : "");
    if (status != CLV_OK)
        return status;
    clv_model *m = *model;
    const clv_example *x = find_example(&m->last, name);
    if (!x)
        return m->last.code;
    double value[3] = {x->param[0].value, x->param[1].value, x->param[2].value};
    if (nparam > 0 && !params)
        return clv_fail(&m->last, CLV_ERR_USAGE, "%d parameters are announced, but the list is NULL", nparam);
    for (int i = 0; i < nparam; ++i)
        if ((status = read_param(&m->last, x, params[i], value)) != CLV_OK)
            return status;
    if ((status = clv_model_set_gravity(m, x->gravity)) != CLV_OK)
        return status;
    m->time_end = x->time;
    clv_example_build b = {m, CLV_OK};
    x->build(&b, value);
    return b.status == CLV_OK ? clv_model_finish(m) : b.status;
}
