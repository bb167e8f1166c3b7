/* SPDX-License-Identifier: Apache-2.0
 * Factor and solve of strands whose joints have one degree of freedom, in lanes (T4, T43): up with the articulated
 * recursion of eight strands at once, down with the substitution.  H = [beta h; alpha h].
 *
 *   up    U = IA H,  d = H^T U,  N = U / d,  Ia = IA - N U^T,  shifted to the joint before
 *         w = H^T K,  K := K - N w,  L += w^T w / d                  columns of a wrench at the tip
 *         g = p - IA c,  s = tau + H^T g,  u0 = s / d,  p := g - N s,  t += K^T c + w^T u0
 *   down  x := S^T x,  u = u0 - N^T x + w F / d,  x := x + c + H u
 *
 * Rows without degree of freedom only add and translate.  Padding has H = 0 and a unit in the place of d.  A prescribed
 * joint has its rate or acceleration as a bias, c = H known, and is not eliminated.  With a unit in the place of d and
 * N = U, the formula for u gives minus the force of its drive, -H^T f. */
#include "kinematics/row_lane.h"

typedef struct climb {
    clv_w A[6], B[9], C[6], K[36], L[21], p[6], t[6], ok, weak;
    clv_w trace[2];
} climb;

/* y = I x */
INLINE void times(clv_w *y, const climb *s, const clv_w *x) { blocks_times(y, s->A, s->B, s->C, x); }

/* I [0; h] */
INLINE void times_turn(clv_w *y, const climb *s, const clv_w *h)
{
    const clv_w *B = s->B, *C = s->C;
    y[0] = B[0] * h[0] + B[1] * h[1] + B[2] * h[2];
    y[1] = B[3] * h[0] + B[4] * h[1] + B[5] * h[2];
    y[2] = B[6] * h[0] + B[7] * h[1] + B[8] * h[2];
    y[3] = C[0] * h[0] + C[1] * h[1] + C[2] * h[2];
    y[4] = C[1] * h[0] + C[3] * h[1] + C[4] * h[2];
    y[5] = C[2] * h[0] + C[4] * h[1] + C[5] * h[2];
}

/* I += rigid body */
INLINE void add_body(climb *s, clv_w m, const clv_w *c, const clv_w *J)
{
    s->A[0] += m, s->A[3] += m, s->A[5] += m;
    s->B[1] += c[2], s->B[2] -= c[1], s->B[3] -= c[2], s->B[5] += c[0], s->B[6] += c[1], s->B[7] -= c[0];
    for (int i = 0; i < 6; i++)
        s->C[i] += J[i];
}

