/* SPDX-License-Identifier: Apache-2.0
 * Models: read, built item by item, listed, written. */
#include "base/memory.h"
#include "core.h"
#include "io/yaml_read.h"
#include "io/yaml_write.h"
#include "model/joint.h"
#include "model/model.h"
#include <string.h>

/* ---------------------------------------------------------------- the capsule */

static void box_free(PyObject *capsule)
{
    model_box *box = PyCapsule_GetPointer(capsule, CLV_MODEL_CAPSULE);
    clv_model_destroy(box->model);
    Py_XDECREF(box->calls), Py_XDECREF(box->raised);
    PyMem_Free(box);
}

/* Takes the model, also where it fails. */
static PyObject *box_new(clv_model *model)
{
    model_box *box = PyMem_Calloc(1, sizeof *box);
    PyObject *calls = PyList_New(0), *capsule = box && calls ? PyCapsule_New(box, CLV_MODEL_CAPSULE, box_free) : NULL;
    if (capsule) {
        *box = (model_box){model, calls, NULL};
        return capsule;
    }
    clv_model_destroy(model);
    Py_XDECREF(calls);
    PyMem_Free(box);
    return PyErr_NoMemory();
}

model_box *core_model(PyObject *capsule)
{
    return PyCapsule_GetPointer(capsule, CLV_MODEL_CAPSULE);
}

static PyObject *taken(clv_model *model, clv_status status)
{
    if (status == CLV_OK)
        return box_new(model);
    core_raise_model(model);
    clv_model_destroy(model);
    return NULL;
}

/* ---------------------------------------------------------------- reading */

enum { MOST_GIVEN = 1000 };

/* "name=value" texts of a sequence; -1: raised.  The texts live as long as the sequence. */
static int given_texts(PyObject *sequence, const char **to)
{
    const Py_ssize_t n = PySequence_Size(sequence);
    if (n < 0 || n > MOST_GIVEN) {
        if (n > 0)
            core_raise_text(CLV_ERR_USAGE, "too many parameters");
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *one = PySequence_GetItem(sequence, i);
        to[i] = one ? PyUnicode_AsUTF8AndSize(one, NULL) : NULL;
        Py_XDECREF(one);
        if (!to[i])
            return -1;
    }
    return (int)n;
}

/* read_text(text, file, parameters, lenient) */
static PyObject *read_text(PyObject *self, PyObject *args)
{
    const char *text, *given[MOST_GIVEN];
    Py_ssize_t size;
    PyObject *list, *path = NULL;
    int lenient, n;
    clv_model *model = NULL;
    clv_status status;
    (void)self;
    if (!PyArg_ParseTuple(args, "y#O&Op", &text, &size, core_path, &path, &list, &lenient) ||
        (n = given_texts(list, given)) < 0) {
        Py_XDECREF(path);
        return NULL;
    }
    const char *file = path ? PyBytes_AsString(path) : NULL;
    Py_BEGIN_ALLOW_THREADS
    status = clv_model_read_as(&model, text, (size_t)size, file, lenient, given, n);
    Py_END_ALLOW_THREADS
    Py_XDECREF(path);
    return taken(model, status);
}

/* read_robot(text, file, floating, friction, lenient, stops, contacts, floor) */
static PyObject *read_robot(PyObject *self, PyObject *args)
{
    const char *text;
    Py_ssize_t size;
    PyObject *path = NULL;
    int floating, friction, lenient;
    clv_robot_options o = {0};
    clv_model *model = NULL;
    clv_status status;
    (void)self;
    if (!PyArg_ParseTuple(args, "y#O&pppzzz", &text, &size, core_path, &path, &floating, &friction, &lenient, &o.stops,
                          &o.contacts, &o.floor))
        return NULL;
    o.floating = floating, o.friction = friction, o.lenient = lenient;
    const char *file = path ? PyBytes_AsString(path) : NULL;
    Py_BEGIN_ALLOW_THREADS
    status = clv_model_read_robot_text(&model, text, (size_t)size, file, &o);
    Py_END_ALLOW_THREADS
    Py_XDECREF(path);
    return taken(model, status);
}

