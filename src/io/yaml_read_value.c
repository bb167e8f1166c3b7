/* SPDX-License-Identifier: Apache-2.0
 * One mapping against its section of the schema: each key known, of the right type, finite and in range; required keys present.
 * Numbers are decimal, optionally followed by `deg` where the quantity is an angle; nothing is guessed from spelling. */
#include "base/memory.h"
#include "io/yaml_read.h"
#include "math/rotation.h"
#include "math/sincos.h"
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const clv_yaml_node *clv_node(const clv_reader *r, unsigned index) { return index ? &r->tree.node[index] : NULL; }
const char *clv_node_text(const clv_reader *r, const clv_yaml_node *n) { return r->tree.pool + n->text; }

const char *clv_value_text(const clv_entry *e, const clv_value *v)
{
    return v->node ? clv_node_text(e->reader, v->node) : NULL;
}

void clv_entry_fail(clv_entry *e, const clv_value *v, const char *key, const char *hint, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    clv_read_fail(e->reader, CLV_ERR_MODEL, v && v->node ? v->node : e->name ? e->name : e->node, e->path, key, hint, "%s", text);
    e->good = false;
}

static void fail_at(clv_entry *e, const clv_yaml_node *at, const clv_schema_row *row, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void fail_at(clv_entry *e, const clv_yaml_node *at, const clv_schema_row *row, const char *format, ...)
{
    char text[400], hint[200];
    va_list args;
    e->good = false;
    if (at->refused)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(hint, sizeof hint, "write it as `%s`%s%s%s", row->example, *row->unit ? ", in " : "", row->unit,
             row->angle != CLV_NO_ANGLE ? "; angles may end in deg" : "");
    clv_read_fail(e->reader, CLV_ERR_MODEL, at, e->path, row->key, hint, "%s", text);
}

static const char *shown(const clv_reader *r, const clv_yaml_node *n)
{
    return n->kind == CLV_YAML_LIST ? "a list" : n->kind == CLV_YAML_MAP ? "a mapping" : clv_node_text(r, n);
}

/* ---------------------------------------------------------------- numbers */

/* Length of a decimal number at the start of t, 0 if there is none: sign, digits with one point, exponent. */
static size_t decimal(const char *t)
{
    const char *s = t + (*t == '+' || *t == '-');
    int digits = 0;
    for (; isdigit((unsigned char)*s); ++s)
        ++digits;
    if (*s == '.')
        for (++s; isdigit((unsigned char)*s); ++s)
            ++digits;
    if (digits == 0)
        return 0;
    if (*s == 'e' || *s == 'E') {
        const char *x = s + 1 + (s[1] == '+' || s[1] == '-');
        if (!isdigit((unsigned char)*x))
            return 0;
        for (s = x; isdigit((unsigned char)*s); ++s)
            ;
    }
    return (size_t)(s - t);
}

static bool is_deg(const char *t)
{
    while (*t == ' ')
        ++t;
    return strcmp(t, "deg") == 0;
}

/* Why a text is no number, for the usual surprises. */
static const char *oddity(const char *t)
{
    const char *s = t + (*t == '+' || *t == '-');
    if (strcmp(s, ".inf") == 0 || strcmp(s, ".Inf") == 0 || strcmp(s, ".INF") == 0 || strncmp(s, "inf", 3) == 0 || strncmp(s, "Inf", 3) == 0)
        return "infinity is not a number here";
    if (strcmp(s, ".nan") == 0 || strcmp(s, ".NaN") == 0 || strcmp(s, ".NAN") == 0 || strcmp(s, "nan") == 0 || strcmp(s, "NaN") == 0)
        return "NaN is not a number here";
    if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X' || s[1] == 'o' || s[1] == 'b'))
        return "numbers are decimal";
    if (strchr(t, '_') && isdigit((unsigned char)*s))
        return "numbers are written without underscores";
    if (strchr(t, ',') && isdigit((unsigned char)*s))
        return "the decimal sign is a point";
    return NULL;
}

static bool read_number(clv_entry *e, const clv_yaml_node *n, const clv_schema_row *row, double *x, bool *degrees)
{
    const char *text = clv_node_text(e->reader, n);
    *degrees = false;
    if (n->refused) {
        e->good = false;
        return false;
    }
    if (n->kind != CLV_YAML_SCALAR) {
        fail_at(e, n, row, "expected a number, found %s", shown(e->reader, n));
        return false;
    }
    if (!n->plain) {
        fail_at(e, n, row, "expected a number, found the quoted text \"%.80s\"; remove the quotes", text);
        return false;
    }
    size_t length = decimal(text);
    *degrees = length > 0 && text[length] && is_deg(text + length);
    if (length == 0 || (text[length] && !*degrees)) {
        const char *why = oddity(text);
        if (*text == '\0')
            fail_at(e, n, row, "expected a number, found nothing");
        else if (length > 0 && isalpha((unsigned char)text[length + strspn(text + length, " ")]) && !why)
            fail_at(e, n, row, "expected a number, found '%.80s': units other than deg are not written", text);
        else
            fail_at(e, n, row, "expected a number, found '%.80s'%s%s", text, why ? ": " : "", why ? why : "");
        return false;
    }
    if (*degrees && row->angle == CLV_NO_ANGLE) {
        fail_at(e, n, row, "'%.80s': deg stands only at angles and rates of turning", text);
        return false;
    }
    *x = strtod(text, NULL);
    if (!isfinite(*x)) {
        fail_at(e, n, row, "'%.80s' is too large for a number", text);
        return false;
    }
    if (*degrees)
        *x *= CLV_PI / 180;
    return true;
}

static void read_bound(clv_entry *e, const clv_yaml_node *n, const clv_schema_row *row, const clv_value *v)
{
    bool zero = true;
    for (int k = 0; k < v->count; ++k) {
        zero = zero && v->x[k] == 0;
        if ((row->bound == CLV_POSITIVE && !(v->x[k] > 0)) || (row->bound == CLV_NOT_NEGATIVE && !(v->x[k] >= 0))) {
            fail_at(e, n, row, "must %s, is %g", row->bound == CLV_POSITIVE ? "be greater than 0" : "not be negative", v->x[k]);
            return;
        }
    }
    if (row->bound == CLV_NOT_ZERO && zero)
        fail_at(e, n, row, "must not be zero");
}

static bool append_number(clv_entry *e, const clv_yaml_node *n, const clv_schema_row *row, clv_value *v)
{
    bool degrees;
    if (!read_number(e, n, row, &v->x[v->count], &degrees))
        return false;
    v->degrees |= (unsigned)degrees << v->count;
    v->count++;
    return true;
}

static void read_list(clv_entry *e, const clv_yaml_node *n, const clv_schema_row *row, clv_value *v)
{
    int least = row->least, most = row->most;
    bool inertia = row == &clv_schema[CLV_KEY_BODY_INERTIA];
    if (n->kind != CLV_YAML_LIST) {
        fail_at(e, n, row, "expected a list of numbers, found %s%s%s", n->kind == CLV_YAML_SCALAR ? "'" : "", shown(e->reader, n),
                n->kind == CLV_YAML_SCALAR ? "'" : "");
        return;
    }
    if ((int)n->count < least || (int)n->count > most || (inertia && n->count != 3 && n->count != 6)) {
        if (inertia)
            fail_at(e, n, row, "expected 3 numbers (xx yy zz) or 6 (xx yy zz xy xz yz), found %u", n->count);
        else if (least == most)
            fail_at(e, n, row, "expected %d numbers, found %u", least, n->count);
        else
            fail_at(e, n, row, "expected %d to %d numbers, found %u", least, most, n->count);
        return;
    }
    for (const clv_yaml_node *c = clv_node(e->reader, n->first); c; c = clv_node(e->reader, c->next))
        if (!append_number(e, c, row, v))
            return;
    read_bound(e, n, row, v);
}

/* ---------------------------------------------------------------- other types */

static void read_points(clv_entry *e, const clv_yaml_node *n, const clv_schema_row *row, clv_value *v)
{
    bool good = n->kind == CLV_YAML_LIST && n->count == 2;
    for (const clv_yaml_node *c = good ? clv_node(e->reader, n->first) : NULL; c && good; c = clv_node(e->reader, c->next))
        good = c->kind == CLV_YAML_LIST && c->count == 3;
    if (!good) {
        fail_at(e, n, row, "expected two points of three numbers each");
        return;
    }
    for (const clv_yaml_node *c = clv_node(e->reader, n->first); c; c = clv_node(e->reader, c->next))
        for (const clv_yaml_node *x = clv_node(e->reader, c->first); x; x = clv_node(e->reader, x->next))
            if (!append_number(e, x, row, v))
                return;
}

static bool read_text(clv_entry *e, const clv_yaml_node *n, const clv_schema_row *row)
{
    if (n->refused) {
        e->good = false;
        return false;
    }
    if (n->kind != CLV_YAML_SCALAR || *clv_node_text(e->reader, n) == '\0') {
        fail_at(e, n, row, "expected a name, found %s", n->kind == CLV_YAML_SCALAR ? "nothing" : shown(e->reader, n));
        return false;
    }
    return true;
}

static void read_names(clv_entry *e, const clv_yaml_node *n, const clv_schema_row *row)
{
    if (n->kind != CLV_YAML_LIST || (int)n->count != row->least) {
        fail_at(e, n, row, "expected a list of two names");
        return;
    }
    for (const clv_yaml_node *c = clv_node(e->reader, n->first); c; c = clv_node(e->reader, c->next))
        read_text(e, c, row);
}

static void read_bool(clv_entry *e, const clv_yaml_node *n, const clv_schema_row *row, clv_value *v)
{
    const char *t = shown(e->reader, n);
    if (n->kind != CLV_YAML_SCALAR || (strcmp(t, "true") != 0 && strcmp(t, "false") != 0)) {
        fail_at(e, n, row, "expected true or false, found '%.80s'", t);
        return;
    }
    v->x[0] = strcmp(t, "true") == 0;
    v->count = 1;
}

static void read_value(clv_entry *e, const clv_yaml_node *n, const clv_schema_row *row, clv_value *v)
{
    v->node = n;
    if (n->refused) {
        e->good = false;
        return;
    }
    switch (row->type) {
    case CLV_AS_NUMBER:
    case CLV_AS_WHOLE:
        if (!append_number(e, n, row, v))
            return;
        if (row->type == CLV_AS_WHOLE && (v->x[0] != floor(v->x[0]) || fabs(v->x[0]) > 1e9))
            fail_at(e, n, row, "expected a whole number, found '%.80s'", clv_node_text(e->reader, n));
        else
            read_bound(e, n, row, v);
        break;
    case CLV_AS_EITHER:
        if (n->kind == CLV_YAML_SCALAR)
            append_number(e, n, row, v);
        else
            read_list(e, n, row, v);
        break;
    case CLV_AS_LIST:
        read_list(e, n, row, v);
        break;
    case CLV_AS_BOOL:
        read_bool(e, n, row, v);
        break;
    case CLV_AS_TEXT:
        if (read_text(e, n, row) && row == &clv_schema[CLV_KEY_JOINT_KIND])
            clv_check_joint_kind(e, v);
        break;
    case CLV_AS_NAMES:
        read_names(e, n, row);
        break;
    case CLV_AS_POINTS:
        read_points(e, n, row, v);
        break;
    case CLV_AS_NUMBER_OR_TABLE:
        if (n->kind == CLV_YAML_SCALAR)
            append_number(e, n, row, v);
        else if (n->kind == CLV_YAML_MAP)
            fail_at(e, n, row, "expected a number or a table, found a mapping");
        break;
    case CLV_AS_TABLE:
        if (n->kind != CLV_YAML_LIST)
            fail_at(e, n, row, "expected a list of [time, value], found %s", shown(e->reader, n));
        break;
    case CLV_AS_MAP:
        if (n->kind == CLV_YAML_MAP)
            break;
        if (n->kind == CLV_YAML_SCALAR && *clv_node_text(e->reader, n) == '\0' && !row->required && e->section == CLV_IN_FILE)
            v->node = NULL; /* `forces:` with nothing below it: none */
        else
            fail_at(e, n, row, "expected a mapping, found %s",
                    n->kind == CLV_YAML_SCALAR && *clv_node_text(e->reader, n) == '\0' ? "nothing" : shown(e->reader, n));
        break;
    }
}

/* ---------------------------------------------------------------- a mapping */

static void unknown_key(clv_entry *e, const clv_yaml_node *key)
{
    const char *text = clv_node_text(e->reader, key), *near = clv_schema_nearest(e->section, text);
    char hint[256];
    size_t n = 0;
    if (near) {
        snprintf(hint, sizeof hint, "did you mean '%s'?", near);
        e->meant |= 1u << (clv_schema_find(e->section, near) - e->first);
    } else {
        n = (size_t)snprintf(hint, sizeof hint, "known here:");
        for (int k = 0; k < clv_schema_count(e->section) && n < sizeof hint; ++k)
            n += (size_t)snprintf(hint + n, sizeof hint - n, " %s", clv_schema[e->first + k].key);
    }
    e->good = false;
    clv_read_fail(e->reader, CLV_ERR_MODEL, key, e->path, text, hint, "unknown key '%.80s'", text);
}

bool clv_entry_read(clv_entry *e, clv_reader *r, const clv_yaml_node *node, const clv_yaml_node *name, clv_section section,
                    const char *path)
{
    memset(e, 0, sizeof *e);
    e->reader = r;
    e->node = node;
    e->name = name;
    e->section = section;
    e->first = clv_schema_first(section);
    e->good = true;
    snprintf(e->path, sizeof e->path, "%s", path);
    if (node->refused)
        return e->good = false;
    if (node->kind != CLV_YAML_MAP) {
        const clv_schema_row *row = &clv_schema[e->first];
        char hint[160];
        snprintf(hint, sizeof hint, "give keys and values, as `{%s}`", row->example);
        clv_read_fail(r, CLV_ERR_MODEL, node, path, NULL, hint, "expected a mapping, found %s%.80s%s",
                      node->kind == CLV_YAML_LIST ? "a list" : *clv_node_text(r, node) ? "'" : "nothing",
                      node->kind == CLV_YAML_LIST ? "" : clv_node_text(r, node),
                      node->kind == CLV_YAML_LIST || !*clv_node_text(r, node) ? "" : "'");
        return e->good = false;
    }
    for (const clv_yaml_node *key = clv_node(r, node->first), *value; key; key = clv_node(r, value->next)) {
        value = clv_node(r, key->next);
        int row = clv_schema_find(section, clv_node_text(r, key));
        if (row < 0)
            unknown_key(e, key);
        else
            read_value(e, value, &clv_schema[row], &e->value[row - e->first]);
    }
    for (int k = 0; k < clv_schema_count(section); ++k) {
        const clv_schema_row *row = &clv_schema[e->first + k];
        if (row->required && !e->value[k].node && !(e->meant >> k & 1)) {
            char hint[160];
            snprintf(hint, sizeof hint, "add `%s`%s%s", row->example, *row->unit ? ", in " : "", row->unit);
            clv_entry_fail(e, NULL, row->key, hint, "the key '%s' is missing", row->key);
        }
    }
    return e->good;
}

/* ---------------------------------------------------------------- composed values */

bool clv_value_no_degrees(clv_entry *e, const clv_value *v, const char *key, const char *what)
{
    if (!v->node || !v->degrees)
        return true;
    clv_entry_fail(e, v, key, "give it without deg, in metres", "deg stands only at angles; this is a shift of %s", what);
    return false;
}

/* A rotation matrix to 1e-6; the matrix itself is kept if it is one to rounding, else the nearest rotation stands for it. */
static bool read_matrix(clv_entry *e, const clv_value *v, double q[4], double R[9], bool *exact)
{
    double P[9], det[3], worst = 0;
    clv_mat3_transpose_product(P, v->x, v->x);
    for (int k = 0; k < 9; ++k)
        worst = fmax(worst, fabs(P[k] - (k % 4 == 0)));
    const double x[3] = {v->x[0], v->x[3], v->x[6]}, y[3] = {v->x[1], v->x[4], v->x[7]}, z[3] = {v->x[2], v->x[5], v->x[8]};
    clv_cross(det, x, y);
    if (!(worst < 1e-6) || clv_dot3(det, z) < 0) {
        clv_entry_fail(e, v, "matrix", "its columns are the turned axes: unit, at right angles, right-handed",
                       "not a rotation matrix: it misses by %.2g", clv_dot3(det, z) < 0 ? 2 : worst);
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
    if (!clv_entry_read(&o, e->reader, v->node, NULL, CLV_IN_ORIENTATION, path))
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
        clv_entry_fail(&o, x, "x", "choose x across z", "x is parallel to z");
    if (!*exact)
        clv_quat_rotation(R, q);
    return e->good = e->good && o.good;
}

bool clv_value_table(clv_entry *e, const clv_value *v, const char *key, int least, bool turns, clv_table *table, double **storage)
{
    const clv_reader *r = e->reader;
    clv_schema_row time_row = clv_schema[clv_schema_find(e->section, key)], value_row = time_row;
    time_row.angle = CLV_NO_ANGLE;
    *storage = NULL;
    if (!v->node || v->node->kind != CLV_YAML_LIST)
        return true;
    value_row.angle = turns ? CLV_ANGLE : CLV_NO_ANGLE;
    int n = (int)v->node->count, k = 0;
    if (n < least) {
        clv_entry_fail(e, v, key, "add rows of [time, value]", "the table has %d row%s, it needs at least %d", n, n == 1 ? "" : "s", least);
        return false;
    }
    double *time = clv_alloc((size_t)n, 2 * sizeof *time), *value = time + n;
    if (!time) {
        clv_read_out_of_memory(e->reader);
        return false;
    }
    for (const clv_yaml_node *row = clv_node(r, v->node->first); row; row = clv_node(r, row->next), ++k) {
        bool degrees;
        if (row->kind != CLV_YAML_LIST || row->count != 2) {
            fail_at(e, row, &value_row, "row %d of the table is not [time, value]", k + 1);
            break;
        }
        const clv_yaml_node *t = clv_node(r, row->first);
        if (!read_number(e, t, &time_row, &time[k], &degrees) || !read_number(e, clv_node(r, t->next), &value_row, &value[k], &degrees))
            break;
        if (k > 0 && !(time[k] > time[k - 1])) {
            fail_at(e, t, &time_row, "the times of the table must increase: row %d has %g s after %g s", k + 1, time[k], time[k - 1]);
            break;
        }
    }
    *storage = time;
    if (k < n)
        return e->good = false;
    *table = (clv_table){n, time, value};
    return true;
}
