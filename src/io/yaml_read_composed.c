/* SPDX-License-Identifier: Apache-2.0
 * Values made of several: orientations in their four forms, tables over time. */
#include "base/memory.h"
#include "io/yaml_read.h"
#include "math/rotation.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

bool clv_value_fits(clv_entry *e, const clv_value *v, const char *key, bool turns, const char *what)
{
    const clv_schema_row *row = &clv_schema[clv_schema_find(e->section, key)];
    char hint[120];
    const int first = (int)strcspn(row->unit, ",");
    bool other = false;
    for (int k = 0; k < v->count; ++k)
        other = other || v->unit[k] == !turns;
    if (!v->node || !other)
        return true;
    snprintf(hint, sizeof hint, "give it in %.*s", turns ? 60 : first, row->unit + (turns ? first + 2 : 0));
    if (!turns && row->angle != CLV_NO_ANGLE)
        clv_entry_fail(e, v, key, "give it without deg, in metres",
                       "deg is allowed for angles only; this is a translation of %s", what);
    else
        clv_entry_fail(e, v, key, hint, "the coordinate of %s is %s; this has the unit of %s", what,
                       turns ? "an angle" : "a translation", turns ? "a translation" : "an angle");
    return false;
}

/* The unit of the values of a table, from "s; m, rad"; without "s;" the whole. */
static const char *unit_of_values(const clv_schema_row *row)
{
    const char *behind = strchr(row->unit, ';');
    return !behind ? row->unit : strcmp(behind, "; factor") == 0 ? "" : behind + 2;
}

/* A rotation matrix to 1e-6; the matrix itself is kept if it is one to rounding, else the nearest rotation stands for
 * it. */
static bool read_matrix(clv_entry *e, const clv_value *v, double q[4], double R[9], bool *exact)
{
    double P[9], det[3], worst = 0;
    clv_mat3_transpose_product(P, v->x, v->x);
    for (int k = 0; k < 9; ++k)
        worst = fmax(worst, fabs(P[k] - (k % 4 == 0)));
    const double x[3] = {v->x[0], v->x[3], v->x[6]}, y[3] = {v->x[1], v->x[4], v->x[7]},
                 z[3] = {v->x[2], v->x[5], v->x[8]};
    clv_cross(det, x, y);
    if (!(worst < 1e-6) || clv_dot3(det, z) < 0) {
        clv_entry_fail(e, v, "matrix", "its columns are the rotated axes: unit length, at right angles, right-handed",
                       "not a rotation matrix: its error is %.2g", clv_dot3(det, z) < 0 ? 2 : worst);
        return false;
    }
    clv_quat_from_rotation(q, v->x);
    *exact = worst < 1e-14;
    if (*exact)
        memcpy(R, v->x, 9 * sizeof *R);
    return true;
}

bool clv_value_orientation(clv_entry *e, const clv_value *v, const char *key, double q[4], double R[9], bool *exact)
{
    clv_entry o;
    char path[160];
    *exact = false;
    if (!v->node)
        return true;
    clv_path_join(path, sizeof path, e->path, key);
    if (!clv_entry_read_in(&o, e, v->node, NULL, CLV_IN_ORIENTATION, path))
        return e->good = false;
    const clv_value *axis = CLV_VALUE(&o, ORIENTATION, AXIS), *angle = CLV_VALUE(&o, ORIENTATION, ANGLE);
    const clv_value *quaternion = CLV_VALUE(&o, ORIENTATION, QUATERNION), *matrix = CLV_VALUE(&o, ORIENTATION, MATRIX);
    const clv_value *x = CLV_VALUE(&o, ORIENTATION, X), *z = CLV_VALUE(&o, ORIENTATION, Z);
    const char *form = "give one of {axis, angle}, {quaternion}, {matrix}, {x, z}";
    o.name = v->node;
    if (!!(axis->node || angle->node) + !!quaternion->node + !!matrix->node + !!(x->node || z->node) != 1 ||
        !axis->node != !angle->node || !x->node != !z->node)
        clv_entry_fail(&o, NULL, NULL, form, "an orientation is given in exactly one way, and completely");
    else if (axis->node)
        clv_quat_axis_angle(q, axis->x, angle->x[0]);
    else if (quaternion->node) {
        memcpy(q, quaternion->x, 4 * sizeof *q);
        if (fabs(clv_quat_norm(q) - 1) > 1e-15) /* a unit quaternion stays as it was written */
            clv_quat_normalize(q);
    } else if (matrix->node)
        read_matrix(&o, matrix, q, R, exact);
    else if (clv_rotation_frame(R, z->x, x->x))
        clv_quat_from_rotation(q, R);
    else
        clv_entry_fail(&o, x, "x", "choose x not parallel to z", "x is parallel to z");
    if (!*exact)
        clv_quat_rotation(R, q);
    return e->good = e->good && o.good;
}

bool clv_value_table(clv_entry *e, const clv_value *v, const char *key, int least, bool turns, clv_table *table,
                     double **storage)
{
    const clv_reader *r = e->reader;
    const clv_schema_row *key_row = &clv_schema[clv_schema_find(e->section, key)];
    clv_schema_row time_row = *key_row, value_row = *key_row;
    time_row.angle = CLV_NO_ANGLE;
    const clv_schema_row told = time_row;
    time_row.unit = "s";
    *storage = NULL;
    if (!v->node || v->node->kind != CLV_YAML_LIST)
        return true;
    value_row.unit = unit_of_values(key_row);
    value_row.angle = turns && value_row.angle != CLV_NO_ANGLE ? CLV_ANGLE : CLV_NO_ANGLE;
    int n = (int)v->node->count, k = 0;
    if (n < least) {
        clv_entry_fail(e, v, key, "add rows of two numbers, as [0, 0]", "the table has %d row%s, it needs at least %d",
                       n, n == 1 ? "" : "s", least);
        return false;
    }
    double *time = clv_alloc((size_t)n, 2 * sizeof *time);
    if (!time) {
        clv_read_out_of_memory(e->reader);
        return false;
    }
    double *value = time + n;
    for (const clv_yaml_node *row = clv_node(r, v->node->first); row; row = clv_node(r, row->next), ++k) {
        int alternative;
        if (row->kind != CLV_YAML_LIST || row->count != 2) {
            clv_key_fail(e, row, key_row, "row %d of the table is not [time, value]", k + 1);
            break;
        }
        const clv_yaml_node *t = clv_node(r, row->first);
        if (!clv_read_number(e, t, &time_row, &time[k], &alternative) ||
            !clv_read_number(e, clv_node(r, t->next), &value_row, &value[k], &alternative))
            break;
        if (alternative >= 0 && strchr(value_row.unit, ',') && alternative != turns) {
            clv_key_fail(e, clv_node(r, t->next), &value_row, "the coordinate is %s; this has the unit of %s",
                         turns ? "an angle" : "a translation", turns ? "a translation" : "an angle");
            break;
        }
        if (k > 0 && !(time[k] > time[k - 1])) {
            clv_key_fail(e, t, &told, "the times of the table must increase: row %d has %g s after %g s", k + 1,
                         time[k], time[k - 1]);
            break;
        }
    }
    *storage = time;
    if (k < n)
        return e->good = false;
    *table = (clv_table){n, time, value};
    return true;
}