/* example(name, parameters) */
static PyObject *example(PyObject *self, PyObject *args)
{
    const char *name, *given[MOST_GIVEN];
    PyObject *list;
    int n;
    clv_model *model = NULL;
    clv_status status;
    (void)self;
    if (!PyArg_ParseTuple(args, "sO", &name, &list) || (n = given_texts(list, given)) < 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    status = clv_example_create(&model, name, given, n);
    Py_END_ALLOW_THREADS
    return taken(model, status);
}

/* new(name, gravity) */
static PyObject *new(PyObject *self, PyObject *args)
{
    const char *name;
    double gravity[3];
    clv_model *model = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "s(ddd)", &name, gravity, gravity + 1, gravity + 2))
        return NULL;
    clv_status status = clv_model_create(&model, name);
    if (status == CLV_OK)
        status = clv_model_set_gravity(model, gravity);
    else
        return core_raise_text(status, "the name of a model must be text without control characters");
    return taken(model, status);
}

/* ---------------------------------------------------------------- items of a model built by calls */

#define NUMBERS(type, member, n) {#member, 'd', n, offsetof(type, member)}
#define INSIDE(type, part, member, name) {name, 'd', 1, offsetof(type, part.member)}
#define INSIDE_N(type, part, member, n, name) {name, 'd', n, offsetof(type, part.member)}
#define BUSHING(member, n) {"bushing_" #member, 'd', n, offsetof(clv_force_desc, bushing.member)}
#define CONTACT(member, n) {"contact_" #member, 'd', n, offsetof(clv_force_desc, contact.member)}
#define WHOLE(type, member) {#member, 'i', 1, offsetof(type, member)}
#define FLAG(type, member) {#member, 'b', 1, offsetof(type, member)}
#define TEXT(type, member) {#member, 's', 1, offsetof(type, member)}
#define TABLE(type, member) {#member, 't', 1, offsetof(type, member)}
#define END {NULL, 0, 0, 0}

/* points: of a mesh, three numbers each */
typedef struct body_fill {
    clv_body_desc d;
    clv_table points;
} body_fill;
#define BODY(member, n) {#member, 'd', n, offsetof(body_fill, d.member)}
static const core_field body_fields[] = {
    {"name", 's', 1, offsetof(body_fill, d.name)}, BODY(mass, 1), BODY(com, 3), BODY(inertia, 6),
    {"placed", 'b', 1, offsetof(body_fill, d.placed)}, BODY(position, 3), BODY(orientation, 4),
    {"moving", 'b', 1, offsetof(body_fill, d.moving)}, BODY(velocity, 3), BODY(angular_velocity, 3),
    {"branch", 's', 1, offsetof(body_fill, d.branch)},
    {"shape", 'i', 1, offsetof(body_fill, d.shape.kind)}, {"size", 'd', 3, offsetof(body_fill, d.shape.size)},
    {"shape_at", 'd', 3, offsetof(body_fill, d.shape.at)},
    {"shape_orientation", 'd', 4, offsetof(body_fill, d.shape.orientation)},
    {"coloured", 'b', 1, offsetof(body_fill, d.shape.coloured)}, {"closed", 'i', 1, offsetof(body_fill, d.shape.closed)},
    {"colour", 'd', 3, offsetof(body_fill, d.shape.colour)}, {"points", 'l', 1, offsetof(body_fill, points)}, END};
typedef struct shape_fill {
    clv_shape_desc d;
    clv_table points;
} shape_fill;
static const core_field shape_fields[] = {
    {"name", 's', 1, offsetof(shape_fill, d.name)}, {"body", 'i', 1, offsetof(shape_fill, d.body)},
    {"shape", 'i', 1, offsetof(shape_fill, d.shape.kind)}, {"size", 'd', 3, offsetof(shape_fill, d.shape.size)},
    {"shape_at", 'd', 3, offsetof(shape_fill, d.shape.at)},
    {"shape_orientation", 'd', 4, offsetof(shape_fill, d.shape.orientation)},
    {"coloured", 'b', 1, offsetof(shape_fill, d.shape.coloured)},
    {"closed", 'i', 1, offsetof(shape_fill, d.shape.closed)},
    {"colour", 'd', 3, offsetof(shape_fill, d.shape.colour)}, {"points", 'l', 1, offsetof(shape_fill, points)}, END};
