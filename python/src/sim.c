/* SPDX-License-Identifier: Apache-2.0
 * The type Sim: one simulation.  Its calls release the lock of the interpreter; a second call at the same time, from
 * another thread or from a callback, is refused.  The Python class cleave.Sim is made of it. */
#include "core.h"
#include "model/joint.h"
#include "model/model.h"
#include "simulation/option_rows.h"
#include "simulation/report_rows.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---------------------------------------------------------------- calls */

bool core_enter(sim_object *s)
{
    if (s->busy)
        core_raise_text(CLV_ERR_USAGE,
                        "the simulation is at work: in another thread, or in the call that called this callback");
    else if (!s->sim)
        core_raise_text(CLV_ERR_USAGE, "the simulation could not be created");
    else
        return s->busy = true;
    return false;
}

/* The exception of a callback, if there is one. */
static bool raised(PyObject **kept)
{
    PyObject *error = *kept;
    if (!error)
        return false;
    *kept = NULL;
    PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_DECREF(error);
    return true;
}

int core_leave(sim_object *s, clv_status status)
{
    s->busy = false;
    if (PyErr_Occurred() || raised(&s->raised) || raised(&s->box->raised))
        return -1;
    return core_status(status, clv_sim_error(s->sim));
}

int core_refresh(sim_object *s)
{
    if (!s->live)
        return 0;
    if (!core_enter(s))
        return -1;
    clv_status status;
    CLV_UNLOCKED(status, clv_sim_coordinates(s->sim, s->q, s->u))
    return core_leave(s, status);
}

/* ---------------------------------------------------------------- creation */

static int set_name(clv_sim_options *o, const char *name, const char *text)
{
#define NAME(at, kind, field, key, word, usual, least, most, open, of, saved, value, help)                           \
    if (strcmp(name, key) == 0)                                                                                      \
        return o->field = text, 0;
    CLV_NAME_OPTIONS(NAME)
#undef NAME
    return -1;
}

static int set_option(clv_sim_options *o, PyObject *key, PyObject *value)
{
    const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
    const clv_option_row *row = name ? clv_option_row_named(name) : NULL;
    char message[160];
    if (!name || value == Py_None)
        return name ? 0 : -1;
    if (row && !PyUnicode_Check(value)) {
        const double x = PyFloat_AsDouble(value);
        if (PyErr_Occurred())
            return -1;
        if (row->type != CLV_TYPE_NUMBER && (x != floor(x) || fabs(x) > 1e9)) {
            snprintf(message, sizeof message, "%s is %g; it must be a whole number", name, x);
            return core_raise_text(CLV_ERR_USAGE, message), -1;
        }
        if ((row->type == CLV_TYPE_FLAG || row->type == CLV_TYPE_SWITCH) && x != 0 && x != 1) {
            snprintf(message, sizeof message, "%s is %g; it must be True or False", name, x);
            return core_raise_text(CLV_ERR_USAGE, message), -1;
        }
        return clv_option_set_number(o, row, x), 0;
    }
    if (!row && PyUnicode_Check(value)) {
        const char *text = PyUnicode_AsUTF8AndSize(value, NULL);
        if (!text)
            return -1;
        if (set_name(o, name, text) == 0)
            return 0;
    }
    PyErr_Format(PyExc_TypeError, row || !PyUnicode_Check(value) ? "the option %s cannot be %R"
                                                                 : "there is no option %s (value %R)", name, value);
    return -1;
}

static int read_options(clv_sim_options *o, PyObject *options)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    *o = clv_sim_options_default();
    while (PyDict_Next(options, &at, &key, &value))
        if (set_option(o, key, value) < 0)
            return -1;
    return 0;
}

static void box_free(PyObject *handle)
{
    sim_box *box = PyCapsule_GetPointer(handle, "cleave.sim");
    clv_sim_destroy(box->sim);
    PyMem_Free(box->q), PyMem_Free(box->u);
    Py_DECREF(box->model);
    PyMem_Free(box);
}

