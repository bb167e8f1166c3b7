/* SPDX-License-Identifier: Apache-2.0
 * Sweeps over the tree in model order, and the matrices of the joint space they make; see joint_space.h. */
#include "formulation/joint_space.h"
#include "math/spatial.h"
#include <string.h>

/* ------------------------------------------------------------------ sweeps over the tree */

/* x_B = S^T x_A + c (nbody x 6) */
void clv_joint_space_outward(const clv_system *s, double *x, const double *c)
{
    const clv_plan *p = s->plan;
    for (int i = 0; i < p->nbody; i++) {
        size_t b = (size_t)p->order[i];
        memset(x + 6 * b, 0, 6 * sizeof(double));
        if (p->tree[b].parent >= 0)
            clv_motion_shift(x + 6 * b, s->kin.arm + 3 * b, x + 6 * (size_t)p->tree[b].parent);
        clv_add6(x + 6 * b, c + 6 * b);
    }
}

/* W_A += S W_B, tips first: sums over the outboard parts (nbody x 6) */
void clv_joint_space_inward(const clv_system *s, double *W)
{
    const clv_plan *p = s->plan;
    for (int i = p->nbody - 1; i >= 0; i--) {
        size_t b = (size_t)p->order[i];
        double S[6];
        if (p->tree[b].parent < 0)
            continue;
        clv_wrench_shift(S, s->kin.arm + 3 * b, W + 6 * b);
        clv_add6(W + 6 * (size_t)p->tree[b].parent, S);
    }
}

/* y_k = H_k^T W_k (nu); modes: sum over links of M^T W */
void clv_joint_space_project(const clv_system *s, double *y, const double *W)
{
    const clv_plan *p = s->plan;
    for (size_t b = 0; b < (size_t)p->nbody; b++)
        for (int c = 0; c < p->tree[b].f; c++)
            y[p->tree[b].iu + c] = clv_dot6(s->kin.H + clv_columns(p, b) + 6 * (size_t)c, W + 6 * b);
    for (int k = 0; k < p->nstar; k++)
        memset(y + p->star[k].iu, 0, (size_t)p->star[k].nmode * sizeof(double));
    for (size_t b = 0; b < (size_t)p->nbody; b++)
        for (int c = 0; c < clv_nmode(p, b); c++)
            y[p->star[p->tree[b].link].iu + c] +=
                clv_dot6(s->engine.modes + clv_modes(p, b) + 6 * (size_t)c, W + 6 * b);
}

/* adds M u of the links (modal unknowns of u) to their motions c (nbody x 6) */
void clv_joint_space_add_links(const clv_system *s, double *c, const double *u)
{
    const clv_plan *p = s->plan;
    for (size_t b = 0; b < (size_t)p->nbody; b++)
        for (int m = 0; m < clv_nmode(p, b); m++)
            for (size_t i = 0; i < 6; i++)
                c[6 * b + i] +=
                    s->engine.modes[clv_modes(p, b) + 6 * (size_t)m + i] * u[p->star[p->tree[b].link].iu + m];
}

/* y = J^T (I J) for the motion x (nbody x 6) with modal unknowns of u (nu) */
void clv_joint_space_inertia(clv_system *s, double *y, const double *x, const double *u)
{
    const clv_plan *p = s->plan;
    for (size_t i = 0; i < (size_t)p->nbody; i++)
        clv_inertia_times(s->W + 6 * i, s->kin.I + 21 * i, x + 6 * i);
    for (int k = 0; k < p->nstar; k++) {
        double F[6];
        clv_star_inertia(&s->engine, k, x, u, F, s->modal + p->star[k].mode);
        clv_add6(s->W + 6 * (size_t)p->star[k].frame, F);
    }
    clv_joint_space_inward(s, s->W);
    clv_joint_space_project(s, y, s->W);
    for (int k = 0; k < p->nstar; k++)
        for (int m = 0; m < p->star[k].nmode; m++)
            y[p->star[k].iu + m] += s->modal[p->star[k].mode + m];
}

/* ------------------------------------------------------------------ the matrices */

void clv_joint_space_mass(clv_system *s, double *M, double *column)
{
    const clv_plan *p = s->plan;
    size_t n = (size_t)p->nbody, nu = (size_t)p->nu;
    memset(column, 0, 6 * n * sizeof(double));
    memset(s->ud, 0, nu * sizeof(double));
    for (size_t b = 0; b < n; b++)
        for (int c = 0; c < p->tree[b].f; c++) {
            memcpy(column + 6 * b, s->kin.H + clv_columns(p, b) + 6 * (size_t)c, 6 * sizeof(double));
            clv_joint_space_outward(s, s->x, column);
            clv_joint_space_inertia(s, M + nu * (size_t)(p->tree[b].iu + c), s->x, s->ud);
            memset(column + 6 * b, 0, 6 * sizeof(double));
        }
    for (int k = 0; k < p->nstar; k++)
        for (int iu = p->star[k].iu; iu < p->star[k].iu + p->star[k].nmode; iu++) {
            s->ud[iu] = 1;
            memset(column, 0, 6 * n * sizeof(double));
            clv_joint_space_add_links(s, column, s->ud);
            clv_joint_space_outward(s, s->x, column);
            clv_joint_space_inertia(s, M + nu * (size_t)iu, s->x, s->ud);
            s->ud[iu] = 0;
        }
}

void clv_joint_space_rows(clv_system *s, double *J)
{
    const clv_plan *p = s->plan;
    for (int e = 0; e < p->nedge; e++) {
        const clv_edge *edge = &p->edge[e];
        for (int r = 0; edge->tree_body < 0 && r < edge->m; r++) {
            memset(s->W, 0, 6 * (size_t)p->nbody * sizeof(double));
            for (int h = 0; h < edge->nhandle; h++)
                clv_add6(s->W + 6 * (size_t)edge->body[h], s->engine.block + edge->block[h] + 6 * r);
            clv_joint_space_inward(s, s->W);
            clv_joint_space_project(s, J + (size_t)(edge->row + r) * (size_t)p->nu, s->W);
        }
    }
}
