/* SPDX-License-Identifier: Apache-2.0
 * A lane source: flexible bodies of mechanisms abreast without their modes, and back, by the operations of row_star.c
 * (T43.8, T132).
 *
 *   flex_fold     frame and modes with what is attached to the bodies, less the modes
 *   flex_unfold   from the motion of the entry: of the other bodies and of the modes */
#include "base/tolerance.h"
#include "kinematics/row_flex_lane.h"

/* y = A x, symmetric, a sum of rows; A at p */
INLINE void times_rows(clv_w *y, const double *p, const clv_w *x)
{
    for (int j = 0; j < 6; j++) {
        y[j] = at(p, j) * x[0];
        for (int i = 1; i < 6; i++)
            y[j] += x[i] * at(p, 6 * i + j);
    }
}
/* the frame with its modes, and the forces of these */
INLINE void take_mass(const clv_row_flex *f, const double *tau, int lane)
{
    const int n = f->n;
    for (int m = 0; m < n; m++) {
        for (int i = 0; i < 6; i++)
            set(f->G + lane, 6 * m + i, at(f->Mrf + lane, 6 * m + i));
        for (int i = 0; i <= m; i++)
            set(f->A + lane, m * n + i, at(f->Mff + lane, m * n + i));
        set(f->y + lane, m, at(tau, m));
    }
    for (int i = 0; i < 6; i++) {
        for (int c = 0; c < 6; c++)
            set(f->left + lane, 6 * i + c, at(f->I + lane, CLV_SYM[i][c]));
        set(f->p + lane, i, clv_w_fill(0.0));
    }
}

/* loads and what is attached to a body; linked: it moves as S^T x + M u + c */
INLINE void add_hold(const clv_row_flex *f, const clv_flex_body *b, const int linked, const int biased, int lane)
{
    clv_w F[6], W[6], r[3], c[6], M[6];
    zero(r, 3);
    load(F, b->Q + lane, 6);
    for (int i = 0; i < 6; i++)
        F[i] += b->hangs ? at(b->h + lane, i) : clv_w_fill(0.0);
    if (b->hangs && linked && biased) {
        load(c, b->c + lane, 6);
        times_rows(W, b->H + lane, c);
        for (int i = 0; i < 6; i++)
            F[i] -= W[i];
    }
    if (linked)
        load(r, b->arm + lane, 3);
    for (int m = 0; linked && m < f->n; m++) {
        load(M, from(b->M + lane, 6 * m), 6);
        set(f->y + lane, m, at(f->y + lane, m) + dot6(M, F));
        if (!b->hangs)
            continue;
        times_rows(W, b->H + lane, M);
        for (int i = 0; i <= m; i++) {
            load(M, from(b->M + lane, 6 * i), 6);
            set(f->A + lane, m * f->n + i, at(f->A + lane, m * f->n + i) + dot6(M, W));
        }
        shift_wrench(W, r, W);
        add_to(from(f->G + lane, 6 * m), W, 6);
    }
    if (b->hangs)
        add_shifted(f->left + lane, r, b->H + lane);
    if (linked)
        shift_wrench(F, r, F);
    add_to(f->p + lane, F, 6);
}

/* from the motion of the frame to that of the entry */
INLINE void go_to_entry(const clv_row_flex *f, const int biased, int lane)
{
    const clv_flex_body *b = &f->body[0];
    const int n = f->n;
    clv_w W[6], U[6], M[6], X[6], c[6], p[6], r[3];
    load(p, f->p + lane, 6), load(r, b->arm + lane, 3);
    if (biased) {
        load(c, b->c + lane, 6);
        times_rows(W, f->left + lane, c);
        for (int i = 0; i < 6; i++)
            p[i] -= W[i];
        for (int m = 0; m < n; m++) {
            load(U, from(f->G + lane, 6 * m), 6);
            set(f->y + lane, m, at(f->y + lane, m) - dot6(U, c));
        }
    }
    for (int m = 0; m < n; m++) {
        load(M, from(b->M + lane, 6 * m), 6);
        set(f->y + lane, m, at(f->y + lane, m) + dot6(M, p));
    }
    for (int m = 0; m < n; m++) {
        load(M, from(b->M + lane, 6 * m), 6);
        for (int i = 0; i <= m; i++) {
            load(X, from(b->M + lane, 6 * i), 6), load(U, from(f->G + lane, 6 * m), 6);
            load(W, from(f->G + lane, 6 * i), 6);
            set(f->A + lane, m * n + i, at(f->A + lane, m * n + i) + (dot6(U, X) + dot6(M, W)));
        }
        times_rows(W, f->left + lane, M);
        set(f->A + lane, m * n + m, at(f->A + lane, m * n + m) + dot6(M, W));
        add_to(from(f->G + lane, 6 * m), W, 6);
    }
    for (int m = 0; m < n; m++) {
        load(U, from(f->G + lane, 6 * m), 6);
        shift_wrench(U, r, U);
        store(from(f->G + lane, 6 * m), U, 6);
    }
    clv_w before[36];
    load(before, f->left + lane, 36);
    for (int j = 0; j < 6; j++) { /* S I S^T of what is there, in place */
        const clv_w a = before[j], b1 = before[6 + j], c1 = before[12 + j];
        before[18 + j] += r[1] * c1 - r[2] * b1;
        before[24 + j] += r[2] * a - r[0] * c1;
        before[30 + j] += r[0] * b1 - r[1] * a;
    }
    for (int i = 0; i < 6; i++) {
        shift_wrench(before + 6 * i, r, before + 6 * i);
        for (int k = 0; k < 6; k++) /* added to zero */
            set(f->left + lane, 6 * i + k, clv_w_fill(0.0) + before[6 * i + k]);
    }
    shift_wrench(p, r, p);
    store(f->p + lane, p, 6);
}

