/* SPDX-License-Identifier: Apache-2.0
 * Numbers of a model by which it is differentiated; see number.h. */
#include "model/number.h"

/* Does the force have this number? */
static bool load_has(const clv_force *f, const clv_number *x)
{
    const bool one = x->component == 0, six = x->component >= 0 && x->component < 6;
    switch (f->kind) {
    case CLV_FORCE_JOINT:
        return one && (x->kind != CLV_NUMBER_DRIVE || f->table.n == 0);
    case CLV_FORCE_SPRING:
        return one && x->kind != CLV_NUMBER_DRIVE;
    case CLV_FORCE_ANGULAR:
        return one && x->kind == CLV_NUMBER_DAMPING;
    case CLV_FORCE_BUSHING:
        return six && x->kind != CLV_NUMBER_REST;
    default:
        return false;
    }
}

bool clv_number_exists(const clv_model *m, const clv_number *x)
{
    const int most = x->kind == CLV_NUMBER_MASS ? 1 : x->kind == CLV_NUMBER_INERTIA ? 6 : 3;
    if ((int)x->kind < 0 || x->kind >= CLV_NUMBER_KINDS)
        return false;
    if (x->kind == CLV_NUMBER_POINT_A || x->kind == CLV_NUMBER_POINT_B)
        return x->item >= 0 && x->item < m->njoint && !m->joint[x->item].absent && x->component >= 0 &&
               x->component < 3;
    if (x->kind == CLV_NUMBER_GRAVITY)
        return x->component >= 0 && x->component < 3;
    if (x->kind <= CLV_NUMBER_INERTIA)
        return x->item >= 0 && x->item < m->nbody && x->component >= 0 && x->component < most;
    return x->item >= 0 && x->item < m->nforce && load_has(&m->force[x->item], x);
}

static double load_value(const clv_force *f, const clv_number *x)
{
    const clv_bushing *b = &f->bushing;
    const bool bushing = f->kind == CLV_FORCE_BUSHING;
    switch (x->kind) {
    case CLV_NUMBER_STIFFNESS:
        return bushing ? b->stiffness[x->component] : f->stiffness;
    case CLV_NUMBER_DAMPING:
        return bushing ? b->damping[x->component] : f->damping;
    case CLV_NUMBER_REST:
        return f->rest;
    default:
        return bushing ? b->preload[x->component] : f->drive;
    }
}

double clv_number_value(const clv_model *m, const clv_number *x)
{
    switch (x->kind) {
    case CLV_NUMBER_MASS:
        return m->body[x->item].mass;
    case CLV_NUMBER_COM:
        return m->body[x->item].com[x->component];
    case CLV_NUMBER_INERTIA:
        return m->body[x->item].J[x->component];
    case CLV_NUMBER_GRAVITY:
        return m->gravity[x->component];
    case CLV_NUMBER_POINT_A:
        return m->joint[x->item].pa[x->component];
    case CLV_NUMBER_POINT_B:
        return m->joint[x->item].pb[x->component];
    default:
        return load_value(&m->force[x->item], x);
    }
}
