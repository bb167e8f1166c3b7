/* SPDX-License-Identifier: Apache-2.0
 * Extra inertia (T5): bodies without mass, or without inertia about an axis, cannot be condensed alone although the
 * mechanism as a whole is regular.  Where a pivot of the factor is missing, the body gets a little inertia about its
 * reference point; conjugate.c takes it out of every solution again, exactly.  Decided anew in every factor, from its
 * numbers alone.
 *
 *   bodies inside strands   a pivot of the joint inboard is missing, or is rounding beside its inertia
 *   floating bases          a pivot of their 6 x 6 inertia is missing: rotations first, then translations
 *   flexible bodies         a line of mass lacks inertia about itself (star.c)
 *
 * Where nothing outside can hold the body, a missing pivot is an error of the model, and the factor fails there. */
#include <math.h>
#include <string.h>
#include "base/tolerance.h"
#include "engine/extra.h"
#include "math/spatial.h"
#include "model/light.h"

/* between the lightest and the heaviest body with mass; rotors alone: from their inertia */
static double typical_mass(const clv_model *m, double length)
{
    double least = INFINITY, most = 0, J = 0;
    for (int b = 0; b < m->nbody; b++) {
        const double *I = m->body[b].J;
        J = fmax(J, fmax(I[0], fmax(I[1], I[2])));
        if (m->body[b].mass > 0)
            least = fmin(least, m->body[b].mass), most = fmax(most, m->body[b].mass);
    }
    return most > 0 ? sqrt(least) * sqrt(most) : J > 0 ? J / (length * length) : 1.0;
}

/* An upper bound of the bodies that can get extra inertia: light by its data, flexible, floating bases */
int clv_extra_most(const clv_plan *p)
{
    double length = clv_typical_length(p->model);
    int n = p->nstar + clv_light_bodies(p->model); /* frames of flexible bodies (star.c) */
    /* a floating base may be light together with all that is attached to it */
    for (int k = 0; k < p->nstrand; k++)
        n += p->strand[k].base == CLV_BASE_FREE &&
             !clv_body_light(&p->model->body[p->bodies[p->strand[k].first]], length);
    return n;
}

void clv_extra_layout(clv_engine *e, const clv_plan *p, clv_arena *a)
{
    int n = clv_extra_most(p);
    CLV_TAKE(a, e->light, p->nbody), CLV_TAKE(a, e->extra, 2 * p->nbody);
    CLV_TAKE(a, e->extended, n), CLV_TAKE(a, e->conjugate, 30 * (size_t)n);
}

void clv_extra_begin(clv_engine *e)
{
    /* of the data alone: what is light does not change in a run */
    const clv_model *m = e->plan->model;
    e->length = clv_typical_length(m), e->heavy = typical_mass(m, e->length);
    for (int b = 0; b < e->plan->nbody; b++)
        e->light[b] = clv_body_light(&m->body[b], e->length);
}

void clv_extra_clear(clv_engine *e)
{
    for (int i = 0; i < e->nextended; i++)
        e->extra[2 * e->extended[i]] = e->extra[2 * e->extended[i] + 1] = 0;
    e->nextended = 0;
}

void clv_extra_add(clv_engine *e, int body, double mass, double turn)
{
    assert(mass >= 0 && turn >= 0 && mass + turn > 0);
    if (e->extra[2 * body] == 0 && e->extra[2 * body + 1] == 0)
        e->extended[e->nextended++] = body; /* clv_extra_most has counted them */
    e->extra[2 * body] = mass, e->extra[2 * body + 1] = turn;
}

/* A thousandth of what is usual: large beside rounding, small enough that few iterations take it out again.  Mass only
 * where there is none, inertia about all axes where one lacks it. */
void clv_extra_extend(clv_engine *e, int body)
{
    const clv_body *b = &e->plan->model->body[body];
    double m = b->mass > 0 ? b->mass : e->heavy, J = fmax(b->J[0], fmax(b->J[1], b->J[2]));
    double usual = m * e->length * e->length;
    clv_extra_add(e, body, b->mass > 0 ? 0.0 : CLV_EXTRA_SHARE * m,
                  clv_body_lacks_turn(b, e->length) ? CLV_EXTRA_SHARE * (J > CLV_TOL_ROD * usual ? J : usual) : 0.0);
}

/* Is a pivot of the body's inboard joint missing, or no more than rounding? */
static bool weak_joint(const clv_engine *e, int body, bool *lost)
{
    const clv_plan *p = e->plan;
    int slot = p->slot[body], row = slot / CLV_GROUP, f = p->row_f[row];
    const double *F = e->LD + 6 * (size_t)p->row_H[row] * CLV_GROUP + slot % CLV_GROUP;
    const double *h = e->H + 6 * (size_t)p->row_H[row] * CLV_GROUP + slot % CLV_GROUP;
    double I[21];
    bool weak = false;
    clv_slot_get(e->I, 21, slot, I);
    double shifts = I[0] + I[3] + I[5], turns = I[15] + I[18] + I[20];
    for (int a = 0; a < f; a++) {
        double d = 1.0 / F[(a * (a + 1) / 2 + a) * CLV_GROUP], H[6]; /* the pivot */
        for (int i = 0; i < 6; i++)
            H[i] = h[(6 * a + i) * CLV_GROUP];
        /* beside the inertia that the direction moves, by its traces */
        double size = clv_dot3(H, H) * shifts + clv_dot3(H + 3, H + 3) * turns;
        *lost |= !(d > 0) || !isfinite(d);
        weak |= !(d > CLV_TOL_LIMB_PIVOT * size) || !isfinite(d);
    }
    return weak;
}

