/* SPDX-License-Identifier: Apache-2.0
 * `parameters`: numbers by name, in any order, each a decimal, a decimal with a unit or a formula of others.  Also the
 * values that a program or a command line gives instead ("name=value").  A formula is evaluated when it is first
 * needed; one that needs itself is refused.  clv_read_formula evaluates formulas anywhere in the file. */
#include "base/error.h"
#include "base/memory.h"
#include "io/expression.h"
#include "io/yaml_read.h"
#include "model/parameter.h"
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { UNREAD, READING, GOOD, BAD };

struct clv_parameter_entry {
    const clv_yaml_node *key, *value, *range;
    const char *given; /* text of the value given instead; NULL: none */
    bool has_unit;
    clv_unit unit;            /* of a number without one                     */
    char text[CLV_UNIT_TEXT]; /* that unit                            */
    int state;
    clv_quantity q;
    double least, most; /* SI */
    long used;          /* formulas that name it */
    bool derived;       /* its value in the file names others */
};

typedef struct clv_parameter_entry entry;

static const char *name_of(const clv_reader *r, const entry *p)
{
    return clv_node_text(r, p->key);
}

/* ---------------------------------------------------------------- names */

static bool is_name(const char *t)
{
    if (!isalpha((unsigned char)*t) && *t != '_')
        return false;
    for (; *t; ++t)
        if (!isalnum((unsigned char)*t) && *t != '_')
            return false;
    return true;
}

static const char *nearest(const clv_reader *r, const char *wanted)
{
    const char *best = NULL;
    int distance = clv_near_enough(wanted) + 1;
    for (size_t i = 0; i < r->nparameter; ++i)
        clv_nearest(&best, &distance, wanted, name_of(r, &r->parameter[i]));
    return best;
}

/* "parameters: l in m, mass in kg (0.1 to 10)" */
static void list_known(const clv_reader *r, char *hint, size_t size)
{
    const char *none = "there are no parameters: the model file has no section 'parameters'";
    size_t n = (size_t)snprintf(hint, size, "%s", r->nparameter ? "parameters:" : none);
    for (size_t i = 0; i < r->nparameter && n + 40 < size; ++i) {
        const entry *p = &r->parameter[i];
        n += (size_t)snprintf(hint + n, size - n, "%s %.60s%s%s", i ? "," : "", name_of(r, p), *p->text ? " in " : "",
                              p->text);
        if (n + 40 < size && (isfinite(p->least) || isfinite(p->most)))
            n += (size_t)snprintf(hint + n, size - n, " (%.6g to %.6g)", clv_unit_back(p->least, &p->unit),
                                  clv_unit_back(p->most, &p->unit));
    }
}

/* ---------------------------------------------------------------- formulas */

static void evaluate(clv_reader *r, entry *p, int depth);

static bool find_counter(clv_entry *e, clv_quantity *q, clv_expression_fault *f)
{
    e->counts = true;
    *q = (clv_quantity){.x = (double)e->copy, .state = CLV_BARE};
    return e->repeated || clv_expression_fail(f, f->at, "add `repeat: 10`; i then counts the copies",
                                              "'i' counts copies, but this entry has no `repeat`");
}

static bool fail_unknown(const clv_reader *r, const char *name, clv_expression_fault *f)
{
    char hint[160];
    const char *near = nearest(r, name);
    if (!near && clv_edit_distance(name, "pi", 1) <= 1)
        near = "pi";
    if (near)
        snprintf(hint, sizeof hint, "did you mean '%.60s'?", near);
    else if (strcmp(name, "t") == 0 || strcmp(name, "time") == 0)
        snprintf(hint, sizeof hint, "formulas do not depend on time; write a table, as [[0, 0], [1, 5]]");
    else if (r->nparameter)
        list_known(r, hint, sizeof hint);
    else
        snprintf(hint, sizeof hint, "write its value under `parameters: {%.60s: 1}`", name);
    return clv_expression_fail(f, f->at, hint, "unknown name '%.60s'", name);
}

