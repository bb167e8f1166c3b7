/* SPDX-License-Identifier: Apache-2.0
 * Options of a simulation from a dictionary, by the rows of the library (simulation/option_rows.h). */
#include "core.h"
#include "simulation/option_rows.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* where the option is kept whose value is a name; NULL: none of these */
static const char **name_option(clv_sim_options *o, const char *name)
{
#define NAME(at, kind, field, key, word, usual, least, most, open, of, saved, value, help)                           \
    if (strcmp(name, key) == 0)                                                                                      \
        return &o->field;
    CLV_NAME_OPTIONS(NAME)
#undef NAME
    return NULL;
}

static int set_option(clv_sim_options *o, PyObject *key, PyObject *value)
{
    const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
    const clv_option_row *row = name ? clv_option_row_named(name) : NULL;
    char message[160];
    if (!name || value == Py_None)
        return name ? 0 : -1;
    if (row && !PyUnicode_Check(value)) {
        double x;
        if (core_number(value, &x, name) < 0)
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
    const char **text = row ? NULL : name_option(o, name);
    if (text && PyUnicode_Check(value)) {
        *text = PyUnicode_AsUTF8AndSize(value, NULL);
        return *text ? 0 : -1;
    }
    PyErr_Format(PyExc_TypeError, row    ? "the option %s must be a number, not %R"
                                  : text ? "the option %s must be text, not %R"
                                         : "there is no option %s (value %R)",
                 name, value);
    return -1;
}

int core_options(clv_sim_options *o, PyObject *options)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    *o = clv_sim_options_default();
    while (PyDict_Next(options, &at, &key, &value))
        if (set_option(o, key, value) < 0)
            return -1;
    return 0;
}
