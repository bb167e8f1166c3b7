/* SPDX-License-Identifier: Apache-2.0
 * The response of a state to a cotangent of its accelerations (T124.2): M v = l + J^T eta with J v = 0.  Open trees
 * take articulated bodies, loops the mass matrix of the independent rates.  Where these would cost more than the
 * engine's factor, or a pivot is small, that one does it. */
#include "base/error.h"
#include "math/rotation.h"
#include "math/spatial.h"
#include "simulation/sensitivity.h"
#include <math.h>
#include <string.h>

enum { DEEPEST = 100 };    /* bodies inboard of one in open trees: far from the origin of T74 digits go */
#define MOST_WORK 20000.0  /* products of a state with loops, for one body                                  */
#define LEAST_PIVOT 1e-12  /* beside the entry of the matrix: below it the engine's factor is more accurate */

void clv_respond_layout(clv_sensitivity_work *w, clv_arena *a)
{
    const size_t n = (size_t)w->n, r = (size_t)w->r, f = n - r, bodies = (size_t)w->plan->nbody;
    const bool tree = w->dense && r == 0, loops = w->dense && r > 0;
    clv_respond *x = &w->respond;
    CLV_TAKE(a, x->I, tree ? 36 * bodies : 0), CLV_TAKE(a, x->p, tree ? 6 * bodies : 0);
    CLV_TAKE(a, x->U, tree ? 6 * n : 0), CLV_TAKE(a, x->D, tree ? n : 0);
    CLV_TAKE(a, x->mass, loops ? n * n : 0), CLV_TAKE(a, x->L, loops ? f * f : 0), CLV_TAKE(a, x->free, f);
    CLV_TAKE(a, x->X, loops ? r * f : 0), CLV_TAKE(a, x->N, loops ? n * f : 0), CLV_TAKE(a, x->y, n);
}

bool clv_respond_dense(const clv_sensitivity_work *w)
{
    const double n = w->n, r = w->r, f = n - r;
    const clv_plan *p = w->plan;
    int most = 0;
    for (int i = 0; i < p->nbody && r == 0; i++) {
        int depth = 0;
        for (int b = p->order[i]; b >= 0 && depth <= DEEPEST; b = p->tree[b].parent)
            depth++;
        most = depth > most ? depth : most;
    }
    return r > 0 ? n * r * f + f * f * (r + f / 6) + r * r * f < MOST_WORK * p->nbody : most <= DEEPEST;
}

/* ------------------------------------------------------------------ open trees */

/* inertia of a body about the origin, by rows */
static void body_inertia(const clv_derivative *d, size_t b, double I[36])
{
    static const int at[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    const double m = d->plan->model->body[b].mass, *Jc = d->kin->Jc + 6 * b;
    double c[3];
    clv_sub3(c, d->kin->com + 3 * b, d->origin);
    const double square = clv_dot3(c, c), x = m * c[0], y = m * c[1], z = m * c[2];
    const double turn[9] = {0, z, -y, -z, 0, x, y, -x, 0}; /* f = m v - m c x w */
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            I[6 * i + k] = i == k ? m : 0;
            I[6 * i + 3 + k] = I[6 * (3 + k) + i] = turn[3 * i + k];
            I[6 * (3 + i) + 3 + k] = Jc[at[3 * i + k]] + m * ((i == k ? square : 0) - c[i] * c[k]);
        }
}

/* Takes direction k, whose motion is S, out of the articulated inertia I and wrench p of what is outboard; *u: l less
 * what p does along it.  False: nothing has inertia along it. */
static bool eliminate(clv_sensitivity_work *w, size_t k, double rotor, double I[36], double p[6], double *u)
{
    const double *S = w->d.S + 6 * k, *IS = w->d.IS + 6 * k;
    double *U = w->respond.U + 6 * k, D = rotor;
    for (int i = 0; i < 6; i++) {
        U[i] = clv_dot6(I + 6 * i, S);
        D += U[i] * S[i];
    }
    *u -= clv_dot6(S, p);
    if (!(D > LEAST_PIVOT * (clv_dot6(S, IS) + rotor)))
        return false;
    for (int i = 0; i < 6; i++) {
        const double f = U[i] / D;
        p[i] += f * *u;
        for (int j = 0; j < 6; j++)
            I[6 * i + j] -= f * U[j];
    }
    w->respond.D[k] = D;
    return true;
}