/* From the tip inward, because extra inertia changes every pivot inboard of it: one body, then the factor again.  Only
 * strands with a port at the tip: in others nothing outside can hold the body, so a lost pivot is an error. */
clv_extra_answer clv_extra_strand(clv_engine *e, const clv_strand *s)
{
    const clv_plan *p = e->plan;
    bool any = false;
    for (int i = s->length - 1; i >= 0; i--) {
        int b = p->bodies[s->first + i];
        bool lost = false;
        /* sound joints need nothing */
        if (!weak_joint(e, b, &lost))
            continue;
        if (s->tip_port && e->light[b] && e->extra[2 * b] == 0 && e->extra[2 * b + 1] == 0) {
            clv_extra_extend(e, b);
            return CLV_EXTRA_ADDED; /* what lies inboard sees other numbers */
        }
        any |= lost;
    }
    return any ? CLV_EXTRA_SINGULAR : CLV_EXTRA_ENOUGH;
}

void clv_extra_refill(clv_engine *e, int g)
{
    const clv_plan *p = e->plan;
    const clv_group *group = &p->group[g];
    for (int l = 0; l < group->nstrand; l++) {
        const clv_strand *s = &p->strand[group->strand[l]];
        for (int i = 0; i < s->length; i++) {
            int b = p->bodies[s->first + i];
            double I[21];
            memcpy(I, e->mass + 21 * (size_t)b, sizeof I);
            /* mass on the three translations, inertia on the three rotations */
            I[0] += e->extra[2 * b], I[3] += e->extra[2 * b], I[5] += e->extra[2 * b];
            I[15] += e->extra[2 * b + 1], I[18] += e->extra[2 * b + 1], I[20] += e->extra[2 * b + 1];
            clv_slot_put(e->I, 21, p->slot[b], I);
        }
    }
    /* limbs on these bodies fold again */
    for (int k = 0; k < p->nstrand; k++) {
        int row = p->fold_slot[k] < 0 ? -1 : p->fold_slot[k] / CLV_GROUP;
        if (row >= group->row && row < group->row + group->nrow)
            clv_fold_inertia(e, k);
    }
}

/* ------------------------------------------------------------------ floating bases */

/* L D L^T of a 6x6: unit lower below, inverse pivots on the diagonal; extra inertia on the diagonal.  Turns are judged
 * beside the largest of their diagonals too: of a thin rod that lies along an axis, its own is rounding there. */
static bool base_pivots(double F[36], const double *I, int lane, double mass, double turn, double least)
{
    double turns = 0;
    for (int i = 3; i < 6; i++)
        turns = fmax(turns, I[CLV_SYM[i][i] * CLV_GROUP + lane] + turn);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j <= i; j++) {
            double x = I[CLV_SYM[i][j] * CLV_GROUP + lane] + (i != j ? 0.0 : i < 3 ? mass : turn), diagonal = x;
            for (int k = 0; k < j; k++)
                x -= F[6 * i + k] * F[6 * k + j]; /* L D in the upper part, transposed */
            /* the pivot beside what it started from: the digits that elimination has left */
            if (i == j) {
                if (!(x > (i < 3 ? CLV_TOL_BASE_PIVOT * diagonal : least * fmax(diagonal, turns))))
                    return false;
                F[6 * i + i] = 1.0 / x;
            } else
                F[6 * j + i] = x, F[6 * i + j] = x * F[6 * j + j];
        }
    return true;
}

/* L D L^T of the inertia of everything that floats with the base, as it is or with a thousandth of its largest mass and
 * inertia on the diagonal. */
bool clv_extra_base(clv_engine *e, const clv_strand *s, double F[36], const double *I)
{
    const int lane = s->lane, body = e->plan->bodies[s->first];
    if (base_pivots(F, I, lane, 0.0, 0.0, CLV_TOL_TURN_PIVOT))
        return true;
    double m = 0, J = 0;
    for (int i = 0; i < 3; i++) {
        m = fmax(m, I[CLV_SYM[i][i] * CLV_GROUP + lane]);
        J = fmax(J, I[CLV_SYM[i + 3][i + 3] * CLV_GROUP + lane]);
    }
    /* nothing that floats with it has mass, or inertia, but for rounding: what is typical of the model */
    if (!(m > CLV_TOL_PIVOT * e->heavy))
        m = e->heavy;
    if (!(J > CLV_TOL_LIMB_PIVOT * m * e->length * e->length))
        J = m * e->length * e->length;
    /* a thin rod, a point mass, a massless body: rotations alone, then translations too */
    bool held = s->base_port || s->tip_port; /* else nothing can hold a massless one */
    for (int shifts = 0; shifts < 1 + held; shifts++)
        if (base_pivots(F, I, lane, shifts * CLV_EXTRA_SHARE * m, CLV_EXTRA_SHARE * J, CLV_TOL_BASE_PIVOT)) {
            clv_extra_add(e, body, e->extra[2 * body] + shifts * CLV_EXTRA_SHARE * m,
                          e->extra[2 * body + 1] + CLV_EXTRA_SHARE * J);
            return true;
        }
    return false;
}
