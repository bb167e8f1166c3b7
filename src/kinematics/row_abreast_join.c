/* SPDX-License-Identifier: Apache-2.0
 * Strands that join, and flexible bodies, of mechanisms abreast (T85, T132): the walks.  Pieces go in the order of the
 * mechanism alone (row_scan.c, row_fold.c, row_sums.c), so that every sum has its order.  Called by row_abreast.c and
 * walk_abreast.c. */
#include "kinematics/row_abreast.h"
#include "math/rotation.h"
#include <string.h>

enum { G8 = CLV_GROUP };

static clv_row_flex *flex_of(const clv_row_abreast *a, int piece) { return &a->flex[piece - a->plan.ngroup]; }
static bool is_strand(const clv_row_abreast *a, int piece) { return piece < a->plan.ngroup; }
static clv_row_tip *tip_of(const clv_row_abreast *a, int strand)
{
    return strand >= 0 && a->tip[strand].any ? &a->tip[strand] : NULL;
}
/* strand that holds a joint, -1: none does */
static int holds(const clv_flex_joint *j) { return j->port.ground || j->port.body ? -1 : j->port.strand; }

void clv_row_abreast_flex_scan(const clv_row_abreast *a, int piece, bool moving)
{
    const clv_rows *w = &a->rows;
    if (!is_strand(a, piece)) {
        w->kernels->flex_joint(w, &a->joint[piece], moving);
        w->kernels->flex_pose(w, flex_of(a, piece), moving);
    } else if (a->limb[piece].joint) {
        w->kernels->flex_joint(w, a->limb[piece].joint, moving);
        w->kernels->flex_start(w, piece, a->limb[piece].joint, a->limb[piece].V, moving);
    }
}

/* ------------------------------------------------------------------ up and down */

static void fold_strand(const clv_row_abreast *a, int k, bool biased)
{
    const clv_rows *w = &a->rows;
    const clv_row_limb *l = &a->limb[k];
    clv_row_tip *t = tip_of(a, k);
    clv_flex_joint *j = l->joint;
    if (j) {
        w->kernels->flex_join(w, k, t, NULL, NULL, j->I, j->p);
        w->kernels->flex_leave(w, j, j->f > 0 ? w->tau + (size_t)j->row * G8 : NULL, k, holds(j), biased);
    } else if (l->parent >= 0)
        w->kernels->flex_join(w, k, t, tip_of(a, l->parent), l->R, NULL, NULL);
    else if (t)
        w->kernels->flex_join(w, k, t, NULL, NULL, l->floats ? t->I : NULL, t->p);
}

static void fold_flex(const clv_row_abreast *a, int piece, bool biased)
{
    const clv_rows *w = &a->rows;
    const clv_row_flex *f = flex_of(a, piece);
    const clv_flex_joint *j = &a->joint[piece];
    w->kernels->flex_fold(w, f, w->tau + (size_t)f->row * G8, biased);
    w->kernels->flex_leave(w, j, j->f > 0 ? w->tau + (size_t)j->row * G8 : NULL, -1, holds(j), biased);
}

/* of tips and bodies on which something hangs; nobody looks at others */
static void clear_hanging(const clv_row_abreast *a)
{
    const size_t n = G8 * sizeof(double);
    for (int k = 0; k < a->plan.ngroup; k++)
        if (a->tip[k].any)
            memset(a->tip[k].H, 0, 36 * n), memset(a->tip[k].h, 0, 6 * n);
    for (int s = 0; s < a->nflex; s++)
        for (int i = 0; i < a->flex[s].nbody; i++)
            if (a->flex[s].body[i].hangs)
                memset(a->flex[s].body[i].H, 0, 36 * n), memset(a->flex[s].body[i].h, 0, 6 * n);
}

void clv_row_abreast_flex_fold(const clv_row_abreast *a, bool biased)
{
    clear_hanging(a);
    for (int i = a->npiece - 1; i >= 0; i--)
        if (!is_strand(a, a->piece[i]))
            fold_flex(a, a->piece[i], biased);
        else if (!a->limb[a->piece[i]].folds)
            fold_strand(a, a->piece[i], biased);
}