/* M v = l from tips to bases and back (articulated bodies) */
static bool respond_tree(clv_sensitivity_work *w, const double *l)
{
    const clv_plan *plan = w->plan;
    clv_respond *x = &w->respond;
    memset(x->p, 0, 6 * (size_t)plan->nbody * sizeof *x->p);
    memcpy(w->v, l, (size_t)w->n * sizeof(double));
    for (size_t b = 0; b < (size_t)plan->nbody; b++)
        body_inertia(&w->d, b, x->I + 36 * b);
    for (int i = plan->nbody - 1; i >= 0; i--) {
        const int b = plan->order[i], up = plan->tree[b].parent;
        double *I = x->I + 36 * (size_t)b, *p = x->p + 6 * (size_t)b;
        for (int c = plan->tree[b].f - 1; c >= 0; c--) {
            const size_t k = (size_t)plan->tree[b].iu + (size_t)c;
            if (!eliminate(w, k, clv_armature_of(plan, b, c), I, p, &w->v[k]))
                return false;
        }
        for (int j = 0; up >= 0 && j < 36; j++)
            x->I[36 * (size_t)up + (size_t)j] += I[j];
        if (up >= 0)
            clv_add6(x->p + 6 * (size_t)up, p);
    }
    for (int i = 0; i < plan->nbody; i++) { /* p becomes the motion */
        const int b = plan->order[i], up = plan->tree[b].parent;
        double *to = x->p + 6 * (size_t)b;
        memset(to, 0, 6 * sizeof *to);
        if (up >= 0)
            memcpy(to, x->p + 6 * (size_t)up, 6 * sizeof *to);
        for (int c = 0; c < plan->tree[b].f; c++) {
            const size_t k = (size_t)plan->tree[b].iu + (size_t)c;
            w->v[k] = (w->v[k] - clv_dot6(x->U + 6 * k, to)) / x->D[k];
            for (int j = 0; j < 6; j++)
                to[j] += w->v[k] * w->d.S[6 * k + (size_t)j];
        }
    }
    return true;
}

/* ------------------------------------------------------------------ loops */

/* X (r x f): dependent rates by independent ones; N = M (1; X) (n x f); L (f x f): (1; X)^T N, then its factor */
static void reduce(clv_sensitivity_work *w)
{
    clv_respond *x = &w->respond;
    const clv_partition *p = w->partition;
    const size_t n = (size_t)w->n, r = (size_t)w->r, f = n - r;
    for (size_t k = 0, c = 0; k < n; k++)
        if (!p->depends[k])
            x->free[c++] = (int)k;
    for (size_t c = 0; c < f; c++) {
        for (size_t i = 0; i < r; i++)
            x->X[i * f + c] = -w->J[(size_t)p->row[i] * n + (size_t)x->free[c]];
        clv_partition_solve(w->r, w->LU, w->pivot, x->X + c, (int)f);
    }
    for (size_t k = 0; k < n; k++) {
        double *to = x->N + k * f;
        for (size_t c = 0; c < f; c++)
            to[c] = x->mass[k * n + (size_t)x->free[c]];
        for (size_t i = 0; i < r; i++) {
            const double m = x->mass[k * n + (size_t)p->column[i]];
            for (size_t c = 0; c < f && m != 0; c++)
                to[c] += m * x->X[i * f + c];
        }
    }
    for (size_t a = 0; a < f; a++)
        memcpy(x->L + a * f, x->N + (size_t)x->free[a] * f, f * sizeof(double));
    for (size_t i = 0; i < r; i++)
        for (size_t a = 0; a < f; a++) {
            const double s = x->X[i * f + a], *from = x->N + (size_t)p->column[i] * f;
            for (size_t c = 0; c < f; c++)
                x->L[a * f + c] += s * from[c];
        }
}

