/* SPDX-License-Identifier: Apache-2.0
 * Sensitivity runs of a Sim, in capsules; results are copied into bytes, of which the Python side makes arrays. */
#include "core.h"
#include "io/columns.h"
#include "io/quantity.h"
#include "model/model.h"

#define CAPSULE "cleave.sensitivity"

typedef struct run_box {
    clv_sensitivity *run;
    PyObject *sim;
} run_box;

static void box_free(PyObject *capsule)
{
    run_box *box = PyCapsule_GetPointer(capsule, CAPSULE);
    clv_sensitivity_destroy(box->run);
    Py_DECREF(box->sim);
    PyMem_Free(box);
}

/* ---------------------------------------------------------------- lists */

/* C arrays that last as long as the call */
typedef struct lists {
    clv_observed *output;
    clv_number *number;
    int *first;
    Py_buffer time, input;
} lists;

static void free_lists(lists *x)
{
    PyMem_Free(x->output), PyMem_Free(x->number), PyMem_Free(x->first);
    if (x->time.obj)
        PyBuffer_Release(&x->time);
    if (x->input.obj)
        PyBuffer_Release(&x->input);
}

static int unknown(const char *what, const char *name)
{
    PyObject *text = PyUnicode_FromFormat("the model has no %s '%s' for sensitivities", what, name);
    if (text)
        core_raise_text(CLV_ERR_USAGE, PyUnicode_AsUTF8AndSize(text, NULL));
    Py_XDECREF(text);
    return -1;
}

static const char *text_at(PyObject *list, Py_ssize_t i)
{
    PyObject *one = PyList_GetItem(list, i);
    return one ? PyUnicode_AsUTF8AndSize(one, NULL) : NULL;
}

static int read_names(const clv_model *m, PyObject *outputs, PyObject *numbers, PyObject *first, lists *to)
{
    const Py_ssize_t n = PyList_Size(outputs), p = PyList_Size(numbers), f = PyList_Size(first);
    to->output = PyMem_Calloc((size_t)n + 1, sizeof *to->output);
    to->number = PyMem_Calloc((size_t)p + 1, sizeof *to->number);
    to->first = PyMem_Calloc((size_t)f + 1, sizeof *to->first);
    if (!to->output || !to->number || !to->first)
        return PyErr_NoMemory(), -1;
    for (Py_ssize_t i = 0; i < n; i++) {
        const char *name = text_at(outputs, i);
        if (!name || !clv_quantity_output(m, name, &to->output[i]))
            return name ? unknown("output", name) : -1;
    }
    for (Py_ssize_t i = 0; i < p; i++) {
        const char *name = text_at(numbers, i);
        if (!name || !clv_quantity_number(m, name, &to->number[i]))
            return name ? unknown("number", name) : -1;
    }
    for (Py_ssize_t i = 0; i < f; i++) {
        const char *name = text_at(first, i);
        if (!name || (to->first[i] = clv_model_find_joint(m, name)) < 0)
            return name ? unknown("joint", name) : -1;
    }
    return 0;
}

/* ---------------------------------------------------------------- results */

static PyObject *bytes(const double *x, Py_ssize_t count)
{
    return PyBytes_FromStringAndSize((const char *)x, count * (Py_ssize_t)sizeof *x);
}

static PyObject *rates_of(const clv_model *m, const clv_sensitivity *x)
{
    PyObject *list = PyList_New(x->rates);
    for (int i = 0; list && i < x->rates; i++) {
        const clv_linear_state *r = &x->rate[i];
        const clv_joint_kind kind = r->joint >= 0 ? m->joint[r->joint].kind : CLV_JOINT_FREE;
        PyObject *one = PyUnicode_FromFormat("%s.u%s", r->joint >= 0 ? m->joint[r->joint].name : m->body[r->body].name,
                                             clv_coordinate_suffix(kind, true, r->coordinate));
        if (!one || PyList_SetItem(list, i, one) < 0)
            Py_CLEAR(list);
    }
    return list;
}

/* (capsule, y, rates, independent, steps, evaluations) */
static PyObject *result(PyObject *self, const clv_model *m, clv_sensitivity *x)
{
    run_box *box = PyMem_Calloc(1, sizeof *box);
    PyObject *capsule = box ? PyCapsule_New(box, CAPSULE, NULL) : PyErr_NoMemory();
    if (!capsule) {
        PyMem_Free(box), clv_sensitivity_destroy(x);
        return NULL;
    }
    Py_INCREF(self);
    box->run = x, box->sim = self;
    PyCapsule_SetDestructor(capsule, box_free);
    return Py_BuildValue("{s:N,s:N,s:N,s:N,s:l,s:i}", "run", capsule, "y",
                         bytes(x->y, (Py_ssize_t)x->frames * x->outputs), "rates", rates_of(m, x), "independent",
                         PyBytes_FromStringAndSize((const char *)x->independent, x->rates), "steps", x->steps, "inputs",
                         x->inputs);
}

static run_box *box_of(PyObject *self, PyObject *capsule)
{
    run_box *box = PyCapsule_GetPointer(capsule, CAPSULE);
    if (box && box->sim != self) {
        core_raise_text(CLV_ERR_USAGE, "the sensitivity run belongs to another simulation");
        return NULL;
    }
    return box;
}

