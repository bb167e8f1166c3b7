/* SPDX-License-Identifier: Apache-2.0
 * Stars: flexible bodies as leaves in compliance form (T30, T31).
 *
 *   Mf z = f,   z = [modal unknowns; x of the frame],   f = sum of B_i^T (loads, wrenches on i) + [modal forces; 0]
 *   x_i = B_i z + c_i,   B_i = [Phi_i, S_i^T]            the frame: [0, 1]
 *   Xi_ij = B_i Mf^-1 B_j^T,   x0_i = B_i Mf^-1 f + c_i
 *
 * Phi_i are the mode columns of a link.  Where the tree enters at a node N, the link's child is the frame: x_F = S^T
 * x_N + M u + c, so Phi_N = -S_N^T M and c_N = -S_N^T c. */
#include <math.h>
#include <string.h>
#include "base/tolerance.h"
#include "engine/extra.h"
#include "math/lane.h"
#include "math/spatial.h"

/* 6 + nmode */
static int size_of(const clv_plan *p, int k) { return 6 + p->star[k].nmode; }

/* bodies of a star: the frame is number -1 */
static int body_of(const clv_plan *p, int k, int i)
{
    return i < 0 ? p->star[k].frame : p->model->flex[k].node[i].body;
}

/* frame's reference point to the body's */
static void lever(const clv_engine *e, int k, int body, double l[3])
{
    const clv_star *s = &e->plan->star[k];
    for (int i = 0; i < 3; i++)
        l[i] = body == s->frame   ? 0.0
               : body == s->entry ? -e->arm[3 * (size_t)s->frame + (size_t)i]
                                  : e->arm[3 * (size_t)body + (size_t)i];
}

/* 6 x nmode columns Phi of a body; NULL: the frame's, zero */
static const double *columns(const clv_engine *e, int k, int body)
{
    const clv_star *s = &e->plan->star[k];
    return body == s->frame ? NULL : body == s->entry ? e->room[k].entry : e->modes + clv_modes(e->plan, (size_t)body);
}

/* y (nmode, then 6) += B^T w */
static void add_wrench(const clv_engine *e, int k, int body, const double w[6], double *y)
{
    const double *Phi = columns(e, k, body);
    double l[3], S[6];
    lever(e, k, body, l);
    clv_wrench_shift(S, l, w);
    clv_add6(y + e->plan->star[k].nmode, S);
    for (int m = 0; Phi && m < e->plan->star[k].nmode; m++)
        y[m] += clv_dot6(Phi + 6 * (size_t)m, w);
}

/* x += c of the body */
static void add_bias(const clv_engine *e, int k, int body, const double *c, double x[6])
{
    const clv_star *s = &e->plan->star[k];
    if (body == s->frame)
        return;
    if (body != s->entry) {
        clv_add6(x, c + 6 * (size_t)body);
        return;
    }
    double l[3], back[6];
    lever(e, k, body, l);
    clv_motion_shift(back, l, c + 6 * (size_t)s->frame);
    for (int i = 0; i < 6; i++)
        x[i] -= back[i];
}

/* x = B z + c */
static void motion(const clv_engine *e, int k, int body, const double *z, const double *c, double x[6])
{
    const double *Phi = columns(e, k, body);
    double l[3];
    lever(e, k, body, l);
    clv_motion_shift(x, l, z + e->plan->star[k].nmode);
    clv_six sum = clv_six_load(x);
    for (int m = 0; Phi && m < e->plan->star[k].nmode; m++)
        sum = clv_six_add(sum, z[m], clv_six_load(Phi + 6 * (size_t)m));
    clv_six_store(x, sum);
    if (c)
        add_bias(e, k, body, c, x);
}

