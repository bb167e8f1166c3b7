/* SPDX-License-Identifier: Apache-2.0
 * The variables of a functional mock-up unit; see fmu.h.  Order: time, inputs, parameters, outputs,
 * states, their derivatives, event indicators.  Two variables
 * have different names: one that is taken is written with the section of the model file, as "parameters.l". */
#include "base/error.h"
#include "base/memory.h"
#include "io/fmu.h"
#include "model/joint.h"
#include "model/model.h"
#include "simulation/exchange.h"
#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- a list that grows */

static bool taken(const clv_fmu_table *t, const char *name)
{
    size_t at;
    return clv_map_find(&t->names, name, &at);
}

/* Appends one, with its section in front if its name is taken. */
static clv_status append(clv_fmu_table *t, clv_fmu_variable v, const char *name, const char *section, clv_error *e)
{
    char text[256];
    if (t->n == t->capacity) {
        const int room = 2 * t->capacity + 16;
        clv_fmu_variable *more = clv_resize(t->variable, (size_t)room, sizeof *more);
        if (!more)
            return clv_fail(e, CLV_ERR_MEMORY, "out of memory");
        t->variable = more, t->capacity = room;
    }
    const bool twice = taken(t, name);
    const int n = snprintf(text, sizeof text, "%s%s%s", twice ? section : "", twice ? "." : "", name);
    if (n >= (int)sizeof text || (twice && taken(t, text)))
        return clv_fail(e, CLV_ERR_MODEL, "two variables of the unit would be called '%.100s'", text);
    v.name = clv_copy_text(text);
    if (!v.name || !clv_map_add(&t->names, text, (size_t)t->n)) {
        clv_free(v.name);
        return clv_fail(e, CLV_ERR_MEMORY, "out of memory");
    }
    if (strcmp(v.unit, "-") == 0 || strcmp(v.unit, "1") == 0)
        *v.unit = 0;
    size_t at;
    v.new_unit = *v.unit && !clv_map_find(&t->units, v.unit, &at);
    t->variable[t->n++] = v;
    return !v.new_unit || clv_map_add(&t->units, v.unit, 0) ? CLV_OK : clv_fail(e, CLV_ERR_MEMORY, "out of memory");
}

/* ---------------------------------------------------------------- sections */

static clv_status add_inputs(clv_fmu_table *t, const clv_model *m, clv_error *e)
{
    clv_status st = CLV_OK;
    for (int i = 0; i < m->ninput && st == CLV_OK; i++) {
        const clv_input *x = &m->input[i];
        clv_fmu_variable v = {.kind = CLV_FMU_INPUT, .index = i, .start = x->value, .least = x->limit[0],
                              .most = x->limit[1]};
        snprintf(v.unit, sizeof v.unit, "%s", clv_input_unit(m, x));
        st = append(t, v, x->name, "inputs", e);
    }
    return st;
}

static clv_status add_parameters(clv_fmu_table *t, const clv_model *m, clv_error *e)
{
    clv_status st = CLV_OK;
    for (int i = 0; i < m->nparameter && st == CLV_OK; i++) {
        const clv_parameter *p = &m->parameter[i];
        clv_fmu_variable v = {.kind = p->derived ? CLV_FMU_DERIVED : CLV_FMU_PARAMETER, .index = i, .start = p->shown,
                              .least = p->least, .most = p->most};
        snprintf(v.unit, sizeof v.unit, "%s", p->unit);
        st = append(t, v, p->name, "parameters", e);
    }
    return st;
}

/* Accelerations and forces: inputs act on them at once. */
static bool is_direct(const char *unit)
{
    static const char *const of[] = {"m/s^2", "rad/s^2", "N", "N m"};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (strcmp(unit, of[i]) == 0)
            return true;
    return false;
}

/* A body and a marker, a joint and a body may have the same name. */
static const char *section_of(const clv_column *c)
{
    return strcmp(c->kind, "marker") == 0  ? "markers"
           : strcmp(c->kind, "joint") == 0 ? "joints"
           : strcmp(c->kind, "contact") == 0 ? "forces"
           : strcmp(c->kind, "run") == 0   ? "outputs"
                                           : "bodies";
}

