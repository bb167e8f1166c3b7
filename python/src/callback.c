/* SPDX-License-Identifier: Apache-2.0
 * Calls from the library into Python functions.  They take the lock of the interpreter, and keep an exception until
 * the call of the library has returned; the library is told to stop. */
#include "core.h"
#include <string.h>

/* Keeps the exception that is set, unless one is kept already. */
static void keep(PyObject **raised)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (value && trace)
        PyException_SetTraceback(value, trace);
    if (value && !*raised)
        *raised = value;
    else
        Py_XDECREF(value);
    Py_XDECREF(type), Py_XDECREF(trace);
}

static PyObject *bytes(const double *x, size_t n)
{
    return PyBytes_FromStringAndSize((const char *)x, (Py_ssize_t)(n * sizeof(double)));
}

/* Adds the numbers of a result that is a buffer of doubles; None: nothing. */
static int add_buffer(PyObject *result, double *to, size_t n)
{
    Py_buffer view;
    if (result == Py_None)
        return 0;
    if (PyObject_GetBuffer(result, &view, PyBUF_C_CONTIGUOUS) < 0)
        return -1;
    const bool fits = view.len == (Py_ssize_t)(n * sizeof(double));
    for (size_t i = 0; fits && i < n; i++)
        to[i] += ((const double *)view.buf)[i];
    PyBuffer_Release(&view);
    if (!fits)
        PyErr_SetString(PyExc_ValueError, "the wrench has the wrong shape");
    return fits ? 0 : -1;
}

int core_load_call(void *user, clv_load_view *v)
{
    const PyGILState_STATE state = PyGILState_Ensure();
    core_control *c = user;
    const size_t n = (size_t)v->nbody;
    PyObject *result = PyObject_CallFunction(c->call, "dNNNN", v->time, bytes(v->position, 3 * n),
                                             bytes(v->rotation, 9 * n), bytes(v->velocity, 6 * n),
                                             bytes(v->input, (size_t)v->ninput));
    const int failed = !result || add_buffer(result, v->wrench, 6 * n) < 0;
    if (failed)
        keep(c->raised);
    Py_XDECREF(result);
    PyGILState_Release(state);
    return failed;
}

int core_body_call(void *user, clv_body_view *v)
{
    const PyGILState_STATE state = PyGILState_Ensure();
    core_control *c = user;
    PyObject *result = NULL;
    if (c->call)
        result = PyObject_CallFunction(c->call, "dNNN", v->time, bytes(v->position, 3), bytes(v->rotation, 9),
                                       bytes(v->velocity, 6));
    const int failed = !result || add_buffer(result, v->wrench, 6) < 0;
    if (failed)
        keep(c->raised);
    Py_XDECREF(result);
    PyGILState_Release(state);
    return failed;
}

static PyObject *number_or_tuple(const double *x, int n)
{
    return n == 1 ? PyFloat_FromDouble(*x) : core_floats(x, n);
}

int core_joint_call(void *user, double time, const double *q, const double *u, double *effort)
{
    const PyGILState_STATE state = PyGILState_Ensure();
    core_control *c = user;
    PyObject *result = !c->call ? NULL
                                : PyObject_CallFunction(c->call, "dNN", time, number_or_tuple(q, c->nq),
                                                        number_or_tuple(u, c->nu));
    const int failed = !result || core_numbers(result, effort, c->nu, "the effort") < 0;
    if (failed)
        keep(c->raised);
    Py_XDECREF(result);
    PyGILState_Release(state);
    return failed;
}

static void control_free(PyObject *capsule)
{
    core_control *c = PyCapsule_GetPointer(capsule, "cleave.control");
    Py_XDECREF(c->call);
    PyMem_Free(c);
}

PyObject *core_control_new(PyObject *call, PyObject **raised, core_control **control)
{
    core_control *c = PyMem_Malloc(sizeof *c);
    if (!c)
        return PyErr_NoMemory();
    Py_INCREF(call);
    *c = (core_control){.call = call, .raised = raised};
    PyObject *capsule = PyCapsule_New(c, "cleave.control", control_free);
    if (!capsule) {
        Py_DECREF(call);
        PyMem_Free(c);
    }
    *control = c;
    return capsule;
}
