/* SPDX-License-Identifier: Apache-2.0
 * Where a number of a model is, by which derivatives are tested with differences. */
#ifndef CLV_TESTS_LAWS_NUMBER_PLACES_H
#define CLV_TESTS_LAWS_NUMBER_PLACES_H
#include "model/model.h"
#include "model/number.h"

static inline double *place_of(clv_model *m, const clv_number *x)
{
    clv_force *f = x->kind >= CLV_NUMBER_STIFFNESS && x->kind <= CLV_NUMBER_DRIVE ? &m->force[x->item] : NULL;
    switch (x->kind) {
    case CLV_NUMBER_MASS:
        return &m->body[x->item].mass;
    case CLV_NUMBER_COM:
        return &m->body[x->item].com[x->component];
    case CLV_NUMBER_INERTIA:
        return &m->body[x->item].J[x->component];
    case CLV_NUMBER_STIFFNESS:
        return f->kind == CLV_FORCE_BUSHING ? &f->bushing.stiffness[x->component] : &f->stiffness;
    case CLV_NUMBER_DAMPING:
        return f->kind == CLV_FORCE_BUSHING ? &f->bushing.damping[x->component] : &f->damping;
    case CLV_NUMBER_REST:
        return &f->rest;
    case CLV_NUMBER_DRIVE:
        return f->kind == CLV_FORCE_BUSHING ? &f->bushing.preload[x->component] : &f->drive;
    case CLV_NUMBER_POINT_A:
        return &m->joint[x->item].pa[x->component];
    case CLV_NUMBER_POINT_B:
        return &m->joint[x->item].pb[x->component];
    default:
        return &m->gravity[x->component];
    }
}

#endif