/* ------------------------------------------------------------------ Cholesky
 * A = L L^T in one square: U = L^T above the diagonal, L below it, inverse pivots on it.  Both, so that every
 * substitution runs along rows and every update of a row is free of sums.  Rows are short here, and a sum waits for
 * each of its terms.  Modes come first: natural modes are not coupled, and of the first `lead` rows that do not,
 * nothing but the diagonal and the last six is touched. */

/* row -= f * other, from..n-1 */
static inline void less(double *restrict row, double f, const double *restrict other, int from, int n)
{
    for (int i = from; i < n; i++)
        row[i] -= f * other[i];
}

/* first column beside the diagonal that row i of U may fill, end of those of row i of L */
static inline int right_of(int i, int lead) { return i < lead ? lead : i + 1; }
static inline int left_of(int i, int lead) { return i < lead ? 0 : i; }

/* modes whose rows of A have nothing but the diagonal among the modes: all or none */
static int leading(const double *A, int nmode)
{
    for (int i = 0; i < nmode; i++)
        for (int j = i + 1; j < nmode; j++)
            if (A[i * (nmode + 6) + j] != 0.0)
                return 0;
    return nmode;
}

/* T31.2: A (upper triangle filled) becomes its factor.  False: a pivot is missing.  Least pivots over
 * their diagonals: least_turn of rotations of the frame, least_mode of modes.  Scratch: diagonal (6 + nmode). */
static bool cholesky(double *A, int nmode, int lead, double least_turn, double least_mode, double *diagonal)
{
    int n = nmode + 6;
    size_t N = (size_t)n;
    for (size_t i = 0; i < N; i++)
        diagonal[i] = A[i * N + i];
    for (int k = 0; k < n; k++) {
        double *Uk = A + (size_t)k * N;
        if (!(Uk[k] > (k < nmode ? least_mode : k < nmode + 3 ? CLV_TOL_PIVOT : least_turn) * diagonal[k]))
            return false;
        Uk[k] = 1.0 / sqrt(Uk[k]); /* kept inverse: substitutions multiply */
        for (int i = right_of(k, lead); i < n; i++)
            Uk[i] *= Uk[k];
        /* what row k leaves of the rows below it: among the modes, then of the six rigid columns at once */
        for (int i = right_of(k, lead); i < nmode; i++)
            less(A + (size_t)i * N, Uk[i], Uk, i, nmode);
        clv_six last = clv_six_load(Uk + nmode); /* the rigid columns; below the diagonal nobody reads */
        for (int i = right_of(k, lead); i < n; i++)
            clv_six_store(A + (size_t)i * N + nmode, clv_six_sub(clv_six_load(A + (size_t)i * N + nmode), Uk[i], last));
    }
    /* L below the diagonal: the mirror of U */
    for (size_t i = (size_t)lead; i < N; i++)
        for (size_t j = 0; j < i; j++)
            A[i * N + j] = A[j * N + i];
    return true;
}

/* y := L^-1 y, column by column: row i of U is column i of L */
static void lower(const double *A, int n, int lead, double *y)
{
    for (int i = 0; i < n; i++) {
        const double *Ui = A + (size_t)i * (size_t)n;
        y[i] *= Ui[i];
        less(y, y[i], Ui, right_of(i, lead), n);
    }
}

/* y := L^-T y, column by column: row i of L is column i of L^T */
static void upper(const double *A, int n, int lead, double *y)
{
    for (int i = n - 1; i >= 0; i--) {
        const double *Li = A + (size_t)i * (size_t)n;
        y[i] *= Li[i];
        less(y, y[i], Li, 0, left_of(i, lead));
    }
}

/* G := L^-1 G for six columns of G (n x P), row by row */
static void lower_six(const double *A, int n, int lead, double *G, int P)
{
    for (int i = 0; i < n; i++) {
        const double *Li = A + (size_t)i * (size_t)n;
        clv_six t = clv_six_load(G + (size_t)i * (size_t)P);
        for (int j = 0; j < left_of(i, lead); j++)
            t = clv_six_sub(t, Li[j], clv_six_load(G + (size_t)j * (size_t)P));
        clv_six_store(G + (size_t)i * (size_t)P, clv_six_times(t, Li[i]));
    }
}