/* What a name in a formula stands for. */
static bool find(void *user, const char *name, int depth, clv_quantity *q, clv_expression_fault *f)
{
    clv_entry *e = user;
    clv_reader *r = e->reader;
    size_t index;
    if (strcmp(name, "i") == 0)
        return find_counter(e, q, f);
    if (!clv_map_find(&r->parameter_of, name, &index))
        return fail_unknown(r, name, f);
    entry *p = &r->parameter[index];
    p->used++, e->names = true;
    if (p->state == READING)
        return clv_expression_fail(f, f->at, "a parameter may depend on others, not on itself",
                                   "the value of '%.60s' depends on itself", name);
    if (p->state == UNREAD)
        evaluate(r, p, depth);
    *q = p->q;
    if (p->state == BAD) {
        clv_expression_fail(f, f->at, "", "the parameter '%.60s' has no value", name);
        f->told = true;
    }
    return p->state == GOOD;
}

bool clv_read_formula(clv_entry *e, const char *text, int depth, clv_quantity *q, clv_expression_fault *f)
{
    const clv_scope scope = {find, e};
    return clv_expression_read(text, &scope, depth, q, f);
}

/* ---------------------------------------------------------------- values */

/* A number without a unit is in the parameter's own; one with a unit must fit it. */
static bool settle(const entry *p, clv_quantity *q)
{
    if (q->state == CLV_WITH_UNIT)
        return !p->has_unit || (clv_dimension_fits(&q->dimension, &p->unit.dimension) &&
                                clv_dimension_fits(&p->unit.dimension, &q->dimension));
    if (p->has_unit)
        *q = (clv_quantity){clv_unit_times(q->x, &p->unit), CLV_WITH_UNIT, p->unit.dimension};
    else
        q->state = CLV_FREE;
    return true;
}

/* One number of the section, in SI. */
static bool read_one(clv_entry *e, entry *p, const clv_yaml_node *n, clv_key key, int depth, clv_quantity *q)
{
    const clv_schema_row *row = &clv_schema[key];
    char unit[CLV_UNIT_TEXT];
    if (!clv_read_quantity(e, n, row, depth, q))
        return false;
    if (settle(p, q)) {
        if (isfinite(q->x))
            return true;
        clv_key_fail(e, n, row, "'%.80s' is too large for a number", clv_node_text(e->reader, n));
        return false;
    }
    clv_dimension_text(&q->dimension, unit);
    clv_key_fail(e, n, row, "'%.80s' is %s%s, but the unit of this parameter is %s", clv_node_text(e->reader, n),
                 *unit ? "in " : "a pure number", unit, p->text);
    return false;
}

static bool read_range(clv_entry *e, entry *p, int depth)
{
    const clv_yaml_node *low = p->range ? clv_node(e->reader, p->range->first) : NULL;
    clv_quantity a, b;
    if (!p->range)
        return true;
    if (p->range->kind != CLV_YAML_LIST || p->range->count != 2) {
        clv_key_fail(e, p->range, &clv_schema[CLV_KEY_PARAMETER_RANGE], "expected the least and the largest value");
        return false;
    }
    if (!read_one(e, p, low, CLV_KEY_PARAMETER_RANGE, depth, &a) ||
        !read_one(e, p, clv_node(e->reader, low->next), CLV_KEY_PARAMETER_RANGE, depth, &b))
        return false;
    p->least = a.x, p->most = b.x;
    if (p->least <= p->most)
        return true;
    clv_key_fail(e, p->range, &clv_schema[CLV_KEY_PARAMETER_RANGE], "the least value is greater than the largest");
    return false;
}

static bool in_range(const entry *p, double x)
{
    return x >= p->least && x <= p->most;
}

/* ---------------------------------------------------------------- values given instead */

static bool no_names(void *user, const char *name, int depth, clv_quantity *q, clv_expression_fault *f)
{
    (void)user, (void)depth, (void)q;
    return clv_expression_fail(f, f->at, "", "unknown name '%.60s'", name);
}