void clv_row_abreast_flex_unfold(const clv_row_abreast *a, bool biased)
{
    const clv_rows *w = &a->rows;
    for (int i = 0; i < a->npiece; i++) {
        const int k = a->piece[i];
        if (!is_strand(a, k)) {
            const clv_row_flex *f = flex_of(a, k);
            w->kernels->flex_arrive(w, &a->joint[k], f->body[f->entry].x, biased);
            w->kernels->flex_unfold(w, f, biased);
            continue;
        }
        const clv_row_limb *l = &a->limb[k];
        if (l->folds)
            continue;
        if (l->joint)
            w->kernels->flex_arrive(w, l->joint, w->engine->out[k].x, biased);
        const clv_row_tip *tip = tip_of(a, k), *on = l->joint ? NULL : tip_of(a, l->parent);
        if (tip || on) /* else no wrench is at its tip, and none was */
            w->kernels->flex_tip(w, k, tip, on, l->R);
    }
}

/* ------------------------------------------------------------------ sums of hdca */

void clv_row_abreast_flex_collect(const clv_row_abreast *a, int piece)
{
    const clv_rows *w = &a->rows;
    if (!is_strand(a, piece)) {
        const clv_row_flex *f = flex_of(a, piece);
        const clv_flex_joint *j = &a->joint[piece];
        w->kernels->flex_sums(w, f);
        if (!j->port.ground)
            w->kernels->flex_collect(w, -1, NULL, f->body[f->entry].Q, j, holds(j), j->port.at);
        return;
    }
    const clv_row_limb *l = &a->limb[piece];
    const clv_flex_joint *j = l->joint;
    if (l->tip_at >= 0)
        w->kernels->flex_given(w, piece, l->tip_at);
    if (j && !j->port.ground)
        w->kernels->flex_collect(w, piece, l, NULL, j, holds(j), j->port.at);
    else if (!j && l->parent >= 0)
        w->kernels->flex_collect(w, piece, l, NULL, NULL, l->parent, l->at);
}

/* hdca: the motion found for the child of a joint */
static const double *child_motion(const clv_row_abreast *a, int piece)
{
    const clv_row_flex *f;
    if (is_strand(a, piece))
        return a->limb[piece].V_base;
    f = flex_of(a, piece);
    return f->body[f->entry].x;
}

static bool has_joint(const clv_row_abreast *a, int piece)
{
    return !is_strand(a, piece) || a->limb[piece].joint;
}

void clv_row_abreast_flex_rates(const clv_row_abreast *a)
{
    const clv_rows *w = &a->rows;
    for (int k = 0; a->nflex > 0 && k < a->npiece; k++) {
        const clv_flex_joint *j = &a->joint[k];
        if (!has_joint(a, k))
            continue;
        if (is_strand(a, k))
            w->kernels->flex_motion(w, k, w->first[k], a->limb[k].V_base);
        if (holds(j) >= 0)
            w->kernels->flex_motion(w, j->port.strand, j->port.row, j->port.V);
    }
    for (int k = 0; a->nflex > 0 && k < a->npiece; k++)
        if (has_joint(a, k))
            w->kernels->flex_joint_rates(w, &a->joint[k], child_motion(a, k), false);
    for (int s = 0; s < a->nflex; s++)
        w->kernels->flex_rates(w, &a->flex[s]);
}

void clv_row_abreast_flex_terms(const clv_row_abreast *a)
{
    const clv_rows *w = &a->rows;
    for (int k = 0; a->nflex > 0 && k < a->npiece; k++)
        if (has_joint(a, k))
            w->kernels->flex_joint_rates(w, &a->joint[k], a->joint[k].V, true);
    for (int s = 0; s < a->nflex; s++) {
        w->kernels->flex_terms(w, &a->flex[s], w->tau + (size_t)a->flex[s].row * G8);
        w->kernels->flex_biases(w, &a->flex[s]);
    }
}

void clv_row_abreast_flex_pdot(const clv_row_abreast *a)
{
    const clv_rows *w = &a->rows;
    for (int k = 0; a->nflex > 0 && k < a->npiece; k++) {
        if (!has_joint(a, k))
            continue;
        const clv_flex_body *b = is_strand(a, k) ? NULL : &flex_of(a, k)->body[flex_of(a, k)->entry];
        w->kernels->flex_joint_pdot(w, &a->joint[k], child_motion(a, k), b ? b->P : w->end[k].P,
                                    b ? b->Q : w->end[k].Q, b ? -1 : k);
    }
    for (int s = 0; s < a->nflex; s++)
        w->kernels->flex_pdot(w, &a->flex[s]);
}

