/* SPDX-License-Identifier: Apache-2.0
 * A lane source: strands whose joints have a compliance on every row (compliant.h, T23.8).  The recursion of strand.c,
 * T4, one direction of a joint after the other:
 *
 *   factor   U = I T,  kappa = T^T U,  d = kappa + w,  N = U / d,  I := I - N U^T
 *            y = T^T K,  K := K - N y,  L += y^T y / d                          columns of a wrench at the tip
 *   inward   h = T^T p,  q = w a + h,  u0 = q / d,  p := p - N q,  t += y u0
 *   outward  v = N^T x,  u = u0 - v + y F / d,  x := x + T u,  sigma = w / d (kappa a - h + d v - y F)
 *
 * T is one direction (6), U, N, K are columns, kappa, d, w, a, h, u are numbers of this direction.  I is the inertia of
 * all that is outboard, p its load, K and L motions of the base and of the tip under a wrench F at the tip.  After its
 * six directions a body's I, p, K go to the joint's point of the body inboard.
 * sigma is w (a - u) without the difference of nearly equal numbers.  Where w is large beside kappa a direction takes
 * part in w / d of its right-hand side, and errors of w a in q are as small in p as those of a.  Padding has T = 0 and
 * w = 1. */
#include "base/tolerance.h"
#include "engine/compliant.h"
#include "engine/kernels.h"
#include "math/lane_row.h"

enum { NDIR = CLV_DIRECTIONS };
/* row and column of the 21 stored entries */
static const int ROW[21] = {0, 0, 0, 1, 1, 2, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5};
static const int COL[21] = {0, 1, 2, 1, 2, 2, 3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5, 4, 5, 5};