/* Memory for a simulation of the model; NULL: raised. */
static PyObject *box_new(PyObject *model, int njoint)
{
    sim_box *box = PyMem_Calloc(1, sizeof *box);
    PyObject *handle = box ? PyCapsule_New(box, "cleave.sim", box_free) : PyErr_NoMemory();
    if (!handle) {
        PyMem_Free(box);
        return NULL;
    }
    Py_INCREF(model);
    box->model = model;
    box->q = PyMem_Calloc((size_t)njoint * 7 + 1, sizeof(double));
    box->u = PyMem_Calloc((size_t)njoint * 6 + 1, sizeof(double));
    if (box->q && box->u)
        return handle;
    Py_DECREF(handle);
    return PyErr_NoMemory();
}

/* Sim(model, options) */
static PyObject *sim_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *capsule, *options;
    clv_sim_options o;
    clv_status status;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "OO!", &capsule, &PyDict_Type, &options) || !core_model(capsule) ||
        read_options(&o, options) < 0)
        return NULL;
    model_box *of = core_model(capsule);
    const int njoint = clv_model_joint_count(of->model);
    PyObject *handle = box_new(capsule, njoint);
    sim_object *s = handle ? (sim_object *)PyType_GenericAlloc(type, 0) : NULL;
    if (!s) {
        Py_XDECREF(handle);
        return NULL;
    }
    sim_box *box = PyCapsule_GetPointer(handle, "cleave.sim");
    Py_BEGIN_ALLOW_THREADS
    status = clv_sim_create(&box->sim, of->model, &o);
    Py_END_ALLOW_THREADS
    s->handle = handle, s->capsule = capsule, s->box = of, s->sim = box->sim;
    s->q = box->q, s->u = box->u, s->njoint = njoint;
    if (!raised(&of->raised))
        core_status(status, s->sim ? clv_sim_error(s->sim) : NULL);
    if (PyErr_Occurred())
        Py_CLEAR(s);
    return (PyObject *)s;
}

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    for (core_control *c = ((sim_object *)self)->controls; c; c = c->next)
        Py_VISIT(c->call);
    return 0;
}

/* A control without its function stops the run; the simulation itself stays, for views of it. */
static int clear(PyObject *self)
{
    for (core_control *c = ((sim_object *)self)->controls; c; c = c->next)
        Py_CLEAR(c->call);
    return 0;
}