static clv_status add_outputs(clv_fmu_table *t, const char *outputs, const clv_model *m, clv_error *e)
{
    char name[256];
    clv_status st = clv_columns_create(&t->columns, m, outputs, false, e);
    for (int i = 1; i < t->columns.n && st == CLV_OK; i++) {
        const clv_column *c = &t->columns.column[i];
        for (int k = 0; k < c->count && st == CLV_OK; k++) {
            clv_fmu_variable v = {.kind = CLV_FMU_OUTPUT, .index = c->first + k, .direct = is_direct(c->unit),
                                  .comes = strcmp(c->kind, "joint") == 0 && clv_model_comes_and_goes(m, c->item),
                                  .least = -INFINITY, .most = INFINITY};
            snprintf(v.unit, sizeof v.unit, "%s", c->unit);
            const int n = c->count > 1 ? snprintf(name, sizeof name, "%s.%c", c->name, c->axes[2 * k])
                                       : snprintf(name, sizeof name, "%s", c->name);
            st = n < (int)sizeof name ? append(t, v, name, section_of(c), e)
                                      : clv_fail(e, CLV_ERR_MODEL, "the name of output '%.80s...' is too long", name);
        }
    }
    return st;
}

/* ---------------------------------------------------------------- states */

/* A unit and that of the derivative. */
typedef struct unit_pair {
    const char *own, *rate;
} unit_pair;

/* x y z are lengths, rx ry rz angles about these axes, qw .. qz a quaternion */
static unit_pair coordinate_units(clv_joint_kind kind, const char *suffix)
{
    const char *letter = *suffix ? suffix + 1 : suffix; /* behind the dot */
    const bool length = *suffix ? *letter != 'r' : kind == CLV_JOINT_PRISMATIC;
    if (*letter == 'q')
        return (unit_pair){"", ""};
    return length ? (unit_pair){"m", "m/s"} : (unit_pair){"rad", "rad/s"};
}

static unit_pair rate_units(const clv_exchange_state *x)
{
    const bool length = clv_joint_shift(x->kind, x->index);
    if (x->momentum)
        return length ? (unit_pair){"kg m/s", "N"} : (unit_pair){"kg m^2/s", "N m"};
    return length ? (unit_pair){"m/s", "m/s^2"} : (unit_pair){"rad/s", "rad/s^2"};
}

/* "state.a.q", "state.a.p", "state.boom.mode.1", "state.work", and the units */
static unit_pair name_state(const clv_model *m, const clv_exchange_state *x, char *name, size_t size)
{
    const char *letter = x->momentum ? "p" : x->rate ? "u" : "q";
    if (x->body < 0) {
        snprintf(name, size, "state.work");
        return (unit_pair){"J", "W"};
    }
    if (x->mode) {
        snprintf(name, size, "state.%s.mode.%d.%s", m->body[x->body].name, x->index + 1, letter);
        return (unit_pair){"", ""};
    }
    const char *suffix = clv_coordinate_suffix(x->kind, x->rate, x->index);
    snprintf(name, size, "state.%s.%s%s", x->joint >= 0 ? m->joint[x->joint].name : m->body[x->body].name, letter,
             suffix);
    return x->rate ? rate_units(x) : coordinate_units(x->kind, suffix);
}

/* A state, or its derivative. */
static clv_status add_state(clv_fmu_table *t, const clv_model *m, const clv_exchange_state *x, int index, bool rate,
                            clv_error *e)
{
    char name[200], text[216];
    const unit_pair unit = name_state(m, x, name, sizeof name);
    clv_fmu_variable v = {.kind = rate ? CLV_FMU_RATE : CLV_FMU_STATE, .index = index,
                          .direct = x->rate || x->body < 0, .least = -INFINITY, .most = INFINITY,
                          .nominal = rate ? 0 : x->nominal};
    snprintf(v.unit, sizeof v.unit, "%s", rate ? unit.rate : unit.own);
    snprintf(text, sizeof text, rate ? "der(%s)" : "%s", name);
    return append(t, v, text, "states", e);
}