static const core_field joint_fields[] = {
    TEXT(clv_joint_desc, name), WHOLE(clv_joint_desc, a), WHOLE(clv_joint_desc, b), FLAG(clv_joint_desc, global),
    NUMBERS(clv_joint_desc, at, 3), NUMBERS(clv_joint_desc, at_b, 3), NUMBERS(clv_joint_desc, axis, 3),
    NUMBERS(clv_joint_desc, x_axis, 3), NUMBERS(clv_joint_desc, position_a, 3),
    NUMBERS(clv_joint_desc, orientation_a, 4), NUMBERS(clv_joint_desc, position_b, 3),
    NUMBERS(clv_joint_desc, orientation_b, 4), NUMBERS(clv_joint_desc, pitch, 1), NUMBERS(clv_joint_desc, distance, 1),
    NUMBERS(clv_joint_desc, radius, 1), NUMBERS(clv_joint_desc, armature, 3), WHOLE(clv_joint_desc, cut),
    FLAG(clv_joint_desc, curve_closed), FLAG(clv_joint_desc, has_q), FLAG(clv_joint_desc, has_u),
    NUMBERS(clv_joint_desc, baumgarte, 2), NUMBERS(clv_joint_desc, alpha, 1), NUMBERS(clv_joint_desc, omega, 1),
    NUMBERS(clv_joint_desc, mu, 1), END};
static const core_field force_fields[] = {
    TEXT(clv_force_desc, name), WHOLE(clv_force_desc, a), WHOLE(clv_force_desc, b),
    NUMBERS(clv_force_desc, point_a, 3), NUMBERS(clv_force_desc, point_b, 3), NUMBERS(clv_force_desc, vector, 3),
    FLAG(clv_force_desc, in_body), TABLE(clv_force_desc, table), WHOLE(clv_force_desc, joint),
    WHOLE(clv_force_desc, coordinate), NUMBERS(clv_force_desc, stiffness, 1), NUMBERS(clv_force_desc, damping, 1),
    NUMBERS(clv_force_desc, rest, 1), NUMBERS(clv_force_desc, drive, 1),
    INSIDE(clv_force_desc, friction, sliding, "friction"), INSIDE(clv_force_desc, friction, breakaway, "breakaway"),
    INSIDE(clv_force_desc, friction, stribeck_speed, "stribeck_speed"),
    INSIDE(clv_force_desc, friction, stiction_speed, "stiction_speed"),
    INSIDE(clv_force_desc, bearing, coefficient, "friction_coefficient"),
    INSIDE(clv_force_desc, bearing, static_coefficient, "static_coefficient"),
    INSIDE(clv_force_desc, bearing, radius, "pin_radius"), INSIDE(clv_force_desc, bearing, collar, "collar_radius"),
    INSIDE(clv_force_desc, bearing, span, "bearing_span"), TABLE(clv_force_desc, spring), TABLE(clv_force_desc, damper),
    NUMBERS(clv_force_desc, limit, 1), INSIDE(clv_force_desc, stop, lower, "lower"), INSIDE(clv_force_desc, stop, upper, "upper"),
    INSIDE(clv_force_desc, stop, stiffness, "stop_stiffness"),
    INSIDE(clv_force_desc, stop, dissipation, "stop_dissipation"),
    INSIDE(clv_force_desc, stop, exponent, "stop_exponent"),
    INSIDE(clv_force_desc, stop, restitution, "stop_restitution"), BUSHING(orientation_a, 4), BUSHING(orientation_b, 4),
    BUSHING(stiffness, 6), BUSHING(damping, 6), BUSHING(preload, 6),
    CONTACT(point, 3), CONTACT(normal, 3), CONTACT(stiffness, 1), CONTACT(exponent, 1), CONTACT(dissipation, 1),
    CONTACT(static_friction, 1), CONTACT(dynamic_friction, 1), CONTACT(viscous_friction, 1),
    CONTACT(transition_speed, 1), CONTACT(restitution, 1), INSIDE_N(clv_force_desc, drag, linear, 6, "linear"),
    INSIDE_N(clv_force_desc, drag, quadratic, 6, "quadratic"), INSIDE_N(clv_force_desc, drag, fluid, 3, "fluid"),
    {"drag_frame", 'i', 1, offsetof(clv_force_desc, drag.frame)},
    {"neighbours", 'b', 1, offsetof(clv_force_desc, group.neighbours)},
    {"plane_only", 'b', 1, offsetof(clv_force_desc, group.plane_only)},
    {"most", 'i', 1, offsetof(clv_force_desc, group.most)}, END};
