/* SPDX-License-Identifier: Apache-2.0
 * Impulses of rigid contacts, see impulses.h (T62.2, T89).  Each island is solved on its own by projected Gauss-Seidel
 * sweeps over its points, and extrapolated from the last sweeps (Anderson).  Sweeps keep the rates of the island up
 * to date instead of a matrix over all points.  Islands of few points also take steps of Newton's method (active.h).
 * Sums run in index order.
 *
 *   islands | sweep, least squares over the last ones, extrapolate, onto the cones | ... | rates anew */
#include "integrator/impulses.h"
#include "integrator/across.h"
#include "integrator/active.h"
#include "integrator/pivot.h"
#include <math.h>
#include <string.h>

enum { MOST = 20000, MOST_JUMPED = 4000 }; /* sweeps, and those of an island that jumps                      */
enum { STALE = 300, H = CLV_IMPULSE_HISTORY, WAIT = 4, LONG = 60, CIRCLES = 20, TURNS = 4 };
static const double SETTLED = 1e-13; /* of the largest velocity: the last change that ends the iteration          */
static const double JUMPED = 30;     /* times that, for a sweep after a jump: no slow mode is left               */
static const double ROUNDED = 1e-15; /* the same, of the largest term of a velocity                               */
static const double WORSE = 2;       /* an extrapolation whose next change is larger by this factor is taken back */
static const int SWEEP = 400;        /* points^2 that a jump may have, for each sweep so far                */
static const double RIDGE = 1e-14;   /* of the diagonal: makes least squares of dependent changes solvable        */

/* Scratch of an island, for n = 3 x its points. */
typedef struct room {
    double *before, *change, *sweep; /* (n) start of a sweep; what it changed, times sqrt of the response; its end */
    double *old_change, *old_sweep;  /* (n) of the sweep before                                                    */
    double *changes, *sweeps;        /* (H x n) their differences                                                  */
    double *gram;                    /* (H x H) their products                                                     */
    int count, next;                 /* differences there are, and where the next one goes                         */
    int since;                       /* sweeps since the change last halved, from `best`                           */
    double best;
    double size;    /* norm of old_change                                                         */
    clv_island island; /* its matrix, once a jump needs it                                        */
    double *matrix;    /* (clv_island_scratch)                                                    */
    double *jumps;     /* (clv_active_scratch, clv_pivot_scratch)                                 */
    double enough;     /* m/s, of a jump                                                          */
    int jump, wait; /* sweep after which the next jump is tried, and sweeps from one to the next  */
    bool jumped;    /* the last guess is one                                                      */
    bool failed;    /* Newton's method from sweeps alone has not ended the search                 */
} room;

size_t clv_impulses_scratch(int points)
{
    const size_t newton = clv_active_scratch(points), pivots = clv_pivot_scratch(points); /* one at a time */
    return (5 + 2 * (size_t)H) * 3 * (size_t)points + (size_t)H * H + clv_island_scratch(points) +
           (newton > pivots ? newton : pivots);
}

size_t clv_impulses_islands(int points, int components)
{
    return (size_t)components + 2 * (size_t)points + 1;
}

static room room_of(double *scratch, int n)
{
    room r = {.before = scratch};
    r.change = r.before + n, r.sweep = r.change + n, r.old_change = r.sweep + n, r.old_sweep = r.old_change + n;
    r.changes = r.old_sweep + n, r.sweeps = r.changes + H * n, r.gram = r.sweeps + H * n;
    r.matrix = r.gram + H * H, r.jump = r.wait = WAIT;
    r.jumps = r.matrix + clv_island_scratch(n / 3);
    return r;
}

/* ------------------------------------------------------------------ one point */

/* velocities along the axes of a point */
static void velocity(const clv_impulse_problem *x, int k, const double *rates, double U[3])
{
    const clv_contact_point *p = &x->point[k];
    memcpy(U, p->after, sizeof p->after);
    for (int side = 0; side < 2 && p->part[side].component >= 0; side++) {
        const clv_contact_part *part = &p->part[side];
        const double *J = x->J + part->at, *v = rates + part->first;
        const int n = part->n;
        for (int i = 0; i < n; i++) {
            U[0] += J[i] * v[i];
            U[1] += J[n + i] * v[i];
            U[2] += J[2 * n + i] * v[i];
        }
    }
}

/* rates += what impulses P at a point cause */
static void act(const clv_impulse_problem *x, int k, const double P[3])
{
    const clv_contact_point *p = &x->point[k];
    for (int side = 0; side < 2 && p->part[side].component >= 0; side++) {
        const clv_contact_part *part = &p->part[side];
        const double *Y = x->Y + part->at;
        double *v = x->rates + part->first;
        const int n = part->n;
        for (int i = 0; i < n; i++)
            v[i] += Y[i] * P[0] + Y[n + i] * P[1] + Y[2 * n + i] * P[2];
    }
}

