/* SPDX-License-Identifier: Apache-2.0
 * A read-only matrix of doubles inside a simulation, by the buffer protocol; it keeps its simulation alive. */
#include "core.h"

typedef struct array_object {
    PyObject_HEAD
    PyObject *owner;
    double *data;
    Py_ssize_t shape[2], strides[2];
} array_object;

static double nothing[1]; /* where an array without elements points */

PyObject *core_array(PyTypeObject *type, PyObject *owner, double *data, Py_ssize_t rows, Py_ssize_t columns)
{
    array_object *a = (array_object *)PyType_GenericAlloc(type, 0);
    if (!a)
        return NULL;
    Py_INCREF(owner);
    a->owner = owner, a->data = data ? data : nothing;
    a->shape[0] = data ? rows : 0, a->shape[1] = columns;
    a->strides[0] = columns * (Py_ssize_t)sizeof(double), a->strides[1] = sizeof(double);
    return (PyObject *)a;
}

static int get_buffer(PyObject *self, Py_buffer *view, int flags)
{
    array_object *a = (array_object *)self;
    view->obj = NULL;
    if (flags & PyBUF_WRITABLE) {
        PyErr_SetString(PyExc_BufferError, "the state of a simulation is read-only; set_joints changes it");
        return -1;
    }
    Py_INCREF(self);
    *view = (Py_buffer){.buf = a->data,
                        .obj = self,
                        .len = a->shape[0] * a->strides[0],
                        .itemsize = sizeof(double),
                        .readonly = 1,
                        .ndim = 2,
                        .format = flags & PyBUF_FORMAT ? "d" : NULL,
                        .shape = flags & PyBUF_ND ? a->shape : NULL,
                        .strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? a->strides : NULL};
    return 0;
}

static void dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(((array_object *)self)->owner);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyType_Slot slots[] = {{Py_bf_getbuffer, get_buffer},
                              {Py_tp_dealloc, dealloc},
                              {Py_tp_doc, "A read-only live view of numbers of a simulation, for numpy.asarray."},
                              {0, NULL}};
PyType_Spec core_array_spec = {"cleave._core.Array", sizeof(array_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