/* a tendon: (joints, factors); (bodies, x), (bodies, y), (bodies, z) of its points */
typedef struct tendon_fill {
    clv_table sum, x, y, z;
} tendon_fill;
static const core_field tendon_fields[] = {TABLE(tendon_fill, sum), TABLE(tendon_fill, x), TABLE(tendon_fill, y),
                                           TABLE(tendon_fill, z), END};
static const core_field input_fields[] = {
    TEXT(clv_input_desc, name), WHOLE(clv_input_desc, joint), WHOLE(clv_input_desc, coordinate),
    WHOLE(clv_input_desc, body), NUMBERS(clv_input_desc, point, 3), NUMBERS(clv_input_desc, vector, 3),
    FLAG(clv_input_desc, in_body), WHOLE(clv_input_desc, motion), WHOLE(clv_input_desc, force), NUMBERS(clv_input_desc, value, 1),
    NUMBERS(clv_input_desc, limit, 2), NUMBERS(clv_input_desc, rate_limit, 1),
    NUMBERS(clv_input_desc, stall_effort, 1), NUMBERS(clv_input_desc, no_load_speed, 1), END};
static const core_field motion_fields[] = {
    TEXT(clv_motion_desc, name), WHOLE(clv_motion_desc, joint), NUMBERS(clv_motion_desc, offset, 1),
    NUMBERS(clv_motion_desc, rate, 1), NUMBERS(clv_motion_desc, amplitude, 1), NUMBERS(clv_motion_desc, frequency, 1),
    NUMBERS(clv_motion_desc, phase, 1), TABLE(clv_motion_desc, table), WHOLE(clv_motion_desc, profile),
    NUMBERS(clv_motion_desc, end_rate, 2), END};
/* polynomial: (powers, coefficients); sum: (joints, factors) */
typedef struct coupling_fill {
    clv_coupling_desc d;
    clv_table polynomial, sum;
} coupling_fill;
static const core_field coupling_fields[] = {
    INSIDE(coupling_fill, d, ratio, "ratio"), INSIDE(coupling_fill, d, offset, "offset"),
    {"name", 's', 1, offsetof(coupling_fill, d.name)}, {"first", 'i', 1, offsetof(coupling_fill, d.first)},
    {"second", 'i', 1, offsetof(coupling_fill, d.second)}, {"table", 't', 1, offsetof(coupling_fill, d.table)},
    {"periodic", 'b', 1, offsetof(coupling_fill, d.periodic)}, TABLE(coupling_fill, polynomial),
    TABLE(coupling_fill, sum), END};
static const core_field event_fields[] = {
    TEXT(clv_event_desc, name), WHOLE(clv_event_desc, condition), WHOLE(clv_event_desc, joint),
    {"marker", 'i', 1, offsetof(clv_event_desc, marker)},
    {"other_marker", 'i', 1, offsetof(clv_event_desc, marker) + sizeof(int)}, FLAG(clv_event_desc, below),
    NUMBERS(clv_event_desc, value, 1), NUMBERS(clv_event_desc, time, 1), FLAG(clv_event_desc, again),
    WHOLE(clv_event_desc, action), WHOLE(clv_event_desc, lock), TEXT(clv_event_desc, release),
    WHOLE(clv_event_desc, kind), WHOLE(clv_event_desc, a), WHOLE(clv_event_desc, b),
    NUMBERS(clv_event_desc, position, 3), NUMBERS(clv_event_desc, axis, 3), END};
static const core_field marker_fields[] = {TEXT(clv_marker_desc, name), WHOLE(clv_marker_desc, body),
                                           NUMBERS(clv_marker_desc, position, 3), END};