/* S I S^T */
INLINE void shift_inertia(climb *s, const clv_w *r)
{
    const clv_w *A = s->A;
    clv_w *B = s->B, *C = s->C;
    clv_w X[9], Y[9];
    for (int j = 0; j < 3; j++) { /* X = r~ B, columns */
        X[j] = r[1] * B[6 + j] - r[2] * B[3 + j];
        X[3 + j] = r[2] * B[j] - r[0] * B[6 + j];
        X[6 + j] = r[0] * B[3 + j] - r[1] * B[j];
    }
    static const int full[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    for (int i = 0; i < 3; i++) { /* B' = B - A r~, rows: a r~ = (a x r)^T */
        const clv_w a0 = A[full[3 * i]], a1 = A[full[3 * i + 1]], a2 = A[full[3 * i + 2]];
        B[3 * i] -= a1 * r[2] - a2 * r[1];
        B[3 * i + 1] -= a2 * r[0] - a0 * r[2];
        B[3 * i + 2] -= a0 * r[1] - a1 * r[0];
    }
    for (int j = 0; j < 3; j++) { /* Y = r~ B', so that B'^T r~^T = Y^T */
        Y[j] = r[1] * B[6 + j] - r[2] * B[3 + j];
        Y[3 + j] = r[2] * B[j] - r[0] * B[6 + j];
        Y[6 + j] = r[0] * B[3 + j] - r[1] * B[j];
    }
    C[0] += X[0] + Y[0], C[1] += X[1] + Y[3], C[2] += X[2] + Y[6];
    C[3] += X[4] + Y[4], C[4] += X[5] + Y[7], C[5] += X[8] + Y[8];
}

/* H = [beta h; alpha h]; the row has alpha h where nothing translates */
INLINE void load_direction(clv_w *H, const clv_rows *w, int row, int lane, const int shifts)
{
    load(H + 3, row_of(w->h, 3, row, lane), 3);
    if (!shifts)
        return;
    const clv_w alpha = clv_w_load(row_of(w->alpha, 1, row, lane)), beta = clv_w_load(row_of(w->beta, 1, row, lane));
    for (int i = 0; i < 3; i++)
        H[i] = beta * H[3 + i], H[3 + i] = alpha * H[3 + i];
}

/* inertia along H by which a lack of it is judged: by the traces, in joints of several rows before the first of them
 * is eliminated */
INLINE clv_w typical(climb *s, const clv_w *H, const clv_rows *w, int row, int lane, const int flags, const int shifts)
{
    clv_w turns = s->C[0] + s->C[3] + s->C[5], moves = shifts ? s->A[0] + s->A[3] + s->A[5] : clv_w_fill(0.0);
    if (flags & CLV_ROW_SEVERAL) {
        const clv_w keep = clv_w_load(row_of(w->same, 1, row + 1, lane)), now = clv_w_fill(1.0) - keep;
        moves = s->A[0] + s->A[3] + s->A[5];
        moves = s->trace[0] = keep * s->trace[0] + now * moves;
        turns = s->trace[1] = keep * s->trace[1] + now * turns;
    }
    return shifts ? dot(H + 3, H + 3) * turns + dot(H, H) * moves : dot(H + 3, H + 3) * turns;
}

/* adds to the right-hand sides what a prescribed joint does: c = H known */
INLINE void add_known(climb *s, const clv_rows *w, int row, int lane, const int columns, const int shifts)
{
    const clv_w known = clv_w_load(row_of(w->known, 1, row, lane));
    clv_w c[6], y[6];
    load_direction(c, w, row, lane, shifts);
    for (int i = 0; i < 6; i++)
        c[i] = i < 3 && !shifts ? clv_w_fill(0.0) : c[i] * known;
    times(y, s, c);
    for (int i = 0; i < 6; i++)
        s->p[i] -= y[i];
    for (int j = 0; columns && j < 6; j++)
        s->t[j] += dot6(s->K + 6 * j, c);
}

/* one joint with a degree of freedom, of the articulated-body inertia at hand */
INLINE void eliminate(climb *s, const clv_rows *w, int row, int lane, const int flags, const int columns,
                      const int shifts)
{
    const clv_w pad = clv_w_load(row_of(w->pad, 1, row, lane)), tau = clv_w_load(row_of(w->tau, 1, row, lane));
    clv_w H[6], U[6], N[6], d, q;
    load_direction(H, w, row, lane, shifts);
    if (shifts)
        times(U, s, H), d = dot6(H, U), q = tau + dot6(H, s->p);
    else
        times_turn(U, s, H + 3), d = dot(H + 3, U + 3), q = tau + dot(H + 3, s->p + 3);
    clv_w size = typical(s, H, w, row, lane, flags, shifts);
    const clv_w free = clv_w_fill(1.0) - pad; /* a prescribed joint is not eliminated: d = 1 */
    if (flags & CLV_ROW_DRIVEN)
        d *= free, size *= free;
    d += pad, size += pad;
    if (flags & CLV_ROW_STIFF)
        d += clv_w_load(row_of(w->stiff, 1, row, lane));
    const clv_w sound = clv_w_above(d, s->weak * size);
    s->ok *= sound;
    if (columns && w->lacking) /* which joints need extra inertia */
        clv_w_store(row_of(w->sound, 1, row, lane), sound);
    clv_w id = clv_w_fill(1.0) / d, u0 = q * id;
    for (int i = 0; i < 6; i++)
        N[i] = U[i] * id;
    store(row_of(w->N, 6, row, lane), N, 6), store(row_of(w->inverse, 1, row, lane), &id, 1);
    store(row_of(w->u0, 1, row, lane), &u0, 1);
    if (flags & CLV_ROW_DRIVEN) {
        id *= free, u0 *= free;
        for (int i = 0; i < 6; i++)
            N[i] *= free;
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            s->B[3 * i + j] -= N[i] * U[3 + j];
    s->A[0] -= N[0] * U[0], s->A[1] -= N[0] * U[1], s->A[2] -= N[0] * U[2];
    s->A[3] -= N[1] * U[1], s->A[4] -= N[1] * U[2], s->A[5] -= N[2] * U[2];
    s->C[0] -= N[3] * U[3], s->C[1] -= N[3] * U[4], s->C[2] -= N[3] * U[5];
    s->C[3] -= N[4] * U[4], s->C[4] -= N[4] * U[5], s->C[5] -= N[5] * U[5];
    for (int i = 0; i < 6; i++)
        s->p[i] -= N[i] * q;
    if (!columns)
        return;
    clv_w y[6], v[6];
    for (int j = 0; j < 6; j++) {
        y[j] = shifts ? dot6(H, s->K + 6 * j) : dot(H + 3, s->K + 6 * j + 3);
        v[j] = y[j] * id;
        s->t[j] += y[j] * u0;
    }
    store(row_of(w->Kh, 6, row, lane), y, 6);
    clv_w *L = s->L; /* written out: a loop over 21 numbers would not be unrolled */
    L[0] += v[0] * y[0], L[1] += v[0] * y[1], L[2] += v[0] * y[2];
    L[3] += v[1] * y[1], L[4] += v[1] * y[2], L[5] += v[2] * y[2];
    L[6] += v[0] * y[3], L[7] += v[0] * y[4], L[8] += v[0] * y[5];
    L[9] += v[1] * y[3], L[10] += v[1] * y[4], L[11] += v[1] * y[5];
    L[12] += v[2] * y[3], L[13] += v[2] * y[4], L[14] += v[2] * y[5];
    L[15] += v[3] * y[3], L[16] += v[3] * y[4], L[17] += v[3] * y[5];
    L[18] += v[4] * y[4], L[19] += v[4] * y[5], L[20] += v[5] * y[5];
    for (int j = 0; j < 6; j++)
        for (int i = 0; i < 6; i++)
            s->K[6 * j + i] -= N[i] * y[j];
}

/* what limbs, loads and joints between strands bring to a row */
INLINE void add_attached(climb *s, const clv_rows *w, int at, int lane)
{
    const double *I = row_of(w->I, 21, at, lane), *Q = row_of(w->Q, 6, at, lane);
    for (int i = 0; i < 6; i++)
        s->A[i] += clv_w_load(I + i * G8), s->C[i] += clv_w_load(I + (15 + i) * G8), s->p[i] += clv_w_load(Q + i * G8);
    for (int i = 0; i < 9; i++)
        s->B[i] += clv_w_load(I + (6 + i) * G8);
}

INLINE void up_row(climb *s, const clv_rows *w, int row, int lane, const int flags, const int columns, const int biased,
                   const int shifts)
{
    clv_w c[3], J[6], r[3];
    if (flags & CLV_ROW_MASS) {
        load(c, row_of(w->c, 3, row, lane), 3), load(J, row_of(w->J, 6, row, lane), 6);
        add_body(s, clv_w_load(row_of(w->body, 10, row, lane)), c, J);
    }
    if (w->attached[row] >= 0)
        add_attached(s, w, w->attached[row], lane);
    if (biased) {
        clv_w b[6], bias[6], y[6];
        load(b, row_of(w->b, 6, row, lane), 6), load(bias, row_of(w->bias, 6, row, lane), 6);
        times(y, s, bias);
        for (int i = 0; i < 6; i++)
            s->p[i] += b[i] - y[i]; /* b is 0 where no mass is */
        for (int j = 0; columns && j < 6; j++)
            s->t[j] += dot6(s->K + 6 * j, bias);
    }
    if (flags & CLV_ROW_DRIVEN)
        add_known(s, w, row, lane, columns, shifts);
    if (flags & (CLV_ROW_FREE | CLV_ROW_DRIVEN))
        eliminate(s, w, row, lane, flags, columns, shifts);
    if (!(flags & CLV_ROW_ARM))
        return;
    load(r, row_of(w->r, 3, row, lane), 3);
    shift_inertia(s, r);
    shift(s->p, r);
    for (int j = 0; columns && j < 6; j++)
        shift(s->K + 6 * j, r);
}

INLINE void up_strip(const clv_rows *w, int g, const clv_strand_out *o, int lane, const int columns, const int biased)
{
    const clv_w zero = clv_w_fill(0.0), one = clv_w_fill(1.0);
    climb s;
    for (int i = 0; i < 6; i++)
        s.A[i] = s.C[i] = s.p[i] = s.t[i] = zero;
    for (int i = 0; i < 9; i++)
        s.B[i] = zero;
    for (int i = 0; i < 21; i++)
        s.L[i] = zero;
    for (int i = 0; i < 36; i++)
        s.K[i] = i % 7 == 0 ? one : zero;
    s.ok = one, s.weak = clv_w_load(w->end[g].weak + lane), s.trace[0] = s.trace[1] = zero;
    for (int i = w->first[g + 1] - 1; i >= w->first[g]; i--)
        if (w->flags[i] == CLV_ROW_PLAIN)
            up_row(&s, w, i, lane, CLV_ROW_PLAIN, columns, biased, 0);
        else if (w->flags[i] & CLV_ROW_SHIFTS)
            up_row(&s, w, i, lane, w->flags[i], columns, biased, 1);
        else
            up_row(&s, w, i, lane, w->flags[i], columns, biased, 0);
    store(o->I + lane, s.A, 6), store(o->I + 6 * G8 + lane, s.B, 9), store(o->I + 15 * G8 + lane, s.C, 6);
    store(o->p + lane, s.p, 6), store(o->ok + lane, &s.ok, 1);
    if (columns)
        store(o->K + lane, s.K, 36), store(o->L + lane, s.L, 21), store(o->t + lane, s.t, 6);
}

void CLV_LANE(clv_rows_up)(const clv_rows *w, int group, bool biased)
{
    const clv_group *g = &w->plan->group[group];
    const clv_strand_out *o = &w->engine->out[group];
    const int tips = clv_rows_tips(w, g);
    for (int lane = 0; lane < g->nstrand; lane += CLV_LANES)
        if (lane < tips && biased)
            up_strip(w, group, o, lane, 1, 1);
        else if (lane < tips)
            up_strip(w, group, o, lane, 1, 0);
        else if (biased)
            up_strip(w, group, o, lane, 0, 1);
        else
            up_strip(w, group, o, lane, 0, 0);
}

INLINE void down_strip(const clv_rows *w, int g, const clv_strand_out *o, int lane, const int columns,
                       const int biased)
{
    clv_w x[6], F[6];
    load(x, o->x + lane, 6), load(F, o->F + lane, 6);
    for (int i = w->first[g]; i < w->first[g + 1]; i++) {
        clv_w r[3], bias[6];
        if (w->flags[i] & CLV_ROW_ARM) {
            load(r, row_of(w->r, 3, i, lane), 3);
            x[0] += x[4] * r[2] - x[5] * r[1];
            x[1] += x[5] * r[0] - x[3] * r[2];
            x[2] += x[3] * r[1] - x[4] * r[0];
        }
        if (biased)
            load(bias, row_of(w->bias, 6, i, lane), 6);
        if (w->flags[i] & (CLV_ROW_FREE | CLV_ROW_DRIVEN)) {
            clv_w N[6], v[6], u = clv_w_load(row_of(w->u0, 1, i, lane));
            load(N, row_of(w->N, 6, i, lane), 6);
            u -= dot6(N, x);
            if (columns) {
                load(v, row_of(w->Kh, 6, i, lane), 6);
                u += dot6(v, F) * clv_w_load(row_of(w->inverse, 1, i, lane));
            }
            clv_w_store(row_of(w->rates, 1, i, lane), u);
            if (w->flags[i] & CLV_ROW_DRIVEN)
                u = (clv_w_fill(1.0) - clv_w_load(row_of(w->pad, 1, i, lane))) * u +
                    clv_w_load(row_of(w->known, 1, i, lane));
            clv_w H[6];
            if (w->flags[i] & CLV_ROW_SHIFTS) {
                load_direction(H, w, i, lane, 1);
                for (int k = 0; k < 6; k++)
                    x[k] += H[k] * u;
            } else {
                load_direction(H, w, i, lane, 0);
                for (int k = 3; k < 6; k++)
                    x[k] += H[k] * u;
            }
        }
        for (int k = 0; biased && k < 6; k++)
            x[k] += bias[k];
        store(row_of(w->x, 6, i, lane), x, 6);
    }
}

void CLV_LANE(clv_rows_down)(const clv_rows *w, int group, bool biased)
{
    const clv_group *g = &w->plan->group[group];
    const clv_strand_out *o = &w->engine->out[group];
    const int tips = clv_rows_tips(w, g);
    for (int lane = 0; lane < g->nstrand; lane += CLV_LANES)
        if (lane < tips && biased)
            down_strip(w, group, o, lane, 1, 1);
        else if (lane < tips)
            down_strip(w, group, o, lane, 1, 0);
        else if (biased)
            down_strip(w, group, o, lane, 0, 1);
        else
            down_strip(w, group, o, lane, 0, 0);
}
