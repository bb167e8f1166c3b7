/* SPDX-License-Identifier: Apache-2.0
 * Floating bases of mechanisms abreast (T85.6).  Free joints from the ground to the base are found in lanes by
 * row_floats.c, those from the base to the ground by walk_abreast_inward.c.  Called by walk_abreast_rates.c. */
#include "formulation/walk_abreast_base.h"
#include "formulation/walk_abreast_inward.h"

enum { G8 = CLV_GROUP };

/* numbers of the joint in states y: coordinates; rates or momenta */
static const double *coordinates_of(const clv_walk_abreast *a, const clv_row_float *f) { return a->y + f->iq * G8; }
static const double *rates_of(const clv_walk_abreast *a, const clv_row_float *f)
{
    return a->y + (a->nq + f->iu) * G8;
}

void clv_walk_abreast_bases_start(clv_walk_abreast *a)
{
    for (int i = 0; i < a->rows.nfloat; i++) {
        const clv_row_float *f = &a->rows.floating[i];
        a->rows.float_kernels->start(&a->rows.rows, f, &a->rows.limb[f->strand], coordinates_of(a, f),
                                     a->momenta ? NULL : rates_of(a, f));
    }
    clv_walk_abreast_inward_start(a);
}

void clv_walk_abreast_bases_drive(clv_walk_abreast *a)
{
    for (int i = 0; i < a->rows.nfloat; i++) {
        const clv_row_float *f = &a->rows.floating[i];
        a->rows.float_kernels->drive(&a->rows.rows, f, &a->rows.limb[f->strand], rates_of(a, f));
    }
    clv_walk_abreast_inward_drive(a);
}

void clv_walk_abreast_bases_solve(clv_walk_abreast *a)
{
    for (int i = 0; i < a->rows.nfloat; i++) {
        const clv_row_float *f = &a->rows.floating[i];
        a->rows.float_kernels->solve(&a->rows.rows, f, &a->rows.tip[f->strand]);
    }
    clv_walk_abreast_inward_solve(a);
}

void clv_walk_abreast_bases_move(clv_walk_abreast *a)
{
    for (int i = 0; i < a->rows.nfloat; i++)
        a->rows.float_kernels->move(&a->rows.rows, &a->rows.floating[i]);
    clv_walk_abreast_inward_move(a);
}

/* (6 x 8) loads along a joint, which the systems of the lanes have found */
static const double *loads_of(const clv_walk_abreast *a, const clv_row_float *f, double tau[6 * G8])
{
    for (int c = 0; c < 6; c++)
        for (int i = 0; i < G8; i++) {
            const clv_system *s = a->lane[i].system;
            tau[c * G8 + i] = s ? s->tau[f->iu + c] : 0.0;
        }
    return a->loaded ? tau : NULL;
}

void clv_walk_abreast_bases_give(clv_walk_abreast *a, double *ydot)
{
    _Alignas(64) double tau[6 * G8];
    for (int i = 0; i < a->rows.nfloat; i++) {
        const clv_row_float *f = &a->rows.floating[i];
        const clv_float_kernels *x = a->rows.float_kernels;
        double *second = ydot + (a->nq + f->iu) * G8;
        if (a->momenta)
            x->momenta(&a->rows.rows, f, loads_of(a, f, tau), second);
        else
            x->accelerations(&a->rows.rows, f, second);
        x->coordinates(&a->rows.rows, f, coordinates_of(a, f), ydot + f->iq * G8);
    }
    clv_walk_abreast_inward_give(a, ydot);
}