/* Cholesky factor of L, in place, below the diagonal and on it */
static bool factor_reduced(double *L, size_t f)
{
    for (size_t k = 0; k < f; k++) {
        double pivot = L[k * f + k];
        const double entry = pivot;
        for (size_t i = 0; i < k; i++)
            pivot -= L[k * f + i] * L[k * f + i];
        if (!(pivot > LEAST_PIVOT * entry))
            return false;
        L[k * f + k] = sqrt(pivot);
        for (size_t a = k + 1; a < f; a++) {
            double sum = L[a * f + k];
            for (size_t i = 0; i < k; i++)
                sum -= L[a * f + i] * L[k * f + i];
            L[a * f + k] = sum / L[k * f + k];
        }
    }
    return true;
}

static void solve_reduced(const double *L, size_t f, double *y)
{
    for (size_t k = 0; k < f; k++) {
        for (size_t i = 0; i < k; i++)
            y[k] -= L[k * f + i] * y[i];
        y[k] /= L[k * f + k];
    }
    for (size_t k = f; k-- > 0;) {
        for (size_t i = k + 1; i < f; i++)
            y[k] -= L[i * f + k] * y[i];
        y[k] /= L[k * f + k];
    }
}

/* eta of the rows that count: J_D^T eta = (M v - l)_D */
static void find_eta(clv_sensitivity_work *w, const double *l, const double *y)
{
    const clv_respond *x = &w->respond;
    const clv_partition *p = w->partition;
    const size_t f = (size_t)(w->n - w->r);
    for (int i = 0; i < w->r; i++) {
        const size_t k = (size_t)p->column[i];
        double sum = -l[k];
        for (size_t c = 0; c < f; c++)
            sum += x->N[k * f + c] * y[c];
        w->x[i] = sum;
    }
    clv_partition_solve_transpose(w->r, w->LU, w->pivot, w->x);
    for (int i = 0; i < w->r; i++)
        w->eta[p->row[i]] = w->x[i];
}

static bool respond_closed(clv_sensitivity_work *w, const double *l)
{
    clv_respond *x = &w->respond;
    const clv_partition *p = w->partition;
    const size_t r = (size_t)w->r, f = (size_t)w->n - r;
    reduce(w);
    if (!factor_reduced(x->L, f))
        return false;
    for (size_t c = 0; c < f; c++) {
        x->y[c] = l[x->free[c]];
        for (size_t i = 0; i < r; i++)
            x->y[c] += x->X[i * f + c] * l[p->column[i]];
    }
    solve_reduced(x->L, f, x->y);
    for (size_t c = 0; c < f; c++)
        w->v[x->free[c]] = x->y[c];
    for (size_t i = 0; i < r; i++) {
        double sum = 0;
        for (size_t c = 0; c < f; c++)
            sum += x->X[i * f + c] * x->y[c];
        w->v[p->column[i]] = sum;
    }
    find_eta(w, l, x->y);
    return true;
}

/* ------------------------------------------------------------------ all */

/* by the factor of the state, which is made here */
static clv_status respond_by_engine(clv_sensitivity_work *w, const double *l)
{
    clv_system *k = &w->s->system;
    clv_kinematics_fill(&k->kin);
    const clv_status st = clv_system_factor(k);
    if (st != CLV_OK)
        return st;
    if (k->truncated > w->s->base_nullity)
        return clv_closed_singular(w, k->kin.time);
    memset(w->row, 0, (size_t)w->m * sizeof(double));
    clv_engine_solve(&k->engine, w->acceleration, w->v, w->zero, l, NULL, w->m > 0 ? w->row : NULL);
    for (int i = 0; i < w->m; i++)
        w->eta[i] = k->engine.sigma[i];
    return CLV_OK;
}

clv_status clv_respond_find(clv_sensitivity_work *w, const double *l)
{
    bool good = w->dense;
    if (good && w->r > 0)
        clv_derivative_mass(&w->d, w->respond.mass);
    memset(w->eta, 0, (size_t)w->m * sizeof(double));
    good = good && (w->r > 0 ? respond_closed(w, l) : respond_tree(w, l));
    return good ? CLV_OK : respond_by_engine(w, l);
}
