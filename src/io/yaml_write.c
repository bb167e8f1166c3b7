/* SPDX-License-Identifier: Apache-2.0
 * One line per body, joint, load: short enough to read, complete enough to be the same model again.  Numbers carry as many digits as
 * it takes to read back the same bits; what equals its default is left out.  Joints keep the form (short or long) they came in. */
#include "io/yaml_write.h"
#include "base/memory.h"
#include "math/rotation.h"
#include "math/sincos.h"
#include "model/joint.h"
#include "model/model.h"
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct writer {
    const clv_model *m;
    char *text;
    size_t used, capacity;
    clv_status status;
    bool first; /* no key of the open { } was written yet */
} writer;

/* ---------------------------------------------------------------- text */

static void put(writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(writer *w, const char *format, ...)
{
    va_list args, again;
    if (w->status != CLV_OK)
        return;
    va_start(args, format);
    va_copy(again, args);
    size_t need = w->used + (size_t)vsnprintf(NULL, 0, format, args) + 1;
    if (need > w->capacity) {
        char *wider = clv_resize(w->text, 2 * need + 1024, 1);
        if (wider) {
            w->text = wider;
            w->capacity = 2 * need + 1024;
        } else
            w->status = CLV_ERR_MEMORY;
    }
    if (w->status == CLV_OK)
        w->used += (size_t)vsnprintf(w->text + w->used, w->capacity - w->used, format, again);
    va_end(again);
    va_end(args);
}

/* Shortest decimal that reads back the same. */
static void put_number(writer *w, double x)
{
    char text[40];
    for (int digits = 15; digits <= 17; ++digits) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    put(w, "%s", text);
}

static void put_list(writer *w, const double *x, int n)
{
    put(w, "[");
    for (int i = 0; i < n; ++i) {
        put(w, "%s", i ? ", " : "");
        put_number(w, x[i]);
    }
    put(w, "]");
}

/* A name or text, quoted if YAML could take it for anything else. */
static void put_name(writer *w, const char *name)
{
    size_t n = strlen(name);
    bool plain = n > 0 && strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-") == n && *name != '-' && *name != '.';
    if (plain) {
        put(w, "%s", name);
        return;
    }
    put(w, "\"");
    for (const char *c = name; *c; ++c) {
        if ((unsigned char)*c < 32 || *c == 127)
            w->status = CLV_ERR_UNSUPPORTED;
        put(w, "%s%c", *c == '"' || *c == '\\' ? "\\" : "", *c);
    }
    put(w, "\"");
}

/* Names of items and references to them: braces would count copies. */
static void put_item_name(writer *w, const char *name)
{
    if (strpbrk(name, "{}"))
        w->status = CLV_ERR_UNSUPPORTED;
    put_name(w, name);
}

static void put_body(writer *w, int body) { put_item_name(w, body == CLV_GROUND ? "ground" : w->m->body[body].name); }

/* ---------------------------------------------------------------- keys of an open { } */

static void key(writer *w, const char *name)
{
    put(w, "%s%s: ", w->first ? "" : ", ", name);
    w->first = false;
}

static void number(writer *w, const char *name, double x, double standard)
{
    if (x == standard || (isnan(x) && isnan(standard)))
        return;
    key(w, name);
    put_number(w, x);
}

static bool all_zero(const double *x, int n)
{
    for (int i = 0; i < n; ++i)
        if (x[i] != 0)
            return false;
    return true;
}

static void list(writer *w, const char *name, const double *x, int n)
{
    key(w, name);
    put_list(w, x, n);
}

static void list_unless_zero(writer *w, const char *name, const double *x, int n)
{
    if (!all_zero(x, n))
        list(w, name, x, n);
}

static void table(writer *w, const char *name, const clv_series *s)
{
    key(w, name);
    put(w, "[");
    for (int i = 0; i < s->n; ++i) {
        const double row[2] = {s->time[i], s->value[i]};
        put(w, "%s", i ? ", " : "");
        put_list(w, row, 2);
    }
    put(w, "]");
}

/* "  name: {"; one line per item */
static void open_item(writer *w, int indent, const char *name)
{
    put(w, "%*s", indent, "");
    put_item_name(w, name);
    put(w, ": {");
    w->first = true;
}

static void close_item(writer *w) { put(w, "}\n"); }

/* ---------------------------------------------------------------- orientations */

/* Quaternion and angle of the turn about axis k that is nearest to q, in whole millionths of a degree. */
static double nearest_turn(const double q[4], int k, double axis[3], double turned[4])
{
    double degrees = round(2 * clv_atan2(q[1 + k], q[0]) * 180 / CLV_PI * 1e6) / 1e6;
    for (int i = 0; i < 3; ++i)
        axis[i] = i == k;
    clv_quat_axis_angle(turned, axis, degrees * (CLV_PI / 180));
    return degrees;
}

static void put_turn(writer *w, const double axis[3], double degrees)
{
    key(w, "orientation");
    put(w, "{axis: ");
    put_list(w, axis, 3);
    put(w, ", angle: ");
    put_number(w, degrees);
    put(w, " deg}");
}

static void put_numbers_as(writer *w, const char *form, const double *x, int n)
{
    key(w, "orientation");
    put(w, "{%s: ", form);
    put_list(w, x, n);
    put(w, "}");
}

/* A turn about x, y or z if it gives exactly q, else the quaternion. */
static void orientation(writer *w, const double q[4])
{
    double axis[3], turned[4];
    if (q[0] == 1 && all_zero(q + 1, 3))
        return;
    for (int k = 0; k < 3; ++k) {
        double degrees = nearest_turn(q, k, axis, turned);
        if (memcmp(turned, q, sizeof turned) == 0) {
            put_turn(w, axis, degrees);
            return;
        }
    }
    put_numbers_as(w, "quaternion", q, 4);
}

/* The model keeps joint frames as matrices: a turn or a quaternion if it gives the same matrix, else the matrix. */
static void frame_orientation(writer *w, const double E[9])
{
    double q[4], R[9], axis[3], turned[4];
    clv_mat3_identity(R);
    if (memcmp(R, E, sizeof R) == 0)
        return;
    clv_quat_from_rotation(q, E);
    for (int k = 0; k < 3; ++k) {
        double degrees = nearest_turn(q, k, axis, turned);
        clv_quat_rotation(R, turned);
        if (memcmp(R, E, sizeof R) == 0) {
            put_turn(w, axis, degrees);
            return;
        }
    }
    clv_quat_rotation(R, q);
    if (memcmp(R, E, sizeof R) == 0)
        put_numbers_as(w, "quaternion", q, 4);
    else
        put_numbers_as(w, "matrix", E, 9);
}

/* ---------------------------------------------------------------- items */

static void write_body(writer *w, const clv_body *b)
{
    open_item(w, 2, b->name);
    number(w, "mass", b->mass, NAN);
    list_unless_zero(w, "com", b->com, 3);
    list(w, "inertia", b->J, all_zero(b->J + 3, 3) ? 3 : 6);
    if (b->branch >= 0) {
        key(w, "branch");
        put_item_name(w, w->m->branch[b->branch]);
    }
    close_item(w);
}

static void write_side(writer *w, const char *name, int body, const double p[3], const double E[9])
{
    key(w, name);
    put(w, "{body: ");
    put_body(w, body);
    list_unless_zero(w, "position", p, 3);
    frame_orientation(w, E);
    put(w, "}");
}

static void write_joint(writer *w, const clv_joint *j)
{
    static const double z[3] = {0, 0, 1};
    bool point = j->kind == CLV_JOINT_POINT || j->kind == CLV_JOINT_DISTANCE;
    bool axial = !point && j->kind != CLV_JOINT_FIXED && j->kind != CLV_JOINT_SPHERICAL && j->kind != CLV_JOINT_FREE;
    open_item(w, 2, j->name);
    key(w, "kind");
    put(w, "%s", clv_joint_table[j->kind].name);
    if (j->global) {
        put(w, ", between: [");
        put_body(w, j->a);
        put(w, ", ");
        put_body(w, j->b);
        put(w, "]");
        list(w, "at", j->at, 3);
        if (j->kind == CLV_JOINT_DISTANCE)
            list(w, "at_b", j->at_b, 3);
        if (axial || memcmp(j->axis, z, sizeof z) != 0)
            list(w, "axis", j->axis, 3);
        list_unless_zero(w, "x_axis", j->x_axis, 3);
    } else {
        write_side(w, "a", j->a, j->pa, j->Ea);
        write_side(w, "b", j->b, j->pb, j->Eb);
    }
    if (j->kind == CLV_JOINT_HELICAL)
        number(w, "pitch", j->pitch, NAN);
    number(w, "length", j->distance, 0);
    if (j->cut >= 0) {
        key(w, "cut");
        put(w, "%s", j->cut ? "true" : "false");
    }
    close_item(w);
}

static void write_between(writer *w, const clv_force *f)
{
    put(w, ", between: [");
    put_body(w, f->a);
    put(w, ", ");
    put_body(w, f->b);
    put(w, "]");
}

/* Body, vector and its axes, factor: forces and torques. */
static void write_vector(writer *w, const clv_force *f)
{
    key(w, "body");
    put_body(w, f->b);
    if (f->kind == CLV_FORCE_POINT)
        list_unless_zero(w, "point", f->point_b, 3);
    list(w, "vector", f->vector, 3);
    if (f->in_body)
        put(w, ", frame: body");
    if (f->table.n > 0)
        table(w, "table", &f->table);
}

static void write_joint_load(writer *w, const clv_force *f)
{
    key(w, "joint");
    put_item_name(w, w->m->joint[f->joint].name);
    number(w, "coordinate", f->coordinate, 0);
    number(w, "stiffness", f->stiffness, 0);
    number(w, "damping", f->damping, 0);
    number(w, "rest", f->rest, 0);
    if (f->table.n > 0)
        table(w, "drive", &f->table);
    else
        number(w, "drive", f->drive, 0);
}

static void write_spring(writer *w, const clv_force *f)
{
    write_between(w, f);
    if (!all_zero(f->point_a, 3) || !all_zero(f->point_b, 3)) {
        key(w, "points");
        put(w, "[");
        put_list(w, f->point_a, 3);
        put(w, ", ");
        put_list(w, f->point_b, 3);
        put(w, "]");
    }
    number(w, "stiffness", f->stiffness, 0);
    number(w, "damping", f->damping, 0);
    number(w, "length", f->rest, 0);
}

static void write_force(writer *w, const clv_force *f)
{
    static const char *const kind[CLV_FORCE_KINDS] = {"force", "torque", "joint-load", "spring-damper", "angular-damper", NULL};
    if (!kind[f->kind]) {
        w->status = CLV_ERR_UNSUPPORTED;
        return;
    }
    open_item(w, 2, f->name);
    key(w, "kind");
    put(w, "%s", kind[f->kind]);
    if (f->kind == CLV_FORCE_POINT || f->kind == CLV_FORCE_TORQUE)
        write_vector(w, f);
    else if (f->kind == CLV_FORCE_JOINT)
        write_joint_load(w, f);
    else if (f->kind == CLV_FORCE_SPRING)
        write_spring(w, f);
    else {
        write_between(w, f);
        number(w, "damping", f->damping, NAN);
    }
    close_item(w);
}

static void write_motion(writer *w, const clv_motion *x)
{
    open_item(w, 2, x->name);
    key(w, "joint");
    put_item_name(w, w->m->joint[x->joint].name);
    number(w, "offset", x->offset, NAN);
    if (x->table.n > 0)
        table(w, "table", &x->table);
    else {
        number(w, "rate", x->rate, 0);
        number(w, "amplitude", x->amplitude, 0);
    }
    number(w, "frequency", x->frequency, 0);
    number(w, "phase", x->phase, 0);
    close_item(w);
}

static void write_coupling(writer *w, const clv_coupling *c)
{
    open_item(w, 2, c->name);
    key(w, "first");
    put_item_name(w, w->m->joint[c->first].name);
    key(w, "second");
    put_item_name(w, w->m->joint[c->second].name);
    number(w, "ratio", c->ratio, NAN);
    number(w, "offset", c->offset, NAN);
    close_item(w);
}

static void write_marker(writer *w, const clv_marker *k)
{
    open_item(w, 2, k->name);
    key(w, "body");
    put_body(w, k->body);
    list_unless_zero(w, "position", k->position, 3);
    close_item(w);
}

static void write_start_body(writer *w, const clv_body *b)
{
    if (!b->placed && !b->moving)
        return;
    open_item(w, 4, b->name);
    if (b->placed) {
        list(w, "position", b->r, 3);
        orientation(w, b->e);
    }
    if (b->moving) {
        if (!all_zero(b->v, 3) || all_zero(b->w, 3))
            list(w, "velocity", b->v, 3);
        list_unless_zero(w, "angular_velocity", b->w, 3);
    }
    close_item(w);
}

static void write_coordinates(writer *w, const char *name, const double *x, int n)
{
    if (n != 1)
        list(w, name, x, n);
    else
        number(w, name, x[0], NAN);
}

static void write_start_joint(writer *w, const clv_joint *j)
{
    if (!j->has_q && !j->has_u)
        return;
    open_item(w, 4, j->name);
    if (j->has_q)
        write_coordinates(w, "q", j->q, clv_joint_table[j->kind].nq);
    if (j->has_u)
        write_coordinates(w, "u", j->u, clv_joint_table[j->kind].nu);
    close_item(w);
}

/* ---------------------------------------------------------------- the file */

static void write_start(writer *w)
{
    const clv_model *m = w->m;
    bool bodies = false, joints = false;
    for (int i = 0; i < m->nbody; ++i)
        bodies = bodies || m->body[i].placed || m->body[i].moving;
    for (int i = 0; i < m->njoint; ++i)
        joints = joints || m->joint[i].has_q || m->joint[i].has_u;
    if (bodies || joints)
        put(w, "\nstart:\n");
    if (bodies)
        put(w, "  bodies:\n");
    for (int i = 0; i < m->nbody; ++i)
        write_start_body(w, &m->body[i]);
    if (joints)
        put(w, "  joints:\n");
    for (int i = 0; i < m->njoint; ++i)
        write_start_joint(w, &m->joint[i]);
}

static void write_model(writer *w)
{
    const clv_model *m = w->m;
    put(w, "cleave: 1\n");
    if (*m->name) {
        put(w, "name: ");
        put_name(w, m->name);
        put(w, "\n");
    }
    put(w, "gravity: ");
    put_list(w, m->gravity, 3);
    put(w, "\n");
    if (m->time_end > 0) {
        put(w, "time: ");
        put_number(w, m->time_end);
        put(w, "\n");
    }
#define SECTION(name, count, list_, write_one)  \
    if (m->count > 0)                           \
        put(w, "\n" name ":\n");                \
    for (int i = 0; i < m->count; ++i)          \
    write_one(w, &m->list_[i])
    SECTION("bodies", nbody, body, write_body);
    SECTION("joints", njoint, joint, write_joint);
    SECTION("forces", nforce, force, write_force);
    SECTION("motions", nmotion, motion, write_motion);
    SECTION("couplings", ncoupling, coupling, write_coupling);
    SECTION("markers", nmarker, marker, write_marker);
#undef SECTION
    write_start(w);
}

clv_status clv_model_write_text(const clv_model *model, char **text, size_t *size)
{
    writer w = {.m = model, .status = CLV_OK};
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = plain ? uselocale(plain) : (locale_t)0;
    write_model(&w);
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    if (w.status != CLV_OK) {
        clv_free(w.text);
        w.text = NULL;
        w.used = 0;
    }
    *text = w.text;
    if (size)
        *size = w.used;
    return w.status;
}
