/* SPDX-License-Identifier: Apache-2.0
 * Rigid contacts as an integrator sees them (T62): points that touch at a position, their directions as generalized
 * forces along the joints of the tree, and what these change. */
#include <math.h>
#include <string.h>
#include "base/error.h"
#include "formulation/walk.h"
#include "math/rotation.h"
#include "math/spatial.h"
#include "simulation/sim.h"

int clv_touching_most(const clv_model *m)
{
    int sum = 0;
    for (int i = 0; i < m->nforce; i++)
        if (clv_contact_rigid(&m->force[i]))
            sum += clv_contact_points(m, &m->force[i]);
    return sum;
}

clv_status clv_touching_refuse(clv_sim *s, bool impulses)
{
    const clv_model *m = s->model;
    const char *name = NULL, *what = NULL;
    for (int i = 0; i < m->nforce && !name; i++)
        if (clv_contact_rigid(&m->force[i]))
            name = m->force[i].name;
    if (!name)
        return CLV_OK;
    if (!impulses) {
        clv_fail(&s->error, CLV_ERR_UNSUPPORTED, "contact '%s' is rigid; integrator moreau alone finds its impulses",
                 name);
        clv_error_hint(&s->error,
                       "leave formulation and integrator out (dca with moreau), or give the contact a stiffness");
        return s->error.code;
    }
    what = m->nflex > 0 ? "flexible bodies" : m->nmotion > 0 ? "motions" : m->nevent > 0 ? "events" : NULL;
    if (!what)
        return CLV_OK;
    clv_fail(&s->error, CLV_ERR_UNSUPPORTED, "contact '%s' is rigid; rigid contacts with %s are not supported", name,
             what);
    clv_error_hint(&s->error, "give the contact a stiffness in place of its restitution");
    return s->error.code;
}

/* all points that touch at q; poses and directions are those of q then */
static clv_status touch(void *owner, double t, const double *q, int *n)
{
    clv_sim *s = owner;
    const clv_system *k = &s->system;
    const double none[3] = {0, 0, 0};
    s->seen_t = NAN;
    clv_walk_show_poses(&s->system, t, q);
    s->system.held = 0;
    *n = 0;
    for (int i = 0; i < s->model->nforce; i++) {
        const clv_force *f = &s->model->force[i];
        clv_touch x[CLV_TOUCH_POINTS];
        if (!clv_contact_rigid(f))
            continue;
        const int found = clv_contact_find(s->model, f, k->kin.com, k->kin.R, x);
        for (int p = 0; p < found; p++) {
            clv_rigid_point *to = &s->touching[(*n)++];
            double E[9];
            to->force = i;
            clv_copy3(to->at, x[p].at);
            clv_rotation_frame(E, x[p].n, none);
            for (int axis = 0; axis < 3; axis++) /* the normal first */
                clv_mat3_column(to->axis[axis], E, (axis + 2) % 3);
        }
    }
    return CLV_OK;
}

static void law(void *owner, int k, double *restitution, double *friction)
{
    const clv_sim *s = owner;
    const clv_contact *c = &s->model->force[s->touching[k].force].contact;
    *restitution = c->restitution, *friction = c->dynamic_friction;
}

/* tau += scale H^T of a unit force along `axis` at a point of a body, down to the ground */
static void carry(const clv_sim *s, int body, const double at[3], const double axis[3], double scale, double *tau)
{
    const clv_plan *p = s->plan;
    for (int b = body; b >= 0; b = p->tree[b].parent) {
        const clv_tree_joint *joint = &p->tree[b];
        const double *H = s->system.kin.H + clv_columns(p, (size_t)b);
        double w[6], arm[3];
        clv_sub3(arm, at, s->system.kin.ref + 3 * (size_t)b);
        clv_copy3(w, axis), clv_cross(w + 3, arm, axis);
        for (int c = 0; c < joint->f; c++)
            tau[joint->iu + c] += scale * clv_dot6(H + 6 * (size_t)c, w);
    }
}

static void push(void *owner, int k, int axis, double *tau)
{
    const clv_sim *s = owner;
    const clv_rigid_point *x = &s->touching[k];
    const clv_force *f = &s->model->force[x->force];
    memset(tau, 0, (size_t)s->plan->nu * sizeof *tau);
    carry(s, f->b, x->at, x->axis[axis], 1, tau);
    carry(s, f->a, x->at, x->axis[axis], -1, tau);
}

static clv_status respond(void *owner, const double *tau, double *du)
{
    clv_sim *s = owner;
    memset(s->row, 0, (size_t)s->plan->nclosing_row * sizeof(double));
    return clv_walk_push(&s->system, tau, s->row, du);
}

static void struck(void *owner, int iterations, double residual, bool limited)
{
    clv_sim_report *r = &((clv_sim *)owner)->report;
    r->contact_steps++;
    r->contact_iterations += iterations;
    r->contact_limited += limited;
    r->contact_residual = fmax(r->contact_residual, residual);
}

void clv_touching_mechanics(clv_sim *s, clv_mechanics *m)
{
    m->touching = clv_touching_most(s->model);
    m->touch = touch, m->law = law, m->push = push, m->respond = respond, m->struck = struck;
}
