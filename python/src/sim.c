/* SPDX-License-Identifier: Apache-2.0
 * The type Sim: one simulation.  Its calls release the lock of the interpreter; a second call at the same time, from
 * another thread or from a callback, is refused.  The Python class cleave.Sim is made of it. */
#include "core.h"
#include "model/model.h"
#include <math.h>
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
        core_options(&o, options) < 0)
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
    (void)clv_sim_position(box->sim); /* views are formed with every output: other threads may read them at any time */
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

/* A signal has ended the call: the end of the last step becomes the output state.  Its exception stays. */
static void stand_still(sim_object *s)
{
    PyObject *type, *error, *trace;
    PyErr_Fetch(&type, &error, &trace);
    Py_BEGIN_ALLOW_THREADS
    (void)clv_sim_advance(s->sim, reached(s));
    Py_END_ALLOW_THREADS
    PyErr_Restore(type, error, trace);
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
        if (status == CLV_OK && !there && PyErr_CheckSignals() < 0) {
            stand_still(s);
            return CLV_OK;
        }
    }
    return isfinite(time) ? status : clv_sim_advance(s->sim, time);
}

/* The end of a call that moves time.  A run that has stopped, or was interrupted, shows its last state, in q and u
 * too. */
static int arrived(sim_object *s, clv_status status)
{
    if (core_leave(s, status) == 0)
        return core_refresh(s);
    if (status == CLV_STOPPED || status == CLV_OK) {
        PyObject *type, *error, *trace;
        PyErr_Fetch(&type, &error, &trace);
        (void)core_refresh(s);
        PyErr_Restore(type, error, trace);
    }
    return -1;
}

static PyObject *advance(PyObject *self, PyObject *arg)
{
    sim_object *s = (sim_object *)self;
    double time;
    if (core_number(arg, &time, "time") < 0 || !core_enter(s))
        return NULL;
    const clv_status status = advance_to(s, time);
    if (arrived(s, status) < 0)
        return NULL;
    Py_RETURN_NONE;
}

/* step() or step(dt) -> the new time */
static PyObject *step(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    sim_object *s = (sim_object *)self;
    double by = NAN;
    if (n > 1)
        PyErr_SetString(PyExc_TypeError, "step takes one number at most");
    if (n > 1 || (n > 0 && args[0] != Py_None && core_number(args[0], &by, "dt") < 0) || !core_enter(s))
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
    if (arrived(s, status) < 0)
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
    double end;
    if (core_number(arg, &end, "end") < 0 || !core_enter(s))
        return NULL;
    clv_status status;
    CLV_UNLOCKED(status, clv_sim_set_end(s->sim, end))
    if (core_leave(s, status) < 0)
        return NULL;
    Py_RETURN_NONE;
}

/* set_max_steps(most) or set_max_steps(most, end) */
static PyObject *set_max_steps(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    sim_object *s = (sim_object *)self;
    double most, end = NAN;
    if (n < 1 || n > 2) {
        PyErr_SetString(PyExc_TypeError, "set_max_steps takes one or two numbers");
        return NULL;
    }
    if (core_number(args[0], &most, "most") < 0 ||
        (n > 1 && args[1] != Py_None && core_number(args[1], &end, "end") < 0) || !core_enter(s))
        return NULL;
    if (core_leave(s, clv_sim_set_max_steps(s->sim, most, end)) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *get_time(PyObject *self, void *closure)
{
    (void)closure;
    return PyFloat_FromDouble(clv_sim_time(((sim_object *)self)->sim));
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
    CLV_METHOD(set_max_steps, METH_FASTCALL,
               "set_max_steps($self, most, end=None, /)\n--\n\nLet steps fail after `most` of them since the start, "
               "rejected ones included.\n\nSo they do after a million if there would be more at that pace up to `end` "
               "(s), unless\nevents of the model may end the run.  `math.inf`: no limit.  Raises StepSizeError then."),
    {"changed", core_sim_changed, METH_NOARGS,
     PyDoc_STR("changed($self, /)\n--\n\nAnnounce that something a callback reads has changed at the present time.")},
    {"_array", core_sim_array, METH_VARARGS, PyDoc_STR("array(type, name)")},
    {"_joint", core_sim_joint, METH_O, PyDoc_STR("joint(number) -> dict")},
    {"_event", core_sim_event, METH_O, PyDoc_STR("event(number) -> what it has done")},
    {"_stopped", core_sim_stopped, METH_NOARGS, PyDoc_STR("stopped() -> number of an event, or -1")},
    {"_contact", core_sim_contact, METH_O, PyDoc_STR("contact(number) -> dict")},
    {"_contacts", core_sim_contacts, METH_NOARGS, PyDoc_STR("contacts() -> list of tuples")},
    {"_modes", core_sim_modes, METH_O, PyDoc_STR("modes(body) -> (q, u)")},
    {"_energy", core_sim_energy, METH_NOARGS, PyDoc_STR("energy() -> (kinetic, potential, work)")},
    {"_momentum", core_sim_momentum, METH_NOARGS, PyDoc_STR("momentum() -> (mass, centre, linear, angular)")},
    {"_derivatives", core_sim_derivatives, METH_O, PyDoc_STR("derivatives(numbers) -> dict")},
    {"_sensitivity", core_sim_sensitivity, METH_VARARGS, PyDoc_STR("sensitivity(...) -> dict")},
    {"_adjoint", core_sim_adjoint, METH_VARARGS, PyDoc_STR("adjoint(run, weights) -> gradient")},
    {"_slopes", core_sim_slopes, METH_O, PyDoc_STR("slopes(run) -> derivatives of all outputs")},
    {"_violation", core_sim_violation, METH_NOARGS, PyDoc_STR("violation() -> (position, velocity)")},
    {"_report", core_sim_report, METH_NOARGS, PyDoc_STR("report() -> dict")},
    {"_start", core_sim_start, METH_O, PyDoc_STR("start(joint) -> (redundant, mobility, moved, rate moved)")},
    {"_set_input", (PyCFunction)(void (*)(void))core_sim_set_input, METH_FASTCALL,
     PyDoc_STR("set_input(number, value)")},
    {"_input", core_sim_input, METH_O, PyDoc_STR("input(number) -> value")},
    {"_set_joints", core_sim_set_joints, METH_O, PyDoc_STR("set_joints([(joint, q, u), ...])")},
    {"save", core_sim_save, METH_NOARGS,
     PyDoc_STR("save($self, /)\n--\n\n"
               "The state as bytes: a simulation of the same model and options continues with the same bits.")},
    {"load", core_sim_load, METH_O,
     PyDoc_STR("load($self, state, /)\n--\n\n"
               "Load the bytes of `save` into a new simulation of the same model and options.")},
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
