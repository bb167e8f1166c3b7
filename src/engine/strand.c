/* SPDX-License-Identifier: Apache-2.0
 * Strands in lanes (T4), a lane source (engine/kernels.h): the articulated recursion from tip to base and the
 * substitution from base to tip, for eight congruent strands at once.  Inertia form; a strand with a port at its tip
 * carries six columns K for the wrench there:
 *
 *   inward   U = IA H,  Dm = H^T U + R,  N = U Dm^-1,  Ia = IA - N U^T,  shifted by S(r) to the parent
 *            w = H^T K,  K := S (K - N w),  L += w^T Dm^-1 w
 *            g = p - IA c,  s = tau + H^T g,  u0 = Dm^-1 s,  p := S (g - N s),  t += K^T c + w^T u0
 *   outward  x' = S^T x_A,  u = u0 - N^T x' + Dm^-1 w F,  x = x' + c + H u
 *
 * Padding (shorter strands, fewer degrees of freedom, a free base) has H = 0 and R = 1: a harmless unit part. */
#include "base/tolerance.h"
#include "engine/extra.h"
#include "engine/kernels.h"
#include "math/lane_row.h"

/* row and column of the 21 stored entries */
static const int ROW[21] = {0, 0, 0, 1, 1, 2, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5};
static const int COL[21] = {0, 1, 2, 1, 2, 2, 3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5, 4, 5, 5};

/* S I S^T: B' = B - A r~, C' = C + r~ B + (r~ B')^T ... with B'^T r~^T written out */
INLINE void shift_inertia(clv_w *I, const clv_w *r)
{
    /* A by rows in full, B by rows; C is changed in place at the end */
    clv_w A[9] = {I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5]}, B[9], X[9], Y[9];
    for (int i = 0; i < 9; i++)
        B[i] = I[6 + i];
    for (int j = 0; j < 3; j++) { /* X = r~ B, columns */
        X[j] = r[1] * B[6 + j] - r[2] * B[3 + j];
        X[3 + j] = r[2] * B[j] - r[0] * B[6 + j];
        X[6 + j] = r[0] * B[3 + j] - r[1] * B[j];
    }
    for (int i = 0; i < 3; i++) { /* B' = B - A r~, rows: a r~ = (a x r)^T */
        const clv_w *a = A + 3 * i;
        B[3 * i] -= a[1] * r[2] - a[2] * r[1];
        B[3 * i + 1] -= a[2] * r[0] - a[0] * r[2];
        B[3 * i + 2] -= a[0] * r[1] - a[1] * r[0];
    }
    for (int j = 0; j < 3; j++) { /* Y = r~ B', so that B'^T r~^T = Y^T */
        Y[j] = r[1] * B[6 + j] - r[2] * B[3 + j];
        Y[3 + j] = r[2] * B[j] - r[0] * B[6 + j];
        Y[6 + j] = r[0] * B[3 + j] - r[1] * B[j];
    }
    for (int i = 0; i < 9; i++)
        I[6 + i] = B[i];
    /* C' = C + (r~ B) + (r~ B')^T: its upper half */
    I[15] += X[0] + Y[0], I[16] += X[1] + Y[3], I[17] += X[2] + Y[6];
    I[18] += X[4] + Y[4], I[19] += X[5] + Y[7], I[20] += X[8] + Y[8];
}
/* y := Dm^-1 y with the stored factor: F[i (i+1)/2 + j] unit lower, inverse pivots on the diagonal */
INLINE void ldl_solve(const int f, const clv_w *F, clv_w *y)
{
    /* unit lower triangle, pivots, its transpose; loops of constant length, unrolled */
    for (int i = 1; i < f; i++)
        for (int j = 0; j < i; j++)
            y[i] -= F[i * (i + 1) / 2 + j] * y[j];
    for (int i = 0; i < f; i++)
        y[i] *= F[i * (i + 1) / 2 + i];
    for (int i = f - 1; i > 0; i--)
        for (int j = 0; j < i; j++)
            y[j] -= F[i * (i + 1) / 2 + j] * y[i];
}

typedef struct row { /* pointers of one row, at the strip's first lane */
    double *r, *I, *H, *N, *w, *R, *LD, *K, *b, *c, *tau, *u0, *x, *u;
} row;

/* Where the numbers of a row lie.  k: row of the plan; strip: first lane of the pass; K is NULL in groups without ports
 * at their tips */