static const core_field visual_fields[] = {
    TEXT(clv_visual_desc, name), WHOLE(clv_visual_desc, body), TEXT(clv_visual_desc, mesh),
    NUMBERS(clv_visual_desc, scale, 3), INSIDE_N(clv_visual_desc, shape, size, 3, "size"),
    INSIDE_N(clv_visual_desc, shape, at, 3, "shape_at"),
    INSIDE_N(clv_visual_desc, shape, orientation, 4, "shape_orientation"),
    INSIDE_N(clv_visual_desc, shape, colour, 3, "colour"),
    {"coloured", 'b', 1, offsetof(clv_visual_desc, shape.coloured)},
    {"shape", 'i', 1, offsetof(clv_visual_desc, shape.kind)}, END};

/* What an add function gets: model, kind, fields; the list keeps texts and tables until it has copied them. */
typedef struct request {
    model_box *box;
    PyObject *fields, *keep;
    int kind, index;
    clv_status status;
} request;

/* add_NAME: the description by default, the fields, the call. */
#define ADD(item, start)                                                                                             \
    static int add_##item(request *r)                                                                                \
    {                                                                                                                \
        clv_##item##_desc d = start;                                                                                 \
        if (core_fill(&d, item##_fields, r->fields, r->keep) < 0)                                                    \
            return -1;                                                                                               \
        r->status = clv_model_add_##item(r->box->model, &r->index, &d);                                              \
        return 0;                                                                                                    \
    }
ADD(input, clv_input_desc_default((clv_input_kind)r->kind))
ADD(motion, clv_motion_desc_default())
ADD(marker, clv_marker_desc_default())
ADD(visual, clv_visual_desc_default())
ADD(event, clv_event_desc_default())

static int add_body(request *r)
{
    body_fill f = {.d = clv_body_desc_default()};
    if (core_fill(&f, body_fields, r->fields, r->keep) < 0)
        return -1;
    f.d.shape.npoint = f.points.n / 3, f.d.shape.point = f.points.value;
    r->status = clv_model_add_body(r->box->model, &r->index, &f.d);
    return 0;
}

static int add_shape(request *r)
{
    shape_fill f = {.d = clv_shape_desc_default()};
    if (core_fill(&f, shape_fields, r->fields, r->keep) < 0)
        return -1;
    f.d.shape.npoint = f.points.n / 3, f.d.shape.point = f.points.value;
    r->status = clv_model_add_shape(r->box->model, &r->index, &f.d);
    return 0;
}

static int add_coupling(request *r)
{
    clv_coupling_term term[33]; /* one too many is refused by the call */
    coupling_fill f = {.d = clv_coupling_desc_default()};
    if (core_fill(&f, coupling_fields, r->fields, r->keep) < 0)
        return -1;
    for (int i = 0; i < f.sum.n && i < 33; i++)
        term[i] = (clv_coupling_term){(int)f.sum.time[i], f.sum.value[i]};
    f.d.nterm = f.sum.n, f.d.term = term;
    f.d.npolynomial = f.polynomial.n, f.d.polynomial = f.polynomial.value;
    r->status = clv_model_add_coupling(r->box->model, &r->index, &f.d);
    return 0;
}

/* points of a curve: (x, y), (x, z) */
typedef struct curve_fill {
    clv_table y, z;
} curve_fill;
static const core_field curve_fields[] = {TABLE(curve_fill, y), TABLE(curve_fill, z), END};

/* The start coordinates of a joint have as many numbers as its kind. */
static int add_joint(request *r)
{
    clv_joint_desc d = clv_joint_desc_default((clv_joint_kind)r->kind);
    curve_fill curve = {0};
    double *points = NULL;
    PyObject *rows = PyDict_GetItemString(r->fields, "curve");
    PyObject *q = PyDict_GetItemString(r->fields, "q"), *u = PyDict_GetItemString(r->fields, "u");
    const clv_joint_row *row = &clv_joint_table[r->kind];
    if ((q && core_numbers(q, d.q, row->nq, "q") < 0) || (u && core_numbers(u, d.u, row->nu, "u") < 0))
        return -1;
    d.has_q = q != NULL, d.has_u = u != NULL;
    if ((q && PyDict_DelItemString(r->fields, "q") < 0) || (u && PyDict_DelItemString(r->fields, "u") < 0) ||
        (rows && (core_fill(&curve, curve_fields, rows, r->keep) < 0 ||
                  PyDict_DelItemString(r->fields, "curve") < 0)) ||
        core_fill(&d, joint_fields, r->fields, r->keep) < 0)
        return -1;
    if (rows && !(points = PyMem_Malloc(3 * sizeof(double) * ((size_t)curve.y.n + 1)))) {
        PyErr_NoMemory();
        return -1;
    }
    for (int i = 0; rows && i < curve.y.n; i++)
        points[3 * i] = curve.y.time[i], points[3 * i + 1] = curve.y.value[i], points[3 * i + 2] = curve.z.value[i];
    d.curve = points, d.ncurve = curve.y.n;
    r->status = clv_model_add_joint(r->box->model, &r->index, &d);
    PyMem_Free(points);
    return 0;
}

/* takes "tendon" out of the fields; path (33) and term (33): one too many is refused by the call */
static int fill_tendon(request *r, clv_force_desc *d, clv_path_point *path, clv_coupling_term *term)
{
    tendon_fill t = {0};
    PyObject *tendon = PyDict_GetItemString(r->fields, "tendon");
    if (!tendon)
        return 0;
    if (core_fill(&t, tendon_fields, tendon, r->keep) < 0 || PyDict_DelItemString(r->fields, "tendon") < 0)
        return -1;
    d->npoint = t.x.n, d->path = path, d->nterm = t.sum.n, d->term = term;
    for (int i = 0; i < t.x.n && i < 33; i++)
        path[i] = (clv_path_point){(int)t.x.time[i], {t.x.value[i], t.y.value[i], t.z.value[i]}};
    for (int i = 0; i < t.sum.n && i < 33; i++)
        term[i] = (clv_coupling_term){(int)t.sum.time[i], t.sum.value[i]};
    return 0;
}

/* Takes a list of bodies out of the fields, into *list (PyMem_Free it) and *n; -1 and an exception if it is none. */
static int take_bodies(request *r, const char *name, int **list, int *n)
{
    PyObject *given = PyDict_GetItemString(r->fields, name);
    const Py_ssize_t size = given ? PyList_Size(given) : 0;
    *list = NULL, *n = 0;
    if (size < 0 || size > 1000000000)
        return -1;
    if (size > 0 && !(*list = PyMem_Calloc((size_t)size, sizeof **list))) {
        PyErr_NoMemory();
        return -1;
    }
    for (; *n < size; ++*n) {
        (*list)[*n] = (int)PyLong_AsLong(PyList_GetItem(given, *n));
        if (PyErr_Occurred())
            return -1;
    }
    return given ? PyDict_DelItemString(r->fields, name) : 0;
}

static int add_contacts(request *r)
{
    clv_force_desc d = clv_force_desc_default(CLV_FORCE_CONTACTS);
    int *first = NULL, *second = NULL, *except = NULL, n;
    int result = take_bodies(r, "among", &first, &d.group.nfirst);
    if (result == 0)
        result = take_bodies(r, "with", &second, &d.group.nsecond);
    if (result == 0)
        result = take_bodies(r, "except", &except, &n), d.group.nexcept = n / 2;
    if (result == 0)
        result = core_fill(&d, force_fields, r->fields, r->keep);
    d.group.first = first, d.group.second = second, d.group.except = except;
    if (result == 0)
        r->status = clv_model_add_force(r->box->model, &r->index, &d);
    PyMem_Free(first), PyMem_Free(second), PyMem_Free(except);
    return result;
}

static int add_force(request *r)
{
    if (r->kind == CLV_FORCE_CONTACTS)
        return add_contacts(r);
    clv_force_desc d = clv_force_desc_default((clv_force_kind)r->kind);
    clv_path_point path[33];
    clv_coupling_term term[33];
    if (fill_tendon(r, &d, path, term) < 0)
        return -1;
    PyObject *call = PyDict_GetItemString(r->fields, "call"), *control = NULL;
    core_control *c = NULL;
    if (call) {
        control = core_control_new(call, &r->box->raised, &c);
        if (!control || PyList_Append(r->box->calls, control) < 0 || PyDict_DelItemString(r->fields, "call") < 0) {
            Py_XDECREF(control);
            return -1;
        }
        Py_DECREF(control);
        d.call = core_load_call, d.user = c;
    }
    if (core_fill(&d, force_fields, r->fields, r->keep) < 0)
        return -1;
    r->status = clv_model_add_force(r->box->model, &r->index, &d);
    return 0;
}

static const struct {
    const char *name;
    int kinds; /* 0: has none */
    int (*add)(request *r);
} items[] = {{"body", 0, add_body},
             {"joint", CLV_JOINT_KINDS, add_joint},
             {"force", CLV_FORCE_KINDS, add_force},
             {"input", CLV_INPUT_KINDS, add_input},
             {"motion", 0, add_motion},
             {"coupling", 0, add_coupling},
             {"marker", 0, add_marker},
             {"visual", 0, add_visual},
             {"shape", 0, add_shape},
             {"event", 0, add_event}};

/* add(model, item, kind, fields) -> its number */
static PyObject *add(PyObject *self, PyObject *args)
{
    PyObject *capsule;
    const char *item;
    request r = {.index = -1};
    size_t i = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "OsiO!", &capsule, &item, &r.kind, &PyDict_Type, &r.fields) ||
        !(r.box = core_model(capsule)))
        return NULL;
    while (i < sizeof items / sizeof items[0] && strcmp(items[i].name, item) != 0)
        i++;
    if (i == sizeof items / sizeof items[0] || r.kind < 0 || (items[i].kinds > 0 && r.kind >= items[i].kinds))
        return core_raise_text(CLV_ERR_USAGE, "there is no such item or kind");
    r.keep = PyList_New(0);
    const int filled = r.keep ? items[i].add(&r) : -1;
    Py_XDECREF(r.keep);
    if (filled < 0)
        return NULL;
    if (r.status != CLV_OK)
        return core_raise(clv_model_error(r.box->model));
    return PyLong_FromLong(r.index);
}

