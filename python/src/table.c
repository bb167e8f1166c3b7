/* SPDX-License-Identifier: Apache-2.0
 * Output columns of a model, frames of them, and run files. */
#include "base/memory.h"
#include "core.h"
#include "io/columns.h"
#include "io/runfile.h"
#include <string.h>

#define TABLE_CAPSULE "cleave.table"
#define RUN_CAPSULE "cleave.run"

/* ---------------------------------------------------------------- columns */

typedef struct table_box {
    clv_columns columns;
    PyObject *model; /* whose numbers they are */
} table_box;

static void table_free(PyObject *capsule)
{
    table_box *box = PyCapsule_GetPointer(capsule, TABLE_CAPSULE);
    clv_columns_release(&box->columns);
    Py_XDECREF(box->model);
    PyMem_Free(box);
}

/* [(kind, owner, name, unit, axes, first, count)] */
static PyObject *list_of(const clv_column *column, int n)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < n; i++) {
        const clv_column *c = &column[i];
        PyObject *one = Py_BuildValue("(sssssii)", c->kind, c->owner ? c->owner : "", c->name, c->unit, c->axes,
                                      c->first, c->count);
        if (!one || PyList_Append(list, one) < 0)
            Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

/* columns(model, selection or None, reactions) -> (table, list, width) */
static PyObject *columns(PyObject *self, PyObject *args)
{
    PyObject *model;
    const char *selection;
    int reactions;
    clv_error error;
    (void)self;
    if (!PyArg_ParseTuple(args, "Ozp", &model, &selection, &reactions) || !core_model(model))
        return NULL;
    table_box *box = PyMem_Calloc(1, sizeof *box);
    if (!box)
        return PyErr_NoMemory();
    const clv_status status =
        clv_columns_create(&box->columns, core_model(model)->model, selection, reactions, &error);
    PyObject *capsule = status == CLV_OK ? PyCapsule_New(box, TABLE_CAPSULE, table_free) : NULL;
    if (!capsule) {
        PyMem_Free(box);
        return status == CLV_OK ? NULL : core_raise(&error);
    }
    Py_INCREF(model);
    box->model = model;
    return Py_BuildValue("(NNi)", capsule, list_of(box->columns.column, box->columns.n), box->columns.width);
}

/* fill(table, sim, buffer, row): the output state as row number `row` of a writable buffer of doubles */
static PyObject *fill(PyObject *self, PyObject *args)
{
    PyObject *capsule, *sim, *buffer;
    Py_ssize_t row;
    Py_buffer view;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOn", &capsule, &sim, &buffer, &row))
        return NULL;
    table_box *box = PyCapsule_GetPointer(capsule, TABLE_CAPSULE);
    PyObject *type = box ? PyObject_GetAttrString(self, "Sim") : NULL;
    const int good = type ? PyObject_IsInstance(sim, type) : -1;
    Py_XDECREF(type);
    if (good < 1 || ((sim_object *)sim)->capsule != box->model) {
        if (good >= 0)
            core_raise_text(CLV_ERR_USAGE, "the table and the simulation are of different models");
        return NULL;
    }
    if (PyObject_GetBuffer(buffer, &view, PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS) < 0)
        return NULL;
    const Py_ssize_t size = box->columns.width * (Py_ssize_t)sizeof(double);
    sim_object *s = (sim_object *)sim;
    PyObject *result = NULL;
    if (row < 0 || row >= view.len / size)
        core_raise_text(CLV_ERR_USAGE, "the row is not in the buffer");
    else if (core_enter(s)) {
        Py_BEGIN_ALLOW_THREADS
        clv_columns_fill(box->columns.column, box->columns.n, s->sim, (double *)view.buf + row * box->columns.width);
        Py_END_ALLOW_THREADS
        if (core_leave(s, CLV_OK) == 0)
            result = Py_NewRef(Py_None);
    }
    PyBuffer_Release(&view);
    return result;
}

/* ---------------------------------------------------------------- run files */

static void run_free(PyObject *capsule)
{
    clv_runfile_close(PyCapsule_GetPointer(capsule, RUN_CAPSULE), NULL);
}

static PyObject *fail(clv_runfile *file, clv_status status)
{
    core_status(status, file ? clv_runfile_error(file) : NULL);
    return NULL;
}

/* open_run(path) -> run */
static PyObject *open_run(PyObject *self, PyObject *args)
{
    PyObject *path;
    clv_runfile *file = NULL;
    clv_status status;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path))
        return NULL;
    const char *name = PyBytes_AsString(path);
    Py_BEGIN_ALLOW_THREADS
    status = clv_runfile_open(&file, name);
    Py_END_ALLOW_THREADS
    Py_DECREF(path);
    PyObject *capsule = status == CLV_OK ? PyCapsule_New(file, RUN_CAPSULE, run_free) : fail(file, status);
    if (!capsule && file)
        clv_runfile_close(file, NULL);
    return capsule;
}