void clv_impulse_admit(const clv_contact_point *p, double P[3])
{
    if (p->dry)
        P[0] = clv_impulse_clamp(p, P[0]), P[1] = P[2] = 0;
    else
        clv_across_admit(P, p->friction);
}

/* the impulse of a point by its own row; returns the largest change of a velocity */
static double press(const clv_impulse_problem *x, int k)
{
    const clv_contact_point *p = &x->point[k];
    const double *W = p->W;
    double U[3], d[3], *P = x->P + 3 * (size_t)k;
    if (!(W[0] > 0))
        return 0;
    const double old[3] = {P[0], P[1], P[2]};
    velocity(x, k, x->rates, U);
    P[0] = clv_impulse_clamp(p, P[0] - (U[0] - x->leave[k]) / W[0]);
    d[0] = P[0] - old[0];
    double most = W[0] * fabs(d[0]);
    const double w = p->friction > 0 ? clv_across_response(W) : 0;
    if (w > 0) {
        U[1] += W[3] * d[0], U[2] += W[6] * d[0];
        P[1] -= U[1] / w, P[2] -= U[2] / w;
        clv_across_admit(P, p->friction);
    }
    d[1] = P[1] - old[1], d[2] = P[2] - old[2];
    most = fmax(most, w * fmax(fabs(d[1]), fabs(d[2])));
    if (most > 0)
        act(x, k, d);
    return most;
}

/* ------------------------------------------------------------------ an island */

/* rates of its components with the impulses as they are */
static void renew(const clv_impulse_problem *x, const int *points, int n)
{
    for (int i = 0; i < n; i++)
        for (int side = 0; side < 2; side++) {
            const clv_contact_part *part = &x->point[points[i]].part[side];
            if (part->component >= 0)
                memcpy(x->rates + part->first, x->free + part->first, (size_t)part->n * sizeof(double));
        }
    for (int i = 0; i < n; i++)
        act(x, points[i], x->P + 3 * (size_t)points[i]);
}

static void take(const clv_impulse_problem *x, const int *points, int n, double *to)
{
    for (int i = 0; i < n; i++)
        memcpy(to + 3 * i, x->P + 3 * (size_t)points[i], 3 * sizeof *to);
}

static void give(const clv_impulse_problem *x, const int *points, int n, const double *from)
{
    for (int i = 0; i < n; i++)
        memcpy(x->P + 3 * (size_t)points[i], from + 3 * i, 3 * sizeof *from);
}

