/* SPDX-License-Identifier: Apache-2.0
 * Couplings: two joints by a ratio in one of its forms (T57), by a polynomial or a table (cam and follower), or a sum
 * over any number of joints (T98). */
#include "base/memory.h"
#include "io/yaml_read.h"
#include "math/sincos.h"
#include "model/joint.h"

static bool turns(const clv_entry *e, int joint)
{
    return clv_coordinate_turns(e->reader->model->joint[joint].kind, 0);
}

/* ------------------------------------------------------------------ ratios */

/* Rack and screw join an angle and a length: the kinds of both joints decide which of them is the angle. */
static void ratio_of_travel(clv_entry *e, const clv_value *v, const char *key, double travel, clv_coupling_desc *d)
{
    const clv_joint *first = &e->reader->model->joint[d->first], *second = &e->reader->model->joint[d->second];
    const clv_joint_kind a = first->kind, b = second->kind;
    if (a == CLV_JOINT_REVOLUTE && b == CLV_JOINT_PRISMATIC)
        d->ratio = travel;
    else if (a == CLV_JOINT_PRISMATIC && b == CLV_JOINT_REVOLUTE)
        d->ratio = 1 / travel;
    else
        clv_entry_fail(e, v, key, "name a revolute and a prismatic joint, or give `ratio`",
                       "'%s' joins a revolute and a prismatic joint; '%s' is %s and '%s' is %s", key, first->name,
                       clv_joint_table[a].name, second->name, clv_joint_table[b].name);
}

/* A belt moves both rims alike: r_1 u_1 = r_2 u_2. */
static void ratio_of_belt(clv_entry *e, const clv_value *v, clv_coupling_desc *d)
{
    const int joint[2] = {d->first, d->second};
    for (int i = 0; i < 2; i++) {
        const clv_joint *j = &e->reader->model->joint[joint[i]];
        if (j->kind != CLV_JOINT_REVOLUTE)
            clv_entry_fail(e, v, "belt", "name two revolute joints, or give `ratio`",
                           "'belt' joins two revolute joints; '%s' is %s", j->name, clv_joint_table[j->kind].name);
        if (v->x[i] == 0)
            clv_entry_fail(e, v, "belt", "write `belt: [0.1, 0.04]`", "a radius of 0 moves no belt");
    }
    d->ratio = v->x[0] / v->x[1];
}

/* The ratio by one of its forms; false: none is given. */
static bool read_ratio(clv_entry *e, clv_coupling_desc *d)
{
    const clv_value *ratio = CLV_VALUE(e, COUPLING, RATIO), *rack = CLV_VALUE(e, COUPLING, RACK);
    const clv_value *screw = CLV_VALUE(e, COUPLING, SCREW), *belt = CLV_VALUE(e, COUPLING, BELT);
    if (rack->node)
        ratio_of_travel(e, rack, "rack", rack->x[0], d);
    else if (screw->node)
        ratio_of_travel(e, screw, "screw", screw->x[0] / (2 * CLV_PI), d);
    else if (belt->node)
        ratio_of_belt(e, belt, d);
    else if (ratio->node)
        d->ratio = ratio->x[0];
    else
        return false;
    return true;
}

/* ------------------------------------------------------------------ cams */

/* One number of a row, the coordinate of a joint. */
static bool read_coordinate(clv_entry *e, const clv_yaml_node *n, int joint, double *x)
{
    clv_schema_row row = clv_schema[CLV_KEY_COUPLING_TABLE];
    const bool angle = turns(e, joint);
    int unit;
    row.angle = angle ? CLV_ANGLE : CLV_NO_ANGLE;
    if (!clv_read_number(e, n, &row, x, &unit))
        return false;
    if (unit >= 0 && unit != angle) {
        clv_key_fail(e, n, &row, "the coordinate of %s is %s; this has the unit of %s",
                     e->reader->model->joint[joint].name, angle ? "an angle" : "a translation",
                     angle ? "a translation" : "an angle");
        return false;
    }
    return true;
}

/* Rows of [coordinate of first, coordinate of second]; their storage is to be freed. */
static double *read_table(clv_entry *e, clv_coupling_desc *d)
{
    const clv_value *v = CLV_VALUE(e, COUPLING, TABLE);
    const clv_schema_row *key = &clv_schema[CLV_KEY_COUPLING_TABLE];
    const int n = (int)v->node->count;
    double *x = clv_alloc((size_t)n + 1, 2 * sizeof *x), *y = x ? x + n : NULL;
    int k = 0;
    if (!x) {
        clv_read_out_of_memory(e->reader);
        e->good = false;
        return NULL;
    }
    for (const clv_yaml_node *row = clv_node(e->reader, v->node->first); row;
         row = clv_node(e->reader, row->next), k++) {
        if (row->kind != CLV_YAML_LIST || row->count != 2) {
            clv_key_fail(e, row, key, "row %d of the table is not [q(first), q(second)]", k + 1);
            break;
        }
        const clv_yaml_node *a = clv_node(e->reader, row->first);
        if (!read_coordinate(e, a, d->first, &x[k]) ||
            !read_coordinate(e, clv_node(e->reader, a->next), d->second, &y[k]))
            break;
    }
    if (k < n)
        e->good = false;
    else if (n == 0)
        clv_entry_fail(e, v, "table", "add rows of [q(first), q(second)]", "the table has no rows");
    else
        d->table = (clv_table){n, x, y};
    return x;
}

