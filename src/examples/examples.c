/* SPDX-License-Identifier: Apache-2.0
 * The table of built-in examples.  Most are files, examples/NAME.yaml, embedded at build time and read as any model
 * file (cmake/examples.cmake).  A few are generators in C: long chains, which a file could not make as fast, and the
 * vehicle of the JSC paper, whose parameters change its structure.  They have parameters of their own and a builder. */
#include "examples/examples.h"
#include "base/error.h"
#include "base/text.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DOWN_Y {0, -9.81, 0}
#define NONE {0, 0, 0}
#define YES_OR_NO(name) {name, 0, 0, 1, true}
#define VEHICLE {YES_OR_NO("rigid-connections"), YES_OR_NO("one-branch")}

/* A row with a name alone is the file examples/NAME.yaml. */
const clv_example clv_example_table[] = {
    {.name = "pendulum"},
    {.name = "double-pendulum"},
    {"chain",
     "open chain of links along x; links=8, spatial=0 (1: axes alternate between z and y; 2: skew axes, crumpled)",
     10,
     DOWN_Y,
     {{"links", 8, 1, 1e7, true}, {"spatial", 0, 0, 2, true}},
     clv_example_chain},
    {.name = "chain-closed"},
    {.name = "sine-chain-16"},
    {.name = "hdca-case1"},
    {.name = "hdca-case2"},
    {.name = "hdca-case3"},
    {.name = "aldca-coupled"},
    {.name = "five-bar"},
    {.name = "four-bar-ladder"},
    {.name = "loader"},
    {.name = "loader-work"},
    {.name = "bricard"},
    {.name = "andrews"},
    {.name = "suspension"},
    {.name = "slider-crank"},
    {.name = "cradle"},
    {.name = "bicycle"},
    {.name = "loop-7r"},
    {.name = "tree-robot"},
    {.name = "satellite"},
    {.name = "biped"},
    {.name = "capture"},
    {.name = "governor"},
    {.name = "flex-arm"},
    {"mmsev-rigid",
     "crew vehicle of the JSC paper: three legs anchored to a small planet, two arms with one payload; 41 degrees of "
     "freedom, 23 free. Parameters: rigid-connections=0 (1: limbs are welded to the crew module, 42 unknown forces), "
     "one-branch=0 (1: no division)",
     5,
     NONE,
     VEHICLE,
     clv_example_mmsev_rigid},
    {"mmsev-flexible", "the same with ten flexible booms: 64 modes", 5, NONE, VEHICLE, clv_example_mmsev_flexible},
    {.name = "jsc-18"},
};
const int clv_example_total = (int)(sizeof clv_example_table / sizeof clv_example_table[0]);

const char *clv_example_name(int i)
{
    return i >= 0 && i < clv_example_total ? clv_example_table[i].name : NULL;
}

/* The file of an example; NULL if it is a generator. */
static const clv_example_file *file_of(const clv_example *x)
{
    const clv_example_file *f = clv_example_files;
    while (f->name && strcmp(f->name, x->name) != 0)
        ++f;
    return !x->build && f->name ? f : NULL;
}

const char *clv_example_text(int i)
{
    if (i < 0 || i >= clv_example_total)
        return NULL;
    const clv_example *x = &clv_example_table[i];
    return x->build ? x->text : file_of(x)->text;
}

const char *clv_example_source(int i)
{
    const clv_example_file *f = i >= 0 && i < clv_example_total ? file_of(&clv_example_table[i]) : NULL;
    return f ? f->yaml : NULL;
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

/* Of a generator. */
static clv_status generate(clv_model *m, const clv_example *x, const char *const *params, int nparam)
{
    clv_status status = CLV_OK;
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

clv_status clv_example_create(clv_model **model, const char *name, const char *const *params, int nparam)
{
    clv_status status = clv_model_create(model, name ? name : "");
    if (status != CLV_OK)
        return status;
    const clv_example *x = find_example(&(*model)->last, name);
    if (!x)
        return (*model)->last.code;
    const clv_example_file *f = file_of(x);
    if (!f)
        return generate(*model, x, params, nparam);
    char path[64];
    clv_model_destroy(*model);
    snprintf(path, sizeof path, "examples/%s.yaml", name);
    return clv_model_read_text_with(model, f->yaml, f->size, path, params, nparam);
}
