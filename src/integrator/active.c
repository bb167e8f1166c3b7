/* SPDX-License-Identifier: Apache-2.0
 * Newton's method for impulses, see active.h and T107.  With the velocities U = free + W P of the points, and responses
 * w_n along n and w across it,
 *
 *   leaves   P_n - (U_n - least) / w_n <= 0      P = 0
 *   holds    |P_t - U_t / w| <= friction P_n     U_n = least, U_t = 0
 *   slides   else                                U_n = least, P_t = friction P_n v / |v|,  v = P_t - U_t / w
 *
 * Points with a bound hold (U_n = 0) while P_n - U_n / w_n is within it, and else have it with that sign (T158).
 *
 * Four corners of a box are redundant.  So diagonals are a little larger, and of all solutions that nearest to the last
 * impulses is found. */
#include "integrator/active.h"
#include "integrator/across.h"
#include <math.h>
#include <string.h>

enum { PASSES = 30, PATIENCE = 8 };

typedef struct matrices {
    double *W, *A;            /* (3 n x 3 n) responses; equations */
    double *P, *U, *free, *b; /* (3 n)                          */
} matrices;

size_t clv_active_scratch(int points)
{
    const size_t n = 3 * (size_t)(points < CLV_ACTIVE_POINTS ? points : CLV_ACTIVE_POINTS);
    return 2 * n * n + 4 * n;
}

static matrices matrices_of(double *scratch, int n)
{
    const size_t m = 3 * (size_t)n;
    matrices x = {.W = scratch, .A = scratch + m * m, .P = scratch + 2 * m * m};
    x.U = x.P + m, x.free = x.U + m, x.b = x.free + m;
    return x;
}

/* (3 x 3) block of W: velocities at point k by impulses at point l */
static void respond(const clv_impulse_problem *x, int k, int l, double *to, size_t stride)
{
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) {
            const clv_contact_part *p = &x->point[k].part[a], *q = &x->point[l].part[b];
            if (p->component < 0 || p->component != q->component)
                continue;
            for (int i = 0; i < 9; i++) {
                const double *J = x->J + p->at + (size_t)(i / 3 * p->n), *Y = x->Y + q->at + (size_t)(i % 3 * p->n);
                double sum = 0;
                for (int c = 0; c < p->n; c++)
                    sum += J[c] * Y[c];
                to[(size_t)(i / 3) * stride + (size_t)(i % 3)] += sum;
            }
        }
}

void clv_active_matrix(const clv_impulse_problem *x, const int *points, int n, double *W, double *free)
{
    const size_t s = 3 * (size_t)n;
    memset(W, 0, s * s * sizeof *W);
    for (int i = 0; i < n; i++) {
        const int k = points[i];
        memcpy(free + 3 * i, x->point[k].after, 3 * sizeof *free);
        for (int j = 0; j < n; j++)
            respond(x, k, points[j], W + 3 * (size_t)i * s + 3 * (size_t)j, s);
        for (int a = 0; a < 2; a++) {
            const clv_contact_part *p = &x->point[k].part[a];
            for (int c = 0; p->component >= 0 && c < 3 * p->n; c++)
                free[3 * i + c / p->n] += x->J[p->at + (size_t)c] * x->free[p->first + c % p->n];
        }
    }
}

static void find_velocities(const matrices *m, int n)
{
    for (int i = 0; i < 3 * n; i++) {
        m->U[i] = m->free[i];
        for (int j = 0; j < 3 * n; j++)
            m->U[i] += m->W[i * 3 * n + j] * m->P[j];
    }
}

/* A point at the present impulses: what it does without them, and how far they are from its laws. */
typedef struct state {
    bool leaves, slides;
    double v[2], size, w; /* as above; size of v                    */
    double end;           /* of a point with a bound: where it is; 0: within */
} state;

static state look(const clv_impulse_problem *x, int k, const double P[3], const double U[3], double *miss)
{
    const clv_contact_point *p = &x->point[k];
    state s = {.w = clv_across_response(p->W)};
    const double n = P[0] - (U[0] - x->leave[k]) / p->W[0], most = p->friction * fmax(0, P[0]);
    if (p->bound > 0) {
        const double dn = P[0] - clv_impulse_clamp(p, n);
        s.end = fabs(n) > p->bound ? copysign(p->bound, n) : 0;
        *miss += p->W[0] * dn * dn;
        return s;
    }
    s.leaves = !(n > 0);
    for (int i = 0; i < 2; i++)
        s.v[i] = s.w > 0 ? P[1 + i] - U[1 + i] / s.w : 0;
    s.size = sqrt(s.v[0] * s.v[0] + s.v[1] * s.v[1]);
    s.slides = s.size > most;
    const double part = s.slides ? most / s.size : 1, dn = P[0] - fmax(0, n);
    double dt = 0;
    for (int i = 0; i < 2; i++)
        dt += (P[1 + i] - part * s.v[i]) * (P[1 + i] - part * s.v[i]);
    *miss += p->W[0] * dn * dn + s.w * dt;
    return s;
}

