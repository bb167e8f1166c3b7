/* SPDX-License-Identifier: Apache-2.0
 * Results of a simulation: live arrays, joints, modes, energies, the account of the run. */
#include "core.h"
#include "simulation/report_rows.h"
#include <string.h>

static PyObject *array_of(sim_object *s, PyTypeObject *type, const char *name)
{
    clv_sim *c = s->sim;
    const int nb = clv_model_body_count(s->box->model), nm = clv_model_marker_count(s->box->model);
    const struct {
        const char *name;
        const double *data;
        int rows, columns;
    } all[] = {{"position", clv_sim_position(c), nb, 3},
               {"quaternion", clv_sim_quaternion(c), nb, 4},
               {"velocity", clv_sim_velocity(c), nb, 6},
               {"acceleration", clv_sim_acceleration(c), nb, 6},
               {"marker", clv_sim_marker(c), nm, 6},
               {"marker_acceleration", clv_sim_marker_acceleration(c), nm, 3},
               {"q", s->q, s->njoint, 7},
               {"u", s->u, s->njoint, 6}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(all[i].name, name) == 0)
            return core_array(type, s->handle, (double *)all[i].data, all[i].rows, all[i].columns);
    return core_raise_text(CLV_ERR_USAGE, "there is no such array");
}

/* array(type, name) -> a live view; from the first view of q or u on, both are filled after every change */
PyObject *core_sim_array(PyObject *self, PyObject *args)
{
    sim_object *s = (sim_object *)self;
    PyObject *type;
    const char *name;
    if (!PyArg_ParseTuple(args, "O!s", &PyType_Type, &type, &name) || !core_enter(s))
        return NULL;
    s->busy = false;
    if (!s->live && (strcmp(name, "q") == 0 || strcmp(name, "u") == 0)) {
        s->live = true;
        if (core_refresh(s) < 0)
            return NULL;
    }
    return array_of(s, (PyTypeObject *)type, name);
}

static PyObject *bools(const bool *from, int n)
{
    PyObject *tuple = PyTuple_New(n);
    for (int i = 0; tuple && i < n; i++)
        PyTuple_SetItem(tuple, i, PyBool_FromLong(from[i]));
    return tuple;
}

/* joint(number) -> dict */
PyObject *core_sim_joint(PyObject *self, PyObject *arg)
{
    sim_object *s = (sim_object *)self;
    const long i = PyLong_AsLong(arg);
    clv_joint_result r;
    clv_status status;
    if (PyErr_Occurred() || !core_enter(s))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    status = clv_sim_joint(s->sim, i < 0 || i > s->njoint ? -1 : (int)i, &r);
    Py_END_ALLOW_THREADS
    if (core_leave(s, status) < 0)
        return NULL;
    return Py_BuildValue("{s:O,s:O,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N}", "tree", r.tree ? Py_True : Py_False,
                         "effort_unique", r.effort_unique ? Py_True : Py_False, "q",
                         core_floats(r.q, r.nq), "u", core_floats(r.u, r.nu), "udot", core_floats(r.udot, r.nu), "p",
                         core_floats(r.p, r.nu), "pdot", core_floats(r.pdot, r.nu), "effort",
                         core_floats(r.effort, r.nu), "force", core_floats(r.force, 3), "torque",
                         core_floats(r.torque, 3), "drive_force", core_floats(r.drive_force, 3), "drive_torque",
                         core_floats(r.drive_torque, 3), "unique", bools(r.unique, 6));
}

/* event(number) -> (happened, count, time, q, impulse, energy lost, linear, angular) */
PyObject *core_sim_event(PyObject *self, PyObject *arg)
{
    const long i = PyLong_AsLong(arg);
    clv_event_result r;
    if (PyErr_Occurred())
        return NULL;
    clv_sim_event(((sim_object *)self)->sim, i < 0 || i > 1000000000 ? -1 : (int)i, &r);
    return Py_BuildValue("(OlddddNN)", r.happened ? Py_True : Py_False, r.count, r.time, r.q, r.impulse,
                         r.energy_lost, core_floats(r.linear, 3), core_floats(r.angular, 3));
}

/* stopped() -> number of the event that has ended the run, or -1 */
PyObject *core_sim_stopped(PyObject *self, PyObject *none)
{
    (void)none;
    return PyLong_FromLong(clv_sim_stopped(((sim_object *)self)->sim));
}

/* contact(force) -> dict */
PyObject *core_sim_contact(PyObject *self, PyObject *arg)
{
    clv_contact_result r;
    sim_object *s = (sim_object *)self;
    const long i = PyLong_AsLong(arg);
    clv_status status;
    if (PyErr_Occurred() || !core_enter(s))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    status = clv_sim_contact(s->sim, i < 0 || i > 1000000000 ? -1 : (int)i, &r);
    Py_END_ALLOW_THREADS
    if (core_leave(s, status) < 0)
        return NULL;
    return Py_BuildValue("{s:i,s:N,s:d,s:d,s:N,s:d}", "points", r.points, "force", core_floats(r.force, 3),
                         "normal_force", r.normal_force, "depth", r.depth, "point", core_floats(r.point, 3), "slip",
                         r.slip);
}

