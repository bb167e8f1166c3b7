/* SPDX-License-Identifier: Apache-2.0
 * Newton's method for impulses, see active.h and T107.  With the velocities U = free + W P of the points, and responses
 * w_n along n and w across it,
 *
 *   leaves   P_n - U_n / w_n <= 0                P = 0
 *   holds    |P_t - U_t / w| <= friction P_n     U_n = 0, U_t = 0
 *   slides   else                                U_n = 0, P_t = friction P_n v / |v|,  v = P_t - U_t / w
 *
 * Dry points hold (U_n = 0) while P_n - U_n / w_n is within their bound, and else have it with that sign (T158).
 *
 * Diagonals of equations of velocities are larger by `near` of a response.  Four corners of a box are redundant, so of
 * all solutions that nearest to the last impulses is found.  Legs that hold against each other give way to enormous
 * impulses alone.  So `near` grows where steps miss more than those before (Levenberg and Marquardt). */
#include "integrator/active.h"
#include "integrator/across.h"
#include <math.h>
#include <string.h>

enum { PASSES = 60, PATIENCE = 4, PATIENCE_AFAR = 2 }; /* steps that bring nothing, at the smallest `near`, and above */
static const double NEAREST = 1e-10, FAR = 1e-3, FARTHEST = 1; /* `near`, of a response          */
static const double NEARER = 0.3;         /* factor of it after a step that brings something     */
static const double FARTHER = 10;         /* after those that bring nothing                      */
static const double FIRST_FARTHER = 1e3;  /* the same, below FAR                                 */

typedef struct room {
    double *A;                        /* (rows x rows) equations of rows whose impulse is unknown          */
    double *P, *U, *b, *best, *step;  /* (rows)                                                            */
    int *unknown;                     /* (rows) the rows of A                                              */
} room;

size_t clv_active_scratch(int points)
{
    const size_t n = 3 * (size_t)(points < CLV_ISLAND_POINTS ? points : CLV_ISLAND_POINTS);
    return n * n + 6 * n;
}

static room room_of(double *scratch, int n)
{
    const size_t m = (size_t)n;
    room r = {.A = scratch, .P = scratch + m * m};
    r.U = r.P + m, r.b = r.U + m, r.best = r.b + m, r.step = r.best + m, r.unknown = (int *)(void *)(r.step + m);
    return r;
}

/* A point at the present impulses: what it does without them. */
typedef struct state {
    bool leaves, slides, ends; /* `ends`: of a dry point, it is at `end`              */
    double v[2], size;         /* as above; size of v                                 */
    double end;
} state;

/* miss += what the point adds, most := the largest velocity by which it misses its laws */
static state look(const clv_island *g, int i, const double *P, const double *U, double *miss, double *most)
{
    const clv_contact_point *p = &g->x->point[g->points[i]];
    const double wn = p->W[0], w = g->across[i], z = P[0] - U[0] / wn, admitted = clv_impulse_clamp(p, z);
    state s = {.leaves = !p->dry && !(z > 0), .ends = p->dry && fabs(z) > p->bound, .end = admitted};
    *miss += wn * (P[0] - admitted) * (P[0] - admitted);
    *most = fmax(*most, wn * fabs(P[0] - admitted));
    if (!(w > 0))
        return s;
    const double friction = p->friction * fmax(0, P[0]);
    for (int a = 0; a < 2; a++)
        s.v[a] = P[1 + a] - U[1 + a] / w;
    s.size = sqrt(s.v[0] * s.v[0] + s.v[1] * s.v[1]);
    s.slides = s.size > friction;
    for (int a = 0; a < 2; a++) {
        const double d = P[1 + a] - (s.slides ? friction / s.size : 1) * s.v[a];
        *miss += w * d * d;
        *most = fmax(*most, w * fabs(d));
    }
    return s;
}

/* rows 1 and 2 of a point that slides, over all impulses */
static void slide(const clv_island *g, int i, const state *s, const room *r, double row[2][3 * CLV_ISLAND_POINTS])
{
    const int at = g->at[i];
    const double friction = g->x->point[g->points[i]].friction, w = g->across[i], most = friction * fmax(0, r->P[at]);
    const double e[2] = {s->v[0] / s->size, s->v[1] / s->size}, ratio = most / s->size;
    const double *W1 = g->W + (at + 1) * g->rows, *W2 = W1 + g->rows;
    for (int j = 0; j < g->rows; j++) { /* of dP_t - ratio (1 - e e^T) (dP_t - dU_t / w) */
        const double along = e[0] * W1[j] + e[1] * W2[j];
        row[0][j] = ratio * (W1[j] - e[0] * along) / w;
        row[1][j] = ratio * (W2[j] - e[1] * along) / w;
    }
    for (int a = 0; a < 2; a++) {
        for (int c = 0; c < 2; c++)
            row[a][at + 1 + c] += (c == a ? 1 : 0) - ratio * ((c == a ? 1 : 0) - e[a] * e[c]);
        row[a][at] -= friction * e[a];
        r->b[at + 1 + a] = most * e[a] - r->P[at + 1 + a];
    }
}

