/* SPDX-License-Identifier: Apache-2.0
 * What changes a simulation between two steps: inputs, joints, saved states, controls. */
#include "core.h"
#include "model/joint.h"
#include "model/model.h"
#include <stdio.h>

static PyObject *done(sim_object *s, clv_status status)
{
    if (core_leave(s, status) < 0 || core_refresh(s) < 0)
        return NULL;
    Py_RETURN_NONE;
}

PyObject *core_sim_set_input(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    sim_object *s = (sim_object *)self;
    if (n != 2) {
        PyErr_SetString(PyExc_TypeError, "set_input takes a number and a value");
        return NULL;
    }
    const long input = PyLong_AsLong(args[0]);
    double value;
    if (PyErr_Occurred() || core_number(args[1], &value, "the value of an input") < 0 || !core_enter(s))
        return NULL;
    const int number = input < 0 || input >= clv_model_input_count(s->box->model) ? -1 : (int)input;
    clv_status status;
    CLV_UNLOCKED(status, clv_sim_set_input(s->sim, number, value))
    if (core_leave(s, status) < 0)
        return NULL;
    Py_RETURN_NONE;
}

PyObject *core_sim_input(PyObject *self, PyObject *arg)
{
    sim_object *s = (sim_object *)self;
    const long input = PyLong_AsLong(arg);
    if (PyErr_Occurred())
        return NULL;
    return PyFloat_FromDouble(clv_sim_input(s->sim, input < 0 || input > 1000000000 ? -1 : (int)input));
}

/* (joint, q or None, u or None) */
static int read_setting(const sim_object *s, PyObject *from, clv_joint_setting *to)
{
    PyObject *q, *u;
    *to = (clv_joint_setting){.joint = -1};
    if (!PyArg_ParseTuple(from, "iOO", &to->joint, &q, &u))
        return -1;
    if (to->joint < 0 || to->joint >= s->njoint)
        return core_raise_text(CLV_ERR_USAGE, "there is no such joint"), -1;
    const clv_joint *joint = &s->box->model->joint[to->joint];
    const clv_joint_row *row = &clv_joint_table[joint->kind];
    char what[160];
    to->has_q = q != Py_None, to->has_u = u != Py_None;
    snprintf(what, sizeof what, "q of joint '%.120s'", joint->name);
    if (to->has_q && core_numbers(q, to->q, row->nq, what) < 0)
        return -1;
    what[0] = 'u';
    return to->has_u ? core_numbers(u, to->u, row->nu, what) : 0;
}

PyObject *core_sim_set_joints(PyObject *self, PyObject *arg)
{
    sim_object *s = (sim_object *)self;
    const Py_ssize_t n = PySequence_Size(arg);
    if (n < 0)
        return NULL;
    if (n > 10L * s->njoint + 10)
        return core_raise_text(CLV_ERR_USAGE, "more settings than joints");
    clv_joint_setting *all = PyMem_Calloc((size_t)n + 1, sizeof *all);
    if (!all)
        return PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < n && !PyErr_Occurred(); i++) {
        PyObject *one = PySequence_GetItem(arg, i);
        if (one)
            (void)read_setting(s, one, &all[i]);
        Py_XDECREF(one);
    }
    PyObject *result = NULL;
    if (!PyErr_Occurred() && core_enter(s)) {
        clv_status status;
        CLV_UNLOCKED(status, clv_sim_set_joints(s->sim, all, (int)n))
        result = done(s, status);
    }
    PyMem_Free(all);
    return result;
}

PyObject *core_sim_save(PyObject *self, PyObject *none)
{
    sim_object *s = (sim_object *)self;
    (void)none;
    if (!core_enter(s))
        return NULL;
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)clv_sim_saved_size(s->sim));
    if (bytes)
        clv_sim_save(s->sim, PyBytes_AsString(bytes));
    s->busy = false;
    return bytes;
}

PyObject *core_sim_load(PyObject *self, PyObject *arg)
{
    sim_object *s = (sim_object *)self;
    char *bytes;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(arg, &bytes, &size) < 0 || !core_enter(s))
        return NULL;
    clv_status status;
    CLV_UNLOCKED(status, clv_sim_load(s->sim, bytes, (size_t)size))
    return done(s, status);
}

PyObject *core_sim_changed(PyObject *self, PyObject *none)
{
    sim_object *s = (sim_object *)self;
    (void)none;
    if (!core_enter(s))
        return NULL;
    clv_status status;
    CLV_UNLOCKED(status, clv_sim_changed(s->sim))
    return done(s, status);
}

/* The node of a joint (key = number) or body (key = -1 - number); made where there is none.  NULL: out of memory. */
static core_control *node_of(sim_object *s, int key)
{
    core_control *c = s->controls;
    while (c && c->key != key)
        c = c->next;
    if (c)
        return c;
    c = PyMem_Calloc(1, sizeof *c);
    if (!c)
        return (core_control *)PyErr_NoMemory();
    *c = (core_control){.raised = &s->raised, .key = key, .next = s->controls};
    return s->controls = c;
}

/* Sets or removes (None) a control; the function lives as long as it is bound. */
static PyObject *bind(sim_object *s, PyObject *call, int key, int nq, int nu)
{
    if (!core_enter(s))
        return NULL;
    core_control *c = node_of(s, key);
    if (!c) {
        s->busy = false;
        return NULL;
    }
    PyObject *before = c->call;
    Py_INCREF(call);
    c->call = call, c->nq = nq, c->nu = nu;
    const bool none = call == Py_None;
    clv_status status;
    CLV_UNLOCKED(status, key >= 0 ? clv_sim_set_joint_control(s->sim, key, none ? NULL : core_joint_call, c)
                                  : clv_sim_set_body_control(s->sim, -1 - key, none ? NULL : core_body_call, c))
    if (status != CLV_OK)
        c->call = before, before = call;
    Py_XDECREF(before);
    return done(s, status);
}

/* control_joint(number, function or None) */
PyObject *core_sim_control_joint(PyObject *self, PyObject *args)
{
    sim_object *s = (sim_object *)self;
    PyObject *call;
    int joint;
    if (!PyArg_ParseTuple(args, "iO", &joint, &call))
        return NULL;
    if (joint < 0 || joint >= s->njoint)
        return core_raise_text(CLV_ERR_USAGE, "there is no such joint");
    const clv_joint_row *row = &clv_joint_table[s->box->model->joint[joint].kind];
    return bind(s, call, joint, row->nq, row->nu);
}

/* control_body(number, function or None) */
PyObject *core_sim_control_body(PyObject *self, PyObject *args)
{
    PyObject *call;
    int body;
    if (!PyArg_ParseTuple(args, "iO", &body, &call))
        return NULL;
    if (body < 0 || body >= clv_model_body_count(((sim_object *)self)->box->model))
        return core_raise_text(CLV_ERR_USAGE, "there is no such body");
    return bind((sim_object *)self, call, -1 - body, 0, 0);
}
