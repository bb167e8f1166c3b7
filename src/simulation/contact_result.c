/* SPDX-License-Identifier: Apache-2.0
 * What a contact does at the output state.  Forces of a compliant one are those of its law (T61), forces of a rigid one
 * the impulses of the last step (T62).  Depth, place and slip are those of the shapes. */
#include "base/error.h"
#include "integrator/moreau.h"
#include "math/rotation.h"
#include "math/spatial.h"
#include "model/contact.h"
#include "simulation/react.h"
#include "simulation/sim.h"
#include <math.h>
#include <string.h>

/* velocities of the centres of mass of both bodies, where clv_contact_slide looks for them */
static void find_motions(clv_system *k, const clv_force *f)
{
    for (int side = 0; side < 2; side++) {
        const int body = side ? f->a : f->b;
        const size_t b = (size_t)body;
        double l[3];
        if (body == CLV_GROUND)
            continue;
        clv_sub3(l, k->kin.com + 3 * b, k->kin.ref + 3 * b);
        clv_motion_shift(k->com_V + 6 * b, l, k->kin.V + 6 * b);
    }
}

/* a point at a place of the sum for the mean */
static void add(double sum[4], const double at[3], double weight)
{
    clv_axpy3(sum, weight, at);
    sum[3] += weight;
}

/* forces of a rigid contact: impulses of its points over the step, at the places that these have now */
static void by_impulses(const clv_sim *s, int force, clv_contact_result *r, double mean[4])
{
    const clv_kinematics *k = &s->system.kin;
    const size_t b = (size_t)s->model->force[force].b;
    int n;
    double step;
    const clv_warm_point *x = clv_moreau_points(&s->integrator, &n, &step);
    for (int i = 0; i < n && x[i].contact <= force; i++) {
        if (x[i].contact < force)
            continue;
        double at[3];
        const double N = x[i].normal / step;
        clv_mat3_times(at, k->R + 9 * b, x[i].place);
        clv_axpy3(at, 1, k->com + 3 * b);
        clv_axpy3(r->force, 1 / step, x[i].impulse);
        r->normal_force += N;
        add(mean, at, N);
    }
}

void clv_sim_contact_forces(clv_sim *s, int force, clv_contact_result *r)
{
    clv_system *k = &s->system;
    const clv_force *f = &s->model->force[force];
    clv_touch x[CLV_TOUCH_POINTS];
    double pressed[4] = {0}, sunk[4] = {0};
    memset(r, 0, sizeof *r);
    find_motions(k, f);
    r->points = clv_contact_find(s->model, f, k->kin.com, k->kin.R, x);
    for (int i = 0; i < r->points; i++) {
        double v[3], F[3], loss;
        clv_contact_slide(f, x[i].at, k->kin.com, k->com_V, v);
        if (!clv_contact_rigid(f)) {
            const double N = clv_contact_force(&f->contact, &x[i], v, F, &loss);
            clv_axpy3(r->force, 1, F);
            r->normal_force += N;
            add(pressed, x[i].at, N);
        }
        clv_axpy3(v, -clv_dot3(v, x[i].n), x[i].n);
        r->depth = fmax(r->depth, x[i].depth);
        r->slip = fmax(r->slip, clv_norm3(v));
        add(sunk, x[i].at, x[i].depth);
    }
    if (clv_contact_rigid(f) && s->integrator.method->asks == CLV_ASK_RESPONSE)
        by_impulses(s, force, r, pressed);
    const double *mean = pressed[3] > 0 ? pressed : sunk;
    for (int c = 0; c < 3; c++)
        r->point[c] = mean[3] > 0 ? mean[c] / mean[3] : NAN;
}

static clv_status contact_result(clv_sim *s, int force, clv_contact_result *r)
{
    if (!r)
        return clv_fail(&s->error, CLV_ERR_USAGE, "the pointer to the result is NULL");
    if (force < 0 || force >= s->model->nforce || s->model->force[force].kind != CLV_FORCE_CONTACT)
        return clv_fail(&s->error, CLV_ERR_USAGE, "there is no contact number %d", force);
    const clv_status st = clv_sim_react_inside(s);
    if (st == CLV_OK)
        clv_sim_contact_forces(s, force, r);
    return st;
}

clv_status clv_sim_contact(clv_sim *s, int force, clv_contact_result *r)
{
    if (r)
        memset(r, 0, sizeof *r);
    clv_status st = clv_sim_enter(s, __func__);
    return st == CLV_OK ? clv_sim_leave(s, contact_result(s, force, r)) : st;
}