static row row_at(const clv_engine *e, int k, int strip)
{
    const clv_plan *p = e->plan;
    size_t n = (size_t)k * G8, h = (size_t)p->row_H[k] * G8, s = (size_t)strip;
    return (row){e->r + 3 * n + s,
                 e->I + 21 * n + s,
                 e->H + 6 * h + s,
                 e->N + 6 * h + s,
                 e->w + 6 * h + s,
                 e->R + h + s,
                 e->LD + 6 * h + s,
                 e->row_K[k] < 0 ? NULL : e->K + 36 * (size_t)e->row_K[k] * G8 + s,
                 e->b + 6 * n + s,
                 e->c + 6 * n + s,
                 e->tau + h + s,
                 e->u0 + h + s,
                 e->x + 6 * n + s,
                 e->u + h + s};
}

/* What goes from a body to the one inboard: articulated-body inertia, tip columns, their compliance, force and motion
 * of the right-hand sides (T4.1 to T4.3).  Then 1 while all pivots are sound, and the least share of a pivot. */
typedef struct carry {
    clv_w I[21], K[36], L[21], p[6], t[6], ok, weak;
} carry;

/* T4.1, T4.2: one body of the inward factorization; f and columns are constants after inlining */
INLINE void factor_row(const int f, const int columns, const row *w, carry *s)
{
    /* inertia; free directions, U = IA H, N = U Dm^-1, six numbers a direction; Dm and its factor, lower triangles */
    clv_w I[21], H[36], U[36], N[36], D[21], F[21], r[3];
    load(I, w->I, 21);
    load(r, w->r, 3);
    /* T4.1: IA = I + what arrives from outboard; kept for the solve */
    for (int i = 0; i < 21; i++)
        I[i] += s->I[i];
    store(w->I, I, 21);
    if (columns)
        store(w->K, s->K, 36);
    load(H, w->H, 6 * f);
    /* U = IA H,  Dm = H^T U + R */
    for (int a = 0; a < f; a++)
        inertia_times(U + 6 * a, I, H + 6 * a);
    for (int a = 0; a < f; a++)
        for (int b = 0; b <= a; b++)
            D[a * (a + 1) / 2 + b] = dot6(H + 6 * a, U + 6 * b);
    for (int a = 0; a < f; a++)
        D[a * (a + 1) / 2 + a] += clv_w_load(w->R + a * G8);
    /* where a wrench at the tip can hold it, a joint may lack inertia of its own (extra.c) */
    const clv_w tiny = clv_w_fill(CLV_TOL_PIVOT), one = clv_w_fill(1.0);
    const clv_w shifts = I[0] + I[3] + I[5], turns = I[15] + I[18] + I[20];
    for (int a = 0; a < f; a++) { /* L D L^T; a pivot must stay above rounding of its diagonal */
        clv_w d = D[a * (a + 1) / 2 + a];
        const clv_w diagonal = d;
        for (int b = 0; b < a; b++) {
            clv_w x = D[a * (a + 1) / 2 + b];
            for (int c = 0; c < b; c++)
                x -= F[a * (a + 1) / 2 + c] * D[b * (b + 1) / 2 + c];
            D[a * (a + 1) / 2 + b] = x;                                /* L D        */
            F[a * (a + 1) / 2 + b] = x * F[b * (b + 1) / 2 + b];       /* unit lower */
            d -= x * F[a * (a + 1) / 2 + b];
        }
        s->ok *= clv_w_above(d, tiny * diagonal);
        /* and above a share of the inertia that its direction moves, where the strand may get extra inertia (T5) */
        if (columns) {
            const clv_w *h = H + 6 * a;
            s->ok *= clv_w_above(d, s->weak * ((h[0] * h[0] + h[1] * h[1] + h[2] * h[2]) * shifts +
                                            (h[3] * h[3] + h[4] * h[4] + h[5] * h[5]) * turns));
        }
        F[a * (a + 1) / 2 + a] = one / d;
    }
    store(w->LD, F, f * (f + 1) / 2);
    /* N = U Dm^-1,  Ia = IA - N U^T,  inboard S Ia S^T */
    for (int i = 0; i < 6; i++) {
        clv_w y[6];
        for (int a = 0; a < f; a++)
            y[a] = U[6 * a + i];
        ldl_solve(f, F, y);
        for (int a = 0; a < f; a++)
            N[6 * a + i] = y[a];
    }
    store(w->N, N, 6 * f);
    for (int k = 0; k < 21; k++)
        for (int a = 0; a < f; a++)
            I[k] -= N[6 * a + ROW[k]] * U[6 * a + COL[k]];
    shift_inertia(I, r);
    for (int k = 0; k < 21; k++)
        s->I[k] = I[k];
    if (columns) {
        /* T4.2: w = H^T K,  K := S (K - N w),  Lambda += w^T Dm^-1 w */
        clv_w W[36], V[36]; /* W = H^T K and V = Dm^-1 W, six columns of f numbers */
        for (int j = 0; j < 6; j++) {
            for (int a = 0; a < f; a++)
                V[6 * j + a] = W[6 * j + a] = dot6(H + 6 * a, s->K + 6 * j);
            ldl_solve(f, F, V + 6 * j);
            for (int a = 0; a < f; a++) {
                clv_w_store(w->w + (6 * a + j) * G8, W[6 * j + a]);
                for (int i = 0; i < 6; i++)
                    s->K[6 * j + i] -= N[6 * a + i] * W[6 * j + a];
            }
        }
        for (int k = 0; k < 21; k++)
            for (int a = 0; a < f; a++)
                s->L[k] += V[6 * ROW[k] + a] * W[6 * COL[k] + a];
        for (int j = 0; j < 6; j++)
            shift(s->K + 6 * j, r);
    }
}