/* six numbers of sum over i of y_i G_i, G (n x P) from the first of them */
static inline clv_six sum_of_rows(const double *G, const double *y, int n, int P, int stride)
{
    clv_six t = {0};
    for (int i = 0; i < n; i++)
        t = clv_six_add(t, y[(size_t)i * (size_t)stride], clv_six_load(G + (size_t)i * (size_t)P));
    return t;
}

/* ------------------------------------------------------------------ verbs */

/* memory of each flexible body: its mass matrix and factor, columns of ports, unknowns */
void clv_star_layout(clv_engine *e, const clv_plan *p, clv_arena *a)
{
    CLV_TAKE(a, e->modes, 6 * p->nlink);
    CLV_TAKE(a, e->star_load, p->nstar ? 6 * p->nbody : 0);
    CLV_TAKE(a, e->room, p->nstar);
    for (int k = 0; k < p->nstar; k++) {
        size_t n = (size_t)p->star[k].nmode, N = n + 6,
               P = p->star[k].part < 0 ? 0 : 6 * (size_t)p->part[p->star[k].part].nport;
        clv_star_room counting, *room = a->base ? &e->room[k] : &counting;
        CLV_TAKE(a, room->mass, n * N), CLV_TAKE(a, room->extra, n * n), CLV_TAKE(a, room->L, N * N);
        CLV_TAKE(a, room->entry, 6 * n), CLV_TAKE(a, room->z, N), CLV_TAKE(a, room->G, N * P);
    }
}

/* Phi of the node where the tree enters, from the mode columns of the frame's link */
static void entry_columns(clv_engine *e, int k)
{
    const clv_star *s = &e->plan->star[k];
    double l[3];
    if (s->entry == s->frame)
        return;
    lever(e, k, s->entry, l);
    for (size_t m = 0; m < (size_t)s->nmode; m++) {
        double x[6];
        clv_motion_shift(x, l, e->modes + clv_modes(e->plan, (size_t)s->frame) + 6 * m);
        for (size_t i = 0; i < 6; i++)
            e->room[k].entry[6 * m + i] = -x[i];
    }
}

/* Mf (T31): upper triangle, modes first; extra: added to every turn of the frame */
static void assemble(clv_engine *e, int k, double extra)
{
    /* N = 6 + n numbers a row: n modes, then the frame's six */
    const double *I = e->mass + 21 * (size_t)e->plan->star[k].frame;
    size_t N = (size_t)size_of(e->plan, k), n = N - 6;
    double *L = e->room[k].L;
    /* the modes: Mff, with what forces of an implicit step add (T26), and Mrf^T beside it */
    for (size_t m = 0; m < n; m++) {
        const double *mass = e->room[k].mass + m * N, *extra_row = e->room[k].extra + m * n;
        for (size_t i = m; i < n; i++)
            L[m * N + i] = mass[6 + i] + extra_row[i];
        memcpy(L + m * N + n, mass, 6 * sizeof(double));
    }
    /* the frame: Mrr of the deformed body */
    for (size_t i = 0; i < 6; i++)
        for (size_t j = i; j < 6; j++)
            L[(n + i) * N + n + j] = I[CLV_SYM[i][j]] + (i == j && i >= 3 ? extra : 0.0);
    e->room[k].lead = leading(L, (int)n);
}

double clv_star_extra(const clv_engine *e, int k)
{
    const double *I = e->mass + 21 * (size_t)e->plan->star[k].frame, J = fmax(I[15], fmax(I[18], I[20]));
    return CLV_EXTRA_SHARE * (J > 0 ? J : I[0] * e->length * e->length);
}

/* A line of mass has no inertia about itself, and bent it has what its modes have.  The factor then gets a thousandth
 * of the largest inertia in every rotation of the frame.  Refinement takes it out again, as for thin rods (T5). */