/* A := L with inverse pivots, G := L^-1 U, y := L^-1 f; left and p without the modes */
INLINE void eliminate(const clv_row_flex *f, int lane)
{
    const int n = f->n;
    double *A = f->A + lane, *G = f->G + lane, *y = f->y + lane;
    clv_w ok = clv_w_fill(1.0), g[6], x[6];
    for (int i = 0; i < n; i++) {
        const clv_w diagonal = at(A, i * n + i);
        clv_w own = diagonal, force = at(y, i);
        load(g, from(G, 6 * i), 6);
        for (int j = 0; j < i; j++) {
            clv_w l = at(A, i * n + j);
            for (int m = 0; m < j; m++)
                l -= at(A, i * n + m) * at(A, j * n + m);
            l *= at(A, j * n + j);
            set(A, i * n + j, l);
            own -= l * l;
            load(x, from(G, 6 * j), 6);
            for (int k = 0; k < 6; k++)
                g[k] -= l * x[k];
            force -= l * at(y, j);
        }
        ok *= clv_w_above(own, CLV_TOL_PIVOT * diagonal);
        const clv_w inverse = 1.0 / clv_w_root(own);
        set(A, i * n + i, inverse);
        for (int k = 0; k < 6; k++)
            g[k] = g[k] * inverse;
        force *= inverse;
        store(from(G, 6 * i), g, 6), set(y, i, force);
        for (int k = 0; k < 6; k++)
            set(f->p + lane, k, at(f->p + lane, k) - force * g[k]);
        for (int r = 0; r < 6; r++)
            for (int k = 0; k < 6; k++)
                set(f->left + lane, 6 * r + k, at(f->left + lane, 6 * r + k) - g[r] * g[k]);
    }
    clv_w_store(f->ok + lane, ok);
}

/* tau (n x 8): modal forces */
void CLV_LANE(clv_rows_flex_fold)(const clv_rows *w, const clv_row_flex *f, const double *tau, bool biased)
{
    for (int lane = 0; lane < w->plan->group[0].nstrand; lane += CLV_LANES) {
        take_mass(f, tau + lane, lane);
        for (int i = 0; i < f->nbody; i++)
            if (i == 0)
                add_hold(f, &f->body[0], 0, biased, lane);
            else if (i != f->entry)
                add_hold(f, &f->body[i], 1, biased, lane);
        if (f->entry > 0) {
            go_to_entry(f, biased, lane);
            add_hold(f, &f->body[f->entry], 0, biased, lane);
        }
        eliminate(f, lane);
    }
}

/* x = S^T of + M u + c of the link of body i */
INLINE void follow(const clv_row_flex *f, int i, const double *of, const double *u, const int biased, int lane)
{
    const clv_flex_body *b = &f->body[i];
    clv_w X[6], x[6], r[3];
    load(X, of + lane, 6), load(r, b->arm + lane, 3);
    shift_motion(x, r, X);
    for (int m = 0; m < f->n; m++)
        for (int k = 0; k < 6; k++)
            x[k] += at(u, m) * at(b->M + lane, 6 * m + k);
    for (int k = 0; biased && k < 6; k++)
        x[k] += at(b->c + lane, k);
    store(b->x + lane, x, 6);
}

/* the motion of the entry is in its x; modal unknowns to the rates */
void CLV_LANE(clv_rows_flex_unfold)(const clv_rows *w, const clv_row_flex *f, bool biased)
{
    const int n = f->n;
    for (int lane = 0; lane < w->plan->group[0].nstrand; lane += CLV_LANES) {
        double *z = row_of(w->rates, 1, f->row, lane);
        clv_w x[6], g[6];
        load(x, f->body[f->entry].x + lane, 6);
        for (int i = 0; i < n; i++) {
            load(g, from(f->G + lane, 6 * i), 6);
            set(z, i, at(f->y + lane, i) - dot6(g, x));
        }
        for (int i = n - 1; i >= 0; i--) {
            const clv_w own = at(z, i) * at(f->A + lane, i * n + i);
            set(z, i, own);
            for (int j = 0; j < i; j++)
                set(z, j, at(z, j) - own * at(f->A + lane, i * n + j));
        }
        for (int i = 0; i < f->nbody; i++)
            if (i != f->entry)
                follow(f, i, i == 0 ? f->body[f->entry].x : f->body[0].x, z, biased, lane);
    }
}