/* Adds an error about what was given; always false. */
static bool fail_given(clv_reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail_given(clv_reader *r, const char *format, ...)
{
    char hint[256], text[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    list_known(r, hint, sizeof hint);
    clv_read_fail(r, CLV_ERR_USAGE, NULL, "", NULL, hint, "%s", text);
    return r->misused = true, false;
}

/* The value given instead of the file's. */
static bool override(clv_reader *r, entry *p)
{
    const clv_scope scope = {no_names, NULL};
    clv_expression_fault fault;
    clv_quantity q;
    if (!clv_expression_read(p->given, &scope, 0, &q, &fault))
        return fail_given(r, "parameter %s: expected a number, found '%.80s'", name_of(r, p), p->given);
    if (!settle(p, &q) || !isfinite(q.x))
        return fail_given(r, "parameter %s: '%.80s' does not fit its unit", name_of(r, p), p->given);
    if (!in_range(p, q.x))
        return fail_given(r, "parameter %s: %.60s is outside its range, %.9g to %.9g%s%s", name_of(r, p), p->given,
                          clv_unit_back(p->least, &p->unit), clv_unit_back(p->most, &p->unit), *p->text ? " " : "",
                          p->text);
    p->q = q;
    return true;
}

/* Notes "name=value" at its parameter; or (`tell`, once all parameters are known) says what is wrong with it. */
static void take_given(clv_reader *r, const char *text, bool tell)
{
    char name[64];
    size_t index;
    const char *equals = text ? strchr(text, '=') : NULL;
    const int length = (int)(equals ? equals - text : 0);
    snprintf(name, sizeof name, "%.*s", length, text ? text : "");
    const bool found = clv_map_find(&r->parameter_of, name, &index);
    if (found && !r->parameter[index].given)
        r->parameter[index].given = equals + 1;
    if (!tell || (found && r->parameter[index].given == equals + 1))
        return;
    if (found) {
        fail_given(r, "parameter %s is given twice", name);
        return;
    }
    if (!equals || length == 0 || length >= (int)sizeof name) {
        fail_given(r, "'%.80s' is not of the form name=value", text ? text : "");
        return;
    }
    const char *near = nearest(r, name);
    fail_given(r, "the model has no parameter '%s'%s%s%s", name, near ? "; did you mean '" : "", near ? near : "",
               near ? "'?" : "");
}

/* ---------------------------------------------------------------- the section */

/* Value and range of a parameter of the file, then the value given instead. */
static void evaluate(clv_reader *r, entry *p, int depth)
{
    clv_entry e = {.reader = r, .node = p->value, .name = p->key, .section = CLV_IN_PARAMETER, .good = true};
    const clv_schema_row *row = &clv_schema[CLV_KEY_PARAMETER_VALUE];
    clv_path_join(e.path, sizeof e.path, "parameters", name_of(r, p));
    p->state = READING;
    bool good = read_one(&e, p, p->value, CLV_KEY_PARAMETER_VALUE, depth, &p->q);
    p->derived = e.names;
    if (good && !p->has_unit && p->q.state == CLV_WITH_UNIT) {
        p->has_unit = true;
        p->unit = (clv_unit){.dimension = p->q.dimension, .times = 1, .over = 1};
        clv_dimension_text(&p->q.dimension, p->text);
    }
    good = good && read_range(&e, p, depth);
    if (good && !p->given && !in_range(p, p->q.x)) {
        clv_key_fail(&e, p->value, row, "%.9g is outside the range %.9g to %.9g%s%s", clv_unit_back(p->q.x, &p->unit),
                     clv_unit_back(p->least, &p->unit), clv_unit_back(p->most, &p->unit), *p->text ? " " : "", p->text);
        good = false;
    }
    p->state = good && (!p->given || override(r, p)) ? GOOD : BAD;
}

/* `unit: kg`, or the unit behind a number. */
static void take_unit(clv_entry *e, entry *p, const clv_value *v)
{
    const char *text = clv_node_text(e->reader, v ? v->node : p->value);
    char hint[120];
    size_t used;
    if (!v) {
        const size_t n = clv_decimal(text, true);
        text += n + strspn(text + n, " ");
        if (n == 0 || !clv_unit_read(text, true, &p->unit, &used) || used == 0 || text[used] != '\0')
            return;
    } else if (!clv_unit_whole(text, &p->unit)) {
        const char *near = clv_unit_nearest(text);
        snprintf(hint, sizeof hint, "%s%s%s",
                 near ? "did you mean '" : "units are m, mm, kg, s, deg, rpm, N, kN, bar, ...; ",
                 near ? near : "products are written as `kg m^2`, `N m/rad`", near ? "'?" : "");
        clv_entry_fail(e, v, "unit", hint, "unknown unit '%.80s'", text);
        return;
    }
    p->has_unit = snprintf(p->text, sizeof p->text, "%s", text) < (int)sizeof p->text;
    if (!p->has_unit)
        clv_entry_fail(e, v, "unit", "write it shorter", "a unit of more than %d characters", CLV_UNIT_TEXT - 1);
}

static void read_long(clv_reader *r, entry *p, const char *path)
{
    clv_entry e;
    if (!clv_entry_read(&e, r, p->value, p->key, CLV_IN_PARAMETER, path)) {
        p->state = BAD;
        return;
    }
    const clv_value *unit = CLV_VALUE(&e, PARAMETER, UNIT);
    p->value = CLV_VALUE(&e, PARAMETER, VALUE)->node;
    p->range = CLV_VALUE(&e, PARAMETER, RANGE)->node;
    if (unit->node)
        take_unit(&e, p, unit);
    else if (p->value->kind == CLV_YAML_SCALAR)
        take_unit(&e, p, NULL);
    p->state = e.good ? UNREAD : BAD;
}

static const char *bad_name(const char *name)
{
    static const char *const taken[] = {"i", "inf", "nan", "infinity"};
    if (!is_name(name))
        return "is not of letters, digits and _, a letter first";
    if (strlen(name) > 60)
        return "is longer than 60 characters";
    for (size_t k = 0; k < sizeof taken / sizeof *taken; ++k)
        if (strcmp(name, taken[k]) == 0)
            return k ? "looks like a number" : "counts the copies of `repeat`";
    return clv_expression_reserved(name) ? "is taken by a function or a constant" : NULL;
}

static void add(clv_reader *r, const clv_yaml_node *key)
{
    const char *name = clv_node_text(r, key), *bad = bad_name(name);
    char path[160];
    clv_path_join(path, sizeof path, "parameters", name);
    if (bad) {
        clv_read_fail(r, CLV_ERR_MODEL, key, path, NULL, "choose another name", "the name '%.60s' %s", name, bad);
        return;
    }
    if (!clv_read_reserve(r, &r->parameter, &r->parameter_capacity, r->nparameter + 1, sizeof *r->parameter))
        return;
    if (!clv_map_add(&r->parameter_of, name, r->nparameter)) {
        clv_read_out_of_memory(r);
        return;
    }
    entry *p = &r->parameter[r->nparameter++];
    *p = (entry){.key = key, .value = clv_node(r, key->next), .unit = {.times = 1, .over = 1}};
    p->least = -INFINITY, p->most = INFINITY;
    if (p->value->kind == CLV_YAML_MAP) {
        read_long(r, p, path);
    } else if (p->value->kind == CLV_YAML_SCALAR) {
        clv_entry e = {.reader = r, .node = p->value, .name = key, .section = CLV_IN_PARAMETER, .good = true};
        take_unit(&e, p, NULL);
    }
}

bool clv_read_parameters(clv_reader *r, const clv_yaml_node *node)
{
    if (node && !node->refused && node->kind == CLV_YAML_MAP)
        for (const clv_yaml_node *key = clv_node(r, node->first); key && !r->memory;
             key = clv_node(r, clv_node(r, key->next)->next))
            add(r, key);
    for (int i = 0; i < r->ngiven && !r->memory; ++i)
        if (!clv_given_is_path(r->given[i]))
            take_given(r, r->given[i], false);
    for (size_t i = 0; i < r->nparameter; ++i)
        if (r->parameter[i].state == UNREAD)
            evaluate(r, &r->parameter[i], 0);
    for (int i = 0; i < r->ngiven && !r->memory; ++i)
        if (!clv_given_is_path(r->given[i]))
            take_given(r, r->given[i], true);
    return !r->misused;
}

void clv_note_parameters(clv_reader *r)
{
    for (size_t i = 0; i < r->nparameter && !r->memory; ++i) {
        const entry *p = &r->parameter[i];
        const clv_parameter to = {.name = name_of(r, p),
                                  .unit = p->text,
                                  .value = p->q.x,
                                  .shown = clv_unit_back(p->q.x, &p->unit),
                                  .least = clv_unit_back(p->least, &p->unit),
                                  .most = clv_unit_back(p->most, &p->unit),
                                  .given = p->given != NULL,
                                  .used = p->used > 0,
                                  .derived = p->derived && !p->given};
        if (!clv_model_note_parameter(r->model, &to))
            clv_read_out_of_memory(r);
    }
}

void clv_free_parameters(clv_reader *r)
{
    clv_map_free(&r->parameter_of);
    clv_free(r->parameter);
}
