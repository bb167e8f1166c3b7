/* SPDX-License-Identifier: Apache-2.0
 * Loads and energies of flexible bodies beyond those of their undeformed frames (T31). */
#include <math.h>
#include <string.h>
#include "base/error.h"
#include "formulation/system.h"
#include "kinematics/deform.h"
#include "math/rotation.h"
#include "math/spatial.h"

/* (A eta)_k; diagonal: A has nothing else */
static double times(const double *A, const double *eta, int n, int k, bool diagonal)
{
    double sum = 0;
    if (diagonal)
        return A[k * n + k] * eta[k];
    for (int l = 0; l < n; l++)
        sum += A[k * n + l] * eta[l];
    return sum;
}

/* R sum of S_k eta_k: what deformation adds to mass times centre of mass */
static void first_moment(const clv_system *s, int star, double S[3])
{
    const clv_flex *f = &s->model->flex[star];
    const double *eta = s->kin.eta + s->plan->star[star].mode;
    double x[3] = {0};
    for (int k = 0; k < f->nmode; k++)
        clv_axpy3(x, eta[k], f->S + 3 * (size_t)k);
    clv_mat3_times(S, s->kin.R + 9 * (size_t)f->body, x);
}

void clv_flexible_loads(clv_system *s)
{
    for (int i = 0; i < s->plan->nstar; i++) {
        const clv_star *star = &s->plan->star[i];
        const clv_flex *f = &s->model->flex[i];
        const double *R = s->kin.R + 9 * (size_t)f->body, *g = s->model->gravity;
        const double *eta = s->kin.eta + star->mode, *etad = s->kin.etad + star->mode;
        const bool natural = s->kin.deformed[i].natural;
        double S[3], n[3], own[3];
        first_moment(s, i, S);
        clv_cross(n, S, g);
        clv_axpy3(s->Q + 6 * (size_t)f->body + 3, 1.0, n);
        clv_mat3_transpose_times(own, R, g);
        for (int k = 0; k < f->nmode; k++) {
            const double damping = times(f->C, etad, f->nmode, k, natural);
            s->tau[star->iu + k] =
                clv_dot3(f->S + 3 * (size_t)k, own) - times(f->K, eta, f->nmode, k, natural) - damping;
            s->power -= damping * etad[k];
        }
    }
}

/* bodies of flexible bodies in rows: their weights are not those of strands */
void clv_flexible_weights(clv_system *s)
{
    for (int i = 0; i < s->plan->nstar; i++) {
        const size_t b = (size_t)s->plan->star[i].frame;
        double F[6] = {0}, l[3];
        clv_axpy3(F, s->model->body[b].mass, s->model->gravity);
        clv_sub3(l, s->kin.com + 3 * b, s->kin.ref + 3 * b);
        clv_wrench_shift(F, l, F);
        clv_add6(s->Q + 6 * b, F);
    }
}

void clv_flexible_forces(clv_system *s, double *force)
{
    clv_kinematics_modal_bias(&s->kin, s->modal);
    for (int k = 0; k < s->plan->nstar; k++)
        for (int m = 0; m < s->plan->star[k].nmode; m++)
            force[s->plan->star[k].iu + m] -= s->modal[s->plan->star[k].mode + m];
}

/* rates of modal momenta by what is outboard of the link of body b */
static void add_outboard(const clv_system *s, size_t b, double *pdot)
{
    const clv_row_hold *h = clv_row_hold_of(&s->rows, (int)b);
    const double *M = s->engine.modes + clv_modes(s->plan, b), *shape;
    double F[6], e[3];
    clv_deform_outboard(&s->kin, (int)b, h->P, h->Q, F, e, &shape);
    for (int c = 0; c < clv_nmode(s->plan, b); c++)
        pdot[c] += clv_dot6(M + 6 * c, F) + clv_dot3(shape + 6 * c + 3, e);
}

void clv_flexible_momentum_rates(clv_system *s, double *pdot)
{
    const clv_plan *p = s->plan;
    clv_kinematics_modal_slope(&s->kin, s->modal);
    for (int k = 0; k < p->nstar; k++)
        memcpy(pdot + p->star[k].iu, s->modal + p->star[k].mode, (size_t)p->star[k].nmode * sizeof(double));
    for (size_t b = 0; p->nstar > 0 && b < (size_t)p->nbody; b++)
        if (clv_nmode(p, b) > 0)
            add_outboard(s, b, pdot + p->star[p->tree[b].link].iu);
}

