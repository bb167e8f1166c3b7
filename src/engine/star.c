/* SPDX-License-Identifier: Apache-2.0
 * Stars: flexible bodies as leaves in compliance form (T30, T31).
 *
 *   Mf z = f,   z = [x of the frame; modal unknowns],   f = sum of B_i^T (loads and wrenches on body i) + [0; modal forces]
 *   x_i = B_i z + c_i,   B_i = [S_i^T, Phi_i]            the frame: [1, 0]
 *   Xi_ij = B_i Mf^-1 B_j^T,   x0_i = B_i Mf^-1 f + c_i
 *
 * Phi_i are the mode columns of a link.  Where the tree enters at a node N, the link's child is the frame: x_F = S^T x_N + M u + c, so
 * Phi_N = -S_N^T M and c_N = -S_N^T c. */
#include <math.h>
#include <string.h>
#include "engine/engine.h"
#include "math/spatial.h"

/* 6 + nmode */
static int size_of(const clv_plan *p, int k) { return 6 + p->star[k].nmode; }

/* bodies of a star: the frame is number -1 */
static int body_of(const clv_plan *p, int k, int i) { return i < 0 ? p->star[k].frame : p->model->flex[k].node[i].body; }

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

/* y (6 + nmode) += B^T w */
static void add_wrench(const clv_engine *e, int k, int body, const double w[6], double *y)
{
    const double *Phi = columns(e, k, body);
    double l[3], S[6];
    lever(e, k, body, l);
    clv_wrench_shift(S, l, w);
    clv_add6(y, S);
    for (int m = 0; Phi && m < e->plan->star[k].nmode; m++)
        y[6 + m] += clv_dot6(Phi + 6 * (size_t)m, w);
}

/* x = B z + c */
static void motion(const clv_engine *e, int k, int body, const double *z, const double *c, double x[6])
{
    const clv_star *s = &e->plan->star[k];
    const double *Phi = columns(e, k, body);
    double l[3], x0[6];
    lever(e, k, body, l);
    clv_motion_shift(x0, l, z);
    for (int m = 0; Phi && m < s->nmode; m++)
        for (int i = 0; i < 6; i++)
            x0[i] += Phi[6 * (size_t)m + (size_t)i] * z[6 + m];
    if (c && body == s->entry && body != s->frame) {
        double back[6];
        clv_motion_shift(back, l, c + 6 * (size_t)s->frame);
        for (int i = 0; i < 6; i++)
            x0[i] -= back[i];
    } else if (c && body != s->frame)
        clv_add6(x0, c + 6 * (size_t)body);
    memcpy(x, x0, sizeof x0);
}

/* ------------------------------------------------------------------ Cholesky, inverse pivots on the diagonal */

/* least: of the pivots over their diagonals, by turns of the frame and by modes */
static bool cholesky(double *L, int n, double least_turn, double least_mode)
{
    for (int i = 0; i < n; i++) {
        double *Li = L + (size_t)i * (size_t)n;
        for (int j = 0; j <= i; j++) {
            const double *Lj = L + (size_t)j * (size_t)n;
            double t = Li[j];
            for (int q = 0; q < j; q++)
                t -= Li[q] * Lj[q];
            if (j < i)
                Li[j] = t * Lj[j];
            else if (!(t > (i < 3 ? 1e-14 : i < 6 ? least_turn : least_mode) * Li[i]))
                return false;
            else
                Li[i] = 1.0 / sqrt(t);
        }
    }
    return true;
}

static void lower(const double *L, int n, double *y)
{
    for (int i = 0; i < n; i++) {
        const double *Li = L + (size_t)i * (size_t)n;
        for (int j = 0; j < i; j++)
            y[i] -= Li[j] * y[j];
        y[i] *= Li[i];
    }
}

static void upper(const double *L, int n, double *y)
{
    for (int i = n - 1; i >= 0; i--) {
        const double *Li = L + (size_t)i * (size_t)n;
        y[i] *= Li[i];
        for (int j = 0; j < i; j++)
            y[j] -= Li[j] * y[i];
    }
}

/* ------------------------------------------------------------------ verbs */

void clv_star_layout(clv_engine *e, const clv_plan *p, clv_arena *a)
{
    size_t scratch = 0;
    CLV_TAKE(a, e->modes, 6 * p->nlink);
    CLV_TAKE(a, e->star_load, p->nstar ? 6 * p->nbody : 0);
    CLV_TAKE(a, e->room, p->nstar);
    for (int k = 0; k < p->nstar; k++) {
        size_t n = (size_t)p->star[k].nmode, N = n + 6, P = 6 * ((size_t)p->model->flex[k].nnode + 1);
        clv_star_room counting, *room = a->base ? &e->room[k] : &counting;
        CLV_TAKE(a, room->mass, n * N), CLV_TAKE(a, room->extra, n * n), CLV_TAKE(a, room->L, N * N);
        CLV_TAKE(a, room->entry, 6 * n), CLV_TAKE(a, room->f, N), CLV_TAKE(a, room->z, N);
        scratch = P * N > scratch ? P * N : scratch;
    }
    CLV_TAKE(a, e->star_scratch, scratch);
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

/* lower triangle of Mf; extra: added to every turn of the frame */
static void assemble(clv_engine *e, int k, double extra)
{
    static const int SYM[6][6] = {{0, 1, 2, 6, 7, 8},     {1, 3, 4, 9, 10, 11},    {2, 4, 5, 12, 13, 14},
                                  {6, 9, 12, 15, 16, 17}, {7, 10, 13, 16, 18, 19}, {8, 11, 14, 17, 19, 20}};
    const double *I = e->mass + 21 * (size_t)e->plan->star[k].frame;
    size_t N = (size_t)size_of(e->plan, k);
    double *L = e->room[k].L;
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j <= i; j++)
            L[i * N + j] = I[SYM[i][j]] + (i == j && i >= 3 ? extra : 0.0);
    for (size_t i = 6; i < N; i++)
        for (size_t j = 0; j <= i; j++)
            L[i * N + j] = e->room[k].mass[(i - 6) * N + j] + (j < 6 ? 0.0 : e->room[k].extra[(i - 6) * (N - 6) + j - 6]);
}