static bool factor_mass(clv_engine *e, int k)
{
    clv_star_room *room = &e->room[k];
    const int n = e->plan->star[k].nmode;
    assemble(e, k, 0.0);
    if (cholesky(room->L, n, room->lead, CLV_TOL_TURN_PIVOT, CLV_TOL_MODE_PIVOT, room->z))
        return true;
    /* a second try with extra inertia; the body is listed for refinement */
    const double extra = clv_star_extra(e, k);
    clv_extra_add(e, e->plan->star[k].frame, 0.0, extra);
    assemble(e, k, extra);
    return cholesky(room->L, n, room->lead, CLV_TOL_BASE_PIVOT, CLV_TOL_PIVOT, room->z);
}

/* G = B^T of its ports, (N x P) */
static void port_columns(clv_engine *e, int k, double *G, int P)
{
    const clv_plan *p = e->plan;
    const clv_part *q = &p->part[p->star[k].part];
    memset(G, 0, (size_t)size_of(p, k) * (size_t)P * sizeof(double));
    for (int a = 0; a < q->nport; a++) {
        int body = p->ports[q->port + a];
        const double *Phi = columns(e, k, body);
        double l[3], *mode = G + 6 * a, *to = mode + p->star[k].nmode * P;
        lever(e, k, body, l);
        for (int i = 0; i < 6; i++)
            to[i * P + i] = 1.0;
        /* rigid rows: S of the lever, by columns; then the modes' rows */
        to[4 * P] = l[2], to[5 * P] = -l[1];
        to[3 * P + 1] = -l[2], to[5 * P + 1] = l[0];
        to[3 * P + 2] = l[1], to[4 * P + 2] = -l[0];
        for (int m = 0; Phi && m < p->star[k].nmode; m++)
            memcpy(mode + m * P, Phi + 6 * (size_t)m, 6 * sizeof(double));
    }
}

/* T31.2: L of the mass matrix, G = L^-1 B^T of the ports, Xi = G^T G; false where the mass matrix is singular */
bool clv_star_factor(clv_engine *e, int k)
{
    const clv_plan *p = e->plan;
    int N = size_of(p, k), part = p->star[k].part;
    entry_columns(e, k);
    if (!factor_mass(e, k))
        return false;
    if (part < 0)
        return true;
    int P = 6 * p->part[part].nport;
    double *G = e->room[k].G, *Xi = clv_part_Xi(e, part);
    port_columns(e, k, G, P);
    /* G = L^-1 B^T, six columns of a port at a time */
    for (int a = 0; a < P; a += 6)
        lower_six(e->room[k].L, N, e->room[k].lead, G + a, P);
    /* Xi = G^T G: symmetric, and never negative */
    for (int a = 0; a < P; a++)
        for (int b = 0; b <= a; b += 6) /* to the end of the diagonal block, overwritten below */
            clv_six_store(Xi + a * P + b, sum_of_rows(G + b, G + a, N, P, P));
    for (int a = 0; a < P; a++)
        for (int b = 0; b < a; b++)
            Xi[b * P + a] = Xi[a * P + b];
    return true;
}

static bool is_zero(const double w[6])
{
    return w[0] == 0 && w[1] == 0 && w[2] == 0 && w[3] == 0 && w[4] == 0 && w[5] == 0;
}

/* T31.2 on the way up: z := L^-1 f with f = [tau of the modes; 0] and the loads of frame and nodes; at the ports
 * x0 = B L^-T z + c = G^T z + c.  tau (nu) and c (nbody x 6) may be NULL: zero */