static PyObject *finish(PyObject *self, PyObject *capsule)
{
    model_box *box = core_model(capsule);
    (void)self;
    if (!box)
        return NULL;
    if (!box->model->finished && clv_model_finish(box->model) != CLV_OK)
        return core_raise_model(box->model);
    Py_RETURN_NONE;
}

/* set_options(model, lenient, strained) */
static PyObject *set_options(PyObject *self, PyObject *args)
{
    PyObject *capsule;
    int lenient, strained;
    model_box *box;
    (void)self;
    if (!PyArg_ParseTuple(args, "Opp", &capsule, &lenient, &strained) || !(box = core_model(capsule)))
        return NULL;
    if (clv_model_set_lenient(box->model, lenient) != CLV_OK ||
        clv_model_set_start_strained(box->model, strained) != CLV_OK)
        return core_raise(clv_model_error(box->model));
    Py_RETURN_NONE;
}

/* ---------------------------------------------------------------- what is in it */

static PyObject *input_of(const clv_model *m, int i)
{
    double limit[2];
    clv_model_input_limit(m, i, limit);
    return Py_BuildValue("(sdd)", m->input[i].name, limit[0], limit[1]);
}

static PyObject *joint_of(const clv_model *m, int i)
{
    const clv_joint_row *row = &clv_joint_table[m->joint[i].kind];
    return Py_BuildValue("(ssiiii)", m->joint[i].name, row->name, row->nq, row->nu, m->joint[i].a, m->joint[i].b);
}

