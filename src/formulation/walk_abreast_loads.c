/* SPDX-License-Identifier: Apache-2.0
 * Loads of joints of mechanisms abreast (T85); see walk_abreast_loads.h.  Springs and dampers are found in lanes by
 * row_springs.c; loads with tables, friction, stops or inputs lane by lane, by model/force.c. */
#include "formulation/walk_abreast_loads.h"
#include "formulation/walk_abreast_drive.h"
#include "formulation/walk_steps.h"

enum { G8 = CLV_GROUP };

bool clv_walk_abreast_loads_simple(const clv_system *s)
{
    for (int i = 0; i < s->model->nforce; i++) {
        const clv_force *f = &s->model->force[i];
        if (f->table.n > 0 || f->friction.breakaway > 0 || f->stop.stiffness > 0 || f->spring.n > 0 ||
            f->damper.n > 0 || f->limit > 0 || clv_walk_abreast_driven(s, f->joint))
            return false;
    }
    return s->model->ninput == 0;
}

/* row of the coordinate of a load; of that of a prescribed joint, which no row has, 0: its system finds it */
static int row_of(const clv_walk_abreast *a, const clv_system *s, const clv_force *f)
{
    const int body = s->plan->child_of_joint[f->joint], rate = s->plan->tree[body].iu + f->coordinate;
    int row = 0;
    if (clv_walk_abreast_driven(s, f->joint))
        return 0;
    while (row < a->rows.nplace && a->rows.u_of[row] != rate)
        row++;
    return row;
}

void clv_walk_abreast_loads_layout(clv_walk_abreast *a, const clv_system *of, clv_arena *m)
{
    clv_row_springs *s = &a->springs;
    const int loads = of->model->nforce;
    const size_t n = (size_t)loads * G8;
    s->n = loads, s->rows = a->rows.nplace;
    CLV_TAKE(m, s->row, loads), CLV_TAKE(m, s->stiffness, n), CLV_TAKE(m, s->damping, n), CLV_TAKE(m, s->rest, n);
    CLV_TAKE(m, s->drive, n);
    if (a->momenta)
        CLV_TAKE(m, s->tau, (size_t)a->rows.nplace * G8);
    else
        s->tau = a->rows.rows.tau; /* they drive the joints */
    CLV_TAKE(m, s->power, G8), CLV_TAKE(m, s->energy, G8), CLV_TAKE(m, s->sound, G8);
}

void clv_walk_abreast_loads_take(clv_walk_abreast *a, const clv_system *s)
{
    for (int k = 0; k < a->springs.n; k++)
        a->springs.row[k] = row_of(a, s, &s->model->force[k]);
}

bool clv_walk_abreast_loads_same(const clv_walk_abreast *a, const clv_system *s)
{
    if (s->model->nforce != a->springs.n || clv_walk_loaded(s) != a->loaded)
        return false;
    for (int k = 0; k < a->springs.n; k++)
        if (row_of(a, s, &s->model->force[k]) != a->springs.row[k])
            return false;
    return true;
}

void clv_walk_abreast_loads_put(clv_walk_abreast *a, int lane, const clv_system *s)
{
    clv_row_springs *x = &a->springs;
    for (int k = 0; k < x->n; k++) {
        const clv_force *f = &s->model->force[k];
        const int at = k * G8 + lane;
        if (clv_walk_abreast_driven(s, f->joint))
            continue;
        x->stiffness[at] = f->stiffness, x->damping[at] = f->damping, x->rest[at] = f->rest, x->drive[at] = f->drive;
    }
}

/* tau and power of a lane whose loads are not simple, at the rates u (rows x 8); false: a load failed */
static bool load_joints(clv_walk_abreast *a, int lane, const double *y, const double *u)
{
    clv_walk_lane *l = &a->lane[lane];
    clv_system *s = l->system;
    const clv_row_abreast *r = &a->rows;
    for (int i = 0; i < a->n; i++)
        a->state[i] = y[i * G8 + lane];
    for (int i = 0; i < r->nplace; i++)
        if (r->u_of[i] >= 0)
            s->u[r->u_of[i]] = u[i * G8 + lane];
    for (int k = 0; k < r->nfloat; k++)
        clv_row_get(r->floating[k].u + lane, 6, s->u + r->floating[k].iu);
    s->kin.time = l->t;
    if (!clv_walk_given_loads(s, a->state, s->u))
        return false;
    for (int i = 0; i < r->nplace; i++)
        a->springs.tau[i * G8 + lane] = r->u_of[i] >= 0 && clv_walk_loaded(s) ? s->tau[r->u_of[i]] : 0.0;
    a->springs.power[lane] = s->power;
    return true;
}

void clv_walk_abreast_loads_press(clv_walk_abreast *a, const double *y, const double *u)
{
    a->rows.rows.kernels->springs(&a->rows.rows, &a->springs, u);
    for (int i = 0; i < a->lanes; i++)
        if (a->lane[i].required && a->lane[i].simple)
            a->lane[i].failed = a->lane[i].failed || a->springs.sound[i] != 0;
        else if (a->lane[i].required)
            a->lane[i].failed = !load_joints(a, i, y, u) || a->lane[i].failed;
}
