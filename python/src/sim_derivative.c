/* SPDX-License-Identifier: Apache-2.0
 * Derivatives of accelerations, copied into bytes: the Python side makes arrays of them. */
#include "core.h"
#include "io/columns.h"
#include "model/model.h"

/* (kind, item, component) of every number */
static clv_number *read_numbers(PyObject *from, Py_ssize_t *count)
{
    *count = PySequence_Size(from);
    if (*count < 0 || *count > 1000000)
        return *count < 0 ? NULL : (core_raise_text(CLV_ERR_USAGE, "too many numbers"), NULL);
    clv_number *all = PyMem_Calloc((size_t)*count + 1, sizeof *all);
    if (!all)
        return PyErr_NoMemory(), NULL;
    for (Py_ssize_t i = 0; i < *count && !PyErr_Occurred(); i++) {
        PyObject *one = PySequence_GetItem(from, i);
        int kind = -1;
        if (one && PyArg_ParseTuple(one, "iii", &kind, &all[i].item, &all[i].component))
            all[i].kind = kind < 0 || kind >= CLV_NUMBER_KINDS ? CLV_NUMBER_KINDS : (clv_number_kind)kind;
        Py_XDECREF(one);
    }
    if (PyErr_Occurred()) {
        PyMem_Free(all);
        return NULL;
    }
    return all;
}

static PyObject *bytes(const double *x, int rows, int columns)
{
    return PyBytes_FromStringAndSize((const char *)x, (Py_ssize_t)rows * columns * (Py_ssize_t)sizeof *x);
}

/* "low.u", "ball.u.rx"; of an implicit free joint with the name of its body */
static PyObject *rate_name(const clv_model *m, const clv_linear_state *r)
{
    const clv_joint_kind kind = r->joint >= 0 ? m->joint[r->joint].kind : CLV_JOINT_FREE;
    return PyUnicode_FromFormat("%s.u%s", r->joint >= 0 ? m->joint[r->joint].name : m->body[r->body].name,
                                clv_coordinate_suffix(kind, true, r->coordinate));
}

static PyObject *rates_of(const clv_model *m, const clv_derivatives *d)
{
    PyObject *list = PyList_New(d->rates);
    for (int i = 0; list && i < d->rates; i++) {
        PyObject *one = rate_name(m, &d->rate[i]);
        if (!one || PyList_SetItem(list, i, one) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *dictionary(const clv_model *model, const clv_derivatives *d)
{
    const int n = d->rates, m = d->rows;
    const struct {
        const char *name;
        const double *x;
        int rows, columns;
    } all[] = {{"u", d->u, 1, n},
               {"udot", d->udot, 1, n},
               {"dq", d->dq, n, n},
               {"du", d->du, n, n},
               {"dinput", d->dinput, n, d->inputs},
               {"dnumber", d->dnumber, n, d->numbers},
               {"follow_q", d->follow_q, n, n},
               {"follow_u", d->follow_u, n, n},
               {"follow_rate", d->follow_rate, n, n},
               {"mass", d->mass, n, n},
               {"bias", d->bias, 1, n},
               {"closing", d->closing, m, n},
               {"delassus", d->delassus, m, m}};
    PyObject *to = Py_BuildValue("{s:N,s:i,s:i,s:i}", "rate", rates_of(model, d), "rows", m, "inputs", d->inputs, "numbers",
                                 d->numbers);
    for (size_t i = 0; to && i < sizeof all / sizeof all[0]; i++) {
        PyObject *x = bytes(all[i].x, all[i].rows, all[i].columns);
        if (!x || PyDict_SetItemString(to, all[i].name, x) < 0)
            Py_CLEAR(to);
        Py_XDECREF(x);
    }
    return to;
}

/* derivatives(numbers) -> dict */
PyObject *core_sim_derivatives(PyObject *self, PyObject *arg)
{
    sim_object *s = (sim_object *)self;
    Py_ssize_t count;
    clv_derivatives *d = NULL;
    clv_status status;
    clv_number *numbers = read_numbers(arg, &count);
    if (!numbers)
        return NULL;
    PyObject *result = NULL;
    if (core_enter(s)) {
        CLV_UNLOCKED(status, clv_sim_derivatives(s->sim, numbers, (int)count, &d))
        if (core_leave(s, status) == 0 && core_refresh(s) == 0)
            result = dictionary(s->box->model, d);
    }
    clv_derivatives_destroy(d);
    PyMem_Free(numbers);
    return result;
}