static PyObject *contact_pairs(const clv_contact_pair *pair, int n)
{
    PyObject *list = PyList_New(n);
    for (int i = 0; list && i < n; i++) {
        const clv_contact_result *r = &pair[i].result;
        PyObject *one = Py_BuildValue("(iiiiNddNd)", pair[i].force, pair[i].a, pair[i].b, r->points,
                                      core_floats(r->force, 3), r->normal_force, r->depth, core_floats(r->point, 3),
                                      r->slip);
        if (one)
            PyList_SetItem(list, i, one);
        else
            Py_CLEAR(list);
    }
    return list;
}

/* contacts() -> [(contact, a, b, points, force, normal force, depth, point, slip)] */
PyObject *core_sim_contacts(PyObject *self, PyObject *none)
{
    sim_object *s = (sim_object *)self;
    clv_contact_pair *pair = NULL;
    int n = 0;
    (void)none;
    if (!core_enter(s))
        return NULL;
    clv_status status = clv_sim_contacts(s->sim, 0, NULL, &n);
    if (status == CLV_OK && n > 0) {
        pair = PyMem_Calloc((size_t)n, sizeof *pair);
        status = pair ? clv_sim_contacts(s->sim, n, pair, &n) : CLV_ERR_MEMORY;
    }
    PyObject *list = core_leave(s, status) < 0 ? NULL : contact_pairs(pair, n);
    PyMem_Free(pair);
    return list;
}

/* modes(body) -> (q, u) */
PyObject *core_sim_modes(PyObject *self, PyObject *arg)
{
    const double *q = NULL, *u = NULL;
    sim_object *s = (sim_object *)self;
    const long body = PyLong_AsLong(arg);
    if (PyErr_Occurred() || !core_enter(s))
        return NULL;
    s->busy = false;
    const int n = clv_sim_modes(s->sim, body < 0 || body > 1000000000 ? -1 : (int)body, &q, &u, NULL);
    return Py_BuildValue("(NN)", core_floats(q, n), core_floats(u, n));
}

PyObject *core_sim_energy(PyObject *self, PyObject *none)
{
    double x[3];
    (void)none;
    clv_sim_energy(((sim_object *)self)->sim, x, x + 1, x + 2);
    return core_floats(x, 3);
}

PyObject *core_sim_momentum(PyObject *self, PyObject *none)
{
    clv_momentum m;
    (void)none;
    clv_sim_momentum(((sim_object *)self)->sim, &m);
    return Py_BuildValue("(dNNN)", m.mass, core_floats(m.centre, 3), core_floats(m.linear, 3),
                         core_floats(m.angular, 3));
}

PyObject *core_sim_violation(PyObject *self, PyObject *none)
{
    double x[2];
    (void)none;
    clv_sim_violation(((sim_object *)self)->sim, x, x + 1);
    return core_floats(x, 2);
}

static int put(PyObject *dict, const char *key, PyObject *value)
{
    const int result = value ? PyDict_SetItemString(dict, key, value) : -1;
    Py_XDECREF(value);
    return result;
}

PyObject *core_sim_report(PyObject *self, PyObject *none)
{
    sim_object *s = (sim_object *)self;
    clv_sim_report r;
    (void)none;
    clv_sim_summary(s->sim, &r);
    PyObject *dict = Py_BuildValue("{s:s,s:s,s:d,s:d,s:d,s:i}", "formulation", r.formulation, "integrator",
                                   r.integrator, "time", r.time, "rank", r.rank, "step", r.step, "lanes", r.lanes);
    const clv_report_row *row;
    for (int i = 0; dict && (row = clv_report_row_at(i)) != NULL; i++) {
        const double x = clv_report_number(&r, row);
        if (put(dict, row->name, row->type == CLV_REPORT_NUMBER ? PyFloat_FromDouble(x) : PyLong_FromDouble(x)) < 0)
            Py_CLEAR(dict);
    }
    return dict;
}

/* start(joint) -> (redundant, mobility, moved, rate moved) */
PyObject *core_sim_start(PyObject *self, PyObject *arg)
{
    const clv_sim *s = ((sim_object *)self)->sim;
    const long i = PyLong_AsLong(arg);
    const int joint = i < 0 || i > 1000000000 ? -1 : (int)i;
    if (PyErr_Occurred())
        return NULL;
    return Py_BuildValue("(Oidd)", clv_sim_joint_redundant(s, joint) ? Py_True : Py_False,
                         (int)clv_sim_joint_mobility(s, joint), clv_sim_joint_start_moved(s, joint),
                         clv_sim_joint_start_rate_moved(s, joint));
}