/* T4.3: one body of the inward solve */
INLINE void inward_row(const int f, const int columns, const row *w, carry *s)
{
    clv_w p[6], c[6], y[6], I[21], H[36], N[36], F[21], q[6], r[3];
    load(p, w->b, 6);
    load(c, w->c, 6);
    load(I, w->I, 21);
    load(r, w->r, 3);
    load(H, w->H, 6 * f);
    load(N, w->N, 6 * f);
    load(F, w->LD, f * (f + 1) / 2);
    /* g = p - IA c,  s = tau + H^T g; p has arrived from outboard, b is the body's own load */
    inertia_times(y, I, c);
    for (int i = 0; i < 6; i++)
        p[i] += s->p[i] - y[i];
    for (int a = 0; a < f; a++)
        q[a] = clv_w_load(w->tau + a * G8) + dot6(H + 6 * a, p);
    /* p := g - N s,  u0 = Dm^-1 s,  t += K^T c + w^T u0 */
    for (int a = 0; a < f; a++)
        for (int i = 0; i < 6; i++)
            p[i] -= N[6 * a + i] * q[a];
    ldl_solve(f, F, q);
    store(w->u0, q, f);
    if (columns)
        for (int j = 0; j < 6; j++) {
            clv_w k[6];
            load(k, w->K + 6 * j * G8, 6);
            s->t[j] += dot6(k, c);
            for (int a = 0; a < f; a++)
                s->t[j] += clv_w_load(w->w + (6 * a + j) * G8) * q[a];
        }
    shift(p, r);
    for (int i = 0; i < 6; i++)
        s->p[i] = p[i];
}

/* T4.4: one body of the way outward */
INLINE void outward_row(const int f, const int columns, const row *w, clv_w *x, const clv_w *T)
{
    clv_w r[3], H[36], N[36], q[6];
    load(r, w->r, 3);
    load(H, w->H, 6 * f);
    load(N, w->N, 6 * f);
    /* x' = S^T x_A */
    x[0] += x[4] * r[2] - x[5] * r[1];
    x[1] += x[5] * r[0] - x[3] * r[2];
    x[2] += x[3] * r[1] - x[4] * r[0];
    if (columns) { /* Dm^-1 w F: what the wrench at the tip adds */
        clv_w F[21];
        load(F, w->LD, f * (f + 1) / 2);
        for (int a = 0; a < f; a++) {
            clv_w k[6];
            load(k, w->w + 6 * a * G8, 6);
            q[a] = dot6(k, T);
        }
        ldl_solve(f, F, q);
    } else
        for (int a = 0; a < f; a++)
            q[a] = clv_w_fill(0.0);
    /* u = u0 - N^T x' + .., x = x' + c + H u */
    for (int a = 0; a < f; a++)
        q[a] += clv_w_load(w->u0 + a * G8) - dot6(N + 6 * a, x);
    store(w->u, q, f);
    for (int i = 0; i < 6; i++)
        x[i] += clv_w_load(w->c + i * G8);
    for (int a = 0; a < f; a++)
        for (int i = 0; i < 6; i++)
            x[i] += H[6 * a + i] * q[a];
    store(w->x, x, 6);
}