/* A (k x k) b = b for the unknown steps; those of points that leave or are at a bound are known */
static int equate(const clv_island *g, double near, const state *s, const room *r)
{
    const int m = g->rows;
    int k = 0;
    double row[2][3 * CLV_ISLAND_POINTS];
    for (int i = 0; i < g->n; i++)
        for (int c = g->at[i]; c < g->at[i + 1]; c++)
            if (s[i].leaves || s[i].ends)
                r->step[c] = (c == g->at[i] ? s[i].end : 0) - r->P[c];
            else
                r->step[c] = 0, r->unknown[k++] = c;
    for (int i = 0, to = 0; i < g->n; i++) {
        const int at = g->at[i];
        if (s[i].leaves || s[i].ends)
            continue;
        if (s[i].slides)
            slide(g, i, &s[i], r, row);
        for (int c = at; c < g->at[i + 1]; c++, to++) {
            const bool turns = c > at && s[i].slides;
            const double *from = turns ? row[c - at - 1] : g->W + c * m;
            double sum = turns ? r->b[c] : -r->U[c];
            for (int j = 0; j < m; j++)
                sum -= from[j] * r->step[j];
            r->b[to] = sum; /* to <= c, so none that is still needed */
            for (int j = 0; j < k; j++)
                r->A[to * k + j] = from[r->unknown[j]];
            if (!turns)
                r->A[to * k + to] += near * (c == at ? g->x->point[g->points[i]].W[0] : g->across[i]);
        }
    }
    return k;
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

static void admit(const clv_island *g, double *P)
{
    for (int i = 0; i < g->n; i++) {
        const clv_contact_point *p = &g->x->point[g->points[i]];
        if (g->across[i] > 0)
            clv_across_admit(P + g->at[i], p->friction);
        else
            P[g->at[i]] = clv_impulse_clamp(p, P[g->at[i]]);
    }
}

static void take(const clv_island *g, double *P)
{
    for (int i = 0; i < g->n; i++)
        for (int c = g->at[i]; c < g->at[i + 1]; c++)
            P[c] = g->x->P[3 * g->points[i] + c - g->at[i]];
}

static void give(const clv_island *g, const double *P, double *to)
{
    for (int i = 0; i < g->n; i++)
        for (int c = 0; c < 3; c++)
            to[3 * i + c] = g->at[i] + c < g->at[i + 1] ? P[g->at[i] + c] : 0;
}

/* states of all points at r->P; miss: how far they are from their laws, returned: the largest velocity by which */
static double look_all(const clv_island *g, const room *r, state *s, double *miss)
{
    double most = 0;
    *miss = 0;
    clv_island_velocities(g, r->P, r->U);
    for (int i = 0; i < g->n; i++)
        s[i] = look(g, i, r->P + g->at[i], r->U + g->at[i], miss, &most);
    return most;
}

/* r->P += a step of Newton's method from these states; false: there is none */
static bool advance(const clv_island *g, double near, const state *s, const room *r)
{
    const int k = equate(g, near, s, r);
    if (!eliminate(r->A, r->b, k))
        return false;
    for (int i = 0; i < k; i++)
        r->step[r->unknown[i]] = r->b[i];
    for (int i = 0; i < g->rows; i++)
        r->P[i] += r->step[i];
    admit(g, r->P);
    return true;
}

clv_active_end clv_active_solve(const clv_island *g, double enough, double *scratch, double *to)
{
    const room r = room_of(scratch, g->rows);
    const size_t bytes = (size_t)g->rows * sizeof *r.P;
    double least = INFINITY, first = 0, near = NEAREST, most = INFINITY;
    int stale = 0;
    state s[CLV_ISLAND_POINTS];
    take(g, r.P);
    for (int pass = 0; pass < PASSES && most > enough; pass++) {
        double miss;
        const double now = look_all(g, &r, s, &miss);
        first = pass == 0 ? miss : first;
        if (miss < least) {
            memcpy(r.best, r.P, bytes);
            least = miss, most = now, stale = 0, near = fmax(NEAREST, near * NEARER);
        } else if (++stale > (near > NEAREST ? PATIENCE_AFAR : PATIENCE)) {
            near *= near < FAR ? FIRST_FARTHER : FARTHER, stale = 0;
            memcpy(r.P, r.best, bytes);
            (void)look_all(g, &r, s, &miss);
        }
        if (!(most > enough) || near > FARTHEST || !advance(g, near, s, &r))
            break;
    }
    give(g, r.best, to);
    return !(most > enough) ? CLV_ACTIVE_SOLVED : least < 0.01 * first ? CLV_ACTIVE_NEARER : CLV_ACTIVE_FAILED;
}