static double dot(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* A c = b (n x n, symmetric, not negative) by Cholesky with a small ridge; b becomes c */
static void solve(double A[H][H], double *b, int n)
{
    for (int i = 0; i < n; i++) {
        A[i][i] *= 1 + RIDGE;
        for (int j = 0; j <= i; j++) {
            double sum = A[i][j];
            for (int k = 0; k < j; k++)
                sum -= A[i][k] * A[j][k];
            if (i == j)
                A[i][i] = sum > RIDGE * A[i][i] ? sqrt(sum) : INFINITY; /* dependent: left out */
            else
                A[i][j] = sum / A[j][j];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            b[i] -= A[i][k] * b[k];
        b[i] /= A[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            b[i] -= A[k][i] * b[k];
        b[i] /= A[i][i];
    }
}

/* What the last sweep changed, weighed; returns its norm. */
static double changed(const clv_impulse_problem *x, const int *points, int n, room *r)
{
    take(x, points, n, r->sweep);
    for (int i = 0; i < n; i++) {
        const double weight = sqrt(fmax(0, x->point[points[i]].W[0]));
        for (int c = 3 * i; c < 3 * i + 3; c++)
            r->change[c] = weight * (r->sweep[c] - r->before[c]);
    }
    return sqrt(dot(r->change, r->change, 3 * n));
}

static void remember(room *r, int n, double size)
{
    memcpy(r->old_change, r->change, (size_t)n * sizeof(double));
    memcpy(r->old_sweep, r->sweep, (size_t)n * sizeof(double));
    r->size = size;
}

/* Impulses along a direction across the normal that has no response, as in a planar mechanism, do nothing: they are
 * taken out of guesses, since they would use up friction. */
static void drop_idle(const clv_impulse_problem *x, const int *points, int n)
{
    for (int i = 0; i < n; i++) {
        double e[2], *P = x->P + 3 * (size_t)points[i];
        if (!clv_across_one(x->point[points[i]].W, e))
            continue;
        const double along = (P[1] * e[0] + P[2] * e[1]) / (e[0] * e[0] + e[1] * e[1]);
        P[1] = along * e[0], P[2] = along * e[1];
    }
}

/* P := the sweep less the combination of past sweeps whose change is the best fit to this one (T89.3) */
static void extrapolate(const clv_impulse_problem *x, const int *points, int n, room *r)
{
    const int rows = 3 * n;
    const int now = r->next;
    double A[H][H], c[H], *dc = r->changes + now * rows, *ds = r->sweeps + now * rows;
    for (int i = 0; i < rows; i++)
        dc[i] = r->change[i] - r->old_change[i], ds[i] = r->sweep[i] - r->old_sweep[i];
    r->next = (r->next + 1) % H;
    r->count = r->count < H ? r->count + 1 : H;
    for (int i = 0; i < r->count; i++) {
        c[i] = dot(r->changes + i * rows, r->change, rows);
        r->gram[H * now + i] = r->gram[H * i + now] = dot(r->changes + i * rows, dc, rows);
    }
    for (int i = 0; i < r->count; i++)
        memcpy(A[i], r->gram + H * i, (size_t)r->count * sizeof(double));
    solve(A, c, r->count);
    double *to = r->before; /* the next sweep writes it anew */
    memcpy(to, r->sweep, (size_t)rows * sizeof *to);
    for (int i = 0; i < r->count; i++)
        for (int k = 0; k < rows; k++)
            to[k] -= c[i] * r->sweeps[i * rows + k];
    for (int i = 0; i < n; i++)
        clv_impulse_admit(&x->point[points[i]], to + 3 * i);
    give(x, points, n, to);
    drop_idle(x, points, n);
    renew(x, points, n);
}

/* Is a jump worth its operations?  It takes the cube of its points, a sweep their product with the rates. */
static bool jump_pays(int n, int sweeps) { return n * n <= SWEEP * sweeps; }

/* P := what Newton's method finds (T107) */
static clv_active_end refine(const clv_impulse_problem *x, const int *points, int n, room *r)
{
    const clv_active_end end = clv_active_solve(&r->island, r->enough, r->jumps, r->before);
    if (end != CLV_ACTIVE_FAILED)
        give(x, points, n, r->before);
    return end;
}

/* The same after many sweeps: from solutions of pivots (T142). */
static clv_active_end turn_out(const clv_impulse_problem *x, const int *points, int n, room *r)
{
    clv_active_end end = CLV_ACTIVE_FAILED;
    for (int turn = 0; turn < TURNS && end != CLV_ACTIVE_SOLVED; turn++) {
        if (clv_pivot_solve(&r->island, turn, r->jumps, r->before))
            give(x, points, n, r->before);
        end = refine(x, points, n, r);
    }
    return end;
}

static bool jump(const clv_impulse_problem *x, const int *points, int n, int sweeps, room *r)
{
    if (!r->island.W) {
        if (!clv_island_fits(x, points, n))
            return false;
        clv_island_make(&r->island, x, points, n, r->matrix);
    }
    const bool alone = !r->failed || sweeps < CIRCLES;
    r->failed = true;
    if ((alone ? refine(x, points, n, r) : turn_out(x, points, n, r)) == CLV_ACTIVE_FAILED) {
        give(x, points, n, r->sweep);
        return false;
    }
    drop_idle(x, points, n);
    renew(x, points, n);
    r->count = r->next = 0;
    return true;
}

/* After a sweep whose change has this norm: extrapolates or jumps, or takes the last such guess back. */
static void next_guess(const clv_impulse_problem *x, const int *points, int n, double size, int sweeps, room *r)
{
    const bool first = sweeps == 1, worse = !first && (r->count > 0 || r->jumped) && !(size <= WORSE * r->size);
    if (r->jumped)
        r->wait = size <= 0.1 * r->size ? WAIT : 2 * r->wait, r->jump = sweeps + r->wait;
    if (worse) {
        give(x, points, n, r->old_sweep);
        renew(x, points, n);
        r->count = r->next = 0, r->jumped = false;
        return;
    }
    r->jumped = false;
    if (sweeps >= r->jump && jump_pays(n, sweeps)) {
        remember(r, 3 * n, size);
        r->jumped = jump(x, points, n, sweeps, r);
        if (r->jumped)
            return;
        r->wait *= 2, r->jump = sweeps + r->wait;
    }
    if (first || size <= 0.5 * r->best)
        r->best = size, r->since = 0;
    if (++r->since > STALE)
        r->best = size, r->since = 0, r->count = r->next = 0;
    else if (!first)
        extrapolate(x, points, n, r);
    remember(r, 3 * n, size);
}

/* m/s, change of a velocity that ends the iteration.  It is relative to the velocities without impulses, and for
 * rounding to the terms of their sums. */
static double nothing(const clv_impulse_problem *x, const int *points, int n)
{
    double most = 0, terms = 0;
    for (int i = 0; i < n; i++) {
        double U[3];
        const clv_contact_part *part = x->point[points[i]].part;
        velocity(x, points[i], x->free, U);
        most = fmax(most, fmax(fmax(fabs(U[0]), fabs(U[1])), fabs(U[2])));
        for (int side = 0; side < 2; side++)
            for (int c = 0; part[side].component >= 0 && c < part[side].n; c++)
                terms = fmax(terms, fabs(x->J[part[side].at + (size_t)c] * x->free[part[side].first + c]));
    }
    return fmax(SETTLED * most, ROUNDED * terms);
}

/* m/s, largest velocity that an impulse cancels */
static double cancelled(const clv_impulse_problem *x, const int *points, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, x->point[points[i]].W[0] * fabs(x->P[3 * (size_t)points[i]]));
    return most;
}

static int most_sweeps(const room *r) { return r->island.W ? MOST_JUMPED : MOST; }

static void solve_island(const clv_impulse_problem *x, const int *points, int n, clv_impulse_result *found)
{
    room r = room_of(x->scratch, 3 * n);
    int iterations = 0, near = 0;
    double last = INFINITY, tolerance = 0, settled = 0;
    const double least = nothing(x, points, n);
    drop_idle(x, points, n);
    renew(x, points, n);
    while (iterations < most_sweeps(&r) && !(last <= tolerance)) {
        last = 0;
        take(x, points, n, r.before);
        for (int i = 0; i < n; i++)
            last = fmax(last, press(x, points[i]));
        settled = fmax(least, SETTLED * cancelled(x, points, n));
        near += last <= JUMPED * settled;
        r.enough = settled;
        tolerance = settled * (r.jumped || near >= LONG ? JUMPED : 1);
        if (++iterations < most_sweeps(&r) && !(last <= tolerance))
            next_guess(x, points, n, changed(x, points, n, &r), iterations, &r);
    }
    renew(x, points, n); /* without the rounding of all changes */
    found->limited |= !(last <= tolerance);
    found->iterations = iterations > found->iterations ? iterations : found->iterations;
    found->residual = fmax(found->residual, last);
}

/* ------------------------------------------------------------------ islands */

static int root(int *of, int c)
{
    while (of[c] != c)
        c = of[c] = of[of[c]];
    return c;
}

/* of[c] (components) := the island of component c, in the order of their first points; returns how many */
static int number(const clv_impulse_problem *x, int *of)
{
    int islands = 0;
    for (int c = 0; c < x->components; c++)
        of[c] = c;
    for (int k = 0; k < x->points; k++) {
        const clv_contact_part *p = x->point[k].part;
        if (p[1].component >= 0)
            of[root(of, p[1].component)] = root(of, p[0].component);
    }
    for (int c = 0; c < x->components; c++)
        (void)root(of, c), of[c] = root(of, c);
    for (int k = 0; k < x->points; k++) {
        const int c = x->point[k].part[0].component, at = c < 0 || of[c] < 0 ? c : of[c];
        if (c >= 0 && of[at] >= 0)
            of[at] = -1 - islands++; /* at the root */
    }
    return islands;
}

static int island_of(const int *of, int component)
{
    return -1 - (of[component] < 0 ? of[component] : of[of[component]]);
}

/* Does an impulse at the point move anything? */
static bool moves(const clv_contact_point *p) { return p->part[0].component >= 0 && p->W[0] > 0; }

clv_impulse_result clv_impulses_find(const clv_impulse_problem *x)
{
    int *of = x->island, *start = of + x->components, *order = start + x->points + 1;
    clv_impulse_result found = {.islands = number(x, of)};
    memset(start, 0, (size_t)(found.islands + 1) * sizeof *start);
    for (int k = 0; k < x->points; k++)
        if (moves(&x->point[k]))
            start[island_of(of, x->point[k].part[0].component) + 1]++;
        else
            memset(x->P + 3 * (size_t)k, 0, 3 * sizeof *x->P);
    for (int i = 0; i < found.islands; i++)
        start[i + 1] += start[i];
    for (int k = 0; k < x->points; k++)
        if (moves(&x->point[k]))
            order[start[island_of(of, x->point[k].part[0].component)]++] = k;
    for (int i = 0, from = 0; i < found.islands; from = start[i++])
        solve_island(x, order + from, start[i] - from, &found);
    return found;
}