/* States, then derivatives in the same order. */
static clv_status add_states(clv_fmu_table *t, const clv_model *m, const clv_sim *sim, clv_error *e)
{
    const int n = clv_exchange_count(sim);
    clv_status st = CLV_OK;
    clv_exchange_state *x = clv_alloc((size_t)n + 1, sizeof *x);
    if (!x)
        return clv_fail(e, CLV_ERR_MEMORY, "out of memory");
    clv_exchange_describe(sim, x);
    for (int i = 0; i < 2 * n && st == CLV_OK; i++)
        st = add_state(t, m, &x[i % n], i % n, i >= n, e);
    clv_free(x);
    return st;
}

/* Unit of what a condition waits for. */
static const char *condition_unit(const clv_model *m, const clv_event *e)
{
    const clv_joint_kind kind = e->joint >= 0 ? m->joint[e->joint].kind : CLV_JOINT_FREE;
    switch (e->condition) {
    case CLV_WHEN_COORDINATE:
        return coordinate_units(kind, "").own;
    case CLV_WHEN_RATE:
        return coordinate_units(kind, "").rate;
    case CLV_WHEN_DISTANCE:
        return "m";
    case CLV_WHEN_EFFORT:
        return clv_effort_unit(kind, 0);
    default:
        return e->condition == CLV_WHEN_FORCE ? "N" : "N m";
    }
}

static clv_status add_indicators(clv_fmu_table *t, const clv_model *m, const clv_sim *sim, clv_error *e)
{
    char name[200];
    clv_status st = CLV_OK;
    for (int k = 0; k < clv_exchange_indicators(sim) && st == CLV_OK; k++) {
        const clv_event *event = &m->event[clv_exchange_event(sim, k)];
        clv_fmu_variable v = {.kind = CLV_FMU_INDICATOR, .index = k, .least = -INFINITY, .most = INFINITY,
                              .direct = event->condition >= CLV_WHEN_FORCE};
        snprintf(v.unit, sizeof v.unit, "%s", condition_unit(m, event));
        snprintf(name, sizeof name, "event.%s", event->name);
        st = append(t, v, name, "events", e);
    }
    return st;
}

/* ---------------------------------------------------------------- public */

clv_status clv_fmu_table_create(clv_fmu_table *t, const clv_model *model, const char *outputs,
                                const clv_sim *sim, clv_error *e)
{
    *t = (clv_fmu_table){0};
    clv_error_clear(e);
    const clv_fmu_variable time = {.kind = CLV_FMU_TIME, .unit = "s", .least = -INFINITY, .most = INFINITY};
    clv_status st = append(t, time, "time", "", e);
    st = st == CLV_OK ? add_inputs(t, model, e) : st;
    st = st == CLV_OK ? add_parameters(t, model, e) : st;
    st = st == CLV_OK ? add_outputs(t, outputs, model, e) : st;
    st = st == CLV_OK && sim ? add_states(t, model, sim, e) : st;
    st = st == CLV_OK && sim ? add_indicators(t, model, sim, e) : st;
    if (st != CLV_OK)
        clv_fmu_table_release(t);
    return st;
}

void clv_fmu_table_release(clv_fmu_table *t)
{
    for (int i = 0; i < t->n; i++)
        clv_free(t->variable[i].name);
    clv_free(t->variable);
    clv_map_free(&t->names), clv_map_free(&t->units);
    clv_columns_release(&t->columns);
    *t = (clv_fmu_table){0};
}

int clv_fmu_count(const clv_fmu_table *t, clv_fmu_kind kind)
{
    int n = 0;
    for (int i = 0; i < t->n; i++)
        n += t->variable[i].kind == kind;
    return n;
}

bool clv_fmu_table_same(const clv_fmu_table *a, const clv_fmu_table *b, const char **other)
{
    for (int i = 0; i < a->n || i < b->n; i++) {
        *other = i < b->n ? b->variable[i].name : a->variable[i].name;
        if (i >= a->n || i >= b->n || strcmp(a->variable[i].name, b->variable[i].name) != 0 ||
            strcmp(a->variable[i].unit, b->variable[i].unit) != 0)
            return false;
    }
    return true;
}