/* ---------------------------------------------------------------- methods */

/* sensitivity(outputs, times, numbers, inputs or None, first, (integrator or None, rtol, atol, step, memory), like) */
PyObject *core_sim_sensitivity(PyObject *self, PyObject *args)
{
    sim_object *s = (sim_object *)self;
    clv_sensitivity_options o = clv_sensitivity_options_default();
    lists x = {0};
    PyObject *outputs, *times, *numbers, *inputs, *first, *like, *found = NULL;
    clv_sensitivity *run = NULL;
    clv_status status;
    if (!PyArg_ParseTuple(args, "O!OO!OO!(zdddd)O", &PyList_Type, &outputs, &times, &PyList_Type, &numbers, &inputs,
                          &PyList_Type, &first, &o.integrator, &o.rtol, &o.atol, &o.step, &o.memory, &like))
        return NULL;
    run_box *other = like == Py_None ? NULL : PyCapsule_GetPointer(like, CAPSULE);
    if ((like != Py_None && !other) || PyObject_GetBuffer(times, &x.time, PyBUF_SIMPLE) < 0 ||
        (inputs != Py_None && PyObject_GetBuffer(inputs, &x.input, PyBUF_SIMPLE) < 0) ||
        read_names(s->box->model, outputs, numbers, first, &x) < 0) {
        free_lists(&x);
        return NULL;
    }
    o.frames = (int)(x.time.len / (Py_ssize_t)sizeof(double)), o.time = x.time.buf;
    o.outputs = (int)PyList_Size(outputs), o.output = x.output;
    o.numbers = (int)PyList_Size(numbers), o.number = x.number;
    o.firsts = (int)PyList_Size(first), o.first = x.first;
    o.input = x.input.obj ? x.input.buf : NULL, o.like = other ? other->run : NULL;
    if (core_enter(s)) {
        CLV_UNLOCKED(status, clv_sim_sensitivity(s->sim, &o, &run))
        if (core_leave(s, status) == 0)
            found = result(self, s->box->model, run);
    }
    free_lists(&x);
    return found;
}

static PyObject *four(const clv_slopes *x, const Py_ssize_t count[4])
{
    return Py_BuildValue("NNNN", bytes(x->number, count[0]), bytes(x->input, count[1]), bytes(x->q, count[2]),
                         bytes(x->u, count[3]));
}

static int open_slopes(clv_slopes *x, const Py_ssize_t count[4])
{
    double **to[4] = {&x->number, &x->input, &x->q, &x->u};
    for (int i = 0; i < 4; i++)
        if (!(*to[i] = PyMem_Calloc((size_t)count[i] + 1, sizeof(double))))
            return PyErr_NoMemory(), -1;
    return 0;
}

static void close_slopes(clv_slopes *x)
{
    PyMem_Free(x->number), PyMem_Free(x->input), PyMem_Free(x->q), PyMem_Free(x->u);
}

/* adjoint(run, weights) -> (numbers, inputs, q, u) */
PyObject *core_sim_adjoint(PyObject *self, PyObject *args)
{
    sim_object *s = (sim_object *)self;
    PyObject *capsule, *found = NULL;
    Py_buffer weight;
    clv_slopes x = {0};
    clv_status status;
    if (!PyArg_ParseTuple(args, "Oy*", &capsule, &weight))
        return NULL;
    run_box *box = box_of(self, capsule);
    const clv_sensitivity *r = box ? box->run : NULL;
    if (r && weight.len != (Py_ssize_t)r->frames * r->outputs * (Py_ssize_t)sizeof(double)) {
        core_raise_text(CLV_ERR_USAGE, "weights have another shape than the outputs");
        r = NULL;
    }
    const Py_ssize_t count[4] = {r ? r->numbers : 0, r ? (Py_ssize_t)r->frames * r->inputs : 0, r ? r->rates : 0,
                                 r ? r->rates : 0};
    if (r && open_slopes(&x, count) == 0 && core_enter(s)) {
        CLV_UNLOCKED(status, clv_sensitivity_adjoint(box->run, weight.buf, &x))
        if (core_leave(s, status) == 0)
            found = four(&x, count);
    }
    close_slopes(&x);
    PyBuffer_Release(&weight);
    return found;
}

/* slopes(run) -> (numbers, inputs, q, u) */
PyObject *core_sim_slopes(PyObject *self, PyObject *capsule)
{
    sim_object *s = (sim_object *)self;
    PyObject *found = NULL;
    clv_slopes x = {0};
    clv_status status;
    run_box *box = box_of(self, capsule);
    if (!box)
        return NULL;
    const clv_sensitivity *r = box->run;
    const Py_ssize_t rows = (Py_ssize_t)r->frames * r->outputs;
    const Py_ssize_t count[4] = {rows * r->numbers, rows * r->inputs, rows * r->rates, rows * r->rates};
    if (open_slopes(&x, count) == 0 && core_enter(s)) {
        CLV_UNLOCKED(status, clv_sensitivity_forward(box->run, &x))
        if (core_leave(s, status) == 0)
            found = four(&x, count);
    }
    close_slopes(&x);
    return found;
}
