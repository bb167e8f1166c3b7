/* SPDX-License-Identifier: Apache-2.0
 * The module cleave._core; see core.h. */
#include "core.h"
#include "cli/command.h"
#include "model/joint.h"
#include "model/profile.h"
#include "simulation/names.h"
#include "simulation/option_rows.h"

/* ---------------------------------------------------------------- the command line */

enum { MOST_WORDS = 4000 };

/* main(words) -> exit code of the program cleave */
static PyObject *main_of(PyObject *self, PyObject *words)
{
    char *argv[MOST_WORDS + 1];
    const Py_ssize_t n = PySequence_Size(words);
    int code;
    (void)self;
    if (n < 0 || n > MOST_WORDS)
        return n < 0 ? NULL : core_raise_text(CLV_ERR_USAGE, "too many words");
    PyObject *kept = PyList_New(0);
    for (Py_ssize_t i = 0; kept && i < n; i++) {
        PyObject *word = PySequence_GetItem(words, i), *bytes = NULL;
        if (!word || !PyUnicode_FSConverter(word, &bytes) || PyList_Append(kept, bytes) < 0)
            Py_CLEAR(kept);
        argv[i] = kept ? PyBytes_AsString(bytes) : NULL;
        Py_XDECREF(word), Py_XDECREF(bytes);
    }
    if (!kept)
        return NULL;
    argv[n] = NULL;
    Py_BEGIN_ALLOW_THREADS
    code = clv_main((int)n, argv);
    Py_END_ALLOW_THREADS
    Py_DECREF(kept);
    return PyLong_FromLong(code);
}

/* ---------------------------------------------------------------- lists */

static int append(PyObject *list, PyObject *item)
{
    const int result = item ? PyList_Append(list, item) : -1;
    Py_XDECREF(item);
    return result;
}

/* [(name, type, default, least, most)] of every option of a simulation */
static PyObject *options(PyObject *self, PyObject *none)
{
    PyObject *list = PyList_New(0);
    const clv_option_row *row;
    static const char *const types[] = {[CLV_TYPE_NUMBER] = "float",
                                        [CLV_TYPE_WHOLE] = "int",
                                        [CLV_TYPE_THREADS] = "int",
                                        [CLV_TYPE_FLAG] = "bool",
                                        [CLV_TYPE_SWITCH] = "bool"};
    (void)self, (void)none;
    if (!list)
        return NULL;
#define NAME(at, kind, field, key, word, usual, least, most, open, of, saved, value, help)                           \
    if (append(list, Py_BuildValue("(sszdd)", key, "str", usual, 0.0, 0.0)) < 0)                                     \
        Py_CLEAR(list);
    CLV_NAME_OPTIONS(NAME)
#undef NAME
    for (int i = 0; list && (row = clv_option_row_at(i)) != NULL; i++)
        if (append(list, Py_BuildValue("(ssddd)", row->name, types[row->type], row->usual, row->least, row->most)) < 0)
            Py_CLEAR(list);
    return list;
}

static const char *joint_kind(int i) { return i < CLV_JOINT_KINDS ? clv_joint_table[i].name : NULL; }
static const char *profile(int i) { return clv_profile_name[i]; }
static const char *status(int i)
{
    static const char *const names[] = {
#define X(code, text) #code,
        CLV_STATUS_LIST(X)
#undef X
    };
    return i < (int)(sizeof names / sizeof names[0]) ? names[i] : NULL;
}

/* names(of) -> tuple: formulations, integrators, examples, joints, profiles, statuses */
static PyObject *names(PyObject *self, PyObject *arg)
{
    static const struct {
        const char *of;
        const char *(*name)(int);
    } lists[] = {{"formulations", clv_formulation_name}, {"integrators", clv_integrator_name},
                 {"examples", clv_example_name},         {"joints", joint_kind},
                 {"profiles", profile},                  {"statuses", status}};
    PyObject *list = PyList_New(0), *tuple = NULL;
    (void)self;
    for (size_t k = 0; list && k < sizeof lists / sizeof lists[0]; k++)
        if (PyUnicode_Check(arg) && PyUnicode_CompareWithASCIIString(arg, lists[k].of) == 0)
            for (int i = 0; list && lists[k].name(i); i++)
                if (append(list, PyUnicode_FromString(lists[k].name(i))) < 0)
                    Py_CLEAR(list);
    tuple = list ? PyList_AsTuple(list) : NULL;
    Py_XDECREF(list);
    return tuple;
}

static PyMethodDef methods[] = {{"main", main_of, METH_O, PyDoc_STR("main(words) -> exit code of the program cleave")},
                                CLV_METHOD(options, METH_NOARGS, "options() -> every option of a simulation"),
                                CLV_METHOD(names, METH_O, "names(of) -> tuple"),
                                {NULL, NULL, 0, NULL}};

/* ---------------------------------------------------------------- the module */

static int add_type(PyObject *module, PyType_Spec *spec, const char *name)
{
    PyObject *type = PyType_FromModuleAndSpec(module, spec, NULL);
    const int result = type ? PyModule_AddObjectRef(module, name, type) : -1;
    Py_XDECREF(type);
    return result;
}

static int execute(PyObject *module)
{
    if (PyModule_AddFunctions(module, core_model_methods) < 0 || PyModule_AddFunctions(module, core_table_methods) < 0)
        return -1;
    if (add_type(module, &core_sim_spec, "Sim") < 0 || add_type(module, &core_array_spec, "Array") < 0)
        return -1;
    return PyModule_AddStringConstant(module, "version", clv_version());
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, execute}, {0, NULL}};
static PyModuleDef definition = {.m_base = PyModuleDef_HEAD_INIT,
                                 .m_name = "_core",
                                 .m_doc = "The C interface of cleave.",
                                 .m_methods = methods,
                                 .m_slots = slots};

PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&definition); }