static PyObject *events_of(clv_runfile *file)
{
    PyObject *list = PyList_New(0);
    clv_runfile_event e;
    for (int i = 0; list && clv_runfile_event_at(file, i, &e) == CLV_OK; i++) {
        PyObject *one = Py_BuildValue("(dss)", e.time, e.kind, e.text);
        if (!one || PyList_Append(list, one) < 0)
            Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

/* run_about(run) -> what it holds */
static PyObject *run_about(PyObject *self, PyObject *capsule)
{
    clv_runfile *file = PyCapsule_GetPointer(capsule, RUN_CAPSULE);
    char status[64] = "";
    double number;
    size_t size;
    int n;
    (void)self;
    if (!file)
        return NULL;
    const bool finished = clv_runfile_summary(file, "status", &number, status, sizeof status);
    const clv_runfile_settings *set = clv_runfile_get_settings(file);
    const char *text = clv_runfile_text(file, &size);
    const clv_column *column = clv_runfile_columns(file, &n);
    return Py_BuildValue("{s:s,s:N,s:s#,s:l,s:i,s:d,s:d,s:s,s:s,s:N,s:N}", "status", finished ? status : "unfinished",
                         "source", PyUnicode_DecodeFSDefault(clv_runfile_source(file)), "text", text, (Py_ssize_t)size, "frames",
                         clv_runfile_frames(file), "width", clv_runfile_width(file), "end", set->end, "every",
                         set->every, "formulation",
                         set->sim.formulation ? set->sim.formulation : "", "integrator",
                         set->sim.integrator ? set->sim.integrator : "", "columns", list_of(column, n), "events",
                         events_of(file));
}

/* run_summary(run, name) -> number or None */
static PyObject *run_summary(PyObject *self, PyObject *args)
{
    PyObject *capsule;
    const char *name;
    double number;
    (void)self;
    if (!PyArg_ParseTuple(args, "Os", &capsule, &name))
        return NULL;
    clv_runfile *file = PyCapsule_GetPointer(capsule, RUN_CAPSULE);
    if (!file)
        return NULL;
    if (!clv_runfile_summary(file, name, &number, NULL, 0))
        Py_RETURN_NONE;
    return PyFloat_FromDouble(number);
}

/* run_read(run, buffer): all frames */
static PyObject *run_read(PyObject *self, PyObject *args)
{
    PyObject *capsule, *buffer;
    Py_buffer view;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO", &capsule, &buffer))
        return NULL;
    clv_runfile *file = PyCapsule_GetPointer(capsule, RUN_CAPSULE);
    if (!file || PyObject_GetBuffer(buffer, &view, PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS) < 0)
        return NULL;
    const Py_ssize_t row = clv_runfile_width(file) * (Py_ssize_t)sizeof(double);
    clv_status status = CLV_ERR_USAGE;
    if (view.len == clv_runfile_frames(file) * row)
        status = view.len > 0 ? clv_runfile_read(file, 0, view.len / row, view.buf) : CLV_OK;
    PyBuffer_Release(&view);
    if (status != CLV_OK)
        return fail(file, status);
    Py_RETURN_NONE;
}

PyMethodDef core_table_methods[] = {
    CLV_METHOD(columns, METH_VARARGS, "columns(model, selection, reactions) -> (table, list, width)"),
    CLV_METHOD(fill, METH_VARARGS, "fill(table, sim, buffer, row)"),
    CLV_METHOD(open_run, METH_VARARGS, "open_run(path) -> run"),
    CLV_METHOD(run_about, METH_O, "run_about(run) -> dict"),
    CLV_METHOD(run_summary, METH_VARARGS, "run_summary(run, name) -> number or None"),
    CLV_METHOD(run_read, METH_VARARGS, "run_read(run, buffer)"),
    {NULL, NULL, 0, NULL}};
