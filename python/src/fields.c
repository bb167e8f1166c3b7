/* SPDX-License-Identifier: Apache-2.0
 * Numbers, texts and tables of Python objects into the descriptions of the C interface. */
#include "core.h"
#include <string.h>

/* A value of another kind. */
static int wrong_kind(const char *what, const char *expected, PyObject *value)
{
    PyErr_Clear();
    PyObject *kind = PyType_GetName(Py_TYPE(value));
    if (kind)
        PyErr_Format(PyExc_TypeError, "%s must be %s, not %U", what, expected, kind);
    Py_XDECREF(kind);
    return -1;
}

static int plain_number(PyObject *from, double *to, const char *what)
{
    *to = PyFloat_AsDouble(from);
    if (!PyErr_Occurred())
        return 0;
    return PyErr_ExceptionMatches(PyExc_TypeError) ? wrong_kind(what, "a number", from) : -1;
}

/* A number, or an array or sequence that holds one, of any depth. */
static int one_number(PyObject *from, double *to, const char *what, int depth)
{
    if (PyFloat_CheckExact(from) || PyUnicode_Check(from) || PyBytes_Check(from) || depth > 32)
        return plain_number(from, to, what);
    const Py_ssize_t found = PySequence_Check(from) ? PySequence_Size(from) : -1;
    if (found < 0) { /* an array without dimensions, as Sim.q gives for one coordinate */
        PyErr_Clear();
        return plain_number(from, to, what);
    }
    if (found != 1) {
        PyErr_Format(PyExc_ValueError, "%s must be 1 number, not %zd", what, found);
        return -1;
    }
    PyObject *x = PySequence_GetItem(from, 0);
    const int result = x ? one_number(x, to, what, depth + 1) : -1;
    Py_XDECREF(x);
    return result;
}

int core_number(PyObject *from, double *to, const char *what)
{
    return one_number(from, to, what, 0);
}

int core_numbers(PyObject *from, double *to, int n, const char *what)
{
    if (PyUnicode_Check(from) || PyBytes_Check(from)) {
        PyErr_Format(PyExc_TypeError, "%s must be %s, not text", what, n == 1 ? "a number" : "numbers");
        return -1;
    }
    if (n == 1)
        return core_number(from, to, what);
    const Py_ssize_t found = PySequence_Check(from) ? PySequence_Size(from) : -1;
    if (found != n) {
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "%s must be %d numbers", what, n);
        return -1;
    }
    for (int i = 0; i < n; i++) {
        PyObject *x = PySequence_GetItem(from, i);
        const int failed = !x || plain_number(x, &to[i], what) < 0;
        Py_XDECREF(x);
        if (failed)
            return -1;
    }
    return 0;
}

int core_path(PyObject *from, void *path)
{
    PyObject **to = path;
    if (!from) { /* cleanup */
        Py_CLEAR(*to);
        return 1;
    }
    *to = NULL;
    return from == Py_None ? 1 : PyUnicode_FSConverter(from, to);
}

PyObject *core_floats(const double *x, Py_ssize_t n)
{
    PyObject *tuple = PyTuple_New(n);
    for (Py_ssize_t i = 0; tuple && i < n; i++) {
        PyObject *one = PyFloat_FromDouble(x[i]);
        if (!one || PyTuple_SetItem(tuple, i, one) < 0)
            Py_CLEAR(tuple);
    }
    return tuple;
}

/* Memory that lives as long as the list. */
static void *kept(PyObject *keep, size_t size)
{
    PyObject *bytes = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)size);
    void *memory = bytes && PyList_Append(keep, bytes) == 0 ? PyByteArray_AsString(bytes) : NULL;
    Py_XDECREF(bytes);
    return memory;
}

static int fill_text(const char **to, PyObject *value, PyObject *keep, const char *what)
{
    Py_ssize_t size = 0;
    if (value == Py_None)
        return *to = NULL, 0;
    if (!PyUnicode_Check(value))
        return wrong_kind(what, "text", value);
    const char *text = PyUnicode_AsUTF8AndSize(value, &size);
    if (!text || PyList_Append(keep, value) < 0)
        return -1;
    if ((size_t)size != strlen(text)) {
        PyErr_Format(PyExc_ValueError, "%s contains a null character", what);
        return -1;
    }
    *to = text;
    return 0;
}

/* (times, values) */
static int fill_table(clv_table *to, PyObject *value, PyObject *keep, const char *what)
{
    if (PyUnicode_Check(value) || PyBytes_Check(value) || !PySequence_Check(value) || PySequence_Size(value) != 2)
        return wrong_kind(what, "two sequences of numbers of the same length", value);
    PyObject *times = PySequence_GetItem(value, 0), *values = times ? PySequence_GetItem(value, 1) : NULL;
    const Py_ssize_t n = values && PySequence_Check(times) ? PySequence_Size(times) : -1;
    if (values && n < 0)
        wrong_kind(what, "two sequences of numbers of the same length", value);
    double *x = n >= 0 ? kept(keep, 2 * sizeof(double) * (size_t)n + 1) : NULL;
    int result = x && n < 100000000 && core_numbers(times, x, (int)n, what) == 0 &&
                         core_numbers(values, x + n, (int)n, what) == 0
                     ? 0
                     : -1;
    *to = (clv_table){(int)n, x, x + n};
    Py_XDECREF(times), Py_XDECREF(values);
    return result;
}

/* a list of numbers, as values of a table without times */
static int fill_list(clv_table *to, PyObject *value, PyObject *keep, const char *what)
{
    const Py_ssize_t n = PySequence_Size(value);
    double *x = n >= 0 && n < 100000000 ? kept(keep, sizeof(double) * (size_t)n + 1) : NULL;
    *to = (clv_table){(int)n, NULL, x};
    return x && core_numbers(value, x, (int)n, what) == 0 ? 0 : -1;
}

static int fill_one(char *to, const core_field *f, PyObject *value, PyObject *keep)
{
    switch (f->type) {
    case 'd':
        return core_numbers(value, (double *)(void *)to, f->count, f->name);
    case 'i': {
        const long x = PyLong_AsLong(value);
        if (PyErr_Occurred())
            return PyErr_ExceptionMatches(PyExc_TypeError) ? wrong_kind(f->name, "a whole number", value) : -1;
        if (x > 2147483647 || x < -2147483647) {
            PyErr_Format(PyExc_ValueError, "%s is out of range", f->name);
            return -1;
        }
        *(int *)(void *)to = (int)x;
        return 0;
    }
    case 'b': {
        const int yes = PyObject_IsTrue(value);
        *(bool *)(void *)to = yes > 0;
        return yes < 0 ? wrong_kind(f->name, "True or False", value) : 0;
    }
    case 's':
        return fill_text((const char **)(void *)to, value, keep, f->name);
    case 'l':
        return fill_list((clv_table *)(void *)to, value, keep, f->name);
    default:
        return fill_table((clv_table *)(void *)to, value, keep, f->name);
    }
}

int core_fill(void *desc, const core_field *fields, PyObject *values, PyObject *keep)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(values, &at, &key, &value)) {
        const core_field *f = fields;
        while (f->name && (!PyUnicode_Check(key) || PyUnicode_CompareWithASCIIString(key, f->name) != 0))
            f++;
        if (!f->name) {
            PyErr_Format(PyExc_TypeError, "there is no option %R", key);
            return -1;
        }
        if (fill_one((char *)desc + f->offset, f, value, keep) < 0)
            return -1;
    }
    return 0;
}