static void dealloc(PyObject *self)
{
    sim_object *s = (sim_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    clear(self);
    for (core_control *c = s->controls, *next; c; c = next) {
        next = c->next;
        PyMem_Free(c);
    }
    Py_XDECREF(s->handle), Py_XDECREF(s->raised);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* ---------------------------------------------------------------- time */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double reached(const sim_object *s)
{
    clv_sim_report r;
    clv_sim_summary(s->sim, &r);
    return r.time;
}

/* Steps towards `time` for at most 50 ms; without the lock. */
static clv_status go(sim_object *s, double time, bool *there)
{
    const double until = now() + 0.05;
    clv_status status = CLV_OK;
    while (status == CLV_OK && !(*there = !(reached(s) < time)) && now() < until)
        status = clv_sim_step(s->sim, time);
    return status;
}

/* To the output time; signals are looked for between steps. */
static clv_status advance_to(sim_object *s, double time)
{
    bool there = false;
    clv_status status = CLV_OK;
    while (status == CLV_OK && !there && isfinite(time)) {
        Py_BEGIN_ALLOW_THREADS
        status = go(s, time, &there);
        if (status == CLV_OK && there)
            status = clv_sim_advance(s->sim, time);
        Py_END_ALLOW_THREADS
        if (status == CLV_OK && !there && PyErr_CheckSignals() < 0)
            return CLV_OK;
    }
    return isfinite(time) ? status : clv_sim_advance(s->sim, time);
}

static PyObject *advance(PyObject *self, PyObject *arg)
{
    sim_object *s = (sim_object *)self;
    const double time = PyFloat_AsDouble(arg);
    if (PyErr_Occurred() || !core_enter(s))
        return NULL;
    const clv_status status = advance_to(s, time);
    if (core_leave(s, status) < 0 || core_refresh(s) < 0)
        return NULL;
    Py_RETURN_NONE;
}

/* step() or step(dt) -> the new time */
static PyObject *step(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    sim_object *s = (sim_object *)self;
    const double by = n > 0 && args[0] != Py_None ? PyFloat_AsDouble(args[0]) : NAN;
    if (n > 1)
        PyErr_SetString(PyExc_TypeError, "step takes one number at most");
    if (PyErr_Occurred() || !core_enter(s))
        return NULL;
    clv_status status;
    if (n > 0 && args[0] != Py_None)
        status = advance_to(s, clv_sim_time(s->sim) + by);
    else {
        Py_BEGIN_ALLOW_THREADS
        status = clv_sim_step(s->sim, reached(s) + 1e9);
        if (status == CLV_OK)
            status = clv_sim_advance(s->sim, reached(s));
        Py_END_ALLOW_THREADS
    }
    if (core_leave(s, status) < 0 || core_refresh(s) < 0)
        return NULL;
    return PyFloat_FromDouble(clv_sim_time(s->sim));
}

static PyObject *evaluate(PyObject *self, PyObject *none)
{
    sim_object *s = (sim_object *)self;
    clv_status status;
    (void)none;
    if (!core_enter(s))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    status = clv_sim_evaluate(s->sim);
    Py_END_ALLOW_THREADS
    if (core_leave(s, status) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *set_end(PyObject *self, PyObject *arg)
{
    sim_object *s = (sim_object *)self;
    const double end = PyFloat_AsDouble(arg);
    if (PyErr_Occurred() || !core_enter(s))
        return NULL;
    clv_status status;
    CLV_UNLOCKED(status, clv_sim_set_end(s->sim, end))
    if (core_leave(s, status) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *get_time(PyObject *self, void *closure)
{
    (void)closure;
    return PyFloat_FromDouble(clv_sim_time(((sim_object *)self)->sim));
}

/* ---------------------------------------------------------------- results */

static PyObject *array_of(sim_object *s, PyTypeObject *type, const char *name)
{
    clv_sim *c = s->sim;
    const int nb = clv_model_body_count(s->box->model), nm = clv_model_marker_count(s->box->model);
    const struct {
        const char *name;
        const double *data;
        int rows, columns;
    } all[] = {{"position", clv_sim_position(c), nb, 3},
               {"quaternion", clv_sim_quaternion(c), nb, 4},
               {"velocity", clv_sim_velocity(c), nb, 6},
               {"acceleration", clv_sim_acceleration(c), nb, 6},
               {"marker", clv_sim_marker(c), nm, 6},
               {"marker_acceleration", clv_sim_marker_acceleration(c), nm, 3},
               {"q", s->q, s->njoint, 7},
               {"u", s->u, s->njoint, 6}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(all[i].name, name) == 0)
            return core_array(type, s->handle, (double *)all[i].data, all[i].rows, all[i].columns);
    return core_raise_text(CLV_ERR_USAGE, "there is no such array");
}

/* array(type, name) -> a live view; from the first view of q or u on, both are filled after every change */
static PyObject *array(PyObject *self, PyObject *args)
{
    sim_object *s = (sim_object *)self;
    PyObject *type;
    const char *name;
    if (!PyArg_ParseTuple(args, "O!s", &PyType_Type, &type, &name) || !core_enter(s))
        return NULL;
    s->busy = false;
    if (!s->live && (strcmp(name, "q") == 0 || strcmp(name, "u") == 0)) {
        s->live = true;
        if (core_refresh(s) < 0)
            return NULL;
    }
    return array_of(s, (PyTypeObject *)type, name);
}

static PyObject *bools(const bool *from, int n)
{
    PyObject *tuple = PyTuple_New(n);
    for (int i = 0; tuple && i < n; i++)
        PyTuple_SetItem(tuple, i, PyBool_FromLong(from[i]));
    return tuple;
}

/* joint(number) -> dict */
static PyObject *joint(PyObject *self, PyObject *arg)
{
    sim_object *s = (sim_object *)self;
    const long i = PyLong_AsLong(arg);
    clv_joint_result r;
    clv_status status;
    if (PyErr_Occurred() || !core_enter(s))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    status = clv_sim_joint(s->sim, i < 0 || i > s->njoint ? -1 : (int)i, &r);
    Py_END_ALLOW_THREADS
    if (core_leave(s, status) < 0)
        return NULL;
    return Py_BuildValue("{s:O,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N}", "tree", r.tree ? Py_True : Py_False, "q",
                         core_floats(r.q, r.nq), "u", core_floats(r.u, r.nu), "udot", core_floats(r.udot, r.nu), "p",
                         core_floats(r.p, r.nu), "pdot", core_floats(r.pdot, r.nu), "effort",
                         core_floats(r.effort, r.nu), "force", core_floats(r.force, 3), "torque",
                         core_floats(r.torque, 3), "drive_force", core_floats(r.drive_force, 3), "drive_torque",
                         core_floats(r.drive_torque, 3), "unique", bools(r.unique, 6));
}

/* modes(body) -> (q, u) */
static PyObject *modes(PyObject *self, PyObject *arg)
{
    const double *q = NULL, *u = NULL;
    sim_object *s = (sim_object *)self;
    const long body = PyLong_AsLong(arg);
    if (PyErr_Occurred() || !core_enter(s))
        return NULL;
    s->busy = false;
    const int n = clv_sim_modes(s->sim, body < 0 || body > 1000000000 ? -1 : (int)body, &q, &u, NULL);
    return Py_BuildValue("(NN)", core_floats(q, n), core_floats(u, n));
}

static PyObject *energy(PyObject *self, PyObject *none)
{
    double x[3];
    (void)none;
    clv_sim_energy(((sim_object *)self)->sim, x, x + 1, x + 2);
    return core_floats(x, 3);
}

static PyObject *momentum(PyObject *self, PyObject *none)
{
    clv_momentum m;
    (void)none;
    clv_sim_momentum(((sim_object *)self)->sim, &m);
    return Py_BuildValue("(dNNN)", m.mass, core_floats(m.centre, 3), core_floats(m.linear, 3),
                         core_floats(m.angular, 3));
}

static PyObject *violation(PyObject *self, PyObject *none)
{
    double x[2];
    (void)none;
    clv_sim_violation(((sim_object *)self)->sim, x, x + 1);
    return core_floats(x, 2);
}

static int put(PyObject *dict, const char *key, PyObject *value)
{
    const int result = value ? PyDict_SetItemString(dict, key, value) : -1;
    Py_XDECREF(value);
    return result;
}

static PyObject *report(PyObject *self, PyObject *none)
{
    sim_object *s = (sim_object *)self;
    clv_sim_report r;
    (void)none;
    clv_sim_summary(s->sim, &r);
    PyObject *dict = Py_BuildValue("{s:s,s:s,s:d,s:d,s:d,s:i}", "formulation", r.formulation, "integrator",
                                   r.integrator, "time", r.time, "rank", r.rank, "step", r.step, "lanes", r.lanes);
    const clv_report_row *row;
    for (int i = 0; dict && (row = clv_report_row_at(i)) != NULL; i++) {
        const double x = clv_report_number(&r, row);
        if (put(dict, row->name, row->type == CLV_REPORT_NUMBER ? PyFloat_FromDouble(x) : PyLong_FromDouble(x)) < 0)
            Py_CLEAR(dict);
    }
    return dict;
}

/* start(joint) -> (redundant, mobility, moved, rate moved) */
static PyObject *start(PyObject *self, PyObject *arg)
{
    const clv_sim *s = ((sim_object *)self)->sim;
    const long i = PyLong_AsLong(arg);
    const int joint = i < 0 || i > 1000000000 ? -1 : (int)i;
    if (PyErr_Occurred())
        return NULL;
    return Py_BuildValue("(Oidd)", clv_sim_joint_redundant(s, joint) ? Py_True : Py_False,
                         (int)clv_sim_joint_mobility(s, joint), clv_sim_joint_start_moved(s, joint),
                         clv_sim_joint_start_rate_moved(s, joint));
}

/* ---------------------------------------------------------------- the type */

static PyMethodDef methods[] = {
    CLV_METHOD(advance, METH_O,
               "advance($self, time, /)\n--\n\nAdvance to the time `time` (s), which must not be past.\n\n"
               "Other Python threads run meanwhile.  Ctrl-C stops between two steps; the output state is then still\n"
               "the last one, and a later call continues.\n"
               "Raises UsageError, SingularError, NotFiniteError, StepSizeError, ConvergenceError."),
    CLV_METHOD(step, METH_FASTCALL,
               "step($self, dt=None, /)\n--\n\nAdvance by `dt` seconds, or by one accepted step of the integrator.\n\n"
               "Returns the new time (s)."),
    CLV_METHOD(evaluate, METH_NOARGS,
               "evaluate($self, /)\n--\n\nCompute accelerations and reactions at the output state."),
    CLV_METHOD(set_end, METH_O, "set_end($self, end, /)\n--\n\nLet the last step end exactly at `end` (s)."),
    {"changed", core_sim_changed, METH_NOARGS,
     PyDoc_STR("changed($self, /)\n--\n\nAnnounce that something a callback reads has changed at the present time.")},
    {"_array", array, METH_VARARGS, PyDoc_STR("array(type, name)")},
    {"_joint", joint, METH_O, PyDoc_STR("joint(number) -> dict")},
    {"_modes", modes, METH_O, PyDoc_STR("modes(body) -> (q, u)")},
    {"_energy", energy, METH_NOARGS, PyDoc_STR("energy() -> (kinetic, potential, work)")},
    {"_momentum", momentum, METH_NOARGS, PyDoc_STR("momentum() -> (mass, centre, linear, angular)")},
    {"_violation", violation, METH_NOARGS, PyDoc_STR("violation() -> (position, velocity)")},
    {"_report", report, METH_NOARGS, PyDoc_STR("report() -> dict")},
    {"_start", start, METH_O, PyDoc_STR("start(joint) -> (redundant, mobility, moved, rate moved)")},
    {"_set_input", (PyCFunction)(void (*)(void))core_sim_set_input, METH_FASTCALL, PyDoc_STR("set_input(number, value)")},
    {"_input", core_sim_input, METH_O, PyDoc_STR("input(number) -> value")},
    {"_set_joints", core_sim_set_joints, METH_O, PyDoc_STR("set_joints([(joint, q, u), ...])")},
    {"save", core_sim_save, METH_NOARGS, PyDoc_STR("save($self, /)\n--\n\nThe state as bytes: a simulation of the same model and options continues with the same bits.")},
    {"load", core_sim_load, METH_O, PyDoc_STR("load($self, state, /)\n--\n\nLoad the bytes of `save` into a new simulation of the same model and options.")},
    {"_control_joint", core_sim_control_joint, METH_VARARGS, PyDoc_STR("control_joint(joint, function)")},
    {"_control_body", core_sim_control_body, METH_VARARGS, PyDoc_STR("control_body(body, function)")},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef getters[] = {{"time", get_time, NULL, PyDoc_STR("Time of the output state, s."), NULL},
                                {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot slots[] = {{Py_tp_new, sim_new},         {Py_tp_dealloc, dealloc}, {Py_tp_traverse, traverse},
                              {Py_tp_clear, clear},         {Py_tp_methods, methods}, {Py_tp_getset, getters},
                              {Py_tp_doc, "Sim(model, options)"}, {0, NULL}};
PyType_Spec core_sim_spec = {"cleave._core.Sim", sizeof(sim_object), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