/* A line of mass has no inertia about itself, and bent it has what its modes have: the factor then gets a thousandth of the
 * largest inertia in every turn of the frame, which refinement takes out again, as for thin rods (T5). */
static bool factor_mass(clv_engine *e, int k)
{
    int N = size_of(e->plan, k);
    const double *I = e->mass + 21 * (size_t)e->plan->star[k].frame, J = fmax(I[15], fmax(I[18], I[20]));
    assemble(e, k, 0.0);
    if (cholesky(e->room[k].L, N, 1e-7, 1e-10))
        return true;
    e->replaced = true;
    assemble(e, k, 1e-3 * (J > 0 ? J : I[0]));
    return cholesky(e->room[k].L, N, 1e-12, 1e-14);
}

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
    double *G = e->star_scratch, *Xi = clv_part_Xi(e, part);
    memset(G, 0, (size_t)P * (size_t)N * sizeof(double));
    for (int a = 0; a < P; a++) {
        double w[6] = {0}, *g = G + (size_t)a * (size_t)N;
        w[a % 6] = 1.0;
        add_wrench(e, k, p->ports[p->part[part].port + a / 6], w, g);
        lower(e->room[k].L, N, g);
    }
    for (int a = 0; a < P; a++)
        for (int b = 0; b <= a; b++) {
            const double *x = G + (size_t)a * (size_t)N, *y = G + (size_t)b * (size_t)N;
            double t = 0;
            for (int i = 0; i < N; i++)
                t += x[i] * y[i];
            Xi[a * P + b] = Xi[b * P + a] = t;
        }
    return true;
}

static void respond(clv_engine *e, int k)
{
    int N = size_of(e->plan, k);
    memcpy(e->room[k].z, e->room[k].f, (size_t)N * sizeof(double));
    lower(e->room[k].L, N, e->room[k].z);
    upper(e->room[k].L, N, e->room[k].z);
}

void clv_star_up(clv_engine *e, int k, const double *tau, const double *c)
{
    const clv_plan *p = e->plan;
    const clv_star *s = &p->star[k];
    double *f = e->room[k].f;
    memset(f, 0, 6 * sizeof(double));
    for (int m = 0; m < s->nmode; m++)
        f[6 + m] = tau ? tau[s->iu + m] : 0.0;
    for (int i = -1; i < p->model->flex[k].nnode; i++)
        add_wrench(e, k, body_of(p, k, i), e->star_load + 6 * (size_t)body_of(p, k, i), f);
    if (s->part < 0)
        return;
    respond(e, k);
    const clv_part *q = &p->part[s->part];
    for (int i = 0; i < q->nport; i++)
        motion(e, k, p->ports[q->port + i], e->room[k].z, c, clv_part_x0(e, s->part) + 6 * (size_t)i);
}

void clv_star_down(clv_engine *e, int k, const double *c, double *x, double *u)
{
    const clv_plan *p = e->plan;
    const clv_star *s = &p->star[k];
    for (int i = 0; s->part >= 0 && i < p->part[s->part].nport; i++)
        add_wrench(e, k, p->ports[p->part[s->part].port + i], clv_part_T(e, s->part) + 6 * (size_t)i, e->room[k].f);
    respond(e, k);
    for (int i = -1; i < p->model->flex[k].nnode; i++)
        motion(e, k, body_of(p, k, i), e->room[k].z, c, x + 6 * (size_t)body_of(p, k, i));
    memcpy(u + s->iu, e->room[k].z + 6, (size_t)s->nmode * sizeof(double));
}

void clv_star_inertia(const clv_engine *e, int k, const double *x, const double *u, double W[6], double *modal)
{
    const clv_star *s = &e->plan->star[k];
    size_t n = (size_t)s->nmode, N = n + 6;
    memset(W, 0, 6 * sizeof(double));
    for (size_t m = 0; m < n; m++) {
        const double *row = e->room[k].mass + m * N;
        double t = x ? clv_dot6(row, x + 6 * (size_t)s->frame) : 0.0;
        for (size_t i = 0; i < 6; i++)
            W[i] += row[i] * u[s->iu + (int)m];
        for (size_t i = 0; i < n; i++)
            t += (row[6 + i] + e->room[k].extra[m * n + i]) * u[s->iu + (int)i];
        if (modal)
            modal[m] = t;
    }
}

void clv_star_unbalanced(const clv_engine *e, int k, double *f)
{
    const clv_plan *p = e->plan;
    int part = p->star[k].part;
    memset(f, 0, (size_t)size_of(p, k) * sizeof(double));
    for (int i = 0; part >= 0 && i < p->part[part].nport; i++)
        add_wrench(e, k, p->ports[p->part[part].port + i], clv_part_T(e, part) + 6 * (size_t)i, f);
}