void clv_flexible_momenta(clv_system *s, bool moving, double *p)
{
    const clv_plan *plan = s->plan;
    if (moving)
        clv_kinematics_modal_momentum(&s->kin, s->modal);
    else if (plan->nstar > 0)
        memset(s->modal, 0, (size_t)plan->nmode * sizeof(double));
    for (int k = 0; k < plan->nstar; k++)
        memcpy(p + plan->star[k].iu, s->modal + plan->star[k].mode, (size_t)plan->star[k].nmode * sizeof(double));
    for (size_t b = 0; plan->nstar > 0 && b < (size_t)plan->nbody; b++) {
        const clv_row_hold *hold = clv_row_hold_of(&s->rows, (int)b);
        for (int c = 0; hold && c < clv_nmode(plan, b); c++)
            p[plan->star[plan->tree[b].link].iu + c] +=
                clv_dot6(s->engine.modes + clv_modes(plan, b) + 6 * (size_t)c, hold->P);
    }
}

bool clv_flexible_energies(const clv_system *s, clv_energies *e)
{
    if (s->plan->nstar == 0)
        return true;
    for (int i = 0; i < s->plan->nstar; i++) {
        const clv_flex *f = &s->model->flex[i];
        const double *w = s->kin.V + 6 * (size_t)f->body + 3;
        if (f->limit > 0 && !(clv_norm3(w) <= f->limit))
            return false;
        for (size_t b = (size_t)f->body; b <= (size_t)f->body + (size_t)f->nnode; b++) {
            double P[6];
            const double *V = s->kin.V + 6 * b;
            e->squares += clv_dot6(V, V);
            if ((int)b != f->body)
                continue;
            clv_inertia_times(P, s->engine.mass + 21 * b, V);
            e->kinetic += 0.5 * clv_dot6(P, V);
            e->potential -= s->model->body[b].mass * clv_dot3(s->model->gravity, s->kin.com + 3 * b);
        }
    }
    e->kinetic += clv_flexible_kinetic(s), e->potential += clv_flexible_potential(s);
    return true;
}

double clv_flexible_potential(const clv_system *s)
{
    double E = 0;
    for (int i = 0; i < s->plan->nstar; i++) {
        const clv_flex *f = &s->model->flex[i];
        const double *eta = s->kin.eta + s->plan->star[i].mode;
        double S[3];
        first_moment(s, i, S);
        E -= clv_dot3(S, s->model->gravity);
        for (int k = 0; k < f->nmode; k++)
            E += 0.5 * eta[k] * times(f->K, eta, f->nmode, k, s->kin.deformed[i].natural);
    }
    return E;
}

double clv_flexible_kinetic(const clv_system *s)
{
    double T = 0;
    for (int i = 0; i < s->plan->nstar; i++) {
        size_t n = (size_t)s->plan->star[i].nmode;
        const double *rate = s->kin.etad + s->plan->star[i].mode, *V = s->kin.V + 6 * (size_t)s->plan->star[i].frame;
        for (size_t k = 0; k < n; k++) {
            const double *row = s->engine.room[i].mass + k * (n + 6);
            double sum = clv_dot6(row, V);
            for (size_t l = 0; l < n; l++)
                sum += 0.5 * row[6 + l] * rate[l];
            T += rate[k] * sum;
        }
    }
    return T;
}

clv_status clv_flexible_check(clv_system *s)
{
    for (int i = 0; i < s->plan->nstar; i++) {
        const clv_flex *f = &s->model->flex[i];
        double w = clv_norm3(s->kin.V + 6 * (size_t)f->body + 3);
        if (!(f->limit > 0) || w <= f->limit)
            continue;
        clv_fail(s->error, CLV_ERR_UNSUPPORTED,
                 "body '%s' rotates at %.4g rad/s at t = %.9g s; its linear modes are valid up to %.4g rad/s",
                 s->model->body[f->body].name, w, s->kin.time, f->limit);
        clv_error_text(s->error->body, sizeof s->error->body, s->model->body[f->body].name);
        clv_error_hint(s->error, "above, centrifugal stiffening is missing: divide the body into shorter flexible "
                                 "bodies, or reduce its speed");
        s->error->time = s->kin.time, s->error->value = w;
        return s->error->code;
    }
    return CLV_OK;
}