static PyObject *parameter_of(const clv_model *m, int i)
{
    const clv_parameter *p = clv_model_parameter(m, i);
    return Py_BuildValue("(ssddddO)", p->name, p->unit, p->value, p->shown, p->least, p->most,
                         p->given ? Py_True : Py_False);
}

static PyObject *body_of(const clv_model *m, int i)
{
    return Py_BuildValue("(sdi)", m->body[i].name, m->body[i].mass, clv_model_mode_count(m, i));
}
static PyObject *marker_of(const clv_model *m, int i)
{
    return Py_BuildValue("(si)", m->marker[i].name, m->marker[i].body);
}
static PyObject *force_of(const clv_model *m, int i) { return Py_BuildValue("(s)", m->force[i].name); }

static PyObject *event_of(const clv_model *m, int i)
{
    static const char *const action[] = {"lock", "release", "attach", "stop"};
    return Py_BuildValue("(ss)", m->event[i].name, action[m->event[i].action]);
}
static PyObject *motion_of(const clv_model *m, int i)
{
    return Py_BuildValue("(si)", m->motion[i].name, m->motion[i].joint);
}

/* Names in the file may be cut within a letter by a message. */
static PyObject *dropped_of(const clv_model *m, int i)
{
    const clv_dropped *d = clv_model_dropped_at(m, i);
    return Py_BuildValue("(NiiOsN)", PyUnicode_DecodeFSDefault(d->file ? d->file : ""), d->line, d->column,
                         d->harmful ? Py_True : Py_False, d->kind,
                         PyUnicode_DecodeUTF8(d->text, (Py_ssize_t)strlen(d->text), "replace"));
}