/* ------------------------------------------------------------------ sums */

int clv_read_terms(clv_entry *e, const clv_value *of, const clv_schema_row *key, const char *whole, const char *hint,
                   clv_coupling_term *term)
{
    int unit, n = 0;
    if (of->node->count == 0 || of->node->count > CLV_COUPLING_MOST) {
        clv_entry_fail(e, of, "of", hint, "a %s has 1 to %d joints, found %u", whole,
                       CLV_COUPLING_MOST, of->node->count);
        return 0;
    }
    for (const clv_yaml_node *name = clv_node(e->reader, of->node->first), *x; name;
         name = clv_node(e->reader, x->next)) {
        clv_coupling_term *to = &term[n++];
        x = clv_node(e->reader, name->next);
        clv_find_joint(e, name, "of", &to->joint);
        clv_read_number(e, x, key, &to->factor, &unit);
    }
    return n;
}

/* ------------------------------------------------------------------ all of it */

/* Exactly one of the forms, each with what belongs to it. */
static bool check_form(clv_entry *e)
{
    const clv_value *of = CLV_VALUE(e, COUPLING, OF), *first = CLV_VALUE(e, COUPLING, FIRST);
    const clv_value *second = CLV_VALUE(e, COUPLING, SECOND), *periodic = CLV_VALUE(e, COUPLING, PERIODIC);
    const clv_value *form[] = {CLV_VALUE(e, COUPLING, RATIO),      CLV_VALUE(e, COUPLING, RACK),
                               CLV_VALUE(e, COUPLING, SCREW),      CLV_VALUE(e, COUPLING, BELT),
                               CLV_VALUE(e, COUPLING, POLYNOMIAL), CLV_VALUE(e, COUPLING, TABLE)};
    const clv_value *last = NULL;
    int given = 0;
    for (size_t i = 0; i < sizeof form / sizeof *form; i++) /* NOLINT(bugprone-sizeof-expression): pointers */
        if (form[i]->node)
            given++, last = form[i];
    if (of->node && (first->node || second->node || given > 0))
        clv_entry_fail(e, of, "of", "leave `first`, `second` and the form of their relation out",
                       "the sum over joints `of` takes no other key than `offset`");
    else if (!of->node && !first->node)
        clv_entry_fail(e, NULL, "first", "write `first: a`, or `of: {a: 1, b: -2}`", "'first' is missing");
    else if (!of->node && !second->node)
        clv_entry_fail(e, NULL, "second", "write `second: b`, or `of: {a: 1, b: -2}`", "'second' is missing");
    else if (!of->node && given != 1)
        clv_entry_fail(e, last, "ratio", "write `ratio: -2`, `rack: 0.02`, `screw: 0.005` or `belt: [0.1, 0.04]`",
                       "a coupling has one of ratio, rack, screw, belt, polynomial and table; %d are given", given);
    if (periodic->node && !CLV_VALUE(e, COUPLING, TABLE)->node)
        clv_entry_fail(e, periodic, "periodic", "add `table`, or leave it out", "only a table is periodic");
    return e->good;
}

/* first, second and their relation; the storage of a table */
static double *read_pair(clv_entry *e, clv_coupling_desc *d)
{
    const clv_value *polynomial = CLV_VALUE(e, COUPLING, POLYNOMIAL), *offset = CLV_VALUE(e, COUPLING, OFFSET);
    const bool found = clv_find_joint(e, CLV_VALUE(e, COUPLING, FIRST)->node, "first", &d->first);
    if (!clv_find_joint(e, CLV_VALUE(e, COUPLING, SECOND)->node, "second", &d->second))
        return NULL;
    clv_value_fits(e, offset, "offset", turns(e, d->second), e->reader->model->joint[d->second].name);
    if (!found || read_ratio(e, d))
        return NULL;
    if (polynomial->node) {
        d->npolynomial = polynomial->count, d->polynomial = polynomial->x;
        return NULL;
    }
    d->periodic = CLV_VALUE(e, COUPLING, PERIODIC)->node && CLV_VALUE(e, COUPLING, PERIODIC)->x[0] != 0;
    return read_table(e, d);
}

bool clv_make_coupling(clv_entry *e, const char *name)
{
    const clv_value *offset = CLV_VALUE(e, COUPLING, OFFSET);
    clv_coupling_term term[CLV_COUPLING_MOST];
    clv_coupling_desc d = clv_coupling_desc_default();
    double *storage = NULL;
    d.name = name;
    if (offset->node)
        d.offset = offset->x[0];
    if (check_form(e)) {
        if (CLV_VALUE(e, COUPLING, OF)->node)
            d.term = term, d.nterm = clv_read_terms(e, CLV_VALUE(e, COUPLING, OF), &clv_schema[CLV_KEY_COUPLING_OF],
                                                    "coupling", "write `of: {a: 1, b: -2, c: 0.5}`", term);
        else
            storage = read_pair(e, &d);
    }
    const bool made =
        e->good && clv_item_made(e, clv_model_add_coupling(e->reader->model, NULL, &d), CLV_A_COUPLING);
    clv_free(storage);
    return made;
}
