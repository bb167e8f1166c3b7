/* SPDX-License-Identifier: Apache-2.0
 * Errors of the library as exceptions; the classes are those of cleave/errors.py. */
#include "core.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *code_name(clv_status code)
{
    static const char *const names[] = {
#define X(code, text) #code,
        CLV_STATUS_LIST(X)
#undef X
    };
    return code >= 0 && (size_t)code < sizeof names / sizeof names[0] ? names[code] : "CLV_ERR_USAGE";
}

static PyObject *text(const char *from)
{
    return PyUnicode_DecodeUTF8(from, (Py_ssize_t)strlen(from), "replace");
}

/* The record as (code, {field: value}); new reference. */
static PyObject *record(const clv_error *e)
{
    return Py_BuildValue("(s{s:N,s:i,s:i,s:N,s:N,s:N,s:d,s:d,s:N,s:N})", code_name(e->code), "file",
                         PyUnicode_DecodeFSDefault(e->file), "line", e->line, "column", e->column, "path", text(e->path), "body", text(e->body), "joint",
                         text(e->joint), "time", e->time, "value", e->value, "message",
                         text(*e->message ? e->message : clv_status_text(e->code)), "hint", text(e->hint));
}

/* Raises cleave.errors._make(records). */
static PyObject *raise_records(PyObject *records)
{
    PyObject *module = records ? PyImport_ImportModule("cleave.errors") : NULL;
    PyObject *error = module ? PyObject_CallMethod(module, "_make", "(O)", records) : NULL;
    if (error)
        PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_XDECREF(error), Py_XDECREF(module), Py_XDECREF(records);
    return NULL;
}

PyObject *core_raise(const clv_error *e)
{
    if (e->code == CLV_ERR_MEMORY)
        return PyErr_NoMemory();
    return raise_records(Py_BuildValue("[N]", record(e)));
}

PyObject *core_raise_text(clv_status code, const char *message)
{
    clv_error e = {.code = code, .time = NAN, .value = NAN};
    snprintf(e.message, sizeof e.message, "%s", message);
    return core_raise(&e);
}

PyObject *core_raise_model(const clv_model *model)
{
    const int n = model ? clv_model_error_count(model) : 0;
    if (!model)
        return PyErr_NoMemory();
    if (n == 0)
        return core_raise(clv_model_error(model));
    PyObject *all = PyList_New(0);
    for (int i = 0; all && i < n; i++) {
        PyObject *one = record(clv_model_error_at(model, i));
        if (!one || PyList_Append(all, one) < 0)
            Py_CLEAR(all);
        Py_XDECREF(one);
    }
    return raise_records(all);
}

int core_status(clv_status status, const clv_error *error)
{
    if (status == CLV_OK)
        return 0;
    if (status == CLV_ERR_MEMORY)
        PyErr_NoMemory();
    else if (error && error->code != CLV_OK)
        core_raise(error);
    else
        core_raise_text(status, clv_status_text(status));
    return -1;
}
