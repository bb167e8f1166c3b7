/* SPDX-License-Identifier: Apache-2.0
 * Flexible bodies in the assembly (T36): loops that rigid bodies cannot close are closed with the least strain energy.
 *
 *   minimise  1/2 sum (eta + y)^T K (eta + y) / c + 1/2 sum y_k^2 / e_k   subject to  r + J y = 0
 *   y = -eta - c K^-1 J^T lambda (modes),   y = -E J^T lambda (others),   (J E J^T) lambda = r - J eta
 *
 * c makes modes stiff beside joints.  Every step is closed again before its energy is looked at; it is halved until
 * the energy decreases. */
#include <math.h>
#include <string.h>
#include "base/tolerance.h"
#include "math/symmetric.h"
#include "simulation/assemble.h"

enum { STEPS = 60, HALVINGS = 12 };

double clv_strain_energy(const clv_sim *s, const double *q)
{
    double sum = 0;
    for (int k = 0; k < s->plan->nstar; k++) {
        const clv_flex *f = &s->model->flex[k];
        const double *eta = q + s->plan->star[k].iq;
        for (int i = 0; i < f->nmode; i++)
            for (int j = 0; j < f->nmode; j++)
                sum += 0.5 * eta[i] * f->K[i * f->nmode + j] * eta[j];
    }
    return sum;
}

/* K^-1 of a flexible body into C (n x n), K and L of work; a trace of K keeps modes without stiffness finite */
static void invert(const clv_flex *f, double *C, double *L)
{
    int n = f->nmode;
    double trace = 0;
    for (int i = 0; i < n; i++)
        trace += f->K[i * n + i];
    memcpy(L, f->K, (size_t)(n * n) * sizeof(double));
    for (int i = 0; i < n; i++)
        L[i * n + i] += trace > 0 ? 1e-10 * trace / n : 1.0;
    if (clv_cholesky(L, n, 0.0) >= 0)
        return; /* C stays zero: a stiffness that is not positive lets nothing move */
    for (int i = 0; i < n; i++) {
        memset(C + i * n, 0, (size_t)n * sizeof(double));
        C[i * n + i] = 1;
        clv_lower_solve(L, n, C + i * n);
        clv_lower_transpose_solve(L, n, C + i * n);
    }
}

/* J E J^T by its trace: of joints, or of modes */
static double trace_of(clv_assembly *a, bool modes)
{
    size_t n = (size_t)a->n;
    double sum = 0;
    for (size_t i = 0; i < (size_t)a->m; i++) {
        clv_assembly_ease(a, a->J + i * n, a->y);
        for (size_t j = 0; j < n; j++)
            sum += (a->hold[j] == CLV_HOLD_MODE) == modes ? a->y[j] * a->J[i * n + j] : 0.0;
    }
    return sum;
}

clv_status clv_assembly_soften(clv_assembly *a)
{
    const clv_sim *s = a->s;
    for (int k = 0; k < s->plan->nstar; k++)
        invert(&s->model->flex[k], a->compliance[k], a->work);
    for (int i = 0; i < a->n; i++)
        a->ease[i] = a->hold[i] == CLV_HOLD_MODE ? 1.0 : a->ease[i];
    clv_status st = clv_assembly_linearize(a, a->q);
    double joints = trace_of(a, false), modes = trace_of(a, true), c = joints > 0 ? 1e-3 * joints : 1.0;
    for (int k = 0; k < s->plan->nstar && modes > 0; k++)
        for (int i = 0; i < s->plan->star[k].nmode * s->plan->star[k].nmode; i++)
            a->compliance[k][i] *= c / modes;
    return st;
}

/* y from q towards the least energy; false if there is none */
static bool descent(clv_assembly *a)
{
    const clv_plan *p = a->s->plan;
    double left;
    clv_assembly_measure(a, a->q, a->r);
    if (clv_assembly_linearize(a, a->q) != CLV_OK)
        return false;
    for (int k = 0; k < p->nstar; k++)
        for (int m = 0; m < p->star[k].nmode; m++)
            for (int i = 0; i < a->m; i++)
                a->r[i] -= a->J[(size_t)i * (size_t)a->n + (size_t)(p->star[k].iu + m)] * a->q[p->star[k].iq + m];
    if (clv_assembly_step(a, 1e-12, &left) != CLV_OK)
        return false;
    for (int k = 0; k < p->nstar; k++)
        for (int m = 0; m < p->star[k].nmode; m++)
            a->y[p->star[k].iu + m] -= a->q[p->star[k].iq + m];
    return true;
}

void clv_assembly_relax(clv_assembly *a)
{
    const size_t nq = (size_t)a->s->plan->nq * sizeof(double), ny = (size_t)a->n * sizeof(double);
    double energy = clv_strain_energy(a->s, a->q);
    for (int k = 0; k < STEPS; k++) {
        double before = energy, f = 1;
        memcpy(a->from, a->q, nq);
        if (!descent(a))
            return;
        memcpy(a->way, a->y, ny);
        f = clv_assembly_limit(a);
        for (int i = 0; i < HALVINGS && !(energy < before); i++, f *= 0.5) {
            memcpy(a->q, a->from, nq), memcpy(a->y, a->way, ny);
            clv_assembly_move(a, f);
            memcpy(a->q, a->trial, nq);
            if (clv_assembly_close(a) <= CLV_TOL_ASSEMBLED)
                energy = clv_strain_energy(a->s, a->q);
        }
        if (!(energy < before * (1 - 1e-9))) {
            if (!(energy < before))
                memcpy(a->q, a->from, nq);
            return;
        }
    }
}