static PyObject *all_of(const clv_model *m, int n, PyObject *(*one)(const clv_model *, int))
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < n; i++) {
        PyObject *item = one(m, i);
        if (!item || PyList_Append(list, item) < 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

/* describe(model) -> what it holds */
static PyObject *describe(PyObject *self, PyObject *capsule)
{
    const model_box *box = core_model(capsule);
    (void)self;
    if (!box)
        return NULL;
    const clv_model *m = box->model;
    return Py_BuildValue("{s:s,s:d,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N}", "name", clv_model_name(m), "time", m->time_end, "bodies",
                         all_of(m, m->nbody, body_of), "joints", all_of(m, m->njoint, joint_of), "inputs",
                         all_of(m, m->ninput, input_of), "markers", all_of(m, m->nmarker, marker_of), "motions",
                         all_of(m, m->nmotion, motion_of), "forces", all_of(m, m->nforce, force_of), "events",
                         all_of(m, m->nevent, event_of), "parameters", all_of(m, m->nparameter, parameter_of),
                         "dropped", all_of(m, clv_model_dropped_count(m), dropped_of));
}

static PyObject *write_text(PyObject *self, PyObject *args)
{
    PyObject *capsule;
    const model_box *box = NULL;
    PyObject *path = NULL;
    char *text = NULL;
    size_t size = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO&", &capsule, core_path, &path) || !(box = core_model(capsule))) {
        Py_XDECREF(path);
        return NULL;
    }
    const clv_status status = clv_model_write_text_for(box->model, path ? PyBytes_AsString(path) : NULL, &text, &size);
    Py_XDECREF(path);
    if (core_status(status, status == CLV_ERR_UNSUPPORTED ? &(clv_error){.code = status,
                                                                        .message = "a model with callback functions "
                                                                                   "cannot be written as text"}
                                                          : NULL) < 0)
        return NULL;
    PyObject *result = PyUnicode_DecodeUTF8(text, (Py_ssize_t)size, "strict");
    clv_free(text);
    return result;
}

PyMethodDef core_model_methods[] = {
    CLV_METHOD(read_text, METH_VARARGS, "read_text(text, file, parameters, lenient) -> model"),
    CLV_METHOD(read_robot, METH_VARARGS,
               "read_robot(text, file, floating, friction, lenient, stops, contacts, floor) -> model"),
    CLV_METHOD(example, METH_VARARGS, "example(name, parameters) -> model"),
    CLV_METHOD(new, METH_VARARGS, "new(name, gravity) -> model"),
    CLV_METHOD(add, METH_VARARGS, "add(model, item, kind, fields) -> its number"),
    CLV_METHOD(finish, METH_O, "finish(model): checks and freezes it"),
    CLV_METHOD(set_options, METH_VARARGS, "set_options(model, lenient, strained)"),
    CLV_METHOD(describe, METH_O, "describe(model) -> names and sizes"),
    CLV_METHOD(write_text, METH_VARARGS, "write_text(model, file) -> YAML text"),
    {NULL, NULL, 0, NULL}};