/* One function per number of degrees of freedom and kind of strand, so that both are constants inside. */
#define KERNELS(f, c)                                                                                                 \
    static void factor_##f##c(const row *w, carry *s) { factor_row(f, c, w, s); }                                     \
    static void inward_##f##c(const row *w, carry *s) { inward_row(f, c, w, s); }                                     \
    static void outward_##f##c(const row *w, clv_w *x, const clv_w *T) { outward_row(f, c, w, x, T); }
#define EACH_FREEDOM(X, c) X(0, c) X(1, c) X(2, c) X(3, c) X(4, c) X(5, c) X(6, c)
EACH_FREEDOM(KERNELS, 0)
EACH_FREEDOM(KERNELS, 1)

#define LIST(kernel, c)                                                                                               \
    {kernel##_0##c, kernel##_1##c, kernel##_2##c, kernel##_3##c, kernel##_4##c, kernel##_5##c, kernel##_6##c}
static void (*const FACTOR[2][7])(const row *, carry *) = {LIST(factor, 0), LIST(factor, 1)};
static void (*const INWARD[2][7])(const row *, carry *) = {LIST(inward, 0), LIST(inward, 1)};
static void (*const OUTWARD[2][7])(const row *, clv_w *, const clv_w *) = {LIST(outward, 0), LIST(outward, 1)};

/* passes of a kernel over a group: lanes beyond its strands are left out where a whole strip is */
static int strips(const clv_group *g) { return (g->nstrand + CLV_LANES - 1) / CLV_LANES; }

/* do strands of the strip from this lane on have columns? */
static bool has_columns(const clv_group *g, int lane) { return lane < g->ncolumns; }

/* T4.1, T4.2 of the strands of a group, from their tips to their bases: what they show inboard goes to `out`, what the
 * solve needs stays in the rows. */
void CLV_LANE(clv_strand_factor)(clv_engine *e, const clv_group *g)
{
    const clv_strand_out *o = &e->out[g - e->plan->group];
    for (int k = 0; k < strips(g); k++) {
        int lane = k * CLV_LANES;
        carry s;
        for (int i = 0; i < 21; i++)
            s.I[i] = s.L[i] = clv_w_fill(0.0);
        /* at the tip K = 1: its wrench acts there as it is */
        for (int i = 0; i < 36; i++)
            s.K[i] = clv_w_fill(i % 7 == 0 ? 1.0 : 0.0);
        s.ok = clv_w_fill(1.0), s.weak = clv_w_load(o->weak + lane);
        for (int i = g->nrow - 1; i >= 0; i--) {
            row w = row_at(e, g->row + i, lane);
            FACTOR[has_columns(g, lane)][e->plan->row_f[g->row + i]](&w, &s);
        }
        store(o->I + lane, s.I, 21);
        store(o->ok + lane, &s.ok, 1);
        if (has_columns(g, lane))
            store(o->K + lane, s.K, 36), store(o->L + lane, s.L, 21);
    }
}

/* T4.3 of the strands of a group: p and t that they show at their bases and tips. */
void CLV_LANE(clv_strand_inward)(clv_engine *e, const clv_group *g)
{
    const clv_strand_out *o = &e->out[g - e->plan->group];
    for (int k = 0; k < strips(g); k++) {
        int lane = k * CLV_LANES;
        carry s;
        for (int i = 0; i < 6; i++)
            s.p[i] = s.t[i] = clv_w_fill(0.0);
        for (int i = g->nrow - 1; i >= 0; i--) {
            row w = row_at(e, g->row + i, lane);
            INWARD[has_columns(g, lane)][e->plan->row_f[g->row + i]](&w, &s);
        }
        store(o->p + lane, s.p, 6);
        if (has_columns(g, lane))
            store(o->t + lane, s.t, 6);
    }
}

/* T4.4 of the strands of a group, from the motion of their bases and the wrenches at their tips in `out`. */
void CLV_LANE(clv_strand_outward)(clv_engine *e, const clv_group *g)
{
    const clv_strand_out *o = &e->out[g - e->plan->group];
    for (int k = 0; k < strips(g); k++) {
        int lane = k * CLV_LANES;
        /* the motion of the base and the wrench at the tip go with the strand from row to row */
        clv_w x[6], T[6];
        load(x, o->x + lane, 6);
        load(T, o->F + lane, 6);
        for (int i = 0; i < g->nrow; i++) {
            row w = row_at(e, g->row + i, lane);
            OUTWARD[has_columns(g, lane)][e->plan->row_f[g->row + i]](&w, x, T);
        }
    }
}
