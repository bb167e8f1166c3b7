/* SPDX-License-Identifier: Apache-2.0
 * Loads at rest, displacements and stiffness along independent directions; see equilibrium.h (T58). */
#include "simulation/equilibrium.h"
#include <math.h>
#include <string.h>
#include "base/error.h"
#include "base/tolerance.h"

enum { CLOSINGS = 20 }; /* corrections that close a displaced position: it converges quadratically */

/* All velocities are zero, those of motions too. */
static void stop_motion(clv_statics *e)
{
    clv_kinematics *k = &e->s->system.kin;
    const clv_plan *p = e->s->plan;
    memset(k->V, 0, 6 * (size_t)p->nbody * sizeof(double));
    memset(k->u, 0, (size_t)p->nh * sizeof(double));
    if (p->nmode > 0)
        memset(k->etad, 0, (size_t)p->nmode * sizeof(double));
}

/* e->force at the present velocities, and the size of the loads */
static clv_status find_loads(clv_statics *e)
{
    clv_system *k = &e->s->system;
    const clv_plan *p = e->s->plan;
    const double size = e->s->size;
    const clv_status st = clv_system_loads(k);
    if (st != CLV_OK)
        return st;
    for (int i = 0; i < 6 * p->nbody; i++)
        e->load = fmax(e->load, fabs(k->Q[i]) * (i % 6 < 3 ? size : 1));
    memcpy(e->x.W, k->Q, 6 * (size_t)p->nbody * sizeof(double));
    clv_independent_collect(&e->x, e->x.W, e->force);
    for (int i = 0; i < e->x.n; i++) {
        e->force[i] += k->tau[i];
        e->load = fmax(e->load, fabs(k->tau[i]) * e->x.a.unit[i]);
    }
    return CLV_OK;
}

clv_status clv_statics_force(clv_statics *e, const double *q, double *r)
{
    clv_independent *x = &e->x;
    const size_t n = (size_t)x->n;
    int rows;
    clv_status st = clv_independent_rows(x, q, &rows);
    if (st == CLV_OK)
        stop_motion(e), st = find_loads(e);
    if (st != CLV_OK)
        return st;
    for (size_t i = 0; i < n; i++)
        x->du[i] = e->force[i] * x->a.unit[i];
    for (int k = 0; k < 2 * rows; k++) { /* what the loops carry; twice, for rounding */
        const double *row = x->basis + (size_t)(k % rows) * n;
        double part = 0;
        for (size_t i = 0; i < n; i++)
            part += row[i] * x->du[i];
        for (size_t i = 0; i < n; i++)
            x->du[i] -= part * row[i];
    }
    for (size_t i = 0; i < n; i++)
        x->du[i] /= x->a.unit[i];
    clv_independent_reduce(x, x->du, r);
    return CLV_OK;
}

static double largest_part(const clv_independent *x, const double *du)
{
    double most = 0;
    for (int i = 0; i < x->n; i++)
        most = fmax(most, fabs(du[i]) / x->a.unit[i]);
    return most;
}

bool clv_statics_move(clv_statics *e, const double *z, double *to)
{
    clv_independent *x = &e->x;
    clv_assembly *a = &x->a;
    double best = INFINITY, left;
    clv_independent_expand(x, z, x->du);
    memcpy(to, e->q, (size_t)e->s->plan->nq * sizeof(double));
    clv_displace(e->s, to, x->du);
    e->way = largest_part(x, x->du), e->taken_back = 0;
    for (int k = 0; a->nclosing > 0 && k < CLOSINGS; k++) {
        clv_assembly_measure(a, to, a->r);
        if (a->worst <= CLV_TOL_ASSEMBLED_BEST || !(a->worst < 0.5 * best))
            break;
        best = a->worst;
        if (clv_assembly_linearize(a, to) != CLV_OK || clv_assembly_step(a, 1e-14, &left) != CLV_OK)
            return false;
        for (int i = 0; i < x->n; i++)
            x->du[i] = a->y[i] * a->unit[i];
        e->taken_back += largest_part(x, x->du);
        clv_displace(e->s, to, x->du);
    }
    return a->nclosing == 0 || a->worst <= fmax(CLV_TOL_ASSEMBLED, 10 * e->open);
}

clv_status clv_statics_stiffness(clv_statics *e, double h, double *K, double *skew)
{
    const size_t f = (size_t)e->f;
    for (size_t k = 0; k < f; k++) {
        clv_status st = CLV_OK;
        for (int side = 0; side < 2 && st == CLV_OK; side++) {
            memset(e->part, 0, f * sizeof(double));
            e->part[k] = side ? -h : h;
            if (!clv_statics_move(e, e->part, e->trial))
                return clv_fail(&e->s->error, CLV_ERR_NO_CONVERGENCE,
                                "the loops do not close beside the position: no stiffness is found");
            st = clv_statics_force(e, e->trial, side ? e->r_middle : e->r_trial);
        }
        if (st != CLV_OK)
            return st;
        for (size_t i = 0; i < f; i++)
            K[i * f + k] = -(e->r_trial[i] - e->r_middle[i]) / (2 * h);
    }
    *skew = 0;
    for (size_t i = 0; i < f; i++)
        for (size_t k = 0; k < i; k++) {
            *skew = fmax(*skew, 0.5 * fabs(K[i * f + k] - K[k * f + i]));
            K[i * f + k] = K[k * f + i] = 0.5 * (K[i * f + k] + K[k * f + i]);
        }
    return CLV_OK;
}

clv_status clv_statics_damping(clv_statics *e, double h, double *C)
{
    const size_t f = (size_t)e->f;
    clv_independent *x = &e->x;
    clv_status st = clv_independent_find(x, e->q);
    for (size_t k = 0; k < f && st == CLV_OK; k++) {
        for (int side = 0; side < 2 && st == CLV_OK; side++) {
            memset(e->part, 0, f * sizeof(double));
            e->part[k] = side ? -h : h;
            clv_independent_expand(x, e->part, x->du);
            stop_motion(e);
            clv_kinematics_velocities(&e->s->system.kin, x->du);
            st = find_loads(e);
            clv_independent_reduce(x, e->force, side ? e->r_middle : e->r_trial);
        }
        for (size_t i = 0; i < f; i++)
            C[i * f + k] = -(e->r_trial[i] - e->r_middle[i]) / (2 * h);
    }
    return st;
}