void clv_row_abreast_flex_weigh(const clv_row_abreast *a, const double *u, double *tau, double *power)
{
    for (int s = 0; s < a->nflex; s++) {
        const size_t at = (size_t)a->flex[s].row * G8;
        a->rows.kernels->flex_weigh(&a->rows, &a->flex[s], a->gravity, u + at, tau + at, power);
    }
}

/* ------------------------------------------------------------------ a lane */

bool clv_row_abreast_flex_sound(const clv_row_abreast *a, int lane)
{
    bool sound = true;
    for (int s = 0; s < a->nflex; s++)
        sound = sound && a->flex[s].ok[lane] == 1.0 && a->flex[s].odd[lane] == 0.0;
    for (int k = 0; k < a->npiece; k++)
        sound = sound && (!has_joint(a, k) || a->joint[k].ok[lane] == 1.0);
    return sound;
}

static double times(const double *A, const double *x, int n, int k, bool diagonal)
{
    double sum = 0;
    if (diagonal)
        return A[(k * n + k) * G8] * x[k * G8];
    for (int l = 0; l < n; l++)
        sum += A[(k * n + l) * G8] * x[l * G8];
    return sum;
}

/* of modes: 1/2 e'.Mff e' + e'.Mrf V, 1/2 e.K e - g.R sum of S e; e, e' in a lane */
static void modal_energies(const clv_row_flex *f, int lane, const double gravity[3], const double V[6],
                           const double *eta, const double *etad, double *kinetic, double *potential)
{
    double x[3] = {0}, R[9], S[3];
    for (int k = 0; k < f->n; k++)
        for (int i = 0; i < 3; i++)
            x[i] += eta[k * G8] * f->phi[(i * f->wide + k) * G8 + lane];
    clv_row_get(f->body[0].R + lane, 9, R);
    clv_mat3_times(S, R, x);
    *potential -= clv_dot3(S, gravity);
    for (int k = 0; k < f->n; k++)
        *potential += 0.5 * eta[k * G8] * times(f->K + lane, eta, f->n, k, f->natural);
    for (int k = 0; k < f->n; k++) {
        double row[6];
        clv_row_get(f->Mrf + 6 * k * G8 + lane, 6, row);
        double sum = clv_dot6(row, V);
        for (int l = 0; l < f->n; l++)
            sum += 0.5 * f->Mff[(k * f->n + l) * G8 + lane] * etad[l * G8];
        *kinetic += etad[k * G8] * sum;
    }
}

/* speed of the frame within what its modes bear, its energies as those of a rigid body, speeds of all bodies */
static bool body_energies(const clv_row_flex *f, int lane, const double gravity[3], bool momenta, double *kinetic,
                          double *potential, double *squares)
{
    double V[6], P[6], I[21], com[3];
    for (int i = 0; i < f->nbody; i++) {
        clv_row_get((momenta ? f->body[i].x : f->body[i].V) + lane, 6, V);
        if (i == 0 && f->limit[lane] > 0 && !(clv_norm3(V + 3) <= f->limit[lane]))
            return false;
        *squares += clv_dot6(V, V);
        if (i > 0)
            continue;
        clv_row_get(f->I + lane, 21, I), clv_row_get(f->body[0].com + lane, 3, com);
        clv_inertia_times(P, I, V);
        *kinetic += 0.5 * clv_dot6(P, V);
        *potential -= f->mass[lane] * clv_dot3(gravity, com);
    }
    return true;
}

bool clv_row_abreast_flex_energy(const clv_row_abreast *a, int lane, const double gravity[3], bool momenta,
                                 double *kinetic, double *potential, double *squares)
{
    const double *rates = momenta ? a->rows.rates : a->rows.u;
    double T = 0, E = 0;
    for (int s = 0; s < a->nflex; s++)
        if (!body_energies(&a->flex[s], lane, gravity, momenta, kinetic, potential, squares))
            return false;
    for (int s = 0; s < a->nflex; s++) {
        const clv_row_flex *f = &a->flex[s];
        const size_t at = (size_t)f->row * G8 + (size_t)lane;
        double V[6];
        clv_row_get((momenta ? f->body[0].x : f->body[0].V) + lane, 6, V);
        modal_energies(f, lane, gravity, V, a->rows.q + at, rates + at, &T, &E);
    }
    if (a->nflex > 0)
        *kinetic += T, *potential += E;
    return true;
}
