/* SPDX-License-Identifier: Apache-2.0
 * The extension module cleave._core: what its files share.  It wraps the C interface one to one and holds no state of
 * its own; names, units and comfort are the work of the Python files beside it.
 *
 *   core.c       the module: lists of options and names, the command line
 *   errors.c     clv_error to exceptions
 *   fields.c     keyword dictionaries to descriptions
 *   model.c      models, in capsules
 *   array.c      live views of a simulation by the buffer protocol
 *   sim.c        the type Sim: time, state, results
 *   sim_derivative.c  derivatives of accelerations
 *   sim_sensitivity.c  sensitivities of runs
 *   sim_set.c    inputs, joints, saved states, controls of a Sim
 *   callback.c   calls from the library into Python
 *   table.c      output columns and run files
 *
 * Models and run files are capsules; their names are checked, so a wrong object is refused. */
#ifndef CLV_PYTHON_CORE_H
#define CLV_PYTHON_CORE_H
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include "cleave/cleave.h"

/* status = call, without the lock of the interpreter: the call may evaluate, and threads of the library call back. */
#define CLV_UNLOCKED(status, call)                                                                                   \
    Py_BEGIN_ALLOW_THREADS                                                                                           \
    status = call;                                                                                                   \
    Py_END_ALLOW_THREADS
#define CLV_METHOD(name, flags, text) {#name, (PyCFunction)(void (*)(void))name, flags, PyDoc_STR(text)}

/* A model and what it keeps alive; the pointer in a capsule of name CLV_MODEL_CAPSULE. */
#define CLV_MODEL_CAPSULE "cleave.model"
typedef struct model_box {
    clv_model *model;
    PyObject *calls;  /* list: Python functions of callback loads                    */
    PyObject *raised; /* exception of one of them, until it is raised; or NULL       */
} model_box;

/* The simulation itself, in a capsule that its views share: they may outlive the object Sim, and it may keep them. */
typedef struct sim_box {
    clv_sim *sim;
    PyObject *model;      /* capsule                                                       */
    double *q, *u;        /* (njoint x 7, njoint x 6) coordinates and rates, if live       */
} sim_box;

/* The object Sim. */
typedef struct sim_object {
    PyObject_HEAD
    PyObject *handle;     /* capsule of a sim_box; the next four are in it                 */
    clv_sim *sim;
    PyObject *capsule;    /* of the model                                                  */
    model_box *box;
    double *q, *u;
    struct core_control *controls; /* functions bound to joints and bodies                */
    PyObject *raised;     /* exception of a control, until it is raised; or NULL           */
    int njoint;
    bool live;            /* somebody holds q, u: they are filled after every change       */
    bool busy;            /* a call on it is under way, maybe in another thread            */
} sim_object;

/* errors.c: raise; all return NULL (-1). */
PyObject *core_raise(const clv_error *error);
PyObject *core_raise_text(clv_status code, const char *message);
PyObject *core_raise_model(const clv_model *model);
int core_status(clv_status status, const clv_error *error);

/* fields.c */
typedef struct core_field {
    const char *name;
    char type;  /* d double, i int, b bool, s text, t table        */
    int count;  /* of doubles                                      */
    size_t offset;
} core_field;
/* Sets the fields of *desc that the dictionary names; texts and tables point into `keep`, a list.  -1: raised. */
int core_fill(void *desc, const core_field *fields, PyObject *values, PyObject *keep);
/* A number, also out of what holds one; -1: a TypeError or ValueError says what the argument `what` must be. */
int core_number(PyObject *from, double *to, const char *what);
/* n numbers from a sequence, or one as core_number; -1: raised. */
int core_numbers(PyObject *from, double *to, int n, const char *what);
/* For "O&": the name of a file as bytes, NULL of None.  Names are bytes; those that are no UTF-8 have surrogates. */
int core_path(PyObject *from, void *path);
PyObject *core_floats(const double *x, Py_ssize_t n); /* a tuple */

/* model.c */
model_box *core_model(PyObject *capsule); /* NULL: raised */
extern PyMethodDef core_model_methods[];

/* array.c */
extern PyType_Spec core_array_spec;
PyObject *core_array(PyTypeObject *type, PyObject *owner, double *data, Py_ssize_t rows, Py_ssize_t columns);

/* sim.c */
extern PyType_Spec core_sim_spec;
/* Begins a call: NULL if it failed or another is under way.  End: raises what happened; -1. */
bool core_enter(sim_object *s);
int core_leave(sim_object *s, clv_status status);
int core_refresh(sim_object *s); /* fills q, u if they are live */

/* sim_option.c: fills *o; -1: raised. */
int core_options(clv_sim_options *o, PyObject *options);

/* sim_result.c */
PyObject *core_sim_array(PyObject *self, PyObject *args);
PyObject *core_sim_joint(PyObject *self, PyObject *arg);
PyObject *core_sim_event(PyObject *self, PyObject *arg);
PyObject *core_sim_stopped(PyObject *self, PyObject *none);
PyObject *core_sim_contact(PyObject *self, PyObject *arg);
PyObject *core_sim_contacts(PyObject *self, PyObject *none);
PyObject *core_sim_modes(PyObject *self, PyObject *arg);
PyObject *core_sim_energy(PyObject *self, PyObject *none);
PyObject *core_sim_momentum(PyObject *self, PyObject *none);
PyObject *core_sim_violation(PyObject *self, PyObject *none);
PyObject *core_sim_report(PyObject *self, PyObject *none);
PyObject *core_sim_start(PyObject *self, PyObject *arg);

/* sim_derivative.c */
PyObject *core_sim_derivatives(PyObject *self, PyObject *arg);

/* sim_sensitivity.c */
PyObject *core_sim_sensitivity(PyObject *self, PyObject *args);
PyObject *core_sim_adjoint(PyObject *self, PyObject *args);
PyObject *core_sim_slopes(PyObject *self, PyObject *capsule);

/* sim_set.c */
PyObject *core_sim_set_input(PyObject *self, PyObject *const *args, Py_ssize_t n);
PyObject *core_sim_input(PyObject *self, PyObject *arg);
PyObject *core_sim_set_joints(PyObject *self, PyObject *arg);
PyObject *core_sim_save(PyObject *self, PyObject *none);
PyObject *core_sim_load(PyObject *self, PyObject *arg);
PyObject *core_sim_control_joint(PyObject *self, PyObject *args);
PyObject *core_sim_control_body(PyObject *self, PyObject *args);
PyObject *core_sim_changed(PyObject *self, PyObject *none);

/* callback.c */
typedef struct core_control {
    PyObject *call;    /* NULL or None: none              */
    PyObject **raised; /* where an exception is kept      */
    int nq, nu;        /* of the joint                    */
    int key;           /* joint; or -1 - body             */
    struct core_control *next;
} core_control;
int core_load_call(void *user, clv_load_view *view);
int core_joint_call(void *user, double time, const double *q, const double *u, double *effort);
int core_body_call(void *user, clv_body_view *view);
PyObject *core_control_new(PyObject *call, PyObject **raised, core_control **control); /* a capsule */

/* table.c */
extern PyMethodDef core_table_methods[];

#endif