void clv_star_up(clv_engine *e, int k, const double *tau, const double *c)
{
    const clv_plan *p = e->plan;
    const clv_star *s = &p->star[k];
    double *z = e->room[k].z;
    /* f: forces of the modes, then the loads of frame and nodes by B^T */
    memset(z + s->nmode, 0, 6 * sizeof(double));
    for (int m = 0; m < s->nmode; m++)
        z[m] = tau ? tau[s->iu + m] : 0.0;
    for (int i = -1; i < p->model->flex[k].nnode; i++)
        if (!is_zero(e->star_load + 6 * (size_t)body_of(p, k, i)))
            add_wrench(e, k, body_of(p, k, i), e->star_load + 6 * (size_t)body_of(p, k, i), z);
    /* z = L^-1 f, which the way down continues with */
    lower(e->room[k].L, size_of(p, k), e->room[k].lead, z);
    if (s->part < 0)
        return;
    const clv_part *q = &p->part[s->part];
    int P = 6 * q->nport;
    double *x0 = clv_part_x0(e, s->part);
    /* x0 at the ports */
    for (int a = 0; a < P; a += 6)
        clv_six_store(x0 + a, sum_of_rows(e->room[k].G + a, z, size_of(p, k), P, 1));
    for (int a = 0; c && a < q->nport; a++)
        add_bias(e, k, p->ports[q->port + a], c, x0 + 6 * (size_t)a);
}

/* T31.2 on the way down: z := L^-T (z + G T) with the wrenches T at the ports; motions x = B z + c of
 * frame and nodes, modal unknowns into u */
void clv_star_down(clv_engine *e, int k, const double *c, double *x, double *u)
{
    const clv_plan *p = e->plan;
    const clv_star *s = &p->star[k];
    int P = s->part < 0 ? 0 : 6 * p->part[s->part].nport;
    double *z = e->room[k].z;
    /* z + G T, back through L^T: modal unknowns first, the motion of the frame last */
    for (int i = 0; P > 0 && i < size_of(p, k); i++) {
        const double *g = e->room[k].G + i * P, *T = clv_part_T(e, s->part);
        for (int a = 0; a < P; a += 6)
            z[i] += clv_dot6(g + a, T + a);
    }
    upper(e->room[k].L, size_of(p, k), e->room[k].lead, z);
    /* motions of the frame and of every node */
    for (int i = -1; i < p->model->flex[k].nnode; i++)
        motion(e, k, body_of(p, k, i), z, c, x + 6 * (size_t)body_of(p, k, i));
    memcpy(u + s->iu, z, (size_t)s->nmode * sizeof(double));
}

/* Mf [u; x]: wrench W at the frame, modal forces (nmode) or NULL; x NULL: the frame is at rest */
void clv_star_inertia(const clv_engine *e, int k, const double *x, const double *u, double W[6], double *modal)
{
    const clv_star *s = &e->plan->star[k];
    size_t n = (size_t)s->nmode, N = n + 6;
    memset(W, 0, 6 * sizeof(double));
    for (size_t m = 0; m < n; m++) {
        const double *row = e->room[k].mass + m * N;
        double t = x ? clv_dot6(row, x + 6 * (size_t)s->frame) : 0.0;
        /* what the modes give the frame; Mrr x is rigid and counted with the bodies */
        for (size_t i = 0; i < 6; i++)
            W[i] += row[i] * u[s->iu + (int)m];
        /* modal forces: Mfr x + Mff u */
        for (size_t i = 0; i < n; i++)
            t += (row[6 + i] + e->room[k].extra[m * n + i]) * u[s->iu + (int)i];
        if (modal)
            modal[m] = t;
    }
}

/* f = sum of B^T T over the ports: what a self-stress leaves on frame and modes */
void clv_star_unbalanced(const clv_engine *e, int k, double *f)
{
    const clv_plan *p = e->plan;
    int part = p->star[k].part;
    memset(f, 0, (size_t)size_of(p, k) * sizeof(double));
    for (int i = 0; part >= 0 && i < p->part[part].nport; i++)
        add_wrench(e, k, p->ports[p->part[part].port + i], clv_part_T(e, part) + 6 * (size_t)i, f);
}