/* S I S^T as in strand.c */
INLINE void shift_inertia(clv_w *I, const clv_w *r)
{
    static const int full[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    clv_w *B = I + 6, *C = I + 15, X[9], Y[9];
    for (int j = 0; j < 3; j++) { /* X = r~ B */
        X[j] = r[1] * B[6 + j] - r[2] * B[3 + j];
        X[3 + j] = r[2] * B[j] - r[0] * B[6 + j];
        X[6 + j] = r[0] * B[3 + j] - r[1] * B[j];
    }
    for (int i = 0; i < 3; i++) { /* B' = B - A r~ */
        const clv_w a0 = I[full[3 * i]], a1 = I[full[3 * i + 1]], a2 = I[full[3 * i + 2]];
        B[3 * i] -= a1 * r[2] - a2 * r[1];
        B[3 * i + 1] -= a2 * r[0] - a0 * r[2];
        B[3 * i + 2] -= a0 * r[1] - a1 * r[0];
    }
    for (int j = 0; j < 3; j++) { /* Y = r~ B' */
        Y[j] = r[1] * B[6 + j] - r[2] * B[3 + j];
        Y[3 + j] = r[2] * B[j] - r[0] * B[6 + j];
        Y[6 + j] = r[0] * B[3 + j] - r[1] * B[j];
    }
    C[0] += X[0] + Y[0], C[1] += X[1] + Y[3], C[2] += X[2] + Y[6];
    C[3] += X[4] + Y[4], C[4] += X[5] + Y[7], C[5] += X[8] + Y[8];
}

/* what goes from a body to the one inboard, as in strand.c */
typedef struct carry {
    clv_w I[21], K[36], L[21], p[6], t[6], ok;
} carry;

/* inertia along T by which a lack of it is judged */
INLINE clv_w typical(const clv_w *I, const clv_w *T)
{
    return T[0] * T[0] * I[0] + T[1] * T[1] * I[3] + T[2] * T[2] * I[5] +
           (T[3] * T[3] * I[15] + T[4] * T[4] * I[18] + T[5] * T[5] * I[20]);
}

INLINE void eliminate(carry *s, const clv_compliant *c, int row, int lane, int k, const int columns)
{
    clv_w T[6], U[6], N[6], y[6], v[6];
    const clv_w w = clv_w_load(row_of(c->w, NDIR, row, lane) + k * G8), tiny = clv_w_fill(CLV_TOL_PIVOT);
    /* T23.8: d = kappa + w along direction k; the inertia is judged by its own size along T */
    load(T, row_of(c->T, 36, row, lane) + 6 * k * G8, 6);
    inertia_times(U, s->I, T);
    const clv_w kappa = dot6(T, U), d = kappa + w, inverse = clv_w_fill(1.0) / d;
    s->ok *= clv_w_above(d, tiny * typical(s->I, T));
    /* I := I - N U^T */
    for (int i = 0; i < 6; i++)
        N[i] = U[i] * inverse;
    for (int i = 0; i < 21; i++)
        s->I[i] -= N[ROW[i]] * U[COL[i]];
    store(row_of(c->N, 36, row, lane) + 6 * k * G8, N, 6);
    clv_w_store(row_of(c->inverse, NDIR, row, lane) + k * G8, inverse);
    clv_w_store(row_of(c->kappa, NDIR, row, lane) + k * G8, kappa);
    if (!columns)
        return;
    /* columns of the wrench at the tip, where a node needs them */
    for (int j = 0; j < 6; j++)
        y[j] = dot6(T, s->K + 6 * j), v[j] = y[j] * inverse;
    store(row_of(c->Kh, 36, row, lane) + 6 * k * G8, y, 6);
    for (int i = 0; i < 21; i++)
        s->L[i] += v[ROW[i]] * y[COL[i]];
    for (int j = 0; j < 6; j++)
        for (int i = 0; i < 6; i++)
            s->K[6 * j + i] -= N[i] * y[j];
}

INLINE void factor_row(carry *s, const clv_compliant *c, int row, int lane, const int columns)
{
    const clv_w m = clv_w_load(row_of(c->mass, 1, row, lane));
    clv_w J[6], r[3];
    load(J, row_of(c->J, 6, row, lane), 6), load(r, row_of(c->r, 3, row, lane), 3);
    s->I[0] += m, s->I[3] += m, s->I[5] += m;
    for (int i = 0; i < 6; i++)
        s->I[15 + i] += J[i];
    /* inertia of the limbs that are attached to bodies of this row */
    for (int i = 0; c->limb[row] >= 0 && i < 21; i++)
        s->I[i] += clv_w_load(row_of(c->limb_I, 21, c->limb[row], lane) + i * G8);
    /* all six directions are eliminated: each has a stiffness or a unit */
    for (int k = 0; k < NDIR; k++)
        eliminate(s, c, row, lane, k, columns);
    /* to the point of the joint inboard */
    shift_inertia(s->I, r);
    for (int j = 0; columns && j < 6; j++)
        shift(s->K + 6 * j, r);
}

INLINE void factor_strip(const clv_compliant *c, const clv_group *g, const clv_strand_out *o, int lane,
                         const int columns)
{
    carry s;
    for (int i = 0; i < 21; i++)
        s.I[i] = s.L[i] = clv_w_fill(0.0);
    /* at the tip the wrench is itself: K = 1, L = 0 */
    for (int i = 0; i < 36; i++)
        s.K[i] = clv_w_fill(i % 7 == 0 ? 1.0 : 0.0);
    s.ok = clv_w_fill(1.0);
    for (int i = g->row + g->nrow - 1; i >= g->row; i--)
        factor_row(&s, c, i, lane, columns);
    store(o->I + lane, s.I, 21), store(o->ok + lane, &s.ok, 1);
    if (columns)
        store(o->K + lane, s.K, 36), store(o->L + lane, s.L, 21);
}

void CLV_LANE(clv_compliant_factor)(clv_compliant *c, const clv_group *g)
{
    const clv_strand_out *o = &c->engine.out[g - c->engine.plan->group];
    for (int lane = 0; lane < g->nstrand; lane += CLV_LANES)
        if (lane < g->ncolumns)
            factor_strip(c, g, o, lane, 1);
        else
            factor_strip(c, g, o, lane, 0);
}

INLINE void inward_row(carry *s, const clv_compliant *c, int row, int lane, const int columns, const int loaded)
{
    clv_w r[3];
    load(r, row_of(c->r, 3, row, lane), 3);
    for (int i = 0; loaded && i < 6; i++)
        s->p[i] += clv_w_load(row_of(c->b, 6, row, lane) + i * G8);
    for (int i = 0; c->limb[row] >= 0 && i < 6; i++)
        s->p[i] += clv_w_load(row_of(c->limb_p, 6, c->limb[row], lane) + i * G8);
    /* in the order of the factor */
    for (int k = 0; k < NDIR; k++) {
        clv_w T[6], N[6];
        load(T, row_of(c->T, 36, row, lane) + 6 * k * G8, 6), load(N, row_of(c->N, 36, row, lane) + 6 * k * G8, 6);
        const clv_w w = clv_w_load(row_of(c->w, NDIR, row, lane) + k * G8);
        const clv_w h = dot6(T, s->p), q = w * clv_w_load(row_of(c->a, NDIR, row, lane) + k * G8) + h;
        const clv_w u0 = q * clv_w_load(row_of(c->inverse, NDIR, row, lane) + k * G8);
        clv_w_store(row_of(c->h, NDIR, row, lane) + k * G8, h);
        clv_w_store(row_of(c->u0, NDIR, row, lane) + k * G8, u0);
        for (int i = 0; i < 6; i++)
            s->p[i] -= N[i] * q;
        for (int j = 0; columns && j < 6; j++)
            s->t[j] += clv_w_load(row_of(c->Kh, 36, row, lane) + (6 * k + j) * G8) * u0;
    }
    shift(s->p, r);
}

INLINE void inward_strip(const clv_compliant *c, const clv_group *g, const clv_strand_out *o, int lane,
                         const int columns, const int loaded)
{
    carry s;
    for (int i = 0; i < 6; i++)
        s.p[i] = s.t[i] = clv_w_fill(0.0);
    for (int i = g->row + g->nrow - 1; i >= g->row; i--)
        inward_row(&s, c, i, lane, columns, loaded);
    store(o->p + lane, s.p, 6);
    if (columns)
        store(o->t + lane, s.t, 6);
}

void CLV_LANE(clv_compliant_inward)(clv_compliant *c, const clv_group *g, bool loaded)
{
    const clv_strand_out *o = &c->engine.out[g - c->engine.plan->group];
    for (int lane = 0; lane < g->nstrand; lane += CLV_LANES)
        if (lane < g->ncolumns && loaded)
            inward_strip(c, g, o, lane, 1, 1);
        else if (lane < g->ncolumns)
            inward_strip(c, g, o, lane, 1, 0);
        else if (loaded)
            inward_strip(c, g, o, lane, 0, 1);
        else
            inward_strip(c, g, o, lane, 0, 0);
}

INLINE void outward_row(const clv_compliant *c, int row, int lane, clv_w *x, const clv_w *F, const int columns)
{
    const clv_w none = clv_w_fill(0.0);
    clv_w r[3];
    load(r, row_of(c->r, 3, row, lane), 3);
    /* motion of the body inboard at this body's point, S^T x */
    x[0] += x[4] * r[2] - x[5] * r[1];
    x[1] += x[5] * r[0] - x[3] * r[2];
    x[2] += x[3] * r[1] - x[4] * r[0];
    /* in the reverse order: direction k sees the motion along those after it */
    for (int k = NDIR - 1; k >= 0; k--) {
        clv_w T[6], N[6], y[6];
        load(T, row_of(c->T, 36, row, lane) + 6 * k * G8, 6), load(N, row_of(c->N, 36, row, lane) + 6 * k * G8, 6);
        if (columns)
            load(y, row_of(c->Kh, 36, row, lane) + 6 * k * G8, 6);
        const clv_w w = clv_w_load(row_of(c->w, NDIR, row, lane) + k * G8);
        const clv_w inverse = clv_w_load(row_of(c->inverse, NDIR, row, lane) + k * G8);
        const clv_w kappa = clv_w_load(row_of(c->kappa, NDIR, row, lane) + k * G8);
        const clv_w a = clv_w_load(row_of(c->a, NDIR, row, lane) + k * G8);
        const clv_w h = clv_w_load(row_of(c->h, NDIR, row, lane) + k * G8);
        const clv_w v = dot6(N, x), f = columns ? dot6(y, F) : none;
        const clv_w u = clv_w_load(row_of(c->u0, NDIR, row, lane) + k * G8) - v + f * inverse;
        clv_w_store(row_of(c->sigma, NDIR, row, lane) + k * G8,
                    w * inverse * (kappa * a - h + (kappa + w) * v - f));
        for (int i = 0; i < 6; i++)
            x[i] += T[i] * u;
    }
    store(row_of(c->x, 6, row, lane), x, 6);
}

INLINE void outward_strip(const clv_compliant *c, const clv_group *g, const clv_strand_out *o, int lane,
                          const int columns)
{
    clv_w x[6], F[6];
    load(x, o->x + lane, 6), load(F, o->F + lane, 6);
    for (int i = g->row; i < g->row + g->nrow; i++)
        outward_row(c, i, lane, x, F, columns);
}

void CLV_LANE(clv_compliant_outward)(clv_compliant *c, const clv_group *g)
{
    const clv_strand_out *o = &c->engine.out[g - c->engine.plan->group];
    for (int lane = 0; lane < g->nstrand; lane += CLV_LANES)
        if (lane < g->ncolumns)
            outward_strip(c, g, o, lane, 1);
        else
            outward_strip(c, g, o, lane, 0);
}