/* the equations of point i at rows 3 i of A and b, for the change of P */
static void equate(const clv_impulse_problem *x, int k, int i, int n, double near, const state *s, const matrices *m)
{
    const size_t width = 3 * (size_t)n, at = 3 * (size_t)i;
    const double *P = m->P + at, *U = m->U + at, friction = x->point[k].friction;
    double *A = m->A + at * width, *b = m->b + at;
    memset(A, 0, 3 * width * sizeof *A);
    for (size_t c = 0; c < 3; c++)
        A[c * width + at + c] = 1, b[c] = (c == 0 ? s->end : 0) - P[c];
    if (s->leaves || s->end != 0)
        return;
    for (size_t c = 0; c < (s->w > 0 ? 3 : 1); c++) {
        memcpy(A + c * width, m->W + (at + c) * width, width * sizeof *A);
        A[c * width + at + c] += near * (c == 0 ? x->point[k].W[0] : s->w);
        b[c] = (c == 0 ? x->leave[k] : 0) - U[c];
    }
    if (!s->slides)
        return;
    const double e[2] = {s->size > 0 ? s->v[0] / s->size : 0, s->size > 0 ? s->v[1] / s->size : 0};
    const double ratio = s->size > 0 ? friction * fmax(0, P[0]) / s->size : 0;
    for (size_t r = 0; r < 2; r++) {
        double *row = A + (1 + r) * width;
        for (size_t j = 0; j < width; j++) { /* of dP_t - ratio (1 - e e^T) (dP_t - dU_t / w) */
            const double *W1 = m->W + (at + 1) * width, *W2 = m->W + (at + 2) * width;
            const double along = e[0] * W1[j] + e[1] * W2[j], own = r == 0 ? W1[j] : W2[j];
            row[j] = s->w > 0 ? ratio * (own - e[r] * along) / s->w : 0;
        }
        for (size_t c = 0; c < 2; c++)
            row[at + 1 + c] += (c == r ? 1 : 0) - ratio * ((c == r ? 1 : 0) - e[r] * e[c]);
        row[at] -= friction * e[r];
        b[1 + r] = friction * fmax(0, P[0]) * e[r] - P[1 + r];
    }
}

/* (n x n) A b = b by elimination with row pivots; false: singular */
static bool eliminate(double *A, double *b, int n)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[best * n + k]))
                best = i;
        if (!(fabs(A[best * n + k]) > 0))
            return false;
        for (int j = k; j < n && best != k; j++) {
            const double swap = A[k * n + j];
            A[k * n + j] = A[best * n + j], A[best * n + j] = swap;
        }
        const double swap = b[k];
        b[k] = b[best], b[best] = swap;
        for (int i = k + 1; i < n; i++) {
            const double f = A[i * n + k] / A[k * n + k];
            if (f == 0)
                continue;
            for (int j = k + 1; j < n; j++)
                A[i * n + j] -= f * A[k * n + j];
            b[i] -= f * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            b[k] -= A[k * n + j] * b[j];
        b[k] /= A[k * n + k];
    }
    return true;
}

bool clv_active_solve(const clv_impulse_problem *x, const int *points, int n, double near, double *scratch, double *to)
{
    double least = INFINITY, first = 0;
    int best = 0;
    if (n > CLV_ACTIVE_POINTS)
        return false;
    const matrices m = matrices_of(scratch, n);
    for (int i = 0; i < n; i++)
        if (!(x->point[points[i]].W[0] > 0))
            return false;
    clv_active_matrix(x, points, n, m.W, m.free);
    for (int i = 0; i < n; i++)
        memcpy(m.P + 3 * i, x->P + 3 * (size_t)points[i], 3 * sizeof *m.P);
    for (int pass = 0; pass < PASSES; pass++) {
        double miss = 0;
        find_velocities(&m, n);
        for (int i = 0; i < n; i++) {
            const state s = look(x, points[i], m.P + 3 * i, m.U + 3 * i, &miss);
            equate(x, points[i], i, n, near, &s, &m);
        }
        first = pass == 0 ? miss : first;
        if (miss < least)
            memcpy(to, m.P, 3 * (size_t)n * sizeof *to), least = miss, best = pass;
        if (!(least > 1e-30 * first) || pass - best > PATIENCE || !eliminate(m.A, m.b, 3 * n))
            break;
        for (int i = 0; i < 3 * n; i++)
            m.P[i] += m.b[i];
        for (int i = 0; i < n; i++)
            clv_impulse_admit(&x->point[points[i]], m.P + 3 * i);
    }
    return least < 0.01 * first;
}
